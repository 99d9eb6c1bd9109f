"""How the mechanistic model combines resources, floors and what neither explains.

[Fits] are the project's own cross-validated fits on public measurements (docs/accuracy.md).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from roofcast.formulas.values import FloatArray, Values


def overlapped_s(terms: Sequence[Values], p: float) -> FloatArray:
    r"""Seconds of resources that overlap, but not perfectly.

    .. math:: C = \Big(\sum_i \tau_i^p\Big)^{1/p}

    terms : (...) s each, tau_i; NaN counts as unused. p : 1 = one after the other, infinite = the slowest hides all.
    Source: p-norm roofline, e.g. J. Choi, R. Vuduc et al., "A roofline model of energy", IPDPS 2013, for the two ends.

    >>> round(float(overlapped_s([3.0, 4.0], 2.0)), 9)
    5.0
    """
    slowest: FloatArray = np.asarray(0.0)
    for term in terms:
        slowest = np.fmax(slowest, term)
    if len(terms) < 2:
        return slowest
    # Relative to the slowest, so that no power leaves the range of floats.
    unit = np.where(slowest > 0, slowest, 1.0)
    total: FloatArray = np.asarray(0.0)
    for term in terms:
        part = np.power(np.divide(term, unit), p)
        total = total + np.where(np.isnan(part), 0.0, part)
    return np.asarray(slowest * np.power(total, 1.0 / p))


def unexplained_s(time_s: Values, roofs_s: Values, q: float) -> FloatArray:
    r"""Seconds that must join the roofs' to give what was measured; 0 where the roofs alone need as much.

    .. math:: R = (T^q - \min(C, T)^q)^{1/q}

    time_s : (...) s. T, without the launch floor. roofs_s : (...) s. C. q : 1.
    Source: inverse of :func:`overlapped_s` for two terms.

    >>> round(float(unexplained_s(5.0, 4.0, 2.0)), 9), float(unexplained_s(5.0, 6.0, 2.0))
    (3.0, 0.0)
    """
    t = np.asarray(time_s, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        r = np.clip(np.asarray(roofs_s) / t, 0.0, 1.0)
    return np.asarray(t * np.power(1.0 - np.power(r, q), 1.0 / q))


def device_floor_s(fixed_s: Values, cycles: Values, clock_hz: Values) -> FloatArray:
    r"""Seconds of a launch that does nothing, as the device's own timer sees it.

    .. math:: a = a_0 + n / f

    fixed_s : (...) s. a_0. cycles : (...) 1. n, SM cycles. clock_hz : (...) Hz. f.
    Source: [Fits]; 2.3 us at 1.41 GHz, near the 2.6 us that the catalog's measurements have for an A100.

    >>> round(float(device_floor_s(1.2e-6, 1500.0, 1.5e9)) * 1e6, 3)
    2.2
    """
    return np.asarray(fixed_s + np.divide(cycles, clock_hz))


def fill_fraction(grid_blocks: Values, sm_count: Values, exponent: Values) -> FloatArray:
    r"""Share of the SMs' work that a grid can use: SMs without a block, and the last, uneven wave.

    .. math:: F = \min(1, n / S) \, \Big(\frac{n / S}{\lceil n / S \rceil}\Big)^{e} \text{ for } n > S

    grid_blocks : (...) 1. n. sm_count : (...) 1. S. exponent : (...) 1. e, 1 = blocks of equal length.
    Source: counting; e from [Fits]. NaN (no geometry known) gives 1.

    >>> fill_fraction(np.array([54.0, 108.0, 162.0, np.nan]), 108, 1.0).tolist()
    [0.5, 1.0, 0.75, 1.0]
    """
    per_sm = np.divide(grid_blocks, sm_count)
    with np.errstate(invalid="ignore", divide="ignore"):
        uneven = np.where(per_sm > 1.0, np.power(per_sm / np.ceil(per_sm), exponent), 1.0)
    return np.asarray(np.where(np.isnan(per_sm), 1.0, np.minimum(per_sm, 1.0) * uneven))


def waves(grid_blocks: Values, sm_count: Values, blocks_per_sm: Values) -> FloatArray:
    r"""Waves of blocks that run one after the other, at least 1.

    .. math:: W = \max(1, n / (S B))

    grid_blocks : (...) 1. n. sm_count : (...) 1. S. blocks_per_sm : (...) 1. B, resident blocks. NaN gives 1.
    Source: counting (fractional: blocks start as others end).

    >>> waves(np.array([100.0, 4320.0]), 108, 10).tolist()
    [1.0, 4.0]
    """
    found = np.divide(grid_blocks, np.multiply(sm_count, blocks_per_sm))
    return np.asarray(np.where(found > 1.0, found, 1.0))


def whole_waves(fractional: Values) -> FloatArray:
    r"""Waves that start, the last one counted whole: what blocks that wait for latency take.

    .. math:: W' = \lceil W \rceil

    fractional : (...) 1. W, from :func:`waves`.
    Source: counting; a block that waits does not end earlier because its SM is half empty.

    >>> whole_waves(np.array([1.0, 1.07, 2.0])).tolist()
    [1.0, 2.0, 2.0]
    """
    # A hair below a whole number is that number: quotients of counts are not exact.
    return np.ceil(np.asarray(fractional, dtype=np.float64) - 1e-9)


BLOCKS_PER_CYCLE = 1.0
"""Blocks that the whole GPU starts per SM clock. The fastest of 440 HeCBench kernels start 0.96 (A100) and 1.04 (H100)
per clock, with one warp a block as with eight."""


def dispatch_s(grid_blocks: Values, clock_hz: Values) -> FloatArray:
    r"""Seconds that starting the blocks alone takes.

    .. math:: \tau = n / (r f)

    grid_blocks : (...) 1. n; NaN (no geometry known) gives 0. clock_hz : (...) Hz. f. r : blocks per cycle.

    >>> float(dispatch_s(1e6, 1e9)), float(dispatch_s(np.nan, 1e9))
    (0.001, 0.0)
    """
    return np.nan_to_num(np.asarray(grid_blocks) / (BLOCKS_PER_CYCLE * np.asarray(clock_hz)), nan=0.0)


INTEGERS_PER_FLOAT = 0.36
"""Integer instructions beside each floating-point one (NVIDIA, Turing architecture white paper, 2018: 36 per 100)."""


def mixed_instructions_s(fp32_per_s: Values, int32_per_s: Values, issued_per_s: Values) -> FloatArray:
    r"""Seconds per floating-point instruction of code with a usual share of integer instructions.

    .. math:: t = \max\left(\frac{1}{P_{fp}}, \frac{0.36}{P_{int}}, \frac{1.36}{P_{issue}}\right)

    fp32_per_s, int32_per_s, issued_per_s : (...) 1/s, instructions of single threads; NaN where one is unknown.
    Source: counting; :data:`INTEGERS_PER_FLOAT`.

    >>> [float(mixed_instructions_s(fp, 64.0, 128.0).round(5)) for fp in (64.0, 128.0)]
    [0.01562, 0.01062]
    """
    float_s, int_s = 1.0 / np.asarray(fp32_per_s), INTEGERS_PER_FLOAT / np.asarray(int32_per_s)
    return np.asarray(np.maximum(np.maximum(float_s, int_s), (1.0 + INTEGERS_PER_FLOAT) / np.asarray(issued_per_s)))


STEP_CYCLES = 150.0
"""Cycles of one step of a block's tree: two loads from shared memory, an addition, a store and a barrier among full
SMs. Sums of 256 values a block take 1,700 to 1,840 cycles a wave on an RTX 2080 Ti, a Titan V and an RTX 4070."""


def tree_s(waves_run: Values, block_threads: Values, latency_dram_cycles: Values, clock_hz: Values) -> FloatArray:
    r"""Seconds in which waves of blocks each load a value per thread and join them in pairs.

    .. math:: \tau = W \,(L + 150 \log_2 n) / f

    waves_run : (...) 1. W, fractional. block_threads : (...) 1. n. latency_dram_cycles : (...) SM cycles. L.
    clock_hz : (...) Hz. f. Source: counting; :data:`STEP_CYCLES`.

    >>> float(tree_s(2.0, 256.0, 600.0, 1e9))
    3.6e-06
    """
    steps = np.log2(np.asarray(block_threads, dtype=np.float64))
    return np.asarray(np.asarray(waves_run) * (latency_dram_cycles + STEP_CYCLES * steps) / np.asarray(clock_hz))


SERIAL_PER_CYCLE = 0.75
"""Atomic warp instructions per SM clock on one address: 0.61 to 0.89 over four GPUs and three HeCBench kernels that do
nothing else."""


def serial_fraction(per_cycle: Values) -> FloatArray:
    r"""How surely atomics wait for each other on one address: their rate is the one of one address.

    .. math:: s = \mathrm{clip}\left(\frac{x - 0.4}{0.4}\right) \mathrm{clip}\left(\frac{1.6 - x}{0.2}\right), \;
        x = \frac{\text{atomics per cycle}}{0.75}

    per_cycle : (...) 1, atomic warp instructions per SM clock; NaN gives 0. Fewer are not what limits the kernel; more
    cannot meet on one address.
    Source: [Fits] for the ends of the ramps.

    >>> serial_fraction(np.array([0.1, 0.7, 5.0, np.nan])).round(2).tolist()
    [0.0, 1.0, 0.0, 0.0]
    """
    x = np.nan_to_num(np.asarray(per_cycle, dtype=np.float64), posinf=0.0) / SERIAL_PER_CYCLE
    return np.asarray(np.clip((x - 0.4) / 0.4, 0.0, 1.0) * np.clip((1.6 - x) / 0.2, 0.0, 1.0))


def geometric_mix(a: Values, b: Values, share: Values) -> FloatArray:
    r"""Between two scalings: one cause's share of the seconds follows ``b``, the rest ``a``.

    .. math:: a^{1 - s} b^{s}

    >>> round(float(geometric_mix(1.0, 4.0, 0.5)), 9)
    2.0
    """
    s = np.asarray(share, dtype=np.float64)
    return np.power(np.asarray(a, dtype=np.float64), 1.0 - s) * np.power(np.asarray(b, dtype=np.float64), s)


def full_pass_fraction(lanes_per_pass: Values, half_width: float = 16.0) -> FloatArray:
    r"""Share of load/store passes that serve more than half a warp, if all others serve half of it.

    .. math:: f = \mathrm{clip}((l - h) / h, 0, 1)

    lanes_per_pass : (...) 1. l, lanes that access memory over passes. half_width : 1. h.
    Source: the load/store units of GA10x and Ada address 16 lanes per clock, so that a pass of 32 lanes takes two
    clocks and a pass of up to 16 lanes one.

    >>> full_pass_fraction(np.array([8.0, 24.0, 32.0])).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.clip((np.asarray(lanes_per_pass, dtype=np.float64) - half_width) / half_width, 0.0, 1.0)


def mixed_rate(rate_full: Values, rate_half: Values, full_fraction: Values) -> FloatArray:
    r"""Passes per second of a mix of full and half passes.

    .. math:: P = \left(\frac{f}{P_{full}} + \frac{1 - f}{P_{half}}\right)^{-1}

    >>> float(mixed_rate(1.0, 2.0, 0.5).round(6))
    1.333333
    """
    f = np.asarray(full_fraction, dtype=np.float64)
    return np.asarray(1.0 / (f / np.asarray(rate_full) + (1.0 - f) / np.asarray(rate_half)))
