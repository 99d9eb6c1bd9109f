"""What boat hulls add to roofcast."""

from __future__ import annotations

from roofcast.core.joined_parts import Part, Place

PART = Part(
    asks={"hull": Place("roofcast_hull.ask", "Forecast an algorithm class before any code exists.", "Research")},
    readers={
        "source": ("roofcast_hull.source.code_files", "CUDA or HIP source code, a row for each kernel launched"),
    },
    names={"select": ("roofcast_hull.selection", "select")},
)
