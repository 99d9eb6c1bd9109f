r"""Turns of a loop that do alike, of which one is followed for many: what it loads are elements that lie steps apart.

Of the last two turns that ran, each access is compared with that of the turn before: the same place in the code, the
same lanes, and a place in memory that moved by some step. One turn then stands for n further ones, and loads

.. math:: e(k) = e(0) + k\,g, \quad k = 0 \ldots n - 1

e : element of an access; g : its step. The last turns run one by one, and must do what this says of them; where they do
otherwise, the block runs again with all turns of that loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from roofcast_hull.emulated.turns import SEEN, count_rest, find_gains, go_to, is_truth, restrict, run_turn

if TYPE_CHECKING:
    from roofcast_hull.emulated.thread_state import Lanes
    from roofcast_hull.emulated.threads import Threads

MOST_SEEN = 6
"""Turns of a loop that are run before all are: those that do alike follow the first ones."""
FEWEST = 3
"""Turns that one stands for, at least."""
WORTH = 1500
"""Statements that they would take, at least."""
LAST = 2
"""Turns at the end that are followed one by one, where turns store results; one where they do not."""
FADING = 2
"""Turns before those that are run so that what threads hand on from turn to turn is no more of the one for many; one
more for each value that a turn hands on. None where turns neither store nor hand on."""

Step = tuple[Any, int]
"""How far apart, for all lanes or for each, None where data say the places; and how many."""


class UnlikeTurnsError(Exception):
    """Turns of a loop do not do alike. loop : which."""

    def __init__(self, loop: int) -> None:
        super().__init__(f"turns of a loop differ ({loop})")
        self.loop = loop


@dataclass(slots=True, frozen=True)
class Event:
    """One access, or one condition that the code decides."""

    kind: str
    key: Any
    """The place in the code, or the memory."""
    at: Any
    """Bytes, or what a condition is; None where data say it."""
    mask: Any
    stays: bool
    """Whether it must be the same in each turn."""


@dataclass(slots=True)
class Level:
    """A loop of which a turn runs for many."""

    loop: int
    start: int
    """Event at which the turn began."""
    turns: int
    events: list[Event]
    """Of the turn before."""
    steps: list[Any]


@dataclass
class Turns:
    """What is known of turns, of all loops that run."""

    events: list[Event] = field(default_factory=list)
    levels: list[Level] = field(default_factory=list)
    unlike: set[int] = field(default_factory=set)
    """Loops of which all turns run."""
    short: set[int] = field(default_factory=set)
    """Loops that were short when they ran last: nobody looks at their turns."""
    hidden: int = 0
    """Loops that run turns whose results do not count."""
    together: int = 1
    """Turns that one stands for."""
    merged: dict[int, tuple[int, int]] = field(default_factory=dict)
    """Loop -> the instructions that made nodes in the turn that stood for many, from the first to behind the last."""
    counting: list[int] = field(default_factory=list)
    """Loops that run turns behind those, of which each must follow from itself and the few before it."""

    def begin(self) -> None:
        """Forget the block before."""
        self.events, self.levels, self.hidden, self.together = [], [], 0, 1
        self.merged, self.counting = {}, []

    def note(self, kind: str, key: Any, at: Any, mask: Any, *, stays: bool = False) -> list[Step]:
        """Note an access; how far apart and how many those are that it stands for, innermost loop last.

        Raises
        ------
        UnlikeTurnsError : the turn before did something else here.
        """
        place = len(self.events)
        self.events.append(Event(kind, key, at, mask, stays))
        steps = []
        for level in self.levels:
            k = place - level.start
            if k >= len(level.events) or (level.events[k].kind, level.events[k].key) != (kind, key):
                raise UnlikeTurnsError(level.loop)
            step = level.steps[k]
            if step is None or np.any(step):
                steps.append((step, level.turns))
        return steps


def find_steps(before: list[Event], last: list[Event]) -> list[Any] | None:
    """How far each access moved from one turn to the next; None where turns do not do alike."""
    if len(before) != len(last):
        return None
    steps = list[Any]()
    for first, second in zip(before, last, strict=True):
        if (first.kind, first.key) != (second.kind, second.key) or not is_equal(first.mask, second.mask):
            return None
        if first.at is None or second.at is None:
            if first.at is not second.at:
                return None
            steps.append(None)
            continue
        step = measure_step(first, second)
        if np.shape(step) not in ((), np.shape(first.mask)) or (second.stays and np.any(step)):
            return None
        steps.append(step)
    return steps


def measure_step(first: Event, second: Event) -> Any:
    """How far an access moved: 0 or a number for all lanes where that is one."""
    if first.at is second.at:
        return 0
    step = second.at != first.at if is_truth(second.at) else second.at - first.at
    if not isinstance(step, np.ndarray) or step.shape != np.shape(first.mask):
        return step
    active = step[first.mask]
    return int(active[0]) if (active == active[0]).all() else np.where(first.mask, step, 0)


def is_equal(first: Any, second: Any) -> bool:
    """Whether two masks or places are the same."""
    return first is second or (np.shape(first) == np.shape(second) and bool(np.all(first == second)))


class Watch:
    """One loop that runs."""

    def __init__(self, threads: Threads, turns: Turns, parts: tuple[Any, Any, Any]) -> None:
        self.threads, self.turns, self.parts = threads, turns, parts
        self.loop = id(parts[1])
        self.starts = list[int]()
        self.level: Level | None = None
        self.ahead = 0
        """Turns since those that one stood for, which are to do what the turn before them did."""
        self.fading = 0
        self.counts = False
        self.full = 0
        self.cost = 0
        self.looks = parts[0] is not None and self.loop not in turns.unlike and self.loop not in turns.short

    def begin(self) -> None:
        """A turn begins."""
        self.starts.append(len(self.turns.events))

    @property
    def asks(self) -> bool:
        """Whether states at the ends of turns are asked for."""
        return self.looks and self.level is None and len(self.starts) <= MOST_SEEN

    def end(self, live: Lanes, states: list[dict[str, Any]], cost: int) -> int:
        """A turn ends: how many further ones were followed as one. cost : statements of it. states : of the last."""
        self.cost = max(self.cost, cost)
        if self.level is not None:
            self.check()
            return 0
        if not self.asks or len(self.starts) < SEEN or len(states) < SEEN:
            return 0
        return self.skip(live, states, cost)

    def close(self) -> None:
        """The loop ends."""
        if self.level is None and len(self.starts) * self.cost < WORTH:
            self.turns.short.add(self.loop)
        else:
            self.turns.short.discard(self.loop)
        if self.fading:
            self.turns.hidden -= 1
            self.fading = 0
        if self.counts:
            self.turns.counting.remove(self.loop)

    def check(self) -> None:
        """Compare a turn that ran behind those that one stood for with what is expected of it."""
        level = self.level
        assert level is not None
        self.ahead += 1
        if self.fading:
            self.fading -= 1
            self.turns.hidden -= not self.fading
        if not self.fading and not self.counts:
            self.counts = True
            self.turns.counting.append(self.loop)
        if self.ahead > self.full:
            return
        events = self.turns.events[self.starts[-1] :]
        if len(events) != len(level.events):
            raise UnlikeTurnsError(self.loop)
        away = level.turns + self.ahead
        for event, first, step in zip(events, level.events, level.steps, strict=True):
            alike = (event.kind, event.key) == (first.kind, first.key) and is_equal(event.mask, first.mask)
            if alike and event.at is not None and first.at is not None and event.at is not first.at:
                expected = first.at if is_truth(first.at) else first.at + np.multiply(step, away)
                same = event.at == expected
                alike = bool(np.all(np.broadcast_to(same, event.mask.shape)[event.mask]))
            if not alike or (event.at is None) is not (first.at is None):
                raise UnlikeTurnsError(self.loop)

    def skip(self, live: Lanes, states: list[dict[str, Any]], cost: int) -> int:
        """Follow one turn for many, where the last two did alike; how many, 0 where they did not."""
        threads, turns = self.threads, self.turns
        cond, body, following = self.parts
        gains = find_gains(states)
        last, before = turns.events[self.starts[-1] :], turns.events[self.starts[-2] : self.starts[-1]]
        changed = find_changed(body) | (find_changed(following) if following is not None else set())
        if any(n in states[-1] and n not in gains for n in changed):
            return 0
        rest = count_rest(threads, cond, live, states, every=True)
        handed = count_handed(body)
        stores = any(e.kind == "store" for e in last)
        fading = FADING + handed if stores or handed else 0
        many = (rest or 0) - fading - (LAST if stores else 1)
        if many < FEWEST or many * cost < WORTH:
            return 0
        steps = find_steps(before, last)
        if steps is None:
            return 0
        weight, level = threads.weight, Level(self.loop, len(turns.events), many, last, steps)
        turns.levels.append(level)
        turns.hidden += 1
        outer, turns.together = turns.together, turns.together * many
        threads.weight = weight * many
        threads.on = live
        now, first = restrict(threads, cond, live), threads.count_made()
        now = run_turn(threads, threads.frame.loops[-1], now, body, following)
        turns.merged[self.loop] = first, threads.count_made()
        turns.levels.pop()
        threads.weight, turns.together = weight, outer
        if len(turns.events) - level.start != len(last) or not is_equal(now.mask, live.mask):
            raise UnlikeTurnsError(self.loop)
        go_to(threads, states[-1], gains, many)
        threads.on = live
        turns.hidden -= not fading
        self.level, self.fading, self.full = level, fading, fading + (LAST if stores else 1)
        return many


def find_changed(node: Any, inside: frozenset[str] = frozenset()) -> set[str]:
    """Names that statements give values to, without those that they declare."""
    changed, declared = set[str](), set(inside)

    def walk(part: Any) -> None:
        kind = type(part).__name__
        if kind == "Decl" and part.name:
            declared.add(str(part.name))
        if kind == "Assignment" and type(part.lvalue).__name__ == "ID":
            changed.add(str(part.lvalue.name))
        if kind == "UnaryOp" and part.op in ("++", "--", "p++", "p--", "&") and type(part.expr).__name__ == "ID":
            changed.add(str(part.expr.name))
        for _, child in part.children():
            walk(child)

    walk(node)
    return changed - declared


def count_handed(node: Any) -> int:
    """Values that a turn hands on to the next: what others are given before the turn gives it another value."""
    given = [n for n, _ in list_given(node)]
    seen, count = set[str](), 0
    for name, source in list_given(node):
        count += bool(source) and source in given and source not in seen
        seen.add(name)
    return count


def list_given(node: Any) -> Iterator[tuple[str, str]]:
    """Names that statements give values to, in their order, and the name or array whose value that is, if it is one."""
    if type(node).__name__ == "Assignment":
        plain = node.op == "=" and type(node.rvalue).__name__ in ("ID", "StructRef", "ArrayRef")
        yield find_base(node.lvalue), find_base(node.rvalue) if plain else ""
    for _, child in node.children():
        yield from list_given(child)


def find_base(node: Any) -> str:
    """The name of what a place is part of."""
    while type(node).__name__ in ("StructRef", "ArrayRef"):
        node = node.name
    return str(node.name) if type(node).__name__ == "ID" else ""
