"""Design spaces: axes of processor parameters around a base GPU, as a grid or a seeded sample of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import field
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog.targets import parse_target
from roofcast.catalog.toml_files import read_toml
from roofcast.core.errors import RoofcastError, UnitError, one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns, columns_of_variations
from roofcast.core.processor import FIELDS as VARIED_FIELDS
from roofcast.core.processor import RATES, Processor, is_whole, parse_changes, unit_of, varied
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity, parse_quantity
from roofcast.sweeps.constraints import Expression

IntArray = NDArray[np.intp]

FP64_SHARE, POWER_CAP = "fp64_share", "power_cap"
"""Axes beside those of variations: FP64 peak over FP32 peak, and a limit of the board's power in W."""

POWER_EXPONENT = 1.0 / 3.0
"""Clock over power at the limit: dynamic power is C V^2 f, and the voltage follows the clock in the upper range."""

LEVELS_MOST, PROCESSORS_MOST = 100_000, 2**53
KEYS = ("base", "axes", "constraints", "cost", "area", "sample", "goal")


@dataclass(frozen=True)
class Axis:
    """One parameter and its levels in base units, ascending."""

    key: str
    levels: FloatArray
    unit: str


@dataclass(frozen=True)
class Space:
    """A design space. Processors are numbered 0 .. size - 1, the last axis fastest."""

    base: Processor
    axes: tuple[Axis, ...]
    constraints: Mapping[str, Expression] = field(default_factory=dict)
    cost: Expression | None = None
    """What a processor costs (any unit); the second goal of Pareto fronts."""
    cost_name: str = "cost"
    sample: int | None = None
    """Number of seeded draws; None for the whole grid."""
    seed: int = 0
    goal: float | None = None
    """Speed-up over the base that is wanted."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Levels per axis."""
        return tuple(len(a.levels) for a in self.axes)

    @property
    def size(self) -> int:
        """Processors of the grid or draws of the sample, before constraints."""
        return math.prod(self.shape) if self.sample is None else self.sample

    def levels_of(self, start: int, stop: int) -> IntArray:
        """(axes, stop - start) level of each axis for consecutive processors."""
        number = np.arange(start, stop)
        if self.sample is None:
            return np.array(np.unravel_index(number, self.shape), dtype=np.intp).reshape(len(self.axes), -1)
        # One counter-based stream per draw block, so that any chunk can be made again after an interruption.
        levels = np.empty((len(self.axes), len(number)), dtype=np.intp)
        for block in range(start // DRAWS, (stop - 1) // DRAWS + 1 if stop > start else 0):
            draw = np.random.default_rng([self.seed, block])
            values = np.stack([draw.integers(0, n, DRAWS) for n in self.shape])
            low, high = max(start, block * DRAWS), min(stop, (block + 1) * DRAWS)
            levels[:, low - start : high - start] = values[:, low - block * DRAWS : high - block * DRAWS]
        return levels

    def values_of(self, levels: IntArray) -> dict[str, FloatArray]:
        """Names of expressions -> values, for levels (axes, m); what is no axis is the base's."""
        values = {k: np.asarray(v, dtype=np.float64) for k, v in base_values(self.base).items()}
        return values | {a.key: a.levels[levels[i]] for i, a in enumerate(self.axes)}

    def feasible(self, levels: IntArray) -> NDArray[np.bool_]:
        """(m,) where all constraints hold."""
        holds = np.ones(levels.shape[1], dtype=np.bool_)
        values = self.values_of(levels) if self.constraints else {}
        for expression in self.constraints.values():
            holds &= np.broadcast_to(np.asarray(expression(values), dtype=np.bool_), holds.shape)
        return holds

    def costs(self, levels: IntArray) -> FloatArray:
        """(m,) cost of each processor; NaN without an expression, and where it comes to no finite number."""
        if self.cost is None:
            return np.full(levels.shape[1], np.nan)
        costs = np.array(np.broadcast_to(self.cost(self.values_of(levels)), levels.shape[1:]), dtype=np.float64)
        costs[~np.isfinite(costs)] = np.nan
        return costs

    def processor(self, levels: IntArray) -> Processor:
        """The processor of one level per axis."""
        return change_processor(self.base, {a.key: float(a.levels[i]) for a, i in zip(self.axes, levels, strict=True)})

    def columns(self, levels: IntArray) -> Columns:
        """The processors of (axes, m) levels as columns: an array per changed value, and none of them made."""
        values = {a.key: a.levels[levels[i]] for i, a in enumerate(self.axes)}
        return columns_of_variations(change_processor(self.base, values), levels.shape[1])

    def processors(self, levels: IntArray) -> list[Processor]:
        """The processors of (axes, m) levels, one by one."""
        return [self.processor(column) for column in levels.T]

    def chunks(self, length: int) -> Iterator[tuple[int, int]]:
        """Consecutive ranges of processors."""
        for start in range(0, self.size, length):
            yield start, min(start + length, self.size)


DRAWS = 4096
"""Draws that share one stream."""


def base_values(p: Processor) -> dict[str, float]:
    """What expressions may name beside the axes: the base's figures, base units."""
    figures = {key: getattr(p, name) for key, (name, _) in VARIED_FIELDS.items()}
    for key, resource in RATES.items():
        supply = p.supply(resource)
        figures[key] = None if supply is None else supply.peak_per_s or supply.per_s
    for resource in p.supplies:
        if resource not in RATES.values():
            figures[resource.supply] = p.rate(resource)
    return {k: float(v) for k, v in figures.items() if v is not None}


def change_processor(base: Processor, values: Mapping[str, float | FloatArray]) -> Processor:
    """The base with one value per axis, or with an array of them."""
    plain = {k: v for k, v in values.items() if k not in (FP64_SHARE, POWER_CAP)}
    cap = values.get(POWER_CAP)
    if cap is not None:
        plain["tdp"] = cap
        if base.tdp_w:
            clock = plain.get("clock", base.clock_hz_boost)
            plain["clock"] = clock * np.minimum(1.0, cap / base.tdp_w) ** POWER_EXPONENT
    changed = varied(base, plain, base.name) if plain else base
    share = values.get(FP64_SHARE)
    if share is None:
        return changed
    fp32 = changed.supply(Resource.FLOPS_FP32)
    if fp32 is None:
        raise RoofcastError(f"{FP64_SHARE}: the FP32 rate of {one_line(base.name, 60)} is unknown")
    return varied(changed, {"fp64": share * (fp32.per_s if fp32.peak_per_s is None else fp32.peak_per_s)}, base.name)


def read_space(path: str | Path) -> Space:
    """Read a space from a TOML file (docs/sweep.md)."""
    return read_toml(path, parse_space)


def parse_space(content: Mapping[str, Any]) -> Space:
    """A space from the content of its file."""
    unknown = [k for k in content if k not in KEYS]
    if unknown:
        raise RoofcastError(f"no such key: {one_line(', '.join(unknown), 120)}; keys are {', '.join(KEYS)}")
    base, axes_in = content.get("base"), content.get("axes")
    if not isinstance(base, str):
        raise RoofcastError('name the GPU to start from: base = "H100 SXM5 80GB"')
    if not isinstance(axes_in, dict) or not axes_in:
        raise RoofcastError("give at least one axis: [axes] sm = { from = 100, to = 160, step = 4 }")
    astray = [k for k in axes_in if k in KEYS]
    if astray:
        raise RoofcastError(f"{astray[0]} is no axis: write it above [axes], as all below that line belongs to it")
    processor = parse_target(base).processor
    axes = tuple(parse_axis(str(k), v) for k, v in axes_in.items())
    refuse_twins([a.key for a in axes])
    names = {*base_values(processor), *(a.key for a in axes)}
    given = content.get("constraints", {})
    if not isinstance(given, dict):
        raise RoofcastError('write constraints as a table: [constraints] area = "4*sm + l2/1e6 <= 700"')
    constraints = {str(k): Expression(v, names, condition=True) for k, v in given.items()}
    cost_name = "cost" if "cost" in content else "area"
    cost = content.get(cost_name)
    space = Space(
        processor, axes, constraints, None if cost is None else Expression(cost, names, condition=False), cost_name,
        *parse_sample(content.get("sample")), parse_goal(content.get("goal")),
    )  # fmt: skip
    if space.size > PROCESSORS_MOST:
        raise RoofcastError(
            f"{write_count(space.size)} processors are too many: give fewer levels, or [sample] count = 100000"
        )
    try_corners(space)
    return space


def write_count(number: int) -> str:
    """A whole number of any size with three digits; Python's own formats end at 1.8e308.

    >>> write_count(123456), write_count(10**400)
    ('1.23e+5', '1.00e+400')
    """
    return f"{Decimal(number):.2e}"


def refuse_twins(keys: list[str]) -> None:
    """Two axes must not set the same quantity: which one holds would be an accident of their order."""
    quantities = {FP64_SHARE: Resource.FLOPS_FP64.supply, POWER_CAP: "tdp_w"}
    seen: dict[str, str] = {}
    for key in keys:
        sets = quantities.get(key) or (VARIED_FIELDS[key][0] if key in VARIED_FIELDS else key)
        sets = RATES[key].supply if key in RATES else sets
        if sets in seen:
            raise RoofcastError(f"axes {one_line(seen[sets], 40)} and {one_line(key, 40)} set the same: drop one")
        seen[sets] = key


def try_corners(space: Space) -> None:
    """Build the two extreme processors, so that a value that no processor can have is told before the sweep."""
    last = np.array(space.shape, dtype=np.intp) - 1
    for levels in (np.zeros_like(last), last):
        space.processor(levels)


def parse_goal(goal: Any) -> float | None:
    """Speed-up over the base: ``goal = 1.5``."""
    if goal is None:
        return None
    if isinstance(goal, bool) or not isinstance(goal, (int, float)) or not 0 < goal < 1e6:
        raise RoofcastError("goal: give the speed-up over the base that is wanted, e.g. goal = 1.5")
    return float(goal)


def parse_sample(given: Any) -> tuple[int | None, int]:
    """Draws and seed: ``sample = { count = 10000, seed = 1 }``."""
    if given is None:
        return None, 0
    table = {"count": given} if isinstance(given, int) else given
    if not isinstance(table, dict) or set(table) - {"count", "seed"}:
        raise RoofcastError("sample: write sample = { count = 10000, seed = 1 }")
    count, seed = table.get("count"), table.get("seed", 0)
    for name, value in (("count", count), ("seed", seed)):
        if isinstance(value, bool) or not isinstance(value, int) or value < (name == "count"):
            raise RoofcastError(f"sample: {name} must be a whole number" + (" above 0" if name == "count" else ""))
    return count, seed


def axis_unit(key: str) -> str:
    """Base unit of an axis; '' for counts and shares."""
    if key == FP64_SHARE:
        return ""
    if key == POWER_CAP:
        return "W"
    unit = unit_of(key)
    return "" if unit == "count" else unit


def parse_axis(key: str, given: Any) -> Axis:
    """Levels of one axis: a list, or from, to and step, count or factor."""
    name = one_line(key, 40)
    try:
        unit = axis_unit(key)
        levels = parse_list(given, unit) if isinstance(given, list) else parse_range(given, unit, whole=is_count(key))
        if isinstance(given, list) and is_count(key) and (levels != np.round(levels)).any():
            raise UnitError("write whole numbers")
        levels = np.unique(np.round(levels) if is_count(key) else levels)
        if not len(levels) or not (np.isfinite(levels).all() and levels[0] > 0):
            raise UnitError("levels must be above 0")
        if key == FP64_SHARE:
            if levels[-1] > 4:
                raise UnitError("the FP64 peak over the FP32 peak is at most 4")
        elif key != POWER_CAP:
            for value in (levels[0], levels[-1]):
                parse_changes(f"{key}={float(value)!r}" if not is_count(key) else f"{key}={int(value)}")
    except (UnitError, RoofcastError) as error:
        raise RoofcastError(f"axis {name}: {error}") from error
    return Axis(key, levels, unit)


def is_count(key: str) -> bool:
    """Whether an axis takes whole numbers only."""
    if key in (FP64_SHARE, POWER_CAP):
        return False
    return is_whole(VARIED_FIELDS[key][0] if key in VARIED_FIELDS else key) and axis_unit(key) == ""


def value_text(key: str, value: float, unit: str) -> str:
    """A parameter's value."""
    if is_count(key):
        return f"{value:.0f}"
    return format_quantity(value, unit) if unit else f"{value:.3g}"


def parse_list(given: list[Any], unit: str) -> FloatArray:
    """A list of quantities."""
    return np.array([parse_quantity(v, unit) for v in given], dtype=np.float64)


def parse_range(given: Any, unit: str, *, whole: bool) -> FloatArray:
    """from, to and one of step, count (even, or even in the logarithm with ``log = true``), factor."""
    keys = {"from", "to", "step", "count", "factor", "log"}
    if not isinstance(given, dict) or set(given) - keys or not {"from", "to"} <= set(given):
        raise UnitError('write a list, or { from = "2 TB/s", to = "6 TB/s", count = 9 } (or step, or factor)')
    low, high = parse_quantity(given["from"], unit), parse_quantity(given["to"], unit)
    if not 0 < low <= high:
        raise UnitError("from must be above 0 and not above to")
    ways = [k for k in ("step", "count", "factor") if k in given]
    if len(ways) != 1:
        raise UnitError("give one of step, count, factor")
    if ways == ["count"]:
        count = given["count"]
        if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= LEVELS_MOST:
            raise UnitError(f"count is a whole number from 1 to {LEVELS_MOST}")
        levels = np.geomspace(low, high, count) if given.get("log") is True else np.linspace(low, high, count)
        return np.asarray(np.round(levels) if whole else levels)
    if ways == ["step"]:
        step = parse_quantity(given["step"], unit)
        if not step > 0 or (high - low) / step >= LEVELS_MOST:
            raise UnitError(f"step must be above 0 and give at most {LEVELS_MOST} levels")
        return np.asarray(low + step * np.arange(math.floor((high - low) / step * (1 + 1e-12)) + 1), np.float64)
    factor = parse_quantity(given["factor"], "")
    if not factor > 1 or math.log(high / low) / math.log(factor) >= LEVELS_MOST:
        raise UnitError(f"factor must be above 1 and give at most {LEVELS_MOST} levels")
    steps = math.floor(math.log(high / low) / math.log(factor) * (1 + 1e-12))
    return np.asarray(low * factor ** np.arange(steps + 1), np.float64)
