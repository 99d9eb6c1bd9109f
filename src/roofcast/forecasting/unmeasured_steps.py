"""One step of a model on GPUs where it never ran: its operators' seconds, and what the step takes with its interval."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.launch_totals import NOWHERE, Total
from roofcast.core.machines import Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.forecasting.clocks import by_itself
from roofcast.kit.quantities import format_percent
from roofcast.models.operators.unmeasured import Levels, gap_s, load_levels, needs_of, times_of
from roofcast.operators.recorded_operators import UNKNOWN, WORK, RecordedOperators

HELD = 0.9
"""Share of measured times that the intervals were made to hold."""
HOST_US = 33.0
"""us of the host per operator in eager mode where nobody states it: the middle of the medians of two machines in
inference, training and under autocast, 17 to 57 (hopper_torch, steps that wait for the host)."""
HOST_SPREAD = 2.3
"""Factor to either side that holds 90 % of hosts and models where nothing is stated: 14 to 76 us."""
HOST_SPREAD_STATED = 1.6
"""The same for a stated host: one machine takes 25 to 71 us per operator from model to model (10 and 90 %)."""
KERNEL_OF_OPERATOR = 0.25
"""Host's time of a further kernel that a library launches within an operator, over that of an operator: 7 to 9 us of
20 to 42 (cuDNN's recurrent layers, 512 steps in one call; hopper_torch)."""
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
    totals: tuple[StepTotal, ...]
    notes: tuple[str, ...]
    kinds: NDArray[np.object_]
    """(n,) kind of work of each, as its level has it."""

    @property
    def launches(self) -> FloatArray:
        """(n,) times that each operator runs."""
        return self.operators.table.launches


@dataclass(frozen=True, slots=True)
class StepTotal(Total):
    """One step: what it takes is the longer of the device's work and the host's."""

    device_time_s: float = NOWHERE
    """Kernels alone, one after the other."""
    device_low_s: float = NOWHERE
    device_high_s: float = NOWHERE
    host_time_s: float = NOWHERE
    """The host's work: its microseconds per operator times the operators."""
    host_low_s: float = NOWHERE
    host_high_s: float = NOWHERE
    operators: float = 0.0
    is_host_stated: bool = False

    @property
    def decided_by(self) -> str:
        """``host`` or ``device``."""
        return "host" if self.host_time_s > self.device_time_s else "device"

    @property
    def is_open(self) -> bool:
        """Whether the intervals of both overlap, so that either may decide."""
        return self.host_low_s < self.device_high_s and self.device_low_s < self.host_high_s

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        names = ("device_time_s", "device_low_s", "device_high_s", "host_time_s", "host_low_s", "host_high_s")
        # Explicit: a class with slots is made anew, which ``super()`` alone does not find.
        return Total.record(self) | {n: getattr(self, n) for n in names} | {
            "operators": round(self.operators), "host_is_stated": self.is_host_stated, "decided_by": self.decided_by,
        }  # fmt: skip


def forecast_operators(
    found: RecordedOperators, targets: Sequence[Processor], levels: Levels | None = None, host_us: float | None = None
) -> ModelForecast:
    """Seconds of recorded operators. levels : other ones than those that ship. host_us : us of the host per operator.

    Raises
    ------
    RoofcastError : ``host_us`` is no number of microseconds.
    """
    if host_us is not None and not (math.isfinite(host_us) and 0 <= host_us <= MOST_HOST_US):
        raise RoofcastError(f"host_us {host_us!r}: microseconds of the host per operator, e.g. 30")
    levels = levels or load_levels()
    machines = Machines(
        columns_of(list(targets)), np.arange(len(targets))[None, :], np.array([[by_itself(p) for p in targets]])
    )
    need = needs_of(found.table, found.rows, found.operation, machines)
    time, down, up = times_of(need, machines, levels)
    by_pipe = np.nan_to_num(need.pipe_s) > need.dram_s
    names = [p.value if isinstance(p, Resource) else None for p in need.pipe.tolist()]
    limit = np.where(by_pipe, np.array(names, dtype=object)[:, None], Resource.BYTES_DRAM.value)
    launches, gap = found.table.launches, gap_s(machines)[0]
    low, high = np.minimum(np.fmax(time * np.exp(-down), need.least_s), time), time * np.exp(up)
    host = find_host(found.operators, float(launches.sum()), host_us)
    totals = tuple(
        sum_step(t.name, (time[:, j], down[:, j], up[:, j]), launches, levels.spread_total, host, float(gap[j]))
        for j, t in enumerate(targets)
    )
    totals = tuple(
        dataclasses.replace(t, operators=found.operators, is_host_stated=host_us is not None) for t in totals
    )
    return ModelForecast(
        found.table.provenance[0].file, found, tuple(targets), time, low, high, limit, totals,
        (NOT_MEASURED, *tell_unknown(found, time[:, 0] * launches), *found.notes), need.kind,
    )  # fmt: skip


MOST_HOST_US = 1e6


def find_host(operators: float, kernels: float, host_us: float | None) -> tuple[float, float, float]:
    r"""The host's seconds of a step, with both ends.

    .. math:: H = h \, (n + 0.25 \, (k - n)^+)

    h : s per operator, stated or :data:`HOST_US`. n : operators. k : kernels; what a library launches beyond one for
    each operator costs a part (:data:`KERNEL_OF_OPERATOR`).

    >>> [round(1e3 * t, 2) for t in find_host(100.0, 100.0, 30.0)]
    [3.0, 1.87, 4.8]
    """
    each = 1e-6 * (HOST_US if host_us is None else host_us)
    spread = HOST_SPREAD if host_us is None else HOST_SPREAD_STATED
    time = each * (operators + KERNEL_OF_OPERATOR * max(kernels - operators, 0.0))
    return time, time / spread, time * spread


def tell_unknown(found: RecordedOperators, seconds: FloatArray) -> list[str]:
    """The share of operators without a formula, on the first GPU."""
    unknown = np.asarray(found.table.extra[WORK]) == UNKNOWN
    total = float(np.nansum(seconds))
    if not unknown.any() or not total > 0:
        return []
    share = float(np.nansum(seconds[unknown])) / total
    return [
        f"operators without a formula take {format_percent(share, 0)} of the device's time; they may take far longer"
    ]


def sum_step(
    target: str, device: tuple[FloatArray, FloatArray, FloatArray], launches: FloatArray, share: float,
    host: tuple[float, float, float], gap: float,
) -> StepTotal:  # fmt: skip
    r"""The step: its kernels one after the other, or the host that launches them.

    .. math:: D = \sum_k n_k T_k, \quad T = \max(D + g \sum_k n_k, \, H), \quad
        D_{low} = D \exp\left(-q \frac{\sum_k n_k T_k s_k}{D}\right)

    and :math:`D_{high}` likewise with the ways up. T, D : s of step and device. n_k, T_k : times that kernel k runs, s
    of one launch. s_k : 1, how far down it may be, as a logarithm. g : s between two kernels of a stream. H : s of the
    host. share : 1, q; what whole models err by over their kernels' spread, since errors of different kernels cancel.
    Reason: the host launches ahead while the device works, so that the longer of both is seen.
    """
    time, down, up = device
    known = np.isfinite(time)
    seconds, count = (time * launches)[known], float(launches[known].sum())
    whole = float(seconds.sum())
    ways = [float((seconds * s[known]).sum()) / whole if whole > 0 else math.nan for s in (down, up)]
    low, high = whole * math.exp(-share * ways[0]), whole * math.exp(share * ways[1])
    between = gap * count
    step = max(whole + between, host[0])
    ends = max(low + between, host[1]), max(high + between, host[2])
    outer = max(whole * math.exp(-ways[0]) + between, host[1]), max(whole * math.exp(ways[1]) + between, host[2])
    return StepTotal(
        target, math.nan, step, *ends, min(outer[0], ends[0]), max(outer[1], ends[1]), round(count), int(known.sum()),
        int((~known).sum()), device_time_s=whole, device_low_s=low, device_high_s=high, host_time_s=host[0],
        host_low_s=host[1], host_high_s=host[2],
    )  # fmt: skip
