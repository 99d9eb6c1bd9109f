"""The class variables of the boat hull model, and what a family of classes is."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from roofcast.hulls.notation import AlgorithmClass, Part, Pattern


class Floor(StrEnum):
    """What may make a primitive slower than the hull, because the class does not say it."""

    NO_FMA = "c1"
    SCATTERED = "m1"


COMPUTE_ONLY = frozenset({Floor.NO_FMA})
BOTH = frozenset({Floor.NO_FMA, Floor.SCATTERED})


@dataclass(frozen=True, slots=True)
class Variables:
    """w, m, o, d, c, u and the floors of one class ([Nugteren2012] Table 1). Amounts of data are in elements."""

    work_units: int
    """w"""
    applications_per_unit: int
    """m"""
    offset_ops: float
    """o, as estimated by the source for GPUs."""
    elements_total: float
    """d"""
    elements_coalesced: float
    """c"""
    elements_uncoalesced: float = 0.0
    """u"""
    floors: frozenset[Floor] = COMPUTE_ONLY


@dataclass(frozen=True, slots=True)
class Family:
    """Classes that share one row of Table 1, or one of the rules that extend it."""

    key: str
    title: str
    example: str
    """A class text of the family."""
    primitive: str
    """An algorithm that has it."""
    fits: Callable[[AlgorithmClass], bool]
    variables: Callable[[AlgorithmClass], Variables]
    """The published values, or what follows from them by the rule in ``note``."""
    row: int | None = None
    """Row of Table 1, from 1; None for classes outside it."""
    note: str = ""
    """What the source leaves open, or where this is ours."""


def single(found: AlgorithmClass) -> tuple[Part, Part] | None:
    """Input and output of a class with one of each; None for the others."""
    return (found.inputs[0], found.outputs[0]) if len(found.inputs) == len(found.outputs) == 1 else None


def one_to_one(found: AlgorithmClass, reads: Pattern, writes: Pattern) -> bool:
    """Whether a class has one ordered input and one output with these patterns."""
    pair = single(found)
    return pair is not None and pair[0].pattern is reads and pair[1].pattern is writes and not pair[0].unordered


def tile_elements(part: Part) -> int:
    """Elements of a tile or neighbourhood: U V, N M."""
    return math.prod(part.extent)
