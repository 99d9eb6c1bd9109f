"""Measured ceilings as an entry of the catalog: identity and limits from the driver, the rest measured here."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from roofcast.catalog import library
from roofcast.catalog.own import check_entry, key_of
from roofcast.catalog.theory import merged_limits, peaks
from roofcast.catalog.vocabulary import measured_unit
from roofcast.catalog.writing import write_entry
from roofcast.core.errors import one_line
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.units import format_bytes_binary, parse_quantity
from roofcast.core.version import VERSION
from roofcast_measure.ceilings.bench import Ceiling
from roofcast_measure.ceilings.run import Measured

SCALES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
SIZES = ("smem_per_sm", "smem_per_block", "smem_reserved_per_block")
LOCKED = 0.98
"""Share of the boost clock below which nothing reaches it: the clock is set lower."""
SAME = 0.03
"""Relative difference up to which the driver's figure confirms the catalog's."""
SAME_MEMORY = 0.1
"""The driver counts less memory than the vendor: some of it is taken."""
MOST_SPREAD = 0.99
"""1; the catalog takes spreads below 1 alone."""


def entry_of(measured: Measured, key: str, known: Processor | None) -> dict[str, Any]:
    """Fields of a catalog entry.

    key : the entry's key; ``known`` : the catalog's processor for this device, whose figures are taken where the driver
    has none.
    """
    info = measured.info
    base = dict(library.entry(known.key)) if known is not None else {}
    notes = [f"measured by roofcast {VERSION} under {info.driver or 'an unknown driver'}"]
    architecture = base.get("architecture") or nearest_architecture(info.sm)
    if architecture != f"sm_{info.sm}":
        notes.append(f"the catalog has no sm_{info.sm}: what was not measured is that of {architecture}")
    entry: dict[str, Any] = {
        "key": key, "name": f"{one_line(info.name, 80)} (measured)", "vendor": "NVIDIA", "architecture": architecture,
        "segment": base.get("segment") or segment(info.name),
    }  # fmt: skip
    entry |= {k: base[k] for k in ("memory_type", "l2_partitions", "host_link", "host_link_bandwidth",
                                   "peer_link_bandwidth", "tdp", "launch_date", "clock_base") if k in base}  # fmt: skip
    entry |= identity(measured, base)
    limits = own_limits(measured.limits, entry, library.architecture(architecture))
    ceilings = [c for c in measured.ceilings if c.is_ceiling]
    if locked := locked_clock(measured):
        notes.append(f"the SM clock never exceeded {locked / 1e6:.0f} MHz: rates of the SM hold at that clock")
    if len(ceilings) < len(measured.ceilings):
        notes.append("mma.sync does not reach the rate of tcgen05: its rates are not in the entry")
    chosen = [c for c in best(ceilings) if not (locked and c.quantity.startswith("clock:"))]
    items = [item(c, measured, locked) for c in chosen]
    taken = {c.quantity.partition(":")[0] for c in ceilings}
    items += [i for i in base.get("measured", ()) if i["quantity"].partition(":")[0] not in taken]
    sources = {k: v for k, v in base.get("sources", {}).items() if k in entry or k == "default"}
    sources |= dict.fromkeys(identity(measured, {}), "driver") | {f"limits.{n}": "driver" for n in limits}
    sources = {k: v for k, v in sources.items() if k.partition(".")[0] in (*entry, "limits", "default")}
    limit = measured.state.power_limit_w
    entry |= {"driver": measured.state.driver or info.driver or None, "date": today(),
              "power_limit": f"{limit:.0f} W" if limit else None}  # fmt: skip
    entry |= {"notes": [*base.get("notes", ()), *notes], "limits": limits, "sources": {"default": "driver", **sources}}
    return entry | {"measured": items}


def best(ceilings: Sequence[Ceiling]) -> list[Ceiling]:
    """The highest ceiling of each quantity at each load, the sustained before the burst: a reader takes the first.

    Two instructions may make the same product: the wider one of FP64 reaches twice the rate on Hopper.
    """
    by_quantity: dict[str, dict[str, Ceiling]] = {}
    for c in ceilings:
        held = by_quantity.setdefault(c.quantity, {})
        if c.load not in held or c.value > held[c.load].value:
            held[c.load] = c
    return [of[load] for of in by_quantity.values() for load in ("sustained", "burst", "") if load in of]


def today() -> str:
    """The date in UTC."""
    return datetime.now(UTC).date().isoformat()


def text_of(measured: Measured, output: str | None, known: Processor | None) -> str:
    """The entry as TOML, checked as every command will read it; its key is the name of the file."""
    what = Path(output or "this-gpu.toml")
    entry = entry_of(measured, key_of(what), known)
    check_entry(entry, one_line(what.name, 80))
    return write_entry(entry)


def nearest_architecture(sm: int) -> str:
    """The architecture of the catalog, or the newest older one."""
    known = sorted(
        int(match[1]) for key in library.index()["architectures"] if (match := re.fullmatch(r"sm_(\d+)", key))
    )
    return f"sm_{max((k for k in known if k <= sm), default=known[0])}"


def segment(name: str) -> str:
    """What a GPU is sold as, by its name.

    >>> segment("NVIDIA GeForce RTX 4070 Laptop GPU"), segment("NVIDIA RTX A6000"), segment("NVIDIA H100 80GB HBM3")
    ('mobile', 'workstation', 'datacentre')
    """
    lower = name.lower()
    if "laptop" in lower or "max-q" in lower:
        return "mobile"
    if "geforce" in lower or "titan" in lower:
        return "consumer"
    return "workstation" if re.search(r"\bquadro\b|\brtx (pro|a?\d)", lower) else "datacentre"


def identity(measured: Measured, base: Mapping[str, Any]) -> dict[str, Any]:
    """Counts, clocks and sizes as the driver states them; the catalog's where the driver confirms them."""
    info = measured.info
    fields: dict[str, Any] = {"sm_count": info.sm_count}
    seen = max((c.clock_hz for c in measured.ceilings if c.clock_hz > 0), default=math.nan)
    boost = next((v for v in (info.clock_hz_boost, seen) if v > 0), 1e9)
    fields["clock_boost"] = f"{boost / 1e6:.6g} MHz"
    if info.capacity_bytes_l2 > 0:
        fields["l2"] = exact_bytes(info.capacity_bytes_l2)
    stated = parse_quantity(base["memory_size"], "B") if "memory_size" in base else math.nan
    same = abs(info.capacity_bytes_dram / stated - 1) <= SAME_MEMORY if stated > 0 else False
    fields["memory_size"] = base["memory_size"] if same else exact_bytes(info.capacity_bytes_dram)
    theory = peaks(base, library.architecture(base["architecture"])).get(Resource.BYTES_DRAM) if base else None
    peak = info.bytes_per_s_dram_peak
    if theory is not None and not (peak > 0 and abs(peak / theory - 1) > SAME):
        names = ("memory_bus_bits", "memory_data_rate", "memory_bandwidth")
        return fields | {n: base[n] for n in names if n in base}
    if peak > 0:
        fields["memory_bandwidth"] = scaled(peak, "B/s")
    return fields


