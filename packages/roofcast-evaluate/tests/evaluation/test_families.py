"""`roofcast evaluate --families`: what is left out, what is scored, and that names carry no family into the model."""

from __future__ import annotations

import dataclasses
import json
import math
import random
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.typing import NDArray

from roofcast.commands.group import cli
from roofcast.core.errors import DatasetError, RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.models.learned.hybrid import Hybrid
from roofcast.models.physics.model import Mechanistic
from roofcast.models.registry import load_model
from roofcast_evaluate import teaching
from roofcast_evaluate.cases import Cases, cases_of
from roofcast_evaluate.commands.evaluate import command
from roofcast_evaluate.datasets import CEILINGS, DATASETS, families, folder, load
from roofcast_evaluate.families import (
    MISSING,
    Errors,
    Part,
    Row,
    Table,
    Yardsticks,
    check_families,
    command_of,
    errors_of,
    naive_times,
    outcome_of,
    read_parts,
    weights_of,
)
from roofcast_evaluate.scores import Outcome
from roofcast_evaluate.show import (
    HEADER,
    as_markdown,
    cells_of,
    families_text,
    family_records,
    ratio_notes,
    write_block,
)
from roofcast_evaluate.teaching import AS_GIVEN, Lesson, Teacher
from roofcast_evaluate.train import TRAINING_SET

KEYS = {
    *("family", "error", "bandwidth", "fp32", "both", "coverage", "worst_pair_coverage", "width", "rows", "left_out"),
}  # fmt: skip


def absent() -> bool:
    try:
        return not folder()
    except DatasetError:
        return True


needs_data = pytest.mark.skipif(absent(), reason="data sets are absent: set ROOFCAST_DATA")


def texts(*values: str) -> NDArray[np.object_]:
    return np.array(values, dtype=np.object_)


def outcome(measured: list[float], forecast: list[float], spread: float = 2.0) -> Outcome:
    """Forecasts of kernels a, a, b from X to Y, and of a from Y to X."""
    time = np.array(forecast)
    return Outcome(
        texts("a", "a", "b", "a"), texts("X", "X", "X", "Y"), texts("Y", "Y", "Y", "X"), np.array(measured), time,
        time / spread, time * spread, np.ones(4), texts("", "", "", ""),
    )  # fmt: skip


def test_pairs_of_gpus_and_kernels_in_them_weigh_the_same() -> None:
    assert weights_of(outcome([1.0] * 4, [1.0] * 4)).tolist() == [0.125, 0.125, 0.25, 0.5]


def test_errors_are_means_of_logarithms_and_widths_say_what_they_should_have_been() -> None:
    found = errors_of(outcome([1.0, 1.0, 4.0, 3.0], [1.0, 2.0, 1.0, 1.0]))
    assert math.log1p(found.error) == pytest.approx(0.125 * math.log(2) + 0.25 * math.log(4) + 0.5 * math.log(3))
    # b is off by 4 and a back by 3, the ends lie at a factor of 2.
    assert found.coverage == pytest.approx(0.25)
    assert found.worst_pair_coverage is None
    assert found.width == pytest.approx(4.0)
    # Nine tenths of the weight need ends at a factor of 4.
    assert found.width_needed == pytest.approx(16.0)


def test_a_missing_forecast_counts_as_off_by_two() -> None:
    found = errors_of(outcome([1.0] * 4, [1.0, 1.0, 1.0, float("nan")]))
    assert math.log1p(found.error) == pytest.approx(0.5 * MISSING)


def small_table(times: dict[str, float], name: str = "copy") -> KernelTable:
    rows = len(times)
    text = {"kernel": texts(*[name] * rows), "config": texts(*["1"] * rows), "gpu": texts(*times)}
    columns = {"time_s": np.array(list(times.values())), "bytes_dram": np.full(rows, 1.4e9)}
    return KernelTable(columns, {n: np.zeros(rows, np.uint8) for n in columns}, text)


def test_the_naive_ratios_are_those_of_the_data_sheets() -> None:
    kernels = small_table({"A100-SXM4-40GB": 1e-3, "Tesla V100-SXM2-16GB": 1.7e-3})
    part = Part("fluidx3d", kernels, cases_of("fluidx3d", kernels))
    there = np.flatnonzero(part.cases.source_gpu == "A100-SXM4-40GB")[0]
    bandwidth, fp32, both = naive_times(part)[:, there]
    assert bandwidth == pytest.approx(1e-3 * 1555 / 900, rel=0.01)
    assert fp32 == pytest.approx(1e-3 * 19.5 / 15.7, rel=0.01)
    assert both == pytest.approx(math.sqrt(bandwidth * fp32))


