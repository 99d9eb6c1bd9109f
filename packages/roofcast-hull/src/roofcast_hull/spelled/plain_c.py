"""Files of CUDA and C++ as plain C where libclang is installed (extra ``source``): kept for the last files asked."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from roofcast_hull.spelled.complex_c import spell_complex
from roofcast_hull.spelled.hip import spell_hip

KERNELS = re.compile(r"\b__global__\b")
CPLUSPLUS = re.compile(
    r"\b(?:std::|thrust::|template\s*<|namespace\b|class\s+\w|constexpr\b|operator\W|using\s+\w|nullptr\b)"
    r"|\bauto\s*[&*]?\s*\w+\s*=|\b(?:static|reinterpret|const)_cast\s*<|\[[&=\w\s,]*\]\s*\([^()]*\)\s*(?:->\s*\w+\s*)?\{"
    r"|[\w>]\s*&\s*\w+\s*(?=[,)])(?=[^;{}]*\)\s*(?:const\s*)?\{)"
    r"|#\s*include\s*<\w+>|\bfor\s*\([^;:?()]*[^;:?()\s][^;:?()]*:(?!:)[^;()]*\)"
)
"""What C does not have."""
LARGEST_TEXT = 1_000_000
"""Characters of a file."""
SECONDS = 60
"""s that the process may take, its start included."""
PROCESS = "roofcast_hull.spelled.clang_process"
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class PlainC:
    """A file that was written as plain C."""

    text: str
    kernels: Mapping[str, str] = field(default_factory=dict)
    """Name in the text -> name with the arguments of its template."""
    failed: Mapping[str, str] = field(default_factory=dict)
    """Functions with loops that have no plain form, and why."""


def write_plain_c(text: str, sizes: Mapping[str, int] | None = None) -> PlainC | None:
    """A file with kernels, or in C++, as plain C; None where libclang is not there, or does not make it out.

    sizes : values of names that the file uses and does not say.
    """
    text = spell_complex(text)
    spelled = KERNELS.search(text) or CPLUSPLUS.search(text)
    if not spelled or len(text) > LARGEST_TEXT or not is_installed():
        return None
    open_names = tuple(sorted((n, v) for n, v in (sizes or {}).items() if IDENTIFIER.fullmatch(n)))
    answer = ask_process(text, ())
    if isinstance(answer, str) and open_names:
        answer = ask_process(text, open_names)
    return None if isinstance(answer, str) else answer


@lru_cache(maxsize=1)
def is_installed() -> bool:
    """Whether libclang can be asked."""
    return importlib.util.find_spec("clang") is not None


@lru_cache(maxsize=64)
def ask_process(text: str, sizes: tuple[tuple[str, int], ...]) -> PlainC | str:
    """What another process makes of a file; a reason where it makes nothing of it."""
    request = json.dumps({"text": spell_hip(text), "sizes": dict(sizes)})
    places = {**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p), "PYTHONIOENCODING": "utf-8"}
    try:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-m", PROCESS], input=request, capture_output=True, text=True, encoding="utf-8",
            timeout=SECONDS, env=places, check=False,
        )  # fmt: skip
        answer = json.loads(done.stdout) if done.returncode == 0 else {}
    except (OSError, subprocess.TimeoutExpired, ValueError):
        answer = {}
    if not answer.get("text"):
        return str(answer.get("why") or "libclang gave up on this file")
    return PlainC(answer["text"], answer["kernels"], answer["failed"])
