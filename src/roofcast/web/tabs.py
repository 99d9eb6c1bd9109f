"""The page's tabs: each is what a command prints of the same files, made by that command in a process of its own.

What the page shows is thus what the command line knows, and every view says which command makes it again. Words that
visitors chose went through the same checks as a forecast's: GPUs of the catalog and variations of them, never a path or
an option; files are those that were dropped.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import shlex
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

from roofcast.asks import ASKS
from roofcast.core.errors import InputError, one_line
from roofcast.core.joined_parts import MEASURED, MODEL, OPERATORS, RUN
from roofcast.core.records import dataclass
from roofcast.core.results import PRODUCTION
from roofcast.kit.page import LEAD
from roofcast.models.registry import DEFAULT_MODEL
from roofcast.store.set_names import is_stored
from roofcast.web.choices import Request, flag
from roofcast.web.fields import describe_fields, find_start, list_said
from roofcast.web.guard import Limits
from roofcast.web.keeping import Kept, Profile
from roofcast.web.parsing import run_apart
from roofcast.web.warm import Warm

LEAD_SAID = re.compile(rf'<meta name="{LEAD}" content="([^"]*)">'.encode())
POLICY = re.compile(rb'http-equiv="Content-Security-Policy" content="([^"]*)"')
KINDS = {
    "html": "text/html; charset=utf-8", "json": "application/json", "csv": "text/csv; charset=utf-8",
    "svg": "image/svg+xml", "png": "image/png", "parquet": "application/vnd.apache.parquet",
    "trace.json": "application/json",
}  # fmt: skip
"""What a visitor may download, and what it is."""


@dataclass(frozen=True, slots=True)
class Tab:
    """One view of the session."""

    command: str
    title: str
    forms: tuple[str, ...]
    """Suffixes that the command writes."""
    options: Callable[[Request], list[str]]
    """Words behind the files, beside those of its fields."""
    takes: tuple[str, ...] = MEASURED
    """Kinds of files that it is of."""


def list_conditions(request: Request, *, floors: bool = True, coverage: bool = True) -> list[str]:
    """Options that several commands share; what is as by default is left out."""
    c = request.conditions
    words = ["--from", request.source] if request.source else []
    words += ["--model", request.model] if request.model and request.model != DEFAULT_MODEL else []
    words += ["--coverage", f"{c.coverage:g}"] if coverage and c.coverage != 0.9 else []
    words += ["--conditions", c.named] if c.named != PRODUCTION else []
    words += ["--clock", c.clock if isinstance(c.clock, str) else f"{c.clock:g}Hz"] if c.clock != "auto" else []
    words += ["--cache", c.cache] if c.cache != "auto" else []
    words += ["--load", c.load] if c.load != "auto" else []
    if floors and c.launch_floor_s:
        words += ["--launch-floor", ",".join(f"{s * 1e6:g}us" for s in c.launch_floor_s)]
    return words


def list_targets(request: Request) -> list[str]:
    """The GPUs to forecast for."""
    return ["--to", ",".join(request.names)] if request.names else []


def match_kernels(request: Request) -> list[str]:
    """``--kernel``; a plain text, since an expression of a visitor could take for ever."""
    return ["--kernel", f"(?i){re.escape(request.pattern)}"] if request.pattern else []


def ask_kernels(request: Request) -> list[str]:
    """Every kernel."""
    return [*list_targets(request), *list_conditions(request), *match_kernels(request)]


def ask_run(request: Request) -> list[str]:
    """The whole run."""
    return [*list_targets(request), *list_conditions(request)]


def ask_serving(request: Request) -> list[str]:
    """A language model: what was measured, and how, is no part of it."""
    return list_targets(request)


def ask_scale(request: Request) -> list[str]:
    """A step on other counts of GPUs."""
    return [*list_targets(request), *(["--from", request.source] if request.source else [])]


def ask_roofline(request: Request) -> list[str]:
    """Kernels under the roofs."""
    conditions = list_conditions(request, floors=False, coverage=False)
    return [*list_targets(request), *conditions, *match_kernels(request)]


def ask_gpus(request: Request) -> list[str]:
    """Which GPU."""
    return [*list_conditions(request), *match_kernels(request)]


def ask_advice(request: Request) -> list[str]:
    """What to change."""
    return [*list_conditions(request, floors=False, coverage=False), *match_kernels(request)]


OPTIONS: dict[str, Callable[[Request], list[str]]] = {
    "app": ask_run, "forecast": ask_kernels, "roofline": ask_roofline, "choose": ask_gpus, "advise": ask_advice,
    "compare": match_kernels, "llm": ask_serving, "scale": ask_scale,
}  # fmt: skip
"""Question -> GPUs and conditions as its command takes them; what is its own stands in ``FIELDS``."""
TARGETED = ("app", "forecast", "llm", "scale")
"""Questions that are of GPUs that somebody names."""
TABS: dict[str, Tab] = {
    **{p.tab: Tab(name, p.title, p.forms, OPTIONS[name], p.takes) for name, p in ASKS.items() if p.tab},
    "file": Tab("inspect", "File", ("html", "json", "csv"), match_kernels),
}
WANTED = {
    (MODEL,): "Drop the config.json of a language model: this view shows it under traffic.",
    (RUN, OPERATORS): "Drop a recorded run or a list of operators, or say below on which GPUs a step was timed.",
    (RUN,): "No timeline here: the view Kernels shows each kernel before and after.",
    MEASURED: "Drop a profile or a trace: this view is of what was measured.",
}
"""What a tab says that has no file of its kind, by the kinds that it takes."""


def describe_tabs() -> list[dict[str, Any]]:
    """What the page makes its tabs of."""
    return [
        {"name": name, "title": tab.title, "forms": tab.forms, "takes": tab.takes, "wanted": WANTED[tab.takes],
         "targeted": tab.command in TARGETED, "fields": describe_fields(tab.command)}
        for name, tab in TABS.items()
    ]  # fmt: skip


def list_own(tab: Tab, request: Request, data: Mapping[str, Any]) -> list[str]:
    """What a visitor said of one view alone."""
    if tab.command == "choose" and flag(data, "among") and request.names:
        return [*list_said(tab.command, {**data, "candidates": ""}), "--among", ",".join(request.names)]
    return list_said(tab.command, data)


@dataclass(frozen=True)
class View:
    """One command that was run for the page."""

    command: str
    files: tuple[str, ...]
    options: tuple[str, ...]
    html: bytes = b""

    @property
    def words(self) -> tuple[str, ...]:
        """After ``roofcast``, without what it is written to."""
        return (self.command, *self.files, *self.options)

    @property
    def typed(self) -> str:
        """The command as a user types it, files by their names."""
        names = (f if is_stored(f) else Path(f).name for f in self.files)
        return shlex.join(["roofcast", self.command, *names, *self.options])

    @property
    def policy(self) -> str:
        """The page's own policy, and that only this server may frame it."""
        match = POLICY.search(self.html)
        policy_of_page = (
            match[1].decode().replace("&#x27;", "'").replace("&#39;", "'") if match else "default-src 'none'"
        )
        return f"{policy_of_page}; frame-ancestors 'self'"

    @property
    def lead(self) -> dict[str, Any]:
        """The command's first sentence, why it is so and how sure it is, as its page has them."""
        match = LEAD_SAID.search(self.html)
        lead: dict[str, Any] = json.loads(unescape(match[1].decode())) if match else {}
        return lead

    @property
    def framed(self) -> bytes:
        """The page for inside this one, which says the sentence itself."""
        plain = self.html.replace(b'<body class="report', b'<body class="embedded report', 1)
        return plain.replace(b"<body>", b'<body class="embedded">', 1)


