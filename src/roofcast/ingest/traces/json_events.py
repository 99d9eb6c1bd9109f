"""A trace in JSON as a stream of events: memory stays bounded, and what is complete in a damaged file is kept.

The C scanner of the standard library decodes one event at a time out of a sliding window, which is as fast as loading
the whole file and several times faster than event-based parsers.
"""

from __future__ import annotations

import codecs
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, BinaryIO

from roofcast.core.errors import InputError
from roofcast.core.records import dataclass
from roofcast.ingest.text.decoding import sniff_encoding
from roofcast.ingest.traces.event_layouts import Layouts

WINDOW_BYTES = 1 << 22
"""B of text in which events are decoded at once."""
STEP_BYTES = 1 << 16
"""B that are read at once."""
MAX_VALUE_CHARS = 1 << 26
"""Longest single event or header value; real ones stay below 1 MB."""
MAX_DAMAGED = 2_000
"""Events that may be damaged before the file is."""
MAX_HEADER_KEYS = 10_000
"""Keys beside the list of events that are kept."""

BLANK = re.compile(r"[\s,]*")
BAD_ESCAPE = re.compile(r'\\(?!["\\/bfnrtu])|\\u(?![0-9a-fA-F]{4})')
NEXT_EVENT = re.compile(r"\}\s*,\s*(?=\{)")
DECODER = json.JSONDecoder(strict=False)


class EndOfTextError(Exception):
    """The text ends inside a value."""


