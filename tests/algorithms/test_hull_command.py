"""`roofcast hull` as users meet it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from roofcast.__main__ import main

CLASS = "2048x2048|element -> 2048x2048|element"
EXAMPLES = Path(__file__).parents[2] / "examples"


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["hull", *arguments]) == 0, capsys.readouterr().err
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["hull", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


def test_json_has_the_promised_keys(capsys: pytest.CaptureFixture[str]) -> None:
    records = json.loads(run(capsys, CLASS, "--on", "GTX 470,H100{dram=4TB/s,l2=60MB},i7-930", "--format", "json"))
    assert [r["processor"] for r in records] == ["GeForce GTX 470", "H100{dram=4TB/s,l2=60MB}", "Core i7-930"]
    for r in records:
        [stage] = r["stages"]
        assert stage["low_s"] == r["kernels_low_s"] == r["total_low_s"]
        assert stage["high_s"] == r["kernels_high_s"] == r["total_high_s"]
        assert stage["limit"] in ("memory", "compute")
        assert r["transfers_s"] == 0


def test_a_range_of_complexities_spans_the_range(capsys: pytest.CaptureFixture[str]) -> None:
    [r] = json.loads(run(capsys, CLASS, "--on", "GTX 470", "--complexity", "1:1000", "--format", "json"))
    assert r["total_high_s"] == pytest.approx(2 * 2048 * 2048 * 1016 / 1088.64e9)
    assert r["total_low_s"] == pytest.approx(2 * 2048 * 2048 * 4 / 95e9)
    rows = list(
        csv.DictReader(io.StringIO(run(capsys, CLASS, "--on", "GTX 470", "--complexity", "1:1000", "--format", "csv")))
    )
    assert float(rows[0]["complexity"]) == 1
    assert float(rows[-1]["complexity"]) == 1000
    times = [float(row["low_s"]) for row in rows]
    assert times == sorted(times)


@pytest.mark.parametrize("suffix", ["svg", "png", "pdf", "html", "csv", "json"])
def test_the_graph_in_every_format(capsys: pytest.CaptureFixture[str], tmp_path: Path, suffix: str) -> None:
    points = tmp_path / "points.csv"
    points.write_text("complexity,time_us,label,processor\n2,400,<b>mine</b>,GTX 470\n50,500,other,\n")
    out = tmp_path / f"hull.{suffix}"
    run(
        capsys, CLASS, "--on", "GTX 470,H100", "--complexity", "1:1000", "--transfers", "--form", "both", "--measured",
        str(points), "-o", str(out),
    )  # fmt: skip
    assert out.stat().st_size > 500
    if suffix == "html":
        text = out.read_text()
        assert "<b>mine</b>" not in text
        assert 'src="http' not in text


def test_the_same_graph_gives_the_same_bytes(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg"):
        run(capsys, str(EXAMPLES / "fast_focus_on_structures.toml"), "-o", str(tmp_path / name))
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_fit_finds_the_first_that_meets_a_budget(capsys: pytest.CaptureFixture[str]) -> None:
    on = ["--on", "GTS 250,GTX 470,H100"]
    assert run(capsys, CLASS, *on, "--fit", "400us").startswith("first to meet 400 us: GeForce GTX 470")
    assert run(capsys, CLASS, *on, "--fit", "1us").startswith("none meets")
    rows = json.loads(run(capsys, CLASS, "--fit", "1ms", "--format", "json"))
    dates = [r["launch_date"] or "9999" for r in rows]
    assert dates == sorted(dates)
    assert len(rows) > 100


def test_from_source_and_forecast(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    source = tmp_path / "k.py"
    source.write_text("def f(a, b):\n    for i in range(4096):\n        b[i] = 3 * a[i]\n")
    [row] = json.loads(run(capsys, "--from-source", f"{source}:f", "--format", "json"))
    assert (row["class"], row["complexity"], row["line"]) == ("4096|element → 4096|element", 1, 3)
    [forecast] = json.loads(run(capsys, "--from-source", str(source), "--on", "H100", "--format", "json"))
    assert forecast["stages"][0]["class"] == row["class"]
    assert "no function" in refused(capsys, "--from-source", f"{source}:g")
    source.write_text("for i in range(9):\n    b[i] = a[k[i]]\n")
    assert "k.py: line 2" in refused(capsys, "--from-source", str(source))


def test_compare_says_how_far_kernels_are_from_the_class(capsys: pytest.CaptureFixture[str]) -> None:
    table = str(EXAMPLES / "convolution.csv")
    rows = json.loads(
        run(capsys, "4096x4096|neighbourhood(15x15) -> 4096x4096|element", "--complexity", "2", "--compare", table,
            "--on", "RTX 3090", "--format", "json")
    )  # fmt: skip
    assert len(rows) == 24
    for r in rows:
        assert r["times_hull"] == pytest.approx(r["measured_s"] / r["hull_low_s"])
        [on] = r["on"]
        assert on["from_profile_s"] > 0
        assert on["hull_low_s"] <= on["hull_high_s"]
    assert "times the hull" in run(capsys, CLASS, "--compare", table)


def test_the_list_of_classes(capsys: pytest.CaptureFixture[str]) -> None:
    out = run(capsys, "--classes")
    assert "x-projection" in out
    assert "alpha and beta" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "give a class"),
        ([CLASS], "--on"),
        (["4x4|eleent -> 1|shared", "--on", "H100"], "character 5 ('eleent"),
        ([CLASS, "--on", "H101"], "H100"),
        ([CLASS, "--on", "H100", "--complexity", "9:1"], "--complexity"),
        ([CLASS, "--on", "H100", "--complexity", "x"], "--complexity"),
        ([CLASS, "--on", "H100", "--assume", "fast"], "no-fma"),
        ([CLASS, "--on", "H100", "--element", "fp3"], "fp32"),
        ([CLASS, "--on", "GTS 250", "--element", "fp64"], "FP64"),
        ([CLASS, "--on", "H100", "--offset", "-1"], "offset"),
        ([CLASS, "--on", "H100", "--fit", "soon"], "number"),
        (["AxB|element -> 1|shared", "--on", "H100", "--size", "A"], "--size"),
        ([CLASS, "--on", "H100", "--measured", "nosuch.csv"], "No such file"),
        (["nosuch.toml"], "No such file"),
        (["--from-source", "nosuch.c"], "No such file"),
    ],
)
def test_what_the_user_can_fix_is_one_line(capsys: pytest.CaptureFixture[str], arguments: list[str], says: str) -> None:
    assert says in refused(capsys, *arguments)


@pytest.mark.parametrize(
    "content",
    ["", "a,b\n1,2\n", "complexity,time_s\n1,x\n", "complexity,time_s\n-1,2\n", "complexity,time_s\n1\n", "\x00"],
)
def test_bad_points_are_one_line(capsys: pytest.CaptureFixture[str], tmp_path: Path, content: str) -> None:
    file = tmp_path / "p.csv"
    file.write_text(content)
    refused(capsys, CLASS, "--on", "H100", "--measured", str(file), "-o", str(tmp_path / "x.svg"))
