"""Conditions of both sides of a forecast: which make sense, which the profile has, and what a reader is told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.errors import RoofcastError, UnitError, one_line
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Columns, Machines
from roofcast.core.resource import Resource
from roofcast.core.results import PRODUCTION, PROFILED, Conditions
from roofcast.core.units import format_quantity, parse_quantity
from roofcast.forecasting.clocks import SourceClocks, from_ncu
from roofcast.kit.quantities import count_of
from roofcast.models.physics.flushed_caches import find_flushed
from roofcast.models.physics.kernel_inputs import bytes_counted, touched_bytes
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import find_operators

if TYPE_CHECKING:
    from collections.abc import Sequence

    from roofcast.core.processor import Processor


LONGEST_LAUNCH_S = 1.0
"""No empty launch takes longer: a number without its unit is meant."""


def make_conditions(
    coverage: float, clock: str | float, cache: str, launch_floor: str | Sequence[str | float] | None,
    named: str | Conditions, load: str = "auto",
) -> Conditions:  # fmt: skip
    """Conditions from what a user wrote; an object of them stands for all."""
    if isinstance(named, Conditions):
        return check_conditions(named)
    conditions = Conditions(coverage, parse_clock(clock), cache, parse_launch_floor(launch_floor), named, load)
    return check_conditions(conditions)


def parse_clock(value: str | float) -> str | float:
    """auto, boost, base, or a frequency in Hz.

    >>> parse_clock("1.4 GHz"), parse_clock("boost")
    (1400000000.0, 'boost')
    """
    if value in ("auto", "boost", "base"):
        return value
    try:
        hertz = parse_quantity(value, "Hz")
    except UnitError as error:
        raise RoofcastError(f"--clock: use auto, boost, base or a frequency: {error}") from error
    if not 1e7 <= hertz <= 1e10:
        raise RoofcastError(f"--clock {value}: {hertz:g} Hz is no SM clock; write e.g. 1.41GHz, boost or base")
    return hertz


def parse_launch_floor(value: str | Sequence[str | float] | None) -> tuple[float, float] | None:
    """Two durations in seconds.

    >>> parse_launch_floor("4us, 6us")
    (4e-06, 6e-06)
    """
    if value is None:
        return None
    try:
        parts = [p.strip() for p in value.split(",") if p.strip()] if isinstance(value, str) else list(value)
    except TypeError:
        parts = []
    if len(parts) != 2:
        raise RoofcastError(f'--launch-floor {value!r}: give two durations, source and target, e.g. "4us,6us"')
    source, target = (parse_quantity(part, "s") for part in parts)
    if source < 0 or target < 0:
        raise RoofcastError(f"--launch-floor {value!r}: durations cannot be negative")
    if max(source, target) > LONGEST_LAUNCH_S:
        raise RoofcastError(f'--launch-floor {value!r}: no empty launch takes so long; give units, e.g. "4us,6us"')
    return source, target


def check_conditions(conditions: Conditions) -> Conditions:
    """The conditions as they are."""
    share: object = conditions.coverage
    if not isinstance(share, (int, float)) or not 0 < share < 1:
        raise RoofcastError(f"coverage {share!r}: give a share between 0 and 1, e.g. 0.9")
    if conditions.named not in (PRODUCTION, PROFILED):
        raise RoofcastError(f"conditions {one_line(str(conditions.named), 40)!r}: use {PRODUCTION} or {PROFILED}")
    if conditions.cache not in ("auto", "cold", "warm"):
        raise RoofcastError(f"cache {conditions.cache!r}: use auto, cold or warm")
    if conditions.load not in ("auto", "burst", "sustained"):
        raise RoofcastError(f"load {one_line(str(conditions.load), 40)!r}: use auto, burst or sustained")
    floor: object = conditions.launch_floor_s
    two = isinstance(floor, (tuple, list)) and len(floor) == 2
    if floor is not None and not (two and all(0 <= float(f) < float("inf") for f in conditions.launch_floor_s or ())):
        raise RoofcastError("launch floor: give two times in seconds, source then target, e.g. (4e-6, 6e-6)")
    return conditions


def set_caches(kernels: KernelTable, cache: str) -> KernelTable:
    """The kernels with the cache state that was asked for where none was recorded: so they count as measured.

    A recorded state stays: the model moves from it to the one asked for.
    """
    if cache == "auto":
        return kernels
    recorded = recorded_caches(kernels)
    state = np.where(recorded == "", cache, recorded).astype(np.object_)
    return replace(kernels, text={**kernels.text, "cache_state": state})


def assume_flushed(kernels: KernelTable) -> KernelTable:
    """The kernels with flushed caches where Nsight Compute counted and its file does not say how: it flushes them."""
    rows = (recorded_caches(kernels) == "") & from_ncu(kernels) & bytes_counted(kernels)
    if not rows.any():
        return kernels
    state = np.where(rows, "cold", kernels.strings("cache_state")).astype(np.object_)
    return replace(kernels, text={**kernels.text, "cache_state": state})


FLUSHED_BY_HABIT = "source caches: flushed (none recorded; the profiler flushes them)"


def asked_caches(kernels: KernelTable, conditions: Conditions) -> NDArray[np.object_]:
    """(n,) the caches that a run finds under the conditions: cold, warm, or '' where nobody says."""
    if conditions.cache != "auto":
        return np.full(len(kernels), conditions.cache, np.object_)
    states = recorded_caches(kernels)
    states[find_flushed(kernels, conditions)] = "warm"
    return states


@quietly()
def infer_caches(kernels: KernelTable, processors: Sequence[Processor], index: NDArray[np.intp]) -> KernelTable:
    """The kernels with warm caches where the source's own rate proves them, and nothing was recorded.

    What touches more bytes per second than DRAM has was served by a cache, so that its runs were repeated on data that
    stayed: a fact of the benchmark, and so of all sizes of the kernel on that GPU in that file. Not of products of
    matrices, whose level holds what their tiles leave in the caches.
    """
    touched, unsaid = touched_bytes(kernels), recorded_caches(kernels) == ""
    if not processors or not unsaid.any() or not (touched > 0).any():
        return kernels
    peak = Machines.of(processors, index).gather(dram_peak)
    proof = (touched / kernels.column("time_s") > DRAM_EXCESS * peak) & unsaid & ~bytes_counted(kernels)
    if not proof.any():
        return kernels
    operators = find_operators(kernels)
    rows = unsaid if operators is None else unsaid & ~operators.of(Operation.GEMM)
    names = [str(n) for n in kernels.strings("kernel")]
    keys = list(zip(names, index.tolist(), kernels.files().tolist(), strict=True))
    warm = {keys[i] for i in np.flatnonzero(proof).tolist()}
    mark = rows & np.array([key in warm for key in keys], dtype=np.bool_)
    state = np.where(mark, "warm", kernels.strings("cache_state")).astype(np.object_)
    return replace(kernels, text={**kernels.text, "cache_state": state})


WARM_BY_RATE = "warm caches: the source moves more bytes per second than its DRAM has (at some size of the kernel)"
DRAM_EXCESS = 1.1
"""Rate over DRAM's peak that timing and the catalog do not explain."""


