r"""Numbers as people and profilers print them: thousands separators, decimal commas, exponents, "n/a".

A token is read alone where only one reading is possible: ``5,318,969,728.00`` and ``65,77`` name their own
separators. One is not: one to three digits, one separator, three digits. ``117.344`` is 117.344 or 117,344. Such a
token is kept with its decimal reading and marked; :func:`decide` then settles all of them at once from what the
other numbers of the same file show.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import field
from enum import IntEnum
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from roofcast.core.records import dataclass

if TYPE_CHECKING:
    import polars

FloatArray = NDArray[np.float64]
KindArray = NDArray[np.uint8]


class Kind(IntEnum):
    """What a token shows of the locale that printed it."""

    PLAIN = 0
    """No separator, or no number."""
    DECIMAL_POINT = 1
    """Only readable with ``.`` as the decimal separator."""
    DECIMAL_COMMA = 2
    """Only readable with ``,`` as the decimal separator."""
    EITHER_POINT = 3
    """``117.344``: decimal point or grouping point."""
    EITHER_COMMA = 4
    """``117,344``: decimal comma or grouping comma."""


GROUPING = re.compile(r"(?<=[0-9])[\s\u00a0\u2009\u202f'’_](?=[0-9]{3}(?![0-9]))")
"""Separators that can only group: spaces of all widths, apostrophes."""
NUMBER = re.compile(r"[+-]?(?P<digits>[0-9][0-9.,]*|[.,][0-9]+)(?P<exponent>[eE][+-]?[0-9]+)?")
GROUPED_POINT = re.compile(r"[0-9]{1,3}(\.[0-9]{3})+")
GROUPED_COMMA = re.compile(r"[0-9]{1,3}(,[0-9]{3})+")
ABSENT = (math.nan, Kind.PLAIN)


def parse_number(text: str) -> tuple[float, Kind]:
    """Value of a token (decimal reading where two are possible; NaN where it is no number), and its kind.

    >>> parse_number("5,318,969,728.00")
    (5318969728.0, <Kind.DECIMAL_POINT: 1>)
    >>> parse_number("65,77"), parse_number("117.344")
    ((65.77, <Kind.DECIMAL_COMMA: 2>), (117.344, <Kind.EITHER_POINT: 3>))
    >>> parse_number("(!) n/a")
    (nan, <Kind.PLAIN: 0>)
    """
    token = text.strip()
    bare = GROUPING.sub("", token)
    match = NUMBER.match(bare)
    # After the number only a list of instances may follow: "5 (1; 2; 2)".
    if not match or (match.end() < len(bare) and not re.match(r"\s*[({]", bare[match.end() :])):
        return ABSENT
    number, digits = match.group(), match.group("digits")
    grouped = len(bare) != len(token)
    exponent = match.group("exponent") is not None
    kind = kind_of(digits, decisive=grouped or exponent)
    if kind is None:
        return ABSENT
    if kind == Kind.DECIMAL_POINT:
        number = number.replace(",", "")
    elif kind in (Kind.DECIMAL_COMMA, Kind.EITHER_COMMA):
        number = number.replace(".", "").replace(",", ".")
    value = float(number)
    return (value, kind) if math.isfinite(value) else ABSENT


def kind_of(digits: str, *, decisive: bool) -> Kind | None:
    """Kind of the digits of a number with their separators; None where they cannot be a number.

    decisive : something else shows that a single separator is the decimal one.
    """
    points, commas = digits.count("."), digits.count(",")
    if not points and not commas:
        return Kind.PLAIN
    if points and commas:
        point_last = digits.rfind(".") > digits.rfind(",")
        whole, _, rest = digits.rpartition("." if point_last else ",")
        grouped = GROUPED_COMMA if point_last else GROUPED_POINT
        if not grouped.fullmatch(whole) or not (rest.isdigit() or not rest):
            return None
        return Kind.DECIMAL_POINT if point_last else Kind.DECIMAL_COMMA
    mark, count = (".", points) if points else (",", commas)
    if count > 1:
        # Indian grouping (12,34,567) is a grouping too.
        if not re.fullmatch(r"[0-9]{1,3}([.,][0-9]{2,3})*[.,][0-9]{3}", digits):
            return None
        return Kind.DECIMAL_COMMA if mark == "." else Kind.DECIMAL_POINT
    whole, _, rest = digits.partition(mark)
    if decisive or len(rest) != 3 or not 1 <= len(whole) <= 3 or whole[0] == "0":
        return Kind.DECIMAL_POINT if mark == "." else Kind.DECIMAL_COMMA
    return Kind.EITHER_POINT if mark == "." else Kind.EITHER_COMMA


def parse_numbers(texts: Iterable[str], known: dict[str, tuple[float, Kind]]) -> tuple[FloatArray, KindArray]:
    """(n,) values and (n,) kinds of n tokens; ``known`` remembers tokens between calls."""
    values: list[float] = []
    kinds: list[int] = []
    for text in texts:
        parsed = known.get(text)
        if parsed is None:
            parsed = parse_number(text)
            if len(known) < 200_000:
                known[text] = parsed
        values.append(parsed[0])
        kinds.append(parsed[1])
    return np.array(values, dtype=np.float64), np.array(kinds, dtype=np.uint8)


def parse_series(tokens: polars.Series, known: dict[str, tuple[float, Kind]]) -> tuple[FloatArray, KindArray]:
    """The same for a Polars series of strings (null: absent), vectorised, with the block's own locale settled."""
    return settle_block(*(parse_english(tokens, known) or parse_any(tokens, known)))


