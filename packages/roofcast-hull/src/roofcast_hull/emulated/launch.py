r"""What one launch of a kernel moves and computes, from a few of its blocks that run (:mod:`.threads`).

Counts are those of the mean block times the blocks. Bytes that DRAM moves at least are told by what a block's
neighbours touch that it did not:

.. math:: V_x = 32\, u_x \prod_{a} \left(1 + (g_a - 1)\, m_{x,a}\right), \qquad V_x \le E_x

u_x : 1, distinct sectors of array x in a block, in the mean. m_{x,a} : 1, of those of the next block along axis a the
part that no block before touches. g_a : 1, blocks along the axis. E_x : B, what is allocated. Where data choose the
elements, N blocks that each touch u of n sectors touch :math:`n (1 - (1 - u/n)^N)`.
Example: blocks of a matrix product share a row of tiles along x (m = 0) and none along y (m = 1): V is all of A.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import gt
from typing import Any

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.resource import Resource
from roofcast.sass.block_runs import SourceWork
from roofcast_hull.emulated.device_memory import Address, Global, Held, Number, Slot, Structure
from roofcast_hull.emulated.line_work import LineThreads, list_statements
from roofcast_hull.emulated.rows_of_blocks import LANES, MOST_STATEMENTS, Row, Rows, divides_indices, try_rows
from roofcast_hull.emulated.thread_state import ENDED, SEARCHED, Variable
from roofcast_hull.emulated.threads import Threads, declared
from roofcast_hull.emulated.traffic import SECTOR_BYTES, Counts, Traffic
from roofcast_hull.emulated.value_types import DYNAMIC, INT, Type, Types
from roofcast_hull.source.nest import SourceError

MOST_BLOCKS = 64
"""Blocks of a grid that run."""
FEW_BLOCKS = ((4, 8_000), (2, 40_000))
"""Blocks that run; so few where together they take more statements than that."""
NEIGHBOURS = ((300, 8), (2_000, 2), (10**9, 1))
"""Statements of a block up to which so many neighbours run along each axis."""
MOST_THREADS = 1024
"""Threads of a block."""
LARGEST_GRID = (2**31 - 1, 65535, 65535)
"""Of every NVIDIA GPU since Kepler: threads of a block, blocks along each axis (CUDA programming guide)."""
KINDS = ("read", "written", "updated")
GOLDEN = 0.6180339887498949
"""1; the golden ratio less 1: its multiples, without whole numbers, spread evenly."""
ROOTS = {1: 1.618033988749895, 2: 1.324717957244746, 3: 1.220744084605760}
"""Of x^(d+1) = x + 1 for d axes."""
L1_BYTES = 96 * 1024
"""What L1 holds of the data of the blocks on an SM: between Turing's 64 KiB and Hopper's 228 KiB less shared memory."""
SM_THREADS = 2048
"""Threads of a full SM, which share its L1 (2048 on data-centre GPUs, 1024 to 1536 on others)."""
NESTED = 0.25
"""Share of what a block touches that the one before did not, up to which one that touches more holds all of it."""
ALIKE = 0.98
"""Share of the amounts of the busiest block that all others reach where blocks do alike, those at ends aside."""
FEWEST, ALONG = 4, 0.9
"""Blocks, and correlation of what they touch with their places, from which on it follows from the place."""
TABLE_BYTES = 128 * 1024
"""Of arrays that L1 holds from block to block, beside what shared memory and streams take: blocks of an H200 that all
read the same 224 KiB asked L2 for them once on each SM, of 512 KiB each block anew."""
LINE_UPDATE_CYCLES, FEW_UPDATED = 6.0, 8
"""SM cycles from one sector that a warp updates in a line of 128 bytes to the next, and elements up to which updates
follow each other as those of one do. Histograms of 64 to 1,000 bins took 4.8 to 7.8 on five GPUs (Volta to Hopper)."""
SHARED_BY_MANY = 4.0
"""Reads of each byte by blocks beyond which it is no halo."""


@dataclass
class CodeAmounts:
    """Amounts of one launch; the grid is inside."""

    flops: dict[Resource, float] = field(default_factory=lambda: defaultdict(float))
    bytes_l1: float = 0.0
    """Of the 32-byte sectors that each warp's access touches."""
    wavefronts_l1: float = 0.0
    """Times that L1's banks answer, one a clock of an SM."""
    sectors_uncoalesced: float = 0.0
    """Of 32 bytes, beyond as many as the bytes of a warp's lanes fill."""
    bytes_l2: float = 0.0
    bytes_l2_stored: float = 0.0
    bytes_read: float = 0.0
    bytes_written: float = 0.0
    """At least, of DRAM."""
    bytes_shared: float = math.nan
    """Of shared memory, conflicts of banks included; NaN without any."""
    bank_conflicts: float = math.nan
    """Accesses of warps to shared memory that wait for a bank; NaN without any shared memory."""
    bytes_shared_by_groups: float = 0.0
    """Of those what is spared where four warps multiply as one, reading each operand once."""
    smem_bytes: float = 0.0
    """Shared memory of a block."""
    accesses: float = 0.0
    """Loads and stores of warps."""
    bytes_read_again: float = 0.0
    """Reads of L2 beyond the first of each byte, of arrays that most blocks read: neighbours share at the same time."""
    bytes_read_over: float = 0.0
    """Reads of L2 by which blocks ask once more for what they had touched and L1 has lost since."""
    bytes_between: float = 0.0
    """What a block took in between, in the mean of those."""
    bytes_tables: float = 0.0
    """Of arrays that an SM's L1 holds for all of its blocks: whichever block comes reads all of them."""
    bytes_l2_tables: float = 0.0
    """What blocks would ask L2 for of those, each by itself."""
    steps: float = 0.0
    """Loads that one thread waits for in turn; turns of a loop overlap as far as no store forbids."""
    steps_beyond_l1: float = 0.0
    """Those of them in which a block touches sectors for the first time."""
    steps_new: float = 0.0
    """Those of them in which the launch does."""
    steps_of_tables: float = 0.0
    """Those beyond L1 that are of arrays that an SM's L1 holds."""
    turns: float = 0.0
    """Turns of all loops of all warps."""
    turns_rolled: float = 0.0
    """Those of them of loops that compilers do not unroll: by how much they go on no one knows before."""
    issued: float = 0.0
    """Instructions of warps in calls and divisions of whole numbers."""
    flops_of_calls: float = 0.0
    """Operations of calls beyond the first of each."""
    constants: float = 0.0
    """Words of constant memory that warps take one after the other, where lanes ask for different ones."""
    atomics: float = 0.0
    """Updates of elements by atomics; a warp's updates of one element are one."""
    update_cycles: float = 0.0
    """SM cycles in which the updates of the busiest element follow each other, if all of an array are alike."""
    moved: dict[tuple[str, str], float] = field(default_factory=dict)
    """(read, written or updated; array) -> distinct bytes of the launch; of updates elements."""
    stands_for: tuple[float, ...] = ()
    """Blocks of the launch that each block that ran stands for."""
    of_block: dict[tuple[str, str], tuple[float, ...]] = field(default_factory=dict)
    """The same of each block that ran."""
    operations: float = 0.0
    """Of data, as classes count them."""
    operations_from_none: float = 0.0
    """Beside them those on whole numbers that no data enter and that end in results: classes count some of them."""
    operations_of_keys: float = 0.0
    """Those of them on numbers that are no indices: keys, counters of ciphers, states of generators."""
    averaged: bool = False
    """Whether data decide between sides that both compute: operations are those of the mean side."""
    extents: dict[str, float] = field(default_factory=dict)
    """Bytes of the arrays whose size the file says: no more of them is counted."""
    is_exact: bool = True
    """Whether all turns of all loops ran: what each block touches is counted, not estimated."""
    together: bool = False
    """Whether threads waited for each other or asked each other."""
    operations_of_tree: float = 0.0
    """Where they did, those by which all threads of each block join one value of each of them, by shuffles."""
    scattered: frozenset[str] = frozenset()
    """Arrays of which data choose elements."""
    lines: SourceWork | None = None
    """What each line of the source does, where that was asked for."""
    notes: tuple[str, ...] = ()

    @property
    def decided(self) -> int:
        """What data decide: nothing (0), which side of a condition runs (1), which elements are touched (2), or how
        many updates meet in one and how long something is looked for (3).
        """
        if any(SEARCHED in n or ENDED in n for n in self.notes):
            return 3
        if self.scattered:
            updated = {a.partition(".")[0] for kind, a in self.moved if kind == "updated"}
            return 3 if updated & {a.partition(".")[0] for a in self.scattered} else 2
        return int(any("data decide" in n for n in self.notes))


