"""The GPU of this machine: cuda-core for modules, streams, graphs and events, NVML for clocks and power."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import MissingExtraError, RoofcastError, one_line
from roofcast_measure.compiling import compile_to_cubin
from roofcast_measure.driver import (
    Buffer,
    Conditions,
    DeviceInfo,
    Driver,
    Launch,
    LoadedKernel,
    Source,
    Work,
    in_order,
)

SCALARS: dict[str, Any] = {"i32": np.int32, "f32": np.float32, "f64": np.float64}
KERNEL_ATTRIBUTES = ("num_regs", "shared_size_bytes", "local_size_bytes")
OLDEST_SM = 50
"""Maxwell: the oldest that NVRTC 12.9 knows; that of toolkit 13 begins at 75."""


def open_driver(device: int = 0) -> Driver:
    """The GPU of that number."""
    try:
        import cuda.core
    except ImportError as error:
        raise MissingExtraError("measuring a GPU needs the extra 'cuda': pip install 'roofcast[cuda]'") from error
    del cuda
    count = device_count()
    if device >= count:
        many = "one GPU" if count == 1 else f"{count} GPUs"
        raise RoofcastError(f"there is no GPU {device}: the driver knows {many}, numbered from 0")
    try:
        return CudaDriver(device)
    except Exception as error:
        if isinstance(error, RoofcastError):
            raise
        raise RoofcastError(f"GPU {device} cannot be used: {one_line(str(error), 200)}") from error


def device_count() -> int:
    """GPUs that the CUDA driver knows."""
    from cuda.bindings import driver as cu

    try:
        (status,) = cu.cuInit(0)
    except Exception as error:
        raise RoofcastError(
            "no NVIDIA driver on this machine (libcuda.so.1 is not there): measuring needs one and a GPU"
        ) from error
    if status == cu.CUresult.CUDA_ERROR_NO_DEVICE:
        raise RoofcastError("the NVIDIA driver is there, but it knows no GPU: measuring needs one")
    if status != cu.CUresult.CUDA_SUCCESS:
        raise RoofcastError(f"the NVIDIA driver does not start: {status.name}")
    count = int(checked(cu.cuDeviceGetCount()))
    if not count:
        raise RoofcastError("the NVIDIA driver is there, but it knows no GPU: measuring needs one")
    return count


def checked(result: tuple[Any, ...]) -> Any:
    """The value of a driver call."""
    status, *values = result
    if int(status) != 0:
        raise RoofcastError(f"the CUDA driver reports {one_line(getattr(status, 'name', str(status)), 80)}")
    return values[0] if len(values) == 1 else tuple(values)


def plain(attribute: Any) -> float:
    """An attribute of a kernel: a number, in older releases of cuda-core a method."""
    return float(attribute() if callable(attribute) else attribute)


def timing_options() -> Any:
    """Options of an event that records the time; their name changed with cuda-core 1.0."""
    from cuda.core import EventOptions

    try:
        return EventOptions(timing_enabled=True)
    except TypeError:
        return EventOptions(enable_timing=True)


@contextlib.contextmanager
def translated(what: str) -> Iterator[None]:
    """Errors of cuda-core as one line: a launch that fails, a device that is lost or full."""
    try:
        yield
    except RoofcastError:
        raise
    except Exception as error:
        raise RoofcastError(f"{what} failed on the GPU: {one_line(str(error), 200)}") from error


class Graph:
    """Launches captured as a CUDA graph."""

    def __init__(self, graph: Any, stream: Any) -> None:
        self.graph, self.stream = graph, stream

    def run(self) -> None:
        """Start the graph."""
        with translated("a launch"):
            self.graph.launch(self.stream)

    def close(self) -> None:
        """Destroy the graph."""
        self.graph.close()


class CudaDriver:
    """One NVIDIA GPU through cuda-core."""

    def __init__(self, number: int) -> None:
        from cuda.core import Device

        self.device = Device(number)
        self.device.set_current()
        self.stream = self.device.create_stream()
        self.sensors = sensors_of(bus_of(number))
        self.modules: list[Any] = []
        """Loaded code: kernels live as long as it does."""
        self.info = info_of(self.device)
        if self.info.sm < OLDEST_SM:
            least = f"compute capability {OLDEST_SM / 10} or newer is needed"
            raise RoofcastError(f"{one_line(self.info.name, 60)}: {least}")

    def load(self, source: Source) -> Mapping[str, LoadedKernel]:
        """Compile a text for this GPU and load its kernels (see :func:`compile_to_cubin` for errors)."""
        from cuda.core import ObjectCode

        cubin = compile_to_cubin(source.text, source.name, f"{self.info.sm}{source.feature}")
        kernels = {}
        with translated(f"loading {one_line(source.name, 60)}"):
            code = ObjectCode.from_cubin(cubin)
            self.modules.append(code)
            for name in source.kernels:
                kernel = code.get_kernel(name)
                known = [plain(getattr(kernel.attributes, n)) for n in KERNEL_ATTRIBUTES]
                kernels[name] = LoadedKernel(name, kernel, *known)
        return kernels

    def free_bytes(self) -> int:
        """Device memory that can still be allocated."""
        from cuda.bindings import driver as cu

        return int(checked(cu.cuMemGetInfo())[0])

    def allocate(self, size_bytes: int) -> Buffer:
        """Device memory; plain cuMemAlloc, so that freed memory is free at once."""
        from cuda.bindings import driver as cu

        return Buffer(int(checked(cu.cuMemAlloc(max(size_bytes, 1)))), size_bytes)

    def release(self, buffer: Buffer) -> None:
        """Give memory back."""
        from cuda.bindings import driver as cu

        checked(cu.cuMemFree(buffer.handle))

    def upload(self, buffer: Buffer, values: NDArray[Any], offset_bytes: int = 0) -> None:
        """Copy an array to the device, after all earlier launches; the data are there when this returns."""
        from cuda.bindings import driver as cu

        values = in_order(values)
        self.wait()
        checked((*cu.cuMemcpyHtoD(buffer.handle + offset_bytes, values.ctypes.data, values.nbytes), None))
        # A copy from pageable memory may return while its last part is still on the way.
        checked((*cu.cuCtxSynchronize(), None))

    def download(self, buffer: Buffer, values: NDArray[Any]) -> None:
        """Copy device memory into an array, after all earlier launches."""
        from cuda.bindings import driver as cu

        self.wait()
        checked((*cu.cuMemcpyDtoH(values.ctypes.data, buffer.handle, values.nbytes), None))

    def prepare(self, launches: Sequence[Launch]) -> Work:
        """Launches captured as one graph, uploaded to the device."""
        from cuda.core import LaunchConfig, launch

        with translated("preparing launches"):
            builder = self.device.create_graph_builder().begin_building()
            try:
                for each_launch in launches:
                    arguments = [v.handle if not kind else SCALARS[kind](v) for kind, v in each_launch.arguments]
                    launch(
                        builder,
                        LaunchConfig(grid=each_launch.grid, block=each_launch.block),
                        each_launch.kernel.handle,
                        *arguments,
                    )
                graph = builder.end_building().complete()
            finally:
                builder.close()
            graph.upload(self.stream)
        return Graph(graph, self.stream)

    def time(self, work: Work) -> float:
        """Seconds between two events around the prepared launches."""
        with translated("timing"):
            options = timing_options()
            start = self.stream.record(options=options)
            work.run()
            end = self.stream.record(options=options)
            end.sync()
            return float(end - start) * 1e-3

    def wait(self) -> None:
        """Wait until the device is idle; errors of earlier launches show here."""
        with translated("a kernel"):
            self.stream.sync()

    def conditions(self) -> Conditions:
        """Clocks and power by NVML; NaN where it is not there or not allowed."""
        return self.sensors.read() if self.sensors is not None else Conditions()

    def close(self) -> None:
        """Give the stream back."""
        self.stream.close()


class Sensors:
    """Clocks and power of one GPU by NVML."""

    def __init__(self, nvml: Any, handle: Any) -> None:
        self.nvml, self.handle = nvml, handle

    def read(self) -> Conditions:
        """Each value on its own: a card may have clocks without a power sensor."""
        n = self.nvml
        return Conditions(
            1e6 * self.one(lambda: n.nvmlDeviceGetClockInfo(self.handle, n.NVML_CLOCK_SM)),
            1e6 * self.one(lambda: n.nvmlDeviceGetClockInfo(self.handle, n.NVML_CLOCK_MEM)),
            1e-3 * self.one(lambda: n.nvmlDeviceGetPowerUsage(self.handle)),
        )

    def one(self, ask: Any) -> float:
        """One value; NaN where the card does not have it."""
        with contextlib.suppress(self.nvml.NVMLError):
            return float(ask())
        return math.nan


def bus_of(number: int) -> bytes:
    """PCI address of a GPU, by which NVML knows it: its own numbering may differ from the driver's."""
    from cuda.bindings import driver as cu

    return bytes(checked(cu.cuDeviceGetPCIBusId(32, checked(cu.cuDeviceGet(number)))))


