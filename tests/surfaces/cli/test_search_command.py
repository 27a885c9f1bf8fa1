"""Searching from a shell: for a person, for a program, page by page, within a budget, in bulk."""

from __future__ import annotations

import json

import pytest

from tests.surfaces.cli.command_line import CommandLine

QUESTION = "how long are backups kept"


@pytest.mark.scenario("cli", "A search as JSON")
def test_a_search_is_one_json_object(shelf: CommandLine):
    found = shelf("search", QUESTION, "-k", 3, "--json").json
    assert found["schema_version"] == "search_response.v1"
    assert [hit["rank"] for hit in found["hits"]] == [1, 2, 3]
    assert found["hits"][0]["citation"]["ref"].startswith("backups.md#L")


def test_every_filter_narrows_the_search_as_its_json_name_does(shelf: CommandLine):
    whole = shelf("search", "backups", "-k", 50, "--json").json["hits"]
    first = whole[0]
    same = [
        ("--tags", "handbook"),
        ("--media", "md"),
        ("--lang", first["language"]),
        ("--source", "default"),
        ("--source-type", "document"),
        ("--trust-min", "secondary"),
        ("--tenant", ""),
        ("--path-prefix", "backups"),
        ("--path-glob", "*.md"),
        ("--doc-id", first["doc_id"]),
        ("--indexed-after", "2020-01-01T00:00:00+09:00"),
    ]
    for name, value in same:
        hits = shelf("search", "backups", "-k", 50, name, value, "--json").json["hits"]
        assert first["chunk_id"] in {hit["chunk_id"] for hit in hits}, name
    other = [
        ("--tag", "nowhere"),
        ("--media", "pdf"),
        ("--lang", "fi"),
        ("--source", "other"),
        ("--source-type", "paper"),
        ("--tenant", "acme"),
        ("--path-prefix", "nope/"),
        ("--path-glob", "*.pdf"),
        ("--doc-id", "0" * 32),
        ("--indexed-after", "2999-01-01T00:00:00Z"),
    ]
    for name, value in other:
        assert shelf("search", "backups", name, value, "--json").json["hits"] == [], name


def test_a_star_stays_within_a_folder_and_two_cross(shelf: CommandLine):
    def paths(glob: str) -> set[str]:
        hits = shelf("search", "backups", "-k", 50, "--path-glob", glob, "--json").json["hits"]
        return {hit["doc_path"] for hit in hits}

    assert not any("/" in path for path in paths("*.md"))
    assert any("/" in path for path in paths("**.md"))


@pytest.mark.scenario("cli", "A longer snippet than usual")
def test_snippets_get_shorter_and_longer(shelf: CommandLine):
    def longest(chars: int) -> int:
        hits = shelf("search", QUESTION, "--snippet-chars", chars, "--json").json["hits"]
        return max(len(hit["snippet"]["text"]) for hit in hits)

    assert longest(40) <= 40
    assert 240 < longest(2000) <= 2000


@pytest.mark.scenario("cli", "Pages by cursor")
def test_pages_continue_each_other_and_end(shelf: CommandLine):
    whole = shelf("search", "backups", "-k", 50, "--json").json["hits"]
    paged: list[dict[str, object]] = []
    cursor: list[str] = []
    while True:
        page = shelf("search", "backups", "-k", 4, *cursor, "--json").json
        paged += page["hits"]
        if page["next_cursor"] is None:
            break
        cursor = ["--cursor", page["next_cursor"]]
    assert [hit["chunk_id"] for hit in paged] == [hit["chunk_id"] for hit in whole]
    assert [hit["rank"] for hit in paged] == list(range(1, len(whole) + 1))


@pytest.mark.parametrize(
    "changed", [("search", "other words"), ("search", "backups", "--lang", "en")]
)
def test_a_cursor_is_bound_to_its_search(shelf: CommandLine, changed: tuple[str, ...]):
    cursor = shelf("search", "backups", "-k", 2, "--json").json["next_cursor"]
    error = shelf(*changed, "--cursor", cursor, "--json").error
    assert error["code"] == "invalid_cursor"


