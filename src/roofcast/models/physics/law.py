r"""The law without counters: what the roofs explain of the source time decides how much of it follows them.

.. math:: T_t = F_t + (T_s - F_s) \, e^{x}, \qquad x = (1 - m) \, y + m \ln\frac{T_{physics}}{T_s}

.. math:: y = \frac{1}{q} \ln\left(s \, r^q + (1 - s) \, b^q\right)
    + \frac{d \, u}{u + k_b} \, \mathrm{clip}(\ln u - u_0, -4, 2), \qquad s = \frac{u}{u + k}

.. math:: F_s = (1 - \min(u, 1)) \frac{t_0}{1 + t_0 / T_s}, \qquad
    F_s = (1 - \min(u_o, 1)) \frac{t_o^2 T_s}{t_o^2 + T_s^2} \text{ for modelled operators}

.. math:: \ln b = \beta \ln\frac{P_{s}}{P_{t}} + \varphi \ln\frac{C_{s}}{C_{t}} + \gamma \ln\frac{f_s}{f_t},
    \qquad \beta = \beta_0 + \frac{u}{u + k_b} (\beta_b - \beta_0)

T : s. F : s of launches and host, as given, else the estimate of the source on both sides. r : 1, all roofs of the
target over the source's. u : 1, share of the source time that its slowest roof explains. s : 1, how far the rest of the
time follows the roofs. u_o : 1, the share that an operator's own model explains, if that is more than u; what such a
model misses is taken of T_s - F_s. b : 1, how work of its kind usually scales: P bandwidth, C FP32 rate, f SM clock;
exponents pass from those of unknown bytes (0) to those of known ones (b) as the bytes explain more. d : 1, how far
a kernel that is slow for its amounts shrinks to the usual level on another architecture. m : 1, how far the causes'
own forecast is believed: where launch geometry is known, for recognised operators with a model, and for others as far
as u says that the roofs speak of this kernel.

Reason: a source time that the roofs explain is their time; one that they do not is launches, latency, or work that the
input does not state, and no constant ratio fits that. Seconds of roofs and of the rest add up rather than multiply
(q between 0, geometric, and 1, arithmetic), so that a pipe which the target has more of by a factor of thirty does not
promise thirty. Amounts that explain nothing leave the forecast of the time alone. Every exponent is at least 0 and s
depends on the source alone: more supply is never slower.

Taught by: all public families as their files are, each with names replaced by random words, and with amounts, FLOPs or
bytes taken away (:mod:`roofcast_evaluate.teach_law`); docs/accuracy.md has the errors with each family left out.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import FloatArray
from roofcast.core.records import dataclass
from roofcast.formulas.values import Values, or_zero

FILE = Path(__file__).with_name("law.json")

ANY, OPERATOR, NAMED = 0, 1, 2
"""Kinds of work: any kernel; a recognised operator; an operator of which only name and time are known."""

RATIO_MOST = 5.0
"""|ln| of a ratio beyond which GPUs have nothing in common."""
SHRINKS = (-4.0, 2.0)
LEAST = 0.05
"""Share of launches and host that stays, whatever device launches them."""
FLOORS_OF_A_CALL = 8.0
"""Up to so many launch floors a time that no roof explains may be several launches in one call."""
NO_REASON = 0.1
"""Below this share of the source time no roof is a reason for it."""
HOST_MOST = 0.95
"""Share of a source time that an estimated host may be."""
FLOOR_MOST = 0.97
"""Share of a source time that a given floor may be: the kernel ran as well."""


@dataclass(frozen=True)
class LawConstants:
    """Numbers of the law, each with the bounds of its fit; the defaults are where the fit begins."""

    half_share_bytes: float = 0.05
    """k with bytes: share of the source time at which half of the rest follows the roofs."""
    half_share_flops: float = 0.6
    """k with FLOPs alone: the bytes are unknown, not zero."""
    addition: float = 0.65
    """q: 0 geometric, 1 seconds add up."""
    host_s: float = 28e-6
    """t_0, s: what no roof explains of short times is launches and host."""
    host_operator_s: float = 70e-6
    """t_o, s: the same for what the model of an operator leaves open. A longer kernel hides its host."""
    bandwidth_known: float = 0.02
    """Exponents of b where bytes are known: what they leave open is hardly bandwidth."""
    fp32_known: float = 0.55
    clock_known: float = 0.4
    half_known: float = 0.05
    """k_b."""
    bandwidth: float = 0.74
    """Exponents of b where bytes are unknown."""
    fp32: float = 0.24
    clock: float = 0.2
    bandwidth_integer: float = 0.26
    """Exponents of b for work of stated integer precision; the rest of 1 is the integer rate's."""
    fp32_integer: float = 0.16
    shrinkage: float = 0.02
    """d."""
    usual_log_share: float = -1.4
    """u_0: logarithm of the usual utilisation."""
    operator_half_share: float = 0.06
    """k of recognised operators without a model of their own: m is u / (u + k)."""
    named_trust: float = 0.8
    """m of names with nothing but a time; of other kernels of known bytes and launch geometry it is 1."""

    def replace(self, **changes: float) -> LawConstants:
        """A copy with some constants changed."""
        return dataclasses.replace(self, **changes)


