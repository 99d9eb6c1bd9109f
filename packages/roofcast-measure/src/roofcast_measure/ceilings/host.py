"""What a ceiling needs beyond launches: limits, the link to the host, launch floors, and how the card is set up."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from roofcast.core.errors import RoofcastError
from roofcast_measure.driver import Buffer, LoadedKernel, Work

if TYPE_CHECKING:
    from roofcast_measure.ceilings.cublas import Cublas, Library
    from roofcast_measure.cuda_driver import CudaDriver

ATTRIBUTES: dict[str, str] = {
    "warp_size": "WARP_SIZE",
    "max_threads_per_sm": "MAX_THREADS_PER_MULTIPROCESSOR",
    "max_blocks_per_sm": "MAX_BLOCKS_PER_MULTIPROCESSOR",
    "max_threads_per_block": "MAX_THREADS_PER_BLOCK",
    "regs_per_sm": "MAX_REGISTERS_PER_MULTIPROCESSOR",
    "smem_per_sm": "MAX_SHARED_MEMORY_PER_MULTIPROCESSOR",
    "smem_per_block": "MAX_SHARED_MEMORY_PER_BLOCK_OPTIN",
    "smem_reserved_per_block": "RESERVED_SHARED_MEMORY_PER_BLOCK",
}
"""Limit of a catalog entry -> the driver's attribute."""
DIRECTIONS = ("h2d", "d2h", "bidirectional")
THROTTLES = {0x4: "power cap", 0x8: "hardware slowdown", 0x20: "thermal", 0x40: "thermal", 0x80: "power brake"}
"""Bits of NVML's reasons that clocks are lowered for."""


@dataclass(frozen=True, slots=True)
class State:
    """How the card is set up; None where nothing tells."""

    ecc: bool | None = None
    mig: bool | None = None
    pcie_generation: int | None = None
    pcie_width: int | None = None
    pcie_generation_most: int | None = None
    pcie_width_most: int | None = None
    power_limit_w: float | None = None
    power_limit_default_w: float | None = None
    throttled: tuple[str, ...] = ()
    driver: str = ""
    """Version of NVIDIA's driver: ``580.159``."""


class Host(Protocol):
    """The host's side of one GPU."""

    def limits(self) -> Mapping[str, int]:
        """Launch limits, in the names of a catalog entry; sizes in bytes."""
        ...

    def state(self) -> State:
        """How the card is set up and what lowers its clocks at this moment."""
        ...

    def stream_floor_s(self, kernel: LoadedKernel, count: int, before: Work) -> float:
        """Seconds per launch of an empty kernel, one after the other in a stream, queued while ``before`` runs."""
        ...

    def transfer_s(self, direction: str, size_bytes: int) -> float:
        """Seconds of a copy between pinned host memory and the device; ``bidirectional``: both at once."""
        ...

    def driver_stream_s(self, buffers: Sequence[Buffer], count: int) -> float:
        """Seconds of ``count`` copies from the first to the second buffer by the driver, of fills where it is one."""
        ...

    def library(self) -> Library | None:
        """The library that multiplies matrices on this GPU; None where there is none."""
        ...

    def close(self) -> None:
        """Give everything back."""
        ...


