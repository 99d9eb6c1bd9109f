"""One measurement: launches long enough for the events, repeated, with clocks and power while they run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from roofcast.core.errors import RoofcastError
from roofcast.core.resource import Resource
from roofcast_measure.ceilings.host import Host
from roofcast_measure.ceilings.kernel_texts import source
from roofcast_measure.driver import Buffer, Conditions, Driver, Launch, LoadedKernel, Source, Work
from roofcast_measure.timing import CEILINGS, Effort, middle_and_spread, repeated, seconds_of, settled

BLOCK = 256
"""Threads of a block."""
MOST_ROUNDS = 2**26
"""Rounds of a loop in a kernel, far below what its 32-bit counter holds."""
HELD_STREAMS = ("read", "copy", "triad")
HELD_KINDS = ("fma", "mad", "matmul", "wgmma", "tcgen05", "block_scaled", "fp6")
BURST_S = 0.1
"""Seconds of load before a burst of what is held too: clocks come up, a power limit does not bite yet."""
REST_S = 0.3
"""Seconds without load before such a burst: the limit lets go of the one before."""
PART_S = 0.05
"""Of a held load, that is timed at once."""
COUNTED = 2 / 3
"""Share of a held load after which its rate counts."""
MOST_PARTS = 1000
"""Parts of a held load that are timed one by one."""
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
    load: str = ""
    """``burst``: short runs, before a power limit bites; ``sustained``: the end of seconds; '' where it is no rate."""
    is_ceiling: bool = True
    """False for what the hardware can exceed by instructions that are not used here."""


def holds(quantity: str, sm: int) -> bool:
    """Whether a rate is measured sustained as well: the loads that may draw all the power that a card is allowed.

    >>> holds("flops_tensor_bf16:wgmma", 90), holds("flops_tensor_bf16:mma", 90), holds("flops_tensor_bf16:mma", 80)
    (True, False, True)
    >>> holds("bytes_dram:copy", 90), holds("atomics_l2:distinct", 90)
    (True, False)
    """
    head, _, kind = quantity.partition(":")
    if head == "bytes_dram":
        return kind in HELD_STREAMS
    if not head.startswith(("flops_", "ops_")):
        return False
    of_a_warp = kind in ("mma", "fp32_accumulate") and (not 90 <= sm < 120 or head == "flops_tensor_fp64")
    return kind in HELD_KINDS or of_a_warp


@dataclass(frozen=True, slots=True)
class Sample:
    """Repeated times of the same launches."""

    times_s: tuple[float, ...]
    conditions: Conditions


Batch = Callable[[int], Work]
"""So many repetitions of the same, as one piece of work."""


class Bench:
    """What all measurements share on one device."""

    def __init__(self, driver: Driver, host: Host, effort: Effort = CEILINGS) -> None:
        self.driver, self.host, self.effort = driver, host, effort
        self.loaded: dict[str, LoadedKernel] = {}
        self.texts: set[str] = set()
        self.sustained: list[Ceiling] = []
        """What was held beside the burst that a measurement returns."""

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
        buffer = self.driver.allocate(max(self.grid * BLOCK * 8, LEAST_RESULTS))
        self.driver.upload(buffer, np.zeros(buffer.size_bytes, np.uint8))
        return buffer

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
        return self.times(self.driver.prepare(launches), self.effort.warm_up_s)

    def times(self, work: Work, settle_s: float) -> Sample:
        """Repeated times of prepared work, which is closed."""
        try:
            conditions = self.settled(work, settle_s) if settle_s else None
            times = repeated(self.driver, work, self.effort.repetitions)
            if conditions is None:
                work.run()
                conditions = self.aside()
                self.driver.wait()
        finally:
            work.close()
        return Sample(times, conditions)

    def settled(self, work: Work, settle_s: float) -> Conditions:
        """Clocks, and power where its sensor had time, near the end of a load that lasts as long as they need."""
        once_s = max(self.driver.time(work), 1e-6)
        for _ in range(min(2000, math.ceil(settle_s / once_s))):
            work.run()
        time.sleep(0.8 * settle_s)
        conditions = settled(self.driver.conditions(), settle_s)
        self.driver.wait()
        return conditions

    def hold(self, batch: Batch) -> Sample:
        """Times near the end of a load without a pause, and the clocks and power read while it runs.

        The next part is queued before a part is timed, so that the device never waits for the host.
        """
        single = batch(1)
        try:
            once_s = max(self.driver.time(single), 1e-7)
        finally:
            single.close()
        count = min(MOST_PARTS, max(1, math.ceil(PART_S / once_s)))
        parts = batch(count)
        timed: list[tuple[float, Conditions]] = []
        spent = 0.0
        try:
            while spent < self.effort.hold_s and len(timed) < MOST_PARTS:
                parts.run()
                now = self.driver.conditions()
                took = self.driver.time(parts)
                spent += 2 * max(took, 1e-6)
                if spent >= COUNTED * self.effort.hold_s:
                    timed.append((took / count, now))
        finally:
            parts.close()
        middle = [float(np.nanmedian(v)) if np.isfinite(v).any() else math.nan
                  for v in np.array([(c.clock_hz, c.clock_hz_dram, c.power_w) for _, c in timed]).T]  # fmt: skip
        return Sample(tuple(t for t, _ in timed), Conditions(*middle))

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
        return self.both(quantity, self.batch([launch_of(rounds)]), per_round * rounds, method)

    def stream(self, quantity: str, launch: Launch, amount: float, method: str) -> Ceiling:
        """Amount per second of a launch that is as long as its data; short ones are repeated."""
        count = self.effort.launches(self.once(launch))
        return self.both(quantity, self.batch([launch] * count), amount * count, method)

    def batch(self, launches: Sequence[Launch]) -> Batch:
        """Some launches, so many times over as one graph."""
        return lambda count: self.driver.prepare(list(launches) * count)

    def both(self, quantity: str, batch: Batch, amount: float, method: str) -> Ceiling:
        """The rate of a batch in a burst; where the power limit may bite, the sustained one is put beside it."""
        if not (self.effort.hold_s and holds(quantity, self.driver.info.sm)):
            return self.of(quantity, self.times(batch(1), self.effort.warm_up_s), amount, method)
        time.sleep(REST_S)
        burst = self.of(quantity, self.times(batch(1), BURST_S), amount, method)
        held = self.of(quantity, self.hold(batch), amount, f"{method}, held for {self.effort.hold_s:.0f} s")
        self.sustained.append(replace(held, load="sustained"))
        return burst

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
    load = "burst" if is_rate(quantity) else ""
    return Ceiling(quantity, middle, spread, len(values), method, c.clock_hz, c.clock_hz_dram, c.power_w, load)


def is_rate(quantity: str) -> bool:
    """Whether it is a rate of the GPU, which falls where power is short; latencies, floors and links do not."""
    return quantity.partition(":")[0] in set(Resource) - {Resource.BYTES_HOST_LINK}
