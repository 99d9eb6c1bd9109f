"""A damaged file and what reads it, drawn by chance."""

from __future__ import annotations

import io
import random
import traceback
from dataclasses import dataclass
from pathlib import Path

from contracts.doors import folder
from damage import DAMAGES, SEEDS, content_of, real_files
from gate.answers import ask_and_check
from gate.asking import COMMANDS, TARGETS, Question
from gate.checks import survives
from roofcast.core.errors import RoofcastError
from roofcast.ingest.readers import READERS, find_reader
from roofcast.ingest.timelines import TIMELINES

REAL = 0.05
"""Share of real files, which take longer; the other samples are small and of every format."""
LARGEST = 300_000
FORCED, ASKED = 0.2, 0.02
"""Shares that go through a reader of another format, and through a command."""


@dataclass(frozen=True)
class Mutation:
    """Content, how it was damaged, the reader that is forced on it and the command that reads it, if any."""

    data: bytes
    said: str
    reader: str | None
    question: Question | None

    def __str__(self) -> str:
        return f"{self.said}, reader {self.reader}, {self.question or 'read'}"

    @classmethod
    def draw(cls, chance: random.Random) -> Mutation:
        """One by chance."""
        fixtures = folder("ROOFCAST_FIXTURES", "fixtures")
        number = chance.randrange(len(SEEDS))
        data, name = SEEDS[number], f"sample {number}"
        if fixtures is not None and chance.random() < REAL:
            path = chance.choice(real_files(fixtures, LARGEST))
            data, name = content_of(path), path.name
        damage = chance.choice(DAMAGES)
        data = damage(data, chance.randrange(2**32))
        reader = chance.choice(list(READERS)) if chance.random() < FORCED else None
        question = None
        if chance.random() < ASKED:
            command = chance.choice(COMMANDS)
            words = {"FILE": "damaged.bin", "TO": chance.choice(TARGETS), "SPACE": "space.toml"}
            source = ("--from", "A100-SXM4-40GB") if command.source else ()
            option = chance.choice(((), *command.options))
            question = Question(command.name, "damaged.bin",
                                tuple(words.get(w, w) for w in (*command.words, *option, *source)))  # fmt: skip
        return cls(data, f"{name} by {damage.__name__}", reader, question)

    def faults(self) -> list[str]:
        """What is wrong with the table or answer."""
        from gate.asking import SPACE

        Path("space.toml").write_text(SPACE)
        try:
            survives(self.data, self.reader)
            read_as_run(self.data)
        except Exception:  # noqa: BLE001 - whatever escapes is a finding
            Path("damaged.bin").write_bytes(self.data)
            return [traceback.format_exc(limit=-5)]
        if self.question is None:
            return []
        Path("damaged.bin").write_bytes(self.data)
        # A damaged name or number may be any text: what holds of numbers is checked, and of exits and lines.
        return [f for f in ask_and_check(self.question, [])[1] if "in the text" not in f]


def read_as_run(data: bytes) -> None:
    """The timeline too, where the format holds one."""
    import importlib

    stream, said = io.BytesIO(data), ""
    try:
        key = find_reader(stream, "odd.csv", None)[0]
        if key in TIMELINES:
            stream.seek(0)
            importlib.import_module(TIMELINES[key]).read_windows(stream, "odd.csv").whole()
    except RoofcastError as error:
        said = str(error)
    assert said == "" or said.isprintable()
