"""Occupancy x efficiency: Algorithm 1 of [Srivastava2025].

``docs/references.md`` has the report of the key in brackets.
"""

from __future__ import annotations

import numpy as np

from roofcast.formulas.values import FloatArray, Values


def roof_per_s(flops: Values, bytes_moved: Values, flops_per_s: Values, bytes_per_s: Values) -> FloatArray:
    r"""Roof of Algorithm 1: FLOP/s where the kernel has FLOPs, B/s where it has none.

    .. math:: Roof = \min(C, AI \cdot BW), \quad AI = FLOPs / Bytes

    flops : (...) FLOP. >= 0; 0 is the pure memory case.
    bytes_moved : (...) B. >= 0.
    flops_per_s : (...) FLOP/s. C, > 0.
    bytes_per_s : (...) B/s. BW, > 0.

    Source: [Srivastava2025] sec. 4.0.1 and 4.0.4; its RTX 2080 Ti (267.7 GB/s, 10.49 TFLOP/s) and SAXPY's AI of 1/6.

    >>> round(float(roof_per_s(131072, 786432, 10485.76e9, 267.707e9)) / 1e9, 2)
    44.62
    """
    work, moved = np.asarray(flops, dtype=np.float64), np.asarray(bytes_moved, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        roof = np.minimum(flops_per_s, work / moved * bytes_per_s)
    return np.asarray(np.where(work == 0, bytes_per_s, roof))


def forecast_time_s(
    time_s_source: Values,
    roof_source_per_s: Values,
    roof_target_per_s: Values,
    occupancy_source: Values,
    occupancy_target: Values,
) -> FloatArray:
    r"""Seconds on the target when the efficiency on the source is kept.

    .. math:: \eta = \frac{W / T_{src}}{O_{src} Roof_{src}}, \qquad T_{tgt} = \frac{W}{\eta \, O_{tgt} Roof_{tgt}}
              = T_{src} \frac{Roof_{src}}{Roof_{tgt}} \frac{O_{src}}{O_{tgt}}

    time_s_source : (...) s. T_src, measured.
    roof_source_per_s, roof_target_per_s : (...) FLOP/s or B/s. Of :func:`roof_per_s`.
    occupancy_source, occupancy_target : (...) 1. O, in (0, 1].

    W (FLOPs, or bytes where there are none) cancels. Source: [Srivastava2025] Algorithm 1; example from its
    published predictions: conv2d_3x3 on 4096 x 4096, RTX 2080 Ti to RTX 4070, 0.418547 -> 0.512486 ms.

    >>> round(float(forecast_time_s(0.418547, 267.707, 218.636, 1.0, 1.0)), 6)
    0.512486
    """
    roofs = np.divide(roof_source_per_s, roof_target_per_s)
    return np.multiply(time_s_source, roofs) * np.divide(occupancy_source, occupancy_target)
