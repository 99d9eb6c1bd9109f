"""What a few own measurements say of the next one: nested levels, shrunk towards what is usual."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.formulas.values import FloatArray

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Shares:
    """Parts of the variance of errors that measurements have in common; the rest is each one's own."""

    whole: float
    """Of all measurements."""
    group: float
    """Of those of one group, beside that."""
    member: float
    """Of those of one member of a group, beside that."""
    weight: float
    """nu_0: measurements that the usual variance counts for."""

    @property
    def own(self) -> float:
        """What nothing shares."""
        return 1.0 - self.whole - self.group - self.member


@dataclass(frozen=True)
class Posterior:
    """What n measurements say. g groups, k members."""

    shares: Shares
    level: FloatArray
    """(1 + g,) of all, and of each group beside that."""
    covariance: FloatArray
    """(1 + g, 1 + g) of the levels, over the scale."""
    group_of: Index
    """(k,) group of each member."""
    mean_of: FloatArray
    """(k,) mean error of each member."""
    kept_of: FloatArray
    """(k,) part of a member's own error that is believed."""
    scale: float
    """Variance over the usual one."""
    log_evidence: float
    """How well these shares foretell the errors, up to what all shares have in common."""

    def predict(self, group: Index, member: Index) -> tuple[FloatArray, FloatArray]:
        """(m,) mean and standard deviation of further errors, in units of the usual one.

        group, member : (m,) -1 where it was never measured; a known member's group counts.
        """
        known = member >= 0
        group = np.where(known, np.append(self.group_of, -1)[member], group)
        seen = group >= 0
        mean = self.level[0] + np.where(seen, np.append(self.level[1:], 0.0)[group], 0.0)
        at = np.where(seen, group + 1, 0)
        c = self.covariance
        upper = np.where(seen, c[0, 0] + 2.0 * c[0, at] + c[at, at], c[0, 0] + self.shares.group)
        share = np.where(known, np.append(self.kept_of, 0.0)[member], 0.0)
        mean = mean + share * (np.append(self.mean_of, 0.0)[member] - mean)
        variance = (1.0 - share) ** 2 * upper + (1.0 - share) * self.shares.member + self.shares.own
        return mean, np.sqrt(self.scale * variance)


