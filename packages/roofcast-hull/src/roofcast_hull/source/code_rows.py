"""A CUDA or HIP file as a table of kernels: a row for each kernel that it launches, derived from the code alone.

The reader that ``roofcast`` adds to those of profiles (:data:`roofcast.ingest.readers.FURTHER`).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, MissingExtraError, UnknownFormatError, one_line
from roofcast.core.kernel_table import KernelTable, Provenance
from roofcast.core.resource import Resource
from roofcast_hull.emulated.kernel_text import KernelText, open_kernel
from roofcast_hull.emulated.launch import CodeAmounts, emulate
from roofcast_hull.emulated.traffic import WARP
from roofcast_hull.source.c_files import count_launches, read_c
from roofcast_hull.source.c_text import COMMENT, expand_macros
from roofcast_hull.source.c_tree import find_unknown_types
from roofcast_hull.source.code_instructions import ISSUED, find_instructions
from roofcast_hull.source.compiled_kernels import compile_kernel
from roofcast_hull.source.cuda_code import KERNEL
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.whole_files import MOST_BYTES, decode_source
from roofcast_hull.spelled.plain_c import write_plain_c

MOST_LAUNCHES = 32
"""Of a kernel, with different sizes, that are rows."""
INSTRUCTIONS_OF_A_FLOP, INSTRUCTIONS_OF_A_TURN, INSTRUCTIONS_OF_A_WARP = 0.6, 0.7, 29.0
INSTRUCTIONS_OF_A_ROLLED_TURN = 8.0
"""Warp instructions beside one for each access: of an operation (many are halves of an FMA), of a turn of an unrolled
loop, of indices, bounds and addresses once, and of a turn of a loop that compilers do not unroll (counter, comparison,
branch, an address of each array). Counters of 238 kernels on an H100 and an H200 (``measurements``) have them."""
MATRIX_FLOPS = {
    Resource.FLOPS_TENSOR_FP16: 4096, Resource.FLOPS_TENSOR_BF16: 4096, Resource.FLOPS_TENSOR_TF32: 2048,
    Resource.FLOPS_TENSOR_FP8: 8192, Resource.OPS_TENSOR_INT8: 8192, Resource.FLOPS_TENSOR_FP64: 512,
}  # fmt: skip
"""Operations of a warp's instruction on matrix units: m16n8k16 of 16 bits, k8, k32 of others, m8n8k4 of FP64 (PTX)."""
OPERANDS = (
    "tiles that matrix units multiply are taken to lie in shared memory, for each stage of the loop's pipeline, and to "
    "be read by each warp that needs them"
)
CLASSES = "`roofcast hull --from-source FILE` says classes of code, and takes what it does not say as --size NAME=N"
SHAPES = re.compile(r"(?:grid|block)Dim\.[xyz]")
UNSAID = re.compile(r"the file does not say '(\w+)'$")
OPEN_NAME = re.compile(r"\w+ = ([A-Za-z_]\w*) in line \d+: no number that the file says")
OF_BYTES = {1: "char", 2: "__half", 4: "float", 8: "double"}
"""Types in whose place one stands that the file does not declare, by its bytes."""
DERIVED = (
    "derived from source code: operations, bytes and loads in turn from blocks that were run on NumPy; assumed: what "
    "L1 keeps"
)
COMPILED = (
    f"{DERIVED}; registers and instructions are those of NVRTC's code for sm_90 (extra sass), the latter as often as "
    "their lines ran; where they are not, a note says why, and instructions beside operations and accesses are assumed"
)
DERIVED_PYTHON = (
    f"{DERIVED}, instructions beside operations and accesses; registers are what its compiler takes, and unknown here"
)


def read(stream: BinaryIO, name: str, sizes: Mapping[str, int] | None = None) -> KernelTable:
    """A row for each kernel that the file launches, and for each launch of it with other sizes.

    sizes : values of names of the host that come before those that it declares; of the kernels where it leaves them
        open; ``gridDim.x`` and ``blockDim.x`` of all launches.

    Raises
    ------
    InputError : no kernel of the file can be derived; with the first reasons.
    """
    content = stream.read(MOST_BYTES + 1)
    text = decode_source(content, name)
    sizes = sizes or {}
    if unused := [n for n in sizes if not SHAPES.fullmatch(n) and not re.search(rf"\b{re.escape(n)}\b", text)]:
        raise InputError(f"{one_line(name, 80)}: --size {one_line(unused[0], 40)}: the file has no such name")
    if name.lower().endswith(".py"):
        return read_python(text, name, sizes)
    if not KERNEL.search(text):
        raise UnknownFormatError(
            f"{one_line(name, 80)}: source code without a kernel (no __global__ function): {CLASSES}"
        )
    text = spell_types(text, sizes)
    try:
        spelled = text if write_plain_c(text, sizes) is not None else expand_macros(text, sizes)
        counted = count_launches(spelled, sizes)
    except SourceError as error:
        raise InputError(f"{one_line(name, 80)}: {error}") from error
    return collect_rows(
        name, counted, lambda kernel, launch: derive_row(text, kernel, launch=launch, given=sizes), COMPILED
    )


