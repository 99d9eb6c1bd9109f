"""The four papers beside what roofcast computes: how far apart they are, as a table, a document and a page."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from roofcast.core.errors import DatasetError, RoofcastError, one_line
from roofcast.core.results import or_none
from roofcast_evaluate.on_gpu import Here, tabulate_forecasts, tell_items
from roofcast_evaluate.paper_figures import figure_sections
from roofcast_evaluate.paper_items import PAPERS, Item, Numbers, list_items


@dataclass(frozen=True)
class Compared:
    """One item beside what was computed for it."""

    item: Item
    found: tuple[float, ...] = ()
    missing: str = ""
    """Why there is no number of ours; '' where none was asked for."""
    here: str = ""
    """What it is on the GPU of this machine; '' where nobody measured there."""

    @property
    def deviation(self) -> float:
        """The largest relative deviation from the printed numbers, with its sign; NaN where there is none."""
        if isinstance(self.item.printed, str) or not self.found or not self.item.alike:
            return math.nan
        pairs = [(o, p) for o, p in zip(self.found, self.item.printed, strict=True) if p]
        return max((o / p - 1 for o, p in pairs), key=abs, default=math.nan)


def compare_papers(names: Iterable[str] = (), tell: Callable[[str], None] | None = None) -> list[Compared]:
    """The items of some papers (default: all), computed.

    names : of :data:`PAPERS`. tell : takes the name of each item before it is computed.

    Raises
    ------
    DatasetError : an unknown paper.
    """
    chosen = list(names) or list(PAPERS)
    for name in chosen:
        if name not in PAPERS:
            raise DatasetError(f"unknown paper {one_line(name, 60)!r}: use one of {', '.join(PAPERS)}")
    compared = []
    for item in list_items():
        if item.paper in chosen:
            if tell and item.find:
                tell(item.name)
            compared.append(compute(item))
    return compared


def compute(item: Item) -> Compared:
    """One item with its numbers, or with the reason why there are none here."""
    if item.find is None:
        return Compared(item)
    try:
        return Compared(item, tuple(float(v) for v in item.find()))
    except DatasetError:
        where = "`roofcast evaluate --list` says where it is from"
        return Compared(item, missing=f"needs the data set {item.data} ({where})")
    except RoofcastError as error:
        return Compared(item, missing=one_line(str(error), 120))


def format_numbers(values: Numbers, unit: str) -> str:
    """Numbers as a table has them.

    >>> format_numbers((6890, 846.4, 1.028), "GB/s")
    '6890, 846, 1.03 GB/s'
    """
    text = ", ".join(f"{v:.0f}" if abs(v) >= 100 else f"{v:.4g}" if v == round(v) else f"{v:.3g}" for v in values)
    return f"{text} {unit}".strip()


def record(found: Compared) -> dict[str, Any]:
    """One row for machines; absent numbers are null."""
    item = found.item
    return {
        "paper": item.paper, "item": item.name, "command": item.command, "unit": item.unit or None,
        "printed": item.printed if isinstance(item.printed, str) else list(item.printed), "ours": list(found.found),
        "deviation": or_none(found.deviation),
        "note": found.missing or item.ours or None, **({"here": found.here} if found.here else {}),
    }  # fmt: skip


def cells(found: Compared) -> tuple[str, ...]:
    """Item, command, what is printed, ours, how far apart they are, and what it is here."""
    from roofcast.kit.quantities import format_percent

    item = found.item
    printed = (
        item.printed
        if isinstance(item.printed, str)
        else format_numbers(item.printed, item.unit)
        if item.printed
        else ""
    )
    ours = format_numbers(found.found, item.unit) if found.found else found.missing
    remark = "; ".join(part for part in (ours, item.ours) if part)
    apart = "" if math.isnan(found.deviation) else format_percent(found.deviation)
    return item.name, item.command, printed, remark, apart, found.here


HEADS = ("item", "command, place", "printed", "ours", "farthest apart")
"""Of the table; the last is the largest deviation of any number in the row."""


ABOUT = """# The papers, item by item

