"""Rewrite the index and the derived processors of src/roofcast/catalog: ``python tools/catalog_index.py``.

Entries that ``roofcast gpus --validate`` refuses are named, and both files stay as they were.
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
