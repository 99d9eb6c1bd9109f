"""The eight steps: nine versions with one result, and the paper's table as cited facts."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from roofcast import catalog
from roofcast.__main__ import main
from roofcast.core.columns import Origin
from roofcast.core.errors import RoofcastError
from roofcast.core.resource import Resource
from roofcast.formulas.occupancy import SmLimits, residency
from roofcast.formulas.roofline import flops_per_s_with_fma_fraction
from roofcast.ingest.ncu.collect import forecast_metrics
from roofcast.reading import read
from roofcast_measure import cuda_driver, gpp, profile_plan, profile_tools, suite
from roofcast_measure.driver import Launch, Work
from roofcast_measure.inputs import make_inputs
from roofcast_measure.references import expected_of
from sass_builders import Launch as Reported
from sass_builders import report_with_code, small_cubin
from shim_driver import ShimDriver

pytestmark = pytest.mark.slow

SMALL = {"nbands": 5, "ngpown": 3, "ncouls": 70, "nw": 2, "blocks": 2}


def test_occupancy_from_registers_is_the_papers_warps_per_sm() -> None:
    """128-thread blocks have 4 warps (the text once says 8); v8 has one block of 512."""
    v100 = catalog.gpu("V100 SXM2 16GB")
    limits = SmLimits(
        v100.max_blocks_per_sm or 0, v100.max_warps_per_sm or 0, v100.regs_per_sm or 0, v100.smem_per_sm_bytes or 0,
        reg_granularity=v100.reg_alloc_granularity or 0, subpartitions=v100.subpartitions_per_sm or 0,
    )  # fmt: skip
    steps = gpp.published().of("Si-214")
    threads, registers = (np.array([float(getattr(s, n)) for s in steps]) for n in ("block_threads", "regs_per_thread"))
    found = residency(threads, registers, 0, limits)
    assert found.warps.tolist() == [s.warps_per_sm for s in steps] == [12, 12, 12, 12, 8, 12, 8, 8, 16]
    assert set(found.limiter) == {"registers"}
    of_eight = residency(256, steps[7].regs_per_thread, 0, limits)
    assert float(of_eight.warps) == 8, "one block of 8 warps would fit as well: the table alone does not tell"
    assert residency(256, steps[0].regs_per_thread, 0, limits).warps != steps[0].warps_per_sm, "but v0 does"


def test_the_customised_peak_and_where_the_last_version_stands() -> None:
    facts = gpp.published()
    share = flops_per_s_with_fma_fraction(1.0, facts.fma_fraction)
    own = flops_per_s_with_fma_fraction(facts.flops_per_s_peak, facts.fma_fraction)
    assert round(float(share), 2) == 0.79
    assert round(float(own) / 1e12, 1) == 5.3 == facts.flops_per_s_customised / 1e12
    best = facts.of("Si-214")[-1].flops_per_s
    assert round(best / facts.flops_per_s_customised, 2) == facts.v8_of_customised_peak == 0.70
    assert round(best / facts.flops_per_s_peak, 2) == facts.v8_of_peak == 0.55


def test_the_table_is_the_papers() -> None:
    steps = gpp.published().steps
    assert len(steps) == 18
    assert steps[0].time_s == 1.691
    assert gpp.published().of("Si-510")[8].flops_per_s == 3.638e12
    assert steps[0].time_s / steps[8].time_s == pytest.approx(2.36, abs=0.005)
    assert gpp.published().of("Si-1000") == ()


def test_published_versions_are_a_kernel_table_with_labels() -> None:
    table = gpp.published_table()
    assert list(table.extra["label"]) == list(gpp.VERSIONS)
    assert table.column("flops_fp64") / table.column("time_s") == pytest.approx(
        [s.flops_per_s for s in gpp.published().of("Si-214")]
    )
    assert (table.column("occupancy_fraction") * 64).tolist() == [12, 12, 12, 12, 8, 12, 8, 8, 16]
    assert (table.origin_of("insts_fp64_fma") == Origin.ASSUMED).all()
    assert np.isfinite(table.column("bytes_dram")).tolist() == [v == "v4" for v in gpp.VERSIONS]
    with pytest.raises(RoofcastError, match="Si-214 and Si-510"):
        gpp.published_table("Si-1")


def test_published_table_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "gpp", "--published"]) == 0
    out = capsys.readouterr().out
    assert "v8 is at 70 % of that and at 55 % of the peak" in out
    assert out.count("TFLOP/s") >= 11
    file = tmp_path / "published.csv"
    assert main(["measure", "gpp", "--published", "--system", "Si-510", "-o", str(file)]) == 0
    again = read(file)
    assert again.column("time_s").tolist() == [s.time_s for s in gpp.published().of("Si-510")]
    assert list(again.extra["label"]) == list(gpp.VERSIONS)
    capsys.readouterr()
    assert main(["roofline", str(file)]) == 0
    assert "own peak" in capsys.readouterr().out


def test_derived_counters_keep_what_the_paper_says() -> None:
    table = gpp.derived_table()
    intensity = table.column("flops_fp64") / table.column("bytes_dram")
    balance = gpp.published().flops_per_s_peak / 900e9
    assert intensity[4] == pytest.approx(12.5, rel=0.02)
    assert 0.9 * balance < intensity[3] < balance, "just below the machine balance"
    assert intensity[5] < balance, "back to the HBM bandwidth bound region"
    assert (intensity[6:] > 2 * balance).all(), "well in the compute bound region"
    gap = table.column("bytes_l2") / table.column("bytes_dram")
    assert gap[6:].min() > 1.4 * gap[:6].max(), "wider gaps between L2 and HBM"
    for outer, inner in (("bytes_dram", "bytes_l2"), ("bytes_l2", "bytes_l1")):
        assert (table.column(outer) <= table.column(inner)).all()
    assert (table.origin_of("bytes_l1") == Origin.ASSUMED).all()
    assert (table.column("stall_long_scoreboard_per_inst") < table.column("warp_latency_cycles_per_inst") - 1).all()


@pytest.mark.parametrize("gpu", gpp.MEASURED)
def test_measured_steps_have_the_rates_that_were_printed(gpu: str) -> None:
    """Both ran the same code: FLOPs of a term and registers are alike, so that the rates are near each other."""
    table, other = gpp.measured_table(gpu), gpp.measured_table("H200 SXM 141GB")
    rate = table.column("flops_fp64") / table.column("time_s")
    printed = np.array([10.0, 9.87, 9.79, 8.95, 13.6, 13.0, 6.57, 6.59, 9.68]) * 1e12
    assert (other.column("flops_fp64") / other.column("time_s")).tolist() == pytest.approx(printed.tolist(), rel=0.005)
    assert rate.tolist() == pytest.approx(printed.tolist(), rel=0.16), "smaller arrays, more of them in L2"
    limits = catalog.gpu(gpu)
    assert (rate < (limits.rate(Resource.FLOPS_FP64) or 0)).all()
    assert table.strings("config")[0].startswith("nbands=")


def test_steps_that_nobody_measured_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "gpp", "--measured", "V100 SXM2 16GB"]) == 2
    assert "H100 SXM5 80GB and H200" in capsys.readouterr().err


def test_both_branches_and_the_cutoff_are_taken() -> None:
    """Else the versions could agree by leaving them out."""
    program = suite.load(suite.EIGHT_STEPS)
    sizes = program.sizes(program.check)
    inputs = make_inputs(program, sizes)
    whole = expected_of(program, inputs, sizes)["sums"]
    known = gpp.with_branches(program, dict(program.check), inputs)
    assert known["p_first"] + known["p_second"] == pytest.approx(1, abs=0.01)
    assert 0.02 < known["p_second"] < 0.5
    for without in ({"limit_one": 1e9, "limit_two": 0.0}, {"limit_two": 1e9}, {"cutoff": 1e9}):
        other = expected_of(program, inputs, {**sizes, **without})["sums"]
        assert np.abs(other - whole).max() > 1e-3 * np.abs(whole).max()


def test_nine_versions_give_the_same_result_to_rounding(cpu: ShimDriver) -> None:
    result = gpp.run_gpp(cpu, quick=True, configuration=dict(SMALL))
    assert list(result.deviations) == list(gpp.VERSIONS)
    assert max(result.deviations.values()) < 1e-13
    table = result.table
    assert list(table.strings("kernel")) == [f"gpp_{v}" for v in gpp.VERSIONS]
    flops = table.column("flops_fp64")
    assert flops[0] > flops[1] == flops[2] > flops[3] == flops[4] < flops[5] < flops[6] == flops[8]
    assert table.column("block_threads").tolist() == [128] * 8 + [512]
    assert cpu.allocated == 0


def test_a_profiler_sees_each_version_once(cpu: ShimDriver) -> None:
    seen: list[str] = []

    class Watched(ShimDriver):
        def prepare(self, launches: Sequence[Launch]) -> Work:
            seen.extend(one.kernel.name for one in launches if one.kernel.name != "gpp_reduce")
            return super().prepare(launches)

    watched = Watched()
    watched.libraries = cpu.libraries
    result = gpp.run_gpp(watched, once=True, configuration=dict(SMALL))
    assert result.deviations == {}
    assert seen == [f"gpp_v{n}" for n in range(5)] + [f"gpp_v{n}" for n in range(5, 9) for _ in range(2)]


@pytest.mark.parametrize(
    ("old", "new", "version"),
    [
        ("1.0 / square(b)", "1.1 / square(b)", "v1"),
        ("4.0), shifted", "3.0), shifted", "v0"),
        ("filled[k] = occupation[first + k]", "filled[k] = occupation[first]", "v6"),
    ],
)  # fmt: skip
def test_a_wrong_version_is_named(
    compiler: str, monkeypatch: pytest.MonkeyPatch, old: str, new: str, version: str
) -> None:
    program = suite.load(suite.EIGHT_STEPS)
    assert old in program.text
    wrong = dataclasses.replace(program, text=program.text.replace(old, new))
    monkeypatch.setattr(gpp, "load", lambda _: wrong)
    with pytest.raises(RoofcastError, match=f"^{version}: gpp: sums is wrong"):
        gpp.run_gpp(ShimDriver(), configuration=dict(SMALL))


def test_sizes_follow_the_device(cpu: ShimDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    assert gpp.scaled_sizes(1.0, 80) == {**gpp.PAPER_SIZES, "blocks": 1280}
    small, large = (gpp.scaled_sizes(s, 80) for s in (0.001, 0.1))
    assert small["nbands"] * small["ngpown"] < large["nbands"] * large["ngpown"] < 1e6
    monkeypatch.setattr(gpp, "LEAST_SIZES", {"nbands": 4, "ngpown": 2})
    monkeypatch.setattr(gpp, "PAPER_SIZES", {"nbands": 400, "ngpown": 20, "ncouls": 10, "nw": 2})
    program = suite.load(suite.EIGHT_STEPS)
    loaded = cpu.load(program.code)
    few, many = (gpp.sizes_for(cpu, program, loaded, s) for s in (1e-9, 1e9))
    assert few["nbands"] == 4
    assert many["nbands"] == 400


@pytest.fixture
def bench(cpu: ShimDriver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A machine whose GPU is the CPU, and whose profilers are what a test puts into the folder ``bin``."""
    tools = tmp_path / "bin"
    tools.mkdir()
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    for name in (*profile_tools.HOMES, *profile_plan.RANKS, *profile_plan.SIZES):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(profile_tools, "FOLDERS", {})
    monkeypatch.setattr(profile_tools, "DRIVER_PARAMETERS", tmp_path / "params")
    monkeypatch.setattr(profile_tools, "compute_capability", lambda: "8.0")
    monkeypatch.setattr(cuda_driver, "open_driver", lambda _: cpu)
    for name in ("sizes_for", "scaled_sizes"):
        monkeypatch.setattr(gpp, name, lambda *_: dict(SMALL))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("capability", "said"), [("8.0", True), ("5.2", False)])
