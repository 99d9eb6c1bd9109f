"""Profiles behind much output of the profiled program: where in a long text a profiler starts to speak."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import BinaryIO

from roofcast.ingest.text.csv_blocks import utf8_pieces

SEARCHED_BYTES = 16 * 2**20
PIECE_BYTES = 2**20
MARKS = re.compile(
    rb"[Kk]ernel Name|Function Name|^==PROF==|^==ERROR==|^ +Section: |^==\d+== Profiling result:", re.MULTILINE
)
CHEAP_MARKS = (b"ernel Name", b"unction Name", b"\n==", b"Section: ")
HEAD_BYTES = 16384
MAX_HEADS = 32


def late_heads(stream: BinaryIO) -> Iterator[bytes]:
    """Pieces of a text, in UTF-8, that start where a profiler's words do; the stream is left at its start."""
    try:
        yield from heads_in(stream)
    finally:
        stream.seek(0)


def heads_in(stream: BinaryIO) -> Iterator[bytes]:
    """The same without care for the stream."""
    searched = given = 0
    before = b""
    for piece in utf8_pieces(stream, PIECE_BYTES):
        text = before + piece
        at = 0
        while (found := first_mark(text, at)) >= 0 and given < MAX_HEADS:
            start = text.rfind(b"\n", 0, found) + 1
            # A line of a launch stands above its sections.
            start = text.rfind(b"\n", 0, max(0, start - 1)) + 1
            yield text[start : start + HEAD_BYTES]
            given += 1
            at = max(found + 1, start + HEAD_BYTES // 2)
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
