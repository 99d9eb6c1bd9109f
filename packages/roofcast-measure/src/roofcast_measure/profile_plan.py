"""The command line that profiles a program with exactly the counters that a forecast needs."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from roofcast.core.errors import RoofcastError, one_line
from roofcast.ingest.ncu.collect import SOURCES, forecast_metrics, metrics_for
from roofcast_measure.profile_tools import first_program

RANKS = ("OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "MV2_COMM_WORLD_RANK", "MPI_LOCALRANKID", "SLURM_PROCID")
"""Variables that MPI launchers set to the number of a rank."""
SIZES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS")
LAUNCHERS: dict[str, str] = {
    "mpirun": "", "mpiexec": "", "orterun": "OMPI_COMM_WORLD_RANK", "prterun": "PMIX_RANK", "jsrun": "PMIX_RANK",
    "srun": "SLURM_PROCID", "mpiexec.hydra": "PMI_RANK", "mpirun_rsh": "MV2_COMM_WORLD_RANK", "aprun": "ALPS_APP_PE",
}  # fmt: skip
"""Launcher -> variable of its ranks; '' where it depends on who made it."""
TAKE_ONE = frozenset(
    (
        *("-n", "-np", "--np", "-c", "-N", "--ntasks", "--nodes", "-ppn", "-perhost", "--cpus-per-task", "-a", "-r"),
        "-d",
        *("-H", "--host", "-host", "-hosts", "--hostfile", "-hostfile", "--machinefile", "-machinefile", "-f", "-w"),
        *("--nodelist", "-configfile", "--app", "-x", "-envlist", "--map-by", "--bind-to", "--rank-by", "--mpi"),
        *("-wdir", "--wdir", "-wd", "-p", "--partition", "-t", "--time", "-A", "--account", "-J", "--job-name", "-i"),
        *("-G", "--gpus", "--gpus-per-task", "--gpus-per-node", "-g", "-o", "-e", "--output", "--error"),
    )
)
"""Options of launchers that take the next word; ``--name=value`` is one word."""
TAKE_TWO = frozenset(("-mca", "--mca", "-env", "-genv", "--gmca", "--pmixmca", "--prtemca"))


@dataclass(frozen=True, slots=True)
class Request:
    """What the user asked for."""

    program: tuple[str, ...]
    output: str = "profile"
    full: bool = False
    kernel: str | None = None
    launch_count: int | None = None
    launch_skip: int | None = None
    sample: int | None = None
    """Launches of each kernel and launch configuration."""
    clock: str = "none"
    """As ncu has it: ``none`` leaves clocks as they run in production, ``base`` locks them."""
    cache: str = "all"
    force: bool = False

    @property
    def base(self) -> str:
        """Name of the report, without its suffix."""
        return self.output.removesuffix(".ncu-rep")


@dataclass(frozen=True, slots=True)
class Plan:
    """A command, and what it leaves behind."""

    command: tuple[str, ...]
    pattern: str
    """Name of the report that it writes; with one ``*`` where ranks write their own."""
    per_rank: bool = False
    notes: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    """(name, text) of files that the command needs."""

    @property
    def text(self) -> str:
        """The command as one types it, with the files that it needs."""
        written = [f"printf %s {shlex.quote(text)} > {shlex.quote(name)}" for name, text in self.files]
        return "\n".join([*written, shlex.join(self.command)])


def metrics(full: bool, compute_capability: str = "") -> tuple[str, ...]:
    """The metrics to collect: those that a forecast needs, or everything that the reader knows."""
    return metrics_for(SOURCES, compute_capability) if full else forecast_metrics(compute_capability)


def ncu_options(request: Request, compute_capability: str, output: str) -> list[str]:
    """Options of ncu, without the program."""
    options = ["--target-processes", "all"]
    if request.full:
        options += ["--set", "full", "--import-source", "yes"]
    options += ["--metrics", ",".join(metrics(request.full, compute_capability))]
    options += ["--clock-control", request.clock, "--cache-control", request.cache]
    if request.kernel is not None:
        options += ["--kernel-name", f"regex:{request.kernel}"]
    if request.launch_skip is not None:
        options += ["--launch-skip", str(request.launch_skip)]
    if request.sample is not None:
        options += ["--filter-mode", "per-launch-config", "--launch-count", str(request.sample)]
    elif request.launch_count is not None:
        options += ["--launch-count", str(request.launch_count)]
    if request.force:
        options += ["--force-overwrite"]
    return [*options, "--export", output]


def plan_ncu(
    request: Request, ncu: str, compute_capability: str = "", environment: Mapping[str, str] = os.environ
) -> Plan:
    """The ncu command; under MPI each rank writes its own report."""
    check(request)
    launched = split_launcher(request.program)
    if launched is not None:
        before, after = launched
        variable = LAUNCHERS[first_program(before)] or rank_variable(before[0])
        options = ncu_options(request, compute_capability, f"{request.base}.%q{{{variable}}}")
        return Plan((*before, ncu, *options, *after), f"{request.base}.*.ncu-rep", True)
    rank = own_rank(environment)
    output = f"{request.base}.%q{{{rank}}}" if rank else request.base
    file = f"{request.base}.{environment[rank]}.ncu-rep" if rank else f"{request.base}.ncu-rep"
    command = (ncu, *ncu_options(request, compute_capability, output), *request.program)
    return Plan(command, file)


def check(request: Request) -> None:
    """Refuse what ncu would refuse later, or silently misunderstand."""
    if not request.program:
        raise RoofcastError("name the program to profile: roofcast measure profile -- ./app arguments")
    if request.kernel is not None:
        try:
            re.compile(request.kernel)
        except re.error as error:
            raise RoofcastError(f"--kernel {one_line(request.kernel, 60)!r} is not a pattern: {error}") from None
    if request.sample is not None and request.launch_count is not None:
        raise RoofcastError("--sample and --launch-count exclude each other")
    if any("%" in part for part in (request.base,)):
        raise RoofcastError("the output's name must not hold '%': ncu replaces what follows it")


def own_rank(environment: Mapping[str, str]) -> str | None:
    """The variable that says which rank this process is, where it is one of several."""
    if all(environment.get(size, "1") == "1" for size in SIZES):
        return None
    return next((name for name in RANKS if environment.get(name, "").isdigit()), None)


def split_launcher(program: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """(launcher with its options, program with its arguments); None where no launcher starts it.

    >>> split_launcher(["mpirun", "-n", "4", "--bind-to", "core", "./app", "-n", "7"])
    (('mpirun', '-n', '4', '--bind-to', 'core'), ('./app', '-n', '7'))
    """
    if first_program(program) not in LAUNCHERS:
        return None
    at = 1
    while at < len(program) and program[at].startswith("-"):
        option = program[at]
        if option == "--":
            at += 1
            break
        at += 3 if option in TAKE_TWO else 2 if option in TAKE_ONE else 1
    if at >= len(program):
        raise RoofcastError(f"no program behind {one_line(program[0], 60)} and its options")
    return tuple(program[:at]), tuple(program[at:])


def rank_variable(launcher: str) -> str:
    """Variable that an mpirun sets: Open MPI's, or that of MPICH and its relatives."""
    try:
        done = subprocess.run(  # noqa: S603 - the launcher that the user named
            [launcher, "--version"], capture_output=True, text=True, errors="replace", check=False, timeout=20
        )
    except (OSError, subprocess.TimeoutExpired):
        return RANKS[0]
    text = (done.stdout + done.stderr).lower()
    return "PMI_RANK" if any(word in text for word in ("hydra", "mpich", "intel(r) mpi")) else RANKS[0]