def read_python(text: str, name: str, sizes: Mapping[str, int]) -> KernelTable:
    """A row for each launch of a kernel in Python; registers of the CUDA that it is read as are not its own."""
    import ast

    from roofcast_hull.source.python_code import parse
    from roofcast_hull.source.python_kernels import (
        find_kernels,
        find_launches,
        is_triton,
        list_launched,
        state_sizes,
        write_kernel,
    )

    try:
        tree: ast.Module = state_sizes(parse(text), sizes)
    except SourceError as error:
        raise InputError(f"{one_line(name, 80)}: {error}") from error
    if not find_kernels(tree):
        why = "source code without a kernel (no function with @triton.jit or @cuda.jit)"
        raise UnknownFormatError(f"{one_line(name, 80)}: {why}: {CLASSES}")
    launches = find_launches(tree)
    counted = Counter(x.kernel for x in launches)
    unseen = [k for k in list_launched(tree) if k not in counted]
    counted.update(dict.fromkeys(unseen, 0))
    if not launches and unseen:
        why = "the file launches no kernel with shapes that it states: call it on tensors or arrays made in the file"
        raise UnknownFormatError(f"{one_line(name, 80)}: {why} ({', '.join(one_line(k, 40) for k in unseen[:3])})")

    def derive(kernel: str, launch: int) -> dict[str, object]:
        text = write_kernel(tree, kernel, launch, sizes)
        row = derive_row(text, kernel, tensors=is_triton(tree, kernel), compiles=False)
        notes = tuple([x.notes for x in launches if x.kernel == kernel][launch])
        if any(r.value in row for r in MATRIX_FLOPS):
            notes += (OPERANDS,)
        return {**row, "notes": [*row["notes"], *notes]}  # type: ignore[misc]

    return collect_rows(name, counted, derive, DERIVED_PYTHON)


def collect_rows(
    name: str, counted: Mapping[str, int], derive: Callable[[str, int], dict[str, object]], note: str = DERIVED
) -> KernelTable:
    """Rows of all kernels of a file; a launch that cannot be followed has a row without amounts, which says why.

    counted : launches of each. derive : the row of one launch. note : what is said of all amounts.

    Raises
    ------
    UnknownFormatError : none has a row; with the first reasons.
    """
    rows: list[dict[str, object]] = []
    refused: list[str] = []

    def refuse_launch(kernel: str, why: str) -> None:
        refused.append(f"{one_line(kernel, 40)}: {one_line(why, 200)}")
        rows.append({"kernel": kernel, "grid": "", "block": "", "notes": (), "refused": one_line(why, 300)})

    for kernel, launches in counted.items():
        for launch in range(min(MOST_LAUNCHES, max(1, launches))):
            try:
                rows.append(derive(kernel, launch))
            except MissingExtraError as error:
                raise InputError(f"{one_line(name, 80)}: {error}") from error
            except (SourceError, RecursionError) as error:
                refuse_launch(kernel, name_size(str(error)))
        if launches > MOST_LAUNCHES:
            refuse_launch(kernel, f"{launches} launches, of which {MOST_LAUNCHES} are read")
    if len(refused) == len(rows):
        reasons = "; ".join(refused[:3]) or "none is complete"
        raise UnknownFormatError(f"{one_line(name, 80)}: no kernel can be derived ({reasons}): {CLASSES}")
    missing = (f"{len(refused)} of {len(rows)} launches without amounts: {'; '.join(refused[:3])}",)
    return make_table(rows, Provenance(notes=(note, *(missing if refused else ()))))


def spell_types(text: str, sizes: Mapping[str, int]) -> str:
    """A file with types of which the user says the bytes, ``T=8``, as the numbers of so many."""
    unknown, declared = find_unknown_types(text)
    for name in (unknown - declared) & set(sizes):
        if sizes[name] in OF_BYTES:
            text = re.sub(rf"\b{re.escape(name)}\b", OF_BYTES[sizes[name]], text)
    return text


def name_size(why: str) -> str:
    """Why a launch has no amounts, with the option that says what the file does not.

    >>> name_size("line 2: the file does not say 'n'")
    "line 2: the file does not say 'n': give --size n=N"
    """
    unsaid = UNSAID.search(why)
    return f"{why}: give --size {unsaid[1]}=N" if unsaid and "--size" not in why else why


