"""Processor: what the catalog knows of a GPU or CPU, and the keys that a variation in braces may change."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from functools import cache
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import CatalogEntryError, UnitError, one_line
from roofcast.core.frozen import freeze
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.units import EXAMPLES, format_quantity, parse_quantity

Value = float | int | str | NDArray[np.float64]
"""What a field or a supply is changed to."""


TEXTS = frozenset(
    {"key", "name", "vendor", "architecture", "compute_capability", "family", "segment", "reg_alloc_unit",
     "memory_type", "host_link", "launch_date"}
)  # fmt: skip
"""Fields that hold a text; a text for any other one is a quantity with a unit."""


class Kind(StrEnum):
    """How a value of the catalog came about. Estimates say so everywhere."""

    SPECIFIED = "specified"
    DERIVED = "derived"
    MEASURED = "measured"
    ESTIMATED = "estimated"
    USER = "user"


class Domain(StrEnum):
    """Which clock a supply follows."""

    SM = "sm"
    L2 = "l2"
    """Of L2 and crossbar, where an architecture has one apart."""
    MEMORY = "memory"
    LINK = "link"


@dataclass(frozen=True, slots=True)
class Fact:
    """Where one value of an entry comes from."""

    kind: Kind
    source: str
    confidence: str = "high"
    """high, medium, low or ``unverified``."""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Supply:
    """How much of one resource a processor can supply per second.

    ``per_s`` is what kernels can sustain (measured, or estimated from the class of the processor); ``peak_per_s`` is
    the theoretical figure. For supplies of the SM domain ``per_s`` holds at ``clock_hz``, which may differ from the
    boost clock (cards that exceed it, power-limited cards that do not reach it); ``peak_per_s`` holds at boost.
    """

    per_s: float
    kind: Kind
    source: str
    relative_uncertainty: float = 0.0
    peak_per_s: float | None = None
    domain: Domain = Domain.SM
    clock_hz: float | None = None
    scales_with_sms: bool = True
    note: str = ""
    limit_per_s: float | None = None
    """What no clock exceeds, on power-limited cards: at boost they would be faster than they are."""

    def at_clock(self, clock_hz: float) -> float:
        """Supply per second at another SM clock; supplies of other domains do not move."""
        if self.domain is not Domain.SM or self.clock_hz is None:
            return self.per_s
        moved = self.per_s * clock_hz / self.clock_hz
        if self.limit_per_s is None:
            return moved
        # Of one processor and of the many whose values are arrays.
        return moved if np.all(moved <= self.limit_per_s) else np.minimum(moved, self.limit_per_s)

    def scaled(self, factor: float, clock_factor: float = 1.0) -> Supply:
        """The same supply times a factor (more SMs), holding at a clock of its own times another factor."""
        peak = None if self.peak_per_s is None else self.peak_per_s * factor
        limit = None if self.limit_per_s is None else self.limit_per_s * factor
        # Spelled out: sweeps scale millions of supplies, and dataclasses.replace takes several times as long.
        return Supply(
            self.per_s * factor, self.kind, self.source, self.relative_uncertainty, peak, self.domain,
            None if self.clock_hz is None else self.clock_hz * clock_factor, self.scales_with_sms, self.note, limit,
        )  # fmt: skip


COHERENT_LINK, SHARED_MEMORY = "NVLink-C2C", "memory shared with the CPU"
"""Links in the catalog's words over which a GPU reads the host's memory without page faults."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Processor:
    """One GPU (one die or partition of a multi-die card) or CPU. "SM" is SM, CU or Xe-core; for a CPU, a core."""

    key: str
    name: str
    vendor: str
    architecture: str
    """Key of the architecture entry: sm_90, gfx942, xe-hpc, x86 ..."""
    is_gpu: bool = True
    aliases: tuple[str, ...] = ()
    compute_capability: str = ""
    family: str = ""
    """Marketing name of the architecture: Hopper, CDNA3 ..."""
    segment: str = ""
    """datacentre, workstation, consumer or mobile."""

    sm_count: int
    warp_size: int
    clock_hz_boost: float
    clock_hz_base: float | None = None
    clock_hz_sustained: float | None = None
    """SM clock held under a long compute load, where measured."""

    max_threads_per_sm: int | None = None
    max_warps_per_sm: int | None = None
    max_blocks_per_sm: int | None = None
    max_threads_per_block: int | None = None
    regs_per_sm: int | None = None
    max_regs_per_thread: int | None = None
    reg_alloc_granularity: int | None = None
    reg_alloc_unit: str = ""
    """'warp' or 'block'."""
    subpartitions_per_sm: int | None = None
    smem_per_sm_bytes: int | None = None
    smem_per_block_bytes: int | None = None
    smem_configs_bytes: tuple[int, ...] = ()
    smem_reserved_per_block_bytes: int | None = None
    smem_alloc_granularity_bytes: int | None = None

    capacity_bytes_l1: int | None = None
    """Unified L1 and shared memory per SM where unified, else L1 alone."""
    capacity_bytes_l2: int | None = None
    capacity_bytes_llc: int | None = None
    capacity_bytes_dram: float | None = None
    memory_type: str = ""
    l2_partitions: int | None = None
    l1_line_bytes: int | None = None
    l1_sector_bytes: int | None = None

    latency_cycles_l1: float | None = None
    latency_cycles_shared: float | None = None
    latency_cycles_l2: float | None = None
    latency_cycles_l2_far: float | None = None
    """Of the other partition, where L2 has two."""
    latency_cycles_dram: float | None = None
    launch_floor_s: float | None = None
    launch_floor_graph_s: float | None = None
    """Of a launch in a graph."""

    host_link: str = ""
    """What connects it to the host: PCIe 5.0 x16, NVLink-C2C, or a memory that both share."""
    bytes_per_s_peer: float | None = None
    """To other GPUs of the node over NVLink or Infinity Fabric, all links, per direction."""
    peer_bridge_gpus: int | None = None
    """Cards that a bridge joins, where those links are bridges; None of modules, whose board has the links."""
    node_gpus: int | None = None
    """GPUs that share links, where users say in what node it stands."""
    bytes_per_s_slot: float | None = None
    """To other GPUs of the node through its slot, per direction, as the host's PCIe leaves it, where users say."""
    slots_share_host: int | None = None
    """1 where cards exchange through the host's memory, whose link all share, where users say; 0: as peers."""
    bytes_per_s_network: float | None = None
    """To GPUs of other nodes, per direction, where users say."""
    tdp_w: float | None = None
    process_nm: float | None = None
    """Node of the chip's process, by its foundry's name."""
    launch_date: str = ""
    launch_price_usd: float | None = None

    supplies: Mapping[Resource, Supply] = field(default_factory=dict)
    variants: Mapping[str, Supply] = field(default_factory=dict)
    """Ceilings by kind of access, ``"<resource>:<variant>"``: ``bytes_dram:read``, ``bytes_l1:load_4b``,
    ``flops_fp64:add_mul``."""
    published: Mapping[str, float] = field(default_factory=dict)
    """What the vendor prints. Tests compare with it; models never read it."""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """Provenance per field name."""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("supplies", "variants", "published", "facts"):
            object.__setattr__(self, name, freeze(getattr(self, name)))

    def __hash__(self) -> int:
        # Of what tells processors apart: mappings among the fields have no hash.
        return hash((self.key, self.name))

    def __repr__(self) -> str:
        """One line: `roofcast gpus NAME` shows every value with its source."""
        kinds = (("FP64", Resource.FLOPS_FP64), ("FP32", Resource.FLOPS_FP32), ("DRAM", Resource.BYTES_DRAM))
        rates = [
            f"{label} {format_quantity(self.supplies[r].per_s, r.unit + '/s')}"
            for label, r in kinds
            if r in self.supplies
        ]
        parts = [f"{self.sm_count} SMs", format_quantity(self.clock_hz_boost, "Hz"), *rates]
        return f"<Processor {self.name!r}: {', '.join(parts)}>"

    def supply(self, resource: Resource, variant: str | None = None) -> Supply | None:
        """Supply of a resource, of one variant of it if the catalog has that, else of the resource; None if unknown."""
        if variant is not None:
            variant_supply = self.variants.get(f"{resource.value}:{variant}")
            if variant_supply is not None:
                return variant_supply
        return self.supplies.get(resource)

    def rate(self, resource: Resource, clock_hz: float | None = None, variant: str | None = None) -> float:
        """Supply per second at an SM clock (default: boost); NaN where the catalog knows none."""
        supply = self.supply(resource, variant)
        return float("nan") if supply is None else supply.at_clock(clock_hz or self.clock_hz_boost)

    @property
    def shares_host_memory(self) -> bool:
        """Return whether CPU and GPU have one physical memory: nothing is ever copied between them."""
        return SHARED_MEMORY in self.host_link

    @property
    def is_host_coherent(self) -> bool:
        """Return whether the GPU reads the host's memory in hardware, line by line, without a page fault."""
        return self.shares_host_memory or self.host_link == COHERENT_LINK

    def replace(self, **changes: Value) -> Processor:
        """A hypothetical processor: this one with values changed.

        Values may be arrays, (m,) each: the result stands for m processors
        (:func:`roofcast.core.machines.columns_of_variations`).

        Fields take their own names, supplies the names of :attr:`Resource.supply` (``bytes_per_s_dram``).
        Texts and the short names of a variation work as on the command line: ``dram="4.8TB/s"``, ``clock="1.4 GHz"``.
        A new ``sm_count`` or ``clock_hz_boost`` rescales the supplies that follow it; the base clock and the sustained
        one follow the boost clock.

        Raises
        ------
        CatalogEntryError : a name that no processor has, or a value that is not positive.
        """
        fields = {f.name for f in dataclasses.fields(self)}
        by_supply = {r.supply: r for r in Resource}
        texts = {
            n: v for n, v in changes.items()
            if (n not in fields and n not in by_supply) or (isinstance(v, str) and n not in TEXTS)
        }  # fmt: skip
        if texts:
            plain_ones = {n: v for n, v in changes.items() if n not in texts}
            title = str(changes.get("name", "")) or f"{self.name}{{{','.join(f'{k}={v}' for k, v in texts.items())}}}"
            varied_gpu = vary_numbers(self, texts, title)
            return varied_gpu.replace(**plain_ones) if plain_ones.keys() - {"name"} else varied_gpu
        unknown = [n for n in changes if n not in fields and n not in by_supply]
        if unknown:
            raise CatalogEntryError(
                f"{self.name}: no such quantity: {', '.join(unknown)}; "
                "names are e.g. sm_count, clock_hz_boost, bytes_per_s_dram"
            )
        bad = [n for n, v in changes.items() if not isinstance(v, str) and not np.all((v > 0) & (v < np.inf))]
        if bad:
            raise CatalogEntryError(f"{self.name}: {', '.join(bad)} must be positive and finite")
        supplies, variants = rescaled(self, changes)
        for name, resource in by_supply.items():
            if name in changes:
                boost = as_float(changes.get("clock_hz_boost", self.clock_hz_boost))
                supplies[resource], variants = overridden(boost, resource, as_float(changes[name]), supplies, variants)
        plain = {n: v for n, v in changes.items() if n in fields}
        if "clock_hz_boost" in plain:
            # A faster design is faster at the clock that profilers lock, too.
            for name, hz in (("clock_hz_base", self.clock_hz_base), ("clock_hz_sustained", self.clock_hz_sustained)):
                if hz is not None:
                    plain.setdefault(name, hz * as_float(plain["clock_hz_boost"]) / self.clock_hz_boost)
        plain.setdefault("name", f"{self.name} (changed: {', '.join(changes)})")
        facts = {**self.facts, **{n: Fact(Kind.USER, "given by the user") for n in changes}}
        merged = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)} | plain
        merged |= {"supplies": supplies, "variants": variants, "facts": facts, "key": f"{self.key}*", "published": {}}
        return Processor(**merged)


