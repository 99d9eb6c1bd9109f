"""What machine code says about the amounts of a report's launches, on the source and on the targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.processor import Processor
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.core.table import FloatArray, KernelTable, OriginArray
from roofcast.errors import InputError, MissingExtraError, RoofcastError
from roofcast.sass.binaries import cubin_for, read_bytes
from roofcast.sass.carry import executed_amounts
from roofcast.sass.comparison import Comparison, compare, phantom_moves
from roofcast.sass.cubin import Cubin
from roofcast.sass.reports import Executions, Report, executions_of, open_report, parse_modules
from roofcast.sass.work import BYTES_LOCAL, PHANTOM

COUNTED_BY_WARP = ("flops_tensor", "ops_", "insts_executed")
"""Absent, not zero, where the code or the counters tell nothing of them."""
Mask = NDArray[np.bool_]
FLOPS = tuple(r.value for r in (*FLOPS_VECTOR, *FLOPS_TENSOR))
TENSOR_WORK = (*(r.value for r in FLOPS_TENSOR), Resource.OPS_TENSOR_INT8.value)
COUNTED_BY_CODE = ("flops_fp64", "flops_fp32", "flops_fp16", "insts_thread", "insts_executed", *TENSOR_WORK)


@dataclass(frozen=True)
class SassAmounts:
    """Amounts of n launches with what their machine code adds, and how they change on m targets."""

    kernels: KernelTable
    """The source's amounts: phantom FLOPs removed, FLOPs from source counters where no metric counted them."""
    ratios: Mapping[str, FloatArray] = field(default_factory=dict)
    """Amount -> (n, m) work on the target over work on the source; 1 where nothing is known or applied."""
    bytes_local_added: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    """(n, m) B of L1 traffic by spills that the target adds (negative: saves)."""
    regs_per_thread: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    """(n, m) registers of the target's code; NaN where unknown."""
    coverage: FloatArray = field(default_factory=lambda: np.zeros((0, 0)))
    """(n, m) share of the executed work whose blocks match; NaN where code was not compared."""
    notes: tuple[tuple[str, ...], ...] = ()
    """Per launch: what was corrected on the source."""
    target_notes: tuple[tuple[tuple[str, ...], ...], ...] = ()
    """Per launch and target: what differs there, or why nothing is transferred."""

    def on_target(self, j: int) -> KernelTable:
        """The launches with the amounts that they have on target ``j``."""
        table = self.kernels
        columns: dict[str, tuple[FloatArray, OriginArray]] = {}

        def change(name: str, moved: Mask, wanted: FloatArray) -> None:
            usable = moved & ~np.isnan(wanted)
            if usable.any():
                values = np.where(usable, wanted, table.column(name))
                columns[name] = values, derived_where(usable, table.origin_of(name))

        for name, ratio in self.ratios.items():
            change(name, ratio[:, j] != 1.0, table.column(name) * ratio[:, j])
        added = self.bytes_local_added[:, j]
        for name in ("bytes_l1", "bytes_local"):
            change(name, added != 0, np.maximum(table.column(name) + added, 0.0))
        change("regs_per_thread", np.ones(len(table), np.bool_), self.regs_per_thread[:, j])
        return table.with_columns(**columns) if columns else table


def derived_where(changed: Mask, origin: OriginArray) -> OriginArray:
    """Origins after some cells were computed from code."""
    return np.where(changed, np.uint8(Origin.DERIVED), origin).astype(np.uint8)


