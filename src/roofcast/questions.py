"""What users ask, one function per question: Python and the command line both call these, and get the same answers.

Each takes what the command of its name takes, under the same names and in the same words (``clock="1.4 GHz"``), and
profiles in any form that :func:`roofcast.reading.read` knows. Each returns an :class:`~roofcast.core.display.Answer`,
and raises :class:`~roofcast.core.errors.RoofcastError`, in one line, for whatever the caller can mend.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from roofcast.catalog.targets import list_gpus
from roofcast.core.answered import answered
from roofcast.core.display import Answer, Row, View
from roofcast.core.errors import RoofcastError

if TYPE_CHECKING:
    from roofcast.analyses.comparing.before_after import Comparison
    from roofcast.core.kernel_table import KernelTable
    from roofcast.core.processor import Processor
    from roofcast.forecasting.forecast import Question
    from roofcast.kit.page import Page
    from roofcast.kit.table import Table

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done, in [0, 1]."""


@dataclass(frozen=True, repr=False)
class Found(Answer):
    """The answer of an analysis; what its own object holds can be asked of it as well."""

    asked: str
    """The question."""
    found: Any
    """What the analysis returned."""
    shown: View
    total: Any = None
    """Of the whole, where the question has one."""

    @property
    def view(self) -> View:
        """How it shows itself."""
        return self.shown

    @cached_property
    def all_rows(self) -> list[Row]:
        """The rows, made once."""
        return super().rows()

    def rows(self) -> list[Row]:
        """All rows, in the order of the JSON output."""
        return list(self.all_rows)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "found":
            raise AttributeError(name)
        return getattr(self.found, name)

    def __repr__(self) -> str:
        return f"<{self.asked}: {len(self)} row{'s' * (len(self) != 1)}>"


def make_view(
    text: Callable[[Any, int], str], data: Callable[[Any], str], key: str, table: Callable[[Any], Table],
    page: Callable[[Any], Page], picture: Callable[[Any], Any], explain: Callable[[Any, int], str] | None = None,
) -> View:  # fmt: skip
    """A view of what an analysis found, by the functions that its command uses; they take the analysis' own object.

    key : of the rows in the JSON; '' where it is the list, or the only row.
    """

    def rows(answer: Found) -> list[dict[str, Any]]:
        made = json.loads(data(answer.found))
        part = made[key] if key else made
        return part if isinstance(part, list) else [part]

    def html(answer: Found) -> str:
        from roofcast.analyses.report.notebook import MAX_ROWS, show_html

        whole = table(answer.found)
        left = len(whole.rows) - MAX_ROWS
        part = replace(whole, rows=whole.rows[:MAX_ROWS])
        return show_html(part, f"{left} more rows: to_polars() has all" if left > 0 else "")

    def report(answer: Found, path: str) -> object:
        from roofcast.kit.page import write_page

        return write_page(page(answer.found), path)

    return View(
        lambda a, width: text(a.found, width), lambda a: data(a.found), rows, html, report,
        lambda a: picture(a.found), None if explain is None else lambda a, i: explain(a.found, i),
    )  # fmt: skip


def read_kernels(given: Any, input_format: str | None, kernel: str | None) -> KernelTable:
    """What :func:`roofcast.read` makes of it, with the kernels whose name matches a regular expression."""
    from roofcast.core.kernel_table import rows_matching
    from roofcast.reading import read

    table = read(given, input_format)
    if kernel is None:
        return table
    return table.select(rows_matching([str(name) for name in table.strings("kernel")], kernel))


def ask_forecast(
    kernels: Any, to: str | Processor | Sequence[str | Processor], *, source: str | Processor | None = None,
    model: str | None = None, coverage: float = 0.9, conditions: Any = "production", clock: str | float = "auto",
    cache: str = "auto", launch_floor: str | Sequence[str | float] | None = None, sass: str = "auto",
    target_sass: str | Path | None = None, size: Mapping[str, float] | str | None = None, together: bool = False,
    pairs: Any = None, kernel: str | None = None, input_format: str | None = None,
) -> Question:  # fmt: skip
    """Forecast every kernel of a profile on other GPUs: seconds, interval, limit, speed-up.

    kernels : a profile in any form that :func:`roofcast.read` knows. to : GPUs, also as one text, ``"B200,L40S"``.
    clock : auto, boost, base, or e.g. ``"1.4 GHz"``. launch_floor : ``"4us,6us"``, source and target.
    pairs : own kernels timed on both GPUs, in any form. kernel : only kernels whose name matches.
    Everything else as :func:`roofcast.forecasting.forecast.forecast` has it.
    """
    from roofcast.forecasting.conditions import make_conditions
    from roofcast.forecasting.forecast import ask
    from roofcast.reading import read

    return ask(
        read_kernels(kernels, input_format, kernel), list_gpus(to), source=source, model=model, sass=sass,
        target_sass=target_sass, size=size, together=together, pairs=None if pairs is None else read(pairs),
        conditions=make_conditions(coverage, clock, cache, launch_floor, conditions),
    )  # fmt: skip