def as_float(value: Any) -> Any:
    """A number, or an array of them."""
    return value if isinstance(value, np.ndarray) else float(value)


def rescaled(base: Processor, changes: Mapping[str, Value]) -> tuple[dict[Resource, Supply], dict[str, Supply]]:
    """Supplies and variants after a change of SM count and boost clock."""
    sms = as_float(changes.get("sm_count", base.sm_count)) / base.sm_count
    clock = as_float(changes.get("clock_hz_boost", base.clock_hz_boost)) / base.clock_hz_boost

    def move(s: Supply) -> Supply:
        moved = s.scaled(sms) if s.scales_with_sms and np.any(sms != 1) else s
        if s.domain is Domain.SM and s.clock_hz is not None and np.any(clock != 1):
            moved = moved.scaled(clock, clock)
        return moved

    return {r: move(s) for r, s in base.supplies.items()}, {k: move(s) for k, s in base.variants.items()}


def overridden(
    boost_hz: float, resource: Resource, value: float, supplies: dict[Resource, Supply], variants: dict[str, Supply]
) -> tuple[Supply, dict[str, Supply]]:
    """The supply that a user gave, which holds at boost, and the variants of that resource moved by the same factor."""
    old = supplies.get(resource)
    domain = old.domain if old else (Domain.MEMORY if resource is Resource.BYTES_DRAM else Domain.SM)
    clock = boost_hz if domain is Domain.SM else None
    factor = value / old.at_clock(boost_hz) if old else 1.0
    # The same share of its peak is sustained: else a little more than before would be a lower peak.
    peak = value if old is None or old.peak_per_s is None else old.peak_per_s * factor
    new = Supply(value, Kind.USER, "given by the user", 0.0, peak, domain, clock, old.scales_with_sms if old else True)
    if old is not None and old.limit_per_s is not None:
        # A power-limited supply keeps its shape over the clock: the value is what it reaches at boost.
        new = dataclasses.replace(old.scaled(factor), kind=Kind.USER, source=new.source, relative_uncertainty=0.0)
    moved = {k: (s.scaled(factor) if k.startswith(f"{resource.value}:") else s) for k, s in variants.items()}
    return new, moved


