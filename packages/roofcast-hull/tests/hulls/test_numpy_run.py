"""NumPy run on small arrays by NumPy itself: what elements follow from, and what is misread."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from roofcast_hull.source import numpy_expressions, python_statements
from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.numpy_run import UnknownError, run_whole

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

FOLLOWED = {
    # Elements of x, counted row by row (4 x 3), that the second element of y follows from.
    "y = x.sum(axis=1)": {3, 4, 5}, "y = x[1:] - x[:-1]": {1, 4}, "y = np.roll(x, 1, axis=0)": {10},
    "y = x.T": {3}, "y = x - x.mean(axis=0)": {1, 4, 7, 10}, "y = np.cumsum(x[:, 0])": {0, 3},
    "y = x @ x.T": {0, 1, 2, 3, 4, 5}, "y = np.einsum('ij,ij->i', x, x)": {3, 4, 5}, "y = np.diag(x[:3])": {4},
    "y = np.where(np.arange(3) > 0, x[0], x[1])": {1}, "y = np.concatenate([x[2], x[3]])": {7},
    "y = np.zeros(4)\nfor i in range(1, 4):\n    y[i] = y[i - 1] + x[i, 0]": {3},
    "y = x.copy()\ny[0] += y[1]": {1, 4}, "y = np.maximum(x, 0.5).max(axis=0)": {1, 4, 7, 10},
    "y = np.zeros(3)\nnp.add.at(y, np.array([1, 1]), x[:2, 0])": {0, 3},
    "y = np.pad(x[0], 1)": {0},
}  # fmt: skip


@pytest.mark.parametrize("code", FOLLOWED)
def test_what_elements_follow_from(code: str) -> None:
    try:
        arrays, bits = run_whole(ast.parse(code).body, {"x": (4, 3)}, {}, {})
    except UnknownError:
        assert "pad" in code
        return
    sources = int(arrays["y"].sources.reshape(-1)[1])
    assert {at for n, (_, at) in enumerate(bits) if sources >> n & 1} == FOLLOWED[code]


@pytest.mark.parametrize(
    "code",
    [
        "y = np.sort(x)",
        "if x[0, 0] > 1:\n    y = x",
        "y = f(x)",
        "y = x[:int(x[0, 0])]",
        "y = 2 ** (10 ** 9)",
        "y = (0,) * 10 ** 12",
        "y = np.zeros((10 ** 6, 10 ** 6))",
        "s = 3\nfor k in range(10 ** 9):\n    s = s * s",
        "y = x[:, None, None, None] * np.ones((10 ** 3, 10 ** 3, 1))",
        "y = np.repeat(x, 10 ** 9)",
    ],
)
def test_what_is_not_run(code: str) -> None:
    with pytest.raises(UnknownError):
        run_whole(ast.parse(code).body, {"x": (4, 3)}, {}, {})


def test_names_hold_views_as_in_numpy() -> None:
    code = "r = x[0]\nr += 1.0\nz = x[1:]\nz[...] = 0.0"
    arrays, _ = run_whole(ast.parse(code).body, {"x": (3, 2)}, {}, {})
    assert (arrays["x"].values[0] > 1.4).all()
    assert not np.any(arrays["x"].values[1:])
    assert not arrays["x"].sources[1:].any()


SQUARE = "def f(a):\n    return a - 0.5 * a.T\nf(np.zeros((400, 400)))\n"
STEPS = (
    "def f(x):\n    h = np.zeros(x.shape)\n    for t in range(1, x.shape[0]):\n"
    "        h[t] = 0.5 * x[t] + 0.9 * h[t - 1]\n    return h\nf(np.ones((900, 400)))\n"
)


def test_a_misread_call_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a matrix that is read where its transposed one is meant, all sizes and operations are right."""
    assert classify_text(SQUARE, "python", function="f")
    monkeypatch.setattr(numpy_expressions, "transpose", lambda whole: whole)
    with pytest.raises(SourceError, match="from other elements than NumPy"):
        classify_text(SQUARE, "python", function="f")


def test_a_lost_order_of_steps_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """What statements overwrite is run as they find it: rows that wait for each other make a long chain."""
    (read,) = classify_text(STEPS, "python", function="f")
    assert read.repetitions == 899
    overwritten = lambda code, target, _: code.list_overwritten(target)  # noqa: E731
    monkeypatch.setattr(python_statements, "find_overwritten", overwritten)
    with pytest.raises(SourceError, match="has a chain of"):
        classify_text(STEPS, "python", function="f")


GATES = (
    "def f(x, w, c):\n    z = x @ w\n    n = c.shape[1]\n    c = z[:, n:2 * n] * c + z[:, :n] * np.tanh(z[:, 3 * n:])\n"
    "    return c * z[:, 2 * n:3 * n]\nf(np.ones((64, 128)), np.ones((128, 1024)), np.ones((64, 256)))\n"
)


def test_parts_of_rows_stay_parts_of_small_rows() -> None:
    """Sizes that are divided by one number say what a unit takes of a row, where roots of sizes leave no parts."""
    product, gates = classify_text(GATES, "python", function="f")
    assert str(product.found.outputs[0]) == "64x1024|element"
    assert "64x4x256|tile(1x4x1)" in str(gates.found)
    assert gates.checked.startswith("checked")
