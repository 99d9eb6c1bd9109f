r"""The numbers that a choice is made from, and what follows from them for every candidate.

Of a job of program p on candidate c, with t its seconds, n its GPUs and e its energy:

.. math::
    C_{pc} = \frac{n_p t_{pc} c_c}{3600} + \frac{e_{pc} k f}{3.6 \cdot 10^6}, \quad
    C_c = \frac{\sum_p w_p C_{pc}}{\sum_p w_p}, \quad
    J_c = \frac{86400\, u\, N_c}{\sum_p w_p n_p t_{pc} / \sum_p w_p}

C : cost of a job (the second term of bought GPUs alone: a rent holds the energy). c : cost of a GPU's hour of work
(:func:`roofcast.analyses.choosing.candidates.price_hour`). w : weight. k : price of a kWh. f : the site's power over
that of its machines. J : jobs per day of N GPUs at utilisation u. Everything is proportional to times, so that a change
of a time, a price or a weight is a change of these arrays and nothing is forecast again.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray

SECONDS_PER_DAY, SECONDS_PER_HOUR, J_PER_KWH = 86400.0, 3600.0, 3.6e6
SLACK = 1 + 1e-12


@dataclass(frozen=True)
class Sheet:
    """P programs on C candidates; leading axes of ``time_s`` are draws or changes."""

    time_s: FloatArray
    """(..., P, C) of one job."""
    energy_w: FloatArray
    """(P, C) J per second of the job, of all its GPUs, hosts aside; NaN where the forecast knows none."""
    paid_w: FloatArray
    """(P, C) the same as bought GPUs' energy is paid: where no forecast knows it at the stated power, 0 without one."""
    gpus: FloatArray
    """(P,) of one job."""
    divides: NDArray[np.bool_]
    """(P,) whether a job uses all GPUs that there are."""
    weight: FloatArray
    """(P,) jobs, per day where they have to be served."""
    deadline_s: FloatArray
    """(P,) infinite where there is none."""
    hourly: FloatArray
    """(C,) of a GPU's hour of work; NaN where unknown."""
    energy_usd: FloatArray
    """(C,) of a kWh, with the site's factor; 0 of rented ones."""
    unit: FloatArray
    """(C,) GPUs that come together."""
    fits: FloatArray
    """(C,) GPUs that the limits allow; infinite without limits."""
    able: NDArray[np.bool_]
    """(C,) which can be had when they are needed."""
    utilisation: float
    per_day: bool
    """Whether the weights have to be served."""
    limited: bool
    """Whether there are limits."""
    best: str
    """What is best (:data:`roofcast.analyses.choosing.workload_file.GOALS`)."""

    @property
    def share(self) -> FloatArray:
        """(P,) of all jobs."""
        return np.asarray(self.weight / self.weight.sum())

    def average(self, values: FloatArray) -> FloatArray:
        """(..., C) of the average job, from (..., P, C)."""
        used = self.weight > 0
        return np.asarray(np.einsum("p,...pc->...c", self.share[used], values[..., used, :]))

    def costs(self) -> FloatArray:
        """(..., P, C) of one job of each program."""
        energy = self.paid_w * self.energy_usd / J_PER_KWH
        return np.asarray(self.time_s * (self.gpus[:, None] * self.hourly / SECONDS_PER_HOUR + energy))

    def gpu_seconds(self) -> FloatArray:
        """(..., C) of the average job."""
        return self.average(self.time_s * self.gpus[:, None])

    def whole(self, gpus: FloatArray) -> FloatArray:
        """That many GPUs or more, in whole units."""
        return np.asarray(self.unit * np.ceil(gpus / self.unit / SLACK))

    def needed(self) -> FloatArray:
        """(..., C) GPUs that serve the jobs per day and meet the deadlines of what divides; a job's at least."""
        found = np.full((*self.time_s.shape[:-2], len(self.unit)), self.gpus.max())
        if self.per_day:
            found = np.maximum(found, self.weight.sum() * self.gpu_seconds() / (SECONDS_PER_DAY * self.utilisation))
        with np.errstate(invalid="ignore"):
            for p in np.flatnonzero(self.divides & np.isfinite(self.deadline_s)).tolist():
                found = np.maximum(found, self.time_s[..., p, :] / self.deadline_s[p])
        return self.whole(found)

    def counts(self) -> FloatArray:
        """(C,) GPUs that the choice is about: those needed where work or a deadline says so, else those that fit.

        Meant for the upper ends of times; at most what the limits allow.
        """
        asked = self.per_day or bool((self.divides & np.isfinite(self.deadline_s)).any())
        most = self.limited and (self.best == "throughput" or not asked)
        return np.asarray(self.fits if most else np.fmin(self.needed(), np.where(self.fits > 0, self.fits, np.inf)))

    def meets(self, count: FloatArray) -> NDArray[np.bool_]:
        """(..., P, C) which deadlines are met, what divides by ``count`` GPUs."""
        shared = np.where(self.divides[:, None], np.maximum(count, 1.0), 1.0)
        return np.asarray(self.time_s / shared <= self.deadline_s[:, None] * SLACK)

    def affordable(self) -> NDArray[np.bool_]:
        """(..., C) whether what is needed fits the limits."""
        return np.asarray(self.needed() <= self.fits * SLACK)

    def scores(self, count: FloatArray) -> FloatArray:
        """(..., C) what is to be least; infinite of candidates that cannot be had, are late or do not fit.

        count : GPUs of each candidate.
        """
        found = self.measure(count)
        good = self.able & self.meets(count).all(axis=-2) & self.affordable() & np.isfinite(found)
        return np.where(good, found, np.inf)

    def measure(self, count: FloatArray) -> FloatArray:
        """(..., C) what is to be least, whether or not it can be had."""
        if self.best == "cost":
            return self.average(self.costs())
        if self.best == "energy":
            return self.average(self.time_s * self.energy_w)
        if self.best == "time":
            return self.average(self.time_s)
        with np.errstate(divide="ignore"):
            return np.asarray(self.gpu_seconds() / count)

    def select(self, kept: NDArray[np.intp]) -> Sheet:
        """Some candidates, in the given order."""
        columns = ("time_s", "energy_w", "paid_w", "hourly", "energy_usd", "unit", "fits", "able")
        return dataclasses.replace(self, **{n: getattr(self, n)[..., kept] for n in columns})

    def with_times(self, factor: FloatArray | float) -> Sheet:
        """With times times a factor, and energies with them."""
        return dataclasses.replace(self, time_s=self.time_s * factor)
