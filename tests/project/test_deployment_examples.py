"""What the operations page gives away to be deployed holds together, as far as can be told here."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import tomllib
from collections.abc import Callable
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from rag.settings import Settings, load_settings
from rag.surfaces.cli.app import run
from rag.surfaces.http_api.metrics import ServiceMetrics
from tests.project.documentation_page import blocks_of
from tests.project.repository import ROOT, one_a_line, project_metadata

DOCS = ROOT / "docs"
OPERATIONS = DOCS / "operations.md"
MILVUS = ROOT / "examples" / "milvus"
SERVICE = ROOT / "examples" / "service"
COMPOSE: dict[str, Any] = yaml.safe_load((MILVUS / "compose.yaml").read_text("utf-8"))
VALUES: dict[str, Any] = yaml.safe_load((MILVUS / "values.yaml").read_text("utf-8"))
DOCKERFILE = (SERVICE / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
ONE_SHOT = "milvus-folder"  # it ends before Milvus starts
SECTIONS = {
    name: set(field.annotation.model_fields)
    for name, field in Settings.model_fields.items()
    if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
}
PAGES = sorted(DOCS.glob("*.md"))
PARSERS: dict[str, Callable[[str], Any]] = {
    "yaml": lambda text: list(yaml.safe_load_all(text)),
    "toml": tomllib.loads,
    "json": json.loads,
}


@pytest.mark.parametrize("name", COMPOSE["services"])
def test_a_service_of_the_compose_file_is_pinned_and_watched(name: str):
    service = COMPOSE["services"][name]
    assert re.search(r":(?:v\d+\.\d+\.\d+|RELEASE\.\d{4}-\d\d-\d\dT[\d-]+Z)$", service["image"])
    assert ("healthcheck" in service) is (name != ONE_SHOT)
    assert {volume.split(":")[0] for volume in service["volumes"]} <= set(COMPOSE["volumes"])


def test_the_compose_file_lets_nobody_in_from_outside_and_has_no_secret_of_its_own():
    services = COMPOSE["services"]
    ports = [port for service in services.values() for port in service.get("ports", [])]
    assert ports == ["127.0.0.1:19530:19530", "127.0.0.1:9091:9091"]
    for service in services.values():
        for name, value in service.get("environment", {}).items():
            if re.search("PASSWORD|SECRET", name):
                assert re.fullmatch(r"\$\{[A-Z_]+:\?.+\}", value), name


def test_milvus_starts_after_what_it_needs():
    services = COMPOSE["services"]
    assert services["milvus"]["depends_on"] == {
        "etcd": {"condition": "service_healthy"},
        "minio": {"condition": "service_healthy"},
        ONE_SHOT: {"condition": "service_completed_successfully"},
    }


def test_both_ways_to_run_milvus_run_the_same_release_of_the_series_of_its_client():
    images = {COMPOSE["services"][name]["image"] for name in ("milvus", ONE_SHOT)}
    tag = VALUES["image"]["all"]["tag"]
    assert images == {f"milvusdb/milvus:{tag}"}
    (client,) = [one for one in project_metadata()["dependencies"] if one.startswith("pymilvus")]
    assert client == f"pymilvus>={tag[1:4]},<{int(tag[1]) + 1}"


def test_the_values_turn_authentication_on():
    user = yaml.safe_load(VALUES["extraConfigFiles"]["user.yaml"])
    assert user == {"common": {"security": {"authorizationEnabled": True}}}


def _options_of(command: str, capsys: pytest.CaptureFixture[str]) -> set[str]:
    run([command, "--help"])
    return set(re.findall(r"--[a-z-]+", capsys.readouterr().out))


def _unit() -> configparser.ConfigParser:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]  # names keep their case
    unit.read(SERVICE / "rag-serve.service", encoding="utf-8")
    return unit


def test_the_unit_starts_a_command_that_exists(capsys: pytest.CaptureFixture[str]):
    program, command, *rest = shlex.split(_unit()["Service"]["ExecStart"])
    assert program.endswith("/bin/rag")
    assert command == "serve"
    assert {word for word in rest if word.startswith("--")} <= _options_of(command, capsys)


def test_the_unit_waits_longer_for_the_end_than_the_service_takes():
    assert int(_unit()["Service"]["TimeoutStopSec"]) > Settings().server.shutdown_s


def test_the_settings_of_the_service_hold_and_are_where_the_unit_may_write():
    settings = load_settings(SERVICE / "rag.toml")
    state = f"/var/lib/{_unit()['Service']['StateDirectory']}/"
    assert settings.store.uri.startswith(state)
    assert settings.server.host == "127.0.0.1"


def test_the_image_is_built_from_all_that_the_package_is_built_from():
    copied = set(re.findall(r"[\w.]+", " ".join(re.findall(r"^COPY ([^-].*)$", DOCKERFILE, re.M))))
    project = project_metadata()
    assert {"pyproject.toml", "rag", project["readme"], *project["license-files"]} <= copied
    (extras,) = re.findall(r"'\.\[([\w,-]+)\]'", DOCKERFILE)
    assert set(extras.split(",")) <= set(project["optional-dependencies"])


def test_the_image_asks_its_own_service_and_does_not_run_as_root(
    capsys: pytest.CaptureFixture[str],
):
    assert re.search(r"^USER rag$", DOCKERFILE, re.M)
    port = Settings().server.port
    assert f"EXPOSE {port}\n" in DOCKERFILE
    assert f"http://127.0.0.1:{port}/readyz" in DOCKERFILE
    command, *rest = json.loads(re.findall(r"^CMD (\[.+\])$", DOCKERFILE, re.M)[-1])
    assert {word for word in rest if word.startswith("--")} <= _options_of(command, capsys)


def test_settings_that_are_named_exist():
    """In pages as ``section.name``; there, in examples and in the README as variables too."""
    wrong = []
    for page in [ROOT / "README.md", *PAGES]:
        named = re.findall(r"`([a-z]+)\.([a-z_0-9]+)(?: = [^`]*)?`", page.read_text("utf-8"))
        wrong += [
            f"{page.name}: {section}.{name}"
            for section, name in named
            if section in SECTIONS
            and name not in SECTIONS[section] | FILES
            and f"{section}.{name}" not in ATTRIBUTES
        ]
    for path in [ROOT / "README.md", *PAGES, *SERVICE.iterdir()]:
        for section, name in re.findall(r"\bRAG_([A-Z]+)__([A-Z_0-9]+)\b", path.read_text("utf-8")):
            if name.lower() not in SECTIONS.get(section.lower(), set()):
                wrong.append(f"{path.name}: RAG_{section}__{name}")
    assert wrong == [], one_a_line(wrong)


FILES = {"json", "md", "py", "toml"}  # suffixes
# fields of a result, not settings
ATTRIBUTES = {"answerability.probability", "answerability.on_topic", "answerability.basis"}


def test_metrics_that_are_named_exist():
    metrics = ServiceMetrics({"read": lambda: 0})
    held = {
        sample.name.removesuffix("_total").removesuffix("_created").removesuffix("_bucket")
        for family in metrics.registry.collect()
        for sample in [family, *family.samples]
    }
    for page in (OPERATIONS, DOCS / "http.md"):
        for name in re.findall(r"`(rag_(?!ledger)[a-z_]+)`", page.read_text("utf-8")):
            assert name.removesuffix("_total") in held, f"{page.name}: {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_blocks_of_data_are_well_formed(page: Any):
    for block in blocks_of(page):
        if block.language in PARSERS:
            PARSERS[block.language](block.text)
