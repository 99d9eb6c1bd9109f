"""Target texts: a name, a TOML file, or a variation such as ``H100 SXM5 80GB{dram=4.8TB/s,l2=60MB,sm=144}``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog import library
from roofcast.catalog.finding import PARTITIONS, Match, candidates, find
from roofcast.catalog.instances import find_instance
from roofcast.catalog.partitions import cap_power, cut_slice
from roofcast.core.errors import CatalogEntryError, InputError, UnitError, one_line
from roofcast.core.processor import Domain, Fact, Kind, Processor, Supply
from roofcast.core.resource import Resource
from roofcast.core.units import EXAMPLES, parse_quantity

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
LARGEST = 1e24
"""Beyond every rate and size of a machine, and far from where products overflow."""
SMALLEST = {"B/s": 1e6, "FLOP/s": 1e6, "Hz": 1e6, "B": 1e3}
"""No processor has less: a number below is one whose unit was forgotten."""

VARIATION = re.compile(r"^(?P<base>[^{}]*)\{(?P<changes>[^{}]*)\}\s*$")


def parse_target(text: str) -> Match:
    """The processor that a target text stands for.

    Accepts a catalog name or alias, the path of a TOML file (it ends in ``.toml``, or is an existing file), and any of
    these followed by changes in braces. Short keys take data-sheet figures (``dram=4.8TB/s``, ``fp64=40TFLOP/s``), and
    the processor keeps the share of them that it sustains; full names (``bytes_per_s_dram``) take sustained rates.
    """
    if not isinstance(text, str):
        shown = f"{one_line(repr(text), 80)} ({type(text).__name__})"
        raise InputError(f"{shown} is no GPU: give its name or a TOML file as text, e.g. 'H100 SXM5 80GB'")
    match = VARIATION.match(text.strip())
    if match is None:
        if "{" in text or "}" in text:
            raise CatalogEntryError(f"{one_line(text, 120)!r}: write a variation as NAME{{key=value,key=value}}")
        return plain_target(text.strip())
    base = plain_target(match["base"].strip())
    of_parts, changes = split_parts(match["changes"])
    made, name = base.processor, one_line(text, 200)
    for key, value in of_parts:
        made = PARTS[key](made, value, name)
    if changes or not of_parts:
        made = varied(made, parse_changes(changes), name)
    return dataclasses.replace(base, processor=dataclasses.replace(made, name=name))


def split_parts(text: str) -> tuple[list[tuple[str, str]], str]:
    """Changes that cut or cap the whole GPU, in the order given, and the other ones.

    >>> split_parts("mig=3g.40gb, dram=2TB/s")
    ([('mig', '3g.40gb')], ' dram=2TB/s')
    """
    found, others = [], []
    for item in text.split(","):
        key, _, value = (p.strip() for p in item.partition("="))
        if key in PARTS:
            found.append((key, value))
        else:
            others.append(item)
    return found, ",".join(others)


def in_mode(base: Processor, mode: str, name: str) -> Processor:
    """A partition of an AMD GPU: compute mode, and memory mode where given (``cpx``, ``CPX/NPS4``)."""
    compute = re.split(r"[/ +]", mode.strip().lower())[0]
    key = f"{base.key}-{compute}"
    if compute == "spx":
        return base
    if f"-{compute}" not in PARTITIONS or key not in library.index()["entries"]:
        raise CatalogEntryError(f"{base.name} has no partition {one_line(mode, 40)} that the catalog knows")
    return dataclasses.replace(library.processor(key), name=name)


def capped(base: Processor, value: str, name: str) -> Processor:
    """A GPU under a power cap."""
    try:
        watts = parse_quantity(value, "W")
    except UnitError as error:
        raise CatalogEntryError(f"power: {error}") from None
    return cap_power(base, watts, name)


PARTS: dict[str, Callable[[Processor, str, str], Processor]] = {
    "mig": lambda p, value, _: cut_slice(p, library.chip_of(p.key), value),
    "partition": in_mode,
    "power": capped,
}
"""Keys of a variation that are no number of a processor."""


def plain_target(text: str) -> Match:
    """A name, or a TOML file."""
    if not text:
        raise InputError("no GPU given: name one, e.g. 'H100 SXM5 80GB'")
    # A file that happens to be called like a GPU must not hide it: names come first.
    if text.lower().endswith(".toml") or (not candidates(text) and is_file(text)):
        from roofcast.catalog.own import load_own

        return load_own(Path(text))
    if (rented := find_instance(text)) is not None:
        board = find(rented.gpu)
        note = f"{rented.name} has {rented.count} x {board.processor.name}: this is one of them"
        return dataclasses.replace(
            board, notes=(*board.notes, *([note] if rented.count > 1 else [])), count=rented.count
        )
    return find(text)


def is_file(text: str) -> bool:
    """Whether a text is the path of a file; names that no file system takes are not."""
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def split_targets(text: str) -> list[str]:
    """Target texts of a comma-separated list; commas inside braces do not separate.

    >>> split_targets("V100, H100{sm=144,l2=60MB},B200")
    ['V100', 'H100{sm=144,l2=60MB}', 'B200']
    """
    parts, depth, start = [], 0, 0
    for i, char in enumerate(text):
        depth += (char == "{") - (char == "}")
        if char == "," and depth <= 0:
            parts.append(text[start:i])
            start = i + 1
    return [p.strip() for p in (*parts, text[start:]) if p.strip()]


def list_gpus(given: str | Processor | Iterable[str | Processor] | None) -> list[str | Processor]:
    """GPUs one by one: a text may name several, as on the command line."""
    if given is None:
        return []
    parts = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    return [gpu for part in parts for gpu in (split_targets(part) if isinstance(part, str) else [part])]


def parse_changes(text: str) -> dict[str, float]:
    """Changes in braces as canonical name -> value in base units.

    >>> parse_changes("dram=4.8TB/s, sm=144")
    {'dram': 4800000000000.0, 'sm': 144.0}
    """
    found: dict[str, float] = {}
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
            if key in found:
                raise UnitError("given twice")
            found[key] = number
        except UnitError as error:
            problems.append(f"{one_line(key, 40)}: {error}" if key else f"{one_line(item, 40)!r} has no key")
    if problems or not found:
        raise CatalogEntryError(f"bad variation: {'; '.join(problems) or 'no changes in the braces'}")
    return found


def unit_of(key: str) -> str:
    """Base unit of a key of a variation."""
    if key in FIELDS:
        return FIELDS[key][1]
    resource = RATES.get(key) or SUPPLIES.get(key)
    if resource is not None:
        from roofcast.catalog.vocabulary import rate_unit

        return rate_unit(resource)
    if key in NUMERIC:
        if key.startswith("clock_hz"):
            return "Hz"
        if key.startswith("capacity_bytes"):
            return "B"
        if key.startswith("latency_cycles"):
            return "cycles"
        return SUFFIX_UNITS.get(key.rpartition("_")[2], "count")
    raise UnitError(f"no such key; use {', '.join((*FIELDS, *RATES))}, or full names such as bytes_per_s_dram")


def varied(base: Processor, changes: Mapping[str, float | NDArray[np.float64]], name: str) -> Processor:
    """The base with changes, under the name that the user gave it; as many variations as arrays of changes have."""
    plain = {FIELDS[k][0] if k in FIELDS else k: v for k, v in changes.items() if k not in RATES}
    whole = {n: (np.trunc(v) if isinstance(v, np.ndarray) else int(v)) if is_whole(n) else v for n, v in plain.items()}
    made = base.replace(**whole, name=name) if whole else dataclasses.replace(base, key=f"{base.key}*", name=name)
    for key, value in changes.items():
        if key in RATES:
            made = with_peak(made, RATES[key], value)
    return made


def vary(base: Processor, changes: Mapping[str, str | float], name: str = "") -> Processor:
    """The base with changes as the braces of a variation take them: ``{"dram": "4.8TB/s"}``."""
    for key, value in changes.items():
        if key in PARTS:
            base = PARTS[key](base, str(value), name or base.name)
    for key, value in changes.items():
        if not isinstance(value, (str, Real)):
            raise CatalogEntryError(f"{key}={one_line(repr(value), 80)}: give a number, or a text with its unit")
    texts = {k: v if isinstance(v, str) else repr(float(v)) for k, v in changes.items() if k not in PARTS}
    told = ",".join(f"{k}={v}" for k, v in texts.items())
    shown = name or f"{base.name}{{{','.join(f'{k}={v}' for k, v in changes.items())}}}"
    return varied(base, parse_changes(told), shown) if texts else dataclasses.replace(base, name=shown)


@cache
def is_whole(name: str) -> bool:
    """Whether a field of a Processor holds a whole number."""
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
