"""What the learned residual looks at: shares, ratios and counts without a unit, known before the target run.

Three kinds: where the kernel's time went on its source, what its launch is like, and how the target differs. Nothing
here moves when a supply of the target is varied: the target is taken as the catalog has it (see
:mod:`roofcast.models.learned.hybrid`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines, Quantity, has_stacked_memory
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.models.learned.boosted_trees import Features
from roofcast.models.physics.kernel_inputs import NAMED_STALLS
from roofcast.models.physics.model import Parts

ROOFS = (
    *(Resource.BYTES_DRAM, Resource.BYTES_L2, Resource.BYTES_L1, Resource.BYTES_SHARED, Resource.INSTS_LSU),
    *(Resource.INSTS_ISSUED, Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.FLOPS_FP16, Resource.OPS_INT32),
)
RATIOS = (
    *(Resource.BYTES_DRAM, Resource.BYTES_L2, Resource.BYTES_L1, Resource.INSTS_LSU),
    *(Resource.FLOPS_FP64, Resource.FLOPS_FP32),
)
"""Supplies whose ratios between source and target are features."""

ALTERNATIVES = (Resource.BYTES_DRAM, Resource.BYTES_L2, Resource.FLOPS_FP32)
"""Supplies by whose ratio alone the kernel might scale: features say how far that is from the physics."""

COLUMNS = ("l1_hit_fraction", "l2_hit_fraction", "divergent_branch_fraction", "ipc_active", "sm_active_fraction")

ABSENT = np.float32(-9.0)
"""Stands for what was not counted: below every logarithm and share that occurs."""


@dataclass(frozen=True)
class Look:
    """One block of kernels on their targets, from which features are read."""

    kernels: KernelTable
    sources: Machines
    """index (n, 1)"""
    targets: Machines
    """index (1, m) or (n, 1)"""
    parts: Parts

    @cached_property
    def execution_s(self) -> FloatArray:
        """(n, 1) s on the source without the floor."""
        return self.parts.execution_s

    @cached_property
    def speed(self) -> FloatArray:
        """(n, m) log of the physics' target seconds over the source's."""
        return np.asarray(np.log(self.parts.time_s / self.parts.kernels.time_s))

    @cached_property
    def threads(self) -> FloatArray:
        """(n, 1)"""
        return self.parts.kernels.grid_blocks * self.parts.kernels.block_threads

    @cached_property
    def latency(self) -> FloatArray:
        """(n, 1) cycles of a warp between two instructions."""
        return self.kernels.column("warp_latency_cycles_per_inst")[:, None]

    @cached_property
    def ratios(self) -> Mapping[Resource, FloatArray]:
        """(n, m) log of the source's supply over the target's."""
        return {r: np.log(self.sources.rate(r) / self.targets.rate(r)) for r in RATIOS}

    @cached_property
    def clock(self) -> FloatArray:
        """(n, m) log of the source's SM clock over the target's."""
        return np.asarray(np.log(self.sources.clock_hz / self.targets.clock_hz))

    @cached_property
    def sms(self) -> FloatArray:
        """(n, m) log of the source's SMs over the target's."""
        return self.log_ratio("sm_count")

    def log_ratio(self, quantity: Quantity) -> FloatArray:
        """(n, m) log of a quantity of the source over the target's."""
        return np.asarray(np.log(self.sources.gather(quantity) / self.targets.gather(quantity)))


def share_source(resource: Resource, look: Look) -> FloatArray:
    """(n, 1) seconds of a resource over the source's execution."""
    seconds = look.parts.roofs.source.get(resource)
    return np.full_like(look.execution_s, np.nan) if seconds is None else seconds / look.execution_s


def share_target(resource: Resource, look: Look) -> FloatArray:
    """(n, m) seconds of a resource over the forecast."""
    seconds = look.parts.roofs.target.get(resource)
    return np.full_like(look.parts.time_s, np.nan) if seconds is None else seconds / look.parts.time_s


def stall(reason: str, look: Look) -> FloatArray:
    """(n, 1) share of a warp's time that it waits for a reason."""
    return np.asarray(look.kernels.column(f"stall_{reason}_per_inst")[:, None] / look.latency)


def plain(name: str, look: Look) -> FloatArray:
    """(n, 1) a column of the table."""
    return look.kernels.column(name)[:, None]


def ratio(resource: Resource, look: Look) -> FloatArray:
    """(n, m) log of the source's supply over the target's."""
    return look.ratios[resource]


def alternative(resource: Resource, look: Look) -> FloatArray:
    """(n, m) how far scaling by one supply alone is from the physics, in log units."""
    return np.asarray(look.ratios[resource] - look.speed)


def generation(p: Columns) -> FloatArray:
    """Compute capability as a number; NaN where it has none."""
    return p.told("compute_capability", number_in)