@dataclass(frozen=True)
class Shelved:
    """A view whose page lies on disk until somebody looks at it."""

    view: View
    """Without its page."""
    page: Path
    disk_bytes: int

    def render(self) -> View:
        """The view with its page."""
        return replace(self.view, html=self.page.read_bytes())

    def close(self) -> None:
        """Delete the page."""
        self.page.unlink(missing_ok=True)


def shelve(view: View, folder: Path) -> Shelved:
    """The view with its page in a file of a folder."""
    file, name = tempfile.mkstemp(dir=folder, suffix=".html")
    with os.fdopen(file, "wb") as out:
        out.write(view.html)
    return Shelved(replace(view, html=b""), Path(name), len(view.html))


def find_profiles(request: Request, profiles: Kept[Profile]) -> list[Profile]:
    """The profiles that a request names.

    Raises
    ------
    InputError : one is gone.
    """
    named = [profiles.get(p) for p in request.profiles]
    present = [p for p in named if p is not None]
    if len(present) < len(named):
        raise InputError("the profile is no longer here: drop it again")
    return present


def plan_view(name: str, request: Request, data: Mapping[str, Any], profiles: Kept[Profile]) -> View:
    """The command of a tab, not yet run.

    Raises
    ------
    InputError : no such tab, a profile that is gone or of the wrong kind.
    """
    if name not in TABS:
        raise InputError(f"no view {one_line(name, 40)!r}; views: {', '.join(TABS)}")
    tab = TABS[name]
    profiles_of = find_profiles(request, profiles)
    taken = [p for p in profiles_of if p.kind in tab.takes]
    start = find_start(tab.command, data)
    files = (start,) if start else tuple(p.source for p in taken)
    if not files:
        raise InputError(WANTED[tab.takes])
    if len(files) != FILES_OF.get(tab.command, len(files)):
        raise InputError(MANY[tab.command])
    formats = {p.input_format for p in taken} - {None}
    stated = ["--input-format", str(formats.pop())] if len(formats) == 1 and not start else []
    return View(tab.command, files, (*tab.options(request), *list_own(tab, request, data), *stated))


FILES_OF = {"compare": 2, "llm": 1}
"""Questions of as many files."""
MANY = {
    "compare": "choose two profiles to compare: drop a second one",
    "llm": "several models are here: remove all but one",
}
"""What is said where there are more or fewer."""


async def run_command(view: View, form: str, limits: Limits, warm: Warm | None = None) -> bytes:
    """What a command writes in a format. warm : as :func:`roofcast.web.parsing.run_apart`.

    Raises
    ------
    InputError : what it said instead, in one line.
    """
    with tempfile.TemporaryDirectory(prefix="roofcast-") as folder:
        out = Path(folder) / f"out.{form}"
        words = ("--run", str(limits.memory_bytes), str(limits.file_bytes), *view.words, "-o", str(out))
        output, ended = await run_apart(words, Path(folder), limits.run_s, errors=True, warm=warm)
        if ended is None:
            output = "it takes too long for this page: use the command line"
        # A comparison that fails its limit and a list without times are answers too.
        if out.is_file():
            return await asyncio.to_thread(out.read_bytes)
        lines = [x for x in output.splitlines() if x.strip()]
        raise InputError(clean_line(lines[-1] if lines else "the command ended without an answer", view.files))


def clean_line(line: str, files: Sequence[str]) -> str:
    """What a command said, without the folders of this machine."""
    for file in files:
        line = line.replace(file, Path(file).name).replace(f"{Path(file).parent}/", "")
    return one_line(line.removeprefix("roofcast: "), 400)
