"""How long launches take: batches long enough for the events, repeated, median and spread; cold and warm caches.

The suite, the eight steps and the ceilings all take their times here. A batch is one graph, so its time is the device's
and not the host's. Warm: the same launch again and again. Cold: every launch of a batch has its own copy of the data,
and before the batch all caches are filled with something else.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast_measure.driver import Buffer, Conditions, Driver, Launch, LoadedKernel, Source, Work

SERVICE = Source(
    "service",
    """extern "C" __global__ void roofcast_nothing() {}

extern "C" __global__ void roofcast_read(const float* __restrict__ data, float* __restrict__ total, int n) {
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += data[i];
  if (sum < 0.0f) *total = sum;
}
""",
    ("roofcast_nothing", "roofcast_read"),
)
FLUSH_FACTOR = 2
"""Bytes read to displace the caches, in sizes of the last one."""
MOST_LAUNCHES = 256
"""Launches of a batch, far below the depth of a driver's queue, beyond which the host would wait."""
SHORTEST_S = 1e-7
"""No launch takes less, whatever an event says."""
MOST_COPIES = 32
"""Copies of the data that a cold batch rotates through."""
COPIES_BYTES = 2**28
"""B of all copies: several times the largest L2."""
LONG_S = 2.0
"""Batches of a kernel that takes long are repeated for so many seconds, at least ``LEAST_REPETITIONS`` times."""
LEAST_REPETITIONS = 3
"""Repetitions below which a middle and a spread say nothing."""
POWER_SETTLES_S = 0.5
"""Sensors average over up to a second: after less work they still show something else."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much time to spend."""

    repetitions: int
    batch_s: float
    """Least time between the events, which resolve about half a microsecond."""
    warm_up_s: float
    """Seconds under the load before it is measured: clocks and power settle; 0 : do not wait for them."""
    hold_s: float = 0.0
    """Seconds that a load is held for its sustained rate, where the power limit may bite; 0 : bursts alone."""

    def launches(self, once_s: float) -> int:
        """Launches that fill a batch.

        >>> FULL.launches(100e-6), FULL.launches(1.0), FULL.launches(0.0)
        (5, 1, 256)
        """
        return min(MOST_LAUNCHES, max(1, math.ceil(self.batch_s / max(once_s, SHORTEST_S))))


FULL = Effort(20, 500e-6, 0.02)
QUICK = Effort(5, 100e-6, 0.002)
CEILINGS = Effort(10, 5e-3, 0.6, 3.0)
CEILINGS_QUICK = Effort(5, 1e-3, 0.0)


def seconds_of(driver: Driver, launches: Sequence[Launch]) -> float:
    """Seconds of some launches, once."""
    work = driver.prepare(launches)
    try:
        return driver.time(work)
    finally:
        work.close()


def repeated(
    driver: Driver, work: Work, count: int, before: Callable[[], None] | None = None, most_s: float = math.inf
) -> tuple[float, ...]:
    """Seconds of each of ``count`` runs, after one that warms up and does not count.

    before : called before each. most_s : fewer runs, at least ``LEAST_REPETITIONS``, where they take longer together.
    """
    seconds: list[float] = []
    for number in range(count + 1):
        if before is not None:
            before()
        took = driver.time(work)
        if number:
            seconds.append(took)
        if len(seconds) >= LEAST_REPETITIONS and sum(seconds) > most_s:
            break
    return tuple(seconds)


def middle_and_spread(values: Sequence[float] | NDArray[np.float64]) -> tuple[float, float]:
    """Median and standard deviation; NaN for the deviation of one value.

    >>> middle_and_spread([1.0, 2.0, 6.0])
    (2.0, 2.6457513110645907)
    """
    sample = np.asarray(values, dtype=np.float64)
    return float(np.median(sample)), float(sample.std(ddof=1)) if len(sample) > 1 else math.nan


@dataclass(frozen=True, slots=True)
class Timed:
    """Time of one launch."""

    time_s: float
    """Median over the batches."""
    time_std_s: float
    """Standard deviation over the batches."""
    time_least_s: float
    repetitions: int
    launches_per_batch: int
    conditions: Conditions


