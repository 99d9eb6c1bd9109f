"""Makes what runs read of the catalog when roofcast is packaged or installed; an unsound entry stops the build."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Catalog(BuildHookInterface[Any]):
    """Puts the catalog's generated files into a wheel; for an editable install they are made where runs find them."""

    made = ""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make the files with the package's own code."""
        sys.path.insert(0, str(Path(self.root) / "src"))
        from roofcast.catalog import library
        from roofcast.catalog.packaging import GENERATED, write_generated

        self.made = tempfile.mkdtemp(prefix="catalog-")
        write_generated(Path(self.made))
        if version == "editable":
            library.packed()
            return
        for name in GENERATED:
            build_data["force_include"][str(Path(self.made) / name)] = f"roofcast/catalog/{name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the files that the wheel now holds."""
        shutil.rmtree(self.made, ignore_errors=True)
