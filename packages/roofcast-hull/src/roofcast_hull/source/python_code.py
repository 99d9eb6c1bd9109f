"""Python as the C that it stands for: loops over ranges as ``for``, whole-array NumPy as loops over its elements."""

from __future__ import annotations

import ast
import copy
import itertools
import math
import re
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any

from roofcast.core.errors import MissingExtraError, one_line
from roofcast_hull.source.builder import FUNCTIONS, Builder
from roofcast_hull.source.c_code import CReader
from roofcast_hull.source.c_files import Reading, read_body, read_c
from roofcast_hull.source.c_tree import find_names
from roofcast_hull.source.counting import count_iterations
from roofcast_hull.source.library_call import LibraryCall
from roofcast_hull.source.nest import Affine, SourceError, refuse
from roofcast_hull.source.numpy_elements import REARRANGED, Line, Request, Terms, Whole, spread_shapes, transpose
from roofcast_hull.source.numpy_shapes import (
    DTYPES,
    REDUCTIONS,
    find_called,
    find_cast,
    fold_integer,
    infer_ranks,
    is_choice,
    is_making,
    list_literal,
    promote,
    read_annotation,
)
from roofcast_hull.source.numpy_spelling import simplify
from roofcast_hull.source.numpy_staged import find_complex, find_staged_call, read_staged
from roofcast_hull.source.numpy_values import BYTES, COMPLEX, CONSTANTS, Tensor
from roofcast_hull.source.own_functions import list_names, split_result, write_out
from roofcast_hull.source.passing_arrays import find_passing
from roofcast_hull.source.python_kernels import find_kernels, is_triton, list_launched, write_kernel
from roofcast_hull.source.python_words import write_plainly
from roofcast_hull.source.triton_code import find_whole_programs, write_unordered
from roofcast_hull.source.triton_host import PLACES, WHOLE, Instance, find_python_calls

SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "/", ast.Mod: "%", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.And: "&&", ast.Or: "||", ast.Not: "!",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Eq: "==", ast.NotEq: "!=",
}  # fmt: skip
C_TYPES = {"fp64": "double", "fp32": "float", "fp16": "half", "int64": "long", "int32": "int", "int16": "short",
           "int8": "char"}  # fmt: skip
NAMES = {
    "maximum": "fmax", "minimum": "fmin", "amax": "fmax", "amin": "fmin", "argmax": "fmax", "argmin": "fmin",
    "nanmax": "fmax", "nanmin": "fmin", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2",
    "arcsinh": "asinh", "arccosh": "acosh", "arctanh": "atanh", "around": "round", "fix": "trunc",
}  # fmt: skip
CONVERSIONS = frozenset(["float", "int", "bool", "float16", "float32", "float64", "int8", "int32", "int64", "uint8"])
VIEWS = ("asarray", "ascontiguousarray", "astype", "array", "copy")
"""Calls that compute nothing."""
IGNORED = (ast.Pass, ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Global, ast.Assert)
GENERATORS = ("default_rng", "RandomState", "seed", "manual_seed")
"""Calls whose work is none of the algorithm's."""
PRINTING = frozenset(["print", "perf_counter", "time"])
"""Calls that compute nothing."""
CONSTANT = frozenset(["zeros", "ones", "full", "empty", "zeros_like", "ones_like", "full_like", "empty_like"])
"""Calls that make arrays of one number."""
JOINING = frozenset(["stack", "concatenate", "vstack", "hstack", "column_stack", "append"])
"""Calls that put arrays beside each other."""
MOST_LISTED = 64
"""Numbers of a list whose loop is written out."""
COUNTERS = "ijklmn"
DEEPEST_MEMBER = 3
"""Objects that are members of others."""
DEEPEST = 100
"""Levels of loops."""
UNKNOWN_SIZE = 1 << 20
"""Of the dimensions of an array that is run without being declared."""


@dataclass(frozen=True)
class Reduction:
    """An array of sums: its shape, what is summed over, one term, how it is added, and what is done with a sum."""

    shape: tuple[int, ...]
    inner: tuple[int, ...]
    at: Callable[[Sequence[Any], Sequence[Any]], Any]
    name: str = "sum"
    shares: bool = False
    """Whether several of its sums read the same elements, as products of matrices do: a call of a library."""


@dataclass(frozen=True)
class Passing:
    """An array that one statement alone uses: its expression, uses there, and what it is where that overwrites one."""

    node: ast.expr
    uses: int
    known: dict[frozenset[str], Whole]


def read_python(
    text: str, sizes: Mapping[str, int], function: str | None = None, *, of_blocks: bool = False
) -> Reading:
    """The routine of one function, or of a file's own statements.

    Raises
    ------
    SourceError : no such function, a syntax error, or code that is not affine; with line and reason.
    MissingExtraError : pycparser is not installed.
    """
    try:
        from pycparser import c_ast
    except ImportError as error:
        raise MissingExtraError("classes from code need pycparser: pip install 'roofcast[source]'") from error
    tree = parse(text)
    kernels = find_kernels(tree)
    if of_blocks and function not in kernels:
        raise SourceError("only kernels have blocks")
    name = function or next(iter(list_launched(tree)), "")
    if name in kernels:
        return read_kernel(text, tree, sizes, name, of_blocks)
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    known = dict(sizes)
    for item in tree.body:
        remember_integers(item, known)
    chosen = [f for f in functions if f.name == function] or ([] if function else functions[:1])
    if functions and not chosen:
        names = ", ".join(one_line(f.name, 40) for f in functions) or "none"
        raise SourceError(f"no function {one_line(function or '', 60)!r}: the file has {names}")
    every_call, outside = find_python_calls(tree)
    calls = every_call.get(chosen[0].name, []) if chosen else []
    stated = (find_used(chosen[0], outside) if chosen else {}) | (dict(calls[0][1]) if calls else {})
    body = write_body(tree, chosen[0] if chosen else None, stated)
    assigned = find_assigned(body)
    translator = Translator(Builder("python", known, assigned), c_ast)
    translator.constants = find_shapes([*tree.body, *body])
    translator.own = frozenset(f.name for f in functions)
    translator.uses = find_passing(body, find_returned(chosen[0]) if chosen else set())
    notes: tuple[str, ...] = ()
    if chosen:
        notes = translator.read_call(calls[0][0] if calls else 0, stated, assigned)
        translator.read_parameters(chosen[0].args, body)
    compound = translator.block(body, Line(1))
    assigned = translator.builder.assigned
    builder = Builder(chosen[0].name if chosen else "module", translator.builder.sizes, assigned)
    builder.routine.assumed = translator.builder.routine.assumed
    builder.routine.library = translator.builder.routine.library
    builder.routine.notes = notes
    given = chosen[0].args if chosen else None
    builder.routine.given = frozenset(a.arg for a in (*given.posonlyargs, *given.args)) if given else frozenset()
    seen = find_returned(chosen[0]) | builder.routine.given if chosen else translator.temporaries
    builder.routine.temporaries = frozenset(translator.temporaries - seen)
    tree, arrays = c_ast.FileAST([]), [translator.declare(n, s) for n, s in translator.every.items()]
    read_body(builder, c_ast, {}, tree, arrays, compound)
    if calls:
        refuse_unstated(builder.routine.assumed, calls[0][0])
    parameters = translator.list_parameters(chosen[0].args if chosen else None)
    local = [a for a in arrays if a.name not in {p.name for p in parameters}]
    kind = c_ast.FuncDecl(c_ast.ParamList(parameters), None)
    declared = c_ast.Decl(builder.routine.name, [], [], [], [], kind, None, None)
    runs = c_ast.FuncDef(declared, None, c_ast.Compound([*local, compound]))
    return Reading(builder.routine, dict(builder.sizes), tree, runs, {})


def read_kernel(text: str, tree: ast.Module, sizes: Mapping[str, int], name: str, of_blocks: bool) -> Reading:
    """The routine of a kernel of Triton or numba.cuda."""
    written = write_kernel(text, tree, name)
    reading = read_c(written, sizes, name, of_blocks=of_blocks)
    if not is_triton(tree, name):
        return reading
    reading.routine.programs = find_whole_programs(written)
    reading.routine.notes = tuple(
        re.sub(r"^(launch of .*) block(s?) of .*", r"\1 program\2", n) for n in reading.routine.notes
    )
    return reading


def write_python_kernel(text: str, kernel: str) -> str:
    """A kernel of Triton or numba.cuda in CUDA, with its first launch.

    Raises
    ------
    SourceError : the file has no such kernel, or it does what is not followed.
    """
    return write_kernel(text, parse(text), kernel)


def write_unordered_kernel(text: str, kernel: str) -> tuple[str, tuple[str, int]]:
    """A kernel of Triton in CUDA without its running sum or order; see :func:`.triton_code.write_unordered`.

    Raises
    ------
    SourceError : the file has no such kernel.
    """
    tree = parse(text)
    if not is_triton(tree, kernel):
        raise SourceError("only kernels of Triton have functions that order rows")
    return write_unordered(text, tree, kernel)


def list_functions(text: str) -> list[str]:
    """Functions of a file, in the order of the code; kernels without those that others call."""
    tree = parse(text)
    return list_launched(tree) or [n.name for n in tree.body if isinstance(n, ast.FunctionDef)]


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


def write_body(tree: ast.Module, chosen: ast.FunctionDef | None, stated: dict[str, Any]) -> list[ast.stmt]:
    """Statements of a function, or of the file, with those of the file's functions that they call.

    stated : what the file calls the function with; members of objects among it are added as ``name.member``.
    """
    functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
    objects = list_objects(stated)
    for name, instance in objects.items():
        functions |= {f"{name}.{n.name}": n for n in instance.kind.body if isinstance(n, ast.FunctionDef)}
        stated |= {f"{name}.{n}": v for n, v in instance.fields.items()}
    statements = chosen.body if chosen else tree.body
    outcome = split_result(chosen) if chosen else None
    if outcome is not None and isinstance(outcome[1], ast.IfExp):
        # Branches that each end in a value are a choice between them.
        statements = [*outcome[0], ast.copy_location(ast.Return(outcome[1]), outcome[1])]
    body = simplify(write_out(statements, functions, chosen.name if chosen else ""))
    members = Members(frozenset(objects))
    return [members.visit(copy.deepcopy(s)) for s in body] if objects else body


def list_objects(stated: Mapping[str, Any]) -> dict[str, Instance]:
    """Objects among values by their names, those that are members of others too: ``self.grid``."""
    objects = {n: v for n, v in stated.items() if isinstance(v, Instance)}
    for _ in range(DEEPEST_MEMBER):
        inside = {f"{n}.{m}": v for n, o in objects.items() for m, v in o.fields.items() if isinstance(v, Instance)}
        objects |= inside
    return objects


def find_used(function: ast.FunctionDef, outside: Mapping[str, Any]) -> dict[str, Any]:
    """Arrays and whole numbers of the file that a function uses. outside : what the file's names stand for."""
    read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    inside = {a.arg for a in ast.walk(function) if isinstance(a, ast.arg)} | list_names(function.body)
    return {n: outside[n] for n in sorted(read - inside) if isinstance(outside.get(n), (Tensor, Instance, int))}


