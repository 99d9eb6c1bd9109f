"""Events that are written alike, read by one search each and not decoded one by one.

A profiler writes the events of a kind with the same members in the same order; names, geometries and shapes repeat, and
only times and numbers of calls differ. The first events of a trace are decoded, and how they are written (their
layout) becomes a regular expression: what every event of the kind has stands in it as it is, what is read is taken out
of it, all else may be any value of its kind. What the same texts were read as before is not read again. An event that
no layout fits is decoded, so that nothing depends on what was learned.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Any, NamedTuple

from roofcast.core.records import dataclass

STRING = r'"[^"\\]*+"'
ESCAPED = r'"[^"\\]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\]*+)*+"'
COUNT, DECIMAL = r"-?(?!0\d)\d{1,18}+", r"-?(?!0\d)\d++(?:\.\d++)?+"
NUMBER = rf"{DECIMAL}(?:[eE][-+]?\d++)?+"
NUMBERS = r"\[[-+.\d,\s\[\]eE]*\]"
STRINGS = rf"\[\s*+(?:{STRING}[,\s]*+)*+\]"
"""What a value may be. Searches are laxer than JSON (``[1,,2]``): a list is decoded before its text is known. They give
nothing back (``++``): numbers that may be split in many ways would be, wherever an event is of another layout.
"""
WORD = r"(?:true|false|null)"
KEY = re.compile(rf"[\s,]*({ESCAPED})\s*:\s*")
SCALAR = re.compile(rf"({ESCAPED})|({NUMBER})|{WORD}")
FIRST = 64
"""Decoded events after which layouts that are new are made expressions."""
MOST_LAYOUTS, MOST_DRAWN, MOST_PLACES, MOST_CHARS = 64, 1024, 1 << 12, 1 << 14
KEPT_LEAST, MOST_HELD = 500, 48_000_000
"""Bytes that an event's texts take at least while they are known, and all of them at most."""
DECODER = json.JSONDecoder(strict=False)
TIMES = ("ts", "dur")
MOVING = (*TIMES, "number")
"""What differs from event to event of the same texts."""

Add = Callable[[float, float, int], None]
"""Takes start, duration (us) and number of an event whose other texts it knows."""


@dataclass(frozen=True)
class Reads:
    """What is read of an event of a kind."""

    members: frozenset[str] = frozenset()
    """Members whose text decides what an event is read as; none where events of the kind are passed over."""
    arguments: frozenset[str] = frozenset()
    """The same of what is within ``args``."""
    number: tuple[str, ...] = ()
    """Arguments of which the first that is there numbers the event."""
    literal: tuple[str, ...] = ("ph", "cat")
    """Members that tell the kind."""


class NoLayoutError(Exception):
    """An event that cannot be read by a search."""


class Value(NamedTuple):
    """A value in the text of an event."""

    start: int
    end: int
    pattern: str
    held: str
    """``ts``, ``dur`` or ``number``; ``text`` where its text decides; '' where it is not read."""


@dataclass
class Layout:
    """How events of a kind are written, as an expression whose groups hold times, number and texts."""

    category: str
    pattern: str
    groups: tuple[str, ...]
    known: dict[Any, Add] = field(default_factory=dict)
    """Texts of an event -> what takes its times."""
    texts: tuple[int, ...] = ()
    """Groups of those texts, in the expression of the category; the next three are groups of it too, 0 for none."""
    ts: int = 0
    dur: int = 0
    number: int = 0

    def place(self, first: int) -> None:
        """Number the groups from the first of its own."""
        places = [*enumerate(self.groups, first)]
        self.texts = tuple(i for i, held in places if held not in MOVING)
        for i, held in places:
            if held in MOVING:
                setattr(self, held, i)


@dataclass(frozen=True)
class Kind:
    """The layouts of a category in one expression."""

    match: Callable[[str, int], re.Match[str] | None]
    by_group: Mapping[int | None, Layout]

    @classmethod
    def of(cls, layouts: Sequence[Layout]) -> Kind:
        """Of some layouts, tried in their order."""
        by_group, group = dict[int | None, Layout](), 1
        for layout in layouts:
            layout.place(group + 1)
            by_group[group] = layout
            group += 1 + len(layout.groups)
        parts = "|".join(f"({layout.pattern})" for layout in layouts)
        return cls(re.compile(rf"[\s,]*(?:{parts})(?=\s*[,\]])").match, by_group)


