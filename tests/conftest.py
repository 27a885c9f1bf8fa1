"""What holds for all tests."""

from __future__ import annotations

import pytest

# before any test imports it, so that its assertions show the values they compared
pytest.register_assert_rewrite("rag.testing.store_contract_parts")
