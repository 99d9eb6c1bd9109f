"""Modules of Torch with parameters, as objects of a file that is followed."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import Any

from roofcast_hull.source.host_objects import Instance
from roofcast_hull.source.numpy_values import Tensor, UnknownError
from roofcast_hull.source.torch_functions import NOTHING

LAYERS = ("Linear", "LayerNorm", "RMSNorm", "Embedding", "Conv1d", "Conv2d", "GroupNorm", "BatchNorm1d", "BatchNorm2d")
"""Modules of Torch with parameters."""


def make_layer(name: str, given: Sequence[Any], named: Mapping[str, Any]) -> Instance:
    """A module of Torch with its parameters.

    Raises
    ------
    UnknownError : its sizes are not known.
    """
    places = {
        "Linear": ("in_features", "out_features"), "Embedding": ("num_embeddings", "embedding_dim"),
        "GroupNorm": ("num_groups", "num_channels"), "Conv1d": ("in_channels", "out_channels", "kernel_size"),
        "Conv2d": ("in_channels", "out_channels", "kernel_size"),
    }  # fmt: skip
    labels = places.get(name, ("normalized_shape",))
    values = {**dict(zip(labels, given, strict=False)), **named}
    sizes: list[Any] = [values.get(n, values.get("num_features")) for n in labels]
    kind = values.get("dtype") or "float32"
    first = sizes[-1] if isinstance(sizes[-1], tuple) else (sizes[-1],)
    match name:
        case "Linear":
            shape: tuple[Any, ...] = (sizes[1], sizes[0])
        case "Embedding":
            shape = (sizes[0], sizes[1])
        case "Conv1d" | "Conv2d":
            window = sizes[2] if isinstance(sizes[2], tuple) else (sizes[2],) * int(name[4])
            shape = (sizes[1], sizes[0] // int(values.get("groups", 1)), *window)
        case _:
            shape = first
    if not all(isinstance(s, int) for s in shape):
        raise UnknownError
    fields: dict[str, Any] = dict(zip(labels, sizes, strict=True))
    fields |= {"layer": name, "weight": Tensor(shape, kind), "eps": values.get("eps", 1e-5)}
    fields["bias"] = (
        NOTHING if values.get("bias") is False or name in ("RMSNorm", "Embedding") else Tensor(shape[:1], kind)
    )
    return Instance(ast.ClassDef(name, [], [], [], []), fields)


def call_layer(layer: Instance, given: Sequence[Any]) -> Any:
    """What a module of Torch gives."""
    x, weight = given[0] if given else None, layer.fields["weight"]
    if not isinstance(x, Tensor) or layer.fields["layer"].startswith("Conv"):
        return None
    if layer.fields["layer"] == "Linear":
        return Tensor((*x.shape[:-1], weight.shape[0]), x.dtype)
    if layer.fields["layer"] == "Embedding":
        return Tensor((*x.shape, weight.shape[1]), weight.dtype)
    return Tensor(x.shape, x.dtype)
