"""The suite on a CPU: every ``.cu`` file of the suite as C++ against ``shim.h``, in one translation unit.

This is how the kernels are tested where there is no GPU, and the device behind the complete flow in those tests.
"""

from __future__ import annotations

import ctypes
import platform
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from roofcast.core.errors import RoofcastError, one_line
from roofcast.kit.disk_cache import cached, key_of
from roofcast_measure.driver import Source

COMPILERS = ("g++", "c++", "clang++")
FLAGS = ("-std=c++17", "-O1", "-w", "-shared", "-fPIC", "-ffp-contract=off")
HEADER = Path(__file__).with_name("shim.h")
SECONDS_TO_COMPILE = 300
"""s that the C++ compiler may take."""


def find_compiler() -> str | None:
    """The C++ compiler of this machine; None where there is none."""
    return next((c for c in COMPILERS if shutil.which(c)), None)


def translation_unit(sources: Sequence[Source]) -> str:
    """C++ text of all sources and a table of their kernels."""
    parts = ['#include "shim.h"']
    entries = []
    for source in sources:
        parts.append(f'namespace source_{source.name} {{\n#line 1 "{source.name}.cu"\n{source.text}}}')
        # Without barriers the threads of a block need not take turns.
        barriers = "true" if "__syncthreads" in source.text else "false"
        for kernel in source.kernels:
            symbol = f"source_{source.name}::{kernel}"
            call = f"shim::Call<&{symbol}>"
            entries.append(f'{{"{kernel}", {call}::call, {call}::arguments, {barriers}}}')
    table = ",\n  ".join(entries)
    return (
        "\n".join(parts)
        + f"""
static const shim::Entry entries[] = {{
  {table}
}};
extern "C" int roofcast_arguments(const char* name) {{
  for (const shim::Entry& e : entries)
    if (!std::strcmp(e.name, name)) return e.arguments;
  return -1;
}}
extern "C" int roofcast_launch(const char* name, const unsigned* grid, const unsigned* block, void** arguments) {{
  for (const shim::Entry& e : entries)
    if (!std::strcmp(e.name, name)) {{
      shim::failed = false;
      shim::run(e.call, e.synchronises, grid, block, arguments);
      return shim::failed ? 2 : 0;
    }}
  return 1;
}}
"""
    )


def build(sources: Sequence[Source]) -> bytes:
    """The shared library of some sources, from the cache where it was built before."""
    compiler = find_compiler()
    if compiler is None:
        raise RoofcastError("running the suite on the CPU needs a C++ compiler (g++ or clang++); install one")
    text, header = translation_unit(sources), HEADER.read_text(encoding="ascii")
    # Machine code of another machine would crash: its name is part of the key.
    key = key_of("shim", compiler, platform.machine(), *FLAGS, header, text)
    return cached(key, lambda: compile_shared(compiler, text, header))


def compile_shared(compiler: str, text: str, header: str) -> bytes:
    """Machine code of one translation unit."""
    with tempfile.TemporaryDirectory(prefix="roofcast-shim-", ignore_cleanup_errors=True) as folder:
        source, library = Path(folder) / "suite.cpp", Path(folder) / "suite.so"
        source.write_text(text, encoding="ascii")
        (Path(folder) / "shim.h").write_text(header, encoding="ascii")
        command = [compiler, *FLAGS, str(source), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS_TO_COMPILE)  # noqa: S603 - own code
        if done.returncode != 0:
            lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
            raise RoofcastError(f"{compiler} cannot compile the suite: {one_line(lines[0] if lines else '', 200)}")
        return library.read_bytes()


@lru_cache(maxsize=4)
def library(content: bytes) -> Any:
    """The library, loaded; it stays loaded until the program ends."""
    with tempfile.TemporaryDirectory(prefix="roofcast-shim-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / "suite.so"
        path.write_bytes(content)
        return ctypes.CDLL(str(path))


SCALARS: dict[str, Any] = {"i32": ctypes.c_int32, "f32": ctypes.c_float, "f64": ctypes.c_double}
ONE_AT_A_TIME = threading.Lock()
"""The library keeps thread indices in global variables."""


@dataclass
class ShimLibrary:
    """Kernels that run on the CPU."""

    loaded: Any
    launches: int = field(default=0)

    def launch(
        self, name: str, grid: Sequence[int], block: Sequence[int], arguments: Sequence[tuple[str, Any]]
    ) -> None:
        """Run one kernel.

        arguments : (type, value): type '' with an array (its memory is used in place), else i32, f32, f64.
        """
        holders = [
            ctypes.c_void_p(value.ctypes.data) if not kind else SCALARS[kind](value) for kind, value in arguments
        ]
        pointers = (ctypes.c_void_p * len(holders))(*(ctypes.cast(ctypes.byref(h), ctypes.c_void_p) for h in holders))
        three = [(ctypes.c_uint * 3)(*(*size, 1, 1)[:3]) for size in (grid, block)]
        with ONE_AT_A_TIME:
            status = self.loaded.roofcast_launch(name.encode(), *three, pointers)
        self.launches += 1
        if status:
            raise RoofcastError(f"{one_line(name, 60)}: {'a barrier in a loop' if status == 2 else 'no such kernel'}")


def compiled(sources: Sequence[Source]) -> ShimLibrary:
    """Sources ready to run on the CPU (see :func:`build`)."""
    return ShimLibrary(library(build(sources)))
