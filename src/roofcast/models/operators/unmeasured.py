r"""Operators that nobody has timed anywhere: seconds from shapes, the GPU's rates and what libraries usually reach.

.. math:: T = a + M \, e^{\ell_{k} + \ell_{k, arch}}

T : s of one launch. a : s, launch floor of the GPU. M : s that the operator needs by its own model: matrix products in
tiles (:func:`roofcast.models.operators.products.product_s`), convolutions as the product that they are implicitly (m =
images x positions, n = channels out, k = channels in x window; FP32 windows of 3 x 3 with stride 1 by Winograd's
F(2x2, 3x3), 2.25 times fewer multiplications), element-wise and row operators by bus, arithmetic and rows
(:func:`roofcast.models.operators.operator_times.row_operator_s`), all others
:math:`M = \sqrt{(W / P)^2 + (V / B)^2}` with W FLOP, P FLOP/s of the pipe (the next wider one where the GPU lacks it),
V bytes moved at least, B the bandwidth of DRAM in B/s. :math:`\ell_k` : 1, logarithm of what libraries usually take
over M for a kind of work k; :math:`\ell_{k, arch}` what an architecture takes beside that, shrunk towards 0.

Reason: without a measured time nothing says how good this kernel is, only how good kernels of its kind usually are; the
spread of kernels around their usual level is the interval, taken from families of work that taught none of the levels.

Taught by: public operator times (neusight, llm_ops, vidur, deepbench, eleuther, llmcompass, miopen) in
``tools/teaching/teach_unmeasured.py``, which writes ``unmeasured.json`` with errors and provenance.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import field
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast.core.absent import quietly
from roofcast.core.kernel_table import FloatArray, KernelTable
from roofcast.core.machines import Machines, rate
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, Resource
from roofcast.models.operators.levels import LibraryConstants
from roofcast.models.operators.operator_times import row_operator_s
from roofcast.models.operators.products import generation, peak_rate, product_s
from roofcast.models.operators.works import (
    FEW_POSITIONS,
    FEW_ROWS,
    REPEATED,
    WARP_WIDE,
    WITH_WARP_GROUPS,
    WORKS,
    Work,
    WorkAmounts,
    bus_s,
    work_s,
)
from roofcast.models.physics.causes.library_products import find_transposed
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import OperatorRows
from roofcast.operators.recorded_operators import BLOCKS, CHANNELS, ELEMENTS, ROWS, SQUARES, TOUCHED, WAITS, WORK

FILE = Path(__file__).with_name("unmeasured.json")

LIBRARY = LibraryConstants()
ROW_KINDS = {
    Operation.ELEMENTWISE: LIBRARY.elementwise, Operation.SOFTMAX: LIBRARY.softmax,
    Operation.NORMALISATION: LIBRARY.normalisation,
}  # fmt: skip
ROWS_AT_A_TIME, TOUCHES = 16.0, 2.0
WINOGRAD = 2.25
"""Multiplications of a direct convolution with a window of 3 x 3 over those of F(2x2, 3x3) [Lavin2016]."""
AMPERE = 80.0
"""SM version of Ampere, as a number."""
IN_FP64, ON_VECTOR = " in FP64", " on vector pipes"
SINGLE = (Resource.FLOPS_FP32, Resource.FLOPS_TENSOR_TF32)
DRAWS_PER_CYCLE = 4.8
"""Random numbers that an SM draws in a cycle beside attention: 50 million in 58 us (GPT-2 with and without dropout,
H100)."""
BLOCKS_FULL = 1.5
"""Blocks of attention that an SM needs for its rate: 24, 48 and 192 blocks of FP32 on an H100's 132 SMs."""
FLOOR_LEAST = 0.5
"""Part of the usual launch floor that the quickest kernels still take."""
USUAL_FLOOR_S = 2.1e-6
"""Launch floor where the catalog knows none: the median of those that it knows."""