forecast = answered(ask_forecast, "forecast", "Forecast")


def app(
    traces: Any, to: str | Processor | Sequence[str | Processor], *, source: str | Processor | None = None,
    counters: Any = (), model: str | None = None, coverage: float = 0.9, conditions: Any = "production",
    clock: str | float = "auto", cache: str = "auto", launch_floor: str | Sequence[str | float] | None = None,
    range: str | None = None, step: bool = False, host_speed: str | float = 1.0, ranks: bool = False,  # noqa: A002
    input_format: str | None = None, progress: Progress | None = None,
) -> Found:  # fmt: skip
    """Forecast a whole application from its timeline: kernels, copies, gaps, overlap; a row per target (and run).

    traces : files, bytes or file objects. counters : profiles of its kernels. range : only this range of the run.
    step : only the steps that repeat. host_speed : ``"1.5x"``. ranks : several traces are ranks of one run.
    """
    from roofcast.analyses.applications import show
    from roofcast.analyses.applications.recorded import forecast_traces, parse_speed
    from roofcast.forecasting.conditions import make_conditions, parse_launch_floor
    from roofcast.kit.output import SvgPicture
    from roofcast.reading import as_files, is_several, read

    if step and range is not None:
        raise RoofcastError("--step and --range name two parts of the run: give one of them")
    given = make_conditions(coverage, clock, cache, None, conditions)
    tables = [read(c) for c in (counters if is_several(counters) else [counters])]
    with as_files(traces) as files:
        found = forecast_traces(
            files, input_format, list_gpus(to), source=source, counters=tables, model=model, coverage=given.coverage,
            conditions=given, launch_floor=parse_launch_floor(launch_floor), range_name=range, step=step,
            host_speed=parse_speed(host_speed), ranks=ranks, progress=progress,
        )  # fmt: skip
    view = make_view(
        show.render_app, show.render_app_json, "", show.tabulate_targets, show.app_page,
        lambda runs: SvgPicture("".join(show.timeline_picture(f.drawn or f) for f in runs[:1])),
        lambda runs, i: show.render_run(runs[i], 120, show.ROWS_SHOWN),
    )  # fmt: skip
    return Found("app", found, view, found[0].answer)


def advise(
    kernels: Any, on: str | Processor | None = None, *, source: str | Processor | None = None,
    model: str | None = None, conditions: Any = "production", clock: str | float = "auto", cache: str = "auto",
    together: bool = False, kernel: str | None = None, input_format: str | None = None,
    progress: Progress | None = None,
) -> Found:  # fmt: skip
    """What to change in the kernels or the run, ranked by the time that it would save; a row per finding.

    on : GPU that the advice is for (default: the one that the kernels were measured on).
    """
    from roofcast.analyses.advice import show
    from roofcast.analyses.advice.ranking import advise as rank_advice
    from roofcast.analyses.advice.runs import read_advised
    from roofcast.core.kernel_table import KernelTable
    from roofcast.core.processor import Processor
    from roofcast.forecasting.conditions import make_conditions
    from roofcast.kit.bars import Bar, BarPicture
    from roofcast.reading import as_files

    given = make_conditions(0.9, clock, cache, None, conditions)
    if on is not None and not isinstance(on, (str, Processor)):
        raise RoofcastError(f"a {type(on).__name__} is no GPU: give a name, a TOML file or a processor")

    def ask(table: KernelTable, runs: Sequence[Any], files: Sequence[Any]) -> Found:
        found = rank_advice(
            read_kernels(table, None, kernel), on, source=source, model=model, files=[str(f) for f in files],
            together=together, conditions=given,
        )  # fmt: skip
        found = replace(found, runs=tuple(runs))

        def bars(advice: Any) -> list[Bar]:
            return [Bar(f"{show.kernel_name(advice, f)}: {f.title}", f.saved_s) for f in advice.findings]

        view = make_view(
            show.render_advice, show.render_advice_json, "findings", show.tabulate_findings, show.advice_page,
            lambda advice: BarPicture("time that each cure would save", "s", bars(advice)),
            lambda advice, i: "\n".join(show.finding_lines(advice, advice.findings[i], i + 1, 120)),
        )  # fmt: skip
        return Found("advise", found, view, found.time_s)

    if isinstance(kernels, KernelTable):
        return ask(kernels, (), ())
    with as_files(kernels) as files:
        return ask(*read_advised(files, input_format, progress), files)


