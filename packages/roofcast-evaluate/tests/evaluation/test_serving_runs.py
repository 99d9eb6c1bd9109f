"""Serving runs: constants that were not taught by what they judge, and the limits that TPOT keeps."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from roofcast.core.errors import DatasetError
from roofcast.serving.show import PROMISE
from roofcast.serving.steady_state import EngineConstants
from roofcast_evaluate import serving_runs
from roofcast_evaluate.datasets import paths_of


def make_run(family: str, engine: EngineConstants, b: float, output: float, prompt: float) -> serving_runs.Run:
    run = serving_runs.Run(family, "g", (family, b), b, output, 5e-3, prompt, 4e-3, 1.0, 1.0)
    return serving_runs.Run(family, "g", (family, b), b, output, 5e-3, prompt, 4e-3, run.tpot(engine), run.ttft(engine))


def test_the_fit_finds_the_constants_that_made_the_runs() -> None:
    truth = EngineConstants(2e-3, 0.5, 0.05, 1.5, 0.03)
    runs = [make_run(f, truth, b, o, p) for f in "ab" for b in (4, 32, 128) for o in (128, 1024) for p in (0.02, 0.1)]
    assert serving_runs.fit_engine(runs) == truth
    held = serving_runs.left_out([*runs, make_run("c", EngineConstants(), 64, 256, 0.05)], lambda r: r.family)
    assert [e for r, e in held if r.family == "c"] == [truth]


def test_a_score_is_of_logarithms() -> None:
    row = serving_runs.score("x", "", [math.log(1.1), -math.log(1.1), math.log(3)], (0.5, 0.5), math.nan)
    assert row.typical == pytest.approx(math.exp((2 * math.log(1.1) + math.log(3)) / 3))
    assert row.covered == pytest.approx(2 / 3)


def test_public_runs_are_within_their_limit() -> None:
    try:
        paths_of("serving")
    except DatasetError as error:
        pytest.skip(str(error)[:100])
    scores = {(s.what, s.held_out): s for s in serving_runs.score_serving()}
    config = scores["TPOT from the config", "model family"]
    assert config.typical < config.limit < scores["TPOT, weights and KV over bandwidth", ""].typical
    assert 0.88 <= config.covered <= 0.96
    # Widths that the family itself did not set hold less: the printed promise says how much.
    first = scores["TTFT from the config", "model family"]
    assert f"{100 * config.covered_apart:.0f} % (TPOT) and {100 * first.covered_apart:.0f} % (TTFT)" in PROMISE
    assert np.isfinite([s.typical for s in scores.values()]).all()


def test_the_level_of_an_engine_is_found_again() -> None:
    """Runs of two families, of which one engine takes twice as long at first, drawn to 1 by one more family."""
    constants = EngineConstants()
    runs = [make_run(f, constants, b, 256, 0.05) for f in "ab" for b in (1, 16, 64)]
    slow = [replace(r, ttft_s=2 * r.ttft_s, cell=("m", "sglang")) for r in runs]
    levels = serving_runs.fit_levels([*(replace(r, cell=("m", "vllm")) for r in runs), *slow], constants)
    assert levels["vllm"] == pytest.approx(1.0)
    assert levels["sglang"] == pytest.approx(2 ** (2 / 3))
