"""The boat hull model of Nugteren and Corporaal (2012): execution time from an algorithm's class.

[Nugteren2012] C. Nugteren, H. Corporaal, "The boat hull model: enabling performance prediction for parallel computing
prior to code development", Computing Frontiers 2012. Its ``w, m, o, d, c, u`` are the arguments ``work_units,
applications_per_unit, offset_ops, bytes_total, bytes_coalesced, bytes_uncoalesced``.

Plain arithmetic on floats or arrays: a scheduler evaluates these on floats in under a microsecond.
"""

from __future__ import annotations

import numpy as np

from roofcast.formulas.values import Values


def compute_time_s(
    work_units: Values, complexity: Values, applications_per_unit: Values, offset_ops: Values, ops_per_s: Values
) -> Values:
    r"""Time of the compute roof of a class, for GPUs and CPUs.

    .. math:: c_0 = \frac{w \, (f_{complexity} \, m + o)}{P_{compute}}

    work_units : (...) 1. w, parallel units of work, > 0.
    complexity : (...) OP. f, operations of one application of the class's function, >= 0.
    applications_per_unit : (...) 1. m, applications of the function per unit, >= 1.
    offset_ops : (...) OP. o, what a unit spends on indices and pre-loading, >= 0.
    ops_per_s : (...) OP/s. P_compute.

    Source: [Nugteren2012] section 4.2.

    >>> w = 2048 * 2048  # the CPU example of section 4.4: o = 4, m = 1 on the i7-930 (Table 3)
    >>> round(compute_time_s(w, 996, 1, 4, 90e9) * 1e3, 1)
    46.6
    """
    return work_units * (complexity * applications_per_unit + offset_ops) / ops_per_s


def compute_time_s_without_fma(time_s_compute: Values) -> Values:
    r"""Compute floor of a GPU: additions and multiplications apart take two instructions.

    .. math:: c_1 = 2 \, c_0

    Unlike the text as printed (c0 / 2), which would be faster than the roof that it is a floor of.

    time_s_compute : (...) s. c0.

    Source: [Nugteren2012] section 4.2.

    >>> compute_time_s_without_fma(1.5e-3)
    0.003
    """
    return 2 * time_s_compute


def compute_time_s_of_code(time_s_compute: Values, lanes_unused: Values, threads_unused: Values) -> Values:
    r"""Compute floors of a CPU: scalar code, one thread, or both.

    .. math:: c_1 = W c_0, \quad c_2 = N c_0, \quad c_3 = W N c_0

    Unlike the text as printed (quotients), which would be faster than the roof; W is the number of lanes, which is what
    the measured factor of 4 at 128 bits and 32-bit elements confirms.

    time_s_compute : (...) s. c0.
    lanes_unused : (...) 1. W_vector in lanes for scalar code, 1 for vector code.
    threads_unused : (...) 1. N_threads for one thread, 1 where all are used.

    Source: [Nugteren2012] section 4.4.

    >>> compute_time_s_of_code(0.5, 4, 8)
    16.0
    """
    return time_s_compute * lanes_unused * threads_unused


def memory_time_s(
    bytes_coalesced: Values,
    bytes_uncoalesced: Values,
    bytes_per_s_coalesced: Values,
    bytes_per_s_uncoalesced: Values,
) -> Values:
    r"""Time of the memory roof of a class on a GPU.

    .. math:: m_0 = \frac{c}{P_{coalesced}} + \frac{u}{P_{uncoalesced}}

    bytes_coalesced : (...) B. c times the element size, >= 0.
    bytes_uncoalesced : (...) B. u times the element size, >= 0.
    bytes_per_s_coalesced, bytes_per_s_uncoalesced : (...) B/s of useful bytes.

    Source: [Nugteren2012] section 4.2; section 4.1 has the sum of a vector as example.

    >>> K = 262144  # reads K elements coalesced, writes one uncoalesced; GTX 470 (Table 2)
    >>> round(memory_time_s(4 * K, 4, 95e9, 5.9e9) * 1e6, 1)
    11.0
    """
    return bytes_coalesced / bytes_per_s_coalesced + bytes_uncoalesced / bytes_per_s_uncoalesced


