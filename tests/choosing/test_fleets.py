"""Fleets against exhaustive search; every printed number of a market against the others, in text, JSON and page."""

from __future__ import annotations

import html
import itertools
import json
import math
import re
import sys
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest

import roofcast
from roofcast.__main__ import main
from roofcast.catalog import gpu
from roofcast.choosing.document import choice_page
from roofcast.choosing.programme import FLEET, KINDS, Demand, Offers, Programme, serve
from roofcast.choosing.ranked import make_programme
from roofcast.choosing.record import decision_record
from roofcast.choosing.reversals import answer_of, list_knobs
from roofcast.choosing.show import Told, format_total, render_choice
from roofcast.core.extras import import_extra
from roofcast.core.kernel_table import FloatArray
from roofcast.kit.page import render_page
from roofcast.kit.quantities import format_dollars

MARKETS = Path(__file__).parent / "markets"
FOUND = sorted(p.name.removesuffix(".candidates.toml") for p in MARKETS.glob("*.candidates.toml"))
NAMES = [pytest.param(n, marks=[] if n == "three_programs" else [pytest.mark.slow]) for n in FOUND]
"""Markets; what would change those of servers takes seconds to solve."""
HOURS = 365.25 * 24


def serve_by_lp(gpus: FloatArray, need: FloatArray) -> float:
    """The oracle: the most of the demand that GPUs serve at known times, as a linear programme of its own."""
    highspy = import_extra("highspy", *FLEET)
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    p, k = need.shape
    for _ in range(p * k + 1):
        solver.addVar(0.0, 1e9)
    solver.changeColCost(p * k, -1.0)
    for i in range(p):
        columns = [i * k + j for j in range(k)] + [p * k]
        solver.addRow(0.0, math.inf, k + 1, np.array(columns, np.int32), np.array([1.0] * k + [-1.0]))
    for j in range(k):
        columns = [i * k + j for i in range(p)]
        solver.addRow(-math.inf, float(gpus[j]), p, np.array(columns, np.int32), need[:, j].copy())
    solver.run()
    return -float(solver.getInfo().objective_function_value)


def test_what_a_fleet_serves_is_the_linear_programme() -> None:
    draw = np.random.default_rng(3)
    for _ in range(60):
        p, k = int(draw.integers(1, 5)), int(draw.integers(1, 4))
        gpus, need = draw.integers(1, 9, k).astype(float), draw.uniform(0.2, 9.0, (p, k))
        assert float(serve(gpus, need)) == pytest.approx(serve_by_lp(gpus, need), rel=1e-6)


def a_market(seed: int) -> tuple[Programme, Offers]:
    """Two to four kinds of GPU and one to three programs, with errors that are partly shared."""
    draw = np.random.default_rng(seed)
    p, c, draws = int(draw.integers(1, 4)), int(draw.integers(2, 5)), 300
    base = draw.uniform(0.3, 4, (p, 1)) * draw.uniform(0.3, 1.5, (1, c)) * draw.uniform(0.6, 1.6, (p, c))
    error = sum(draw.normal(size=shape) * s for shape, s in
                (((draws, 1, 1), 0.15), ((draws, 1, c), 0.25), ((draws, p, c), 0.15)))  # fmt: skip
    unit = draw.choice([1.0, 1.0, 2.0, 4.0], c)
    money, work = unit * draw.uniform(5e3, 3e4, c), draw.uniform(100, 3000, (p, c))
    offers = Offers(np.arange(c), np.zeros(c, np.bool_), unit, money, work, np.zeros((0, c)), np.zeros(0))
    demand = Demand(tuple(range(p)), base * np.exp(error), base)
    return Programme([demand], draw.choice([1.0, 1.0, 2.0], p), 0.9), offers


