"""What the code in a report tells about each launch, here and on other architectures, and as it is kept."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from roofcast.core.records import dataclass


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """One launch in its code for another architecture."""

    ratios: Mapping[str, float] = field(default_factory=dict)
    """FLOPs there over FLOPs here, where they differ."""
    bytes_local_added: float = 0.0
    registers_here: int | None = None
    registers: int | None = None
    """Registers there; None where the code is not the target's."""
    coverage: float | None = None
    """Share of the executed work whose blocks match; None without counts or code."""
    is_applied: bool = False
    told: tuple[str, ...] = ()
    """What differs, in words."""
    toolkit: str = ""
    """What building with the installed compiler alone would change on the source; '' where nothing."""
    unknown: str = ""
    """Why the code there is not known or not used; '' where it is."""


@dataclass(frozen=True, slots=True)
class LaunchFacts:
    """One launch."""

    kernel: str = ""
    """Linker name."""
    shown: str = ""
    """Name as the report prints it."""
    sm: int = 0
    """Architecture of the code that ran; 0 where the report does not hold it."""
    executed: Mapping[str, float] | None = None
    """Amounts by execution counts; None where the report has none, or they do not fit the code."""
    constant_moves: int = 0
    """Constant moves of the half-precision pipe in the code (how often they ran is in ``executed``)."""
    has_described_work: bool = False
    """Whether tensor instructions hold their shape in a descriptor, so that ``executed`` does not count them."""
    elsewhere: Mapping[int, Elsewhere] = field(default_factory=dict)
    """By architecture."""


@dataclass(frozen=True, slots=True)
class Given:
    """A binary for the targets, as the user gave it."""

    data: bytes
    name: str


def encode_facts(facts: Mapping[int, LaunchFacts]) -> bytes:
    """Facts as bytes."""
    return json.dumps({str(k): dataclasses.asdict(v) for k, v in facts.items()}).encode()


def decode_facts(content: bytes | None) -> dict[int, LaunchFacts] | None:
    """Facts from bytes; None where there are none or they are not understood."""
    try:
        return None if content is None else {int(k): restore_facts(v) for k, v in json.loads(content).items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return None


def restore_facts(values: Mapping[str, Any]) -> LaunchFacts:
    """Facts about one launch from JSON values."""
    there = {int(sm): Elsewhere(**{**v, "told": tuple(v["told"])}) for sm, v in values["elsewhere"].items()}
    return LaunchFacts(**{**values, "elsewhere": there})
