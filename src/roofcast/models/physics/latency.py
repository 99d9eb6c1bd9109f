"""How long requests to memory take: caches, far halves of L2, and parts that keep their own time."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.formulas.mechanistic_memory import kept_latency_cycles, memory_latency_cycles, request_latency_cycles
from roofcast.models.physics.kernels import Kernels
from roofcast.models.physics.roofs import Side

FAR_L2 = 1.38
"""Mean latency over the near half's where L2 has two halves and the far one was not measured: 1.46 on an A100 (213 and
410 cycles), 1.36 on Hopper (270 and 464; the catalog's pointer chases)."""

OWN_TIME_OF_L2 = {"sm_90": 0.47}
"""Pointer chases of the catalog: Hopper's L2 answers after 265 / 477 cycles (near / far) at 1755 MHz (H100 PCIe) and
280 / 502 at 1980 MHz (GH200), so 66 of 142 ns are not the SM clock's. GA10x keeps none: locked at 885 and 1440 MHz, A10
and RTX 3080 differ by their clocks."""

HIT_UNKNOWN = 0.5
L1_LATENCY_CYCLES = 33.0
"""Of GPUs whose own is not in the catalog: 28 to 39 cycles on all since 2014."""


def latency_s(k: Kernels, side: Side, off: Collection[str]) -> FloatArray:
    """Mean seconds of a request to memory; NaN where the catalog has no latencies."""
    hit = np.where(np.isnan(k.l2_hit_fraction), HIT_UNKNOWN, np.clip(k.l2_hit_fraction, 0.0, 1.0))
    near, mean = side.machines.gather(lambda p: p.latency_cycles_l2), side.machines.gather(l2_latency)
    # Requests that miss have crossed to the far half as often as those that hit; DRAM itself keeps its own time,
    # and the catalog's cycles are those of a boost clock.
    clock, boost = side.machines.clock_hz, side.machines.gather(lambda p: p.clock_hz_boost)
    beyond = side.machines.gather(lambda p: p.latency_cycles_dram) - near
    mean = mean * l2_cycles(side, off)
    dram = mean + beyond * clock / boost if "dram_time" not in off else mean + beyond
    found = memory_latency_cycles(hit, mean, dram)
    if "l1_hits" not in off:
        l1 = side.machines.gather(lambda p: p.latency_cycles_l1 or L1_LATENCY_CYCLES)
        found = request_latency_cycles(k.l1_hit_fraction, l1, found)
    return np.asarray(found / clock)


def l2_cycles(side: Side, off: Collection[str]) -> FloatArray:
    """SM cycles that L2 takes for what takes it one at boost."""
    machines = side.machines
    own = machines.gather(own_time_of_l2) * (0.0 if "l2_time" in off else 1.0)
    return kept_latency_cycles(1.0, machines.clock_hz / machines.gather(lambda p: p.clock_hz_boost), own)


def own_time_of_l2(p: Processor) -> float:
    """Share of the latency of L2 at boost that does not follow the SM clock."""
    return OWN_TIME_OF_L2.get(p.architecture, 0.0)


def l2_latency(p: Processor) -> float | None:
    """Mean L2 latency in cycles, over both halves where there are two."""
    near, far = p.latency_cycles_l2, p.latency_cycles_l2_far
    if near is None or (p.l2_partitions or 1) == 1:
        return near
    return near * FAR_L2 if far is None else (near + far) / 2
