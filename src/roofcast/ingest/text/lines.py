"""Long text files of profilers: blocks of whole lines, the rows of a CSV among other lines, where a profiler speaks.

Blocks are UTF-8 with plain line ends and of bounded size, so that memory stays bounded however long a file is.
"""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable, Iterator
from io import BufferedReader, BytesIO
from typing import BinaryIO

from roofcast.core.errors import InputError, one_line
from roofcast.ingest.text.decoding import MAX_CELL_CHARS, is_text, sniff_encoding

BLOCK_BYTES = 8 * 2**20
"""B of a block of whole rows, which are parsed together."""
SEARCHED = 64 * 2**10
"""Bytes at the end of a block in which the start of a row is looked for."""
MAX_LINE_BYTES = 64 * 2**20
"""B of a line; a longer one means that the file is no text."""
MAX_ROW_CHARS = 2**21
"""Characters of a row with line ends in quotes; a quote that is open for longer was never closed."""
DELIMITERS = (",", ";", "\t", "|")
NEW_ROW = re.compile(rb'\n(?="?[0-9]+"?[,;\t])')
"""Where a line ends and a row begins."""
ROW_START = re.compile(r'\s*"?[0-9]')
QUOTED_ROW = re.compile(r'"[0-9]+","')

SEARCHED_BYTES = 16 * 2**20
"""Bytes at the start of a file in which a profiler's words are looked for."""
PIECE_BYTES = 2**20
"""B of a piece in which a profiler's words are looked for."""
MARKS = re.compile(
    rb"[Kk]ernel Name|Function Name|^==PROF==|^==ERROR==|^ +Section: |^==\d+== Profiling result:", re.MULTILINE
)
CHEAP_MARKS = (b"ernel Name", b"unction Name", b"\n==", b"Section: ")
HEAD_BYTES = 16384
"""B behind a profiler's word that the readers see to recognise their format."""
MAX_HEADS = 32
"""Places of a file that are shown to the readers."""


def blocks(stream: BinaryIO, name: str, block_bytes: int = BLOCK_BYTES) -> Iterator[bytes]:
    """Blocks of whole lines; only the last may lack its line end. Cut where a new row starts, if one does."""
    if (whole := rows_in_place(stream, block_bytes)) is not None:
        yield from whole
        return
    carry: list[bytes] = []
    carried = 0
    pieces = utf8_pieces(stream, block_bytes)
    piece = next(pieces, b"")
    # The end of the file is no place to cut: what stands there belongs together.
    while following := next(pieces, b""):
        cut = last_cut(piece)
        if cut:
            yield b"".join((*carry, memoryview(piece)[:cut]))
            carry, carried = [piece[cut:]], len(piece) - cut
        else:
            carry.append(piece)
            carried += len(piece)
            if carried > MAX_LINE_BYTES:
                raise InputError(f"{one_line(name)}: a line longer than {MAX_LINE_BYTES // 2**20} MiB: not a CSV file")
        piece = following
    last = without_cut_row(b"".join((*carry, piece)))
    if last:
        yield last


def rows_in_place(stream: BinaryIO, block_bytes: int) -> Iterator[bytes] | None:
    """Blocks read from a plain UTF-8 file exactly up to where a row starts, so that none is copied; None for others.

    Where a row starts is looked for in the last part of each block, which is so read twice.
    """
    if not isinstance(stream, BufferedReader):
        return None
    stream.seek(0)
    head = stream.read(65536)
    if not sniff_encoding(head).startswith("utf-8"):
        return None
    size = stream.seek(0, 2)
    if size < 4 * block_bytes:
        return None
    ends = row_ends(stream, size, block_bytes)
    start = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
    return None if ends is None else exact_reads(stream, start, ends)


def row_ends(stream: BinaryIO, size: int, block_bytes: int) -> list[int] | None:
    """Offsets at which blocks end, the last at the end of the file; None where some block holds no start of a row."""
    ends = []
    at = block_bytes
    while at < size:
        stream.seek(at - SEARCHED)
        window = stream.read(SEARCHED)
        starts = [m.end() for m in NEW_ROW.finditer(window)]
        if not starts:
            return None
        ends.append(at - SEARCHED + starts[-1])
        at = ends[-1] + block_bytes
    return [*ends, size]


def exact_reads(stream: BinaryIO, start: int, ends: list[int]) -> Iterator[bytes]:
    """The file from a start, in pieces that end where told."""
    stream.seek(start)
    for end in ends:
        data = plain(stream.read(end - start))
        if end == ends[-1]:
            data = without_cut_row(data)
        if data:
            yield data
        start = end


def without_cut_row(data: bytes) -> bytes:
    """The end of a file without its last line where that ends inside quotes: the file was cut off there."""
    start = data.rfind(b"\n") + 1
    return data[:start] if data.count(b'"', start) % 2 else data


