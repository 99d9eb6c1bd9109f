"""Roots that are only compared, in code compiled for every architecture."""

from __future__ import annotations

import pytest

from roofcast.sass.blocks import build_graph
from roofcast.sass.special_functions import feeds_condition, find_fast_paths
from sass_builders import Build

EXPECTED = {
    "compared_f64": True, "compared_f32": True, "selected_f64": True, "stored_f64": False, "stored_f32": False,
    "both_f64": False, "both_f32": False,
}  # fmt: skip


@pytest.mark.parametrize("sm", [75, 80, 86, 89, 90, 100, 120])
def test_compared_roots_are_told_from_used_ones(corpus: Build, sm: int) -> None:
    found = {}
    for function in corpus("roots", sm).functions:
        if function.name in EXPECTED:
            graph = build_graph(function, sm)
            roots = {n: o for n, o in find_fast_paths(graph).items() if o.startswith("sqrt")}
            assert len(roots) == 1, function.name
            found[function.name] = next(feeds_condition(graph, n, o) for n, o in roots.items())
    assert found == EXPECTED


def test_other_functions_are_not_looked_at(corpus: Build) -> None:
    function = next(f for f in corpus("roots", 80).functions if f.name == "compared_f64")
    assert not feeds_condition(build_graph(function, 80), 0, "div.f64")
