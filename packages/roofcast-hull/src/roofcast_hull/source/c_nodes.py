"""Copies of trees of C, with parts changed."""

from __future__ import annotations

import copy
from collections.abc import Callable, Collection
from typing import Any


def copy_node(node: Any, change: Callable[[Any], Any], *, but: Collection[str | None] = ("type",)) -> Any:
    """A copy of a node, with what a function makes of each node inside.

    but : names of parts that stay as they are.
    """
    copied = copy.copy(node)
    for name in node.__slots__:
        value = getattr(node, name, None)
        if name in ("coord", "__weakref__", *but):
            continue
        if hasattr(value, "children"):
            setattr(copied, name, change(value))
        elif isinstance(value, list):
            setattr(copied, name, [change(v) if hasattr(v, "children") else v for v in value])
    return copied


def map_nodes(node: Any, change: Callable[[Any], Any]) -> Any:
    """A copy of a tree, each node changed after what is inside it."""
    return change(copy_node(node, lambda inside: map_nodes(inside, change)))
