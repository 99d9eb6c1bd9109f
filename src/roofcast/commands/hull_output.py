"""`roofcast hull`: what was asked for, and the answer in the format that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from roofcast.core.errors import RoofcastError, one_line
from roofcast.core.processor import Processor
from roofcast.core.units import parse_quantity
from roofcast.hulls.bounds import Assumptions, Bounds, Settings
from roofcast.hulls.hull import HullForecast, bounds_of, checked_complexity, forecast_class
from roofcast.hulls.notation import parse_class
from roofcast.hulls.show import hull_data
from roofcast.hulls.show.hull_view import DEFAULT_RANGE, HullView, Point, read_points, view_of
from roofcast.kit.output import chosen_format, deliver, text_width, written

DEFAULT_ELEMENT = "fp32"
PICTURES = {".svg", ".png", ".pdf", ".html"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """The options of the command, as typed."""

    what: str = ""
    """A class text, or the path of an application file."""
    on: str | None = None
    complexity: str = "1"
    transfers: bool = False
    form: str = "auto"
    assume: str = ""
    element: str | None = None
    """Element type; None: as the source declares, else fp32."""
    offset: float | None = None
    sizes: str = ""
    measured: str | None = None
    fit: str | None = None
    format: str | None = None
    output: str | None = None
    source: str | None = None
    """File of code to classify, with ``:function``."""
    compare: str | None = None
    """Profile to lay beside the class."""
    origin: str | None = None
    """GPU that the profile is of, where it does not say."""
    pattern: str | None = None
    here: bool = False
    public: bool = False
    """Lay the model beside public measurements."""
    command: str = ""
    """What was typed, for a page."""

    @property
    def settings(self) -> Settings:
        """How to read the class."""
        words = tuple(w.strip() for w in self.assume.split(",") if w.strip())
        form = "auto" if self.form == "both" else self.form
        return Settings(self.element or DEFAULT_ELEMENT, form, Assumptions.of(words), self.offset)

    @property
    def names(self) -> dict[str, int]:
        """Values of size names."""
        found = {}
        for item in filter(None, (i.strip() for i in self.sizes.split(","))):
            name, equals, value = (p.strip() for p in item.partition("="))
            plain = equals and value.isdecimal() and len(value) < 16
            # Code has sizes of any name, a class has capitals.
            if not plain or not name or not (self.source or name.isupper()):
                raise RoofcastError(f'--size {one_line(item, 40)!r}: write names in capitals, e.g. "A=1024,B=512"')
            found[name] = int(value)
        return found

    @property
    def span(self) -> tuple[float, float]:
        """Complexity as a range."""
        low, colon, high = self.complexity.partition(":")
        try:
            first = parse_quantity(low.strip(), "")
            return checked_complexity(first, parse_quantity(high.strip(), "") if colon else first)
        except RoofcastError as error:
            raise RoofcastError(f"--complexity {one_line(self.complexity, 40)!r}: {error}") from error

    @property
    def draws(self) -> bool:
        """Whether the output is a picture."""
        return bool(self.output) and Path(self.output or "").suffix.lower() in PICTURES

    @property
    def is_application(self) -> bool:
        """Whether a file is asked for, not a class."""
        return self.what.lower().endswith(".toml") or ("|" not in self.what and Path(self.what).is_file())


def named(text: str | None) -> tuple[list[Processor], dict[str, tuple[str, ...]]]:
    """Processors of a list of names, and per processor the notes on its name."""
    from roofcast.catalog import parse_target, split_targets

    matches = [parse_target(part) for part in split_targets(text or "")]
    return [m.processor for m in matches], {m.processor.name: m.notes for m in matches}


def answer(request: Request) -> str | None:
    """Do what was asked for; the line that says where a file went, if one was written.

    Raises
    ------
    RoofcastError : anything that the user can fix.
    """
    if request.source:
        return answer_source(request)
    if request.here:
        from roofcast.commands.hull_here import answer_here

        return answer_here(request)
    if request.public:
        from roofcast.commands.hull_public import answer_public

        return answer_public(request)
    if not request.what:
        raise RoofcastError('give a class, e.g. "1024x1024|element -> 256|shared", or an application file (.toml)')
    if request.is_application:
        return answer_application(request)
    if request.compare:
        from roofcast.commands.hull_compare import answer_compare

        return answer_compare(request)
    return answer_fit(request) if request.fit is not None else answer_class(request)


def answer_class(request: Request) -> str | None:
    """One class on several processors."""
    found = parse_class(request.what, request.names)
    processors, remarks = named(request.on)
    if not processors:
        raise RoofcastError('name processors with --on, e.g. --on "H100,A100,i7-930"')
    settings = request.settings
    forms = ("published", "modern") if request.form == "both" else (settings.form,)
    variants = [Settings(settings.element, f, settings.assume, settings.offset_ops) for f in forms]
    forecasts = [
        forecast
        for p in processors
        for v in (variants if p.is_gpu else variants[:1])
        for forecast in forecast_class(found, [p], request.span, settings=v, transfers=request.transfers)
    ]
    bounds = [bounds_of(found, p, v) for p in processors for v in (variants if p.is_gpu else variants[:1])]
    forecasts = [with_notes(f, remarks) for f in forecasts]
    return deliver_class(request, forecasts, bounds, points_of(request))


def deliver_class(
    request: Request, forecasts: list[HullForecast], bounds: list[Bounds], points: list[Point]
) -> str | None:
    """A class's forecasts as picture, text or data."""
    from roofcast.hulls.show.hull_text import render_classes_table

    text = forecasts[0].stages[0].text
    if request.draws:
        titled = [(text, b) for b in bounds]
        return picture(view_of(titled, request.span, transfers=request.transfers, points=points), request)
    texts: dict[str, Callable[[], str]] = {
        "table": lambda: render_classes_table(forecasts, text_width(request.output)),
        "json": lambda: hull_data.render_hull_json(forecasts),
        "csv": lambda: (
            hull_data.render_curves_csv(bounds, request.span, request.transfers)
            if request.span[0] < request.span[1]
            else hull_data.render_hull_csv(forecasts)
        ),
    }
    return delivered(request, texts)


