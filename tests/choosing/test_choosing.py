"""Fleets against brute force, probabilities against simulation, prices, rankings."""

from __future__ import annotations

import dataclasses
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from roofcast.catalog import gpu
from roofcast.catalog.prices import Price, Prices, parse_prices, read_prices
from roofcast.choosing import program_times
from roofcast.choosing.candidates import list_candidates
from roofcast.choosing.chances import correlate, draw_errors, probability_less, sigma
from roofcast.choosing.deciding import choose
from roofcast.choosing.document import choice_page
from roofcast.choosing.pictures import bind_pictures
from roofcast.choosing.record import decision_record
from roofcast.choosing.show import Told, render_choice, tabulate
from roofcast.choosing.workload_file import Limits, Program, Terms, Workload
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.kernel_table import as_text, concatenate
from roofcast.core.launch_totals import SHARED_PROGRAMS
from roofcast.forecasting.forecast import forecast
from roofcast.kit.page import render_page
from sweep_builders import a_table

EXAMPLE = Path(__file__).parents[2] / "examples" / "prices.toml"
GPUS = ["H100 SXM5 80GB", "A100 SXM4 80GB", "L40S"]


@pytest.mark.parametrize("shared", [0.0, 0.5, 0.9])
def test_probabilities_are_those_of_a_simulation(shared: float) -> None:
    draw = np.random.default_rng(5)
    a, b = (1.0, 0.2), (1.15, 0.35)
    common, own_a, own_b = draw.standard_normal((3, 400_000))
    errors = [
        s * (math.sqrt(shared) * common + math.sqrt(1 - shared) * own) for s, own in ((a[1], own_a), (b[1], own_b))
    ]
    simulated = float((np.log(a[0]) + errors[0] < np.log(b[0]) + errors[1]).mean())
    assert probability_less(a, b, shared) == pytest.approx(simulated, abs=0.004)
    assert probability_less(b, a, shared) == pytest.approx(1 - simulated, abs=0.004)


def test_an_interval_gives_back_its_standard_deviation() -> None:
    s = 0.3
    assert sigma(math.exp(-1.6448536 * s), math.exp(1.6448536 * s), 0.9) == pytest.approx(s, rel=1e-6)


def test_errors_are_shared_more_within_an_architecture() -> None:
    a, b, c = gpu("A100 SXM4 80GB"), gpu("A100-SXM4-40GB"), gpu("L40S")
    assert correlate(a, a) == 1.0
    assert correlate(a, b) > correlate(a, c) > correlate(a, gpu("MI300X")) > 0


def test_draws_have_the_correlations_that_were_measured() -> None:
    targets = [gpu(n) for n in ("A100 SXM4 80GB", "A100-SXM4-40GB", "L40S", "MI300X", "A100 SXM4 80GB")]
    z = draw_errors(targets, 2, draws=60_000)
    assert np.abs(z.std(axis=0) - 1).max() < 0.02
    found = np.corrcoef(z[:, 0].T)
    expected = np.array([[correlate(a, b) for b in targets] for a in targets])
    assert np.abs(found - expected).max() < 0.02
    assert np.corrcoef(z[:, 0, 0], z[:, 1, 0])[0, 1] == pytest.approx(SHARED_PROGRAMS, abs=0.02)


@pytest.mark.slow
def test_rankings_are_sorted_priced_and_honest() -> None:
    table = a_table("stalls", 12)
    names = ["L40S", "T4", "H100 SXM5 80GB", "H100 SXM5 80GB{dram=3.36TB/s}"]
    found = choose(table, names)
    times = [o.time_s for o in found.options]
    assert times == sorted(times)
    expected = forecast(table, names).estimate.time_s.sum(axis=0)
    assert times[0] == pytest.approx(expected.min())
    twins = [o for o in found.options if o.name.startswith("H100")]
    assert twins[0].group == twins[1].group, "a hair's difference is not significant"
    assert twins[0].beats_next < 0.9
    assert found.options[-1].group > 0, "a T4 is surely slower"
    assert sum(o.p_best or 0 for o in found.options) == pytest.approx(1)
    text = render_choice(Told(found))
    assert "=" in text
    assert "not significant" in text
    assert "among 4 GPUs" in text


