"""What machine code says about the amounts of a report's launches, on the source and on the targets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roofcast.core.changes import AmountChanges
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import FloatArray, KernelTable, OriginArray
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.resource import FLOPS_TENSOR, FLOPS_VECTOR, Resource
from roofcast.core.units import format_quantity
from roofcast.core.version import VERSION
from roofcast.kit.disk_cache import find, keep, key_of
from roofcast.kit.quantities import format_percent
from roofcast.sass.launch_facts import Elsewhere, Given, LaunchFacts, decode_facts, encode_facts
from roofcast.sass.toolkit import ptxas_version

FORMAT = "launch facts 7"
COUNTED_BY_WARP = ("flops_tensor", "ops_", "insts_executed")
"""Absent, not zero, where the code or the counters tell nothing of them."""
Mask = NDArray[np.bool_]
PHANTOM, BYTES_LOCAL = "flops_phantom_fp16", "bytes_local"
TENSOR_WORK = (*(r.value for r in FLOPS_TENSOR), Resource.OPS_TENSOR_INT8.value)
FLOPS = tuple(r.value for r in (*FLOPS_VECTOR, *FLOPS_TENSOR))
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

    @property
    def changes(self) -> AmountChanges | None:
        """What models are told; None where nothing changes."""
        added = self.bytes_local_added if self.bytes_local_added.any() else None
        registers = self.regs_per_thread if not np.isnan(self.regs_per_thread).all() else None
        if not self.ratios and added is None and registers is None:
            return None
        return AmountChanges(self.ratios, added, registers)

    def on_target(self, j: int) -> KernelTable:
        """The launches with the amounts that they have on target ``j``."""
        table = self.kernels
        columns: dict[str, tuple[FloatArray, OriginArray]] = {}

        def change(name: str, moved: Mask, wanted: FloatArray) -> None:
            usable = moved & ~np.isnan(wanted)
            if usable.any():
                values = np.where(usable, wanted, table.column(name))
                columns[name] = values, mark_derived(usable, table.origin_of(name))

        for name, ratio in self.ratios.items():
            change(name, ratio[:, j] != 1.0, table.column(name) * ratio[:, j])
        added = self.bytes_local_added[:, j]
        for name in ("bytes_l1", BYTES_LOCAL):
            change(name, added != 0, np.maximum(table.column(name) + added, 0.0))
        change("regs_per_thread", np.ones(len(table), np.bool_), self.regs_per_thread[:, j])
        return table.with_columns(**columns) if columns else table


def mark_derived(changed: Mask, origin: OriginArray) -> OriginArray:
    """Origins after some cells were computed from code."""
    return np.where(changed, np.uint8(Origin.DERIVED), origin).astype(np.uint8)


def launch_facts(
    path: str | Path, launches: Sequence[int], sms: Sequence[int], given: Given | None = None, content: str = ""
) -> dict[int, LaunchFacts]:
    """Facts about some launches of a report, on its own and on other architectures.

    launches : their numbers in the report. sms : architectures as 70, 80 ... content : a hash of the report's content,
    under which the facts are kept; '' keeps nothing.
    """

    # Deferred: a second look needs nothing of what reads code.
    def read() -> dict[int, LaunchFacts]:
        from roofcast.sass.report_facts import read_facts

        return read_facts(path, launches, sms, given)

    if not content:
        return read()
    other = key_of(given.data) + given.name if given is not None else ""
    wanted = json.dumps([sorted(set(launches)), sorted(set(sms))])
    key = key_of(FORMAT, VERSION, content, wanted, ptxas_version(), other)
    known = decode_facts(find(key))
    if known is None:
        known = read()
        keep(key, encode_facts(known))
    return known


def read_given(path: str | Path) -> Given:
    """The binary that a user gave for the targets."""
    from roofcast.sass.binaries import find_binaries, read_bytes

    given = Given(read_bytes(path), Path(path).name)
    find_binaries(given.data, given.name)
    return given


def apply_facts(kernels: KernelTable, facts: Mapping[int, LaunchFacts], targets: Sequence[Processor]) -> SassAmounts:
    """Amounts from the facts about rows of a table."""
    table, notes = correct_source(kernels, facts)
    # Targets of one architecture run the same code, however many there are.
    sms = [sm_of(target) for target in targets]
    known = list(dict.fromkeys(sms))
    which = np.array([known.index(sm) for sm in sms], np.intp)
    shape = (len(table), len(known))
    ratios = {name: np.ones(shape) for name in FLOPS}
    added, regs, coverage = np.zeros(shape), np.full(shape, np.nan), np.full(shape, np.nan)
    reasons: list[list[tuple[str, ...]]] = [[() for _ in known] for _ in range(len(table))]
    for j, sm in enumerate(known):
        for row, launch in facts.items():
            code = launch.elsewhere.get(sm) if sm is not None else None
            if code is None:
                coverage[row, j] = 1.0 if sm == launch.sm and launch.executed is not None else np.nan
                continue
            reasons[row][j] = (explain_target(code),)
            coverage[row, j] = np.nan if code.coverage is None else code.coverage
            regs[row, j] = np.nan if code.registers is None else code.registers
            added[row, j] = code.bytes_local_added
            for name, ratio in code.ratios.items():
                ratios[name][row, j] = ratio
    moved = {name: values[:, which] for name, values in ratios.items() if np.any(values != 1.0)}
    spread = tuple(tuple(row[j] for j in which) for row in reasons)
    return SassAmounts(
        table, moved, added[:, which], regs[:, which], coverage[:, which], tuple(map(tuple, notes)), spread
    )


def correct_source(kernels: KernelTable, facts: Mapping[int, LaunchFacts]) -> tuple[KernelTable, list[list[str]]]:
    """The source's amounts after what the code tells: phantom moves, missing FLOPs, local bytes."""
    notes: list[list[str]] = [[] for _ in range(len(kernels))]
    names = dict.fromkeys((*COUNTED_BY_CODE, PHANTOM, BYTES_LOCAL))
    values = {name: kernels.column(name).copy() for name in names}
    origin = {name: kernels.origin_of(name).copy() for name in names}

    def put(name: str, row: int, value: float) -> None:
        values[name][row] = value
        origin[name][row] = Origin.DERIVED

    for row, known in facts.items():
        measured = values["flops_fp16"][row]
        notes[row] += explain_source(
            known,
            is_measured=bool(measured > 0 and np.isnan(values[PHANTOM][row])),
            has_tensor=any(not np.isnan(values[name][row]) for name in TENSOR_WORK),
        )
        if known.executed is None:
            continue
        phantom = known.executed.get(PHANTOM, 0.0)
        if np.isnan(values[PHANTOM][row]):
            put(PHANTOM, row, phantom)
            if phantom and not np.isnan(measured):
                put("flops_fp16", row, max(0.0, measured - phantom))
                notes[row].append(f"SASS: {format_quantity(phantom, 'FLOP')} of constant moves removed from FP16")
        filled = []
        for name in (*COUNTED_BY_CODE, BYTES_LOCAL):
            if np.isnan(values[name][row]) and (name in known.executed or not name.startswith(COUNTED_BY_WARP)):
                put(name, row, known.executed.get(name, 0.0) - (phantom if name == "flops_fp16" else 0.0))
                filled += [name] if name in FLOPS else []
        if filled:
            notes[row].append("SASS: FLOPs that no metric counted come from source counters")
    present = {name: (values[name], origin[name]) for name in names if not np.all(np.isnan(values[name]))}
    return kernels.with_columns(**present), notes


