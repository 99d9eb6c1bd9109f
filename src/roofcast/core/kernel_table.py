"""KernelTable: kernels and what is known of each launch, as columns."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from roofcast.core.columns import ALL_NUMERIC, TEXT_COLUMNS, Origin
from roofcast.core.equality import Alike
from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast.core.extras import require_polars
from roofcast.core.frozen import freeze
from roofcast.core.markup import escape
from roofcast.core.records import dataclass
from roofcast.core.resource import Resource
from roofcast.core.units import format_quantity

if TYPE_CHECKING:
    import pandas
    import polars

FloatArray = NDArray[np.float64]
OriginArray = NDArray[np.uint8]
FileArray = NDArray[np.int32]
TextArray = NDArray[np.object_]
Made = TypeVar("Made")

LARGEST = 1e24
"""No count, amount or time of a launch is larger, nor smaller than its inverse: 1e24 bytes take the fastest memory of
today four thousand years. What lies beyond is damage. Sums, products and ratios of what lies within stay finite."""


class ContentHash:
    """Field for a hash, given as such or as what computes it, which is called when the hash is first asked for."""

    def __get__(self, owner: Provenance | None, kind: type) -> str:
        """The hash; of the class, the default."""
        if owner is None:
            return ""
        given: str | Callable[[], str] = owner.__dict__["sha256"]
        if callable(given):
            given = owner.__dict__["sha256"] = given()
        return given

    def __set__(self, owner: Provenance, given: str | Callable[[], str]) -> None:
        """Keep it."""
        owner.__dict__["sha256"] = given


@dataclass(frozen=True)
class Provenance:
    """What a table was read from. Nothing in here identifies a person or a host."""

    file: str = ""
    """File name without its folder."""
    format: str = ""
    """Name of the reader."""
    tool: str = ""
    """Profiler and version, where recorded."""
    sha256: ContentHash = ContentHash()
    """Hash of the file's content, a str. '' where the file changed before anybody asked."""
    notes: tuple[str, ...] = ()
    """What a reader of the result must know about the whole file."""
    memory_bytes: float | None = None
    """Device memory that the program held at most, on one device, where allocations were recorded."""
    path: str = field(default="", repr=False, compare=False)
    """Where the file lies, for another look at the code in it; never shown, never saved. '' for streams."""


NAME_LIMIT = 60
"""Characters of a name that are shown where the whole is not asked for."""
NOTEBOOK_ROWS = 40
"""Kernels of a table that a notebook shows."""
NOTEBOOK_AMOUNTS = (
    Resource.FLOPS_FP64, Resource.FLOPS_FP32, Resource.BYTES_L1, Resource.BYTES_L2, Resource.BYTES_DRAM
)  # fmt: skip
"""What a notebook shows of a table, beside names and times."""

LAUNCHED = {"grid_blocks": "blocks", "block_threads": "threads"}
"""Counts that every launch has: 0 is none, and taken as absent."""


