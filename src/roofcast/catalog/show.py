"""The catalog as tables: all entries in a line each, or one entry with every value and where it comes from."""

from __future__ import annotations

import io
import json
import textwrap
from collections.abc import Sequence
from typing import Any

from roofcast.catalog.finding import Match
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.processor import Fact, Kind, Processor, Supply
from roofcast.core.resource import Resource
from roofcast.core.units import format_bytes_binary, format_quantity
from roofcast.kit.table import folded, render_csv

BYTES = (
    *("capacity_bytes_dram", "capacity_bytes_l1", "capacity_bytes_l2", "capacity_bytes_llc", "l1_line_bytes"),
    *("l1_sector_bytes", "smem_per_sm_bytes", "smem_per_block_bytes", "smem_reserved_per_block_bytes"),
    "smem_alloc_granularity_bytes",
)
UNITS = {"clock_hz_boost": "Hz", "clock_hz_base": "Hz", "clock_hz_sustained": "Hz", "launch_floor_s": "s"}
UNITS |= {"tdp_w": "W", "launch_price_usd": "USD"} | dict.fromkeys(BYTES, "B")
UNITS |= {f"latency_cycles_{k}": "cycles" for k in ("l1", "shared", "l2", "dram")}
FIELDS = (
    *("family", "compute_capability", "segment", "launch_date", "sm_count", "clock_hz_base", "clock_hz_boost"),
    *("clock_hz_sustained", "memory_type", "capacity_bytes_dram", "capacity_bytes_l1", "capacity_bytes_l2"),
    *("l2_partitions", "capacity_bytes_llc", "l1_line_bytes", "l1_sector_bytes", "warp_size", "max_threads_per_sm"),
    *("max_warps_per_sm", "max_blocks_per_sm", "max_threads_per_block", "regs_per_sm", "max_regs_per_thread"),
    *("reg_alloc_granularity", "reg_alloc_unit", "subpartitions_per_sm", "smem_per_sm_bytes", "smem_per_block_bytes"),
    *("smem_reserved_per_block_bytes", "smem_alloc_granularity_bytes", "latency_cycles_l1", "latency_cycles_shared"),
    *("latency_cycles_l2", "latency_cycles_dram", "launch_floor_s", "tdp_w", "launch_price_usd"),
)
"""Fields of an entry in the order of the detailed view."""


def build_overview_rows(processors: Sequence[Processor]) -> list[dict[str, Any]]:
    """One row per processor, SI units; None where the catalog does not know."""

    def peak(p: Processor, *resources: Resource) -> float | None:
        found = [s.peak_per_s or s.per_s for r in resources if (s := p.supplies.get(r)) is not None]
        return max(found, default=None)

    half = (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_TENSOR_BF16)
    return [
        {
            "name": p.name,
            "vendor": p.vendor,
            "architecture": p.family.partition(" (")[0] or p.architecture,
            "sm_count": p.sm_count,
            "clock_hz_boost": p.clock_hz_boost,
            "flops_per_s_fp64": peak(p, Resource.FLOPS_FP64),
            "flops_per_s_fp32": peak(p, Resource.FLOPS_FP32),
            "flops_per_s_tensor_fp16": peak(p, *half),
            "capacity_bytes_l2": p.capacity_bytes_l2,
            "capacity_bytes_dram": p.capacity_bytes_dram,
            "bytes_per_s_dram": peak(p, Resource.BYTES_DRAM),
            "year": int(p.launch_date[:4]) if p.launch_date else None,
            "key": p.key,
        }
        for p in processors
    ]


def select_processors(processors: Sequence[Processor], vendor: str | None, search: str | None) -> list[Processor]:
    """Processors of a vendor whose name, aliases or architecture contain a text, both without regard to case.

    Raises
    ------
    RoofcastError : the catalog has no such vendor.
    """
    vendors = sorted({p.vendor for p in processors})
    if vendor is not None and vendor.lower() not in {v.lower() for v in vendors}:
        raise RoofcastError(f"--vendor {one_line(vendor, 40)!r}: the catalog has {', '.join(vendors)}")

    def matches(p: Processor) -> bool:
        text = " ".join((p.name, p.key, p.architecture, p.family, p.memory_type, *p.aliases)).lower()
        of_vendor = vendor is None or p.vendor.lower() == vendor.lower()
        return of_vendor and all(word in text for word in (search or "").lower().split())

    return [p for p in processors if matches(p)]


