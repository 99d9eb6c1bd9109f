r"""A training step under a plan of parallelism: seconds, memory of a GPU, and the best plan that fits.

.. math:: T = \max\left(\frac{D}{t p}, \frac{H}{p}\right) \left(1 + \frac{p - 1}{m}\right) + S_t + S_e + S_p
    + \max(X - h C, 0)

D, H : s of device and host for the step of one replica on one GPU. t, p, e : GPUs of tensor, pipeline and expert
parallelism; r : replicas (data parallelism); t p r GPUs in all. m : micro-batches of a step. S_t : s of 4 sums of what
a layer hands on, of its layers on this GPU (6 with recomputation). S_e : s of 4 exchanges of routed tokens per layer of
experts. S_p : s in which a pipeline fills with what stages hand on. X : s in which replicas exchange: a sum of the
gradients (`dp`), or two gathers of the weights and a scatter of the gradients (`fsdp`). C : s of compute, the first two
factors. h : share of C that hides X: the backward pass, two thirds (`dp`), or all of it (`fsdp`, which gathers ahead).
Recomputation makes D 4/3: the forward pass, a third of the step, runs twice.

Memory of a GPU: weights W, gradients G and optimiser O over t p (and over r with `fsdp`, which holds one layer whole),
those of experts over e as well; activations A over t p, of min(p, m) / m of the step's samples at once, or with
recomputation what layers hand on and one layer's own; all GPUs are alike, so that one is computed for any number.

Reason: a GPU of a plan does 1 / (t p) of what a replica does; what it waits for is counted by the law of the links.
Sequence parallelism with t: V. A. Korthikanti et al., Reducing activation recomputation in large transformer models,
MLSys 2023, arXiv:2205.05198; the bubble: D. Narayanan et al., SC 2021, arXiv:2104.04473, (p - 1) / m; `fsdp`: Y. Zhao
et al., VLDB 2023, arXiv:2304.11277. No public step under a stated plan is here to check it: the interval is that of
other counts of GPUs, and of the exchange from hidden to not hidden.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import field, replace

from roofcast.core.errors import InputError
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.timeline import Collective
from roofcast.core.units import format_quantity
from roofcast.kit.quantities import format_percent, format_seconds
from roofcast.models.physics.causes.collectives import SPREAD_WIRE, Links, links_of
from roofcast.models.physics.link_times import NODE_GPUS
from roofcast.scaling.measured_run import BACKWARD, Exchange, Scaled, add_up_s, line_up
from roofcast.scaling.scaling_law import Law, gain_of_gpus, spread_of_run
from roofcast.scaling.training_model import TrainingModel

PLAN_WORD = re.compile(r"(dp|fsdp|tp|pp|ep)\s*=?\s*(\d{1,7})")
BATCHES_OF_STAGE = 4
"""Micro-batches for each stage of a pipeline, assumed where nobody says: 20 % and less of the time is bubble."""
RESERVED_BYTES, RESERVED_SHARE = 2e9, 0.05
"""B that driver and libraries hold beside the tensors, and the share of these that the allocator wastes; assumed."""
SMALL = 0.005
"""Share of samples per second that is not worth a number."""
LIMITS_OF_PLAN = {
    "device": "the GPUs", "host": "the host", "bubble": "the pipeline's bubble", "tensor": "sums of tensor parallelism",
    "experts": "the exchange of experts", "replicas": "the exchange between replicas",
}  # fmt: skip


@dataclass(frozen=True)
class Plan:
    """How a model is spread over GPUs."""

    replicas: int = 1
    sharded: bool = False
    """Whether replicas share weights, gradients and optimiser (``fsdp``)."""
    tp: int = 1
    pp: int = 1
    ep: int = 1
    recompute: bool = False

    @property
    def gpus(self) -> int:
        """In all."""
        return self.replicas * self.tp * self.pp

    def __str__(self) -> str:
        way = "fsdp" if self.sharded else "dp"
        parts = [f"{k} {v}" for k, v in (("pp", self.pp), ("tp", self.tp)) if v > 1]
        parts += [f"{way} {self.replicas}"] if self.replicas > 1 or not parts else []
        parts += [f"ep {self.ep}"] if self.ep > 1 else []
        return " ".join([*parts, *(["recompute"] if self.recompute else [])])


@dataclass(frozen=True)
class Replica:
    """The step of one replica on one GPU, as measured or forecast, on the GPU that is asked for."""

    device: tuple[float, float, float]
    """D with the ends of its interval, s."""
    host: tuple[float, float, float] = (0.0, 0.0, 0.0)
    model: TrainingModel = field(default_factory=TrainingModel)
    batch: float = math.nan
    """Samples; NaN unknown."""


@dataclass(frozen=True)
class Memory:
    """B on each GPU."""

    weights: float
    gradients: float
    optimizer: float
    activations: float

    @property
    def total(self) -> float:
        """B of the tensors, and of what is none."""
        tensors = self.weights + self.gradients + self.optimizer + self.activations
        return tensors * (1 + RESERVED_SHARE) + RESERVED_BYTES


def parse_plan(text: str, gpus: int | None = None) -> Plan:
    """A plan as users write it; replicas that it does not say fill the GPUs.

    >>> str(parse_plan("tp 8 dp 8")), parse_plan("tp 8", 64).replicas, str(parse_plan("fsdp 64"))
    ('tp 8 dp 8', 8, 'fsdp 64')
    """
    words = text.lower().replace(",", " ").strip()
    recompute = words.endswith("recompute")
    words_of_plan = PLAN_WORD.findall(words.removesuffix("recompute"))
    sizes = {k: int(v) for k, v in words_of_plan}
    rest = PLAN_WORD.sub("", words.removesuffix("recompute")).strip()
    if (
        rest
        or not words_of_plan
        or len(sizes) < len(words_of_plan)
        or min(sizes.values()) < 1
        or {"dp", "fsdp"} <= sizes.keys()
    ):
        raise InputError('a plan names GPUs of dp or fsdp, tp, pp, ep: --plan "pp 4 tp 8 dp 2", --plan "fsdp 64", auto')
    tp, pp, ep = (sizes.get(k, 1) for k in ("tp", "pp", "ep"))
    stated = sizes.get("fsdp", sizes.get("dp"))
    if stated is None:
        stated = max(ep, 1) if gpus is None else gpus // (tp * pp)
    plan = Plan(stated, "fsdp" in sizes, tp, pp, ep, recompute)
    if gpus is not None and plan.gpus != gpus:
        raise InputError(f"{plan} takes {plan.gpus:,} GPUs, not {gpus:,}: change --plan or --gpus")
    if plan.replicas % ep:
        raise InputError(f"ep {ep}: experts are spread over replicas, here {plan.replicas}")
    return plan


def list_plans(gpus: int, node_gpus: int, model: TrainingModel) -> Iterator[Plan]:
    """Plans of so many GPUs that a model allows: tensor parallelism within a node, stages of whole layers."""
    powers = [1 << k for k in range(gpus.bit_length())]
    for tp in (t for t in powers if t <= node_gpus and (t == 1 or (model.heads and model.heads % t == 0))):
        for pp in (p for p in powers if p == 1 or p <= model.layers):
            if gpus % (tp * pp):
                continue
            replicas = gpus // (tp * pp)
            eps = [e for e in powers if e == 1 or (model.experts > 0 and replicas % e == 0)]
            for ep in eps:
                for sharded in (False, True) if replicas > 1 else (False,):
                    for recompute in (False, True) if model.layers else (False,):
                        yield Plan(replicas, sharded, tp, pp, ep, recompute)


def check_plan(plan: Plan, model: TrainingModel) -> None:
    """Whether a model can be spread so."""
    if (plan.tp > 1 or plan.pp > 1 or plan.recompute) and not model.layers:
        raise InputError(f"{plan}: layers with attention are split, and none is known; give a record of "
                         "roofcast.torch, or dp or fsdp")  # fmt: skip
    if plan.tp > 1 and model.heads % plan.tp:
        raise InputError(f"tp {plan.tp} does not divide {model.heads} heads")
    if plan.pp > max(model.layers, 1):
        raise InputError(f"pp {plan.pp}: the model has {model.layers} layers")
    if plan.ep > 1 and not model.experts:
        raise InputError(f"ep {plan.ep}: no experts are known of the model")


def count_batches(plan: Plan, share: float, batches: int | None = None) -> int:
    """m, micro-batches of a step of a replica. share : its samples, NaN unknown."""
    if plan.pp == 1:
        return 1
    wanted = batches or BATCHES_OF_STAGE * plan.pp
    return wanted if math.isnan(share) else max(1, min(wanted, int(share)))


def memory_of_plan(plan: Plan, model: TrainingModel, work: float, batches: int) -> Memory:
    """B on each GPU. work : share of the recorded samples that a replica has. batches : m.

    >>> model = TrainingModel(16e9, 16e9, 32e9, 40e9, layers=32, heads=32, hidden_bytes=67e6)
    >>> [round(memory_of_plan(plan, model, 1.0, 1).total / 1e9) for plan in (Plan(8), Plan(8, sharded=True))]
    [111, 53]
    """
    cut = plan.tp * plan.pp
    dense = (1 - model.experts / model.weights if model.weights else 1.0) / cut
    routed = (1 / cut - dense) / plan.ep
    here = (dense + routed) / (plan.replicas if plan.sharded else 1)
    weights, gradients, optimizer = (b * here for b in (model.weights, model.gradients, model.optimizer))
    if plan.sharded and plan.replicas > 1:
        # The layer at work is whole, and the next one is gathered meanwhile; without layers nobody knows better.
        whole = min(2 / model.layers * plan.pp, 1.0) if model.layers else 1.0
        weights += model.weights * (dense + routed) * whole * (1 - 1 / plan.replicas)
    in_flight = work * min(plan.pp, batches) / batches
    activations = model.activations * in_flight / cut
    if plan.recompute:
        activations = (model.hidden_bytes * model.layers * in_flight
                       + model.activations / model.layers * plan.pp * work / batches) / cut  # fmt: skip
    return Memory(weights, gradients, optimizer, activations)


@dataclass(frozen=True)
class Parts:
    """S of the parts of a step."""

    compute: float
    bubble: float
    tensor: float
    experts: float
    handed: float
    exchange: float
    hides: float
    """Share of the compute that hides the exchange."""

    def total(self, hurried: float = 1.0, hidden: bool = True) -> float:
        """The step. hurried : factor on every exchange. hidden : whether as much of it is as may be."""
        exchange = self.exchange * hurried
        exposed = max(exchange - self.hides * self.compute, 0.0) if hidden else exchange
        return self.compute + self.bubble + (self.tensor + self.experts + self.handed) * hurried + exposed

    @property
    def exposed(self) -> float:
        """What of all exchanges nothing hides."""
        return self.total() - self.compute - self.bubble


def time_plan(
    plan: Plan, replica: Replica, place: Place, device_s: float, host_s: float, work: float, batches: int
) -> Parts:
    """S of the parts. device_s, host_s : of one replica on one GPU, of its samples. work : those over the recorded."""
    model, links = replica.model, place.links.at_middle(place.node_gpus)
    device = device_s * (4 / 3 if plan.recompute else 1.0) / (plan.tp * plan.pp)
    compute = max(device, host_s / plan.pp)
    bubble = compute * (plan.pp - 1) / batches
    tensor = experts = handed = 0.0
    stage_layers = model.layers / plan.pp
    if plan.tp > 1:
        sums = 6 if plan.recompute else 4
        once = place.add_up(model.hidden_bytes * work / batches, plan.tp, place.node_gpus)
        tensor = sums * stage_layers * batches * once
    if plan.ep > 1:
        routed = model.routed_bytes * work / plan.tp
        near = min(plan.ep, max(place.node_gpus // plan.tp, 1))
        once = links.time_s(Collective.ALL_TO_ALL, routed, near)[0].item() if near > 1 else 0.0
        if near < plan.ep:
            once += routed * (plan.ep - near) / plan.ep / place.rate()
        experts = 4 * model.expert_layers / plan.pp * once
    if plan.pp > 1:
        volume = model.hidden_bytes * work / batches / plan.tp
        if plan.tp * plan.pp > place.node_gpus:
            hop = volume / place.rate()
        else:
            hop = links.time_s(Collective.POINT_TO_POINT, volume, 2)[0].item()
        handed = 2 * (plan.pp - 1) * hop
    exchange, hides = 0.0, BACKWARD
    if plan.replicas > 1:
        near = max(place.node_gpus // (plan.tp * plan.pp), 1)
        shared = 1 - model.experts / model.weights if model.experts else 1.0
        volume = model.gradients / (plan.tp * plan.pp)
        exchange = place.add_up(volume * shared, plan.replicas, near)
        if plan.ep < plan.replicas and shared < 1:
            exchange += place.add_up(volume * (1 - shared) / plan.ep, plan.replicas // plan.ep, max(near // plan.ep, 1))
        if plan.sharded:
            # Two gathers and a scatter, where a sum is one of each.
            exchange, hides = 1.5 * exchange, 1.0
    return Parts(compute, bubble, tensor, experts, handed, exchange, hides)


@dataclass(frozen=True)
class Place:
    """Where a plan runs."""

    gpu: Processor
    links: Links
    node_gpus: int = NODE_GPUS
    network_bytes_per_s: float = math.nan

    def rate(self) -> float:
        """B/s between nodes of each GPU."""
        if math.isnan(self.network_bytes_per_s):
            raise InputError(
                "more than a node: say what the network gives each GPU, --network 50GB/s, or a node, DGX H100"
            )
        return self.network_bytes_per_s

    def add_up(self, volume: float, gpus: int, near: int) -> float:
        """S of a sum over so many GPUs, of which ``near`` share a node."""
        return add_up_s(Exchange(volume, self.network_bytes_per_s), self.links, gpus, near)


def make_place(gpu: Processor, node_gpus: int, network_bytes_per_s: float) -> Place:
    """A GPU's node and network."""
    return Place(gpu, links_of(gpu)._replace(node_gpus=node_gpus), node_gpus, network_bytes_per_s)


