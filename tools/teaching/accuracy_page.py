"""Renew measured tables: ``python tools/teach.py accuracy_page docs/accuracy.md README.md``.

Every table stands between two remarks that name it; the text around them is written by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path

from roofcast_evaluate.advice_scores import score_advice, tabulate_advice
from roofcast_evaluate.families import score_families
from roofcast_evaluate.information import climb
from roofcast_evaluate.show import (
    as_markdown,
    cells_of,
    ladder_cells,
    ratio_cells,
    ratio_notes,
    trust_cells,
    write_block,
)
from roofcast_evaluate.teaching import Teacher, lessons
from teaching.learning import learn_everywhere, learning_cells


def main(path: Path, readme: Path) -> None:
    """Write the tables of the page on accuracy and the one of the README."""
    teacher = Teacher.of(lessons())
    table = score_families(teacher=teacher)
    write_block(readme, "trust", as_markdown(trust_cells(table)))
    write_block(path, "families", as_markdown(cells_of(table)))
    write_block(path, "ratios", f"{as_markdown(ratio_cells(table))}\n\n{ratio_notes(table)}")
    write_block(path, "pairs", as_markdown(learning_cells(learn_everywhere(teacher)[0])))
    head, *lines = tabulate_advice(score_advice()).render_cells()
    write_block(path, "advice", as_markdown((head, lines)))
    write_block(path, "ladder", as_markdown(ladder_cells(climb(teacher=teacher))))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:3]))
