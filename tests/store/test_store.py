"""The store: what goes in comes out, interruptions and second writers leave it whole, forecasts meet measurements."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import amd_samples as amd
from roofcast.__main__ import main
from roofcast.core.columns import TEXT_COLUMNS, Origin
from roofcast.core.errors import InputError, RoofcastError
from roofcast.forecasting.forecast import forecast
from roofcast.reading import read
from roofcast.store import adding, database, queries
from roofcast.store.adding import add_files
from text_samples import SAMPLES
from timeline_samples import TIMELINE_SAMPLES, kineto

TABLE = "kernel,config,gpu,time_s,bytes_dram,flops_fp32,note\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "data" / "team.duckdb"
    monkeypatch.setenv(database.VARIABLE, str(path))
    return path


def measured(folder: Path, name: str, times: dict[str, float], gpu: str = "A100-SXM4-80GB") -> Path:
    path = folder / name
    path.write_text(TABLE + "".join(f"{k},c,{gpu},{t},1e9,1e9,x\n" for k, t in times.items()))
    return path


def saved(folder: Path, name: str, times: dict[str, float], target: str = "H100 SXM5 80GB") -> Path:
    path = folder / name
    rows = [
        {"kernel": k, "launch": i, "source_gpu": "A100", "target_gpu": target, "model": "hybrid", "time_s": t,
         "time_low_s": t / 1.5, "time_high_s": t * 1.5, "coverage": 0.9, "notes": ["n"]}
        for i, (k, t) in enumerate(times.items())
    ]  # fmt: skip
    path.write_text(json.dumps({"roofcast": "1.0", "forecasts": rows}))
    return path


def test_what_a_model_holds_comes_back(place: Path, tmp_path: Path) -> None:
    """`choose` asks it of the store as of the file, and a store of before has learned to keep it."""
    trace = json.loads(kineto())
    trace["traceEvents"].append({
        "ph": "i", "name": "[memory]", "pid": 7, "tid": 7, "ts": 1,
        "args": {"Total Allocated": 3_102_000_000, "Device Id": 0, "Device Type": 1},
    })  # fmt: skip
    (tmp_path / "step.json").write_text(json.dumps(trace))
    measured(tmp_path, "run.csv", {"k": 1e-3})
    add_files("team", [tmp_path / "run.csv"])
    with duckdb.connect(str(place)) as connection:
        connection.execute("ALTER TABLE files DROP COLUMN memory_bytes")
    assert [p.memory_bytes for p in read("store:team").provenance] == [None]
    add_files("team", [tmp_path / "step.json"])
    assert [p.memory_bytes for p in read("store:team").provenance] == [None, 3.102e9]
    made = tmp_path / "made"
    assert main(["choose", "store:team", "--among", "L40S", "--template", str(made)]) == 0
    assert 'memory = "3.1' in (made / "workload.toml").read_text()


def test_a_table_comes_back_as_it_was(place: Path, tmp_path: Path) -> None:
    (tmp_path / "run.csv").write_bytes(SAMPLES["ncu-csv"])
    (tmp_path / "pmc_perf.csv").write_bytes(amd.pmc_perf())
    add_files("night", [tmp_path / "run.csv"])
    add_files("night", [tmp_path / "pmc_perf.csv"])
    stored = read("store:night")
    whole = read([tmp_path / "run.csv", tmp_path / "pmc_perf.csv"])
    for name in TEXT_COLUMNS:
        assert list(stored.strings(name)) == list(whole.strings(name)), name
    assert set(stored.numeric) == {k for k, v in whole.numeric.items() if not np.isnan(v).all()}
    for name, values in stored.numeric.items():
        np.testing.assert_array_equal(values, whole.column(name), err_msg=name)
        np.testing.assert_array_equal(stored.origin_of(name), whole.origin_of(name), err_msg=name)
    for name in stored.counters:
        np.testing.assert_array_equal(stored.counter(name), whole.counter(name), err_msg=name)
    assert set(stored.counters) == set(whole.counters)
    assert stored.flags == whole.flags
    assert list(stored.extra["wave_size"][-2:]) == [64, 64]
    assert [p.sha256 for p in stored.provenance] == [p.sha256 for p in whole.provenance]
    assert all(p.path == "" for p in stored.provenance)


def test_traced_operators_come_back(place: Path, tmp_path: Path) -> None:
    for i, data in enumerate(TIMELINE_SAMPLES["kineto"]):
        (tmp_path / f"{i}.json").write_bytes(data)
    (tmp_path / "plain.csv").write_bytes(SAMPLES["table"])
    add_files("t", [tmp_path])
    stored, whole = read("store:t"), read(tmp_path)
    assert any(o is not None and o != "" for o in whole.extra["operator"])
    assert [o or None for o in stored.extra["operator"]] == [o or None for o in whole.extra["operator"]]
    times = [forecast(t, to="H100 SXM5 80GB", source="A100-SXM4-80GB").estimate.time_s for t in (stored, whole)]
    np.testing.assert_array_equal(times[0], times[1])


@pytest.mark.slow
def test_every_command_reads_the_store(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    add_files("night", [measured(tmp_path, "a.csv", {"k1": 1e-3, "k2": 2e-3})])
    assert main(["forecast", "store:night", "--to", "H100 SXM5 80GB", "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["forecasts"]) == 2
    for arguments in (["inspect", "store:night"], ["roofline", "store:night"], ["advise", "store:night"]):
        assert main(arguments) == 0
        assert "A100 SXM4 80GB" in capsys.readouterr().out.replace("-", " ")
    assert main(["forecast", "store:other", "--to", "H100"]) == 2
    assert "it has night" in capsys.readouterr().err


@pytest.mark.slow
def test_files_that_are_stored_are_passed_over(place: Path, tmp_path: Path) -> None:
    files = [measured(tmp_path, f"{i}.csv", {"k": 1e-3 * (i + 1)}) for i in range(3)]
    assert add_files("s", files[:2]).added == 2
    again = add_files("s", files)
    assert (again.added, again.known) == (1, 2)
    assert len(read("store:s")) == 3
    assert add_files("t", files[:1]).added == 1


def test_bad_files_are_listed_and_the_rest_is_stored(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "reports" / "deep"
    folder.mkdir(parents=True)
    measured(folder, "good.csv", {"k": 1e-3})
    (folder / "bad\x1b[31m.ncu-rep").write_bytes(b"NVR\0" + bytes(100))
    (folder / "empty.csv").write_bytes(b"")
    (folder / "forecast.json").write_text('{"roofcast": "1", "forecasts": [')
    assert main(["store", "add", "s", str(tmp_path / "reports")]) == 0
    said = capsys.readouterr()
    assert "added 1 file with 1 rows; 3 left out" in said.out
    lines = said.err.splitlines()
    assert len(lines) == 3
    assert all(line.startswith("left out: ") and line.isprintable() for line in lines)
    assert main(["store", "add", "s", str(tmp_path / "reports"), "--strict"]) == 2
    assert main(["store", "add", "other", str(folder / "empty.csv")]) == 2


@pytest.mark.slow
def test_lists_queries_and_removal(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [measured(tmp_path, "a.csv", {"gemm": 1e-3, "copy": 2e-3}), saved(tmp_path, "f.json", {"gemm": 1e-3})]
    assert main(["store", "add", "s", *map(str, files)]) == 0
    capsys.readouterr()
    assert main(["store", "list", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["files"], row["launches"], row["forecasts"]) == ("s", 1, 2, 1)
    assert main(["store", "query", "s", "--kernel", "ge.m", "--gpu", "a100 sxm4 80gb", "--format", "json"]) == 0
    assert [r["kernel"] for r in json.loads(capsys.readouterr().out)] == ["gemm"]
    assert main(["store", "query", "--forecasts", "--gpu", "H100 SXM5 80GB", "--format", "csv"]) == 0
    assert capsys.readouterr().out.count("gemm") == 1
    assert main(["store", "query", "--sql", "SELECT sum(time_s) AS total_s FROM launches"]) == 0
    assert "3.00 ms" in capsys.readouterr().out
    assert main(["store", "remove", "s"]) == 0
    assert main(["store", "remove", "s"]) == 2
    assert main(["store", "list"]) == 0


@pytest.mark.parametrize(
    "sql",
    ["DELETE FROM launches", "DROP TABLE files", "SELECT * FROM read_csv('/etc/passwd')", "COPY files TO 'x.csv'",
     "ATTACH 'other.duckdb'", "SET enable_external_access = true", "INSTALL httpfs", "SELEC 1", "",
     "SELECT 1; DELETE FROM files"],
)  # fmt: skip
def test_sql_cannot_change_the_store_nor_reach_files(
    sql: str, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    add_files("s", [measured(tmp_path, "a.csv", {"k": 1e-3})])
    if sql:
        with pytest.raises(RoofcastError) as found:
            queries.ask(sql)
        assert str(found.value).isprintable()
    assert len(read("store:s")) == 1


@pytest.mark.slow
def test_accuracy_joins_forecasts_with_later_measurements(place: Path, tmp_path: Path) -> None:
    add_files("s", [measured(tmp_path, "before.csv", {"a": 9.0, "b": 9.0}, "H100 SXM5 80GB")])
    add_files("s", [saved(tmp_path, "f.json", {"a": 1.2e-3, "b": 1.0e-3, "c": 5.0})])
    assert queries.accuracy("s").rows == ()
    add_files("s", [measured(tmp_path, "m.csv", {"a": 1e-3, "b": 4e-3}, "NVIDIA H100 80GB HBM3")])
    add_files("other", [measured(tmp_path, "o.csv", {"c": 1e-3}, "NVIDIA H100 80GB HBM3")])
    (row,) = queries.accuracy("s").records()
    assert (row["pairs"], row["model"], row["roofcast"]) == (2, "hybrid", "1.0")
    assert row["mape"] == pytest.approx((0.2 + 0.75) / 2)
    assert row["coverage"] == 0.5
    assert row["coverage_claimed"] == 0.9


@pytest.mark.slow
def test_a_forecast_is_kept_where_it_is_made(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = str(measured(tmp_path, "a.csv", {"k1": 1e-3, "k2": 2e-3}))
    assert main(["forecast", run, "--to", "H100 SXM5 80GB", "--save", "night", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    assert "kept 2 forecasts in store:night" in err
    said = [f["time_s"] for f in json.loads(out)["forecasts"]]
    assert main(["forecast", run, "--to", "H100 SXM5 80GB", "--save", "store:night"]) == 0
    assert "already" in capsys.readouterr().err
    times = dict(zip(("k1", "k2"), said, strict=True))
    add_files("night", [measured(tmp_path, "m.csv", times, "NVIDIA H100 80GB HBM3")])
    (row,) = queries.accuracy("night").records()
    assert (row["pairs"], row["mape"], row["coverage"]) == (2, 0, 1)


@pytest.mark.slow
def test_a_set_of_the_store_is_no_recorded_run(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run.json").write_bytes(TIMELINE_SAMPLES["kineto"][0])
    add_files("run", [tmp_path / "run.json"])
    assert main(["forecast", "store:run", "--to", "B200"]) == 0
    assert main(["app", "store:run", "--to", "B200"]) == 2
    assert "no recorded runs: give the trace itself" in capsys.readouterr().err


WRITER = """
import sys, time
from pathlib import Path
from roofcast.store.adding import entry_of, hash_of
from roofcast.store import sets, database
path = Path(sys.argv[1])
file = Path(sys.argv[2])
with database.writing(path) as connection:
    sets.insert_file(connection, "s", entry_of(file, hash_of(file), None))
    connection.execute("DELETE FROM launches")
    print("written", flush=True)
    time.sleep(float(sys.argv[3]))
