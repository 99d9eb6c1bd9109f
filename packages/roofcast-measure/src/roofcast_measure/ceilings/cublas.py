"""The library's matrix product, where a cuBLAS is: what programs reach, beside what our own code does.

cuBLAS is in no extra (its wheel is 600 MB). It is looked for where PyTorch, a CUDA wheel or a toolkit has put it, and
called through its C interface (cuBLAS documentation, ``cublasGemmEx``).
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from roofcast.core.errors import RoofcastError
from roofcast.sass.toolkit import wheel_folders
from roofcast_measure.driver import Buffer

NAMES = ("libcublas.so.13", "libcublas.so.12", "libcublas.so.11")
TRANSPOSED, PLAIN = 1, 0
BY_HEURISTICS = -1
"""cuBLAS's number of the algorithm that it chooses by itself (CUBLAS_GEMM_DEFAULT)."""


@dataclass(frozen=True, slots=True)
class Type:
    """One type of product, in the numbers of ``cublasGemmEx``."""

    quantity: str
    operands: str
    """A key of :data:`~roofcast_measure.ceilings.tensor_operands.FORMATS`."""
    data: int
    """cudaDataType of a and b."""
    result: int
    """cudaDataType of c."""
    compute: int
    """cublasComputeType_t."""
    sums: Any
    """NumPy's type of c; uint16: BF16."""
    scale: Any
    oldest_sm: int


TYPES = (
    Type("flops_fp32:matmul", "tf32", 0, 0, 68, np.float32, ctypes.c_float, 0),
    Type("flops_fp64:matmul", "fp64", 1, 1, 70, np.float64, ctypes.c_double, 0),
    Type("flops_tensor_tf32:matmul", "tf32", 0, 0, 77, np.float32, ctypes.c_float, 80),
    Type("flops_tensor_fp16:matmul", "fp16", 2, 2, 68, np.float16, ctypes.c_float, 70),
    Type("flops_tensor_bf16:matmul", "bf16", 14, 14, 68, np.uint16, ctypes.c_float, 80),
    Type("ops_tensor_int8:matmul", "int8", 3, 10, 72, np.int32, ctypes.c_int, 75),
)
WIDE_FP64 = (80, 90, 100, 103)
"""Architectures whose matrix units multiply FP64 at full rate: there the library uses them."""


def quantity_of(one: Type, sm: int) -> str:
    """The catalog's name of the rate: FP64 by the units that make it.

    >>> quantity_of(TYPES[1], 90), quantity_of(TYPES[1], 86)
    ('flops_tensor_fp64:matmul', 'flops_fp64:matmul')
    """
    return "flops_tensor_fp64:matmul" if one.operands == "fp64" and sm in WIDE_FP64 else one.quantity


def candidates() -> Iterator[str]:
    """Where a cuBLAS may be: beside PyTorch, in CUDA's wheels, in a toolkit."""
    spec = importlib.util.find_spec("torch")
    beside = [Path(f) / "lib" for f in (spec.submodule_search_locations or ())] if spec else []
    folders = [*(f / p for f in wheel_folders() for p in ("cu13/lib", "cublas/lib")), *beside]
    for folder in folders:
        yield from (str(folder / n) for n in NAMES if (folder / n).exists())
    yield from NAMES
    yield from (str(Path("/usr/local/cuda/lib64") / n) for n in NAMES)


def load_cublas() -> ctypes.CDLL | None:
    """The first cuBLAS that loads; None where none does."""
    for name in candidates():
        light = Path(name).with_name(Path(name).name.replace("cublas", "cublasLt"))
        try:
            if light.is_absolute() and light.exists():
                ctypes.CDLL(str(light), mode=ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


class Library(Protocol):
    """What multiplies matrices on a GPU."""

    name: str

    def multiply(self, one: Type, n: int, a: Buffer, b: Buffer, c: Buffer) -> None:
        """Queue c = b a^T of n x n matrices, rows in memory one after the other."""
        ...


class Cublas:
    """A cuBLAS on a stream of the current device."""

    def __init__(self, library: ctypes.CDLL, stream: int) -> None:
        self.library = library
        self.handle = ctypes.c_void_p()
        self.call("cublasCreate_v2", ctypes.byref(self.handle))
        self.call("cublasSetStream_v2", self.handle, ctypes.c_void_p(stream))
        version = ctypes.c_int()
        self.call("cublasGetVersion_v2", self.handle, ctypes.byref(version))
        major = version.value // 10000
        self.name = f"cuBLAS {major}.{version.value % 10000 // 100}"

    def call(self, name: str, *arguments: Any) -> None:
        """One call, whose status must be success."""
        if status := getattr(self.library, name)(*arguments):
            raise RoofcastError(f"{name} of cuBLAS reports status {status}")

    def multiply(self, one: Type, n: int, a: Buffer, b: Buffer, c: Buffer) -> None:
        """Queue c = b a^T of n x n matrices, rows in memory one after the other (for cuBLAS: columns, a^T b)."""
        pointers = [ctypes.c_void_p(int(x.handle)) for x in (a, b, c)]
        size = ctypes.c_int(n)
        alpha, beta = one.scale(1), one.scale(0)
        self.call(
            "cublasGemmEx", self.handle, ctypes.c_int(TRANSPOSED), ctypes.c_int(PLAIN), size, size, size,
            ctypes.byref(alpha), pointers[0], ctypes.c_int(one.data), size, pointers[1], ctypes.c_int(one.data), size,
            ctypes.byref(beta), pointers[2], ctypes.c_int(one.result), size, ctypes.c_int(one.compute),
            ctypes.c_int(BY_HEURISTICS),
        )  # fmt: skip

    def close(self) -> None:
        """Give its memory back."""
        self.call("cublasDestroy_v2", self.handle)


def open_library(stream: int) -> Cublas | None:
    """A cuBLAS on a stream; None where none is or where it does not start."""
    library = load_cublas()
    if library is None:
        return None
    try:
        return Cublas(library, stream)
    except (RoofcastError, AttributeError):
        return None
