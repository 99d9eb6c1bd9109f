"""Calls of libraries that compute whole arrays in stages, as the front ends hand them on."""

from __future__ import annotations

from dataclasses import dataclass

from roofcast_hull.notation import AlgorithmClass, Part, Pattern


@dataclass(frozen=True, slots=True)
class Staged:
    """One call."""

    pattern: Pattern
    shape: tuple[int, ...]
    extent: tuple[int, ...]
    """Elements that belong together; empty where all do."""
    element: str
    """Of what is computed with."""
    bytes_in: float
    bytes_out: float
    complexity: float
    result: str
    """Element type of the result; empty where its numbers are complex."""

    bytes_complex: float = 0.0
    """B of an element of the result where its numbers are complex."""
    result_shape: tuple[int, ...] = ()
    given_shape: tuple[int, ...] = ()
    """Of what is transformed, where zeros stand behind it or its end is left out; empty where it is all."""

    @property
    def algorithm(self) -> AlgorithmClass:
        """Its class."""
        shape = self.given_shape or self.shape
        extent = tuple(n if wide > 1 else 1 for n, wide in zip(shape, self.extent, strict=True)) if self.extent else ()
        given = Part(shape, Pattern.TILE, extent) if extent else Part(shape, Pattern.FULL)
        return AlgorithmClass((given,), (Part(self.shape, self.pattern, self.extent),))


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """A call of a library that has a class of its own: what it computes, the array that gets it, how often."""

    call: Staged
    array: str
    line: int
    repetitions: int
    given: str = ""
    """The array that it takes, where it alone does: its units compute the elements as they take them."""
