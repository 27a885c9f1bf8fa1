"""What plugs into the embedding room."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag.text import Script


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderIdentity:
    """What makes two embedders interchangeable: equal identities embed a document equally.

    ``revision`` names the weights and all that changes a document's vector with them, such as a
    document prefix. An index remembers the identity it was built with and refuses another.
    Without an embedder (``none``) there is no identity either.
    """

    name: str
    revision: str
    dimensions: int

    def __str__(self) -> str:
        return f"{self.name}@{self.revision} ({self.dimensions} dimensions)"


class Embedder(Protocol):
    """Turns text into unit vectors.

    A vector depends on its own text alone, never on its neighbours in a batch.
    Text is cleaned of lone surrogates and NUL before it reaches the model, and what is beyond the
    model's reach is cut off, so that any text may be given.
    Safe to call from several threads.
    """

    @property
    def identity(self) -> EmbedderIdentity:
        """Who this is; some models have to be loaded or asked to tell, and then this raises."""
        ...

    @property
    def scripts(self) -> frozenset[Script] | None:
        """The scripts the model reads; None means all. See ``rag.embedding.covers``."""
        ...

    @property
    def fusion_weight(self) -> float:
        """Default weight of the vector channel in a fusion, relative to 1.0 for the lexical one."""
        ...

    def embed_documents(self, texts: Sequence[str], /) -> NDArray[np.float32]:
        """Return one unit-length row per text, shape ``(len(texts), dimensions)``, float32.

        Raises:
            EmbedderUnavailableError: the model or its server cannot be used.
            EmbeddingDimensionError: the model gave rows of another length.
            InvalidVectorError: the model gave a zero or non-finite row.
        """
        ...

    def embed_query(self, text: str, /) -> NDArray[np.float32]:
        """Return the unit-length vector of a query, shape ``(dimensions,)``, float32.

        Raises as :meth:`embed_documents`.
        """
        ...

    def close(self) -> None:
        """Free the model's threads and memory; further calls are a bug."""
        ...
