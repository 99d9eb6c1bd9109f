"""What `app` says of the recorded runs that a forecast's kernels are from; other files ask nothing of this room."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from roofcast.kit.returned import Statement
from roofcast.reading import is_several

if TYPE_CHECKING:
    from roofcast.core.processor import Processor
    from roofcast.forecasting.forecast import Question


def with_runs(question: Question, given: Any, input_format: str | None, source: str | Processor | None) -> Question:
    """The question, whose answer also says what `app` says of the recorded runs that the kernels are from.

    given : where all kernels of the question were read from.
    """
    if question.observed is not None or {"files", "problem size"} & set(question.told):
        return question  # measured together, at another size or corrected by own pairs: no recorded run
    return replace(question, tell_runs=partial(tell_runs, given, input_format, question, source))


def tell_runs(
    given: Any, input_format: str | None, question: Question, source: str | Processor | None
) -> tuple[Statement, ...]:
    """What `app` says first of recorded runs, one of each; none where what is given names no traces."""
    from roofcast.ingest.timelines import TIMELINES, are_timelines

    if not {p.format for p in question.kernels.provenance} <= TIMELINES.keys():
        return ()
    files = list(given) if is_several(given) else [given]
    if not all(isinstance(f, (str, Path)) for f in files) or not are_timelines(files, input_format):
        return ()
    from roofcast.applications.recorded import state_runs

    return state_runs(files, input_format, question, source)
