"""What the code of a file says about each kernel: registers, instruction mix, FLOPs, special functions, differences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.records import dataclass
from roofcast.sass.binaries import REPORT_MAGIC, choose_cubin, find_binaries, parse_cubins, read_bytes
from roofcast.sass.blocks import Block
from roofcast.sass.carry import Part, find_reached_parts, sum_executed, sum_static
from roofcast.sass.code_comparison import Comparison, compare, side_of
from roofcast.sass.cubin import Cubin
from roofcast.sass.executions import Executions, executions_of, open_report, parse_modules
from roofcast.sass.instructions import DESCRIBED
from roofcast.sass.retarget import ptx_target, retarget_ptx
from roofcast.sass.special_functions import feeds_condition, find_fast_paths, operation_of_subroutine, stable_name
from roofcast.sass.trace_counts import TraceCounts, find_kernel, is_counts, place_counts, read_counts
from roofcast.sass.work import FLOPS, PHANTOM

LEVELS = ("bytes_l1", "bytes_l2", "bytes_dram")
ALWAYS_SHOWN = ("flops_fp64", "flops_fp32", "flops_fp16")
DEFAULT_SM = 80
"""SM version that PTX for older ones is compiled for: Ampere, which every toolkit of today still knows."""
DESCRIBED_NOTE = "tcgen05 instructions hold their shape in a descriptor: the code does not say their work"


@dataclass(frozen=True, slots=True)
class SpecialFunction:
    """One special function in a kernel's code."""

    operation: str
    """``div.f64``, ``log.f32`` ..."""
    where: str
    """Function and instruction range."""
    path: str
    """fast (in line) or slow (subroutine)."""
    executed_fraction: float | None
    """Share of the kernel's thread instructions; None without counts."""
    source: str
    """``name.cu:12`` where the binary holds its source lines, else ''."""
    flops: float
    """Executed FLOPs (with counts), else FLOPs of one pass through its code."""
    flops_against: float | None
    """The same in the matched blocks on the other architecture."""
    is_condition: bool = False
    """A root that is only compared: squares could be compared instead."""


@dataclass(frozen=True)
class KernelSummary:
    """One kernel (of a binary) or one launch (of a report)."""

    kernel: str
    launch: int | None
    architecture: str
    toolkit: str
    registers: int | None
    frame_bytes: int | None
    shared_bytes: int | None
    instructions: int
    """Instructions in the code, padding left out."""
    mix: Mapping[str, tuple[int, float | None]]
    """Class -> instructions in the code, share of the executed thread instructions (None without counts)."""
    flops_code: Mapping[str, float]
    """Executed FLOPs by the counts (with counts), else FLOPs of one pass through the code; phantom moves included."""
    flops_counters: Mapping[str, float]
    phantom_flops_fp16: float
    flops_per_byte: Mapping[str, float] = field(default_factory=dict)
    """Bytes of a memory level that the report counted -> FLOP per byte there; phantom moves are no work."""
    flops_per_byte_against: Mapping[str, float] = field(default_factory=dict)
    """The same on the other architecture, where its work was transferred."""
    special: tuple[SpecialFunction, ...] = ()
    comparison: Comparison | None = None
    notes: tuple[str, ...] = ()
    cubin: Cubin | None = None
    executions: Executions | None = None
    symbol: str = ""
    is_weighted: bool = False
    """Whether counts without places weighted FLOPs and shares."""

    @property
    def has_counts(self) -> bool:
        """Whether FLOPs and shares are weighted by execution counts."""
        return self.executions is not None or self.is_weighted


@dataclass(frozen=True, slots=True)
class Against:
    """What to compare with: an architecture, and the binary for it where one was given."""

    sm: int
    data: bytes | None = None
    name: str = ""


@dataclass(frozen=True)
class Input:
    """One kernel to summarise."""

    kernel: str
    symbol: str
    launch: int | None
    cubin: Cubin
    executions: Executions | None = None
    counters: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    bytes_by_level: Mapping[str, float] = field(default_factory=dict)
    """Bytes of each memory level as counted."""


