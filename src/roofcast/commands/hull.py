"""`roofcast hull`: from an algorithm's class to its execution time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from roofcast.commands import completing, options
from roofcast.commands.typed import typed_command
from roofcast.core.errors import RoofcastError, one_line

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.hulls.application import Placed, Stage
    from roofcast.hulls.bounds import Settings
    from roofcast.hulls.graph import HullView, Point
    from roofcast.hulls.hull import HullForecast
    from roofcast.kit.table import Table

EPILOG = """\b
Examples:
  roofcast hull "1024x1024|element -> 256|shared" --on "GTX 470,H100,i7-930"
  roofcast hull "2048x2048|element -> 2048x2048|element" --complexity 1:1000 --on "GTX 470,H100" --transfers -o hull.svg
  roofcast hull "2048x2048|neighbourhood(7x7) -> 2048x2048|element" --complexity 2 --fit 100us
  roofcast hull examples/fast_focus_on_structures.toml
  roofcast hull --from-source stencil.c:jacobi --on "A100,H100"
  roofcast hull "4096x4096|element -> 4096x4096|element" --compare run.ncu-rep --on H100"""

ASSUMED = ("fma", "no-fma", "coalesced", "scattered", "warm", "cold", "threads", "one-thread", "vector", "scalar")
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
    roofline: bool = False
    """Draw the stages on a roofline, beside their times."""
    public: bool = False
    """Lay the model beside public measurements."""
    command: str = ""
    """What was typed, for a page."""

    @property
    def settings(self) -> Settings:
        """How to read the class."""
        from roofcast.hulls.bounds import DEFAULT_ELEMENT, Assumptions, Settings

        form = "auto" if self.form == "both" else self.form
        return Settings(self.element or DEFAULT_ELEMENT, form, Assumptions.of(self.assumptions), self.offset)

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What is known of the code, in words."""
        return tuple(w.strip() for w in self.assume.split(",") if w.strip())

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
        from roofcast.core.units import parse_quantity
        from roofcast.hulls.hull import check_complexity

        low, colon, high = self.complexity.partition(":")
        try:
            first = parse_quantity(low.strip(), "")
            return check_complexity(first, parse_quantity(high.strip(), "") if colon else first)
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


@click.command("hull", epilog=EPILOG)
@click.argument(
    "what", required=False, default="", metavar="[CLASS|FILE.toml]", shell_complete=completing.complete_file
)
@click.option(
    "--on", metavar="PROCESSOR[,...]", shell_complete=completing.complete_gpu,
    help="GPUs and CPUs: catalog names, TOML files, variations in braces.",
)  # fmt: skip
@click.option("--complexity", default="1", show_default=True, metavar="N[:M]",
              help="Operations of one application of the class's function, or a range.")  # fmt: skip
@click.option("--transfers", is_flag=True, help="Input and output cross the bus to and from the processor.")
@click.option("--form", "variant", default="auto", show_default=True,
              type=click.Choice(["auto", "published", "modern", "both"]),
              help="As published, or with caches, atomics and launch; auto: modern for GPUs since 2014.")  # fmt: skip
@click.option("--assume", default="", metavar="WORD[,...]", shell_complete=completing.words(*ASSUMED),
              help="What is known of the code: fma, no-fma, coalesced, scattered, warm, cold; CPUs: threads, "
              "one-thread, vector, scalar. What is left open widens the range.")  # fmt: skip
@click.option("--element", metavar="TYPE", shell_complete=completing.complete_element,
              help="Element type: fp32 (code: as declared), int32, fp64, fp16, bf16, int8, int16, int64.")  # fmt: skip
@click.option("--offset", type=float, metavar="OPS", help="Operations per unit of work beside the function's own.")
@click.option(
    "--size", "sizes", default="", metavar="A=N[,...]", help="Values of size names in the class or in the code."
)
@click.option("--measured", metavar="FILE.csv", type=click.Path(),
              help="Measured points for the graph: complexity, time_s; optional label, processor.")  # fmt: skip
@click.option("--fit", metavar="TIME", help="Which processor first meets this latency (of --on, or of the catalog).")
@click.option("--from-source", "source", metavar="FILE[:FUNCTION]", shell_complete=completing.complete_file,
              help="Classify affine loops in C or Python; with --on, forecast them.")  # fmt: skip
