r"""Kinds of kernels beside products: how fast their bytes, their elements and their rows pass.

.. math:: M = \frac{1}{h} \left(\left(\frac{\tau}{s}\right)^p + \left(\frac{E}{e \, S f}\right)^p
    + \left(\frac{W \lambda}{f}\right)^p\right)^{1/p} + \frac{R \, c}{S f} + \frac{d}{f}, \qquad
    h = \min\Big(1, \frac{q \, n}{S}\Big)

M : s of one kernel without its launch. tau : s that its bytes take (:func:`bus_s`). s : 1, share of the bandwidth that
such kernels reach. p : 1, how far these add up. n : channels of kernels that give each a block, q : 1, such blocks that
an SM needs; h is 1 for others. E : elements that threads address one by one. e : 1, elements that an SM handles in a
cycle. S : SMs. f : Hz, the SMs' clock. W : times that each thread waits for memory, one after the other.
:math:`\lambda` : cycles, latency of DRAM (:data:`LATENCY_CYCLES` where unknown). R : rows that a block, or its
reduction, starts with. c : cycles of a row on an SM. d : cycles of accesses to memory that wait for each other,
whatever the size.

Reason: a kernel whose threads compute an address per element is bound by instructions, not by the bus, whatever the
width of the element: broadcast additions in PyTorch pass 290 to 480 G elements/s on an H100 in FP32 as in half, and
fewer where DRAM takes as long (p = 2). A block per row costs the same for short rows as for long ones. Kernels of a few
KB take 1.3 us where they are vectorised, 2 to 3 where indices are computed, 3.5 to 4.5 where sums go through shared
memory twice: two to eight accesses of 650 cycles.

Taught by: operators and kernels by name of the H100 and the H200 (hopper_torch: ``ops.csv``, and ``model_kernels`` of
the models that are not held back); both GPUs have the same SMs and clocks and different memory, which tells s from e.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines, last_capacity_bytes, rate
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource


@dataclass(frozen=True)
class Work:
    """Constants of one kind of kernel."""

    bytes_share: float = 0.9
    """s, 1."""
    elements_per_cycle: float = math.inf
    """e, 1 per SM and cycle."""
    row_cycles: float = 0.0
    """c, cycles of an SM."""
    start_cycles: float = 0.0
    """d, cycles of the SMs' clock."""
    level: float = 0.0
    """Logarithm of what such kernels take over the model of the product (or attention) that they are."""
    spread: tuple[float, float] = (0.45, 0.55)
    """How far below and above the forecast 90 % of such kernels lie, as logarithms."""
    is_product: bool = False
    beside_usual: bool = False
    """Whether the level stands beside the usual one of their operation, or in its place."""
    power: float = 4.0
    """p"""
    channels_full: float = 1.15
    """Channels over SMs below which kernels that give each channel a block leave SMs idle."""
    is_warp_wide: bool = False
    """Whether such kernels multiply warp by warp, as Ampere does, on newer GPUs too: :data:`WARP_WIDE`."""
    bus_level: float | None = None
    """The level where DRAM and not a pipe decides; None: the same."""


