"""The same code written otherwise gets the same class; ``python tools/score_rewrites.py`` counts over all codes."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")
pytest.importorskip("clang", reason="the extra 'source' is not installed")

from hulls import rewrites_c, rewrites_python, rewrites_styles, test_blind  # what they import is an extra
from hulls.rewriting import (
    ALIKE,
    INVALID,
    LANGUAGES,
    REWRITES,
    SAME,
    WRONG,
    ask,
    draw_codes,
    judge,
    language_of,
    list_rewrites,
)
from roofcast_hull.source.nest import SourceError

MENDED = """conditions named|blind/cuda/wave1d.cu:wave_order8
    launch by template|second/cuda/coulomb_slab.cu:lattice_potential
    arguments in struct|third/cuda/cg_update.cu:update_p
    body in device function|third/cuda/upsample_taps.cu:upsample_by_two
    unused local|fourth/cuda/quaternions.cu:rotate_bodies
    dead code|blind/cuda/kmeans_const.cu:accumulate
    index by umad|third/cuda/boris.cu:boris_push
    !(i < n)|blind/c/pooling.c:maxpool"""
"""What changed the answer once: a rewrite and a code."""
KERNEL = """__global__ void add(const float* a, float* b, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * cols) return;
    float s = 0.0f;
    for (int k = 0; k < 8; k++) s += a[i * 8 + k];
    b[i] = s;
}
int main() { const int n = 512; float *x, *y; add<<<n * n / 256, 256>>>(x, y, n, n); }
"""


@pytest.mark.parametrize("rewrite", ["for as while", "guard as if", "*(a + e)", "grid stride", "arguments in struct",
                                     "body in device function", "launch by wrapper", "unrolled by two"])  # fmt: skip
def test_a_rewrite_is_code_that_is_written_otherwise(rewrite: str) -> None:
    new = rewrites_c.SAME[rewrite](KERNEL)
    assert new is not None
    assert re.sub(r"\s", "", new) != re.sub(r"\s", "", KERNEL)
    assert rewrites_c.parse(new).errors == rewrites_c.parse(KERNEL).errors


STYLED = """void f(const float *a, float *b, int n, int m) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++) { float s = 0.0f; for (int k = 0; k < 8; k++) s += a[i * m + j]; b[i * m + j] = s; }
    for (int y = 0; y < n; y++)
        for (int x = 0; x < m; x++) b[y * m + x] = 2.0f * a[y * m + x];
}
"""


@pytest.mark.parametrize("rewrite", ["interchanged", "tiled", "collapsed", "sum of four", "split in two", "do while",
                                     "index by function", "body in helper"])  # fmt: skip
def test_another_style_is_code_that_is_written_otherwise(rewrite: str) -> None:
    new = rewrites_styles.SAME[rewrite](STYLED)
    assert new is not None
    assert re.sub(r"\s", "", new) != re.sub(r"\s", "", STYLED)
    assert rewrites_c.parse(new).errors == rewrites_c.parse(STYLED).errors


def test_a_rewrite_that_finds_nothing_to_do_says_so() -> None:
    assert rewrites_c.SAME["if as ternary"](KERNEL) is None
    assert rewrites_python.SAME["np.matmul"]("import numpy as np\nx = np.zeros(3)\n") is None


@pytest.mark.parametrize("pair", [line.strip() for line in MENDED.split("\n")])
def test_what_once_changed_the_answer(pair: str) -> None:
    rewrite, _, code = pair.partition("|")
    codes, _, name = code.partition("/")
    answer = judge(REWRITES[language_of(name)][rewrite], codes, name)
    assert answer is not None
    assert answer[0] == SAME, answer


def test_a_size_that_a_launch_states_and_nobody_follows_is_not_guessed() -> None:
    text = (test_blind.CODES / "fourth/cuda/swiglu.cu").read_text(encoding="utf-8")
    hidden = text.replace("d_in, d_out, kHidden)", "d_in, d_out, read_size())")
    hidden = hidden.replace("int main()", "int read_size();\n\nint main()")
    with pytest.raises(SourceError, match="'hidden': give --size hidden=N"):
        ask(hidden, "fourth", "cuda/swiglu.cu:swiglu_forward", "swiglu_forward")


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
def test_few_answers_change(language: str) -> None:
    kinds: list[str] = []
    for its, name, rewrite, scale in list_rewrites():
        drawn = draw_codes(language, name) if its == language else ()
        answers = (judge(rewrite, codes, code, scale) for codes, code in drawn)
        kinds += [
            a[0] for a, _ in zip((a for a in answers if a is not None and a[0] != INVALID), range(3), strict=False)
        ]
    assert (kinds.count(SAME) + kinds.count(ALIKE)) / len(kinds) >= 0.9
    assert kinds.count(WRONG) / len(kinds) <= 0.01
