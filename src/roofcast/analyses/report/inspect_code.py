"""The machine code that reports embed, for ``inspect``: that it is there, and what ``sass`` would show of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from roofcast.core.errors import InputError, one_line
from roofcast.core.kernel_table import KernelTable

REPORT_FORMAT = "ncu-rep"


@dataclass(frozen=True, slots=True)
class Code:
    """What one report embeds."""

    file: str
    path: str
    architectures: tuple[str, ...]
    """Of each binary, ``sm_80``; '' where it cannot be read."""
    size_bytes: int
    ptx: bool
    """Whether the debug sections hold PTX that can be compiled for other GPUs."""
    launches: int
    launches_with_code: int
    launches_with_counts: int
    """Launches with executions per instruction (source counters)."""

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        return {
            "file": self.file,
            "binaries": len(self.architectures),
            "architectures": sorted({a for a in self.architectures if a}),
            "size_bytes": self.size_bytes,
            "ptx": self.ptx,
            "launches": self.launches,
            "launches_with_code": self.launches_with_code,
            "launches_with_counts": self.launches_with_counts,
        }


def embedded_code(kernels: KernelTable) -> list[Code]:
    """What each report of a table embeds, in the order of its files; none for other formats and for streams."""
    from roofcast.sass.executions import open_report, parse_modules

    found = []
    for p in kernels.provenance:
        if p.format != REPORT_FORMAT or not p.path:
            continue
        try:
            report = open_report(p.path)
        except InputError:  # moved since it was read: what was read stays right
            continue
        cubins = parse_modules(report)
        if not cubins:
            continue
        found.append(
            Code(
                file=p.file,
                path=p.path,
                architectures=tuple(f"sm_{c.sm}" if c else "" for c in cubins),
                size_bytes=sum(len(m.cubin_bytes) for m in report.modules),
                ptx=any(c.ptx for c in cubins if c),
                launches=len(report.launches),
                launches_with_code=sum(launch.module >= 0 for launch in report.launches),
                launches_with_counts=sum(launch.counters is not None for launch in report.launches),
            )
        )
    return found


def code_lines(code: Sequence[Code]) -> Iterator[str]:
    """What is embedded, and the command that shows it."""
    for c in code:
        kinds = ", ".join(sorted({a or "unreadable" for a in c.architectures}))
        count = "a binary" if len(c.architectures) == 1 else f"{len(c.architectures)} binaries"
        size = f"{c.size_bytes / 1e3:.0f} kB"
        parts = [f"{count} ({kinds}, {size}) with the code of {c.launches_with_code} of {c.launches} launches"]
        parts.append("PTX" if c.ptx else "no PTX")
        parts.append(
            f"executions per instruction of {c.launches_with_counts} launches"
            if c.launches_with_counts
            else "no executions per instruction (ncu --section SourceCounters)"
        )
        named = f" of {one_line(c.file, 60)}" if len(code) > 1 else ""
        yield f"machine code{named}: {'; '.join(parts)}"
    if code:
        file = shlex.quote(one_line(code[0].file, 200))
        against = ", --against GPU there" if any(c.ptx for c in code) else ""
        yield f"its instruction mix, special functions, FLOPs and registers{against}:"
        yield f"  roofcast sass {file}"
