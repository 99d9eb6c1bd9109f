"""PTX to machine code of another architecture through NVIDIA's nvJitLink (no GPU needed).

The library comes from the wheel ``nvidia-nvjitlink-cu12`` of the extra ``sass`` or from an installed CUDA toolkit.
Interface: nvJitLink documentation, CUDA toolkit 12.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import re
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from roofcast.errors import InputError, MissingExtraError, RoofcastError, one_line

PACKAGE_FOLDER = Path(__file__).resolve().parents[2]
LONGEST_S = 300
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
def find_jit_link() -> str:
    """Path or name of the nvJitLink library.

    Raises
    ------
    MissingExtraError : it is not installed.
    """
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
    for wheel in ("nvidia-nvjitlink-cu12", "nvidia-nvjitlink"):
        try:
            return importlib.metadata.version(wheel)
        except importlib.metadata.PackageNotFoundError:
            continue
    try:
        return ".".join(map(str, JitLink(find_jit_link()).version))
    except (MissingExtraError, OSError):
        return ""


def retarget(
    inputs: tuple[bytes, ...], sm: int, *, feature_suffix: str = "", max_registers: int | None = None
) -> bytes:
    """Compile and link PTX (or relocatable cubins) for one architecture; returns the cubin.

    inputs : each PTX text or a relocatable cubin; several are linked together.
    sm : 70, 80, 90, 100, 120 ...
    feature_suffix : ``a`` or ``f`` for code that uses features of one architecture only (sm_90a).
    max_registers : register cap, as the compiler's maxrregcount; only PTX obeys it.

    The library runs in a process of its own: damaged PTX can make it abort.

    Raises
    ------
    InputError : the compiler refuses the input; the message holds its first words.
    MissingExtraError : nvJitLink is not installed.
    """
    oldest = max((ptx_target(data) for data in inputs), default=0)
    if oldest > sm:
        raise InputError(f"the PTX is for sm_{oldest} and newer, not for sm_{sm}")
    library = find_jit_link()
    options = [f"-arch=sm_{sm}{feature_suffix}", "-lineinfo"]
    options += [f"-maxrregcount={max_registers}"] if max_registers else []
    request = pack_texts([library.encode(), *(o.encode() for o in options)], inputs)
    child = (
        f"import sys; sys.path.insert(0, {str(PACKAGE_FOLDER)!r}); from roofcast.sass.retarget import serve; serve()"
    )
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, with code of ours
            [sys.executable, "-P", "-c", child], input=request, capture_output=True, check=False, timeout=LONGEST_S
        )
    except subprocess.TimeoutExpired:
        raise InputError(f"the compiler did not finish within {LONGEST_S} s") from None
    status, answer = done.stdout[:1], done.stdout[1:]
    if status == b"0":
        return answer
    if status == b"1":
        raise InputError(f"sm_{sm}{feature_suffix}: {answer.decode('utf-8', 'replace')}")
    raise InputError("the compiler aborted on this code: it is damaged, or nvJitLink has a defect")


def pack_texts(words: list[bytes], inputs: tuple[bytes, ...]) -> bytes:
    """Words and inputs with their lengths in front."""
    parts = [len(words).to_bytes(8, "little")]
    for text in (*words, *inputs):
        parts += [len(text).to_bytes(8, "little"), text]
    return b"".join(parts)


def unpack_texts(data: bytes) -> tuple[list[bytes], list[bytes]]:
    """What :func:`pack_texts` packed."""
    count, at, found = int.from_bytes(data[:8], "little"), 8, []
    while at < len(data):
        size = int.from_bytes(data[at : at + 8], "little")
        found.append(data[at + 8 : at + 8 + size])
        at += 8 + size
    return found[:count], found[count:]


def serve() -> None:
    """The child's side: a request on standard input, ``0`` and the cubin or ``1`` and a message on standard output."""
    words, inputs = unpack_texts(sys.stdin.buffer.read())
    try:
        answer = b"0" + link_here(JitLink(words[0].decode()), [w.decode() for w in words[1:]], inputs)
    except (RoofcastError, OSError) as error:
        answer = b"1" + str(error).encode("utf-8", "replace")
    sys.stdout.buffer.write(answer)


def link_here(link: JitLink, options: list[str], inputs: list[bytes]) -> bytes:
    """Compile and link in this process.

    Raises
    ------
    InputError : the compiler refuses the options or an input.
    """
    array = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
    handle = ctypes.c_void_p()
    if link.call("Create", ctypes.byref(handle), ctypes.c_uint32(len(options)), array):
        raise InputError(f"nvJitLink {ptxas_version()} does not know this architecture")
    try:
        for number, data in enumerate(inputs):
            add_input(link, handle, data, number)
        if link.call("Complete", handle):
            raise InputError(f"the compiler refuses this code: {link.error_log(handle)}")
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


def ptx_feature_suffix(ptx: bytes) -> str:
    r"""``a`` or ``f`` where a PTX text uses features of one architecture or family only.

    >>> ptx_feature_suffix(b".target sm_90a\n"), ptx_feature_suffix(b".target sm_80\n")
    ('a', '')
    """
    found = re.search(rb"^\s*\.target\s+sm_\d+([af])", ptx[:65536], re.MULTILINE)
    return found[1].decode() if found else ""


def ptx_target(ptx: bytes) -> int:
    r"""The architecture that a PTX text names as ``.target``, 0 where it names none.

    >>> ptx_target(b".version 8.0\n.target sm_90a")
    90
    """
    found = re.search(rb"^\s*\.target\s+sm_(\d+)", ptx[:65536], re.MULTILINE)
    return int(found[1]) if found else 0
