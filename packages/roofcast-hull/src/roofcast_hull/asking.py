"""Questions about algorithm classes: what is asked, and the answer in every form that it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.extras import import_extra
from roofcast.kit.output import Picture, dump_json
from roofcast.kit.page import Page, Section, write_page
from roofcast.kit.returned import IMAGES, View
from roofcast.kit.table import Column, Table, make_plain
from roofcast_hull import show

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast_hull.application import Application, Placed, Stage
    from roofcast_hull.bounds import Bounds, Settings
    from roofcast_hull.graph import HullView, Point
    from roofcast_hull.hull import HullForecast
    from roofcast_hull.source.classify import Classified


@dataclass(frozen=True)
class HullAnswer:
    """What was found, in the forms that the command prints."""

    text: Callable[[int], str]
    """Takes the width to fill."""
    tabulate: Callable[[], Table]
    as_records: Callable[[], list[dict[str, Any]]] | None = None
    """What JSON holds; else the rows."""
    as_csv: Callable[[], str] | None = None
    """Else the rows."""
    draw: Callable[[str], HullView | RooflinePanels] | None = None
    """Takes what the picture is of: '' for times, ``roofline`` for stages on rooflines."""
    forecasts: tuple[HullForecast, ...] = ()

    @property
    def rows(self) -> Table:
        """The table."""
        return self.tabulate()

    def records(self) -> list[dict[str, Any]]:
        """What JSON holds."""
        return self.as_records() if self.as_records is not None else list(self.rows.records())

    def json(self) -> str:
        """The text of ``--format json``."""
        return dump_json(self.records())

    def csv(self) -> str:
        """The text of ``--format csv``."""
        return self.as_csv() if self.as_csv is not None else self.rows.csv()

    def save(self, path: str, *, roofline: bool = False, command: str = "") -> None:
        """Draw into a file."""
        from roofcast_hull.graph import write_hull_figure, write_hull_html
        from roofcast_hull.hull_roofline import write_roofline_figure

        view = self.view_of(roofline)
        if isinstance(view, RooflinePanels):
            write_roofline_figure(path, view.panels)
        elif path.lower().endswith(".html"):
            write_hull_html(view, path, command)
        else:
            write_hull_figure(view, path)

    def view_of(self, roofline: bool = False) -> HullView | RooflinePanels:
        """What the picture shows."""
        if self.draw is None:
            raise RoofcastError("nothing to draw: only classes and applications on processors have a graph")
        return self.draw("roofline" if roofline else "")


@dataclass(frozen=True)
class RooflinePanels:
    """Stages on the roofline of each processor."""

    panels: list[Any]


class HullPicture(Picture):
    """The graph of an answer."""

    def __init__(self, answer: HullAnswer) -> None:
        from roofcast_hull.graph import draw_figure

        view: Any = answer.view_of()
        self.answer = answer
        super().__init__(lambda: draw_figure(view))

    def save(self, path: str) -> None:
        """Write it; the suffix chooses .svg, .png, .pdf or .html."""
        self.answer.save(path)


def view_answer() -> View[HullAnswer]:
    """How an answer shows itself."""

    def draw(answer: HullAnswer, path: Path, roofline: bool = False) -> None:
        answer.save(str(path), roofline=roofline)

    def draw_page(answer: HullAnswer, path: Path, roofline: bool = False, command: str = "") -> None:
        if answer.draw is None:
            write_page(make_page(answer), str(path), command)
        else:
            answer.save(str(path), roofline=roofline, command=command)

    return View(
        lambda a, width: a.text(width), lambda a: a.records(), lambda a: tabulate_plainly(a.rows), make_page,
        HullPicture, rows=lambda a: a.rows, texts={"csv": lambda a: a.csv()},
        files={**dict.fromkeys(IMAGES, draw), "html": draw_page},
    )  # fmt: skip


def tabulate_plainly(table: Table) -> Table:
    """A table for machines as one for people: its keys are the headings."""
    keyed = [c for c in table.columns if c.key]

    def plain(column: Column) -> Column:
        return Column(column.key, lambda row: make_plain(column.value(row)))

    return Table(list(map(plain, keyed)), table.rows)


def make_page(found: HullAnswer) -> Page:
    """A page with the rows; the graph is in what ``plot`` writes."""
    text = tuple(found.text(120).splitlines())
    return Page("Boat hull", sections=(Section("", table=tabulate_plainly(found.rows)),), intro=text)


@dataclass(frozen=True, slots=True, kw_only=True)
class HullQuestion:
    """What is asked, in the words of the command line."""

    what: str = ""
    """A class text, or the path of an application file."""
    on: str | Sequence[str] | None = None
    complexity: str | float = ""
    """'': a product and a sum for a matrix product, else 1."""
    transfers: bool = False
    form: str = "auto"
    assume: str = ""
    element: str | None = None
    """Element type; None: as the source declares, else fp32."""
    offset: float | None = None
    sizes: str | Mapping[str, int] = ""
    measured: str | None = None
    fit: str | None = None
    source: str | None = None
    """File of code to classify, with ``:function``."""
    compare: str | None = None
    """Profile to lay beside the class."""
    origin: str | None = None
    """GPU that the profile is of, where it does not say."""
    kernel: str | None = None
    """Regular expression of the profile's kernels."""

    @property
    def settings(self) -> Settings:
        """How to read the class."""
        from roofcast_hull.bounds import DEFAULT_ELEMENT, Assumptions, Settings

        form = "auto" if self.form == "both" else self.form
        return Settings(self.element or DEFAULT_ELEMENT, form, Assumptions.of(self.assumptions), self.offset)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is known of the code, in words."""
        return tuple(w.strip() for w in self.assume.split(",") if w.strip())

    def refuse_beside_source(self) -> None:
        """Refuse what says nothing of code.

        Raises
        ------
        RoofcastError : something is asked that goes with a class alone.
        """
        given = {
            f"the class {one_line(self.what, 40)!r}": self.what, "--complexity": self.complexity != "",
            "--fit": self.fit, "--compare": self.compare, "--measured": self.measured,
            "--offset": self.offset is not None, "--from": self.origin, "--kernel": self.kernel,
        }  # fmt: skip
        for name, value in given.items():
            if value:
                raise RoofcastError(f"--from-source reads classes and their operations from code: leave out {name}")

    @property
    def names(self) -> dict[str, int]:
        """Values of size names."""
        values: dict[str, int] = {}
        given = self.sizes if isinstance(self.sizes, str) else ",".join(f"{k}={v}" for k, v in self.sizes.items())
        for item in filter(None, (i.strip() for i in given.split(","))):
            name, equals, value = (p.strip() for p in item.partition("="))
            number = read_size(value) if equals and name else None
            if number is None:
                raise RoofcastError(f'--size {one_line(item, 40)!r}: name and whole number from 0 on, e.g. "N=1024"')
            # Code has sizes of any name, a class has capitals.
            if not (self.source or name.isupper()):
                raise RoofcastError(
                    f'--size {one_line(item, 40)!r}: a class has names in capitals, e.g. "A=1024,B=512"'
                )
            if values.get(name, number) != number:
                raise RoofcastError(f"--size {one_line(name, 40)} is given twice: {values[name]} and {number}")
            values[name] = number
        return values

    @property
    def span(self) -> tuple[float, float]:
        """Complexity as a range."""
        from roofcast.core.units import parse_quantity
        from roofcast_hull.classes import default_complexity
        from roofcast_hull.hull import check_complexity
        from roofcast_hull.notation import parse_class

        if self.complexity == "":
            usual = default_complexity(parse_class(self.what, self.names)) if "|" in self.what else 1.0
            return usual, usual
        low, colon, high = str(self.complexity).partition(":")
        try:
            first = parse_quantity(low.strip(), "")
            return check_complexity(first, parse_quantity(high.strip(), "") if colon else first)
        except RoofcastError as error:
            raise RoofcastError(f"--complexity {one_line(str(self.complexity), 40)!r}: {error}") from error

    @property
    def is_application(self) -> bool:
        """Whether a file is asked for, not a class."""
        return self.what.lower().endswith(".toml") or ("|" not in self.what and Path(self.what).is_file())


def read_size(text: str) -> int | None:
    """A whole number from 0 on, ``1048576`` or ``1e6``; None for anything else.

    >>> read_size("1e6"), read_size("-7"), read_size("1.5"), read_size("inf")
    (1000000, None, None, None)
    """
    if text.isdecimal() and len(text) < 16:
        return int(text)
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if 0 <= number < 1e15 and number.is_integer() and text[0].isdecimal() else None


def parse_processors(text: str | Sequence[str] | None) -> tuple[list[Processor], dict[str, tuple[str, ...]]]:
    """Processors of a list of names, and per processor the notes on its name."""
    from roofcast.catalog import parse_target, split_targets

    given = text if isinstance(text, str) else ",".join(text or ())
    matches = [parse_target(part) for part in split_targets(given)]
    return [m.processor for m in matches], {m.processor.name: m.notes for m in matches}


def answer(question: HullQuestion, progress: Callable[[str, float], None] | None = None) -> HullAnswer:
    """The answer to a question. progress : takes what is done, and the share of it."""
    if question.source:
        question.refuse_beside_source()
        return answer_source(question, progress)
    if not question.what:
        raise RoofcastError('give a class, e.g. "1024x1024|element -> 256|shared", or an application file (.toml)')
    if question.is_application:
        return answer_application(question)
    if question.compare:
        return answer_compare(question)
    return answer_fit(question) if question.fit is not None else answer_class(question)


def answer_here(question: HullQuestion) -> HullAnswer:
    """Measure this machine's CPU, then draw or print model and measurement side by side."""
    from roofcast_hull.graph import Point, make_view
    from roofcast_hull.hull import find_bounds
    from roofcast_hull.this_machine import check_codes, choose_class, take_faster

    cpu = import_extra("roofcast_measure.host_cpu", "measure", "--measure-here")
    algorithm = choose_class(question.what, question.names)
    with cpu.compiled() as probe:
        before = cpu.measure_cpu(probe)
        measured = cpu.measure_primitives(probe, algorithm.inputs[0].elements)
        processor = take_faster(before, cpu.measure_cpu(probe))
    bounds = find_bounds(algorithm, processor, question.settings)
    checked = check_codes(bounds, measured)

    def draw(_: str) -> HullView:
        points = [Point(c.complexity, c.measured_s, c.meaning) for c in checked]
        low, high = min(p.complexity for p in points), max(p.complexity for p in points)
        return make_view([(str(algorithm), bounds)], (float(low) / 2, 4.0 * high), points=points)

    return HullAnswer(
        lambda width: show.render_checked(processor, checked, width),
        partial(show.tabulate_checked, bounds.processor, checked),
        as_csv=lambda: show.render_checked_csv(processor.name, checked), draw=draw,
    )  # fmt: skip


