"""Which GPUs a choice is among: those named, or those on sale now for data centres that the measured code runs on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from roofcast.catalog import processors
from roofcast.catalog.finding import PARTITIONS
from roofcast.catalog.instances import find_instance
from roofcast.catalog.prices import Price, Prices, read_prices
from roofcast.catalog.selecting import RENTED_SINCE, select_current
from roofcast.catalog.targets import list_gpus
from roofcast.choosing.workload_file import HOURS_PER_YEAR, Limits, Terms
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.units import format_quantity
from roofcast.forecasting.sources import resolve_sources, resolve_target

SEGMENT = "datacentre"


@dataclass(frozen=True)
class Candidate:
    """One GPU with what it costs."""

    name: str
    """As it is shown: an instance by its own name."""
    processor: Processor
    price: Price
    rented: bool
    """Whether it is rented: at its provider, with energy and host in the rent."""
    hourly: float | None
    """Of one GPU in an hour in which it works: rent, or purchase over its life with the host's power; None unknown."""
    budget: float | None
    """What one GPU takes of the budget: its price with host, or the rent of its working hours over the years."""

    def uses(self, limits: Limits) -> dict[str, float | None]:
        """Limit -> what one GPU takes of it, for the limits that are given; None unknown."""
        takes = {
            "budget": self.budget, "power": 0.0 if self.rented else self.price.drawn_w,
            "rack": 0.0 if self.rented else self.price.rack_units,
        }  # fmt: skip
        return {name: takes[name] for name in limits.named()}


def price_hour(price: Price, prices: Prices, terms: Terms, *, rented: bool) -> float | None:
    r"""What one GPU costs in an hour in which it works.

    .. math:: c = \frac{P + H}{h\, y\, u} + \frac{w\, k\, f}{u}

    of a purchase, the rent itself where it is rented. P, H : price of the GPU and its share of the host. h : hours of a
    year. y, u : life in years and utilisation. w : kW of its share of the host, which runs in all hours. k : price of a
    kWh. f : the site's power over that of its machines. The GPU's own energy comes with each job.
    """
    if rented:
        return price.rent_usd_per_hour
    if price.capital_usd is None or terms.years is None:
        return None
    host = (price.host_power_w or 0.0) / 1000.0 * (prices.usd_per_kwh or 0.0) * prices.power_factor
    return price.capital_usd / (HOURS_PER_YEAR * terms.years * terms.utilisation) + host / terms.utilisation


def make_candidate(name: str, p: Processor, price: Price, prices: Prices, terms: Terms) -> Candidate:
    """A GPU with its costs: bought or rented, whichever is cheaper for an hour of work where both are known.

    The energy of a bought GPU counts at its stated or board power in that comparison alone.
    """
    buy, rent = (price_hour(price, prices, terms, rented=r) for r in (False, True))
    energy = (price.power_w or 0.0) / 1000.0 * (prices.usd_per_kwh or 0.0) * prices.power_factor
    known = price.rent_usd_per_hour is not None
    # Without a life, a rent is the only cost of an hour; what is bought counts against the budget all the same.
    rented = known and (price.price_usd is None or (buy is not None and rent is not None and rent < buy + energy))
    hourly = rent if rented or (buy is None and known) else buy
    of_years = None if terms.years is None or rent is None else rent * HOURS_PER_YEAR * terms.years * terms.utilisation
    return Candidate(name, p, price, rented, hourly, of_years if rented else price.capital_usd)


def list_candidates(
    among: Sequence[str | Processor] | None, prices: Prices, terms: Terms, tables: Iterable[tuple[KernelTable, object]],
    segment: str | None = None,
) -> tuple[list[Candidate], str]:  # fmt: skip
    """Candidates, and one line on what was left aside and why ('' where the user named all).

    tables : kernels with the user's word on their source, which tell whose GPUs the code runs on.
    """
    aside = ""
    if among is None:
        among, aside = list_current(tables, segment)
        among = add_offered(among, prices)
    by_offer: dict[tuple[str, str], Candidate] = {}
    for asked in among:
        p = resolve_target(asked).processor
        instance = find_instance(asked) if isinstance(asked, str) else None
        name = p.name if instance is None else instance.name
        name += f" ({instance.count} x {p.name})" if instance is not None and p.name not in instance.name else ""
        price = prices.of(p) if instance is None else prices.of_instance(instance, p).of(p)
        by_offer.setdefault((p.key, name), make_candidate(name, p, price, prices, terms))
    return [*by_offer.values()], aside


