r"""Bodies of functions written as plain C: each node of libclang's tree as text, with what C lacks taken apart.

Methods are functions with the object before their arguments, lambdas are records with a function, references are names
that end in the word that the readers know (:data:`REFERENCE`), functions of one expression that give a place back are
written where they are called. ``\x01N\x02`` before a piece of text says that it belongs to line N.
"""

from __future__ import annotations

import contextlib
import re
import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from roofcast_hull.spelled.algorithms import Algorithms, strip_parentheses
from roofcast_hull.spelled.machine_code import spell_machine_code
from roofcast_hull.spelled.parsed_file import DECLARATIONS, Facts, Parsed
from roofcast_hull.spelled.type_names import Names, NotPlainError, Records

REFERENCE = "__by_reference"
SELF = "self"
MAKER = "construct_"
CONFIGURE = "cudaConfigureCall"
ENTRY = ("main",)
UNKNOWN = "Unknown_"
"""The type of what nothing declares."""
ROW = "row_n_"
ROW_LENGTH = re.compile(r"\.data_\[[^\[\]]*\]\.n_\b")
"""How many elements a vector in a vector has: all have as many as the first was made with."""
MOST_FUNCTIONS = 2_000
"""Functions that templates may make of a file."""
MOST_TEXT = 4_000_000
"""Characters that templates may make of a file."""
DEEPEST = 400
"""Levels of nesting, far from Python's own limit of recursion."""


@dataclass
class Function:
    """A function that is written."""

    node: Any
    name: str
    kind: str
    """``__global__``, ``__device__`` or '' for the host's."""
    line: int
    text: str = ""


@dataclass
class Context:
    """Of the function whose body is written."""

    on_host: bool
    meaning: dict[str, str] = field(default_factory=dict)
    """USR of a parameter -> what stands for it, where a call is written in place."""
    captured: dict[str, str] = field(default_factory=dict)
    """USR of a variable -> how a lambda's body names it."""
    this: str = SELF
    locals: dict[str, str] = field(default_factory=dict)
    packed: frozenset[str] = frozenset()
    """USR of parameters of which a pack makes several."""
    before: list[str] = field(default_factory=list)
    """Statements that must come before the one that is written."""
    returns_self: bool = False
    maker: bool = False
    lenient: bool = False
    """Whether statements that nothing is made of are left out: of `main`, of which only sizes are read."""
    argument: bool = False
    """Whether an argument of a call is written."""
    depth: int = 0


