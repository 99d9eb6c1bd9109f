"""Classes of nests of a function in C, from what turns of their loops were seen to do (:mod:`.nest_launches`)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from roofcast_hull.emulated.kernel_text import list_loop_turns
from roofcast_hull.emulated.origins import MOST_STATEMENTS, Origins, list_several
from roofcast_hull.notation import AlgorithmClass, Part, Pattern
from roofcast_hull.source.bit_indices import spell_bits
from roofcast_hull.source.c_declarations import collect_structures, name_structure
from roofcast_hull.source.c_files import find_failed, pick, spell_plainly
from roofcast_hull.source.c_nodes import copy_node, map_nodes
from roofcast_hull.source.c_statements import ALLOCATORS
from roofcast_hull.source.c_text import preprocess
from roofcast_hull.source.c_tree import called, has_kind, parse, uncast
from roofcast_hull.source.clearing import write_clearing
from roofcast_hull.source.cuda_code import find_kernels
from roofcast_hull.source.footprint_class import classify_nest
from roofcast_hull.source.found_class import Found, find_mean, pair_parts
from roofcast_hull.source.host_scope import HELD
from roofcast_hull.source.index_names import walk_nodes
from roofcast_hull.source.local_structures import open_locals
from roofcast_hull.source.nest import SourceError, WaitingError
from roofcast_hull.source.nest_launches import NestLaunch, find_nests, replace_node
from roofcast_hull.source.numpy_staged import record_staged
from roofcast_hull.source.opened_structures import JOINT, Places, open_rows, open_structures, write_dimensions
from roofcast_hull.source.plain_loops import MAKES_VECTOR, plain_loops
from roofcast_hull.source.rows_of_pointers import open_pointers
from roofcast_hull.source.running_sums import make_scan
from roofcast_hull.source.scratch_arrays import sink_scratch
from roofcast_hull.source.split_members import fill_unused, split_members
from roofcast_hull.source.vectors_of_rows import open_vectors
from roofcast_hull.source.whole_cuda import read_call

OF_ARRAYS = "structures with arrays"
"""Words of what is said of structures with arrays that are not followed as elements."""
MADE_VECTOR = MAKES_VECTOR.removeprefix("construct_")
"""How types of such vectors begin."""
ARRAYS_INSIDE = re.compile(r"\bstruct\b[^(){};]*\{[^{}()]*\w\s*\[[^\]]*\]\s*;")
"""A structure with an array."""
MUCH = ("too much", "too long", "longer than")
"""Words of what is said of blocks that do more than is followed."""
COMPLEX = frozenset(["_Complex", "complex", "complex_t"])
"""Words of the types of complex numbers."""
OFF_OF_TRIANGLE = 0.2
"""Share by which what a few blocks of a triangle did, times the blocks, is off."""
FEW_BLOCKS, LEAST_BLOCKS = 4, 2
"""Blocks that run of nests whose turns do much: one in the middle, its neighbour, and those at the ends."""


def classify_nests(text: str, sizes: Mapping[str, int], function: str) -> list[Found]:
    """Classes of a function, one of each nest, in the order of its code.

    Raises
    ------
    SourceError : a nest is not followed, or has no class; with the reason.
    """
    try:
        try:
            return follow_nests(text, sizes, function)
        except WaitingError:
            raise
        except SourceError as error:
            if OF_ARRAYS in str(error):
                return follow_nests(text, sizes, function, rows=True)
            if ARRAYS_INSIDE.search(spell_plainly(text, sizes)) is None:
                raise
            try:
                return follow_nests(text, sizes, function, rows=True)
            except SourceError:
                raise error from None
    except WaitingError:
        raise
    except SourceError as error:
        raise SourceError(write_dots(str(error))) from error
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError) as error:
        # Whatever a tree holds that these pages do not know.
        raise SourceError(f"{type(error).__name__} while its nests were followed") from error


def follow_nests(text: str, sizes: Mapping[str, int], function: str, *, rows: bool = False) -> list[Found]:
    """The same, with names of members as they are joined meanwhile. rows : see :func:`open_nests`."""
    launches = open_nests(text, sizes, function, rows=rows)
    classes, cleared, stored = list[Found](), dict[str, int](), set[str]()
    for at, first in enumerate(launches):
        # An array is as large as what sets it to a constant, where nothing else says it.
        launch = replace(first, opened=replace(first.opened, allocated={**cleared, **first.opened.allocated}))
        try:
            found_class = follow_nest(launch)
        except WaitingError as error:
            error.serial = launch.serial
            raise
        except SourceError as error:
            much = any(words in str(error) for words in MUCH)
            blocks = min(FEW_BLOCKS, int(MOST_STATEMENTS / launch.steps))
            few = much and blocks >= LEAST_BLOCKS
            if not few and (much or not launch.updated):
                raise
            # Where turns add to a number in their loops, each has a sum of its own.
            other = open_nests(text, sizes, function, narrow=much, rows=rows, gathers=not much)[at]
            if not much and write_tree(other) == write_tree(launch):
                raise
            found_class = follow_nest(other, blocks if much else None)
        outputs = pair_parts(found_class)[1]
        for array, part, _ in outputs:
            of_function = array.partition(".")[0] in launch.made and array not in stored
            if of_function and launch.repetitions == 1:
                found_class = drop_own(found_class, array, part.elements) or found_class
        stored |= {array for array, *_ in outputs}
        classes.append(found_class)
        if not found_class.found.inputs:
            names = (a.replace(".", JOINT) for a in found_class.arrays)
            cleared |= dict(zip(names, [p.elements for p in found_class.found.outputs], strict=False))
    return join_clearing(classes)


def list_steps(text: str, sizes: Mapping[str, int], function: str) -> list[int]:
    """How often each nest of a function runs in loops whose turns wait for each other; empty where that is not told."""
    try:
        return [n.repetitions for n in open_nests(text, sizes, function)]
    except (SourceError, ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        return []


def write_tree(launch: NestLaunch) -> str:
    """The code of a nest's turns."""
    from pycparser import c_generator

    return str(c_generator.CGenerator().visit(launch.opened.function.body))


