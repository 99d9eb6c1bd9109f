"""A self-contained page of cards, tables and findings: what the reports of several commands are made of.

No request leaves the page, and texts in it are only ever text.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from roofcast.core.errors import one_line
from roofcast.core.kernel_table import Provenance
from roofcast.core.markup import escape
from roofcast.core.records import dataclass
from roofcast.core.version import VERSION
from roofcast.kit.output import Render, chosen_format, deliver, dump_json, write_text, written
from roofcast.kit.palette import write_variables
from roofcast.kit.table import Table

if TYPE_CHECKING:
    from jinja2 import Template

OWN = "roofcast.kit"
BASE_STYLE = ("page.css",)
"""What every page of this package has."""
REPORT_STYLE = (*BASE_STYLE, "report.css")
"""With the cards, sections and tables of a report."""


CLOSED = ("base-uri 'none'", "form-action 'none'")
SKELETON = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title>
{head}
</head>
{body}
</html>
"""


@dataclass(frozen=True, slots=True)
class Card:
    """One large figure."""

    name: str
    figure: str
    text: str = ""
    plain: bool = False
    """Drawn without emphasis."""


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
    table: Table | None = None
    items: tuple[Item, ...] = ()
    picture: str = ""
    """SVG that this package drew: its texts are escaped already."""
    image: bytes = b""
    """The same as a picture of its own, whose styles the page cannot see."""
    live: str = ""
    """A part that a script of the page brings to life; its texts are escaped already."""

    @property
    def filter(self) -> bool:
        """Whether the table is long enough to want a filter."""
        return self.table is not None and len(self.table.rows) > 8

    @property
    def image_url(self) -> str:
        """The picture in the page itself."""
        return f"data:image/svg+xml;base64,{base64.b64encode(self.image).decode()}"


@dataclass(frozen=True, slots=True)
class Lead:
    """What stands above a view: the command line's first sentence, why it is so, and how sure it is."""

    verdict: str = ""
    why: str = ""
    sure: str = ""
    rows: tuple[Mapping[str, Any], ...] = ()
    """What the answer counts with and a reader may change, to ask again: GPUs with their prices."""


NO_LEAD = Lead()
LEAD = "roofcast-lead"
"""Name of the element that holds it, for who shows the page inside another."""


@dataclass(frozen=True, slots=True)
class Page:
    """Everything that a page shows."""

    title: str
    cards: tuple[Card, ...] = ()
    intro: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()
    command: str = ""
    """What makes this page again; '' where it was made otherwise."""
    style: str = ""
    """A further class of the body: ``paper`` is a document for two printed pages."""
    live: tuple[str, str] = ("", "")
    """Style and script of its live parts."""
    version: str = VERSION
    lead: Lead = NO_LEAD


def render_page(page: Page) -> str:
    """The page as text; the same content gives the same text."""
    own_style, own_script = page.live
    scripts = tuple(s for s in (read_assets(OWN, "tables.js"), own_script) if s)
    body = compile_template(read_assets(OWN, "page.html.j2")).render(page=page, scripts=scripts)
    images = "data:" if any(s.image for s in page.sections) else ""
    style = read_assets(OWN, *REPORT_STYLE, "tables.css") + own_style
    return render_document(page.title, body, style, scripts, images, page.lead)


def render_document(
    title: str, body: str, style: str, scripts: Sequence[str] = (), images: str = "", lead: Lead = NO_LEAD
) -> str:
    """A page by itself; nothing but its own style and scripts may run in it, and nothing be asked for.

    title : shown in the tab; any text.
    body : the ``<body>`` element, its texts escaped.
    images : sources that pictures may come from, e.g. ``data:``.
    lead : what stands above it where it is shown inside another page.
    """
    style = write_variables() + style
    allowed = [f"img-src {images}"] if images else []
    allowed += [f"script-src {' '.join(hash_source(s) for s in scripts)}"] if scripts else []
    policy = "; ".join(("default-src 'none'", *allowed, f"style-src {hash_source(style)}", *CLOSED))
    head = f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>'
    if lead.verdict:
        head = f'<meta name="{LEAD}" content="{escape(json.dumps(asdict(lead), ensure_ascii=False))}">\n{head}'
    return fill_skeleton(title, head, body)


def fill_skeleton(title: str, head: str, body: str) -> str:
    """The one skeleton of all pages, around what its head has besides the title, and its ``<body>``."""
    return SKELETON.format(title=escape(title), head=head, body=body)


def read_assets(package: str, *names: str) -> str:
    """Styles, scripts or a template of a package, one after the other."""
    folder = files(package) / "assets"
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


def hash_source(source: str) -> str:
    """What a content security policy calls this script or style."""
    # Deferred: it loads OpenSSL, and most runs make no page.
    import hashlib

    return "'sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() + "'"


def embed_json(data: Any) -> str:
    """JSON that cannot end the script element that holds it, whatever its strings say."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def round_number(value: float) -> float | None:
    """The value as a float that JSON and attributes can hold; None where absent."""
    return float(f"{value:.6g}") if math.isfinite(value) else None


def compile_template(source: str) -> Template:
    """The compiled template: everything that it prints is escaped unless marked as safe."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(source)


def name_command(page: Page, command: str) -> Page:
    """The page with what makes it again, shown at its end."""
    return replace(page, command=command) if command else page


def write_page(page: Page, path: str, command: str = "") -> str:
    """Write a page in one step and return the line that says so.

    command : what makes this page again, shown at its end.
    """
    write_text(path, render_page(name_command(page, command)))
    return written(path)


def deliver_table(
    form: str | None, output: str | None, table: Table, page: Page, *, text: Render, json: Render | None = None
) -> None:
    """Print or write rows in every format (see :func:`roofcast.kit.output.deliver`).

    page : what stands around the table on a page; one without sections gets the table as its own.
    json : how they look as JSON, by default a list.
    """

    def render() -> str:
        return render_page(page if page.sections else replace(page, sections=(Section("", table=table),)))

    texts: dict[str, Render] = {
        "table": text, "json": json or (lambda: dump_json(list(table.records()))), "html": render,
    }  # fmt: skip
    deliver(chosen_format(form, output), output, texts, rows=lambda: table)


FILE_HEADS = ("file", "format", "profiler", "SHA-256")


def provenance_section(origins: Iterable[Provenance]) -> Section:
    """Every input file once: its name, format, profiler and hash."""
    return Section("Provenance", table=Table.of_cells(FILE_HEADS, list(dict.fromkeys(map(file_row, origins)))))


def file_row(p: Provenance) -> tuple[str, str, str, str]:
    """File name, format, profiler and hash of one input."""
    return one_line(p.file, 200) or "(a stream)", one_line(p.format, 60), one_line(p.tool, 120), one_line(p.sha256, 80)


def notes_section(notes: Sequence[str], title: str = "Notes") -> tuple[Section, ...]:
    """A section of paragraphs; none where there are none."""
    return (Section(title, paragraphs=tuple(notes)),) if notes else ()
