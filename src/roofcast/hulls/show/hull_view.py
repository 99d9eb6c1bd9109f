"""The boat hull graph as data: panels with lines, marks and measured points."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.units import parse_quantity
from roofcast.hulls.bounds import Bounds

DEFAULT_RANGE = (0.5, 1000.0)
MOST_PANELS = 24
TIMES = {"time_s": 1.0, "time_ms": 1e-3, "time_us": 1e-6, "time": 0.0}
"""Columns of a measured time, with the seconds of their unit; 0: the cells hold units."""


@dataclass(frozen=True, slots=True)
class Point:
    """A measured primitive."""

    complexity: float
    time_s: float
    label: str = ""
    """What kind of code it is; points of one label look alike."""
    processor: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One class on one processor."""

    title: str
    subtitle: str
    bounds: Bounds
    transfers: bool = False
    mark: tuple[float, float] | None = None
    """Complexity range that the forecast is for."""
    points: tuple[Point, ...] = ()


@dataclass(frozen=True, slots=True)
class HullView:
    """The whole graph."""

    panels: tuple[Panel, ...]
    complexity: tuple[float, float]
    notes: tuple[str, ...] = ()

    @property
    def labels(self) -> tuple[str, ...]:
        """Kinds of measured points, in order."""
        return tuple(dict.fromkeys(p.label or "measured" for panel in self.panels for p in panel.points))


def view_of(
    bounds: Sequence[tuple[str, Bounds]],
    complexity: tuple[float, float],
    *,
    transfers: bool = False,
    marks: Sequence[tuple[float, float] | None] = (),
    points: Iterable[Point] = (),
) -> HullView:
    """A graph from titled bounds.

    bounds : (subtitle, bounds) per panel.
    complexity : what the user asked for; one value becomes a mark on a wider axis.

    Raises
    ------
    RoofcastError : more panels than a picture can hold, or points of none of them.
    """
    if len(bounds) > MOST_PANELS:
        raise RoofcastError(f"{len(bounds)} graphs do not fit into one picture; name at most {MOST_PANELS} processors")
    measured = list(points)
    low, high = complexity
    span = (
        (low, high) if low < high and low > 0 else (min(DEFAULT_RANGE[0], low or 1.0), max(DEFAULT_RANGE[1], 10 * high))
    )
    given = list(marks) or [None if low < high else complexity] * len(bounds)
    panels = tuple(
        Panel(
            title=b.processor,
            subtitle=subtitle,
            bounds=b,
            transfers=transfers and b.transfer_s > 0,
            mark=mark,
            points=tuple(p for p in measured if belongs(p, b.processor)),
        )
        for (subtitle, b), mark in zip(bounds, given, strict=True)
    )
    if measured and not any(panel.points for panel in panels):
        named = ", ".join(sorted({one_line(p.processor, 40) for p in measured}))
        raise RoofcastError(f"the measured points are of {named}, which is none of the processors drawn")
    xs = [p.complexity for panel in panels for p in panel.points if p.complexity > 0]
    span = (min([span[0], *xs]), max([span[1], *xs]))
    notes = tuple(dict.fromkeys(note for _, b in bounds for note in b.notes))
    return HullView(panels, span, notes)


def belongs(point: Point, processor: str) -> bool:
    """Whether a point was measured on a processor; points that do not say so belong to all."""
    if not point.processor:
        return True
    if point.processor.strip().lower() == processor.lower():
        return True
    from roofcast.catalog import parse_target

    try:
        return parse_target(point.processor).processor.name == processor
    except RoofcastError:
        return False


def read_points(path: str | Path) -> list[Point]:
    """Measured points of a CSV with ``complexity``, ``time_s`` (``time_ms``, ``time_us``, or ``time`` with units).

    ``label`` and ``processor`` are optional; other columns are ignored.

    Raises
    ------
    InputError : the file cannot be read, lacks a column, or holds no number where one belongs.
    """
    shown = one_line(str(path), 120)
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        rows = list(csv.DictReader(text.splitlines()))
    except OSError as error:
        raise InputError(f"{shown}: {error.strerror}") from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{shown}: no CSV text: {error}") from error
    columns = {(name or "").strip().lower(): name for name in (rows[0] if rows else {})}
    time = next((name for name in TIMES if name in columns), None)
    if "complexity" not in columns or time is None:
        raise InputError(f"{shown}: needs the columns complexity and time_s (or time_ms, time_us, time with units)")
    points = []
    for number, row in enumerate(rows, start=2):
        try:
            complexity = parse_quantity((row[columns["complexity"]] or "").strip(), "")
            cell = (row[columns[time]] or "").strip()
            seconds = parse_quantity(cell, "s" if time == "time" else "") * (TIMES[time] or 1.0)
        except RoofcastError as error:
            raise InputError(f"{shown}: line {number}: {error}") from error
        if not (complexity > 0 and seconds > 0 and math.isfinite(seconds)):
            raise InputError(f"{shown}: line {number}: complexity and time must be above 0")
        label, processor = (one_line((row.get(columns.get(n, "")) or "").strip(), 60) for n in ("label", "processor"))
        points.append(Point(complexity, seconds, label, processor))
    return points
