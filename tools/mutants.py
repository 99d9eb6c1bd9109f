"""Plant faults in the code, one at a time, and count how many the tests find: do the tests hold what the code does?

    python tools/mutants.py                          # nine minutes of a sample of forecasting and models; then again
    python tools/mutants.py --count 400 --seed 7     # another sample
    python tools/mutants.py --rooms forecasting      # a part; also of files: models/physics/law.py

A fault changes one comparison, operator, number or condition, or leaves one statement out. It is planted in a copy of
the source. The doctests of its file and the tests that reach its line (as coverage saw them), the most specific first,
run against the copy until one fails. The folder ``.mutants`` holds the copy, what reaches what, and the results so far:
the next call goes on, and begins anew where source, tests or sample are others. A line that no test of the rooms
reaches counts as not found. What survives is listed with its place: it is a test that is missing, or code that makes
no difference.
"""

from __future__ import annotations

import argparse
import ast
import hashlib
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

CHECKOUT = Path(__file__).resolve().parents[1]
PACKAGE = CHECKOUT / "src" / "roofcast"
FOLDER = CHECKOUT / ".mutants"
TARGET = 0.85
"""Share of planted faults that the tests are to find."""
TESTS_S = 30.0
"""Seconds of tests per fault beside the frozen forecasts, as they take without it and under coverage: what the most
specific do not find, the others hardly do."""
LIMIT_S = 150
"""Seconds of computing, several times what the tests take without a fault: one that makes the code hang is found."""
FROZEN = "tests/test_frozen_values.py"
"""Forecasts that a change moves or leaves: where it reaches a line, it is asked first."""
BESIDE = ["tests/contracts/test_physics.py", "tests/contracts/test_properties.py", "tests/unmeasured", FROZEN]
"""Tests of what models and forecasts hold that stand in no folder of these rooms."""

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
COMBINED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


class Mutant(NamedTuple):
    """One fault."""

    file: str
    """Below the package."""
    line: int
    kind: str
    number: int
    """Of the nodes of the file, in the order of :func:`ast.walk`."""
    change: str

    @property
    def key(self) -> str:
        """What the results call it."""
        return f"{self.file}:{self.line} {self.kind} {self.number}"


def list_mutants(text: str, file: str) -> list[Mutant]:
    r"""All faults of a file.

    >>> [m.change for m in list_mutants("def f(a):\n    return a < 2 and a + 1 > 0\n", "x.py")]
    ['and -> or', 'Lt -> LtE', 'Gt -> GtE', '2 -> 3', 'Add -> Sub', '0 -> 1', '1 -> 2']
    """
    tree = ast.parse(text)
    left_out = set(map(id, list_unchanged(tree)))
    # Coverage knows a statement by its first line; inner ones come later.
    first = {id(n): s.lineno for s in ast.walk(tree) if isinstance(s, ast.stmt) for n in ast.walk(s)}
    found = []
    for number, node in enumerate(ast.walk(tree)):
        if id(node) not in left_out and (change := describe_change(node)) is not None:
            found.append(Mutant(file, first[id(node)], change[0], number, change[1]))
    return sorted(found, key=lambda m: (m.line, m.number))


