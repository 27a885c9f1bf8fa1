"""A process that serves is not stopped by whole garbage collections."""

from __future__ import annotations

import gc

from rag.surfaces.collector_pauses import THRESHOLDS, collect_rarely


def test_whole_collections_are_rare_and_cycles_are_still_freed():
    before = gc.get_threshold()
    try:
        collect_rarely()
        assert gc.get_threshold() == THRESHOLDS
        assert gc.isenabled()
        young_per_whole = THRESHOLDS[0] * THRESHOLDS[1] * THRESHOLDS[2]
        assert young_per_whole >= 100 * before[0] * before[1] * before[2]
    finally:
        gc.set_threshold(*before)