def join_clearing(classes: list[Found]) -> list[Found]:
    """Classes without those that set to a constant what a later one adds to: it takes nothing of these arrays then."""
    joined = list[Found]()
    for at, cleared in enumerate(classes):
        outputs = [(a, p.elements) for a, p, _ in pair_parts(cleared)[1]]
        users = [
            n for n, f in enumerate(classes) if n > at and f.repetitions == cleared.repetitions
            and {a for a, _ in outputs} <= {a for a, _, _ in pair_parts(f)[1]}
        ]  # fmt: skip
        rest = classes[users[0]] if users and not cleared.found.inputs and not cleared.operations else None
        for array, number in outputs:
            rest = drop_own(rest, array, number) if rest is not None else None
        if rest is not None:
            classes[users[0]] = rest
        else:
            joined.append(cleared)
    return joined


def drop_own(found_class: Found, array: str, number: int) -> Found | None:
    """A class without what its units take of an array that was set to a constant before; None for other sizes."""
    inputs, outputs = pair_parts(found_class)
    if not any(a == array and part.elements == number for a, part, _ in outputs):
        return None
    left = [(a, part, size) for a, part, size in inputs if a != array]
    if any(a == array and part.pattern is not Pattern.ELEMENT and part not in [p for _, p, _ in outputs]
           for a, part, _ in inputs) or (len(left) < len(inputs) and not left):  # fmt: skip
        return None
    parts = [*left, *outputs]
    return replace(
        found_class, found=AlgorithmClass(tuple(p for _, p, _ in left), tuple(p for _, p, _ in outputs)),
        arrays=tuple(a for a, *_ in parts), bytes_each=tuple(s for *_, s in parts),
        element_bytes=find_mean(left, outputs) if found_class.bytes_each else found_class.element_bytes,
    )  # fmt: skip


