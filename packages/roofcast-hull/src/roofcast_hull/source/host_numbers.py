"""Whole numbers of host code: what an expression of constants, sizes and ``dim3`` is worth where it is known."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

TOKEN = re.compile(
    r"\s*(?:(?P<number>0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)[uUlLfFzZ]*|(?P<name>\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*|\[\d+\])*)"
    r"|(?P<sign><<|>>|<=|>=|==|!=|&&|\|\||[-+*/%()<>?:,!&|^~\[\]]))"
)
PRECEDENCE = {
    "||": 1, "&&": 2, "|": 3, "^": 4, "&": 5, "==": 6, "!=": 6, "<": 7, ">": 7, "<=": 7, ">=": 7, "<<": 8, ">>": 8,
    "+": 9, "-": 9, "*": 10, "/": 10, "%": 10,
}  # fmt: skip
TYPE_BYTES = {
    "char": 1, "bool": 1, "int8_t": 1, "uint8_t": 1, "uchar": 1, "short": 2, "int16_t": 2, "uint16_t": 2, "ushort": 2,
    "half": 2, "__half": 2, "int": 4, "float": 4, "int32_t": 4, "uint32_t": 4, "uint": 4, "unsigned": 4, "double": 8,
    "long": 8, "int64_t": 8, "uint64_t": 8, "size_t": 8,
}  # fmt: skip
"""Bytes of an element on the 64-bit systems that GPUs run under (LP64)."""
VECTOR = re.compile(r"(u?(?:char|short|int|long|float|double))([1-4])")
CASTS = re.compile(r"\b(?:static_cast|reinterpret_cast|const_cast)\s*<[^<>]*>")
LARGEST = 1 << 62
"""Largest number of the host: 64 bits with sign and a bit of room."""
DEEPEST = 60
"""Levels of parentheses."""


class UnknownNumberError(Exception):
    """An expression whose value the file does not say."""


def find_type_bytes(words: str, records: Mapping[str, int] | None = None) -> int | None:
    """Bytes of a type; None for one that is not known. records : bytes of structures of the file.

    >>> find_type_bytes("const unsigned char"), find_type_bytes("float4"), find_type_bytes("double3")
    (1, 16, 24)
    """
    names = re.findall(r"\w+", words)
    if records and (known := [n for n in names if n in records]):
        return records[known[0]]
    ranked = [n for n in ("double", "char", "short") if n in names]
    for name in (*ranked, *(n for n in names if n != "unsigned"), *names):
        if name in TYPE_BYTES:
            return TYPE_BYTES[name]
        if vector := VECTOR.fullmatch(name):
            single = TYPE_BYTES.get(vector[1]) or TYPE_BYTES[vector[1].removeprefix("u")]
            return single * int(vector[2])
    return None


Functions = Mapping[str, tuple[tuple[str, ...], str] | Callable[..., float]]
"""Functions of one expression: names of the parameters, and what is returned; or what computes the result."""


def evaluate_number(
    text: str, known: Mapping[str, float], types: Mapping[str, str] | None = None, functions: Functions | None = None,
    records: Mapping[str, int] | None = None,
) -> float:  # fmt: skip
    """The value of an expression, whole where C's is whole.

    known : values of names, ``block.x`` and the like among them. types : declared types of names, for ``sizeof``.
    functions : those of the file that may be called. records : bytes of its structures.

    Raises
    ------
    UnknownNumberError : a name without a value, a call that is not known, or no expression of numbers.

    >>> evaluate_number("(n + block.x - 1) / block.x", {"n": 1000, "block.x": 256})
    4
    >>> evaluate_number("up(n, 256)", {"n": 1000}, functions={"up": (("a", "b"), "(a + b - 1) / b")})
    4
    """
    return NumberReader(split_tokens(text), known, types or {}, functions or {}, records or {}).read()


@lru_cache(maxsize=4096)
def split_tokens(text: str) -> tuple[str, ...]:
    """Numbers, names and signs of an expression; the condition of a loop is asked every turn.

    Raises
    ------
    UnknownNumberError : what is none of these.
    """
    text = CASTS.sub("", text.replace("std::", "").replace("->", ".")).strip()
    tokens: list[str] = []
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise UnknownNumberError(text)
        tokens.append(match["number"] or match["name"] or match["sign"])
        at = match.end()
    return tuple(tokens)


class NumberReader:
    """Reads one expression from left to right."""

    def __init__(
        self, tokens: Sequence[str], known: Mapping[str, float], types: Mapping[str, str], functions: Functions,
        records: Mapping[str, int],
    ) -> None:  # fmt: skip
        self.tokens = tokens
        self.at, self.depth = 0, 0
        self.known, self.types, self.functions, self.records = known, types, functions, records

    def read(self) -> float:
        """The whole expression."""
        value = self.choose()
        if self.at != len(self.tokens) or not math.isfinite(value) or abs(value) > LARGEST:
            raise UnknownNumberError
        return value

    def peek(self) -> str:
        """The next token; '' at the end."""
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted: str = "") -> str:
        """The next token, which must be the one wanted."""
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise UnknownNumberError
        self.at += 1
        return token

    def choose(self) -> float:
        """``c ? a : b``, or what binds more tightly."""
        condition = self.combine(1)
        if self.peek() != "?":
            return condition
        self.take()
        yes = self.choose()
        self.take(":")
        no = self.choose()
        if math.isnan(condition):
            return yes if yes == no else math.nan
        return yes if condition else no

    def combine(self, least: int) -> float:
        """Operators that bind at least as tightly."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnknownNumberError
        left = self.single()
        while PRECEDENCE.get(self.peek(), 0) >= least:
            op = self.take()
            left = apply_operator(op, left, self.combine(PRECEDENCE[op] + 1))
        self.depth -= 1
        return left

    def single(self) -> float:
        """A number, a name, a call, a cast, or an expression in parentheses."""
        word = self.take()
        if word in ("-", "+", "!", "~"):
            value = self.single()
            if math.isnan(value):
                return value
            return {"-": -value, "+": value, "!": int(not value), "~": ~int(value)}[word]
        if word == "(":
            if self.skip_cast():
                return self.cast()
            inside = self.choose()
            self.take(")")
            return inside
        if word[0].isdigit() or word[0] == ".":
            return int(word, 0) if re.fullmatch(r"0[xX][0-9a-fA-F]+|0|[1-9]\d*", word) else float(word)
        if word == "sizeof":
            return self.size()
        if self.peek() == "(":
            return self.call(word)
        return self.find_named(word)

    def find_named(self, word: str) -> float:
        """What a name stands for: ``n``, ``sizes[2].x``, and ``*n`` for what it leads to."""
        if word == "*":
            return self.known.get(f"{self.take()}.at_", math.nan)
        if not re.match(r"[A-Za-z_]", word):
            raise UnknownNumberError(word)
        while self.peek() == "[":
            self.take()
            index = self.choose()
            self.take("]")
            word = f"{word}[{index:.0f}]"
            if self.peek().startswith("."):
                word += self.take()
        return self.known.get(word, math.nan)

    def skip_cast(self) -> bool:
        """Whether ``(type)`` follows; it is taken."""
        end = self.at
        while end < len(self.tokens) and (re.fullmatch(r"[A-Za-z_]\w*", self.tokens[end]) or self.tokens[end] == "*"):
            end += 1
        words = self.tokens[self.at : end]
        if not words or end >= len(self.tokens) or self.tokens[end] != ")":
            return False
        if any(w in self.known for w in words) or find_type_bytes(" ".join(words)) is None:
            return False
        self.words = words
        self.at = end + 1
        return True

    def cast(self) -> float:
        """The value after a cast: whole where the type is."""
        words = self.words
        value = self.single()
        if math.isnan(value):
            return value
        return float(value) if {"float", "double"} & set(words) else math.trunc(value)

    def size(self) -> int:
        """``sizeof(type)``, ``sizeof(float[ROWS][4])``, ``sizeof(*p)``, ``sizeof x``."""
        words: list[str] = []
        lengths: list[float] = []
        inside = self.peek() == "("
        if inside:
            self.take()
            while self.peek() not in (")", ""):
                word = self.take()
                if (match := re.fullmatch(r"(\w+)\[(\d+)\]", word)) and match[1] not in self.types:
                    words.append(match[1])
                    lengths.append(int(match[2]))
                elif word == "[" and words and words[-1] not in self.types:
                    lengths.append(self.choose())
                    self.take("]")
                else:
                    words.append(word)
            self.take(")")
        else:
            words.append(self.take())
        pointed = words[0] == "*"
        name = words[-1]
        declared = None if name in self.records else self.types.get(name)
        if declared is not None:
            size = find_type_bytes(declared, self.records) if pointed or "*" not in declared else 8
        else:
            size = 8 if "*" in words else find_type_bytes(" ".join(words), self.records)
        if size is None or any(map(math.isnan, lengths)):
            raise UnknownNumberError(name)
        return size * int(math.prod(lengths))

    def call(self, name: str) -> float:
        """A call of a small function that every host knows."""
        self.take("(")
        if name not in self.functions and name not in CALLS:
            self.skip_arguments()
            return math.nan
        values = [self.choose()] if self.peek() != ")" else []
        while self.peek() == ",":
            self.take()
            values.append(self.choose())
        self.take(")")
        if name in self.functions:
            return self.call_own(name, values)
        if any(map(math.isnan, values)):
            return math.nan
        try:
            return CALLS[name](*values)
        except (TypeError, ValueError, OverflowError):
            return math.nan

    def call_own(self, name: str, values: Sequence[float]) -> float:
        """The result of a function of the file."""
        function = self.functions[name]
        try:
            if callable(function):
                return function(*values)
            parameters, returned = function
            inside = {k: v for k, v in self.known.items() if k.partition(".")[0] not in parameters}
            inside |= dict(zip(parameters, values, strict=False))
            # One function less, so that none can call itself.
            others = {n: f for n, f in self.functions.items() if n != name}
            return evaluate_number(returned, inside, self.types, others, self.records)
        except UnknownNumberError:
            return math.nan

    def skip_arguments(self) -> None:
        """What stands behind an open parenthesis, and its end."""
        depth = 1
        while depth:
            sign = self.take()
            depth += (sign == "(") - (sign == ")")


