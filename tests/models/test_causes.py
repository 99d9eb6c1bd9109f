"""The registry of causes: complete, documented, and the only place that knows which of them are on."""

from __future__ import annotations

import ast
import re
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import model_builders as builders
import roofcast
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.core.machines import Machines
from roofcast.core.properties import PROPERTIES, Property
from roofcast.core.results import Conditions
from roofcast.forecasting.forecast import forecast
from roofcast.models.operators.levels import LibraryConstants
from roofcast.models.physics.cause import Cause, Subject, Walk, at
from roofcast.models.physics.causes.registry import (
    CAUSES,
    FRESH,
    describe_cause,
    read_worth,
    render_causes,
    walk_without,
)
from roofcast.models.physics.constants import CONSTANTS, PRIOR
from roofcast.models.physics.model import Mechanistic
from roofcast.models.physics.stages import BOUNDS, STAGES
from sources import list_modules

SOURCE = Path(roofcast.__file__).parent
FOLDER = SOURCE / "models" / "physics" / "causes"
FILES = sorted(p for p in FOLDER.glob("*.py") if p.stem not in {"__init__", "registry"})


def test_every_file_is_a_cause_of_its_name_and_stands_in_the_registry_once() -> None:
    assert [p.stem for p in FILES] == sorted(cause.name for cause in CAUSES)
    for cause in CAUSES:
        assert import_module(f"roofcast.models.physics.causes.{cause.name}").CAUSE is cause


@pytest.mark.parametrize("cause", CAUSES, ids=lambda c: c.name)
def test_a_cause_has_equation_symbols_reason_teaching_data_and_bounded_constants(cause: Cause) -> None:
    text = ast.get_docstring(ast.parse((FOLDER / f"{cause.name}.py").read_text(encoding="utf-8"))) or ""
    assert ".. math::" in text
    assert re.search(r"^\S+( : |, \S+ : )", text, re.MULTILINE), "symbols"
    assert "Reason: " in text
    for said in (cause.sentence, cause.when, cause.corrects, cause.taught_by):
        assert said, "something is not said"
        assert not said.endswith(".")
    assert cause.acts
    assert {act.stage for act in cause.acts} <= set(STAGES)
    assert cause.properties
    assert set(cause.properties) <= set(Property)
    for c in cause.constants:
        assert 0 < c.low <= c.value <= c.high
        assert c.why
    assert set(cause.levels) <= {f.name for f in fields(LibraryConstants)}


def test_constants_have_names_of_their_own() -> None:
    assert len({c.name for c in CONSTANTS}) == len(CONSTANTS)
    for name in ("floor_seconds", "values_"):
        with pytest.raises(AttributeError, match="no cause has a constant"):
            getattr(PRIOR, name)
        with pytest.raises(AttributeError, match="no cause has a constant"):
            PRIOR.replace(**{name: 1.0})
    assert PRIOR.replace(overlap=2.0).overlap == 2.0
    assert hash(PRIOR) == hash(PRIOR.replace())


def test_only_the_walk_asks_which_causes_are_on() -> None:
    asked = [
        f"{place}:{number}"
        for place, path in list_modules().items()
        # The walk of causes, and that of the steps of preparation.
        if path.name not in ("cause.py", "in_order.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\bin (\w+\.)*(off|without)\b", line.split("#")[0]) and not line.strip().startswith('"')
    ]
    rooms = ("models", "forecasting", "rooflines", "comparing", "sweeps", "applications", "advice", "reports")
    assert not [place for place in asked if place.startswith((*rooms, "choosing", "roofcast_evaluate"))]


def test_a_cause_that_is_off_stands_aside_or_leaves_its_other_form() -> None:
    every = Walk(CAUSES)
    for cause in CAUSES:
        walk = walk_without(frozenset({cause.name}))
        assert cause not in walk.causes
        assert len(walk.causes) == len(CAUSES) - 1
        own = {act.run for act in cause.acts if not act.without}
        assert own <= {run for runs in every.acts.values() for _, run in runs}
        assert not own & {run for runs in walk.acts.values() for _, run in runs}
    assert not walk_without(frozenset(c.name for c in CAUSES)).speaks_of(Subject.KERNEL)


