"""What is known of a routine while it is read: names in scope, loops, conditions, statements so far."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from itertools import pairwise

from roofcast.core.errors import one_line
from roofcast_hull.source.counter_tests import Held
from roofcast_hull.source.nest import (
    Access,
    Affine,
    Congruence,
    Loop,
    Routine,
    Statement,
    find_extreme,
    refuse,
)  # fmt: skip

SIZE_ASSUMED = 1024
"""Value of a size that nobody gives; the answer says that it is assumed."""
NAMES = """sqrt exp exp2 log log2 log10 pow sin cos tan asin acos atan atan2 sinh cosh tanh fabs floor ceil round fmin
fmax min max abs hypot cbrt fmod maximum minimum absolute square rsqrt clip trunc rint where fma log1p expm1 erf sign
power sinf cosf add subtract multiply divide negative reciprocal mod copysign tgamma lgamma
erfc erfcx erfinv normcdf normcdfinv asinh acosh atanh sinpi cospi exp10 rhypot rcbrt fdim ilogb logb ldexp scalbn
scalbln nextafter remainder nearbyint lround llround lrint llrint j0 j1 y0 y1 labs
llabs isnan isinf isfinite isnormal signbit"""
DEVICE_WORDS = """__expf __exp10f __logf __log2f __log10f __powf __sinf __cosf __tanf __fdividef __fsqrt_rn __frsqrt_rn
__frcp_rn __fmaf_rn __popc __popcll __clz __clzll __ffs __ffsll __brev __mul24 __umul24 __saturatef
__hadd __hsub __hmul __hdiv __hmax __hmin __usad __sad __hadd_rn __hsub_rn __hmul_rn __hadd_sat __hsub_sat __hmul_sat
__hneg __habs __hgt __hlt __hge __hle __heq __hne hexp hexp2 hexp10 hlog hlog2 hlog10 hsqrt hrsqrt hrcp hsin hcos
htanh hceil hfloor hrint htrunc"""
FUNCTIONS = frozenset(name + suffix for name in NAMES.split() for suffix in ("", "f", "l")) | frozenset(
    DEVICE_WORDS.split()
)
"""Functions that count as one operation."""
NUMBER = "half|bfloat16|float|double|u?short|u?int|u?ll"
CONVERSION = re.compile(
    rf"__(?:{NUMBER}|low|high)2(?:{NUMBER}|half2|bfloat162)(?:_r[nzud])?"
    r"|__(?:u?int|float|double|longlong)_as_(?:u?int|float|double|longlong)"
)
"""Names of functions that give a number another type: no operation, as casts are none."""
PAIR_WORDS = """__hadd2 __hsub2 __hmul2 __h2div __hmax2 __hmin2 __hadd2_rn __hsub2_rn __hmul2_rn __hadd2_sat __hsub2_sat
__hmul2_sat __hneg2 __habs2 h2exp h2exp2 h2exp10 h2log h2log2 h2log10 h2sqrt h2rsqrt h2rcp h2sin h2cos h2tanh h2ceil
h2floor h2rint h2trunc"""
PACKED = {
    **dict.fromkeys(PAIR_WORDS.split(), 2), **dict.fromkeys(("__hfma2", "__hfma2_sat", "__hfma2_relu"), 4),
    **dict.fromkeys(("__hfma", "__hfma_sat", "__hfma_relu"), 2), "__hcmadd": 8,
    "__dp4a": 8, "__dp2a_lo": 4, "__dp2a_hi": 4, "__philox": 122,
}  # fmt: skip
"""Functions of several numbers in one word, and their operations: two halves, products of four bytes that add up; and
ten rounds of Philox with a number of 0 to 1 made of them, as cuRAND does it."""
SHARED_WORK = "shared work"
"""Name, which no code spells, of a function of two arguments: how many uses share the operations of the second."""
REAL_WORDS = "INFINITY HUGE_VAL HUGE_VALF NAN FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON M_PI"
REAL_NUMBERS = frozenset(REAL_WORDS.split())
"""Names of the C library's headers that are numbers of an algorithm, no sizes."""
LARGEST_INTEGER = 2**62
"""Largest factor of a variable in an index, with its constant: 64 bits hold it with sign and a bit of room."""
WIDEST_STRIP = 1 << 20
"""Turns of a strip into which a loop is split where its counter is divided."""
WRAPPED, WRAPPED_SHARE = 2, 0.02
"""Elements, and share of a dimension, that an index may lie beyond it where a remainder brings it back."""