def answer_application(request: Request) -> str | None:
    """An application file."""
    from roofcast.hulls.application import forecast_application, load_application, place
    from roofcast.hulls.show.hull_text import render_application_table

    application = load_application(request.what)
    names = request.on or ",".join(application.processors)
    processors, remarks = named(None if application.machine else names)
    machine = {k: named(v)[0][0] for k, v in application.machine.items()}
    forecasts = [with_notes(f, remarks) for f in forecast_application(application, processors, machine)]
    reported = {named(k)[0][0].name: v for k, v in application.reported.items()}
    if request.draws:
        pairs = [(s, machine[s.on]) for s in application.stages] if machine else [
            (s, p) for p in processors for s in application.stages
        ]  # fmt: skip
        placed = [place(application, s, "", p) for s, p in pairs]
        titled = [(f"{p.stage.name}: {p.found}", p.bounds) for p in placed]
        marks = [p.time.complexity for p in placed]
        return picture(view_of(titled, DEFAULT_RANGE, marks=marks, points=points_of(request)), request)
    extra = {
        name: {"reported": {k: v for k, v in r.model_dump().items() if v not in (None, "")}}
        for name, r in reported.items()
    }
    texts: dict[str, Callable[[], str]] = {
        "table": lambda: render_application_table(
            application.name, forecasts, reported, text_width(request.output)
        ),
        "json": lambda: hull_data.render_hull_json(forecasts, extra),
        "csv": lambda: hull_data.render_hull_csv(forecasts),
    }  # fmt: skip
    return delivered(request, texts)


def answer_source(request: Request) -> str | None:
    """Classes of a source; with processors, their forecast as the stages of one application."""
    from roofcast.hulls.application import Application, forecast_application
    from roofcast.hulls.show.hull_text import render_application_table, render_found
    from roofcast.hulls.source.classify import classify_source

    found = classify_source(request.source or "", request.names)
    processors, remarks = named(request.on)
    if not processors:
        texts: dict[str, Callable[[], str]] = {
            "table": lambda: render_found(found, text_width(request.output)),
            "json": lambda: hull_data.render_found_json(found),
            "csv": lambda: hull_data.render_found_csv(found),
        }
        return delivered(request, texts)
    stages = [
        {
            "name": f"{n}. {f.name}",
            "class": str(f.found),
            "complexity": f.complexity,
            "repetitions": f.repetitions,
            "element": request.element or f.element or DEFAULT_ELEMENT,
            "copy_in": request.transfers,
            "copy_out": request.transfers,
        }
        for n, f in enumerate(found, start=1)
    ]
    words = tuple(w.strip() for w in request.assume.split(",") if w.strip())
    application = Application.model_validate({"form": request.settings.form, "assume": words, "stages": tuple(stages)})
    forecasts = [with_notes(f, remarks) for f in forecast_application(application, processors, {})]
    texts = {
        "table": lambda: "\n\n".join(
            [
                render_found(found, text_width(request.output)),
                render_application_table("", forecasts, {}, text_width(request.output)),
            ]
        ),
        "json": lambda: hull_data.render_hull_json(forecasts),
        "csv": lambda: hull_data.render_hull_csv(forecasts),
    }
    return delivered(request, texts)


def answer_fit(request: Request) -> str | None:
    """Which processor first meets a latency budget: the first of --on, or of the catalog by launch date."""
    from roofcast.catalog import processors as shipped
    from roofcast.hulls.selection import by_launch, candidates
    from roofcast.hulls.show.hull_text import render_candidates

    budget = parse_quantity(request.fit or "", "s")
    if budget <= 0:
        raise RoofcastError(f"--fit {one_line(request.fit or '', 40)!r}: a time above 0, e.g. 2ms")
    found = parse_class(request.what, request.names)
    asked = named(request.on)[0] if request.on else by_launch(shipped())
    tried = candidates(found, asked, budget, request.span, request.settings, request.transfers)
    if not tried:
        raise RoofcastError("none of the processors has the rates that this class and element type need")
    texts: dict[str, Callable[[], str]] = {
        "table": lambda: render_candidates(tried, budget, text_width(request.output)),
        "json": lambda: hull_data.render_candidates_json(tried),
        "csv": lambda: hull_data.render_candidates_csv(tried),
    }
    return delivered(request, texts)


def points_of(request: Request) -> list[Point]:
    """Measured points of the CSV that was named."""
    return read_points(request.measured) if request.measured else []


def with_notes(forecast: HullForecast, remarks: dict[str, tuple[str, ...]]) -> HullForecast:
    """A forecast with the notes on its processor's name first."""
    from dataclasses import replace

    return replace(forecast, notes=(*remarks.get(forecast.processor, ()), *forecast.notes))


def picture(view: HullView, request: Request) -> str:
    """Draw into the output file and say so."""
    path = request.output or ""
    if path.lower().endswith(".html"):
        from roofcast.hulls.show.hull_page import write_hull_html

        write_hull_html(view, path, request.command)
    else:
        from roofcast.hulls.show.hull_figure import write_hull_figure

        write_hull_figure(view, path)
    return written(path)


def delivered(request: Request, texts: dict[str, Callable[[], str]]) -> str | None:
    """Print or write text; the line that says where a file went."""
    deliver(chosen_format(request.format, request.output), request.output, texts)
    return written(request.output) if request.output and request.output != "-" else None
