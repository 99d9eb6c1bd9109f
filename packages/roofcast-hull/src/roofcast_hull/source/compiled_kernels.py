"""A kernel's machine code, from its own text: NVRTC and nvJitLink compile what a file holds for the device.

Where they (extra ``sass``) are not installed, or the text does not compile by itself, it stays unknown, and with it
registers and instructions.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from roofcast.core.errors import MissingExtraError, RoofcastError, one_line
from roofcast.kit.disk_cache import cached, key_of
from roofcast.sass.cubin import Cubin, Function, parse_cubin
from roofcast.sass.retarget import retarget
from roofcast.sass.toolkit import compile_to_ptx, has_header
from roofcast_hull.source.c_text import COMMENT
from roofcast_hull.source.host_text import find_functions

ARCHITECTURE = 90
"""Registers and instructions differ by a few between architectures; those of sm_90 stand for all: it is what the
measured programs ran on. Of 147 kernels that NVIDIA's compiler built for an H100 and an H200, registers are 1.12 off by
it, by sm_80 1.18."""
COMMON_NAMES = """#define FLT_MAX 3.402823466e+38F
#define FLT_MIN 1.175494351e-38F
#define FLT_EPSILON 1.192092896e-07F
#define DBL_MAX 1.7976931348623158e+308
#define DBL_MIN 2.2250738585072014e-308
#define DBL_EPSILON 2.2204460492503131e-16
#define INT_MAX 2147483647
#define INT_MIN (-2147483647 - 1)
#define UINT_MAX 4294967295u
#define LLONG_MAX 9223372036854775807ll
#define ULLONG_MAX 18446744073709551615ull
#define M_PI 3.14159265358979323846
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif
typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long uint64_t;
#line 1
"""
"""What headers of the host say that device code uses; NVRTC has none of them."""
HOST_LINES = re.compile(
    r"^[ \t]*(?:#[ \t]*include\b[ \t]*[<\"](?P<header>[^>\"\n]*)|using[ \t]+(?:namespace[ \t]+)?(?P<space>\w+)).*$",
    re.MULTILINE,
)
DEVICE_HEADERS = {
    "cuda_fp16.h": "", "cuda_bf16.h": "", "cuda_fp8.h": "", "cuComplex.h": "", "math_constants.h": "",
    "mma.h": "nvcuda", "cooperative_groups.h": "cooperative_groups",
}  # fmt: skip
"""What device code includes, with the name space that it fills."""
OF_DEVICE = ("--device-as-default-execution-space",)
"""Functions and constants of the file that say nothing else are the device's, too: kernels use them."""
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
KERNEL = re.compile(r"__global__")
DEVICE = re.compile(r"__(?:global|device)__|\bconstexpr\b")
"""Heads of functions that kernels may call."""


def is_readable(header: str) -> bool:
    """Whether device code may include a header, and all that it includes is there."""
    return header in DEVICE_HEADERS and has_header(header) and (header != "mma.h" or has_header("crt/mma.h"))


def keep_device_text(text: str, kernel: str = "") -> str:
    """The text without comments, headers of the host and its functions; lines stay. kernel : the only one to stay."""
    bare = COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else " " + "\n" * m[0].count("\n"), text)
    spaces = {s for h, s in DEVICE_HEADERS.items() if s and h in bare and is_readable(h)}

    def keep(line: re.Match[str]) -> str:
        header = (line["header"] or "").rpartition("/")[2]
        named = line["space"] and ("=" in line[0] or line["space"] in spaces)
        return line[0] if named or is_readable(header) else ""

    bare = HOST_LINES.sub(keep, bare)
    out: list[str] = []
    at = 0
    for function in find_functions(bare):
        start = skip_directives(bare, function.start, function.end)
        head = bare[start : function.end].partition("{")[0]
        other = kernel and function.name != kernel and KERNEL.search(head)
        if start < at or (DEVICE.search(head) and not other):
            continue
        out += [bare[at:start], "\n" * bare.count("\n", start, function.end)]
        at = function.end
    return "".join([*out, bare[at:]])


def skip_directives(text: str, start: int, end: int) -> int:
    r"""Where a function begins behind the directives before it, which no semicolon ends.

    >>> text = "#define A 1\nint f() { return A; }"
    >>> text[skip_directives(text, 1, len(text)):]
    '\nint f() { return A; }'
    """
    first = text.rfind("\n", 0, start) + 1
    body = text.find("{", start, end)
    ends = [first + m.end() for m in DIRECTIVE.finditer(text[first:body])]
    return max([start, *ends])


@dataclass(frozen=True)
class CompiledKernel:
    """The machine code of one kernel."""

    cubin: Cubin
    function: Function

    @property
    def registers(self) -> float:
        """Of a thread; NaN where the file does not say them."""
        return float(self.function.registers or math.nan)


@lru_cache(maxsize=64)
def compile_text(text: str, kernel: str = "", instance: str = "") -> tuple[Cubin | None, str]:
    """The machine code of a file's kernels; None and why where there is none.

    kernel : the only one. instance : of its template.
    """
    source = (COMMON_NAMES + keep_device_text(text, kernel)).encode()
    instances = (instance,) if instance else ()
    try:
        key = key_of("ptx of source", source, *(i.encode() for i in (*instances, *OF_DEVICE)))
        ptx = cached(key, lambda: compile_to_ptx(source, "kernel.cu", instances=instances, options=OF_DEVICE))
        return parse_cubin(retarget((ptx,), ARCHITECTURE)), ""
    except MissingExtraError:
        return None, "NVRTC (extra sass) is not installed"
    except RoofcastError as error:
        return None, one_line(re.sub(r"\S*[/\\]", "", str(error)).removeprefix("kernel.cu: "), 120)


def compile_kernel(text: str, kernel: str, instance: str = "", spelled: str = "") -> tuple[CompiledKernel | None, str]:
    """The machine code of one kernel; None and why where it is not known, or templates leave several.

    The whole file is compiled, else the kernel alone, else its file as plain C, which has instances of templates apart.

    instance : of its template, ``sum<float, 4>``. spelled : the file as plain C.
    """
    reasons: list[str] = []
    whole = [] if instance else [(text, "")]
    for written, only in [*whole, (text, kernel), *([(spelled, kernel)] if spelled else [])]:
        cubin, why = compile_text(written, only, instance if written is text else "")
        reasons += [why] if why else []
        functions = cubin.functions if cubin is not None else ()
        # A mangled name has its length before it.
        of_kernel = [
            f for f in functions if f.is_kernel and (f.name == kernel or f"{len(kernel)}{kernel}" in f.name)
        ]  # fmt: skip
        if cubin is not None and len(of_kernel) == 1:
            return CompiledKernel(cubin, of_kernel[0]), ""
        if why.startswith("NVRTC"):
            break
    return None, next(iter(reasons), "") or "nothing says which instance of its template is launched"
