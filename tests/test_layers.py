"""The layer rule: a package imports only packages above it in the list."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

LAYERS = [
    # The store stands before the readers, which read it like a file; what fills it with files is one of them.
    "version", "errors", "units", "formulas", "core", "catalog", "store", "ingest", "sass", "algorithms", "transfer",
    "models", "applications", "evaluation", "measure", "advice", "sweep", "report", "web", "commands",
]  # fmt: skip
SOURCE = Path(__file__).parents[1] / "src" / "roofcast"
# The package itself and the entry point stand outside the list: they only delegate.
OUTSIDE = {"__init__", "__main__"}


def imports(path: Path) -> set[str]:
    """First-level roofcast packages that a module imports, at any depth of its code."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {a.name.split(".")[1] for a in node.names if a.name.startswith("roofcast.")}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            parts = node.module.split(".")
            if parts[0] == "roofcast":
                found |= {parts[1]} if len(parts) > 1 else {a.name for a in node.names}
    return found


MODULES = sorted(p for p in SOURCE.rglob("*.py") if p.relative_to(SOURCE).parts[0].removesuffix(".py") not in OUTSIDE)


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(SOURCE).as_posix())
def test_a_module_imports_only_from_above(path: Path) -> None:
    layer = path.relative_to(SOURCE).parts[0].removesuffix(".py")
    assert layer in LAYERS, f"{layer} is not in the list of layers"
    below = {name for name in imports(path) if LAYERS.index(name) > LAYERS.index(layer)}
    assert not below, f"{layer} must not import {', '.join(sorted(below))}"
    if layer == "formulas":
        assert imports(path) <= {"formulas"}, "formulas import nothing of roofcast"


def test_the_rule_sees_a_forbidden_import(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text("def f():\n    from roofcast.analyses.report import files\n    import roofcast.web.page\n")
    assert imports(module) == {"report", "web"}
