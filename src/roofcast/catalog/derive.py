"""An entry and its architecture -> the Processor that models use.

Every supply has the theoretical peak where the counts are known, and a sustained rate: measured on this GPU where
somebody did, else the peak times what the class of the GPU reaches, marked as an estimate with its uncertainty.
Which measurement counts is one rule per resource, in ``PREFERRED``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from roofcast.catalog.estimates import Board, Rule, Rules
from roofcast.catalog.facts import entry_fields, facts_of, limit_fields
from roofcast.catalog.theory import Entry, merged_rates, peaks, per_second
from roofcast.catalog.vocabulary import measured_unit
from roofcast.core.processor import Domain, Fact, Kind, Processor, Supply
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.core.units import parse_quantity
from roofcast.kit.quantities import format_percent

MEASURED_UNCERTAINTY = 0.03
"""Least relative uncertainty of a measured ceiling: what two careful tools differ by on one card."""

# The sustained rate of a resource is the first of these kinds of access that was measured ("" = no kind given).
PREFERRED: dict[Resource, tuple[str, ...]] = {
    Resource.BYTES_DRAM: ("", "triad", "copy", "scale", "add"),
    Resource.BYTES_L2: ("", "read", "read_shared", "read_write"),
    Resource.BYTES_LLC: ("", "read", "read_stream", "triad"),
    Resource.BYTES_L1: ("load_4b", "", "load_8b"),
    Resource.BYTES_SHARED: ("", "load_16b", "load_8b", "load_4b"),
    Resource.OPS_INT32: ("", "add"),
    Resource.ATOMICS_L2: ("", "distinct"),
    **dict.fromkeys(FLOPS_VECTOR, ("", "fma")),
}
TENSOR = (*FLOPS_TENSOR, Resource.OPS_TENSOR_INT8)
TENSOR_KINDS = ("", "matmul", "mma", "wgmma", "tcgen05", "block_scaled", "fp32_accumulate")
PER_CLOCK = (
    *((Resource.ATOMICS_L2, f"atomics_l2:{kind}") for kind in ("distinct", "same_address", "beyond_l2")),
    (Resource.INSTS_LSU, "insts_lsu:narrow"),
)
"""Kinds whose class rules are operations per clock and SM."""
DOMAINS = {
    Resource.BYTES_DRAM: Domain.MEMORY,
    Resource.BYTES_LLC: Domain.MEMORY,
    Resource.BYTES_HOST_LINK: Domain.LINK,
}
MOST_ABOVE_BOOST = 1.35
"""Clock that a card may reach over its rated boost."""
DERIVED_UNCERTAINTY = {Resource.OPS_INT32: 0.08, Resource.INSTS_ISSUED: 0.03}
RESOURCES = frozenset(r.value for r in Resource)
PINNED = 0.7
"""Share of the link's theory from which a measured transfer is of pinned memory on a full-width slot."""


@dataclass(frozen=True)
class Facts:
    """What derivation works on: an entry, what its architecture adds, and the class rules."""

    entry: Entry
    architecture: Entry
    rules: Rules
    peak: Mapping[Resource, float]
    measured: Mapping[str, tuple[float, float, str]]
    """quantity -> (value in base units, relative uncertainty, source): the first of each quantity."""

    @property
    def clock_hz(self) -> float:
        """Boost clock."""
        return parse_quantity(self.entry["clock_boost"], "Hz")

    @property
    def clocks(self) -> float:
        """SM clocks per second, all SMs together."""
        return self.clock_hz * int(self.entry["sm_count"])

    def rule(self, quantity: str) -> Rule | None:
        """Class rule of a quantity for this GPU."""
        return self.rules.find(quantity, self.board)

    @cached_property
    def board(self) -> Board:
        """Return what rules ask of it."""
        return Board.of(self.entry)

    def supply(self, resource: Resource, per_s: float, kind: Kind, source: str, uncertainty: float) -> Supply:
        """A supply of this GPU, at boost clock."""
        domain = domain_of(resource, self.entry)
        on_chip = domain in (Domain.SM, Domain.L2)
        clock = self.clock_hz if domain is Domain.SM else None
        return Supply(per_s, kind, source, uncertainty, self.peak.get(resource), domain, clock, on_chip)


