"""Units as NVIDIA's profilers print them, to the base units that reports store (ns, byte, Hz, cycle, inst, %).

ncu scales what it prints (``5.32 Gbyte``, ``117.34 usecond``) unless ``--print-units base`` is given; its prefixes
are decimal. The spelling changed over the years: ``nsecond`` became ``ns``, ``byte/second`` became ``byte/s``.
"""

from __future__ import annotations

import math
from functools import cache

TIME_NS = {
    "s": 1e9, "second": 1e9, "seconds": 1e9, "sec": 1e9,
    "ms": 1e6, "msecond": 1e6, "msec": 1e6,
    "us": 1e3, "usecond": 1e3, "usec": 1e3, "µs": 1e3, "μs": 1e3,
    "ns": 1.0, "nsecond": 1.0, "nsec": 1.0,
    "min": 60e9, "minute": 60e9,
    "h": 3600e9, "hour": 3600e9,
}  # fmt: skip
NOUNS = {
    "byte": "byte", "bytes": "byte", "b": "byte",
    "hz": "hz",
    "cycle": "cycle", "cycles": "cycle",
    "inst": "inst", "instruction": "inst",
    "sector": "sector", "sectors": "sector",
    "warp": "warp", "warps": "warp",
    "thread": "thread", "threads": "thread",
    "block": "block", "blocks": "block",
    "request": "request", "requests": "request",
    "register": "register",
    "sm": "sm", "%": "%",
}  # fmt: skip
PREFIXES = {"K": 1e3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
BINARY = {"Ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40}


@cache
def ncu_unit_factor(unit: str) -> float:
    """Factor that turns a printed value into the base unit; 1 for units that are not scaled.

    Time alone goes to nanoseconds, as reports store it; in a rate it goes to seconds.

    >>> ncu_unit_factor("Gbyte/s"), ncu_unit_factor("usecond"), ncu_unit_factor("cycle/nsecond"), ncu_unit_factor("%")
    (1000000000.0, 1000.0, 1000000000.0, 1.0)
    """
    text = unit.strip().strip("()[]").strip()
    if text in TIME_NS:
        return TIME_NS[text]
    noun, slash, per = text.partition("/")
    factor = scale_of(noun)
    if not slash:
        return factor
    if per in TIME_NS:
        return factor * round(1e9 / TIME_NS[per]) if TIME_NS[per] <= 1e9 else factor * 1e9 / TIME_NS[per]
    return factor / scale_of(per)


def metric_factor(name: str, unit: str) -> float:
    """The same for a metric; NaN for a time in a unit that is none, because a guess would be off by powers of ten.

    >>> metric_factor("gpu__time_duration.sum", "us"), metric_factor("gpu__time_duration.sum", "furlong")
    (1000.0, nan)
    """
    text = unit.strip().strip("()[]").strip()
    is_time = "__time_" in name or name.endswith("/Duration")
    return math.nan if is_time and text and text not in TIME_NS else ncu_unit_factor(unit)


def scale_of(noun: str) -> float:
    """Factor of the prefix of one counted noun (``Kbyte``, ``MHz``, ``Ginst``)."""
    if noun.lower() in NOUNS:
        return 1.0
    for prefixes, length in ((BINARY, 2), (PREFIXES, 1)):
        if noun[:length] in prefixes and noun[length:].lower() in NOUNS:
            return prefixes[noun[:length]]
    return 1.0
