"""The steps of preparation in their order, which is physics: what was counted stands, what is told fills what is not.

A step reads what those before it left. Each is worth what forecasts lose without it (``roofcast evaluate DATASET
--without STEP``); ``roofcast inspect FILE --why`` prints for every amount which of them said it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import Machines, columns_of
from roofcast.forecasting.clocks import clocks_by_themselves
from roofcast.forecasting.conditions import (
    FLUSHED_BY_HABIT,
    WARM_BY_RATE,
    assume_flushed,
    infer_caches,
    recorded_caches,
    set_caches,
)
from roofcast.forecasting.plausible import mark_implausible
from roofcast.forecasting.preparing.step import Preparing, Step
from roofcast.forecasting.seen_host_floors import HOST_BY_SIZES, infer_host_floors
from roofcast.forecasting.several_sources import same_work, with_amounts_of_others
from roofcast.models.kernel_amounts import is_from_code
from roofcast.operators.operator_rows import with_named_launches, with_shape_amounts
from roofcast.operators.recorded_blocks import ORDER_BY_BLOCKS, with_shapes_of_blocks
from roofcast.sass.embedded_code import use_embedded_code

SHAPES = ("shape_m", "shape_n", "shape_k", "shape_batch", "shape_rows")
WORK = ("flops*", "ops_*", "bytes_*", "insts_special", "working_set_bytes")
"""What operators and shapes know of work, as patterns of column names."""
ANY = ("*",)


def time_code(p: Preparing) -> None:
    """Give rows from source code, which never ran, a time on their GPU."""
    if is_from_code(p.kernels).any():
        from roofcast.models.operators.from_code import with_time_on_source

        clock_hz = clocks_by_themselves(p.processors, p.index)
        p.kernels = with_time_on_source(p.kernels, Machines(columns_of(p.processors), p.index, clock_hz), p.conditions)


def check_amounts(p: Preparing) -> None:
    """Flag what cannot be true."""
    p.kernels = mark_implausible(p.kernels, p.processors, p.index)


def order_shapes(p: Preparing) -> None:
    """Put shapes into the order that blocks prove."""
    p.kernels, reordered = with_shapes_of_blocks(p.kernels)
    p.remark(ORDER_BY_BLOCKS, reordered)


def read_operators(p: Preparing) -> None:
    """Take work from the operators that launched kernels."""
    p.kernels = with_operators(p.kernels)


def read_shapes(p: Preparing) -> None:
    """Take work from shapes."""
    p.kernels = with_shape_amounts(p.kernels)


def read_configurations(p: Preparing) -> None:
    """Take the number of blocks from configurations."""
    p.kernels = with_named_launches(p.kernels)


def assume_profiler(p: Preparing) -> None:
    """Take caches as flushed where the profiler flushes them."""
    before = recorded_caches(p.kernels)
    p.kernels = assume_flushed(p.kernels)
    p.remark(FLUSHED_BY_HABIT, recorded_caches(p.kernels) != before)


def prove_warm(p: Preparing) -> None:
    """Take caches as warm where a rate proves it."""
    if p.conditions.cache == "auto":
        before = recorded_caches(p.kernels)
        p.kernels = infer_caches(p.kernels, p.processors, p.index)
        p.remark(WARM_BY_RATE, recorded_caches(p.kernels) != before)


def find_host(p: Preparing) -> None:
    """Find the host's part of library calls."""
    if p.conditions.launch_floor_s is None:
        p.kernels = infer_host_floors(p.kernels, p.index)
    p.remark(HOST_BY_SIZES, p.kernels.column("host_floor_s") > 0)


def take_caches(p: Preparing) -> None:
    """Take caches as asked for where nobody recorded them."""
    p.known = p.kernels
    p.kernels = set_caches(p.kernels, p.conditions.cache)


def share_work(p: Preparing) -> None:
    """Give rows of one work the amounts that one of them has."""
    if not p.alone:
        p.groups = same_work(p.kernels, p.index, together=p.together)
        p.kernels = with_amounts_of_others(p.kernels, p.groups)


def read_code(p: Preparing) -> None:
    """Correct counts by the machine code that a report embeds."""
    code = use_embedded_code(p.kernels, p.targets, sass=p.sass, target_sass=p.target_sass)
    p.kernels, p.changes, p.code_notes, p.cell_notes = code.kernels, code.changes, code.notes, code.cell_notes


