r"""The formula that forecasts without counters have to beat: ratios mixed by the explained share, of seven constants.

.. math:: \ln\frac{T_t}{T_s} = \frac{t}{t + 10\,\mathrm{us}} \left[w \ln r + (1 - w)
    \left(0.49 \ln\frac{P_s}{P_t} + 0.34 \ln\frac{C_s}{C_t}\right)\right],
    \qquad w = W \frac{u^{3/2}}{u^{3/2} + 0.23^{3/2}}

t : s, of the source. r : 1, all roofs of the target over the source's. P, C : bandwidth and FP32 rate. u : 1, share of
the source time that its slowest roof explains. W : 1, 1.04 with bytes, 0.47 with FLOPs alone, 0 with neither. Fitted
to 20 families once, each left out in turn (38.7 %); it is a yardstick, and no part of any model.
"""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.models.physics.law import LawInputs, saturate

HOST_S = 10e-6
"""s; kernels as short as this lose half of what the ratios say."""
HALF_SHARE = 0.23
"""1; explained share at which the roofs have half of their weight."""
STEEPNESS = 1.5
"""1; exponent of the explained share."""
WITH_BYTES, WITH_FLOPS = 1.04, 0.47
BANDWIDTH, FP32 = 0.49, 0.34


def baseline_log_ratio(x: LawInputs) -> FloatArray:
    """(n, m) logarithm of the seconds on the target over the source's."""
    known = np.where(x.bytes_known, WITH_BYTES, np.where(x.flops_known, WITH_FLOPS, 0.0))
    w = known * saturate(x.share**STEEPNESS, HALF_SHARE**STEEPNESS)
    usual = BANDWIDTH * x.bandwidth + FP32 * x.fp32
    return np.asarray(x.time_s / (x.time_s + HOST_S) * (w * x.roofs + (1.0 - w) * usual))
