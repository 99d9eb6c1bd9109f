"""The classes that Nugteren and Corporaal (2012) print come out of plain C and plain CUDA as a person writes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hulls.test_codes import are_alike
from roofcast_hull.notation import parse_class
from roofcast_hull.source.classify import classify_source

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")
pytest.importorskip("clang", reason="the extra 'source' is not installed")

CODES = Path(__file__).parent / "codes" / "paper"
CASE_STUDY = {
    "histogram": "1024x1024|element -> 256|shared",
    "maximum": "262144|element -> 1|shared",
    "threshold": "1024x1024|element -> 1024x1024|element",
    "erode": "1024x1024|neighbourhood(7x7) -> 1024x1024|element",
    "x_projection": "1024x1024|tile(1x1024) -> 1024|element",
    "y_projection": "1024x1024|tile(1024x1) -> 1024|element",
}
"""Table 4."""
PRIMITIVES = {
    "binarise": "2048x2048|element -> 2048x2048|element",
    "mirror": "unordered 2048x2048|element -> 2048x2048|element",
    "scale_down": "2048x2048|tile(4x4) -> 512x512|element",
    "dct": "2048x2048|tile(8x8) -> 2048x2048|tile(8x8)",
    "enlarge": "512x512|element -> 2048x2048|tile(4x4)",
    "convolve": "2048x2048|neighbourhood(7x7) -> 2048x2048|element",
    "convolve_rows": "2048x2048|neighbourhood(5) -> 2048x2048|element",
    "sum_all": "2048x2048|element -> 1|shared",
    "difference": "2048x2048|element & 2048x2048|element -> 2048x2048|element",
    "multiply": "1024x512|tile(1x512) & 512x256|tile(512x1) -> 1024x256|element",
}
"""Table 1."""


@pytest.mark.parametrize("language", ["c", "cu"])
@pytest.mark.parametrize(
    ("file", "function", "printed"),
    [
        (f, name, text)
        for f, table in (("focus", CASE_STUDY), ("primitives", PRIMITIVES))
        for name, text in table.items()
    ],
)
def test_classes_of_the_paper(file: str, function: str, printed: str, language: str) -> None:
    [found] = classify_source(f"{CODES / file}.{language}:{function}")
    assert are_alike(found.found, parse_class(printed), 0.02)


def test_sizes_come_from_the_calls_of_the_file() -> None:
    [found] = classify_source(f"{CODES / 'focus.c'}:maximum")
    assert any("those of its call" in note for note in found.notes)
    [given] = classify_source(f"{CODES / 'focus.c'}:maximum", {"n": 4096})
    assert given.found == parse_class("4096|element -> 1|shared")
