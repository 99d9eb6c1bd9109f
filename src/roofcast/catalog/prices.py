"""Prices, rents and power: what users state in a TOML file, each with its source; nothing is made up."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from roofcast.catalog import library, parse_target
from roofcast.catalog.instances import Instance, find_instance
from roofcast.catalog.toml_files import read_toml
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.processor import Processor

FIELDS = ("price_usd", "rent_usd_per_hour", "power_w", "rack_units")
TEXTS = ("source", "date")
SITE = ("usd_per_kwh", "power_factor")


@dataclass(frozen=True)
class Price:
    """What one GPU costs; None where not stated."""

    price_usd: float | None = None
    rent_usd_per_hour: float | None = None
    power_w: float | None = None
    """Power drawn from the site's budget, share of the host included if the user wants it."""
    rack_units: float | None = None
    """Share of a rack that one GPU takes, with its share of the host."""
    source: str = ""
    date: str = ""
    gpus: int = 1
    """GPUs that come together, as those of a cloud instance do; everything else is of one."""


@dataclass(frozen=True)
class Prices:
    """Prices by key of the catalog."""

    by_key: Mapping[str, Price] = field(default_factory=dict)
    usd_per_kwh: float | None = None
    power_factor: float = 1.0
    """Power of the site over power of its GPUs (PUE)."""
    note: str = ""
    """What a reader must know about all of them."""
    by_instance: Mapping[str, Price] = field(default_factory=dict)
    """Prices of one GPU of an instance, by the instance's name."""
    by_name: Mapping[str, Price] = field(default_factory=dict)
    """Prices of processors that go by a name of their own, before those by key."""

    def of(self, p: Processor) -> Price:
        """What is stated for a GPU; its launch price and board power where the catalog has them and nothing else is."""
        own = self.by_name.get(p.name) or self.by_key.get(p.key, Price())
        launch = own.price_usd is None and p.launch_price_usd is not None
        return Price(
            p.launch_price_usd if launch else own.price_usd,
            own.rent_usd_per_hour,
            p.tdp_w if own.power_w is None else own.power_w,
            own.rack_units,
            "launch price of the catalog" if launch and not own.source else own.source,
            own.date or (p.launch_date if launch else ""),
            own.gpus,
        )

    def of_instance(self, instance: Instance, p: Processor) -> Prices:
        """The same with the price of an instance, whose processor goes by the name of it."""
        own = self.by_instance.get(instance.name) or self.by_key.get(p.key, Price())
        return replace(self, by_name={**self.by_name, p.name: replace(own, gpus=instance.count)})


PUBLIC = "public"
"""What ``--prices`` takes for the shipped example."""


def read_prices(path: str | Path) -> Prices:
    """Read a price file (docs/choose.md), or the shipped example of public list prices.

    Raises
    ------
    RoofcastError : an unreadable file, an unknown GPU or key, a number that is no price.
    """
    if str(path) != PUBLIC:
        return read_toml(path, parse_prices)
    found = read_toml(library.ROOT / "public_prices.toml", parse_prices)
    dates = sorted({p.date for p in (*found.by_key.values(), *found.by_instance.values())})
    note = f"Public list prices, gathered 2026-11-22, no offer and not today's; their dates: {', '.join(dates)}."
    return replace(found, note=note)


def parse_prices(content: Mapping[str, Any]) -> Prices:
    """Prices from the content of their file."""
    unknown = set(content) - {"gpus", "site"}
    if unknown:
        raise RoofcastError(f"no such table: {one_line(', '.join(sorted(unknown)), 80)}; tables are gpus and site")
    gpus, site = content.get("gpus", {}), content.get("site", {})
    if not isinstance(gpus, dict) or not isinstance(site, dict) or set(site) - set(SITE):
        raise RoofcastError('write [gpus."H100 SXM5 80GB"] with price_usd, and [site] with usd_per_kwh, power_factor')
    found: dict[str, Price] = {}
    rented: dict[str, Price] = {}
    of_rented: dict[str, list[Price]] = defaultdict(list)
    for name, row in gpus.items():
        match, price = parse_target(str(name)), parse_price(str(name), row)
        instance = find_instance(str(name))
        key = instance.name if instance else match.processor.key
        if key in (rented if instance else found):
            raise RoofcastError(f"{one_line(str(name), 60)}: given twice")
        if instance:
            rented[key] = of_one(price, match.count)
            of_rented[match.processor.key].append(rented[key])
        else:
            found[key] = price
    for key, prices in of_rented.items():
        # A GPU that has no row of its own is rented where it costs least.
        found.setdefault(key, min(prices, key=lambda p: p.rent_usd_per_hour or math.inf))
    numbers = {k: number(f"site: {k}", v) for k, v in site.items()}
    factor = numbers.get("power_factor", 1.0)
    if factor < 1:
        raise RoofcastError("site: power_factor is the site's power over its GPUs', at least 1")
    return Prices(found, numbers.get("usd_per_kwh"), factor, by_instance=rented)


def parse_price(name: str, row: Any) -> Price:
    """One GPU's table."""
    shown = one_line(name, 60)
    if not isinstance(row, dict) or set(row) - {*FIELDS, *TEXTS}:
        raise RoofcastError(f"{shown}: keys are {', '.join((*FIELDS, *TEXTS))}")
    numbers = {k: number(f"{shown}: {k}", row[k]) for k in FIELDS if k in row}
    texts = {k: one_line(str(row[k]), 200) for k in TEXTS if k in row}
    return Price(**numbers, **texts)  # type: ignore[arg-type]  # fields by name


def of_one(price: Price, count: int) -> Price:
    """The price of one GPU of an instance, whose price, rent and power are the whole instance's."""
    each = {f: None if (own := getattr(price, f)) is None else own / count for f in FIELDS}
    return replace(price, **each, gpus=count)  # type: ignore[arg-type]  # fields by name


def number(what: str, value: Any) -> float:
    """A positive number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e12:
        raise RoofcastError(f"{what}: give a number above 0")
    return float(value)
