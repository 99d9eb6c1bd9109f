"""The shipped entries: read on demand, trusted (tests check every one), derived when the index is built."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from roofcast.catalog.entries import ROOT, load, with_own_measurements
from roofcast.catalog.generated import read_generated
from roofcast.catalog.packed import Packed, pack
from roofcast.core.errors import UnknownProcessorError, one_line
from roofcast.core.processor import Processor

if TYPE_CHECKING:
    from roofcast.catalog.estimates import Rules

INDEX, PACKED = "index.tsv", "processors.bin"
"""What runs read: names and rules of all entries; all processors, derived (:mod:`roofcast.catalog.generated`)."""


class Part(Mapping[str, Any]):
    """A part of the index, key -> value: a run asks for few of some thousand, and reads those alone."""

    def __init__(self, text: str) -> None:
        """A line for each key: the key, a tab, its value as JSON."""
        self.text = text
        self.read: dict[str, Any] = {}

    @cached_property
    def lines(self) -> dict[str, str]:
        """Key -> value as JSON."""
        pairs = (line.partition("\t") for line in self.text.split("\n"))
        return {key: value for key, _, value in pairs if value}

    def __getitem__(self, key: str) -> Any:
        if key not in self.read:
            self.read[key] = json.loads(self.lines[key])
        return self.read[key]

    def __contains__(self, key: object) -> bool:
        return key in self.lines

    def __iter__(self) -> Iterator[str]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)


@cache
def index() -> dict[str, Part]:
    """The generated index: names, what distinguishes variants, architectures, class rules and nodes."""
    parts = (text.partition("\n") for text in read_generated(INDEX, render_index).decode().split("\n\n"))
    return {name: Part(text) for name, _, text in parts}


def render_index() -> bytes:
    """The index of the entries as they are now."""
    from roofcast.catalog.indexing import build_index, render_index

    return render_index(build_index()).encode()


@cache
def rules() -> Rules:
    """The class rules."""
    from roofcast.catalog.estimates import Rules

    return Rules(index()["rules"])


def names() -> list[str]:
    """Names of all shipped entries, as reports print them."""
    return [entry["name"] for entry in index()["entries"].values()]


def keys() -> list[str]:
    """Keys of all shipped entries."""
    return list(index()["entries"])


@cache
def entry(key: str) -> dict[str, Any]:
    """The raw entry of a key: what its file has, with what roofcast measured on such a card."""
    record = index()["entries"].get(key) or refuse_key(key)
    return with_own_measurements(load(ROOT / record["folder"] / f"{key}.toml"))


def chip_of(key: str) -> str:
    """The die of an entry or of a variation of one; empty where no entry has the key."""
    plain = key.rstrip("*")
    return str(entry(plain).get("chip", "")) if plain in index()["entries"] else ""


def architecture(key: str) -> dict[str, Any]:
    """The architecture entry of a key; empty for one that has none (CPUs)."""
    record: dict[str, Any] = index()["architectures"].get(key, {})
    return record


def refuse_key(key: str) -> NoReturn:
    """Say that no entry has a key."""
    raise UnknownProcessorError(f"no catalog entry has the key {one_line(key)!r}: `roofcast gpus` lists all")


@cache
def processor(key: str) -> Processor:
    """The processor of a key, derived before."""
    return packed()[key] if key in packed() else refuse_key(key)


@cache
def packed() -> Packed:
    """The generated file of derived processors."""
    return Packed(read_generated(PACKED, pack_catalog))


def pack_catalog() -> bytes:
    """All processors of the index, derived from their files."""
    return pack(map(derive, keys()))


def derive(key: str) -> Processor:
    """The processor of a key, from its file."""
    raw = entry(key)
    if index()["entries"][key]["folder"] == "cpus":
        from roofcast.catalog.cpus import derive_cpu

        return derive_cpu(raw)
    from roofcast.catalog.derive import derive_processor

    return derive_processor(raw, architecture(raw["architecture"]), rules())
