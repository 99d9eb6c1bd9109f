"""What the machine code of kernels does, as text and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from roofcast.core.errors import one_line
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.kit.table import aligned, folded
from roofcast.sass.comparison import Comparison
from roofcast.sass.summary import KernelSummary, SpecialFunction

MOST_ROWS = 12


def render_sass_json(kernels: Sequence[KernelSummary]) -> str:
    """``{"kernels": [...]}``, one object per launch or kernel."""
    return json.dumps({"kernels": [record(k) for k in kernels]}, indent=2, ensure_ascii=False, allow_nan=False)


def record(kernel: KernelSummary) -> dict[str, Any]:
    """One kernel as JSON values."""
    found = kernel.comparison
    return {
        "kernel": kernel.kernel,
        "launch": kernel.launch,
        "architecture": kernel.architecture,
        "registers": kernel.registers,
        "flops_code": dict(kernel.flops_code),
        "flops_counters": dict(kernel.flops_counters),
        "phantom_flops_fp16": kernel.phantom_flops_fp16,
        "special": [special_record(s) for s in kernel.special],
        "against": None if found is None else against_record(found),
        "coverage": None if found is None else found.coverage,
        "toolkit": kernel.toolkit or None,
        "frame_bytes": kernel.frame_bytes,
        "shared_bytes": kernel.shared_bytes,
        "weighted_by_executions": kernel.has_counts,
        "flops_per_byte": dict(kernel.flops_per_byte),
        "flops_per_byte_against": dict(kernel.flops_per_byte_against),
        "mix": {k: {"instructions": n, "executed_fraction": share} for k, (n, share) in kernel.mix.items()},
        "notes": list(kernel.notes),
    }


def special_record(special: SpecialFunction) -> dict[str, Any]:
    """One special function as JSON values."""
    return {
        "operation": special.operation,
        "where": special.where,
        "source": special.source or None,
        "path": special.path,
        "executed_fraction": special.executed_fraction,
        "flops": special.flops,
        "flops_against": special.flops_against,
    }


def against_record(found: Comparison) -> dict[str, Any]:
    """The other architecture as JSON values."""
    return {
        "architecture": f"sm_{found.there.sm}",
        "toolkit": ".".join(map(str, found.there.toolkit)) if found.there.toolkit else None,
        "registers": found.there.registers,
        "frame_bytes": found.there.frame_bytes,
        "applied": found.is_applied,
        "flops": dict(found.flops_there),
        "ratios": {k: v if math.isfinite(v) else None for k, v in found.ratios.items()},
        "bytes_local_source": found.bytes_local_here,
        "bytes_local": found.bytes_local_there,
        "blocks": found.blocks,
        "blocks_matched": found.blocks_matched,
        "reasons": list(found.reasons),
    }


def render_sass(kernels: Sequence[KernelSummary], width: int) -> str:
    """One section per launch or kernel."""
    return folded("\n\n".join("\n".join(section(k, width)) for k in kernels), width)


def section(kernel: KernelSummary, width: int) -> Iterator[str]:
    """Lines of one kernel."""
    launch = "" if kernel.launch is None else f"  (launch {kernel.launch})"
    yield f"{one_line(kernel.kernel, max(40, width - 20))}{launch}"
    made_by = f", CUDA {kernel.toolkit}" if kernel.toolkit else ""
    if kernel.architecture:
        yield f"  {kernel.architecture}{made_by}: {resources(kernel)}"
    weight = "executed" if kernel.has_counts else "one pass through the code; no execution counts"
    yield f"  FLOPs ({weight}): {flops_line(kernel.flops_code)}"
    if kernel.flops_counters:
        yield f"  FLOPs (counters): {flops_line(kernel.flops_counters)}"
    if kernel.flops_per_byte and kernel.comparison is None:
        levels = (f"{Resource(level).label} {value:.3g}" for level, value in kernel.flops_per_byte.items())
        yield f"  FLOP per byte: {', '.join(levels)}"
    if kernel.phantom_flops_fp16:
        share = kernel.phantom_flops_fp16 / max(sum(kernel.flops_code.values()), 1.0)
        shown = format_quantity(kernel.phantom_flops_fp16, "FLOP")
        yield f"  of these {shown} ({share:.1%}) are constant moves through the FP16 pipe, not work"
    yield from indented(mix_table(kernel, width - 2))
    if kernel.special:
        yield from indented(special_table(kernel, width - 2))
    if kernel.comparison is not None:
        yield from indented(comparison_lines(kernel, kernel.comparison, width - 2))
    yield from (f"  note: {one_line(note, 300)}" for note in kernel.notes)


def indented(lines: Sequence[str]) -> Iterator[str]:
    """A blank line, then the lines moved to the right."""
    yield ""
    yield from (f"  {line}" for line in lines)


def resources(kernel: KernelSummary) -> str:
    """Registers, frame, shared memory, size."""
    known = [
        f"{value} {label}"
        for value, label in (
            (kernel.registers, "registers"),
            (kernel.frame_bytes, "B of local memory per thread"),
            (kernel.shared_bytes, "B of static shared memory"),
            (kernel.instructions, "instructions"),
        )
        if value is not None
    ]
    return ", ".join(known)


def flops_line(flops: Mapping[str, float]) -> str:
    """Amounts of FLOPs, the absent kinds left out."""
    kinds = [f"{k.split('_', 1)[1].replace('_', ' ')} {format_quantity(v, 'FLOP')}" for k, v in flops.items() if v]
    return ", ".join(kinds) or "none"


def percent(share: float | None) -> str:
    """A share of the executed instructions."""
    return "–" if share is None else f"{100 * share:.2f} %"


def mix_table(kernel: KernelSummary, width: int) -> list[str]:
    """Instruction classes."""
    rows = [[name, str(count) if count else "–", percent(share)] for name, (count, share) in kernel.mix.items()]
    return aligned(["class", "instructions", "executed"], rows, [False, True, True], width)


def special_table(kernel: KernelSummary, width: int) -> list[str]:
    """Special functions, the most executed first."""
    there = f"sm_{kernel.comparison.there.sm}" if kernel.comparison is not None else "there"
    rows = [
        [
            s.operation, s.path, percent(s.executed_fraction), format_quantity(s.flops, "FLOP"),
            format_quantity(s.flops_against, "FLOP"), one_line(f"{s.source}  {s.where}".strip(), 120),
        ]
        for s in kernel.special[:MOST_ROWS]
    ]  # fmt: skip
    header = ["special function", "path", "executed", f"FLOPs {kernel.architecture}", f"FLOPs {there}", "where"]
    lines = aligned(header, rows, [False, False, True, True, True, False], width, flexible=5)
    left = len(kernel.special) - MOST_ROWS
    return [*lines, f"… and {left} more"] if left > 0 else lines


def comparison_lines(kernel: KernelSummary, found: Comparison, width: int) -> list[str]:
    """What differs on the other architecture, and why."""
    here, there = found.here, found.there

    def plain(value: int | None) -> str:
        return "–" if value is None else str(value)

    rows = [
        ["registers per thread", plain(here.registers), plain(there.registers)],
        ["local memory per thread [B]", plain(here.frame_bytes), plain(there.frame_bytes)],
    ]
    if found.bytes_local_here is not None:
        rows.append(
            ["local memory traffic", format_quantity(found.bytes_local_here, "B"),
             format_quantity(found.bytes_local_there, "B")]
        )  # fmt: skip
    for name in kernel.flops_code:
        if kernel.flops_code[name] or found.flops_there.get(name):
            mine, theirs = kernel.flops_code[name], found.flops_there.get(name)
            rows.append([name, format_quantity(mine, "FLOP"), format_quantity(theirs, "FLOP")])
    for level, value in kernel.flops_per_byte.items():
        other = kernel.flops_per_byte_against.get(level)
        rows.append(
            [f"FLOP per {Resource(level).label} byte", f"{value:.3g}", "–" if other is None else f"{other:.3g}"]
        )
    lines = aligned(["", f"sm_{here.sm}", f"sm_{there.sm}"], rows, [False, True, True], width)
    if found.coverage is not None:
        verdict = "applied in forecasts" if found.is_applied else "not applied"
        matched = f"{found.blocks_matched} of {found.blocks} blocks matched"
        lines.append(f"{matched}, {found.coverage:.1%} of the executed work: {verdict}")
    return [*lines, *(f"- {one_line(reason, 300)}" for reason in found.reasons)]
