"""The registry of file formats, and how a file finds its reader."""

from __future__ import annotations

import dataclasses
import gzip
import importlib
import io
import os
import shutil
import stat
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import BinaryIO, Protocol, cast

import numpy as np

from roofcast.core.absent import quietly
from roofcast.core.columns import ALL_NUMERIC, Origin
from roofcast.core.errors import InputError, UnknownFormatError, one_line, why_not
from roofcast.core.extras import load_zstd
from roofcast.core.joined_parts import list_further_readers
from roofcast.core.kernel_table import KernelTable, as_text
from roofcast.core.records import dataclass
from roofcast.ingest.common_clock import with_common_clock
from roofcast.ingest.text.files import Spool, only_member, unpack

HEAD_BYTES = 65536
"""B at the start of a file by which the readers recognise their format."""


Watch = Callable[[BinaryIO], BinaryIO]
SIZES: ContextVar[Mapping[str, int]] = ContextVar("sizes", default=MappingProxyType({}))
"""Numbers that source code does not say, or is to have instead, while files are read (:func:`at_code_sizes`)."""


@contextmanager
def at_code_sizes(sizes: Mapping[str, int]) -> Iterator[None]:
    """Read source code at these sizes; other formats have their own."""
    before = SIZES.set(sizes)
    try:
        yield
    finally:
        SIZES.reset(before)


class ReaderModule(Protocol):
    """What the module of a format provides."""

    def recognises(self, head: bytes, name: str) -> bool:
        """Whether the first bytes (decompressed) are of this format. Cheap, never raises."""
        ...

    def read(self, stream: BinaryIO, name: str) -> KernelTable:
        """All launches in file order. Raises InputError in one line for anything that is not this format."""
        ...


@dataclass(frozen=True, slots=True)
class Reader:
    """One file format."""

    module: str
    title: str
    part: str = ""
    """Name in the module of what reads the format, where that is not the module itself."""
    begins: bytes = b""
    """What every file of the format begins with, as far as that is one text: others need not import the module."""

    def load(self) -> ReaderModule:
        """Import the format's module (readers are imported only when a file needs them)."""
        module = importlib.import_module(self.module)
        return cast("ReaderModule", getattr(module, self.part) if self.part else module)


SQLITE = b"SQLite format 3\0"
"""What every database of SQLite begins with."""
# In the order in which files are tried: formats with a magic number first, tables last.
READERS: dict[str, Reader] = {
    "ncu-rep": Reader("roofcast.ingest.ncu.report", "Nsight Compute report (.ncu-rep, .ncu-repz)", begins=b"NVR\0"),
    "rocpd": Reader("roofcast.ingest.amd.rocpd", "rocprofv3 or RPD database (SQLite)", begins=SQLITE),
    "nsys-sqlite": Reader(
        "roofcast.ingest.traces.nsys", "Nsight Systems export or nvprof capture (SQLite)", begins=SQLITE
    ),
    "kineto": Reader("roofcast.ingest.traces.kineto", "PyTorch profiler (Kineto) trace (JSON)"),
    "rocprof-compute": Reader("roofcast.ingest.amd.counters", "rocprof-compute or rocprofv2 counters (CSV)", "compute"),
    "rocprof-results": Reader("roofcast.ingest.amd.counters", "rocprof counters (CSV)", "results"),
    "rocprof-counters": Reader("roofcast.ingest.amd.counters", "rocprofv3 counter collection (CSV)"),
    "ncu-csv": Reader("roofcast.ingest.ncu.csv", "Nsight Compute CSV (--page raw or details, long or wide)"),
    "ncu-text": Reader("roofcast.ingest.ncu.text", "Nsight Compute console text"),
    "nsys-stats": Reader("roofcast.ingest.traces.nsys_stats", "nsys stats or rocprof summary (CSV)"),
    "rocprof-trace": Reader("roofcast.ingest.amd.rocprof_trace", "rocprofv3, rocprof or rocprof-compute trace (CSV)"),
    "nvprof-csv": Reader(
        "roofcast.ingest.nvprof.csv", "nvprof output (CSV or console text: metrics, events, GPU trace, summary)"
    ),
    "nccl-tests": Reader("roofcast.ingest.tables.nccl_tests", "nccl-tests or rccl-tests console text"),
    "llm-operators": Reader(
        "roofcast.ingest.tables.llm_operators", "operators of language models (AIConfigurator's CSV)"
    ),
    "table": Reader("roofcast.ingest.tables.launch_table", "kernel table (CSV or Parquet, one row per launch)"),
}


