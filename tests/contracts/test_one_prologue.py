"""A forecast is prepared in one place: nobody else takes the steps from a table to what a model sees."""

from __future__ import annotations

import ast
from pathlib import Path

import roofcast

STEPS = frozenset({
    "with_told_amounts", "with_traced_amounts", "with_shape_amounts", "with_named_launches",
    "with_amounts_of_others", "use_embedded_code", "source_clocks", "target_clocks",
    "automatic_clocks", "estimate_in_blocks",
})  # fmt: skip
"""What prepares a forecast. Looking up the GPU of a row is no preparation."""
PREPARES = "forecasting"
ALSO_PREPARE: set[str] = set()
"""Rooms that still take steps of their own. None is to be added; each goes when it takes the prepared forecast."""


def calls(path: Path) -> set[str]:
    """Names of the steps that a module calls."""
    found = [n.func for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.Call)]
    return {
        n.id if isinstance(n, ast.Name) else n.attr for n in found if isinstance(n, (ast.Name, ast.Attribute))
    } & STEPS


def test_nobody_else_prepares_a_forecast() -> None:
    root = Path(roofcast.__file__).parent
    taken = {str(p.relative_to(root)): calls(p) for p in sorted(root.rglob("*.py"))}
    defines = ("operators/", "models/", "sass/", "ingest/", f"{PREPARES}/")
    others = {name: steps for name, steps in taken.items() if steps and not name.startswith(defines)}
    rooms = {name.rpartition("/")[0] for name in others}
    assert rooms <= ALSO_PREPARE, {n: sorted(s) for n, s in others.items() if n.rpartition("/")[0] not in ALSO_PREPARE}
    assert rooms >= ALSO_PREPARE, f"mended: delete {sorted(ALSO_PREPARE - rooms)}"
