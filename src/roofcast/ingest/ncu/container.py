r"""The container of an Nsight Compute report: blocks, and the results and sources in them.

``NVR\0``, a file header, then blocks: a header (what follows, session, new strings) and a payload of sources (cubins,
source files) and profile results, each message behind its length (little-endian, 32 bits).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from google.protobuf.message import DecodeError

from roofcast.core.errors import InputError
from roofcast.ingest.ncu.ncu_rep_schema import CLASSES

MAGIC = b"NVR\x00"
CHUNK = 2**22
ADVICE = "copy it again from the machine that made it"


class CutOffError(Exception):
    """The stream ended inside a message."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a report."""

    header: Any
    """Parsed BlockHeader (session, counts)."""
    strings: tuple[bytes, ...]
    """Every string that the report has defined so far; metrics name themselves by index into it."""
    sources: tuple[bytes, ...]
    """Raw SourceMessages (each carries a cubin or a source file); empty unless asked for."""
    results: tuple[Any, ...]
    """Parsed ProfileResults."""


def walk_blocks(stream: BinaryIO, *, with_sources: bool = False) -> Iterator[Block]:
    """Blocks of a report in file order; never holds more than one block and never allocates what is not there.

    stream : at the start of the report. with_sources : also keep the source messages, which can be large.

    Raises
    ------
    InputError : the stream is no report, is cut off, damaged, or holds several reports.
    """
    if stream.read(4) != MAGIC:
        raise InputError("not an Nsight Compute report")
    launches = 0
    strings: tuple[bytes, ...] = ()
    try:
        read_message(stream)
        while (length := read_length(stream)) is not None:
            check_joined(length)
            header = CLASSES["BlockHeader"].FromString(read_exactly(stream, length))
            strings += tuple(header.strings.text)
            results: list[Any] = []
            sources: list[bytes] = []
            for raw in read_payload(stream, header, with_sources):
                if raw.is_source:
                    sources.append(raw.content)
                else:
                    results.append(CLASSES["ProfileResult"].FromString(raw.content))
                    launches += 1
            yield Block(header, strings, tuple(sources), tuple(results))
    except CutOffError:
        raise InputError(f"the report is cut off after {count_of(launches)}: {ADVICE}") from None
    except DecodeError:
        raise InputError(f"the report is damaged after {count_of(launches)}: {ADVICE}") from None


def count_of(launches: int) -> str:
    """``no complete launch``, ``1 complete launch``, ``3 complete launches``."""
    return f"{launches or 'no'} complete launch{'es' if launches > 1 else ''}"


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a payload."""

    is_source: bool
    content: bytes


def read_payload(stream: BinaryIO, header: Any, with_sources: bool) -> Iterator[Message]:
    """Messages of the payload behind a block header; sources are skipped unless wanted."""
    left = header.payload_bytes
    for index in range(header.sources + header.results):
        length = read_length(stream)
        if length is None:
            raise CutOffError
        left -= 4 + length
        if left < 0:
            raise DecodeError
        if index >= header.sources:
            yield Message(False, read_exactly(stream, length))
        elif with_sources:
            yield Message(True, read_exactly(stream, length))
        else:
            skip(stream, length)
    skip(stream, left)


def check_joined(length: int) -> None:
    """Refuse a second report behind the first."""
    if struct.pack("<I", length) == MAGIC:
        raise InputError("several reports were joined into one file: give them one by one")


def read_length(stream: BinaryIO) -> int | None:
    """The next length; None at the end of the stream."""
    raw = stream.read(4)
    if not raw:
        return None
    if len(raw) < 4:
        raise CutOffError
    return int.from_bytes(raw, "little")


def read_message(stream: BinaryIO) -> bytes:
    """The next message behind its length."""
    length = read_length(stream)
    if length is None:
        raise CutOffError
    return read_exactly(stream, length)


def read_exactly(stream: BinaryIO, size: int) -> bytes:
    """Exactly so many bytes, in pieces, so that a claimed length allocates nothing that the file does not hold."""
    parts: list[bytes] = []
    while size > 0:
        part = stream.read(min(size, CHUNK))
        if not part:
            raise CutOffError
        parts.append(part)
        size -= len(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def skip(stream: BinaryIO, size: int) -> None:
    """Move over so many bytes, which must be there."""
    if size > 0:
        stream.seek(size - 1, 1)
        if not stream.read(1):
            raise CutOffError