def dram_peak(p: Columns) -> FloatArray:
    """Bytes per second that DRAM has at most."""
    supply = p.supply(Resource.BYTES_DRAM)
    return np.asarray(np.fmax(supply.peak_per_s, supply.per_s))


def recorded_caches(kernels: KernelTable) -> NDArray[np.object_]:
    """(n,) ``cold``, ``warm``, or '' where the profile does not say."""
    stated = kernels.strings("cache_state").tolist()
    known = {s: state if (state := str(s).strip().lower()) in ("cold", "warm") else "" for s in set(stated)}
    states = np.full(len(stated), next(iter(known.values()), ""), object)
    if len(known) > 1:
        states[:] = [known[s] for s in stated]
    return states


def describe_caches(kernels: KernelTable, conditions: Conditions) -> str:
    """What a reader must know of the caches; '' where the profile says nothing and nothing was asked for.

    kernels : with the states that were recorded, or that their profiler leaves.
    """
    recorded = recorded_caches(kernels)
    unsaid, counted = recorded == "", bytes_counted(kernels)
    if conditions.cache == "auto":
        if conditions.named == PRODUCTION:
            return WARM_IN_PRODUCTION if find_flushed(kernels, conditions).size else ""
        states = set(recorded[~unsaid].tolist())
        if len(states) == 1:
            return f"caches: {states.pop()}, as the profile's"
        return "caches: as each launch was profiled" if states else ""
    cache = conditions.cache
    parts = [f"caches: {cache}, as asked for"]
    if (unsaid & counted).any():
        parts.append("the profile does not say how it found them: counted DRAM bytes are taken as counted so")
    if cache == "cold" and ((recorded == "warm") & counted & ~(touched_bytes(kernels) > 0)).any():
        parts.append("DRAM bytes counted with warm caches stay: give working_set_bytes")
    return "; ".join(parts)


