"""The stages of a forecast at which causes act, in order, with what they change and what they read.

A kernel on both sides (:data:`SIDES`) and in their caches (:data:`CACHES`), what it uses (:data:`AMOUNTS`) and waits
for at launch (:data:`FLOORS`), the seconds of its roofs (:data:`ROOFS`), of DRAM as far as caches leave it anything
(:data:`DRAM`), and of its blocks (:data:`BLOCKS`, :data:`BESIDE`), what they leave unexplained (:data:`REST`) and
how that scales (:data:`CLOCK`, :data:`WAITING`, :data:`FOLLOWING`), the factor that makes the source exact
(:data:`CALIBRATION`), operators of libraries (:data:`OPERATORS`) and bounds on the result (:data:`BOUNDS`). The other
stages stand inside one cause and let further causes refine it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, fields, replace
from types import EllipsisType
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.core.records import dataclass
from roofcast.core.remarks import Remarks
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.formulas.values import Values
from roofcast.models.kernel_amounts import Amounts
from roofcast.models.operators.levels import LibraryConstants, RowConstants
from roofcast.models.physics.carried import Carried, SecondsByResource
from roofcast.models.physics.cause import Constants, Stage, Walk
from roofcast.models.physics.kernel_inputs import Kernels
from roofcast.models.physics.law import LawConstants, LawInputs
from roofcast.models.physics.sides import Side
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import OperatorRows

AmountsByResource = dict[Resource, FloatArray]


@dataclass(frozen=True)
class Inputs:
    """Kernels and constants: what the first stages read."""

    k: Kernels
    c: Constants
    walk: Walk


@dataclass(frozen=True)
class Floors:
    """Seconds that a launch of nothing takes: source (n, 1), target (n, m)."""

    source_s: FloatArray
    target_s: FloatArray


@dataclass(frozen=True)
class Pair(Inputs):
    """Kernels on the way from their sources to their targets: what the later stages read."""

    table: KernelTable
    conditions: Conditions
    operators: OperatorRows | None
    """Which kernels are a library's operators, where any is."""
    levels: LibraryConstants
    law: LawConstants
    source: Side
    target: Side
    time_s: FloatArray
    """(n, 1) s, NaN where it is no time."""
    floor_source_s: FloatArray
    floor_target_s: FloatArray
    execution_s: FloatArray
    """(n, 1) s on the source without the floor."""
    host_s: FloatArray
    """(n, 1) s that the host takes of a call, as the source's own times show; 0 where they do not."""
    made: dict[object, Any] = field(default_factory=dict, repr=False)
    """What was made of the pair before (:meth:`once`)."""

    def once(self, key: object, make: Callable[[], Made]) -> Made:
        """What no cache of the target moves: made once for its run with warm caches and the one with cold ones."""
        if key not in self.made:
            self.made[key] = make()
        return cast("Made", self.made[key])

    @property
    def host_floors_s(self) -> tuple[Values, Values]:
        """S of the hosts, source and target: as given, else the source's own on both."""
        return self.conditions.launch_floor_s or (self.host_s, self.host_s)

    def rows(self, chosen: NDArray[np.intp]) -> Pair:
        """Some rows, as far as the causes of operators read them: machines and times."""
        n = len(self.time_s)
        return replace(
            self,
            source=replace(self.source, machines=rows_of(self.source.machines, chosen, n)),
            target=replace(self.target, machines=rows_of(self.target.machines, chosen, n)),
            time_s=rows_of(self.time_s, chosen, n),
            floor_source_s=rows_of(self.floor_source_s, chosen, n),
            floor_target_s=rows_of(self.floor_target_s, chosen, n),
            host_s=rows_of(self.host_s, chosen, n),
            made={},
        )


Found = TypeVar("Found")
Made = TypeVar("Made")


