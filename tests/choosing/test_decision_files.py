"""A realistic case from two files: the document, with all of its figures computed again in NumPy alone."""

from __future__ import annotations

import itertools
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from contracts.doors import run, run_json
from roofcast.analyses.choosing.show import choice_json, choice_page, render_choice
from roofcast.kit.page import render_page

WORKLOAD = """
question = "Which GPUs for the mix of 2027?"
[terms]
years = 4
utilisation = 0.7
start = "2026-12-01"
[limits]
budget = "1.5 MUSD"
power = "80 kW"
[[programs]]
name = "products"
files = ["{products}"]
jobs_per_day = 2e8
deadline = "20 ms"
[[programs]]
name = "weather"
files = ["{weather}"]
jobs_per_day = 4e7
memory = "10 GB"
[[programs]]
name = "self-join"
files = ["{join}"]
jobs_per_day = 1e5
gpus = 4
scaling = "strong"
efficiency = 0.9
[[programs]]
name = "bert"
files = ["{bert}"]
range = "ProfilerStep#6"
jobs_per_day = 2e7
deadline = "5.4 ms"
"""
CANDIDATES = """
[site]
usd_per_kwh = 0.15
power_factor = 1.3
[gpus."H100 SXM5 80GB"]
price_usd = 27000
rent_usd_per_hour = 3.0
host_price_usd = 60000
host_power_w = 2000
slots_per_server = 8
source = "offer A"
date = "2026-10-01"
[gpus."L40S"]
price_usd = 9000
host_price_usd = 14000
host_power_w = 700
slots_per_server = 4
source = "offer A"
date = "2026-10-01"
[gpus."H200 SXM 141GB"]
price_usd = 31000
host_price_usd = 60000
host_power_w = 2000
slots_per_server = 8
[gpus."p5.48xlarge"]
rent_usd_per_hour = 31.5
[gpus."g6e.12xlarge"]
rent_usd_per_hour = 6.5
[gpus."faster.toml"]
price_usd = 30000
power_w = 1200
host_price_usd = 70000
host_power_w = 2500
slots_per_server = 8
available = "2027-06"
"""
FASTER = 'base = "B200"\nname = "B200 successor"\nmemory_bandwidth = "13 TB/s"\nsm_count = 200\n'
PATTERNS = {
    "products": "ncu_rep/a100-sxm4*profile-20480.ncu-rep", "weather": "ncu_rep/tesla-v100*Baseline*",
    "join": "ncu_rep/a100-pcie*prof1024*", "bert": "kineto/h100*bert*",
}  # fmt: skip
BOARDS = {
    "H100 SXM5 80GB": "H100 SXM5 80GB", "L40S": "L40S", "H200 SXM 141GB": "H200 SXM 141GB",
    "p5.48xlarge (8 x H100 SXM5 80GB)": "H100 SXM5 80GB", "g6e.12xlarge (4 x L40S)": "L40S",
    "B200 successor": "B200 successor",
}  # fmt: skip
ARCHITECTURE = {"H100 SXM5 80GB": 90, "H200 SXM 141GB": 90, "L40S": 89, "B200 successor": 100}
NAMES = ("products", "weather", "self-join", "bert")
WEIGHT, GPUS = np.array([2e8, 4e7, 1e5, 2e7]), np.array([1.0, 1.0, 4.0, 1.0])
DEADLINE = np.array([20e-3, np.inf, np.inf, 5.4e-3])
YEARS, USE, KWH, PUE, HOURS = 4.0, 0.7, 0.15, 1.3, 365.25 * 24
#          price, host price, power, host power, slots, rent per GPU
STATED: dict[str, tuple[Any, ...]] = {
    "H100 SXM5 80GB": (27000, 60000, 700, 2000, 8, 3.0), "L40S": (9000, 14000, 350, 700, 4, None),
    "H200 SXM 141GB": (31000, 60000, 700, 2000, 8, None), "B200 successor": (30000, 70000, 1200, 2500, 8, None),
    "p5.48xlarge (8 x H100 SXM5 80GB)": (None, 0, 0, 0, 8, 31.5 / 8),
    "g6e.12xlarge (4 x L40S)": (None, 0, 0, 0, 4, 6.5 / 4),
}  # fmt: skip


