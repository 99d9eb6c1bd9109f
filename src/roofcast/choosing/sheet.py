r"""The numbers that a choice is made from, and what follows from them for every candidate.

Of a job of program p on candidate c, with t its seconds, g its GPUs and e its energy:

.. math::
    C_{pc} = \frac{g_p t_{pc} c_c}{3600} + \frac{e_{pc} k}{3.6 \cdot 10^6}, \quad
    a_{pc} = \frac{w_p g_p t_{pc}}{86400\, u\, (1 - s)}, \quad
    M_c = N_c \left( P_c + \frac{(h_c + i_c) H k}{1000} \right)
    + \sum_p J_p \frac{(e_{pc} - i_c g_p t_{pc}) k}{3.6 \cdot 10^6}

C : cost of a job on a GPU that always has work (the second term of bought GPUs alone: a rent holds the energy). c :
cost of a GPU's hour of work (:func:`roofcast.choosing.candidates.price_hour`). k : price of a kWh times the
site's power over that of its machines. a : GPUs that w jobs a day need at utilisation u with spares s. M : money over
the life of H hours in which N bought GPUs do J jobs. P : price of one with its shares of host and network. h, i : W of
its share of the host and of the idle board. Rented ones cost N H u times the rent.
Everything is proportional to times, so that a
change of a time, a price or a weight is a change of these arrays and nothing is forecast again.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from roofcast.choosing.programme import Demand, Offers
from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass

SECONDS_PER_DAY, SECONDS_PER_HOUR, J_PER_KWH, DAYS_PER_YEAR = 86400.0, 3600.0, 3.6e6, 365.25
SLACK = 1 + 1e-12
"""1; by how much rounding may let a sum pass its limit."""
BOUGHT, RENTED = 0, 1
"""Position of the two ways to get a GPU."""


@dataclass(frozen=True)
class Stakes:
    """What one GPU of each candidate costs and takes; (C,) each, NaN where unknown."""

    capital: FloatArray
    """With its shares of host and network."""
    rent: FloatArray
    """Of an hour."""
    host_w: FloatArray
    idle_w: FloatArray
    drawn_w: FloatArray
    rack: FloatArray
    kwh: float
    """Price of a kWh of the machines, with the site's factor."""
    limits: FloatArray
    """(3,) of money, W and rack units; infinite where there is none."""

    def select(self, kept: NDArray[np.intp]) -> Stakes:
        """Some candidates."""
        names = ("capital", "rent", "host_w", "idle_w", "drawn_w", "rack")
        return dataclasses.replace(self, **{n: getattr(self, n)[kept] for n in names})


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
    able: NDArray[np.bool_]
    """(C,) which can be had when they are needed."""
    holds: NDArray[np.bool_]
    """(P, C) which have memory enough for a program."""
    stakes: Stakes
    utilisation: float
    spares: float
    years: float
    """NaN where not stated."""
    per_day: bool
    """Whether the weights have to be served."""
    best: str
    """What is best (:data:`roofcast.choosing.workload_file.GOALS`)."""

    @property
    def asks(self) -> bool:
        """Whether there is a demand: work of a day, or a deadline."""
        return self.per_day or bool(np.isfinite(self.deadline_s).any())

    @property
    def counts_money(self) -> bool:
        """Whether the choice is the least money over the life that meets a demand."""
        return self.asks and self.best == "cost" and bool(np.isfinite(self.years))

    @property
    def limited(self) -> bool:
        """Whether there are limits."""
        return bool(np.isfinite(self.stakes.limits).any())

    @property
    def hours(self) -> float:
        """Hours that the GPUs live."""
        return self.years * DAYS_PER_YEAR * 24

    @property
    def jobs(self) -> float:
        """Over the life; NaN where no work of a day is stated."""
        return float(self.weight.sum() * DAYS_PER_YEAR * self.years) if self.per_day else float("nan")

    @property
    def share(self) -> FloatArray:
        """(P,) of all jobs."""
        return np.asarray(self.weight / self.weight.sum())

    def average(self, values: FloatArray) -> FloatArray:
        """(..., C) of the average job, from (..., P, C)."""
        used = self.weight > 0
        return np.asarray(np.einsum("p,...pc->...c", self.share[used], values[..., used, :]))

    def costs(self) -> FloatArray:
        """(..., P, C) of one job of each program, on GPUs that always have work."""
        energy = self.paid_w * self.energy_usd / J_PER_KWH
        return np.asarray(self.time_s * (self.gpus[:, None] * self.hourly / SECONDS_PER_HOUR + energy))

    def gpu_seconds(self) -> FloatArray:
        """(..., C) of the average job."""
        return self.average(self.time_s * self.gpus[:, None])

    def list_needs(self) -> list[tuple[tuple[int, ...], FloatArray]]:
        """Programs, and (..., p, C) GPUs that they need side by side: the work of a day, and each deadline."""
        late = ~self.holds | (~self.divides[:, None] & (self.time_s > self.deadline_s[:, None] * SLACK))
        time = np.where(late, np.inf, self.time_s)
        served = (self.weight > 0) & self.per_day
        needs: list[tuple[tuple[int, ...], FloatArray]] = []
        if served.any():
            programs = np.flatnonzero(served)
            jobs = SECONDS_PER_DAY * self.utilisation * (1 - self.spares) / (self.weight * self.gpus)[programs, None]
            needs.append((tuple(programs.tolist()), time[..., programs, :] / jobs))
        with quietly():
            for p in range(len(self.gpus)):
                seconds = time[..., p : p + 1, :]
                if self.divides[p] and np.isfinite(self.deadline_s[p]):
                    needs.append(((p,), seconds / self.deadline_s[p] / (1 - self.spares)))
                elif not served[p]:
                    needs.append(((p,), np.where(np.isinf(seconds), np.inf, self.gpus[p])))
        return needs

    def list_demands(self, factor: FloatArray) -> list[Demand]:
        """The same with times times (D, P, C) drawn factors beside the forecast."""
        drawn, expected = self.with_times(factor).list_needs(), self.list_needs()
        return [Demand(who, need, calm) for (who, need), (_, calm) in zip(drawn, expected, strict=True)]

    def needed(self) -> FloatArray:
        """(..., C) GPUs of one kind that serve all, in whole units; infinite where it is late."""
        gpus = np.full((*self.time_s.shape[:-2], len(self.unit)), self.gpus.max())
        for _, need in self.list_needs():
            gpus = np.maximum(gpus, need.sum(axis=-2))
        return np.asarray(self.unit * np.ceil(gpus / self.unit / (1 + 1e-9)))

    def use_of(self) -> FloatArray:
        """(3, 2, C) what one GPU, bought and rented, takes of each limit."""
        s, none = self.stakes, np.zeros(len(self.unit))
        rent = s.rent * self.hours * self.utilisation
        return np.array([[s.capital, rent], [s.drawn_w, none], [s.rack, none]])

    def fits_of(self) -> FloatArray:
        """(2, C) GPUs that the limits allow, in whole units; 0 where what one takes is unknown."""
        fits = np.full((2, len(self.unit)), np.inf)
        for use, limit in zip(self.use_of(), self.stakes.limits, strict=True):
            if np.isfinite(limit):
                with quietly():
                    units = self.unit * np.floor(limit / use / self.unit * SLACK)
                fits = np.fmin(fits, np.where(np.isnan(use), 0.0, units))
        fits[RENTED] = np.where(np.isfinite(self.stakes.rent), fits[RENTED], 0.0)
        return fits

    @property
    def fits(self) -> FloatArray:
        """(C,) GPUs that the limits allow, whichever way."""
        return np.asarray(self.fits_of().max(axis=0))

    def fixed(self) -> FloatArray:
        """(2, C), with drawn times (2, ..., C), money of one GPU over the life, whatever it does; NaN where unknown."""
        s = self.stakes
        power = s.host_w + s.idle_w
        if not self.per_day:
            # No jobs are counted: it works in the hours worked, at the power of the average job.
            busy = self.average(self.paid_w * self.time_s) / self.gpu_seconds()
            power = power + self.utilisation * (busy - s.idle_w)
        ways = s.capital + power * self.hours / 1000 * s.kwh, s.rent * self.hours * self.utilisation
        return np.stack(np.broadcast_arrays(*ways))

    def work(self) -> FloatArray:
        """(2, ..., P, C) money of all jobs of the life beside that: the energy of those that are bought."""
        jobs = self.weight * DAYS_PER_YEAR * self.years if self.per_day else np.zeros(len(self.weight))
        power = self.paid_w - self.stakes.idle_w * self.gpus[:, None]
        bought = jobs[:, None] * power * self.time_s * self.stakes.kwh / J_PER_KWH
        return np.array([bought, np.zeros_like(bought)])

    def totals(self, count: FloatArray) -> FloatArray:
        """(2, ..., C) money over the life of so many GPUs alone; infinite where unknown, late or beyond the limits."""
        fixed, fits = self.fixed(), self.fits_of()
        lead = (slice(None), *([None] * (count.ndim - 1)))
        with quietly():
            fixed_each = fixed if fixed.ndim > count.ndim else fixed[lead]
            money = fixed_each * count + self.work().sum(axis=-2)
        good = np.isfinite(money) & (count <= fits[lead] * SLACK)
        return np.where(good, money, np.inf)

    def offers(self, kept: NDArray[np.intp]) -> Offers:
        """What of some candidates can be had, both ways."""
        fixed, work, use = self.fixed(), self.work(), self.use_of()
        limits = np.flatnonzero(np.isfinite(self.stakes.limits))
        known = np.isfinite(fixed) & np.isfinite(use[limits]).all(axis=0) & self.able
        # A way that costs more than the other with all energy that its GPU can take, and takes no less of a limit.
        most = self.hours * self.utilisation * np.nan_to_num(self.paid_w / self.gpus[:, None]).max(axis=0)
        with quietly():
            dear = fixed[BOUGHT] + most / 1000 * self.stakes.kwh <= fixed[RENTED]
            known[RENTED] &= ~(dear & known[BOUGHT] & (use[limits, BOUGHT] <= use[limits, RENTED]).all(axis=0))
            least = (use[limits, RENTED] <= use[limits, BOUGHT]).all(axis=0)
            known[BOUGHT] &= ~((fixed[RENTED] <= fixed[BOUGHT]) & known[RENTED] & least)
        way, kind = (a.astype(np.intp) for a in np.nonzero(known[:, kept]))
        who = kept[kind]
        return Offers(
            who, way == RENTED, self.unit[who], fixed[way, who] * self.unit[who], work[way, :, who].T,
            use[limits][:, way, who] * self.unit[who], self.stakes.limits[limits],
        )  # fmt: skip

    def meets(self, count: FloatArray) -> NDArray[np.bool_]:
        """(..., P, C) which programs fit and meet their deadline, what divides by ``count`` GPUs."""
        shared = np.where(self.divides[:, None], np.maximum(np.nan_to_num(count, posinf=1.0), 1.0)[..., None, :], 1.0)
        return np.asarray(self.holds & (self.time_s / shared <= self.deadline_s[:, None] * (1 + 1e-9)))

    def scores(self, count: FloatArray) -> FloatArray:
        """(..., C) what is to be least; infinite of candidates that cannot be had, are late or do not fit.

        count : (..., C) GPUs of each candidate.
        """
        values = self.measure(count)
        good = self.able & self.meets(count).all(axis=-2) & np.isfinite(values)
        return np.where(good & (count <= self.fits * SLACK), values, np.inf)

    def measure(self, count: FloatArray) -> FloatArray:
        """(..., C) what is to be least, whether or not it can be had."""
        if self.counts_money:
            return np.asarray(self.totals(count).min(axis=0))
        if self.best == "cost":
            return self.average(self.costs())
        if self.best == "energy":
            return self.average(self.time_s * self.energy_w)
        if self.best == "time":
            return self.average(self.time_s)
        with quietly():
            return np.asarray(self.gpu_seconds() / count)

    def select(self, kept: NDArray[np.intp]) -> Sheet:
        """Some candidates, in the given order."""
        columns = ("time_s", "energy_w", "paid_w", "hourly", "energy_usd", "unit", "able", "holds")
        return dataclasses.replace(
            self, **{n: getattr(self, n)[..., kept] for n in columns}, stakes=self.stakes.select(kept)
        )

    def with_times(self, factor: FloatArray | float) -> Sheet:
        """The sheet with times times a factor, and energies with them."""
        return dataclasses.replace(self, time_s=self.time_s * factor)
