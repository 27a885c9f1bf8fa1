"""Published schemas follow the models, are closed, and hold what the program emits."""

from __future__ import annotations

import json
import runpy
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

import rag
from rag.errors import InvalidArgumentError
from rag.wire import WIRE_TYPES, json_schema, to_json, to_wire
from rag.wire.error_object import error_object
from tests.wire.sample_hits import hit

ROOT = Path(__file__).resolve().parents[2]
PUBLISHED = ROOT / "docs" / "wire-schema" / "v1"


@pytest.mark.parametrize("name", WIRE_TYPES)
def test_the_published_schema_is_the_one_of_the_model(name: str):
    path = PUBLISHED / f"{name.removesuffix('.v1')}.schema.json"
    assert json.loads(path.read_text("utf-8")) == json_schema(name)


def test_nothing_else_is_published():
    there = {path.name for path in PUBLISHED.iterdir()}
    assert there == {f"{name.removesuffix('.v1')}.schema.json" for name in WIRE_TYPES}


def test_the_page_of_wire_objects_is_up_to_date():
    generator = runpy.run_path(str(ROOT / "docs" / "generate_reference.py"))
    page = ROOT / "docs" / "wire-schema.md"
    assert page.read_text("utf-8") == generator["wire_page"]()


@pytest.mark.parametrize("name", WIRE_TYPES)
def test_a_schema_is_closed_and_every_field_is_always_there(name: str):
    schema = json_schema(name)
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == name
    assert schema["description"]
    assert schema["properties"]["schema_version"]["const"] == name
    for part in (schema, *schema.get("$defs", {}).values()):
        if "properties" in part:
            assert part["additionalProperties"] is False
            assert set(part["required"]) == set(part["properties"])


@pytest.mark.parametrize("name", WIRE_TYPES)
def test_an_object_names_itself_first(name: str):
    first = fields(WIRE_TYPES[name])[0]
    assert (first.name, first.default) == ("schema_version", name)


@pytest.fixture(scope="module")
def emitted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """One object of each kind that Python methods return."""
    folder = tmp_path_factory.mktemp("emitted")
    settings = rag.load_settings(
        store={"uri": str(folder / "base")}, embedding={"embedder": "hashing", "cache": False}
    )
    with rag.open(settings) as base:
        made = [
            base.ingest_text("# Tea\n\nGreen tea steeps two minutes.\n", name="tea.md"),
            found := base.search("tea", trace=True, max_tokens=5_000),
            found.hits[0],
            base.lookup("tea"),
            base.lookup_many(["tea", " "]),
            *base.search_many(["tea", {"query": "tea", "k": 0}]),
            base.list_documents(),
            base.fetch_document("tea.md"),
            base.inspect_document("tea.md"),
            base.inspect_chunk(found.hits[0].chunk_id),
            base.describe(),
            base.delete("tea.md"),
            error_object(InvalidArgumentError("no", given="\ud800", details={"a": [1]})),
        ]
    return {record.schema_version: to_wire(record) for record in made}


# Objects that commands alone make; `checked` holds each against its schema in these tests.
OF_COMMANDS = {
    "calibration.v1": "tests/evaluation/test_evaluate_and_calibrate.py",
    "copy_report.v1": "tests/surfaces/cli/test_look_after.py",
    "doctor.v1": "tests/surfaces/cli/test_look_after.py",
    "eval_comparison.v1": "tests/evaluation/test_evaluate_and_calibrate.py",
    "eval_report.v1": "tests/evaluation/test_evaluate_and_calibrate.py",
    "init_report.v1": "tests/surfaces/cli/test_look_after.py",
    "quickstart_report.v1": "tests/surfaces/cli/test_look_after.py",
}


def test_every_published_object_is_emitted_and_held_against_its_schema(
    emitted: dict[str, dict[str, Any]],
):
    assert set(emitted) | set(OF_COMMANDS) == set(WIRE_TYPES)
    assert not set(emitted) & set(OF_COMMANDS)
    assert all((ROOT / path).is_file() for path in OF_COMMANDS.values())


@pytest.mark.scenario("cli", "A field too many or too few")
def test_a_field_too_many_or_too_few_is_not_valid(emitted: dict[str, dict[str, Any]]):
    assert len(emitted) >= 12
    for name, value in emitted.items():
        validator = Draft202012Validator(json_schema(name))
        validator.validate(value)
        with pytest.raises(ValidationError, match="Additional properties"):
            validator.validate({**value, "surprise": 1})
        for field in value:
            with pytest.raises(ValidationError, match="required"):
                validator.validate({k: v for k, v in value.items() if k != field})


def test_an_unknown_name_is_refused_with_those_that_exist():
    with pytest.raises(InvalidArgumentError, match=r"search_response\.v1"):
        json_schema("nonsense.v1")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_number_that_is_not_finite_is_null(number: float, emitted: dict[str, dict[str, Any]]):
    """A NaN token would make the whole document unreadable for most JSON parsers."""
    text = to_json(replace(hit(1, "text"), score=number))
    assert "NaN" not in text
    assert "Infinity" not in text
    assert json.loads(text)["score"] is None
    Draft202012Validator(json_schema("search_hit.v1")).validate(json.loads(text))