BOUNDS: Mapping[str, tuple[float, float]] = {
    "half_share_bytes": (0.03, 1.0),
    "half_share_flops": (0.03, 2.0),
    "addition": (0.4, 0.8),
    "host_s": (2e-6, 40e-6),
    "host_operator_s": (20e-6, 100e-6),
    "clock_known": (0.0, 0.5),
    "half_known": (0.003, 0.1),
    "clock": (0.0, 0.5),
    "shrinkage": (0.0, 0.1),
    "usual_log_share": (-3.0, 0.0),
    "operator_half_share": (0.01, 0.5),
    "named_trust": (0.8, 1.0),
}
"""Bounds of the fit; the others lie in [0, 1]."""


@dataclass(frozen=True)
class LawInputs:
    """What the law reads of n kernels on m targets; arrays broadcast to (n, m)."""

    time_s: FloatArray
    """T_s."""
    share: FloatArray
    """u; 0 where no roof is known."""
    bytes_known: NDArray[np.bool_]
    flops_known: NDArray[np.bool_]
    roofs: FloatArray
    """ln r; 0 where unknown."""
    bandwidth: FloatArray
    """ln of the source's DRAM rate over the target's."""
    fp32: FloatArray
    clock: FloatArray
    int32: FloatArray
    integer: NDArray[np.bool_]
    """Work of stated integer precision."""
    same_architecture: NDArray[np.bool_]
    other_code: NDArray[np.bool_]
    """Between vendors, or between two architectures of AMD: nothing compiled or tuned for one serves the other."""
    kind: NDArray[np.int8]
    """:data:`ANY`, :data:`OPERATOR` or :data:`NAMED`."""
    geometry: NDArray[np.bool_]
    """Whether blocks or threads of the launch are known."""
    physics: FloatArray
    """ln of the causes' forecast over T_s; NaN where they have none."""
    modelled: FloatArray
    """Share of T_s that the model of a recognised operator explains; 0 where none speaks."""
    kept: FloatArray
    """Part of what that model misses that travels, as a logarithm; 1 where none speaks."""
    device_source_s: FloatArray
    """s of a launch that does nothing, on the device alone."""
    device_target_s: FloatArray
    floor_source_s: FloatArray
    """s of an empty launch as the application sees it, as given; NaN where nobody gave it."""
    floor_target_s: FloatArray
    on_device: NDArray[np.bool_]
    """Times that the GPU recorded: nothing of a host is in them."""

    def flat(self) -> LawInputs:
        """The same with every array of (n m,)."""
        arrays = np.broadcast_arrays(*(getattr(self, f.name) for f in dataclasses.fields(self)))
        return LawInputs(*(np.ravel(a) for a in arrays))

    def select(self, chosen: NDArray[Any]) -> LawInputs:
        """Some pairs of flat inputs."""
        return LawInputs(*(getattr(self, f.name)[chosen] for f in dataclasses.fields(self)))


def saturate(share: Values, half: float) -> FloatArray:
    r"""Return how far a share of the source time is a reason: 0 for none of it, 1/2 at ``half``.

    .. math:: u / (u + k)

    share : (...) 1. u; at most 1.5 counts. half : 1. k.

    >>> saturate([0.0, 0.2, 1.0], 0.2).round(3).tolist()
    [0.0, 0.5, 0.833]
    """
    u = np.clip(share, 0.0, 1.5)
    return np.asarray(u / (u + half))


def power_mean(log_a: FloatArray, log_b: FloatArray, share: FloatArray, q: float) -> FloatArray:
    r"""Logarithm of the mean of two factors.

    .. math:: \frac{1}{q} \ln\left(s \, a^q + (1 - s) \, b^q\right)

    share : s, of a, in [0, 1]. q : > 0; towards 0 geometric, 1 arithmetic.

    >>> round(float(np.exp(power_mean(np.log(4.0), np.log(2.0), np.asarray(0.5), 1.0))), 9)
    3.0
    """
    return np.asarray(np.log(share * np.exp(q * log_a) + (1.0 - share) * np.exp(q * log_b)) / q)


def count_as_launches(floors: FloatArray, share: FloatArray) -> FloatArray:
    r"""Return how far a time is several launches in one call.

    .. math:: \mathrm{clip}((8 - n) / 4, 0, 1) \, \max(1 - u / 0.1, 0)

    floors : (...) 1. n, the time over a launch floor; NaN gives 0. share : (...) 1. u.

    >>> count_as_launches(np.array([3.0, 6.0, 3.0]), np.array([0.0, 0.0, 0.5])).tolist()
    [1.0, 0.5, 0.0]
    """
    few = np.clip((FLOORS_OF_A_CALL - np.nan_to_num(floors, nan=np.inf)) / (FLOORS_OF_A_CALL / 2), 0.0, 1.0)
    return np.asarray(few * np.maximum(1.0 - share / NO_REASON, 0.0))


