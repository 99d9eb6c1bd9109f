"""What the words of the output mean: docs/glossary.md, which the package carries, for help, tooltips and `explain`."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from roofcast.core.errors import RoofcastError, one_line

PAGE = "glossary.md"
ARROW = re.compile(r"\s*(?:→|->)\s*")
CHANGE = "a → b (FP32 → load/store)"
"""The entry of what the column `limit` shows where source and target differ."""
ENTRY = re.compile(r"^- \*([^*]+)\*: (.+)$", re.MULTILINE)
MARKUP = re.compile(r"\[([^\]]*)\]\([^)]*\)|[`*]")


@cache
def load_words() -> dict[str, str]:
    """Words of the glossary, in its order, with what they mean as plain text."""
    packaged = Path(__file__).parents[1] / PAGE
    # In a checkout the page stands with the other documents.
    page = packaged if packaged.is_file() else Path(__file__).parents[3] / "docs" / PAGE
    if not page.is_file():
        raise RoofcastError("this installation has no glossary: install roofcast again")
    return {word: MARKUP.sub(r"\1", meaning) for word, meaning in ENTRY.findall(page.read_text(encoding="utf-8"))}


@cache
def name_words() -> dict[str, str]:
    """Every spelling of a word, in lower case -> the word as the glossary has it."""
    words = {part.strip().lower(): word for word in load_words() for part in word.split(",")}
    return words | {word.lower(): word for word in load_words()}


def find_meaning(word: str) -> str:
    """What one word means; '' where the glossary does not have it.

    >>> find_meaning("DRAM")[:38]
    'the resource of bytes moved between th'
    """
    asked = " ".join(word.lower().split())
    named = name_words()
    return load_words()[named[asked]] if asked in named else ""


def explain_limit(text: str) -> str:
    """What a cell of the column `limit` means, for a tooltip; '' where there is nothing to say.

    >>> explain_limit("FP32 → load/store").count(": ")
    2
    """
    parts = [p for p in ARROW.split(text) if p.strip()]
    sentences = [f"{p}: {find_meaning(p)}" for p in dict.fromkeys(parts) if find_meaning(p)]
    return "; ".join(sentences)


def explain(term: str) -> list[tuple[str, str]]:
    """(word, meaning) of a term; of a limit that changes, the change and both sides.

    Raises
    ------
    RoofcastError : the glossary has no such word.
    """
    from difflib import get_close_matches

    parts = [p.strip() for p in ARROW.split(term) if p.strip()]
    words = [(CHANGE, load_words()[CHANGE])] if len(parts) > 1 else []
    for part in dict.fromkeys(parts):
        meaning = find_meaning(part)
        if not meaning:
            near = get_close_matches(part.lower(), name_words(), 3, 0.5)
            hint = f"did you mean {', '.join(near)}?" if near else "`roofcast explain` lists all words"
            raise RoofcastError(f"no word {one_line(part, 60)!r} in the glossary; {hint}")
        words.append((part, meaning))
    if not words:
        raise RoofcastError("give a word, such as limit; `roofcast explain` lists all")
    return words
