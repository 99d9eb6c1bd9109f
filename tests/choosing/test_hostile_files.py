"""Hostile and contradictory files end in one line that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofcast.__main__ import main
from roofcast.catalog.prices import parse_prices
from roofcast.core.errors import RoofcastError

ONE = 'name = "a"\nfiles = ["k.csv"]\n'
WORKLOADS = [
    ("", "[[programs]]"),
    ("programs = 3", "[[programs]]"),
    ("[[programs]]\nname = 'a'", "files ="),
    (f"[[programs]]\n{ONE}colour = 3", "no such key: colour"),
    (f"[[programs]]\n{ONE}[[programs]]\n{ONE}", "two programs are called 'a'"),
    (f"[[programs]]\n{ONE}weight = -1", "at least 0"),
    (f"[[programs]]\n{ONE}weight = true", "at least 0"),
    (f"[[programs]]\n{ONE}weight = 0", "nothing runs"),
    (f"[[programs]]\n{ONE}weight = 1\njobs_per_day = 3", "contradict each other"),
    (f"[[programs]]\n{ONE}weight = 1\n[[programs]]\nfiles = ['k.csv']\njobs_per_day = 2", "all of them the same"),
    (f"[[programs]]\n{ONE}deadline = '3 GB'", "deadline: '3 GB' is in B"),
    (f"[[programs]]\n{ONE}deadline = -1", "above 0"),
    (f"[[programs]]\n{ONE}gpus = 0", "whole number above 0"),
    (f"[[programs]]\n{ONE}gpus = 2.5", "whole number above 0"),
    (f"[[programs]]\n{ONE}scaling = 'magic'", "scaling is one of"),
    (f"[[programs]]\n{ONE}gpus = 4\nscaling = 'strong'", "state its efficiency"),
    (f"[[programs]]\n{ONE}gpus = 4\nscaling = 'strong'\nefficiency = 1.5", "at most 1"),
    (f"[[programs]]\n{ONE}efficiency = 0.5", "contradicts it"),
    (f"[[programs]]\n{ONE}gpus = 4\nscaling = 'data parallel'", "gradients"),
    (f"[[programs]]\n{ONE}scaling = 'data parallel'\ngradients = '1 GB'", "state gpus = 8"),
    (f"[[programs]]\n{ONE}gradients = '1 GB'", "go together"),
    (f"[[programs]]\n{ONE}gpus = 4\nscaling = 'evenly'", "leave gpus out"),
    (f"[[programs]]\n{ONE}range = 'x'\nstep = true", "give one of them"),
    (f"[[programs]]\n{ONE}step = 'yes'", "true or false"),
    (f"[[programs]]\n{ONE}range = 'x'", "are of traces"),
    (f"[[programs]]\n{ONE}kernels = {{ nothing = 3 }}", "no kernel nothing"),
    (f"[[programs]]\n{ONE}memory = '1 PB'", "too little memory for a: 1.00 PB"),
    (f"[[programs]]\n{ONE}[limits]\nbudget = '3 W'", "budget: '3 W' is in W"),
    (f"[[programs]]\n{ONE}[limits]\nmoney = 3", "no such key: money"),
    (f"limits = 3\n[[programs]]\n{ONE}", "limits is a table"),
    (f"[[programs]]\n{ONE}[terms]\nyears = 0", "0.01 to 100"),
    (f"[[programs]]\n{ONE}[terms]\nutilisation = 1.5", "0.001 to 1"),
    (f"[[programs]]\n{ONE}[terms]\nbest = 'luck'", "cost, time, energy, throughput"),
    (f"[[programs]]\n{ONE}[terms]\nstart = 'soon'", "year, month or day"),
    (f"[[programs]]\n{ONE}[terms]\nbest = 'cost'", "no candidate has a cost per job"),
    (f"[[programs]]\n{ONE}[terms]\nbest = 'throughput'", "state a budget"),
    (f"[[programs]]\n{ONE}[limits]\nbudget = 1", "no GPU is left"),
    ("[[programs]]\nname = 'a'\nfiles = ['absent.csv']", "program a: "),
    ("[[programs]\n", "no TOML file"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), WORKLOADS)
def test_a_wrong_workload_is_one_line(text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.csv").write_text("kernel,gpu,time_s\nk,A100-SXM4-40GB,1e-3\n")
    path = tmp_path / "workload.toml"
    path.write_text(text)
    assert main(["choose", str(path), "--among", "L40S,H100"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"host_power_w": 3}, "write slots_per_server"),
        ({"slots_per_server": 0}, "1 to 1024"),
        ({"slots_per_server": 8, "rack_units": 1, "server_rack_units": 8}, "contradict each other"),
        ({"link": "3 s"}, "link: '3 s'"),
        ({"link": "3"}, "450 GB/s"),
        ({"available": "next year"}, "year, month or day"),
        ({"available": "2027-13"}, "year, month or day"),
        ({"price_usd": float("inf")}, "above 0"),
        ({"price_usd": "cheap"}, "above 0"),
        ({"colour": 1}, "colour; keys are"),
    ],
)
def test_a_wrong_candidate_is_one_line(row: dict[str, object], said: str) -> None:
    with pytest.raises(RoofcastError) as caught:
        parse_prices({"gpus": {"L40S": row}})
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "choose --template"),
        (("W", "--candidates", "C", "--among", "L40S"), "leave prices and among out"),
        (("W", "--candidates", "C", "--prices", "public"), "leave prices and among out"),
        (("W", "K"), "names all that runs"),
        (("W", "--weights", "k=3"), "names all that runs"),
        (("K", "--candidates", "E"), "names no GPU"),
        (("K", "--among", "L40S", "--utilisation", "150%"), "--utilisation"),
        (("K", "--among", "L40S", "--years", "1e300"), "--years"),
        (("K", "--among", "L40S", "--best", "cost"), "no candidate has a cost"),
        (("K", "--template", "T"), "is there already"),
    ],
)
def test_contradictory_options_are_one_line(
    options: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = {"W": "workload.toml", "C": "candidates.toml", "K": "k.csv", "E": "empty.toml", "T": "."}
    (tmp_path / "k.csv").write_text("kernel,gpu,time_s\nk,A100-SXM4-40GB,1e-3\n")
    (tmp_path / "workload.toml").write_text(f"[[programs]]\n{ONE}")
    (tmp_path / "candidates.toml").write_text('[gpus."L40S"]\nrent_usd_per_hour = 1\n')
    (tmp_path / "empty.toml").write_text("[site]\nusd_per_kwh = 0.1\n")
    given = [str(tmp_path / paths[o]) if o in paths else o for o in options]
    assert main(["choose", *given]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.slow
def test_names_of_a_file_are_only_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.csv").write_text("kernel,gpu,time_s\nk,A100-SXM4-40GB,1e-3\n")
    hostile = '"</script><img src=x>\\u001b[31m$x^2$"'
    (tmp_path / "w.toml").write_text(f"question = {hostile}\n[[programs]]\nname = {hostile}\nfiles = ['k.csv']\n")
    out = tmp_path / "d.html"
    assert main(["choose", str(tmp_path / "w.toml"), "--among", "L40S,H100", "-o", str(out)]) == 0
    page = out.read_text()
    assert "<img src=x" not in page
    assert "\x1b" not in page
    assert main(["choose", str(tmp_path / "w.toml"), "--among", "L40S,H100"]) == 0
    assert "\x1b" not in capsys.readouterr().out