class Writer:
    """Writes the functions of one file."""

    def __init__(self, parsed: Parsed, *, launches: bool = True) -> None:
        from clang import cindex

        self.launches = launches
        """Whether the file has kernels: else its functions are what is read, not the host's around them."""
        self.parsed, self.facts = parsed, Facts()
        self.k, self.t = cindex.CursorKind, cindex.TypeKind
        self.names = Names()
        self.names.taken |= set(parsed.numbers)
        self.records = Records(self.names, self.k, self.t)
        self.functions: dict[str, Function] = {}
        self.waiting: list[Function] = []
        self.globals: dict[str, str] = {}
        self.made = 0
        self.size = 0
        self.place = Context(on_host=launches)
        self.lambdas: dict[str, Any] = {}
        self.held: dict[str, Any] = {}
        """USR of a variable -> the lambda that it holds, written where it is called."""
        self.algorithms = Algorithms(self)

    # ---- nodes ----

    def parts(self, node: Any) -> list[Any]:
        """Children that are expressions or statements."""
        return [c for c in node.get_children() if c.kind.is_expression() or c.kind.is_statement()]

    def is_declared(self, node: Any) -> bool:
        """Whether something is of our declarations, not of the file."""
        return node.location.file is not None and node.location.file.name == DECLARATIONS

    def is_function(self, node: Any, instances: bool) -> bool:
        """Whether a function has a body; of a template that is asked for by name, an instance."""
        return bool(node.is_definition()) or (
            instances and not self.launches and bool(self.template_of(node)) and self.find_body(node) is not None
        )

    def find_body(self, node: Any) -> Any | None:
        """The body of a function; None where it has none, or where nobody wrote one."""
        if node.kind in (self.k.CONSTRUCTOR, self.k.CXX_METHOD) and node.is_default_method():
            return None
        bodies = [c for c in node.get_children() if c.kind == self.k.COMPOUND_STMT]
        if bodies:
            return bodies[-1]
        definition = node.get_definition()
        if definition is not None and definition != node:
            bodies = [c for c in definition.get_children() if c.kind == self.k.COMPOUND_STMT]
        return bodies[-1] if bodies else None

    def peel(self, node: Any) -> Any:
        """An expression without what only converts it."""
        while node.kind in (self.k.UNEXPOSED_EXPR, self.k.PAREN_EXPR):
            inside = self.parts(node)
            if len(inside) != 1:
                return node
            node = inside[0]
        return node

    # ---- functions ----

    def function_name(self, node: Any) -> str:
        """The name of a function of the file, which is to be written."""
        definition = node.get_definition()
        node = definition if definition is not None and node.kind != self.k.FUNCTION_TEMPLATE else node
        key = self.key_of(node)
        if key not in self.functions:
            if len(self.functions) > MOST_FUNCTIONS:
                raise NotPlainError(f"more than {MOST_FUNCTIONS} functions")
            wanted = node.spelling
            if node.kind in (self.k.CXX_METHOD, self.k.CONVERSION_FUNCTION):
                owner = self.records.record(node.semantic_parent.type.get_canonical())
                word = re.sub(r"operator\s*(\W+|.*)", lambda m: f"operator_{spell_operator(m[1])}", wanted)
                wanted = f"{owner}_{word}"
            elif node.kind == self.k.CONSTRUCTOR:
                wanted = f"{MAKER}{self.records.record(node.semantic_parent.type.get_canonical())}"
            elif wanted.startswith("operator") and not wanted[8:9].isalnum():
                wanted = f"{spell_operator(wanted[8:])}_of"
            kind = self.find_space(node)
            name = self.names.name(key, wanted)
            function = Function(node, name, kind, int(node.location.line))
            self.functions[key] = function
            self.waiting.append(function)
        return self.functions[key].name

    def key_of(self, node: Any) -> str:
        """What tells a function from all others: instances of templates and lambdas of templates too."""
        return f"{node.get_usr()}@{node.type.get_canonical().spelling}@{[str(a) for a in self.template_of(node)]}"

    def template_of(self, node: Any) -> list[Any]:
        """Arguments of a function's template."""
        arguments = []
        count = node.get_num_template_arguments()
        for at in range(max(0, count)):
            try:
                name = node.get_template_argument_kind(at).name
            except ValueError:
                name = "PACK"  # The bindings do not know it; its types are those of the parameters.
            if name == "TYPE":
                arguments.append(node.get_template_argument_type(at).get_canonical().spelling)
            elif name == "INTEGRAL":
                arguments.append(node.get_template_argument_value(at))
            else:
                arguments.append("")
        return arguments

    def find_space(self, node: Any) -> str:
        """Where a function runs."""
        kinds = {c.kind for c in node.get_children()}
        if self.k.CUDAGLOBAL_ATTR in kinds:
            return "__global__"
        if self.k.CUDADEVICE_ATTR in kinds:
            return "__device__"
        return "" if self.place.on_host or not self.launches else "__device__"

    def write_waiting(self) -> None:
        """Write all functions that are called, and those that they call."""
        while self.waiting:
            function = self.waiting.pop(0)
            function.text = self.write_function(function)
            self.size += len(function.text)
            if self.size > MOST_TEXT:
                raise NotPlainError("too much text once templates are written out")

    def write_function(self, function: Function) -> str:
        """One function with its body."""
        node, outer = function.node, self.place
        self.place = Context(on_host=function.kind == "" and self.launches, lenient=node.spelling in ENTRY)
        try:
            parameters = [p for p in node.get_arguments() if p is not None]
            taken: list[str] = []
            method = node.kind in (self.k.CXX_METHOD, self.k.CONVERSION_FUNCTION) and not node.is_static_method()
            owner = node.semantic_parent.type.get_canonical() if node.kind != self.k.FUNCTION_DECL else None
            result = node.result_type
            key = owner.get_declaration().get_usr() if owner is not None and method else ""
            if key in self.records.closures:
                self.place.captured = self.capture_names(key)
            if method and owner is not None:
                changes = not node.is_const_method() or key in self.records.closures
                self.place.this = SELF + (REFERENCE if changes else "")
                taken.append(self.records.declare(owner, self.place.this))
                self.place.returns_self = self.records.is_reference(result)
            spelled = [p.get_usr() for p in parameters]
            self.place.packed = frozenset(u for u in spelled if spelled.count(u) > 1)
            for at, parameter in enumerate(parameters):
                taken.append(self.write_parameter(parameter, at, function.kind))
            body = self.find_body(node)
            if body is None:
                raise NotPlainError(f"'{node.spelling}' has no body in the file")
            head = f"{function.kind} " if function.kind else ""
            if node.kind == self.k.CONSTRUCTOR and owner is not None:
                return self.write_maker(function, owner, taken, body, head)
            text = ROW_LENGTH.sub(f".{ROW}", self.statement(body))
            declared = self.records.declare(result, function.name)
            return f"\x01{function.line}\x02{head}{declared}({', '.join(taken)}) {text}\n"
        finally:
            self.place = outer

    def write_parameter(self, node: Any, at: int, kind: str) -> str:
        """A parameter; a reference that may change what it names ends in the readers' word."""
        changes = self.records.is_reference(node.type) and not self.is_constant(node.type)
        packed = f"{node.spelling}_{at}" if node.get_usr() in self.place.packed else None
        name = self.local_name(node, packed if node.spelling else f"unnamed_{at}", changes)
        kind_of = node.type.get_canonical()
        if kind_of.kind == self.t.POINTER or not changes or kind == "__global__":
            return self.records.declare(kind_of, name)
        inner = self.records.bare(kind_of)
        if inner.kind in (self.t.CONSTANTARRAY, self.t.INCOMPLETEARRAY):
            # An array by reference is its address.
            self.place.locals[node.get_usr()] = plain = name.removesuffix(REFERENCE)
            return self.records.declare(inner, plain)
        return self.records.declare(kind_of, name)

    def is_constant(self, kind: Any) -> bool:
        """Whether a reference is to what does not change."""
        kind = kind.get_canonical()
        if kind.kind == self.t.RVALUEREFERENCE:
            return True
        return bool(kind.kind == self.t.LVALUEREFERENCE and kind.get_pointee().is_const_qualified())

    def write_maker(self, function: Function, owner: Any, taken: list[str], body: Any, head: str) -> str:
        """A constructor: on the device a function that returns what it makes, on the host one that fills it."""
        record = self.records.record(owner)
        self.place.maker = True
        if self.place.on_host:
            # The host's reader follows what functions do to names that they are given.
            self.place.this = SELF + REFERENCE
            stores = self.initial_values(function.node, owner, self.place.this)
            inside = "; ".join([*stores, ""])
            text = self.statement(body)
            given = ", ".join([f"{record} {self.place.this}", *taken])
            return f"\x01{function.line}\x02{head}void {function.name}({given}) {{ {inside}{text} }}\n"
        stores = self.initial_values(function.node, owner, SELF)
        inside = "; ".join([*stores, ""])
        text = self.statement(body)
        return (
            f"\x01{function.line}\x02{head}{record} {function.name}({', '.join(taken)}) "
            f"{{ {record} {SELF}; {inside}{text} return {SELF}; }}\n"
        )

    def initial_values(self, node: Any, owner: Any, this: str) -> list[str]:
        """Assignments of what stands behind the colon of a constructor, and of what members are given otherwise."""
        assignments: list[str] = []
        children = list(node.get_children())
        given: set[str] = set()
        at = 0
        while at < len(children):
            child = children[at]
            at += 1
            if child.kind == self.k.MEMBER_REF and at < len(children):
                given.add(child.spelling)
                value = children[at]
                if value.kind.is_expression():
                    assignments += self.fill(
                        f"{this}.{self.records.member(child.spelling)}", child.referenced.type, value
                    )
                    at += 1
            elif child.kind == self.k.TYPE_REF and at < len(children) and children[at].kind == self.k.CALL_EXPR:
                # The constructor of a base.
                called = children[at].referenced
                at += 1
                if called is not None and called.kind == self.k.CONSTRUCTOR and self.find_body(called) is not None:
                    assignments.append(f"/*base*/ {self.make_in(this, called, [])}" if self.place.on_host else "")
        for field_node in owner.get_fields():
            value = [c for c in field_node.get_children() if c.kind.is_expression()]
            arrays = self.records.bare(field_node.type).kind == self.t.CONSTANTARRAY
            if field_node.spelling not in given and value and not arrays:
                assignments += self.fill(
                    f"{this}.{self.records.member(field_node.spelling)}", field_node.type, value[-1]
                )
        return [f for f in assignments if f]

    def make_in(self, place: str, node: Any, arguments: list[str]) -> str:
        """A call of a constructor of the host that fills a place."""
        return f"{self.function_name(node)}({', '.join([place, *arguments])})"

    def fill(self, place: str, kind: Any, value: Any) -> list[str]:
        """Assignments that give a place a value, member by member where it is a list."""
        peeled = self.peel(value)
        if self.records.is_reference(kind):
            return [f"{place} = &{self.operand_text(value)}"]
        if peeled.kind == self.k.INIT_LIST_EXPR:
            return self.fill_list(place, kind, peeled)
        if (
            peeled.kind == self.k.CALL_EXPR
            and peeled.referenced is not None
            and peeled.referenced.kind == self.k.CONSTRUCTOR
        ):
            called, given = peeled.referenced, self.arguments(peeled)
            if self.is_copy(called) and len(given) == 1:
                return [f"{place} = {self.expression(given[0])}"]
            if self.place.on_host and self.records.is_record(kind):
                return self.construct(place, called, given)
            if not given and self.find_body(called) is None:
                return []
        text = self.expression(value)
        return [f"{place} = {text}"]

    def fill_list(self, place: str, kind: Any, node: Any) -> list[str]:
        """``{a, {b, c}}`` as assignments."""
        items, kind = self.parts(node), self.records.bare(kind)
        if kind.kind == self.t.CONSTANTARRAY:
            if len(items) == 1 and self.peel(items[0]).kind == self.k.STRING_LITERAL:
                return []
            return [x for n, i in enumerate(items[:64]) for x in self.fill(f"{place}[{n}]", kind.element_type, i)]
        if not self.records.is_record(kind):
            return [f"{place} = {self.expression(items[0]) if items else '0'}"]
        if not items:
            return []
        fields = self.records.fields(kind.get_declaration())
        if len(fields) == 1 and self.records.bare(fields[0][1]).kind == self.t.CONSTANTARRAY and len(items) > 1:
            # ``std::array<int, 3> n{4, 5, 6}``: the braces of the array inside are left out.
            return self.fill_list(f"{place}.{fields[0][0]}", fields[0][1], node)
        return [
            x for (name, t), item in zip(fields, items, strict=False)
            for x in self.fill(f"{place}.{name}", t, item)
        ]  # fmt: skip

    def construct(self, place: str, called: Any, given: list[Any]) -> list[str]:
        """What a constructor does to a place on the host."""
        if self.records.bare(called.semantic_parent.type).get_declaration().spelling == "dim3":
            return [f"{place} = dim3({', '.join(self.expression(g) for g in given)})"]
        if self.find_body(called) is None:
            owner = called.semantic_parent.type.get_canonical()
            return self.initial_values(called, owner, place) if not given else []
        return [self.make_in(place, called, [self.expression(g) for g in given])]

    def is_copy(self, node: Any) -> bool:
        """Whether a constructor only copies or moves."""
        return bool(node.is_copy_constructor() or node.is_move_constructor())

    # ---- names of variables ----

    def local_name(self, node: Any, wanted: str | None = None, by_reference: bool = False) -> str:
        """The name of a variable or parameter."""
        key = node.get_usr() or f"{node.location.offset}"
        if key in self.place.packed:
            key = f"{key}@{node.hash}"
        local = self.place.locals.get(key)
        if local is None:
            name = wanted or node.spelling
            name = f"{name}_" if name in self.names.taken or name == SELF else name
            local = self.place.locals[key] = name + (REFERENCE if by_reference else "")
        return local

    def write_global(self, node: Any) -> str:
        """A variable outside of functions."""
        key = node.get_usr()
        if key in self.globals:
            return self.names.given[key]
        if node.spelling in self.parsed.numbers:
            self.globals[key] = ""
            self.names.given[key] = node.spelling
            return str(node.spelling)
        name = self.names.name(key, node.spelling)
        self.globals[key] = ""
        outer, self.place = self.place, Context(on_host=True)
        try:
            kinds = {c.kind.name for c in node.get_children()}
            space = (
                "__constant__ " if "CUDACONSTANT_ATTR" in kinds else "__device__ " if "CUDADEVICE_ATTR" in kinds else ""
            )
            shared = "__shared__ " if "CUDASHARED_ATTR" in kinds else ""
            if shared and self.records.bare(node.type).kind == self.t.INCOMPLETEARRAY:
                shared = f"extern {shared}"
            text = self.variable(node, name)
            constant = "const " if node.type.get_canonical().is_const_qualified() and not space else ""
            self.globals[key] = f"\x01{int(node.location.line)}\x02{space}{shared}{constant}{text};\n"
        except NotPlainError:
            self.globals[key] = ""
        finally:
            self.place = outer
        return name

    def variable(self, node: Any, name: str) -> str:
        """A declaration with its first value."""
        values = [c for c in node.get_children() if c.kind.is_expression()]
        kind = self.records.bare(node.type)
        dims: list[str] = []
        while kind.kind in (self.t.CONSTANTARRAY, self.t.INCOMPLETEARRAY):
            dims.append("")
            kind = kind.element_type.get_canonical()
        sized = None
        count = len(dims)
        if count and len(values) >= count and all(self.is_whole(v) for v in values[:count]):
            # The parser has the size of the innermost dimension first.
            sized, values = [self.expression(v) for v in reversed(values[:count])], values[count:]
        elif count:
            values = values[-1:] if values and not self.is_whole(values[-1]) else []
        head = self.records.declare(node.type, name, sized)
        if not values:
            return head
        value = self.peel(values[-1])
        if value.kind == self.k.INIT_LIST_EXPR:
            if not self.parts(value) and not count and not self.records.is_record(node.type):
                return f"{head} = 0"
            return f"{head} = {self.list_text(value, node.type)}"
        called = value.referenced if value.kind == self.k.CALL_EXPR else None
        is_size = node.type.get_canonical().is_const_qualified() and self.is_whole(value) and self.calls(value)
        if is_size and (number := self.facts.evaluate(value)) is not None:
            # A compiler runs constexpr functions, readers of sizes do not.
            return f"{head} = {number}"
        is_constructed = called is not None and called.kind == self.k.CONSTRUCTOR
        if is_constructed and (count or (not self.arguments(value) and self.find_body(called) is None)):
            return head
        return f"{head} = {self.expression(values[-1])}"

    def is_whole(self, node: Any) -> bool:
        """Whether an expression is of a whole type, as sizes of arrays are."""
        kind = node.type.get_canonical().kind
        return kind in (
            self.t.INT,
            self.t.UINT,
            self.t.LONG,
            self.t.ULONG,
            self.t.LONGLONG,
            self.t.ULONGLONG,
            self.t.USHORT,
            self.t.SHORT,
            self.t.ENUM,
            self.t.SCHAR,
            self.t.UCHAR,
        )

    def calls(self, node: Any) -> bool:
        """Whether an expression calls a function."""
        return node.kind == self.k.CALL_EXPR or any(map(self.calls, self.parts(node)))

    def list_text(self, node: Any, kind: Any) -> str:
        """``{a, b}``."""
        items = self.parts(node)
        if not items:
            return "{0}"
        peeled = [self.peel(i) for i in items]
        listed = self.k.INIT_LIST_EXPR
        texts = [self.list_text(p, p.type) if p.kind == listed else self.expression(p) for p in peeled]
        return f"{{{', '.join(texts)}}}"

    # ---- statements ----

    def statement(self, node: Any) -> str:
        """A statement, with what must come before it."""
        outer, self.place.before = self.place.before, []
        try:
            text = self.plain_statement(node)
            before = self.place.before
        finally:
            self.place.before = outer
        if before:
            inside = " ".join(f"{b};" for b in before)
            return f"\x01{int(node.location.line)}\x02{inside} {text}"
        return f"\x01{int(node.location.line)}\x02{text}"

    def plain_statement(self, node: Any) -> str:
        """A statement."""
        kind = node.kind
        if kind == self.k.COMPOUND_STMT:
            inside = " ".join(self.statement(c) for c in self.parts(node))
            return f"{{ {inside} \x01{int(node.extent.end.line)}\x02}}"
        if kind == self.k.DECL_STMT:
            return " ".join(self.declaration(c) for c in node.get_children())
        method = getattr(self, f"statement_{kind.name.lower()}", None)
        if method is not None:
            return str(method(node))
        if kind.is_expression():
            return f"{self.discarded(node)};"
        if kind.name == "UNEXPOSED_STMT" and len(inside_parts := self.parts(node)) == 1:
            return self.plain_statement(inside_parts[0])
        if self.place.on_host or self.place.lenient:
            return ";"
        raise NotPlainError(f"line {node.location.line}: '{kind.name.lower()}'")

    def discarded(self, node: Any) -> str:
        """An expression whose value nobody takes."""
        if self.place.on_host or self.place.lenient:
            with contextlib.suppress(NotPlainError):
                text = self.expression(node)
                if text != "unread()":
                    return text
            return "; ".join([*self.calls_inside(node), "unread()"])
        closure = self.find_held(node)
        if closure is not None:
            return self.algorithms.call(closure, [self.expression(a) for a in self.arguments(self.peel(node))[1:]])
        return self.expression(node)

    def calls_inside(self, node: Any) -> Iterator[str]:
        """Calls of the file's own functions in what is not read else, ``cout << norm(v)``: they say sizes."""
        called = node.referenced if node.kind == self.k.CALL_EXPR else None
        is_own = called is not None and called.kind == self.k.FUNCTION_DECL and not self.is_declared(called)
        if is_own and self.find_body(called) is not None:
            with contextlib.suppress(NotPlainError):
                yield self.expression(node)
                return
        for child in self.parts(node):
            yield from self.calls_inside(child)

    def find_held(self, node: Any) -> Any | None:
        """The lambda that a call is of, where a variable of this function holds it."""
        node = self.peel(node)
        if node.kind != self.k.CALL_EXPR or node.referenced is None or node.referenced.kind != self.k.CXX_METHOD:
            return None
        given = self.arguments(node)
        first = self.peel(given[0]) if given else None
        variable = first.referenced if first is not None and first.kind == self.k.DECL_REF_EXPR else None
        return self.held.get(variable.get_usr()) if variable is not None else None

    def statement_cxx_try_stmt(self, node: Any) -> str:
        """``try { ... } catch (...) { ... }``: what is tried."""
        return self.plain_statement(self.parts(node)[0])

    def statement_null_stmt(self, node: Any) -> str:
        """``;``"""
        return ";"

    def statement_if_stmt(self, node: Any) -> str:
        """A condition; one that is a constant leaves only what is compiled."""
        parts = [
            c
            for c in node.get_children()
            if c.kind.is_expression() or c.kind.is_statement() or c.kind == self.k.VAR_DECL
        ]
        head = ""
        if parts and parts[0].kind == self.k.DECL_STMT:
            head, parts = self.plain_statement(parts[0]), parts[1:]
        if parts and parts[0].kind == self.k.VAR_DECL:
            head += self.declaration(parts[0])
            parts = parts[1:]
        if not parts:
            return ";"
        tokens = [t.spelling for _, t in zip(range(2), node.get_tokens(), strict=False)]
        if tokens[1:2] == ["constexpr"] and (value := self.facts.evaluate(parts[0])) is not None:
            chosen = parts[1:2] if value else parts[2:3]
            text = self.block(chosen[0]) if chosen else ";"
        else:
            text = f"if ({self.expression(parts[0])}) {self.block(parts[1]) if len(parts) > 1 else ';'}"
            if len(parts) > 2:
                text += f" else {self.block(parts[2])}"
        return f"{{ {head} {text} }}" if head else text

    def block(self, node: Any) -> str:
        """A statement under a condition or loop; several of one are in braces."""
        text = self.statement(node)
        if node.kind == self.k.COMPOUND_STMT and text.count(";") and text.lstrip("\x01\x020123456789").startswith("{"):
            return text
        return (
            f"{{ {text} }}"
            if node.kind != self.k.COMPOUND_STMT and ("; " in text.strip() or text.count(";") > 1)
            else text
        )

    def statement_for_stmt(self, node: Any) -> str:
        """A loop with a counter."""
        parts = [
            c
            for c in node.get_children()
            if c.kind.is_expression() or c.kind.is_statement() or c.kind == self.k.VAR_DECL
        ]
        body, heads = parts[-1], parts[:-1]
        slots = self.split_header(node, heads)
        first = self.plain_statement(slots[0]).rstrip(";") if slots[0] is not None else ""
        first = join_declarations(first)
        condition = self.expression(slots[1]) if slots[1] is not None else ""
        step = self.expression(slots[2]) if slots[2] is not None else ""
        if "; " in first.strip() and first.count(";"):
            return f"{{ {first}; for (; {condition}; {step}) {self.block(body)} }}"
        return f"for ({first}; {condition}; {step}) {self.block(body)}"

    def split_header(self, node: Any, heads: list[Any]) -> list[Any | None]:
        """First statement, condition and step of a loop, each None where there is none."""
        if len(heads) == 3:
            return list(heads)
        text = self.parsed.text
        start = text.find("(", self.offset(node))
        places, depth = list[int](), 0
        for at in range(start, min(len(text), start + 4000)):
            depth += (text[at] in "([{") - (text[at] in ")]}")
            if text[at] == ";" and depth == 1:
                places.append(at)
            if depth == 0:
                break
        slots: list[Any | None] = [None, None, None]
        if len(places) < 2:
            raise NotPlainError(f"line {node.location.line}: a loop whose header is not followed")
        for head in heads:
            at = self.offset(head)
            slots[(at > places[0]) + (at > places[1])] = head
        return slots

    def offset(self, node: Any) -> int:
        """Where a node starts, in the units of the text."""
        # libclang counts bytes.
        at = int(node.extent.start.offset)
        return len(self.parsed.text.encode()[:at].decode(errors="ignore")) if not self.parsed.text.isascii() else at

    def statement_while_stmt(self, node: Any) -> str:
        """A loop."""
        parts = self.parts(node)
        return f"while ({self.expression(parts[0])}) {self.block(parts[-1])}"

    def statement_do_stmt(self, node: Any) -> str:
        """A loop that runs once at least; ``do ... while (0)`` is a block."""
        parts = self.parts(node)
        if self.facts.evaluate(parts[1]) == 0 and not self.has_jump(parts[0]):
            return self.statement(parts[0])
        return f"do {self.block(parts[0])} while ({self.expression(parts[1])});"

    def has_jump(self, node: Any) -> bool:
        """Whether a loop's body may leave it."""
        return any(
            c.kind in (self.k.BREAK_STMT, self.k.CONTINUE_STMT) or self.has_jump(c) for c in self.parts(node)
        )  # fmt: skip

    def statement_cxx_for_range_stmt(self, node: Any) -> str:
        """A loop over an array."""
        children = list(node.get_children())
        variable = next((c for c in children if c.kind == self.k.VAR_DECL), None)
        body = children[-1]
        ranged = next((c for c in children if c.kind.is_expression()), None)
        if ranged is None and variable is not None:
            ranged = next((c for c in variable.get_children() if c.kind.is_expression()), None)
        kind = self.records.bare(ranged.type) if ranged is not None else None
        if variable is not None and ranged is not None and kind is not None and not self.place.on_host:
            written = self.algorithms.range_loop(variable, ranged, kind, body)
            if written is not None:
                return written
        if variable is None or ranged is None or kind is None or kind.kind != self.t.CONSTANTARRAY:
            if self.place.on_host:
                return self.statement(body)
            raise NotPlainError(f"line {node.location.line}: a loop over what is no array")
        self.made += 1
        counter = f"turn_{self.made}"
        by_reference = self.records.is_reference(variable.type) and not self.is_constant(variable.type)
        name = self.local_name(variable, None, by_reference)
        text = self.expression(ranged)
        return (
            f"for (int {counter} = 0; {counter} < {kind.element_count}; {counter}++) "
            f"{{ {self.records.declare(variable.type, name)} = {text}[{counter}]; {self.statement(body)} }}"
        )

    def statement_return_stmt(self, node: Any) -> str:
        """The end of a function."""
        parts = self.parts(node)
        if not parts:
            return f"return {SELF};" if self.place.maker and not self.place.on_host else "return;"
        value = self.peel(parts[0])
        if value.kind == self.k.INIT_LIST_EXPR:
            return f"return {self.literal(value)};"
        return f"return {self.expression(parts[0])};"

    def statement_break_stmt(self, node: Any) -> str:
        """``break``."""
        return "break;"

    def statement_continue_stmt(self, node: Any) -> str:
        """``continue``."""
        return "continue;"

    def statement_goto_stmt(self, node: Any) -> str:
        """``goto``."""
        return "goto elsewhere;"

    def statement_label_stmt(self, node: Any) -> str:
        """A label: what stands behind it."""
        return " ".join(self.statement(p) for p in self.parts(node))

    def statement_switch_stmt(self, node: Any) -> str:
        """One of several cases."""
        parts = self.parts(node)
        return f"switch ({self.expression(parts[-2])}) {self.statement(parts[-1])}"

    def statement_case_stmt(self, node: Any) -> str:
        """A case."""
        parts = self.parts(node)
        value = self.facts.evaluate(parts[0])
        label = str(value) if value is not None else self.expression(parts[0])
        return f"case {label}: {self.statement(parts[-1])}"

    def statement_default_stmt(self, node: Any) -> str:
        """What else."""
        return f"default: {self.statement(self.parts(node)[-1])}"

    def statement_asm_stmt(self, node: Any) -> str:
        """Machine code: what is known of it as C, else a function that nobody knows."""
        tokens = [t.spelling for t in node.get_tokens()]
        end = next((n for n, t in enumerate(tokens) if t in (":", "::")), len(tokens))
        code = "\n".join(t[1:-1] for t in tokens[:end] if t.startswith('"')).replace("\\n", "\n").replace("\\t", " ")
        operands = [c for c in node.get_children() if c.kind != self.k.STRING_LITERAL]
        return spell_machine_code(code, [self.expression(c) for c in operands])

    statement_gcc_asm_stmt = statement_asm_stmt
    statement_ms_asm_stmt = statement_asm_stmt

    def declaration(self, node: Any) -> str:
        """A declaration inside of a function."""
        if node.kind == self.k.UNEXPOSED_DECL and node.spelling.startswith("["):
            return self.declare_parts(node)
        if node.kind != self.k.VAR_DECL:
            return "" if node.kind.is_declaration() or not node.kind.is_expression() else f"{self.expression(node)};"
        kinds = {c.kind.name for c in node.get_children()}
        line = f"\x01{int(node.location.line)}\x02"
        if "CUDASHARED_ATTR" in kinds:
            array = self.records.bare(node.type)
            word = "extern __shared__" if array.kind == self.t.INCOMPLETEARRAY else "__shared__"
            return f"{line}{word} {self.variable(node, self.local_name(node))};"
        values = [c for c in node.get_children() if c.kind.is_expression()]
        if values and self.is_lambda(node.type):
            return self.declare_closure(node, values[-1])
        if self.records.is_reference(node.type) and values:
            return line + self.declare_reference(node, values[-1])
        listed = self.place.lenient and values and self.peel(values[-1]).kind == self.k.INIT_LIST_EXPR
        if (self.place.on_host or listed) and self.records.is_record(node.type):
            return line + self.declare_record(node, values)
        plain = not self.records.is_record(node.type) and self.records.bare(node.type).kind != self.t.POINTER
        constant = "const " if plain and node.type.get_canonical().is_const_qualified() else ""
        name = self.local_name(node)
        try:
            return f"{line}{constant}{self.variable(node, name)};"
        except NotPlainError:
            if not (self.place.on_host or self.place.lenient):
                raise
            return f"{line}{self.records.declare(node.type, name)};"

    def declare_parts(self, node: Any) -> str:
        """``auto [a, b] = f();``: a record, or an array, of which the names are parts."""
        names = [c for c in node.get_children() if c.kind == self.k.UNEXPOSED_DECL]
        values = [c for c in node.get_children() if c.kind.is_expression()]
        kind = self.records.bare(node.type)
        if not values:
            raise NotPlainError(f"line {node.location.line}: names without what they are parts of")
        if kind.kind == self.t.CONSTANTARRAY:
            whole = strip_parentheses(self.expression(values[-1]))
            places = [f"{whole}[{at}]" for at in range(len(names))]
            declared = ""
        elif self.records.is_record(kind):
            self.made += 1
            whole = f"made_{self.made}"
            places = [f"{whole}.{name}" for name, _ in self.records.fields(kind.get_declaration())]
            declared = f"{self.records.declare(kind, whole)} = {self.expression(values[-1])};"
        else:
            raise NotPlainError(f"line {node.location.line}: parts of what is no record")
        for name, place in zip(names, places, strict=False):
            self.place.locals[name.get_usr() or f"{name.location.offset}"] = place
        return f"\x01{int(node.location.line)}\x02{declared}"

    def declare_record(self, node: Any, values: list[Any]) -> str:
        """A record of the host's, filled member by member."""
        name = self.local_name(node)
        parts = [self.records.declare(node.type, name)]
        if values:
            with contextlib.suppress(NotPlainError):
                parts += self.fill(name, node.type, values[-1])
        if len(parts) == 2 and parts[1].startswith(f"{name} = "):
            return f"{parts[0]} = {parts[1].removeprefix(f'{name} = ')};"
        return " ".join(f"{p};" for p in parts)

    def declare_reference(self, node: Any, value: Any) -> str:
        """Another name of something; a value where it does not change and is a number."""
        peeled = self.peel(value)
        simple = not self.records.is_record(node.type) and self.is_constant(node.type)
        places = (self.k.DECL_REF_EXPR, self.k.MEMBER_REF_EXPR, self.k.ARRAY_SUBSCRIPT_EXPR, self.k.UNARY_OPERATOR)
        text = self.expression(value)
        if simple or (peeled.kind not in places and not re.search(r"\]\)*$|\w\.\w+\)*$|^\(*\*", text)):
            return f"{self.records.declare(node.type, self.local_name(node))} = {text};"
        if self.records.bare(node.type).kind in (self.t.CONSTANTARRAY, self.t.INCOMPLETEARRAY):
            # Another name of an array is its name.
            self.place.locals[node.get_usr()] = text
            return ";"
        return f"{self.records.declare(node.type, self.local_name(node, None, True))} = {strip_parentheses(text)};"

    # ---- lambdas ----

    def is_lambda(self, kind: Any) -> bool:
        """Whether a type is that of a lambda."""
        return "(lambda at" in kind.get_canonical().spelling

    def find_captures(self, node: Any, inside: Any) -> Iterator[Any]:
        """Variables that a lambda's body uses and does not declare."""
        for child in node.get_children():
            if child.kind in (self.k.DECL_REF_EXPR, self.k.VARIABLE_REF):
                variable = child.referenced
                if variable is not None and variable.kind in (self.k.VAR_DECL, self.k.PARM_DECL):
                    parent = variable.semantic_parent
                    at = int(variable.location.offset)
                    outside = not (inside.extent.start.offset <= at < inside.extent.end.offset)
                    local = parent is not None and parent.kind not in (self.k.TRANSLATION_UNIT, self.k.NAMESPACE)
                    if (
                        outside
                        and local
                        and not self.is_declared(variable)
                        and "CUDASHARED_ATTR" not in {c.kind.name for c in variable.get_children()}
                    ):
                        yield variable
            yield from self.find_captures(child, inside)

    def closure(self, node: Any) -> tuple[str, list[Any]]:
        """The record of a lambda, and what it captures."""
        record = node.type.get_canonical().get_declaration()
        key = record.get_usr()
        distinct = {v.get_usr(): v for v in self.find_captures(node, node)}
        head = self.parsed.text[self.offset(node) : self.offset(node) + 200]
        by_reference = bool(re.match(r"\[\s*&", head))
        self.records.closures[key] = [(v.spelling, v.type, False) for v in distinct.values()]
        self.lambdas[key] = (list(distinct.values()), by_reference)
        return self.records.record(node.type.get_canonical()), list(distinct.values())

    def capture_names(self, key: str) -> dict[str, str]:
        """How the body of a lambda names what it captures."""
        variables, _ = self.lambdas.get(key, ([], False))
        return {v.get_usr(): f"{SELF}{REFERENCE}.{self.records.member(v.spelling)}" for v in variables}

    def fill_closure(self, name: str, node: Any) -> list[str]:
        """Assignments of what a lambda captures."""
        _, variables = self.closure(node)
        return [f"{name}.{self.records.member(v.spelling)} = {self.variable_text(v)}" for v in variables]

    def declare_closure(self, node: Any, value: Any) -> str:
        """A variable that holds a lambda."""
        closure = self.peel(value)
        while closure.kind == self.k.CALL_EXPR and len(self.parts(closure)) == 1:
            closure = self.peel(self.parts(closure)[0])
        if closure.kind == self.k.LAMBDA_EXPR and not self.launches:
            self.held[node.get_usr()] = closure
            return ";"
        name = self.local_name(node)
        if closure.kind != self.k.LAMBDA_EXPR:
            return f"{self.records.declare(node.type, name)} = {self.expression(value)};"
        stores = self.fill_closure(name, closure)
        return " ".join([f"{self.records.declare(node.type, name)};", *(f"{s};" for s in stores)])

    # ---- expressions ----

    def expression(self, node: Any) -> str:
        """An expression."""
        self.place.depth += 1
        if self.place.depth > DEEPEST:
            raise NotPlainError("expressions inside each other too deeply")
        try:
            method = getattr(self, f"expression_{node.kind.name.lower()}", None)
            if method is None:
                raise NotPlainError(f"line {node.location.line}: '{node.kind.name.lower()}'")
            return str(method(node))
        finally:
            self.place.depth -= 1

    def expression_unexposed_expr(self, node: Any) -> str:
        """A conversion that nobody wrote, or what libclang has no name for."""
        parts = self.parts(node)
        if len(parts) == 1:
            return self.expression(parts[0])
        if (value := self.facts.evaluate(node)) is not None:
            return self.number(value, node.type)
        if not parts:
            return self.zero(node.type)
        raise NotPlainError(f"line {node.location.line}: an expression that is not followed")

    expression_pack_expansion_expr = expression_unexposed_expr
    expression_size_of_pack_expr = expression_unexposed_expr

    def zero(self, kind: Any) -> str:
        """A value that nobody gave."""
        if self.records.is_record(kind):
            return f"({self.records.record(self.records.bare(kind))}){{0}}"
        return f"({self.records.declare(kind, '').strip()})0"

    def number(self, value: float, kind: Any) -> str:
        """A literal."""
        bare = self.records.bare(kind)
        if isinstance(value, int):
            if bare.kind in (self.t.FLOAT, self.t.DOUBLE):
                return f"{value}.0{'f' if bare.kind == self.t.FLOAT else ''}"
            suffix = {
                self.t.UINT: "u",
                self.t.LONG: "l",
                self.t.ULONG: "ul",
                self.t.LONGLONG: "ll",
                self.t.ULONGLONG: "ull",
            }.get(bare.kind, "")
            text = f"{value}{suffix}"
        else:
            text = spell_single(value) + "f" if bare.kind == self.t.FLOAT else repr(value)
            if "inf" in text or "nan" in text:
                text = "3e38f"
        return f"({text})" if text.startswith("-") else text

    def expression_integer_literal(self, node: Any) -> str:
        """A number."""
        value = self.facts.evaluate(node)
        if value is None:
            raise NotPlainError(f"line {node.location.line}: a number that is not read")
        return self.number(value, node.type)

    expression_floating_literal = expression_integer_literal
    expression_character_literal = expression_integer_literal
    expression_cxx_bool_literal_expr = expression_integer_literal

    def expression_string_literal(self, node: Any) -> str:
        """Text."""
        return '"' + re.sub(r"[^A-Za-z0-9 .,:%_=-]", "", node.spelling)[:60] + '"'

    def expression_cxx_null_ptr_literal_expr(self, node: Any) -> str:
        """No address."""
        return "0"

    expression_gnu_null_expr = expression_cxx_null_ptr_literal_expr

    def expression_paren_expr(self, node: Any) -> str:
        """``(x)``."""
        return f"({self.expression(self.parts(node)[0])})"

    def expression_cxx_unary_expr(self, node: Any) -> str:
        """``sizeof``."""
        value = self.facts.evaluate(node)
        if value is None:
            raise NotPlainError(f"line {node.location.line}: a size that is not read")
        return str(value)

    expression_type_trait_expr = expression_cxx_unary_expr

    def expression_decl_ref_expr(self, node: Any) -> str:
        """A name."""
        referenced = node.referenced
        if referenced is None:
            # What stands for a parameter of a template.
            parts = self.parts(node)
            return self.expression(parts[0]) if len(parts) == 1 and not node.spelling else str(node.spelling)
        if referenced.kind == self.k.ENUM_CONSTANT_DECL:
            return str(referenced.enum_value)
        if referenced.kind in (self.k.VAR_DECL, self.k.PARM_DECL):
            return self.variable_text(referenced, node)
        part = self.place.locals.get(referenced.get_usr() or f"{referenced.location.offset}")
        if referenced.kind == self.k.UNEXPOSED_DECL and part is not None:
            return part
        if referenced.kind in (self.k.FUNCTION_DECL, self.k.CXX_METHOD):
            return (
                self.function_name(referenced) if self.find_body(referenced) is not None else str(referenced.spelling)
            )
        if (value := self.facts.evaluate(node)) is not None:
            return self.number(value, node.type)
        raise NotPlainError(f"line {node.location.line}: the name '{node.spelling}'")

    def variable_text(self, found: Any, node: Any | None = None) -> str:
        """How a variable is named where it is used."""
        key = found.get_usr()
        if key in self.place.meaning:
            return self.place.meaning[key]
        if key in self.place.captured:
            return self.place.captured[key]
        if key in self.place.locals:
            return self.place.locals[key]
        if self.is_declared(found) and found.semantic_parent.kind == self.k.TRANSLATION_UNIT:
            return str(found.spelling)
        parent = found.semantic_parent
        if parent is not None and parent.kind in (self.k.TRANSLATION_UNIT, self.k.NAMESPACE):
            return self.write_global(found)
        outside = parent is not None and parent.kind in (
            self.k.CLASS_DECL,
            self.k.STRUCT_DECL,
            self.k.CLASS_TEMPLATE,
            self.k.UNION_DECL,
        )
        if outside or found.storage_class.name == "STATIC":
            value = self.facts.evaluate(node) if node is not None else None
            if value is None:
                values = [c for c in found.get_children() if c.kind.is_expression()]
                value = self.facts.evaluate(values[-1]) if values else None
            if value is not None and self.records.bare(found.type).kind not in (self.t.CONSTANTARRAY, self.t.RECORD):
                return self.number(value, found.type)
            return self.write_global(found)
        by_reference = self.records.is_reference(found.type) and not self.is_constant(found.type)
        return self.local_name(found, None, by_reference)

    def expression_member_ref_expr(self, node: Any) -> str:
        """``p.x``, ``p->x``, and ``x`` of the object itself."""
        referenced = node.referenced
        if referenced is not None and referenced.kind in (self.k.VAR_DECL,):
            return self.variable_text(referenced, node)
        if referenced is not None and referenced.kind == self.k.ENUM_CONSTANT_DECL:
            return str(referenced.enum_value)
        name = self.records.member(node.spelling)
        base = self.base_text(node)
        if not node.spelling:
            return base
        text = f"{base}.{name}" if not base.startswith("->") else f"{base[2:]}->{name}"
        # A member that is a reference is an address.
        referred = (
            referenced is not None
            and referenced.kind == self.k.FIELD_DECL
            and self.records.is_reference(referenced.type)
        )
        return f"(*{text})" if referred else text

    def base_text(self, node: Any) -> str:
        """What stands before the dot; ``->`` before it where it is an address."""
        parts = self.parts(node)
        if not parts:
            return self.place.this
        peeled = self.peel(parts[0])
        if peeled.kind == self.k.CXX_THIS_EXPR:
            return self.place.this
        text = self.expression(parts[0])
        if self.records.bare(parts[0].type).kind == self.t.POINTER:
            if text.startswith("&") or (text.startswith("(&") and text.endswith(")")):
                return strip_parentheses(text).removeprefix("&")
            return f"->{text}" if re.fullmatch(r"[\w.\[\]]+", text) else f"->({text})"
        return text

    def expression_cxx_this_expr(self, node: Any) -> str:
        """The object's address."""
        return f"(&{self.place.this})"

    def expression_array_subscript_expr(self, node: Any) -> str:
        """``a[i]``."""
        base, index = self.parts(node)
        text = self.expression(base)
        return f"{text if self.is_postfix(base) else f'({text})'}[{self.expression(index)}]"

    def is_postfix(self, node: Any) -> bool:
        """Whether an expression binds at least as tightly as an index."""
        while node.kind == self.k.UNEXPOSED_EXPR and len(parts := self.parts(node)) == 1:
            node = parts[0]
        k = self.k
        plain = (k.DECL_REF_EXPR, k.MEMBER_REF_EXPR, k.ARRAY_SUBSCRIPT_EXPR, k.CALL_EXPR, k.PAREN_EXPR)
        return node.kind in plain

    def expression_binary_operator(self, node: Any) -> str:
        """``a + b``."""
        left, right = self.parts(node)
        sign = self.facts.operator(node)
        if sign == "=" and self.peel(right).kind == self.k.INIT_LIST_EXPR:
            return f"{self.expression(left)} = {self.literal(self.peel(right))}"
        a, b = self.expression(left), self.expression(right)
        if sign == ",":
            return f"{a}, {b}"
        return f"{a} {sign} {b}"

    expression_compound_assignment_operator = expression_binary_operator

    def expression_unary_operator(self, node: Any) -> str:
        """``-x``, ``i++``."""
        inside = self.parts(node)[0]
        sign = self.facts.operator(node)
        if sign == "*" and self.peel(inside).kind == self.k.CXX_THIS_EXPR:
            return self.place.this
        text = self.expression(inside)
        if sign.startswith("p"):
            return f"{text}{sign[1:]}"
        if sign == "*" and re.match(r"^\(?&", text) and re.fullmatch(r"\(?&[\w.]+\)?", text):
            return strip_parentheses(text)[1:]
        if sign in ("__real", "__imag", "__extension__"):
            return text
        return f"{sign}{text}" if not text.startswith(sign[:1]) else f"{sign}({text})"

    def expression_conditional_operator(self, node: Any) -> str:
        """``c ? a : b``."""
        a, b, c = self.parts(node)
        return f"{self.expression(a)} ? {self.expression(b)} : {self.expression(c)}"

    def expression_cstyle_cast_expr(self, node: Any) -> str:
        """A conversion."""
        parts = self.parts(node)
        if not parts:
            return self.zero(node.type)
        inside = self.peel(parts[-1])
        if inside.kind == self.k.INIT_LIST_EXPR:
            return self.literal(inside, node.type)
        text = self.expression(parts[-1])
        if self.records.is_record(node.type) or node.type.get_canonical().kind == self.t.VOID:
            return text
        if self.records.is_reference(node.type):
            kind = self.records.declare(self.records.bare(node.type), "*").strip()
            return text if self.records.bare(node.type) == self.records.bare(parts[-1].type) else f"(*({kind})&{text})"
        kind = self.records.declare(node.type, "").strip()
        simple = re.fullmatch(r"[\w.]+|[\w.]*\([^()]*\)|[\w.]+(?:\[[^\[\]]*\])+", text)
        return f"({kind}){text if simple else f'({text})'}"

    expression_cxx_static_cast_expr = expression_cstyle_cast_expr
    expression_cxx_functional_cast_expr = expression_cstyle_cast_expr
    expression_cxx_reinterpret_cast_expr = expression_cstyle_cast_expr
    expression_cxx_const_cast_expr = expression_cstyle_cast_expr
    expression_cxx_dynamic_cast_expr = expression_cstyle_cast_expr
    expression_cxx_addrspace_cast_expr = expression_cstyle_cast_expr

    def expression_init_list_expr(self, node: Any) -> str:
        """``{a, b}`` as a value."""
        return self.literal(node)

    expression_compound_literal_expr = expression_unexposed_expr

    def literal(self, node: Any, kind: Any | None = None) -> str:
        """``(float2){a, b}``; on the host a variable of its own."""
        kind = kind if kind is not None else node.type
        items = self.parts(node)
        if not self.records.is_record(kind):
            return self.expression(items[0]) if items else self.zero(kind)
        record = self.records.record(self.records.bare(kind))
        if self.place.on_host:
            if record == "dim3":
                return f"dim3({', '.join(self.expression(i) for i in items)})"
            name = self.make_local(record)
            self.place.before += self.fill_list(name, kind, node)
            return name
        return f"({record}){self.list_text(node, kind)}"

    def make_local(self, record: str) -> str:
        """A variable of the host's for a value without a name."""
        self.made += 1
        name = f"made_{self.made}"
        self.place.before.append(f"{record} {name}")
        return name

    def expression_lambda_expr(self, node: Any) -> str:
        """A lambda as a value."""
        record, variables = self.closure(node)
        if self.place.on_host:
            name = self.make_local(record)
            self.place.before += self.fill_closure(name, node)
            return name
        held = ", ".join(self.variable_text(v) for v in variables) or "0"
        return f"({record}){{{held}}}"

    def expression_cxx_new_expr(self, node: Any) -> str:
        """Memory of the host."""
        if self.place.on_host:
            return "0"
        raise NotPlainError(f"line {node.location.line}: 'new'")

    expression_cxx_delete_expr = expression_cxx_new_expr
    expression_cxx_throw_expr = expression_cxx_new_expr
    expression_cxx_typeid_expr = expression_cxx_new_expr

    # ---- calls ----

    def arguments(self, node: Any) -> list[Any]:
        """Arguments of a call, those that nobody wrote from the declaration."""
        return [a for a in node.get_arguments() if a is not None]

    def argument_text(self, node: Any, called: Any, at: int) -> str:
        """One argument; a default is what the declaration says."""
        if node.kind == self.k.UNEXPOSED_EXPR and not self.parts(node):
            given = [p for p in called.get_arguments() if p is not None] if called is not None else []
            if at < len(given):
                default = [c for c in given[at].get_children() if c.kind.is_expression()]
                if default:
                    return self.expression(default[-1])
        return self.expression(node)

    def expression_call_expr(self, node: Any) -> str:
        """A call of whatever kind."""
        called, given = node.referenced, self.arguments(node)
        if (closure := self.find_held(node)) is not None:
            return self.algorithms.value(closure, [self.expression(a) for a in given[1:]])
        parts = self.parts(node)
        if (
            len(parts) > 1
            and self.peel(parts[1]).kind == self.k.CALL_EXPR
            and self.peel(parts[1]).spelling == CONFIGURE
        ):
            return self.launch(node, called, self.peel(parts[1]), parts[2:])
        if called is None:
            return self.unknown_call(node, given, parts)
        if called.kind == self.k.CONSTRUCTOR:
            return self.constructed(node, called, given)
        if called.kind in (self.k.CXX_METHOD, self.k.CONVERSION_FUNCTION):
            return self.call_method(node, called, given, parts)
        if called.kind in (self.k.VAR_DECL, self.k.PARM_DECL, self.k.FIELD_DECL):
            return self.unknown_call(node, given, parts)
        return self.call_function(node, called, given)

    def unknown_call(self, node: Any, given: list[Any], parts: list[Any]) -> str:
        """A call that the file does not say more of."""
        if not node.spelling and len(parts) == 1:
            return self.expression(parts[0])
        name = re.sub(r"\W", "_", node.spelling) or "unread"
        if self.place.on_host:
            texts = []
            for a in given:
                try:
                    texts.append(self.expression(a))
                except NotPlainError:
                    texts.append("0")
            return f"{name}({', '.join(texts)})"
        return f"{name}({', '.join(self.expression(a) for a in given)})"

    def launch(self, node: Any, called: Any, shape: Any, given: list[Any]) -> str:
        """``kernel<<<grid, block>>>(...)``."""
        if called is None:
            raise NotPlainError(f"line {node.location.line}: a launch of what is no kernel")
        name = self.function_name(called)
        shapes = [self.read_or_leave(self.shape_text, a) for a in self.arguments(shape)][:2]
        values = [self.read_or_leave(self.argument_text, a, called, at) for at, a in enumerate(given)]
        return f"{name}<<<{', '.join(shapes)}>>>({', '.join(values)})"

    def read_or_leave(self, write: Callable[..., str], *of: Any) -> str:
        """What is written of a part of a launch; ``unread()`` for a part that is not followed: the others are known."""
        try:
            return write(*of)
        except NotPlainError:
            return "unread()"

    def shape_text(self, node: Any) -> str:
        """A grid or a block."""
        shape = self.peel(node)
        if (
            shape.kind == self.k.CALL_EXPR
            and shape.referenced is not None
            and shape.referenced.kind == self.k.CONSTRUCTOR
        ):
            given = [a for a in self.arguments(shape) if not (a.kind == self.k.UNEXPOSED_EXPR and not self.parts(a))]
            if len(given) == 1:
                inner = self.peel(given[0])
                if self.records.is_record(inner.type):
                    return self.shape_text(given[0])
                return self.expression(given[0])
            return f"dim3({', '.join(self.expression(g) for g in given)})"
        if shape.kind == self.k.INIT_LIST_EXPR:
            return f"dim3({', '.join(self.expression(g) for g in self.parts(shape))})"
        if shape.kind in (self.k.CXX_FUNCTIONAL_CAST_EXPR, self.k.CSTYLE_CAST_EXPR) and self.parts(shape):
            return self.shape_text(self.parts(shape)[-1])
        return self.expression(node)

    def constructed(self, node: Any, called: Any, given: list[Any]) -> str:
        """``X(a, b)``."""
        owner = called.semantic_parent.type.get_canonical()
        record = self.records.record(owner) if self.records.is_record(owner) else ""
        is_known = self.is_declared(called)
        given = [a for a in given if not (a.kind == self.k.UNEXPOSED_EXPR and not self.parts(a) and is_known)]
        if self.is_copy(called) and len(given) == 1:
            return self.expression(given[0])
        if not record:
            # A number of 16 bits.
            kind = self.records.declare(owner, "").strip()
            return f"({kind})({self.expression(given[0])})" if given else f"({kind})0"
        if record == "dim3":
            return f"dim3({', '.join(self.expression(g) for g in given)})"
        if record in ("__half2", "__nv_bfloat162"):
            return f"({record}){{{', '.join(self.expression(g) for g in given) or '0'}}}"
        if self.place.on_host:
            name = self.make_local(record)
            self.place.before += self.construct(name, called, given)
            return name
        if self.find_body(called) is None:
            if given:
                raise NotPlainError(f"line {node.location.line}: '{called.spelling}' is not made in the file")
            return f"({record}){{0}}"
        nested, self.place.argument = self.place.argument, True
        try:
            values = [self.argument_text(a, called, at) for at, a in enumerate(given)]
        finally:
            self.place.argument = nested
        making = f"{self.function_name(called)}({', '.join(values)})"
        if not (self.place.lenient and self.place.argument):
            return making
        # Sizes are read of what has a name.
        self.made += 1
        name = f"made_{self.made}"
        self.place.before.append(f"{self.records.declare(owner, name)} = {making}")
        return name

    def call_method(self, node: Any, called: Any, given: list[Any], parts: list[Any]) -> str:
        """``p.f(a)``, ``p[i]``, ``a + b``."""
        spelled = called.spelling
        by_sign = spelled.startswith("operator") and not spelled[8:9].isalnum() and spelled[8:9] != "_"
        first = parts[0] if parts else None
        member = self.peel(first) if first is not None else None
        written_as_member = member is not None and member.kind == self.k.MEMBER_REF_EXPR and member.spelling == spelled
        if written_as_member:
            base = self.base_text(member)
            arguments = given
        elif called.kind == self.k.CONVERSION_FUNCTION:
            base, arguments = self.expression(given[0] if given else parts[0]), []
        elif by_sign and given:
            base, arguments = self.operand_text(given[0]), given[1:]
        elif called.is_static_method():
            base, arguments = "", given
        else:
            base, arguments = (self.place.this, given)
        base = f"(*{base[2:]})" if base.startswith("->") else base
        if self.is_declared(called) and self.find_body(called) is None:
            return self.call_declared(called, spelled, base, arguments)
        if spelled == "operator=" and self.find_body(called) is None:
            return f"{base} = {self.expression(arguments[0])}"
        body = self.find_body(called)
        if body is None:
            raise NotPlainError(f"line {node.location.line}: '{spelled}' has no body in the file")
        place = self.written_in_place(called, body, base, arguments)
        if place is not None:
            return place
        values = [self.argument_text(a, called, at) for at, a in enumerate(arguments)]
        owner = [] if called.is_static_method() else [strip_parentheses(base)]
        return f"{self.function_name(called)}({', '.join([*owner, *values])})"

    def operand_text(self, node: Any) -> str:
        """The object that an operator is of."""
        text = self.expression(node)
        return text if re.fullmatch(r"[\w.\[\]]+|\(.*\)", text) else f"({text})"

    def call_declared(self, called: Any, spelled: str, base: str, arguments: list[Any]) -> str:
        """A method of our declarations that has no body: numbers of 16 bits, parts of the C++ library."""
        if called.kind == self.k.CONVERSION_FUNCTION:
            if called.semantic_parent.spelling == UNKNOWN:
                return base
            kind = self.records.declare(called.result_type, "").strip()
            return f"({kind})({base})" if not self.records.is_record(called.result_type) else base
        if spelled.startswith("operator") and arguments:
            sign = spelled[8:]
            if sign in ("+=", "-=", "*=", "/=", "=", "+", "-", "*", "/", "<", ">", "==", "!="):
                return f"{base} {sign} {self.expression(arguments[0])}"
        if self.place.on_host or self.place.lenient:
            return "unread()"
        raise NotPlainError(f"'{spelled}' is not followed")

    def written_in_place(self, called: Any, body: Any, base: str, arguments: list[Any]) -> str | None:
        """The expression that a small function returns, where it is called; None where it does more.

        Of functions that return places, and of methods.
        """
        statements = self.parts(body)
        if len(statements) != 1 or statements[0].kind != self.k.RETURN_STMT:
            return None
        value = self.parts(statements[0])
        place = self.records.is_reference(called.result_type)
        method = called.kind in (self.k.CXX_METHOD, self.k.CONVERSION_FUNCTION)
        if not value or not (place or method) or self.place.depth > 40:
            return None
        parameters = [p for p in called.get_arguments() if p is not None]
        texts = [self.argument_text(a, called, at) for at, a in enumerate(arguments)]
        if any(re.search(r"\+\+|--|[^=!<>]=[^=]", t) for t in texts):
            return None
        key = called.semantic_parent.get_usr() if called.semantic_parent is not None else ""
        outer = self.place.meaning, self.place.this, self.place.captured
        meaning = {
            p.get_usr(): t if re.fullmatch(r"[\w.]+|\(.*\)", t) else f"({t})"
            for p, t in zip(parameters, texts, strict=False)
        }
        self.place.meaning = {**outer[0], **meaning}
        self.place.this = strip_parentheses(base) if base else SELF
        if key in self.lambdas:
            self.place.captured = {
                v.get_usr(): f"{self.place.this}.{self.records.member(v.spelling)}" for v in self.lambdas[key][0]
            }
        if not re.fullmatch(r"[\w.\[\] +*()/-]+", self.place.this) or (
            self.place.this.count("(") and "construct_" in self.place.this
        ):
            self.place.meaning, self.place.this, self.place.captured = outer
            return None
        try:
            text = self.expression(value[0])
        finally:
            self.place.meaning, self.place.this, self.place.captured = outer
        if any(re.search(r"\w\(", t) and text.count(t) > 1 for t in texts):
            return None
        return text if re.fullmatch(r"[\w.]+|[\w.]+\[[^\[\]]*\]", text) else f"({text})"

    def call_function(self, node: Any, called: Any, given: list[Any]) -> str:
        """``f(a)``, or an operator that the file or our declarations have."""
        spelled = called.spelling
        by_sign = spelled.startswith("operator") and not spelled[8:9].isalnum() and spelled[8:9] != "_"
        body = self.find_body(called)
        if (written := self.algorithms.write(spelled, node, given)) is not None:
            return written
        return self.call_plainly(node, called, given, body, by_sign=by_sign)

    def call_plainly(self, node: Any, called: Any, given: list[Any], body: Any, *, by_sign: bool) -> str:
        """A call of what is no algorithm of the library."""
        spelled = called.spelling
        if body is None:
            if by_sign and self.is_declared(called):
                texts = [self.operand_text(a) for a in given]
                return f"{texts[0]} {spelled[8:]} {texts[1]}" if len(texts) > 1 else f"{spelled[8:]}{texts[0]}"
            if self.place.on_host:
                return self.host_call(node, spelled, given)
            return f"{spelled}({', '.join(self.argument_text(a, called, at) for at, a in enumerate(given))})"
        declared = self.is_declared(called)
        if spelled in ("move", "forward") and declared:
            return self.expression(given[0])
        if spelled in ("min", "max") and declared:
            return f"{spelled}({', '.join(self.expression(a) for a in given)})"
        if self.records.is_reference(called.result_type) or (declared and self.place.on_host):
            place = self.written_in_place(called, body, "", given)
            if place is not None:
                return place
            if declared and self.place.on_host and len(self.parts(body)) == 1 and len(given) == 1:
                returned = self.parts(self.parts(body)[0])
                if returned:
                    outer = self.place.meaning
                    parameter = next(iter(called.get_arguments()))
                    self.place.meaning = {**outer, parameter.get_usr(): self.expression(given[0])}
                    try:
                        return self.expression(returned[0])
                    finally:
                        self.place.meaning = outer
        nested, self.place.argument = self.place.argument, True
        try:
            values = [self.argument_text(a, called, at) for at, a in enumerate(given)]
        finally:
            self.place.argument = nested
        return f"{self.function_name(called)}({', '.join(values)})"

    def host_call(self, node: Any, spelled: str, given: list[Any]) -> str:
        """A call of the host's that has no body here: of the runtime of CUDA, or unread."""
        if spelled in ("cudaLaunchKernel", "cudaLaunchCooperativeKernel") and len(given) >= 4:
            return self.launch_by_address(node, given)
        texts = []
        for a in given:
            try:
                texts.append(self.expression(a))
            except NotPlainError:
                texts.append("0")
        return f"{spelled}({', '.join(texts)})"

    def launch_by_address(self, node: Any, given: list[Any]) -> str:
        """``cudaLaunchKernel((void *)k, grid, block, args)``."""
        kernel = self.find_reference(given[0], (self.k.FUNCTION_DECL,))
        array = self.find_reference(given[3], (self.k.VAR_DECL,))
        if kernel is None or array is None:
            raise NotPlainError(f"line {node.location.line}: a launch whose arguments are not said")
        values = [c for c in array.get_children() if c.kind == self.k.INIT_LIST_EXPR]
        texts = [self.expression(p) for p in self.parts(values[-1])] if values else []
        arguments = ", ".join(
            strip_parentheses(re.sub(r"^\((?:const )?void \*\)\s*", "", t)).removeprefix("&") for t in texts
        )
        return (
            f"{self.function_name(kernel)}<<<{self.shape_text(given[1])}, {self.shape_text(given[2])}>>>({arguments})"
        )

    def find_reference(self, node: Any, kinds: tuple[Any, ...]) -> Any | None:
        """What an expression names, through casts and addresses."""
        if node.kind == self.k.DECL_REF_EXPR and node.referenced is not None and node.referenced.kind in kinds:
            return node.referenced
        return next((f for c in self.parts(node) if (f := self.find_reference(c, kinds)) is not None), None)