def settle_block(values: FloatArray, kinds: KindArray) -> tuple[FloatArray, KindArray]:
    """Read the ambiguous numbers of a block of tokens as its other numbers demand, where these agree."""
    counts = np.bincount(kinds, minlength=len(Kind))
    point, comma = counts[Kind.DECIMAL_POINT] > 0, counts[Kind.DECIMAL_COMMA] > 0
    if point == comma or not counts[Kind.EITHER_POINT] + counts[Kind.EITHER_COMMA]:
        return values, kinds
    decided = Kind.DECIMAL_POINT if point else Kind.DECIMAL_COMMA
    settled = settle(values, kinds, "." if point else ",")
    return settled, np.where(kinds >= Kind.EITHER_POINT, np.uint8(decided), kinds)


def parse_english(tokens: polars.Series, known: dict[str, tuple[float, Kind]]) -> tuple[FloatArray, KindArray] | None:
    """Tokens that show by themselves that their decimal separator is a point; None where they do not.

    The common case and the quick one: no token needs to be looked at for what else it could mean.
    """
    return read_english(tokens, known) if shows_point(tokens, known) else None


def read_english(tokens: polars.Series, known: dict[str, tuple[float, Kind]]) -> tuple[FloatArray, KindArray] | None:
    """Tokens of a file whose decimal separator is a point; None where one of them shows that it is a comma."""
    import polars as pl

    t = pl.col("t")
    frame = pl.DataFrame({"t": tokens}).select(
        t.str.replace_all(",", "", literal=True).cast(pl.Float64, strict=False).fill_null(math.nan).alias("value"),
        t.str.contains(NO_COMMA_OR_GROUPED_US).fill_null(value=False).alias("plain"),
    )
    values = frame["value"].to_numpy().copy()
    values[np.isinf(values)] = math.nan
    kinds = np.full(len(tokens), int(Kind.DECIMAL_POINT), np.uint8)
    rest = np.flatnonzero(~frame["plain"].to_numpy() | np.isnan(values))
    if len(rest):
        values[rest], kinds[rest] = parse_numbers(tokens.gather(rest).fill_null("").to_list(), known)
        if (kinds == Kind.DECIMAL_COMMA).any():
            return None
    return values, kinds


