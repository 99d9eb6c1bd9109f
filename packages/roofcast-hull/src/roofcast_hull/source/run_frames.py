"""What code that is run holds: variables of a thread, calls that are open, and the ways out of loops and functions."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from roofcast_hull.source.run_check import Machine, StopError, Value

Running = Generator[None, None, None]
"""Statements under way; stops at every barrier of a block of threads."""
DEEPEST = 40
"""Calls that are open at once."""
HOLD = "hold"
"""A call that says when memory is to be held under another name, as a statement of NumPy finds it."""
HEAP = "heap"
"""Memory that has no name yet."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """An element of an array, or a row of one: dimensions that are still to be indexed."""

    array: str
    at: int = 0
    dims: tuple[int, ...] = ()
    """Sizes of the dimensions behind the next one."""


Slot = Value | Pointer


class LeaveError(Exception):
    """break, continue or return on its way out."""

    def __init__(self, kind: str, value: Slot | None = None) -> None:
        super().__init__(kind)
        self.kind, self.value = kind, value


class Frame:
    """The variables of one thread, or of the function that runs."""

    def __init__(
        self, machine: Machine, code: Any, sizes: Mapping[str, int], shared: dict[str, Slot] | None = None
    ) -> None:
        self.machine = machine
        self.code = code
        self.sizes = dict(sizes)
        self.shared = shared
        """Arrays in the shared memory of a block of threads; None where no kernel runs."""
        self.names: dict[str, Slot] = {}
        self.scalars: dict[str, str] = {}
        """Scalars that live in memory, so that accumulations into them are seen: name to array."""
        self.depth = 0

    def scalar(self, name: str) -> str:
        """The memory of a scalar."""
        if name not in self.scalars:
            array = self.scalars[name] = self.machine.make_private(name)
            value = self.names.pop(name, None)
            if isinstance(value, Value):
                self.put(array, value)
        return self.scalars[name]

    def put(self, array: str, value: Value) -> None:
        """Give a scalar in memory a value; one that is no data stays none."""
        self.machine.write(array, 0, value)
        self.machine.cells[array, 0].value = value

    def store_name(self, name: str, value: Slot) -> None:
        """Give a variable a value."""
        held = self.names.get(name)
        if isinstance(value, Pointer) and value.array == HEAP:
            value = Pointer(name, 0, held.dims if isinstance(held, Pointer) else ())
        if isinstance(value, Pointer) or isinstance(held, Pointer):
            self.scalars.pop(name, None)
            self.names[name] = value
        elif name not in self.scalars and not value.data:
            self.names[name] = value
        else:
            self.put(self.scalar(name), value)

    def call(self, function: Any, arguments: Sequence[Slot]) -> Slot:
        """Run a function of the file."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise StopError("functions call each other too deeply")
        outer = self.names, self.scalars
        self.names, self.scalars = {}, {}
        parameters = getattr(function.decl.type.args, "params", None) or ()
        for parameter, argument in zip(parameters, arguments, strict=False):
            self.names[str(parameter.name)] = argument
        result: Slot = Value(0)
        try:
            self.code.statement(function.body)(self)
        except LeaveError as left:
            result = left.value if left.value is not None else Value(0)
        self.names, self.scalars = outer
        self.depth -= 1
        return result


Expression = Callable[[Frame], Slot]


Action = Callable[[Frame], None]
