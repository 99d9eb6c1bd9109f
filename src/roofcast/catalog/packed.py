"""All shipped processors, derived, in one file, so that a run reads one file and unpacks what it uses.

Each has the fields that differ from a processor's own defaults. What many of them say of a supply or a fact in the same
words stands once, in a list before them. Each is deflated by itself (RFC 1950, with the words of some of them as preset
dictionary): a seventh of the bytes, and a run inflates those alone that it names. The file is generated with the index
(:mod:`roofcast.catalog.indexing`).

First line, JSON: bytes of the words and of the list, then key -> bytes of each processor, all in this order behind it.
"""

from __future__ import annotations

import dataclasses
import json
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field
from itertools import groupby
from typing import Any

from roofcast.core.processor import Domain, Fact, Kind, Processor, Supply
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource

KINDS, DOMAINS, RESOURCES = {k.value: k for k in Kind}, {d.value: d for d in Domain}, {r.value: r for r in Resource}
MAPPINGS = ("supplies", "variants", "published", "facts")
DEFAULTS = {f.name: f.default for f in dataclasses.fields(Processor)}


@dataclass
class Shared:
    """What is said more than once, by number."""

    number: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def of(self, *said: Any) -> int:
        """The number of what is said."""
        return self.number.setdefault(said, len(self.number))


WORDS_BYTES, WORDS_OF = 1 << 15, 8
"""Most that a preset dictionary may be, and of how many processors it is made."""


def pack(processors: Iterable[Processor]) -> bytes:
    """The file's content."""
    shared = Shared()
    texts = {p.key: compact(pack_one(p, shared)).encode() for p in processors}
    words = b"".join([*texts.values()][:: max(1, len(texts) // WORDS_OF)])[-WORDS_BYTES:]
    blocks = {key: deflated(text, words) for key, text in texts.items()}
    known = zlib.compress(words, 9), zlib.compress(compact([*shared.number]).encode(), 9)
    head = [*map(len, known), {key: len(block) for key, block in blocks.items()}]
    return b"".join([compact(head).encode(), b"\n", *known, *blocks.values()])


def deflated(text: bytes, words: bytes) -> bytes:
    """A text with a preset dictionary."""
    deflate = zlib.compressobj(9, zdict=words)
    return deflate.compress(text) + deflate.flush()


class Packed:
    """The processors of a file, each unpacked when it is named."""

    def __init__(self, content: bytes) -> None:
        """Return what :func:`pack` made."""
        head, _, self.rest = content.partition(b"\n")
        words, shared, lengths = json.loads(head)
        self.words = zlib.decompress(self.rest[:words])
        self.shared: list[list[Any]] = json.loads(zlib.decompress(self.rest[words : words + shared]))
        self.place: dict[str, tuple[int, int]] = {}
        at = words + shared
        for key, length in lengths.items():
            self.place[key] = at, at + length
            at += length

    def __contains__(self, key: str) -> bool:
        return key in self.place

    def __getitem__(self, key: str) -> Processor:
        first, last = self.place[key]
        text = zlib.decompressobj(zdict=self.words).decompress(self.rest[first:last])
        return unpack_one(text.decode(), self.shared)


def pack_one(p: Processor, shared: Shared) -> list[Any]:
    """One processor: its plain fields, then supplies, variants, published figures and facts."""
    plain = {
        name: list(value) if isinstance(value := getattr(p, name), tuple) else value
        for name, default in DEFAULTS.items() if name not in MAPPINGS and getattr(p, name) != default
    }  # fmt: skip
    facts = groupby(p.facts, lambda name: shared.of(*dataclasses.astuple(p.facts[name])))
    return [
        plain,
        {r.value: pack_supply(s, shared) for r, s in p.supplies.items()},
        {name: pack_supply(s, shared) for name, s in p.variants.items()},
        dict(p.published),
        [[number, *names] for number, names in facts],
    ]


def pack_supply(s: Supply, shared: Shared) -> list[Any]:
    """Return what it has in common with others, then its numbers; absent ones at the end are left out."""
    number = shared.of(s.kind.value, s.source, s.relative_uncertainty, s.domain.value, s.scales_with_sms, s.note)
    values = [number, s.per_s, s.peak_per_s, s.clock_hz, s.limit_per_s]
    while values[-1] is None:
        values.pop()
    return values


def unpack_one(line: str, shared: Sequence[Sequence[Any]]) -> Processor:
    """A processor from its text."""
    plain, supplies, variants, published, facts = json.loads(line)
    fields: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in plain.items()}
    return Processor(
        **fields,
        supplies={RESOURCES[name]: unpack_supply(shared, *values) for name, values in supplies.items()},
        variants={name: unpack_supply(shared, *values) for name, values in variants.items()},
        published=published,
        facts=dict(unpack_facts(facts, shared)),
    )


def unpack_supply(
    shared: Sequence[Sequence[Any]], said: int, per_s: float,
    peak: float | None = None, clock: float | None = None, limit: float | None = None,
) -> Supply:  # fmt: skip
    """A supply from its fields."""
    kind, source, uncertainty, domain, scales, note = shared[said]
    return Supply(per_s, KINDS[kind], source, uncertainty, peak, DOMAINS[domain], clock, scales, note, limit)


def unpack_facts(packed: Sequence[Sequence[Any]], shared: Sequence[Sequence[Any]]) -> Iterator[tuple[str, Fact]]:
    """Facts by the names of fields; those in a row that have one origin have it once."""
    for number, *names in packed:
        kind, *rest = shared[number]
        fact = Fact(KINDS[kind], *rest)
        for name in names:
            yield name, fact


def compact(value: Any) -> str:
    """JSON on one line, without escapes for letters that are not ASCII."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
