r"""Kinds of kernels beside products: how fast their bytes, their elements and their rows pass.

.. math:: M = \left(\left(\frac{V}{s B}\right)^p + \left(\frac{E}{e \, S f}\right)^p
    + \left(\frac{W \lambda}{f}\right)^p\right)^{1/p} + \frac{R \, c}{S f} + \frac{d}{f}, \qquad p = 4

M : s of one kernel without its launch. V : B moved at least. B : DRAM's bandwidth, B/s. s : 1, share of it that such
kernels reach. E : elements that threads address one by one. e : 1, elements that an SM handles in a cycle. S : SMs. f
: Hz, the SMs' clock. W : times that each thread waits for memory, one after the other. :math:`\lambda` : cycles,
latency of DRAM (:data:`LATENCY_CYCLES` where unknown). R : rows that a block, or its reduction, starts with. c :
cycles of a row on an SM. d : cycles of accesses to memory that wait for each other, whatever the size.

Reason: a kernel whose threads compute an address per element is bound by instructions, not by the bus, whatever the
width of the element: broadcast additions in PyTorch pass 250 to 300 G elements/s on an H100 in FP32 as in half. A block
per row costs the same for short rows as for long ones. Kernels of a few KB take 1.3 us where they are vectorised, 2 to
3 where indices are computed, 3.5 to 4.5 where sums go through shared memory twice: two to eight accesses of 650 cycles.

Taught by: operators and kernels by name of the H100 and the H200 (hopper_torch: ``ops.csv``, and ``model_kernels`` of
the models that are not held back); both GPUs have the same SMs and clocks and different memory, which tells s from e.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from roofcast.core.kernel_table import FloatArray
from roofcast.core.machines import Machines, rate
from roofcast.core.resource import Resource

POWER = 4.0
"""1; p of the equation at the head."""


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


WORKS: Mapping[str, Work] = {
    "elementwise": Work(start_cycles=700.0),
    "cast": Work(elements_per_cycle=1.25, start_cycles=3000.0),
    "strided": Work(elements_per_cycle=1.05, start_cycles=2600.0),
    "transposed": Work(elements_per_cycle=0.5, start_cycles=2600.0),
    "joined": Work(elements_per_cycle=1.6, start_cycles=3000.0),
    "layout": Work(elements_per_cycle=2.0, start_cycles=2500.0),
    "reduction": Work(0.75, 3.6, 55.0, start_cycles=5500.0),
    "sums of columns": Work(0.75, 0.75, start_cycles=5500.0),
    "layer norm": Work(1.0, row_cycles=296.0, start_cycles=5000.0),
    "batch norm": Work(0.8, start_cycles=4000.0),
    "batch norm, fixed": Work(0.9, 1.4, start_cycles=3500.0),
    "rows": Work(0.9, row_cycles=158.0),
    "bags": Work(0.9, row_cycles=41.0, start_cycles=4000.0),
    "random elements": Work(0.9, 0.4),
    "scatter": Work(0.9, 0.49, spread=(0.8, 1.0)),
    "unknown": Work(0.7, spread=(0.7, 1.9)),
    "sort": Work(0.9, 0.044),
    "selection": Work(0.9, 0.3),
    "scan": Work(0.8, 0.62),
    "windows": Work(0.85, 2.1, start_cycles=2600.0),
    "lists": Work(0.93),
    "fourier": Work(0.55),
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
    "attention": Work(level=0.15, is_product=True, beside_usual=True),
    "attention, backward": Work(level=0.45, is_product=True, beside_usual=True),
    "attention, efficient": Work(level=1.05, is_product=True, beside_usual=True),
    "attention, efficient, backward": Work(level=0.8, is_product=True, beside_usual=True),
    "attention, strict": Work(level=0.8, is_product=True, beside_usual=True),
    "attention, strict, backward": Work(level=0.95, is_product=True, beside_usual=True),
    "few rows, strict": Work(level=0.37, is_product=True, beside_usual=True),
    "convolution, strict, few rows": Work(level=0.55, spread=(0.8, 0.8), is_product=True),
    "odd": Work(level=1.7, is_product=True, beside_usual=True),
    "half odd": Work(level=0.7, is_product=True, beside_usual=True),
}  # fmt: skip
"""Kind -> constants. Elements of depthwise convolutions are multiplications; ``native``: PyTorch's own kernel with its
window written out (by name in hopper_torch), ``any window``: with loops (two ConvMixers with windows of 9 x 9 on three
GPUs; MixNets and an EfficientFormer were left out). ``odd``: products on
tensor pipes whose rows begin at no whole four bytes (96 and 140 TFLOP/s on an H100 where aligned ones reach 660); half
odd: at whole four, not at whole eight. Few rows: FP32 products without tensor pipes reach 1.2 of 3 TB/s where they
stream weights, 20 of 67 TFLOP/s beside (H100, 16 to 197 rows)."""
FEW_ROWS = 256.0
"""Rows of an FP32 product up to which it streams weights at a part of DRAM's rate."""
FEW_POSITIONS = 1024.0
"""Rows of FP32 products, and positions of FP32 convolutions, up to which that holds."""
LATENCY_CYCLES = 650.0
"""Of DRAM where the catalog knows none: the H100's."""
CHANNELS_FULL = 1.3
"""Channels over SMs below which batch norm in training leaves SMs idle: it takes about one block for each."""


def work_s(
    work: Work, moved: FloatArray, elements: FloatArray, rows: FloatArray, waits: FloatArray, channels: FloatArray,
    machines: Machines,
) -> FloatArray:  # fmt: skip
    """(n, m) M of kernels of one kind: the equation at the head. moved, elements, rows, waits, channels : (n, 1).

    channels : NaN where the kernel is no batch norm that works channel by channel.
    """
    sms = machines.gather("sm_count")
    cycles = sms * machines.clock_hz
    bus = moved / (work.bytes_share * rate(machines, Resource.BYTES_DRAM))
    full = np.minimum(1.0, CHANNELS_FULL * np.where(np.isnan(channels), np.inf, channels) / sms)
    each = elements / (work.elements_per_cycle * cycles)
    latency = machines.gather("latency_cycles_dram")
    waited = waits * np.where(latency > 0, latency, LATENCY_CYCLES) / machines.clock_hz
    both = np.power(np.power(bus / full, POWER) + np.power(each, POWER) + np.power(waited, POWER), 1.0 / POWER)
    return np.asarray(both + rows * work.row_cycles / cycles + work.start_cycles / machines.clock_hz)
