"""Python programs: scripts that use nsight-python run through it; for others there is the profiler of PyTorch.

Nsight-python starts or attaches Nsight Compute itself, around what the script annotates; a second ncu around the script
would collide with it. So the script runs as it is, and its decorators are told what to count and where to write.
"""

from __future__ import annotations

import re
from pathlib import Path

from roofcast.core.errors import one_line
from roofcast_measure.profile_plan import Plan, Request, check, metrics
from roofcast_measure.profile_tools import first_program

IMPORTS_NSIGHT = re.compile(r"^\s*(import nsight\b|from nsight\b)", re.MULTILINE)
BIGGEST_SCRIPT = 1 << 20
"""Characters of a script in which the import is looked for."""
NSIGHT = """import functools, os, runpy, sys
folder, prefix, metrics, clock, cache = sys.argv[1:6]
sys.argv = sys.argv[6:]
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
os.environ["PATH"] = folder + os.pathsep + os.environ.get("PATH", "")
import nsight
own = nsight.analyze.kernel
@functools.wraps(own)
def kernel(function=None, **settings):
    for name in ("derive_metric", "normalize_against"):
        settings.pop(name, None)
    settings.update(metrics=metrics.split(","), output_prefix=prefix, clock_control=clock, cache_control=cache)
    return own(**settings) if function is None else own(**settings)(function)
def plot(*function, **settings):
    return function[0] if function and callable(function[0]) else lambda function: function
nsight.analyze.kernel, nsight.analyze.plot = kernel, plot
runpy.run_path(sys.argv[0], run_name="__main__")
"""
"""Runs a script whose nsight decorators count what a forecast needs. What they derive or plot is left out: it expects
the script's own metrics."""
TORCH = """import os, runpy, sys
from torch.profiler import profile, ProfilerActivity
output = sys.argv.pop(1)
sys.argv.pop(0)
sys.path.insert(0, os.path.dirname(os.path.abspath(sys.argv[0])))
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as run:
    try:
        runpy.run_path(sys.argv[0], run_name="__main__")
    except SystemExit:
        pass
run.export_chrome_trace(output)
"""
"""Runs a script under PyTorch's profiler."""


def plan_nsight(request: Request, ncu: str, compute_capability: str = "") -> Plan | None:
    """The command for a script that uses nsight-python; None for every other program."""
    check(request)
    if not uses_nsight(request):
        return None
    notes = [f"{one_line(request.program[1], 60)} uses nsight-python: what it annotates is profiled"]
    if any(x is not None for x in (request.kernel, request.launch_skip, request.launch_count, request.sample)):
        notes.append("its annotations choose the launches: filters of kernels and launches have no effect")
    wanted = ",".join(metrics(request.full, compute_capability))
    words = (str(Path(ncu).parent), f"{request.base}.", wanted, request.clock, request.cache)
    command = (request.program[0], "-c", NSIGHT, *words, *request.program[1:])
    return Plan(command, f"{request.base}.*.ncu-rep", per_rank=True, notes=tuple(notes))


def is_script(request: Request) -> bool:
    """Whether the program is ``python script.py ...``."""
    name = first_program(request.program)
    return name.startswith("python") and len(request.program) > 1 and request.program[1].endswith(".py")


def uses_nsight(request: Request) -> bool:
    """Whether the program is a script that imports nsight-python."""
    if not is_script(request):
        return False
    try:
        with Path(request.program[1]).open(encoding="utf-8", errors="replace") as file:
            return bool(IMPORTS_NSIGHT.search(file.read(BIGGEST_SCRIPT)))
    except OSError:
        return False


def plan_torch(request: Request) -> Plan | None:
    """PyTorch's own profiler for a script, which needs no counters; None where it is no script."""
    if not is_script(request):
        return None
    output = f"{request.base}.json"
    return Plan((request.program[0], "-c", TORCH, output, *request.program[1:]), output)
