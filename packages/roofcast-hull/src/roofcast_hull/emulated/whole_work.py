"""Work on whole numbers that no data enter, and how much of it ends in results: keys, generators of random numbers.

Most whole numbers of a kernel are counters and indices, which are no operations of an algorithm. What is stored, or
becomes a number with a fraction, is: the rounds of a cipher that start from a counter, a generator's steps. Of those an
index differs by its size: what goes beyond every array, and what follows from that, is none.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class WholeWork:
    """The operations of one block, each with those that its operands came from."""

    amounts: list[float] = field(default_factory=list)
    origins: list[tuple[int, int]] = field(default_factory=list)
    """Steps of the two operands; -1 for what nothing was done to."""
    shifts: set[int] = field(default_factory=set)
    """Steps that move bits."""
    large: set[int] = field(default_factory=set)
    """Steps whose numbers are larger than any index, or follow from such."""
    used: set[int] = field(default_factory=set)
    """Steps whose results are stored or combined with data."""
    first: int = 0
    """Number of the block's first step: those of blocks before are no longer known."""

    def begin(self) -> None:
        """Start a block."""
        self.first += len(self.amounts)
        self.amounts, self.origins, self.shifts, self.large, self.used = [], [], set(), set(), set()

    def note(self, amount: float, left: int, right: int, *, large: bool = False, shifts: bool = False) -> int:
        """An operation, and its number. large : whether its result is no index. shifts : whether it moves bits."""
        self.amounts.append(amount)
        self.origins.append((left, right))
        step = self.first + len(self.amounts) - 1
        if large or left in self.large or right in self.large:
            self.large |= {step, *({left, right} & self.shifts)}
        if shifts:
            self.shifts.add(step)
        return step

    def join(self, left: int, right: int) -> int:
        """One number for what came from either."""
        return (
            left if right < self.first else right if left < self.first or left == right else self.note(0, left, right)
        )

    def use(self, step: int) -> None:
        """A result is one of the algorithm."""
        if step >= self.first:
            self.used.add(step)

    def count(self) -> tuple[float, float]:
        """Operations that ended in results, and those of them on numbers that are no indices."""
        taken, total, large = set(self.used), 0.0, 0.0
        for at in range(len(self.amounts) - 1, -1, -1):
            if self.first + at in taken:
                total += self.amounts[at]
                large += self.amounts[at] if self.first + at in self.large else 0.0
                taken |= set(self.origins[at])
        return total, large
