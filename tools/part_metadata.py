"""What a distribution of packages/ needs of its siblings: the same version, since they share what is inside."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class SameVersion(MetadataHookInterface):
    """Writes ``dependencies`` from ``siblings`` of the hook's table, each at the version that is packaged."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Pin them."""
        place = Path(self.root).parents[1] / "src" / "roofcast" / "core" / "version.py"
        version = re.findall(r'^VERSION = "([^"]+)"', place.read_text(encoding="utf-8"), re.M)[0]
        metadata["dependencies"] = [f"{name}=={version}" for name in self.config["siblings"]]
