"""The causes of the mechanistic model, in the order in which they act: this list is the model.

To add one: a file in this folder, with equation, symbols, reason, constants and acts, and a line here.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from roofcast.models.physics.cause import Cause, Walk
from roofcast.models.physics.causes import (
    atomics,
    cache,
    capacity,
    constant,
    dispatch,
    dram_time,
    efficiency,
    few_blocks,
    floor,
    fp64,
    host_floor,
    in_flight,
    issue_latency,
    l1_hits,
    l2_time,
    latency,
    library_alignment,
    library_efficiency,
    library_names,
    library_power,
    library_products,
    library_rows,
    library_vendors,
    machine_rate,
    mix,
    operands,
    pipes,
    random_dram,
    real_clock,
    residency,
    sectors,
    serial,
    throttle,
    trees,
    waves,
)

CAUSES: tuple[Cause, ...] = (
    # What either GPU offers the kernel.
    real_clock.CAUSE,
    few_blocks.CAUSE,
    waves.CAUSE,
    cache.CAUSE,
    l2_time.CAUSE,
    dram_time.CAUSE,
    l1_hits.CAUSE,
    # Seconds per resource, and what the source time says beside the amounts.
    pipes.CAUSE,
    library_power.CAUSE,
    in_flight.CAUSE,
    sectors.CAUSE,
    operands.CAUSE,
    fp64.CAUSE,
    dispatch.CAUSE,
    trees.CAUSE,
    # How the seconds scale that no roof explains.
    issue_latency.CAUSE,
    latency.CAUSE,
    machine_rate.CAUSE,
    mix.CAUSE,
    residency.CAUSE,
    serial.CAUSE,
    constant.CAUSE,
    efficiency.CAUSE,
    throttle.CAUSE,
    random_dram.CAUSE,
    capacity.CAUSE,
    atomics.CAUSE,
    # Launches.
    floor.CAUSE,
    host_floor.CAUSE,
    # Operators of libraries.
    library_efficiency.CAUSE,
    library_vendors.CAUSE,
    library_alignment.CAUSE,
    library_rows.CAUSE,
    library_products.CAUSE,
    library_names.CAUSE,
)


@lru_cache(maxsize=64)
def walk_without(without: Collection[str] = frozenset()) -> Walk:
    """The causes that are on.

    Raises
    ------
    RoofcastError : no cause has such a name.
    """
    return Walk(CAUSES, without)