WARM_IN_PRODUCTION = (
    "caches: the profile's were flushed, launches of an application find what those before them left: intervals hold "
    "flushed ones too (--cache warm|cold decides)"
)


CLOCKS = {
    "boost": "boost clocks", "base": "base clocks", PRODUCTION: "clocks that the GPUs take by themselves",
    PROFILED: "clocks of the kind that the profile recorded",
}  # fmt: skip
LOADS = {"burst": "single launches", "sustained": "a load that lasts"}
CACHES = {
    "cold": "cold caches", "warm": "warm caches", PRODUCTION: "caches as the application leaves them",
    PROFILED: "caches as the profiler left them",
}  # fmt: skip


def tell_conditions(c: Conditions, moved: NDArray[np.bool_], measured: str) -> dict[str, Any]:
    """The conditions of both sides, as JSON shows them; ``text`` is what the first lines of every command say.

    moved : (n,) kernels that were measured under others. measured : :func:`describe_measured` of them, or of all.
    """
    clock = format_quantity(c.clock, "Hz") if not isinstance(c.clock, str) else ""
    clock = clock or CLOCKS[c.named if c.clock == "auto" else str(c.clock)]
    caches = CACHES[c.named if c.cache == "auto" else c.cache]
    load = "" if c.load == "auto" else f", {LOADS[c.load]}"
    text = f"conditions of both sides: {c.named} ({clock}, {caches}{load})"
    if moved.any():
        which = "the kernels were" if moved.all() else f"{int(moved.sum())} of {count_of(len(moved), 'kernel')} were"
        text += f"; {which} measured {measured}, so the source is forecast too"
    elif c.named == PROFILED and measured:
        text += f"; measured {measured}"
    return {
        "name": c.named, "clock": c.clock, "cache": c.cache, "load": c.load,
        "launch_floor_s": None if c.launch_floor_s is None else list(c.launch_floor_s), "measured": measured,
        "moved": int(moved.sum()), "text": text,
    }  # fmt: skip


def describe_measured(kernels: KernelTable, clocks: SourceClocks, rows: NDArray[np.bool_]) -> str:
    """At which clocks and with which caches some kernels were measured, as far as the profile says."""
    if not rows.any():
        return ""
    clock = clocks.clock_hz[rows]
    low, high = float(np.nanmin(clock)), float(np.nanmax(clock))
    at_clock = format_quantity(low, "Hz")
    at_clock = at_clock if high - low <= 0.01 * high else f"{at_clock} to {format_quantity(high, 'Hz')}"
    parts = [f"at {at_clock}" + (" (locked)" if clocks.locked[rows].all() else "")]
    states = set(recorded_caches(kernels)[rows].tolist()) - {""}
    if len(states) == 1:
        parts.append({"cold": "flushed caches", "warm": "warm caches"}[states.pop()])
    return " with ".join(parts)
