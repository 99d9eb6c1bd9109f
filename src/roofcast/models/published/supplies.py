"""Supplies of machines as the models need them: variants where both sides have them, seconds per resource."""

from __future__ import annotations

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines, has_variant, positive
from roofcast.core.resource import Resource
from roofcast.models.kernel_amounts import DRAM_VARIANTS, Amounts, dram_variant


def add_mul_rate(machines: Machines, pipe: Resource) -> FloatArray:
    """FLOP/s of a pipe without FMAs: the catalog's ceiling, else half of the FMA rate."""
    known = ~np.isnan(has_variant(machines, pipe, "add_mul"))
    whole = machines.rate(pipe)
    return np.where(known, machines.rate(pipe, "add_mul"), whole / 2) if known.any() else whole / 2


def dram_rates(amounts: Amounts, sources: Machines, targets: Machines) -> tuple[FloatArray, FloatArray]:
    """DRAM B/s of source and target for each kernel's mix of reads and writes.

    A kind of access counts only where the catalog has its ceiling on both sides: a ceiling for pure writes on one
    and for a triad on the other would be taken for a difference between the GPUs.

    sources : index (n, 1); targets : index (1, m). Both results broadcast to (n, m).
    """
    resource = Resource.BYTES_DRAM
    rate_s, rate_t = sources.rate(resource), targets.rate(resource)
    kind = dram_variant(amounts.bytes_dram_write_fraction)[:, None]
    for position, name in enumerate(DRAM_VARIANTS):
        rows = kind == position
        if not rows.any():
            continue
        both = ~np.isnan(has_variant(sources, resource, name) * has_variant(targets, resource, name)) & rows
        if both.any():
            rate_s = np.where(both, sources.rate(resource, name), rate_s)
            rate_t = np.where(both, targets.rate(resource, name), rate_t)
    return rate_s, rate_t


def seconds_by_resource(
    amounts: Amounts, machines: Machines, dram_rate: FloatArray, changes: AmountChanges | None = None
) -> dict[Resource, FloatArray]:
    """Seconds that each resource alone would need: amount over supply; NaN where one of them is unknown."""
    used = {r: v[:, None] for r, v in amounts.by_resource.items()}
    if changes is not None:
        used = {r: changes.on_target(r, v) for r, v in used.items()}
    rates = {r: dram_rate if r is Resource.BYTES_DRAM else machines.rate(r) for r in amounts.by_resource}
    with quietly():
        needed = {r: amount / positive(rates[r]) for r, amount in used.items()}
    return {r: v for r, v in needed.items() if not np.isnan(v).all()}