REPEATED = "step of a layer"
"""Kind of a product whose weights were read just before."""
WORKS: Mapping[str, Work] = {
    REPEATED: Work(is_product=True, beside_usual=True),
    "vectorised": Work(1.0, start_cycles=700.0),
    "cast": Work(1.0, 1.7, start_cycles=2000.0, power=2.0),
    "strided": Work(1.0, 1.7, start_cycles=2000.0, power=2.0),
    "shuffled": Work(1.0, 0.9, start_cycles=2000.0, power=2.0),
    "drawn": Work(1.0, 3.5, start_cycles=700.0, power=2.0),
    "transposed": Work(elements_per_cycle=0.5, start_cycles=2600.0),
    "joined": Work(elements_per_cycle=0.61, start_cycles=3000.0),
    "layout": Work(elements_per_cycle=2.0, start_cycles=2500.0),
    "reduction": Work(0.75, 3.6, 55.0, start_cycles=5500.0),
    "reduction across": Work(0.9, 2.0, start_cycles=19000.0),
    "sums of columns": Work(0.75, 0.75, start_cycles=5500.0),
    "softmax rows": Work(1.0, 2.3, start_cycles=2000.0),
    "layer norm": Work(0.8, row_cycles=250.0, start_cycles=1000.0),
    "rms norm": Work(1.0, row_cycles=200.0, start_cycles=1000.0),
    "group norm": Work(0.9, 2.3),
    "batch norm": Work(1.0, 1.0, start_cycles=6000.0),
    "batch norm, backward": Work(1.0, 0.5, start_cycles=6000.0, channels_full=0.8),
    "batch norm, inner": Work(1.0, 2.0, start_cycles=3500.0),
    "batch norm, inner, backward": Work(1.0, 1.6, start_cycles=3500.0),
    "batch norm, inner, native": Work(0.8, 0.7, start_cycles=2500.0),
    "batch norm, inner, native, backward": Work(0.8, 0.9, start_cycles=6000.0),
    "batch norm, fixed": Work(0.9, 1.4, start_cycles=3500.0),
    "rows": Work(1.0, 1.0 / 160.0),
    "bags": Work(0.9, row_cycles=41.0, start_cycles=4000.0),
    "sorted rows": Work(0.9, 0.017),
    "random elements": Work(0.9, 0.4),
    "scatter": Work(0.9, 0.49, spread=(0.8, 1.0)),
    "scatter elements": Work(0.9, 0.28, spread=(0.8, 1.0)),
    "unknown": Work(0.7, spread=(0.7, 1.9)),
    "unknown, by columns": Work(0.7, 60.0, spread=(0.7, 4.6)),
    "columns": Work(0.9, 60.0, spread=(0.7, 0.9)),
    "sort": Work(0.9, 0.044),
    "radix": Work(0.7, start_cycles=11000.0),
    "selection": Work(0.9, 0.3, row_cycles=456.0),
    "scan": Work(0.8, 0.62),
    "windows": Work(0.85, 2.1, start_cycles=2600.0),
    "lists": Work(0.93),
    "scan, flat": Work(0.72),
    "fourier": Work(0.92),
    "depthwise": Work(0.9, 20.0, spread=(0.8, 1.0)),
    "depthwise, backward": Work(0.9, 7.0, spread=(0.8, 1.0)),
    "depthwise, native": Work(0.9, 8.7),
    "depthwise, any window": Work(0.9, 6.0),
    "depthwise, strict": Work(0.9, 6.0, spread=(0.8, 1.0)),
    "depthwise, strict, backward": Work(0.9, 2.1, spread=(0.8, 1.0)),
    "convolution": Work(level=0.02, is_product=True),
    "convolution, backward": Work(level=0.12, is_product=True),
    "convolution, strict": Work(level=0.2, spread=(0.8, 0.8), is_product=True),
    "convolution, strict, backward": Work(level=0.45, spread=(0.8, 0.9), is_product=True),
    "convolution, double": Work(0.9, 1.7, spread=(0.8, 0.9)),
    "convolution, double, backward": Work(0.9, 2.8, spread=(0.8, 0.9)),
    "attention": Work(level=-0.15, is_product=True, beside_usual=True, bus_level=-0.25),
    "attention, backward": Work(level=0.15, is_product=True, beside_usual=True),
    "attention, flash": Work(level=0.0, is_product=True, beside_usual=True, bus_level=-0.15, is_warp_wide=True),
    "attention, flash, backward": Work(level=0.25, is_product=True, beside_usual=True, is_warp_wide=True),
    "attention, flex": Work(level=0.2, spread=(1.6, 1.2), is_product=True, beside_usual=True, is_warp_wide=True),
    "attention, efficient": Work(level=0.65, is_product=True, beside_usual=True, bus_level=-0.15, is_warp_wide=True),
    "attention, efficient, backward": Work(level=0.5, is_product=True, beside_usual=True, is_warp_wide=True),
    "attention, strict": Work(level=0.8, is_product=True, beside_usual=True),
    "attention, strict, backward": Work(level=0.85, is_product=True, beside_usual=True),
    "few rows, strict": Work(level=0.37, is_product=True, beside_usual=True),
    "convolution, strict, few rows": Work(level=0.8, spread=(0.8, 0.8), is_product=True),
    "odd": Work(level=1.22, is_product=True, beside_usual=True, is_warp_wide=True, bus_level=0.0),
    "half odd": Work(level=0.22, is_product=True, beside_usual=True, is_warp_wide=True, bus_level=0.0),
}  # fmt: skip
"""Kind -> constants. Elements of depthwise convolutions are multiplications; ``native``: PyTorch's own kernel with its
window written out (by name in hopper_torch), ``any window``: with loops (two ConvMixers with windows of 9 x 9 on three
GPUs; MixNets and an EfficientFormer were left out). ``odd``: products on tensor pipes whose rows begin at no whole four
bytes (96 and 140 TFLOP/s on an H100 where aligned ones reach 660); half odd: at whole four, not at whole eight.
Softmax, norms, cats, gathers, sorts, scans and transforms: ``ops.csv`` of both GPUs. Batch norm in training: its
kernels in three models. ``sorted rows`` and ``radix``: kernels of a recommender. ``strided`` and ``cast``: traces of an
H100 with shapes. Few rows: FP32 products without tensor pipes reach 1.2 of 3 TB/s where they stream weights, 20 of 67
TFLOP/s beside (H100, 16 to 197 rows)."""
FEW_ROWS = 256.0
"""Rows of an FP32 product up to which it streams weights at a part of DRAM's rate."""
FEW_POSITIONS = 1024.0
"""Rows of FP32 products, and positions of FP32 convolutions, up to which that holds."""
LATENCY_CYCLES = 650.0
"""Of DRAM where the catalog knows none: the H100's."""
WARP_WIDE = 0.48
"""Logarithm of what a pipe of Hopper or a data centre's Blackwell yields to whole warp groups over what it yields to
single warps, which reach 0.62 of its peak [Luo2024]. Levels are those of GPUs without warp groups; kernels that were
compiled for Ampere take longer by this."""
WITH_WARP_GROUPS = ("sm_90", "sm_100", "sm_103")
"""Architectures whose tensor pipes take products of four warps at a time."""


