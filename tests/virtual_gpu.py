"""A GPU that exists on paper: it takes the time that its numbers say, deterministically.

Arithmetic is counted in the machine code that NVRTC makes for its architecture, not by what roofcast claims of it.
"""

from __future__ import annotations

import ctypes
import dataclasses
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

import matrix_oracle
from roofcast.sass.blocks import build_graph
from roofcast.sass.cubin import parse_cubin
from roofcast_measure.ceilings.host import State
from roofcast_measure.compiling import compile_to_cubin
from roofcast_measure.driver import Buffer, Conditions, DeviceInfo, Launch, LoadedKernel, Source
from static_counts import loop_bodies

MIB = 2**20
BITES_S = 1.0
"""Seconds of a load after which a power limit bites; a pause lets it go."""


@dataclass(frozen=True)
class Numbers:
    """What the GPU can do."""

    name: str = "NVIDIA A100-SXM4-80GB"
    capability: str = "8.0"
    sms: int = 108
    clock_hz: float = 1.41e9
    clock_hz_most: float = 1.41e9
    l2_bytes: int = 40 * MIB
    dram_size: int = 80 * 2**30
    threads_per_sm: int = 2048
    dram: Mapping[str, float] = field(
        default_factory=lambda: {
            "init": 1.90e12, "read": 1.80e12, "copy": 1.72e12, "scale": 1.71e12, "triad": 1.76e12, "gather": 0.6e12,
            "memcpy": 1.75e12, "memset": 1.92e12,
        }
    )  # fmt: skip
    drifting: float = 0.92
    """Share of a stream's rate that blocks reach which stay: of an H100's, 2.77 TB/s of 3.01."""
    l2: float = 5.35e12
    l2_shared: float = 5.45e12
    l2_write: float = 3.3e12
    l1_bytes_per_clock: float = 126.0
    shared_bytes_per_clock: float = 126.0
    atomics_same: float = 2.4e9
    atomics_distinct: float = 3.4e11
    atomics_coalesced: float = 3.6e11
    atomics_swap: float = 4e8
    atomics_shared_clocks: float = 2.0
    latency: Mapping[str, float] = field(
        default_factory=lambda: {
            "l1": 37.0, "shared": 23.0, "l2": 212.0, "l2_far": 286.0, "dram": 571.0, "fp32": 4.0, "fp64": 8.0,
        }
    )  # fmt: skip
    stream_s: float = 2.3e-6
    graph_s: float = 1.3e-6
    link: Mapping[str, float] = field(
        default_factory=lambda: {"h2d": 25.1e9, "d2h": 26.3e9, "bidirectional": 42e9},
    )
    product_share: float = 0.5
    library_share: float | None = 0.78
    """Of the peak that the library's product reaches; None: there is no library."""
    broken: frozenset[str] = frozenset()
    """Kernels of the matrix units that compute something else."""
    peak_bytes_per_s: float = 2.039e12
    sustained: Mapping[str, float] = field(default_factory=dict)
    """Kernel -> share of its rate, and of the clock, that the power limit leaves after ``BITES_S`` of it."""
    power_limit_w: float = 400.0
    state: State = dataclasses.field(default_factory=State)


# Instructions of a warp per clock and SM.
PIPES: dict[str, float] = {
    "FFMA": 2, "FADD": 2, "FMUL": 2, "DFMA": 1, "DADD": 1, "DMUL": 1, "HFMA2": 4, "HADD2": 4, "HMUL2": 4,
    "IMAD": 2, "IADD3": 2, "MUFU": 0.5, "HMMA": 0.5, "IMMA": 0.5, "DMMA": 0.25, "QMMA": 0.5, "HGMMA": 1 / 128,
    "QGMMA": 1 / 128, "IGMMA": 1 / 128, "OMMA": 0.5, "UTCMMA": 1 / 512,
}  # fmt: skip
OF_KERNEL = {
    "add_int32": ("IMAD", "IADD3"), "mul_int32": ("IMAD",), "mad_int32": ("IMAD",), "special_fp32": ("MUFU",),
}  # fmt: skip
WIDTHS = {"4b": 4, "8b": 8, "16b": 16}
BOTH = ("HFMA2", "HADD2", "HMUL2", "FFMA", "FADD", "FMUL", "DFMA", "DADD", "DMUL")
MMA = ("HMMA", "IMMA", "DMMA", "QMMA", "OMMA", "HGMMA", "QGMMA", "IGMMA", "UTCMMA")


