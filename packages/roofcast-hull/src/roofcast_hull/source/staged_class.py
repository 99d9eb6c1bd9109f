r"""Running sums, orders, transforms and their stages: told by what code computes, however it is written.

Code that has no other class is run on made-up numbers, blocks of a launch or a function of C with small sizes. Where
each run of L elements that it writes is

.. math:: y_i = y_{i-1} \circ x_i \;(scan), \qquad y_i \le y_{i+1},\ \{y\} = \{x\} \;(sort), \qquad
   y_k = s \sum_i x_i e^{\mp 2 \pi j i k / L} \;(fft)

of the run of an array that it reads, twice with other numbers and in each block, it has that class. Where instead each
thread takes as many elements as it gives back (2, 4, 8 or 16), the same power of two apart, mixes them, and no two
threads share one, whatever data decide, a launch is a stage: ``N|tile(2) -> N|tile(2)``, in pairs that are no
neighbours.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from roofcast.core.errors import one_line
from roofcast_hull.classes import FFT_FLOPS, count_all_applications
from roofcast_hull.emulated.device_memory import DATA
from roofcast_hull.emulated.kernel_text import KernelText, open_kernel
from roofcast_hull.emulated.launch import pick_blocks
from roofcast_hull.emulated.numbers_run import MOST_UNITS, Array, NumbersRun, run_on_numbers
from roofcast_hull.notation import ClassTextError, parse_class
from roofcast_hull.source.c_tree import find_names, substitute
from roofcast_hull.source.found_class import Found
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.opened_structures import JOINT, open_structures, write_dimensions
from roofcast_hull.source.staged_results import (
    CHANGED,
    CLOSE,
    COVERED,
    LEAST_RUN,
    STAGE,
    Result,
    RowSums,
    Values,
    are_close,
    count_usual,
    find_result,
    find_row_sums,
    find_sums,
    list_runs,
)

STAGE_BLOCKS = 16
"""Blocks of a launch that are looked at for a stage."""
SMALL = (64, 128)
"""Sizes at which a function of C runs."""
MOST_PER_STAGE = 8.0
"""Operations of an element in a stage, over those of the class: beyond them it is another algorithm."""
GROWTH = 1.35
"""Ratio of the operations of an element in a stage at two sizes, beyond which they grow with the size."""


def classify_staged(text: str, sizes: Mapping[str, int], function: str | None, refusal: SourceError) -> list[Found]:
    """The class of a function of C, or of a launched kernel, that computes a scan, an order, a transform or a stage.

    refusal : why it has no other class.

    Raises
    ------
    SourceError : the refusal, where it is none of them.
    """
    try:
        if "__global__" not in text:
            return [classify_function(text, sizes, function)]
        try:
            return [classify_kernel(text, sizes, function)]
        except (SourceError, ClassTextError):
            return [classify_product(text, sizes, function)]
    except (SourceError, ClassTextError):
        raise refusal from None


# Kernels


def classify_kernel(text: str, sizes: Mapping[str, int], function: str | None) -> Found:
    """The class of a launched kernel."""
    if function is None:
        raise SourceError("no kernel is named")
    opened = open_kernel(text, function, sizes, None)
    if not opened.is_launched:
        raise SourceError("the file does not say its launch")
    grid = [opened.sizes.get(f"gridDim.{a}", 1) for a in "xyz"]
    blocks = [(0, 0, 0), *((k, 0, 0) for k in (1, 2) if grid[0] > k), *((0, 1, 0) for _ in "y" if grid[1] > 1)]
    run = run_kernel(opened, blocks, reverse=False)
    sums = find_row_sums(run)
    if sums is not None and sums == find_row_sums(run_kernel(opened, blocks, reverse=True)):
        return record_rows(opened, sums, run, math.prod(grid))
    result = find_result(run)
    if result is None or result != find_result(run_kernel(opened, blocks, reverse=True)):
        if not may_be_stage(run):
            raise SourceError("its threads share what they touch")
        return classify_stage(opened, grid)
    written = len(run.arrays[result.outputs[0]].list_touched(0, stores=True)) // complex_scalars(result, run)
    elements = written * math.prod(grid)
    elements = round_to_runs(elements, result, run, opened.allocated)
    operations = run.operations / len(blocks) * math.prod(grid) * elements / (written * math.prod(grid))
    note = f"run on numbers, each of {len(blocks)} blocks, twice: {result.word}"
    return record(opened.function, result, run, elements, operations, (*opened.notes,), f"checked at 1 size: {note}")


def run_kernel(opened: KernelText, blocks: Sequence[Sequence[int]], *, reverse: bool) -> NumbersRun:
    """Run blocks of a launch."""
    return run_on_numbers(
        opened.tree, opened.function, opened.sizes, opened.allocated, blocks, templates=opened.templates,
        reverse=reverse,
    )  # fmt: skip


def round_to_runs(elements: int, result: Result, run: NumbersRun, allocated: Mapping[str, int]) -> int:
    """Elements of a result, as many as there is room for, in whole runs."""
    name = result.outputs[0]
    if name in allocated:
        room = allocated[name] * run.arrays[name].scalars // complex_scalars(result, run)
        elements = min(elements, room)
    return -(-elements // result.run) * result.run


def complex_scalars(result: Result, run: NumbersRun) -> int:
    """Scalars of an element of a result: two of complex numbers that lie side by side, else one."""
    return 2 if result.pattern == "fft" and len(result.outputs) == 1 else 1


def record(
    function: Any, result: Result, run: NumbersRun, elements: int, operations: float, notes: tuple[str, ...],
    checked: str, sizes: tuple[Mapping[str, int], ...] = (),
) -> Found:  # fmt: skip
    """The class of a result.

    Raises
    ------
    SourceError : it takes far more operations than the class does.
    """
    whole = result.run == elements
    tile, staged = ("full", result.pattern) if whole else (f"tile({result.run})", f"{result.pattern}({result.run})")
    outputs = [f"{elements}|{staged}" for n in result.outputs if n not in find_sums(run, result)]
    sums = [f"{elements // result.run}|{'shared' if whole else 'element'}" for _ in find_sums(run, result)]
    algorithm = parse_class(
        f"{' & '.join(f'{elements}|{tile}' for _ in result.inputs)} -> {' & '.join([*outputs, *sums])}"
    )
    complexity = operations / count_all_applications(algorithm)
    usual = FFT_FLOPS if result.pattern == "fft" else 1.0
    stages = math.log2(result.run) if result.pattern != "fft" else 1.0
    if complexity > MOST_PER_STAGE * usual * max(1.0, stages / 2):
        raise SourceError("it takes more operations than by stages")
    kind = run.arrays[result.outputs[0]].kind
    arrays = [run.arrays[n] for n in (*result.inputs, *result.outputs, *find_sums(run, result))]
    parts = [*algorithm.inputs, *algorithm.outputs]
    width = [complex_scalars(result, run) if p.elements == elements else 1 for p in parts]
    moved = sum(p.elements * a.kind.unit * w for p, a, w in zip(parts, arrays, width, strict=True))
    names = ", ".join((*result.outputs, *find_sums(run, result)))
    return Found(
        names, int(function.coord.line), algorithm, complexity, operations, 1, name_element(kind),
        moved / (algorithm.elements_in + algorithm.elements_out), notes, checked, sizes,
    )  # fmt: skip


def name_element(kind: Any) -> str:
    """The element type of the notation."""
    while kind.members:
        kind = kind.members[0][1]
    return f"{'fp' if kind.real else 'int'}{8 * kind.size}"


# Sums of rows, of blocks, of everything


def record_rows(opened: KernelText, sums: RowSums, run: NumbersRun, blocks: int) -> Found:
    """The class of sums.

    Raises
    ------
    SourceError : how many elements there are is not known.
    """
    taken = sums.run * max(1, sums.rows)
    elements = taken * blocks
    known = opened.allocated.get(sums.inputs[0])
    if known is not None and elements > known:
        # The last block has less to do.
        elements = known if sums.rows <= 1 else known // sums.run * sums.run
        if elements <= taken * (blocks - 1):
            raise SourceError("its blocks do not go over all of an array")
    of_block = sums.rows > 0 and blocks > 1
    strided = of_block and not sums.contiguous
    tiled = of_block and not strided
    if tiled and elements % sums.run:
        raise SourceError("its last row is shorter")
    pattern = f"tile({sums.run})" if tiled or sums.rows > 1 else "element"
    inputs = [f"{elements}|{pattern}"]
    if len(sums.inputs) > 1:
        inputs.append(f"{sums.run}|full" if sums.vector else inputs[0])
    output = f"{elements // sums.run}|element" if pattern != "element" else f"{blocks if strided else 1}|shared"
    algorithm = parse_class(f"{' & '.join(inputs)} -> {output}")
    operations = run.operations / run.blocks * blocks * elements / (taken * blocks)
    arrays = [run.arrays[n].kind for n in (*sums.inputs, sums.output)]
    if any(k.members for k in arrays):
        raise SourceError("sums of structures")
    moved = sum(p.elements * k.size for p, k in zip((*algorithm.inputs, *algorithm.outputs), arrays, strict=True))
    note = f"run on numbers, each of {run.blocks} blocks, twice: {sums.word} of {' and '.join(sums.inputs)}"
    return Found(
        sums.output, int(opened.function.coord.line), algorithm,
        operations / count_all_applications(algorithm), operations, 1, name_element(arrays[0]),
        moved / (algorithm.elements_in + algorithm.elements_out), opened.notes, f"checked at 1 size: {note}",
    )  # fmt: skip


# What a run computed


# Products of matrices

SHRUNK = 128
"""Sizes of a product's matrices when a block of it runs: as wide as the tile of a block, which ends within seconds."""
PRODUCT_COVERED = 1.35
"""Elements of all blocks over those of the product, where the last blocks of an axis reach beyond it."""