def list_readers() -> dict[str, Reader]:
    """All formats: those of profiles, and what installed parts read."""
    return READERS | {key: Reader(module, title) for key, (module, title) in list_further_readers().items()}


TEXTS, TIMED = ("ncu-text", "nccl-tests"), ("ncu-rep", "rocpd", "nsys-sqlite", "kineto")
"""Formats without rows of cells; those of :data:`TIMED` say themselves where a file ends early."""
CUT = "the file ends in the middle of a row: copy it again from where it was made; its last launch may lack counters"
AFTER_NOISE = ("ncu-csv", "ncu-text", "nvprof-csv")
"""Formats that share a stream with the output of the profiled program."""


def read_file(path: str | Path, input_format: str | None = None, watch: Watch | None = None) -> KernelTable:
    """Read one file (``-``: standard input); ``watch`` may wrap the raw stream, to show progress."""
    name = name_of(path)
    with opened(path, watch) as (stream, content):
        key, table = read_stream(stream, name, input_format)
        if str(path) != "-" and (company := getattr(list_readers()[key].load(), "with_company", None)) is not None:
            table = company(table, Path(path))
    where = "" if str(path) == "-" else str(path)
    provenance = tuple(
        dataclasses.replace(p, file=name, format=key, sha256=content, path=where) for p in table.provenance
    )
    return dataclasses.replace(from_file(with_common_clock(table), name), provenance=provenance)


def name_of(path: str | Path) -> str:
    """What messages and provenance call a file."""
    return "standard input" if str(path) == "-" else Path(path).name


@contextmanager
def opened(path: str | Path, watch: Watch | None = None) -> Iterator[tuple[BinaryIO, str | FileHash]]:
    """The decompressed content of a file (``-``: standard input), and its hash; what fails is an InputError."""
    try:
        with open_input(path) as raw:
            content = hash_content(raw)
            with decompressed(watch(raw) if watch else raw) as stream:
                yield stream, content
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{one_line(name_of(path))}: cannot be read: {why_not(error)}") from error


def read_stream(stream: BinaryIO, name: str, input_format: str | None = None) -> tuple[str, KernelTable]:
    """Key of the reader, and all rows of an open, seekable stream."""
    key, module = find_reader(stream, name, input_format)
    # Of damaged counters, sums and products overflow: the table takes infinite values as absent, with a flag.
    sized = getattr(module, "read_at_sizes", None) if SIZES.get() else None
    with quietly(overflow=True):
        content = module.read(stream, name) if sized is None else sized(stream, name, SIZES.get())
        table = with_whole_shares(with_timer(content, key))
    if key in (*TEXTS, *TIMED):
        return key, table
    from roofcast.ingest.text.lines import is_cut

    if is_cut(stream):
        cut_short = tuple(dataclasses.replace(p, notes=(*p.notes, CUT)) for p in table.provenance)
        table = dataclasses.replace(table, provenance=cut_short)
    return key, table


def with_timer(kernels: KernelTable, key: str) -> KernelTable:
    """The table with who timed each launch: the device, where a profiler or a trace wrote the file.

    A table of measurements may say it in its column ``timer``; rows that hold counters were profiled.
    """
    given = kernels.strings("timer")
    profiled = np.full(len(kernels), key != "table")
    for counter in ("insts_executed", "insts_thread", "ipc_active"):
        profiled |= np.isfinite(kernels.column(counter))
    timer = np.where((given == "") & profiled, "device", given)
    return dataclasses.replace(kernels, text={**kernels.text, "timer": as_text(timer.tolist())})


SHARES = tuple(name for name in ALL_NUMERIC if name.endswith("_fraction"))
PASSES_APART = 5e-4
"""By how much a share is above 1 by more than rounding."""


