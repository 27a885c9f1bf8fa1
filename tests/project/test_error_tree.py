"""The error tree drawn in rag/errors is the tree of its classes, and the pages agree."""

from __future__ import annotations

import importlib.util
import inspect
import re
from types import ModuleType

import pytest

from rag import errors
from rag.errors import RagError
from tests.project.repository import ROOT


def _generator() -> ModuleType:
    path = ROOT / "docs" / "generate_reference.py"
    spec = importlib.util.spec_from_file_location("generate_reference", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


GENERATOR = _generator()
TREE: list[tuple[int, type[RagError]]] = GENERATOR.error_classes()


def _drawn() -> list[tuple[int, str]]:
    """Return (depth, class name) for each line of the tree in the module's docstring."""
    lines = [line for line in (errors.__doc__ or "").splitlines() if re.search(r"\w+Error\b", line)]
    tree = [re.match(r"^([ │├└─]*)(\w+Error)\b", line) for line in lines]
    return [(len(m.group(1)) // 4 - 1, m.group(2)) for m in tree if m]


def test_the_drawn_tree_is_the_tree_of_classes():
    assert _drawn() == [(depth, kind.__name__) for depth, kind in TREE]


def test_the_drawn_tree_gives_each_class_its_code():
    drawn = re.findall(r"(\w+Error) +([a-z_]+)\b(?=\n|,)", errors.__doc__ or "")
    assert set(drawn) <= {(kind.__name__, kind.code) for _, kind in TREE}
    assert {name for name, _ in drawn} == {
        kind.__name__ for _, kind in TREE if kind.__name__ not in {"RagError", "InvalidInputError"}
    }  # these two are drawn with words instead


def test_every_error_of_the_module_is_in_the_tree():
    there = {kind for _, kind in inspect.getmembers(errors, inspect.isclass)}
    assert {kind for kind in there if issubclass(kind, Exception)} == {kind for _, kind in TREE}


def test_codes_are_unique_and_each_class_has_its_own():
    codes = [kind.__dict__["code"] for _, kind in TREE]
    assert len(set(codes)) == len(codes)
    assert [code for code in codes if not re.fullmatch(r"[a-z]+(_[a-z]+)*", code)] == []


def test_every_class_says_when_it_happens():
    for _, kind in TREE:
        assert kind.__dict__.get("__doc__"), kind.__name__


@pytest.mark.parametrize(("name", "text"), GENERATOR.pages().items(), ids=GENERATOR.pages())
def test_the_reference_page_is_what_the_code_says(name: str, text: str):
    """On failure run: python docs/generate_reference.py"""
    assert (ROOT / "docs" / name).read_text(encoding="utf-8") == text
