"""Errors per library operator: ``python tools/teach.py operators [OPTIONS] [DATASETS]`` prints the docs' table.

``--floors`` gives launch floors; ``--warm`` is what ``--cache warm`` is elsewhere. Of each kernel on each pair of GPUs
at most ``PAIRS`` configurations count, evenly spread.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from roofcast.core.kernel_table import KernelTable
from roofcast.kit.quantities import format_percent
from roofcast.models.base import Model
from roofcast.models.physics.model import Mechanistic
from roofcast_evaluate.cases import Cases, cases_of, evenly
from roofcast_evaluate.datasets import load
from roofcast_evaluate.floors import measured_floors
from roofcast_evaluate.scores import Score, scores_of, summary

DATASETS = ("neusight", "llm_ops_gemm", "llm_ops_attention", "llm_ops_moe", "eleuther_gemm", "llmcompass")
PAIRS = 400

TOGETHER: dict[str, str] = {
    **{f"torch/{name}": "torch/element-wise" for name in (
        "add", "addu", "div", "divu", "gelu", "mul", "mulu", "pow", "powu", "relu", "tanh")},
    "attention_decode/kv=bfloat16": "attention_decode", "attention_decode/kv=fp8": "attention_decode",
    "attention_prefill_causal/kv=bfloat16": "attention_prefill", "attention_prefill_causal/kv=fp8": "attention_prefill",
}  # fmt: skip
"""Kernels that count as one operator."""


@dataclass(frozen=True)
class OperatorScore:
    """Metrics of one operator of one data set."""

    dataset: str
    operator: str
    score: Score
    """Mean over directed pairs of GPUs, each kernel the same."""


def sample_cases(cases: Cases, most: int) -> Cases:
    """At most some configurations of each kernel on each pair of GPUs, evenly spread."""
    key = cases.kernels.strings("kernel") + "\x00" + cases.source_gpu + "\x00" + cases.target_gpu
    return cases.select(evenly(key, most))


def scores(
    name: str, kernels: KernelTable, model: Model, most: int, *, floors: bool = False, cache: str = "auto"
) -> Iterator[OperatorScore]:
    """Scores of every operator of a data set."""
    given = measured_floors(kernels) if floors else None
    cases = sample_cases(cases_of(name, kernels, floors=given, cache=cache), most)
    outcome = cases.forecast(model)
    operator = np.array([TOGETHER.get(str(k), str(k)) for k in outcome.kernel])
    for found in sorted(set(operator.tolist())):
        yield OperatorScore(name, found, summary(scores_of(outcome.select(operator == found))))


def main(arguments: list[str]) -> None:
    """Print the table, data set by data set."""
    floors, cache = "--floors" in arguments, "warm" if "--warm" in arguments else "auto"
    for name in [a for a in arguments if not a.startswith("-")] or DATASETS:
        for row in scores(*load(name), Mechanistic(), PAIRS, floors=floors, cache=cache):
            s = row.score
            sys.stdout.write(
                f"{row.dataset:18} {row.operator:36} {format_percent(s.mape, 1):>8} "
                f"{format_percent(s.median_ape, 1):>8} {s.pairs:8}\n"
            )
            sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