def test_a_measured_table_ends_with_the_machine_code_of_its_gpu(
    bench: Path, cpu: ShimDriver, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str],
    capability: str, said: bool,
) -> None:  # fmt: skip
    known = ShimDriver(info=dataclasses.replace(cpu.info, compute_capability=capability))
    known.libraries = cpu.libraries
    monkeypatch.setattr(cuda_driver, "open_driver", lambda _: known)
    assert main(["measure", "gpp", "--quick", "--no-counters"]) == 0
    out = capfd.readouterr().out
    assert "\nv8 " in out
    assert bool(re.search(r"sm_80 +v8 +128 +16", out)) == said, "code before sm_70 cannot be read"


def install_ncu(machine: Path, body: str, version: str = "2025.1.0.0") -> None:
    path = machine / "bin" / "ncu"
    path.write_text(f'#!/bin/sh\nif [ "$1" = --version ]; then echo "Version {version}"; exit 0; fi\n{body}\n')
    path.chmod(0o755)


@pytest.mark.slow
def test_measured_on_the_command_line(bench: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "gpp", "--quick"]) == 0
    out, err = capfd.readouterr()
    assert all(f"\n{v} " in out for v in gpp.VERSIONS)
    assert err == "no counters: Nsight Compute (ncu) is not here: install it or give --ncu PATH\n"
    assert main(["measure", "gpp", "--once", "-o", "gpp.parquet"]) == 0
    assert "counters" not in capfd.readouterr().err
    assert len(read(Path("gpp.parquet"))) == 9
    assert main(["measure", "gpp", "--quick", "--no-counters"]) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.slow