@dataclass
class JsonEvents:
    """The events of a trace; header values gather in :attr:`header` as they come along."""

    stream: BinaryIO
    header: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    complete: int = 0
    damaged: int = 0
    layouts: Layouts | None = None
    """Takes events that are written like others; what it does not take is decoded."""
    text: str = ""
    at: int = 0
    start: int = 0
    """Where the value that was decoded last began."""
    ended: bool = False
    broken: bool = False
    """Whether compressed data end early."""
    is_cut: bool = False
    """Whether the text ends before its events do."""

    def __post_init__(self) -> None:
        codec = sniff_encoding(self.stream.read(65536))
        self.stream.seek(0)
        self.decoder = codecs.getincrementaldecoder(codec)(errors="replace")

    def more(self) -> bool:
        """Extend the window; whether there was anything left. What was consumed is forgotten."""
        if self.ended:
            return False
        if len(self.text) - self.at > MAX_VALUE_CHARS:
            raise InputError("not a trace: one JSON value is longer than 64 MiB")
        data = self.window()
        self.ended = not data
        self.text = self.text[self.at :] + self.decoder.decode(data, final=self.ended)
        self.at = 0
        return not self.ended

    def window(self) -> bytes:
        """The next bytes, in small steps: what was decompressed before the data end early is not lost."""
        read: Callable[[int], bytes] = getattr(self.stream, "read1", self.stream.read)
        parts: list[bytes] = []
        size = 0
        try:
            while size < WINDOW_BYTES and (part := read(STEP_BYTES)):
                parts.append(part)
                size += len(part)
        except (EOFError, OSError, ValueError, zlib.error):
            if not self.broken:
                self.notes.append("the compressed data end early: what is complete was kept")
            self.broken = True
        return b"".join(parts)

    def peek(self) -> str:
        """Next character that is neither blank nor a comma; '' at the end."""
        while True:
            match = BLANK.match(self.text, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.text):
                return self.text[self.at]
            if not self.more():
                return ""

    def value(self) -> Any:
        """Decode the value at the position."""
        needed = 0
        while True:
            try:
                decoded, end = DECODER.raw_decode(self.text, self.at)
            except (ValueError, RecursionError) as error:
                # Near the end of the window the value may only be cut; what fails far from it is damaged.
                rest = len(self.text) - self.at
                if rest < max(needed, WINDOW_BYTES) and self.more():
                    needed = 2 * rest if needed else WINDOW_BYTES // 4
                    continue
                if isinstance(error, RecursionError):
                    raise ValueError("nested too deeply") from None
                if self.ended and getattr(error, "pos", 0) >= len(self.text) - 64:
                    raise EndOfTextError from None
                raise
            if end >= len(self.text) and not self.ended and self.text[end - 1] not in '}]"':
                self.more()
                continue
            self.start, self.at = self.at, end
            return decoded

    @property
    def written(self) -> str:
        """The value that was decoded last, as it is written."""
        return self.text[self.start : self.at]

    def events(self) -> Iterator[dict[str, Any]]:
        """Every complete event, wherever the array of events stands in the file."""
        first = self.peek()
        try:
            if first == "[":
                yield from self.array()
            elif first == "{":
                yield from self.object()
        except EndOfTextError:
            self.is_cut = True
            self.notes.append(f"the file ends in the middle: {self.complete} complete events were kept")
        if self.damaged:
            self.notes.append(f"{self.damaged} damaged events were left out")

    def object(self) -> Iterator[dict[str, Any]]:
        """The events of a trace whose header surrounds them."""
        self.at += 1
        keys = 0
        while (character := self.peek()) and character != "}":
            keys += 1
            key = self.member_name()
            if self.peek() == "[" and key == "traceEvents":
                yield from self.array()
            else:
                try:
                    content = self.value()
                except ValueError:
                    self.to_the_events()
                    continue
                if keys <= MAX_HEADER_KEYS:
                    self.header[key] = content
        if not character:
            raise EndOfTextError

    def to_the_events(self) -> None:
        """Pass over a damaged part of the header."""
        mark = '"traceEvents"'
        while (place := self.text.find(mark, self.at + 1)) < 0:
            self.at = max(self.at, len(self.text) - len(mark))
            if not self.more():
                if not self.complete:
                    raise InputError("damaged JSON: its header cannot be decoded, and no events follow")
                raise EndOfTextError
        self.notes.append("a damaged part of the header was passed over")
        self.at = place

    def member_name(self) -> str:
        """The name before a colon."""
        try:
            key = self.value()
        except ValueError:
            key = None
        if not isinstance(key, str) or self.peek() != ":":
            if self.ended and self.at >= len(self.text) - 1:
                raise EndOfTextError
            raise InputError(f"damaged JSON after {self.complete} events: a member has no name")
        self.at += 1
        return key

    def array(self) -> Iterator[dict[str, Any]]:
        """The events of an array; those that cannot be decoded are counted and passed over."""
        self.at += 1
        while (character := self.pass_known()) and character != "]":
            if character == "}":
                # Left behind where a damaged event was passed over.
                self.at += 1
                continue
            try:
                event = self.value()
            except ValueError:
                event = self.mended()
            if isinstance(event, dict):
                self.complete += 1
                yield event
        if not character:
            raise EndOfTextError
        self.at += 1

    def pass_known(self) -> str:
        """Let the layouts take what they know; the next character behind that."""
        if self.layouts is not None:
            before = self.layouts.passed
            self.at = self.layouts.take(self.text, self.at)
            self.complete += self.layouts.passed - before
        return self.peek()

    def mended(self) -> Any:
        """The event at the position with its bad escapes doubled; None where that does not help: it is passed over."""
        while (match := NEXT_EVENT.search(self.text, self.at)) is None and self.more():
            pass
        end = match.start() + 1 if match else len(self.text)
        try:
            event = DECODER.decode(BAD_ESCAPE.sub(r"\\\\", self.text[self.at : end]))
        except (ValueError, RecursionError):
            event = None
            self.damaged += 1
            if self.damaged > MAX_DAMAGED:
                raise InputError(f"damaged JSON: more than {MAX_DAMAGED} events cannot be decoded") from None
            if match is None:
                raise EndOfTextError from None
        self.start, self.at = self.at, end
        return event
