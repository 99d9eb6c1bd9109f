"""One kernel on its source and on a target architecture: registers, spills, work, and why they differ.

Where only PTX is at hand, it is compiled with one and the same compiler for the source's and for the target's
architecture, so that what differs is the architecture; what the other compiler version changes is reported apart.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field, replace

from roofcast.core.errors import InputError
from roofcast.core.records import dataclass
from roofcast.kit.quantities import format_percent
from roofcast.sass.carry import LEAST_COVERAGE, Carried, carry, find_counterpart, find_reached_parts, sum_static
from roofcast.sass.cubin import Cubin, Function
from roofcast.sass.executions import Executions
from roofcast.sass.instructions import decode
from roofcast.sass.retarget import retarget_ptx
from roofcast.sass.toolkit import ptxas_version
from roofcast.sass.work import BYTES_LOCAL, FLOPS, PHANTOM

LEAST_REGISTERS, MOST_REGISTERS = 16, 255
"""What a thread of a kernel can have; the hardware gives out no fewer."""
TOOLKIT_EFFECT, NO_EFFECT = "alone would give", "no change of FLOPs"
TENSOR_REASON = "tensor-core code is chosen per architecture: the work is not transferred"


@dataclass(frozen=True, slots=True)
class Side:
    """What the compiler says about a kernel on one architecture."""

    sm: int
    toolkit: tuple[int, int] | None
    registers: int | None
    frame_bytes: int | None
    shared_bytes: int | None


@dataclass(frozen=True)
class Comparison:
    """One kernel here and there."""

    here: Side
    there: Side
    coverage: float | None
    """Share of the executed work whose blocks match; None without execution counts."""
    is_applied: bool
    """Whether the ratios are used (coverage of at least 0.95, no tensor cores)."""
    has_tensor_work: bool = False
    """Whether tensor instructions differ, so that the target runs other code."""
    ratios: Mapping[str, float] = field(default_factory=dict)
    """Amount -> work there over work here; 1 where the transfer is not applied."""
    flops_there: Mapping[str, float] = field(default_factory=dict)
    """Executed FLOPs there; without execution counts, of one pass through the code."""
    bytes_local_here: float | None = None
    bytes_local_there: float | None = None
    blocks_matched: int = 0
    blocks: int = 0
    reasons: tuple[str, ...] = ()
    carried: Carried | None = None
    binary_here: Cubin | None = None
    """The code that was matched: the one that ran, or its PTX compiled with the same compiler as the target's."""
    executions_here: Executions | None = None
    binary_there: Cubin | None = None
    symbol_there: str = ""


def side_of(cubin: Cubin, function: Function | None) -> Side:
    """What is recorded about a kernel."""
    if function is None:
        return Side(cubin.sm, cubin.toolkit, None, None, None)
    return Side(cubin.sm, cubin.toolkit, function.registers, function.frame_bytes, function.shared_bytes)


def compare(
    source: Cubin,
    kernel: str,
    executions: Executions | None,
    sm: int,
    given: Cubin | None = None,
    kernels: frozenset[str] | None = None,
) -> Comparison:
    """Compare a kernel with its code for another architecture.

    source : the binary that ran. kernel : linker name. executions : its counts, where recorded.
    sm : target architecture. given : the target's binary; else the source's PTX is retargeted.
    kernels : kernels of this binary that will be compared, this one among them (default: all).
    """
    function = source.function(kernel)
    if given is not None:
        comparison = compare_binaries(source, kernel, executions, given, ())
        return replace(comparison, reasons=(*comparison.reasons, *explain_registers(comparison.here, comparison.there)))
    if sm == source.sm:
        return compare_binaries(source, kernel, executions, source, ("the same architecture: the same code",))
    if not source.ptx:
        raise InputError("no PTX in the binary: compile with -lineinfo, or give the target's binary")
    cap = function.register_cap if function else None
    anchor, target = retarget_ptx(source.ptx, source.sm, cap, kernels), retarget_ptx(source.ptx, sm, cap, kernels)
    if executions is None:
        return with_own_registers(compare_binaries(anchor, kernel, None, target, ()), side_of(source, function))
    first = carry(source, executions, kernel, anchor)
    if first is None or first.executions is None:
        raise InputError("the PTX in the binary does not hold this kernel")
    second = compare_binaries(anchor, kernel, first.executions, target, explain_toolkit(source, first))
    return restate_for_source(source, kernel, first, second)