@click.option("--compare", metavar="PROFILE", type=click.Path(),
              help="How far the kernels of a profile are from the class.")  # fmt: skip
@click.option("--from", "origin", metavar="GPU", shell_complete=completing.complete_gpu,
              help="With --compare: GPU of the profile, where it does not say.")  # fmt: skip
@click.option(
    "--kernel",
    "pattern",
    metavar="REGEX",
    shell_complete=completing.complete_kernel,
    help="With --compare: only kernels whose name matches.",
)
@click.option("--measure-here", "here", is_flag=True,
              help="Measure this machine's CPU and primitives of rising complexity beside its hull.")  # fmt: skip
@click.option("--public-data", "public", is_flag=True,
              help="Lay the model beside measured primitives of public data (folder ROOFCAST_DATA).")  # fmt: skip
@click.option("--roofline", is_flag=True,
              help="With an application and -o FILE.svg: its stages on a roofline, beside their times.")  # fmt: skip
@click.option("--classes", is_flag=True, help="List the classes.")
@options.output_options("table", "json", "csv", "parquet")
def command(
    what: str, on: str | None, complexity: str, transfers: bool, variant: str, assume: str, element: str | None,
    offset: float | None, sizes: str, measured: str | None, fit: str | None, source: str | None, compare: str | None,
    origin: str | None, pattern: str | None, here: bool, public: bool, roofline: bool, classes: bool, form: str | None,
    output: str | None,
) -> None:  # fmt: skip
    """Forecast an algorithm class, or an application of several stages, before any code exists.

    The class says what the algorithm does to its data: "1024x1024|neighbourhood(7x7) -> 1024x1024|element".
    """
    if classes:
        from roofcast.hulls.show import render_registry
        from roofcast.kit.output import text_width

        click.echo(render_registry(text_width(None)))
        return
    said = answer(
        Request(
            what=what, on=on, complexity=complexity, transfers=transfers, form=variant, assume=assume, element=element,
            offset=offset, sizes=sizes, measured=measured, fit=fit, format=form, output=output, source=source,
            compare=compare, origin=origin, pattern=pattern, here=here, public=public, roofline=roofline,
            command=typed_command(),
        )
    )  # fmt: skip
    if said:
        click.echo(said, err=True)


def parse_processors(text: str | None) -> tuple[list[Processor], dict[str, tuple[str, ...]]]:
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
        return answer_here(request)
    if request.public:
        return answer_public(request)
    if not request.what:
        raise RoofcastError('give a class, e.g. "1024x1024|element -> 256|shared", or an application file (.toml)')
    if request.is_application:
        return answer_application(request)
    if request.compare:
        return answer_compare(request)
    return answer_fit(request) if request.fit is not None else answer_class(request)


def answer_class(request: Request) -> str | None:
    """One class on several processors."""
    from roofcast.hulls.graph import make_view, render_curves_csv
    from roofcast.hulls.hull import find_bounds, forecast_class
    from roofcast.hulls.notation import parse_class
    from roofcast.hulls.show import render_classes_table, render_hull_json, tabulate_stages

    found = parse_class(request.what, request.names)
    processors, remarks = parse_processors(request.on)
    if not processors:
        raise RoofcastError('name processors with --on, e.g. --on "H100,A100,i7-930"')
    forms = ("published", "modern") if request.form == "both" else (request.settings.form,)
    variants = [replace(request.settings, form=f) for f in forms]
    # CPUs have one form only.
    pairs = [(p, v) for p in processors for v in (variants if p.is_gpu else variants[:1])]
    forecasts = [
        add_remarks(f, remarks)
        for p, v in pairs
        for f in forecast_class(found, [p], request.span, settings=v, transfers=request.transfers)
    ]
    bounds = [find_bounds(found, p, v) for p, v in pairs]
    points = read_measured(request)
    if request.draws:
        titled = [(str(found), b) for b in bounds]
        return draw(make_view(titled, request.span, transfers=request.transfers, points=points), request)
    low, high = request.span
    return deliver_texts(
        request,
        table=lambda width: render_classes_table(forecasts, width),
        json=lambda: render_hull_json(forecasts),
        csv=(lambda: render_curves_csv(bounds, request.span, request.transfers)) if low < high else None,
        rows=tabulate_stages(forecasts),
    )