def apply_sass(
    kernels: KernelTable,
    report_path: str | Path,
    targets: Sequence[Processor],
    *,
    target_sass: str | Path | None = None,
    rows: Sequence[int] | None = None,
) -> SassAmounts:
    """Use the code embedded in a report.

    kernels : (n) the table that was read from the report, whole or in part (its ``launch`` column counts the launches
    of the file). report_path : the report. targets : (m) target GPUs. target_sass : a binary for the targets.
    rows : rows of the table that come from this report (default: all).

    A report without code changes nothing. Nothing is raised for kernels that cannot be compared: notes say why.

    Raises
    ------
    InputError : the report or the target's binary cannot be read.
    """
    report = open_report(report_path)
    cubins = parse_modules(report)
    given = read_bytes(target_sass) if target_sass is not None else None
    given_name = Path(target_sass).name if target_sass is not None else ""
    chosen = range(len(kernels)) if rows is None else rows
    work = [Row(i, *code_of(report, cubins, kernels, i)) for i in chosen]
    table, notes = corrected(kernels, work)
    return compared_rows(table, notes, work, targets, (given, given_name))


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table with its code."""

    index: int
    kernel: str = ""
    cubin: Cubin | None = None
    executions: Executions | None = None


def code_of(
    report: Report, cubins: Sequence[Cubin | None], kernels: KernelTable, row: int
) -> tuple[str, Cubin | None, Executions | None]:
    """Linker name, binary and counts of the launch that a row describes."""
    launch = kernels.column("launch")[row]
    index = row if np.isnan(launch) else int(launch)
    if not 0 <= index < len(report.launches):
        return "", None, None
    found = report.launches[index]
    cubin = cubins[found.module] if found.module >= 0 else None
    if cubin is None:
        return found.mangled, None, None
    return found.mangled, cubin, executions_of(found, cubin, report.modules[found.module])


def corrected(kernels: KernelTable, work: Sequence[Row]) -> tuple[KernelTable, list[list[str]]]:
    """The source's amounts after what the code tells: phantom moves, missing FLOPs, local bytes."""
    notes: list[list[str]] = [[] for _ in range(len(kernels))]
    names = dict.fromkeys((*COUNTED_BY_CODE, PHANTOM, BYTES_LOCAL))
    values = {name: kernels.column(name).copy() for name in names}
    origin = {name: kernels.origin_of(name).copy() for name in names}

    def put(name: str, row: int, value: float) -> None:
        values[name][row] = value
        origin[name][row] = Origin.DERIVED

    for row in work:
        if row.cubin is None:
            continue
        if row.executions is None or not row.executions.is_complete:
            moves = phantom_moves(row.cubin, row.kernel)
            if moves and values["flops_fp16"][row.index] > 0 and np.isnan(values[PHANTOM][row.index]):
                notes[row.index].append(
                    f"{moves} constant moves count as FP16 FLOPs; ncu --section SourceCounters would tell how many"
                )
            continue
        done = executed_amounts(row.cubin, row.executions)
        phantom = done.get(PHANTOM, 0.0)
        measured = values["flops_fp16"][row.index]
        if np.isnan(values[PHANTOM][row.index]):
            put(PHANTOM, row.index, phantom)
            if phantom and not np.isnan(measured):
                put("flops_fp16", row.index, max(0.0, measured - phantom))
                notes[row.index].append(f"{phantom:.4g} phantom FP16 FLOPs (constant moves) removed")
        for name in (*COUNTED_BY_CODE, BYTES_LOCAL):
            if np.isnan(values[name][row.index]) and (name in done or not name.startswith(COUNTED_BY_WARP)):
                put(name, row.index, done.get(name, 0.0) - (phantom if name == "flops_fp16" else 0.0))
    filled = {name: (values[name], origin[name]) for name in names if not np.all(np.isnan(values[name]))}
    return kernels.with_columns(**filled), notes


def compared_rows(
    table: KernelTable,
    notes: Sequence[Sequence[str]],
    work: Sequence[Row],
    targets: Sequence[Processor],
    given: tuple[bytes | None, str],
) -> SassAmounts:
    """Compare every row with its code on every target."""
    shape = (len(table), len(targets))
    ratios = {name: np.ones(shape) for name in FLOPS}
    added, regs, coverage = np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan)
    told: list[list[tuple[str, ...]]] = [[() for _ in targets] for _ in range(len(table))]
    for row in work:
        if row.cubin is None:
            continue
        for j, target in enumerate(targets):
            sm = sm_of(target)
            if sm is None:
                continue
            try:
                found = compare_row(row, row.cubin, sm, given)
            except RoofcastError as error:
                told[row.index][j] = reason_of(error, has_given=given[0] is not None, is_same=sm == row.cubin.sm)
                continue
            told[row.index][j] = found.reasons
            coverage[row.index, j] = np.nan if found.coverage is None else found.coverage
            if found.there.registers is not None and sm != row.cubin.sm:
                regs[row.index, j] = found.there.registers
            if found.is_applied:
                added[row.index, j] = (found.bytes_local_there or 0.0) - (found.bytes_local_here or 0.0)
                for name in ratios if found.carried is not None else ():
                    ratio = found.carried.ratio_of_work(name) if found.carried is not None else 1.0
                    ratios[name][row.index, j] = ratio if np.isfinite(ratio) else 1.0
    moved = {name: values for name, values in ratios.items() if np.any(values != 1.0)}
    return SassAmounts(
        table, moved, added, regs, coverage, tuple(tuple(n) for n in notes), tuple(tuple(t) for t in told)
    )


def compare_row(row: Row, cubin: Cubin, sm: int, given: tuple[bytes | None, str]) -> Comparison:
    """Compare one launch with its code on one architecture."""
    there = cubin_for(given[0], given[1], sm)[0] if given[0] is not None else None
    executions = row.executions if row.executions is not None and row.executions.is_complete else None
    return compare(cubin, row.kernel, executions, sm, there)


def reason_of(error: RoofcastError, *, has_given: bool, is_same: bool) -> tuple[str, ...]:
    """Why nothing is transferred; silent where nothing was to be expected."""
    if isinstance(error, MissingExtraError):
        return (str(error),)
    if isinstance(error, InputError) and not has_given and is_same:
        return ()
    return (f"code not compared: {error}",)


def sm_of(target: Processor) -> int | None:
    """Architecture of an NVIDIA target as 70, 80 ...; None for everything else."""
    digits = target.architecture.removeprefix("sm_")
    return int(digits) if target.architecture.startswith("sm_") and digits.isdigit() and int(digits) >= 70 else None
