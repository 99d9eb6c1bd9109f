"""Advice scored by what it gained: what counts as followed, as a false alarm, as missed."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from roofcast_evaluate import advice_scores
from roofcast_evaluate.advice_scores import FASTER, SOURCES, TUNED_EACH, Tried, score, tabulate_advice, try_steps


def tried(kernel: str, change: str, rule: str, place: int, advised: float, measured: float) -> Tried:
    return Tried(kernel, change, rule, place, advised > 0, advised, 0.0, 2 * advised, measured)


def test_shares_count_what_they_say() -> None:
    found = score("two kernels", [
        tried("a", "x", "spills", 1, 0.3, 0.28),       # right, near, inside
        tried("a", "y", "tail", 3, 0.1, -0.2),         # a false alarm
        tried("a", "z", "", 0, math.nan, 0.5),         # missed, and the best of a
        tried("b", "x", "occupancy", 2, 0.1, 0.4),     # right, not near, outside
        tried("b", "y", "", 0, math.nan, FASTER / 2),  # no cause
    ])  # fmt: skip
    assert (found.steps, found.advised, found.false, found.causes, found.missed) == (5, 3, 1, 3, 1)
    assert found.faster == pytest.approx(2 / 3)
    assert found.near == pytest.approx(1 / 3)
    assert found.inside == pytest.approx(1 / 3)
    assert found.best == pytest.approx(1 / 2)


def test_nothing_counted_is_no_share() -> None:
    found = score("none", [tried("a", "x", "", 0, math.nan, 0.0)])
    assert math.isnan(found.faster)
    assert math.isnan(found.best)
    assert "–" in "\n".join(tabulate_advice([found]).lines(120))


def test_the_eight_steps_are_all_named() -> None:
    found = try_steps(SOURCES["GPP"]())
    assert {t.change for t in found} == {f"v{i} to v{i + 1}" for i in range(8)}
    assert all(t.rule for t in found)
    assert score("GPP", found).missed == 0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "faster", "best", "each"),
    [
        ("profiles", 0.85, 0.75, TUNED_EACH),
        ("tuning", 0.85, 0.75, 4 * TUNED_EACH),
        pytest.param("tuning", 0.85, 0.75, TUNED_EACH, marks=pytest.mark.exhaustive),
    ],
)
def test_advice_comes_true_on_public_ladders(
    source: str, faster: float, best: float, each: int, data_dir: Path, fixtures_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    """each : every so many of the configurations of one kernel is asked, with all its neighbours."""
    monkeypatch.setattr(advice_scores, "TUNED_EACH", each)
    found = score(source, try_steps(SOURCES[source]()))
    assert found.faster >= faster
    assert found.best >= best
