"""Build the index that names resolve through, from the entries: names, what distinguishes variants, class rules.

Entries that ``roofcast gpus --validate`` would refuse for their fields are refused here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from roofcast.catalog.class_rules import Fit
from roofcast.catalog.entries import ROOT, load, read_toml, with_own_measurements
from roofcast.catalog.gpu_names import QUALIFIERS, Name, flat, parse_name
from roofcast.catalog.packed import compact
from roofcast.catalog.schema import ArchitectureEntry, CpuEntry, GpuEntry, validated
from roofcast.core.errors import CatalogEntryError, RoofcastError
from roofcast.core.units import parse_quantity

# Brands that people put before any card of a segment, printed on it or not.
BRANDS = {
    ("NVIDIA", "datacentre"): ("tesla",), ("NVIDIA", "consumer"): ("geforce",), ("NVIDIA", "mobile"): ("geforce",),
    ("AMD", "datacentre"): ("instinct", "radeon"), ("AMD", "consumer"): ("radeon",),
    ("AMD", "workstation"): ("radeon",), ("AMD", "mobile"): ("radeon",), ("Intel", "datacentre"): ("datacenter",),
}  # fmt: skip


SHAPES: dict[str, type[Any]] = {"architectures": ArchitectureEntry, "gpus": GpuEntry, "cpus": CpuEntry}


def refuse_unsound(paths: Iterable[Path], check: Callable[[Path], object]) -> None:
    """Every entry that a check refuses, in one error.

    Raises
    ------
    CatalogEntryError : one is refused.
    """
    problems = []
    for path in paths:
        try:
            check(path)
        except RoofcastError as error:
            problems.append(str(error))
    if problems:
        raise CatalogEntryError("\n".join(problems))


def check_fields(path: Path) -> None:
    """The fields of a shipped entry, which must be whole: a user's may lean on another one."""
    validated(SHAPES[path.parent.name], read_toml(path), path.name)


def build_index() -> dict[str, dict[str, Any]]:
    """Gather what the TOML files of the catalog say about names, plus architectures, class rules and nodes.

    Raises
    ------
    CatalogEntryError : fields of an entry are missing or wrong; all of them in one message.
    """
    paths = {folder: sorted((ROOT / folder).glob("*.toml")) for folder in SHAPES}
    refuse_unsound([path for members in paths.values() for path in members], check_fields)
    architectures = {path.stem: load(path) for path in paths["architectures"]}
    entries: dict[str, Any] = {}
    raw = {folder: [load(path) for path in paths[folder]] for folder in ("gpus", "cpus")}
    raw["gpus"] = [with_own_measurements(entry) for entry in raw["gpus"]]
    for folder, entries_of_folder in raw.items():
        entries |= {entry["key"]: record(folder, entry, architectures) for entry in entries_of_folder}
    return {
        "entries": entries,
        "models": inverted({k: e["models"] for k, e in entries.items()}),
        "flat": inverted({k: e["flat"] for k, e in entries.items()}),
        "defaults": defaults(entries),
        "architectures": architectures,
        "rules": by_quantity(Fit(load(ROOT / "estimates.toml"), raw["gpus"], architectures).rules()),
        "nodes": {name.lower(): [name, node] for node in load(ROOT / "nodes.toml")["node"] for name in node["names"]},
    }


def by_quantity(rules: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Quantity -> its class rules, in the order in which they are tried."""
    grouped: dict[str, list[dict[str, Any]]] = {}
    for rule in rules:
        grouped.setdefault(rule["quantity"], []).append(rule)
    return grouped


def record(folder: str, entry: Mapping[str, Any], architectures: Mapping[str, Any]) -> dict[str, Any]:
    """Gather what names and profiles are compared with, of one entry."""
    spellings = [entry["name"], *entry.get("aliases", ()), *entry.get("default_for", ())]
    names = [parse_name(s) for s in spellings]
    architecture = architectures.get(entry["architecture"], {})
    size = parse_quantity(entry["memory_size"], "B") if "memory_size" in entry else None
    fields: dict[str, Any] = {
        "folder": folder,
        "name": entry["name"],
        "architecture": entry["architecture"],
        "compute_capability": architecture.get("compute_capability", ""),
        "sm_count": entry.get("sm_count", entry.get("cores")),
        "memory_bytes": size,
        "launch_date": entry.get("launch_date", ""),
        "default_for": entry.get("default_for", []),
        "models": sorted({n.model for n in names}),
        "flat": sorted({flat(s) for s in spellings}),
    }
    return fields | {"qualifiers": qualifiers(entry, names, architecture)}


def qualifiers(entry: Mapping[str, Any], names: Iterable[Name], architecture: Mapping[str, Any]) -> dict[str, Any]:
    """Every qualifier that some name of an entry has, plus what its fields say."""
    values: dict[str, set[str]] = {n: set() for n in QUALIFIERS}
    for name in names:
        for kind in QUALIFIERS:
            values[kind] |= getattr(name, kind)
    if "memory_size" in entry:
        values["size"].add(f"{parse_quantity(entry['memory_size'], 'B') / 2**30:.0f}")
    if "memory_type" in entry:
        values["memory"] |= parse_name(entry["memory_type"]).memory
    values["vendor"].add(str(entry["vendor"]).lower())
    values["brand"].update(BRANDS.get((entry["vendor"], entry.get("segment", "")), ()))
    values["family"] |= parse_name(architecture.get("family", "")).family
    return {k: sorted(v) for k, v in values.items() if v}


def inverted(lists: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """Name -> keys, from key -> names."""
    keys: dict[str, list[str]] = {}
    for key, names in lists.items():
        for name in names:
            keys.setdefault(name, []).append(key)
    return {n: keys[n] for n in sorted(keys)}


def defaults(entries: Mapping[str, Any]) -> dict[str, str]:
    """Flat form of each ambiguous name -> the entry that declares itself its answer."""
    return {flat(name): key for key, entry in entries.items() for name in entry["default_for"]}


def render_index(index: Mapping[str, Mapping[str, Any]]) -> str:
    """The index as :class:`roofcast.catalog.library.Part` reads it: parts with an empty line between them, each its
    name and a line for each key.
    """
    return "\n\n".join(
        "\n".join([name, *(f"{key}\t{compact(value)}" for key, value in part.items())]) for name, part in index.items()
    )