def exact_bytes(size: float) -> str:
    """A size that reads well where it is round, else in bytes."""
    text = format_bytes_binary(size)
    return text if parse_quantity(text, "B") == size else f"{size:.0f} B"


def own_limits(limits: Mapping[str, int], entry: Mapping[str, Any], architecture: Mapping[str, Any]) -> dict[str, Any]:
    """Limits that the driver states otherwise than the architecture."""
    known = merged_limits({**entry, "limits": {}}, architecture)
    others: dict[str, Any] = {}
    for name, value in limits.items():
        stated = known.get(name)
        if name in SIZES:
            if stated is None or parse_quantity(stated, "B") != value:
                others[name] = exact_bytes(value)
        elif stated != value:
            others[name] = value
    return others


def locked_clock(measured: Measured) -> float | None:
    """The highest clock that was seen, where it stays below the boost clock whatever the load."""
    seen = [c.clock_hz for c in measured.ceilings if c.clock_hz > 0]
    counted = measured.get("clock:fp32")
    if counted is not None:
        seen.append(counted.value)
    boost = measured.info.clock_hz_boost
    return max(seen) if seen and boost > 0 and max(seen) < LOCKED * boost else None


def item(ceiling: Ceiling, measured: Measured, locked: float | None) -> dict[str, Any]:
    """One ``[[measured]]`` table."""
    head = ceiling.quantity.partition(":")[0]
    fixed = head in ("bytes_dram", "bytes_host_link", "bytes_llc") or head not in set(Resource)
    held = ceiling.clock_hz if ceiling.load == "sustained" else math.nan
    lower = locked if locked is not None else held if held < LOCKED * measured.info.clock_hz_boost else None
    return {
        "quantity": ceiling.quantity,
        "value": scaled(ceiling.value, measured_unit(ceiling.quantity) or "", integer=head.startswith("ops_")),
        "method": f"{ceiling.method}; median of {ceiling.repetitions}",
        "source": f"roofcast measure ceilings, {measured.info.driver or 'CUDA unknown'}",
        "spread": round(min(ceiling.spread, MOST_SPREAD), 5),
        "clock": None if lower is None or fixed else f"{lower / 1e6:.6g} MHz",
        "load": ceiling.load or None,
        "power": None if math.isnan(ceiling.power_w) else f"{ceiling.power_w:.0f} W",
        "date": today(),
        "note": during(ceiling) or None,
    }


def during(ceiling: Ceiling) -> str:
    """Clocks and power under the load.

    >>> during(Ceiling("x", 1.0, 0.0, 3, "m", 1.41e9, 1.215e9, 250.0))
    'at 1410 MHz, memory 1215 MHz, 250 W'
    """
    parts = [
        text.format(value * unit)
        for value, unit, text in (
            (ceiling.clock_hz, 1e-6, "{:.0f} MHz"),
            (ceiling.clock_hz_dram, 1e-6, "memory {:.0f} MHz"),
            (ceiling.power_w, 1.0, "{:.0f} W"),
        )
        if not math.isnan(value)
    ]
    return f"at {', '.join(parts)}" if parts else ""


def scaled(value: float, unit: str, *, integer: bool = False) -> str:
    """A value with its unit, as catalog files write it.

    >>> scaled(3.05598e12, "B/s"), scaled(2.2e-6, "s"), scaled(33.125, "cycles"), scaled(3e13, "FLOP/s", integer=True)
    ('3.05598 TB/s', '2.2 us', '33.125 cycles', '30 TOP/s')
    """
    printed_unit = "OP/s" if integer and unit == "FLOP/s" else unit
    if unit == "cycles":
        return f"{value:.6g} cycles"
    if unit == "s":
        return f"{value * 1e6:.6g} us"
    for factor, prefix in SCALES:
        if value >= factor:
            return f"{value / factor:.6g} {prefix}{printed_unit}"
    return f"{value:.6g} {printed_unit}"