@dataclass(frozen=True, repr=False, eq=False)
class KernelTable(Alike):
    """One row per launch, in file order.

    Attributes
    ----------
    numeric : name -> (n,) float64, SI units, NaN where absent. Names of ``core.columns``.
    origin : name -> (n,) uint8 of :class:`Origin`, for each numeric column.
    text : name -> (n,) object array of str, '' where absent.
    counters : raw counter name -> (n,) float64 in base units, exactly as the profiler stored them.
    extra : columns of a table that roofcast keeps and ignores.
    flags : per row, what is doubtful about its data.
    file : (n,) position in ``provenance`` of the file that each row was read from, -1 where none is known; None where
        all rows are of the first.
    """

    numeric: Mapping[str, FloatArray]
    origin: Mapping[str, OriginArray]
    text: Mapping[str, TextArray]
    counters: Mapping[str, FloatArray] = field(default_factory=dict)
    extra: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    flags: tuple[tuple[str, ...], ...] = ()
    provenance: tuple[Provenance, ...] = ()
    file: FileArray | None = None
    made: dict[object, Any] = field(default_factory=dict, init=False, repr=False, compare=False)
    """What was read of the table before (:meth:`once`)."""
    whole: tuple[KernelTable, object, NDArray[np.intp]] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    """Table that these rows were taken from while it is forecast, where it was measured, and (n,) their places there:
    what was read of all of it need not be read again (:meth:`taken_from`)."""

    def __post_init__(self) -> None:
        size = len(self.text["kernel"])
        if self.file is not None and len(self.file) != size:
            raise ValueError(f"file has {len(self.file)} rows, kernel has {size}")
        for group in (self.numeric, self.origin, self.text, self.counters, self.extra):
            for name, values in group.items():
                if len(values) != size:
                    raise ValueError(f"column {name} has {len(values)} rows, kernel has {size}")
        unknown = [n for n in self.numeric if n not in ALL_NUMERIC] + [n for n in self.text if n not in TEXT_COLUMNS]
        if unknown:
            raise ValueError(f"not in the vocabulary: {', '.join(unknown)}")
        if not self.flags:
            object.__setattr__(self, "flags", ((),) * size)
        for name in ("numeric", "origin", "text", "counters", "extra"):
            object.__setattr__(self, name, freeze(getattr(self, name)))

    def __getstate__(self) -> dict[str, Any]:
        """What travels to another process: not what was made of it here."""
        return self.__dict__ | {"made": {}, "whole": None}

    @classmethod
    def from_columns(
        cls,
        text: Mapping[str, Sequence[str] | TextArray],
        numeric: Mapping[str, tuple[Sequence[float] | FloatArray, Origin | OriginArray]],
        *,
        counters: Mapping[str, FloatArray] | None = None,
        extra: Mapping[str, NDArray[Any]] | None = None,
        flags: Sequence[Sequence[str]] | None = None,
        provenance: Provenance | None = None,
    ) -> KernelTable:
        """Build a table from columns with their origin.

        NaN cells become ``Origin.ABSENT``, whatever is given; so do numbers that no launch can have, with a flag.
        """
        values: dict[str, FloatArray] = {}
        origins: dict[str, OriginArray] = {}
        doubts: dict[int, list[str]] = {}
        for name, (column, origin) in numeric.items():
            array = np.asarray(column, dtype=np.float64)
            for row in beyond_any(array):
                doubts.setdefault(int(row), []).append(f"{name} is {array[row]:.3g}: taken as absent")
            if name in LAUNCHED:
                for row in np.flatnonzero(array == 0):
                    doubts.setdefault(int(row), []).append(
                        f"implausible: a launch of no {LAUNCHED[name]} ({name} is 0)"
                    )
                array = np.where(array == 0, np.nan, array)
            if doubts:
                array = within_bounds(array)
            values[name] = array
            codes = (
                np.full(array.shape, int(origin), np.uint8) if isinstance(origin, Origin) else origin.astype(np.uint8)
            )
            origins[name] = np.where(np.isnan(array), np.uint8(Origin.ABSENT), codes).astype(np.uint8)
        if doubts:
            size = len(next(iter(values.values())))
            flags = [(*given, *doubts.get(i, ())) for i, given in enumerate(flags or ((),) * size)]
        return cls(
            numeric=values,
            origin=origins,
            text={name: as_text(column) for name, column in text.items()},
            counters=counters or {},
            extra=extra or {},
            flags=tuple(map(tuple, flags)) if flags is not None else (),
            provenance=(provenance,) if provenance else (),
        )

    def __len__(self) -> int:
        return len(self.text["kernel"])

    def once(self, key: object, given: object, make: Callable[[], Made]) -> Made:
        """What was made of the table for a key and the same further object, or is made now."""
        entry = self.made.get(key)
        if entry is None or entry[0] is not given:
            entry = self.made[key] = given, make()
        return cast("Made", entry[1])

    def column(self, name: str) -> FloatArray:
        """(n,) values of a numeric column; all NaN where the table does not have it."""
        values = self.numeric.get(name)
        return values if values is not None else np.full(len(self), np.nan)

    def origin_of(self, name: str) -> OriginArray:
        """(n,) :class:`Origin` codes of a numeric column."""
        codes = self.origin.get(name)
        return codes if codes is not None else np.zeros(len(self), np.uint8)

    def strings(self, name: str) -> TextArray:
        """(n,) values of a text column; all '' where the table does not have it."""
        texts = self.text.get(name)
        return texts if texts is not None else np.full(len(self), "", dtype=np.object_)

    def files(self) -> FileArray:
        """(n,) position in ``provenance`` of each row's file, -1 where none is known."""
        if self.file is not None:
            return self.file
        return np.broadcast_to(np.int32(0 if self.provenance else -1), (len(self),))

    def counter(self, name: str) -> FloatArray:
        """(n,) values of a raw counter; all NaN where it was not collected."""
        values = self.counters.get(name)
        return values if values is not None else np.full(len(self), np.nan)

    @property
    def launches(self) -> FloatArray:
        """(n,) launches that each row stands for: 1 where none are stated."""
        count = self.column("launches")
        return np.where(count > 0, count, 1.0)

    def select(self, rows: NDArray[np.bool_] | NDArray[np.intp] | Sequence[int]) -> KernelTable:
        """The given rows (mask or indices), in the given order."""
        mask = np.asarray(rows)
        index = np.flatnonzero(mask) if mask.dtype == np.bool_ else mask.astype(np.intp)
        return KernelTable(
            numeric={k: v[index] for k, v in self.numeric.items()},
            origin={k: v[index] for k, v in self.origin.items()},
            text={k: v[index] for k, v in self.text.items()},
            counters={k: v[index] for k, v in self.counters.items()},
            extra={k: v[index] for k, v in self.extra.items()},
            flags=tuple(map(self.flags.__getitem__, index.tolist())),
            provenance=self.provenance,
            file=None if self.file is None else self.file[index],
        )

    def taken_from(self, whole: KernelTable, given: object, rows: NDArray[np.intp]) -> KernelTable:
        """These rows, which know what they are a part of. given : where the whole was measured."""
        object.__setattr__(self, "whole", (whole, given, rows))
        return self

    def with_columns(self, **numeric: tuple[FloatArray, Origin | OriginArray]) -> KernelTable:
        """A copy with numeric columns added or replaced, each given as (values, origin)."""
        added = KernelTable.from_columns({"kernel": self.strings("kernel")}, numeric)
        return dataclasses.replace(
            self, numeric={**self.numeric, **added.numeric}, origin={**self.origin, **added.origin}
        )

    def __repr__(self) -> str:
        """One line: the numbers are in :meth:`to_polars`."""
        return f"<KernelTable of {len(self)} kernels, {len(self.numeric)} numeric columns>"

    def _repr_html_(self) -> str:
        """The first kernels with their main amounts, for a notebook; names are only ever text."""
        units = {"time_s": ("time", "s"), **{r.value: (r.label, r.unit) for r in NOTEBOOK_AMOUNTS}}
        columns = {c: self.column(c)[:NOTEBOOK_ROWS] for c in units if np.isfinite(self.column(c)).any()}
        rows: list[list[str]] = []
        for i in range(min(len(self), NOTEBOOK_ROWS)):
            names = [one_line(str(self.strings(c)[i]), NAME_LIMIT) for c in ("kernel", "gpu")]
            rows.append([*names, *(format_quantity(float(v[i]), units[c][1]) for c, v in columns.items())])
        heads = "".join(f'<th scope="col">{escape(h)}</th>' for h in ("kernel", "GPU", *(units[c][0] for c in columns)))
        lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows)
        left = len(self) - len(rows)
        note = f"{len(self)} kernel{'s' * (len(self) != 1)}" + (f", {left} not shown" if left else "")
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table><p>{note}</p>"

    def __str__(self) -> str:
        gpus = ", ".join(dict.fromkeys(str(g) for g in self.strings("gpu") if g)) or "GPU unknown"
        total = format_quantity(float(np.nansum(self.column("time_s") * self.launches)), "s")
        return f"KernelTable: {len(self)} row{'s' * (len(self) != 1)}, {total}, {gpus}"

    def to_polars(self) -> polars.DataFrame:
        """A Polars frame of the text and numeric columns; absent values are null."""
        require_polars("a Polars frame")
        import polars as pl

        columns: dict[str, pl.Series] = {k: pl.Series(k, list(v), dtype=pl.String) for k, v in self.text.items()}
        columns |= {k: pl.Series(k, v).fill_nan(None) for k, v in self.numeric.items()}
        return pl.DataFrame(list(columns.values()))

    def to_pandas(self) -> pandas.DataFrame:
        """A pandas frame of the text and numeric columns (needs pandas)."""
        import pandas as pd

        return pd.DataFrame({**self.text, **self.numeric})


