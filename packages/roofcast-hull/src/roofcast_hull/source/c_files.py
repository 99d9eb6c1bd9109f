"""A file in C, CUDA or HIP: which of its functions is read, and how."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from roofcast.core.errors import MissingExtraError, one_line
from roofcast_hull.source.bit_indices import spell_bits
from roofcast_hull.source.block_units import write_blocks
from roofcast_hull.source.builder import Builder
from roofcast_hull.source.c_code import CReader
from roofcast_hull.source.c_idioms import list_declared, rewrite_kernel, share_rows, share_warps, spread_sums
from roofcast_hull.source.c_statements import simplify
from roofcast_hull.source.c_text import COMMENT, preprocess
from roofcast_hull.source.c_tree import find_assigned, find_searches, has_loop, parse
from roofcast_hull.source.clearing import write_clearing
from roofcast_hull.source.cuda_code import find_kernels, read_kernel
from roofcast_hull.source.deciding_arrays import find_deciding
from roofcast_hull.source.exchanges import plain_exchanges
from roofcast_hull.source.host_scope import HELD, LENGTH
from roofcast_hull.source.host_text import find_end
from roofcast_hull.source.methods import spell_structures
from roofcast_hull.source.nest import Routine, SourceError, refuse
from roofcast_hull.source.plain_loops import plain_loops
from roofcast_hull.source.plain_trees import drop_unused, fold_axes, write_out
from roofcast_hull.source.registers import unroll_arrays
from roofcast_hull.source.run_check import Machine
from roofcast_hull.source.run_threads import run_function
from roofcast_hull.source.scratch_arrays import sink_scratch
from roofcast_hull.source.structures import split_structures
from roofcast_hull.source.vector_views import read_views, shrink_allocated
from roofcast_hull.source.whole_cuda import find_idle, find_launches, prepare_kernel, read_call
from roofcast_hull.spelled.hip import spell_hip
from roofcast_hull.spelled.plain_c import write_plain_c

WARP = 32
"""Threads of a warp."""
ONE_ARRAY = re.compile(r"\bstruct (\w+) \{ ([\w ]+?) (\w+)\[(\d+)\]; \}")
"""A structure that is one array."""
MAIN = re.compile(r"\bmain\s*\(")


ENTRY = "main"
"""The function that calls the others of a program."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A function as it was read, with the tree that it can be run from."""

    routine: Routine
    sizes: Mapping[str, int]
    tree: Any
    function: Any
    functions: Mapping[str, Any]
    of_blocks: bool = False
    """Whether a unit of work is a block of threads."""
    refute: Callable[[Reading], str | None] | None = None
    """What the tree computes otherwise than the text from which it was made, where that can be run by itself."""

    def run(
        self, *, sampled: bool = False, named: frozenset[str] = frozenset(), meets_guards: bool = False,
        through: bool = False,
    ) -> Machine:  # fmt: skip
        """Run it at its sizes.

        sampled : of a launch, a few threads alone. named : arrays of its classes. meets_guards : what stands under
        conditions on data runs, whatever the data. through : values are followed back to what those arrays held first.
        """
        # What says how many elements an array has is no number that the code could name.
        lengths = {n for n in self.sizes if n in self.routine.types and self.routine.shapes.get(n) and "." not in n}
        held = {n for n in self.sizes if n.endswith(HELD)} | lengths
        sizes = {n: v for n, v in self.sizes.items() if n not in held}
        return run_function(
            self.tree, self.function, self.functions, sizes, self.routine.launch, sampled=sampled,
            machine=Machine(named=named, meets_guards=meets_guards, through=through),
        )  # fmt: skip


def spell_plainly(text: str, sizes: Mapping[str, int] | None = None) -> str:
    """A file as plain C: by libclang where it is installed, else as far as the spelling of structures goes."""
    plain = write_plain_c(text, sizes)
    return open_arrays(plain.text) if plain is not None else spell_structures(spell_hip(text))


def open_arrays(text: str) -> str:
    """Text with local structures that are one array, ``std::array<float, 3> k``, as arrays."""
    for kind, element, member, length in ONE_ARRAY.findall(text):
        at = 0
        while match := re.compile(rf"\b{kind} (\w+)(?= = \{{|;)").search(text, at):
            name, at = match[1], match.end()
            end = find_end(text, match.start())
            inside = text[match.end() : end]
            place = rf"\b{name}\.{member}(?=\[)"
            if len(re.findall(place, inside)) == len(re.findall(rf"(?<![\w.]){name}\b", inside)) > 0:
                opened = re.sub(place, name, drop_braces(inside) if length != "1" else inside)
                text = f"{text[: match.start()]}{element} {name}[{length}]{opened}{text[end:]}"
    return text


