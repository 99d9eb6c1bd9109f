"""From what users say of a step to what is scaled: a measured run, a trace's forecast, or a model that never ran."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from roofcast.catalog.nodes import Node, gpus_sharing_links, place_in
from roofcast.core.errors import InputError, RoofcastError
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.units import format_quantity, parse_quantity
from roofcast.kit.quantities import format_interval, format_percent, format_seconds
from roofcast.models.physics.causes.collectives import links_of
from roofcast.models.physics.link_times import NODE_GPUS
from roofcast.scaling.measured_run import (
    BACKWARD,
    Exchange,
    Run,
    Scaled,
    Scaling,
    add_up_s,
    parse_counts,
    read_exchange,
    read_run,
    run_of_trace,
    tell_node,
)
from roofcast.scaling.plans import (
    BATCHES_OF_STAGE,
    RESERVED_BYTES,
    RESERVED_SHARE,
    Plan,
    Replica,
    make_place,
    parse_plan,
    scale_plans,
)
from roofcast.scaling.scaling_law import gain_of_gpu, spread_of_run
from roofcast.scaling.training_model import TrainingModel, read_training_model

EFFICIENCY = "efficiency: samples per second of each GPU over those of one GPU that held all of it"
UNCHECKED = "plans are counted by the law of the links and stated formulas: no public step under a plan checks them"


@dataclass(frozen=True)
class Start:
    """What is scaled, for each target."""

    runs: Sequence[Run]
    targets: Sequence[Processor]


def rate_of(network: str | float) -> float:
    """B/s that the network gives each GPU, as a rate or a node says it."""
    exchange, _ = read_exchange(1.0, network)
    return math.nan if exchange is None else exchange.network_bytes_per_s


@dataclass(frozen=True)
class Question:
    """What users say beside the run."""

    gpus: str | int | Sequence[int] | None
    plan: str | None
    keep_batch: bool
    micro_batches: int | None
    gradients: str | float | None
    network: str | float | None
    global_batch: float | None
    memory: str | float | None
    ran: str | None = None
    """The plan of the measured run."""

    @cached_property
    def counts(self) -> list[int]:
        """Counts of GPUs, least first."""
        if self.gpus is None:
            raise InputError("say how many GPUs: --gpus 8,16,64")
        return parse_counts(self.gpus)

    @cached_property
    def exchange(self) -> tuple[Exchange | None, Node | None]:
        """What is added up, and the node."""
        return read_exchange(self.gradients, self.network)

    def joined(self, start: Start) -> tuple[Exchange | None, Node | None]:
        """The same of what starts so: the network of a trace of several GPUs is that of its collectives."""
        if self.gradients is None and any(r.regrouped_s for r in start.runs):
            return None, None if self.network is None else read_exchange(1.0, self.network)[1]
        return self.exchange

    @property
    def batches(self) -> int | None:
        """Micro-batches."""
        if self.micro_batches is None:
            return None
        count = int(self.micro_batches)
        if count != self.micro_batches or not 1 <= count <= MOST_BATCHES:
            raise InputError("--micro-batches is a whole number from 1 on")
        return count

    def of_record(self, record: Mapping[str, Any], to: Any, host_us: float | None) -> Planned:
        """Replicas of a model that never ran."""
        from roofcast.catalog.targets import list_gpus
        from roofcast.forecasting.sources import resolve_target
        from roofcast.forecasting.unmeasured_steps import forecast_operators
        from roofcast.operators.recorded_operators import read_operators

        model = read_training_model(record)
        if self.gradients is not None:
            if not math.isnan(model.gradients):
                raise InputError("the list of operators says what replicas add up: leave out --gradients")
            model = replace(model, gradients=parse_quantity(self.gradients, "B"))
        if math.isnan(model.gradients):
            raise InputError("the execution trace of one rank: say what replicas add up in a step, --gradients 14GB")
        targets = [resolve_target(t).processor for t in list_gpus(to)]
        steps = forecast_operators(read_operators(record), targets, host_us=host_us)
        batch = (model.sequences or math.nan) if self.global_batch is None else float(self.global_batch)
        replicas = tuple(
            Replica((t.device_time_s, t.device_low_s, t.device_high_s), (t.host_time_s, t.host_low_s, t.host_high_s),
                    model, batch) for t in steps.totals
        )  # fmt: skip
        first = steps.totals[0]
        run = Run(targets[0], 1, first.time_s, batch, step_low_s=first.time_low_s, step_high_s=first.time_high_s)
        origin = (
            f"a model that never ran: {format_interval(first.time_low_s, first.time_high_s)} on one GPU by forecast"
        )
        notes = [origin, *steps.notes[:1]]
        if self.global_batch is None and model.sequences:
            notes.append("samples are the sequences of attention: --global-batch says another count")
        return Planned(run, tuple(targets), replicas, tuple(notes))

    def of_runs(self, start: Start) -> Planned:
        """Replicas of measured steps: of one GPU, or of several under the plan that users say they ran."""
        run = start.runs[0]
        ran = self.find_recorded(run)
        volume = self.find_gradients(start, ran)
        model = TrainingModel(weights=volume, gradients=volume)
        replicas, notes = [], []
        for measured, gpu in zip(start.runs, start.targets, strict=True):
            same = measured.gpu.key == gpu.key
            gain = 1.0 if same else gain_of_gpu(measured.gpu, gpu)
            spread = 1.0 if same else float(spread_of_run(True, 1.0))
            alone_s = self.find_alone(measured, ran, volume)
            step = alone_s / gain
            low, high = measured.doubt
            batch = measured.batch / ran.replicas
            replicas.append(Replica((step, step / low / spread, step * high * spread), model=model, batch=batch))
        if ran.gpus > 1:
            what = "as the trace is played again without its collectives"
            if 1 not in run.regrouped_s:
                what = "by the law of the links, hidden as far as may be"
            notes.append(f"the step ran with {ran}: one replica on one GPU computes for "
                         f"{format_seconds(replicas[0].device[0])}, {what}")  # fmt: skip
        return Planned(run, tuple(start.targets), tuple(replicas), tuple(notes), ran, tuple(start.runs))

    def find_recorded(self, run: Run) -> Plan:
        """The plan that the measured run had."""
        if self.ran is None:
            if run.gpus > 1:
                raise InputError(f'a plan spreads one replica, and how {run.gpus} GPUs shared this step is not known: '
                                 f'say its own plan, --ran "dp {run.gpus}", or leave out --plan')  # fmt: skip
            return Plan()
        ran = parse_plan(self.ran, run.gpus)
        if ran.tp * ran.pp * ran.ep > 1:
            raise InputError(f"--ran {ran}: what tensor, pipeline and expert parallelism cut is known of a record of "
                             "roofcast.torch alone; of a measured step say dp or fsdp")  # fmt: skip
        return ran

    def find_gradients(self, start: Start, ran: Plan) -> float:
        """B that replicas add up, as users say them or the trace holds them."""
        if self.gradients is not None and (exchange := self.exchange[0]) is not None:
            return exchange.volume_bytes
        summed = start.runs[0].summed_bytes
        if ran.gpus > 1 and not ran.sharded and summed > 0:
            return summed
        raise InputError("say what replicas add up in a step: --gradients 14GB, the bytes of the weights that learn")

    def find_alone(self, run: Run, ran: Plan, volume: float) -> float:
        """S of one replica on one GPU of the run: without collectives as played, else less what the law says of them.

        Of T = C + max(X - h C, 0) with the exchange X behind the share h of the compute C: C = T where X hides.
        """
        if ran.gpus == 1:
            return run.step_s
        if 1 in run.regrouped_s:
            return run.regrouped_s[1]
        network = math.nan if self.network is None else rate_of(self.network)
        node = gpus_sharing_links(run.gpu, NODE_GPUS)
        exchange_s = add_up_s(Exchange(volume, network), links_of(run.gpu), run.gpus, node)
        exchange_s, hides = (1.5 * exchange_s, 1.0) if ran.sharded else (exchange_s, BACKWARD)
        if exchange_s <= hides * run.step_s:
            return run.step_s
        if exchange_s >= run.step_s:
            raise InputError(f"{format_quantity(volume, 'B')} among {run.gpus} x {run.gpu.name} take "
                             f"{format_seconds(exchange_s)} by the law of the links, longer than the whole step: check "
                             "--gradients, --ran and --network")  # fmt: skip
        # Of fsdp nothing but the exchange shows: compute is at most as long.
        return run.step_s if hides == 1.0 else (run.step_s - exchange_s) / (1 - hides)


MOST_BATCHES = 10**6
"""Micro-batches of a step; a larger number is a slip."""


@dataclass(frozen=True)
class Planned:
    """Replicas to spread."""

    run: Run
    targets: tuple[Processor, ...]
    replicas: tuple[Replica, ...]
    notes: tuple[str, ...]
    ran: Plan = field(default_factory=Plan)
    """The plan that the measured run had."""

    runs: tuple[Run, ...] = ()
    """The measured run of each target, or its trace's forecast there."""

    def know(self, scaled: Scaled, run: Run) -> Scaled:
        """The measured run itself is as sure as it was measured."""
        if scaled.gpu.key != run.gpu.key or scaled.plan != str(self.ran) or self.replicas[0].model.is_known:
            return scaled
        low, high = run.doubt
        end = max((piece.start_s + piece.time_s for piece in scaled.timeline), default=math.nan)
        drawn = scaled.timeline if math.isclose(end, run.step_s, rel_tol=1e-6) else ()
        return replace(scaled, step_s=run.step_s, step_low_s=run.step_s / low, step_high_s=run.step_s * high,
                       timeline=drawn)  # fmt: skip


