"""Every number of the model that is not a fact of a GPU or a kernel: the causes' own, the roofs' and the equation's.

``PRIOR`` holds what physics or earlier reports suggest; fits are pulled towards it, so that programs and GPUs that
nobody measured are judged by physics and not by the accidents of the training programs.
"""

from __future__ import annotations

from roofcast.models.physics import resource_seconds
from roofcast.models.physics.cause import Constant, Constants
from roofcast.models.physics.causes.registry import CAUSES

EQUATION = (
    Constant("overlap_unexplained", 2.5, 1.2, 5.0, "q: how the unexplained part overlaps the roofs; fitted"),
    Constant("execution_fraction_min", 0.15, 0.05, 0.5, "least share of a time that is execution"),
)

CONSTANTS: tuple[Constant, ...] = (
    *EQUATION,
    *resource_seconds.CONSTANTS,
    *(c for cause in CAUSES for c in cause.constants),
)
"""In the order in which the fit changes them: the equation's, the roofs', then the causes' as the list has them."""

PRIOR = Constants({c.name: c.value for c in CONSTANTS})
BOUNDS: dict[str, tuple[float, float]] = {c.name: (c.low, c.high) for c in CONSTANTS}
