"""Write the generated files of the catalog for a package, if all entries are sound."""

from __future__ import annotations

from pathlib import Path

from roofcast.catalog import library
from roofcast.catalog.entries import ROOT
from roofcast.catalog.generated import read_generated
from roofcast.catalog.indexing import refuse_unsound
from roofcast.catalog.own import load_own
from roofcast.catalog.rented import RENTED, render_rented

GENERATED = {library.INDEX: library.render_index, library.PACKED: library.pack_catalog, RENTED: render_rented}
"""What runs read, and what makes it of the entries."""


def write_generated(folder: Path) -> None:
    """Write what runs read into a folder.

    Raises
    ------
    CatalogEntryError : ``roofcast gpus --validate`` would refuse an entry; all of them in one message.
    """
    # Rates need the architectures, which load_own finds in the index; building that looks at the fields of all.
    library.index()
    refuse_unsound(sorted([*(ROOT / "gpus").glob("*.toml"), *(ROOT / "cpus").glob("*.toml")]), load_own)
    for name, make in GENERATED.items():
        (folder / name).write_bytes(read_generated(name, make))
