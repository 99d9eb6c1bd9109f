"""Forecasts of kernels that were recorded while unified memory moved pages: two bounds by the link to the host."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.results import Estimate, PagesBeside
from roofcast.core.unified_memory import HEAD
from roofcast.core.units import format_quantity
from roofcast.kit.quantities import format_percent
from roofcast.models.physics.host_link import (
    ON_DEMAND_SHARE,
    MoveFactors,
    Waits,
    access_s,
    bound_evictions,
    bound_stalled_times,
    find_handling_factors,
    find_move_factors,
    link_rate,
)

STALLED = (
    "up to {share} of the recorded time was spent waiting for pages of unified memory, which follows the link to "
    "the host and not the kernel"
)
UNTIMED = (
    "; in {share} of that no page moved: whether faults were handled then was not timed "
    "(nsys profile --cuda-um-gpu-page-faults=true)"
)


def has_pages(kernels: KernelTable) -> bool:
    """Return whether pages of unified memory moved, or faulted, while any of the kernels' run was recorded."""
    return bool((kernels.column("migration_s") > 0).any())


def bound_by_pages(
    estimate: Estimate, kernels: KernelTable, sources: Sequence[Processor | None], targets: tuple[Processor, ...]
) -> Estimate:
    """The estimate with waits for pages bounded by the targets' links, and what pages take beside the kernels.

    sources : per kernel. Without pages the estimate itself.
    """
    if not has_pages(kernels):
        return estimate
    factors = move_factors(kernels, sources, targets)
    recorded = kernels.column("time_s")[:, None]
    stall, paging, untimed = (
        np.nan_to_num(kernels.column(f"migration_{n}"))[:, None] for n in ("stall_s", "s", "untimed_s")
    )
    known = ("stall_least_s", "handled_s", "untimed_s", "untimed_least_s")
    waits = Waits(stall, *(kernels.column(f"migration_{n}")[:, None] for n in known))
    changed = (stall > 0) & (recorded > 0) & (factors[2] != 1.0)
    with quietly():
        bounds = bound_stalled_times(
            recorded, waits, (estimate.time_s, estimate.time_low_s, estimate.time_high_s), factors,
            handling_factors(sources, targets),
        )  # fmt: skip
    times = [
        np.where(changed, b, t)
        for b, t in zip(bounds, (estimate.time_s, estimate.time_low_s, estimate.time_high_s), strict=True)
    ]
    beside = np.maximum(paging - (stall - untimed), 0.0)
    with quietly():
        shares = [np.nan_to_num(part / of)[:, 0].tolist() for part, of in ((stall, recorded), (untimed, stall))]
    stalled = [
        (STALLED.format(share=format_percent(s, 0)) + (UNTIMED.format(share=format_percent(x, 0)) if x > 0 else ""),)
        if s > 0 else ()
        for s, x in zip(*shares, strict=True)
    ]  # fmt: skip
    notes = estimate.notes or ((),) * len(kernels)
    return dataclasses.replace(
        estimate, time_s=times[0], time_low_s=times[1], time_high_s=times[2],
        notes=tuple(a + b for a, b in zip(notes, stalled, strict=True)),
        pages=PagesBeside(
            beside[:, 0], beside * factors[1],
            beside * factors[2] + find_evictions(kernels, sources, targets, factors[2]),
        ),
    )  # fmt: skip


