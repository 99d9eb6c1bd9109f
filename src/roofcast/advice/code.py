"""What the machine code in a report says about its launches, for the rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from roofcast.advice.case import SpecialShare
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable


def special_of(kernels: KernelTable, files: Sequence[str]) -> dict[int, tuple[SpecialShare, ...]]:
    """Row -> long-latency functions, for launches of reports that hold code and execution counts.

    Files without code are passed over: the other rules need none.
    """
    from roofcast.sass.kernel_summary import summarise_file

    by_row: dict[int, tuple[SpecialShare, ...]] = {}
    launch, sources = kernels.column("launch"), kernels.strings("source_file")
    names = kernels.strings("kernel")
    for file in files:
        if file == "-" or not Path(file).name.endswith((".ncu-rep", ".ncu-repz")):
            continue
        try:
            summaries = summarise_file(file)
        except (RoofcastError, OSError):
            continue
        by_launch = {s.launch: s for s in summaries if s.has_counts and s.launch is not None}
        for i in np.flatnonzero(sources == Path(file).name).tolist():
            summary = by_launch.get(int(launch[i])) if np.isfinite(launch[i]) else None
            if summary is None or summary.kernel != str(names[i]):
                continue
            total = summary.flops_code
            by_row[i] = tuple(
                SpecialShare(
                    s.operation, s.source or s.where, s.executed_fraction or 0.0,
                    flops_fraction(s.flops, total.get(f"flops_fp{s.operation[-2:]}", 0.0)), s.path == "slow",
                    s.is_condition,
                )
                for s in summary.special
            )  # fmt: skip
    return by_row


def flops_fraction(part: float, whole: float) -> float:
    """A share in [0, 1]; 0 where the whole is none."""
    return min(max(part / whole, 0.0), 1.0) if whole > 0 else 0.0