@dataclass
class Value:
    """What evaluating an expression takes."""

    operations: float = 0
    reads: list[Access] = field(default_factory=list)

    def add(self, *others: Value, operations: float = 0) -> Value:
        """Add others, which come after it."""
        for other in others:
            self.operations += other.operations
            self.reads += other.reads
        self.operations += operations
        return self

    def takes(self, target: Access) -> bool:
        """Whether it reads the element that is written."""
        return any(r.array == target.array and r.indices == target.indices for r in self.reads)


@dataclass
class Condition:
    """One ``if`` around statements."""

    value: Value = field(default_factory=Value)
    """Work of a condition that reads data."""
    above: tuple[Affine, ...] = ()
    """Expressions of counters that are 0 or more where it holds."""
    congruence: Congruence | None = None
    of_data: bool = False
    share: float = 1.0
    """Of the iterations, those in which it holds, where no bounds of counters say it."""
    held: Held | None = None
    """The condition on counters of which this is the share, its remainders among them."""


Comparisons = tuple[list[Affine], Congruence | None]
"""A condition on counters: expressions that are 0 or more where it holds, and what it asks of a remainder."""


def compare(op: str, left: Affine, right: Affine) -> list[Affine] | None:
    """A comparison as expressions that are 0 or more where it holds; None for other operators."""
    gap, less = right - left, Affine((), -1)
    return {
        "<": [gap + less], "<=": [gap], ">": [gap.times(-1) + less], ">=": [gap.times(-1)], "==": [gap, gap.times(-1)],
    }.get(op)  # fmt: skip


def compare_remainder(value: Affine, modulus: Affine, remainder: Affine, equal: bool) -> Comparisons | None:
    """``(i + j) % 2 == 0``; None where modulus or remainder is no number."""
    if modulus.variables or remainder.variables or modulus.constant < 2:
        return None
    return [], (value, modulus.constant, remainder.constant, equal)


def branch_on_counters(found: Comparisons) -> tuple[Condition, Condition]:
    """What holds in the two branches of an ``if`` on counters."""
    above, congruence = found
    # Not all of several conditions: the iterations left are no simple range.
    opposite = (above[0].times(-1) + Affine((), -1),) if len(above) == 1 and congruence is None else ()
    other = (*congruence[:3], not congruence[3]) if congruence and not above else None
    simple = bool(opposite) or other is not None
    return (
        Condition(above=tuple(above), congruence=congruence),
        Condition(above=opposite, congruence=other, of_data=not simple),
    )


def branch_on_data(value: Value) -> tuple[Condition, Condition]:
    """The two branches of an ``if`` on data: its work counts once."""
    if not value.reads:
        value.operations = 0
    return Condition(value, of_data=True), Condition(Value(0, value.reads), of_data=True)