@dataclass(frozen=True, slots=True)
class Product:
    """``c = alpha a b + beta c`` of a block, whose matrices are as they lie in memory."""

    inputs: tuple[str, str]
    output: str
    elements: int
    """Of the block's part of ``c``."""
    depth: int
    """Products of an element."""
    crossed: tuple[bool, bool]
    """Whether ``a`` has its rows, and ``b`` its columns, across memory: ``a[k][i]``, ``b[j][k]``."""
    adds: bool
    """Whether it reads what was in ``c``."""


def classify_product(text: str, sizes: Mapping[str, int], function: str | None) -> Found:
    r"""The class of a launched kernel that multiplies two matrices, however it tiles them.

    A block runs on numbers, twice, with matrices made small. Sizes follow from what the file allocates,

    .. math:: m = \sqrt{|a| |c| / |b|}, \quad n = \sqrt{|b| |c| / |a|}, \quad k = \sqrt{|a| |b| / |c|}.

    Raises
    ------
    SourceError : it is none, or the file does not say how large its matrices are.
    """
    if function is None:
        raise SourceError("no kernel is named")
    opened = open_kernel(text, function, sizes, None)
    grid = [opened.sizes.get(f"gridDim.{a}", 1) for a in "xyz"]
    if not opened.is_launched or grid[2] > 1 or len(opened.allocated) < 3:
        raise SourceError("the file does not say its launch, or how large three matrices are")
    shrunk = {n: min(v, SHRUNK) if "." not in n else v for n, v in opened.sizes.items()}
    small = replace(opened, sizes=shrunk)
    run = run_kernel(small, [(0, 0, 0)], reverse=False)
    product = find_product(run)
    if product is None or product != find_product(run_kernel(small, [(0, 0, 0)], reverse=True)):
        raise SourceError("no product of two matrices")
    held = [opened.allocated.get(n, 0) for n in (*product.inputs, product.output)]
    if not all(held):
        raise SourceError("the file does not say how large its matrices are")
    a, b, c = held
    rows, columns, depth = (math.isqrt(n) for n in (a * c // b, b * c // a, a * b // c))
    if (rows * depth, depth * columns, rows * columns) != (a, b, c) or not depth:
        raise SourceError("its matrices do not fit each other")
    if not 1 <= product.elements * math.prod(grid) / c <= PRODUCT_COVERED:
        raise SourceError("its blocks do not go over all of the product")
    left = f"{depth}x{rows}|tile({depth}x1)" if product.crossed[0] else f"{rows}x{depth}|tile(1x{depth})"
    right = f"{columns}x{depth}|tile(1x{depth})" if product.crossed[1] else f"{depth}x{columns}|tile({depth}x1)"
    before = f" & {rows}x{columns}|element" if product.adds else ""
    algorithm = parse_class(f"{left} & {right}{before} -> {rows}x{columns}|element")
    beside = max(0.0, run.operations / product.elements - 2 * product.depth)
    operations = c * (2.0 * depth + beside)
    kinds = [run.arrays[n].kind for n in (*product.inputs, product.output)]
    moved = sum(n * k.size for n, k in zip(held, kinds, strict=True)) + product.adds * c * kinds[2].size
    note = f"run on numbers, a block with matrices of {SHRUNK}, twice: a product of {' and '.join(product.inputs)}"
    return Found(
        product.output, int(opened.function.coord.line), algorithm,
        operations / count_all_applications(algorithm), operations, 1, name_element(kinds[0]),
        moved / (algorithm.elements_in + algorithm.elements_out), opened.notes, f"checked at 1 size: {note}",
    )  # fmt: skip


def find_product(run: NumbersRun) -> Product | None:
    """What a block computes as a product of two matrices that it reads; None where it is none."""
    written = [n for n, a in run.arrays.items() if a.list_touched(0, stores=True).size]
    read = [n for n, a in run.arrays.items() if n not in written and a.list_touched(0, stores=False).size]
    if len(written) != 1 or len(read) != 2 or run.arrays[written[0]].memory.data >= DATA:
        return None
    if any(run.arrays[n].chosen or run.arrays[n].kind.members for n in (*written, *read)):
        return None
    output = run.arrays[written[0]]
    places = list_rows(output.list_touched(0, stores=True))
    if places is None or places.size < LEAST_RUN * LEAST_RUN:
        return None
    # Rows without a gap between them are any matrix of as many elements.
    widths = [w for w in range(LEAST_RUN, places.size // LEAST_RUN + 1) if places.size % w == 0]
    shapes = [places.shape] if places.shape[0] > 1 else [(places.size // w, w) for w in widths]
    ways = [
        (shape, names, crossed) for shape in shapes for names in ((read[0], read[1]), (read[1], read[0]))
        for crossed in ((False, False), (False, True), (True, False), (True, True))
    ]  # fmt: skip
    for shape, names, crossed in ways:
        left = take_matrix(run.arrays[names[0]], shape[0], across=crossed[0])
        right = take_matrix(run.arrays[names[1]], shape[1], across=not crossed[1])
        if left is None or right is None or left.shape[1] != right.shape[1]:
            continue
        results, before = output.after[places].reshape(shape), output.before[places].reshape(shape)
        if is_combination(results, left @ right.T, before):
            adds = output.list_touched(0, stores=False).size > 0
            return Product(names, written[0], places.size, left.shape[1], crossed, adds)
    return None


def take_matrix(array: Array, count: int, *, across: bool) -> Values | None:
    """What a block reads of an array, as many rows as are asked for; None where it is no such matrix.

    across : whether memory holds its columns one after the other.
    """
    touched = array.list_touched(0, stores=False)
    rows = list_rows(touched)
    if rows is None or touched.size % count:
        return None
    if rows.shape[0] == 1:
        # Rows without a gap between them.
        rows = rows.reshape((-1, count) if across else (count, -1))
    matrix = array.before[rows.T if across else rows]
    return matrix if matrix.shape[0] == count else None


def list_rows(touched: Values) -> Values | None:
    """Places of an array as rows of neighbours, each as long and as far from the one before; None for others.

    One row where nothing lies between them.
    """
    breaks = np.flatnonzero(np.diff(touched) != 1) + 1
    starts = np.concatenate(([0], breaks))
    lengths = np.diff(np.concatenate((starts, [len(touched)])))
    if not len(touched) or np.ptp(lengths) or (len(starts) > 2 and np.ptp(np.diff(touched[starts]))):
        return None
    rows: Values = touched.reshape(len(starts), -1)
    return rows


def is_combination(made: Values, product: Values, before: Values) -> bool:
    """Whether numbers are a multiple of a product, and a multiple of what was there before."""
    terms = np.stack([product.ravel(), before.ravel()], axis=1)
    factors, *_ = np.linalg.lstsq(terms, made.ravel(), rcond=None)
    return bool(abs(factors[0]) > CLOSE and are_close(made.ravel(), terms @ factors).all())


# Stages


def may_be_stage(run: NumbersRun) -> bool:
    """Whether no two threads that read share an element, by a few blocks that ran once."""
    touched = [collect([run], n, stores=False) for n, a in run.arrays.items() if a.touched]
    active = {lane for r in touched for lane in r}
    sizes = [describe(r, active) for r in touched]
    return bool(active) and None not in sizes and bool(set(sizes) & set(STAGE))


def classify_stage(opened: KernelText, grid: Sequence[int]) -> Found:
    """A launch in which each thread exchanges or combines as many elements as it writes.

    Raises
    ------
    SourceError : it is none.
    """
    blocks = pick_blocks(grid, STAGE_BLOCKS)
    if any(opened.allocated.get(n, 0) > MOST_UNITS for n in opened.allocated):
        blocks = [(k, 0, 0) for k in range(min(grid[0], STAGE_BLOCKS))]
    runs = [run_kernel(opened, blocks, reverse=reverse) for reverse in (False, True)]
    arrays = [n for n in runs[0].arrays if any(r.arrays[n].touched for r in runs)]
    reads, writes = ([collect(runs, n, stores=stores) for n in arrays] for stores in (False, True))
    chosen = any(r.arrays[n].chosen for r in runs for n in arrays)
    active = {lane for w in writes for lane in w}
    taken = [describe(r, active) for r in reads]
    given = [describe(w, active) for w in writes]
    if (
        chosen
        or not active
        or None in taken
        or None in given
        or any(t == 0 == g for t, g in zip(taken, given, strict=True))
    ):
        raise SourceError("its threads share what they touch")
    inputs, outputs = ([(n, k) for n, k in zip(arrays, counts, strict=True) if k] for counts in (taken, given))
    sizes = {k for _, k in (*inputs, *outputs)}
    if len(sizes) != 1 or not inputs or not outputs or next(iter(sizes)) not in STAGE:
        raise SourceError("its threads take other numbers of elements than they give")
    size = sizes.pop()
    if not all(are_apart(touched) for touched in reads if touched):
        raise SourceError("the elements of its threads are no power of two apart")
    if not combines(opened, blocks, runs[0], dict(zip(arrays, reads, strict=True)), [n for n, _ in outputs]):
        raise SourceError("each element follows from one")
    by_name = dict(zip(arrays, reads, strict=True)), dict(zip(arrays, writes, strict=True))
    if passes_on(opened, blocks, runs[0], *by_name):
        raise SourceError("its threads pass on what they read")
    threads = len(active) / len(blocks) * math.prod(grid)
    elements = opened.allocated.get(outputs[0][0], 0)
    of_block = Counter(block for block, _ in active)
    if len(of_block) == len(blocks) and len(set(of_block.values())) == 1 and size * threads <= elements:
        # All blocks do as much: the launch says how many elements there are.
        elements = round(size * threads)
    if not elements or abs(size * threads - elements) > COVERED * elements or elements % size:
        raise SourceError("its threads do not go over all of an array")
    if any(opened.allocated.get(n, 0) < elements for n, _ in (*inputs, *outputs)):
        raise SourceError("its arrays differ in size")
    sides = [" & ".join(f"{elements}|tile({size})" for _ in side) for side in (inputs, outputs)]
    algorithm = parse_class(" -> ".join(sides))
    operations = runs[0].operations / len(active) * elements / size
    kinds = [runs[0].arrays[n].kind for n, _ in (*inputs, *outputs)]
    note = f"each thread takes {size} elements, of its own but not side by side: a stage"
    return Found(
        ", ".join(n for n, _ in outputs), int(opened.function.coord.line), algorithm,
        operations / count_all_applications(algorithm), operations, 1, name_element(kinds[-1]),
        sum(k.size for k in kinds) / len(kinds), (*opened.notes, note),
        f"checked at 1 size: run on numbers, {len(blocks)} blocks, twice: no two threads share an element",
    )  # fmt: skip


def are_apart(touched: Mapping[tuple[int, int], set[int]]) -> bool:
    """Whether the elements of every thread are the same power of two apart, and not side by side.

    Those of butterflies and of networks are; a thread that takes neighbours is a unit of tiles, of pairs or of vectors.
    """
    gaps = {int(gap) for elements in touched.values() for gap in np.diff(sorted(elements))}
    return len(gaps) == 1 and (gap := gaps.pop()) > 1 and gap & (gap - 1) == 0


def combines(
    opened: KernelText, blocks: Sequence[Sequence[int]], run: NumbersRun,
    reads: Mapping[str, Mapping[tuple[int, int], set[int]]], outputs: Sequence[str],
) -> bool:  # fmt: skip
    """Whether several elements of a thread change where one of those that it takes is much larger or smaller."""
    source = next(n for n, r in reads.items() if r)
    scalars = run.arrays[source].scalars
    first = np.array([min(elements) * scalars for elements in reads[source].values()])
    for value in CHANGED:
        changed = run_on_numbers(
            opened.tree, opened.function, opened.sizes, opened.allocated, blocks, templates=opened.templates,
            changes={source: (first, value)},
        )  # fmt: skip
        others = 0
        for name in outputs:
            array = run.arrays[name]
            width = array.scalars
            differ = (array.after != changed.arrays[name].after).reshape(-1, width).any(axis=1)
            others += int(differ.sum())
        if others > 1.2 * len(first):
            return True
    return False


def passes_on(
    opened: KernelText, blocks: Sequence[Sequence[int]], run: NumbersRun,
    reads: Mapping[str, Mapping[tuple[int, int], set[int]]], writes: Mapping[str, Mapping[tuple[int, int], set[int]]],
) -> bool:  # fmt: skip
    """Whether what one thread of a block reads changes what others write: by shuffles, votes or shared memory."""
    source = next(n for n, r in reads.items() if r)
    one_of_block = {block: (block, lane) for block, lane in sorted(reads[source])}.values()
    first = np.array([min(reads[source][thread]) * run.arrays[source].scalars for thread in one_of_block])
    for value in CHANGED:
        changed = run_on_numbers(
            opened.tree, opened.function, opened.sizes, opened.allocated, blocks, templates=opened.templates,
            changes={source: (first, value)},
        )  # fmt: skip
        for name, written in writes.items():
            array = run.arrays[name]
            differ = (array.after != changed.arrays[name].after).reshape(-1, array.scalars).any(axis=1)
            allowed = set[int]().union(*(written.get(thread, set()) for thread in one_of_block))
            if written and not set(np.flatnonzero(differ).tolist()) <= allowed:
                return True
    return False


def collect(runs: Sequence[NumbersRun], name: str, *, stores: bool) -> dict[tuple[int, int], set[int]]:
    """(block, lane) -> elements of an array that a thread touches in any of several runs."""
    touched: dict[tuple[int, int], set[int]] = {}
    for run in runs:
        array = run.arrays[name]
        for (block, kind), parts in array.touched.items():
            if kind is stores:
                for at, lanes in parts:
                    for element, lane in zip((at // array.scalars).tolist(), lanes.tolist(), strict=True):
                        touched.setdefault((block, lane), set()).add(element)
    return touched


def describe(touched: Mapping[tuple[int, int], set[int]], active: set[tuple[int, int]]) -> int | None:
    """Elements of an array that each active thread touches: as many for each, none twice; None where it is not so."""
    sizes = {len(touched.get(thread, ())) for thread in active}
    if len(sizes) != 1:
        return None
    size = sizes.pop()
    distinct = set[int]().union(*(touched.get(thread, set()) for thread in active))
    return size if len(distinct) == size * len(active) else None


# Functions of C


def classify_function(text: str, sizes: Mapping[str, int], function: str | None) -> Found:
    """The class of a function of C, run at small sizes.

    Raises
    ------
    SourceError : it computes nothing known, or its operations grow faster than by stages.
    """
    from roofcast_hull.source.c_files import pick, spell_plainly
    from roofcast_hull.source.c_text import preprocess
    from roofcast_hull.source.c_tree import parse
    from roofcast_hull.source.whole_cuda import read_call

    plain_text = spell_plainly(text, sizes)

    def open_at(known: Mapping[str, int]) -> tuple[Any, Any, dict[str, int]]:
        plain, defined = preprocess(plain_text, known)
        tree = parse(plain, None, {*defined, *known})
        chosen = pick([n for n in tree.ext if type(n).__name__ == "FuncDef"], function)
        seen = {**defined, **known}
        return tree, give_members(tree, chosen, seen), seen

    file, chosen, defined = open_at(sizes)
    functions = {str(n.decl.name): n for n in file.ext if type(n).__name__ == "FuncDef"}
    whole = [str(p.name) for p in getattr(chosen.decl.type.args, "params", None) or () if is_whole(p)]
    stated = read_call(preprocess(plain_text, sizes)[0], chosen.decl.name, {**defined, **sizes}).sizes
    stated = {n.replace(".", JOINT): v for n, v in stated.items()}
    full = {**dict.fromkeys(whole, 1024), **defined, **stated, **sizes}
    full = {n: v for n, v in full.items() if n in find_asked(chosen, functions)}
    results: list[tuple[Result, NumbersRun, int, Mapping[str, int]]] = []
    for small in SMALL:
        known = {n: small if v > small else v for n, v in full.items()}
        tree, opened, seen = open_at(known)
        given = tree, opened, {**seen, **known}
        runs = [run_on_numbers(*given, {}, [(0, 0, 0)], reverse=reverse) for reverse in (False, True)]
        outcomes = [find_result(r) for r in runs]
        if outcomes == [None, None]:
            outcomes = [find_summed(given, runs[0])] * 2
        if outcomes[0] is None or outcomes[0] != outcomes[1] or outcomes[0].run != small:
            raise SourceError("what it computes is not known")
        results.append((outcomes[0], runs[0], small, known))
    result, run, small, _ = results[-1]
    lengths = {n: v for n, v in full.items() if v > max(SMALL)}
    if len(set(lengths.values())) != 1:
        raise SourceError("several sizes")
    elements = next(iter(lengths.values()))
    shares = [r.operations / count_usual(x, n) for x, r, n, _ in results]
    if shares[1] > GROWTH * shares[0]:
        raise SourceError("its operations grow faster than by stages")
    result = replace(result, run=elements)
    operations = shares[1] * count_usual(result, elements)
    known_names = {*sizes, *stated}
    assumed = tuple(
        f"{one_line(n, 40)} taken as 1024 (--size {one_line(n, 40)}=N)" for n in whole if n not in known_names
    )
    note = f"checked at {len(SMALL)} sizes: run on numbers: {results[0][0].word}"
    ran = tuple({n: v for n, v in k.items() if n in lengths and JOINT not in n} for *_, k in results)
    staged = record(chosen, result, run, elements, operations, assumed, note, ran)
    return replace(staged, name=staged.name.replace(JOINT, "."), checked=staged.checked.replace(JOINT, "."))


def find_summed(given: tuple[Any, Any, Mapping[str, int]], run: NumbersRun) -> Result | None:
    """Running sums of what follows from one element of some arrays each, squares or products; None for all others.

    Another element moves all sums behind its place by as much, and none before it.
    """
    written = [n for n, a in run.arrays.items() if a.list_touched(0, stores=True).size]
    read = [n for n, a in run.arrays.items() if a.list_touched(0, stores=False).size and n not in written]
    places = list_runs(run, written[0], stores=True) if len(written) == 1 else None
    taken = [list_runs(run, n, stores=False) for n in read]
    if places is None or not read or any(t is None or len(t[0]) != len(places[0]) for t in taken):
        return None
    output, sides = run.arrays[written[0]], set[tuple[bool, int]]()
    results = output.after[places[0]]
    for name, mine in zip(read, taken, strict=True):
        for at in (len(results) // 3, 2 * len(results) // 3):
            assert mine is not None
            place = np.array([mine[0][at]])
            number = float(run.arrays[name].before[place[0]]) + 2.0
            other = run_on_numbers(*given, {}, [(0, 0, 0)], changes={name: (place, number)})
            moved = other.arrays[written[0]].after[places[0]] - results
            changed = np.flatnonzero(np.abs(moved) > CLOSE * np.abs(results).max())
            behind = moved[changed]
            gaps = np.any(np.diff(changed) != 1)
            if not len(changed) or gaps or np.ptp(behind) > CLOSE * np.abs(results).max():
                return None
            forward = int(changed[-1]) == len(results) - 1
            if not forward and changed[0]:
                # It moves sums of a part of the run, or its own result alone.
                return None
            sides.add((forward, (int(changed[0]) if forward else int(changed[-1])) - at))
    if len(sides) != 1 or abs(sides.pop()[1]) > 1:
        return None
    return Result("scan", tuple(read), tuple(written), len(results), f"running sum of terms of {' and '.join(read)}")


def give_members(tree: Any, function: Any, known: Mapping[str, int]) -> Any:
    """A function, in place, that is given the members of its structures; numbers that are known in their place."""
    from pycparser import c_ast

    write_dimensions(tree, known, c_ast)
    members = open_structures(tree, function, c_ast)
    if members:
        asked = {m for m in members if is_whole(m) and str(m.name) in known}
        meaning = {str(m.name): c_ast.Constant("int", str(known[str(m.name)]), function.coord) for m in asked}
        function.body = substitute(function.body, meaning) if meaning else function.body
        listed = getattr(function.decl.type.args, "params", None) or []
        function.decl.type.args = c_ast.ParamList([*listed, *(m for m in members if m not in asked)], function.coord)
    return function


def find_asked(function: Any, functions: Mapping[str, Any]) -> set[str]:
    """Names that a function, and those that it calls, ask for."""
    names, waiting, seen = set[str](), [function], set[str]()
    while waiting:
        held = find_names(waiting.pop())
        names |= held
        waiting += [functions[n] for n in held & set(functions) - seen]
        seen |= held
    return names


def is_whole(parameter: Any) -> bool:
    """Whether a parameter is a whole number."""
    words = getattr(getattr(getattr(parameter, "type", None), "type", None), "names", None) or ()
    return type(getattr(parameter, "type", None)).__name__ == "TypeDecl" and not {"float", "double"} & set(words)
