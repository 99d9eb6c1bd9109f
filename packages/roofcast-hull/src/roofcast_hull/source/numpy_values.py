"""What functions of NumPy give where a file calls its own functions: shapes and types of arrays, no elements."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


class UnknownError(Exception):
    """A value that the file does not state."""


BYTES = {"float16": 2, "bfloat16": 2, "float32": 4, "float64": 8, "int8": 1, "uint8": 1, "int16": 2, "int32": 4,
         "int64": 8, "bool": 1, "half": 2, "float": 4, "double": 8, "long": 8, "int": 4,
         "float8_e4m3fn": 1, "float8_e5m2": 1, "float8_e4m3fnuz": 1, "float8_e5m2fnuz": 1}  # fmt: skip
COMPLEX = {"complex64": "float32", "complex128": "float64"}
"""Types of complex numbers and of their parts."""
SPELLED = {"float": "float64", "double": "float64", "int": "int64", "long": "int64", "half": "float16",
           "complex": "complex128", "uint16": "int16", "uint32": "int32", "uint64": "int64", "bool_": "bool",
           "single": "float32", "intp": "int64", "f4": "float32", "f8": "float64", "i4": "int32", "i8": "int64",
           "u1": "uint8"}  # fmt: skip
"""Types of NumPy's arrays by names that stand for others."""
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "tau": math.tau}
ELEMENTWISE = frozenset(
    [
    "sin", "cos", "tan", "exp", "log", "sqrt", "abs", "absolute", "tanh", "arctan", "arcsin", "arccos", "sinh",
    "cosh", "square", "sign", "log1p", "expm1", "log2", "log10", "exp2", "arctan2", "hypot", "maximum", "minimum",
    "clip", "where", "round", "rint", "floor", "ceil", "trunc", "power", "add", "subtract", "multiply", "divide",
    "negative", "mod", "fmod", "floor_divide", "true_divide", "reciprocal", "cbrt", "fmax", "fmin", "radians",
    "degrees", "deg2rad", "rad2deg", "heaviside", "copysign", "nan_to_num", "bitwise_and", "bitwise_or",
    "bitwise_xor", "left_shift", "right_shift", "sigmoid", "erf", "conj", "conjugate"
    ]
)  # fmt: skip
CONDITIONS = frozenset(
    [
    "isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit", "logical_and", "logical_or", "logical_not",
    "logical_xor", "greater", "less", "equal", "greater_equal", "less_equal", "not_equal", "isclose"
    ]
)  # fmt: skip
"""Functions whose values are conditions."""
KEPT = frozenset(
    [
    "roll", "flip", "fliplr", "flipud", "sort", "argsort", "tril", "triu", "fftshift", "ifftshift"
    ]
)  # fmt: skip
DRAWN = frozenset(["normal", "uniform", "exponential", "gamma", "lognormal", "beta", "laplace", "rayleigh"])
DRAWN_WHOLE = frozenset(["poisson", "binomial", "geometric"])
"""Random numbers, and whole ones, whose parameters may be arrays."""
ADDING = frozenset(
    [
    "sum", "mean", "max", "min", "prod", "amax", "amin", "any", "all", "norm", "var", "std", "nansum", "nanmean",
    "median", "argmax", "argmin", "count_nonzero", "ptp", "average", "nanmax", "nanmin"
    ]
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Tensor:
    """Shape and element type of a tensor, contiguous unless it is a view of another one."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    strides: tuple[int, ...] = ()
    """Of a view with its dimensions in another order; empty for others."""

    @property
    def elements(self) -> int:
        """How many elements it has."""
        return math.prod(self.shape)

    def stride(self, at: int) -> int:
        """Elements from one index of a dimension to the next."""
        at = at % len(self.shape)
        return self.strides[at] if self.strides else math.prod(self.shape[at + 1 :])

    def permute(self, order: Sequence[int]) -> Tensor:
        """A view of it with its dimensions in another order."""
        shape, steps = (tuple(f(k) for k in order) for f in (self.shape.__getitem__, self.stride))
        plain = Tensor(shape, self.dtype)
        return plain if all(plain.stride(n) == s for n, s in enumerate(steps)) else Tensor(shape, self.dtype, steps)

    def lay_out(self) -> tuple[int, ...]:
        """Its shape as it lies in memory."""
        order = sorted(range(len(self.shape)), key=lambda n: (-self.stride(n), n))
        return tuple(self.shape[n] for n in order)


def spread(shapes: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """The shape of arrays beside each other.

    >>> spread([(3, 1), (4,)])
    (3, 4)
    """
    rank = max(map(len, shapes), default=0)
    sizes = []
    for at in range(-rank, 0):
        several = {s[at] for s in shapes if len(s) >= -at} - {1}
        if len(several) > 1:
            raise UnknownError
        sizes.append(several.pop() if several else 1)
    return tuple(sizes)


def promote_types(values: Sequence[Any]) -> str:
    """The type that arrays of several types are computed in; numbers of Python change none but whole ones and bits."""
    types = [v.dtype for v in values if isinstance(v, Tensor)]
    wide = [t for t in types if t in COMPLEX]
    if wide or any(isinstance(v, complex) for v in values):
        return "complex64" if wide and all(t in ("complex64", "float32", "float16") for t in types) else "complex128"
    real = [t for t in types if t.startswith(("float", "bfloat", "half", "double"))]
    whole = [t for t in types if t not in real]
    if not real:
        if any(type(v) is float for v in values):
            return "float64"
        return max(whole, key=lambda t: (BYTES.get(t, 8), t != "bool"))
    largest = max(real, key=lambda t: BYTES.get(t, 8))
    return "float64" if any(BYTES.get(t, 8) >= 4 for t in whole) and largest != "bfloat16" else largest


def combine(values: Sequence[Any], dtype: str = "") -> Tensor:
    """An operation of arrays and numbers, element by element."""
    if any(not isinstance(v, (Tensor, int, float, complex)) for v in values):
        raise UnknownError
    shape = spread([v.shape for v in values if isinstance(v, Tensor)])
    return Tensor(shape, dtype or promote_types(values))


def multiply_matrices(left: Tensor, right: Tensor) -> Tensor:
    """``a @ b``."""
    if not left.shape or not right.shape or left.shape[-1] != right.shape[-2 if len(right.shape) > 1 else 0]:
        raise UnknownError
    batch = spread([left.shape[:-2], right.shape[:-2]])
    columns = right.shape[-1:] if len(right.shape) > 1 else ()
    return Tensor((*batch, *left.shape[-2:-1], *columns), promote_types([left, right]))


def take(whole: Tensor, items: Sequence[Any]) -> Tensor:
    """``a[1:-1, None, k]``: items are slices, ``None``, ``...``, whole numbers and arrays of them."""
    taken = sum(1 for i in items if i is not None and i is not Ellipsis)
    if taken > len(whole.shape) or any(isinstance(i, Tensor) and i.dtype == "bool" for i in items):
        raise UnknownError
    rest = items.index(Ellipsis) if Ellipsis in items else len(items)
    every = [*items[:rest], *[slice(None)] * (len(whole.shape) - taken), *items[rest + 1 :]]
    sizes, shape = iter(whole.shape), list[int]()
    chosen = [i for i in every if isinstance(i, Tensor)]
    for item in every:
        if item is None:
            shape.append(1)
        elif isinstance(item, slice):
            shape.append(len(range(*item.indices(next(sizes)))))
        else:
            next(sizes)
            if isinstance(item, Tensor) and item is chosen[0]:
                shape += spread([c.shape for c in chosen])
    return Tensor(tuple(shape), whole.dtype)


def read_axes(value: Any, rank: int) -> list[int] | None:
    """Axes that a call names, counted from the first; None where it names none."""
    if value is None:
        return None
    axes = value if isinstance(value, tuple) else (value,)
    if not all(type(a) is int and -rank <= a < rank for a in axes):
        raise UnknownError
    return [a % rank for a in axes]


def reduce(name: str, own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``a.sum(axis=1, keepdims=True)``."""
    axis = named.get("axis", given[0] if given and name != "norm" else None)
    axes = read_axes(axis, len(own.shape))
    axes = list(range(len(own.shape))) if axes is None else axes
    keep = named.get("keepdims", False)
    shape = tuple(1 if a in axes else n for a, n in enumerate(own.shape) if keep or a not in axes)
    dtype = {"argmax": "int64", "argmin": "int64", "count_nonzero": "int64", "any": "bool", "all": "bool"}.get(name, "")
    whole = not own.dtype.startswith(("float", "complex", "bfloat"))
    usual = "float64" if whole and name in ("mean", "var", "std", "norm", "average") else own.dtype
    return Tensor(shape, dtype or ("int64" if whole and name in ("sum", "prod") else usual))


def join(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``np.stack((a, b), axis=1)``, ``np.concatenate``."""
    parts = given[0]
    if not isinstance(parts, tuple) or not parts or not all(isinstance(p, Tensor) for p in parts):
        raise UnknownError
    rank = len(parts[0].shape)
    axis = named.get("axis", given[1] if len(given) > 1 else None)
    if name == "stack" or (rank == 1 and name in ("vstack", "column_stack")):
        at = (axis or 0) % (rank + 1) if name == "stack" else 0 if name == "vstack" else 1
        shape = (*parts[0].shape[:at], len(parts), *parts[0].shape[at:])
        return Tensor(shape, promote_types(parts))
    usual = {"hstack": min(1, rank - 1), "column_stack": 1, "vstack": 0}.get(name, 0)
    at = (usual if axis is None else axis) % rank
    size = sum(p.shape[at] for p in parts)
    return Tensor((*parts[0].shape[:at], size, *parts[0].shape[at + 1 :]), promote_types(parts))


def pad(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``np.pad(a, ((1, 1), (0, 0)))``."""
    width = list_widths(named.get("pad_width", given[0] if given else None), len(own.shape))
    return Tensor(tuple(n + a + b for n, (a, b) in zip(own.shape, width, strict=True)), own.dtype)


def list_widths(width: Any, rank: int) -> list[tuple[int, int]]:
    """Elements that are added before and behind each dimension."""
    if type(width) is int:
        return [(width, width)] * rank
    if isinstance(width, tuple) and len(width) == 2 and all(type(w) is int for w in width):
        return [width] * rank
    if isinstance(width, tuple) and all(isinstance(w, tuple) and len(w) == 2 for w in width):
        several = list(width) * rank if len(width) == 1 else list(width)
        if len(several) == rank and all(type(n) is int for w in several for n in w):
            return several
    raise UnknownError


def slide(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``sliding_window_view(a, w, axis)``."""
    width = named.get("window_shape", given[0] if given else None)
    widths = width if isinstance(width, tuple) else (width,)
    axes = read_axes(named.get("axis", given[1] if len(given) > 1 else None), len(own.shape))
    axes = list(range(len(own.shape))) if axes is None else axes
    shape = list(own.shape)
    for axis, wide in zip(axes, widths, strict=True):
        shape[axis] -= wide - 1
    return Tensor((*shape, *widths), own.dtype)


def mesh(given: Sequence[Any], named: Mapping[str, Any]) -> tuple[Tensor, ...]:
    """``np.meshgrid(x, y, indexing="ij")``."""
    if not all(isinstance(g, Tensor) and len(g.shape) <= 1 for g in given):
        raise UnknownError
    sizes = [g.elements for g in given]
    if named.get("indexing", "xy") == "xy" and len(sizes) > 1:
        sizes[:2] = sizes[1::-1]
    return tuple(Tensor(tuple(sizes), g.dtype) for g in given)


def repeat(name: str, own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``np.repeat(a, 2, axis=0)``, ``np.tile(a, (2, 3))``."""
    count = named.get("repeats", named.get("reps", given[0] if given else None))
    if name == "repeat":
        axes = read_axes(named.get("axis", given[1] if len(given) > 1 else None), len(own.shape))
        if type(count) is not int:
            raise UnknownError
        if axes is None:
            return Tensor((own.elements * count,), own.dtype)
        return Tensor(tuple(n * count if a in axes else n for a, n in enumerate(own.shape)), own.dtype)
    counts = count if isinstance(count, tuple) else (count,)
    if not all(type(c) is int for c in counts):
        raise UnknownError
    rank = max(len(counts), len(own.shape))
    sizes = zip((1,) * (rank - len(counts)) + counts, (1,) * (rank - len(own.shape)) + own.shape, strict=True)
    return Tensor(tuple(a * b for a, b in sizes), own.dtype)


def list_array(value: Any) -> Tensor:
    """``np.array([[1.0, 2.0], [3.0, 4.0]])``."""
    if isinstance(value, Tensor):
        return value
    if not isinstance(value, tuple) or not value:
        raise UnknownError
    if all(isinstance(v, (int, float, type(None))) for v in value) and set(value) != {None}:
        # Beside numbers stands another number, whatever it is.
        return Tensor((len(value),), "float64" if any(type(v) is not int for v in value) else "int64")
    parts = [list_array(v) for v in value]
    if len({p.shape for p in parts}) > 1:
        raise UnknownError
    return Tensor((len(parts), *parts[0].shape), promote_types(parts))


def count_bins(named: Mapping[str, Any], given: Sequence[Any]) -> Tensor:
    """``np.bincount(a, minlength=256)``: as many as the file states."""
    least = named.get("minlength", given[2] if len(given) > 2 else None)
    if type(least) is not int:
        raise UnknownError
    return Tensor((least,), "float64" if "weights" in named else "int64")


def transpose(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``a.transpose(0, 2, 1)``."""
    axes = named.get("axes", given[0] if len(given) == 1 and isinstance(given[0], tuple) else tuple(given))
    chosen = read_axes(axes, len(own.shape)) if axes else list(range(len(own.shape)))[::-1]
    return Tensor(tuple(own.shape[a] for a in chosen or ()), own.dtype)


def difference(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``np.diff(a, axis=0)``."""
    axis = (read_axes(named.get("axis", given[1] if len(given) > 1 else -1), len(own.shape)) or [-1])[0]
    axis %= len(own.shape)
    added = [named.get(n) for n in ("prepend", "append")]
    more = sum(v.shape[axis] if isinstance(v, Tensor) and v.shape else v is not None for v in added)
    times = named.get("n", given[0] if given else 1)
    if type(times) is not int:
        raise UnknownError
    return Tensor(tuple(n - times + more if a == axis else n for a, n in enumerate(own.shape)), own.dtype)


def transform(name: str, own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``np.fft.rfft(x, n, axis=1)``."""
    chosen = named.get("axis", given[1] if len(given) > 1 else -1)
    axis = (read_axes(chosen, len(own.shape)) or [-1])[0] % len(own.shape)
    part = "float32" if own.dtype in ("float32", "complex64") else "float64"
    length = named.get("n", given[0] if given else None)
    if (length is not None and type(length) is not int) or named.get("s") is not None:
        raise UnknownError
    size = length or (2 * (own.shape[axis] - 1) if name == "irfft" else own.shape[axis])
    size = size // 2 + 1 if name == "rfft" else size
    shape = tuple(size if a == axis else n for a, n in enumerate(own.shape))
    return Tensor(shape, part if name == "irfft" else f"complex{2 * int(part[5:])}")


OF_ARRAY: dict[str, Callable[[Tensor, Sequence[Any], Mapping[str, Any]], Any]] = {
    "pad": pad, "transpose": transpose, "diff": difference,
    "repeat": lambda own, given, named: repeat("repeat", own, given, named),
    "tile": lambda own, given, named: repeat("tile", own, given, named),
    "squeeze": lambda own, given, named: Tensor(tuple(n for n in own.shape if n > 1), own.dtype),
    "ravel": lambda own, given, named: Tensor((own.elements,), own.dtype),
    "bincount": lambda own, given, named: count_bins(named, given),
    "gradient": lambda own, given, named: (own,) * len(own.shape) if len(own.shape) > 1 else own,
    "outer": lambda own, given, named: Tensor((own.elements, given[0].elements), promote_types([own, given[0]])),
    "dot": lambda own, given, named: multiply_matrices(own, given[0]),
    "matmul": lambda own, given, named: multiply_matrices(own, given[0]),
    "cross": lambda own, given, named: combine([own, given[0]]),
    "expand_dims": lambda own, given, named: expand(own, named.get("axis", given[0] if given else 0)),
    "rot90": lambda own, given, named: Tensor((own.shape[1], own.shape[0], *own.shape[2:]), own.dtype),
    "inv": lambda own, given, named: own, "cholesky": lambda own, given, named: own,
    "solve": lambda own, given, named: Tensor(given[0].shape, promote_types([own, given[0]])),
    "sliding_window_view": slide,
    "angle": lambda own, given, named: Tensor(own.shape, COMPLEX.get(own.dtype, own.dtype)),
}  # fmt: skip
"""Functions and methods of one array, by their names: the array, other arguments, those with names."""


def expand(own: Tensor, axis: Any) -> Tensor:
    """``np.expand_dims(a, 0)``."""
    if type(axis) is not int:
        raise UnknownError
    at = axis % (len(own.shape) + 1)
    return Tensor((*own.shape[:at], 1, *own.shape[at:]), own.dtype)


def compute(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a function of NumPy gives; of a method its array stands first.

    Raises
    ------
    UnknownError : that is not known.
    """
    if name in ("stack", "concatenate", "vstack", "hstack", "column_stack"):
        return join(name, given, named)
    if name in ("array", "asarray", "asanyarray") and given and isinstance(given[0], (tuple, Tensor)):
        listed = list_array(given[0])
        stated = next((g for g in given[1:] if isinstance(g, str) and g in BYTES), listed.dtype)
        return Tensor(listed.shape, named.get("dtype") or stated)
    if name == "meshgrid":
        return mesh(given, named)
    if name in ELEMENTWISE:
        several = any(isinstance(g, Tensor) for g in given)
        return compute_elements(name, given) if several else compute_number(name, given)
    if name in DRAWN | DRAWN_WHOLE and any(isinstance(g, Tensor) for g in given):
        return combine(given, "int64" if name in DRAWN_WHOLE else "float64")
    if name in CONDITIONS:
        return combine(given, "bool")
    if not given or not isinstance(given[0], Tensor):
        several = any(isinstance(g, Tensor) for g in given) and isinstance(getattr(np, name, None), np.ufunc)
        return ask_function(name, "", given, named) if several else ask_numpy(name, given, named)
    return compute_array(name, given[0], given[1:], named)


def compute_elements(name: str, given: Sequence[Any]) -> Tensor:
    """What a function of elements gives."""
    if name == "where" and len(given) != 3:
        raise UnknownError
    given = [g for g in given if g is not None or name != "clip"]
    values = given[1:] if name == "where" else given
    plain = promote_types(values) if any(isinstance(v, Tensor) for v in values) else "float64"
    return combine(given, COMPLEX.get(plain, plain) if name in ("abs", "absolute") else plain)


def compute_number(name: str, given: Sequence[Any]) -> Any:
    """What a function of elements gives for numbers: ``np.cos(0.2)``.

    Raises
    ------
    UnknownError : some of them are not known, or it is none of NumPy's.
    """
    function = getattr(np, name, None)
    if function is None or not all(isinstance(g, (int, float)) for g in given):
        raise UnknownError
    with np.errstate(all="ignore"):
        value = function(*given)
    return value.item() if isinstance(value, np.generic) else value


def compute_array(name: str, own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a function of one array gives. given : its arguments behind it."""
    if name in ADDING:
        return reduce(name, own, given, named)
    if name in ("fft", "ifft", "rfft", "irfft", "fft2", "ifft2", "fftn", "ifftn"):
        return transform(name, own, given, named)
    if name in KEPT:
        return own
    if name in ("cumsum", "cumprod"):
        flat = read_axes(named.get("axis", given[0] if given else None), len(own.shape)) is None
        return Tensor((own.elements,) if flat else own.shape, own.dtype)
    if name not in OF_ARRAY:
        if isinstance(getattr(np, name, None), np.ufunc):
            return ask_function(name, "", [own, *given], named)
        return ask_numpy(name, [own, *given], named)
    return OF_ARRAY[name](own, given, named)


SHAPED = frozenset(
    ["einsum", "tensordot", "diag", "diagonal", "trace", "swapaxes", "moveaxis", "rollaxis", "broadcast_to", "take",
     "take_along_axis", "cross", "kron", "inner", "vdot", "convolve", "correlate", "interp", "searchsorted", "digitize",
     "median", "nanmedian", "percentile", "quantile", "nanpercentile", "nanquantile", "partition", "argpartition",
     "trapezoid", "trapz", "cov", "corrcoef", "append", "insert", "delete", "split", "array_split", "hsplit", "vsplit",
     "dstack", "block", "atleast_1d", "atleast_2d", "atleast_3d", "select", "choose", "piecewise", "clip", "real",
     "imag", "unwrap", "nancumsum", "nancumprod", "nanvar", "nanstd", "nanprod", "nanargmax", "nanargmin", "vander",
     "polyval", "ediff1d", "tri", "fill_diagonal", "unpackbits", "packbits", "isin", "sinc", "logaddexp", "gcd", "lcm",
     "ldexp", "modf", "frexp", "divmod", "signbit", "matvec", "vecdot", "broadcast_arrays", "resize", "vecmat",
     "heaviside", "reshape", "argsort", "lexsort", "roll", "outer", "fabs", "positive", "float_power", "nextafter"]
)  # fmt: skip
"""Functions of which NumPy itself says the shapes and types of what they give, whatever the elements are."""
MOST_ASKED = 16_000_000
"""Elements of arrays that NumPy is asked about."""


def ask_numpy(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a function of NumPy gives of arrays of zeros, which share one element each.

    Raises
    ------
    UnknownError : it is none of those that are asked, arrays are too large, or it does not take them.
    """
    function = getattr(np, name, None)
    if name not in SHAPED or function is None or count_asked([*given, *named.values()]) > MOST_ASKED:
        raise UnknownError
    return call_numpy(function, given, named)


def call_numpy(function: Callable[..., Any], given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a function gives of arrays of zeros, as shapes and types.

    Raises
    ------
    UnknownError : it does not take them.
    """
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            values = function(*map(make_dummy, given), **{n: make_dummy(v) for n, v in named.items()})
    except (ValueError, TypeError, IndexError, ArithmeticError) as error:
        raise UnknownError from error
    return describe(values)


def count_asked(values: Sequence[Any]) -> int:
    """Elements of all arrays among values."""
    return sum(v.elements if isinstance(v, Tensor) else count_asked(v) if isinstance(v, tuple) else 0 for v in values)


def ask_function(name: str, method: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a function of elements gives, ``np.bitwise_count(a)``, or a method of one, ``np.add.reduce(a, axis=1)``.

    Raises
    ------
    UnknownError : NumPy has no such function, or it does not take them.
    """
    function = getattr(np, name, None)
    if not isinstance(function, np.ufunc) or method not in ("", "reduce", "accumulate", "reduceat", "outer"):
        raise UnknownError
    arrays = [g for g in given if isinstance(g, Tensor)]
    if not arrays or any(g is None for g in given):
        raise UnknownError
    if method == "reduce":
        # Along the first axis where it is told none.
        return give_type(reduce("max", arrays[0], (), {"axis": 0} | dict(named)), name, method, arrays)
    if method == "accumulate":
        return give_type(arrays[0], name, method, arrays)
    if method == "reduceat":
        axis = (read_axes(named.get("axis", 0), len(arrays[0].shape)) or [0])[0]
        at = given[1]
        places = at.elements if isinstance(at, Tensor) else len(at)
        whole = arrays[0].shape
        return give_type(Tensor((*whole[:axis], places, *whole[axis + 1 :]), arrays[0].dtype), name, method, arrays)
    shapes = [g.shape if isinstance(g, Tensor) else () for g in given]
    shape = shapes[0] + shapes[-1] if method == "outer" else spread(shapes)
    kinds = call_numpy(function, [Tensor((1,), g.dtype) if isinstance(g, Tensor) else g for g in given], {})
    several = kinds if isinstance(kinds, tuple) else (kinds,)
    results = tuple(Tensor(shape, k.dtype) for k in several)
    return results if isinstance(kinds, tuple) else results[0]


def give_type(shaped: Tensor, name: str, method: str, arrays: Sequence[Tensor]) -> Tensor:
    """What a method of a function of elements gives, in the type that NumPy has it in."""
    act = getattr(getattr(np, name), method)
    given: list[Any] = [Tensor((1,), arrays[0].dtype)]
    result: Tensor = call_numpy(act, [*given, (0,)] if method == "reduceat" else given, {})
    return Tensor(shaped.shape, result.dtype)


def make_dummy(value: Any) -> Any:
    """A value with an array of zeros for each shape and type in it."""
    if isinstance(value, tuple):
        return [make_dummy(v) for v in value] if any(isinstance(v, (Tensor, tuple)) for v in value) else value
    if not isinstance(value, Tensor):
        return value
    if not hasattr(np, value.dtype):
        raise UnknownError
    return np.broadcast_to(np.zeros((), getattr(np, value.dtype)), value.shape)


def describe(value: Any) -> Any:
    """Shapes and types of what NumPy gave; of a number only that it is one."""
    if isinstance(value, (tuple, list)):
        return tuple(describe(v) for v in value)
    if not isinstance(value, (np.ndarray, np.generic, int, float)):
        raise UnknownError
    array = np.asarray(value)
    kind = SPELLED.get(array.dtype.name, array.dtype.name)
    return Tensor(array.shape, kind)
