"""Classes of what takes parts of arrays alone, of complex numbers and of steps: classes and numbers derived by hand."""

from __future__ import annotations

import pytest

from hulls.test_codes import are_alike
from roofcast_hull.notation import parse_class
from roofcast_hull.source.classify import classify_text

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

CASES: dict[str, tuple[str, list[str], float]] = {
    "middle_of_a_row": (
        "def f(x: 'float64[4096, 512]'):\n    return x[:, 100:400].mean(axis=1)\n",
        ["4096x300|tile(1x300) -> 4096|element"], 4096 * 301,
    ),
    "rows": (
        "def f(x: 'float64[4096, 512]'):\n    return x[100:3000].sum(axis=0)\n",
        ["2900x512|tile(2900x1) -> 512|element"], 2900 * 512,
    ),
    "all_but_one": (
        "def f(x: 'float64[4096, 512]'):\n    return x[:, 1:].sum(axis=1) - x[:, :-1].sum(axis=1)\n",
        ["4096x512|tile(1x512) -> 4096|element"], 4096 * (2 * 511 + 1),
    ),
    "first_elements": ("def f(x: 'float64[10000]'):\n    return x[:1000].sum()\n", ["1000|element -> 1|shared"], 1000),
    "box": (
        "def f(x: 'float64[500, 500]'):\n    return (x[100:400, 50:150] ** 2).sum()\n",
        ["300x100|element -> 1|shared"], 2 * 30000,
    ),
    "of_sorted_rows": (
        "def f(x: 'float64[4096, 512]'):\n    s = np.sort(x, axis=1)\n    return s[:, 51:-51].mean(axis=1)\n",
        ["4096x512|tile(1x512) -> 4096x512|sort(1x512)", "4096x410|tile(1x410) -> 4096|element"],
        9 * 4096 * 512 + 4096 * 411,
    ),
    "planes": (
        "def f(g: 'float64[9, 300, 400]'):\n    return g[1] - g[3] + g[5] - g[6] - g[7] + g[8]\n",
        ["6x300x400|tile(6x1x1) -> 300x400|element"], 5 * 120000,
    ),
    "ends": (
        "def f(x: 'float64[1000000]'):\n    return x[:100000] - x[900000:]\n",
        ["2x100000|tile(2x1) -> 100000|element"], 100000,
    ),
    "gated": (
        "def f(h: 'float32[8192, 1024]'):\n    n = h.shape[1] // 2\n    return h[:, :n] / (1.0 + np.exp(-h[:, n:]))\n",
        ["8192x2x512|tile(1x2x1) -> 8192x512|element"], 4 * 8192 * 512,
    ),
    "split": (
        "def f(h: 'float32[8192, 1024]'):\n    a, b = np.split(h, 2, axis=-1)\n    return a / (1.0 + np.exp(-b))\n",
        ["8192x2x512|tile(1x2x1) -> 8192x512|element"], 4 * 8192 * 512,
    ),
    "split_at_places": (
        "def f(x: 'float64[9000]'):\n    lo, mid, hi = np.split(x, [3000, 6000])\n    return lo * mid + hi\n",
        ["3x3000|tile(3x1) -> 3000|element"], 6000,
    ),
    "split_product": (
        "def f(x: 'float64[2048, 256]', w: 'float64[256, 512]'):\n    a, b = np.hsplit(x @ w, 2)\n    return a * b\n",
        ["2048x256|tile(1x256) & 256x512|tile(256x1) -> 2048x512|element",
         "2048x2x256|tile(1x2x1) -> 2048x256|element"],
        2 * 256 * 2048 * 512 + 2048 * 256,
    ),
    "cell": (
        "def f(z: 'float64[256, 2048]', c: 'float64[256, 512]'):\n    n = 512\n    a = z[:, :n]\n"
        "    b = z[:, n:2 * n]\n"
        "    g = z[:, 2 * n:3 * n]\n    return np.tanh(a) * c + np.tanh(b) * np.tanh(g)\n",
        ["256x3x512|tile(1x3x1) & 256x512|element -> 256x512|element"], 6 * 256 * 512,
    ),
    "strided_windows": (
        "def f(img: 'float64[256, 256]', k: 'float64[7, 7]'):\n    s0, s1 = img.strides\n"
        "    v = as_strided(img, (250, 250, 7, 7), (s0, s1, s0, s1))\n    return np.einsum('ijkl,kl->ij', v, k)\n",
        ["256x256|neighbourhood(7x7) -> 250x250|element"], 250 * 250 * 98,
    ),
    "frames": (
        "def f(x: 'float64[960300]'):\n    s = x.strides[0]\n"
        "    v = np.lib.stride_tricks.as_strided(x, shape=(6000, 400), strides=(160 * s, s))\n"
        "    return (v * v).mean(axis=1)\n",
        ["960240|neighbourhood(400) -> 6000|element"], 6000 * 801,
    ),
}  # fmt: skip

