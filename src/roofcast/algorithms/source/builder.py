"""What both front ends share: names in scope, sizes, and the statements found so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from roofcast.algorithms.source.nest import Access, Affine, Loop, Routine, Statement, refuse

SIZE_ASSUMED = 1024
NAMES = """sqrt exp exp2 log log2 log10 pow sin cos tan asin acos atan atan2 sinh cosh tanh fabs floor ceil round fmin
fmax min max abs hypot cbrt fmod maximum minimum absolute square rsqrt clip trunc rint where"""
FUNCTIONS = frozenset(name + suffix for name in NAMES.split() for suffix in ("", "f", "l"))
"""Functions that count as one operation."""


@dataclass
class Value:
    """What evaluating an expression takes."""

    operations: int = 0
    reads: list[Access] = field(default_factory=list)

    def add(self, *others: Value, operations: int = 0) -> Value:
        """Add others, which come after it."""
        for other in others:
            self.operations += other.operations
            self.reads += other.reads
        self.operations += operations
        return self


class Builder:
    """Collects the statements of one routine."""

    def __init__(self, name: str, sizes: Mapping[str, int], assigned: frozenset[str]) -> None:
        self.routine = Routine(name)
        self.sizes = dict(sizes)
        self.assigned = assigned
        """Scalars that the routine assigns: data, not sizes."""
        self.loops: list[Loop] = []
        self.scope: dict[str, Affine] = {}
        """Loop variables and integers that are affine in them."""
        self.guards: list[Value] = []
        self.bodies: list[int] = [0]
        self.counter = 0

    def named(self, name: str, line: int) -> Affine:
        """Value of a name inside an index or a bound."""
        if name in self.scope:
            return self.scope[name]
        if name in self.sizes:
            return Affine((), self.sizes[name])
        if name in self.assigned:
            raise refuse(line, f"'{name}' comes from data: the index or bound is not affine")
        self.routine.assumed[name] = self.sizes[name] = SIZE_ASSUMED
        return Affine((), SIZE_ASSUMED)

    @contextmanager
    def loop(
        self, name: str, first: tuple[Affine, ...], last: tuple[Affine, ...], step: int, line: int, descends: bool
    ) -> Iterator[None]:
        """Everything inside belongs to a loop."""
        self.counter += 1
        unique = f"{name}#{self.counter}"
        before = self.scope.get(name)
        self.scope[name] = Affine.of({unique: 1})
        self.loops.append(Loop(unique, first, last, step, line, descends))
        self.bodies[-1] += 1
        self.bodies.append(0)
        yield
        self.bodies.pop()
        self.loops.pop()
        if before is None:
            del self.scope[name]
        else:
            self.scope[name] = before

    def assign(self, target: Access, value: Value, line: int, updates: bool) -> None:
        """One assignment; conditions around it are part of its work."""
        total = Value().add(value, *self.guards)
        self.guards = [Value(0, g.reads) for g in self.guards]
        if updates:
            total.operations += 1
        same = any(r.array == target.array and r.indices == target.indices and not r.scattered for r in total.reads)
        if not self.loops and not target.indices and not total.reads:
            return
        self.routine.statements.append(
            Statement(
                target, tuple(total.reads), total.operations, updates or same, tuple(self.loops), line,
                tuple(self.bodies), len(self.routine.statements),
            )
        )  # fmt: skip
