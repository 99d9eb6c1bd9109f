"""NVIDIA's compilers, where they are installed: the linker nvJitLink, and CUDA C++ to PTX through NVRTC.

Light enough to be asked before every forecast. Interface: NVRTC documentation, CUDA toolkit 12 (device code only, for
``.cu`` files). The libraries come from the wheels of the extra ``sass`` or from an installed CUDA toolkit.
"""

from __future__ import annotations

import ctypes
import importlib.util
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from roofcast.core.errors import InputError, MissingExtraError, one_line
from roofcast.sass import jit_link

NEEDS_EXTRA = "needs the extra 'sass' (NVIDIA's compiler wheels): pip install 'roofcast[sass]'"


def wheel_folders() -> tuple[Path, ...]:
    """The folders of the namespace ``nvidia`` that the wheels share."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return ()
    return tuple(Path(folder) for folder in (spec.submodule_search_locations or ())) if spec else ()


def wheel_file(package: str, pattern: str) -> Path | None:
    """A file of an NVIDIA wheel, None where it is not installed."""
    for folder in wheel_folders():
        files = sorted(folder.glob(f"{package}/{pattern}"))
        if files:
            return files[-1]
    return None


@lru_cache(maxsize=1)
def linker_wheel_version() -> str:
    """Toolkit version of the nvJitLink wheel, e.g. ``12.9.86``; '' where there is none.

    Read off the name of its metadata folder: the standard library's own way loads an e-mail parser.
    """
    for folder in wheel_folders():
        for name in ("nvidia_nvjitlink_cu12-*.dist-info", "nvidia_nvjitlink-*.dist-info"):
            for wheel in sorted(folder.parent.glob(name)):
                return wheel.name.removesuffix(".dist-info").rpartition("-")[2]
    return ""


@lru_cache(maxsize=1)
def find_jit_link() -> str:
    """Path or name of the nvJitLink library."""
    wheel = (
        wheel_file("nvjitlink", "lib/libnvJitLink.so*")
        or wheel_file("cu13", "lib/libnvJitLink.so*")
        or wheel_file("nvjitlink", "bin/nvJitLink*.dll")
    )
    if wheel is not None:
        return str(wheel)
    for name in ("libnvJitLink.so.12", "libnvJitLink.so.13"):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return name
    raise MissingExtraError(f"retargeting PTX {NEEDS_EXTRA}")


@lru_cache(maxsize=1)
def ptxas_version() -> str:
    """Toolkit version of the code generator, e.g. ``12.9.86``; '' where it is not installed."""
    try:
        library = find_jit_link()
        return linker_wheel_version() or ".".join(map(str, jit_link.JitLink(library).version))
    except (MissingExtraError, OSError, jit_link.LinkError):
        return ""


@lru_cache(maxsize=1)
def load_nvrtc() -> ctypes.CDLL:
    """The NVRTC library."""
    wheel = wheel_file("cuda_nvrtc", "lib/libnvrtc.so.1?") or wheel_file("cu13", "lib/libnvrtc.so.1?")
    for candidate in (str(wheel) if wheel else "", "libnvrtc.so.12", "libnvrtc.so.13"):
        if candidate:
            try:
                return ctypes.CDLL(candidate)
            except OSError:
                continue
    raise MissingExtraError(f"compiling CUDA source {NEEDS_EXTRA}")


def has_header(name: str) -> bool:
    """Whether NVIDIA's runtime wheel has a header that compiled code may include."""
    return wheel_file("cuda_runtime", f"include/{name}") is not None


def compile_to_ptx(
    source: bytes, name: str, architecture: str = "compute_75", instances: Sequence[str] = (),
    options: Sequence[str] = (),
) -> bytes:  # fmt: skip
    """Compile device code.

    architecture : ``compute_70`` ...: the oldest GPU that the PTX is to run on. instances : of templates, which nothing
        in the source asks for: ``sum<float, 4>``. options : further ones of NVRTC.
    """
    nvrtc = load_nvrtc()
    program = ctypes.c_void_p()
    if b"\0" in source or nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source, Path(name).name.encode("utf-8", "replace"), 0, None, None
    ):
        raise InputError(f"{one_line(name)}: not a CUDA source file")
    for instance in instances:
        nvrtc.nvrtcAddNameExpression(program, instance.encode("utf-8", "replace"))
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
