"""Runs blocking work off the event loop: so much at a time, so much waiting, so long."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Lock
from typing import TypeVar

from rag.errors import DeadlineExceededError, OverloadedError

Result = TypeVar("Result")


class WorkPool:
    """A bounded pool of threads.

    A place is taken until the work is over, also where nobody waits for it any more, so that
    work which hangs is not piled up. Safe to use from several event loops.

    Args:
        name: What the work is called in messages.
        workers: How much runs at a time.
        waiting: How much may wait beyond that; more is turned away.
        timeout_s: How long a caller waits for its turn and its work together, in seconds.
    """

    def __init__(self, name: str, *, workers: int, waiting: int, timeout_s: float) -> None:
        self._name = name
        self._places = workers + waiting
        self._timeout_s = timeout_s
        self._taken = 0
        self._closed = False
        self._lock = Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix=f"rag-{name}")

    @property
    def taken(self) -> int:
        """How many places are taken: what runs and what waits."""
        return self._taken

    async def run(self, work: Callable[[], Result]) -> Result:
        """Return what ``work`` returns, run in a thread with the caller's context.

        Raises:
            OverloadedError: there is no place, or no more work is taken.
            DeadlineExceededError: it was not done in time; if it had begun, it goes on.
        """
        running = self._begun(contextvars.copy_context(), work)
        running.add_done_callback(self._leave_place)
        waiting = asyncio.wrap_future(running)
        waiting.add_done_callback(_look_at)
        done, _ = await asyncio.wait([waiting], timeout=self._timeout_s)
        if done:
            return waiting.result()
        running.cancel()  # works only while it has not begun
        raise DeadlineExceededError(
            f"no answer within {self._timeout_s:g} s",
            given=self._timeout_s,
            hint="try again after the time in Retry-After",
        )

    def close(self) -> None:
        """Take no more work, and wait for what runs; what waits is given up."""
        with self._lock:
            self._closed = True
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _begun(self, context: contextvars.Context, work: Callable[[], Result]) -> Future[Result]:
        with self._lock:
            if self._closed:
                raise OverloadedError("the service is shutting down", hint="try again later")
            if self._taken >= self._places:
                raise OverloadedError(
                    f"the service has {self._taken} requests to {self._name} under way",
                    given=self._taken,
                    allowed=f"at most {self._places} at a time",
                    hint="try again after the time in Retry-After",
                )
            self._taken += 1
            return self._pool.submit(context.run, work)

    def _leave_place(self, _: Future[Result]) -> None:
        with self._lock:
            self._taken -= 1


def _look_at(future: asyncio.Future[Result]) -> None:
    """Take note of an exception that nobody waits for any more; it would be logged as lost."""
    if not future.cancelled():
        future.exception()