def drop_braces(text: str) -> str:
    """A first value without the braces of a structure around those of its array: ``= {{a, b}}`` as ``= {a, b}``.

    >>> drop_braces(" = {{{1, 2}, {3, 4}}}; f();"), drop_braces(" = {{1, 2}, {3, 4}};")
    (' = {{1, 2}, {3, 4}}; f();', ' = {{1, 2}, {3, 4}};')
    """
    start = re.match(r"\s*=\s*\{\s*(?=\{)", text)
    if start is None:
        return text
    outer, inner = find_end(text, start.end()), find_end(text, start.end() + 1)
    single = not text[inner : outer - 1].strip()
    return f"{start[0].rstrip()[:-1]}{text[start.end() : inner]}{text[outer:]}" if single else text


def count_launches(text: str, given: Mapping[str, int] | None = None) -> dict[str, int]:
    """Launches of each kernel of a file, those with the same sizes counted once; 0 for one that nothing launches.

    given : values of names of the host.
    """
    text = spell_plainly(text, given)
    kernels = find_kernels(text)
    plain, defined = preprocess(text, given or {})
    launches = find_launches(plain, kernels, defined, given)
    return {name: len(launches.get(name, ())) for name in kernels}


def read_c(
    text: str, sizes: Mapping[str, int], function: str | None = None, launch: int | None = None, *,
    of_blocks: bool = False,
) -> Reading:  # fmt: skip
    """The routine of one function, or of bare statements.

    sizes : values of size names; ``#define`` gives others. launch : which of a kernel's (:func:`count_launches`).
    of_blocks : whether a kernel's blocks are units of work, not its threads.

    Raises
    ------
    SourceError : no such function, a syntax error, or code that is not affine; with line and reason.
    MissingExtraError : pycparser is not installed.
    """
    try:
        from pycparser import c_ast
    except ImportError as error:
        raise MissingExtraError("reading C needs pycparser: pip install 'roofcast[source]'") from error
    written, text = text, spell_plainly(text, sizes)
    kernels = find_kernels(text)
    plain, defined = preprocess(text, sizes)
    if kernels and (function is None or function in kernels):
        name = function or next(iter(kernels))
        reading = read_whole_kernel(text, plain, name, kernels, defined, sizes, launch, of_blocks=of_blocks)
        if is_named_by_main(written, name):
            reading.routine.unstated = tuple(reading.routine.assumed)
        return reading
    if of_blocks:
        raise SourceError("only kernels have blocks")
    tree = parse(plain, function, {*defined, *sizes})
    functions = [n for n in tree.ext if isinstance(n, c_ast.FuncDef)]
    chosen = pick(functions, function, kernels, find_failed(written, sizes))
    spell_bits(chosen, {**defined, **sizes}, c_ast)
    chosen.body = write_clearing(chosen, tree, c_ast)
    parameters = getattr(chosen.decl.type.args, "params", None) or ()
    others = {f.decl.name: f for f in functions if f is not chosen}
    chosen.body = plain_loops(chosen.body, parameters, others, tree, c_ast)
    chosen.body = sink_scratch(chosen.body, {**defined, **sizes}, others, c_ast)
    structures = split_structures(tree, chosen, c_ast)
    assigned = frozenset(find_assigned(chosen.body))
    called = read_call(plain, chosen.decl.name, {**defined, **sizes})
    defined |= {n: v for n, v in called.sizes.items() if n not in assigned}
    unroll_arrays(tree, chosen, {**defined, **sizes}, c_ast)
    chosen.body = write_out(chosen.body, {**defined, **sizes}, c_ast)
    builder = Builder(chosen.decl.name, {**defined, **sizes}, assigned)
    builder.routine.allocated, builder.routine.notes = called.allocated, called.notes
    builder.routine.structures = structures
    builder.changed = frozenset(find_assigned(chosen.body, declared=False))
    small = {n: f for n, f in others.items() if not has_loop(f)}
    builder.looping = find_searches(others)
    declared = [*(p for p in parameters if isinstance(p, c_ast.Decl)), *(chosen.param_decls or ())]
    builder.routine.given = frozenset(str(p.name) for p in declared if p.name)
    read_body(builder, c_ast, small, tree, declared, chosen.body)
    if (length := LENGTH.removeprefix(".")) in builder.routine.assumed:
        reason = f"nothing says how many elements its vectors have: call it in the file, or give --size {length}=N"
        raise refuse(int(chosen.coord.line), reason)
    return Reading(builder.routine, dict(builder.sizes), tree, chosen, small)


