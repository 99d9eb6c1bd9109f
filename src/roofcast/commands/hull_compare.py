"""A class beside real kernels: how far an implementation is from its class, and both forecasts side by side."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from roofcast.commands.hull_output import Request, delivered, named
from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.matching import rows_matching
from roofcast.core.processor import Processor
from roofcast.core.resource import FLOPS_VECTOR
from roofcast.core.units import format_quantity
from roofcast.hulls.class_amounts import bytes_of, kernel_table, operations_of
from roofcast.hulls.hull import bounds_of
from roofcast.hulls.notation import AlgorithmClass, parse_class
from roofcast.hulls.show.hull_text import span
from roofcast.kit.names import clipped
from roofcast.kit.output import text_width
from roofcast.kit.table import aligned


def answer_compare(request: Request) -> str | None:
    """Read the profile, forecast kernels and class on the same processors.

    Raises
    ------
    RoofcastError : a bad class or profile; kernels without a GPU that the catalog has.
    """
    from roofcast.ingest.readers import read

    found = parse_class(request.what, request.names)
    kernels = matching(read([request.compare or ""]), request.pattern)
    targets, _ = named(request.on)
    rows = compared(found, kernels, targets, request)
    texts: dict[str, Callable[[], str]] = {
        "table": lambda: render(found, rows, text_width(request.output)),
        "json": lambda: json.dumps(rows, indent=2, ensure_ascii=False),
        "csv": lambda: render_csv(rows),
    }
    return delivered(request, texts)


def matching(kernels: KernelTable, pattern: str | None) -> KernelTable:
    """Rows whose kernel name matches."""
    if pattern is None:
        return kernels
    return kernels.select(rows_matching([str(name) for name in kernels.strings("kernel")], pattern))


def compared(
    found: AlgorithmClass, kernels: KernelTable, targets: list[Processor], request: Request
) -> list[dict[str, Any]]:
    """One row per kernel: class against measurement on its GPU, and the forecasts on the others."""
    from roofcast.forecasting.forecast import forecast

    settings, (low, high) = request.settings, request.span
    forecasts = forecast(kernels, targets, source=request.origin) if targets else None
    sources = forecasts.sources if forecasts else forecast(kernels, "A100", source=request.origin).sources
    if not any(sources):
        raise RoofcastError(
            f"{one_line(request.compare or '')}: no kernel names a GPU of the catalog; say which it was with --from GPU"
        )
    time, dram = kernels.column("time_s"), kernels.column("bytes_dram")
    counted = np.stack([kernels.column(r.value) for r in FLOPS_VECTOR])
    flops = np.where(np.isnan(counted).all(axis=0), np.nan, np.nansum(counted, axis=0))
    rows: list[dict[str, Any]] = []
    for i, source in enumerate(sources):
        if source is None:
            continue
        bounds = bounds_of(found, source, settings)
        row: dict[str, Any] = {
            "kernel": kernels.strings("kernel")[i],
            "gpu": source.name,
            "measured_s": number(time[i]),
            "hull_low_s": bounds.low(low),
            "hull_high_s": bounds.high(high),
            "times_hull": number(time[i] / bounds.low(low)),
            "bytes_dram": number(dram[i]),
            "bytes_class": bytes_of(found, settings),
            "flops": number(flops[i]),
            "operations_class": operations_of(found, low),
            "on": [],
        }
        from_class = forecast(kernel_table(found, [source], low, settings), targets) if targets else None
        for j, target in enumerate(targets):
            there = bounds_of(found, target, settings)
            assert forecasts is not None
            assert from_class is not None
            row["on"].append(
                {
                    "processor": target.name,
                    "hull_low_s": there.low(low),
                    "hull_high_s": there.high(high),
                    "from_profile_s": number(forecasts.estimate.time_s[i, j]),
                    "from_class_s": number(from_class.estimate.time_s[0, j]),
                }
            )
        rows.append(row)
    return rows


def number(value: Any) -> float | None:
    """A JSON number; None where absent."""
    return float(value) if math.isfinite(float(value)) else None


def render(found: AlgorithmClass, rows: list[dict[str, Any]], width: int) -> str:
    """The same as aligned text."""
    lines = [
        [
            one_line(clipped(r["kernel"], 60)),
            r["gpu"],
            format_quantity(r["measured_s"], "s"),
            span(r["hull_low_s"], r["hull_high_s"]),
            f"{r['times_hull']:.2f}" if r["times_hull"] else "–",
            format_quantity(r["bytes_dram"], "B"),
            format_quantity(r["bytes_class"], "B"),
        ]
        for r in rows
    ]
    header = ["kernel", "GPU", "measured", "class", "times the hull", "DRAM bytes", "of the class"]
    text = [str(found), "", *aligned(header, lines, [False, False, *[True] * 5], width)]
    targets = [
        [
            one_line(clipped(r["kernel"], 60)),
            t["processor"],
            format_quantity(t["from_profile_s"], "s"),
            span(t["hull_low_s"], t["hull_high_s"]),
            format_quantity(t["from_class_s"], "s"),
        ]
        for r in rows
        for t in r["on"]
    ]
    if targets:
        head = ["kernel", "on", "from the profile", "class", "class's amounts, profile's model"]
        text += ["", *aligned(head, targets, [False, False, True, True, True], width)]
    return "\n".join(text)


def render_csv(rows: list[dict[str, Any]]) -> str:
    """One row per kernel, without the other processors."""
    out = io.StringIO()
    plain = [{k: v for k, v in r.items() if k != "on"} for r in rows]
    writer = csv.DictWriter(out, list(plain[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(plain)
    return out.getvalue().rstrip("\n")
