"""What kernels use, ready for the formulas: amounts by resource with the fallbacks that the input's gaps call for.

Every fallback leaves a remark: counted, derived and assumed values stay apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.changes import AmountChanges
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines
from roofcast.core.records import dataclass
from roofcast.core.remarks import Remarks
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.formulas.roofline import BYTES_PER_WAVEFRONT_MAX
from roofcast.formulas.values import or_zero

PRECISIONS: dict[str, Resource] = {
    "fp64": Resource.FLOPS_FP64,
    "double": Resource.FLOPS_FP64,
    "fp32": Resource.FLOPS_FP32,
    "float": Resource.FLOPS_FP32,
    "single": Resource.FLOPS_FP32,
    "fp16": Resource.FLOPS_FP16,
    "half": Resource.FLOPS_FP16,
    "bf16": Resource.FLOPS_BF16,
    "tf32": Resource.FLOPS_TENSOR_TF32,
    "fp8": Resource.FLOPS_TENSOR_FP8,
    "fp4": Resource.FLOPS_TENSOR_FP4,
}
"""Pipe of ``flops`` where the table gives one number and a precision. A pipe is named explicitly in ``flops_*``."""

DRAM_VARIANTS: dict[str, float] = {"read": 0.0, "triad": 1 / 3, "copy": 0.5, "init": 1.0}
"""Kind of DRAM access -> share of its bytes that are writes."""

FMA_PARTS = {Resource.FLOPS_FP64: "fp64", Resource.FLOPS_FP32: "fp32", Resource.FLOPS_FP16: "fp16"}


@dataclass(frozen=True)
class Amounts:
    """Amounts of n kernels; every array is (n,), NaN where absent."""

    by_resource: Mapping[Resource, FloatArray]
    """All resources of which at least one kernel has an amount."""
    flops: Mapping[Resource, FloatArray]
    """The floating-point members of ``by_resource``; 0 where absent, so that they add up."""
    fma_fraction: Mapping[Resource, FloatArray]
    """Share of FMAs in the instructions, per precision; 1 where not counted."""
    bytes_shared_useful: FloatArray
    bytes_dram_write_fraction: FloatArray
    remarks: Remarks

    @property
    def flops_total(self) -> FloatArray:
        """(n,) FLOP over all pipes; 0 where none are known."""
        zero = np.zeros(self.remarks.size)
        return np.sum(list(self.flops.values()), axis=0) if self.flops else zero

    def flops_total_on_target(self, changes: AmountChanges | None) -> FloatArray:
        """(n, m) FLOP over all pipes on the targets, (n, 1) where nothing changes them."""
        if changes is None or not self.flops:
            return self.flops_total[:, None]
        return np.asarray(sum(changes.on_target(r, v[:, None]) for r, v in self.flops.items()))

    def get(self, resource: Resource) -> FloatArray:
        """(n,) amount of a resource; all NaN where no kernel has one."""
        amount = self.by_resource.get(resource)
        return amount if amount is not None else np.full(self.remarks.size, np.nan)


def amounts_of(kernels: KernelTable) -> Amounts:
    """Amounts of each kernel, with the gaps that an assumption can fill filled (and remarked)."""
    amounts = kernels.once("amounts", None, lambda: read_amounts(kernels))
    # Whoever asks may add remarks of its own.
    return replace(amounts, remarks=Remarks(len(kernels), [*amounts.remarks.entries]))


def read_amounts(kernels: KernelTable) -> Amounts:
    """The same, read from the table."""
    remarks = Remarks(len(kernels))
    by_resource = {r: kernels.column(r.value) for r in Resource if r.value in kernels.numeric}
    by_resource |= flops_by_pipe(kernels, remarks)
    by_resource[Resource.BYTES_SHARED] = bytes_shared(kernels, remarks)
    by_resource[Resource.BYTES_DRAM] = bytes_dram(kernels, remarks)
    by_resource = {r: np.where((v >= 0) & (v < np.inf), v, np.nan) for r, v in by_resource.items()}
    by_resource[Resource.BYTES_HOST_LINK] = bytes_from_host(kernels, by_resource, remarks)
    by_resource = {r: v for r, v in by_resource.items() if not np.isnan(v).all()}
    flops = {r: or_zero(v) for r, v in by_resource.items() if r in FLOPS_VECTOR + FLOPS_TENSOR}
    fma = {r: fma_fraction(kernels, r, flops[r], remarks) for r in flops if r in FMA_PARTS}
    useful = kernels.column("bytes_shared_useful")
    wavefront_bytes = by_resource.get(Resource.BYTES_SHARED, useful)
    read, write = kernels.column("bytes_dram_read"), kernels.column("bytes_dram_write")
    with quietly():
        share = write / (read + write)
    return Amounts(by_resource, flops, fma, np.where(useful > 0, useful, wavefront_bytes), share, remarks)


def is_from_code(kernels: KernelTable) -> NDArray[np.bool_]:
    """(n,) rows that were read from source code: loads in turn are known, or why not, and no time was measured."""
    measured = kernels.origin_of("time_s") == Origin.COUNTED
    return np.asarray((np.isfinite(kernels.column("loads_in_turn")) | (kernels.strings("refused") != "")) & ~measured)


def flops_by_pipe(kernels: KernelTable, remarks: Remarks) -> dict[Resource, FloatArray]:
    """FLOPs per pipe; ``flops`` goes to the pipe that ``precision`` names, where no pipe was counted."""
    pipes = [r for r in FLOPS_VECTOR + FLOPS_TENSOR if r.value in kernels.numeric]
    flops = {r: kernels.column(r.value) for r in pipes}
    phantom = kernels.column("flops_phantom_fp16")
    if Resource.FLOPS_FP16 in flops and (phantom > 0).any():
        remarks.add(phantom > 0, "register moves that the hardware counts as FP16 work are left out")
    lump = kernels.column("flops")
    unsplit = (lump >= 0) & (lump < np.inf) & (np.isnan(np.stack(list(flops.values()))).all(axis=0) if flops else True)
    if not unsplit.any():
        return flops
    names = np.array([str(p).strip().lower() for p in kernels.strings("precision")], dtype=np.object_)
    for name in set(names[unsplit]):
        rows = unsplit & (names == name)
        pipe = PRECISIONS.get(name, Resource.FLOPS_FP32)
        flops[pipe] = np.where(rows, lump, flops.get(pipe, np.full(len(kernels), np.nan)))
        if name not in PRECISIONS:
            remarks.add(rows & (lump > 0), "FLOPs are FP32 (the input names no precision that roofcast knows)")
    return flops


def bytes_shared(kernels: KernelTable, remarks: Remarks) -> FloatArray:
    """Shared-memory passes x 128 B: what the hardware spends, bank conflicts included."""
    spent = kernels.column(Resource.BYTES_SHARED.value)
    spent = np.where(np.isnan(spent), kernels.column("shared_wavefronts") * BYTES_PER_WAVEFRONT_MAX, spent)
    useful = kernels.column("bytes_shared_useful")
    unknown = np.isnan(spent) & ~np.isnan(useful)
    remarks.add(unknown, "no shared-memory bank conflicts (passes not counted)")
    return np.where(unknown, useful, spent)


def bytes_dram(kernels: KernelTable, remarks: Remarks) -> FloatArray:
    """DRAM bytes: counted, else reads + writes, else the least that the kernel must move."""
    counted = kernels.column(Resource.BYTES_DRAM.value)
    both = kernels.column("bytes_dram_read") + kernels.column("bytes_dram_write")
    counted = np.where(np.isnan(counted), both, counted)
    least = kernels.column("bytes_compulsory")
    unknown = np.isnan(counted) & (least > 0)
    remarks.add(unknown, "DRAM bytes are the least that the kernel must move (not counted)")
    return np.where(unknown, least, counted)


FROM_HOST = "L2 misses that no DRAM served are taken for the host's memory, read over the link"
FROM_HOST_LEAST = 1e6
"""B below which counters of single launches do not tell which level served a miss."""
FROM_HOST_SHARE = 0.9
"""Of L2's misses, which must be missing in DRAM: zerocopy of HeCBench has 1.00 on four GPUs, no other of 260 programs
without atomics more than 0.87."""
FROM_HOST_RATES = (1e9, 64e9)
"""B/s between which links to the host are: one lane of PCIe 3.0, 16 of PCIe 5.0, one way."""


@quietly()
def bytes_from_host(
    kernels: KernelTable, found: Mapping[Resource, FloatArray], remarks: Remarks
) -> FloatArray:  # fmt: skip
    r"""Bytes that a kernel reads from the host's memory (zero copy), where nobody counted them.

    .. math:: B = V_{L2} (1 - h) - V_{DRAM}

    V : B counted, found: by resource. h : hit rate of L2. Reason: what misses in L2 is served by DRAM or by the host.
    NaN where B is no nine tenths of the misses, or no rate of a link. Atomics are counted as misses on some GPUs.
    """
    stated, none = kernels.column(Resource.BYTES_HOST_LINK.value), np.full(len(kernels), np.nan)
    missed = found.get(Resource.BYTES_L2, none) * (1.0 - kernels.column("l2_hit_fraction"))
    served = missed - kernels.column(Resource.BYTES_DRAM.value)
    per_s, (least, most) = served / kernels.column("time_s"), FROM_HOST_RATES
    rows = (missed > FROM_HOST_LEAST) & (served > FROM_HOST_SHARE * missed) & (per_s > least) & (per_s < most)
    rows &= np.isnan(stated) & ~(kernels.column("atomic_inst_fraction") > 0)
    remarks.add(rows, FROM_HOST)
    return np.where(rows, served, stated)


def fma_fraction(kernels: KernelTable, pipe: Resource, flops: FloatArray, remarks: Remarks) -> FloatArray:
    """Share of FMAs in the instructions of a precision; 1, remarked, where they were not counted."""
    part = FMA_PARTS[pipe]
    add, mul, fma = (kernels.column(f"insts_{part}_{kind}") for kind in ("add", "mul", "fma"))
    with quietly():
        share = fma / (add + mul + fma)
    unknown = np.isnan(share)
    remarks.add(unknown & (flops > 0), f"every {pipe.label} operation is part of an FMA (mix not counted)")
    return np.where(unknown, 1.0, share)


def active_fraction(kernels: KernelTable, sources: Machines, remarks: Remarks) -> FloatArray:
    """(n,) active threads per warp instruction over the source's warp size, in (0, 1]."""
    share = kernels.column("threads_per_inst") / sources.gather("warp_size")
    known = share > 0
    remarks.add(~known, "all lanes of a warp are active (threads per instruction not counted)")
    return np.where(known, np.minimum(share, 1.0), 1.0)