def loop_counts(code: bytes, name: str) -> Counter[str]:
    """Operations of a kernel's busiest loop."""
    cubin = parse_cubin(code)
    function = cubin.function(name)
    assert function is not None, name
    graph = build_graph(function, cubin.sm)
    counts = [
        Counter(
            str(n)
            for b in body
            if b < len(graph.blocks)
            for n in graph.code.name[graph.blocks[b].first : graph.blocks[b].end]
        )
        for body in loop_bodies(graph)
    ]
    return max(counts, key=lambda c: sum(c.values()) - c["NOP"], default=Counter())


def votes(code: bytes, name: str) -> int:
    """Instructions by which the lanes of a warp count each other, wherever they stand."""
    cubin = parse_cubin(code)
    function = cubin.function(name)
    assert function is not None, name
    return sum(str(n).startswith("VOTE") for n in build_graph(function, cubin.sm).code.name)


@dataclass
class Memory:
    """Device memory whose content is kept only where somebody put it there."""

    size: int
    content: NDArray[Any] | None = None
    ring: NDArray[np.int32] | None = None
    stride: int = 0


@dataclass
class Work:
    """Prepared launches."""

    gpu: VirtualGpu
    launches: Sequence[Launch]

    def run(self) -> None:
        self.gpu.time(self)

    def close(self) -> None:
        self.gpu.open_works -= 1


