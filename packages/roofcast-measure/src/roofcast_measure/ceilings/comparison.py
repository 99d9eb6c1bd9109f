"""Measured ceilings beside the catalog's: what is off by more than its uncertainty, and what that usually means."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.kit.quantities import format_percent
from roofcast_measure.ceilings.bench import Ceiling
from roofcast_measure.ceilings.entry import best, locked_clock
from roofcast_measure.ceilings.run import Measured

LEAST_UNCERTAINTY = 0.03
"""Two careful tools differ by as much on one card."""
OF_SM = ("flops_", "ops_", "insts_", "bytes_l1", "bytes_l2", "bytes_shared", "atomics_")
ECC_COSTS = (0.03, 0.15)
"""Share of the bandwidth of GDDR memory that ECC takes."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One measured value and what the catalog expects."""

    ceiling: Ceiling
    expected: float
    """NaN where the catalog has none of this kind."""
    uncertainty: float
    """Relative: the catalog's and the measurement's together."""
    source: str = ""

    @property
    def ratio(self) -> float:
        """Measured over expected."""
        return self.ceiling.value / self.expected

    @property
    def is_off(self) -> bool:
        """Whether the difference is more than the uncertainty."""
        return not math.isnan(self.expected) and abs(self.ratio - 1) > self.uncertainty


def compare(measured: Measured, processor: Processor) -> list[Compared]:
    """Every ceiling beside the catalog's value of the same kind, which is one of long runs.

    A burst stands beside it only where no sustained rate was measured, and of two instructions for one quantity the
    faster one.
    """
    held = {c.quantity for c in measured.ceilings if c.load == "sustained"}
    chosen = {id(c) for c in best(measured.ceilings) if c.load == "sustained" or c.quantity not in held}
    return [
        compared(c, processor, measured.info.sm) if id(c) in chosen else Compared(c, math.nan, 0.0)
        for c in measured.ceilings
    ]


def compared(ceiling: Ceiling, processor: Processor, sm: int = 0) -> Compared:
    """One ceiling; supplies of the same kind of access, or of the resource where the ceiling has no kind."""
    head, _, kind = ceiling.quantity.partition(":")
    spread = max(ceiling.spread, LEAST_UNCERTAINTY)
    others = {f"latency_cycles:{k}": f"latency_cycles_{k}" for k in ("l1", "shared", "l2", "dram")}
    others["launch_floor:stream"] = "launch_floor_s"
    if ceiling.quantity in others:
        value = getattr(processor, others[ceiling.quantity])
        return Compared(ceiling, math.nan if value is None else float(value), 0.15)
    if ceiling.quantity == "clock:fp32":
        return Compared(ceiling, processor.clock_hz_sustained or processor.clock_hz_boost, spread)
    if head not in set(Resource):
        return Compared(ceiling, math.nan, spread)
    supply = processor.variants.get(ceiling.quantity)
    if supply is None and kind in ("", "fma"):
        supply = processor.supplies.get(Resource(head))
    elif supply is None and kind in ("mma", "wgmma", "tcgen05") and ceiling.load == "burst":
        # What an instruction makes in a burst is nothing that a library's product, or a long run, is expected to.
        supply = processor.variants.get(f"{head}:burst")
    beside_wgmma = sm == 90 and kind == "mma" and head != Resource.FLOPS_TENSOR_FP64
    if supply is None or not ceiling.is_ceiling or beside_wgmma:
        return Compared(ceiling, math.nan, spread)
    return Compared(ceiling, supply.at_clock(processor.clock_hz_boost),
                    math.hypot(spread, supply.relative_uncertainty), supply.source)  # fmt: skip


