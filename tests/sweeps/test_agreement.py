"""Sweeps on real profiles against `forecast` on the same variations, and without the optional libraries."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from roofcast import read
from roofcast.analyses.sweeps.engine import Engine
from roofcast.analyses.sweeps.workload import prepare
from roofcast.core.errors import RoofcastError
from roofcast.forecasting.forecast import forecast
from sweep_builders import a_space, a_table, some_levels, worst

FOLDERS = ("ncu_rep", "ncu_csv", "nvprof")


@pytest.mark.slow
def test_real_profiles_agree_with_forecast(fixtures_dir: Path) -> None:
    space = a_space("sm", "clock", "dram", "l2", "fp32")
    levels = some_levels(space, 12)
    targets = space.processors(levels)
    draw = np.random.default_rng(2)
    files = sorted(p for folder in FOLDERS for p in (fixtures_dir / folder).iterdir() if p.stat().st_size < 3e6)
    compared = compiled = 0
    for index in draw.permutation(len(files))[:14]:
        try:
            table = read([str(files[index])])
            table = table.select(np.arange(min(len(table), 8)))
            engine = Engine(prepare(table, space.base, model="mechanistic"), space)
        except RoofcastError:
            continue
        shape = (len(table), levels.shape[1])
        out = (np.empty(shape), np.empty(shape), np.empty(shape))
        engine.totals(levels, out)
        right = forecast(table, targets, model="mechanistic").estimate
        assert worst(out[:1], (right.time_s,)) < 1e-12, files[index].name
        # A variation may be as sure as its base, and never surer.
        assert not (out[1] > right.time_low_s * (1 + 1e-12)).any(), files[index].name
        assert not (out[2] < right.time_high_s * (1 - 1e-12)).any(), files[index].name
        compared += 1
        compiled += len(engine.direct) == 0
    assert compared >= 4
    assert compiled >= 3


def test_a_variation_is_the_point_of_a_sweep() -> None:
    space, table = a_space("sm", "clock", "dram"), a_table("stalls", 3)
    levels = np.array([[2], [1], [3]])
    values = [a.levels[i] for a, i in zip(space.axes, levels[:, 0], strict=True)]
    name = f"H100 SXM5 80GB{{sm={values[0]:.0f},clock={values[1]!r}Hz,dram={values[2]!r}B/s}}".replace("np.float64", "")
    name = name.replace("(", "").replace(")", "")
    engine = Engine(prepare(table, space.base), space)
    out = (np.empty((3, 1)), np.empty((3, 1)), np.empty((3, 1)))
    engine.totals(levels, out)
    assert worst(out[:1], (forecast(table, name, model="mechanistic").estimate.time_s,)) < 1e-12


@pytest.mark.slow
def test_without_numba_the_extra_is_named() -> None:
    code = """
import sys
sys.modules["numba"] = None
from sweep_builders import a_space, a_table
from roofcast.core.errors import MissingExtraError
from roofcast.analyses.sweeps.engine import Engine
from roofcast.analyses.sweeps.workload import prepare
space = a_space("sm")
try:
    Engine(prepare(a_table("time", 2), space.base), space)
except MissingExtraError as error:
    print(error)
"""
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert "roofcast[sweep]" in done.stdout


@pytest.mark.slow
def test_choosing_loads_no_compiler() -> None:
    modules = "roofcast.analyses.sweeps.choosing, roofcast.analyses.sweeps.space"
    code = f"import sys; import {modules}; print('numba' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
