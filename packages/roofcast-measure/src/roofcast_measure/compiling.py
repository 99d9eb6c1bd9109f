"""CUDA C++ to machine code of one architecture through NVRTC: no nvcc, no GPU.

NVRTC is called directly (the wheel ``nvidia-cuda-nvrtc-cu12``), not through cuda-core: the version of the Python
bindings then need not be the compiler's. Code of toolkit 12.9 runs under every driver since 525 and covers sm_50 to
sm_121.
Results are cached by content hash, so a machine without NVRTC can run code that was compiled on another one.
"""

from __future__ import annotations

import ctypes

from roofcast.core.errors import InputError, MissingExtraError, one_line
from roofcast.kit.disk_cache import cached, key_of
from roofcast.sass.toolkit import load_nvrtc, text_of

ARCHITECTURES = (70, 75, 80, 86, 89, 90, 100, 120)
"""What the suite is tested for; any other that NVRTC knows compiles as well."""
OPTIONS = ("-std=c++17", "-lineinfo")
NEEDS_EXTRA = "compiling kernels needs the extra 'cuda': pip install 'roofcast[cuda]'"


def compile_to_cubin(source: str, name: str, sm: int | str) -> bytes:
    """Machine code for one architecture, from the cache where the same text was compiled before.

    sm : 80 for ``sm_80``, '90a' for ``sm_90a``.
    """
    return cached(cache_key(source, sm), lambda: run_nvrtc(source, name, sm))


def cache_key(source: str, sm: int | str) -> str:
    """Key of compiled code: text and architecture; not the compiler, which may be absent at run time."""
    return key_of("cubin", source, str(sm), *OPTIONS)


def run_nvrtc(source: str, name: str, sm: int | str) -> bytes:
    """One run of the compiler."""
    try:
        nvrtc = load_nvrtc()
    except MissingExtraError as error:
        raise MissingExtraError(NEEDS_EXTRA) from error
    program = ctypes.c_void_p()
    if nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), f"{name}.cu".encode(), 0, None, None):
        raise InputError(f"{one_line(name)}: not a CUDA source text")
    arguments = [f"-arch=sm_{sm}", *OPTIONS]
    array = (ctypes.c_char_p * len(arguments))(*(a.encode() for a in arguments))
    try:
        if nvrtc.nvrtcCompileProgram(program, len(arguments), array):
            lines = text_of(nvrtc, program, "ProgramLog").decode("utf-8", "replace").splitlines()
            first = next((line for line in lines if "error" in line), lines[0] if lines else "no message")
            raise InputError(f"{one_line(name)}: does not compile for sm_{sm}: {one_line(first, 200)}")
        # Machine code of a compiled program (binary: it holds zero bytes).
        size = ctypes.c_size_t()
        nvrtc.nvrtcGetCUBINSize(program, ctypes.byref(size))
        if not size.value:
            raise InputError(f"{one_line(name)}: NVRTC gave no machine code for sm_{sm}")
        content = ctypes.create_string_buffer(size.value)
        nvrtc.nvrtcGetCUBIN(program, content)
        return content.raw
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
