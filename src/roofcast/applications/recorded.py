"""Recorded runs as users name them: files of traces, whether they are ranks of one run, and what they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from roofcast.applications.long_runs import forecast_run, summarise_run
from roofcast.applications.ranks import RankWindows
from roofcast.applications.result import ApplicationForecast
from roofcast.applications.run_summary import TimelineSummary
from roofcast.applications.show import find_best, state_run
from roofcast.applications.whole_run import forecast_application
from roofcast.catalog.nodes import stand_in
from roofcast.catalog.targets import list_gpus
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable, concatenate
from roofcast.core.processor import Processor
from roofcast.core.timeline import Timeline
from roofcast.core.units import parse_quantity
from roofcast.forecasting.forecast import Question
from roofcast.forecasting.sources import resolve_target
from roofcast.ingest.readers import from_file, number_files
from roofcast.ingest.text.files import watched
from roofcast.ingest.timelines import are_timelines
from roofcast.ingest.traces.distinct_kernels import Gathered
from roofcast.ingest.traces.windows import WINDOW_ROWS, Windows, rows_of
from roofcast.kit.returned import Statement
from roofcast.reading import as_files, is_several, read, read_runs

Names = Sequence[str | Path]
Progress = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done, in [0, 1]."""
MAX_SPEED = 1000.0
"""1; largest ``--host-speed``, and its inverse the least: beyond it lies a slip of the unit."""


def parse_speed(value: str | float) -> float:
    """How many times as fast the host is: ``1.5x``, ``1.5``.

    >>> parse_speed("1.5x"), parse_speed(2)
    (1.5, 2.0)
    """
    try:
        speed = float(str(value).strip().lower().removesuffix("x"))
    except ValueError:
        speed = 0.0
    if not 1 / MAX_SPEED <= speed <= MAX_SPEED:
        raise RoofcastError(
            f"--host-speed {one_line(str(value), 40)}: give how many times as fast the host is, such as 1.5x"
        )
    return speed


def parse_step_time(value: str | float | None) -> float | None:
    """Seconds of a step: ``42ms``, a number of seconds; None where nobody says.

    >>> parse_step_time("42ms"), parse_step_time(None)
    (0.042, None)
    """
    if value is None:
        return None
    try:
        seconds = value if isinstance(value, (int, float)) else parse_quantity(value, "s")
    except (RoofcastError, ValueError):
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise RoofcastError(
            f"--step-time {one_line(str(value), 40)}: give what a step takes without its profiler, such as 42ms"
        )
    return float(seconds)


def check_host_us(value: float | None) -> float | None:
    """Microseconds of the host for each kernel that it launches."""
    if value is not None and not 0 < value <= MOST_HOST_US:
        raise RoofcastError(f"--host-us {one_line(str(value), 40)}: give microseconds for each kernel, such as 30")
    return value


MOST_HOST_US = 1e6
"""us per operator: a second for one operator is a slip of the unit."""


def read_run_windows(files: Names, input_format: str | None, step: Progress | None = None) -> list[Windows]:
    """Read traces, in order; folders stand for the traces in them."""

    def watch(raw: BinaryIO) -> BinaryIO:
        name = getattr(raw, "name", "")
        if step is None or not isinstance(name, str):
            return raw
        return watched(raw, Path(name).stat().st_size, lambda share: step(f"reading {Path(name).name}", share))

    return read_runs(files, input_format, watch)


def forecast_given(
    traces: Any, to: Any, network: str | float | None = None, counters: Any = (), input_format: str | None = None,
    **how: Any,
) -> list[ApplicationForecast]:  # fmt: skip
    """Forecast traces as users give them: files, bytes or file objects, on GPUs by name.

    network : what joins the target's GPUs (:func:`roofcast.catalog.nodes.stand_in`). how : of :func:`forecast_traces`.
    """
    targets = list_gpus(to)
    notes: dict[str, tuple[str, ...]] = {}
    if network is not None:
        matches = [resolve_target(gpu) for gpu in targets]
        targets = [stand_in(match.processor, network) for match in matches]
        notes = {match.processor.name: match.notes for match in matches}
    tables = [read(c) for c in (counters if is_several(counters) else [counters])]
    with as_files(traces) as files:
        forecasts = forecast_traces(files, input_format, targets, counters=tables, **how)
    return [replace(f, notes=(*notes.get(f.target.name, ()), *f.notes)) for f in forecasts]


