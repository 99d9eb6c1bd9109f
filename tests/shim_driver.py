"""A driver whose GPU is this machine's CPU: the kernels of a source run through the shim, one thread after the other.

It computes what the GPU would compute and takes wall-clock time, so the whole flow can be tried without a GPU.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast_measure.driver import Buffer, Conditions, DeviceInfo, Launch, LoadedKernel, Source, Work
from roofcast_measure.shim import compiled

INFO = DeviceInfo("roofcast shim (CPU)", "", 1, 2**20, 2**30, 1e9, 1e9)


@dataclass
class InOrder:
    """Launches in order."""

    launches: Sequence[Launch]

    def run(self) -> None:
        """Run every launch; they are done when this returns."""
        for one in self.launches:
            arguments = [(kind, v.handle if not kind else v) for kind, v in one.arguments]
            one.kernel.handle.launch(one.kernel.name, one.grid, one.block, arguments)

    def close(self) -> None:
        """Nothing was taken."""


class ShimDriver:
    """The CPU in the place of a GPU."""

    def __init__(self, sources: Sequence[Source] = (), info: DeviceInfo = INFO) -> None:
        """Sources that are built together are built once."""
        self.info = info
        self.allocated = 0
        together = compiled(sources) if sources else None
        self.libraries = {s.name: together for s in sources}

    def load(self, source: Source) -> Mapping[str, LoadedKernel]:
        """Compile a text for the CPU."""
        library = self.libraries.get(source.name) or compiled((source,))
        return {name: LoadedKernel(name, library) for name in source.kernels}

    def free_bytes(self) -> int:
        """What is left of the memory that the device claims to have."""
        return self.info.capacity_bytes_dram - self.allocated

    def allocate(self, size_bytes: int) -> Buffer:
        """Host memory in the place of device memory.

        Raises
        ------
        RoofcastError : more than the device claims to have.
        """
        if size_bytes > self.free_bytes():
            raise RoofcastError(f"out of device memory: {size_bytes} B asked, {self.free_bytes()} B free")
        self.allocated += size_bytes
        # 16 bytes are the strictest alignment of a kernel's types.
        return Buffer(np.zeros(-(-size_bytes // 16) * 2, np.float64), size_bytes)

    def release(self, buffer: Buffer) -> None:
        """Count the memory as free."""
        self.allocated -= buffer.size_bytes

    def upload(self, buffer: Buffer, values: NDArray[Any], offset_bytes: int = 0) -> None:
        """Copy an array."""
        buffer.handle.view(np.uint8)[offset_bytes : offset_bytes + values.nbytes] = values.reshape(-1).view(np.uint8)

    def download(self, buffer: Buffer, values: NDArray[Any]) -> None:
        """Copy an array back."""
        values.reshape(-1).view(np.uint8)[:] = buffer.handle.view(np.uint8)[: values.nbytes]

    def prepare(self, launches: Sequence[Launch]) -> Work:
        """Launches in order."""
        return InOrder(launches)

    def time(self, work: Work) -> float:
        """Wall-clock seconds."""
        start = time.perf_counter()
        work.run()
        return time.perf_counter() - start

    def wait(self) -> None:
        """Everything is done already."""

    def conditions(self) -> Conditions:
        """The claimed clocks."""
        return Conditions(self.info.clock_hz_boost, self.info.clock_hz_dram)

    def close(self) -> None:
        """Nothing to give back."""
