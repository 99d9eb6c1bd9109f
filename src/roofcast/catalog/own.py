"""Users' own entries: a TOML file that describes a GPU (whole, or as changes to one of the catalog) or a CPU."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from roofcast.catalog import library
from roofcast.catalog.derive import derive_processor
from roofcast.catalog.entries import read_toml
from roofcast.catalog.finding import Match, find
from roofcast.catalog.theory import merged_limits, peaks, per_second
from roofcast.catalog.vocabulary import measured_unit
from roofcast.core.errors import CatalogEntryError, one_line
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource


def load_own(path: Path) -> Match:
    """The processor that a user's TOML file describes."""
    raw = read_toml(path)
    what = one_line(path.name, 80)
    if "vector_bits" in raw and "sm_count" not in raw:
        return Match(own_cpu({"key": key_of(path), **raw}, what))
    if "base" not in raw:
        return Match(processor_of(check_entry({**invented(raw, path), **raw}, what), what))
    base = raw.pop("base")
    if not isinstance(base, str):
        raise CatalogEntryError(f"{what}: base: write the name of a catalog entry in quotes")
    match = find(base)
    if not match.processor.is_gpu:
        raise CatalogEntryError(f"{what}: base: {match.processor.name} is a CPU; describe GPUs from a GPU")
    entry = over_base(library.entry(match.processor.key), raw, path, what)
    return Match(processor_of(entry, what), (*match.notes, f"{entry['name']}: {what} over {match.processor.name}"))


def own_cpu(raw: dict[str, Any], what: str) -> Processor:
    """The processor of a CPU's description, such as ``roofcast measure ceilings --cpu`` writes."""
    from roofcast.catalog.cpus import derive_cpu
    from roofcast.catalog.schema import CpuEntry, validated

    entry = validated(CpuEntry, raw, what)
    wrong = [i["quantity"] for i in entry.get("measured", ()) if i["quantity"].partition(":")[0] not in set(Resource)]
    if wrong or any("/clk" in i["value"] for i in entry.get("measured", ())):
        raise CatalogEntryError(f"{what}: measured: a CPU has rates per second alone, of resources")
    return derive_cpu({**entry, "name": one_line(entry["name"], 120), "sources": entry.get("sources", {})})


def invented(raw: dict[str, Any], path: Path) -> dict[str, Any]:
    """Fields that a minimal description need not have: identity from the file name, the rest from the architecture."""
    architecture = library.index()["architectures"].get(str(raw.get("architecture")), {})
    return {
        "key": key_of(path),
        "name": one_line(path.stem, 80),
        "segment": "datacentre",
        **({"vendor": architecture["vendor"]} if architecture else {}),
    }


def key_of(path: Path) -> str:
    """A catalog key from a file name."""
    return "-".join(re.findall(r"[a-z0-9]+", path.stem.lower())) or "own"


def check_entry(raw: dict[str, Any], what: str) -> dict[str, Any]:
    """The entry, checked field by field."""
    from roofcast.catalog.schema import GpuEntry, validated

    problems = []
    try:
        entry = validated(GpuEntry, raw, what)
    except CatalogEntryError as error:
        entry, problems = {}, [str(error)]
    known = library.index()["architectures"]
    if str(raw.get("architecture")) not in known and "architecture" in raw:
        lead = "" if problems else f"{what}: "
        name = one_line(str(raw["architecture"]), 40)
        problems.append(f"{lead}architecture: {name!r} is not one of {', '.join(known)}")
    if problems:
        raise CatalogEntryError("; ".join(problems))
    return entry


def processor_of(entry: dict[str, Any], what: str) -> Processor:
    """The processor of a checked entry; refuses one that models could not use."""
    architecture = library.architecture(entry["architecture"])
    entry = {**entry, "name": one_line(entry["name"], 120)}
    missing = []
    if "bytes_dram" not in {i["quantity"].partition(":")[0] for i in entry.get("measured", ())}:
        missing = [] if Resource.BYTES_DRAM in peaks(entry, architecture) else ["memory_bandwidth: needed"]
    if "warp_size" not in merged_limits(entry, architecture):
        missing.append("limits.warp_size: needed, the architecture has none")
    if missing:
        raise CatalogEntryError(f"{what}: {'; '.join(missing)}")
    return derive_processor(entry, architecture, library.rules())


def over_base(base: dict[str, Any], raw: dict[str, Any], path: Path, what: str) -> dict[str, Any]:
    """A catalog entry with a user's values over it; measured rates move with the theory that they are a share of."""
    entry = {k: v for k, v in base.items() if k not in ("aliases", "default_for", "published", "notes")}
    entry |= {"key": key_of(path), "name": f"{base['name']} ({one_line(path.stem, 60)})"}
    if "memory_bandwidth" in raw:
        entry = {k: v for k, v in entry.items() if k not in ("memory_bus_bits", "memory_data_rate")}
    elif "memory_data_rate" in raw or "memory_bus_bits" in raw:
        entry.pop("memory_bandwidth", None)
    if "host_link" in raw:
        entry.pop("host_link_bandwidth", None)
    measured = raw.pop("measured", [])
    for name, value in raw.items():
        both = isinstance(value, dict) and isinstance(entry.get(name), dict)
        entry[name] = {**entry[name], **value} if both else value
    for name in ("measured", "sources"):
        entry.setdefault(name, [] if name == "measured" else {})
    check_entry({**entry, "measured": measured}, what)
    entry["measured"] = [*measured, *moved(base, entry)]
    if "clock_boost" in raw and "clock_sustained" not in raw:
        entry.pop("clock_sustained", None)
    return entry


def moved(base: dict[str, Any], entry: dict[str, Any]) -> list[dict[str, Any]]:
    """The measured values of the base, times what the theory of each resource has changed."""
    old = peaks(base, library.architecture(base["architecture"]))
    new = peaks(entry, library.architecture(entry["architecture"]))
    clocks = per_second("1 B/clk/SM", "B/s", entry) / per_second("1 B/clk/SM", "B/s", base)
    rows = []
    for item in base.get("measured", ()):
        head = item["quantity"].partition(":")[0]
        if head == "clock" and clocks != 1:
            continue
        if head in set(Resource) and "/clk" not in item["value"]:
            resource = Resource(head)
            known = resource in old and resource in new
            fixed = head in ("bytes_dram", "bytes_host_link", "bytes_llc")
            factor = new[resource] / old[resource] if known else 1.0 if fixed else clocks
            if factor != 1:
                unit = measured_unit(item["quantity"]) or ""
                value = f"{per_second(item['value'], unit, base) * factor:.9g} {unit}"
                rows.append({**item, "value": value, "source": f"{item['source']} (scaled by {factor:.4g})"})
                continue
        rows.append(item)
    return rows
