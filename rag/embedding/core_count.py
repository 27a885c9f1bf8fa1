"""How many threads can run a model at once on this machine."""

from __future__ import annotations

import os


def core_count() -> int:
    """Return the number of cores this process may use, at least 1."""
    if hasattr(os, "sched_getaffinity"):  # Linux only; knows of taskset and container cpusets
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
