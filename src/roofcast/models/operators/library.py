r"""Library operators in the mechanistic model: matrix products, softmax, norms, element-wise operators, experts.

A library picks another kernel on every architecture, so that the source's kernel says little about the target's. What
the operator needs is modelled on both sides instead, and only a part of what the source took beside its model travels:

.. math:: T_t = a_t + M_t \, (T_s - a_s)/M_s \, (\ldots)^{\kappa - 1}

On the same architecture the kernel is the same and all of it travels (kappa = 1): the source onto itself is exact.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.formulas.library_kernels import kept_ratio, row_operator_s
from roofcast.formulas.mechanistic_execution import geometric_mix
from roofcast.models.operators import vendors as library_vendors
from roofcast.models.operators.levels import LibraryConstants, RowConstants
from roofcast.models.operators.products import BYTES_OF_PIPE, SINGLE_PRECISION, product_s, sustained_rate
from roofcast.models.physics.kernels import Kernels
from roofcast.models.physics.roofs import Side, rate
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import OperatorRows, find_operators

CAUSES = {
    "library_products": "libraries' matrix products: tiles, waves and power limits of each GPU",
    "library_rows": "libraries' element-wise and row operators: bus, arithmetic, rows, serial launch",
    "library_efficiency": "the part of a library's efficiency that its kernel for another architecture keeps",
    "library_power": "power limits bind dense products, not attention",
    **library_vendors.CAUSES,
}


ROWS_AT_A_TIME = 16.0
NEAR_FLOOR = 1.4
"""A source time up to this multiple of the host's floor is an upper bound of the kernel's."""

TOUCHES = 2.0
"""An element of a row operator is read and written once."""


@dataclass(frozen=True)
class Times:
    """Source times as the library causes see them; (n, 1), floors of the target (1 or n, m)."""

    time_s: FloatArray
    floor_source_s: FloatArray
    floor_target_s: FloatArray
    host_floor_s: tuple[float, float] | None

    def overheads(self, share: float) -> tuple[FloatArray, FloatArray]:
        """Seconds beside the kernel on both sides."""
        host_s, host_t = self.host_floor_s or (0.0, 0.0)
        return self.floor_source_s + share * host_s, self.floor_target_s + share * host_t

    @property
    def near_floor(self) -> NDArray[np.bool_]:
        """(n, 1) where the source took hardly longer than a launch of nothing."""
        return self.time_s <= NEAR_FLOOR * (self.host_floor_s[0] if self.host_floor_s else 0.0)


def library_of(kernels: KernelTable, k: Kernels, off: Collection[str]) -> OperatorRows | None:
    """Library operators of a table whose amounts are the algorithm's: counters know better than any model of a kernel.

    None where there are none.
    """
    if set(CAUSES) <= set(off) or not len(kernels):
        return None
    analytic = (k.stalls_counted == 0) & (k.bytes_counted == 0) & (k.time_alone == 0)
    if not analytic.any():
        return None
    found = find_operators(kernels)
    if found is None:
        return None
    code = np.where(analytic[:, 0], found.code, -1).astype(np.int8)
    return replace(found, code=code) if (code >= 0).any() else None


def modelled(rows: OperatorRows) -> NDArray[np.bool_]:
    """(n,) rows whose operator is modelled on both sides."""
    kinds = (Operation.ELEMENTWISE, Operation.SOFTMAX, Operation.NORMALISATION, Operation.MIXTURE_OF_EXPERTS)
    return rows.of(*kinds) | (rows.of(Operation.GEMM) & ~np.isnan(rows.m))


def unlimited(
    rows: OperatorRows | None, roofs: dict[Resource, FloatArray], side: Side, off: Collection[str]
) -> dict[Resource, FloatArray]:
    """Roofs with attention's products at the peak rate: softmax between them leaves the power limit unreached."""
    if rows is None or "library_power" in off:
        return roofs
    attention = rows.of(Operation.ATTENTION)
    if not attention.any():
        return roofs
    found = dict(roofs)
    for resource in FLOPS_TENSOR:
        seconds = roofs.get(resource)
        if seconds is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                factor = rate(side.machines, resource) / peak_rate(side.machines, resource)
            found[resource] = np.where(attention[:, None] & (factor > 0), seconds * factor, seconds)
    return found


def peak_rate(machines: Machines, resource: Resource) -> FloatArray:
    """FLOP/s that clock and units allow, whatever the power limit; at least the sustained rate."""
    boost = machines.gather(lambda p: p.clock_hz_boost)

    def peak(p: Processor) -> float | None:
        units = SINGLE_PRECISION if resource in SINGLE_PRECISION else (resource,)
        return max((s.peak_per_s or s.per_s for s in map(p.supply, units) if s is not None), default=None)

    return np.asarray(np.fmax(machines.gather(peak) * machines.clock_hz / boost, sustained_rate(machines, resource)))