def open_nests(
    text: str, sizes: Mapping[str, int], function: str, *, narrow: bool = False, rows: bool = False,
    gathers: bool = False,
) -> list[NestLaunch]:  # fmt: skip
    """The nests of a function as launches.

    narrow, gathers : see :func:`.nest_launches.find_nests`. rows : whether structures of one array each are rows.
    """
    from pycparser import c_ast

    written, text = text, spell_plainly(text, sizes)
    kernels = find_kernels(text)
    plain, defined = preprocess(text, sizes)
    tree = parse(plain, function, {*defined, *sizes})
    functions = [n for n in tree.ext if isinstance(n, c_ast.FuncDef)]
    chosen = pick(functions, function, kernels, find_failed(written, sizes))
    stated = read_call(plain, chosen.decl.name, {**defined, **sizes})
    known: dict[str, int] = {**defined, **stated.sizes, **sizes}
    write_dimensions(tree, known, c_ast)
    fill_unused(tree, chosen, c_ast)
    spell_bits(chosen, {**defined, **sizes}, c_ast)
    of_function = find_made(chosen)
    chosen.body = write_clearing(chosen, tree, c_ast)
    others = {f.decl.name: f for f in functions if f is not chosen}
    chosen.body = take_members(chosen.body, collect_structures(tree))
    parameters = getattr(chosen.decl.type.args, "params", None) or ()
    chosen.body = plain_loops(chosen.body, parameters, others, tree, c_ast, keeps_do=True)
    chosen.body = sink_scratch(move_after(chosen.body, c_ast), known, others, c_ast, strict=True)
    open_locals(tree, chosen, c_ast)
    members = open_structures(tree, chosen, c_ast)
    allocated = dict(stated.allocated)
    allocated |= {n: v for n, v in known.items() if n.endswith(HELD)}
    known |= {n.replace(".", JOINT): v for n, v in known.items()}
    allocated |= {n.replace(".", JOINT): v for n, v in allocated.items()}
    members, longer = open_vectors(tree, chosen, members, known, c_ast)
    members, rows_of = open_pointers(tree, chosen, members, known, c_ast)
    longer |= rows_of
    refuse_unfollowed(tree, chosen, members)
    allocated |= {n: allocated[n] * long for n, long in longer.items() if n in allocated}
    if rows:
        members, lengths = open_rows(tree, chosen, members)
        allocated |= {n: allocated[n] * long for n, long in lengths.items() if n in allocated}
        members, lengths = split_members(tree, chosen, members, c_ast)
        whole = {n: n.rpartition(JOINT)[0] for n in lengths}
        allocated |= {n: allocated[whole[n]] * long for n, long in lengths.items() if whole[n] in allocated}
    launches = find_nests(tree, chosen, known, allocated, members, narrow=narrow, gathers=gathers)
    notes = stated.notes
    return [replace(n, opened=replace(n.opened, notes=(*notes, *n.opened.notes)), made=of_function) for n in launches]


def find_made(function: Any) -> frozenset[str]:
    """Names of vectors and allocated arrays that a function makes: what it adds to there is 0 at first."""
    declared = [d for d in walk_nodes(function.body) if type(d).__name__ == "Decl" and not d.storage]
    return frozenset(
        str(d.name) for d in declared
        if (type(d.type).__name__ == "PtrDecl" and d.init is not None and called(uncast(d.init)) in ALLOCATORS)
        or (type(d.type).__name__ == "TypeDecl" and name_structure(d.type.type).startswith(MADE_VECTOR)
            and (d.init is None or called(d.init).startswith(MAKES_VECTOR)))
    )  # fmt: skip


