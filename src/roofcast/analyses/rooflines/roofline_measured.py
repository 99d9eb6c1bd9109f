"""Ceilings that a profiler measured on the very GPU of a profile; the catalog's stand beside them."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from roofcast.analyses.rooflines.roofs import Roof, roof_of
from roofcast.core.errors import UnknownProcessorError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor, Supply
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.ingest.amd.amd_ceilings import SOURCE, ceilings_beside


def measured_sources(kernels: KernelTable, sources: Sequence[Processor | None]) -> list[Processor | None]:
    """The source GPUs, each with the ceilings that lie beside the profile of its kernels, where there are any."""
    paths = {p.path for p in kernels.provenance if p.path and p.format == "rocprof-compute"}
    measured = [found for path in sorted(paths) if (found := ceilings_beside(path))]
    if not measured:
        return list(sources)
    known: dict[str, Processor] = {}
    result: list[Processor | None] = []
    for source in sources:
        if source is None or source.vendor != "AMD":
            result.append(source)
            continue
        if source.name not in known:
            known[source.name] = with_ceilings(source, measured[0])
        result.append(known[source.name])
    return result


def with_ceilings(processor: Processor, ceilings: Mapping[Resource, Supply]) -> Processor:
    """A processor with measured supplies in place of its own; kinds of access of these are no longer told apart."""
    variants = {k: v for k, v in processor.variants.items() if Resource(k.partition(":")[0]) not in ceilings}
    return dataclasses.replace(processor, supplies={**processor.supplies, **ceilings}, variants=variants)


def catalog_roofs(processor: Processor, drawn: Sequence[Roof], clock_hz: float) -> tuple[Roof, ...]:
    """The catalog's roofs of the resources whose drawn roofs were measured beside the profile."""
    from roofcast.catalog import gpu

    measured = [r.resource for r in drawn if r.source == SOURCE]
    if not measured:
        return ()
    try:
        original = gpu(processor.key)
    except UnknownProcessorError:
        return ()
    return tuple(r for r in (roof_of(original, m, clock_hz) for m in measured) if r)


def catalog_note(beside: Sequence[Roof]) -> tuple[str, ...]:
    """What the catalog says of the same roofs."""
    if not beside:
        return ()
    unit = {True: "B/s", False: "FLOP/s"}
    texts = [f"{r.label} {format_quantity(r.per_s, unit[r.is_memory])}" for r in beside]
    return (f"roofs measured on this very GPU (roofline.csv of rocprof-compute); the catalog has {', '.join(texts)}",)
