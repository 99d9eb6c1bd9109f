r"""A launch floor of the machines, given or seen, bounds the forecast.

.. math:: T_t \ge A_t, \qquad a \le A, \qquad R = 0 \ \text{where}\ T_s \le 1.4 A_s

A : s of an empty launch on a machine, as ``--launch-floor`` gives it, else what the times of library calls show that
stay while sizes grow (:mod:`roofcast.forecasting.seen_host_floors`), the same on both machines. a : s, the device's
floor. R : s of the source that roofs and floor leave unexplained. A source at its floor stays as far above it on the
target, and never counts for more than its roofs say: there the factor that makes the source exact is at most 1.

Reason: floors belong to the host as much as to the GPU. A time at the floor says nothing about the kernel but an upper
bound.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.properties import Property
from roofcast.core.results import Conditions
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.stages import BOUNDS, CALIBRATION, FLOORS, REST, Calibration, Explained, Floors, Pair

HOST_FLOOR_MARGIN = 1.4
"""A source time up to this multiple of the host's launch floor says nothing about the kernel."""


def limit_floors(floors: Floors, conditions: Conditions) -> Floors:
    """The devices' floors, no longer than the machines'."""
    if conditions.launch_floor_s is None:
        return floors
    host_s, host_t = conditions.launch_floor_s
    return Floors(np.minimum(floors.source_s, max(host_s, 1e-12)), np.minimum(floors.target_s, max(host_t, 1e-12)))


def drop_rest_at_floor(rest: FloatArray, read: Explained) -> FloatArray:
    """(n, 1) R: nothing where the source is at its floor."""
    if read.pair.conditions.launch_floor_s is None:
        return rest
    return np.where(is_at_floor(read.pair.time_s, read.pair.conditions.launch_floor_s[0]), 0.0, rest)


def calibrate_at_floor(kappa: FloatArray, read: Calibration) -> FloatArray:
    """(n, 1) factor that makes the source exact, at most 1 where nothing is left unexplained."""
    if read.pair.conditions.launch_floor_s is None:
        return kappa
    return np.where(read.rest_s == 0, np.minimum(kappa, 1.0), kappa)


def stay_above_floor(result: FloatArray, pair: Pair) -> FloatArray:
    """(n, m) s of the forecast, not below the machine's launch floor."""
    if pair.conditions.launch_floor_s is None and not pair.host_s.any():
        return result
    return np.maximum(result, least_time_s(pair.time_s, *pair.host_floors_s))


def least_time_s(time_s: FloatArray, host_s: Values, host_t: Values) -> FloatArray:
    """S that the target takes at least: its floor, as far above it as a source at its own floor."""
    # A source at its floor stays as far above it on the target: exact on itself.
    above = np.where(is_at_floor(time_s, host_s), time_s / np.where(np.greater(host_s, 0), host_s, np.inf), 1.0)
    return np.asarray(np.where(np.greater(host_s, 0), above, 1.0) * host_t)


def is_at_floor(time_s: FloatArray, host_floor_s: Values) -> NDArray[np.bool_]:
    """Where a source time is hardly longer than a launch of nothing."""
    return np.asarray(time_s <= np.multiply(HOST_FLOOR_MARGIN, host_floor_s))


CAUSE = Cause(
    name="host_floor",
    sentence="a launch floor of the machines, given or seen in the times of many sizes, bounds the forecast",
    when="--launch-floor gives both floors, the profile has them, or library calls of many sizes level off",
    corrects="short kernels on slow hosts",
    taught_by="element-wise through PyTorch 26 to 44 us a call, PMPP 5.1 us; micro16, pmpp_nvbench, neusight",
    acts=(
        at(FLOORS, limit_floors),
        at(REST, drop_rest_at_floor),
        at(CALIBRATION, calibrate_at_floor),
        at(BOUNDS, stay_above_floor),
    ),
    properties=(Property.FLOOR,),
)