def test_budgets_name_counts_and_the_best_mix() -> None:
    prices = read_prices(EXAMPLE)
    found = choose(a_table("stalls", 5), GPUS, limits=Limits(100_000.0, 8000.0, 9.0), prices=prices)
    for o in found.options:
        price = o.candidate.price
        assert o.fits is not None
        assert price.price_usd is not None
        assert o.fits * price.price_usd <= 100_000
        assert (
            (o.fits + 1) * price.price_usd > 100_000
            or (o.fits + 1) * (price.power_w or 0) > 8000
            or ((o.fits + 1) * (price.rack_units or 0) > 9)
        )
        assert re.match(r"the (budget|power|rack) of [\d,]+ (USD|W|U) allows \d+", o.binds or ""), o.binds
    assert found.fleet is not None
    rate = sum(p.count * found.options[p.option].per_s for p in found.fleet.parts)
    assert rate >= max(o.per_s * (o.fits or 0) for o in found.options) * (1 - 1e-9)
    prices_of = [found.options[p.option].candidate.price for p in found.fleet.parts]
    for field, most in (("price_usd", 100_000), ("power_w", 8000), ("rack_units", 9)):
        spent = sum(p.count * getattr(q, field) for p, q in zip(found.fleet.parts, prices_of, strict=True))
        assert spent <= most * (1 + 1e-9)
    told = Told(found)
    for render in (
        render_choice,
        lambda c: json.dumps(decision_record(c)),
        lambda c: tabulate(c).csv(),
        lambda c: render_page(choice_page(c)),
    ):
        assert "L40S" in render(told)


def test_instances_come_whole_also_in_a_fleet() -> None:
    content = {"gpus": {"p5.48xlarge": {"rent_usd_per_hour": 32.0}, "L40S": {"rent_usd_per_hour": 2.0}}}
    prices, terms = parse_prices(content), Terms(years=1.0)
    found = choose(a_table("stalls", 3), prices.named, prices=prices, terms=terms, limits=Limits(budget_usd=300_000.0))
    assert found.fleet is not None
    for p in found.fleet.parts:
        o = found.options[p.option]
        assert p.count % o.candidate.price.gpus == 0
        assert (o.fits or 0) % o.candidate.price.gpus == 0
    of_year = {o.name: o.candidate.budget for o in found.options}
    assert of_year["L40S"] == pytest.approx(2.0 * 8766)


def test_nodes_cost_what_is_asked_for_all_of_them() -> None:
    node = {"price_usd": 240_000, "power_w": 5600, "host_price_usd": 60_000, "network_price_usd": 16_000,
            "host_power_w": 2000}  # fmt: skip
    prices = parse_prices({"gpus": {"8 x H100 SXM": node}, "site": {"usd_per_kwh": 0.1}})
    terms = Terms(years=1.0)
    found = choose(a_table("stalls", 3), prices.named, prices=prices, terms=terms, limits=Limits(deadline_s=1e-2))
    own = found.options[0]
    assert own.name == "8 x H100 SXM5 80GB"
    assert own.count == 8
    assert own.candidate.price.capital_usd == pytest.approx(316_000 / 8)
    assert own.candidate.price.drawn_w == pytest.approx(7600 / 8)
    assert own.candidate.processor.name == "H100 SXM5 80GB"


def test_errors_of_a_candidate_do_not_depend_on_the_others() -> None:
    one, some = gpu("L40S"), [gpu("T4"), gpu("MI300X"), gpu("L40S"), gpu("H100")]
    assert (draw_errors([one], 2)[:, :, 0] == draw_errors(some, 2)[:, :, 2]).all()


def test_break_even_counts_the_power_that_the_owner_pays() -> None:
    content: dict[str, Any] = {
        "gpus": {"L40S": {"price_usd": 8000, "rent_usd_per_hour": 1.0, "power_w": 500}},
        "site": {"usd_per_kwh": 0.2, "power_factor": 1.5},
    }  # fmt: skip
    found = choose(a_table("stalls", 3), ["L40S"], prices=parse_prices(content))
    assert found.options[0].break_even_hours == pytest.approx(8000 / (1.0 - 0.5 * 1.5 * 0.2))
    content["gpus"]["L40S"]["rent_usd_per_hour"] = 0.01
    found = choose(a_table("stalls", 3), ["L40S"], prices=parse_prices(content))
    assert found.options[0].break_even_hours == math.inf
    assert "never costs more" in render_choice(Told(found))


def test_memory_and_missing_prices_leave_gpus_out() -> None:
    table = a_table("stalls", 3)
    found = choose(table, [*GPUS, "T4"], limits=Limits(memory_bytes=40e9))
    assert ("Tesla T4", "has too little memory: 40.0 GB are needed") in found.left_out
    with pytest.raises(RoofcastError, match="no GPU is left"):
        choose(table, GPUS, limits=Limits(memory_bytes=1e15))
    with pytest.raises(RoofcastError, match="single GPU"):
        choose(table, GPUS, limits=Limits(budget_usd=5.0), prices=read_prices(EXAMPLE))


