"""Remarks about kernels: texts that hold for the rows of a mask, turned into one tuple of texts per row."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray


@dataclass
class Remarks:
    """Collects (rows, text) and gives each row its texts; a million rows cost one look-up each."""

    size: int
    entries: list[tuple[NDArray[np.bool_], str]] = field(default_factory=list)

    def add(self, rows: NDArray[np.bool_], text: str) -> None:
        """Attach a text to the rows of an (n,) mask; nothing where no row is set."""
        if rows.any():
            self.entries.append((np.broadcast_to(rows, (self.size,)), text))

    def rows(self) -> tuple[tuple[str, ...], ...]:
        """Per row, its texts in the order in which they were added."""
        if not self.entries:
            return ((),) * self.size
        packed = np.packbits(np.stack([mask for mask, _ in self.entries], axis=1), axis=1)
        keys = [bytes(row) for row in packed] if packed.shape[1] > 1 else packed[:, 0].tolist()
        first = {key: i for i, key in enumerate(reversed(keys))}
        texts = {key: tuple(t for m, t in self.entries if m[self.size - 1 - i]) for key, i in first.items()}
        return tuple(texts[key] for key in keys)