def scale_plan(plan: Plan, replica: Replica, place: Place, *, keep_batch: bool, batches: int | None = None) -> Scaled:
    """The step under a plan."""
    work, gain = 1.0, 1.0
    if keep_batch:
        # The batch of one replica is divided among all, and less of it keeps a GPU less busy.
        work = 1.0 / plan.replicas
        share = replica.batch * work
        gain = float(gain_of_gpus(1, plan.replicas, replica.batch, share, Law(leaving=0.0))) * work
    m = count_batches(plan, replica.batch * work, batches)
    spread = 1.0 if plan == Plan() else float(spread_of_run(False, plan.gpus, work))
    ends = []
    wire = SPREAD_WIRE * place.links.doubt(min(plan.gpus, place.node_gpus)).item()
    for i, hidden, hurried in ((0, True, 1.0), (1, True, 1 / wire), (2, False, wire)):
        by = (1.0, 1 / spread, spread)[i]
        parts = time_plan(plan, replica, place, replica.device[i] * work / gain * by, replica.host[i] * by, work, m)
        ends.append((parts, parts.total(hurried, hidden)))
    parts, step = ends[0]
    memory = memory_of_plan(plan, replica.model, work, m) if replica.model.is_known else None
    costs = {
        "host" if replica.host[0] / plan.pp >= parts.compute else "device": parts.compute, "bubble": parts.bubble,
        "tensor": parts.tensor, "experts": parts.experts, "replicas": parts.total() - parts.compute - parts.bubble
        - parts.tensor - parts.experts - parts.handed,
    }  # fmt: skip
    limit = LIMITS_OF_PLAN[max(costs, key=lambda k: costs[k])]
    communication = parts.tensor + parts.experts + parts.handed + parts.exchange
    scaled = Scaled(
        gpu=place.gpu, gpus=plan.gpus, step_s=step, step_low_s=min(ends[1][1], step), step_high_s=max(ends[2][1], step),
        samples=replica.batch * work * plan.replicas, efficiency=work * plan.replicas / plan.gpus / step,
        memory_bytes=math.nan if memory is None else memory.total, limit=limit,
        communication_s=communication, exposed_s=parts.exposed, node_gpus=place.node_gpus, plan=str(plan),
        memory=None if memory is None else (memory.weights, memory.gradients, memory.optimizer, memory.activations),
        timeline=line_up(parts.compute, {
            "pipeline's bubble": parts.bubble, "sums of tensor parallelism": parts.tensor,
            "exchange of experts": parts.experts, "hand-over between stages": parts.handed,
        }, parts.exchange, parts.hides),
    )  # fmt: skip
    return replace(scaled, notes=tell_memory(scaled))


