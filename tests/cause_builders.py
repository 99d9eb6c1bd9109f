"""One made-up kernel from one made-up GPU to another: what a cause of the mechanistic model says of it."""

from __future__ import annotations

import dataclasses

import model_builders as builders
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.results import Conditions
from roofcast.models.physics.model import Mechanistic

DRAM, FP32, L2, LSU = Resource.BYTES_DRAM, Resource.FLOPS_FP32, Resource.BYTES_L2, Resource.INSTS_LSU
SHARED, FP64 = Resource.BYTES_SHARED, Resource.FLOPS_FP64
LATENCIES = {"latency_cycles_l1": 33.0, "latency_cycles_l2": 200.0, "latency_cycles_dram": 600.0}
RATES = {DRAM: 1e12, FP32: 1e13, FP64: 5e12, L2: 4e12, LSU: 1.4e9 * 80, SHARED: 128 * 1.4e9 * 80}


def gpu(name: str = "source", *, l2_bytes: int = 5 << 20, memory: str = "GDDR6", **changes: object) -> Processor:
    """A made-up GPU with latencies and an L2; ``changes`` are fields of the processor."""
    made = builders.processor(name, RATES)
    fields = {**LATENCIES, "capacity_bytes_l2": l2_bytes, "memory_type": memory, **changes}
    return dataclasses.replace(made, **fields)  # type: ignore[arg-type]  # fields by name


def ratio(
    row: dict[str, float], source: Processor, target: Processor, *without: str, text: dict[str, str] | None = None,
    origin: Origin = Origin.COUNTED, **conditions: object,
) -> float:  # fmt: skip
    """Forecast over the source time of one kernel, by the causes that the law without counters weighs."""
    names = {name: [value] for name, value in (text or {}).items()}
    columns = {name: ([value], origin) for name, value in row.items()}
    table = KernelTable.from_columns({"kernel": ["k"], **names}, columns)
    found = Mechanistic(without=("floor", "explained_share", *without)).estimate(
        table,
        builders.on(source, 1),
        builders.onto([target], 1),
        Conditions(**conditions),  # type: ignore[arg-type]
    )
    return float(found.time_s[0, 0] / row["time_s"])


STALLS = {"warp_latency_cycles_per_inst": 40.0, "stall_long_scoreboard_per_inst": 36.0, "insts_executed": 1e6}


def with_rates(made: Processor, **supplies: float) -> Processor:
    """A processor with other supplies per second, by the resource's column."""
    return made.replace(**{Resource(name).supply: per_s for name, per_s in supplies.items()})