def summarise_file(path: str | Path, against: Against | None = None) -> list[KernelSummary]:
    """Summaries of every launch of a report, or of every kernel of a binary."""
    data = read_bytes(path)
    name = Path(path).name
    if str(path) == "-" and data[:4] == REPORT_MAGIC:
        raise InputError("a report is read twice: give its file name instead of standard input")
    inputs = read_launches(path) if data[:4] == REPORT_MAGIC else read_binary(data, name)
    if not inputs:
        raise InputError(f"{one_line(name)}: no kernel's code is in it")
    return [summarise(item, against) for item in inputs]


def read_binary(data: bytes, name: str) -> list[Input]:
    """Kernels of every cubin of a file; PTX alone is compiled for the oldest GPU that it allows."""
    binaries = find_binaries(data, name)
    cubins, problem = parse_cubins(binaries)
    notes: tuple[str, ...] = ()
    if not cubins:
        texts = [b.data for b in binaries if b.is_ptx]
        if not texts:
            raise InputError(f"{one_line(name)}: {problem or 'no readable code'}")
        cubins = [retarget_ptx((text,), max(DEFAULT_SM, ptx_target(text))) for text in texts]
        notes = ("compiled from PTX",)
    return [
        Input(function.name, function.name, None, cubin, notes=notes)
        for cubin in cubins
        for function in cubin.functions
        if function.is_kernel
    ]


def read_launches(path: str | Path) -> list[Input]:
    """Launches of a report that come with code."""
    from roofcast.reading import read_one

    report = open_report(path)
    cubins = parse_modules(report)
    table = read_one(path)
    inputs = []
    for launch in report.launches:
        cubin = cubins[launch.module] if launch.module >= 0 else None
        if cubin is None:
            continue
        executions = executions_of(launch, cubin, report.modules[launch.module])
        notes: tuple[str, ...] = ()
        if executions is not None and not executions.is_complete:
            notes = ("some counted addresses lie outside the recorded code: counts are not used",)
            executions = None
        counters = sum_counters(table, launch.index) if launch.index < len(table) else {}
        moved = {level: float(table.column(level)[launch.index]) for level in LEVELS if launch.index < len(table)}
        inputs.append(Input(launch.kernel, launch.mangled, launch.index, cubin, executions, counters, notes, moved))
    return inputs


def sum_counters(table: KernelTable, row: int) -> dict[str, float]:
    """FLOPs by the report's own counters, phantom moves included; only what was counted."""
    sums = {}
    for name in FLOPS:
        parts = [table.column(f"insts_{name[6:]}_{kind}")[row] for kind in ("add", "mul", "fma")] if (
            name in ALWAYS_SHOWN
        ) else []  # fmt: skip
        if parts and not any(math.isnan(p) for p in parts):
            width = 2.0 if name == "flops_fp16" else 1.0
            sums[name] = width * float(parts[0] + parts[1] + 2 * parts[2])
            continue
        value = float(table.column(name)[row])
        phantom = float(table.column(PHANTOM)[row]) if name == "flops_fp16" else 0.0
        if not math.isnan(value):
            sums[name] = value + (0.0 if math.isnan(phantom) else phantom)
    # Packed BF16 instructions are the FP16 pipe's: hardware counters and the class table do not split them.
    brain = sums.pop("flops_bf16", 0.0)
    if "flops_fp16" in sums and math.isnan(float(table.column("insts_fp16_fma")[row])):
        sums["flops_fp16"] += brain
    return sums