WIDER: Mapping[Resource, tuple[Resource, ...]] = {
    Resource.FLOPS_TENSOR_FP4: (Resource.FLOPS_TENSOR_FP8, Resource.FLOPS_TENSOR_FP16),
    Resource.FLOPS_TENSOR_FP8: (Resource.FLOPS_TENSOR_FP16,),
    Resource.OPS_TENSOR_INT8: (Resource.FLOPS_TENSOR_FP16, Resource.FLOPS_FP32),
    Resource.FLOPS_TENSOR_BF16: (Resource.FLOPS_FP32,),
    Resource.FLOPS_TENSOR_FP16: (Resource.FLOPS_FP32,),
    Resource.FLOPS_TENSOR_TF32: (Resource.FLOPS_FP32,),
    Resource.FLOPS_TENSOR_FP64: (Resource.FLOPS_FP64,),
    Resource.FLOPS_FP16: (Resource.FLOPS_FP32,),
    Resource.FLOPS_BF16: (Resource.FLOPS_FP32,),
}
"""Pipe -> the ones that do its work where a GPU lacks it. Libraries accumulate in FP32, so that half precision without
tensor pipes runs at its rate."""


@dataclass(frozen=True)
class Levels:
    """What libraries usually take over the operators' models, and how far single kernels are from that."""

    usual: Mapping[str, float]
    """Kind of work -> l, logarithm."""
    of_architecture: Mapping[str, Mapping[str, float]]
    """Kind of work -> architecture -> l beside the usual, logarithm."""
    spread: Mapping[str, tuple[float, float]]
    """Kind of work (see :func:`spread_key`) -> how far below and above the forecast 90 % of the measured times lie, as
    logarithms, in families that taught no level."""
    spread_total: float
    """The same of whole steps of models, which taught nothing, over the mean spread of their operators by time."""
    provenance: Mapping[str, Any] = field(default_factory=dict)

    def of(self, kind: str, architecture: str) -> float:
        """L of a kind of work on an architecture; kinds that nobody timed stand at their model."""
        # Of FP64 nobody timed anything: its products stand at the level of FP32's, with the widest spread.
        kind = kind.replace(IN_FP64, ON_VECTOR)
        of_kind = self.of_architecture.get(kind, {})
        beside = of_kind.get(architecture, 0.0)
        if architecture not in of_kind and architecture.startswith("gfx"):
            # AMD's libraries stand beside NVIDIA's usual level, on chips that nobody timed as well.
            others = [v for a, v in of_kind.items() if a.startswith("gfx")]
            beside = sum(others) / len(others) if others else 0.0
        return self.usual.get(kind, 0.0) + beside

    def spread_of(self, kind: str, amd: bool, small: bool) -> tuple[float, float]:
        """Ways down and up: of the kind, else of the other vendor, else the widest of all that this vendor's have."""
        if kind in WORKS:
            down, up = WORKS[kind].spread
            return down, up + (SMALL_WAY if small else 0.0)
        for key in (spread_key(kind, amd, small), spread_key(kind, not amd, small)):
            if key in self.spread:
                return self.spread[key]
        alike = [v for k, v in self.spread.items() if (", AMD" in k, ", small" in k) == (amd, small)]
        ways = list(zip(*(alike or self.spread.values()), strict=True))
        return max(ways[0]), max(ways[1])


SMALL_WAY = 0.4
"""How much further small kernels of such kinds may be above their forecast, as a logarithm."""
LARGE_S = 20e-6
"""s. Operators that need less by their model show launch and host more than any level."""


def spread_key(kind: str, amd: bool, small: bool) -> str:
    """Kind of work whose kernels err alike: libraries of a vendor, large or small operators.

    >>> spread_key("softmax", True, False)
    'softmax, AMD'
    """
    return f"{kind}{', AMD' if amd else ''}{', small' if small else ''}"


@lru_cache(maxsize=1)
def load_levels() -> Levels:
    """The levels that ship."""
    content = json.loads(FILE.read_text(encoding="utf-8"))
    spread = {kind: (down, up) for kind, (down, up) in content["spread"].items()}
    return Levels(content["usual"], content["of_architecture"], spread, content["spread_total"], content["provenance"])


@dataclass(frozen=True)
class Need:
    """What operators need by their models, n operators on m GPUs."""

    kind: NDArray[np.object_]
    """(n,) kind of work, as :class:`Levels` has it."""
    time_s: FloatArray
    """(n, m) M, s; NaN where a rate is unknown."""
    pipe_s: FloatArray
    """(n, m) s that the pipe alone needs."""
    dram_s: FloatArray
    """(n, m) s that DRAM alone needs."""
    pipe: NDArray[np.object_]
    """(n,) the pipe's resource; None without FLOPs."""
    least_s: FloatArray
    """(n, m) s that no kernel falls below: half a launch floor, and the FLOPs at the pipe's theoretical peak."""


