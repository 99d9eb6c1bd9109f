"""The plan of the house: rooms import only rooms above them, files form no circle, and a name stands once."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import roofcast
from sources import FURTHER, list_modules

ROOMS = [
    "formulas", "core", "kit", "catalog", "operators", "ingest", "store", "reading", "sass", "models", "forecasting",
    "rooflines", "sweeps", "applications", "scaling", "comparing", "advice", "reports", "serving",
    "choosing", "asks", "torch", "web", "commands", "roofcast_measure", "roofcast_hull", "roofcast_evaluate",
    "roofcast_dev",
]  # fmt: skip
"""The last ones are distributions of their own: nothing of core names them."""
ASKED_BY_NAME = {"roofcast_hull": {"roofcast_evaluate"}}
"""What a room takes from one below it where that is installed: the public data of `roofcast hull --public-data`."""

# The package itself and the entry point stand outside the list: they only delegate.
OUTSIDE = {"__init__", "__main__"}
NAMES_THAT_RECUR = {"__init__", "ask", "part", "show", "registry", "csv", "text"}
"""Every room or distribution may have these; the last two are formats."""

MODULE = re.compile(r"roofcast(_[a-z]+)?(\.[a-z_][a-z0-9_]*)+")
OURS = {"roofcast", *FURTHER}


def imported_modules(path: Path) -> set[str]:
    """Modules of roofcast that a file imports at any depth of its code, those named in strings included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {a.name for a in node.names if a.name.partition(".")[0] in OURS and a.name != "roofcast"}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            if node.module.partition(".")[0] in OURS:
                found |= {f"{node.module}.{a.name}" for a in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and MODULE.fullmatch(node.value):
            found |= {node.value} & FILES.keys()
    return found


def name_module(place: str) -> str:
    """Dotted name of a file by its place."""
    parts = [*place.removesuffix(".py").split("/")]
    parts = parts if parts[0] in FURTHER else ["roofcast", *parts]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {name_module(place): path for place, path in list_modules().items()}


@cache
def arrows() -> dict[str, set[str]]:
    """Module -> modules that it imports; a name taken from a module counts as that module."""

    def resolved(name: str) -> str | None:
        return next((n for n in (name, name.rpartition(".")[0]) if n in FILES), None)

    return {m: {t for n in imported_modules(p) if (t := resolved(n)) and t != m} for m, p in FILES.items()}


def room_of(module: str) -> str:
    """Room that a module stands in; '' for the package itself."""
    parts = module.split(".")
    return parts[0] if parts[0] in FURTHER else parts[1] if len(parts) > 1 else ""


@pytest.mark.parametrize("module", [m for m in FILES if room_of(m) and room_of(m) not in OUTSIDE])
def test_a_module_imports_only_rooms_above_its_own(module: str) -> None:
    room = room_of(module)
    assert room in ROOMS, f"{room} is not in the list of rooms"
    others = {room_of(t) for t in arrows()[module]} - {room}
    assert "" not in others, "import the module that defines a name, not the package's face"
    below = {o for o in others if ROOMS.index(o) > ROOMS.index(room)} - ASKED_BY_NAME.get(room, set())
    assert not below, f"{room} must not import {', '.join(sorted(below))}"
    if room == "formulas":
        assert not others, "formulas import nothing of roofcast"


def circles(graph: dict[str, set[str]]) -> Iterator[set[str]]:
    """Sets of modules that import each other in a loop."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for target in graph.get(waiting.pop(), set()) - seen:
                seen.add(target)
                waiting.append(target)
        return seen

    far = {module: reached(module) for module in graph}
    done: set[str] = set()
    for module, seen in far.items():
        if module in seen and module not in done:
            circle = {other for other in seen if module in far.get(other, set())}
            done |= circle
            yield circle


def test_no_files_import_each_other_in_a_circle() -> None:
    assert not list(circles(arrows()))


def test_a_file_name_stands_once() -> None:
    """Commands bear their command's name; all else is found by its file name alone."""
    names = Counter(p.stem for p in FILES.values() if p.parent.name != "commands")
    assert not {n for n, count in names.items() if count > 1} - NAMES_THAT_RECUR


ONE_PLACE = {
    "roof_seconds": "models/physics/model.py", "scale_unexplained": "models/physics/model.py",
    "unexplained_s": "models/physics/model.py", "estimate_in_blocks": "models/promises.py",
}  # fmt: skip
"""What makes a forecast, and the only file that calls it: sweeps and reports ask a model."""


@pytest.mark.slow
def test_one_place_computes_a_forecast() -> None:
    found: dict[str, set[str]] = {name: set() for name in ONE_PLACE}
    for place, path in list_modules().items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in found:
                found[node.func.id].add(place)
    assert found == {name: {place} for name, place in ONE_PLACE.items()}


def test_rooms_do_not_bear_the_name_of_a_public_function() -> None:
    packages = {p.parent.name for p in FILES.values() if p.stem == "__init__"} - OURS
    # roofcast.torch is that package itself.
    assert packages & set(roofcast.PUBLIC) <= {"torch"}


@pytest.mark.slow
def test_public_names_answer_after_every_module_was_imported() -> None:
    """A package imported as an attribute of roofcast must not hide a public function."""
    packages = [importlib.import_module(name) for name in sorted(OURS)]
    walked = [m.name for p in packages for m in pkgutil.walk_packages(p.__path__, f"{p.__name__}.")]
    modules = [name for name in walked if not name.endswith(".__main__")]
    lines = ["import importlib, roofcast", f"for m in {modules!r}: importlib.import_module(m)"]
    lines += [
        f"assert callable(roofcast.{n})"
        for n in {*dir(roofcast), *roofcast.list_kept()}
        if n not in ("__version__", "torch")
    ]
    lines += ["assert isinstance(roofcast.__version__, str)"]
    done = subprocess.run([sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_rules_see_what_they_forbid(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text(
        "def f():\n    from roofcast.kit import files\n    import roofcast.web.page\nx = 'roofcast.store.show'\n"
    )
    assert imported_modules(module) == {"roofcast.kit.files", "roofcast.web.page", "roofcast.store.show"}
    assert [sorted(c) for c in circles({"a": {"b"}, "b": {"c"}, "c": {"b"}})] == [["b", "c"]]
    assert roofcast.__version__ == importlib.import_module("roofcast.core.version").VERSION


@pytest.mark.slow
def test_the_picture_of_the_house_is_that_of_the_code() -> None:
    root = Path(__file__).parents[1]
    drawn = subprocess.run(
        [sys.executable, str(root / "tools" / "draw_house.py"), "/dev/stdout"],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    stored = (root / "docs" / "architecture.svg").read_text(encoding="utf-8")
    assert drawn == stored, "python tools/draw_house.py draws it anew"
