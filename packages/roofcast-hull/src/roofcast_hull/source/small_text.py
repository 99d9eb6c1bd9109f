"""A source text with smaller numbers: what runs in no time where a file writes its sizes as literals.

Numbers that are one or two beside a larger one (``N - 1`` written out) stay beside it. Numbers in hexadecimal are
masks, and those with a fraction are data: they stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from roofcast_hull.source.run_check import shrink_size

NUMBER = re.compile(
    r"(?P<skip>//[^\n]*|/\*.*?\*/|#[^\n]*(?<!\\)\n(?=\s*#?include)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*')"
    r"|(?<![\w.])(?P<shift>1[uUlL]*\s*<<\s*)(?P<bits>\d+)\b|(?<![\w.])(?P<digits>[1-9][\d']*)(?P<suffix>[uUlL]*)(?![\w.])",
    re.DOTALL,
)
LEAST = (64, 16)
"""Numbers above these are made smaller: first those that are no tiles or warps, then those too."""
BESIDE = 2
"""How far beside a larger number another one is its border."""
MOST_BITS = 40
"""Bits of a number that is a size."""


def shrink_texts(text: str, sizes: Mapping[str, int]) -> Iterator[tuple[str, dict[str, int], dict[str, int]]]:
    """A text with its sizes, each time smaller or of another shape, and what its numbers have become."""
    for least in LEAST:
        for times in (1, 2):
            for halved in (False, True):
                mapped = map_numbers([*find_numbers(text), *sizes.values()], least, times, halved)
                changed = {str(a): b for a, b in mapped.items() if a != b}
                if changed:
                    yield replace_numbers(text, mapped), {n: mapped.get(v, v) for n, v in sizes.items()}, changed


def find_numbers(text: str) -> list[int]:
    """Whole numbers of a text."""
    numbers: list[int] = []
    for match in NUMBER.finditer(text):
        if match["skip"] and has_sizes(match["skip"]):
            numbers += find_numbers(match["skip"][1:-1])
        elif match["digits"]:
            numbers.append(int(match["digits"].replace("'", "")))
        elif match["bits"] and int(match["bits"]) < MOST_BITS:
            numbers.append(1 << int(match["bits"]))
    return numbers


def map_numbers(numbers: list[int], least: int, times: int, halved: bool) -> dict[int, int]:
    """What each number becomes.

    halved : whether the largest is made smaller once more, so that no two sizes are equal by accident.

    >>> map_numbers([1000, 999, 8, 4096], 64, 1, False)
    {4096: 64, 1000: 32, 999: 31, 8: 8}
    """
    mapped: dict[int, int] = {}
    largest = max(numbers, default=0)
    for number in sorted(set(numbers), reverse=True):
        base = next((n for n in mapped if 0 < n - number <= BESIDE), None)
        beyond = next((n for n in numbers if n > least and 0 < number - n <= BESIDE and n & (n - 1) == 0), None)
        if number <= least:
            mapped[number] = number
        elif beyond is not None:
            mapped[number] = shrink_times(beyond, times, halved and number == largest) + number - beyond
        elif base is not None:
            mapped[number] = mapped[base] - (base - number)
        else:
            mapped[number] = shrink_times(number, times, halved and number == largest)
    return mapped


def shrink_times(number: int, times: int, halved: bool) -> int:
    """A size made smaller, several times."""
    for _ in range(times):
        number = shrink_size(number)
    return number // 2 if halved and number >= 2 * BESIDE else number


def replace_numbers(text: str, mapped: Mapping[int, int]) -> str:
    """The text with other numbers."""

    def write(match: re.Match[str]) -> str:
        if match["skip"] and has_sizes(match["skip"]):
            return match[0][0] + replace_numbers(match[0][1:-1], mapped) + match[0][-1]
        if match["digits"]:
            number = int(match["digits"].replace("'", ""))
            return f"{mapped.get(number, number)}{match['suffix']}"
        if match["bits"] and int(match["bits"]) < MOST_BITS:
            return str(mapped.get(1 << int(match["bits"]), 1 << int(match["bits"])))
        return match[0]

    return NUMBER.sub(write, text)


def has_sizes(text: str) -> bool:
    """Whether what is no code is a shape in quotes: ``x: "float32[64, 64]"``."""
    return text[0] in "\"'" and "[" in text
