"""Check the estimating token counter against exact counts, and measure how fast it is.

For each collection: the share of passages estimated below the exact count, and the mean ratio of
estimate to exact count (o200k, cl100k, and the larger of both). Nothing is fitted here.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks.arguments import benchmark_parser
from benchmarks.result_file import write_result
from benchmarks.token_passages import load_passages
from rag.text.bpe_token_counter import BpeTokenCounter
from rag.text.estimating_token_counter import EstimatingTokenCounter

MOST_BELOW = 0.001  # share of passages that may be estimated too low
MOST_MEAN_RATIO = 1.25
TIMED_BYTES = 4_000_000
ROUNDS = 3


def accuracy(texts: list[str]) -> dict[str, Any]:
    """Compare the estimates of some passages with their exact counts."""
    estimate = np.array([EstimatingTokenCounter().count(text) for text in texts])
    o200k = np.array([BpeTokenCounter("o200k").count(text) for text in texts])
    cl100k = np.array([BpeTokenCounter("cl100k").count(text) for text in texts])
    larger = np.maximum(o200k, cl100k)
    return {
        "passages": len(texts),
        "below": int((estimate < larger).sum()),
        "share_below": round(float((estimate < larger).mean()), 5),
        "least_ratio": round(float((estimate / larger).min()), 3),
        "mean_ratio_to_larger": round(float((estimate / larger).mean()), 3),
        "mean_ratio_to_o200k": round(float((estimate / o200k).mean()), 3),
        "mean_ratio_to_cl100k": round(float((estimate / cl100k).mean()), 3),
    }


def speed(texts: list[str]) -> float:
    """Return millions of UTF-8 bytes a second, the best of a few rounds over whole passages."""
    timed, size = [], 0
    for text in texts:
        timed.append(text)
        size += len(text.encode())
        if size >= TIMED_BYTES:
            break
    counter = EstimatingTokenCounter()
    best = float("inf")
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for text in timed:
            counter.count(text)
        best = min(best, time.perf_counter() - start)
    return round(size / best / 1e6, 1)


def main() -> int:
    """Print and write the figures; exit 1 where a collection misses its bounds."""
    passages = load_passages(benchmark_parser(__doc__).parse_args().datasets)
    figures: dict[str, Any] = {"collections": {}, "megabytes_a_second": {}}
    missed = []
    print(f"{'collection':36} passages  below  least  ÷larger  ÷o200k  ÷cl100k   MB/s")
    for name, texts in passages.items():
        found = figures["collections"][name] = accuracy(texts)
        rate = figures["megabytes_a_second"][name] = speed(texts)
        print(
            f"{name:36} {found['passages']:8} {found['share_below']:6.2%} {found['least_ratio']:6}"
            f" {found['mean_ratio_to_larger']:8} {found['mean_ratio_to_o200k']:7}"
            f" {found['mean_ratio_to_cl100k']:8} {rate:6}"
        )
        if found["share_below"] > MOST_BELOW:
            missed.append(name)
    whole = [v for k, v in figures["collections"].items() if "in chunks" not in k]
    total = sum(v["passages"] for v in whole)
    mean = sum(v["mean_ratio_to_larger"] * v["passages"] for v in whole) / total
    figures["mean_ratio_to_larger_over_all_passages"] = round(mean, 3)
    figures["collections_below_too_often"] = missed
    print(
        f"mean ratio over {total} whole passages: {mean:.3f}; below too often: {missed or 'none'}"
    )
    print(write_result("token-counter", figures))
    return int(bool(missed) or mean > MOST_MEAN_RATIO)


if __name__ == "__main__":
    raise SystemExit(main())
