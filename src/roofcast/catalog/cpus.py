"""CPUs, as the boat hull model needs them: cores, threads, lanes, one compute and one memory rate."""

from __future__ import annotations

from typing import Any

from roofcast.catalog.facts import fact, published
from roofcast.catalog.vocabulary import measured_unit
from roofcast.core.processor import Domain, Kind, Processor, Supply
from roofcast.core.resource import Resource
from roofcast.core.units import parse_quantity

LANE_BITS = 32
"""bit of a lane of vector units: FP32 elements, in which the boat hull model counts."""
STREAM_SHARE, STREAM_SPREAD = 0.83, 0.06
"""Of eight or twelve channels: 0.80 (Xeon 8480+), 0.83 (8380), 0.86 (EPYC 9654), 0.87 (7763) by the vendors' notes."""


def derive_cpu(entry: dict[str, Any]) -> Processor:
    """The processor of a CPU entry: an "SM" is a core, a "warp" its vector lanes of 32 bits.

    Threads per core stand in ``max_threads_per_sm``. Of several measured kinds of a resource the first counts. Where
    nobody measured, the compute peak is the one that the vendor prints, because how
    many operations a lane starts per clock is not stated by the source.
    """
    clock, cores = parse_quantity(entry["clock"], "Hz"), int(entry["cores"])
    printed = published(entry)
    supplies = {}
    if "flops_fp32" in printed:
        peak, source = printed["flops_fp32"], "published figure: " + entry["sources"].get("default", "")
        supplies[Resource.FLOPS_FP32] = Supply(peak, Kind.SPECIFIED, source, 0.0, peak, Domain.SM, clock)
    variants = {}
    for item in entry.get("measured", ()):
        head, _, kind = item["quantity"].partition(":")
        resource, value = Resource(head), parse_quantity(item["value"], measured_unit(item["quantity"]) or "")
        source = f"{item['method']}, {item['source']}"
        on_core = resource.is_compute
        supply = Supply(
            value, Kind.MEASURED, source, 0.03, None, Domain.SM if on_core else Domain.MEMORY,
            clock if on_core else None, scales_with_sms=on_core,
        )  # fmt: skip
        if kind:
            variants[item["quantity"]] = supply
        supplies.setdefault(resource, supply)
    if Resource.BYTES_DRAM not in supplies and "bytes_dram" in printed:
        peak, source = (
            printed["bytes_dram"],
            f"estimated: {STREAM_SHARE:g} of the memory's theory, as STREAM reaches it",
        )
        supplies[Resource.BYTES_DRAM] = Supply(
            STREAM_SHARE * peak, Kind.ESTIMATED, source, STREAM_SPREAD, peak, Domain.MEMORY, None, False
        )
    sources = entry.get("sources", {})
    fields = {"sm_count": "cores", "max_threads_per_sm": "threads", "warp_size": "vector_bits"}
    facts = {n: fact(sources.get(f, sources.get("default", ""))) for n, f in fields.items()}
    return Processor(
        key=entry["key"],
        name=entry["name"],
        vendor=entry["vendor"],
        architecture=entry["architecture"],
        is_gpu=False,
        aliases=tuple(entry.get("aliases", ())),
        sm_count=cores,
        warp_size=int(entry["vector_bits"]) // LANE_BITS,
        max_threads_per_sm=int(entry["threads"]) // cores,
        clock_hz_boost=clock,
        supplies=supplies,
        variants=variants,
        published=printed,
        facts=facts | {"clock_hz_boost": fact(sources.get("clock", sources.get("default", "")))},
        notes=tuple(entry.get("notes", ())),
    )
