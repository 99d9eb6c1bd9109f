"""Statements of host code as functions of Python, over numbers and the lists that arrays of whole numbers are."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.source.c_tree import parse, read_integer
from roofcast_hull.source.host_numbers import find_type_bytes
from roofcast_hull.source.nest import SourceError

READS = re.compile(r"\b(?:f?printf|puts|free|(?:cuda|hip)\w+|delete|sizeof)\b")
"""Calls that leave the arrays of the host as they are."""
REAL = frozenset({"float", "double"})
WIDTHS = {8: 64, 4: 32, 2: 16, 1: 8}
LIBRARY = {
    "min": "min", "max": "max", "fmin": "min", "fmax": "max", "fminf": "min", "fmaxf": "max", "abs": "abs",
    "fabs": "abs", "fabsf": "abs", "labs": "abs", "sqrt": "math.sqrt", "sqrtf": "math.sqrt", "floor": "math.floor",
    "floorf": "math.floor", "ceil": "math.ceil", "ceilf": "math.ceil", "pow": "math.pow", "powf": "math.pow",
    "sin": "math.sin", "sinf": "math.sin", "cos": "math.cos", "cosf": "math.cos", "exp": "math.exp", "expf": "math.exp",
    "log": "math.log", "logf": "math.log", "round": "round", "lround": "round", "log2": "math.log2",
}  # fmt: skip
"""Functions of libraries, as Python has them."""

Ints = NDArray[np.int64]


GROUPS = {"Compound": "block_items", "DeclList": "decls", "ExprList": "exprs"}
"""Statements that hold others, and where."""


class UnknownError(Exception):
    """What nobody knows. names : what is not known for it; empty where that is the whole statement."""

    def __init__(self, *names: str) -> None:
        super().__init__(*names)
        self.names = frozenset(names)


@dataclass(eq=False)
class HostArray:
    """An array of whole numbers; several names may lead to it."""

    elements: int = 0
    values: list[int | None] | None = None
    """None for an element that is not known, or for all."""

    def forget(self) -> None:
        """Nothing of it is known any more."""
        self.values = None

    def escape(self) -> None:
        """Nothing of it will be known."""
        self.values, self.elements = None, 0

    def read(self) -> list[int | None]:
        """Its elements, to be changed."""
        if self.values is None:
            self.values = [None] * self.elements
        return self.values

    def freeze(self) -> Ints | None:
        """Its elements, where all are known."""
        if not self.values or None in self.values:
            return None
        return np.array([v if v < 1 << 63 else v - (1 << 64) for v in self.values if v is not None], dtype=np.int64)


@dataclass(frozen=True)
class Typed:
    """An expression of Python and the type of C that it has."""

    text: str
    bits: int = 32
    signed: bool = True
    real: bool = False


@dataclass
class Names:
    """What statements of a host know: its scope, as :class:`.host_scope.Scope` holds it."""

    values: dict[str, float]
    types: Mapping[str, str]
    arrays: dict[str, HostArray]
    functions: Mapping[str, Any]
    """Functions of the file, with their bodies."""
    make: Callable[[str], HostArray | None] = field(default=lambda _: None)
    """Makes the array of a name that holds none yet."""
    is_asked: Callable[[str], bool] = field(default=lambda _: True)
    """Whether somebody asks for an array."""


class Writer:
    """Writes a statement of C as a function of Python."""

    def __init__(self, names: Names, unknown: frozenset[str]) -> None:
        self.names, self.unknown = names, unknown
        self.scalars: dict[str, str] = {}
        self.arrays: dict[str, str] = {}
        self.local: dict[str, Typed] = {}
        self.changed: set[str] = set()
        self.labels = 0
        self.depth = 0
        self.needed: dict[str, str] = {}
        """Functions of the file that it calls, as Python."""
        self.returned = Typed("")
        self.after: tuple[str, ...] = ()

    # ---- names ----

    def spell(self, node: Any) -> str:
        """A name or a member: ``first.data_``."""
        kind = type(node).__name__
        if kind == "ID":
            return str(node.name)
        if kind == "StructRef":
            return f"{self.spell(node.name)}.{node.field.name}"
        if kind == "Cast":
            return self.spell(node.expr)
        raise UnknownError

    def array(self, node: Any) -> str:
        """The variable of Python that an array is in."""
        name = self.spell(node)
        if name in self.unknown:
            raise UnknownError
        if name not in self.names.arrays and (created := self.names.make(name)) is not None:
            self.names.arrays[name] = created
        if name not in self.names.arrays:
            raise UnknownError
        return self.arrays.setdefault(name, f"a{len(self.arrays)}")

    def type_of(self, words: str) -> Typed:
        """The type that words say."""
        parts = set(re.findall(r"\w+", words))
        size = find_type_bytes(words)
        if "*" in words or (size is None and "auto" not in parts):
            raise UnknownError
        if parts & REAL:
            return Typed("", 64, real=True)
        unsigned = "unsigned" in parts or any(p.startswith(("uint", "size_t", "ushort", "uchar")) for p in parts)
        return Typed("", WIDTHS.get(size or 8, 64), not unsigned)

    def scalar(self, name: str) -> Typed:
        """A variable."""
        if name in self.unknown:
            raise UnknownError
        if name in self.local:
            return self.local[name]
        value = self.names.values.get(name)
        if value is None and name not in self.changed:
            raise UnknownError
        words = self.names.types.get(name, "")
        kind = self.type_of(words) if words and "struct" not in words else Typed("", 64, real=isinstance(value, float))
        label = self.scalars.setdefault(name, f"s{len(self.scalars)}")
        return Typed(label, kind.bits, kind.signed, kind.real)

    # ---- expressions ----

    def value(self, node: Any) -> Typed:
        """An expression."""
        read: Callable[[Any], Typed] | None = {
            "Constant": self.constant, "ID": self.named, "StructRef": self.named, "ArrayRef": self.read_element,
            "Cast": self.cast, "TernaryOp": self.choose, "UnaryOp": self.sign, "FuncCall": self.call,
            "BinaryOp": self.operate,
        }.get(type(node).__name__)  # fmt: skip
        if read is None:
            raise UnknownError
        return read(node)

    def named(self, node: Any) -> Typed:
        """A variable, or a number in a structure."""
        return self.scalar(self.spell(node))

    def read_element(self, node: Any) -> Typed:
        """``a[i]``."""
        element = self.element(node.name)
        return Typed(f"{self.array(node.name)}[{self.index(node.subscript)}]", element.bits, element.signed)

    def cast(self, node: Any) -> Typed:
        """``(int)x``."""
        return self.convert(self.value(node.expr), self.type_of(" ".join(node.to_type.type.type.names)))

    def choose(self, node: Any) -> Typed:
        """``c ? a : b``."""
        asked, yes, no = self.value(node.cond), self.value(node.iftrue), self.value(node.iffalse)
        common = self.join(yes, no)
        return Typed(f"({yes.text} if {asked.text} else {no.text})", common.bits, common.signed, common.real)

    def operate(self, node: Any) -> Typed:
        """``a + b``."""
        return self.combine(node.op, self.value(node.left), self.value(node.right))

    def element(self, node: Any) -> Typed:
        """The type of an array's elements."""
        name = self.spell(node)
        words = self.names.types.get(name, "")
        if not words or words.count("*") > 1:
            return Typed("", 32)
        kind = self.type_of(words.replace("*", ""))
        if kind.real:
            raise UnknownError
        return kind

    def index(self, node: Any) -> str:
        """A place in an array."""
        place = self.value(node)
        if place.real:
            raise UnknownError
        return place.text

    def constant(self, node: Any) -> Typed:
        """A number."""
        text = str(node.value)
        if "int" not in node.type:
            if node.type in ("string", "char"):
                raise UnknownError
            return Typed(text.rstrip("fFlL"), 64, real=True)
        try:
            number = read_integer(text, 1)
        except (SourceError, ValueError):
            raise UnknownError from None
        suffix = text.lower()[len(text.rstrip("uUlLzZ")) :]
        bits = 64 if "l" in suffix or "z" in suffix or number >= 1 << (32 if "u" in suffix else 31) else 32
        return Typed(str(number), bits, "u" not in suffix)

    @staticmethod
    def join(a: Typed, b: Typed) -> Typed:
        """The type of C that two operands have together."""
        if a.real or b.real:
            return Typed("", 64, real=True)
        bits = max(32, a.bits, b.bits)
        unsigned = any(not x.signed and x.bits == bits for x in (a, b))
        return Typed("", bits, not unsigned)

    @staticmethod
    def convert(value: Typed, kind: Typed) -> Typed:
        """A number as another type holds it."""
        if kind.real:
            return Typed(f"float({value.text})" if not value.real else value.text, 64, real=True)
        narrow = value.real or value.bits > kind.bits or (value.signed != kind.signed and value.bits >= kind.bits)
        narrow = narrow or (value.signed and not kind.signed)
        if value.text.isdigit():
            narrow = int(value.text) >= 1 << (kind.bits - kind.signed)
        text = f"wrap({value.text}, {kind.bits}, {kind.signed})" if narrow else value.text
        return Typed(text, kind.bits, kind.signed)

    def combine(self, op: str, a: Typed, b: Typed) -> Typed:
        """``a + b``."""
        if op in ("&&", "||"):
            return Typed(f"int(bool({a.text}) {'and' if op == '&&' else 'or'} bool({b.text}))")
        if op in ("<", ">", "<=", ">=", "==", "!="):
            return Typed(f"({a.text} {op} {b.text})")
        kind = Typed("", max(32, a.bits), a.signed) if op in ("<<", ">>") else self.join(a, b)
        if kind.real:
            if op not in "+-*/":
                raise UnknownError
            return Typed(f"({a.text} {op} {b.text})", 64, real=True)
        return self.combine_whole(op, a, b, kind)

    @staticmethod
    def combine_whole(op: str, a: Typed, b: Typed, kind: Typed) -> Typed:
        """The same of whole numbers, as the bits of their type hold it."""
        plain = (not kind.signed or a.text.isdigit()) and b.text.isdigit()
        if op in ("/", "%"):
            signs = {"/": ("//", "divide"), "%": ("%", "remain")}[op]
            text = f"({a.text} {signs[0]} {b.text})" if plain else f"{signs[1]}({a.text}, {b.text})"
        elif op in ("<<", ">>"):
            text = f"({a.text} {op} ({b.text} & {kind.bits - 1}))"
        else:
            text = f"({a.text} {op} {b.text})"
        if not kind.signed and op in ("+", "-", "*", "<<"):
            text = f"({text} & {(1 << kind.bits) - 1})"
        elif op in ("*", "<<") and not (a.text.isdigit() and b.text.isdigit()):
            half = 1 << (kind.bits - 1)
            text = f"(({text} + {half} & {2 * half - 1}) - {half})"
        return Typed(text, kind.bits, kind.signed)

    def sign(self, node: Any) -> Typed:
        """``-x``, ``!x``, ``~x``."""
        if node.op == "sizeof":
            raise UnknownError
        if node.op.strip("p") in ("++", "--") and type(node.expr).__name__ == "ID":
            return self.step_inside(str(node.expr.name), node.op)
        value = self.value(node.expr)
        if node.op in ("-", "+", "~"):
            if node.op == "~" and value.real:
                raise UnknownError
            text = f"({node.op}{value.text})"
            if not value.signed and node.op != "+":
                text = f"({text} & {(1 << value.bits) - 1})"
            return Typed(text, max(32, value.bits), value.signed, value.real)
        if node.op == "!":
            return Typed(f"int(not {value.text})")
        raise UnknownError

    def step_inside(self, name: str, op: str) -> Typed:
        """``n++`` inside of an expression."""
        self.changed.add(name)
        held, sign = self.scalar(name), op.strip("p")[0]
        text = f"({held.text} := {held.text} {sign} 1)"
        if op.startswith("p"):
            text = f"({text} {'-' if sign == '+' else '+'} 1)"
        return replace(held, text=text)

    def call(self, node: Any) -> Typed:
        """A function of the library, or a small one of the file that only computes."""
        name = str(getattr(node.name, "name", ""))
        given = [self.value(a) for a in (node.args.exprs if node.args is not None else ())]
        if name in LIBRARY:
            real = name not in ("min", "max", "abs", "labs") or any(g.real for g in given)
            kind = given[0] if len(given) == 1 else self.join(*given[:2])
            return Typed(f"{LIBRARY[name]}({', '.join(g.text for g in given)})", 64 if real else kind.bits,
                         True if real else kind.signed, real)  # fmt: skip
        function = self.names.functions.get(name)
        if function is None or self.depth > 4 or len(function.parameters) != len(given):
            raise UnknownError
        returned = self.type_of(re.sub(r"\b(?:static|inline|extern|constexpr)\b", "", function.before))
        inside = Writer(Names({}, {}, {}, self.names.functions), frozenset())
        inside.depth = self.depth + 1
        inside.names.values.update({
            n: v for n, v in self.names.values.items() if isinstance(v, (int, float)) and n.isupper()
        })  # fmt: skip
        body = write_function(inside, function, returned)
        arguments = [self.convert(g, self.type_of(t)) for g, (t, _) in zip(given, function.parameters, strict=True)]
        label = f"f_{name}"
        self.needed |= {label: body, **inside.needed}
        return Typed(f"{label}({', '.join(a.text for a in arguments)})", returned.bits, returned.signed, returned.real)

    # ---- statements ----

    def statement(self, node: Any, indent: str) -> list[str]:
        """Lines of a statement."""
        kind = type(node).__name__
        if kind in GROUPS:
            parts = getattr(node, GROUPS[kind]) or ()
            return [line for s in parts for line in self.statement(s, indent)]
        if kind in ("EmptyStatement", "Pragma", "Typedef"):
            return []
        write = {
            "Decl": self.declare, "If": self.branch, "For": self.loop, "While": self.loop, "DoWhile": self.loop,
            "Assignment": self.assign, "UnaryOp": self.step, "FuncCall": self.run_call, "Continue": self.leave,
            "Break": self.leave, "Return": self.leave,
        }.get(kind)  # fmt: skip
        if write is None:
            raise UnknownError(*find_changed(node))
        return write(node, indent)

    def leave(self, node: Any, indent: str) -> list[str]:
        """``continue``, ``break``, and ``return`` of a function of the file."""
        kind = type(node).__name__
        if kind == "Continue":
            return [f"{indent}continue"]
        if kind == "Break":
            return [f"{indent}b{self.labels} = True", f"{indent}break"]
        if node.expr is None or not self.depth:
            raise UnknownError
        return [f"{indent}return {self.convert(self.value(node.expr), self.returned).text}"]

    def step(self, node: Any, indent: str) -> list[str]:
        """``n++``."""
        if node.op.strip("p") not in ("++", "--"):
            raise UnknownError(*find_changed(node))
        return self.give(node.expr, f"{node.op.strip('p')[0]}=", None, indent)

    def assign(self, node: Any, indent: str) -> list[str]:
        """``a[i] = x``, ``n += x``."""
        return self.give(node.lvalue, node.op, node.rvalue, indent)

    def run_call(self, node: Any, indent: str) -> list[str]:
        """A call whose result nobody takes: of nothing that leads to arrays."""
        for argument in node.args.exprs if node.args is not None else ():
            for name in find_spelled(argument):
                if name in self.names.arrays and not READS.fullmatch(str(getattr(node.name, "name", ""))):
                    raise UnknownError(name)
        return []

    def declare(self, node: Any, indent: str) -> list[str]:
        """A variable of a loop's turn."""
        name = str(node.name)
        try:
            if type(node.type).__name__ != "TypeDecl":
                raise UnknownError
            kind = self.type_of(" ".join(node.type.type.names))
            self.changed.add(name)
            self.local[name] = Typed(f"v_{name}", kind.bits, kind.signed, kind.real)
            if name in self.unknown:
                raise UnknownError
            if node.init is None:
                return [f"{indent}v_{name} = 0"]
            if find_changed(node.init):
                raise UnknownError
            return [f"{indent}v_{name} = {self.convert(self.value(node.init), kind).text}"]
        except (UnknownError, AttributeError):
            changed = {name} | (find_changed(node.init) if node.init is not None else set())
            if changed <= self.unknown:
                return []
            raise UnknownError(*changed) from None

    def give(self, place: Any, op: str, value: Any, indent: str) -> list[str]:
        """A name or an element gets a value; None for one more or less."""
        name = self.name_target(place)
        steps, others = find_effects(place)
        more = find_effects(value) if value is not None else ([], set())
        steps, others = [*steps, *more[0]], others | more[1]
        if name in self.unknown:
            if others - self.unknown:
                raise UnknownError(*others)
            return [line for s in steps for line in self.step(s, indent)]
        if others or (steps and op != "="):
            raise UnknownError(name, *others)
        try:
            target = self.target(place, name)
            given = self.value(value) if value is not None else Typed("1")
            if op != "=":
                given = self.combine(op[:-1], target, given)
            return [f"{indent}{target.text} = {self.convert(given, target).text}"]
        except UnknownError:
            raise UnknownError(name) from None

    def name_target(self, place: Any) -> str:
        """The name that gets a value, or whose element does.

        Raises
        ------
        UnknownError : it is no name; all that stands there is not known then.
        """
        try:
            return self.spell(place.name if type(place).__name__ == "ArrayRef" else place)
        except UnknownError:
            raise UnknownError(*find_spelled(place)) from None

    def target(self, place: Any, name: str) -> Typed:
        """What is assigned in Python."""
        if type(place).__name__ != "ArrayRef":
            self.changed.add(name)
            return self.scalar(name)
        if not self.names.is_asked(name):
            raise UnknownError
        element = self.element(place.name)
        return Typed(f"{self.array(place.name)}[{self.index(place.subscript)}]", element.bits, element.signed)

    def branch(self, node: Any, indent: str) -> list[str]:
        """A condition."""
        try:
            asked = self.value(node.cond)
        except UnknownError:
            return self.drop(node)
        lines = [f"{indent}if {asked.text}:", *(self.statement(node.iftrue, f"{indent} ") or [f"{indent} pass"])]
        if node.iffalse is not None:
            lines += [f"{indent}else:", *(self.statement(node.iffalse, f"{indent} ") or [f"{indent} pass"])]
        return lines

    def drop(self, node: Any) -> list[str]:
        """Leave out a statement that nobody knows the turns of: what it changes is not known."""
        if has_jump(node):
            raise UnknownError
        changed = find_changed(node)
        if changed <= self.unknown:
            return []
        raise UnknownError(*changed)

    def loop(self, node: Any, indent: str) -> list[str]:
        """A loop."""
        kind, inner = type(node).__name__, f"{indent} "
        outer, self.labels = self.labels, self.labels + 1
        label = self.labels
        lines: list[str] = []
        try:
            try:
                if kind == "For":
                    lines += self.statement(node.init, indent) if node.init is not None else []
                asked = self.value(node.cond) if node.cond is not None else Typed("True")
            except UnknownError as error:
                if kind == "For" and node.init is not None and error.names and not error.names <= self.unknown:
                    raise
                return self.drop(node)
            if counted := self.count(node, indent):
                after, body = self.after, self.statement(node.stmt, inner)
                if not body and type(node.init).__name__ == "DeclList":
                    return []
                return [*lines, *counted, *(body or [f"{inner}pass"]), *after]
            return [*lines, *self.whole(node, asked, indent, label)]
        finally:
            self.labels = max(outer, self.labels) if kind else outer

    def count(self, node: Any, indent: str) -> list[str]:
        """A loop with a counter as Python's range; empty for others."""
        self.after = ()
        if type(node).__name__ != "For" or type(node.cond).__name__ != "BinaryOp" or node.cond.op not in ("<", "<="):
            return []
        name = str(getattr(node.cond.left, "name", ""))
        plain = type(node.next).__name__ == "UnaryOp" and node.next.op in ("++", "p++")
        changed = find_changed(node.stmt)
        if not plain or type(node.cond.left).__name__ != "ID" or str(getattr(node.next.expr, "name", "")) != name:
            return []
        if name in changed or find_spelled(node.cond.right) & changed or has_jump(node.stmt):
            return []
        counter, bound = self.scalar(name), self.value(node.cond.right)
        if bound.real:
            return []
        end = bound.text if node.cond.op == "<" else f"{bound.text} + 1"
        self.labels += 1
        # The counter has its last value where no turn runs, too.
        self.after = (f"{indent}{counter.text} = max({counter.text}, e{self.labels})",)
        after = self.after
        lines = [
            f"{indent}e{self.labels} = {end}",
            f"{indent}for {counter.text} in range({counter.text}, e{self.labels}):",
        ]  # fmt: skip
        self.after = after
        return lines

    def whole(self, node: Any, asked: Typed, indent: str, label: int) -> list[str]:
        """Any loop."""
        inner = f"{indent} "
        before, self.labels = self.labels, label
        body = self.statement(node.stmt, f"{inner} ") or [f"{inner} pass"]
        self.labels = before
        step = self.statement(node.next, inner) if type(node).__name__ == "For" and node.next is not None else []
        first = [] if type(node).__name__ == "DoWhile" else [f"{inner}if not ({asked.text}): break"]
        last = [f"{inner}if not ({asked.text}): break"] if type(node).__name__ == "DoWhile" else []
        return [
            f"{indent}b{label} = False", f"{indent}while True:", f"{inner}take(1)", *first, f"{inner}for _ in (0,):",
            *body, f"{inner}if b{label}: break", *step, *last,
        ]  # fmt: skip


