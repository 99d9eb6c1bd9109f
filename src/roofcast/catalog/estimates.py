"""Estimates by class where nobody measured: a ratio to theory, with how far a new member may be from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from roofcast.catalog.theory import Entry
from roofcast.core.records import dataclass


@dataclass(frozen=True)
class Board:
    """What rules ask of a GPU."""

    key: str
    vendor: str
    architecture: str
    chip: str
    segment: str
    memory: str
    sm_count: int

    @classmethod
    def of(cls, entry: Entry) -> Board:
        """The board of an entry; one whose die is not stated has one of its own."""
        return cls(
            entry["key"], entry["vendor"], entry["architecture"], entry.get("chip") or entry["key"],
            entry.get("segment", ""), entry.get("memory_type", ""), int(entry["sm_count"]),
        )  # fmt: skip


def fits(rule: Mapping[str, Any], board: Board) -> bool:
    """Return whether a board is of a class.

    >>> a10 = Board("nvidia-a10", "NVIDIA", "sm_86", "GA102", "datacentre", "GDDR6", 72)
    >>> fits({"architectures": ["sm_8"], "memory": ["GDDR6"]}, a10), fits({"architectures": ["sm_80"]}, a10)
    (True, False)
    """
    if rule.get("chip", board.chip) != board.chip:
        return False
    keys = rule["architectures"]
    return (
        (board.architecture in keys if rule.get("exact") else board.architecture.startswith(tuple(keys)))
        and board.segment in rule.get("segments", (board.segment,))
        and board.memory.startswith(tuple(rule.get("memory", ("",))))
        and board.key not in rule.get("without", ())
        and board.sm_count <= rule.get("sm_count_most", board.sm_count)
    )


@dataclass(frozen=True, slots=True)
class Rule:
    """One class rule: what its measured members reach, and how far a new member may be from it."""

    name: str
    mean: float
    relative_uncertainty: float
    source: str


class Rules:
    """The rules of the index, looked up by quantity and board. ``catalog.class_rules`` makes them."""

    def __init__(self, by_quantity: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        """Quantity -> its rules, in the order in which they are tried."""
        self.by_quantity = by_quantity

    def find(self, quantity: str, board: Board) -> Rule | None:
        """First rule of a quantity that fits a board; None where none does."""
        for rule in self.by_quantity.get(quantity, ()):
            if fits(rule, board):
                return Rule(rule["class"], float(rule["mean"]), float(rule["relative_uncertainty"]), describe(rule))
        return None


ORIGINS = {
    "measured": "mean of {n} measured GPU{s}",
    "nearest": "no GPU of its own: mean of {n} measured GPU{s} of the vendor",
    "vendors": "no GPU of the vendor: mean of {n} measured GPU{s} of others",
}


def describe(rule: Mapping[str, Any]) -> str:
    """One line that says where a rule comes from."""
    n = rule.get("n_gpus", 0)
    sentence = ORIGINS.get(rule["source"], "broader rule: {note}")
    origin = sentence.format(n=n, s="s" * (n != 1), note=rule.get("note", "no measurement"))
    return f"estimated by class {rule['class']!r} ({origin})"
