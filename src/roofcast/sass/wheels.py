"""Where NVIDIA's wheels are and how old they are: light enough to be asked before every forecast."""

from __future__ import annotations

import importlib.util
from functools import lru_cache
from pathlib import Path

NEEDS_EXTRA = "needs the extra 'sass' (NVIDIA's compiler wheels): pip install 'roofcast[sass]'"


def wheel_folders() -> tuple[Path, ...]:
    """The folders of the namespace ``nvidia`` that the wheels share."""
    try:
        spec = importlib.util.find_spec("nvidia")
    except (ImportError, ValueError):
        return ()
    return tuple(Path(folder) for folder in (spec.submodule_search_locations or ())) if spec else ()


def wheel_file(package: str, pattern: str) -> Path | None:
    """A file of an NVIDIA wheel, None where it is not installed."""
    for folder in wheel_folders():
        found = sorted(folder.glob(f"{package}/{pattern}"))
        if found:
            return found[-1]
    return None


@lru_cache(maxsize=1)
def linker_wheel_version() -> str:
    """Toolkit version of the nvJitLink wheel, e.g. ``12.9.86``; '' where there is none.

    Read off the name of its metadata folder: the standard library's own way loads an e-mail parser.
    """
    for folder in wheel_folders():
        for name in ("nvidia_nvjitlink_cu12-*.dist-info", "nvidia_nvjitlink-*.dist-info"):
            for found in sorted(folder.parent.glob(name)):
                return found.name.removesuffix(".dist-info").rpartition("-")[2]
    return ""
