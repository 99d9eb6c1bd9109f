"""Shapes and types of what a file's own functions hand over to each other, as NumPy has them."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from roofcast_hull.notation import parse_class
from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.numpy_values import Tensor
from roofcast_hull.source.python_host import find_python_calls

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")

HANDED: dict[str, tuple[str, Any]] = {
    "reduced bits": ("f(np.bitwise_or.reduce(np.uint64(1) << np.zeros((50, 6), np.uint64), axis=1))", ((50,), "int64")),
    "counted bits": ("f(np.bitwise_count(np.zeros(50, np.uint64) & np.uint64(7)))", ((50,), "uint8")),
    "along an axis": ("f(np.maximum.accumulate(np.ones((4, 9)), axis=1))", ((4, 9), "float64")),
    "an outer function": ("f(np.subtract.outer(np.ones(4), np.ones(3)))", ((4, 3), "float64")),
    "parts of a row": ("f(np.add.reduceat(np.ones((9, 4)), np.arange(3), axis=0))", ((3, 4), "float64")),
    "drawn of a list": (
        "f(np.random.default_rng(1).choice(np.array([-1, 1], dtype=np.float32), (8, 3)))", ((8, 3), "float32")
    ),
    "an array again": ("f(np.array(np.ones((3, 5))))", ((3, 5), "float64")),
    "a number of data": ("f(float(np.ones(9).max()))", ((), "float64")),
    "the larger number": ("f(max(0.0, abs(np.ones(9).sum())))", ((), "float64")),
    "a grown list": ("a = []\nfor i in range(200):\n    row = []\n    for j in range(7):\n        row.append(0.5 * j)\n"
                     "    a.append(row)\nf(a)", ((200, 7), "float64")),
    "a counter": ("n = 0\nfor i in range(200):\n    n += 2\nf(n)", ((), "int64")),
    "a window somewhere": ("x = np.ones(90)\nfor i in range(40):\n    y = x[i:i + 12]\nf(y)", ((12,), "float64")),
    "the other branch": ("def g(x):\n    if x.sum() > 0:\n        return x[1:]\n    return x[:-1]\nf(g(np.ones(9)))",
                         ((8,), "float64")),
}  # fmt: skip


@pytest.mark.parametrize("kind", HANDED)
def test_what_is_handed_over_has_the_shape_that_numpy_gives(kind: str) -> None:
    code, (shape, dtype) = HANDED[kind]
    calls, _ = find_python_calls(ast.parse(f"def f(x):\n    return x\n{code}\n"))
    assert calls["f"][0][1]["x"] == Tensor(shape, dtype)


def test_a_shape_that_turns_change_is_not_known() -> None:
    code = "def f(x):\n    return x\na = np.ones(64)\nfor k in range(3):\n    a = a[::2]\nf(a)\n"
    calls, _ = find_python_calls(ast.parse(code))
    assert "x" not in calls["f"][0][1]


WHOLE = {
    "a function of what another one returns": (
        "def mark(a, b):\n    h = a * np.uint32(7)\n    h ^= b\n    return h\n"
        "def pack(m):\n    return np.bitwise_xor.reduce(m, axis=1)\n"
        "a, b = (np.random.randint(0, 9, 6000).astype(np.uint32) for _ in range(2))\n"
        "pack(mark(a, b).reshape(-1, 100))\n",
        "pack", "60x100|tile(1x100) -> 60|element",
    ),
    "weights that are computed": (
        "def change(r, w, b, s):\n    e = 1.0 / (1.0 + (r[b] - r[w]))\n"
        "    return np.bincount(w, weights=3.0 * (s - e), minlength=500)\n"
        "change(np.ones(500), np.zeros(9000, int), np.zeros(9000, int), np.ones(9000))\n",
        "change", "9000|element & 500|gather(2) & 9000|element & 9000|element -> 500|shared",
    ),
    "a window that is wide beside its row": (
        "def rise(b, w=30):\n    return (b[:, w:] - b[:, :-w]) * 2.0\nrise(np.ones((4096, 900)))\n",
        "rise", "4096x900|neighbourhood(31) -> 4096x870|element",
    ),
    "a sum in an array that was just made": (
        "@njit(parallel=True)\ndef spread(t, m):\n    out = np.zeros(t.shape[1])\n    for a in prange(t.shape[1]):\n"
        "        for k in range(t.shape[0]):\n            out[a] += (t[k, a] - m[a]) ** 2\n"
        "        out[a] /= t.shape[0]\n    return out\nspread(np.ones((200, 1500)), np.ones(1500))\n",
        "spread", "200x1500|tile(200x1) & 1500|element -> 1500|element",
    ),
    "what begins as a number": (
        "@njit(parallel=True)\ndef best(a):\n    n, m = a.shape\n    top = np.full(n, -1.0)\n"
        "    at = np.zeros(n, np.int64)\n    for i in prange(n):\n        for j in range(m):\n"
        "            if a[i, j] > top[i]:\n                top[i] = a[i, j]\n                at[i] = j\n"
        "    return top, at\nbest(np.ones((1200, 900)))\n",
        "best", "1200x900|tile(1x900) -> 1200|element & 1200|element",
    ),
    "an array that calls fill": (
        "def f(n, m):\n    x = np.random.rand(n)\n    y = np.random.rand(n, m)\n    for i in range(n):\n"
        "        for j in range(m):\n            x[i] = max(x[i], y[i, j])\n    return x\nf(1200, 900)\n",
        "f", "1200x900|tile(1x900) & 1200|element -> 1200|element",
    ),
    "rows of two arrays with their number": (
        "def f(a, w):\n    out = np.empty_like(a)\n    for k, (r, s) in enumerate(zip(a, w)):\n"
        "        out[k] = r * s\n    return out\nf(np.ones((200, 300)), np.ones(200))\n",
        "f", "200x300|element & 200|element -> 200x300|element",
    ),
    "numbers of places": (
        "def f(n):\n    k = np.arange(n)\n    return np.sin(k * 0.1)\nf(5000)\n", "f", "void -> 5000|element"
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", WHOLE)
def test_classes_follow(kind: str) -> None:
    pytest.importorskip("islpy", reason="the extra 'source' is not installed")
    code, function, text = WHOLE[kind]
    (found_class,) = classify_text(code, "python", function=function)
    wanted = parse_class(text)
    assert sorted(map(str, found_class.found.inputs)) == sorted(map(str, wanted.inputs))
    assert found_class.found.outputs == wanted.outputs
