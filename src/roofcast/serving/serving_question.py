"""The question of a language model under traffic, from words to an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from roofcast.catalog import parse_target
from roofcast.catalog.nodes import stand_in
from roofcast.catalog.targets import list_gpus
from roofcast.core.errors import RoofcastError, UnitError
from roofcast.core.records import dataclass
from roofcast.core.units import parse_quantity
from roofcast.serving.batch_step import Plan, check_plan, with_precision
from roofcast.serving.deployments import Anchor, Traffic, forecast_deployments, make_anchor
from roofcast.serving.language_model import KV_BYTES, WEIGHT_BYTES, read_model
from roofcast.serving.measured_runs import read_run
from roofcast.serving.request_replay import Scheduler
from roofcast.serving.show import ServingAnswer
from roofcast.serving.steady_state import ENGINES
from roofcast.serving.traffic_file import find_benchmark, read_traffic

if TYPE_CHECKING:
    from roofcast.core.processor import Processor

AUTO = "auto"
MOST_TOKENS = 10_000_000
"""Tokens of a prompt or an answer; more are a slip."""


@dataclass(frozen=True)
class ServingQuestion:
    """What `roofcast llm` takes, in its words."""

    model: str
    to: str | Processor | Sequence[str | Processor]
    gpus: int | None = None
    tp: int | str = AUTO
    pp: int | str = AUTO
    ep: int | str = AUTO
    dp: int | str = AUTO
    input: float = 1024
    output: float = 1024
    concurrency: float | None = None
    rate: str | float | None = None
    weights: str | None = None
    kv: str | None = None
    ttft: str | float | None = None
    tpot: str | float | None = None
    max_num_seqs: int = 1024
    max_num_batched_tokens: int = 8192
    gpu_memory_utilization: float = 0.9
    measured: str | None = None
    source: str | Processor | None = None
    prices: str | None = None
    requests: int = 0
    seed: int = 0
    engine: str | None = None
    traffic: str | None = None
    network: str | float | None = None


def find_gpus(given: str | Processor | Sequence[str | Processor]) -> list[Processor]:
    """The GPUs of a question."""
    return [parse_target(g).processor if isinstance(g, str) else g for g in list_gpus(given)]


def parse_rate(given: str | float) -> float:
    """Requests per second.

    >>> parse_rate("5/s"), parse_rate("90/min"), parse_rate(0.5)
    (5.0, 1.5, 0.5)
    """
    match = re.fullmatch(r"\s*([0-9.eE+-]+)\s*(?:/\s*(s|min|h))?\s*", str(given))
    try:
        value = float(match[1]) / {"min": 60.0, "h": 3600.0}.get(match[2] or "s", 1.0) if match else 0.0
    except ValueError:
        value = 0.0
    if not 0 < value < 1e6:
        raise RoofcastError(f"--rate {given}: requests per time, such as 5/s")
    return value


def parse_seconds(option: str, given: str | float | None) -> float | None:
    """A time limit."""
    if given is None:
        return None
    try:
        value = parse_quantity(given, "s")
    except UnitError as error:
        raise RoofcastError(f"{option} {given}: a time such as 500ms") from error
    if not 0 < value < 1e6:
        raise RoofcastError(f"{option} {given}: a time above 0, such as 500ms")
    return value


def read_plan(q: ServingQuestion) -> Plan | None:
    """The plan that the question fixes; None where all is left open."""
    sizes: dict[str, int] = {}
    for name in ("tp", "pp", "ep", "dp"):
        given = getattr(q, name)
        if str(given) == AUTO:
            continue
        if not re.fullmatch(r"[1-9]\d{0,4}", str(given)):
            raise RoofcastError(f"--{name} {given}: a number of GPUs from 1, or auto")
        sizes[name] = int(given)
    if not sizes:
        return None
    plan = Plan(sizes.get("tp", 1), sizes.get("pp", 1), sizes.get("ep", 1), sizes.get("dp", 1))
    if q.gpus is not None and plan.gpus != q.gpus:
        if "dp" in sizes or q.gpus % plan.gpus:
            raise RoofcastError(f"--gpus {q.gpus} is not tp x pp x dp = {plan.gpus}")
        plan = Plan(plan.tp, plan.pp, plan.ep, q.gpus // plan.gpus)
    return plan


def check_question(q: ServingQuestion) -> None:
    """Raise a RoofcastError for what no engine can take."""
    if q.concurrency is not None and q.rate is not None:
        raise RoofcastError("--concurrency and --rate name the same load: give one of them")
    for option, value in (("--input", q.input), ("--output", q.output), ("--concurrency", q.concurrency or 1)):
        if not 1 <= value <= MOST_TOKENS:
            raise RoofcastError(f"{option} {value:g}: from 1 to {MOST_TOKENS:,}")
    for option, given, known in (("--weights", q.weights, WEIGHT_BYTES), ("--kv", q.kv, KV_BYTES)):
        if given is not None and given not in known:
            raise RoofcastError(f"{option} {given}: one of {', '.join(known)}")
    check_settings(q)


def check_settings(q: ServingQuestion) -> None:
    """The same of sizes and settings."""
    if not 0 < q.gpu_memory_utilization <= 1:
        raise RoofcastError(f"--gpu-memory-utilization {q.gpu_memory_utilization:g}: above 0, up to 1")
    if q.gpus is not None and not 1 <= q.gpus <= 1024:
        raise RoofcastError(f"--gpus {q.gpus}: from 1 to 1,024")
    if q.max_num_seqs < 1 or q.max_num_batched_tokens < q.max_num_seqs:
        raise RoofcastError("--max-num-batched-tokens must be at least --max-num-seqs, and both from 1 on")
    if q.measured is not None and q.source is None:
        raise RoofcastError("--measured needs --from GPU: the one that the run was measured on")
    if q.engine is not None and q.engine not in ENGINES:
        raise RoofcastError(f"--engine {q.engine}: one of {', '.join(ENGINES)}")
    if q.requests < 0:
        raise RoofcastError(f"--requests {q.requests}: from 0 on")


def take_traffic(q: ServingQuestion, traffic: Traffic) -> Traffic:
    """The load of a file: its lengths in the mean, and its rate where no other load is stated."""
    if (q.input, q.output) != (1024, 1024):
        raise RoofcastError("--traffic holds the lengths of its requests: leave out --input and --output")
    if (means := find_benchmark(str(q.traffic))) is not None:
        return replace(traffic, input=means[0], output=means[1])
    listed = read_traffic(str(q.traffic))
    means = float(np.mean(listed.inputs)), float(np.mean(listed.outputs))
    traffic = replace(traffic, input=means[0], output=means[1], requests=listed)
    if q.concurrency is None and q.rate is None and listed.rate_per_s is not None:
        traffic = replace(traffic, concurrency=None, rate_per_s=listed.rate_per_s)
    return traffic


def ask_serving(q: ServingQuestion) -> ServingAnswer:
    """Answer the question.

    Raises
    ------
    RoofcastError : anything that the caller can mend, in one line.
    """
    check_question(q)
    model = read_model(q.model)
    targets = [stand_in(gpu, q.network) for gpu in find_gpus(q.to)]
    if not targets:
        raise RoofcastError("no target GPU given: name at least one")
    rate = None if q.rate is None else parse_rate(q.rate)
    traffic = Traffic(
        float(q.input),
        float(q.output),
        None if rate else float(q.concurrency or 64),
        rate,
        parse_seconds("--ttft", q.ttft),
        parse_seconds("--tpot", q.tpot),
        q.engine,
    )
    if q.traffic is not None:
        traffic = take_traffic(q, traffic)  # fmt: skip
    fixed = read_plan(q)
    anchor: Anchor | None = None
    if q.measured is not None:
        source = find_gpus(q.source)[0] if q.source is not None else targets[0]
        plan = with_precision(fixed or Plan(tp=q.gpus or 1), model, q.weights, q.kv)
        check_plan(model, plan)
        anchor, seen = make_anchor(model, plan, source, read_run(q.measured, source), traffic)
        # The run's own load is the question, as far as nothing else was asked.
        if q.concurrency is None and rate is None and (q.input, q.output) == (1024, 1024):
            traffic = replace(traffic, input=seen.input, output=seen.output, concurrency=seen.concurrency)
        fixed = fixed or plan
    prices = None
    if q.prices is not None:
        from roofcast.catalog.prices import read_prices

        prices = read_prices(q.prices)
    deployments = forecast_deployments(
        model, targets, traffic, count=q.gpus, fixed=fixed, weights=q.weights, kv=q.kv,
        scheduler=Scheduler(q.max_num_seqs, q.max_num_batched_tokens, q.gpu_memory_utilization), anchor=anchor,
        prices=prices, requests=q.requests, seed=q.seed,
    )  # fmt: skip
    return ServingAnswer(model, traffic, tuple(deployments), anchor is not None)
