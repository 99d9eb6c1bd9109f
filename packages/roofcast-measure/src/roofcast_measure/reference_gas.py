"""Reference of ``hydro1d``: a one-dimensional Lagrangian gas on a staggered grid, a few steps."""

from __future__ import annotations

import numpy as np

from roofcast_measure.inputs import Arrays, integer
from roofcast_measure.programs import Sizes

STEPS = 3
"""Time steps of the reference, as many as the kernels make."""


def hydro1d(a: Arrays, s: Sizes) -> Arrays:
    """All cell arrays after the steps; nodes (velocity, position) have one element more than cells."""
    n = integer(s, "n")
    nodes, cells = np.arange(n + 1), np.arange(n)
    velocity, position = 0.01 * (nodes % 17 - 8.0), s["spacing"] * nodes
    density, energy = np.ones(n), 2.5 + 0.125 * (cells % 5)
    a |= {"velocity": velocity, "position": position, "density": density, "energy": energy}
    for _ in range(STEPS):
        step(a, s)
    return {k: a[k] for k in (
        "density", "energy", "velocity", "position", "pressure", "viscosity", "acceleration", "step_limit", "total"
    )}  # fmt: skip


def step(a: Arrays, s: Sizes) -> None:
    """One time step, in the order of the kernels."""
    a["pressure"] = s["gamma_minus_1"] * a["density"] * a["energy"]
    squeeze = np.minimum(np.diff(a["velocity"]), 0.0)
    a["viscosity"] = s["strength"] * a["density"] * squeeze**2
    a["step_limit"] = s["courant"] * np.diff(a["position"]) / np.sqrt(s["sound_factor"] * a["energy"])
    stress = a["pressure"] + a["viscosity"]
    left = np.concatenate((stress[:1], stress[:-1]))
    a["acceleration"] = (left - stress) * s["inverse_mass"]
    a["velocity"][:-1] += s["time_step"] * a["acceleration"]
    a["position"][:-1] += s["time_step"] * a["velocity"][:-1]
    a["density"] = s["mass"] / np.diff(a["position"])
    a["energy"] = a["energy"] - s["time_step_over_mass"] * stress * np.diff(a["velocity"])
    a["total"] = a["energy"] + 0.5 * a["velocity"][:-1] ** 2