def is_named_by_main(text: str, kernel: str) -> bool:
    """Whether a whole program names a kernel elsewhere than where it is declared: something there launches it.

    >>> is_named_by_main("__global__ void f(int n) {} int main() { Runner r(f); }", "f")
    True
    """
    bare = COMMENT.sub(" ", text)
    return MAIN.search(bare) is not None and re.search(rf"\b{re.escape(kernel)}\b(?!\s*\()", bare) is not None


def read_whole_kernel(
    text: str,
    plain: str,
    name: str,
    kernels: Mapping[str, bool],
    defined: Mapping[str, int],
    sizes: Mapping[str, int],
    launch: int | None = None,
    *,
    of_blocks: bool = False,
) -> Reading:
    """A kernel with what the rest of its file says of its launch; sizes that are given come before."""
    from pycparser import c_ast

    whole = prepare_kernel(text, plain, name, kernels, defined, launch)
    known = {**defined, **whole.sizes, **sizes}
    # The check by execution opens what the launch states, for sizes of its own.
    known = {n: v for n, v in known.items() if v or not n.startswith(("gridDim.", "blockDim."))}
    tree = parse(whole.text, name, known)
    functions = [n for n in tree.ext if isinstance(n, c_ast.FuncDef)]
    chosen = pick(functions, name, kernels)
    if kernels[name] and not whole.launched:
        why = f"'{name}' is a template that nothing in the file launches: write it for one type"
        raise refuse(int(chosen.coord.line), why)
    if wanted := find_deciding(chosen, functions):
        # What the host counts while it fills them says how large other arrays are.
        filled = prepare_kernel(text, plain, name, kernels, defined, launch, None, wanted)
        whole.allocated = {**filled.allocated, **whole.allocated}
    others = {f.decl.name: f for f in functions if f is not chosen}
    parameters = getattr(chosen.decl.type.args, "params", None) or ()
    spell_bits(chosen, known, c_ast)
    chosen.body, vectors = read_views(chosen, chosen.body, c_ast)
    chosen.body = plain_loops(chosen.body, parameters, others, tree, c_ast)
    threads = whole.sizes.get("blockDim.x", 0)
    chosen.body = plain_exchanges(fold_axes(chosen.body, whole.sizes, c_ast), others, threads, c_ast)
    structures = split_structures(tree, chosen, c_ast)
    unroll_arrays(tree, chosen, known, c_ast)
    if of_blocks:
        blocks = write_blocks(chosen.body, others, whole.sizes, known, c_ast)
        if blocks is None:
            raise refuse(int(chosen.coord.line), "the threads of its blocks do not compute together")
        chosen.body = blocks
        known |= {f"blockDim.{a}": 1 for a in "xyz"}
        whole.notes += (f"a block of {threads} threads is read as one unit of work",)
    else:
        share_threads(chosen, whole, known, others, c_ast)
    chosen.body = drop_unused(write_out(chosen.body, known, c_ast), c_ast)
    small = {n: f for n, f in others.items() if not has_loop(f)}
    builder = Builder(name, known, frozenset(find_assigned(chosen.body)))
    builder.changed = frozenset(find_assigned(chosen.body, declared=False))
    builder.looping = find_searches(others)
    builder.launched = {a: whole.sizes[f"blockDim.{a}"] for a in "xyz" if whole.sizes.get(f"blockDim.{a}")}
    builder.routine.allocated = shrink_allocated(whole.allocated, vectors)
    builder.routine.structures = structures
    read_kernel(chosen, builder, c_ast, small, simplify(chosen.body, c_ast), tree)
    builder.routine.notes = (*builder.routine.notes, *whole.notes)
    # What a file launches it launches with sizes of its own, whether these are followed or not.
    if whole.sizes.get("gridDim.x") or whole.launched:
        builder.routine.unstated = tuple(builder.routine.assumed)
    builder.routine.of_blocks = of_blocks
    private = {str(d.name) for d in list_declared(chosen.body)} if of_blocks else set[str]()
    statements = builder.routine.statements
    if scattered := next((s for s in statements if s.target.scattered and s.target.array in private), None):
        raise refuse(scattered.line, "data choose which element of its shared memory a block changes")
    return Reading(builder.routine, dict(builder.sizes), tree, chosen, small, of_blocks)