def sensors_of(bus_id: bytes) -> Sensors | None:
    """NVML's view of the GPU on a bus; None without NVML."""
    try:
        import pynvml
    except ImportError:
        return None
    try:
        pynvml.nvmlInit()
        return Sensors(pynvml, pynvml.nvmlDeviceGetHandleByPciBusId(bus_id.rstrip(b"\0")))
    except pynvml.NVMLError:
        return None


def info_of(device: Any) -> DeviceInfo:
    """What the driver says of a GPU; clocks are stated in kHz, the bus width in bits."""
    from cuda.bindings import driver as cu

    p = device.properties
    major, minor = device.compute_capability
    memory_hz = 1e3 * float(p.memory_clock_rate)
    version = int(checked(cu.cuDriverGetVersion()))
    return DeviceInfo(
        name=str(device.name), compute_capability=f"{major}.{minor}", sm_count=int(p.multiprocessor_count),
        capacity_bytes_l2=int(p.l2_cache_size), capacity_bytes_dram=int(checked(cu.cuMemGetInfo())[1]),
        clock_hz_boost=1e3 * float(p.clock_rate), clock_hz_dram=memory_hz,
        bytes_per_s_dram_peak=2 * memory_hz * float(p.global_memory_bus_width) / 8,
        driver=f"CUDA {version // 1000}.{version % 1000 // 10}",
    )  # fmt: skip
