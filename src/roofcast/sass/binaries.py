"""Getting code out of any file: cubins, fat binaries, executables and libraries, PTX, profiler reports, CUDA source."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from roofcast.core.errors import InputError, MissingExtraError, one_line, why_not
from roofcast.sass.cache import cached, find, keep, key_of
from roofcast.sass.cubin import Cubin, parse_cubin
from roofcast.sass.elf import MACHINE_CUDA, MAGIC, parse_elf
from roofcast.sass.fatbin import MAGIC_BYTES, entries_of
from roofcast.sass.ptx_text import only_kernels
from roofcast.sass.retarget import (
    Job,
    ptx_feature_suffix,
    ptx_target,
    ptx_version,
    ptxas_version,
    retarget,
    retarget_all,
)

MAX_FILE_BYTES = 2**31
REPORT_MAGIC = b"NVR\0"
FATBIN_SECTIONS = (".nv_fatbin", "__nv_relfatbin")


@dataclass(frozen=True, slots=True)
class Binary:
    """Code for one architecture, or PTX for any."""

    sm: int
    """0 for PTX."""
    data: bytes
    is_ptx: bool = False


def read_bytes(path: str | Path) -> bytes:
    """A whole file (gzip and zstd expanded).

    Raises
    ------
    InputError : missing, empty, or larger than 2 GiB.
    """
    from roofcast.ingest.readers import decompressed, open_input

    shown = one_line(str(path))
    try:
        with open_input(path) as raw, decompressed(raw) as stream:
            data = stream.read(MAX_FILE_BYTES + 1)
    except (OSError, EOFError) as error:
        raise InputError(f"{shown}: cannot be read: {why_not(error)}") from error
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"{shown}: larger than 2 GiB; extract the cubin with cuobjdump -xelf all")
    if not data:
        raise InputError(f"{shown}: the file is empty")
    return data


def binaries_in(data: bytes, name: str) -> tuple[Binary, ...]:
    """Every piece of GPU code in a file.

    Raises
    ------
    InputError : nothing that roofcast knows is in it; the message says what the file is instead.
    """
    shown = one_line(name)
    if data[:4] == MAGIC:
        try:
            elf = parse_elf(data)
        except InputError as error:
            raise InputError(f"{shown}: {error}") from None
        if elf.machine == MACHINE_CUDA:
            return (Binary(0, data),)
        held = b"".join(elf.content(s) for s in elf.sections if s.name in FATBIN_SECTIONS)
        found = fatbin_members(held, shown)
        if not found:
            raise InputError(f"{shown}: an executable without embedded GPU code (no .nv_fatbin)")
        return found
    if is_ptx(data):
        return (Binary(0, data, is_ptx=True),)
    if MAGIC_BYTES in (data if data[:2] == b"MZ" else data[:64]):
        found = fatbin_members(data, shown)
        if found:
            return found
        raise InputError(f"{shown}: a fat binary without readable members")
    if name.endswith(".cu"):
        from roofcast.sass.compilation import compile_to_ptx

        return (Binary(0, compile_to_ptx(data, name), is_ptx=True),)
    raise InputError(f"{shown}: no GPU code: give a cubin, fatbin, executable, PTX, .cu or .ncu-rep file")


def fatbin_members(data: bytes, shown: str) -> tuple[Binary, ...]:
    """Members of the fat binaries in a file."""
    try:
        return tuple(Binary(0 if e.is_ptx else e.sm, e.data, e.is_ptx) for e in entries_of(data))
    except InputError as error:
        raise InputError(f"{shown}: {error}") from None


def is_ptx(data: bytes) -> bool:
    """Whether a file is PTX text."""
    return b"\0" not in data[:4096].rstrip(b"\0") and ptx_version(data) is not None and b".target" in data[:65536]


def cubin_for(data: bytes, name: str, sm: int) -> tuple[Cubin, str]:
    """Code for one architecture out of a file, and how it came about.

    A cubin of that architecture is taken as it is, else one that runs on it (same generation), else PTX is retargeted.

    Raises
    ------
    InputError : no code for that architecture and no PTX.
    MissingExtraError : PTX, but no compiler to retarget it.
    """
    found = binaries_in(data, name)
    cubins = []
    problem = ""
    for binary in found:
        if not binary.is_ptx:
            try:
                cubins.append(parse_cubin(binary.data))
            except InputError as error:
                problem = str(error)
    exact = next((c for c in cubins if c.sm == sm), None)
    if exact is not None:
        return exact, f"cubin for sm_{sm}"
    texts = [(b.data,) for b in found if b.is_ptx] + [c.ptx for c in cubins if c.ptx]
    if texts:
        try:
            return retargeted(texts[-1], sm), f"PTX retargeted to sm_{sm} with {ptxas_version()}"
        except MissingExtraError:
            if not cubins:
                raise
    near = [c for c in cubins if c.sm // 10 == sm // 10 and c.sm <= sm]
    if near:
        best = max(near, key=lambda c: c.sm)
        return best, f"cubin for sm_{best.sm}, which runs on sm_{sm}"
    if cubins:
        have = ", ".join(f"sm_{s}" for s in sorted({c.sm for c in cubins}))
        raise InputError(
            f"{one_line(name)}: code for {have} only and no PTX to retarget to sm_{sm}: compile with -lineinfo or "
            "embed PTX (-gencode arch=...,code=compute_...)"
        )
    raise InputError(f"{one_line(name)}: {problem or 'no readable code'}")


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
        """What the compiler is to do.

        Raises
        ------
        InputError : the PTX is for one other architecture only.
        """
        suffix = next((s for s in map(ptx_feature_suffix, self.ptx) if s), "")
        native = max(map(ptx_target, self.ptx), default=0)
        if suffix and self.sm != native:
            raise InputError(f"the PTX is for sm_{native}{suffix} only, not for sm_{self.sm}")
        return Job(self.texts(), self.sm, suffix, self.max_registers)

    def key(self) -> str:
        """Name of the result in the cache."""
        return key_of("retarget with lines", str(self.sm), str(self.max_registers), ptxas_version(), *self.texts())


def prepare(requests: Sequence[Request]) -> None:
    """Make several binaries in one go, for :func:`retargeted` to find; what fails there fails again, with its reason.

    Raises
    ------
    MissingExtraError : there is no compiler.
    """
    wanted: dict[str, Job] = {}
    for request in requests:
        with contextlib.suppress(InputError):
            job, key = request.job(), request.key()
            if key not in wanted and find(key) is None:
                wanted[key] = job
    if wanted:
        for key, made in zip(wanted, retarget_all([*wanted.values()]), strict=True):
            if isinstance(made, bytes):
                JUST_MADE[key] = made
                keep(key, made)


JUST_MADE: dict[str, bytes] = {}
"""What :func:`prepare` made and :func:`retargeted` has not fetched: the cache may not be writable."""


@lru_cache(maxsize=64)
def retargeted(
    ptx: tuple[bytes, ...], sm: int, max_registers: int | None = None, kernels: frozenset[str] | None = None
) -> Cubin:
    """PTX compiled and linked for an architecture, from the cache where that was done before.

    kernels : those that are needed; where compiling them alone fails, the whole PTX is compiled.

    Raises
    ------
    InputError : the compiler refuses it. MissingExtraError : there is no compiler.
    """
    request = Request(ptx, sm, max_registers, kernels)
    job, key = request.job(), request.key()

    def make() -> bytes:
        return retarget(job.inputs, sm, feature_suffix=job.feature_suffix, max_registers=max_registers)

    try:
        made = JUST_MADE.pop(key, None) or cached(key, make)
    except InputError:
        if job.inputs == ptx:
            raise
        return retargeted(ptx, sm, max_registers)
    return dataclasses.replace(parse_cubin(made), ptx=ptx)
