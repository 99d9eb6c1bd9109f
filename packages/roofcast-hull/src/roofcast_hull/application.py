"""Applications of several stages: read from TOML, forecast on one processor or on the processors of one machine."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from roofcast.catalog.toml_files import read_whole
from roofcast.core.checked_tables import NO_FIELD, NO_LIST, WrongFieldsError, of_length, read_table, within
from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.processor import Processor
from roofcast.core.resource import COMPUTE, Resource
from roofcast.core.units import parse_quantity
from roofcast_hull.boat_hull import transfer_time_s
from roofcast_hull.bounds import DEFAULT_ELEMENT, Assumptions, Bounds, Settings
from roofcast_hull.hull import HullForecast, StageTime, check_complexity, find_bounds, forecast_stage
from roofcast_hull.notation import AlgorithmClass, parse_class
from roofcast_hull.published import host_link_rate

if TYPE_CHECKING:
    from roofcast_hull.source.found_class import Found

STREAM = "main"
Name = Annotated[str, of_length(1, 200)]


def check_quantity(text: str | float, base: str) -> float:
    """A quantity that is not negative."""
    try:
        value = parse_quantity(text, base)
    except RoofcastError as error:
        raise ValueError(str(error)) from error
    if value < 0:
        raise ValueError("cannot be negative")
    return value


def is_class(text: str) -> str:
    """Refuse bad classes where they stand."""
    try:
        parse_class(text)
    except RoofcastError as error:
        raise ValueError(str(error)) from error
    return text


def is_complexity(value: float | tuple[float, float]) -> float | tuple[float, float]:
    """Refuse ranges that are none."""
    try:
        check_complexity(*(value if isinstance(value, tuple) else (value, value)))
    except RoofcastError as error:
        raise ValueError(str(error)) from error
    return value


def is_bytes(value: bool | float | str) -> bool | float:
    """Bytes as a number."""
    return value if isinstance(value, bool) else check_quantity(value, "B")


def is_width(value: float) -> float:
    """Refuse elements that no machine has."""
    if not 0 < value <= WIDEST:
        raise ValueError(f"must be greater than 0, at most {WIDEST}")
    return value


def is_time(value: Any) -> Any:
    """Seconds as numbers."""
    if value is None:
        return None
    return tuple(check_quantity(v, "s") for v in value) if isinstance(value, tuple) else check_quantity(value, "s")


def is_pipes(value: dict[str, float]) -> dict[str, float]:
    """Refuse what does no operations, and shares of more than all."""
    known = sorted(r.value for r in COMPUTE)
    for name, share in value.items():
        if name not in known:
            raise ValueError(f"{one_line(name, 40)!r}: use {', '.join(known)}")
        if not 0 <= share <= 1:
            raise ValueError(f"{name}: a share of the operations, 0 to 1")
    return value


WIDEST = 64
"""B of an element."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One kernel of the application."""

    name: Name
    text: Annotated[str, is_class] = field(metadata={"key": "class"})
    complexity: Annotated[float | tuple[float, float], is_complexity] = 1.0
    repetitions: Annotated[int, within(1, 10**9)] = 1
    stream: Name = STREAM
    after: tuple[str, ...] = ()
    on: str = ""
    """Which processor of the machine runs it."""
    copy_in: Annotated[bool | float | str, is_bytes] = False
    """Bytes over the bus before the stage; true: all inputs of its class."""
    copy_out: Annotated[bool | float | str, is_bytes] = False
    element: str | None = None
    element_bytes: Annotated[float, is_width] | None = None
    """Bytes of an element in the mean over its arrays, where their types differ."""
    offset: float | None = None
    assume: tuple[str, ...] | None = None
    pipes: Annotated[dict[str, float], is_pipes] = field(default_factory=dict)
    """Shares of the operations by what does them (``flops_tensor_fp16``); none: by the element type."""

    @property
    def span(self) -> tuple[float, float]:
        """Complexity as a range."""
        return self.complexity if isinstance(self.complexity, tuple) else (self.complexity, self.complexity)


@dataclass(frozen=True, kw_only=True)
class Reported:
    """What a source prints for one processor, to be laid beside the forecast."""

    source: str = ""
    kernels: Annotated[tuple[str | float, str | float] | None, is_time] = None
    transfers: Annotated[str | float | None, is_time] = None
    measured: Annotated[str | float | None, is_time] = None