def answer_public() -> HullAnswer:
    """The model beside public measurements: all primitives on all GPUs."""
    from roofcast_hull.public_data import compare_public

    datasets = import_extra("roofcast_evaluate.datasets", "evaluate", "--public-data")
    rows = compare_public(lambda dataset: datasets.load(dataset)[1])
    if not rows:
        raise RoofcastError("no public measurements found: set ROOFCAST_DATA to the folder of the data sets")
    return HullAnswer(partial(show.render_public, rows), partial(show.tabulate_public, rows))


def answer_class(question: HullQuestion) -> HullAnswer:
    """One class on several processors."""
    from roofcast_hull.graph import render_curves_csv
    from roofcast_hull.hull import find_bounds, forecast_class
    from roofcast_hull.notation import parse_class

    algorithm = parse_class(question.what, question.names)
    processors, remarks = parse_processors(question.on)
    if not processors:
        raise RoofcastError('name processors with --on, e.g. --on "H100,A100,i7-930"')
    forms = ("published", "modern") if question.form == "both" else (question.settings.form,)
    variants = [replace(question.settings, form=f) for f in forms]
    # CPUs have one form only.
    pairs = [(p, v) for p in processors for v in (variants if p.is_gpu else variants[:1])]
    forecasts = [
        add_remarks(f, remarks)
        for p, v in pairs
        for f in forecast_class(algorithm, [p], question.span, settings=v, transfers=question.transfers)
    ]
    bounds = [find_bounds(algorithm, p, v) for p, v in pairs]
    points = read_measured(question)
    titled = [(str(algorithm), b) for b in bounds]
    low, high = question.span
    return HullAnswer(
        partial(show.render_classes_table, forecasts), partial(show.tabulate_stages, forecasts),
        partial(show.record_forecasts, forecasts),
        partial(render_curves_csv, bounds, question.span, question.transfers) if low < high else None,
        partial(draw_class, titled, question.span, question.transfers, points), tuple(forecasts),
    )  # fmt: skip