def summarise(item: Input, against: Against | None = None) -> KernelSummary:
    """Summary of one kernel."""
    cubin = item.cubin
    notes = list(item.notes)
    function = cubin.function(item.symbol)
    side = side_of(cubin, function)
    parts = [p for group in find_reached_parts(cubin, item.symbol).values() for p in group]
    comparison = None
    if against is not None:
        try:
            given = choose_cubin(against.data, against.name, against.sm)[0] if against.data is not None else None
            comparison = compare(cubin, item.symbol, item.executions, against.sm, given)
        except RoofcastError as error:
            notes.append(f"not compared: {error}")
    done = sum_executed(cubin, item.executions) if item.executions is not None else sum_static(parts)
    flops = {
        name: done.get(name, 0.0) for name in FLOPS if name in ALWAYS_SHOWN or name in done or name in item.counters
    }
    mix = count_classes(parts, item.executions)
    here, there = derive_intensities(item, done, comparison)
    if any(has_described_shapes(part) for part in parts):
        notes.append(DESCRIBED_NOTE)
    return KernelSummary(
        kernel=item.kernel, launch=item.launch, architecture=f"sm_{cubin.sm}",
        toolkit=".".join(map(str, cubin.toolkit)) if cubin.toolkit else "",
        registers=side.registers, frame_bytes=side.frame_bytes, shared_bytes=side.shared_bytes,
        instructions=sum(count for count, _ in mix.values()), mix=mix,
        flops_code=flops, flops_counters=dict(item.counters),
        phantom_flops_fp16=done.get(PHANTOM, 0.0), flops_per_byte=here, flops_per_byte_against=there,
        special=list_special_functions(parts, item.executions, comparison, item.symbol),
        comparison=comparison, notes=tuple(notes), cubin=cubin, executions=item.executions, symbol=item.symbol,
    )  # fmt: skip


def derive_intensities(
    item: Input, done: Mapping[str, float], comparison: Comparison | None
) -> tuple[dict[str, float], dict[str, float]]:
    """FLOP per byte of each counted level, here and there; spills of the other code go through its L1."""
    if item.executions is None:
        return {}, {}
    work = {name: done.get(name, 0.0) - (done.get(PHANTOM, 0.0) if name == "flops_fp16" else 0.0) for name in FLOPS}
    known = {level: moved for level, moved in item.bytes_by_level.items() if moved > 0}
    here = {level: sum(work.values()) / moved for level, moved in known.items()}
    if comparison is None or not comparison.is_applied or comparison.carried is None:
        return here, {}
    ratio = {name: comparison.carried.ratio_of_work(name) for name in work}
    moved_work = sum(value * ratio[name] for name, value in work.items() if value and math.isfinite(ratio[name]))
    added = (comparison.bytes_local_there or 0.0) - (comparison.bytes_local_here or 0.0)
    bytes_there = {level: moved + (added if level == "bytes_l1" else 0.0) for level, moved in known.items()}
    return here, {level: moved_work / moved for level, moved in bytes_there.items() if moved > 0}


def has_described_shapes(part: Part) -> bool:
    """Whether a part has tensor instructions whose work the code does not tell."""
    blocks = [part.graph.blocks[b] for b in part.blocks]
    described = part.graph.code.is_one_of(*DESCRIBED)
    return any(bool(described[b.first : b.end].any()) for b in blocks)


def count_classes(parts: list[Part], executions: Executions | None) -> dict[str, tuple[int, float | None]]:
    """Class -> (instructions, share of the executed thread instructions), most executed first; padding left out."""
    static: dict[str, int] = {}
    executed: dict[str, float] = {}
    for part in parts:
        category = part.graph.code.category()
        threads = executions.threads.get(part.graph.function.name) if executions is not None else None
        for number in part.blocks:
            block = part.graph.blocks[number]
            labels, inverse = np.unique(category[block.first : block.end].astype(str), return_inverse=True)
            counts = np.bincount(inverse, minlength=len(labels))
            weights = pick_weights(threads, block)
            done = np.bincount(inverse, weights=weights, minlength=len(labels))
            for label, count, share in zip(labels.tolist(), counts, done, strict=True):
                static[label] = static.get(label, 0) + int(count)
                executed[label] = executed.get(label, 0.0) + float(share)
    if not executed.get("no operation"):
        static.pop("no operation", None)
    total = sum(executed.values())
    shares = {k: (executed[k] / total if total else 0.0) if executions is not None else None for k in static}
    order = sorted(static, key=lambda k: (-(shares[k] or 0.0), -static[k]))
    return {k: (static[k], shares[k]) for k in order}