def test_a_deadline_counts_the_gpus_that_meet_it_with_nine_in_ten() -> None:
    (option,) = choose(a_table("stalls", 3), ["L40S"], limits=Limits(deadline_s=1e-4)).options
    quantile = option.time_s * math.exp(1.2816 * option.sd)
    assert option.needed == option.count
    assert option.count == pytest.approx(math.ceil(quantile / 1e-4), rel=0.03)
    assert option.count_expected == math.ceil(option.time_s / 1e-4)
    assert option.p_deadline is not None
    assert option.p_deadline >= 0.89


def test_a_document_without_a_choice_names_none() -> None:
    prices = parse_prices({"gpus": {"L40S": {"price_usd": 9000, "available": "2099-01"}}})
    page = choice_page(Told(choose(a_table("stalls", 3), ["L40S"], prices=prices)))
    assert page.cards[0].figure == "none"
    assert "None of 1 GPUs can be the choice" in render_page(page)


@pytest.mark.slow
def test_gpus_a_few_at_a_time_rank_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    table, names = a_table("stalls", 7), [*GPUS, "T4", "RTX 4090", "MI300X", "H100"]
    found = []
    for cells in (10**9, 10, 1):
        monkeypatch.setattr(program_times, "CELLS", cells)
        made = choose(
            table,
            names,
            limits=Limits(memory_bytes=40e9, deadline_s=1e-3),
            prices=read_prices(EXAMPLE),
            weights={"kernel_1": 5},
        )
        found.append(decision_record(Told(made)))
    assert found[0] == found[1] == found[2]
    with pytest.raises(
        RoofcastError, match=r"has too little memory: 1.00 PB are needed \(as 6 of 6\); loosen the limit"
    ):
        choose(table, names, limits=Limits(memory_bytes=1e15))


def test_memory_is_that_of_the_rows_that_are_forecast() -> None:
    one, other = a_table("analytic", 3), a_table("analytic", 3, seed=1)
    text = {"kernel": as_text([f"other_{i}" for i in range(3)]), "gpu": as_text(["Tesla V100-SXM2-16GB"] * 3)}
    other = dataclasses.replace(other, text={**other.text, **text})
    other = other.with_columns(working_set_bytes=(np.full(3, 60e9), Origin.DERIVED))
    both = concatenate([one, other])
    assert choose(both, GPUS).memory_bytes == 60e9
    found = choose(both, GPUS, source="A100-SXM4-40GB")
    assert found.memory_bytes is not None
    assert found.memory_bytes < 2e9
    assert len(found.options) == len(GPUS)


def test_memory_that_nothing_names_is_not_compared() -> None:
    assert any("Memory is not compared" in n for n in choose(a_table("time", 3), GPUS).notes)


@pytest.mark.slow
def test_weights_and_launches_count() -> None:
    table = a_table("stalls", 3)
    plain, heavy = choose(table, ["L40S"]), choose(table, ["L40S"], weights={"kernel_2": 11.0})
    time = forecast(table, ["L40S"]).estimate.time_s
    assert heavy.options[0].time_s - plain.options[0].time_s == pytest.approx(10 * time[2, 0])
    with pytest.raises(RoofcastError, match="no kernel no_such"):
        choose(table, ["L40S"], weights={"no_such": 1.0})


@pytest.mark.parametrize(
    ("how", "factor", "added_s"),
    [
        ({"scaling": "strong", "efficiency": 0.8}, 1 / (8 * 0.8), 0.0),
        ({"scaling": "weak", "efficiency": 0.8}, 1 / 0.8, 0.0),
        ({"scaling": "measured"}, 1.0, 0.0),
        # A ring of 14 steps, by hand: 6 + 18 + 14 x 0.69 us at 1.671 GHz, here 1.98, 14.38 / 8 of the bytes over 0.749
        # of the link.
        (
            {"scaling": "data parallel", "gradient_bytes": 1e9},
            1.0,
            33.66e-6 * 1.671 / 1.98 + 14.38 / 8 * 1e9 / 300e9 / 0.749,
        ),
    ],
)
def test_jobs_on_several_gpus(how: dict[str, Any], factor: float, added_s: float) -> None:
    table = a_table("stalls", 3)
    content = {"gpus": {"H100 SXM5 80GB": {"rent_usd_per_hour": 2.0, "link": "300 GB/s"}}}
    program = Program("p", kernels=table, gpus=8, **how)
    prices = parse_prices(content)
    found = choose(Workload((program,)), prices.named, prices=prices).options[0]
    total = forecast(table, ["H100 SXM5 80GB"]).total
    # Gradients are added up behind the backward pass, two thirds of the step: from all hidden to nothing hidden.
    assert found.time_s == pytest.approx(total.time_s * factor + max(added_s - 2 / 3 * total.time_s, 0.0))
    assert found.low_s == pytest.approx(total.time_low_s * factor)
    assert found.high_s == pytest.approx(total.time_high_s * factor + added_s * 1.3, rel=2e-3)
    assert found.cost is not None
    assert found.cost[0] == pytest.approx(8 * found.time_s * 2.0 / 3600)