def answer_application(request: Request) -> str | None:
    """An application file."""
    from roofcast.hulls.application import forecast_application, load_application, place
    from roofcast.hulls.graph import DEFAULT_RANGE, make_view
    from roofcast.hulls.show import render_application_table, render_hull_json, tabulate_stages

    application = load_application(request.what)
    names = request.on or ",".join(application.processors)
    processors, remarks = parse_processors(None if application.machine else names)
    machine = {k: parse_processors(v)[0][0] for k, v in application.machine.items()}
    forecasts = [add_remarks(f, remarks) for f in forecast_application(application, processors, machine)]
    reported = {parse_processors(k)[0][0].name: v for k, v in application.reported.items()}
    if request.draws:
        pairs = [(s, machine[s.on]) for s in application.stages] if machine else [
            (s, p) for p in processors for s in application.stages
        ]  # fmt: skip
        placed = [place(application, s, "", p) for s, p in pairs]
        if request.roofline:
            return draw_rooflines(pairs, placed, request)
        titled = [(f"{p.stage.name}: {p.found}", p.bounds) for p in placed]
        marks = [p.time.complexity for p in placed]
        return draw(make_view(titled, DEFAULT_RANGE, marks=marks, points=read_measured(request)), request)
    extra = {
        name: {"reported": {k: v for k, v in r.model_dump().items() if v not in (None, "")}}
        for name, r in reported.items()
    }
    return deliver_texts(
        request,
        table=lambda width: render_application_table(application.name, forecasts, reported, width),
        json=lambda: render_hull_json(forecasts, extra),
        rows=tabulate_stages(forecasts),
    )


def draw_rooflines(pairs: list[tuple[Stage, Processor]], placed: list[Placed], request: Request) -> str:
    """Draw stages on the roofline of each processor."""
    from roofcast.hulls.hull_roofline import place_primitives, write_roofline_figure
    from roofcast.kit.output import written

    processors = list({p.name: p for _, p in pairs}.values())
    size = request.settings.element_bytes
    stages = [[q for (_, p), q in zip(pairs, placed, strict=True) if p.name == wanted.name] for wanted in processors]
    panels = [(p, place_primitives(own, size)) for p, own in zip(processors, stages, strict=True)]
    path = request.output or ""
    write_roofline_figure(path, panels)
    return written(path)


def answer_source(request: Request) -> str | None:
    """Classes of a source; with processors, their forecast as the stages of one application."""
    from roofcast.hulls import show
    from roofcast.hulls.application import forecast_application, make_application
    from roofcast.hulls.source.classify import classify_source

    found = classify_source(request.source or "", request.names)
    processors, remarks = parse_processors(request.on)
    if not processors:
        return deliver_texts(
            request,
            table=lambda width: show.render_source(found, width),
            rows=show.tabulate_source(found),
        )
    application = make_application(
        found, request.settings.form, request.assumptions, request.element, copied=request.transfers
    )
    forecasts = [add_remarks(f, remarks) for f in forecast_application(application, processors, {})]
    return deliver_texts(
        request,
        table=lambda width: "\n\n".join(
            [show.render_source(found, width), show.render_application_table("", forecasts, {}, width)]
        ),
        json=lambda: show.render_hull_json(forecasts),
        rows=show.tabulate_stages(forecasts),
    )


def answer_fit(request: Request) -> str | None:
    """Which processor first meets a latency budget: the first of --on, or of the catalog by launch date."""
    from roofcast.catalog import processors as shipped
    from roofcast.core.units import parse_quantity
    from roofcast.hulls import show
    from roofcast.hulls.notation import parse_class
    from roofcast.hulls.selection import order_by_launch, try_processors

    budget = parse_quantity(request.fit or "", "s")
    if budget <= 0:
        raise RoofcastError(f"--fit {one_line(request.fit or '', 40)!r}: a time above 0, e.g. 2ms")
    found = parse_class(request.what, request.names)
    asked = parse_processors(request.on)[0] if request.on else order_by_launch(shipped())
    tried = try_processors(found, asked, budget, request.span, request.settings, request.transfers)
    if not tried:
        raise RoofcastError("none of the processors has the rates that this class and element type need")
    return deliver_texts(
        request,
        table=lambda width: show.render_candidates(tried, budget, width),
        rows=show.tabulate_candidates(tried),
    )


