"""Forecasts for machines: JSON, CSV and Parquet, with the same keys in the same order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from json import JSONEncoder
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.core.extras import has_polars, import_extra
from roofcast.core.version import VERSION
from roofcast.forecasting.forecasts import RECORD_KEYS, Forecast, join_texts, number_series
from roofcast.kit.output import Rows, render_json
from roofcast.kit.table import escape_formulas, join_list, render_csv
from roofcast.reports.next_measurement import advise_next
from roofcast.reports.show import select_longest
from roofcast.reports.verdict import state_forecast

if TYPE_CHECKING:
    import polars

NESTED = ("time_s_by_resource_source", "time_s_by_resource_target")


def render_forecast_json(forecast: Forecast, *, explain: bool = False) -> str:
    """:func:`stream_forecast_json` as one text."""
    return "".join(stream_forecast_json(forecast, explain=explain))


def stream_forecast_json(forecast: Forecast, *, explain: bool = False, top: int | None = None) -> Iterator[str]:
    """:func:`record_forecast` in parts, a forecast or many at a time."""
    listed = select_longest(forecast, top)
    in_columns = not explain and len(listed) >= COLUMNS_LEAST and has_polars()
    return render_json(record_around(forecast, stream_rows(listed) if in_columns else list_records(listed, explain)))


def record_forecast(forecast: Forecast, *, explain: bool = False, top: int | None = None) -> dict[str, Any]:
    """What JSON holds, its rows made one after the other: ``{"roofcast": VERSION, "verdict": ..., "subject": ...,
    "promise": ..., "conditions": {...}, "forecasts": [...], "totals": [...], "narrowing": {...}}``; the last is what
    would narrow the intervals most, None for nothing.

    explain : add ``waterfall`` to each forecast: seconds by cause that lead from the source to the target.
    top : rows of the kernels with most time alone; totals are of all.
    """
    return record_around(forecast, list_records(select_longest(forecast, top), explain))


def record_around(forecast: Forecast, rows: Iterator[Any]) -> dict[str, Any]:
    """What is said of a forecast as a whole, around its rows."""
    advice = advise_next(forecast)
    return {
        "roofcast": VERSION, **state_forecast(forecast).record(), "conditions": dict(forecast.conditions_told),
        "forecasts": rows, "totals": [t.record() for t in forecast.totals],
        "narrowing": None if advice is None else advice.record(),
    }  # fmt: skip


def list_records(forecast: Forecast, explain: bool) -> Iterator[dict[str, Any]]:
    """The forecasts one after the other, each with what was asked for beside it."""
    chains, m = forecast.explain() if explain else None, len(forecast.targets)
    for position, row in enumerate(forecast.records()):
        if chains is not None:
            row["waterfall"] = {c.value: s for c, s in chains.of(position // m, position % m).items()}
        yield row


COLUMNS_LEAST, ROWS_AT_ONCE = 8192, 1 << 12
"""Forecasts from which their text is made of columns: Polars takes as long to start as so many rows do one by one; and
how many at once.
"""


def stream_rows(forecast: Forecast) -> Iterator[Rows]:
    """The forecasts as :func:`list_records` has them, many at a time: the same keys and values, each column made text
    at once, as Polars writes numbers (``1e-6`` for ``1e-06``).
    """
    import polars as pl

    quote = JSONEncoder(ensure_ascii=False).encode

    def quoted(texts: polars.Series) -> polars.Series:
        """Texts that repeat are quoted once."""
        once = texts.unique()
        values = [None if t is None else quote(t) for t in once.to_list()]
        return texts.replace_strict(once, pl.Series(values, dtype=pl.String), return_dtype=pl.String)

    sides = (forecast.estimate.time_s_by_resource_source, forecast.estimate.time_s_by_resource_target)
    length = max(1, ROWS_AT_ONCE // max(1, len(forecast.targets)))
    for first in range(0, len(forecast.kernels), length):
        rows = slice(first, first + length)
        texts = {
            name: (quoted(values) if values.dtype == pl.String else values.cast(pl.String)).fill_null("null")
            for name, values in forecast.columns(rows).items()
        }
        for name, by_resource in zip(NESTED, sides, strict=True):
            seconds = [(r, number_series("", forecast.flatten_seconds(v, rows))) for r, v in by_resource.items()]
            members = [f'"{r.value}": ' + v.cast(pl.String) for r, v in seconds if v.null_count() < len(v)]
            texts[name] = enclosed("{", members, "}", len(texts["kernel"]))
        for name, parts in (("assumed", forecast.code_assumed(rows)), ("notes", forecast.code_notes(rows))):
            texts[name] = enclosed("[", [join_texts(parts, ", ", quote)], "]", len(texts["kernel"]))
        pieces = [piece for key in RECORD_KEYS for piece in (pl.lit(f', "{key}": '), texts[key])]
        joined = pl.select(pl.concat_str([pl.lit(f'{{"{RECORD_KEYS[0]}": '), *pieces[1:], pl.lit("}")])).to_series()
        yield Rows(joined.str.join(Rows.between).item())


def enclosed(start: str, members: Sequence[polars.Series], end: str, n: int) -> polars.Series:
    """(n,) what is there of each row's members, behind each other within brackets."""
    import polars as pl

    inside = pl.concat_str(members, separator=", ", ignore_nulls=True) if members else pl.lit("")
    return pl.select(pl.concat_str([pl.repeat(start, n), inside, pl.lit(end)])).to_series()