STEPS: tuple[Step, ...] = (
    Step("source_times", "rows from source code get a time on their GPU", "all that follows asks for a time",
         "amounts of source code", ("time_s",), "the operators' own formulas", time_code),
    Step("plausible", "what cannot be true is flagged", "before anything else fills what is absent: only a file can "
         "be wrong", "time and all amounts", (), "the GPU's peaks", check_amounts),
    Step("block_shapes", "shapes get the order that blocks prove", "amounts that shapes tell rest on their order",
         "shapes, grid, tile of the name", SHAPES, "tiles in the names of library kernels", order_shapes),
    Step("operators", "the operator that launched a kernel tells its work", "a file's own counts stand; an operator "
         "knows types and strides, which shapes alone do not", "operator, types, shapes",
         (*WORK, *SHAPES, "precision"), "formulas of operators", read_operators),
    Step("shapes", "shapes tell the work of products, attention and rows", "where no operator did",
         "shapes, name, precision", WORK, "formulas of operators", read_shapes),
    Step("blocks", "a configuration that names its rows tells how many blocks there were", "where only threads per "
         "block were recorded", "configuration, name, threads per block", ("grid_blocks",), "the configuration's words",
         read_configurations),
    Step("flushed", "Nsight Compute flushed the caches where its file does not say", "before a rate is asked, which "
         "proves nothing of flushed caches", "profiler, counters", ("cache_state",), "the profiler's default",
         assume_profiler),
    Step("warm", "caches were warm where more bytes than DRAM has came per second", "after all bytes are known",
         "bytes, time", ("cache_state",), "DRAM's peak", prove_warm),
    Step("host_floors", "times that level off with size are the host's", "before rows serve each other, which have "
         "hosts of their own", "times and work of all sizes of a kernel", ("host_floor_s",), "the times themselves",
         find_host),
    Step("asked_caches", "caches are as asked for where nobody recorded them", "last of what is said of caches",
         "--cache", ("cache_state",), "the user", take_caches),
    Step("same_work", "rows of one work on several GPUs serve each other", "after each row has all that it tells of "
         "itself", "kernel, configuration, launch", ANY, "the other rows", share_work),
    Step("machine_code", "embedded machine code corrects counts", "last: it knows what ran",
         "the report's code, counters", ANY, "SASS of the report, PTX compiled for the targets", read_code),
)  # fmt: skip
"""In order."""
NAMES = tuple(s.name for s in STEPS)


def check_names(without: Collection[str]) -> None:
    """Refuse what is no step.

    Raises
    ------
    RoofcastError : one is none.
    """
    for name in without:
        if name not in NAMES:
            raise RoofcastError(f"no step {one_line(name, 40)!r}: steps are {', '.join(NAMES)}")


def run_steps(
    p: Preparing, without: Collection[str] = (), watch: Callable[[Step, KernelTable, KernelTable], None] | None = None
) -> None:
    """Take every step, but for those left out. watch : is told of each, with the kernels before and after it."""
    check_names(without)
    for step in STEPS:
        if step.name in without:
            continue
        before = p.kernels
        step.run(p)
        if watch is not None:
            watch(step, before, p.kernels)


def with_operators(kernels: KernelTable) -> KernelTable:
    """The kernels with what the operators that launched them tell."""
    if "operator" not in kernels.extra:
        return kernels
    from roofcast.operators.traced_operators import with_traced_amounts

    return with_traced_amounts(kernels)[0]


def add_told_amounts(kernels: KernelTable) -> KernelTable:
    """The kernels with the amounts that operators, shapes and configurations tell where nothing was counted."""
    return with_named_launches(with_shape_amounts(with_operators(kernels)))


REMARKS = (FLUSHED_BY_HABIT, WARM_BY_RATE, ORDER_BY_BLOCKS, HOST_BY_SIZES)
"""In the order in which they are said."""


def list_remarks(p: Preparing) -> list[tuple[str, NDArray[np.bool_]]]:
    """What is said of (n,) kernels."""
    return [(text, p.remarks[text]) for text in REMARKS if text in p.remarks]