def with_whole_shares(kernels: KernelTable) -> KernelTable:
    """The table with no share above 1: a profiler counts hits and requests, warps and cycles in passes of their own,
    between which they differ, and its ratio is above 1 then. Such a cell is 1, derived, and its row says what was
    counted.
    """
    changed, flags = {}, list(kernels.flags)
    for name in SHARES:
        values = kernels.numeric.get(name)
        if values is None or not (above := values > 1.0).any():
            continue
        origin, apart = kernels.origin_of(name).copy(), np.flatnonzero(values > 1.0 + PASSES_APART)
        what = name.replace("_hit_fraction", "_hit_rate").replace("sm_", "SM_").removesuffix("_fraction")
        what = f"{what[0].upper()}{what[1:]}".replace("_", " ")
        for row in apart.tolist():
            counted = f"{what} of {values[row]:.4g} counted in passes that differ"
            flags[row] = (*flags[row], f"{counted}: taken as 1")
        origin[apart] = int(Origin.DERIVED)
        changed[name] = (np.where(above, 1.0, values), origin)
    return dataclasses.replace(kernels.with_columns(**changed), flags=tuple(flags)) if changed else kernels


def from_file(table: KernelTable, name: str) -> KernelTable:
    """The table with the file name in every row that does not name one (tables of measurements may)."""
    named = table.strings("source_file")
    return dataclasses.replace(table, text={**table.text, "source_file": np.where(named == "", name, named)})


def number_files(tables: Sequence[KernelTable]) -> list[KernelTable]:
    """Tables of equally named files told apart: the second ``run.csv`` becomes ``run.csv (2)``."""
    seen: dict[str, int] = {}
    result = []
    for table in tables:
        name = table.provenance[0].file if table.provenance else ""
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 1:
            rows = [f"{n} ({seen[name]})" if n == name else n for n in table.strings("source_file")]
            table = dataclasses.replace(table, text={**table.text, "source_file": as_text(rows)})  # noqa: PLW2901
        result.append(table)
    return result


def find_reader(stream: BinaryIO, name: str, input_format: str | None = None) -> tuple[str, ReaderModule]:
    """Key and module of the reader for an open, seekable stream, which is left at its start."""
    from roofcast.ingest.refused import describe_refusal

    head = stream.read(HEAD_BYTES)
    stream.seek(0)
    file = one_line(name)
    readers = list_readers()
    if input_format is not None and input_format not in readers:
        raise InputError(f"unknown input format {one_line(input_format, 40)!r}: use one of {', '.join(readers)}")
    if not head.strip():
        raise InputError(f"{file}: the file is empty")
    if input_format is not None:
        return input_format, readers[input_format].load()
    if (further := recognise(head, name, list_further_readers())) is not None:
        return further
    refusal = describe_refusal(head, name)
    reader = None if refusal else recognise(head, name)
    if reader is None or reader[0] == "table":
        reader = recognise_behind_noise(stream, head, name) or reader
    if reader is not None:
        return reader
    if refusal:
        raise UnknownFormatError(f"{file}: {refusal}")
    titles = "; ".join(r.title for r in READERS.values())
    raise UnknownFormatError(f"{file}: not a format that roofcast reads ({titles})")


def recognise(head: bytes, name: str, keys: Iterable[str] = READERS) -> tuple[str, ReaderModule] | None:
    """Key and module of the first reader that recognises the first bytes of a file; None where none does."""
    readers = list_readers()
    for key in keys:
        if head.startswith(readers[key].begins) and (module := readers[key].load()).recognises(head, name):
            return key, module
    return None


def recognise_behind_noise(stream: BinaryIO, head: bytes, name: str) -> tuple[str, ReaderModule] | None:
    """The same of a long text in which the profiled program spoke first, searched at its first 16 MB."""
    from roofcast.ingest.text.decoding import is_text
    from roofcast.ingest.text.lines import late_heads

    if len(head) < HEAD_BYTES or not is_text(head):
        return None
    try:
        return next((reader for later in late_heads(stream) if (reader := recognise(later, name, AFTER_NOISE))), None)
    finally:
        stream.seek(0)


def hash_content(raw: BinaryIO) -> str | FileHash:
    """SHA-256 of an opened stream, which is left at its start; of a file, what computes it when called."""
    # A pipe has a name too, but can be read only once.
    if isinstance(raw, io.BufferedReader):
        status = os.fstat(raw.fileno())
        if stat.S_ISREG(status.st_mode):
            return FileHash(str(Path(raw.name).absolute()), version_of(status))
    # SHA-256 of a seekable stream, which is left at its start.
    import hashlib

    digest = hashlib.sha256()
    while block := raw.read(2**20):
        digest.update(block)
    raw.seek(0)
    return digest.hexdigest()


