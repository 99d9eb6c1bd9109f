"""The score of measured PyTorch steps: cells, the split, the table; recording itself needs PyTorch and minutes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from roofcast.core.errors import DatasetError
from roofcast_evaluate.datasets import STEPS
from roofcast_evaluate.torch_steps import Scored, list_cells, load_cells, tabulate_scores


def test_models_held_back_are_measured_and_are_no_majority(data_dir: Path) -> None:
    cells = list_cells()
    held = {c.model for c in cells} & set(STEPS["hopper_torch"].held_back)
    assert held == set(STEPS["hopper_torch"].held_back)
    assert 0.2 < sum(c.model in held for c in cells) / len(cells) < 0.5
    assert all(0 < c.device_s < 2 * c.step_s for c in cells)


def test_without_pytorch_one_line_says_what_is_missing(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(DatasetError, match="needs PyTorch"):
        load_cells()


def test_the_table_keeps_models_apart_that_taught() -> None:
    rows = [
        Scored("device", back, "h100", "m", 1.0, f, 0.8, 1.2) for back, f in ((False, 1.1), (True, 0.5), (True, 2.0))
    ]
    taught, held = tabulate_scores(rows).records()
    assert (taught["models"], taught["rows"], taught["inside"]) == ("taught by", 1, 1.0)
    assert taught["mean_ape"] == pytest.approx(0.1)
    assert held["mean_ape"] == pytest.approx(0.75)
    assert held["median_ratio"] == pytest.approx(1.0)
