"""The boat hull of this machine's CPU, with primitives measured on it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace

from roofcast.commands.hull_output import Request, delivered, picture
from roofcast.core.errors import RoofcastError
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity
from roofcast.hulls.bounds import Bounds
from roofcast.hulls.classes import family_of
from roofcast.hulls.hull import bounds_of
from roofcast.hulls.notation import parse_class
from roofcast.hulls.show.hull_view import Point, view_of
from roofcast.kit.output import text_width
from roofcast.kit.table import aligned
from roofcast.measure.cpu import Measured, compiled, measure_cpu, measure_primitives

DEFAULT_CLASS = "4096x4096|element -> 4096x4096|element"
"""Four times the source's, so that today's caches hold little of it."""
LARGEST_ELEMENTS = 1 << 26
MEANING = {
    "c0": "all threads, vector",
    "c1": "all threads, scalar",
    "c2": "one thread, vector",
    "c3": "one thread, scalar",
}


def answer_here(request: Request) -> str | None:
    """Measure, then draw or print model and measurement side by side.

    Raises
    ------
    RoofcastError : no compiler; a class that is not element to element, or too large.
    """
    found = parse_class(request.what or DEFAULT_CLASS, request.names)
    elements = found.inputs[0].elements
    if family_of(found).key != "element" or elements > LARGEST_ELEMENTS:
        raise RoofcastError("--measure-here runs element classes of at most 2^26 elements, e.g. " + DEFAULT_CLASS)
    with compiled() as probe:
        before = measure_cpu(probe)
        measured = measure_primitives(probe, elements)
        processor = faster_of(before, measure_cpu(probe))
    bounds = bounds_of(found, processor, request.settings)
    if request.draws:
        points = [Point(m.complexity, m.time_s, MEANING[m.code]) for m in measured]
        span = (min(m.complexity for m in measured), max(m.complexity for m in measured))
        return picture(view_of([(str(found), bounds)], (float(span[0]) / 2, 4.0 * span[1]), points=points), request)
    texts: dict[str, Callable[[], str]] = {
        "table": lambda: render_validation(processor, bounds, measured, text_width(request.output)),
        "json": lambda: json.dumps(records(bounds, measured), indent=2),
        "csv": lambda: render_points(processor, measured),
    }
    return delivered(request, texts)


def faster_of(first: Processor, second: Processor) -> Processor:
    """Of two measurements of one machine the one with the higher compute rate, with the higher bandwidth of both.

    Other work can only make a machine look slower than it is.
    """
    best = max(first, second, key=lambda p: p.rate(Resource.FLOPS_FP32))
    other = second if best is first else first
    memory = max((best, other), key=lambda p: p.rate(Resource.BYTES_DRAM)).supplies[Resource.BYTES_DRAM]
    return replace(best, supplies={**best.supplies, Resource.BYTES_DRAM: memory})


def modelled(bounds: Bounds, measured: Measured) -> float:
    """Seconds that the model gives for one kind of code: its compute line, or memory."""
    lines = {line.key: line for line in (*bounds.hull, *bounds.floors)}
    line = lines.get(measured.code)
    memory = lines["m0"].at(measured.complexity)
    return max(memory, line.at(measured.complexity)) if line is not None else float("nan")


def render_validation(processor: Processor, bounds: Bounds, measured: Sequence[Measured], width: int) -> str:
    """Model beside measurement, per kind of code and complexity."""
    rows = []
    for m in measured:
        model = modelled(bounds, m)
        rows.append(
            [
                f"{m.code}: {MEANING[m.code]}",
                str(m.complexity),
                format_quantity(model, "s"),
                format_quantity(m.time_s, "s"),
                f"{m.time_s / model:.2f}",
            ]
        )
    head = [
        processor.name,
        f"P_memory {format_quantity(processor.rate(Resource.BYTES_DRAM), 'B/s')}, "
        f"P_compute {format_quantity(processor.rate(Resource.FLOPS_FP32), 'FLOP/s')}, "
        f"{processor.sm_count} threads, {processor.warp_size} lanes of 32 bits",
        "",
    ]
    header = ["code", "complexity", "model", "measured", "measured / model"]
    return "\n".join([*head, *aligned(header, rows, [False, True, True, True, True], width)])


def records(bounds: Bounds, measured: Sequence[Measured]) -> list[dict[str, object]]:
    """The same for machines."""
    return [
        {
            "processor": bounds.processor,
            "code": MEANING[m.code],
            "complexity": m.complexity,
            "model_s": modelled(bounds, m),
            "measured_s": m.time_s,
        }
        for m in measured
    ]


def render_points(processor: Processor, measured: Sequence[Measured]) -> str:
    """Measured points as a CSV that ``--measured`` reads."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["complexity", "time_s", "label", "processor"])
    writer.writerows([m.complexity, m.time_s, MEANING[m.code], processor.name] for m in measured)
    return out.getvalue().rstrip("\n")
