"""Contracts 3 to 5: sweep, variations, choose, other rows and files, the page and Python give the forecast."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from contracts.doors import (
    ENDS,
    MODELS,
    TARGETS,
    Breach,
    RefusedError,
    command_of,
    compared,
    forecast,
    known,
    label,
    named,
    origin,
    printed,
    read,
    rows_of,
    run,
    run_json,
)
from roofcast.ingest.timelines import is_timeline

QUICK = (
    *("bert-small", "healthy", "a40..schnett-IndexSpaces-jl", "gtx-1660-ti", "cc-8-6", "saxpy", "gtx-750"),
    *("mi200..vcopy-MI200-pmc", "data/hecbench"),
)
EVERY = named("", QUICK)
SLOW_MODELS = [m if m in ("hybrid", "mechanistic") else pytest.param(m, marks=pytest.mark.slow) for m in MODELS]
BASES = ("H100 SXM5 80GB", "B200", "Instinct MI300X")
KNOBS = ("dram", "sm", "clock", "l2")


def own_value(gpu: str, knob: str) -> str:
    """What the catalog says of a GPU, as a variation takes it."""
    p = roofcast.gpu(gpu)
    if knob == "dram":
        supply = next(s for r, s in p.supplies.items() if r == "bytes_dram")
        return f"{supply.peak_per_s or supply.per_s!r}B/s"
    value = {"sm": p.sm_count, "clock": p.clock_hz_boost, "l2": p.capacity_bytes_l2}[knob]
    return f"{value!r}{ {'sm': '', 'clock': 'Hz', 'l2': 'B'}[knob] }"


def has_times(path: Path, target: str) -> list[dict[str, Any]]:
    """What `roofcast forecast` prints; skip where nothing can be forecast."""
    try:
        rows = printed(path, target)
    except RefusedError as error:
        pytest.skip(str(error))
    if not any(r["time_s"] for r in rows):
        pytest.skip("no kernel of it can be forecast")
    return rows


@pytest.mark.parametrize("model", SLOW_MODELS)
@pytest.mark.parametrize("path", EVERY)
def test_a_variation_without_change_is_the_forecast(path: Path, model: str, hold: Callable[..., None]) -> None:
    has_times(path, BASES[0])
    gpus = BASES[:2]
    same = [f"{gpu}{{{knob}={own_value(gpu, knob)}}}" for gpu in gpus for knob in KNOBS]
    result = forecast(path, (*gpus, *same), model)
    found: list[Breach] = []
    for j, target in enumerate(same, len(gpus)):
        base = gpus[(j - len(gpus)) // len(KNOBS)]
        commands = tuple(command_of("forecast", path, "--to", t, *known(model)) for t in (base, target))
        found += compared(rows_of(result, gpus.index(base)), rows_of(result, j), commands)  # type: ignore[arg-type]
    hold(found, len(read(path)) * len(same) * len(ENDS))


# A sweep hands its conditions to the forecast of its base as they are: profiled ones need no file more than the quick.
SWEPT = [
    pytest.param(*p.values, c, marks=p.marks, id=f"{p.id}-{c}")
    for p in EVERY for c in ("production", "profiled") if c == "production" or not p.marks
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("model", ["hybrid", "mechanistic"])
@pytest.mark.parametrize(("path", "conditions"), SWEPT)
def test_the_base_of_a_sweep_is_the_forecast(
    path: Path, model: str, conditions: str, hold: Callable[..., None], tmp_path: Path
) -> None:
    base = BASES[0]
    has_times(path, base)
    space = tmp_path / "space.toml"
    space.write_text(f'base = "{base}"\n[axes]\ndram = ["{own_value(base, "dram")}"]\n')
    try:
        swept = run_json("sweep", path, "--space", space, *known(model), *origin(path), "--conditions", conditions)
    except RefusedError as error:
        pytest.skip(str(error))
    result = forecast(path, (base,), model, conditions=conditions)
    commands = (
        command_of("forecast", path, "--to", base, *known(model), "--conditions", conditions),
        command_of("sweep", path, "--space", space, *known(model), "--conditions", conditions),
    )
    found: list[Breach] = []
    weight = np.nan_to_num(result.kernels.column("launches"), nan=1.0)
    for end in ENDS:
        values = getattr(result.estimate, end)[:, 0]
        total, of_sweep = float(np.nansum(weight * values)), swept[f"base_{end}"]
        if not abs(total - of_sweep) <= 1e-9 * total:
            found.append(Breach("all kernels together", end, total, of_sweep, *commands))
    for i, row in enumerate(swept["best_by_kernel"]):
        x, y = float(result.estimate.time_s[i, 0]), row["time_s"]
        if not (y is None and np.isnan(x)) and not abs(x - (y or np.nan)) <= 1e-9 * x:
            found.append(Breach(row["kernel"], "time_s", x, y or float("nan"), *commands))
    hold(found, len(read(path)) + 3)


@pytest.mark.slow
@pytest.mark.parametrize("path", EVERY)
def test_choose_adds_up_the_forecast(path: Path, hold: Callable[..., None]) -> None:
    """Of profiles all launches; of traces what `app` says first, with its host, and all launches beside it."""
    has_times(path, BASES[0])
    among = ("choose", path, "--among", ",".join(BASES))
    try:
        chosen = run_json(*among, *origin(path))
    except RefusedError as error:
        pytest.skip(str(error))
    found: list[Breach] = []
    for option in chosen["candidates"]:
        result = forecast(path, (option["gpu"],), "hybrid")
        command = "app" if is_timeline(path) else "forecast"
        commands = tuple(command_of(*w, *origin(path)) for w in ((command, path, "--to", option["gpu"]), among))
        run_of = run_json(*("app", path, "--to", option["gpu"]), *origin(path)) if command == "app" else None
        for end in ENDS:
            total = float(getattr(result.total, end)) if run_of is None else answer_of(first(run_of))[end]
            if not abs(total - option[end]) <= 1e-9 * total:
                found.append(Breach("one job", f"{end} on {option['gpu']}", total, option[end], *commands))
        total, kernels = float(result.total.time_s), option["programs"][0]["kernels_time_s"]
        if run_of is not None:
            total *= answer_of(first(run_of))["time_s"] / first(run_of)["time_s"]
        if not abs(total - kernels) <= 1e-9 * total:
            found.append(Breach("all kernels together", f"time_s on {option['gpu']}", total, kernels, *commands))
    hold(found, 4 * len(chosen["candidates"]))


def answer_of(run: dict[str, Any]) -> dict[str, Any]:
    """What `app` says first: one step or one run of the range, else the run."""
    return dict(run.get("part") or run)


def first(found: Any) -> dict[str, Any]:
    """The run of `app --format json`."""
    return dict(found[0] if isinstance(found, list) else found.get("forecasts", [found])[0])


def beside(path: Path) -> list[Path]:
    """Other files that a user may name in the same command: a trace, a report, counters in CSV, a tool's table."""
    wanted = ("bert-small-uncased-1016001", "profile.8fce66", "AveryClapp-metrics", "GTX-750-block-16")
    root = path.parents[1]
    return [p for word in wanted for p in sorted(q for q in root.glob(f"*/*{word}*") if q != path)[:1]]


