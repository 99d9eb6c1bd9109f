"""PTX to machine code of another architecture, in process, through NVIDIA's nvJitLink (no GPU needed).

The library comes from the wheel ``nvidia-nvjitlink-cu12`` of the extra ``sass`` or from an installed CUDA toolkit.
Interface: nvJitLink documentation, CUDA toolkit 12.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import re
from functools import lru_cache
from pathlib import Path

from roofcast.errors import InputError, MissingExtraError, one_line

INPUT_CUBIN = 1
INPUT_PTX = 2
NEEDS_EXTRA = "needs the extra 'sass' (NVIDIA's compiler wheels): pip install 'roofcast[sass]'"
NEWEST_FIRST = [f"_{major}_{minor}" for major in (13, 12) for minor in range(15, -1, -1)]
ENTRY_POINTS = (
    *("Create", "Destroy", "AddData", "Complete", "GetLinkedCubinSize", "GetLinkedCubin"),
    *("GetErrorLogSize", "GetErrorLog"),
)


class JitLink:
    """The entry points of one nvJitLink library."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        suffix = next((s for s in NEWEST_FIRST if hasattr(self.library, f"__nvJitLinkCreate{s}")), None)
        if suffix is None:
            raise MissingExtraError(f"nvJitLink has no entry point that roofcast knows; {NEEDS_EXTRA}")
        self.calls = {name: getattr(self.library, f"__nvJitLink{name}{suffix}") for name in ENTRY_POINTS}
        self.version = (int(suffix.split("_")[1]), int(suffix.split("_")[2]))

    def call(self, name: str, *arguments: object) -> int:
        """Status of one call; 0 is success."""
        return int(self.calls[name](*arguments))

    def error_log(self, handle: ctypes.c_void_p) -> str:
        """What the library has to say about a failure, as one line."""
        size = ctypes.c_size_t()
        if self.call("GetErrorLogSize", handle, ctypes.byref(size)) or not 0 < size.value < 2**24:
            return "no message"
        text = ctypes.create_string_buffer(size.value + 1)
        self.call("GetErrorLog", handle, text)
        return one_line(text.value.decode("utf-8", "replace"), 300)


def wheel_file(package: str, pattern: str) -> Path | None:
    """A file of an NVIDIA wheel (they share the namespace ``nvidia``), None where it is not installed."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return None
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        found = sorted(Path(folder).glob(f"{package}/{pattern}"))
        if found:
            return found[-1]
    return None


@lru_cache(maxsize=1)
def load_jit_link() -> JitLink:
    """The nvJitLink library.

    Raises
    ------
    MissingExtraError : it is not installed or cannot be loaded.
    """
    wheel = (
        wheel_file("nvjitlink", "lib/libnvJitLink.so*")
        or wheel_file("cu13", "lib/libnvJitLink.so*")
        or wheel_file("nvjitlink", "bin/nvJitLink*.dll")
    )
    for candidate in (str(wheel) if wheel else "", "libnvJitLink.so.12", "libnvJitLink.so.13"):
        if candidate:
            try:
                return JitLink(candidate)
            except OSError:
                continue
    raise MissingExtraError(f"retargeting PTX {NEEDS_EXTRA}")


@lru_cache(maxsize=1)
def ptxas_version() -> str:
    """Toolkit version of the code generator, e.g. ``12.9.86``; '' where it is not installed."""
    for wheel in ("nvidia-nvjitlink-cu12", "nvidia-nvjitlink"):
        try:
            return importlib.metadata.version(wheel)
        except importlib.metadata.PackageNotFoundError:
            continue
    try:
        return ".".join(map(str, load_jit_link().version))
    except MissingExtraError:
        return ""


def retarget(
    inputs: tuple[bytes, ...], sm: int, *, feature_suffix: str = "", max_registers: int | None = None
) -> bytes:
    """Compile and link PTX (or relocatable cubins) for one architecture; returns the cubin.

    inputs : each PTX text or a relocatable cubin; several are linked together.
    sm : 70, 80, 90, 100, 120 ...
    feature_suffix : ``a`` or ``f`` for code that uses features of one architecture only (sm_90a).
    max_registers : register cap, as the compiler's maxrregcount; only PTX obeys it.

    Raises
    ------
    InputError : the compiler refuses the input; the message holds its first words.
    MissingExtraError : nvJitLink is not installed.
    """
    oldest = max((ptx_target(data) for data in inputs), default=0)
    if oldest > sm:
        raise InputError(f"the PTX is for sm_{oldest} and newer, not for sm_{sm}")
    link = load_jit_link()
    options = [f"-arch=sm_{sm}{feature_suffix}", "-lineinfo"] + (
        [f"-maxrregcount={max_registers}"] if max_registers else []
    )
    array = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
    handle = ctypes.c_void_p()
    if link.call("Create", ctypes.byref(handle), ctypes.c_uint32(len(options)), array):
        raise InputError(f"nvJitLink {ptxas_version()} does not know sm_{sm}{feature_suffix}")
    try:
        for number, data in enumerate(inputs):
            add_input(link, handle, data, number)
        if link.call("Complete", handle):
            raise InputError(f"retargeting to sm_{sm}{feature_suffix} failed: {link.error_log(handle)}")
        size = ctypes.c_size_t()
        link.call("GetLinkedCubinSize", handle, ctypes.byref(size))
        cubin = ctypes.create_string_buffer(size.value)
        link.call("GetLinkedCubin", handle, cubin)
        return cubin.raw
    finally:
        link.call("Destroy", ctypes.byref(handle))


def add_input(link: JitLink, handle: ctypes.c_void_p, data: bytes, number: int) -> None:
    """Hand one input over to the linker."""
    kind = INPUT_CUBIN if data[:4] == b"\x7fELF" else INPUT_PTX
    name = b"input%d" % number
    # The library reads PTX as a C string although it is told the size.
    held = data if kind == INPUT_CUBIN else data.rstrip(b"\0") + b"\0"
    if link.call("AddData", handle, kind, held, ctypes.c_size_t(len(held)), name):
        raise InputError(f"the compiler does not take this code: {link.error_log(handle)}")


def ptx_version(ptx: bytes) -> tuple[int, int] | None:
    """The ``.version`` of a PTX text.

    >>> ptx_version(b".version 7.4 .target sm_70")
    (7, 4)
    """
    found = re.search(rb"^\s*\.version\s+(\d+)\.(\d+)", ptx[:65536], re.MULTILINE)
    return (int(found[1]), int(found[2])) if found else None


def ptx_target(ptx: bytes) -> int:
    r"""The architecture that a PTX text names as ``.target``, 0 where it names none.

    >>> ptx_target(b".version 8.0\n.target sm_90a")
    90
    """
    found = re.search(rb"^\s*\.target\s+sm_(\d+)", ptx[:65536], re.MULTILINE)
    return int(found[1]) if found else 0
