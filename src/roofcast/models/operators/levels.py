"""Every number of the library operators' models, each with its source.

Where no source is named: fitted to public operator times (neusight, llm_ops, deepbench, eleuther_gemm, llmcompass),
judged with each GPU left out in turn (docs/accuracy.md, "Library operators"). AMD's cycles per element are llmcompass's
of an MI210, and those of an MI300X in published operator tables (norms of 1,024 and 768 in bf16) are within a fifth.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class ProductConstants:
    """Constants of the tile model of matrix products."""

    tiles: tuple[tuple[int, int], ...]
    """Rows and columns of the tiles that libraries compile."""
    fourth_power: bool
    """Norm over pipe, L2 and DRAM: 4 where copies are asynchronous and overlap well, else 1.5."""
    overhead: float
    """What a 64 x 64 tile takes longer, to load its operands."""
    sharpness: float
    """How far the last wave counts as a whole one, in [0, 1]."""
    start_cycles: float
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


TENSOR = ProductConstants(
    tiles=((256, 128), (128, 128), (128, 64), (64, 128), (64, 64), (64, 16)), fourth_power=True,
    overhead=0.12, sharpness=0.5, start_cycles=9000.0, pipe=1.3, l2=2.3, lone_sm=2.3, rereads=0.75, split_s=2.2e-6,
    power_norm=2.4, kept=0.8,
)  # fmt: skip
VECTOR = ProductConstants(
    tiles=((128, 128), (128, 64), (64, 64), (128, 32), (32, 128), (32, 32)), fourth_power=False,
    overhead=0.105, sharpness=0.75, start_cycles=20000.0, pipe=1.4, l2=1.25, lone_sm=2.0, rereads=0.85, split_s=2e-6,
    power_norm=3.0, kept=0.3,
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
