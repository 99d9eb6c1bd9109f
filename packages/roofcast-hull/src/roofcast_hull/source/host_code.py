"""What a CUDA file's host code says of its kernels: launches, sizes, allocations and types of templates.

Statements are followed in the order of ``main`` into the functions of the file, with a value for each whole number that
the file states. What loops change, what comes from the command line or from files, has none; a number that only an
argument of the command line replaces keeps the value that it has without.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.c_text import split_arguments
from roofcast_hull.source.host_numbers import UnknownNumberError, evaluate_number, find_type_bytes
from roofcast_hull.source.methods import MAKER

LAUNCH = re.compile(
    r"(?P<name>[A-Za-z_]\w*)\s*(?:<(?P<types>[^<>;{}()]*)>)?\s*<<<(?P<shape>.*?)>>>\s*(?=\()", re.DOTALL
)
FUNCTION = re.compile(r"(?P<before>[A-Za-z_][\w\s*&:<>,]{0,240}?[\s*&])(?P<name>[A-Za-z_]\w*)\s*(?=\()")
DECLARATION = re.compile(
    r"(?P<type>(?:(?:const|static|constexpr|unsigned|signed|long|struct|volatile)\s+)*[A-Za-z_][\w:]*(?:\s*<[^<>]*>)?"
    r"(?:\s+(?:const|long|int))*)(?P<rest>[\s*&]+(?:const\s+|__restrict__\s+)?[A-Za-z_].*)",
    re.DOTALL,
)
ASSIGNMENT = re.compile(
    r"(?P<name>[A-Za-z_]\w*(?:(?:\.|->)\w+|\[\d+\])*)\s*(?P<op>[-+*/%|&^]|<<|>>)?=(?!=)(?P<value>.*)", re.DOTALL
)
ALLOCATION = re.compile(r"\b(?:cuda|hip)Malloc(?:Managed|Async|Host|Pitch)?\s*(?:<[^<>]*>)?\s*(?=\()")
HEADER = re.compile(
    r"(?:else\s+)?(if|for|while|switch)\b\s*(?:constexpr\s*)?|(else|do)\b"
    r"|(?:extern\s*\"C\"|namespace\s*\w*)\s*(?=\{)"
)
NO_TYPES = frozenset(
    {"return", "delete", "goto", "else", "case", "using", "throw", "new", "typedef", "break", "continue"}
)
ENUMERATION = re.compile(r"(?:typedef\s+)?enum\b[^{}()]*\{(.*)\}\s*\w*", re.DOTALL)
ROWS = re.compile(
    r"(?:(?:const|static)\s+)*(?P<type>[\w ]+?)\s*\(\s*\*\s*(?:restrict\s+)?(?P<name>[A-Za-z_]\w*)\s*\)"
    r"\s*(?P<rows>(?:\[[^\]]*\]\s*)+)=\s*(?P<value>.*)", re.DOTALL
)  # fmt: skip
"""An address of arrays, with what it is given."""
RETURN_OF_NAME = re.compile(r"\breturn\s+([A-Za-z_]\w*)\s*;\s*$")
RETURNED = re.compile(r"\s*return\b([^;]+);\s*")
PATH = r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*|\[\d+\])*"
"""A name, or what is inside of a structure."""
CHANGED = re.compile(
    rf"(?<![\w.>])({PATH})\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|(?:\+\+|--)\s*({PATH})|(?<![\w.>])({PATH})\s*(?:\+\+|--)"
)
"""What a statement gives another value: a name, or a member alone."""
CALL = re.compile(
    rf"(?:(?P<kind>[\w\s]+?[\s*]+)?(?P<target>{PATH})\s*=\s*)?(?P<name>[A-Za-z_]\w*)\s*(?:<[^<>]*>\s*)?(?=\()"
)
"""A call at the start of a statement, with the name that takes its result."""
PITCH_BYTES = 512
"""Rows of pitched memory start at multiples of this (an assumption: the runtime may take more)."""
LAUNCHES = re.compile("<<<|alloc", re.IGNORECASE)
"""What makes a function worth following."""
CALLED = re.compile(r"(?<![\w.>:])([A-Za-z_]\w*)\s*(?:<[^<>;(){}]*>\s*)?(?=\()")
HEAP = re.compile(r"\b(malloc|calloc|aligned_alloc|valloc)\s*(?=\()|\bnew\s+([A-Za-z_][\w:\s]*?)\s*\[")
VECTOR = re.compile(r"(?:std\s*::\s*)?vector\s*<\s*([\w:\s]+?)\s*>")
STEPPED = re.compile(r"(?:\+\+|--)\s*\w+|\w+\s*(?:\+\+|--)")
STRUCTURE = re.compile(
    r"\b(?:typedef\s+)?struct\s*(?P<tag>[A-Za-z_]\w*)?\s*\{(?P<members>[^{}]*)\}\s*(?P<name>[A-Za-z_]\w*)?"
)
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*"')
GIVEN = re.compile(r"arg|\b(?:std\s*::\s*)?(?:ato(?:i|l|ll|f)|strto\w+|sto(?:i|l|ul|ll|ull|d|f)|getenv)\s*\(")
"""What a value says that comes from the command line or the environment."""
MOST_STATEMENTS = 20_000
"""Statements of the host that are followed, loops included."""
MOST_TURNS = 20_000
"""Of a loop of the host code that are followed."""
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


@dataclass
class Scope:
    """What a function knows of its names."""

    values: dict[str, float] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    allocated: dict[str, int] = field(default_factory=dict)
    """Bytes behind a pointer."""

    small: Mapping[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    """Functions of one expression: names of the parameters, and what is returned."""

    def inner(self) -> Scope:
        """A scope that knows as much, and keeps what it learns for itself."""
        return Scope(dict(self.values), dict(self.types), dict(self.allocated), self.small)

    def number(self, text: str) -> float | None:
        """Value of an expression; None where the file does not say it."""
        try:
            return evaluate_number(text, self.values, self.types, self.small)
        except UnknownNumberError:
            return None

    def forget(self, name: str) -> None:
        """A name whose value is not known from here on, nor what is in it."""
        self.values.pop(name, None)
        for key in [k for k in self.values if k.startswith((f"{name}.", f"{name}["))]:
            del self.values[key]

    def copy_members(self, source: Scope, name: str, wanted: str) -> None:
        """What is known inside of a structure, under another name."""
        self.values |= {f"{wanted}{k}": v for k, v in source.list_members(source.values, name).items()}
        self.allocated |= {f"{wanted}{k}": int(v) for k, v in source.list_members(source.allocated, name).items()}

    def list_members(self, known: Mapping[str, float], name: str) -> dict[str, float]:
        """What is known inside of a structure: ``.n`` or ``.sizes[0]`` and its value."""
        return {k[len(name) :]: v for k, v in known.items() if k.startswith((f"{name}.", f"{name}["))}


@dataclass(frozen=True, slots=True)
class Function:
    """A function with a body."""

    name: str
    parameters: tuple[tuple[str, str], ...]
    """Type and name of each."""
    body: str
    line: int
    before: str
    start: int
    end: int
    """Where the whole stands in the text."""


def find_functions(text: str) -> Iterator[Function]:
    """Functions of a file, in the order of the text; those of classes and name spaces too."""
    at = 0
    while match := FUNCTION.search(text, at):
        at = match.end()
        call = split_arguments(text[match.end() :])
        if call is None:
            return
        opens = re.match(r"\s*(?:const|noexcept)?\s*\{", text[match.end() + call[1] :])
        if opens is None or match["name"] in ("if", "for", "while", "switch"):
            continue
        start = match.end() + call[1] + opens.end()
        end = find_end(text, start)
        parameters = tuple(split_parameter(a) for a in call[0] if a.strip() not in ("", "void"))
        before = match["before"]
        yield Function(
            match["name"], parameters, text[start : end - 1], text.count("\n", 0, start) + 1, before,
            match.start() + len(before) - len(before.lstrip()), end,
        )  # fmt: skip
        at = end


def find_end(text: str, start: int) -> int:
    """Where the block ends whose inside starts here, behind its brace."""
    depth = 1
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return start + match.end()
    return len(text)


def split_parameter(text: str) -> tuple[str, str]:
    """Type and name of a parameter: ``const float *x`` is ``const float *`` and ``x``."""
    plain = re.sub(r"\b(?:__restrict__|__restrict|restrict)\b", " ", text.partition("=")[0])
    match = re.match(r"(.*?[\s*&])([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)$", plain.strip(), re.DOTALL)
    if match is None:
        return plain.strip(), ""
    return f"{match[1].strip()}{' *' if match[3] else ''}", match[2]


class HostReader:
    """Follows the host code of a file."""

    def __init__(self, text: str, kernels: Mapping[str, bool], defined: Mapping[str, int]) -> None:
        # Options are written with dashes, messages with braces: none of it is code.
        text = STRING.sub(lambda m: m[0] if m[0] == '"C"' else '""', text)
        self.functions = {f.name: f for f in find_functions(text) if f.name not in kernels}
        self.kernels = kernels
        self.structures = find_structures(text)
        self.launches: dict[str, list[Launch]] = {}
        self.calls: dict[str, list[Launch]] = {}
        """Calls of the file's own functions, where they are asked for."""
        self.notes_calls = False
        small = {
            n: (tuple(p for _, p in f.parameters), m[1])
            for n, f in self.functions.items() if (m := RETURNED.fullmatch(f.body))
        }  # fmt: skip
        self.outside = Scope(dict(defined), small=small)
        self.launching = find_launching(self.functions)
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

    def follow(self) -> dict[str, list[Launch]]:
        """Launches of each kernel."""
        host = [f for f in self.functions.values() if "<<<" in f.body or f.name == "main"]
        for function in sorted(host, key=lambda f: f.name != "main"):
            if function.name not in self.read:
                scope = self.outside.inner()
                scope.types |= {n: t for t, n in function.parameters}
                for _, name in function.parameters:
                    scope.forget(name)
                self.enter(function, scope, 0)
        return self.launches

    def follow_calls(self) -> dict[str, list[Launch]]:
        """Calls of each function, from ``main`` on."""
        self.notes_calls = True
        if "main" in self.functions:
            self.enter(self.functions["main"], self.outside.inner(), 0)
        return self.calls

    def enter(self, function: Function, scope: Scope, depth: int) -> None:
        """Follow one function."""
        self.read.add(function.name)
        self.walk(function.body, scope, function.line, depth)

    def walk(self, text: str, scope: Scope, line: int, depth: int, conditional: bool = False) -> None:
        """Statements one after the other; blocks of conditions may not have run, those of loops run often."""
        at, taken = 0, None
        while at < len(text):
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
            else:
                self.note_calls(header, scope, here)
                word = re.match(r"\w*", header)[0] if re.match(r"\w*", header) else ""  # type: ignore[index]
                inside = header[header.find("(") + 1 : header.rfind(")")] if "(" in header else ""
                loops = word in ("for", "while", "do")
                taken, runs = choose_branch(taken, word, text.startswith("else", start), scope.number(inside))
                if runs is False:
                    self.idle += 1
                    self.walk(body, scope.inner(), here + text.count("\n", start, text.find(body, start)), depth, True)
                    self.idle -= 1
                    at = end
                    continue
                counter = self.enter_loop(inside, body, scope, here, depth, conditional) if loops else ""
                self.loops += loops
                started = text.find(body, start + len(header)) if body else start
                self.walk(body, scope, line + text.count("\n", 0, started), depth,
                          conditional or (word in ("if", "else", "switch") and runs is None))  # fmt: skip
                self.loops -= loops
                scope.forget(counter)
            at = end

    def enter_loop(self, header: str, body: str, scope: Scope, line: int, depth: int, conditional: bool) -> str:
        """The first statement of a loop's header; what turns change has no value, but its counter that of half way.

        The counter's name is returned.
        """
        first, _, rest = header.partition(";")
        self.statement(first, scope, line, depth, conditional)
        condition, _, step = rest.partition(";")
        counter = next((next(g for g in m.groups() if g) for m in CHANGED.finditer(step)), "")
        start = scope.values.get(counter)
        turned = f"{rest};{body}"
        for match in CHANGED.finditer(turned):
            # A loop over the options of the command line: without options the value is that from before.
            if match[1] is None or not GIVEN.search(turned[match.end() :].partition(";")[0]):
                scope.forget(next(g for g in match.groups() if g))
        if start is None or "," in step or any(counter in m.groups() for m in CHANGED.finditer(body)):
            return counter
        turns = list_turns(counter, start, condition, step, scope)
        if turns:
            scope.values[counter] = turns[len(turns) // 2]
        return counter

    def statement(self, text: str, scope: Scope, line: int, depth: int, conditional: bool) -> None:
        """One plain statement."""
        text = text.strip()
        if not text:
            return
        if self.declare_specially(text, scope):
            return
        if match := LAUNCH.search(text):
            self.launch(match, text, scope, line)
            return
        self.note_calls(text, scope, line)
        if match := ALLOCATION.search(text):
            self.allocate(split_arguments(text[match.end() :]), scope, "Pitch" in match[0])
            return
        called = CALL.match(text)
        if called and called["name"] in self.functions:
            arguments = split_arguments(text[called.end() :])
            self.call(self.functions[called["name"]], arguments, scope, depth, called)
            if not called["target"] or (arguments is not None and scope.list_members(scope.values, called["target"])):
                return
        if assigned := ASSIGNMENT.fullmatch(text):
            self.assign(assigned["name"], assigned["op"], assigned["value"], scope, conditional)
            return
        declared = DECLARATION.fullmatch(text)
        if declared and declared["type"].split()[0] not in NO_TYPES:
            for item in split_items(declared["rest"]):
                self.declare(declared["type"], item.strip(), scope)

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
        size = find_type_bytes(kind)
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
        scope.forget(name)
        scope.types[name] = f"{kind} {'*' * match['stars'].count('*')}".strip()
        scope.allocated.pop(name, None)
        if rest.startswith("["):
            lengths = [scope.number(n) for n in re.findall(r"\[([^\[\]]*)\]", rest.partition("=")[0])]
            size = find_type_bytes(kind)
            if size and all(n is not None for n in lengths):
                scope.allocated[name] = math.prod(int(n) for n in lengths if n is not None) * size
            return
        if (vector := VECTOR.fullmatch(kind)) and (call := split_arguments(rest)):
            length, size = scope.number(call[0][0]), find_type_bytes(vector[1])
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
        if re.fullmatch(PATH, value.strip()):
            scope.copy_members(scope, value.strip(), name)

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
        scope.forget(name)
        kind = scope.types.get(name, "")
        if "dim3" in kind:
            shape = read_shape(value, scope)
            if shape is not None:
                scope.values |= {f"{name}.{a}": v for a, v in zip("xyz", shape, strict=True)}
            return
        if "*" in kind:
            source = re.sub(r"\([^()]*\*\s*\)|\w+_cast\s*<[^<>]*>|[()]", "", value).strip()
            held = scope.allocated.get(source) or find_heap_bytes(value, scope)
            if held:
                scope.allocated[name] = held
            return
        if (source := re.sub(r"^\([^()]*\*\s*\)", "", value.strip())) in scope.allocated:
            # A member that is a pointer.
            scope.allocated[name] = scope.allocated[source]
            return
        number = scope.number(value)
        if number is None and GIVEN.search(value) and (choice := re.search(r"\?(.*):(.*)", value, re.DOTALL)):
            # argc > 1 ? atoi(argv[1]) : 1024
            number = next((n for n in map(scope.number, (choice[2], choice[1])) if n is not None), None)
        if number is not None:
            whole = kind and not {"float", "double"} & set(kind.split())
            scope.values[name] = int(number) if whole and "auto" not in kind else number

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
        name = [n.replace("->", ".") for n in re.findall(PATH, found[0][0])][-1:]
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

    def call(
        self, function: Function, found: tuple[list[str], int] | None, scope: Scope, depth: int, taken: re.Match[str]
    ) -> None:  # fmt: skip
        """Follow a function of the file with the arguments of one call, and what takes its result."""
        makes = function.name.startswith(MAKER) or (taken["target"] and RETURN_OF_NAME.search(function.body))
        if found is None or depth >= DEEPEST or not (makes or self.notes_calls or function.name in self.launching):
            return
        inner = self.outside.inner()
        for (kind, name), argument in zip(function.parameters, found[0], strict=False):
            inner.types[name] = kind
            inner.forget(name)
            plain = argument.strip().lstrip("&")
            if (number := scope.number(argument)) is not None:
                inner.values[name] = number
            if "dim3" in kind and (shape := read_shape(argument, scope)) is not None:
                inner.values |= {f"{name}.{a}": v for a, v in zip("xyz", shape, strict=True)}
            inner.copy_members(scope, plain, name)
            if plain in scope.allocated:
                inner.allocated[name] = scope.allocated[plain]
        self.enter(function, inner, depth + 1)
        for (_, name), argument in zip(function.parameters, found[0], strict=False):
            if name.endswith(REFERENCE) and re.fullmatch(PATH, argument.strip()):
                scope.copy_members(inner, name, argument.strip())
        returned = RETURN_OF_NAME.search(function.body)
        if taken["target"] and returned is not None and taken.string[taken.end() + found[1] :].strip() == "":
            # A structure that a function fills and returns.
            scope.forget(taken["target"])
            scope.copy_members(inner, returned[1], taken["target"])

    def note_calls(self, text: str, scope: Scope, line: int) -> None:
        """Note the calls of the file's functions in a statement."""
        for match in CALLED.finditer(text) if self.notes_calls else ():
            call = split_arguments(text[match.end() :])
            if match[1] in self.functions and call is not None:
                noted = self.note_arguments(match[1], line, (None, None), call[0], (), scope)
                self.calls.setdefault(match[1], []).append(noted)

    def launch(self, match: re.Match[str], text: str, scope: Scope, line: int) -> None:
        """Note one launch."""
        name = match["name"]
        call = split_arguments(text[match.end() :])
        shape = split_items(match["shape"])
        if name not in self.kernels or call is None or len(shape) < 2:
            return
        template = tuple(
            str(int(n)) if (n := scope.number(t)) is not None else t.strip() for t in split_items(match["types"] or "")
        )
        shapes = read_shape(shape[0], scope), read_shape(shape[1], scope)
        self.launches.setdefault(name, []).append(self.note_arguments(name, line, shapes, call[0], template, scope))

    def note_arguments(
        self, name: str, line: int, shapes: tuple[tuple[int, ...] | None, tuple[int, ...] | None],
        given: Sequence[str], template: tuple[str, ...], scope: Scope,
    ) -> Launch:  # fmt: skip
        """What is known of the arguments of a launch or a call."""
        arguments = [a.strip() for a in given] if given != [""] else []
        bare = [
            re.sub(r"^(?:\([^()]*\)|\w+_cast\s*<[^<>]*>\s*\(?)\s*|\)$|^&", "", a) if "*" in a else a for a in arguments
        ]
        numbers, held = tuple(scope.number(a) for a in arguments), tuple(scope.allocated.get(b) for b in bare)
        types = tuple(scope.types.get(b, "") for b in bare)
        plain = [a.lstrip("&") for a in arguments]
        inside = tuple(scope.list_members(scope.values, a) for a in plain)
        bytes_inside = tuple({k: int(v) for k, v in scope.list_members(scope.allocated, a).items()} for a in plain)
        return Launch(
            name, line, *shapes, numbers, held, types, template, tuple(arguments), inside, bytes_inside, self.loops > 0,
            self.idle > 0,
        )  # fmt: skip


def find_structures(text: str) -> dict[str, dict[str, str]]:
    """Structures of a file that hold numbers and addresses: name and type of each member, in order."""
    structures: dict[str, dict[str, str]] = {}
    for match in STRUCTURE.finditer(text):
        members: dict[str, str] = {}
        for line in match["members"].split(";"):
            declared = DECLARATION.fullmatch(line.strip())
            for item in split_items(declared["rest"]) if declared else ():
                name = re.sub(r"^[\s*]*|\[.*$", "", item).strip()
                stars = "*" * (item.count("*") + item.count("["))
                members[name] = f"{declared['type']} {stars}".strip() if declared else ""
        structures |= {n: members for n in (match["tag"], match["name"]) if n and members}
    return structures


def find_launching(functions: Mapping[str, Function]) -> set[str]:
    """Functions that launch or allocate, themselves or by way of others."""
    launching = {n for n, f in functions.items() if LAUNCHES.search(f.body)}
    calls = {n: set(CALLED.findall(f.body)) for n, f in functions.items()}
    while more := {n for n, called in calls.items() if n not in launching and called & launching}:
        launching |= more
    return launching


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


def find_heap_bytes(value: str, scope: Scope) -> int | None:
    """Bytes that ``malloc``, ``calloc`` or ``new T[n]`` makes; None for other expressions and for sizes not known."""
    match = HEAP.search(value)
    if match is None:
        return None
    if match[2]:
        length, size = scope.number(value[match.end() : value.rfind("]")]), find_type_bytes(match[2])
        return int(length) * size if length is not None and length > 0 and size else None
    call = split_arguments(value[match.end() :])
    numbers = [scope.number(re.sub(r"sizeof\s+(?:\*\s*)?(\w+)", r"sizeof(\1)", a)) for a in call[0]] if call else []
    if match[1] == "aligned_alloc":
        numbers = numbers[1:]
    size_bytes = math.prod(n for n in numbers if n is not None)
    return int(size_bytes) if numbers and None not in numbers and size_bytes > 0 else None


def list_turns(counter: str, start: float, condition: str, step: str, scope: Scope) -> list[float]:
    """Values of a loop's counter, one for each turn; none where the file does not say them or they are too many."""
    plain = step.strip()
    if STEPPED.fullmatch(plain):
        plain = f"{counter} {'+' if '++' in plain else '-'} 1"
    elif match := ASSIGNMENT.fullmatch(plain):
        plain = f"{counter} {match['op']} ({match['value']})" if match["op"] else match["value"]
    inside, turns = scope.inner(), list[float]()
    inside.values[counter] = start
    while inside.number(condition):
        turns.append(inside.values[counter])
        after = inside.number(plain)
        if after is None or len(turns) > MOST_TURNS:
            return []
        inside.values[counter] = after
    return turns


def split_items(text: str) -> list[str]:
    """Items between the commas that stand in no brackets."""
    call = split_arguments(f"({text})")
    return call[0] if call and text.strip() else []


def split_statement(text: str, start: int) -> tuple[int, str, str | None]:
    """Where a statement ends, its text or header, and the block behind the header where there is one."""
    if text[start] == "}":
        return start + 1, "", None
    if text[start] == "{":
        end = find_end(text, start + 1)
        return end, "", text[start + 1 : end - 1]
    if word := HEADER.match(text, start):
        return split_headed(text, start, word)
    depth = 0
    for at in range(start, len(text)):
        sign = text[at]
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (sign == ";" and depth == 0):
            return at + 1, text[start:at], None
    return len(text), text[start:], None


def split_headed(text: str, start: int, word: re.Match[str]) -> tuple[int, str, str | None]:
    """A loop, a condition or a named block."""
    at = word.end()
    if word[1]:
        call = split_arguments(text[at:])
        if call is None:
            return len(text), "", None
        at += call[1]
    header = text[start:at].removeprefix("else").strip() if word[1] else text[start:at]
    rest = at + len(text[at:]) - len(text[at:].lstrip())
    if text[rest : rest + 1] == "{":
        end = find_end(text, rest + 1)
        return end, header, text[rest + 1 : end - 1]
    if rest >= len(text):
        return len(text), header, ""
    end, _, _ = split_statement(text, rest)
    return end, header, text[rest:end]


def read_shape(text: str, scope: Scope) -> tuple[int, int, int] | None:
    """Three numbers of ``dim3(16, 16)``, of the name of one, or of one number."""
    plain = text.strip()
    if f"{plain}.x" in scope.values:
        return tuple(int(scope.values.get(f"{plain}.{a}", 1)) for a in "xyz")  # type: ignore[return-value]
    plain = re.sub(r"^(?:=\s*)?dim3\s*(?=[({])", "", plain)
    if plain.startswith("{") and plain.endswith("}"):
        plain = f"({plain[1:-1]})"
    single = scope.number(plain)
    if single is not None:
        return (int(single), 1, 1) if single >= 1 else None
    call = split_arguments(plain)
    if call is None or plain[call[1] :].strip() or not 1 <= len(call[0]) <= 3:
        return None
    numbers = [scope.number(a) for a in call[0]]
    if any(n is None or n < 1 for n in numbers):
        return None
    return tuple(int(n) for n in [*numbers, 1, 1][:3] if n is not None)  # type: ignore[return-value]
