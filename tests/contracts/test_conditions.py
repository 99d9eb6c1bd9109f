"""Both sides of a forecast run under the same conditions, whichever the profile was taken under."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from contracts.doors import MODELS, Breach, command_of, forecast, known, named, origin, printed, read, run, run_json

QUICK = (
    *("bert-small", "healthy", "a40..schnett-IndexSpaces-jl", "gtx-1660-ti", "cc-8-6", "h100-pcie", "gtx-750"),
    *("mi200..vcopy-MI200-pmc", "data/hecbench"),
)
EVERY = named("", QUICK)
TABLES = named("data", ("data/hecbench", "data/pmpp", "data/micro16", "data/nca"))
LOCKED = named("ncu_rep", ("h100-pcie", "gtx-1660-ti", "a40..schnett-IndexSpaces-jl"))
SLOW_MODELS = [m if m == "hybrid" else pytest.param(m, marks=pytest.mark.slow) for m in MODELS]
NAMED = ("production", "profiled")
TARGET = "L40S"


def own_gpu(path: Path) -> str:
    """The GPU that a file, or its user, names."""
    gpu = next((str(g) for g in read(path).strings("gpu") if g), None) or (origin(path) or ("", None))[1]
    if gpu is None:
        pytest.skip("the file does not name its GPU")
    return str(gpu)


def apart(result: Any, command: str) -> Iterator[Breach]:
    """Kernels whose forecast on their own GPU is not their time on the source under the same conditions."""
    own, time = result.source_time_s, result.estimate.time_s[:, 0]
    for i, name in enumerate(result.kernels.strings("kernel")):
        source = result.sources[i]
        if source is None or source.name != result.targets[0].name or not time[i] > 0:
            continue
        if time[i] != own[i]:
            yield Breach(str(name), "time_s", float(own[i]), float(time[i]), "source_time_s", command)
        low, high = result.estimate.time_low_s[i, 0], result.estimate.time_high_s[i, 0]
        if np.isnan(low):
            # A model of others, which states no interval.
            continue
        # Van Lanker's bounds are two ways to project, which are one where a single roof limits.
        wide = low < high or time[i] == result.measured_time_s[i] or result.model == "van_lanker"
        if not (low <= time[i] <= high and wide):
            yield Breach(str(name), "interval", float(low), float(high), "holds the time and has a width", command)


@pytest.mark.parametrize("model", SLOW_MODELS)
@pytest.mark.parametrize("conditions", NAMED)
@pytest.mark.parametrize("path", EVERY)
def test_the_own_gpu_is_the_source(path: Path, conditions: str, model: str, hold: Callable[..., None]) -> None:
    gpu = own_gpu(path)
    result = forecast(path, (gpu,), model, conditions=conditions)
    if result.prepared.groups.patterns:
        pytest.skip("forecast from several GPUs together")
    command = command_of("forecast", path, "--to", gpu, *origin(path), *known(model), "--conditions", conditions)
    hold(apart(result, command), len(result.kernels))


@pytest.mark.parametrize("conditions", NAMED)
@pytest.mark.parametrize("path", EVERY)
def test_a_speedup_is_between_like_conditions(path: Path, conditions: str, hold: Callable[..., None]) -> None:
    rows = printed(path, TARGET, "--conditions", conditions)
    command = command_of("forecast", path, "--to", TARGET, *origin(path), "--conditions", conditions)
    found = []
    for row in rows:
        if row["time_s"] is None or row["source_time_s"] is None:
            continue
        wanted = row["source_time_s"] / row["time_s"]
        if row["speedup"] != wanted:
            found.append(Breach(row["kernel"], "speedup", wanted, row["speedup"], "source_time_s / time_s", command))
        if conditions == "profiled" and row["source_time_s"] != row["measured_time_s"]:
            times = row["measured_time_s"], row["source_time_s"]
            found.append(Breach(row["kernel"], "source_time_s", *times, "measured_time_s", command))
    hold(found, len(rows))


@pytest.mark.parametrize("path", TABLES)
def test_a_table_that_states_nothing_is_the_same_under_both(path: Path, hold: Callable[..., None]) -> None:
    # A board lowers its clock under production's load that lasts, not under a profiler's single launches.
    result, other = (forecast(path, (TARGET,), conditions=c, load="burst") for c in NAMED)
    if result.prepared.clocks.locked.any():
        pytest.skip("the table states locked clocks")
    if result.on_source is not None and read(path).provenance[0].format.startswith("ncu"):
        pytest.skip("the profiler flushed caches")
    command = command_of("forecast", path, "--to", TARGET, "--load", "burst")
    found = []
    for i, name in enumerate(result.kernels.strings("kernel")):
        for end in ("time_s", "time_low_s", "time_high_s"):
            x, y = (float(getattr(r.estimate, end)[i, 0]) for r in (result, other))
            if not (x == y or (np.isnan(x) and np.isnan(y))):
                found.append(Breach(str(name), end, x, y, command, f"{command} --conditions profiled"))
    assert result.on_source is None
    hold(found, 3 * len(result.kernels))


@pytest.mark.slow
@pytest.mark.parametrize("path", LOCKED)
def test_locked_profiles_are_forecast_on_their_own_gpu_first(path: Path) -> None:
    # Warm caches have dirty lines to write back, which flushed ones had not.
    alike = ("--cache", "cold")
    data = run_json("forecast", path, "--to", TARGET, *alike, *origin(path))
    assert data["conditions"]["name"] == "production"
    timed = [r for r in data["forecasts"] if r["source_time_s"] is not None and r["measured_time_s"] is not None]
    for row in timed:
        assert row["source_time_s"] <= row["measured_time_s"], "a GPU is no slower at the clock that it takes by itself"
    moved = sum(r["source_time_s"] != r["measured_time_s"] for r in timed)
    assert moved <= data["conditions"]["moved"] <= len(data["forecasts"])
    # A profile that was taken at the boost clock already is moved nowhere.
    assert moved or data["conditions"]["moved"] < len(data["forecasts"])
    text = run("forecast", path, "--to", TARGET, *origin(path))
    assert "production" in text.partition("\n\n")[0]


@pytest.mark.parametrize("path", LOCKED)
def test_the_steps_lead_from_the_measured_time_over_the_source_to_the_target(path: Path) -> None:
    result = forecast(path, (TARGET,))
    levels = result.explain().levels_s[:, 0]
    known_rows = np.isfinite(levels[:, 0])
    np.testing.assert_array_equal(levels[known_rows, 0], result.measured_time_s[known_rows])
    np.testing.assert_allclose(levels[known_rows, 1], result.source_time_s[known_rows], rtol=1e-9)
    np.testing.assert_array_equal(levels[known_rows, -1], result.estimate.time_s[known_rows, 0])


@pytest.mark.slow
def test_the_h100_against_the_l40s_is_like_for_like() -> None:
    root = named("ncu_rep", ("h100-pcie",))
    path = next((p.values[0] for p in root if p.values[0] is not None and "h100-pcie" in p.values[0].name), None)
    if path is None:
        pytest.skip("real files are absent")
    (row,) = printed(path, "L40S")
    # 1.04 as first forecast like for like, 0.98 since hit rates follow the caches' capacity, 0.95 since
    # a GPU that taught the residual stands for the L40S.
    assert row["speedup"] == pytest.approx(0.99, abs=0.06), "0.77 and 1.57 compare unlike clocks"


def counted(caches: str, folder: Path) -> Any:
    """A kernel whose DRAM bytes a profiler counted."""
    path = folder / f"{caches}.csv"
    path.write_text(
        "kernel,gpu,time_s,bytes_dram,bytes_l2,working_set_bytes,cache_state,grid_blocks,block_threads\n"
        f"scale,A100-SXM4-40GB,2e-5,1.6e7,1.7e7,1.6e7,{caches},4096,256\n"
    )
    return roofcast.read(path)


@pytest.mark.parametrize("target", ["A100-SXM4-40GB", "H100 SXM5 80GB"])
def test_caches_change_counted_bytes_both_ways(target: str, tmp_path: Path) -> None:
    times = {
        (was, asked): float(roofcast.forecast(counted(was, tmp_path), target, cache=asked).estimate.time_s[0, 0])
        for was in ("cold", "warm") for asked in ("auto", "cold", "warm")
    }  # fmt: skip
    # An application's launches find what those before them left, unless the profile's own caches are asked for.
    assert times["cold", "auto"] == times["cold", "warm"] < 0.8 * times["cold", "cold"]
    assert times["warm", "cold"] >= times["warm", "warm"] == times["warm", "auto"]


def test_what_the_application_leaves_in_the_caches_is_in_the_interval(tmp_path: Path) -> None:
    unknown, cold, warm = (
        roofcast.forecast(counted("cold", tmp_path), "H100 SXM5 80GB", cache=c) for c in ("auto", "cold", "warm")
    )
    assert unknown.estimate.time_s == warm.estimate.time_s
    assert unknown.estimate.time_low_s == warm.estimate.time_low_s < cold.estimate.time_low_s
    assert unknown.estimate.time_high_s == cold.estimate.time_high_s
    assert any("intervals hold flushed ones too" in n for n in unknown.notes(0, 0))


def ncu_csv(folder: Path, **changes: float) -> Path:
    """One launch as ``ncu --csv --page raw`` prints it: nothing says how the caches were."""
    row = {
        "gpu__time_duration.sum": 20000.0, "dram__bytes.sum": 3e6, "lts__t_bytes.sum": 4e6,
        "sm__cycles_elapsed.avg.per_second": 1.98e9,
    } | changes  # fmt: skip
    text = {"ID": "0", "Kernel Name": "scale(float *)", "Context": "1", "Stream": "7", "Block Size": "(256, 1, 1)",
            "Grid Size": "(4096, 1, 1)", "Device": "0", "CC": "9.0",
            "device__attribute_display_name": "NVIDIA H100 80GB HBM3"}  # fmt: skip
    units = {"gpu__time_duration.sum": "ns", "dram__bytes.sum": "byte", "lts__t_bytes.sum": "byte",
             "sm__cycles_elapsed.avg.per_second": "hz"}  # fmt: skip
    path = folder / "run.csv"
    cells = [[*text, *row], ["" for _ in text] + [units[n] for n in row], [*text.values(), *map(str, row.values())]]
    path.write_text("\n".join(",".join(f'"{c}"' for c in line) for line in cells) + "\n")
    return path


def test_a_csv_of_nsight_compute_was_counted_from_flushed_caches(tmp_path: Path) -> None:
    kernels = roofcast.read(ncu_csv(tmp_path))
    time = {c: roofcast.forecast(kernels, "H100 SXM5 80GB", cache=c) for c in ("auto", "cold", "warm")}
    found = {c: float(f.estimate.time_s[0, 0]) for c, f in time.items()}
    assert found["warm"] == found["auto"] < found["cold"] == pytest.approx(2e-5)
    assert any("the profiler flushes them" in a for a in time["auto"].estimate.assumed[0])
    profiled = roofcast.forecast(kernels, "H100 SXM5 80GB", conditions="profiled")
    assert float(profiled.estimate.time_s[0, 0]) == pytest.approx(2e-5)


def test_lines_that_the_run_before_left_dirty_are_written_back(tmp_path: Path) -> None:
    # 200 MB read and written stream through 50 MiB: the flushed run kept its last writes, a run among others may not.
    row = {"gpu__time_duration.sum": 7.3e4, "dram__bytes.sum": 1.857e8, "lts__t_bytes.sum": 3.17e8}
    kernels = roofcast.read(ncu_csv(tmp_path, **row))
    warm = roofcast.forecast(kernels, "H100 SXM5 80GB", cache="warm").estimate.time_s[0, 0]
    assert 1.02 < float(warm) / 7.3e-5 < 1.09, "1.04 as FDTD-2D measured"
    reads = roofcast.read(ncu_csv(tmp_path, **(row | {"lts__t_bytes.sum": 1.5 * 1.857e8})))
    assert float(roofcast.forecast(reads, "H100 SXM5 80GB", cache="warm").estimate.time_s[0, 0]) == pytest.approx(
        7.3e-5
    )


def test_a_rate_beyond_dram_proves_warm_caches(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = (
        "scale,n=1,A100-SXM4-40GB,4e-6,1.2e7",
        "scale,n=2,A100-SXM4-40GB,1e-5,1.3e7",
        "other,n=1,A100-SXM4-40GB,1e-4,1.2e7",
    )
    path.write_text("\n".join(("kernel,config,gpu,time_s,bytes_compulsory", *rows)) + "\n")
    result = roofcast.forecast(roofcast.read(path), "RTX 3090")
    said = [any("warm caches" in a for a in assumed) for assumed in result.estimate.assumed]
    assert said == [True, True, False]
    cold = roofcast.forecast(roofcast.read(path), "RTX 3090", cache="cold")
    assert not any("warm caches" in a for assumed in cold.estimate.assumed for a in assumed)


@pytest.mark.slow
@pytest.mark.parametrize("path", named("ncu_rep", ("h100-pcie",)))
def test_the_first_lines_of_every_command_name_the_conditions(path: Path, tmp_path: Path) -> None:
    space = tmp_path / "space.toml"
    space.write_text('base = "H100 SXM5 80GB"\n[axes]\ndram = ["3 TB/s", "4 TB/s"]\n')
    to = ("--to", TARGET)
    asked = ("--conditions", "profiled")
    commands = (
        ("forecast", path, *to), ("roofline", path, *to), ("advise", path), ("choose", path, "--among", TARGET),
        ("sweep", path, "--space", space),
    )  # fmt: skip
    for command in commands:
        for more, name in (((), "production"), (asked, "profiled")):
            first = " ".join(run(*command, *origin(path), *more).splitlines()[:6])
            assert "conditions of both sides" in first, command
            assert name in first, command
    assert run_json("choose", path, "--among", TARGET, *origin(path))["conditions"]["name"] == "production"


def test_a_kernel_of_which_dram_alone_is_known_has_a_time_in_production(tmp_path: Path) -> None:
    """Data of 339 KB stay in the cache: without them nothing was left that takes time."""
    path = tmp_path / "t.csv"
    path.write_text("kernel,gpu,time_s,bytes_dram,flops_fp32,cache_state\nk,RTX 3080,1.69e-5,338730,0,cold\n")
    for record in roofcast.forecast(path, to=["H100 SXM5 80GB", "GeForce GT 1010"]).records():
        assert 0 < record["time_low_s"] < record["time_s"] < record["time_high_s"]
        assert record["source_time_s"] > 0
