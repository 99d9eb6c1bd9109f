"""What a visitor may ask for: GPUs of the catalog and variations of them, never a path of this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from roofcast.catalog.finding import Match, candidates, find
from roofcast.catalog.targets import VARIATION
from roofcast.core.errors import InputError, one_line
from roofcast.core.processor import FIELDS, RATES, Processor, parse_changes, varied
from roofcast.core.records import dataclass
from roofcast.core.results import PRODUCTION, Conditions
from roofcast.forecasting.conditions import make_conditions
from roofcast.models.registry import MODELS
from roofcast.web.guard import Limits

TEXT_LIMIT = 300
"""Characters of a field that a visitor fills in."""
LIST_LIMIT = 8000
"""Characters of a list of GPUs or prices."""
KNOBS: tuple[tuple[str, str, str], ...] = (
    ("dram", "DRAM bandwidth", "B/s"),
    ("l2", "L2 capacity", "B"),
    ("sm", "SMs", ""),
    ("clock", "SM clock", "Hz"),
    ("fp64", "FP64 rate", "FLOP/s"),
    ("fp32", "FP32 rate", "FLOP/s"),
    ("tensor_fp16", "tensor FP16 rate", "FLOP/s"),
)
"""Key of a variation, name, unit: what the sliders change."""


@dataclass(frozen=True, slots=True)
class Request:
    """One forecast that the page asks for."""

    profiles: tuple[str, ...]
    names: tuple[str, ...]
    """The targets as they were asked for."""
    targets: tuple[Processor, ...]
    notes: tuple[str, ...]
    source: str | None
    model: str | None
    conditions: Conditions
    pattern: str | None


def target_of(text: str) -> Match:
    """A GPU of the catalog, or a variation of one."""
    match = VARIATION.match(text.strip())
    if match is None:
        return find(text.strip())
    base = find(match["base"].strip())
    return Match(varied(base.processor, parse_changes(match["changes"]), one_line(text, 200)), base.notes)


def source_of(text: str) -> str | None:
    """A source GPU's name that only the catalog will be asked for; None where none was given."""
    name = text.strip()
    if not name:
        return None
    if "{" in name or name.lower().endswith(".toml") or not candidates(name):
        find(name)
    return name


def read_request(data: Any, limits: Limits, *, targets: bool = True, files: bool = True) -> Request:
    """The request in a JSON body. targets, files : whether it must name GPUs to forecast for, and profiles."""
    if not isinstance(data, Mapping):
        raise InputError("the request is no JSON object")
    profiles, names = texts(data, "profiles"), texts(data, "targets")
    if not profiles and files:
        raise InputError("drop a profile first")
    if targets and not names:
        raise InputError("choose a GPU to forecast for")
    if len(names) > limits.targets:
        raise InputError(f"at most {limits.targets} GPUs at once")
    matches = [target_of(n) for n in dict.fromkeys(names)]
    model = text(data, "model")
    if model and model not in MODELS:
        raise InputError(f"no model {one_line(model, 40)!r}; models: {', '.join(MODELS)}")
    return Request(
        tuple(profiles),
        tuple(dict.fromkeys(names)),
        tuple(m.processor for m in matches),
        tuple(n for m in matches for n in m.notes),
        source_of(text(data, "source")),
        model or None,
        make_conditions(
            number(data, "coverage", 0.9),
            text(data, "clock") or "auto",
            text(data, "cache") or "auto",
            text(data, "launch_floor").strip() or None,
            text(data, "conditions") or PRODUCTION,
            text(data, "load") or "auto",
        ),
        text(data, "kernel") or None,
    )


def text(data: Mapping[str, Any], name: str, most: int = TEXT_LIMIT) -> str:
    """A text of so many characters; '' where absent."""
    value = data.get(name, "")
    if value is None:
        return ""
    if not isinstance(value, str) or len(value) > most:
        raise InputError(f"{name} is no text of up to {most} characters")
    return value


def texts(data: Mapping[str, Any], name: str) -> list[str]:
    """A list of short texts."""
    value = data.get(name, [])
    if (
        not isinstance(value, list)
        or len(value) > 100
        or not all(isinstance(v, str) and len(v) <= TEXT_LIMIT for v in value)
    ):
        raise InputError(f"{name} is no list of short texts")
    return value


def flag(data: Mapping[str, Any], name: str) -> bool:
    """Whether a box is checked."""
    return data.get(name) is True


def amount(data: Mapping[str, Any], name: str, unit: str) -> float | None:
    """A positive amount in SI units; None where none was given."""
    from roofcast.core.units import parse_quantity

    given = data.get(name)
    if given is None or given == "":
        return None
    value = parse_quantity(given, unit) if isinstance(given, str) else number(data, name, 0.0)
    if not 0 < value < 1e18:
        raise InputError(f"{name}: give an amount above 0")
    return value


def number(data: Mapping[str, Any], name: str, default: float) -> float:
    """A number; the default where absent."""
    value = data.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError(f"{name} is no number")
    return float(value)


def knobs_of(processor: Processor) -> list[dict[str, Any]]:
    """What the sliders of a GPU start from: data-sheet figures, as variations take them; unknown ones are left out."""
    knobs = []
    for key, label, unit in KNOBS:
        if key in RATES:
            supply = processor.supplies.get(RATES[key])
            value = (supply.peak_per_s or supply.per_s) if supply else None
        else:
            value = getattr(processor, FIELDS[key][0])
        if value:
            knobs.append({"key": key, "label": label, "unit": unit, "value": float(value)})
    return knobs
