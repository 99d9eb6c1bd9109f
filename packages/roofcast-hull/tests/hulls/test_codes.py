"""Codes as people write them: the class, steps and operations derived by hand, or the refusal."""

from __future__ import annotations

import re
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from roofcast_hull.notation import STAGED, AlgorithmClass, Part, Pattern, parse_class
from roofcast_hull.source import parallel
from roofcast_hull.source.classify import classify_source, classify_text
from roofcast_hull.source.found_class import Found
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.run_check import Claim, Machine, compare_claims, compare_units
from roofcast_hull.source.run_threads import SAMPLED
from roofcast_hull.source.small_runs import read_code

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")

CODES = Path(__file__).with_name("codes")
EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((CODES / "expected.toml").read_text(encoding="utf-8"))
BORDER = 0.01


def spell_by_tiles(found: AlgorithmClass) -> AlgorithmClass:
    """A class as it was written before the notation had words for what is computed in stages: units are tiles."""

    def spell(part: Part, staged: bool) -> Part:
        whole = part.pattern in STAGED or (staged and part.pattern is Pattern.FULL)
        return replace(part, pattern=Pattern.TILE, extent=part.extent or part.sizes) if whole else part

    staged = any(p.pattern in STAGED for p in found.outputs)
    inputs, outputs = (tuple(spell(p, staged) for p in side) for side in (found.inputs, found.outputs))
    return AlgorithmClass(inputs, outputs)


def are_alike(found: AlgorithmClass, expected: AlgorithmClass, border: float = BORDER) -> bool:
    """The same arrays in the same patterns, whatever their order; sizes may differ by a border."""

    def flat(part: Part) -> Part:
        """Whole rows one behind the other are one row: 64x256|tile(1x256) is 16384|tile(256); sums have no rows, and
        data choose places of a whole array.

        Tiles that fill a dimension but for the ones above are the same with both joined: 8x2x64|tile(1x2x1) is
        16x64|tile(2x1).
        """
        sizes, extent = part.sizes, part.extent
        whole = (Pattern.FULL, Pattern.SHARED, Pattern.GATHER)
        if part.pattern in whole or (part.pattern is Pattern.ELEMENT and not part.unordered):
            return replace(part, sizes=(part.elements,))
        at = len(sizes) - 1
        while part.pattern in (Pattern.TILE, *STAGED) and at > 0 and len(sizes) == len(extent):
            if extent[at] == sizes[at] or (extent[at - 1] == 1 and sizes[at] % extent[at] == 0):
                sizes = (*sizes[: at - 1], sizes[at - 1] * sizes[at], *sizes[at + 1 :])
                extent = (*extent[: at - 1], extent[at - 1] * extent[at], *extent[at + 1 :])
            at -= 1
        return replace(part, sizes=sizes, extent=extent)

    def ordered(parts: tuple[Part, ...]) -> list[Part]:
        return sorted(map(flat, parts), key=lambda p: (p.pattern, p.unordered, len(p.sizes), cover(p), p.elements))

    for mine, theirs in ((found.inputs, expected.inputs), (found.outputs, expected.outputs)):
        if len(mine) != len(theirs):
            return False
        for a, b in zip(ordered(mine), ordered(theirs), strict=True):
            same = (a.pattern, a.unordered, len(a.sizes)) == (b.pattern, b.unordered, len(b.sizes))
            extents = [cover(p) for p in (a, b)]
            sizes = zip((*a.sizes, *extents[0]), (*b.sizes, *extents[1]), strict=False)
            if not same or len(extents[0]) != len(extents[1]) or any(abs(x / y - 1) > border for x, y in sizes):
                return False
    return True


def cover(part: Part) -> tuple[int, ...]:
    """Extents along all dimensions; those of neighbourhoods as the odd box around a place that covers them.

    Some who wrote classes by hand had boxes of two for an element and the next one, others the odd box of their rules.
    """
    if part.pattern is not Pattern.NEIGHBOURHOOD:
        return (1,) * (len(part.sizes) - len(part.extent)) + part.extent if part.extent else ()
    return (1,) * (len(part.sizes) - len(part.extent)) + tuple(e + 1 - e % 2 for e in part.extent)


def is_said(found: Found, expected: AlgorithmClass, border: float = BORDER) -> bool:
    """Whether the reader says a class, members of structures together or apart."""
    return any(c is not None and are_alike(c, expected, border) for c in (found.found, found.apart))


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
    assert all(is_said(f, w) for f, w in zip(found, wanted, strict=True)), classes
    assert [f.repetitions for f in found] == expected.get("repetitions", [1] * len(found))
    assert sum(f.operations for f in found) == pytest.approx(expected["operations"], rel=BORDER)