def derive_processor(entry: Entry, architecture: Entry, rules: Rules) -> Processor:
    """The processor that an entry describes. The entry is trusted (tests and ``schema`` check it)."""
    facts = Facts(entry, architecture, rules, peaks(entry, architecture), first_measured(entry))
    supplies = dict(supplies_of(facts))
    sustained = sustained_clock(facts, supplies)
    others, sources = other_quantities(facts)
    if sustained is not None and "clock_sustained" not in entry:
        sources["clock_hz_sustained"] = clock_fact(facts)
    return Processor(
        **entry_fields(entry, architecture),
        **limit_fields(entry, architecture),
        **others,
        clock_hz_sustained=sustained,
        supplies={r: power_limited(facts, r, s, sustained) for r, s in supplies.items()},
        variants=variants_of(facts, sustained),
        facts=facts_of(entry, architecture) | sources,
    )


def domain_of(resource: Resource, entry: Entry) -> Domain:
    """Which clock a supply follows."""
    if resource is Resource.BYTES_L2 and "clock_l2" in entry:
        return Domain.L2
    return DOMAINS.get(resource, Domain.SM)


def first_measured(entry: Entry) -> dict[str, tuple[float, float, str]]:
    """Measured quantities in base units; of several the first, which is the most trusted, and what others say."""
    first: dict[str, tuple[float, float, str]] = {}
    for item in entry.get("measured", ()):
        quantity = item["quantity"]
        if quantity in first:
            value, spread, source = first[quantity]
            first[quantity] = value, spread, f"{source}; also {item['value']} ({item['source'].partition(':')[0]})"
        else:
            value = per_second(item["value"], measured_unit(quantity) or "", entry)
            # What power holds down is no rate at a lower clock that somebody set.
            set_lower = "clock" in item and item.get("load") != "sustained"
            if set_lower and follows_sm_clock(quantity, entry) and "/clk" not in item["value"]:
                value *= parse_quantity(entry["clock_boost"], "Hz") / parse_quantity(item["clock"], "Hz")
            spread = max(float(item.get("spread", 0.0)), MEASURED_UNCERTAINTY)
            first[quantity] = (value, spread, f"{item['method']}, {item['source']}")
    return first


def follows_sm_clock(quantity: str, entry: Entry) -> bool:
    """Return whether a measured quantity is a rate that moves with the SM clock."""
    head = quantity.partition(":")[0]
    return head in RESOURCES and domain_of(Resource(head), entry) is Domain.SM


def supplies_of(facts: Facts) -> Iterator[tuple[Resource, Supply]]:
    """Every supply that the entry, its measurements or its class say something about."""
    for resource in Resource:
        if resource in TENSOR:
            supply = tensor(facts, resource)
        elif resource is Resource.BYTES_HOST_LINK:
            supply = host_link(facts)
        else:
            supply = preferred(facts, resource) or estimated(facts, resource)
        if supply is not None and supply.per_s > 0:
            yield resource, supply


def preferred(facts: Facts, resource: Resource) -> Supply | None:
    """The measured rate of the preferred kind of access."""
    for kind in PREFERRED.get(resource, ("",)):
        rate = facts.measured.get(f"{resource.value}:{kind}".rstrip(":"))
        if rate is not None:
            return facts.supply(resource, rate[0], Kind.MEASURED, rate[2], rate[1])
    if resource is Resource.BYTES_DRAM:
        ways = [m for m in (facts.measured.get(f"bytes_dram:{k}") for k in ("read", "init")) if m is not None]
        if ways:
            # Neither direction alone says what a mix of both reaches: take the lesser, a bit less sure.
            value, spread, source = min(ways)
            return facts.supply(resource, value, Kind.MEASURED, source, max(spread, 0.05))
        if (copied := facts.measured.get("bytes_dram:tensor_copy")) is not None:
            # What a framework's copy moves, its launches included: the least of all streams.
            return facts.supply(resource, copied[0], Kind.MEASURED, copied[2], max(copied[1], 0.05))
    return None