class VirtualGpu:
    """Driver and host in one."""

    def __init__(self, numbers: Numbers | None = None, compiled: bool = True) -> None:
        self.n = n = numbers or Numbers()
        self.compiled = compiled
        self.info = DeviceInfo(
            n.name,
            n.capability,
            n.sms,
            n.l2_bytes,
            n.dram_size,
            n.clock_hz_most,
            1.593e9,
            n.peak_bytes_per_s,
            "CUDA 12.9",
        )
        self.used = 0
        self.open_works = 0
        self.calls = 0
        self.running = ""
        self.busy_s = 0.0
        self.told_s = 0.0

    @property
    def share(self) -> float:
        """What the power limit leaves of the clock at this moment."""
        return self.n.sustained.get(self.running, 1.0) if self.busy_s > BITES_S else 1.0

    def jitter(self) -> float:
        """Within 0.1 %, the same in every run."""
        self.calls += 1
        return 1 + 1e-3 * math.sin(12.9898 * self.calls)

    def load(self, source: Source) -> Mapping[str, LoadedKernel]:
        if source.name == "service":
            return {k: LoadedKernel(k, Counter()) for k in source.kernels}
        code = compile_to_cubin(source.text, source.name, f"{self.info.sm}{source.feature}")
        return {k: LoadedKernel(k, loop_counts(code, k) + Counter(votes=votes(code, k))) for k in source.kernels}

    def free_bytes(self) -> int:
        return self.n.dram_size - self.used

    def allocate(self, size_bytes: int) -> Buffer:
        self.used += size_bytes
        return Buffer(Memory(size_bytes), size_bytes)

    def release(self, buffer: Buffer) -> None:
        self.used -= buffer.size_bytes

    def upload(self, buffer: Buffer, values: NDArray[Any], offset_bytes: int = 0) -> None:
        assert offset_bytes + values.nbytes <= buffer.size_bytes
        # As a copy does: memory as it lies, whatever order its elements are read in.
        raw = ctypes.string_at(values.ctypes.data, values.nbytes)
        buffer.handle.content = np.frombuffer(raw, values.dtype).copy()

    def download(self, buffer: Buffer, values: NDArray[Any]) -> None:
        values.reshape(-1)[:] = buffer.handle.content[: values.size]

    def prepare(self, launches: Sequence[Launch]) -> Work:
        self.open_works += 1
        return Work(self, launches)

    def time(self, work: Any) -> float:
        if not isinstance(work, Work):
            # Calls of a library: queued one after the other, and their seconds told.
            self.told_s = 0.0
            work.run()
            return (1e-6 + self.told_s) * self.jitter()
        name = work.launches[0].kernel.name if work.launches else ""
        if name != self.running:
            self.running, self.busy_s = name, 0.0
        one = self.seconds(work.launches[0]) / self.share if work.launches else 0.0
        took = (1e-6 + len(work.launches) * (self.n.graph_s + one)) * self.jitter()
        self.busy_s += took
        return took

    def wait(self) -> None:
        pass

    def conditions(self) -> Conditions:
        power = self.n.power_limit_w if self.share < 1 else 301.0
        return Conditions(self.n.clock_hz * self.share, 1.593e9, power)

    def close(self) -> None:
        pass

    def limits(self) -> Mapping[str, int]:
        return {"warp_size": 32, "max_threads_per_sm": self.n.threads_per_sm, "max_threads_per_block": 1024,
                "regs_per_sm": 65536, "smem_per_sm": 167936, "smem_per_block": 166912}  # fmt: skip

    def state(self) -> State:
        return self.n.state

    def stream_floor_s(self, kernel: LoadedKernel, count: int, before: Any) -> float:
        assert kernel.name == "roofcast_nothing"
        busy = self.time(before)
        assert busy == 0 or busy > count * 20e-6, "the host has time to queue"
        return self.n.stream_s * self.jitter()

    def transfer_s(self, direction: str, size_bytes: int) -> float:
        return size_bytes * (2 if direction == "bidirectional" else 1) / self.n.link[direction] * self.jitter()

    def seconds(self, launch: Launch) -> float:
        """Time of one launch, without the floor."""
        name = launch.kernel.name
        values = [v for _, v in launch.arguments]
        threads = math.prod(launch.grid) * math.prod(launch.block)
        if name == "roofcast_nothing":
            return 0.0
        if name.startswith("stream_"):
            return float(self.stream(name.removeprefix("stream_"), launch, values))
        if name.startswith(("mma_", "wgmma_", "tcgen05_")):
            self.multiply(name, values)
        for prefix, model in MODELS.items():
            if name.startswith(prefix):
                return float(model(self, launch, values, threads))
        return float(self.pipes(name, launch, values, threads))

    def multiply(self, name: str, values: list[Any]) -> None:
        """The sums of a short launch; of a long one nobody looks at them."""
        out, operands, rounds = values
        if rounds > 1:
            return
        given = operands.handle.content.ravel()
        found = matrix_oracle.mma(name, given, self.info.sm, rounds) if name.startswith("mma_") else (
            matrix_oracle.tile(name, given, rounds)
        )  # fmt: skip
        assert found.nbytes <= out.size_bytes
        out.handle.content = found + (name in self.n.broken)

    def stream(self, name: str, launch: Launch, values: list[Any]) -> Any:
        count = values[-1]
        if name == "gather":
            assert count & (count - 1) == 0
            return 32.0 * count / self.n.dram["gather"]
        kind, _, way = name.partition("_")
        assert all(v.size_bytes >= 16 * count for v in values if isinstance(v, Buffer) and kind != "read")
        arrays = {"init": 1, "read": 1, "copy": 2, "scale": 2, "triad": 3}[kind]
        total = 16.0 * count * arrays
        # Blocks that stay drift apart, and DRAM opens more rows; writes that caches keep wait for their turn.
        share = 1.0 if launch.grid[0] * launch.block[0] * int(way[0]) >= count else self.n.drifting
        share *= {"1": 0.96, "4": 0.98, "8": 0.985, "4_cs": 0.99, "8_cs": 1.0}[way]
        return total / (share * self.n.dram[kind] if total > self.n.l2_bytes else 2 * self.n.l2)

    def library(self) -> VirtualLibrary | None:
        return VirtualLibrary(self) if self.n.library_share is not None else None

    def driver_stream_s(self, buffers: Sequence[Buffer], count: int) -> float:
        kind = {1: "memset", 2: "memcpy"}[len(buffers)]
        return len(buffers) * buffers[0].size_bytes * count / self.n.dram[kind] * self.jitter()

    def l2(self, launch: Launch, values: list[Any], threads: int) -> Any:
        _, _, count, passes, common = values
        total = 16.0 * count * passes * (launch.grid[0] if common else 1)
        rate = self.n.l2_shared if common else self.n.l2 if 16 * count <= self.n.l2_bytes else self.n.dram["read"]
        return total / rate

    def l2_write(self, launch: Launch, values: list[Any], threads: int) -> Any:
        return 16.0 * values[1] * values[2] / self.n.l2_write

    def l1(self, launch: Launch, values: list[Any], threads: int) -> Any:
        total = float(threads * values[-1] * launch.kernel.handle["LDG"] * WIDTHS[launch.kernel.name.partition("_")[2]])
        return total / (self.n.l1_bytes_per_clock * self.n.sms * self.n.clock_hz)

    def shared(self, launch: Launch, values: list[Any], threads: int) -> Any:
        width = WIDTHS[launch.kernel.name.partition("_")[2]]
        ways = math.gcd(values[1] * 4 // width, 32)
        total = float(threads * values[-1] * launch.kernel.handle["LDS"] * width * ways)
        return total / (self.n.shared_bytes_per_clock * self.n.sms * self.n.clock_hz)

    def atomics(self, launch: Launch, values: list[Any], threads: int) -> Any:
        name, rounds = launch.kernel.name, values[-1]
        if name == "atomics_swap":
            # L2 serves one try after the other; one in so many finds what it saw.
            tries = max(1, threads // 2)
            values[1].handle.content = np.full(threads, tries * rounds, np.uint32)
            return threads * rounds * tries / self.n.atomics_swap
        if name == "atomics_summed":
            lanes = 32 if launch.kernel.handle["votes"] else 1
            return threads / lanes * rounds * launch.kernel.handle["RED"] / self.n.atomics_same
        if name == "atomics_shared":
            clocks = self.n.atomics_shared_clocks if values[1] else 32 * self.n.atomics_shared_clocks
            per_s = self.n.sms * self.n.clock_hz / clocks
            return threads / 32 * rounds * launch.kernel.handle["ATOMS"] / per_s
        rates = {0: self.n.atomics_same, 1: self.n.atomics_coalesced, 8: self.n.atomics_distinct}
        return float(threads * rounds * launch.kernel.handle["RED"]) / rates[values[1]]

    def build(self, launch: Launch, values: list[Any], threads: int) -> Any:
        ring, table, lines, stride = values
        assert ring.size_bytes >= 8 * ((lines - 1) * stride + 1)
        ring.handle.ring, ring.handle.stride = table.handle.content[:lines], stride
        return 1e-5

    def chase_lines(self, launch: Launch, values: list[Any], threads: int) -> Any:
        ring, lines, _, rounds, clocks = values
        assert (ring.handle.ring == np.arange(lines)).all()
        near = np.arange(lines) * 2654435761 % 7 < 4
        each = np.where(near, self.n.latency["l2"], self.n.latency["l2_far"]) * 16 * rounds + 11
        clocks.handle.content = each.astype(np.int32)
        return float(each.sum()) / self.n.clock_hz

    def chase(self, launch: Launch, values: list[Any], threads: int) -> Any:
        name = launch.kernel.name
        if name == "chase_shared":
            return self.serial("shared", values[0], values[1], 0)
        ring, start, rounds, result = values
        m: Memory = ring.handle
        assert m.ring is not None
        at = start // m.stride
        for _ in range(16 * rounds):
            at = int(m.ring[at])
        size = len(m.ring) * m.stride * 8
        level = "dram" if size > self.n.l2_bytes else "l1" if name == "chase_ca" and size < 2**17 else "l2"
        return self.serial(level, rounds, result, at * m.stride)

    def chain(self, launch: Launch, values: list[Any], threads: int) -> Any:
        return self.serial(launch.kernel.name[-4:], values[2], values[3], 0)

    def serial(self, level: str, rounds: int, result: Buffer, stop: int) -> float:
        clocks = round(16 * rounds * self.n.latency[level] + 25)
        result.handle.content = np.array([clocks, stop], np.int64)
        return clocks / self.n.clock_hz

    def product(self, launch: Launch, values: list[Any], threads: int) -> Any:
        kind, side = launch.kernel.name[-4:], values[-1]
        tile = {"fp32": 128, "fp64": 64}[kind]
        assert launch.grid == (side // tile, side // tile)
        rate = {"fp32": 2, "fp64": 1}[kind] * 64 * self.n.sms * self.n.clock_hz
        return 2.0 * side**3 / (self.n.product_share * rate)

    def pipes(self, name: str, launch: Launch, values: list[Any], threads: int) -> Any:
        counts: Counter[str] = launch.kernel.handle
        rounds = values[3] if name == "clock_fp32" or len(values) == 4 else values[-1]
        kinds = OF_KERNEL.get(name) or (MMA if "mma" in name else BOTH)
        clocks = threads / 32 * rounds * sum(counts[k] / PIPES[k] for k in kinds) / self.n.sms
        if name == "clock_fp32":
            # An SM serves its oldest blocks first: of those that share it each ends in turn.
            blocks = launch.grid[0]
            shared = max(1.0, blocks / self.n.sms)
            ends = clocks * (np.arange(blocks) // self.n.sms + 1) / shared
            values[4].handle.content = np.round(np.minimum(ends, clocks)).astype(np.int64)
        return clocks / self.n.clock_hz


FLOPS_OF_LIBRARY = {
    "flops_fp32:matmul": 256, "flops_fp64:matmul": 256, "flops_tensor_tf32:matmul": 1024,
    "flops_tensor_fp16:matmul": 2048, "flops_tensor_bf16:matmul": 2048, "ops_tensor_int8:matmul": 4096,
}  # fmt: skip
"""Quantity -> FLOPs per clock and SM at the peak; FP64 as matrix units make it."""


class VirtualLibrary:
    """A cuBLAS that multiplies on paper, and truly where matrices are small."""

    name = "cuBLAS 12.9"

    def __init__(self, gpu: VirtualGpu) -> None:
        self.gpu = gpu

    def multiply(self, one: Any, n: int, a: Buffer, b: Buffer, c: Buffer) -> None:
        n_ = self.gpu.n
        assert n_.library_share is not None
        key = f"library_{one.quantity}"
        if self.gpu.running != key:
            self.gpu.running, self.gpu.busy_s = key, 0.0
        took = 2.0 * n**3 / (n_.library_share * self.gpu.share * FLOPS_OF_LIBRARY[one.quantity] * n_.sms * n_.clock_hz)
        self.gpu.told_s += took
        self.gpu.busy_s += took
        if n <= 128:
            left, right = (matrix_oracle.decoded_all(x.handle.content, one.operands).reshape(n, n) for x in (a, b))
            found = (right @ left.T) * (1 if key not in n_.broken else 2)
            c.handle.content = (
                (found.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16).ravel()
                if one.sums is np.uint16 else found.astype(one.sums).ravel()
            )  # fmt: skip


MODELS: dict[str, Any] = {
    "l2_write": VirtualGpu.l2_write, "l2": VirtualGpu.l2, "l1_": VirtualGpu.l1, "shared_": VirtualGpu.shared,
    "atomics": VirtualGpu.atomics, "build": VirtualGpu.build, "chase_lines": VirtualGpu.chase_lines,
    "chase": VirtualGpu.chase, "chain": VirtualGpu.chain, "product": VirtualGpu.product,
}  # fmt: skip