def small_row(family: str, error: float) -> Row:
    own = Errors(error, 0.9, None, 4.0, 5.0)
    return Row(family, own, 0.5, 0.6, 0.4, 10, 2, None, own, None, None, "the family", ("roofcast forecast x --to y",))


def test_families_weigh_the_same_in_the_mean_of_logarithms() -> None:
    table = Table((small_row("one", 0.1), small_row("two", 1.0)))
    assert table.mean(lambda r: r.own.error) == pytest.approx(math.sqrt(1.1 * 2.0) - 1)


def test_ratios_are_of_sums_over_families_and_the_best_is_chosen_in_each() -> None:
    def judged(family: str, own: float, behind: float, *naive: float) -> Row:
        a, b, c = naive
        return dataclasses.replace(small_row(family, own), yardsticks=Yardsticks(0.3, behind, {"all": (own, a, b, c)}))

    table = Table(
        (judged("one", 0.2, 0.0, 0.4, 0.5, 0.6), judged("two", 0.5, 0.02, 0.9, 0.4, 0.5), small_row("x", 9.0))
    )
    ((name, best, both, families_told),) = table.against_ratios()
    assert (name, families_told) == ("all", 2)
    assert best == pytest.approx(0.7 / 0.8)
    assert both == pytest.approx(0.7 / 1.1)
    assert [table.within_best_ratio(f) for f in (1.0, 1.3)] == [(1, 2), (2, 2)]
    assert table.behind_formula() == ["two"]
    assert "1 are no worse than the best ratio" in ratio_notes(table)


def test_every_format_has_the_same_numbers_and_the_promised_keys(tmp_path: Path) -> None:
    table = Table((small_row("one", 0.1), small_row("two", 1.0)))
    records = json.loads(json.dumps(family_records(table)))
    assert set(records[0]) >= KEYS
    assert records[1]["error"] == 1.0
    assert records[0]["worst_pair_coverage"] is None
    header, lines = cells_of(table)
    assert header == list(HEADER)
    assert lines[-1][:2] == ["mean", "48.3"]
    assert "one: roofcast forecast x --to y" in families_text(table, 200)
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- families -->\nold\n<!-- /families -->\nafter\n")
    write_block(page, "families", as_markdown((header, lines)))
    assert page.read_text().splitlines()[2].startswith("|family|error|")
    assert page.read_text().endswith("<!-- /families -->\nafter\n")
    with pytest.raises(RoofcastError, match="no block"):
        write_block(page, "ladder", "")


def test_unknown_families_are_named_in_one_line() -> None:
    with pytest.raises(DatasetError, match="unknown family 'nonesuch': use one of hecbench, kernel_tuner"):
        check_families(["nonesuch"])
    assert CliRunner().invoke(command, ["--families", "nonesuch"]).exit_code != 0
    with pytest.raises(RoofcastError, match="name a DATASET"):
        CliRunner().invoke(command, [], catch_exceptions=False)


def test_every_data_set_belongs_to_one_family() -> None:
    assert sorted(n for names in families().values() for n in names) == sorted(DATASETS)


@needs_data
@pytest.mark.parametrize("name", CEILINGS)
def test_ceilings_are_no_pairs(name: str) -> None:
    with pytest.raises(DatasetError, match="holds ceilings"):
        load(name)


def small_lesson(family: str, seed: int) -> Lesson:
    """Copies on four GPUs, with times that a seed disturbs."""
    noise = np.random.default_rng(seed)
    gpus = {"A100-SXM4-40GB": 1e-3, "Tesla V100-SXM2-16GB": 1.7e-3, "GeForce RTX 3090": 1.6e-3, "Tesla T4": 5e-3}
    tables = [small_table({g: t * float(noise.lognormal(0, 0.4)) for g, t in gpus.items()}, f"k{i}") for i in range(9)]
    whole = tables[0]
    text = {n: np.concatenate([t.text[n] for t in tables]) for n in whole.text}
    numeric = {n: np.concatenate([t.numeric[n] for t in tables]) for n in whole.numeric}
    kernels = KernelTable(numeric, {n: np.zeros(len(v), np.uint8) for n, v in numeric.items()}, text)
    return Lesson(family, family, AS_GIVEN, cases_of(family, kernels))


