"""Read-only mappings that can be copied and sent to another process, wherever one stands in a result."""

from __future__ import annotations

import copyreg
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


def freeze(content: Mapping[Key, Value]) -> MappingProxyType[Key, Value]:
    """A read-only copy of a mapping.

    >>> import copy
    >>> copy.deepcopy(freeze({"a": 1}))
    mappingproxy({'a': 1})
    """
    return MappingProxyType(dict(content))


def reduce_frozen(mapping: MappingProxyType[Any, Any]) -> tuple[Callable[..., Any], tuple[dict[Any, Any]]]:
    """How one travels: by its content. Python itself refuses to copy or pickle what it cannot see behind."""
    return freeze, (dict(mapping),)


# Said once for pickle, copy, multiprocessing and what else asks Python's registry (joblib, cloudpickle, Dask).
copyreg.pickle(MappingProxyType, reduce_frozen)
