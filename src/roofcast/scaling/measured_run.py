"""A step that was measured, on other counts of GPUs and on other GPUs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from roofcast.catalog.instances import find_instance
from roofcast.catalog.nodes import Node, find_node, gpus_sharing_links, place_in
from roofcast.catalog.targets import parse_target
from roofcast.core.errors import InputError
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import or_none
from roofcast.core.timeline import Collective
from roofcast.core.units import format_quantity, parse_quantity
from roofcast.kit.quantities import format_percent
from roofcast.models.physics.causes.collectives import SPREAD_WIRE, Links, links_of
from roofcast.models.physics.link_times import NODE_GPUS
from roofcast.scaling.scaling_law import Law, gain_of_gpu, gain_of_gpus, spread_of_run

if TYPE_CHECKING:
    from roofcast.applications.result import ApplicationForecast

GAIN_LEAST = 0.7
"""Share of twice as fast below which another doubling of the GPUs is said not to pay."""
LARGEST_COUNT = 10**6
"""GPUs of a run; a larger number is a slip."""
OTHER_LINKS = 2.0
"""Factor by which a step may be slower (faster) where the GPUs of one side have links of their own and the other's hang
in slots; assumed: no measured run is of both."""
BACKWARD = 2 / 3
"""Share of a step behind which gradients are added up: a backward pass takes twice the operations of a forward one."""
PLAN = "as measured"
MEMORY = ("weights_bytes", "gradients_bytes", "optimizer_bytes", "activations_bytes")
LIMITS = {"batch": "the batch is divided among more GPUs", "network": "the network between nodes", "": "the GPUs"}
WARMTH = "the plan, software and network are taken to stay as good: only counts, batch and GPU change"
PLAYED = "the trace is played again with its collectives among so many GPUs, behind what hid them; the plan stays"


@dataclass(frozen=True)
class Exchange:
    """What GPUs add up in a step of data parallelism that a run of one GPU did not."""

    volume_bytes: float
    """V: B of gradients."""
    network_bytes_per_s: float = math.nan
    """B/s that the network gives each GPU, per direction; NaN where nobody says."""


@dataclass(frozen=True)
class Run:
    """One measured step."""

    gpu: Processor
    gpus: int
    step_s: float
    batch: float = math.nan
    """Samples of a step on all GPUs together; NaN where nobody says."""
    memory_bytes: float = math.nan
    """B that it held on each GPU; NaN where nobody says."""
    step_low_s: float = math.nan
    """Ends of the step's interval where it is itself a forecast; NaN where it was measured."""
    step_high_s: float = math.nan
    regrouped_s: Mapping[int, float] = field(default_factory=dict)
    """GPUs -> s of the step as a trace is played again with its collectives among so many; 1: without any."""
    summed_bytes: float = math.nan
    """B that each GPU's all-reduces add up in a step; NaN where the trace does not say."""

    @property
    def doubt(self) -> tuple[float, float]:
        """Factors from the step to the ends of its own interval."""
        if math.isnan(self.step_low_s):
            return 1.0, 1.0
        return self.step_s / self.step_low_s, self.step_high_s / self.step_s


class Segment(NamedTuple):
    """A piece of one step on one GPU."""

    lane: str
    """``device`` or ``exchange``, which run beside each other."""
    what: str
    start_s: float
    time_s: float


def line_up(compute_s: float, others: Mapping[str, float], exchange_s: float, hides: float) -> tuple[Segment, ...]:
    """One step: compute, what stands between it, and the exchange beside the part of the compute that hides it.

    others : s of what waits, by its name. hides : share of the compute beside which the exchange may run, from its end.

    >>> [(s.what, s.start_s, s.time_s) for s in line_up(3.0, {}, 2.5, 2 / 3)]
    [('forward pass', 0.0, 1.0), ('backward pass', 1.0, 2.0), ('exchange', 1.0, 2.5)]
    """
    forward = compute_s * (1 - BACKWARD)
    segments = [Segment("device", "forward pass", 0.0, forward),
             Segment("device", "backward pass", forward, compute_s - forward)]  # fmt: skip
    end = compute_s
    for what, seconds in others.items():
        if seconds > 0:
            segments.append(Segment("device", what, end, seconds))
            end += seconds
    if exchange_s > 0:
        segments.append(Segment("exchange", "exchange", end - hides * compute_s, exchange_s))
    return tuple(segments)


