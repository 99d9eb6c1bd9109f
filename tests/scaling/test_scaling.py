"""A measured step on other counts of GPUs: the law, its answers, and what it refuses."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import roofcast
from roofcast.commands.asked import make_command
from roofcast.core.errors import RoofcastError
from roofcast.models.physics.causes.collectives import links_of
from roofcast.scaling.measured_run import (
    BACKWARD,
    GAIN_LEAST,
    LIMITS,
    OTHER_LINKS,
    Exchange,
    add_up_s,
    parse_counts,
    read_run,
    scale_run,
)
from roofcast.scaling.scaling_law import Law, gain_of_gpu, gain_of_gpus, spread_of_run

RUN = read_run("8 x H200 SXM", "94ms", 768, "100 GB")
H200, H100 = roofcast.gpu("H200 SXM"), roofcast.gpu("H100 SXM5 80GB")
command = make_command("scale")
COUNTS = st.integers(1, 4096)
SHARES = st.integers(1, 10_000).map(lambda tenths: tenths / 10)


@given(COUNTS, COUNTS, COUNTS, SHARES)
def test_gains_follow_one_after_the_other(n: int, m: int, k: int, share: float) -> None:
    """From n to m to k GPUs is from n to k, where each keeps its samples."""
    through = float(gain_of_gpus(n, m, share, share)) * float(gain_of_gpus(m, k, share, share))
    assert through == pytest.approx(float(gain_of_gpus(n, k, share, share)))


@given(COUNTS, COUNTS, SHARES)
def test_more_gpus_are_never_slower_nor_more_than_linear_with_a_batch_that_stays(n: int, m: int, share: float) -> None:
    n, m = sorted((n, m))
    gain = float(gain_of_gpus(n, m, share, share * n / m))
    assert gain <= m / n * (1 + 1e-12)
    if (m > 8) == (n > 8):
        assert gain >= 1 - 1e-12


def test_leaving_a_node_costs_only_runs_with_few_samples_a_gpu() -> None:
    assert float(gain_of_gpus(8, 16, 1, 1)) == pytest.approx(2 * math.exp(-Law().leaving))
    assert float(gain_of_gpus(8, 16, 96, 96)) == pytest.approx(2)
    assert float(gain_of_gpus(16, 32, 1, 1)) == pytest.approx(2)


def test_another_gpu_and_back_is_the_same() -> None:
    assert gain_of_gpu(H100, H200) * gain_of_gpu(H200, H100) == pytest.approx(1)
    assert gain_of_gpu(H100, H200) > 1


def test_what_is_less_alike_is_less_sure() -> None:
    assert float(spread_of_run(False, 1)) < float(spread_of_run(False, 2)) <= float(spread_of_run(False, 64))
    assert float(spread_of_run(False, 8)) < float(spread_of_run(True, 8)) < float(spread_of_run(True, 8, 0.125))


def test_the_measured_run_is_itself() -> None:
    (same,) = scale_run([RUN], [H200], [8]).scales
    assert (same.step_s, same.step_low_s, same.step_high_s) == (0.094, 0.094, 0.094)
    assert same.samples_per_s == pytest.approx(768 / 0.094)
    assert (same.efficiency, same.fits) == (1, True)


def test_a_batch_that_stays_is_divided_and_one_that_grows_is_not() -> None:
    kept = scale_run([RUN], [H200], [8, 64], keep_batch=True).scales
    grown = scale_run([RUN], [H200], [8, 64]).scales
    assert kept[1].samples == 768
    assert grown[1].samples == 8 * 768
    assert grown[1].step_s == pytest.approx(0.094)
    assert kept[1].step_s == pytest.approx(0.094 / (8 * 8 ** -Law().gamma))
    assert kept[1].efficiency < grown[1].efficiency == pytest.approx(1)
    assert kept[1].limit == LIMITS["batch"]


def test_memory_that_is_not_there_is_said() -> None:
    (small,) = scale_run([RUN], [H100], [8]).scales
    assert small.fits is False
    assert "does not fit" in small.notes[0]
    # More samples on each GPU hold more than the run did: nobody knows how much.
    (unknown,) = scale_run([RUN], [H100], [4], keep_batch=True).scales
    assert unknown.fits is None


def test_where_doubling_stops_paying_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("roofcast.scaling.measured_run.GAIN_LEAST", 0.9)
    scales = scale_run([RUN], [H200], [8, 16, 32], keep_batch=True).scales
    assert not scales[0].notes
    assert all("from 8 GPUs on" in s.notes[0] for s in scales[1:])
    assert 2 ** -Law().gamma > GAIN_LEAST


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("8 x H200 SXM", "H100", "8,x"), "counts of GPUs"),
        (("8 x H200 SXM", "H100", "0"), "counts of GPUs"),
        (("8 x H200 SXM", "H100", ""), "counts of GPUs"),
        (("no such file", "H100", "8"), "no such"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(words: tuple[str, str, str], said: str) -> None:
    with pytest.raises(RoofcastError) as error:
        roofcast.scale(*words, step_time=None if words[0].startswith("no") else "94ms")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("time", ["0s", "-1s", "inf", "nan", "two"])
def test_a_time_that_is_none_is_refused(time: str) -> None:
    with pytest.raises(RoofcastError):
        roofcast.scale("8 x H200 SXM", "H100", "8", step_time=time)


def test_a_batch_that_stays_must_be_known() -> None:
    with pytest.raises(RoofcastError, match="--global-batch"):
        roofcast.scale("8 x H200 SXM", "H100", "8", step_time="94ms", keep_batch=True)


def test_counts_are_sorted_and_stand_once() -> None:
    assert parse_counts([64, 8, 8]) == parse_counts("64,8") == [8, 64]


def test_the_command_prints_what_python_returns(tmp_path: Path) -> None:
    words = ["8 x H200 SXM", "--step-time", "94ms", "--global-batch", "768", "--to", "H100,H200", "--gpus", "8,64"]
    result = CliRunner().invoke(command, [*words, "--format", "json"])
    assert result.exit_code == 0
    printed = json.loads(result.output)
    answer = roofcast.scale("8 x H200 SXM", "H100,H200", "8,64", step_time="94ms", global_batch=768)
    assert printed["scales"] == answer.rows()
    assert [(s["gpus"], s["nodes"]) for s in printed["scales"]] == [(8, 1), (64, 8)] * 2
    text = CliRunner().invoke(command, words).output
    assert " ".join(text.split()).startswith(printed["verdict"])
    assert "64 x H100 SXM5 80GB at" in printed["verdict"]
    for form in ("svg", "html", "csv"):
        path = tmp_path / f"scale.{form}"
        assert CliRunner().invoke(command, [*words, "-o", str(path)]).exit_code == 0
        assert path.stat().st_size > 100


def test_a_trace_starts_from_its_forecast(fixtures_dir: Path) -> None:
    trace = next((fixtures_dir / "kineto").glob("h100*bert*"), None)
    if trace is None:
        pytest.skip("no trace")
    step = roofcast.app(str(trace), "B200").found[0].answer
    with pytest.raises(RoofcastError, match="--gradients"):
        roofcast.scale(str(trace), "B200", "1,8")
    one, eight = roofcast.scale(str(trace), "B200", "1,8", gradients="50MB").found.scales
    assert one.step_s == pytest.approx(step.time_s)
    # A forecast of a forecast is never surer.
    assert one.step_low_s <= step.time_low_s * (1 + 1e-9)
    assert one.step_high_s >= step.time_high_s * (1 - 1e-9)
    assert eight.step_high_s / eight.step_low_s > one.step_high_s / one.step_low_s


def test_gradients_are_hidden_as_far_as_the_backward_pass_lasts() -> None:
    run = read_run("H200 SXM", "94ms")
    small, large = (scale_run([run], [H200], [1, 8], exchange=Exchange(volume)).scales for volume in (1e9, 1e12))
    assert small[1].exposed_s == 0
    assert small[1].step_s == pytest.approx(0.094)
    assert small[1].step_high_s > small[1].step_s + small[1].communication_s
    assert large[1].step_s == pytest.approx(0.094 + large[1].communication_s - BACKWARD * 0.094)
    assert large[1].efficiency < small[1].efficiency == pytest.approx(1)
    assert math.isnan(small[0].communication_s)


def test_the_network_is_needed_beyond_a_node_and_a_faster_one_is_not_slower() -> None:
    run = read_run("H200 SXM", "94ms")
    with pytest.raises(RoofcastError, match="--network"):
        scale_run([run], [H200], [16], exchange=Exchange(1e9))
    slow, fast = (add_up_s(Exchange(1e10, rate), links_of(H200), 64) for rate in (10e9, 50e9))
    assert slow - fast == pytest.approx(2 * 7 / 8 * 1e10 / 8 * (1 / 10e9 - 1 / 50e9))


def test_what_several_gpus_exchanged_is_in_their_step() -> None:
    with pytest.raises(RoofcastError, match="leave out --gradients"):
        scale_run([RUN], [H200], [16], exchange=Exchange(1e9, 1e9))
    with pytest.raises(RoofcastError, match="--gradients"):
        roofcast.scale("8 x H200 SXM", "H100", "8", step_time="94ms", network="50GB/s")


def test_links_of_another_kind_make_less_sure() -> None:
    modules, cards = (scale_run([RUN], [roofcast.gpu(name)], [8]).scales[0] for name in ("H100 SXM5 80GB", "L40S"))
    assert cards.step_high_s / cards.step_s == pytest.approx(OTHER_LINKS * modules.step_high_s / modules.step_s)
    assert cards.step_s / cards.step_low_s == pytest.approx(modules.step_s / modules.step_low_s)
    assert any("slots" in note for note in cards.notes)
    assert not any("slots" in note for note in modules.notes)


def test_a_node_says_how_many_gpus_share_links_and_what_the_network_gives(tmp_path: Path) -> None:
    one: dict[str, Any] = {"step_time": "94ms", "gradients": "14GB"}
    named = roofcast.scale("H100 SXM", "H100 SXM", "8,64", network="DGX H100", **one).rows()
    assert named == roofcast.scale("H100 SXM", "H100 SXM", "8,64", network="50GB/s", **one).rows()
    path = tmp_path / "node.toml"
    path.write_text("gpus = 4\nnetwork = '50 GB/s'")
    small = roofcast.scale("H100 SXM", "H100 SXM", "4,8,64", network=str(path), **one).rows()
    assert [s["nodes"] for s in small] == [1, 2, 16]
    assert small[1]["communication_s"] > named[0]["communication_s"]
    assert small[2]["communication_s"] > named[1]["communication_s"]
    with pytest.raises(RoofcastError, match="DGX H100 has"):
        roofcast.scale("H100 SXM", "H200 SXM", "8", network="DGX H100", **one)


def test_a_rack_that_shares_links_is_one_node() -> None:
    few = read_run("8 x H200 SXM", "94ms", 8)
    inside, beyond = scale_run([few], [roofcast.gpu("GB200")], [72, 144]).scales
    assert [s.record()["nodes"] for s in (inside, beyond)] == [1, 2]
    assert (inside.limit, beyond.limit) == (LIMITS[""], LIMITS["network"])
    assert inside.step_s * math.exp(Law().leaving) == pytest.approx(beyond.step_s)


@given(st.integers(2, 40), st.integers(2, 16), st.integers(2, 40))
def test_more_nodes_never_add_up_sooner(gpus: int, node: int, nodes: int) -> None:
    gradients = Exchange(1e9, 10e9)
    # A node of one GPU has no links: a ring over the network.
    assert add_up_s(gradients, links_of(H100), gpus, 1) == pytest.approx(2 * (gpus - 1) / gpus * 1e9 / 10e9)
    several = [add_up_s(gradients, links_of(H100), k * node, node) for k in (nodes, nodes + 1)]
    assert several[0] <= several[1]


def test_a_step_that_is_itself_forecast_is_not_called_measured() -> None:
    from roofcast.scaling.show import write_verdict

    played = replace(RUN, step_low_s=0.08, step_high_s=0.11)
    assert "by forecast 94.0 ms (80.0–110 ms)" in write_verdict(scale_run([played], [H200], [8]))
    assert "by forecast" not in write_verdict(scale_run([RUN], [H200], [8]))


def test_what_cannot_be_hidden_is_in_the_low_end_too() -> None:
    alone, large = scale_run([read_run("H200 SXM", "94ms")], [H200], [1, 8], exchange=Exchange(1e12)).scales
    assert large.step_low_s > large.communication_s / 2 > alone.step_high_s
    assert large.step_low_s < large.step_s < large.step_high_s
