r"""Results of MLPerf Inference on one GPU carried to another, the same count, benchmark, scenario and round.

Language models go by the steady state that `roofcast llm` prints, at the load with most tokens per second. All others
go by what products in 16 bits sustain under the board's power:

.. math:: \ln \frac{X_t}{X_s} = \ln \frac{\min(P_t, L_t)}{\min(P_s, L_s)}

X : samples/s per GPU. P : FLOP/s of the matrix units as the catalog holds them. L : what the board's power leaves of
them (:func:`roofcast.models.power.product_limit`). Reason: submissions fill the GPU with batches until its products
bind. No constant was fitted to any result, so that every benchmark and GPU is left out.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from statistics import median

import numpy as np

from roofcast.catalog.finding import find
from roofcast.core.errors import InputError
from roofcast.core.machines import columns_of
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Column, Table
from roofcast.models.power import product_limit
from roofcast.serving.batch_step import make_node, with_precision
from roofcast.serving.deployments import Deployment, Traffic, forecast_deployment, list_plans
from roofcast.serving.language_model import LanguageModel, parse_config
from roofcast.serving.traffic_file import MLPERF
from roofcast_evaluate.datasets import paths_of
from roofcast_evaluate.serving_runs import LLAMA_8B, state

GPTJ = state(28, 4096, 16, 16, 16384, 50400, model_type="gptj")
MODELS: Mapping[str, tuple[LanguageModel, float, float]] = {
    "llama2-70b": (parse_config(state(80, 8192, 64, 8, 28672, 32000), "Llama-2-70B"), *MLPERF["llama2-70b"]),
    "llama3.1-8b": (parse_config(LLAMA_8B, "Llama-3.1-8B"), *MLPERF["llama3.1-8b"]),
    "llama3.1-405b": (
        parse_config(state(126, 16384, 128, 8, 53248, 128256), "Llama-3.1-405B"), *MLPERF["llama3.1-405b"]
    ),
    "gptj": (parse_config(GPTJ, "GPT-J-6B"), MLPERF["gptj"][0], 4 * MLPERF["gptj"][1]),
}  # fmt: skip
"""Benchmark -> shapes of the model's public config, and mean tokens in and out of its data set; GPT-J's rules ask for a
search of four beams, of 69 tokens each."""
ODD = ("virtualized", "power_capped", "dual_card", "outlier")
LOADS = (1.0, 0.5, 0.25)
"""Shares of the requests that fit which the engine may keep in flight: no limit but memory binds an offline run."""


@dataclass(frozen=True)
class Cell:
    """The submitters' median of one benchmark on so many GPUs."""

    benchmark: str
    scenario: str
    round: str
    gpus: int
    gpu: Processor
    per_gpu: float
    """Tokens, samples or queries per second."""

    @property
    def family(self) -> str:
        """The benchmark without its accuracy."""
        return re.sub(r"-99(\.9)?$", "", self.benchmark)


def read_cells() -> list[Cell]:
    """Cells of the data set: odd machines are left out, and submitters' results are joined."""
    (path,) = paths_of("mlperf_inference")
    results: dict[tuple[str, str, str, int, str], list[float]] = defaultdict(list)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for r in csv.DictReader(file):
            if not any(r[name] == "True" for name in ODD):
                key = r["model"], r["scenario"], r["round"], int(float(r["accelerators"])), r["gpu"]
                results[key].append(float(r["result_per_accelerator"]))
    return [Cell(*key[:4], find(key[4]).processor, median(v) * tokens_of(key[0])) for key, v in results.items()]


def tokens_of(benchmark: str) -> float:
    """Tokens of what a result counts: GPT-J's counts summaries, of all their beams."""
    return MODELS["gptj"][2] if benchmark.startswith("gptj") else 1.0


def list_pairs(cells: list[Cell]) -> list[tuple[Cell, Cell]]:
    """Two GPUs of everything else alike, in both directions."""
    alike: dict[tuple[str, str, str, int], list[Cell]] = defaultdict(list)
    for c in cells:
        alike[c.benchmark, c.scenario, c.round, c.gpus].append(c)
    return [p for group in alike.values() for p in itertools.permutations(group, 2)]


@lru_cache(maxsize=4096)
def forecast_most(family: str, gpu: str, gpus: int) -> Deployment | None:
    """The deployment with most tokens per second, weights and cache in FP8; None where none fits. gpu : a name."""
    model, given, outputs = MODELS[family]
    node, deployments = make_node(find(gpu).processor), []
    try:
        plans = list_plans(model, gpus, None)
    except InputError:
        return None
    for plan in (with_precision(p, model, "fp8", "fp8") for p in plans):
        lone = forecast_deployment(model, plan, node, Traffic(given, outputs, float(plan.dp)))
        if lone.fits:
            deployments += [
                forecast_deployment(
                    model, plan, node, Traffic(given, outputs, max(lone.most_in_flight * load, plan.dp))
                )
                for load in LOADS
            ]
    return max((d for d in deployments if d.fits), key=lambda d: d.tokens_per_s, default=None)


