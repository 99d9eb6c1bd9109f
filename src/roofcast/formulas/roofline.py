"""The roofline with kernel-specific ceilings, and its projection onto another GPU: Eq. 1-10 of [VanLanker2024].

``docs/references.md`` has the papers of the keys in brackets.

Every argument may be a number or an array; arrays broadcast. NaN stays NaN: what is absent is never zero.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roofcast.formulas.values import FloatArray, Values

BYTES_PER_WAVEFRONT_MAX = 128.0
"""B. N_ShM_pc^max: 32 banks of 4 bytes each ([VanLanker2024] sec. 2)."""


def attainable_flops_per_s(bytes_per_s: Values, flops_per_byte: Values, flops_per_s: Values) -> FloatArray:
    r"""Performance that a machine allows at an operational intensity.

    .. math:: roofline(OI) = \min(BW^{max} \, OI, Perf^{max}) \qquad (1)

    bytes_per_s : (...) B/s. BW, > 0.
    flops_per_byte : (...) FLOP/B. OI, >= 0.
    flops_per_s : (...) FLOP/s. Perf, > 0; infinite where no compute roof applies.

    Source: [VanLanker2024] Eq. 1, with the V100 of its Table 1: the ridge point lies at 8.14 FLOP/B.

    >>> [round(float(attainable_flops_per_s(846e9, oi, 6890e9)) / 1e9) for oi in (1.0, 8.0, 9.0)]
    [846, 6768, 6890]
    """
    return np.minimum(np.multiply(bytes_per_s, flops_per_byte), flops_per_s)


def flops_per_s_of_mix(
    flops_per_s_fma: Values, flops_per_s_add_mul: Values, insts_fma: Values, insts_add_mul: Values
) -> FloatArray:
    r"""Compute ceiling of a kernel's mix of fused and plain operations.

    .. math:: Perf^{mix}(k) = Perf^{max}_{FMA} \frac{N_{FMA}}{N_{FMA} + N_{ADD} + N_{MUL}}
              + Perf^{max}_{ADD\_MUL} \frac{N_{ADD} + N_{MUL}}{N_{FMA} + N_{ADD} + N_{MUL}} \qquad (2)

    flops_per_s_fma : (...) FLOP/s. Perf_FMA^max, every instruction an FMA.
    flops_per_s_add_mul : (...) FLOP/s. Perf_ADD_MUL^max, no instruction an FMA.
    insts_fma : (...) 1. N_FMA, >= 0.
    insts_add_mul : (...) 1. N_ADD + N_MUL, >= 0. NaN where both counts are 0: no mix.

    Source: [VanLanker2024] Eq. 2; example [Yang2020] sec. III: 58 % FMAs reach 5.3 of 6.7 TFLOP/s.

    >>> round(float(flops_per_s_of_mix(6.7e12, 6.7e12 / 2, 58, 42)) / 1e12, 1)
    5.3
    """
    fused, plain = np.asarray(insts_fma, dtype=np.float64), np.asarray(insts_add_mul, dtype=np.float64)
    total_insts = fused + plain
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(flops_per_s_fma * (fused / total_insts) + flops_per_s_add_mul * (plain / total_insts))


def flops_per_s_with_fma_fraction(flops_per_s_peak: Values, fma_fraction: Values) -> FloatArray:
    r"""Lower a compute ceiling to what an instruction mix with few FMAs can reach.

    .. math:: P_\alpha = P \, (2\alpha + (1 - \alpha)) / 2

    flops_per_s_peak : (...) FLOP/s. P, reached when every instruction is an FMA.
    fma_fraction : (...) 1. alpha, FMAs over all floating-point instructions, in [0, 1].

    Source: [Yang2020] sec. III (the special case of Eq. 2 in which plain operations run at half the FMA rate).

    >>> round(float(flops_per_s_with_fma_fraction(6.7e12, 0.58)) / 1e12, 1)
    5.3
    """
    alpha = np.asarray(fma_fraction, dtype=np.float64)
    return np.asarray(np.multiply(flops_per_s_peak, 2 * alpha + (1 - alpha)) / 2)


def flops_per_s_with_idle_lanes(flops_per_s_mix: Values, active_fraction: Values) -> FloatArray:
    r"""Compute ceiling of warps whose lanes are partly idle.

    .. math:: Perf^{ceil}(k) = \frac{active\_thr\_per\_instr}{warp\_size} \, Perf^{mix}(k) \qquad (3)

    flops_per_s_mix : (...) FLOP/s. Perf^mix of Eq. 2.
    active_fraction : (...) 1. Active threads per warp instruction over the warp size, in (0, 1].

    Source: [VanLanker2024] Eq. 3; example sec. 5.4: Quicksilver keeps about 6 of 32 threads active (V100 of Table 1).

    >>> round(float(flops_per_s_with_idle_lanes(6890e9, 6 / 32)) / 1e9)
    1292
    """
    return np.multiply(flops_per_s_mix, active_fraction)


def bytes_hit(bytes_traversing: Values, bytes_below: Values) -> FloatArray:
    r"""Bytes that a memory level serves itself.

    .. math:: N_{L1} = N^+_{L1} - N^+_{L2}, \quad N_{L2} = N^+_{L2} - N^+_{DRAM}, \quad N_{DRAM} = N^+_{DRAM}

    bytes_traversing : (...) B. N+ of the level, >= 0.
    bytes_below : (...) B. N+ of the next level, >= 0; 0 for the last level.

    Never negative: write-backs and prefetches can move more bytes below a level than kernels asked of it.
    Source: [VanLanker2024] sec. 2 ("that hits the memory level").

    >>> bytes_hit([100.0, 60.0, 80.0], [60.0, 80.0, 0.0]).tolist()
    [40.0, 0.0, 80.0]
    """
    return np.maximum(np.subtract(bytes_traversing, bytes_below), 0.0)


def transfer_time_s(bytes_hit: Values, bytes_per_s: Values) -> FloatArray:
    r"""Seconds that a memory level needs for the bytes that hit in it.

    .. math:: t_{mem}(k) = N_{mem}(k) / BW^{max}_{mem} \qquad (4)

    bytes_hit : (...) B. N_mem, >= 0.
    bytes_per_s : (...) B/s. BW_mem^max, > 0.

    Source: [VanLanker2024] Eq. 4; example: 1 GB through the DRAM of the V100 of Table 1.

    >>> round(float(transfer_time_s(1e9, 846e9)) * 1e3, 3)
    1.182
    """
    return np.divide(bytes_hit, bytes_per_s)


def shared_transfer_time_s(bytes_shared: Values, bytes_per_wavefront: Values, bytes_per_s: Values) -> FloatArray:
    r"""Seconds that shared memory needs, bank conflicts included.

    .. math:: t_{ShM}(k) = \frac{N_{ShM}(k)}{N_{ShM\_pc}(k)} \, \frac{N^{max}_{ShM\_pc}}{BW^{max}_{ShM}} \qquad (5)

    bytes_shared : (...) B. N_ShM, the useful bytes.
    bytes_per_wavefront : (...) B. N_ShM_pc, useful bytes per pass (clock cycle), in (0, 128].
    bytes_per_s : (...) B/s. BW_ShM^max, reached with 128 useful bytes per pass.

    Source: [VanLanker2024] Eq. 5; a 32-way bank conflict (4 useful bytes per pass) costs 32 times the seconds.

    >>> float(shared_transfer_time_s(1e9, 4, 14e12) / shared_transfer_time_s(1e9, 128, 14e12))
    32.0
    """
    return np.divide(bytes_shared, bytes_per_wavefront) * np.divide(BYTES_PER_WAVEFRONT_MAX, bytes_per_s)


def bytes_per_s_ceiling(bytes_hit: Sequence[Values], time_s: Sequence[Values]) -> FloatArray:
    r"""Bandwidth ceiling of a memory level for all data that traverse it: a weighted harmonic mean.

    .. math:: BW^{ceil}_{L1}(k) = \frac{N_{L1} + N_{ShM} + N_{L2} + N_{DRAM}}{t_{L1} + t_{ShM} + t_{L2} + t_{DRAM}}
              \qquad (6)
    .. math:: BW^{ceil}_{L2}(k) = \frac{N_{L2} + N_{DRAM}}{t_{L2} + t_{DRAM}} \qquad (7)
    .. math:: BW^{ceil}_{DRAM}(k) = N_{DRAM} / t_{DRAM} \qquad (8)

    bytes_hit : L arrays (...), B. N of the level and of each level below it (and of shared memory, for L1).
    time_s : L arrays (...), s. t of the same levels.

    Source: [VanLanker2024] Eq. 6-8; example: half of the bytes hit in the L2 of the V100 of Table 1.

    >>> t_l2, t_dram = transfer_time_s(1e9, 2460e9), transfer_time_s(1e9, 846e9)
    >>> round(float(bytes_per_s_ceiling([1e9, 1e9], [t_l2, t_dram])) / 1e9)
    1259
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(total(bytes_hit), total(time_s))