def take_members(node: Any, structures: Mapping[str, Any]) -> Any:
    """A tree with members of structures that stand there as what they are: ``((T){a, b}).y`` is b."""

    def change(inside: Any) -> Any:
        whole = inside.name if type(inside).__name__ == "StructRef" else None
        if whole is None or type(whole).__name__ != "CompoundLiteral" or type(whole.init).__name__ != "InitList":
            return inside
        names = [str(m.name) for m in structures.get(name_structure(whole.type.type.type), ())]
        values = whole.init.exprs
        at = names.index(str(inside.field.name)) if str(inside.field.name) in names else len(values)
        plain = at < len(values) and not any(type(v).__name__ == "NamedInitializer" for v in values)
        return values[at] if plain else inside

    return map_nodes(node, change)


def refuse_unfollowed(tree: Any, function: Any, members: Sequence[Any]) -> None:
    """Refuse what turns are not followed through: complex numbers of C, and addresses that structures in arrays hold.

    members : names that the function is given beside its parameters.

    Raises
    ------
    SourceError : a function has some.
    """
    places, pointers = Places(tree, function, members), {
        str(m.name) for members in collect_structures(tree).values() for m in members
        if type(m.type).__name__ == "PtrDecl"
    }  # fmt: skip
    for node in walk_nodes(function):
        if COMPLEX & set(getattr(node, "names", None) or ()):
            raise SourceError("complex numbers of C are not followed")
        inside = type(node).__name__ == "StructRef" and str(node.field.name) in pointers
        if inside and has_kind(node.name, "ArrayRef") and type(places.find_member(node)).__name__ != "ArrayDecl":
            raise SourceError("addresses that structures in arrays hold are not followed")


def move_after(node: Any, ast: Any) -> Any:
    """A tree with ``*p++ += e`` as ``*p += e; p++;``: the place is one."""
    copied = copy_node(node, lambda inside: move_after(inside, ast))
    if type(node).__name__ != "Compound":
        return copied
    items = list[Any]()
    for item in copied.block_items or ():
        steps = list[Any]()
        if type(item).__name__ == "Assignment" and item.op != "=":
            steps = [n for n in walk_nodes(item.lvalue) if type(n).__name__ == "UnaryOp" and n.op in ("p++", "p--")]
        for step in steps:
            item.lvalue = replace_node(item.lvalue, step, step.expr)
        items += [item, *steps]
    copied.block_items = items
    return copied


def follow_nest(launch: NestLaunch, blocks: int | None = None) -> Found:
    """The class of a nest. blocks : how many blocks of turns run at most.

    Raises
    ------
    SourceError : its turns wait for each other, or no class fits.
    """
    if launch.order is not None:
        array, staged = launch.order
        ordered = record_staged(staged, write_dots(array), launch.line, launch.repetitions)
        return replace(ordered, arrays=(ordered.name,) * 2, bytes_each=(int(staged.bytes_in), int(staged.bytes_out)))

    def check(origins: Origins) -> None:
        refuse_conflicts(origins, launch.updated)
        refuse_far_conflicts(origins, launch.opened.sizes)

    followed = classify_nest(launch.opened, check, blocks)
    followed = count_as_turns(followed, launch.turns)
    if launch.running:
        followed = make_scan(followed)
    turns = followed.checked.replace("blocks of the launch", "blocks of its turns")
    return replace(
        followed, name=write_dots(followed.name), arrays=tuple(map(write_dots, followed.arrays)),
        notes=tuple(map(write_dots, followed.notes)), line=launch.line, repetitions=launch.repetitions, checked=turns,
        operations=followed.operations * launch.repetitions,
    )  # fmt: skip


def count_as_turns(found_class: Found, turns: int) -> Found:
    """A class of a triangle of turns with as many elements as it has turns, where blocks of it said about as many.

    turns : of the nest; 0 for no triangle. Of a triangle some blocks are empty, some full: what a few did, times the
    blocks, is 10 % off.
    """
    parts = [*found_class.found.inputs, *found_class.found.outputs]
    counts = [
        p.elements for p in parts
        if p.pattern is Pattern.ELEMENT and len(p.sizes) == 1 and abs(p.elements / max(1, turns) - 1) < OFF_OF_TRIANGLE
    ]  # fmt: skip
    if not turns or not counts or len(set(counts)) > 1 or counts[0] == turns:
        return found_class

    def count(part: Part) -> Part:
        exact = part.pattern is Pattern.ELEMENT and part.sizes == (counts[0],)
        return replace(part, sizes=(turns,)) if exact else part

    inputs, outputs = (tuple(map(count, side)) for side in (found_class.found.inputs, found_class.found.outputs))
    operations = found_class.operations * turns / counts[0]
    return replace(found_class, found=AlgorithmClass(inputs, outputs), operations=operations)


