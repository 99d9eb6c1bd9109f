"""The CPU of the machine at hand as the boat hull model sees it: bandwidth, compute rate, threads and lanes.

Small C functions are compiled by the system's compiler and called from Python threads (ctypes lets them run at once).
"""

from __future__ import annotations

import ctypes
import math
import os
import platform
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.processor import Domain, Kind, Processor, Supply
from roofcast.core.resource import Resource

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-O3", "-march=native", "-ffp-contract=fast", "-fPIC", "-shared")
SCALAR_FLAGS = ("-fno-tree-vectorize", "-fno-tree-slp-vectorize")
ACCUMULATORS = 8
"""Vectors that a loop works on at once, so that latencies overlap."""
CODE = """
#ifndef LANES
#if defined(__AVX512F__)
#define LANES 16
#elif defined(__AVX__)
#define LANES 8
#else
#define LANES 4
#endif
#endif
#if LANES > 1
typedef float T __attribute__((vector_size(4 * LANES), aligned(4)));
#else
typedef float T;
#endif
int lanes(void) { return LANES; }
/* f(x): operations/2 times a multiplication and an addition, eight chains at once */
void primitive(const float *in, float *out, long count, long pairs) {
  const T *a = (const T *)in; T *b = (T *)out;
  const float m = 0.999f, s = 0.001f;
  for (long i = 0; i + 8 <= count / LANES; i += 8) {
    T x0 = a[i], x1 = a[i+1], x2 = a[i+2], x3 = a[i+3], x4 = a[i+4], x5 = a[i+5], x6 = a[i+6], x7 = a[i+7];
    for (long k = 0; k < pairs; k++) {
      x0 = x0 * m + s; x1 = x1 * m + s; x2 = x2 * m + s; x3 = x3 * m + s;
      x4 = x4 * m + s; x5 = x5 * m + s; x6 = x6 * m + s; x7 = x7 * m + s;
    }
    b[i] = x0; b[i+1] = x1; b[i+2] = x2; b[i+3] = x3; b[i+4] = x4; b[i+5] = x5; b[i+6] = x6; b[i+7] = x7;
  }
}
"""
PEAK_PAIRS, PEAK_ELEMENTS = 16384, 16384
STREAM_ELEMENTS = 1 << 24
"""64 MiB per array: beyond the share of a last-level cache that one machine has."""
FloatBuffer = NDArray[np.float32]