def test_what_is_left_out_changes_no_forecast() -> None:
    """The times of the family that is left out may be anything: its forecasts stay the same to the last bit."""
    kept = small_lesson("one", 1)

    def taught(other: Lesson) -> Outcome:
        teacher = Teacher.of([kept, other])
        return kept.cases.forecast(teacher.teach(lambda lesson: np.full(len(lesson.cases), lesson.family != "two")))

    first, second = taught(small_lesson("two", 2)), taught(small_lesson("two", 3))
    np.testing.assert_array_equal(first.time_high_s, second.time_high_s)
    everything = [Teacher.of([kept, small_lesson("two", seed)]).teach() for seed in (2, 3)]
    tables = [model.physics.intervals for model in everything if isinstance(model, Hybrid)]
    third, fourth = (table.quantiles for table in tables if table is not None)
    assert third != fourth


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("family", ["llmcompass", "pmpp", "hashcat", "torchvision", "fft", "hecbench", "nca"])
def test_the_printed_command_prints_what_is_scored(family: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing left out: leaving out changes constants, not what is asked of the model."""
    (part,) = read_parts(family)
    words = shlex.split(command_of(part))
    source, target = words[words.index("--from") + 1], words[words.index("--to") + 1]
    monkeypatch.chdir(folder())
    result = CliRunner().invoke(cli, [*words[1:], "--format", "json"], catch_exceptions=False)
    printed = json.loads(result.stdout)["forecasts"]
    by_launch = {r["launch"]: r for r in printed}
    scored = part.cases.select((part.cases.source_gpu == source) & (part.cases.target_gpu == target))
    found = outcome_of([scored], load_model())
    assert len(found) > 5
    for i, launch in enumerate(scored.kernels.column("launch").tolist()):
        row = by_launch[launch]
        ends = row["time_s"], row["time_low_s"], row["time_high_s"]
        assert ends == (found.time_s[i], found.time_low_s[i], found.time_high_s[i])


@needs_data
@pytest.mark.slow
@pytest.mark.parametrize("taught", ["few", pytest.param("all", marks=pytest.mark.exhaustive)])
def test_one_family_is_scored_through_the_command(taught: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """taught : by which families."""
    if taught == "few":
        few = {name: sets for name, sets in families().items() if {TRAINING_SET, "llmcompass", "micro16"} & set(sets)}
        monkeypatch.setattr(teaching, "families", lambda: few)
    result = CliRunner().invoke(command, ["--families", "llmcompass", "--format", "json"], catch_exceptions=False)
    (row,) = json.loads(result.stdout)
    assert row["family"] == "llmcompass"
    assert row["rows"] == 164
    assert 0.3 < row["bandwidth"] < 1.5


def rename(kernels: KernelTable) -> KernelTable:
    """The table with a random word in place of every kernel's name."""
    letters = random.Random(1)
    words: dict[str, str] = {}
    for name in dict.fromkeys(kernels.strings("kernel")):
        words[name] = "".join(letters.choices("bcdfgklmnprstvz", k=9)) + str(len(words))
    renamed = np.array([words[name] for name in kernels.strings("kernel")], dtype=np.object_)
    return dataclasses.replace(kernels, text={**kernels.text, "kernel": renamed})


def is_recognised(cases: Cases) -> NDArray[np.bool_]:
    """(p,) whether the name says which operation it is, of a library or with atomics (a histogram)."""
    parts = Mechanistic().parts(cases.kernels, cases.sources, cases.targets, cases.given)
    found = np.zeros(len(cases), np.bool_) if parts.named is None else parts.named.copy()
    found |= parts.kernels.counting[:, 0] > 0
    if parts.pair.operators is not None:
        found |= parts.pair.operators.code >= 0
    return found


@needs_data
@pytest.mark.parametrize(
    "name",
    [
        *("hecbench_ncu", "nca_nvprof", "micro16", "pmpp_nvbench", "deepbench", "hashcat", "gunrock", "gearshifft_fft"),
        *("timm_infer", "torchvision_cnn", "llmcompass"),
        *(pytest.param(n, marks=pytest.mark.slow) for n in ("neusight", "vidur_llm_ops", "llm_ops_moe")),
    ],
)
def test_names_carry_no_family_into_the_model(name: str) -> None:
    """Random words in place of names give the same forecast, but for recognised operators and launches."""
    kernels = load(name)[1]
    cases, renamed = cases_of(name, kernels), cases_of(name, rename(kernels))
    thin = np.arange(len(cases)) % max(1, len(cases) // 5000) == 0
    cases, renamed = cases.select(thin), renamed.select(thin)
    first, second = cases.forecast(load_model()), renamed.forecast(load_model())
    known = is_recognised(cases)
    known |= np.isfinite(cases.kernels.column("grid_blocks")) & np.isnan(renamed.kernels.column("grid_blocks"))
    for end in ("time_s", "time_low_s", "time_high_s"):
        np.testing.assert_array_equal(getattr(first, end)[~known], getattr(second, end)[~known])
    assert name in ("llmcompass", "vidur_llm_ops", "llm_ops_moe", "deepbench", "neusight") or not known.all()
