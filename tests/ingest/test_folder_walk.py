from __future__ import annotations

import os
import socket
import subprocess
import unicodedata
from collections.abc import Mapping
from pathlib import Path

import pytest

from rag.errors import InvalidArgumentError, PathNotFoundError
from rag.ingest.folder_walk import walk_folder
from rag.ingest.readers import ReaderRegistry
from rag.ingest.readers.plain_text_reader import PlainTextReader
from rag.ingest.records import FoundFile, SkippedFile, SkipReason


def walked(root: Path, **options: object) -> tuple[list[str], dict[str, SkipReason]]:
    """Return the uris found, in order, and the reason for each one skipped."""
    settings = {"max_file_bytes": 1_000, **options}
    items = list(walk_folder(root, **settings))  # type: ignore[arg-type]  # options vary by test
    uris = [item.uri for item in items]
    assert uris == sorted(uris)
    return (
        [item.uri for item in items if isinstance(item, FoundFile)],
        {item.uri: item.reason for item in items if isinstance(item, SkippedFile)},
    )


def plant(root: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


def test_files_come_in_order_of_uri_across_folders(tmp_path: Path) -> None:
    plant(tmp_path, dict.fromkeys(["b.md", "a/z.md", "a.md", "a-b/x.md", "a/b/c.md"], "x"))
    found, skipped = walked(tmp_path)
    assert found == ["a-b/x.md", "a.md", "a/b/c.md", "a/z.md", "b.md"]
    assert skipped == {}


def test_a_found_file_has_what_opens_it(tmp_path: Path) -> None:
    plant(tmp_path, {"sub/a.md": "héllo"})
    (found,) = walk_folder(tmp_path, max_file_bytes=10)
    assert isinstance(found, FoundFile)
    assert found.path.read_text() == "héllo"
    assert found.size == 6
    assert found.modified_ns == (tmp_path / "sub/a.md").stat().st_mtime_ns


@pytest.mark.scenario("ingestion", "Ignored folder")
def test_ignored_files_and_folders_are_left_out_and_named(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            ".gitignore": "build/\n*.log\n!keep.log\n",
            "build/a.md": "x",
            "a.log": "x",
            "keep.log": "x",
            "docs/b.log": "x",
            "docs/c.md": "x",
        },
    )
    found, skipped = walked(tmp_path)
    assert found == ["docs/c.md", "keep.log"]
    assert skipped == dict.fromkeys(["a.log", "build/", "docs/b.log"], SkipReason.IGNORED)


@pytest.mark.scenario("ingestion", "The nearest ignore file decides")
def test_a_nested_ignore_file_overrules_the_one_above(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            ".gitignore": "*.txt\n",
            "sub/.gitignore": "!*.txt\nsecret.txt\n/top.md\n",
            "a.txt": "x",
            "sub/a.txt": "x",
            "sub/secret.txt": "x",
            "sub/top.md": "x",
            "sub/deep/top.md": "x",
        },
    )
    found, _ = walked(tmp_path)
    assert found == ["sub/a.txt", "sub/deep/top.md"]


def test_ragignore_has_the_last_word_over_gitignore(tmp_path: Path) -> None:
    plant(
        tmp_path,
        {
            ".gitignore": "notes/\n",
            ".ragignore": "!notes/\nold.md\n",
            "notes/a.md": "x",
            "old.md": "x",
        },
    )
    assert walked(tmp_path)[0] == ["notes/a.md"]


def test_exclude_stands_above_both(tmp_path: Path) -> None:
    plant(tmp_path, {".ragignore": "!drafts/\n", "drafts/a.md": "x", "b.md": "x"})
    assert walked(tmp_path, exclude=["drafts/"])[0] == ["b.md"]


def test_a_faulty_exclude_is_refused_and_a_faulty_ignore_line_passed_over(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "!\n\\\nb.md\n", "a.md": "x", "b.md": "x"})
    assert walked(tmp_path)[0] == ["a.md"]
    with pytest.raises(InvalidArgumentError, match="exclude pattern"):
        walk_folder(tmp_path, max_file_bytes=10, exclude=["!"])


