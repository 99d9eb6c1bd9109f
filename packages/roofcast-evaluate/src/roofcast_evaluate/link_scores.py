"""Scores of collectives between GPUs: from the time on another GPU, as a forecast prints it, and from no time."""

from __future__ import annotations

import csv
import gzip
from dataclasses import dataclass
from statistics import median

import numpy as np

from roofcast.catalog.finding import find
from roofcast.catalog.nodes import stand_in
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import columns_of
from roofcast.forecasting.forecast import forecast
from roofcast.kit.quantities import format_percent
from roofcast.kit.table import Column, Table
from roofcast.models.physics.causes.collectives import KINDS, links_of, peer_rate, spread_of_links
from roofcast_evaluate.datasets import paths_of

LIBRARY = "NCCL"
LARGE_BYTES = 1.6e7
"""B from which a collective takes as long as its links need, and not as its steps wait."""
NAMES = {"alltoall": "all_to_all"}
Key = tuple[str, int, int]
"""Operation, GPUs, bytes."""


@dataclass(frozen=True)
class Score:
    """Of one experiment."""

    experiment: str
    source: str | None
    """GPU and host whose times are the source; None without any."""
    target: str
    rows: int
    factor: float
    """Typical factor between forecast and measured."""
    large: float
    """The same from 16 MB."""
    same_time: float
    """The same of taking the source's time; NaN without one."""
    link_ratio: float
    """And of scaling it by the links' rates."""
    coverage: float
    width: float
    """Upper over lower end."""


def show_factor(value: float | None) -> str:
    """A factor as people see it; nothing where there is none."""
    return "–" if value is None or np.isnan(value) else f"{value:.3f}"


def read_hosts() -> dict[tuple[str, str], dict[Key, float]]:
    """(GPU, host) -> what its collectives took with the library that all hosts have, s."""
    (path,) = paths_of("collectives")
    times: dict[tuple[str, str], dict[Key, list[float]]] = {}
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        for r in csv.DictReader(file):
            if r["library"] == LIBRARY:
                key = NAMES.get(r["operation"], r["operation"]), int(r["gpus"]), int(float(r["bytes"]))
                times.setdefault((r["gpu"], r["host"]), {}).setdefault(key, []).append(float(r["seconds"]))
    return {host: {key: median(v) for key, v in of.items()} for host, of in times.items()}


def typical(found: FloatArray, measured: FloatArray) -> float:
    """Exp of the mean absolute logarithm of their ratio."""
    return float(np.exp(np.mean(np.abs(np.log(found / measured)))))


def score_pair(
    source: tuple[str, str], target: tuple[str, str], hosts: dict[tuple[str, str], dict[Key, float]]
) -> Score | None:
    """Score a host's times as the forecast for another host's GPU; None where they have no collectives in common."""
    keys = sorted(hosts[source].keys() & hosts[target].keys())
    if not keys:
        return None
    here, there = (np.array([hosts[h][k] for k in keys]) for h in (source, target))
    text = {"kernel": [f"{LIBRARY}:{k[0]}:{k[1]}:{k[2]}" for k in keys], "collective": [k[0] for k in keys]}
    numbers = {"time_s": here.tolist(), "gpus_collective": [float(k[1]) for k in keys],
               "bytes_collective": [float(k[2]) for k in keys]}  # fmt: skip
    table = KernelTable.from_columns(text, {name: (v, Origin.COUNTED) for name, v in numbers.items()})
    estimate = forecast(table, target[0], source=source[0]).estimate
    time, low, high = (v[:, 0] for v in (estimate.time_s, estimate.time_low_s, estimate.time_high_s))
    large = np.array([k[2] >= LARGE_BYTES for k in keys])
    links = peer_rate(columns_of([find(source[0]).processor, find(target[0]).processor]))
    return Score(
        "another GPU's time", f"{source[0]} ({source[1]})", f"{target[0]} ({target[1]})", len(keys),
        typical(time, there),
        typical(time[large], there[large]),
        typical(here, there), typical(here * links[0] / links[1], there),
        float(np.mean((low <= there) & (there <= high))), float(np.median(high / low)),
    )  # fmt: skip


def score_alone(target: tuple[str, str], times: dict[Key, float], tree: str | None = None) -> Score:
    """Score the law of the links with the catalog's rates, without a measured time. tree : of a host, where stated.

    That the host of the L40S exchanges through its memory is told by these same times: its law has seen them.
    """
    keys, there = list(times), np.array(list(times.values()))
    kind, gpus, volume = (np.array(v, np.float64) for v in zip(*((KINDS[k[0]], k[1], k[2]) for k in keys), strict=True))
    links = links_of(stand_in(find(target[0]).processor, tree))
    # Between cards in slots the host's tree is not known: the middle, and as wide as both ends.
    doubt = links.doubt(gpus)
    time_s, wire = links.at_middle(gpus).time_s(kind, volume, gpus)
    spread, large = spread_of_links(wire, doubt, slots=links.slots), volume >= LARGE_BYTES
    inside = float(np.mean(np.abs(np.log(time_s / there)) <= np.log(spread)))
    experiment = "no time" if tree is None else f"no time, --network {tree}"
    return Score(experiment, None, f"{target[0]} ({target[1]})", len(keys), typical(time_s, there),
                 typical(time_s[large], there[large]), np.nan, np.nan, inside,
                 float(np.median(spread**2)))  # fmt: skip


def score_links() -> list[Score]:
    """Every host by every other, and by the law alone."""
    hosts = read_hosts()
    pairs = [score_pair(a, b, hosts) for a in hosts for b in hosts if a[0] != b[0]]
    by_law = [score_alone(host, times) for host, times in hosts.items()]
    slots = [score_alone(h, times, "host") for h, times in hosts.items() if links_of(find(h[0]).processor).slots > 0]
    return [*(s for s in pairs if s is not None), *by_law, *slots]


def tabulate_links() -> Table:
    """A row per experiment."""
    columns = [
        Column("experiment", lambda s: s.experiment, key="experiment"),
        Column("source", lambda s: s.source, key="source", flexible=True),
        Column("target", lambda s: s.target, key="target"),
        Column("rows", lambda s: s.rows, str, key="rows"),
        Column("factor", lambda s: s.factor, "{:.3f}".format, key="factor"),
        Column("16 MB up", lambda s: s.large, "{:.3f}".format, key="factor_large"),
        Column("same time", lambda s: s.same_time, show_factor, key="factor_same_time"),
        Column("link ratio", lambda s: s.link_ratio, show_factor, key="factor_link_ratio"),
        Column("inside", lambda s: s.coverage, lambda v: format_percent(v, 0), key="coverage"),
        Column("width", lambda s: s.width, "{:.2f}".format, key="width"),
    ]
    return Table(columns, score_links())
