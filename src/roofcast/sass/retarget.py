"""PTX to machine code of another architecture through NVIDIA's nvJitLink (no GPU needed).

The library comes from the wheel ``nvidia-nvjitlink-cu12`` of the extra ``sass`` or from an installed CUDA toolkit.
"""

from __future__ import annotations

import contextlib
import dataclasses
import re
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from roofcast.core.errors import InputError, one_line
from roofcast.core.records import dataclass
from roofcast.kit.disk_cache import cached, find, keep, key_of
from roofcast.sass import jit_link
from roofcast.sass.cubin import Cubin, parse_cubin
from roofcast.sass.toolkit import find_jit_link, ptxas_version

ENTRY = re.compile(rb"^[ \t]*(?:\.(?:visible|weak|extern|common)[ \t]+)*\.entry[ \t\n]+([\w$]+)", re.MULTILINE)
# What may hold braces that open and close nothing: comments and quoted texts.
TOKEN = re.compile(rb'//[^\n]*|/\*.*?\*/|"[^"\n]*"|[{}]', re.DOTALL)


def only_kernels(ptx: bytes, wanted: Collection[str]) -> bytes:
    """The text without the bodies of other kernels; lines keep their numbers.

    The text itself where it holds no wanted kernel, or where its structure is not understood.
    """
    entries = list(entry_ranges(ptx))
    names = [name for name, _, _ in entries if name in wanted]
    if not names or len(names) == len(entries) or any(end < 0 for _, _, end in entries):
        return ptx
    parts, at = [], 0
    for name, start, end in entries:
        if name not in wanted:
            parts += [ptx[at:start], b"\n" * ptx.count(b"\n", start, end)]
            at = end
    return b"".join([*parts, ptx[at:]])


def entry_ranges(ptx: bytes) -> Iterator[tuple[str, int, int]]:
    """(name, first byte, end) of every kernel's definition; end -1 where its braces do not close."""
    at = 0
    while match := ENTRY.search(ptx, at):
        end = body_end(ptx, match.end())
        yield match[1].decode("ascii", "replace"), match.start(), end
        if end < 0:
            return
        at = end


def body_end(ptx: bytes, start: int) -> int:
    """Where the next braces that open after ``start`` close; -1 where they do not."""
    depth = 0
    for token in TOKEN.finditer(ptx, start):
        if token[0] == b"{":
            depth += 1
        elif token[0] == b"}":
            depth -= 1
            if depth == 0:
                return token.end()
            if depth < 0:
                return -1
    return -1


LONGEST_S = 300
"""s that the compiler may take for all jobs together."""


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

    def pack(self) -> bytes:
        """The job as the child reads it."""
        options = [f"-arch=sm_{self.sm}{self.feature_suffix}".encode(), b"-lineinfo"]
        options += [b"-maxrregcount=%d" % self.max_registers] if self.max_registers else []
        return jit_link.pack([str(len(options)).encode(), *options, *self.inputs])


def retarget(
    inputs: tuple[bytes, ...], sm: int, *, feature_suffix: str = "", max_registers: int | None = None
) -> bytes:
    """Compile and link PTX (or relocatable cubins) for one architecture; returns the cubin (see :class:`Job`)."""
    result = retarget_all([Job(inputs, sm, feature_suffix, max_registers)])[0]
    if isinstance(result, InputError):
        raise result
    return result


