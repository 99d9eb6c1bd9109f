"""Runs of serving engines, forecast from their model's config alone and from a run on the other GPU.

Families of models, then GPUs, are left out of the constants of :mod:`roofcast.serving.steady_state` in turn. What is
scored is what ``roofcast llm`` prints: the mean TPOT and TTFT of a stated load.
"""

from __future__ import annotations

import csv
import gzip
import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roofcast.catalog import parse_target
from roofcast.core.kernel_table import FloatArray
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Column, Table
from roofcast.serving.batch_step import Batch, Plan, make_node, time_steps
from roofcast.serving.deployments import WORKSPACE_BYTES, cache_per_gpu, weights_per_gpu
from roofcast.serving.language_model import LanguageModel, parse_config
from roofcast.serving.request_replay import Scheduler, replay_requests, tabulate_steps
from roofcast.serving.steady_state import (
    ENGINE,
    ENGINES,
    TPOT_CARRIED,
    TPOT_WAYS,
    TTFT_CARRIED,
    TTFT_WAYS,
    EngineConstants,
    tpot_s,
    ttft_s,
)
from roofcast_evaluate.datasets import paths_of


def state(layers: int, hidden: int, heads: int, kv: int, width: int, words: int, **more: Any) -> dict[str, Any]:
    """Fields of a config."""
    return {
        "num_hidden_layers": layers, "hidden_size": hidden, "num_attention_heads": heads, "num_key_value_heads": kv,
        "intermediate_size": width, "vocab_size": words, **more,
    }  # fmt: skip


LLAMA_8B = state(32, 4096, 32, 8, 14336, 128256)
DEEPSEEK = state(
    61, 7168, 128, 128, 18432, 129280, n_routed_experts=256, num_experts_per_tok=8, moe_intermediate_size=2048,
    n_shared_experts=1, first_k_dense_replace=3, q_lora_rank=1536, kv_lora_rank=512, qk_nope_head_dim=128,
    qk_rope_head_dim=64, v_head_dim=128,
)  # fmt: skip
CONFIGS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "Qwen/Qwen3-32B": ("Qwen3-32B", state(64, 5120, 64, 8, 25600, 151936, head_dim=128)),
    "meta-llama/Llama-3.1-8B-Instruct": ("Llama-3.1-8B", LLAMA_8B),
    "nvidia/Llama-3.1-8B-Instruct-FP8": ("Llama-3.1-8B", LLAMA_8B),
    "meta-llama/Llama-3.1-70B": ("Llama-3.1-70B", state(80, 8192, 64, 8, 28672, 128256)),
    "Qwen/Qwen3-235B-A22B-FP8": ("Qwen3-235B-A22B", state(
        94, 4096, 64, 4, 12288, 151936, head_dim=128, num_experts=128, num_experts_per_tok=8,
        moe_intermediate_size=1536,
    )),
    "deepseek-ai/DeepSeek-V3": ("DeepSeek-V3", DEEPSEEK),
    "deepseek-ai/DeepSeek-R1": ("DeepSeek-V3", DEEPSEEK),
    "MiniMaxAI/MiniMax-M2.5": ("MiniMax-M2.5", state(
        62, 3072, 48, 8, 1536, 200064, head_dim=128, num_local_experts=256, num_experts_per_tok=8,
    )),
    "Qwen/Qwen3.5-397B-A17B": ("Qwen3.5-397B-A17B", state(
        60, 4096, 32, 2, 1024, 248320, head_dim=256, num_experts=512, num_experts_per_tok=10,
        moe_intermediate_size=1024, shared_expert_intermediate_size=1024, full_attention_interval=4,
        linear_num_key_heads=16, linear_num_value_heads=64, linear_key_head_dim=128, linear_value_head_dim=128,
        attn_output_gate=True,
    )),
}  # fmt: skip
"""Model as the runs name it -> its family, and the facts of its public config.json (the models' cards)."""
DRAWN = 0.9
"""Mean length over the stated one where prompts are drawn at 80 to 100 % of it."""
GRID = {
    "host_s": (0.0, 0.5e-3, 1e-3, 1.5e-3, 2e-3, 3e-3), "prompt_share": (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0),
    "front_s": (0.0, 0.02, 0.05, 0.08, 0.1, 0.12), "prompt_factor": (1.0, 1.25, 1.5, 1.75, 2.0),
    "before": (0.01, 0.02, 0.03, 0.04, 0.05, 0.07),
}  # fmt: skip
"""What the constants are chosen from: the least mean error over families, which weigh the same."""