def emulate(  # noqa: PLR0913 - what is known of a launch, and how it is counted
    tree: Any, function: Any, sizes: Mapping[str, int], allocated: Mapping[str, int], *, restricted: bool = False,
    templates: Mapping[str, Sequence[str]] | None = None, of_elements: bool = False,
    roles: Mapping[int, str] | None = None, tensors: bool = False, most: int | None = None, of_lines: bool = False,
    filled: Mapping[str, Any] | None = None,
) -> CodeAmounts:  # fmt: skip
    """Run some blocks of a launch.

    sizes : gridDim, blockDim and the numbers that the kernel is given. allocated : elements of its arrays.
    restricted : whether the code promises that what it stores is not what it loads.
    templates : names of the parameters of the functions' templates. of_elements : whether bytes are those of the
    elements that are touched, not of their sectors. roles : place in the code that loads elements -> what the name of
    their array ends with there. tensors : whether loops go over elements of tensors, as in what is written of a
    Triton kernel. most : statements that all of them run, if not as many as usual. of_lines : whether to say what each
    line does. filled : what the host fills arrays with of which loops ask how often they run.

    Raises
    ------
    SourceError : the kernel does what is not followed, or data decide how long it runs; with line and reason.
    """
    grid = [sizes.get(f"gridDim.{a}", 1) for a in "xyz"]
    block = [sizes.get(f"blockDim.{a}", 1) for a in "xyz"]
    if min(grid + block) < 1 or math.prod(block) > MOST_THREADS or any(map(gt, grid, LARGEST_GRID)):
        raise SourceError(
            f"no GPU starts {' x '.join(str(n) for n in grid)} blocks of {' x '.join(str(n) for n in block)} threads"
        )
    with quietly(overflow=True):
        try:
            functions: dict[str, list[Any]] = defaultdict(list)
            for item in tree.ext:
                if type(item).__name__ == "FuncDef" and item is not function:
                    functions[str(item.decl.name)].append(item)
            traffic = Traffic(of_elements=of_elements)
            kind = LineThreads if of_lines else Threads
            threads = kind(Types(tree), functions, traffic, block, grid, restricted=restricted)
            if isinstance(threads, LineThreads):
                threads.begin = list_statements(tree)
            threads.templates, threads.roles, threads.tensors = templates or {}, roles or {}, tensors
            threads.follows_conditions, threads.filled = of_elements, filled or {}
            threads.most_statements = most or threads.most_statements
            return run_launch(threads, tree, function, sizes, allocated, grid)
        except (
            ArithmeticError,
            AssertionError,
            AttributeError,
            LookupError,
            MemoryError,
            RecursionError,
            TypeError,
            ValueError,
        ) as error:
            # Whatever a tree holds that these pages do not know.
            raise SourceError(f"{type(error).__name__} while a block of it ran") from error


