"""Calls of the algorithms of the C++ library and of thrust as the loops that they stand for, lambdas in place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from roofcast_hull.spelled.type_names import NotPlainError

SIGNS = {
    "plus": "{} + {}", "minus": "{} - {}", "multiplies": "{} * {}", "divides": "{} / {}", "bit_and": "{} & {}",
    "bit_or": "{} | {}", "bit_xor": "{} ^ {}", "less": "{} < {}", "greater": "{} > {}", "equal_to": "{} == {}",
    "negate": "-{}", "square": "{} * {}", "maximum": "fmax({}, {})", "minimum": "fmin({}, {})", "identity": "{}",
}  # fmt: skip
"""Function objects of the library: what they compute."""
POLICIES = ("Policy_", "Execution_", "On_", "Unknown_")

EXTREMES = {"max_element": ">", "min_element": "<"}
"""Algorithms that find an element, and what it is to the others."""
PLACE = re.compile(r"&?[\w.]+(?:\[[^\[\]]*\](?:\.\w+)*)*")
"""A name, a number or an element."""
SIDES = re.compile(r"\+\+|--|[^=!<>]=[^=]")
"""What changes something while it is computed."""
CHANGES = r"(?:\+\+|--) {0}\b|\b{0} (?:[-+*/%|&^]=|=(?!=)|<<=|>>=|\+\+|--)"
"""What changes a name, in words with blanks between them."""


class Algorithms:
    """Writes calls of algorithms for the function that a writer is in."""

    def __init__(self, writer: Any) -> None:
        self.writer = writer

    def write(self, name: str, node: Any, given: list[Any]) -> str | None:
        """What a call is, its loop before the statement around it; None for other functions.

        Raises
        ------
        NotPlainError : the algorithm works on what is no array, or with a function that is not followed.
        """
        method = getattr(self, f"write_{name}", None)
        writer = self.writer
        if method is None or writer.launches or writer.place.on_host or not writer.is_declared(node.referenced):
            return None
        if given and self.writer.records.bare(given[0].type).get_declaration().spelling in POLICIES:
            given = given[1:]
        text = method(node, given)
        return None if text is None else str(text)

    # ---- parts ----

    def text(self, node: Any) -> str:
        """An expression that an index or a sign may follow."""
        text = self.writer.expressions.expression(node)
        return text if re.fullmatch(r"[\w.]+|\([^()]*\)", text) else f"({text})"

    def reach(self, first: Any, last: Any) -> str:
        """Elements between two places."""
        start, end = (strip_parentheses(self.writer.expressions.expression(n)) for n in (first, last))
        for plain in (start, f"({start})"):
            if end.startswith(f"{plain} + "):
                return f"({end[len(plain) + 3 :]})"
        return f"(({end}) - ({start}))"

    def counter(self) -> str:
        """A name for the counter of a loop."""
        self.writer.made += 1
        return f"turn_{self.writer.made}"

    def element(self, place: str, counter: str) -> str:
        """An element after a place; of ``(p + n)`` it is ``p[n + k]``."""
        inner = strip_parentheses(place)
        match = re.fullmatch(r"\(?([\w.]+)\)? \+ (.+)", inner)
        if match:
            return f"{match[1]}[{match[2]} + {counter}]"
        plain = re.fullmatch(r"[\w.]+", inner) is not None
        return f"{inner if plain else place}[{counter}]"

    def loop(self, counter: str, reach: str, body: str) -> str:
        """A loop over all elements, before the statement that is written."""
        self.writer.place.before.append(f"for (long {counter} = 0; {counter} < {reach}; {counter}++) {{ {body} }}")
        return ""

    def total(self, kind: Any, start: str) -> str:
        """A scalar that a loop adds up in."""
        self.writer.made += 1
        name = f"total_{self.writer.made}"
        declared = self.writer.records.declare(kind, name)
        self.writer.place.before.append(f"{declared} = {start}")
        return name

    # ---- functions ----

    def find_lambda(self, node: Any) -> Any | None:
        """The lambda that an argument is, or that a variable holds."""
        writer = self.writer
        node = writer.peel(node)
        for _ in range(4):
            parts = writer.parts(node)
            if node.kind != writer.k.CALL_EXPR or len(parts) != 1:
                break
            node = writer.peel(parts[0])
        if node.kind == writer.k.LAMBDA_EXPR:
            return node
        if node.kind == writer.k.DECL_REF_EXPR and node.referenced is not None:
            return writer.held.get(node.referenced.get_usr())
        return None

    def body_of(self, closure: Any, texts: list[str]) -> tuple[list[Any], dict[str, str], list[str]]:
        """Statements of a lambda, what stands for its parameters, and declarations of those that it changes itself."""
        writer = self.writer
        parameters = [c for c in closure.get_children() if c.kind == writer.k.PARM_DECL]
        body = [c for c in closure.get_children() if c.kind == writer.k.COMPOUND_STMT]
        if not body or len(parameters) != len(texts):
            raise NotPlainError(f"line {closure.location.line}: a lambda that is not followed")
        meaning = {
            p.get_usr(): t if re.fullmatch(r"[\w.]+(?:\[[^\[\]]*\])*|\(.*\)", t) else f"({t})"
            for p, t in zip(parameters, texts, strict=True)
        }
        words, copies = " ".join(t.spelling for t in closure.get_tokens()), list[str]()
        for p, text in zip(parameters, texts, strict=True):
            by_value = "&" not in p.type.spelling and "*" not in p.type.spelling
            if by_value and re.search(CHANGES.format(re.escape(p.spelling)), words):
                writer.made += 1
                meaning[p.get_usr()] = f"{p.spelling}_{writer.made}"
                copies.append(f"{writer.records.declare(p.type, meaning[p.get_usr()])} = {text};")
        return writer.parts(body[-1]), meaning, copies

    def hold(
        self, parameters: Sequence[Any], texts: list[str], given: Sequence[Any], body: Sequence[Any]
    ) -> tuple[list[str], str]:  # fmt: skip
        """Arguments as a body takes them in their place: what is computed and taken more than once has a name before.

        Where it runs under a condition, it is computed there: the second text stands before what the body returns.
        parameters : of the function. texts, given : its arguments, written and as nodes. body : its statements.
        """
        writer, held, first = self.writer, list(texts), ""
        if writer.place.on_host or writer.place.lenient:
            return held, first
        for at, (parameter, node) in enumerate(zip(parameters, given, strict=False)):
            kind = writer.records.bare(node.type)
            plain = PLACE.fullmatch(strip_parentheses(texts[at])) or SIDES.search(texts[at])
            index = writer.variables.is_whole(node) and "[" not in texts[at]
            changed = writer.records.is_reference(parameter.type) and not writer.is_constant(parameter.type)
            if plain or index or changed or kind.kind in (writer.t.POINTER, writer.t.CONSTANTARRAY):
                continue
            if sum(self.count_uses(s, parameter) for s in body) > 1:
                writer.made += 1
                held[at] = f"{parameter.spelling}_{writer.made}"
                declared = writer.records.declare(kind, held[at])
                writer.place.before.append(declared if writer.place.decided else f"{declared} = {texts[at]}")
                first += f"{held[at]} = {texts[at]}, " if writer.place.decided else ""
        return held, first

    def count_uses(self, node: Any, variable: Any) -> int:
        """How often a piece of code names a variable."""
        named = node.kind == self.writer.k.DECL_REF_EXPR and node.referenced == variable
        return int(named) + sum(self.count_uses(c, variable) for c in node.get_children())

    def value_of_call(self, closure: Any, given: list[Any]) -> str:
        """What a lambda that a variable holds returns where it is called."""
        writer = self.writer
        texts = [writer.expressions.expression(a) for a in given]
        parameters = [c for c in closure.get_children() if c.kind == writer.k.PARM_DECL]
        body = [c for c in closure.get_children() if c.kind == writer.k.COMPOUND_STMT]
        texts, first = self.hold(parameters, texts, given, body[-1:])
        several = body and len(writer.parts(body[-1])) > 1 and not writer.place.decided
        before = list[str]() if several else None
        text = self.value(closure, texts, before)
        writer.place.before += [b.strip().removesuffix(";") for b in before or ()]
        return f"({first}{text})" if first else text

    def value(self, closure: Any, texts: list[str], before: list[str] | None = None) -> str:
        """What a lambda returns for some arguments. before : takes the statements that come first, where some may."""
        writer = self.writer
        statements, meaning, copies = self.body_of(closure, texts)
        outer = writer.place.meaning
        writer.place.meaning = {**outer, **meaning}
        if before is not None:
            self.rename_locals(statements[:-1])
        try:
            if (
                not statements
                or copies
                or statements[-1].kind != writer.k.RETURN_STMT
                or (len(statements) > 1 and before is None)
            ):
                raise NotPlainError(f"line {closure.location.line}: a lambda of several statements")
            if any(self.returns(s) for s in statements[:-1]):
                raise NotPlainError(f"line {closure.location.line}: a lambda that returns from several places")
            for statement in statements[:-1]:
                before.append(writer.statements.statement(statement))  # type: ignore[union-attr]
            return f"({writer.expressions.expression(writer.parts(statements[-1])[0])})"
        finally:
            writer.place.meaning = outer

    def call_lifted(self, closure: Any, texts: list[str]) -> str:
        """A call of a lambda that returns from several places, as that of a function of its own.

        Raises
        ------
        NotPlainError : it captures more than numbers.
        """
        writer = self.writer
        record = closure.type.get_canonical().get_declaration()
        methods = [c for c in record.get_children() if c.kind == writer.k.CXX_METHOD and c.spelling == "operator()"]
        captured = list(writer.closures.find_captures(closure, closure))
        real = (writer.t.FLOAT, writer.t.DOUBLE)
        plain = all(writer.variables.is_whole(v) or writer.records.bare(v.type).kind in real for v in captured)
        if len(methods) != 1 or not plain:
            raise NotPlainError(f"line {closure.location.line}: a lambda that returns from several places")
        holder = writer.expressions.expression_lambda_expr(closure)
        return f"{writer.function_name(methods[0])}({', '.join([holder, *texts])})"

    def rename_locals(self, statements: Sequence[Any]) -> None:
        """Give variables of a body that is written in place names that no other call of it has."""
        writer = self.writer
        for node in (n for s in statements if s.kind == writer.k.DECL_STMT for n in s.get_children()):
            if node.kind == writer.k.VAR_DECL:
                writer.made += 1
                writer.place.locals[node.get_usr()] = f"{node.spelling}_{writer.made}"

    def returns(self, node: Any) -> bool:
        """Whether a statement may end its function."""
        return node.kind == self.writer.k.RETURN_STMT or any(map(self.returns, self.writer.parts(node)))

    def call(self, closure: Any, texts: list[str]) -> str:
        """What a lambda does for some arguments, as statements."""
        writer = self.writer
        statements, meaning, copies = self.body_of(closure, texts)
        outer = writer.place.meaning
        writer.place.meaning = {**outer, **meaning}
        try:
            if any(map(self.returns, statements)):
                raise NotPlainError(f"line {closure.location.line}: a lambda that returns")
            return f"{{ {' '.join([*copies, *(writer.statements.statement(s) for s in statements)])} }}"
        finally:
            writer.place.meaning = outer

    def apply(self, node: Any, texts: list[str], before: list[str]) -> str:
        """What a function gives for some arguments. before : takes the statements that come first."""
        place = self.writer.place
        outer, place.before = place.before, []
        decided, place.decided = place.decided, False
        try:
            return self.apply_inside(node, texts, before)
        finally:
            before += [f"{b};" for b in place.before]
            place.before, place.decided = outer, decided

    def apply_inside(self, node: Any, texts: list[str], before: list[str]) -> str:
        """The same, with what comes first beside that before the statement that is written."""
        writer = self.writer
        closure = self.find_lambda(node)
        if closure is not None:
            several = sum(1 for n in writer.closures.walk(closure) if n.kind == writer.k.RETURN_STMT) > 1
            return self.call_lifted(closure, texts) if several else self.value(closure, texts, before)
        record = writer.records.bare(node.type).get_declaration()
        if record.spelling in SIGNS and writer.is_declared(record):
            form = SIGNS[record.spelling]
            return f"({form.format(*(texts * 2 if record.spelling == 'square' else texts))})"
        named = writer.host.find_reference(node, (writer.k.FUNCTION_DECL,))
        if named is not None and writer.find_body(named) is not None:
            return f"{writer.function_name(named)}({', '.join(texts)})"
        methods = [c for c in record.get_children() if c.kind == writer.k.CXX_METHOD and c.spelling == "operator()"]
        if len(methods) != 1 or writer.find_body(methods[0]) is None:
            raise NotPlainError(f"line {node.location.line}: a function object that is not followed")
        statements = writer.parts(writer.find_body(methods[0]))
        parameters = [p for p in methods[0].get_arguments() if p is not None]
        if len(statements) != 1 or statements[0].kind != writer.k.RETURN_STMT or len(parameters) != len(texts):
            raise NotPlainError(f"line {node.location.line}: a function object of several statements")
        writer.made += 1
        base = f"object_{writer.made}"
        if list(record.type.get_fields()):
            writer.place.before.append(
                f"{writer.records.declare(node.type, base)} = {writer.expressions.expression(node)}"
            )
        outer = writer.place.meaning, writer.place.this
        writer.place.meaning = {**outer[0], **{p.get_usr(): t for p, t in zip(parameters, texts, strict=True)}}
        writer.place.this = base
        try:
            return f"({writer.expressions.expression(writer.parts(statements[0])[0])})"
        finally:
            writer.place.meaning, writer.place.this = outer

    # ---- algorithms ----

    def write_transform(self, node: Any, given: list[Any]) -> str:
        """``transform(first, last, out, f)``, ``transform(first, last, other, out, f)``."""
        if len(given) not in (4, 5):
            raise NotPlainError(f"line {node.location.line}: 'transform' of {len(given)} arguments")
        counter, before = self.counter(), list[str]()
        texts = [self.element(self.text(n), counter) for n in (given[0], *given[2:-2])]
        value = self.apply(given[-1], texts, before)
        out = self.element(self.text(given[-2]), counter)
        return self.loop(counter, self.reach(*given[:2]), " ".join([*before, f"{out} = {value};"]))

    def write_for_each(self, node: Any, given: list[Any]) -> str:
        """``for_each(first, last, f)``."""
        return self.each(node, given[0], self.reach(*given[:2]), given[-1])

    def write_for_each_n(self, node: Any, given: list[Any]) -> str:
        """``for_each_n(first, n, f)``."""
        return self.each(node, given[0], self.text(given[1]), given[-1])

    def each(self, node: Any, first: Any, reach: str, function: Any) -> str:
        """A function of each element that may change it."""
        closure = self.find_lambda(function)
        if closure is None:
            raise NotPlainError(f"line {node.location.line}: 'for_each' of what is no lambda")
        counter = self.counter()
        return self.loop(counter, reach, self.call(closure, [self.element(self.text(first), counter)]))

    def write_swap(self, node: Any, given: list[Any]) -> str:
        """``swap(a, b)``: what follows knows it."""
        return f"swap({', '.join(self.writer.expressions.expression(a) for a in given)})"

    def write_copy(self, node: Any, given: list[Any]) -> str:
        """``copy(first, last, out)``."""
        counter = self.counter()
        source, out = (self.element(self.text(n), counter) for n in (given[0], given[2]))
        return self.loop(counter, self.reach(*given[:2]), f"{out} = {source};")

    def write_copy_n(self, node: Any, given: list[Any]) -> str:
        """``copy_n(first, n, out)``."""
        counter = self.counter()
        source, out = (self.element(self.text(n), counter) for n in (given[0], given[2]))
        return self.loop(counter, self.text(given[1]), f"{out} = {source};")

    def write_fill(self, node: Any, given: list[Any]) -> str:
        """``fill(first, last, value)``."""
        counter = self.counter()
        out = self.element(self.text(given[0]), counter)
        return self.loop(counter, self.reach(*given[:2]), f"{out} = {self.writer.expressions.expression(given[2])};")

    def write_gather(self, node: Any, given: list[Any]) -> str:
        """``gather(map, map + n, in, out)`` of thrust."""
        counter = self.counter()
        place = self.element(self.text(given[0]), counter)
        out = self.element(self.text(given[3]), counter)
        return self.loop(counter, self.reach(*given[:2]), f"{out} = {self.element(self.text(given[2]), place)};")

    def write_scatter(self, node: Any, given: list[Any]) -> str:
        """``scatter(first, last, map, out)`` of thrust."""
        counter = self.counter()
        source, place = (self.element(self.text(n), counter) for n in (given[0], given[2]))
        return self.loop(counter, self.reach(*given[:2]), f"{self.element(self.text(given[3]), place)} = {source};")

    def add_up(self, total: str, term: str, function: Any | None, before: list[str]) -> str:
        """What one more term makes of a total."""
        if function is None:
            return f"{total} += {term};"
        record = self.writer.records.bare(function.type).get_declaration().spelling
        if record == "plus":
            return f"{total} += {term};"
        return f"{total} = {self.apply(function, [total, term], before)};"

    def write_accumulate(self, node: Any, given: list[Any]) -> str:
        """``accumulate(first, last, start, f)``."""
        start = self.writer.expressions.expression(given[2]) if len(given) > 2 else "0"
        kind = given[2].type if len(given) > 2 else self.pointed(given[0])
        total, counter, before = self.total(kind, start), self.counter(), list[str]()
        term = self.element(self.text(given[0]), counter)
        work = self.add_up(total, term, given[3] if len(given) > 3 else None, before)
        self.loop(counter, self.reach(*given[:2]), " ".join([*before, work]))
        return total

    write_reduce = write_accumulate

    def write_inner_product(self, node: Any, given: list[Any]) -> str:
        """``inner_product(first, last, other, start, f, g)``."""
        total, counter, before = (
            self.total(given[3].type, self.writer.expressions.expression(given[3])),
            self.counter(),
            list[str](),
        )
        pair = [self.element(self.text(n), counter) for n in (given[0], given[2])]
        term = self.apply(given[5], pair, before) if len(given) > 5 else f"{pair[0]} * {pair[1]}"
        work = self.add_up(total, term, given[4] if len(given) > 4 else None, before)
        self.loop(counter, self.reach(*given[:2]), " ".join([*before, work]))
        return total

    def write_transform_reduce(self, node: Any, given: list[Any]) -> str:
        """``transform_reduce(first, last, start, f, g)``, with two arrays, and as thrust orders them."""
        pointers = [n.type.get_canonical().kind == self.writer.t.POINTER for n in given[:3]]
        if len(given) in (4, 6) and pointers[2]:
            return self.write_inner_product(node, given)
        if len(given) != 5:
            raise NotPlainError(f"line {node.location.line}: 'transform_reduce' of {len(given)} arguments")
        start, function, mapping = given[2:5]
        if self.writer.records.is_record(given[2].type) or self.find_lambda(given[2]) is not None:
            mapping, start, function = given[2:5]
        total, counter, before = (
            self.total(start.type, self.writer.expressions.expression(start)),
            self.counter(),
            list[str](),
        )
        term = self.apply(mapping, [self.element(self.text(given[0]), counter)], before)
        work = self.add_up(total, term, function, before)
        self.loop(counter, self.reach(*given[:2]), " ".join([*before, work]))
        return total

    def pointed(self, node: Any) -> Any:
        """The type of the elements after a place."""
        kind = node.type.get_canonical()
        if kind.kind != self.writer.t.POINTER:
            raise NotPlainError(f"line {node.location.line}: an algorithm over what is no array")
        return kind.get_pointee()

    def extreme(self, given: list[Any], sign: str) -> str:
        """The name of the largest or smallest element."""
        if len(given) > 2:
            raise NotPlainError(f"line {given[0].location.line}: an order of its own")
        counter = self.counter()
        element = self.element(self.text(given[0]), counter)
        total = self.total(self.pointed(given[0]), self.element(self.text(given[0]), "0"))
        function = "fmax" if sign == ">" else "fmin"
        self.loop(counter, self.reach(*given[:2]), f"{total} = {function}({total}, {element});")
        return total

    def place_of_extreme(self, given: list[Any], sign: str) -> tuple[str, str]:
        """The same, and the name of its index."""
        if len(given) > 2:
            raise NotPlainError(f"line {given[0].location.line}: an order of its own")
        counter, place = self.counter(), self.text(given[0])
        element = self.element(place, counter)
        total = self.total(self.pointed(given[0]), self.element(place, "0"))
        self.writer.made += 1
        at = f"place_{self.writer.made}"
        self.writer.place.before.append(f"long {at} = 0")
        work = f"if ({element} {sign} {total}) {{ {total} = {element}; {at} = {counter}; }}"
        self.loop(counter, self.reach(*given[:2]), work)
        return total, at

    def write_max_element(self, node: Any, given: list[Any]) -> str:
        """``max_element(first, last)``, as something that a star may stand before."""
        return f"(&{self.extreme(given, '>')})"

    def write_min_element(self, node: Any, given: list[Any]) -> str:
        """``min_element(first, last)``."""
        return f"(&{self.extreme(given, '<')})"

    def read_extreme(self, node: Any) -> tuple[list[Any], str] | None:
        """Arguments of a call of ``max_element`` or ``min_element``, and its sign; None for other expressions."""
        node = self.writer.peel(node)
        called = node.referenced if node.kind == self.writer.k.CALL_EXPR else None
        if called is None or called.spelling not in EXTREMES or not self.writer.is_declared(called):
            return None
        return self.writer.calls.arguments(node), EXTREMES[called.spelling]

    def find_index(self, node: Any) -> str | None:
        """The index of an extreme element, of a call or of the name that holds its place; None for other places."""
        if (call := self.read_extreme(node)) is not None:
            return self.place_of_extreme(*call)[1]
        node = self.writer.peel(node)
        held = node.referenced if node.kind == self.writer.k.DECL_REF_EXPR else None
        return self.writer.place.extremes.get(held.get_usr()) if held is not None else None

    def hold_extremes(self, node: Any, value: Any) -> bool:
        """Make a variable stand for an extreme element that it leads to, or two of both; whether it is one.

        Raises
        ------
        NotPlainError : it is used otherwise than as the element or its index.
        """
        value = self.writer.peel(value)
        several = value.kind == self.writer.k.CALL_EXPR and value.spelling == "minmax_element"
        call = (self.writer.calls.arguments(value), "") if several else self.read_extreme(value)
        if call is None or self.writer.place.on_host or self.writer.place.lenient:
            return False
        given, sign = call
        names = [c for c in node.get_children() if c.kind == self.writer.k.UNEXPOSED_DECL] or [node]
        ends = [".first", ".second"] if several and names == [node] else [""] * len(names)
        held = names * len(ends) if names == [node] else names
        ways = ("<", ">") if several else (sign,)
        before = len(self.writer.place.before)
        for name, end, way in zip(held, ends, ways, strict=True):
            spelled = re.escape(name.spelling + end)
            uses = self.writer.parsed.text[node.extent.end.offset :]
            indexed = re.search(rf"(?<![*\w]){spelled}\s*-|\bdistance\([^;]*\b{spelled}\b", uses)
            if re.search(rf"\*\s*{spelled}\s*(?:[-+*/]?=(?!=))|(?:\+\+|--){spelled}\b|\b{spelled}(?:\+\+|--)", uses):
                raise NotPlainError(f"line {node.location.line}: a place of an extreme element that is changed")
            total, at = self.place_of_extreme(given, way) if indexed else (self.extreme(given, way), "")
            key = (name.get_usr() or f"{name.location.offset}") + end
            self.writer.place.locals[key] = f"(&{total})"
            self.writer.place.extremes |= {key: at} if at else {}
        if several:
            self.join_loops(before)
        return True

    def join_loops(self, start: int) -> None:
        """Write loops over the same elements as one. start : where they begin in what comes before the statement."""
        lines = self.writer.place.before[start:]
        loops = [b for b in lines if b.startswith("for (")]
        counters, bodies = [b.split()[2] for b in loops], [b[b.index("{") + 1 : b.rindex("}")] for b in loops]
        inside = [re.sub(rf"\b{c}\b", counters[-1], b) for b, c in zip(bodies, counters, strict=True)]
        whole = f"{loops[-1][: loops[-1].index('{')]}{{ {' '.join(inside)} }}"
        self.writer.place.before[start:] = [*(b for b in lines if b not in loops), whole]

    def write_distance(self, node: Any, given: list[Any]) -> str:
        """``distance(first, last)``."""
        index = self.find_index(given[1])
        return index if index is not None else self.reach(*given[:2])

    def write_count_if(self, node: Any, given: list[Any]) -> str:
        """``count_if(first, last, f)``."""
        counter, before = self.counter(), list[str]()
        self.writer.made += 1
        total = f"total_{self.writer.made}"
        self.writer.place.before.append(f"long {total} = 0")
        holds = self.apply(given[2], [self.element(self.text(given[0]), counter)], before)
        self.loop(counter, self.reach(*given[:2]), " ".join([*before, f"if ({holds}) {total} += 1;"]))
        return total

    def write_count(self, node: Any, given: list[Any]) -> str:
        """``count(first, last, value)``."""
        counter = self.counter()
        self.writer.made += 1
        total, element = f"total_{self.writer.made}", self.element(self.text(given[0]), counter)
        self.writer.place.before.append(f"long {total} = 0")
        self.loop(counter, self.reach(*given[:2]), f"{total} += {element} == {self.text(given[2])};")
        return total

    def write_fill_n(self, node: Any, given: list[Any]) -> str:
        """``fill_n(first, n, value)``."""
        counter = self.counter()
        out = self.element(self.text(given[0]), counter)
        return self.loop(counter, self.text(given[1]), f"{out} = {self.writer.expressions.expression(given[2])};")

    def write_iota(self, node: Any, given: list[Any]) -> str:
        """``iota(first, last, value)``."""
        counter = self.counter()
        out = self.element(self.text(given[0]), counter)
        return self.loop(counter, self.reach(*given[:2]), f"{out} = {self.text(given[2])} + {counter};")

    def write_replace_if(self, node: Any, given: list[Any]) -> str:
        """``replace_if(first, last, f, value)``."""
        counter, before = self.counter(), list[str]()
        element = self.element(self.text(given[0]), counter)
        holds = self.apply(given[2], [element], before)
        value = self.writer.expressions.expression(given[3])
        return self.loop(counter, self.reach(*given[:2]), " ".join([*before, f"if ({holds}) {element} = {value};"]))

    def write_reverse(self, node: Any, given: list[Any]) -> str:
        """``reverse(first, last)``."""
        counter, reach, place = self.counter(), self.reach(*given[:2]), self.text(given[0])
        low, high = self.element(place, counter), self.element(place, f"({reach} - 1 - {counter})")
        held = self.writer.records.declare(self.pointed(given[0]), "held_")
        return self.loop(counter, f"({reach}) / 2", f"{held} = {low}; {low} = {high}; {high} = held_;")

    def write_adjacent_difference(self, node: Any, given: list[Any]) -> str:
        """``adjacent_difference(first, last, out, f)``."""
        counter, before = self.counter(), list[str]()
        source, out = self.text(given[0]), self.text(given[2])
        pair = [self.element(source, f"({counter} + 1)"), self.element(source, counter)]
        value = self.apply(given[3], pair, before) if len(given) > 3 else f"{pair[0]} - {pair[1]}"
        self.writer.place.before.append(f"{self.element(out, '0')} = {self.element(source, '0')}")
        work = " ".join([*before, f"{self.element(out, f'({counter} + 1)')} = {value};"])
        return self.loop(counter, f"{self.reach(*given[:2])} - 1", work)

    def write_partial_sum(self, node: Any, given: list[Any]) -> str:
        """``partial_sum(first, last, out, f)``, ``inclusive_scan``."""
        source, out = self.text(given[0]), self.text(given[2])
        total, counter = self.total(self.pointed(given[0]), self.element(source, "0")), self.counter()
        function, before = given[3] if len(given) > 3 else None, list[str]()
        if function is None or self.writer.records.bare(function.type).get_declaration().spelling == "plus":
            start = self.writer.place.before.pop().partition(" = ")[0]
            self.writer.place.before.append(f"{start} = 0")
            work = f"{total} += {self.element(source, counter)}; {self.element(out, counter)} = {total};"
            return self.loop(counter, self.reach(*given[:2]), work)
        work = self.add_up(total, self.element(source, f"({counter} + 1)"), function, before)
        self.writer.place.before.append(f"{self.element(out, '0')} = {total}")
        work = " ".join([*before, work, f"{self.element(out, f'({counter} + 1)')} = {total};"])
        return self.loop(counter, f"{self.reach(*given[:2])} - 1", work)

    write_inclusive_scan = write_partial_sum

    def write_exclusive_scan(self, node: Any, given: list[Any]) -> str:
        """``exclusive_scan(first, last, out, start, f)``."""
        total = self.total(self.pointed(given[0]), self.writer.expressions.expression(given[3]))
        counter, before = self.counter(), list[str]()
        source, out = self.text(given[0]), self.element(self.text(given[2]), counter)
        # Code may put sums where their terms were.
        held = self.writer.records.declare(self.pointed(given[0]), "held_")
        work = self.add_up(total, "held_", given[4] if len(given) > 4 else None, before)
        line = " ".join([f"{held} = {self.element(source, counter)}; {out} = {total};", *before, work])
        return self.loop(counter, self.reach(*given[:2]), line)

    def write_min(self, node: Any, given: list[Any]) -> str | None:
        """``min({a, b, c})``."""
        return self.choose_of_list(given, "min")

    def write_max(self, node: Any, given: list[Any]) -> str | None:
        """``max({a, b, c})``."""
        return self.choose_of_list(given, "max")

    def write_sort(self, node: Any, given: list[Any]) -> str:
        """``sort(first, last, f)``, where the order is one of the elements alone."""
        tokens = [t.spelling for t in given[2].get_tokens()][:2] if len(given) > 2 else []
        if tokens[:1] == ["["] and tokens != ["[", "]"]:
            raise NotPlainError(f"line {node.location.line}: an order by other elements")
        first, last = (self.writer.expressions.expression(a) for a in given[:2])
        return f"{node.spelling}({first}, {last})"

    write_stable_sort = write_sort

    def write_bit_cast(self, node: Any, given: list[Any]) -> str | None:
        """``bit_cast<float>(word)``."""
        kinds = [self.writer.records.bare(k) for k in (given[0].type, node.type)]
        real = [k.kind in (self.writer.t.FLOAT, self.writer.t.DOUBLE) for k in kinds]
        sizes = {k.get_size() for k in kinds}
        text = self.writer.expressions.expression(given[0])
        if len(sizes) > 1 or not sizes <= {4, 8} or any(map(self.writer.records.is_record, kinds)):
            raise NotPlainError(f"line {node.location.line}: 'bit_cast' of what is no number of 4 or 8 bytes")
        if real[0] == real[1]:
            return f"({text})"
        whole, wide = ("longlong", "double") if 8 in sizes else ("uint", "float")
        names = (wide, whole) if real[0] else (whole, wide)
        return f"__{names[0]}_as_{names[1]}({text})"

    def write_clamp(self, node: Any, given: list[Any]) -> str | None:
        """``clamp(x, low, high)``."""
        if len(given) != 3:
            return None
        value, low, high = (self.writer.expressions.expression(a) for a in given)
        return f"min(max({value}, {low}), {high})"

    def choose_of_list(self, given: list[Any], function: str) -> str | None:
        """The smallest or the largest of a list; None where a call is of something else."""
        listed = self.find_list(given[0]) if len(given) == 1 else None
        if listed is None:
            return None
        texts = [self.writer.expressions.expression(item) for item in listed]
        whole = str(texts[0])
        for text in texts[1:]:
            whole = f"{function}({whole}, {text})"
        return whole

    def find_list(self, node: Any) -> list[Any] | None:
        """The items of a list that is handed on; None for what is none."""
        for _ in range(4):
            node = self.writer.peel(node)
            if node.kind == self.writer.k.INIT_LIST_EXPR:
                return list(self.writer.parts(node))
            parts = self.writer.parts(node)
            if len(parts) != 1:
                return None
            node = parts[0]
        return None

    # ---- loops over what holds elements ----

    def range_loop(self, variable: Any, ranged: Any, kind: Any, body: Any) -> str | None:
        """``for (auto &x : v)`` over a vector, an array or a span; None for what holds its elements otherwise."""
        writer = self.writer
        members = {f.spelling: f for f in kind.get_fields()} if kind.kind == writer.t.RECORD else {}
        counter = self.counter()
        if kind.kind == writer.t.CONSTANTARRAY:
            element, reach = f"{writer.expressions.expression(ranged)}[{counter}]", str(kind.element_count)
        elif "data_" in members and writer.is_declared(kind.get_declaration()):
            text, held = self.text(ranged), members["data_"].type.get_canonical()
            reach = str(held.element_count) if held.kind == writer.t.CONSTANTARRAY else f"{text}.n_"
            element = f"{text}.data_[{counter}]"
        elif (member := self.find_elements(kind)) is not None:
            element, reach = (f"{self.text(ranged)}.{member}.{of}" for of in (f"data_[{counter}]", "n_"))
        else:
            return None
        key = variable.get_usr()
        head = ""
        names = [c for c in variable.get_children() if c.kind == writer.k.UNEXPOSED_DECL]
        if names:
            # ``for (auto &[x, y] : v)``
            head = writer.variables.name_parts(variable, names, element)
        elif writer.records.is_reference(variable.type) and (
            not writer.is_constant(variable.type) or writer.records.bare(variable.type).kind == writer.t.CONSTANTARRAY
        ):
            writer.place.locals[key] = element
        else:
            head = f"{writer.records.declare(variable.type, writer.variables.local_name(variable))} = {element};"
        inside = writer.statements.statement(body)
        return f"for (long {counter} = 0; {counter} < {reach}; {counter}++) {{ {head} {inside} }}"

    def find_elements(self, kind: Any) -> str | None:
        """The vector that an object of the file gives the elements of: ``begin() { return data_.begin(); }``."""
        writer = self.writer
        declared = kind.get_declaration() if kind.kind == writer.t.RECORD else None
        member = find_begin(declared, writer) if declared is not None else None
        whole = None if declared is None or member is not None else find_template(declared)
        member = member or (find_begin(whole, writer) if whole is not None else None)
        fields = {f.spelling: f for f in kind.get_fields()} if member else {}
        held = writer.records.bare(fields[member].type).get_declaration() if member in fields else None
        return writer.records.member(member) if held is not None and held.spelling == "vector" else None


def find_begin(declared: Any, writer: Any) -> str | None:
    """The member whose ``begin()`` that of a class is."""
    for method in declared.get_children():
        if method.kind == writer.k.CXX_METHOD and method.spelling == "begin":
            tokens = " ".join(t.spelling for t in method.get_tokens())
            if match := re.search(r"return (\w+) \. c?begin \( \) ;", tokens):
                return match[1]
    return None


def find_template(declared: Any) -> Any | None:
    """The template that a class is an instance of."""
    from clang import cindex

    whole = cindex.conf.lib.clang_getSpecializedCursorTemplate(declared)
    return whole if whole is not None and whole.spelling else None


def strip_parentheses(text: str) -> str:
    """Text without the parentheses that are around all of it."""
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for at, sign in enumerate(text):
            depth += (sign == "(") - (sign == ")")
            if depth == 0 and at < len(text) - 1:
                return text
        text = text[1:-1]
    return text
