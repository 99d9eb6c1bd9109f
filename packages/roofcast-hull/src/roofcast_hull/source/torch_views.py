"""Views of Torch's tensors: the same elements with other shapes and strides."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roofcast_hull.source.numpy_values import BYTES, Tensor, UnknownError, take


def transpose(own: Tensor, one: int, other: int) -> Tensor:
    """A view with two dimensions exchanged."""
    order = list(range(len(own.shape)))
    order[one], order[other] = order[other], order[one]
    return own.permute(order)


def stride_tensor(shape: Sequence[int], dtype: str, strides: Sequence[int]) -> Tensor:
    """A view; without strides where its elements lie one after the other."""
    plain = Tensor(tuple(shape), dtype)
    dense = all(plain.stride(n) == s or size == 1 for n, (s, size) in enumerate(zip(strides, shape, strict=True)))
    return plain if dense else Tensor(tuple(shape), dtype, tuple(strides))


def list_strides(own: Tensor) -> tuple[int, ...]:
    """Elements from one index of each dimension to the next."""
    return tuple(own.stride(n) for n in range(len(own.shape)))


def slice_tensor(whole: Tensor, items: Sequence[Any]) -> Tensor:
    """``x[:, 1:n, None, k]``: a view of a tensor; what arrays of indices pick is a copy."""
    if any(isinstance(i, (Tensor, tuple)) for i in items):
        return take(whole, items)
    taken = sum(1 for i in items if i is not None and i is not Ellipsis)
    rest = items.index(Ellipsis) if Ellipsis in items else len(items)
    every = [*items[:rest], *[slice(None)] * (len(whole.shape) - taken), *items[rest + 1 :]]
    if taken > len(whole.shape) or any(type(i) is bool for i in every):
        raise UnknownError
    shape, strides, at = list[int](), list[int](), 0
    for item in every:
        if item is None:
            shape.append(1)
            strides.append(1)
            continue
        if isinstance(item, slice):
            shape.append(len(range(*item.indices(whole.shape[at]))))
            strides.append(whole.stride(at) * (item.step or 1))
        elif not isinstance(item, int):
            raise UnknownError
        at += 1
    return stride_tensor(shape, whole.dtype, strides)


def split_tensor(own: Tensor, name: str, given: Sequence[Any], named: Mapping[str, Any]) -> tuple[Tensor, ...]:
    """``x.chunk(2, dim=-1)``, ``x.split((a, b), dim=1)``, ``x.unbind(0)``: views side by side."""
    places = given if name == "unbind" else given[1:]
    at = named.get("dim", places[0] if places else 0) % len(own.shape)
    if name == "unbind":
        return (slice_tensor(own, [*[slice(None)] * at, 0]),) * int(own.shape[at])
    stated = [named[n] for n in ("chunks", "split_size_or_sections", "split_size") if n in named]
    several = (*stated, *given)[0]
    size = own.shape[at]
    if isinstance(several, int):
        part = -(-size // several) if name in ("chunk", "tensor_split") else several
        several = [min(part, size - n) for n in range(0, size, part)]
    return tuple(slice_tensor(own, [*[slice(None)] * at, slice(0, int(n))]) for n in several)


def expand_tensor(own: Tensor, sizes: Sequence[int]) -> Tensor:
    """``x.expand(n, -1, -1)``: repeated along dimensions of one element."""
    extra = len(sizes) - len(own.shape)
    shape, strides = (1,) * extra + own.shape, (0,) * extra + list_strides(own)
    sizes = [n if s == -1 else s for n, s in zip(shape, sizes, strict=True)]
    steps = [0 if n == 1 and s != 1 else step for n, s, step in zip(shape, sizes, strides, strict=True)]
    return stride_tensor(sizes, own.dtype, steps)


def reshape_tensor(own: Tensor, sizes: Sequence[int]) -> Tensor:
    """``x.view(-1, n)``, ``x.reshape(n, m)``: a view where the dimensions allow it, else a copy."""
    rest = own.elements // max(1, math.prod(s for s in sizes if s > 0))
    shape = tuple(rest if s == -1 else s for s in sizes)
    if math.prod(shape) != own.elements:
        raise UnknownError
    if not own.strides:
        return Tensor(shape, own.dtype)
    strides, source = list[int](), [(n, s) for n, s in zip(own.shape, own.strides, strict=True) if n != 1]
    for size in reversed(shape):
        if size == 1:
            strides.insert(0, 1)
            continue
        number, step = 1, source[-1][1]
        while number < size and source and (number == 1 or source[-1][1] == step * number):
            number *= source.pop()[0]
        if number % size:
            return Tensor(shape, own.dtype)
        if number > size:
            source.append((number // size, step * size))
        strides.insert(0, step)
    return stride_tensor(shape, own.dtype, strides)


def view_tensor(own: Tensor, name: str, given: Sequence[Any]) -> Tensor:
    """``x.transpose(1, 2)``, ``x.permute(0, 2, 1)``, ``x.t()``, ``x.unsqueeze(0)``."""
    if name in ("transpose", "swapaxes", "swapdims"):
        return transpose(own, given[0], given[1])
    if name == "t":
        return transpose(own, 0, -1) if len(own.shape) > 1 else own
    if name == "permute":
        return own.permute(given[0] if isinstance(given[0], tuple) else given)
    if name in ("movedim", "moveaxis"):
        order = [n for n in range(len(own.shape)) if n != given[0] % len(own.shape)]
        order.insert(given[1] % len(own.shape), given[0] % len(own.shape))
        return own.permute(order)
    if name == "expand":
        return expand_tensor(own, given[0] if isinstance(given[0], tuple) else given)
    shape, strides = list(own.shape), list(list_strides(own))
    if name == "unsqueeze":
        at = given[0] % (len(shape) + 1)
        shape.insert(at, 1)
        strides.insert(at, 1)
        return stride_tensor(shape, own.dtype, strides)
    axes = given[0] if given and isinstance(given[0], tuple) else given
    squeezed = {a % len(shape) for a in axes} if axes else {*range(len(shape))}
    axes_left = [n for n, s in enumerate(shape) if s != 1 or n not in squeezed]
    return stride_tensor([shape[n] for n in axes_left], own.dtype, [strides[n] for n in axes_left])


def is_dense(own: Tensor) -> bool:
    """Whether a view with its dimensions in another order has its elements one after the other."""
    return (
        bool(own.strides)
        and min(own.strides) > 0
        and sum((n - 1) * s for n, s in zip(own.shape, own.strides, strict=True)) == own.elements - 1
    )


def view_type(own: Tensor, dtype: str) -> Tensor:
    """``x.view(torch.int32)``: the same bytes as other elements."""
    size = own.shape[-1] * BYTES[own.dtype] // BYTES[dtype]
    return Tensor((*own.shape[:-1], size), dtype)


def flatten(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``x.flatten(0, 1)``."""
    ends = [*given, *[0, -1][len(given) :]]
    first, last = (int(named.get(n, k)) % len(own.shape) for n, k in zip(("start_dim", "end_dim"), ends, strict=True))
    return reshape_tensor(own, (*own.shape[:first], math.prod(own.shape[first : last + 1]), *own.shape[last + 1 :]))