def overridden(
    result: FloatArray,
    rows: OperatorRows | None,
    k: Kernels,
    sides: tuple[Side, Side],
    roofs: tuple[FloatArray, FloatArray],
    times: Times,
    c: LibraryConstants,
    off: Collection[str],
) -> FloatArray:
    """(n, m) forecasts, those of library operators by their own models.

    roofs : all roofs of the source (n, 1) and of the target (n, m), s.
    """
    if rows is None:
        return result
    found = result
    if "library_efficiency" not in off:
        experts = rows.of(Operation.MIXTURE_OF_EXPERTS)[:, None]
        if experts.any():
            followed = travelled(roofs, sides, times, 0.0, c.experts_kept)
            mixed = geometric_mix(result, followed, c.experts_share)
            found = np.where(experts & np.isfinite(mixed) & (mixed > 0), mixed, found)
    if library_vendors.CAUSE not in off:
        found = between_vendors(found, rows, sides, roofs, times)
    if "library_rows" not in off:
        found = with_row_operators(found, rows, k, sides, times, c, off)
    if "library_products" not in off:
        found = with_products(found, rows, k, sides, times, c, off)
    return found


def with_row_operators(
    found: FloatArray, rows: OperatorRows, k: Kernels, sides: tuple[Side, Side], times: Times, c: LibraryConstants,
    off: Collection[str],
) -> FloatArray:  # fmt: skip
    """Forecasts with those of element-wise operators, softmax and norms."""
    kinds = {
        Operation.ELEMENTWISE: c.elementwise,
        Operation.SOFTMAX: c.softmax,
        Operation.NORMALISATION: c.normalisation,
    }
    for operation, own in kinds.items():
        chosen = np.flatnonzero(rows.of(operation))
        if len(chosen):
            here = (selected(sides[0], chosen), selected(sides[1], chosen))
            needs = tuple(row_s(operation, rows, k, chosen, s.machines, own, off) for s in here)
            kept = kept_of(operation, own.kept, off)
            found = placed(found, chosen, travelled(needs, here, taken(times, chosen), own.floor_share, *kept))
    return found


def kept_of(operation: Operation, kept: float, off: Collection[str]) -> tuple[float, float | None, Operation]:
    """Parts of an efficiency that another architecture and another vendor keep, and whose usual level counts."""
    kept = 1.0 if "library_efficiency" in off else kept
    if library_vendors.CAUSE in off:
        return kept, None, operation
    return kept, library_vendors.kept_across(operation, kept), operation


def between_vendors(
    found: FloatArray, rows: OperatorRows, sides: tuple[Side, Side], roofs: tuple[FloatArray, FloatArray], times: Times
) -> FloatArray:
    """Forecasts with those of attention and convolutions on another vendor's GPU."""
    other = library_vendors.vendors_differ(sides[0].machines, sides[1].machines)
    convolution, attention = Operation.CONVOLUTION, Operation.ATTENTION
    if not other.any() or not rows.of(attention, convolution).any():
        return found
    usual = [library_vendors.level(s.machines, attention) for s in sides]
    beside = np.minimum(times.overheads(0.0)[1], found)
    slower = beside + (found - beside) * (usual[1] / usual[0])
    found = np.where(other & rows.of(attention)[:, None], slower, found)
    across = library_vendors.kept_across(convolution, 1.0)
    followed = travelled(roofs, sides, times, 0.0, 1.0, across, convolution)
    good = other & rows.of(convolution)[:, None] & np.isfinite(followed) & (followed > 0)
    return np.where(good, followed, found)


def with_products(
    found: FloatArray, rows: OperatorRows, k: Kernels, sides: tuple[Side, Side], times: Times, c: LibraryConstants,
    off: Collection[str],
) -> FloatArray:  # fmt: skip
    """Forecasts with those of matrix products of known shape."""
    shaped = rows.of(Operation.GEMM) & ~np.isnan(rows.m)
    for resource, flops in k.amounts.flops.items():
        chosen = np.flatnonzero(shaped & (flops > 0))
        if not len(chosen):
            continue
        shape = tuple(v[chosen, None] for v in (rows.m, rows.n, rows.k, rows.batch))
        moved = k.amounts.get(Resource.BYTES_DRAM)[chosen, None]
        here = (selected(sides[0], chosen), selected(sides[1], chosen))
        own = c.tensor if resource in FLOPS_TENSOR else c.vector
        needs = tuple(product_s(shape, moved, resource, s.machines, peak_rate(s.machines, resource), own) for s in here)
        if resource in FLOPS_TENSOR and library_vendors.ALIGNMENT not in off:
            size = BYTES_OF_PIPE.get(resource, 2.0)
            needs = tuple(
                s * library_vendors.alignment_factor(h.machines, shape[1], shape[2], size)
                for s, h in zip(needs, here, strict=True)
            )
        kept = kept_of(Operation.GEMM, own.kept, off)
        found = placed(found, chosen, travelled(needs, here, taken(times, chosen), 0.0, *kept))
    return found


