"""Registers of a kernel, from its own text: NVRTC and nvJitLink compile what a file holds for the device.

Where they (extra ``sass``) are not installed, or the text does not compile by itself, registers stay unknown.
"""

from __future__ import annotations

import re
from functools import lru_cache

from roofcast.core.errors import RoofcastError
from roofcast.kit.disk_cache import cached, key_of
from roofcast.sass.cubin import parse_cubin
from roofcast.sass.retarget import retarget
from roofcast.sass.toolkit import compile_to_ptx
from roofcast_hull.source.c_text import COMMENT
from roofcast_hull.source.host_text import find_functions

ARCHITECTURE = 80
"""Registers differ by a few between architectures; those of sm_80 stand for all."""
HOST_LINES = re.compile(r"^[ \t]*(?:#[ \t]*include\b|using\b).*$", re.MULTILINE)
DEVICE = re.compile(r"__(?:global|device)__")


def keep_device_text(text: str) -> str:
    """The text without comments, includes and the functions of the host; lines stay."""
    bare = COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else " " + "\n" * m[0].count("\n"), text)
    bare = HOST_LINES.sub("", bare)
    out: list[str] = []
    at = 0
    for function in find_functions(bare):
        if function.start < at or DEVICE.search(bare[function.start : function.end].partition("{")[0]):
            continue
        out += [bare[at : function.start], "\n" * bare.count("\n", function.start, function.end)]
        at = function.end
    return "".join([*out, bare[at:]])


@lru_cache(maxsize=8)
def count_registers(text: str) -> dict[str, int]:
    """Linker symbol -> registers of a thread, of each kernel of a file; empty where they are not known."""
    source = keep_device_text(text).encode()
    try:
        ptx = cached(key_of("ptx of source", source), lambda: compile_to_ptx(source, "kernel.cu"))
        code = parse_cubin(retarget((ptx,), ARCHITECTURE))
    except RoofcastError:
        return {}
    return {f.name: f.registers for f in code.functions if f.is_kernel and f.registers}


def find_registers(text: str, kernel: str) -> float:
    """Registers of a thread of one kernel; NaN where they are not known, or templates leave several."""
    counts = count_registers(text)
    # A mangled name has its length before it.
    of_kernel = [n for s, n in counts.items() if s == kernel or f"{len(kernel)}{kernel}" in s]
    return float(of_kernel[0]) if len(of_kernel) == 1 else float("nan")
