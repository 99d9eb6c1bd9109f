"""Prices, rents, power and hosts of candidates: what users state in a TOML file, each with its source; nothing is made
up. A price file and a candidates file are one format: candidates are the GPUs that a file names, in its order.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import field, replace
from datetime import date
from pathlib import Path
from typing import Any

from roofcast.catalog import library, parse_target
from roofcast.catalog.entries import ROOT
from roofcast.catalog.instances import Instance, find_instance
from roofcast.catalog.targets import split_targets
from roofcast.catalog.toml_files import read_toml
from roofcast.core.errors import RoofcastError, UnitError, one_line
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.units import parse_quantity

FIELDS = ("price_usd", "rent_usd_per_hour", "power_w", "idle_power_w", "rack_units")
PAID = FIELDS[:2]
"""To buy, or to rent."""
OF_SERVER = ("host_price_usd", "network_price_usd", "host_power_w", "server_rack_units")
"""Of the server that GPUs stand in; ``slots_per_server`` GPUs share them."""
SLOTS, LINK, AVAILABLE = "slots_per_server", "link", "available"
TEXTS = ("source", "date")
KEYS = (*FIELDS, *OF_SERVER, SLOTS, LINK, AVAILABLE, *TEXTS)
SITE = ("usd_per_kwh", "power_factor")
MONTH = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")


@dataclass(frozen=True)
class Price:
    """What one GPU costs; None where not stated."""

    price_usd: float | None = None
    rent_usd_per_hour: float | None = None
    power_w: float | None = None
    """Power drawn from the site's budget, share of the host included if the user wants it."""
    idle_power_w: float | None = None
    """Drawn while no job runs."""
    rack_units: float | None = None
    """Share of a rack that one GPU takes, with its share of the host."""
    source: str = ""
    date: str = ""
    gpus: int = 1
    """GPUs that come together, as those of a cloud instance or of a server do; everything else is of one."""
    host_price_usd: float | None = None
    """Share of the host's price."""
    network_price_usd: float | None = None
    """Share of the network's price: cards, cables, switches."""
    host_power_w: float | None = None
    """Share of the host's power, drawn in all hours."""
    link_bytes_per_s: float | None = None
    """To another GPU of the server, per direction; None: as the catalog has it."""
    available: str = ""
    """Year, month or day from which it can be had; '' now."""
    is_launch_price: bool = False
    """Whether the price is the catalog's launch price."""
    is_board_power: bool = False
    """Whether the power is the catalog's board power: nobody stated it."""

    @property
    def capital_usd(self) -> float | None:
        """$ of the GPU and of its shares of the host and of the network."""
        shares = (self.host_price_usd or 0.0) + (self.network_price_usd or 0.0)
        return None if self.price_usd is None else self.price_usd + shares

    @property
    def drawn_w(self) -> float | None:
        """W of the GPU and of its share of the host."""
        return None if self.power_w is None else self.power_w + (self.host_power_w or 0.0)


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
    """Prices of one GPU of an instance or node, by its name."""
    by_name: Mapping[str, Price] = field(default_factory=dict)
    """Prices of processors that go by a name of their own (instances, variations, own files), before those by key."""
    named: tuple[str, ...] = ()
    """What the file names, in its order, as ``--among`` takes it."""

    def of(self, p: Processor) -> Price:
        """Return what is stated for a GPU.

        Its launch price where the catalog has it and neither price nor rent is stated; its board power where no power
        is. Both say so.
        """
        price = self.by_name.get(p.name) or self.by_key.get(p.key, Price())
        launch = price.price_usd is None and price.rent_usd_per_hour is None and p.launch_price_usd is not None
        return replace(
            price,
            price_usd=p.launch_price_usd if launch else price.price_usd,
            power_w=p.tdp_w if price.power_w is None else price.power_w,
            source=LAUNCH_PRICE if launch and not price.source else price.source,
            date=price.date or (p.launch_date if launch else ""),
            is_launch_price=launch, is_board_power=price.power_w is None,
        )  # fmt: skip

    def of_instance(self, instance: Instance, p: Processor) -> Prices:
        """The same with the price of an instance, whose processor goes by the name of it."""
        price = self.by_instance.get(instance.name) or self.by_key.get(p.key, Price())
        return replace(self, by_name={**self.by_name, p.name: replace(price, gpus=instance.count)})


LAUNCH_PRICE = "launch price of the catalog"
PUBLIC = "public"
"""What ``--prices`` takes for the shipped example."""