@pytest.mark.slow
@pytest.mark.parametrize("path", EVERY)
def test_another_file_changes_nothing(path: Path, hold: Callable[..., None]) -> None:
    target = TARGETS[0]
    alone = has_times(path, target)
    found: list[Breach] = []
    for other in beside(path):
        told = ("--to", target, *(origin(path) or origin(other)))
        commands = (command_of("forecast", path, *told), command_of("forecast", path, other, *told))
        try:
            rows = alone if not origin(other) or origin(path) else list(run_json("forecast", path, *told)["forecasts"])
            together = list(run_json("forecast", path, other, *told)["forecasts"])
        except RefusedError:
            continue
        if len(rows) == len(alone):
            found += compared(rows, together[: len(rows)], commands)
    hold(found, len(alone) * len(beside(path)) * len(ENDS))


def write_table(path: Path, gpu: str, time_s: float, kernels: tuple[str, ...] = ("gemm", "copy")) -> Path:
    """A small table of kernels on one GPU, as a user may write it."""
    lines = [f"{k},{gpu},{time_s * (i + 1)},2e9,5e9,4096,256" for i, k in enumerate(kernels)]
    path.write_text("\n".join(["kernel,gpu,time_s,bytes_dram,flops_fp32,grid_blocks,block_threads", *lines]) + "\n")
    return path


@pytest.mark.slow
def test_files_are_measured_together_only_where_said(tmp_path: Path, hold: Callable[..., None]) -> None:
    one = write_table(tmp_path / "a.csv", "A100-SXM4-40GB", 2e-3)
    other = write_table(tmp_path / "v.csv", "Tesla V100-SXM2-16GB", 3e-3)
    both = tmp_path / "both.csv"
    both.write_text(one.read_text() + "".join(f"{x}\n" for x in other.read_text().splitlines()[1:]))
    told = ("--to", BASES[0])

    def rows(*arguments: Path | str) -> list[dict[str, Any]]:
        return list(run_json("forecast", *arguments, *told)["forecasts"])

    apart, together, table = rows(one, other), rows(one, other, "--together"), rows(both)
    commands = (command_of("forecast", one, other, "--together", *told), command_of("forecast", both, *told))
    found = list(compared(together, table, commands))
    found += compared(apart, rows(one) + rows(other), (command_of("forecast", one, other, *told), "each file alone"))
    python = roofcast.forecast(roofcast.read([one, other]), BASES[0], together=True)
    found += compared(together, rows_of(python), (commands[0], "roofcast.forecast(..., together=True)"))
    hold(found, 3 * 4 * len(ENDS))
    assert all(a["time_s"] != b["time_s"] for a, b in zip(apart, together, strict=True)), "nothing was combined"
    assert [r["time_s"] for r in together[:2]] == [r["time_s"] for r in together[2:]], "one work, one forecast"