CALLS: dict[str, Callable[..., float]] = {
    "min": min, "max": max, "ceil": math.ceil, "ceilf": math.ceil, "floor": math.floor, "sqrt": math.sqrt,
    "int": math.trunc, "size_t": math.trunc, "unsigned": math.trunc, "float": float, "double": float, "pow": math.pow,
}  # fmt: skip


def apply_operator(op: str, left: float, right: float) -> float:
    """Two numbers combined as C does it: division of whole numbers cuts off."""
    if math.isnan(left) or math.isnan(right):
        decides = {"&&": 0, "||": 1}.get(op)
        sides = [bool(n) for n in (left, right) if not math.isnan(n)]
        return decides if decides is not None and decides in sides else math.nan
    whole = isinstance(left, int) and isinstance(right, int)
    if op in ("/", "%") and right == 0:
        raise UnknownNumberError(op)
    if op in ("<<", ">>", "%", "&", "|", "^") and (not whole or (op in ("<<", ">>") and not 0 <= right < 63)):
        raise UnknownNumberError(op)
    a, b = (left, right) if not whole else (int(left), int(right))
    results: dict[str, Callable[[], float]] = {
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b,
        "/": lambda: int(a / b) if whole and abs(a) < 1 << 52 else (a // b if whole else a / b),
        "%": lambda: int(math.fmod(a, b)), "<<": lambda: int(a) << int(b), ">>": lambda: int(a) >> int(b),
        "&": lambda: int(a) & int(b), "|": lambda: int(a) | int(b), "^": lambda: int(a) ^ int(b),
        "&&": lambda: int(bool(a and b)), "||": lambda: int(bool(a or b)), "==": lambda: int(a == b),
        "!=": lambda: int(a != b), "<": lambda: int(a < b), ">": lambda: int(a > b), "<=": lambda: int(a <= b),
        ">=": lambda: int(a >= b),
    }  # fmt: skip
    return results[op]()
