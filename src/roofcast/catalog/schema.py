"""What a catalog file may say, checked field by field. Only tests, imports and users' files pay for pydantic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator

from roofcast.catalog.vocabulary import CONFIDENCES, RATES, measured_unit, rate_unit
from roofcast.core.errors import CatalogEntryError, UnitError, one_line
from roofcast.core.resource import Resource
from roofcast.core.units import parse_quantity

SOURCE = re.compile(r"(?P<key>[^,:]+)(?:, *(?P<confidence>[a-z]+))?(?:: *(?P<note>.+))?$")
PER_CLOCK = re.compile(r"(?P<number>\d{1,9}(?:\.\d+)?) (?P<unit>B|FLOP|OP|inst|atomic)/clk(?:/SM)?$")


def quantity(base: str, zero: bool = False) -> AfterValidator:
    """A pydantic check: text with a unit of that base, positive (or zero where that is said). The text is kept."""

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

    return AfterValidator(check)


LARGEST = 1e24
"""Above every rate and size, and far from where products of them overflow."""
Count = Annotated[int, Field(gt=0, le=10**9)]
Clock = Annotated[str, quantity("Hz")]
Size = Annotated[str, quantity("B")]
Bandwidth = Annotated[str, quantity("B/s")]
SizeOrNone = Annotated[str, quantity("B", zero=True)]
Positive = Annotated[float, Field(gt=0, le=1e9, allow_inf_nan=False)]


class Strict(BaseModel):
    """No unknown keys, no silent conversion of text to numbers."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class Measured(Strict):
    """One measured ceiling."""

    quantity: str
    """``bytes_dram:triad``, ``flops_fp64``, ``latency_cycles:l2``, ``launch_floor:stream``, ``clock:fp32``."""
    value: str
    """With its unit; supplies of an SM also per clock: ``126 B/clk/SM``, ``5120 B/clk``."""
    method: str
    source: str
    spread: Annotated[float, Field(ge=0, lt=1)] | None = None
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

    @model_validator(mode="after")
    def known(self) -> Measured:
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
        return self


class Limits(Strict):
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


class Sourced(Strict):
    """What entries and architectures share: rates, limits and provenance."""

    process_nm: Positive | None = None
    """Name of the foundry's node, half nodes by the node that they refine: 12 (TSMC 12FFN), 8 (Samsung), 5 (4N)."""
    rates: dict[str, Positive] = {}
    limits: Limits = Limits()
    sources: dict[str, str] = {}
    """Field (``sm_count``, ``rates.fp64_fma``) -> ``source key[, confidence][: note]``. ``default`` for the rest."""
    notes: list[str] = []

    @model_validator(mode="after")
    def names(self) -> Sourced:
        """Rates and sources name what exists."""
        wrong = [f"rates.{n}: no such rate" for n in self.rates if n not in RATES]
        tables = {"rates": set(RATES), "limits": set(Limits.model_fields), "published": {r.value for r in Resource}}
        for field, text in self.sources.items():
            table, _, name = field.partition(".")
            known = name in tables.get(table, ()) if name else field == "default" or field in type(self).model_fields
            if not known:
                wrong.append(f"sources.{field}: no such field")
            match = SOURCE.match(text)
            if match is None or (match["confidence"] or "high") not in CONFIDENCES:
                wrong.append(f"sources.{field}: write 'key', 'key, medium' or 'key, low: note'")
        if wrong:
            raise ValueError("; ".join(wrong))
        return self


class ArchitectureEntry(Sourced):
    """What all processors of one compute capability (gfx target, Xe generation) share."""

    key: str
    vendor: Literal["NVIDIA", "AMD", "Intel"]
    family: str
    """Marketing name: Hopper, CDNA3 ..."""
    compute_capability: str | None = None


class GpuEntry(Sourced):
    """One GPU. Values carry their unit; what is unknown is left out."""

    key: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    name: Annotated[str, Field(min_length=1)]
    vendor: Literal["NVIDIA", "AMD", "Intel"]
    architecture: str
    chip: str | None = None
    """The die. What it decides (rates per clock, latencies in cycles) is known for every board from a measured one."""
    segment: Literal["datacentre", "workstation", "consumer", "mobile"]
    aliases: list[str] = []
    default_for: list[str] = []
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
    host_link: Annotated[str, Field(pattern=r"^PCIe [1-6]\.0 x(1|2|4|8|16)$|^[A-Z].*")] | None = None
    host_link_bandwidth: Bandwidth | None = None
    """Per direction, where it is not the PCIe link."""
    peer_link_bandwidth: Bandwidth | None = None
    """NVLink, Infinity Fabric, Xe Link: all links, both directions."""
    peer_bridge_gpus: Count | None = None
    """Cards that a bridge joins, where those links are bridges that a server may or may not have."""
    tdp: Annotated[str, quantity("W")] | None = None
    launch_date: Annotated[str, Field(pattern=r"^\d{4}(-\d\d(-\d\d)?)?$")] | None = None
    driver: str | None = None
    """Version under which the values were measured, where ``roofcast measure ceilings`` wrote the entry."""
    date: str | None = None
    """Of that measurement."""
    power_limit: Annotated[str, quantity("W")] | None = None
    """That was set meanwhile."""
    launch_price: Annotated[str, quantity("USD")] | None = None
    published: dict[str, str] = {}
    """What the vendor prints: resource -> ``"989 TFLOP/s"`` (dense). Tests compare with it, models never read it."""
    measured: list[Measured] = []

    @model_validator(mode="after")
    def memory(self) -> GpuEntry:
        """Bus and data rate go together; published figures are of resources and have their unit."""
        if (self.memory_bus_bits is None) != (self.memory_data_rate is None) and self.memory_bandwidth is None:
            raise ValueError("memory_bus_bits and memory_data_rate go together (or give memory_bandwidth)")
        for name, text in self.published.items():
            if name not in set(Resource):
                raise ValueError(f"published.{name}: not a resource")
            try:
                parse_quantity(text, rate_unit(Resource(name)))
            except UnitError as error:
                raise ValueError(f"published.{name}: {error}") from None
        return self


class CpuEntry(Strict):
    """One CPU, as the boat hull model describes it."""

    key: Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9-]*$")]
    name: str
    vendor: str
    architecture: str
    aliases: list[str] = []
    default_for: list[str] = []
    cores: Count
    threads: Count
    vector_bits: Count
    clock: Clock
    memory_type: str | None = None
    tdp: Annotated[str, quantity("W")] | None = None
    launch_date: str | None = None
    published: dict[str, str] = {}
    measured: list[Measured] = []
    sources: dict[str, str] = {}
    notes: list[str] = []


def validated(model: type[BaseModel], data: Mapping[str, Any], what: str) -> dict[str, Any]:
    """The data, checked, as a plain dict without absent fields."""
    try:
        return model.model_validate(dict(data)).model_dump(exclude_unset=True)
    except ValidationError as error:
        problems = [f"{'.'.join(str(p) for p in e['loc']) or 'entry'}: {reason(e['msg'])}" for e in error.errors()]
        raise CatalogEntryError(one_line(f"{what}: {'; '.join(problems)}", limit=2000)) from None


def reason(message: str) -> str:
    """Pydantic's message without its prefix."""
    return message.removeprefix("Value error, ").replace("Extra inputs are not permitted", "no such field")
