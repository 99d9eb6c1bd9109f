"""Blocks of an ncu CSV read by compiled code, where it was compiled at installation.

It takes a block only where every line is plain: all cells quoted, one row per line. What it takes reads as on the
forgiving path of :mod:`roofcast.ingest.ncu.rows`; for everything else, and without it, the other paths are there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from roofcast.ingest.ncu.layout import Layout
from roofcast.ingest.ncu.quoted_numbers import points_only
from roofcast.ingest.text.numbers import FloatArray, Kind, KindArray, parse_numbers, settle_block

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
    launches, launch_of, metrics, metric_of, numbers = found
    of_launch, of_metric = np.frombuffer(launch_of, np.int32), np.frombuffer(metric_of, np.int32)
    read = settled(numbers, known)
    name = parts.index(layout.metric)
    wanted = [i for i, cells in enumerate(metrics) if cells[name] == text_metric]
    texts = read.texts_where(np.isin(of_metric[read.odd_at], wanted)) if wanted else []
    return Block(launches, read.values, read.kinds, texts, metrics, of_launch, of_metric)


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
    launches, numbers = found
    read = settled(numbers, known)
    count = len(layout.wide)
    wanted = [j for j, (_, name, _) in enumerate(layout.wide) if name == text_metric]
    texts = read.texts_where(np.isin(read.odd_at % count, wanted)) if wanted else []
    return Block(launches, read.values.reshape(-1, count), read.kinds.reshape(-1, count), texts, [])


@dataclass
class Read:
    """The n values of a block, and the k texts among them that the compiled code did not read."""

    values: FloatArray
    kinds: KindArray
    odd_at: Positions
    """(k,) their positions among the values."""
    odd_of: IndexArray
    """(k,) positions in ``odd``."""
    odd: list[str]

    def texts_where(self, chosen: NDArray[np.bool_]) -> list[tuple[int, str]]:
        """Those of the k texts that are chosen, each with its position among the values."""
        return [(int(self.odd_at[i]), self.odd[int(self.odd_of[i])]) for i in np.flatnonzero(chosen)]


def settled(numbers: _quoted_cells.Numbers, known: dict[str, tuple[float, Kind]]) -> Read:
    """The values with the odd texts read, and the doubtful ones as far as the block shows its locale."""
    values: FloatArray = np.frombuffer(numbers[0], np.float64)
    kinds: KindArray = np.frombuffer(numbers[1], np.uint8)
    at, of, odd = np.frombuffer(numbers[2], np.int64), np.frombuffer(numbers[3], np.int32), numbers[4]
    if len(at):
        odd_values, odd_kinds = parse_numbers(odd, known)
        values[at], kinds[at] = odd_values[of], odd_kinds[of]
    if not (kinds == Kind.DECIMAL_POINT).any() or (kinds == Kind.DECIMAL_COMMA).any():
        return Read(*settle_block(values, kinds), at, of, odd)
    # The common case: points, so that doubtful commas group. Those few are changed in place.
    commas = np.flatnonzero(kinds == Kind.EITHER_COMMA)
    values[commas] = np.rint(values[commas] * 1000)
    return Read(values, points_only(kinds.shape), at, of, odd)