def draw_class(
    titled: list[tuple[str, Bounds]], span: tuple[float, float], transfers: bool, points: list[Point], _: str
) -> HullView:
    """Times of a class on several processors."""
    from roofcast_hull.graph import make_view

    return make_view(titled, span, transfers=transfers, points=points)


def answer_application(question: HullQuestion) -> HullAnswer:
    """An application file."""
    from roofcast_hull.application import forecast_application, load_application

    application = load_application(question.what)
    names = question.on or list(application.processors)
    processors, remarks = parse_processors(None if application.machine else names)
    machine = {k: parse_processors(v)[0][0] for k, v in application.machine.items()}
    forecasts = [add_remarks(f, remarks) for f in forecast_application(application, processors, machine)]
    reported = {parse_processors(k)[0][0].name: v for k, v in application.reported.items()}
    points = read_measured(question)

    extra = {
        name: {"reported": {k: v for k, v in asdict(r).items() if v not in (None, "")}} for name, r in reported.items()
    }
    return HullAnswer(
        partial(show.render_application_table, application.name, forecasts, reported),
        partial(show.tabulate_stages, forecasts), partial(show.record_forecasts, forecasts, extra), None,
        partial(draw_application, application, processors, machine, question, points), tuple(forecasts),
    )  # fmt: skip


