"""What a kernel uses and a processor supplies at a bounded rate.

A kernel has an *amount* of each resource, a processor a *supply per second* of it, and the ratio is seconds.
The value of a member is the column name of the amount in every file and report.
"""

from __future__ import annotations

from enum import StrEnum


class Resource(StrEnum):
    """A bounded resource. A new pipe or memory level is one new member here and nothing else."""

    FLOPS_FP64 = "flops_fp64"
    FLOPS_FP32 = "flops_fp32"
    FLOPS_FP16 = "flops_fp16"
    FLOPS_BF16 = "flops_bf16"
    FLOPS_TENSOR_FP64 = "flops_tensor_fp64"
    FLOPS_TENSOR_FP32 = "flops_tensor_fp32"
    FLOPS_TENSOR_TF32 = "flops_tensor_tf32"
    FLOPS_TENSOR_FP16 = "flops_tensor_fp16"
    FLOPS_TENSOR_BF16 = "flops_tensor_bf16"
    FLOPS_TENSOR_FP8 = "flops_tensor_fp8"
    FLOPS_TENSOR_FP4 = "flops_tensor_fp4"
    OPS_TENSOR_INT8 = "ops_tensor_int8"
    OPS_INT32 = "ops_int32"
    INSTS_ISSUED = "insts_issued"
    INSTS_SPECIAL = "insts_special"
    INSTS_LSU = "insts_lsu"
    BYTES_L1 = "bytes_l1"
    BYTES_SHARED = "bytes_shared"
    BYTES_L2 = "bytes_l2"
    BYTES_LLC = "bytes_llc"
    BYTES_DRAM = "bytes_dram"
    BYTES_HOST_LINK = "bytes_host_link"
    ATOMICS_L2 = "atomics_l2"

    @property
    def supply(self) -> str:
        """Name of the supply per second: ``flops_fp64`` is supplied at ``flops_per_s_fp64``.

        >>> Resource.BYTES_DRAM.supply
        'bytes_per_s_dram'
        """
        noun, _, where = self.value.partition("_")
        return f"{noun}_per_s_{where}"

    @property
    def unit(self) -> str:
        """Unit of the amount, for reports: ``FLOP``, ``OP``, ``inst``, ``B`` or ``atomic``."""
        return UNIT_OF_NOUN[self.value.partition("_")[0]]

    @property
    def label(self) -> str:
        """Short human name: ``DRAM``, ``L2``, ``FP64``, ``tensor BF16``.

        >>> Resource.FLOPS_TENSOR_BF16.label, Resource.BYTES_DRAM.label
        ('tensor BF16', 'DRAM')
        """
        return LABELS[self]

    @property
    def supply_unit(self) -> str:
        """Base unit of its supply as :mod:`roofcast.core.units` has it (OP/s and FLOP/s are one there).

        >>> Resource.OPS_INT32.supply_unit, Resource.BYTES_L2.supply_unit
        ('FLOP/s', 'B/s')
        """
        return "FLOP/s" if self.unit == "OP" else f"{self.unit}/s"

    @property
    def is_compute(self) -> bool:
        """Return whether the amount is floating-point or integer operations."""
        return self in COMPUTE

    @property
    def is_memory(self) -> bool:
        """Return whether the amount is bytes moved."""
        return self.value.startswith("bytes_")


COMPUTE = frozenset(r for r in Resource if r.value.startswith(("flops_", "ops_")))

UNIT_OF_NOUN = {"flops": "FLOP", "ops": "OP", "insts": "inst", "bytes": "B", "atomics": "atomic"}

LABELS: dict[Resource, str] = {
    Resource.FLOPS_FP64: "FP64",
    Resource.FLOPS_FP32: "FP32",
    Resource.FLOPS_FP16: "FP16",
    Resource.FLOPS_BF16: "BF16",
    Resource.FLOPS_TENSOR_FP64: "tensor FP64",
    Resource.FLOPS_TENSOR_FP32: "tensor FP32",
    Resource.FLOPS_TENSOR_TF32: "tensor TF32",
    Resource.FLOPS_TENSOR_FP16: "tensor FP16",
    Resource.FLOPS_TENSOR_BF16: "tensor BF16",
    Resource.FLOPS_TENSOR_FP8: "tensor FP8",
    Resource.FLOPS_TENSOR_FP4: "tensor FP4",
    Resource.OPS_TENSOR_INT8: "tensor INT8",
    Resource.OPS_INT32: "INT32",
    Resource.INSTS_ISSUED: "issue",
    Resource.INSTS_SPECIAL: "special functions",
    Resource.INSTS_LSU: "load/store",
    Resource.BYTES_L1: "L1",
    Resource.BYTES_SHARED: "shared memory",
    Resource.BYTES_L2: "L2",
    Resource.BYTES_LLC: "last-level cache",
    Resource.BYTES_DRAM: "DRAM",
    Resource.BYTES_HOST_LINK: "host link",
    Resource.ATOMICS_L2: "L2 atomics",
}

FLOPS_VECTOR = (Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.FLOPS_FP16, Resource.FLOPS_BF16)
FLOPS_TENSOR = (
    Resource.FLOPS_TENSOR_FP64,
    Resource.FLOPS_TENSOR_FP32,
    Resource.FLOPS_TENSOR_TF32,
    Resource.FLOPS_TENSOR_FP16,
    Resource.FLOPS_TENSOR_BF16,
    Resource.FLOPS_TENSOR_FP8,
    Resource.FLOPS_TENSOR_FP4,
)
