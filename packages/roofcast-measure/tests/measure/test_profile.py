"""`roofcast measure profile` against profilers that only pretend: what is run, what is said, what is read back."""

from __future__ import annotations

import itertools
import json
import shlex
import sys
from pathlib import Path

import pytest

from roofcast.__main__ import main
from roofcast.core.errors import RoofcastError
from roofcast.ingest.ncu.collect import SOURCES, forecast_metrics, metrics_for
from roofcast_measure import profile_plan, profile_python, profile_tools
from roofcast_measure.profile_plan import Request, plan_ncu, split_launcher
from sass_builders import Launch, report_with_code, small_cubin
from timeline_samples import kineto, nsys

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="pretends with shell scripts")
CORE = {
    "gpu__time_duration.sum", "sm__cycles_elapsed.avg.per_second", "dram__cycles_elapsed.avg.per_second",
    "lts__cycles_elapsed.avg.per_second", "smsp__inst_executed.sum",
    "smsp__thread_inst_executed_per_inst_executed.ratio",
    *(f"smsp__sass_thread_inst_executed_op_{p}{o}_pred_on.sum" for p in "dfh" for o in ("add", "mul", "fma")),
    "smsp__sass_thread_inst_executed_op_integer_pred_on.sum", "sm__inst_executed_pipe_tensor.sum", "dram__bytes.sum",
    "lts__t_bytes.sum", "l1tex__t_bytes.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "sm__warps_active.avg.pct_of_peak_sustained_active",
}  # fmt: skip
"""Metrics that collect in three passes on all chips since Volta."""
VERSION = (
    'if [ "$1" = --version ]; then echo "NVIDIA (R) Nsight Compute"; echo "Version 2025.1.0.0 (build 1)"; exit 0; fi\n'
)
FIND_OUTPUT = 'out=; prev=; for a in "$@"; do case "$prev" in --export|--output) out=$a;; esac; prev=$a; done\n'


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with only what a test installs; the programs of the system stay."""
    tools = tmp_path / "bin"
    tools.mkdir()
    monkeypatch.setenv("PATH", f"{tools}:/usr/bin:/bin")
    for name in (*profile_tools.HOMES, *profile_plan.RANKS, *profile_plan.SIZES):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(profile_tools, "FOLDERS", {})
    monkeypatch.setattr(profile_tools, "DRIVER_PARAMETERS", tmp_path / "params")
    monkeypatch.setattr(profile_tools, "AMD_DEVICES", tmp_path / "kfd")
    monkeypatch.setattr(profile_tools, "compute_capability", lambda: "8.0")
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return tmp_path


def install(machine: Path, name: str, text: str) -> Path:
    path = machine / "bin" / name
    path.write_text(f"#!/bin/sh\n{text}")
    path.chmod(0o755)
    return path


def sample(machine: Path, kernel: str = "gemm") -> Path:
    path = machine / "sample.ncu-rep"
    metrics = dict.fromkeys(forecast_metrics("8.0"), 1000.0) | {"gpu__time_duration.sum": 1e4}
    path.write_bytes(report_with_code(small_cubin(), [Launch(kernel, metrics=metrics)]))
    return path


def good(machine: Path) -> Path:
    return install(
        machine, "ncu",
        f'{VERSION}{FIND_OUTPUT}printf "%s\\n" "$@" > {machine}/arguments\necho "==PROF== Connected"\n'
        f'cp {sample(machine)} "$out.ncu-rep"\n',
    )  # fmt: skip


def test_the_metrics_come_from_the_reader_and_take_three_passes() -> None:
    assert set(forecast_metrics()) == CORE
    assert len(forecast_metrics()) == len(CORE)
    assert set(metrics_for(SOURCES)) > set(forecast_metrics()) - {"l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"}
    assert any("ffma2" in m for m in forecast_metrics("10.0"))


def test_it_runs_reads_back_and_says_what_is_next(machine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    good(machine)
    arguments = ["--kernel", "ge.m", "--launch-count", "3", "--clock", "none", "--cache", "none"]
    assert main(["measure", "profile", *arguments, "--to-csv", "k.csv", "--", "./my app", "--size", "7"]) == 0
    out, err = capfd.readouterr()
    assert "==PROF== Connected" in out
    assert "gemm" in out
    assert "next: roofcast forecast profile.ncu-rep --to GPU" in err
    assert "'./my app' --size 7" in err
    given = (machine / "arguments").read_text().splitlines()
    assert given[-3:] == ["./my app", "--size", "7"]
    pairs = dict(itertools.pairwise(given))
    assert pairs["--metrics"].split(",") == list(forecast_metrics("8.0"))
    assert (pairs["--kernel-name"], pairs["--launch-count"]) == ("regex:ge.m", "3")
    assert (pairs["--clock-control"], pairs["--cache-control"]) == ("none", "none")
    assert pairs["--target-processes"] == "all"
    assert main(["forecast", "k.csv", "--to", "H100 SXM5 80GB", "--format", "csv"]) == 0
    assert main(["measure", "profile", "--", "./app"]) == 2
    assert "is there already" in capfd.readouterr().err
    assert main(["measure", "profile", "-f", "--", "./app"]) == 0


def test_full_collects_all_that_the_reader_knows() -> None:
    plan = plan_ncu(Request(("./app",), full=True), "ncu", "9.0", {})
    pairs = dict(itertools.pairwise(plan.command))
    assert pairs["--set"] == "full"
    assert pairs["--import-source"] == "yes"
    assert pairs["--metrics"].split(",") == list(metrics_for(SOURCES, "9.0"))


def test_dry_run_needs_nothing_and_prints_what_a_shell_takes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "profile", "--dry-run", "--sample", "2", "--", "./a b", "$x"]) == 0
    words = shlex.split(capsys.readouterr().out)
    assert words[0] == "ncu"
    assert words[-2:] == ["./a b", "$x"]
    assert dict(itertools.pairwise(words))["--filter-mode"] == "per-launch-config"
    assert not list(Path().iterdir())


def test_what_stands_behind_the_dashes_is_the_programs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "profile", "--dry-run", "--", "./app", "--debug", "--help"]) == 0
    assert shlex.split(capsys.readouterr().out)[-3:] == ["./app", "--debug", "--help"]


def test_alone_it_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure"]) == 2
    err = capsys.readouterr().err
    assert err.startswith("Usage: roofcast measure")
    assert "\n  ceilings  " in err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--", "./app"], "ncu) is not here"),
        ([], "name the program"),
        (["--kernel", "(", "--", "./app"], "is not a pattern"),
        (["--sample", "1", "--launch-count", "1", "--", "./app"], "exclude each other"),
        (["-o", "a%q{b}", "--", "./app"], "must not hold '%'"),
        (["--ncu", "/nowhere/ncu", "--", "./app"], "not a program"),
        (["--dry-run", "--", "mpirun", "-n", "4"], "no program behind"),
        (["--vendor", "amd", "--", "./app"], "neither rocprofv3 nor rocprof-compute is here"),
    ],
)
def test_what_cannot_run_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "profile", *arguments]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ('echo "Version 2019.5.0.0"', "2020.1 or newer"),
        ("echo hello", "not say its version"),
        ("exit 3", "version"),
    ],
)
def test_a_wrong_ncu_is_refused(machine: Path, version: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = install(machine, "other", version)
    assert main(["measure", "profile", "--ncu", str(path), "--", "./app"]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('echo "==ERROR== Failed to find metric smsp__nothing.sum"; exit 1', "does not know smsp__nothing.sum"),
        ('echo "==WARNING== No kernels were profiled."', "launched no kernel whose name matches 'gemm'"),
        ('echo "==ERROR== The application returned an error code (11)."; exit 11', "returned an error code (11)"),
        ("exit 5", "ended with code 5"),
    ],
)
def test_why_there_is_no_report(machine: Path, body: str, said: str, capfd: pytest.CaptureFixture[str]) -> None:
    install(machine, "ncu", f"{VERSION}{body}\n")
    assert main(["measure", "profile", "--kernel", "gemm", "--", "./app"]) == 2
    err = capfd.readouterr().err
    assert said in err
    assert "Traceback" not in err


FORBIDDEN = 'echo "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission"; exit 1\n'


def test_forbidden_counters_at_run_time_give_a_trace(machine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    install(machine, "ncu", f"{VERSION}{FORBIDDEN}")
    assert main(["measure", "profile", "--", "./app"]) == 2
    assert "nsys, which takes times without them, is not here" in capfd.readouterr().err
    (machine / "sample.sqlite").write_bytes(nsys())
    install(machine, "nsys", f'{FIND_OUTPUT}cp {machine}/sample.sqlite "$out.sqlite"\n')
    assert main(["measure", "profile", "--", "./app"]) == 0
    err = capfd.readouterr().err
    assert "NVreg_RestrictProfilingToAdminUsers=0" in err
    assert "next: roofcast app profile.sqlite --to GPU" in err
    assert "roofcast sass ./app" in err


def test_forbidden_counters_are_known_beforehand(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (machine / "params").write_text("ResmanDebugLevel: 4294967295\nRmProfilingAdminOnly: 1\n")
    monkeypatch.setattr(profile_tools, "is_administrator", lambda: False)
    install(machine, "ncu", f"{VERSION}touch {machine}/ran\n")
    (machine / "trace.json").write_bytes(kineto())
    # A script has PyTorch's own profiler where nsys is not: this python only pretends to run it.
    python = install(machine, "python3", f'cp {machine}/trace.json "$3"\n')
    Path("train.py").write_text("print(1)\n")
    assert main(["measure", "profile", "--", str(python), "train.py", "--epochs", "1"]) == 0
    assert not (machine / "ran").exists()
    assert "next: roofcast app profile.json" in capfd.readouterr().err
    (machine / "params").write_text("RmProfilingAdminOnly: 0\n")
    assert not profile_tools.counters_forbidden()


def test_the_script_for_pytorch_runs_the_users_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import subprocess

    package = tmp_path / "torch"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "profiler.py").write_text(
        "class ProfilerActivity:\n    CPU = 0\n    CUDA = 1\n"
        "class profile:\n    def __init__(self, activities): pass\n    def __enter__(self): return self\n"
        "    def __exit__(self, *a): pass\n    def export_chrome_trace(self, path): open(path, 'w').write('{}')\n"
    )
    script = tmp_path / "train.py"
    script.write_text("import sys, json\njson.dump(sys.argv, open('argv.json', 'w'))\nsys.exit(0)\n")
    plan = profile_python.plan_torch(Request((sys.executable, str(script), "--epochs", "2"), output="t"))
    assert plan is not None
    subprocess.run(plan.command, check=True, env={"PYTHONPATH": str(tmp_path)}, timeout=60)
    assert json.loads(Path("argv.json").read_text()) == [str(script), "--epochs", "2"]
    assert Path("t.json").read_text() == "{}"


@pytest.mark.parametrize(
    ("program", "at"),
    [
        (["mpirun", "-n", "4", "./app", "-n", "2"], 3),
        (["mpirun", "--mca", "btl", "self", "-x", "A=1", "--map-by=core", "./app"], 7),
        (["srun", "--ntasks=4", "-N", "2", "python", "x.py"], 4),
        (["/opt/x/bin/mpiexec", "--", "./app"], 2),
        (["mpirun", "--allow-run-as-root", "./app"], 2),
    ],
)
def test_ncu_goes_behind_the_launcher(program: list[str], at: int) -> None:
    assert split_launcher(program) == (tuple(program[:at]), tuple(program[at:]))
    plan = plan_ncu(Request(tuple(program)), "ncu", "", {})
    assert plan.command[:at] == tuple(program[:at])
    assert plan.command[at] == "ncu"
    variable = "SLURM_PROCID" if program[0] == "srun" else "OMPI_COMM_WORLD_RANK"
    assert dict(itertools.pairwise(plan.command))["--export"] == f"profile.%q{{{variable}}}"


def test_mpich_numbers_its_ranks_otherwise(machine: Path) -> None:
    install(machine, "mpirun", 'echo "HYDRA build details:"\n')
    plan = plan_ncu(Request(("mpirun", "-n", "2", "./app")), "ncu", "", {})
    assert "profile.%q{PMI_RANK}" in plan.command


def test_the_reports_of_all_ranks_are_read(machine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    report = sample(machine)
    install(machine, "ncu", f"{VERSION}exit 0\n")
    copies = f"for r in 0 1; do cp {report} profile.$r.ncu-rep; done"
    install(machine, "mpirun", f'[ "$1" = --version ] && echo "Open MPI" && exit\n{copies}\n')
    assert main(["measure", "profile", "--", "mpirun", "-n", "2", "./app"]) == 0
    assert "profile.0.ncu-rep profile.1.ncu-rep --to GPU" in capfd.readouterr().err

    assert main(["measure", "profile", "--", "mpirun", "-n", "2", "./app"]) == 2
    assert "profile.0.ncu-rep is there already" in capfd.readouterr().err


def test_names_with_signs_of_patterns(machine: Path) -> None:
    report = sample(machine)
    install(machine, "ncu", f'{VERSION}{FIND_OUTPUT}cp {report} "$out.ncu-rep"\n')
    install(machine, "srun", f'cp {report} "a[1].0.ncu-rep"\n')
    assert main(["measure", "profile", "-o", "b[2]*", "--", "./app"]) == 0
    assert Path("b[2]*.ncu-rep").is_file()
    assert main(["measure", "profile", "-o", "a[1]", "--", "srun", "./app"]) == 0


def test_as_a_rank_it_writes_its_own_report(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    report = sample(machine)
    install(machine, "ncu", f'{VERSION}{FIND_OUTPUT}echo "$out" > name; cp {report} profile.3.ncu-rep\n')
    monkeypatch.setenv("OMPI_COMM_WORLD_RANK", "3")
    monkeypatch.setenv("OMPI_COMM_WORLD_SIZE", "4")
    assert main(["measure", "profile", "--", "./app"]) == 0
    assert Path("name").read_text() == "profile.%q{OMPI_COMM_WORLD_RANK}\n"


PRETENDED_NSIGHT = """
import json, os, shutil
class analyze:
    @staticmethod
    def kernel(function=None, *, configs=None, metrics=("gpu__time_duration.sum",), derive_metric=None,
               normalize_against=None, clock_control="none", cache_control="all", output_prefix=None):
        def decorated(function):
            def run():
                assert derive_metric is None
                said = {"metrics": list(metrics), "clock": clock_control, "cache": cache_control, "configs": configs,
                        "path": os.environ["PATH"].split(":")[0]}
                json.dump(said, open("told.json", "w"))
                function(7)
                shutil.copy(os.environ["SAMPLE"], f"{output_prefix}ncu-output-{function.__name__}-0.ncu-rep")
            return run
        return decorated if function is None else decorated(function)
    @staticmethod
    def plot(**settings):
        raise ValueError("Cannot visualize multiple metrics")