def test_most_codes_have_a_class() -> None:
    """Forty of the fifty are classes of the notation: refusing them all would be no answer."""
    assert sum("classes" in e for e in EXPECTED.values()) >= 40


RUN = "run at small sizes"


@pytest.mark.parametrize("name", ["arrays.c:exponential_average", "arrays.py:cumulative"])
def test_execution_refutes_a_parallel_class_of_serial_code(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "add_scans", lambda *_: None)
    with pytest.raises(SourceError, match=RUN):
        classify_source(str(CODES / name))


def test_execution_refutes_operations_and_elements() -> None:
    claim = Claim(("y",), (64,), 64, 64, 128.0, 1, 64, gathers=False, varies=False, shared=False)
    machine = Machine()
    for i in range(64):
        found = machine.compute(1.0, machine.read("x", i))
        machine.write("y", i, machine.compute(1.0, found))
    assert compare_claims(machine, [claim]) is None
    assert "operations" in str(compare_claims(machine, [replace(claim, operations=640.0)]))
    assert "writes" in str(compare_claims(machine, [replace(claim, elements_out=(6400,))]))
    assert "reads" in str(compare_claims(machine, [replace(claim, elements_in=6400, elements_in_least=6400)]))
    for i in range(200):
        machine.read("z", i)
    assert "reads" in str(compare_claims(machine, [claim]))


@pytest.mark.slow
def test_code_that_never_ends_is_left_unchecked() -> None:
    code = "void f(float *x) { for (int i = 0; i < 1000000000; i++) x[i] = 2 * x[i]; }"
    assert str(classify_text(code)[0].found) == "1000000000|element → 1000000000|element"


def test_a_place_that_depends_on_what_was_kept_before_is_serial() -> None:
    code = "void f(float *x, float *y) { int n = 0; for (int i = 0; i < 99; i++) if (x[i] > 0) y[n++] = x[i]; }"
    with pytest.raises(SourceError, match="serial"):
        classify_text(code, sizes={"y": 99})


@pytest.mark.parametrize("loop", ["for (; i < n; i += stride)", "for (int k = i; k < n; k += stride)"])
def test_a_stride_of_the_grid_has_any_name(loop: str) -> None:
    at = "k" if "int k" in loop else "i"
    code = (
        "__global__ void f(int n, float *y, const float *x) { int i = blockDim.x * blockIdx.x + threadIdx.x;"
        f" int stride = gridDim.x * blockDim.x; {loop} y[{at}] += 2.0f * x[{at}]; }}"
    )
    [found] = classify_text(code, sizes={"n": 4096})
    assert (str(found.found), found.operations) == ("4096|element ∧ 4096|element → 4096|element", 8192)


def test_a_unit_of_several_threads_that_do_not_wait_is_refuted() -> None:
    claim = Claim(("y",), (64,), 64, 64, 64.0, 1, 2, gathers=False, varies=False, shared=False, of_unit=32)
    assert compare_units(Machine(most_of_thread=16), [claim]) is None
    assert "in a thread" in str(compare_units(Machine(most_of_thread=1), [claim]))
    assert compare_units(Machine(), [claim]) is None


@pytest.mark.parametrize("waits", ["", "__syncthreads();"])
def test_what_one_thread_writes_is_known_where_none_waits(waits: str) -> None:
    code = (
        "__global__ void f(float *y, const float *x) { int i = blockDim.x * blockIdx.x + threadIdx.x;"
        f" {waits} y[2 * i] = x[i]; y[2 * i + 1] = x[i] + 1.0f; }}"
    )
    reading = read_code(code, "c", {"gridDim.x": 4, "blockDim.x": 32}, "f")
    assert [m.most_of_thread for m in (reading.run(), reading.run(sampled=True))] == ([0, 0] if waits else [2, 2])
    assert len(reading.run(sampled=True).written) == 2 * SAMPLED


def test_the_order_of_what_is_summed_is_none() -> None:
    code = "double f(const double *x) { double s = 0; int n = 4096; while (n-- > 0) s += *x++; return s; }"
    assert str(classify_text(code)[0].found) == "4096|element → 1|shared"


def test_an_array_in_two_patterns_moves_once() -> None:
    code = (
        "void f(const float *x, float *y) { for (int i = 0; i < 256; i++) { float s = 0;"
        " for (int j = 0; j < 256; j++) s += x[j] * x[i]; y[i] = s; } }"
    )
    [found] = classify_text(code)
    assert str(found.found) == "256|element ∧ 256|full → 256|element"
    assert found.element_bytes == pytest.approx(4 * 2 / 3)
