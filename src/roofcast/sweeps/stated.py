"""What users state about a workload, as texts or numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping

from roofcast.core.errors import RoofcastError, UnitError, one_line
from roofcast.core.kernel_table import LARGEST
from roofcast.core.units import parse_quantity


def quantity(option: str, value: str | float | None, unit: str) -> float | None:
    """A positive amount; None where the option was not given."""
    if value is None:
        return None
    try:
        amount = parse_quantity(value, unit)
    except UnitError as error:
        raise RoofcastError(f"{option}: {error}") from error
    if amount < 1 / LARGEST:  # what is smaller stands for nothing, and ratios to it overflow
        raise RoofcastError(f"{option} {one_line(str(value), 40)}: give an amount above 0")
    return amount


def parse_weights(given: str | Mapping[str, float] | None) -> dict[str, float] | None:
    """``name=3,other=10``; a comma in a name needs the short name before its parameters."""
    if given is None:
        return None
    parts = given.split(",") if isinstance(given, str) else [f"{k}={v}" for k, v in given.items()]
    weights_by_name: dict[str, float] = {}
    for part in parts:
        name, equals, value = part.rpartition("=")
        try:
            number = float(value)
        except ValueError:
            number = -1.0
        if not equals or not name.strip() or not 0 <= number < math.inf:
            raise RoofcastError(f"--weights {one_line(part, 60)!r}: write NAME=NUMBER, e.g. saxpy=1000,reduce=50")
        if name.strip() in weights_by_name:
            raise RoofcastError(f"--weights: {one_line(name, 60)!r} is given twice")
        weights_by_name[name.strip()] = number
    return weights_by_name
