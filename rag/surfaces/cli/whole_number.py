"""Options that are whole numbers, written as such."""

from __future__ import annotations

import re
from collections.abc import Sequence

from cyclopts import CoercionError, Token

WRITTEN = re.compile(r"-?[0-9]{1,20}")


def whole_number(_kind: object, tokens: Sequence[Token]) -> int:
    """Return the number; the parser's own reading would round 2.5 and take 0x10.

    Raises:
        CoercionError: it is none.
    """
    (token,) = tokens
    if not WRITTEN.fullmatch(token.value):
        raise CoercionError(token=token, target_type=int)
    return int(token.value)
