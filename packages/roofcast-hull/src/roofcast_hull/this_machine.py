"""The hull of this machine's CPU beside primitives measured on it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from roofcast.core.errors import RoofcastError
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast_hull.bounds import Bounds
from roofcast_hull.classes import find_family
from roofcast_hull.notation import AlgorithmClass, parse_class
from roofcast_hull.published import CPU_CODES

DEFAULT_CLASS = "4096x4096|element -> 4096x4096|element"
"""Four times the source's, so that today's caches hold little of it."""
LARGEST_ELEMENTS = 1 << 26
"""Elements of an array that is measured: 256 MiB in FP32."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A measured primitive beside the model."""

    code: str
    complexity: int
    model_s: float
    measured_s: float

    @property
    def meaning(self) -> str:
        """The kind of code in words."""
        return CPU_CODES[self.code][0]


def choose_class(text: str, names: dict[str, int]) -> AlgorithmClass:
    """The class to measure: an element class of a size that fits."""
    algorithm = parse_class(text or DEFAULT_CLASS, names)
    if find_family(algorithm).key != "element" or algorithm.inputs[0].elements > LARGEST_ELEMENTS:
        raise RoofcastError("--measure-here runs element classes of at most 2^26 elements, e.g. " + DEFAULT_CLASS)
    return algorithm


def take_faster(first: Processor, second: Processor) -> Processor:
    """Take of two measurements of one machine the one with the higher compute rate, with the higher bandwidth of both.

    Other work can only make a machine look slower than it is.
    """
    best = max(first, second, key=lambda p: p.rate(Resource.FLOPS_FP32))
    other = second if best is first else first
    memory = max((best, other), key=lambda p: p.rate(Resource.BYTES_DRAM)).supplies[Resource.BYTES_DRAM]
    return replace(best, supplies={**best.supplies, Resource.BYTES_DRAM: memory})


def check_codes(bounds: Bounds, measured: Mapping[tuple[str, int], float]) -> list[Checked]:
    """What the model gives for each kind of code, its compute line or memory, beside what was measured.

    measured : kind of code (c0 to c3) and operations per element -> seconds of one pass.
    """
    lines = {line.key: line for line in (*bounds.hull, *bounds.floors)}

    def model(code: str, complexity: int) -> float:
        line = lines.get(code)
        return max(lines["m0"].at(complexity), line.at(complexity)) if line is not None else float("nan")

    return [Checked(code, n, model(code, n), seconds) for (code, n), seconds in measured.items()]