def test_candidates_are_on_sale_for_data_centres_and_run_the_code() -> None:
    found, aside = list_candidates(None, Prices(), Terms(), [(a_table("time"), None)])
    assert 20 < len(found) < 60
    assert {c.processor.vendor for c in found} == {"NVIDIA"}
    assert {c.processor.segment for c in found} == {"datacentre"}
    assert all(c.processor.launch_date[:4] >= "2020" for c in found), "no museum piece"
    assert "not on sale" in aside
    public, _ = list_candidates(None, read_prices("public"), Terms(), [(a_table("time"), None)])
    assert {c.processor.key for c in public} == {c.processor.key for c in found}, "prices do not choose the GPUs"
    named = {c.name for c in public}
    assert "p5.48xlarge (8 x H100 SXM5 80GB)" in named
    assert "H100 SXM5 80GB" not in named, "what is offered in instances alone comes as they do"
    assert "GeForce RTX 4090" not in named
    of_desks, _ = list_candidates(None, Prices(), Terms(), [(a_table("time"), None)], "workstation")
    assert {c.processor.segment for c in of_desks} == {"workstation"}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"gpu": {}}, "no such table"),
        ({"gpus": {"no such GPU": {}}}, "no such GPU"),
        ({"gpus": {"L40S": {"cost": 3}}}, "keys are"),
        ({"gpus": {"L40S": {"price_usd": -3}}}, "above 0"),
        ({"gpus": {"L40S": {"price_usd": True}}}, "above 0"),
        ({"gpus": {"L40S": 3}}, "keys are"),
        ({"site": {"power_factor": 0.5}}, "at least 1"),
    ],
)
def test_wrong_prices_are_one_line(content: dict[str, object], said: str) -> None:
    with pytest.raises(RoofcastError) as caught:
        parse_prices(content)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


def test_example_prices_say_what_they_are() -> None:
    text = EXAMPLE.read_text(encoding="utf-8")
    prices = read_prices(EXAMPLE)
    assert len(prices.by_key) <= 50
    assert all(p.source and p.date for p in prices.by_key.values())
    assert "EXAMPLE ROWS, not facts" in text
    assert prices.of(gpu("L40S")) != Price()


@pytest.mark.slow
def test_every_candidate_is_in_the_picture() -> None:
    found = choose(a_table("stalls", 3))
    figure = bind_pictures(found)["candidates"]()
    assert figure is not None
    axes, energy = figure.axes
    assert energy.get_xlabel() == "energy per job"
    assert len(axes.get_yticklabels()) == len(found.options) > 12
    ends = [np.asarray(line.get_xdata(), np.float64) for line in axes.lines]
    assert {tuple(e.tolist()) for e in ends if len(e) == 2} == {(o.low_s, o.high_s) for o in found.options}


def test_machines_that_are_sold_whole_are_counted_as_machines() -> None:
    from roofcast.choosing.show import name_machines

    table = a_table("stalls", 3)
    names = ["DGX H100", "8 x H100 SXM5 80GB", "H100 SXM5 80GB"]
    prices = parse_prices({"gpus": {name: {"rent_usd_per_hour": 16.0} for name in names}})
    named, node, gpu = (
        next(o for o in choose(Workload((Program("p", kernels=table),)), [name], prices=prices).options)
        for name in names
    )
    assert name_machines(named, 16).startswith("2 x DGX H100 (8 x")
    assert name_machines(node, 8) == "8 x H100 SXM5 80GB"
    assert name_machines(node, 16) == "2 nodes of 8 x H100 SXM5 80GB"
    assert name_machines(gpu, 8) == "8 x H100 SXM5 80GB"
