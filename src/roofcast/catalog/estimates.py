"""Estimates by class where nobody measured: a ratio to theory, with the spread of the class as uncertainty."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rule:
    """One class rule: what its measured members reach, and how far a new member may be from it."""

    name: str
    mean: float
    relative_uncertainty: float
    source: str


class Rules:
    """The rules of ``estimates.toml``, looked up by quantity, architecture and segment."""

    def __init__(self, rules: Sequence[Mapping[str, Any]]) -> None:
        self.by_quantity: dict[str, list[Mapping[str, Any]]] = {}
        for rule in rules:
            self.by_quantity.setdefault(rule["quantity"], []).append(rule)

    def find(self, quantity: str, architecture: str, segment: str, sm_count: int = 0) -> Rule | None:
        """First rule of a quantity that fits an architecture key, a segment and a size; None where none does."""
        for rule in self.by_quantity.get(quantity, ()):
            fits = architecture.startswith(tuple(rule["architectures"]))
            fits = fits and sm_count <= rule.get("sm_count_most", sm_count)
            if fits and segment in rule.get("segments", (segment,)):
                return Rule(rule["class"], float(rule["mean"]), float(rule["relative_uncertainty"]), describe(rule))
        return None


def describe(rule: Mapping[str, Any]) -> str:
    """One line that says where a rule comes from."""
    n = rule.get("n_gpus", 0)
    origin = f"mean of {n} measured GPU{'s' * (n != 1)}" if n else f"broader rule: {rule.get('note', 'no measurement')}"
    return f"estimated by class {rule['class']!r} ({origin})"
