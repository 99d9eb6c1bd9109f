"""What scoring models adds to roofcast."""

from __future__ import annotations

from roofcast.core.joined_parts import Part

PART = Part(commands={"Research": {
    "evaluate": ("roofcast_evaluate.commands.evaluate", "Score models on measured pairs of GPUs."),
    "papers": ("roofcast_evaluate.commands.papers", "Compute what the four papers print, item by item."),
}})  # fmt: skip
