"""An AMD GPU of this machine, through hipcc: the same kernels, compiled by ROCm's own compiler.

``hip_bridge.cpp`` is compiled on the machine too, so that it fits the release of ROCm that is there. Both are cached by
content.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError, one_line
from roofcast.kit.disk_cache import cached, key_of
from roofcast_measure.driver import Buffer, Conditions, DeviceInfo, Launch, LoadedKernel, Source, Work, in_order
from roofcast_measure.profile_tools import find_tool
from roofcast_measure.shim import SCALARS

BRIDGE = Path(__file__).with_name("hip_bridge.cpp")
CODE_OPTIONS = ("--genco", "-x", "hip", "-O3", "-std=c++17", "-include", "hip/hip_runtime.h")
BRIDGE_OPTIONS = ("-shared", "-fPIC", "-O2", "-std=c++17")
SECONDS_TO_COMPILE = 300
"""s that hipcc may take."""
DEVICES = Path("/sys/bus/pci/devices")
"""Where Linux shows what amdgpu measures."""
NEEDS_HIPCC = "measuring an AMD GPU needs hipcc, which is not here: install ROCm's HIP development files"


class Info(ctypes.Structure):
    """``BridgeInfo`` of the bridge."""

    _fields_ = (
        ("name", ctypes.c_char * 256),
        ("architecture", ctypes.c_char * 256),
        ("bus", ctypes.c_char * 64),
        *((n, ctypes.c_longlong) for n in ("sm_count", "l2_bytes", "memory_bytes", "clock_khz", "memory_khz")),
        *((n, ctypes.c_longlong) for n in ("bus_bits", "runtime")),
    )


def hipcc(options: Sequence[str], text: str, suffix: str, what: str) -> bytes:
    """What hipcc makes of a text, from the cache where the same text was compiled before."""
    compiler = find_tool("hipcc")
    if compiler is None:
        raise RoofcastError(NEEDS_HIPCC)

    def compile_now() -> bytes:
        with tempfile.TemporaryDirectory(prefix="roofcast-hip-", ignore_cleanup_errors=True) as folder:
            source, output = Path(folder) / f"source{suffix}", Path(folder) / "made"
            source.write_text(text, encoding="ascii")
            command = [compiler, *options, str(source), "-o", str(output)]
            try:
                done = subprocess.run(  # noqa: S603 - the compiler of this machine, own code
                    command, capture_output=True, text=True, errors="replace", check=False, timeout=SECONDS_TO_COMPILE
                )
            except (OSError, subprocess.TimeoutExpired) as error:
                raise RoofcastError(f"hipcc does not run: {one_line(str(error), 160)}") from error
            if done.returncode or not output.is_file():
                lines = [line for line in done.stderr.splitlines() if "error" in line] or done.stderr.splitlines()
                raise RoofcastError(f"hipcc cannot compile {what}: {one_line(lines[0] if lines else '', 200)}")
            return output.read_bytes()

    return cached(key_of("hip", compiler, *options, text), compile_now)


class HipGraph:
    """Launches captured as a graph."""

    def __init__(self, driver: HipDriver, graph: ctypes.c_void_p, ready: ctypes.c_void_p) -> None:
        self.driver, self.graph, self.ready = driver, graph, ready

    def run(self) -> None:
        """Start the graph."""
        self.driver.call("run", self.driver.stream, self.ready)

    def close(self) -> None:
        """Destroy the graph."""
        self.driver.call("drop", self.graph, self.ready)


class HipDriver:
    """One AMD GPU."""

    def __init__(self, number: int) -> None:
        code = hipcc(BRIDGE_OPTIONS, BRIDGE.read_text(encoding="ascii"), ".hip.cpp", "the bridge to HIP")
        self.temporary = tempfile.TemporaryDirectory(prefix="roofcast-hip-", ignore_cleanup_errors=True)
        self.folder = Path(self.temporary.name)
        try:
            self.open(code, number)
        except BaseException:
            self.temporary.cleanup()
            raise

    def open(self, code: bytes, number: int) -> None:
        """Load the bridge and take a GPU."""
        library = self.folder / "bridge.so"
        library.write_bytes(code)
        try:
            self.bridge = ctypes.CDLL(str(library))
        except OSError as error:
            raise RoofcastError(f"HIP's library cannot be loaded: {one_line(str(error), 160)}") from error
        self.bridge.bridge_error.restype = ctypes.c_char_p
        count = ctypes.c_int()
        self.call("count", ctypes.byref(count))
        if number >= count.value:
            raise RoofcastError(f"there is no GPU {number}: HIP knows {count.value}, numbered from 0")
        self.stream = ctypes.c_void_p()
        facts = Info()
        self.call("open", number, ctypes.byref(facts), ctypes.byref(self.stream))
        self.architecture = facts.architecture.decode("ascii", "replace")
        self.info = info_of(facts)
        self.sensors = DEVICES / facts.bus.decode("ascii", "replace").lower()

    def call(self, name: str, *arguments: Any) -> None:
        """One function of the bridge."""
        if getattr(self.bridge, f"bridge_{name}")(*arguments):
            message = self.bridge.bridge_error().decode("utf-8", "replace").partition("(")
            raise RoofcastError(f"{message[0]} failed on the GPU: {one_line(message[2].rpartition(': ')[2], 80)}")

    def load(self, source: Source) -> Mapping[str, LoadedKernel]:
        """Compile a text for this GPU and load its kernels."""
        options = (*CODE_OPTIONS, f"--offload-arch={self.architecture}")
        path = self.folder / f"{source.name}.hsaco"
        path.write_bytes(hipcc(options, source.text, ".hip", f"{source.name} for {self.architecture}"))
        module = ctypes.c_void_p()
        self.call("load", str(path).encode(), ctypes.byref(module))
        kernels = {}
        for name in source.kernels:
            kernel, known = ctypes.c_void_p(), (ctypes.c_int * 3)()
            self.call("kernel", module, name.encode(), ctypes.byref(kernel), known)
            kernels[name] = LoadedKernel(name, kernel, *(float(v) for v in known))
        return kernels

    def free_bytes(self) -> int:
        """Device memory that can still be allocated."""
        size = ctypes.c_size_t()
        self.call("free_bytes", ctypes.byref(size))
        return size.value

    def allocate(self, size_bytes: int) -> Buffer:
        """Device memory."""
        at = ctypes.c_void_p()
        self.call("allocate", ctypes.c_size_t(max(size_bytes, 1)), ctypes.byref(at))
        return Buffer(at, size_bytes)

    def release(self, buffer: Buffer) -> None:
        """Give memory back."""
        self.call("release", buffer.handle)

    def upload(self, buffer: Buffer, values: NDArray[Any], offset_bytes: int = 0) -> None:
        """Copy an array to the device, after all earlier launches."""
        values = in_order(values)
        self.wait()
        to = ctypes.c_void_p((buffer.handle.value or 0) + offset_bytes)
        self.call("upload", to, ctypes.c_void_p(values.ctypes.data), ctypes.c_size_t(values.nbytes))

    def download(self, buffer: Buffer, values: NDArray[Any]) -> None:
        """Copy device memory into an array, after all earlier launches."""
        self.wait()
        self.call("download", ctypes.c_void_p(values.ctypes.data), buffer.handle, ctypes.c_size_t(values.nbytes))

    def prepare(self, launches: Sequence[Launch]) -> Work:
        """Launches captured as one graph."""
        self.call("capture", self.stream)
        try:
            for launch in launches:
                self.launch(launch)
        finally:
            graph, ready = ctypes.c_void_p(), ctypes.c_void_p()
            self.call("captured", self.stream, ctypes.byref(graph), ctypes.byref(ready))
        return HipGraph(self, graph, ready)

    def launch(self, one: Launch) -> None:
        """One launch into the stream."""
        holders = [v.handle if not kind else SCALARS[kind](v) for kind, v in one.arguments]
        values = (ctypes.c_void_p * max(len(holders), 1))(
            *(ctypes.cast(ctypes.byref(h), ctypes.c_void_p) for h in holders)
        )
        grid, block = ((ctypes.c_uint * 3)(*(*size, 1, 1)[:3]) for size in (one.grid, one.block))
        self.call("launch", self.stream, one.kernel.handle, grid, block, values)

    def time(self, work: Work) -> float:
        """Seconds between two events around the prepared launches."""
        assert isinstance(work, HipGraph)
        milliseconds = ctypes.c_float()
        self.call("time", self.stream, work.ready, ctypes.byref(milliseconds))
        return milliseconds.value * 1e-3

    def wait(self) -> None:
        """Wait until the stream is idle; errors of earlier launches show here."""
        self.call("wait", self.stream)

    def conditions(self) -> Conditions:
        """Clocks and power as the kernel's driver tells them; NaN where it does not."""
        return Conditions(
            self.sensor("freq1_input"), self.sensor("freq2_input"),
            1e-6 * self.sensor("power1_average", "power1_input"),
        )  # fmt: skip

    def sensor(self, *names: str) -> float:
        """The first of some values of the device that can be read: clocks in Hz, power in microwatt."""
        for name in names:
            for path in self.sensors.glob(f"hwmon/hwmon*/{name}"):
                with contextlib.suppress(OSError, ValueError):
                    return float(path.read_text())
        return math.nan

    def close(self) -> None:
        """Give the stream and the files back."""
        self.call("close", self.stream)
        self.temporary.cleanup()


def info_of(found: Info) -> DeviceInfo:
    """What HIP says of a GPU; clocks are stated in kHz, the bus width in bits, two transfers per clock."""
    memory_hz = 1e3 * found.memory_khz or math.nan
    return DeviceInfo(
        name=found.name.decode("utf-8", "replace") or found.architecture.decode("ascii", "replace"),
        compute_capability="", sm_count=found.sm_count, capacity_bytes_l2=found.l2_bytes,
        capacity_bytes_dram=found.memory_bytes, clock_hz_boost=1e3 * found.clock_khz or math.nan,
        clock_hz_dram=memory_hz, bytes_per_s_dram_peak=2 * memory_hz * found.bus_bits / 8 or math.nan,
        driver=f"HIP {found.runtime // 10_000_000}.{found.runtime // 100_000 % 100}",
    )  # fmt: skip
