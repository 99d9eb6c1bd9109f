"""Every number of the library operators' models, each with its source.

Where no source is named: fitted to public operator times (neusight, llm_ops, deepbench, eleuther_gemm, llmcompass),
judged with each GPU left out in turn (docs/accuracy.md, "Library operators"). AMD's cycles per element are llmcompass's
of an MI210, and those of an MI300X in published operator tables (norms of 1,024 and 768 in bf16) are within a fifth.
"""

from __future__ import annotations

from dataclasses import field

from roofcast.core.records import dataclass


@dataclass(frozen=True)
class ProductConstants:
    """Constants of the tile model of matrix products."""

    tiles: tuple[tuple[int, int], ...]
    """Rows and columns of the tiles that libraries compile."""
    overhead: float
    """What a 64 x 64 tile takes longer, to load its operands."""
    crowding: float
    """Power of the tiles that an SM holds at a time, to say how many it needs for its whole rate: small tiles have few
    warps, and a lone one leaves schedulers without."""
    start_cycles: float
    """To start and end a kernel beside its launch."""
    tile_cycles: float
    """To fill and drain the pipeline of a tile."""
    pipe: float
    """Rate of the pipe over the peak, inside of the norm with the power limit."""
    l2: float
    """Panel bytes per second over the catalog's L2 rate."""
    lone_sm: float
    """Share of DRAM's rate that one SM draws, times the number of SMs that the GPU is sold with."""
    rereads: float
    """Part of what outgrows L2 that every wave reads again."""
    split_s: float
    """The second kernel of a split sum, s."""
    power_norm: float
    """Norm of the tiles' time and the power limit's."""
    kept: float
    """Part of what the model misses that another architecture's kernel misses too."""
    floor_share: float = 0.0
    """Part of a host's launch floor that comes before or after the kernel rather than beside it."""


TENSOR = ProductConstants(
    tiles=((256, 128), (128, 128), (128, 64), (64, 128), (64, 64), (64, 16)), overhead=0.072, crowding=0.17,
    start_cycles=2900.0, tile_cycles=3600.0, pipe=1.08, l2=2.7, lone_sm=5.8, rereads=0.56, split_s=2.1e-6,
    power_norm=6.7, kept=0.15, floor_share=0.6,
)  # fmt: skip
VECTOR = ProductConstants(
    tiles=((128, 128), (128, 64), (64, 128), (64, 64), (128, 32), (32, 128), (32, 32)), overhead=0.65, crowding=0.65,
    start_cycles=9000.0, tile_cycles=1950.0, pipe=1.49, l2=1.04, lone_sm=2.0, rereads=1.0, split_s=8e-6,
    power_norm=3.5, kept=0.15, floor_share=0.6,
)  # fmt: skip


@dataclass(frozen=True)
class RowConstants:
    """Constants of one kind of row operator."""

    bytes_share: float
    """Seconds per second that the bytes take at the triad rate."""
    cycles_per_element: float
    """SM cycles over elements."""
    row_cycles: float
    """Cycles to start and reduce a row, with 16 rows on an SM at a time."""
    floor_share: float
    """Part of a host's launch floor that comes before or after the kernel rather than beside it."""
    amd_cycles_per_element: float
    """The same on a CU of AMD: half the lanes per clock, and longer reductions."""
    amd_cycles_per_special: float
    """The same where every element takes exponentials, error functions and the like."""
    kept: float = 0.42
    """Part of what the model misses that another architecture's kernel misses too."""


@dataclass(frozen=True)
class LibraryConstants:
    """All of them."""

    tensor: ProductConstants = field(default_factory=lambda: TENSOR)
    vector: ProductConstants = field(default_factory=lambda: VECTOR)
    elementwise: RowConstants = field(default_factory=lambda: RowConstants(1.06, 0.1, 15.0, 0.48, 0.25, 1.0))
    softmax: RowConstants = field(default_factory=lambda: RowConstants(1.18, 0.45, 280.0, 0.66, 2.0, 2.0))
    normalisation: RowConstants = field(default_factory=lambda: RowConstants(1.6, 0.5, 330.0, 0.7, 1.6, 1.6))
    experts_share: float = 0.5
    """How far fused experts follow the roofs alone."""
    experts_kept: float = 0.85
    """What of their efficiency travels then."""
