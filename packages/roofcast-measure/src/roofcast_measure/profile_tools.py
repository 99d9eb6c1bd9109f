"""Profilers of this machine: where they are, which version, and whether they may count."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from roofcast.core.errors import RoofcastError, one_line

FOLDERS = {
    "ncu": (
        "/opt/nvidia/nsight-compute/*", "/usr/local/cuda*/bin", "/usr/local/NVIDIA-Nsight-Compute*",
        "/usr/local/cuda*/nsight-compute*", "/opt/cuda/bin", "/opt/cuda/nsight_compute",
    ),
    "nsys": ("/opt/nvidia/nsight-systems/*/bin", "/usr/local/cuda*/bin", "/opt/cuda/bin"),
    "rocprofv3": ("/opt/rocm*/bin",),
    "rocprof-compute": ("/opt/rocm*/bin",),
    "hipcc": ("/opt/rocm*/bin",),
}  # fmt: skip
"""Where installers put them, when they are not on the PATH."""
HOMES = ("CUDA_HOME", "CUDA_PATH", "ROCM_PATH")
OLDEST_NCU = (2020, 1)
"""Older ones name counters otherwise."""
DRIVER_PARAMETERS = Path("/proc/driver/nvidia/params")
AMD_DEVICES = Path("/dev/kfd")
ROOM_BYTES = 200 * 2**20
"""B on the disk that a report with the needed counters may take."""
ROOM_BYTES_FULL = 2 * 2**30
"""B on the disk that a report with all counters and the code may take."""
ADMINISTRATORS_ONLY = re.compile(r"^RmProfilingAdminOnly:\s*1\s*$", re.MULTILINE)
VERSION = re.compile(r"\b(20\d\d)\.(\d+)(?:\.\d+)*")
CAPABILITIES = re.compile(r"^CapEff:\s*([0-9a-fA-F]+)", re.MULTILINE)
CAP_PERFMON, CAP_SYS_ADMIN = 38, 21
REMEDY = (
    "the driver lets only administrators count (ERR_NVGPUCTRPERM): run as root, or allow everybody with the line "
    "'options nvidia NVreg_RestrictProfilingToAdminUsers=0' in /etc/modprobe.d/nvidia-profiling.conf and a reboot; in "
    "a container add --cap-add=SYS_ADMIN"
)


def find_tool(name: str, told: str | None = None) -> str | None:
    """Path of a profiler: the one told, on the PATH, or in an installer's folder (the newest); None where none is."""
    if told is not None:
        path = Path(told) / name if Path(told).is_dir() else Path(told)
        program = shutil.which(str(path))
        if program is None:
            raise RoofcastError(f"{one_line(told, 120)} is not a program that can be run")
        return program
    on_path = shutil.which(name)
    if on_path is not None:
        return on_path
    homes = [str(Path(os.environ[h]) / "bin") for h in HOMES if os.environ.get(h)]
    for pattern in (*homes, *FOLDERS.get(name, ())):
        folders = Path("/").glob(pattern.lstrip("/"))
        for folder in sorted(folders, key=lambda f: numbers(f.name), reverse=True):
            path = folder / name
            if path.is_file() and os.access(path, os.X_OK):
                return str(path)
    return None


def numbers(text: str) -> tuple[int, ...]:
    """Numbers of a name, to sort versions.

    >>> numbers("2024.3.2") > numbers("2024.3"), numbers("cuda-12.9") > numbers("cuda-12.10")
    (True, False)
    """
    return tuple(int(n) for n in re.findall(r"\d+", text))


def ncu_version(path: str) -> tuple[int, ...]:
    """Year and number of an Nsight Compute."""
    name = one_line(path, 120)
    try:
        done = subprocess.run(  # noqa: S603 - the profiler that the user has
            [path, "--version"], capture_output=True, text=True, errors="replace", check=False, timeout=60
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RoofcastError(f"{name} does not run: {one_line(str(error), 160)}") from error
    match = VERSION.search(done.stdout + done.stderr)
    if match is None:
        raise RoofcastError(f"{name} does not say its version: is it Nsight Compute? Give --ncu PATH")
    version = int(match[1]), int(match[2])
    if version < OLDEST_NCU:
        raise RoofcastError(
            f"{name} is version {match[0]}; {OLDEST_NCU[0]}.{OLDEST_NCU[1]} or newer is needed (--ncu PATH)"
        )
    return version


def counters_forbidden() -> bool:
    """Whether the driver keeps counters from this user; False where nothing tells."""
    try:
        text = DRIVER_PARAMETERS.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return bool(ADMINISTRATORS_ONLY.search(text)) and not is_administrator()


def is_administrator() -> bool:
    """Root, or with the capability that the driver asks for."""
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return True
    try:
        status = Path("/proc/self/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    match = CAPABILITIES.search(status)
    bits = int(match[1], 16) if match else 0
    return bool(bits >> CAP_SYS_ADMIN & 1 or bits >> CAP_PERFMON & 1)


def check_room(folder: Path, full: bool) -> str:
    """A warning where the disk is nearly full, '' where it is not."""
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise RoofcastError(f"cannot write to {one_line(str(folder), 120)}: {error.strerror or error}") from error
    least = ROOM_BYTES_FULL if full else ROOM_BYTES
    if free >= least:
        return ""
    return f"only {free / 2**20:.0f} MiB are free in {one_line(str(folder), 80)}: a report may need {least / 2**20:.0f}"


def compute_capability() -> str:
    """Compute capability of the first GPU, by NVML; '' where nothing says it: then the names of most chips are used."""
    try:
        import pynvml
    except ImportError:
        return ""
    try:
        pynvml.nvmlInit()
        major, minor = pynvml.nvmlDeviceGetCudaComputeCapability(pynvml.nvmlDeviceGetHandleByIndex(0))
    except pynvml.NVMLError:
        return ""
    return f"{major}.{minor}"


def has_amd() -> bool:
    """Whether this machine has AMD GPUs and no NVIDIA driver."""
    return AMD_DEVICES.exists() and not DRIVER_PARAMETERS.exists()


def first_program(arguments: Sequence[str]) -> str:
    """Name of the program, without folder."""
    return Path(arguments[0]).name if arguments else ""