def estimated(facts: Facts, resource: Resource) -> Supply | None:
    """Return what the class of the GPU says, else plain theory; None where the counts are not known."""
    peak = facts.peak.get(resource)
    if resource is Resource.BYTES_DRAM:
        return by_share(facts, resource, facts.rule("bytes_dram:triad"), peak)
    if resource is Resource.BYTES_LLC:
        rule = facts.rule("bytes_llc") if "llc" in facts.entry else None
        return by_share(facts, resource, rule, facts.peak.get(Resource.BYTES_DRAM))
    if resource is Resource.BYTES_L1:
        rule = facts.rule("bytes_l1:load_4b") or facts.rule("bytes_l1")
        return per_clock(facts, resource, rule) or by_share(facts, resource, facts.rule("bytes_l1:load_16b"), peak)
    if resource is Resource.BYTES_L2 and "l2" not in facts.entry:
        return None
    if resource in (Resource.BYTES_L2, Resource.INSTS_LSU) and (rule := facts.rule(resource.value)):
        return per_clock(facts, resource, rule, capped=False)
    if resource is Resource.ATOMICS_L2:
        return per_clock(facts, resource, facts.rule("atomics_l2:distinct"))
    quantity = "flops_fp16" if resource is Resource.FLOPS_BF16 else resource.value
    rule = facts.rule(quantity)
    if rule is not None:
        return by_share(facts, resource, rule, peak)
    if peak is None:
        return None
    uncertainty = DERIVED_UNCERTAINTY.get(resource, 0.1)
    return facts.supply(resource, peak, Kind.DERIVED, "theory: rate x SMs x clock", uncertainty)


def by_share(facts: Facts, resource: Resource, rule: Rule | None, peak: float | None) -> Supply | None:
    """Peak times what the class reaches of it. Cards that exceed their rated boost do so by their clock."""
    if rule is None or peak is None:
        return None
    supply = facts.supply(resource, peak * rule.mean, Kind.ESTIMATED, rule.source, rule.relative_uncertainty)
    return above_boost(facts, supply)


def per_clock(facts: Facts, resource: Resource, rule: Rule | None, capped: bool = True) -> Supply | None:
    """Bytes or instructions per clock and SM of the class, at most the theoretical width."""
    if rule is None:
        return None
    peak = facts.peak.get(resource)
    rate = rule.mean * facts.clocks
    rate = min(rate, peak) if capped and peak is not None else rate
    supply = facts.supply(resource, rate, Kind.ESTIMATED, rule.source, rule.relative_uncertainty)
    # Where kernels exceed the specified width, the specification is what is in doubt.
    return replace(supply, peak_per_s=None) if peak is not None and rate > peak else supply


def above_boost(facts: Facts, supply: Supply) -> Supply:
    """More than the peak at boost means a clock above boost: the rate then holds at that clock."""
    peak = supply.peak_per_s
    if supply.domain is not Domain.SM or peak is None or supply.per_s <= peak:
        return supply
    if supply.per_s > MOST_ABOVE_BOOST * peak:
        # No clock explains this: the measured code ran on wider units than the specification counts.
        return replace(supply, peak_per_s=None)
    return replace(supply, clock_hz=facts.clock_hz * supply.per_s / peak)


def tensor_peak(facts: Facts, resource: Resource) -> float | None:
    """Theoretical rate of matrix products as libraries make them: with FP32 sums, which GeForce runs at half rate."""
    slower = merged_rates(facts.entry, facts.architecture).get("tensor_fp16_fp32acc_flop")
    if resource is Resource.FLOPS_TENSOR_FP16 and slower is not None:
        return slower * facts.clocks
    return facts.peak.get(resource)


def tensor(facts: Facts, resource: Resource) -> Supply | None:
    """The best measured matrix rate; else what another type reaches on this GPU; else the class."""
    burst, warp = (facts.measured.get(f"{resource.value}:{k}", (0.0,))[0] for k in ("burst", "mma"))
    # Where wider instructions are faster, those of one warp are no ceiling.
    kinds = [k for k in TENSOR_KINDS if burst <= warp or k not in ("mma", "fp32_accumulate")]
    rates = [facts.measured.get(f"{resource.value}:{k}".rstrip(":")) for k in kinds]
    best = max((f for f in rates if f is not None), default=None)
    if best is not None:
        return facts.supply(resource, best[0], Kind.MEASURED, best[2], best[1])
    peak = tensor_peak(facts, resource)
    if peak is None:
        return None
    for other in TENSOR:
        of_other, peak_of_other = facts.measured.get(f"{other.value}:matmul"), tensor_peak(facts, other)
        if of_other is not None and peak_of_other is not None:
            source = f"estimated: the share of peak that {other.label} reaches on this GPU"
            share = of_other[0] / peak_of_other
            return facts.supply(resource, peak * share, Kind.ESTIMATED, source, 0.08)
    return by_share(facts, resource, facts.rule("tensor"), peak)


