"""A kernel table as a file that holds numbers and JSON only: what the parsing worker hands over.

No pickle, so that a worker that a hostile file took over cannot run code in the server. The extra columns travel too:
numbers as numbers, operators as operators; forecasts read both.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable, Provenance, as_text
from roofcast.store.packing import OPERATORS, plain_extra, restore_operators

GROUPS = ("numeric", "origin", "counters", "extra")
META = "meta"


def save_table(kernels: KernelTable, path: Path) -> None:
    """Write a table."""
    extra = plain_extra(kernels)
    texts = {name: values for name, values in extra.items() if isinstance(values, list)}
    columns = {group: getattr(kernels, group) for group in GROUPS}
    columns["extra"] = {name: values for name, values in extra.items() if name not in texts}
    arrays: dict[str, Any] = {
        f"{group}.{k}": np.asarray(values) for group in GROUPS for k, values in enumerate(columns[group].values())
    }
    meta = {
        "names": {group: list(columns[group]) for group in GROUPS},
        "extra": texts,
        "text": {name: [str(v) for v in values] for name, values in kernels.text.items()},
        "flags": [list(f) for f in kernels.flags],
        "provenance": [
            {
                "file": p.file,
                "format": p.format,
                "tool": p.tool,
                "sha256": p.sha256,
                "notes": list(p.notes),
                "memory_bytes": p.memory_bytes,
            }
            for p in kernels.provenance
        ],
    }
    arrays[META] = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    with path.open("wb") as out:
        np.savez(out, **arrays)


def load_table(path: Path) -> KernelTable:
    """Read a table that :func:`save_table` wrote."""
    try:
        with np.load(path, allow_pickle=False) as arrays:
            meta = json.loads(arrays[META].tobytes())
            groups = {
                group: {name: arrays[f"{group}.{k}"] for k, name in enumerate(meta["names"][group])} for group in GROUPS
            }
        extra: dict[str, Any] = groups["extra"] | {name: as_text(values) for name, values in meta["extra"].items()}
        if OPERATORS in extra and extra[OPERATORS].dtype == np.object_:
            extra[OPERATORS] = restore_operators(extra[OPERATORS])
        return KernelTable(
            numeric=groups["numeric"],
            origin=groups["origin"],
            text={name: as_text(values) for name, values in meta["text"].items()},
            counters=groups["counters"],
            extra=extra,
            flags=tuple(tuple(f) for f in meta["flags"]),
            provenance=tuple(Provenance(**{**p, "notes": tuple(p["notes"])}) for p in meta["provenance"]),
        )
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, BadZipFile) as error:
        raise InputError("the parsed profile could not be taken over") from error
