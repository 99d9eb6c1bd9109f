r"""What a training of many steps adds to one step: GPUs that are not alike, failures, hours and dollars to a count of
samples.

.. math:: T_n = T \left(1 + c \, \Phi^{-1}\!\left(\frac{n - 0.375}{n + 0.25}\right)\right), \quad
    u = 1 - \sqrt{\frac{2 C}{M / n}} - \frac{R}{M / n}

T : s of a step where all GPUs are alike. n : GPUs. c : 1, standard deviation of a step among GPUs over its mean.
Phi^-1: quantiles of the normal distribution. u : 1, share of the time that is left. M : s between failures of one GPU
with its share of the node. C : s to write a checkpoint. R : s to start again.

Reason: a step ends with its slowest GPU, the expected largest of n normal draws (G. Blom, Statistical estimates and
transformed beta-variables, 1958). Failures of n GPUs come n times as often; checkpoints every sqrt(2 C M / n) lose
least (J. W. Young, Comm. ACM 17 (1974) 530, doi:10.1145/361147.361115). As an order of M: 419 unexpected
interruptions in 54 days of 16,384 H100, 50,000 h a GPU (The Llama 3 herd of models, arXiv:2407.21783, sec. 3.3.4).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from roofcast.catalog.prices import read_prices
from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.normal import deviations_below
from roofcast.core.records import dataclass
from roofcast.core.units import parse_quantity
from roofcast.scaling.measured_run import Scaled, Scaling

CHECKPOINT_S, RESTART_S = 60.0, 600.0
"""Where nobody says; assumed."""
LARGEST_SPREAD = 1.0
"""1; largest ``--straggler``: beyond it a slow GPU takes more than twice the time of the others."""


@dataclass(frozen=True)
class Failures:
    """How often GPUs fail, and what that costs."""

    between_s: float
    """M."""
    checkpoint_s: float = CHECKPOINT_S
    restart_s: float = RESTART_S


def parse_failures(text: str | float) -> Failures:
    """Seconds between failures of one GPU, to write a checkpoint, to start again: ``50000h,60s,600s``.

    >>> parse_failures("50000h").between_s, parse_failures("50000h,2min").checkpoint_s
    (180000000.0, 120.0)
    """
    try:
        parts = [parse_seconds(p) for p in str(text).split(",")]
    except (RoofcastError, ValueError):
        parts = []
    if not 1 <= len(parts) <= 3 or not all(0 < p < math.inf for p in parts):
        raise InputError(
            f"--failures {one_line(str(text), 40)}: the time between failures of one GPU, as 50000h, then that of a "
            "checkpoint and of a restart: 50000h,60s,600s"
        )
    return Failures(*parts)


def parse_seconds(text: str) -> float:
    """Seconds of ``50000h``, ``2min``, ``60s``."""
    text = text.strip()
    for unit, seconds in (("min", 60.0), ("h", 3600.0), ("d", 86400.0)):
        if text.endswith(unit):
            return float(text.removesuffix(unit)) * seconds
    return parse_quantity(text, "s")


def parse_spread(text: str | float) -> float:
    """c: ``2%`` or 0.02.

    >>> parse_spread("2%"), parse_spread(0.02)
    (0.02, 0.02)
    """
    plain = str(text).strip()
    try:
        spread = float(plain.removesuffix("%")) / (100.0 if plain.endswith("%") else 1.0)
    except ValueError:
        spread = math.nan
    if not 0 <= spread <= LARGEST_SPREAD:
        raise InputError(f"--straggler {one_line(plain, 40)}: how far the steps of GPUs spread, such as 2%")
    return spread


def slowest_of(gpus: int, spread: float) -> float:
    """Step of the slowest of n GPUs over the mean one's.

    >>> round(slowest_of(1, 0.02), 3), round(slowest_of(1024, 0.02), 3)
    (1.0, 1.065)
    """
    return 1.0 + spread * max(deviations_below((gpus - 0.375) / (gpus + 0.25)), 0.0)


def useful_share(gpus: int, failures: Failures) -> float:
    """u; 0 where the GPUs fail faster than they start.

    >>> round(useful_share(16384, parse_failures("50000h")), 2)
    0.84
    """
    between = failures.between_s / gpus
    return max(1.0 - math.sqrt(2.0 * failures.checkpoint_s / between) - failures.restart_s / between, 0.0)


def train_on(
    scaling: Scaling, *, straggler: str | float | None = None, failures: str | float | None = None,
    samples: float | None = None, prices: str | Path | None = None,
) -> Scaling:  # fmt: skip
    """The same steps in a long training.

    samples : to train on in all. prices : as :func:`roofcast.catalog.prices.read_prices` takes them.
    """
    spread = 0.0 if straggler is None else parse_spread(straggler)
    fails = None if failures is None else parse_failures(failures)
    if samples is not None and not 0 < samples < math.inf:
        raise InputError("samples to train on are more than zero and finite: --samples 1e9")
    if prices is not None and samples is None:
        raise InputError("prices cost samples: say how many, --samples 1e9")
    if samples is not None and all(math.isnan(s.samples) for s in scaling.scales):
        raise InputError("hours to samples need those of a step: --global-batch 768")
    rents = None if prices is None else read_prices(prices)
    scales = [train(s, slowest_of(s.gpus, spread), fails, samples) for s in scaling.scales]
    notes = list(scaling.notes)
    if spread:
        notes.append("stragglers: a step ends with its slowest GPU (expected largest of normal draws, Blom 1958)")
    if fails is not None:
        notes.append(
            "failures: checkpoints as often as loses least (Young 1974); 419 interruptions of 16,384 H100 in 54 days "
            "are 50,000 h a GPU (Llama 3, arXiv:2407.21783)"
        )
    if rents is not None:
        of = [(s, rents.of(s.gpu).rent_usd_per_hour) for s in scales]
        if all(rent is None for _, rent in of):
            notes.append("no rent of these GPUs is stated: the cost is not known")
        scales = [s if rent is None else replace(s, cost_usd=s.hours * s.gpus * rent) for s, rent in of]
        notes += [rents.note] if rents.note else []
    return replace(scaling, scales=with_efficiency(scales, scaling), notes=tuple(notes))


def train(scaled: Scaled, slower: float, failures: Failures | None, samples: float | None) -> Scaled:
    """One of them."""
    useful = 1.0 if failures is None else useful_share(scaled.gpus, failures)
    notes = scaled.notes
    if useful == 0:
        notes = (*notes, "fails faster than it starts again: no progress")
    slowed = replace(scaled, step_s=scaled.step_s * slower, step_low_s=scaled.step_low_s * slower,
                   step_high_s=scaled.step_high_s * slower, useful=useful, notes=notes)  # fmt: skip
    if samples is None or not useful:
        return slowed
    return replace(slowed, hours=samples / slowed.samples_per_s / 3600.0)


def with_efficiency(found: Sequence[Scaled], before: Scaling) -> tuple[Scaled, ...]:
    """Efficiencies follow what a GPU still does: of plans against one GPU, else against the first row of each GPU."""
    efficiency = [f.efficiency * b.step_s / f.step_s * f.useful for f, b in zip(found, before.scales, strict=True)]
    if before.planned:
        return tuple(replace(f, efficiency=k) for f, k in zip(found, efficiency, strict=True))
    first: dict[str, float] = {}
    for f, k in zip(found, efficiency, strict=True):
        first.setdefault(f.gpu.name, k)
    return tuple(
        replace(f, efficiency=k / first[f.gpu.name] if first[f.gpu.name] else 0.0)
        for f, k in zip(found, efficiency, strict=True)
    )