def write_function(writer: Writer, function: Any, returned: Typed) -> str:
    """A function of the file that only computes with numbers, as Python."""
    tree = parse(f"void run(void) {{ {function.body} }}", "run", writer.names.values)
    writer.returned = returned
    for words, name in function.parameters:
        kind = writer.type_of(words)
        writer.local[name] = Typed(f"v_{name}", kind.bits, kind.signed, kind.real)
    lines = writer.statement(tree.ext[-1].body, " ")
    given = ", ".join(f"v_{n}" for _, n in function.parameters)
    if writer.arrays:
        raise UnknownError
    heads = [f" {label} = {writer.names.values[n]!r}" for n, label in writer.scalars.items()]
    return "\n".join([f"def f_{function.name}({given}):", *heads, *lines, " return None"])


def has_jump(node: Any) -> bool:
    """Whether a statement leaves a turn of a loop, or the function."""
    return type(node).__name__ in ("Break", "Continue", "Return", "Goto") or any(
        has_jump(c) for _, c in node.children()
    )


def find_effects(node: Any) -> tuple[list[Any], set[str]]:
    """Steps of counters inside of an expression, and names that it may change otherwise."""
    kind = type(node).__name__
    if kind == "UnaryOp" and node.op.strip("p") in ("++", "--") and type(node.expr).__name__ == "ID":
        return [node], set()
    others = {*find_changed(node)} if kind in ("Assignment", "UnaryOp", "FuncCall") else set[str]()
    steps = list[Any]()
    for _, child in node.children():
        more = find_effects(child)
        steps, others = [*steps, *more[0]], others | more[1]
    if kind in ("UnaryOp", "FuncCall"):
        others -= {str(s.expr.name) for s in steps}
    return steps, others


def find_spelled(node: Any) -> set[str]:
    """Names in an expression, with their members."""
    kind = type(node).__name__
    if kind == "ID":
        return {str(node.name)}
    if kind == "StructRef":
        return {f"{n}.{node.field.name}" for n in find_spelled(node.name)} | find_spelled(node.name)
    return {n for _, c in node.children() for n in find_spelled(c)}


def find_changed(node: Any) -> set[str]:
    """Names that a statement may give other values, or whose elements."""
    kind = type(node).__name__
    changed = {n for _, c in node.children() for n in find_changed(c)}
    if kind == "Assignment":
        place = node.lvalue
        while type(place).__name__ == "ArrayRef":
            place = place.name
        changed |= find_spelled(place)
    elif kind == "UnaryOp" and node.op in ("++", "--", "p++", "p--", "&"):
        changed |= find_spelled(node.expr)
    elif kind == "FuncCall" and node.args is not None and not READS.fullmatch(str(getattr(node.name, "name", ""))):
        changed |= {n for a in node.args.exprs if type(a).__name__ in ("ID", "StructRef") for n in find_spelled(a)}
    elif kind == "Decl" and node.name:
        changed.add(str(node.name))
    return changed