`roofcast papers -o docs/papers.md` prints this page: what each paper prints, what roofcast computes, and how far apart
the farthest numbers of a row are. What needs a GPU waits for one; its command is ready. The files of the third paper
are read from the folder `ROOFCAST_DATA`, by hash. `roofcast papers -o papers.html` also draws the figures: where nobody
here has measured a paper's programs, those of the same kind in the data sets, by the paper's own model.
"""
WITH_GPU = """## When a GPU is there

Nothing here changes a card's settings. With `pip install 'roofcast[cuda]'`:

```
roofcast papers --on-gpu gpu -o papers.html
roofcast papers --on-gpu gpu --beside other/suite.csv -o papers.html
roofcast measure ceilings -o here.toml
roofcast gpus --validate here.toml
roofcast roofline gpu/gpp.counters.csv -o steps.svg
roofcast advise gpu/gpp.counters.csv
```

The first runs the suite, the eight steps as ours and with the paper's loop, and counts them where Nsight Compute may;
it writes their tables to the folder `gpu`, adds a column and forecasts them for the papers' GPUs. What the folder holds
is not measured again. `--beside`: suites of other GPUs, and how far the paper's model is off from each to this one.

Results belong under `src/roofcast/catalog/measurements/`, which the package carries, with command, driver, clocks and
date.
"""


def add_here(compared: Sequence[Compared], here: Here) -> list[Compared]:
    """The items with what they are on a GPU that was measured."""
    by_item = tell_items(here)
    return [replace(c, here=by_item.get(c.item.name, "")) for c in compared]


def heads_of(compared: Sequence[Compared]) -> tuple[str, ...]:
    """The table's heads, with one more where a GPU was measured."""
    return (*HEADS, "here") if any(c.here for c in compared) else HEADS


def render_document(compared: Sequence[Compared]) -> str:
    """Markdown: a table per paper; of all papers docs/papers.md."""
    papers = list(dict.fromkeys(c.item.paper for c in compared))
    parts, heads = [ABOUT], heads_of(compared)
    for paper in papers:
        rows = [f"|{'|'.join(markdown_cells(c, heads))}|" for c in compared if c.item.paper == paper]
        head = f"|{'|'.join(heads)}|\n|{'---|' * len(heads)}"
        parts.append(f"## {PAPERS[paper]}\n\n{head}\n" + "\n".join(rows) + "\n")
    return "\n".join([*parts, WITH_GPU])


def markdown_cells(found: Compared, heads: Sequence[str] = HEADS) -> list[str]:
    """The cells of a row below some heads, commands as code."""
    name, command, *rest = (cell.replace("|", "\\|") for cell in cells(found)[: len(heads)])
    code = command if command.startswith(("[", "`")) else f"`{command}`"
    return [name, code, *rest]


def render_papers(compared: Sequence[Compared], width: int) -> str:
    """A table per paper for people; the commands stand in the other formats."""
    from roofcast.kit.table import Table

    parts, heads = [], heads_of(compared)
    for paper, title in PAPERS.items():
        rows = [(c[0], *c[2 : len(heads)]) for c in (cells(c) for c in compared if c.item.paper == paper)]
        if rows:
            parts.append("\n".join([title, "", *Table.of_cells((heads[0], *heads[2:]), rows, right={3}).lines(width)]))
    return "\n\n".join(parts)


def make_page(compared: Sequence[Compared], here: Here | None = None) -> Any:
    """A section per paper: the table, then the figures that can be drawn without a GPU."""
    from roofcast.kit.page import Page, Section
    from roofcast.kit.table import Table

    sections: list[Section] = []
    heads = heads_of(compared)
    for paper, title in PAPERS.items():
        rows = [cells(c)[: len(heads)] for c in compared if c.item.paper == paper]
        if rows:
            sections += [Section(title, table=Table.of_cells(heads, rows, right={4})), *figure_sections(paper)]
    if here is not None:
        sentences = ("Measured here, forecast for the GPUs of the papers.",)
        sections.append(Section("What was measured here, elsewhere", sentences, table=tabulate_forecasts(here)))
    return Page("The papers, item by item", sections=tuple(sections))
