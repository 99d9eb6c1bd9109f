"""Work that goes to other processes: of the command line alone. Within a user's own process none is started."""

from __future__ import annotations

import signal
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

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
    from concurrent.futures.process import BrokenProcessPool

    try:
        with start_processes(count) as pool:
            return list(pool.map(make, given))
    except (BrokenProcessPool, OSError):
        # No room for more processes here, or one was killed: alone it takes longer.
        return [make(item) for item in given]


def start_processes(count: int, start: Callable[..., None] | None = None, *given: Any) -> ProcessPoolExecutor:
    """Processes that wait for work. start, given : a function that each calls at first, and its arguments."""
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    # Threads of this process (Polars has some) do not survive a fork.
    return ProcessPoolExecutor(count, get_context("spawn"), start, given)


AHEAD = 3
"""Items for each process that are given out before they are due, so that none waits: however many there are."""
TAUGHT: list[Callable[[Any], Any]] = []
"""What this process, one of several, makes of an item."""


def teach(make: Callable[[Any], Any]) -> None:
    """Tell this process what to make of each item: once, with all that it needs."""
    # Who interrupts the command interrupts the process that asks; this one ends with it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    TAUGHT[:] = [make]


def make_as_taught(item: Any) -> Any:
    """What was taught, of one item."""
    return TAUGHT[0](item)


def make_each(
    make: Callable[[Given], Made], given: Iterable[Given], *, worth: bool
) -> Generator[tuple[Given, Made], None, None]:
    """Each item with what a function makes of it, in any order; of very many, as few as keep all processes busy wait.

    The function travels to each process once, items and results travel each: they can be pickled. worth : see
    :func:`map_each`.
    """
    count = MOST.get()
    if not worth or count < 2:
        yield from ((item, make(item)) for item in given)
        return
    from concurrent.futures import FIRST_COMPLETED, Future, wait
    from concurrent.futures.process import BrokenProcessPool

    rest = iter(given)
    waiting: dict[Future[Made], Given] = {}
    try:
        with start_processes(count, teach, make) as pool:
            try:
                for item in islice(rest, AHEAD * count):
                    waiting[pool.submit(make_as_taught, item)] = item
                while waiting:
                    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
                        # Its item waits until it has a result.
                        result = future.result()
                        yield waiting.pop(future), result
                        for item in islice(rest, 1):
                            waiting[pool.submit(make_as_taught, item)] = item
            finally:
                pool.shutdown(wait=False, cancel_futures=True)
    except (BrokenProcessPool, OSError):
        # No room for more processes here, or one was killed: alone it takes longer.
        yield from ((item, make(item)) for item in chain(waiting.values(), rest))
