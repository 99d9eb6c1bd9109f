"""A sample of the gate: few files, every command; all of it is ``make nightly``."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gate.answers import ask_and_check, steps_of
from gate.asking import COMMANDS, SPACE, TARGETS, Question
from gate.mutations import Mutation
from gate.variants import VARIANTS, samples
from roofcast.core.columns import ALL_NUMERIC

SAMPLE = ("sample04.json", "sample16.csv")
"""A PyTorch trace and a profile: the first holds a run, the second counters."""
QUICK = settings(deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
PER_LAUNCH = sorted(ALL_NUMERIC.keys() - {"launch", "time_s", "time_total_s", "launches"})
NAMES = ("gemm_tiled", "void at::native::vectorized_elementwise_kernel<4, float>", "ncclDevKernel_AllReduce", "k nan")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands are asked where their files lie, as people do."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.toml").write_text(SPACE)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", SAMPLE)
def test_answers_hold(name: str, variant: str, tmp_path: Path) -> None:
    path = tmp_path / "given" / name
    path.parent.mkdir()
    path.write_bytes(samples()[name])
    # A few questions of each variant: others of each, the same in every run.
    steps = list(steps_of(path, (variant,)))
    found = [f"{q}: {fault}" for _, q, check in steps[VARIANTS.index(variant) :: 17] for fault in check()[1]]
    assert not found, "\n".join(found)


@st.composite
def drawn_rows(draw: st.DrawFn) -> dict[str, Any]:
    """One launch: any columns of the vocabulary, each of any size that it could have somewhere."""
    row: dict[str, Any] = {"kernel": draw(st.sampled_from(NAMES)), "time_s": 10 ** draw(st.floats(-7.0, 1.0))}
    for name in draw(st.lists(st.sampled_from(PER_LAUNCH), max_size=8, unique=True)):
        share = name.endswith(("_fraction", "_per_wavefront"))
        row[name] = (
            draw(st.floats(0.0, 1.0)) if share else draw(st.just(0.0) | st.floats(-3.0, 13.0).map(lambda e: 10**e))
        )
    if draw(st.booleans()):
        row["launches"] = draw(st.integers(1, 10**6))
    return row


@settings(QUICK, max_examples=4)
@given(rows=st.lists(drawn_rows(), min_size=1, max_size=3), at=st.integers(0, 2**16))
def test_drawn_tables_are_answered(rows: list[dict[str, Any]], at: int) -> None:
    pl.DataFrame(rows, infer_schema_length=None).write_csv("t.csv")
    command = COMMANDS[at % len(COMMANDS)]
    option = ((), *command.options)[at // 16 % (1 + len(command.options))]
    words = {"FILE": "t.csv", "TO": TARGETS[at // 256 % len(TARGETS)], "SPACE": "space.toml"}
    source = ("--from", ("A100-SXM4-40GB", "L40S", "Instinct MI300X")[at % 3]) if command.source else ()
    question = Question(command.name, "t.csv", tuple(words.get(w, w) for w in (*command.words, *option, *source)))
    found = ask_and_check(question, list(NAMES))[1]
    assert not found, f"{question}\n" + "\n".join(found)


@settings(QUICK, max_examples=120)
@given(seed=st.integers(0, 2**32))
def test_damaged_files_are_read_or_refused(seed: int) -> None:
    mutation = Mutation.draw(random.Random(seed))
    assert not mutation.faults(), mutation
