"""What functions of Torch and methods of its tensors give: shapes and types, no elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roofcast_hull.source.numpy_values import (
    ADDING,
    BYTES,
    COMPLEX,
    ELEMENTWISE,
    SPELLED,
    Tensor,
    UnknownError,
    compute,
    compute_array,
    compute_elements,
    compute_number,
    multiply_matrices,
)

MAKERS = {"empty": "", "zeros": "", "ones": "", "rand": "", "randn": "", "full": "", "arange": "int64",
          "randint": "int64", "device_array": "",
          "pinned_array": "", "managed_array": "", "mapped_array": ""}  # fmt: skip


LIKE = ("empty_like", "zeros_like", "ones_like", "rand_like", "randn_like", "full_like", "clone", "contiguous", "cuda",
        "copy", "asarray", "ascontiguousarray", "to_device",
        "device_array_like", "copy_to_host", "copy_to_device", "Parameter", "detach", "requires_grad_")  # fmt: skip


def make_tensor(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``torch.empty(n, m, dtype=...)``."""
    sizes = named.get("size")
    if sizes is None:
        sizes = given[2] if name == "randint" and len(given) > 2 else given[1] if name == "randint" else given
        sizes = given[:1] if name in ("arange", "full") else sizes
    if len(sizes) == 1 and isinstance(sizes[0], tuple):
        sizes = sizes[0]
    if not all(isinstance(s, int) for s in sizes):
        raise UnknownError
    dtype = named.get("dtype") or MAKERS[name] or "float32"
    return Tensor(tuple(sizes), dtype)


def transpose(own: Tensor, one: int, other: int) -> Tensor:
    """A view with two dimensions exchanged."""
    order = list(range(len(own.shape)))
    order[one], order[other] = order[other], order[one]
    return own.permute(order)


VIEWS = ("transpose", "swapaxes", "permute", "t", "unsqueeze", "squeeze", "expand")
"""Methods of a tensor that give others of its elements, which Torch has as functions too."""


COUNTED: dict[str, Callable[[Tensor], Any]] = {
    "numel": lambda x: x.elements, "nelement": lambda x: x.elements, "dim": lambda x: len(x.shape),
    "ndimension": lambda x: len(x.shape), "element_size": lambda x: BYTES[x.dtype],
    "is_contiguous": lambda x: not x.strides,
    **dict.fromkeys(("cuda", "detach", "requires_grad_", "Parameter", "clone"), lambda x: x),
}  # fmt: skip
"""Methods of a tensor without arguments."""


def view_tensor(own: Tensor, name: str, given: Sequence[Any]) -> Tensor:
    """``x.transpose(1, 2)``, ``x.permute(0, 2, 1)``, ``x.t()``, ``x.unsqueeze(0)``."""
    if name in ("transpose", "swapaxes"):
        return transpose(own, given[0], given[1])
    if name == "t":
        return transpose(own, 0, -1)
    if name == "permute":
        return own.permute(given[0] if isinstance(given[0], tuple) else given)
    if own.strides:
        raise UnknownError
    shape = list(own.shape)
    if name == "unsqueeze":
        shape.insert(given[0] % (len(shape) + 1), 1)
    elif name == "squeeze":
        shape = [s for n, s in enumerate(shape) if s != 1 or (given and n != given[0] % len(shape))]
    else:
        raise UnknownError
    return Tensor(tuple(shape), own.dtype)


