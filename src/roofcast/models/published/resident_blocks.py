"""Resident blocks of kernels on machines: the exact allocation rules with the catalog's limits."""

from __future__ import annotations

import numpy as np

from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.formulas.occupancy import Residency, SmLimits, residency


def sm_limits(machines: Machines, carve_out_bytes: FloatArray | None = None) -> SmLimits:
    """Limits per SM of each cell's processor; NaN where the catalog does not know one.

    carve_out_bytes : shared memory per SM as configured for the launch, broadcastable to the cells; NaN, and no
        array, mean the largest configuration, which the driver takes when blocks need it.
    """
    largest = machines.gather("smem_per_sm_bytes")
    smem = largest if carve_out_bytes is None else np.where(carve_out_bytes > 0, carve_out_bytes, largest)
    return SmLimits(
        max_blocks=machines.gather("max_blocks_per_sm"),
        max_warps=machines.gather("max_warps_per_sm"),
        regs=machines.gather("regs_per_sm"),
        smem_bytes=smem,
        warp_size=machines.gather("warp_size"),
        max_threads_per_block=machines.gather("max_threads_per_block"),
        max_smem_bytes_per_block=machines.gather("smem_per_block_bytes"),
        reg_granularity=machines.gather("reg_alloc_granularity"),
        reg_alloc_per_block=machines.spread(machines.columns.told("reg_alloc_unit", lambda unit: unit == "block")) == 1,
        subpartitions=machines.gather("subpartitions_per_sm"),
        smem_granularity_bytes=machines.gather("smem_alloc_granularity_bytes"),
        smem_reserved_bytes_per_block=machines.gather("smem_reserved_per_block_bytes"),
    )


def residency_on(kernels: KernelTable, machines: Machines, carve_out_bytes: FloatArray | None = None) -> Residency:
    """Blocks and warps that each kernel keeps resident per SM; shapes (n, m).

    machines : index (n, 1) or (1, m).
    carve_out_bytes : see :func:`sm_limits`; ``smem_bytes_per_sm`` of the table holds for the source alone.
    """
    return residency(
        kernels.column("block_threads")[:, None],
        kernels.column("regs_per_thread")[:, None],
        kernels.column("smem_bytes_per_block")[:, None],
        sm_limits(machines, carve_out_bytes),
    )