def spell_operator(sign: str) -> str:
    """A word for the sign of an operator.

    >>> spell_operator("+="), spell_operator("()")
    ('plus_to', 'call')
    """
    words = {"+": "plus", "-": "minus", "*": "times", "/": "over", "()": "call", "[]": "at", "=": "from", "<": "less",
             ">": "greater", "==": "equal", "!=": "unequal", "!": "not", "%": "rest", "&": "and", "|": "or", "^": "xor",
             "++": "next", "--": "previous", "->": "arrow"}  # fmt: skip
    sign = sign.strip()
    if sign.endswith("=") and sign[:-1] in words and sign not in words:
        return f"{words[sign[:-1]]}_to"
    return words.get(sign, re.sub(r"\W+", "_", sign) or "sign")


def join_declarations(text: str) -> str:
    """Declarations of one type as one, as the header of a loop has them.

    >>> join_declarations("int i = 0; int k = 1")
    'int i = 0, k = 1'
    """
    parts = [re.sub("\x01\\d+\x02", "", p).strip() for p in text.split("; ")]
    kinds = [re.match(r"((?:\w+ )+)(?=\w+ =)", p) for p in parts]
    if len(parts) < 2 or any(k is None or k[1] != kinds[0][1] for k in kinds):  # type: ignore[index]
        return text
    return ", ".join([parts[0], *(p[k.end() :] for p, k in zip(parts[1:], kinds[1:], strict=True) if k is not None)])


def spell_single(value: float) -> str:
    """The shortest text of a number in single precision.

    >>> spell_single(0.009999999776482582)
    '0.01'
    """
    held = struct.pack("f", min(max(value, -3.4e38), 3.4e38))
    for digits in range(6, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("f", float(text)) == held:
            break
    return text if re.search(r"[.e]", text) else f"{text}.0"