def is_cut(stream: BinaryIO) -> bool:
    """Whether a plain file of rows ends in the middle of one: its last line has no end and fewer cells than before it.

    The end of a compressed file says by itself that something is missing.
    """
    if not isinstance(stream, (BufferedReader, BytesIO)):
        return False
    size = stream.seek(0, 2)
    stream.seek(max(size - TAIL_BYTES, 0))
    tail = stream.read(TAIL_BYTES)
    lines = tail.decode("utf-8", "replace").replace("\r", "").rsplit("\n", 2)
    if not is_text(tail) or len(lines) < 3 or not lines[2].strip():
        return False
    before, last = lines[1], lines[2]
    if before.startswith('"') != last.startswith('"'):
        # What the profiled program printed behind its profile.
        return False
    try:
        cells = [len(row) for row in csv.reader((before, last))]
    except csv.Error:
        return False
    return last.count('"') % 2 == 1 or cells[-1] < cells[0]


TAIL_BYTES = 1 << 16
"""B at the end of a file in which its last rows are looked for."""


def last_cut(data: bytes) -> int:
    """Length of the data up to the last line end that a row follows, else up to the last line end; 0: none.

    Kernel names may hold line ends, so that not every line end is the end of a row; and a header must stay with the
    row of units below it.
    """
    for tail in (max(0, len(data) - 65536), 0):
        starts = [m.end() for m in NEW_ROW.finditer(data, tail)]
        if starts:
            return starts[-1]
    return data.rfind(b"\n") + 1


def utf8_pieces(stream: BinaryIO, size: int) -> Iterator[bytes]:
    """The stream from its start in pieces: UTF-8 without mark, zero bytes or carriage returns."""
    stream.seek(0)
    codec = sniff_encoding(stream.read(65536))
    stream.seek(0)
    decoder = None if codec in ("utf-8", "utf-8-sig") else codecs.getincrementaldecoder(codec)("replace")
    first, held = True, b""
    while piece := stream.read(size):
        text = piece if decoder is None else decoder.decode(piece).encode("utf-8", "replace")
        if first:
            text = text.removeprefix(codecs.BOM_UTF8)
            first = False
        text = held + text
        held = b""
        # A carriage return at the end may be half of a line end.
        if text.endswith(b"\r"):
            text, held = text[:-1], b"\r"
        clean = plain(text)
        if clean:
            yield clean
    if held:
        yield b"\n"


def plain(text: bytes) -> bytes:
    """Line ends as line feeds; zero bytes dropped."""
    if b"\0" in text:
        text = text.replace(b"\0", b"")
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return text


def read_cells(text: str, delimiter: str) -> Iterator[list[str]]:
    """Cells of each logical row of a text."""
    return read_lines(logical_rows(text), delimiter)


def split_header(line: str) -> tuple[list[str], str]:
    """Cells of a header line and the delimiter that gives most of them."""
    best: tuple[list[str], str] = ([], ",")
    for delimiter in DELIMITERS:
        try:
            cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error:
            continue
        if len(cells) > len(best[0]):
            best = ([c.strip() for c in cells], delimiter)
    return best


def read_lines(lines: Iterable[str], delimiter: str, *, skip_spaces: bool = True) -> Iterator[list[str]]:
    """Cells of each line; lines that no CSV reader accepts are skipped."""
    csv.field_size_limit(MAX_CELL_CHARS)
    reader = csv.reader(lines, delimiter=delimiter, skipinitialspace=skip_spaces)
    while True:
        try:
            yield next(reader)
        except StopIteration:
            return
        except csv.Error:
            continue


def logical_rows(text: str) -> Iterator[str]:
    """Lines that can be rows; lines that an open quote joins are one. Noise and cut rows are dropped."""
    pending = ""
    for line in text.split("\n"):
        if pending:
            # A lone quote in the program's output must not swallow the rows after it.
            if not QUOTED_ROW.match(line) and len(pending) + len(line) < MAX_ROW_CHARS:
                pending += "\n" + line
                if line.count('"') % 2:
                    yield pending
                    pending = ""
                continue
            pending = ""
        if not ROW_START.match(line):
            continue
        if line.count('"') % 2:
            pending = line
        else:
            yield line


def late_heads(stream: BinaryIO) -> Iterator[bytes]:
    """Pieces of a text, in UTF-8, that start where a profiler's words do, behind much output of the profiled program.

    The caller puts the stream back to its start.
    """
    searched = given = 0
    before = b""
    for piece in utf8_pieces(stream, PIECE_BYTES):
        text = before + piece
        at = 0
        while (place := first_mark(text, at)) >= 0 and given < MAX_HEADS:
            start = text.rfind(b"\n", 0, place) + 1
            # A line of a launch stands above its sections.
            start = text.rfind(b"\n", 0, max(0, start - 1)) + 1
            yield text[start : start + HEAD_BYTES]
            given += 1
            at = max(place + 1, start + HEAD_BYTES // 2)
        searched += len(piece)
        if searched >= SEARCHED_BYTES or given >= MAX_HEADS:
            return
        before = text[-HEAD_BYTES:]


def first_mark(text: bytes, at: int) -> int:
    """Position of the first mark from a position on; -1 without."""
    if not any(text.find(mark, at) >= 0 for mark in CHEAP_MARKS):
        return -1
    match = MARKS.search(text, at)
    return match.start() if match else -1
