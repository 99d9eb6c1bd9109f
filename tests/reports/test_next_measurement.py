"""What to measure next: widths as the model claims them with the evidence changed, ranked, with the command."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import roofcast
from roofcast.commands.group import cli
from roofcast.forecasting.forecasts import Forecast
from roofcast.reports.next_measurement import (
    GAIN_LEAST,
    advise_inspection,
    advise_next,
    ask_about,
    count_more,
    gain_of,
    list_narrowings,
    longest_rows,
    rank_narrowings,
)

SOURCE, TARGET = "Tesla V100-SXM2-16GB", "A100-SXM4-40GB"
ROWS = f"""kernel,config,gpu,time_s,bytes_dram,flops_fp32
copy,1,{SOURCE},1e-3,7e8,1e6
mystery,1,{SOURCE},2e-3,1e6,1e6
tiny,1,{SOURCE},6e-6,1e6,1e3
"""


@pytest.fixture(autouse=True)
def no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROOFCAST_STORE", str(tmp_path / "store.duckdb"))


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "run.csv"
    path.write_text(ROWS)
    return path


def forecast(profile: Path, to: str = TARGET) -> Forecast:
    return roofcast.forecast(roofcast.read(profile), to)


def test_what_narrows_is_ranked_and_worthwhile(profile: Path) -> None:
    found = forecast(profile)
    ranked = rank_narrowings(found)
    question = ask_about(found, longest_rows(found, 0), 0)
    assert question is not None
    gains = [gain_of(question, n) for n in ranked]
    assert gains
    assert min(gains) >= GAIN_LEAST
    assert all(first > 0.85 * second for first, second in itertools.pairwise(gains))
    assert all((n.width <= np.exp(2 * question.half) * (1 + 1e-9)).all() for n in ranked)


def test_a_second_source_is_as_wide_as_the_forecast_from_both(profile: Path) -> None:
    (second,) = [n for n in rank_narrowings(forecast(profile)) if n.what.startswith("a second source GPU")]
    assert "profile it on a rented" in second.how
    assert "--together" in second.how


def test_gpus_of_the_store_are_tried_before_rented_ones(profile: Path) -> None:
    other = profile.parent / "other.csv"
    other.write_text(ROWS.replace(SOURCE, "A100-PCIE-40GB"))
    run = CliRunner().invoke(cli, ["store", "add", "team", str(other)], catch_exceptions=False)
    assert run.exit_code == 0
    assert any(n.how.startswith("profile it on your A100") for n in rank_narrowings(forecast(profile)))


def test_who_has_stall_reasons_is_not_told_to_count_them(tmp_path: Path) -> None:
    path = tmp_path / "counted.csv"
    head, first, *_ = ROWS.splitlines()
    path.write_text(f"{head},stall_barrier_per_inst,stall_long_scoreboard_per_inst,insts_executed\n{first},0.1,2,1e6\n")
    found = forecast(path)
    question = ask_about(found, longest_rows(found, 0), 0)
    assert question is not None
    (counters,) = count_more(question)
    assert gain_of(question, counters) == pytest.approx(1.0)


def test_the_line_stands_first_where_intervals_are_wide(profile: Path) -> None:
    advice = advise_next(forecast(profile))
    assert advice is not None
    text = CliRunner().invoke(cli, ["forecast", str(profile), "--to", TARGET], catch_exceptions=False).stdout
    flat = " ".join(text.split())
    assert " ".join(advice.text.split()) in flat
    notes = [line for line in text.splitlines() if line.startswith(("- ", "["))]
    assert 1 <= len(notes) <= 3
    assert notes[0].startswith("- what would narrow this most") == advice.first
    assert text.count("narrow") == 1
    document = CliRunner().invoke(cli, ["forecast", str(profile), "--to", TARGET, "--format", "json"]).stdout
    told = json.loads(document)["narrowing"]
    assert told == pytest.approx(advice.record())
    assert told["gain"] == pytest.approx(told["width"] / told["width_then"])


@pytest.mark.slow
def test_explain_lists_all_and_inspect_the_best(profile: Path) -> None:
    ((_, lines, *_),) = list_narrowings(forecast(profile))
    assert lines[0] == "what would narrow it, the most first:"
    explained = CliRunner().invoke(cli, ["forecast", str(profile), "--to", TARGET, "--explain"], catch_exceptions=False)
    assert "what would narrow it, the most first:" in explained.stdout
    told = advise_inspection(roofcast.read(profile))
    assert told.startswith("what would narrow forecasts most (here of the H100 SXM5 80GB): ")
    shown = CliRunner().invoke(cli, ["inspect", str(profile)], catch_exceptions=False).stdout
    assert " ".join(told.split()) in " ".join(shown.split())


def test_the_source_itself_needs_nothing(profile: Path) -> None:
    assert advise_next(forecast(profile, SOURCE)) is None
