"""A model under traffic on GPUs: candidates, memory, times with intervals, what binds, what it costs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np

from roofcast.catalog.prices import Prices
from roofcast.core.errors import InputError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.results import or_none
from roofcast.serving.batch_step import Batch, Node, Plan, StepParts, check_plan, make_node, time_steps, with_precision
from roofcast.serving.language_model import WEIGHT_BYTES, LanguageModel
from roofcast.serving.measured_runs import MeasuredRun
from roofcast.serving.request_replay import Replayed, Scheduler, draw_arrivals, replay_requests, tabulate_steps
from roofcast.serving.steady_state import (
    ENGINE,
    ENGINES,
    TPOT_CARRIED,
    TPOT_WAYS,
    TTFT_CARRIED,
    TTFT_WAYS,
    EngineConstants,
    find_in_flight,
    tpot_s,
    ttft_s,
)
from roofcast.serving.traffic_file import RequestList

WORKSPACE_BYTES = 1.5e9
"""B per GPU for activations, recorded graphs and communication: assumed, engines print their own."""
SIZES = (1, 2, 4, 8)
SECONDS_PER_HOUR = 3600.0
"""s in an hour."""
SPREAD = 0.1
"""How far lengths of drawn requests are from the stated ones: alike, all would start and end together for ever."""


@dataclass(frozen=True)
class Traffic:
    """What is asked of a deployment."""

    input: float = 1024.0
    output: float = 1024.0
    """Tokens of a request."""
    concurrency: float | None = 64.0
    rate_per_s: float | None = None
    """Requests/s; in place of the concurrency."""
    ttft_limit_s: float | None = None
    tpot_limit_s: float | None = None
    engine: str | None = None
    """One of :data:`roofcast.serving.steady_state.ENGINES`; None: any."""
    requests: RequestList | None = None
    """Those of a file; ``input`` and ``output`` are their means."""


@dataclass(frozen=True)
class Anchor:
    """What a measured run says: factors on the forecast of its own GPU, carried to every other."""

    tpot: float = 1.0
    ttft: float = 1.0
    is_tpot: bool = False
    is_ttft: bool = False
    is_of_slots: bool = False
    """Whether it ran on cards in a host's slots, whose links are in it."""


Ways = tuple[float, float]
"""Logarithms of the factors from a time to the ends of its interval."""