def call_torch(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a function of Torch gives."""
    if name == "randperm":
        return Tensor((int(given[0]),), named.get("dtype") or "int64")
    if name in TRANSFORMED and given and isinstance(given[0], Tensor):
        return transform(name, given[0], given[1] if len(given) > 1 else named.get("n"))
    if name in ("tensor", "as_tensor") and given and not isinstance(given[0], Tensor):
        return list_tensor(given[0], named.get("dtype"))
    if name == "outer" and len(given) == 2 and all(isinstance(g, Tensor) for g in given):
        return Tensor((given[0].elements, given[1].elements), given[0].dtype)
    if given and isinstance(given[0], tuple) and name in ("cat", "stack"):
        return compute("concatenate" if name == "cat" else name, given, rename_axes(named))
    if name in ELEMENTWISE and given and not any(isinstance(g, Tensor) for g in given):
        return compute_number(name, given)
    return ask_tensor(given[0] if given else None, name, given[1:], named)


TRANSFORMED = ("rfft", "irfft", "fft", "ifft", "view_as_real", "view_as_complex")
"""Functions of tensors that make complex numbers, or take them apart."""


def transform(name: str, own: Tensor, length: Any) -> Tensor:
    """What a transform along the last dimension gives, and complex numbers as pairs of real ones."""
    wide = "complex128" if own.dtype in ("float64", "complex128") else "complex64"
    real, last = COMPLEX[wide], own.shape[-1]
    if name == "view_as_real":
        return Tensor((*own.shape, 2), real)
    if name == "view_as_complex":
        return Tensor(own.shape[:-1], wide)
    if not isinstance(length, int):
        length = 2 * (last - 1) if name == "irfft" else last
    frequencies = length // 2 + 1 if name == "rfft" else length
    return Tensor((*own.shape[:-1], frequencies), real if name == "irfft" else wide)


def list_tensor(values: Any, dtype: Any) -> Tensor:
    """``torch.tensor([[1, 2], [3, 4]])``."""
    shape, inner = list[int](), values
    while isinstance(inner, tuple) and inner:
        shape.append(len(inner))
        inner = inner[0]
    kind = {bool: "bool", int: "int64"}.get(type(inner), "float32")
    return Tensor(tuple(shape), dtype if isinstance(dtype, str) else kind)


def ask_tensor(own: Any, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a method of a tensor, or a function that takes one, gives."""
    if not isinstance(own, Tensor):
        raise UnknownError
    if name in COUNTED and not (given and given[0] is not own):
        return COUNTED[name](own)
    if name in LIKE or name in SAME_SHAPE:
        return Tensor(own.shape, named.get("dtype") or own.dtype)
    if name in ELEMENTWISE or name in ADDING or name in PRODUCTS:
        return compute_tensor(own, name, given, named)
    if name in ("new_empty", "new_zeros", "new_ones", "new_full", "new_tensor"):
        return make_tensor(name.removeprefix("new_"), given, {"dtype": own.dtype, **named})
    if name in VIEWS:
        return view_tensor(own, name, given)
    if name in ("stride", "size"):
        several = own.shape if name == "size" else tuple(own.stride(n) for n in range(len(own.shape)))
        return several[given[0]] if given else several
    if name in ("half", "float", "double", "bfloat16", "int", "to", "type", "astype"):
        return convert(own, name, given, named)
    if name in ("view", "reshape", "flatten"):
        sizes = given[0] if len(given) == 1 and isinstance(given[0], tuple) else tuple(given) or (-1,)
        rest = own.elements // max(1, math.prod(s for s in sizes if s > 0))
        return Tensor(tuple(rest if s == -1 else s for s in sizes), own.dtype)
    raise UnknownError


SAME_SHAPE = (
    "softmax", "log_softmax", "cumsum", "cumprod", "cummax", "cummin", "relu", "gelu", "silu", "flip", "roll", "clamp",
    "tril", "triu", "contiguous", "softplus", "layer_norm", "normalize", "masked_fill", "dropout", "clamp_", "mul_",
    "add_", "sub_", "div_", "fill_", "zero_", "normal_", "uniform_", "exponential_", "bernoulli", "sort", "argsort",
    "logsigmoid", "leaky_relu", "elu", "logit",
)  # fmt: skip
"""Functions and methods of Torch that give as many elements as they take."""


PRODUCTS = ("matmul", "mm", "bmm", "mv", "dot")


def compute_tensor(own: Tensor, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What functions of elements, sums over axes and products give."""
    if name in PRODUCTS:
        return multiply_matrices(own, given[0])
    if name in ELEMENTWISE:
        return compute_elements(name, [own, *given])
    return compute_array(name, own, given, rename_axes(named))


def rename_axes(named: Mapping[str, Any]) -> dict[str, Any]:
    """``dim`` and ``keepdim`` as NumPy calls them."""
    return {{"dim": "axis", "keepdim": "keepdims"}.get(n, n): v for n, v in named.items()}


def convert(own: Tensor, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``x.half()``, ``x.to(torch.float16)``, ``x.astype(int)``: another type, or what it was."""
    if name in ("half", "float", "double", "bfloat16", "int"):
        kinds = {"half": "float16", "float": "float32", "double": "float64", "int": "int32"}
        return Tensor(own.shape, kinds.get(name, name))
    stated = [g for g in (*given, named.get("dtype")) if isinstance(g, str)]
    if name in ("to", "type"):
        types = [g for g in stated if g in BYTES]
    else:
        types = [SPELLED.get(g, g) for g in stated if SPELLED.get(g, g) in (*BYTES, *COMPLEX)]
    return Tensor(own.shape, types[0]) if types else own
