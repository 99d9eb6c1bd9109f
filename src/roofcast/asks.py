"""The questions, as one literal list: who asks where, in which group of the command line, in which tab of the page.

Everything else of a question (parameters, help, examples, how its answer shows itself) stands with its :class:`Ask` in
the room that answers it; a room is imported when its question is asked.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from roofcast.core.errors import RoofcastError
from roofcast.core.joined_parts import MODEL, OFFERED, OPERATORS, RUN, Place, find_parts, refuse_absent

if TYPE_CHECKING:
    from roofcast.kit.asked import Ask


ASKS: dict[str, Place] = {
    "forecast": Place(
        "roofcast.reports.ask", "Forecast every kernel of a profile on other GPUs.", "Ask",
        "kernels", "Kernels", ("html", "json", "csv", "parquet", "svg", "png"),
        of_models="roofcast.reports.unmeasured_models",
    ),
    "app": Place(
        "roofcast.applications.ask", "Forecast a whole application from its timeline.", "Ask",
        "run", "Run", ("html", "json", "csv", "svg", "trace.json"), takes=(RUN,),
    ),
    "llm": Place(
        "roofcast.serving.ask", "Forecast a language model under traffic: TTFT, TPOT, tokens/s, cost.", "Ask",
        "serving", "Serving", ("html", "json", "csv", "svg"), takes=(MODEL,),
    ),
    "scale": Place(
        "roofcast.scaling.ask", "Forecast a training step on other counts of GPUs, and on other GPUs.", "Ask",
        "scale", "Scale", ("html", "json", "csv", "svg"), takes=(RUN, OPERATORS),
    ),
    "roofline": Place(
        "roofcast.rooflines.ask", "Draw the hierarchical roofline with kernel-specific ceilings.", "Understand",
        "roofline", "Roofline", ("html", "csv", "svg", "png"),
    ),
    "advise": Place(
        "roofcast.advice.ask", "Say what to change, ranked by the time that it would save.", "Understand",
        "advice", "Advice", ("html", "json"),
    ),
    "choose": Place(
        "roofcast.choosing.ask", "Rank GPUs for a workload, a budget, a power limit or a deadline.", "Decide",
        "gpus", "Which GPU", ("html", "json", "csv", "svg"),
    ),
    "compare": Place(
        "roofcast.comparing.ask", "Show what changed between two profiles, or since a forecast.", "Decide",
        "compare", "Compare", ("html", "json"),
    ),
    "sweep": Place(
        "roofcast.sweeps.ask", "Play with hypothetical GPUs: sweeps, elasticities, fronts, goals.", "Decide",
    ),
    "gpus": Place("roofcast.catalog.ask", "List the catalog, show one entry, check your own.", "Decide"),
}  # fmt: skip
"""Name -> its place, in the order of the help; what distributions of their own ask is in :func:`list_places`."""


def list_places() -> dict[str, Place]:
    """Name -> place of every question, those of installed parts last."""
    return ASKS | {name: place for part in find_parts().values() for name, place in part.asks.items()}


def find_place(name: str) -> Place:
    """The place of a question; parts are looked for where core has none.

    Raises
    ------
    RoofcastError : there is none, or it must be installed first.
    """
    place = ASKS.get(name) or list_places().get(name)
    if place is None:
        refuse_absent(OFFERED.get(name), name)
        raise RoofcastError(f"no question {name!r}: use one of {', '.join(list_places())}")
    return place


def find_ask(name: str) -> Ask:
    """The question of a name, its room imported.

    Raises
    ------
    RoofcastError : there is none, or it must be installed first.
    """
    ask: Ask = importlib.import_module(find_place(name).module).ASK
    return ask


def find_other(name: str) -> Ask | None:
    """The question that a command asks of models that never ran; None where that is the same one."""
    module = find_place(name).of_models
    return importlib.import_module(module).ASK if module else None
