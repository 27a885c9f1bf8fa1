"""A whole evaluation and calibration over a small base, as the command line runs them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import rag
from rag.samples import handbook_path
from rag.surfaces.cli.app import run as run_command
from tests.evaluation.observed import write_beir
from tests.surfaces.cli.command_line import checked

ANIMALS = (
    "otter", "heron", "lynx", "gecko", "bison", "raven", "tapir", "koala", "moose", "quail",
    "viper", "zebra", "panda", "sloth", "hyena", "camel", "eland", "finch", "goose", "horse",
    "ibex", "jackal", "kiwi", "lemur", "mole", "newt", "okapi", "puma", "rhino", "shrew",
)  # fmt: skip
HABITS = ("hunts at dusk near", "builds its nest below", "sleeps all winter under")
PLACES = ("a river", "tall pines", "warm stones", "old barns", "salt cliffs")


def topics() -> dict[str, str]:
    """Sixty documents, each about one habit of one animal."""
    found = {}
    for at, animal in enumerate(ANIMALS):
        for turn in range(2):
            habit, place = HABITS[(at + turn) % 3], PLACES[(at * 2 + turn) % 5]
            found[f"{animal}{turn}"] = (
                f"{animal} {habit} {place}. It is watched by wardens in season {at + turn}."
            )
    return found


@pytest.fixture(autouse=True)
def quiet_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_EMBEDDING__EMBEDDER", "hashing")
    monkeypatch.setenv("RAG_EMBEDDING__CACHE", "false")
    monkeypatch.chdir(tmp_path)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    code = run_command(list(words))
    said = capsys.readouterr()
    return code, said.out, said.err


def ingested(folder: Path) -> Path:
    """A base at .rag over the animals, and a golden file over it."""
    files = folder / "animals"
    files.mkdir()
    lines = []
    for name, text in topics().items():
        (files / f"{name}.md").write_text(f"# {name}\n\n{text}\n", "utf-8")
        question = " ".join(text.split(".")[0].split())
        lines.append(json.dumps({"question": question, "relevant": [f"{name}.md"]}))
    with rag.open() as base:
        base.ingest(files)
    golden = folder / "golden.jsonl"
    golden.write_text("\n".join(lines), "utf-8")
    return golden


@pytest.mark.scenario("evaluation", "A question that is markup")
def test_a_beir_folder_is_evaluated_into_table_json_and_a_page_that_stands_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    shelf = {**topics(), "evil": "<script>alert(1)</script> <b>bold</b> text here"}
    folder = write_beir(tmp_path / "animals", shelf, unanswerable=("who feeds the dragon?",))
    code, out, err = run(
        capsys, "eval", str(folder), "--out", "a.json", "--html", "a.html", "--budget", "60,400"
    )
    assert code == 0, err
    assert "nDCG@10" in out
    assert "hybrid" in out
    report = checked(Path("a.json").read_text("utf-8"))
    assert report["schema_version"] == "eval_report.v1"
    assert report["questions"] == {"answerable": 61, "cross": 40, "removed": 61, "given": 1}
    assert report["retrieval"]["lexical"]["nDCG@10"]["mean"] > 0.9
    assert report["profile"] is None  # none is for the hashing embedder
    assert report["verdicts"]["answerable"]["levels"]["medium"] > 0
    first, second = report["budgets"]
    assert first["retained"]["mean"] <= second["retained"]["mean"]
    assert first["tokens"] <= 60
    page = Path("a.html").read_text("utf-8")
    assert "<script" not in page
    assert "&lt;script&gt;alert" in page
    assert "http" not in page.replace("http-equiv", "")
    assert page.count("<svg") >= 2


def test_a_page_shows_trust_where_a_profile_holds(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    golden = ingested(tmp_path)
    assert run(capsys, "calibrate", "--golden", str(golden))[0] == 0
    code, out, err = run(
        capsys, "eval", str(golden), "--html", "deep/a.html", "--json", "--out", "a.json"
    )
    assert code == 0, err
    report = checked(out)
    assert report == json.loads(Path("a.json").read_text("utf-8"))
    assert set(report["answerability"]) == {"removed", "cross"}
    assert report["answerability"]["cross"]["separation"]["auroc"] > 0.9
    assert report["fusions"] is not None
    assert "Reliability" in Path("deep/a.html").read_text("utf-8")
    assert run(capsys, "eval", "compare", "a.json", "a.json")[0] == 0
    code, out, _ = run(capsys, "eval", "compare", "a.json", "a.json", "--json")
    compared = checked(out)
    assert (code, compared["schema_version"]) == (0, "eval_comparison.v1")
    assert compared["regression"] is False
    assert {one["verdict"] for one in compared["differences"]} == {"same"}


@pytest.mark.scenario("calibration", "A base's own profile")
@pytest.mark.scenario("calibration", "The bins of a base's own profile")
def test_calibrating_makes_a_base_s_levels_calibrated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    golden = ingested(tmp_path)
    code, out, err = run(capsys, "calibrate", "--golden", str(golden), "--json")
    assert code == 0, err
    said = checked(out)
    assert said["schema_version"] == "calibration.v1"
    assert Path(said["written"]) == Path(".rag/answerability.json")
    assert said["models"]["words+vectors"]["separations"]["all"]["brier_skill"] > 0
    measured = json.loads(Path(".rag/answerability.json").read_text("utf-8"))["measured"]
    separations = said["models"]["words+vectors"]["separations"]
    assert measured["cross_auroc"] == separations["cross"]["auroc"]
    assert set(measured["reliability"]) == {"cross", "removed"}
    for bins in measured["reliability"].values():
        assert sum(weight for _, _, weight in bins) == pytest.approx(1, abs=1e-3)
    with rag.open() as base:
        found = base.lookup("otter hunts at dusk near a river")
        lost = base.lookup("who composed the four seasons")
    assert found.level_basis == "calibrated"
    assert found.answerability is not None
    assert found.answerability["profile"].startswith("golden-")
    assert found.relevance_level in ("medium", "high")
    assert (lost.relevance_level in ("none", "low"), lost.retry.should_retry) == (True, False)
    code, out, _ = run(capsys, "calibrate", "--golden", str(golden))
    assert code == 0
    assert "Fusion" in out


@pytest.mark.scenario("calibration", "Too few questions")
def test_too_few_questions_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    golden = ingested(tmp_path)
    few = "\n".join(golden.read_text("utf-8").splitlines()[:12])
    golden.write_text(few, "utf-8")
    code, _, err = run(capsys, "calibrate", "--golden", str(golden))
    assert code == 2 or code == 1
    assert "12 questions" in err
    assert "at least 60" in err
    assert not Path(".rag/answerability.json").exists()


@pytest.mark.scenario("calibration", "Labels without meaning")
def test_labels_without_meaning_give_no_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    ingested(tmp_path)
    names = [f"{name}.md" for name in topics()]
    # every question has the same words, so nothing tells the answered from the others
    lines = [{"question": "wardens in season", "relevant": [name]} for name in names[:40]] + [
        {"question": "wardens in season", "answerable": False}
    ] * 40
    Path("mad.jsonl").write_text("\n".join(json.dumps(one) for one in lines), "utf-8")
    Path("same.jsonl").write_text(json.dumps({"question": "wardens in season", "relevant": ["a"]}))
    code, _, err = run(capsys, "calibrate", "--golden", "mad.jsonl", "--cross", "same.jsonl")
    assert code in (1, 2)
    assert "Brier skill" in err
    assert not Path(".rag/answerability.json").exists()


def test_documents_that_are_not_there_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    golden = ingested(tmp_path)
    golden.write_text(golden.read_text("utf-8").replace("otter0.md", "gone.md"), "utf-8")
    code, _, err = run(capsys, "calibrate", "--golden", str(golden))
    assert code in (1, 2)
    assert "gone.md" in err


@pytest.mark.scenario("evaluation", "Five drafts")
def test_drafts_are_a_golden_file_with_documents_in_turn(
    capsys: pytest.CaptureFixture[str],
):
    with rag.open() as base:
        base.ingest(handbook_path())
    code, out, err = run(capsys, "calibrate", "--suggest", "5", "--out", "drafts.jsonl")
    assert (code, out) == (0, ""), err
    drafts = [json.loads(line) for line in Path("drafts.jsonl").read_text("utf-8").splitlines()]
    assert len(drafts) == 5
    assert len({one["relevant"][0].partition("#")[0] for one in drafts}) == 5
    assert run(capsys, "eval", "drafts.jsonl")[0] == 0
    said = run(capsys, "calibrate", "--suggest", "60")[2]
    assert "the base has headings for 18 questions only; write the rest yourself\n" in said
    assert "only" not in err
    assert run(capsys, "calibrate", "--suggest", "5", "--out", "drafts.jsonl")[0] != 0
    assert run(capsys, "calibrate", "--suggest", "0")[0] != 0
    assert run(capsys, "calibrate")[0] != 0


@pytest.mark.parametrize(
    "words",
    [
        ("eval", "nowhere.jsonl"),
        ("eval", "."),
        ("eval", "compare", "a.json"),
        ("eval", "compare", "no.json", "no.json"),
        ("eval", "x.jsonl", "y.json"),
        ("eval", "x.jsonl", "--budget", "many"),
        ("eval", "x.jsonl", "--budget", "0"),
        ("eval", "x.jsonl", "--most", "0"),
        ("eval", "compare", "a", "b", "--tolerance", "2"),
    ],
)
def test_what_cannot_be_evaluated_is_a_typed_error(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
):
    code, out, err = run(capsys, *words, "--json")
    assert code in (1, 2)
    assert out == ""
    assert json.loads(err.splitlines()[-1])["schema_version"] == "error.v1"