def compare(
    before: Any, after: Any, *, target: str | None = None, kernel: str | None = None,
    fail_above: str | float | None = None, input_format: str | None = None, progress: Progress | None = None,
) -> Found:  # fmt: skip
    """What changed between two profiles, beyond noise, or between a forecast and what was measured; a row per kernel.

    before : also a forecast, or the JSON file of one. fail_above : a share such as ``"5%"``; ``failed`` lists what
    takes more time by more than this. target : of a forecast for several GPUs, the one that was measured.
    """
    from functools import partial

    from roofcast.analyses.comparing import show
    from roofcast.kit.bars import Bar, BarPicture

    above = parse_limit(fail_above)
    found = compare_given(before, after, target, kernel, input_format, progress)

    def bars(comparison: Any) -> list[Bar]:
        return [Bar(c.name, c.total_ratio - 1) for c in show.list_by_change(comparison)]

    view = make_view(
        lambda c, width: show.render_comparison(c, "table", above, width),
        lambda c: show.render_comparison(c, "json", above), "kernels",
        lambda c: show.build_table(c, c.changes), partial(show.build_page, above=above),
        lambda c: BarPicture("change of the time of all launches", "%", bars(c)),
    )  # fmt: skip
    return Found("compare", found, view, found.ratio)


def parse_limit(value: str | float | None) -> float | None:
    """A share: ``5%``, ``0.05``.

    >>> parse_limit("5%"), parse_limit(0.05)
    (0.05, 0.05)
    """
    from roofcast.core.units import parse_quantity

    if value is None:
        return None
    limit = parse_quantity(value, "")
    if not 0 <= limit < 100 or ("%" not in str(value) and limit >= 1):
        raise RoofcastError(f"--fail-above {value}: give a share such as 5%")
    return limit


def compare_given(
    before: Any, after: Any, target: str | None, pattern: str | None, input_format: str | None,
    progress: Progress | None = None,
) -> Comparison:  # fmt: skip
    """Compare two profiles, two recorded runs, two saved forecasts, or one with a profile; see :func:`compare`."""
    from roofcast.analyses.applications import recorded
    from roofcast.analyses.comparing.before_after import compare
    from roofcast.analyses.comparing.saved import read_saved_forecast, read_two_forecasts, rows_measured_on
    from roofcast.core.kernel_table import KernelTable
    from roofcast.core.results import Forecast
    from roofcast.reading import as_files, read

    if isinstance(before, str) and isinstance(after, str) and before == after == "-":
        raise RoofcastError("standard input can be only one of the two files")
    given = [g.to_json().encode() if isinstance(g, Forecast) else g for g in (before, after)]
    with ExitStack() as stack:
        first, second = (g if isinstance(g, KernelTable) else stack.enter_context(as_files(g)) for g in given)
        name = {id(g): name_given(was, g) for was, g in zip((before, after), (first, second), strict=True)}
        sides = [g for g in (first, second) if isinstance(g, list)]
        if pattern is None and len(sides) == 2 and all(recorded.are_timelines(g, input_format) for g in sides):
            return compare_timelines(first, second, (name[id(first)], name[id(second)]), input_format, progress)

        def narrowed(kernels: KernelTable, of: str) -> KernelTable:
            return kernels if pattern is None else kernels.select(chosen(kernels, of))

        def chosen(kernels: KernelTable, of: str) -> list[int]:
            from roofcast.core.kernel_table import rows_matching

            return rows_matching([str(n) for n in kernels.strings("kernel")], pattern or "", f" of {of}")

        names = name[id(first)], name[id(second)]
        if is_saved(second):
            if not is_saved(first):
                raise RoofcastError("AFTER is a saved forecast: give the forecast first, then the measurement")
            old, new = read_two_forecasts(str(first[0]), str(second[0]), target)
            return compare(narrowed(old.kernels, names[0]), narrowed(new.kernels, names[1]), names)
        measured = narrowed(read(second, input_format), names[1])
        if isinstance(first, KernelTable) or not is_saved(first):
            if target:
                raise RoofcastError(
                    "--target says which GPU of a saved forecast was measured; BEFORE is a profile: leave it out"
                )
            return compare(narrowed(read(first, input_format), names[0]), measured, names)
        gpus = [target] if target else list(dict.fromkeys(str(g) for g in measured.strings("gpu")))
        saved = read_saved_forecast(str(first[0]), gpus)
        measured = measured.select(rows_measured_on(saved.target, [str(g) for g in measured.strings("gpu")]))
        if pattern is not None:
            saved = saved.select(chosen(saved.kernels, names[0]))
        return compare(saved.kernels, measured, names, saved)


