"""Python as the C that it stands for: loops over ranges as ``for``, whole-array NumPy as loops over its elements."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from roofcast.core.errors import MissingExtraError, one_line
from roofcast_hull.source.builder import Builder
from roofcast_hull.source.c_files import Reading, read_body, read_c
from roofcast_hull.source.fixed_numbers import mark_fixed
from roofcast_hull.source.index_names import mark_indices
from roofcast_hull.source.name_versions import name_versions
from roofcast_hull.source.nest import Routine, SourceError, refuse
from roofcast_hull.source.numpy_chains import chain_updates
from roofcast_hull.source.numpy_code import Translator
from roofcast_hull.source.numpy_conditions import choose_last
from roofcast_hull.source.numpy_elements import Line
from roofcast_hull.source.numpy_expressions import read_expression
from roofcast_hull.source.numpy_parameters import (
    find_masks,
    list_parameters,
    read_annotated,
    read_call,
    read_defaults,
    read_parameters,
)
from roofcast_hull.source.numpy_run import refute_reading
from roofcast_hull.source.numpy_shapes import find_called, fold_integer
from roofcast_hull.source.passing_arrays import find_shared
from roofcast_hull.source.python_host import find_python_calls, follow_body
from roofcast_hull.source.python_kernels import find_kernels, is_triton, list_launched, write_kernel
from roofcast_hull.source.python_names import find_assigned, find_returned
from roofcast_hull.source.python_objects import find_used, write_body
from roofcast_hull.source.python_statements import block, name_value
from roofcast_hull.source.python_words import write_plainly
from roofcast_hull.source.routine_class import MODULE


def read_python(
    text: str, sizes: Mapping[str, int], function: str | None = None, *, of_blocks: bool = False,
    holds: bool = False,
) -> Reading:  # fmt: skip
    """The routine of one function, or of a file's own statements.

    holds : whether it is only run, and says what arrays are before statements that overwrite them.

    Raises
    ------
    SourceError : no such function, a syntax error, or code that is not affine; with line and reason.
    MissingExtraError : pycparser is not installed.
    """
    c_ast, tree = find_parser(), parse(text)
    kernels = find_kernels(tree)
    if of_blocks and function not in kernels:
        raise SourceError("only kernels have blocks")
    if (name := function or next(iter(list_launched(tree)), "")) in kernels:
        return read_kernel(tree, sizes, name, of_blocks)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    known = dict(sizes)
    for item in tree.body:
        remember_integers(item, known)
    chosen = choose_function(functions, function)
    every_call, outside = find_python_calls(tree)
    calls = every_call.get(chosen[0].name, []) if chosen else []
    given = chosen[0].args if chosen else ast.arguments([], [], None, [], [], None, [])
    stated = (
        read_defaults(given, outside)
        | (find_used(chosen[0], outside) if chosen else {})
        | (dict(calls[0][1]) if calls else {})
    )
    body = write_body(tree, chosen[0] if chosen else None, stated)
    labels = {a.arg for a in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    before = outside | read_annotated(given, known) | stated
    body = name_versions(chain_updates(body, *follow_body(tree, body, before)), {*labels, *stated, *outside})
    body = choose_last(body, find_masks(given, before))
    returned, assigned = (find_returned(body) if chosen else set()), find_assigned(body)
    translator = Translator(Builder("python", known, assigned), c_ast, read_expression, name_value)
    translator.constants = find_shapes([*tree.body, *body]) | list_stated(stated)
    translator.own = frozenset(f.name for f in functions)
    translator.alone, translator.holds = bool(chosen) and is_of_elements(chosen[0]), holds
    translator.learn(body, returned)
    notes: tuple[str, ...] = ()
    if chosen:
        notes = read_call(translator, calls[0][0] if calls else 0, stated, assigned)
        read_parameters(translator, chosen[0].args, body)
        refuse_unknown(translator, chosen[0], calls, body)
    given_shapes, body_as_read = dict(translator.shapes), list(body)
    compound = block(translator, body, Line(1))
    label = chosen[0].name if chosen else MODULE
    builder = Builder(label, translator.builder.sizes, translator.builder.assigned)
    numbers = declare_numbers(translator, builder)
    take_over(builder.routine, translator.builder.routine, notes)
    builder.routine.given = frozenset(labels | {*given_shapes} | translator.filled)
    seen = returned | labels if chosen else translator.temporaries
    builder.routine.temporaries = frozenset(translator.temporaries - seen - find_shared(body))
    tree = c_ast.FileAST([])
    arrays, runs = write_function(
        translator, chosen[0].args if chosen else None, builder.routine.name, numbers, compound
    )
    if holds:
        return Reading(builder.routine, dict(builder.sizes), tree, runs, {})
    read_body(builder, c_ast, {}, tree, arrays, compound)
    if calls:
        refuse_unstated(builder.routine.assumed, calls[0][0])
    if any(n.endswith("'") for n in translator.every):
        # What statements overwrite is run as they find it.
        runs = read_python(text, sizes, function, holds=True).function
    given_numbers = {n: v for n, v in (outside | stated).items() if type(v) in (int, float, bool)} | known
    refute = partial(refute_reading, body_as_read, given_shapes, given_numbers, find_kinds(translator))
    plain = not (builder.routine.library or translator.complex or translator.apart)
    return Reading(builder.routine, dict(builder.sizes), tree, runs, {}, refute=refute if plain else None)


def find_parser() -> Any:
    """The nodes of pycparser.

    Raises
    ------
    MissingExtraError : it is not installed.
    """
    try:
        from pycparser import c_ast
    except ImportError as error:
        raise MissingExtraError("classes from code need pycparser: pip install 'roofcast[source]'") from error
    return c_ast


def write_function(
    translator: Translator, arguments: ast.arguments | None, name: str, numbers: Sequence[Any], compound: Any
) -> tuple[list[Any], Any]:
    """Declarations of all arrays, and the function in C that is run. numbers : declarations of those it has."""
    c = translator.c
    arrays = [translator.declare(n, s) for n, s in translator.every.items()]
    parameters = list_parameters(translator, arguments)
    local = [a for a in (*arrays, *numbers) if a.name not in {p.name for p in parameters}]
    declared = c.Decl(name, [], [], [], [], c.FuncDecl(c.ParamList(parameters), None), None, None)
    runs = c.FuncDef(declared, None, c.Compound([*local, compound]))
    mark_fixed(mark_indices(c.FileAST([runs])))
    return arrays, runs


def find_kinds(translator: Translator) -> dict[str, str]:
    """Arrays of whole numbers ("int") and of conditions ("bool")."""
    whole = {n: "int" for n, t in translator.types.items() if t.startswith("int")}
    return whole | dict.fromkeys(translator.masks, "bool")


def declare_numbers(translator: Translator, builder: Builder) -> list[Any]:
    """Declarations of numbers that one statement alone gives a value; a builder is stated their types.

    What they hold is what that statement says, as of C's ``int k = ids[row]``.
    """
    outside = {n: t for n, t in translator.builder.routine.types.items() if n not in translator.every}
    scalars = {n: t for n, t in translator.types.items() if n not in translator.every and n in translator.once}
    builder.changed -= translator.once
    builder.routine.types |= outside | scalars
    return [translator.declare(n, ()) for n in scalars]


def choose_function(functions: Sequence[ast.FunctionDef], name: str | None) -> list[ast.FunctionDef]:
    """The function of a name, or a file's first one; none where it has none.

    Raises
    ------
    SourceError : others alone are there.
    """
    chosen = [f for f in functions if f.name == name] or ([] if name else list(functions[:1]))
    if functions and not chosen:
        names = ", ".join(one_line(f.name, 40) for f in functions)
        raise SourceError(f"no function {one_line(name or '', 60)!r}: the file has {names}")
    return chosen


def take_over(routine: Routine, translated: Routine, notes: tuple[str, ...]) -> None:
    """Let a routine know what translating it has found."""
    routine.assumed, routine.library, routine.notes = translated.assumed, translated.library, notes
    routine.of_passes, routine.exchanged = True, translated.exchanged
    routine.structures |= translated.structures


def read_kernel(tree: ast.Module, sizes: Mapping[str, int], name: str, of_blocks: bool) -> Reading:
    """The routine of a kernel of numba.cuda.

    Raises
    ------
    SourceError : it is one of Triton, whose class follows from what its programs store (:mod:`.triton_units`).
    """
    if is_triton(tree, name):
        raise SourceError(f"'{one_line(name, 40)}' is a kernel of Triton: name it, FILE:FUNCTION")
    return read_c(write_kernel(tree, name), sizes, name, of_blocks=of_blocks)


def write_python_kernel(text: str, kernel: str) -> str:
    """A kernel of numba.cuda in CUDA, with its first launch.

    Raises
    ------
    SourceError : the file has no such kernel, or it does what is not followed.
    """
    return write_kernel(parse(text), kernel)


def list_functions(text: str) -> list[str]:
    """Functions of a file, in the order of the code; kernels, and methods where no functions are, that none calls."""
    tree = parse(text)
    kernels = list_launched(tree)
    plain = [
        n.name for n in tree.body
        if isinstance(n, ast.FunctionDef) and (not kernels or n.name in kernels or is_compiled(n))
    ]  # fmt: skip
    return [*plain, *(k for k in kernels if k not in plain)] or list_methods(tree)


COMPILED = ("njit", "vectorize", "guvectorize")
PLAIN_COMPILED = ("jit", "numba.jit", "nb.jit")
"""Decorators of Numba for functions on CPUs; of Triton and CUDA there are others that end alike."""


def is_of_elements(node: ast.FunctionDef) -> bool:
    """Whether Numba calls a function for each element of its arrays: ``@vectorize``."""
    names = [ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
    return any(n.rpartition(".")[2] == "vectorize" for n in names)


def is_compiled(node: ast.FunctionDef) -> bool:
    """Whether Numba compiles a function for CPUs."""
    names = [ast.unparse(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
    return any(n.rpartition(".")[2] in COMPILED or n in PLAIN_COMPILED for n in names)


def list_methods(tree: ast.Module) -> list[str]:
    """Methods of a file's classes that no other method calls, without those that Python calls."""
    every = [m for c in tree.body if isinstance(c, ast.ClassDef) for m in c.body if isinstance(m, ast.FunctionDef)]
    called = {find_called(n) for m in every for n in ast.walk(m) if isinstance(n, ast.Call)}
    return [m.name for m in every if m.name not in called and not m.name.startswith("__")]