def pick_weights(threads: NDArray[np.float64] | None, block: Block) -> NDArray[np.float64]:
    """Executions of a block's instructions; zeros without counts."""
    if threads is None:
        return np.zeros(block.end - block.first)
    return np.nan_to_num(threads[block.first : block.end])


def list_special_functions(
    parts: list[Part], executions: Executions | None, comparison: Comparison | None, symbol: str
) -> tuple[SpecialFunction, ...]:
    """Every special function: in line (fast path) and as a subroutine (slow path)."""
    total = executions.total_threads() if executions is not None else 0.0
    change = compare_operations(comparison, symbol)
    functions = []
    for part, operation, path, blocks in find_special_blocks(parts):
        threads = executions.threads.get(part.graph.function.name) if executions is not None else None
        done = sum(float(pick_weights(threads, part.graph.blocks[b]).sum()) for b in blocks)
        first, end = part.graph.blocks[blocks[0]].first, part.graph.blocks[blocks[-1]].end
        flops = sum(sum_flops(part, b, threads) for b in blocks) if executions is None or threads is not None else 0.0
        ratio = change.get((operation, path))
        functions.append(
            SpecialFunction(
                operation=operation,
                where=f"{stable_name(part.symbol)}+0x{first * 16:x}..0x{end * 16:x}",
                source=find_source(part, blocks),
                path=path,
                executed_fraction=(done / total if total else 0.0) if executions is not None else None,
                flops=flops,
                flops_against=None if ratio is None else flops * ratio,
                is_condition=path == "fast" and any(feeds_condition(part.graph, b, operation) for b in blocks),
            )
        )
    return tuple(sorted(functions, key=lambda s: (-(s.executed_fraction or 0.0), -s.flops)))


def find_source(part: Part, blocks: list[int]) -> str:
    """The source line that most instructions of some blocks come from; '' where the binary does not say."""
    lines = part.cubin.source_lines(part.graph.function.name)
    if lines is None:
        return ""
    inside = np.concatenate([np.arange(part.graph.blocks[b].first, part.graph.blocks[b].end) for b in blocks])
    return lines.of(inside)


def find_special_blocks(parts: list[Part]) -> Iterator[tuple[Part, str, str, list[int]]]:
    """(part, operation, fast or slow, blocks) of every special function."""
    for part in parts:
        operation = operation_of_subroutine(part.symbol)
        if operation:
            yield part, operation, "slow", part.blocks
            continue
        for number, name in find_fast_paths(part.graph, part.blocks).items():
            yield part, name, "fast", [number]


def compare_operations(comparison: Comparison | None, symbol: str) -> dict[tuple[str, str], float]:
    """(operation, path) -> FLOPs there over FLOPs here, both with the executions of the source."""
    if comparison is None or comparison.binary_here is None or comparison.binary_there is None:
        return {}
    carried = comparison.carried
    there_counts = carried.executions if carried is not None else None
    if (comparison.executions_here is None) != (there_counts is None):
        return {}
    here = sum_by_operation(comparison.binary_here, symbol, comparison.executions_here)
    there = sum_by_operation(comparison.binary_there, comparison.symbol_there, there_counts)
    return {key: there[key] / value for key, value in here.items() if value and key in there}


def sum_by_operation(cubin: Cubin, symbol: str, executions: Executions | None) -> dict[tuple[str, str], float]:
    """(operation, path) -> FLOPs of a kernel in one binary."""
    total: dict[tuple[str, str], float] = {}
    for part, operation, path, blocks in find_special_blocks(
        [p for group in find_reached_parts(cubin, symbol).values() for p in group]
    ):
        threads = executions.threads.get(part.graph.function.name) if executions is not None else None
        if executions is not None and threads is None:
            continue
        done = sum(sum_flops(part, b, threads) for b in blocks)
        total[operation, path] = total.get((operation, path), 0.0) + done
    return total