def is_saved(given: Any) -> TypeGuard[list[str | Path]]:
    """Whether files hold a saved forecast."""
    from roofcast.ingest.saved_forecasts import is_saved_forecast

    return isinstance(given, list) and len(given) == 1 and is_saved_forecast(given[0])


def name_given(was: Any, now: Any) -> str:
    """What a comparison calls one side: the file's name without its folder, for display."""
    from roofcast.core.errors import one_line
    from roofcast.core.results import Forecast

    if isinstance(was, Forecast):
        return "forecast"
    if not isinstance(now, list):
        files = [p.file for p in now.provenance]
    else:
        files = ["standard input" if str(p) == "-" else Path(p).name for p in now]
    return one_line(", ".join(files), 120)


def compare_timelines(
    before: Any, after: Any, names: tuple[str, str], input_format: str | None, progress: Progress | None
) -> Comparison:
    """Compare two recorded runs: what they took, and their kernels."""
    from roofcast.analyses.applications.recorded import read_inspected
    from roofcast.analyses.comparing.before_after import Measure, compare

    old_side, new_side = (read_inspected(files, input_format, progress) for files in (before, after))
    # A folder of several traces: the longest run, as ranks run side by side; counts and work add up.
    sides = [[run.list_measures() for run in found] for _, found in (old_side, new_side)]
    measures = []
    for k, (name, _, unit, gates) in enumerate(sides[0][0]):
        values = [[run[k][1] for run in side] for side in sides]
        old, new = (max(v) if name == "run" else sum(v) for v in values)
        measures.append(Measure(name, old, new, unit, gates))
    return compare(old_side[0], new_side[0], names, runs=tuple(measures))


def choose(
    work: Any, *, budget: str | float | None = None, power: str | float | None = None,
    rack: str | float | None = None, deadline: str | float | None = None, memory: str | float | None = None,
    candidates: str | Path | None = None, prices: Any = None, weights: str | Mapping[str, float] | None = None,
    among: str | Processor | Sequence[str | Processor] | None = None, segment: str | None = None,
    best: str | None = None, years: str | float | None = None, utilisation: str | float | None = None,
    source: str | Processor | None = None, together: bool = False, model: str | None = None, coverage: float = 0.9,
    conditions: Any = "production", clock: str | float = "auto", cache: str = "auto",
    launch_floor: str | Sequence[str | float] | None = None, kernel: str | None = None,
    input_format: str | None = None,
) -> Found:  # fmt: skip
    """Which GPU to buy or rent: time, cost, energy, what is certain, what would change it; a row per candidate.

    work : a workload file (.toml), profiles and traces that are one job together, or what :func:`roofcast.read` takes.
    budget, power, rack, deadline, memory : limits, ``"250kUSD"``, ``"10kW"``, ``"20ms"``, ``"40GB"``, or SI numbers.
    candidates : a file of GPUs with their prices. prices : a price file (.toml), or ``public``.
    weights : how often kernels run, ``"gemm=1000"`` or a dict. best : cost, time, energy or throughput.
    years, utilisation : life of what is bought, share of the hours in which it works.
    """
    from roofcast.analyses.choosing import show
    from roofcast.analyses.choosing.candidates import name_candidates, read_named
    from roofcast.analyses.choosing.decision import choose as decide
    from roofcast.analyses.choosing.pictures import candidates_figure
    from roofcast.analyses.choosing.workload_file import state_limits, state_terms
    from roofcast.analyses.sweeps.stated import parse_weights
    from roofcast.forecasting.conditions import make_conditions
    from roofcast.kit.output import Picture

    stated = candidates if candidates is not None else prices
    if candidates is not None and (prices is not None or among is not None):
        raise RoofcastError("candidates name the GPUs and their prices: leave prices and among out")
    limits = state_limits(budget, power, rack, deadline, memory)
    terms, given = state_terms(best, years, utilisation), parse_weights(weights)
    asked = make_conditions(coverage, clock, cache, launch_floor, conditions)
    named = read_named(candidates) if candidates is not None else name_candidates(among)
    files = [work] if isinstance(work, (str, Path)) else work
    is_files = isinstance(files, (list, tuple)) and bool(files) and all(isinstance(f, (str, Path)) for f in files)
    found = decide(
        list(files) if is_files else read_kernels(work, input_format, None), named, prices=stated, limits=limits,
        terms=terms, weights=given, segment=segment, source=source, model=model, together=together, pattern=kernel,
        input_format=input_format, conditions=asked,
    )  # fmt: skip
    view = make_view(
        show.render_choice, show.choice_json, "candidates", show.tabulate, show.choice_page,
        lambda told: Picture(lambda: candidates_figure(told.decision)),
    )  # fmt: skip
    return Found("choose", show.Told(found), view, found.first.time_s)