def travelled(
    needs: tuple[FloatArray, ...], sides: tuple[Side, Side], times: Times, share: float, kept: float,
    across: float | None = None, operation: Operation = Operation.ELEMENTWISE,
) -> FloatArray:  # fmt: skip
    """(n, m) s: the target's need times what the source took over its own, shrunk across architectures.

    needs : of the source (n, 1) and of the target (n, m), s. share : of the host's floor that is beside the kernel.
    across : what is kept between vendors (default: as between architectures), around the usual level of ``operation``.
    """
    beside_s, beside_t = times.overheads(share)
    took = np.maximum(times.time_s - beside_s, 0.15 * times.time_s)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = took / needs[0]
        ratio = np.where(times.near_floor, np.minimum(ratio, 1.0), ratio)
        share_kept = np.where(same_architecture(*sides), 1.0, kept)
        beside = (times.time_s - took) * beside_t / beside_s
        inherited = kept_ratio(ratio, share_kept)
        if across is not None:
            least = library_vendors.LEAST_CYCLES
            here, there = (
                np.maximum(need * library_vendors.level(s.machines, operation), least / s.machines.clock_hz)
                for need, s in zip(needs, sides, strict=True)
            )
            elsewhere = there * np.power(np.where(times.near_floor, np.minimum(took, here), took) / here, across)
            other = library_vendors.vendors_differ(*(s.machines for s in sides))
            return np.asarray(beside + np.where(other, elsewhere, needs[1] * inherited))
        return np.asarray(beside + needs[1] * inherited)


def same_architecture(source: Side, target: Side) -> NDArray[np.bool_]:
    """(n, m) where both sides run the same machine code, so that a library takes the same kernel."""
    keys: dict[str, int] = {}

    def code(machines: Machines) -> FloatArray:
        return machines.gather(lambda p: keys.setdefault(p.architecture or p.key, len(keys)))

    return np.asarray(code(source.machines) == code(target.machines))


def row_s(
    operation: Operation, rows: OperatorRows, k: Kernels, chosen: NDArray[np.intp], machines: Machines, c: RowConstants,
    off: Collection[str],
) -> FloatArray:  # fmt: skip
    """Seconds of row operators on one side."""
    moved = k.amounts.get(Resource.BYTES_DRAM)[chosen, None]
    cycles = machines.gather(lambda p: p.sm_count) * machines.clock_hz
    elements = moved / (TOUCHES * rows.element_bytes[chosen, None])
    per_element = np.full(machines.index.shape, c.cycles_per_element)
    if library_vendors.CAUSE not in off:
        amd = np.where(rows.special[chosen, None], c.amd_cycles_per_special, c.amd_cycles_per_element)
        per_element = geometric_mix(per_element, amd, library_vendors.likeness_to_amd(machines))
    if operation is Operation.SOFTMAX and library_vendors.ALIGNMENT not in off:
        width = elements / rows.rows[chosen, None]
        row_bytes = width * rows.element_bytes[chosen, None]
        per_element = library_vendors.softmax_cycles(machines, per_element, row_bytes, width)
    return row_operator_s(
        c.bytes_share * moved / rate(machines, Resource.BYTES_DRAM),
        per_element * elements / cycles,
        c.row_cycles * rows.rows[chosen, None] / (ROWS_AT_A_TIME * cycles),
    )


def part(machines: Machines, chosen: NDArray[np.intp]) -> Machines:
    """Machines of some rows; what is the same for all rows stays one row."""

    def of(values: NDArray[np.generic]) -> NDArray[np.generic]:
        return values[chosen] if np.ndim(values) and values.shape[0] > 1 else values

    return Machines(machines.processors, of(machines.index), of(machines.clock_hz))  # type: ignore[arg-type]  # same kinds


def selected(side: Side, chosen: NDArray[np.intp]) -> Side:
    """A side of some rows, as far as library causes read it."""
    return replace(side, machines=part(side.machines, chosen))


def taken(times: Times, chosen: NDArray[np.intp]) -> Times:
    """Times of some rows."""

    def of(values: FloatArray) -> FloatArray:
        return values[chosen] if np.ndim(values) and values.shape[0] > 1 else values

    return Times(of(times.time_s), of(times.floor_source_s), of(times.floor_target_s), times.host_floor_s)


def placed(found: FloatArray, chosen: NDArray[np.intp], values: FloatArray) -> FloatArray:
    """Forecasts with some rows replaced, where there is a forecast before and after."""
    result = found.copy()
    good = np.isfinite(values) & (values > 0) & np.isfinite(found[chosen])
    result[chosen] = np.where(good, values, found[chosen])
    return result