def search_all(programme: Programme, offers: Offers, most: float) -> float:
    """The least money of all fleets below an amount, each looked at; that amount where none serves the demand."""
    best = most
    ranges = [range(int(most // f) + 1) for f in offers.fixed]
    fleets = [n for n in itertools.product(*ranges) if 0 < float(np.dot(n, offers.fixed)) < most]
    for units in sorted(fleets, key=lambda n: float(np.dot(n, offers.fixed))):
        if float(np.dot(units, offers.fixed)) >= best:
            break
        gpus = np.bincount(offers.kind, offers.unit * np.array(units), len(programme.demands[0].expected[0])).astype(
            float
        )
        if np.count_nonzero(gpus) <= KINDS and programme.probability(gpus) >= programme.sure:
            made = programme.dispatch(offers, np.array(units), 1.0)
            assert made is not None
            best = min(best, made.money)
    return best


@pytest.mark.parametrize("first", [0, pytest.param(5, marks=pytest.mark.slow)])
def test_fleets_of_small_markets_are_the_cheapest_of_all(first: int) -> None:
    """5 markets in the loop, 195 more in `make check`."""
    for seed in range(first, 5 if first == 0 else 200):
        programme, offers = a_market(seed)
        found = programme.solve(offers)
        assert found is not None
        assert found.bound == pytest.approx(found.money, rel=1e-4)
        assert found.met >= 0.9
        fresh, _ = a_market(seed)
        assert search_all(fresh, offers, found.money) >= found.money * (1 - 1e-4), seed


def test_large_fleets_of_two_kinds_are_the_cheapest_to_a_thousandth() -> None:
    """Hundreds of units of each: boxes of fleets against each number of the first with the fewest of the second."""
    for seed in (1, 4, 7, 12):
        small, offers = a_market(seed)
        demand = small.demands[0]
        grown = Demand(demand.programs, demand.need * 90, demand.expected * 90)
        programme, own = Programme([grown], small.job_gpus, 0.9), offers.select(np.array([0, 1]))
        found = programme.solve(own)
        assert found is not None
        assert 0.999 * found.money <= found.bound <= found.money
        best, second = math.inf, int(programme.limit(own, None)[1])
        for first in range(0, int(programme.limit(own, None)[0]) + 1, 3):
            # As the first grow fewer of the second do.
            while second >= 0:
                gpus = np.zeros(demand.expected.shape[1])
                gpus[:2] = own.unit * (first, second)
                if programme.probability(gpus) < 0.9:
                    break
                made = programme.dispatch(own, np.array([first, second]), 1.0)
                assert made is not None
                best, second = min(best, made.money), second - 1
        assert found.money * 0.999 <= best <= found.money * 1.02, seed


def test_of_one_offer_there_is_a_fleet() -> None:
    programme, offers = a_market(3)
    own = offers.select(np.array([0]))
    found = programme.solve(own)
    assert found is not None
    assert found.met >= 0.9
    fewer = np.bincount(own.kind, own.unit * (found.units - 1), len(offers.kind)).astype(float)
    assert programme.probability(fewer) < 0.9


def test_a_demand_without_the_solver_names_the_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    name = MARKETS / "three_programs"
    assert main(["choose", f"{name}.toml", "--candidates", f"{name}.candidates.toml"]) == 2
    error = capsys.readouterr().err
    assert "pip install 'roofcast[fleet]'" in error
    assert error.count("\n") == 1


class Answers(dict[str, tuple[Told, dict[str, Any]]]):
    """Answers of the markets, each made once."""

    def __missing__(self, name: str) -> tuple[Told, dict[str, Any]]:
        told = roofcast.choose(MARKETS / f"{name}.toml", candidates=MARKETS / f"{name}.candidates.toml").found
        self[name] = told, decision_record(told)
        return self[name]


@pytest.fixture(scope="module")
def answers() -> Answers:
    return Answers()


def money_of(answer: dict[str, Any], row: dict[str, Any], count: int, shares: dict[str, float]) -> dict[str, float]:
    """Money over the life of so many GPUs of a candidate that do shares of the jobs, from what is printed alone."""
    terms = answer["conditions"]
    hours, kwh = terms["years"] * HOURS, (terms["usd_per_kwh"] or 0.0) * terms["power_factor"]
    if row["how"] == "rent":
        rent = count * row["rent_usd_per_hour"] * hours * terms["utilisation"]
        return {"purchase": 0.0, "energy": 0.0, "rent": rent, "cost": rent}
    each = row["price_usd"] + (row["host_price_usd"] or 0.0) + (row["network_price_usd"] or 0.0)
    idle = row["idle_power_w"] or 0.0
    joules = count * ((row["host_power_w"] or 0.0) + idle) * hours * 3600
    for own, asked in zip(row["programs"], answer["programs"], strict=True):
        jobs = shares[asked["program"]] * asked["jobs_per_day"] * 365.25 * terms["years"]
        per_job = own["energy_per_job_j"] or row["power_w"] * asked["gpus"] * own["time_s"]
        joules += jobs * (per_job - idle * asked["gpus"] * own["time_s"])
    energy = joules / 3.6e6 * kwh
    return {"purchase": count * each, "energy": energy, "rent": 0.0, "cost": count * each + energy}


def draw_times(answer: dict[str, Any], draws: int = 12_000) -> FloatArray:
    """(1 + draws, P, C) s, the forecast first, from printed times, intervals and correlations."""
    rows, asked = answer["candidates"], answer["programs"]
    known = {r["gpu"]: gpu(r["gpu"].partition(" (")[0]) for r in rows}
    shared = answer["correlation"]
    related = np.array([[
        1.0 if a.key == b.key else shared["architecture"] if a.architecture == b.architecture
        else shared["vendor"] if a.vendor == b.vendor else shared["other"] for b in known.values()
    ] for a in known.values()])  # fmt: skip
    p, c = len(asked), len(rows)
    programs = np.full((p, p), shared["programs"]) + (1 - shared["programs"]) * np.eye(p)
    value, vector = np.linalg.eigh(np.kron(programs, related))
    normal = np.random.default_rng(5).standard_normal((draws, p * c)) @ (vector * np.sqrt(np.maximum(value, 0))).T
    own = np.array([[[r["programs"][i][k] for k in ("time_s", "time_low_s", "time_high_s")] for r in rows]
                    for i in range(p)])  # fmt: skip
    sd = 0.5 * np.log(own[..., 2] / own[..., 1]) / 1.6448536
    return np.asarray(own[..., 0] * np.exp(np.concatenate([np.zeros((1, p, c)), normal.reshape(-1, p, c)]) * sd))


def count_needs(answer: dict[str, Any], time: FloatArray) -> FloatArray:
    """(draws, P, C) GPUs that each program's jobs need; infinite where one is late."""
    asked, terms = answer["programs"], answer["conditions"]
    capacity = 86400 * terms["utilisation"] * (1 - terms["spares"])
    needs = np.array([a["jobs_per_day"] * a["gpus"] for a in asked])[:, None] * time / capacity
    return np.asarray(np.where(time > list_deadlines(answer), np.inf, needs))


def list_deadlines(answer: dict[str, Any]) -> FloatArray:
    """(P, 1) s, infinite where there is none."""
    return np.array([a["deadline_s"] or math.inf for a in answer["programs"]])[:, None]


def draw_money(answer: dict[str, Any], time: FloatArray) -> FloatArray:
    """(draws, C) of as many GPUs of one kind as the drawn times need, the cheaper way; infinite where none will do."""
    needs, whole = count_needs(answer, time).sum(axis=1), {p["program"]: 1.0 for p in answer["programs"]}
    found = np.full((len(time), len(answer["candidates"])), np.inf)
    for c, row in enumerate(answer["candidates"]):
        unit = row["gpus_at_a_time"]
        count = np.maximum(unit * np.ceil(needs[:, c] / unit - 1e-9), 1.0)
        ways = [w for w, key in (("buy", "price_usd"), ("rent", "rent_usd_per_hour")) if row[key]]
        for way in ways:
            own = {**row, "how": way}
            once, none = (money_of(answer, own, n, whole)["cost"] for n in (1, 0))
            # Energy of the jobs goes with each program's time, the rest with the count.
            jobs = [stretch_program(answer, own, p["program"]) for p in row["programs"]] if way == "buy" else []
            work = sum(
                (j * time[:, k, c] / row["programs"][k]["time_s"] for k, j in enumerate(jobs)), np.zeros(len(time))
            )
            fits = np.isfinite(count) & (count <= (math.inf if row["fits"] is None else row["fits"]))
            with np.errstate(invalid="ignore"):
                money = np.where(fits, count * (once - none) + work, np.inf)
            found[:, c] = np.minimum(found[:, c], money)
    return found


def stretch_program(answer: dict[str, Any], row: dict[str, Any], name: str) -> float:
    """Money of the energy of one program's jobs, all on GPUs of one kind."""
    alone = {p["program"]: float(p["program"] == name) for p in answer["programs"]}
    return money_of(answer, row, 0, alone)["energy"]


def close(value: float, expected: float, rel: float = 1e-6) -> None:
    """A printed number is what the others make it."""
    assert value == pytest.approx(expected, rel=rel), (value, expected)


def near(value: float | None, expected: float) -> None:
    """A probability is what other draws say."""
    assert value == pytest.approx(expected, abs=0.03), (value, expected)


def check_money(answer: dict[str, Any]) -> None:
    """Totals, their parts and ends, money per job."""
    rows, names = {r["gpu"]: r for r in answer["candidates"]}, [p["program"] for p in answer["programs"]]
    jobs = answer["jobs_per_day"] * 365.25 * answer["life_years"]
    close(answer["jobs_per_day"], sum(p["jobs_per_day"] for p in answer["programs"]))
    close(answer["cost_per_job"], answer["total_cost"] / jobs)
    for end in ("", "_low", "_high"):
        close(answer[f"total_cost{end}"], sum(p[f"cost{end}"] for p in answer["fleet"]))
    for name in names:
        close(sum(p["share_of_jobs"][name] for p in answer["fleet"]), 1)
    assert answer["no_fleet_below"] <= answer["total_cost"] * (1 + 1e-9)
    for p in answer["fleet"]:
        row = {**rows[p["gpu"]], "how": p["how"]}
        for key, value in money_of(answer, row, p["count"], p["share_of_jobs"]).items():
            close(p[key], value)
        for end in ("low", "high"):
            close(p[f"cost_{end}"], stretch_money(answer, row, p["count"], p["share_of_jobs"], end))
        assert p["count"] % row["gpus_at_a_time"] == 0
        assert p["count_expected"] <= p["count"]
    for row in answer["candidates"]:
        left = {"gpu": row["gpu"], "reason": row["left_out"]} in answer["left_out"]
        assert left == (row["left_out"] is not None)
        if row["total_cost"] is None:
            # What cannot serve alone may be of the fleet.
            assert left != (row["gpu"] in [p["gpu"] for p in answer["fleet"]])
            continue
        whole = dict.fromkeys(names, 1.0)
        close(row["total_cost"], money_of(answer, row, row["count"], whole)["cost"])
        for end in ("low", "high"):
            close(row[f"total_cost_{end}"], stretch_money(answer, row, row["count"], whole, end))
            close(row[f"cost_{end}"], row[f"total_cost_{end}"] / jobs)
        close(row["cost_per_job"], row["total_cost"] / jobs)
        assert answer["total_cost"] <= row["total_cost"] * (1 + 1e-9)


def stretch_money(answer: dict[str, Any], row: dict[str, Any], count: int, shares: dict[str, float], end: str) -> float:
    """Money of so many GPUs where all times are at an end of their intervals."""
    idle = {**row, "host_power_w": 0.0, "idle_power_w": row["idle_power_w"]}
    own = money_of(answer, idle, 0, shares)["energy"] if row["how"] == "buy" else 0.0
    found = money_of(answer, row, count, shares)["cost"] - own
    for program in row["programs"] if row["how"] == "buy" else ():
        only = {n: s if n == program["program"] else 0.0 for n, s in shares.items()}
        found += money_of(answer, idle, 0, only)["energy"] * program[f"time_{end}_s"] / program["time_s"]
    return found


def check_rows(answer: dict[str, Any]) -> None:
    """Counts, rates, averages and probabilities of each candidate, by draws of our own."""
    rows, asked, terms = answer["candidates"], answer["programs"], answer["conditions"]
    time, total_jobs = draw_times(answer), answer["jobs_per_day"]
    needs = count_needs(answer, time)
    check_chances(answer, time)
    for c, row in enumerate(rows):
        share = [p["jobs_per_day"] / total_jobs for p in asked]
        check_ends(answer, row, share)
        close(row["time_s"], sum(s * own["time_s"] for s, own in zip(share, row["programs"], strict=True)))
        assert row["time_low_outer_s"] <= row["time_low_s"] <= row["time_s"] <= row["time_high_s"]
        assert row["time_high_s"] <= row["time_high_outer_s"]
        if row["count"] is None:
            continue
        unit, total = row["gpus_at_a_time"], needs[:, :, c].sum(axis=1)
        gpu_s = sum(s * p["gpus"] * own["time_s"] for s, p, own in zip(share, asked, row["programs"], strict=True))
        close(row["jobs_per_day"], 86400 * terms["utilisation"] * (1 - terms["spares"]) * row["count"] / gpu_s)
        assert row["needed"] == row["count"]
        assert row["count_expected"] == unit * math.ceil(total[0] / unit - 1e-9)
        assert (total[1:] <= row["count"]).mean() >= answer["probability"] - 0.025
        assert (total[1:] <= row["count"] - unit).mean() < answer["probability"] + 0.025
        near(row["p_met"], (total[1:] <= row["count"] + 1e-9).mean())
        if row["fits"] is not None:
            near(row["p_budget"], (unit * np.ceil(total[1:] / unit) <= row["fits"]).mean())
    place = [[r["gpu"] for r in rows].index(p["gpu"]) for p in answer["fleet"]]
    for key, asked_for in (("count", answer["probability"]), ("count_expected", None)):
        gpus = np.array([float(p[key]) for p in answer["fleet"]])
        served = [serve_by_lp(gpus, np.minimum(n[:, place], 1e6)) >= 1 - 1e-6 for n in needs[: 501 if asked_for else 1]]
        assert served[0], "as forecast it serves"
        if asked_for is not None:
            assert answer["p_met"] == pytest.approx(np.mean(served[1:]), abs=0.05)
            assert answer["p_met"] >= asked_for
    for w in answer["worth_measuring"]:
        close(w["value_per_job"] * total_jobs * 365.25 * answer["life_years"], w["value_over_life"])
        assert w["value_over_life"] <= answer["value_of_knowing_all"] * (1 + 1e-9)
        row = next(r for r in rows if w["what"] == f"its time on {gpu(r['gpu'].partition(' (')[0]).name}")
        own = next(p for p in row["programs"] if p["program"] == w["program"])
        close(w["width"], own["time_high_s"] / own["time_low_s"])


def check_ends(answer: dict[str, Any], row: dict[str, Any], share: list[float]) -> None:
    """The interval of the average job, hours until buying pays, and how likely a flip of a forecast is."""
    for end in ("low", "high"):
        ways = np.array(
            [s * abs(p[f"time_{end}_s"] - p["time_s"]) for s, p in zip(share, row["programs"], strict=True)]
        )
        shared = answer["correlation"]["programs"]
        away = math.sqrt(shared * ways.sum() ** 2 + (1 - shared) * (ways**2).sum())
        close(row[f"time_{end}_s"], row["time_s"] + (away if end == "high" else -away))
        outer = sum(s * p[f"time_{end}_s"] for s, p in zip(share, row["programs"], strict=True))
        close(row[f"time_{end}_outer_s"], outer)
    if row["break_even_hours"] is not None:
        terms = answer["conditions"]
        running = (row["power_w"] + (row["host_power_w"] or 0.0)) / 1000 * terms["power_factor"] * terms["usd_per_kwh"]
        price = row["price_usd"] + (row["host_price_usd"] or 0.0) + (row["network_price_usd"] or 0.0)
        close(row["break_even_hours"], price / (row["rent_usd_per_hour"] - running))
    if row["fits"] is not None:
        # Of the ways it can be had, the one that the budget allows more of.
        terms, unit = answer["conditions"], row["gpus_at_a_time"]
        hours = terms["years"] * HOURS * terms["utilisation"]
        each = [row["price_usd"] or math.inf, (row["rent_usd_per_hour"] or math.inf) * hours]
        assert row["fits"] == unit * math.floor(terms["limits"]["budget"] / min(each) / unit + 1e-9)
    sd = 0.5 * math.log(row["time_high_s"] / row["time_low_s"]) / 1.6448536
    for flip in answer["flips"]:
        if flip["of"] == "forecast" and flip["name"] == row["gpu"]:
            close(flip["probability"], NormalDist().cdf(-abs(math.log(flip["at"])) / sd), 1e-4)


def check_chances(answer: dict[str, Any], time: FloatArray) -> None:
    """Probabilities of being best, better than the next and in time, by our own draws."""
    rows, drawn = answer["candidates"], time[1:]
    money = draw_money(answer, drawn)
    some = np.isfinite(money).any(axis=1)
    best = np.bincount(money[some].argmin(axis=1), minlength=len(rows)) / len(money)
    able = np.array([r["p_best"] is not None for r in rows])
    fastest = np.where(able, drawn, np.inf).argmin(axis=2)
    late = drawn > list_deadlines(answer)
    for c, row in enumerate(rows):
        if row["p_best"] is not None:
            near(row["p_best"], best[c])
        if row["p_deadline"] is not None:
            near(row["p_deadline"], (~late[:, :, c]).all(axis=1).mean())
        after = row["probability_better_than_next"]
        if after is not None:
            near(after, (money[:, c] < money[:, c + 1]).mean() + 0.5 * (money[:, c] == money[:, c + 1]).mean())
        for p, own in enumerate(row["programs"]):
            if own["p_best"] is not None:
                near(own["p_best"], (fastest[:, p] == c).mean())
            if own["p_deadline"] is not None:
                near(own["p_deadline"], (~late[:, p, c]).mean())
    # Candidates share a rank with the first of their group while they are not surely worse.
    groups = [next(i for i, r in enumerate(rows) if r["rank"].rstrip("=") == row["rank"].rstrip("=")) for row in rows]
    for c, leader in enumerate(groups):
        if c > leader:
            ahead = (money[:, leader] < money[:, c]).mean() + 0.5 * (money[:, leader] == money[:, c]).mean()
            assert ahead < 0.93, (rows[c]["gpu"], ahead)
        assert rows[c]["rank"] == f"{leader + 1}{'=' if groups.count(leader) > 1 else ''}"


def check_all(answer: dict[str, Any]) -> None:
    """Every printed number that follows from others."""
    check_money(answer)
    check_rows(answer)


DERIVED = {
    "fleet": ("count", "count_expected", "cost", "cost_low", "cost_high", "purchase", "energy", "rent"),
    "candidates": ("count", "count_expected", "total_cost", "total_cost_low", "total_cost_high", "cost_per_job",
                   "cost_low", "cost_high", "time_s", "time_low_s", "time_high_s", "time_low_outer_s",
                   "time_high_outer_s", "jobs_per_day", "needed", "p_met", "p_best", "p_deadline", "p_budget", "fits",
                   "break_even_hours", "probability_better_than_next"),
    "worth_measuring": ("value_per_job", "value_over_life"),
    "": ("total_cost", "total_cost_low", "total_cost_high", "cost_per_job", "jobs_per_day", "p_met"),
}  # fmt: skip
"""Printed numbers that follow from the others."""


@pytest.mark.parametrize("name", NAMES)
def test_every_printed_number_follows_from_the_others(name: str, answers: Answers) -> None:
    _, answer = answers[name]
    check_all(answer)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_checker_finds_each_changed_number(name: str, answers: Answers) -> None:
    _, answer = answers[name]
    for table, keys in DERIVED.items():
        for i, row in enumerate(answer[table] if table else [answer]):
            for key in keys:
                if not row[key]:
                    continue
                changed = json.loads(json.dumps(answer))
                own = changed[table][i] if table else changed
                # Fewer GPUs, another chance, or an eighth less of anything.
                if key.startswith(("count", "need", "fits")):
                    own[key] = row[key] - row.get("gpus_at_a_time", 1)
                else:
                    chance = key.startswith(("p_b", "p_d", "probability"))
                    own[key] = row[key] * 0.87 if not chance else row[key] - math.copysign(0.07, row[key] - 0.5)
                with pytest.raises(AssertionError):
                    check_all(changed)


@pytest.mark.parametrize("name", NAMES)
def test_text_and_page_print_the_same_answer(name: str, answers: Answers) -> None:
    told, answer = answers[name]
    text, page = " ".join(render_choice(told, 160, notes=True).split()), html.unescape(render_page(choice_page(told)))
    unit = answer["currency"]
    total = f"{answer['total_cost']:,.0f} {unit}"
    assert text.startswith(f"{total} over {answer['life_years']:g} years: ")
    assert total in page
    counts = " + ".join(f"{p['count']:,} x {p['gpu']}" for p in answer["fleet"] if p["how"] == "buy")
    assert f"buy {counts}" in text
    assert f"buy {counts}" in page
    for shown in (text, page):
        assert answer["verdict"] in shown
        assert answer["recommendation"] in " ".join(shown.split())
        for p in answer["fleet"]:
            for key in ("cost", "purchase", "energy", "rent"):
                assert format_total(p[key]) in shown, (p["gpu"], key)
        for row in answer["candidates"]:
            if row["total_cost"] is not None:
                assert f"{row['total_cost']:,.0f}" in shown
    # A job's money in the sentence is the total over the jobs of the life, as far as its digits say.
    said = re.search(rf"; ([\d.,]+) {unit} per (job|thousand jobs|million jobs|billion jobs)\.", answer["verdict"])
    assert said is not None
    jobs = {"job": 1.0, "thousand jobs": 1e3, "million jobs": 1e6, "billion jobs": 1e9}[said[2]]
    assert said[1] == format_dollars(
        answer["total_cost"] / (answer["jobs_per_day"] * 365.25 * answer["life_years"]) * jobs
    )
    assert f"{100 * answer['p_met']:.0f} % probability" in answer["verdict"]


def test_the_case_of_three_programs_costs_no_more_than_known(
    answers: Answers,
) -> None:
    """Its answer was 7 x MI300X, for 109,600 USD; ten L40S cost 86,200."""
    told, answer = answers["three_programs"]
    assert answer["total_cost"] <= 86_200
    assert [(p["gpu"], p["count"]) for p in answer["fleet"]] != [("Instinct MI300X", 7)]
    assert len(answer["fleet"]) <= KINDS
    decision = told.decision
    assert decision.programme is not None
    offers = decision.sheet.offers(np.arange(len(decision.options)))
    bought = offers.select(np.flatnonzero(~offers.rented))
    # Fleets that no unit can be added to below the money of the answer: if none of them serves, nothing smaller does.
    least = answer["total_cost"] - bought.work.min(axis=1).sum()
    ranges = [range(int(least // f) + 1) for f in bought.fixed]
    looked = 0
    for units in itertools.product(*ranges):
        money = float(np.dot(units, bought.fixed))
        full = money < least <= money + bought.fixed[np.array(units) > 0].min(initial=math.inf)
        if full and np.count_nonzero(units) == KINDS:
            looked += 1
            gpus = np.bincount(bought.kind, bought.unit * np.array(units), len(decision.options)).astype(float)
            if decision.programme.probability(gpus) >= decision.programme.sure:
                made = decision.programme.dispatch(bought, np.array(units), 1.0)
                assert made is not None
                assert made.money >= answer["total_cost"] * (1 - 1e-4), units
    assert looked > 20


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_flips_of_demand_and_speed_save_money_when_solved_to_the_end(name: str, answers: Answers) -> None:
    told, _ = answers[name]
    decision, known = told.decision, {(k.of, k.name): k for k in list_knobs(told.decision)}
    base = answer_of(decision)
    assert base is not None
    flips = [f for f in told.flips if not known[f.of, f.name].moves_money]
    assert flips or name != "three_programs"
    for flip in flips:
        sheet = known[flip.of, flip.name].apply(flip.at)
        programme = make_programme(sheet, decision.log_errors, decision.workload.terms.probability)
        offers = sheet.offers(np.arange(len(decision.options)))
        own = [k for k, o in enumerate(zip(offers.kind.tolist(), offers.rented.tolist(), strict=True)) if o in base]
        found, present = programme.solve(offers), programme.solve(offers.select(np.array(own)))
        assert found is not None
        assert present is None or found.money < present.money * 0.996, flip.text


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_flips_change_the_answer_when_solved_again(name: str, answers: Answers) -> None:
    """Prices just before and just beyond where they flip, in files of their own."""
    told, answer = answers[name]
    same = {(p["gpu"], p["how"]) for p in answer["fleet"]}
    prices = [f for f in answer["flips"] if f["of"] in ("price", "rent")][:2]
    for flip in prices:
        found = []
        for value in (flip["now"] + (flip["at"] - flip["now"]) * 0.98, flip["now"] + (flip["at"] - flip["now"]) * 1.02):
            made = again(name, told, flip, value)
            found.append({(p["gpu"], p["how"]) for p in made["fleet"]})
        assert found[0] == same, flip["text"]
        assert found[1] != same, flip["text"]


def again(name: str, told: Told, flip: dict[str, Any], value: float) -> dict[str, Any]:
    """The answer with another price."""
    import dataclasses

    from roofcast.catalog.prices import read_prices
    from roofcast.choosing.deciding import choose

    prices = read_prices(MARKETS / f"{name}.candidates.toml")
    option = next(o for o in told.options if o.name == flip["name"])
    own = prices.of(option.candidate.processor)
    if flip["of"] == "price":
        own = dataclasses.replace(own, price_usd=value)
    else:
        own = dataclasses.replace(own, rent_usd_per_hour=value)
    prices = dataclasses.replace(prices, by_name={**prices.by_name, option.candidate.processor.name: own})
    made = choose(MARKETS / f"{name}.toml", list(prices.named), prices=prices)
    assert made.fleet is not None
    return {"fleet": [
        {"gpu": made.options[p.option].name, "how": "rent" if p.rented else "buy"} for p in made.fleet.parts
    ]}  # fmt: skip


def test_no_fleet_of_a_set_is_cheaper_than_its_bound() -> None:
    draw = np.random.default_rng(8)
    for seed in range(5):
        programme, offers = a_market(seed)
        kinds = len(programme.demands[0].expected[0])
        least = {tuple(s.tolist()): money for s, money in zip(*programme.bound(offers), strict=True)}
        served = [n for n in draw.integers(0, 12, (60, kinds)) if 0 < np.count_nonzero(n) <= KINDS
                  and programme.probability(np.asarray(offers.unit * n, float)) >= programme.sure]  # fmt: skip
        assert served
        for units in served:
            made = programme.dispatch(offers, units, 1.0)
            assert made is not None
            assert made.money >= least[tuple(np.flatnonzero(units).tolist())] * (1 - 1e-9)


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("three_programs", ('"500 kUSD"', '"20 kUSD"'), "it takes budget 47,000 of 20,000 USD"),
        ("servers", ('"2 s"', '"100 ms"'), "H100 SXM5 80GB meets a deadline of 462 ms for chat with 80 % probability"),
    ],
)
def test_an_impossible_demand_says_what_would_make_it_possible(
    name: str, change: tuple[str, str], said: str, tmp_path: Path
) -> None:
    work = tmp_path / "work.toml"
    work.write_text((MARKETS / f"{name}.toml").read_text().replace(*change))
    told = roofcast.choose(work, candidates=MARKETS / f"{name}.candidates.toml").found
    assert told.decision.fleet is None
    text = " ".join(render_choice(told).split())
    assert text.startswith("No fleet serves ")
    assert said in text
    assert said in decision_record(told)["verdict"]


def test_a_deadline_without_jobs_a_day_has_a_fleet(tmp_path: Path) -> None:
    work = tmp_path / "work.toml"
    text = (MARKETS / "servers.toml").read_text()
    work.write_text(
        text.replace("requests_per_second = 40", "weight = 40").replace("jobs_per_day = 20000", "weight = 1")
    )
    told = roofcast.choose(work, candidates=MARKETS / "servers.candidates.toml").found
    assert told.decision.sheet.counts_money
    assert told.decision.fleet is not None
    assert (told.decision.fleet.met or 0.0) >= 0.8


def test_a_gpu_with_too_little_memory_for_one_program_serves_the_others(tmp_path: Path) -> None:
    work = tmp_path / "work.toml"
    text = (MARKETS / "servers.toml").read_text()
    work.write_text(text.replace('name = "chat"', 'name = "chat"\nmemory = "60 GB"'))
    told = roofcast.choose(work, candidates=MARKETS / "servers.candidates.toml").found
    answer = decision_record(told)
    held = {p["gpu"]: p for p in answer["fleet"]}
    assert {n: p["share_of_jobs"]["chat"] for n, p in held.items() if p["share_of_jobs"]["chat"] > 0} == {
        "H100 SXM5 80GB": pytest.approx(1)
    }
    assert any(n != "H100 SXM5 80GB" for n in held), "small boards do the rest"
    assert any(r["reason"] == "has too little memory for chat" for r in answer["left_out"])
    assert "too little memory" in render_choice(told, 160)


def test_prices_stand_in_a_text_too() -> None:
    own = roofcast.choose(
        MARKETS / "three_programs.toml", among="L40S,L4", prices="L40S=8000, L4=2600,L4=0.8/h"
    ).found.decision.options
    assert {(o.name, o.candidate.price.price_usd, o.candidate.price.rent_usd_per_hour) for o in own} == {
        ("L40S", 8000.0, None), ("L4", 2600.0, 0.8),
    }  # fmt: skip
    with pytest.raises(roofcast.RoofcastError, match="write GPU=27000 to buy"):
        roofcast.choose(MARKETS / "three_programs.toml", among="L40S", prices="L40S=cheap")


def test_what_no_limit_allows_says_which(tmp_path: Path) -> None:
    """Of a GPU that has a rent alone nothing is known of a purchase."""
    work = tmp_path / "work.toml"
    text = (MARKETS / "servers.toml").read_text()
    work.write_text(text.replace("[[programs]]", '[limits]\nbudget = "1 kUSD"\n\n[[programs]]', 1))
    told = roofcast.choose(work, candidates=MARKETS / "servers.candidates.toml").found
    reasons = [o.why_not for o in told.options if o.candidate.price.price_usd is None]
    assert any("the budget of 1,000 USD allows 0 of " in r for r in reasons)
