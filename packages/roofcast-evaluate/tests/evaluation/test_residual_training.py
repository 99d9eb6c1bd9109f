"""Training: the same pairs give the same model bit for bit; it learns what is there to learn, and no more."""

from __future__ import annotations

import hashlib
import json
import sys

import numpy as np
import pytest

from roofcast.catalog import find
from roofcast.core.columns import Origin
from roofcast.core.errors import MissingExtraError
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, columns_of
from roofcast.core.results import Conditions
from roofcast.models.learned.hybrid import Hybrid
from roofcast.models.learned.residual import residual_of, shipped
from roofcast.models.physics.kernel_inputs import NAMED_STALLS
from roofcast.models.physics.model import Mechanistic
from roofcast_evaluate import train
from roofcast_evaluate.cases import Cases, cases_of
from roofcast_evaluate.datasets import DATASETS, load
from roofcast_evaluate.train import learn, nothing_learned, program_weights, samples_of, splits

pytest.importorskip("lightgbm")
NAMES = ("A100-SXM4-40GB", "H100 SXM5 80GB", "RTX 3080")
PAIRS = 900


def cases(factor: FloatArray, barrier: FloatArray) -> Cases:
    """Pairs between three GPUs whose measured times are the physics' times a factor."""
    draw = np.random.default_rng(3)
    n = len(factor)
    traffic, latency = 10 ** draw.uniform(6, 8, n), draw.uniform(8, 40, n)
    values = {
        "time_s": traffic / 5e11 + 5e-6, "grid_blocks": draw.integers(300, 4000, n), "block_threads": np.full(n, 256.0),
        "bytes_dram": traffic, "bytes_l2": 1.5 * traffic, "bytes_l1": 2 * traffic, "flops_fp32": traffic,
        "ipc_active": draw.uniform(0.5, 2, n), "sm_active_fraction": np.full(n, 0.9),
        "warp_latency_cycles_per_inst": latency, **{f"stall_{r}_per_inst": latency * 0.02 for r in NAMED_STALLS},
        "stall_long_scoreboard_per_inst": latency * 0.4, "stall_barrier_per_inst": latency * barrier,
    }  # fmt: skip
    text = {"kernel": [f"program{i % 40}:k{i}" for i in range(n)]}
    kernels = KernelTable.from_columns(text, {k: (np.asarray(v, float), Origin.COUNTED) for k, v in values.items()})
    processors = tuple(find(name).processor for name in NAMES)
    source = np.arange(n) % 3
    target = (source + 1 + np.arange(n) // 3 % 2) % 3
    clocks = np.array([p.clock_hz_boost for p in processors])
    sources = Machines(columns_of(processors), source, clocks[source])
    targets = Machines(columns_of(processors), target[:, None], clocks[target][:, None])
    physics = Mechanistic().parts(kernels, sources, targets, Conditions()).time_s[:, 0]
    names = np.array(NAMES, dtype=object)
    return Cases(kernels, sources, targets, physics * factor, names[source], names[target], {})


def slow_at_barriers() -> Cases:
    draw = np.random.default_rng(5)
    barrier = draw.uniform(0, 0.4, PAIRS)
    return cases(np.where(barrier > 0.2, 1.6, 0.9) * np.exp(draw.normal(0, 0.03, PAIRS)), barrier)


@pytest.mark.slow
def test_the_same_pairs_give_the_same_model_bit_for_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(train, "RATIO_TREES", 8)
    monkeypatch.setattr(train, "SCALE_TREES", 4)
    found = slow_at_barriers()
    texts = [json.dumps(learn(samples_of(found, Mechanistic())).content()) for _ in range(2)]
    assert texts[0] == texts[1]
    assert residual_of(json.loads(texts[0])).content() == json.loads(texts[0])


@pytest.mark.slow
def test_it_learns_what_is_there_on_programs_that_it_has_not_seen() -> None:
    found = slow_at_barriers()
    samples = samples_of(found, Mechanistic())
    train_rows, test_rows = next(splits(samples, by_gpu=False))
    model = Hybrid(Mechanistic(), learn(samples_of(found.select(train_rows), Mechanistic())))
    test = found.select(test_rows)
    before, after = (np.abs(test.forecast(m).time_s / test.time_s_measured - 1) for m in (Mechanistic(), model))
    assert after.mean() < 0.7 * before.mean()
    outcome = test.forecast(model)
    inside = (outcome.time_low_s <= outcome.time_s_measured) & (outcome.time_s_measured <= outcome.time_high_s)
    assert 0.8 <= inside.mean() <= 1.0


@pytest.mark.slow
def test_where_nothing_is_to_be_learned_little_is_changed() -> None:
    draw = np.random.default_rng(9)
    found = cases(np.exp(draw.normal(0, 0.1, PAIRS)), draw.uniform(0, 0.4, PAIRS))
    samples = samples_of(found, Mechanistic())
    train_rows, test_rows = next(splits(samples, by_gpu=False))
    model = Hybrid(Mechanistic(), learn(samples_of(found.select(train_rows), Mechanistic())))
    test = found.select(test_rows)
    factor = test.forecast(model).time_s / test.forecast(Mechanistic()).time_s
    assert np.abs(np.log(factor)).max() < 0.12


def test_few_pairs_teach_nothing() -> None:
    found = slow_at_barriers()
    some = np.arange(PAIRS) < 100
    residual = learn(samples_of(found.select(some), Mechanistic()))
    assert residual.content() == nothing_learned().content()
    model = Hybrid(Mechanistic(), residual)
    np.testing.assert_array_equal(found.forecast(model).time_s, found.forecast(Mechanistic()).time_s)


def test_splits_share_neither_program_nor_target() -> None:
    samples = samples_of(slow_at_barriers(), Mechanistic())
    seen = np.zeros(len(samples), int)
    for train_rows, test_rows in splits(samples, by_gpu=True):
        assert not set(samples.fold[train_rows]) & set(samples.fold[test_rows])
        left_out = set(samples.target[test_rows])
        assert not left_out & (set(samples.source[train_rows]) | set(samples.target[train_rows]))
        seen += test_rows
    assert (seen == 1).all()


def test_programs_weigh_by_the_root_of_their_kernels() -> None:
    same = np.array(["a"] * 4 + ["b"], dtype=object)
    gpu = np.array(["x"] * 5, dtype=object)
    np.testing.assert_allclose(program_weights(same, gpu, gpu), [0.5] * 4 + [1.0])


def test_the_shipped_model_names_what_it_was_made_from() -> None:
    provenance = shipped().provenance
    assert set(provenance["data sets"]) == {train.TRAINING_SET}
    assert DATASETS[train.TRAINING_SET].training
    assert all(found["sha256"] == DATASETS[name].sha256 for name, found in provenance["data sets"].items())
    model = provenance["mechanistic model"]
    assert all(len(value) == len(hashlib.sha256().hexdigest()) for value in model.values())
    assert train.constants_hash(Mechanistic()) == train.constants_hash(Mechanistic())


def test_without_the_library_training_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(MissingExtraError, match=r"roofcast\[learn\]"):
        learn(samples_of(slow_at_barriers(), Mechanistic()))


@pytest.mark.slow
@pytest.mark.usefixtures("data_dir")
def test_programs_that_were_left_out_are_forecast_better_on_real_measurements() -> None:
    """By more than noise, in the mean and in the middle; docs/accuracy.md has the full experiment."""
    samples = samples_of(cases_of(*load("hecbench_ncu")), Mechanistic())
    chosen = train.columns_of(samples)
    before = np.abs(np.exp(-samples.log_ratio) - 1)
    after = before.copy()
    for train_rows, test_rows in splits(samples, by_gpu=False):
        trees = train.fit_ratio(samples, train_rows, chosen, (1,))
        factor = train.log_factor(trees, samples, test_rows, chosen, samples.target)
        after[test_rows] = np.abs(np.exp(factor - samples.log_ratio[test_rows]) - 1)
    assert after.mean() < before.mean() - 0.001
    assert np.median(after) < np.median(before) - 0.001
