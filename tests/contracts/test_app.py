"""Contract 1: `forecast` and `app` give the same time per launch for the same kernel of a trace."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from contracts.doors import (
    MODELS,
    TARGETS,
    Breach,
    RefusedError,
    command_of,
    forecast,
    known,
    named,
    origin,
    read,
    run_json,
)
from roofcast.ingest.traces import windows

TRACES = "kineto|nsys_sqlite|nvprof|rocprof_compute"
QUICK = ("bert-small", "timesformer", "healthy", "event-sync", "b200..")
OTHER_WORK = ("copy ", "memory set", "page migration", "graph")
"""Classes of `app` that are no kernels."""
ROUNDING = 1e-9
JOULES = ("energy_j", "energy_low_j", "energy_high_j")
SAME_TOTAL = 1e-3
"""Share by which the total of `forecast` may differ from the kernel time of `app`."""


def app_of(path: Path, target: str, model: str) -> Any:
    """The JSON of `roofcast app`."""
    try:
        return run_json("app", path, "--to", target, *origin(path), *known(model))
    except RefusedError as error:
        pytest.skip(str(error))


def per_name(rows: list[tuple[str, float, float]]) -> dict[str, float]:
    """Seconds on the target over seconds on the source, over all launches of each kernel's name."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for name, source, target in rows:
        sums[name][0] += source
        sums[name][1] += target
    return {name: there / here for name, (here, there) in sums.items() if here > 0}


def of_all_launches(result: Any) -> list[tuple[float, float, float]]:
    """(seconds of all launches, low, high) on the target of each row of a forecast."""
    total, one = result.kernels.column("time_total_s"), result.kernels.column("time_s")
    total = np.where(np.isfinite(total), total, one)
    e = result.estimate
    return [
        tuple(float(total[i] * v[i, 0] / one[i]) for v in (e.time_s, e.time_low_s, e.time_high_s))  # type: ignore[misc]
        for i in range(len(one))
    ]


def different_times(path: Path, target: str, model: str) -> Iterator[Breach]:
    commands = (
        command_of("forecast", path, "--to", target, *origin(path), *known(model)),
        command_of("app", path, "--to", target, *origin(path), *known(model)),
    )
    result = forecast(path, (target,), model)
    names = [str(n) for n in result.kernels.strings("kernel")]
    here = result.kernels.column("time_total_s")
    here = np.where(np.isfinite(here), here, result.kernels.column("time_s"))
    left = per_name([(n, float(s), t[0]) for n, s, t in zip(names, here, of_all_launches(result), strict=True)])
    app = app_of(path, target, model)
    # Where there is no forecast, both say so: no interval in `app`, whose run goes on with what was recorded.
    none = float("nan")
    right = per_name(
        [(k["kernel"], k["source_time_s"], none if k["time_low_s"] is None else k["time_s"]) for k in app["kernels"]]
    )
    for name in {**left, **right}:
        a, b = left.get(name, np.nan), right.get(name, np.nan)
        if not (abs(a - b) <= ROUNDING * abs(a) or (np.isnan(a) and np.isnan(b))):
            yield Breach(name, "seconds on the target per second on the source", a, b, *commands)


@pytest.mark.parametrize("path", named(TRACES, QUICK))
@pytest.mark.parametrize("model", [m if m == "hybrid" else pytest.param(m, marks=pytest.mark.slow) for m in MODELS])
def test_app_and_forecast_give_the_same_time(path: Path, model: str, hold: Callable[..., None]) -> None:
    target = TARGETS[1]
    hold(different_times(path, target, model), len(read(path)))


@pytest.mark.parametrize("path", named(TRACES, QUICK))
def test_app_and_forecast_give_the_same_time_on_the_source(path: Path, hold: Callable[..., None]) -> None:
    gpu = next((str(g) for g in read(path).strings("gpu") if g), None) or (origin(path) or ("", None))[1]
    if gpu is None:
        pytest.skip("the file does not name its GPU")
    hold(different_times(path, gpu, "hybrid"), len(read(path)))


@pytest.mark.parametrize("window", ["whole", "windows"])
@pytest.mark.parametrize("path", named(TRACES, QUICK))
def test_the_total_of_forecast_is_the_kernel_time_of_app(
    path: Path, window: str, hold: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    target = TARGETS[1]
    forecasts = run_json("forecast", path, "--to", target, *origin(path))
    (total,) = forecasts["totals"]
    if window == "windows":
        monkeypatch.setattr(windows, "WINDOW_ROWS", max(sum(r["launches"] for r in forecasts["forecasts"]) // 3, 50))
    app = app_of(path, target, "hybrid")
    kinds = [c for c in app["classes"] if not c["name"].startswith(OTHER_WORK)]
    pairs = {
        "time_source_s": sum(c["source_time_s"] for c in kinds), "time_s": sum(c["time_s"] for c in kinds),
        "launches": sum(c["launches"] for c in kinds),
    }  # fmt: skip
    commands = [command_of(door, path, "--to", target, *origin(path)) for door in ("forecast", "app")]
    found = [
        Breach("all kernels", what, total[what], there, *commands)
        for what, there in pairs.items()
        if total["kernels_left_out"] == 0 and not abs(total[what] - there) <= SAME_TOTAL * there
    ]
    found += [
        Breach("all kernels of app", what, total[what], app["kernels_total"][what], *commands)
        for what in ("time_source_s", "time_s", "time_low_s", "time_high_s", "launches", *JOULES)
        if not abs((total[what] or 0) - (app["kernels_total"][what] or 0)) <= ROUNDING * (total[what] or 0)
    ]
    rows = forecasts["forecasts"]
    added = sum(r["time_total_s"] or 0.0 for r in rows)
    if total["kernels"] and not abs(added - total["time_s"]) <= ROUNDING * added:
        found.append(Breach("sum of the rows", "time_total_s", added, total["time_s"], commands[0], commands[0]))
    if total["energy_j"] is not None:
        joules = sum(k["energy_j"] or 0.0 for k in app["kernels"])
        if not abs(joules - total["energy_j"]) <= SAME_TOTAL * joules:
            found.append(Breach("kernels of app", "energy_j", total["energy_j"], joules, *commands))
        # The run's boards draw at least what they draw without work, beside the kernels.
        if not app["energy_low_j"] <= app["energy_j"] <= app["energy_high_j"] or app["energy_j"] < joules:
            found.append(Breach("the run of app", "energy_j", joules, app["energy_j"], *commands))
    hold(found, len(pairs) + 11)


@pytest.mark.parametrize("path", named(TRACES, QUICK))
def test_app_and_forecast_give_the_same_interval(path: Path, hold: Callable[..., None]) -> None:
    target = TARGETS[1]
    app = app_of(path, target, "hybrid")
    kinds = [c for c in app["classes"] if not c["name"].startswith(OTHER_WORK)]
    result = forecast(path, (target,), "hybrid")
    values = of_all_launches(result)
    commands = (
        command_of("forecast", path, "--to", target, *origin(path)),
        command_of("app", path, "--to", target, *origin(path)),
    )
    found = []
    for position, end in enumerate(("time_s", "time_low_s", "time_high_s")):
        left, right = sum(v[position] for v in values), sum(c[end] for c in kinds)
        if not abs(left - right) <= ROUNDING * abs(left):
            found.append(Breach("all kernels together", end, left, right, *commands))
    hold(found, 3)