@dataclass(frozen=True)
class Scaled:
    """The step on so many of a GPU."""

    gpu: Processor
    gpus: int
    step_s: float
    step_low_s: float
    step_high_s: float
    samples: float
    """Of a step; NaN unknown."""
    efficiency: float
    """What a GPU does of what each did with the least count of the answer."""
    memory_bytes: float
    limit: str
    communication_s: float = math.nan
    """S of the sum of the gradients; NaN where it is part of the measured step."""
    exposed_s: float = math.nan
    """What of it the backward pass does not hide."""
    node_gpus: int = NODE_GPUS
    """GPUs that share links."""
    plan: str = PLAN
    memory: tuple[float, float, float, float] | None = None
    """B of weights, gradients, optimiser and activations on each GPU; None where only the sum is known."""
    useful: float = 1.0
    """Share of the time that failures leave."""
    hours: float = math.nan
    """To the samples that were asked for; NaN where none were, or the step's are not known."""
    cost_usd: float = math.nan
    """Of those hours on all GPUs; NaN where no rent is stated."""
    notes: tuple[str, ...] = ()
    timeline: tuple[Segment, ...] = ()
    """One step; empty where nobody knows what is in it."""

    @property
    def samples_per_s(self) -> float:
        """Samples per second of all GPUs, less what failures cost; NaN unknown."""
        return self.samples / self.step_s * self.useful

    @property
    def fits(self) -> bool | None:
        """Whether the memory of the measured run, where the batch of a GPU does not grow, is there; None unknown."""
        if math.isnan(self.memory_bytes) or not self.gpu.capacity_bytes_dram:
            return None
        return self.memory_bytes <= self.gpu.capacity_bytes_dram

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        return {
            "gpu": self.gpu.name, "gpus": self.gpus, "nodes": -(-self.gpus // self.node_gpus), "plan": self.plan,
            "step_s": self.step_s, "step_low_s": self.step_low_s, "step_high_s": self.step_high_s,
            "samples_per_s": or_none(self.samples_per_s), "efficiency": self.efficiency,
            "communication_s": or_none(self.communication_s),
            "exposed_s": or_none(self.exposed_s),
            "memory_bytes": or_none(self.memory_bytes), "fits": self.fits, "limit": self.limit,
            "memory": None if self.memory is None else dict(zip(MEMORY, self.memory, strict=True)),
            "useful_fraction": self.useful, "hours": or_none(self.hours), "cost_usd": or_none(self.cost_usd),
            "timeline": [s._asdict() for s in self.timeline], "notes": list(self.notes),
        }  # fmt: skip


@dataclass(frozen=True)
class Scaling:
    """The answer."""

    run: Run
    scales: tuple[Scaled, ...]
    keep_batch: bool
    notes: tuple[str, ...]
    planned: bool = False
    """Whether the step of one GPU is spread by plans."""


def read_run(text: str, step_time: str | float, batch: float | None = None, memory: str | float | None = None) -> Run:
    """A run as users write it. text : ``"8 x H200 SXM"``, an instance, or a GPU, of which it is one.

    >>> run = read_run("8 x H200 SXM", "94ms", 768)
    >>> run.gpus, run.step_s, run.batch
    (8, 0.094, 768.0)
    """
    node = find_instance(text)
    gpu = parse_target(node.gpu if node is not None else text).processor
    step_s = parse_quantity(step_time, "s")
    held = math.nan if memory is None else parse_quantity(memory, "B")
    for value, what in ((step_s, "the step's time"), (batch, "the batch"), (held, "the memory")):
        if value is not None and not math.isnan(value) and not 0 < value < math.inf:
            raise InputError(f"{what} must be more than zero and finite")
    if math.isnan(step_s) or (batch is not None and math.isnan(batch)):
        raise InputError("the step's time and the batch are numbers")
    return Run(gpu, 1 if node is None else node.count, step_s, math.nan if batch is None else float(batch), held)


def read_exchange(gradients: str | float | None, network: str | float | None) -> tuple[Exchange | None, Node | None]:
    """What users say of it, None where they say nothing; the node that their network names."""
    node = find_node(network) if isinstance(network, str) else None
    if gradients is None:
        if network is not None and node is None:
            raise InputError(
                "a rate of the network is used with what GPUs add up over it, --gradients 14GB, in a step of one GPU; "
                "a step of several has its own network in it, of which a node may be said: --network 'DGX H100'"
            )
        return None, node
    rate = math.nan
    if network is not None:
        rate = parse_quantity(network, "B/s") if node is None else node.network_bytes_per_s
    exchange = Exchange(parse_quantity(gradients, "B"), rate)
    if not 0 < exchange.volume_bytes < math.inf or not (math.isnan(rate) or 0 < rate < math.inf):
        raise InputError("gradients and network must be more than zero and finite")
    return exchange, node


def run_of_trace(found: ApplicationForecast, batch: float | None, memory: str | float | None = None) -> Run:
    """The step that a trace recorded, as it is forecast on a target, with as many GPUs."""
    answer, sizes = found.answer, found.timeline.activities.group_size
    gpus = max(found.devices, int(np.nanmax(sizes, initial=1)))
    held = math.nan if memory is None else parse_quantity(memory, "B")
    return Run(
        found.target, gpus, answer.time_s, math.nan if batch is None else float(batch), held,
        step_low_s=answer.time_low_s, step_high_s=answer.time_high_s, regrouped_s=found.regrouped_s,
        summed_bytes=found.summed_bytes,
    )  # fmt: skip


def parse_counts(given: str | int | Sequence[int]) -> list[int]:
    """Counts of GPUs, least first, each once.

    >>> parse_counts("64, 8,16")
    [8, 16, 64]
    """
    parts = given.split(",") if isinstance(given, str) else [given] if isinstance(given, int) else list(given)
    try:
        counts = sorted({int(p) for p in parts})
    except ValueError:
        counts = []
    if not counts or counts[0] < 1 or counts[-1] > LARGEST_COUNT:
        raise InputError(f'counts of GPUs are whole numbers from 1 to {LARGEST_COUNT:,}: --gpus "8,16,64"')
    return counts


def add_up_s(exchange: Exchange, links: Links, gpus: int, node_gpus: int = NODE_GPUS) -> float:
    """S in which so many GPUs add up their gradients (:func:`roofcast.models.physics.link_times.across_nodes_s`).

    node_gpus : those that share links; among cards in slots of an unknown host the rate is halfway between both trees.

    >>> from roofcast.catalog.finding import find
    >>> h100, gradients = links_of(find("H100 SXM5 80GB").processor), Exchange(1e9, 50e9)
    >>> round(add_up_s(gradients, h100, 8), 4), round(add_up_s(gradients, h100, 64), 4)
    (0.004, 0.0099)
    """
    if gpus > node_gpus and math.isnan(exchange.network_bytes_per_s):
        raise InputError("more than a node: say what the network gives each GPU, --network 50GB/s, or a node, DGX H100")
    network = links._replace(node_gpus=node_gpus, network_bytes_per_s=exchange.network_bytes_per_s)
    near = min(gpus, node_gpus)
    return network.at_middle(near).time_s(Collective.ALL_REDUCE, exchange.volume_bytes, gpus)[0].item()


def scale_run(
    runs: Sequence[Run], targets: Sequence[Processor], counts: Sequence[int], *, keep_batch: bool = False,
    exchange: Exchange | None = None, node: Node | None = None,
) -> Scaling:  # fmt: skip
    """Runs on every target with every count.

    runs : what each target starts from: the measured run, or its forecast on that target.
    keep_batch : whether the global batch stays and is divided, in place of the samples of each GPU.
    node : what the GPUs stand in; None: the largest node that the catalog has of each, or of eight.

    Raises
    ------
    InputError : a fixed batch that nobody states; several GPUs from one, and nobody says what they add up.
    """
    run = runs[0]
    if run.gpus == 1 and counts[-1] > 1 and exchange is None:
        raise InputError(
            "measured on one GPU, which exchanged nothing: say what several add up in a step, --gradients 14GB, or "
            "give a run of several"
        )
    if run.gpus > 1 and exchange is not None:
        raise InputError("measured on several GPUs: what they exchange is in the step; leave out --gradients")
    if keep_batch and math.isnan(run.batch):
        raise InputError("a batch that stays must be known: --global-batch 256, samples of a step on all GPUs")
    scales = tuple(
        s
        for run, target in zip(runs, targets, strict=True)
        for s in scale_on(run, target, counts, keep_batch=keep_batch, exchange=exchange, node=node)
    )
    notes = [WARMTH if not any(m in run.regrouped_s for m in counts) else PLAYED]
    if math.isnan(run.batch):
        notes.append("samples of a GPU are not known and taken to be few: --global-batch says them")
    if node is not None:
        notes.append(tell_node(node))
    if max(s.node_gpus for s in scales) > NODE_GPUS and counts[-1] > NODE_GPUS:
        notes.append(f"links that more than {NODE_GPUS} GPUs share were not measured: theirs is the law of {NODE_GPUS}")
    if exchange is not None:
        notes.append(
            "gradients are taken to be added up behind the backward pass, two thirds of the step; the interval goes "
            "from as much hidden as that pass lasts to nothing hidden"
        )
    return Scaling(run, scales, keep_batch, tuple(notes))


def tell_node(node: Node) -> str:
    """What GPUs stand in."""
    network = "" if math.isnan(node.network_bytes_per_s) else (
        f", {format_quantity(node.network_bytes_per_s, 'B/s')} of network each"
    )  # fmt: skip
    return f"{node.name}: {node.gpus} GPUs share links{network} ({node.source})"


def scale_on(
    run: Run, target: Processor, counts: Sequence[int], *, keep_batch: bool, exchange: Exchange | None,
    node: Node | None = None,
) -> list[Scaled]:  # fmt: skip
    """The run on one target with every count, least first."""
    if node is not None and node.gpu and node.gpu != target.name:
        raise InputError(f"{node.name} has {node.gpu}, not {target.name}: give --network a rate, or a node of that GPU")
    near = gpus_sharing_links(run.gpu, NODE_GPUS)
    node_gpus = gpus_sharing_links(target, NODE_GPUS) if node is None else node.gpus
    same = target.key == run.gpu.key
    gain = 1.0 if same else gain_of_gpu(run.gpu, target)
    if math.isnan(gain):
        raise InputError(f"{target.name} or {run.gpu.name}: rates of memory and of matrix products are not both known")
    slots, slots_here = (gpu.bytes_per_s_peer is None for gpu in (target, run.gpu))
    loses = None if slots == slots_here else slots
    # What the network costs is counted where gradients are said.
    played = run.regrouped_s if run.gpus > 1 else {}
    own_law = Law() if exchange is None else Law(leaving=0.0)
    share = 1.0 if math.isnan(run.batch) else run.batch / run.gpus
    scales: list[Scaled] = []
    for m in counts:
        share_to = share * run.gpus / m if keep_batch else share
        law = Law(leaving=0.0) if m in played else own_law
        faster = float(gain_of_gpus(run.gpus, m, share, share_to, law, near, node_gpus)) * gain
        work = 1.0 if keep_batch else m / run.gpus
        step_s = run.step_s * work / faster
        # The measured run itself is known.
        spread = 1.0 if same and m == run.gpus else float(spread_of_run(not same, m / run.gpus, share_to / share))
        low, high = (math.exp(math.hypot(math.log(spread), math.log(doubt))) for doubt in run.doubt)
        low_s, high_s = step_s / low, step_s * high
        if loses is not None and m > 1:
            low_s, high_s = (low_s, high_s * OTHER_LINKS) if loses else (low_s / OTHER_LINKS, high_s)
        alone_s, sum_s, exposed_s = step_s, math.nan, math.nan
        timeline: tuple[Segment, ...] = line_up(step_s, {}, 0.0, 0.0) if run.gpus == m == 1 else ()
        if m in played and 1 in played and m != run.gpus:
            # What is exchanged shows as it is played again; what computes follows the share of the samples.
            exposed_s = max(played[m] - played[1], 0.0)
            compute_s = played[1] * step_s / run.step_s
            low_s, high_s = low_s * (compute_s + exposed_s) / step_s, high_s * (compute_s + exposed_s) / step_s
            step_s = compute_s + exposed_s
            high_s += exposed_s * (SPREAD_WIRE - 1)
        if exchange is not None and m > 1:
            links = links_of(target if node is None else place_in(target, node))
            sum_s = add_up_s(exchange, links, m, node_gpus)
            exposed_s = max(sum_s - BACKWARD * step_s, 0.0)
            spread = SPREAD_WIRE * links.doubt(min(m, node_gpus)).item()
            # Even where all goes well a backward pass hides no more than it lasts.
            low_s += max(sum_s / spread - BACKWARD * low_s, 0.0)
            timeline = line_up(step_s, {}, sum_s, BACKWARD)
            step_s, high_s = step_s + exposed_s, high_s + sum_s * spread
        limit = "batch" if keep_batch and share_to < share else "network" if m > node_gpus else ""
        scales.append(Scaled(
            gpu=target, gpus=m, step_s=step_s, step_low_s=low_s, step_high_s=high_s, samples=run.batch * work,
            efficiency=faster / m * alone_s / step_s, memory_bytes=run.memory_bytes if share_to <= share else math.nan,
            limit=LIMITS[limit], communication_s=sum_s, exposed_s=exposed_s, node_gpus=node_gpus,
            timeline=timeline,
        ))  # fmt: skip
    first = scales[0].efficiency
    scales = [replace(s, efficiency=s.efficiency / first) for s in scales]
    paying = find_last_paying(scales)
    return [replace(s, notes=tell(s, run, paying, other_links=loses is not None)) for s in scales]


def find_last_paying(scales: Sequence[Scaled]) -> int:
    """The count up to which each doubling makes at least ``GAIN_LEAST`` of twice as fast."""
    last = scales[0]
    for s in scales[1:]:
        doublings = math.log2(s.gpus / last.gpus)
        if (s.efficiency / last.efficiency) ** (1 / doublings) < GAIN_LEAST:
            return last.gpus
        last = s
    return last.gpus


def tell(scaled: Scaled, run: Run, paying: int, *, other_links: bool) -> tuple[str, ...]:
    """Notes of one count."""
    notes = []
    if scaled.gpus < run.gpus:
        notes.append(
            f"fewer GPUs than the run had ({run.gpus}): of a model that they share each would hold and do more, which "
            "is not counted"
        )
    if scaled.gpus > paying:
        gain = format_percent(2 * GAIN_LEAST - 1, 0)
        notes.append(f"from {paying} GPUs on another doubling gains less than {gain} more")
    if other_links and scaled.gpus > 1:
        notes.append(
            f"of both GPUs one has links of its own, the other's hang in slots: up to {OTHER_LINKS:g} times, assumed"
        )
    if scaled.fits is False:
        have = format_quantity(scaled.gpu.capacity_bytes_dram or math.nan, "B")
        notes.append(
            f"does not fit: the measured run held {format_quantity(scaled.memory_bytes, 'B')}, here are {have}"
        )
    return tuple(notes)
