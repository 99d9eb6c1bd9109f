"""Kernel names taken apart: the function's own name, and the types among its template arguments."""

from __future__ import annotations

import re

PRECISION_WORDS: dict[str, str] = {
    "bf16": "bf16", "bfloat16": "bf16", "fp16": "fp16", "f16": "fp16", "float16": "fp16", "half": "fp16",
    "tf32": "tf32", "fp8": "fp8", "f8": "fp8", "float8": "fp8", "e4m3": "fp8", "e5m2": "fp8",
    "fp4": "fp4", "e2m1": "fp4", "nvfp4": "fp4", "int8": "int8", "i8": "int8", "s8": "int8", "u8": "int8",
    "float64": "fp64", "f32": "fp32", "fp32": "fp32", "float32": "fp32", "f64": "fp64", "fp64": "fp64",
    "double": "fp64",
}  # fmt: skip
"""Words in kernel names -> precision."""

TYPES = re.compile(
    r"(?P<bf16>bfloat16|hip_bfloat16|bf16)|(?P<fp8>float8|fp8_e\dm\d|float_e4m3|float_e5m2)|(?P<fp4>float_e2m1|nvfp4)|"
    r"(?P<fp16>c10::half|__half|half_t|_float16|\bhalf\b|4half)|(?P<fp64>\bdouble\b)|(?P<fp32>\bfloat\b)"
)

WRAPPERS = frozenset({"kernel", "kernel2", "device_kernel", "_kernel", "globalkernel", "run_kernel", "kernel_entry"})
"""Functions that only call what their first template argument names."""

MANGLED = re.compile(r"(\d+)([A-Za-z_])")


def type_in(text: str) -> str:
    """Precision of the first floating-point type that a lower-case name mentions; '' without.

    >>> type_in("softmax_warp_forward<c10::bfloat16, c10::bfloat16, float, 3>"), type_in("sort<int>")
    ('bf16', '')
    """
    found = TYPES.search(text)
    return found.lastgroup or "" if found else ""


MANGLED_TYPE = re.compile(
    r"(?P<bf16>8BFloat16|10bfloat16_t|13__nv_bfloat16)|(?P<fp16>4Half|6half_t|6__half)|(?P<fp8>Float8|e4m3|e5m2)|"
    r"I(?:(?P<fp32>f)|(?P<fp64>d))(?=[fdEIiljmbN0-9LS])"
)


def mangled_type(name: str) -> str:
    """Precision of the first floating-point template argument of an Itanium-mangled name; '' without.

    >>> mangled_type("_ZN6device6reduceIdLi4EEEvPKd")
    'fp64'
    """
    found = MANGLED_TYPE.search(name)
    return found.lastgroup or "" if found else ""


def head_of(name: str) -> str:
    """The function's own name, without return type, namespaces, template and call arguments.

    >>> head_of("void at::native::(anonymous namespace)::cunn_SoftMaxForward<8, float>(float*, int)")
    'cunn_SoftMaxForward'
    >>> head_of("void cutlass::Kernel2<cutlass_80_simt_sgemm_128x64_8x5_nn_align1>(Params)")
    'cutlass_80_simt_sgemm_128x64_8x5_nn_align1'
    >>> head_of("_ZN2at6native13reduce_kernelILi512EEEvT_")
    'reduce_kernel'
    """
    if name.startswith("_Z"):
        return mangled_head(name)
    text = name.replace("(anonymous namespace)::", "").replace("<unnamed>::", "").replace("(anonymous namespace)", "")
    head = last_name(without_brackets(text))
    if head.lower() in WRAPPERS and "<" in text:
        inner = text[text.index("<", max(text.lower().find(head.lower() + "<"), 0)) + 1 :]
        found = last_name(without_brackets(re.split(r"[,>(]", inner, maxsplit=1)[0].split("<")[0]))
        return found or head
    return head


def without_brackets(text: str) -> str:
    """Text outside of ``<...>`` and up to the call's parenthesis."""
    kept: list[str] = []
    depth = 0
    for c in text:
        if c == "<":
            depth += 1
        elif c == ">":
            depth = max(depth - 1, 0)
        elif depth == 0:
            if c == "(" and kept:
                break
            kept.append(c)
    return "".join(kept)


def last_name(text: str) -> str:
    """The last identifier behind return types and namespaces."""
    return text.strip().split(" ")[-1].split("::")[-1]


def mangled_head(name: str) -> str:
    """Last source name of an Itanium-mangled function before its template arguments."""
    place, head = 2, ""
    if name[2:3] in ("N", "L"):
        place += 1
    while (found := MANGLED.match(name, place)) is not None:
        size, start = int(found[1]), found.end(1)
        word = name[start : start + size]
        if not word.startswith("_GLOBAL__N"):
            head = word
        place = start + size
        if name[place : place + 1] in ("I", "E") and head and head.lower() not in WRAPPERS:
            break
        if name[place : place + 1] == "I":
            place += 1
            if name[place : place + 1] == "N":
                place += 1
    return head
