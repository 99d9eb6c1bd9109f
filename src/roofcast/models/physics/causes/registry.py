"""The causes of the mechanistic model, in the order in which they act: this list is the model.

To add one: a file in this folder, with equation, symbols, reason, constants and acts, and its name here.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Collection
from functools import lru_cache
from importlib import import_module
from inspect import getdoc
from pathlib import Path

from roofcast.core.records import dataclass
from roofcast.kit.output import write_text
from roofcast.models.physics.cause import Cause, Subject, Walk

ORDER = (
    # What either GPU offers the kernel.
    "real_clock",
    "few_blocks",
    "waves",
    "cache",
    "unknown_caches",
    "l2_time",
    "dram_time",
    "l1_hits",
    "reuse",
    # Seconds per resource, and what the source time says beside the amounts.
    "pipes",
    "library_power",
    "in_flight",
    "sectors",
    "operands",
    "wider_pipe",
    "fp64",
    "conversions",
    "trees",
    "starts",
    # How the seconds scale that no roof explains.
    "issue_latency",
    "latency",
    "machine_rate",
    "mix",
    "serial",
    "efficiency",
    "throttle",
    "random_dram",
    "error_correction",
    "atomics",
    "constant",
    # Launches.
    "floor",
    "host_floor",
    # Operators of libraries.
    "library_efficiency",
    "library_vendors",
    "library_alignment",
    "library_rows",
    "library_products",
    "library_attention",
    "library_convolutions",
    "library_names",
    # What no counter tells.
    "explained_share",
    # Several GPUs at once.
    "collectives",
)

CAUSES: tuple[Cause, ...] = tuple(import_module(f"{__package__}.{name}").CAUSE for name in ORDER)

WORTH_FILE = Path(__file__).parents[1] / "worth.json"

SOURCE = "../src/roofcast/models/physics/causes"
PAGE_HEAD = """# The causes of the mechanistic model

Why a kernel takes another time on another GPU. `roofcast explain CAUSE` prints a cause whole: equation, symbols with
units, reason, where it applies, what taught it, its constants, its worth in each family. `forecast --explain` names the
causes that move a kernel; `Mechanistic(without=("latency",))` switches one off.

```
roofcast explain latency
```

*Worth*: what the mean |log error| gains by the cause, times 100, in two families of measurements that show it best,
beyond noise (`python tools/teach.py worth`); else what taught it. `hecbench*`: without stall reasons.
*Fresh*: the same on 49 programs of HeCBench to which nothing was fitted, and what 90 % of samples of them give.
`explain` also says what is left with constants fitted without the programs (*untaught*): within 0.35 points of it.
A cause stays where two families, or five programs of one, lose without it, or where documents of the hardware state it.
"""


FRESH = "hecbench_fresh"
"""Data set to which no cause was fitted."""


@lru_cache(maxsize=64)
def walk_without(without: Collection[str] = frozenset()) -> Walk:
    """The causes that are on.

    Raises
    ------
    RoofcastError : no cause has such a name.
    """
    return Walk(CAUSES, without)


@dataclass(frozen=True)
class Worth:
    """What a cause is worth in one family of measurements (``tools/teaching/worth.py``)."""

    family: str
    points: float
    """Mean |log error| without it less the same with it, times 100; programs weigh the same."""
    low: float
    high: float
    """90 % of samples of programs."""
    worse: int
    """Programs that are worse without it."""
    better: int
    programs: int
    untaught: float | None = None
    """The points with the cause's constants fitted without the programs; None where it has none, or they are few."""

    @property
    def short(self) -> str:
        """The family and its points, as the page has them."""
        return f"{self.family.replace(' without stall reasons', '*')} {self.points:+.2f}"

    @property
    def text(self) -> str:
        """One line."""
        programs = f"{self.worse}:{self.better}/{self.programs}"
        span = f"{self.low:+.2f}..{self.high:+.2f}; " if self.programs > 1 else ""
        programs += f"; untaught {self.untaught:+.2f}" if self.untaught is not None else ""
        return f"{self.family} {self.points:+.2f} ({span}{programs})"


def read_worth() -> dict[str, list[Worth]]:
    """Cause -> what it is worth, as it was measured last."""
    content = json.loads(WORTH_FILE.read_text(encoding="utf-8"))
    return {name: [Worth(**w) for w in worth] for name, worth in content.items()}


