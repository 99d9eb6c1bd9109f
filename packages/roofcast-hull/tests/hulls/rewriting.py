"""The same code written otherwise: what the reader says then of what it gets right as it stands.

A rewrite (:mod:`hulls.rewrites_c`, :mod:`hulls.rewrites_styles`, :mod:`hulls.rewrites_python`,
:mod:`hulls.rewrites_python_styles`) does not change what a code computes, so that class, operations and bytes stay, or
change as it says. ``python tools/score_rewrites.py`` counts over a sample.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from hulls import rewrites_c, rewrites_python, rewrites_python_styles, rewrites_styles, test_blind
from roofcast_hull.bounds import ELEMENT_TYPES
from roofcast_hull.source.classify import classify_source
from roofcast_hull.source.found_class import Found
from roofcast_hull.source.nest import SourceError

LANGUAGES = {"c": (rewrites_c, rewrites_styles), "python": (rewrites_python, rewrites_python_styles)}
REWRITES: dict[str, dict[str, Callable[[str], Any]]] = {
    language: {name: r for module in modules for name, r in module.SAME.items()}
    for language, modules in LANGUAGES.items()
}
"""By language and name."""
SAME, ALIKE, REFUSED, WRONG, INVALID = "same", "alike", "refused", "wrong", "invalid"
"""The answer as before; another that the expectations allow; none; one that they do not allow; not the same code."""
Answer = tuple[str, str]


def language_of(name: str) -> str:
    """Of a code by its file."""
    return "python" if name.partition(":")[0].endswith(".py") else "c"


@cache
def read_base(codes: str, name: str) -> tuple[Found, ...] | None:
    """Classes of a code as it stands; None for one that the reader does not get right, or rightly refuses."""
    if test_blind.score(name, codes) != "right":
        return None
    try:
        expected = test_blind.EXPECTED[codes][name]
        return tuple(classify_source(str(test_blind.CODES / codes / name), expected.get("sizes", {})))
    except SourceError:
        return None


def count_bytes(found: tuple[Found, ...]) -> float:
    """B that classes move."""
    return sum(
        (f.element_bytes or ELEMENT_TYPES[f.element or "fp32"][0]) * (f.found.elements_in + f.found.elements_out)
        for f in found
    )


def are_same(found: tuple[Found, ...], base: tuple[Found, ...], scale: float = 1) -> bool:
    """Whether two answers are the same. scale : of the bytes of the first over those of the second."""
    operations = sum(f.operations for f in base)
    return (
        [str(f.found) for f in found] == [str(f.found) for f in base]
        and sum(f.operations for f in found) == pytest.approx(operations, rel=1e-3)
        and count_bytes(found) == pytest.approx(scale * count_bytes(base))
    )


def ask(new: str, codes: str, name: str, function: str) -> tuple[Found, ...]:
    """Classes of a text that stands for a code.

    Raises
    ------
    SourceError : none.
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name.rpartition(":")[0]).name
        path.write_text(new, encoding="utf-8")
        return tuple(classify_source(f"{path}:{function}", test_blind.EXPECTED[codes][name].get("sizes", {})))


def show(found: tuple[Found, ...]) -> str:
    """Classes on one line."""
    return "; ".join(f"{f.found}, {f.operations:g} operations, {f.element}" for f in found)


def judge(rewrite: Callable[[str], Any], codes: str, name: str, scale: float = 1) -> Answer | None:
    """What the reader makes of a code once it is written otherwise; None where the rewrite finds nothing to do."""
    file, _, function = name.rpartition(":")
    text = (test_blind.CODES / codes / file).read_text(encoding="utf-8")
    new = rewrite(text)
    meaning: dict[str, str] = {}
    if isinstance(new, tuple):
        new, meaning = new
        if test_blind.EXPECTED[codes][name].get("sizes"):
            return None  # They are given by name.
    if new is None or new == text or (base := read_base(codes, name)) is None:
        return None
    if language_of(name) == "c" and rewrites_c.parse(new).errors > rewrites_c.parse(text).errors:
        return INVALID, ""
    try:
        found = ask(new, codes, name, meaning.get(function, function))
    except SourceError as error:
        return REFUSED, str(error)
    if are_same(found, base, scale):
        return SAME, ""
    kind = ALIKE if scale == 1 and test_blind.judge(found, test_blind.EXPECTED[codes][name]) == "right" else WRONG
    return kind, f"{show(found)} (was {show(base)})"


def draw_codes(language: str, seed: str) -> Iterator[tuple[str, str]]:
    """All codes of a language in an order of their own, a function of each file."""
    names = [(c, n) for c in test_blind.SETS for n in test_blind.EXPECTED[c] if language_of(n) == language]
    random.Random(seed).shuffle(names)
    seen = set[tuple[str, str]]()
    for codes, name in names:
        key = codes, name.rpartition(":")[0]
        if key not in seen:
            seen.add(key)
            yield codes, name


def list_rewrites() -> Iterator[tuple[str, str, Callable[[str], Any], float]]:
    """Language, name, rewrite and how many times as many bytes it moves."""
    for language, (module, _) in LANGUAGES.items():
        for name, rewrite in REWRITES[language].items():
            yield language, name, rewrite, 1
        for name, (other, scale) in module.SCALED.items():
            yield language, name, other, scale
