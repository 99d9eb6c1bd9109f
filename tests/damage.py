"""Accidents that happen to files: cut, repeated, mixed and, above all, numbers that nothing can have."""

from __future__ import annotations

import functools
import gzip
import random
import re
import sqlite3
import struct
from collections.abc import Callable
from pathlib import Path

import paging_samples
from amd_samples import AMD_SAMPLES
from text_samples import NCU_TEXT_2020, NVPROF_METRICS, NVPROF_TEXT, SAMPLES, wide_csv
from timeline_samples import TIMELINE_SAMPLES

TRACES = [data for several in TIMELINE_SAMPLES.values() for data in several]
SEEDS = [
    *TRACES,
    *(data for several in AMD_SAMPLES.values() for data in several),
    *SAMPLES.values(),
    wide_csv().encode(),
    NCU_TEXT_2020.encode(),
    NVPROF_METRICS.encode(),
    NVPROF_TEXT.encode(),
    *(text.encode() for text in paging_samples.TEXTS),
    paging_samples.nsys(),
    paging_samples.nvvp(),
]
INSERTS = [
    b'"',
    b'""' * 40,
    b"\0",
    b"\xff\xfe",
    b",",
    b"\n",
    b"\r",
    b"[" * 300,
    b'{"',
    b"9" * 400,
    b"-",
    b"\xe2\x80\xa8",
]
NUMBERS = [
    b"0", b"-0.0", b"-1", b"0.5", b"1e308", b"-1e308", b"1.7976931348623157e308", b"1e400", b"5e-324", b"1e-300",
    b"nan", b"inf", b"-inf", b"Infinity", b"18446744073709551615", b"9223372036854775808", b"-9223372036854775809",
    b"9" * 400, b"9" * 5000, b"0x7fffffff", b"1_000", b"1,000,000", b"1.000,5", b"1e", b"%",
]  # fmt: skip
DOUBLES = [0.0, -0.0, -1.0, 1e308, -1e308, 5e-324, float("nan"), float("inf"), -float("inf"), 2.0**63, 2.0**64]
CELLS: list[object] = [
    None, 0, -1, 2**63 - 1, -(2**63), 2**32, 1e308, -1e308, float("inf"), 5e-324, "", "x", "9" * 400, b"\xff\0",
]  # fmt: skip
LETTERS = [
    *(letter.encode() for letter in "\u202e\0\u2028\ufeff\u0665\u00b2\u0130ß\U0001f4a5\u0301\u00a0\uff11"),
    *(b"\xed\xa0\x80", b"\xc0\x80", b"\x1b[31m", b"\x7f", b"\x85", b"\xff"),
]
SQLITE = b"SQLite format 3\0"
IS_NUMBER = re.compile(rb"(?<![\w.])-?\d[\d.]*(?![\w.])")
Damage = Callable[[bytes, random.Random], bytes]


def mutate(data: bytes, seed: int) -> bytes:
    """The same bytes with a few accidents."""
    chance = random.Random(seed)
    out = bytearray(data)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(out) + 1)
        match chance.randrange(7):
            case 0:
                out[at:at] = chance.choice(INSERTS)
            case 1:
                del out[at : at + chance.randint(1, 300)]
            case 2:
                del out[at:]
            case 3:
                out += chance.choice(SEEDS)[: chance.randint(0, 2000)]
            case 4:
                start = chance.randrange(len(out) + 1)
                out[at:at] = out[start : start + 500]
            case 5:
                out = bytearray(out.replace(chance.choice([b",", b'"', b"\n", b".", b"1"]), chance.choice(INSERTS), 3))
            case _:
                out[:0] = chance.randbytes(chance.randint(0, 20))
    return bytes(out)


def damage_numbers(data: bytes, seed: int) -> bytes:
    """The same file with a few numbers replaced by ones that nothing can have: the file stays what it is."""
    chance = random.Random(seed)
    if data.startswith(SQLITE):
        return damage_cells(data, chance)
    return damage_doubles(data, chance) if b"\0" in data[:4096] else damage_text(data, chance)


def damage_text(data: bytes, chance: random.Random) -> bytes:
    """Text, in up to eight of its numbers, or in all of one spelling."""
    found = list(IS_NUMBER.finditer(data))
    if not found:
        return data
    if chance.random() < 0.2:
        return data.replace(chance.choice(found)[0], chance.choice(NUMBERS))
    chosen = {m.start(): m for m in (chance.choice(found) for _ in range(chance.randint(1, 8)))}
    out, last = [], 0
    for start in sorted(chosen):
        out += [data[last:start], chance.choice(NUMBERS)]
        last = chosen[start].end()
    return b"".join([*out, data[last:]])


