"""Classes from code: Listing 1 and Table 1 of the paper, PolyBench written from its definitions, refusals."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofcast.core.errors import RoofcastError
from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")

LISTING_1 = [
    ("for (i=0; i<K; i=i+1) B[i] = 2*A[i] + 5;", "100|element → 100|element", 200),
    ("for (i=0; i<K; i=i+1)\n  B[i] = 0.3*A[i-1] + 0.4*A[i] + 0.3*A[i+1];", "100|neighbourhood(3) → 100|element", 500),
    (
        "for (a=0; a<10; a=a+1)\n for (b=0; b<10; b=b+1) {\n  value = A[a][b];\n  if (value > 255)\n   value = 255;\n"
        "  B[a][b] = value;\n }",
        "10x10|element → 10x10|element",
        100,
    ),
    ("for (i=0; i<K; i=i+1) B = B + A[i];", "100|element → 1|shared", 100),
]
TWO = "for (int i = 0; i < H; i++) for (int j = 0; j < W; j++)"
TABLE_1 = [
    (f"{TWO} B[i][j] = A[i][j] > 100 ? 255 : 0;", "64x32|element → 64x32|element"),
    (f"{TWO} B[H - 1 - i][W - 1 - j] = A[i][j];", "unordered 64x32|element → 64x32|element"),
    (f"{TWO} B[j][i] = A[i][j];", "unordered 64x32|element → 32x64|element"),
    (f"{TWO} B[i] += A[i][j];", "64x32|tile(1x32) → 64|element"),
    (f"{TWO} B[j] += A[i][j];", "64x32|tile(64x1) → 32|element"),
    (
        "for (int i = 0; i < H/4; i++) for (int j = 0; j < W/4; j++) { float s = 0; for (int u = 0; u < 4; u++)"
        " for (int v = 0; v < 4; v++) s += A[4*i+u][4*j+v]; B[i][j] = s / 16; }",
        "64x32|tile(4x4) → 16x8|element",
    ),
    (
        "float C[8][8]; for (int i = 0; i < 8; i++) for (int j = 0; j < 4; j++) for (int u = 0; u < 8; u++)"
        " for (int v = 0; v < 8; v++) { float s = 0; for (int x = 0; x < 8; x++) for (int y = 0; y < 8; y++)"
        " s += A[8*i+x][8*j+y] * C[u][x] * C[v][y]; B[8*i+u][8*j+v] = s; }",
        "64x32|tile(8x8) → 64x32|tile(8x8)",
    ),
    (
        f"{TWO} for (int u = 0; u < 2; u++) for (int v = 0; v < 2; v++) B[2*i+u][2*j+v] = A[i][j];",
        "64x32|element → 128x64|tile(2x2)",
    ),
    (
        "float A[70][38], B[64][32], F[7][7];\nvoid f(void) {"
        f"{TWO} {{ float s = 0; for (int u = 0; u < 7; u++) for (int v = 0; v < 7; v++) s += A[i+u][j+v] * F[u][v];"
        " B[i][j] = s; } }",
        "64x32|neighbourhood(7x7) → 64x32|element",
    ),
    (f"{TWO} B[i][j] = A[i][j-1] + A[i][j] + A[i][j+1];", "64x32|neighbourhood(3) → 64x32|element"),
    (f"float s; {TWO} s += A[i][j];", "64x32|element → 1|shared"),
    (f"unsigned char A[64][32]; int h[256]; void f(void) {{ {TWO} h[A[i][j]]++; }}", "64x32|element → 256|shared"),
    (f"int h[16]; void f(int **A) {{ {TWO} {{ int k = A[i][j] / 16; h[k] += 1; }} }}", "64x32|element → 16|shared"),
    (f"{TWO} C[i][j] = A[i][j] - B[i][j];", "64x32|element ∧ 64x32|element → 64x32|element"),
    (f"{TWO} B[i*W + j] = 2 * A[i*W + j];", "64x32|element → 64x32|element"),
    (
        f"{TWO} B[i*W + j] = A[(i-1)*W + j] + A[i*W + j-1] + A[(i+1)*W + j+1];",
        "64x32|neighbourhood(3x3) → 64x32|element",
    ),
]
SIZES = {"K": 100, "H": 64, "W": 32}


@pytest.mark.parametrize(("code", "text", "operations"), LISTING_1, ids=range(1, 5))
def test_listing_1(code: str, text: str, operations: float) -> None:
    [found] = classify_text(code, sizes=SIZES)
    assert str(found.found) == text
    assert found.operations == pytest.approx(operations)


@pytest.mark.parametrize(("code", "text"), TABLE_1, ids=[t for _, t in TABLE_1])
def test_the_primitives_of_table_1(code: str, text: str) -> None:
    assert [str(f.found) for f in classify_text(code, sizes=SIZES)] == [text]


def test_steps_in_time_are_repetitions() -> None:
    code = "for (t=0;t<5;t++) { for (i=1;i<N-1;i++) B[i]=A[i-1]+A[i+1]; for (i=1;i<N-1;i++) A[i]=B[i-1]+B[i+1]; }"
    found = classify_text(code, sizes={"N": 40})
    assert [(str(f.found), f.repetitions) for f in found] == [("40|neighbourhood(3) → 40|element", 5)] * 2
    assert all(any("one step after the other" in note for note in f.notes) for f in found)


def test_triangular_nests_are_counted_exactly() -> None:
    code = "for (i=0;i<N;i++) for (j=0;j<=i;j++) for (k=j;k<N;k++) C[i][j] += A[i][k]*B[k][j];"
    for size in (5, 24, 100, 300):
        exact = 2 * sum(size - j for i in range(size) for j in range(i + 1))
        [found] = classify_text(code, sizes={"N": size})
        assert found.operations == exact


@pytest.mark.slow
def test_python_loops() -> None:
    code = '''
import numpy as np
def mm(A, B, n):
    """Product."""
    rows = A.shape[0]
    C = np.zeros((rows, n))
    for i in range(rows):
        for j in range(n):
            total = 0.0
            for k in range(A.shape[1]):
                total += A[i, k] * B[k, j]
            C[i, j] = total
    return C
'''
    [found] = classify_text(code, "python", {"n": 64})
    assert str(found.found) == "1024x1024|tile(1x1024) ∧ 1024x64|tile(1024x1) → 1024x64|element"
    assert found.complexity == pytest.approx(2)
    assert any("taken as 1024" in note for note in found.notes)
    [down] = classify_text("for i in range(9, -1, -1):\n    b[i] = np.sqrt(a[i]) + 1", "python")
    assert (str(down.found), down.complexity) == ("10|element → 10|element", 2)


REFUSED = [
    ("for (i=0;i<9;i++)\n b[i] = a[i*i];", "line 2", "product"),
    ("for (i=0;i<9;i++)\n b[i] =\n a[k[i]];", "line 3", "size"),
    ("while (x) x = 1;", "line 1", "while"),
    ("for (i=0;i<9;i++)\n b[i] = foo(a[i]);", "line 2", "'foo'"),
    ("for (i=0;i<9;i*=2) b[i] = a[i];", "line 1", "constant step"),
    ("for (i=0;a[i];i++) b[i] = a[i];", "line 1", "bound"),
    ("for (i=0;i<9;i++) { if (a[i]) break; b[i] = 1; }", "line 1", "break"),
    ("for (i=1;i<9;i++)\n b[i] = b[i-1] + a[i];", "line 2", "parallel"),
    ("for (i=0;i<9;i++) b[i = a[i];", "line 1", "not C"),
    ("for (i=1;i<9;i++)\n for (j=1;j<9;j++) b[i/j] = a[i];", "line 2", "quotient"),
    ("for (i=0;i<0;i++) b[i] = a[i];", "line 1", "never run"),
    ("for (i=0;i<9;i++) b[i] = " + "+".join(["a[i]"] * 5000) + ";", "line 1", "nested"),
    ("int x;", "", "no function"),
]


@pytest.mark.parametrize(("code", "line", "says"), REFUSED, ids=[r[2] for r in REFUSED])
def test_what_has_no_class_is_refused_with_line_and_reason(code: str, line: str, says: str) -> None:
    with pytest.raises(SourceError) as caught:
        classify_text(code)
    assert says in str(caught.value)
    assert line in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "code", ["while True:\n    pass", "for x in y:\n    b[x] = 1", "def f(:", "import os\nos.system('x')"]
)
def test_python_without_a_class_is_refused(code: str) -> None:
    with pytest.raises(SourceError, match="line"):
        classify_text(code, "python")


WORDS = """for ( i = 0 ; < N ++ ) { } a b [ ] + * 3 - 1 , int float if else += j k /* */ # & ? : ( ) return x y"""
FRAGMENTS = st.lists(st.sampled_from([*WORDS.split(), "\n"]), max_size=40)


@pytest.mark.slow
@settings(max_examples=150, deadline=None)
@given(FRAGMENTS, st.sampled_from(["c", "python"]))
def test_any_text_is_classified_or_refused_in_one_line(words: list[str], language: str) -> None:
    refusal = ""
    try:
        classify_text(" ".join(words), language)
    except RoofcastError as error:
        refusal = str(error)
    assert "\n" not in refusal


def test_a_read_that_steps_over_elements_is_not_refuted() -> None:
    (found,) = classify_text("for i in range(1024):\n    b[i] = a[8*i]", "python")
    assert str(found.found) == "8192|tile(8) → 1024|element"
    assert found.checked.startswith("checked at 1 size")