def run_launch(
    threads: Threads, tree: Any, function: Any, sizes: Mapping[str, int], allocated: Mapping[str, int],
    grid: Sequence[int],
) -> CodeAmounts:  # fmt: skip
    """The same of a grid that a GPU starts; what a tree holds that is not known here may raise any error."""
    threads.traffic.room = L1_BYTES / max(1, SM_THREADS // threads.lanes)
    extents = dict[str, float]()
    arguments = prepare(threads, tree, function, sizes, allocated, extents)
    threads.ends = not set(arguments) <= {*extents, *sizes}
    block = [sizes.get(f"blockDim.{a}", 1) for a in "xyz"]

    def make_row() -> tuple[Threads, Any, Mapping[str, Slot]]:
        lanes = [min(LANES, max(grid)), 1, 1]
        row = Threads(
            threads.types, threads.functions, Traffic(of_elements=threads.traffic.of_elements), lanes, grid,
            restricted=threads.restricted,
        )  # fmt: skip
        row.templates, row.roles, row.tensors = threads.templates, threads.roles, threads.tensors
        row.filled = threads.filled
        row.places["blockDim"] = dict(zip("xyz", block, strict=True))
        return row, function, prepare(row, tree, function, sizes, allocated, {})

    rows = partial(try_rows, make_row, grid, block) if divides_indices(function, threads.functions) else None
    return run_blocks(threads, function, arguments, grid, extents, rows)


def prepare(
    threads: Threads, tree: Any, function: Any, sizes: Mapping[str, int], allocated: Mapping[str, int],
    extents: dict[str, float],
) -> dict[str, Slot]:  # fmt: skip
    """Declare what a file has outside of functions; arguments of its kernel. extents : bytes of arrays, added."""
    for name, value in sizes.items():
        if "." not in name:
            threads.file[name] = Variable(
                Number(value, INT if abs(value) < 1 << 31 else Type("long", 8)), DYNAMIC, threads.all
            )
    declare_file(threads, tree, extents)
    return make_arguments(threads, function, sizes, allocated, extents, find_offsets(function, threads.functions))


def declare_file(threads: Threads, tree: Any, extents: dict[str, float]) -> None:
    """Constants and arrays outside of functions."""
    for item in tree.ext:
        if type(item).__name__ != "Decl" or type(item.type).__name__ in ("FuncDecl", "Struct", "Enum"):
            continue
        name = str(item.name)
        if name in threads.file:
            continue
        try:
            kind, dims, pointed = threads.read_type(item.type)
            of_host = "static" in (item.storage or ()) and item.init is None
            large = all(d > 0 for d in dims) and (of_host or math.prod(dims) * kind.size > 1 << 16)
            if dims and not pointed and large:
                extents[name] = float(math.prod(dims) * kind.size)
                memory = Global(name, extents[name], threads.traffic.locate(name, extents[name], kind))
                threads.file[name] = Variable(Address(memory, 0, kind, dims[1:]), kind, threads.all)
                continue
            outer, threads.frame = threads.frame, type(threads.frame)()
            threads.run_decl(item)
            slots = threads.frame.names
            threads.frame = outer
            for label in declared(item):
                if (held := slots.get(label)) is not None:
                    threads.file[label] = hold_constant(held, item, kind)
        except SourceError:
            continue


def hold_constant(held: Variable, item: Any, kind: Type) -> Variable:
    """What a file declares, as all threads read it."""
    if isinstance(held.value, Address) and isinstance(held.value.memory, Held):
        # Constant memory: every lane reads it through a cache of its own.
        held.value.memory.constant = held.value.memory.shared = True
        if held.value.memory.values.ndim > 1:
            held.value.memory.values = held.value.memory.values[:, 0].copy()
    elif item.init is None and isinstance(held.value, Number):
        held.value = Number(0.75 if kind.real else None, kind)
    return held


def make_arguments(
    threads: Threads, function: Any, sizes: Mapping[str, int], allocated: Mapping[str, int], extents: dict[str, float],
    offsets: set[str],
) -> dict[str, Slot]:  # fmt: skip
    """What the kernel is given."""
    slots: dict[str, Slot] = {}
    largest = max(allocated.values(), default=0)
    for parameter in getattr(function.decl.type.args, "params", None) or ():
        if type(parameter).__name__ != "Decl" or not parameter.name:
            continue
        name = str(parameter.name)
        kind, dims, pointed = threads.read_type(parameter.type)
        if pointed or dims:
            extent = float(allocated[name] * kind.size) if name in allocated else None
            if extent is not None:
                extents[name] = extent
            memory = Global(name, extent, threads.traffic.locate(name, extent, kind))
            memory.filled = threads.filled.get(name)
            if name in offsets and extent is not None and largest > allocated[name] and memory.filled is None:
                memory.total = float(largest)
            # A pointer to rows has the sizes of a row; an array among the parameters is a pointer to what is in it.
            inner = dims if type(parameter.type).__name__ == "PtrDecl" else dims[1:]
            slots[name] = Address(memory, 0, kind, tuple(inner))
            # An array of the file that a nest of C is given is the one that its functions name.
            threads.file.setdefault(name, Variable(slots[name], kind, threads.all))
        elif kind.members:
            slots[name] = give_structure(threads, name, kind, sizes, allocated, extents)
        elif kind.real:
            slots[name] = Number(0.75, kind)
        else:
            value = sizes.get(name)
            slots[name] = Number(value, kind if kind is not DYNAMIC else INT)
    return slots


def give_structure(
    threads: Threads, name: str, kind: Type, sizes: Mapping[str, int], allocated: Mapping[str, int],
    extents: dict[str, float],
) -> Structure:  # fmt: skip
    """A structure that the kernel is given: numbers that the file says or does not say, arrays of its own."""
    fields: dict[str, Any] = {}
    for label, t, _, dims in kind.members:
        member = f"{name}.{label}"
        if t.points is not None:
            extent = float(allocated[member] * t.points.size) if member in allocated else None
            extents |= {} if extent is None else {member: extent}
            memory = Global(member, extent, threads.traffic.locate(member, extent, t.points))
            memory.filled = threads.filled.get(member)
            fields[label] = Address(memory, 0, t.points)
        elif t.members and not dims:
            fields[label] = give_structure(threads, member, t, sizes, allocated, extents)
        elif dims:
            fields[label] = give_array(threads, member, t, dims, sizes)
        else:
            fields[label] = Number(0.75 if t.real else sizes.get(member), t)
    return Structure(kind, fields)


def give_array(threads: Threads, name: str, kind: Type, dims: Sequence[int], sizes: Mapping[str, int]) -> Slot:
    """A small array in a structure that the kernel is given, with the numbers that the file says."""
    array = threads.empty(kind, tuple(dims))
    if isinstance(array, Address) and isinstance(array.memory, Held):
        # Launches hand it over in constant memory.
        array.memory.constant = array.memory.shared = True
        array.memory.values = array.memory.values[:, 0].copy()
        for at in range(len(array.memory.values)):
            array.memory.values[at] = sizes.get(f"{name}[{at}]", 0.75 if kind.real else 1)
    return array


def find_offsets(function: Any, functions: Mapping[str, Sequence[Any]]) -> set[str]:
    """Arrays that are read at an index and at the next one: where rows start and end."""
    from pycparser import c_generator

    write = c_generator.CGenerator().visit
    seen: dict[str, set[str]] = defaultdict(set)

    def walk(node: Any) -> None:
        if type(node).__name__ == "ArrayRef" and type(node.name).__name__ == "ID":
            seen[str(node.name.name)].add(str(write(node.subscript)).replace("(", "").replace(")", ""))
        for _, child in node.children():
            walk(child)

    for item in (function, *(f for many in functions.values() for f in many)):
        walk(item.body)
    return {n for n, texts in seen.items() if any(f"{t} + 1" in texts or f"1 + {t}" in texts for t in texts)}


def pick_blocks(grid: Sequence[int], count: int) -> list[tuple[int, int, int]]:
    """Blocks spread over the grid, in the order in which they run: each fewer of them are spread as well.

    Along each axis with several blocks they follow the additive sequence of Roberts (2018): for one axis steps of the
    golden ratio, for two of the plastic number.
    """
    total, axes = math.prod(grid), [k for k in range(3) if grid[k] > 1]
    if total <= count:
        every = [(i % grid[0], i // grid[0] % grid[1], i // (grid[0] * grid[1])) for i in range(total)]
        return sorted(every, key=lambda at: (at[0] + at[1] * grid[0]) * GOLDEN % 1.0)
    steps = {k: ROOTS[len(axes)] ** -(n + 1) for n, k in enumerate(axes)}
    return [
        (int((0.5 + i * steps.get(0, 0.0)) % 1.0 * grid[0]), int((0.5 + i * steps.get(1, 0.0)) % 1.0 * grid[1]),
         int((0.5 + i * steps.get(2, 0.0)) % 1.0 * grid[2])) for i in range(count)
    ]  # fmt: skip


def run_blocks(
    threads: Threads, function: Any, arguments: Mapping[str, Slot], grid: Sequence[int], extents: Mapping[str, float],
    find_rows: Callable[[Sequence[int]], Rows] | None = None,
) -> CodeAmounts:  # fmt: skip
    """Run blocks and add up what they do. find_rows : different places along axes, where blocks may share indices."""
    traffic, amounts = threads.traffic, CodeAmounts()
    picked, blocks = pick_blocks(grid, MOST_BLOCKS), list[Counts]()
    for at in picked:
        if any(len(blocks) >= few and threads.statements > most for few, most in FEW_BLOCKS):
            break
        blocks.append(traffic.begin(fresh=not blocks))
        threads.run_block(at, function, arguments)
    done = len(blocks)
    if threads.ends:
        # How far arrays of unknown size go, the last block says.
        traffic.begin()
        threads.run_block([g - 1 for g in grid], function, arguments)
    near = next(n for most, n in NEIGHBOURS if threads.statements <= most * done)
    typical = find_typical(picked, blocks, grid)
    shares = run_neighbours(threads, function, arguments, grid, typical, near)
    rows = find_rows(typical) if find_rows and threads.statements <= MOST_STATEMENTS * done else {}
    corners = list[tuple[Place, Counts]]()
    if len({count_arrays(c) for c in blocks}) > 1:
        # Where some blocks do nothing the corners say how far those reach that work.
        for at in sorted({(x, y, z) for x in (0, grid[0] - 1) for y in (0, grid[1] - 1) for z in (0, grid[2] - 1)}):
            corners.append((at, traffic.begin()))
            threads.run_block(at, function, arguments)
    totals = [math.prod(grid) * w for w in weigh_blocks([c.operations for c in blocks], picked[:done], grid)]
    amounts.stands_for = tuple(totals)
    amounts.lines = threads.sum_lines(blocks, totals) if isinstance(threads, LineThreads) else None
    for counts, total in zip(blocks, totals, strict=True):
        for resource, value in counts.flops.items():
            amounts.flops[resource] += total * value
        amounts.operations += total * counts.operations
        amounts.operations_from_none += total * counts.operations_from_none
        amounts.operations_of_keys += total * counts.operations_of_keys
        amounts.accesses += total * (counts.accesses + counts.shared)
        amounts.turns += total * counts.turns
        amounts.turns_rolled += total * counts.turns_rolled
        amounts.issued += total * counts.issued
        amounts.flops_of_calls += total * counts.flops_of_calls
        amounts.atomics += total * counts.atomics
        amounts.constants += total * counts.constants
    add_traffic(amounts, blocks, totals, tensors=threads.tensors)
    amounts.extents, amounts.is_exact, amounts.together = dict(extents), not threads.leapt, threads.together
    if threads.together:
        amounts.operations_of_tree = float(math.prod(grid) * threads.lanes * math.ceil(math.log2(threads.lanes)))
    amounts.averaged = threads.averaged
    room = {**find_reached(arguments), **extents}
    add_memory(amounts, blocks, picked[:done], corners, (shares, rows), grid, room, traffic)
    shared_accesses = sum(total * c.shared for c, total in zip(blocks, totals, strict=True))
    held = list(threads.shared.values())
    amounts.smem_bytes = float(sum(h.top if h.open else len(h.values) * h.unit for h in held))
    if held:
        amounts.bytes_shared = 128.0 * shared_accesses
        amounts.bank_conflicts = sum(total * c.bank_conflicts for c, total in zip(blocks, totals, strict=True))
    note = f"{done} of {math.prod(grid)} blocks were run on NumPy: counts are theirs, times the blocks"
    chosen = sorted(amounts.scattered)
    spread = (f"data choose which elements of {', '.join(chosen)} are touched: taken as spread",) if chosen else ()
    amounts.notes = (note, *threads.notes, *spread)
    return amounts


def add_traffic(amounts: CodeAmounts, blocks: Sequence[Counts], totals: Sequence[float], *, tensors: bool) -> None:
    """Add what blocks ask caches and shared memory for, each of them ``totals`` times.

    tensors : whether they are those of a Triton kernel, whose registers hold what several statements take of a tensor.
    """
    for counts, total in zip(blocks, totals, strict=True):
        amounts.bytes_l1 += total * SECTOR_BYTES * counts.sectors_l1
        amounts.wavefronts_l1 += total * counts.wavefronts_l1
        amounts.sectors_uncoalesced += total * counts.sectors_uncoalesced
        amounts.bytes_l2 += total * SECTOR_BYTES * counts.sectors_l2
        amounts.bytes_l2_stored += total * SECTOR_BYTES * counts.stored_l2
        amounts.bytes_shared_by_groups += total * counts.shared_by_groups
        if not tensors:
            amounts.bytes_read_over += total * SECTOR_BYTES * counts.over
            amounts.bytes_between += total * SECTOR_BYTES * counts.apart
    amounts.bytes_between /= max(1.0, amounts.bytes_read_over)


def find_reached(arguments: Mapping[str, Slot]) -> dict[str, float]:
    """Bytes of the arrays of a size that the file does not say, as far as the code, and no data, goes into them."""
    reached = dict[str, float]()
    for argument in arguments.values():
        memory = argument.memory if isinstance(argument, Address) else None
        if isinstance(memory, Global) and memory.extent is None and memory.top > 0:
            reached[memory.name] = float(memory.top)
    return reached


def find_typical(
    picked: Sequence[tuple[int, int, int]], blocks: Sequence[Counts], grid: Sequence[int]
) -> Sequence[int]:
    """The block that touches what half of those do that touch most arrays; of equals the one in the middle."""
    arrays = [count_arrays(c) for c in blocks]
    touched = [sum(sum(getattr(c, kind).values()) for kind in KINDS) for c in blocks]
    busy = sorted(t for t, n in zip(touched, arrays, strict=True) if t > 0 and n == max(arrays))
    usual = busy[len(busy) // 2] if busy else 0.0

    def rank(k: int) -> tuple[int, float, float]:
        return (
            -arrays[k],
            abs(touched[k] - usual),
            sum(abs(2 * p + 1 - g) / g for p, g in zip(picked[k], grid, strict=True)),
        )

    return picked[min(range(len(blocks)), key=rank)]


def count_arrays(counts: Counts) -> int:
    """Arrays that a block touches, each way that it does."""
    return sum(amount > 0 for kind in KINDS for amount in getattr(counts, kind).values())


Place = tuple[int, int, int]
"""Of a block in its grid."""
Shares = dict[tuple[str, str], list[float]]
"""(read, written or updated; array) -> of what a block touches the part that the one before along x, y, z did not."""


def run_neighbours(
    threads: Threads, function: Any, arguments: Mapping[str, Slot], grid: Sequence[int], middle: Sequence[int],
    near: int,
) -> Shares:  # fmt: skip
    """A block, and how much of what the next along each axis touch those before them did not."""
    traffic = threads.traffic
    shares: Shares = defaultdict(lambda: [1.0, 1.0, 1.0])
    for axis in range(3):
        known = set[tuple[str, str]]()
        for way in (1, -1):
            reach = grid[axis] - 1 - middle[axis] if way > 0 else middle[axis]
            if reach < 1:
                continue
            counts = traffic.begin()
            threads.run_block(middle, function, arguments)
            wanted = {(kind, array) for kind in KINDS for array, sectors in getattr(counts, kind).items() if sectors}
            touched: dict[tuple[str, str], float] = defaultdict(float)
            first: dict[tuple[str, str], float] = defaultdict(float)
            for k in range(1, min(near, reach) + 1):
                at = list(middle)
                at[axis] += way * k
                counts = traffic.begin(fresh=False)
                threads.run_block(at, function, arguments)
                for kind in KINDS:
                    for array, sectors in getattr(counts, kind).items():
                        touched[kind, array] += sectors
                        first[kind, array] += counts.first[kind, array]
            # Where no block on one side works on an array there is nothing to learn: the other side then tells.
            for key, sectors in touched.items():
                if sectors and key not in known:
                    known.add(key)
                    shares[key][axis] = first[key] / sectors
            if wanted <= known:
                break
    return shares


def count_distinct(  # noqa: PLR0913 - what blocks touched, and where they stand
    blocks: Sequence[Counts], places: Sequence[Place], corners: Sequence[tuple[Place, Counts]], key: tuple[str, str],
    shares: Sequence[float], rows: Sequence[Row] | None, grid: Sequence[int], room: float, *, random: bool,
) -> float:  # fmt: skip
    """Distinct places that all blocks touch, from those of some. room : that there are at most.

    What neighbours share is said by those that touch anything: of a triangle's blocks half do. Blocks far apart may
    touch others though neighbours share all of theirs. Where n blocks of the sample together touched more than
    neighbours make expect, they are taken to fall on G places of equal size: D = u G (1 - (1 - 1/G)^n).
    """
    number, done = math.prod(grid), len(blocks)
    touched = [getattr(c, key[0])[key[1]] for c in blocks]
    weights = weigh_ends(touched, places, grid)
    per_block: float = sum(w * e for w, e in zip(weights, touched, strict=True))
    if random and math.isfinite(room) and room > per_block:
        spared = math.exp(number * math.log1p(-per_block / room))
        return float(room - room * spared)
    busy = sorted(e for e in touched if e > 0)
    per_busy = per_block / (sum(w for w, e in zip(weights, touched, strict=True) if e > 0) or 1.0)
    if len(busy) < done:
        working = [at for at, e in zip(places, touched, strict=True) if e]
        working += [at for at, c in corners if getattr(c, key[0])[key[1]]]
        grid = [reach_busy(g, [at[k] for at in working]) for k, g in enumerate(grid)]
    shares, growing = list(shares), [k for k in range(3) if grows_along(touched, [at[k] for at in places])]
    for k in growing:
        if shares[k] < NESTED:
            # What a block touches lies inside of what its neighbour does: the largest holds them all. Of n numbers
            # that are spread evenly the largest lies a gap below the end.
            per_busy, shares[k] = busy[-1] + (busy[-1] - busy[0]) / len(busy), 0.0
        else:
            # Blocks of a triangle: in the mean those of the middle.
            mean = sum(w * e for w, e in zip(weigh_blocks(touched, places, grid), touched, strict=True))
            per_busy = mean * done / len(busy)
    different = [1 + (g - 1) * r for g, r in zip(grid, shares, strict=True)]
    for k, row in enumerate(rows or ()):
        if grid[k] > 1 and k not in growing:
            different[k] = row.find(different[k] if shares[k] else 0.0, len(busy) / done)
    distinct: float = per_busy * math.prod(different)
    seen: float = sum(c.first[key] for c in blocks)
    if distinct < seen:
        low, high = seen / per_busy, float(number)
        while high > 1.01 * low:
            middle = math.sqrt(low * high)
            reached = per_busy * middle * -math.expm1(len(busy) * math.log1p(-1 / middle)) if middle > 1 else per_busy
            low, high = (middle, high) if reached < seen else (low, middle)
        distinct = per_busy * high
    return min(distinct, room, per_block * number)


def reach_busy(blocks: int, places: Sequence[int]) -> int:
    """Blocks along an axis from the first that works to the last, by some of them that lie evenly: half a gap further.

    The ends of the axis, which corners tell, are exact.
    """
    if len(places) < 2:
        return min(blocks, 1)
    first, last = min(places), max(places)
    gap = (last - first) / (len(places) - 1) / 2
    return min(blocks, max(1, round(last - first + 1 + gap * ((first > 0) + (last < blocks - 1)))))


def grows_along(amounts: Sequence[float], places: Sequence[int]) -> bool:
    """Whether amounts of blocks grow, or shrink, with their places along an axis."""
    if len(amounts) < FEWEST or max(amounts) == min(amounts) or max(places) == min(places):
        return False
    return bool(abs(np.corrcoef(amounts, places)[0, 1]) > ALONG)


def weigh_blocks(
    amounts: Sequence[float], places: Sequence[tuple[int, int, int]], grid: Sequence[int]
) -> Sequence[float]:
    r"""Weights of blocks in the mean of all: equal ones, or those of a line through amounts that grow along an axis.

    .. math:: w = (1, c) (X^T X)^{-1} X^T, \qquad X = (1, p)

    p : places of the blocks along axes on which their amounts grow. c : those of the middle of the grid. The last
    block along an axis, which may be cut, counts as the part of the grid that it is.
    """
    growing = [k for k in range(3) if grows_along(amounts, [at[k] for at in places])]
    if not growing:
        return weigh_ends(amounts, places, grid)
    points = np.array([[1.0, *(at[k] for k in growing)] for at in places])
    middle = np.array([1.0, *((grid[k] - 1) / 2 for k in growing)])
    return [float(w) for w in middle @ np.linalg.pinv(points)]


def weigh_ends(
    amounts: Sequence[float], places: Sequence[tuple[int, int, int]], grid: Sequence[int]
) -> Sequence[float]:
    """Weights of blocks in the mean of all, where those at the ends of axes are as few as they are in the grid.

    Equal ones where others differ, too: of a triangle's blocks those spread over the grid are the mean.
    """
    ends = [tuple(at[k] == g - 1 > 0 for k, g in enumerate(grid)) for at in places]
    inner = [a for a, e in zip(amounts, ends, strict=True) if not any(e)]
    if len(set(amounts)) <= 1 or max(inner, default=0.0) * ALIKE > min(inner, default=0.0):
        return [1 / len(amounts)] * len(amounts)
    weights = [
        math.prod(1 / g if end else (g - 1) / g for end, g in zip(e, grid, strict=True) if g > 1) / ends.count(e)
        for e in ends
    ]
    return [w / sum(weights) for w in weights]


def add_memory(
    amounts: CodeAmounts, blocks: Sequence[Counts], places: Sequence[Place], corners: Sequence[tuple[Place, Counts]],
    along: tuple[Shares, Rows], grid: Sequence[int], extents: Mapping[str, float], traffic: Traffic,
) -> None:  # fmt: skip
    """Add what DRAM moves at least, and the waits for it. along : what neighbours and threads say of axes."""
    number, done = math.prod(grid), len(blocks)
    shares, rows = along
    scattered = set[str]().union(*(c.scattered for c in blocks))
    moved: dict[str, dict[str, float]] = {}
    for kind in KINDS:
        moved[kind] = {}
        for array in {a for c in blocks for a in getattr(c, kind)}:
            unit = 1 if kind == "updated" else traffic.find_unit(array)
            room = extents.get(array, math.inf) / (traffic.updated.get(array, 1) if kind == "updated" else unit)
            moved[kind][array] = unit * count_distinct(
                blocks,
                places,
                corners,
                (kind, array),
                shares[kind, array],
                rows.get((kind, array)),
                grid,
                room,
                random=array in scattered,
            )
            amounts.moved[kind, array] = moved[kind][array]
            amounts.of_block[kind, array] = tuple(unit * getattr(c, kind)[array] for c in blocks)
    amounts.scattered = frozenset(scattered)
    for array, amount in moved["read"].items():
        amounts.bytes_read += amount
        asked = traffic.find_unit(array) * number / done * sum(c.asked[array] for c in blocks)
        amounts.bytes_read_again += asked - amount if asked > SHARED_BY_MANY * amount > 0 else 0.0
    amounts.bytes_written += sum(moved["written"].values())
    for array, elements in moved["updated"].items():
        serial = number / done * sum(c.serial[array] for c in blocks)
        amounts.update_cycles = max(amounts.update_cycles, serial / max(1.0, elements))
        if elements > FEW_UPDATED:
            lines = number / done * sum(c.serial_lines[array] for c in blocks) / elements
            amounts.update_cycles = max(amounts.update_cycles, LINE_UPDATE_CYCLES * lines)
        reach = min(traffic.updated.get(array, 4.0) * elements, extents.get(array, math.inf))
        amounts.bytes_read += reach
        amounts.bytes_written += reach
    first, tables = {}, set[str]()
    for array, amount in sorted(moved["read"].items(), key=lambda item: item[1]):
        asked = traffic.find_unit(array) * number / done * sum(c.asked[array] for c in blocks)
        if asked > SHARED_BY_MANY * amount > 0 and amounts.bytes_tables + amount <= TABLE_BYTES:
            tables.add(array)
            amounts.bytes_tables += amount
            amounts.bytes_l2_tables += asked
        first[array] = 1.0 if array in scattered else min(1.0, amount / asked) if asked else 1.0
    # A block that loads nothing waits for nothing.
    waiting = max(1, sum(bool(c.steps) for c in blocks))
    for counts in blocks:
        for (deep, arrays), value in counts.steps.items():
            amounts.steps += value / waiting
            amounts.steps_beyond_l1 += value * deep / waiting
            amounts.steps_of_tables += value * (deep and bool(arrays) and arrays <= tables) / waiting
            amounts.steps_new += value * deep * max((first.get(a, 1.0) for a in arrays), default=0.0) / waiting
