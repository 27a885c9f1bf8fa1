"""Documentation is run: what a page shows happens, and where it points there is something."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from tests.project.documentation_page import Block, Command, agrees, blocks_of, commands_of
from tests.project.repository import ROOT, one_a_line

PAGES = [*ROOT.glob("README.md"), *sorted((ROOT / "docs").rglob("*.md"))]
PROSE = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "devflow").rglob("*.md")),
]
COMMAND_TIMEOUT_S = 120


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _has_code(page: Path) -> bool:
    return any(block.language in {"python", "console"} for block in blocks_of(page))


@pytest.fixture
def a_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], Path]:
    """Return what puts us into a new, empty folder, where ``rag`` is a command."""
    programs = tmp_path / "bin"
    programs.mkdir()
    command = programs / "rag"
    command.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
        "from rag.surfaces.cli import main\nsys.exit(main())\n",
        encoding="utf-8",
    )
    command.chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "dumb")
    for name in [name for name in os.environ if name.startswith("RAG_")]:
        monkeypatch.delenv(name)
    numbers = itertools.count(1)

    def into_a_new_folder() -> Path:
        folder = tmp_path / f"folder-{next(numbers)}"
        folder.mkdir()  # a reader has no file that the page did not bring
        monkeypatch.chdir(folder)
        return folder

    return into_a_new_folder


@pytest.mark.parametrize("page", [page for page in PAGES if _has_code(page)], ids=_name)
def test_the_page_does_what_it_shows(
    page: Path, a_reader: Callable[[], Path], monkeypatch: pytest.MonkeyPatch
):
    """Every python block runs in one namespace, every ``$ rag`` line in one folder, in order."""
    module = ModuleType("documentation_page")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    folder = a_reader()
    for block in blocks_of(page):
        if block.skipped:
            continue
        if block.in_new_folder:
            folder = a_reader()
        if block.language == "python":
            _run_python(block, page, module)
        elif block.language == "console":
            for command in commands_of(block):
                if command.runs_here:
                    _run_command(command, page, folder)


def _run_python(block: Block, page: Path, module: ModuleType) -> None:
    source = "\n" * (block.line - 1) + block.text  # so that a traceback names the page's line
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, str(page), "exec"), module.__dict__)
    if block.output is not None:
        where = f"{_name(page)}:{block.line}: the block prints\n"
        assert agrees(block.output, printed.getvalue()), where + printed.getvalue()


def _run_command(command: Command, page: Path, folder: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", command.text],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT_S,
        check=False,
    )
    where = f"{_name(page)}:{command.line}: $ {command.text}\n"
    shows_an_error = re.match(r'error: |\{"schema_version": "error', command.shown) is not None
    assert (done.returncode != 0) == shows_an_error, f"{where}{done.stdout}{done.stderr}"
    output = done.stderr if shows_an_error else done.stdout  # progress and logs are not shown
    assert agrees(command.shown, output), f"{where}{output}"


@pytest.mark.parametrize(
    ("shown", "actual", "is_so"),
    [
        ("", "whatever\n", True),
        ("a\nb", "a\nb\n", True),
        ("a\nb", "a\nb\nc\n", False),
        ("took … ms", "took 12.5 ms\n", True),
        ("took … ms", "took 12.5\n ms\n", False),
        ("a\n…\nz", "a\nb\nc\nz\n", True),
        ("a\n…\nz", "a\nz\n", True),
        ("a\n…", "a\nb\nc\n", True),
        ("…\nz", "a\nb\n", False),
    ],
)
def test_an_ellipsis_stands_for_any_text_or_any_lines(shown: str, actual: str, is_so: bool):
    assert agrees(shown, actual) is is_so


def _links(page: Path) -> list[str]:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    links = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`\n]*`", "", text))
    return [link for link in links if not re.match(r"[a-z]+:", link)]


def _anchors(page: Path) -> set[str]:
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+?)\s*$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PROSE, ids=_name)
def test_links_lead_somewhere(page: Path):
    dead = []
    for link in _links(page):
        target, _, anchor = link.partition("#")
        path = (page.parent / target).resolve() if target else page
        if not path.exists() or (anchor and path.suffix == ".md" and anchor not in _anchors(path)):
            dead.append(link)
    assert dead == [], one_a_line(dead)


@pytest.mark.parametrize("page", PROSE, ids=_name)
def test_paths_that_prose_names_exist(page: Path):
    named = re.findall(
        r"`((?:rag|docs|tests|openspec|devflow|benchmarks|examples|\.ci)/[\w./-]*)`",
        page.read_text("utf-8"),
    )
    missing = [path for path in named if not (ROOT / path).exists()]
    assert missing == [], one_a_line(missing)


def test_the_table_of_contents_lists_every_page():
    index = ROOT / "docs" / "index.md"
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"index.md"}
    assert pages == {link for link in _links(index) if link.endswith(".md") and "/" not in link}


def test_every_decision_is_a_short_page_of_four_parts():
    for page in sorted((ROOT / "devflow" / "decisions").glob("*.md")):
        text = page.read_text("utf-8")
        assert re.fullmatch(r"\d{4}-[a-z0-9-]+\.md", page.name), page.name
        assert re.findall(r"^## (.+)$", text, re.MULTILINE) == [
            "Context",
            "Choice",
            "Rejected",
            "Consequences",
        ], page.name
        assert len(text.splitlines()) <= 60, page.name
