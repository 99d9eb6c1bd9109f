"""A realistic case from two files: the document, with all of its figures computed again in NumPy alone."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from contracts.doors import run, run_json
from roofcast.choosing.document import choice_page
from roofcast.choosing.record import decision_record
from roofcast.choosing.show import render_choice
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
    return folder, {"choice": decision_record(told), "files": found, "told": told}


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


def average(values: np.ndarray) -> np.ndarray:
    return np.asarray(np.einsum("p,...pc->...c", WEIGHT / WEIGHT.sum(), values))


@pytest.mark.slow
def test_times_and_energies_are_these(case: tuple[Path, dict[str, Any]], parts: dict[str, np.ndarray]) -> None:
    energy, share = joules(case, parts), (WEIGHT / WEIGHT.sum())[:, None]
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
            if p < 3:
                assert own["energy_per_job_j"] == pytest.approx(energy[p, c])
        assert told["energy_per_job_j"] == pytest.approx(average(energy)[c])


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
    for c in choice["candidates"]:
        # What cannot serve alone may be of the fleet.
        held = c["gpu"] in [p["gpu"] for p in choice["fleet"]]
        assert (c["left_out"] is not None) == (c["total_cost"] is None and not held)
        if c["total_cost"] is not None:
            assert c["total_cost_low"] <= c["total_cost"] <= c["total_cost_high"]


@pytest.mark.slow
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
    # A profile does not say what its program holds; a trace with allocations does.
    known = roofcast.read(files[1]).provenance[0].memory_bytes
    assert known is not None
    stated = tomllib.loads((out / "workload.toml").read_text())["programs"]
    assert ["memory" in p for p in stated] == [False, True]
    assert made["memory_bytes"] == pytest.approx(known, rel=0.01)
