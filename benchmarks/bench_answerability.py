"""Fits the answerability profile that ships, and measures it on what it has not seen.

    python -m benchmarks.bench_answerability DATASETS --work /tmp/answerability --write

builds one local base per collection in ``--work`` (kept, so that a second run is fast), asks it
up to 500 questions of each kind, fits every model with one collection left out, measures it on
that one, picks the fusion, and with ``--write`` stores the profile of all collections in
``rag/answerability/profiles``. Without ``--write`` it only measures.
"""

from __future__ import annotations

import argparse
import pickle
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from statistics import mean
from typing import Any

import rag
from benchmarks.answerability_collections import COLLECTIONS, AnswerabilityCollection, questions_of
from benchmarks.result_file import write_result
from rag.answerability import (
    AnswerabilityEstimator,
    AnswerabilityModel,
    AnswerabilityProfile,
    Signals,
)
from rag.answerability.profile import SHIPPED, signals_of
from rag.assembly import build_embedder
from rag.evaluation.beir_folder import write_corpus
from rag.evaluation.cross_validation import (
    SUMMARISED,
    AnswerabilityScore,
    left_out_models,
    score_model,
    score_pooled,
)
from rag.evaluation.examples import Example, examples_of, with_removed
from rag.evaluation.fusion_search import Fusions, best_fusion, compare_fusions
from rag.evaluation.model_fit import fit_answerability_model
from rag.evaluation.observe import Observer
from rag.evaluation.records import Observation
from rag.settings import load_settings
from rag.text import Analyzer

PROFILE = Path(rag.__file__).parent / "answerability" / "profiles" / SHIPPED
NAME = "minilm-english-2"
TIMED = 2_000  # judgements

Observed = dict[str, list[Observation]]


def observe(one: AnswerabilityCollection, datasets: Path, work: Path) -> list[Observation]:
    """Return what a collection's base says to its questions; remembered in ``work``."""
    remembered = work / f"{one.label.replace('/', '.')}.observations"
    if remembered.is_file():
        with remembered.open("rb") as stored:
            found: list[Observation] = pickle.load(stored)
        return found
    root = work / one.folder
    if not (root / "files").is_dir():
        write_corpus(datasets / one.folder, root / "files")
    settings = load_settings(store={"uri": str(root / "base")}, answerability={"profile": "none"})
    with rag.open(settings) as base:
        base.ingest(root / "files")
        observer = Observer(base.parts.service, base.parts.store, Analyzer(settings.text.stemmer))
        found = with_removed(observer.observe(questions_of(one, datasets)))
    with remembered.open("wb") as target:
        pickle.dump(found, target)
    return found


def serving_signals(observations: Sequence[Observation]) -> Signals | None:
    """Return the signals that most questions of a collection have."""
    return Counter(signals_of(one.lists) for one in observations).most_common(1)[0][0]


def measure(observed: Observed) -> tuple[dict[str, Any], AnswerabilityScore]:
    """Return, by signals and collection, a model's worth on the collection it has not seen; and
    what the models that serve are worth on all of them together."""
    figures: dict[str, Any] = {}
    serving = {name: serving_signals(found) for name, found in observed.items()}
    served: list[tuple[AnswerabilityModel, list[Example]]] = []
    for signals in Signals:
        examples = all_examples(observed, signals)
        own = {}
        for name, model in left_out_models(examples, signals).items():
            unseen = [one for one in examples if one.collection == name]
            if not any(one.serves for one in unseen):
                continue
            serves = serving[name] is signals
            served += [(model, unseen)] * serves
            own[name] = {"serves": serves, **score_model(model, unseen).as_record()}
        figures[str(signals)] = own
    return figures, score_pooled(served)


def all_examples(observed: Observed, signals: Signals) -> list[Example]:
    """Return the examples of every collection that mostly has these signals."""
    return [
        example
        for name, found in observed.items()
        if "vectors" not in signals or serving_signals(found) is Signals.WORDS_AND_VECTORS
        for example in examples_of(name, found, signals)
    ]


def summary(figures: dict[str, Any]) -> dict[str, Any]:
    """Return the means and extremes over collections, each with the model that serves it."""
    rows = {
        name: one
        for by_collection in figures.values()
        for name, one in by_collection.items()
        if one["serves"]
    }
    result: dict[str, Any] = {"collections": len(rows)}
    for kind in ("cross", "removed", "given", "all"):
        own = [one["separations"][kind] for one in rows.values() if kind in one["separations"]]
        for measure_name in SUMMARISED:
            values = [one[measure_name] for one in own]
            result[f"{kind}_{measure_name}"] = {
                "mean": round(mean(values), 4),
                "least": min(values),
                "most": max(values),
            }
    result["answerable_called_none"] = {
        name: one["levels"]["answerable"]["none"] for name, one in rows.items()
    }
    result["cross_called_none"] = {
        name: one["levels"]["cross"]["none"] for name, one in rows.items()
    }
    return result


def judgement_ms(profile: AnswerabilityProfile, observed: Observed) -> float:
    """Return the milliseconds that judging one search takes, the median over collections."""
    estimator = AnswerabilityEstimator(profile)
    times = []
    for found in observed.values():
        started = time.perf_counter()
        for at in range(TIMED):
            estimator.judge(found[at % len(found)].lists)
        times.append((time.perf_counter() - started) / TIMED * 1_000)
    return round(sorted(times)[len(times) // 2], 4)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("datasets", type=Path)
    parser.add_argument("--work", type=Path, default=Path("/tmp/rag-answerability"))
    parser.add_argument("--only", nargs="*", help="labels of the collections to use")
    parser.add_argument("--write", action="store_true", help="store the profile in the package")
    arguments = parser.parse_args()
    observed: Observed = {}
    for one in COLLECTIONS:
        if arguments.only and one.label not in arguments.only:
            continue
        observed[one.label] = observe(one, arguments.datasets, arguments.work)
        print(f"{one.label}: {len(observed[one.label])} observations", flush=True)
    figures, together = measure(observed)
    compared = {name: compare_fusions(found) for name, found in observed.items()}
    fusions: Fusions = {
        name: one
        for name, one in compared.items()
        if one is not None and serving_signals(observed[name]) is Signals.WORDS_AND_VECTORS
    }
    settings = load_settings()
    embedder = build_embedder(settings.embedding)
    assert embedder is not None  # the default settings have one
    profile = AnswerabilityProfile(
        name=NAME,
        analyzer=Analyzer(settings.text.stemmer).version,
        embedder=embedder.identity,
        index=None,
        models={
            signals: fit_answerability_model(all_examples(observed, signals), signals)
            for signals in Signals
        },
        fusion=best_fusion(fusions, kinds=("rrf",)),
        corpora=tuple(observed),
        date=datetime.now(UTC).date().isoformat(),
        measured={**summary(figures), "reliability": together.reliability},
    )
    embedder.close()
    results = {
        "summary": dict(profile.measured),
        "judgement_ms": judgement_ms(profile, observed),
        "left_out": figures,
        "fusions": {name: asdict(one) for name, one in fusions.items()},
        "fusion": asdict(best_fusion(fusions, kinds=("rrf",))),
        "fusion_of_any_kind": asdict(best_fusion(fusions)),
    }
    if arguments.write:
        PROFILE.parent.mkdir(exist_ok=True)
        PROFILE.write_text(profile.to_json(), encoding="utf-8")
        print(f"profile written to {PROFILE}")
    print(f"results written to {write_result('answerability', results)}")


if __name__ == "__main__":
    main()
