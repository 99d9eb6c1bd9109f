"""Whether a folder holds one wheel in pure Python and one sdist, each with all that an installation needs."""

from __future__ import annotations

import sys
import tarfile
import zipfile
from pathlib import Path

NEEDED = (
    "roofcast/glossary.md",
    "roofcast/catalog/index.json",
    "roofcast/catalog/processors.bin",
    "roofcast/catalog/rented.json",
    "roofcast/py.typed",
    "roofcast/web/assets/app.js",
)
SHORT = ("Requires-Python: >=3.11", "License-Expression: Apache-2.0", "Description-Content-Type: text/markdown")


def find_faults(folder: Path) -> list[str]:
    """What is wrong, in one line each."""
    wheels, sources = sorted(folder.glob("*.whl")), sorted(folder.glob("*.tar.gz"))
    if len(wheels) != 1 or len(sources) != 1:
        return [f"{folder} holds {len(wheels)} wheels and {len(sources)} sdists, not one each"]
    with zipfile.ZipFile(wheels[0]) as wheel:
        names = wheel.namelist()
        told = wheel.read(next(n for n in names if n.endswith(".dist-info/METADATA"))).decode()
    with tarfile.open(sources[0]) as source:
        member = source.extractfile(next(m for m in source.getmembers() if m.name.endswith("/PKG-INFO")))
        info = member.read().decode() if member else ""
    faults = [] if wheels[0].name.endswith("-py3-none-any.whl") else [f"{wheels[0].name} is not pure Python"]
    faults += [f"the wheel lacks {name}" for name in NEEDED if name not in names]
    faults += [f"{what} does not say {line!r}" for what, text in (("the wheel", told), ("the sdist", info))
               for line in SHORT if line not in text]  # fmt: skip
    return faults


if __name__ == "__main__":
    found = find_faults(Path(sys.argv[1]))
    print("\n".join(found) or "one wheel in pure Python, one sdist, nothing missing")
    sys.exit(bool(found))