def unflatten(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``x.unflatten(-1, (heads, -1))``."""
    at, sizes = named.get("dim", (*given, 0)[0]) % len(own.shape), named.get("sizes", given[-1])
    rest = own.shape[at] // max(1, math.prod(s for s in sizes if s > 0))
    return reshape_tensor(own, (*own.shape[:at], *(rest if s == -1 else s for s in sizes), *own.shape[at + 1 :]))


def view_shape(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
    """``x.view(-1, n)``, ``x.view(torch.int32)``."""
    if given and isinstance(given[0], str):
        return view_type(own, given[0])
    sizes = given[0] if len(given) == 1 and isinstance(given[0], tuple) else tuple(given)
    return reshape_tensor(own, sizes or named.get("shape") or (-1,))


def view_named(name: str) -> Callable[[Tensor, Sequence[Any], Mapping[str, Any]], Tensor]:
    """A method whose axes may have names."""

    def view(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Tensor:
        axes = [named[n] for n in ("dim", "dim0", "dim1", "dims", "source", "destination") if n in named]
        return view_tensor(own, name, [*given, *axes])

    return view


def split_named(name: str) -> Callable[[Tensor, Sequence[Any], Mapping[str, Any]], tuple[Tensor, ...]]:
    """A function that gives views side by side."""
    return lambda own, given, named: split_tensor(own, name, given, named)


def ask_sizes(name: str) -> Callable[[Tensor, Sequence[Any], Mapping[str, Any]], Any]:
    """``x.stride(0)``, ``x.size()``."""

    def ask(own: Tensor, given: Sequence[Any], named: Mapping[str, Any]) -> Any:
        several = own.shape if name == "size" else list_strides(own)
        at = named.get("dim", given[0] if given else None)
        return several if at is None else several[at]

    return ask


def slice_along(own: Tensor, at: int, item: Any) -> Tensor:
    """A part of one dimension."""
    return slice_tensor(own, [*[slice(None)] * (at % len(own.shape)), item])


VIEWED: dict[str, Callable[[Tensor, Sequence[Any], Mapping[str, Any]], Any]] = {
    **{n: view_named(n) for n in ("transpose", "swapaxes", "swapdims", "permute", "t", "movedim", "moveaxis",
                                  "unsqueeze", "squeeze", "expand")},
    **{n: split_named(n) for n in ("chunk", "split", "unbind", "tensor_split")},
    **{n: ask_sizes(n) for n in ("size", "stride")},
    "view": view_shape, "reshape": view_shape, "ravel": view_shape, "flatten": flatten, "unflatten": unflatten,
    "view_as": lambda own, given, named: reshape_tensor(own, given[0].shape),
    "reshape_as": lambda own, given, named: reshape_tensor(own, given[0].shape),
    "expand_as": lambda own, given, named: expand_tensor(own, given[0].shape),
    "broadcast_to": lambda own, given, named: expand_tensor(own, given[0]),
    "narrow": lambda own, given, named: slice_along(own, given[0], slice(given[1], given[1] + given[2])),
    "select": lambda own, given, named: slice_along(own, given[0], given[1]),
}  # fmt: skip
"""Methods of a tensor that give others of its elements, and its sizes; Torch has most as functions too."""