def tell_memory(scaled: Scaled) -> tuple[str, ...]:
    """Say that a plan does not fit, and what takes most."""
    if scaled.fits is not False or scaled.memory is None:
        return ()
    names = ("weights", "gradients", "optimiser", "activations")
    most = max(range(4), key=scaled.memory.__getitem__)
    need, have = (format_quantity(b, "B") for b in (scaled.memory_bytes, scaled.gpu.capacity_bytes_dram or math.nan))
    most_bytes = format_quantity(scaled.memory[most], "B")
    return (f"does not fit: {need} of {have}, most of it {names[most]} ({most_bytes})",)


def choose_plan(plans: Sequence[Scaled]) -> Scaled:
    """The plan with most samples per second that fits, with its reason; the one of least memory where none does."""
    rated = sorted(plans, key=lambda s: -s.efficiency)
    fitting = [s for s in rated if s.fits is not False]
    if not fitting:
        least = min(plans, key=lambda s: s.memory_bytes)
        return replace(least, notes=(f"no plan of {len(plans)} fits; this one holds least", *least.notes))
    best = fitting[0]
    reason = [f"the most samples per second of {len(fitting)} plans that fit, of {len(plans)}"]
    if best.fits is None:
        reason = [f"the most samples per second of {len(plans)} plans, whose memory is not known"]
    # Faster ones that do not fit are the reason of the choice; else the next best is what it beats.
    if (faster := rated[0]) is not best:
        need, more = format_quantity(faster.memory_bytes, "B"), faster.efficiency / best.efficiency - 1
        gives = f"would give {format_percent(more, 0)} more" if more >= SMALL else "would give as many"
        reason.append(f"{faster.plan} {gives} and needs {need} a GPU")
    others = [s for s in fitting[1:] if s.plan.removesuffix(" recompute") != best.plan.removesuffix(" recompute")]
    if others:
        less = 1 - others[0].efficiency / best.efficiency
        behind = f"with {format_percent(less, 0)} less" if less >= SMALL else "with as many"
        reason.append(f"next is {others[0].plan} {behind} ({format_seconds(others[0].step_s)})")
    return replace(best, notes=("; ".join(reason), *best.notes))