def host_link(facts: Facts) -> Supply | None:
    """Measured where the run used the whole link, else the link's theory times what pinned copies reach."""
    resource = Resource.BYTES_HOST_LINK
    peak = facts.peak.get(resource)
    rate = facts.measured.get("bytes_host_link:h2d")
    if rate is not None and (peak is None or PINNED * peak <= rate[0] <= peak):
        return facts.supply(resource, rate[0], Kind.MEASURED, rate[2], rate[1])
    return by_share(facts, resource, facts.rule("bytes_host_link:h2d"), peak)


def sustained_clock(facts: Facts, supplies: Mapping[Resource, Supply]) -> float | None:
    """Clock under a long compute load: stated, measured, or what a measured FMA rate implies."""
    if "clock_sustained" in facts.entry:
        return parse_quantity(facts.entry["clock_sustained"], "Hz")
    if "clock:fp32" in facts.measured:
        return facts.measured["clock:fp32"][0]
    fp32 = supplies.get(Resource.FLOPS_FP32)
    if fp32 is not None and fp32.kind is Kind.MEASURED and fp32.peak_per_s and fp32.per_s > fp32.peak_per_s:
        return facts.clock_hz * fp32.per_s / fp32.peak_per_s
    return None


def power_limited(facts: Facts, resource: Resource, supply: Supply, sustained: float | None) -> Supply:
    """Vector and tensor rates of a card that cannot hold its boost clock: the shortfall is one of clock, not of width.

    At lower clocks such a card has its full width; at no clock does it exceed what its power allows.
    """
    peak = supply.peak_per_s
    if peak is None or not (resource in FLOPS_VECTOR or resource in TENSOR):
        return supply
    supply = above_boost(facts, supply)
    if sustained is None or sustained >= 0.98 * facts.clock_hz or (resource is Resource.FLOPS_FP64 and narrow(facts)):
        return supply
    # What the matrix units were measured at is theirs: the clock that vector units hold says nothing about it.
    stated = "clock_sustained" in facts.entry and not (resource in TENSOR and supply.kind is Kind.MEASURED)
    at_sustained = peak * sustained / facts.clock_hz
    if supply.per_s > at_sustained and (stated or supply.kind is Kind.ESTIMATED):
        source = f"peak at the sustained clock of {sustained / 1e9:.3g} GHz; in short runs: {supply.source}"
        kind = Kind.ESTIMATED if supply.kind is Kind.ESTIMATED else Kind.DERIVED
        supply = replace(supply, per_s=at_sustained, kind=kind, source=source)
    clock = facts.clock_hz * supply.per_s / peak
    return replace(supply, clock_hz=clock, limit_per_s=supply.per_s)


def narrow(facts: Facts) -> bool:
    """FP64 units so few that they cannot draw the power that lowers the clock."""
    rates = merged_rates(facts.entry, facts.architecture)
    return rates.get("fp64_fma", 0) * 8 <= rates.get("fp32_fma", 0)


def variants_of(facts: Facts, clock: float | None) -> dict[str, Supply]:
    """Rates by kind of access: measured ones, and estimates of the common kinds from their class."""
    variants: dict[str, Supply] = {}
    for quantity, (value, spread, source) in facts.measured.items():
        head, _, kind = quantity.partition(":")
        if kind and head in RESOURCES:
            resource = Resource(head)
            supply = facts.supply(resource, value, Kind.MEASURED, source, spread)
            supply = replace(supply, peak_per_s=variant_peak(facts, resource, kind))
            variants[quantity] = (
                power_limited(facts, resource, supply, clock) if kind == "fma" else above_boost(facts, supply)
            )
    for quantity, supply in estimated_variants(facts):
        variants.setdefault(quantity, supply)
    return variants


def variant_peak(facts: Facts, resource: Resource, kind: str) -> float | None:
    """Theoretical rate of one kind of access; None where the specification says nothing about that kind."""
    rates = merged_rates(facts.entry, facts.architecture)
    peaks_of_kinds = {
        (Resource.OPS_INT32, "mad"): ("int32_mul", 2),
        (Resource.BYTES_L1, "load_16b"): ("l1_bytes_load_16b", 1),
        (Resource.FLOPS_FP32, "packed"): ("fp32_packed_fma", 2),
    }
    if (resource, kind) in peaks_of_kinds:
        name, unit = peaks_of_kinds[resource, kind]
        return rates[name] * unit * facts.clocks if name in rates else None
    peak = facts.peak.get(resource)
    if kind == "bidirectional" and peak is not None:
        return peak * 2
    if kind == "add_mul" and peak is not None:
        return peak / 2
    return None if kind in ("load_8b", "mul") else peak


