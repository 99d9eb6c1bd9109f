"""A forecast is prepared in one place: nobody else takes the steps from a table to what a model sees."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

import pytest

from sources import list_modules

PREPARES, STEPS = "forecasting/prepared.py", "forecasting/preparing/in_order.py"
MAY_CALL: dict[str, set[str]] = {
    "source_clocks": {PREPARES},
    "asked_clocks": {PREPARES},
    "mark_implausible": {STEPS, "forecasting/plausible.py"},
    # By itself, once for launches that have one row in common.
    "target_clocks": {PREPARES, "forecasting/clocks.py"},
    "automatic_clocks": {"forecasting/clocks.py"},
    "same_work": {STEPS},
    "with_amounts_of_others": {STEPS},
    "use_embedded_code": {STEPS},
    "set_caches": {STEPS},
    "with_traced_amounts": {STEPS},
    "with_shape_amounts": {STEPS},
    "with_named_launches": {STEPS},
    # The share of a run that is known by its shapes, which is no forecast.
    "add_told_amounts": {"applications/run_summary.py"},
    "estimate_in_blocks": {"models/promises.py"},
    # A sweep varies the prepared forecast of its base.
    "estimate_prepared": {"forecasting/forecast.py", "sweeps/workload.py"},
}
"""Step -> modules that take it. To add one is to add a prologue: take `Forecast.prepared` or call `prepare`."""
MAY_PREPARE = {
    # The forecast; what it is scored by, and what a user's own pairs are; the memory that the rows of a choice need.
    # Measured rows beside new sizes, before the forecast.
    "forecasting/problem_size.py",
    # Who says which amount.
    "forecasting/said_amounts.py",
    "forecasting/forecast.py", "roofcast_evaluate/cases.py", "forecasting/own_pairs.py", "choosing/program_times.py",
}  # fmt: skip
"""Modules that call :func:`roofcast.forecasting.prepared.prepare`."""


def calls(path: Path) -> set[str]:
    """Names of the steps that a module calls."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    called = [n.func for n in ast.walk(tree) if isinstance(n, ast.Call)]
    found = {n.id if isinstance(n, ast.Name) else n.attr for n in called if isinstance(n, (ast.Name, ast.Attribute))}
    # By another name as well: `from ... import prepare as ...`.
    return found & set(MAY_CALL) | {f"{a.name} as {a.asname}" for a in imports(tree) if a.name in MAY_CALL and a.asname}


def imports(tree: ast.Module) -> list[ast.alias]:
    """What a module imports by name."""
    return [a for n in ast.walk(tree) if isinstance(n, ast.ImportFrom) for a in n.names]


def modules() -> dict[str, Path]:
    """Every module of the package by its place."""
    return list_modules()


@pytest.mark.slow
def test_every_step_is_taken_in_its_place_alone() -> None:
    taken: dict[str, set[str]] = defaultdict(set)
    for name, path in modules().items():
        for step in calls(path):
            taken[step].add(name)
    assert taken == MAY_CALL


@pytest.mark.slow
def test_nobody_else_prepares_a_forecast() -> None:
    found = set()
    for name, path in modules().items():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        froms = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
        if any(n.module == "roofcast.forecasting.prepared" and "prepare" in {a.name for a in n.names} for n in froms):
            found.add(name)
    assert found == MAY_PREPARE


@pytest.mark.slow
def test_the_steps_are_there() -> None:
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in modules().values()]
    defined = {n.name for tree in trees for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    assert set(MAY_CALL) <= defined, "renamed: name it here as it is called now"
