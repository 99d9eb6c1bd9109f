"""What the targets' own code changes, in a line or two per target: the details stand with each kernel."""

from __future__ import annotations

from collections import Counter

from roofcast.core.results import Forecast

MOST_TEXTS = 2
"""Different notes of one target that are shown; more are summed up."""
KINDS = (("FLOPs", " FLOPs x "), ("spills", "spills "), ("registers", "registers "))
"""What can differ, and the words in a note that say so."""


def code_notes(forecast: Forecast, j: int) -> list[str]:
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
