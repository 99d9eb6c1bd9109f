"""A choice as a self-contained page."""

from __future__ import annotations

from roofcast.analyses.sweeps.choosing import Choice
from roofcast.analyses.sweeps.show_choice import HEADER, cells, fleet_lines, notes_of, shown_columns, verdict
from roofcast.core.errors import one_line
from roofcast.core.units import format_quantity
from roofcast.kit.page import Card, Page, PageRow, Section, notes_section


def choice_page(choice: Choice) -> Page:
    """Verdict, ranking, fleet and assumptions."""
    first = choice.options[0]
    rows = [cells(choice, i) for i in range(len(choice.options))]
    columns = shown_columns(choice, rows)
    table = Section(
        "Ranking",
        header=tuple(HEADER[k] for k in columns),
        right=tuple(k != 1 for k in columns),
        rows=tuple(
            PageRow(tuple(row[k] for k in columns), tuple(keys[k] for k in columns), o.price.source)
            for row, keys, o in zip(rows, (sort_keys(choice, i) for i in range(len(rows))), choice.options, strict=True)
        ),
    )
    fleet = fleet_lines(choice)
    sections = (table, *((Section("Fleet", paragraphs=tuple(fleet)),) if fleet else ()))
    interval = f"{format_quantity(first.low_s, 's')} – {format_quantity(first.high_s, 's')}"
    cards = (
        Card(one_line(first.processor.name, 60), format_quantity(first.time_s, "s"), interval),
        Card("GPUs ranked", str(len(choice.options)), f"{choice.kernels} kernels", plain=True),
    )
    return Page("Which GPU", cards, (verdict(choice),), (*sections, *notes_section(notes_of(choice))))


def sort_keys(choice: Choice, i: int) -> tuple[float | None, ...]:
    """What each cell sorts by."""
    o = choice.options[i]
    price = o.price
    return (
        float(i), None, o.time_s, o.low_s, None if o.beats_next != o.beats_next else o.beats_next,
        o.per(price.price_usd), o.per(price.power_w), o.per(price.rack_units),
        *(None if count is None else float(count) for count in (o.needed, o.fits)), price.price_usd,
        o.break_even_hours,
    )  # fmt: skip
