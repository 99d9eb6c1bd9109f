"""Write catalog entries as TOML that people can read and edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

TABLES = ("limits", "rates", "sources", "published")
LISTS = ("measured",)


def write_entry(entry: Mapping[str, Any]) -> str:
    """TOML text of an entry (an architecture's, a GPU's or a CPU's), tables after plain values.

    Absent (None), empty lists and empty tables are left out.

    >>> print(write_entry({"key": "x", "sm_count": 2, "l2": None, "sources": {"rates.fp64_fma": "arch"}}), end="")
    key = "x"
    sm_count = 2
    <BLANKLINE>
    [sources]
    "rates.fp64_fma" = "arch"
    """
    blocks = [lines({k: v for k, v in entry.items() if k not in (*TABLES, *LISTS)})]
    blocks += [f"[{t}]\n{lines(entry[t])}" for t in TABLES if entry.get(t)]
    blocks += [f"[[{t}]]\n{lines(item)}" for t in LISTS for item in entry.get(t) or ()]
    return "\n".join(blocks)


def lines(table: Mapping[str, Any]) -> str:
    """One ``key = value`` line per present value."""
    return "".join(f"{name(k)} = {value(v)}\n" for k, v in table.items() if v is not None and v not in ([], {}))


def name(key: str) -> str:
    """A TOML key, quoted where it must be."""
    bare = key.replace("_", "a").replace("-", "a")
    return key if bare.isascii() and bare.isalnum() else value(key)


def value(item: Any) -> str:
    """A TOML value: text, number, truth or a list of these.

    >>> value("50 MiB"), value(0.924), value([1, 2]), value(True)
    ('"50 MiB"', '0.924', '[1, 2]', 'true')
    """
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, (list, tuple)):
        return f"[{', '.join(value(i) for i in item)}]"
    if isinstance(item, str):
        # JSON strings are TOML basic strings but for DEL and surrogates, which no entry has.
        return json.dumps(item, ensure_ascii=False)
    return repr(item)
