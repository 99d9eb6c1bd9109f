"""What measuring needs of a GPU: load, allocate, copy, launch, time, read clocks. Nothing else of roofcast touches one.

``CudaDriver`` (:mod:`roofcast_measure.cuda_driver`) drives NVIDIA's GPUs, ``HipDriver``
(:mod:`roofcast_measure.hip_driver`) AMD's; the tests' ``ShimDriver`` runs the same kernels on the CPU, so that every
flow is tested without a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Size = tuple[int, ...]
ABSENT = math.nan


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """A GPU as its driver describes it."""

    name: str
    compute_capability: str
    """``8.0``; '' where there is none."""
    sm_count: int
    capacity_bytes_l2: int
    capacity_bytes_dram: int
    clock_hz_boost: float = ABSENT
    clock_hz_dram: float = ABSENT
    bytes_per_s_dram_peak: float = ABSENT
    """Twice the memory clock times the bus width, as the driver states them."""
    driver: str = ""
    """Version of the driver."""

    @property
    def sm(self) -> int:
        """Architecture number: 80 for compute capability 8.0.

        >>> DeviceInfo("x", "12.0", 1, 1, 1).sm
        120
        """
        return int(self.compute_capability.replace(".", "") or 0)


@dataclass(frozen=True, slots=True)
class Source:
    """CUDA C++ text and the kernels in it (``extern "C"``)."""

    name: str
    text: str
    kernels: tuple[str, ...]
    feature: str = ""
    """``a`` for code that runs on this very architecture alone (``sm_90a``)."""


@dataclass(frozen=True, slots=True)
class LoadedKernel:
    """A kernel that can be launched."""

    name: str
    handle: Any
    regs_per_thread: float = ABSENT
    smem_bytes_per_block: float = ABSENT
    bytes_local_per_thread: float = ABSENT


@dataclass(frozen=True, slots=True)
class Buffer:
    """Device memory."""

    handle: Any
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch, ready to go.

    ``arguments``: (type, value) with type '' for a :class:`Buffer`, else ``i32``, ``f32``, ``f64``.
    """

    kernel: LoadedKernel
    grid: Size
    block: Size
    arguments: tuple[tuple[str, Any], ...] = field(default=())


@dataclass(frozen=True, slots=True)
class Conditions:
    """What the GPU was doing at one moment; NaN where nothing tells."""

    clock_hz: float = ABSENT
    clock_hz_dram: float = ABSENT
    power_w: float = ABSENT


def in_order(values: NDArray[Any]) -> NDArray[Any]:
    """The array as its elements are read, row by row: a copy to a device takes memory as it lies, a view may not.

    >>> in_order(np.arange(6).reshape(2, 3).T).tobytes("A") == np.array([0, 3, 1, 4, 2, 5]).tobytes()
    True
    """
    return np.ascontiguousarray(values)


class Work(Protocol):
    """Launches that were prepared to be run again and again."""

    def run(self) -> None:
        """Start all launches in order; does not wait."""
        ...

    def close(self) -> None:
        """Give back what preparing took."""
        ...


class Driver(Protocol):
    """One GPU."""

    info: DeviceInfo

    def load(self, source: Source) -> Mapping[str, LoadedKernel]:
        """Compile a text for this GPU and load its kernels."""
        ...

    def free_bytes(self) -> int:
        """Device memory that can still be allocated."""
        ...

    def allocate(self, size_bytes: int) -> Buffer:
        """Device memory of that size."""
        ...

    def release(self, buffer: Buffer) -> None:
        """Give memory back."""
        ...

    def upload(self, buffer: Buffer, values: NDArray[Any], offset_bytes: int = 0) -> None:
        """Copy an array to a place of device memory; returns when it is there."""
        ...

    def download(self, buffer: Buffer, values: NDArray[Any]) -> None:
        """Copy device memory into an array; waits for all earlier launches."""
        ...

    def prepare(self, launches: Sequence[Launch]) -> Work:
        """Launches as one graph: their time is then the device's, not the host's."""
        ...

    def time(self, work: Work) -> float:
        """Seconds on the device, between events, that prepared launches take together."""
        ...

    def wait(self) -> None:
        """Wait until the device is idle."""
        ...

    def conditions(self) -> Conditions:
        """Clocks and power at this moment."""
        ...

    def close(self) -> None:
        """Give the device back."""
        ...
