"""A small language for counter identities, evaluated over whole columns of launches.

An expression is written as people write the identity: ``dram__bytes_read.sum + dram__bytes_write.sum``.

- a name with a dot, or one that a report uses (``launch__grid_size``), is that metric as stored;
- ``sum:dram__bytes`` is the total of a counter however the report holds it (:data:`ROLLUPS`);
- ``cycles:lts`` is the elapsed cycles of one instance of a unit, ``count:lts`` the number of its instances;
- a name without a double underscore is an amount that was rebuilt before (``time_s``);
- ``?name`` counts as 0 where the metric is absent, and the value is then only assumed;
- ``~name`` counts as 0 where it is absent because most chips do not have it.

Absent is NaN and propagates: a value is there only where everything that it needs is there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from functools import cache

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, OriginArray
from roofcast.core.records import dataclass

Column = tuple[FloatArray, OriginArray]
"""(n,) values and (n,) codes of Origin."""

ROLLUPS: tuple[str, ...] = (
    "{x}.sum.per_second * time_s",
    "{x}.sum.per_cycle_elapsed * cycles:{u}",
    "{x}.avg * count:{u}",
    "{x}.avg.per_second * count:{u} * time_s",
    "{x}.avg.per_cycle_elapsed * count:{u} * cycles:{u}",
    "{x}.sum.per_cycle_active * active:{u}",
    "{x}.avg.per_cycle_active * count:{u} * active:{u}",
    "0.01 * {x}.sum.pct_of_peak_sustained_elapsed * {x}.sum.peak_sustained * cycles:{u}",
    "0.01 * {x}.avg.pct_of_peak_sustained_elapsed * {x}.avg.peak_sustained * count:{u} * cycles:{u}",
)
"""How the total of counter ``x`` of unit ``u`` follows from other forms of it, best first."""

PEERS = {"sm": "smsp", "smsp": "sm"}
"""Units that count the same event, so that their sums are equal."""

CYCLES: dict[str, tuple[str, ...]] = {
    "*": (
        "{u}__cycles_elapsed.avg",
        "{u}__cycles_elapsed.avg.per_second * time_s",
        "{u}__cycles_elapsed.sum / count:{u}",
        "{u}__cycles_elapsed.max",
    ),
    # One clock drives the SM, its partitions and its L1.
    "sm": ("smsp__cycles_elapsed.avg", "smsp__cycles_elapsed.avg.per_second * time_s", "clock_hz * time_s"),
    "smsp": ("sm__cycles_elapsed.avg", "sm__cycles_elapsed.avg.per_second * time_s", "clock_hz * time_s"),
    "l1tex": ("sm__cycles_elapsed.avg", "sm__cycles_elapsed.avg.per_second * time_s", "clock_hz * time_s"),
}
"""Elapsed cycles of one instance of a unit."""

COUNTS: dict[str, tuple[str, ...]] = {
    "*": (
        "{u}__cycles_elapsed.sum / {u}__cycles_elapsed.avg",
        "{u}__cycles_elapsed.sum / {u}__cycles_elapsed.avg.per_second / time_s",
    ),
    "sm": ("device__attribute_multiprocessor_count",),
    "l1tex": ("device__attribute_multiprocessor_count",),
    "smsp": (
        "device__attribute_multiprocessor_count * device__attribute_num_schedulers_per_multiprocessor",
        "4 * device__attribute_multiprocessor_count",
    ),
    "lts": ("device__attribute_l2s_count",),
}
"""Instances of a unit."""

ACTIVE: dict[str, tuple[str, ...]] = {
    "*": ("{u}__cycles_active.avg", "{u}__cycles_active.sum / count:{u}"),
}
"""Cycles during which one instance of a unit had work."""

UNITS: dict[str, dict[str, tuple[str, ...]]] = {"cycles": CYCLES, "count": COUNTS, "active": ACTIVE}


SIGNS = {"+": 1.0, "-": -1.0}
DIVIDES = {"*": False, "/": True}
PSEUDO = ("opcode__", "chip__")
"""Prefixes of pseudo-metrics, which roofcast derives itself."""
NUMBER = re.compile(r"\d+(\.\d+)?(e-?\d+)?")
UNIT_FACTORS = {1e9, 0.01}
"""Numbers that only change a unit (ns, percent): the value stays a counted one."""


@dataclass(frozen=True, slots=True)
class Factor:
    """A number or a name, multiplied or divided into its term."""

    name: str
    number: float
    divides: bool


@dataclass(frozen=True, slots=True)
class Term:
    """A signed product."""

    sign: float
    factors: tuple[Factor, ...]

    @property
    def only_converts(self) -> bool:
        """Whether the product is one name in another unit."""
        numbers = [f for f in self.factors if not f.name]
        return len(self.factors) - len(numbers) == 1 and all(f.number in UNIT_FACTORS for f in numbers)


@cache
def parse(expression: str) -> tuple[Term, ...]:
    """The signed products of an expression whose tokens are separated by spaces.

    >>> [t.sign for t in parse("a__x.sum + 2 * b__x.sum - c__x.sum / time_s")]
    [1.0, 1.0, -1.0]
    """
    terms: list[Term] = []
    sign, divides, factors = 1.0, False, list[Factor]()
    for token in expression.split():
        if token in SIGNS:
            terms.append(Term(sign, tuple(factors)))
            sign, factors = SIGNS[token], []
        elif token in DIVIDES:
            divides = DIVIDES[token]
        else:
            is_number = NUMBER.fullmatch(token) is not None
            factors.append(Factor("" if is_number else token, float(token) if is_number else 1.0, divides))
            divides = False
    return (*terms, Term(sign, tuple(factors)))


@cache
def needed_by(expression: str) -> tuple[str, ...]:
    """Names without which an expression has no value; stored metrics first, because they are quick to look up.

    >>> needed_by("sum:a__x + ?b__y.sum + 2 * c__z.sum")
    ('c__z.sum', 'sum:a__x')
    """
    tokens = (t for t in expression.split() if t not in SIGNS and t not in DIVIDES and t[0] not in "?~")
    # Without parsing it: most expressions are of other chips, and stay unread.
    names = dict.fromkeys(t for t in tokens if NUMBER.fullmatch(t) is None)
    return tuple(sorted(names, key=lambda name: ":" in name))


@dataclass
class Counters:
    """Metrics of n launches with what was rebuilt from them so far."""

    metrics: Mapping[str, FloatArray]
    """Metric name -> (n,) base units, NaN where absent."""
    size: int
    amounts: dict[str, Column] = field(default_factory=dict)
    """Columns of the vocabulary that are already rebuilt; expressions may use them."""
    known: dict[str, Column | None] = field(default_factory=dict)
    """Resolved totals, cycles and counts."""

    def first_of(self, expressions: tuple[str, ...]) -> Column | None:
        """Per launch, the first alternative that has a value; None where none has any."""
        return merged(expressions, self.evaluate)

    def evaluate(self, expression: str) -> Column | None:
        """(n,) values and origins; None where a name that is needed occurs in no launch."""
        if any(self.lookup(name) is None for name in needed_by(expression)):
            return None
        total: FloatArray | None = None
        origin = np.full(self.size, Origin.COUNTED, np.uint8)
        terms = [term for term in parse(expression) if not self.is_missing_extra(term)]
        for term in terms:
            product = self.product(term)
            if product is None:
                return None
            value, codes = product
            total = term.sign * value if total is None else total + term.sign * value
            origin = np.maximum(origin, codes)
        if len(terms) > 1:
            origin = np.maximum(origin, np.uint8(Origin.DERIVED))
        return (np.zeros(self.size) if total is None else total), origin

    def is_missing_extra(self, term: Term) -> bool:
        """Whether a term stands for what most chips do not have, and these do not."""
        return any(f.name.startswith("~") and self.lookup(f.name[1:]) is None for f in term.factors)

    def product(self, term: Term) -> Column | None:
        """One product of an expression."""
        value = np.ones(self.size)
        origin = np.full(self.size, Origin.COUNTED, np.uint8)
        for factor in term.factors:
            if not factor.name:
                value = value / factor.number if factor.divides else value * factor.number
                continue
            column = self.lookup(factor.name)
            if column is None:
                return None
            with quietly(overflow=True):
                value = value / column[0] if factor.divides else value * column[0]
            origin = np.maximum(origin, column[1])
        if not term.only_converts:
            origin = np.maximum(origin, np.uint8(Origin.DERIVED))
        return np.where(np.isfinite(value), value, np.nan), origin

    def lookup(self, name: str) -> Column | None:
        """A metric, total, unit property or amount, by its name in an expression."""
        if name[0] in "?~":
            return self.optional(name[1:], Origin.ASSUMED if name[0] == "?" else Origin.COUNTED)
        if name not in self.known:
            self.known[name] = self.resolve(name)
        return self.known[name]

    def optional(self, name: str, origin: Origin) -> Column:
        """A term that counts as 0 where it is absent."""
        column = self.lookup(name)
        if column is None:
            return np.zeros(self.size), np.full(self.size, origin, np.uint8)
        absent = np.isnan(column[0])
        return np.where(absent, 0.0, column[0]), np.where(absent, np.uint8(origin), column[1]).astype(np.uint8)

    def resolve(self, name: str) -> Column | None:
        """What a name stands for."""
        kind, _, rest = name.partition(":")
        if kind == "sum":
            return self.total(rest)
        if kind in UNITS:
            table = UNITS[kind]
            return self.first_of(tuple(e.format(u=rest) for e in (*table["*"], *table.get(rest, ()))))
        if "__" not in name and name in self.amounts:
            return self.amounts[name]
        values = self.metrics.get(name)
        if values is None:
            return None
        known = Origin.DERIVED if name.startswith(PSEUDO) else Origin.COUNTED
        return values, np.where(np.isnan(values), Origin.ABSENT, known).astype(np.uint8)

    def total(self, counter: str) -> Column | None:
        """The total of a counter over the GPU, from whichever form of it is there."""
        return self.first_of(forms_of(counter))


@cache
def forms_of(counter: str) -> tuple[str, ...]:
    """Every expression that yields the total of a counter, best first.

    >>> forms_of("dram__bytes")[:3]
    ('dram__bytes.sum', 'dram__bytes.sum.per_second * time_s', 'dram__bytes.sum.per_cycle_elapsed * cycles:dram')
    """
    unit, _, event = counter.partition("__")
    forms = [counter + ".sum"]
    peers = [counter, *([f"{PEERS[unit]}__{event}"] if unit in PEERS else [])]
    forms += [f"{p}.sum" for p in peers[1:]]
    forms += [r.format(x=p, u=p.partition("__")[0]) for p in peers for r in ROLLUPS]
    return tuple(forms)


def merged(expressions: tuple[str, ...], evaluate: Callable[[str], Column | None]) -> Column | None:
    """Fill each launch from the first expression that has a value there."""
    value: FloatArray | None = None
    origin: OriginArray | None = None
    for expression in expressions:
        column = evaluate(expression)
        if column is None:
            continue
        if value is None or origin is None:
            value, origin = column
        else:
            open_rows = np.isnan(value)
            value = np.where(open_rows, column[0], value)
            origin = np.where(open_rows, column[1], origin).astype(np.uint8)
        if not np.isnan(value).any():
            break
    if value is None or origin is None or np.isnan(value).all():
        return None
    return value, np.where(np.isnan(value), np.uint8(Origin.ABSENT), origin).astype(np.uint8)
