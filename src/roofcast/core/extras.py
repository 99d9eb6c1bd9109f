"""Modules that are not always there: optional ones are asked for in one line, later ones of Python have a stand-in."""

from __future__ import annotations

import importlib
import sys
from importlib.util import find_spec
from typing import Any

from roofcast.core.errors import MissingExtraError


def import_extra(module: str, extra: str, purpose: str) -> Any:
    """A module of an optional dependency. purpose : what needs it, as the beginning of a sentence.

    Raises
    ------
    MissingExtraError : it is not installed; the line names the extra.
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0].replace("_", "-")
        raise MissingExtraError(f"{purpose} needs {package}: pip install 'roofcast[{extra}]'") from error


def has_polars() -> bool:
    """Return whether the fast reader of large tables is installed; without it Python's own reads them, slower."""
    return "polars" in sys.modules or find_spec("polars") is not None


def require_polars(purpose: str) -> None:
    """Say that Polars is not installed. purpose : what needs it, as the beginning of a sentence.

    Raises
    ------
    MissingExtraError : it is not.
    """
    import_extra("polars", "tables", purpose)


def require_matplotlib() -> None:
    """Say that Matplotlib is not installed, which draws every picture that is not one of a page's own.

    Raises
    ------
    MissingExtraError : it is not.
    """
    import_extra("matplotlib", "figures", "a picture")


def require_server() -> None:
    """Say that what serves the page is not installed.

    Raises
    ------
    MissingExtraError : it is not.
    """
    for module in ("starlette", "uvicorn"):
        import_extra(module, "page", "the page")


def load_zstd() -> Any:
    """Zstandard as Python 3.14 has it in its library; before, the same module from the package index."""
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        return importlib.import_module("backports.zstd")
