"""Run a profiler, say what stopped it, and find the reports that it left."""

from __future__ import annotations

import re
import subprocess
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roofcast.core.blas import environment_of_user
from roofcast.core.errors import RoofcastError, one_line
from roofcast_measure.profile_plan import Plan, Request, plan_nsys
from roofcast_measure.profile_python import plan_torch
from roofcast_measure.profile_tools import find_tool

PERMISSION = "ERR_NVGPUCTRPERM"
NOTHING = "No kernels were profiled"
NO_METRIC = re.compile(r"Failed to find metric (?P<name>\S+)")
LAST_LINES = 200
"""Lines of a profiler's output that are kept to explain a failure."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a profiler ended."""

    status: int
    forbidden: bool
    said: str
    """Its last error line; '' where it had none."""
    reports: tuple[Path, ...]


def run_plan(plan: Plan, echo: Callable[[str], None]) -> Ended:
    """Run a command, pass on what it prints, and find what it wrote."""
    before = {p: p.stat().st_mtime_ns for p in reports(plan)}
    lines: deque[str] = deque(maxlen=LAST_LINES)
    try:
        for name, text in plan.files:
            Path(name).write_text(text, encoding="utf-8")
        with subprocess.Popen(  # noqa: S603 - the user's program under the user's profiler
            plan.command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment_of_user(),
        ) as process:
            assert process.stdout is not None
            for line in process.stdout:
                echo(line)
                lines.append(line)
            status = process.wait()
    except OSError as error:
        raise RoofcastError(f"cannot run {one_line(plan.command[0], 120)}: {error.strerror or error}") from error
    written = tuple(p for p in reports(plan) if before.get(p) != p.stat().st_mtime_ns)
    text = "".join(lines)
    errors = [line for line in lines if line.startswith("==ERROR==")]
    message = one_line(errors[-1].removeprefix("==ERROR=="), 300) if errors else ""
    if not message and NOTHING in text:
        message = NOTHING
    return Ended(status, PERMISSION in text, message, written)


def reports(plan: Plan) -> list[Path]:
    """Files that a plan's command writes, as they are now."""
    if plan.per_rank:
        first, last = plan.pattern.rsplit("*", 1)
        folder = Path(first).parent
        files = folder.iterdir() if folder.is_dir() else ()
        return sorted(p for p in files if p.name.startswith(Path(first).name) and p.name.endswith(last))
    return [Path(plan.pattern)] if Path(plan.pattern).exists() else []


def explained(ended: Ended, request: Request) -> str:
    """One line on why there is no report."""
    missing = NO_METRIC.search(ended.said)
    if missing:
        return f"ncu does not know {one_line(missing['name'], 80)} on this GPU: a newer Nsight Compute may"
    if NOTHING.lower() in ended.said.lower():
        kernels = f" whose name matches {one_line(request.kernel, 60)!r}" if request.kernel else ""
        return f"the program ran, but launched no kernel{kernels}: nothing was profiled"
    if ended.said:
        return f"ncu: {ended.said}"
    return f"the profiler ended with code {ended.status} and wrote no report"


def fallback(request: Request) -> Plan | None:
    """What can be had without counters: nsys, else PyTorch's profiler for a script; None where neither is there."""
    nsys = find_tool("nsys")
    return plan_nsys(request, nsys) if nsys is not None else plan_torch(request)


def static_hint(request: Request) -> str:
    """How the program's machine code adds the amounts that a trace lacks."""
    program = one_line(request.program[0], 80)
    return f"amounts from the machine code: roofcast sass {program}"
