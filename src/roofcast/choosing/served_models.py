r"""Language models under traffic as programs of a workload: a job is one request.

.. math:: t = \frac{n}{X}, \qquad X = \frac{b}{T_{ttft} + (o - 1) \, T_{tpot}}

t : GPU-seconds of a request. n : GPUs of a replica. X : requests/s of it at b requests in flight, by Little's law
(:mod:`roofcast.serving.steady_state`). o : tokens out. b : the most that memory holds and at which both limits hold
with the probability that the fleet has to meet the demand with. Of the layouts of 1, 2, 4 and 8 GPUs that one counts
which needs fewest whole replicas. GPUs come as whole replicas, and as whole servers where they are sold so.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from roofcast.choosing.program_times import ProgramTimes
from roofcast.choosing.workload_file import Program, ServedModel, Terms
from roofcast.core.errors import RoofcastError
from roofcast.core.normal import deviations_around, deviations_below
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.kit.quantities import count_of, format_interval, format_percent, format_seconds
from roofcast.serving.batch_step import Node, Plan, make_node, with_precision
from roofcast.serving.deployments import SIZES, Deployment, Traffic, forecast_deployment, list_plans
from roofcast.serving.language_model import KV_BYTES, WEIGHT_BYTES, LanguageModel, read_model
from roofcast.serving.steady_state import ENGINES

COVERAGE = 0.9
"""Of the intervals of TTFT and TPOT."""
STEP = 2.0**0.5
"""Between the loads that are tried."""
SECONDS_PER_DAY = 86400.0
"""s in a day."""


@dataclass(frozen=True)
class Served:
    """A model on c candidates."""

    times: ProgramTimes
    replicas: tuple[int, ...]
    """(c,) GPUs of one replica; 1 where it cannot be served."""
    why_not: tuple[str, ...]
    """(c,) '' where it can."""
    told: tuple[str, ...]
    """(c,) layout, load, TTFT and TPOT in words."""


def check_served(served: ServedModel) -> LanguageModel:
    """The model; an InputError or RoofcastError where it or what is said of it cannot be."""
    for name, given, known in (
        ("weights", served.weights, WEIGHT_BYTES), ("kv", served.kv, KV_BYTES), ("engine", served.engine, ENGINES),
    ):  # fmt: skip
        if given is not None and given not in known:
            raise RoofcastError(f"{name} = {given!r}: one of {', '.join(known)}")
    return read_model(served.config)


def serve(
    program: Program, targets: Sequence[Processor], nodes: Sequence[tuple[int, int]], terms: Terms, *, asked: bool
) -> Served:
    """One request on each target.

    nodes : (c,) GPUs that come together, and the most that share links. asked : whether the weight is a day's demand.
    """
    assert program.served is not None
    model, load = check_served(program.served), program.served
    chosen: list[Deployment | None] = []
    why: list[str] = []
    known: dict[tuple[str, int], tuple[list[Deployment], str]] = {}
    for target, (unit, most) in zip(targets, nodes, strict=True):
        key = target.key, most
        if key not in known:
            known[key] = list_loads(model, load, make_node(target), most, terms.probability)
        loads, reason = known[key]
        per_day = program.weight if asked else 0.0
        chosen.append(min(loads, key=lambda d: (count_gpus(d, per_day, unit, terms), gpu_seconds(d)), default=None))
        why.append("" if loads else reason)
    times, low, high = np.array([
        (math.nan,) * 3 if d is None else (gpu_seconds(d), *(gpu_seconds(d, x) for x in d.tokens_per_s_ends[::-1]))
        for d in chosen
    ]).reshape(-1, 3).T  # fmt: skip
    nothing = np.full(len(chosen), math.nan)
    note = (
        f"a job of {program.name} is one request ({load.input:,.0f} tokens in, {load.output:,.0f} out); its time is "
        f"GPU-seconds at the load that a replica keeps up under the limits"
    )
    return Served(
        ProgramTimes(
            times, low, high, low, high, times, nothing, nothing, nothing,
            tuple(None if d is None else d.limit for d in chosen), 0, 0, 0, COVERAGE, np.ones(len(chosen), np.bool_),
            {}, (note, *model.notes),
        ),
        tuple(1 if d is None else d.plan.gpus for d in chosen), tuple(why),
        tuple("" if d is None else tell(d) for d in chosen),
    )  # fmt: skip


def gpu_seconds(d: Deployment, tokens_per_s: float | None = None) -> float:
    """GPU-seconds of a request."""
    return d.plan.gpus * d.output / (d.tokens_per_s if tokens_per_s is None else tokens_per_s)


def count_gpus(d: Deployment, per_day: float, unit: int, terms: Terms) -> float:
    """GPUs that the demand needs, in whole replicas and servers, at the far end of the time; 0 without a demand."""
    together = math.lcm(d.plan.gpus, unit)
    hours = SECONDS_PER_DAY * terms.utilisation * (1.0 - terms.spares)
    return math.ceil(per_day * gpu_seconds(d, d.tokens_per_s_ends[0]) / hours / together) * together


def quantile(value: float, ends: tuple[float, float], probability: float) -> float:
    """What a time stays below with a probability, by its interval.

    >>> round(quantile(1.0, (0.5, 2.0), 0.95), 2), round(quantile(1.0, (0.5, 2.0), 0.5), 2)
    (2.0, 1.0)
    """
    z = deviations_below(min(max(probability, 1e-6), 1.0 - 1e-6)) / deviations_around(COVERAGE)
    return value * math.exp(z * math.log(ends[1] / value if z >= 0 else value / ends[0]))


def is_within(d: Deployment, served: ServedModel, probability: float) -> bool:
    """Whether both limits hold with a probability each."""
    pairs = ((d.ttft_s, d.ttft_ends, served.ttft_s), (d.tpot_s, d.tpot_ends, served.tpot_s))
    return all(limit is None or quantile(value, ends, probability) <= limit for value, ends, limit in pairs)


def list_loads(
    model: LanguageModel, served: ServedModel, node: Node, linked: int, probability: float
) -> tuple[list[Deployment], str]:
    """The most load within the limits of each layout of one replica that serves; and why there is none.

    linked : GPUs at most of a replica.
    """
    deployments, fits = [], False
    for size in (n for n in SIZES if n <= linked):
        for plan in list_plans(model, size, None):
            if plan.dp > 1 and not plan.shares_experts:
                continue
            stated = with_precision(plan, model, served.weights, served.kv)
            best, held = find_load(model, stated, served, node, probability)
            fits |= held
            deployments += [best] if best is not None else []
    if deployments:
        return deployments, ""
    if not fits:
        return [], f"does not hold {model.name} on {count_of(min(linked, SIZES[-1]), 'GPU')}"
    sure = format_percent(probability, 0)
    return [], f"is not within the limits of {model.name} with {sure}: loosen them, name the engine, or be less sure"


def find_load(
    model: LanguageModel, plan: Plan, served: ServedModel, node: Node, probability: float
) -> tuple[Deployment | None, bool]:
    """The most load of a layout within the limits, and whether it holds the model."""

    def at(load: float) -> Deployment:
        return forecast_deployment(
            model, plan, node, Traffic(served.input, served.output, load * plan.dp, engine=served.engine)
        )

    lone = at(1.0)
    if not lone.fits or not is_within(lone, served, probability):
        return None, lone.fits
    best, most = lone, max(lone.most_in_flight / plan.dp, 1.0)
    for load in [*(STEP**k for k in range(1, int(math.log(most, STEP)) + 1)), most]:
        deployment = at(load)
        if not is_within(deployment, served, probability):
            break
        best = deployment if deployment.tokens_per_s > best.tokens_per_s else best
    return best, True


def tell(d: Deployment) -> str:
    """Layout, load and times."""
    return (
        f"replicas of {d.plan.gpus} ({d.plan}), {d.in_flight:,.0f} at once: TTFT {format_seconds(d.ttft_s)} "
        f"({format_interval(*d.ttft_ends)}), TPOT {format_seconds(d.tpot_s)} ({format_interval(*d.tpot_ends)}), "
        f"{d.tokens_per_s / d.plan.gpus:,.0f} tokens/s per GPU"
    )