@pytest.fixture(scope="module")
def case(fixtures_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("case")
    found = {name: next(iter(sorted(fixtures_dir.glob(pattern))), None) for name, pattern in PATTERNS.items()}
    if not all(found.values()):
        pytest.skip("the profiles of the case are absent")
    (folder / "workload.toml").write_text(WORKLOAD.format(**found))
    (folder / "candidates.toml").write_text(CANDIDATES)
    (folder / "faster.toml").write_text(FASTER)
    told = roofcast.choose(folder / "workload.toml", candidates=folder / "candidates.toml").found
    return folder, {"choice": json.loads(choice_json(told)), "files": found, "told": told}


@pytest.fixture(scope="module")
def parts(case: tuple[Path, dict[str, Any]]) -> dict[str, np.ndarray]:
    """(program, candidate) seconds with ends and joules, from what `forecast` and `app` print alone."""
    folder, known = case
    boards = [*dict.fromkeys(BOARDS.values())]
    to = ",".join(str(folder / "faster.toml") if b == "B200 successor" else b for b in boards)
    keys = ("time_s", "time_low_s", "time_high_s", "energy_j", "energy_low_j", "energy_high_j")
    rows = []
    for name in ("products", "weather", "join"):
        totals = {t["target"]: t for t in run_json("forecast", known["files"][name], "--to", to)["totals"]}
        rows.append([[totals[b][k] for k in keys] for b in boards])
    runs = run_json("app", known["files"]["bert"], "--to", to, "--range", "ProfilerStep#6")
    runs = runs if isinstance(runs, list) else runs.get("forecasts", [runs])
    rows.append([[r["time_s"], r["time_low_s"], r["time_high_s"], *[np.nan] * 3] for r in runs])
    values = np.array(rows, float)[:, [boards.index(b) for b in BOARDS.values()]]
    values[2] /= np.array([4 * 0.9] * 6)  # strong scaling to four GPUs
    return dict(zip(keys, np.moveaxis(values, 2, 0), strict=True))


def find(known: dict[str, Any], name: str) -> dict[str, Any]:
    return next(c for c in known["choice"]["candidates"] if c["gpu"] == name)


def joules(case: tuple[Path, dict[str, Any]], parts: dict[str, np.ndarray]) -> np.ndarray:
    """(program, candidate) J of a job's GPUs; the trace's as the choice says: `app` prints none of idle time."""
    energy = parts["energy_j"] * GPUS[:, None]
    energy[3] = [find(case[1], n)["programs"][3]["energy_per_job_j"] for n in BOARDS]
    return np.asarray(energy)


def cost_of(time: np.ndarray, energy: np.ndarray, changes: dict[str, dict[int, float]] | None = None) -> np.ndarray:
    """(..., program, candidate) USD of a job."""
    found = []
    for c, name in enumerate(BOARDS):
        stated = list(STATED[name])
        for k, v in (changes or {}).get(name, {}).items():
            stated[k] = v
        price, host, _, host_w, slots, rent = stated
        seconds = time[..., c] * GPUS / 3600
        bought, hour = np.inf, np.inf
        if price is not None:
            hour = (price + host / slots) / (HOURS * YEARS * USE) + host_w / slots / 1e3 * KWH * PUE / USE
            bought = seconds * hour + energy[:, c] * KWH * PUE / 3.6e6
        rented = seconds * (rent if rent is not None else np.inf)
        # Whichever is cheaper for an hour of work, the board at its stated power.
        is_bought = price is not None and (rent is None or hour + stated[2] / 1e3 * KWH * PUE <= rent)
        found.append(bought if is_bought else rented)
    return np.stack(found, axis=-1)


def average(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("p,...pc->...c", WEIGHT / WEIGHT.sum(), values))


def test_times_costs_and_energies_are_these(case: tuple[Path, dict[str, Any]], parts: dict[str, np.ndarray]) -> None:
    energy, share = joules(case, parts), (WEIGHT / WEIGHT.sum())[:, None]
    cost = cost_of(parts["time_s"], energy)
    time = average(parts["time_s"])
    ends = []
    for sign, key in ((-1, "time_low_s"), (1, "time_high_s")):
        ways = share * np.abs(parts[key] - parts["time_s"])
        ends.append(time + sign * np.sqrt(0.24 * ways.sum(axis=0) ** 2 + 0.76 * (ways**2).sum(axis=0)))
    for c, name in enumerate(BOARDS):
        told = find(case[1], name)
        assert told["time_s"] == pytest.approx(time[c])
        assert [told["time_low_s"], told["time_high_s"]] == pytest.approx([ends[0][c], ends[1][c]])
        for p, own in enumerate(told["programs"]):
            assert [own[k] for k in ("time_s", "time_low_s", "time_high_s")] == pytest.approx(
                [parts[k][p, c] for k in ("time_s", "time_low_s", "time_high_s")]
            )
            assert own["cost_per_job"] == pytest.approx(cost[p, c])
            if p < 3:
                assert own["energy_per_job_j"] == pytest.approx(energy[p, c])
        assert told["cost_per_job"] == pytest.approx(average(cost)[c])
        assert told["cost_low"] == pytest.approx(average(cost)[c] * ends[0][c] / time[c])
        assert told["cost_high"] == pytest.approx(average(cost)[c] * ends[1][c] / time[c])
        assert told["energy_per_job_j"] == pytest.approx(average(energy)[c])


def counts(parts: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """GPUs needed at the upper ends, and what the limits allow, per candidate."""
    needed, fits = [], []
    for c, name in enumerate(BOARDS):
        price, host, power, host_w, slots, rent = STATED[name]
        busy = (WEIGHT * GPUS * parts["time_high_s"][:, c]).sum() / 86400 / USE
        needed.append(slots * math.ceil(max(busy, 4.0) / slots))
        of_budget = rent * HOURS * YEARS * USE if price is None else price + host / slots
        most = slots * math.floor(1.5e6 / of_budget / slots)
        if price is not None:
            most = min(most, slots * math.floor(80e3 / (power + host_w / slots) / slots))
        fits.append(most)
    return np.array(needed), np.array(fits)


def test_counts_and_limits_are_these(case: tuple[Path, dict[str, Any]], parts: dict[str, np.ndarray]) -> None:
    needed, fits = counts(parts)
    seconds = average(parts["time_s"] * GPUS[:, None])
    for c, name in enumerate(BOARDS):
        told = find(case[1], name)
        assert (told["needed"], told["fits"]) == (needed[c], fits[c])
        assert told["count"] == min(needed[c], fits[c])
        assert told["jobs_per_day"] == pytest.approx(told["count"] * 86400 * USE / seconds[c])
    assert find(case[1], "B200 successor")["binds"] == "available from 2027-06"
    assert find(case[1], "H100 SXM5 80GB")["break_even_hours"] == pytest.approx(
        (27000 + 7500) / (3.0 - (700 + 250) / 1e3 * KWH * PUE)
    )


def test_probabilities_are_those_of_another_simulation(
    case: tuple[Path, dict[str, Any]], parts: dict[str, np.ndarray]
) -> None:
    names = [*BOARDS]
    boards = [BOARDS[n] for n in names]
    related = np.array([
        [1.0 if a == b else 0.76 if ARCHITECTURE[a] == ARCHITECTURE[b] else 0.36 for b in boards] for a in boards
    ])  # fmt: skip
    programs = np.full((4, 4), 0.24) + 0.76 * np.eye(4)
    value, vector = np.linalg.eigh(np.kron(programs, related))
    draw = np.random.default_rng(99)
    z = draw.standard_normal((40_000, 24)) @ (vector * np.sqrt(np.maximum(value, 0))).T
    sd = 0.5 * np.log(parts["time_high_s"] / parts["time_low_s"]) / 1.6448536
    factor = np.exp(z.reshape(-1, 4, 6) * sd)
    time = parts["time_s"] * factor
    unit_cost = cost_of(parts["time_s"], joules(case, parts))
    met = time <= DEADLINE[:, None]
    slots = np.array([STATED[n][4] for n in names])
    busy = np.einsum("p,dpc->dc", WEIGHT * GPUS, time) / 86400 / USE
    fits = slots * np.ceil(np.maximum(busy, 4) / slots) <= counts(parts)[1]
    total = average(unit_cost * factor)
    able = np.array([n != "B200 successor" for n in names])
    total = np.where(met.all(axis=1) & fits & able, total, np.inf)
    best = np.bincount(total.argmin(axis=1)[np.isfinite(total).any(axis=1)], minlength=6) / len(total)
    for c, name in enumerate(names):
        told = find(case[1], name)
        assert told["p_deadline"] == pytest.approx(met.all(axis=1).mean(axis=0)[c], abs=0.012)
        assert told["p_budget"] == pytest.approx(fits.mean(axis=0)[c], abs=0.012)
        for p in range(4):
            if np.isfinite(DEADLINE[p]):
                assert told["programs"][p]["p_deadline"] == pytest.approx(met[:, p, c].mean(), abs=0.012)
        if able[c]:
            assert told["p_best"] == pytest.approx(best[c], abs=0.012)
        else:
            assert told["p_best"] is None
    order = [c["gpu"] for c in case[1]["choice"]["candidates"]]
    central = np.where(able & (counts_now(parts) <= counts(parts)[1]), average(unit_cost), np.inf)
    assert order[0] == names[int(central.argmin())]


def counts_now(parts: dict[str, np.ndarray]) -> np.ndarray:
    """GPUs that are needed at the forecast times."""
    slots = np.array([STATED[n][4] for n in BOARDS])
    busy = np.einsum("p,pc->c", WEIGHT * GPUS, parts["time_s"]) / 86400 / USE
    return np.asarray(slots * np.ceil(np.maximum(busy, 4) / slots))


GLOBALS = {"utilisation": "USE", "the life in years": "YEARS", "the price of energy": "KWH"}


def winner(parts: dict[str, np.ndarray], energy: np.ndarray, changes: dict[str, dict[int, float]]) -> str:
    """The cheapest candidate that can be had, is in time and fits, at the module's numbers."""
    price, fits = average(cost_of(parts["time_s"], energy, changes)), []
    for c, name in enumerate(BOARDS):
        stated = list(STATED[name])
        for field, value in changes.get(name, {}).items():
            stated[field] = value
        each, host, power, host_w, slots, rent = stated
        most = 1.5e6 / (rent * HOURS * YEARS * USE if each is None else each + host / slots)
        if each is not None:
            most = min(most, 80e3 / (power + host_w / slots))
        in_time = (parts["time_s"][:, c] <= DEADLINE).all()
        fits.append(in_time and slots * math.floor(most / slots) >= counts_now(parts)[c])
    able = np.array([n != "B200 successor" for n in BOARDS]) & np.array(fits)
    return [*BOARDS][int(np.where(able, price, np.inf).argmin())]


def test_the_choice_flips_where_it_says(
    case: tuple[Path, dict[str, Any]], parts: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    choice, energy, here = case[1]["choice"], joules(case, parts), sys.modules[__name__]
    first = choice["candidates"][0]["gpu"]
    assert winner(parts, energy, {}) == first
    assert {f["of"] for f in choice["flips"]} >= {"price", "rent", "forecast"}
    nearest = next(f for f in choice["flips"] if f["of"] in ("price", "rent"))
    assert choice["reversal"] == nearest["text"]
    assert nearest["text"] in choice["recommendation"]
    for flip in choice["flips"]:
        winners = set()
        for value in (flip["at"] * (1 - 1e-6), flip["at"] * (1 + 1e-6)):
            changes, factor = {}, np.ones(len(BOARDS))
            with monkeypatch.context() as patch:
                if flip["of"] in ("price", "rent"):
                    changes = {flip["name"]: {0 if flip["of"] == "price" else 5: value}}
                elif flip["of"] == "weight":
                    at = [*NAMES].index(flip["name"])
                    patch.setattr(here, "WEIGHT", np.where(np.arange(len(WEIGHT)) == at, value, WEIGHT))
                elif flip["of"] == "forecast":
                    factor = np.array([value if b == BOARDS[flip["name"]] else 1.0 for b in BOARDS.values()])
                else:
                    patch.setattr(here, GLOBALS[flip["of"]], value)
                changed = {key: known * factor for key, known in parts.items()}
                winners.add(winner(changed, energy * factor, changes))
        assert winners == {first, flip["to"]}, flip["text"]


def test_waiting_is_weighed(case: tuple[Path, dict[str, Any]], parts: dict[str, np.ndarray]) -> None:
    cost = average(cost_of(parts["time_s"], joules(case, parts)))
    names = [*BOARDS]
    first = names.index(case[1]["choice"]["candidates"][0]["gpu"])
    (told,) = case[1]["choice"]["waiting"]
    assert told["months"] == 6.0
    own = cost[names.index("B200 successor")]
    if told["pays_up_to_months"] is not None:
        late: np.ndarray = np.any(parts["time_s"] > DEADLINE[:, None], axis=0)
        hours = average(parts["time_s"] * GPUS[:, None]) / 3600
        bridge = min(hours[c] * STATED[n][5] for c, n in enumerate(names) if STATED[n][5] and not late[c])
        assert told["pays_up_to_months"] == pytest.approx(12 * YEARS * (cost[first] - own) / (bridge - own))
    assert (told["pays_up_to_months"] is None) == (own >= cost[first])


def test_the_document_says_the_same(case: tuple[Path, dict[str, Any]]) -> None:
    known = case[1]
    page = render_page(choice_page(known["told"]))
    choice = known["choice"]
    heads = ("Conditions", "Answer", "How sure", "What would change it", "Sources", "Signature")
    for text in (
        "Which GPUs for the mix of 2027?",
        *heads,
        choice["verdict"],
        choice["recommendation"],
        "offer A (2026-10-01)",
    ):
        assert text in page or text.replace("'", "&#39;") in page, text
    assert page.count("<svg") >= 2
    assert " style=" not in page, "the page's policy allows no inline styles"
    text = render_choice(known["told"])
    assert choice["verdict"] in " ".join(text.split())
    assert "among 6 GPUs" in choice["verdict"]
    for c in choice["candidates"]:
        assert c["cost_low"] <= c["cost_per_job"] <= c["cost_high"]


def test_the_template_is_a_pair_of_files_that_choose_reads(case: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    files = [case[1]["files"][n] for n in ("products", "bert")]
    out = tmp_path / "decision"
    run("choose", *files, "--among", "H100 SXM5 80GB,L40S,p5.48xlarge", "--template", out)
    made = run_json("choose", out / "workload.toml", "--candidates", out / "candidates.toml")
    assert {c["gpu"] for c in made["candidates"]} == {
        "H100 SXM5 80GB", "L40S", "p5.48xlarge (8 x H100 SXM5 80GB)",
    }  # fmt: skip
    assert [p["weight"] for p in made["programs"]] == [1.0, 1.0]
    assert json.loads(json.dumps(made)) == made


def test_pairs_of_candidates_follow_the_closed_form(case: tuple[Path, dict[str, Any]]) -> None:
    """P(A better than B) of neighbours, from what is printed alone."""
    rows = case[1]["choice"]["candidates"]
    erf = np.vectorize(math.erf)
    for a, b in itertools.pairwise(rows):
        if a["probability_better_than_next"] is None:
            continue
        s = [0.5 * math.log(r["time_high_s"] / r["time_low_s"]) / 1.6448536 for r in (a, b)]
        same = [BOARDS[r["gpu"]] for r in (a, b)]
        r = 1.0 if same[0] == same[1] else 0.76 if ARCHITECTURE[same[0]] == ARCHITECTURE[same[1]] else 0.36
        spread = math.sqrt(max(s[0] ** 2 + s[1] ** 2 - 2 * r * s[0] * s[1], 1e-30))
        apart = math.log(b["cost_per_job"] / a["cost_per_job"]) / spread
        expected = 0.5 * (1 + float(erf(apart / math.sqrt(2)))) if abs(apart) < 1e8 else float(apart > 0)
        assert a["probability_better_than_next"] == pytest.approx(expected, abs=1e-5)
