"""Ways to write NumPy that say the same: arrays changed in place, calls that others stand for, stated sizes."""

from __future__ import annotations

import pytest

from hulls.test_codes import are_alike
from roofcast_hull.notation import parse_class
from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

AB = "a: 'float64[600, 80]', b: 'float64[600, 80]'"
CASES = {
    # An array that statements change as a whole is a value that the next one reads: one pass.
    "changed_in_place": (
        f"def f({AB}, c: 'float64[600, 80]'):\n    a -= b\n    a *= c\n    a -= 2.0 * b + c\n    return a\n",
        ["600x80|element & 600x80|element & 600x80|element -> 600x80|element"], 5 * 48000,
    ),
    "written_into": (
        f"def f({AB}):\n    np.cos(b, out=a)\n    np.multiply(a, b, out=a)\n",
        ["600x80|element -> 600x80|element"], 2 * 48000,
    ),
    "made_and_changed": (
        "def f(v: 'float64[700]', d: 'float64[700, 700]'):\n    s = np.add.outer(v, v)\n    s -= d\n    return s\n",
        ["700|element & 700|element & 700x700|element -> 700x700|element"], 2 * 490000,
    ),
    "changed_in_a_loop": (
        f"def f({AB}):\n    for _ in range(50):\n        a += b\n        a *= 0.5\n",
        ["600x80|element & 600x80|element -> 600x80|element"], 50 * 2 * 48000,
    ),
    # What another statement reads in between is stored.
    "read_in_between": (
        f"def f({AB}):\n    a -= b\n    m = a.max(axis=1)\n    a *= 2.0\n    return m\n",
        ["600x80|element & 600x80|element -> 600x80|element", "600x80|tile(1x80) -> 600|element",
         "600x80|element -> 600x80|element"], 3 * 48000,
    ),
    # One statement's sums of rows take an array once, whose elements the unit computes.
    "two_sums": (
        f"def f({AB}):\n    d = a - b\n    return np.hypot(np.cos(d).mean(axis=1), np.sin(d).mean(axis=-1))\n",
        ["600x80|tile(1x80) & 600x80|tile(1x80) -> 600|element"], 5 * 48000 + 1800,
    ),
    "spread_of_differences": (
        "def f(t: 'float64[600, 81]'):\n    d = np.diff(t, axis=1)\n    return d.std(axis=1) / d.mean(axis=1)\n",
        ["600x81|tile(1x81) -> 600|element"], 600 * 80 * 6,
    ),
    # A product of matrices takes an array that is stored.
    "product_and_sum": (
        "def f(t: 'float64[600, 16, 16]', w: 'float64[16]'):\n    c = t.sum(axis=1)\n"
        "    return c @ w / c.sum(axis=1)\n",
        ["600x16x16|tile(1x16x1) -> 600x16|element", "600x16|tile(1x16) & 16|full -> 600|element"],
        600 * 256 + 600 * 48,
    ),
    "name_for_a_part_between": (
        "def f(s: 'float64[600, 6]'):\n    d = s[:, :3] - np.roll(s[:, :3], 1, axis=1)\n    t = s[:, 3:]\n"
        "    return np.square(d).sum(axis=1) + np.square(t).sum(axis=1)\n",
        ["600x6|tile(1x6) -> 600|element"], 600 * 16,
    ),
    "chosen_and_summed": (
        "def f(x: 'float64[3000]', i: 'int64[600, 48]'):\n    p = x[i]\n"
        "    return np.abs(np.roll(p, -1, axis=1) - p).sum(axis=1)\n",
        ["600x48|tile(1x48) & 3000|gather(96) -> 600|element"], 3 * 600 * 48,
    ),
    "rows_of_products": (
        f"def f({AB}, v: 'float64[600]'):\n    return np.sum(np.einsum('ij,ij->i', a, b) * v)\n",
        ["600x80|tile(1x80) & 600x80|tile(1x80) & 600|element -> 1|shared"], 2 * 48000 + 1200,
    ),
    "first_differences": (
        "def f(q: 'float64[600, 80]'):\n    return np.diff(q, axis=1, prepend=0.0)\n",
        ["600x80|neighbourhood(1x2) -> 600x80|element"], 48000,
    ),
    "second_differences": (
        "def f(q: 'float64[4000]'):\n    return np.diff(q, n=2)\n", ["3998|neighbourhood(3) -> 3998|element"], 2 * 3998,
    ),
    "integral": (
        "def f(y: 'float64[600, 80]'):\n    return np.trapezoid(y, dx=0.1, axis=1)\n",
        ["600x80|tile(1x80) -> 600|element"], 4 * 600 * 79,
    ),
    "diagonals_of_many": (
        "def f(t: 'float64[600, 12, 12]'):\n    return np.einsum('kii->k', t)\n",
        ["600x12|tile(1x12) -> 600|element"], 7200,
    ),
    "traces": (
        "def f(t: 'float64[600, 12, 12]'):\n    return np.trace(t, axis1=1, axis2=2)\n",
        ["600x12|tile(1x12) -> 600|element"], 7200,
    ),
    "letters_as_numbers": (
        "def f(a: 'float64[600, 80]', w: 'float64[80]'):\n    return np.einsum(a, [0, 1], w, [1], [0])\n",
        ["600x80|tile(1x80) & 80|full -> 600|element"], 2 * 48000,
    ),
    "least_of_several": (
        f"def f({AB}):\n    return np.minimum.reduce([a, b, a * b])\n",
        ["600x80|element & 600x80|element -> 600x80|element"], 3 * 48000,
    ),
    "list_of_arrays": (
        f"def f({AB}):\n    return np.array([a, b]).max(axis=0)\n",
        ["600x80|element & 600x80|element -> 600x80|element"], 48000,
    ),
    "quotient_and_rest": (
        "def f(k: 'int64[4000]'):\n    q, r = np.divmod(k, 7)\n    return q - r\n",
        ["4000|element -> 4000|element"], 3 * 4000,
    ),
    "halves": (
        "def f(x: 'float64[600, 80]'):\n    gate, value = np.split(x, 2, axis=1)\n    return np.tanh(gate) * value\n",
        ["600x2x40|tile(1x2x1) -> 600x40|element"], 2 * 24000,
    ),
    "rows_in_threes": (
        "def f(x: 'float64[40, 30]'):\n    return x.reshape(-1, 3).sum(axis=1)\n",
        ["40x30|tile(1x3) -> 40x10|element"], 1200,
    ),
    "chosen_by_a_condition_and_changed": (
        f"def f({AB}):\n    d = a - b\n    d[d < 0] = 0\n    return d.sum(axis=1)\n",
        ["600x80|tile(1x80) & 600x80|tile(1x80) -> 600|element"], 3 * 48000,
    ),
    "names_for_parts_of_what_is_computed": (
        "def f(t: 'float64[600, 81]'):\n    d = np.diff(t, axis=1)\n    a, b = d[:, :-1], d[:, 1:]\n"
        "    return np.mean((a - b) ** 2, axis=1)\n",
        ["600x81|tile(1x81) -> 600|element"], 600 * 4 * 79,
    ),
    "product_that_a_running_sum_takes": (
        "def f(p: 'float64[4000]', s: 'float64[4000]', i: 'int64[4000]'):\n    a = p[i]\n    b = s[i]\n"
        "    return np.cumsum(a * b)\n",
        ["4000|full & 4000|gather & 4000|gather -> 4000|scan"], 2 * 4000,
    ),
    "turns_that_keep_what_they_wrote": (
        "def f(x: 'float64[4000]', v: 'float64[4000]'):\n    for i in range(4000):\n        v[i] -= x[i] * 0.1\n"
        "        x[i] += v[i] * 0.1\n",
        ["4000|element & 4000|element -> 4000|element & 4000|element"], 4 * 4000,
    ),
    # Each sum of all elements reads what is stored.
    "sums_of_all": (
        "def f(a: 'float64[4000]', b: 'float64[4000]'):\n    d = a - b\n    return (d * d).sum() / np.abs(d).max()\n",
        ["4000|element & 4000|element -> 4000|element", "4000|element -> 1|shared", "4000|element -> 1|shared"],
        5 * 4000,
    ),
    "points_with_a_one": (
        "def f(v: 'float64[5000, 3]', m: 'float64[4, 4]'):\n    h = np.c_[v, np.ones(len(v))]\n    return h @ m.T\n",
        ["5000x3|element -> 5000x3|element", "void -> 5000|element",
         "5000x4|tile(1x4) & 4x4|tile(1x4) -> 5000x4|element"], 5000 * 32,
    ),
    "across_and_summed": (
        "def f(v: 'float64[5000, 3]', w: 'float64[5000, 3]'):\n    n = np.cross(v, w)\n"
        "    return np.linalg.norm(n, axis=1)\n",
        ["5000x3|tile(1x3) & 5000x3|tile(1x3) -> 5000|element"], 5000 * 16,
    ),
    "across_and_kept": (
        "def f(v: 'float64[5000, 3]', w: 'float64[5000, 3]'):\n    return 2.0 * np.cross(v, w)\n",
        ["5000x3|tile(1x3) & 5000x3|tile(1x3) -> 5000x3|tile(1x3)", "5000x3|element -> 5000x3|element"], 5000 * 12,
    ),
    "several_at_once": (
        "def f(x: 'float64[3000]', i: 'int64[600]', j: 'int64[600]'):\n    a, b = x[i], x[j]\n    return a - b\n",
        ["600|element & 3000|gather(2) & 600|element -> 600|element"], 600,
    ),
    "weighed_along_an_axis": (
        "def f(x: 'float64[9, 600, 80]', w: 'float64[9]'):\n    return np.average(x, axis=0, weights=w)\n",
        ["9|element -> 1|shared", "9x600x80|tile(9x1x1) & 9|full -> 600x80|element"], 48000 * 19,
    ),
    # A sum of rows stands before the statements of an array that its readers need many times.
    "least_and_span": (
        "def f(x: 'float64[600, 80]'):\n    lo = x.min(axis=1, keepdims=True)\n"
        "    span = np.ptp(x, axis=1, keepdims=True)\n    x -= lo\n    x /= span\n    return x\n",
        ["600x80|tile(1x80) -> 600x1|element", "600x80|tile(1x80) -> 600x1|element",
         "600x80|element & 600|element & 600|element -> 600x80|element"], 5 * 48000,
    ),
    "quotients_of_all": (
        "SEATS = 20\ndef f(v: 'float64[90, 12]'):\n    return np.divide.outer(v, np.arange(1.0, SEATS + 1.0))\n",
        ["90x12|element & 20|element -> 90x12x20|element"], 90 * 12 * 20,
    ),
    # Other names of NumPy's types and functions, of which some are its numbers.
    "names_of_types": (
        "U, TURN = np.uint64, np.pi\nA, B = U(0x5555), U(3)\n"
        "def f(x: 'uint64[700]', y: 'uint64[700]'):\n    return ((x << U(4)) | (y & A)) >> B\n",
        ["700|element & 700|element -> 700|element"], 4 * 700,
    ),
    "names_of_functions": (
        "f32, NEW = np.float32, np.newaxis\nlength = np.linalg.norm\n"
        "def f(x: 'float32[70, 3]', y: 'float32[60, 3]'):\n"
        "    return length(x[:, NEW, :] - y[NEW], axis=2) * f32(0.5)\n",
        ["70x3|tile(1x3) & 60x3|tile(1x3) -> 70x60|element"], 70 * 60 * 11,
    ),
    "name_of_something_else": (
        "root = np.sqrt\ndef g(x, root):\n    return x * root\n"
        "def f(x: 'float64[900]'):\n    return g(x, 3.0)\n",
        ["900|element -> 900|element"], 900,
    ),
    # Numbers that a parameter has where no call gives others.
    "default_of_several": (
        "def f(x: 'float64[5000]', c=(0.1, -0.2, 0.3)):\n    y = np.zeros(5000)\n    for j in range(len(c)):\n"
        "        y += c[j] * x ** j\n    return y\n",
        ["5000|element & 3|full -> 5000|element"], 9 * 5000,
    ),
    "default_that_has_a_name": (
        "LUMA = [0.299, 0.587, 0.114]\ndef f(x: 'float64[5000, 3]', luma=LUMA):\n    return x @ np.array(luma)\n",
        ["5000x3|tile(1x3) & 3|full -> 5000|element"], 6 * 5000,
    ),
    "default_shape": (
        "def f(x: 'float64[5000]', *, shape=(50, 100)):\n    return x.reshape(shape).sum(axis=1)\n",
        ["50x100|tile(1x100) -> 50|element"], 5000,
    ),
    # Numbers that turns make arrays of are arrays from the start.
    "steps_from_a_number": (
        "C = (0.1, 0.2, 0.3)\ndef f(x: 'float64[5000]'):\n    y = C[-1]\n    for k in C[1:]:\n"
        "        y = y * x + k\n    return y\n",
        ["5000|element & 5000|element -> 5000|element"], 4 * 5000,
    ),
    "sums_from_a_number": (
        "def f(x: 'float64[5000]', w: 'float64[12]'):\n    total = 0\n    for i in range(12):\n"
        "        total += w[i] * x\n    return total\n",
        ["5000|element & 12|full -> 5000|element"], 24 * 5000,
    ),
    "numbers_that_stay": (
        "def f(x: 'float64[12, 5000]'):\n    s = 0.0\n    for i in range(12):\n        s = s + x[i].sum()\n"
        "    return s\n",
        ["12x5000|element -> 1|shared"], 60012,
    ),
    # What one condition chooses of several arrays, as of one.
    "products_of_chosen": (
        "def f(p: 'float64[5000]', d: 'float64[5000]', k: 'int64[5000]'):\n"
        "    kept = (k > 3) & (d < 0.5)\n    return (p[kept] * np.sqrt(d[kept])).sum()\n",
        ["5000|element & 5000|element -> 5000|element", "5000|element & 5000|element & 5000|element -> 1|shared"],
        6 * 5000,
    ),
    "condition_written_twice": (
        "def f(p: 'float64[60, 70]', k: 'int64[60, 70]'):\n    return np.mean(-p[k == 2] / np.abs(p)[k == 2])\n",
        ["60x70|element & 60x70|element -> 1|shared"], 6 * 4200,
    ),
    "dot_of_chosen": (
        "def f(p: 'float64[5000]', d: 'float64[5000]', m: 'bool[5000]'):\n    return np.dot(p[m], d[m])\n",
        ["5000|element & 5000|element & 5000|element -> 1|shared"], 2 * 5000,
    ),
    "name_of_chosen": (
        "def f(p: 'float64[5000]', d: 'float64[5000]', m: 'bool[5000]'):\n"
        "    gap = p[m].astype(np.float64) - d[m]\n    return np.abs(gap).max()\n",
        ["5000|element & 5000|element & 5000|element -> 1|shared"], 3 * 5000,
    ),
    "uses_of_chosen": (
        "def f(p: 'float64[5000]', d: 'float64[5000]', m: 'bool[5000]'):\n"
        "    gap = p[m] - d[m]\n    return np.sqrt(np.mean(gap * gap)), gap.max()\n",
        ["5000|element & 5000|element & 5000|element -> 1|shared"] * 2, 4 * 5000,
    ),
    "chosen_into_chosen": (
        "def f(p: 'float64[5000]', d: 'float64[5000]', m: 'bool[5000]'):\n    p[m] = 0.5 * p[m] + d[m]\n    return p\n",
        ["5000|element & 5000|element & 5000|element -> 5000|element"], 2 * 5000,
    ),
    "rows_of_chosen": (
        "def f(x: 'float64[4000, 3]', y: 'float64[4000, 3]', m: 'bool[4000]'):\n"
        "    return (x[m] * y[m]).sum(axis=0)\n",
        ["4000x3|tile(4000x1) & 4000x3|tile(4000x1) & 4000|full -> 3|element"], 2 * 12000,
    ),
}  # fmt: skip