def total(terms: Sequence[Values]) -> FloatArray:
    """Sum of arrays that broadcast to one shape, from the first to the last."""
    result = np.asarray(terms[0], dtype=np.float64)
    for term in terms[1:]:
        result = np.add(result, term)
    return result


def projected_flops_per_s(
    flops_per_s_source: Values, roof_source_per_s: Values, roof_target_per_s: Values
) -> FloatArray:
    r"""Performance on the target: the share of the roof that the kernel reaches is kept.

    .. math:: Perf_t(mem, k) = \frac{Perf_s(k)}{roofline_{s,mem}(OI_{s,mem}, k)} \, roofline_{t,mem}(OI_{t,mem}, k)
              \qquad (9)

    flops_per_s_source : (...) FLOP/s. Perf_s, measured.
    roof_source_per_s : (...) FLOP/s. roofline_s,mem at the source's OI.
    roof_target_per_s : (...) FLOP/s. roofline_t,mem at the target's OI.

    Source: [VanLanker2024] Eq. 9; a DRAM-bound kernel at 80 % of the V100's roof, on the A100-40 of Table 1.

    >>> round(float(projected_flops_per_s(0.8 * 846e9, 846e9, 1375e9)) / 1e9)
    1100
    """
    return np.multiply(np.divide(flops_per_s_source, roof_source_per_s), roof_target_per_s)


def operational_intensity(flops: Values, bytes_traversing: Values) -> FloatArray:
    r"""FLOPs per byte that traverses a memory level.

    .. math:: OI_{mem}(k) = FLOP(k) / N^+_{mem}(k) \qquad (10)

    flops : (...) FLOP. >= 0.
    bytes_traversing : (...) B. N+_mem, >= 0; infinite intensity where 0.

    Source: [VanLanker2024] Eq. 10.

    >>> float(operational_intensity(2e9, 8e9))
    0.25
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(flops, bytes_traversing)