def test_an_unknown_cause_is_refused_in_one_line() -> None:
    with pytest.raises(RoofcastError, match="no cause 'latancy': use some of real_clock, "):
        _ = Mechanistic(without=("latancy",)).walk


def test_the_page_of_causes_is_made_from_the_registry() -> None:
    page = Path(__file__).parents[2] / "docs" / "causes.md"
    assert page.read_text(encoding="utf-8").startswith(render_causes() + "\n## What the causes leave open\n")


@pytest.mark.parametrize("cause", CAUSES, ids=lambda c: c.name)
def test_explain_prints_a_cause_whole_and_without_markup(cause: Cause) -> None:
    said = dict(describe_cause(cause.name))
    assert {f"{cause.name} (cause)", "equation", "where", "reason", "applies", "corrects", "learned from"} <= set(said)
    assert {f"constant {c.name}" for c in cause.constants} <= set(said)
    assert not re.search(r"\\|[{}`]$|\*\*|\.\. math", "".join(said.values()))


def test_every_cause_says_what_it_is_worth_and_stays_by_the_rule() -> None:
    worth = read_worth()
    assert set(worth) == {c.name for c in CAUSES}, "`python tools/teach.py worth NAME` measures what a cause is worth"
    documented = {"waves", "trees", "sectors", "mix", "issue_latency", "throttle", "constant", "library_alignment",
                  "random_dram", "error_correction", "conversions"}  # fmt: skip
    # One family alone has attention; others speak where amounts are hidden, or GPUs linked; reports count L2's clock,
    # which moves rows of one GPU at another clock more than any pair of GPUs.
    stated = {"library_power", "library_attention", "library_names", "collectives", "l2_time"}
    for name, found in worth.items():
        sure = [w for w in found if w.low > 0 and w.family != FRESH]
        assert len(sure) >= 2 or any(w.worse >= 5 for w in sure) or name in documented | stated, name
        if name in documented:
            assert not [w for w in found if w.high < 0], name
        for one in found:
            if one.untaught is not None and one.low > 0:
                assert one.untaught > 0.5 * one.points, (name, "its constants are of the programs that it is proved on")


def test_an_explanation_names_causes_of_the_registry_that_change_the_forecast() -> None:
    values = {"time_s": 1e-3, "bytes_dram": 8e7, "flops_fp32": 3e8, "grid_blocks": 4000.0, "block_threads": 256.0}
    kernels = KernelTable.from_columns(
        {"kernel": ["k"], "gpu": ["A100-SXM4-40GB"]}, {k: ([v], Origin.COUNTED) for k, v in values.items()}
    )
    found = forecast(kernels, ["H100 SXM5 80GB", "RTX 3090"], model="mechanistic").explain()
    assert [c.name for c in found.influences] == [c.name for c in CAUSES]
    by_name = {c.name: c for c in found.influences}
    whole = found.levels_s[0, :, -1]
    part = forecast(kernels, ["H100 SXM5 80GB", "RTX 3090"], model="mechanistic")
    assert part.explainer is not None
    behind = found.causes_behind(Property.SMS, 0, 0)
    assert "latency" in behind
    assert behind["latency"] == pytest.approx(float(by_name["latency"].factor[0, 0]))
    assert np.isfinite(whole).all()
    for step in PROPERTIES:
        assert set(found.causes_behind(step, 0, 1)) <= set(by_name)


@pytest.mark.parametrize("shape", [(3,), (1, 3), (2, 2)])
def test_a_cause_whose_array_is_of_other_kernels_is_named(shape: tuple[int, ...]) -> None:
    """(3,) beside (3, 1) would spread to every kernel with every kernel, and say nothing."""
    bad = Cause("bad", "made up", "always", "nothing", "nothing", (at(BOUNDS, lambda time, pair: np.ones(shape)),), ())
    model = Mechanistic()
    kernels = builders.table([{"time_s": 1e-3, "bytes_dram": 1e8, "flops_fp32": 1e9}] * 3)
    machine = roofcast.gpu("A100-SXM4-40GB")
    sources = builders.on(machine, 3)
    pair = model.pair(kernels, sources, Machines.of([machine], np.zeros((1, 1), np.intp)), Conditions())
    with pytest.raises(ValueError, match="bad has the shape"):
        Walk([bad]).through(BOUNDS, pair.time_s, pair)
