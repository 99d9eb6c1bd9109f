"""Objects, names and arrays of host code in Python, as those who follow it hold them."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roofcast_hull.source.numpy_values import (
    BYTES,
    COMPLEX,
    SPELLED,
    Tensor,
    UnknownError,
    list_array,
)
from roofcast_hull.source.torch_values import ask_tensor

PLACES = {
    "linspace": 2, "logspace": 2, "geomspace": 2, "randint": 2, "integers": 2, "uniform": 2, "normal": 2,
    "lognormal": 2, "gamma": 2, "beta": 2, "binomial": 2, "laplace": 2, "exponential": 1, "poisson": 1, "choice": 1,
    "fromfunction": 1, "random": 0, "random_sample": 0, "standard_normal": 0, "standard_exponential": 0, "eye": 0,
    "chisquare": 1, "standard_t": 1, "rayleigh": 1, "geometric": 1, "weibull": 1, "pareto": 1, "triangular": 3,
    "vonmises": 2, "logistic": 2, "gumbel": 2, "dirichlet": 1, "multivariate_normal": 2, "standard_gamma": 1,
    "standard_cauchy": 0, "wald": 2, "zipf": 1, "negative_binomial": 2, "hypergeometric": 3,
    "identity": 0, "hanning": 0, "hamming": 0, "blackman": 0, "bartlett": 0, "permutation": 0,
    "kaiser": 0, "fftfreq": 0,
}  # fmt: skip
"""Where the shape stands among the arguments of what NumPy makes beside these."""
OF_VECTORS = ("dirichlet", "multivariate_normal")
"""Those whose first argument says how many numbers they draw each time."""
WHOLE = ("randint", "integers", "binomial", "poisson", "permutation", "geometric")
"""Those that draw whole numbers."""
TYPED = ("half", "float", "double", "bfloat16", "to")
"""Those that may change types."""


@dataclass(eq=False)
class Instance:
    """An object of a class of the file."""

    kind: ast.ClassDef
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Method:
    """A method, and what it gets before its arguments: the object, or the context of ``autograd.Function.apply``."""

    function: ast.FunctionDef
    before: tuple[Any, ...]


def forget(target: ast.expr, names: dict[str, Any]) -> None:
    """Names that no longer have the value that is known; arrays that something is added to keep shape and type."""
    held = names.get(target.id) if isinstance(target, ast.Name) else None
    if isinstance(target, ast.Attribute):
        path, at = [target.attr], target.value
        while isinstance(at, ast.Attribute):
            path, at = [at.attr, *path], at.value
        held = names.get(at.id) if isinstance(at, ast.Name) else None
        for name in path:
            held = held.fields.get(name) if isinstance(held, Instance) else None
    if not isinstance(held, Tensor):
        store(target, None, names)


def convert_module(owner: Instance, name: str, given: Sequence[Any]) -> Instance:
    """``layer.cuda().half()``: its parameters get another type."""
    for label, value in owner.fields.items():
        if isinstance(value, Tensor) and value.dtype.startswith(("float", "bfloat")):
            owner.fields[label] = ask_tensor(value, name, given, {}) if name in TYPED else value
    return owner


def find_method(owner: Any, name: str) -> Method | None:
    """A method of an object, or of a class: ``Function.apply(x)`` is ``forward(ctx, x)``, others are static."""
    kind = owner.kind if isinstance(owner, Instance) else owner
    if not isinstance(kind, ast.ClassDef):
        return None
    methods = {n.name: n for n in kind.body if isinstance(n, ast.FunctionDef)}
    if isinstance(owner, Instance):
        return Method(methods[name], (owner,)) if name in methods else None
    before: tuple[Any, ...] = (Instance(kind),) if name == "apply" else ()
    method = methods.get("forward" if name == "apply" else name)
    if method is not None and any(getattr(d, "id", "") == "classmethod" for d in method.decorator_list):
        before = (kind,)
    return Method(method, before) if method is not None else None


def store(target: ast.expr, value: Any, names: dict[str, Any]) -> None:
    """Give names their values; those of a tuple one each."""
    if isinstance(target, ast.Name):
        if value is None:
            names.pop(target.id, None)
        else:
            names[target.id] = value
    elif isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        owner = names.get(target.value.id)
        if isinstance(owner, Instance):
            store(ast.Name(target.attr), value, owner.fields)
    elif isinstance(target, (ast.Tuple, ast.List)):
        if isinstance(value, Tensor) and value.shape[:1] == (len(target.elts),):
            # A list of arrays is one of their dimensions.
            value = (Tensor(value.shape[1:], value.dtype),) * len(target.elts)
        starred = next((n for n, t in enumerate(target.elts) if isinstance(t, ast.Starred)), None)
        if starred is not None and isinstance(value, tuple) and len(value) >= len(target.elts) - 1:
            behind = len(value) - (len(target.elts) - 1 - starred)
            value = (*value[:starred], value[starred:behind], *value[behind:])
        several = isinstance(value, tuple) and len(value) == len(target.elts)
        for at, item in enumerate(target.elts):
            store(item.value if isinstance(item, ast.Starred) else item, value[at] if several else None, names)


def make_array(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``np.zeros((n, m), dtype=np.float32)``, ``rng.random((n, m))``, ``np.linspace(0, 1, n)``."""
    types = {n: SPELLED.get(v, v) for n, v in named.items() if n == "dtype"}
    if "dtype" in types and types["dtype"] not in (*BYTES, *COMPLEX):
        raise UnknownError
    behind = next((SPELLED.get(g, g) for g in given[1:] if isinstance(g, str) and (g in BYTES or g in SPELLED)), None)
    steps = name == "arange" and all(type(g) is int for g in given)
    like = list_array(given[0]).dtype if name == "choice" and given and is_listed(given[0]) else ""
    like = "int64" if name == "choice" and not like else like
    dtype = types.get("dtype") or behind or like or ("int64" if name in WHOLE or steps else "float64")
    sizes: Any = named.get("size", named.get("shape"))
    if name == "arange":
        first, last = (0, given[0]) if len(given) == 1 else given[:2]
        sizes = math.ceil((last - first) / (given[2] if len(given) > 2 and type(given[2]) is not str else 1))
    elif sizes is None and name in ("rand", "randn"):
        sizes = tuple(given)
    elif sizes is None:
        at = PLACES.get(name, 0)
        sizes = given[at] if len(given) > at else named.get("num", 50 if name == "linspace" else ())
    if name in ("eye", "identity"):
        sizes = (given[0], given[1] if len(given) > 1 and type(given[1]) is int else given[0])
    sizes = sizes if isinstance(sizes, tuple) else (sizes,)
    if name in OF_VECTORS:
        sizes = (*sizes, *(given[0].shape[:1] if isinstance(given[0], Tensor) else (len(given[0]),)))
    if not all(type(s) is int and s >= 0 for s in sizes):
        raise UnknownError
    return Tensor(sizes, dtype)


def is_listed(value: Any) -> bool:
    """Whether a value is several numbers."""
    return isinstance(value, tuple) or (isinstance(value, Tensor) and bool(value.shape))


def holds_arrays(value: Any) -> bool:
    """Whether an item of a list is an array, or several."""
    several = value if isinstance(value, tuple) else (value,)
    return bool(several) and all(isinstance(v, Tensor) and v.shape for v in several)


def is_function(value: Any) -> bool:
    """Whether a value is a function that stands inside another one."""
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], (ast.Lambda, ast.FunctionDef))
