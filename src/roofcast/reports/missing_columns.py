"""What a profile lacks for a full forecast, and the command that collects it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.forecasting.sources import resolve_sources
from roofcast.models.kernel_amounts import is_from_code

WANTED: tuple[str, ...] = (
    "time_s", "clock_hz", "grid_blocks", "block_threads", "regs_per_thread", "smem_bytes_per_block",
    Resource.FLOPS_FP64.value, Resource.FLOPS_FP32.value, Resource.FLOPS_FP16.value,
    Resource.BYTES_DRAM.value, Resource.BYTES_L2.value, Resource.BYTES_L1.value, Resource.BYTES_SHARED.value,
    "threads_per_inst", Resource.INSTS_ISSUED.value, "occupancy_fraction",
)  # fmt: skip
"""What a full forecast wants to know of a launch; what is absent is listed as missing."""


REGISTERS = "regs_per_thread"


def list_missing(kernels: KernelTable, i: int) -> list[str]:
    """Names of the wanted columns that a launch lacks.

    What source code has none of is 0, and no counter of a kernel that never ran is missing: of it registers alone may
    be unknown.
    """
    if kernels.once("from code", None, lambda: is_from_code(kernels))[i]:
        unknown = not kernels.strings("refused")[i] and math.isnan(read_value(kernels, REGISTERS, i))
        return [REGISTERS] if unknown else []
    return [name for name in WANTED if math.isnan(read_value(kernels, name, i))]


def read_value(kernels: KernelTable, name: str, i: int) -> float:
    """One cell; NaN where the table lacks the column, of which it makes no column of a million absent values."""
    column = kernels.numeric.get(name)
    return math.nan if column is None else float(column[i])


FIRST_OF_NCU = 7
"""Nsight Compute serves compute capability 7.0 and newer; older GPUs have nvprof."""


def suggest_collection(kernels: KernelTable, missing: Sequence[str]) -> str:
    """The command line; '' where no counter supplies what is missing."""
    gpu = find_first_gpu(kernels)
    recorded = next((str(c) for c in kernels.strings("compute_capability") if c), "")
    capability = recorded or (gpu.compute_capability if gpu else "") or ""
    amd_files = bool(kernels.provenance) and all(p.format.startswith("roc") for p in kernels.provenance)
    if amd_files or (gpu is not None and gpu.vendor == "AMD"):
        from roofcast.ingest.amd.amd_amounts import amd_collection_command

        return amd_collection_command(list(missing))
    if gpu is not None and gpu.vendor not in ("NVIDIA", "AMD"):
        return ""
    if capability.partition(".")[0].isdecimal() and int(capability.partition(".")[0]) < FIRST_OF_NCU:
        from roofcast.ingest.nvprof.nvprof_metrics import nvprof_collection_command

        return nvprof_collection_command(missing)
    from roofcast.ingest.ncu.collect import collection_command

    return collection_command(missing, capability)


def find_first_gpu(kernels: KernelTable) -> Processor | None:
    """The first GPU of the profile that the catalog has."""
    try:
        resolved = resolve_sources(kernels, None)
    except RoofcastError:
        return None
    return resolved.processors[0] if resolved.processors else None
