"""Amounts on the command line of `choose` and `sweep`: limits, weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from roofcast.core.errors import RoofcastError, UnitError, one_line

if TYPE_CHECKING:
    from roofcast.analyses.sweeps.choosing import Limits


def quantity(option: str, text: str | None, unit: str) -> float | None:
    """A positive amount; None where the option was not given."""
    from roofcast.core.units import parse_quantity

    if text is None:
        return None
    try:
        value = parse_quantity(text, unit)
    except UnitError as error:
        raise RoofcastError(f"{option}: {error}") from error
    if value <= 0:
        raise RoofcastError(f"{option} {one_line(text, 40)}: give an amount above 0")
    return value


def limits_of(
    budget: str | None, power: str | None, rack: str | None, deadline: str | None, memory: str | None
) -> Limits:
    """Limits from their options."""
    from roofcast.analyses.sweeps.choosing import Limits

    return Limits(
        quantity("--budget", budget, "USD"), quantity("--power", power, "W"), quantity("--rack", rack, ""),
        quantity("--deadline", deadline, "s"), quantity("--memory", memory, "B"),
    )  # fmt: skip


def parse_weights(text: str | None) -> dict[str, float] | None:
    """``name=3,other=10``; a comma in a name needs the short name before its parameters."""
    if text is None:
        return None
    found: dict[str, float] = {}
    for part in text.split(","):
        name, equals, value = part.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not equals or not name.strip() or not 0 <= number < float("inf"):
            raise RoofcastError(f"--weights {one_line(part, 60)!r}: write NAME=NUMBER, e.g. saxpy=1000,reduce=50")
        if name.strip() in found:
            raise RoofcastError(f"--weights: {one_line(name, 60)!r} is given twice")
        found[name.strip()] = number
    return found
