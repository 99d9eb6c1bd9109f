"""Functions that kernels call and no file holds: mathematics, exchanges between the threads of a warp, conversions."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

from roofcast_hull.emulated.value_types import DOUBLE, FLOAT, HALF, INT, Type

WARP = 32
"""Lanes of a warp."""
CALLS: dict[str, tuple[float, float]] = {
    "div": (8.0, 18.0), "sqrt": (8.0, 18.0), "rsqrt": (4.0, 14.0), "exp": (6.0, 30.0), "log": (8.0, 40.0),
    "sin": (16.0, 50.0), "cos": (16.0, 50.0), "tanh": (16.0, 60.0), "erf": (16.0, 60.0), "pow": (30.0, 100.0),
}  # fmt: skip
"""Operations beyond the one that is counted, of a division or a call in FP32 and in FP64: what NVIDIA's compiler makes
of them without fast mathematics, rounded."""
CALL_INSTRUCTIONS: dict[str, tuple[float, float]] = {
    "div": (9.0, 24.0), "sqrt": (9.0, 22.0), "rsqrt": (5.0, 20.0), "exp": (8.0, 45.0), "log": (15.0, 60.0),
    "sin": (32.0, 70.0), "cos": (32.0, 70.0), "tanh": (18.0, 80.0), "erf": (22.0, 80.0), "pow": (60.0, 150.0),
}  # fmt: skip
"""Instructions of a warp for the same, integers, tests and branches included."""
DIVIDE_INSTRUCTIONS = {False: 20.0, True: 70.0}
"""Of a division of whole numbers by one that the compiler does not know, of 32 and of 64 bits; a remainder beside the
quotient of the same takes one more."""
DIVIDE_BY_KNOWN = 4.0
"""Of a division by a constant: a product with its inverse, and shifts."""
UPDATE_CYCLES = {False: 1.45, True: 3.6}
"""SM cycles from one update of an element to the next, of whole numbers and of those with a fraction: 4 and 8 million
threads that add to one element take 0.73 and 1.84 ns each on an H100 and an H200 (measurements/source_programs)."""
KINDS_OF_CALLS = {"exp2": "exp", "expm1": "exp", "log2": "log", "log1p": "log", "erfc": "erf"}
EXACT: dict[str, Callable[..., Any]] = {
    "sqrt": lambda x: np.sqrt(np.abs(x)), "rsqrt": lambda x: 1.0 / np.sqrt(np.abs(x) + 1e-30),
    "exp": lambda x: np.exp(np.minimum(x, 80.0)), "exp2": lambda x: np.exp2(np.minimum(x, 120.0)),
    "exp10": lambda x: 10.0 ** np.clip(x, -30.0, 30.0), "expm1": lambda x: np.expm1(np.minimum(x, 80.0)),
    "log": lambda x: np.log(np.abs(x) + 1e-30), "log2": lambda x: np.log2(np.abs(x) + 1e-30),
    "log10": lambda x: np.log10(np.abs(x) + 1e-30), "log1p": lambda x: np.log1p(np.abs(x)), "sin": np.sin,
    "cos": np.cos, "tan": np.tan, "asin": np.tanh, "acos": np.tanh, "atan": np.arctan, "atan2": np.arctan2,
    "sinh": np.tanh, "cosh": np.tanh, "tanh": np.tanh, "pow": lambda x, y: np.abs(x + 1e-30) ** np.clip(y, -20.0, 20.0),
    "cbrt": np.cbrt, "erf": np.tanh, "erfc": lambda x: 1.0 - np.tanh(x), "hypot": np.hypot, "lgamma": np.abs,
    "tgamma": np.abs, "j0": np.cos, "j1": np.sin, "y0": np.sin, "y1": np.cos, "normcdf": np.tanh,
    "sinpi": lambda x: np.sin(np.pi * x), "cospi": lambda x: np.cos(np.pi * x),
    "fdivide": lambda x, y: x / np.where(y == 0, 1, y), "frcp": lambda x: 1.0 / np.where(x == 0, 1, x),
    "fmod": lambda x, y: np.fmod(x, np.where(y == 0, 1, y)),
    "remainder": lambda x, y: np.fmod(x, np.where(y == 0, 1, y)),
    "norm3d": lambda x, y, z: np.sqrt(x * x + y * y + z * z),
    "rnorm3d": lambda x, y, z: 1.0 / np.sqrt(x * x + y * y + z * z + 1e-30),
}  # fmt: skip
"""Of several instructions. No address follows from a value here: what would leave the numbers is another number."""
PLAIN: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("fabs", "abs", "labs", "llabs"), np.abs), "floor": np.floor, "ceil": np.ceil, "round": np.round,
    "rint": np.round, "lround": np.round, "llround": np.round, "lrint": np.round, "llrint": np.round,
    "trunc": np.trunc, "nearbyint": np.round, "min": np.minimum, "max": np.maximum,
    "fmin": np.minimum, "fmax": np.maximum, "umin": np.minimum, "umax": np.maximum, "copysign": np.copysign,
    "ilogb": lambda x: np.frexp(np.abs(x) + 1e-30)[1] - 1, "logb": lambda x: np.frexp(np.abs(x) + 1e-30)[1] - 1.0,
    **dict.fromkeys(("ldexp", "scalbn", "scalbln"), lambda x, n: np.ldexp(x, np.clip(n, -60, 60).astype(int))),
    "nextafter": np.nextafter, "isnormal": np.isfinite, "isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite,
    "signbit": lambda x: x < 0,
    "saturate": lambda x: np.clip(x, 0.0, 1.0), "fdim": lambda x, y: np.maximum(x - y, 0),
}  # fmt: skip
"""Of one instruction."""
MULTIPLIED: dict[str, int] = {
    "__mulhi": 32, "__umulhi": 32, "__mul64hi": 64, "__umul64hi": 64, "__mul24": 0, "__umul24": 0,
}  # fmt: skip
"""Products of whole numbers, and the bits of them that are left out."""
SUMS: dict[str, Callable[..., Any]] = {
    "fma": lambda a, b, c: a * b + c, "mad": lambda a, b, c: a * b + c, "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "div": lambda a, b: a / np.where(b == 0, 1, b),
    "neg": lambda a: -a,
    "dp4a": lambda a, b, c: a * b + c,
}  # fmt: skip
PREFIXED = re.compile(
    r"__(?P<kind>f|d|h)(?P<name>fma|add|sub|mul|div|mad|sqrt|rcp|neg|max|min|abs|dividef|rsqrt)"
    r"(?P<pair>2)?(?:_[rs][nzudt]\w*|_sat)?"
)
CONVERSION = re.compile(
    r"__(?:\w+?)2(?P<to>float|half|half2|bfloat16|bfloat162|float2|int|uint|ll|ull|double|short|ushort)(?:_r[nzudi])?"
    r"|__(?:int|uint|float|double|longlong)_as_(?P<bits>int|float|uint|longlong|double)"
)
CONVERTED: dict[str, Type] = {
    "float": FLOAT,
    "half": HALF,
    "bfloat16": HALF,
    "int": INT,
    "uint": INT,
    "ll": INT,
    "ull": INT,
    "double": DOUBLE,
    "short": INT,
    "ushort": INT,
}
SILENT = frozenset(
    [
        "__syncwarp",
        "__threadfence",
        "__threadfence_block",
        "__threadfence_system",
        "printf",
        "assert",
        "__builtin_assume",
        "__assume",
        "__trap",
        "__nanosleep",
        "__prefetch_global_l1",
        "__prefetch_global_l2",
        "__pipeline_commit",
        "__pipeline_wait_prior",
    ]
)
SHUFFLE = re.compile(r"(?:__)?shfl(?:_(?P<kind>up|down|xor))?(?:_sync)?")


def shuffle(kind: str, values: Any, by: Any, width: int, lanes: int) -> Any:
    """Values of other lanes of a warp."""
    lane = np.arange(lanes)
    start, at = lane - lane % width, lane % width
    by = np.broadcast_to(np.asarray(by), (lanes,)).astype(np.int64)
    source = {"up": at - by, "down": at + by, "xor": at ^ by}.get(kind, by % width)
    source = np.where((source < 0) | (source >= width), at, source) + start
    return np.broadcast_to(np.asarray(values), (lanes,))[np.minimum(source, lanes - 1)]


def vote(name: str, values: Any, mask: Any) -> Any:
    """``__ballot_sync`` and its like: one value for each warp."""
    if name.startswith("__reduce"):
        return np.repeat(reduce_warps(name, np.broadcast_to(np.asarray(values), mask.shape), mask), WARP)
    held = (np.broadcast_to(np.asarray(values) != 0, mask.shape) & mask).reshape(-1, WARP)
    if "any" in name or name.endswith("_or"):
        votes = held.any(axis=1).astype(np.int64)
    elif "all" in name or name.endswith("_and"):
        votes = (held | ~mask.reshape(-1, WARP)).all(axis=1).astype(np.int64)
    elif "count" in name:
        return int(held.sum())
    else:
        votes = (held.astype(np.int64) << np.arange(WARP)).sum(axis=1)
    if name.startswith("__syncthreads"):
        return int(votes.max() if "or" in name else votes.min())
    return np.repeat(votes, WARP)


def reduce_warps(name: str, values: Any, mask: Any) -> Any:
    """``__reduce_add_sync`` and its like: one value for each warp."""
    word = name.removeprefix("__reduce_").partition("_")[0]
    joins, empty = {
        "add": (np.add, 0), "max": (np.maximum, np.iinfo(np.int64).min), "min": (np.minimum, np.iinfo(np.int64).max),
        "and": (np.bitwise_and, -1), "or": (np.bitwise_or, 0), "xor": (np.bitwise_xor, 0),
    }[word]  # fmt: skip
    return joins.reduce(np.where(mask, values, empty).reshape(-1, WARP), axis=1)


def multiply_high(left: Any, right: Any, bits: int) -> Any:
    """The upper half of a product of whole numbers."""
    if not bits:
        return left * right
    many = np.ndim(left) or np.ndim(right)
    mask = (1 << bits) - 1
    first, second = (np.atleast_1d(v).astype(object) & mask for v in (left, right))
    upper = (first * second >> bits) & ((1 << 62) - 1)
    return upper.astype(np.int64) if many else int(upper[0])


def count_bits(values: Any, name: str) -> Any:
    """``__popc``, ``__ffs``, ``__clz`` of 32 bits."""
    bits = (np.atleast_1d(np.asarray(values, dtype=np.int64) & 0xFFFFFFFF)[:, None] >> np.arange(32)) & 1
    if "popc" in name:
        counts = bits.sum(axis=1)
    elif "ffs" in name:
        counts = np.where(bits.any(axis=1), bits.argmax(axis=1) + 1, 0)
    elif "brev" in name:
        counts = (bits << np.arange(31, -1, -1)).sum(axis=1)
    else:
        counts = np.where(bits.any(axis=1), bits[:, ::-1].argmax(axis=1), 32)
    return counts if np.ndim(values) else int(counts[0])


def find_name(name: str) -> str:
    """What a function computes, whatever its precision and rounding; '' for one that is not known."""
    prefixed = PREFIXED.fullmatch(name)
    plain = name.removeprefix("__")
    known = {**EXACT, **SUMS, **PLAIN}
    for bare in (
        prefixed["name"] if prefixed else plain,
        plain,
        plain.removesuffix("f"),
        re.sub(r"f?_r[nzud]$", "", plain),
    ):
        plain_name = {"dividef": "fdivide", "rcp": "frcp"}.get(bare, bare)
        if plain_name in known:
            return plain_name
        if f"f{plain_name}" in PLAIN:
            return f"f{plain_name}"
    return ""