def estimated_variants(facts: Facts) -> Iterator[tuple[str, Supply]]:
    """Kinds of access that the class, or the specification, gives a rate for."""
    dram, link = Resource.BYTES_DRAM, Resource.BYTES_HOST_LINK
    for resource, kinds in ((dram, ("init", "read", "copy", "triad")), (link, ("h2d", "d2h"))):
        for kind in kinds:
            quantity = f"{resource.value}:{kind}"
            supply = by_share(facts, resource, facts.rule(quantity), facts.peak.get(resource))
            if supply is not None:
                yield quantity, supply
    rates = merged_rates(facts.entry, facts.architecture)
    wide, rule = rates.get("l1_bytes_load_16b"), facts.rule("bytes_l1:load_16b")
    if wide is not None and rule is not None:
        rate = wide * facts.clocks
        estimate = facts.supply(
            Resource.BYTES_L1, rate * rule.mean, Kind.ESTIMATED, rule.source, rule.relative_uncertainty
        )
        yield "bytes_l1:load_16b", replace(estimate, peak_per_s=rate)
    for resource, quantity in PER_CLOCK:
        if (found_rate := per_clock(facts, resource, facts.rule(quantity), capped=False)) is not None:
            yield quantity, found_rate
    for name, kind in (("fp64", Resource.FLOPS_FP64), ("fp32", Resource.FLOPS_FP32)):
        if (peak := facts.peak.get(kind)) is not None:
            # One operation instead of two per issue slot: arithmetic, not an estimate.
            source = f"half the {name.upper()} FMA peak"
            half = facts.supply(kind, peak / 2, Kind.DERIVED, source, 0.03)
            yield f"{kind.value}:add_mul", replace(half, peak_per_s=peak / 2)
    yield from accumulate(facts, rates)
    packed = variant_peak(facts, Resource.FLOPS_FP32, "packed")
    if packed is not None and (rule := facts.rule("flops_fp32")) is not None:
        estimate = facts.supply(
            Resource.FLOPS_FP32, packed * rule.mean, Kind.ESTIMATED, rule.source, rule.relative_uncertainty
        )
        yield "flops_fp32:packed", replace(estimate, peak_per_s=packed)


def accumulate(facts: Facts, rates: Mapping[str, float]) -> Iterator[tuple[str, Supply]]:
    """FP16 products with FP32 accumulation, where they are slower than with FP16 accumulation."""
    slower, rule = rates.get("tensor_fp16_fp32acc_flop"), facts.rule("tensor")
    if slower is not None and rule is not None:
        rate = slower * facts.clocks
        supply = facts.supply(
            Resource.FLOPS_TENSOR_FP16, rate * rule.mean, Kind.ESTIMATED, rule.source, rule.relative_uncertainty
        )
        yield "flops_tensor_fp16:fp32_accumulate", above_boost(facts, replace(supply, peak_per_s=rate))


def other_quantities(facts: Facts) -> tuple[dict[str, Any], dict[str, Fact]]:
    """Latencies in cycles and the launch floors in seconds: measured, else of the class, else absent; with sources."""
    values: dict[str, Any] = {}
    sources: dict[str, Fact] = {}
    names = {f"latency_cycles_{k}": f"latency_cycles:{k}" for k in ("l1", "shared", "l2", "l2_far", "dram")}
    names |= {"launch_floor_s": "launch_floor:stream", "launch_floor_graph_s": "launch_floor:graph"}
    for name, quantity in names.items():
        if quantity in facts.measured:
            values[name], _, source = facts.measured[quantity]
            sources[name] = Fact(Kind.MEASURED, source)
        elif (rule := facts.rule(quantity)) is not None:
            values[name] = rule.mean
            share = format_percent(rule.relative_uncertainty, 0)
            sources[name] = Fact(Kind.ESTIMATED, f"{rule.source}, ±{share}", "medium")
    return values, sources


def clock_fact(facts: Facts) -> Fact:
    """Where a sustained clock that no field states comes from."""
    if "clock:fp32" in facts.measured:
        return Fact(Kind.MEASURED, facts.measured["clock:fp32"][2])
    return Fact(Kind.DERIVED, "measured FP32 rate over FMA units: the card exceeds its rated boost", "medium")