"""
USES_NSIGHT = """
import nsight, sys
from beside import SIZE
@nsight.analyze.plot(filename="x.png")
@nsight.analyze.kernel(configs=[7], derive_metric=lambda t, n: n / t)
def bench(n):
    open("ran", "w").write(f"{n} {SIZE} {sys.argv[1:]}")
bench()
"""


def test_a_script_of_nsight_python_runs_through_it(
    machine: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (machine / "lib").mkdir()
    (machine / "lib" / "nsight.py").write_text(PRETENDED_NSIGHT)
    (machine / "scripts").mkdir()
    script = machine / "scripts" / "bench.py"
    script.write_text(USES_NSIGHT)
    (machine / "scripts" / "beside.py").write_text("SIZE = 3\n")
    monkeypatch.setenv("PYTHONPATH", str(machine / "lib"))
    monkeypatch.setenv("SAMPLE", str(sample(machine)))
    install(machine, "ncu", f"{VERSION}touch {machine}/ran-by-us\n")
    program = [sys.executable, str(script), "--size", "9"]
    assert main(["measure", "profile", "--clock", "base", "--sample", "2", "--", *program]) == 0
    out, err = capfd.readouterr()
    assert "uses nsight-python" in err
    assert "filters of kernels and launches have no effect" in err
    assert "gemm" in out
    assert "next: roofcast forecast profile.ncu-output-bench-0.ncu-rep --to GPU" in err
    assert not (machine / "ran-by-us").exists(), "one ncu is enough"
    assert Path("ran").read_text() == "7 3 ['--size', '9']"
    told = json.loads(Path("told.json").read_text())
    assert told["metrics"] == list(forecast_metrics("8.0"))
    assert (told["clock"], told["cache"], told["configs"]) == ("base", "all", [7])
    assert told["path"] == str(machine / "bin")
    assert main(["measure", "profile", "--", *program]) == 2
    assert "profile.ncu-output-bench-0.ncu-rep is there already" in capfd.readouterr().err
    plain = machine / "scripts" / "plain.py"
    plain.write_text("import torch  # not nsight\n")
    assert profile_python.plan_nsight(Request((sys.executable, str(plain))), "ncu") is None
    assert profile_python.plan_nsight(Request((sys.executable, "nowhere.py")), "ncu") is None
    assert profile_python.plan_nsight(Request(("./app", str(script))), "ncu") is None


def test_tools_are_found_where_installers_put_them(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_tools, "FOLDERS", {"ncu": (f"{machine}/nsight-compute/*",)})
    for version in ("2024.3.2", "2025.1.0", "2024.10.1"):
        folder = machine / "nsight-compute" / version
        folder.mkdir(parents=True)
        (folder / "ncu").write_text("")
        (folder / "ncu").chmod(0o755)
    assert profile_tools.find_tool("ncu") == f"{machine}/nsight-compute/2025.1.0/ncu"
    assert profile_tools.find_tool("ncu", str(machine / "nsight-compute/2024.3.2")) is not None
    monkeypatch.setenv("CUDA_HOME", str(machine))
    good(machine)
    assert profile_tools.find_tool("ncu") == f"{machine}/bin/ncu"


def test_a_full_disk_is_said(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _: type("U", (), {"free": 5 * 2**20})())
    assert "only 5 MiB are free" in profile_tools.check_room(Path(), full=False)
    monkeypatch.undo()
    with pytest.raises(RoofcastError, match="cannot write to"):
        profile_tools.check_room(Path("/nowhere/at/all"), full=False)


def test_amd_gets_rocprofv3(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", "profile", "--vendor", "amd", "--dry-run", "-o", "run", "--", "./app", "7"]) == 0
    written, run = capsys.readouterr().out.rstrip("\n").rsplit("\n", 1)
    words = shlex.split(run)
    assert words[0] == "rocprofv3"
    assert words[-3:] == ["--", "./app", "7"]
    assert dict(itertools.pairwise(words))["-d"] == "run"
    name, text = dict(itertools.pairwise(words))["-i"], shlex.split(written)[2]
    assert shlex.split(written)[3:] == [">", name]
    assert all(line.startswith("pmc: ") for line in text.splitlines())
    assert any("SQ_INSTS_VALU_FMA_F64" in line for line in text.splitlines())


COUNTERS = """Correlation_Id,Dispatch_Id,Agent_Id,Queue_Id,Process_Id,Thread_Id,Grid_Size,Kernel_Id,Kernel_Name,\
Workgroup_Size,LDS_Block_Size,Scratch_Size,VGPR_Count,SGPR_Count,Counter_Name,Counter_Value,Start_Timestamp,\
End_Timestamp
1,1,1,1,7,7,1024,1,gemm,256,0,0,32,32,SQ_INSTS,5000,1000,11000
"""


def test_amd_reads_the_folder_back(machine: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (machine / "c.csv").write_text(COUNTERS.replace("\\\n", ""))
    find = 'prev=; for a in "$@"; do case "$prev" in -d) out=$a;; -i) cp "$a" given;; esac; prev=$a; done'
    install(machine, "rocprofv3", f'{find}\nmkdir -p "$out" && cp {machine}/c.csv "$out/7_counter_collection.csv"\n')
    (machine / "kfd").write_text("")
    assert main(["measure", "profile", "--kernel", "ge.*", "--", "./app"]) == 0
    out, err = capfd.readouterr()
    assert "gemm" in out
    assert "next: roofcast forecast profile --to GPU" in err
    assert "pmc: SQ_INSTS\n" in Path("given").read_text()


def test_rocprof_compute_where_it_is_alone(machine: Path) -> None:
    path = install(machine, "rocprof-compute", "exit 0")
    plan = profile_plan.plan_amd(Request(("./app",), kernel="gemm"), str(path))
    assert plan.command[1:] == ("profile", "--name", "profile", "-k", "gemm", "--", "./app")
    assert plan.pattern == "workloads/profile"


@pytest.mark.parametrize("arguments", [["profile", "--dry-run", "--", "./app"], ["gpp", "--dry-run"]])
def test_clocks_are_left_alone_unless_asked(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["measure", *arguments]) == 0
    assert "--clock-control none" in capsys.readouterr().out
    assert main(["measure", arguments[0], "--clock", "base", *arguments[1:]]) == 0
    assert "--clock-control base" in capsys.readouterr().out
