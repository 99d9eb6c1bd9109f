"""Files and folders as input: the profiles in a folder, one inside a ZIP archive, how far a file was read."""

from __future__ import annotations

import gzip
import io
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from roofcast.core.errors import InputError, one_line

if TYPE_CHECKING:
    import zipfile

    from _typeshed import WriteableBuffer

MOST_FILES = 50_000
"""Files in a folder beyond which it is surely not one of profiles (a home folder, a file system)."""
COUNTERS = re.compile(r"(?:^|[_-])pmc_perf\.csv(?:\.gz)?$|counter_collection\.csv(?:\.gz)?$")
OF_PASSES = "*counter_collection.csv"
COMPANY_OF_COUNTERS = re.compile(
    r"^(?:sysinfo|timestamps|roofline|pmc_perf_\d+|pmc_dispatch_info|SQ_\w+|SQC_\w+)\.csv$|"
    r"(?:kernel_trace|agent_info|domain_stats|kernel_stats)\.csv(?:\.gz)?$"
)
"""Other files of the same run: they name the same launches once more, or describe the machine."""

FOREIGN = ("[content_types].xml", "data.pkl", "mimetype", "meta-inf/manifest.mf")
"""Members of archives that are documents, models or programs."""

STEP_BYTES = 1 << 20
"""B that are read at once, and between two reports of progress."""
Reached = Callable[[float], None]
"""Called with the share that is done, in [0, 1]."""


def is_folder(path: str | Path) -> bool:
    """Whether an input is a folder."""
    return str(path) != "-" and Path(path).is_dir()


def files_in(folder: str | Path) -> list[Path]:
    """The files of a folder and its subfolders that may be profiles, sorted by path.

    Hidden files and folders are left out, links to folders not followed. In a folder with counters of an AMD profiler
    the rest of that run, its raw files below included, is read with them, not beside them.
    """
    listed = sorted(walk(Path(folder)))
    counted = {path.parent for path in listed if COUNTERS.search(path.name)}
    whole = {path.parent for path in listed if path.name.startswith("pmc_perf.csv")}
    first = {place.parent for p in listed if (place := pass_of(p)) is not None and place.name == "pass_1"}
    profiles = [
        p
        for p in listed
        if not (p.parent in counted and COMPANY_OF_COUNTERS.search(p.name))
        and whole.isdisjoint(p.parents[1:])
        and not is_later_pass(p, first)
    ]
    if not profiles:
        raise InputError(f"{one_line(str(folder))}: an empty folder: give one with profiles in it")
    return profiles


def is_later_pass(path: Path, first: set[Path]) -> bool:
    """Whether a counter file is of a later pass of rocprofv3, which is read with the first.

    first : the folders in which a first pass lies.
    """
    place = pass_of(path)
    return place is not None and place.name != "pass_1" and place.parent in first


def pass_of(path: Path) -> Path | None:
    """The folder of the pass that a counter file of rocprofv3 lies in; None where it lies in none."""
    if not path.name.endswith("counter_collection.csv"):
        return None
    return next((p for p in list(path.parents)[:2] if re.fullmatch(r"pass_\d+", p.name)), None)


def walk(folder: Path) -> Iterator[Path]:
    """All files that are not hidden."""
    count = 0
    for at, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if not f.startswith(".")]
        for name in files:
            if name.startswith("."):
                continue
            count += 1
            if count > MOST_FILES:
                raise InputError(
                    f"{one_line(str(folder))}: a folder of over {MOST_FILES:,} files: give the one with profiles"
                )
            path = Path(at) / name
            if is_regular(path):
                yield path


def is_regular(path: Path) -> bool:
    """Whether a path is a file that could be opened: pipes and devices are not."""
    try:
        return path.is_file()
    except OSError:
        return False


MOST_UNPACKED_BYTES = 4 << 30
"""Decompressed bytes of one file that are looked at: a few kilobytes can hold terabytes."""
PLAUSIBLE_BYTES = 1 << 28
"""Decompressed bytes that even the smallest file may hold."""
MOST_TIMES = 250
"""Decompressed bytes over compressed ones: traces and tables shrink to a tenth, the most regular to a hundredth."""
FREE_BYTES = 1 << 30
"""Room that a stream leaves in the folder of temporary files."""
LOOK_BYTES = 1 << 26
"""After how many bytes the room is looked at again."""


def refuse_unpacked(raw: BinaryIO) -> InputError:
    """What is said of a compressed file that holds more."""
    name = getattr(raw, "name", None)
    file = one_line(Path(name).name) if isinstance(name, str) else "the input"
    most = unpacked_most(raw)
    if most >= MOST_UNPACKED_BYTES:
        much = f"{most / 2**30:g} GiB"
    else:
        much = f"{most >> 20} MiB, far more than a profile of its size would,"
    return InputError(f"{file}: holds more than {much} when decompressed: decompress it first")


def unpacked_most(raw: BinaryIO) -> int:
    """Bytes that a compressed stream may hold; it stays where it is."""
    if raw.closed or not raw.seekable():
        return MOST_UNPACKED_BYTES
    at = raw.tell()
    size = raw.seek(0, io.SEEK_END)
    raw.seek(at)
    return min(MOST_UNPACKED_BYTES, max(PLAUSIBLE_BYTES, MOST_TIMES * size))


