"""Programs of the suite: what the header of a ``.cu`` file says of its kernels, arrays and sizes.

The header is the comment that opens the file: ``/* roofcast``, TOML, ``*/``. Everything that depends on the sizes is a
closed form (:mod:`roofcast_measure.closed_forms`), so a size changes data, launch and amounts together.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from roofcast.core.columns import ALL_NUMERIC
from roofcast.core.errors import InputError, one_line
from roofcast_measure.closed_forms import Value, evaluate
from roofcast_measure.driver import Source

Sizes = Mapping[str, Value]
HEADER = re.compile(r"\A/\* roofcast\n(?P<toml>.*?)\*/\n", re.DOTALL)
ARRAY = re.compile(r"(?P<type>f32|f64|i32|c128)\[(?P<count>.+)\] (?P<fill>in|out|inout|(?:below|between|transpose) .+)")
ITEM_BYTES = {"f32": 4, "f64": 8, "i32": 4, "c128": 16}
LAUNCH_KEYS = frozenset({"grid", "block", "arguments", "access", "threads", "loops", "static", "once", "repeat"})
PROGRAM_KEYS = frozenset(
    {"title", "source", "precision", "tolerance", "configurations", "check", "steps", "timed_step", "values", "arrays"}
) | {"kernels"}


@dataclass(frozen=True, slots=True)
class Array:
    """One buffer of a program."""

    name: str
    type: str
    """f32, f64, i32 or c128."""
    count: str
    """Closed form of the number of elements."""
    fill: str
    """in, inout: random; out: zero at the start; ``below N``, ``between A B``, ``transpose OTHER ROWS``."""

    @property
    def is_result(self) -> bool:
        """Whether kernels write it."""
        return self.fill in ("out", "inout")

    def bytes(self, sizes: Sizes) -> int:
        """Bytes of the buffer."""
        return int(evaluate(self.count, sizes)) * ITEM_BYTES[self.type]


@dataclass(frozen=True, slots=True)
class Kernel:
    """One ``__global__`` function with its launch and its amounts as closed forms."""

    name: str
    grid: tuple[str, ...]
    block: tuple[int, ...]
    arguments: tuple[tuple[str, str], ...]
    """(name, type); type '' for an array."""
    access: str
    threads: str
    """Threads that do the work (those beyond the edges return at once)."""
    loops: tuple[str, ...]
    """Trip counts per thread of the loops of the source, in its order; averages where they differ between threads."""
    static: str
    """exact: machine code times trip counts is the closed form; bound: it is an upper bound (data decide)."""
    once: bool
    """Launched once at the start, not in every step."""
    repeat: tuple[str, str] | None
    """(size, closed form of the count): one launch for each value of a further size."""
    amounts: Mapping[str, str] = field(default_factory=dict)

    def launch(self, sizes: Sizes) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Grid and block."""
        return tuple(max(1, int(evaluate(g, sizes))) for g in self.grid), self.block

    def amount(self, name: str, sizes: Sizes) -> float:
        """One amount for given sizes; NaN where the header does not state it."""
        return float(evaluate(self.amounts[name], sizes)) if name in self.amounts else float("nan")


@dataclass(frozen=True, slots=True)
class Program:
    """One ``.cu`` file."""

    name: str
    text: str
    title: str
    source: str
    precision: str
    tolerance: float
    configurations: tuple[Sizes, ...]
    check: Sizes
    """Small, odd sizes for the comparison with the reference."""
    steps: str
    timed_step: str
    values: Mapping[str, str | float]
    arrays: tuple[Array, ...]
    kernels: tuple[Kernel, ...]

    def sizes(self, configuration: Sizes) -> dict[str, Value]:
        """Sizes and further values of a configuration; ``step`` is the one that is timed."""
        values: dict[str, Value] = dict(configuration)
        for name, form in self.values.items():
            values[name] = evaluate(form, values)
        values.setdefault("step", int(evaluate(self.timed_step, values)))
        return values

    def bytes(self, sizes: Sizes) -> int:
        """Bytes of all buffers."""
        return sum(a.bytes(sizes) for a in self.arrays)

    def touched(self, kernel: Kernel) -> list[Array]:
        """The buffers that a kernel is given."""
        names = {n for n, kind in kernel.arguments if not kind}
        return [a for a in self.arrays if a.name in names]

    def working_set(self, kernel: Kernel, sizes: Sizes) -> int:
        """Distinct bytes that a kernel touches: its buffers, or its DRAM traffic where that is less."""
        whole = sum(a.bytes(sizes) for a in self.touched(kernel))
        traffic = kernel.amount("bytes_dram_read", sizes) + kernel.amount("bytes_dram_write", sizes)
        return int(min(whole, traffic)) if traffic == traffic else whole  # noqa: PLR0124 - NaN

    @property
    def code(self) -> Source:
        """The text and its kernels, for a driver."""
        return Source(self.name, self.text, tuple(k.name for k in self.kernels))

    def kernel(self, name: str) -> Kernel:
        """A kernel by name."""
        return next(k for k in self.kernels if k.name == name)