def parse(text: str) -> ast.Module:
    """The syntax tree of a file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return write_plainly(ast.parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = getattr(error, "msg", "") or str(error) or "nested too deeply"
        raise refuse(getattr(error, "lineno", None) or 1, f"not Python: {reason}") from error


def remember_integers(item: ast.stmt, known: dict[str, int]) -> None:
    """Add a constant integer of the file to the sizes, or several: ``H, W = 720, 1280``."""
    if not isinstance(item, ast.Assign):
        return
    for target in item.targets:
        several = isinstance(target, ast.Tuple) and isinstance(item.value, ast.Tuple)
        pairs = zip(target.elts, item.value.elts, strict=False) if several else [(target, item.value)]  # type: ignore[attr-defined]
        for name, node in pairs:
            value = fold_integer(node, known)
            if isinstance(name, ast.Name) and value is not None:
                known.setdefault(name.id, value)


def find_shapes(body: Iterable[ast.stmt]) -> dict[str, list[ast.expr]]:
    """Constants of a file that are several numbers: ``SHAPE = (256, 4096)``."""
    return {
        t.id: list(s.value.elts) for s in body if isinstance(s, ast.Assign) and isinstance(s.value, ast.Tuple)
        for t in s.targets if isinstance(t, ast.Name)
    }  # fmt: skip


def list_stated(stated: Mapping[str, Any]) -> dict[str, list[ast.expr]]:
    """What a function is given that is several whole numbers: ``shape=(256, 4096)``."""
    several = {n: v for n, v in stated.items() if isinstance(v, tuple) and v and all(type(k) is int for k in v)}
    return {n: [ast.Constant(k, lineno=1, col_offset=0) for k in v] for n, v in several.items()}


def refuse_unknown(
    translator: Translator, function: ast.FunctionDef, calls: Sequence[tuple[int, Mapping[str, Any]]],
    body: Sequence[ast.stmt],
) -> None:  # fmt: skip
    """Refuse what a function is given of which neither the file's own call nor its use says whether it is an array.

    Raises
    ------
    SourceError : there is one.
    """
    if not calls:
        return
    line, known = calls[0]
    every = function.args.args[: len(function.args.args) - len(function.args.defaults)]
    nodes = [n for s in body for n in ast.walk(s)]
    parts = {getattr(n.value, "id", "") for n in nodes if isinstance(n, (ast.Subscript, ast.Attribute))}
    parts |= {getattr(n.iter, "id", "") for n in nodes if isinstance(n, (ast.For, ast.comprehension))}
    sized = {n.id for c in nodes if isinstance(c, ast.Call) and find_called(c) in ("range", "len") for n in ast.walk(c)
             if isinstance(n, ast.Name)}  # fmt: skip
    for name in (a.arg for a in every if a.annotation is None and a.arg != "self"):
        stated = name in known or name in translator.shapes or name in translator.builder.sizes
        if not stated and name not in parts | sized and any(isinstance(n, ast.Name) and n.id == name for n in nodes):
            label = one_line(name, 40)
            raise refuse(
                line, f"what is handed over as {label} here is not known: annotate it, or give --size '{label}=N'"
            )


def refuse_unstated(assumed: Iterable[str], line: int) -> None:
    """Refuse sizes of arrays of which the file's own call shows that it does not know them.

    Raises
    ------
    SourceError : there is one, with how to state it.
    """
    for name in assumed:
        if re.fullmatch(r"len\(.*\)|.*\.(shape\[.*\]|size)", name):
            label = one_line(name, 40)
            raise refuse(line, f"the size {label} of what is handed over here is not known: give --size '{label}=N'")