def render_overview(processors: Sequence[Processor], form: str, width: int = 160) -> str:
    """The catalog in a format: table, json or csv. Rates are theoretical peaks at the boost clock."""
    rows = build_overview_rows(processors)
    if form == "json":
        return json.dumps({"processors": rows}, indent=2, ensure_ascii=False)
    if form == "csv":
        return render_csv(rows[0], (r.values() for r in rows)).rstrip() if rows else ""
    if not rows:
        return "No entry fits. `roofcast gpus` lists all; --search looks at names, aliases and architectures.\n"
    heads: tuple[str, ...]
    heads = ("name", "architecture", "SMs", "GHz", "FP64", "FP32", "tensor", "L2 MiB", "GiB", "TB/s", "year")
    shown = [
        (
            *(r["name"], r["architecture"], str(r["sm_count"]), format_figure(r["clock_hz_boost"], 1e9)),
            *(format_figure(r[f"flops_per_s_{k}"], 1e12) for k in ("fp64", "fp32", "tensor_fp16")),
            *(format_figure(r["capacity_bytes_l2"], 2**20), format_figure(r["capacity_bytes_dram"], 2**30)),
            *(format_figure(r["bytes_per_s_dram"], 1e12), str(r["year"] or "–")),
        )
        for r in rows
    ]
    foot = (
        f"{len(rows)} processors. FP64, FP32 and tensor (dense, 16 bit) in TFLOP/s: theoretical peaks at boost clock.\n"
        "`roofcast gpus NAME` shows what was measured and what is estimated.\n"
    )
    table = [heads, *shown] if width >= NARROW else [(row[0], *row[2:]) for row in (heads, *shown)]
    foot = "\n".join(line for part in foot.splitlines() for line in textwrap.wrap(part, max(width, NARROWEST))) + "\n"
    return render_table(table[0], table[1:], width, left=2 if width >= NARROW else 1) + foot


def format_figure(value: float | None, unit: float) -> str:
    """Three significant digits of a value in a unit, without exponent.

    >>> format_figure(989.4e12, 1e12), format_figure(1.98e9, 1e9), format_figure(None, 1)
    ('989', '1.98', '–')
    """
    if value is None:
        return "–"
    scaled = value / unit
    decimals = 0 if scaled >= 100 or scaled == round(scaled) else 1 if scaled >= 10 else 2
    return f"{scaled:.{decimals}f}"


def render_entry(match: Match, form: str, width: int = 160) -> str:
    """One processor in a format: every value with unit, kind, uncertainty and source."""
    p = match.processor
    rows = build_entry_rows(p)
    if form == "json":
        return json.dumps(
            {"name": p.name, "key": p.key, "notes": [*match.notes, *p.notes], "values": rows},
            indent=2,
            ensure_ascii=False,
        )
    if form == "csv":
        return render_csv(rows[0], (r.values() for r in rows)).rstrip() if rows else ""
    heads = ("quantity", "value", "peak", "kind", "±", "source")
    table = render_table(heads, [render_row(r) for r in rows], width, left=1)
    notes = "".join(f"{folded(f'note: {one_line(n)}', width)}\n" for n in (*match.notes, *p.notes))
    also = f"also: {', '.join(one_line(a) for a in p.aliases)}\n" if p.aliases else ""
    return f"{one_line(p.name)} ({p.vendor} {p.family or p.architecture})\n{also}{table}{notes}"


def build_entry_rows(p: Processor) -> list[dict[str, Any]]:
    """Every value of a processor: fields, supplies, rates by kind of access, what the vendor prints."""
    rows = [build_field_row(p, name) for name in FIELDS if getattr(p, name) not in (None, "")]
    rows += [build_supply_row(r.supply, f"{r.unit}/s", s) for r, s in p.supplies.items()]
    for name, supply in sorted(p.variants.items()):
        resource, _, kind = name.partition(":")
        rows.append(build_supply_row(f"{Resource(resource).supply}:{kind}", f"{Resource(resource).unit}/s", supply))
    printed = p.facts.get("published", Fact(Kind.SPECIFIED, "vendor-datasheet", "unverified"))
    for name, value in p.published.items():
        unit = f"{Resource(name).unit}/s"
        rows.append(
            build_row(f"published {Resource(name).supply}", value, unit, "published", confidence=printed.confidence)
        )
    return rows


