"""The question `gpus`: what the catalog holds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, overload

from roofcast.core.display import View
from roofcast.kit.asked import Ask, Found, make_view

if TYPE_CHECKING:
    from roofcast.catalog.finding import Match
    from roofcast.core.processor import Processor


@dataclass(frozen=True, repr=False)
class Listed(Found):
    """Processors of the catalog; a row each."""

    kind = "gpus"
    found: Sequence[Processor]

    def shown(self) -> View:
        """The view of a list."""
        return view_overview()


@dataclass(frozen=True, repr=False)
class Entry(Found):
    """One entry of the catalog; a row per value."""

    kind = "gpus"
    found: Match

    def shown(self) -> View:
        """The view of an entry."""
        return view_entry()


@overload
def gpus(name: str) -> Entry: ...
@overload
def gpus(
    name: None = None, *, vendor: str | None = None, search: str | None = None, segment: str | None = None,
    since: int | None = None, on_sale: bool = False, like: str | None = None,
) -> Listed: ...  # fmt: skip
def gpus(
    name: str | None = None, *, vendor: str | None = None, search: str | None = None, segment: str | None = None,
    since: int | None = None, on_sale: bool = False, like: str | None = None,
) -> Listed | Entry:  # fmt: skip
    """The catalog, a row per processor; or one entry, a row per value with unit, source and uncertainty."""
    from roofcast import catalog
    from roofcast.catalog import selecting, show

    if name is not None:
        return Entry(catalog.parse_target(name))
    listed = selecting.select_current(
        show.select_processors(catalog.processors(), vendor, search), segment, since, on_sale
    )
    if like is not None:
        listed = selecting.rank_likeness(listed, like)
    return Listed(listed)


def draw_bandwidths(processors: Sequence[Processor]) -> Any:
    """DRAM bandwidths as bars."""
    from roofcast.core.resource import Resource
    from roofcast.kit.bars import Bar, BarPicture

    return BarPicture("DRAM bandwidth", "B/s", [Bar(p.name, p.rate(Resource.BYTES_DRAM)) for p in processors])


def view_entry() -> View:
    """How one entry of the catalog shows itself."""
    from roofcast.catalog import show
    from roofcast.kit.page import Page, Section

    return make_view(
        show.render_entry, show.record_entry, "values", lambda m: show.tabulate_entry(m.processor),
        lambda m: Page(m.processor.name, intro=(*m.notes, *m.processor.notes),
                       sections=(Section("", table=show.tabulate_entry(m.processor)),)),
        lambda m: draw_bandwidths([m.processor]),
    )  # fmt: skip


def view_overview() -> View:
    """How the catalog shows itself."""
    from roofcast.catalog import show
    from roofcast.kit.page import Page, Section

    def record(processors: Sequence[Processor]) -> dict[str, Any]:
        return {"processors": list(show.tabulate_processors(processors, 160).records())}

    return make_view(
        show.render_overview, record, "processors", lambda found: show.tabulate_processors(found, 160),
        lambda found: Page("GPUs and CPUs", intro=(show.OVERVIEW_NOTE,),
                           sections=(Section("", table=show.tabulate_processors(found, 160)),)),
        draw_bandwidths,
    )  # fmt: skip


ASK = Ask(
    name="gpus",
    run=gpus,
    view=view_overview,
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
