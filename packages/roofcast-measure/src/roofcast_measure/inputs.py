"""Random inputs of a program, and how far its results are from the reference."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast_measure.closed_forms import Value, evaluate
from roofcast_measure.programs import Array, Program, Sizes

MOST_RANDOM = 2**24
"""Longer arrays repeat their first elements: the host need not hold what the device holds."""

TYPES: dict[str, Any] = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "c128": np.complex128}
Arrays = dict[str, NDArray[Any]]


def make_inputs(program: Program, sizes: Sizes, seed: int = 20) -> Arrays:
    """Arrays of a program before its first launch; of long ones the start, which the rest repeats.

    sizes : as :meth:`Program.sizes` returns them. seed : the same seed gives the same data.
    """
    rng = np.random.default_rng(seed)
    arrays: Arrays = {}
    for array in program.arrays:
        arrays[array.name] = filled(array, arrays, sizes, rng)
    return arrays


def filled(array: Array, before: Mapping[str, NDArray[Any]], sizes: Sizes, rng: np.random.Generator) -> NDArray[Any]:
    """The content of one array as its header says."""
    count = min(int(evaluate(array.count, sizes)), MOST_RANDOM)
    kind, _, rest = array.fill.partition(" ")
    if kind == "out":
        return np.zeros(count, TYPES[array.type])
    if kind == "transpose":
        other, rows = rest.split()
        return np.ascontiguousarray(before[other].reshape(int(evaluate(rows, sizes)), -1).T).reshape(-1)
    if kind == "below":
        return rng.integers(0, int(evaluate(rest, sizes)), count, dtype=np.int32)
    if array.type == "i32":
        return rng.integers(0, 1000, count, dtype=np.int32)
    low, high = (float(x) for x in rest.split()) if kind == "between" else (0.0, 1.0)
    if array.type == "c128":
        parts = rng.random(2 * count)
        parts *= high - low
        parts += low
        return parts.view(np.complex128)
    values = rng.random(count, dtype=TYPES[array.type])
    values *= high - low
    values += low
    return values


def deviation(found: NDArray[Any], expected: NDArray[Any]) -> float:
    """Largest difference, relative to the largest expected magnitude; infinite where a value is not finite."""
    if not np.isfinite(found).all():
        return float("inf")
    scale = float(np.abs(expected).max(initial=0.0)) or 1.0
    return float(np.abs(np.asarray(found, dtype=expected.dtype) - expected).max(initial=0.0)) / scale


def compare(program: Program, found: Mapping[str, NDArray[Any]], expected: Mapping[str, NDArray[Any]]) -> float:
    """Largest deviation over the results of a program."""
    worst = 0.0
    for name, values in expected.items():
        off = deviation(found[name].reshape(-1), np.asarray(values).reshape(-1))
        if off > program.tolerance:
            raise RoofcastError(
                f"{program.name}: {name} is wrong: off by {off:.2g} of its largest value from the float64 reference "
                f"(tolerance {program.tolerance:.2g}); its times would mean nothing"
            )
        worst = max(worst, off)
    return worst


def integer(sizes: Mapping[str, Value], name: str) -> int:
    """A size as an integer."""
    return int(sizes[name])
