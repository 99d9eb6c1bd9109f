"""The questions, as one literal list: who asks where, in which group of the command line, in which tab of the page.

Everything else of a question (parameters, help, examples, how its answer shows itself) stands with its :class:`Ask` in
the room that answers it; a room is imported when its question is asked.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofcast.kit.asked import Ask


KERNELS, RUN, MODEL, OPERATORS = "kernels", "run", "model", "operators"
"""What a file may be: kernels, a recorded run, the config of a language model, a list of operators that never ran."""
MEASURED = (KERNELS, RUN)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a question is answered, and which doors lead there."""

    module: str
    """Exports ``ASK`` and the function of the question's name."""
    summary: str
    """One line for ``roofcast --help``."""
    group: str
    """Section of ``roofcast --help``: what a user wants."""
    tab: str = ""
    """View of the page; '' where it has none."""
    title: str = ""
    """What the view is called."""
    forms: tuple[str, ...] = ()
    """Suffixes that the page offers of it."""
    made: bool = False
    """Whether its command is made of the question; else the command does more than ask, and stands in ``commands``."""
    of_models: str = ""
    """Module whose ``ASK`` the command asks instead where the file is a list of operators that never ran."""
    takes: tuple[str, ...] = MEASURED
    """The kinds of files that the tab is of."""


ASKS: dict[str, Place] = {
    "forecast": Place(
        "roofcast.reports.ask", "Forecast every kernel of a profile on other GPUs.", "Ask",
        "kernels", "Kernels", ("html", "json", "csv", "parquet", "svg", "png"), made=True,
        of_models="roofcast.reports.unmeasured_models",
    ),
    "app": Place(
        "roofcast.applications.ask", "Forecast a whole application from its timeline.", "Ask",
        "run", "Run", ("html", "json", "csv", "svg", "trace.json"), made=True, takes=(RUN,),
    ),
    "llm": Place(
        "roofcast.serving.ask", "Forecast a language model under traffic: TTFT, TPOT, tokens/s, cost.", "Ask",
        "serving", "Serving", ("html", "json", "csv", "svg"), made=True, takes=(MODEL,),
    ),
    "scale": Place(
        "roofcast.scaling.ask", "Forecast a training step on other counts of GPUs, and on other GPUs.", "Ask",
        "scale", "Scale", ("html", "json", "csv", "svg"), made=True, takes=(RUN, OPERATORS),
    ),
    "roofline": Place(
        "roofcast.rooflines.ask", "Draw the hierarchical roofline with kernel-specific ceilings.", "Understand",
        "roofline", "Roofline", ("html", "csv", "svg", "png"), made=True,
    ),
    "advise": Place(
        "roofcast.advice.ask", "Say what to change, ranked by the time that it would save.", "Understand",
        "advice", "Advice", ("html", "json"), made=True,
    ),
    "choose": Place(
        "roofcast.choosing.ask", "Rank GPUs for a workload, a budget, a power limit or a deadline.", "Decide",
        "gpus", "Which GPU", ("html", "json", "csv", "svg"), made=True,
    ),
    "compare": Place(
        "roofcast.comparing.ask", "Show what changed between two profiles, or since a forecast.", "Decide",
        "compare", "Compare", ("html", "json"), made=True,
    ),
    "sweep": Place(
        "roofcast.sweeps.ask", "Play with hypothetical GPUs: sweeps, elasticities, fronts, goals.", "Decide", made=True,
    ),
    "gpus": Place("roofcast.catalog.ask", "List the catalog, show one entry, check your own.", "Decide", made=True),
    "hull": Place("roofcast_hull.ask", "Forecast an algorithm class before any code exists.", "Research"),
}  # fmt: skip
"""Name -> its place, in the order of the help."""


def find_ask(name: str) -> Ask:
    """The question of a name, its room imported."""
    found: Ask = importlib.import_module(ASKS[name].module).ASK
    return found


def find_other(name: str) -> Ask | None:
    """The question that a command asks of models that never ran; None where that is the same one."""
    module = ASKS[name].of_models
    return importlib.import_module(module).ASK if module else None