def number_in(text: str) -> float:
    """A text as a number; NaN where it is none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


Feature = Callable[[Look], FloatArray]


def shares() -> dict[str, Feature]:
    """Where the time went on the source, and where it goes on the target."""
    by_name: dict[str, Feature] = {}
    for r in ROOFS:
        by_name[f"source_{r.value}"] = partial(share_source, r)
        by_name[f"target_{r.value}"] = partial(share_target, r)
    by_name["unexplained"] = lambda look: look.parts.unexplained_s / look.execution_s
    by_name["floor"] = lambda look: look.parts.pair.floor_source_s / look.parts.kernels.time_s
    by_name["hidden_fp64"] = lambda look: look.parts.roofs.hidden_fp64
    return by_name


def waits() -> dict[str, Feature]:
    """Where warps waited."""
    by_name: dict[str, Feature] = {f"stall_{reason}": partial(stall, reason) for reason in NAMED_STALLS}
    by_name["latency"] = lambda look: np.log(look.latency)
    by_name["memory_share"] = lambda look: look.parts.kernels.memory_share
    return by_name


def launches() -> dict[str, Feature]:
    """What the launch is like."""
    by_name: dict[str, Feature] = {name: partial(plain, name) for name in COLUMNS}
    by_name["blocks_per_sm"] = lambda look: np.log(look.parts.kernels.grid_blocks / look.sources.gather("sm_count"))
    by_name["blocks_per_sm_target"] = lambda look: np.log(
        look.parts.kernels.grid_blocks / look.targets.gather("sm_count")
    )
    by_name["block_threads"] = lambda look: np.log(look.parts.kernels.block_threads)
    by_name["regs_per_thread"] = lambda look: look.parts.kernels.regs_per_thread
    by_name["smem_per_block"] = lambda look: np.log1p(look.parts.kernels.smem_bytes_per_block)
    by_name["write_fraction"] = lambda look: look.parts.kernels.amounts.bytes_dram_write_fraction[:, None]
    by_name["insts_per_thread"] = lambda look: np.log(look.kernels.column("insts_thread")[:, None] / look.threads)
    by_name["bytes_per_thread"] = lambda look: np.log(
        look.parts.kernels.amounts.get(Resource.BYTES_DRAM)[:, None] / look.threads
    )
    by_name["time"] = lambda look: np.log(look.parts.kernels.time_s)
    return by_name


ROOF_DOUBT = 0.3
"""Weight of the roofs' own ratio in the doubt: even agreeing causes err more the further they carry."""


def doubt_of(unexplained_share: FloatArray, scale: FloatArray, roof_ratio: FloatArray) -> FloatArray:
    """(n, m) how much the causes disagree on the way from source to target, in log units.

    unexplained_share : (n, 1) of the source's execution. scale : factor on it. roof_ratio : factor on the roofs.
    """
    with quietly():
        roofs = np.nan_to_num(np.log(roof_ratio), posinf=0.0, neginf=0.0)
        apart = np.abs(np.nan_to_num(np.log(scale), posinf=0.0, neginf=0.0) - roofs)
    return np.asarray(np.nan_to_num(unexplained_share) * apart + ROOF_DOUBT * np.abs(roofs))


def differences() -> dict[str, Feature]:
    """How the target differs, and how much the causes disagree on it."""
    by_name: dict[str, Feature] = {
        "speed": lambda look: look.speed,
        "scale": lambda look: np.log(look.parts.scale),
        "roof_ratio": lambda look: np.log(look.parts.roof_ratio),
        "doubt": lambda look: doubt_of(
            look.parts.unexplained_s / look.execution_s, look.parts.scale, look.parts.roof_ratio
        ),
        "clock": lambda look: look.clock,
        "sms": lambda look: look.sms,
        "capacity_l2": lambda look: look.log_ratio("capacity_bytes_l2"),
        "latency_l2": lambda look: look.log_ratio("latency_cycles_l2") - look.clock,
        "latency_dram": lambda look: look.log_ratio("latency_cycles_dram") - look.clock,
        "alternative_clock": lambda look: look.clock - look.speed,
        "alternative_cores": lambda look: look.clock + look.sms - look.speed,
        "stacked_source": lambda look: look.sources.gather(has_stacked_memory),
        "stacked_target": lambda look: look.targets.gather(has_stacked_memory),
        "generation_source": lambda look: look.sources.gather(generation),
        "generation_target": lambda look: look.targets.gather(generation),
    }
    by_name |= {f"ratio_{r.value}": partial(ratio, r) for r in RATIOS}
    by_name |= {f"alternative_{r.value}": partial(alternative, r) for r in ALTERNATIVES}
    return by_name


FEATURES: dict[str, Feature] = shares() | waits() | launches() | differences()
"""Name -> what it is, in the order of the learned model's columns."""

OF_KERNEL = tuple(name for name in (*shares(), *waits(), *launches()) if not name.startswith("target_"))
"""Features of the kernel and its source run (and the target's SMs)."""


@quietly(overflow=True)
def read_features(look: Look, names: Sequence[str]) -> list[Features]:
    """What the residual sees, each in its own shape: of a kernel (n, 1), of a pair of GPUs (1, m), or of both (n, m).

    :data:`ABSENT` for what is not known.
    """
    columns = []
    for name in names:
        values = np.asarray(FEATURES[name](look), dtype=np.float32)
        columns.append(np.where(np.isfinite(values), values, ABSENT))
    return columns


def features_of(look: Look, names: Sequence[str] = tuple(FEATURES)) -> Features:
    """(features, n x m) the same for every kernel and target, row by row of kernels."""
    shape = look.parts.time_s.shape
    return np.stack([np.broadcast_to(values, shape).ravel() for values in read_features(look, names)])
