"""The causes of the mechanistic model, in the order in which they act: this list is the model.

To add one: a file in this folder, with equation, symbols, reason, constants and acts, and its name here.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path

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
    # Seconds per resource, and what the source time says beside the amounts.
    "pipes",
    "library_power",
    "in_flight",
    "sectors",
    "operands",
    "wider_pipe",
    "fp64",
    "trees",
    # How the seconds scale that no roof explains.
    "issue_latency",
    "latency",
    "machine_rate",
    "mix",
    "serial",
    "efficiency",
    "throttle",
    "random_dram",
    "atomics",
    # Launches.
    "floor",
    "host_floor",
    # Operators of libraries.
    "library_efficiency",
    "library_vendors",
    "library_alignment",
    "library_rows",
    "library_products",
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

Why a kernel takes another time on another GPU: one file per cause, with its equation, symbols and reason, in the order
in which they act. `Mechanistic(without=("latency",))` switches one off; `forecast --explain` names those that move a
kernel. `python -m roofcast.models.physics.causes.registry` makes this page up to *What the causes leave open*.

**Worth** (`python -m roofcast.evaluation.worth`): what the mean |log error| gains by the cause, times 100, in families
with counters or launch geometry; pairs of GPUs and programs weigh the same. `nca +0.75 (+0.33..+1.18; 5:1/9)`: gain,
range of 90 % of samples of programs (none for one program), and of 9 programs 5 are worse and 1 better without the
cause. `hecbench*` is hecbench without stall reasons. A cause stays where two families or five programs of one lose by
more than that noise; a documented fact of the hardware where no family gains without it (`waves`, `trees`, `sectors`,
`mix`, `issue_latency`, `throttle`).
"""


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
    """What a cause is worth in one family of measurements (:mod:`roofcast.evaluation.worth`)."""

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

    @property
    def text(self) -> str:
        """One line."""
        family = self.family.replace(" without stall reasons", r"\*")
        programs = f"{self.worse}:{self.better}/{self.programs}"
        span = f"{self.low:+.2f}..{self.high:+.2f}; " if self.programs > 1 else ""
        return f"{family} {self.points:+.2f} ({span}{programs})"


def read_worth() -> dict[str, list[Worth]]:
    """Cause -> what it is worth, as it was measured last."""
    content = json.loads(WORTH_FILE.read_text(encoding="utf-8"))
    return {name: [Worth(**w) for w in worth] for name, worth in content.items()}


def render_causes() -> str:
    """The causes as the page of the documentation begins: ``python -m roofcast.models.physics.causes.registry``."""
    lines, known = [PAGE_HEAD], read_worth()
    for subject in Subject:
        lines += [
            f"## {subject[0].upper()}{subject[1:]}",
            "",
            "| cause | applies | corrects | learned from | worth |",
            "|---|---|---|---|---|",
        ]
        for cause in CAUSES:
            if cause.subject is subject:
                what = f"[`{cause.name}`]({SOURCE}/{cause.name}.py): {cause.sentence}"
                worth = "; ".join(w.text for w in known.get(cause.name, ()))
                lines.append(f"| {what} | {cause.when} | {cause.corrects} | {cause.taught_by} | {worth} |")
        lines.append("")
    lines += ["## Constants", "", "| constant | value | bounds of the fit | meaning | cause |", "|---|---|---|---|---|"]
    for cause in CAUSES:
        for c in cause.constants:
            lines.append(f"| `{c.name}` | {c.value:g} | {c.low:g} to {c.high:g} | {c.why} | `{cause.name}` |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render_causes())