def build_forecast_frame(forecast: Forecast) -> polars.DataFrame:
    """One row per kernel and target; seconds per resource become columns, lists are joined with '; '."""
    import polars as pl

    columns = forecast.columns()
    estimate = forecast.estimate
    for name, parts in (("assumed", forecast.code_assumed()), ("notes", forecast.code_notes())):
        texts = join_texts(parts, "; ").alias(name)
        columns[name] = texts.set(texts == "", None)
    header = [k for k in RECORD_KEYS if k not in NESTED]
    for key, by_resource in zip(
        NESTED, (estimate.time_s_by_resource_source, estimate.time_s_by_resource_target), strict=True
    ):
        for resource in sorted(by_resource, key=lambda r: r.value):
            seconds = number_series(f"{key}.{resource.value}", forecast.flatten_seconds(by_resource[resource]))
            if seconds.null_count() < len(seconds):
                columns[seconds.name] = seconds
                header.append(seconds.name)
    return escape_formulas(pl.DataFrame({name: columns[name] for name in header}))


def render_forecast_csv(forecast: Forecast, top: int | None = None) -> str:
    """:func:`build_forecast_frame` as text. top : only the kernels with most time."""
    forecast = select_longest(forecast, top)
    if has_polars():
        return build_forecast_frame(forecast).write_csv()
    rows = [
        {**row, **{f"{key}.{name}": s for key in NESTED for name, s in row[key].items() if s is not None}}
        for row in forecast.records()
    ]
    header = [k for k in RECORD_KEYS if k not in NESTED]
    header += sorted({k for row in rows for k in row} - {*RECORD_KEYS})
    return render_csv(header, ([join_list(row.get(k)) for k in header] for row in rows))


def write_forecast_csv(forecast: Forecast, path: Path, top: int | None = None) -> None:
    """The same into a file, without the whole text in memory where Polars is installed."""
    if has_polars():
        build_forecast_frame(select_longest(forecast, top)).write_csv(path)
    else:
        path.write_text(render_forecast_csv(forecast, top), encoding="utf-8", newline="")


PART_CELLS = 1 << 17
"""Forecasts at once in a Parquet file: some 200 MB with their columns."""


def write_whole_parquet(forecast: Forecast, path: Path, top: int | None = None) -> None:
    """:func:`write_parquet` of a forecast that is held whole."""
    write_parquet([select_longest(forecast, top)], path)


def write_parquet(parts: Iterable[Forecast], path: Path) -> None:
    """Parquet with nested columns, as :meth:`Forecast.to_polars` gives them, a part after the other: what has been
    written is in memory no longer.
    """
    register_io_source = import_extra("polars.io.plugins", "tables", "Parquet").register_io_source
    frames = (part.to_polars() for part in parts)
    first = next(frames)

    def read(columns: list[str] | None, *_: object) -> Iterator[polars.DataFrame]:
        for frame in chain((first,), frames):
            yield frame if columns is None else frame.select(columns)

    # The first level: the same size as by default, in half the time.
    register_io_source(read, schema=first.schema).sink_parquet(path, compression="zstd", compression_level=1)
