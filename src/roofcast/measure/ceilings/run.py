"""All ceilings of a GPU, one after the other."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field

from roofcast.core.errors import RoofcastError, one_line
from roofcast.measure.ceilings import compute, latencies, memory, tensor
from roofcast.measure.ceilings.bench import Bench, Ceiling
from roofcast.measure.ceilings.host import Host, State
from roofcast.measure.driver import DeviceInfo, Driver
from roofcast.measure.timing import CEILINGS, Effort


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

    def get(self, quantity: str) -> Ceiling | None:
        """The ceiling of a quantity; the highest where there are several."""
        found = [c for c in self.ceilings if c.quantity == quantity]
        return max(found, key=lambda c: c.value, default=None)


def plan(sm: int) -> list[tuple[str, Callable[[Bench], Ceiling | None]]]:
    """(name, measurement) of all that an architecture has.

    Matrix units come last: an instruction that the device refuses leaves it unusable for this program.
    """
    return [*compute.steps(sm), *memory.steps(), *latencies.steps(), *tensor.steps(sm)]


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
    found: list[Ceiling] = []
    failed: list[str] = []
    state = host.state()
    try:
        for name, measure in plan(driver.info.sm):
            watch(name)
            try:
                one = measure(bench)
            except RoofcastError as error:
                failed.append(f"{name}: {one_line(str(error), 160)}")
                one = None
            if one is not None:
                found.append(one)
            if name == "flops_fp32:fma":
                state = host.state()
            advance()
    finally:
        if "results" in vars(bench):
            # A device that was lost refuses this too; what was measured before stays.
            with contextlib.suppress(RoofcastError):
                driver.release(bench.results)
    if not found:
        raise RoofcastError(f"no measurement works on this GPU; the first error: {failed[0]}")
    return Measured(driver.info, dict(host.limits()), state, tuple(found), tuple(failed))