def roofs_share(x: LawInputs, c: LawConstants) -> FloatArray:
    """s: how far what is not launches follows the roofs."""
    with_bytes, with_flops = saturate(x.share, c.half_share_bytes), saturate(x.share, c.half_share_flops)
    return np.where(x.bytes_known, with_bytes, np.where(x.flops_known, with_flops, 0.0))


def usual_log_ratio(x: LawInputs, c: LawConstants) -> FloatArray:
    """Logarithm of b: how work of its kind usually scales."""
    known = c.bandwidth_known * x.bandwidth + c.fp32_known * x.fp32 + c.clock_known * x.clock
    unknown = c.bandwidth * x.bandwidth + c.fp32 * x.fp32 + c.clock * x.clock
    rest = max(1.0 - c.bandwidth_integer - c.fp32_integer, 0.0)
    integer = c.bandwidth_integer * x.bandwidth + c.fp32_integer * x.fp32 + rest * x.int32
    unknown = np.where(x.integer, integer, unknown)
    share = np.where(x.bytes_known, saturate(x.share, c.half_known), 0.0)
    return np.asarray(unknown + share * (known - unknown))


def physics_trust(x: LawInputs, c: LawConstants) -> FloatArray:
    """m: how far the causes' own forecast is believed; 0 where they have none."""
    # A model of tiles and rows explains a low share of the roofs too.
    operator = np.where(x.modelled > 0, 1.0, saturate(x.share, c.operator_half_share))
    by_kind = np.select([x.kind == OPERATOR, x.kind == NAMED], [operator, c.named_trust], 0.0)
    launched = np.where(x.geometry & x.bytes_known, 1.0, 0.0)
    return np.where(np.isnan(x.physics), 0.0, np.where(x.kind == ANY, launched, by_kind))


def host_share(x: LawInputs, c: LawConstants) -> FloatArray:
    """Share of the source time that is launches and host, as nobody gave a floor."""
    open_share = 1.0 - np.clip(np.fmax(x.share, x.modelled), 0.0, 1.0)
    any_kernel = c.host_s / (x.time_s + c.host_s)
    operator = c.host_operator_s**2 / (x.time_s**2 + c.host_operator_s**2)
    return np.asarray(open_share * np.where(x.modelled > 0, operator, any_kernel))


def forecast_log_ratio(x: LawInputs, c: LawConstants) -> FloatArray:
    """(n, m) logarithm of the seconds on the target over the source's (the equations above)."""
    roofs = np.clip(x.roofs, -RATIO_MOST, RATIO_MOST)
    usual = np.clip(usual_log_ratio(x, c), -RATIO_MOST, RATIO_MOST)
    scaled = power_mean(roofs, usual, roofs_share(x, c), c.addition)
    slow = np.clip(np.log(np.clip(x.share, 1e-3, 1.5)) - c.usual_log_share, *SHRINKS) * saturate(x.share, c.half_known)
    scaled = scaled + np.where(x.bytes_known & ~x.same_architecture, c.shrinkage * slow, 0.0)
    trust, physics = physics_trust(x, c), np.clip(or_zero(x.physics), -RATIO_MOST, RATIO_MOST)
    host = host_share(x, c)
    # What a host takes is nothing that the model of the kernel misses.
    physics_alone = physics + (x.kept - 1.0) * np.log(1.0 - np.minimum(host, HOST_MOST))
    mixed = (1.0 - trust) * scaled + trust * physics_alone
    # The device's launch is a part of it, and differs between vendors.
    device = np.minimum(host * x.time_s / x.device_source_s, 1.0) * (x.device_target_s - x.device_source_s) / x.time_s
    estimated = np.log(np.maximum(host + device, LEAST * host) + (1.0 - host) * np.exp(mixed))
    given = np.minimum(x.floor_source_s / x.time_s, FLOOR_MOST)
    nobody_said = np.isnan(given) | np.isnan(x.floor_target_s)
    if nobody_said.all():
        return estimated
    # Where floors were given the causes have taken them into account already.
    several = count_as_launches(x.time_s / x.floor_source_s, x.share)
    scaled = (1.0 - several) * scaled + several * np.log(x.floor_target_s / x.floor_source_s)
    stated = np.log(x.floor_target_s / x.time_s + (1.0 - given) * np.exp(scaled))
    stated = (1.0 - trust) * stated + trust * physics
    return np.where(nobody_said, estimated, stated)


def constants_of(content: Mapping[str, float]) -> LawConstants:
    """Constants from a mapping of their names."""
    return LawConstants(**{f.name: float(content[f.name]) for f in dataclasses.fields(LawConstants)})


@lru_cache(maxsize=1)
def shipped_law() -> LawConstants:
    """The constants that come with roofcast.

    Raises
    ------
    RoofcastError : their file is absent or damaged.
    """
    try:
        return constants_of(json.loads(FILE.read_text(encoding="utf-8"))["constants"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RoofcastError("the constants of the law cannot be read: reinstall roofcast") from error