def shows_point(tokens: polars.Series, known: dict[str, tuple[float, Kind]]) -> bool:
    """Whether the first of some tokens show that the decimal separator is a point, and none that it is a comma."""
    for start, count in ((0, SAMPLE // 20), (SAMPLE // 20, SAMPLE)):
        _, kinds = parse_numbers(tokens.slice(start, count).fill_null("").to_list(), known)
        if (kinds == Kind.DECIMAL_COMMA).any():
            return False
        if (kinds == Kind.DECIMAL_POINT).any():
            return True
    return False


def parse_any(tokens: polars.Series, known: dict[str, tuple[float, Kind]]) -> tuple[FloatArray, KindArray]:
    """Tokens of any locale, each with its kind, vectorised over the common forms."""
    import polars as pl

    t = pl.col("t")
    frame = pl.DataFrame({"t": tokens}).select(
        t,
        t.str.replace_all(",", "", literal=True).cast(pl.Float64, strict=False).fill_null(math.nan).alias("value"),
        t.str.contains(",", literal=True).fill_null(value=False).alias("comma"),
        t.str.contains(".", literal=True).fill_null(value=False).alias("point"),
        t.str.contains(SINGLE_POINT).fill_null(value=False).alias("either"),
    )
    values = frame["value"].to_numpy().copy()
    kinds = frame["point"].cast(pl.UInt8).to_numpy().copy()  # 1 is Kind.DECIMAL_POINT
    kinds[frame["either"].to_numpy()] = Kind.EITHER_POINT
    values[np.isinf(values)] = math.nan
    other = np.isnan(values)
    comma = np.flatnonzero(frame["comma"].to_numpy())
    if len(comma):
        grouped, single = (
            frame.filter("comma").select(t.str.contains(GROUPED_US).alias("g"), t.str.contains(SINGLE_COMMA).alias("s"))
        ).get_columns()
        kinds[comma] = Kind.DECIMAL_POINT
        either = comma[single.to_numpy()]
        kinds[either] = Kind.EITHER_COMMA
        values[either] /= 1000
        other[comma[~grouped.to_numpy()]] = True
    rest = np.flatnonzero(other)
    if len(rest):
        values[rest], kinds[rest] = parse_numbers(tokens.gather(rest).fill_null("").to_list(), known)
    return values, kinds


SAMPLE = 2000
"""Tokens at the start of a block that may show its locale."""
SINGLE_POINT = r"^[+-]?[1-9][0-9]{0,2}[.][0-9]{3}$"
SINGLE_COMMA = r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$"
NO_COMMA_OR_GROUPED_US = r"^(?:[^,]*|[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:[.][0-9]*)?)$"
GROUPED_US = r"^[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:[.][0-9]*)?$"


@dataclass
class Evidence:
    """What the numbers of one file show of its locale."""

    counts: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(Kind), np.int64))

    def add(self, kinds: KindArray) -> None:
        """Count the kinds of more numbers."""
        # Quicker than bincount, which wants eight bytes for each.
        self.counts += [np.count_nonzero(kinds == kind) for kind in Kind]

    def add_decimals(self, kinds: KindArray) -> None:
        """Count ambiguous numbers that are known to be small (percent), so that their separator is the decimal one."""
        counts = np.bincount(kinds, minlength=len(Kind))
        self.counts[Kind.DECIMAL_POINT] += counts[Kind.EITHER_POINT]
        self.counts[Kind.DECIMAL_COMMA] += counts[Kind.EITHER_COMMA]


def decide(evidence: Evidence, ambiguous_is_grouping: bool) -> tuple[str, str]:
    """Decimal separator of a file, and what its reader must know of the choice ('' where it is certain).

    ambiguous_is_grouping : what to take where no number of the file decides. Nsight Compute prints two decimals or
        none, so three digits after a separator are a group; tables written by programs have decimal points.
    """
    point, comma = int(evidence.counts[Kind.DECIMAL_POINT]), int(evidence.counts[Kind.DECIMAL_COMMA])
    either_point, either_comma = int(evidence.counts[Kind.EITHER_POINT]), int(evidence.counts[Kind.EITHER_COMMA])
    doubtful = either_point + either_comma > 0
    if point or comma:
        mark = "." if point >= comma else ","
        mixed = f"numbers of two locales in one file: doubtful ones read with {mark} as decimal separator"
        return mark, mixed if point and comma and doubtful else ""
    if not doubtful:
        return ".", ""
    mark = ("," if either_point >= either_comma else ".") if ambiguous_is_grouping else "."
    example = "117.344" if either_point >= either_comma else "117,344"
    grouping = ("," if either_comma else "") if mark == "." else "."
    as_what = "a thousands separator" if example[3] == grouping else "the decimal separator"
    return mark, f"numbers like {example} can be read in two ways: {example[3]} taken as {as_what}"


def settle(values: FloatArray, kinds: KindArray, decimal: str) -> FloatArray:
    """(n,) values with the ambiguous ones read as the decided locale has them."""
    grouped = Kind.EITHER_POINT if decimal == "," else Kind.EITHER_COMMA
    ambiguous = kinds == grouped
    if not ambiguous.any():
        return values
    settled = values.copy()
    settled[ambiguous] = np.rint(values[ambiguous] * 1000)
    return settled