def read_prices(path: str | Path) -> Prices:
    """Read a price file (docs/choose.md), or the shipped example of public list prices.

    Raises
    ------
    RoofcastError : an unreadable file, an unknown GPU or key, a number that is no price.
    """
    if "=" in str(path) and not str(path).lower().endswith(".toml"):
        stated, shipped = parse_stated(str(path)), PUBLIC in split_targets(str(path))
        return overlay(read_prices(PUBLIC), stated) if shipped else stated
    if str(path) != PUBLIC:
        return read_toml(path, lambda content: parse_prices(content, Path(path).parent))
    prices = read_toml(ROOT / "public_prices.toml", parse_prices)
    dates = sorted({p.date for p in (*prices.by_key.values(), *prices.by_instance.values())})
    note = f"Public list prices, gathered 2026-11-22, no offer and not today's; their dates: {', '.join(dates)}."
    return replace(prices, note=note)


ENERGY = "kwh"
"""What a text calls the price of energy."""
STATED = re.compile(r"([\d.eE+]+)\s*(/\s*h|W)?")


def parse_stated(text: str) -> Prices:
    """Prices in a text: ``H100 SXM5 80GB=27000, L40S=1.2/h, L40S=300W, kWh=0.15``.

    To buy, to rent for an hour, watts that a GPU draws, USD per kWh; ``public`` among them is the shipped list, which
    :func:`read_prices` lays below.

    >>> stated = parse_stated("L40S=7500, L40S = 1.2/h, kWh=0.15")
    >>> stated.by_key["nvidia-l40s"].rent_usd_per_hour, stated.usd_per_kwh
    (1.2, 0.15)
    """
    rows: dict[str, dict[str, float]] = {}
    site: dict[str, float] = {}
    for part in split_targets(text):
        if part.strip() == PUBLIC:
            continue
        name, _, value = (v.strip() for v in part.rpartition("="))
        match = STATED.fullmatch(value)
        try:
            amount = float(match[1]) if match else math.nan
        except ValueError:
            amount = math.nan
        if not name or match is None or math.isnan(amount) or (match[2] and name.lower() == ENERGY):
            raise RoofcastError(
                f"prices: {one_line(part, 60)!r}: write GPU=27000 to buy, GPU=1.2/h to rent, GPU=300W, kWh=0.15, with "
                "commas"
            )
        if name.lower() == ENERGY:
            site["usd_per_kwh"] = amount
            continue
        key = "price_usd" if not match[2] else "power_w" if match[2] == "W" else "rent_usd_per_hour"
        rows.setdefault(name, {})[key] = amount
    return replace(parse_prices({"gpus": rows, "site": site}), note="")


def overlay(shipped: Prices, stated: Prices) -> Prices:
    """Prices with some stated by the user in their place; what is not stated of a GPU stays."""

    def joined(below: Price | None, own: Price) -> Price:
        given = {name: v for name in FIELDS if (v := getattr(own, name)) is not None}
        # A GPU is bought or rented at what is stated, not at what an old list says of the other.
        priced = dict.fromkeys(PAID) if given.keys() & set(PAID) else {}
        return replace(below or Price(), **{**priced, **given, "source": "stated", "date": ""})

    rows = {key: joined(shipped.by_key.get(key), price) for key, price in stated.by_key.items()}
    kwh = shipped.usd_per_kwh if stated.usd_per_kwh is None else stated.usd_per_kwh
    return replace(
        shipped, by_key={**shipped.by_key, **rows}, by_name={**shipped.by_name, **stated.by_name}, usd_per_kwh=kwh,
        by_instance={**shipped.by_instance, **stated.by_instance},
        named=tuple(dict.fromkeys((*shipped.named, *stated.named))),
    )  # fmt: skip


