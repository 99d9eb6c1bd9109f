"""Watts of a GPU from what it does per second: idle board, clocked SMs, operations and bytes at their joules.

[Arunkumar2019] table I, a K40: a fused multiply-add of a thread takes 0.05 nJ (FP64 0.16), an integer addition 0.07,
128 bytes from shared memory 5.5, from L1 6.0, 32 bytes from L2 4.0, all at 28 nm. Keys: ``docs/references.md``.
"""

from __future__ import annotations

import numpy as np

from roofcast.formulas.values import FloatArray, Values

NODES: dict[float, tuple[float, float]] = {
    65: (6.0, 0.70e9), 55: (5.0, 0.70e9), 40: (3.6, 0.80e9), 28: (2.5, 1.05e9), 20: (1.6, 1.1e9), 16: (1.0, 1.6e9),
    14: (1.0, 1.5e9), 12: (0.85, 1.7e9), 10: (0.8, 1.7e9), 8: (0.6, 1.8e9), 7: (0.5, 1.8e9), 6: (0.47, 2.2e9),
    5: (0.4, 2.5e9), 4: (0.38, 2.6e9), 3: (0.32, 2.6e9),
}  # fmt: skip
"""Node in nm -> joules of an operation over those at 16 nm, and the clock in Hz that its GPUs reach at full voltage.

28 to 16 nm: 0.4, between the K40 [Arunkumar2019] and the 1080 Ti of dvfs_hkbu (the foundry says 0.3 at equal speed).
The steps below are foundries' statements of power at equal speed (12FFN -5 to -25 %, 8LPP -45 %, N7 -50 to -60 %, N5
-30 % more, N4 -5 %, N3 -25 %), the lesser where they differ, since part of a GPU's energy is in wires. Clocks: the
usual highest boost of each node's cards in the catalog.
"""
VOLTAGE_LEAST = 0.45
"""Voltage at clock 0 over the full one, on the line through both: 0.63 of it at a third of the clock [Mei2017]."""


def voltage_share(clock_hz: Values, full_hz: Values) -> FloatArray:
    r"""Voltage over the one that the highest rated clock needs.

    .. math:: V / V_0 = \min(1, v + (1 - v) f / f_0)

    clock_hz : (...) Hz, f. full_hz : (...) Hz, f_0. v : ``VOLTAGE_LEAST``. Cards set beyond f_0 keep its voltage:
    offsets move the curve of voltage and clock sidewards (dvfs_hkbu: an operation takes the same from 1.6 to 2 GHz).

    >>> voltage_share(np.array([0.5, 1.0, 1.3]), 1.0).round(3).tolist()
    [0.725, 1.0, 1.0]
    """
    return np.minimum(1.0, VOLTAGE_LEAST + (1.0 - VOLTAGE_LEAST) * np.divide(clock_hz, full_hz))


def board_power_w(idle_w: Values, dynamic_j: Values, time_s: Values, board_w: Values) -> FloatArray:
    r"""Mean power of a launch, at most the board's.

    .. math:: P = \min(P_{board}, P_{idle} + E / T)

    idle_w, board_w : (...) W. dynamic_j : (...) J, E, of all that is switched and moved. time_s : (...) s.

    >>> float(board_power_w(50.0, 1.5, 0.01, 300.0)), float(board_power_w(50.0, 4.0, 0.01, 300.0))
    (200.0, 300.0)
    """
    return np.minimum(board_w, idle_w + np.divide(dynamic_j, time_s))


def clock_under_load_hz(
    dynamic_j: Values, idle_w: Values, board_w: Values, full_hz: Values, most_hz: Values
) -> FloatArray:
    r"""Highest clock at which a load keeps within the board's power.

    .. math:: P_{idle} + V(f)^2 \, j \, f = P_{board}, \quad f \le f_{most}

    dynamic_j : (...) J, j, switched per cycle at full voltage. full_hz, most_hz : (...) Hz, f_0 of
    :func:`voltage_share` and f_most. Bisected: the power rises with the clock.

    >>> float(clock_under_load_hz(1e-7, 50.0, 1000.0, 2e9, 1.5e9))
    1500000000.0
    >>> f = clock_under_load_hz(1e-7, 50.0, 150.0, 2e9, 1.5e9)
    >>> round(float(50.0 + voltage_share(f, 2e9) ** 2 * 1e-7 * f), 3)
    150.0
    """
    low, high = np.zeros(np.broadcast(dynamic_j, board_w, most_hz).shape), np.add(most_hz, 0.0)
    for _ in range(40):
        clock = 0.5 * (low + high)
        within = idle_w + voltage_share(clock, full_hz) ** 2 * dynamic_j * clock <= board_w
        low, high = np.where(within, clock, low), np.where(within, high, clock)
    return np.where(high >= most_hz, most_hz, low)


def energy_ends_j(
    energy_j: Values, time_s: Values, low_s: Values, high_s: Values, spread: Values, idle_w: Values, board_w: Values
) -> tuple[FloatArray, FloatArray]:
    r"""Ends of a launch's energy: independent doubts of time and power, within what idle and full boards take.

    .. math:: E_{low} = \max\big(P_{idle} T_{low}, E \, e^{-\sqrt{\ln^2(T / T_{low}) + \ln^2 u}}\big)

    and :math:`E_{high}` likewise, at most :math:`P_{board} T_{high}`. spread : (...) 1, u, factor on the power.

    >>> [round(float(v), 3) for v in energy_ends_j(10.0, 1.0, 0.5, 2.0, 1.0, 2.0, 15.0)]
    [5.0, 20.0]
    >>> [round(float(v), 3) for v in energy_ends_j(10.0, 1.0, 0.5, 2.0, 9.0, 2.0, 15.0)]
    [1.0, 30.0]
    """
    u = np.log(spread)
    low = energy_j * np.exp(-np.hypot(np.log(np.divide(time_s, low_s)), u))
    high = energy_j * np.exp(np.hypot(np.log(np.divide(high_s, time_s)), u))
    return np.maximum(low, np.multiply(idle_w, low_s)), np.minimum(high, np.multiply(board_w, high_s))