def scale_plans(
    text: str, replica: Replica, place: Place, counts: Sequence[int | None], *, keep_batch: bool = False,
    batches: int | None = None,
) -> list[Scaled]:  # fmt: skip
    """A step under a plan on each count of GPUs, or on each under the best one (``auto``).

    counts : of GPUs; None: as many as the plan says.

    Raises
    ------
    InputError : a plan that is none, or that the model or the batch does not allow.
    """
    if keep_batch and math.isnan(replica.batch):
        raise InputError("a batch that stays must be known: --global-batch 256, samples of the step on one GPU")
    scales = []
    for gpus in counts:
        if text.strip().lower() == "auto":
            if gpus is None:
                raise InputError("plan auto: say how many GPUs, --gpus 8,16,64")
            plans = list(list_plans(gpus, place.node_gpus, replica.model))
            scales.append(choose_plan([scale_plan(p, replica, place, keep_batch=keep_batch, batches=batches)
                                      for p in plans]))  # fmt: skip
            continue
        plan = parse_plan(text, gpus)
        check_plan(plan, replica.model)
        scaled = scale_plan(plan, replica, place, keep_batch=keep_batch, batches=batches)
        if scaled.fits is False and replica.model.layers and not plan.recompute:
            again = scale_plan(replace(plan, recompute=True), replica, place, keep_batch=keep_batch, batches=batches)
            if again.fits:
                what = f"without recomputation it does not fit: {format_quantity(scaled.memory_bytes, 'B')}"
                scaled = replace(again, notes=(what, *again.notes))
        scales.append(scaled)
    single = max(replica.device[0], replica.host[0])
    return [replace(s, efficiency=s.efficiency * single) for s in scales]
