"""The syntax tree of C, by pycparser: unknown types declared first, and what its nodes say of themselves."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.array_lengths import write_lengths
from roofcast_hull.source.bits_of_words import write_bits
from roofcast_hull.source.c_declarations import collect_structures, name_structure
from roofcast_hull.source.c_nodes import copy_node, map_nodes
from roofcast_hull.source.fixed_numbers import is_of_launch, mark_fixed
from roofcast_hull.source.index_names import is_of_index, mark_indices, walk_nodes
from roofcast_hull.source.nest import SourceError, refuse

WORDS = {
    "While": "a while loop", "DoWhile": "a do loop", "Break": "break", "Continue": "continue",
    "Switch": "switch", "StructRef": "a structure member", "ArrayRef": "an index from data", "Label": "a label",
    "CompoundLiteral": "a structure that is made in place", "InitList": "a list of values", "Goto": "a goto",
}  # fmt: skip
TYPE_WORDS = """size_t ssize_t ptrdiff_t int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t uchar uint
    ushort ulong DATA_TYPE real_t scalar_t half bool complex_t __half _Float16 intptr_t uintptr_t"""
TYPES = tuple(TYPE_WORDS.split())
KEYWORD_WORDS = """auto break case char const continue default do double else enum extern float for goto if inline int
    long register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while
    _Bool _Complex"""
KEYWORDS = frozenset(KEYWORD_WORDS.split())
DECLARED = re.compile(
    r"(?:^|[;{}]|\bconst|\bstatic|\binline|\bextern)\s*([A-Za-z_]\w*)"
    r"(?=[\s*]+(?:restrict\s+)?[A-Za-z_]\w*\s*[\[;,=()])"
    # A parameter; `(n * sizeof(x))` is none.
    r"|[(,]\s*([A-Za-z_]\w*)(?=[\s*]+(?:restrict\s+)?[A-Za-z_]\w*\s*[\[,=)])"
)
NUMBERED = re.compile(
    r"\b(?:int|long|short|char|unsigned|float|double|size_t|u?int(?:8|16|32|64)_t)\s+([A-Za-z_]\w*)\s*[=;,\[]"
)
"""A name that is declared as a number or an array: none of a type, though ``(n * n)`` looks like a parameter."""
DATA = "data"
"""Type of a constant that stands for a value of the algorithm, counted before."""
LARGEST_LITERAL = 2**64
"""Of whole numbers that data meet, masks and keys of 64 bits among them; indices and bounds are smaller."""
MATH_NUMBERS = {
    "M_PI": math.pi, "M_PI_2": math.pi / 2, "M_PI_4": math.pi / 4, "M_1_PI": 1 / math.pi, "M_2_PI": 2 / math.pi,
    "M_2_SQRTPI": 2 / math.sqrt(math.pi), "M_E": math.e, "M_SQRT2": math.sqrt(2), "M_SQRT1_2": math.sqrt(0.5),
    "M_LN2": math.log(2), "M_LN10": math.log(10), "M_LOG2E": 1 / math.log(2), "M_LOG10E": 1 / math.log(10),
}  # fmt: skip
"""Numbers that <math.h> names."""
REALS = frozenset(["float", "double"])
"""Types of real numbers."""
FUNCTION = re.compile(r"(?:^|[;}\n])[^;{}=\n]*?\b(?P<name>[A-Za-z_]\w*)\s*\([^;{}]*\)\s*\{")

CALL = re.compile(r"(?<![\w.>:])(\w+)\s*(?:<[^<>;()]*>\s*)?\(")
"""What may be a call of a function, not of a method of something."""


def find_bodies(text: str) -> Iterator[tuple[str, int, int]]:
    """Functions of a text: name, and where the inside of the body begins and ends."""
    at = 0
    while match := FUNCTION.search(text, at):
        start = match.end() - 1
        end, depth = start, 0
        for end in range(start, len(text)):
            depth += (text[end] == "{") - (text[end] == "}")
            if depth == 0:
                break
        yield match["name"], start + 1, end
        at = end


def empty_bodies(text: str, dropped: Callable[[str], bool]) -> str:
    """Text with the bodies of some functions empty, by their names; lines stay."""
    at, pieces = 0, []
    for name, start, end in find_bodies(text):
        inside = text[start:end]
        pieces += [text[at:start], "\n" * inside.count("\n") if dropped(name) else inside]
        at = end
    return "".join([*pieces, text[at:]])


def find_reached(text: str, function: str) -> set[str]:
    """Names of functions of a text that one of them calls, or that those call."""
    bodies = {name: text[start:end] for name, start, end in find_bodies(text)}
    reached, waiting = {function}, [function]
    while waiting:
        named = set(re.findall(r"[A-Za-z_]\w*", bodies.get(waiting.pop(), "")))
        waiting += sorted(named & set(bodies) - reached)
        reached |= named & set(bodies)
    return reached


def find_recursion(text: str, function: str) -> int:
    """The line of a text without comments in which a function calls itself, or one that calls it; 0 for others.

    Functions of which the text has several, for arguments of several types, are none.
    """
    bodies, several = dict[str, str](), set[str]()
    lines = dict[str, int]()
    for name, start, end in find_bodies(text):
        several |= {name} & set(bodies)
        bodies[name], lines[name] = text[start:end], text.count("\n", 0, start) + 1
    calls = {
        name: {m[1]: body.count("\n", 0, m.start()) for m in reversed([*CALL.finditer(body)]) if m[1] in bodies}
        for name, body in bodies.items() if name not in several
    }  # fmt: skip
    for name, line in sorted(calls.get(function, {}).items(), key=lambda call: call[1]):
        reached, waiting = {name}, [name]
        while waiting:
            following = set(calls.get(waiting.pop(), ())) - reached
            reached |= following
            waiting += following
        if function in reached:
            return lines[function] + line
    return 0


def parse(text: str, function: str | None = None, sizes: Collection[str] = ()) -> Any:
    """The syntax tree of a file, or of statements without a function around them.

    function : the one that is wanted; what those are that it does not call is not read where it is no plain C.
    sizes : names of numbers, which are no types.
    """
    from pycparser import c_ast, c_parser

    # What the parser raises on text that is no C, its own faults included.
    failures = (
        c_parser.ParseError, AssertionError, RecursionError, ValueError, AttributeError, TypeError, IndexError,
    )  # fmt: skip
    unknown, known = find_unknown_types(text, sizes)
    reached = find_reached(text, function) if function else set()
    names = [n for n in (*TYPES, *sorted(unknown)) if n not in known][:500]
    prelude = " ".join(f"typedef int {name};" for name in names) + " "
    plain = " ".join(f"typedef int {name};" for name in TYPES if name not in known) + " "
    first: Exception | None = None
    for candidate in (
        prelude + text,
        plain + text,
        f"{prelude}void snippet(void) {{ {text}\n}}",
        f"{plain}void snippet(void) {{ {text}\n}}",
        prelude + empty_bodies(text, lambda name: name == "main"),
        # What others do is nothing to the function that is wanted, but for those that it calls.
        *([prelude + empty_bodies(text, lambda name: name not in reached)] if function else []),
    ):
        try:
            tree = c_parser.CParser().parse(candidate, "source")
        except failures as error:
            first = first or error
            continue
        tree = write_bits(write_lengths(tree, c_ast), function, c_ast)
        return mark_fixed(mark_indices(take_members(write_constants(tree))))
    if isinstance(first, RecursionError):
        raise SourceError("its expressions or blocks are nested too deeply to be read")
    if str(first).endswith("At end of input"):
        raise refuse(1 + text.rstrip().count("\n"), "the file ends inside of a function")
    match = re.search(r"source:(\d+)(?::\d+)?:?\s*(.*)", str(first))
    line, why = (int(match[1]), match[2]) if match else (1, str(first))
    raise refuse(line, f"not C as pycparser reads it: {why or 'syntax error'}")


def find_unknown_types(text: str, sizes: Collection[str] = ()) -> tuple[set[str], set[str]]:
    """Names that stand as types in a text and are none of C's, and those of its own ``typedef``.

    sizes : names of numbers, which are no types.
    """
    numbers = {m[1] for m in NUMBERED.finditer(text)}
    unknown = {m[1] or m[2] for m in DECLARED.finditer(text)} - KEYWORDS - set(TYPES) - set(sizes) - numbers
    return unknown, set(re.findall(r"\btypedef\b[^;]*?(\w+)\s*(?:\[[^;\]]*\]\s*)*;", text))


def write_constants(tree: Any) -> Any:
    """A file with its real constants where their names stand: ``(GAMMA - 1)`` is a number for compilers, no work."""
    from pycparser import c_ast

    declared_outside = [n for n in tree.ext if type(n).__name__ == "Decl"]
    named = {n: c_ast.Constant("double", repr(v)) for n, v in MATH_NUMBERS.items()}
    named = {n: c for n, c in named.items() if n not in {str(d.name) for d in declared_outside}}
    everywhere = named | find_constants(declared_outside, named)
    for function in (n for n in tree.ext if type(n).__name__ == "FuncDef"):
        declared = list(find_declarations(function))
        names = [str(d.name) for d in declared]
        meaning = {n: v for n, v in everywhere.items() if n not in names}
        own_values = find_constants((d for d in declared if names.count(str(d.name)) == 1), meaning)
        if meaning or own_values:
            function.body = substitute(function.body, meaning | own_values)
    return tree


def take_members(tree: Any) -> Any:
    """A file with the member itself where a structure is made to take one: ``(Vec){a, b, c}.y`` computes b alone."""
    structures = collect_structures(tree)

    def change(node: Any) -> Any:
        whole: Any = node.name if type(node).__name__ == "StructRef" and node.type == "." else None
        if type(whole).__name__ != "CompoundLiteral" or type(whole.init).__name__ != "InitList":
            return node
        members = [str(m.name) for m in structures.get(name_structure(whole.type.type.type), ())]
        values, label = list(whole.init.exprs), str(node.field.name)
        plain = len(values) == len(members) and not any(has_kind(v, "InitList", "Assignment") for v in values)
        if not plain or label not in members or any(has_steps(v) for v in values):
            return node
        return values[members.index(label)]

    for k, item in enumerate(tree.ext):
        if type(item).__name__ == "FuncDef":
            tree.ext[k] = map_nodes(item, change)
    return tree


def has_steps(node: Any) -> bool:
    """Whether an expression changes a number by ``++`` or ``--``."""
    return any(type(n).__name__ == "UnaryOp" and n.op in ("++", "--", "p++", "p--") for n in walk_nodes(node))


def find_constants(declared: Iterable[Any], known: Mapping[str, Any]) -> dict[str, Any]:
    """Real numbers that declarations give names for good, and what they are."""
    meaning: dict[str, Any] = {}
    for node in declared:
        kind = getattr(getattr(node.type, "type", None), "names", ())
        if "const" in (node.quals or ()) and REALS & set(kind) and node.init is not None:
            value = substitute(node.init, {**known, **meaning})
            if is_constant(value):
                meaning[str(node.name)] = value
    return meaning


def find_declarations(node: Any) -> Iterator[Any]:
    """All declarations inside of a node."""
    for _, child in node.children():
        if type(child).__name__ == "Decl":
            yield child
        yield from find_declarations(child)


def read_integer(text: str, line: int, largest: int = 2**62) -> int:
    """An integer constant of C. largest : that may be one."""
    digits = text.rstrip("uUlL").lower()
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    try:
        value = int(digits, 8) if octal else int(digits, 0)
    except ValueError as error:
        raise refuse(line, f"{one_line(text, 30)!r} is no whole number") from error
    if abs(value) > largest:
        raise refuse(line, "an index or bound is larger than any array")
    return value


def substitute(node: Any, meaning: Mapping[str, Any]) -> Any:
    """A copy of an expression with names replaced; members of structures and functions have names of their own."""
    if type(node).__name__ == "ID":
        return meaning.get(str(node.name), node)
    own_name = {"StructRef": "field", "FuncCall": "name"}.get(type(node).__name__)
    return copy_node(node, lambda inside: substitute(inside, meaning), but=(own_name,))


def are_alike(one: Any, two: Any) -> bool:
    """Whether two expressions are the same text, whatever their blanks and parentheses."""
    if type(one) is not type(two):
        return False
    if any(getattr(one, n, None) != getattr(two, n, None) for n in one.attr_names):
        return False
    pairs = one.children(), two.children()
    return len(pairs[0]) == len(pairs[1]) and all(are_alike(a, b) for (_, a), (_, b) in zip(*pairs, strict=True))


def spell_tree(node: Any) -> str:
    """An expression as a text that is the same for the same expression: kinds, names and signs, outermost first."""
    held = [str(getattr(node, n)) for n in node.attr_names] or [str(getattr(node, "value", ""))]
    return f"{type(node).__name__} {' '.join(held)} ({', '.join(spell_tree(child) for _, child in node.children())})"


def has_loop(node: Any) -> bool:
    """Whether a loop occurs in a node."""
    return type(node).__name__ in ("For", "While", "DoWhile") or any(has_loop(child) for _, child in node.children())


def has_kind(node: Any, *kinds: str) -> bool:
    """Whether a node of some kind occurs."""
    return type(node).__name__ in kinds or any(has_kind(child, *kinds) for _, child in node.children())


def list_items(node: Any) -> list[Any]:
    """Statements of a block, or the statement itself."""
    return list(node.block_items or ()) if type(node).__name__ == "Compound" else [node] if node is not None else []


def find_searches(functions: Mapping[str, Any]) -> dict[str, int]:
    """Functions with a loop that no counter ends, ``while`` or ``break``, and the line of it."""

    def find(node: Any) -> int | None:
        if type(node).__name__ in ("While", "DoWhile") or (type(node).__name__ == "For" and breaks(node.stmt)):
            return int(node.coord.line)
        return next((line for _, child in node.children() if (line := find(child)) is not None), None)

    return {name: line for name, f in functions.items() if (line := find(f.body)) is not None}


def breaks(node: Any) -> bool:
    """Whether a ``break`` ends the loop of a body."""
    kind = type(node).__name__
    return kind == "Break" or (
        kind not in ("For", "While", "DoWhile", "Switch") and any(breaks(child) for _, child in node.children())
    )


def describe(node: Any) -> str:
    """A node in words."""
    kind = type(node).__name__
    if kind == "FuncCall":
        name = str(getattr(getattr(node, "name", None), "name", ""))
        return "a call that is not followed" if name == "unread" else f"the call of '{one_line(name, 40)}'"
    if kind == "UnaryOp":
        return f"'{node.op.removeprefix('p')}' here"
    if kind == "Assignment":
        return "an assignment"
    return WORDS.get(kind, f"'{kind}'")


def skips_iteration(node: Any, ends_thread: bool = False) -> bool:
    """Whether a branch only goes on to the next iteration (the next thread)."""
    kinds = ("Continue", "Return") if ends_thread else ("Continue",)
    items: list[Any] = list(node.block_items or ()) if type(node).__name__ == "Compound" else [node]
    return len(items) == 1 and type(items[0]).__name__ in kinds


def part_branches(node: Any, rest: Sequence[Any], ends_thread: bool, ast: Any) -> Any | None:
    """``if (c) { a; continue; } b`` as ``if (c) a else b``; None for what has no such branch.

    rest : statements after it. ends_thread : whether ``return`` does the same.
    """
    if type(node).__name__ != "If" or not rest:
        return None
    kinds = ("Continue", "Return") if ends_thread else ("Continue",)
    sides = [list_items(side) for side in (node.iftrue, node.iffalse)]
    ends = [bool(side) and type(side[-1]).__name__ in kinds for side in sides]
    if ends == [True, False] and len(sides[0]) > 1:
        sides = [sides[0][:-1], [*sides[1], *rest]]
    elif ends == [False, True] and len(sides[1]) > 1:
        sides = [[*sides[0], *rest], sides[1][:-1]]
    else:
        return None
    return ast.If(node.cond, *(ast.Compound(side, node.coord) for side in sides), node.coord)


def join_elements(cond: Any, one: Any, other: Any, ast: Any) -> Any | None:
    """``c ? x[a] : x[b]`` as ``x[c ? a : b]``; None where the branches are no elements of one array."""
    if type(one).__name__ != "ArrayRef" or type(other).__name__ != "ArrayRef":
        return None
    array = one.name if are_alike(one.name, other.name) else join_elements(cond, one.name, other.name, ast)
    if array is None:
        return None
    same = are_alike(one.subscript, other.subscript)
    index = one.subscript if same else ast.TernaryOp(cond, one.subscript, other.subscript, one.coord)
    return ast.ArrayRef(array, index, one.coord)


def find_names(node: Any) -> set[str]:
    """Names in an expression."""
    if type(node).__name__ == "ID":
        return {node.name}
    return {n for _, child in node.children() for n in find_names(child)}


def find_indexed(node: Any, name: str) -> set[str]:
    """Arrays of which an element is named by a counter alone, ``a[j]``."""
    is_indexed = type(node).__name__ == "ArrayRef" and getattr(uncast(node.subscript), "name", None) == name
    names = {spell_path(node.name)} - {""} if is_indexed else set[str]()
    return names.union(*(find_indexed(child, name) for _, child in node.children()))


def spell_path(node: Any) -> str:
    """``a.b.c`` of a name, or of a member of structures that have names; '' for what is no name."""
    if type(node).__name__ == "StructRef":
        return f"{spell_path(node.name)}.{node.field.name}"
    return str(node.name) if type(node).__name__ == "ID" else ""


def find_calls(node: Any) -> set[str]:
    """Functions that an expression calls."""
    names = {called(node)} - {""}
    return names.union(*(find_calls(child) for _, child in node.children()))


def returned(items: list[Any], meaning: dict[str, Any], ast: Any) -> Any | None:
    """What the statements of a small function return, as one expression; None where they do more than choose.

    meaning : what its scalars stand for.
    """
    for at, item in enumerate(items):
        kind = type(item).__name__
        if kind == "Return":
            return substitute(item.expr, meaning) if item.expr is not None else None
        if kind == "Decl" and item.init is not None and type(item.type).__name__ in ("TypeDecl", "PtrDecl"):
            meaning = {**meaning, str(item.name): substitute(item.init, meaning)}
        elif kind == "If":
            blocks = [list(getattr(b, "block_items", None) or ([b] if b is not None else [])) for b in
                      (item.iftrue, item.iffalse)]  # fmt: skip
            yes = returned([*blocks[0], *items[at + 1 :]], meaning, ast)
            no = returned([*blocks[1], *items[at + 1 :]], meaning, ast)
            if yes is None or no is None:
                return None
            return ast.TernaryOp(substitute(item.cond, meaning), yes, no, item.coord)
        elif kind not in ("EmptyStatement", "Pragma"):
            return None
    return None


def find_assigned(node: Any, declared: bool = True) -> set[str]:
    """Scalars that a body assigns, other than loop counters; those that only a declaration sets where asked."""
    kind = type(node).__name__
    if kind == "For":
        return find_assigned(node.stmt, declared)
    names: set[str] = set()
    if kind == "Assignment" and type(node.lvalue).__name__ == "ID":
        names.add(node.lvalue.name)
    if kind == "UnaryOp" and node.op in ("++", "p++", "--", "p--") and type(node.expr).__name__ == "ID":
        names.add(node.expr.name)
    if declared and kind == "Decl" and node.init is not None and type(node.type).__name__ == "TypeDecl":
        names.add(node.name)
    for _, child in node.children():
        names |= find_assigned(child, declared)
    return names


def called(node: Any) -> str:
    """The function that a call names; '' for other nodes."""
    return str(getattr(node.name, "name", "")) if type(node).__name__ == "FuncCall" else ""


def find_terms(node: Any, family: tuple[str, ...], plus: bool) -> list[tuple[Any, bool]]:
    """Terms of a chain of one kind of operation, with their signs."""
    if type(node).__name__ != "BinaryOp" or node.op not in family:
        return [(node, plus)]
    right = plus if node.op != "-" else not plus
    return find_terms(node.left, family, plus) + find_terms(node.right, family, right)


def read_absolute(node: Any) -> Any | None:
    """What ``abs(x)`` and ``x < 0 ? -x : x`` are the absolute value of; None for other expressions."""
    if called(node) in ("abs", "labs", "llabs") and node.args and len(node.args.exprs) == 1:
        return node.args.exprs[0]
    if type(node).__name__ != "TernaryOp" or type(node.cond).__name__ != "BinaryOp":
        return None
    value, zero = node.cond.left, str(getattr(node.cond.right, "value", ""))
    branches = {"<": (node.iftrue, node.iffalse), ">": (node.iffalse, node.iftrue)}.get(str(node.cond.op)[:1])
    if branches is None or zero != "0" or not are_alike(branches[1], value):
        return None
    minus = branches[0]
    return value if type(minus).__name__ == "UnaryOp" and minus.op == "-" and are_alike(minus.expr, value) else None


def uncast(node: Any) -> Any:
    """An expression without the casts around it."""
    while type(node).__name__ == "Cast":
        node = node.expr
    return node


def is_no_work(node: Any) -> bool:
    """Whether an operation is none of the algorithm's: of literals, of the launch's numbers, or to find a place."""
    return is_constant(node) or is_of_index(node) or is_of_launch(node)


def is_constant(node: Any) -> bool:
    """Whether an expression is made of numbers alone: compilers compute it."""
    kind = type(node).__name__
    if kind == "Constant":
        return bool(node.type != DATA)
    if kind == "UnaryOp" and node.op in ("-", "+"):
        return is_constant(node.expr)
    return kind == "BinaryOp" and is_constant(node.left) and is_constant(node.right)


def is_of_names(node: Any) -> bool:
    """Whether an expression is made of numbers and names alone, conversions among them."""
    kind = type(node).__name__
    if kind == "Cast":
        return is_of_names(node.expr)
    if kind == "UnaryOp":
        return node.op in ("-", "+") and is_of_names(node.expr)
    if kind == "BinaryOp":
        return node.op in "+-*/%" and is_of_names(node.left) and is_of_names(node.right)
    return kind == "ID" or is_constant(node)