def derive_row(
    text: str, kernel: str, sizes: Mapping[str, int] | None = None, launch: int | None = None, *,
    tensors: bool = False, given: Mapping[str, int] | None = None, compiles: bool = True,
) -> dict[str, object]:  # fmt: skip
    """What is known of one launch of a kernel.

    sizes : values of size names, ``blockDim.x`` among them, before those that the file says. launch : which of its
    launches with different sizes, from 0; the first where it is None. tensors : whether a Triton kernel was written so.
    given : values of names of the host, of the kernel where the launch leaves them open, and of its grid and block.
    compiles : whether NVIDIA's compiler makes the code that runs of this text.

    Raises
    ------
    SourceError : the code cannot be followed, or the launch or a size is not said.
    """
    given = given or {}
    shape = {n: v for n, v in given.items() if SHAPES.fullmatch(n)}
    opened = open_kernel(text, kernel, {**shape, **(sizes or {})}, launch, given)
    if opened.unknown_types:
        kind = opened.unknown_types[0]
        raise SourceError(
            f"type '{one_line(kind, 40)}' is not declared in the file: give --size {kind}=B, its bytes (2, 4 or 8)"
        )
    if opened.empty:
        raise SourceError(opened.empty)
    known = opened.sizes
    if not opened.is_launched:
        known = {**known, **find_launch(text, kernel, known, launch, opened.notes)}
    restricted = is_restricted(COMMENT.sub(" ", text), kernel)
    amounts = emulate(
        opened.tree,
        opened.function,
        known,
        opened.allocated,
        restricted=restricted,
        templates=opened.templates,
        tensors=tensors,
        of_lines=compiles,
        filled=opened.filled,
    )
    row = fill_row(kernel, known, amounts)
    code, notes = read_code(text, kernel, opened, row, amounts) if compiles else ({"regs_per_thread": math.nan}, [])
    return {**row, **code, "notes": [*opened.notes, *amounts.notes, *notes]}


def read_code(
    text: str, kernel: str, opened: KernelText, row: Mapping[str, object], amounts: CodeAmounts
) -> tuple[dict[str, float], list[str]]:
    """What the machine code of a kernel tells of its launch, and what it does not."""
    code, why = compile_kernel(text, kernel, opened.instance, opened.spelled)
    if code is None or amounts.lines is None:
        return {"regs_per_thread": math.nan}, [f"registers unknown, instructions assumed: {why}"]
    blocks, threads = float(str(row["grid_blocks"])), float(str(row["block_threads"]))
    warps = math.ceil(threads / WARP)
    columns, why = find_instructions(code, amounts.lines, blocks * warps, threads / warps)
    return {"regs_per_thread": code.registers, **columns}, [f"instructions assumed: {why}"] if why else []


def find_launch(
    text: str, kernel: str, sizes: Mapping[str, int], launch: int | None, notes: Sequence[str] = ()
) -> Mapping[str, int]:
    """The grid that a kernel's indices ask for, where the file says only its block.

    notes : what is not known of the launch.

    Raises
    ------
    SourceError : its indices do not say one, or the block is not known.
    """
    wanted = [kind for kind in ("gridDim", "blockDim") if sizes.get(f"{kind}.x", 0) < 1]
    names = [m[1] for m in map(OPEN_NAME.match, notes) if m]
    wanted_names = names if names and wanted == ["gridDim"] else [*names, *(f"{kind}.x" for kind in wanted)]
    asked = ",".join(f"{n}=N" for n in dict.fromkeys(wanted_names))
    missing = f"the file does not say its launch ({', '.join(wanted)}): give --size {asked}, or add the launch to it"
    if "blockDim" in wanted:
        raise SourceError(missing)
    try:
        routine = read_c(text, sizes, kernel, launch).routine
    except SourceError as error:
        raise SourceError(missing) from error
    if not routine.launch or routine.assumed or any("assumed" in n for n in routine.notes):
        raise SourceError(missing)
    return routine.launch


def is_restricted(text: str, kernel: str) -> bool:
    """Whether all pointers of a kernel are promised to be apart."""
    head = re.search(rf"\b{re.escape(kernel)}\s*\(([^)]*)\)\s*\{{", text)
    if head is None:
        return False
    pointers = [p for p in head[1].split(",") if "*" in p]
    return all(re.search(r"__restrict(?:__)?\b|\brestrict\b", p) for p in pointers)