class CudaHost:
    """The host's side of a GPU that cuda-core drives."""

    def __init__(self, driver: CudaDriver) -> None:
        self.driver = driver
        self.staging: dict[int, tuple[int, int, int, int]] = {}
        """Bytes -> two pinned and two device addresses."""
        self.streams: list[Any] = []
        self.opened: list[Cublas | None] = []

    def limits(self) -> Mapping[str, int]:
        """The limits that the driver states."""
        from cuda.bindings import driver as cu

        from roofcast_measure.cuda_driver import checked

        number = checked(cu.cuDeviceGet(int(self.driver.device.device_id)))
        values = {}
        for name, attribute in ATTRIBUTES.items():
            kind = getattr(cu.CUdevice_attribute, f"CU_DEVICE_ATTRIBUTE_{attribute}")
            value = int(checked(cu.cuDeviceGetAttribute(kind, number)))
            if value > 0:
                values[name] = value
        return values

    def state(self) -> State:
        """The state that NVML reads; all unknown without it."""
        sensors = self.driver.sensors
        return State() if sensors is None else read_state(sensors.nvml, sensors.handle)

    def stream_floor_s(self, kernel: LoadedKernel, count: int, before: Work) -> float:
        """Seconds between events; all launches are queued before the first starts: the host's pace is not in it."""
        from cuda.core import LaunchConfig, launch

        from roofcast_measure.cuda_driver import timing_options, translated

        config, options, stream = LaunchConfig(grid=(1,), block=(32,)), timing_options(), self.driver.stream
        with translated("an empty launch"):
            before.run()
            start = stream.record(options=options)
            for _ in range(count):
                launch(stream, config, kernel.handle)
            end = stream.record(options=options)
            end.sync()
            return float(end - start) * 1e-3 / count

    def transfer_s(self, direction: str, size_bytes: int) -> float:
        """Wall-clock seconds of asynchronous copies and the wait for them."""
        from cuda.bindings import driver as cu

        from roofcast_measure.cuda_driver import checked

        pinned_in, pinned_out, device_in, device_out = self.areas(size_bytes)
        up, down = (int(s.handle) for s in self.both_streams())
        start = time.perf_counter()
        if direction != "d2h":
            checked((*cu.cuMemcpyHtoDAsync(device_in, pinned_in, size_bytes, up), None))
        if direction != "h2d":
            checked((*cu.cuMemcpyDtoHAsync(pinned_out, device_out, size_bytes, down), None))
        checked((*cu.cuCtxSynchronize(), None))
        return time.perf_counter() - start

    def driver_stream_s(self, buffers: Sequence[Buffer], count: int) -> float:
        """Seconds between events on the device."""
        from cuda.bindings import driver as cu

        from roofcast_measure.cuda_driver import checked, timing_options

        stream, options, size = self.driver.stream, timing_options(), buffers[0].size_bytes
        start = stream.record(options=options)
        for _ in range(count):
            done = (
                cu.cuMemsetD32Async(buffers[0].handle, 0, size // 4, int(stream.handle))
                if len(buffers) == 1
                else cu.cuMemcpyDtoDAsync(buffers[1].handle, buffers[0].handle, size, int(stream.handle))
            )
            checked((*done, None))
        end = stream.record(options=options)
        end.sync()
        return float(end - start) * 1e-3

    def library(self) -> Library | None:
        """A cuBLAS on the driver's stream, opened when first asked for."""
        from roofcast_measure.ceilings.cublas import open_library

        if not self.opened:
            self.opened.append(open_library(int(self.driver.stream.handle)))
        return self.opened[0]

    def both_streams(self) -> list[Any]:
        """One stream per direction."""
        while len(self.streams) < 2:
            self.streams.append(self.driver.device.create_stream())
        return self.streams

    def areas(self, size_bytes: int) -> tuple[int, int, int, int]:
        """Pinned and device memory of a size, kept until :meth:`close`."""
        from cuda.bindings import driver as cu

        from roofcast_measure.cuda_driver import checked

        if size_bytes not in self.staging:
            pinned = [int(checked(cu.cuMemHostAlloc(size_bytes, 0))) for _ in range(2)]
            device = [int(checked(cu.cuMemAlloc(size_bytes))) for _ in range(2)]
            self.staging[size_bytes] = (*pinned, *device)  # type: ignore[assignment]  # two and two
        return self.staging[size_bytes]

    def close(self) -> None:
        """Give memory and streams back."""
        from cuda.bindings import driver as cu

        for pinned_in, pinned_out, device_in, device_out in self.staging.values():
            for address in (pinned_in, pinned_out):
                cu.cuMemFreeHost(address)
            for address in (device_in, device_out):
                cu.cuMemFree(address)
        self.staging.clear()
        for library in self.opened:
            if library is not None:
                library.close()
        self.opened.clear()
        for stream in self.streams:
            stream.close()


def host_of(driver: Any) -> Host:
    """The host's side of an opened GPU; a driver that answers for the host itself is taken as it is."""
    if hasattr(driver, "transfer_s"):
        itself: Host = driver
        return itself
    return CudaHost(driver)


def read_state(nvml: Any, handle: Any) -> State:
    """Each value on its own: cards and containers refuse some."""

    def ask(name: str, pick: Any = lambda v: v) -> Any:
        try:
            return pick(getattr(nvml, name)(handle))
        except (nvml.NVMLError, AttributeError):
            return None

    def version() -> str:
        try:
            answer = nvml.nvmlSystemGetDriverVersion()
        except (nvml.NVMLError, AttributeError):
            return ""
        return answer.decode() if isinstance(answer, bytes) else str(answer)

    reasons = ask("nvmlDeviceGetCurrentClocksThrottleReasons") or 0
    return State(
        ecc=ask("nvmlDeviceGetEccMode", lambda v: bool(v[0])),
        mig=ask("nvmlDeviceGetMigMode", lambda v: bool(v[0])),
        pcie_generation=ask("nvmlDeviceGetCurrPcieLinkGeneration"),
        pcie_width=ask("nvmlDeviceGetCurrPcieLinkWidth"),
        pcie_generation_most=ask("nvmlDeviceGetMaxPcieLinkGeneration"),
        pcie_width_most=ask("nvmlDeviceGetMaxPcieLinkWidth"),
        power_limit_w=ask("nvmlDeviceGetPowerManagementLimit", lambda v: v / 1e3),
        power_limit_default_w=ask("nvmlDeviceGetPowerManagementDefaultLimit", lambda v: v / 1e3),
        throttled=tuple(dict.fromkeys(text for bit, text in THROTTLES.items() if reasons & bit)),
        driver=version(),
    )


def transfer_bytes(free_bytes: int, quick: bool) -> int:
    """Size of the copies over the link."""
    size = min((32 if quick else 256) * 2**20, free_bytes // 8)
    if size < 2**16:
        raise RoofcastError("the GPU's memory is full: nothing is left to measure with")
    return 1 << (size.bit_length() - 1)