@dataclass(frozen=True)
class Deployment:
    """A model on GPUs under traffic; NaN where it does not fit."""

    gpu: Processor
    plan: Plan
    in_flight: float
    """Requests in flight in the whole deployment."""
    memory_bytes: float
    """Per GPU: weights, cache of the requests in flight, workspace."""
    missing_bytes: float
    """Per GPU; 0 where it fits."""
    most_in_flight: float
    ttft_s: float = math.nan
    ttft_ends: tuple[float, float] = (math.nan, math.nan)
    tpot_s: float = math.nan
    tpot_ends: tuple[float, float] = (math.nan, math.nan)
    output: float = 0.0
    rate_per_s: float | None = None
    """Requests/s that are asked for, where these are the load: no more can be served."""
    limit: str = ""
    parts: dict[str, float] = field(default_factory=dict)
    """What binds -> s of a token's time."""
    usd_per_million: float = math.nan
    replayed: Replayed | None = None
    notes: tuple[str, ...] = ()
    is_within: bool = True
    """Within the limits asked for."""
    is_endless: bool = False
    """More requests come than are served: who comes later waits longer, and no time to the first token stands."""

    @property
    def fits(self) -> bool:
        """Whether weights and the cache of the requests in flight fit."""
        return self.missing_bytes <= 0

    def tokens_per_s_at(self, ttft: float, tpot: float) -> float:
        """Output tokens/s of the whole deployment (Little's law); of a stated rate what can be in flight of it."""
        latency = ttft + tpot * max(self.output - 1.0, 0.0)
        if self.rate_per_s is None:
            return self.in_flight * self.output / latency
        return self.output * min(self.rate_per_s, max(self.most_in_flight, 1.0) / latency)

    @property
    def tokens_per_s(self) -> float:
        """At the means."""
        return self.tokens_per_s_at(self.ttft_s, self.tpot_s) if self.fits else math.nan

    @property
    def tokens_per_s_ends(self) -> tuple[float, float]:
        """At the far and at the near ends of both times."""
        return tuple(
            self.tokens_per_s_at(self.ttft_ends[i], self.tpot_ends[i]) if self.fits else math.nan for i in (1, 0)
        )  # type: ignore[return-value]

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        low, high = self.tokens_per_s_ends
        first, *first_ends = (math.nan,) * 3 if self.is_endless else (self.ttft_s, *self.ttft_ends)
        values_of = {
            "gpu": self.gpu.name, "gpus": self.plan.gpus, "tp": self.plan.tp, "pp": self.plan.pp, "ep": self.plan.ep,
            "dp": self.plan.dp, "weights": self.plan.weights, "kv": self.plan.kv,
            "concurrency": or_none(round(self.in_flight, 2)), "ttft_s": or_none(first),
            "ttft_low_s": or_none(first_ends[0]), "ttft_high_s": or_none(first_ends[1]),
        }  # fmt: skip
        seen = self.replayed
        steady = None if self.is_endless else seen
        for name, values in (("ttft", steady.ttft_s if steady else None), ("tpot", seen.tpot_s if seen else None)):
            percentiles = seen.percentiles(values) if seen is not None and values is not None else (None,) * 3
            values_of |= {f"{name}_p{p}_s": or_none(v) if v is not None else None
                     for p, v in zip((50, 90, 99), percentiles, strict=True)}  # fmt: skip
        queue = float(np.mean(steady.queue_s)) if steady is not None else None
        return values_of | {
            "queue_s": queue, "tpot_s": or_none(self.tpot_s), "tpot_low_s": or_none(self.tpot_ends[0]),
            "tpot_high_s": or_none(self.tpot_ends[1]), "tokens_per_s": or_none(self.tokens_per_s),
            "tokens_per_s_low": or_none(low), "tokens_per_s_high": or_none(high),
            "tokens_per_s_gpu": or_none(self.tokens_per_s / self.plan.gpus), "memory_bytes": self.memory_bytes,
            "fits": self.fits, "most_concurrency": math.floor(self.most_in_flight),
            "cost_per_million_tokens": or_none(self.usd_per_million), "limit": self.limit, "notes": list(self.notes),
        }  # fmt: skip


def weights_per_gpu(model: LanguageModel, plan: Plan) -> float:
    """B of weights on one GPU."""
    experts = model.expert_parameters * WEIGHT_BYTES[plan.weights]
    dense = model.weight_bytes(plan.weights) - experts
    return (dense / plan.tp + experts / plan.expert_gpus) / plan.pp


def cache_per_gpu(model: LanguageModel, plan: Plan, tokens: float) -> float:
    """B of the cache of one request on one GPU: latents stand on every GPU of a group, heads are shared out."""
    over = 1.0 if model.is_latent else float(min(plan.tp, model.kv_heads))
    return model.kv_bytes(tokens, plan.kv) / over / plan.pp