@dataclass(frozen=True)
class Run:
    """One measured run, and what its device needs by the operators' models."""

    family: str
    gpu: str
    cell: tuple[object, ...]
    """Same model, engine, plan and load."""
    in_flight: float
    """In one replica."""
    output: float
    step_s: float
    prompt_s: float
    roof_s: float
    """Weights and cache over the bandwidth, FLOPs over the pipes' rate."""
    tpot_s: float
    ttft_s: float

    def tpot(self, engine: EngineConstants = ENGINE) -> float:
        """Forecast, s."""
        return tpot_s(self.step_s, self.prompt_s, self.in_flight, self.output, engine)

    def ttft(self, engine: EngineConstants = ENGINE) -> float:
        """Forecast, s."""
        return ttft_s(self.prompt_s, self.in_flight, engine)


def read_rows() -> Iterator[dict[str, str]]:
    """Runs of one engine whose layout is known and that did not queue."""
    (path,) = paths_of("serving")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as opened:
        for row in csv.DictReader(opened):
            known = row["concurrency"] and row["gpus_engine"] and row["model_path"] in CONFIGS
            aggregated = row["mode"] == "agg" and row["layout"] != "workers not stated"
            if known and aggregated and row["ttft_is_queueing"].lower() != "true":
                yield row


def plan_of(row: Mapping[str, str], model: LanguageModel) -> Plan:
    """How a run laid its model out."""
    gpus, weights = int(row["gpus_engine"]), "fp8" if row["precision"] == "fp8" else "bf16"
    if int(row["attention_dp_size_in_source"] or 1) > 1:
        return Plan(1, 1, gpus, gpus, weights, "bf16")
    spread = model.experts > 0 and int(row["moe_ep_size_in_source"] or 1) > 1
    return Plan(gpus, 1, gpus if spread else 1, 1, weights, "bf16")


def read_runs() -> list[Run]:
    """All runs, timed by the operators' models; those whose weights do not fit their GPUs as stated are left out."""
    groups: dict[tuple[str, str, Plan], list[dict[str, str]]] = defaultdict(list)
    models = {name: parse_config(config, family) for name, (family, config) in CONFIGS.items()}
    for row in read_rows():
        groups[row["model_path"], row["gpu"], plan_of(row, models[row["model_path"]])].append(row)
    nodes = {gpu: make_node(parse_target(gpu).processor) for gpu in {g for _, g, _ in groups}}
    runs: list[Run] = []
    for (name, gpu, plan), rows in groups.items():
        model, capacity = models[name], nodes[gpu].gpu.capacity_bytes_dram or 0.0
        if weights_per_gpu(model, plan) + WORKSPACE_BYTES > capacity:
            continue
        batches = [b for row in rows for b in batches_of(row, plan)]
        parts = time_steps(model, plan, batches, nodes[gpu])
        device = parts.device_s.tolist()
        for i, row in enumerate(rows):
            output, _ = lengths_of(row)
            cell = (*(row[k] for k in ("model_path", "backend", "precision", "isl", "osl", "concurrency")), plan)
            runs.append(Run(
                CONFIGS[name][0], gpu, cell, float(row["concurrency"]) / plan.dp, output, device[2 * i],
                device[2 * i + 1], float(parts.roof_s[2 * i]), float(row["tpot_s"]), float(row["ttft_s"]),
            ))  # fmt: skip
    return runs


