"""CUDA C++ to PTX through NVRTC (device code only): for ``.cu`` files on the command line and the tests' kernels.

Interface: NVRTC documentation, CUDA toolkit 12. The library comes from the wheel ``nvidia-cuda-nvrtc-cu12``.
"""

from __future__ import annotations

import ctypes
from functools import lru_cache
from pathlib import Path

from roofcast.core.errors import InputError, MissingExtraError, one_line
from roofcast.sass.wheels import NEEDS_EXTRA, wheel_file


@lru_cache(maxsize=1)
def load_nvrtc() -> ctypes.CDLL:
    """The NVRTC library.

    Raises
    ------
    MissingExtraError : it is not installed or cannot be loaded.
    """
    wheel = wheel_file("cuda_nvrtc", "lib/libnvrtc.so.1?") or wheel_file("cu13", "lib/libnvrtc.so.1?")
    for candidate in (str(wheel) if wheel else "", "libnvrtc.so.12", "libnvrtc.so.13"):
        if candidate:
            try:
                return ctypes.CDLL(candidate)
            except OSError:
                continue
    raise MissingExtraError(f"compiling CUDA source {NEEDS_EXTRA}")


def compile_to_ptx(source: bytes, name: str, architecture: str = "compute_75", options: tuple[str, ...] = ()) -> bytes:
    """Compile device code.

    architecture : ``compute_70`` ...: the oldest GPU that the PTX is to run on.

    Raises
    ------
    InputError : the source does not compile; the message holds the first error.
    MissingExtraError : NVRTC is not installed.
    """
    nvrtc = load_nvrtc()
    program = ctypes.c_void_p()
    if b"\0" in source or nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source, Path(name).name.encode("utf-8", "replace"), 0, None, None
    ):
        raise InputError(f"{one_line(name)}: not a CUDA source file")
    headers = wheel_file("cuda_runtime", "include/cuda_fp16.h")
    arguments = [f"-arch={architecture}", "-lineinfo", "-std=c++17", *options]
    if headers is not None:
        arguments.append(f"-I{headers.parent}")
    array = (ctypes.c_char_p * len(arguments))(*[a.encode() for a in arguments])
    try:
        if nvrtc.nvrtcCompileProgram(program, len(arguments), array):
            lines = text_of(nvrtc, program, "ProgramLog").decode("utf-8", "replace").splitlines()
            first = next((line for line in lines if "error" in line), lines[0] if lines else "no message")
            raise InputError(f"{one_line(name)}: does not compile: {one_line(first, 200)}")
        return text_of(nvrtc, program, "PTX").rstrip(b"\0")
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def text_of(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> bytes:
    """A text that NVRTC made."""
    size = ctypes.c_size_t()
    getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value + 1)
    getattr(nvrtc, f"nvrtcGet{what}")(program, text)
    return text.value