def rows_of(found: Found, chosen: NDArray[np.intp], n: int) -> Found:
    """Some of n kernels of whatever was found for them; what is the same for all of them stays as it is.

    found : an array whose first axis are the kernels, machines, or what is made of such. chosen : (r,) ascending.
    """
    result: Any = found
    if len(chosen) == n:
        return found
    if isinstance(found, np.ndarray):
        result = found[chosen] if found.shape[:1] == (n,) else found
    elif isinstance(found, Machines):
        index, clock_hz = rows_of(found.index, chosen, n), rows_of(found.clock_hz, chosen, n)
        same = index is found.index and clock_hz is found.clock_hz
        result = found if same else found.cells(index, clock_hz)
    elif isinstance(found, dict):
        result = {key: rows_of(values, chosen, n) for key, values in found.items()}
    elif isinstance(found, SecondsByResource):
        result = SecondsByResource(rows_of(found.found, chosen, n), rows_of(found.fill_ratio, chosen, n))
    elif isinstance(found, KernelTable):
        # The same rows of them on other targets.
        result = found.once(("rows", chosen.tobytes()), None, lambda: found.select(chosen))
    elif isinstance(found, Pair):
        key = ("rows of kernels", chosen.tobytes())
        k = found.table.once(key, found.k, lambda: rows_of(found.k, chosen, n))
        others = {f.name: rows_of(getattr(found, f.name), chosen, n) for f in fields(found) if f.name != "k"}
        result = replace(found, **{**others, "k": k, "made": {}})
    elif isinstance(found, (Beside, Carried, Kernels, LawInputs, Amounts, Side, OperatorRows, Roofs)):
        parts = {f.name: rows_of(getattr(found, f.name), chosen, n) for f in fields(found)}
        result = replace(found, **parts)
    elif isinstance(found, Remarks):
        result = Remarks(len(chosen), [(mask[chosen], text) for mask, text in found.entries])
    return cast("Found", result)


def select_rows(values: FloatArray, chosen: NDArray[np.intp]) -> FloatArray:
    """Some rows; what is the same for all stays one."""
    return values[chosen] if np.ndim(values) and values.shape[0] > 1 else values


@dataclass(frozen=True)
class Roofs:
    """Seconds that each resource alone would need: (n, 1) on the source, (n, m) on the target."""

    source: SecondsByResource
    target: SecondsByResource
    hidden_fp64: FloatArray
    """(n, 1) how surely the source's FP64 units are the limit, though the FLOP count does not say so."""

    def put(
        self, resource: Resource, own: NDArray[np.bool_], here: FloatArray, moved: NDArray[np.bool_], there: FloatArray
    ) -> Roofs:
        """A copy with other seconds of one resource.

        own, here : on the source, where, (n, 1) or (n, m), and s. moved, there : the same on the target.
        """
        source = np.where(own, here, self.source.get(resource, np.full((1, 1), np.nan)))
        return replace(
            self,
            source=self.source | {resource: source},
            target=self.target.put(resource, source, own, moved, there),
        )

    def carry(
        self, resource: Resource, own: NDArray[np.bool_], here: FloatArray, rate_ratio: FloatArray, *, of_sms: bool
    ) -> Roofs:
        """A copy with other seconds of one resource in some kernels, which the two GPUs' rates carry to the target.

        own, here : (n, 1) where, and s on the source. rate_ratio : (1, m) 1, P_s / P_t.
        """
        before = self.target.found.get(resource)
        if before is None or (isinstance(before, Carried) and before.is_alike(rate_ratio, of_sms=of_sms)):
            source = np.where(own, here, self.source.get(resource, np.full((1, 1), np.nan)))
            carried = Carried(source, rate_ratio if before is None else before.rate_ratio, of_sms)
            return replace(self, source=self.source | {resource: source}, target=self.target | {resource: carried})
        there = Carried(here, rate_ratio, of_sms).cells(self.target.fill_ratio)
        return self.put(resource, own, here, own, there)

    def changed(self, resource: Resource, factor: FloatArray, factor_target: FloatArray | None = None) -> Roofs:
        """A copy with the seconds of one resource times a factor."""
        more = factor if factor_target is None else factor_target
        return replace(self, source=self.source.times(resource, factor), target=self.target.times(resource, more))


@dataclass(frozen=True)
class Beside:
    """Seconds of all resources but DRAM: no cache moves it. (n, 1) on the source, (n, m) on the target."""

    source_s: FloatArray
    """All together, with the starts and trees of blocks."""
    target_s: FloatArray


@dataclass(frozen=True)
class OneSide:
    """Blocks on one side, and the source that shows what they do."""

    pair: Pair
    side: Side


@dataclass(frozen=True)
class Explained:
    """What the roofs say of a pair."""

    pair: Pair
    roofs: Roofs


