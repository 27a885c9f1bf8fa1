"""Waiting for what another thread or process does, with a deadline."""

from __future__ import annotations

import time
from collections.abc import Callable

DEADLINE_S = 60  # only something that hangs needs it
LOOK_EVERY_S = 0.02


def wait_until(holds: Callable[[], bool], what: str) -> None:
    """Return as soon as ``holds()``; fail where it does not in time."""
    give_up = time.monotonic() + DEADLINE_S
    while not holds():
        assert time.monotonic() < give_up, f"waited {DEADLINE_S} s in vain until {what}"
        time.sleep(LOOK_EVERY_S)
