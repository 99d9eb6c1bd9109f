"""Work that goes to other processes: of the command line alone. Within a user's own process none is started."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Given = TypeVar("Given")
Made = TypeVar("Made")

MOST: ContextVar[int] = ContextVar("MOST", default=1)
"""Processes that may work at once."""


@contextmanager
def allow_processes(count: int) -> Iterator[None]:
    """Within it, :func:`map_each` may start so many processes."""
    before = MOST.set(count)
    try:
        yield
    finally:
        MOST.reset(before)


def processes_allowed() -> bool:
    """Return whether :func:`map_each` may start any."""
    return MOST.get() > 1


def map_each(make: Callable[[Given], Made], given: Sequence[Given], *, worth: bool) -> list[Made]:
    """What a function makes of each, in order. worth : whether it takes longer than starting processes does.

    Function, arguments and results travel: they can be pickled. The first error in order is raised, as by a loop.
    """
    count = min(MOST.get(), len(given))
    if not worth or count < 2:
        return [make(item) for item in given]
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    try:
        # Threads of this process (Polars has some) do not survive a fork.
        with ProcessPoolExecutor(count, get_context("spawn")) as pool:
            return list(pool.map(make, given))
    except (BrokenProcessPool, OSError):
        # No room for more processes here, or one was killed: alone it takes longer.
        return [make(item) for item in given]