def test_it_runs_itself_under_ncu_and_roofline_draws_the_versions(
    bench: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    launches = []
    for n in range(9):
        metrics = dict.fromkeys(forecast_metrics("8.0"), 1e6) | {
            "gpu__time_duration.sum": 2e6 / (1 + n), "sm__cycles_elapsed.avg.per_second": 1.2e9,
            "sm__warps_active.avg.pct_of_peak_sustained_active": 25.0,
        }  # fmt: skip
        # From v5 on, each energy is a launch of its own.
        launches += [Reported(f"gpp_v{n}", metrics=metrics)] * (2 if n >= 5 else 1)
    (bench / "sample.ncu-rep").write_bytes(report_with_code(small_cubin(), launches))
    install_ncu(
        bench,
        f'printf "%s\\n" "$@" > {bench}/arguments\n'
        'while [ "$1" != --export ]; do shift; done\nout=$2; shift 2\n'
        f'"$@" --help > {bench}/program || exit 9\ncp {bench}/sample.ncu-rep "$out.ncu-rep"',
    )
    assert main(["measure", "gpp", "--quick", "-o", "gpp.csv", "--report", "steps"]) == 0
    err = capfd.readouterr().err
    assert "next: roofcast roofline steps.counters.csv -o steps.svg" in err
    given = dict(itertools.pairwise(Path("arguments").read_text().splitlines()))
    assert given["--metrics"].split(",") == list(forecast_metrics("8.0"))
    assert (given["--kernel-name"], given["--export"]) == ("regex:gpp_v", "steps")
    assert "Usage: " in Path("program").read_text(), "the program is this one"
    assert "nine versions of the General Plasmon Pole" in Path("program").read_text()
    table = read(Path("steps.counters.csv"))
    assert list(table.extra["label"]) == list(gpp.VERSIONS)
    assert table.column("time_s")[[0, 4, 5]] == pytest.approx([2e-3, 4e-4, 2 * 2e-3 / 6])
    assert table.column("bytes_dram")[[4, 5]].tolist() == [1e6, 2e6]
    assert table.column("occupancy_fraction")[5] == pytest.approx(0.25)
    assert main(["roofline", "steps.counters.csv"]) == 0
    assert "versions, in order" in capfd.readouterr().out
    assert main(["roofline", "steps.counters.csv", "-o", "steps.svg"]) == 0
    assert Path("steps.svg").stat().st_size > 10_000
    capfd.readouterr()
    assert main(["measure", "gpp", "--report", "steps"]) == 2, "said before anything is measured"
    assert "steps.ncu-rep is there already: -f overwrites it" in capfd.readouterr().err
    assert main(["measure", "gpp", "--quick", "--report", "steps", "-f"]) == 0


@pytest.mark.parametrize(
    ("body", "version", "said"),
    [
        (
            'echo "==ERROR== ERR_NVGPUCTRPERM - no permission"; exit 1',
            "2025.1.0.0",
            "no counters: the driver lets only",
        ),
        ('echo "==WARNING== No kernels were profiled."', "2025.1.0.0", "launched no kernel whose name matches 'gpp_v'"),
        ("exit 5", "2025.1.0.0", "ended with code 5 and wrote no report"),
        ("exit 0", "2019.5.0.0", "2020.1 or newer is needed"),
        ('while [ "$1" != --export ]; do shift; done; echo broken > "$2.ncu-rep"', "2025.1.0.0", "no counters: "),
    ],
)
def test_without_counters_the_times_stand(
    bench: Path, body: str, version: str, said: str, capfd: pytest.CaptureFixture[str]
) -> None:
    install_ncu(bench, body, version)
    assert main(["measure", "gpp", "--quick"]) == 0
    out, err = capfd.readouterr()
    assert "\nv8 " in out
    (line,) = [x for x in err.splitlines() if x.startswith("no counters: ")]
    assert said in line
    assert "Traceback" not in err
    assert not Path("gpp.counters.csv").exists()


def test_forbidden_counters_are_known_beforehand(
    bench: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (bench / "params").write_text("RmProfilingAdminOnly: 1\n")
    monkeypatch.setattr(profile_tools, "is_administrator", lambda: False)
    install_ncu(bench, f"touch {bench}/ran")
    assert main(["measure", "gpp", "--quick"]) == 0
    assert "NVreg_RestrictProfilingToAdminUsers=0" in capfd.readouterr().err
    assert not (bench / "ran").exists()


def test_dry_run_prints_the_profilers_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "gpp", "--dry-run", "--device", "1"]) == 0
    assert capsys.readouterr().out.endswith("-m roofcast measure gpp --once --device 1\n")
