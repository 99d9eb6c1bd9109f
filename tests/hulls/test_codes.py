"""Codes as people write them: the class, steps and operations derived by hand, or the refusal."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from roofcast.hulls.notation import AlgorithmClass, parse_class
from roofcast.hulls.source.classify import classify_source
from roofcast.hulls.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

CODES = Path(__file__).with_name("codes")
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((CODES / "expected.toml").read_text(encoding="utf-8"))
BORDER = 0.01


def are_alike(found: AlgorithmClass, expected: AlgorithmClass) -> bool:
    """The same arrays in the same patterns, whatever their order; sizes may differ by a border."""

    def ordered(parts: tuple[Any, ...]) -> list[Any]:
        return sorted(parts, key=lambda p: (p.pattern, p.unordered, len(p.sizes), p.extent, p.elements))

    for mine, theirs in ((found.inputs, expected.inputs), (found.outputs, expected.outputs)):
        if len(mine) != len(theirs):
            return False
        for a, b in zip(ordered(mine), ordered(theirs), strict=True):
            same = (a.pattern, a.unordered, len(a.sizes)) == (b.pattern, b.unordered, len(b.sizes))
            sizes = zip((*a.sizes, *a.extent), (*b.sizes, *b.extent), strict=False)
            if not same or len(a.extent) != len(b.extent) or any(abs(x / y - 1) > BORDER for x, y in sizes):
                return False
    return True


@pytest.mark.parametrize("name", EXPECTED)
def test_class_or_refusal(name: str) -> None:
    expected = EXPECTED[name]
    path = str(CODES / name.partition("#")[0])
    if "classes" not in expected:
        with pytest.raises(SourceError, match=expected["refused"]):
            classify_source(path, expected.get("sizes", {}))
        return
    try:
        found = classify_source(path, expected.get("sizes", {}))
    except SourceError as error:
        if not re.search(expected.get("refused", "(?!)"), str(error)):
            raise
        return
    classes = [str(f.found) for f in found]
    wanted = [parse_class(text) for text in expected["classes"]]
    assert len(found) == len(wanted), classes
    assert all(are_alike(f.found, w) for f, w in zip(found, wanted, strict=True)), classes
    assert [f.repetitions for f in found] == expected.get("repetitions", [1] * len(found))
    assert sum(f.operations for f in found) == pytest.approx(expected["operations"], rel=BORDER)


def test_most_codes_have_a_class() -> None:
    """Forty of the fifty are classes of the notation: refusing them all would be no answer."""
    assert sum("classes" in e for e in EXPECTED.values()) >= 40