def test_what_is_never_knowledge_is_left_out_without_a_word(tmp_path: Path) -> None:
    plant(
        tmp_path,
        dict.fromkeys(
            [
                ".git/config.md", "node_modules/x/a.md", "__pycache__/a.py", ".venv/a.py",
                ".rag/a.json", "kb.db/a.json", "package-lock.json", "app.min.js", "a.md~",
                ".#a.md", "#a.md#", "._a.md", ".DS_Store", ".gitignore", "sub/.ragignore",
            ],
            "",
        ),
    )  # fmt: skip
    assert walked(tmp_path) == ([], {})


def test_an_ignore_file_may_take_a_built_in_exclusion_back(tmp_path: Path) -> None:
    plant(tmp_path, {".ragignore": "!package-lock.json\n", "package-lock.json": "{}"})
    assert walked(tmp_path)[0] == ["package-lock.json"]


@pytest.mark.parametrize(
    "patterns",
    [
        "*.md\n!a.md\n", "/a.md\n", "sub\n", "sub/\n", "sub/*\n!sub/b.md\n", "**/b.md\n",
        "sub/**/c.md\n", "/*\n!/sub/\n", "# comment\n\\#x.md\n", "a.m[a-d]\n", "?.md\n",
        "sub/deep\n!sub/deep/c.md\n", "  a.md\n", "a.md  \n", "b.md\n!sub/\n", "!a.md\n",
        "*\n!*/\n!c.md\n", "*\n!*/\n!*.md\n", "sub/**\n!sub/deep/\n", "sub/**\n!sub/b.md\n",
        "deep/\n!deep\n", "a.md/\n", "**\n!a.md\n", "sub/d*p/\n", "*/deep\n", "**/sub/**\n", "/\n",
        "/sub/*\n!/sub/deep\n", "c.md\n!/other/c.md\n", "[!a].md\n", "deep/**\n", "/**/c.md\n",
    ],
)  # fmt: skip
def test_the_patterns_mean_what_they_mean_to_git(tmp_path: Path, patterns: str) -> None:
    names = ["a.md", "b.md", "#x.md", "sub/a.md", "sub/b.md", "sub/deep/c.md", "other/c.md"]
    plant(tmp_path, {**dict.fromkeys(names, "x"), ".gitignore": patterns})
    git = ["git", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    listed = subprocess.run(
        [*git, "ls-files", "-zo", "--exclude-per-directory=.gitignore"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    expected = sorted(name for name in listed.split("\0") if name and name != ".gitignore")
    assert walked(tmp_path)[0] == expected


@pytest.mark.scenario("ingestion", "Unsupported and over-large files")
def test_unsupported_and_too_large_files_are_named_with_their_reason(tmp_path: Path) -> None:
    plant(tmp_path, {"a.png": "x", "b.md": "x" * 1_001, "c.md": "x" * 1_000, "noext": "x"})
    assert walked(tmp_path) == (
        ["c.md"],
        {
            "a.png": SkipReason.UNSUPPORTED,
            "b.md": SkipReason.TOO_LARGE,
            "noext": SkipReason.UNSUPPORTED,
        },
    )


def test_readers_of_ones_own_widen_what_is_found(tmp_path: Path) -> None:
    class LogReader(PlainTextReader):
        suffixes = frozenset({".trace"})

    plant(tmp_path, {"a.trace": "x"})
    assert walked(tmp_path)[0] == []
    assert walked(tmp_path, readers=ReaderRegistry([LogReader()]))[0] == ["a.trace"]


def test_a_single_file_is_taken_whatever_the_patterns_say(tmp_path: Path) -> None:
    plant(tmp_path, {".gitignore": "*\n", "a.md": "x", "b.bin": "x", "big.md": "x" * 2_000})
    assert walked(tmp_path / "a.md") == (["a.md"], {})
    assert walked(tmp_path / "b.bin") == ([], {"b.bin": SkipReason.UNSUPPORTED})
    assert walked(tmp_path / "big.md") == ([], {"big.md": SkipReason.TOO_LARGE})


@pytest.mark.scenario("ingestion", "Missing path")
def test_a_missing_root_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(PathNotFoundError) as caught:
        walk_folder(tmp_path / "nothing", max_file_bytes=10)
    assert caught.value.given == str(tmp_path / "nothing")
    assert caught.value.hint


def test_links_are_named_and_left_alone_unless_asked_for(tmp_path: Path) -> None:
    plant(tmp_path, {"real/a.md": "x"})
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "link.md").symlink_to(tmp_path / "real/a.md")
    assert walked(tmp_path) == (
        ["real/a.md"],
        {"link": SkipReason.IGNORED, "link.md": SkipReason.IGNORED},
    )
    found, skipped = walked(tmp_path, follow_symlinks=True)
    assert found == ["link.md", "link/a.md"]
    assert skipped == {"real/": SkipReason.IGNORED}  # each folder once


def test_links_in_a_circle_and_into_nothing_end_the_walk_well(tmp_path: Path) -> None:
    plant(tmp_path, {"a/b/c.md": "x"})
    (tmp_path / "a/b/up").symlink_to(tmp_path)
    (tmp_path / "a/self.md").symlink_to(tmp_path / "a/self.md")
    (tmp_path / "gone.md").symlink_to(tmp_path / "nothing.md")
    found, skipped = walked(tmp_path, follow_symlinks=True)
    assert found == ["a/b/c.md"]
    assert skipped == {
        "a/b/up/": SkipReason.IGNORED,
        "a/self.md": SkipReason.UNREADABLE,
        "gone.md": SkipReason.UNREADABLE,
    }


def test_pipes_and_sockets_are_never_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    os.mkfifo(tmp_path / ".gitignore")
    monkeypatch.chdir(tmp_path)  # a socket's path is limited to about 100 characters
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind("sock.md")
        assert walked(tmp_path) == (
            [],
            {"pipe.md": SkipReason.UNSUPPORTED, "sock.md": SkipReason.UNSUPPORTED},
        )


def test_a_folder_deleted_during_the_walk_is_gone_and_no_fault(tmp_path: Path) -> None:
    plant(tmp_path, {"a.md": "x", "b/c.md": "x", "d.md": "x"})
    walk = walk_folder(tmp_path, max_file_bytes=10)
    assert next(walk).uri == "a.md"
    (tmp_path / "b/c.md").unlink()
    (tmp_path / "b").rmdir()
    assert [item.uri for item in walk] == ["d.md"]


def test_a_folder_that_cannot_be_listed_is_reported_and_does_not_stop_the_walk(
    tmp_path: Path,
) -> None:
    plant(tmp_path, {"a.md": "x", "b/c.md": "x", "d.md": "x"})
    walk = walk_folder(tmp_path, max_file_bytes=10)
    assert next(walk).uri == "a.md"
    (tmp_path / "b/c.md").unlink()
    (tmp_path / "b").rmdir()
    (tmp_path / "b").write_text("a file where a folder was")  # listing it now fails, root or not
    problem, last = walk
    assert isinstance(problem, SkippedFile)
    assert (problem.uri, problem.reason) == ("b/", SkipReason.UNREADABLE)
    assert last.uri == "d.md"


@pytest.mark.scenario("ingestion", "Unusual file names")
def test_odd_names_are_kept_and_names_are_composed(tmp_path: Path) -> None:
    names = ["a#b.md", 'quo"te.md', "per%cent.md", "spa ce.md", "$(x).md", "ü.md"]
    for name in names:
        (tmp_path / unicodedata.normalize("NFD", name)).write_text("x")
    found, _ = walked(tmp_path)
    assert found == sorted(names)


def test_two_names_that_differ_in_unicode_form_alone_do_not_become_one_document(
    tmp_path: Path,
) -> None:
    for form in ("NFC", "NFD"):
        (tmp_path / unicodedata.normalize(form, "ü.md")).write_text(form)
    items = list(walk_folder(tmp_path, max_file_bytes=10))
    assert [type(item) for item in items] == [FoundFile, SkippedFile]
    assert {item.uri for item in items} == {"ü.md"}


def test_a_name_that_is_not_utf_8_is_skipped_with_its_bytes_shown(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"caf\xe9.md")).write_text("x")
    assert walked(tmp_path) == ([], {"caf\\xe9.md": SkipReason.UNREADABLE})


def test_folders_nested_deeper_than_python_calls_are_walked(tmp_path: Path) -> None:
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(1_200):
        os.mkdir("d", dir_fd=here)
        inner = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    try:
        assert walked(tmp_path) == ([], {})
    finally:  # pytest's own tidying recurses and would fail
        subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)