def test_together_says_so_in_the_report(tmp_path: Path) -> None:
    files = [write_table(tmp_path / "a.csv", "A100-SXM4-40GB", 2e-3), write_table(tmp_path / "v.csv", "L40S", 3e-3)]
    run("forecast", *files, "--to", BASES[0], "--together", "--report", tmp_path / "r.html")
    assert "--together" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize("model", SLOW_MODELS)
@pytest.mark.parametrize("path", EVERY)
def test_other_kernels_change_nothing(path: Path, model: str, hold: Callable[..., None]) -> None:
    kernels = read(path)
    whole = forecast(path, TARGETS, model)
    names = np.array([str(n) for n in kernels.strings("kernel")])
    distinct = list(dict.fromkeys(names.tolist()))
    if len(distinct) < 2:
        pytest.skip("one kernel only")
    found: list[Breach] = []
    looked = 0
    source = (origin(path) or ("", None))[1]
    for name in distinct[:: max(1, len(distinct) // 6)]:
        rows = np.flatnonzero(names == name)
        part = roofcast.forecast(kernels.select(rows), list(TARGETS), source=source, model=model)
        for j, target in enumerate(TARGETS):
            commands = tuple(command_of("forecast", path, "--to", target, *known(model), *more)
                             for more in ((), ("--kernel", f"^{name[:40]}")))  # fmt: skip
            of_whole = rows_of(whole, j)
            found += compared([of_whole[i] for i in rows], rows_of(part, j), commands)  # type: ignore[arg-type]
            looked += len(rows) * len(ENDS)
    hold(found, looked)


@pytest.mark.parametrize("path", EVERY)
def test_python_returns_what_the_command_line_prints(path: Path, hold: Callable[..., None]) -> None:
    rows = has_times(path, BASES[0])
    result = forecast(path, (BASES[0],), "hybrid")
    command = command_of("forecast", path, "--to", BASES[0], *origin(path))
    found = compared(rows, rows_of(result), (command, f"roofcast.forecast({path.name})"))
    hold(found, len(read(path)) * len(ENDS))


@pytest.mark.slow
@pytest.mark.parametrize("path", EVERY)
def test_the_page_shows_what_the_command_line_prints(
    page: Any, path: Path, hold: Callable[..., None], tmp_path: Path
) -> None:
    target = BASES[0] if path.name.startswith("mi") else BASES[2]
    # The page gets the file alone: without the descriptions that a tool left beside it.
    path = Path(shutil.copy(path, tmp_path))
    lines = has_times(path, target)
    status, told = page.upload(path.read_bytes(), path.name)
    if status == 413:
        pytest.skip("larger than the page of the tests takes")
    assert status == 200, told
    asked = {"profiles": [told["id"]], "targets": [target]} | ({"source": origin(path)[1]} if origin(path) else {})
    status, answer = page.ask("POST", "/api/forecast", asked)
    assert status == 200, answer
    _, shown = page.ask("GET", f"/download/{answer['result']}.json")
    commands = (command_of("forecast", path, "--to", target, *origin(path)), f"roofcast serve {path.name}")
    found = list(compared(lines, shown["forecasts"], commands))
    # The headline is text: it must be the text of the sum that the command line's table prints last.
    total, bounds = told_totals(path, target)
    for what, left, right in (("total", total, answer["totals"][0]["time"]),
                              ("interval", bounds, answer["totals"][0]["interval"])):  # fmt: skip
        if left and squeezed(left) != squeezed(right):
            found.append(Breach(f"all kernels: {what} {left} | {right}", what, 0.0, 1.0, *commands))
    hold(found, len(lines) * len(ENDS) + 2)


def squeezed(text: str) -> str:
    """Without what is typography."""
    return text.replace(" ", "").replace("to", "–")


def told_totals(path: Path, target: str) -> tuple[str, str]:
    """The total and its interval as `roofcast forecast` prints them; '' where it prints none."""
    text = run("forecast", path, "--to", target, *origin(path))
    line = next((x for x in text.splitlines() if x.startswith("total (")), "")
    # Of profiles that were taken under other conditions the measured time stands in a column of its own.
    at = 3 if re.search(r"^kernel .* measured ", text, re.MULTILINE) else 2
    cells = [c for c in re.split(r"\s{2,}", line) if not c.isdigit()]  # without the number of launches
    return (cells[at], cells[at + 1]) if len(cells) > at + 1 else ("", "")


def test_labels_are_distinct() -> None:
    ids = [label(p.values[0]) for p in EVERY if p.values[0] is not None]
    assert len(set(ids)) == len(ids)
