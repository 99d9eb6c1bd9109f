"""Machines: processors as columns, spread over the cells of an array, so that formulas see plain NumPy arrays.

What is known of p processors is an array per field and per supply (:class:`Columns`), made once. They come from a list
of processors (:func:`columns_of`), or from one processor whose values are arrays: a base with its axes
(:func:`columns_of_variations`), however many points they span.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Domain, Kind, Processor, Supply
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, Resource

Texts = NDArray[np.object_]
Made = TypeVar("Made")
Quantity = str | Callable[["Columns"], FloatArray]
"""The name of a number of processors, or a function of their columns."""
TEXTS = frozenset(f.name for f in dataclasses.fields(Processor) if f.type == "str")
NUMBERS = frozenset(
    f.name for f in dataclasses.fields(Processor) if f.type in ("int", "float", "bool", "int | None", "float | None")
)


@dataclass(frozen=True)
class SupplyColumns:
    """One supply of p processors; (p,) each, NaN where the catalog knows none."""

    per_s: FloatArray
    """Measured, or estimated from the class of the processor."""
    peak_per_s: FloatArray
    """Theoretical."""
    clock_hz: FloatArray
    """At which ``per_s`` holds; NaN where it does not follow the SM clock."""
    limit_per_s: FloatArray
    """What no clock exceeds; infinite where none is known."""
    relative_uncertainty: FloatArray
    estimated: NDArray[np.bool_]
    """Whether the class says it, and not a measurement or a specification."""
    own: NDArray[np.bool_]
    """Whether the catalog has exactly this supply, and not another kind of access in its place."""

    @cached_property
    def theory_per_s(self) -> FloatArray:
        """The theoretical rate, at boost; the other one where none is known."""
        return np.where(self.peak_per_s > 0, self.peak_per_s, self.per_s)


class Columns:
    """p processors, an array per field and supply; each is made when it is first asked for."""

    def __init__(self, size: int, members: Sequence[Processor], *, wide: Processor | None = None) -> None:
        """Columns of ``members``, or of ``size`` variations whose values are arrays of ``wide``."""
        self.size = size
        self.members = members
        self.wide = wide
        self.made: dict[object, Any] = {}

    def __len__(self) -> int:
        return self.size

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not what was made here, whose codes hold in this process alone."""
        return self.__dict__ | {"made": {}}

    def once(self, key: object, make: Callable[[], Made]) -> Made:
        """What was made for a key, or is made now."""
        entry = self.made.get(key)
        if entry is None:
            entry = self.made[key] = make()
        return cast("Made", entry)

    def each(self, of: Callable[[Processor], Any], dtype: type = float) -> NDArray[Any]:
        """(p,) a value of every processor, where None counts as NaN."""
        return self.array([np.nan if (v := of(p)) is None else v for p in self.described], dtype)

    @property
    def described(self) -> Sequence[Processor]:
        """The processors, or the one that stands for all variations."""
        return self.members if self.wide is None else (self.wide,)

    def array(self, values: list[Any], dtype: type = float) -> NDArray[Any]:
        """(p,) a value of each of those that are :attr:`described`."""
        if self.wide is None:
            return np.array(values, dtype=dtype)
        return np.broadcast_to(np.asarray(values[0], dtype=dtype), (self.size,))

    def number(self, name: str) -> FloatArray:
        """(p,) a field; NaN where unknown."""
        if name not in NUMBERS:
            raise AttributeError(f"processors have no number {name!r}")
        return self.once(name, lambda: self.each(lambda p: getattr(p, name)))

    def text(self, name: str) -> Texts:
        """(p,) a field that is a text."""
        if name not in TEXTS:
            raise AttributeError(f"processors have no text {name!r}")
        return self.once(name, lambda: self.each(lambda p: getattr(p, name), object))

    def quantity(self, quantity: Quantity) -> FloatArray:
        """(p,) a number, or what a function makes of the columns."""
        if isinstance(quantity, str):
            return self.number(quantity)
        return self.once(quantity, lambda: np.asarray(quantity(self), dtype=np.float64))

    def told(self, name: str, of: Callable[[str], float | bool]) -> FloatArray:
        """(p,) what a text of each says, each text looked at once."""
        if self.wide is not None:
            return self.each(lambda p: of(getattr(p, name)))
        known = {text: of(text) for text in dict.fromkeys(self.text(name).tolist())}
        return np.array([known[text] for text in self.text(name).tolist()], dtype=np.float64)

    def supply(self, resource: Resource, variant: str | None = None) -> SupplyColumns:
        """(p,) a supply, of one kind of access where a processor has that."""
        return self.once((resource, variant), lambda: self.read_supply(resource, variant))

    def read_supply(self, resource: Resource, variant: str | None) -> SupplyColumns:
        """The columns of a supply."""
        key = f"{resource.value}:{variant}"
        supplies = [p.supply(resource, variant) for p in self.described]

        def of(take: Callable[[Supply], Any], absent: Any, dtype: type = float) -> NDArray[Any]:
            return self.array([absent if s is None else take(s) for s in supplies], dtype)

        return SupplyColumns(
            per_s=of(lambda s: s.per_s, np.nan),
            peak_per_s=of(lambda s: np.nan if s.peak_per_s is None else s.peak_per_s, np.nan),
            clock_hz=of(lambda s: np.nan if s.domain is not Domain.SM or s.clock_hz is None else s.clock_hz, np.nan),
            limit_per_s=of(lambda s: np.inf if s.limit_per_s is None else s.limit_per_s, np.inf),
            relative_uncertainty=of(lambda s: s.relative_uncertainty, np.nan),
            estimated=of(lambda s: s.kind is Kind.ESTIMATED, False, bool),
            own=self.each(lambda p: resource in p.supplies if variant is None else key in p.variants, bool),
        )

    def codes(self, name: str) -> NDArray[np.intp]:
        """(p,) a number for each different text of a field, the same in all columns."""
        return self.once(("codes", name), lambda: self.each(lambda p: code_of(getattr(p, name)), np.intp))