COMPLEX: dict[str, tuple[str, list[str], float]] = {
    "impedance": (  # w; w l; w c, 1 / w c, a sign; a sum; 2, 2 and 3 of a quotient, a magnitude
        "def f(f: 'float64[200000]', r: float, l: float, c: float):\n    w = 2 * np.pi * f\n"
        "    z = r + 1j * w * l + 1 / (1j * w * c)\n    return np.abs(r / z)\n",
        ["200000|element -> 200000|element"], 14 * 200000,
    ),
    "filtered": (
        "def f(x: 'float64[512, 4096]', gain: 'float64[2049]'):\n    s = np.fft.rfft(x, axis=1)\n    s *= gain\n"
        "    return np.fft.irfft(s, axis=1)\n",
        ["512x4096|tile(1x4096) -> 512x4096|fft(1x4096)", "512x2049|element & 2049|element -> 512x2049|element",
         "512x4096|tile(1x4096) -> 512x4096|fft(1x4096)"], 2 * 2.5 * 12 * 512 * 4096 + 2 * 512 * 2049,
    ),
    "quotient": (
        "def f(z: 'complex128[300000]', a: float, b: float, c: float, d: float):\n"
        "    return (a * z + b) / (c * z + d)\n",
        ["300000|element -> 300000|element"], 17 * 300000,
    ),
    "chirp": (
        "def f(x: 'float64[65536]', p: 'float64[65536]'):\n    z = x * np.exp(1j * p)\n"
        "    return np.abs(np.fft.fft(z))\n",
        ["65536|full & 65536|full -> 65536|fft", "65536|element -> 65536|element"], 65536 * (80 + 4 + 1),
    ),
    "used_by_many": (
        "def f(p: 'float64[500]', x: 'float64[700]'):\n    w = np.exp(1j * p)\n"
        "    return np.abs(w[:, None] * x[None, :] + 1.0)\n",
        ["500|element -> 500|element", "500|element & 700|element -> 500x700|element"], 1000 + 4 * 350000,
    ),
    "in_place": (
        "def f(z: 'complex128[300000]', w: 'complex128[300000]'):\n    z *= w\n    return z\n",
        ["300000|element & 300000|element -> 300000|element"], 6 * 300000,
    ),
    "phase_steps": (
        "def f(x: 'float64[1000000]'):\n    i, q = x[0::2], x[1::2]\n    z = i + 1j * q\n"
        "    return np.angle(z[1:] * np.conj(z[:-1]))\n",
        ["1000000|neighbourhood(4) -> 499999|element"], 8 * 499999,
    ),
}  # fmt: skip
"""Operations are those of the parts: a complex product takes six, a quotient eleven, a magnitude four."""


