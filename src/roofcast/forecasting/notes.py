"""What a reader of a forecast must know: of each kernel, of each target, of each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from roofcast.core.errors import one_line
from roofcast.core.results import Forecast

MOST_TEXTS = 2
"""Different notes of one target that are shown; more are summed up."""
KINDS = (("FLOPs", " FLOPs x "), ("spills", "spills "), ("registers", "registers "))
"""What can differ, and the words in a note that say so."""


def list_kernel_texts(forecast: Forecast, i: int) -> list[str]:
    """Notes and assumptions of one kernel."""
    estimate = forecast.estimate
    texts = list(forecast.kernel_notes[i]) if forecast.kernel_notes else []
    texts += estimate.notes[i] if estimate.notes else ()
    return [*texts, *(f"assumed: {a}" for a in (estimate.assumed[i] if estimate.assumed else ()))]


def list_reasons(forecast: Forecast, i: int) -> list[str]:
    """Why a kernel has no forecast, for each target that lacks it."""
    return [str(r) for r in forecast.estimate.reasons[i] if r]


def list_target_texts(forecast: Forecast) -> Iterator[tuple[str, str]]:
    """(target, text) of what holds for all kernels of a target, its code included."""
    target_notes = forecast.target_notes or ((),) * len(forecast.targets)
    for j, (target, notes) in enumerate(zip(forecast.targets, target_notes, strict=True)):
        for text in (*notes, *(sum_up_code_notes(forecast, j) if forecast.cell_notes else ())):
            yield target.name, text


def list_general_texts(forecast: Forecast) -> Iterator[tuple[str, str]]:
    """Notes of targets and files, with what each holds for."""
    for name, text in list_target_texts(forecast):
        yield one_line(text, 300), one_line(name, 120)
    for origin in forecast.kernels.provenance:
        for text in origin.notes:
            yield one_line(text, 300), one_line(origin.file, 120)


def sum_up_code_notes(forecast: Forecast, j: int) -> list[str]:
    """Notes on the code of one target, over all kernels."""
    texts = Counter(text for row in forecast.cell_notes for text in row[j])
    if len(texts) == 1 and sum(texts.values()) == len(forecast.kernels):
        return [*texts]
    if len(texts) <= MOST_TEXTS:
        return [f"{text} ({count} kernel{'s' * (count > 1)})" for text, count in texts.most_common()]
    total = sum(texts.values())

    def having(words: str) -> int:
        return sum(count for text, count in texts.items() if words in text)

    parts = [f"target code known for {total - having('counts unchanged')} of {total} kernels"]
    parts += [f"{kind} differ in {having(words)}" for kind, words in KINDS if having(words)]
    return [f"SASS: {', '.join(parts)} (--explain: which)"]
