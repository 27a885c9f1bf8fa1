"""Token counts: exact ones, and an estimate that is not too low."""

from __future__ import annotations

import base64
import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, pre_tokenizers

from rag.errors import ConfigError, MissingExtraError
from rag.text import EstimatingTokenCounter, TokenCounter, make_token_counter
from rag.text.token_counter import longest_prefix

ESTIMATE = EstimatingTokenCounter()
EXACT = [make_token_counter("o200k"), make_token_counter("cl100k")]
PARTS = st.sampled_from(
    ["a", "Word", " word", "XML", "x", "'s", "'ll", "'", " ", "\n", "\r", "\r\n", "\t", "\xa0",
     "\x07", "123", "1", "²", "½", "éa", "_", "(", "))", "…", "中文", "한국어", "뷁",
     "ไทย", "😀", "\u200d", "\ufe0f", "наука",
     "\ud800", "\x00", "<|endoftext|>"]
)  # fmt: skip
TEXTS = st.lists(PARTS, max_size=12).map("".join) | st.text(max_size=40)

PROSE = {
    "english": "An index remembers which analyser built it. When the words of a text become terms, "
    "the same rules apply to the question, so that inflected forms still meet one another.",
    "chinese": "索引会记录它由哪个分析器生成。"
    "查询与文档使用同一套规则切分，因此双方对词的理解一致。",
    "korean": "색인은 어떤 분석기로 만들어졌는지 기억한다. "
    "질의와 문서는 같은 규칙으로 나뉘므로 서로 맞는다.",
    "code": "def count(self, text: str, /) -> int:\n    return sum(map(COSTS.__getitem__, text))\n",
    "table": "| Name | Type | Default |\n|------|:----:|--------:|\n| k | int | 10 |\n",
}


@pytest.mark.scenario("text-analysis", "A longer text never counts less")
@given(TEXTS, TEXTS)
@settings(max_examples=100, deadline=None)
def test_a_longer_text_never_counts_less(one: str, other: str) -> None:
    assert ESTIMATE.count(one) <= ESTIMATE.count(one + other)


@given(TEXTS)
@settings(max_examples=100, deadline=None)
def test_no_beginning_counts_more_than_the_whole(text: str) -> None:
    counts = [ESTIMATE.count(text[:end]) for end in range(len(text) + 1)]
    assert counts == sorted(counts)


@given(TEXTS, TEXTS)
@settings(max_examples=100, deadline=None)
def test_a_joined_text_counts_hardly_more_than_its_parts(one: str, other: str) -> None:
    assert ESTIMATE.count(one + other) <= ESTIMATE.count(one) + ESTIMATE.count(other) + 1


@given(TEXTS, st.integers(-1, 30))
@settings(max_examples=100, deadline=None)
def test_a_prefix_is_nearly_the_longest_within_its_budget(text: str, budget: int) -> None:
    end = ESTIMATE.prefix(text, budget)
    assert ESTIMATE.count(text[:end]) <= max(0, budget)
    assert end + 2 >= len(text) or ESTIMATE.count(text[: end + 3]) > max(0, budget)


@pytest.mark.parametrize("counter", EXACT, ids=lambda counter: counter.name)
@given(text=TEXTS, budget=st.integers(-1, 30))
@settings(max_examples=100, deadline=None)
def test_a_prefix_by_an_exact_counter_is_within_its_budget(
    counter: TokenCounter, text: str, budget: int
) -> None:
    assert counter.count(text[: counter.prefix(text, budget)]) <= max(0, budget)


@pytest.mark.parametrize("name", PROSE)
def test_an_estimate_is_above_the_exact_counts_and_not_by_much(name: str) -> None:
    exact = max(counter.count(PROSE[name] * 5) for counter in EXACT)
    assert exact <= ESTIMATE.count(PROSE[name] * 5) <= 1.45 * exact