def lengths_of(row: Mapping[str, str]) -> tuple[float, float]:
    """Mean tokens out and in."""
    share = DRAWN if row["source"].startswith("InferenceX") else 1.0
    return share * float(row["osl"]), share * float(row["isl"])


def batches_of(row: Mapping[str, str], plan: Plan) -> list[Batch]:
    """A step of all its sequences, and a prompt alone."""
    output, given = lengths_of(row)
    return [Batch(max(float(row["concurrency"]) / plan.dp, 1.0), given + 0.5 * output),
            Batch(0.0, 0.0, given, 0.5 * given, 1.0)]  # fmt: skip


def fit_engine(runs: list[Run]) -> EngineConstants:
    """The constants of the grid with least mean error over families."""
    step, prompt, b, out, tpot, ttft = (
        np.array([getattr(r, n) for r in runs])
        for n in ("step_s", "prompt_s", "in_flight", "output", "tpot_s", "ttft_s")
    )
    families = np.array([r.family for r in runs])
    weight = np.array([1.0 / float((families == f).sum()) for f in families])

    def error(forecast: FloatArray, measured: FloatArray) -> float:
        return float((np.abs(np.log(forecast / measured)) * weight).sum())

    others = np.maximum(b - 1.0, 0.0)
    host, share = min(
        itertools.product(GRID["host_s"], GRID["prompt_share"]),
        key=lambda k: error(step + k[0] + k[1] * others * prompt / out, tpot),
    )
    front, factor, before = min(
        itertools.product(GRID["front_s"], GRID["prompt_factor"], GRID["before"]),
        key=lambda k: error(k[0] + k[1] * prompt * (1.0 + k[2] * others), ttft),
    )
    return EngineConstants(host, share, front, factor, before)


@dataclass(frozen=True)
class Score:
    """How far forecasts of one kind are from what was measured."""

    what: str
    held_out: str
    runs: int
    typical: float
    """Exponential of the mean absolute logarithm."""
    covered: float
    """Share of runs within the interval as printed; NaN of naive ratios."""
    width: float
    """High over low end."""
    limit: float
    covered_apart: float = math.nan
    """Share within widths that the run's own group did not set; NaN where groups are not told apart."""


def cover_apart(errors: FloatArray, groups: Sequence[str]) -> float:
    """Share of runs between the 5 and 95 % errors of all other groups.

    The widths that ship were read off the errors of all groups, so that their own coverage flatters them.

    >>> cover_apart(np.array([0.0, 0.1, 0.2, 5.0]), ["a", "a", "b", "b"])
    0.0
    """
    names = np.asarray(groups)
    inside = np.zeros(len(errors), np.bool_)
    for group in sorted(set(groups)):
        low, high = np.quantile(errors[names != group], (0.05, 0.95))
        inside |= (names == group) & (errors >= low) & (errors <= high)
    return float(inside.mean())


def score(what: str, held: str, errors: Iterable[float], ways: tuple[float, float] | None, limit: float) -> Score:
    """One row. errors : ln(measured / forecast)."""
    e = np.array(list(errors))
    covered = float(np.mean((e >= -ways[0]) & (e <= ways[1]))) if ways else math.nan
    return Score(what, held, len(e), float(np.exp(np.mean(np.abs(e)))), covered,
                 math.exp(sum(ways)) if ways else math.nan, limit)  # fmt: skip


def left_out(runs: list[Run], key: Callable[[Run], str]) -> list[tuple[Run, EngineConstants]]:
    """Every run with constants that its group did not teach."""
    pairs = []
    for group in sorted({key(r) for r in runs}):
        engine = fit_engine([r for r in runs if key(r) != group])
        pairs += [(r, engine) for r in runs if key(r) == group]
    return pairs