@dataclass(frozen=True)
class Unexplained:
    """The source seconds that no roof explains."""

    pair: Pair
    roofs_source: Mapping[Resource, FloatArray]
    roof_ratio: FloatArray
    """(n, m) all roofs of the target over the source's."""
    slowest: FloatArray
    """(n, 1) share of the source time that its slowest roof has."""
    memory: FloatArray
    """(n, 1) share of the warps' time that they wait for memory."""

    @property
    def counted(self) -> NDArray[np.bool_]:
        """(n, 1) kernels with stall reasons."""
        return self.pair.k.stalls_counted > 0


class Logs(dict[bytes, FloatArray]):
    """Ln b of all kernels, or of some of them."""


@dataclass(frozen=True)
class Follows:
    """A part of the unexplained seconds, and the ratio that it scales by."""

    share: FloatArray
    """(n, 1) w, or (n, m) where a ratio is known on some targets only."""
    ratio: FloatArray
    """(n, m) b, or what broadcasts."""
    logs: Logs = field(default_factory=Logs, repr=False, compare=False)
    """What was asked for before."""

    def of_share(self, share: FloatArray) -> Follows:
        """The same ratio with another share."""
        return Follows(share, self.ratio, self.logs)

    def log(self, rows: NDArray[np.intp] | EllipsisType) -> FloatArray:
        """Ln b of some kernels, or of all: what several runs share is taken once."""
        key = b"" if isinstance(rows, EllipsisType) else rows.tobytes()
        if key not in self.logs:
            self.logs[key] = np.log(self.ratio[rows] if len(self.ratio) > 1 else self.ratio)
        return self.logs[key]


Factor = list[Follows]
r"""A factor on the unexplained seconds: what depends on the kernel times what depends on the two GPUs, in logarithms.

.. math:: \ln s = \sum_i w_i \ln b_i
"""


@dataclass(frozen=True)
class Scale(Unexplained):
    """How they scale: the ratios that the causes choose from, (n, m)."""

    clock: FloatArray
    """SM clock of the source over the target's, as dependent instructions see it."""
    machine: FloatArray
    """SMs x clock of the source over the target's."""


@dataclass(frozen=True)
class Uncounted:
    """Code without stall reasons."""

    scale: Scale
    passes: FloatArray
    """(n, m) load/store passes per second, source over target."""


@dataclass(frozen=True)
class Calibration:
    """What the source's own calibration reads."""

    pair: Pair
    rest_s: FloatArray
    """(n, 1)"""


@dataclass(frozen=True)
class PairRoofs:
    """What the causes of operators read: the pair, and all roofs together on both sides, s."""

    pair: Pair
    roofs_source_s: FloatArray
    roofs_target_s: FloatArray
    roofs: Roofs


@dataclass(frozen=True)
class Result:
    """Forecasts so far."""

    time_s: FloatArray
    """(n, m)"""
    named: NDArray[np.bool_] | None = None
    """(n,) kernels that were forecast by the operation in their name; None for none."""
    link_spread: FloatArray | None = None
    """(n, m) factor to the ends of the interval of collectives, which were forecast by the links between GPUs, NaN of
    other kernels; None for none."""
    law: LawInputs | None = None
    """What the law without counters read; None where every kernel has counters."""
    needs_s: FloatArray | None = None
    """(n, m) s that the models of operators need on the source, 0 where none speaks; None for none."""
    kept: FloatArray | None = None
    """(n, m) part of what those models miss that travels."""


@dataclass(frozen=True)
class Kept:
    """What of a library kernel's efficiency travels."""

    operation: Operation
    usual: float
    """Share that kernels for another architecture usually keep."""
    share: float = 1.0
    """Share that is kept between architectures."""
    across: float | None = None
    """Between vendors, around their usual levels; None: as between architectures."""


@dataclass(frozen=True)
class RowOperators:
    """Row operators of one kind on one side."""

    operation: Operation
    operators: OperatorRows
    chosen: NDArray[np.intp]
    """(r,) their rows."""
    machines: Machines
    elements: FloatArray
    """(r, 1)"""
    own: RowConstants


@dataclass(frozen=True)
class Products:
    """Matrix products on one pipe and one side."""

    pipe: Resource
    machines: Machines
    n: FloatArray
    """(r, 1) columns of the result."""
    k: FloatArray
    """(r, 1) length of the sums."""


