"""What a CUDA file's host code says of its kernels: launches, sizes, allocations and types of templates.

Statements are followed in the order of ``main`` into the functions of the file, with a value for each whole number that
the file states. What loops change, what comes from the command line or from files, has none; a number that only an
argument of the command line replaces keeps the value that it has without.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.c_text import split_arguments
from roofcast_hull.source.host_filling import Filling
from roofcast_hull.source.host_numbers import UnknownNumberError, find_type_bytes
from roofcast_hull.source.host_scope import (
    ASSIGNMENT,
    HELD,
    LENGTH,
    PLACE,
    STEPPED,
    Scope,
    answer_query,
    find_heap_bytes,
    list_turns,
    read_shape,
)
from roofcast_hull.source.host_text import (
    CALLED,
    DECLARATION,
    LONGEST,
    Function,
    find_break,
    find_functions,
    find_launching,
    find_structures,
    list_labels,
    measure_structures,
    split_items,
    split_statement,
    writes_back,
)
from roofcast_hull.source.methods import MAKER

LAUNCH = re.compile(
    r"(?P<name>[A-Za-z_]\w*(?:(?:\.|->)\w+|\[[^\[\]]*\])*)\s*(?:<(?P<types>[^<>;{}()]*)>)?\s*<<<(?P<shape>.*?)>>>\s*(?=\()",
    re.DOTALL,
)
ALLOCATION = re.compile(r"\b(?:cuda|hip)Malloc(?:Managed|Async|Host|Pitch)?\s*(?:<[^<>]*>)?\s*(?=\()")
NO_TYPES = frozenset(
    {"return", "delete", "goto", "else", "case", "using", "throw", "new", "typedef", "break", "continue"}
)
ENUMERATION = re.compile(r"(?:typedef\s+)?enum\b[^{}()]*\{(.*)\}\s*\w*", re.DOTALL)
ROWS = re.compile(
    r"(?:(?:const|static)\s+)*(?P<type>[\w ]+?)\s*\(\s*\*\s*(?:restrict\s+)?(?P<name>[A-Za-z_]\w*)\s*\)"
    r"\s*(?P<rows>(?:\[[^\]]*\]\s*)+)=\s*(?P<value>.*)", re.DOTALL
)  # fmt: skip
"""An address of arrays, with what it is given."""
RETURNS = re.compile(r"\breturn\b\s*[^;\s]")
MOST_ITEMS = 64
"""Items of an array that the host writes out."""
RETURNED = re.compile(r"\s*return\b([^;]+);\s*")
PATH = r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*|\[\d+\])*"
"""A name, or what is inside of a structure."""
BEHIND = ".at_"
"""What a name ends in for what it leads to: ``*n`` is ``n.at_``."""
LEADS = re.compile(r"\*\s*\(?\s*(?P<name>[A-Za-z_]\w*)\s*\)?\s*(?P<op>[-+*/%|&^]|<<|>>)?=(?!=)(?P<value>.*)", re.DOTALL)
RESULT = "return"
"""The name of what a function returns."""
LABELS = re.compile(r"\s*(?:case\b[^:;{}]*|default\s*):")
OPTIONS = re.compile(r"\bgetopt(?:_long(?:_only)?)?\s*\(")
LEAVES = re.compile(r"\b(?:_?exit|abort|return)\b")
QUERIES = re.compile(
    r"\b(?:cuda|hip)(?P<what>GetDeviceProperties|DeviceGetAttribute|OccupancyMaxPotentialBlockSize"
    r"|OccupancyMaxActiveBlocksPerMultiprocessor)\w*\s*(?:<[^<>]*>\s*)?(?=\()"
)
CHANGED = re.compile(
    rf"(?<![\w.>])({PATH})\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*({PATH})|(?<![\w.>])({PATH})\s*(?:\+\+|--)"
)
"""What a statement gives another value: a name, or a member alone."""
LITERAL = re.compile(r"\s*\(?\s*(?:struct\s+)?([A-Za-z_]\w*)\s*\)?\s*\{(.*)\}\s*", re.DOTALL)
"""A structure as a value: ``(Mat){p, rows, cols}``."""
HANDED = "_handed"
"""How names end of structures that have no name where they are handed over."""
CALL = re.compile(
    rf"(?:(?P<kind>[\w\s]+?[\s*]+)?(?P<target>{PATH})\s*=\s*)?(?P<name>[A-Za-z_]\w*)\s*(?:<[^<>]*>\s*)?(?=\()"
)
"""A call at the start of a statement, with the name that takes its result."""
PITCH_BYTES = 512
"""Rows of pitched memory start at multiples of this (an assumption: the runtime may take more)."""
VECTOR = re.compile(r"(?:std\s*::\s*)?vector\s*<\s*([\w:\s]+?)\s*>")
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
GIVEN = re.compile(r"arg|\b(?:std\s*::\s*)?(?:ato(?:i|l|ll|f)|strto\w+|sto(?:i|l|ul|ll|ull|d|f)|getenv)\s*\(")
"""What a value says that comes from the command line or the environment."""
MOST_STATEMENTS = 20_000
"""Statements of the host that are followed, loops included."""
DEEPEST = 8
"""Functions of the host that call each other, one inside the other."""


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch of a kernel, as far as the file says it."""

    kernel: str
    line: int
    grid: tuple[int, ...] | None
    """Blocks along x, y, z; None where the file does not say it."""
    block: tuple[int, ...] | None
    arguments: tuple[float | None, ...]
    """Values of the arguments that are known numbers."""
    bytes_of: tuple[int | None, ...]
    """Allocated bytes of the arguments that are pointers."""
    types: tuple[str, ...]
    """Declared types of the arguments; '' where they are no plain names."""
    template: tuple[str, ...] = ()
    """What stands for the parameters of a template, numbers evaluated."""
    names: tuple[str, ...] = ()
    members: tuple[Mapping[str, float], ...] = ()
    """Of arguments that are structures: known numbers in them, ``.n`` or ``.sizes[0]``."""
    held_members: tuple[Mapping[str, int], ...] = ()
    """Of arguments that are structures: allocated bytes of the pointers in them."""
    looped: bool = False
    """Whether a loop of the host code launches it."""
    idle: bool = False
    """Whether it stands under a condition that does not hold."""
    empty: str = ""
    """What its shape says where that is less than one block or thread: no GPU launches it."""
    filled: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """What the host has filled arrays with, by the names of the kernel, where that is asked for."""


