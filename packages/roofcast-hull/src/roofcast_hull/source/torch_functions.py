"""What functions of Python, and those that ask for the device, give where a file of PyTorch is followed."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable
from typing import Any

from roofcast_hull.source.host_objects import Instance
from roofcast_hull.source.numpy_values import BYTES, Tensor, UnknownError
from roofcast_hull.source.plain_functions import MOST_ITEMS, PLAIN
from roofcast_hull.source.python_host import OPERATIONS
from roofcast_hull.source.python_syntax import last_name

PROCESSORS = 132
"""Multiprocessors of the device that is taken."""
PROPERTIES = {
    "multi_processor_count": PROCESSORS, "multiprocessor_count": PROCESSORS, "num_sms": PROCESSORS,
    "major": 9, "minor": 0, "warpSize": 32,
    "warp_size": 32, "max_shared_mem": 232_448, "shared_memory_per_block_optin": 232_448, "max_num_regs": 65_536,
    "total_memory": 85_000_000_000, "backend": "cuda", "arch": 90, "name": "NVIDIA H100", "type": "cuda",
}  # fmt: skip
"""What is taken for properties of the device that the file asks for: those of an H100."""
OF_DEVICE: dict[str, Any] = {
    "get_device_properties": PROPERTIES, "get_current_target": PROPERTIES, "get_device_capability": (9, 0),
    "is_available": True, "is_bf16_supported": True, "current_device": 0, "get_device_name": "NVIDIA H100",
    "device_count": 1, "get_num_sms": PROCESSORS, "is_grad_enabled": True, "is_compiling": False,
    "exists": False, "isfile": False,
}  # fmt: skip
"""What functions that ask for the device give."""
NAMED_TYPES = {"half": "float16", "float": "float32", "double": "float64", "int": "int32", "long": "int64"}
"""Torch's second names of element types."""
LARGEST = {"float16": 65504.0, "bfloat16": 3.3895e38, "float32": 3.4028e38, "float64": 1.7977e308,
           "float8_e4m3fn": 448.0, "float8_e5m2": 57344.0}  # fmt: skip
SMALLEST = {"float16": 9.77e-4, "bfloat16": 7.8e-3, "float32": 1.19e-7, "float64": 2.2e-16}
KINDS: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda x: isinstance(x, Tensor), "Parameter": lambda x: isinstance(x, Tensor),
    "int": lambda x: isinstance(x, int), "float": lambda x: isinstance(x, float), "bool": lambda x: type(x) is bool,
    "str": lambda x: isinstance(x, str) and x not in BYTES, "dtype": lambda x: isinstance(x, str) and x in BYTES,
    "tuple": lambda x: isinstance(x, tuple), "list": lambda x: isinstance(x, tuple),
    "Number": lambda x: type(x) in (int, float),
    "Sequence": lambda x: isinstance(x, tuple), "Iterable": lambda x: isinstance(x, tuple),
    "dict": lambda x: isinstance(x, dict),
}  # fmt: skip
"""What ``isinstance`` asks for."""


class Nothing:
    """Python's ``None``: a value that the file states."""

    def __bool__(self) -> bool:
        return False

    def __repr__(self) -> str:
        return "None"


NOTHING = Nothing()


def strip(value: Any) -> Any:
    """Python's own ``None``, for functions of tensors."""
    return None if value is NOTHING else value


def iterate(value: Any) -> tuple[Any, ...]:
    """What a loop over a value gives.

    Raises
    ------
    UnknownError : that is not known.
    """
    if isinstance(value, Tensor) and value.shape:
        return (Tensor(value.shape[1:], value.dtype, value.strides[1:]),) * min(value.shape[0], MOST_ITEMS + 1)
    if isinstance(value, dict):
        return tuple(value)
    if isinstance(value, Instance) and any(isinstance(s, ast.AnnAssign) for s in value.kind.body):
        return tuple(value.fields.values())  # of a NamedTuple
    if isinstance(value, (tuple, str)):
        return tuple(value)
    raise UnknownError


def multiply(*several: Any, repeat: int = 1) -> tuple[Any, ...]:
    """``itertools.product``."""
    parts = [iterate(s) for s in several] * repeat
    if math.prod(map(len, parts)) > MOST_ITEMS:
        raise UnknownError
    return tuple(itertools.product(*parts))


COMPUTED: dict[str, Callable[..., Any]] = {
    **{n: f for n, f in PLAIN.items() if n not in ("list", "tuple", "len", "int")},
    "list": lambda x=(): iterate(x), "tuple": lambda x=(): iterate(x), "Size": iterate,
    "set": lambda x=(): tuple(dict.fromkeys(iterate(x))), "int": lambda x=0: int(x),
    "len": lambda x: x.shape[0] if isinstance(x, Tensor) else len(x),
    "enumerate": lambda x, start=0: tuple((n + start, v) for n, v in enumerate(iterate(x))),
    "zip": lambda *x, strict=False: tuple(zip(*map(iterate, x), strict=False)), "product": multiply,
    "reversed": lambda x: iterate(x)[::-1], "round": round, "pow": math.pow, "any": any, "all": all, "str": str,
    "bool": bool, "gcd": math.gcd, "lcm": math.lcm, "isqrt": math.isqrt, "log": math.log, "exp": math.exp,
    "dict": lambda x=(), **named: {**dict(x), **named},
    "max": lambda *x, **_: max(*x), "min": lambda *x, **_: min(*x), "prod": lambda x, **_: math.prod(iterate(x)),
    "chain": lambda *x: tuple(itertools.chain(*map(iterate, x))),
    "getenv": lambda name, default=NOTHING: default, "next": lambda x, *_: iterate(x)[0], "iter": iterate,
    "finfo": lambda kind: {
        "max": LARGEST[kind], "min": -LARGEST[kind], "eps": SMALLEST.get(kind, 0.1), "bits": 8 * BYTES[kind]
    },
    "iinfo": lambda kind: {"max": 2 ** (8 * BYTES[kind] - 1) - 1, "min": -(2 ** (8 * BYTES[kind] - 1))},
    "asdict": lambda x: dict(x.fields), "vars": lambda x: dict(x.fields), "astuple": iterate,
    "replace": lambda x, **named: Instance(x.kind, {**x.fields, **named}),
    "device": lambda *x: "cuda", "namedtuple": lambda *x: NOTHING, "is_tensor": lambda x: isinstance(x, Tensor),
    "synchronize": lambda *x: NOTHING, "manual_seed": lambda *x: NOTHING, "print": lambda *x, **_: NOTHING,
}  # fmt: skip
"""Functions that are computed."""


def is_kind(value: Any, kinds: ast.expr) -> bool:
    """``isinstance(x, (int, torch.Tensor))``.

    Raises
    ------
    UnknownError : it asks for others.
    """
    nodes = kinds.elts if isinstance(kinds, ast.Tuple) else [kinds]
    names = [last_name(n) for n in nodes]
    if isinstance(value, Instance):
        return value.kind.name in names
    if any(n not in KINDS for n in names):
        raise UnknownError
    return any(KINDS[n](value) for n in names)


def compare(op: ast.cmpop, left: Any, right: Any) -> bool:
    """One comparison of values without elements.

    Raises
    ------
    UnknownError : they have elements.
    """
    if isinstance(op, (ast.Is, ast.IsNot)):
        same = left is right or (isinstance(left, (bool, str)) and left == right)
        return same is isinstance(op, ast.Is)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        raise UnknownError
    if isinstance(op, (ast.In, ast.NotIn)):
        return (left in right) is isinstance(op, ast.In)
    return bool(OPERATIONS[type(op)](left, right))
