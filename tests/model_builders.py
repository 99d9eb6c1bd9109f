"""Processors and kernels made up for tests: no files needed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from hypothesis import strategies as st

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import Machines
from roofcast.core.processor import Domain, Kind, Processor, Supply
from roofcast.core.resource import Resource

MEMORY = (Resource.BYTES_DRAM, Resource.BYTES_HOST_LINK)
SUPPLIED = (
    Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.FLOPS_TENSOR_FP16, Resource.BYTES_L1, Resource.BYTES_SHARED,
    Resource.BYTES_L2, Resource.BYTES_DRAM,
)  # fmt: skip
AMOUNTS = (
    "flops_fp64", "flops_fp32", "flops_tensor_fp16", "insts_fp64_add", "insts_fp64_mul", "insts_fp64_fma", "bytes_l1",
    "bytes_shared", "bytes_shared_useful", "bytes_l2", "bytes_dram", "bytes_dram_read", "bytes_dram_write",
    "threads_per_inst", "block_threads", "regs_per_thread", "smem_bytes_per_block",
)  # fmt: skip
CLOCK_HZ = 1.4e9


def processor(
    name: str, rates: Mapping[Resource, float], variants: Mapping[str, float] | None = None, **fields: float
) -> Processor:
    """A GPU with the given sustained supplies at 1.4 GHz."""

    def supply(resource: Resource, per_s: float) -> Supply:
        domain = Domain.MEMORY if resource in MEMORY else Domain.SM
        return Supply(per_s, Kind.USER, "made up", domain=domain, clock_hz=CLOCK_HZ if domain is Domain.SM else None)

    limits: dict[str, float] = {
        "max_threads_per_sm": 2048, "max_warps_per_sm": 64, "max_blocks_per_sm": 32, "regs_per_sm": 65536,
        "smem_per_sm_bytes": 98304, "clock_hz_base": 1.1e9, "clock_hz_boost": CLOCK_HZ,
    }  # fmt: skip
    merged = {k: (v if k.startswith("clock") else int(v)) for k, v in (limits | fields).items()}
    return Processor(
        key=name, name=name, vendor="none", architecture="none", sm_count=80, warp_size=32,
        supplies={r: supply(r, v) for r, v in rates.items()},
        variants={k: supply(Resource(k.partition(":")[0]), v) for k, v in (variants or {}).items()},
        **merged,  # type: ignore[arg-type]  # a mapping of numbers cannot name each field's own type
    )  # fmt: skip


def table(rows: Sequence[Mapping[str, float]], text: Mapping[str, Sequence[str]] | None = None) -> KernelTable:
    """Kernels from one mapping each; what a mapping lacks is absent."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: ([row.get(name, np.nan) for row in rows], Origin.COUNTED) for name in names}
    return KernelTable.from_columns({"kernel": [f"k{i}" for i in range(len(rows))], **(text or {})}, columns)


def on(machine: Processor, count: int, clock_hz: float = CLOCK_HZ) -> Machines:
    """The same source for each of some kernels."""
    return Machines.of([machine], np.zeros(count, np.intp), np.full(count, clock_hz))


def onto(machines: Sequence[Processor], count: int, clock_hz: float = CLOCK_HZ) -> Machines:
    """Targets for some kernels."""
    return Machines.of(
        machines, np.arange(len(machines), dtype=np.intp)[None, :], np.full((count, len(machines)), clock_hz)
    )


@st.composite
def processors(draw: st.DrawFn) -> Processor:
    """A GPU that knows a random subset of the supplies."""
    known = draw(st.lists(st.sampled_from(SUPPLIED), unique=True))
    rates = {r: draw(st.floats(1e9, 1e15)) for r in known}
    variants = draw(
        st.lists(st.sampled_from(("bytes_dram:init", "bytes_dram:read", "flops_fp64:add_mul")), unique=True)
    )
    return processor("p", rates, {v: draw(st.floats(1e9, 1e15)) for v in variants})


@st.composite
def rows(draw: st.DrawFn) -> dict[str, float]:
    """A kernel with a random subset of the amounts; zeros and more bytes below than above included."""
    found = {"time_s": draw(st.floats(1e-7, 10.0))}
    for name in draw(st.lists(st.sampled_from(AMOUNTS), unique=True)):
        small = {"threads_per_inst": 32, "block_threads": 1024, "regs_per_thread": 255, "smem_bytes_per_block": 49152}
        top = small.get(name)
        found[name] = float(draw(st.integers(1, top))) if top else draw(st.one_of(st.just(0.0), st.floats(1.0, 1e12)))
    return found
