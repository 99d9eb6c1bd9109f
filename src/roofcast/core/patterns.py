"""Regular expressions that are compiled when they are used first: a start has hundreds, and uses few."""

from __future__ import annotations

import re
from typing import Any, cast


class Later:
    """Stands in for an expression until one of its methods is asked for."""

    def __init__(self, pattern: str, flags: int) -> None:
        self.made: tuple[str, int] = pattern, flags

    def __getattr__(self, name: str) -> Any:
        # Each method is found once; from then on it is an attribute of its own.
        method = getattr(re.compile(*self.made), name)
        setattr(self, name, method)
        return method


def compile_later(pattern: str, flags: int = 0) -> re.Pattern[str]:
    r"""An expression that is compiled when it is used first.

    >>> digits = compile_later(r"(\d+)x")
    >>> digits.search("tile 128x64")[1]
    '128'
    """
    return cast("re.Pattern[str]", Later(pattern, flags))
