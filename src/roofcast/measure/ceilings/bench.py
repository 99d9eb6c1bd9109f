"""One measurement: launches long enough for the events, repeated, with clocks and power while they run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from roofcast.core.errors import RoofcastError
from roofcast.measure.ceilings.host import Host
from roofcast.measure.ceilings.kernel_texts import source
from roofcast.measure.driver import Buffer, Conditions, Driver, Launch, LoadedKernel, Source, Work
from roofcast.measure.timing import CEILINGS, Effort, middle_and_spread, repeated, seconds_of

BLOCK = 256
MOST_ROUNDS = 2**26
LEAST_RESULTS = 2**17
"""Bytes: the sums of the largest product of the matrix units, 128 x 256."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    """One measured value."""

    quantity: str
    """As the catalog names it: ``bytes_dram:triad``."""
    value: float
    """Base units: per second, cycles, seconds or Hz. The median."""
    spread: float
    """Standard deviation over the repetitions, relative."""
    repetitions: int
    method: str
    clock_hz: float = math.nan
    clock_hz_dram: float = math.nan
    power_w: float = math.nan
    is_ceiling: bool = True
    """False for what the hardware can exceed by instructions that are not used here."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Repeated times of the same launches."""

    times_s: tuple[float, ...]
    conditions: Conditions


class Bench:
    """What all measurements share on one device."""

    def __init__(self, driver: Driver, host: Host, effort: Effort = CEILINGS) -> None:
        self.driver, self.host, self.effort = driver, host, effort
        self.loaded: dict[str, LoadedKernel] = {}
        self.texts: set[str] = set()

    def kernel(self, text: str | Source, name: str) -> LoadedKernel:
        """A kernel, compiled with its text (or the text of that name) when first asked for."""
        sm = self.driver.info.sm
        whole = source(text, sm) if isinstance(text, str) else text
        if whole.name not in self.texts:
            self.use(whole)
            self.texts.add(whole.name)
        if name not in self.loaded:
            raise RoofcastError(f"{name} is not there for sm_{sm}")
        return self.loaded[name]

    def use(self, text: Source) -> None:
        """Compile and load a text."""
        self.loaded |= self.driver.load(text)

    @cached_property
    def grid(self) -> int:
        """Blocks of 256 threads that fill the GPU exactly once."""
        per_sm = self.host.limits().get("max_threads_per_sm", 1024)
        return max(1, self.driver.info.sm_count * (int(per_sm) // BLOCK))

    @cached_property
    def results(self) -> Buffer:
        """A place for one 8-byte value per thread of the largest launch."""
        found = self.driver.allocate(max(self.grid * BLOCK * 8, LEAST_RESULTS))
        self.driver.upload(found, np.zeros(found.size_bytes, np.uint8))
        return found

    @contextmanager
    def memory(self, *sizes: int) -> Iterator[list[Buffer]]:
        """Device memory, given back at the end."""
        buffers: list[Buffer] = []
        try:
            buffers.extend(self.driver.allocate(size) for size in sizes)
            yield buffers
        finally:
            for buffer in buffers:
                self.driver.release(buffer)

    def once(self, launch: Launch) -> float:
        """Seconds of one launch."""
        return seconds_of(self.driver, [launch])

    def sample(self, launches: Sequence[Launch]) -> Sample:
        """Times of the launches together, after they have run for the time that clocks and power need to settle."""
        work = self.driver.prepare(launches)
        try:
            conditions = self.held(work) if self.effort.warm_up_s else None
            times = repeated(self.driver, work, self.effort.repetitions)
            if conditions is None:
                work.run()
                conditions = self.aside()
                self.driver.wait()
        finally:
            work.close()
        return Sample(times, conditions)

    def held(self, work: Work) -> Conditions:
        """Clocks and power near the end of a load that lasts as long as they need to settle."""
        once_s = max(self.driver.time(work), 1e-6)
        for _ in range(min(2000, math.ceil(self.effort.warm_up_s / once_s))):
            work.run()
        time.sleep(0.8 * self.effort.warm_up_s)
        conditions = self.driver.conditions()
        self.driver.wait()
        return conditions

    def aside(self) -> Conditions:
        """Clocks beside work too short or too thin for the power to tell anything."""
        now = self.driver.conditions()
        return Conditions(now.clock_hz, now.clock_hz_dram)

    def looped(
        self, kernel: LoadedKernel, *arguments: tuple[str, Any], blocks: int = 0, threads: int = BLOCK
    ) -> Callable[[int], Launch]:
        """Launches of a kernel whose last argument is its rounds; on the whole GPU where no blocks are given."""
        return lambda rounds: Launch(kernel, (blocks or self.grid,), (threads,), (*arguments, ("i32", rounds)))

    def rounds(self, launch_of: Callable[[int], Launch]) -> int:
        """Rounds of a kernel's loop that take at least as long as a batch."""
        rounds = 16
        while rounds < MOST_ROUNDS:
            took = self.once(launch_of(rounds))
            if took >= self.effort.batch_s:
                break
            rounds *= min(64, max(2, math.ceil(1.1 * self.effort.batch_s / max(took, 1e-7))))
        return min(rounds, MOST_ROUNDS)

    def rate(self, quantity: str, launch_of: Callable[[int], Launch], per_round: float, method: str) -> Ceiling:
        """Amount per second of a kernel that repeats its work ``rounds`` times.

        per_round : amount of the whole launch in one round.
        """
        rounds = self.rounds(launch_of)
        return self.of(quantity, self.sample([launch_of(rounds)]), per_round * rounds, method)

    def stream(self, quantity: str, launch: Launch, amount: float, method: str) -> Ceiling:
        """Amount per second of a launch that is as long as its data; short ones are repeated."""
        count = self.effort.launches(self.once(launch))
        return self.of(quantity, self.sample([launch] * count), amount * count, method)

    def of(self, quantity: str, sample: Sample, amount: float, method: str) -> Ceiling:
        """A rate from repeated times."""
        times = np.array(sample.times_s)
        rates = np.divide(amount, times, out=np.full(len(times), np.nan), where=times > 0)
        return summary(quantity, rates, method, sample.conditions)


def summary(quantity: str, values: Sequence[float] | np.ndarray, method: str, c: Conditions) -> Ceiling:
    """Median and relative spread of repeated values."""
    middle, deviation = middle_and_spread(values)
    if not (np.isfinite(values).all() and middle > 0):
        raise RoofcastError(f"{quantity}: the device's clock gives no usable time")
    spread = deviation / middle if len(values) > 1 else 0.0
    return Ceiling(quantity, middle, spread, len(values), method, c.clock_hz, c.clock_hz_dram, c.power_w)
