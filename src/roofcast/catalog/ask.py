"""The question `gpus`: what the catalog holds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

from roofcast.core.records import dataclass
from roofcast.kit.asked import Ask, Option
from roofcast.kit.returned import Drawing, Found, View

if TYPE_CHECKING:
    from roofcast.catalog.audit import Line
    from roofcast.catalog.finding import Match
    from roofcast.core.processor import Processor


@dataclass(frozen=True, repr=False, eq=False)
class Listed(Found["Sequence[Processor]"]):
    """Processors of the catalog; a row each."""

    kind = "gpus"

    def shown(self) -> View[Sequence[Processor]]:
        """Print the catalog."""
        from roofcast.catalog import show
        from roofcast.kit.output import render_json
        from roofcast.kit.page import Page, Section
        from roofcast.kit.table import Table

        def tabulate(found: Sequence[Processor]) -> Table:
            return show.tabulate_processors(found, 160)

        return View(
            show.render_overview, lambda found: {"processors": list(tabulate(found).records())}, tabulate,
            lambda found: Page("GPUs and CPUs", intro=(show.OVERVIEW_NOTE,),
                               sections=(Section("", table=tabulate(found)),)),
            draw_bandwidths, key="processors",
            texts={"json": lambda found: render_json({"processors": tabulate(found).records()})},
        )  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class Entry(Found["Match"]):
    """One entry of the catalog; a row per value."""

    kind = "gpus"
    own: str = ""
    """The file that it was read from, where it was to be checked."""

    def shown(self) -> View[Match]:
        """Print an entry; of a file that was to be checked one line."""
        from roofcast.catalog import show
        from roofcast.kit.page import Page, Section

        def text(match: Match, width: int) -> str:
            return show.describe_valid(self.own, match) if self.own else show.render_entry(match, width)

        return View(
            text, show.record_entry, lambda m: show.tabulate_entry(m.processor),
            lambda m: Page(m.processor.name, intro=(*m.notes, *m.processor.notes),
                           sections=(Section("", table=show.tabulate_entry(m.processor)),)),
            lambda m: draw_bandwidths([m.processor]), key="values",
        )  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class Audit(Found["list[Line]"]):
    """How wrong estimates of the catalog are; a row per rule."""

    kind = "gpus"

    def shown(self) -> View[list[Line]]:
        """Print an audit."""
        from roofcast.catalog import audit
        from roofcast.kit.bars import Bar, BarPicture
        from roofcast.kit.page import Page, Section

        return View(
            audit.render_audit, lambda lines: list(audit.tabulate_audit(lines).records()), audit.tabulate_audit,
            lambda lines: Page("How wrong estimates are", intro=(audit.AUDIT_NOTE,),
                               sections=(Section("", table=audit.tabulate_audit(lines)),)),
            lambda lines: BarPicture("median error", "%", [Bar(f"{a.quantity}: {a.name}", a.typical) for a in lines]),
        )  # fmt: skip


@overload
def gpus(name: str) -> Entry: ...
@overload
def gpus(name: None = None, *, validate: str | Path) -> Entry: ...
@overload
def gpus(name: None = None, *, audit: Literal[True]) -> Audit: ...
@overload
def gpus(
    name: None = None, *, vendor: str | None = None, search: str | None = None, segment: str | None = None,
    since: int | None = None, on_sale: bool = False, like: str | None = None,
) -> Listed: ...  # fmt: skip
def gpus(
    name: str | None = None, *, vendor: str | None = None, search: str | None = None,
    validate: str | Path | None = None, segment: str | None = None, since: int | None = None, on_sale: bool = False,
    like: str | None = None, audit: bool = False,
) -> Listed | Entry | Audit:  # fmt: skip
    """List the catalog, show one entry with the source of every value, or check an entry of your own.

    vendor : Only entries of this vendor.
    search : Only entries whose name, aliases or architecture contain this.
    validate : Check a TOML file that describes a GPU.
    segment : Only entries of datacentre, workstation, consumer or mobile.
    since : Only entries launched since a year.
    on_sale : Only entries of the generations that are sold or rented today.
    like : What comes nearest to a few words: "HBM3e, 140 GB".
    audit : How wrong estimates are: leave each measured GPU out and estimate it.

    A row per processor, or of one per value with unit, source and uncertainty.
    """
    from roofcast import catalog
    from roofcast.catalog import selecting, show

    if validate is not None:
        return Entry(catalog.load_own(str(validate)), str(validate))
    if audit:
        from roofcast.catalog.audit import audit_estimates

        return Audit(audit_estimates())
    if name is not None:
        return Entry(catalog.parse_target(name))
    listed = selecting.select_current(
        show.select_processors(catalog.processors(), vendor, search), segment, since, on_sale
    )
    if like is not None:
        listed = selecting.rank_likeness(listed, like)
    return Listed(listed)


def draw_bandwidths(processors: Sequence[Processor]) -> Drawing:
    """DRAM bandwidths as bars."""
    from roofcast.core.resource import Resource
    from roofcast.kit.bars import Bar, BarPicture

    return BarPicture("DRAM bandwidth", "B/s", [Bar(p.name, p.rate(Resource.BYTES_DRAM)) for p in processors])


ASK = Ask(
    name="gpus",
    run=gpus,
    options={
        "name": Option("[NAME]", kind="gpu", argument=True),
        "vendor": Option("VENDOR"),
        "search": Option("TEXT"),
        "validate": Option("FILE", kind="path"),
        "segment": Option("SEGMENT"),
        "since": Option("YEAR", kind="year"),
        "on_sale": Option(),
        "like": Option("TEXT"),
        "audit": Option(),
    },
    examples=(
        "roofcast gpus --search hopper",
        'roofcast gpus "NVIDIA H100 PCIe"',
        'roofcast gpus --like "HBM3e, 140 GB"',
        "roofcast gpus --segment datacentre --since 2022 --on-sale",
        "roofcast gpus --audit",
        "roofcast gpus --validate my-gpu.toml",
    ),
)
"""The question, in every door."""