@pytest.mark.scenario("cli", "The fusion sum")
@pytest.mark.parametrize("question", [QUESTION, "?!"])
def test_a_trace_lets_the_score_be_checked_by_hand(shelf: CommandLine, question: str):
    """A channel that was not asked, as words are not for a query without any, has no weight."""
    found = shelf("search", question, "--trace", "--json").json
    trace, hit = found["trace"], found["hits"][0]
    ranks = {
        name: {entry["chunk_id"]: entry["rank"] for entry in trace[name]}
        for name in ("lexical", "vector")
    }
    k, weights = trace["fusion"]["k"], trace["fusion"]["weights"]
    total = sum(
        weight / (k + ranks[name][hit["chunk_id"]])
        for name, weight in weights.items()
        if hit["chunk_id"] in ranks[name]
    )
    best = sum(weight / (k + 1) for weight in weights.values())
    assert trace["fusion"]["kind"] == "rrf"
    assert hit["score"] == pytest.approx(total / best, abs=1e-12)
    assert f"= {hit['score']:.4f}" in shelf("search", question, "--explain").out


@pytest.mark.scenario("cli", "The policy behind a fused score")
def test_a_trace_names_the_policy_that_fused_and_its_own_parameters(
    shelf: CommandLine, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("RAG_SEARCH__FUSION", "minmax")
    monkeypatch.setenv("RAG_SEARCH__LEXICAL_WEIGHT", "0.6")
    monkeypatch.setenv("RAG_SEARCH__VECTOR_WEIGHT", "0.4")
    found = shelf("search", QUESTION, "--trace", "--json").json
    weights = {"lexical": 0.6, "vector": 0.4}
    assert found["trace"]["fusion"] == {"kind": "minmax", "k": None, "weights": weights}
    stretched = {}
    for name in weights:
        scores = {entry["chunk_id"]: entry["score"] for entry in found["trace"][name]}
        least, best = min(scores.values()), max(scores.values())
        stretched[name] = {one: (score - least) / (best - least) for one, score in scores.items()}
    hit = found["hits"][0]
    score = sum(weights[name] * stretched[name].get(hit["chunk_id"], 0.0) for name in weights)
    assert hit["score"] == pytest.approx(score, abs=1e-6)
    assert "minmax, weights 0.6 lexical and 0.4 vector" in shelf("search", QUESTION, "--trace").out
    described = shelf("schema", "--json").json
    assert (described["fusion_kind"], described["fusion"]["lexical_weight"]) == ("minmax", 0.6)
    assert "minmax, lexical_weight 0.6, vector_weight 0.4" in shelf("schema").out


def test_a_trace_of_one_channel_names_no_fusion(shelf: CommandLine):
    for mode in ("lexical", "vector"):
        assert (
            shelf("search", QUESTION, "--mode", mode, "--trace", "--json").json["trace"]["fusion"]
            is None
        )


@pytest.mark.scenario("cli", "No hits")
def test_no_hits_are_no_error(shelf: CommandLine):
    ran = shelf("search", "zxqw", "--mode", "lexical")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("no hits\n")


def test_staleness_is_stamped_on_every_hit(shelf: CommandLine, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RAG_SEARCH__STALE_AFTER_DAYS", "1")
    hits = shelf("search", "backups", "--json").json["hits"]
    assert {hit["stale"] for hit in hits} == {False}


@pytest.mark.scenario("cli", "A budget that holds some of the hits")
def test_a_budget_bounds_the_hits_as_they_are_emitted(shelf: CommandLine):
    found = shelf("search", "backups", "-k", 8, "--max-tokens", 1500, "--json").json
    assert 0 < len(found["hits"]) < 8
    assert found["truncated"] is True
    assert found["budget"]["used"] <= found["budget"]["limit"] == 1500
    rest = shelf("search", "backups", "-k", 50, "--cursor", found["next_cursor"], "--json").json
    assert rest["hits"][0]["rank"] == len(found["hits"]) + 1


def test_a_wide_budget_changes_nothing(shelf: CommandLine):
    plain = shelf("search", "backups", "--json").json
    wide = shelf("search", "backups", "--max-tokens", 100_000, "--json").json
    assert wide["hits"] == plain["hits"]
    assert wide["truncated"] is False
    assert wide["budget"]["used"] > 0


@pytest.mark.scenario("cli", "A budget of nothing")
def test_a_budget_of_nothing_holds_nothing(shelf: CommandLine):
    found = shelf("search", "backups", "--max-tokens", 0, "--json").json
    assert (found["hits"], found["truncated"], found["budget"]["used"]) == ([], True, 0)
    assert "not one hit fits" in found["warnings"][0]


LINES = [
    '{"query": "backups", "k": 2, "lang": ["en"], "max_tokens": 5000, "trace": true}',
    "",
    '{"query": "keys", "tags": "handbook", "mode": null}',
    "{not json",
    '["backups"]',
    '{"k": 3}',
    '{"query": {"text": "backups"}}',
    '{"query": "backups", "k": "3"}',
    '{"query": "backups", "k": true}',
    '{"query": "backups", "colour": "red"}',
    '{"query": "backups", "tags": [1]}',
    '{"query": "   "}',
    '{"query": "backups", "k": 0}',
    '{"query": "backups", "cursor": "nonsense"}',
    '{"query": "backups", "filters": {"lang": "en"}}',
    '{"query": "a \\ud800 b"}',
]


@pytest.mark.scenario("cli", "A bulk of good and bad lines")
def test_each_line_has_its_own_answer_or_error(shelf: CommandLine):
    ran = shelf("search", "--bulk", stdin="\n".join(LINES) + "\n")
    assert ran.code == 0
    items = ran.lines
    assert len(items) == len([line for line in LINES if line])
    assert all((item["response"] is None) != (item["error"] is None) for item in items)
    assert [item["error"] and item["error"]["code"] for item in items] == [
        None,
        None,
        "invalid_argument",
        "invalid_argument",
        "invalid_argument",
        "invalid_argument",
        "invalid_argument",
        "invalid_argument",
        "invalid_argument",
        "invalid_filter",
        "empty_query",
        "invalid_argument",
        "invalid_cursor",
        "invalid_argument",
        None,
    ]
    assert items[0]["query"] == json.loads(LINES[0])
    assert items[2]["query"] == "{not json"
    assert len(items[0]["response"]["hits"]) == 2
    assert ran.err == "15 searches: 3 answered, 12 failed\n"


@pytest.mark.scenario("cli", "Too many lines")
def test_a_bulk_has_at_most_a_hundred_lines(shelf: CommandLine):
    line = '{"query": "backups", "k": 1}\n'
    assert len(shelf("search", "--bulk", stdin=line * 100).lines) == 100
    ran = shelf("search", "--bulk", stdin=line * 101)
    assert ran.code == 2
    assert ran.error["allowed"] == "0 to 100 queries"


def test_an_empty_bulk_is_no_error(shelf: CommandLine):
    ran = shelf("search", "--bulk", stdin="\n\n")
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "0 searches: 0 answered, 0 failed\n"


@pytest.mark.parametrize("beside", [("words",), ("-k", 3), ("--explain",), ("--lang", "en")])
def test_options_beside_bulk_are_refused_not_passed_over(
    shelf: CommandLine, beside: tuple[object, ...]
):
    ran = shelf("search", "--bulk", *beside, stdin='{"query": "a"}\n')
    assert ran.code == 2
    assert ran.error["code"] == "invalid_argument"


def test_bulk_answers_as_single_searches_do(shelf: CommandLine):
    single = shelf("search", QUESTION, "-k", 3, "--json").json
    (bulk,) = shelf("search", "--bulk", stdin=json.dumps({"query": QUESTION, "k": 3}) + "\n").lines
    for answer in (single, bulk["response"]):
        del answer["took_ms"]
        for channel in answer["channels"].values():
            del channel["took_ms"]
    assert bulk["response"] == single
