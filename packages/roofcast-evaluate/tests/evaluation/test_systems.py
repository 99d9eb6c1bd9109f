"""Scores of collectives and of training runs, on the registered data."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from roofcast.core.errors import DatasetError
from roofcast.scaling.scaling_law import Law
from roofcast_evaluate.commands.evaluate import command
from roofcast_evaluate.datasets import paths_of
from roofcast_evaluate.link_scores import read_hosts, score_alone
from roofcast_evaluate.mlperf_inference import score_inference
from roofcast_evaluate.operator_scores import ALL, score_operators
from roofcast_evaluate.training_scores import OTHER, SAME, list_pairs, read_cells, score_training


def needs(name: str) -> None:
    try:
        paths_of(name)
    except DatasetError as error:
        pytest.skip(str(error))


def test_runs_that_the_law_has_not_seen_are_nearer_than_naive() -> None:
    needs("mlperf_training")
    scores = {s.experiment: s for s in score_training()}
    assert scores[SAME].factor < 1.12 < scores[SAME].naive
    assert scores[OTHER].factor < 1.13 < scores[OTHER].naive
    for score in scores.values():
        assert 0.87 <= score.coverage <= 0.96
        assert score.width < 1.8


def test_pairs_are_of_one_benchmark_and_one_batch() -> None:
    needs("mlperf_training")
    pairs = list_pairs(read_cells())
    assert all(p.source.benchmark == p.target.benchmark for of in pairs.values() for p in of)
    assert all(p.source.gpus == p.target.gpus and p.moves for p in pairs[SAME])
    assert all(p.source.gpus != p.target.gpus and not p.moves for p in pairs[OTHER])
    back = {(id(p.target), id(p.source)): p for p in pairs[SAME]}
    for p in pairs[SAME]:
        assert back[id(p.source), id(p.target)].forecast(Law()) == pytest.approx(-p.forecast(Law()))


def test_results_of_inference_are_carried_nearer_than_the_naive_mean() -> None:
    needs("mlperf_inference")
    *benchmarks, whole, mean, alone = score_inference()
    assert mean.rows == len(benchmarks)
    assert mean.factor < 1.2 < whole.factor < whole.both
    assert alone.factor < 1.35
    assert 0.75 < alone.coverage <= 1.0


def test_operators_are_carried_nearer_than_every_ratio() -> None:
    needs("llm_operators")
    scores = {s.operator: s for s in score_operators("llm_operators")}
    whole = scores[ALL]
    assert whole.factor < 1.45 < min(whole.same_time, whole.bandwidth, whole.fp32, whole.both)
    assert scores["gemm/bfloat16"].factor < 1.25
    assert sum(s.pairs for name, s in scores.items() if name != ALL) == whole.pairs


def test_links_alone_tell_modules_and_bound_what_a_hosts_tree_hides() -> None:
    needs("collectives")
    hosts = read_hosts()
    scores = {gpu: score_alone((gpu, host), times) for (gpu, host), times in hosts.items()}
    assert all(scores[gpu].factor < 1.25 for gpu in scores if not gpu.startswith("L40S"))
    assert all(score.coverage > 0.8 for score in scores.values())
    assert scores["L40S"].width > 1.5 * scores["H100 SXM5 80GB"].width


@pytest.mark.parametrize("name", ["mlperf_training", "collectives", "mlperf_inference", "llm_operators"])
def test_the_command_prints_the_scores(name: str) -> None:
    needs(name)
    result = CliRunner().invoke(command, [name, "--format", "json"])
    assert result.exit_code == 0
    rows = json.loads(result.output)
    assert {"factor", "coverage", "width"} <= rows[0].keys()
    assert all(row["factor"] >= 1 for row in rows)