@dataclass(frozen=True)
class WorkAmounts:
    """What n kernels move and address; arrays are (n, 1)."""

    moved: FloatArray
    """B"""
    touched: FloatArray
    """B at places of their own: fewer than moved where a result takes the place of an input."""
    elements: FloatArray
    rows: FloatArray
    waits: FloatArray
    channels: FloatArray
    """Of kernels that give each channel a block; else NaN."""

    def select(self, chosen: NDArray[np.intp]) -> WorkAmounts:
        """Those of some kernels."""
        return WorkAmounts(*(value[chosen] for value in vars(self).values()))


def work_s(work: Work, own: WorkAmounts, machines: Machines) -> FloatArray:
    """(n, m) M of kernels of one kind: the equation at the head."""
    sms = machines.gather("sm_count")
    cycles = sms * machines.clock_hz
    bus = bus_s(own.moved, own.touched, machines) / work.bytes_share
    elements_s = own.elements / (work.elements_per_cycle * cycles)
    latency = machines.gather("latency_cycles_dram")
    waited = own.waits * np.where(latency > 0, latency, LATENCY_CYCLES) / machines.clock_hz
    both = np.power(sum(np.power(part, work.power) for part in (bus, elements_s, waited)), 1.0 / work.power)
    full = np.minimum(1.0, work.channels_full * np.where(np.isnan(own.channels), np.inf, own.channels) / sms)
    return np.asarray(both / full + own.rows * work.row_cycles / cycles + work.start_cycles / machines.clock_hz)


def bus_s(moved: FloatArray, touched: FloatArray, machines: Machines) -> FloatArray:
    r"""(n, m) s that the bytes of kernels take that follow each other: what the kernel before wrote is still in L2.

    .. math:: \tau = V \left(\frac{1 - k}{B} + \frac{k}{\max(B, 0.6 B_{L2})}\right), \qquad
        k = 1 - \mathrm{clip}(2 W / C - 1, 0, 1)

    moved : (n, 1) B, V. touched : (n, 1) B at places of their own, W. B, B_L2 : B/s of DRAM and L2. C : B, capacity of
    the last cache. Reason: half of it belongs to what ran between. Taught by traces of an H100 (hopper_torch): 26 MB in
    place at 4.2 TB/s, 34 MB at 4.9, 51 MB in place, 67 MB and more at 3.0 to 3.3.
    """
    held_share = 1.0 - np.clip(2.0 * touched / machines.gather(last_capacity_bytes) - 1.0, 0.0, 1.0)
    held_share = np.nan_to_num(held_share)
    dram = moved / rate(machines, Resource.BYTES_DRAM)
    near = np.fmin(moved / (L2_SHARE * rate(machines, Resource.BYTES_L2)), dram)
    return np.asarray((1.0 - held_share) * dram + held_share * near)


L2_SHARE = 0.6
"""Of L2's rate for reading, for kernels that read and write."""