def damage_doubles(data: bytes, chance: random.Random) -> bytes:
    """Binary content, where eight bytes look like a double of ordinary size."""
    out = bytearray(data)
    for _ in range(chance.randint(1, 30)):
        for _ in range(2000):
            at = chance.randrange(max(1, len(out) - 8))
            if len(out) >= at + 8 and 1e-3 < abs(struct.unpack_from("<d", out, at)[0]) < 1e15:
                struct.pack_into("<d", out, at, chance.choice(DOUBLES))
                break
    return bytes(out)


def damage_cells(data: bytes, chance: random.Random) -> bytes:
    """A database, in a few cells of any type: SQLite keeps whatever is put into them."""
    database = sqlite3.connect(":memory:")
    try:
        database.deserialize(data)
        tables = [n for (n,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for _ in range(chance.randint(1, 8)):
            table = chance.choice(tables)
            columns = [row[1] for row in database.execute(f'PRAGMA table_info("{table}")')]
            rows = [r for (r,) in database.execute(f'SELECT rowid FROM "{table}" LIMIT 200')]
            if not rows:
                continue
            where = "1" if chance.random() < 0.2 else f"rowid = {chance.choice(rows)}"
            column = chance.choice(columns)
            try:
                database.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE {where}', [chance.choice(CELLS)])
            except sqlite3.Error:  # a key that must be whole, or unique
                continue
        database.commit()
        return bytes(database.serialize())
    finally:
        database.close()


def damage_fields(data: bytes, seed: int) -> bytes:
    """Cells swapped, columns dropped or twice, lines moved; of JSON the values and keys."""
    chance = random.Random(seed)
    lines = data.split(b"\n")
    by = b"," if data.count(b",") > data.count(b"  ") else b"  "
    if len(lines) < 3 or data.startswith(SQLITE):
        return swap_parts(data, chance)
    cells = [line.split(by) for line in lines]
    width = max(map(len, cells))
    for _ in range(chance.randint(1, 3)):
        i, j = chance.randrange(width), chance.randrange(width)
        match chance.randrange(5):
            case 0:
                row, other = (chance.choice(cells) or [b""] for _ in range(2))
                a, b = chance.randrange(len(row)), chance.randrange(len(other))
                row[a], other[b] = other[b], row[a]
            case 1:
                cells = [[c for k, c in enumerate(row) if k != i] for row in cells]
            case 2:
                cells = [[*row, *row[i : i + 1]] for row in cells]
            case 3:
                for row in cells:
                    if max(i, j) < len(row):
                        row[i], row[j] = row[j], row[i]
            case _:
                chance.shuffle(cells)
    return b"\n".join(by.join(row) for row in cells)


def swap_parts(data: bytes, chance: random.Random) -> bytes:
    """Content without lines: pieces between two marks change places."""
    mark = chance.choice([b",", b'"', b"}", b":", b"\0"])
    parts = data.split(mark)
    for _ in range(chance.randint(1, 4)):
        i, j = chance.randrange(len(parts)), chance.randrange(len(parts))
        parts[i], parts[j] = parts[j], parts[i]
    return mark.join(parts)


def damage_letters(data: bytes, seed: int) -> bytes:
    """Letters of other scripts, marks that turn the line, halves of pairs, digits that are none; or another code."""
    chance = random.Random(seed)
    if chance.random() < 0.15:
        return data.decode("latin-1").encode(chance.choice(["utf-16", "utf-8-sig", "utf-32", "utf-7"]))
    out = bytearray(data)
    for _ in range(chance.randint(1, 8)):
        at = chance.randrange(len(out) + 1)
        out[at : at + chance.randint(0, 2)] = chance.choice(LETTERS)
    return bytes(out)


DAMAGES: tuple[Callable[[bytes, int], bytes], ...] = (mutate, damage_numbers, damage_fields, damage_letters)


@functools.lru_cache(maxsize=8)
def content_of(path: Path) -> bytes:
    """The content of a real file, decompressed."""
    data = path.read_bytes()
    return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data


def real_files(folder: Path, largest: int) -> list[Path]:
    """Real files of at most so many bytes (of compressed ones: as they lie there)."""
    return [p for p in sorted(folder.glob("*/*")) if p.stat().st_size <= largest]
