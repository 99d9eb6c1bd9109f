"""What arrays of whole numbers hold where host code is followed, statement by statement (:mod:`.host_fills`)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.c_text import split_arguments
from roofcast_hull.source.host_fills import Limits, copy_bytes, find_place, run_statement
from roofcast_hull.source.host_numbers import find_type_bytes
from roofcast_hull.source.host_scope import HELD, LENGTH, Scope
from roofcast_hull.source.host_text import CALLED
from roofcast_hull.source.host_writer import READS, HostArray, Names
from roofcast_hull.source.methods import MAKER

Ints = NDArray[np.int64]
ENTERS = re.compile(r"<<<|\b(?:cuda|hip)Malloc")
MAKES = re.compile(rf"{MAKER}vector_\w+\s*(?=\()")
ADDS = re.compile(r"(?P<name>partial_sum|inclusive_scan|exclusive_scan|iota|fill)\s*(?=\()")
RANGE = re.compile(r"\(?\s*(?P<array>[A-Za-z_][\w.]*)\s*(?:\+\s*(?P<by>.*?))?\)?\s*", re.DOTALL)
COUNTER = "filled_"
OPERATOR = re.compile(r"\bvector_\w+_operator_at\s*(?=\()")
CHANGES = re.compile(r"[A-Za-z_][\w.]*\s*\[|\+\+|--|\*")
WRITTEN = r"\s*(?:\[[^=;]*\]\s*(?:[-+*/%|&^]|<<|>>)?=(?!=)|[,)]|\[[^;]*\]\s*(?:\+\+|--))"
"""What follows the name of an array that a statement may change."""
MOST_ELEMENTS = 1 << 24
"""Elements of an array that are remembered."""
WORD = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
ASSIGNED = re.compile(r"(?<![\w.])([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\s*(?:\[[^=]*?\]\s*)*(?:[-+*/%|&^]|<<|>>)?=(?!=)")
CALLED_OR_LAUNCHED = re.compile(r"([A-Za-z_]\w*)\s*(?:<[^<>;]*>\s*)?(<<<.*?>>>\s*)?(?=\()", re.DOTALL)
MOST_ASKED, DEEPEST_MEMBER = 4_000, 4
"""Names that may be asked for, and levels of members in them."""


class Filling:
    """Follows the arrays of whole numbers of a host.

    kernel, wanted : whose launches say what these arguments hold: names of its parameters, or members of them.
    """

    def __init__(
        self, kernel: str, wanted: Collection[str], functions: Mapping[str, Any], function: Any, text: str,
        structures: Mapping[str, Mapping[str, str]],
    ) -> None:  # fmt: skip
        """Ask for what the launches of a kernel are given.

        function : the kernel. text : of the whole file. structures : types of members, of those of the file.
        """
        self.kernel, self.wanted, self.functions = kernel, frozenset(wanted), functions
        self.structures = structures
        self.limits = Limits()
        self.asked = find_asked(text, kernel, function, self.wanted, functions)
        self.done = False
        """Whether the kernel was launched."""
        self.running = 0
        """Loops around that are done as a whole."""

    def open(self, scope: Scope) -> Names:
        """What statements know."""

        def make(name: str) -> HostArray | None:
            owner = name.removesuffix(HELD)
            length = scope.values.get(f"{owner}{LENGTH}") if name.endswith(HELD) else None
            if length is None or not 1 < length <= MOST_ELEMENTS:
                return None
            return HostArray(int(length), [0] * int(length))

        return Names(scope.values, scope.types, scope.arrays, self.functions, make, self.is_asked)

    def is_asked(self, name: str) -> bool:
        """Whether what a launch is given may follow from an array."""
        return is_asked(name, self.asked)

    def make(self, name: str, size: int, scope: Scope, *, zero: bool = False) -> None:
        """An array of a name has been allocated, or declared. size : bytes. zero : whether it is cleared."""
        kind = scope.types.get(re.sub(r"\.at_$", "", name), "int")
        width = find_type_bytes(kind.replace("*", "")) or 4
        count = size // width
        if 0 < count <= MOST_ELEMENTS and not {"float", "double"} & set(re.findall(r"\w+", kind)):
            scope.arrays[name] = HostArray(count, [0] * count if zero else None)

    def run_loop(self, text: str, body: str, scope: Scope, *, runs: bool) -> dict[str, float] | None:
        """Do what a loop does; numbers that it leaves, None where it is not done. runs : whether it runs once."""
        text = spell_elements(text)
        if (
            self.done
            or self.running
            or ENTERS.search(body)
            or not any(self.is_named(n, text) for n in self.list_names(scope))
        ):
            return None
        if not runs:
            self.forget(text, scope)
            return None
        names = self.open(scope)
        inside = Names(dict(scope.values), dict(scope.types), names.arrays, names.functions, names.make, self.is_asked)
        run_statement(text, inside, self.limits)
        return {n: v for n, v in inside.values.items() if v != scope.values.get(n)}

    def list_names(self, scope: Scope) -> set[str]:
        """Arrays that are known, and vectors of known length."""
        every = {*scope.arrays, *(f"{n.removesuffix(LENGTH)}{HELD}" for n in scope.values if n.endswith(LENGTH))}
        return {n for n in every if is_asked(n, self.asked)}

    @staticmethod
    def is_named(name: str, text: str) -> bool:
        """Whether an array stands in a text."""
        return re.search(rf"(?<![\w.]){re.escape(name)}\b", text) is not None

    def forget(self, text: str, scope: Scope) -> None:
        """Arrays that stand in a text where it writes are not known any more."""
        for name, array in scope.arrays.items():
            if re.search(rf"(?<![\w.]){re.escape(name)}{WRITTEN}", text):
                array.forget()

    def state(self, text: str, scope: Scope, *, runs: bool, followed: bool) -> None:
        """Do what a plain statement does to arrays. followed : whether it is a call that was followed."""
        if self.done or self.running or (followed and not MAKES.match(text)):
            return
        names, text = self.open(scope), spell_elements(text)
        if not runs:
            self.forget(text, scope)
            return
        if match := MAKES.match(text):
            self.construct(split_arguments(text[match.end() :]), scope)
            return
        if copy_bytes(text, names, scope.number):
            return
        if (match := ADDS.match(text)) and self.add_up(match["name"], split_arguments(text[match.end() :]), names):
            return
        if CHANGES.match(text) and any(self.is_named(n, text) for n in self.list_names(scope)):
            run_statement(f"{text};", names, self.limits)
            return
        self.let_escape(text, scope)
        self.forget_handed(text, scope)

    def forget_handed(self, text: str, scope: Scope) -> None:
        """Arrays that functions get which are not followed are not known any more."""
        names = self.open(scope)
        for match in CALLED.finditer(text):
            if match[1] not in self.functions and not READS.fullmatch(match[1]):
                call = split_arguments(text[match.end() :])
                for place in (find_place(a, names) for a in (call[0] if call else ())):
                    if place is not None:
                        scope.arrays[place].forget()

    def let_escape(self, text: str, scope: Scope) -> None:
        """Forget for good what an address leads into that is not followed: ``int *p = off + 1``."""
        head, _, value = text.partition("=")
        if not value or ("*" not in head and REFERENCE not in head):
            return
        for name, array in scope.arrays.items():
            if self.is_named(name, value) and find_place(value, self.open(scope)) != name:
                array.escape()

    def take_number(self, name: str, value: str, scope: Scope) -> None:
        """A number that an element of an array says: ``int n = off[rows];``."""
        if "[" not in value or not any(self.is_named(n, value) for n in self.list_names(scope)):
            return
        names = self.open(scope)
        inside = Names({**scope.values, name: 0}, scope.types, names.arrays, names.functions, names.make, self.is_asked)
        run_statement(f"{name} = {value};", inside, self.limits)
        if name in inside.values:
            scope.values[name] = inside.values[name]

    def construct(self, call: tuple[list[str], int] | None, scope: Scope) -> None:
        """A vector of the C++ library, cleared or filled with one number."""
        if call is None or not call[0]:
            return
        name = call[0][0].strip()
        scope.arrays.pop(f"{name}{HELD}", None)
        words = self.structures.get(scope.types.get(name, ""), {}).get(HELD[1:], "")
        scope.types[f"{name}{HELD}"] = words
        if {"float", "double"} & set(words.split()):
            return
        length = scope.values.get(f"{name}{LENGTH}")
        number = scope.number(call[0][2]) if len(call[0]) > 2 else 0
        if length is not None and 1 < length <= MOST_ELEMENTS:
            known = number is not None and float(number).is_integer()
            scope.arrays[f"{name}{HELD}"] = HostArray(int(length), [int(number or 0)] * int(length) if known else None)

    def add_up(self, word: str, call: tuple[list[str], int] | None, names: Names) -> bool:
        """Algorithms of the C++ library over whole arrays, as loops; whether it is one of them that is read."""
        places = [RANGE.fullmatch(a.strip()) for a in call[0]] if call else []
        if len(places) < 3 or places[0] is None or places[1] is None or places[0]["array"] != places[1]["array"]:
            return False
        source, first = places[0]["array"], places[0]["by"] or "0"
        last, value = places[1]["by"] or "0", call[0][2] if call else ""
        loop = f"for (long {COUNTER} = 0; {COUNTER} < ({last}) - ({first}); {COUNTER}++)"
        here = f"{source}[{first} + {COUNTER}]"
        if word in ("iota", "fill"):
            grows = f" + {COUNTER}" if word == "iota" else ""
            run_statement(f"{loop} {here} = ({value}){grows};", names, self.limits)
            return True
        target = places[2]
        if target is None:
            return False
        there = f"{target['array']}[{target['by'] or '0'} + {COUNTER}]"
        term = f"long term_ = {here};"
        if word == "exclusive_scan":
            start = call[0][3] if call and len(call[0]) > 3 else "0"
            body = f"{term} {there} = sum_; sum_ += term_;"
            run_statement(f"long sum_ = {start}; {loop} {{ {body} }}", names, self.limits)
        else:
            run_statement(f"long sum_ = 0; {loop} {{ {term} sum_ += term_; {there} = sum_; }}", names, self.limits)
        return True

    def read_arguments(self, function: Any, written: Sequence[str], scope: Scope) -> dict[str, Ints]:
        """What a launch's arguments hold, by the names of the kernel's parameters."""
        filled = dict[str, Ints]()
        for (_, name), argument in zip(function.parameters, written, strict=False):
            plain = argument.lstrip("&").strip()
            place = find_place(argument, self.open(scope))
            inside = {f"{name}{k}": v for k, v in scope.list_members(scope.arrays, plain).items()}
            for path, array in {**({name: scope.arrays[place]} if place else {}), **inside}.items():
                if path in self.wanted and (values := array.freeze()) is not None:
                    filled[path] = values
        self.done = True
        return filled

    def leave(self, function: Any, written: Sequence[str], scope: Scope) -> None:
        """A kernel that was launched may have written what it is not promised to leave."""
        for (kind, _), argument in zip(function.parameters, written, strict=False):
            place = find_place(argument, self.open(scope))
            if "*" in kind and "const" not in kind and place:
                scope.arrays[place].forget()
            members = self.structures.get(kind.rsplit(maxsplit=1)[-1] if kind else "", {})
            for member, words in members.items():
                path = f"{argument.strip()}.{member}"
                if "const" not in words and path in scope.arrays:
                    scope.arrays[path].forget()


def spell_elements(text: str) -> str:
    """Members behind addresses, and elements that a vector's operator gives, as members and elements.

    >>> spell_elements("vector_int_operator_at(g->col, n++) = 3")
    'g.col.data_[n++] = 3'
    """
    text = text.replace("->", ".")
    while match := OPERATOR.search(text):
        call = split_arguments(text[match.end() :])
        if call is None or len(call[0]) != 2:
            return text
        name, place = (a.strip() for a in call[0])
        text = f"{text[: match.start()]}{name}{HELD}[{place}]{text[match.end() + call[1] :]}"
    return text


def find_asked(
    text: str, kernel: str, function: Any, wanted: Collection[str], functions: Mapping[str, Any]
) -> frozenset[str]:
    """Names of the host that what a launch is given may follow from; more perhaps than it does.

    function : the kernel. wanted : its arrays. functions : of the host.
    """
    needs: dict[str, set[str]] = defaultdict(set)
    asked = set[str]()
    for piece in re.split(r"[;{}]", spell_elements(text)):
        words = set(WORD.findall(piece))
        for match in ASSIGNED.finditer(piece):
            needs[match[1]] |= words
        for match in CALLED_OR_LAUNCHED.finditer(piece):
            call = split_arguments(piece[match.end() :])
            arguments = [set(WORD.findall(a)) for a in call[0]] if call else []
            if match[2] is None:
                asked |= note_call(match[1], arguments, words, functions, needs)
            elif match[1] == kernel:
                for (_, name), given in zip(function.parameters, arguments, strict=False):
                    members = {w[len(name) :] for w in wanted if w == name or w.startswith(f"{name}.")}
                    asked |= {f"{n}{m}" for n in given for m in members}
    return close_names(asked, needs)


def note_call(
    name: str, arguments: Sequence[set[str]], words: set[str], functions: Mapping[str, Any],
    needs: dict[str, set[str]],
) -> set[str]:  # fmt: skip
    """Note what a call may change, by the names in each of its arguments; names that decide what runs."""
    if name in ("if", "while"):
        return {n for given in arguments for n in given}
    if name.startswith(MAKER):
        for n in arguments[0] if arguments else ():
            needs[n] |= words
    elif name in functions:
        for (_, parameter), given in zip(functions[name].parameters, arguments, strict=False):
            needs[parameter] |= given
            for n in given:
                needs[n].add(parameter)
    else:
        for n in {n for given in arguments for n in given}:
            needs[n] |= words
    return set()


def close_names(asked: set[str], needs: Mapping[str, set[str]]) -> frozenset[str]:
    """Names with all that these need, members of structures by the names of these."""
    new = set(asked)
    while new and len(asked) < MOST_ASKED:
        more = set[str]()
        for name in new:
            parts = name.split(".")
            for k in range(1, len(parts) + 1):
                rest = "".join(f".{p}" for p in parts[k:])
                more |= {f"{n}{rest}" for n in needs.get(".".join(parts[:k]), ())}
            more |= {n for n in needs if n.startswith(f"{name}.")}
        new = {n for n in more if n.count(".") <= DEEPEST_MEMBER} - asked
        asked = asked | new
    return frozenset(asked)


def is_asked(name: str, asked: Collection[str]) -> bool:
    """Whether a name, or what holds it, is one of those that are asked for."""
    parts = name.split(".")
    return any(".".join(parts[:k]) in asked for k in range(1, len(parts) + 1))
