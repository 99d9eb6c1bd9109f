"""What one side of a condition that data decide stores, which the other side does not find there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

Earlier = Mapping[int, int | None]
"""Elements that another side stored: what was there before, None where the block had stored nothing."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What a block stored in an array, as one side of a condition finds it."""

    known: Mapping[int, int]
    earlier: Earlier

    def get(self, element: int, otherwise: int | None = None) -> int | None:
        """The node of an element; another one where it was not stored."""
        if element in self.earlier:
            before = self.earlier[element]
            return otherwise if before is None else before
        return self.known.get(element, otherwise)


@dataclass(slots=True)
class OtherSides:
    """Stores of the sides that ran, while one of them runs."""

    depth: int = 0
    """Conditions around."""
    log: list[tuple[str, int, int | None]] = field(default_factory=list)
    """(array, element, what was there before) of the stores under them."""
    hidden: dict[str, dict[int, int | None]] = field(default_factory=dict)
    """What the side that runs does not find."""

    def enter(self) -> tuple[int, dict[str, dict[int, int | None]]]:
        """A condition begins; returned is what :meth:`begin` and :meth:`leave` ask for."""
        self.depth += 1
        return len(self.log), self.hidden

    def begin(self, mark: tuple[int, dict[str, dict[int, int | None]]]) -> None:
        """A side begins: it does not find what those before it stored."""
        start, outer = mark
        self.hidden = {a: dict(e) for a, e in outer.items()}
        for array, element, before in self.log[start:]:
            self.hidden.setdefault(array, {}).setdefault(element, before)

    def leave(self, mark: tuple[int, dict[str, dict[int, int | None]]]) -> None:
        """The condition ends: what its sides stored is found."""
        start, self.hidden = mark
        for array, element, _ in self.log[start:]:
            self.hidden.get(array, {}).pop(element, None)
        self.depth -= 1
        if not self.depth:
            self.log.clear()

    def store(self, array: str, elements: Iterable[int], known: Mapping[int, int]) -> None:
        """Note a store. known : what was stored there before."""
        if not self.depth:
            return
        hidden = self.hidden.get(array, {})
        for element in elements:
            self.log.append((array, element, hidden[element] if element in hidden else known.get(element)))
            hidden.pop(element, None)

    def find(self, array: str, known: Mapping[int, int] | None) -> Seen | Mapping[int, int] | None:
        """What the side that runs finds in an array."""
        earlier = self.hidden.get(array)
        return Seen(known, earlier) if known and earlier else known
