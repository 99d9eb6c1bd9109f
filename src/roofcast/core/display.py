"""What the core's types show of themselves: whoever draws them says so here, and the core knows nobody above it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Views = Mapping[str, Callable[..., Any]]
"""Way of showing, e.g. ``forecast_text`` -> function of the value."""

_load: list[Callable[[], Views]] = []


def provide_views(load: Callable[[], Views]) -> None:
    """Say where the views come from. load : called when a value is first shown."""
    _load[:] = [load]


def show(how: str, *arguments: Any) -> Any:
    """Show a value in one way.

    Raises
    ------
    LookupError : nobody draws it.
    """
    if not _load:
        raise LookupError(f"nothing shows {how}")
    return _load[0]()[how](*arguments)