class Members(ast.NodeTransformer):
    """Gives members of objects a name each. objects : their names."""

    def __init__(self, objects: frozenset[str]) -> None:
        self.objects = objects
        self.aliases: dict[str, str] = {}
        """Other names of objects: ``s = self.state``."""

    def find_object(self, node: ast.expr) -> str:
        """The name of an object; '' for other expressions."""
        if isinstance(node, ast.Name):
            name = self.aliases.get(node.id, node.id)
        elif isinstance(node, ast.Attribute) and (owner := self.find_object(node.value)):
            name = f"{owner}.{node.attr}"
        else:
            return ""
        return name if name in self.objects else ""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """``cfg.n``, ``self.grid.n``."""
        if owner := self.find_object(node.value):
            return ast.copy_location(ast.Name(f"{owner}.{node.attr}", node.ctx), node)
        self.generic_visit(node)
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.stmt:
        """A name for an object is no array of its own."""
        target = node.targets[0]
        if isinstance(target, ast.Name) and (name := self.find_object(node.value)):
            self.aliases[target.id] = name
            return ast.copy_location(ast.Pass(), node)
        self.generic_visit(node)
        return node


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


def find_returned(function: ast.FunctionDef) -> set[str]:
    """Names of what a function gives back as it is, or a part of."""
    values = [n.value for n in ast.walk(function) if isinstance(n, (ast.Return, ast.Yield)) and n.value is not None]
    items = [i for v in values for i in (v.elts if isinstance(v, (ast.Tuple, ast.List)) else [v])]
    names = {n.id for i in items if is_view(i) for n in ast.walk(i) if isinstance(n, ast.Name)}
    # What others may see: the file's own names, and members of objects.
    outside = {n for g in ast.walk(function) if isinstance(g, ast.Global) for n in g.names}
    return names | outside | {"result"}