# Short keys. Rates are data-sheet figures: the share of the peak that the processor sustains stays as it is.
FIELDS: dict[str, tuple[str, str]] = {
    "sm": ("sm_count", "count"), "clock": ("clock_hz_boost", "Hz"), "base_clock": ("clock_hz_base", "Hz"),
    "sustained_clock": ("clock_hz_sustained", "Hz"), "dram_size": ("capacity_bytes_dram", "B"),
    "l1": ("capacity_bytes_l1", "B"), "l2": ("capacity_bytes_l2", "B"), "llc": ("capacity_bytes_llc", "B"),
    "shared": ("smem_per_sm_bytes", "B"), "registers": ("regs_per_sm", "count"),
    "launch_floor": ("launch_floor_s", "s"), "slot": ("bytes_per_s_slot", "B/s"),
    "network": ("bytes_per_s_network", "B/s"), "node": ("node_gpus", "count"),
    "tdp": ("tdp_w", "W"), "price": ("launch_price_usd", "USD"),
}  # fmt: skip
RATES: dict[str, Resource] = {
    "dram": Resource.BYTES_DRAM, "l1_rate": Resource.BYTES_L1, "l2_rate": Resource.BYTES_L2,
    "llc_rate": Resource.BYTES_LLC, "shared_rate": Resource.BYTES_SHARED, "link": Resource.BYTES_HOST_LINK,
    "fp64": Resource.FLOPS_FP64, "fp32": Resource.FLOPS_FP32, "fp16": Resource.FLOPS_FP16, "bf16": Resource.FLOPS_BF16,
    "int32": Resource.OPS_INT32, "tensor_fp64": Resource.FLOPS_TENSOR_FP64, "tensor_fp32": Resource.FLOPS_TENSOR_FP32,
    "tensor_tf32": Resource.FLOPS_TENSOR_TF32, "tensor_fp16": Resource.FLOPS_TENSOR_FP16,
    "tensor_bf16": Resource.FLOPS_TENSOR_BF16, "tensor_fp8": Resource.FLOPS_TENSOR_FP8,
    "tensor_fp4": Resource.FLOPS_TENSOR_FP4, "tensor_int8": Resource.OPS_TENSOR_INT8,
}  # fmt: skip
# Full names: fields of a Processor, and supplies (sustained rates, as Processor.replace takes them).
SUFFIX_UNITS = {"hz": "Hz", "bytes": "B", "s": "s", "w": "W", "usd": "USD"} | dict.fromkeys(
    ("peer", "slot", "network"), "B/s"
)
NUMERIC = {
    f.name
    for f in dataclasses.fields(Processor)
    if f.type in ("int", "float", "int | None", "float | None") and not f.name.startswith("is_")
}
SUPPLIES = {r.supply: r for r in Resource}
OF_NAMES = {
    "mig": "H100 SXM5 80GB{mig=3g.40gb}", "partition": "Instinct MI300X{partition=cpx}",
    "power": "H100 SXM5 80GB{power=500W}",
}  # fmt: skip
"""Changes of a whole board, for which the catalog has to know it, as they are written."""
LARGEST = 1e24
"""Beyond every rate and size of a machine, and far from where products overflow."""
SMALLEST = {"B/s": 1e6, "FLOP/s": 1e6, "Hz": 1e6, "B": 1e3}
"""No processor has less: a number below is one whose unit was forgotten."""