def cells_of_side(state: Side, read: Inputs) -> tuple[int, int]:
    """Kernels x machines of one side."""
    return len(read.k.time_s), state.machines.width


def cells_of_kernels(state: object, read: Inputs) -> tuple[int, int]:
    """Kernels, whatever the machine."""
    return len(read.k.time_s), 1


def cells_of_floors(state: Floors, read: Conditions) -> tuple[int, int]:
    """Kernels x targets, as far as their floors differ."""
    n, m = np.broadcast_shapes(state.source_s.shape, state.target_s.shape)
    return n, m


def cells_of_pair(state: object, read: Pair) -> tuple[int, int]:
    """Kernels x targets."""
    return len(read.time_s), read.target.machines.width


def cells_of_part(state: object, read: OneSide | Explained | Unexplained | Calibration | PairRoofs) -> tuple[int, int]:
    """Kernels x targets of the pair that is read; a cause may hold between some GPUs only, and so change a source."""
    return cells_of_pair(state, read.pair)


def cells_of_uncounted(state: object, read: Uncounted) -> tuple[int, int]:
    """The same inside of a cause."""
    return cells_of_pair(state, read.scale.pair)


def cells_of_operators(state: object, read: RowOperators | Products) -> tuple[int, int]:
    """Rows of operators x machines of one side."""
    return len(read.elements if isinstance(read, RowOperators) else read.n), read.machines.width


SIDES: Stage[Side, Inputs] = Stage("sides", "what either GPU offers the kernel", cells_of_side)
CACHES: Stage[Side, Inputs] = Stage("caches", "which of the bytes its caches serve", cells_of_side)
AMOUNTS: Stage[AmountsByResource, Inputs] = Stage("amounts", "which of its amounts may be a limit", cells_of_kernels)
FLOORS: Stage[Floors, Conditions] = Stage("floors", "seconds of the launch alone", cells_of_floors)
ROOFS: Stage[Roofs, Pair] = Stage(
    "roofs", "seconds per resource, with what the source time says beside the amounts", cells_of_pair
)
DRAM: Stage[Roofs, Pair] = Stage("dram", "seconds of the bytes that caches leave to DRAM", cells_of_pair)
BLOCKS: Stage[list[FloatArray], OneSide] = Stage("blocks", "seconds of the blocks that no amount names", cells_of_part)
BESIDE: Stage[FloatArray, OneSide] = Stage(
    "beside", "seconds of all that is no DRAM, blocks with it, together", cells_of_part
)
REST: Stage[FloatArray, Explained] = Stage("rest", "source seconds that neither roofs nor floor explain", cells_of_part)
CLOCK: Stage[FloatArray, Unexplained] = Stage("clock", "the ratio of the SM clocks", cells_of_part)
WAITING: Stage[Factor, Scale] = Stage("waiting", "how the unexplained seconds scale where warps wait", cells_of_part)
UNCOUNTED: Stage[Factor, Uncounted] = Stage(
    "uncounted", "inside of machine_rate: code without stall reasons", cells_of_uncounted
)
FOLLOWING: Stage[Factor, Scale] = Stage("following", "which part of them follows a rate instead", cells_of_part)
SCATTERED: Stage[FloatArray, Scale] = Stage(
    "scattered", "inside of random_dram: random accesses, source over target", cells_of_part
)
CALIBRATION: Stage[FloatArray, Calibration] = Stage(
    "calibration", "the factor that makes the source exact", cells_of_part
)
OPERATORS: Stage[Result, PairRoofs] = Stage("operators", "forecasts of operators by their own models", cells_of_part)
KEPT: Stage[Kept, Pair] = Stage("kept", "inside of the operators: what of an efficiency travels", cells_of_pair)
ROW_CYCLES: Stage[FloatArray, RowOperators] = Stage(
    "row cycles", "inside of library_rows: SM cycles per element", cells_of_operators
)
PRODUCT_S: Stage[FloatArray, Products] = Stage(
    "product seconds", "inside of library_products: seconds on a side", cells_of_operators
)
BOUNDS: Stage[FloatArray, Pair] = Stage("bounds", "least seconds of the result", cells_of_pair)


