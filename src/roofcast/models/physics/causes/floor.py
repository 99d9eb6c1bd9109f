r"""Launch floor of the device or the host.

.. math:: a = a_0 + n / f, \qquad T_t = a_t \frac{T_s - E_s}{a_s} + \ldots

a : s of a launch that does nothing, as the device's own timer sees it. a_0 : ``floor_s``, on AMD ``floor_amd_s`` more;
of a card whose launches were measured what they took, less n cycles at boost. n : ``floor_cycles``. f : Hz, SM clock.
E_s : s, execution on the source, at least 0.15 of its time. What of the source time was taken for the floor follows the
floors of the two GPUs.

A time of up to eight host's floors that no roof explains is several launches in one call and follows the hosts' floors:

.. math:: s' = s^{1 - u} (A_t / A_s)^{u}, \quad u = \mathrm{clip}((8 - T_s / A_s) / 4, 0, 1) \max(1 - x / 0.1, 0)

A : s, launch floor of a machine as given. x : 1, share of the source time that its slowest roof has.

Reason: a launch goes through the same steps whatever it computes. 2.3 us at 1.41 GHz, near the 2.6 us that the
catalog's measurements have for an A100.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Columns, likeness_to_amd
from roofcast.core.processor import Kind, Processor
from roofcast.core.properties import Property
from roofcast.formulas.values import Values
from roofcast.models.physics.cause import Cause, Constant, at
from roofcast.models.physics.law import count_as_launches
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import FOLLOWING, SIDES, Factor, Inputs, Scale, follow

NEXT_TO_NOTHING = 1e-6
"""Part of the floor that stays where the cause is switched off: the forecast divides by it."""


def device_floor_s(fixed_s: Values, cycles: Values, clock_hz: Values) -> FloatArray:
    """Seconds a of a launch that does nothing (the equation above).

    fixed_s : (...) s. a_0. cycles : (...) 1. n, SM cycles. clock_hz : (...) Hz. f. Fitted on kernels of 2 to 20 us.

    >>> round(float(device_floor_s(1.2e-6, 1500.0, 1.5e9)) * 1e6, 3)
    2.2
    """
    return np.asarray(fixed_s + np.divide(cycles, clock_hz))


def measured_floor_s(p: Columns) -> FloatArray:
    """S of an empty launch in a stream, at boost; NaN where nobody measured one on such a card."""

    def of(one: Processor) -> float | None:
        fact = one.facts.get("launch_floor_s")
        return one.launch_floor_s if fact is not None and fact.kind is not Kind.ESTIMATED else None

    return p.each(of)


def launch(side: Side, read: Inputs) -> Side:
    """The side with its device's launch floor."""
    fixed = read.c.floor_s + likeness_to_amd(side.machines) * read.c.floor_amd_s
    measured = side.machines.gather(measured_floor_s)
    if not np.isnan(measured).all():
        at_boost = measured - read.c.floor_cycles / side.machines.gather("clock_hz_boost")
        fixed = np.where(np.isnan(measured), fixed, at_boost)
    return replace(side, floor_s=device_floor_s(fixed, read.c.floor_cycles, side.machines.clock_hz))


def launch_at_once(side: Side, read: Inputs) -> Side:
    """The side with next to no launch floor."""
    side = launch(side, read)
    return replace(side, floor_s=side.floor_s * NEXT_TO_NOTHING)


def launch_several_times(factor: Factor, s: Scale) -> Factor:
    """s': the factor, by the hosts' floors where a time of a few of them has no other explanation."""
    given = s.pair.conditions.launch_floor_s
    if given is None or min(given) <= 0:
        return factor
    host_s, host_t = given
    several = count_as_launches(s.pair.time_s / host_s, s.slowest)
    return follow(factor, host_t / host_s, several)


CAUSE = Cause(
    name="floor",
    sentence="launch floor of the device or the host",
    when="always; several launches in a call only where launch floors are given",
    corrects="kernels of a few microseconds",
    taught_by="catalog's null launches; hopper_ncu below 10 us 14.8 to 5.6 %; micro16 19.3 to 16.7 %",
    acts=(at(SIDES, launch), at(SIDES, launch_at_once, without=True), at(FOLLOWING, launch_several_times)),
    properties=(Property.FLOOR, Property.CLOCK),
    constants=(
        Constant("floor_s", 1.2e-6, 2e-7, 4e-6, "launch floor, fixed part; fitted on kernels of 2 to 20 us"),
        Constant("floor_cycles", 1500.0, 200.0, 6000.0, "launch floor, part that scales with the SM clock; fitted"),
        Constant(
            "floor_amd_s", 1.1e-6, 3e-7, 3e-6,
            "what a launch takes longer on AMD: the catalog's launches from graphs, 2.4 and 1.3 us",
        ),
    ),
)  # fmt: skip