def vary_numbers(base: Processor, changes: Mapping[str, Any], name: str) -> Processor:
    """The base with numbers changed as the braces of a variation name them: ``{"dram": "4.8TB/s"}``."""
    for key, value in changes.items():
        if not isinstance(value, (str, Real)):
            raise CatalogEntryError(f"{key}={one_line(repr(value), 80)}: give a number, or a text with its unit")
    texts = (f"{k}={v if isinstance(v, str) else repr(float(v))}" for k, v in changes.items())
    return varied(base, parse_changes(",".join(texts)), name)


def parse_changes(text: str) -> dict[str, float]:
    """Changes in braces as canonical name -> value in base units.

    >>> parse_changes("dram=4.8TB/s, sm=144")
    {'dram': 4800000000000.0, 'sm': 144.0}
    """
    changes: dict[str, float] = {}
    problems = []
    for item in text.split(","):
        key, equals, value = (p.strip() for p in item.partition("="))
        if not item.strip():
            continue
        try:
            unit = unit_of(key)
            number = parse_quantity(value, "" if unit == "count" else unit)
            if not equals or not 0 < number < LARGEST or (unit == "count" and number != int(number)):
                raise UnitError("not a whole number above 0" if unit == "count" else "not above 0")
            if number < SMALLEST.get(unit, 0.0):
                raise UnitError(f"{value} would be {number:g} {unit}: write a unit, e.g. {EXAMPLES[unit]}")
            if key in changes:
                raise UnitError("given twice")
            changes[key] = number
        except UnitError as error:
            problems.append(f"{one_line(key, 40)}: {error}" if key else f"{one_line(item, 40)!r} has no key")
    if problems or not changes:
        raise CatalogEntryError(f"bad variation: {'; '.join(problems) or 'no changes in the braces'}")
    return changes


