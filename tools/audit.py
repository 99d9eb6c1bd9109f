"""Licences of what is installed, and with --online the day of the last release of every direct dependency.

``make audit`` runs this behind pip-audit, which knows the published vulnerabilities. Exit 1 where something must be
looked at: a licence that is not free, or no release in two years.
"""

from __future__ import annotations

import json
import re
import sys
import urllib.request
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"
INDEX = "https://pypi.org/simple/"
OLD = timedelta(days=730)
REQUIREMENT = re.compile(r'"(?P<name>[A-Za-z0-9][A-Za-z0-9._-]*)\s*[<>=~][^"]*"')
FREE = re.compile(
    r"\b(MIT|BSD|0BSD|Apache|PSF|Python Software Foundation|ISC|MPL|Mozilla|Unlicense|Zlib|HPND|Matplotlib)", re.I
)
"""Licences under which roofcast may import a package; none of them is one whose terms reach the importer."""
PROPRIETARY = {
    "ncu-report": "extra ncu, tests alone",
    "nvidia-cuda-nvdisasm": "tests alone", "nvidia-cuda-nvrtc-cu12": "extras cuda and sass",
    "nvidia-cuda-runtime-cu12": "extras cuda and sass", "nvidia-nvjitlink-cu12": "extra sass",
}  # fmt: skip
"""NVIDIA's own, and who asks for them: nothing that is installed by default."""


def read_requirements() -> dict[str, str]:
    """Direct dependency -> the reason for it: behind it, or in the comment above its line."""
    found: dict[str, str] = {}
    above = ""
    for line in PYPROJECT.read_text(encoding="utf-8").partition("[project.scripts]")[0].splitlines():
        code, _, reason = line.partition(" #") if not line.startswith("#") else ("", "", line[1:])
        if not code:
            above = reason.strip()
        for match in REQUIREMENT.finditer(code):
            if not code.startswith(("requires", "python_version")):
                found.setdefault(match["name"].lower(), reason.strip() or above)
        if code.strip() in ("]", "") or code.startswith("["):
            above = above if not code else ""
    return found


def name_licence(name: str) -> str:
    """The licence that an installed package states; '' where it is not installed or states none."""
    try:
        told = metadata(name)
    except PackageNotFoundError:
        return ""
    classifiers = [c.rpartition("::")[2].strip() for c in told.get_all("Classifier") or () if c.startswith("License")]
    stated, text = ((told.get_all(field) or [""])[0] for field in ("License-Expression", "License"))
    return str(stated) or ", ".join(c for c in classifiers if c != "OSI Approved") or str(text)[:60]


def find_unfree() -> list[str]:
    """Installed direct dependencies whose licence is neither free nor known to be NVIDIA's own in an extra."""
    licences = {name: name_licence(name) for name in read_requirements()}
    return [
        f"{name}: {licence}" for name, licence in licences.items()
        if licence and not FREE.search(licence) and name not in PROPRIETARY
    ]  # fmt: skip


def fetch_index(name: str) -> Mapping[str, Any]:
    """What the index says of a package (PEP 691)."""
    request = urllib.request.Request(INDEX + name + "/", headers={"Accept": "application/vnd.pypi.simple.v1+json"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        found: Mapping[str, Any] = json.load(answer)
    return found


def find_old(now: datetime, fetch: Callable[[str], Mapping[str, Any]] = fetch_index) -> list[str]:
    """Direct dependencies without a release in two years (PEP 700: every file has its day)."""
    old = []
    for name in read_requirements():
        days = [f["upload-time"] for f in fetch(name).get("files", ()) if f.get("upload-time")]
        last = max((datetime.fromisoformat(d) for d in days), default=None)
        if last is None or now - last > OLD:
            old.append(f"{name}: last release {last:%Y-%m-%d}" if last else f"{name}: the index tells no days")
    return old


def main() -> int:
    """Print what must be looked at."""
    found = [f"licence {line}" for line in find_unfree()]
    if "--online" in sys.argv:
        found += find_old(datetime.now(UTC))
    for line in found:
        print(line)
    print(f"{len(read_requirements())} direct dependencies, {len(found)} to look at")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