def sum_flops(part: Part, number: int, threads: NDArray[np.float64] | None) -> float:
    """FLOPs of a block, executed or of one pass; phantom moves are no work."""
    block, work = part.graph.blocks[number], part.work.of_instructions
    flops = np.zeros(block.end - block.first)
    for name, values in zip(work.names, work.each, strict=True):
        if name in ALWAYS_SHOWN or name == PHANTOM:
            flops += (-1.0 if name == PHANTOM else 1.0) * values[block.first : block.end]
    return float((flops * pick_weights(threads, block)).sum() if threads is not None else flops.sum())


NO_PLACES = "the counts name no instruction of this code: FLOPs by precision only"
NO_BINARY = "no binary: FLOPs by precision only; give the cubin and --counts for blocks and special functions"


def summarise_with_counts(
    path: str | Path, counts: str | Path | None = None, against: Against | None = None
) -> list[KernelSummary]:
    """Summaries of a file (see :func:`roofcast.sass.kernel_summary.summarise_file`), weighted by counts where given.

    path : a binary, a report, or a trace or histogram alone. counts : a trace or histogram of the binary's kernels.
    """
    if counts is not None:
        launches = read_counts(read_bytes(counts), Path(counts).name)
        return summarise_counted(launches, read_binary(read_bytes(path), Path(path).name), Path(path).name, against)
    if str(path) != "-" and Path(path).is_file() and is_text(path):
        data = read_bytes(path)
        if is_counts(data):
            return [summarise_counts_alone(c, NO_BINARY) for c in read_counts(data, Path(path).name)]
    return summarise_file(path, against)


def is_text(path: str | Path) -> bool:
    """Whether a file can hold counts: no binary of any kind, by its first bytes."""
    with Path(path).open("rb") as file:
        head = file.read(4)
    return head[:2] == b"\x1f\x8b" or head == b"\x28\xb5\x2f\xfd" or (b"\0" not in head and head != b"\x7fELF")


def summarise_counted(
    found: Sequence[TraceCounts], inputs: Sequence[Input], name: str, against: Against | None
) -> list[KernelSummary]:
    """One summary per counted kernel of a binary."""
    summaries = []
    for number, counts in enumerate(found):
        for cubin in {id(i.cubin): i.cubin for i in inputs}.values():
            kernel = find_kernel(counts, cubin)
            if kernel is None:
                continue
            executions = place_counts(counts, cubin, kernel)
            if executions is None:
                summaries.append(summarise_counts_alone(counts, NO_PLACES, number))
            else:
                item = Input(counts.kernel or kernel, kernel, number, cubin, executions, notes=counts.notes)
                summaries.append(summarise(item, against))
            break
    if not summaries:
        counted = ", ".join(one_line(c.kernel or "(unnamed)", 60) for c in found[:3])
        raise InputError(f"{one_line(name)}: holds none of the counted kernels ({counted})")
    return summaries


def summarise_counts_alone(counts: TraceCounts, why: str, launch: int | None = None) -> KernelSummary:
    """What counts alone tell: FLOPs by precision and the mix."""
    flops = counts.flops()
    phantom = flops.pop(PHANTOM, 0.0)
    return KernelSummary(
        kernel=counts.kernel or "(unnamed kernel)", launch=launch, architecture="", toolkit="", registers=None,
        frame_bytes=None, shared_bytes=None, instructions=0,
        mix={name: (0, share) for name, share in counts.mix().items()},
        flops_code={name: flops.get(name, 0.0) for name in dict.fromkeys((*ALWAYS_SHOWN, *flops))}, flops_counters={},
        phantom_flops_fp16=phantom, notes=(*counts.notes, why), is_weighted=True,
    )  # fmt: skip
