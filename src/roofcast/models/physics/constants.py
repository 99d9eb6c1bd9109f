"""Every number of the mechanistic model that is not a fact of a GPU or a kernel, in one place, each with its source.

``PRIOR`` holds what physics or earlier reports suggest; fits are pulled towards it, so that programs and GPUs that
nobody measured are judged by physics and not by the accidents of the training programs.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any


def constant(value: float, low: float, high: float, why: str) -> Any:
    """A constant with its bounds for fitting and the reason for its value."""
    return field(default=value, metadata={"low": low, "high": high, "why": why})


@dataclass(frozen=True)
class Constants:
    """See the ``why`` of each field's metadata."""

    overlap: float = constant(3.3, 1.5, 8.0, "p of the roofs' norm: 2 to 8 all come close; fitted")
    overlap_unexplained: float = constant(2.5, 1.2, 5.0, "q: how the unexplained part overlaps the roofs; fitted")
    floor_s: float = constant(1.2e-6, 2e-7, 4e-6, "launch floor, fixed part; fitted on kernels of 2 to 20 us")
    floor_cycles: float = constant(1500.0, 200.0, 6000.0, "launch floor, part that scales with the SM clock; fitted")
    floor_amd_s: float = constant(
        1.1e-6,
        3e-7,
        3e-6,
        "what a launch takes longer on AMD: the catalog's launches from graphs, 2.4 and 1.3 us",
    )
    execution_fraction_min: float = constant(0.15, 0.05, 0.5, "least share of a time that is execution")
    fp64_mix: float = constant(0.66, 0.45, 1.0, "mean of 2a + (1 - a) over 2 for FMA shares a of real FP64 code")
    fp32_mix: float = constant(0.75, 0.45, 1.0, "the same for FP32")
    issue_replays: float = constant(1.12, 0.8, 2.0, "issue slots per warp instruction: replays, dual-issue hazards")
    insts_per_fma: float = constant(1.3, 0.5, 3.0, "instructions per FP32 FMA where none were counted")
    integer_headroom: float = constant(1.0, 0.5, 3.0, "integer rate over the add rate: moves and logic run elsewhere")
    l2_headroom: float = constant(1.39, 0.7, 3.0, "L2 bytes are estimates that miss what L1 merges")
    l2_cached: float = constant(0.7, 0.3, 1.5, "share of L2's rate that kernels reach whose data stay in it")
    shared_headroom: float = constant(0.9, 0.3, 3.0, "shared-memory wavefront rate over the peak")
    uneven_waves: float = constant(0.9, 0.2, 1.0, "exponent of the last wave's imbalance; 1 = equal blocks")
    wave_exponent: float = constant(0.78, 0.2, 1.1, "latency over waves; below 1 as later waves overlap")
    latency_exponent: float = constant(1.0, 0.3, 2.0, "stall time over memory latency")
    drain_cycles: float = constant(8.0, 1.0, 30.0, "cycles per instruction that any code waits unnamed")
    queue_share: float = constant(0.95, 0.05, 1.0, "how much of stalls on the queue to L1 is L1's rate")
    throttle_share: float = constant(0.5, 0.05, 1.0, "how much of throttle stalls is a rate (SMs x clock)")
    fp64_share_least: float = constant(0.08, 0.02, 0.4, "FP64 roof share from which FP64 may be the limit")
    fp64_stall_least: float = constant(0.34, 0.15, 0.7, "short-scoreboard, math and texture stall share that shows it")
    fp64_rest: float = constant(1.6, 0.4, 3.0, "what other stalls become without that limit")
    fp64_share_uncounted: float = constant(0.2, 0.05, 0.6, "FP64 roof share that shows it where no stalls were counted")
    fp64_rest_uncounted: float = constant(0.06, 0.01, 0.3, "unexplained share that remains then")
    random_hbm: float = constant(3.0, 1.0, 6.0, "random accesses per byte/s of an HBM stack over GDDR: more channels")
    atomic_least: float = constant(0.01, 0.002, 0.1, "atomics per instruction from which same-address order rules")
    machine_share: float = constant(0.3, 0.01, 1.0, "without stall counters: how far SMs x clock, not latency, rules")
    machine_share_uncounted: float = constant(0.8, 0.01, 1.0, "the same where the bytes are the algorithm's")
    in_flight_bytes: float = constant(6.0, 2.0, 40.0, "bytes that a thread asks DRAM for at a time: 1 or 2 loads of 4")
    in_flight_hidden: float = constant(1.2, 1.0, 3.0, "how much more it asks for than its rate on the source shows")
    in_flight_norm: float = constant(3.0, 1.2, 8.0, "p of the norm of bus and requests in flight")
    residency: float = constant(0.5, 0.01, 1.2, "exponent of resident warps where latency is left: more hide more")
    near_roof_share: float = constant(
        0.5, 0.05, 1.0, "at DRAM's roof, how far what it leaves open follows the roofs: requests queue for the bus"
    )
    load_store_share: float = constant(0.75, 0.05, 1.0, "how far that is the load/store rate and not SMs x clock")
    efficiency_share: float = constant(0.55, 0.01, 1.0, "without counters: how far memory efficiency stays")
    efficiency_share_counted: float = constant(0.1, 0.01, 1.0, "with bytes but no stalls counted: the same")
    efficiency_share_compute: float = constant(0.95, 0.01, 1.0, "the same for arithmetic: a library's tile efficiency")

    def replace(self, **changes: float) -> Constants:
        """A copy with some constants changed."""
        return Constants(**{f.name: changes.get(f.name, getattr(self, f.name)) for f in fields(self)})


PRIOR = Constants()

WHY: dict[str, str] = {f.name: f.metadata["why"] for f in fields(Constants)}
BOUNDS: dict[str, tuple[float, float]] = {f.name: (f.metadata["low"], f.metadata["high"]) for f in fields(Constants)}