def draw_application(
    application: Application, processors: list[Processor], machine: dict[str, Processor], question: HullQuestion,
    points: list[Point], kind: str,
) -> HullView | RooflinePanels:  # fmt: skip
    """Times of the stages, or (``roofline``) the stages on the roofline of each processor."""
    from roofcast_hull.application import place
    from roofcast_hull.graph import DEFAULT_RANGE, make_view

    if machine:
        pairs = [(s, machine[s.on]) for s in application.stages]
    else:
        pairs = [(s, p) for p in processors for s in application.stages]
    placed = [place(application, s, "", p) for s, p in pairs]
    if kind == "roofline":
        return place_on_rooflines(pairs, placed, question)
    titled = [(f"{p.stage.name}: {p.found}", p.bounds) for p in placed]
    return make_view(titled, DEFAULT_RANGE, marks=[p.time.complexity for p in placed], points=points)


def place_on_rooflines(
    pairs: list[tuple[Stage, Processor]], placed: list[Placed], question: HullQuestion
) -> RooflinePanels:
    """Stages on the roofline of each processor."""
    from roofcast_hull.hull_roofline import place_primitives

    processors = list({p.name: p for _, p in pairs}.values())
    size = question.settings.element_bytes
    stages = [[q for (_, p), q in zip(pairs, placed, strict=True) if p.name == wanted.name] for wanted in processors]
    return RooflinePanels(
        [(p, place_primitives(of_processor, size)) for p, of_processor in zip(processors, stages, strict=True)]
    )


