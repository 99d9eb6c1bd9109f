"""From Nsight Compute metrics to amounts: time, FLOPs by precision, instructions, bytes per level, geometry.

A report holds whatever its user asked for, so every amount has several identities (:data:`AMOUNTS`), the best first.
To understand a new counter, add it to a line of that table. The identities hold on real reports of V100 to GH200;
the tests check them again wherever two forms of one quantity stand in the same report.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray
from roofcast.ingest.ncu.expressions import Column, Counters
from roofcast.ingest.ncu.metric_columns import AMOUNTS

NO_AMOUNTS: Mapping[str, Column] = MappingProxyType({})
PASSES_APART = 0.01
"""1; by so much may two counts of a share differ that ncu took in two replays of a kernel (0.0064 % on an A100)."""


def amounts_from_ncu(metrics: Mapping[str, FloatArray], given: Mapping[str, Column] = NO_AMOUNTS) -> dict[str, Column]:
    """Columns of the vocabulary that the metrics of n launches yield.

    metrics : metric name -> (n,) float64 in base units (ns, byte, Hz, %, inst), NaN where a launch lacks it.
        What a file says elsewhere can be put in under its metric name: ``launch__grid_size``,
        ``launch__block_size``, ``device__attribute_compute_capability_major``.
    given : columns that are known already, as (values, origin); they are returned as they are.

    Returns column name -> ((n,) values, (n,) Origin codes). Columns without any value are left out.

    >>> metrics = {"gpu__time_duration.sum": np.array([2e3]), "dram__bytes.sum.per_second": np.array([1e12])}
    >>> columns = amounts_from_ncu(metrics)
    >>> {k: (round(float(v[0]), 9), int(o[0])) for k, (v, o) in columns.items()}
    {'time_s': (2e-06, 1), 'bytes_dram': (2000000.0, 2)}
    """
    counters = counters_of(metrics, given)
    return counters.amounts


def counters_of(metrics: Mapping[str, FloatArray], given: Mapping[str, Column] = NO_AMOUNTS) -> Counters:
    """The evaluator after all amounts were rebuilt (see :func:`amounts_from_ncu`)."""
    size = next((len(v) for v in (*metrics.values(), *(v for v, _ in given.values()))), 0)
    usable = {name: np.asarray(values, np.float64) for name, values in metrics.items()}
    usable |= chip_facts(usable)
    counters = Counters(usable, size, dict(given))
    for column, alternatives in AMOUNTS.items():
        if column in given:
            continue
        amount = counters.first_of(alternatives)
        if column == "time_s" and amount is not None:
            amount = positive(amount)
        if column.endswith("_fraction") and amount is not None:
            amount = (np.where((amount[0] > 1.0) & (amount[0] <= 1.0 + PASSES_APART), 1.0, amount[0]), amount[1])
        if amount is not None:
            counters.amounts[column] = amount
    return counters


UNKNOWN = dict.fromkeys((10.0, 10.3, 11.0, 12.0, 12.1), np.nan)

CHIP_FACTS: dict[str, tuple[float, float, dict[float, float]]] = {
    # name: (value from compute capability 7.5 on, value of 7.0, exceptions)
    "chip__insts_lsu_per_cycle": (0.5, 1.0, {8.0: 1.0, 9.0: 1.0, **UNKNOWN}),
    "chip__bytes_dram_per_channel_cycle": (8.0, 32.0, {8.0: 32.0, 9.0: 32.0, **UNKNOWN, 10.0: 32.0, 10.3: 32.0}),
}
"""Constants that real reports of each compute capability yield (channels of HBM are four times as wide as GDDR's)."""


def chip_facts(metrics: Mapping[str, FloatArray]) -> dict[str, FloatArray]:
    """Pseudo-metrics ``chip__...`` of each launch's GPU, by its compute capability; NaN where that is not known."""
    major, minor = (metrics.get(f"device__attribute_compute_capability_{p}") for p in ("major", "minor"))
    if major is None or minor is None:
        return {}
    capability = np.round(major + minor / 10, 1)
    facts: dict[str, FloatArray] = {}
    for name, (newer, volta, exceptions) in CHIP_FACTS.items():
        values = np.select([capability == 7.0, capability > 7.0], [volta, newer], np.nan)
        for exception, value in exceptions.items():
            values = np.where(capability == exception, value, values)
        facts[name] = values
    return facts


def positive(column: Column) -> Column:
    """The column with zeros and negative values made absent: no launch takes no time."""
    values, origin = column
    usable = values > 0
    return np.where(usable, values, np.nan), np.where(usable, origin, Origin.ABSENT).astype(np.uint8)