class Clockwork:
    """What timing needs on one device: the kernel that displaces caches, and one that does nothing."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        kernels = driver.load(SERVICE)
        self.size = max(FLUSH_FACTOR * driver.info.capacity_bytes_l2, 2**20)
        self.data = driver.allocate(self.size)
        self.total = driver.allocate(16)
        driver.upload(self.total, np.zeros(4, np.float32))
        self.clear()
        self.flush = driver.prepare([self.flush_launch(kernels["roofcast_read"])])
        self.floor_s = self.launch_floor(kernels["roofcast_nothing"])

    def clear(self) -> None:
        """Defined content: what is read must not be negative or not a number."""
        block = np.zeros(min(self.size, 2**24), np.uint8)
        for at in range(0, self.size, len(block)):
            self.driver.upload(self.data, block[: min(len(block), self.size - at)], at)

    def flush_launch(self, kernel: LoadedKernel) -> Launch:
        """One pass over a buffer larger than every cache."""
        blocks = max(1, 8 * self.driver.info.sm_count)
        return Launch(kernel, (blocks,), (256,), (("", self.data), ("", self.total), ("i32", self.size // 4)))

    def launch_floor(self, kernel: LoadedKernel) -> float:
        """Seconds of one empty launch in a graph."""
        work = self.driver.prepare([Launch(kernel, (1,), (32,))] * 64)
        try:
            return middle_and_spread(repeated(self.driver, work, 9))[0] / 64
        finally:
            work.close()

    def close(self) -> None:
        """Give the memory back."""
        self.flush.close()
        self.driver.release(self.data)
        self.driver.release(self.total)

    def warm(self, launch: Launch, effort: Effort) -> Timed:
        """Time of a launch whose data were just used by the same launch."""
        return self.batches([launch] * effort.launches(self.estimate(launch, effort)), effort, before=None)

    def cold(self, launches: Sequence[Launch], effort: Effort) -> Timed:
        """Time of launches that do the same on different data, after all caches were displaced."""

        def displace() -> None:
            self.flush.run()
            self.driver.wait()

        return self.batches(launches, effort, before=displace)

    def estimate(self, launch: Launch, effort: Effort) -> float:
        """Seconds of one launch, roughly; clocks come up meanwhile."""
        work = self.driver.prepare([launch])
        try:
            least, spent = math.inf, 0.0
            while spent < effort.warm_up_s or math.isinf(least):
                took = self.driver.time(work)
                least, spent = min(least, took), spent + max(took, 1e-5)
            return least
        finally:
            work.close()

    def batches(self, launches: Sequence[Launch], effort: Effort, before: Callable[[], None] | None) -> Timed:
        """Repeated batches of some launches."""
        work = self.driver.prepare(launches)
        try:
            times = repeated(self.driver, work, effort.repetitions, before, LONG_S)
            work.run()
            conditions = settled(self.driver.conditions(), sum(times))
            self.driver.wait()
        finally:
            work.close()
        per_launch = np.array(times) / len(launches)
        return Timed(
            *middle_and_spread(per_launch), float(per_launch.min()), len(per_launch), len(launches), conditions
        )


def settled(conditions: Conditions, busy_s: float) -> Conditions:
    """Conditions without the power where the device was busy for too short a time to tell it."""
    return conditions if busy_s >= POWER_SETTLES_S else dataclasses.replace(conditions, power_w=math.nan)


def copies_for(once_s: float, bytes_each: int, free_bytes: int, effort: Effort) -> int:
    """Copies of the data that a cold batch rotates through: enough for its duration, few enough for the memory.

    >>> copies_for(10e-6, 2**20, 2**34, FULL), copies_for(1.0, 2**33, 2**34, FULL)
    (32, 1)
    >>> copies_for(20e-6, 2**24, 2**34, FULL)
    16
    """
    wanted = math.ceil(effort.batch_s / max(once_s, SHORTEST_S))
    room = min(COPIES_BYTES, free_bytes // 2) // max(bytes_each, 1)
    return max(1, min(wanted, MOST_COPIES, room))


Buffers = dict[str, Buffer]