CODES: dict[str, int] = {}


def code_of(text: str) -> int:
    """The number of a text, the same as long as the process runs."""
    return CODES.setdefault(text, len(CODES))


KEPT_MOST = 16
"""Sets of machines whose columns stay in memory."""
KEPT: dict[tuple[int, ...], Columns] = {}
"""Columns of the lists that were asked for last: a catalog is forecast on more than once."""


def columns_of(processors: Sequence[Processor]) -> Columns:
    """Columns of a list of processors, the same for the same objects."""
    members = tuple(processors)
    key = tuple(map(id, members))
    columns = KEPT.pop(key, None) or Columns(len(members), members)
    # The columns hold the processors, so that no other one has their places in memory.
    KEPT[key] = columns
    while len(KEPT) > KEPT_MOST:
        KEPT.pop(next(iter(KEPT)), None)
    return columns


def columns_of_variations(wide: Processor, size: int) -> Columns:
    """Columns of one processor whose changed values are arrays, (size,) each."""
    return Columns(size, (), wide=wide)


@dataclass(frozen=True)
class Machines:
    """Which processor each cell runs on, and at which SM clock.

    columns : what is known of p processors.
    index : (...) position in ``columns``, -1 where the processor is unknown.
    clock_hz : broadcastable to the result, Hz.
    limited : (n, m) cells at the clock of a single launch, which a board may lower under a load that lasts; None where
        the clocks are those of the run.
    """

    columns: Columns
    index: NDArray[np.intp]
    clock_hz: FloatArray
    limited: NDArray[np.bool_] | None = field(default=None, repr=False, compare=False)
    shared: bool = False
    """Whether what all targets have in common is gathered as one, (1, 1): kernels meet it once, not on each of them."""
    made: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was gathered before."""

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not what was gathered here."""
        return self.__dict__ | {"made": {}}

    def once(self, key: object, make: Callable[[], Made]) -> Made:
        """What was made of these machines for a key, or is made now."""
        entry = self.made.get(key)
        if entry is None:
            entry = self.made[key] = make()
        return cast("Made", entry)

    @classmethod
    def of(
        cls, processors: Sequence[Processor], index: NDArray[np.intp] | None = None, clock_hz: FloatArray | None = None
    ) -> Machines:
        """Machines at the given clocks (default: boost); without an index, one cell per processor."""
        columns = columns_of(processors)
        where = np.arange(len(columns), dtype=np.intp) if index is None else index
        machines = cls(columns, where, np.zeros(()))
        return machines.at(machines.gather("clock_hz_boost") if clock_hz is None else clock_hz)

    @cached_property
    def width(self) -> int:
        """Machines beside each other: 1 where each kernel has one."""
        return int(np.broadcast_shapes(self.index.shape, np.shape(self.clock_hz))[-1])

    @property
    def processors(self) -> Sequence[Processor]:
        """The processors themselves; none of a design space."""
        return self.columns.members

    def at(self, clock_hz: FloatArray) -> Machines:
        """The same machines at other clocks."""
        return Machines(self.columns, self.index, clock_hz, shared=self.shared)

    def cells(self, index: NDArray[np.intp], clock_hz: FloatArray) -> Machines:
        """Other cells of the same processors."""
        return Machines(self.columns, index, clock_hz, shared=self.shared)

    def spread(self, values: NDArray[Any], absent: Any = np.nan) -> NDArray[Any]:
        """Shape of ``index``, or what is ``shared``: each cell's part of (p,) values."""
        if self.some_unknown:
            return np.append(values, absent)[self.index]
        spread = values[self.index]
        return common_cell(spread) if self.shared else spread

    @cached_property
    def some_unknown(self) -> bool:
        """Return whether a cell's processor is unknown."""
        return bool((self.index < 0).any())

    def gather(self, quantity: Quantity) -> FloatArray:
        """Shape of ``index``: a quantity of each cell's processor, NaN where unknown."""
        return self.once(quantity, lambda: self.spread(self.columns.quantity(quantity)))

    def codes(self, name: str) -> NDArray[np.intp]:
        """Shape of ``index``: a number for each different text of a field, -1 where the processor is unknown."""
        return self.spread(self.columns.codes(name), -1)

    def rate(self, resource: Resource, variant: str | None = None) -> FloatArray:
        """Supply per second of a resource at each cell's clock; NaN where the catalog knows none."""
        return self.once((resource, variant), lambda: self.read_rate(self.columns.supply(resource, variant)))

    def read_rate(self, s: SupplyColumns) -> FloatArray:
        """A supply at each cell's clock."""
        per_s = self.spread(s.per_s)
        follows = ~np.isnan(s.clock_hz)
        if not follows.any():
            return per_s
        scaled = per_s * (self.clock_hz / self.spread(s.clock_hz))
        if np.isfinite(s.limit_per_s).any():
            scaled = np.minimum(scaled, self.spread(s.limit_per_s, np.inf))
        return scaled if follows.all() else np.where(self.spread(follows, absent=False), scaled, per_s)

    def uncertainty(self, resource: Resource, variant: str | None = None) -> FloatArray:
        """Relative uncertainty of that supply (one standard deviation); NaN where unknown."""
        return self.spread(self.columns.supply(resource, variant).relative_uncertainty)