def needs_of(table: KernelTable, rows: OperatorRows, operation: list[Operation], machines: Machines) -> Need:
    """M of every operator. machines : (1, m) or, one GPU per operator, (n, 1)."""
    n = len(table)
    shape = np.broadcast_shapes((n, 1), machines.index.shape)
    # Without a size (single numbers) an operator is its launch.
    moved = np.nan_to_num(table.column("bytes_compulsory"))[:, None]
    dram_s = np.broadcast_to(moved / rate(machines, Resource.BYTES_DRAM), shape)
    pipe_s, least_s = np.zeros(shape), np.array(np.broadcast_to(FLOOR_LEAST * floor_s(machines), shape))
    pipes: NDArray[np.object_] = np.full(n, None, dtype=object)
    for resource in pipes_of(table):
        chosen = np.flatnonzero(table.column(resource.value) > 0)
        flops = table.column(resource.value)[chosen, None]
        fewest = flops / (WINOGRAD if resource in SINGLE else 1.0)
        peak = part_of(machines, chosen)
        with quietly():
            least_s[chosen] = np.fmax(least_s[chosen], fewest / peak_rate(peak, resource))
        pipe_s[chosen] = np.broadcast_to(flops / usable_rate(machines, resource, chosen), (len(chosen), shape[1]))
        pipes[chosen] = resource
    pipe_s = attend_s(table, operation, pipe_s, machines)
    seconds = np.hypot(np.nan_to_num(pipe_s), dram_s)
    kind: NDArray[np.object_] = np.array([kind_of(o, p) for o, p in zip(operation, pipes, strict=True)], dtype=object)
    for alike, constants in ROW_KINDS.items():
        chosen = np.flatnonzero([o is alike for o in operation])
        if len(chosen):
            here = part_of(machines, chosen)
            cycles = here.gather("sm_count") * here.clock_hz
            elements = moved[chosen] / (TOUCHES * rows.element_bytes[chosen, None])
            seconds[chosen] = row_operator_s(
                constants.bytes_share * moved[chosen] / rate(here, Resource.BYTES_DRAM),
                constants.cycles_per_element * elements / cycles,
                constants.row_cycles * rows.rows[chosen, None] / (ROWS_AT_A_TIME * cycles),
            )
    works = np.asarray(table.extra.get(WORK, np.full(n, "", dtype=object)), dtype=object)
    works = tell_few_rows(works, table, operation, pipes)
    amounts = read_amounts(table, moved)
    for name in set(works.tolist()) & set(WORKS):
        chosen, work = np.flatnonzero(works == name), WORKS[name]
        if not work.is_product:
            seconds[chosen] = work_s(work, amounts.select(chosen), part_of(machines, chosen))
        if not work.beside_usual:
            kind[chosen] = name
    # The weights of a step of a recurrent layer are those of the step before.
    near = bus_s(moved, moved, machines) * rate(machines, Resource.BYTES_DRAM)
    asked = np.where((works == REPEATED)[:, None], near, moved)
    add_products(seconds, pipes, (table, rows, operation), asked, machines)
    seconds = seconds * factor_of_works(works, pipe_s, dram_s, machines)
    attention = np.array([o is Operation.ATTENTION for o in operation], dtype=bool)[:, None]
    # Dropout draws a number for each pair of query and key.
    cycles = machines.gather("sm_count") * machines.clock_hz
    seconds = seconds + np.where(attention, amounts.elements, 0.0) / (DRAWS_PER_CYCLE * cycles)
    return Need(kind, seconds, pipe_s, np.array(dram_s), pipes, least_s)


