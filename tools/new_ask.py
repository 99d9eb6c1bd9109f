"""Write the skeleton of a question into its room, and say which lines are left to add.

python tools/new_ask.py ROOM NAME
"""

from __future__ import annotations

import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "roofcast"
SKELETON = '''"""The question `{name}`: say in one line what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roofcast.core.display import View
from roofcast.kit.asked import Ask, Found, Option, Writing, make_view

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable
    from roofcast.kit.page import Page
    from roofcast.kit.table import Table


@dataclass(frozen=True, repr=False)
class {type}(Found):
    """Say what the answer is; a row per kernel."""

    kind = "{name}"
    found: KernelTable

    def shown(self) -> View:
        """The view of the answer."""
        return view_{name}()

    def written(self) -> Writing:
        """How the command writes the answer."""
        return Writing(render, record, make_page, tabulate)


def {name}(kernels: Any, depth: float | None = None, *, input_format: str | None = None) -> {type}:
    """Say what the command does with FILE.

    depth : What this option means, as `roofcast {name} --help` says it.

    A row per kernel.
    """
    from roofcast.reading import read

    return {type}(read(kernels, input_format))


def tabulate(found: KernelTable) -> Table:
    """Rows, for people and machines."""
    from roofcast.kit.table import Table

    return Table.of_records({{"kernel": str(k)}} for k in found.strings("kernel"))


def render(found: KernelTable, width: int) -> str:
    """What is printed."""
    return "\\n".join(tabulate(found).lines(width))


def record(found: KernelTable) -> dict[str, Any]:
    """What JSON holds."""
    return {{"kernels": list(tabulate(found).records())}}


def make_page(found: KernelTable) -> Page:
    """What a page holds."""
    from roofcast.kit.page import Page, Section

    return Page("{name}", sections=(Section("", table=tabulate(found)),))


def draw(found: KernelTable) -> Any:
    """The picture that `plot` returns."""
    from roofcast.kit.bars import Bar, BarPicture

    times = zip(found.strings("kernel"), found.column("time_s"), strict=True)
    return BarPicture("time of a launch", "s", [Bar(str(k), float(t)) for k, t in times])


def view_{name}() -> View:
    """How the answer shows itself."""
    return make_view(render, record, "kernels", tabulate, make_page, draw)


ASK = Ask(
    name="{name}",
    run={name},
    view=view_{name},
    options={{"depth": Option("N", kind="number")}},
    examples=("roofcast {name} run.ncu-rep",),
)
"""The question, in every door."""
'''
LEFT = """wrote {path}; left to add:
  src/roofcast/asks.py                       "{name}": Place("roofcast.{room}.ask", "One line.", "Decide", made=True),
  src/roofcast/__init__.py                   its type, and "{name}" in __all__
  tests/contracts/test_asks.py               "{name}" in ASKED
  tests/contracts/test_copied_answers.py     "{name}" in RETURNED
  tests/contracts/test_python.py             "{name}" in NAMES
  tests/contracts/test_private.py            "{name}" in OUTPUTS
  docs/questions.md                          python tools/write_questions.py
"""


def write_ask(folder: Path, name: str) -> Path:
    """Write ``ask.py`` of a question into the folder of its room.

    Raises
    ------
    SystemExit : the name is none of Python, the room is none, or has a question already.
    """
    path = folder / "ask.py"
    if not name.isidentifier() or not name.islower():
        raise SystemExit(f"{name}: give a verb or noun in small letters, as users would type it")
    if not (folder / "__init__.py").is_file():
        raise SystemExit(f"{folder.name}: no such room")
    if path.exists():
        raise SystemExit(f"{path}: the room has a question; a question has a room")
    path.write_text(SKELETON.format(name=name, type=f"{name.title().replace('_', '')}Answer"), encoding="utf-8")
    return path


if __name__ == "__main__":
    room, asked = sys.argv[1:3]
    made = write_ask(SOURCE / room, asked)
    sys.stdout.write(LEFT.format(path=made, room=room, name=asked))
