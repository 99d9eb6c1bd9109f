"""The ceilings that rocprof-compute measured on the machine of a profile (``roofline.csv`` beside the counters)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from roofcast.core.processor import Domain, Kind, Supply
from roofcast.core.resource import Resource
from roofcast.ingest.amd.dispatches import number, rows_beside

CEILINGS: dict[str, Resource] = {
    "hbmbw": Resource.BYTES_DRAM,
    "mallbw": Resource.BYTES_LLC,
    "l2bw": Resource.BYTES_L2,
    "l1bw": Resource.BYTES_L1,
    "ldsbw": Resource.BYTES_SHARED,
    "fp64flops": Resource.FLOPS_FP64,
    "fp32flops": Resource.FLOPS_FP32,
    "fp16flops": Resource.FLOPS_FP16,
    "bf16flops": Resource.FLOPS_BF16,
    "mfmaf64flops": Resource.FLOPS_TENSOR_FP64,
    "mfmaf16flops": Resource.FLOPS_TENSOR_FP16,
    "mfmabf16flops": Resource.FLOPS_TENSOR_BF16,
    "mfmaf32flops": Resource.FLOPS_TENSOR_FP32,
    "mfmaxf32flops": Resource.FLOPS_TENSOR_TF32,
    "mfmaf8flops": Resource.FLOPS_TENSOR_FP8,
    "mfmaf4flops": Resource.FLOPS_TENSOR_FP4,
    "mfmai8ops": Resource.OPS_TENSOR_INT8,
}
"""Column of the file, in GB/s, GFLOP/s or GOP/s -> what it measures."""
GIGA = 1e9
SOURCE = "rocprof-compute roofline.csv of this machine"


def ceilings_beside(profile: str | Path) -> dict[Resource, Supply]:
    """Measured supplies of the GPU of a counter file; none where no such file lies beside it. Never raises.

    Of several devices the mean counts; the uncertainty covers their spread and that of the repeats.
    """
    path = Path(profile)
    beside = path.with_name("roofline.csv")
    for part in ("pmc_perf", "pmc-perf"):
        if part in path.name and not beside.is_file():
            beside = path.with_name(path.name.replace(part, "roofline").removesuffix(".gz"))
    rows = rows_beside(beside) if beside != path else []
    found: dict[Resource, Supply] = {}
    for column, resource in CEILINGS.items():
        values = [number(row.get(column, "")) for row in rows]
        known = [v for v in values if v > 0]
        if not known:
            continue
        mean = float(np.mean(known))
        ends = [number(row.get(f"{column}{end}", "")) for row in rows for end in ("low", "high")]
        spread = max((abs(e - mean) / mean for e in [*known, *ends] if e > 0), default=0.0)
        domain = Domain.MEMORY if resource is Resource.BYTES_DRAM else Domain.SM
        found[resource] = Supply(mean * GIGA, Kind.MEASURED, SOURCE, spread, domain=domain)
    return found
