r"""Bodies of functions written as plain C: each node of libclang's tree as text, with what C lacks taken apart.

Methods are functions with the object before their arguments, lambdas are records with a function, references are names
that end in the word that the readers know (:data:`REFERENCE`), functions of one expression that give a place back are
written where they are called. ``\x01N\x02`` before a piece of text says that it belongs to line N.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from roofcast_hull.spelled.algorithms import Algorithms
from roofcast_hull.spelled.c_spelling import spell_operator
from roofcast_hull.spelled.closures import Closures
from roofcast_hull.spelled.constructors import Constructors
from roofcast_hull.spelled.function_context import ENTRY, MAKER, REFERENCE, SELF, Context, Function, write_row_lengths
from roofcast_hull.spelled.parsed_file import DECLARATIONS, Facts, Parsed
from roofcast_hull.spelled.plain_calls import Calls
from roofcast_hull.spelled.plain_declarations import Variables
from roofcast_hull.spelled.plain_expressions import Expressions
from roofcast_hull.spelled.plain_launches import Launches
from roofcast_hull.spelled.plain_statements import Statements
from roofcast_hull.spelled.type_names import Names, NotPlainError, Records

MOST_FUNCTIONS = 2_000
"""Functions that templates may make of a file."""
MOST_HANDED = 4
"""Functions that hand on an address, one to the next."""
MOST_TEXT = 4_000_000
"""Characters that templates may make of a file."""


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
        self.lifted: dict[str, list[tuple[Any, bool]]] = {}
        """USR of the class of a lambda that is only called -> what it captures, and whether it changes each."""
        self.held: dict[str, Any] = {}
        """USR of a variable -> the lambda that it holds, written where it is called."""
        self.statements, self.expressions, self.variables = Statements(self), Expressions(self), Variables(self)
        self.calls, self.host, self.algorithms = Calls(self), Launches(self), Algorithms(self)
        self.closures, self.constructors = Closures(self), Constructors(self)

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
            elif self.is_declared(node) and (whole := self.find_complex(node)):
                # Beside functions of real numbers that have the same name.
                wanted = f"{whole}_{wanted}"
            kind = self.find_space(node)
            name = self.names.name(key, wanted)
            function = Function(node, name, kind, int(node.location.line))
            self.functions[key] = function
            self.waiting.append(function)
        return self.functions[key].name

    def find_complex(self, node: Any) -> str:
        """The type of complex numbers that a function of the library is given first; '' for others."""
        first = next((p for p in node.get_arguments() if p is not None), None)
        bare = self.records.bare(first.type).get_canonical() if first is not None else None
        is_complex = bare is not None and bare.get_declaration().spelling == "complex"
        return str(self.records.record(bare)) if is_complex else ""

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
            if key in self.lifted:
                taken += self.closures.name_lifted(key)
            elif key in self.records.closures:
                self.place.captured = self.closures.capture_names(key)
            if method and owner is not None and key not in self.lifted:
                changes = not node.is_const_method() or key in self.records.closures
                self.place.this = SELF + (REFERENCE if changes else "")
                taken.append(self.records.declare(owner, self.place.this))
                self.place.returns_self = self.records.is_reference(result)
            spelled = [p.get_usr() for p in parameters]
            self.place.packed = frozenset(u for u in spelled if spelled.count(u) > 1)
            body = self.find_body(node)
            for at, parameter in enumerate(parameters):
                leads = self.find_led(body, parameter) if function.kind and body is not None else None
                name = self.write_parameter(parameter, at, function.kind)
                taken.append(self.records.declare(leads, name.rpartition("*")[2].split()[-1]) if leads else name)
            if body is None:
                raise NotPlainError(f"'{node.spelling}' has no body in the file")
            head = f"{function.kind} " if function.kind else ""
            if node.kind == self.k.CONSTRUCTOR and owner is not None:
                return self.constructors.write_maker(function, owner, taken, body, head)
            text = write_row_lengths(self.statements.statement(body))
            declared = self.records.declare(result, function.name)
            return f"\x01{function.line}\x02{head}{declared}({', '.join(taken)}) {text}\n"
        finally:
            self.place = outer

    def write_parameter(self, node: Any, at: int, kind: str) -> str:
        """A parameter; a reference that may change what it names ends in the readers' word."""
        changes = self.records.is_reference(node.type) and not self.is_constant(node.type)
        packed = f"{node.spelling}_{at}" if node.get_usr() in self.place.packed else None
        name = self.variables.local_name(node, packed if node.spelling else f"unnamed_{at}", changes)
        kind_of = node.type.get_canonical()
        if kind_of.kind == self.t.POINTER or not changes or kind == "__global__":
            return self.records.declare(kind_of, name)
        inner = self.records.bare(kind_of)
        if inner.kind in (self.t.CONSTANTARRAY, self.t.INCOMPLETEARRAY):
            # An array by reference is its address.
            self.place.locals[node.get_usr()] = plain = name.removesuffix(REFERENCE)
            return self.records.declare(inner, plain)
        return self.records.declare(kind_of, name)

    def find_led(self, body: Any, parameter: Any, depth: int = 0) -> Any | None:
        """What a ``void *`` leads to: the one type of address that its function, and those it calls, make of it."""
        kind = parameter.type.get_canonical()
        if kind.kind != self.t.POINTER or kind.get_pointee().kind != self.t.VOID or depth > MOST_HANDED:
            return None
        by_type = {k.get_pointee().get_canonical().spelling.removeprefix("const "): k
                 for k in self.list_led(body, parameter, depth)}  # fmt: skip
        return next(iter(by_type.values())) if len(by_type) == 1 else None

    def list_led(self, node: Any, parameter: Any, depth: int) -> Iterator[Any]:
        """Types of addresses that are made of a parameter."""
        parts = self.parts(node)
        names = [self.peel(p) for p in parts]
        mine = [
            n.kind == self.k.DECL_REF_EXPR and n.referenced is not None and n.referenced == parameter for n in names
        ]
        if node.kind == self.k.CALL_EXPR and any(mine[1:]):
            called = node.referenced or self.host.find_reference(parts[0], (self.k.FUNCTION_DECL,))
            body = self.find_body(called) if called is not None and called.kind == self.k.FUNCTION_DECL else None
            given = (
                [p for p in called.get_arguments() if p is not None] if called is not None and body is not None else []
            )
            for taken, is_mine in zip(given, mine[1:], strict=False):
                if is_mine and (led := self.find_led(body, taken, depth + 1)) is not None:
                    yield led
        elif node.kind.name.endswith("CAST_EXPR") and any(mine):
            yield node.type.get_canonical()
        for part in node.get_children():
            yield from self.list_led(part, parameter, depth)

    def is_constant(self, kind: Any) -> bool:
        """Whether a reference is to what does not change."""
        kind = kind.get_canonical()
        if kind.kind == self.t.RVALUEREFERENCE:
            return True
        return bool(kind.kind == self.t.LVALUEREFERENCE and kind.get_pointee().is_const_qualified())

    # ---- names of variables ----

    # ---- statements ----

    # ---- lambdas ----

    # ---- expressions ----

    # ---- calls ----
