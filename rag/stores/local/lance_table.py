"""LanceDB behind three calls; the only module that imports it, and only when it is needed."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ.setdefault("LANCEDB_LOG", "error")  # read at import; its warnings are none of the user's

import lancedb
import numpy as np
import pyarrow
from lancedb.index import IvfRq
from numpy.typing import NDArray

pa: Any = pyarrow  # its names are made at import, so no type checker sees them

# RaBitQ (Gao and Long 2024) with three bits a dimension: a tenth of the memory of float32, and
# of the 200 nearest of 100,000 hashed vectors 998 in 1,000 are among the first 600 by code.
BITS_PER_DIMENSION = 3
ROWS_PER_PARTITION = 1_000
LEAST_PARTITIONS = 8
MOST_PARTITIONS = 1_024
KMEANS_ITERATIONS = 20  # the partitions hardly change after that
KMEANS_SAMPLE = 64  # vectors per partition to learn them from


class LanceTable:
    """One build of the index: an immutable table of ``row`` and ``vector``.

    Raises whatever LanceDB raises; the caller decides what that means.
    """

    def __init__(self, folder: Path, build: str) -> None:
        self._table = lancedb.connect(folder).open_table(build)

    @classmethod
    def create(
        cls,
        folder: Path,
        build: str,
        batches: Iterator[tuple[NDArray[np.int64], NDArray[np.float32]]],
        *,
        dimensions: int,
    ) -> LanceTable:
        """Write a table of batches of rows and vectors; ``train`` makes its index."""
        schema = pa.schema([("row", pa.int64()), ("vector", pa.list_(pa.float32(), dimensions))])
        reader = pa.RecordBatchReader.from_batches(
            schema,
            (
                pa.record_batch(
                    [
                        pa.array(rows),
                        pa.FixedSizeListArray.from_arrays(
                            pa.array(vectors.reshape(-1)), dimensions
                        ),
                    ],
                    schema=schema,
                )
                for rows, vectors in batches
            ),
        )
        lancedb.connect(folder).create_table(build, reader, schema=schema, mode="overwrite")
        return cls(folder, build)

    def train(self) -> int:
        """Build the index; return the number of its partitions."""
        partitions = min(MOST_PARTITIONS, max(LEAST_PARTITIONS, len(self) // ROWS_PER_PARTITION))
        self._table.create_index(
            "vector",
            config=IvfRq(
                distance_type="cosine",
                num_partitions=partitions,
                num_bits=BITS_PER_DIMENSION,
                max_iterations=KMEANS_ITERATIONS,
                sample_rate=KMEANS_SAMPLE,
            ),
        )
        return partitions

    def __len__(self) -> int:
        return int(self._table.count_rows())

    def nearest(self, query: NDArray[np.float32], *, limit: int, probes: int) -> NDArray[np.int64]:
        """Return the row numbers of about the ``limit`` nearest vectors, nearest first."""
        search: Any = self._table.search(query, vector_column_name="vector")
        found = (
            search.distance_type("cosine")
            .nprobes(probes)
            .limit(limit)
            .select(["row", "_distance"])  # without the distance LanceDB warns at every search
            .to_arrow()
        )
        rows: NDArray[np.int64] = found["row"].to_numpy()
        return rows


def builds(folder: Path) -> list[str]:
    """Return the names of the tables that lie in ``folder``, whole or not."""
    return sorted(path.stem for path in folder.glob("*.lance"))


def remove(folder: Path, build: str) -> None:
    """Delete a table's files; what another process still reads may fail there, and is retried."""
    shutil.rmtree(folder / f"{build}.lance", ignore_errors=True)