def list_current(
    tables: Iterable[tuple[KernelTable, object]], segment: str | None
) -> tuple[list[str | Processor], str]:
    """GPUs on sale now of a segment (default: for data centres) and of the vendors of the sources."""
    sources = [p for table, source in tables for p in resolve_sources(table, source).processors]  # type: ignore[arg-type]  # the user's word
    vendors = {p.vendor for p in sources}
    gpus = [p for p in processors() if p.is_gpu]
    runs = [p for p in gpus if not vendors or p.vendor in vendors]
    current: list[str | Processor] = [
        p for p in select_current(runs, None if segment == "all" else segment or SEGMENT, RENTED_SINCE, on_sale=True)
        if not p.key.endswith(PARTITIONS)
    ]  # fmt: skip
    if not current:
        raise RoofcastError("no GPU of that segment is on sale that the code runs on: name some with --among")
    of = "all segments" if segment == "all" else segment or "data centres"
    others = len(gpus) - len(runs)
    aside = f"{len(runs) - len(current)} GPUs of the catalog that are not on sale now for {of}"
    if others:
        aside += f" and {others} that code for {' and '.join(sorted(vendors))} does not run on"
    return current, f"left aside: {aside} (--segment, --among)"


def add_offered(among: Sequence[str | Processor], prices: Prices) -> list[str | Processor]:
    """The GPUs and the instances and nodes of them with prices, which stand in for GPUs that have no other."""
    keys = {p.key for p in map(resolve_processor, among)}
    offered = [n for n in prices.named if find_instance(n) and resolve_target(n).processor.key in keys]
    shared = {id(p) for p in prices.by_instance.values()}
    sold_alone = [a for a in among if id(prices.by_key.get(resolve_processor(a).key)) not in shared]
    return [*sold_alone, *offered]


def resolve_processor(target: str | Processor) -> Processor:
    """The processor of a target."""
    return resolve_target(target).processor


def name_candidates(given: str | Processor | Sequence[str | Processor] | None) -> list[str | Processor] | None:
    """GPUs of ``--among``: a text may name several."""
    if given is None:
        return None
    named = list_gpus(given)
    if not named:
        raise RoofcastError("--among: name at least one GPU")
    return named


def read_named(path: str | Path) -> list[str]:
    """The GPUs that a candidates file names."""
    named = [*read_prices(path).named]
    if not named:
        raise RoofcastError(f'{one_line(str(path), 120)}: names no GPU: write [gpus."H100 SXM5 80GB"]')
    return named


def tell_memory(p: Processor, memory: float | None, whose: str) -> str:
    """Why a GPU cannot hold a program that needs so many bytes; '' where it can, or nothing says how many."""
    if memory is None or (p.capacity_bytes_dram or 0.0) >= memory:
        return ""
    for_whom = f" for {whose}" if whose else ""
    if p.capacity_bytes_dram is None:
        return "has an unknown memory size"
    return f"has too little memory{for_whom}: {format_quantity(memory, 'B')} are needed"


def refuse_candidate(
    candidate: Candidate, needs: Sequence[tuple[float | None, str]], limits: Limits, *, mixes: bool
) -> str:
    """Why a GPU is not ranked, whatever its times; '' where nothing speaks against it.

    needs : bytes and name of each program. mixes : whether it may serve some programs beside others of a fleet.
    """
    short = [tell_memory(candidate.processor, *need) for need in sorted(needs, key=lambda n: -(n[0] or 0.0))]
    if short[0] and (all(short) or not mixes):
        return short[0]
    missing = [name for name, taken in candidate.uses(limits).items() if taken is None]
    if "budget" in missing and candidate.rented:
        return "has a rent, which counts against a budget over stated years alone: state years"
    names = {"budget": "price: state one", "power": "known power: state power_w", "rack": "rack_units: state them"}
    return f"has no {names[missing[0]]} with --prices or --candidates" if missing else ""
