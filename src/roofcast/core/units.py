"""Quantities with units, as people and files write them, to and from plain SI floats.

Only here do GB, ms and TFLOP exist: everything inside roofcast is bytes, seconds and FLOP.
Decimal prefixes are powers of 1000, binary ones (KiB, MiB) powers of 1024, as the standards have it; vendors'
"40 MB" of L2 means MiB, so catalog files write ``"40 MiB"``.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

from roofcast.core.errors import UnitError, one_line

PREFIXES = {
    "": 1.0,
    "n": 1e-9,
    "u": 1e-6,
    "µ": 1e-6,
    "μ": 1e-6,
    "m": 1e-3,
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "E": 1e18,
}
MULTIPLES = {"k": 1e3, "K": 1e3, "M": 1e6}
"""Multiples of money, which people write alone (250k); of what is measured a unit belongs to them."""
BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}

BASES = {
    "B/s": "B/s", "Byte/s": "B/s", "byte/s": "B/s", "byte/second": "B/s", "Byte/second": "B/s",
    "FLOP/s": "FLOP/s", "FLOPS": "FLOP/s", "flop/s": "FLOP/s", "OP/s": "FLOP/s",
    "B": "B", "byte": "B", "Byte": "B", "bytes": "B",
    "bit/s": "bit/s", "bit": "bit",
    "Hz": "Hz", "hz": "Hz", "cycle/second": "Hz",
    "s": "s", "sec": "s", "second": "s", "seconds": "s",
    "W": "W", "USD": "USD", "$": "USD", "cycles": "cycles", "FLOP": "FLOP", "inst": "inst", "inst/s": "inst/s",
    "atomic/s": "atomic/s", "%": "%", "": "",
}  # fmt: skip

SHOWN = 60
"""Characters of a wrong quantity that a message repeats; a file may hold a number of a thousand digits."""
NUMBER = re.compile(r"([+-]?(?:\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?|\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*)")


@lru_cache(maxsize=1024)
def parse_unit(unit: str) -> tuple[float, str]:
    """Factor and base unit of a unit text.

    >>> parse_unit("TB/s"), parse_unit("MiB"), parse_unit("msecond")
    ((1000000000000.0, 'B/s'), (1048576.0, 'B'), (0.001, 's'))

    Raises
    ------
    UnitError : the unit is not known.
    """
    unit = unit.strip()
    for prefix in ("", *BINARY, *(p for p in PREFIXES if p)):
        base = BASES.get(unit[len(prefix) :]) if unit.startswith(prefix) else None
        if base is not None and not (prefix and base in ("%", "")):
            factor = BINARY.get(prefix) or PREFIXES[prefix]
            return (factor * 0.01, "") if base == "%" else (factor, base)
    raise UnitError(f"unknown unit {one_line(repr(unit), SHOWN)}: use e.g. GB/s, TFLOP/s, MiB, GHz, us, W")


def parse_quantity(text: str | float, base: str) -> float:
    """A number with a unit as an SI float; a bare number is taken to be in the base unit.

    >>> parse_quantity("3.35 TB/s", "B/s"), parse_quantity("60MB", "B"), parse_quantity(4e12, "B/s")
    (3350000000000.0, 60000000.0, 4000000000000.0)
    >>> parse_quantity("250k", "USD"), parse_quantity("$1.2M", "USD"), parse_quantity("250,000 USD", "USD")
    (250000.0, 1200000.0, 250000.0)

    Raises
    ------
    UnitError : no number, an unknown unit, or a unit of another kind.
    """
    if isinstance(text, bool) or not isinstance(text, (str, int, float)):
        raise UnitError(f"{one_line(repr(text), SHOWN)} is not a quantity")
    if not isinstance(text, str):
        return finite(text, str(text))
    match = NUMBER.fullmatch(text.strip().removeprefix("$" if base == "USD" else ""))
    if not match:
        given = one_line(repr(text), SHOWN)
        raise UnitError(f"{given} is not a number with a unit: write e.g. {EXAMPLES.get(base, '1.5')}")
    number, unit = float(match.group(1).replace(",", "")), match.group(2)
    if not unit:
        return finite(number, text)
    if base == "USD" and unit in MULTIPLES:
        return finite(number * MULTIPLES[unit], text)
    factor, unit_base = parse_unit(unit)
    if unit_base != base:
        example = EXAMPLES.get(base, "1.5")
        given = f"{one_line(repr(text), SHOWN)} is in {unit_base or 'no unit'}, not in {base or 'a plain number'}"
        raise UnitError(f"{given}: write e.g. {example}")
    # Dividing by the exact inverse keeps "2.6 us" equal to 2.6e-6 rather than one bit off.
    return finite(number / round(1 / factor) if factor < 1 else number * factor, text)


EXAMPLES = {
    "B/s": '"3.35 TB/s"',
    "FLOP/s": '"67 TFLOP/s"',
    "B": '"50 MiB"',
    "Hz": '"1.98 GHz"',
    "s": '"2.5 us"',
    "W": '"700 W"',
    "USD": "250k or 250000",
}


def finite(value: float, text: str) -> float:
    """The value as a float, refused where it is infinite, not a number or an integer beyond all floats."""
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise UnitError(f"{one_line(repr(text), SHOWN)} is not a finite number")
    return number


def format_quantity(value: float | None, unit: str, digits: int = 3) -> str:
    """A value with the decimal prefix that leaves 1 to 999 before the point; an en dash where absent.

    >>> format_quantity(3.35e12, "B/s"), format_quantity(2.5e-6, "s"), format_quantity(None, "s")
    ('3.35 TB/s', '2.50 us', '–')
    >>> format_quantity(9.9999e-4, "s"), format_quantity(0.0, "s")
    ('1.00 ms', '0 s')
    >>> format_quantity(1e300, "s"), format_quantity(1.7976e308, "s"), format_quantity(123456.0, "s")
    ('1.00e+300 s', '1.80e+308 s', '123456 s')
    """
    if value is None or math.isnan(value):
        return "–"
    if value == 0 or math.isinf(value):
        return f"{value:g} {unit}".rstrip()
    # The exponent of the rounded value, which may lie beyond all floats.
    exponent = int(f"{value:.{digits - 1}e}".partition("e")[2])
    step = min(max(exponent // 3, -3 if unit == "s" else 0), 0 if unit in ("s", "") else 6)
    scaled = value / 1000.0**step
    prefix = {-3: "n", -2: "u", -1: "m", 0: "", 1: "k", 2: "M", 3: "G", 4: "T", 5: "P", 6: "E"}[step]
    decimals = max(0, digits - 1 - (exponent - 3 * step))
    if exponent - 3 * step >= 7:  # damaged data: a row of zeros would say no more
        return f"{scaled:.{digits - 1}e} {prefix}{unit}".rstrip()
    return f"{scaled:.{min(decimals, 6)}f} {prefix}{unit}".rstrip()


def format_bytes_binary(value: float | None) -> str:
    """A capacity with binary prefix.

    >>> format_bytes_binary(41943040)
    '40 MiB'
    """
    if value is None or math.isnan(value):
        return "–"
    step = min(int(math.log2(value) // 10), 4) if value >= 1 else 0
    return f"{value / 1024.0**step:.4g} {('B', 'KiB', 'MiB', 'GiB', 'TiB')[step]}"
