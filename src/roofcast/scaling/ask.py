"""The question `scale`: how long a training step takes on other counts of GPUs, and on other GPUs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from roofcast.core.records import dataclass
from roofcast.kit.asked import Ask, Option
from roofcast.kit.returned import Found, View

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.kit.asked import Progress
    from roofcast.scaling.measured_run import Scaling


@dataclass(frozen=True, repr=False, eq=False)
class ScaledRun(Found["Scaling"]):
    """A step on other counts of GPUs; a row per GPU and count."""

    kind = "scale"

    def shown(self) -> View[Scaling]:
        """How a step on other counts of GPUs shows itself."""
        from roofcast.scaling import show

        return View(
            show.render_scaling, show.record_scaling, show.tabulate_scaling, show.scaling_page, show.draw_scaling,
            key="scales",
        )  # fmt: skip


def scale(
    traces: Any, to: str | Processor | Sequence[str | Processor], gpus: str | int | Sequence[int] | None = None, *,
    plan: str | None = None, ran: str | None = None, step_time: str | float | None = None,
    global_batch: float | None = None, keep_batch: bool = False, micro_batches: int | None = None,
    memory: str | float | None = None, gradients: str | float | None = None, network: str | float | None = None,
    straggler: str | float | None = None, failures: str | None = None, samples: float | None = None,
    prices: str | None = None, source: str | Processor | None = None, host_speed: str | float = 1.0,
    host_us: float | None = None, input_format: str | None = None, progress: Progress | None = None,
) -> ScaledRun:  # fmt: skip
    """Forecast a training step on other counts of GPUs, and on other GPUs.

    TRACE: a recorded step (several files are its ranks), the GPUs on which one was timed: "8 x H200 SXM", or a list
    of operators of a model that never ran (roofcast.torch.record with train=True).

    gpus : Counts of GPUs (default: as many as the plan says).
    plan : Of one GPU's step: "dp 64", "fsdp 64", "tp 8 dp 8", "pp 4 tp 8 dp 2", "ep 8", or auto, the best that fits.
    ran : The plan of the run itself, where it had several GPUs and --plan asks for another: "dp 8", "fsdp 8".
    step_time : What a step takes on the GPUs of the run.
    global_batch : Samples of a step on all GPUs of the run together.
    keep_batch : That batch stays and is divided among the GPUs (default: each GPU or replica keeps its samples).
    micro_batches : Of a pipeline, for each step of a replica (default: four for each stage).
    memory : What the run held on each GPU.
    gradients : What GPUs add up in a step, where the run had one GPU.
    network : What the network gives each GPU, per direction; or the node, "DGX H100" or a TOML file.
    straggler : How far the steps of GPUs spread (standard deviation): the slowest decides.
    failures : Time between failures of one GPU, then of a checkpoint and of a restart.
    samples : To train on in all: hours, and dollars where --prices has rents.
    prices : Rents of the GPUs: a file, or public.
    host_speed : Of a trace: how many times as fast the host beside the target is.
    host_us : Microseconds of the target's host: of a trace per kernel launched, of a list per operator.

    A row per GPU and count.
    """
    from roofcast.applications.recorded import check_host_us, forecast_given, parse_speed, parse_step_time
    from roofcast.scaling.long_training import train_on
    from roofcast.scaling.measured_run import scale_run
    from roofcast.scaling.question import Question, find_start, scale_planned
    from roofcast.scaling.training_model import find_record

    given = traces[0] if isinstance(traces, (list, tuple)) and len(traces) == 1 else traces
    question = Question(gpus, plan, keep_batch, micro_batches, gradients, network, global_batch, memory, ran)
    if (record := find_record(given)) is not None:
        scaling = scale_planned(question.of_record(record, to, host_us), question)
    else:
        play = partial(
            forecast_given, traces, to, network, (), input_format, source=source, ranks=True,
            step_time_s=parse_step_time(step_time), host_speed=parse_speed(host_speed), host_us=check_host_us(host_us),
            group_sizes=() if gpus is None else tuple(question.counts), progress=progress,
        )  # fmt: skip
        start = find_start(given, to, step_time, question, play)
        if plan is not None:
            scaling = scale_planned(question.of_runs(start), question)
        else:
            exchange, node = question.joined(start)
            scaling = scale_run(
                start.runs, start.targets, question.counts, keep_batch=keep_batch, exchange=exchange, node=node
            )
    return ScaledRun(train_on(scaling, straggler=straggler, failures=failures, samples=samples, prices=prices))


ASK = Ask(
    name="scale",
    run=scale,
    options={
        "gpus": Option("8,16,64"),
        "plan": Option("PLAN|auto"),
        "ran": Option("PLAN"),
        "micro_batches": Option("N", kind="number"),
        "straggler": Option("2%"),
        "failures": Option("50000h,60s,600s"),
        "samples": Option("N", kind="number"),
        "prices": Option("FILE.toml|public"),
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
        'roofcast scale model.json --to "H100 SXM" --gpus 8,64 --plan auto --network "DGX H100"',
        'roofcast scale model.json --to "H100 SXM" --plan "pp 4 tp 8 dp 2" --network "DGX H100"',
    ),
)
"""The question, in every door."""