def beyond_any(values: FloatArray) -> NDArray[np.intp]:
    """Rows whose number is none that a launch can have: infinite, beyond :data:`LARGEST` or closer to 0 than 1 over it.

    >>> beyond_any(np.array([1e308, 5.0, 0.0, np.nan, 1e-320, np.inf, -1e30])).tolist()
    [0, 4, 5, 6]
    """
    size = np.abs(values)
    return np.flatnonzero((size > LARGEST) | ((size < 1 / LARGEST) & (size > 0)))


def within_bounds(values: FloatArray) -> FloatArray:
    """The values, NaN at those of :func:`beyond_any`."""
    bounded = values.copy()
    bounded[beyond_any(values)] = np.nan
    return bounded


def as_text(values: Iterable[str]) -> TextArray:
    """(n,) object array of str from any iterable of str; such an array stays itself."""
    if isinstance(values, np.ndarray) and values.dtype == object:
        return values
    items = list(values)
    array = np.empty(len(items), dtype=np.object_)
    array[:] = items
    return array


def concatenate(tables: Sequence[KernelTable]) -> KernelTable:
    """Rows of several tables one after the other; columns that a table lacks are absent there.

    Raises
    ------
    InputError : no tables were given.
    """
    if not tables:
        raise InputError("nothing to read: give at least one file")
    if len(tables) == 1:
        return tables[0]

    before = np.cumsum([0, *(len(t.provenance) for t in tables)]).tolist()

    def union(name: str) -> list[str]:
        return list(dict.fromkeys(key for t in tables for key in getattr(t, name)))

    def extra(t: KernelTable, key: str) -> NDArray[Any]:
        texts = t.extra.get(key)
        return texts if texts is not None else as_text([""] * len(t))

    return KernelTable(
        numeric={k: np.concatenate([t.column(k) for t in tables]) for k in union("numeric")},
        origin={k: np.concatenate([t.origin_of(k) for t in tables]) for k in union("origin")},
        text={k: np.concatenate([t.strings(k) for t in tables]) for k in union("text")},
        counters={k: np.concatenate([t.counter(k) for t in tables]) for k in union("counters")},
        extra={k: np.concatenate([extra(t, k).astype(np.object_) for t in tables]) for k in union("extra")},
        flags=tuple(f for t in tables for f in t.flags),
        provenance=tuple(p for t in tables for p in t.provenance),
        file=np.concatenate(
            [np.where(t.files() < 0, -1, t.files() + k) for t, k in zip(tables, before, strict=False)]
        ).astype(np.int32),
    )


