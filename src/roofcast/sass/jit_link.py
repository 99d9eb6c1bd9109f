"""NVIDIA's nvJitLink, and the process of its own that it runs in: damaged PTX can make it abort.

The child is started as a file (``python -I -S jit_link.py``): nothing of roofcast and little of the standard library
is loaded, so that starting costs 10 ms. Interface: nvJitLink documentation, CUDA toolkit 12.
"""

import ctypes
import sys
from collections.abc import Iterator, Sequence

INPUT_CUBIN = 1
"""nvJitLink's number of an input that is a cubin (NVJITLINK_INPUT_CUBIN)."""
INPUT_PTX = 2
"""nvJitLink's number of an input that is PTX (NVJITLINK_INPUT_PTX)."""
NEWEST_FIRST = [f"_{major}_{minor}" for major in (13, 12) for minor in range(15, -1, -1)]
ENTRY_POINTS = (
    *("Create", "Destroy", "AddData", "Complete", "GetLinkedCubinSize", "GetLinkedCubin"),
    *("GetErrorLogSize", "GetErrorLog"),
)


class LinkError(Exception):
    """What the library says about a failure, as it says it."""


class JitLink:
    """The entry points of one nvJitLink library."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        suffix = next((s for s in NEWEST_FIRST if hasattr(self.library, f"__nvJitLinkCreate{s}")), None)
        if suffix is None:
            raise LinkError("nvJitLink has no entry point that roofcast knows")
        self.calls = {name: getattr(self.library, f"__nvJitLink{name}{suffix}") for name in ENTRY_POINTS}
        self.version = (int(suffix.split("_")[1]), int(suffix.split("_")[2]))

    def call(self, name: str, *arguments: object) -> int:
        """Status of one call; 0 is success."""
        return int(self.calls[name](*arguments))

    def error_log(self, handle: ctypes.c_void_p) -> str:
        """What the library has to say about a failure."""
        size = ctypes.c_size_t()
        if self.call("GetErrorLogSize", handle, ctypes.byref(size)) or not 0 < size.value < 2**24:
            return "no message"
        text = ctypes.create_string_buffer(size.value + 1)
        self.call("GetErrorLog", handle, text)
        return text.value.decode("utf-8", "replace")

    def link(self, options: Sequence[bytes], inputs: Sequence[bytes]) -> bytes:
        """Compile and link in this process; the cubin."""
        array = (ctypes.c_char_p * len(options))(*options)
        handle = ctypes.c_void_p()
        if self.call("Create", ctypes.byref(handle), ctypes.c_uint32(len(options)), array):
            raise LinkError(f"nvJitLink {'.'.join(map(str, self.version))} does not know this architecture")
        try:
            for number, data in enumerate(inputs):
                self.add_input(handle, data, number)
            if self.call("Complete", handle):
                raise LinkError(f"the compiler refuses this code: {self.error_log(handle)}")
            size = ctypes.c_size_t()
            self.call("GetLinkedCubinSize", handle, ctypes.byref(size))
            cubin = ctypes.create_string_buffer(size.value)
            self.call("GetLinkedCubin", handle, cubin)
            return cubin.raw
        finally:
            self.call("Destroy", ctypes.byref(handle))

    def add_input(self, handle: ctypes.c_void_p, data: bytes, number: int) -> None:
        """Hand one input over to the linker."""
        kind = INPUT_CUBIN if data[:4] == b"\x7fELF" else INPUT_PTX
        # The library reads PTX as a C string although it is told the size.
        held = data if kind == INPUT_CUBIN else data.rstrip(b"\0") + b"\0"
        if self.call("AddData", handle, kind, held, ctypes.c_size_t(len(held)), b"input%d" % number):
            raise LinkError(f"the compiler does not take this code: {self.error_log(handle)}")


def pack(parts: Sequence[bytes]) -> bytes:
    """Texts with their lengths in front."""
    return b"".join(len(p).to_bytes(8, "little") + p for p in parts)


def unpack(data: bytes) -> Iterator[bytes]:
    """What :func:`pack` packed; a part that is cut off is left out."""
    at = 0
    while at + 8 <= len(data):
        size = int.from_bytes(data[at : at + 8], "little")
        if at + 8 + size > len(data):
            return
        yield data[at + 8 : at + 8 + size]
        at += 8 + size


def serve() -> None:
    """The child's side: library and jobs on standard input; per job ``0`` and the cubin, or ``1`` and a message.

    A job is packed itself: how many options, the options, the inputs.
    """
    path, *jobs = unpack(sys.stdin.buffer.read())
    link: JitLink | None = None
    for job in jobs:
        count, *parts = unpack(job)
        options, inputs = parts[: int(count)], parts[int(count) :]
        try:
            link = link or JitLink(path.decode())
            answer = b"0" + link.link(options, inputs)
        except (LinkError, OSError) as error:
            answer = b"1" + str(error).encode("utf-8", "replace")
        sys.stdout.buffer.write(pack([answer]))
        sys.stdout.buffer.flush()  # what is done stays done, should the next job abort


if __name__ == "__main__":
    serve()