def build_field_row(p: Processor, name: str) -> dict[str, Any]:
    """One field with its provenance; what no fact covers is an estimate of the class or a measurement."""
    value, unit = getattr(p, name), UNITS.get(name, "")
    fact = p.facts.get(name)
    if fact is None:
        derived = name in ("family", "compute_capability", "segment")
        fact = Fact(Kind.DERIVED if derived else Kind.ESTIMATED, "architecture entry" if derived else "")
    note = f"{fact.source}: {fact.note}" if fact.note else fact.source
    return build_row(name, value, unit, fact.kind.value, source=note, confidence=fact.confidence)


def build_supply_row(name: str, unit: str, s: Supply) -> dict[str, Any]:
    """One supply per second."""
    found = build_row(name, s.per_s, unit, s.kind.value, source=s.source, peak=s.peak_per_s)
    return found | {"relative_uncertainty": s.relative_uncertainty, "clock_hz": s.clock_hz}


def build_row(
    name: str, value: Any, unit: str, kind: str, *, source: str = "", confidence: str = "", peak: float | None = None
) -> dict[str, Any]:
    """One value with everything that is said about it."""
    return {
        **{"quantity": name, "value": value, "unit": unit, "peak": peak, "kind": kind},
        **{"relative_uncertainty": None, "clock_hz": None, "confidence": confidence, "source": source},
    }


def render_row(r: dict[str, Any]) -> tuple[str, ...]:
    """A value as people read it. Estimates are in capitals, so that nobody takes them for measurements."""

    def shown(value: Any) -> str:
        if not isinstance(value, (int, float)):
            return "–" if value is None else one_line(str(value))
        if r["unit"] == "B":
            return format_bytes_binary(float(value))
        if r["unit"] in ("", "cycles", "USD", "W"):
            return f"{value:g} {r['unit']}".rstrip()
        return format_quantity(float(value), r["unit"])

    kind = r["kind"].upper() if r["kind"] == Kind.ESTIMATED else r["kind"]
    spread = f"{r['relative_uncertainty']:.0%}" if r["relative_uncertainty"] else ""
    sure = f" [{r['confidence']}]" if r["confidence"] not in ("", "high") and r["source"] != r["confidence"] else ""
    peak = shown(r["peak"]) if r["peak"] is not None else ""
    return (r["quantity"], shown(r["value"]), peak, kind, spread, one_line(r["source"]) + sure)


def render_table(heads: Sequence[str], rows: Sequence[Sequence[str]], width: int, left: int) -> str:
    """An aligned table; the first ``left`` columns and the last of a detailed view stand left."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    padding = (0, 1) if width >= NARROW else (0, 1, 0, 0)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=padding)
    for i, head in enumerate(heads):
        text = i < left or head in ("kind", "source")
        # Rich narrows columns that may wrap before any other: numbers are never cut.
        table.add_column(head, justify="left" if text else "right", overflow="fold", no_wrap=head not in WRAPPED)
    for cells in rows:
        # Text objects: a name with square brackets is a name, not markup.
        table.add_row(*(Text(c) for c in cells))
    buffer = io.StringIO()
    Console(file=buffer, width=max(width, NARROWEST), color_system=None, legacy_windows=False).print(table)
    return "\n".join(line.rstrip() for line in buffer.getvalue().splitlines()) + "\n"


def describe_valid(name: str, match: Match) -> str:
    """What a valid file of a user amounts to, in one line."""
    p = match.processor
    rates = {r.label: format_quantity(s.per_s, f"{r.unit}/s") for r, s in p.supplies.items() if r in SUMMARY}
    shown = ", ".join(f"{label} {rate}" for label, rate in rates.items())
    return f"{one_line(name)} is valid: {one_line(p.name)}, {p.sm_count} SMs, {shown}"


NARROW = 104
"""Columns below which a table stands closer and leaves out the architecture, which the name mostly says."""
NARROWEST = 80
"""Columns below which the names themselves would vanish: narrower terminals break the lines."""
WRAPPED = ("name", "quantity", "source")
SUMMARY = (Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.FLOPS_TENSOR_BF16, Resource.BYTES_L2, Resource.BYTES_DRAM)
