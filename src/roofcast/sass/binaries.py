"""Getting code out of any file: cubins, fat binaries, executables and libraries, PTX, profiler reports, CUDA source."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from pathlib import Path

from roofcast.core.errors import InputError, MissingExtraError, one_line
from roofcast.core.extras import load_zstd
from roofcast.core.records import dataclass
from roofcast.sass.cubin import Cubin, parse_cubin
from roofcast.sass.elf import MACHINE_CUDA, MAGIC, parse_elf
from roofcast.sass.retarget import ptx_version, retarget_ptx
from roofcast.sass.toolkit import ptxas_version

MAX_FILE_BYTES = 2**31
"""B of a file, which the memory has to hold."""
REPORT_MAGIC = b"NVR\0"
FATBIN_SECTIONS = (".nv_fatbin", "__nv_relfatbin")
FATBIN_MAGIC = 0xBA55ED50
"""First word of a fat binary."""
FATBIN_BYTES = struct.pack("<I", FATBIN_MAGIC)
KIND_PTX, KIND_CUBIN = 1, 2
FLAG_LZ4, FLAG_ZSTD = 0x2000, 0x8000
ENTRY_FIXED = 64
"""B of the fixed part of a member's header."""
MAX_EXPANDED = 2**28
"""B of all members of a file after they are expanded: a few bytes can claim a lot."""
MAX_ENTRIES = 4096
"""Members of a file that are looked at."""


@dataclass(frozen=True, slots=True)
class Binary:
    """Code for one architecture, or PTX for any."""

    sm: int
    """As the container says; 0 where there is none."""
    data: bytes
    is_ptx: bool = False


def read_fatbins(data: bytes) -> Iterator[Binary]:
    """Members of every fat binary in a stretch of bytes, in order; damaged members are left out."""
    at = data.find(FATBIN_BYTES)
    total = 0
    number = 0
    while at >= 0 and at + 16 <= len(data):
        _, version, header_size, size = struct.unpack_from("<IHHQ", data, at)
        if version != 1 or header_size < 16 or at + header_size + size > len(data):
            if number == 0 and version == 1 and header_size >= 16:
                raise InputError("a fat binary that is cut off")
            at = data.find(FATBIN_BYTES, at + 4)
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
                is_text = kind == KIND_PTX
                yield Binary(sm, content.rstrip(b"\0") if is_text else content, is_text)
            position += entry_header + padded
        at = data.find(FATBIN_BYTES, end)


def expand(payload: bytes, compressed: int, expanded: int, flags: int) -> bytes | None:
    """Content of a member; None where it is damaged."""
    if expanded > MAX_EXPANDED:
        return None
    packed = payload[:compressed] if 0 < compressed <= len(payload) else payload
    try:
        if flags & FLAG_ZSTD or packed[:4] == b"\x28\xb5\x2f\xfd":
            content: bytes = load_zstd().ZstdDecompressor().decompress(packed, expanded + 1)
            return content if len(content) == expanded else None
        if flags & FLAG_LZ4:
            return expand_lz4(packed, expanded)
    except Exception as error:  # noqa: BLE001 - any decoder failure means the same: this member is damaged
        del error
        return None
    return payload


def expand_lz4(packed: bytes, expanded: int) -> bytes:
    """Expand an LZ4 block (LZ4 block format description, version 1.6.3)."""
    out = bytearray()
    at, end = 0, len(packed)
    while at < end:
        token = packed[at]
        at += 1
        count, at = read_lz4_length(packed, at, token >> 4)
        if at + count > end or len(out) + count > expanded:
            raise ValueError("literals beyond the end")
        out += packed[at : at + count]
        at += count
        if at >= end:
            break
        if at + 2 > end:
            raise ValueError("no offset")
        offset = packed[at] | packed[at + 1] << 8
        count, at = read_lz4_length(packed, at + 2, token & 15)
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


def read_lz4_length(packed: bytes, at: int, nibble: int) -> tuple[int, int]:
    """A length that may go on in further bytes, and where they end."""
    count = nibble
    if nibble == 15:
        while at < len(packed):
            count += packed[at]
            at += 1
            if packed[at - 1] != 255:
                break
    return count, at


def read_bytes(path: str | Path) -> bytes:
    """A whole file (gzip and zstd expanded)."""
    from roofcast.ingest.text.files import read_at_most
    from roofcast.reading import opened

    file = one_line(str(path))
    with opened(path) as stream:
        data = read_at_most(stream, MAX_FILE_BYTES)
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"{file}: larger than 2 GiB; extract the cubin with cuobjdump -xelf all")
    if not data:
        raise InputError(f"{file}: the file is empty")
    return data


def find_binaries(data: bytes, name: str) -> tuple[Binary, ...]:
    """Every piece of GPU code in a file."""
    file = one_line(name)
    if data[:4] == MAGIC:
        try:
            elf = parse_elf(data)
        except InputError as error:
            raise InputError(f"{file}: {error}") from None
        if elf.machine == MACHINE_CUDA:
            return (Binary(0, data),)
        held = b"".join(elf.content(s) for s in elf.sections if s.name in FATBIN_SECTIONS)
        binaries = list_members(held, file)
        if not binaries:
            raise InputError(f"{file}: an executable without embedded GPU code (no .nv_fatbin)")
        return binaries
    if is_ptx(data):
        return (Binary(0, data, is_ptx=True),)
    if FATBIN_BYTES in (data if data[:2] == b"MZ" else data[:64]):
        binaries = list_members(data, file)
        if binaries:
            return binaries
        raise InputError(f"{file}: a fat binary without readable members")
    if name.endswith(".cu"):
        from roofcast.sass.toolkit import compile_to_ptx

        return (Binary(0, compile_to_ptx(data, name), is_ptx=True),)
    raise InputError(f"{file}: no GPU code: give a cubin, fatbin, executable, PTX, .cu or .ncu-rep file")


def list_members(data: bytes, shown: str) -> tuple[Binary, ...]:
    """Members of the fat binaries in a file."""
    try:
        return tuple(read_fatbins(data))
    except InputError as error:
        raise InputError(f"{shown}: {error}") from None


def is_ptx(data: bytes) -> bool:
    """Whether a file is PTX text."""
    return b"\0" not in data[:4096].rstrip(b"\0") and ptx_version(data) is not None and b".target" in data[:65536]


def parse_cubins(binaries: Sequence[Binary]) -> tuple[list[Cubin], str]:
    """The cubins among some pieces of code, and what is wrong with the last one that cannot be read ('' if nothing)."""
    cubins, problem = [], ""
    for binary in binaries:
        if not binary.is_ptx:
            try:
                cubins.append(parse_cubin(binary.data))
            except InputError as error:
                problem = str(error)
    return cubins, problem


def choose_cubin(data: bytes, name: str, sm: int) -> tuple[Cubin, str]:
    """Code for one architecture out of a file, and how it came about.

    A cubin of that architecture is taken as it is, else one that runs on it (same generation), else PTX is retargeted.
    """
    binaries = find_binaries(data, name)
    cubins, problem = parse_cubins(binaries)
    exact = next((c for c in cubins if c.sm == sm), None)
    if exact is not None:
        return exact, f"cubin for sm_{sm}"
    texts = [(b.data,) for b in binaries if b.is_ptx] + [c.ptx for c in cubins if c.ptx]
    if texts:
        try:
            return retarget_ptx(texts[-1], sm), f"PTX retargeted to sm_{sm} with {ptxas_version()}"
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