@dataclass
class Layouts:
    """The layouts of a trace as far as they are learned."""

    drafts: dict[str, Layout] = field(default_factory=dict)
    """Expression -> layout, of events that were decoded."""
    seen: Counter[str] = field(default_factory=Counter)
    """Expression -> how many these were."""
    held: int = 0
    """Bytes, about, of the texts that are known."""
    decoded: int = 0
    drawn: Counter[tuple[str, ...]] = field(default_factory=Counter)
    """Category and members -> how many of these there were."""
    due: int = FIRST
    compiled: int = 0
    """Layouts that there were when expressions were made last."""
    kinds: dict[str, Kind] = field(default_factory=dict)
    beside: dict[str, Kind | None] = field(default_factory=dict)
    """What stands behind ``cat`` -> kind: as long a text for every event, however long the category."""
    missed: tuple[Layout, Any] | None = None
    """The event that ended the last run has this layout and texts that are not known yet."""
    passed: int = 0
    """Events that needed no decoding."""

    def take(self, text: str, at: int) -> int:
        """Take events from a position on as long as they are known; the position behind them."""
        self.missed, passed = None, 0
        find, beside = text.find, self.beside
        while (place := find(CATEGORY, at, at + NEAR)) >= 0:
            key: Any = text[place : place + BESIDE]
            kind = beside[key] if key in beside else self.kind_at(text, place)
            match = None if kind is None else kind.match(text, at)
            if kind is None or match is None:
                break
            layout = kind.by_group[match.lastindex]
            if layout.ts:
                key = match.group(*layout.texts)
                add = layout.known.get(key)
                if add is None:
                    self.missed = layout, key
                    break
                length, number = layout.dur, layout.number
                add(float(match[layout.ts]), float(match[length]) if length else 0.0,
                    int(match[number]) if number else -1)  # fmt: skip
            at = match.end()
            passed += 1
        self.passed += passed
        return at

    def kind_at(self, text: str, place: int) -> Kind | None:
        """The kind of the category at a place, if it has layouts."""
        if len(self.beside) > MOST_PLACES:
            self.beside.clear()
        match = SAID.match(text, place)
        kind = self.beside[text[place : place + BESIDE]] = self.kinds.get(match[1]) if match else None
        return kind

    def learn(self, text: str, event: Mapping[str, Any], reads: Reads | None, add: Add | None) -> None:
        """Take note of an event that was decoded.

        text, event : as it is written, and decoded. reads : what is read of it; None where it is to be decoded each
        time. add : what takes the times of events with the same texts; None where they are to be decoded.
        """
        if self.missed is not None:
            layout, key = self.missed
            if add is not None:
                self.keep(layout, key, add)
            return
        self.decoded += 1
        if reads is None or len(text) >= MOST_CHARS:
            return
        # Of events of the same members few are drawn, as their layouts are known or cannot be.
        arguments = event.get("args")
        members = (str(event.get("cat")), *event, *(arguments if isinstance(arguments, dict) else ()))
        self.drawn[members] += 1
        if self.drawn[members].bit_count() == 1 and len(self.drawn) < MOST_DRAWN:
            try:
                pattern, groups = draw_layout(text, event, reads)
            except NoLayoutError:
                pass
            else:
                self.drafts.setdefault(pattern, Layout(str(event.get("cat")), pattern, groups))
                self.seen[pattern] += 1
        if self.decoded >= self.due and len(self.drafts) > self.compiled:
            self.due = self.decoded + FIRST
            self.compile()

    def keep(self, layout: Layout, key: str | tuple[str, ...], add: Add) -> None:
        """Know the texts of an event from now on; all are forgotten where they have become too many."""
        size = KEPT_LEAST + (len(key) if isinstance(key, str) else sum(map(len, key)))
        if self.held + size > MOST_HELD:
            self.held = 0
            for draft in self.drafts.values():
                draft.known.clear()
        if size < MOST_CHARS:
            layout.known[key] = add
            self.held += size

    def compile(self) -> None:
        """Make an expression of the layouts of each category, those that were seen most first."""
        chosen: dict[str, list[Layout]] = {}
        for pattern, _ in self.seen.most_common(MOST_LAYOUTS):
            chosen.setdefault(self.drafts[pattern].category, []).append(self.drafts[pattern])
        for category, layouts in chosen.items():
            known = self.kinds.get(category)
            if known is None or len(known.by_group) < len(layouts):
                self.kinds[category] = Kind.of(layouts)
        self.compiled = len(self.drafts)
        self.beside.clear()


