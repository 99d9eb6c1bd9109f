"""What measuring adds to roofcast."""

from __future__ import annotations

from roofcast.core.joined_parts import Part

PART = Part(commands={"Measure": {
    "measure": ("roofcast_measure.commands.measure", "Measure the GPU of this machine: kernel suite, eight steps."),
}})  # fmt: skip