"""


def start_writer(place: Path, file: Path, seconds: float) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(place), str(file), str(seconds)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "written"
    return process


@pytest.mark.slow
def test_a_writer_that_is_killed_leaves_the_old_state(place: Path, tmp_path: Path) -> None:
    add_files("s", [measured(tmp_path, "a.csv", {"k": 1e-3})])
    process = start_writer(place, measured(tmp_path, "b.csv", {"z": 1.0}), 60)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()
    assert list(read("store:s").strings("kernel")) == ["k"]
    assert queries.sets().records()[0]["files"] == 1
    assert add_files("s", [tmp_path / "b.csv"]).added == 1


@pytest.mark.slow
def test_a_damaged_store_says_so_at_once(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for i in range(3):
        add_files("night", [measured(tmp_path, f"{i}.csv", {f"k{j}": 1e-3 for j in range(500 * (i + 1))})])
    content = bytearray(place.read_bytes())
    for at in (0, 4096, 8192, 12288, len(content) // 2, len(content) - 4096):
        hurt = content.copy()
        hurt[at + 8 : at + 72] = b"\xa5" * 64
        place.write_bytes(hurt)
        began = time.monotonic()
        assert main(["store", "list"]) in (0, 2)
        assert main(["store", "add", "night", str(measured(tmp_path, f"x{at}.csv", {"k": 1.0}))]) in (0, 2)
        assert time.monotonic() - began < database.WAIT_S / 2
        said = capsys.readouterr().err
        assert "another process" not in said
        assert "defect" not in said


LIMITED = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
from roofcast.__main__ import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")
@pytest.mark.parametrize("room", [20_000, 400_000, 3_000_000])
def test_a_full_disk_is_one_line_and_loses_nothing(place: Path, tmp_path: Path, room: int) -> None:
    add_files("night", [measured(tmp_path, "old.csv", {"a": 1.0})])
    many = measured(tmp_path, "many.csv", {f"kernel number {i * 7919}": 1e-6 * (i + 1) for i in range(40_000)})
    for arguments in (["store", "add", "night"], ["forecast", "--to", "H100", "-o", str(tmp_path / "x.parquet")]):
        command = [sys.executable, "-c", LIMITED, str(room), *arguments, str(many)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode in ((2,) if room < 1_000_000 else (0, 2)), done.stderr
        if done.returncode == 2:
            assert "File too large" in done.stderr
            assert len(done.stderr.strip().splitlines()) == 1
            assert not (tmp_path / "x.parquet").exists()
    assert "a" in list(read("store:night").strings("kernel"))
    assert not list(tmp_path.glob(".x*"))


@pytest.mark.slow
def test_an_interrupted_add_keeps_what_was_read(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [str(measured(tmp_path, f"{i}.csv", {f"k{i}": 1e-3})) for i in range(5)]
    made = adding.entry_of

    def interrupted(file: Path, *more: object) -> object:
        if file.name == "3.csv":
            raise KeyboardInterrupt
        return made(file, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(adding, "entry_of", interrupted)
    assert main(["store", "add", "night", *files]) == 130
    assert "interrupted: added 3 files with 3 rows" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setenv(database.VARIABLE, str(place))
    assert main(["store", "add", "night", *files]) == 0
    assert sorted(read("store:night").strings("kernel")) == [f"k{i}" for i in range(5)]


@pytest.mark.slow
def test_two_writers_wait_for_each_other(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    add_files("s", [measured(tmp_path, "a.csv", {"k": 1e-3})])
    process = start_writer(place, measured(tmp_path, "b.csv", {"z": 1.0}), 1.0)
    monkeypatch.setattr(database, "WAIT_S", 0.2)
    with pytest.raises(RoofcastError, match="in use by another process"):
        add_files("s", [measured(tmp_path, "c.csv", {"y": 1.0})])
    monkeypatch.setattr(database, "WAIT_S", 30.0)
    assert add_files("s", [tmp_path / "c.csv"]).added == 1
    assert process.wait() == 0
    assert process.stdout is not None
    process.stdout.close()
    assert len(queries.ask("SELECT id FROM files").rows) == 3


def test_what_is_no_store_is_refused_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = measured(tmp_path, "a.csv", {"k": 1e-3})
    for content in (b"text", bytes(5000), os.urandom(5000)):
        bad = tmp_path / "bad.duckdb"
        bad.write_bytes(content)
        with pytest.raises(RoofcastError) as found:
            add_files("s", [file], bad)
        assert str(found.value).isprintable()
        assert bad.read_bytes() == content
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as connection:
        connection.execute("CREATE TABLE mine (a INTEGER)")
    for act in (lambda: add_files("s", [file], other), lambda: queries.sets(other)):
        with pytest.raises(RoofcastError, match="no store of roofcast"):
            act()
    with pytest.raises(RoofcastError, match="no store at"):
        queries.sets(tmp_path / "none.duckdb")
    with pytest.raises(RoofcastError):
        add_files("s", [file], Path("/proc/none/store.duckdb"))


@pytest.mark.slow
def test_schemas_of_other_versions(place: Path, tmp_path: Path) -> None:
    add_files("s", [measured(tmp_path, "a.csv", {"k": 1e-3})])
    with duckdb.connect(str(place)) as connection:
        # As an older roofcast left it, which did not know a column yet.
        connection.execute("ALTER TABLE launches DROP COLUMN power_w")
        connection.execute("ALTER TABLE origins DROP COLUMN power_w")
    assert len(read("store:s")) == 1
    later = tmp_path / "b.csv"
    later.write_text("kernel,gpu,time_s,power_w\nk,A100-SXM4-80GB,1e-3,250\n")
    add_files("s", [later])
    assert read("store:s").column("power_w")[1] == 250
    assert read("store:s").origin_of("power_w")[0] == Origin.ABSENT
    with duckdb.connect(str(place)) as connection:
        connection.execute("UPDATE about SET version = 99")
    with pytest.raises(RoofcastError, match="later roofcast"):
        read("store:s")


@pytest.mark.parametrize("name", ["", "store:", "a\nb", "x" * 300])
def test_bad_names_are_refused(name: str, place: Path, tmp_path: Path) -> None:
    with pytest.raises(RoofcastError):
        add_files(name, [measured(tmp_path, "a.csv", {"k": 1e-3})])


def test_hostile_names_are_data(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "'; DROP TABLE files; --"
    add_files(name, [measured(tmp_path, "a.csv", {"\x1b[31m=cmd()": 1e-3})])
    assert len(read(f"store:{name}")) == 1
    assert main(["store", "query", "--format", "table"]) == 0
    assert "\x1b" not in capsys.readouterr().out
    with pytest.raises(InputError):
        read("store:\x1b[31m")


@settings(max_examples=30, deadline=None)
@given(st.binary(max_size=300))
def test_any_bytes_are_stored_or_refused(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    path = folder / "f.json"
    path.write_bytes(b'{"roofcast": "1", "forecasts": [' + data)
    found = add_files("s", [path], folder / "s.duckdb")
    assert found.added + len(found.refused) == 1


@pytest.mark.slow
def test_a_folder_of_hundreds_of_reports_takes_seconds(place: Path, tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for i in range(150):
        measured(folder, f"{i:04}.csv", {"k": 1e-3 + 1e-6 * i})
    start = time.process_time()
    assert add_files("many", [folder]).added == 150
    assert time.process_time() - start < 20
    assert len(read("store:many")) == 150