def share_threads(chosen: Any, whole: Any, known: dict[str, int], others: Mapping[str, Any], ast: Any) -> None:
    """Write a kernel in place whose threads share rows or sums with one thread for all that do; say so in its notes."""
    threads = whole.sizes.get("blockDim.x", 0)
    written, chosen.body = chosen.body, rewrite_kernel(chosen.body, others, ast, threads)
    rows = (
        None
        if threads != math.prod(whole.sizes.get(f"blockDim.{a}", 0) for a in "xyz")
        else share_rows(chosen.body, ast, threads, others, known)
    )
    if rows is not None:
        # One thread stores the sum of a tree, rather than add to what was there.
        rows = share_rows(written, ast, threads, others, known) or rows
    if rows is not None:
        chosen.body, known["blockDim.x"] = rows, 1
        whole.notes += (f"the {threads} threads of a block share its rows: read as one thread",)
    if rows is None and (spread := spread_sums(chosen.body, others, ast)) is not None:
        chosen.body = spread
        whole.notes += ("sums of a block are read as those of its threads",)
    warps = share_warps(chosen.body, others, ast) if threads and threads % WARP == 0 else None
    if warps is not None:
        chosen.body, known["blockDim.x"] = warps, threads // WARP
        whole.notes += (f"the {WARP} threads of a warp share its rows: read as one thread",)


def read_body(
    builder: Builder, ast: Any, functions: Mapping[str, Any], tree: Any, declared: Iterable[Any], body: Any
) -> None:
    """Hand the statements of a function to a builder. declared : its parameters and whatever else is known."""
    reader = CReader(builder, ast, functions)
    reader.declarations.read_file(tree)
    reader.declarations.find_single(body)
    for declaration in declared:
        reader.declarations.declare(declaration)
    reader.visit(simplify(body, ast))


def find_bodies(text: str, sizes: Mapping[str, int] | None = None) -> dict[str, list[str]]:
    """Functions of a file, each with the names that it calls; none where the file is not read."""
    try:
        plain, defined = preprocess(spell_plainly(text, sizes), sizes or {})
        tree = parse(plain, None, {*defined, *(sizes or {})})
    except (SourceError, RecursionError):
        return {}
    return {str(f.decl.name): list_called(f.body) for f in tree.ext if type(f).__name__ == "FuncDef"}


def list_called(node: Any) -> list[str]:
    """Names of the functions that a node calls."""
    mine = [str(node.name.name)] if type(node).__name__ == "FuncCall" and type(node.name).__name__ == "ID" else []
    return [*mine, *(name for _, child in node.children() for name in list_called(child))]


def list_functions(text: str, sizes: Mapping[str, int]) -> list[str]:
    """Functions of a file that loop over arrays, that no other one calls, and its kernels, in the order of the code.

    Functions without a loop, that others call, are part of these.
    """
    # Constructors and instances that writing a file plainly adds are none of its own.
    spelled = set(re.findall(r"\w+", text))
    failed, text = find_failed(text, sizes), spell_plainly(text, sizes)
    kernels = find_kernels(text)
    plain, defined = preprocess(text, sizes)
    if kernels:
        idle = find_idle(plain, kernels, defined)
        return [name for name in kernels if name not in idle]
    tree = parse(plain, None, {*defined, *sizes})
    functions = [n for n in tree.ext if type(n).__name__ == "FuncDef"]
    calls = {str(f.decl.name): list_called(f.body) for f in functions}
    looping = {str(f.decl.name) for f in functions if has_loop(f)}
    called = {name for caller, names in calls.items() if caller != ENTRY for name in names}
    written = [
        name for name, names in calls.items()
        if name in looping or (name in spelled and not (name in called or name == ENTRY or looping & set(names)))
    ]  # fmt: skip
    return [*written, *(n for n in failed if n not in written)]


def find_failed(text: str, sizes: Mapping[str, int]) -> Mapping[str, str]:
    """Functions of C++ that have no plain form, and why; none where libclang is not there."""
    plain = write_plain_c(text, sizes)
    return plain.failed if plain is not None else {}


def pick(
    functions: list[Any], name: str | None, kernels: Collection[str] = (), failed: Mapping[str, str] | None = None
) -> Any:  # fmt: skip
    """The function of a name, else the first that loops or is a kernel.

    failed : functions of the file that could not be written as C, and why.
    """
    if name is not None and not any(f.decl.name == name for f in functions):
        # A method is a function whose name begins with that of its class.
        ending = f"_{name.replace('::', '_')}"
        alike = [f for f in functions if f"_{f.decl.name}".endswith(ending)]
        name = str(alike[0].decl.name) if len(alike) == 1 else name
    for function in functions:
        works = len(functions) == 1 or has_loop(function) or function.decl.name in kernels
        if function.decl.name == name or (name is None and works):
            return function
    ending = f"_{(name or '').replace('::', '_')}"
    why = [w for n, w in (failed or {}).items() if name is None or f"_{n}".endswith(ending)]
    if why:
        raise SourceError(one_line(why[0], 160))
    known = ", ".join(one_line(f.decl.name, 40) for f in functions) or "none"
    raise SourceError(f"no function {one_line(name or '', 60)!r}: the file has {known}".replace(" ''", " with a loop"))
