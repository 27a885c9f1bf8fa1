"""One ONNX sentence model: token ids in, one vector out."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime import (  # type: ignore[attr-defined]  # re-exported without saying so
    GraphOptimizationLevel,
    InferenceSession,
    SessionOptions,
)

from rag.errors import EmbedderUnavailableError, EmbeddingError

SENTENCE_OUTPUT = "sentence_embedding"
TOKEN_OUTPUTS = ("last_hidden_state", "token_embeddings")
INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids", "position_ids"})
ERRORS_ONLY = 3  # onnxruntime's severity scale: 2 would print warnings about graph details
INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}


class Pooling(StrEnum):
    """How the vectors of a text's tokens become one vector."""

    MEAN = "mean"
    FIRST = "first"
    LAST = "last"


class OnnxSession:
    """Runs one model on one text at a time.

    One text per run needs no padding, so a vector cannot depend on a neighbour's length; on a
    CPU it is also faster than padded batches and takes a sixth of their memory. Each run uses
    the thread that calls it; several threads may call at once.

    Args:
        model: The ``model.onnx`` file.
        pooling: How token vectors become one; unused by a model that gives sentence vectors.

    Raises:
        EmbedderUnavailableError: the file is no ONNX model, or no sentence model that can be fed.
    """

    def __init__(self, model: Path, /, *, pooling: Pooling = Pooling.MEAN) -> None:
        self._model = model
        self._pooling = pooling
        self._session = _open(model)
        self._feeds = {item.name: INTEGERS.get(item.type) for item in self._session.get_inputs()}
        self._refuse_unknown_inputs()
        self._output, self._per_token, self._dimensions = self._chosen_output()

    @property
    def dimensions(self) -> int:
        """The length of a vector; found by running the model once if its graph does not say."""
        if self._dimensions is None:
            self._dimensions = len(self.run([0]))
        return self._dimensions

    def run(self, token_ids: Sequence[int], /) -> NDArray[np.float32]:
        """Return the pooled vector of one text, shape ``(dimensions,)``, not normalised.

        Raises:
            EmbeddingError: the model failed on these tokens.
        """
        values = {
            "input_ids": token_ids,
            "attention_mask": np.ones(len(token_ids)),
            "token_type_ids": np.zeros(len(token_ids)),
            "position_ids": np.arange(len(token_ids)),
        }
        feeds = {name: np.array([values[name]], dtype=kind) for name, kind in self._feeds.items()}
        try:
            (output,) = self._session.run([self._output], feeds)
        except Exception as error:  # noqa: BLE001  # onnxruntime's errors have no common base
            raise EmbeddingError(
                f"{self._model} failed on a text of {len(token_ids)} tokens: {_first_line(error)}",
                given=f"{len(token_ids)} tokens",
                hint="lower the model's max_tokens if the text is longer than it can take",
            ) from None
        return self._pooled(np.asarray(output[0], dtype=np.float32))

    def _pooled(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        if not self._per_token:
            return rows
        if self._pooling is Pooling.FIRST:
            return np.asarray(rows[0])
        if self._pooling is Pooling.LAST:
            return np.asarray(rows[-1])
        # no padding, so every token counts and the attention mask has nothing to leave out
        return np.asarray(rows.mean(axis=0))

    def _refuse_unknown_inputs(self) -> None:
        if "input_ids" not in self._feeds or not INPUTS.issuperset(self._feeds):
            raise self._not_a_sentence_model(
                f"takes {sorted(self._feeds)}", f"input_ids, and of {sorted(INPUTS)} what it needs"
            )
        if not all(self._feeds.values()):
            raise self._not_a_sentence_model("takes inputs that are no integers", "int32 or int64")

    def _chosen_output(self) -> tuple[str, bool, int | None]:
        """Return the output's name, whether it has a row per token, and its length if declared."""
        outputs = {item.name: item.shape for item in self._session.get_outputs()}
        known = [name for name in (SENTENCE_OUTPUT, *TOKEN_OUTPUTS) if name in outputs]
        name = known[0] if known else next(iter(outputs)) if len(outputs) == 1 else None
        if name is None or len(outputs[name]) not in (2, 3):
            raise self._not_a_sentence_model(
                f"gives {sorted(outputs)}", f"one of {[SENTENCE_OUTPUT, *TOKEN_OUTPUTS]}"
            )
        shape = outputs[name]
        return name, len(shape) == 3, shape[-1] if isinstance(shape[-1], int) else None

    def _not_a_sentence_model(self, found: str, allowed: str) -> EmbedderUnavailableError:
        return EmbedderUnavailableError(
            f"{self._model} is not a sentence model this package can run: it {found}",
            given=found,
            allowed=allowed,
            hint="export the model for the task feature-extraction",
        )


def _open(model: Path) -> Any:
    options = SessionOptions()
    options.intra_op_num_threads = 1  # threads go to texts, not to one text's matrices
    options.inter_op_num_threads = 1
    options.log_severity_level = ERRORS_ONLY
    # "basic" folds constants only. The fusions of the higher levels cost load time and made
    # MiniLM about a tenth slower (x86-64 with AVX-512, onnxruntime 1.32).
    options.graph_optimization_level = GraphOptimizationLevel.ORT_ENABLE_BASIC
    try:
        # by path: a session made from bytes keeps them for as long as it lives
        return InferenceSession(str(model), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # noqa: BLE001  # onnxruntime's errors have no common base
        raise EmbedderUnavailableError(
            f"cannot load {model}: {_first_line(error)}",
            given=str(model),
            allowed="an ONNX model file",
            hint="fetch or export the model again",
        ) from None


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
