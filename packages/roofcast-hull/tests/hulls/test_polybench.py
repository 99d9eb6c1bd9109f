"""The thirty computations of PolyBench/C 4.2: classes per nest, steps, and operations counted by a compiled twin."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import lru_cache
from pathlib import Path

import pytest

from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.found_class import Found

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

CODE = Path(__file__).with_name("polybench.c").read_text(encoding="utf-8")
M, N, L, K, STEPS = 30, 40, 20, 24, 5
JACOBI = "40x40|neighbourhood(3x3) → 40x40|element"
HEAT = "20x20x20|neighbourhood(3x3x3) → 20x20x20|element"
ROWS, COLUMNS = "40x30|tile(1x30)", "40x30|tile(40x1)"
CLASSES: dict[str, list[tuple[str, int]]] = {
    "gemm": [("40x30|element ∧ 40x20|tile(1x20) ∧ 20x30|tile(20x1) → 40x30|element", 1)],
    "k2mm": [
        ("40x20|tile(1x20) ∧ 20x30|tile(20x1) → 40x30|element", 1),
        ("40x24|element ∧ 40x30|tile(1x30) ∧ 30x24|tile(30x1) → 40x24|element", 1),
    ],
    "k3mm": [
        ("40x20|tile(1x20) ∧ 20x30|tile(20x1) → 40x30|element", 1),
        ("30x20|tile(1x20) ∧ 20x24|tile(20x1) → 30x24|element", 1),
        ("40x30|tile(1x30) ∧ 30x24|tile(30x1) → 40x24|element", 1),
    ],
    "atax": [(f"{ROWS} ∧ 30|full → 40|element", 1), (f"{COLUMNS} ∧ 40|full → 30|element", 1)],
    "bicg": [(f"{COLUMNS} ∧ 40|full → 30|element", 1), (f"{ROWS} ∧ 30|full → 40|element", 1)],
    "doitgen": [("30x24x20|tile(1x1x20) ∧ 20x20|tile(20x1) → 30x24x20|element", 1)],
    # What is added to an array that the function does not begin is read first.
    "mvt": [
        ("40|element ∧ 40x40|tile(1x40) ∧ 40|full → 40|element", 1),
        ("40|element ∧ 40x40|tile(40x1) ∧ 40|full → 40|element", 1),
    ],
    "gemver": [
        ("40x40|element ∧ 40|element ∧ 40|element ∧ 40|element ∧ 40|element → 40x40|element", 1),
        ("40|element ∧ 40x40|tile(40x1) ∧ 40|full → 40|element", 1),
        ("40|element ∧ 40|element → 40|element", 1),
        ("40|element ∧ 40x40|tile(1x40) ∧ 40|full → 40|element", 1),
    ],
    "gesummv": [("40x40|tile(1x40) ∧ 40x40|tile(1x40) ∧ 40|full → 40|element ∧ 40|element", 1)],
    "symm": [
        ("30x40|tile(30x1) ∧ 30x30|tile(30x1) ∧ 30x40|element → 30x40|element", 1),
        (
            "30x40|tile(30x1) ∧ 30x30|tile(1x30) ∧ 30x40|element ∧ 30x40|element ∧ 30|element → 30x40|element",
            1,
        ),
    ],
    "syrk": [("40x40|element ∧ 40x30|tile(1x30) ∧ 40x30|tile(1x30) → 40x40|element", 1)],
    "syr2k": [("40x40|element ∧ " + " ∧ ".join(["40x30|tile(1x30)"] * 4) + " → 40x40|element", 1)],
    "trmm": [("30x30|tile(30x1) ∧ 30x40|tile(30x1) ∧ 30x40|element → 30x40|element", 1)],
    "cholesky": [
        ("20x13|tile(1x13) ∧ 20|element ∧ 13|full → 20|element", N),
        ("20|element → 1|shared", N),
    ],
    "durbin": [
        ("20|element ∧ 20|element → 1|shared", N - 1),
        ("20|element ∧ unordered 20|element → 20|element", N - 1),
        ("20|element → 20|element", N - 1),
    ],
    "gramschmidt": [
        ("40|element → 1|shared", M),
        ("40|element → 40|element", M),
        ("40x14|tile(40x1) ∧ 40|full → 14|element", M),
        ("40x14|element ∧ 40|element ∧ 14|element → 40x14|element", M),
    ],
    "lu": [("5x13|tile(1x13) ∧ 13x5|tile(13x1) ∧ 5|element ∧ 5x5|element → 5x5|element", 2 * N - 2)],
    "ludcmp": [
        ("5x4|element ∧ 5x13|tile(1x13) ∧ 13x4|tile(13x1) ∧ 4|element → 5x4|element", 2 * N - 1),
        ("20|element ∧ 20|element → 1|shared", N),
        ("20|element ∧ 20|element → 1|shared", N),
    ],
    "trisolv": [("20|element ∧ 20|element → 1|shared", N)],
    "correlation": [
        (f"{COLUMNS} → 30|element", 1),
        (f"{COLUMNS} ∧ 30|element → 30|element", 1),
        ("40x30|element ∧ 30|element ∧ 30|element → 40x30|element", 1),
        (f"{COLUMNS} ∧ {COLUMNS} → 30x30|element", 1),
    ],
    "covariance": [
        (f"{COLUMNS} → 30|element", 1),
        ("40x30|element ∧ 30|element → 40x30|element", 1),
        (f"{COLUMNS} ∧ {COLUMNS} → 30x30|element", 1),
    ],
    "jacobi1d": [("40|neighbourhood(3) → 40|element", STEPS)] * 2,
    "jacobi2d": [(JACOBI, STEPS)] * 2,
    "heat3d": [(HEAT, STEPS)] * 2,
    "fdtd2d": [
        ("void → 30|element", STEPS),
        ("40x30|element ∧ 40x30|neighbourhood(2x1) → 40x30|element", STEPS),
        ("40x30|element ∧ 40x30|neighbourhood(2) → 40x30|element", STEPS),
        ("40x30|element ∧ 40x30|neighbourhood(2) ∧ 40x30|neighbourhood(2x1) → 40x30|element", STEPS),
    ],
    "seidel2d": [("4x4|neighbourhood(3x3) → 4x4|element", STEPS * (3 * (N - 3) + 1))],
    # A line is a unit of both its sweeps; the first starts from one boundary element.
    "adi": [
        ("40|element ∧ 40x40|tile(40x1) → 40x40|tile(1x40) ∧ 40x40|tile(1x40) ∧ 40x40|tile(40x1)", STEPS),
        ("40|element ∧ 40x40|tile(1x40) → 40x40|tile(1x40) ∧ 40x40|tile(1x40) ∧ 40x40|tile(1x40)", STEPS),
    ],
    "deriche": [
        *[(f"{ROWS} → {ROWS}", 1)] * 2,
        ("40x30|element ∧ 40x30|element → 40x30|element", 1),
        *[(f"{COLUMNS} → {COLUMNS}", 1)] * 2,
        ("40x30|element ∧ 40x30|element → 40x30|element", 1),
    ],
    "floydwarshall": [("40x40|element ∧ 40|element ∧ 40|element → 40x40|element", N)],
    "nussinov": [("5x4|neighbourhood(2x2) ∧ 5x13|tile(1x13) ∧ 13x4|tile(13x1) → 5x4|element", N - 1)],
}
CELLS = N * (N - 1) // 2
OPERATIONS = {
    "gemm": N * M * (1 + 3 * L),
    "k2mm": 3 * N * M * L + N * K * (1 + 2 * M),
    "k3mm": 2 * (N * M * L + M * K * L + N * K * M),
    "atax": 4 * N * M,
    "bicg": 4 * N * M,
    "doitgen": 2 * M * K * L * L,
    "mvt": 4 * N * N,
    "gemver": 10 * N * N + N,
    "gesummv": 4 * N * N + 3 * N,
    "symm": 5 * N * M * (M - 1) // 2 + 6 * N * M,
    "syrk": N * (N + 1) // 2 * (1 + 3 * M),
    "syr2k": N * (N + 1) // 2 * (1 + 6 * M),
    "trmm": N * M * (M - 1) + N * M,
    "trisolv": N * (N - 1) + N,
    "jacobi1d": STEPS * 2 * 3 * (N - 2),
    "jacobi2d": STEPS * 2 * 5 * (N - 2) ** 2,
    "heat3d": STEPS * 2 * 15 * (L - 2) ** 3,
    "seidel2d": STEPS * 9 * (N - 2) ** 2,
    "deriche": 4 * 7 * N * M + 2 * 2 * N * M,
    "floydwarshall": 2 * N**3,
    # Every cell: left and below a comparison each, diagonal with pairing (sum, equal, add, compare) or without; splits.
    "nussinov": 2 * CELLS
    + 4 * (CELLS - (N - 1))
    + (N - 1)
    + 2 * sum(j - i - 1 for i in range(N) for j in range(i, N) if j > i),
}
COUNTING = """
#include <cstdio>
#include <cmath>
static long operations = 0;
struct real {
  double v;
  real(double x = 0) : v(x) {}
  real operator-() const { return real(-v); }
  real &operator+=(real o) { operations++; v += o.v; return *this; }
  real &operator-=(real o) { operations++; v -= o.v; return *this; }
  real &operator*=(real o) { operations++; v *= o.v; return *this; }
  real &operator/=(real o) { operations++; v /= o.v; return *this; }
};
static real operator+(real a, real b) { operations++; return real(a.v + b.v); }
static real operator-(real a, real b) { operations++; return real(a.v - b.v); }
static real operator*(real a, real b) { operations++; return real(a.v * b.v); }
static real operator/(real a, real b) { operations++; return real(a.v / b.v); }
static bool operator<=(real a, real b) { operations++; return a.v <= b.v; }
static real sqrt(real a) { operations++; return real(std::sqrt(a.v)); }
"""


@lru_cache
def found_in(name: str) -> list[Found]:
    """Classes of one kernel."""
    return classify_text(CODE, function=name)


def test_all_thirty_are_there() -> None:
    assert set(re.findall(r"^void (\w+)\(", CODE, re.MULTILINE)) == set(CLASSES)
    assert len(CLASSES) == 30


def inputs(text: str) -> list[str]:
    """A class with its inputs sorted: their order means nothing."""
    left, _, right = text.partition(" → ")
    return [*sorted(left.split(" ∧ ")), right]


@pytest.mark.parametrize("name", CLASSES)
def test_classes_and_steps(name: str) -> None:
    found = [(inputs(str(f.found)), f.repetitions) for f in found_in(name)]
    assert found == [(inputs(text), steps) for text, steps in CLASSES[name]]


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_are_those_of_the_definition(name: str) -> None:
    assert sum(f.operations for f in found_in(name)) == OPERATIONS[name]


@pytest.mark.parametrize("name", CLASSES)
def test_element_types_come_from_the_declarations(name: str) -> None:
    integer = name in ("floydwarshall", "nussinov")
    assert {f.element for f in found_in(name)} == {"int32" if integer else "fp64"}


def counting_program() -> str:
    """The same file as C++ whose numbers count the operations on them."""
    code = CODE.replace("#include <math.h>", "").replace("typedef double real;", "")
    calls, storage = [], []
    for name, parameters in re.findall(r"^void (\w+)\(([^{]*)\) \{", CODE, re.MULTILINE):
        if re.search(r"\b(int|char) \w", parameters):
            continue
        names = []
        for n, parameter in enumerate(p.strip() for p in " ".join(parameters.split()).split(",")):
            kind, rest = parameter.split(" ", 1)
            own = f"{name}_{n}"
            storage.append(f"static {kind} {own}{rest[rest.find('[') :] if '[' in rest else ''};")
            names.append(own)
        calls.append(f'operations = 0; {name}({", ".join(names)}); std::printf("{name} %ld\\n", operations);')
    return f"{COUNTING}{code}\n{' '.join(storage)}\nint main() {{ {' '.join(calls)} }}\n"


@pytest.mark.slow
def test_operations_are_those_that_the_compiled_code_does(tmp_path: Path) -> None:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler to count operations with")
    source, program = tmp_path / "counting.cpp", tmp_path / "counting"
    source.write_text(counting_program(), encoding="utf-8")
    subprocess.run([compiler, "-w", "-O0", str(source), "-o", str(program)], check=True, timeout=120)
    lines = subprocess.run([str(program)], check=True, capture_output=True, text=True, timeout=60).stdout.split()
    counted = dict(zip(lines[::2], map(int, lines[1::2]), strict=True))
    assert len(counted) == 28
    # durbin starts with two negations and no operation outside its loops.
    assert {name: sum(f.operations for f in found_in(name)) for name in counted} == counted
