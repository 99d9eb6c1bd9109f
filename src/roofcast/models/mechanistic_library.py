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

from roofcast.core.machines import Machines
from roofcast.core.processor import Processor
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.core.table import FloatArray, KernelTable
from roofcast.formulas.library_kernels import kept_ratio, row_operator_s
from roofcast.formulas.mechanistic_execution import geometric_mix
from roofcast.models.library_constants import LibraryConstants, RowConstants
from roofcast.models.library_products import product_s
from roofcast.models.mechanistic_kernel import Kernels
from roofcast.models.mechanistic_roofs import Side, rate
from roofcast.transfer.library_kernels import Operation
from roofcast.transfer.operator_shapes import OperatorRows, operator_rows

CAUSES = {
    "library_products": "libraries' matrix products: tiles, waves and power limits of each GPU",
    "library_rows": "libraries' element-wise and row operators: bus, arithmetic, rows, serial launch",
    "library_efficiency": "the part of a library's efficiency that its kernel for another architecture keeps",
    "library_power": "power limits bind dense products, not attention",
}


ROWS_AT_A_TIME = 16.0
NEAR_FLOOR = 1.4
"""A source time up to this multiple of the host's floor is an upper bound of the kernel's."""

BYTES_PER_ELEMENT_TOUCHED = 8.0
"""Read and written once in single precision: elements from bytes where nothing else tells."""


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
    found = operator_rows(kernels)
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
        supply = p.supply(resource)
        if supply is None:
            return None
        return supply.peak_per_s or supply.per_s

    return np.asarray(np.fmax(machines.gather(peak) * machines.clock_hz / boost, rate(machines, resource)))


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
            needs = tuple(row_s(rows.rows[chosen], k, chosen, s.machines, own) for s in here)
            kept = 1.0 if "library_efficiency" in off else own.kept
            found = placed(found, chosen, travelled(needs, here, taken(times, chosen), own.floor_share, kept))
    return found


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
        kept = 1.0 if "library_efficiency" in off else own.kept
        found = placed(found, chosen, travelled(needs, here, taken(times, chosen), 0.0, kept))
    return found


def travelled(
    needs: tuple[FloatArray, ...], sides: tuple[Side, Side], times: Times, share: float, kept: float
) -> FloatArray:
    """(n, m) s: the target's need times what the source took over its own, shrunk across architectures.

    needs : of the source (n, 1) and of the target (n, m), s. share : of the host's floor that is beside the kernel.
    """
    beside_s, beside_t = times.overheads(share)
    took = np.maximum(times.time_s - beside_s, 0.15 * times.time_s)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = took / needs[0]
        ratio = np.where(times.near_floor, np.minimum(ratio, 1.0), ratio)
        share_kept = np.where(same_architecture(*sides), 1.0, kept)
        beside = (times.time_s - took) * beside_t / beside_s
        return np.asarray(beside + needs[1] * kept_ratio(ratio, share_kept))


def same_architecture(source: Side, target: Side) -> NDArray[np.bool_]:
    """(n, m) where both sides run the same machine code, so that a library takes the same kernel."""
    keys: dict[str, int] = {}

    def code(machines: Machines) -> FloatArray:
        return machines.gather(lambda p: keys.setdefault(p.architecture or p.key, len(keys)))

    return np.asarray(code(source.machines) == code(target.machines))


def row_s(vectors: FloatArray, k: Kernels, chosen: NDArray[np.intp], machines: Machines, c: RowConstants) -> FloatArray:
    """Seconds of row operators on one side."""
    moved = k.amounts.get(Resource.BYTES_DRAM)[chosen, None]
    cycles = machines.gather(lambda p: p.sm_count) * machines.clock_hz
    elements = moved / BYTES_PER_ELEMENT_TOUCHED
    return row_operator_s(
        c.bytes_share * moved / rate(machines, Resource.BYTES_DRAM),
        c.cycles_per_element * elements / cycles,
        c.row_cycles * vectors[:, None] / (ROWS_AT_A_TIME * cycles),
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