REFUSED = {
    "products": "p[m] * q[m]", "conditions_that_differ": "(p[m] * q[n]).sum()", "dots": "p[m] @ q[n]",
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_conditions_choose_is_refused(name: str) -> None:
    code = "def f(p: 'float64[50]', q: 'float64[50]', m: 'bool[50]', n: 'bool[50]'):\n"
    with pytest.raises(SourceError, match="how many elements a condition chooses"):
        classify_text(f"import numpy as np\n{code}    return {REFUSED[name]}\n", "python", function="f")


@pytest.mark.parametrize("name", CASES)
def test_ways_that_say_the_same(name: str) -> None:
    code, wanted, operations = CASES[name]
    found = classify_text(f"import numpy as np\n{code}", "python", function="f")
    classes = [str(f.found) for f in found]
    assert len(found) == len(wanted), classes
    assert all(are_alike(f.found, parse_class(w), 0.02) for f, w in zip(found, wanted, strict=True)), classes
    assert sum(f.operations for f in found) == pytest.approx(operations, rel=0.05)


NEIGHBOURS = (
    "import numpy as np\nfrom numba import njit\n@njit\ndef f(z: 'float64[90, 110]', out: 'float64[90, 110]'):\n"
    "    for i in range(1, 89):\n        for j in range(1, 109):\n            s = 0.0\n"
    "            for di in (-1, 0, 1):\n"
    "                for dj in (-1, 0, 1):\n                    if di == 0 and dj == 0:\n"
    "                        continue\n                    s += z[i + di, j + dj]\n            out[i, j] = s\n"
)


def test_numbers_of_a_list_decide_a_branch() -> None:
    (found,) = classify_text(NEIGHBOURS, "python", function="f")
    assert found.operations == pytest.approx(8 * 88 * 108)


OF_ELEMENTS = (
    "import numpy as np\nfrom numba import vectorize, float64, guvectorize\n"
    "@vectorize([float64(float64, float64)])\ndef f(t, d):\n    s = t - 3.0\n    return s * s + 0.5 * d * d\n"
    "@guvectorize(['void(float64[:], float64[:], float64[:])'], '(n),(n)->()')\n"
    "def g(c, z, out):\n    s = 0.0\n    for k in range(z.shape[0]):\n        s += z[k] * c[k]\n    out[0] = s\n"
    "z = np.ones(80)\nx = f(np.ones((600, 80)), z)\ny = g(x, z)\n"
)


def test_functions_of_elements_take_nothing_from_each_other() -> None:
    """What depends on a row's place alone each element computes; an array that is given once is one for all rows."""
    (found,) = classify_text(OF_ELEMENTS, "python", function="f")
    assert found.operations == 5 * 48000
    (rows,) = classify_text(OF_ELEMENTS, "python", function="g")
    assert are_alike(rows.found, parse_class("600x80|tile(1x80) & 80|full -> 600|element"), 0.02)


SIZES = (
    "import numpy as np\nclass Base:\n    ROWS = 600\nclass Grid(Base):\n    COLUMNS = 80\n    def __init__(self):\n"
    "        r = np.random.default_rng(1)\n        self.a = r.random((self.ROWS, self.COLUMNS))\n"
    "        self.m = np.diag([1.0] * self.COLUMNS)\n"
    "def f(x, y):\n    return x @ y.T\ng = Grid()\nf(np.diff(g.a, axis=1, prepend=0), g.m)\n"
)


def test_sizes_that_classes_and_calls_state() -> None:
    (found,) = classify_text(SIZES, "python", function="f")
    assert are_alike(found.found, parse_class("600x80|tile(1x80) & 80x80|tile(1x80) -> 600x80|element"), 0.02)


UNKNOWN = """
import numpy as np
import loaders
def f(x, by):
    for k in range(3):
        x[k] *= by
f(np.ones((600, 80)), loaders.load("table"))
"""


def test_what_a_call_does_not_say_is_refused() -> None:
    with pytest.raises(SourceError, match="what is handed over as by"):
        classify_text(UNKNOWN, "python", function="f")
    assert classify_text(UNKNOWN, "python", {"by": 3}, function="f")
