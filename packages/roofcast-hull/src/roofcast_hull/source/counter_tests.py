"""How often a condition on counters holds that no bound of a loop says: remainders, bits, several of them together.

A condition that asks for remainders alone is periodic: it is tried for the turns of one period. Conditions around it
are tried with it, so that what is left for an ``else`` is what they leave.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from roofcast_hull.source.nest import Affine, Loop

MOST_TURNS = 4096
"""Turns of loops in which conditions on their counters are tried."""
COMPUTED: dict[str, Callable[[int, int], int]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge, "==": operator.eq, "!=": operator.ne, "&": operator.and_, "|": operator.or_,
    "^": operator.xor, "&&": lambda a, b: int(bool(a and b)), "||": lambda a, b: int(bool(a or b)),
    "%": lambda a, b: a % b, "/": lambda a, b: a // b, ">>": lambda a, b: a >> b,
}  # fmt: skip
LOGICAL = ("<", "<=", ">", ">=", "==", "!=", "&&", "||", "!")


@dataclass(frozen=True, slots=True)
class CounterTest:
    """An expression of counters: an affine one, or an operation on others."""

    leaf: Affine = field(default_factory=Affine)
    op: str = ""
    """Empty where it is affine."""
    parts: tuple[CounterTest, ...] = ()

    @property
    def variables(self) -> frozenset[str]:
        """Counters in it."""
        return self.leaf.variables.union(*(p.variables for p in self.parts))

    def number(self) -> int | None:
        """Its value where it has no counters."""
        return None if self.op or self.leaf.variables else self.leaf.constant

    def at(self, values: Mapping[str, int]) -> int:
        """Value for given counters; a quotient or a remainder by 0 is 0."""
        if not self.op:
            return int(self.leaf.at(values))
        inside = [p.at(values) for p in self.parts]
        if self.op == "!":
            return int(not inside[0])
        if self.op in ("%", "/") and inside[1] <= 0:
            return 0
        return int(COMPUTED[self.op](*inside)) if self.op != ">>" or 0 <= inside[1] < LARGEST_SHIFT else 0

    def period(self) -> int:
        """Turns of each counter after which it has the same value again; 0 where there is no such number."""
        if self.op in LOGICAL:
            return join_periods([p.period() for p in self.parts])
        if self.op in ("%", "&") and (by := self.parts[1].number()) is not None and by > 0:
            width = by if self.op == "%" else 1 << by.bit_length()
            return self.parts[0].period_below(width)
        if self.op in ("+", "-", "*", "&", "|", "^"):
            return join_periods([p.period() for p in self.parts])
        return 0 if self.op or self.leaf.variables else 1

    def period_below(self, modulus: int) -> int:
        """The same of its remainder by a number."""
        if not self.op:
            return modulus
        by = self.parts[1].number() if len(self.parts) == 2 else None
        if self.op in ("/", ">>") and by is not None and 0 < by < (LARGEST_SHIFT if self.op == ">>" else MOST_TURNS):
            return self.parts[0].period_below(modulus * (by if self.op == "/" else 1 << by))
        bits = self.op in ("&", "|", "^") and modulus & (modulus - 1) == 0
        if bits or self.op in ("+", "-", "*"):
            return join_periods([p.period_below(modulus) for p in self.parts])
        return self.period()


LARGEST_SHIFT = 40
"""Bits that an index is shifted by at most."""
Held = tuple[CounterTest, bool]
"""A condition, and whether it holds."""


def join_periods(periods: Sequence[int]) -> int:
    """The period of several; 0 where one has none."""
    return math.lcm(*periods) if all(periods) else 0


def find_share(test: CounterTest, around: Sequence[Held], loops: Sequence[Loop]) -> float | None:
    """Share of the turns of loops in which a condition holds, of those in which the conditions around it do.

    None where they are too many to try.
    """
    if not test.variables or not test.variables <= {x.name for x in loops}:
        return None
    linked = [(t, truth) for t, truth in around if t.variables & test.variables]
    period = join_periods([t.period() for t, _ in (*linked, (test, True))])
    named = test.variables.union(*(t.variables for t, _ in linked))
    turns: dict[str, range] = {}
    for x in (x for x in loops if x.name in named):
        plain = len(x.first) == 1 and not x.first[0].variables and not any(b.variables for b in x.last)
        every = range(x.first[0].constant, min(b.constant for b in x.last) + 1, x.step) if plain else range(0)
        if period and (not plain or len(every) > 2 * period):
            every = range(period)
        elif not plain:
            return find_share(test, (), loops) if linked else None
        turns[x.name] = every
    if math.prod(map(len, turns.values())) > MOST_TURNS:
        return find_share(test, (), loops) if linked else None
    tried, held = 0, 0
    for at in itertools.product(*turns.values()):
        values = dict(zip(turns, at, strict=True))
        if all(bool(t.at(values)) is truth for t, truth in linked):
            tried += 1
            held += bool(test.at(values))
    return held / tried if tried else None
