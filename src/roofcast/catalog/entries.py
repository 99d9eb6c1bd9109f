"""The shipped entries as their files have them: TOML, with what roofcast measured on such a card beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from roofcast.catalog.theory import per_second
from roofcast.catalog.toml_files import parse_toml, read_whole
from roofcast.catalog.vocabulary import measured_unit
from roofcast.core.errors import InputError, one_line

ROOT = Path(__file__).parent
MEASUREMENTS = ROOT / "measurements"
"""A file of ``roofcast measure ceilings`` per card, with command, driver, clocks and date."""


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file that describes a GPU: a shipped one or a user's.

    Raises
    ------
    InputError : it cannot be read, or is no TOML.
    """
    try:
        return parse_toml(read_whole(path).decode("utf-8-sig"))
    except OSError as error:
        raise InputError(f"cannot read {one_line(str(path), 120)}: {error.strerror or 'no such file'}") from None
    except ValueError as error:
        raise InputError(f"{one_line(path.name, 80)} is not TOML: {one_line(str(error), 160)}") from None
    except RecursionError:
        raise InputError(f"{one_line(path.name, 80)} is not the description of a GPU: nested too deep") from None


def load(path: Path) -> dict[str, Any]:
    """A shipped TOML file, which is sound."""
    return parse_toml(path.read_text(encoding="utf-8"))


def with_own_measurements(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry with the values of its file in ``measurements`` beside its own.

    Of several values of one quantity the first counts, and the others are named beside it. That is ours, but of rates
    the higher one: what another tool exceeded on such a card is no ceiling. A burst stands behind its sustained rate.
    """
    path = MEASUREMENTS / f"{entry['key']}.toml"
    if not path.is_file():
        return entry
    file = load(path)
    known: dict[str, float] = {}
    for item in entry.get("measured", ()):
        known.setdefault(item["quantity"], rate_of(item, entry))
    rows = [{"date": file["date"], **item, "source": f"{item['source']}, driver {file['driver']}"}
            for item in file["measured"]]  # fmt: skip
    held = {item["quantity"] for item in rows if item.get("load") == "sustained"}
    first = [
        item for item in rows
        if not (item.get("load") == "burst" and item["quantity"] in held)
        and not rate_of(item, entry) < known.get(item["quantity"], 0.0)
    ]  # fmt: skip
    return {**entry, "measured": [*first, *entry.get("measured", ()), *(m for m in rows if m not in first)]}


def rate_of(item: Mapping[str, Any], entry: Mapping[str, Any]) -> float:
    """A measured rate, per second; NaN of what is none: latencies and launches, of which more is no better."""
    unit = measured_unit(item["quantity"]) or ""
    return per_second(item["value"], unit, dict(entry)) if unit.endswith("/s") else float("nan")