def explain_source(known: LaunchFacts, *, is_measured: bool, has_tensor: bool) -> list[str]:
    """What the code that ran tells and cannot tell.

    is_measured : FP16 FLOPs were counted, constant moves among them. has_tensor : tensor work was counted.
    """
    sentences = list(dict.fromkeys(e.toolkit for e in known.elsewhere.values() if e.toolkit))
    if known.executed is None and known.constant_moves and is_measured:
        moves = f"{known.constant_moves} constant moves count as FP16 FLOPs"
        sentences.append(f"{moves}; ncu --section SourceCounters would tell how often")
    if known.has_described_work and not has_tensor:
        sentences.append("the shape of tcgen05 instructions is not in the code: their FLOPs are absent")
    return [f"SASS: {text}" for text in sentences]


def explain_target(found: Elsewhere) -> str:
    """What the target's code changes, in one line."""
    if found.unknown:
        return f"SASS: target code unknown ({found.unknown}): counts unchanged"
    parts = []
    if found.coverage is not None and not found.is_applied:
        return f"SASS: only {format_percent(found.coverage, 0)} of the executed work matched: counts unchanged"
    if found.coverage is not None:
        changed = [f"{name.removeprefix('flops_')} FLOPs x {ratio:.3g}" for name, ratio in found.ratios.items()]
        matched = f"{format_percent(found.coverage, 0)} of the executed work matched"
        parts.append(f"{matched}: {', '.join(changed) or 'FLOPs unchanged'}")
    else:
        parts.append("no execution counts: FLOPs unchanged")
    if found.bytes_local_added:
        sign = "+" if found.bytes_local_added > 0 else "-"
        parts.append(f"spills {sign}{format_quantity(abs(found.bytes_local_added), 'B')}")
    if found.registers is not None and found.registers != found.registers_here:
        parts.append(f"registers {found.registers_here} -> {found.registers}")
    return f"SASS: {', '.join(parts)}"


def sm_of(target: Processor) -> int | None:
    """Architecture of an NVIDIA target as 70, 80 ...; None for everything else."""
    digits = target.architecture.removeprefix("sm_")
    return int(digits) if target.architecture.startswith("sm_") and digits.isdigit() and int(digits) >= 70 else None