class Unpacked(io.RawIOBase):
    """What a compressed file holds, up to a budget; damage shows as an error of reading, as in any other file."""

    def __init__(self, inner: zipfile.ZipExtFile | gzip.GzipFile, raw: BinaryIO) -> None:
        super().__init__()
        self.inner, self.raw = inner, raw
        self.at = 0
        self.most = unpacked_most(raw)

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always: going back decompresses again."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """See :class:`io.RawIOBase`."""
        import zipfile

        room = memoryview(buffer).cast("B")
        try:
            # In single steps: what comes before damage is not lost.
            data = self.inner.read1(len(room))
        except zipfile.BadZipFile as error:
            raise OSError(f"the ZIP archive is damaged ({error})") from error
        self.at += len(data)
        if self.at > self.most:
            raise refuse_unpacked(self.raw)
        room[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """See :class:`io.RawIOBase`."""
        if whence == io.SEEK_END:
            while self.read(STEP_BYTES):
                pass
        start = 0 if whence == io.SEEK_SET else self.at
        if start + offset > self.most:
            raise refuse_unpacked(self.raw)
        self.at = self.inner.seek(start + offset)
        return self.at

    def tell(self) -> int:
        """See :class:`io.RawIOBase`."""
        return self.at

    def close(self) -> None:
        """End the decompression; the compressed stream stays open."""
        self.inner.close()
        super().close()


def unpack(inner: zipfile.ZipExtFile | gzip.GzipFile, raw: BinaryIO) -> BinaryIO:
    """A stream of what a compressed file holds."""
    return cast("BinaryIO", io.BufferedReader(Unpacked(inner, raw), 1 << 18))


class Spool:
    """Takes what is decompressed or piped in one go, up to the budget, and leaves room in the temporary folder.

    raw : the compressed file; None for a pipe.
    """

    def __init__(self, out: BinaryIO, raw: BinaryIO | None) -> None:
        self.out, self.raw, self.taken = out, raw, 0
        self.most = MOST_UNPACKED_BYTES if raw is None else unpacked_most(raw)

    def write(self, data: bytes) -> int:
        """Write a part."""
        if self.taken // LOOK_BYTES != (self.taken + len(data)) // LOOK_BYTES:
            import tempfile

            folder = tempfile.gettempdir()
            if shutil.disk_usage(folder).free < FREE_BYTES:
                raise InputError(f"the input is too large for {one_line(folder, 80)}: set TMPDIR to a larger folder")
        self.taken += len(data)
        if self.taken > self.most:
            if self.raw is None:
                gib = self.most / 2**30
                raise InputError(f"standard input or a pipe gave more than {gib:g} GiB: give the file itself")
            raise refuse_unpacked(self.raw)
        return self.out.write(data)


def only_member(raw: BinaryIO) -> BinaryIO | None:
    """The one file in an archive, decompressed on the way; None where there is not just one, or it cannot be read."""
    import zipfile

    try:
        archive = zipfile.ZipFile(raw)
        files = [m for m in archive.infolist() if not m.is_dir() and not m.filename.startswith("__MACOSX/")]
        single = len(files) == 1 and files[0].filename.lower() not in FOREIGN
        if not single or files[0].filename.lower().endswith((".pkl", ".npy")):
            raw.seek(0)
            return None
        inner = cast("zipfile.ZipExtFile", archive.open(files[0]))
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError, ValueError):
        raw.seek(0)
        return None
    return unpack(inner, raw)


class WatchedFile(io.BufferedReader):
    """A buffered file that tells a function how far it was read."""

    def __init__(self, raw: io.RawIOBase, size: int, reached: Reached) -> None:
        super().__init__(raw, 1 << 18)
        self.size = max(size, 1)
        self.reached = reached
        self.told = 0

    def tell_progress(self) -> None:
        """Say it, unless hardly anything changed."""
        at = self.tell()
        if abs(at - self.told) >= STEP_BYTES:
            self.told = at
            self.reached(min(at / self.size, 1.0))

    def read(self, size: int | None = -1, /) -> bytes:
        """See :class:`io.BufferedReader`."""
        content = super().read(size)
        self.tell_progress()
        return content

    def read1(self, size: int = -1, /) -> bytes:
        """See :class:`io.BufferedReader`."""
        content = super().read1(size)
        self.tell_progress()
        return content


def watched(raw: BinaryIO, size: int, reached: Reached) -> BinaryIO:
    """The same file with its progress told; streams that are no files stay as they are."""
    if isinstance(raw, io.BufferedReader) and not isinstance(raw, WatchedFile):
        raw.seek(0)
        return cast("BinaryIO", WatchedFile(cast("io.RawIOBase", raw.raw), size, reached))
    return raw


def watch_file(file: str | Path, reached: Reached) -> Callable[[BinaryIO], BinaryIO]:
    """What tells how far a file was read."""
    size = Path(file).stat().st_size
    return lambda raw: watched(raw, size, reached)


def progress_of(stream: object) -> Reached | None:
    """What to tell about a stream that is not read byte by byte (a database); None where nobody watches."""
    return stream.reached if isinstance(stream, WatchedFile) else None


def read_at_most(stream: BinaryIO, most: int) -> bytes:
    """The rest of a stream: at most so many bytes, and one more where there were more.

    In steps, because ``stream.read(n)`` takes the memory of n bytes before it knows how many there are.
    """
    parts: list[bytes] = []
    left = most + 1
    while left and (part := stream.read(min(left, STEP_BYTES))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)