def roofline(
    kernels: Any, to: str | Processor | Sequence[str | Processor] = (), *, source: str | Processor | None = None,
    model: str | None = None, conditions: Any = "production", clock: str | float = "auto", cache: str = "auto",
    sass: str = "auto", target_sass: str | None = None, together: bool = False, kernel: str | None = None,
    input_format: str | None = None,
) -> Found:  # fmt: skip
    """The hierarchical roofline with kernel-specific ceilings; a row per kernel and GPU.

    to : GPUs to draw as well, with the forecast performance. Several profiles are versions in order.
    """
    from roofcast.analyses.report.notebook import Roofline
    from roofcast.analyses.rooflines import show
    from roofcast.analyses.rooflines.interactive import write_html
    from roofcast.analyses.rooflines.placement import view_roofline
    from roofcast.forecasting.conditions import make_conditions

    found = view_roofline(
        read_kernels(kernels, input_format, kernel), list_gpus(to), source, model, sass, target_sass,
        conditions=make_conditions(0.9, clock, cache, None, conditions), together=together,
    )  # fmt: skip

    view = View(
        lambda a, width: show.render_roofline_text(a.found, width), lambda a: show.render_roofline_json(a.found),
        lambda a: show.tabulate_roofline(a.found).records(), lambda a: Roofline(a.found).html(),
        lambda a, path: write_html(a.found, path), lambda a: Roofline(a.found),
    )  # fmt: skip
    return Found("roofline", found, view)


def sweep(
    kernels: Any, space: Any, *, weights: str | Mapping[str, float] | None = None,
    out: str | Path | None = None, cluster: str | None = None, source: str | Processor | None = None,
    together: bool = False, model: str | None = None, coverage: float = 0.9, conditions: Any = "production",
    clock: str | float = "auto", cache: str = "auto", launch_floor: str | Sequence[str | float] | None = None,
    kernel: str | None = None, input_format: str | None = None, progress: Progress | None = None,
) -> Found:  # fmt: skip
    """Forecast the kernels on every processor of a design space around a GPU; a row per fastest processor.

    space : a TOML file (docs/sweep.md), or a dict of what stands in one. out : folder for every forecast as Parquet.
    """
    from roofcast.analyses.sweeps import chunks, show
    from roofcast.analyses.sweeps.figures import SweepPicture
    from roofcast.analyses.sweeps.space import parse_space, read_space
    from roofcast.analyses.sweeps.stated import parse_weights
    from roofcast.analyses.sweeps.study import study
    from roofcast.analyses.sweeps.workload import prepare
    from roofcast.forecasting.conditions import make_conditions

    plan = parse_space(space) if isinstance(space, Mapping) else read_space(space)
    given = parse_weights(weights)
    asked = make_conditions(coverage, clock, cache, launch_floor, conditions)
    work = prepare(
        read_kernels(kernels, input_format, kernel), plan.base, source=source, model=model, conditions=asked,
        weights=given, together=together,
    )  # fmt: skip

    def done(count: int, of: int) -> None:
        if progress is not None:
            progress("sweeping", count / of)

    with ExitStack() as stack:
        run = chunks.run_here
        if cluster is not None:
            from roofcast.analyses.sweeps.cluster import connected, run_on

            run = partial(run_on, stack.enter_context(connected(cluster)))
        found = study(work, plan, chunks.sweep(work, plan, out, run=run, progress=done))
    view = make_view(
        show.render_sweep, show.sweep_json, "fastest", lambda s: show.tabulate_points(s, s.summary.fastest),
        show.sweep_page, SweepPicture,
    )  # fmt: skip
    return Found("sweep", found, view)


