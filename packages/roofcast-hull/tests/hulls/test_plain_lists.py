"""Lists that plain Python fills are the arrays that they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from hulls.test_codes import are_alike
from roofcast_hull.notation import parse_class
from roofcast_hull.source.classify import classify_source, classify_text

HOST = """
import random
N, M = 2000, 40

{function}

def main():
    xs = [random.random() for _ in range(N)]
    rows = [[random.random() for _ in range(M)] for _ in range(N)]
    points = [(random.random(), random.random()) for _ in range(N)]
    work({given})

main()
"""
CASES = {
    "repeated": (
        "def work(xs):\n    out = [0.0] * N\n    for i in range(N):\n        out[i] = 2.0 * xs[i]\n    return out",
        "xs", "2000|element → 2000|element", 2000,
    ),
    "repeated rows": (
        "def work(rows):\n    out = [[0] * M for _ in range(N)]\n    for i in range(N):\n        for j in range(M):\n"
        "            out[i][j] = rows[i][j] + 1.0\n    return out",
        "rows", "2000x40|element → 2000x40|element", 80_000,
    ),
    "sums of columns": (
        "def work(rows):\n    total = M * [0.0]\n    for r in rows:\n        for j in range(M):\n"
        "            total[j] += r[j]\n    return total",
        "rows", "2000x40|tile(2000x1) → 40|element", 80_000,
    ),
    "appended": (
        "def work(xs, ys):\n    out = []\n    for x, y in zip(xs, ys):\n        out.append(x * y)\n    return out",
        "xs, xs[:]", "2000|element ∧ 2000|element → 2000|element", 2000,
    ),
    "appended rows": (
        "def work(rows):\n    out = []\n    for row in rows:\n        line = []\n        for v in row:\n"
        "            line.append(v * v)\n"
        "        out.append(line)\n    return out",
        "rows", "2000x40|element → 2000x40|element", 80_000,
    ),
    "comprehension": (
        "def work(rows):\n    return [[v + 1.0 for v in row] for row in rows]",
        "rows", "2000x40|element → 2000x40|element", 80_000,
    ),
    "sum of a generator": (
        "def work(rows, w):\n    return [sum(a * b for a, b in zip(row, w)) for row in rows]",
        "rows, xs[:40]", "2000x40|tile(1x40) ∧ 40|full → 2000|element", 160_000,
    ),
    "points": (
        "def work(points):\n    far = []\n    for x, y in points:\n        far.append(x * x + y * y)\n    return far",
        "points", "2000x2|tile(1x2) → 2000|element", 6000,
    ),
    "a list for each row": (
        "def work(rows):\n    out = []\n    for row in rows:\n        s = sum(row)\n"
        "        out.append([v / s for v in row])\n    return out",
        "rows", "2000x40|tile(1x40) → 2000x40|tile(1x40)", 160_000,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_lists_are_arrays(name: str, tmp_path: Path) -> None:
    function, given, wanted, operations = CASES[name]
    file = tmp_path / "lists.py"
    file.write_text(HOST.format(function=function, given=given), encoding="utf-8")
    (found,) = classify_source(f"{file}:work", {})
    assert str(found.found) == wanted
    assert found.operations == operations
    assert found.checked.startswith("checked")


@pytest.mark.parametrize(
    "filled", ["[v for v in xs if v > 0.5]", "[]\n    for v in xs:\n        if v > 0.5:\n            out.append(v)"]
)
def test_lists_whose_length_data_decide_are_refused(filled: str, tmp_path: Path) -> None:
    file = tmp_path / "lists.py"
    file.write_text(
        HOST.format(function=f"def work(xs):\n    out = {filled}\n    return out", given="xs"), encoding="utf-8"
    )
    with pytest.raises(Exception, match=r"line \d+"):
        classify_source(f"{file}:work", {})


BESIDE = (
    "import math\nN, L = 500, 200\ndef counts():\n    return [0] * N\n"
    "def softmax(m):\n    out = []\n    for row in m:\n        top = max(row)\n"
    "        e = [math.exp(v - top) for v in row]\n        z = sum(e)\n"
    "        out.append([v / z for v in e])\n    return out\n"
    "def blur(row):\n    out = list(row)\n    for i in range(1, len(row) - 1):\n"
    "        out[i] = row[i - 1] + row[i + 1]\n"
    "    return out\ng = [[0.5 * k for k in range(L)] for _ in range(N)]\nsoftmax(g)\n"
    "blur([p for row in g for p in row])\n"
)


def test_lists_beside_others_that_are_repeated() -> None:
    """A list of one number repeated says nothing of the other lists of its file."""
    (rows,) = classify_text(BESIDE, "python", function="softmax")
    assert are_alike(rows.found, parse_class("500x200|tile(1x200) -> 500x200|tile(1x200)"), 0.02), str(rows.found)
    copied, blurred = classify_text(BESIDE, "python", function="blur")
    assert are_alike(blurred.found, parse_class("100000|neighbourhood(3) -> 100000|element"), 0.02), str(blurred.found)
    assert copied.operations == 0
