"""When copies and kernels of several streams end, if each engine takes its work in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Task:
    """Work for one engine: a processor, or one direction of its bus."""

    name: str
    seconds: float
    engine: str
    stream: str
    after: tuple[str, ...] = ()
    """Names of earlier tasks that must have ended."""


def makespan(tasks: Sequence[Task]) -> float:
    """Seconds until all tasks have ended.

    Tasks of one stream run one after the other; so do tasks of one engine, in the order given. Kernels of several
    streams therefore never overlap on one processor: each is taken to fill it.

    >>> makespan([Task("a", 2.0, "gpu", "1"), Task("b", 3.0, "bus", "2"), Task("c", 1.0, "gpu", "2")])
    4.0
    """
    free: dict[tuple[str, str], float] = {}
    ended: dict[str, float] = {}
    for task in tasks:
        waits = [ended[name] for name in task.after]
        start = max([free.get(("engine", task.engine), 0.0), free.get(("stream", task.stream), 0.0), *waits])
        end = start + task.seconds
        ended[task.name] = end
        # A copy of nothing keeps no engine waiting.
        if task.seconds > 0:
            free["engine", task.engine] = end
        free["stream", task.stream] = end
    return max(ended.values(), default=0.0)