def list_unchanged(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes in which no fault is planted: types, decorators, messages of errors, imports that only types need.

    Nor where another program would do the same: see :func:`list_strictness` and :func:`list_borders`.
    """
    for node in ast.walk(tree):
        parts: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef):
            parts = [node.returns, *node.decorator_list]
        elif isinstance(node, ast.ClassDef):
            parts = list(node.decorator_list)
        elif isinstance(node, (ast.AnnAssign, ast.arg)):
            parts = [node.annotation]
        elif isinstance(node, ast.Call):
            parts = [*list_strictness(node)]
            yield from list_borders(node)
        elif isinstance(node, (ast.Raise, ast.JoinedStr)) or (
            isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        ):
            parts = [node]
        for part in parts:
            if part is not None:
                yield from ast.walk(part)


def list_strictness(call: ast.Call) -> list[ast.AST]:
    """``strict=True`` of zip: lists of the same length make no difference."""
    return [k for k in call.keywords if k.arg == "strict"]


def list_borders(call: ast.Call) -> list[ast.AST]:
    """The operator's owner in ``np.where(x > 0, x, 0.0)``: at the border both values are the same."""
    if not (isinstance(call.func, ast.Attribute) and call.func.attr == "where" and len(call.args) == 3):
        return []
    asked = call.args[0]
    if not (isinstance(asked, ast.Compare) and isinstance(asked.ops[0], (ast.Lt, ast.LtE, ast.Gt, ast.GtE))):
        return []
    compared = {describe_value(asked.left), describe_value(asked.comparators[0])}
    return [asked] if compared == set(map(describe_value, call.args[1:])) else []


def describe_value(node: ast.AST) -> str:
    """The text of an expression; 0 and 0.0 are one number."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        return repr(float(node.value))
    return ast.unparse(node)


def describe_change(node: ast.AST) -> tuple[str, str] | None:
    """Kind of the fault of a node, and what becomes what; None where it has none."""
    if isinstance(node, ast.Compare):
        old = type(node.ops[0])
        return ("comparison", f"{old.__name__} -> {COMPARED[old].__name__}") if old in COMPARED else None
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        kind = type(node.op)
        return ("arithmetic", f"{kind.__name__} -> {COMBINED[kind].__name__}") if kind in COMBINED else None
    if isinstance(node, ast.BoolOp):
        return ("boolean", "and -> or" if isinstance(node.op, ast.And) else "or -> and")
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        return ("boolean", "not left out")
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float)):
        return ("constant", f"{node.value!r} -> {change_constant(node.value)!r}")
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return ("statement", f"left out: {ast.unparse(node)[:60]}")
    return None


def change_constant(value: Any) -> Any:
    """Another number of the same type."""
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value * 1.5 if value else 1.0


def plant(text: str, mutant: Mutant) -> str:
    """The text of a file with one fault."""
    tree = ast.parse(text)
    node: Any = next(n for i, n in enumerate(ast.walk(tree)) if i == mutant.number)
    if isinstance(node, ast.Compare):
        node.ops[0] = COMPARED[type(node.ops[0])]()
    elif isinstance(node, (ast.BinOp, ast.AugAssign)):
        node.op = COMBINED[type(node.op)]()
    elif isinstance(node, ast.BoolOp):
        node.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
    elif isinstance(node, ast.Constant):
        node.value = change_constant(node.value)
    elif isinstance(node, ast.UnaryOp):
        node.op, node.operand = ast.Not(), ast.UnaryOp(ast.Not(), node.operand)
    else:
        node.value = ast.Constant(None)
    return ast.unparse(ast.fix_missing_locations(tree))


def files_of(rooms: Sequence[str]) -> list[Path]:
    """The source files of rooms, or those named."""
    found: set[Path] = set()
    for room in rooms:
        found.update(python_files(PACKAGE / room))
    return sorted(found)


def python_files(path: Path) -> list[Path]:
    """A file, or those of a folder."""
    return [path] if path.suffix == ".py" else sorted(path.rglob("*.py"))


def draw(rooms: Sequence[str], count: int, seed: int) -> list[Mutant]:
    """A sample of the faults of rooms: the same for the same source and seed."""
    names = [(p, p.relative_to(PACKAGE).as_posix()) for p in files_of(rooms)]
    every = [m for path, name in names for m in list_mutants(path.read_text(encoding="utf-8"), name)]
    return random.Random(seed).sample(every, min(count, len(every)))


def tests_of(rooms: Sequence[str]) -> list[str]:
    """The folders of tests of the rooms, and those that hold of all models."""
    return [*dict.fromkeys(f"tests/{room.split('/')[0]}" for room in rooms), *BESIDE]


def fingerprint(rooms: Sequence[str]) -> str:
    """What results hold for: the source, and the tests of the rooms."""
    digest = hashlib.sha256()
    tests = [p for t in tests_of(rooms) for p in python_files(CHECKOUT / t)]
    for path in [*sorted(PACKAGE.rglob("*.py")), *tests]:
        digest.update(path.read_bytes())
    return digest.hexdigest()


CONTEXTS = """[run]
source = {package}
data_file = {data}
patch = subprocess
"""


def pytest_runtest_logstart(nodeid: str) -> None:
    """Tell coverage which test begins; pytest calls it, for which this file is a plugin while the reach is seen."""
    import coverage

    if seen := coverage.Coverage.current():
        seen.switch_context(test_of(nodeid))


def see_reach(rooms: Sequence[str]) -> dict[str, dict[str, list[str]]]:
    """File below the package -> line -> tests that reach it, the most specific first."""
    import coverage

    FOLDER.mkdir(exist_ok=True)
    settings, data, took = FOLDER / "coverage.ini", FOLDER / "contexts", FOLDER / "took.xml"
    settings.write_text(CONTEXTS.format(package=PACKAGE, data=data), encoding="utf-8")
    print("which tests reach which lines ...", flush=True)
    pytest = ["-m", "pytest", "-q", "-n", "auto", "-p", "no:benchmark", "-p", "no:cacheprovider", "-m", "not slow"]
    pytest += ["--junitxml", str(took), "-p", "mutants", *tests_of(rooms)]
    run = [sys.executable, "-m", "coverage", "run", f"--rcfile={settings}", *pytest]
    paths = os.pathsep.join([str(CHECKOUT / "tools"), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        run, cwd=CHECKOUT, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": paths}
    )
    if done.returncode:
        raise SystemExit(f"the tests fail without any fault:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    combine = [sys.executable, "-m", "coverage", "combine", "-q", f"--rcfile={settings}"]
    subprocess.run(combine, cwd=CHECKOUT, check=True, stdout=subprocess.DEVNULL)
    seconds = read_seconds(took)
    stored = coverage.CoverageData(str(data))
    stored.read()
    reach: dict[str, dict[str, list[str]]] = {}
    size: Counter[str] = Counter()
    for file in stored.measured_files():
        found = stored.contexts_by_lineno(file).items()
        lines = {str(n): sorted({c for c in contexts if c in seconds}) for n, contexts in found}
        reach[Path(file).relative_to(PACKAGE).as_posix()] = lines
        size.update(t for tests in lines.values() for t in tests)
    for lines in reach.values():
        # What runs when a module is imported belongs to no test, or to whichever came first: all that use the file
        # may tell, and the frozen answers, some of which hold what a module says of itself.
        whole = {t for tests in lines.values() for t in tests} | {t for t in seconds if FROZEN in t}
        imported = list_imported((PACKAGE / file).read_text(encoding="utf-8"))
        for n, tests in lines.items():
            ordered = sorted(whole if int(n) in imported else tests or whole, key=lambda t: (size[t], t))
            frozen = sorted((t for t in ordered if FROZEN in t), key=seconds.__getitem__)
            lines[n] = [*frozen, *choose_tests([t for t in ordered if FROZEN not in t], seconds)]
    return reach


def list_imported(text: str) -> set[int]:
    r"""The lines that run when a module is imported: all that stand in no function.

    >>> sorted(list_imported("A = 1\nclass B:\n    C = 2\n    def f(self):\n        return 3\n"))
    [1, 2, 3, 4, 6]
    """
    inner = {
        line
        for f in ast.walk(ast.parse(text))
        if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))
        for s in f.body
        for line in range(s.lineno, (s.end_lineno or s.lineno) + 1)
    }
    return set(range(1, text.count("\n") + 2)) - inner


def number_tests(reach: Mapping[str, Mapping[str, list[str]]]) -> tuple[list[str], Any]:
    """The names of all tests, and the same with their places in that list: names a million times are 100 MB."""
    place: dict[str, int] = {}
    numbers = {
        file: {n: [place.setdefault(t, len(place)) for t in tests] for n, tests in lines.items()}
        for file, lines in reach.items()
    }
    return [*place], numbers


def read_seconds(report: Path) -> dict[str, float]:
    """Seconds that each test took, over its parameters but for the frozen tables."""
    seconds: dict[str, float] = defaultdict(float)
    for case in ElementTree.parse(report).iter("testcase"):
        place = str(case.get("classname")).replace(".", "/")
        seconds[test_of(f"{place}.py::{case.get('name')}")] += float(case.get("time", 0))
    return seconds


def choose_tests(tests: Sequence[str], seconds: Mapping[str, float]) -> list[str]:
    """The first tests that take :data:`TESTS_S` together; what alone takes longer stands back for those after it.

    >>> choose_tests(["a", "b", "c", "d"], {"a": 20.0, "b": 25.0, "c": 9.0, "d": 2.0})
    ['a', 'c']
    """
    chosen, left = [], TESTS_S
    for test in tests:
        if seconds.get(test, 0.0) <= left:
            chosen.append(test)
            left -= seconds.get(test, 0.0)
    return chosen


def test_of(node: str) -> str:
    """What pytest calls a test over all its parameters; each of the frozen tables stands alone, as they take long.

    >>> test_of("tests/models/test_law.py::test_more_is_not_slower[fp16]")
    'tests/models/test_law.py::test_more_is_not_slower'
    >>> test_of("tests/test_frozen_values.py::test_forecasts_are_what_they_were[counted 1]")
    'tests/test_frozen_values.py::test_forecasts_are_what_they_were[counted 1]'
    """
    return node if node.startswith(FROZEN) else node.split("[", maxsplit=1)[0]


def try_mutant(mutant: Mutant, tests: Sequence[str]) -> str:
    """Run tests against a fault: ``found`` or ``survived``; ``not reached`` where there are none."""
    target = FOLDER / "src" / "roofcast" / mutant.file
    text = (PACKAGE / mutant.file).read_text(encoding="utf-8")
    tests = [*([str(target)] if ">>>" in text else []), *tests]
    if not tests:
        return "not reached"
    write_source(target, plant(text, mutant))
    try:
        return "found" if run_tests(tests) else "survived"
    finally:
        write_source(target, text)


def run_tests(tests: Sequence[str]) -> int:
    """What pytest answers over the copy, 0 where no test fails; in a fork, which need not import pytest again.

    It ends after :data:`LIMIT_S` of computing; seconds of a clock would find too much on a busy machine.
    """
    import polars  # noqa: F401
    import pytest

    options = ["-x", "-q", "-p", "no:benchmark", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow"]
    child = os.fork()
    if not child:
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S))
        signal.alarm(10 * LIMIT_S)
        silent = os.open(os.devnull, os.O_RDWR)
        for stream in range(3):
            os.dup2(silent, stream)
        os.chdir(CHECKOUT)
        sys.path.insert(0, str(FOLDER / "src"))
        sys.pycache_prefix = str(FOLDER / "compiled")
        os.environ.update(
            PYTHONPATH=os.pathsep.join(map(str, [FOLDER / "src", *CHECKOUT.glob("packages/*/src")])),
            PYTHONPYCACHEPREFIX=sys.pycache_prefix,
        )
        os._exit(int(pytest.main([*options, *tests])))
    _, status = os.waitpid(child, 0)
    with suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)  # what its tests started
    return status


def write_source(path: Path, text: str) -> None:
    """Write a source file with a time that none before it had, so that nothing compiled before passes for it."""
    path.write_text(text, encoding="utf-8")
    stamp = next(STAMPS)
    os.utime(path, (stamp, stamp))


STAMPS = itertools.count(1)


def report(sample: Sequence[Mutant], results: dict[str, str]) -> bool:
    """Print the share and what was not found; whether all are tried and enough were found."""
    tried = [m for m in sample if m.key in results]
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    for m in tried:
        by_kind[m.kind][results[m.key]] += 1
    for m in tried:
        if results[m.key] != "found":
            print(f"{results[m.key]:11} {m.file}:{m.line}: {m.kind}, {m.change}")
    for kind, counts in sorted(by_kind.items()):
        print(f"{kind:11} {counts['found']} of {counts.total()} found")
    found = sum(c["found"] for c in by_kind.values())
    share = found / max(len(tried), 1)
    left = len(sample) - len(tried)
    print(f"{found} of {len(tried)} planted faults found: {share:.0%} (target {TARGET:.0%}); {left} left")
    return len(tried) == len(sample) and share >= TARGET


def main() -> int:
    """Try what is left of a sample, within the time."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--rooms", nargs="+", default=["forecasting", "models"])
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=540.0)
    asked = parser.parse_args()
    until = time.monotonic() + asked.seconds
    stated = {"rooms": asked.rooms, "count": asked.count, "seed": asked.seed, "of": fingerprint(asked.rooms)}
    place = FOLDER / "state.json"
    state = json.loads(place.read_text(encoding="utf-8")) if place.is_file() else {}
    seen = FOLDER / "reach.json"
    if not seen.is_file() or state.get("stated", {}).get("of") != stated["of"]:
        reach = see_reach(asked.rooms)
        seen.write_text(json.dumps(number_tests(reach)), encoding="utf-8")
    else:
        names, numbers = json.loads(seen.read_text(encoding="utf-8"))
        reach = {file: {n: [names[i] for i in found] for n, found in lines.items()} for file, lines in numbers.items()}
    if state.get("stated") != stated:
        state = {"stated": stated, "results": {}}
        place.write_text(json.dumps(state), encoding="utf-8")
    for made in ("src", "compiled"):
        shutil.rmtree(FOLDER / made, ignore_errors=True)
    shutil.copytree(CHECKOUT / "src", FOLDER / "src", ignore=shutil.ignore_patterns("__pycache__"))
    if not (FOLDER / "docs").exists():
        (FOLDER / "docs").symlink_to(CHECKOUT / "docs")  # pages read the glossary that stands beside the source
    sample = draw(asked.rooms, asked.count, asked.seed)
    checked = False
    for mutant in sample:
        if mutant.key in state["results"]:
            continue
        if time.monotonic() > until:
            break
        tests = reach.get(mutant.file, {}).get(str(mutant.line), [])
        if tests and not checked:
            if run_tests(tests):
                raise SystemExit(f"the tests fail on a copy without any fault: {' '.join(tests)}")
            checked = True
        state["results"][mutant.key] = try_mutant(mutant, tests)
        place.write_text(json.dumps(state), encoding="utf-8")
    place.write_text(json.dumps(state), encoding="utf-8")
    return 0 if report(sample, state["results"]) or len(state["results"]) < len(sample) else 1


if __name__ == "__main__":
    sys.exit(main())
