"""Target texts: a name, a TOML file, or a variation such as ``H100 SXM5 80GB{dram=4.8TB/s,l2=60MB,sm=144}``."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from roofcast.catalog import library
from roofcast.catalog.finding import PARTITIONS, Match, candidates, find
from roofcast.catalog.instances import find_instance
from roofcast.catalog.partitions import cap_power, cut_slice
from roofcast.core.errors import CatalogEntryError, InputError, UnitError, one_line
from roofcast.core.processor import Processor, parse_changes, varied, vary_numbers
from roofcast.core.units import parse_quantity

VARIATION = re.compile(r"^(?P<base>[^{}]*)\{(?P<changes>[^{}]*)\}\s*$")


def parse_target(text: str) -> Match:
    """The processor that a target text stands for.

    Accepts a catalog name or alias, the path of a TOML file (it ends in ``.toml``, or is an existing file), and any of
    these followed by changes in braces. Short keys take data-sheet figures (``dram=4.8TB/s``, ``fp64=40TFLOP/s``), and
    the processor keeps the share of them that it sustains; full names (``bytes_per_s_dram``) take sustained rates.
    """
    if not isinstance(text, str):
        given = f"{one_line(repr(text), 80)} ({type(text).__name__})"
        raise InputError(f"{given} is no GPU: give its name or a TOML file as text, e.g. 'H100 SXM5 80GB'")
    match = VARIATION.match(text.strip())
    if match is None:
        if "{" in text or "}" in text:
            raise CatalogEntryError(f"{one_line(text, 120)!r}: write a variation as NAME{{key=value,key=value}}")
        return plain_target(text.strip())
    base = plain_target(match["base"].strip())
    of_parts, changes = split_parts(match["changes"])
    processor, name = base.processor, one_line(text, 200)
    for key, value in of_parts:
        processor = PARTS[key](processor, value, name)
    if changes or not of_parts:
        processor = varied(processor, parse_changes(changes), name)
    return dataclasses.replace(base, processor=dataclasses.replace(processor, name=name))


def split_parts(text: str) -> tuple[list[tuple[str, str]], str]:
    """Changes that cut or cap the whole GPU, in the order given, and the other ones.

    >>> split_parts("mig=3g.40gb, dram=2TB/s")
    ([('mig', '3g.40gb')], ' dram=2TB/s')
    """
    cuts, others = [], []
    for item in text.split(","):
        key, _, value = (p.strip() for p in item.partition("="))
        if key in PARTS:
            cuts.append((key, value))
        else:
            others.append(item)
    return cuts, ",".join(others)


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
    """Return whether a text is the path of a file; names that no file system takes are not."""
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


def vary(base: Processor, changes: Mapping[str, str | float], name: str = "") -> Processor:
    """The base with changes as the braces of a variation take them: ``{"dram": "4.8TB/s"}``."""
    for key, value in changes.items():
        if key in PARTS:
            base = PARTS[key](base, str(value), name or base.name)
    title = name or f"{base.name}{{{','.join(f'{k}={v}' for k, v in changes.items())}}}"
    others = {k: v for k, v in changes.items() if k not in PARTS}
    return vary_numbers(base, others, title) if others else dataclasses.replace(base, name=title)
