"""The question `scale`: how long a training step takes on other counts of GPUs, and on other GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.display import View
from roofcast.core.errors import RoofcastError
from roofcast.kit.asked import Ask, Found, Option, Writing, make_view

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.kit.asked import Progress
    from roofcast.scaling.measured_run import Scaling


@dataclass(frozen=True, repr=False)
class ScaledRun(Found):
    """A step on other counts of GPUs; a row per GPU and count."""

    kind = "scale"
    found: Scaling

    def shown(self) -> View:
        """The view of a scaled step."""
        return view_scaling()

    def written(self) -> Writing:
        """How the command writes a scaled step."""
        from roofcast.kit.output import write_figure_file
        from roofcast.scaling import show

        def draw(found: Scaling, path: str | Path) -> None:
            write_figure_file(path, partial(show.curve_figure, found))

        return Writing(
            show.render_scaling, show.record_scaling, show.scaling_page, show.tabulate_scaling,
            files=dict.fromkeys(show.PICTURES, draw),
        )  # fmt: skip


def scale(
    traces: Any, to: str | Processor | Sequence[str | Processor], gpus: str | int | Sequence[int], *,
    step_time: str | float | None = None, global_batch: float | None = None, keep_batch: bool = False,
    memory: str | float | None = None, gradients: str | float | None = None, network: str | float | None = None,
    source: str | Processor | None = None, host_speed: str | float = 1.0, host_us: float | None = None,
    input_format: str | None = None, progress: Progress | None = None,
) -> ScaledRun:  # fmt: skip
    """Forecast a training step on other counts of GPUs, and on other GPUs.

    TRACE: a recorded step (several files are its ranks), or the GPUs on which one was timed: "8 x H200 SXM".

    gpus : Counts of GPUs.
    step_time : What a step takes on the GPUs of the run.
    global_batch : Samples of a step on all GPUs of the run together.
    keep_batch : That batch stays and is divided among the GPUs (default: each GPU keeps its samples).
    memory : What the run held on each GPU.
    gradients : What GPUs add up in a step, where the run had one GPU.
    network : What the network gives each GPU, per direction; or the node, "DGX H100" or a TOML file.
    host_speed : Of a trace: how many times as fast the host beside the target is.
    host_us : Of a trace: microseconds of the target's host per kernel launched.

    A row per GPU and count.
    """
    from roofcast.applications.ask import app
    from roofcast.catalog.targets import list_gpus, parse_target
    from roofcast.scaling.measured_run import parse_counts, read_exchange, read_run, run_of_trace, scale_run

    counts, (exchange, node) = parse_counts(gpus), read_exchange(gradients, network)
    one = traces[0] if isinstance(traces, (list, tuple)) and len(traces) == 1 else traces
    if isinstance(one, str) and one != "-" and not Path(one).exists():
        if step_time is None:
            raise RoofcastError("no such trace; where it names GPUs, say what a step took on them: --step-time 94ms")
        targets = [parse_target(g).processor if isinstance(g, str) else g for g in list_gpus(to)]
        runs = [read_run(one, step_time, global_batch, memory)] * len(targets)
    else:
        played = app(
            traces, to, source=source, ranks=True, step_time=step_time, host_speed=host_speed, host_us=host_us,
            input_format=input_format, progress=progress,
        )  # fmt: skip
        runs = [run_of_trace(f, global_batch, memory) for f in played.found]
        targets = [r.gpu for r in runs]
    if not runs:
        raise RoofcastError("no GPU to forecast for: give to")
    return ScaledRun(scale_run(runs, targets, counts, keep_batch=keep_batch, exchange=exchange, node=node))


def view_scaling() -> View:
    """How a step on other counts of GPUs shows itself."""
    from roofcast.scaling import show

    return make_view(
        show.render_scaling, show.record_scaling, "scales", show.tabulate_scaling, show.scaling_page, show.draw_scaling
    )


ASK = Ask(
    name="scale",
    run=scale,
    view=view_scaling,
    options={
        "gpus": Option("8,16,64"),
        "step_time": Option("94ms"),
        "global_batch": Option("N", kind="number"),
        "keep_batch": Option(),
        "memory": Option("61GB"),
        "gradients": Option("14GB"),
        "network": Option("50GB/s"),
        "host_speed": Option("1.5x"),
        "host_us": Option("US", kind="number"),
    },
    formats=("table", "json", "csv", "parquet", "html", "svg", "png", "pdf"),
    examples=(
        'roofcast scale "8 x H200 SXM" --step-time 94ms --global-batch 768 --to H100 --gpus 8,16,64',
        'roofcast scale "8 x H200 SXM" --step-time 94ms --global-batch 768 --keep-batch --to H200 --gpus 8,16,32,64',
        'roofcast scale step.pt.trace.json.gz --to "H200 SXM,B200" --gpus 1,8,64 --gradients 700MB --network 50GB/s',
    ),
)
"""The question, in every door."""