def add_products(
    found: FloatArray, pipes: NDArray[np.object_], listed: tuple[KernelTable, OperatorRows, list[Operation]],
    moved: FloatArray, machines: Machines,
) -> None:  # fmt: skip
    """Put into M what products and convolutions as products need. found : (n, m) s, changed. moved : B, (n, m)."""
    table, rows, operation = listed
    implicit = np.array([o is Operation.CONVOLUTION for o in operation], dtype=bool)
    squares = np.nan_to_num(np.asarray(table.extra.get(SQUARES, np.zeros(len(table))), dtype=np.float64)) > 0
    m, n_, k, batch = (
        np.where(implicit, table.column(f"shape_{name}"), known)
        for name, known in (("m", rows.m), ("n", rows.n), ("k", rows.k), ("batch", rows.batch))
    )
    transposed = find_transposed(table)
    shaped = (implicit | np.array([o is Operation.GEMM for o in operation], dtype=bool)) & (m * n_ * k * batch > 0)
    for resource in {p for p in pipes[shaped] if p is not None}:
        chosen = np.flatnonzero(shaped & (pipes == resource))
        here, sizes = part_of(machines, chosen), tuple(v[chosen, None] for v in (m, n_, k, batch))
        best = np.full((len(chosen), found.shape[1]), np.nan)
        # Each GPU by the widest pipe that it has.
        for pipe in (resource, *WIDER.get(resource, ())):
            constants = LIBRARY.tensor if pipe in FLOPS_TENSOR else LIBRARY.vector
            fewer = np.where(squares[chosen, None] & (pipe is Resource.FLOPS_FP32), WINOGRAD, 1.0)
            # From Ampere on cuDNN takes implicit products there.
            fewer = np.where(here.gather(generation) >= AMPERE, 1.0, fewer)
            scaled = (sizes[0], sizes[1], sizes[2] / fewer, sizes[3])
            seconds = product_s(
                scaled, moved[chosen], pipe, here, peak_rate(here, pipe), constants, transposed[chosen, None]
            )
            best = np.where(np.isnan(best), seconds, best)
        found[chosen] = np.where(np.isfinite(best), best, found[chosen])


def attend_s(table: KernelTable, operation: list[Operation], pipe_s: FloatArray, machines: Machines) -> FloatArray:
    r"""(n, m) s that pipes need, of attention with its exponentials, and as long as its blocks leave SMs idle.

    .. math:: \tau = \left(\tau_{pipe} + \frac{I}{P_I}\right) \max\left(1, \frac{3 S}{2 n}\right)

    I : instructions of the special pipe, a score each lane. P_I : its instructions per second. n : blocks. S : SMs.
    Reason: warps take turns with tensor pipes, which need no longer than the exponentials where heads are short: a
    score of 64 elements is 256 FLOP of 4,096 that an SM of Hopper makes in a cycle, and one exponential of 16.
    """
    attention = np.array([o is Operation.ATTENTION for o in operation], dtype=bool)[:, None]
    if not attention.any() or WORK not in table.extra:
        return pipe_s
    scores = np.nan_to_num(table.column(Resource.INSTS_SPECIAL.value))[:, None]
    special_s = np.nan_to_num(scores / rate(machines, Resource.INSTS_SPECIAL))
    blocks = np.asarray(table.extra.get(BLOCKS, np.full(len(table), np.nan)), dtype=np.float64)[:, None]
    idle = np.fmax(1.0, BLOCKS_FULL * machines.gather("sm_count") / blocks)
    return np.where(attention, (pipe_s + special_s) * idle, pipe_s)


def read_amounts(table: KernelTable, moved: FloatArray) -> WorkAmounts:
    """What rows of recorded lists move and address; of other tables the bytes alone. moved : (n, 1) B."""

    def column(name: str) -> FloatArray:
        return np.asarray(table.extra.get(name, np.full(len(table), np.nan)), dtype=np.float64)[:, None]

    elements, rows, waits = (np.nan_to_num(column(name)) for name in (ELEMENTS, ROWS, WAITS))
    return WorkAmounts(moved, np.fmin(moved, column(TOUCHED)), elements, rows, waits, column(CHANNELS))


def factor_of_works(
    works: NDArray[np.object_], pipe_s: FloatArray, dram_s: FloatArray, machines: Machines
) -> FloatArray:
    r"""(n, m) what kinds of work take over the model of the product that they are. pipe_s, dram_s : (n, m) s.

    .. math:: r = e^{\ell + w}, \qquad r_{fed} = \sqrt{\frac{(r \tau_{pipe})^2 + (b \tau_{DRAM})^2}
        {\tau_{pipe}^2 + \tau_{DRAM}^2}}

    l : the kind's level. w : :data:`roofcast.models.operators.works.WARP_WIDE` for kernels of single warps on GPUs with
    warp groups. r_fed : for kinds that slow the pipe and not the bus, b the exponential of their ``bus_level``.
    """
    kinds = [WORKS.get(str(w), Work()) for w in works.tolist()]
    warp_wide = np.array([k.is_warp_wide for k in kinds], dtype=bool)[:, None]
    groups = machines.spread(machines.columns.told("architecture", lambda a: float(a in WITH_WARP_GROUPS)))
    ratio = np.exp(np.array([k.level for k in kinds])[:, None] + WARP_WIDE * np.where(warp_wide, groups, 0.0))
    bus = np.exp(np.array([np.nan if k.bus_level is None else k.bus_level for k in kinds])[:, None])
    with quietly():
        fed = np.hypot(ratio * pipe_s, bus * dram_s) / np.hypot(pipe_s, dram_s)
    return np.asarray(np.where(np.isfinite(fed), fed, ratio))