def score_serving() -> list[Score]:
    """All rows: from the config alone, then from a run of the same cell on the other GPU."""
    runs = read_runs()
    scores = []
    keys: tuple[tuple[str, Callable[[Run], str]], ...] = (
        ("model family", lambda r: r.family), ("GPU", lambda r: r.gpu),
    )  # fmt: skip
    for held, key in keys:
        pairs = left_out(runs, key)
        groups = [key(r) for r, _ in pairs]
        for name, errors, ways, limit in (
            ("TPOT", [math.log(r.tpot_s / r.tpot(e)) for r, e in pairs], TPOT_WAYS, 1.35),
            ("TTFT", [math.log(r.ttft_s / r.ttft(e)) for r, e in pairs], TTFT_WAYS, math.nan),
        ):
            asked = limit if held == "model family" else math.nan
            scored = score(f"{name} from the config", held, errors, ways, asked)
            scores.append(replace(scored, covered_apart=cover_apart(np.array(errors), groups)))
    scores.append(score_engines(runs))
    scores.append(score("TPOT, weights and KV over bandwidth", "", (math.log(r.tpot_s / r.roof_s) for r in runs),
                        None, math.nan))  # fmt: skip
    return scores + score_carried(runs) + score_replay()


REPLAY_LIMITS = {"throughput": 1.10, "prefill, p50": 1.25, "TPOT, p50": 1.15}


def score_replay() -> list[Score]:
    """Requests of one engine, replayed with the arrivals and lengths that it had: each part by itself.

    Prefill is the time to the first token without the queue, from the arrival at the engine: no front end. The queue
    and the whole time to the first token are scored as well; nothing was asked of them.
    """
    (path,) = paths_of("serving_requests")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened))
    arrival, queued, ttft, tpot = (
        np.array([float(r[k] or "nan") for r in rows]) for k in ("arrival_s", "queued_s", "ttft_s", "tpot_s")
    )
    inputs, outputs = ([int(r[k]) for r in rows] for k in ("input_tokens", "output_tokens"))
    model, plan = parse_config(LLAMA_8B, "Llama-3.1-8B"), Plan(1, 1, 1, 1, "bf16", "bf16")
    node = make_node(parse_target("RTX 4090").processor)
    room = (node.gpu.capacity_bytes_dram or 0.0) * Scheduler().gpu_memory_utilization
    room_tokens = (room - weights_per_gpu(model, plan) - WORKSPACE_BYTES) / cache_per_gpu(model, plan, 1.0)
    seen = replay_requests(
        arrival, inputs, outputs, tabulate_steps(model, plan, node), Scheduler(256, 2048), room_tokens
    )
    throughput = np.nansum(np.array(outputs)) / (
        np.nanmax(arrival + ttft + tpot * (np.array(outputs) - 1)) - arrival[0]
    )
    parts = {
        "throughput": (throughput, seen.tokens_per_s),
        "prefill, p50": (np.median(ttft - queued), np.median(seen.ttft_s - seen.queue_s)),
        "TPOT, p50": (np.nanmedian(tpot), np.nanmedian(seen.tpot_s)),
        "queue, p50": (np.median(queued), np.median(seen.queue_s)),
        "TTFT, p50": (np.median(ttft), np.median(seen.ttft_s)),
    }
    return [
        score(f"replayed {name}", "one engine, taught nothing", [math.log(float(a) / float(b))], None,
              REPLAY_LIMITS.get(name, math.nan))
        for name, (a, b) in parts.items()
    ]  # fmt: skip


def fit_levels(runs: Sequence[Run], constants: EngineConstants) -> dict[str, float]:
    """Of each engine its level of the time to the first token: the mean over families of the median logarithm, drawn
    to 0 as if one more family had it.
    """
    levels = {}
    for engine in ENGINES:
        by_family: dict[str, list[float]] = defaultdict(list)
        for run in runs:
            if run.cell[ENGINE_PLACE] == engine:
                by_family[run.family].append(math.log(run.ttft_s / run.ttft(constants)))
        levels[engine] = math.exp(sum(float(np.median(v)) for v in by_family.values()) / (len(by_family) + 1))
    return levels