def compare_binaries(
    source: Cubin, kernel: str, executions: Executions | None, target: Cubin, reasons: tuple[str, ...]
) -> Comparison:
    """Compare with a binary that is there."""
    other = find_counterpart(target, kernel)
    if other is None:
        raise InputError("the target's binary does not hold this kernel")
    mine, theirs = source.function(kernel), target.function(other)
    here, there = side_of(source, mine), side_of(target, theirs)
    if executions is None:
        no_counts = "no execution counts: collect them with ncu --section SourceCounters"
        static = sum_static([p for group in find_reached_parts(target, other).values() for p in group])
        return Comparison(
            here, there, None, False,
            flops_there={a: static[a] for a in FLOPS if a in static}, reasons=(*reasons, no_counts),
            binary_here=source, binary_there=target, symbol_there=other,
        )  # fmt: skip
    carried = carry(source, executions, kernel, target)
    if carried is None:
        raise InputError("too many basic blocks to match")
    tensor = any(a.startswith(("flops_tensor", "ops_tensor")) for a in (*carried.source, *carried.target))
    is_same = mine is not None and theirs is not None and mine.code == theirs.code
    is_applied = carried.is_applied and (not tensor or is_same)
    sentences = [*reasons, *explain_differences(carried)]
    if tensor and not is_same:
        sentences.append(TENSOR_REASON)
    elif not is_applied:
        sentences.append(
            f"only {format_percent(carried.coverage, 0)} of the executed work matches: the work is not transferred"
        )
    names = {*carried.source, *carried.target}
    return Comparison(
        here, there, carried.coverage, is_applied,
        ratios={a: carried.ratio(a) if is_applied else 1.0 for a in sorted(names)},
        flops_there={a: carried.target.get(a, 0.0) for a in FLOPS if a in names},
        bytes_local_here=carried.source.get(BYTES_LOCAL, 0.0),
        bytes_local_there=carried.target.get(BYTES_LOCAL, 0.0),
        blocks_matched=len(carried.pairs), blocks=carried.blocks_source,
        reasons=tuple(sentences), carried=carried, binary_here=source, executions_here=executions,
        binary_there=target, symbol_there=other, has_tensor_work=tensor and not is_same,
    )  # fmt: skip


def restate_for_source(source: Cubin, kernel: str, first: Carried, second: Comparison) -> Comparison:
    """The comparison of two retargeted codes, stated for the code that really ran."""
    second = with_own_registers(second, side_of(source, source.function(kernel)))
    flops = {
        a: first.source.get(a, 0.0) * (second.ratios.get(a, 1.0) if first.source.get(a) else 1.0) for a in first.source
        if a in FLOPS
    }  # fmt: skip
    local = first.source.get(BYTES_LOCAL, 0.0)
    grown = (second.bytes_local_there or 0.0) - (second.bytes_local_here or 0.0)
    return replace(
        second,
        flops_there=flops,
        bytes_local_here=local,
        bytes_local_there=max(0.0, local + grown) if second.is_applied else local,
    )


def with_own_registers(found: Comparison, here: Side) -> Comparison:
    """The registers that really were used, and as many more or fewer there as the one compiler makes it."""
    registers = found.there.registers
    if here.registers is not None and registers is not None and found.here.registers is not None:
        least = min(LEAST_REGISTERS, here.registers)
        registers = max(least, min(MOST_REGISTERS, here.registers + registers - found.here.registers))
        if max(here.registers, registers) <= LEAST_REGISTERS:
            registers = here.registers
    there = replace(found.there, registers=registers)
    return replace(found, here=here, there=there, reasons=(*found.reasons, *explain_registers(here, there)))


def explain_registers(here: Side, there: Side) -> tuple[str, ...]:
    """What changes in registers."""
    if here.registers is None or there.registers is None or here.registers == there.registers:
        return ()
    return (f"registers {here.registers} -> {there.registers}",)


def explain_toolkit(source: Cubin, first: Carried) -> tuple[str, ...]:
    """What compiling the same PTX with the installed compiler changes on the same architecture."""
    version = ptxas_version()
    made_by = ".".join(map(str, source.toolkit)) if source.toolkit else "an unknown toolkit"
    if source.toolkit and version.startswith(f"{made_by}."):
        return ()
    moved = {a: first.ratio_of_work(a) for a in FLOPS if a in first.source}
    changed = [f"{a.removeprefix('flops_')} x {ratio:.4g}" for a, ratio in moved.items() if ratio != 1.0]
    effect = ", ".join(changed) or NO_EFFECT
    share = "" if first.coverage >= LEAST_COVERAGE else f" ({format_percent(first.coverage, 0)} of the work matched)"
    return (f"compiled with CUDA {made_by}; CUDA {version} {TOOLKIT_EFFECT} {effect}{share}; not applied",)


def explain_differences(carried: Carried) -> list[str]:
    """Why the work differs, in words."""
    sentences = []
    for amount in (a for a in FLOPS if a in carried.source or a in carried.target):
        ratio = carried.ratio_of_work(amount)
        if ratio != 1.0:
            change = f"x {ratio:.4g}" if math.isfinite(ratio) else "only there: not transferred"
            sentences.append(f"{amount.removeprefix('flops_')} FLOPs {change}")
    phantom_here, phantom_there = carried.source.get(PHANTOM, 0.0), carried.target.get(PHANTOM, 0.0)
    if phantom_here != phantom_there:
        sentences.append(f"phantom FP16 FLOPs (constant moves) {phantom_here:.4g} -> {phantom_there:.4g}")
    local_here, local_there = carried.source.get(BYTES_LOCAL, 0.0), carried.target.get(BYTES_LOCAL, 0.0)
    if local_here != local_there:
        sentences.append(f"local memory {local_here:.4g} B -> {local_there:.4g} B (spills, private arrays)")
    if carried.unmatched:
        sentences.append(f"{len(carried.unmatched)} subroutine(s) without a counterpart")
    return sentences


def count_phantom_moves(source: Cubin, kernel: str) -> int:
    """Constant moves of the half-precision pipe in a kernel's code (how often they run is not told)."""
    function = source.function(kernel)
    return int(decode(function.code, source.sm).is_phantom.sum()) if function else 0
