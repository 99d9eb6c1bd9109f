"""The class notation: ``1024x1024|neighbourhood(7x7) -> 1024x1024|element``, to and from objects.

Grammar (blanks between words are free, case does not matter)::

    class   = [parts | "void"] ARROW parts   ARROW = "->", "→", "=>"
    parts   = part (AND part)*            AND   = "∧", "&", "^"
    part    = ["unordered"] sizes "|" pattern
    pattern = "element" | "full" | "shared" | "gather" ["(" size ")"]
            | "tile" "(" sizes ")" | "neighbourhood" "(" sizes ")"
            | ("scan" | "sort" | "fft") ["(" sizes ")"]
    sizes   = size ("x" size)*            "x"   = "x", "×"
    size    = number or NAME, with "·", "*", "/" between several

``void`` before the arrow, or nothing, is a class that reads no array: what fills one. ``chunk`` is read as tile,
``neighb`` and ``neighborhood`` as neighbourhood. Names (upper case) stand for numbers that are given beside the text.
Two inputs are outside the paper's table: ``full`` is every unit of work reading the whole array, ``gather(8)`` eight
of its elements that data chooses (one where no number is given). Three outputs are too: tiles whose elements many
threads compute together in stages, ``scan(1x512)`` running sums (of any associative operation), ``sort(1x512)``
elements in order, ``fft(1x512)`` transforms; of the whole array where no sizes are given.
"""

from __future__ import annotations

import difflib
import itertools
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from roofcast.core.errors import RoofcastError, one_line


class ClassTextError(RoofcastError):
    """A class text that cannot be understood; the message points at the character."""


class Pattern(StrEnum):
    """How the units of work of an algorithm touch one array."""

    ELEMENT = "element"
    NEIGHBOURHOOD = "neighbourhood"
    TILE = "tile"
    FULL = "full"
    GATHER = "gather"
    SHARED = "shared"
    SCAN = "scan"
    SORT = "sort"
    FFT = "fft"


SYNONYMS = {"neighb": "neighbourhood", "neighborhood": "neighbourhood", "chunk": "tile"}
WITH_EXTENT = (Pattern.TILE, Pattern.NEIGHBOURHOOD)
STAGED = (Pattern.SCAN, Pattern.SORT, Pattern.FFT)
"""Outputs whose tiles are computed in stages, by many threads each."""
VOID = "void"
"""What stands for the inputs of a class that reads no array."""
LARGEST = 10**15
"""Elements of an array; a larger number is a slip."""
LONGEST = 2000
"""Characters of a class text."""
TOKEN = re.compile(
    r"\s*(?:(?P<arrow>->|→|=>)|(?P<and>[∧&^])|(?P<bar>\|)|(?P<open>\()|(?P<close>\))|(?P<by>[x×](?![a-z_])|X(?=\s*\d))"
    r"|(?P<times>[·*⋅/])|(?P<number>\d+)|(?P<name>[A-WYZ][A-WYZ0-9_]*)(?![A-Za-wyz])|(?P<word>[A-Za-z]+))"
)


@dataclass(frozen=True, slots=True)
class Part:
    """One array of a class: its sizes, and what a unit of work touches of it."""

    sizes: tuple[int, ...]
    """Elements per dimension, the last one contiguous in memory."""
    pattern: Pattern
    extent: tuple[int, ...] = ()
    """Sizes of the tile or neighbourhood; elements that a unit gathers, above one; empty for the other patterns, and
    where what is computed in stages is the whole array."""
    unordered: bool = False

    @property
    def elements(self) -> int:
        """Elements of the array."""
        return math.prod(self.sizes)

    @property
    def units(self) -> int:
        """Units of work that the array is dealt out to: its elements, or its tiles."""
        if self.pattern is Pattern.TILE or self.pattern in STAGED:
            return self.elements // self.run
        return self.elements

    @property
    def run(self) -> int:
        """Elements of a tile; of the whole array where it is none."""
        return math.prod(self.extent) if self.extent else self.elements

    def __str__(self) -> str:
        extent = f"({render_sizes(self.extent)})" if self.extent else ""
        return f"{'unordered ' if self.unordered else ''}{render_sizes(self.sizes)}|{self.pattern.value}{extent}"