def dram_variant(write_fraction: FloatArray) -> NDArray[np.intp]:
    """(n,) position in :data:`DRAM_VARIANTS` of the access kind nearest to a write share; -1 where unknown.

    >>> dram_variant(np.array([0.0, 0.3, 0.45, 1.0, np.nan])).tolist()
    [0, 1, 2, 3, -1]
    """
    shares = np.array(list(DRAM_VARIANTS.values()))
    known = ~np.isnan(write_fraction)
    nearest = np.abs(np.where(known, write_fraction, 0.0)[:, None] - shares).argmin(axis=1)
    return np.where(known, nearest, -1)


NO_SOURCE = "source GPU unknown: give --from GPU"
NO_TIME = "no duration: collect with ncu --metrics gpu__time_duration.sum"
NO_AMOUNTS = "needs bytes or FLOPs: collect with ncu --set full (roofcast inspect names the least set of metrics)"
NO_WORK = "all counted bytes and FLOPs are 0: nothing to project"
NO_SUPPLY = "the catalog knows no supply that both GPUs have for what this kernel uses"
NO_DOUBLES = "no supply of FP64 that both GPUs have, and this kernel computes in FP64"
DOUBLES_LEAST = 0.05
"""Share of a kernel's FLOPs from which it needs FP64 units: a few conversions are emulated unnoticed."""