@dataclass(frozen=True, kw_only=True)
class Application:
    """An application file."""

    name: str = ""
    element: str = DEFAULT_ELEMENT
    form: Literal["auto", "published", "modern"] = "auto"
    assume: tuple[str, ...] = ()
    processors: tuple[Name, ...] = ()
    machine: dict[Name, Name] = field(default_factory=dict)
    """Processors of one machine by a name of their own, which the stages' ``on`` takes."""
    stages: Annotated[tuple[Stage, ...], of_length(1, 10_000)]
    reported: dict[Name, Reported] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Names are there once, and before they are used."""
        known: set[str] = set()
        for stage in self.stages:
            if stage.name in known:
                raise ValueError(f"stages: two are called {stage.name!r}")
            missing = [n for n in stage.after if n not in known]
            if missing:
                raise ValueError(f"stages: {stage.name!r} comes after {missing[0]!r}, which no earlier stage is called")
            if self.machine and stage.on not in self.machine:
                raise ValueError(f"stages: {stage.name!r}: on = {stage.on!r} is none of {', '.join(self.machine)}")
            if stage.on and not self.machine:
                raise ValueError(f"stages: {stage.name!r}: 'on' needs a [machine] that names its processors")
            known.add(stage.name)
            self.settings(stage)

    def settings(self, stage: Stage) -> Settings:
        """How to read one stage."""
        try:
            words = self.assume if stage.assume is None else stage.assume
            return Settings(
                stage.element or self.element, self.form, Assumptions.of(words), stage.offset, stage.element_bytes,
                tuple((Resource(name), share) for name, share in stage.pipes.items()),
            )  # fmt: skip
        except RoofcastError as error:
            raise ValueError(f"stages: {stage.name!r}: {error}") from error


def load_application(path: str | Path) -> Application:
    """The application that a TOML file describes."""
    name = one_line(str(path), 120)
    try:
        raw = tomllib.loads(read_whole(path).decode("utf-8"))
    except OSError as error:
        raise InputError(f"{name}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not a text file in UTF-8") from error
    except (tomllib.TOMLDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"{name}: no valid TOML: {one_line(str(error), 200)}") from error
    return parse_application(raw, name)


def parse_application(raw: dict[str, Any], shown: str = "application") -> Application:
    """The application that a TOML document describes; see :func:`load_application`."""
    try:
        return read_table(Application, raw)
    except WrongFieldsError as error:
        problems = "; ".join(render_problem(*problem) for problem in error.problems[:5])
        raise InputError(f"{shown}: {problems}") from error


def make_application(
    found: Sequence[Found], form: str, assume: tuple[str, ...], element: str | None, *, copied: bool
) -> Application:
    """The classes of a source as the stages of one application.

    element : element type of all; None: as the source declares.
    copied : whether inputs and outputs cross the bus.
    """
    stages = tuple(
        {
            "name": one_line(f"{n}. {f.function}: {f.name}" if f.function else f"{n}. {f.name}", 200),
            "class": str(f.found),
            "complexity": f.complexity,
            "repetitions": f.repetitions,
            "element": element or f.element or DEFAULT_ELEMENT,
            "element_bytes": None if element else f.element_bytes,
            "copy_in": copied,
            "copy_out": copied,
            "pipes": {} if element else {r.value: share for r, share in f.pipes},
        }
        for n, f in enumerate(found, start=1)
    )
    return read_table(Application, {"form": form, "assume": assume, "stages": stages})


def render_problem(where: tuple[str | int, ...], message: str) -> str:
    """One problem of a file: the field and what is wrong with it."""
    place = "".join(f"[{step + 1}]" if isinstance(step, int) else f".{step}" for step in where).removeprefix(".")
    if message == NO_FIELD:
        message = "there is no such field"
    elif message == NO_LIST and where == ("stages",):
        message = "must be a list ([[stages]] tables)"
    return one_line(f"{place}: {message}" if place else message, 300)


@dataclass(frozen=True, slots=True)
class Task:
    """Work for one engine: a processor, or one direction of its bus."""

    name: str
    seconds: float
    engine: str
    stream: str
    after: tuple[str, ...] = ()
    """Names of earlier tasks that must have ended."""


def find_makespan(tasks: Sequence[Task]) -> float:
    """Seconds until all tasks have ended.

    Tasks of one stream run one after the other; so do tasks of one engine, in the order given. Kernels of several
    streams therefore never overlap on one processor: each is taken to fill it.

    >>> find_makespan([Task("a", 2.0, "gpu", "1"), Task("b", 3.0, "bus", "2"), Task("c", 1.0, "gpu", "2")])
    4.0
    """
    free: dict[tuple[str, str], float] = {}
    ended: dict[str, float] = {}
    for task in tasks:
        waits = [ended[name] for name in task.after]
        start = max([free.get(("engine", task.engine), 0.0), free.get(("stream", task.stream), 0.0), *waits])
        end = start + task.seconds
        ended[task.name] = end
        # A copy of nothing keeps no engine waiting.
        if task.seconds > 0:
            free["engine", task.engine] = end
        free["stream", task.stream] = end
    return max(ended.values(), default=0.0)


@dataclass(frozen=True, slots=True)
class Placed:
    """A stage on its processor."""

    stage: Stage
    found: AlgorithmClass
    processor: Processor
    device: str
    bounds: Bounds
    time: StageTime
    copies: tuple[float, float] = field(default=(0.0, 0.0))
    """Seconds in and out."""


def place(application: Application, stage: Stage, device: str, processor: Processor) -> Placed:
    """Forecast one stage on one processor."""
    settings = application.settings(stage)
    algorithm = parse_class(stage.text)
    bounds = find_bounds(algorithm, processor, settings)
    time = forecast_stage(stage.name, algorithm, bounds, stage.span, stage.repetitions)
    rate = host_link_rate(processor) or math.inf
    sizes = ((stage.copy_in, algorithm.elements_in), (stage.copy_out, algorithm.elements_out))
    moved = [
        elements * settings.element_bytes if asked is True else float(asked) for asked, elements in sizes
    ]  # fmt: skip
    copies = (float(transfer_time_s(moved[0], rate)), float(transfer_time_s(moved[1], rate)))
    return Placed(stage, algorithm, processor, device, bounds, time, copies)


def make_tasks(placed: list[Placed], high: bool) -> list[Task]:
    """Copies and kernels in file order."""
    tasks = []
    for p in placed:
        before, after = f"{p.stage.name}/in", f"{p.stage.name}/out"
        waits = tuple(f"{n}/out" for n in p.stage.after)
        tasks.append(Task(before, p.copies[0], f"{p.device}/in", p.stage.stream, waits))
        tasks.append(Task(p.stage.name, p.time.high_s if high else p.time.low_s, p.device, p.stage.stream, (before,)))
        tasks.append(Task(after, p.copies[1], f"{p.device}/out", p.stage.stream, (p.stage.name,)))
    return tasks


def combine(name: str, placed: list[Placed]) -> HullForecast:
    """Total of placed stages: the end of the schedule."""
    forms = dict.fromkeys(p.bounds.form for p in placed)
    notes = dict.fromkeys(note for p in placed for note in p.bounds.notes)
    return HullForecast(
        processor=name,
        form=" + ".join(forms),
        stages=tuple(p.time for p in placed),
        transfers_s=sum(sum(p.copies) for p in placed),
        total_low_s=find_makespan(make_tasks(placed, high=False)),
        total_high_s=find_makespan(make_tasks(placed, high=True)),
        notes=tuple(notes),
    )


def forecast_application(
    application: Application, processors: list[Processor], machine: dict[str, Processor]
) -> list[HullForecast]:
    """Forecast an application: on its machine where it has one, else on each processor.

    processors : one forecast each.
    machine : the processors of ``application.machine``, by their names there.
    """
    if application.machine:
        placed = [place(application, s, s.on, machine[s.on]) for s in application.stages]
        return [combine(" + ".join(dict.fromkeys(p.processor.name for p in placed)), placed)]
    if not processors:
        raise RoofcastError("no processor: name some with --on, or in the file's 'processors'")
    return [
        combine(p.name, [place(application, s, "", p) for s in application.stages]) for p in processors
    ]  # fmt: skip
