"""Fat binaries: cubins and PTX for several architectures in one container, as nvcc puts them into executables.

Container: magic 0xBA55ED50, version, header size, payload size. Entry header: kind (1 PTX, 2 cubin), header size,
payload size, size when compressed, architecture, flags, size when expanded. Flags 0x2000: LZ4 block, 0x8000: zstd.
Field offsets established on files made by several toolkits; see tests/sass/test_fatbin.py.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from roofcast.core.errors import InputError

MAGIC = 0xBA55ED50
MAGIC_BYTES = struct.pack("<I", MAGIC)
KIND_PTX, KIND_CUBIN = 1, 2
FLAG_LZ4, FLAG_ZSTD = 0x2000, 0x8000
ENTRY_FIXED = 64
MAX_EXPANDED = 2**28
MAX_ENTRIES = 4096


@dataclass(frozen=True, slots=True)
class Entry:
    """One member of a fat binary."""

    is_ptx: bool
    sm: int
    data: bytes


def entries_of(data: bytes, start: int = 0) -> Iterator[Entry]:
    """Members of every fat binary in a stretch of bytes, in order; damaged members are left out.

    Raises
    ------
    InputError : the first container is cut off.
    """
    at = data.find(MAGIC_BYTES, start)
    total = 0
    number = 0
    while at >= 0 and at + 16 <= len(data):
        _, version, header_size, size = struct.unpack_from("<IHHQ", data, at)
        if version != 1 or header_size < 16 or at + header_size + size > len(data):
            if number == 0 and version == 1 and header_size >= 16:
                raise InputError("a fat binary that is cut off")
            at = data.find(MAGIC_BYTES, at + 4)
            continue
        position, end = at + header_size, at + header_size + size
        while position + ENTRY_FIXED <= end and number < MAX_ENTRIES:
            number += 1
            kind, _, entry_header, padded = struct.unpack_from("<HHIQ", data, position)
            if entry_header < ENTRY_FIXED or position + entry_header + padded > end:
                break
            compressed, _, _, sm = struct.unpack_from("<IIII", data, position + 16)
            flags, _, expanded = struct.unpack_from("<QQQ", data, position + 40)
            # What a member claims is checked before it is expanded: a few bytes can claim a lot.
            if flags & (FLAG_LZ4 | FLAG_ZSTD) and total + expanded > MAX_EXPANDED >= expanded:
                raise InputError("a fat binary with more than 256 MiB of code")
            payload = data[position + entry_header : position + entry_header + padded]
            content = expand(payload, compressed, expanded, flags)
            if content is not None and kind in (KIND_PTX, KIND_CUBIN):
                total += len(content)
                if total > MAX_EXPANDED:
                    raise InputError("a fat binary with more than 256 MiB of code")
                yield Entry(kind == KIND_PTX, sm, content.rstrip(b"\0") if kind == KIND_PTX else content)
            position += entry_header + padded
        at = data.find(MAGIC_BYTES, end)


def expand(payload: bytes, compressed: int, expanded: int, flags: int) -> bytes | None:
    """Content of a member; None where it is damaged."""
    if expanded > MAX_EXPANDED:
        return None
    packed = payload[:compressed] if 0 < compressed <= len(payload) else payload
    try:
        if flags & FLAG_ZSTD or packed[:4] == b"\x28\xb5\x2f\xfd":
            import zstandard

            with zstandard.ZstdDecompressor().stream_reader(packed) as stream:
                content = stream.read(expanded + 1)
            return content if len(content) == expanded else None
        if flags & FLAG_LZ4:
            return lz4_block(packed, expanded)
    except Exception as error:  # noqa: BLE001 - any decoder failure means the same: this member is damaged
        del error
        return None
    return payload


def lz4_block(packed: bytes, expanded: int) -> bytes:
    """Expand an LZ4 block (LZ4 block format description, version 1.6.3).

    Raises
    ------
    ValueError : damaged.
    """
    out = bytearray()
    at, end = 0, len(packed)
    while at < end:
        token = packed[at]
        at += 1
        count, at = lz4_length(packed, at, token >> 4)
        if at + count > end or len(out) + count > expanded:
            raise ValueError("literals beyond the end")
        out += packed[at : at + count]
        at += count
        if at >= end:
            break
        if at + 2 > end:
            raise ValueError("no offset")
        offset = packed[at] | packed[at + 1] << 8
        count, at = lz4_length(packed, at + 2, token & 15)
        count += 4
        if offset == 0 or offset > len(out) or len(out) + count > expanded:
            raise ValueError("a match from nowhere")
        begin = len(out) - offset
        if offset >= count:
            out += out[begin : begin + count]
        else:  # the match overlaps what it writes
            pattern = bytes(out[begin:])
            out += (pattern * (count // offset + 1))[:count]
    if len(out) != expanded:
        raise ValueError("another size than announced")
    return bytes(out)


def lz4_length(packed: bytes, at: int, nibble: int) -> tuple[int, int]:
    """A length that may go on in further bytes, and where they end."""
    count = nibble
    if nibble == 15:
        while at < len(packed):
            count += packed[at]
            at += 1
            if packed[at - 1] != 255:
                break
    return count, at