def fill_row(kernel: str, launch: Mapping[str, int], amounts: CodeAmounts) -> dict[str, object]:
    """The columns of one kernel."""
    grid, block = ([launch.get(f"{n}.{a}", 1) for a in "xyz"] for n in ("gridDim", "blockDim"))
    warps = math.prod(grid) * -(-math.prod(block) // 32)
    flops = {r: v for r, v in amounts.flops.items() if v > 0}
    plain = sum(v for r, v in flops.items() if r not in MATRIX_FLOPS) - amounts.flops_of_calls
    issued = (
        amounts.accesses + INSTRUCTIONS_OF_A_FLOP * max(0.0, plain) / 32 + amounts.issued
        + sum(flops.get(r, 0.0) / per_instruction for r, per_instruction in MATRIX_FLOPS.items())
        + INSTRUCTIONS_OF_A_TURN * (amounts.turns - amounts.turns_rolled)
        + INSTRUCTIONS_OF_A_ROLLED_TURN * amounts.turns_rolled + INSTRUCTIONS_OF_A_WARP * warps
    )  # fmt: skip
    moved = amounts.bytes_read + amounts.bytes_written
    row: dict[str, object] = {
        "kernel": kernel, "grid": str(tuple(grid)), "block": str(tuple(block)), "grid_blocks": math.prod(grid),
        "block_threads": math.prod(block), "block_threads_x": block[0], "smem_bytes_per_block": amounts.smem_bytes,
        "bytes_l1": amounts.bytes_l1, "wavefronts_l1": amounts.wavefronts_l1, "bytes_l2": amounts.bytes_l2,
        "bytes_l2_stored": amounts.bytes_l2_stored, "sectors_uncoalesced": amounts.sectors_uncoalesced,
        "shared_bank_conflicts": amounts.bank_conflicts, "words_constant": amounts.constants,
        "bytes_shared": amounts.bytes_shared, "bytes_shared_by_groups": amounts.bytes_shared_by_groups,
        "l1_hit_fraction": 1.0 - min(1.0, amounts.bytes_l2 / amounts.bytes_l1) if amounts.bytes_l1 else math.nan,
        "bytes_dram_read": amounts.bytes_read, "bytes_dram_write": amounts.bytes_written, "bytes_dram": moved,
        "bytes_compulsory": moved, "working_set_bytes": moved,
        "loads_in_turn": amounts.steps, "loads_in_turn_beyond_l1": amounts.steps_beyond_l1,
        "loads_in_turn_new": amounts.steps_new, "bytes_read_again": amounts.bytes_read_again,
        "bytes_read_over": amounts.bytes_read_over, "bytes_between_reads": amounts.bytes_between,
        "bytes_tables": amounts.bytes_tables, "bytes_l2_tables": amounts.bytes_l2_tables,
        "loads_in_turn_tables": amounts.steps_of_tables,
        "insts_issued": issued, "insts_lsu": amounts.accesses, "atomics_l2": amounts.atomics or math.nan,
        "cycles_atomic_in_turn": amounts.update_cycles or math.nan,
        "data_decide": float(amounts.decided), **{r.value: v for r, v in flops.items()},
    }  # fmt: skip
    return row


ASSUMED = (
    "bytes_shared", "bytes_shared_by_groups", "bytes_l2", "l1_hit_fraction", "insts_issued", "loads_in_turn_beyond_l1",
    "bytes_read_again", "bytes_read_over", "bytes_between_reads", "bytes_tables", "bytes_l2_tables",
    "loads_in_turn_tables",
)  # fmt: skip
TEXTS = ("kernel", "grid", "block", "refused")


def make_table(rows: list[dict[str, object]], provenance: Provenance) -> KernelTable:
    """A table without times: what the code says is derived, what a cache keeps and a compiler adds is assumed."""
    names = dict.fromkeys(n for r in rows for n in r if n not in (*TEXTS, "notes"))
    compiled = np.array([ISSUED in r for r in rows])
    numeric: dict[str, tuple[list[float], Origin | NDArray[np.uint8]]] = {
        n: ([float(str(r.get(n, math.nan))) for r in rows], Origin.ASSUMED if n in ASSUMED else Origin.DERIVED)
        for n in names
    }
    if compiled.any():
        numeric["insts_issued"] = (
            numeric["insts_issued"][0], np.where(compiled, np.uint8(Origin.DERIVED), np.uint8(Origin.ASSUMED))
        )  # fmt: skip
    numeric["launch"] = ([float(i) for i in range(len(rows))], Origin.DERIVED)
    numeric["time_s"] = ([math.nan] * len(rows), Origin.ABSENT)
    return KernelTable.from_columns(
        {n: [str(r.get(n, "")) for r in rows] for n in TEXTS}, numeric,
        flags=[tuple(map(str, r["notes"])) for r in rows],  # type: ignore[call-overload]
        provenance=provenance,
    )  # fmt: skip
