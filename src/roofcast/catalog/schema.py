"""What a catalog file may say, checked field by field (:mod:`roofcast.core.checked_tables`)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field, fields
from typing import Annotated, Any, Literal

from roofcast.catalog.vocabulary import CONFIDENCES, RATES, measured_unit
from roofcast.core.checked_tables import (
    Check,
    WrongFieldsError,
    above_zero,
    matching,
    of_length,
    read_table,
    stated,
    within,
)
from roofcast.core.errors import CatalogEntryError, UnitError, one_line
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.units import parse_quantity

SOURCE = re.compile(r"(?P<key>[^,:]+)(?:, *(?P<confidence>[a-z]+))?(?:: *(?P<note>.+))?$")
PER_CLOCK = re.compile(r"(?P<number>\d{1,9}(?:\.\d+)?) (?P<unit>B|FLOP|OP|inst|atomic)/clk(?:/SM)?$")


def quantity(base: str, zero: bool = False) -> Check:
    """A check: text with a unit of that base, positive (or zero where that is said). The text is kept."""

    def check(text: str) -> str:
        try:
            value = parse_quantity(text, base)
        except UnitError as error:
            raise ValueError(str(error)) from None
        if not (value > 0 or (zero and value == 0)):
            raise ValueError(f"{text!r} must be positive; leave the line out where the value is unknown")
        if value > LARGEST:
            raise ValueError(f"{text!r} is beyond any machine")
        return text

    return check


LARGEST = 1e24
"""Above every rate and size, and far from where products of them overflow."""
Count = Annotated[int, within(1, 10**9)]
Clock = Annotated[str, quantity("Hz")]
Size = Annotated[str, quantity("B")]
Bandwidth = Annotated[str, quantity("B/s")]
SizeOrNone = Annotated[str, quantity("B", zero=True)]
Positive = Annotated[float, above_zero(1e9)]


KEY = matching(r"[a-z0-9][a-z0-9-]*", "small letters, digits and hyphens")


def share(value: float) -> float:
    """A check of a share below 1."""
    if not 0 <= value < 1:
        raise ValueError("must be at least 0 and below 1")
    return value


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One measured ceiling."""

    quantity: str
    """``bytes_dram:triad``, ``flops_fp64``, ``latency_cycles:l2``, ``launch_floor:stream``, ``clock:fp32``."""
    value: str
    """With its unit; supplies of an SM also per clock: ``126 B/clk/SM``, ``5120 B/clk``."""
    method: str
    source: str
    spread: Annotated[float, share] | None = None
    """Relative: standard deviation, or half the range, over repetitions."""
    clock: Clock | None = None
    """SM clock during the measurement, where it differs from boost and is known."""
    load: Literal["burst", "sustained"] | None = None
    """Short runs, before a power limit bites, or the end of seconds without a pause; both on random operands."""
    power: Annotated[str, quantity("W")] | None = None
    """Of the board, during the measurement."""
    date: str | None = None
    """Date, or version of the tool."""
    note: str | None = None

    def __post_init__(self) -> None:
        """The quantity is in the vocabulary and the value has its unit."""
        unit = measured_unit(self.quantity)
        if unit is None:
            raise ValueError(f"unknown quantity {self.quantity!r} (see catalog.vocabulary)")
        per_clock = PER_CLOCK.match(self.value)
        if per_clock is not None:
            if unit.partition("/")[0] != {"OP": "FLOP"}.get(per_clock["unit"], per_clock["unit"]):
                raise ValueError(f"{self.value!r} does not measure {self.quantity}")
            positive = float(per_clock["number"]) > 0
        else:
            try:
                positive = 0 < parse_quantity(self.value, unit) < LARGEST
            except UnitError as error:
                raise ValueError(str(error)) from None
        if not positive:
            raise ValueError(f"{self.value!r} must be positive")


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Launch limits and sizes per SM. All optional: an entry gives only what differs from its architecture."""

    warp_size: Count | None = None
    max_threads_per_sm: Count | None = None
    max_warps_per_sm: Count | None = None
    max_blocks_per_sm: Count | None = None
    max_threads_per_block: Count | None = None
    regs_per_sm: Count | None = None
    max_regs_per_thread: Count | None = None
    reg_alloc_granularity: Count | None = None
    reg_alloc_unit: Literal["warp", "block"] | None = None
    subpartitions_per_sm: Count | None = None
    smem_per_sm: Size | None = None
    smem_per_block: Size | None = None
    smem_configs: list[SizeOrNone] | None = None
    smem_reserved_per_block: SizeOrNone | None = None
    smem_alloc_granularity: Size | None = None
    l1: Size | None = None
    l1_line: Size | None = None
    l1_sector: Size | None = None


@dataclass(frozen=True, kw_only=True)
class Sourced:
    """What entries and architectures share: rates, limits and provenance."""

    process_nm: Positive | None = None
    """Name of the foundry's node, half nodes by the node that they refine: 12 (TSMC 12FFN), 8 (Samsung), 5 (4N)."""
    rates: dict[str, Positive] = field(default_factory=dict)
    limits: Limits = Limits()
    sources: dict[str, str] = field(default_factory=dict)
    """Field (``sm_count``, ``rates.fp64_fma``) -> ``source key[, confidence][: note]``. ``default`` for the rest."""
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Rates and sources name what exists."""
        wrong = [f"rates.{n}: no such rate" for n in self.rates if n not in RATES]
        tables = {
            "rates": set(RATES),
            "limits": {f.name for f in fields(Limits)},
            "published": {r.value for r in Resource},
        }
        names = {"default", *(f.name for f in fields(self))}
        for of, text in self.sources.items():
            table, _, name = of.partition(".")
            if not (name in tables.get(table, ()) if name else of in names):
                wrong.append(f"sources.{of}: no such field")
            match = SOURCE.match(text)
            if match is None or (match["confidence"] or "high") not in CONFIDENCES:
                wrong.append(f"sources.{of}: write 'key', 'key, medium' or 'key, low: note'")
        if wrong:
            raise ValueError("; ".join(wrong))


@dataclass(frozen=True, kw_only=True)
class ArchitectureEntry(Sourced):
    """What all processors of one compute capability (gfx target, Xe generation) share."""

    key: str
    vendor: Literal["NVIDIA", "AMD", "Intel"]
    family: str
    """Marketing name: Hopper, CDNA3 ..."""
    compute_capability: str | None = None


@dataclass(frozen=True, kw_only=True)
class GpuEntry(Sourced):
    """One GPU. Values carry their unit; what is unknown is left out."""

    key: Annotated[str, KEY]
    name: Annotated[str, of_length(1, 1000)]
    vendor: Literal["NVIDIA", "AMD", "Intel"]
    architecture: str
    chip: str | None = None
    """The die. What it decides (rates per clock, latencies in cycles) is known for every board from a measured one."""
    segment: Literal["datacentre", "workstation", "consumer", "mobile"]
    aliases: list[str] = field(default_factory=list)
    default_for: list[str] = field(default_factory=list)
    """Ambiguous names that this entry is the catalog's answer to."""
    sm_count: Count
    clock_boost: Clock
    clock_base: Clock | None = None
    clock_sustained: Clock | None = None
    clock_l2: Clock | None = None
    """Of L2 and crossbar under load, where it is not the SMs': absent where nobody measured it."""
    """SM clock held under a long compute load, where it is known to differ from boost."""
    memory_type: str | None = None
    memory_size: Size | None = None
    """Device memory. Vendors' "80 GB" means 80 GiB: write ``"80 GiB"``."""
    memory_bus_bits: Count | None = None
    memory_data_rate: Annotated[str, quantity("bit/s")] | None = None
    """Per pin: ``"5.238 Gbit/s"``."""
    memory_bandwidth: Bandwidth | None = None
    """Only where bus and data rate are not known."""
    l2: Size | None = None
    l2_partitions: Count | None = None
    llc: Size | None = None
    """Last-level cache behind the L2 (AMD's Infinity Cache)."""
    host_link: Annotated[str, matching(r"PCIe [1-6]\.0 x(1|2|4|8|16)|[A-Z].*", "such as 'PCIe 4.0 x16'")] | None = None
    host_link_bandwidth: Bandwidth | None = None
    """Per direction, where it is not the PCIe link."""
    peer_link_bandwidth: Bandwidth | None = None
    """NVLink, Infinity Fabric, Xe Link: all links, both directions."""
    peer_bridge_gpus: Count | None = None
    """Cards that a bridge joins, where those links are bridges that a server may or may not have."""
    tdp: Annotated[str, quantity("W")] | None = None
    launch_date: Annotated[str, matching(r"\d{4}(-\d\d(-\d\d)?)?", "a date such as '2024-03-18'")] | None = None
    driver: str | None = None
    """Version under which the values were measured, where ``roofcast measure ceilings`` wrote the entry."""
    date: str | None = None
    """Of that measurement."""
    power_limit: Annotated[str, quantity("W")] | None = None
    """That was set meanwhile."""
    launch_price: Annotated[str, quantity("USD")] | None = None
    published: dict[str, str] = field(default_factory=dict)
    """What the vendor prints: resource -> ``"989 TFLOP/s"`` (dense). Tests compare with it, models never read it."""
    measured: list[Measured] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Beside the names: bus and data rate go together; published figures are of resources and have their unit."""
        super().__post_init__()
        if (self.memory_bus_bits is None) != (self.memory_data_rate is None) and self.memory_bandwidth is None:
            raise ValueError("memory_bus_bits and memory_data_rate go together (or give memory_bandwidth)")
        for name, text in self.published.items():
            if name not in set(Resource):
                raise ValueError(f"published.{name}: not a resource")
            try:
                parse_quantity(text, Resource(name).supply_unit)
            except UnitError as error:
                raise ValueError(f"published.{name}: {error}") from None


@dataclass(frozen=True, kw_only=True)
class CpuEntry:
    """One CPU, as the boat hull model describes it."""

    key: Annotated[str, KEY]
    name: str
    vendor: str
    architecture: str
    aliases: list[str] = field(default_factory=list)
    default_for: list[str] = field(default_factory=list)
    cores: Count
    threads: Count
    vector_bits: Count
    clock: Clock
    memory_type: str | None = None
    tdp: Annotated[str, quantity("W")] | None = None
    launch_date: str | None = None
    published: dict[str, str] = field(default_factory=dict)
    measured: list[Measured] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def validated(kind: type[Any], data: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The data, checked, as a plain dict without absent fields. kind : one of the entries above."""
    try:
        entry: dict[str, Any] = stated(read_table(kind, data), data)
    except WrongFieldsError as error:
        problems = [f"{'.'.join(map(str, where)) or 'entry'}: {message}" for where, message in error.problems]
        raise CatalogEntryError(one_line(f"{what}: {'; '.join(problems)}", limit=2000)) from None
    return entry
