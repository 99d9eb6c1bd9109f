"""The question `sweep`: the kernels on every processor of a design space."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.records import dataclass
from roofcast.kit.asked import Ask, Option
from roofcast.kit.returned import Found, View

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.kit.asked import Progress
    from roofcast.sweeps.study import Study


@dataclass(frozen=True, repr=False, eq=False)
class Swept(Found["Study"]):
    """A design space; a row per fastest processor."""

    kind = "sweep"

    def shown(self) -> View[Study]:
        """How a sweep shows itself."""
        from roofcast.sweeps import show
        from roofcast.sweeps.figures import SweepPicture, bind_pictures

        return View(
            show.render_sweep, show.record_sweep, lambda s: show.tabulate_points(s, s.summary.fastest), show.sweep_page,
            SweepPicture, key="fastest", rows=show.tabulate_sets, state=show.state_sweep, pictures=bind_pictures,
        )  # fmt: skip


def sweep(
    kernels: Any, space: Any, *, weights: str | Mapping[str, float] | None = None,
    out: str | Path | None = None, cluster: str | None = None, source: str | Processor | None = None,
    together: bool = False, model: str | None = None, coverage: float = 0.9, conditions: Any = "production",
    clock: str | float = "auto", cache: str = "auto", load: str = "auto",
    launch_floor: str | Sequence[str | float] | None = None,
    kernel: str | None = None, input_format: str | None = None, progress: Progress | None = None,
) -> Swept:  # fmt: skip
    """Forecast the kernels of FILE on every processor of a design space around a GPU.

    space : Axes, constraints, cost and goal (docs/sweep.md).
    weights : How often kernels run (default: once each launch).
    out : Stream every forecast to Parquet in this folder; resumes there.
    cluster : Compute on Dask.
    model : Model of the base (default: forecast's); its variations follow the physics.

    A row per fastest processor. In Python the space may be a dict of what stands in its file.
    """
    from roofcast.forecasting.conditions import make_conditions
    from roofcast.reading import read_kernels
    from roofcast.sweeps import chunks
    from roofcast.sweeps.space import parse_space, read_space
    from roofcast.sweeps.stated import parse_weights
    from roofcast.sweeps.study import study
    from roofcast.sweeps.workload import prepare

    plan = parse_space(space) if isinstance(space, Mapping) else read_space(space)
    given = parse_weights(weights)
    asked = make_conditions(coverage, clock, cache, launch_floor, conditions, load)
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
            from roofcast.sweeps.cluster import connected, run_on

            run = partial(run_on, stack.enter_context(connected(cluster)))
        answer = study(work, plan, chunks.sweep(work, plan, out, run=run, progress=done))
    return Swept(answer)


ASK = Ask(
    name="sweep",
    run=sweep,
    options={
        "space": Option("FILE.toml", kind="path"),
        "weights": Option("NAME=N[,...]", kind="list"),
        "out": Option("FOLDER", kind="path"),
        "cluster": Option("tcp://...|local"),
        "model": Option(choices=("hybrid", "mechanistic")),
    },
    shows={"notes": ""},
    formats=("table", "json", "csv", "parquet", "html", "svg", "png", "pdf"),
    reads=True,
    pictures="Draw heat map, fronts, elasticities.",
    examples=(
        "roofcast sweep run.ncu-rep --space space.toml",
        "roofcast sweep run.ncu-rep --space space.toml -o heat.svg",
        "roofcast sweep run.ncu-rep --space space.toml --pictures figures --report sweep.html",
        "roofcast sweep run.ncu-rep --space space.toml --out sweep/        every forecast as Parquet; resumes",
        "roofcast sweep run.ncu-rep --space space.toml --cluster tcp://scheduler:8786",
    ),
)
"""The question, in every door."""
