"""Blocks of an ncu CSV read by compiled code, where it was compiled at installation.

It takes a block only where every line is plain: all cells quoted, one row per line. What it takes reads as on the
forgiving path of :mod:`roofcast.ingest.ncu_rows`; for everything else, and without it, the other paths are there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.ingest.ncu_layout import Layout
from roofcast.ingest.numbers import FloatArray, Kind, KindArray, parse_numbers, settle_block
from roofcast.ingest.quoted_numbers import points_only

try:
    from roofcast.ingest import _quoted_cells
except ImportError:
    _quoted_cells = None  # type: ignore[assignment]

Positions = NDArray[np.int64]
IndexArray = NDArray[np.int32]

MAX_COLUMN = 254
"""Of a long CSV; the compiled code keeps no more."""


@dataclass
class Block:
    """What the lines of a block hold."""

    launches: list[tuple[str, ...]]
    """Identity cells of each, in the order of ``Layout.identity_columns``."""
    values: FloatArray
    """(n,) one per line of a long CSV; (launches, metrics) of a wide one. NaN where absent."""
    kinds: KindArray
    texts: list[tuple[int, str]]
    """Values of :data:`TEXT_METRIC`: flat position among the values, text."""
    metrics: list[tuple[str, ...]]
    """Section, name and unit of those of a long CSV, as far as it has them."""
    launch_of: IndexArray | None = None
    """(n,) positions, of a long CSV."""
    metric_of: IndexArray | None = None


def is_compiled() -> bool:
    """Whether the compiled code is there."""
    return _quoted_cells is not None


def long_cells(block: bytes, layout: Layout, text_metric: str, known: dict[str, tuple[float, Kind]]) -> Block | None:
    """A block of whole lines with a metric each; None where one is not plain.

    text_metric : name of the metric whose values are texts. known : what tokens mean, kept between calls.
    """
    identity = tuple(i for _, i in layout.identity_columns)
    parts = tuple(i for i in (layout.section, layout.metric, layout.unit) if i >= 0)
    anchor = layout.identity.get("id", layout.identity.get("process", -1))
    if _quoted_cells is None or max(*identity, *parts, layout.value) > MAX_COLUMN:
        return None
    found = _quoted_cells.read_long(
        block,
        ord(layout.delimiter),
        identity,
        tuple(layout.key_columns),
        parts,
        anchor,
        layout.identity["kernel"],
        layout.metric,
        layout.value,
        text_metric.encode(),
    )
    if found is None:
        return None
    launches, launch_of, metrics, metric_of, numbers, shown, odd_at, odd_of, odd = found
    of_launch, of_metric = np.frombuffer(launch_of, np.int32), np.frombuffer(metric_of, np.int32)
    values, kinds, at = settled(numbers, shown, odd_at, odd_of, odd, known)
    name = parts.index(layout.metric)
    wanted = [i for i, cells in enumerate(metrics) if cells[name] == text_metric]
    texts = texts_of(of_metric[at], wanted, at, odd_of, odd)
    return Block(launches, values, kinds, texts, metrics, of_launch, of_metric)


def wide_cells(block: bytes, layout: Layout, text_metric: str, known: dict[str, tuple[float, Kind]]) -> Block | None:
    """A block of whole lines with a launch each; None where one is not plain."""
    if _quoted_cells is None:
        return None
    roles = bytearray(b"-" * layout.columns)
    for i, name, _ in layout.wide:
        roles[i : i + 1] = b"t" if name == text_metric else b"n"
    for _, i in layout.identity_columns:
        roles[i : i + 1] = b"i"
    places = {name: place for place, (name, _) in enumerate(layout.identity_columns)}
    anchor = places.get("id", places.get("process", -1))
    found = _quoted_cells.read_wide(block, ord(layout.delimiter), bytes(roles), anchor, places["kernel"])
    if found is None:
        return None
    launches, numbers, shown, odd_at, odd_of, odd = found
    values, kinds, at = settled(numbers, shown, odd_at, odd_of, odd, known)
    count = len(layout.wide)
    wanted = [j for j, (_, name, _) in enumerate(layout.wide) if name == text_metric]
    texts = texts_of(at % count, wanted, at, odd_of, odd)
    return Block(launches, values.reshape(-1, count), kinds.reshape(-1, count), texts, [])


def texts_of(
    metric_of: NDArray[np.integer], wanted: list[int], at: Positions, odd_of: bytearray, odd: list[str]
) -> list[tuple[int, str]]:
    """Those of the odd values whose metric is wanted: position among all values, text."""
    if not wanted:
        return []
    of = np.frombuffer(odd_of, np.int32)
    return [(int(at[i]), odd[int(of[i])]) for i in np.flatnonzero(np.isin(metric_of, wanted))]


def settled(
    numbers: bytearray,
    shown: bytearray,
    odd_at: bytearray,
    odd_of: bytearray,
    odd: list[str],
    known: dict[str, tuple[float, Kind]],
) -> tuple[FloatArray, KindArray, Positions]:
    """(n,) values and kinds with the odd tokens read, as far as the block shows its locale; (k,) where they stood."""
    values: FloatArray = np.frombuffer(numbers, np.float64)
    kinds: KindArray = np.frombuffer(shown, np.uint8)
    at: Positions = np.frombuffer(odd_at, np.int64)
    if len(at):
        odd_values, odd_kinds = parse_numbers(odd, known)
        of = np.frombuffer(odd_of, np.int32)
        values[at], kinds[at] = odd_values[of], odd_kinds[of]
    if not (kinds == Kind.DECIMAL_POINT).any() or (kinds == Kind.DECIMAL_COMMA).any():
        return *settle_block(values, kinds), at
    # The common case: points, so that doubtful commas group. Those few are changed in place.
    commas = np.flatnonzero(kinds == Kind.EITHER_COMMA)
    values[commas] = np.rint(values[commas] * 1000)
    return values, points_only(kinds.shape), at
