"""Ask the command line, in this process: every command with every option and format, as one would type it."""

from __future__ import annotations

import contextlib
import io
import itertools
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from gate.variants import WHOLE
from roofcast.__main__ import main

TARGETS = ("B200", "Instinct MI300X,H100 SXM5 80GB", "L40S", "H100 SXM5 80GB{dram=4.8TB/s,sm=144}", "GeForce GT 1010")
SPACE = 'base = "H100 SXM5 80GB"\n[axes]\ndram = ["2 TB/s", "4 TB/s"]\nsm = [100, 160]\n'
CROSSED = tuple(
    ("--conditions", conditions, "--cache", cache)
    for conditions, cache in itertools.product(("production", "profiled"), ("warm", "cold"))
)
CONDITIONS = (("--conditions", "profiled"), *CROSSED)
NOTES = ("--notes",)
PICTURES = ("svg", "png", "pdf")


@dataclass(frozen=True)
class Command:
    """A command over one file: its words, options and formats."""

    words: tuple[str, ...]
    """FILE, TO and SPACE stand for the file, a target and a design space."""
    options: tuple[tuple[str, ...], ...] = ()
    formats: tuple[str, ...] = ("csv", "parquet", "html")
    """Beside table and JSON."""
    source: bool = True
    """Whether it has --from."""

    @property
    def name(self) -> str:
        """Its first word."""
        return self.words[0]


COMMANDS = (
    Command(
        ("forecast", "FILE", "--to", "TO"),
        (("--explain",), NOTES, ("--explain", "--notes", *CROSSED[-1]), ("--no-sass", "--top", "1"), *CONDITIONS),
        ("csv", "parquet", "html", *PICTURES),
    ),
    Command(
        ("app", "FILE", "--to", "TO"), (NOTES, ("--step",), *CONDITIONS), ("csv", "parquet", "html", "svg", "perfetto")
    ),
    Command(("roofline", "FILE"), (NOTES, ("--to", "TO"), *CONDITIONS), ("csv", "html", *PICTURES)),
    Command(("advise", "FILE"), (("--on", "TO"), *CONDITIONS)),
    Command(("inspect", "FILE"), (("--details",), ("--overview",)), source=False),
    Command(
        ("choose", "FILE", "--among", "B200,L40S,A100-SXM4-40GB"),
        (NOTES, ("--prices", "public", "--deadline", "1s"), *CONDITIONS),
        ("csv", "parquet", "html", *PICTURES),
    ),
    Command(("compare", "FILE", "FILE"), (NOTES,), ("csv", "parquet", "html", "markdown"), source=False),
    Command(("sweep", "FILE", "--space", "SPACE"), (NOTES, CONDITIONS[0]), ("csv", "parquet", "html", *PICTURES)),
    Command(
        ("hull", "1024x1024|element -> 1024x1024|element", "--on", "B200", "--compare", "FILE"),
        formats=("csv", "parquet"),
    ),
    Command(("FILE",), formats=(), source=False),
)  # fmt: skip
BY_NAME = {c.name: c for c in COMMANDS}
CODE = Command(("sass", "FILE", "--against", "H100"), formats=("csv", "parquet", "html"), source=False)
SCORE = Command(("evaluate", "FILE"), (("--screen",), *CONDITIONS[:1]), ("csv", "parquet", "html"), source=False)
TEXT, JSON = "table", "json"


@dataclass(frozen=True)
class Question:
    """What is asked of one file, in any format."""

    command: str
    file: str
    argv: tuple[str, ...]
    option: tuple[str, ...] = ()

    def __str__(self) -> str:
        return " ".join(["roofcast", *(f"'{a}'" if set(a) & set(" {}") else a for a in self.argv)])

    def formats(self) -> tuple[str, ...]:
        """Table, JSON and others: without an option every format but of pictures one in turn, with one any in turn."""
        if self.command == "FILE":
            return (TEXT,)
        others = {"sass": CODE, "evaluate": SCORE, **BY_NAME}[self.command].formats
        drawn = [f for f in others if f in PICTURES]
        turn = zlib.crc32(str(self).encode())
        if not self.option:
            return (TEXT, JSON, *(f for f in others if f not in PICTURES), *drawn[turn % max(1, len(drawn)) :][:1])
        return (JSON, (TEXT, *others)[turn % (1 + len(others))])


def questions_of(file: Path, variant: str, gpu: str, asked: str = "") -> Iterator[Question]:
    """What is asked of a file: of the whole every option, of what is left of it one in turn beside none.

    gpu : a GPU that a user would name where the file, or what is left of it, names none. asked : what the whole says.
    """
    commands = list(COMMANDS)
    if variant == WHOLE and file.suffix == ".ncu-rep":
        commands.append(CODE)
    if variant == WHOLE and asked == "several":
        commands.append(SCORE)
    for command in commands:
        at = zlib.crc32(f"{file.name} {command.name}".encode())
        options = command.options if variant == WHOLE else command.options[at % max(1, len(command.options)) :][:1]
        named = ("--from", gpu) if command.source and gpu else ()
        for i, option in enumerate(((), *options)):
            target = TARGETS[(at + i) % len(TARGETS)]
            words = {"FILE": file.name, "TO": target, "SPACE": "space.toml"}
            # Nobody named the GPU: every command but those that need none says so in one line.
            for source in (named, ()) if named and not option else (named,):
                argv = tuple(words.get(w, w) for w in (*command.words, *option, *source))
                yield Question(command.name, file.name, argv, option)


@dataclass(frozen=True)
class Said:
    """What a command did."""

    code: int
    out: str
    err: str
    made: bytes = b""


def ask(argv: tuple[str, ...] | list[str], made: Path | None = None) -> Said:
    """Run a command in this process, in the present folder.

    made : the file that it writes, read and deleted.
    """
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(list(argv))
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 1
    texts = [stream.buffer.getvalue().decode("utf-8", "replace") for stream in (out, err)]
    content = b""
    if made is not None and made.is_file():
        content = made.read_bytes()
        made.unlink()
    return Said(code, texts[0], texts[1], content)


def ask_in(question: Question, form: str) -> Said:
    """A question in one format: text, JSON and CSV to the standard output where a command has --format."""
    if question.command == "FILE":
        return ask(question.argv)
    suffix = {TEXT: "txt", "markdown": "md", "perfetto": "json"}.get(form, form)
    made = Path(f"made.{suffix}")
    if form in (JSON, TEXT, "csv") and question.command != "roofline":
        return ask((*question.argv, "--format", form))
    if form == TEXT:
        return ask(question.argv)
    asked = ("--format", form) if question.command != "roofline" else ()
    return ask((*question.argv, *asked, "-o", made.name), made)
