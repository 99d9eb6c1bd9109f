"""Texts of the kernels behind the ceilings, and which architecture has which of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from roofcast_measure.driver import Source

KERNELS: dict[str, tuple[str, ...]] = {
    "arithmetic": (
        *("fma_fp64", "add_mul_fp64", "fma_fp32", "add_mul_fp32", "add_int32", "mul_int32", "mad_int32"),
        *("special_fp32", "fma_fp16", "add_mul_fp16", "fma_bf16", "add_mul_bf16", "clock_fp32"),
    ),
    "tensor": tuple(
        f"mma_{k}"
        for k in (
            *("fp16", "fp16_fp32", "bf16", "tf32", "int8", "fp64", "fp64_wide", "fp8", "fp8_fp32"),
            *("fp6", "mxfp8", "fp4"),
        )
    ),
    "streams": (
        *(
            f"stream_{k}_{w}"
            for k in ("init", "read", "copy", "scale", "triad")
            for w in ("1", "4", "8", "4_cs", "8_cs")
        ),
        "stream_gather",
    ),
    "caches": ("l2", "l2_write", "l1_4b", "l1_8b", "l1_16b", "shared_4b", "shared_8b", "shared_16b"),
    "latency": ("build", "chase_ca", "chase_cg", "chase_lines", "chase_shared", "chain_fp32", "chain_fp64"),
    "atomics": ("atomics", "atomics_shared", "atomics_summed", "atomics_swap"),
    "products": ("product_fp32", "product_fp64"),
}
"""Text -> its kernels."""


def has_fp8(sm: int) -> bool:
    """Whether mma.sync multiplies FP8; 9.0 and 10.x emulate it, their own instructions do not."""
    return sm >= 89 and sm != 90 and sm // 10 not in (10, 11)


def is_narrow(sm: int) -> bool:
    """Whether mma.sync takes operands of six and four bits, in code for one architecture alone."""
    return sm // 10 == 12


OLDEST_MMA = 75
"""Volta multiplies matrices in a shape of its own (8 x 8 x 4), which is not measured."""
ONLY_ON: dict[str, Callable[[int], bool]] = {
    "fma_fp16": lambda sm: sm >= 53,
    "add_mul_fp16": lambda sm: sm >= 53,
    "fma_bf16": lambda sm: sm >= 80,
    "add_mul_bf16": lambda sm: sm >= 90,
    "mma_bf16": lambda sm: sm >= 80,
    "mma_tf32": lambda sm: sm >= 80,
    "mma_fp64": lambda sm: sm >= 80,
    "mma_fp64_wide": lambda sm: sm == 90,
    "mma_fp8": has_fp8,
    "mma_fp8_fp32": has_fp8,
    "mma_fp6": is_narrow,
    "mma_mxfp8": is_narrow,
    "mma_fp4": is_narrow,
}
"""Kernels that some architectures do not have."""
FEATURE: dict[str, Callable[[int], bool]] = {"tensor": is_narrow}
"""Texts that are compiled for one architecture alone, where it is one of these."""
INCLUDE = re.compile(r'^#include "(?P<name>\w+\.cuh)"\n', re.MULTILINE)


def available(kernel: str, sm: int) -> bool:
    """Whether an architecture has the instructions of a kernel."""
    return ONLY_ON[kernel](sm) if kernel in ONLY_ON else sm >= OLDEST_MMA or not kernel.startswith("mma_")


def text_of(file: str) -> str:
    """A text with the headers that it includes in their places: no compiler needs to find them."""
    text = Path(__file__).with_name(file).read_text(encoding="ascii")
    return INCLUDE.sub(lambda found: text_of(found["name"]), text)


def source(name: str, sm: int) -> Source:
    """One text, with the kernels that it has on an architecture."""
    feature = "a" if name in FEATURE and FEATURE[name](sm) else ""
    return Source(name, text_of(f"{name}.cu"), tuple(k for k in KERNELS[name] if available(k, sm)), feature)
