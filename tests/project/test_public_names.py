"""The public surface is small and changes on purpose only."""

from __future__ import annotations

import importlib
import inspect

import pytest

from tests.project.repository import PACKAGE, ROOT