def _random_text(kind: str, rng: random.Random) -> str:
    def joined(alphabet: str, length: int) -> str:
        return "".join(rng.choices(alphabet, k=length))

    makers: dict[str, Callable[[], str]] = {
        "punctuation": lambda: joined("!@#$%^&*()_+-=[]{}|;':,./<>?~`\\\"", 100),
        "white space": lambda: joined(" \t\n\r", 100),
        "line breaks": lambda: "\n" * rng.randint(1, 300),
        "control characters": lambda: joined("".join(map(chr, range(1, 32))), 100),
        "base64": lambda: base64.b64encode(rng.randbytes(300)).decode(),
        "hexadecimal": lambda: rng.randbytes(100).hex(),
        "digits": lambda: joined("0123456789", 100),
        "emoji": lambda: joined("😀🚀👍🏽👨\u200d👩\u200d👧\ufe0f❤✨🇩🇪", 60),
        "any plane": lambda: "".join(chr(rng.randint(0x20, 0xD7FF)) for _ in range(100)),
    }
    return makers[kind]()


@pytest.mark.scenario("text-analysis", "Hostile characters")
@pytest.mark.parametrize(
    "kind",
    ["punctuation", "white space", "line breaks", "control characters", "base64", "hexadecimal",
     "digits", "emoji", "any plane"],
)  # fmt: skip
def test_hostile_characters_are_not_counted_too_low(kind: str) -> None:
    rng = random.Random(7)
    for _ in range(50):
        text = _random_text(kind, rng)
        assert ESTIMATE.count(text) >= max(counter.count(text) for counter in EXACT)


@pytest.fixture
def tokenizer_file(tmp_path: Path) -> Path:
    vocabulary = {"[UNK]": 0, "a": 1, "word": 2, "[CLS]": 3}
    tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.enable_truncation(2)
    tokenizer.enable_padding(length=128)
    path = tmp_path / "tokenizer.json"
    tokenizer.save(str(path))
    return path


def test_a_tokenizer_file_counts_without_truncation_or_padding(tokenizer_file: Path) -> None:
    counter = make_token_counter(str(tokenizer_file))
    assert counter.count("a word a word a") == 5
    assert counter.name == str(tokenizer_file)
    assert counter.prefix("a word a word a", 2) == len("a word ")


@pytest.mark.scenario("text-analysis", "Special tokens and broken characters")
def test_special_token_texts_are_text_to_every_counter(tokenizer_file: Path) -> None:
    for counter in [ESTIMATE, *EXACT, make_token_counter(str(tokenizer_file))]:
        assert counter.count("<|endoftext|><|im_start|>") > 2
        assert counter.count("\ud800") >= 1
        assert counter.count("a\x00b") >= 1
        assert counter.count("") == 0
        assert counter.name


@pytest.mark.scenario("text-analysis", "Unknown counter")
def test_an_unknown_counter_is_refused_with_the_allowed_names() -> None:
    with pytest.raises(ConfigError, match="gpt-9") as caught:
        make_token_counter("gpt-9")
    assert caught.value.allowed == "estimate, o200k, cl100k, or the path of a tokenizer.json"


def test_a_missing_or_foreign_tokenizer_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no tokenizer file"):
        make_token_counter(str(tmp_path / "absent.json"))
    foreign = tmp_path / "foreign.json"
    foreign.write_text('{"not": "a tokenizer"}')
    with pytest.raises(ConfigError, match="is not a tokenizer"):
        make_token_counter(str(foreign))


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "bpe_openai", None)
    monkeypatch.delitem(sys.modules, "rag.text.bpe_token_counter", raising=False)
    with pytest.raises(MissingExtraError, match="bpe-openai") as caught:
        make_token_counter("o200k")
    assert caught.value.hint == "pip install 'rag-evidence[bpe]'"


def test_a_prefix_search_counts_few_and_short_texts() -> None:
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text))
        return len(text)

    assert longest_prefix(count, "x" * 1_000_000, 10) == 10
    assert max(counted) <= 40
    assert len(counted) <= 8
