"""PTX to machine code of another architecture through NVIDIA's nvJitLink (no GPU needed).

The library comes from the wheel ``nvidia-nvjitlink-cu12`` of the extra ``sass`` or from an installed CUDA toolkit.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from roofcast.core.errors import InputError, MissingExtraError, one_line
from roofcast.sass import jit_link
from roofcast.sass.wheels import NEEDS_EXTRA, linker_wheel_version, wheel_file

LONGEST_S = 300


@dataclass(frozen=True, slots=True)
class Job:
    """One binary to make."""

    inputs: tuple[bytes, ...]
    """PTX texts or relocatable cubins; several are linked together."""
    sm: int
    feature_suffix: str = ""
    """``a`` or ``f`` for code that uses features of one architecture only (sm_90a)."""
    max_registers: int | None = None
    """Register cap, as the compiler's maxrregcount; only PTX obeys it."""

    def packed(self) -> bytes:
        """The job as the child reads it."""
        options = [f"-arch=sm_{self.sm}{self.feature_suffix}".encode(), b"-lineinfo"]
        options += [b"-maxrregcount=%d" % self.max_registers] if self.max_registers else []
        return jit_link.packed([str(len(options)).encode(), *options, *self.inputs])


@lru_cache(maxsize=1)
def find_jit_link() -> str:
    """Path or name of the nvJitLink library.

    Raises
    ------
    MissingExtraError : it is not installed.
    """
    wheel = (
        wheel_file("nvjitlink", "lib/libnvJitLink.so*")
        or wheel_file("cu13", "lib/libnvJitLink.so*")
        or wheel_file("nvjitlink", "bin/nvJitLink*.dll")
    )
    if wheel is not None:
        return str(wheel)
    for name in ("libnvJitLink.so.12", "libnvJitLink.so.13"):
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return name
    raise MissingExtraError(f"retargeting PTX {NEEDS_EXTRA}")


@lru_cache(maxsize=1)
def ptxas_version() -> str:
    """Toolkit version of the code generator, e.g. ``12.9.86``; '' where it is not installed."""
    try:
        library = find_jit_link()
        return linker_wheel_version() or ".".join(map(str, jit_link.JitLink(library).version))
    except (MissingExtraError, OSError, jit_link.LinkError):
        return ""


def retarget(
    inputs: tuple[bytes, ...], sm: int, *, feature_suffix: str = "", max_registers: int | None = None
) -> bytes:
    """Compile and link PTX (or relocatable cubins) for one architecture; returns the cubin (see :class:`Job`).

    Raises
    ------
    InputError : the compiler refuses the input; the message holds its first words.
    MissingExtraError : nvJitLink is not installed.
    """
    made = retarget_all([Job(inputs, sm, feature_suffix, max_registers)])[0]
    if isinstance(made, InputError):
        raise made
    return made


def retarget_all(jobs: Sequence[Job]) -> list[bytes | InputError]:
    """A cubin per job, or why there is none.

    The library runs in a process of its own: damaged PTX can make it abort. One process does all jobs; where one
    aborts it, another goes on with the next.

    Raises
    ------
    MissingExtraError : nvJitLink is not installed.
    """
    library = find_jit_link().encode()
    answers: list[bytes | InputError] = []
    while len(answers) < len(jobs):
        job = jobs[len(answers)]
        oldest = max((ptx_target(data) for data in job.inputs), default=0)
        if oldest > job.sm:
            answers.append(InputError(f"the PTX is for sm_{oldest} and newer, not for sm_{job.sm}"))
            continue
        runnable = [job]
        for other in jobs[len(answers) + 1 :]:
            if max((ptx_target(data) for data in other.inputs), default=0) > other.sm:
                break
            runnable.append(other)
        answers += run_child(library, runnable)
    return answers


def run_child(library: bytes, jobs: Sequence[Job]) -> list[bytes | InputError]:
    """Answers to the first jobs: at least to one, and to all unless one made the library abort."""
    request = jit_link.packed([library, *(job.packed() for job in jobs)])
    command = [sys.executable, "-I", "-S", jit_link.__file__]
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, with code of ours
            command, input=request, capture_output=True, check=False, timeout=LONGEST_S
        )
    except subprocess.TimeoutExpired:
        return [InputError(f"the compiler did not finish within {LONGEST_S} s")] * len(jobs)
    answers: list[bytes | InputError] = [
        answer[1:] if answer[:1] == b"0" else InputError(message_of(job, answer[1:]))
        for job, answer in zip(jobs, jit_link.unpacked(done.stdout), strict=False)
    ]
    if len(answers) < len(jobs):
        answers.append(InputError("the compiler aborted on this code: it is damaged, or nvJitLink has a defect"))
    return answers


def message_of(job: Job, words: bytes) -> str:
    """What the compiler says about a job, in one line."""
    return f"sm_{job.sm}{job.feature_suffix}: {one_line(words.decode('utf-8', 'replace'), 300)}"


def ptx_version(ptx: bytes) -> tuple[int, int] | None:
    """The ``.version`` of a PTX text.

    >>> ptx_version(b".version 7.4 .target sm_70")
    (7, 4)
    """
    found = re.search(rb"^\s*\.version\s+(\d+)\.(\d+)", ptx[:65536], re.MULTILINE)
    return (int(found[1]), int(found[2])) if found else None


def ptx_feature_suffix(ptx: bytes) -> str:
    r"""``a`` or ``f`` where a PTX text uses features of one architecture or family only.

    >>> ptx_feature_suffix(b".target sm_90a\n"), ptx_feature_suffix(b".target sm_80\n")
    ('a', '')
    """
    found = re.search(rb"^\s*\.target\s+sm_\d+([af])", ptx[:65536], re.MULTILINE)
    return found[1].decode() if found else ""


def ptx_target(ptx: bytes) -> int:
    r"""The architecture that a PTX text names as ``.target``, 0 where it names none.

    >>> ptx_target(b".version 8.0\n.target sm_90a")
    90
    """
    found = re.search(rb"^\s*\.target\s+sm_(\d+)", ptx[:65536], re.MULTILINE)
    return int(found[1]) if found else 0