def find_assigned(body: list[ast.stmt]) -> frozenset[str]:
    """Scalars that loops assign: data, not sizes."""
    inside = [n for s in body for loop in ast.walk(s) if isinstance(loop, (ast.For, ast.While)) for n in ast.walk(loop)]
    targets = [t for n in inside if isinstance(n, ast.Assign) for t in n.targets]
    targets += [n.target for n in inside if isinstance(n, ast.AugAssign)]
    stored = [n for t in targets for n in ast.walk(t) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return frozenset(n.id for n in stored) | {name_value_before(n.id, n.lineno) for n in stored}


def name_value_before(name: str, line: int) -> str:
    """What holds the value of a name while others are computed that are assigned with it."""
    return f"{name} of line {line}"


class UsedByManyError(Exception):
    """Many units of a statement use an element of an array that it would compute. name : the array."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


class Translator:
    """Statements of one function as C, and what is known of its arrays."""

    def __init__(self, builder: Builder, c_ast: Any) -> None:
        self.builder, self.c, self.terms = builder, c_ast, Terms(c_ast)
        self.constants: dict[str, list[ast.expr]] = {}
        """Names of several numbers."""
        self.reader = CReader(builder, c_ast, {})
        """Tells sizes and integers that are affine in the counters of the loops around."""
        self.shapes: dict[str, tuple[int, ...]] = {}
        self.every: dict[str, tuple[int, ...]] = {}
        """Shapes of all arrays there are, also of those that statements overwrite as they were before."""
        self.types: dict[str, str] = {}
        self.stated: dict[str, tuple[tuple[str, ...], str]] = {}
        """What the file calls the function with: names of the sizes of each array and its type; none of a number."""
        self.views: dict[str, Whole] = {}
        self.bases: dict[str, str] = {}
        """Names of views -> arrays that they are parts of."""
        self.open: dict[str, int] = {}
        """Dimensions of arrays that nothing declares."""
        self.written: set[str] = set()
        self.statements: list[Any] = []
        self.filled: set[str] = set()
        """Arrays that hold something before the first statement that writes into them."""
        self.masks: set[str] = set()
        """Names of arrays of conditions."""
        self.temporaries: set[str] = set()
        """Whole arrays that expressions make."""
        self.lists: dict[str, list[ast.expr]] = {}
        """Names of lists of numbers."""
        self.made = 0
        self.own: frozenset[str] = frozenset()
        """Functions of the file."""
        self.complex: dict[str, int] = {}
        """Arrays of complex numbers, with the bytes of an element."""
        self.old: frozenset[str] = frozenset()
        """Arrays that a statement overwrites: its right side sees the values from before."""
        self.passing: dict[str, Passing] = {}
        """Names of arrays that one statement alone uses, which computes their elements where it needs them."""
        self.uses: dict[int, int] = {}
        """Assignments of such arrays, by their places in the tree: uses in that statement."""
        self.turns = 1
        """Elements of the loops that are open inside a statement."""
        self.around = 0
        """Those loops."""
        self.units: frozenset[str] = frozenset()
        """Counters of those of them whose turns are units: of more than one turn, and none that adds up."""
        self.sums = 0
        """Those of them that add up."""
        self.nest: tuple[int, ...] = ()
        """Their numbers."""
        self.numbers = itertools.count(1)
        self.before: list[Any] = []
        """What a statement needs before its loops."""

    # ---- arrays ----

    def read_call(self, line: int, stated: Mapping[str, Any], assigned: Collection[str]) -> tuple[str, ...]:
        """Shapes, types and numbers with which the file itself calls a function; what is said of them."""
        for name, value in stated.items():
            if isinstance(value, Tensor) and value.shape and min(value.shape) > 0:
                rank = len(value.shape)
                labels = [f"{name}.shape[{d}]" for d in range(rank)] if rank > 1 else [f"len({name})"]
                for label, size in zip(labels, value.shape, strict=True):
                    self.builder.sizes.setdefault(label, size)
                element = {"bool": "int8", "float": "fp32", "half": "fp16"}.get(
                    value.dtype, DTYPES.get(value.dtype, "")
                )
                self.masks |= {name} if value.dtype == "bool" else set()
                if value.dtype in COMPLEX:
                    self.complex[name] = 2 * BYTES[COMPLEX[value.dtype]]
                self.stated[name] = tuple(labels), element
            elif isinstance(value, tuple) and value and all(isinstance(v, (int, float)) for v in value):
                # A list of numbers.
                self.builder.sizes.setdefault(f"len({name})", len(value))
                self.stated[name] = (f"len({name})",), ""
            elif isinstance(value, (Tensor, int, float)):
                self.stated[name] = (), ""
                if type(value) is int and name not in assigned:
                    self.builder.sizes.setdefault(name, value)
        return (f"sizes are those of the call in line {line}",) if self.stated and line else ()

    def read_parameters(self, arguments: ast.arguments, body: Sequence[ast.stmt]) -> None:
        """Shapes of a function's parameters: from annotations, defaults, or how they are used."""
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        defaults = dict(zip([a.arg for a in every[::-1]], arguments.defaults[::-1], strict=False))
        ranks = infer_ranks(body, {a.arg for a in every})
        for name in self.stated.keys() - {a.arg for a in every}:
            # A member of an object, or an array of the file.
            self.remember_stated(name, "", arguments.args[0].lineno if arguments.args else 1)
        for argument in every:
            self.read_parameter(argument, defaults.get(argument.arg), ranks.get(argument.arg, 0))

    def read_parameter(self, argument: ast.arg, default: ast.expr | None, rank: int) -> None:
        """The shape of one parameter. rank : dimensions that its use shows."""
        name, line = argument.arg, argument.lineno
        number = isinstance(argument.annotation, ast.Name) and argument.annotation.id in ("float", "int", "bool")
        dimensions, element = ([], "") if number else read_annotation(argument.annotation)
        if not dimensions and name in self.stated and not number:
            self.remember_stated(name, element, line)
        elif not dimensions and default is not None and is_making(default):
            self.make(name, default)
        elif not dimensions and isinstance(default, ast.Constant):
            if type(default.value) is int:
                self.builder.sizes.setdefault(name, default.value)
        elif not number:
            labels = [f"{name}.shape[{d}]" for d in range(rank)] if rank > 1 else [f"len({name})"] * rank
            sizes = [d if isinstance(d, int) else self.builder.size(d, line).constant for d in dimensions or labels]
            if sizes:
                self.remember(name, tuple(max(1, s) for s in sizes), element)

    def remember_stated(self, name: str, element: str, line: int) -> None:
        """Remember an array with the shape that the file's own call says."""
        labels, called_with = self.stated[name]
        sizes = [self.builder.size(label, line).constant for label in labels]
        if sizes:
            self.remember(name, tuple(max(1, s) for s in sizes), element or called_with)

    def list_parameters(self, arguments: ast.arguments | None) -> list[Any]:
        """Declarations of what a function is given, for its execution, and arrays that it never writes."""
        given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs] if arguments else []
        unwritten = (n for n in self.every if n not in self.written or n in self.filled)
        names = dict.fromkeys([*(a.arg for a in given), *self.open, *unwritten])
        opened = {n: (1, *[UNKNOWN_SIZE] * (rank - 1)) for n, rank in self.open.items()}
        return [self.declare(n, self.every.get(n, opened.get(n, ()))) for n in names]

    def remember(self, name: str, shape: tuple[int, ...], element: str = "") -> None:
        """Remember an array."""
        self.shapes[name] = self.every[name] = shape
        self.views.pop(name, None)
        if element:
            self.types[name] = element

    def declare(self, name: str, shape: tuple[int, ...]) -> Any:
        """The declaration of an array or a scalar in C."""
        word = C_TYPES.get(self.types.get(name, ""), "double") if shape or name not in self.builder.sizes else "int"
        kind = self.c.TypeDecl(name, [], None, self.c.IdentifierType([word]))
        for size in shape[::-1]:
            kind = self.c.ArrayDecl(kind, self.c.Constant("int", str(size)), [])
        return self.c.Decl(name, [], [], [], [], kind, None, None)

    def make(self, name: str, node: ast.expr) -> None:
        """``name = np.zeros((n, m))``."""
        assert isinstance(node, ast.Call)
        element, dtypes = find_element([k.value for k in node.keywords if k.arg == "dtype"]), list[ast.expr]()
        self.filled |= {name} if find_called(node) not in CONSTANT else set()
        if (inside := find_cast(node)) is not None:
            dtypes = [*node.args, *(k.value for k in node.keywords)]
            element, node = find_element(dtypes), inside
        function = find_called(node)
        self.complex.pop(name, None)
        if wide := find_complex([*(k.value for k in node.keywords if k.arg == "dtype"), *dtypes]):
            self.complex[name] = wide
        shape = list_literal(node) or (self.find_mesh(node) if function == "meshgrid" else ())
        if shape:
            self.remember(name, shape, element or find_literal_type(node))
            return
        given = self.list_given(node)
        size = given[0]
        if function.endswith("_like") or (isinstance(size, ast.Attribute) and size.attr == "shape"):
            like = size.value if isinstance(size, ast.Attribute) else size
            if function.endswith("_like") and not element:
                element = self.infer_element(like)
            self.remember(name, self.whole(like).shape, element or self.find_same_type(node))
            return
        sizes = tuple(self.size(s) for s in self.list_made(function, given))
        usual = "int64" if function in WHOLE else self.find_same_type(node)
        self.remember(name, (len(sizes), *sizes) if function == "indices" else sizes, element or usual)

    def list_given(self, node: ast.Call) -> list[ast.expr]:
        """What a call that makes an array is given, its shape first."""
        function = find_called(node)
        stated = [k.value for k in node.keywords if k.arg in ("shape", "size")]
        given = [*stated, *self.spread(node.args)] if stated else list(self.spread(node.args))
        if function in PLACES and function != "permutation":
            given = stated or given[PLACES[function] :] or [ast.Constant(1)]
        if not given:
            raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 60)}' has no shape")
        return given

    def list_made(self, function: str, given: list[ast.expr]) -> list[ast.expr]:
        """Dimensions of the array that a call makes."""
        if function == "arange":
            return [self.count_steps(given)]
        if function in ("eye", "identity"):
            return [given[0], given[1] if len(given) > 1 else given[0]]
        return given if function in ("rand", "randn") else self.list_sizes(given[0])

    def find_mesh(self, node: ast.Call) -> tuple[int, ...]:
        """The shape of each array of ``np.meshgrid(x, y)``."""
        named = {k.arg: k.value for k in node.keywords}
        sizes = [math.prod(self.whole(a).shape) for a in node.args]
        order = named.get("indexing")
        if len(sizes) > 1 and not (isinstance(order, ast.Constant) and order.value == "ij"):
            sizes[:2] = sizes[1::-1]
        return tuple(sizes)

    def count_steps(self, given: Sequence[ast.expr]) -> ast.expr:
        """How many elements ``np.arange(first, end, step)`` has."""
        ends = [e.operand if isinstance(e, ast.UnaryOp) else e for e in given[:3]]
        if len(given) == 1:
            return given[0]
        if all(isinstance(e, ast.Constant) for e in ends):
            first, end, step = (ast.literal_eval(e) for e in [*given[:3], ast.Constant(1)][:3])
            return ast.copy_location(ast.Constant(math.ceil((end - first) / step)), given[0])
        first, end = (self.affine(e).constant for e in given[:2])
        step = self.affine(given[2]).constant if len(given) > 2 else 1
        if not step:
            raise refuse(given[0].lineno, "the step of a range must be a number")
        return ast.copy_location(ast.Constant(-(-(end - first) // step)), given[0])

    def find_same_type(self, node: ast.Call) -> str:
        """``np.zeros(n, x.dtype)``, ``np.zeros(n, np.float32)``: the type that an argument behind the shape names."""
        stated = [*(k.value for k in node.keywords if k.arg == "dtype"), *node.args[1:]]
        same = [a.value for a in stated if isinstance(a, ast.Attribute) and a.attr == "dtype"]
        if find_called(node) not in CONSTANT:
            return ""
        return self.infer_element(same[0]) if same else find_element(stated)

    def spread(self, nodes: Iterable[ast.expr]) -> Iterator[ast.expr]:
        """Arguments, those of a name with a star one by one."""
        for node in nodes:
            if isinstance(node, ast.Starred):
                yield from self.list_sizes(node.value)
            else:
                yield node

    def list_sizes(self, node: ast.expr) -> list[ast.expr]:
        """The dimensions of a shape."""
        if isinstance(node, ast.Name) and node.id in self.constants:
            return self.constants[node.id]
        return list(node.elts) if isinstance(node, (ast.Tuple, ast.List)) else [node]

    def infer_element(self, node: ast.expr) -> str:
        """The type of the elements that an expression computes; '' is NumPy's own."""
        if isinstance(node, ast.Call) and find_called(node) == "astype":
            return find_element([*node.args, *(k.value for k in node.keywords)])
        if isinstance(node, (ast.Compare, ast.BoolOp)):
            return "int8"
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        arrays = [n for n in names if self.shapes.get(n) or n in self.views]
        kinds = {self.types.get(n, "fp64") for n in arrays}
        if any(isinstance(n, ast.Div) for n in ast.walk(node)) and not any(k.startswith("fp") for k in kinds):
            return ""
        return promote(kinds)

    def size(self, node: ast.expr) -> int:
        """One dimension of a shape."""
        if isinstance(node, ast.Constant) and isinstance(node.value, float) and node.value.is_integer():
            return max(1, int(node.value))
        value = self.affine(node)
        if value.variables or value.constant < 1:
            raise refuse(node.lineno, f"'{one_line(ast.unparse(node), 40)}' is no size of an array")
        return value.constant

    def affine(self, node: ast.expr) -> Affine:
        """An integer that is affine in the counters."""
        return self.reader.affine(self.scalar(node))

    # ---- expressions ----

    def array(self, name: str, shape: tuple[int, ...], line: int) -> Whole:
        """A named array; primed where the statement overwrites it."""
        if name in self.complex:
            raise refuse(line, f"'{one_line(name, 40)}': operations on complex numbers of NumPy are not followed")
        if name in self.old:
            self.types[f"{name}'"] = self.types.get(name, "")
            name += "'"
        if shape:
            self.every.setdefault(name, shape)
        return Whole(shape, lambda at: self.terms.name(name, at, line))

    def scalar(self, node: ast.expr) -> Any:
        """An expression that is a number."""
        whole = self.whole(node)
        if whole.shape:
            raise refuse(node.lineno, f"the array '{one_line(ast.unparse(node), 40)}' is no number")
        return whole.at([])

    def whole(self, node: ast.expr) -> Whole:
        """An expression over numbers and arrays; products and sums inside it are computed first."""
        line = node.lineno
        if (asked := self.size_asked(node)) is not None:
            return Whole((), lambda _: asked)
        if called := find_staged_call(node, self.own):
            self.made += 1
            name = f"{called}{self.made}"
            self.stage(name, node)  # type: ignore[arg-type]
            return self.array(name, self.shapes[name], line)
        if (reduction := self.reduction(node)) is not None:
            self.made += 1
            name = f"{'product' if reduction.name == 'sum' and not is_sum(node) else reduction.name}{self.made}"
            return self.defer(name, reduction, line, self.infer_element(node))
        if isinstance(node, ast.Name):
            return self.named(node.id, line)
        if isinstance(node, ast.Subscript):
            return self.take(node)
        if isinstance(node, ast.Call):
            return self.function(node)
        if isinstance(node, ast.Attribute) and node.attr == "T":
            return transpose(self.whole(node.value))
        return self.constant(node) or self.operation(node)

    def named(self, name: str, line: int) -> Whole:
        """What a name stands for."""
        if name in self.passing:
            return self.pass_on(name)
        known = self.views.get(name)
        if known is not None and self.bases.get(name) in self.old:
            return known.rearrange(known.shape, lambda at: self.prime(known.at(at)))
        return known or self.array(name, self.shapes.get(name, ()), line)

    def constant(self, node: ast.expr) -> Whole | None:
        """A number, a list of them, or ``np.pi``; None for others."""
        line = node.lineno
        if isinstance(node, ast.Constant):
            value = node.value if isinstance(node.value, (int, float)) and math.isfinite(node.value) else 0.0
            kind = "int" if type(value) is int else "double"
            return Whole((), lambda _: self.c.Constant(kind, repr(value), Line(line)))
        if isinstance(node, ast.Attribute) and node.attr in CONSTANTS and target_name(node) not in self.shapes:
            return Whole((), lambda _: self.c.Constant("double", repr(CONSTANTS[node.attr]), Line(line)))
        if not isinstance(node, (ast.List, ast.Tuple)) or not (shape := list_literal(node)):
            return None
        self.made += 1
        label = f"numbers{self.made}"
        self.remember(label, shape)
        return self.array(label, shape, line)

    def prime(self, element: Any) -> Any:
        """An element of a part of an array, as it was before the statement."""
        root = element
        while isinstance(root, self.c.ArrayRef):
            root = root.name
        if isinstance(root, self.c.ID) and root.name in self.every and not root.name.endswith("'"):
            self.types[f"{root.name}'"] = self.types.get(root.name, "")
            self.every.setdefault(f"{root.name}'", self.every[root.name])
            root.name += "'"
        return element

    def list_overwritten(self, target: ast.expr) -> frozenset[str]:
        """Names of the array that a statement overwrites, and of the one that it is a part of."""
        name = target_name(target)
        return frozenset([name, self.bases.get(name, name)])

    def defer(self, name: str, found: Reduction, line: int, element: str) -> Whole:
        """An array of sums inside an expression: each sum is computed by the unit that uses it, where it is one alone.

        Otherwise, and where several sums read the same elements and are added up themselves (which are calls of a
        library), the array is computed before the statement's loops.
        """
        stored: list[bool] = []
        inside: dict[tuple[tuple[int, ...], str], str] = {}

        def at(indices: Sequence[Any]) -> Any:
            if not stored and self.takes_each_once(found, indices):
                key = self.nest, " ".join(str(getattr(i, "name", "")) for i in indices)
                if key not in inside:
                    self.made += 1
                    inside[key] = f"{name} {self.made}"
                    self.builder.assigned |= {inside[key]}
                    target = Whole((), lambda _: self.terms.name(inside[key], (), line))
                    self.sum_into(target, replace(found, shape=(), at=lambda _, inner: found.at(indices, inner)), line)
                return self.terms.name(inside[key], (), line)
            if not stored:
                stored.append(True)
                self.store_before(name, found, line, element)
            return self.terms.name(name, indices, line)

        return Whole(found.shape, at)

    def takes_each_once(self, found: Reduction, indices: Sequence[Any]) -> bool:
        """Whether the loops that are open use each sum of an array once."""
        names = [str(i.name) for i in indices if type(i).__name__ == "ID"]
        plain = all(type(i).__name__ in ("ID", "Constant") for i in indices) and len(set(names)) == len(names)
        return plain and self.turns == math.prod(found.shape) and not (found.shares and self.sums)

    def store_before(self, name: str, found: Reduction, line: int, element: str) -> None:
        """Compute an array of sums before the loops of the statement that is open."""
        outer, self.statements = self.statements, []
        held = self.turns, self.around, self.sums, self.units, self.nest
        self.turns, self.around, self.sums, self.units, self.nest = 1, 0, 0, frozenset(), ()
        self.temporaries.add(name)
        self.reduce_into(name, found, line, element)
        self.turns, self.around, self.sums, self.units, self.nest = held
        sums, self.statements = self.statements, outer
        (self.before if self.around else self.statements).extend(sums)

    def pass_on(self, name: str) -> Whole:
        """An array that one statement alone uses, as the expression that it is."""
        passing = self.passing[name]
        if self.old not in passing.known:
            self.passing.pop(name)
            passing.known[self.old] = self.whole(passing.node)
            self.passing[name] = passing
        whole, uses = passing.known[self.old], passing.uses
        size = uses * math.prod(whole.shape)

        def element(at: Sequence[Any]) -> Any:
            many = self.turns > math.prod(whole.shape) or not self.units <= set().union(*map(find_names, at))
            if whole.computes and self.around and many:
                raise UsedByManyError(name)
            return self.terms.compute_once(whole, whole.at(at), size)

        return Whole(whole.shape, element, whole.computes)

    def stage(self, name: str, node: ast.Call) -> None:
        """``name = np.cumsum(a)``, ``np.sort(a)``, ``np.fft.fft(a)``: a class of its own, and an array for the rest."""
        given, line = self.arguments(node), node.lineno
        if not given:
            raise refuse(line, f"'{one_line(ast.unparse(node), 60)}' has no array")
        source = given[0]
        if not (isinstance(source, ast.Name) and source.id in self.shapes and source.id not in self.views):
            self.made += 1
            label = f"given{self.made}"
            self.name_value(label, source, line)
            source = ast.Name(label, ast.Load())
        element, wide = self.types.get(source.id) or "fp64", self.complex.get(source.id, 0)
        staged = read_staged(
            find_called(node), node, given[1:], self.shapes.get(source.id, ()), "fp64" if wide == 16 else
            "fp32" if wide else element, wide, lambda item: self.affine(item).constant,
        )  # fmt: skip
        repetitions = max(1, round(count_iterations(tuple(self.builder.loops))))
        self.builder.routine.library.append(LibraryCall(staged, name, line, repetitions))
        self.types.pop(name, None)
        self.complex.pop(name, None)
        self.remember(name, staged.result_shape, staged.result)
        if not staged.result:
            self.complex[name] = round(staged.bytes_complex)

    def visit_call(self, node: ast.stmt) -> bool:
        """``rng = default_rng()``, ``a.sort()``: whether a statement is such a call, which is no loop."""
        call = getattr(node, "value", None)
        if not isinstance(call, ast.Call) or find_called(call) in GENERATORS:
            return isinstance(call, ast.Call)
        if not isinstance(node, ast.Expr) or not find_staged_call(call, self.own):
            return False
        base = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(base, ast.Name) and base.id in self.shapes:
            self.stage(base.id, call)
        return True

    def operation(self, node: ast.expr) -> Whole:
        """Operators, element by element."""
        line, place = node.lineno, Line(node.lineno)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and self.whole(node.operand).shape:
            # The array with changed signs is a result like others.
            zero = self.c.Constant("int", "0", place)
            return self.map([node.operand], lambda x: self.c.BinaryOp("-", zero, x, place), line)
        if isinstance(node, ast.UnaryOp):
            return self.map([node.operand], lambda x: self.c.UnaryOp(SIGNS[type(node.op)], x, place), line)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            return self.map([node.left, node.right], lambda x, y: self.terms.call("pow", (x, y), line), line)
        if isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
            sign = SIGNS[type(node.op)]
            return self.map([node.left, node.right], lambda x, y: self.c.BinaryOp(sign, x, y, place), line)
        if isinstance(node, ast.BoolOp):
            return self.map(node.values, lambda *all_: self.terms.chain(SIGNS[type(node.op)], all_, line), line)
        if isinstance(node, ast.Compare) and all(type(op) in SIGNS for op in node.ops):
            signs = [SIGNS[type(op)] for op in node.ops]

            def compare(*values: Any) -> Any:
                pairs = zip(signs, values, values[1:], strict=False)
                return self.terms.chain("&&", [self.c.BinaryOp(s, x, y, place) for s, x, y in pairs], line)

            return self.map([node.left, *node.comparators], compare, line)
        if isinstance(node, ast.IfExp):
            return self.map([node.test, node.body, node.orelse], lambda *x: self.c.TernaryOp(*x, place), line)
        raise refuse(line, f"'{one_line(ast.unparse(node), 60)}' cannot be counted")

    def map(self, nodes: Iterable[ast.expr], make: Callable[..., Any], line: int) -> Whole:
        """An operation on each element, shapes spread as NumPy does."""
        parts = [self.whole(n) for n in nodes]
        shape = spread_shapes([p.shape for p in parts], line)
        size = math.prod(shape)
        return Whole(
            shape,
            lambda at: make(*(self.terms.compute_once(p, p.at(self.terms.narrow(at, p.shape)), size) for p in parts)),
            True,
        )

    def function(self, node: ast.Call) -> Whole:
        """A function of numbers or arrays."""
        name, line, arguments = find_called(node), node.lineno, self.arguments(node)
        if is_making(node) and arguments:
            return self.make_inside(node)
        if name in (*VIEWS, *CONVERSIONS) and arguments:
            return self.whole(arguments[0])
        if name == "where" and len(arguments) == 3:
            return self.map(arguments, lambda *x: self.c.TernaryOp(*x, Line(line)), line)
        if name == "clip" and len(arguments) == 3:
            return self.map(
                arguments,
                lambda x, *ends: self.terms.call("fmin", (self.terms.call("fmax", (x, ends[0]), line), ends[1]), line),
                line,
            )
        if name in (*JOINING, "bincount", "cross") and arguments:
            return self.compute_array(name, node)
        if name in ("outer", "take_along_axis") and len(arguments) > 1:
            return (self.multiply_outer if name == "outer" else self.take_along)(node, arguments)
        if name in REARRANGED and arguments:
            return REARRANGED[name](self.terms, self.whole(arguments[0]), self.request(node, arguments[1:]))
        if name == "diff" and arguments and (whole := self.whole(arguments[0])).shape:
            return self.subtract_next(whole, line)
        if NAMES.get(name, name) in FUNCTIONS:
            return self.map(arguments, lambda *x: self.terms.call(NAMES.get(name, name), x, line), line)
        raise refuse(line, f"the call of '{one_line(name, 40)}' cannot be counted")

    def take_along(self, node: ast.Call, arguments: list[ast.expr]) -> Whole:
        """``np.take_along_axis(a, i, axis=1)``: elements that data chooses along one axis."""
        base, chosen = self.whole(arguments[0]), self.whole(arguments[1])
        axis = self.find_axis(node, arguments, 2)
        if axis is None or len(base.shape) != len(chosen.shape):
            raise refuse(node.lineno, "elements that are taken along no axis")
        axis %= len(base.shape)

        def at(indices: Sequence[Any]) -> Any:
            place = chosen.at(self.terms.narrow(indices, chosen.shape))
            return base.at(self.terms.narrow([*indices[:axis], place, *indices[axis + 1 :]], base.shape))

        sizes = [b if a != axis else 1 for a, b in enumerate(base.shape)]
        shape = spread_shapes([tuple(sizes), chosen.shape], node.lineno)
        return base.rearrange(shape, at)

    def compute_array(self, name: str, node: ast.Call) -> Whole:
        """An array that an expression makes by statements of its own."""
        self.made += 1
        label = f"{name}{self.made}"
        self.temporaries.add(label)
        self.name_value(label, node, node.lineno)
        return self.array(label, self.shapes[label], node.lineno)

    def multiply_outer(self, node: ast.Call, arguments: list[ast.expr]) -> Whole:
        """``np.outer(a, b)``."""
        left, right, line = self.whole(arguments[0]), self.whole(arguments[1]), node.lineno
        shape, rank = (*left.shape, *right.shape), len(left.shape)
        size = math.prod(shape)

        def multiply(at: Sequence[Any]) -> Any:
            sides = (left, at[:rank]), (right, at[rank:])
            return self.c.BinaryOp("*", *(self.terms.compute_once(w, w.at(i), size) for w, i in sides), Line(line))

        return Whole(shape, multiply, True)

    def subtract_next(self, whole: Whole, line: int) -> Whole:
        """``np.diff(a)``."""

        def difference(at: Sequence[Any]) -> Any:
            following = self.c.BinaryOp("+", at[-1], self.terms.number(1), Line(line))
            sides = whole.at([*at[:-1], following]), whole.at(at)
            uses = 2 * math.prod(whole.shape)
            return self.c.BinaryOp("-", *(self.terms.compute_once(whole, s, uses) for s in sides), Line(line))

        return Whole((*whole.shape[:-1], max(1, whole.shape[-1] - 1)), difference, True)

    def make_inside(self, node: ast.Call) -> Whole:
        """An array that is label where it is used."""
        name, line = find_called(node), node.lineno
        self.made += 1
        label = f"{name}{self.made}"
        self.make(label, node)
        real = any(isinstance(n, ast.Constant) and isinstance(n.value, float) for n in ast.walk(node))
        if name == "arange" and self.types.get(label, "int64") == "int64" and not real:
            first, step = self.find_steps(node)
            return Whole(self.shapes[label], lambda at: self.terms.move(first, step, at[0], line))
        if name in CONSTANT:
            return Whole(self.shapes[label], lambda _: self.c.Constant("double", "1.0", Line(line)))
        return self.array(label, self.shapes[label], line)

    def request(self, node: ast.Call, arguments: Sequence[ast.expr]) -> Request:
        """What a call asks of an array, besides it."""
        named = {k.arg: k.value for k in node.keywords if k.arg}
        return Request(arguments, named, node.lineno, lambda item: self.affine(item).constant, self.list_sizes)

    def find_steps(self, node: ast.Call) -> tuple[Any, int]:
        """First number and step of ``np.arange``."""
        given = list(self.spread(node.args))
        step = self.affine(given[2]).constant if len(given) > 2 else 1
        return (self.scalar(given[0]) if len(given) > 1 else self.terms.number(0)), step

    def find_axis(self, node: ast.Call, arguments: Sequence[ast.expr], at: int) -> int | None:
        """The axis that a call names, behind so many arguments; None where it names none."""
        chosen = next(
            (k.value for k in node.keywords if k.arg == "axis"), arguments[at] if len(arguments) > at else None
        )
        if chosen is None or (isinstance(chosen, ast.Constant) and chosen.value is None):
            return None
        return self.affine(chosen).constant

    def arguments(self, node: ast.Call) -> list[ast.expr]:
        """Arguments of a function, or of a method with its array first."""
        if isinstance(node.func, ast.Attribute):
            base = target_name(node.func.value)
            if not base or base in self.shapes or base in self.views:
                return [node.func.value, *node.args]
        return node.args

    def size_asked(self, node: ast.expr) -> Any:
        """``len(a)``, ``a.size``, ``a.shape[1]``; None for anything else."""
        if isinstance(node, ast.Call) and find_called(node) == "len" and len(node.args) == 1:
            array, at = node.args[0], 0
        elif isinstance(node, ast.Attribute) and node.attr == "size":
            array, at = node.value, 0
        elif (
            isinstance(node, ast.Subscript)
            and isinstance(node.value, ast.Attribute)
            and node.value.attr == "shape"
            and isinstance(node.slice, (ast.Constant, ast.UnaryOp))
        ):
            array, at = node.value.value, self.affine(node.slice).constant
        else:
            return None
        shape = self.shapes.get(array.id, ()) if isinstance(array, ast.Name) else ()
        if -len(shape) <= at < len(shape):
            return self.terms.number(shape[at])
        return self.terms.name(ast.unparse(node), (), node.lineno)

    def take(self, node: ast.Subscript) -> Whole:
        """``a[i][j]``, ``a[1:-1, ::2, k, None]``."""
        items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        line, base = node.lineno, self.whole(node.value)
        if not base.shape:
            return self.element(base.at([]), items, line)
        taken = sum(1 for i in items if not is_new(i) and not is_rest(i))
        if taken > len(base.shape):
            raise refuse(line, f"{taken} indices of an array of {len(base.shape)} dimensions")
        rest = next((n for n, i in enumerate(items) if is_rest(i)), len(items))
        items[rest : rest + 1] = [ast.Slice()] * (len(base.shape) - taken)
        sizes = iter(base.shape)
        if chosen := self.find_chosen(items):
            return self.gather(base, items, chosen, line)
        positions = [None if is_new(item) else self.position(item, next(sizes), line) for item in items]
        shape = tuple(1 if p is None else p[2] for p in positions if p is None or p[2])

        def at(indices: Sequence[Any]) -> Any:
            left = iter(indices)
            chosen = [(p, next(left) if p is None or p[2] else None) for p in positions]
            return base.at([self.terms.move(p[0], p[1], i, line) for p, i in chosen if p is not None])

        return base.rearrange(shape, at)

    def find_chosen(self, items: Sequence[ast.expr]) -> dict[int, Whole]:
        """Indices that are arrays of whole numbers, by their places."""
        chosen: dict[int, Whole] = {}
        for at, item in enumerate(items):
            if isinstance(item, ast.Slice) or is_new(item) or is_rest(item) or self.is_mask(item):
                continue
            whole = self.whole(item)
            if whole.shape:
                chosen[at] = whole
        return chosen

    def is_mask(self, node: ast.expr) -> bool:
        """Whether an index is an array of conditions."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return self.is_mask(node.operand)
        if isinstance(node, (ast.Compare, ast.BoolOp)):
            return bool(self.whole(node).shape)
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr)):
            return self.is_mask(node.left)
        return isinstance(node, ast.Name) and node.id in self.masks

    def gather(self, base: Whole, items: Sequence[ast.expr], chosen: Mapping[int, Whole], line: int) -> Whole:
        """``a[i]``, ``a[i, j]`` where i and j are arrays: elements, or rows, that data chooses."""
        at, end = min(chosen), max(chosen) + 1
        apart = any(not isinstance(i, ast.Slice) for n, i in enumerate(items) if n not in chosen)
        if any(is_new(i) for i in items) or apart or end - at != len(chosen):
            raise refuse(line, "several indices of an array at once, one of them from data")
        outer = [self.position(i, n, line) for n, i in zip(base.shape[:at], items[:at], strict=True)]
        inner = [self.position(i, n, line) for n, i in zip(base.shape[end:], items[end:], strict=True)]
        shape = spread_shapes([w.shape for w in chosen.values()], line)
        rank, wholes = len(shape), [chosen[n] for n in range(at, end)]

        def element(indices: Sequence[Any]) -> Any:
            middle = list(indices[at : at + rank])
            before = [self.terms.move(p[0], p[1], i, line) for p, i in zip(outer, indices[:at], strict=True)]
            behind = [self.terms.move(p[0], p[1], i, line) for p, i in zip(inner, indices[at + rank :], strict=True)]
            return base.at([*before, *(w.at(self.terms.narrow(middle, w.shape)) for w in wholes), *behind])

        return base.rearrange((*(p[2] for p in outer), *shape, *(p[2] for p in inner)), element)

    def gathers(self, node: ast.expr) -> bool:
        """Whether an expression takes elements that an array chooses."""
        if not isinstance(node, ast.Subscript):
            return False
        items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        return bool(self.find_chosen(items))

    def element(self, base: Any, items: Sequence[ast.expr], line: int) -> Whole:
        """An element of an array whose shape is not known."""
        if any(isinstance(i, ast.Slice) for i in items):
            raise refuse(line, "this is no array element with affine indices")
        for item in items:
            base = self.c.ArrayRef(base, self.scalar(item), Line(line))
        name, rank = base, 0
        while isinstance(name, self.c.ArrayRef):
            name, rank = name.name, rank + 1
        if not isinstance(name, self.c.ID):
            raise refuse(line, "this is no array element with affine indices")
        if name.name not in self.shapes:
            self.open[name.name] = max(rank, self.open.get(name.name, 0))
        return Whole((), lambda _: base)

    def position(self, item: ast.expr, size: int, line: int) -> tuple[Any, int, int]:
        """First element, step and count of one index (0 of a single element)."""
        if not isinstance(item, ast.Slice):
            if self.whole(item).shape:
                raise refuse(line, "an index from data is not affine")
            return self.inside(item, size)[0], 1, 0
        step = self.affine(item.step) if item.step is not None else Affine((), 1)
        if step.variables or not step.constant:
            raise refuse(line, "the step of a slice must be a number")
        if step.constant < 0:
            if item.lower is not None or item.upper is not None:
                raise refuse(line, "a slice that goes backwards must be of the whole array, a[::-1]")
            return self.terms.number(size - 1), step.constant, -(-size // -step.constant)
        first, low = self.inside(item.lower, size) if item.lower is not None else (self.terms.number(0), Affine())
        high = self.inside(item.upper, size)[1] if item.upper is not None else Affine((), size)
        length = high - low if low is not None and high is not None else Affine.of({"open": 1})
        if length.variables:
            raise refuse(line, "a slice whose length differs from iteration to iteration: write it as a loop")
        count = -(-min(length.constant, size) // step.constant)
        if count < 1:
            raise refuse(line, "a slice without elements")
        return first, step.constant, count

    def inside(self, node: ast.expr, size: int) -> tuple[Any, Affine | None]:
        """An index of a dimension, those from its end counted from its start; None where data chooses."""
        scalar = self.scalar(node)
        known = dict(self.builder.routine.assumed), dict(self.builder.sizes)
        try:
            affine = self.reader.affine(scalar)
        except SourceError:
            self.builder.routine.assumed, self.builder.sizes = known
            return scalar, None
        if not affine.variables and affine.constant < 0:
            return self.terms.number(affine.constant + size), affine + Affine((), size)
        return scalar, affine

    # ---- sums and products ----

    def reduction(self, node: ast.expr) -> Reduction | None:
        """An expression that is a sum or a product as a whole; None for others."""
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
            return self.product(node.left, node.right, node.lineno)
        if isinstance(node, ast.Call):
            arguments = self.arguments(node)
            if find_called(node) in ("dot", "matmul", "inner") and len(arguments) == 2:
                return self.product(arguments[0], arguments[1], node.lineno)
            if find_called(node) in ("convolve", "correlate") and len(arguments) in (2, 3):
                return self.convolve(node, arguments)
            if find_called(node) in ("tensordot", "trace") and arguments:
                return self.contract_axes(find_called(node), arguments, node)
            if find_called(node) == "einsum" and len(node.args) > 1:
                return self.contract(node)
            if find_called(node) in REDUCTIONS and arguments and not is_choice(node):
                return self.reduce(find_called(node), arguments, node)
        return None

    def reduce(self, name: str, arguments: list[ast.expr], node: ast.Call) -> Reduction | None:
        """A sum or the like over all or some axes; None of plain numbers."""
        whole = self.choose(arguments[0]) or self.whole(arguments[0])
        rank = len(whole.shape)
        if not rank:
            return None
        given = {k.arg: k.value for k in node.keywords}
        chosen = given.get("axis", arguments[1] if len(arguments) > 1 else None)
        axes = list(range(rank))
        if chosen is not None and not (isinstance(chosen, ast.Constant) and chosen.value is None):
            items = chosen.elts if isinstance(chosen, ast.Tuple) else [chosen]
            axes = sorted({self.affine(i).constant % rank for i in items})
        keep = isinstance(k := given.get("keepdims"), ast.Constant) and bool(k.value)

        shape = tuple(1 if a in axes else n for a, n in enumerate(whole.shape) if keep or a not in axes)

        def at(indices: Sequence[Any], inner: Sequence[Any]) -> Any:
            outer = iter(indices)
            summed = dict(zip(axes, inner, strict=True))
            # A kept axis of length one has an index too, which is not used.
            places = [(a, next(outer) if keep or a not in summed else None) for a in range(rank)]
            element = whole.at([summed.get(a, i) for a, i in places])
            squared = name == "norm" or (name in ("var", "std") and not shape)
            return self.terms.call("pow", (element, self.terms.number(2)), node.lineno) if squared else element

        return Reduction(shape, tuple(whole.shape[a] for a in axes), at, name)

    def choose(self, node: ast.expr) -> Whole | None:
        """``a[mask]`` inside of a sum: all elements, those that the mask leaves out as nothing; None for others."""
        if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Tuple) or not self.is_mask(node.slice):
            return None
        base, mask, line = self.whole(node.value), self.whole(node.slice), node.lineno
        if base.shape != mask.shape:
            return None

        def chosen(at: Sequence[Any]) -> Any:
            return self.c.TernaryOp(mask.at(at), base.at(at), self.terms.number(0), Line(line))

        return Whole(base.shape, chosen, True)

    def convolve(self, node: ast.Call, arguments: Sequence[ast.expr]) -> Reduction:
        """``np.convolve(x, k, mode="valid")``: at the ends of other modes, the nearest elements in place of none."""
        line, name = node.lineno, find_called(node)
        stated = next((k.value for k in node.keywords if k.arg == "mode"), arguments[2] if len(arguments) > 2 else None)
        usual = "full" if name == "convolve" else "valid"
        mode = stated.value if isinstance(stated, ast.Constant) else usual if stated is None else ""
        long, short = (self.whole(a) for a in arguments[:2])
        if len(long.shape) != 1 or len(short.shape) != 1 or mode not in ("valid", "same", "full"):
            raise refuse(line, f"the call of '{name}' cannot be counted")
        size, reach = long.shape[0], short.shape[0]
        length = {"valid": max(1, size - reach + 1), "same": size, "full": size + reach - 1}[str(mode)]
        before = {"valid": 0, "same": (reach - 1) // 2, "full": reach - 1}[str(mode)]

        def at(indices: Sequence[Any], inner: Sequence[Any]) -> Any:
            place = self.c.BinaryOp("+", indices[0], inner[0], Line(line))
            if before:
                moved = self.c.BinaryOp("-", place, self.terms.number(before), Line(line))
                place = self.terms.call(
                    "min",
                    (self.terms.call("max", (moved, self.terms.number(0)), line), self.terms.number(size - 1)),
                    line,
                )
            other = inner[0]
            if name == "convolve":
                other = self.c.BinaryOp("-", self.terms.number(reach - 1), inner[0], Line(line))
            terms = (long, place), (short, other)
            return self.c.BinaryOp(
                "*", *(self.terms.compute_once(w, w.at([i]), length * reach) for w, i in terms), Line(line)
            )

        return Reduction((length,), (reach,), at, shares=True)

    def contract(self, node: ast.Call) -> Reduction:
        """``np.einsum("bij,bjk->bik", a, b)``; letters that the result lacks are summed over."""
        line = node.lineno
        formula = node.args[0].value if isinstance(node.args[0], ast.Constant) else ""
        inputs, arrow, result = str(formula).replace(" ", "").partition("->")
        letters, wholes = inputs.split(","), [self.whole(a) for a in node.args[1:]]
        plain = arrow and all(w.isalpha() or not w for w in (*letters, result)) and len(letters) == len(wholes)
        if not plain or any(len(w) != len(x.shape) for w, x in zip(letters, wholes, strict=True)):
            raise refuse(line, "einsum with other than written letters, as in 'ij,jk->ik', is not followed")
        sizes = {a: n for w, x in zip(letters, wholes, strict=True) for a, n in zip(w, x.shape, strict=True)}
        summed = [a for a in sizes if a not in result]

        def at(indices: Sequence[Any], inner: Sequence[Any]) -> Any:
            places = dict(zip((*result, *summed), (*indices, *inner), strict=True))
            terms = [(x, x.at([places[a] for a in w])) for w, x in zip(letters, wholes, strict=True)]
            size = math.prod(sizes.values())
            return self.terms.chain("*", [self.terms.compute_once(x, element, size) for x, element in terms], line)

        if not set(result) <= set(sizes):
            raise refuse(line, "einsum with a letter in its result that no array has")
        return Reduction(tuple(sizes[a] for a in result), tuple(sizes[a] for a in summed), at, shares=True)

    def contract_axes(self, name: str, arguments: list[ast.expr], node: ast.Call) -> Reduction:
        """``np.tensordot(a, b, axes=1)``, ``np.trace(a)`` as sums over letters."""
        several = arguments[:1] if name == "trace" else arguments[:2]
        ranks = [len(self.whole(a).shape) for a in several]
        letters = iter("abcdefghijklmnopqrstuvwxyz")
        if name == "trace":
            if ranks != [2] or len(arguments) > 1 or node.keywords:
                raise refuse(node.lineno, "the trace of other than a matrix")
            formula = "aa->"
        else:
            left, right = ([next(letters) for _ in range(n)] for n in ranks)
            for first, second in zip(*self.list_contracted(arguments, node, ranks), strict=True):
                right[second] = left[first]
            result = [a for a in (*left, *right) if (a in left) != (a in right)]
            formula = f"{''.join(left)},{''.join(right)}->{''.join(result)}"
        call = ast.Call(node.func, [ast.Constant(formula), *several], [])
        return self.contract(ast.fix_missing_locations(ast.copy_location(call, node)))

    def list_contracted(
        self, arguments: list[ast.expr], node: ast.Call, ranks: Sequence[int]
    ) -> tuple[list[int], list[int]]:
        """Axes of both arrays that ``np.tensordot`` sums over."""
        named = {k.arg: k.value for k in node.keywords}
        axes = named.get("axes", arguments[2] if len(arguments) > 2 else ast.Constant(2))
        if not isinstance(axes, (ast.Tuple, ast.List)):
            number = self.affine(axes).constant
            return list(range(ranks[0] - number, ranks[0])), list(range(number))
        first, second = (
            [self.affine(i).constant % n for i in self.list_sizes(side)]
            for side, n in zip(axes.elts, ranks, strict=True)
        )
        return first, second

    def product(self, left_node: ast.expr, right_node: ast.expr, line: int) -> Reduction:
        """A product of matrices and vectors."""
        left, right = self.whole(left_node), self.whole(right_node)
        if not left.shape or not right.shape:
            raise refuse(line, "a product '@' of arrays whose shapes are not known: annotate them")
        if left.shape[-1] != right.shape[-2 if len(right.shape) > 1 else 0]:
            raise refuse(line, f"a product of shapes {left.shape} and {right.shape}")
        batch, rows = left.shape[:-2], left.shape[-2:-1]
        columns = right.shape[-1:] if len(right.shape) > 1 else ()
        lead = len(batch) if len(right.shape) == len(left.shape) else 0

        def at(indices: Sequence[Any], summed: Sequence[Any]) -> Any:
            front, rest = list(indices[: len(batch)]), list(indices[len(batch) :])
            first = left.at([*front, *rest[: len(rows)], summed[0]])
            two = right.at([*front[:lead], summed[0], *rest[len(rows) :]])
            sides = self.terms.compute_once(left, first, size), self.terms.compute_once(right, two, size)
            return self.c.BinaryOp("*", *sides, Line(line))

        shape = (*batch, *rows, *columns)
        size = math.prod(shape) * left.shape[-1]
        return Reduction(shape, left.shape[-1:], at, shares=True)

    def reduce_into(self, name: str, found: Reduction, line: int, element: str = "") -> None:
        """The loops of a reduction, into an array of its own."""
        self.types.pop(name, None)
        self.remember(name, found.shape, element)
        if not found.shape:
            self.shapes.pop(name), self.every.pop(name)
            # A number that data give, no size.
            self.builder.assigned |= {name}
            self.builder.scope.pop(name, None)
        self.sum_into(Whole(found.shape, lambda at: self.terms.name(name, at, line)), found, line)

    def sum_into(self, place: Whole, found: Reduction, line: int, *, begins: bool = True) -> None:
        """The loops of a reduction: each sum from its first value to what is done with it."""
        with self.counters(place.shape, line) as outer:
            target = place.at(outer)
            if begins:
                self.assign(target, "=", self.terms.number(0), line)
            centred = found.name in ("var", "std") and bool(place.shape)
            terms = self.subtract_mean(found, outer, line) if centred else found
            with self.counters(found.inner, line, sums=True) as inner:
                term = terms.at(self.terms.narrow(outer, found.shape), inner)
                plain = NAMES.get(found.name) or {"max": "fmax", "min": "fmin"}.get(found.name)
                value = self.terms.call(plain, (target, term), line) if plain else term
                self.assign(target, "=" if plain else "*=" if found.name == "prod" else "+=", value, line)
            if found.name in ("mean", "norm", "var", "std") and begins:
                done = {
                    "mean": self.c.BinaryOp("/", target, self.terms.number(max(1, math.prod(found.inner))), Line(line))
                }.get(found.name, self.terms.call("sqrt", (target,), line))
                self.assign(target, "=", done, line)

    def subtract_mean(self, found: Reduction, outer: Sequence[Any], line: int) -> Reduction:
        """Squares of what is left of elements without their mean, which is added up first."""
        self.made += 1
        label = f"mean{self.made}"
        self.builder.assigned |= {label}
        mean = self.terms.name(label, (), line)
        plain = replace(found, shape=(), name="mean", at=lambda _, inner: found.at(outer, inner))
        self.sum_into(Whole((), lambda _: mean), plain, line)

        def square(indices: Sequence[Any], inner: Sequence[Any]) -> Any:
            gap = self.c.BinaryOp("-", found.at(indices, inner), mean, Line(line))
            return self.terms.call("pow", (gap, self.terms.number(2)), line)

        return replace(found, at=square)

    # ---- statements ----

    def assign(self, target: Any, sign: str, value: Any, line: int) -> None:
        """An assignment in C."""
        name = target
        while isinstance(name, self.c.ArrayRef):
            name = name.name
        self.written.add(name.name)
        self.statements.append(self.c.Assignment(sign, target, value, Line(line)))

    @contextmanager
    def counters(self, shape: Sequence[int], line: int, *, sums: bool = False) -> Iterator[list[Any]]:
        """Loops over all elements of a shape. sums : whether they add up."""
        used, held = self.around, (self.turns, self.around, self.sums, self.units, self.nest)
        letters = [(at % len(COUNTERS), at // len(COUNTERS)) for at in range(used, used + len(shape))]
        names = [f"{COUNTERS[letter]}{round_ or ''} of line {line}" for letter, round_ in letters]
        before = self.before
        if not used:
            self.before = []
        self.turns, self.around = self.turns * math.prod(shape), used + len(shape)
        self.sums += len(shape) if sums else 0
        self.nest = (*self.nest, next(self.numbers))
        if not sums:
            self.units |= {n for n, size in zip(names, shape, strict=True) if size > 1}
        with ExitStack() as stack:
            for name, size in zip(names, shape, strict=True):
                stack.enter_context(self.loop(name, self.terms.number(0), self.terms.number(size), 1, line))
            yield [self.terms.name(n, (), line) for n in names]
        self.turns, self.around, self.sums, self.units, self.nest = held
        if not used:
            loops = self.statements[-1:] if shape else []
            self.statements = [*self.statements[: len(self.statements) - len(loops)], *self.before, *loops]
            self.before = before

    @contextmanager
    def loop(self, name: str, first: Any, end: Any, step: int, line: int) -> Iterator[None]:
        """Statements made meanwhile stand in a loop."""
        before, self.statements = self.statements, []
        yield
        place, counter = Line(line), self.terms.name(name, (), line)
        start = self.c.Assignment("=", counter, first, place)
        goes_on = self.c.BinaryOp("<" if step > 0 else ">", counter, end, place)
        moves = self.c.Assignment("+=", counter, self.terms.number(step), place)
        body = self.c.Compound(self.statements, place)
        self.statements = [*before, self.c.For(start, goes_on, moves, body, place)]

    def block(self, body: Sequence[ast.stmt], line: Line) -> Any:
        """Statements one after the other, as a block."""
        before, self.statements = self.statements, []
        for statement in body:
            self.visit(statement)
        statements, self.statements = self.statements, before
        return self.c.Compound(statements, line)

    def visit(self, node: ast.stmt) -> None:
        """One statement; arrays that it would let pass, although many of its units use an element, stand before it."""
        while True:
            held = self.statements, self.before, self.old, self.turns, self.around, self.sums, self.units, self.nest
            statements, calls = len(self.statements), len(self.builder.routine.library)
            try:
                return self.write_statement(node)
            except UsedByManyError as many:
                self.statements, self.before, self.old, self.turns, self.around, self.sums, self.units, self.nest = held
                del self.statements[statements:], self.builder.routine.library[calls:]
                passing = self.passing.pop(many.name)
                self.name_value(many.name, passing.node, passing.node.lineno)

    def write_statement(self, node: ast.stmt) -> None:
        """One statement in C."""
        line = node.lineno
        if self.visit_call(node):
            return
        if isinstance(node, (ast.For, ast.While)):
            self.visit_loop(node)
        elif isinstance(node, ast.If):
            test, place = self.scalar(node.test), Line(line)
            other = self.block(node.orelse, place) if node.orelse else None
            self.statements.append(self.c.If(test, self.block(node.body, place), other, place))
        elif isinstance(node, (ast.Assign, ast.AnnAssign)):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if node.value is not None:
                    self.visit_assignment(target, node.value, line)
        elif isinstance(node, ast.AugAssign):
            self.augment(node)
        elif isinstance(node, ast.Return) and not self.builder.loops:
            self.return_arrays(node)
        elif not self.is_silent(node):
            raise refuse(line, f"'{type(node).__name__.lower()}' has no place in an affine loop nest")

    def is_silent(self, node: ast.stmt) -> bool:
        """Whether a statement is none of the algorithm's work, or was an update that is written now."""
        value = getattr(node, "value", None)
        if isinstance(node, IGNORED) or isinstance(value, ast.Constant):
            return True
        if not isinstance(node, ast.Expr) or not isinstance(value, ast.Call):
            return False
        return find_called(value) in PRINTING or self.update_at(value)

    def update_at(self, node: ast.Call) -> bool:
        """``np.add.at(out, places, terms)``; whether it was one."""
        sign = {"add": "+=", "subtract": "-=", "multiply": "*="}.get(
            node.func.value.attr if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Attribute)
            else "", ""
        )  # fmt: skip
        if find_called(node) != "at" or not sign or len(node.args) != 3:
            return False
        line = node.lineno
        several = isinstance(node.args[1], ast.Tuple)
        places = [self.whole(e) for e in (node.args[1].elts if several else [node.args[1]])]  # type: ignore[attr-defined]
        self.update_places(self.whole(node.args[0]), places, self.whole(node.args[2]), sign, line)
        return True

    def update_places(self, out: Whole, places: Sequence[Whole], terms: Whole, sign: str, line: int) -> None:
        """Add terms to elements, or rows, that arrays of indices choose."""
        chosen = spread_shapes([p.shape for p in places], line)
        shape = (*chosen, *out.shape[len(places) :])
        if len(out.shape) < len(places) or not chosen or spread_shapes([shape, terms.shape], line) != shape:
            raise refuse(line, "an update of places that are no elements or rows")
        narrow = self.terms.narrow
        with self.counters(shape, line) as at:
            where = [p.at(narrow(at[: len(chosen)], p.shape)) for p in places]
            self.assign(out.at([*where, *at[len(chosen) :]]), sign, terms.at(narrow(at, terms.shape)), line)

    def visit_while(self, node: ast.While) -> None:
        """``while i < n:``, where the body counts."""
        place = Line(node.lineno)
        for name in find_assigned([ast.For(ast.Name("_"), ast.Constant(0), node.body, [], lineno=node.lineno)]):
            self.builder.scope.pop(name, None)
        test = self.scalar(node.test)
        self.statements.append(self.c.While(test, self.block(node.body, place), place))

    def visit_elements(self, node: ast.For) -> bool:
        """``for v in x:``, ``for i, v in enumerate(x):``, ``for a, b in zip(x, y):``; whether it is one of them."""
        call = node.iter
        name = find_called(call) if isinstance(call, ast.Call) else ""
        targets = list(node.target.elts) if isinstance(node.target, ast.Tuple) else [node.target]
        arrays: list[ast.expr] = [call]
        index = None
        if name == "enumerate" and isinstance(call, ast.Call) and len(call.args) == 1 and len(targets) == 2:
            index, targets, arrays = targets[0], targets[1:], [call.args[0]]
        elif name == "zip" and isinstance(call, ast.Call):
            arrays = list(call.args)
        listed = self.find_list(arrays[0]) if len(arrays) == 1 else None
        if listed is not None:
            return self.visit_list(node, listed, index)
        if name not in ("", "enumerate", "zip") or len(targets) != len(arrays):
            return False
        if not all(isinstance(t, ast.Name) for t in targets) or (index is not None and not isinstance(index, ast.Name)):
            return False
        wholes = [self.whole(a) for a in arrays]
        if not all(w.shape for w in wholes):
            return False
        line = node.lineno
        counter = index.id if isinstance(index, ast.Name) else f"turn of line {line}"
        size = min(w.shape[0] for w in wholes)
        low, high = (Affine(),), (Affine((), size - 1),)
        held = dict(self.views), dict(self.shapes)
        with (
            self.builder.loop(counter, low, high, 1, line, False),
            self.loop(counter, self.terms.number(0), self.terms.number(size), 1, line),
        ):
            for target, whole in zip(targets, wholes, strict=True):
                self.name_part(str(getattr(target, "id", "")), whole, self.terms.name(counter, (), line))
            for statement in node.body:
                self.visit(statement)
        self.views, self.shapes = held
        return True

    def find_list(self, node: ast.expr) -> list[ast.expr] | None:
        """Items of a list that is written, or of a name that stands for one; None for others."""
        if isinstance(node, (ast.List, ast.Tuple)):
            return list(node.elts)
        if not isinstance(node, ast.Name):
            return None
        return self.lists.get(node.id, self.constants.get(node.id) if node.id not in self.shapes else None)

    def name_part(self, name: str, whole: Whole, index: Any) -> None:
        """Let a name stand for an element, or a row, of an array."""
        self.shapes.pop(name, None)
        if whole.shape[1:]:
            self.shapes[name] = whole.shape[1:]
        self.views[name] = whole.rearrange(whole.shape[1:], lambda at: whole.at([index, *at]))

    def visit_list(self, node: ast.For, items: Sequence[ast.expr], index: ast.expr | None) -> bool:
        """A loop over a list of numbers, or of tuples of them, turn by turn; whether it is one."""
        target = node.target.elts[1] if index is not None and isinstance(node.target, ast.Tuple) else node.target
        names = [t.id for t in (target.elts if isinstance(target, ast.Tuple) else [target]) if isinstance(t, ast.Name)]
        several = [i.elts if isinstance(i, (ast.Tuple, ast.List)) and len(names) > 1 else [i] for i in items]
        if len(items) > MOST_LISTED or any(len(values) != len(names) for values in several):
            return False
        counter = [index.id] if isinstance(index, ast.Name) else []
        for turn, values in enumerate(several):
            numbers = [ast.copy_location(ast.Constant(turn), node)] if counter else []
            for name, value in zip([*counter, *names], [*numbers, *values], strict=True):
                self.views[name] = self.whole(value)
            for statement in node.body:
                self.visit(statement)
        for name in [*counter, *names]:
            self.views.pop(name, None)
        return True

    def return_arrays(self, node: ast.Return) -> None:
        """What a function returns, where that is still to be computed from arrays."""
        for item in node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]:
            named = item is not None and (not is_view(item) or self.gathers(item))
            names = {n.id for n in ast.walk(item) if isinstance(n, ast.Name)} if named and item else set()
            if item and names & {*self.shapes, *self.views}:
                self.name_value("result", item, node.lineno)

    def visit_loop(self, node: ast.For | ast.While) -> None:
        """``for i in range(first, last, step)``, and loops over elements or under a condition."""
        if isinstance(node, ast.While):
            self.visit_while(node)
            return
        call, line = node.iter, node.lineno
        if self.visit_elements(node):
            return
        if not (
            isinstance(node.target, ast.Name)
            and isinstance(call, ast.Call)
            and find_called(call) in ("range", "prange")
            and 1 <= len(call.args) <= 3
            and not node.orelse
        ):
            raise refuse(line, "loops are written 'for i in range(...)'")
        if len(self.builder.loops) > DEEPEST:
            raise refuse(line, f"more than {DEEPEST} levels of nesting")
        step = self.affine(call.args[2]) if len(call.args) == 3 else Affine((), 1)
        if step.variables or step.constant == 0:
            raise refuse(line, "the step of a range must be a number")
        first = self.scalar(call.args[0]) if len(call.args) > 1 else self.terms.number(0)
        end, up = self.scalar(call.args[min(1, len(call.args) - 1)]), step.constant > 0
        shift = Affine((), -1 if up else 1)
        ends = self.reader.extremes(first, "max" if up else "min"), tuple(
            e + shift for e in self.reader.extremes(end, "min" if up else "max")
        )  # fmt: skip
        low, high = ends if up else ends[::-1]
        name = node.target.id
        with (
            self.builder.loop(name, low, high, abs(step.constant), line, not up),
            self.loop(name, first, end, step.constant, line),
        ):
            for statement in node.body:
                self.visit(statement)

    def visit_assignment(self, target: ast.expr, node: ast.expr, line: int) -> None:
        """``x = e``, ``c = a + b``, ``c[1:-1] = ...``, ``s = a.sum(axis=1)``."""
        if isinstance(target, ast.Tuple):
            self.unpack(target, node, line)
        elif isinstance(target, ast.Name):
            if not self.let_pass(target.id, node):
                self.name_value(target.id, node, line)
        elif isinstance(target, ast.Subscript) and self.is_mask(target.slice):
            self.write_masked(target, node, line)
        else:
            place = self.whole(target)
            reduction = self.reduction(node)
            if reduction is not None and not self.list_overwritten(target) & self.list_names(node):
                self.sum_into(place, reduction, line)
                return
            self.old = self.list_overwritten(target) if place.shape else frozenset()
            self.write(place, self.whole(node), line)
            self.old = frozenset()

    def write_masked(self, target: ast.Subscript, node: ast.expr, line: int, sign: str = "=") -> None:
        """``a[a < 0] = e``, ``a[mask] *= e``: elements that a condition chooses, each by its own."""
        place, mask = self.whole(target.value), self.whole(target.slice)
        while isinstance(node, ast.Subscript) and ast.dump(node.slice) == ast.dump(target.slice):
            node = node.value
        value = self.whole(node)
        if mask.shape != place.shape or spread_shapes([place.shape, value.shape], line) != place.shape:
            raise refuse(line, "how many elements a condition chooses comes from data")
        with self.counters(place.shape, line) as at:
            outer, self.statements = self.statements, []
            self.assign(place.at(at), sign, value.at(self.terms.narrow(at, value.shape)), line)
            inside = self.c.Compound(self.statements, Line(line))
            self.statements = [*outer, self.c.If(mask.at(at), inside, None, Line(line))]

    def assign_arrays(self, names: Sequence[str], nodes: Sequence[ast.expr], line: int) -> None:
        """``x, y = x * x - y * y, 2 * x * y``: all elements are computed from what the arrays held before."""
        self.old = frozenset(n for n in names if self.shapes.get(n))
        wholes = [self.whole(n) for n in nodes]
        elements = [self.infer_element(n) for n in nodes]
        self.old = frozenset()
        if len({w.shape for w in wholes}) > 1 or not wholes[0].shape:
            raise refuse(line, "several arrays of other shapes assigned at once: write one assignment each")
        for name, whole, element in zip(names, wholes, elements, strict=True):
            self.types.pop(name, None)
            self.remember(name, whole.shape, element)
        with self.counters(wholes[0].shape, line) as at:
            for name, whole in zip(names, wholes, strict=True):
                self.assign(self.terms.name(name, at, line), "=", whole.at(at), line)

    def join(self, name: str, node: ast.Call) -> None:
        """``c = np.stack([a, b], axis=1)``: each array into its part."""
        line, called = node.lineno, find_called(node)
        given = node.args if called == "append" else self.list_sizes(node.args[0])
        parts = [self.whole(e) for e in given]
        if not parts or any(len(p.shape) != len(parts[0].shape) or not p.shape for p in parts):
            raise refuse(line, f"'{called}' of what is no list of arrays")
        rank, element = len(parts[0].shape), promote(self.infer_element(e) for e in given)
        chosen = self.find_axis(node, node.args, 1) if called in ("stack", "concatenate") else None
        if called == "stack" or (called in ("vstack", "column_stack") and rank == 1):
            self.stack(name, parts, {"stack": chosen or 0, "vstack": 0}.get(called, 1) % (rank + 1), element, line)
            return
        axis = ({"hstack": min(1, rank - 1), "column_stack": 1}.get(called, 0) if chosen is None else chosen) % rank
        sizes = [p.shape[axis] for p in parts]
        self.remember(name, (*parts[0].shape[:axis], sum(sizes), *parts[0].shape[axis + 1 :]), element)
        for n, part in enumerate(parts):
            # Each part is an array of its own: no unit of one touches another.
            label = f"{name}, part {n + 1}"
            self.remember(label, part.shape, element)
            self.write(self.array(label, part.shape, line), part, line)

    def stack(self, name: str, parts: Sequence[Whole], axis: int, element: str, line: int) -> None:
        """Arrays of one shape side by side along a new axis: a unit writes an element of each."""
        shape = parts[0].shape
        if any(p.shape != shape for p in parts):
            raise refuse(line, "a stack of arrays of several shapes")
        self.remember(name, (*shape[:axis], len(parts), *shape[axis:]), element)
        with self.counters(shape, line) as at:
            for n, part in enumerate(parts):
                place = self.terms.name(name, [*at[:axis], self.terms.number(n), *at[axis:]], line)
                self.assign(place, "=", part.at(at), line)

    def cross(self, name: str, node: ast.Call) -> None:
        """``c = np.cross(a, b)`` of vectors with three elements."""
        line = node.lineno
        left, right = (self.whole(a) for a in node.args[:2])
        shape = spread_shapes([left.shape, right.shape], line)
        if not shape or left.shape[-1] != 3 or right.shape[-1] != 3:
            raise refuse(line, "a cross product of other than vectors of three elements")

        def component(first: int, second: int) -> Whole:
            def multiply(at: Sequence[Any], one: int, other: int) -> Any:
                sides = (left, one), (right, other)
                parts = [w.at(self.terms.narrow([*at, self.terms.number(k)], w.shape)) for w, k in sides]
                return self.c.BinaryOp("*", *parts, Line(line))

            def gap(at: Sequence[Any]) -> Any:
                return self.c.BinaryOp("-", multiply(at, first, second), multiply(at, second, first), Line(line))

            return Whole(shape[:-1], gap, True)

        parts = [component(1, 2), component(2, 0), component(0, 1)]
        self.stack(name, parts, len(shape) - 1, promote(self.infer_element(a) for a in node.args[:2]), line)

    def count_places(self, name: str, node: ast.Call) -> None:
        """``h = np.bincount(x, weights=w, minlength=256)``."""
        named = {k.arg: k.value for k in node.keywords if k.arg}
        least = named.get("minlength", node.args[2] if len(node.args) > 2 else None)
        if least is None:
            raise refuse(node.lineno, "how many places 'bincount' counts in comes from data: give it a minlength")
        weights = named.get("weights", node.args[1] if len(node.args) > 1 else None)
        self.remember(name, (self.size(least),), "int64" if weights is None else "fp64")
        self.filled.add(name)
        terms = self.whole(weights) if weights is not None else Whole((), lambda _: self.terms.number(1))
        place = self.array(name, self.shapes[name], node.lineno)
        self.update_places(place, [self.whole(node.args[0])], terms, "+=", node.lineno)

    def name_value(self, name: str, node: ast.expr, line: int) -> None:
        """A name for a number, a new array, or a part of one."""
        self.masks.discard(name)
        if isinstance(node, (ast.Compare, ast.BoolOp)):
            self.masks |= {name}
        if isinstance(node, (ast.List, ast.Tuple)) and all(
            isinstance(e, (ast.Constant, ast.UnaryOp)) for e in node.elts
        ):
            self.lists[name] = list(node.elts)
            return
        if isinstance(node, ast.Call) and node.args and find_called(node) in (*JOINING, "bincount", "cross"):
            own_way = {"bincount": self.count_places, "cross": self.cross}
            own_way.get(find_called(node), self.join)(name, node)
            return
        if find_staged_call(node, self.own):
            self.stage(name, node)  # type: ignore[arg-type]
        elif is_making(node):
            self.make(name, node)
        elif (reduction := self.reduction(node)) is not None:
            self.temporaries.add(name)
            self.reduce_into(name, reduction, line, self.infer_element(node))
        elif is_view(node) and not self.gathers(node) and (view := self.whole(node)).shape:
            element = self.infer_element(node)
            self.shapes[name], self.views[name] = view.shape, view
            self.bases[name] = self.bases.get(target_name(node), target_name(node))
            self.types.pop(name, None)
            if element:
                self.types[name] = element
        else:
            self.old = frozenset([name] if self.shapes.get(name) else ())
            whole = self.whole(node)
            self.old = frozenset()
            if whole.shape:
                self.temporaries.add(name)
                element = self.infer_element(node)
                self.types.pop(name, None)
                self.remember(name, whole.shape, element)
            else:
                self.builder.scope.pop(name, None)
                number = whole.at([])
                with suppress(SourceError):
                    self.builder.scope[name] = self.reader.affine(number)
                whole = Whole((), lambda _: number)
            self.write(Whole(whole.shape, lambda at: self.terms.name(name, at, line)), whole, line)

    def let_pass(self, name: str, node: ast.expr) -> bool:
        """A name for an array that one statement alone uses: nothing is computed yet; whether it is one."""
        self.passing.pop(name, None)
        if id(node) not in self.uses or not (whole := self.whole(node)).shape:
            return False
        self.types.pop(name, None)
        self.views.pop(name, None)
        self.shapes[name] = whole.shape
        if element := self.infer_element(node):
            self.types[name] = element
        self.passing[name] = Passing(node, self.uses[id(node)], {})
        return True

    def write(self, place: Whole, whole: Whole, line: int, sign: str = "=") -> None:
        """The loops of an element-wise assignment."""
        if whole.shape and spread_shapes([place.shape, whole.shape], line) != place.shape:
            raise refuse(line, f"an array of shape {whole.shape} in place of {place.shape or 'one element'}")
        with self.counters(place.shape, line) as at:
            self.assign(place.at(at), sign, whole.at(self.terms.narrow(at, whole.shape)), line)

    def augment(self, node: ast.AugAssign) -> None:
        """``x += e``, ``a += b``."""
        if isinstance(node.target, ast.Subscript) and self.is_mask(node.target.slice) and type(node.op) in SIGNS:
            self.write_masked(node.target, node.value, node.lineno, f"{SIGNS[type(node.op)]}=")
            return
        line, place = node.lineno, self.whole(node.target)
        if isinstance(node.target, ast.Name):
            self.builder.scope.pop(node.target.id, None)
        if (
            isinstance(node.op, ast.Add)
            and (reduction := self.reduction(node.value)) is not None
            and reduction.name == "sum"
        ):
            if reduction.shape and not place.shape:
                raise refuse(line, "an array added to one number")
            self.sum_into(place, reduction, line, begins=False)
            return
        sign = SIGNS.get(type(node.op))
        reads_target = bool(self.list_overwritten(node.target) & self.list_names(node.value))
        if sign is None or (place.shape and (reads_target or sign not in ("+", "-"))):
            self.old = self.list_overwritten(node.target) if place.shape else frozenset()
            total = self.whole(ast.copy_location(ast.BinOp(node.target, node.op, node.value), node))
            self.old = frozenset()
            self.write(place, total, line)
        else:
            self.write(place, self.whole(node.value), line, f"{sign}=")

    def list_names(self, node: ast.expr) -> set[str]:
        """Names of an expression, and of arrays that only pass through it."""
        names = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        names |= {self.bases[n] for n in names if n in self.bases}
        return names.union(*(self.list_names(self.passing[n].node) for n in names if n in self.passing))

    def unpack(self, target: ast.Tuple, node: ast.expr, line: int) -> None:
        """``n, m = a.shape``; ``u, v = v, u``: two buffers that take turns."""
        names = [t.id for t in target.elts if isinstance(t, ast.Name)]
        others = [e.id for e in node.elts if isinstance(e, ast.Name)] if isinstance(node, ast.Tuple) else []
        if len(names) == len(target.elts) == 2 and names == others[::-1]:
            self.statements.append(self.terms.call("swap", [self.terms.name(n, (), line) for n in names], line))
        elif isinstance(node, (ast.Tuple, ast.List)) and len(node.elts) == len(target.elts):
            self.assign_each(target.elts, node.elts, line)
        elif isinstance(node, ast.Attribute) and node.attr == "shape" and len(names) == len(target.elts):
            for at, name in enumerate(names):
                size = ast.copy_location(ast.Subscript(node, ast.Constant(at), ast.Load()), node)
                ast.fix_missing_locations(size)
                self.name_value(name, size, line)
        else:
            raise refuse(line, "several values assigned at once: write one assignment each")

    def assign_each(self, targets: Sequence[ast.expr], nodes: Sequence[ast.expr], line: int) -> None:
        """``a, b = x + y, x - y``: all values are computed before any name has its own."""
        written = {target_name(t) for t in targets}
        later = [{n.id for n in ast.walk(v) if isinstance(n, ast.Name)} for v in nodes[1:]]
        if any(target_name(t) in used for at, t in enumerate(targets) for used in later[at:]):
            plain = all(isinstance(t, ast.Name) for t in targets)
            if plain and any(self.shapes.get(n) for n in written):
                self.assign_arrays([target_name(t) for t in targets], nodes, line)
                return
            if not plain:
                raise refuse(line, "several values assigned at once, which need each other: write one assignment each")
            labels = [
                ast.copy_location(ast.Name(name_value_before(target_name(t), line), ast.Load()), t) for t in targets
            ]
            for label, node in zip(labels, nodes, strict=True):
                self.visit_assignment(label, node, line)
            nodes = labels
        for target, node in zip(targets, nodes, strict=True):
            self.visit_assignment(target, node, line)


def find_element(nodes: Iterable[ast.expr]) -> str:
    """The type that a ``dtype`` names; '' where none does."""
    texts = [ast.unparse(n) for n in nodes]
    return next((DTYPES[w] for w in DTYPES if any(re.search(rf"(?<![a-z]){w}\b", t) for t in texts)), "")


def find_literal_type(node: ast.Call) -> str:
    """The type of ``np.array([1, 2])``: whole numbers only where all are."""
    if find_called(node) == "meshgrid":
        return ""
    numbers = [n.value for n in ast.walk(node.args[0]) if isinstance(n, ast.Constant)]
    return find_element(node.args[1:]) or ("int64" if all(type(n) is int for n in numbers) else "")


def is_sum(node: ast.expr) -> bool:
    """Whether an expression calls a sum, rather than being a product."""
    return isinstance(node, ast.Call) and find_called(node) in REDUCTIONS


def is_new(node: ast.expr) -> bool:
    """``None`` or ``np.newaxis`` in an index."""
    empty = isinstance(node, ast.Constant) and node.value is None
    return empty or (isinstance(node, ast.Attribute) and node.attr == "newaxis")


def is_rest(node: ast.expr) -> bool:
    """``...`` in an index."""
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def is_view(node: ast.expr) -> bool:
    """Whether an expression only names (part of) an array."""
    while isinstance(node, ast.Subscript) or (isinstance(node, ast.Attribute) and node.attr == "T"):
        node = node.value
    return isinstance(node, ast.Name)


def target_name(node: ast.expr) -> str:
    """The name that an element, a part or an attribute is of; '' for anything else."""
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""