def explanations(rows: Sequence[Compared], measured: Measured, processor: Processor) -> list[str]:
    """One line per cause that fits what is off."""
    lines = [rule(rows, measured, processor) for rule in RULES]
    sentences = [line for line in lines if line]
    of_sm = [r for r in low(rows, *OF_SM) if not clocks(rows, measured, processor)]
    if of_sm:
        named = ", ".join(r.ceiling.quantity for r in of_sm[:4])
        sentences.append(
            f"lower than the catalog at full clock: {named}; measure again on an idle machine: if it stays, the "
            "catalog's value is of another variant or a coarse estimate"
        )
    return sentences


def low(rows: Sequence[Compared], *heads: str) -> list[Compared]:
    """Rates that are below what the catalog expects."""
    return [r for r in rows if r.is_off and r.ratio < 1 and r.ceiling.quantity.startswith(heads)]


def partition(rows: Sequence[Compared], measured: Measured, processor: Processor) -> str:
    """Fewer SMs than the card has."""
    share = measured.info.sm_count / processor.sm_count
    if abs(share - 1) < 1e-9:
        return ""
    cause = "MIG is on" if measured.state.mig else "a MIG or virtual-GPU slice, or another variant of the card"
    return (
        f"{measured.info.sm_count} SMs, the catalog's card has {processor.sm_count}: {cause}; rates of the SMs scale "
        f"by {share:.2f}"
    )


def clocks(rows: Sequence[Compared], measured: Measured, processor: Processor) -> str:
    """A clock below boost, and what holds it there by the driver; a lock only where every reading shows one."""
    counted = measured.get("clock:fp32")
    expected = processor.clock_hz_sustained or processor.clock_hz_boost
    if counted is None or counted.value > (1 - LEAST_UNCERTAINTY) * expected:
        return ""
    state = measured.state
    lowered = f"under FP32 load the SM clock is {counted.value / 1e6:.0f} MHz, not {expected / 1e6:.0f}"
    if state.power_limit_w and state.power_limit_default_w and state.power_limit_w < 0.98 * state.power_limit_default_w:
        default = f"by default {state.power_limit_default_w:.0f} W (nvidia-smi -pl)"
        return f"{lowered}: the power limit is {state.power_limit_w:.0f} W, {default}"
    if state.throttled:
        return f"{lowered}: throttled ({', '.join(state.throttled)}); see nvidia-smi -q -d PERFORMANCE"
    if counted.clock_hz > (1 + LEAST_UNCERTAINTY) * counted.value:
        read = f"the driver reads {counted.clock_hz / 1e6:.0f} MHz meanwhile"
        return f"{lowered}, but {read}: what was counted is wrong, not the clock"
    if locked := locked_clock(measured):
        return (
            f"{lowered}, and under no load above {locked / 1e6:.0f}: it is set (nvidia-smi -q -d CLOCK; where you set "
            "it, nvidia-smi -rgc takes it back)"
        )
    return f"{lowered}: the card reaches more under other loads (nvidia-smi -q -d PERFORMANCE under load says why)"


def power(rows: Sequence[Compared], measured: Measured, processor: Processor) -> str:
    """What the power limit takes of rates that are held."""
    of_burst = {c.quantity: c.value for c in best(measured.ceilings) if c.load == "burst"}
    shares = {c.quantity: c.value / of_burst[c.quantity] for c in best(measured.ceilings)
              if c.load == "sustained" and c.quantity in of_burst}  # fmt: skip
    lower = sorted((s, q) for q, s in shares.items() if s < 1 - LEAST_UNCERTAINTY)
    if not lower:
        return ""
    share, quantity = lower[0]
    limit = measured.state.power_limit_w
    at = f" of {limit:.0f} W" if limit else ""
    return (
        f"held for seconds, {len(lower)} of {len(shares)} rates are lower than in bursts, {quantity} most "
        f"({format_percent(share, 0)}): the power limit{at} lowers the clock, which is how the card works"
    )