def answer_compare(request: Request) -> str | None:
    """A class beside the kernels of a profile."""
    from roofcast.core.kernel_table import rows_matching
    from roofcast.hulls import show
    from roofcast.hulls.notation import parse_class
    from roofcast.hulls.profiles import compare_profile
    from roofcast.reading import read

    path = request.compare or ""
    found = parse_class(request.what, request.names)
    kernels = read([path])
    if request.pattern is not None:
        kernels = kernels.select(rows_matching([str(name) for name in kernels.strings("kernel")], request.pattern))
    targets, _ = parse_processors(request.on)
    rows = compare_profile(found, kernels, targets, request.span, request.settings, source=request.origin, origin=path)
    return deliver_texts(
        request,
        table=lambda width: show.render_comparison(str(found), rows, width),
        json=lambda: show.render_comparison_json(rows),
        rows=show.tabulate_comparison(rows),
    )


def answer_here(request: Request) -> str | None:
    """Measure this machine's CPU, then draw or print model and measurement side by side."""
    from roofcast.hulls import show
    from roofcast.hulls.graph import Point, make_view
    from roofcast.hulls.hull import find_bounds
    from roofcast.hulls.this_machine import check_codes, choose_class, take_faster
    from roofcast.measure.host_cpu import compiled, measure_cpu, measure_primitives

    found = choose_class(request.what, request.names)
    with compiled() as probe:
        before = measure_cpu(probe)
        measured = measure_primitives(probe, found.inputs[0].elements)
        processor = take_faster(before, measure_cpu(probe))
    bounds = find_bounds(found, processor, request.settings)
    checked = check_codes(bounds, measured)
    if request.draws:
        points = [Point(c.complexity, c.measured_s, c.meaning) for c in checked]
        low, high = min(p.complexity for p in points), max(p.complexity for p in points)
        return draw(make_view([(str(found), bounds)], (float(low) / 2, 4.0 * high), points=points), request)
    return deliver_texts(
        request,
        table=lambda width: show.render_checked(processor, checked, width),
        csv=lambda: show.render_checked_csv(processor.name, checked),
        rows=show.tabulate_checked(bounds.processor, checked),
    )


def answer_public(request: Request) -> str | None:
    """The model beside public measurements: all primitives on all GPUs."""
    from roofcast.evaluation.datasets import load
    from roofcast.hulls import show
    from roofcast.hulls.public_data import compare_public

    rows = compare_public(lambda dataset: load(dataset)[1])
    if not rows:
        raise RoofcastError("no public measurements found: set ROOFCAST_DATA to the folder of the data sets")
    return deliver_texts(
        request,
        table=lambda width: show.render_public(rows, width),
        rows=show.tabulate_public(rows),
    )


def read_measured(request: Request) -> list[Point]:
    """Measured points of the CSV that was named."""
    from roofcast.hulls.graph import read_points

    return read_points(request.measured) if request.measured else []


def add_remarks(forecast: HullForecast, remarks: dict[str, tuple[str, ...]]) -> HullForecast:
    """A forecast with the notes on its processor's name first."""
    return replace(forecast, notes=(*remarks.get(forecast.processor, ()), *forecast.notes))


def draw(view: HullView, request: Request) -> str:
    """Draw into the output file and say so."""
    from roofcast.hulls.graph import write_hull_figure, write_hull_html
    from roofcast.kit.output import written

    path = request.output or ""
    if path.lower().endswith(".html"):
        write_hull_html(view, path, request.command)
    else:
        write_hull_figure(view, path)
    return written(path)


def deliver_texts(
    request: Request,
    *,
    table: Callable[[int], str],
    json: Callable[[], str] | None = None,
    csv: Callable[[], str] | None = None,
    rows: Table | None = None,
) -> str | None:
    """Print or write text; the line that says where a file went.

    table : takes the width to fill. rows : what the forms that are not given are made of.
    """
    from roofcast.kit.output import Render, chosen_format, deliver, dump_json, text_width, written

    texts: dict[str, Render] = {"table": lambda: table(text_width(request.output))}
    if rows is not None:
        texts |= {"json": lambda: dump_json(list(rows.records())), "csv": rows.csv}
    texts |= {form: made for form, made in (("json", json), ("csv", csv)) if made is not None}
    files = {} if rows is None else {"parquet": rows.write_parquet}
    deliver(chosen_format(request.format, request.output), request.output, texts, files)
    return written(request.output) if request.output and request.output != "-" else None
