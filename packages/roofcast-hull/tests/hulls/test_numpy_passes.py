"""What of NumPy is a pass of its own, and operations as NumPy does them: classes and numbers derived by hand."""

from __future__ import annotations

import pytest

from hulls.test_codes import are_alike
from roofcast_hull.notation import parse_class
from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

CASES = {
    # An array that one statement alone uses is computed by the unit that needs it: its operations are NumPy's.
    "difference": (
        "def f(a: 'float64[700, 20]', b: 'float64[500, 20]'):\n"
        "    d = a[:, None, :] - b[None, :, :]\n    return (d * d).sum(axis=-1)\n",
        ["700x20|tile(1x20) & 500x20|tile(1x20) -> 700x500|element"], 3 * 700 * 500 * 20,
    ),
    # What many units use is computed once.
    "used_by_many": (
        "def f(x: 'float64[4000, 13]', m: 'float64[10, 13]', p: 'float64[10]'):\n"
        "    c = p * 2.0 + 1.0\n    return c - np.sum((x[:, None, :] - m) ** 2, axis=2)\n",
        ["10|element -> 10|element", "4000x13|tile(1x13) & 10x13|tile(1x13) & 10|element -> 4000x10|element"],
        40000 * 40,
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
    # What a product of matrices takes is stored; of two vectors it is a sum.
    "factor_of_a_product": (
        "def f(x: 'float64[700, 20]', y: 'float64[500, 20]'):\n    return 2 * x @ y.T\n",
        ["700x20|element -> 700x20|element", "700x20|tile(1x20) & 500x20|tile(1x20) -> 700x500|element"],
        2 * 700 * 500 * 20 + 700 * 20,
    ),
    "vectors": (
        "def f(a: 'float64[90000]', b: 'float64[90000]'):\n    d = a - b\n    return np.sqrt(d @ d)\n",
        ["90000|element & 90000|element -> 1|shared"], 3 * 90000,
    ),
    # An element that two units of the one statement use is stored, and a sum that it uses twice is one.
    "used_by_neighbours_alone": (
        "def f(p: 'float64[8000, 3]', t: 'float64[3]'):\n    c = p + t\n    return c[:, :2] / c[:, 2:]\n",
        ["8000x3|element & 3|element -> 8000x3|element", "8000x2|element & 8000|element -> 8000x2|element"], 40000,
    ),
    "sum_used_twice": (
        "def f(x: 'float64[8000, 2]'):\n    r = (x ** 2).sum(axis=1)\n    return 1.0 + 0.1 * r + 0.02 * r ** 2\n",
        ["8000x2|tile(1x2) -> 8000|element"], 9 * 8000,
    ),
    # What two statements use, or a product takes, is stored; what a helper does with it is one statement.
    "used_by_two_statements": (
        "def f(a: 'float64[400]', b: 'float64[250]'):\n    r = a[:, None] / b\n    d = np.log(r) + 0.5\n"
        "    e = d - 0.1\n    return r * np.exp(d) - e\n",
        ["400|element & 250|element -> 400x250|element", "400x250|element -> 400x250|element",
         "400x250|element & 400x250|element -> 400x250|element"], 7 * 100000,
    ),
    # A name that gets another value names another array.
    "rebound": (
        "def f(x: 'float64[600, 40]', w: 'float64[40, 300]', b: 'float64[300]'):\n    x = x @ w\n    x = x + b\n"
        "    x = np.maximum(x, 0.0)\n    return x\n",
        ["600x40|tile(1x40) & 40x300|tile(40x1) & 300|element -> 600x300|element"], 600 * 300 * 82,
    ),
    "softmax": (
        "def f(z: 'float32[2000, 50]'):\n    z = z - z.max(axis=1, keepdims=True)\n    e = np.exp(z)\n"
        "    return e / e.sum(axis=1, keepdims=True)\n",
        ["2000x50|tile(1x50) -> 2000|element", "2000x50|element & 2000|element -> 2000x50|element",
         "2000x50|tile(1x50) -> 2000|element", "2000x50|element & 2000|element -> 2000x50|element"], 5 * 100000,
    ),
    # A view is no pass.
    "views": (
        "def f(x: 'float64[1200, 400]'):\n    x = np.asarray(x, dtype=np.float64)\n    t = np.transpose(x)\n"
        "    m = t.mean(axis=1)\n    return x - m\n",
        ["1200x400|tile(1200x1) -> 400|element", "1200x400|element & 400|element -> 1200x400|element"], 2 * 480000,
    ),
    "used_twice": (
        "def f(x: 'float64[300, 16]'):\n    c = x - x.mean(axis=0)\n    return c.T @ c\n",
        ["300x16|tile(300x1) -> 16|element", "300x16|element & 16|element -> 300x16|element",
         "300x16|tile(300x1) & 300x16|tile(300x1) -> 16x16|element"], 2 * 300 * 16 + 2 * 16 * 16 * 300,
    ),
    "one_number_for_a_row": (
        "def f(r: 'float64[2000, 300]'):\n    h = np.empty(300)\n    h[:] = r.max()\n    return h\n",
        ["2000x300|element -> 1|shared", "void -> 300|element"], 600000,
    ),
    # Elements that a condition chooses, where sums alone take them.
    "chosen": (
        "def f(p: 'float64[50000]'):\n    q = p[p > 0]\n    return -np.sum(q * np.log2(q))\n",
        ["50000|element -> 1|shared"], 4 * 50000,
    ),
    "chosen_rows": (
        "def f(x: 'float64[4000, 3]', k: 'int64[4000]'):\n    c = np.empty((8, 3))\n    for j in range(8):\n"
        "        c[j] = x[k == j].mean(axis=0)\n    return c\n",
        ["4000x3|tile(4000x1) & 4000|full -> 8x3|element"], 8 * 4000 * 4,
    ),
    "along_an_axis": (
        "def f(x: 'float64[3000, 80]'):\n    return np.apply_along_axis(lambda v: v.max() - v.min(), 1, x)\n",
        ["3000x80|tile(1x80) -> 3000|element"], 2 * 240000,
    ),
    "diagonals": (
        "def f(a: 'float64[300, 300]', w: 'float64[300]'):\n    return np.diag(a) * w\n",
        ["300|element & 300|element -> 300|element"], 300,
    ),
    "kept_axis": (
        "def f(g: 'float64[3000, 64]'):\n    n = np.sqrt((g ** 2).sum(axis=1, keepdims=True))\n    return g / n, n\n",
        ["3000x64|tile(1x64) -> 3000x1|element", "3000x64|element & 3000|element -> 3000x64|element"], 3 * 192000,
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


STORED = {
    # Running sums and transforms take each element once: their units compute it. Seen backwards they are no copy.
    "backwards": (
        "def f(x: 'float64[32, 4800]'):\n    e = x * x\n    s = np.cumsum(e[:, ::-1], axis=1)[:, ::-1]\n"
        "    return np.log(s / s[:, :1])\n",
        ["32x4800|tile(1x4800) -> 32x4800|scan(1x4800)", "32x4800|element & 32|element -> 32x4800|element"],
        4 * 32 * 4800,
    ),
    "weighted": (
        "def f(p: 'float64[90000]', v: 'float64[90000]'):\n    return np.cumsum(p * v) / np.cumsum(v)\n",
        ["90000|full & 90000|full -> 90000|scan", "90000|full -> 90000|scan",
         "90000|element & 90000|element -> 90000|element"], 4 * 90000,
    ),
    # A product in another shape is the product.
    "heads": (
        "def f(x: 'float64[100, 64]', w: 'float64[64, 64]'):\n    q = (x @ w).reshape(100, 4, 16).transpose(1, 0, 2)\n"
        "    return np.exp(q @ q.transpose(0, 2, 1))\n",
        ["100x64|tile(1x64) & 64x64|tile(64x1) -> 100x64|element",
         "100x64|tile(1x16) & 100x64|tile(1x16) -> 4x100x100|element"],
        2 * 100 * 64 * 64 + 4 * 100 * 100 * (2 * 16 + 1),
    ),
    # Arrays that take each other's places are not copied.
    "leaps": (
        "def f(u: 'float64[300, 400]', p: 'float64[300, 400]'):\n    for _ in range(10):\n"
        "        u, p = 2.0 * u - p + np.roll(u, 1, 0), u\n    return u\n",
        ["300x400|neighbourhood(2x1) & 300x400|element -> 300x400|element"], 10 * 3 * 300 * 400,
    ),
    "no_numbers": (
        "def f(x: 'float64[900, 70]'):\n    return np.where(np.isfinite(x), x - np.nanmean(x, axis=0), 0.0)\n",
        ["900x70|tile(900x1) -> 70|element", "900x70|element & 70|element -> 900x70|element"], 900 * 70 * (3 + 2),
    ),
    # An element that is added at the front, and a layer for each array of a list.
    "means": (
        "def f(x: 'float64[100000]'):\n    c = np.cumsum(np.insert(x, 0, 0.0))\n    return (c[5:] - c[:-5]) / 5\n",
        ["100001|full -> 100001|scan", "99996|neighbourhood(6) -> 99996|element"], 3 * 100000,
    ),
    # Elements at places that real numbers or loaded ones give, by way of names; rows as long as an array says.
    "resized": (
        "import numpy as np\nfrom numba import njit\n@njit\ndef f(img, fy, out):\n    h, w = out.shape\n"
        "    for i in range(h):\n        for j in range(w):\n            y = i * fy\n"
        "            y0 = min(int(y), h // 2 - 1)\n"
        "            d = y - y0\n            out[i, j] = img[y0, j] * (1 - d) + img[y0 + 1, j] * d\n"
        "f(np.ones((513, 640)), 0.5, np.ones((1024, 640)))\n",
        ["513x640|gather(2) -> 1024x640|element"], 7 * 1024 * 640,
    ),
    "ranks": (
        "import numpy as np\nfrom numba import njit\n@njit\ndef f(ptr, ids, r, deg, out):\n"
        "    for v in range(out.shape[0]):\n        s = 0.0\n        for e in range(ptr[v], ptr[v + 1]):\n"
        "            u = ids[e]\n            s += r[u] / deg[u]\n        out[v] = s\n"
        "f(np.arange(0, 80001, 16), np.zeros(80000, np.int64), np.ones(5000), np.ones(5000), np.ones(5000))\n",
        ["5000x16|tile(1x16) & 5000|neighbourhood(2) & 5000|gather(16) & 5000|gather(16) -> 5000|element"], 2 * 80000,
    ),
    "counts": (
        "def f(x: 'float64[70000]'):\n    g = lambda v: 2.0 * v\n"
        "    h, edges = np.histogram(x, bins=50, range=(0, 1))\n"
        "    return h, g(x)\n",
        ["70000|element -> 50|shared", "70000|element -> 70000|element"], 4 * 70000,
    ),
    # Means that one statement alone uses, by way of sums; a deviation inside of an expression has its own mean.
    "slope": (
        "def f(a: 'float64[2520, 300]', m: 'float64[2520]'):\n    d = a - a.mean(axis=0)\n    e = m - m.mean()\n"
        "    return (d * e[:, None]).sum(axis=0) / (e * e).sum()\n",
        ["2520|element -> 1|shared", "2520|element -> 2520|element", "2520|element -> 1|shared",
         "2520x300|tile(2520x1) & 2520|full -> 300|element"], 4 * 2520 * 300 + 4 * 2520,
    ),
    "ratio": (
        "def f(a: 'float64[2520, 300]'):\n    return a.mean(axis=0) / a.std(axis=0, ddof=1)\n",
        ["2520x300|tile(2520x1) -> 300|element"], 5 * 2520 * 300,
    ),
    # Complex numbers are pairs: an array of them is one, and so is a part of it.
    "power": (
        "def f(x: 'float64[50, 512]'):\n    s = np.fft.rfft(x * np.hanning(512), axis=1)\n    return np.abs(s) ** 2\n",
        ["50x512|tile(1x512) & 512|full -> 50x512|fft(1x512)", "50x257|element -> 50x257|element"],
        50 * 512 * (2.5 * 9 + 1) + 2 * 50 * 257,
    ),
    "filtered": (
        "def f(x: 'float64[64, 64]', m: 'float64[64, 64]'):\n    s = np.fft.fft2(x)\n"
        "    return np.fft.ifft2(s * m).real\n",
        ["64x64|full -> 64x64|fft", "64x64|full & 64x64|full -> 64x64|fft"], 64 * 64 * (2 * 5 * 12 + 2),
    ),
    # A quotient of complex numbers takes its eleven operations for each element, by whatever smaller array.
    "equalised": (
        "def f(x: 'complex128[1200, 64]', h: 'complex128[64]', g: 'complex128[64]'):\n    return x / (h + g)\n",
        ["1200x64|element & 64|element & 64|element -> 1200x64|element"], 1200 * 64 * 11 + 2 * 64,
    ),
    # Arrays in another shape, and what is computed and then shown in one.
    "flat": (
        "def f(a: 'float64[96, 128, 64]', b: 'float64[786432]', c: 'float64[40]'):\n    v = a.ravel() - b\n"
        "    return v.max(), (v * v).mean(), (a.ravel()[:, None] >= c).sum(axis=0)\n",
        ["96x128x64|element & 96x128x64|element -> 96x128x64|element", "786432|element -> 1|shared",
         "786432|element -> 1|shared", "96x128x64|full & 40|element -> 40|element"], 96 * 128 * 64 * 84,
    ),
    "pixels": (
        "def f(img: 'float64[96, 128, 3]', m: 'float64[3, 3]'):\n    flat = img.reshape(-1, 3)\n"
        "    return (flat @ m.T).reshape(img.shape[:2] + (3,))\n",
        ["96x128x3|tile(1x1x3) & 3x3|tile(1x3) -> 96x128x3|element"], 96 * 128 * 3 * 6,
    ),
    # Transforms of other lengths than what they are given, sums that go on in what a library filled.
    "padded": (
        "def f(x: 'float64[400, 1000]', k: 'float64[129]'):\n    a = np.fft.rfft(x, 2048, axis=1)\n"
        "    return a * np.fft.rfft(k, n=2048)\n",
        ["400x1000|tile(1x1000) -> 400x2048|fft(1x2048)", "129|full -> 2048|fft",
         "400x1025|element & 1025|element -> 400x1025|element"], 401 * 2048 * 27.5 + 6 * 400 * 1025,
    ),
    "balance": (
        "def f(o: 'float64[4096]', x: 'float64[4096, 365]'):\n    b = np.cumsum(x, axis=1)\n    b += o[:, None]\n"
        "    return b\n",
        ["4096x365|tile(1x365) -> 4096x365|scan(1x365)", "4096x365|element & 4096|element -> 4096x365|element"],
        2 * 4096 * 365,
    ),
    # A product of vectors is computed once, whoever asks for it; what makes a place of data is work.
    "turned": (
        "def f(q: 'float64[20000, 3]', v: 'float64[20000, 3]', w: 'float64[20000, 1]'):\n"
        "    t = 2.0 * np.cross(q - w, v)\n    return v + w * t + np.cross(q, t)\n",
        ["20000x3|tile(1x3) & 20000|element & 20000x3|tile(1x3) -> 20000x3|tile(1x3)",
         "20000x3|element -> 20000x3|element", "20000x3|tile(1x3) & 20000x3|tile(1x3) -> 20000x3|tile(1x3)",
         "20000x3|element & 20000|element & 20000x3|element & 20000x3|element -> 20000x3|element"], 20000 * 33,
    ),
    "places_of_data": (
        "def f(t: 'float64[100000]', s: 'float64[512]', m: 'uint8[100000]'):\n    i = np.floor(t).astype(np.int64)\n"
        "    return s[np.clip(i + 1, 0, 511)] * (t - i), s[m >> 4]\n",
        ["100000|element -> 100000|element", "100000|element & 100000|element & 512|gather -> 100000|element",
         "100000|element & 512|gather -> 100000|element"], 7 * 100000,
    ),
    "joint_places": (
        "def f(a: 'int64[1000000]', b: 'int64[1000000]'):\n"
        "    return np.bincount(10 * a + b, minlength=100).reshape(10, 10)\n",
        ["1000000|element & 1000000|element -> 100|shared"], 3000000,
    ),
    # Rows that are read as planes.
    "years": (
        "def f(t: 'float64[14600, 20]'):\n    y = t.reshape(40, 365, -1)\n"
        "    return y.max(axis=0), y.mean(axis=1), y.std(axis=2), (y - y[0]).reshape(t.shape)\n",
        ["40x365x20|tile(40x1x1) -> 365x20|element", "14600x20|tile(365x1) -> 40x20|element",
         "40x365x20|tile(1x1x20) -> 40x365|element", "40x365x20|element & 365x20|element -> 40x365x20|element"],
        292000 + 292800 + 1197200 + 292000,
    ),
    # What is given back in one line are results of their own.
    "several": (
        "def f(v: 'float64[786, 20]', w: 'float64[786, 20]'):\n"
        "    return {'m': v.mean(axis=0), 't': (v.max(), [v - w])}\n",
        ["786x20|tile(786x1) -> 20|element", "786x20|element -> 1|shared",
         "786x20|element & 786x20|element -> 786x20|element"], 786 * 20 * 3 + 20,
    ),
    "palette": (
        "def f(img: 'float64[96, 128, 3]', p: 'float64[16, 3]'):\n    px = img.reshape(-1, 3)\n"
        "    d = px[:, None, :] - p\n    return (d * d).sum(axis=-1).argmin(axis=1).reshape(img.shape[:2])\n",
        ["96x128x3|tile(1x1x3) & 16x3|full -> 96x128|element"], 96 * 128 * 16 * 10,
    ),
    # Places of a mesh of one statement are those of its axes; those of several are stored.
    "mesh": (
        "def f(x: 'float64[300]', y: 'float64[200]'):\n    u, v = np.meshgrid(x, y)\n"
        "    s, t = np.meshgrid(x, y, indexing='ij')\n    r = u * v\n    return r + v, s - t\n",
        ["200|element -> 200x300|tile(1x300)", "300|element & 200x300|element -> 200x300|element",
         "300|element & 200|element -> 300x200|element"], 200 * 300 * 3,
    ),
    "layers": (
        "def f(x, w):\n    for m, b in w:\n        x = np.maximum(x @ m + b, 0)\n    return x\n"
        "sizes = [200, 100, 30]\n"
        "w = [(np.ones((m, n)), np.zeros(n)) for m, n in zip(sizes[:-1], sizes[1:])]\nf(np.ones((50, 200)), w)\n",
        ["50x200|tile(1x200) & 200x100|tile(200x1) & 100|element -> 50x100|element",
         "50x100|tile(1x100) & 100x30|tile(100x1) & 30|element -> 50x30|element"],
        50 * 100 * 402 + 50 * 30 * 202,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", STORED)
def test_what_is_stored(name: str) -> None:
    """Calls of libraries, views of what they give, arrays that change places, lists of arrays."""
    code, wanted, operations = STORED[name]
    found = classify_text(code, "python")
    classes = [str(f.found) for f in found]
    assert len(found) == len(wanted), classes
    assert all(are_alike(f.found, parse_class(w), 0.02) for f, w in zip(found, wanted, strict=True)), classes
    assert sum(f.operations for f in found) == pytest.approx(operations, rel=0.02)


WAYS = {
    # What a row is computed from the one before is computed before it: a step is a row.
    "powers": (
        "def f(x: 'float64[40000]', d=5):\n    return np.stack([x ** k for k in range(1, d + 1)], axis=1)\n",
        ["40000|element -> 40000x5|tile(1x5)"], 5 * 40000,
    ),
    # Calls of one module are no parts of one array: what stands between them changes nothing.
    "calls_between": (
        "def f(s: 'float64[512, 600]'):\n    right = np.roll(s, -1, axis=1)\n    down = np.roll(s, -1, axis=0)\n"
        "    return np.sum(np.cos(s - right) + np.cos(s - down))\n",
        ["512x600|neighbourhood(2x2) -> 1|shared"], 6 * 512 * 600,
    ),
    # A number that steps change is still a number.
    "number_that_changes": (
        "def f(x, w, b):\n    return x @ w + b\n"
        "def fit(x, y):\n    w, b = np.zeros(x.shape[1]), 0.0\n    for _ in range(9):\n        r = f(x, w, b) - y\n"
        "        w -= 0.1 * (x.T @ r)\n        b -= 0.1 * r.mean()\n    return w, b\n"
        "fit(np.ones((2000, 1024)), np.ones(2000))\n",
        ["2000x1024|tile(1x1024) & 1024|full -> 2000|element"], 2 * 2000 * 1024,
    ),
    "rows_one_after_the_other": (
        "def f(x: 'float64[1000, 500]', a: float):\n    s = np.zeros(x.shape)\n"
        "    for t in range(1, x.shape[0]):\n        before = s[t - 1]\n        s[t] = a * x[t] + 0.9 * before\n"
        "    return s\n",
        ["500|element & 500|element -> 500|element"], 3 * 999 * 500,
    ),
    "columns_one_after_the_other": (
        "def f(p: 'float64[64]', a: 'float64[64, 64]', b: 'float64[64, 500]'):\n    h = np.empty_like(b)\n"
        "    h[:, 0] = p\n    for k in range(500 - 1):\n        h[:, k + 1] = (a @ h[:, k]) * b[:, k + 1]\n"
        "    return h\n",
        ["64|element -> 64|element", "64x64|tile(1x64) & 64|full & 64|element -> 64|element"], 499 * 64 * 129,
    ),
    "history_of_a_field": (
        "def f(u: 'float64[9000]'):\n    w = np.zeros((101, 9000))\n    for n in range(100):\n"
        "        w[n + 1, 1:-1] = w[n, 1:-1] + 0.1 * (w[n, 2:] - 2 * w[n, 1:-1] + w[n, :-2])\n    return w\n",
        ["9000|neighbourhood(3) -> 9000|element"], 5 * 100 * 8998,
    ),
    "turns": (
        "def f(x: 'float64[3000, 80]'):\n    return np.array([np.sum(x[:, k] ** 2) for k in range(80)])\n",
        ["3000x80|tile(3000x1) -> 80|element"], 2 * 240000,
    ),
    "out": (
        "def f(u: 'float64[800, 900]', v: 'float64[800, 900]'):\n"
        "    np.add(u[2:, 1:-1], u[:-2, 1:-1], out=v[1:-1, 1:-1])\n    np.exp(u, out=u)\n",
        ["800x900|neighbourhood(3x1) -> 800x900|element", "800x900|element -> 800x900|element"], 798 * 898 + 800 * 900,
    ),
    "pad": (
        "def f(a: 'float32[600, 800]'):\n    p = np.pad(a, 1, mode='edge')\n"
        "    return (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, 2:] + p[1:-1, :-2]) * 0.25\n",
        ["600x800|neighbourhood(3x3) -> 600x800|element"], 4 * 480000,
    ),
    "gradient": (
        "def f(z: 'float64[700, 900]'):\n    gy, gx = np.gradient(z, 0.1)\n    return np.hypot(gx, gy)\n",
        ["700x900|neighbourhood(3x3) -> 700x900|element"], 5 * 630000,
    ),
    "joined": (
        "def f(a: 'float64[3000, 64]', b: 'float64[5000, 64]'):\n    return np.concatenate((a, b), axis=0)\n",
        ["3000x64|element -> 3000x64|element", "5000x64|element -> 5000x64|element"], 0,
    ),
    "stacked": (
        "def f(r: 'float64[90000]', t: 'float64[90000]'):\n    return np.stack((r * np.cos(t), r * np.sin(t)), 1)\n",
        ["90000|element & 90000|element -> 90000x2|tile(1x2)"], 4 * 90000,
    ),
    "cross": (
        "def f(a: 'float64[20000, 3]', b: 'float64[20000, 3]'):\n    return np.cross(a, b)\n",
        ["20000x3|tile(1x3) & 20000x3|tile(1x3) -> 20000x3|tile(1x3)"], 9 * 20000,
    ),
    "counted": (
        "def f(img: 'uint8[1080, 1920]'):\n    return np.bincount(img.ravel(), minlength=256)\n",
        ["1080x1920|element -> 256|shared"], 1080 * 1920,
    ),
    "rows": (
        "def f(s: 'float64[12, 8]', labels: 'int64[20000]', x: 'float64[20000, 8]'):\n    np.add.at(s, labels, x)\n",
        ["20000x8|element & 20000|element -> 96|shared"], 160000,
    ),
    "turned": (
        "def f(a: 'uint8[600, 800]'):\n    return np.rot90(a).copy()\n",
        ["unordered 600x800|element -> 800x600|element"], 0,
    ),
    "repeated": (
        "def f(a: 'uint8[600, 800]'):\n    return np.repeat(np.repeat(a, 2, axis=0), 2, axis=1)\n",
        ["600x800|element -> 1200x1600|tile(2x2)"], 0,
    ),
    "axes": (
        "def f(x: 'float32[8, 32, 48, 64]'):\n    return x.transpose(0, 2, 1, 3).copy() * 2\n",
        ["unordered 8x32x48x64|element -> 8x48x32x64|element"], 8 * 32 * 48 * 64,
    ),
    "deviation": (
        "def f(x: 'float64[4000, 50]'):\n    return x.std(axis=1)\n",
        ["4000x50|tile(1x50) -> 4000|element"], 4 * 200000,
    ),
    # Both names get what is computed of the values before.
    "together": (
        "def f(x: 'float64[700, 900]', y: 'float64[700, 900]'):\n    x, y = x * x - y * y, 2 * x * y\n    return x\n",
        ["700x900|element & 700x900|element -> 700x900|element & 700x900|element"], 5 * 630000,
    ),
    # A list that a loop over numbers writes is written out.
    "neighbours_by_a_loop": (
        "def f(g: 'int8[600, 800]'):\n    n = sum(np.roll(np.roll(g, i, 0), j, 1)\n"
        "            for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))\n"
        "    return ((n == 3) | ((g == 1) & (n == 2))).astype(np.int8)\n",
        ["600x800|neighbourhood(3x3) -> 600x800|element"], 13 * 480000,
    ),
    # A condition made of others chooses, and is no index; what was written before it stays.
    "joined_conditions": (
        "def f(g: 'int32[600, 800]', n: 'int32[600, 800]'):\n    born = (n == 3) & (g == 0)\n    g[...] = 0\n"
        "    g[born] = 1\n",
        ["600x800|element & 600x800|element -> 600x800|element"] * 2, 3 * 480000,
    ),
    # What an index takes is stored.
    "places": (
        "def f(x: 'float64[4000, 100]'):\n    i = np.argmax(x, axis=1)\n"
        "    return x[np.arange(4000), i] - x.mean(axis=1)\n",
        ["4000x100|tile(1x100) -> 4000|element", "4000x100|tile(1x100) & 4000|element -> 4000|element"], 2 * 404000,
    ),
    "list_of_moves": (
        "MOVES = ((0, 1), (1, 0), (0, -1))\n"
        "def f(g: 'float64[3, 400, 600]'):\n    for q, (dy, dx) in enumerate(MOVES):\n"
        "        g[q] = np.roll(g[q], (dy, dx), axis=(0, 1))\n",
        ["400x600|element -> 400x600|element"] * 3, 0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", WAYS)
def test_calls_that_place_elements(name: str) -> None:
    code, wanted, operations = WAYS[name]
    found = classify_text(code, "python")
    classes = [str(f.found) for f in found]
    assert len(found) == len(wanted), classes
    assert all(are_alike(f.found, parse_class(w), 0.02) for f, w in zip(found, wanted, strict=True)), classes
    assert sum(f.operations for f in found) == pytest.approx(operations, rel=0.02)


def test_calls_stand_before_what_takes_them() -> None:
    """The inner one of two calls first; what each turn of a loop puts in order is no one call."""
    code = "def f(x: 'float64[40000]'):\n    return x.argsort().argsort() / 39999.0\n"
    assert ["|sort" in str(f.found) for f in classify_text(code, "python")] == [True, True, False]
    code = (
        "def f(x: 'float64[40000]', y: 'float64[40000]'):\n    for i in range(50, 39950):\n"
        "        w = np.sort(x[i - 1:i + 2])\n        y[i] = w[1]\n    return y\n"
    )
    # Three elements are put in order by a unit, two stages of them.
    (found,) = classify_text(code, "python")
    assert are_alike(found.found, parse_class("40000|neighbourhood(3) -> 40000|element"), 0.02), str(found.found)
    assert found.operations == pytest.approx(6 * 39900)
    with pytest.raises(SourceError, match="a part of its own"):
        classify_text(code.replace("i - 1:i + 2", "i - 50:i + 50"), "python")


def test_windows_that_units_fill_and_put_in_order() -> None:
    code = (
        "from numba import njit, prange\n@njit(parallel=True)\n"
        "def f(img: 'float32[720, 1280]', out: 'float32[720, 1280]'):\n    h, w = img.shape\n"
        "    for y in prange(1, h - 1):\n        for x in range(1, w - 1):\n"
        "            win = np.empty(9, dtype=np.float32)\n"
        "            for k in range(9):\n                win[k] = img[y + k // 3 - 1, x + k % 3 - 1]\n"
        "            win.sort()\n            out[y, x] = win[4]\n"
    )
    (found,) = classify_text(code, "python")
    wanted = "720x1280|neighbourhood(3x3) -> 720x1280|element"
    assert are_alike(found.found, parse_class(wanted), 0.02), str(found.found)
    assert found.operations == pytest.approx(36 * 718 * 1278)


TYPES = {
    # Of integers a real number makes reals; of single precision only arrays and stated types make double.
    "a * 2.0": ("int32", (4, 8)), "a * 2": ("int32", (4, 4)), "a / 2": ("int32", (4, 8)), "a > 0": ("float32", (4, 1)),
    "a * 2.0 + 1": ("float32", (4, 4)), "a.astype(np.float32) / 255": ("uint8", (1, 4)),
    "a * np.linspace(0.0, 1.0, 800)": ("float32", (4, 8, 8)), "np.sqrt(a)": ("int64", (8, 8)),
    "a.mean(axis=1)": ("uint8", (1, 8)), "a.sum(axis=1)": ("int16", (2, 8)), "a.astype(float)": ("uint16", (2, 8)),
    "a.argmax(axis=1)": ("float32", (4, 8)), "np.where(a > 0, a, 0)": ("float32", (4, 4)),
    "np.logical_not(a > 0)": ("float64", (8, 1)), "a.sum(axis=1, dtype=np.float64)": ("float32", (4, 8)),
}  # fmt: skip


@pytest.mark.parametrize("expression", TYPES)
def test_types_are_promoted(expression: str) -> None:
    element, wanted = TYPES[expression]
    (found,) = classify_text(
        f"import numpy as np\ndef f(a: '{element}[600, 800]'):\n    return {expression}\n", "python"
    )
    assert found.bytes_each == wanted


ONE_CALL = {
    "np.diff(a, axis=0)": ("600x800|neighbourhood(2x1) -> 599x800|element", 599 * 800),
    "np.clip(a, 0, None)": ("600x800|element -> 600x800|element", 480000),
    "np.clip(a, a_min=0.0, a_max=1.0)": ("600x800|element -> 600x800|element", 2 * 480000),
    "np.nanmax(a, axis=0)": ("600x800|tile(600x1) -> 800|element", 480000),
    "np.inner(a, a[:40])": ("600x800|tile(1x800) & 40x800|tile(1x800) -> 600x40|element", 2 * 600 * 40 * 800),
    "np.einsum('ij->ji', a)": ("unordered 600x800|element -> 800x600|element", 0),
}


@pytest.mark.parametrize("expression", ONE_CALL)
def test_options_of_calls_count(expression: str) -> None:
    wanted, operations = ONE_CALL[expression]
    code = f"import numpy as np\ndef f(a: 'float64[600, 800]'):\n    return {expression}\n"
    (found,) = classify_text(code, "python")
    assert are_alike(found.found, parse_class(wanted), 0.02), str(found.found)
    assert found.operations == pytest.approx(operations, rel=0.02)


REFUSED = {
    "np.std(a, where=a > 0)": "'where=' of 'std'",
    "a[a > 0]": "how many elements a condition chooses", "np.nonzero(a)[0]": "how many elements 'nonzero' gives",
    "np.linalg.solve(a, a)": "'solve' is a solver of a library", "np.median(a, axis=1)": "'median' orders",
    "np.exp(1j * a) ** 1.5": "complex numbers", "np.searchsorted(a[0], a[1])": "'searchsorted' searches",
}  # fmt: skip


@pytest.mark.parametrize("expression", REFUSED)
def test_refusals_say_what_is_not_followed(expression: str) -> None:
    with pytest.raises(SourceError, match=REFUSED[expression].replace("(", "\\(")):
        classify_text(f"import numpy as np\ndef f(a: 'float64[600, 600]'):\n    return {expression}\n", "python")


OF_NUMBA = {
    "stencil": (
        "from numba import njit, stencil\n@stencil\ndef lap(a):\n"
        "    return a[0, 1] + a[0, -1] + a[1, 0] + a[-1, 0] - 4.0 * a[0, 0]\n"
        "@njit\ndef run(u: 'float64[600, 800]', c):\n    return c * lap(u)\n",
        ["600x800|neighbourhood(3x3) -> 600x800|element", "600x800|element -> 600x800|element"], 5 * 598 * 798 + 480000,
    ),
    "loops_in_a_stencil": (
        "from numba import stencil\n@stencil(neighborhood=((-2, 2),))\ndef mean(a):\n    s = 0.0\n"
        "    for k in range(-2, 3):\n        s += a[k]\n    return s / 5\n"
        "def run(u: 'float64[40000]'):\n    return mean(u)\n",
        ["40000|neighbourhood(5) -> 40000|element"], 6 * 39996,
    ),
    "rows": (
        "from numba import guvectorize\n@guvectorize(['void(float64[:], float64[:])'], '(n)->()')\n"
        "def largest(row, out):\n    m = row[0]\n    for i in range(1, row.shape[0]):\n        m = max(m, row[i])\n"
        "    out[0] = m\ndef run(x: 'float64[4000, 300]'):\n    return largest(x)\n",
        ["4000x300|tile(1x300) -> 4000|element"], 4000 * 299,
    ),
    # A diagonal is little of any size but a small one.
    "diagonal_left_out": (
        "from numba import njit\n@njit\ndef run(p: 'float64[2000]', f: 'float64[2000]'):\n"
        "    for i in range(2000):\n        s = 0.0\n        for j in range(2000):\n            if j == i:\n"
        "                continue\n            s += 1.0 / (p[j] - p[i])\n        f[i] = s\n",
        ["2000|element & 2000|full -> 2000|element"], 3 * 2000 * 2000,
    ),
    "rows_with_a_number": (
        "from numba import guvectorize\n@guvectorize(['(float64[:], float64, float64[:])'], '(n),()->(n)')\n"
        "def scale(row, by, out):\n    for i in range(row.shape[0]):\n        out[i] = row[i] * by\n"
        "def run(x: 'float64[4000, 300]', y: 'float64[4000, 300]'):\n    scale(x, 0.5, y)\n",
        ["4000x300|element -> 4000x300|element"], 4000 * 300,
    ),
    "rows_into": (
        "from numba import guvectorize\n@guvectorize(['void(float32[:], float32[:])'], '(n)->(n)')\n"
        "def centre(row, out):\n    m = 0.0\n    for i in range(len(row)):\n        m += row[i]\n    m /= len(row)\n"
        "    for i in range(len(row)):\n        out[i] = row[i] - m\n"
        "def run(x: 'float32[4000, 300]', y: 'float32[4000, 300]'):\n    centre(x, y)\n",
        ["4000x300|tile(1x300) -> 4000x300|tile(1x300)"], 4000 * 601,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", OF_NUMBA)
def test_functions_that_numba_calls_for_elements(name: str) -> None:
    code, wanted, operations = OF_NUMBA[name]
    found = classify_text(f"import numpy as np\n{code}", "python", function="run")
    classes = [str(f.found) for f in found]
    assert len(found) == len(wanted), classes
    assert all(are_alike(f.found, parse_class(w), 0.02) for f, w in zip(found, wanted, strict=True)), classes
    assert sum(f.operations for f in found) == pytest.approx(operations, rel=0.02)


@pytest.mark.parametrize("written", ["np.max(a=x, axis=1)", "np.sum(a=x, axis=0)", "np.exp(x=x)"])
def test_a_first_argument_by_name_is_the_first(written: str) -> None:
    code = "import numpy as np\ndef f(x):\n    return {}\nf(np.ones((64, 32)))\n"
    named = classify_text(code.format(written), "python")
    placed = classify_text(code.format(written.replace("a=", "").replace("(x=x", "(x")), "python")
    assert [str(c.found) for c in named] == [str(c.found) for c in placed]
    assert len(named) == 1
