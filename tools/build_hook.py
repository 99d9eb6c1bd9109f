"""Builds the catalog's index when roofcast is packaged or installed; an entry that cannot be used stops the build."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogIndex(BuildHookInterface[Any]):
    """Writes the index and the derived processors of src/roofcast/catalog from the TOML files there."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build the index with the package's own code."""
        sys.path.insert(0, str(Path(self.root) / "src"))
        from roofcast.catalog.indexing import write_index

        write_index()