@dataclass(frozen=True)
class CpuProbe:
    """Compiled primitives, vector and scalar."""

    vector: Any
    scalar: Any
    threads: int
    lanes: int

    def run(
        self, source: FloatBuffer, target: FloatBuffer, operations: int, *, vector: bool, all_threads: bool
    ) -> None:
        """Target = f(source) with a number of operations per element."""
        function = (self.vector if vector else self.scalar).primitive
        step = ACCUMULATORS * self.lanes
        workers = self.threads if all_threads else 1
        edges = [len(source) * n // workers // step * step for n in range(workers)] + [len(source) // step * step]

        def part(n: int) -> None:
            first, last = edges[n], edges[n + 1]
            function(pointer(source, first), pointer(target, first), last - first, operations // 2)

        in_threads([lambda n=n: part(n) for n in range(workers)])  # type: ignore[misc]  # bound when made


def pointer(array: FloatBuffer, at: int) -> ctypes.c_void_p:
    """Address of one element."""
    return ctypes.c_void_p(array.ctypes.data + 4 * at)


def in_threads(parts: Sequence[Callable[[], None]]) -> None:
    """Run functions at once."""
    if len(parts) == 1:
        parts[0]()
        return
    workers = [threading.Thread(target=p) for p in parts]
    for w in workers:
        w.start()
    for w in workers:
        w.join()


def best_of(work: Callable[[], None], repeats: int, *, warm: bool = True) -> float:
    """Least seconds of several runs, after one that warms up."""
    if warm:
        work()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


@contextmanager
def compiled() -> Iterator[CpuProbe]:
    """The primitives, for as long as the block runs."""
    with tempfile.TemporaryDirectory(prefix="roofcast-cpu-", ignore_cleanup_errors=True) as folder:
        libraries = []
        for name, extra in (("vector", ()), ("scalar", ("-DLANES=1", *SCALAR_FLAGS))):
            library = build(Path(folder), name, CODE, extra)
            library.primitive.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_long, ctypes.c_long]
            library.primitive.restype = None
            libraries.append(library)
        yield CpuProbe(libraries[0], libraries[1], usable_threads(), int(libraries[0].lanes()))


def usable_threads() -> int:
    """Threads that this process may run at once."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def build(folder: Path, name: str, code: str, extra: Sequence[str] = ()) -> Any:
    """Compile and load one library.

    Raises
    ------
    RoofcastError : no compiler, or one that refuses the code.
    """
    compiler = next((c for c in COMPILERS if shutil.which(c)), None)
    if compiler is None:
        raise RoofcastError("measuring this CPU needs a C compiler (gcc, clang or cc); install one")
    source, library = folder / f"{name}.c", folder / f"{name}.so"
    source.write_text(code, encoding="ascii")
    command = [compiler, *FLAGS, *extra, str(source), "-o", str(library)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)  # noqa: S603 - own code
    if result.returncode != 0:
        raise RoofcastError(f"{compiler} cannot compile the probe: {one_line(result.stderr, 200)}")
    return ctypes.CDLL(str(library))


def measure_cpu(probe: CpuProbe) -> Processor:
    """P_memory, P_compute, threads and lanes of this machine as a processor."""
    source, target = np.ones(STREAM_ELEMENTS, np.float32), np.empty(STREAM_ELEMENTS, np.float32)
    copy = best_of(lambda: probe.run(source, target, 0, vector=True, all_threads=True), 15)
    bytes_per_s = 2 * 4 * STREAM_ELEMENTS / copy

    def hot(vector: bool, all_threads: bool) -> float:
        """Operations per second on data in the first cache, the best of many short runs: other work may disturb."""
        size = PEAK_ELEMENTS * (probe.threads if all_threads else 1)
        a, b = source[:size], target[:size]
        operations = 2 * PEAK_PAIRS if vector else PEAK_PAIRS // 2
        seconds = best_of(lambda: probe.run(a, b, operations, vector=vector, all_threads=all_threads), 12)
        return float(operations) * size / seconds

    vector_rate = hot(vector=True, all_threads=False)
    flops_per_s = hot(vector=True, all_threads=True)
    # Wide instructions may run as several narrower ones: the width that counts is how much faster they are.
    lanes = 2 ** round(math.log2(max(1.0, vector_rate / hot(vector=False, all_threads=False))))
    name = cpu_name()
    clock = flops_per_s / (probe.threads * lanes * 2)
    supplies = {
        Resource.FLOPS_FP32: Supply(flops_per_s, Kind.MEASURED, "multiply-add chains", 0.05, None, Domain.SM, clock),
        Resource.BYTES_DRAM: Supply(
            bytes_per_s, Kind.MEASURED, "copy, all threads", 0.05, None, Domain.MEMORY, None, False
        ),
    }
    return Processor(
        key="this-machine", name=f"{name} (this machine)", vendor="", architecture=platform.machine(), is_gpu=False,
        sm_count=probe.threads, warp_size=min(lanes, probe.lanes), max_threads_per_sm=1,
        clock_hz_boost=clock, supplies=supplies,
        notes=("clock: as if each thread started one multiply-add per lane and clock",),
    )  # fmt: skip


def cpu_name() -> str:
    """What the CPU calls itself."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.lower().startswith("model name"):
                return one_line(line.partition(":")[2].strip(), 60)
    except OSError:
        pass
    return one_line(platform.processor() or "CPU", 60)


CODES = {"c0": (True, True), "c1": (False, True), "c2": (True, False), "c3": (False, False)}
"""Kind of code -> vector, all threads."""
COMPLEXITIES = (2, 8, 32, 64, 128, 256)


def measure_primitives(
    probe: CpuProbe, elements: int, complexities: Sequence[int] = COMPLEXITIES, repeats: int = 4
) -> dict[tuple[str, int], float]:
    """Element primitives as all four kinds of code: kind and operations per element -> seconds."""
    source, target = np.ones(elements, np.float32), np.empty(elements, np.float32)
    least: dict[tuple[str, int], float] = {}
    # Rounds over all primitives, not repeats of each: other work on the machine then hits different ones each time.
    for _ in range(repeats):
        for code, (vector, all_threads) in CODES.items():
            for complexity in complexities:

                def work(c: int = complexity, v: bool = vector, t: bool = all_threads) -> None:
                    probe.run(source, target, c, vector=v, all_threads=t)

                seconds = best_of(work, 1, warm=False)
                least[code, complexity] = min(seconds, least.get((code, complexity), math.inf))
    return least
