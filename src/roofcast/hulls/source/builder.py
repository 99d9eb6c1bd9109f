"""What both front ends share: names in scope, sizes, conditions, and the statements found so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from roofcast.hulls.source.nest import Access, Affine, Loop, Routine, Statement, extreme, refuse

SIZE_ASSUMED = 1024
NAMES = """sqrt exp exp2 log log2 log10 pow sin cos tan asin acos atan atan2 sinh cosh tanh fabs floor ceil round fmin
fmax min max abs hypot cbrt fmod maximum minimum absolute square rsqrt clip trunc rint where fma log1p expm1 erf sign
power sinf cosf add subtract multiply divide negative reciprocal mod copysign tgamma lgamma"""
FUNCTIONS = frozenset(name + suffix for name in NAMES.split() for suffix in ("", "f", "l"))
"""Functions that count as one operation."""
LARGEST_INTEGER = 2**62


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


@dataclass
class Condition:
    """One ``if`` around statements."""

    value: Value = field(default_factory=Value)
    """Work of a condition that reads data."""
    above: tuple[Affine, ...] = ()
    """Expressions of counters that are 0 or more where it holds."""
    congruence: tuple[Affine, int, int, bool] | None = None
    """Expression, modulus, remainder, and whether it is equal (or differs)."""
    of_data: bool = False


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
        self.conditions: list[Condition] = []
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
        before = self.scope.get(name)
        self.scope[name] = Affine.of({self.opened(name, first, last, step, line, descends): 1})
        yield
        self.closed(1)
        self.restored(name, before)

    @contextmanager
    def strips(self, name: str, last: Affine, width: int, line: int) -> Iterator[None]:
        """A loop from 0 in strips: its counter is ``width`` times one counter plus another; quotients become affine."""
        before = self.scope.get(name)
        outer = self.opened(f"{name}/{width}", (Affine(),), (Affine((), last.constant // width),), 1, line, False)
        bounds: tuple[Affine, ...] = (Affine((), width - 1), last - Affine.of({outer: width}))
        if (last.constant + 1) % width == 0:
            bounds = bounds[:1]
        inner = self.opened(f"{name}%{width}", (Affine(),), bounds, 1, line, False)
        self.scope[name] = Affine.of({outer: width, inner: 1})
        yield
        self.closed(2)
        self.restored(name, before)

    def opened(
        self, name: str, first: tuple[Affine, ...], last: tuple[Affine, ...], step: int, line: int, descends: bool
    ) -> str:
        """Enter a loop; its unique name."""
        self.counter += 1
        unique = f"{name}#{self.counter}"
        self.loops.append(Loop(unique, first, last, step, line, descends))
        self.bodies[-1] += 1
        self.bodies.append(0)
        return unique

    def closed(self, loops: int) -> None:
        """Leave loops."""
        for _ in range(loops):
            self.bodies.pop()
            self.loops.pop()

    def restored(self, name: str, before: Affine | None) -> None:
        """Give a name the meaning that it had outside."""
        if before is None:
            self.scope.pop(name, None)
        else:
            self.scope[name] = before

    def range_of(self, value: Affine) -> tuple[int, int]:
        """Least and largest value of an expression inside the loops that are open."""
        loops = tuple(self.loops)
        return extreme(value, loops, False).constant, extreme(value, loops, True).constant

    def divided(self, value: Affine, by: int, line: int, *, remainder: bool) -> Affine:
        """Quotient or remainder of an index, where it is affine."""
        if by <= 0:
            raise refuse(line, "a quotient by a number that is not above 0 is not affine")
        rest = Affine.of({n: f for n, f in value.factors if f % by}, value.constant % by)
        low, high = self.range_of(rest)
        if low >= 0 and high < by:
            whole = value - rest
            return rest if remainder else Affine.of({n: f // by for n, f in whole.factors}, whole.constant // by)
        low, high = self.range_of(value)
        span = high - low
        if remainder and low > -by and high < 2 * by and span < by and len(value.variables) == 1:
            # Wraps around at the border: the same neighbours as without.
            note = f"line {line}: indices modulo {by} wrap around at the border"
            self.routine.notes = tuple(dict.fromkeys((*self.routine.notes, note)))
            return value - Affine((), by * round((low + high) / 2 / by - 0.5 + 0.5 / by))
        raise refuse(line, f"a {'remainder' if remainder else 'quotient'} of loop variables is not affine")

    def combined(self, left: Affine, right: Affine, op: str, line: int) -> Affine:
        """Sum, difference, product, quotient or remainder of two affine expressions, where it is affine."""
        if op in ("+", "-"):
            found = left + right if op == "+" else left - right
        elif op == "*" and not (left.variables and right.variables):
            found = left.times(right.constant) if not right.variables else right.times(left.constant)
        elif op in ("<<", ">>") and not right.variables and 0 <= right.constant < 40:
            found = (
                left.times(1 << right.constant)
                if op == "<<" else self.divided(left, 1 << right.constant, line, remainder=False)
            )  # fmt: skip
        elif op in ("/", "//", "%") and not right.variables and right.constant:
            found = self.divided(left, right.constant, line, remainder=op == "%")
        else:
            what = {"*": "a product", "%": "a remainder"}.get(op, "a quotient")
            raise refuse(line, f"{what} of loop variables is not affine")
        if max((abs(f) for _, f in found.factors), default=0) + abs(found.constant) > LARGEST_INTEGER:
            raise refuse(line, "an index or bound is larger than any array")
        return found

    def assign(self, target: Access, value: Value, line: int, *, updates: bool, reduces: bool = False) -> None:
        """One assignment; conditions around it are part of its work.

        updates : ``x op= e``: one operation more.
        reduces : e does not depend on x, and the operation accumulates.
        """
        total = Value().add(value, *(c.value for c in self.conditions))
        for c in self.conditions:
            c.value = Value(0, c.value.reads)
        if updates:
            total.operations += 1
        same = any(r.array == target.array and r.indices == target.indices and not r.scattered for r in total.reads)
        if not self.loops and not target.indices and not total.reads:
            return
        loops, congruences, share = self.restricted()
        self.routine.statements.append(
            Statement(
                target, tuple(total.reads), total.operations, updates or same, loops, line, tuple(self.bodies),
                len(self.routine.statements), reduces, any(c.of_data for c in self.conditions), share, congruences,
            )
        )  # fmt: skip

    def restricted(self) -> tuple[tuple[Loop, ...], tuple[tuple[Affine, int, int, bool], ...], float]:
        """Open loops with the bounds of conditions, remainders that they ask for, and the share that these leave."""
        loops = list(self.loops)
        congruences, share = [], 1.0
        for condition in self.conditions:
            for above in condition.above:
                restrict(loops, above)
            if condition.congruence is not None:
                congruences.append(condition.congruence)
                _, modulus, _, equal = condition.congruence
                share *= 1 / modulus if equal else 1 - 1 / modulus
        return tuple(loops), tuple(congruences), share


def restrict(loops: list[Loop], above: Affine) -> None:
    """Add a condition ``above >= 0`` to the innermost loop that it names, where it is a bound of that loop."""
    for at in range(len(loops) - 1, -1, -1):
        loop = loops[at]
        factor = above.factor(loop.name)
        if factor == 0:
            continue
        rest = above - Affine.of({loop.name: factor})
        if abs(factor) == 1 and loop.step == 1:
            if factor == 1:
                loops[at] = replace(loop, first=(*loop.first, rest.times(-1)))
            else:
                loops[at] = replace(loop, last=(*loop.last, rest))
        return


def lowest_common_multiple(numbers: Sequence[int]) -> int:
    """The least number that all divide; 0 where it is too large to cut a loop by."""
    import math

    found = math.lcm(*numbers) if numbers else 0
    return found if 1 < found <= 1 << 20 else 0