CATEGORY, NEAR, BESIDE = '"cat"', 400, 24
SAID = re.compile(r'"cat"\s*:\s*"([^"\\]*)"')


def draw_layout(text: str, event: Mapping[str, Any], reads: Reads) -> tuple[str, tuple[str, ...]]:
    r"""The expression of an event's layout, and what its groups hold. Texts that stand together are one group.

    >>> draw_layout('{"ph":"X","name":"f","ts":1}', {}, Reads(frozenset({"name"})))
    ('\\{"ph":"X","name":("[^"\\\\]*+"),"ts":(-?(?!0\\d)\\d++(?:\\.\\d++)?+)\\}', ('text', 'ts'))

    Raises
    ------
    NoLayoutError : it holds what a search cannot read, or lacks what is read.
    """
    arguments = event.get("args")
    number = next((n for n in reads.number if isinstance(arguments, dict) and n in arguments), "")
    pieces, groups, mark, before = list[str](), list[str](), 0, ""
    for value in walk_members(text, reads, number):
        literal = re.escape(text[mark : value.start])
        if value.held == before == "text":
            pieces[-1] = f"{pieces[-1][:-1]}{literal}{value.pattern})"
        else:
            pieces += [literal, f"({value.pattern})" if value.held else value.pattern]
            groups += [value.held] if value.held else []
        mark, before = value.end, value.held
    if reads.members and groups.count("ts") != 1:
        raise NoLayoutError
    return "".join((*pieces, re.escape(text[mark:]))), tuple(groups)


def walk_members(text: str, reads: Reads, number: str) -> Iterator[Value]:
    """The values of an event and of its ``args`` that are not the same in all events of its kind, in their order."""
    at, inside, names = 1, False, {""}
    while True:
        if closing := CLOSING.match(text, at):
            at = closing.end()
            if not inside:
                break
            inside, names = False, {"args"}
            continue
        key = KEY.match(text, at)
        name = json.loads(key[1], strict=False) if key else ""
        if key is None or name in names:
            raise NoLayoutError
        names.add(name)
        at = key.end()
        if text[at] == "{" and name == "args" and not inside:
            at, inside, names = at + 1, True, {""}
            continue
        held = held_by(name, inside, reads, number)
        pattern, end = draw_value(text, at, held)
        if held != "literal":
            yield Value(at, end, pattern, held)
        at = end
    if at != len(text):
        raise NoLayoutError


CLOSING = re.compile(r"\s*\}")


def held_by(name: str, inside: bool, reads: Reads, number: str) -> str:
    """What a member's value is to an event (:class:`Value`), or ``literal`` where it is the same in all of a kind."""
    if inside:
        return "number" if name == number else "text" if name in reads.arguments else ""
    if name in reads.literal:
        return "literal"
    if not reads.members:
        return ""
    return name if name in TIMES else "text" if name in reads.members else ""


def draw_value(text: str, at: int, held: str) -> tuple[str, int]:
    """The expression of values of the kind of that at a position, and where it ends."""
    if scalar := SCALAR.match(text, at):
        string, number = scalar.groups()
        if held in MOVING and (number is None or (held == "number" and not re.fullmatch(COUNT, number))):
            raise NoLayoutError
        if held == "number":
            return COUNT, scalar.end()
        if number is not None:
            return DECIMAL if re.fullmatch(DECIMAL, number) else NUMBER, scalar.end()
        return WORD if string is None else ESCAPED if "\\" in string else STRING, scalar.end()
    if text[at : at + 1] != "[" or held not in ("text", "literal"):
        raise NoLayoutError
    try:
        drawn, end = DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        raise NoLayoutError from None
    if re.fullmatch(NUMBERS, text[at:end]):
        return NUMBERS, end
    if re.fullmatch(STRINGS, text[at:end]) and all(isinstance(x, str) for x in drawn):
        return STRINGS, end
    raise NoLayoutError
