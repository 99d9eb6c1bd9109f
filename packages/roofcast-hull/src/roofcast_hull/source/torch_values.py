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
    promote_types,
    spread,
)
from roofcast_hull.source.torch_views import VIEWED, expand_tensor, is_dense, stride_tensor

MAKERS = {"empty": "", "zeros": "", "ones": "", "rand": "", "randn": "", "full": "", "arange": "int64",
          "randint": "int64", "device_array": "",
          "pinned_array": "", "managed_array": "", "mapped_array": ""}  # fmt: skip


LIKE = ("empty_like", "zeros_like", "ones_like", "rand_like", "randn_like", "full_like", "clone", "contiguous", "cuda",
        "copy", "asarray", "ascontiguousarray", "to_device",
        "device_array_like", "copy_to_host", "copy_to_device", "Parameter", "detach", "requires_grad_")  # fmt: skip


def count_steps(given: Sequence[Any], named: Mapping[str, Any]) -> int:
    """How many numbers ``torch.arange(start, end, step)`` makes."""
    first, last = (0, given[0]) if len(given) == 1 else given[:2] or (named.get("start", 0), named["end"])
    steps: int = math.ceil((last - first) / (given[2] if len(given) > 2 else named.get("step", 1)))
    return steps


def make_tensor(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``torch.empty(n, m, dtype=...)``."""
    sizes = named.get("size")
    if sizes is None:
        sizes = given[2] if name == "randint" and len(given) > 2 else given[1] if name == "randint" else given
        sizes = given[:1] if name == "full" else (count_steps(given, named),) if name == "arange" else sizes
    if len(sizes) == 1 and isinstance(sizes[0], tuple):
        sizes = sizes[0]
    if not all(isinstance(s, int) for s in sizes):
        raise UnknownError
    real = name == "arange" and any(isinstance(g, float) for g in given)
    dtype = named.get("dtype") or ("float32" if real else MAKERS[name]) or "float32"
    return Tensor(tuple(sizes), dtype)


COUNTED: dict[str, Callable[[Tensor], Any]] = {
    "numel": lambda x: x.elements, "nelement": lambda x: x.elements, "dim": lambda x: len(x.shape),
    "ndimension": lambda x: len(x.shape), "element_size": lambda x: BYTES[x.dtype],
    "is_contiguous": lambda x: not x.strides,
    **dict.fromkeys(("cuda", "detach", "requires_grad_", "Parameter", "clone"), lambda x: x),
}  # fmt: skip
"""Methods of a tensor without arguments."""


def call_torch(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What a function of Torch gives."""
    if name in MADE:
        return MADE[name](given, named)
    if name in TRANSFORMED and given and isinstance(given[0], Tensor):
        return transform(name, given[0], given[1] if len(given) > 1 else named.get("n"))
    if name in ("tensor", "as_tensor") and given and not isinstance(given[0], Tensor):
        return list_tensor(given[0], named.get("dtype"))
    if name == "outer" and len(given) == 2 and all(isinstance(g, Tensor) for g in given):
        return Tensor((given[0].elements, given[1].elements), given[0].dtype)
    if given and isinstance(given[0], tuple) and name in ("cat", "stack", "concat", "hstack", "vstack"):
        return compute("concatenate" if name in ("cat", "concat") else name, given, rename_axes(named))
    if name in ELEMENTWISE and given and not any(isinstance(g, Tensor) for g in given):
        return compute_number(name, given)
    return ask_tensor(given[0] if given else None, name, given[1:], named)


MADE: dict[str, Callable[[Sequence[Any], Mapping[str, Any]], Any]] = {
    "randperm": lambda given, named: Tensor((int(given[0]),), named.get("dtype") or "int64"),
    "einsum": lambda given, named: multiply_named(given[0], given[1:]),
    "broadcast_tensors": lambda given, named: tuple(expand_tensor(g, spread([x.shape for x in given])) for g in given),
    "empty_strided": lambda given, named: stride_tensor(given[0], named.get("dtype") or "float32", given[1]),
    "linspace": lambda given, named: Tensor((int(named.get("steps", given[-1])),), named.get("dtype") or "float32"),
    "normal": lambda given, named: Tensor(tuple(named.get("size", given[-1])), named.get("dtype") or "float32"),
    "eye": lambda given, named: Tensor((given[0], given[-1]), named.get("dtype") or "float32"),
}  # fmt: skip
"""Functions that make tensors."""


def multiply_named(text: str, given: Sequence[Any]) -> Tensor:
    """``torch.einsum("bij,bjk->bik", a, b)``."""
    left, _, right = text.replace(" ", "").partition("->")
    several = given[0] if len(given) == 1 and isinstance(given[0], tuple) else given
    sizes = {c: n for t, g in zip(left.split(","), several, strict=True) for c, n in zip(t, g.shape, strict=True)}
    return Tensor(tuple(sizes[c] for c in right), promote_types(several))


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
    if (name in COUNTED and not (given and given[0] is not own)) or name in KEPT_LAYOUT:
        return COUNTED[name](own) if name in COUNTED else own
    if name in PAIRS and (given or "dim" in named) and not any(isinstance(g, Tensor) for g in given):
        values = own if name == "sort" else compute_tensor(own, name, given[-1:], named)
        return Tensor(values.shape, own.dtype), Tensor(values.shape, "int64")
    if name in LIKE or name in SAME_SHAPE:
        strides = own.strides if is_dense(own) and name.endswith(("_like", "clone")) else ()
        return Tensor(own.shape, named.get("dtype") or own.dtype, strides)
    if name in ELEMENTWISE or name in ADDING or name in PRODUCTS:
        return compute_tensor(own, name, given, named)
    if name in ("new_empty", "new_zeros", "new_ones", "new_full", "new_tensor"):
        return make_tensor(name.removeprefix("new_"), given, {"dtype": own.dtype, **named})
    if name in ("half", "float", "double", "bfloat16", "int", "to", "type", "astype"):
        return convert(own, name, given, named)
    for several in (VIEWED, REARRANGED):
        if name in several:
            return several[name](own, given, named)
    raise UnknownError


def pick(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``x.gather(1, index)``: as many elements as there are indices."""
    picked = next(g for g in (*given, *named.values()) if isinstance(g, Tensor))
    return Tensor(picked.shape, own.dtype)


def select_indices(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``x.index_select(0, index)``."""
    at = named.get("dim", given[0] if given else 0) % len(own.shape)
    return Tensor((*own.shape[:at], pick(own, given, named).elements, *own.shape[at + 1 :]), own.dtype)


def repeat_elements(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``x.repeat_interleave(4, dim=1)``."""
    number = named.get("repeats", given[0] if given else None)
    if not isinstance(number, int):
        raise UnknownError
    at = named.get("dim", given[1] if len(given) > 1 else 0) % len(own.shape)
    return Tensor((*own.shape[:at], number * own.shape[at], *own.shape[at + 1 :]), own.dtype)


def repeat(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``x.repeat(2, 1, 1)``."""
    counts = given[0] if isinstance(given[0], tuple) else given
    shape = (1,) * (len(counts) - len(own.shape)) + own.shape
    return Tensor(tuple(a * b for a, b in zip(shape, counts, strict=True)), own.dtype)


def find_largest(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> tuple[Tensor, Tensor]:
    """``x.topk(8, dim=-1)``: values and places."""
    at = named.get("dim", given[1] if len(given) > 1 else -1) % len(own.shape)
    shape = (*own.shape[:at], named.get("k", given[0] if given else 1), *own.shape[at + 1 :])
    return Tensor(shape, own.dtype), Tensor(shape, "int64")


def pad(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``F.pad(x, (1, 1, 0, 2))``: widths of the last dimension first."""
    widths = named.get("pad", given[0] if given else ())
    added = [sum(widths[2 * n : 2 * n + 2]) for n in range(len(widths) // 2)][::-1]
    ends = [0] * (len(own.shape) - len(added)) + added
    return Tensor(tuple(a + b for a, b in zip(own.shape, ends, strict=True)), own.dtype)


REARRANGED: dict[str, Callable[[Tensor, Sequence[Any], Mapping[str, Any]], Any]] = {
    "gather": pick, "take_along_dim": pick, "index_select": select_indices, "repeat_interleave": repeat_elements,
    "repeat": repeat, "tile": repeat, "topk": find_largest, "pad": pad,
    "one_hot": lambda own, given, named: Tensor((*own.shape, named.get("num_classes", (*given, 0)[0])), "int64"),
    "diagonal": lambda own, given, named: Tensor((*own.shape[:-2], min(own.shape[-2:])), own.dtype),
    "linear": lambda own, given, named: Tensor((*own.shape[:-1], given[0].shape[0]), own.dtype),
    "embedding": lambda own, given, named: Tensor((*own.shape, given[0].shape[-1]), given[0].dtype),
    "scaled_dot_product_attention": lambda own, given, named: Tensor((*own.shape[:-1], given[1].shape[-1]), own.dtype),
    "type_as": lambda own, given, named: Tensor(own.shape, given[0].dtype, own.strides),
}  # fmt: skip
"""Functions that copy elements to other places, or pick some of them."""


PAIRS = ("max", "min", "sort", "median", "kthvalue")
"""Functions that give values and their places along a dimension."""


SAME_SHAPE = (
    "softmax", "log_softmax", "cumsum", "cumprod", "cummax", "cummin", "relu", "gelu", "silu", "flip", "roll", "clamp",
    "tril", "triu", "contiguous", "softplus", "layer_norm", "normalize", "masked_fill", "dropout", "clamp_", "mul_",
    "add_", "sub_", "div_", "fill_", "zero_", "normal_", "uniform_", "exponential_", "bernoulli", "sort", "argsort",
    "logsigmoid", "leaky_relu", "elu", "logit",
)  # fmt: skip
"""Functions and methods of Torch that give as many elements as they take."""


KEPT_LAYOUT = ("cuda", "detach", "requires_grad_", "Parameter", "mul_", "add_", "sub_", "div_", "fill_", "zero_",
               "normal_", "uniform_", "exponential_", "clamp_", "copy_", "pin_memory", "data_ptr", "retain_grad",
               "record_stream", "masked_fill_", "random_", "trunc_normal_", "xavier_uniform_", "kaiming_uniform_",
               "ones_", "zeros_", "constant_", "cpu", "share_memory_", "index_copy_", "scatter_")  # fmt: skip
"""Methods and functions that give the tensor itself, or a copy that lies as it does."""


PRODUCTS = ("matmul", "mm", "bmm", "mv", "dot")


def compute_tensor(own: Tensor, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """What functions of elements, sums over axes and products give."""
    if name in PRODUCTS:
        return multiply_matrices(own, given[0])
    if name in ELEMENTWISE:
        return compute_elements(name, [own, *given])
    return compute_array(name, own, given, rename_axes(named))


def narrow_real(result: Any, given: Sequence[Any], usual: str) -> Any:
    """A result of Torch, whose numbers of Python and whole numbers make no wider type of what they meet.

    usual : the type of real numbers that none of what is given has.

    >>> narrow_real(Tensor((4,), "float64"), [Tensor((4,), "bool"), 0.25, 0.1], "float32").dtype
    'float32'
    """
    types = [g.dtype for g in given if isinstance(g, Tensor)]
    if not isinstance(result, Tensor) or result.dtype != "float64" or {"float64", "double", "complex128"} & {*types}:
        return result
    real = [t for t in types if t.startswith(("float", "bfloat", "half"))]
    return Tensor(result.shape, max(real, key=lambda t: BYTES.get(t, 4), default=usual), result.strides)


def rename_axes(named: Mapping[str, Any]) -> dict[str, Any]:
    """``dim`` and ``keepdim`` as NumPy calls them."""
    return {{"dim": "axis", "keepdim": "keepdims"}.get(n, n): v for n, v in named.items()}


def convert(own: Tensor, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``x.half()``, ``x.to(torch.float16)``, ``x.astype(int)``: another type, or what it was."""
    if name in ("half", "float", "double", "bfloat16", "int"):
        kinds = {"half": "float16", "float": "float32", "double": "float64", "int": "int32"}
        return Tensor(own.shape, kinds.get(name, name), own.strides)
    stated = [g for g in (*given, named.get("dtype")) if isinstance(g, str)]
    if name in ("to", "type"):
        types = [g for g in stated if g in BYTES]
    else:
        types = [SPELLED.get(g, g) for g in stated if SPELLED.get(g, g) in (*BYTES, *COMPLEX)]
    like = next((g.dtype for g in given if isinstance(g, Tensor)), own.dtype) if name == "to" else own.dtype
    return Tensor(own.shape, types[0] if types else like, own.strides)