def configuration_name(configuration: Mapping[str, Value | str]) -> str:
    """``n=1024;iters=50``, as it stands in a kernel table."""
    return ";".join(f"{k}={v}" for k, v in configuration.items())


def read_program(path: Path) -> Program:
    """The program of one file."""
    return parse_program(path.read_text(encoding="ascii"), path.stem)


def parse_program(text: str, name: str) -> Program:
    """The program of one source text (see :func:`read_program`)."""
    match = HEADER.match(text)
    if match is None:
        raise InputError(f"{one_line(name)}: no header (/* roofcast ... */) at the start")
    try:
        raw = tomllib.loads(match["toml"])
        unknown = sorted(set(raw) - PROGRAM_KEYS)
        if unknown:
            raise InputError(f"unknown in the header: {', '.join(unknown)}")
        return Program(
            name=name, text=text, title=str(raw["title"]), source=str(raw["source"]), precision=str(raw["precision"]),
            tolerance=float(raw["tolerance"]), configurations=tuple(raw["configurations"]), check=raw["check"],
            steps=str(raw.get("steps", "1")), timed_step=str(raw.get("timed_step", "0")), values=raw.get("values", {}),
            arrays=tuple(array_of(n, spec) for n, spec in raw["arrays"].items()),
            kernels=tuple(kernel_of(n, spec) for n, spec in raw["kernels"].items()),
        )  # fmt: skip
    except KeyError as error:
        raise InputError(f"{one_line(name)}: the header does not say {error}") from error
    except (tomllib.TOMLDecodeError, InputError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{one_line(name)}: bad header: {one_line(str(error), 200)}") from error


def array_of(name: str, spec: str) -> Array:
    """A buffer from ``f32[n] in``."""
    match = ARRAY.fullmatch(spec)
    if match is None:
        raise InputError(f"array {name}: {spec!r} is not e.g. 'f32[n] in'")
    return Array(name, match["type"], match["count"], match["fill"])


def kernel_of(name: str, spec: Mapping[str, Any]) -> Kernel:
    """A kernel from its table."""
    amounts = {k: str(v) for k, v in spec.items() if k not in LAUNCH_KEYS}
    unknown = [k for k in amounts if k not in ALL_NUMERIC]
    if unknown:
        raise InputError(f"kernel {name}: not in the vocabulary: {', '.join(unknown)}")
    for precision in ("fp32", "fp64"):
        kinds = [f"insts_{precision}_{kind}" for kind in ("add", "mul", "fma")]
        # A header that states the mix states all of it.
        if any(kind in amounts for kind in kinds):
            amounts = {**dict.fromkeys(kinds, "0"), **amounts}
    repeat = str(spec["repeat"]).split(": ") if "repeat" in spec else None
    return Kernel(
        name=name, grid=tuple(spec["grid"]), block=tuple(spec["block"]),
        arguments=tuple((a, kind) for a, _, kind in (w.partition(":") for w in spec["arguments"].split())),
        access=str(spec["access"]), threads=str(spec["threads"]), loops=tuple(map(str, spec.get("loops", ()))),
        static=str(spec.get("static", "exact")), once=bool(spec.get("once", False)),
        repeat=(repeat[0], repeat[1]) if repeat else None, amounts=amounts,
    )  # fmt: skip
