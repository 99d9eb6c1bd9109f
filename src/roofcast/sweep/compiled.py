"""The compiled inner loop of sweeps: kernels x processors, both cores, nothing but tables and index arrays.

Needs the extra ``sweep`` (numba). The machine code is kept beside this file, or in numba's own cache folder.
"""

from __future__ import annotations

import math

from numba import njit, prange

VALID, BLIND, EXECUTION, KAPPA, LOG_ROOFS, LOG_REST, FOLLOWS, SHARE, BUSY, STARVED, LEAST = range(11)
SPREAD = 11
WEIGHT = 15
SLAB = 512
"""Processors at a time: what a slab needs of the index arrays stays in the first-level cache."""


@njit(inline="always", error_model="numpy")
def cell(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917 - arrays, for numba
    i, s, d, m, inner, scale_s, blind_s, beside, flight, dram, dram_inverse, scale_d, blind_d, late, factors,
    late_index, kernel, norms,
):  # fmt: skip
    """Seconds of kernel i on processor m, and the factor between them and the ends of the interval."""
    p, q, norm = norms[0], norms[1], norms[2]
    total = dram[i, d]
    busy = kernel[i, BUSY]
    if busy > 0.0:
        starved = math.log1p(flight[i, s] * dram_inverse[i, d]) / norm - kernel[i, STARVED]
        if starved > 0.0:
            total *= math.exp(p * busy * starved)
    total += inner[i, s]
    for j in range(late.shape[0]):
        total += late[j, i, s] * factors[j, i, late_index[j, m]]
    log_all = math.log(total) / p
    if kernel[i, BLIND] > 0.0:  # noqa: SIM108 - two different causes
        log_ratio = blind_s[i, s] + blind_d[i, d]
    else:
        log_ratio = log_all - kernel[i, LOG_ROOFS]
    log_scale = scale_s[i, s] + scale_d[i, d] + kernel[i, FOLLOWS] * log_ratio
    done = math.exp(q * log_all) + math.exp(q * (kernel[i, LOG_REST] + log_scale))
    seconds = beside[i, s] + kernel[i, KAPPA] * math.exp(math.log(done) / q)
    seconds = max(seconds, kernel[i, LEAST])
    if math.isnan(log_ratio) or math.isinf(log_ratio):
        seconds = math.nan
    apart = abs(log_scale - log_ratio)
    doubt = kernel[i, SHARE] * apart + norms[6] * abs(log_ratio)
    group = (doubt >= norms[3]) + (doubt >= norms[4]) + (doubt >= norms[5])
    return seconds, kernel[i, SPREAD + group]


@njit(parallel=True, nogil=True, cache=True, error_model="numpy")
def accumulate(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917 - arrays, for numba
    inner, scale_s, blind_s, beside, flight, dram, dram_inverse, scale_d, blind_d, late, factors, kernel, norms,
    index_s, index_d, late_index, total, low, high, best, best_at, rows, every, every_low, every_high,
):  # fmt: skip
    """Add the weighted seconds of all kernels to each processor's; keep each kernel's best time per thread.

    total, low, high : (m,) s, added to. best, best_at : (threads, n) s and position; lowered where beaten.
    every, every_low, every_high : (kernels of the workload, m) s, every forecast in the kernel's row of ``rows``;
    without rows nothing is kept.
    """
    threads, kernels, count = best.shape[0], inner.shape[0], index_s.shape[0]
    kept = every.shape[0] > 0
    for thread in prange(threads):
        first, last = count * thread // threads, count * (thread + 1) // threads
        for start in range(first, last, SLAB):
            stop = min(start + SLAB, last)
            for i in range(kernels):
                if kernel[i, VALID] == 0.0:
                    continue
                weight, row = kernel[i, WEIGHT], rows[i]
                least, where = best[thread, i], best_at[thread, i]
                for m in range(start, stop):
                    seconds, spread = cell(
                        i, index_s[m], index_d[m], m, inner, scale_s, blind_s, beside, flight, dram, dram_inverse,
                        scale_d, blind_d, late, factors, late_index, kernel, norms,
                    )  # fmt: skip
                    shortest, longest = seconds / spread, seconds * spread
                    total[m] += weight * seconds
                    low[m] += weight * shortest
                    high[m] += weight * longest
                    if kept:
                        every[row, m] = seconds
                        every_low[row, m] = shortest
                        every_high[row, m] = longest
                    if seconds < least:
                        least, where = seconds, m
                best[thread, i], best_at[thread, i] = least, where