class Builder:
    """Collects the statements of one routine."""

    def __init__(self, name: str, sizes: Mapping[str, int], assigned: frozenset[str]) -> None:
        self.routine = Routine(name)
        self.sizes = dict(sizes)
        self.assigned = assigned
        """Scalars that the routine assigns: data, not sizes."""
        self.changed = assigned
        """Of these, those that it assigns after their declaration."""
        self.looping: Mapping[str, int] = {}
        """Functions whose loops data end, and the lines of these."""
        self.launched: Mapping[str, int] = {}
        """Axis -> threads of a block as launched, where all that share a unit are read as one."""
        self.loops: list[Loop] = []
        self.scope: dict[str, Affine] = {}
        """Loop variables and integers that are affine in them."""
        self.conditions: list[Condition] = []
        self.share = 1.0
        """Of the turns of the loops around, those in which statements run: threads that elements are dealt to."""
        self.bodies: list[int] = [0]
        self.counter = 0

    def size(self, name: str, line: int) -> Affine:
        """Value of a name inside an index or a bound."""
        if name in self.scope:
            return self.scope[name]
        if name in self.sizes:
            return Affine((), self.sizes[name])
        members = (v for n, v in self.sizes.items() if "." in n and n.replace(".", "_") == name)
        if (member := next(members, None)) is not None:
            # Of a structure that was taken apart.
            self.sizes[name] = member
            return Affine((), member)
        if name in self.assigned:
            raise refuse(line, f"'{name}' comes from data: the index or bound is not affine")
        if name in REAL_NUMBERS or self.routine.types.get(name, "").startswith(("fp", "bf")):
            raise refuse(line, f"'{one_line(name, 40)}' is no whole number: the index or bound is not affine")
        self.routine.assumed[name] = self.sizes[name] = SIZE_ASSUMED
        return Affine((), SIZE_ASSUMED)

    def counted_loop(
        self,
        name: str,
        low: tuple[Affine, ...],
        high: tuple[Affine, ...],
        step: int,
        line: int,
        divisors: Sequence[int],
    ) -> AbstractContextManager[None]:
        """A loop as code writes it: in strips where its counter is divided by numbers.

        step : below 0 where the counter descends.
        """  # fmt: skip
        width = math.lcm(*divisors) if divisors else 0
        plain = step == 1 and low == (Affine(),) and len(high) == 1 and not high[0].variables
        if plain and 1 < width <= WIDEST_STRIP and high[0].constant >= width:
            widths = sorted({abs(d) for d in divisors} - {0, 1})
            nested = all(b % a == 0 for a, b in pairwise(widths))
            return self.strips(name, high[0], widths[::-1] if nested else [width], line)
        return self.loop(name, low, high, abs(step), line, step < 0)

    @contextmanager
    def under(self, condition: Condition) -> Iterator[None]:
        """Everything inside runs where a condition holds."""
        self.conditions.append(condition)
        yield
        self.conditions.pop()

    @contextmanager
    def loop(
        self, name: str, first: tuple[Affine, ...], last: tuple[Affine, ...], step: int, line: int, descends: bool
    ) -> Iterator[None]:
        """Everything inside belongs to a loop."""
        before = self.scope.get(name)
        self.scope[name] = Affine.of({self.open_loop(name, first, last, step, line, descends): 1})
        yield
        self.close_loops(1)
        self.restore(name, before)

    @contextmanager
    def strips(self, name: str, last: Affine, widths: Sequence[int], line: int) -> Iterator[None]:
        """A loop from 0 in strips, and strips of these, so that quotients of its counter become affine.

        widths : the largest first, each a multiple of the next one.
        """
        before = self.scope.get(name)
        outer = self.open_loop(
            f"{name}/{widths[0]}", (Affine(),), (Affine((), last.constant // widths[0]),), 1, line, False
        )
        place = Affine.of({outer: widths[0]})
        for width, step in pairwise([*widths, 1]):
            label = f"{name}%{width}" if step == 1 else f"{name}%{width}/{step}"
            bounds: tuple[Affine, ...] = (Affine((), width // step - 1),)
            if (last.constant + 1) % width and step == 1:
                bounds = (*bounds, last - place)
            place += Affine.of({self.open_loop(label, (Affine(),), bounds, 1, line, False): step})
        self.scope[name] = place
        yield
        self.close_loops(1 + len(widths))
        self.restore(name, before)

    def open_loop(
        self, name: str, first: tuple[Affine, ...], last: tuple[Affine, ...], step: int, line: int, descends: bool
    ) -> str:
        """Enter a loop; its unique name."""
        self.counter += 1
        unique = f"{name}#{self.counter}"
        self.loops.append(Loop(unique, first, last, step, line, descends))
        self.bodies[-1] += 1
        self.bodies.append(0)
        return unique

    def close_loops(self, loops: int) -> None:
        """Leave loops."""
        for _ in range(loops):
            self.bodies.pop()
            self.loops.pop()

    def restore(self, name: str, before: Affine | None) -> None:
        """Give a name the meaning that it had outside."""
        if before is None:
            self.scope.pop(name, None)
        else:
            self.scope[name] = before

    def range_of(self, value: Affine) -> tuple[int, int]:
        """Least and largest value of an expression inside the loops that are open."""
        loops = tuple(self.loops)
        return find_extreme(value, loops, False).constant, find_extreme(value, loops, True).constant

    def divide(self, value: Affine, by: int, line: int, *, remainder: bool) -> Affine:
        """Quotient or remainder of an index, where it is affine."""
        if by <= 0:
            raise refuse(line, "a quotient by a number that is not above 0 is not affine")
        rest = Affine.of({n: f for n, f in value.factors if f % by}, value.constant % by)
        low, high = self.range_of(rest)
        if low >= 0 and high < by:
            whole = value - rest
            return rest if remainder else Affine.of({n: f // by for n, f in whole.factors}, whole.constant // by)
        low, high = self.range_of(value)
        inside = value - Affine((), by * round((low + high) / 2 / by - 0.5 + 0.5 / by))
        low, high = self.range_of(inside)
        most = max(WRAPPED, int(WRAPPED_SHARE * by))
        plain = len(value.variables) == 1 and high - low < by
        if remainder and (plain or (low >= -most and high < by + most)) and low > -by and high < 2 * by:
            # Wraps around at the border: the same neighbours as without.
            note = f"line {line}: indices modulo {by} wrap around at the border"
            self.routine.notes = tuple(dict.fromkeys((*self.routine.notes, note)))
            return inside
        raise refuse(line, f"a {'remainder' if remainder else 'quotient'} of loop variables is not affine")

    def combine(self, left: Affine, right: Affine, op: str, line: int) -> Affine:
        """Sum, difference, product, quotient or remainder of two affine expressions, where it is affine."""
        if op in ("+", "-"):
            result = left + right if op == "+" else left - right
        elif op == "*" and not (left.variables and right.variables):
            result = left.times(right.constant) if not right.variables else right.times(left.constant)
        elif op in ("<<", ">>") and not right.variables and 0 <= right.constant < 40:
            result = (
                left.times(1 << right.constant)
                if op == "<<" else self.divide(left, 1 << right.constant, line, remainder=False)
            )  # fmt: skip
        elif op in ("/", "//", "%") and not right.variables and right.constant:
            result = self.divide(left, right.constant, line, remainder=op == "%")
        else:
            what = {"*": "a product", "%": "a remainder"}.get(op, "a quotient")
            raise refuse(line, f"{what} of loop variables is not affine")
        if max((abs(f) for _, f in result.factors), default=0) + abs(result.constant) > LARGEST_INTEGER:
            raise refuse(line, "an index or bound is larger than any array")
        return result

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
        loops, congruences, share = self.restrict_loops()
        self.routine.statements.append(
            Statement(
                target, tuple(total.reads), total.operations, updates or same, loops, line, tuple(self.bodies),
                len(self.routine.statements), reduces, any(c.of_data for c in self.conditions), share, congruences,
            )
        )  # fmt: skip

    def restrict_loops(self) -> tuple[tuple[Loop, ...], tuple[Congruence, ...], float]:
        """Open loops with the bounds of conditions, remainders that they ask for, and the share that these leave."""
        loops = list(self.loops)
        congruences, share = [], self.share
        for condition in self.conditions:
            share *= condition.share
            for above in condition.above:
                self.routine.loose |= not restrict(loops, above)
            if condition.congruence is not None:
                congruences.append(condition.congruence)
                _, modulus, _, equal = condition.congruence
                share *= 1.0 if condition.held else 1 / modulus if equal else 1 - 1 / modulus
        return tuple(loops), tuple(congruences), share


def restrict(loops: list[Loop], above: Affine) -> bool:
    """Add a condition ``above >= 0`` to the innermost loop that it names, where it is a bound of that loop: whether."""
    for at in range(len(loops) - 1, -1, -1):
        loop = loops[at]
        factor = above.factor(loop.name)
        if factor == 0:
            continue
        rest = above - Affine.of({loop.name: factor})
        if loop.step == 1 and all(f % factor == 0 for _, f in rest.factors):
            # v >= -rest / factor, rounded to the inside of the loop.
            scaled = Affine.of({n: f // abs(factor) for n, f in rest.factors}, rest.constant // abs(factor))
            if factor > 0:
                loops[at] = replace(loop, first=(*loop.first, scaled.times(-1)))
            else:
                loops[at] = replace(loop, last=(*loop.last, scaled))
            return True
        return False
    return True
