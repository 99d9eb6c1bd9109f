"""Names and numbers say what they are: constants have a docstring, and locals are not called `found`.

The rules are CONTRIBUTING.md's, and they hold for every file of the product.
"""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONSTANT = re.compile(r"_?[A-Z][A-Z0-9_]*")
EMPTY_WORDS = frozenset(
    {"alone", "each", "found", "gone", "got", "kept", "made", "one", "own", "said", "shown", "told"}
)
"""Participles and pronouns: as the name of a local they say that something is there, and not what."""
CITING = ("src/roofcast/models", "src/roofcast/formulas")
"""Rooms of physics, whose sources docs/references.md lists."""
CITATION = re.compile(r"\[((?:[A-Z][A-Za-z]+(?:19|20)\d\d(?:, )?)+)\]")
"""Keys in brackets: [Yang2020], or [CUDA2025, Schieffer2024]."""


def list_sources() -> list[Path]:
    """Every file of the product, tests and data left out."""
    return sorted([*(ROOT / "src").rglob("*.py"), *ROOT.glob("packages/*/src/**/*.py")])


def is_number(value: ast.expr | None) -> bool:
    """Whether an expression is a number, or a calculation with numbers alone."""
    if isinstance(value, ast.Constant):
        return isinstance(value.value, int | float) and not isinstance(value.value, bool)
    if isinstance(value, ast.UnaryOp):
        return is_number(value.operand)
    return isinstance(value, ast.BinOp) and is_number(value.left) and is_number(value.right)


def is_docstring(node: ast.stmt | None) -> bool:
    """Whether a statement is a text by itself."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def list_bare_constants(source: str) -> Iterator[str]:
    """Numeric constants of a module without a docstring below, or a comment beside or above."""
    lines = source.split("\n")
    for node, following in pairwise([*ast.parse(source).body, None]):
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(target, ast.Name) and is_number(node.value):
            is_explained = (
                is_docstring(following) or "#" in lines[node.lineno - 1] or lines[node.lineno - 2].startswith("#")
            )
            if CONSTANT.fullmatch(target.id) and not is_explained:
                yield f"line {node.lineno}: {target.id}"


def list_empty_names(source: str) -> Iterator[str]:
    """Locals of functions that are called by an empty word."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
            for name in sorted(stored & EMPTY_WORDS):
                yield f"{function.name}: {name}"


def test_every_number_of_a_module_says_what_it_is() -> None:
    bare = {str(p.relative_to(ROOT)): [*list_bare_constants(p.read_text(encoding="utf-8"))] for p in list_sources()}
    assert not {file: names for file, names in bare.items() if names}, "say the unit, what it means and why so much"


def test_locals_say_what_they_hold() -> None:
    empty = {str(p.relative_to(ROOT)): [*list_empty_names(p.read_text(encoding="utf-8"))] for p in list_sources()}
    assert not {file: names for file, names in empty.items() if names}, "name what it holds: entry, row, seconds, match"


def read_citations(text: str) -> set[str]:
    """Keys of the papers that a text cites."""
    return {key for keys in CITATION.findall(text) for key in keys.split(", ")}


def test_every_paper_that_physics_cites_stands_in_the_references() -> None:
    files = [p for room in CITING for p in (ROOT / room).rglob("*.py")]
    cited = set().union(*(read_citations(p.read_text(encoding="utf-8")) for p in files))
    rows = re.findall(r"^\| (\w+\d{4}) \|", (ROOT / "docs" / "references.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert rows == sorted(set(rows), key=str.lower), "one row a paper, by key"
    assert cited == set(rows), "give each paper that is cited its row in docs/references.md, and no other"


def test_the_checks_see_what_they_look_for() -> None:
    assert [*list_bare_constants("MOST = 2 * 3\nNAME = ''\n")] == ["line 1: MOST"]
    assert not [*list_bare_constants('MOST = 2\n"""s; so long."""\nLEAST = -1  # of all\n')]
    assert [*list_empty_names("def f(x):\n    found = x\n    return found\n")] == ["f: found"]
    assert read_citations("as in [Yang2020] and [CUDA2025, Kim2020], not x[ROWS2020 + 1]") == {
        "Yang2020",
        "CUDA2025",
        "Kim2020",
    }
