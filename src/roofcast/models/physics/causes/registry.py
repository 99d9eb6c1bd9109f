"""The causes of the mechanistic model, in the order in which they act: this list is the model.

To add one: a file in this folder, with equation, symbols, reason, constants and acts, and its name here.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from functools import lru_cache
from importlib import import_module

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
    "dispatch",
    "trees",
    # How the seconds scale that no roof explains.
    "issue_latency",
    "latency",
    "machine_rate",
    "mix",
    "residency",
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

SOURCE = "../src/roofcast/models/physics/causes"
PAGE_HEAD = """# The causes of the mechanistic model

Why a kernel takes another time on another GPU: one file per cause, with its equation, symbols and reason, in the order
in which they act (`models/physics/causes/registry.py`). `Mechanistic(without=("latency",))` switches one off;
[what each contributes](accuracy.md#what-each-cause-contributes) says how much it matters; `forecast --explain` names
those that move a kernel. This page is made by `python -m roofcast.models.physics.causes.registry`.
"""


@lru_cache(maxsize=64)
def walk_without(without: Collection[str] = frozenset()) -> Walk:
    """The causes that are on.

    Raises
    ------
    RoofcastError : no cause has such a name.
    """
    return Walk(CAUSES, without)


def render_causes() -> str:
    """The causes as a page of the documentation: ``python -m roofcast.models.physics.causes.registry``."""
    lines = [PAGE_HEAD]
    for subject in Subject:
        lines += [
            f"## {subject[0].upper()}{subject[1:]}",
            "",
            "| cause | applies | corrects | learned from |",
            "|---|---|---|---|",
        ]
        for cause in CAUSES:
            if cause.subject is subject:
                what = f"[`{cause.name}`]({SOURCE}/{cause.name}.py): {cause.sentence}"
                lines.append(f"| {what} | {cause.when} | {cause.corrects} | {cause.taught_by} |")
        lines.append("")
    lines += ["## Constants", "", "| constant | value | bounds of the fit | meaning | cause |", "|---|---|---|---|---|"]
    for cause in CAUSES:
        for c in cause.constants:
            lines.append(f"| `{c.name}` | {c.value:g} | {c.low:g} to {c.high:g} | {c.why} | `{cause.name}` |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(render_causes())