def double_precision_missing(amounts: Amounts, targets: Machines) -> NDArray[np.bool_]:
    """(n, m) where a kernel computes in FP64 and the target has no units for it (Arc A770, Iris Xe)."""
    none = np.isnan(targets.rate(Resource.FLOPS_FP64))
    doubles = or_zero(amounts.get(Resource.FLOPS_FP64)) + or_zero(amounts.get(Resource.FLOPS_TENSOR_FP64))
    return np.asarray(none & (doubles > DOUBLES_LEAST * amounts.flops_total)[:, None])


def reasons_of(
    amounts: Amounts, time_s: FloatArray, sources: Machines, absent: NDArray[np.bool_]
) -> NDArray[np.object_]:
    """(n, m) reason where there is no forecast, '' where there is one.

    time_s : (n,) measured seconds. absent : (n, m) where there is no forecast.
    """
    nothing = np.broadcast_to(np.array("", dtype=np.object_), absent.shape)
    if not absent.any():
        return nothing
    used = [v for r, v in amounts.by_resource.items() if r.is_memory or r in amounts.flops]
    counted = np.stack(used) if used else np.full((1, len(time_s)), np.nan)
    why = np.full(len(time_s), NO_SUPPLY, dtype=np.object_)
    doubles = or_zero(amounts.get(Resource.FLOPS_FP64)) > DOUBLES_LEAST * amounts.flops_total
    why[doubles] = NO_DOUBLES
    why[~(or_zero(counted) > 0).any(axis=0)] = NO_WORK
    why[np.isnan(counted).all(axis=0)] = NO_AMOUNTS
    why[~((time_s > 0) & (time_s < np.inf))] = NO_TIME
    why[np.broadcast_to(sources.index < 0, why.shape)] = NO_SOURCE
    return np.where(absent, why[:, None], nothing)
