"""Contracts 6 and 7: exact on the source, monotone, never surer of what does not exist, never below peaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from contracts.doors import MODELS, SAMPLES, Breach, command_of, forecast, known, named, origin, read
from roofcast.core.columns import Origin

QUICK = (
    *("bert-small", "healthy", "a40..schnett-IndexSpaces-jl", "gtx-1660-ti", "cc-8-6", "saxpy", "gtx-750"),
    *("mi200..vcopy-MI200-pmc", "data/hecbench"),
)
EVERY = named("", QUICK)
COUNTED = named("ncu_rep|ncu_csv|rocprof.*|nvprof|data", QUICK)
SLOW_MODELS = [m if m in ("hybrid", "mechanistic") else pytest.param(m, marks=pytest.mark.slow) for m in MODELS]
BASES = ("H100 SXM5 80GB", "B200", "Instinct MI300X", "L40S")
STEPS = (0.7, 0.75, 0.8, 0.84, 0.88, 0.91, 0.94, 0.96, 0.98, 0.99, 1.0, 1.01, 1.02, 1.04, 1.06, 1.09, 1.12, 1.16, 1.2,
         1.3, 1.5)  # fmt: skip
HAIR = 1e-9
"""Rounding: a time may be longer by this share."""


def gpu_of(path: Path) -> str:
    """The source as the file, or the user, names it."""
    gpu = next((str(g) for g in read(path).strings("gpu") if g), None) or (origin(path) or ("", None))[1]
    if gpu is None:
        pytest.skip("the file does not name its GPU")
    return str(gpu)


def per_knob(gpu: str, knob: str) -> tuple[float, str]:
    """What the catalog says of a GPU, and its unit."""
    p = roofcast.gpu(gpu)
    if knob == "dram":
        supply = next(s for r, s in p.supplies.items() if r == "bytes_dram")
        return float(supply.peak_per_s or supply.per_s), "B/s"
    if knob == "sm":
        return float(p.sm_count or 0), ""
    if knob == "clock":
        return float(p.clock_hz_boost), "Hz"
    return float(p.capacity_bytes_l2 or 0), "B"


def varied(gpu: str, knob: str, factor: float) -> str:
    """A variation by a factor."""
    value, unit = per_knob(gpu, knob)
    value *= factor
    return f"{gpu}{{{knob}={round(value) if knob in ('sm', 'l2') else value!r}{unit}}}"


# Of the others test_conditions holds it: the own GPU is the source, and profiled sources are the measured times.
@pytest.mark.parametrize("model", SLOW_MODELS)
@pytest.mark.parametrize("path", [p for p in EVERY if not p.marks])
def test_the_source_is_forecast_exactly(path: Path, model: str, hold: Callable[..., None]) -> None:
    gpu = gpu_of(path)
    result = forecast(path, (gpu,), model, conditions="profiled")
    command = command_of("forecast", path, "--to", gpu, *origin(path), *known(model), "--conditions", "profiled")
    found = []
    measured, e = result.kernels.column("time_s"), result.estimate
    for i, name in enumerate(result.kernels.strings("kernel")):
        if not (measured[i] > 0) or np.isnan(e.time_s[i, 0]):
            continue
        if result.sources[i] is None or result.sources[i].name != result.targets[0].name:
            continue
        for end in ("time_s", "time_low_s", "time_high_s"):
            value = float(getattr(e, end)[i, 0])
            wrong = (
                value != measured[i]
                if end == "time_s"
                else (value > measured[i] if "low" in end else value < measured[i])
            )
            if wrong and not np.isnan(value):
                found.append(Breach(str(name), end, float(measured[i]), value, "the file", command))
    hold(found, 3 * len(measured))


@pytest.mark.parametrize("model", SLOW_MODELS)
@pytest.mark.parametrize("knob", ["clock", "dram", "sm", "l2"])
@pytest.mark.parametrize("path", EVERY)
def test_more_supply_is_never_slower(path: Path, knob: str, model: str, hold: Callable[..., None]) -> None:
    gpu_of(path)
    found, looked = [], 0
    for base in BASES[:2]:
        targets = tuple(dict.fromkeys(varied(base, knob, f) for f in STEPS))
        result = forecast(path, targets, model)
        time, names = result.estimate.time_s, result.kernels.strings("kernel")
        slower = time[:, 1:] > time[:, :-1] * (1 + HAIR)
        looked += slower.size
        for i, j in np.argwhere(slower).tolist():
            commands = tuple(command_of("forecast", path, "--to", t, *known(model)) for t in targets[j : j + 2])
            found.append(
                Breach(str(names[i]), f"time_s, launch {i}", float(time[i, j]), float(time[i, j + 1]), *commands)
            )
    hold(found, looked)


@pytest.mark.parametrize("model", SLOW_MODELS)
@pytest.mark.parametrize("path", EVERY)
def test_what_does_not_exist_is_never_surer(path: Path, model: str, hold: Callable[..., None]) -> None:
    gpu_of(path)
    found, looked = [], 0
    for base in BASES:
        targets = (base, *(varied(base, k, f) for k in ("dram", "clock", "sm", "l2") for f in (0.8, 1.1, 1.3)))
        result = forecast(path, targets, model)
        width = result.estimate.time_high_s / result.estimate.time_low_s
        for i, name in enumerate(result.kernels.strings("kernel")):
            for j, target in enumerate(targets[1:], 1):
                looked += 1
                if width[i, j] < width[i, 0] * (1 - HAIR):
                    commands = tuple(command_of("forecast", path, "--to", t, *known(model)) for t in (base, target))
                    found.append(Breach(str(name), "high / low", float(width[i, 0]), float(width[i, j]), *commands))
    hold(found, looked)


@pytest.mark.parametrize("path", EVERY)
def test_energy_lies_between_idle_and_board(path: Path, hold: Callable[..., None]) -> None:
    gpu_of(path)
    targets = (*BASES, "GeForce RTX 4090", "Tesla T4", "GeForce GT 1010{tdp=30W}")
    result = forecast(path, targets)
    found, e, joules = [], result.estimate, result.energy
    board = np.array([t.tdp_w or np.nan for t in result.targets])
    names = result.kernels.strings("kernel")
    known = np.isfinite(e.time_s) & np.isfinite(board)
    assert np.array_equal(np.isfinite(joules.energy_j), known)
    floor, roof = 0.15 * board * e.time_low_s, board * e.time_high_s
    wrong = {
        "energy_j": (joules.energy_j < joules.low_j) | (joules.energy_j > joules.high_j),
        "energy_low_j": joules.low_j < floor * (1 - HAIR),
        "energy_high_j": joules.high_j > roof * (1 + HAIR),
    }
    for key, cells in wrong.items():
        for i, j in np.argwhere(known & cells).tolist():
            command = command_of("forecast", path, "--to", targets[j], *origin(path))
            found.append(Breach(str(names[i]), key, float(floor[i, j]), float(roof[i, j]), "idle and board", command))
    hold(found, 3 * int(known.sum()))


PIPES = ("flops_fp64", "flops_fp32")
"""Counts that no other pipe of a GPU serves; those of FP16 and tensor pipes may move between pipes."""
PROFILED = ("hecbench_ncu", "nca_nvprof", "dvfs_hkbu", "kernel_tuner")
"""Data sets whose amounts a profiler counted."""


def last_cache(p: Any) -> float:
    """Bytes of the cache before DRAM."""
    return float(max(p.capacity_bytes_l2 or 0, p.capacity_bytes_llc or 0))


def least_seconds(result: Any, j: int) -> Iterator[tuple[int, str, float]]:
    """(row, what serves it, seconds) that a target's peaks need for what was counted on the source.

    A target with a larger last cache, or a warm one that was flushed for the profile, may serve from it what the source
    fetched from DRAM: there the cache's rate binds.
    """
    kernels, target = result.kernels, result.targets[j]
    supplies = {str(r): s for r, s in target.supplies.items()}
    states = kernels.strings("cache_state")
    for name in (*PIPES, "bytes_dram"):
        amount = kernels.column(name)
        counted = np.isin(kernels.origin_of(name), (Origin.COUNTED, Origin.DERIVED))
        for i in np.flatnonzero(counted & (amount > 0)).tolist():
            source = result.sources[i]
            if source is None:
                continue
            warm = states[i] == "cold" and amount[i] < 1.2 * last_cache(target)
            kept = name == "bytes_dram" and (warm or last_cache(target) > last_cache(source))
            level = "bytes_l2" if kept else name
            supply = supplies.get(level)
            if supply is not None:
                yield i, level, float(amount[i] / max(supply.peak_per_s or 0.0, supply.per_s))


@pytest.mark.parametrize("model", SLOW_MODELS)
@pytest.mark.parametrize("path", COUNTED)
def test_nothing_lies_below_the_peaks(path: Path, model: str, hold: Callable[..., None]) -> None:
    gpu_of(path)
    if path.parent == SAMPLES and path.stem not in PROFILED:
        pytest.skip("its amounts follow from shapes or source text: what the source itself beats sets no bound")
    targets = (*BASES, "GeForce RTX 4090", "Tesla T4")
    result = forecast(path, targets, model)
    found, looked = [], 0
    names, e = result.kernels.strings("kernel"), result.estimate
    for j, target in enumerate(targets):
        command = command_of("forecast", path, "--to", target, *origin(path), *known(model))
        for i, resource, least in least_seconds(result, j):
            for end in ("time_s", "time_low_s"):
                looked += 1
                value = float(getattr(e, end)[i, j])
                if value < least * (1 - HAIR):
                    peak = f"{resource} at the peak of {target}"
                    found.append(Breach(str(names[i]), f"{end} below {peak}", value, least, command, peak))
    hold(found, looked)