NAMED = 6
"""Names that a message lists."""


def rows_matching(names: Sequence[str], pattern: str, of: str = "", also: Sequence[str] = ()) -> list[int]:
    """Rows whose name, or other name, matches.

    of : what the kernels are of, for the message, e.g. `` of a.csv``. also : other names of the same rows.

    Raises
    ------
    RoofcastError : the expression is not valid, or matches no kernel; the message then names some that are there.
    """
    option = f"--kernel {one_line(pattern, 60)!r}"
    try:
        expression = re.compile(pattern)
    except re.error as error:
        raise RoofcastError(f"{option} is not a regular expression: {error}") from error
    others = also or names
    rows = [i for i, name in enumerate(names) if expression.search(name) or expression.search(others[i])]
    if not rows and len(names):
        count = f"none of the {len(names)} kernels" if len(names) > 1 else "not the only kernel"
        raise RoofcastError(f"{option} matches {count}{of}: {some_of(names)}")
    return rows


def some_of(names: Iterable[str], most: int = NAMED) -> str:
    """The first distinct names, and how many more there are.

    >>> some_of(["a", "b", "a", "c"], 2)
    'a, b and 1 more'
    """
    distinct = list(dict.fromkeys(names))
    listed = ", ".join(one_line(name, NAME_LIMIT) or "(without a name)" for name in distinct[:most])
    return listed + (f" and {len(distinct) - most} more" if len(distinct) > most else "")


def split_configuration(text: str) -> dict[str, str]:
    """Parts of a configuration by name; parts without a name under themselves."""
    parts: dict[str, str] = {}
    for part in text.split(";"):
        name, mark, value = part.partition("=")
        parts[name.strip()] = value.strip() if mark else ""
    return parts
