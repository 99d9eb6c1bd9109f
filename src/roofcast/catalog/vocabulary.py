"""Names that catalog files use: per-SM rates, limits, kinds of measurement. Plain data, cheap to import."""

from __future__ import annotations

from roofcast.core.resource import Resource

RATES: dict[str, str] = {
    "fp64_fma": "FP64 fused multiply-adds per clock and SM",
    "fp32_fma": "FP32 fused multiply-adds per clock and SM",
    "fp32_packed_fma": "the same with two packed into one instruction, where faster (AMD)",
    "fp16_fma": "FP16 fused multiply-adds per clock and SM, outside the tensor pipe",
    "bf16_fma": "BF16 fused multiply-adds per clock and SM, outside the tensor pipe",
    "int32_add": "32-bit integer additions per clock and SM",
    "int32_mul": "32-bit integer multiplications per clock and SM",
    "issue": "warp instructions started per clock and SM, where it is not one per scheduler",
    "special": "special functions (sine, reciprocal square root ...) per clock and SM",
    "lsu_lanes": "load/store lanes: thread accesses per clock and SM",
    "shuffle": "shuffled lanes per clock and SM",
    "l1_bytes_load_4b": "L1 bytes per clock and SM with 4-byte loads",
    "l1_bytes_load_16b": "L1 bytes per clock and SM with 16-byte loads",
    "shared_bytes": "shared-memory bytes per clock and SM",
    "tensor_fp64_flop": "dense FP64 matrix FLOP per clock and SM",
    "tensor_fp32_flop": "dense FP32 matrix FLOP per clock and SM (AMD)",
    "tensor_tf32_flop": "dense TF32 matrix FLOP per clock and SM",
    "tensor_fp16_flop": "dense FP16 matrix FLOP per clock and SM",
    "tensor_fp16_fp32acc_flop": "the same with FP32 accumulation, where slower (GeForce)",
    "tensor_bf16_flop": "dense BF16 matrix FLOP per clock and SM",
    "tensor_fp8_flop": "dense FP8 matrix FLOP per clock and SM",
    "tensor_fp4_flop": "dense FP4 matrix FLOP per clock and SM",
    "tensor_int8_op": "dense INT8 matrix operations per clock and SM",
    "tensor_clock_fraction": "clock that vendors' tensor peaks assume over the boost clock (1 unless given)",
}
"""Key of ``[rates]`` -> meaning. Multiply-add counts once here and twice in FLOP."""

LATENCIES = ("l1", "shared", "l2", "l2_far", "llc", "dram", "dram_far", "dram_tlb_miss", "fp32_fma", "fp64_fma")
LAUNCHES = ("stream", "graph", "grid_sync", "single", "opencl")
CLOCK_LOADS = ("fp32", "dram", "tensor")

DRAM_ACCESSES = (
    "init", "read", "copy", "scale", "add", "triad", "dot", "stencil",
    "read_misaligned", "init_misaligned", "lattice_boltzmann", "uncoalesced", "gather", "tensor_copy",
    "memcpy", "memset",
)  # fmt: skip
"""``memcpy``, ``memset``: by the driver itself, which is what a framework's contiguous copy and fill call."""
CACHE_ACCESSES = ("read", "read_shared", "read_stream", "write", "scale", "triad", "read_write")
L1_ACCESSES = ("load_4b", "load_8b", "load_16b")
SHARED_ACCESSES = (*L1_ACCESSES, "conflict_2", "conflict_32")
"""``conflict_n``: n lanes meet in each bank; bytes that the threads ask for."""
ATOMICS = (
    "distinct", "same_address", "same_address_per_lane", "beyond_l2", "coalesced", "compare_and_swap",
    "compare_and_swap_held",
)  # fmt: skip
"""``same_address``: additions of a program's atomicAdd, which compilers sum over a warp into one request; ``per_lane``:
each lane's own request. ``compare_and_swap``: tries, which counters count; ``held``: those that changed the value."""
COMPUTE_VARIANTS = (
    *("fma", "add_mul", "packed", "fp32_accumulate", "fp16_accumulate", "matmul", "burst", "mma", "wgmma", "tcgen05"),
    *("block_scaled", "fp6", "sustained", "sustained_zeros", "matmul_own"),
)
"""``packed``: two operations in one instruction; ``burst``: products in short runs, before a power limit bites;
``sustained``: held for seconds, on random operands or on zeros, which draw less power;
``matmul``: a library's product, ``matmul_own``: one of plain code, where no library is;
``block_scaled``: operands with a scale for each few elements; ``fp6``: 6-bit operands, on the units of FP8."""

VARIANTS: dict[Resource, tuple[str, ...]] = {
    Resource.BYTES_DRAM: DRAM_ACCESSES,
    Resource.BYTES_L2: CACHE_ACCESSES,
    Resource.BYTES_LLC: CACHE_ACCESSES,
    Resource.BYTES_L1: L1_ACCESSES,
    Resource.BYTES_SHARED: SHARED_ACCESSES,
    Resource.BYTES_HOST_LINK: ("h2d", "d2h", "bidirectional", "h2d_pageable"),
    Resource.ATOMICS_L2: ATOMICS,
    Resource.INSTS_LSU: ("shared_atomic", "shared_atomic_same"),
    Resource.INSTS_SPECIAL: ("ex2",),
    Resource.OPS_INT32: ("add", "mul", "mad"),
    **{r: COMPUTE_VARIANTS for r in Resource if r.value.startswith(("flops_", "ops_tensor_"))},
}
"""Resource -> kinds of access or use that a measured ceiling may be of."""

CONFIDENCES = ("high", "medium", "low", "unverified")


def measured_unit(quantity: str) -> str | None:
    """Base unit of a measured quantity; None where the vocabulary does not have it.

    >>> measured_unit("bytes_dram:triad"), measured_unit("latency_cycles:l2"), measured_unit("bytes_dram:hop")
    ('B/s', 'cycles', None)
    """
    head, _, variant = quantity.partition(":")
    others = {"latency_cycles": (LATENCIES, "cycles"), "launch_floor": (LAUNCHES, "s"), "clock": (CLOCK_LOADS, "Hz")}
    if head in others:
        allowed, unit = others[head]
        return unit if variant in allowed else None
    try:
        resource = Resource(head)
    except ValueError:
        return None
    return resource.supply_unit if not variant or variant in VARIANTS.get(resource, ()) else None
