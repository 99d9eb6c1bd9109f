"""Reading and forecasting long traces: processor time and peak memory of the command, in a process of its own.

Memory must not grow with the run: ``python tests/long_traces.py FORMAT 2000 FILE`` makes one of 2 GB to try.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from long_traces import write

MB = 1_000_000
MORE_BYTES_PER_KERNEL = 40
"""What a kernel may add to the peak: its duration and row, of which medians are made, and what allocators keep."""
PEAK_MB = 1000
LEAST_MB_PER_S = {"kineto": 12, "nsys": 8, "rocprofv3": 8}
SIZES_MB = {"kineto": (500, 1000), "nsys": (150, 450), "rocprofv3": (450, 1100)}
"""Each of several windows of about the same size, so that only what grows with the run differs."""


MEASURED = """
import json, os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, used = os.wait4(process.pid, 0)
print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""
"""Run in a small process, because what one of its size starts counts as large until it is another program."""


def cost(*arguments: str) -> tuple[float, float]:
    """Processor seconds of the command, and its largest resident set in MB."""
    program = str(Path(sys.executable).with_name("roofcast"))
    command = [sys.executable, "-S", "-c", MEASURED, program, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    status, seconds, peak = json.loads(done.stdout)
    assert status == 0, done.stderr
    return seconds, peak


@pytest.mark.parametrize("form", sorted(SIZES_MB))
def test_a_long_run_is_forecast_in_bounded_memory(form: str, tmp_path: Path) -> None:
    name = {"kineto": "run.json", "nsys": "run.sqlite", "rocprofv3": "9_kernel_trace.csv"}[form]
    source = ("--from", "MI300X") if form == "rocprofv3" else ()
    kernels, peaks = [], []
    for size in SIZES_MB[form]:
        path = tmp_path / name
        path.unlink(missing_ok=True)
        kernels.append(write(form, size * MB, path))
        spent, peak = cost("app", str(path), "--to", "B200", *source)
        peaks.append(peak)
        print(f"{form}, {size} MB, {kernels[-1]:,} kernels: {spent:.1f} s of processor time, {peak:.0f} MB")
        assert peak < PEAK_MB
        assert spent < size / LEAST_MB_PER_S[form]
    assert (peaks[1] - peaks[0]) * MB < MORE_BYTES_PER_KERNEL * (kernels[1] - kernels[0]) + 30 * MB


@pytest.mark.parametrize("command", ["inspect", "forecast", "store"])
def test_other_commands_in_bounded_memory(command: str, tmp_path: Path) -> None:
    path = tmp_path / "run.sqlite"
    kernels = write("nsys", 300 * MB, path)
    arguments = {
        "inspect": ("inspect", str(path)), "forecast": ("forecast", str(path), "--to", "B200"),
        "store": ("store", "add", "long", str(path), "--db", str(tmp_path / "s.duckdb")),
    }  # fmt: skip
    spent, peak = cost(*arguments[command])
    print(f"{command}, {kernels:,} kernels: {spent:.1f} s of processor time, {peak:.0f} MB")
    assert peak < PEAK_MB


def test_memory_is_measured_of_this_command_alone() -> None:
    """A control: neither this process nor an earlier child hides in the figure."""
    held = b"x" * (600 * MB)
    subprocess.run([sys.executable, "-c", "b'x' * 600_000_000"], check=True)
    assert cost("--version")[1] < 200
    assert held