def plan_nsys(request: Request, nsys: str) -> Plan:
    """Times without counters: a trace of launches and copies."""
    options = ["profile", "--trace", "cuda,nvtx", "--export", "sqlite", "--force-overwrite", str(request.force).lower()]
    return Plan((nsys, *options, "--output", request.base, *request.program), f"{request.base}.sqlite")


def plan_amd(request: Request, tool: str) -> Plan:
    """The rocprofv3 command with the counters that a forecast needs, or rocprof-compute's.

    The hardware counts a few things at a time: each line of rocprofv3's input file is a run of the program.
    """
    from roofcast.ingest.amd.amd_amounts import COLLECT

    check(request)
    if Path(tool).name == "rocprof-compute":
        kernel = ("-k", request.kernel) if request.kernel is not None else ()
        command = (tool, "profile", "--name", request.base, *kernel, "--", *request.program)
        return Plan(command, f"workloads/{request.base}")
    passes = "".join(f"pmc: {' '.join(counters)}\n" for counters in dict.fromkeys(COLLECT.values()))
    listing = f"{request.base}.pmc.txt"
    options = ["-i", listing, "--kernel-trace", "--output-format", "csv", "-d", request.base]
    if request.kernel is not None:
        options += ["--kernel-include-regex", request.kernel]
    return Plan((tool, *options, "--", *request.program), request.base, files=((listing, passes),))
