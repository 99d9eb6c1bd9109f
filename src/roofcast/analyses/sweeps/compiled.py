"""The compiled inner loop of sweeps: kernels x processors, both cores, nothing but tables and index arrays.

Needs the extra ``sweep`` (numba). The machine code is kept beside this file, or in numba's own cache folder.
"""

from __future__ import annotations

import math

from numba import njit, prange

VALID, BLIND, EXECUTION, KAPPA, LOG_ROOFS, LOG_REST, FOLLOWS, SHARE, BUSY, STARVED, LEAST = range(11)
WIDER = 11
WEIGHT, FACTOR, TO_LOW, TO_HIGH = range(15, 19)
INNER, SCALE_S, BLIND_S, BESIDE, FLIGHT, LATE = range(6)
DRAM, DRAM_INVERSE, SCALE_D, BLIND_D = range(4)
"""Columns of the tables: what one look-up needs lies side by side."""
SLAB = 512
"""Processors at a time: what a slab needs of the index arrays stays in the first-level cache."""


@njit(inline="always", error_model="numpy")
def cell(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917 - arrays, for numba
    i, s, d, m, table_s, table_d, factors, late_index, kernel, norms
):  # fmt: skip
    """Seconds of kernel i on processor m, and by how much its interval is wider than the base's."""
    p, q, norm = norms[0], norms[1], norms[2]
    total = table_d[i, d, DRAM]
    busy = kernel[i, BUSY]
    if busy > 0.0:
        starved = math.log1p(table_s[i, s, FLIGHT] * table_d[i, d, DRAM_INVERSE]) / norm - kernel[i, STARVED]
        if starved > 0.0:
            total *= math.exp(p * busy * starved)
    total += table_s[i, s, INNER]
    for j in range(factors.shape[0]):
        total += table_s[i, s, LATE + j] * factors[j, i, late_index[j, m]]
    log_all = math.log(total) / p
    if kernel[i, BLIND] > 0.0:
        log_ratio = table_s[i, s, BLIND_S] + table_d[i, d, BLIND_D]
    else:
        log_ratio = log_all - kernel[i, LOG_ROOFS]
    log_scale = table_s[i, s, SCALE_S] + table_d[i, d, SCALE_D] + kernel[i, FOLLOWS] * log_ratio
    done = math.exp(q * log_all) + math.exp(q * (kernel[i, LOG_REST] + log_scale))
    seconds = table_s[i, s, BESIDE] + kernel[i, KAPPA] * math.exp(math.log(done) / q)
    seconds = max(seconds, kernel[i, LEAST])
    if math.isnan(log_ratio) or math.isinf(log_ratio):
        seconds = math.nan
    apart = abs(log_scale - log_ratio)
    doubt = kernel[i, SHARE] * apart + norms[6] * abs(log_ratio)
    group = (doubt >= norms[3]) + (doubt >= norms[4]) + (doubt >= norms[5])
    return seconds * kernel[i, FACTOR], kernel[i, WIDER + group]


@njit(parallel=True, nogil=True, cache=True, error_model="numpy")
def accumulate(  # type: ignore[no-untyped-def]  # noqa: PLR0913, PLR0917 - arrays, for numba
    table_s, table_d, factors, kernel, norms, index_s, index_d, late_index, total, low, high, best, best_at, rows,
    every, every_low, every_high,
):  # fmt: skip
    """Add the weighted seconds of all kernels to each processor's; keep each kernel's best time per thread.

    total, low, high : (m,) s, added to. best, best_at : (threads, n) s and position; lowered where beaten.
    every, every_low, every_high : (kernels of the workload, m) s, every forecast in the kernel's row of ``rows``;
    without rows nothing is kept.
    """
    threads, kernels, count = best.shape[0], table_s.shape[0], index_s.shape[0]
    kept = every.shape[0] > 0
    for thread in prange(threads):
        first, last = count * thread // threads, count * (thread + 1) // threads
        for start in range(first, last, SLAB):
            stop = min(start + SLAB, last)
            for i in range(kernels):
                if kernel[i, VALID] == 0.0:
                    continue
                weight, row = kernel[i, WEIGHT], rows[i]
                to_low, to_high = kernel[i, TO_LOW], kernel[i, TO_HIGH]
                least, where = best[thread, i], best_at[thread, i]
                for m in range(start, stop):
                    seconds, wider = cell(
                        i, index_s[m], index_d[m], m, table_s, table_d, factors, late_index, kernel, norms
                    )  # fmt: skip
                    shortest, longest = seconds / (to_low * wider), seconds * to_high * wider
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