def list_plans(model: LanguageModel, gpus: int | None, fixed: Plan | None) -> list[Plan]:
    """Candidates: one, as fixed, or every way to lay the model over the GPUs. gpus : None for 1, 2, 4 and 8."""
    if fixed is not None:
        check_plan(model, fixed)
        return [fixed]
    plans = []
    for n in SIZES if gpus is None else (gpus,):
        for tp in (t for t in SIZES if n % t == 0 and model.heads % t == 0):
            plans.append(Plan(tp, 1, 1, n // tp))
            if model.experts and n > tp and model.experts % n == 0:
                plans.append(Plan(tp, 1, n, n // tp))
    if not plans:
        raise InputError(f"--gpus {gpus}: no layout of 1, 2, 4 or 8 GPUs per replica divides them; state --tp and --dp")
    return plans


def forecast_deployment(
    model: LanguageModel, plan: Plan, node: Node, traffic: Traffic, *, scheduler: Scheduler | None = None,
    anchor: Anchor | None = None,
) -> Deployment:  # fmt: skip
    """Times of one deployment in steady state."""
    scheduler, anchor = scheduler or Scheduler(), anchor or Anchor()
    capacity = node.gpu.capacity_bytes_dram
    if not capacity:
        raise InputError(f"{node.gpu.name}: the catalog does not know its memory: give another GPU, or a TOML file")
    usable, base = capacity * scheduler.gpu_memory_utilization, weights_per_gpu(model, plan) + WORKSPACE_BYTES
    sequence_bytes = cache_per_gpu(model, plan, traffic.input + traffic.output)
    most = min(max((usable - base) / max(sequence_bytes, 1.0), 0.0), float(scheduler.max_num_seqs))
    solved = Times(model, plan, node, traffic, constants_of(traffic.engine), anchor)
    queues = False
    if traffic.rate_per_s is None:
        b = (traffic.concurrency or 1.0) / plan.dp
    else:
        b = find_in_flight(traffic.rate_per_s / plan.dp, solved.latency_s, max(float(scheduler.max_num_seqs), 1.0))
        queues = b > most
        b = min(b, most) if math.isfinite(b) and most >= 1 else max(most, 1.0)
    b = max(b, 1e-6)
    held = max(b, 1.0) * sequence_bytes * (0.5 + 0.5 * traffic.input / (traffic.input + traffic.output))
    empty = Deployment(node.gpu, plan, b * plan.dp, base + held, max(base + min(b, 1.0) * sequence_bytes - usable, 0.0),
                       most * plan.dp, output=traffic.output, rate_per_s=traffic.rate_per_s)  # fmt: skip
    if not empty.fits or most < 1:
        missing = max(base + sequence_bytes - usable, 1.0)
        return replace(
            empty,
            missing_bytes=missing,
            limit="memory",
            is_within=False,
            notes=(
                f"does not fit: {missing / 1e9:.1f} GB too much on each GPU; "
                f"{tell_fitting(model, plan, usable, sequence_bytes)}",
            ),
        )
    notes: list[str] = []
    if b > most:
        notes.append(f"{b * plan.dp:,.0f} at once asked, {most * plan.dp:,.0f} fit: the rest waits")
    if queues:
        notes.append("the rate is above what this deployment serves: requests queue without end")
    served = min(b, most)
    parts, tpot, ttft = solved.at(served)
    tpot, ttft = tpot * anchor.tpot, ttft * anchor.ttft
    if b > most and not queues:
        # Who waits takes the place of the next that ends: Little's law on the whole.
        ttft += (b - served) / served * (ttft + (traffic.output - 1.0) * tpot)
    down, up = (TPOT_CARRIED, TPOT_CARRIED) if anchor.is_tpot else TPOT_WAYS
    first = ENGINES[traffic.engine].ways if traffic.engine else TTFT_WAYS
    first = (TTFT_CARRIED, TTFT_CARRIED) if anchor.is_ttft else first
    (down, up), first = solved.widen((down, up), first, served)
    within = (traffic.ttft_limit_s is None or ttft <= traffic.ttft_limit_s) and (
        traffic.tpot_limit_s is None or tpot <= traffic.tpot_limit_s
    )
    return replace(
        empty, in_flight=b * plan.dp, memory_bytes=min(base + held, max(usable, base)), missing_bytes=0.0,
        ttft_s=ttft, ttft_ends=(ttft * math.exp(-first[0]), ttft * math.exp(first[1])),
        tpot_s=tpot, tpot_ends=(tpot * math.exp(-down), tpot * math.exp(up)),
        parts=parts, limit="queue" if b > most or queues else max(parts, key=lambda k: parts[k]),
        notes=tuple(notes), is_within=within and not queues, is_endless=queues,
    )  # fmt: skip


def tell_fitting(model: LanguageModel, plan: Plan, usable: float, each: float) -> str:
    """What would fit: more GPUs, or weights of fewer bits."""
    ways = []
    for tp in (2, 4, 8, 16):
        wider = replace(plan, tp=tp, dp=1, ep=1)
        if tp > plan.tp and model.heads % tp == 0 and weights_per_gpu(model, wider) + WORKSPACE_BYTES + each <= usable:
            ways.append(f"--tp {tp}")
            break
    for precision in ("fp8", "fp4"):
        less = replace(plan, weights=precision)
        if WEIGHT_BYTES[precision] < WEIGHT_BYTES[plan.weights] and (
            weights_per_gpu(model, less) + WORKSPACE_BYTES + each <= usable
        ):
            ways.append(f"--weights {precision}")
            break
    return f"{' or '.join(ways)} would" if ways else "more or larger GPUs would"


@dataclass(frozen=True)
class Times:
    """Times of one deployment by the requests in flight in a replica."""

    model: LanguageModel
    plan: Plan
    node: Node
    traffic: Traffic
    engine: EngineConstants
    anchor: Anchor = Anchor()

    def at(self, b: float) -> tuple[dict[str, float], float, float]:
        """What binds a token (s each), TPOT and TTFT in s."""
        t = self.traffic
        whole = Batch(max(b, 1.0), t.input + 0.5 * t.output)
        lone = Batch(0.0, 0.0, t.input, 0.5 * t.input, 1.0)
        parts: StepParts = time_steps(self.model, self.plan, [whole, lone], self.node)
        step, prompt = parts.device_s.tolist()
        tpot = tpot_s(step, prompt, b, t.output, self.engine)
        binding = {
            "weights": float(parts.weights_s[0]), "KV cache": float(parts.attention_s[0]),
            "all-reduce": float(parts.collective_s[0]), "small kernels": float(parts.other_s[0]),
            "host": self.engine.host_s,
        }  # fmt: skip
        binding["prompts of others"] = max(tpot - sum(binding.values()), 0.0)
        return binding, tpot, ttft_s(prompt, b, self.engine)

    def widen(self, tpot: Ways, ttft: Ways, b: float) -> tuple[Ways, Ways]:
        """Ways of TPOT and TTFT with the doubt of links that nobody knows: those of cards in a host's slots.

        The doubt counts for as much of a step as its collectives are; a run that was measured on such cards has it in.
        """
        doubt = self.node.links.doubt(max(self.plan.tp, self.plan.expert_gpus)).item()
        if doubt == 1.0 or self.anchor.is_of_slots:
            return tpot, ttft
        t = self.traffic
        batches = [Batch(max(b, 1.0), t.input + 0.5 * t.output), Batch(0.0, 0.0, t.input, 0.5 * t.input, 1.0)]
        parts = time_steps(self.model, self.plan, batches, self.node)
        widened = [
            (math.hypot(down, math.log(1 - share + share / doubt)), math.hypot(up, math.log(1 - share + share * doubt)))
            for (down, up), share in zip((tpot, ttft), (parts.collective_s / parts.device_s).tolist(), strict=True)
        ]
        return widened[0], widened[1]

    def latency_s(self, b: float) -> float:
        """S of a request, at the level of the measured run where there is one."""
        _, tpot, ttft = self.at(b)
        return ttft * self.anchor.ttft + (self.traffic.output - 1.0) * tpot * self.anchor.tpot


def constants_of(engine: str | None) -> EngineConstants:
    """The constants of an engine; None: of any."""
    return replace(ENGINE, first_level=ENGINES[engine].first_level) if engine else ENGINE


def make_anchor(
    model: LanguageModel, plan: Plan, source: Processor, run: MeasuredRun, traffic: Traffic
) -> tuple[Anchor, Traffic]:
    """Factors of a measured run, and the traffic with what the run states of it.

    Raises
    ------
    InputError : the run contradicts the model by more than a factor of five: another plan, or another model.
    """
    seen = replace(
        traffic, input=run.input or traffic.input, output=run.output or traffic.output,
        concurrency=run.concurrency or traffic.concurrency or 1.0, rate_per_s=None,
    )  # fmt: skip
    times = Times(model, plan, make_node(source), seen, constants_of(traffic.engine))
    _, tpot, ttft = times.at((seen.concurrency or 1.0) / plan.dp)
    level = run.tpot_s / tpot
    if not 0.2 < level < 5.0:
        raise InputError(
            f"--measured: {run.tpot_s * 1e3:.3g} ms per token, where {model.name} on {plan.gpus} x {source.name} "
            f"takes about {tpot * 1e3:.3g} ms: state the run's own --tp, --weights and --from"
        )
    first = run.ttft_s / ttft if run.ttft_s else level
    of_slots = bool(np.asarray(times.node.links.unknown_tree).item())
    return Anchor(level, first, True, run.ttft_s is not None, of_slots), seen


def forecast_deployments(  # noqa: PLR0913 -- one argument per thing that a user states
    model: LanguageModel, gpus: Sequence[Processor], traffic: Traffic, *, count: int | None = None,
    fixed: Plan | None = None, weights: str | None = None, kv: str | None = None, scheduler: Scheduler | None = None,
    anchor: Anchor | None = None, prices: Prices | None = None, requests: int = 0, seed: int = 0,
) -> list[Deployment]:  # fmt: skip
    """Candidates, best first: those within the limits, then by output tokens per second and GPU, or by their price.

    requests : of a replay of the best candidate of each GPU; 0 for none.
    """
    scheduler = scheduler or Scheduler()
    deployments: list[Deployment] = []
    for gpu in gpus:
        node = make_node(gpu)
        candidates = [
            price_deployment(
                forecast_deployment(model, with_precision(plan, model, weights, kv), node, traffic,
                                    scheduler=scheduler, anchor=anchor), prices)
            for plan in list_plans(model, count, fixed)
        ]  # fmt: skip
        candidates.sort(key=rank)
        if (requests or traffic.requests) and candidates[0].fits:
            replayed = replay_deployment(model, candidates[0], node, traffic, scheduler, requests, seed, anchor)
            candidates[0] = price_deployment(replayed, prices)
        deployments += candidates
    return sorted(deployments, key=rank)


def rank(d: Deployment) -> tuple[bool, bool, float]:
    """Order of candidates."""
    worth = -d.usd_per_million if math.isfinite(d.usd_per_million) else d.tokens_per_s / d.plan.gpus
    return not d.fits, not d.is_within, -worth if math.isfinite(worth) else 0.0


def price_deployment(d: Deployment, prices: Prices | None) -> Deployment:
    """Add dollars per million output tokens, where a rent is stated."""
    rent = None if prices is None else prices.of(d.gpu).rent_usd_per_hour
    if rent is None or not d.fits:
        return d
    return replace(d, usd_per_million=rent * d.plan.gpus / SECONDS_PER_HOUR / d.tokens_per_s * 1e6)


def list_requests(
    traffic: Traffic, rate_per_s: float, requests: int, seed: int, replicas: int
) -> tuple[FloatArray, list[int], list[int]]:
    """Arrivals, s, and tokens in and out of what one replica gets.

    Of a file each of so many requests, with its own arrivals where it has them; else lengths around the stated ones. At
    a rate they come at random times; of a number at once each comes when another ends, and all clients start together.
    """
    listed = traffic.requests
    if listed is None:
        spread = np.random.default_rng(seed).uniform(1.0 - SPREAD, 1.0 + SPREAD, (2, requests))
        inputs, outputs = (
            np.maximum(np.round(n * v), 1).astype(int).tolist()
            for n, v in zip((traffic.input, traffic.output), spread, strict=True)
        )
    else:
        inputs, outputs = list(listed.inputs[::replicas]), list(listed.outputs[::replicas])
        if listed.arrival_s is not None and (rate := listed.rate_per_s) is not None:
            return listed.arrival_s[::replicas] * (rate / (rate_per_s * replicas)), inputs, outputs
    if traffic.rate_per_s is not None:
        return draw_arrivals(rate_per_s, len(inputs), seed), inputs, outputs
    clients = max(round((traffic.concurrency or 1.0) / replicas), 1)
    return np.where(np.arange(len(inputs)) < clients, 0.0, np.inf), inputs, outputs


def replay_deployment(
    model: LanguageModel, d: Deployment, node: Node, traffic: Traffic, scheduler: Scheduler, requests: int, seed: int,
    anchor: Anchor | None,
) -> Deployment:  # fmt: skip
    """Play requests through one replica at the load of the steady state, and add what they saw: percentiles, means."""
    anchor, constants = anchor or Anchor(), constants_of(traffic.engine)
    table = tabulate_steps(model, d.plan, node).scaled(anchor.tpot, anchor.ttft)
    rate = (traffic.rate_per_s or d.tokens_per_s / traffic.output) / d.plan.dp
    length = traffic.input + traffic.output
    arrival, inputs, outputs = list_requests(traffic, rate, requests, seed, d.plan.dp)
    room = node.gpu.capacity_bytes_dram or 0.0
    free = room * scheduler.gpu_memory_utilization - weights_per_gpu(model, d.plan) - WORKSPACE_BYTES
    # A model of linear layers alone keeps no tokens: its states bound the sequences, not their lengths.
    per_token = cache_per_gpu(model, d.plan, length) / length
    held = max(free / per_token, length) if per_token > 0 else math.inf
    try:
        seen = replay_requests(arrival, inputs, outputs, table, scheduler, held)
    except InputError as error:
        return replace(d, notes=(*d.notes, f"not replayed: {error}"))
    return with_replay(d, seen, constants, anchor, traffic)


def with_replay(
    d: Deployment, seen: Replayed, constants: EngineConstants, anchor: Anchor, traffic: Traffic
) -> Deployment:
    r"""The deployment with what its requests saw, whose means then are the answer.

    .. math:: T_{ttft} = q + \frac{e}{e_v} (t - q) + e \, h_0

    q : s in the queue. t : s to the first token by the replay, which follows vLLM's scheduler. e, e_v : levels of the
    engine and of vLLM. h_0 : s of the front end. From a measured run on, what is not queue has the level of the run.
    The interval is of what is not queue.
    """
    seconds, front = seen.ttft_s - seen.queue_s, constants.first_level * constants.front_s
    scale = constants.first_level / ENGINES["vllm"].first_level
    if anchor.is_ttft:
        scale, front = d.ttft_s / float(np.mean(seconds) + constants.front_s), 0.0
        seconds = seconds + constants.front_s
    seen = replace(seen, ttft_s=seen.queue_s + scale * seconds + front)
    if d.is_endless:
        return replace(d, replayed=seen)
    first, queue = float(np.mean(seen.ttft_s)), float(np.mean(seen.queue_s))
    tpot = float(np.nanmean(seen.tpot_s)) if np.isfinite(seen.tpot_s).any() else d.tpot_s
    low, high = (queue + (first - queue) * end / d.ttft_s for end in d.ttft_ends)
    tpot_low, tpot_high = (tpot * end / d.tpot_s for end in d.tpot_ends)
    limits = ((first, traffic.ttft_limit_s), (tpot, traffic.tpot_limit_s))
    return replace(
        d, replayed=seen, ttft_s=first, ttft_ends=(low, high), tpot_s=tpot, tpot_ends=(tpot_low, tpot_high),
        is_within=all(limit is None or value <= limit for value, limit in limits),
    )  # fmt: skip