ENGINE_PLACE = 1
"""Of a run's cell."""


def score_engines(runs: list[Run]) -> Score:
    """TTFT with the engine named, at levels and constants that the run's family did not teach."""
    errors, covered, widths = [], [], []
    for family in sorted({r.family for r in runs}):
        taught = [r for r in runs if r.family != family]
        constants = fit_engine(taught)
        levels = fit_levels(taught, constants)
        for run in (r for r in runs if r.family == family):
            engine = str(run.cell[ENGINE_PLACE])
            error = math.log(run.ttft_s / (run.ttft(constants) * levels[engine]))
            down, up = ENGINES[engine].ways
            errors.append(error)
            covered.append(-down <= error <= up)
            widths.append(down + up)
    scored = score("TTFT from the config, engine named", "model family", errors, None, math.nan)
    return replace(scored, covered=float(np.mean(covered)), width=math.exp(float(np.mean(widths))))


def score_carried(runs: list[Run]) -> list[Score]:
    """Score a run of each GPU for the other, both ways; several runs of a cell by their geometric mean.

    The constants are those that the cell's family did not teach. The rows say how many families have cells on both
    GPUs: with one, they say little of other models.
    """
    engines = {r.family: e for r, e in left_out(runs, lambda r: r.family)}
    cells: dict[tuple[object, ...], dict[str, list[Run]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        cells[run.cell][run.gpu].append(run)
    pairs = [(a, b) for cell in cells.values() for a, b in itertools.permutations(cell.values(), 2)]

    def log_mean(group: list[Run], value: Callable[[Run], float]) -> float:
        return float(np.mean([math.log(value(r)) for r in group]))

    families = len({a[0].family for a, _ in pairs})
    held = f"other GPU, {families} model {'family' if families == 1 else 'families'}"
    scores = []
    kinds: tuple[tuple[str, Callable[[Run], float], Callable[[Run], float], float, float], ...] = (
        ("TPOT", lambda r: r.tpot_s, lambda r: r.tpot(engines[r.family]), TPOT_CARRIED, 1.12),
        ("TTFT", lambda r: r.ttft_s, lambda r: r.ttft(engines[r.family]), TTFT_CARRIED, 1.06),
    )
    for name, measured, forecast, way, limit in kinds:
        same = [log_mean(b, measured) - log_mean(a, measured) for a, b in pairs]
        moved = [s - (log_mean(b, forecast) - log_mean(a, forecast)) for s, (a, b) in zip(same, pairs, strict=True)]
        scores.append(score(f"{name} carried", held, moved, (way, way), limit))
        scores.append(score(f"{name}, same time", held, same, None, math.nan))
    return scores


def tabulate_serving(scores: list[Score]) -> Table:
    """A row per kind of forecast."""

    def factor(value: float) -> str:
        return f"{value:.3f}" if math.isfinite(value) else ""

    def share(value: float) -> str:
        return format_percent(value, 0) if math.isfinite(value) else ""

    return Table([
        Column("what", lambda s: s.what, key="what"), Column("left out", lambda s: s.held_out, key="held_out"),
        Column("runs", lambda s: s.runs, str, key="runs"),
        Column("typical factor", lambda s: s.typical, factor, key="typical_factor"),
        Column("asked for", lambda s: s.limit, factor, key="limit_factor"),
        Column("coverage", lambda s: s.covered, share, key="coverage"),
        Column("widths apart", lambda s: s.covered_apart, share, key="coverage_apart"),
        Column("high / low", lambda s: s.width, factor, key="width"),
    ], scores)  # fmt: skip
