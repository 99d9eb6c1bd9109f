"""One step of a model on GPUs where it never ran: its operators' seconds, and what the step takes with its interval."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import FloatArray
from roofcast.core.launch_totals import NOWHERE, Total
from roofcast.core.machines import Machines, columns_of
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.results import Energy, Estimate
from roofcast.forecasting.clocks import by_itself
from roofcast.kit.quantities import format_percent
from roofcast.models import power
from roofcast.models.operators.unmeasured import Levels, gap_s, load_levels, needs_of, times_of
from roofcast.operators.kernel_names import Operation
from roofcast.operators.recorded_operators import UNDECIDED, WORK, RecordedOperators

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
MODES = ("eager", "compile", "graph")
"""How a step is launched: operator by operator, fused by ``torch.compile``, or as one CUDA graph."""
FUSED = frozenset(
    {Operation.ELEMENTWISE, Operation.COPY, Operation.NORMALISATION, Operation.REDUCTION, Operation.SOFTMAX}
)
"""Work between library calls that Inductor makes few kernels of."""
FUSED_TIME, FUSED_SPREAD, LIBRARY_SPREAD = 0.28, 2.0, 1.35
"""Part of its eager seconds that such work takes when compiled: 0.33 and 0.23 on an H100, 0.32 and 0.24 on an H200
(hopper_torch, ResNet-50 under autocast and GPT-2 prefill: all there is, and it teaches this number alone); factors to
either side beside those of the eager seconds, of such work (assumed: models differ more than these two), and of library
calls, which took 0.68 to 1.33 of theirs."""
FUSED_KERNELS = 1.5
"""Kernels made of it per library call: 1.2 and 2.0 there."""
GRAPH_GAP = 0.45
"""Time between two kernels of a graph over that of a stream: 0.42 and 0.48 of the launch floors (hopper_torch)."""
GRAPH_S, GRAPH_KERNEL_S, GRAPH_SPREAD = 10e-6, 0.2e-6, 3.0
"""s of the host to launch a graph, and for each kernel of it; factor to either side. Assumed."""
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
    mode: str = "eager"
    """One of :data:`MODES`."""
    energy: Energy | None = None
    """J of one launch of each."""
    idle_w: FloatArray = field(default_factory=lambda: np.zeros(0))
    """(m,) W that a GPU draws while it waits."""

    def step_energy(self, j: int) -> tuple[float, float, float]:
        """J of a step on GPU j with its ends: all kernels, and the wait for the host; NaN where the power is unknown.

        Kernels with a forecast are all of them; ends are of kernels that err alike.
        """
        assert self.energy is not None
        total = self.totals[j]
        waits = max(total.time_s - total.device_time_s, 0.0) * float(self.idle_w[j])
        known = np.isfinite(self.time_s[:, j])
        middle, low, high = (
            float((self.launches * v[:, j])[known].sum()) + waits
            for v in (self.energy.energy_j, self.energy.low_j, self.energy.high_j)
        )
        return middle, low, high

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
        """Return whether the intervals of both overlap, so that either may decide."""
        return self.host_low_s < self.device_high_s and self.device_low_s < self.host_high_s

    def record(self) -> dict[str, Any]:
        """Values for JSON."""
        names = ("device_time_s", "device_low_s", "device_high_s", "host_time_s", "host_low_s", "host_high_s")
        # Explicit: a class with slots is made anew, which ``super()`` alone does not find.
        return Total.record(self) | {n: getattr(self, n) for n in names} | {
            "operators": round(self.operators), "host_is_stated": self.is_host_stated, "decided_by": self.decided_by,
        }  # fmt: skip


def forecast_operators(
    found: RecordedOperators, targets: Sequence[Processor], levels: Levels | None = None, host_us: float | None = None,
    mode: str = "eager",
) -> ModelForecast:  # fmt: skip
    """Seconds of recorded operators. levels : other ones than those that ship. host_us : us of the host per operator.

    mode : one of :data:`MODES`. Rows are operators in each of them.

    Raises
    ------
    RoofcastError : ``host_us`` is no number of microseconds, ``mode`` no way to launch a step.
    """
    if mode not in MODES:
        raise RoofcastError(f"mode {one_line(str(mode), 40)!r}: {', '.join(MODES)}")
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
    launches, gap, least = found.table.launches, gap_s(machines)[0], need.least_s
    kernels, calls = float(launches.sum()), found.operators
    if mode == "compile":
        between = np.array([o in FUSED for o in found.operation])
        kernels = calls = count_compiled(launches, between)
        scale = np.where(between, FUSED_TIME, 1.0)[:, None]
        spread = np.where(between, FUSED_SPREAD, LIBRARY_SPREAD)[:, None]
        time, down, up, least = time * scale, down + np.log(spread), up + np.log(spread), least * scale
    low, high = np.minimum(np.fmax(time * np.exp(-down), least), time), time * np.exp(up)
    host = find_host(calls, kernels, host_us)
    if mode == "graph":
        graph_s, gap = GRAPH_S + GRAPH_KERNEL_S * kernels, gap * GRAPH_GAP
        host = graph_s, graph_s / GRAPH_SPREAD, graph_s * GRAPH_SPREAD
    totals = tuple(
        sum_step(
            t.name, (time[:, j], down[:, j], up[:, j]), launches, levels.spread_total, host, kernels * float(gap[j])
        )
        for j, t in enumerate(targets)
    )
    stated = host_us is not None and mode != "graph"
    totals = tuple(
        dataclasses.replace(t, launches=round(kernels), operators=calls, is_host_stated=stated) for t in totals
    )
    estimate = Estimate(
        time, low, high, HELD, {}, {Resource.BYTES_DRAM: np.broadcast_to(need.dram_s, time.shape)},
        np.full(time.shape, "", object),
    )  # fmt: skip
    energy = power.measure_energy(found.table, machines, machines, estimate, HELD)
    return ModelForecast(
        found.table.provenance[0].file, found, tuple(targets), time, low, high, limit, totals,
        (NOT_MEASURED, *tell_mode(mode, kernels), *tell_unknown(found, time[:, 0] * launches), *found.notes),
        need.kind, mode, energy, np.broadcast_to(power.idle_w(machines.columns), (len(targets),)),
    )  # fmt: skip


MOST_HOST_US = 1e6
"""us per operator: a second for one operator is a slip of the unit."""


def count_compiled(launches: FloatArray, between: NDArray[np.bool_]) -> float:
    r"""Kernels of a compiled step.

    .. math:: k = k_l + \min(k_b, \max(1.5 \, k_l, 1))

    k_l, k_b : kernels of library calls, and of the work between them (:data:`FUSED`) in eager mode. Reason: Inductor
    makes one kernel of what reads and writes the same elements between two library calls, two where an axis is reduced.

    >>> count_compiled(np.array([55.0, 235.0]), np.array([False, True]))   # ResNet-50: 54 and 121 were measured
    137.5
    """
    library, rest = float(launches[~between].sum()), float(launches[between].sum())
    return library + min(rest, max(FUSED_KERNELS * library, 1.0))


def tell_mode(mode: str, kernels: float) -> list[str]:
    """What a mode that is not eager rests on."""
    if mode == "compile":
        return [
            f"torch.compile is an estimate: about {kernels:.0f} kernels; element-wise work, norms, reductions and "
            f"copies take {FUSED_TIME:g} of their eager time (two measured models: 0.23 to 0.33), and the intervals "
            "are assumed; profile one compiled step to know"
        ]
    if mode == "graph":
        return [
            f"one CUDA graph of {kernels:.0f} kernels: the host launches it once (10 us and 0.2 us per kernel, "
            "assumed), and kernels follow each other at 0.45 of a stream's distance (as measured on an H100 and H200)"
        ]
    return []


def find_host(operators: float, kernels: float, host_us: float | None) -> tuple[float, float, float]:
    r"""The host's seconds of a step, with both ends.

    .. math:: H = h \, (n + 0.25 \, (k - n)^+)

    h : s per operator, stated or :data:`HOST_US`. n : operators. k : kernels; what a library launches beyond one for
    each operator costs a part (:data:`KERNEL_OF_OPERATOR`).

    >>> [round(1e3 * t, 2) for t in find_host(100.0, 100.0, 30.0)]
    [3.0, 1.87, 4.8]
    """
    operator_s = 1e-6 * (HOST_US if host_us is None else host_us)
    spread = HOST_SPREAD if host_us is None else HOST_SPREAD_STATED
    time = operator_s * (operators + KERNEL_OF_OPERATOR * max(kernels - operators, 0.0))
    return time, time / spread, time * spread


def tell_unknown(found: RecordedOperators, seconds: FloatArray) -> list[str]:
    """The share of operators without a formula, on the first GPU."""
    unknown = np.isin(np.asarray(found.table.extra[WORK], dtype=str), UNDECIDED)
    total = float(np.nansum(seconds))
    if not unknown.any() or not total > 0:
        return []
    share = float(np.nansum(seconds[unknown])) / total
    return [
        f"operators without a formula take {format_percent(share, 0)} of the device's time; they may take far longer"
    ]


def sum_step(
    target: str, device: tuple[FloatArray, FloatArray, FloatArray], launches: FloatArray, share: float,
    host: tuple[float, float, float], between: float,
) -> StepTotal:  # fmt: skip
    r"""The step: its kernels one after the other, or the host that launches them.

    .. math:: D = \sum_k n_k T_k, \quad T = \max(D + g \sum_k n_k, \, H), \quad
        D_{low} = D \exp\left(-q \frac{\sum_k n_k T_k s_k}{D}\right)

    and :math:`D_{high}` likewise with the ways up. T, D : s of step and device. n_k, T_k : times that kernel k runs, s
    of one launch. s_k : 1, how far down it may be, as a logarithm. g : s between two kernels, ``between`` of all. H : s
    of the host. share : 1, q; what whole models err by over their kernels' spread, since errors of kernels cancel.
    Reason: the host launches ahead while the device works, so that the longer of both is seen.
    """
    time, down, up = device
    known = np.isfinite(time)
    seconds, count = (time * launches)[known], float(launches[known].sum())
    whole = float(seconds.sum())
    ways = [float((seconds * s[known]).sum()) / whole if whole > 0 else math.nan for s in (down, up)]
    low, high = whole * math.exp(-share * ways[0]), whole * math.exp(share * ways[1])
    step = max(whole + between, host[0])
    ends = max(low + between, host[1]), max(high + between, host[2])
    outer = max(whole * math.exp(-ways[0]) + between, host[1]), max(whole * math.exp(ways[1]) + between, host[2])
    return StepTotal(
        target, math.nan, step, *ends, min(outer[0], ends[0]), max(outer[1], ends[1]), round(count), int(known.sum()),
        int((~known).sum()), device_time_s=whole, device_low_s=low, device_high_s=high, host_time_s=host[0],
        host_low_s=host[1], host_high_s=host[2],
    )  # fmt: skip
