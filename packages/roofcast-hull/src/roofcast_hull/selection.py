"""Choosing a processor for a class: at run time in microseconds, or over the whole catalog for a latency budget."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from roofcast.core.errors import RoofcastError
from roofcast.core.processor import Processor
from roofcast_hull.bounds import Bounds, Settings
from roofcast_hull.hull import find_bounds
from roofcast_hull.notation import AlgorithmClass, parse_class

REMEMBERED = 4096
"""Classes whose bounds stay in memory."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The processor that runs a class soonest, and its seconds."""

    processor: Processor
    low_s: float
    high_s: float
    times_s: tuple[tuple[float, float], ...]
    """Low and high of every processor, in the order given."""


Prepared = tuple[tuple[Processor, ...], tuple[Bounds, ...]]
prepared: OrderedDict[tuple[object, ...], Prepared] = OrderedDict()


def select(
    text: str | AlgorithmClass,
    processors: Sequence[str | Processor],
    complexity: float = 1.0,
    *,
    transfers: bool = False,
    settings: Settings | None = None,
) -> Selection:
    """The processor on which a class takes least time, by its hull: what good code reaches.

    The first call with a class and processors reads both (well under a millisecond once the catalog is loaded); every
    further one, with any complexity, takes microseconds.

    text : class, e.g. ``"1024x1024|element -> 256|shared"``.
    processors : catalog names or processors; the data is on the host if ``transfers``.

    >>> select("1024x1024|element -> 1024x1024|element", ["GTX 470", "i7-930"], 10).processor.name
    'GeForce GTX 470'
    >>> select("1024x1024|element -> 1024x1024|element", ["GTX 470", "i7-930"], 10, transfers=True).processor.name
    'Core i7-930'

    Raises
    ------
    RoofcastError : no processor; a bad class or processor.
    """
    key = (text, settings, *(p if isinstance(p, str) else id(p) for p in processors))
    entry = prepared.get(key)
    if entry is None:
        entry = prepare(text, processors, settings)
        # The processors are kept with the key, so that no other object gets the same id.
        prepared[key] = entry
        if len(prepared) > REMEMBERED:
            prepared.popitem(last=False)
    members, bounds = entry
    times = tuple(
        (b.low(complexity) + b.transfer_s, b.high(complexity) + b.transfer_s)
        if transfers
        else (b.low(complexity), b.high(complexity))
        for b in bounds
    )
    best = min(range(len(times)), key=times.__getitem__)
    return Selection(members[best], *times[best], times)


def prepare(text: str | AlgorithmClass, processors: Sequence[str | Processor], settings: Settings | None) -> Prepared:
    """Processors and bounds of one class."""
    from roofcast.catalog import gpu

    if not processors:
        raise RoofcastError("no processor to choose from: name at least one")
    members = tuple(gpu(p) if isinstance(p, str) else p for p in processors)
    algorithm = parse_class(text) if isinstance(text, str) else text
    return members, tuple(find_bounds(algorithm, p, settings) for p in members)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A processor against a latency budget."""

    processor: Processor
    low_s: float
    high_s: float
    meets: str
    """yes (even at its floors), maybe (with the best code) or no."""


def try_processors(
    found: AlgorithmClass,
    processors: Sequence[Processor],
    budget_s: float,
    complexity: tuple[float, float],
    settings: Settings | None = None,
    transfers: bool = False,
) -> list[Candidate]:
    """All processors that have the rates that the model needs, in the order given."""
    candidates = []
    for processor in processors:
        try:
            bounds = find_bounds(found, processor, settings)
        except RoofcastError:
            continue
        moved = bounds.transfer_s if transfers else 0.0
        low, high = bounds.low(complexity[0]) + moved, bounds.high(complexity[1]) + moved
        candidates.append(
            Candidate(processor, low, high, "yes" if high <= budget_s else "maybe" if low <= budget_s else "no")
        )
    return candidates


def order_by_launch(processors: Sequence[Processor]) -> list[Processor]:
    """Processors by the date of their launch; those without one last."""
    return sorted(processors, key=lambda p: (p.launch_date or "9999", p.name))
