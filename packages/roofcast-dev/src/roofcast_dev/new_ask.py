"""A question into its room: its function, its answer, how it is shown, and the lines that are left to add."""

from __future__ import annotations

from roofcast_dev.checkout import Checkout, Refused, check_name

SKELETON = '''"""The question `{name}`: say in one line what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from roofcast.kit.asked import Ask, Option
from roofcast.kit.returned import Drawing, Found, View

if TYPE_CHECKING:
    from roofcast.core.kernel_table import KernelTable
    from roofcast.kit.page import Page
    from roofcast.kit.table import Table


@dataclass(frozen=True, repr=False, eq=False)
class {type}(Found["KernelTable"]):
    """Say what the answer is; a row per kernel."""

    kind = "{name}"

    def shown(self) -> View[KernelTable]:
        """How the answer shows itself."""
        return View(render, record, tabulate, make_page, draw, key="kernels")


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


def draw(found: KernelTable) -> Drawing:
    """The picture that `plot` returns."""
    from roofcast.kit.bars import Bar, BarPicture

    times = zip(found.strings("kernel"), found.column("time_s"), strict=True)
    return BarPicture("time of a launch", "s", [Bar(str(k), float(t)) for k, t in times])


ASK = Ask(
    name="{name}",
    run={name},
    options={{"depth": Option("N", kind="number")}},
    examples=("roofcast {name} run.ncu-rep",),
)
"""The question, in every door."""
'''
LEFT = """\
src/roofcast/asks.py                       "{name}": Place("roofcast.{room}.ask", "One line.", "Decide"),
src/roofcast/__init__.py                   its type, and "{name}" in __all__
tests/contracts/test_asks.py               "{name}" in ASKED
tests/contracts/test_copied_answers.py     "{name}" in RETURNED
tests/contracts/test_python.py             "{name}" in NAMES
tests/contracts/test_private.py            "{name}" in OUTPUTS
docs/questions.md                          python tools/write_questions.py
check: python -m pytest tests/contracts/test_asks.py"""


def write_ask(checkout: Checkout, name: str, room: str) -> str:
    """Write ``ask.py`` of a question into the folder of its room; what is left to do.

    Raises
    ------
    Refused : the name is none of Python, the room is none, or has a question already.
    """
    check_name(name, "weigh")
    folder = f"src/roofcast/{room}"
    if not checkout.path(f"{folder}/__init__.py").is_file():
        raise Refused(
            f"--room: no room {room!r} in src/roofcast: make the folder, its __init__.py one line of docstring"
        )
    if checkout.path(f"{folder}/ask.py").exists():
        raise Refused(f"{folder}/ask.py: the room has a question; a question has a room")
    checkout.create(f"{folder}/ask.py", SKELETON.format(name=name, type=f"{name.title().replace('_', '')}Answer"))
    return LEFT.format(room=room, name=name)
