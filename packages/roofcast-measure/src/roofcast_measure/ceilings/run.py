"""All ceilings of a GPU, one after the other."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from roofcast.core.errors import RoofcastError, one_line
from roofcast_measure.ceilings import compute, latencies, memory, tensor
from roofcast_measure.ceilings.bench import REST_S, Bench, Ceiling, holds
from roofcast_measure.ceilings.host import Host, State
from roofcast_measure.driver import DeviceInfo, Driver
from roofcast_measure.timing import CEILINGS, Effort

EACH_S = 0.3
"""Seconds that a measurement takes beside what it waits for: compiling, filling memory, ten launches (56 s for 61 on an
H100)."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What was found on one GPU."""

    info: DeviceInfo
    limits: dict[str, int]
    state: State
    """As it was after the arithmetic, under load."""
    ceilings: tuple[Ceiling, ...]
    failed: tuple[str, ...] = field(default=())
    """One line per measurement that did not work."""
    took_s: float = math.nan
    """Seconds that it all took."""

    def get(self, quantity: str) -> Ceiling | None:
        """The ceiling of a quantity; the highest where there are several."""
        ceilings = [c for c in self.ceilings if c.quantity == quantity]
        return max(ceilings, key=lambda c: c.value, default=None)


def plan(sm: int) -> list[tuple[str, Callable[[Bench], Ceiling | None]]]:
    """(name, measurement) of all that an architecture has.

    Matrix units come last: an instruction that the device refuses leaves it unusable for this program.
    """
    return [*compute.steps(sm), *memory.steps(), *latencies.steps(), *tensor.steps(sm)]


def expected_s(sm: int, effort: Effort) -> float:
    """Seconds that all measurements take, roughly: what they wait for, and as much again of a second each."""
    held = sum(holds(name, sm) for name, _ in plan(sm)) if effort.hold_s else 0
    return len(plan(sm)) * (effort.warm_up_s + EACH_S) + held * (effort.hold_s + REST_S)


def run_ceilings(
    driver: Driver,
    host: Host,
    *,
    effort: Effort = CEILINGS,
    watch: Callable[[str], None] = lambda _: None,
    advance: Callable[[], None] = lambda: None,
) -> Measured:
    """Measure everything. What one card refuses is named in ``failed``; the rest is measured."""
    bench = Bench(driver, host, effort)
    ceilings: list[Ceiling] = []
    failed: list[str] = []
    state = host.state()
    start = time.monotonic()
    try:
        for name, measure in plan(driver.info.sm):
            watch(name)
            try:
                ceiling = measure(bench)
            except RoofcastError as error:
                failed.append(f"{name}: {one_line(str(error), 160)}")
                ceiling = None
            if ceiling is not None:
                ceilings += [ceiling, *bench.sustained]
            bench.sustained.clear()
            if name == "flops_fp32:fma":
                state = host.state()
            advance()
    finally:
        if "results" in vars(bench):
            # A device that was lost refuses this too; what was measured before stays.
            with contextlib.suppress(RoofcastError):
                driver.release(bench.results)
    if not ceilings:
        raise RoofcastError(f"no measurement works on this GPU; the first error: {failed[0]}")
    took_s = time.monotonic() - start
    return Measured(driver.info, dict(host.limits()), state, tuple(ceilings), tuple(failed), took_s)