def shares_windows(part: Part, results: int) -> bool:
    """Whether windows of an array may be those of so many results: fewer than its elements, or each of several results.

    Along each dimension windows are as many as its elements, or those that lie inside: size - extent + 1.
    Example: 32 filters over ``16x2048|neighbourhood(16x5)`` have 32 x 2044 results, 32 of each window.
    """
    extent = (1,) * (len(part.sizes) - len(part.extent)) + part.extent
    ways = ({s, s - e + 1} for s, e in zip(part.sizes, extent, strict=True))
    return part.units >= results or any(results % math.prod(w) == 0 for w in itertools.product(*ways))


@dataclass(frozen=True, slots=True)
class AlgorithmClass:
    """What an algorithm reads and writes, and in which pattern."""

    inputs: tuple[Part, ...]
    outputs: tuple[Part, ...]

    @property
    def elements_in(self) -> int:
        """Distinct input elements."""
        return sum(p.elements for p in self.inputs)

    @property
    def elements_out(self) -> int:
        """Distinct output elements."""
        return sum(p.elements for p in self.outputs)

    def __str__(self) -> str:
        return f"{' ∧ '.join(map(str, self.inputs)) or VOID} → {' ∧ '.join(map(str, self.outputs))}"


def render_sizes(sizes: tuple[int, ...]) -> str:
    """Sizes as text.

    >>> render_sizes((1024, 7))
    '1024x7'
    """
    return "x".join(map(str, sizes))


def parse_class(text: str, names: Mapping[str, int] | None = None) -> AlgorithmClass:
    """The class that a text describes.

    names : values of the size names in the text.

    >>> str(parse_class("1024x1024|neighb(7x7) -> 1024x1024|element"))
    '1024x1024|neighbourhood(7x7) → 1024x1024|element'
    >>> parse_class("A x B|element -> 1|shared", {"A": 4, "B": 3}).inputs[0].elements
    12
    """
    return Parser(text, names or {}).parse()


@dataclass(frozen=True, slots=True)
class Token:
    """One word or sign of a class text."""

    kind: str
    text: str
    at: int