def answer_source(question: HullQuestion, progress: Callable[[str, float], None] | None) -> HullAnswer:
    """Classes of a source; with processors, their forecast as the stages of one application."""
    from roofcast_hull.application import forecast_application, make_application
    from roofcast_hull.source.classify import classify_file

    # Before code is read, which takes a while.
    processors, remarks = parse_processors(question.on)
    classified = classify_file(question.source or "", question.names, counted=True, progress=progress)
    if not processors:
        return HullAnswer(partial(show.render_source, classified), partial(show.tabulate_source, classified))
    # What others hold is no time beside theirs.
    stages = [f for f in classified.classes if not f.part_of]
    application = make_application(
        stages, question.settings.form, question.assumptions, question.element, copied=question.transfers
    )
    forecasts = [add_remarks(f, remarks) for f in forecast_application(application, processors, {})]
    return HullAnswer(
        partial(render_source_forecast, classified, forecasts),
        partial(show.tabulate_source_stages, classified, stages, forecasts),
        partial(show.record_source, classified, stages, forecasts), None,
        partial(draw_application, application, processors, {}, question, []), tuple(forecasts),
    )  # fmt: skip


def render_source_forecast(classified: Classified, forecasts: list[HullForecast], width: int) -> str:
    """What a source was found to be, and its forecast as an application."""
    parts = [show.render_source(classified, width), show.render_application_table("", forecasts, {}, width)]
    return "\n\n".join(parts)


def answer_fit(question: HullQuestion) -> HullAnswer:
    """Which processor first meets a latency budget: the first of --on, or of the catalog by launch date."""
    from roofcast.catalog import processors as shipped
    from roofcast.core.units import parse_quantity
    from roofcast_hull.notation import parse_class
    from roofcast_hull.selection import order_by_launch, try_processors

    budget = parse_quantity(question.fit or "", "s")
    if budget <= 0:
        raise RoofcastError(f"--fit {one_line(question.fit or '', 40)!r}: a time above 0, e.g. 2ms")
    algorithm = parse_class(question.what, question.names)
    asked = parse_processors(question.on)[0] if question.on else order_by_launch(shipped())
    tried = try_processors(algorithm, asked, budget, question.span, question.settings, question.transfers)
    if not tried:
        raise RoofcastError("none of the processors has the rates that this class and element type need")
    return HullAnswer(partial(show.render_candidates, tried, budget), partial(show.tabulate_candidates, tried))


def answer_compare(question: HullQuestion) -> HullAnswer:
    """A class beside the kernels of a profile."""
    from roofcast.core.kernel_table import rows_matching
    from roofcast.reading import read
    from roofcast_hull.notation import parse_class
    from roofcast_hull.profiles import compare_profile

    path = question.compare or ""
    algorithm = parse_class(question.what, question.names)
    kernels = read([path])
    if question.kernel is not None:
        kernels = kernels.select(rows_matching([str(name) for name in kernels.strings("kernel")], question.kernel))
    targets, _ = parse_processors(question.on)
    rows = compare_profile(
        algorithm, kernels, targets, question.span, question.settings, source=question.origin, origin=path
    )
    return HullAnswer(
        partial(show.render_comparison, str(algorithm), rows), partial(show.tabulate_comparison, rows),
        partial(show.record_comparisons, rows),
    )  # fmt: skip


def read_measured(question: HullQuestion) -> list[Point]:
    """Measured points of the CSV that was named."""
    from roofcast_hull.graph import read_points

    return read_points(question.measured) if question.measured else []


def add_remarks(forecast: HullForecast, remarks: dict[str, tuple[str, ...]]) -> HullForecast:
    """A forecast with the notes on its processor's name first."""
    return replace(forecast, notes=(*remarks.get(forecast.processor, ()), *forecast.notes))
