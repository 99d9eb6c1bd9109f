"""Precisions: the words that name them, the bytes of an element, the pipe that computes in them.

A precision is ``fp64``, ``fp32``, ``tf32``, ``bf16``, ``fp16``, ``fp8``, ``fp4`` or ``int8``, however it is spelt.
"""

from __future__ import annotations

from functools import lru_cache

from roofcast.core.errors import InputError, one_line
from roofcast.core.resource import Resource

PRECISION_WORDS: dict[str, str] = {
    "bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "f16": "fp16", "float16": "fp16", "half": "fp16",
    "tf32": "tf32", "fp8": "fp8", "f8": "fp8", "float8": "fp8", "e4m3": "fp8", "e5m2": "fp8",
    "fp4": "fp4", "e2m1": "fp4", "nvfp4": "fp4", "int8": "int8", "i8": "int8", "s8": "int8", "u8": "int8",
    "float64": "fp64", "f32": "fp32", "fp32": "fp32", "float32": "fp32", "f64": "fp64", "fp64": "fp64",
    "double": "fp64",
}  # fmt: skip
"""Words in kernel names -> precision."""

ELEMENT_BYTES: dict[str, float] = {
    "fp64": 8.0, "fp32": 4.0, "tf32": 4.0, "bf16": 2.0, "fp16": 2.0, "fp8": 1.0, "int8": 1.0, "fp4": 0.5,
    "int64": 8.0, "int32": 4.0, "int16": 2.0, "uint8": 1.0, "bool": 1.0, "complex64": 8.0, "complex128": 16.0,
}  # fmt: skip
"""Bytes of an element."""

ELEMENT_TYPES: dict[str, str] = PRECISION_WORDS | {
    "float": "fp32", "single": "fp32", "long": "int64", "int": "int32", "short": "int16", "byte": "uint8",
    "long int": "int64", "char": "int8", "float8_e4m3fn": "fp8", "float8_e5m2": "fp8", "fp8_e4m3": "fp8",
    "c10::half": "fp16", "c10::bfloat16": "bf16", "unsigned char": "uint8", "signed char": "int8", "fp8_block": "fp8",
    "complex<float>": "complex64", "complex<double>": "complex128", "float4_e2m1fn_x2": "fp4",
}  # fmt: skip
"""Spelling of an element type -> precision; what is in :data:`ELEMENT_BYTES` already is not repeated."""

TENSOR_PIPES: dict[str, Resource] = {
    "tf32": Resource.FLOPS_TENSOR_TF32,
    "fp16": Resource.FLOPS_TENSOR_FP16,
    "bf16": Resource.FLOPS_TENSOR_BF16,
    "fp8": Resource.FLOPS_TENSOR_FP8,
    "fp4": Resource.FLOPS_TENSOR_FP4,
    "int8": Resource.OPS_TENSOR_INT8,
}
VECTOR_PIPES: dict[str, Resource] = {
    "fp64": Resource.FLOPS_FP64,
    "fp32": Resource.FLOPS_FP32,
    "tf32": Resource.FLOPS_FP32,
    "fp16": Resource.FLOPS_FP16,
    "bf16": Resource.FLOPS_BF16,
}


def precision_of(dtype: str) -> str:
    """The precision's own name for any usual spelling of an element type.

    Raises
    ------
    InputError : a type that nobody has heard of.

    >>> precision_of("torch.bfloat16"), precision_of("c10::Half"), precision_of("float")
    ('bf16', 'fp16', 'fp32')
    """
    word = str(dtype).strip().lower().removeprefix("torch.").removeprefix("np.").removeprefix("numpy.")
    name = word if word in ELEMENT_BYTES else ELEMENT_TYPES.get(word)
    if name is None:
        raise InputError(f"unknown element type {one_line(str(dtype), 40)!r}: use one of {', '.join(ELEMENT_BYTES)}")
    return name


def element_bytes(dtype: str) -> float:
    """Bytes of an element (packed FP4: half a byte).

    >>> element_bytes("half"), element_bytes("nvfp4")
    (2.0, 0.5)
    """
    return ELEMENT_BYTES[precision_of(dtype)]


@lru_cache(maxsize=4096)
def stated_precision(text: str) -> str:
    """The precision that a text states; '' for none or an unknown one."""
    try:
        return precision_of(text)
    except InputError:
        return ""


def pipe_of(precision: str, *, matrix: bool, tensor: bool = False) -> Resource | None:
    """The pipe that computes in a precision: matrix products of less than FP32 run on tensor pipes.

    tensor : the kernel is known to use tensor pipes (FP64 ones exist on A100 and H100).

    >>> pipe_of("bf16", matrix=True).value, pipe_of("fp32", matrix=True).value, pipe_of("fp16", matrix=False).value
    ('flops_tensor_bf16', 'flops_fp32', 'flops_fp16')
    """
    if matrix and precision in TENSOR_PIPES:
        return TENSOR_PIPES[precision]
    if matrix and tensor:
        return {"fp64": Resource.FLOPS_TENSOR_FP64, "fp32": Resource.FLOPS_TENSOR_TF32}.get(precision)
    return VECTOR_PIPES.get(precision)