STAGES = (
    *(
        SIDES,
        CACHES,
        AMOUNTS,
        FLOORS,
        ROOFS,
        DRAM,
        BLOCKS,
        BESIDE,
        REST,
        CLOCK,
        WAITING,
        UNCOUNTED,
        FOLLOWING,
        SCATTERED,
    ),
    *(CALIBRATION, OPERATORS, KEPT, ROW_CYCLES, PRODUCT_S, BOUNDS),
)
"""In the order in which a forecast passes them."""

AFTER_ROOFS = frozenset(
    {
        *(DRAM, REST, CLOCK, WAITING, UNCOUNTED, FOLLOWING, SCATTERED, CALIBRATION, OPERATORS, KEPT, ROW_CYCLES),
        *(PRODUCT_S, BOUNDS),
    }
)
"""Those after the seconds of each resource: what a cause does at these alone is asked again without the others."""


def has_no_counters(k: Kernels) -> NDArray[np.bool_]:
    """(n, 1) kernels of which no profiler counted anything.

    DRAM bytes without a launch, L1 or L2 beside them were worked out: every profiler writes more.
    """
    return k.without_counters


def geometric_mix(a: Values, b: Values, share: Values) -> FloatArray:
    r"""Between two scalings: one cause's share of the seconds follows ``b``, the rest ``a``.

    .. math:: a^{1 - s} b^{s}

    >>> round(float(geometric_mix(1.0, 4.0, 0.5)), 9)
    2.0
    """
    s = np.asarray(share, dtype=np.float64)
    return np.asarray(np.power(a, 1.0 - s) * np.power(b, s))


def follow(factor: Factor, ratio: Values | Follows, share: FloatArray) -> Factor:
    r"""A factor of which a share follows another ratio: :func:`geometric_mix` with every other share that much less.

    .. math:: \ln s' = (1 - u) \ln s + u \ln b

    ratio : b, (n, m) or what broadcasts, or what wholly follows it. share : u, (n, 1) or (n, m).

    >>> follow([Follows(np.ones((1, 1)), np.array([[2.0]]))], 4.0, np.array([[0.25]]))[0].share.tolist()
    [[0.75]]
    """
    return mix_factors(factor, [ratio if isinstance(ratio, Follows) else wholly(ratio)], share)


def wholly(ratio: Values) -> Follows:
    """What follows a ratio wholly."""
    return Follows(np.ones((1, 1)), np.atleast_2d(np.asarray(ratio, dtype=np.float64)))


def mix_factors(factor: Factor, other: Factor, share: FloatArray) -> Factor:
    """A factor of which a share follows another factor. share : (n, 1) or (n, m)."""
    if not share.any():
        return factor
    left = 1.0 - share
    return [*(p.of_share(p.share * left) for p in factor), *(p.of_share(p.share * share) for p in other)]


MANY = 0.4
"""Share of the kernels from which all of them are computed at once: to gather rows and to put them back takes longer
than the logarithms of the others."""


def log_of(factor: Factor) -> FloatArray:
    r"""Ln s: the sum of each share times the logarithm of its ratio.

    What has no share in a ratio asks nothing of it: it does not need to be known. Most kernels have none in most.

    >>> log_of([Follows(np.array([[0.5], [0.0]]), np.array([[4.0], [np.nan]]))]).round(3).tolist()
    [[0.693], [0.0]]
    """
    shape = np.broadcast_shapes(*(values.shape for part in factor for values in (part.share, part.ratio)))
    result: FloatArray | None = None
    for part in factor:
        share = part.share
        concerned = share[:, 0] != 0.0 if share.shape[1] == 1 else (share != 0.0).any(axis=1)
        count = np.count_nonzero(concerned)
        if not count:
            continue
        rows = ... if count > MANY * len(concerned) else np.flatnonzero(concerned)
        weighted = part.log(rows) * share[rows]
        if share.shape[1] > 1:
            weighted = np.where(share[rows] == 0.0, 0.0, weighted)
        elif rows is ... and count < len(concerned):
            weighted[~concerned] = 0.0
        if result is None and weighted.shape == shape:
            result = weighted
            continue
        result = np.zeros(shape) if result is None else result
        if rows is ...:
            result += weighted
        else:
            result[rows] += weighted
    return np.zeros(shape) if result is None else result
