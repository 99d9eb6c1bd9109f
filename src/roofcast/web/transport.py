"""A kernel table as a file that holds numbers, JSON and Parquet only: what the parsing worker hands over.

No pickle, so that a worker that a hostile file took over cannot run code in the server. The extra columns travel as
they are stored (:mod:`roofcast.store.packing`): numbers as numbers, operators as operators; forecasts read both.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from roofcast.core.errors import InputError
from roofcast.core.kernel_table import KernelTable, Provenance, as_text
from roofcast.store.packing import packed, plain_extra, restored_extra

GROUPS = ("numeric", "origin", "counters")
META, EXTRA = "meta", "extra"


def save_table(kernels: KernelTable, path: Path) -> None:
    """Write a table."""
    arrays: dict[str, Any] = {}
    for group in GROUPS:
        for k, (_, values) in enumerate(getattr(kernels, group).items()):
            arrays[f"{group}.{k}"] = np.asarray(values)
    meta = {
        "names": {group: list(getattr(kernels, group)) for group in GROUPS},
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
    arrays[EXTRA] = np.frombuffer(packed(plain_extra(kernels)) or b"", np.uint8)
    arrays[META] = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    with path.open("wb") as out:
        np.savez(out, **arrays)


def load_table(path: Path) -> KernelTable:
    """Read a table that :func:`save_table` wrote."""
    from polars.exceptions import PanicException, PolarsError

    try:
        with np.load(path, allow_pickle=False) as found:
            meta = json.loads(found[META].tobytes())
            groups = {
                group: {name: found[f"{group}.{k}"] for k, name in enumerate(meta["names"][group])} for group in GROUPS
            }
            extra = found[EXTRA].tobytes()
        rows = np.zeros(len(meta["text"]["kernel"]), np.intp)
        return KernelTable(
            numeric=groups["numeric"],
            origin=groups["origin"],
            text={name: as_text(values) for name, values in meta["text"].items()},
            counters=groups["counters"],
            extra=restored_extra(rows, [(0, extra or None)]),
            flags=tuple(tuple(f) for f in meta["flags"]),
            provenance=tuple(Provenance(**{**p, "notes": tuple(p["notes"])}) for p in meta["provenance"]),
        )
    except (
        OSError, EOFError, ValueError, KeyError, TypeError, AttributeError, BadZipFile, PolarsError, PanicException,
    ) as error:  # fmt: skip
        raise InputError("the parsed profile could not be taken over") from error