def version_of(status: os.stat_result) -> tuple[int, ...]:
    """What changes with a file's content."""
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


@dataclass(frozen=True)
class FileHash:
    """SHA-256 of a file, where it is still what it was."""

    path: str = field(repr=False)
    version: tuple[int, ...]

    def __call__(self) -> str:
        """The hash in hexadecimal digits; '' where the file changed or went away."""
        # Deferred: it loads OpenSSL, and most runs ask for no hash.
        import hashlib

        try:
            with Path(self.path).open("rb") as raw:
                digest = hashlib.file_digest(raw, "sha256").hexdigest()
                return digest if version_of(os.fstat(raw.fileno())) == self.version else ""
        except OSError:
            return ""


def open_input(path: str | Path) -> BinaryIO:
    """A seekable binary stream of a file, or of standard input, a pipe or a device (see :func:`spool_pipe`)."""
    if str(path) == "-":
        return spool_pipe(sys.stdin.buffer, name_of(path))
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{one_line(str(path))}: is a folder; give the files in it")
    if file.is_file() or not file.exists():
        return file.open("rb")
    with file.open("rb") as pipe:
        return spool_pipe(pipe, name_of(path))


PROBE_BYTES = 1 << 25
"""Bytes of a pipe after which its format must show: more than any reader looks at to recognise its own."""
PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"PK\x03\x04")


def spool_pipe(pipe: BinaryIO, name: str) -> BinaryIO:
    """A seekable stream of what cannot be read twice: memory stays bounded, and what no reader knows ends early."""
    import tempfile

    spool = cast("BinaryIO", tempfile.SpooledTemporaryFile(max_size=PROBE_BYTES))  # noqa: SIM115 - the caller closes it
    taking, probed = Spool(spool, None), False
    try:
        while block := pipe.read(2**20):
            taking.write(block)
            if not probed and taking.taken >= PROBE_BYTES:
                probed = True
                probe_format(spool, name)
                spool.seek(0, io.SEEK_END)
    except BaseException:
        spool.close()
        raise
    spool.seek(0)
    return spool


def probe_format(spool: BinaryIO, name: str) -> None:
    """Refuse the beginning of a pipe that no reader will know; of compressed content, what its first bytes hold."""
    spool.seek(0)
    magic = spool.read(4)
    spool.seek(0)
    if magic == b"PK\x03\x04":
        return  # An archive lists its files at its end.
    if not magic.startswith(PACKED):
        find_reader(spool, name)
        return
    # Noise begins like gzip once in 65,536 times.
    content = load_zstd().ZstdFile(spool) if magic == PACKED[1] else gzip.GzipFile(fileobj=spool, mode="rb")
    try:
        head = content.read(HEAD_BYTES)
    except load_zstd().ZstdError as error:
        raise InputError(f"zstd content is damaged: {error}") from error
    except EOFError:
        return
    if len(head) == HEAD_BYTES:
        find_reader(io.BytesIO(head), name)


def decompressed(raw: BinaryIO) -> BinaryIO:
    """The stream itself, or its content where it is gzip, zstd or a ZIP of one file (told by content, not by name)."""
    magic = raw.read(4)
    raw.seek(0)
    if magic[:2] == b"\x1f\x8b":
        return unpack(gzip.GzipFile(fileobj=raw, mode="rb"), raw)
    if magic == b"\x28\xb5\x2f\xfd":
        return zstd_stream(raw)
    if magic == b"PK\x03\x04":
        return only_member(raw) or raw
    return raw


def zstd_stream(raw: BinaryIO) -> BinaryIO:
    """A seekable stream of zstd content, spooled because readers seek."""
    import tempfile

    zstd = load_zstd()
    spool = tempfile.SpooledTemporaryFile(max_size=2**27)  # noqa: SIM115 - the caller closes it
    try:
        with zstd.ZstdFile(raw) as content:
            shutil.copyfileobj(content, Spool(cast("BinaryIO", spool), raw), HEAD_BYTES)
    except EOFError:
        spool.close()
        raise
    except zstd.ZstdError as error:
        spool.close()
        raise InputError(f"zstd content is damaged: {error}") from error
    except BaseException:
        spool.close()
        raise
    spool.seek(0)
    return cast("BinaryIO", spool)