def retarget_all(jobs: Sequence[Job]) -> list[bytes | InputError]:
    """A cubin per job, or why there is none.

    The library runs in a process of its own: damaged PTX can make it abort. One process does all jobs; where one
    aborts it, another goes on with the next.
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
    request = jit_link.pack([library, *(job.pack() for job in jobs)])
    command = [sys.executable, "-I", "-S", jit_link.__file__]
    try:
        done = subprocess.run(  # noqa: S603 - this interpreter, with code of ours
            command, input=request, capture_output=True, check=False, timeout=LONGEST_S
        )
    except subprocess.TimeoutExpired:
        return [InputError(f"the compiler did not finish within {LONGEST_S} s")] * len(jobs)
    answers: list[bytes | InputError] = [
        answer[1:] if answer[:1] == b"0" else InputError(explain_failure(job, answer[1:]))
        for job, answer in zip(jobs, jit_link.unpack(done.stdout), strict=False)
    ]
    if len(answers) < len(jobs):
        answers.append(InputError("the compiler aborted on this code: it is damaged, or nvJitLink has a defect"))
    return answers


def explain_failure(job: Job, words: bytes) -> str:
    """What the compiler says about a job, in one line."""
    return f"sm_{job.sm}{job.feature_suffix}: {one_line(words.decode('utf-8', 'replace'), 300)}"


def ptx_version(ptx: bytes) -> tuple[int, int] | None:
    """The ``.version`` of a PTX text.

    >>> ptx_version(b".version 7.4 .target sm_70")
    (7, 4)
    """
    match = re.search(rb"^\s*\.version\s+(\d+)\.(\d+)", ptx[:65536], re.MULTILINE)
    return (int(match[1]), int(match[2])) if match else None


def ptx_feature_suffix(ptx: bytes) -> str:
    r"""``a`` or ``f`` where a PTX text uses features of one architecture or family only.

    >>> ptx_feature_suffix(b".target sm_90a\n"), ptx_feature_suffix(b".target sm_80\n")
    ('a', '')
    """
    match = re.search(rb"^\s*\.target\s+sm_\d+([af])", ptx[:65536], re.MULTILINE)
    return match[1].decode() if match else ""


def ptx_target(ptx: bytes) -> int:
    r"""The architecture that a PTX text names as ``.target``, 0 where it names none.

    >>> ptx_target(b".version 8.0\n.target sm_90a")
    90
    """
    match = re.search(rb"^\s*\.target\s+sm_(\d+)", ptx[:65536], re.MULTILINE)
    return int(match[1]) if match else 0


@dataclass(frozen=True, slots=True)
class Request:
    """A binary to make from PTX."""

    ptx: tuple[bytes, ...]
    sm: int
    max_registers: int | None = None
    kernels: frozenset[str] | None = None
    """Kernels that are needed (default: all); the others are not compiled."""

    def texts(self) -> tuple[bytes, ...]:
        """The PTX without the kernels that are not needed."""
        return self.ptx if self.kernels is None else tuple(only_kernels(text, self.kernels) for text in self.ptx)

    def job(self) -> Job:
        """What the compiler is to do."""
        suffix = next((s for s in map(ptx_feature_suffix, self.ptx) if s), "")
        native = max(map(ptx_target, self.ptx), default=0)
        if suffix and self.sm != native:
            raise InputError(f"the PTX is for sm_{native}{suffix} only, not for sm_{self.sm}")
        return Job(self.texts(), self.sm, suffix, self.max_registers)

    def key(self) -> str:
        """Name of the result in the cache."""
        return key_of("retarget with lines", str(self.sm), str(self.max_registers), ptxas_version(), *self.texts())


def prepare(requests: Sequence[Request]) -> None:
    """Make several binaries in one go, for :func:`retarget_ptx` to find; what fails there fails again, with reason."""
    wanted: dict[str, Job] = {}
    for request in requests:
        with contextlib.suppress(InputError):
            job, key = request.job(), request.key()
            if key not in wanted and find(key) is None:
                wanted[key] = job
    if wanted:
        for key, result in zip(wanted, retarget_all([*wanted.values()]), strict=True):
            if isinstance(result, bytes):
                JUST_MADE[key] = result
                keep(key, result)


JUST_MADE: dict[str, bytes] = {}
"""What :func:`prepare` made and :func:`retarget_ptx` has not fetched: the cache may not be writable."""


@lru_cache(maxsize=64)
def retarget_ptx(
    ptx: tuple[bytes, ...], sm: int, max_registers: int | None = None, kernels: frozenset[str] | None = None
) -> Cubin:
    """PTX compiled and linked for an architecture, from the cache where that was done before.

    kernels : those that are needed; where compiling them alone fails, the whole PTX is compiled.
    """
    request = Request(ptx, sm, max_registers, kernels)
    job, key = request.job(), request.key()

    def make() -> bytes:
        return retarget(job.inputs, sm, feature_suffix=job.feature_suffix, max_registers=max_registers)

    try:
        content = JUST_MADE.pop(key, None) or cached(key, make)
    except InputError:
        if job.inputs == ptx:
            raise
        return retarget_ptx(ptx, sm, max_registers)
    return dataclasses.replace(parse_cubin(content), ptx=ptx)
