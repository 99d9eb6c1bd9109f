"""Refits what collectives take over links, and judges it on the host left out.

``python tools/teach.py collectives`` prints the constants of each host and of both, the errors of what the other host
teaches, those of the shipped constants over PCIe (which they have not seen; the link's rate is fitted for each size of
group, as a user would measure it), and the factor within which 90 % lie by size.
"""

from __future__ import annotations

import csv
import dataclasses
import gzip
import sys
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.catalog.finding import find
from roofcast.core.kernel_table import FloatArray
from roofcast.core.timeline import Collective
from roofcast.models.physics.link_times import FLOOR_S, LL, LL128, OWN_STEPS, SIMPLE, Protocol, collective_s
from roofcast_evaluate.datasets import paths_of

KINDS = {
    "all_reduce": Collective.ALL_REDUCE, "all_gather": Collective.ALL_GATHER,
    "reduce_scatter": Collective.REDUCE_SCATTER, "alltoall": Collective.ALL_TO_ALL,
}  # fmt: skip
SHIPPED = ((LL, LL128, SIMPLE), OWN_STEPS)
SMALL_BYTES, LARGE_BYTES = 6.4e4, 1.6e7
Constants = tuple[tuple[Protocol, ...], float]


@dataclass(frozen=True)
class Times:
    """Measured collectives of NCCL; arrays are (n,)."""

    host: NDArray[np.str_]
    kind: FloatArray
    volume: FloatArray
    gpus: FloatArray
    bytes_per_s: FloatArray
    adds: FloatArray
    clock_hz: FloatArray
    time_s: FloatArray

    def select(self, rows: NDArray[np.bool_]) -> Times:
        """Some of them."""
        return dataclasses.replace(self, **{name: values[rows] for name, values in vars(self).items()})

    def miss(self, constants: Constants = SHIPPED, floor_s: float = FLOOR_S, rate: float | None = None) -> FloatArray:
        """(n,) log of forecast over measured. rate : B/s of the links (default: as published)."""
        links = self.bytes_per_s if rate is None else rate
        found, _ = collective_s(self.kind, self.volume, self.gpus, links, self.adds, constants, floor_s,
                                self.clock_hz)  # fmt: skip
        return np.log(found / self.time_s)


def read_times() -> Times:
    """The data set's rows of NCCL."""
    (path,) = paths_of("collectives")
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = [r for r in csv.DictReader(file) if r["library"] == "NCCL"]
    kind = np.array([float(KINDS[r["operation"]]) for r in rows])
    volume, gpus, rate, time = (
        np.array([float(r[n]) for r in rows]) for n in ("bytes", "gpus", "link_GB_s", "seconds")
    )
    adds = np.array([float(r["gpu"].startswith("H100")) for r in rows])
    clocks = {name: find(name).processor.clock_hz_boost for name in {r["gpu"] for r in rows}}
    clock = np.array([clocks[r["gpu"]] for r in rows])
    return Times(np.array([r["host"] for r in rows]), kind, volume, gpus, 1e9 * rate, adds, clock, time)


def refit(times: Times, floors_s: dict[str, float]) -> Constants:
    """Constants that explain some times best. floors_s : s of each host, the launch and the meeting of all."""
    from scipy.optimize import least_squares  # type: ignore[import-untyped]

    first = np.array([v for p in SHIPPED[0] for v in p if v] + [OWN_STEPS])
    parts = [(times.select(times.host == host), floor) for host, floor in floors_s.items()]

    def constants_of(logs: FloatArray) -> Constants:
        v = (first * np.exp(logs)).tolist()
        return (Protocol(0.0, v[0], v[1]), Protocol(*v[2:5]), Protocol(*v[5:8])), v[8]

    def misfit(logs: FloatArray) -> FloatArray:
        return np.concatenate([part.miss(constants_of(logs), floor) for part, floor in parts])

    return constants_of(least_squares(misfit, np.zeros_like(first), loss="soft_l1", f_scale=0.1).x)


def fit_rate(times: Times) -> float:
    """B/s of a link at which the shipped constants explain some times best."""
    rates = np.geomspace(5e8, 1e11, 400)
    return float(rates[np.argmin([np.abs(times.miss(rate=rate)).mean() for rate in rates])])


def describe(times: Times, miss: FloatArray) -> str:
    """Typical factor of all, of large sizes, and within which 90 % of small and large ones lie."""
    off, large, small = np.abs(miss), times.volume >= LARGE_BYTES, times.volume <= SMALL_BYTES
    return (
        f"typical factor {np.exp(off.mean()):.3f} (from 16 MB {np.exp(off[large].mean()):.3f}); 90 % within "
        f"{np.exp(np.quantile(off[small], 0.9)):.2f} to 64 kB, {np.exp(np.quantile(off[large], 0.9)):.2f} from 16 MB"
    )


FLOORS_S = {"h100_sxm": FLOOR_S, "a100_sxm": FLOOR_S}
"""The same of both at one clock: their smallest messages leave 4.6 and 7.9 us beside the steps, the ratio of the clocks
to 1.6."""


def main() -> int:
    """Print constants and errors."""
    times = read_times()
    for host, other in zip(FLOORS_S, reversed(FLOORS_S), strict=True):
        constants, judged = refit(times, {other: FLOORS_S[other]}), times.select(times.host == host)
        print(f"{host} by {other} ({constants}): its floor unknown: {describe(judged, judged.miss(constants))}")
        print(f"  its floor known: {describe(judged, judged.miss(constants, FLOORS_S[host]))}")
    print(f"both: {refit(times, FLOORS_S)}")
    for gpus in (2, 4, 8):
        judged = times.select((times.host == "l40s-a") & (times.gpus == gpus))
        rate = fit_rate(judged)
        print(f"PCIe, {gpus} GPUs, {rate / 1e9:.3g} GB/s a link: {describe(judged, judged.miss(rate=rate))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
