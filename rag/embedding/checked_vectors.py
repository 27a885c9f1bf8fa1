"""The one place where a model's output becomes vectors that may be stored and compared."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rag.embedding.protocol import EmbedderIdentity
from rag.errors import EmbeddingDimensionError, InvalidVectorError

SMALLEST_NORM = 1e-12  # below this, dividing by the norm turns rounding errors into a direction


def checked_vectors(
    rows: ArrayLike | Sequence[ArrayLike], /, *, count: int, identity: EmbedderIdentity
) -> NDArray[np.float32]:
    """Return ``rows`` as float32 of unit length, shape ``(count, identity.dimensions)``.

    The input is not changed.

    Raises:
        EmbeddingDimensionError: the rows are not ``count``, or not of the declared length.
        InvalidVectorError: a row is zero, or holds NaN, infinity or no number at all.
    """
    try:
        # float64: the squares of large float32 values overflow, and the norm would be infinite
        wide = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        lengths = _lengths(rows)
        if lengths is None:
            raise InvalidVectorError(
                f"{identity.name} gave something that is no vector of numbers: {error}",
                allowed="finite numbers",
            ) from None
        raise _wrong_shape(f"rows of {lengths} numbers", count, identity) from None
    if wide.size == 0 and count == 0:
        return np.zeros((0, identity.dimensions), dtype=np.float32)
    if wide.shape != (count, identity.dimensions):
        raise _wrong_shape(f"shape {wide.shape}", count, identity)
    finite = np.isfinite(wide).all(axis=1)
    if not finite.all():
        raise _invalid(int(np.argmin(finite)), "NaN or infinity", identity)
    norms = np.linalg.norm(wide, axis=1, keepdims=True)
    usable = norms[:, 0] > SMALLEST_NORM
    if not usable.all():
        raise _invalid(int(np.argmin(usable)), "only zeros", identity)
    unit: NDArray[np.float32] = (wide / norms).astype(np.float32)
    return unit


def checked_vector(row: ArrayLike, /, *, identity: EmbedderIdentity) -> NDArray[np.float32]:
    """Return one vector as :func:`checked_vectors` does, shape ``(identity.dimensions,)``."""
    vector: NDArray[np.float32] = checked_vectors([row], count=1, identity=identity)[0]
    return vector


def _lengths(rows: object) -> str | None:
    """Return the lengths of ragged rows, ``"3 and 4"``, or None if that is not the fault."""
    if not isinstance(rows, list | tuple):
        return None
    lengths = sorted({len(row) for row in rows if isinstance(row, list | tuple | np.ndarray)})
    return " and ".join(map(str, lengths)) if len(lengths) > 1 else None


def _wrong_shape(given: str, count: int, identity: EmbedderIdentity) -> EmbeddingDimensionError:
    return EmbeddingDimensionError(
        f"{identity.name} gave vectors of {given}; "
        f"expected {count} of {identity.dimensions} numbers",
        given=given,
        allowed=f"shape ({count}, {identity.dimensions})",
        hint="set embedding.dimensions to what the model gives, and build the index anew",
    )


def _invalid(row: int, found: str, identity: EmbedderIdentity) -> InvalidVectorError:
    return InvalidVectorError(
        f"{identity.name} gave a vector with {found} for text number {row + 1}",
        given=found,
        allowed="finite numbers, not all zero",
        hint="such a vector is equally near to everything; check the model and that text",
        details={"row": row},
    )