STEPS: dict[str, tuple[str, list[str], float]] = {
    # What each turn makes of an array is a step, and so is what keeps it.
    "history": (
        "def f(x: 'float64[10000]', out: 'float64[500, 10000]', dt: float):\n    for t in range(500):\n"
        "        x = x + dt * np.sin(x)\n        out[t] = x\n    return out\n",
        ["10000|element -> 10000|element", "10000|element -> 10000|element"], 3 * 500 * 10000,
    ),
    "columns": (
        "def f(z: 'float64[20000, 300]', out: 'float64[20000, 300]', k: float):\n    x = np.zeros(20000)\n"
        "    for t in range(300):\n        x += k * (z[:, t] - x)\n        out[:, t] = x\n    return out\n",
        ["20000|element & 20000|element -> 20000|element", "20000|element -> 20000|element"], 3 * 300 * 20000,
    ),
    # An array that a name hands on is the other one's of the turn before.
    "handed_on": (
        "def f(u: 'float64[100000]', g: 'float64[100000]', n: 'int' = 50):\n    res = np.zeros(50)\n"
        "    for k in range(50):\n        new = 0.5 * u + g\n        res[k] = np.abs(new - u).max()\n        u = new\n"
        "    return u, res\n",
        ["100000|element & 100000|element -> 100000|element", "100000|element & 100000|element -> 1|shared"],
        5 * 50 * 100000,
    ),
    "made_anew": (
        "def f(u: 'float64[800, 800]', g: 'float64[800, 800]'):\n    for k in range(100):\n        new = u.copy()\n"
        "        new[1:-1, 1:-1] = 0.5 * (u[:-2, 1:-1] + u[2:, 1:-1]) - g[1:-1, 1:-1]\n        u = new\n    return u\n",
        ["800x800|element -> 800x800|element", "800x800|neighbourhood(3x1) & 800x800|element -> 800x800|element"],
        3 * 100 * 798 * 798,
    ),
    "three_in_turn": (
        "def f(u: 'float64[100000]', v: 'float64[100000]'):\n    for t in range(50):\n"
        "        w = np.roll(u, 1) + np.roll(u, -1) - v\n        v = u\n        u = w\n    return u\n",
        ["100000|neighbourhood(3) & 100000|element -> 100000|element"], 2 * 50 * 100000,
    ),
    "adds_what_turns_leave": (
        "def f(w: 'float64[100000]', g: 'float64[100000]'):\n    v = np.zeros_like(w)\n    for _ in range(30):\n"
        "        v = 0.9 * v - 0.1 * g\n        w = w + v\n    return w\n",
        ["100000|element & 100000|element -> 100000|element", "100000|element & 100000|element -> 100000|element"],
        4 * 30 * 100000,
    ),
    "bounded_places": (
        "from numba import njit, prange\n@njit(parallel=True)\n"
        "def f(img: 'float64[700, 800]', out: 'float64[700, 800]'):\n    h, w = img.shape\n"
        "    for y in prange(h):\n        for x in range(w):\n            s = 0.0\n"
        "            for dy in range(-1, 2):\n"
        "                yy = y + dy\n                if yy < 0:\n                    yy = 0\n"
        "                if yy >= h:\n                    yy = h - 1\n                s += img[yy, x]\n"
        "            out[y, x] = s / 3.0\n",
        ["700x800|neighbourhood(3x1) -> 700x800|element"], 4 * 700 * 800,
    ),
    # Rows of several steps are read each.
    "wave": (
        "def f(u: 'float64[500, 100000]', c: float):\n    for t in range(1, 499):\n"
        "        u[t + 1, 1:-1] = u[t, 1:-1] - u[t - 1, 1:-1] + c * (u[t, 2:] + u[t, :-2])\n    return u\n",
        ["100000|neighbourhood(3) & 100000|element -> 100000|element"], 4 * 498 * 99998,
    ),
    "backwards": (
        "def f(r: 'float32[512, 4096]', v: 'float32[513, 4096]'):\n    a = np.zeros_like(r)\n"
        "    last = np.zeros(4096)\n"
        "    for t in reversed(range(512)):\n        last = r[t] + v[t + 1] - v[t] + last\n        a[t] = last\n"
        "    return a\n",
        ["4096|element & 4096|element & 4096|element & 4096|element -> 4096|element", "4096|element -> 4096|element"],
        3 * 512 * 4096,
    ),
    # Of every other row as many sectors are left as of none.
    "every_other_row": (
        "def f(x: 'float64[4000, 300]'):\n    return x[::2].sum(axis=1)\n",
        ["2000x300|tile(1x300) -> 2000|element"], 2000 * 300,
    ),
    "black_rows": (
        "def f(u: 'float64[1001, 1000]', g: 'float64[1001, 1000]'):\n    for _ in range(10):\n"
        "        u[1:-1:2, 1:-1] = 0.5 * (u[:-2:2, 1:-1] + u[2::2, 1:-1]) - g[1:-1:2, 1:-1]\n    return u\n",
        ["1001x1000|neighbourhood(3x1) & 500x1000|element -> 500x1000|element"], 3 * 10 * 500 * 998,
    ),
    "look_up": (
        "from numba import njit, prange\n@njit(parallel=True)\n"
        "def f(x: 'float64[2000000]', tab: 'float64[1024]', out: 'float64[2000000]'):\n"
        "    for i in prange(x.size):\n        t = x[i] * 3.5\n        k = int(t)\n        if k < 0:\n"
        "            k = 0\n"
        "        if k > 1022:\n            k = 1022\n        w = t - k\n"
        "        out[i] = (1 - w) * tab[k] + w * tab[k + 1]\n",
        ["2000000|element & 1024|gather(2) -> 2000000|element"], 8 * 2000000,
    ),
    # Names that are set twice in a turn, each by itself.
    "set_twice": (
        "from numba import njit, prange\n@njit(parallel=True)\n"
        "def f(g: 'float64[5, 500, 600]', a: 'float64[500, 600]', b: 'float64[500, 600]'):\n"
        "    for y in prange(500):\n        for x in range(600):\n            r = 0.0\n            m = 0.0\n"
        "            for k in range(5):\n                r += g[k, y, x]\n            m = g[1, y, x] - g[3, y, x]\n"
        "            n = r + m\n            n = n * m\n            a[y, x] = r\n            b[y, x] = n / r\n",
        ["5x500x600|tile(5x1x1) -> 500x600|element & 500x600|element"], 9 * 300000,
    ),
    "elements_in_a_row": (
        "from numba import njit\n@njit\ndef f(img: 'uint8[2000, 2000]', h: 'int64[256]'):\n"
        "    for v in img.ravel():\n        h[v] += 1\n",
        ["2000x2000|element -> 256|shared"], 4e6,
    ),
    "places": (
        "def f(x: 'float64[2000, 2000]'):\n    yy, xx = np.mgrid[0:2000, 0:2000]\n    return x * (yy + xx)\n",
        ["2000x2000|element & 2000x2000|element & 2000x2000|element -> 2000x2000|element"], 8e6,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES | COMPLEX | STEPS)
def test_parts_are_what_is_read(name: str) -> None:
    code, wanted, operations = (CASES | COMPLEX | STEPS)[name]
    found = classify_text(code, "python")
    assert len(found) == len(wanted), [str(f.found) for f in found]
    for result, text in zip(found, wanted, strict=True):
        assert are_alike(result.found, parse_class(text), 0.02), str(result.found)
    assert sum(f.operations for f in found) == pytest.approx(operations, rel=0.001)
