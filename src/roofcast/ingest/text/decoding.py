"""Bytes of text files as text: byte-order marks, UTF-16 from PowerShell redirection, stray bytes.

Profiler output is UTF-8 in principle. In practice it passes through shells that re-encode it and holds whatever
the profiled program printed, so no byte is ever an error: what cannot be decoded becomes a replacement character.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import BinaryIO

# UTF-32 before UTF-16: its little-endian mark starts with that of UTF-16.
MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)

MAX_CELL_CHARS = 8 * 1024 * 1024
"""Longest cell of a CSV file that is read; demangled kernel names reach some 100 kB."""


NO_TEXT = re.compile(r"[\x00-\x07\x0b\x0e-\x1a\x1c-\x1f\ufffd]")
"""Control characters that no text has, and what stands for bytes that are none."""


def sniff_encoding(head: bytes) -> str:
    """Codec of a text file from its first bytes: by its mark, else by where ASCII text has its zero bytes.

    >>> sniff_encoding(b'ID,Name'), sniff_encoding('ID,Name'.encode('utf-16-le'))
    ('utf-8', 'utf-16-le')
    """
    for mark, codec in MARKS:
        if head.startswith(mark):
            return codec
    sample = head[:4096]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    if odd > 0.3 * len(sample) and even < 0.05 * len(sample):
        return "utf-16-le"
    if even > 0.3 * len(sample) and odd < 0.05 * len(sample):
        return "utf-16-be"
    return "utf-8"


def head_text(head: bytes) -> str:
    """The first bytes of a file as text with plain line ends; zero bytes dropped."""
    text = head.decode(sniff_encoding(head), "replace").lstrip("\ufeff").replace("\0", "")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_text(head: bytes) -> bool:
    """Whether the first bytes look like text: hardly any control characters or undecodable bytes."""
    sample = head[:8192]
    if not sample:
        return False
    text = sample.decode(sniff_encoding(sample), "replace")
    # The last character may be cut in two by the end of the sample.
    return len(NO_TEXT.findall(text, 0, len(text) - 1)) <= 0.02 * len(text)


def open_text(stream: BinaryIO) -> io.TextIOWrapper:
    """A text stream over a seekable binary stream from its start, in the codec that its head shows.

    Every line end becomes a line feed. The caller detaches or drops it; the binary stream stays open
    as long as the wrapper is detached.
    """
    stream.seek(0)
    codec = sniff_encoding(stream.read(65536))
    stream.seek(0)
    return io.TextIOWrapper(stream, encoding=codec, errors="replace", newline=None)
