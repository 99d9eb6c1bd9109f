"""Reading profiles for a command, with a progress bar where it takes a while."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from roofcast.commands.showing import Step, progress_bar

if TYPE_CHECKING:
    from roofcast.analyses.advice.runs import RunAdvice
    from roofcast.analyses.applications.result import ApplicationForecast
    from roofcast.analyses.applications.run_summary import TimelineSummary
    from roofcast.core.kernel_table import KernelTable
    from roofcast.core.timeline import Timeline
    from roofcast.ingest.traces.windows import Windows


def read_profiles(files: Sequence[str], input_format: str | None) -> KernelTable:
    """Read the files of a command line, in order."""
    from roofcast.core.kernel_table import concatenate
    from roofcast.ingest.readers import number_files
    from roofcast.ingest.text.files import is_folder
    from roofcast.reading import read, read_one

    with progress_bar() as step:
        if step is None or any(is_folder(f) for f in files):
            return read(list(files), input_format)
        return concatenate(number_files([read_one(file, input_format, watch_of(file, step)) for file in files]))


def watch_of(file: str, step: Step | None) -> Callable[[BinaryIO], BinaryIO] | None:
    """What shows how far a file has been read; None where nobody looks."""
    if step is None or file == "-" or not Path(file).is_file():
        return None
    from roofcast.ingest.text.files import watched

    show, doing, size = step, f"reading {Path(file).name}", Path(file).stat().st_size
    return lambda raw: watched(raw, size, lambda share: show(doing, share))


def read_run_windows(files: Sequence[str], input_format: str | None, step: Step | None = None) -> list[Windows]:
    """Read the traces of a command line, in order; folders stand for the traces in them."""
    from roofcast.ingest.text.files import watched
    from roofcast.reading import read_runs

    def watch(raw: BinaryIO) -> BinaryIO:
        name = getattr(raw, "name", "")
        if step is None or not isinstance(name, str):
            return raw
        show = step
        return watched(raw, Path(name).stat().st_size, lambda share: show(f"reading {Path(name).name}", share))

    return read_runs(files, input_format, watch)


def read_traces(files: Sequence[str], input_format: str | None) -> list[Timeline]:
    """The same as whole timelines."""
    with progress_bar() as step:
        return [run.whole() for run in read_run_windows(files, input_format, step)]


def forecast_traces(
    files: Sequence[str], input_format: str | None, to: Sequence[str], *, ranks: bool = False, **conditions: Any
) -> list[ApplicationForecast]:
    """Forecast the runs of a command line's traces: each its own, unless they are ranks of one.

    ranks : whether they are, whatever the files say.
    """
    from roofcast.analyses.applications.long_runs import forecast_run
    from roofcast.analyses.applications.ranks import RankWindows
    from roofcast.analyses.applications.whole_run import forecast_application
    from roofcast.ingest.traces.windows import WINDOW_ROWS, rows_of

    with progress_bar() as step:
        runs = read_run_windows(files, input_format, step)

        def done(windows: int, of: int) -> None:
            if step is not None:
                step("forecasting", windows / of)

        if len(runs) > 1 and not (ranks or are_ranks(runs)):
            names = name_runs([run.provenance.file for run in runs])
            found = [forecast_run(run, to, progress=done, **conditions) for run in runs]
            return [replace(f, run=name) for name, of_run in zip(names, found, strict=True) for f in of_run]
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


def read_inspected(files: Sequence[str], input_format: str | None) -> tuple[KernelTable, list[TimelineSummary]]:
    """The kernels of the files, and of traces what each run spent its time on (a trace is read once)."""
    from roofcast.ingest.timelines import is_timeline

    if "-" in files or not all(is_timeline(f, input_format) for f in files):
        return read_profiles(files, input_format), []
    from roofcast.analyses.applications.long_runs import summarise_run
    from roofcast.core.kernel_table import concatenate
    from roofcast.ingest.readers import from_file, number_files
    from roofcast.ingest.traces.distinct_kernels import Gathered

    tables, summaries = [], []
    with progress_bar() as step:
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


def read_advised(files: Sequence[str], input_format: str | None) -> tuple[KernelTable, list[RunAdvice]]:
    """The kernels of the files, and of traces what to change in each run."""
    from roofcast.ingest.timelines import is_timeline

    if "-" in files or not all(is_timeline(f, input_format) for f in files):
        return read_profiles(files, input_format), []
    from roofcast.analyses.advice.runs import advise_on_run
    from roofcast.analyses.applications.long_runs import middle
    from roofcast.core.kernel_table import concatenate
    from roofcast.ingest.readers import from_file, number_files
    from roofcast.ingest.traces.distinct_kernels import kernel_table_of

    with progress_bar() as step:
        runs = read_run_windows(files, input_format, step)
        tables = [from_file(kernel_table_of(run), run.provenance.file) for run in runs]
        return concatenate(number_files(tables)), [advise_on_run(middle(run)) for run in runs]
