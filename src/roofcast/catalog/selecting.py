"""Choosing entries to list: by segment, year and what is on sale, or by likeness to a few words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import log

from roofcast.catalog.instances import instances
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource

SEGMENTS = ("datacentre", "workstation", "consumer", "mobile")
SOLD = frozenset(
    {
        *("sm_86", "sm_89", "sm_90", "sm_100", "sm_103", "sm_120", "sm_121", "sm_110", "sm_87"),
        *("gfx942", "gfx950", "gfx1100", "gfx1101", "gfx1102", "gfx1151", "gfx1200", "gfx1201"),
        *("xe-hpg", "xe2-hpg"),
    }
)
"""Architectures whose boards vendors or shops still sell (2026); older ones count where a cloud rents them."""
RENTED_SINCE = 2020
"""Year since which launched GPUs are still rented out widely."""
LIKE_SHOWN = 12
"""Relatives that ``gpus --like`` lists."""
NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*(TB/s|GB/s|GiB|GB|TB|W|SMs?|CUs?|MHz|GHz|TFLOP/?s)\b", re.IGNORECASE)


def select_current(
    processors: Sequence[Processor], segment: str | None, since: int | None, on_sale: bool
) -> list[Processor]:
    """Processors of a segment, launched since a year, that are sold or rented today.

    Raises
    ------
    RoofcastError : no such segment.
    """
    wanted = (segment or "").lower().replace("data center", "datacentre").replace("datacenter", "datacentre")
    if wanted and wanted not in SEGMENTS:
        raise RoofcastError(f"--segment {one_line(str(segment), 40)!r}: use {', '.join(SEGMENTS)}")
    rented = rented_keys() if on_sale else frozenset()

    def fits(p: Processor) -> bool:
        year = int(p.launch_date[:4]) if p.launch_date else 0
        sold = p.architecture in SOLD and year >= RENTED_SINCE
        of_segment = not wanted or p.segment == wanted
        return of_segment and (since is None or year >= since) and (not on_sale or sold or p.key in rented)

    return [p for p in processors if fits(p)]


def rented_keys() -> frozenset[str]:
    """Keys of the GPUs of cloud instances."""
    from roofcast.catalog.finding import find

    return frozenset(find(gpu).processor.key for gpu in {i.gpu for i in instances().values()})


def rank_likeness(processors: Sequence[Processor], text: str) -> list[Processor]:
    """The GPUs nearest to a few words and numbers: ``HBM3e, 140 GB``, ``600 W GDDR7``, ``4.8 TB/s``.

    A word that a GPU does not bear counts as much as a number that is off by a factor of e.

    Raises
    ------
    RoofcastError : nothing in the text says something about a GPU.
    """
    numbers = [(float(value), unit.lower()) for value, unit in NUMBER.findall(text)]
    words = [w for w in re.findall(r"[a-z0-9]+", NUMBER.sub(" ", text).lower()) if w not in ("with", "and", "a", "of")]
    gpus = [p for p in processors if p.is_gpu]
    spoken = {p.key: words_of(p) for p in gpus}
    known = [w for w in words if any(w in words_of_gpu for words_of_gpu in spoken.values())]
    if not numbers and not known:
        raise RoofcastError(f"--like {one_line(text, 60)!r}: write e.g. 'HBM3e, 140 GB', '600 W', 'Hopper 3 TB/s'")

    def distance(p: Processor) -> float:
        missing = sum(w not in spoken[p.key] for w in known)
        return missing + sum(far(p, value, unit) for value, unit in numbers)

    far_off = {p.key: distance(p) for p in gpus}
    return sorted(gpus, key=lambda p: far_off[p.key])[:LIKE_SHOWN]


def words_of(p: Processor) -> frozenset[str]:
    """Words that a GPU bears."""
    text = " ".join((p.name, p.vendor, p.architecture, p.family, p.memory_type, p.segment, *p.aliases))
    return frozenset(re.findall(r"[a-z0-9]+", text.lower()))


def dram(p: Processor) -> float | None:
    """Theoretical bandwidth."""
    supply = p.supplies.get(Resource.BYTES_DRAM)
    return None if supply is None else supply.peak_per_s or supply.per_s


def fp32(p: Processor) -> float | None:
    """Theoretical FP32 rate."""
    supply = p.supplies.get(Resource.FLOPS_FP32)
    return None if supply is None else supply.peak_per_s or supply.per_s


# Unit -> (value of a GPU, unit in its base).
MEANINGS: dict[str, tuple[Callable[[Processor], float | None], float]] = {
    "tb/s": (dram, 1e12), "gb/s": (dram, 1e9), "gb": (lambda p: p.capacity_bytes_dram, 2.0**30),
    "gib": (lambda p: p.capacity_bytes_dram, 2.0**30), "tb": (lambda p: p.capacity_bytes_dram, 2.0**40),
    "w": (lambda p: p.tdp_w, 1.0), "sm": (lambda p: p.sm_count, 1.0), "cu": (lambda p: p.sm_count, 1.0),
    "mhz": (lambda p: p.clock_hz_boost, 1e6), "ghz": (lambda p: p.clock_hz_boost, 1e9), "tflops": (fp32, 1e12),
}  # fmt: skip
UNKNOWN = 3.0
"""Distance of a number that the catalog does not have of a GPU."""


def far(p: Processor, value: float, unit: str) -> float:
    """|ln| of a GPU's value over the one asked for; ten times, since numbers are meant."""
    key = unit.replace("/s", "/s").rstrip("s") if unit in ("sms", "cus") else unit.replace("tflop/s", "tflops")
    of, base = MEANINGS[key]
    amount = of(p)
    return UNKNOWN if not amount or value <= 0 else min(10 * abs(log(amount / (value * base))), UNKNOWN)
