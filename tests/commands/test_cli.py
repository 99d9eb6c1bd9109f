"""The command line as a user meets it: output, exit codes, one-line errors."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from roofcast.__main__ import main
from roofcast.commands.registry import list_commands
from roofcast.forecasting.forecasts import RECORD_KEYS

EXAMPLE = str(Path(__file__).parents[2] / "examples" / "convolution.csv")
FORECAST = ["forecast", EXAMPLE, "--from", "RTX 2080 Ti", "--to", "RTX 3090"]


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """The one line that a wrong call prints; nothing else happens."""
    code, out, err = run(capsys, *arguments)
    assert code == 2, err
    assert out == ""
    assert err.startswith("roofcast: ")
    assert err.count("\n") == 1
    assert "Traceback" not in err
    return err


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--help")
    assert code == 0
    assert all(f"  {name} " in out for name in list_commands())


@pytest.mark.parametrize("name", list(list_commands()))
def test_each_command_has_an_example_in_its_help(capsys: pytest.CaptureFixture[str], name: str) -> None:
    code, out, _ = run(capsys, name, "--help")
    assert code == 0
    assert f"roofcast {name}" in out.partition("Example")[2], "show one call in the docstring, below Examples:"


def test_help_loads_nothing_heavy() -> None:
    code = "import sys; from roofcast.__main__ import main; main(['--help']); "
    code += "print(sorted(sys.modules), file=sys.stderr)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"numpy", "polars", "matplotlib", "sklearn", "google.protobuf", "importlib.metadata"}
    loaded = {m.strip("' ") for m in result.stderr.strip("[]\n").split(",")}
    assert "roofcast.commands.group" in loaded
    assert not heavy & loaded


def test_forecast_json_has_the_promised_keys_in_file_then_target_order(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *FORECAST[:-1], "RTX 3090,A100 SXM4 80GB", "--format", "json")
    assert code == 0
    document = json.loads(out)
    forecasts = document["forecasts"]
    assert list(forecasts[0]) == list(RECORD_KEYS)
    assert [f["target_gpu"] for f in forecasts[:4]] == ["GeForce RTX 3090", "A100 SXM4 80GB"] * 2
    assert len(forecasts) == 24
    assert all(f["time_low_s"] <= f["time_s"] <= f["time_high_s"] for f in forecasts)
    assert all(f["speedup"] == pytest.approx(f["source_time_s"] / f["time_s"]) for f in forecasts)


def test_the_formats_agree(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    _, out, _ = run(capsys, *FORECAST, "--format", "json")
    times = [f["time_s"] for f in json.loads(out)["forecasts"]]
    _, out, _ = run(capsys, *FORECAST, "--format", "csv")
    assert [float(r["time_s"]) for r in csv.DictReader(io.StringIO(out))] == times
    file = tmp_path / "f.parquet"
    assert run(capsys, *FORECAST, "-o", str(file))[0] == 0
    frame = pl.read_parquet(file)
    assert frame["time_s"].to_list() == times
    assert frame.columns == list(RECORD_KEYS)
    assert [p.name for p in tmp_path.iterdir()] == ["f.parquet"]


def test_a_forecast_onto_the_source_is_the_measurement(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *FORECAST[:-1], "RTX 2080 Ti", "--format", "json")
    for f in json.loads(out)["forecasts"]:
        assert f["time_s"] == pytest.approx(f["source_time_s"], rel=1e-9)


def test_the_table_has_units_total_and_limits(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, *FORECAST)
    assert code == 0
    assert "total (12)" in out
    assert " us" in out
    assert "→" in out
    assert "GeForce RTX 3090" in out


def test_top_and_kernel_select(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *FORECAST, "--top", "3", "--format", "json")
    assert len(json.loads(out)["forecasts"]) == 3
    _, out, _ = run(capsys, *FORECAST, "--top", "3")
    assert "9 more" in out
    assert "matches none" in refused(capsys, *FORECAST, "--kernel", "nosuch")
    assert "regular expression" in refused(capsys, *FORECAST, "--kernel", "(")


def test_a_hypothetical_target_is_faster_where_it_has_more(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *FORECAST[:-1], "RTX 3090,RTX 3090{dram=2TB/s,clock=2.4GHz}", "--format", "json")
    forecasts = json.loads(out)["forecasts"]
    assert all(b["time_s"] < a["time_s"] for a, b in zip(forecasts[::2], forecasts[1::2], strict=True))


@pytest.mark.slow
def test_explain_shows_seconds_per_resource(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, *FORECAST, "--top", "1", "--explain")
    assert "FP32" in out
    assert "DRAM" in out
    assert "GFLOP" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["forcast"], "did you mean 'forecast'"),
        (["forecast", EXAMPLE], "--to"),
        (["forecast", "nosuch.csv", "--to", "A100"], "No such file"),
        (["forecast", "/", "--to", "A100"], "folder"),
        ([*FORECAST[:-1], "RTX 3091"], "RTX 3090"),
        ([*FORECAST[:-1], "RTX 3090{dram=4.8}"], "dram"),
        ([*FORECAST[:-1], "RTX 3090{speed=4}"], "speed"),
        ([*FORECAST, "--clock", "fast"], "GHz"),
        ([*FORECAST, "--launch-floor", "4,6"], "give units"),
        ([*FORECAST, "--clock", "5 Hz"], "no SM clock"),
        ([*FORECAST, "--coverage", "1.5"], "coverage"),
        ([*FORECAST, "--launch-floor", "3us"], "two durations"),
        ([*FORECAST, "--launch-floor", "3us,-1us"], "negative"),
        ([*FORECAST, "--model", "crystal_ball"], "van_lanker"),
        ([*FORECAST, "--format", "parquet"], "-o"),
        ([*FORECAST, "-o", "/nosuch/folder/x.json"], "cannot write"),
        ([*FORECAST, "--input-format", "telepathy"], "ncu-rep"),
        (["inspect", EXAMPLE, "--input-format", "ncu-rep"], "convolution.csv"),
        (["gpus", "RTX 3091"], "RTX 3090"),
    ],
)
def test_what_the_user_can_fix_is_one_line_and_exit_code_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str], says: str
) -> None:
    assert says in refused(capsys, *arguments)


@pytest.mark.parametrize("command", [["forecast", "--to", "A100"], ["inspect"], ["roofline"]], ids=lambda c: c[0])
@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"\x00" * 100, b"NVR\0", b"NVR\0\xff\xff\xff\xff", b"kernel,time_s\n"],
    ids=["empty", "blank", "zeros", "magic", "length", "header"],
)
def test_damaged_files_end_in_one_line(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: list[str], content: bytes
) -> None:
    file = tmp_path / "profile\n\x1b[31m.csv"
    file.write_bytes(content)
    message = refused(capsys, command[0], str(file), *command[1:])
    assert "\x1b" not in message


def test_an_unknown_source_lists_every_kernel_and_exits_2(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("kernel,time_s,bytes_dram\na,0.001,1e9\nb,0.002,1e9\n")
    code, out, err = run(capsys, "forecast", str(file), "--to", "A100 SXM4 80GB", "--format", "json")
    assert code == 2
    assert err.strip().splitlines()[-1].startswith("roofcast: source GPU unknown: give --from GPU")
    forecasts = json.loads(out)["forecasts"]
    assert [f["kernel"] for f in forecasts] == ["a", "b"]
    assert all((f["time_s"], f["assumed"]) == (None, []) for f in forecasts)
    assert all(f["notes"][0] == "source GPU unknown: give --from GPU" for f in forecasts)
    assert "assumed" not in run(capsys, "forecast", str(file), "--to", "A100 SXM4 80GB")[1]
    _, out, _ = run(capsys, "forecast", str(file), "--from", "V100", "--to", "A100 SXM4 80GB", "--format", "json")
    assert all(f["time_s"] > 0 for f in json.loads(out)["forecasts"])


def test_a_source_that_the_catalog_lacks_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file, out = tmp_path / "t.csv", tmp_path / "out.csv"
    file.write_text("kernel,gpu,time_s,bytes_dram\na,Foo 9000,0.001,1e9\n")
    code, _, err = run(capsys, "forecast", str(file), "--to", "H200", "-o", str(out))
    assert code == 2
    assert "source GPU unknown (Foo 9000 not in the catalog)" in err
    assert len(out.read_text().splitlines()) == 2


@pytest.mark.parametrize("command", [["forecast", "--to", "B200"], ["roofline"]])
def test_a_picture_without_its_extra_names_it_in_one_line(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    table = Path(__file__).parents[2] / "examples" / "convolution.csv"
    message = refused(capsys, command[0], str(table), *command[1:], "-o", str(tmp_path / "a.svg"))
    assert "pip install 'roofcast[figures]'" in message
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("form", ["table", "csv", "json"])
def test_a_table_without_any_time_is_written_and_ends_with_one_line(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "untimed.csv"
    path.write_text("kernel,gpu,time_s,bytes_dram\na,A100 SXM4 80GB,,1e9\nb,A100 SXM4 80GB,0,1e8\n")
    code, out, err = run(capsys, "forecast", str(path), "--to", "B200", "--format", form)
    assert code == 2
    assert "no duration" in out
    assert err.strip().splitlines()[-1].startswith("roofcast: no kernel has a time")
    path.write_text("kernel,gpu,time_s,bytes_dram\na,A100 SXM4 80GB,,1e9\nb,A100 SXM4 80GB,1e-3,1e8\n")
    assert run(capsys, "forecast", str(path), "--to", "B200", "--format", form)[0] == 0


def test_targets_given_again_add_up(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("kernel,gpu,time_s,bytes_dram\na,V100,0.001,1e9\n")
    targets = ("--to", "A100 SXM4 80GB", "--to", "H200,H100 SXM5 80GB{dram=4TB/s,l2=60MB}", "--format", "json")
    _, out, _ = run(capsys, "forecast", str(file), *targets)
    names = [f["target_gpu"] for f in json.loads(out)["forecasts"]]
    assert names == ["A100 SXM4 80GB", "H200 SXM 141GB", "H100 SXM5 80GB{dram=4TB/s,l2=60MB}"]


def test_inspect_keeps_counted_derived_and_missing_apart(capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = run(capsys, "inspect", EXAMPLE, "--format", "json")
    kernel = json.loads(out)["kernels"][0]
    assert set(kernel) == {"kernel", "launch", "gpu", "time_s", "counted", "derived", "assumed", "missing", "flags"}
    assert kernel["counted"]["time_s"] == kernel["time_s"]
    assert "bytes_dram" in {**kernel["counted"], **kernel["derived"]}
    assert not set(kernel["missing"]) & {*kernel["counted"], *kernel["derived"]}
    _, out, _ = run(capsys, "inspect", EXAMPLE)
    assert "ncu --metrics" in out


@pytest.mark.slow
def test_standard_input_and_gzip_are_read_like_files(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    import gzip

    packed = tmp_path / "t.csv.gz"
    packed.write_bytes(gzip.compress(Path(EXAMPLE).read_bytes()))
    _, plain, _ = run(capsys, *FORECAST, "--format", "csv")
    _, unpacked, _ = run(capsys, "forecast", str(packed), *FORECAST[2:], "--format", "csv")
    assert unpacked == plain
    command = [sys.executable, "-m", "roofcast", "forecast", "-", *FORECAST[2:], "--format", "csv"]
    piped = subprocess.run(command, input=packed.read_bytes(), capture_output=True, check=True)
    assert piped.stdout.decode() == plain


@pytest.mark.parametrize(("grid", "block"), [("", "256"), ("40", ""), ("", "")])
def test_inspect_shows_geometry_that_is_known_in_part(
    grid: str, block: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"k{i},A100,1e-3,{grid},{block},64\n" for i in range(5))
    path.write_text(f"kernel,gpu,time_s,grid_blocks,block_threads,regs_per_thread\n{rows}")
    assert main(["inspect", str(path)]) == 0
    text = capsys.readouterr().out
    assert "nan" not in text
    assert (f"{grid or '–'} x {block or '–'}" in text) == bool(grid or block)
