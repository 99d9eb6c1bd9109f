"""All shipped processors, derived, in one file: a line each, so that a run reads one file and unpacks what it uses.

A line has the fields that differ from a processor's own defaults. What many of them say of a supply or a fact in the
same words stands once, in the list of the first line. The file is generated with the index
(:mod:`roofcast.catalog.indexing`).
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from roofcast.core.processor import Domain, Fact, Kind, Processor, Supply
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


def pack(processors: Iterable[Processor]) -> str:
    """The file's content."""
    shared = Shared()
    lines = [f"{p.key}\t{compact(pack_one(p, shared))}" for p in processors]
    return "\n".join([compact([*shared.number]), *lines]) + "\n"


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
        [[said, *names] for said, names in facts],
    ]


def pack_supply(s: Supply, shared: Shared) -> list[Any]:
    """What it has in common with others, then its numbers; absent ones at the end are left out."""
    said = shared.of(s.kind.value, s.source, s.relative_uncertainty, s.domain.value, s.scales_with_sms, s.note)
    found = [said, s.per_s, s.peak_per_s, s.clock_hz, s.limit_per_s]
    while found[-1] is None:
        found.pop()
    return found


def unpack_one(line: str, shared: Sequence[Sequence[Any]]) -> Processor:
    """A processor from what follows its key."""
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
        kind, *said = shared[number]
        found = Fact(KINDS[kind], *said)
        for name in names:
            yield name, found


def split_lines(content: str) -> tuple[list[list[Any]], Mapping[str, str]]:
    """What is shared, and key -> line."""
    first, *lines = content.splitlines()
    shared: list[list[Any]] = json.loads(first)
    return shared, dict(line.split("\t", 1) for line in lines)


def compact(value: Any) -> str:
    """JSON on one line, without escapes for letters that are not ASCII."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
