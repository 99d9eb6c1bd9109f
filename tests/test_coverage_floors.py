"""The shares of lines and branches that tests reach do not fall."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def floors() -> ModuleType:
    spec = importlib.util.spec_from_file_location("coverage_floors", ROOT / "tools" / "coverage_floors.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def told(lines: tuple[int, int], branches: tuple[int, int] = (0, 0)) -> dict[str, dict[str, int]]:
    return {
        "summary": {
            "covered_lines": lines[0], "num_statements": lines[1],
            "covered_branches": branches[0], "num_branches": branches[1],
        }
    }  # fmt: skip


def test_lines_and_branches_of_a_room_are_those_of_its_files(floors: ModuleType) -> None:
    files = {
        "src/roofcast/models/a.py": told((8, 10), (1, 4)),
        "src/roofcast/models/physics/b.py": told((30, 30), (2, 2)),
        "/usr/src/elsewhere/src/roofcast/forecasting/c.py": told((1, 2)),
        "packages/roofcast-hull/src/roofcast_hull/source/d.py": told((5, 8), (1, 2)),
    }
    assert floors.count_reached(files) == {
        ("models", "lines"): (38, 40), ("models", "branches"): (3, 6),
        ("forecasting", "lines"): (1, 2), ("forecasting", "branches"): (0, 0),
        ("roofcast_hull", "lines"): (5, 8), ("roofcast_hull", "branches"): (1, 2),
        ("roofcast", "lines"): (44, 50), ("roofcast", "branches"): (4, 8),
    }  # fmt: skip


def test_a_room_below_a_floor_or_without_measurement_is_named(
    floors: ModuleType, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {"src/roofcast/models/a.py": told((95, 100), (8, 10))}
    assert floors.compare(files, {"models": (95, 80)}) == []
    found = floors.compare(files, {"models": (96, 80), "roofcast": (95, 81), "forecasting": (1, 0)})
    assert found == ["models (lines)", "roofcast (branches)", "forecasting (lines)"]
    assert "models: 95.0 % of 100 lines reached, floor 96 %" in capsys.readouterr().out


def test_every_floor_is_of_a_room_and_below_all(floors: ModuleType) -> None:
    assert floors.WHOLE in floors.FLOORS
    for room, least in floors.FLOORS.items():
        assert room == floors.WHOLE or (ROOT / "src" / "roofcast" / room).is_dir()
        assert all(50 < floor < 100 for floor in least)