def find_start(one: Any, to: Any, step_time: str | float | None, question: Question, play: Callable[[], Any]) -> Start:
    """The measured run, or the forecast of a trace on each target. play : forecasts the trace."""
    from roofcast.catalog.targets import list_gpus, parse_target

    batch, memory = question.global_batch, question.memory
    if isinstance(one, str) and one != "-" and not Path(one).exists():
        if step_time is None:
            raise RoofcastError("no such trace; where it names GPUs, say what a step took on them: --step-time 94ms")
        targets = [parse_target(g).processor if isinstance(g, str) else g for g in list_gpus(to)]
        runs = [read_run(one, step_time, batch, memory)] * len(targets)
    else:
        runs = [run_of_trace(f, batch, memory) for f in play()]
        targets = [r.gpu for r in runs]
    if not runs:
        raise RoofcastError("no GPU to forecast for: give to")
    return Start(runs, targets)


def scale_planned(planned: Planned, question: Question) -> Scaling:
    """Replicas under the plan on every target with every count."""
    text = question.plan or "auto"
    counts = [None] if question.gpus is None else question.counts
    exchange, node = (None, None)
    if question.network is not None or question.gradients is not None:
        volume = question.gradients if question.gradients is not None else 1.0
        exchange, node = read_exchange(volume, question.network)
    network = math.nan if exchange is None else exchange.network_bytes_per_s
    scales: list[Scaled] = []
    runs = planned.runs or (planned.run,) * len(planned.targets)
    for target, replica, run in zip(planned.targets, planned.replicas, runs, strict=True):
        if node is not None and node.gpu and node.gpu != target.name:
            raise InputError(f"{node.name} has {node.gpu}, not {target.name}: give --network a rate, or a node of it")
        share = gpus_sharing_links(target, NODE_GPUS) if node is None else node.gpus
        place = make_place(target if node is None else place_in(target, node), share, network)
        scaled = scale_plans(text, replica, place, counts, keep_batch=question.keep_batch, batches=question.batches)
        scales += [planned.know(s, run) for s in scaled]
    notes = [*planned.notes, UNCHECKED, EFFICIENCY]
    if any("pp" in s.plan.split() for s in scales) and question.batches is None:
        notes.append(f"pipelines run {BATCHES_OF_STAGE} micro-batches for each stage, assumed: --micro-batches")
    if planned.replicas[0].model.is_known:
        notes.append(f"memory: tensors, {format_percent(RESERVED_SHARE, 0)} more for the allocator and "
                     f"{RESERVED_BYTES / 1e9:g} GB for driver and libraries, assumed")  # fmt: skip
    notes += [tell_node(node)] if node is not None else []
    return replace(Scaling(planned.run, tuple(scales), question.keep_batch, tuple(notes)), planned=True)