def sustained_products(gpu: Processor) -> float:
    """FLOP/s of products in 16 bits under the board's power."""
    limit = float(product_limit(columns_of([gpu]), Resource.FLOPS_TENSOR_FP16)[0])
    return min(gpu.rate(Resource.FLOPS_TENSOR_FP16), limit)


def carry(source: Cell, target: Cell) -> float:
    """Log of the forecast gain per GPU; NaN where none of the GPUs holds the model."""
    if source.family not in MODELS:
        return math.log(sustained_products(target.gpu) / sustained_products(source.gpu))
    here, there = (forecast_most(c.family, c.gpu.name, c.gpus) for c in (source, target))
    if here is None or there is None:
        return math.nan
    return math.log(there.tokens_per_s / here.tokens_per_s)


def ratio(source: Cell, target: Cell, of: Resource) -> float:
    """Log of the ratio of two rates of the catalog."""
    return math.log(target.gpu.rate(of) / source.gpu.rate(of))


@dataclass(frozen=True)
class Score:
    """Of one benchmark: typical factors, exponential of the mean absolute logarithm."""

    benchmark: str
    rows: int
    factor: float
    bandwidth: float
    products: float
    both: float
    """Geometric mean of the two ratios."""
    same: float
    """The source's result."""
    coverage: float = math.nan
    width: float = math.nan


def score_inference() -> list[Score]:
    """Benchmarks by themselves, all pairs, the mean over benchmarks; then tokens/s from the config alone."""
    cells = read_cells()
    errors: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for a, b in list_pairs(cells):
        gain, moved = math.log(b.per_gpu / a.per_gpu), carry(a, b)
        band, products = (ratio(a, b, r) for r in (Resource.BYTES_DRAM, Resource.FLOPS_TENSOR_FP16))
        if math.isfinite(moved):
            errors[a.family].append(tuple(abs(v - gain) for v in (moved, band, products, 0.5 * (band + products), 0.0)))
    means = {name: np.mean(v, axis=0) for name, v in errors.items()}
    scores = [Score(name, len(errors[name]), *np.exp(means[name]).tolist()) for name in sorted(means)]
    whole = [e for v in errors.values() for e in v]
    scores.append(Score("all pairs", len(whole), *np.exp(np.mean(whole, axis=0)).tolist()))
    scores.append(Score("mean of benchmarks", len(means), *np.exp(np.mean(list(means.values()), axis=0)).tolist()))
    return [*scores, score_alone(cells)]


def score_alone(cells: list[Cell]) -> Score:
    """Tokens per second of language models from their config, offline: what `roofcast llm` says without any run."""
    errors, inside, widths = [], [], []
    for c in cells:
        deployment = (
            forecast_most(c.family, c.gpu.name, c.gpus) if c.family in MODELS and c.scenario == "Offline" else None
        )
        if deployment is None:
            continue
        low, high = (v / c.gpus for v in deployment.tokens_per_s_ends)
        errors.append(abs(math.log(deployment.tokens_per_s / c.gpus / c.per_gpu)))
        inside.append(low <= c.per_gpu <= high)
        widths.append(high / low)
    return Score("tokens/s from the config, offline", len(errors), math.exp(float(np.mean(errors))), math.nan, math.nan,
                 math.nan, math.nan, float(np.mean(inside)), float(np.median(widths)))  # fmt: skip


def tabulate_inference() -> Table:
    """A row per benchmark."""

    def factor(value: float) -> str:
        return f"{value:.3f}" if math.isfinite(value) else "–"

    columns = [
        Column("benchmark", lambda s: s.benchmark, key="benchmark", flexible=True),
        Column("pairs", lambda s: s.rows, str, key="pairs"),
        Column("factor", lambda s: s.factor, factor, key="factor"),
        Column("bandwidth", lambda s: s.bandwidth, factor, key="factor_bandwidth"),
        Column("products", lambda s: s.products, factor, key="factor_products"),
        Column("both", lambda s: s.both, factor, key="factor_both"),
        Column("same", lambda s: s.same, factor, key="factor_same"),
        Column("inside", lambda s: s.coverage, lambda v: format_percent(v, 0) if math.isfinite(v) else "–",
               key="coverage"),
        Column("width", lambda s: s.width, factor, key="width"),
    ]  # fmt: skip
    return Table(columns, score_inference())