LEFT_OPEN = "## What the causes leave open"
HEADINGS = {".. math::": "equation", "Reason:": "reason"}
EQUATION = re.compile(r"\.\. math:: (.*?)\n\n", re.DOTALL)
WORTH = (
    "mean |log error| without it less with it, x 100 (90 % of samples of programs; worse:better/all programs; "
    "untaught: its constants fitted without them)"
)
PLAIN = tuple((re.compile(pattern), plain) for pattern, plain in (
    (r":(?:func|mod|data|class|math):`~?(?:roofcast\.)?([^`]*)`|``([^`]*)``|\*\*([^*]*)\*\*", r"\1\2\3"),
    (r"\\(?:begin|end)\{cases\}|\\(?:left|right|[bB]ig+)(?![a-z])|\\[,;!]|(?<!\\)&", " "), (r"\\q?quad|\\\\", " ; "),
    (r"\\(?:text|mathrm)\s*\{([^{}]*)\}", r"\1"), (r"_\{([^{}]*)\}", r"_\1"), (r"\^\{([^{}]*)\}", r"^(\1)"),
    (r"\\sqrt\{([^{}]*)\}", r"sqrt(\1)"), (r"\\t?frac\{([^{}]*)\}\s*\{([^{}]*)\}", r"(\1)/(\2)"),
    (r"\\cdot", "*"), (r"\\ge\b", ">="), (r"\\le\b", "<="), (r"\\to\b", "->"), (r"\\ldots", "..."),
    (r"\\lfloor\s*", "⌊"), (r"\s*\\rfloor", "⌋"), (r"\\([{}%\s])", r"\1"), (r"\\([A-Za-z]+)", r"\1"),
    (r"\s*,?\s+;\s+", "; "), (r"(?<!\w)\(([\w'.]+)\)/", r"\1/"), (r"(?<=[/^])\(([\w'.]+)\)", r"\1"),
    (r"(min|max|clip) \(", r"\1("), (r"(?<=\() +| +(?=\))| *([/^]) *", r"\1"),
))  # fmt: skip
"""What mathematics and markup become in a terminal, from the inside out."""


def spell_out(text: str) -> str:
    r"""A paragraph of a docstring as plain text.

    >>> spell_out(r"s' = \left(\frac{C_t}{C_{source}}\right)^{u}, \quad u = \tfrac{1}{2} \max(x, 0)")
    "s' = (C_t/C_source)^u; u = 1/2 max(x, 0)"
    """
    for _ in range(3):
        for pattern, plain in PLAIN:
            text = pattern.sub(plain, text)
    return " ".join(text.split())


def read_docstring(cause: Cause) -> str:
    """Equation, symbols and reason, as they stand in the cause's file."""
    return getdoc(sys.modules[f"{__package__}.{cause.name}"]) or ""


def render_causes() -> str:
    """The causes as docs/causes.md begins; ``python -m roofcast.models.physics.causes.registry docs/causes.md``."""
    lines, known = [PAGE_HEAD], read_worth()
    for subject in Subject:
        lines += [f"## {subject[0].upper()}{subject[1:]}", "", "|cause|equation|worth|fresh|", "|---|---|---|---|"]
        for cause in CAUSES:
            if cause.subject is subject:
                equation = EQUATION.search(read_docstring(cause))
                assert equation is not None, cause.name
                # What its symbols stand for is no part of the page.
                short = re.sub(r" *([-+=<>,]+) *", r"\1", spell_out(equation[1]).partition("; ")[0])
                of_families = [w for w in known.get(cause.name, ()) if w.family != FRESH]
                sure = sorted((w for w in of_families if w.low > 0), key=lambda w: -w.points)[:2]
                fresh = next((w for w in known.get(cause.name, ()) if w.family == FRESH), None)
                there = f"{fresh.points:+.2f} ({fresh.low:+.2f} to {fresh.high:+.2f})" if fresh else "–"
                worth = ", ".join(w.short for w in sure) or re.split("[,;(]", cause.taught_by)[0].strip()
                lines.append(
                    f"|[`{cause.name}`]({SOURCE}/{cause.name}.py): {cause.sentence}|`{short}`|{worth}|{there}|"
                )
        lines.append("")
    return "\n".join(lines)


def describe_cause(name: str) -> list[tuple[str, str]]:
    """(heading, text) of all that is known of a cause; [] where there is none of this name.

    >>> [heading for heading, _ in describe_cause("in_flight")][-4:]
    ['constant in_flight_most', 'constant in_flight_norm', 'constant in_flight_full', 'worth']
    """
    cause = next((c for c in CAUSES if c.name == name), None)
    if cause is None:
        return []
    rows = [(f"{cause.name} (cause)", cause.sentence)]
    for paragraph in read_docstring(cause).split("\n\n")[1:]:
        heading = next((h for start, h in HEADINGS.items() if paragraph.startswith(start)), "where")
        rows.append((heading, spell_out(paragraph.removeprefix(".. math::").removeprefix("Reason:"))))
    rows += [("applies", cause.when), ("corrects", cause.corrects), ("learned from", cause.taught_by)]
    rows += [
        (f"constant {c.name}", f"{c.value:g} (a fit may take {c.low:g} to {c.high:g}): {c.why}")
        for c in cause.constants
    ]
    worth = "; ".join(w.text for w in read_worth().get(name, ()))
    return [*rows, ("worth", f"{WORTH}: {worth}")] if worth else rows


if __name__ == "__main__":
    # What stands below the made part of a page stays.
    page = Path(sys.argv[1]) if sys.argv[1:] else None
    text = page.read_text(encoding="utf-8") if page else LEFT_OPEN
    made = f"{render_causes()}\n{text[text.index(LEFT_OPEN) :]}"
    sys.stdout.write(made) if page is None else write_text(page, made)