class Parser:
    """Recursive descent over the tokens of one class text."""

    def __init__(self, text: str, names: Mapping[str, int]) -> None:
        self.text = text
        self.names = names
        self.at = 0
        if len(text) > LONGEST:
            raise ClassTextError(f"class text of {len(text)} characters; the longest that makes sense has {LONGEST}")
        self.tokens = self.split()

    def fail(self, at: int, message: str) -> ClassTextError:
        """An error that points at a character."""
        excerpt = one_line(self.text[at : at + 24], 24)
        where = f"at character {at + 1} ('{excerpt}')" if at < len(self.text.rstrip()) else "at the end"
        return ClassTextError(f"bad class {one_line(self.text, 120)!r} {where}: {message}")

    def split(self) -> list[Token]:
        """Tokens of the text, an end mark last."""
        tokens, at = [], 0
        while self.text[at:].strip():
            match = TOKEN.match(self.text, at)
            if match is None or match.lastgroup is None:
                at += len(self.text[at:]) - len(self.text[at:].lstrip())
                raise self.fail(at, f"unexpected {self.text[at]!r}; a class is e.g. 'AxB|element -> AxB|element'")
            kind = match.lastgroup
            tokens.append(Token(kind, match[kind], match.start(kind)))
            at = match.end()
        return [*tokens, Token("end", "", len(self.text))]

    @property
    def next(self) -> Token:
        """The token that comes."""
        return self.tokens[self.at]

    def take(self, kind: str, wanted: str) -> Token:
        """The next token, which must be of a kind."""
        token = self.next
        if token.kind != kind:
            raise self.fail(token.at, f"expected {wanted}")
        self.at += 1
        return token

    def accept(self, kind: str) -> bool:
        """Step over a token of a kind, if one comes."""
        is_next = self.next.kind == kind
        self.at += is_next
        return is_next

    def parse(self) -> AlgorithmClass:
        """The whole class, checked."""
        is_void = self.next.kind == "word" and self.next.text.lower() == VOID
        self.at += is_void
        inputs = [] if is_void or self.next.kind == "arrow" else self.parts()
        self.take("arrow", "'->' and the output, or '∧' ('&') and another input")
        outputs = self.parts()
        self.take("end", "the end, or '&' and another output")
        for (part, at), is_input in [*((p, True) for p in inputs), *((p, False) for p in outputs)]:
            self.check_side(part, at, is_input)
        algorithm = AlgorithmClass(tuple(p for p, _ in inputs), tuple(p for p, _ in outputs))
        self.check_units(algorithm, outputs[0][1])
        return algorithm

    def parts(self) -> list[tuple[Part, int]]:
        """Parts of one side, each with its position."""
        parts = [self.part()]
        while self.accept("and"):
            parts.append(self.part())
        return parts

    def part(self) -> tuple[Part, int]:
        """One array."""
        start = self.next
        unordered = start.kind == "word" and start.text.lower() == "unordered"
        self.at += unordered
        if self.next.kind == "word":
            raise self.fail(self.next.at, self.unknown_word(self.next.text))
        sizes = self.sizes()
        self.take("bar", "'|' and a pattern, or 'x' and another size")
        word = self.take("word", f"a pattern: {', '.join(Pattern)}")
        name = SYNONYMS.get(word.text.lower(), word.text.lower())
        if name not in tuple(Pattern):
            raise self.fail(word.at, self.unknown_word(word.text))
        pattern = Pattern(name)
        extent: tuple[int, ...] = ()
        if pattern in WITH_EXTENT:
            opened = self.take("open", f"'(' and the sizes of the {pattern.value}")
            extent = self.sizes()
            self.take("close", "')', or 'x' and another size")
            self.check_extent(sizes, pattern, extent, opened.at + 1)
        elif pattern in STAGED and self.next.kind == "open":
            opened = self.take("open", "'('")
            extent = self.sizes()
            self.take("close", "')', or 'x' and another size")
            self.check_extent(sizes, pattern, extent, opened.at + 1)
            extent = () if extent == sizes else extent
        elif pattern is Pattern.GATHER and self.accept("open"):
            extent = (self.size(),)
            self.take("close", "')'")
            extent = extent if extent[0] > 1 else ()
        elif self.next.kind == "open":
            raise self.fail(self.next.at, f"'{pattern.value}' takes no sizes")
        return Part(sizes, pattern, extent, unordered), start.at

    @staticmethod
    def unknown_word(word: str) -> str:
        """What to write instead of a word."""
        if word.lower() == "unordered":
            return "'unordered' goes before the sizes, as in 'unordered 1024x1024|element'"
        known = [*Pattern, *SYNONYMS, "unordered"]
        if word.lower() in known:
            return f"sizes go before a pattern, as in '1024x1024|{word.lower()}'"
        near = difflib.get_close_matches(word.lower(), known, 1)
        hint = f"did you mean '{near[0]}'?" if near else f"patterns are {', '.join(Pattern)}"
        return f"'{one_line(word, 40)}' is no pattern; {hint}"

    def sizes(self) -> tuple[int, ...]:
        """Sizes with x between them."""
        at = self.next.at
        sizes = [self.size()]
        while self.accept("by"):
            sizes.append(self.size())
        if math.prod(sizes) > LARGEST:
            raise self.fail(at, f"more than {LARGEST:.0e} elements")
        return tuple(sizes)

    def size(self) -> int:
        """A number or name, or several with products and quotients between them."""
        start = self.next
        value = self.number()
        while self.next.kind == "times":
            sign = self.take("times", "'·'")
            other = self.number()
            if sign.text == "/" and value % other:
                raise self.fail(sign.at, f"{value} is not a multiple of {other}")
            value = value // other if sign.text == "/" else value * other
        if not 0 < value <= LARGEST:
            raise self.fail(start.at, f"a size is a whole number from 1 to {LARGEST:.0e}")
        return value

    def number(self) -> int:
        """One number or name."""
        token = self.next
        if token.kind == "name":
            self.at += 1
            if token.text not in self.names:
                raise self.fail(
                    token.at, f"size {one_line(token.text, 20)} has no value: write a number, or give its value"
                )
            value = int(self.names[token.text])
        else:
            digits = self.take("number", "a size, e.g. 1024 or 1024x1024").text
            value = int(digits) if len(digits) <= len(str(LARGEST)) else 0
        if value <= 0:
            raise self.fail(token.at, f"a size is a whole number from 1 to {LARGEST:.0e}")
        return value

    def check_extent(self, sizes: tuple[int, ...], pattern: Pattern, extent: tuple[int, ...], at: int) -> None:
        """Refuse tiles that do not tile, and neighbourhoods larger than their array."""
        part, whole = render_sizes(extent), render_sizes(sizes)
        tiled = pattern is Pattern.TILE or pattern in STAGED
        if len(extent) > len(sizes) or (tiled and len(extent) != len(sizes)):
            raise self.fail(at, f"{part} has {len(extent)} dimensions, the array {whole} has {len(sizes)}")
        inner = sizes[len(sizes) - len(extent) :]
        if tiled and any(s % e for s, e in zip(inner, extent, strict=True)):
            raise self.fail(at, f"tiles of {part} do not divide {whole}")
        if any(e > s for s, e in zip(inner, extent, strict=True)):
            raise self.fail(at, f"a neighbourhood of {part} is larger than the array {whole}")

    def check_side(self, part: Part, at: int, is_input: bool) -> None:
        """Refuse patterns that only the other side can have."""
        if is_input and part.pattern in (Pattern.SHARED, *STAGED):
            word = part.pattern.value
            raise self.fail(at, f"an input cannot be '{word}': it is element, tile, neighbourhood, full or gather")
        if not is_input and part.pattern in (Pattern.NEIGHBOURHOOD, Pattern.FULL, Pattern.GATHER):
            word = part.pattern.value
            raise self.fail(at, f"an output cannot be '{word}': it is element, tile, shared, scan, sort or fft")
        if not is_input and part.unordered:
            raise self.fail(at, "'unordered' belongs before an input")

    def check_units(self, found: AlgorithmClass, at: int) -> None:
        """Refuse outputs that cannot be dealt out to the same units of work as the inputs."""
        units = {p.units for p in found.outputs if p.pattern is not Pattern.SHARED}
        if len(units) > 1:
            raise self.fail(at, f"outputs of {' and '.join(map(str, sorted(units)))} units cannot share one loop")
        dealt = [p for p in found.inputs if p.pattern not in (Pattern.FULL, Pattern.GATHER)]
        if not units and not found.inputs:
            raise self.fail(at, "what reads no array is dealt out by its output: 'void -> 1024|element'")
        if not units or not dealt:
            return
        out = units.pop()
        # Windows that lie inside of their array, or some elements apart, are fewer than its elements.
        windowed = all(p.pattern is Pattern.ELEMENT for p in found.outputs)
        dealt = [
            p for p in dealt if not windowed or p.pattern is not Pattern.NEIGHBOURHOOD or not shares_windows(p, out)
        ]
        if len(dealt) == len(found.inputs) == 1 and dealt[0].units != out:
            raise self.fail(at, f"{dealt[0].units} units of input cannot become {out} units of output")
        uneven = [p for p in dealt if out % p.units]
        if uneven:
            raise self.fail(at, f"{uneven[0].units} units of input cannot be dealt out to {out} units of output")
