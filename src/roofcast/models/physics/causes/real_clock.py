r"""Cards that exceed their rated boost clock.

.. math:: f' = f \, \mathrm{clip}(f_{sustained} / f_{boost}, 1, 1.12)

f : Hz, SM clock of the run. f' : Hz, at which the SMs really run. Runs below 0.97 of the boost clock have f' = f.
GeForce cards whose sustained clock nobody measured take the mean of those that were: 1.067.

Reason: GPU Boost raises a cooled desktop card above the clock on its box, and all that the SMs do with it. A sustained
clock below boost is a power limit, which only dense arithmetic meets; that one stands in the supplies.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import BOOST_SHARE, Columns, Machines
from roofcast.core.properties import Property
from roofcast.formulas.values import or_else
from roofcast.models.physics.cause import Cause, at
from roofcast.models.physics.sides import Side
from roofcast.models.physics.stages import SIDES, Inputs

GAIN_MOST = 1.12
"""Cards of one model differ: what one measurement shows beyond this is that card's."""

GAIN_OF_CONSUMER_CARDS = 1.067
"""Where none was measured: the mean of the measured GeForce cards since Maxwell (the catalog's class estimate)."""


def clock_gain(machines: Machines) -> FloatArray:
    """Real SM clock over the rated boost clock, at least 1; 1 for runs at other clocks.

    The catalog has a sustained clock above boost where measured FP32 rates exceed the theory of the boost clock (2080
    Ti: 16.9 of 13.4 TFLOP/s).
    """
    gain = or_else(machines.gather(gain_of), 1.0)
    boost = machines.gather("clock_hz_boost")
    with quietly():
        return np.where(machines.clock_hz < BOOST_SHARE * boost, 1.0, gain)


def gain_of(p: Columns) -> FloatArray:
    """Real SM clock over the rated boost clock of runs at boost, at least 1."""
    measured = np.clip(p.number("clock_hz_sustained") / p.number("clock_hz_boost"), 1.0, GAIN_MOST)
    unmeasured = np.where(exceeds_its_rating(p), GAIN_OF_CONSUMER_CARDS, 1.0)
    return np.where(np.isnan(measured), unmeasured, measured)


def exceeds_its_rating(p: Columns) -> NDArray[np.bool_]:
    """Desktop GeForce cards with GPU Boost 2 and later, cooled to run above the boost clock on their box.

    Titans are rated higher for the same chips and cooler: measured FP32 rates are 0.92 (V) and 0.93 (X) of theory.
    """
    since_maxwell = p.told("architecture", is_since_maxwell) > 0
    titan = p.told("name", lambda name: "TITAN" in name.upper()) > 0
    return np.asarray(since_maxwell & ~titan & (p.told("segment", lambda segment: segment == "consumer") > 0))


def is_since_maxwell(architecture: str) -> bool:
    """Return whether an architecture is NVIDIA's Maxwell or later."""
    version = architecture.removeprefix("sm_")
    return version.isdigit() and int(version) >= 50


def run_at_real_clock(side: Side, _: Inputs) -> Side:
    """The side at the clock that its SMs really run at."""
    machines = side.machines
    if not (machines.gather(gain_of) > 1.0).any():
        return side
    return replace(side, machines=machines.once("real clock", lambda: really(machines)))


def really(machines: Machines) -> Machines:
    """The machines at the clocks that their SMs really run at."""
    return machines.at(machines.clock_hz * clock_gain(machines))


CAUSE = Cause(
    name="real_clock",
    sentence="cards that exceed their rated boost clock",
    when="GeForce cards since Maxwell at boost, and cards whose sustained clock was measured above it",
    corrects="ratios between consumer cards of one architecture",
    taught_by="measured FP32 rates of the catalog (2080 Ti 16.9 of 13.4 TFLOP/s); bat 19.4 to 15.7 %",
    acts=(at(SIDES, run_at_real_clock),),
    properties=(Property.CLOCK,),
)