class HostReader:
    """Follows the host code of a file."""

    def __init__(
        self, text: str, kernels: Mapping[str, bool], defined: Mapping[str, int],
        given: Mapping[str, int] | None = None, filled: tuple[str, Collection[str]] | None = None,
    ) -> None:  # fmt: skip
        """Read the file.

        given : values that come before those that names are declared with. filled : a kernel, and its arrays of which
        is asked what the host fills them with.
        """
        # Options are written with dashes, messages with braces: none of it is code.
        text = STRING.sub(lambda m: m[0] if m[0] == '"C"' else '""', text)
        every = list(find_functions(text))
        self.functions = {f.name: f for f in every if f.name not in kernels}
        self.kernel_functions = {f.name: f for f in every if f.name in kernels}
        self.structures = find_structures(text)
        self.records = measure_structures(text, defined)
        self.filling: Filling | None = None
        if filled and (asked := self.kernel_functions.get(filled[0])) is not None:
            self.filling = Filling(*filled, self.functions, asked, text, self.structures)
        self.kernels = kernels
        self.launches: dict[str, list[Launch]] = {}
        self.calls: dict[str, list[Launch]] = {}
        """Calls of the file's own functions, where they are asked for."""
        self.notes_calls = False
        small: dict[str, Any] = {
            n: (tuple(p for _, p in f.parameters), m[1])
            for n, f in self.functions.items() if (m := RETURNED.fullmatch(f.body))
        }  # fmt: skip
        known: dict[str, float] = {**defined, **(given or {})}
        self.outside = Scope(known, small=small, given=given or {}, records=self.records)
        self.launching = find_launching(self.functions)
        self.computing = 0
        """Functions around whose results expressions ask for."""
        for name, function in self.functions.items():
            is_small = name not in self.launching and name not in small and len(function.body) < LONGEST
            if is_small and RETURNS.search(function.body):
                small[name] = partial(self.compute, function)
        self.statements = 0
        self.idle = 0
        """Conditions around that do not hold."""
        self.loops = 0
        """Loops around the statement that is followed."""
        self.read: set[str] = set()
        inside = sorted((f.start, f.end) for f in find_functions(text))
        at, plain = 0, []
        for start, end in inside:
            plain.append(text[at:start] + ";" + "\n" * text.count("\n", start, end))
            at = max(at, end)
        self.walk("".join([*plain, text[at:]]), self.outside, 1, 0)
        self.outside.own.clear()

    def follow(self) -> dict[str, list[Launch]]:
        """Launches of each kernel."""
        host = [f for f in self.functions.values() if "<<<" in f.body or f.name == "main"]
        for function in sorted(host, key=lambda f: f.name != "main"):
            if function.name not in self.read:
                self.enter(function, self.open_scope(function), 0)
        return self.launches

    def open_scope(self, function: Function) -> Scope:
        """What a function knows that nobody calls; ``main`` is called without arguments."""
        scope = self.outside.inner()
        scope.types |= {n: t for t, n in function.parameters}
        scope.own |= {n for _, n in function.parameters}
        for _, name in function.parameters:
            scope.forget(name)
        if function.name == "main" and function.parameters:
            scope.values[function.parameters[0][1]] = 1
        return scope

    def follow_calls(self, wanted: str) -> dict[str, list[Launch]]:
        """Calls of each function, from ``main`` on; where it does not come to one, from functions that name it."""
        self.notes_calls = True
        for name, function in sorted(self.functions.items(), key=lambda f: f[0] != "main"):
            calls = name == "main" or re.search(rf"\b{re.escape(wanted)}\s*\(", function.body)
            if calls and name != wanted and wanted not in self.calls:
                self.enter(function, self.open_scope(function), 0)
        return self.calls

    def compute(self, function: Function, *values: float) -> float:
        """What a function of numbers returns.

        Raises
        ------
        UnknownNumberError : the file does not say it.
        """
        if self.computing >= DEEPEST or len(values) > len(function.parameters):
            raise UnknownNumberError(function.name)
        scope = self.outside.inner()
        for (kind, name), value in zip(function.parameters, values, strict=False):
            scope.forget(name)
            scope.types[name] = kind
            scope.own.add(name)
            if math.isfinite(value):
                scope.values[name] = value
        notes, self.notes_calls = self.notes_calls, False
        self.computing += 1
        try:
            scope.level = self.loops
            self.walk(function.body, scope, function.line, 0)
        finally:
            self.computing -= 1
            self.notes_calls = notes
        if scope.open or RESULT not in scope.values:
            raise UnknownNumberError(function.name)
        return scope.values[RESULT]

    def enter(self, function: Function, scope: Scope, depth: int) -> None:
        """Follow one function."""
        self.read.add(function.name)
        scope.level = self.loops
        self.walk(function.body, scope, function.line, depth)

    def walk(self, text: str, scope: Scope, line: int, depth: int, conditional: bool = False) -> None:
        """Statements one after the other; blocks of conditions may not have run, those of loops run often."""
        at, taken = 0, None
        while at < len(text) and not scope.ended:
            start = at + len(text[at:]) - len(text[at:].lstrip())
            if start >= len(text):
                return
            here = line + text.count("\n", 0, start)
            end, header, body = split_statement(text, start)
            self.statements += 1
            if self.statements > MOST_STATEMENTS:
                return
            if body is None:
                taken = None
                self.statement(header, scope, here, depth, conditional)
                at = end
                continue
            word = match[0] if (match := re.match(r"\w*", header)) else ""
            inside = header[header.find("(") + 1 : header.rfind(")")] if "(" in header else ""
            started = line + text.count("\n", 0, text.find(body, start + len(header)) if body else start)
            if word in ("for", "while", "do"):
                taken = None
                self.turn(word, inside, body, scope, (here, started), depth, conditional)
            elif word == "switch":
                taken = None
                self.note_calls(header, scope, here, depth)
                self.choose_case(scope.number(inside), body, scope, started, depth, conditional)
            else:
                self.note_calls(header, scope, here, depth)
                self.follow_inside(inside, scope, depth)
                condition = scope.number(inside)
                if condition and word == "if" and self.wants_options(inside, body):
                    # It ends without arguments: it has some, then.
                    for name in {m[0] for m in re.finditer(r"\w*argc\w*", inside)}:
                        scope.forget(name)
                    condition = 0
                taken, runs = choose_branch(taken, word, text.startswith("else", start), condition)
                if runs is False:
                    self.walk_idle(body, scope, started, depth)
                else:
                    unsure = word in ("if", "else") and runs is None
                    self.walk(body, scope, started, depth, conditional or unsure)
            at = end

    def wants_options(self, condition: str, body: str) -> bool:
        """Whether a branch ends the program for it has too few arguments."""
        if "argc" not in condition:
            return False
        called = (self.functions[n].body for n in CALLED.findall(body) if n in self.functions)
        return any(LEAVES.search(b) for b in (body, *called))

    def walk_idle(self, body: str, scope: Scope, line: int, depth: int) -> None:
        """What does not run: its launches stand for kernels that nothing else launches."""
        self.idle += 1
        self.walk(body, scope.inner(), line, depth, True)
        self.idle -= 1

    def turn(
        self, word: str, header: str, body: str, scope: Scope, lines: tuple[int, int], depth: int, conditional: bool
    ) -> None:  # fmt: skip
        """A loop: once, at half way of its counter; one without turns is idle."""
        first, _, rest = header.partition(";") if word == "for" else ("", "", header)
        self.statement(first, scope, lines[0], depth, conditional)
        self.note_calls(rest, scope, lines[0], depth)
        condition = rest.partition(";")[0]
        if word != "do" and condition and (OPTIONS.search(condition) or scope.number(condition) == 0):
            self.walk_idle(body, scope, lines[1], depth)
            return
        after: dict[str, float] | None = None
        if self.filling is not None:
            head = f"{word} ({header})" if word != "do" else "do"
            whole = f"{head} {{ {body} }}" if word != "do" else f"do {{ {body} }} while ({header});"
            after = self.filling.run_loop(whole, body, scope, runs=self.surely_runs(conditional))
            self.filling.running += after is not None
        counter, turns = self.enter_loop(rest, body, scope)
        self.loops += 1
        every: list[float | None] = [*turns, *([] if turns else [None])]
        for value in every:
            if value is not None:
                scope.values[counter] = value
            self.walk(body, scope, lines[1], depth, conditional)
        self.loops -= 1
        scope.forget(counter)
        if self.filling is not None and after is not None:
            self.filling.running -= 1
            scope.values |= after

    def choose_case(
        self, value: float | None, body: str, scope: Scope, line: int, depth: int, conditional: bool
    ) -> None:  # fmt: skip
        """The statements behind the label of a value; all of them as under a condition where it is not known."""
        marks = list_labels(body)
        if value is None or not marks:
            self.walk(body, scope, line, depth, True)
            return
        labels = [(scope.number(label), at) for at, label in marks]
        begin = next((at for n, at in labels if n == value), next((at for at, m in marks if m == ""), len(body)))
        end = find_break(body, begin)
        for start, stop in ((0, begin), (end, len(body))):
            self.walk_idle(body[start:stop], scope, line + body.count("\n", 0, start), depth)
        self.walk(body[begin:end], scope, line + body.count("\n", 0, begin), depth, conditional)

    def enter_loop(self, rest: str, body: str, scope: Scope) -> tuple[str, list[float]]:
        """A loop's counter, and its value half way; of a loop over an array of kernels every one.

        What turns change else has no value. rest : condition and step.
        """
        condition, _, step = rest.partition(";")
        counter = next((next(g for g in m.groups() if g) for m in CHANGED.finditer(step)), "")
        start = scope.values.get(counter)
        turned = f"{rest};{body}"
        for match in CHANGED.finditer(turned):
            # A loop over the options of the command line: without options the value is that from before.
            if match[1] is None or not GIVEN.search(turned[match.end() :].partition(";")[0]):
                scope.forget(next(g for g in match.groups() if g).replace("->", "."))
        if start is None or "," in step or any(counter in m.groups() for m in CHANGED.finditer(body)):
            return counter, []
        turns = list_turns(counter, start, condition, step, scope)
        arrays = re.findall(rf"([A-Za-z_][\w.]*)\s*\[\s*{counter}\s*\]", body)
        if len(turns) <= MOST_ITEMS and any(k.startswith(f"{a}[") for a in arrays for k in scope.functions):
            return counter, turns
        return counter, turns[len(turns) // 2 :][:1]

    def statement(self, text: str, scope: Scope, line: int, depth: int, conditional: bool) -> None:
        """One plain statement."""
        text = text.strip()
        while label := LABELS.match(text):
            text = text[label.end() :].strip()
        if not text or self.declare_specially(text, scope):
            return
        if match := LAUNCH.search(text):
            self.launch(match, text, scope, line, depth)
            return
        self.note_calls(text, scope, line, depth)
        if (query := QUERIES.search(text)) and (asked := split_arguments(text[query.end() :])):
            answer_query(query["what"], asked[0], scope)
        if re.match(r"return\b", text):
            self.give_back(text[len(RESULT) :].strip(), scope, depth, conditional)
        elif match := ALLOCATION.search(text):
            self.allocate(split_arguments(text[match.end() :]), scope, "Pitch" in match[0])
        elif not self.change_or_call(text, scope, depth, conditional):
            declared = DECLARATION.fullmatch(text)
            if declared and declared["type"].split()[0] not in NO_TYPES:
                for item in split_items(declared["rest"]):
                    self.declare(declared["type"], item.strip(), scope)

    def change_or_call(self, text: str, scope: Scope, depth: int, conditional: bool) -> bool:
        """Follow a statement that calls a function of the file or gives a name a value; whether it is one of these."""
        called = self.state_call(text, scope, depth)
        changes = called or self.change(text, scope, conditional)
        if self.filling is not None:
            self.filling.state(text, scope, runs=self.surely_runs(conditional), followed=called)
        return changes

    def surely_runs(self, conditional: bool) -> bool:
        """Whether a statement runs once: no loop or condition around leaves that open."""
        return not (conditional or self.loops or self.idle)

    def state_call(self, text: str, scope: Scope, depth: int) -> bool:
        """Follow the calls of a statement; whether it is one of a function of the file, its result taken or not."""
        called = CALL.match(text)
        function = self.find_called(called["name"], scope) if called else None
        if called is None or function is None:
            self.follow_inside(text, scope, depth)
            return False
        arguments = split_arguments(text[called.end() :])
        is_whole = arguments is not None and not text[called.end() + arguments[1] :].strip()
        target = called["target"] if is_whole else ""
        followed = self.call(function, arguments, scope, depth, target)
        self.follow_inside(text[called.end() :], scope, depth)
        if followed and target and called["kind"]:
            scope.own.add(target)
            scope.types[target] = called["kind"].strip()
        return (followed and is_whole) or not called["target"]

    def find_called(self, name: str, scope: Scope) -> Function | None:
        """A function of the file, by its name or an address of it."""
        return self.functions.get(name) or self.functions.get(scope.functions.get(name, ""))

    def change(self, text: str, scope: Scope, conditional: bool) -> bool:
        """``n = 5``, ``*n = 5``, ``n++``; whether a statement is one of these."""
        if leads := LEADS.fullmatch(text):
            self.assign(f"{leads['name']}{BEHIND}", leads["op"], leads["value"], scope, conditional)
        elif assigned := ASSIGNMENT.fullmatch(text):
            if (name := scope.resolve(assigned["name"])) is not None:
                self.assign(name, assigned["op"], assigned["value"], scope, conditional)
        elif STEPPED.fullmatch(text):
            self.assign(re.sub(r"\W", "", text), "+" if "+" in text else "-", "1", scope, conditional)
        else:
            return False
        return True

    def give_back(self, value: str, scope: Scope, depth: int, conditional: bool) -> None:
        """``return value``: what is known of it, and the end of the function where no condition is around."""
        if scope.ended:
            return
        before = scope.inner()
        if value:
            self.take_result(RESULT, value, scope, depth)
        if conditional:
            same = scope.values.get(RESULT) is not None and scope.values.get(RESULT) == before.values.get(RESULT, None)
            scope.open = scope.open or not same
        elif self.loops == scope.level:
            scope.ended = True

    def take_result(self, name: str, value: str, scope: Scope, depth: int) -> None:
        """A name for the value of an expression, which may be a call of a function of the file."""
        called = CALL.match(value)
        arguments = split_arguments(value[called.end() :]) if called else None
        if called and not called["target"] and called["name"] in self.functions and arguments:
            is_whole = not value[called.end() + arguments[1] :].strip()
            if (
                self.call(self.functions[called["name"]], arguments, scope, depth, name if is_whole else "")
                and is_whole
            ):
                return
        self.set_value(name, value, scope)

    def follow_inside(self, text: str, scope: Scope, depth: int) -> None:
        """Follow what launches or allocates inside of an expression: ``printf("%g", run(n))``."""
        if match := ALLOCATION.search(text):
            self.allocate(split_arguments(text[match.end() :]), scope, "Pitch" in match[0])
        for match in CALLED.finditer(text):
            function = self.find_called(match[1], scope)
            if function is not None and function.name in self.launching:
                self.call(function, split_arguments(text[match.end() :]), scope, depth, "")

    def declare_specially(self, text: str, scope: Scope) -> bool:
        """Names of an enumeration, or an address of rows; whether a statement is one."""
        if match := ENUMERATION.fullmatch(text):
            self.enumerate_names(match[1], scope)
        elif match := ROWS.fullmatch(text):
            self.declare_rows(match, scope)
        return match is not None

    def enumerate_names(self, items: str, scope: Scope) -> None:
        """``enum { ROWS = 512, COLS = 2 * ROWS }``."""
        value: float | None = -1
        for item in split_items(items):
            name, _, stated = (p.strip() for p in item.partition("="))
            value = scope.number(stated) if stated else value if value is None else value + 1
            scope.forget(name)
            if name and value is not None:
                scope.values[name] = value

    def declare_rows(self, match: re.Match[str], scope: Scope) -> None:
        """``double (*v)[2] = malloc(n * sizeof *v);``, an address of rows."""
        name, kind = match["name"], match["type"]
        scope.forget(name)
        scope.types[name] = f"{kind} *"
        scope.allocated.pop(name, None)
        lengths = [scope.number(n) for n in re.findall(r"\[([^\[\]]*)\]", match["rows"])]
        size = find_type_bytes(kind, scope.records)
        if size and None not in lengths:
            row = size * math.prod(int(n) for n in lengths if n is not None)
            of_row = rf"\bsizeof\s*(?:\(\s*\*\s*{name}\s*\)|\*\s*{name}\b)"
            held = find_heap_bytes(re.sub(of_row, str(row), match["value"]), scope)
            scope.allocated |= {name: held} if held else {}

    def declare(self, kind: str, item: str, scope: Scope) -> None:
        """``float *p = ...``, ``dim3 block(16, 16)``, ``const int n = 1024``."""
        match = re.match(
            r"(?P<stars>[\s*&]*)(?:const\s+|__restrict__\s+)?(?P<name>[A-Za-z_]\w*)\s*(?P<rest>.*)", item, re.DOTALL
        )
        if match is None:
            return
        name, rest = match["name"], match["rest"]
        scope.own.add(name)
        if rest.startswith("["):
            self.declare_array(name, kind, rest, scope)
            return
        if not rest.startswith("=") or not re.search(rf"\b{name}\b", rest):
            scope.forget(name)
        scope.types[name] = f"{kind} {'*' * match['stars'].count('*')}".strip()
        scope.allocated.pop(name, None)
        if (vector := VECTOR.fullmatch(kind)) and (call := split_arguments(rest)):
            length, size = scope.number(call[0][0]), find_type_bytes(vector[1], scope.records)
            if length is not None and size:
                scope.allocated[name] = int(length) * size
            return
        value = rest[1:].strip() if rest.startswith("=") else rest
        if value.startswith("{") and value.endswith("}"):
            value = self.fill(name, kind, value[1:-1], scope)
        if not value:
            if "dim3" in kind:
                scope.values |= {f"{name}.{a}": 1 for a in "xyz"}
            return
        self.set_value(name, value, scope)
        if name in scope.given and "*" not in scope.types[name]:
            scope.values[name] = scope.given[name]

    def declare_array(self, name: str, kind: str, rest: str, scope: Scope) -> None:
        """``int sizes[3] = {64, 128, 256}``, ``float a[N]``."""
        scope.forget(name)
        scope.types[name] = kind
        scope.allocated.pop(name, None)
        head, _, value = rest.partition("=")
        lengths = [scope.number(n) for n in re.findall(r"\[([^\[\]]*)\]", head)]
        items = split_items(value.strip()[1:-1]) if value.strip().startswith("{") else []
        if lengths[:1] == [None] and items:
            lengths[0] = len(items)
        size = find_type_bytes(kind, scope.records)
        if size and all(n is not None for n in lengths):
            scope.allocated[name] = math.prod(int(n) for n in lengths if n is not None) * size
            self.fill_array(name, "", scope.allocated[name], scope, zero=scope is self.outside or bool(items))
        if len(items) > MOST_ITEMS:
            return
        for at, item in enumerate(items):
            place, plain = f"{name}[{at}]", item.strip()
            if plain.startswith("{") and plain.endswith("}"):
                plain = self.fill(place, kind, plain[1:-1], scope)
            if plain:
                scope.types[place] = kind
                self.set_value(place, plain, scope)
                if (array := scope.arrays.get(name)) is not None and at < array.elements:
                    number = scope.values.get(place)
                    array.read()[at] = int(number) if number is not None else None

    def fill(self, name: str, kind: str, items: str, scope: Scope) -> str:
        """``struct grid g = {640, 480}``, ``{.n = 5000}``; the braces where a type is no structure of the file."""
        members = self.structures.get(kind.rsplit(maxsplit=1)[-1])
        if members is None:
            return f"({items})"
        places = [*members, *("" for _ in range(items.count(",")))]
        for place, item in zip(places, split_items(items), strict=False):
            named = re.fullmatch(r"\s*\.\s*(\w+)\s*=\s*(.*)", item, re.DOTALL)
            label, value = named.groups() if named else (place, item)
            if label in members:
                scope.types[f"{name}.{label}"] = members[label]
                self.set_value(f"{name}.{label}", value.strip(), scope)
        return ""

    def set_value(self, name: str, value: str, scope: Scope) -> None:
        """Give a name what an expression says, of whichever type."""
        if (literal := LITERAL.fullmatch(value)) and literal[1] in self.structures:
            scope.forget(name)
            self.fill(name, literal[1], literal[2], scope)
            return
        kind = scope.types.get(name, "")
        bare = re.sub(r"\([^()]*\*\s*\)|\w+_cast\s*<[^<>]*>|[()&]", "", value).strip()
        path = scope.resolve(bare)
        shape = read_shape(value, scope) if "dim3" in kind or re.match(r"\s*dim3\b", value) else None
        number = None if shape or "dim3" in kind or "*" in kind else scope.number(value)
        if number is None and GIVEN.search(value) and (choice := re.search(r"\?(.*):(.*)", value, re.DOTALL)):
            # argc > 1 ? atoi(argv[1]) : 1024
            number = next((n for n in map(scope.number, (choice[2], choice[1])) if n is not None), None)
        heap = find_heap_bytes(value, scope) if "*" in kind else None
        held = scope.allocated.get(path or bare) or heap
        leads = bare if bare in self.kernels or bare in self.functions else scope.functions.get(path or "")
        inside = scope.inner() if path is not None and path != name else None
        scope.forget(name)
        if inside is not None and path is not None:
            scope.copy_members(inside, path, name)
        if shape is not None:
            scope.values |= {f"{name}.{a}": v for a, v in zip("xyz", shape, strict=True)}
        if leads:
            scope.functions[name] = leads
        if held:
            # A pointer, or a member that is one.
            scope.allocated[name] = held
            self.fill_array(name, path or bare, held if heap else 0, scope, zero="calloc" in value)
        elif number is not None:
            whole = kind and not {"float", "double"} & set(kind.split())
            scope.values[name] = int(number) if whole and "auto" not in kind else number
        elif self.filling is not None and "*" not in kind and not self.loops:
            self.filling.take_number(name, value, scope)

    def fill_array(self, name: str, source: str, size: int, scope: Scope, *, zero: bool) -> None:
        """Let a name lead to an array: another name's, or one of so many bytes that is made. zero : cleared."""
        if self.filling is None:
            return
        scope.arrays.pop(name, None)
        if source in scope.arrays:
            scope.arrays[name] = scope.arrays[source]
        elif size:
            self.filling.make(name, size, scope, zero=zero)

    def assign(self, name: str, op: str | None, value: str, scope: Scope, conditional: bool) -> None:
        """A new value; one that only a condition gives leaves the name without, except for command lines."""
        if op:
            before = scope.values.get(name)
            value = f"({before}) {op} ({value})" if before is not None else "?"
        if conditional:
            if not GIVEN.search(value) and scope.number(value) != scope.values.get(name):
                scope.forget(name)
            return
        self.set_value(name, value, scope)

    def allocate(self, found: tuple[list[str], int] | None, scope: Scope, pitched: bool) -> None:
        """``cudaMalloc((void **)&p, bytes)``, ``cudaMallocPitch((void **)&p, &pitch, width, height)``."""
        if found is None or len(found[0]) < 2:
            return
        places = [p for m in PLACE.finditer(found[0][0]) if (p := scope.resolve(m[0].strip()))][-1:]
        by_name = "&" in found[0][0] or any(p.endswith(REFERENCE) for p in places)
        name = [p if by_name else f"{p}{BEHIND}" for p in places]
        size = scope.number(found[0][1])
        if pitched and len(found[0]) == 4:
            width, height = scope.number(found[0][2]), scope.number(found[0][3])
            size = None
            if width is not None and height is not None:
                pitch = -(-int(width) // PITCH_BYTES) * PITCH_BYTES
                size = pitch * height
                scope.values[found[0][1].strip().lstrip("&").strip()] = pitch
        if name:
            scope.allocated.pop(name[0], None)
            if size is not None and size > 0:
                scope.allocated[name[0]] = int(size)
                self.fill_array(name[0], "", int(size), scope, zero=False)

    def call(
        self, function: Function, found: tuple[list[str], int] | None, scope: Scope, depth: int, target: str | None
    ) -> bool:  # fmt: skip
        """Follow a function of the file with the arguments of one call, and what takes its result; whether it is.

        target : the name that takes the result; '' for none.
        """
        makes = function.name.startswith(MAKER) or (target and len(function.body) < LONGEST)
        wanted = makes or self.notes_calls or function.name in self.launching or writes_back(function)
        if found is None or depth >= DEEPEST or not wanted:
            return False
        inner = self.outside.inner()
        shared = [g for g in self.outside.types if g not in scope.own]
        for name in shared:
            inner.copy_name(scope, name, name)
        pairs = list(zip(function.parameters, found[0], strict=False))
        for kind, name in function.parameters:
            inner.own.add(name)
            inner.copy_name(Scope(), name, name)
            inner.types[name] = kind
        for (_, name), argument in pairs:
            self.hand_over(inner, name, self.open_argument(name, argument.strip(), scope, depth), scope)
        inner.types[RESULT] = re.sub(r"\b(?:static|inline|extern)\b", "", function.before).strip()
        self.enter(function, inner, depth + 1)
        for name in shared:
            if name not in inner.own:
                scope.copy_name(inner, name, name)
        for (_, name), argument in pairs:
            self.write_back(inner, name, argument.strip(), scope)
        if target:
            scope.copy_name(Scope() if inner.open else inner, RESULT, target)
        return True

    def open_argument(self, place: str, argument: str, scope: Scope, depth: int) -> str:
        """A name for an argument that is a structure as it is handed over: ``f((Mat){p, rows, cols})``, ``f(view(p))``.

        place : a word for the argument.
        """
        called = CALL.match(argument)
        function = self.functions.get(called["name"]) if called and not called["target"] else None
        makes = function is not None and bool(set(re.findall(r"\w+", function.before)) & set(self.structures))
        if not makes and not ((literal := LITERAL.fullmatch(argument)) and literal[1] in self.structures):
            return argument
        name = f"{place}{HANDED}"
        self.take_result(name, argument, scope, depth)
        return name

    def hand_over(self, inner: Scope, name: str, argument: str, scope: Scope) -> None:
        """What a function knows of one argument of its call."""
        plain = scope.resolve(re.sub(r"^\([^()]*\*\s*\)\s*", "", argument).lstrip("&").strip("() ")) or argument
        if argument.startswith("&"):
            # What the address leads to, for functions that take an address and write behind it.
            inner.copy_members(scope, plain, name)
            inner.values |= {f"{name}{BEHIND}": scope.values[plain]} if plain in scope.values else {}
            inner.allocated |= {name: scope.allocated[plain]} if plain in scope.allocated else {}
            inner.arrays |= {name: scope.arrays[plain]} if plain in scope.arrays else {}
            inner.functions |= {name: plain} if plain in self.kernels else {}
            return
        inner.copy_name(scope, plain, name)
        if plain in self.kernels or plain in self.functions:
            inner.functions[name] = plain
        if (number := scope.number(argument)) is not None:
            inner.values[name] = number
        if "dim3" in inner.types[name] and (shape := read_shape(argument, scope)) is not None:
            inner.values |= {f"{name}.{a}": v for a, v in zip("xyz", shape, strict=True)}

    def write_back(self, inner: Scope, name: str, argument: str, scope: Scope) -> None:
        """What a function has done to an argument by reference, or behind an address."""
        plain = scope.resolve(argument.lstrip("&").strip("() "))
        if plain is None:
            return
        if name.endswith(REFERENCE):
            known = scope.types.get(plain)
            scope.copy_name(inner, name, plain)
            scope.types |= {plain: known} if known else {}
        elif argument.startswith("&"):
            scope.copy_members(inner, name, plain)
            behind = f"{name}{BEHIND}"
            scope.values |= {plain: inner.values[behind]} if behind in inner.values else {}
            scope.allocated |= {plain: inner.allocated[behind]} if behind in inner.allocated else {}
            scope.arrays |= {plain: inner.arrays[behind]} if behind in inner.arrays else {}
        elif "*" in inner.types.get(name, ""):
            # The address of a structure, or of a pointer, that was handed on.
            scope.copy_members(inner, name, plain)

    def note_calls(self, text: str, scope: Scope, line: int, depth: int) -> None:
        """Note the calls of the file's functions in a statement."""
        for match in CALLED.finditer(text) if self.notes_calls else ():
            call = split_arguments(text[match.end() :])
            if match[1] in self.functions and call is not None:
                noted = self.note_arguments(match[1], line, (None, None), call[0], (), scope, depth)
                self.calls.setdefault(match[1], []).append(noted)

    def launch(self, match: re.Match[str], text: str, scope: Scope, line: int, depth: int) -> None:
        """Note one launch."""
        name = match["name"]
        if name not in self.kernels:
            # An address of a kernel, in a variable, a structure or an array.
            name = scope.functions.get(scope.resolve(name) or "", name)
        call = split_arguments(text[match.end() :])
        shape = split_items(match["shape"])
        if name not in self.kernels or call is None or len(shape) < 2:
            return
        template = tuple(
            str(int(n)) if (n := scope.number(t)) is not None else t.strip() for t in split_items(match["types"] or "")
        )
        shapes = self.find_shape(shape[0], scope, depth), self.find_shape(shape[1], scope, depth)
        noted = self.note_arguments(name, line, shapes, call[0], template, scope, depth)
        numbers = [scope.number(s) if known is None else None for s, known in zip(shape, shapes, strict=False)]
        empty = [f"{int(n)} {what}" for n, what in zip(numbers, ("blocks", "threads"), strict=False) if n is not None]
        self.launches.setdefault(name, []).append(
            replace(noted, empty=" of ".join(empty), filled=self.read_filled(name, call[0], scope))
        )

    def read_filled(self, name: str, given: Sequence[str], scope: Scope) -> dict[str, Any]:
        """What a launch's arrays hold, where that is asked for; afterwards nobody knows what a kernel writes."""
        function = self.kernel_functions.get(name)
        if self.filling is None or function is None:
            return {}
        filled = self.filling.read_arguments(function, given, scope) if name == self.filling.kernel else {}
        self.filling.leave(function, given, scope)
        return filled

    def find_shape(self, text: str, scope: Scope, depth: int) -> tuple[int, int, int] | None:
        """Blocks of a grid or threads of a block, which a function of the file may return."""
        known = read_shape(text, scope)
        if known is None and (called := CALL.match(text.strip())) and called["name"] in self.functions:
            inside = scope.inner()
            self.take_result("shape_", text.strip(), inside, depth)
            return read_shape("shape_", inside)
        return known

    def note_arguments(
        self, name: str, line: int, shapes: tuple[tuple[int, ...] | None, tuple[int, ...] | None],
        given: Sequence[str], template: tuple[str, ...], scope: Scope, depth: int,
    ) -> Launch:  # fmt: skip
        """What is known of the arguments of a launch or a call."""
        written = [a.strip() for a in given] if given != [""] else []
        arguments = [self.open_argument(str(k), a, scope, depth) for k, a in enumerate(written)]
        bare = [
            re.sub(r"^(?:\([^()]*\)|\w+_cast\s*<[^<>]*>\s*\(?)\s*|\)$|^&", "", a) if "*" in a else a for a in arguments
        ]
        numbers = tuple(scope.number(a) for a in arguments)
        held = tuple(scope.allocated.get(b) or self.count_vector(b, scope) for b in bare)
        types = tuple(scope.types.get(b, "") for b in bare)
        plain = [a.lstrip("&") for a in arguments]
        inside = tuple(scope.list_members(scope.values, a) for a in plain)
        bytes_inside = tuple({k: int(v) for k, v in scope.list_members(scope.allocated, a).items()} for a in plain)
        return Launch(
            name, line, *shapes, numbers, held, types, template, tuple(written), inside, bytes_inside, self.loops > 0,
            self.idle > 0,
        )  # fmt: skip

    def count_vector(self, argument: str, scope: Scope) -> int | None:
        """Bytes behind ``v.data_`` and ``&v.data_[0]`` of a vector of the C++ library whose length is known."""
        path = scope.resolve(re.sub(r"\[0\]$", "", argument.lstrip("&").strip("() ")))
        if path is None or not path.endswith(HELD):
            return None
        vector = path.removesuffix(HELD)
        members = self.structures.get(scope.types.get(vector, ""), {})
        size = find_type_bytes(members.get(HELD[1:], "").rstrip("* "), self.records)
        length = scope.values.get(f"{vector}{LENGTH}")
        return int(length) * size if size and length else None


def choose_branch(
    before: bool | None, word: str, follows: bool, condition: float | None
) -> tuple[bool | None, bool | None]:  # fmt: skip
    """Whether a branch of a chain of conditions has been taken, and whether this one is; None where nothing says it.

    before : the former after the branches before. follows : whether this one begins with ``else``.
    """
    if word not in ("if", "else") and not follows:
        return None, None
    if follows and before is not False:
        return before, None if before is None else False
    if word != "if":
        return True, True
    return (None, None) if condition is None else (bool(condition), bool(condition))