def learn_levels(error: FloatArray, group: Index, member: Index, shares: Shares) -> Posterior:
    r"""Shrink errors towards zero, level by level: the normal-inverse-gamma posterior of nested effects.

    .. math::
        e_i = a + b_{g(i)} + c_{m(i)} + \epsilon_i, \quad
        (a, b, c, \epsilon) \sim N(0, s^2 (\rho_a, \rho_b, \rho_c, 1 - \rho_a - \rho_b - \rho_c)), \quad
        s^2 \sim \Gamma^{-1}(\nu_0 / 2, \nu_0 / 2)

        \bar e_m \sim N(a + b, s^2 D_m), \quad D_m = \rho_c + \frac{\rho_\epsilon}{n_m}, \quad
        \Lambda = Z^T D^{-1} Z + \mathrm{diag}(1 / \rho), \quad (a, b) = \Lambda^{-1} Z^T D^{-1} \bar e

        s^2 = \frac{\nu_0 + q}{\nu_0 + n}, \quad q = \sum_i \frac{(e_i - \bar e_m)^2}{\rho_\epsilon}
        + \sum_m \frac{\bar e_m^2}{D_m} - (Z^T D^{-1} \bar e)^T (a, b)

    error : (n,) each in units of its usual standard deviation. group, member : (n,) from 0; members are of one group.
    The mean of a member says all that its errors do, so that no matrix is larger than the groups are many.
    Source: [Gelman2013] chapters 3.3 and 15 (conjugate, nested normal levels).

    Without measurements nothing moves; equal errors of many members are believed whole.

    >>> shares = Shares(0.2, 0.2, 0.3, 8.0)
    >>> none = learn_levels(np.zeros(0), np.zeros(0, int), np.zeros(0, int), shares)
    >>> [round(float(v[0]), 6) for v in none.predict(np.array([-1]), np.array([-1]))]
    [0.0, 1.0]
    >>> many = learn_levels(np.ones(1000), np.zeros(1000, int), np.arange(1000), shares)
    >>> mean, deviation = many.predict(np.array([0]), np.array([-1]))
    >>> round(float(mean[0]), 2), float(deviation[0]) < 0.1
    (1.0, True)
    """
    members = int(member.max(initial=-1)) + 1
    size = np.bincount(member, minlength=members).astype(np.float64)
    mean_of = np.bincount(member, error, members) / size
    group_of = np.zeros(members, np.intp)
    group_of[member] = group
    width = shares.member + shares.own / size
    groups = int(group.max(initial=-1)) + 1
    # Precision of the levels: all, and each group; a member belongs to both.
    weight = np.bincount(group_of, 1.0 / width, groups)
    precision = np.diag(np.r_[1.0 / shares.whole + weight.sum(), 1.0 / shares.group + weight])
    precision[0, 1:] = precision[1:, 0] = weight
    covariance = np.linalg.inv(precision)
    pull = np.bincount(group_of, mean_of / width, groups)
    pull = np.r_[pull.sum(), pull]
    level = covariance @ pull
    within = float(np.sum((error - mean_of[member]) ** 2)) / shares.own
    misfit = within + float(np.sum(mean_of**2 / width)) - float(pull @ level)
    freedom, total = shares.weight + len(error), shares.weight + max(misfit, 0.0)
    log_det = float(np.sum((size - 1) * np.log(shares.own) + np.log(size * width))) + np.linalg.slogdet(precision)[1]
    log_det += np.log(shares.whole) + groups * np.log(shares.group)
    evidence = -0.5 * float(log_det) - 0.5 * freedom * np.log(total / shares.weight)
    return Posterior(
        shares, level, covariance, group_of, mean_of, shares.member / width, total / freedom, float(evidence)
    )  # fmt: skip


@dataclass(frozen=True)
class Mixture:
    """Several beliefs in how much is shared, each with what it then says."""

    parts: tuple[Posterior, ...]
    weights: FloatArray
    """(b,) how far each is believed after the measurements; they add up to 1."""

    def predict(self, group: Index, member: Index) -> tuple[FloatArray, FloatArray]:
        """As :meth:`Posterior.predict`: the mean of the beliefs, and the spread within and between them."""
        means, deviations = (np.stack(v) for v in zip(*(p.predict(group, member) for p in self.parts), strict=True))
        mean = self.weights @ means
        variance = self.weights @ (deviations**2 + (means - mean) ** 2)
        return mean, np.sqrt(variance)


def mix_beliefs(error: FloatArray, group: Index, member: Index, beliefs: dict[Shares, float]) -> Mixture:
    r"""The posterior of several beliefs in the shares: the measurements choose among them.

    .. math:: w_b \propto w_b^0 \, p(e \mid b), \quad
        \ln p(e \mid b) = -\tfrac12 \ln |K_b| - \tfrac{\nu_0 + n}{2} \ln\left(1 + \frac{q_b}{\nu_0}\right)

    K : covariance of the errors over the scale. q : their misfit (:func:`learn_levels`). beliefs : w^0 of each.
    Source: as :func:`learn_levels`, chapter 7 (marginal likelihood).

    >>> alike, apart = Shares(0.9, 0.02, 0.02, 8.0), Shares(0.02, 0.02, 0.02, 8.0)
    >>> same = mix_beliefs(np.full(20, 0.8), np.zeros(20, int), np.arange(20), {alike: 0.5, apart: 0.5})
    >>> bool(same.weights[0] > 0.99)
    True
    """
    parts = tuple(learn_levels(error, group, member, shares) for shares in beliefs)
    log_weight = np.log(np.array(list(beliefs.values()))) + np.array([p.log_evidence for p in parts])
    weight = np.exp(log_weight - log_weight.max())
    return Mixture(parts, weight / weight.sum())
