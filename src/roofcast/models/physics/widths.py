r"""How far off the law without counters is: half widths that grow with what is not known.

.. math:: h = \sqrt{h_w^2 + h_m^2}, \qquad \ln h_w = c_0 + c_l \frac{1}{1 + (u / 0.15)^{3/2}} + c_u (1 - u)
    + c_a [\text{another architecture}] + c_v [\text{other code}] + c_d \min(d, 3) + c_h F / T_s
    - c_s [\text{timed on the device}] \frac{t_0}{T_s + t_0}

h : ln units, at 90 %. h_w : of the work. h_m : of the two machines, whatever runs on them. u : 1, share of the source
time that the slowest roof explains, at most 1. d : 1, distance of the two GPUs, the sum of |ln| of the ratios of their
bandwidths and FP32 rates. F : s of launches and host as the law estimates them, 0 where floors were given or the device
timed. t_0 : s, the law's time that stays whatever the GPU. Other code: another vendor, or two architectures of AMD,
whose libraries and compiler hold code of its own for each chip. Every coefficient is at least 0 and u grows with every
amount that is known, so that knowing less, or a farther GPU, is never narrower.

What a GPU itself timed has no host in it: short kernels are launch, ramp and one chain of latencies, which differ less
between GPUs than any rate does, so that they are the surest. On hecbench_ncu and hecbench_fresh without counters 90 %
of 1 to 5 us need a factor of 2 between the ends, of 5 to 20 us 3, above 1 ms 10.

Reason: what orders errors on public families, the best first: how much the roofs explain, whether the same machine code
runs, how much of a time is host, how far the GPUs are apart. Fitted as a quantile of ln |error| [Koenker1978], then
made longer until the families keep it one by one (the family is a random effect: the promise is about work that nobody
has seen). The pair of machines is one as well: cards of one model differ by 18 % (hashcat's files), drivers, libraries
and clocks by more, and all kernels share it, so that what is sure of one kernel after the other is not of all.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.models.physics.law import LawConstants, LawInputs

LOW_SHARE = 0.15
"""1; explained share at which the second term has fallen to a half."""
DISTANCE_MOST = 3.0
"""Log units; distance of two GPUs in bandwidth and FP32 rate beyond which the width grows no more."""
MOST = 1.8
"""Log units: a factor of six to either side, which one pair in two hundred needed."""


@dataclass(frozen=True)
class LawWidths:
    """Coefficients of the half width, and what other coverages are of it."""

    at_least: float = -1.5
    """c_0."""
    low_share: float = 0.1
    unexplained: float = 0.35
    architecture: float = 0.5
    host: float = 0.9
    short: float = 0.0
    """c_s."""
    distance: float = 0.1
    other_code: float = 0.3
    machines: float = 0.35
    """h_m, by hand: with it the pair of GPUs that keeps least holds 65 % in every family that is left out."""
    longer: float = 1.3
    """Factor on h that lets families that nobody has seen keep it."""
    shape: tuple[float, ...] = (0.24, 0.32, 0.43, 0.6, 0.75, 1.0, 1.35, 1.9)
    """h at the coverages of the table of intervals over h at 90 %."""


TERMS = tuple(f.name for f in dataclasses.fields(LawWidths) if f.name not in ("machines", "longer", "shape"))


def width_terms(x: LawInputs, c: LawConstants) -> list[FloatArray]:
    """Return what the coefficients of :data:`TERMS` multiply; each broadcasts to (n, m)."""
    u = np.clip(x.share, 0.0, 1.0)
    host = (1.0 - u) * c.host_s / (x.time_s + c.host_s)
    terms = (
        np.ones((1,) * np.ndim(u)),
        1.0 / (1.0 + (u / LOW_SHARE) ** 1.5),
        1.0 - u,
        ~x.same_architecture,
        np.where(np.isnan(x.floor_source_s) & ~x.on_device, host, 0.0),
        np.where(x.on_device, -c.host_s / (x.time_s + c.host_s), 0.0),
        np.minimum(np.abs(x.bandwidth) + np.abs(x.fp32), DISTANCE_MOST),
        x.other_code,
    )
    return [np.asarray(term, dtype=np.float64) for term in terms]


def law_half_widths(x: LawInputs, c: LawConstants, widths: LawWidths) -> FloatArray:
    """(n, m) h: log units, at 90 %."""
    total: FloatArray = np.zeros(1)
    for name, term in zip(TERMS, width_terms(x, c), strict=True):
        total = total + getattr(widths, name) * term
    return np.minimum(np.sqrt(np.square(widths.longer * np.exp(total)) + widths.machines**2), MOST)
