"""Modules that are not always there: optional ones are asked for in one line, later ones of Python have a stand-in."""

from __future__ import annotations

import importlib
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
        package = module.partition(".")[0]
        raise MissingExtraError(f"{purpose} needs {package}: pip install 'roofcast[{extra}]'") from error


def load_zstd() -> Any:
    """Zstandard as Python 3.14 has it in its library; before, the same module from the package index."""
    try:
        return importlib.import_module("compression.zstd")
    except ImportError:
        return importlib.import_module("backports.zstd")