def unit_of(key: str) -> str:
    """Base unit of a key of a variation."""
    if key in FIELDS:
        return FIELDS[key][1]
    resource = RATES.get(key) or SUPPLIES.get(key)
    if resource is not None:
        return resource.supply_unit
    if key in NUMERIC:
        if key.startswith("clock_hz"):
            return "Hz"
        if key.startswith("capacity_bytes"):
            return "B"
        if key.startswith("latency_cycles"):
            return "cycles"
        return SUFFIX_UNITS.get(key.rpartition("_")[2], "count")
    if key in OF_NAMES:
        raise UnitError(f'say it with the name, as in roofcast.gpu("{OF_NAMES[key]}")')
    raise UnitError(f"no such key; use {', '.join((*FIELDS, *RATES))}, or full names such as bytes_per_s_dram")


def varied(base: Processor, changes: Mapping[str, float | NDArray[np.float64]], name: str) -> Processor:
    """The base with changes, under the name that the user gave it; as many variations as arrays of changes have."""
    plain = {FIELDS[k][0] if k in FIELDS else k: v for k, v in changes.items() if k not in RATES}
    whole = {n: (np.trunc(v) if isinstance(v, np.ndarray) else int(v)) if is_whole(n) else v for n, v in plain.items()}
    processor = base.replace(**whole, name=name) if whole else dataclasses.replace(base, key=f"{base.key}*", name=name)
    for key, value in changes.items():
        if key in RATES:
            processor = with_peak(processor, RATES[key], value)
    return processor


@cache
def is_whole(name: str) -> bool:
    """Return whether a field of a Processor holds a whole number."""
    return any(f.name == name and "int" in str(f.type) for f in dataclasses.fields(Processor))


def with_peak(base: Processor, resource: Resource, peak: Any) -> Processor:
    """A processor whose theoretical rate of a resource is another one; it sustains the same share of it."""
    old = base.supplies.get(resource)
    source = "given by the user"
    if old is None:
        domain = {Resource.BYTES_DRAM: Domain.MEMORY, Resource.BYTES_HOST_LINK: Domain.LINK}.get(resource, Domain.SM)
        clock = base.clock_hz_boost if domain is Domain.SM else None
        new = Supply(peak, Kind.USER, source, 0.1, peak, domain, clock, domain is Domain.SM)
        factor = 1.0
    else:
        factor = peak / (old.per_s if old.peak_per_s is None else old.peak_per_s)
        new = dataclasses.replace(old.scaled(factor), kind=Kind.USER, source=f"{source}; sustained share: {old.source}")
    prefix = f"{resource.value}:"
    variants = {k: s.scaled(factor) if k.startswith(prefix) else s for k, s in base.variants.items()}
    facts = {**base.facts, resource.supply: Fact(Kind.USER, source)}
    return dataclasses.replace(
        base, supplies={**base.supplies, resource: new}, variants=variants, facts=facts, published={}
    )
