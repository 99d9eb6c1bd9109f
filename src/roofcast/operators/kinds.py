"""What the names alone tell of kernels of which only times are known: the operation, and the pipe of its products."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError
from roofcast.core.resource import Resource
from roofcast.operators.amounts import precision_of
from roofcast.operators.kernel_names import Operation, library_kernel, pipe_of
from roofcast.operators.library_names import PRECISION_WORDS
from roofcast.operators.rows import PARTS, operation_of_label

Kind = tuple[Operation, Resource | None]


@lru_cache(maxsize=65536)
def kind_of(name: str, precision: str = "") -> Kind | None:
    """Operation and pipe of a kernel by its name or label; None for anybody else's kernel.

    precision : as a table states it, '' where it does not.

    >>> kind_of("ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_tn")[1].value, kind_of("gemm/bfloat16")[1].value
    ('flops_tensor_bf16', 'flops_tensor_bf16')
    >>> kind_of("torch/softmax"), kind_of("my_kernel")
    ((<Operation.SOFTMAX: 'softmax'>, None), None)
    """
    library = library_kernel(name)
    operation = library.operation if library is not None else operation_of_label(name)
    if operation is None:
        return None
    if not operation.is_matrix:
        return operation, None
    stated = stated_precision(precision) or (library.precision if library is not None else "") or labelled(name)
    return operation, pipe_of(stated, matrix=True, tensor=library is not None and library.tensor)


def stated_precision(text: str) -> str:
    """A precision that a table states; '' for none or an unknown one."""
    try:
        return precision_of(text)
    except InputError:
        return ""


def labelled(label: str) -> str:
    """A precision among the parts of a label."""
    return next((PRECISION_WORDS[p] for p in PARTS.split(label.lower()) if p in PRECISION_WORDS), "")


def kinds_of(names: Sequence[str], precisions: Sequence[str]) -> tuple[list[Kind], NDArray[np.intp]]:
    """Distinct kinds, and (n,) which of them each kernel is; -1 for none."""
    kinds: dict[Kind, int] = {}
    code: dict[tuple[str, str], int] = {}
    for pair in set(zip(names, precisions, strict=True)):
        kind = kind_of(*pair)
        code[pair] = -1 if kind is None else kinds.setdefault(kind, len(kinds))
    return list(kinds), np.array([code[pair] for pair in zip(names, precisions, strict=True)], dtype=np.intp)
