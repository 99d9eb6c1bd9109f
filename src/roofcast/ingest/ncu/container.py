r"""The container of an Nsight Compute report: blocks, and the messages in them as field numbers.

``NVR\0``, a file header, then blocks: a header (what follows, session, new strings) and a payload of sources (cubins,
source files) and profile results, each message behind its length (little-endian, 32 bits).

NVIDIA documents the container and ships its message definitions with Nsight Compute; only the fields that roofcast
reads are declared here, so that the parser skips everything else (cubins, source text, rule results, host names).
Text is declared as bytes: a report may hold text that is not UTF-8. Instances of a metric stay raw until asked for.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

from google.protobuf.message import DecodeError

from roofcast.core.errors import InputError
from roofcast.core.records import dataclass
from roofcast.kit.protobuf_messages import Messages, build_classes

MESSAGES: Messages = {
    "Value": {
        "text": (1, "bytes"),
        "single": (2, "float"),
        "double": (3, "double"),
        "uint32": (4, "uint32"),
        "uint64": (5, "uint64"),
    },
    "Attribute": {"name": (1, "bytes"), "value": (2, "Value")},
    "Device": {"id": (1, "uint64"), "name": (2, "bytes"), "attribute": (3, "*Attribute")},
    "Version": {"key": (1, "bytes"), "value": (2, "bytes")},
    "Options": {"clock_control": (8, "bytes")},
    # Left out on purpose: 3 and 4 (machines), 5, 7 and 9 (program, folder, arguments) tell about persons.
    "Session": {
        "device": (6, "*Device"),
        "version": (8, "*Version"),
        "options": (10, "Options"),
        "command": (11, "bytes"),
    },
    "StringTable": {"text": (1, "*bytes")},
    "BlockHeader": {
        "sources": (1, "uint64"),
        "results": (2, "uint64"),
        "session": (3, "Session"),
        "strings": (4, "StringTable"),
        "payload_bytes": (5, "uint64"),
    },
    "Size": {"x": (1, "uint64"), "y": (2, "uint64"), "z": (3, "uint64")},
    "Metric": {"name": (1, "uint64"), "value": (2, "Value"), "instance": (3, "*bytes")},
    "Instance": {"correlation": (1, "Value"), "value": (2, "Value")},
    "ProfileResult": {
        "mangled": (5, "bytes"),
        "function": (6, "bytes"),
        "demangled": (7, "bytes"),
        "grid": (10, "Size"),
        "block": (11, "Size"),
        "metric": (13, "*Metric"),
        "context": (22, "uint64"),
        "stream": (23, "uint64"),
    },
    "Symbol": {"name": (1, "bytes"), "address": (2, "uint64")},
    "SymbolTable": {"function": (1, "*Symbol")},
    "Source": {"module": (1, "uint64"), "cubin": (4, "bytes"), "loaded": (9, "SymbolTable")},
}
ONEOF = {"Value": "kind"}
"""Messages of which exactly one field is set, and the name under which to ask which."""

PACKAGE = "roofcast.ncu_rep"


CLASSES = build_classes(PACKAGE, MESSAGES, ONEOF)


MAGIC = b"NVR\x00"
CHUNK = 2**22
"""B that are read at once, so that a size which a damaged report claims takes no memory."""
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
    """
    if stream.read(4) != MAGIC:
        raise InputError("not an Nsight Compute report")
    launches = 0
    strings: tuple[bytes, ...] = ()
    try:
        read_message(stream)
        while (length := read_length(stream)) is not None:
            # Refuse a second report behind the first.
            if struct.pack("<I", length) == MAGIC:
                raise InputError("several reports were joined into one file: give them one by one")
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
