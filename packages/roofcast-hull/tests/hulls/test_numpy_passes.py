"""What of NumPy is a pass of its own, and operations as NumPy does them: classes and numbers derived by hand."""

from __future__ import annotations

import pytest

from hulls.test_codes import are_alike
from roofcast_hull.notation import parse_class
from roofcast_hull.source.classify import classify_text

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

CASES = {
    # An array that one statement alone uses is computed by the unit that needs it: its operations are NumPy's.
    "difference": (
        "def f(a: 'float64[700, 20]', b: 'float64[500, 20]'):\n"
        "    d = a[:, None, :] - b[None, :, :]\n    return (d * d).sum(axis=-1)\n",
        ["700x20|tile(1x20) & 500x20|tile(1x20) -> 700x500|element"], 3 * 700 * 500 * 20,
    ),
    "error": (
        "def f(p: 'float64[8000]', t: 'float64[8000]'):\n    e = p - t\n    return np.sqrt(np.mean(e ** 2))\n",
        ["8000|element & 8000|element -> 1|shared"], 3 * 8000,
    ),
    "sum_of_sums": (
        "def f(m: 'float64[30000]', v: 'float64[30000, 3]'):\n"
        "    s = np.sum(v ** 2, axis=1)\n    return 0.5 * np.sum(m * s)\n",
        ["30000x3|tile(1x3) & 30000|element -> 1|shared"], 2 * 90000 + 2 * 30000,
    ),
    "nearest": (
        "def f(x: 'float64[700, 20]', c: 'float64[500, 20]'):\n"
        "    d = np.linalg.norm(x[:, None, :] - c[None, :, :], axis=2)\n    return d.argmin(axis=1)\n",
        ["700x20|tile(1x20) & 500x20|full -> 700|element"], 700 * 500 * (3 * 20 + 2),
    ),
    "signs": (
        "def f(a: 'float64[40000]'):\n    return np.exp(-(a / 3.0) ** 2) * a\n",
        ["40000|element -> 40000|element"], 5 * 40000,
    ),
    "differences_of_logarithms": (
        "def f(p: 'float64[50001]'):\n    return np.diff(np.log(p))\n",
        ["50000|neighbourhood(2) -> 50000|element"], 2 * 50000,
    ),
    "copy_of_what_is_overwritten": (
        "def f(u: 'float64[300, 400]'):\n    v = u.copy()\n"
        "    u[1:-1, 1:-1] = 0.25 * (v[1:-1, 2:] + v[1:-1, :-2] + v[2:, 1:-1] + v[:-2, 1:-1])\n    return u\n",
        ["300x400|neighbourhood(3x3) -> 300x400|element"], 4 * 298 * 398,
    ),
    # What NumPy computes once, for a number or a smaller array, is no work of each element.
    "numbers": (
        "def f(u: 'float64[100000]', c: float, dt: float, dx: float):\n    return u - c * dt / dx * np.exp(u)\n",
        ["100000|element -> 100000|element"], 3 * 100000,
    ),
    "smaller_array": (
        "def f(x: 'float64[1000, 64]', v: 'float64[64]'):\n    return x / np.sqrt(v + 1e-5)\n",
        ["1000x64|element & 64|element -> 1000x64|element"], 64000 + 128,
    ),
    "factor_of_a_product": (
        "def f(x: 'float64[700, 20]', y: 'float64[500, 20]'):\n    return 2 * x @ y.T\n",
        ["700x20|tile(1x20) & 500x20|tile(1x20) -> 700x500|element"], 2 * 700 * 500 * 20 + 700 * 20,
    ),
    # What two statements use, or a product takes, is stored.
    "used_twice": (
        "def f(x: 'float64[300, 16]'):\n    c = x - x.mean(axis=0)\n    return c.T @ c\n",
        ["300x16|tile(300x1) -> 16|element", "300x16|element & 16|element -> 300x16|element",
         "300x16|tile(300x1) & 300x16|tile(300x1) -> 16x16|element"], 2 * 300 * 16 + 2 * 16 * 16 * 300,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_passes_and_operations(name: str) -> None:
    code, wanted, operations = CASES[name]
    found = classify_text(code, "python")
    classes = [str(f.found) for f in found]
    assert len(found) == len(wanted), classes
    assert all(are_alike(f.found, parse_class(w), 0.02) for f, w in zip(found, wanted, strict=True)), classes
    assert sum(f.operations for f in found) == pytest.approx(operations, rel=0.02)
    assert all(f.checked.startswith("checked") for f in found), [f.checked for f in found]