def memory(rows: Sequence[Compared], measured: Measured, processor: Processor) -> str:
    """DRAM below the catalog: ECC, or the memory clock."""
    slow = low(rows, "bytes_dram")
    # What slows the memory slows every stream; where reads are as expected, it is the way of a copy or a fill.
    if len(slow) < 2 or not low(rows, "bytes_dram:read"):
        return ""
    worst = 1 - min(r.ratio for r in slow)
    peak = processor.supplies[Resource.BYTES_DRAM].peak_per_s if Resource.BYTES_DRAM in processor.supplies else None
    stated = measured.info.bytes_per_s_dram_peak
    if peak and stated > 0 and stated < 0.97 * peak:
        rates = f"the driver states {stated / 1e9:.0f} GB/s of {peak / 1e9:.0f}"
        return f"DRAM is up to {format_percent(worst, 0)} slow: {rates} (memory clock)"
    if measured.state.ecc and "HBM" not in processor.memory_type and ECC_COSTS[0] < worst < ECC_COSTS[1]:
        why = "ECC is on, which takes bandwidth from GDDR memory (nvidia-smi -e 0)"
        return f"DRAM is up to {format_percent(worst, 0)} slow: {why}"
    why = "another process may use the memory, or its clock is low (nvidia-smi -q -d CLOCK)"
    return f"DRAM is up to {format_percent(worst, 0)} slow: {why}"


def lanes(rows: Sequence[Compared], measured: Measured, processor: Processor) -> str:
    """A host link that is narrower or older than the card's."""
    slow = low(rows, "bytes_host_link:h2d", "bytes_host_link:d2h")
    if not slow:
        return ""
    s = measured.state
    share = f"the host link reaches {format_percent(min(r.ratio for r in slow), 0)} of what the catalog expects"
    known = None not in (s.pcie_width, s.pcie_width_most, s.pcie_generation, s.pcie_generation_most)
    if known and (s.pcie_width, s.pcie_generation) != (s.pcie_width_most, s.pcie_generation_most):
        return (
            f"{share}: PCIe {s.pcie_generation}.0 x{s.pcie_width}, the card has {s.pcie_generation_most}.0 "
            f"x{s.pcie_width_most} (slot, riser, or the board's lane sharing)"
        )
    return f"{share}: fewer PCIe lanes, an older generation, or a copy across CPU sockets (numactl, nvidia-smi topo -m)"


def launches(rows: Sequence[Compared], measured: Measured, processor: Processor) -> str:
    """A slow launch is seldom the device's own doing."""
    slow = [r for r in rows if r.ceiling.quantity == "launch_floor:stream" and r.is_off and r.ratio > 1]
    if not slow:
        return ""
    why = "virtualisation, MPS, or another process on the GPU"
    return f"a launch takes {slow[0].ratio:.1f} times what the catalog expects: {why}"


def faster(rows: Sequence[Compared], measured: Measured, processor: Processor) -> str:
    """Rates above what the catalog expects."""
    high = [r for r in rows if r.is_off and r.ratio > 1 and r.ceiling.quantity.partition(":")[0] in set(Resource)]
    if not high:
        return ""
    named = ", ".join(dict.fromkeys(r.ceiling.quantity for r in high[:3]))
    return (
        f"faster than the catalog: {named}; a higher clock, or the catalog's value is an estimate: your entry is better"
    )


Rule = Callable[[Sequence[Compared], Measured, Processor], str]


def copies(rows: Sequence[Compared], measured: Measured, processor: Processor) -> str:
    """A copy of ours that the driver's own exceeds."""
    ours, theirs = ({c.quantity: c for c in measured.ceilings if c.load != "sustained"}.get(f"bytes_dram:{k}")
                    for k in ("copy", "memcpy"))  # fmt: skip
    if ours is None or theirs is None or ours.value >= (1 - LEAST_UNCERTAINTY) * theirs.value:
        return ""
    share = format_percent(ours.value / theirs.value, 0)
    return f"bytes_dram:copy reaches {share} of the driver's own copy: bytes_dram:memcpy is the ceiling of plain copies"


RULES: tuple[Rule, ...] = (partition, clocks, power, memory, copies, lanes, launches, faster)