Values = TypeVar("Values", bound=NDArray[Any])


def common_cell(values: Values) -> Values:
    """(1, 1) the value of a row of cells that all have the same or none; other values as they are.

    >>> common_cell(np.array([[2.0, 2.0]])).tolist(), common_cell(np.array([[1.0, 2.0]])).tolist()
    ([[2.0]], [[1.0, 2.0]])
    """
    if len(values) != 1 or values.shape[-1] < 2:
        return values
    first = values[:, :1]
    # Most rows differ in their ends.
    if values[0, 0] != values[0, -1] and not (values[0, 0] != values[0, 0] and values[0, -1] != values[0, -1]):
        return values
    same = (values == first).all() or (values.dtype.kind == "f" and np.isnan(values).all())
    return cast("Values", np.ascontiguousarray(first)) if same else values


def column(machines: Machines) -> Machines:
    """Machines of n kernels, shaped (n, 1) so that they broadcast over targets."""
    return machines.cells(machines.index[:, None], np.asarray(machines.clock_hz)[:, None])


def positive(rate: FloatArray) -> FloatArray:
    """A supply or a time; NaN where it is not a positive finite number."""
    return np.where((rate > 0) & (rate < np.inf), rate, np.nan)


BOOST_SHARE = 0.97
"""Below this share of the boost clock no power limit holds a pipe back: theory applies."""


