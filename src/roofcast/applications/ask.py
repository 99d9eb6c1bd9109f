"""The question `app`: how long a whole recorded run takes elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import RoofcastError
from roofcast.core.records import dataclass
from roofcast.kit.asked import Ask, Option
from roofcast.kit.returned import Found, View

if TYPE_CHECKING:
    from roofcast.applications.result import ApplicationForecast, Span
    from roofcast.core.processor import Processor
    from roofcast.kit.asked import Progress


@dataclass(frozen=True, repr=False, eq=False)
class ForecastRuns(Found["list[ApplicationForecast]"]):
    """Forecasts of recorded runs; a row per target (and run)."""

    kind = "app"

    @property
    def total(self) -> Span:
        """The whole run on the GPU that is named first."""
        from roofcast.applications.show import find_best

        return find_best(self.found).answer

    def shown(self) -> View[list[ApplicationForecast]]:
        """How forecasts of applications show themselves; in a notebook with the timeline of the page."""
        from roofcast.applications import show
        from roofcast.applications.perfetto import render_perfetto
        from roofcast.kit.output import SvgPicture

        def draw(runs: list[ApplicationForecast]) -> str:
            return show.style_alone(show.timeline_picture(runs[0].drawn or runs[0]))

        view: View[list[ApplicationForecast]] = View(
            show.render_app, show.record_runs, show.tabulate_targets, show.app_page,
            lambda runs: SvgPicture(draw(runs)), rows=show.tabulate_totals,
            explain=lambda runs, i: show.render_run(runs[i], 120, show.ROWS_SHOWN),
            state=lambda runs: show.state_run(show.find_best(runs)),
            texts={"svg": draw, "perfetto": render_perfetto},
        )  # fmt: skip
        return replace(view, html=lambda runs: view.render_html(runs) + show.frame_timeline(runs))


def app(
    traces: Any, to: str | Processor | Sequence[str | Processor], *, source: str | Processor | None = None,
    counters: Any = (), model: str | None = None, coverage: float = 0.9, conditions: Any = "production",
    clock: str | float = "auto", cache: str = "auto", load: str = "auto",
    launch_floor: str | Sequence[str | float] | None = None,
    range: str | None = None, step: bool = False, host_speed: str | float = 1.0, ranks: bool = False,  # noqa: A002
    step_time: str | float | None = None, host_us: float | None = None, network: str | float | None = None,
    input_format: str | None = None, progress: Progress | None = None,
) -> ForecastRuns:  # fmt: skip
    """Forecast a whole application from its timeline: kernels, copies, gaps, overlap.

    TRACE: a PyTorch trace, an Nsight Systems export, rocprof or nvprof traces; several are separate runs unless the
    files say that they are ranks of one (or --ranks does).

    counters : Profile of its kernels (ncu ...).
    launch_floor : Time of an empty launch on source and target, e.g. "4us,6us": the hosts differ by that.
    range : Only this range of the run (NVTX, ROCTX, record_function), by its name in the trace.
    step : Only the steps that repeat, without start-up and warm-up.
    host_speed : How many times as fast the host beside the target is.
    ranks : Several traces are ranks of one run (default: as the files say).
    step_time : What a step takes on the source without its profiler, which slows the host.
    host_us : Microseconds of the target's host per kernel launched, in place of --host-speed.
    network : What the way between the target's GPUs gives each beyond its own links, or their node, "DGX H100".

    In Python the traces may be files, bytes or file objects, the step's time seconds. A row per target (and run).
    """
    from roofcast.applications.recorded import check_host_us, forecast_given, parse_speed, parse_step_time
    from roofcast.forecasting.conditions import make_conditions, parse_launch_floor

    if step and range is not None:
        raise RoofcastError("--step and --range name two parts of the run: give one of them")
    given = make_conditions(coverage, clock, cache, None, conditions, load)
    return ForecastRuns(forecast_given(
        traces, to, network, counters, input_format, source=source, model=model, coverage=given.coverage,
        conditions=given, launch_floor=parse_launch_floor(launch_floor), range_name=range, step=step,
        host_speed=parse_speed(host_speed), step_time_s=parse_step_time(step_time), host_us=check_host_us(host_us),
        ranks=ranks, progress=progress,
    ))  # fmt: skip


ASK = Ask(
    name="app",
    run=app,
    options={
        "counters": Option("FILE", kind="paths"),
        "launch_floor": Option("SRC,TGT", kind="floors"),
        "range": Option("NAME"),
        "step": Option(),
        "host_speed": Option("1.5x"),
        "ranks": Option(),
        "step_time": Option("42ms"),
        "host_us": Option("US", kind="number"),
        "network": Option("50GB/s"),
    },
    shows={"top": "Rows of each table.", "notes": ""},
    formats=("table", "json", "csv", "parquet", "html", "svg", "perfetto"),
    suffixes={".trace.json": "perfetto"},
    limits=True,
    examples=(
        "roofcast app step.pt.trace.json.gz --to B200",
        "roofcast app step.pt.trace.json.gz --to H200 --step-time 42ms --host-us 30   # without the profiler, another host",  # noqa: E501
        'roofcast app report.sqlite --to "H100 SXM5 80GB" --counters kernels.ncu-rep --report run.html',
        "roofcast app step.pt.trace.json.gz --to B200,MI300X --step --host-speed 1.5x",
        "roofcast app step.pt.trace.json.gz --to B200 -o b200.trace.json   # before and after, for ui.perfetto.dev",
        "roofcast app rank0.json rank1.json --ranks --to L40S --network 20GB/s   # what its host's slots give each",
        "roofcast app rank0.json rank1.json --ranks --to MI300X --format json",
    ),
)
"""The question, in every door."""