def tell_few_rows(
    works: NDArray[np.object_], table: KernelTable, operation: list[Operation], pipes: NDArray[np.object_]
) -> NDArray[np.object_]:
    """Kinds of work, FP32 products and convolutions of few rows told apart; lists of recorded operators alone."""
    if WORK not in table.extra:
        return works
    m = np.nan_to_num(table.column("shape_m"))
    strict = np.array([p is Resource.FLOPS_FP32 for p in pipes], dtype=bool) & (m > 0)
    gemm = np.array([o is Operation.GEMM for o in operation], dtype=bool)
    kinds = np.where(strict & gemm & (works == "") & (m <= FEW_ROWS), "few rows, strict", works)
    few = strict & (works == "convolution, strict") & (m <= FEW_POSITIONS)
    return np.asarray(np.where(few, "convolution, strict, few rows", kinds), dtype=object)


def part_of(machines: Machines, rows: NDArray[np.intp]) -> Machines:
    """The machines of some rows."""
    if machines.index.shape[0] == 1:
        return machines
    return Machines(machines.columns, machines.index[rows], machines.clock_hz[rows])


def usable_rate(machines: Machines, resource: Resource, rows: NDArray[np.intp]) -> FloatArray:
    """FLOP/s of the pipe that does the work of another where a GPU lacks that one."""
    here = part_of(machines, rows)
    per_s = rate(here, resource)
    for other in WIDER.get(resource, ()):
        per_s = np.where(np.isnan(per_s), rate(here, other), per_s)
    return per_s


def pipes_of(table: KernelTable) -> list[Resource]:
    """Pipes that operators of the table use."""
    return [r for r in Resource if r.is_compute and not r.value.startswith("insts") and r.value in table.numeric]


def kind_of(operation: Operation, pipe: Resource | None) -> str:
    """Kind of work that has a level of its own.

    >>> kind_of(Operation.GEMM, Resource.FLOPS_TENSOR_BF16), kind_of(Operation.COPY, None)
    ('gemm on tensor pipes', 'elementwise')
    """
    if operation.is_matrix and pipe in (Resource.FLOPS_FP64, Resource.FLOPS_TENSOR_FP64):
        return operation.value + IN_FP64
    if operation.is_matrix:
        return f"{operation.value} on {'tensor' if pipe in FLOPS_TENSOR else 'vector'} pipes"
    return operation.value if operation in ROW_KINDS else Operation.ELEMENTWISE.value


def floor_s(machines: Machines) -> FloatArray:
    """a: launch floor of a GPU."""
    known = machines.gather("launch_floor_s")
    return np.where(np.isnan(known), USUAL_FLOOR_S, known)


def gap_s(machines: Machines) -> FloatArray:
    """S between two kernels of one stream: what of a launch floor is not the quickest kernel itself."""
    return (1.0 - FLOOR_LEAST) * floor_s(machines)


def times_of(need: Need, machines: Machines, levels: Levels) -> tuple[FloatArray, FloatArray, FloatArray]:
    """(n, m) s of one launch, and (n, m) each how far below and above it 90 % of such kernels lie, as logarithms."""
    architectures = [str(a) for a in machines.columns.text("architecture")]
    kinds = list(dict.fromkeys(need.kind.tolist()))
    place = np.array([kinds.index(k) for k in need.kind.tolist()], dtype=np.intp)[:, None]
    shape = (len(kinds), len(architectures))
    level = np.array([[levels.of(k, a) for a in architectures] for k in kinds]).reshape(shape)
    amd = [a.startswith("gfx") for a in architectures]
    large, small = (
        np.array([[levels.spread_of(k, of, size) for of in amd] for k in kinds]).reshape((*shape, 2))
        for size in (False, True)
    )
    time = FLOOR_LEAST * floor_s(machines) + need.time_s * np.exp(level[place, machines.index])
    ways = np.where((need.time_s <= LARGE_S)[..., None], small[place, machines.index], large[place, machines.index])
    return time, ways[..., 0], ways[..., 1]