def gpus(
    name: str | None = None, *, vendor: str | None = None, search: str | None = None, segment: str | None = None,
    since: int | None = None, on_sale: bool = False, like: str | None = None,
) -> Found:  # fmt: skip
    """The catalog, a row per processor; or one entry, a row per value with unit, source and uncertainty."""
    from roofcast import catalog
    from roofcast.catalog import selecting, show
    from roofcast.core.resource import Resource
    from roofcast.kit.bars import Bar, BarPicture
    from roofcast.kit.output import render_json
    from roofcast.kit.page import Page, Section

    def picture(processors: Sequence[Processor]) -> BarPicture:
        return BarPicture("DRAM bandwidth", "B/s", [Bar(p.name, p.rate(Resource.BYTES_DRAM)) for p in processors])

    if name is not None:
        match = catalog.parse_target(name)
        view = make_view(
            show.render_entry, show.render_entry_json, "values", lambda m: show.tabulate_entry(m.processor),
            lambda m: Page(m.processor.name, intro=(*m.notes, *m.processor.notes),
                           sections=(Section("", table=show.tabulate_entry(m.processor)),)),
            lambda m: picture([m.processor]),
        )  # fmt: skip
        return Found("gpus", match, view)
    listed = selecting.select_current(
        show.select_processors(catalog.processors(), vendor, search), segment, since, on_sale
    )
    if like is not None:
        listed = selecting.rank_likeness(listed, like)

    def data(processors: Sequence[Processor]) -> str:
        return "".join(render_json({"processors": show.tabulate_processors(processors, 160).records()}))

    view = make_view(
        show.render_overview, data, "processors", lambda found: show.tabulate_processors(found, 160),
        lambda found: Page("GPUs and CPUs", intro=(show.OVERVIEW_NOTE,),
                           sections=(Section("", table=show.tabulate_processors(found, 160)),)),
        picture,
    )  # fmt: skip
    return Found("gpus", listed, view)


def hull(
    what: str = "", *, on: str | Sequence[str] | None = None, complexity: str | float = "1", transfers: bool = False,
    form: str = "auto", assume: str = "", element: str | None = None, offset: float | None = None,
    sizes: str | Mapping[str, int] = "", measured: str | None = None, fit: str | None = None,
    source: str | None = None, compare: str | None = None, origin: str | None = None, kernel: str | None = None,
) -> Found:  # fmt: skip
    """Forecast an algorithm class, or an application of several stages, before any code exists; a row per processor.

    what : a class, ``"1024x1024|element -> 256|shared"``, or the TOML file of an application. on : GPUs and CPUs.
    complexity : operations of one application of the class's function, or a range ``"1:100"``. transfers : input and
    output cross the bus. form : auto, published, modern, both. assume : what is known of the code, in words.
    element : its type. sizes : ``{"A": 1024}``. measured : a CSV of points. fit : a latency such as ``"100us"``.
    source : code to classify, ``"stencil.c:jacobi"``. compare : a profile to lay beside the class; origin : its GPU.
    """
    from roofcast.hulls.asking import HullQuestion, answer, view_answer

    found = answer(HullQuestion(
        what=what, on=on, complexity=complexity, transfers=transfers, form=form, assume=assume, element=element,
        offset=offset, sizes=sizes, measured=measured, fit=fit, source=source, compare=compare, origin=origin,
        kernel=kernel,
    ))  # fmt: skip
    first = found.forecasts[0] if found.forecasts else None
    total = None if first is None else (first.total_low_s, first.total_high_s)
    return Found("hull", found, view_answer(), total)