def write_dots(text: str) -> str:
    """A text with members of structures as the source has them."""
    return text.replace(JOINT, ".")


def refuse_conflicts(origins: Origins, updated: Any) -> None:
    """Refuse turns of which one takes, or leaves, what another one leaves."""
    owners: dict[str, list[Any]] = {}
    for number, block in enumerate(origins.blocks):
        for stored in block.stored:
            if stored.updated or stored.chosen:
                continue
            elements, which = list_several(stored.elements, stored.ranges)
            owners.setdefault(stored.array, []).append((elements, stored.lanes[which] + number * block.lanes))
    placed = {}
    for array, pairs in owners.items():
        elements, turns = (np.concatenate([p[k] for p in pairs]) for k in (0, 1))
        order = np.lexsort((turns, elements))
        elements, turns = elements[order], turns[order]
        same = (np.diff(elements) == 0) & (np.diff(turns) != 0)
        if same.any():
            raise SourceError(f"several turns of its loops write one element of '{array[:40]}'")
        first = np.flatnonzero(np.diff(elements, prepend=elements[0] - 1) != 0)
        placed[array] = elements[first], turns[first]
    for number, block in enumerate(origins.blocks):
        for chunk, lanes in block.loads:
            if chunk.array not in placed or chunk.array in updated:
                continue
            keys, turns = placed[chunk.array]
            steps = [(b[lanes] if isinstance(b, np.ndarray) else b, n) for b, n in chunk.ranges]
            asked, which = list_several(np.broadcast_to(np.asarray(chunk.elements), (block.lanes,))[lanes], steps)
            at = np.clip(np.searchsorted(keys, asked), 0, len(keys) - 1)
            others = turns[at] != lanes[which] + number * block.lanes
            if ((keys[at] == asked) & others).any():
                raise WaitingError(write_dots(chunk.array[:40]))


def refuse_far_conflicts(origins: Origins, sizes: Mapping[str, int]) -> None:
    """Refuse what one loop's turns take of elements that turns write which did not run: they lie at even steps.

    Turn t writes e(t) = b + s t; a turn u that reads e(t) for another t of the loop waits for it.
    """
    if any(sizes.get(f"{kind}.{a}", 1) > 1 for kind in ("gridDim", "blockDim") for a in "yz"):
        return
    wide, turns = sizes["blockDim.x"], math.prod(list_loop_turns(sizes))
    lines = dict[str, set[tuple[int, int]]]()
    for block in origins.blocks:
        for stored in (s for s in block.stored if len(s.elements) > 1 and not (s.updated or s.chosen or s.ranges)):
            at = stored.lanes + block.at[0] * wide
            step = int(stored.elements[1] - stored.elements[0]) // max(1, int(at[1] - at[0]))
            if step and (stored.elements - step * at == stored.elements[0] - step * at[0]).all():
                lines.setdefault(stored.array, set()).add((step, int(stored.elements[0] - step * at[0])))
    for block in origins.blocks:
        for chunk, lanes in (c for c in block.loads if c[0].array in lines and not c[0].ranges):
            asked = np.broadcast_to(np.asarray(chunk.elements), (block.lanes,))[lanes]
            for step, base in lines[chunk.array]:
                writer = (asked - base) // step
                other = (writer * step == asked - base) & (writer >= 0) & (writer < turns)
                if (other & (writer != lanes + block.at[0] * wide)).any():
                    raise WaitingError(write_dots(chunk.array[:40]))
