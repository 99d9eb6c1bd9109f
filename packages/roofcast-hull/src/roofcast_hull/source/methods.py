"""Structures of C++ spelled as those of C: operators, constructors and methods as functions with a first argument."""

from __future__ import annotations

import re
from collections.abc import Iterator

from roofcast_hull.source.c_text import split_arguments

OPERATORS = {"+": "operator_plus", "-": "operator_minus", "*": "operator_times", "/": "operator_over"}
MAKER = "construct_"
"""Before the name of a structure: the function that makes one."""
STRUCTURE = re.compile(r"\bstruct\s+(?:__align__\s*\([^)]*\)\s*|alignas\s*\([^)]*\)\s*)?([A-Za-z_]\w*)\s*\{")
CALLED = re.compile(r"\boperator\s*\(\s*\)\s*(?=\()")
OPERATOR = re.compile(r"\boperator\s*([-+*/])(=?)\s*(?=\()")
CALLING = "operator_call"
"""``op(a, b)`` of a structure that can be called."""
MOST_MEMBERS = 200
"""Members of a structure that are looked at."""
DECLARED = r"\b(?!(?:const|static|extern|volatile|return|struct|case|else|typedef)\b)\w+[\s*]+{0}\s*(?:[\[=;,)]|:\s)"
"""A variable, an array or a parameter that is called like a structure, as C allows."""


def spell_structures(text: str) -> str:
    """Text with the functions of its structures behind them, and their names at calls.

    >>> spell_structures("struct C { float r; float n() const { return r; } }; float f(C z) { return z.n(); }")
    'struct C { float r;  };typedef struct C C; float n(C self) { return self.r; } float f(C z) { return n(z); }'
    """
    text = OPERATOR.sub(lambda m: f"{OPERATORS[m[1]]}{'_to' if m[2] else ''} ", text)
    text = CALLED.sub(f"{CALLING} ", text)
    methods: set[str] = set()
    names_spelled: list[str] = []
    at = 0
    while match := STRUCTURE.search(text, at):
        end = find_close(text, match.end())
        at = match.end()
        if end is None:
            break
        name, inside = match[1], text[match.end() : end]
        if (functions := list(find_methods(inside, name))) and not re.search(r"\b(?:public|private|virtual)\b", inside):
            fields = remove(inside, [(f[0], f[1]) for f in functions])
            members = set(re.findall(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)?[,;]", fields))
            spelled = " ".join(spell_method(inside[a:b], name, members, methods) for a, b in functions)
            closed = re.match(r"\s*;", text[end + 1 :])
            tail = text[end + 1 + (closed.end() if closed else 0) :]
            lines = "\n" * (inside.count("\n") - fields.count("\n") - spelled.count("\n"))
            # `struct C` is the type C in C++.
            text = f"{text[: match.end()]}{fields}}};typedef struct {name} {name}; {spelled}{lines}{tail}"
            names_spelled.append(name)
        elif (
            not text[: match.start()].rstrip().endswith("typedef")
            and re.match(r"\s*;", text[end + 1 :])
            and not re.search(DECLARED.format(name), text)
        ):
            stop = text.index(";", end + 1) + 1
            text = f"{text[:stop]}typedef struct {name} {name};{text[stop:]}"
            names_spelled.append(name)
    for name in names_spelled:
        text = spell_makers(text, name)
    for method in methods:
        text = spell_calls(text, method)
    return text


def spell_calls(text: str, method: str) -> str:
    """``z.n(a)`` as ``n(z, a)``."""
    pattern = rf"([A-Za-z_][\w.]*(?:\[[^\[\]]*\])?)\s*(?:\.|->)\s*{method}\s*\(\s*(\)?)"
    return re.sub(pattern, lambda m: f"{method}({m[1]}{')' if m[2] else ', '}", text)


def find_close(text: str, start: int) -> int | None:
    """Where the brace closes inside of which a text starts."""
    depth = 1
    for match in re.finditer(r"[{}]", text[start:]):
        depth += 1 if match[0] == "{" else -1
        if depth == 0:
            return start + match.start()
    return None


def find_methods(inside: str, name: str) -> Iterator[tuple[int, int]]:
    """Where the functions inside a structure stand."""
    at = 0
    for _ in range(MOST_MEMBERS):
        following = re.search(r"[;{]", inside[at:])
        if following is None:
            return
        stop = at + following.start()
        if following[0] == ";":
            at = stop + 1
            continue
        end = find_close(inside, stop + 1)
        if end is None or "(" not in inside[at:stop]:
            return
        yield at + len(inside[at:]) - len(inside[at:].lstrip()), end + 1
        at = end + 1


def remove(text: str, ranges: list[tuple[int, int]]) -> str:
    """Text without some of its parts."""
    for start, end in reversed(ranges):
        text = text[:start] + text[end:]
    return text


def spell_method(text: str, name: str, members: set[str], methods: set[str]) -> str:
    """A function of a structure as a function beside it."""
    head, _, body = text.partition("{")
    opens = head.index("(")
    call = split_arguments(head[opens:])
    if call is None:
        return ""
    label = re.search(r"(\w+)\s*$", head[:opens])
    arguments = ", ".join(a.strip() for a in call[0] if a.strip())
    behind = head[opens + call[1] :]
    given = {re.split(r"[\s*&]+", a.strip())[-1] for a in call[0] if a.strip()}
    inner = members - given
    pattern = re.compile(rf"(?<![.\w>])\b({'|'.join(map(re.escape, inner)) or '(?!)'})\b")
    renamed = pattern.sub(r"self.\1", re.sub(r"\bthis\s*->\s*", "", body))
    renamed = re.sub(r"\*\s*this\b", "self", renamed)
    if label is None or label[1] == name:
        # What stands behind the colon of a constructor stores members.
        stored = re.findall(r"(\w+)\s*[({]\s*([^(){}]*(?:\([^()]*\))?[^(){}]*)[)}]", behind.partition(":")[2])
        stores = " ".join(f"self.{m} = {v};" for m, v in stored)
        quals = re.sub(rf"\b(?:{name}|constexpr|explicit)\b", "", head[:opens])
        if not arguments:
            return ""
        return (
            f"{quals.strip()} {name} {MAKER}{name}({arguments}) {{ {name} self; {stores} {renamed[:-1]} return self; }}"
        )
    constant = re.search(r"\bconst\b", behind)
    methods.add(label[1])
    taken = f"{name} self" if constant else f"{name} &self"
    return f"{head[:opens].strip()}({taken}{', ' if arguments else ''}{arguments}) {{{renamed}"


def spell_makers(text: str, name: str) -> str:
    """``C z(a, b);``, ``C z{a, b};`` and ``C(a, b)`` as calls of the function that makes one, or as lists."""
    calls = f"{MAKER}{name}"
    if calls in text:
        text = re.sub(
            rf"(?<=[;{{}}\n])(\s*(?:const\s+)?{name}\s+)(\w+)\s*\((?=[^;{{}}]*\)\s*;)", rf"\1\2 = {calls}(", text
        )
        text = re.sub(rf"(?<![\w.])(?<!struct ){name}\s*\(", f"{calls}(", text)
    text = re.sub(rf"(?<![\w.])(?<!struct ){name}\s*\{{(?=[^;{{}}]*\}})", f"({name}){{", text)
    return re.sub(rf"((?<![\w.]){name}\s+\w+)\s*\{{(?=[^;{{}}]*\}}\s*;)", r"\1 = {", text)
