"""The catalog as tables: all entries in a line each, or one entry with every value and where it comes from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from roofcast.catalog.finding import Match
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.processor import Fact, Kind, Processor, Supply
from roofcast.core.resource import Resource
from roofcast.core.units import format_bytes_binary, format_quantity
from roofcast.kit.quantities import ABSENT, format_percent
from roofcast.kit.table import Column, Table, folded, show_text

BYTES = (
    *("capacity_bytes_dram", "capacity_bytes_l1", "capacity_bytes_l2", "capacity_bytes_llc", "l1_line_bytes"),
    *("l1_sector_bytes", "smem_per_sm_bytes", "smem_per_block_bytes", "smem_reserved_per_block_bytes"),
    "smem_alloc_granularity_bytes",
)
UNITS = {"clock_hz_boost": "Hz", "clock_hz_base": "Hz", "clock_hz_sustained": "Hz", "launch_floor_s": "s"}
UNITS |= {"launch_floor_graph_s": "s"}
UNITS |= {"bytes_per_s_peer": "B/s", "tdp_w": "W", "process_nm": "nm", "launch_price_usd": "USD"} | dict.fromkeys(
    BYTES, "B"
)
UNITS |= {f"latency_cycles_{k}": "cycles" for k in ("l1", "shared", "l2", "dram")}
FIELDS = (
    *("family", "compute_capability", "segment", "launch_date", "sm_count", "clock_hz_base", "clock_hz_boost"),
    *("clock_hz_sustained", "memory_type", "capacity_bytes_dram", "capacity_bytes_l1", "capacity_bytes_l2"),
    *("l2_partitions", "capacity_bytes_llc", "l1_line_bytes", "l1_sector_bytes", "warp_size", "max_threads_per_sm"),
    *("max_warps_per_sm", "max_blocks_per_sm", "max_threads_per_block", "regs_per_sm", "max_regs_per_thread"),
    *("reg_alloc_granularity", "reg_alloc_unit", "subpartitions_per_sm", "smem_per_sm_bytes", "smem_per_block_bytes"),
    *("smem_reserved_per_block_bytes", "smem_alloc_granularity_bytes", "latency_cycles_l1", "latency_cycles_shared"),
    *(
        "latency_cycles_l2",
        "latency_cycles_dram",
        "host_link",
        "bytes_per_s_peer",
        "peer_bridge_gpus",
        "launch_floor_s",
        "launch_floor_graph_s",
        "tdp_w",
        "process_nm",
    ),
    "launch_price_usd",
)
"""Fields of an entry in the order of the detailed view."""


def find_peak(*resources: Resource) -> Callable[[Processor], float | None]:
    """Return what gives the highest theoretical rate of a processor; None where the catalog knows none."""

    def peak(p: Processor) -> float | None:
        return max((s.peak_per_s or s.per_s for r in resources if (s := p.supplies.get(r)) is not None), default=None)

    return peak


def show_scaled(unit: float) -> Callable[[float | None], str]:
    """Three significant digits of a value in a unit, without exponent.

    >>> show_scaled(1e12)(989.4e12), show_scaled(1e9)(1.98e9), show_scaled(1)(None)
    ('989', '1.98', '–')
    """

    def show(value: float | None) -> str:
        if value is None:
            return ABSENT
        scaled = value / unit
        decimals = 0 if scaled >= 100 or scaled == round(scaled) else 1 if scaled >= 10 else 2
        return f"{scaled:.{decimals}f}"

    return show


OVERVIEW = (
    Column("name", lambda p: p.name, key="name", fold=True),
    Column("", lambda p: p.vendor, key="vendor"),
    Column("architecture", lambda p: p.family.partition(" (")[0] or p.architecture, key="architecture"),
    Column("SMs", lambda p: p.sm_count, str, "sm_count"),
    Column("GHz", lambda p: p.clock_hz_boost, show_scaled(1e9), "clock_hz_boost"),
    Column("FP64", find_peak(Resource.FLOPS_FP64), show_scaled(1e12), "flops_per_s_fp64"),
    Column("FP32", find_peak(Resource.FLOPS_FP32), show_scaled(1e12), "flops_per_s_fp32"),
    Column("tensor", find_peak(Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_TENSOR_BF16), show_scaled(1e12),
           "flops_per_s_tensor_fp16"),
    Column("L2 MiB", lambda p: p.capacity_bytes_l2, show_scaled(2**20), "capacity_bytes_l2"),
    Column("GiB", lambda p: p.capacity_bytes_dram, show_scaled(2**30), "capacity_bytes_dram"),
    Column("TB/s", find_peak(Resource.BYTES_DRAM), show_scaled(1e12), "bytes_per_s_dram"),
    Column("year", lambda p: int(p.launch_date[:4]) if p.launch_date else None, show_text, "year", right=True),
    Column("", lambda p: p.key, key="key"),
)  # fmt: skip
"""One line per processor; rates are theoretical peaks at the boost clock."""
OVERVIEW_NOTE = "FP64, FP32 and tensor (dense, 16 bit) in TFLOP/s: theoretical peaks at boost clock."


def select_processors(processors: Sequence[Processor], vendor: str | None, search: str | None) -> list[Processor]:
    """Processors of a vendor whose name, aliases or architecture contain a text, both without regard to case."""
    vendors = sorted({p.vendor for p in processors})
    if vendor is not None and vendor.lower() not in {v.lower() for v in vendors}:
        raise RoofcastError(f"--vendor {one_line(vendor, 40)!r}: the catalog has {', '.join(vendors)}")

    def matches(p: Processor) -> bool:
        text = " ".join((p.name, p.key, p.architecture, p.family, p.memory_type, *p.aliases)).lower()
        of_vendor = vendor is None or p.vendor.lower() == vendor.lower()
        return of_vendor and all(word in text for word in (search or "").lower().split())

    return [p for p in processors if matches(p)]


def tabulate_processors(processors: Sequence[Processor], width: int) -> Table:
    """The catalog; without the architecture, which the name mostly says, where the width is small."""
    narrow = [replace(c, head="") if c.key == "architecture" else c for c in OVERVIEW]
    return Table(OVERVIEW if width >= NARROW else narrow, processors)


def render_overview(processors: Sequence[Processor], width: int = 160) -> str:
    """The catalog as text."""
    if not processors:
        return "No entry fits. `roofcast gpus` lists all; --search looks at names, aliases and architectures.\n"
    table = tabulate_processors(processors, width).lines(max(width, NARROWEST))
    foot = [
        f"{len(processors)} processors. {OVERVIEW_NOTE}",
        "`roofcast gpus NAME` shows what was measured and estimated.",
    ]
    return folded("\n".join([*table, *foot]), width)


def tabulate_entry(p: Processor) -> Table:
    """Every value of a processor with unit, kind, uncertainty and source."""
    columns = (
        Column("quantity", lambda r: r["quantity"], key="quantity"),
        Column("value", lambda r: show_value(r, "value"), right=True),
        Column("", lambda r: r["value"], key="value"), Column("", lambda r: r["unit"], key="unit"),
        Column("peak", lambda r: show_value(r, "peak"), right=True), Column("", lambda r: r["peak"], key="peak"),
        Column("kind", lambda r: r["kind"], show_kind, "kind", right=False),
        Column("±", lambda r: r["relative_uncertainty"], lambda v: format_percent(v, 0) if v else "",
               "relative_uncertainty"),
        Column("", lambda r: r["clock_hz"], key="clock_hz"), Column("", lambda r: r["confidence"], key="confidence"),
        Column("source", show_source, fold=True), Column("", lambda r: r["source"], key="source"),
    )  # fmt: skip
    return Table(columns, build_entry_rows(p))


def render_entry(match: Match, width: int = 160) -> str:
    """One processor as text."""
    p = match.processor
    notes = [f"note: {one_line(n)}" for n in (*match.notes, *p.notes)]
    also = [f"also: {', '.join(one_line(a) for a in p.aliases)}"] if p.aliases else []
    head = [f"{one_line(p.name)} ({p.vendor} {p.family or p.architecture})", *also]
    return folded("\n".join([*head, *tabulate_entry(p).lines(max(width, NARROWEST)), *notes]), width)


def record_entry(match: Match) -> dict[str, Any]:
    """Return what JSON holds of one processor."""
    p = match.processor
    values = list(tabulate_entry(p).records())
    head = {"name": p.name, "key": p.key, "notes": [*match.notes, *p.notes]}
    return head | {"values": values}


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
    row = build_row(name, s.per_s, unit, s.kind.value, source=s.source, peak=s.peak_per_s)
    return row | {"relative_uncertainty": s.relative_uncertainty, "clock_hz": s.clock_hz}


def build_row(
    name: str, value: Any, unit: str, kind: str, *, source: str = "", confidence: str = "", peak: float | None = None
) -> dict[str, Any]:
    """One value with everything that is said about it."""
    return {
        **{"quantity": name, "value": value, "unit": unit, "peak": peak, "kind": kind},
        **{"relative_uncertainty": None, "clock_hz": None, "confidence": confidence, "source": source},
    }


def show_value(r: dict[str, Any], key: str) -> str:
    """A value of a row as people read it."""
    value = r[key]
    if not isinstance(value, (int, float)):
        return "" if value is None and key == "peak" else show_text(value)
    if r["unit"] == "B":
        return format_bytes_binary(float(value))
    if r["unit"] in ("", "cycles", "USD", "W"):
        return f"{value:g} {r['unit']}".rstrip()
    return format_quantity(float(value), r["unit"])


def show_kind(kind: str) -> str:
    """Estimates are in capitals, so that nobody takes them for measurements."""
    return kind.upper() if kind == Kind.ESTIMATED else kind


def show_source(r: dict[str, Any]) -> str:
    """Where a value comes from, and how sure that is."""
    sure = f" [{r['confidence']}]" if r["confidence"] not in ("", "high") and r["source"] != r["confidence"] else ""
    return one_line(r["source"]) + sure


def describe_valid(name: str, match: Match) -> str:
    """Say in one line what a valid file of a user amounts to."""
    p = match.processor
    rates = {r.label: format_quantity(s.per_s, f"{r.unit}/s") for r, s in p.supplies.items() if r in SUMMARY}
    rates_text = ", ".join(f"{label} {rate}" for label, rate in rates.items())
    return f"{one_line(name)} is valid: {one_line(p.name)}, {p.sm_count} SMs, {rates_text}"


NARROW = 104
"""Columns below which a table stands closer and leaves out the architecture, which the name mostly says."""
NARROWEST = 80
"""Columns below which the names themselves would vanish: narrower terminals break the lines."""
SUMMARY = (Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.FLOPS_TENSOR_BF16, Resource.BYTES_L2, Resource.BYTES_DRAM)
