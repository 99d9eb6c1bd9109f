"""Models that never ran as programs of a choice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast.torch
from roofcast.choosing.deciding import choose
from roofcast.choosing.programme import list_duals
from roofcast.choosing.template import write_templates
from roofcast.choosing.workload_file import Terms
from roofcast.core.errors import RoofcastError

RESNET = Path(__file__).parents[1] / "unmeasured" / "resnet50_amp.json"
GPUS = ["H100 SXM5 80GB", "A100 SXM4 80GB", "L40S"]


def write_record(folder: Path, memory: dict[str, float]) -> Path:
    """The recorded model with what it holds."""
    record: dict[str, Any] = json.loads(RESNET.read_text()) | {"memory": memory}
    path = folder / "model.json"
    path.write_text(json.dumps(record))
    return path


def test_a_model_that_never_ran_takes_what_its_forecast_says() -> None:
    found = choose(RESNET, GPUS)
    totals = {t.target: t for t in roofcast.torch.forecast(json.loads(RESNET.read_text()), to=GPUS).totals}
    for option in found.options:
        total = totals[option.candidate.processor.name]
        assert (option.time_s, option.low_s, option.high_s) == (total.time_s, total.time_low_s, total.time_high_s)
        # No board draws more than its limit, none less than a tenth of it while it works.
        board = option.candidate.processor.tdp_w
        assert board is not None
        assert option.energy_j is not None
        assert 0.1 * board < option.energy_j[0] / option.time_s <= board


def test_memory_is_what_the_model_holds(tmp_path: Path) -> None:
    path = write_record(tmp_path, {"parameters": 10e9, "gradients": 10e9, "optimizer": 20e9, "activations": 13e9})
    found = choose(path, GPUS)
    assert found.memory_bytes == 53e9
    assert [name for name, _ in found.left_out] == ["L40S"]
    write_templates([str(path)], str(tmp_path / "decision"), ",".join(GPUS), None, None, None)
    text = (tmp_path / "decision" / "workload.toml").read_text()
    assert 'memory = "53' in text
    demand = text.replace("weight = 1 ", "jobs_per_day = 1e6 # ")
    (tmp_path / "decision" / "workload.toml").write_text(demand)
    again = choose(tmp_path / "decision" / "workload.toml", GPUS, prices="public", terms=Terms(years=3.0))
    assert again.fleet is not None
    assert all(again.options[p.option].name != "L40S" for p in again.fleet.parts)


def test_a_list_of_operators_is_a_program_of_its_own(tmp_path: Path) -> None:
    with pytest.raises(RoofcastError, match="give it alone"):
        choose([RESNET, RESNET], GPUS)
    with pytest.raises(RoofcastError, match="one step"):
        choose(RESNET, GPUS, pattern="conv")


@pytest.mark.parametrize(("programs", "kinds"), [(1, 3), (2, 2), (3, 3), (5, 3), (2, 4)])
def test_the_worths_that_are_kept_bound_as_all_do(programs: int, kinds: int) -> None:
    """What GPUs serve at most is the least over all worths of a fine grid: none is missing."""
    draw = np.random.default_rng(programs * 10 + kinds)
    need = draw.uniform(0.5, 3.0, (programs, kinds))
    gpus = draw.uniform(0.1, 3.0, (20, kinds))
    served = (gpus @ list_duals(need)).min(axis=1)
    worth = np.exp(draw.uniform(-2.5, 2.5, (200_000, kinds)))
    worth /= (worth[:, None, :] * need).min(axis=2).sum(axis=1)[:, None]
    sampled = (gpus @ worth.T).min(axis=1)
    assert (served <= sampled * (1 + 1e-9)).all()
    assert served == pytest.approx(sampled, rel=0.08)
