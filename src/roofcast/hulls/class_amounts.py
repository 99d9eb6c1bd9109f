"""A class as a row of a kernel table: the second way into the models that forecast from profiles."""

from __future__ import annotations

from collections.abc import Sequence

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.hulls.bounds import Settings
from roofcast.hulls.classes import family_of
from roofcast.hulls.hull import bounds_of
from roofcast.hulls.notation import AlgorithmClass, Pattern

BLOCK_THREADS = 256


def operations_of(found: AlgorithmClass, complexity: float) -> float:
    """Operations of the class's function over all units of work."""
    variables = family_of(found).variables(found)
    if any(p.pattern is Pattern.TILE for p in found.outputs) and found.inputs[0].pattern is Pattern.ELEMENT:
        return complexity * found.elements_out
    return complexity * variables.work_units * variables.applications_per_unit


def bytes_of(found: AlgorithmClass, settings: Settings) -> float:
    """Compulsory bytes: every element once."""
    return float(found.elements_in + found.elements_out) * settings.element_bytes


def kernel_table(
    found: AlgorithmClass, sources: Sequence[Processor], complexity: float = 1.0, settings: Settings | None = None
) -> KernelTable:
    """One row per source processor, as :func:`roofcast.read` makes them; the time is that of the hull.

    Amounts are those of the class: operations, compulsory bytes, units of work as threads. All are marked as derived,
    the launch geometry (blocks of 256 threads) as assumed.

    Raises
    ------
    RoofcastError : the catalog lacks a rate that the model needs.
    """
    chosen = settings or Settings()
    resource = Resource.FLOPS_FP32 if chosen.resource is Resource.OPS_INT32 else chosen.resource
    moved = bytes_of(found, chosen)
    units = family_of(found).variables(found).work_units
    n = len(sources)
    derived = {
        "time_s": [bounds_of(found, p, chosen).low(complexity) for p in sources],
        chosen.resource.value: [operations_of(found, complexity)] * n,
        "bytes_dram": [moved] * n,
        "bytes_l2": [moved] * n,
        "bytes_compulsory": [moved] * n,
        "working_set_bytes": [moved] * n,
    }
    if chosen.resource is not resource:
        derived[resource.value] = [0.0] * n
    assumed = {"grid_blocks": [float(-(-units // BLOCK_THREADS))] * n, "block_threads": [float(BLOCK_THREADS)] * n}
    return KernelTable.from_columns(
        {"kernel": [str(found)] * n, "gpu": [p.name for p in sources], "cache_state": ["warm"] * n},
        {k: (v, Origin.DERIVED) for k, v in derived.items()} | {k: (v, Origin.ASSUMED) for k, v in assumed.items()},
        provenance=Provenance(format="class"),
    )
