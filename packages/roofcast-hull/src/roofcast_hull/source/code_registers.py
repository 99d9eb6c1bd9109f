"""Registers of a kernel, from its own text: NVRTC and nvJitLink compile what a file holds for the device.

Where they (extra ``sass``) are not installed, or the text does not compile by itself, registers stay unknown.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from roofcast.core.errors import MissingExtraError, RoofcastError, one_line
from roofcast.kit.disk_cache import cached, key_of
from roofcast.sass.cubin import parse_cubin
from roofcast.sass.retarget import retarget
from roofcast.sass.toolkit import compile_to_ptx, has_header
from roofcast_hull.source.c_text import COMMENT
from roofcast_hull.source.host_text import find_functions

ARCHITECTURE = 80
"""Registers differ by a few between architectures; those of sm_80 stand for all."""
HOST_LINES = re.compile(
    r"^[ \t]*(?:#[ \t]*include\b[ \t]*[<\"](?P<header>[^>\"\n]*)|using[ \t]+(?:namespace[ \t]+)?(?P<space>\w+)).*$",
    re.MULTILINE,
)
DEVICE_HEADERS = {
    "cuda_fp16.h": "", "cuda_bf16.h": "", "cuda_fp8.h": "", "cuComplex.h": "", "math_constants.h": "",
    "mma.h": "nvcuda", "cooperative_groups.h": "cooperative_groups",
}  # fmt: skip
"""What device code includes, with the name space that it fills."""
KERNEL = re.compile(r"__global__")
DEVICE = re.compile(r"__(?:global|device)__")


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
        head = bare[function.start : function.end].partition("{")[0]
        other = kernel and function.name != kernel and KERNEL.search(head)
        if function.start < at or (DEVICE.search(head) and not other):
            continue
        out += [bare[at : function.start], "\n" * bare.count("\n", function.start, function.end)]
        at = function.end
    return "".join([*out, bare[at:]])


@lru_cache(maxsize=64)
def count_registers(text: str, kernel: str = "", instance: str = "") -> tuple[dict[str, int], str]:
    """Linker symbol -> registers of a thread, of each kernel of a file; empty where they are not known, and why.

    kernel : the only one. instance : of its template.
    """
    source = keep_device_text(text, kernel).encode()
    instances = (instance,) if instance else ()
    try:
        key = key_of("ptx of source", source, *(i.encode() for i in instances))
        ptx = cached(key, lambda: compile_to_ptx(source, "kernel.cu", instances=instances))
        code = parse_cubin(retarget((ptx,), ARCHITECTURE))
    except MissingExtraError:
        return {}, "NVRTC (extra sass) is not installed"
    except RoofcastError as error:
        return {}, one_line(re.sub(r"\S*[/\\]", "", str(error)).removeprefix("kernel.cu: "), 120)
    return {f.name: f.registers for f in code.functions if f.is_kernel and f.registers}, ""


def find_registers(text: str, kernel: str, instance: str = "", spelled: str = "") -> tuple[float, str]:
    """Registers of a thread of one kernel; NaN and why where they are not known, or templates leave several.

    The whole file is compiled, else the kernel alone, else its file as plain C, which has instances of templates apart.

    instance : of its template, ``sum<float, 4>``. spelled : the file as plain C.
    """
    reasons: list[str] = []
    whole = [] if instance else [(text, "")]
    for written, only in [*whole, (text, kernel), *([(spelled, kernel)] if spelled else [])]:
        counts, why = count_registers(written, only, instance if written is text else "")
        reasons += [why] if why else []
        # A mangled name has its length before it.
        of_kernel = [n for s, n in counts.items() if s == kernel or f"{len(kernel)}{kernel}" in s]
        if len(of_kernel) == 1:
            return float(of_kernel[0]), ""
        if why.startswith("NVRTC"):
            break
    return math.nan, next(iter(reasons), "") or "nothing says which instance of its template is launched"
