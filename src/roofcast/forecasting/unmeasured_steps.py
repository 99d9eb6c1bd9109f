"""One step of a model on GPUs where it never ran: its operators' seconds, and what the step takes with its interval."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.launch_totals import Total
from roofcast.core.machines import Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.forecasting.clocks import by_itself
from roofcast.models.operators.unmeasured import Levels, load_levels, needs_of, times_of
from roofcast.operators.recorded_operators import RecordedOperators

HELD = 0.9
"""Share of measured times that the intervals were made to hold."""
HOST_S = 5e-6
"""s of the host's work per operator in eager mode; PyTorch's own figure is "a few microseconds" per operator. Only the
sum of a step counts it, where it is longer than the devices' work."""
NOT_MEASURED = (
    "no time measured: shapes and the levels that libraries usually reach; one profile on any GPU narrows this "
    "(`with roofcast.torch.profile() as run: ...`)"
)


@dataclass(frozen=True)
class ModelForecast:
    """One step of a model, n distinct operators on m GPUs."""

    what: str
    operators: RecordedOperators
    targets: tuple[Processor, ...]
    time_s: FloatArray
    """(n, m) s of one launch."""
    time_low_s: FloatArray
    time_high_s: FloatArray
    limit: NDArray[np.object_]
    """(n, m) what limits each."""
    totals: tuple[Total, ...]
    notes: tuple[str, ...]

    @property
    def launches(self) -> FloatArray:
        """(n,) times that each operator runs."""
        return self.operators.table.launches


def forecast_operators(
    found: RecordedOperators, targets: Sequence[Processor], levels: Levels | None = None
) -> ModelForecast:
    """Seconds of recorded operators. levels : other ones than those that ship."""
    levels = levels or load_levels()
    machines = Machines(
        columns_of(list(targets)), np.arange(len(targets))[None, :], np.array([[by_itself(p) for p in targets]])
    )
    need = needs_of(found.table, found.rows, found.operation, machines)
    time, down, up = times_of(need, machines, levels)
    spread = (down + up) / 2
    by_pipe = np.nan_to_num(need.pipe_s) > need.dram_s
    names = [p.value if isinstance(p, Resource) else None for p in need.pipe.tolist()]
    limit = np.where(by_pipe, np.array(names, dtype=object)[:, None], Resource.BYTES_DRAM.value)
    launches = found.table.launches
    totals = tuple(
        sum_step(t.name, time[:, j], spread[:, j], launches, levels.spread_total) for j, t in enumerate(targets)
    )
    low = np.minimum(np.fmax(time * np.exp(-down), need.least_s), time)
    return ModelForecast(
        found.table.provenance[0].file, found, tuple(targets), time, low, time * np.exp(up), limit, totals,
        (NOT_MEASURED, *found.notes),
    )  # fmt: skip


def sum_step(target: str, time_s: FloatArray, spread: FloatArray, launches: FloatArray, share: float) -> Total:
    r"""The step: its operators one after the other, or the host that launches them.

    .. math:: T = \max\left(\sum_k n_k T_k, \, h \sum_k n_k\right), \qquad
        T_{low, high} = T \exp\left(\mp q \frac{\sum_k n_k T_k s_k}{\sum_k n_k T_k}\right)

    T : s. n_k, T_k : times that operator k runs, s of one launch. h : s of the host per operator. s_k : 1, its
    spread, half of the way from its lower to its upper end.
    share : 1, q; what whole models err by over their operators' spread, since errors of different kernels cancel: of
    public models, the family left out that needs more (:mod:`roofcast.evaluation.unmeasured_models`).
    """
    known = np.isfinite(time_s)
    time, count = (time_s * launches)[known], float(launches[known].sum())
    device = float(time.sum())
    whole = max(device, HOST_S * count)
    mean = float((time * spread[known]).sum()) / device if device > 0 else math.nan
    factor, outer = math.exp(share * mean), math.exp(mean)
    return Total(
        target, math.nan, whole, whole / factor, whole * factor, whole / max(outer, factor), whole * max(outer, factor),
        round(count), int(known.sum()), int((~known).sum()),
    )  # fmt: skip
