r"""How sure a choice is: draws of all programs' times on all candidates, whose errors are partly shared.

.. math:: \ln \hat T_{pc} = \ln T_{pc} + s_{pc} \left( \sqrt{S}\, f_c + \sqrt{1 - S}\, g_{pc} \right), \quad
    f_c = \sqrt{r_3}\, a + \sqrt{r_2 - r_3}\, b_{v(c)} + \sqrt{r_1 - r_2}\, d_{a(c)} + \sqrt{1 - r_1}\, e_{k(c)}

T : the forecast of program p on candidate c. s : standard deviation of its logarithm, from its interval. a, b, d, e :
one standard normal each for all candidates, per vendor, per architecture and per GPU; g has factors of its own for each
program. S : correlation of programs on one GPU. r1, r2, r3 : correlation of two GPUs of one architecture, of one
vendor, of two vendors. All four are measured (:mod:`roofcast.core.launch_totals`); the factors give exactly these
correlations.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.launch_totals import SHARED_BETWEEN, SHARED_PROGRAMS, Kinship, name_board
from roofcast.core.normal import deviations_around, share_below
from roofcast.core.processor import Processor

DRAWS = 20_000
"""Probabilities are known to 0.4 % of all."""
SEED = 22
"""Of the draws: the same question has the same chances."""


def correlate(a: Processor, b: Processor) -> float:
    """Correlation of the errors for two GPUs, as measured."""
    return SHARED_BETWEEN[Kinship.of(a, b)]


def sigma(low_s: float, high_s: float, coverage: float) -> float:
    """Standard deviation of the logarithm of a time whose interval is symmetric there."""
    if not (low_s > 0 and high_s > low_s and 0 < coverage < 1):
        return 0.0
    return 0.5 * math.log(high_s / low_s) / deviations_around(coverage)


def probability_less(a: tuple[float, float], b: tuple[float, float], correlation: float) -> float:
    r"""Probability that A is below B, of two log-normal amounts with correlated errors.

    .. math:: P = \Phi\left(\frac{\ln T_B - \ln T_A}{\sqrt{s_A^2 + s_B^2 - 2 r s_A s_B}}\right)

    a, b : (amount, standard deviation of the logarithm). correlation : r in [0, 1].

    >>> round(probability_less((1.0, 0.1), (1.1, 0.1), 0.0), 3), probability_less((1.0, 0.1), (1.0, 0.1), 0.5)
    (0.75, 0.5)
    """
    (of_a, s_a), (of_b, s_b) = a, b
    apart = math.log(of_b / of_a)
    variance = s_a**2 + s_b**2 - 2 * correlation * s_a * s_b
    if variance <= 1e-30:
        return 0.5 if apart == 0 else float(apart > 0)
    return share_below(apart / math.sqrt(variance))


def draw_errors(targets: Sequence[Processor], programs: int, draws: int = DRAWS, seed: int = SEED) -> FloatArray:
    """(draws, programs, candidates) standard normals with the correlations above.

    Each factor is drawn by its name, so that the errors of a candidate are the same whoever else is one.
    """
    levels = [SHARED_BETWEEN[k] for k in (Kinship.OTHER, Kinship.VENDOR, Kinship.ARCHITECTURE, Kinship.ONE)]
    steps = np.sqrt(np.diff([0.0, *levels]))
    groups = [
        [""] * len(targets), [p.vendor for p in targets], [p.architecture for p in targets], [*map(name_board, targets)]
    ]  # fmt: skip

    def of_candidates(program: int) -> FloatArray:
        errors = np.zeros((draws, len(targets)))
        for level, (step, group) in enumerate(zip(steps, groups, strict=True)):
            drawn = {name: np.random.default_rng([seed, program, level, zlib.crc32(name.encode())]) for name in group}
            normal = {name: step * draw.standard_normal(draws) for name, draw in drawn.items()}
            for j, name in enumerate(group):
                errors[:, j] += normal[name]
        return errors

    shared = math.sqrt(SHARED_PROGRAMS if programs > 1 else 1.0) * of_candidates(0)
    if programs == 1:
        return shared[:, None, :]
    private = math.sqrt(1 - SHARED_PROGRAMS)
    return np.stack([shared + private * of_candidates(p) for p in range(1, programs + 1)], axis=1)