def scattered_time_s(bytes_total: Values, bytes_per_s_uncoalesced: Values) -> Values:
    r"""Memory floor of a GPU: every access scattered.

    .. math:: m_1 = \frac{d}{P_{uncoalesced}}

    bytes_total : (...) B. d times the element size: input plus output.
    bytes_per_s_uncoalesced : (...) B/s of useful bytes.

    Source: [Nugteren2012] section 4.2.

    >>> round(scattered_time_s(4 * (1024 * 1024 + 1024), 5.9e9) * 1e3, 3)  # X-projection on the GTX 470
    0.712
    """
    return bytes_total / bytes_per_s_uncoalesced


def transfer_time_s(bytes_moved: Values, bytes_per_s_host_link: Values) -> Values:
    r"""Time to copy all input and output over the bus.

    .. math:: t_0 = \frac{d}{B_{bus}}

    bytes_moved : (...) B. d times the element size.
    bytes_per_s_host_link : (...) B/s.

    Source: [Nugteren2012] section 4.2.

    >>> round(transfer_time_s(4 * 1024 * 1024, 5.1e9) * 1e3, 2)  # the case study's image on the GTX 470
    0.82
    """
    return bytes_moved / bytes_per_s_host_link


def halo_elements(
    rows: Values, columns: Values, reach_rows: Values, reach_columns: Values, tile_rows: Values, tile_columns: Values
) -> tuple[Values, Values]:
    r"""Elements that blocks of a neighbourhood class read beyond their own: coalesced alpha, scattered beta.

    A block of ``tile_rows x tile_columns`` outputs pre-loads its inputs into on-chip memory. The rows above and below
    it are read along the row, like the block's own (alpha); the columns beside it, corners included, are a few elements
    of each row (beta).

    .. math::
        \alpha = \frac{A B}{T_r T_c} (N - 1) T_c, \qquad \beta = \frac{A B}{T_r T_c} (M - 1) (T_r + N - 1)

    The source uses both and leaves their expressions out (Table 1); this derivation is ours.

    rows, columns : (...) 1. A, B.
    reach_rows, reach_columns : (...) 1. N, M of the neighbourhood, >= 1.
    tile_rows, tile_columns : (...) 1. T_r, T_c, outputs of a block.

    >>> halo_elements(1024, 1024, 1, 1, 16, 16)
    (0.0, 0.0)
    >>> [round(x / 1024**2, 3) for x in halo_elements(1024, 1024, 7, 7, 16, 16)]
    [0.375, 0.516]
    """
    blocks = rows * columns / (tile_rows * tile_columns)
    along = blocks * (reach_rows - 1) * tile_columns
    beside = blocks * (reach_columns - 1) * (tile_rows + reach_rows - 1)
    return along, beside


def miss_fraction(working_set_bytes: Values, capacity_bytes: Values) -> Values:
    r"""Share of repeated accesses that a cache of this capacity does not hold, of a kernel run again on the same data.

    .. math:: \mathrm{clip}((ws / C - 0.9) / 0.3, 0, 1)

    working_set_bytes : (...) B. Distinct bytes touched.
    capacity_bytes : (...) B. > 0.

    Source: fitted on public element-wise measurements of eight GPUs; nothing of it is in [Nugteren2012].

    >>> miss_fraction(10e6, 40e6), miss_fraction(80e6, 40e6)
    (0.0, 1.0)
    """
    share = np.clip((np.divide(working_set_bytes, capacity_bytes) - 0.9) / 0.3, 0.0, 1.0)
    return share if isinstance(working_set_bytes, np.ndarray) else float(share)
