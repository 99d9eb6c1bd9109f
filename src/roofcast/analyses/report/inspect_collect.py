"""The command that collects what a profile lacks, for the profiler that its GPU has."""

from __future__ import annotations

from collections.abc import Sequence

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.forecasting.sources import resolve_sources
from roofcast.ingest.amd.amd_amounts import amd_collection_command
from roofcast.ingest.ncu.collect import collection_command
from roofcast.ingest.nvprof.names import nvprof_collection_command

FIRST_OF_NCU = 7
"""Nsight Compute serves compute capability 7.0 and newer; older GPUs have nvprof."""


def collecting(kernels: KernelTable, missing: Sequence[str]) -> str:
    """The command line; '' where no counter supplies what is missing."""
    gpu = first_gpu(kernels)
    recorded = next((str(c) for c in kernels.strings("compute_capability") if c), "")
    capability = recorded or (gpu.compute_capability if gpu else "") or ""
    amd_files = bool(kernels.provenance) and all(p.format.startswith("roc") for p in kernels.provenance)
    if amd_files or (gpu is not None and gpu.vendor == "AMD"):
        return amd_collection_command(list(missing))
    if gpu is not None and gpu.vendor not in ("NVIDIA", "AMD"):
        return ""
    if capability.partition(".")[0].isdecimal() and int(capability.partition(".")[0]) < FIRST_OF_NCU:
        return nvprof_collection_command(missing)
    return collection_command(missing, capability)


def first_gpu(kernels: KernelTable) -> Processor | None:
    """The first GPU of the profile that the catalog has."""
    try:
        found = resolve_sources(kernels, None)
    except RoofcastError:
        return None
    return found.processors[0] if found.processors else None