def forecast_traces(
    files: Names, input_format: str | None, to: Any, *, ranks: bool = False, progress: Progress | None = None,
    **conditions: Any,
) -> list[ApplicationForecast]:  # fmt: skip
    """Forecast the runs of traces: each its own, unless they are ranks of one.

    ranks : whether they are, whatever the files say. conditions : as
    :func:`roofcast.applications.whole_run.forecast_application` takes them.
    """
    return forecast_runs(
        read_run_windows(files, input_format, progress), to, ranks=ranks, progress=progress, **conditions
    )


def forecast_runs(
    runs: Sequence[Windows], to: Any, *, ranks: bool = False, progress: Progress | None = None, **conditions: Any
) -> list[ApplicationForecast]:
    """The same of traces that are read."""

    def done(windows: int, of: int) -> None:
        if progress is not None:
            progress("forecasting", windows / of)

    if len(runs) > 1 and not (ranks or are_ranks(runs)):
        names = name_runs([run.provenance.file for run in runs])
        of_runs = [forecast_run(run, to, progress=done, **conditions) for run in runs]
        return [replace(f, run=name) for name, of_run in zip(names, of_runs, strict=True) for f in of_run]
    if len(runs) > 1 and rows_of(runs) <= WINDOW_ROWS:
        return forecast_application([run.whole() for run in runs], to, **conditions)
    return forecast_run(runs[0] if len(runs) == 1 else RankWindows(runs), to, progress=done, **conditions)


def are_ranks(runs: Sequence[Windows]) -> bool:
    """Whether files say that they are ranks of one run: each names another rank."""
    ranks = [p.rank for run in runs for p in run.builder.process_facts]
    return len(ranks) >= len(runs) and min(ranks, default=-1) >= 0 and len(set(ranks)) == len(ranks)


def name_runs(files: Sequence[str]) -> list[str]:
    """Names of runs that differ."""
    return [f"{file} #{i + 1}" if files.count(file) > 1 else file for i, file in enumerate(files)]


def read_inspected(
    files: Names, input_format: str | None, step: Progress | None = None
) -> tuple[KernelTable, list[TimelineSummary]]:
    """The kernels of the files, and of traces what each run spent its time on (a trace is read once)."""
    if not are_timelines(files, input_format):
        return read(files, input_format), []
    tables, summaries = [], []
    for run in read_run_windows(files, input_format, step):
        gathered = Gathered()
        done = 0

        def take(timeline: Timeline, run: Windows = run, gathered: Gathered = gathered) -> None:
            nonlocal done
            gathered.take(timeline)
            done += 1
            if step is not None:
                step("looking at the run", done / len(run))

        summaries.append(summarise_run(run, take))
        tables.append(from_file(gathered.table(), run.provenance.file))
    return concatenate(number_files(tables)), summaries


def state_runs(
    files: Names, input_format: str | None, question: Question, source: str | Processor | None
) -> tuple[Statement, ...]:
    """What `app` says first of the recorded runs of files, one of each."""
    conditions = question.ready.conditions
    try:
        forecasts = forecast_traces(
            files, input_format, question.targets, source=source, model=question.engine.name, conditions=conditions,
            coverage=conditions.coverage, launch_floor=conditions.launch_floor_s,
        )  # fmt: skip
    except RoofcastError:
        # Of kernels without a known GPU there is no run either; the forecast itself says why.
        return ()
    runs = {name: [f for f in forecasts if f.run == name] for name in dict.fromkeys(f.run for f in forecasts)}
    statements = {name: state_run(find_best(of_run)) for name, of_run in runs.items()}
    return tuple(replace(s, verdict=f"{name}: {s.verdict}" if name else s.verdict) for name, s in statements.items())