def rate(machines: Machines, resource: Resource) -> FloatArray:
    """Supply per second: sustained at boost, theoretical below it; NaN where unknown or 0."""
    return machines.once(("rate", resource), lambda: read_usable_rate(machines, resource))


def read_usable_rate(machines: Machines, resource: Resource) -> FloatArray:
    """The rate that kernels can use."""
    sustained = machines.rate(resource)
    if resource.is_compute and resource not in FLOPS_TENSOR:
        s = machines.columns.supply(resource)
        peak = sustained * machines.spread(np.where(s.peak_per_s > 0, s.peak_per_s, np.nan) / s.per_s)
        with quietly():
            held = (machines.clock_hz < BOOST_SHARE * machines.gather("clock_hz_boost")) & ~np.isnan(peak)
        sustained = np.where(held, peak, sustained)
    return np.where(sustained > 0, sustained, np.nan)


def likeness_to_amd(machines: Machines) -> FloatArray:
    """Shape of the machines' index: 1 for AMD's GPUs, 0 for NVIDIA's, between for others, which nobody measured."""
    return machines.gather(amd_likeness)


def amd_likeness(p: Columns) -> FloatArray:
    """1 for AMD's GPUs, 0 for NVIDIA's."""
    return p.told("vendor", lambda vendor: {"AMD": 1.0, "NVIDIA": 0.0}.get(vendor, 0.5))


def has_stacked_memory(p: Columns) -> FloatArray:
    """1 for HBM, 0 for memory on the board."""
    return p.told("memory_type", lambda memory: memory.upper().startswith("HBM"))


def has_inline_ecc(p: Columns) -> FloatArray:
    """1 where codes against errors lie in the memory that holds the data: NVIDIA's data centre cards with GDDR.

    Source: NVIDIA's Tesla and data centre GPU manuals (ECC is on by default and takes memory of its own; HBM has room
    for the codes beside the data, GeForce cards have none).
    """
    with_codes = p.told("vendor", lambda v: v == "NVIDIA") * p.told("segment", lambda s: s == "datacentre")
    return np.asarray(with_codes * p.told("memory_type", lambda memory: memory.upper().startswith("GDDR")))


VOLTA = 7
"""Compute capability (major) of NVIDIA's GPUs from which blocks of threads start and wait alike."""


def is_since_volta(p: Columns) -> FloatArray:
    """1 for NVIDIA's GPUs since Volta."""

    def since_volta(capability: str) -> bool:
        major = capability.partition(".")[0]
        return major.isdigit() and int(major) >= VOLTA

    return p.told("compute_capability", since_volta)


def last_capacity_bytes(p: Columns) -> FloatArray:
    """B of the last cache before DRAM; NaN where unknown."""
    return np.fmax(positive(p.number("capacity_bytes_l2")), positive(p.number("capacity_bytes_llc")))


def has_variant(machines: Machines, resource: Resource, variant: str) -> FloatArray:
    """Shape of the machines' index: 1 where the catalog has a ceiling for this kind of access, else NaN."""
    known = machines.columns.supply(resource, variant).own
    return machines.once(("own", resource, variant), lambda: machines.spread(np.where(known, 1.0, np.nan)))
