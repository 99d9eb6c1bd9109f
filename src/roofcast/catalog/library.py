"""The shipped entries: read on demand, trusted (tests check every one), derived when the index is built."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from roofcast.catalog.derive import derive_processor
from roofcast.catalog.estimates import Rules
from roofcast.catalog.packed import split_lines, unpack_one
from roofcast.core.errors import UnknownProcessorError, one_line
from roofcast.core.processor import Processor

ROOT = Path(__file__).parent
INDEX, PACKED = ROOT / "index.json", ROOT / "processors.jsonl"


@cache
def index() -> dict[str, Any]:
    """The generated index: names, what distinguishes variants, architectures and class rules."""
    found: dict[str, Any] = json.loads(INDEX.read_text(encoding="utf-8"))
    return found


@cache
def rules() -> Rules:
    """The class rules."""
    return Rules(index()["rules"])


def names() -> list[str]:
    """Names of all shipped entries, as reports print them."""
    return [entry["name"] for entry in index()["entries"].values()]


def keys() -> list[str]:
    """Keys of all shipped entries."""
    return list(index()["entries"])


@cache
def entry(key: str) -> dict[str, Any]:
    """The raw entry of a key, as its file has it."""
    found = index()["entries"].get(key)
    if found is None:
        raise UnknownProcessorError(f"no catalog entry has the key {one_line(key)!r}: `roofcast gpus` lists all")
    path = ROOT / found["folder"] / f"{key}.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def chip_of(key: str) -> str:
    """The die of an entry or of a variation of one; empty where no entry has the key."""
    plain = key.rstrip("*")
    return str(entry(plain).get("chip", "")) if plain in index()["entries"] else ""


def architecture(key: str) -> dict[str, Any]:
    """The architecture entry of a key; empty for one that has none (CPUs)."""
    found: dict[str, Any] = index()["architectures"].get(key, {})
    return found


@cache
def processor(key: str) -> Processor:
    """The processor of a key."""
    shared, lines = packed()
    line = lines.get(key)
    return derive(key) if line is None else unpack_one(line, shared)


@cache
def packed() -> tuple[list[list[Any]], Mapping[str, str]]:
    """The generated file of derived processors: what they share, and key -> line; empty in a catalog without it."""
    return split_lines(PACKED.read_text(encoding="utf-8")) if PACKED.is_file() else ([], {})


def derive(key: str) -> Processor:
    """The processor of a key, from its file."""
    raw = entry(key)
    if index()["entries"][key]["folder"] == "cpus":
        from roofcast.catalog.cpus import derive_cpu

        return derive_cpu(raw)
    return derive_processor(raw, architecture(raw["architecture"]), rules())
