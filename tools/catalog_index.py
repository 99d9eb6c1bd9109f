"""Rewrite src/roofcast/catalog/index.json from the TOML files: ``python tools/catalog_index.py``.

Entries that ``roofcast gpus --validate`` refuses are named, and the index stays as it was.
"""

from __future__ import annotations

import sys

from roofcast.catalog.indexing import write_index
from roofcast.core.errors import CatalogEntryError


def main() -> int:
    try:
        write_index()
    except CatalogEntryError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
