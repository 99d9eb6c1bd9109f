"""A self-contained page of cards, tables and findings: what the reports of several commands are made of.

No request leaves the page, and texts in it are only ever text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files

from roofcast.analyses.rooflines.roofline_page import source_hash
from roofcast.core.kernel_table import Provenance
from roofcast.core.version import VERSION
from roofcast.kit.files import write_text


@dataclass(frozen=True, slots=True)
class Card:
    """One large figure."""

    name: str
    figure: str
    text: str = ""
    plain: bool = False
    """Drawn without emphasis."""


@dataclass(frozen=True, slots=True)
class PageRow:
    """One row of a table."""

    cells: tuple[str, ...]
    sort: tuple[float | None, ...] = ()
    """What a cell sorts by, where not by its text."""
    hover: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One finding."""

    title: str
    gain: str
    facts: tuple[tuple[str, str], ...]
    bar: float | None = None
    """Per cent of a bar that is filled."""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with paragraphs, a table, and findings; what is empty is left out."""

    title: str
    paragraphs: tuple[str, ...] = ()
    header: tuple[str, ...] = ()
    right: tuple[bool, ...] = ()
    rows: tuple[PageRow, ...] = ()
    items: tuple[Item, ...] = ()
    picture: str = ""
    """SVG that this package drew: its texts are escaped already."""

    @property
    def filter(self) -> bool:
        """Whether the table is long enough to want a filter."""
        return len(self.rows) > 8


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that a page shows."""

    title: str
    cards: tuple[Card, ...] = ()
    intro: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    command: str = ""
    """What makes this page again; '' where it was made otherwise."""
    version: str = VERSION


def render_page(page: Page) -> str:
    """The page as text; the same content gives the same text."""
    from markupsafe import Markup

    from roofcast.analyses.report.forecast_html import template_of

    folder = files("roofcast.kit") / "assets"

    def asset(*names: str) -> str:
        return "".join((folder / name).read_text(encoding="utf-8") for name in names)

    style, script = asset("roofline.css", "report_forecast.css", "report_page.css"), asset("report_page.js")
    return template_of(asset("report_page.html.j2")).render(
        page=filled(page),
        style=Markup(style),  # noqa: S704 - files of this package
        script=Markup(script),  # noqa: S704 - a file of this package
        style_hash=source_hash(style),
        script_hash=source_hash(script),
    )


def filled(page: Page) -> Page:
    """The page with a sort key, or its absence, for every cell."""

    def row(r: PageRow) -> PageRow:
        return replace(r, sort=(*r.sort, *[None] * (len(r.cells) - len(r.sort))))

    sections = tuple(replace(s, rows=tuple(row(r) for r in s.rows)) for s in page.sections)
    return replace(page, sections=sections)


def write_page(page: Page, path: str, command: str = "") -> str:
    """Write a page in one step and return the line that says so.

    command : what makes this page again, shown at its end.

    Raises
    ------
    RoofcastError : the file cannot be written.
    """
    from roofcast.kit.output import written

    write_text(path, render_page(replace(page, command=command) if command else page))
    return written(path)


def provenance_section(origins: Iterable[Provenance]) -> Section:
    """Every input file once: its name, format, profiler and hash."""
    from roofcast.analyses.report.html_facts import file_row

    return Section(
        "Provenance", header=("file", "format", "profiler", "SHA-256"), right=(False,) * 4,
        rows=tuple(PageRow(r) for r in dict.fromkeys(file_row(o) for o in origins)),
    )  # fmt: skip


def notes_section(notes: Sequence[str], title: str = "Notes") -> tuple[Section, ...]:
    """A section of paragraphs; none where there are none."""
    return (Section(title, paragraphs=tuple(notes)),) if notes else ()
