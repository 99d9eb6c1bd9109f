"""The class notation: parse, print, parse; errors that point at the character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofcast_hull.classes import CLASSES, Family, find_family
from roofcast_hull.notation import AlgorithmClass, ClassTextError, Part, Pattern, parse_class

SIZE = st.integers(1, 4096)


@st.composite
def classes(draw: st.DrawFn) -> AlgorithmClass:
    """Classes of every family, of one to three dimensions."""
    tile = draw(st.lists(st.integers(1, 8), min_size=1, max_size=3).map(tuple))
    counts = draw(st.lists(st.integers(1, 64), min_size=len(tile), max_size=len(tile)).map(tuple))
    whole = tuple(t * c for t, c in zip(tile, counts, strict=True))
    element = Part(whole, Pattern.ELEMENT)
    kind = draw(st.integers(0, 6))
    if kind == 0:
        return AlgorithmClass((Part(whole, Pattern.ELEMENT, (), draw(st.booleans())),), (element,))
    if kind == 1:
        return AlgorithmClass((Part(whole, Pattern.TILE, tile),), (Part(counts, Pattern.ELEMENT),))
    if kind == 2:
        return AlgorithmClass((Part(whole, Pattern.TILE, tile),), (Part(whole, Pattern.TILE, tile),))
    if kind == 3:
        return AlgorithmClass((Part(counts, Pattern.ELEMENT),), (Part(whole, Pattern.TILE, tile),))
    if kind == 4:
        reach = tuple(draw(st.integers(1, s)) for s in whole)
        return AlgorithmClass((Part(whole, Pattern.NEIGHBOURHOOD, reach),), (element,))
    if kind == 5:
        return AlgorithmClass((element,), (Part((draw(SIZE),), Pattern.SHARED),))
    return AlgorithmClass((element, Part((draw(SIZE),), Pattern.FULL), element), (element,))


@given(classes())
def test_parse_print_parse(found: AlgorithmClass) -> None:
    assert parse_class(str(found)) == found
    assert str(parse_class(str(found))) == str(found)


@given(st.text(alphabet="0123456789xAB|()→->&∧ elmntighbourdsacf·*/", max_size=60))
def test_any_text_is_a_class_or_one_line(text: str) -> None:
    refusal, found = "", None
    try:
        found = parse_class(text, {"A": 4, "B": 8})
    except ClassTextError as error:
        refusal = str(error)
    assert "\n" not in refusal
    assert found is None or parse_class(str(found)) == found


@pytest.mark.parametrize("family", CLASSES.values(), ids=lambda f: f.key)
def test_every_family_has_an_example_that_is_its_own(family: Family) -> None:
    assert find_family(parse_class(family.example)) is family


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("1024x1024|neighb(7x7) → 1024x1024|element", "1024x1024|neighbourhood(7x7) -> 1024x1024|element"),
        ("8 × 8 | Element & 8x8|element => 8x8|element", "8x8|element ∧ 8x8|element → 8x8|element"),
        ("8x8|chunk(1x8) -> 8|element", "8x8|tile(1x8) → 8|element"),
        ("AxB|element → A·2xB·2|tile(2x2)", "4x8|element → 8x16|tile(2x2)"),
        ("AxB|tile(2x4) -> A/2xB/4|element", "4x8|tile(2x4) -> 2x2|element"),
        ("4X8|element -> 1|shared", "4x8|element -> 1|shared"),
        (" -> 4x8|element", "void → 4x8|element"),
        ("Void -> 4x8|tile(1x8)", "void → 4x8|tile(1x8)"),
    ],
)
def test_other_spellings(text: str, same: str) -> None:
    assert parse_class(text, {"A": 4, "B": 8}) == parse_class(same)


@pytest.mark.parametrize(
    ("text", "at", "says"),
    [
        ("1024x1024|eleent -> 1|shared", "character 11 ('eleent", "did you mean 'element'"),
        ("", "at the end", "a size"),
        ("|element", "character 1 (", "a size"),
        ("4x|element", "character 3 ('|element", "a size"),
        ("4x4|element", "at the end", "'->'"),
        ("4x4|element -> 1|shared $", "character 25 ('$", "unexpected"),
        ("4x4|tile -> 4|element", "character 10 ('->", "sizes of the tile"),
        ("4x4|tile(3x4) -> 4|element", "character 10 ('3x4", "do not divide"),
        ("4x4|tile(4) -> 4|element", "character 10 ('4)", "dimensions"),
        ("4x4|neighbourhood(5x5) -> 4x4|element", "character 19 ('5x5", "larger than"),
        ("4x4|element(2) -> 4x4|element", "character 12 ('(2)", "takes no sizes"),
        ("4|element -> 5|element", "character 14 ('5|", "cannot become"),
        ("4|neighbourhood(3) -> 5|element", "character 23 ('5|", "cannot become"),
        ("void -> 1|shared", "character 9 ('1|", "dealt out by its output"),
        ("4|shared -> 4|element", "character 1 ('4|", "input"),
        ("4|element -> 4|full", "character 14 ('4|full", "output"),
        ("4|element -> unordered 4|element", "character 14 ('unordered", "before an input"),
        ("4|unordered element -> 4|element", "character 3 ('unordered", "goes before the sizes"),
        ("AxB|element -> 1|shared", "character 1 ('AxB", "A has no value"),
        ("0x4|element -> 1|shared", "character 1 ('0x4", "from 1"),
        ("99999999x99999999|element -> 1|shared", "character 1 (", "elements"),
    ],
)
def test_errors_point_at_the_character(text: str, at: str, says: str) -> None:
    with pytest.raises(ClassTextError) as caught:
        parse_class(text)
    assert at in str(caught.value)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_windows_inside_of_an_array_are_fewer_than_its_elements() -> None:
    """The bytes of both, the work of the output; where both are as large it is the published row."""
    inside = parse_class("66x66|neighbourhood(3x3) -> 64x64|element")
    assert (inside.elements_in, inside.elements_out) == (66 * 66, 64 * 64)
    assert find_family(inside).variables(inside).work_units == 64 * 64
    assert find_family(parse_class("64x64|neighbourhood(3x3) -> 64x64|element")).row is not None
