"""How quantities look: shares, numbers, intervals, speed-ups, changes, limits and money, the same in every output.

Amounts with a unit are :func:`roofcast.core.units.format_quantity`; an en dash stands where a value is absent.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from roofcast.core.launch_totals import Total
from roofcast.core.resource import Resource
from roofcast.core.undecided import UNDECIDED, is_undecided
from roofcast.core.units import format_quantity

ABSENT = "–"
SMALLEST_SHARE = 1e-4
"""1; a share below it is printed as below 0.01 %."""
SHORT_LABELS = {
    Resource.INSTS_SPECIAL: "special", Resource.BYTES_SHARED: "shared", Resource.BYTES_LLC: "LLC",
    Resource.BYTES_HOST_LINK: "link",
}  # fmt: skip
"""Resources whose label is too long for a column, or says more than a limit knows: a link may lead to other GPUs."""

SMALLEST_SHOWN = 0.01
"""Amounts of money below it show two significant digits, not two decimals."""
ROUNDING = 1e-9
"""Relative; what a rate may lie above its ceiling by rounding alone."""


def format_percent(
    fraction: float | None, decimals: int | None = None, *, signed: bool = False, exact: bool = False
) -> str:
    """A share in per cent.

    decimals : digits after the point; None keeps two digits of shares below a tenth.
    signed : write a plus before what is not negative. exact : all digits, of what somebody set.

    >>> format_percent(0.9997), format_percent(0.00123), format_percent(2e-6), format_percent(float("nan"))
    ('100 %', '0.12 %', '< 0.01 %', '–')
    >>> format_percent(0.00123, 0), format_percent(0.583, 1), format_percent(0.05, 1, signed=True)
    ('0 %', '58.3 %', '+5.0 %')
    >>> format_percent(0.125, exact=True)
    '12.5 %'
    """
    if fraction is None or not math.isfinite(fraction):
        return ABSENT
    if exact:
        return f"{100 * fraction:g} %"
    if decimals is None:
        if 0 < abs(fraction) < SMALLEST_SHARE:
            return "< 0.01 %"
        return f"{100 * fraction:.0f} %" if abs(fraction) >= 0.1 else f"{100 * fraction:.2g} %"
    return f"{100 * fraction:{'+' if signed else ''}.{decimals}f} %"


def share_of(rate: float, ceiling: float) -> float:
    """What a rate reaches of its ceiling, at most 1; NaN where one is unknown or contradicts the other.

    >>> share_of(3.0, 4.0), share_of(5.0, 4.0)
    (0.75, nan)
    """
    return min(rate / ceiling, 1.0) if ceiling > 0 and not exceeds(rate, ceiling) else math.nan


def exceeds(rate: float, ceiling: float) -> bool:
    """Whether a rate contradicts its ceiling."""
    return rate > ceiling * (1 + ROUNDING)


def format_number(value: float | None) -> str:
    """Three digits, all digits of large values.

    >>> format_number(3683.2), format_number(8.571), format_number(float("nan"))
    ('3683', '8.57', '–')
    """
    if value is None or not math.isfinite(value):
        return ABSENT
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def format_count(value: float) -> str:
    """A large number with a prefix.

    >>> format_count(1234567.0), format_count(12.0)
    ('1.23 M', '12.0')
    """
    # "#" stands in for a unit, so that large counts get a prefix.
    return format_quantity(value, "#").removesuffix("#").strip()


def format_interval(low: float, high: float) -> str:
    """Both bounds in seconds, with one unit where they share it.

    With two units and two fractions the lower one loses a digit, downwards: a column of a table holds it.

    >>> format_interval(4.75e-3, 7.72e-3), format_interval(9e-4, 1.1e-3), format_interval(float("nan"), 1.0)
    ('4.75–7.72 ms', '900us–1.10ms', '–')
    >>> format_interval(9.51e-5, 1.03e-3), format_interval(9.51e-6, 1.03e-3)
    ('95us–1.03ms', '9.5us–1.03ms')
    """
    if not (low >= 0 and high >= 0):
        return ABSENT
    texts = [format_quantity(v, "s") for v in (low, high)]
    units = [t.rpartition(" ")[2] for t in texts]
    if units[0] == units[1]:
        return f"{texts[0].rpartition(' ')[0]}–{texts[1]}"
    if all("." in t for t in texts):
        number, _, unit = texts[0].partition(" ")
        texts[0] = f"{number[:-1].removesuffix('.')} {unit}"
    return "–".join(t.replace(" ", "") for t in texts)


def format_forecast(time_s: float | None, low_s: float, high_s: float) -> str:
    """A forecast time, or that its interval decides nothing.

    >>> format_forecast(2.0, 1.0, 4.0), format_forecast(2.0, 0.1, 40.0)
    ('2.00 s', 'undecided')
    """
    return UNDECIDED if is_undecided(low_s, high_s) else format_seconds(time_s)


def format_speedup(source_s: float, target_s: float) -> str:
    """How many times faster.

    >>> format_speedup(2.0, 1.0), format_speedup(1.0, 200.0), format_speedup(float("nan"), 1.0)
    ('2.00x', '0.0050x', '–')
    """
    if not (source_s > 0 and target_s > 0):
        return ABSENT
    return format_factor(source_s / target_s)


def format_total_speedup(total: Total) -> str:
    """How many times faster a workload is: two bounds where pages of unified memory moved beside its kernels."""
    if total.is_undecided:
        return UNDECIDED
    both = total.speedup_with_pages
    if both is not None:
        return f"{format_factor(both[0])} – {format_factor(both[1])} with page moves"
    return format_speedup(total.time_source_s, total.time_s)


def format_factor(ratio: float | None) -> str:
    """How many times as much or as fast, with two digits behind the point where it is small.

    >>> format_factor(2.0), format_factor(12.34), format_factor(0.005), format_factor(None)
    ('2.00x', '12.3x', '0.0050x', '–')
    """
    if ratio is None or not 0 < ratio < math.inf:
        return ABSENT
    if ratio >= 1000:
        return f"{ratio:.2g}x"
    decimals = 0 if ratio >= 100 else 1 if ratio >= 10 else 2 if ratio >= 0.1 else 4
    return f"{ratio:.{decimals}f}x"


def format_seconds(value: float | None) -> str:
    """Seconds with the prefix that fits.

    >>> format_seconds(0.00125), format_seconds(0.0), format_seconds(None), format_seconds(float("nan"))
    ('1.25 ms', '0 s', '–', '–')
    """
    return format_quantity(value, "s")


def in_unit(unit: str, digits: int = 3) -> Callable[[float | None], str]:
    """What shows amounts or rates of a unit.

    >>> in_unit("B/s")(3.35e12)
    '3.35 TB/s'
    """
    return lambda value: format_quantity(value, unit, digits)


def in_percent(decimals: int | None = None, *, signed: bool = False) -> Callable[[float | None], str]:
    """What shows shares in per cent, see :func:`format_percent`."""
    return lambda value: format_percent(value, decimals, signed=signed)


def format_change(seconds: float) -> str:
    """Seconds with their sign."""
    return f"{'+' if seconds >= 0 else '-'}{format_quantity(abs(seconds), 's')}"


def label_limit(name: str | None) -> str:
    """Short name of the resource that limits."""
    if not name:
        return ABSENT
    resource = Resource(name)
    return SHORT_LABELS.get(resource, resource.label)


def count_of(count: int, noun: str, ending: str = "s") -> str:
    """A count with its noun.

    >>> count_of(1, "kernel"), count_of(2, "launch", "es")
    ('1 kernel', '2 launches')
    """
    return f"{count} {noun}" + ("" if count == 1 else ending)


def count_kernels(names: Iterable[str], launches: float) -> str:
    """How many launches of how many kernels; kernels alone where each was launched once.

    >>> count_kernels(["a", "b"], 2), count_kernels(["a", "a"], 2), count_kernels(["a"], 1)
    ('2 kernels', '2 launches of 1 kernel', '1 kernel')
    """
    kernels, count = len(set(names)), round(float(launches))
    return count_of(kernels, "kernel") if count == kernels else f"{count} launches of {count_of(kernels, 'kernel')}"


def format_dollars(value: float) -> str:
    """An amount with cents where they matter.

    >>> format_dollars(1234.5), format_dollars(12.345), format_dollars(0.00123)
    ('1,234', '12.35', '0.0012')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.2f}" if value >= SMALLEST_SHOWN else f"{value:.2g}"


def format_energy(energy_j: float, low_j: float, high_j: float) -> str:
    """Joules with both ends; '' where they are not known.

    >>> format_energy(1.5, 1.0, 2.0), format_energy(float("nan"), 1.0, 2.0)
    ('1.50 J [1.00 J .. 2.00 J]', '')
    """
    if not energy_j > 0:
        return ""
    energy, least, most = (format_quantity(v, "J") for v in (energy_j, low_j, high_j))
    return f"{energy} [{least} .. {most}]"