def parse_prices(content: Mapping[str, Any], folder: Path | None = None) -> Prices:
    """Prices from the content of their file. folder : where the names of TOML files of GPUs start from."""
    unknown = set(content) - {"gpus", "site"}
    if unknown:
        raise RoofcastError(f"no such table: {one_line(', '.join(sorted(unknown)), 80)}; tables are gpus and site")
    gpus, site = content.get("gpus", {}), content.get("site", {})
    if not isinstance(gpus, dict) or not isinstance(site, dict) or set(site) - set(SITE):
        raise RoofcastError('write [gpus."H100 SXM5 80GB"] with price_usd, and [site] with usd_per_kwh, power_factor')
    by_key: dict[str, Price] = {}
    rented: dict[str, Price] = {}
    varied: dict[str, Price] = {}
    of_rented: dict[str, list[Price]] = defaultdict(list)
    named = []
    for text, row in gpus.items():
        name = find_file(str(text), folder)
        match = parse_target(name)
        price = parse_price(str(text), row, match.count)
        instance, p = find_instance(name), match.processor
        named.append(name)
        into, key = (
            (rented, instance.name) if instance else (varied, p.name) if p.key not in library.index()["entries"]
            else (by_key, p.key)
        )  # fmt: skip
        if key in into:
            raise RoofcastError(f"{one_line(str(text), 60)}: given twice")
        into[key] = of_one(price, match.count) if instance else price
        if instance:
            of_rented[p.key].append(into[key])
    for key, prices in of_rented.items():
        # A GPU that has no row of its own is rented where it costs least.
        by_key.setdefault(key, min(prices, key=lambda p: p.rent_usd_per_hour or math.inf))
    numbers = {k: number(f"site: {k}", v) for k, v in site.items()}
    factor = numbers.get("power_factor", 1.0)
    if factor < 1:
        raise RoofcastError("site: power_factor is the site's power over its GPUs', at least 1")
    return Prices(by_key, numbers.get("usd_per_kwh"), factor, by_instance=rented, by_name=varied, named=tuple(named))


def find_file(name: str, folder: Path | None) -> str:
    """The name of a GPU; that of a TOML file from where the file stands that names it."""
    beside = None if folder is None or not name.lower().endswith(".toml") else folder / name
    return str(beside) if beside is not None and beside.is_file() else name


def parse_price(name: str, row: Any, count: int = 1) -> Price:
    """One GPU's table. count : GPUs of the instance or node that it is of."""
    title = one_line(name, 60)
    if not isinstance(row, dict) or set(row) - set(KEYS):
        odd = one_line(", ".join(sorted(set(row) - set(KEYS))), 80) if isinstance(row, dict) else "no table"
        raise RoofcastError(f"{title}: {odd}; keys are {', '.join(KEYS)}")
    numbers = {k: number(f"{title}: {k}", row[k]) for k in (*FIELDS, *OF_SERVER) if k in row}
    slots = row.get(SLOTS, count)
    if isinstance(slots, bool) or not isinstance(slots, int) or not 1 <= slots <= 1024:
        raise RoofcastError(f"{title}: {SLOTS}: write how many GPUs one server takes, 1 to 1024")
    if SLOTS not in row and count == 1 and any(k in row for k in OF_SERVER):
        raise RoofcastError(f"{title}: {', '.join(k for k in OF_SERVER if k in row)}: of how many GPUs? write {SLOTS}")
    if "rack_units" in row and "server_rack_units" in row:
        raise RoofcastError(f"{title}: rack_units (of one GPU) and server_rack_units contradict each other: keep one")
    if "server_rack_units" in numbers:
        numbers["rack_units"] = numbers.pop("server_rack_units") / slots
    numbers |= {k: numbers[k] / slots for k in OF_SERVER if k in numbers}
    try:
        link = parse_quantity(row[LINK], "B/s") if LINK in row else None
    except UnitError as error:
        raise RoofcastError(f"{title}: {LINK}: {error}") from error
    if link is not None and not link > 1e6:
        raise RoofcastError(f'{title}: {LINK}: write the rate to another GPU, e.g. "450 GB/s"')
    available = read_date(f"{title}: {AVAILABLE}", row[AVAILABLE]) if AVAILABLE in row else ""
    texts = {k: one_line(str(row[k]), 200) for k in TEXTS if k in row}
    return Price(**numbers, **texts, gpus=slots, link_bytes_per_s=link, available=available)  # type: ignore[arg-type]  # by name


def read_date(what: str, value: Any) -> str:
    """A year, a month or a day, as text that sorts.

    >>> read_date("start", "2027-06"), read_date("start", date(2027, 6, 1))
    ('2027-06', '2027-06-01')
    """
    text = value.isoformat() if isinstance(value, date) else str(value)
    parts = text.split("-")
    sound = MONTH.fullmatch(text) and all(1 <= int(p) <= most for p, most in zip(parts[1:], (12, 31), strict=False))
    if not sound:
        raise RoofcastError(f'{what}: write a year, month or day, e.g. "2027-06"')
    return text


def of_one(price: Price, count: int) -> Price:
    """The price of one GPU of an instance or node, whose price, rent and power are those of the whole."""
    shares = {f: None if (amount := getattr(price, f)) is None else amount / count for f in FIELDS}
    return replace(price, **shares, gpus=max(count, price.gpus))  # type: ignore[arg-type]  # fields by name


def number(what: str, value: Any) -> float:
    """A positive number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value < 1e12:
        raise RoofcastError(f"{what}: give a number above 0")
    return float(value)