def move_factors(
    kernels: KernelTable, sources: Sequence[Processor | None], targets: tuple[Processor, ...]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n, m) seconds of page moves on targets over those on the source: middle, low, high.

    Rows of one file share its moves: their rates are rounded to what tells files apart, and each is asked about once.
    """
    with quietly():
        rates = kernels.column("migration_bytes") / kernels.column("migration_s")
    keys = [(s.key if s is not None else "", f"{rate:.9g}") for s, rate in zip(sources, rates.tolist(), strict=True)]
    codes = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    first = [keys.index(key) for key in codes]
    factors = [[find_move_factors(sources[i], t, float(rates[i]), 1.0) for t in targets] for i in first]
    return tabulate_factors(factors, np.array([codes[key] for key in keys], np.intp))


def find_evictions(
    kernels: KernelTable, sources: Sequence[Processor | None], targets: tuple[Processor, ...], slowest: FloatArray
) -> FloatArray:
    """(n, m) seconds per launch that pages take longer at most where the targets' memory is too small for them.

    slowest : (n, m) seconds of moves there over here, at most.
    """
    dram_per_s = np.array([s.rate(Resource.BYTES_DRAM) if s is not None else np.nan for s in sources])
    moved, paging, time, resident = (
        kernels.column(n)[:, None]
        for n in ("migration_bytes", "migration_s", "time_s", "migration_resident_bytes")
    )  # fmt: skip
    with quietly():
        recorded = slowest * paging / moved
        demanded = 1.0 / (ON_DEMAND_SHARE * np.array([link_rate(t) for t in targets]))
        s_per_byte = np.fmax(recorded, demanded)
        longer = bound_evictions(resident, room_for_pages(targets), time * dram_per_s[:, None], s_per_byte)
    same = np.array([[s is None or s.key == t.key for t in targets] for s in sources], np.bool_)
    return np.where(same | ~np.isfinite(longer), 0.0, longer)


def room_for_pages(targets: Sequence[Processor]) -> FloatArray:
    """(m,) bytes of pages that the targets can hold; NaN where nobody knows, or one memory is shared."""
    return np.array([np.nan if t.shares_host_memory else t.capacity_bytes_dram or np.nan for t in targets], np.float64)


def describe_evictions(kernels: KernelTable, target: Processor) -> str:
    """That the pages of the run do not fit into the target's memory, and what that may take; '' where they do."""
    most = float(np.max(np.nan_to_num(kernels.column("migration_resident_bytes")), initial=0.0))
    room = float(room_for_pages([target])[0])
    if not most > room:
        return ""
    return (
        f"; {format_quantity(most, 'B')} of pages or more were on the device at once and {format_quantity(room, 'B')} "
        f"fit here: pages are evicted and move again, in the longer time once for all that a launch touches; where a "
        f"launch comes back to evicted pages, or takes little of each, it takes longer still"
    )


def handling_factors(
    sources: Sequence[Processor | None], targets: tuple[Processor, ...]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n, m) seconds of handling faults on targets over those on the source: middle, low, high."""
    of = {s.key if s is not None else "": s for s in sources}
    codes = {key: i for i, key in enumerate(of)}
    rows = np.array([codes[s.key if s is not None else ""] for s in sources], np.intp)
    return tabulate_factors([[find_handling_factors(s, t) for t in targets] for s in of.values()], rows)


def tabulate_factors(
    factors: list[list[MoveFactors]], rows: NDArray[np.intp]
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n, m) middle, low and high of the factors that each of n rows has on m targets."""
    tables = (np.array([[getattr(f, end) for f in row] for row in factors]) for end in ("middle", "low", "high"))
    middle, low, high = (table[rows] for table in tables)
    return middle, low, high


def describe_access(kernels: KernelTable, target: Processor) -> str:
    """What the pages would take where the GPU reads the host's memory without moving it; '' beside other links."""
    bytes_ = float(np.nansum(kernels.column("migration_bytes") * kernels.launches))
    seconds = access_s(bytes_, target)
    if not seconds > 0:
        return ""
    return (
        f"; memory of the system (malloc), or advised to be accessed, is read over the coherent link without faults: "
        f"{format_quantity(bytes_, 'B')} in {format_quantity(seconds, 's')} or more in place of the pages"
    )


def describe_pages(estimate: Estimate, kernels: KernelTable, targets: Sequence[Processor]) -> list[str]:
    """Per target one line on kernels and pages together; '' without pages."""
    m = estimate.time_s.shape[1]
    if estimate.pages is None:
        return [""] * m
    heads = [n for p in kernels.provenance for n in p.notes if n.startswith(HEAD)]
    head = f"{heads[0]}; " if len(heads) == 1 else f"{HEAD}: "
    launches = kernels.launches
    source = float(np.nansum((kernels.column("time_s") + estimate.pages.source_s) * launches))
    lines = []
    for j in range(m):
        ends = (estimate.time_low_s[:, j] + estimate.pages.low_s[:, j],
                estimate.time_high_s[:, j] + estimate.pages.high_s[:, j])  # fmt: skip
        low, high = (float(np.nansum(e * launches)) for e in ends)
        if not low > 0:
            lines.append("")
            continue
        lines.append(
            f"{head}kernels and pages together {format_quantity(source, 's')} on the source, "
            f"{format_quantity(low, 's')} to {format_quantity(high, 's')} here: {source / high:.2f}x to "
            f"{source / low:.2f}x. A speed-up of the kernels alone would not be the program's and is left out"
            f"{describe_evictions(kernels, targets[j])}{describe_access(kernels, targets[j])}"
        )
    return lines
