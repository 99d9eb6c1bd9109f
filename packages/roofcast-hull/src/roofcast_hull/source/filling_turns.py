"""Runs turns of a host's loop side by side: what each does on its own, as arithmetic on arrays [NumPy].

Numbers are those that :mod:`.filling_steps` computes turn by turn: a result that 64 bits may not hold, an element that
nobody knows, and whatever else only a turn of its own decides, is left to it.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST_TURNS = 256
"""Turns from which arrays are quicker."""
MOST_AROUND = 64
"""Elements of arrays for each turn, up to which these are made ready for it."""
MOST_STORED = 1 << 23
"""Elements of an array that is made ready."""
SIDE_BY_SIDE = 32
"""Turns that take as long side by side as one that is run on its own."""
MOST_ATTEMPTS = 3
"""Times that a loop is tried whose turns turned out to need each other."""
HOLDS = 1 << 62
"""Whole numbers below are added and multiplied in 64 bits, with a check of what comes out."""
EXACT = 1 << 53
"""Whole numbers up to which those of double precision are the same."""
ALL_BITS = (1 << 64) - 1
"""The bits of the longest type of C."""
LONGEST_SHIFT = 62
"""Bits by which whole numbers are shifted in 64."""
Lanes = NDArray[Any]
ADDED: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip
BITS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor,
}  # fmt: skip
COMPARED: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Lt: operator.lt, ast.Gt: operator.gt, ast.LtE: operator.le, ast.GtE: operator.ge, ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}  # fmt: skip


class TurnsError(Exception):
    """Turns that are not run side by side."""


class Stored:
    """An array of the host while turns run side by side: its elements, and the last turn that stored each."""

    def __init__(self, elements: Sequence[int | None]) -> None:
        if len(elements) > MOST_STORED:
            raise TurnsError
        try:
            self.values = np.array([0 if e is None else e for e in elements], dtype=np.int64)
        except (OverflowError, TypeError, ValueError):
            raise TurnsError from None
        self.known = np.array([e is not None for e in elements], dtype=bool)
        self.turn = np.full(len(elements), -1, dtype=np.int64)

    def place(self, at: Any) -> Any:
        """Places that it has."""
        if not is_whole(at) or np.min(at) < 0 or np.max(at) >= self.values.size:
            raise TurnsError
        return at

    def take(self, at: Any) -> Any:
        """Elements that are known."""
        at = self.place(at)
        if not np.all(self.known[at]):
            raise TurnsError
        elements = self.values[at]
        return elements if isinstance(elements, np.ndarray) else int(elements)

    def put(self, at: Any, value: Any, turns: Lanes) -> None:
        """Store as turns do that follow one another."""
        if not is_whole(value):
            raise TurnsError
        at, value = (np.broadcast_to(np.asarray(x, dtype=np.int64), turns.shape) for x in (self.place(at), value))
        last = turns >= self.turn[at]
        at, value, turns = at[last], value[last], turns[last]
        # Of a place that is named twice, the later turn stays.
        self.values[at], self.known[at], self.turn[at] = value, True, turns

    def write_back(self, elements: list[Any]) -> None:
        """Leave what was stored in the list that the array is."""
        places = np.flatnonzero(self.turn >= 0)
        if places.size == len(elements):
            elements[:] = self.values.tolist()
            return
        for place, value in zip(places.tolist(), self.values[places].tolist(), strict=True):
            elements[place] = value


class Turns:
    """Turns of one loop.

    functions : of the text, which expressions may call. name, body : the counter, and what a turn does.
    """

    def __init__(self, functions: Mapping[str, ast.FunctionDef], name: str, body: Sequence[ast.stmt]) -> None:
        self.functions, self.name, self.body = functions, name, body
        carried, self.loose = find_carried(body, {name})
        nodes = [n for s in body for n in ast.walk(s)]
        targets = [t for n in nodes if isinstance(n, ast.Assign) for t in n.targets]
        self.arrays = {n.value.id for n in nodes if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name)}
        self.targets = {t.value.id for t in targets if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)}
        read = {
            n.value.id for n in nodes
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n not in targets
        }  # fmt: skip
        plain = (
            ast.Assign, ast.If, ast.For, ast.Pass, ast.expr, ast.operator, ast.unaryop, ast.cmpop,
            ast.boolop, ast.expr_context,
        )  # fmt: skip
        self.possible = (
            all(isinstance(n, plain) and not isinstance(n, ast.NamedExpr) for n in nodes)
            and not read & self.targets
            and not carried
        )
        """Whether no turn may need what another computes."""
        self.attempts = 0

    def are_worth(self, numbers: Any) -> bool:
        """Whether arrays may be quicker than one turn after the other."""
        return self.possible and self.attempts < MOST_ATTEMPTS and len(numbers) >= LEAST_TURNS

    def run(self, held: dict[str, Any], numbers: range, left: int) -> int:
        """Do all turns; for how many that follow one another they count. left : how many of these there may be.

        Raises
        ------
        TurnsError : they have to be run one after the other; nothing has been done.
        """
        self.attempts += 1
        if any(n in held for n in self.loose) or sum(len(held[n]) for n in self.arrays) > MOST_AROUND * len(numbers):
            raise TurnsError
        work = Work(self.functions, len(numbers), left * SIDE_BY_SIDE)
        work.spend(len(numbers))
        work.variables = {n: v for n, v in held.items() if n not in self.arrays}
        work.variables[self.name] = np.arange(numbers.start, numbers.stop, numbers.step, dtype=np.int64)
        work.arrays = {n: Stored(held[n]) for n in self.arrays}
        with np.errstate(all="ignore"):
            try:
                work.block(self.body, np.arange(len(numbers)))
            except (ArithmeticError, LookupError, TypeError, ValueError, AttributeError):
                raise TurnsError from None
        for name in self.targets:
            work.arrays[name].write_back(held[name])
        held |= {n: take_last(v) for n, v in work.variables.items() if n not in self.loose}
        self.attempts = 0
        return work.spent // SIDE_BY_SIDE


def find_carried(body: Sequence[ast.stmt], given: set[str]) -> tuple[set[str], set[str]]:
    """Of variables that a turn sets, those that it reads before, and those that it perhaps does not set."""
    changed = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    carried = set[str]()

    def read(nodes: Iterable[ast.AST], have: set[str]) -> None:
        names = {n.id for x in nodes for n in ast.walk(x) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        carried.update((names & changed) - have)

    def go(statements: Sequence[ast.stmt], have: set[str]) -> set[str]:
        for s in statements:
            if isinstance(s, ast.If):
                read([s.test], have)
                have = go(s.body, set(have)) & go(s.orelse, set(have))
            elif isinstance(s, ast.For):
                read([s.iter], have)
                inside = {s.target.id} if isinstance(s.target, ast.Name) else set[str]()
                go(s.body, have | inside)
            elif isinstance(s, ast.Assign):
                read([s.value, *(t for t in s.targets if not isinstance(t, ast.Name))], have)
                have = have | {t.id for t in s.targets if isinstance(t, ast.Name)}
            else:
                read([s], have)
        return have

    certain = go(body, set(given))
    return carried, changed - certain


class Work:
    """Values of variables in turns side by side; ``turns`` are those that do a statement."""

    def __init__(self, functions: Mapping[str, ast.FunctionDef], count: int, left: int) -> None:
        self.functions, self.count, self.left = functions, count, left
        self.variables: dict[str, Any] = {}
        self.arrays: dict[str, Stored] = {}
        self.spent = 0
        """Turns of this loop and of those inside."""

    def spend(self, turns: int) -> None:
        """Count turns."""
        self.spent += turns
        if self.spent > self.left:
            raise TurnsError

    # ---- statements ----

    def block(self, nodes: Sequence[ast.stmt], turns: Lanes) -> None:
        """Statements one after the other."""
        for node in nodes:
            self.statement(node, turns)

    def statement(self, node: ast.stmt, turns: Lanes) -> None:
        """A statement."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self.set(name, self.value(value, turns), turns)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name), slice=place)], value=value):
                self.arrays[name].put(self.value(place, turns), self.value(value, turns), turns)
            case ast.If(test=test, body=body, orelse=others):
                met, unmet = self.split(test, turns)
                for part, where in ((body, met), (others, unmet)):
                    if where.size:
                        self.block(part, where)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range"), args=[first, end])):
                every = range(self.number(first, turns), self.number(end, turns))
                self.spend(max(1, len(every)) * turns.size)
                for number in every:
                    self.set(name, number, turns)
                    self.block(node.body, turns)
            case ast.Pass():
                pass
            case _:
                raise TurnsError

    def set(self, name: str, value: Any, turns: Lanes) -> None:
        """A variable gets a value in some turns."""
        if turns.size == self.count:
            self.variables[name] = value
            return
        before = self.variables.get(name, 0)
        if is_whole(before) != is_whole(value):
            raise TurnsError
        whole = np.array(np.broadcast_to(np.asarray(before), (self.count,)))
        whole[turns] = value
        self.variables[name] = whole

    def number(self, node: ast.expr, turns: Lanes) -> int:
        """A number that is the same in all turns."""
        value = self.value(node, turns)
        if isinstance(value, np.ndarray):
            if not value.size or np.min(value) != np.max(value):
                raise TurnsError
            value = value.flat[0]
        if not is_whole(value):
            raise TurnsError
        return int(value)

    def split(self, test: ast.expr, turns: Lanes) -> tuple[Lanes, Lanes]:
        """Turns that meet a condition, and the others."""
        asked = self.value(test, turns)
        if isinstance(asked, np.ndarray):
            met = asked != 0
            return turns[met], turns[~met]
        return (turns, turns[:0]) if asked else (turns[:0], turns)

    # ---- expressions ----

    def value(self, node: ast.expr, turns: Lanes, *, wraps: bool = False) -> Any:
        """An expression: a number, or one of each turn. wraps : whether only its last 64 bits count."""
        match node:
            case ast.Constant(value=int() | float() as value):
                return value
            case ast.Name(id=name):
                held = self.variables[name]
                return held[turns] if isinstance(held, np.ndarray) and turns.size < self.count else held
            case ast.Subscript(value=ast.Name(id=name), slice=place):
                return self.arrays[name].take(self.value(place, turns))
            case ast.BinOp():
                return self.operate(node, turns, wraps=wraps)
            case ast.Compare(left=left, ops=[sign], comparators=[right]):
                a, b = self.value(left, turns), self.value(right, turns)
                if is_whole(a) != is_whole(b):
                    check(a if is_whole(a) else b, EXACT)
                return COMPARED[type(sign)](a, b)
            case ast.UnaryOp(op=sign, operand=part):
                return change_sign(sign, self.value(part, turns))
            case ast.BoolOp() | ast.IfExp():
                return self.choose(node, turns)
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=arguments):
                return self.call(name, [self.value(a, turns) for a in arguments], turns)
        raise TurnsError

    def operate(self, node: ast.BinOp, turns: Lanes, *, wraps: bool) -> Any:
        """``a + b``."""
        match node:
            case ast.BinOp(left=left, op=ast.BitAnd(), right=ast.Constant(value=int() as mask)) if 0 <= mask < HOLDS:
                return self.value(left, turns, wraps=True) & mask
            case ast.BinOp(left=left, op=ast.BitAnd(), right=ast.Constant(value=int() as mask)) if mask == ALL_BITS:
                number = check(self.value(left, turns))
                if np.min(number) < 0:
                    raise TurnsError
                return number
            case ast.BinOp(
                left=ast.BinOp(
                    left=ast.BinOp(left=left, op=ast.Add(), right=ast.Constant()),
                    op=ast.BitAnd(), right=ast.Constant(value=int() as mask),
                ), op=ast.Sub(), right=ast.Constant(),
            ) if mask == ALL_BITS:  # fmt: skip
                # A signed number of 64 bits, which what writes it shifts to wrap.
                return check(self.value(left, turns))
        inside = wraps and type(node.op) in ADDED
        a, b = (self.value(n, turns, wraps=inside) for n in (node.left, node.right))
        return combine(node.op, a, b, wraps=wraps)

    def choose(self, node: ast.BoolOp | ast.IfExp, turns: Lanes) -> Any:
        """``a and b``, ``a if c else b``: each side where it is asked."""
        if isinstance(node, ast.IfExp):
            met, unmet = self.split(node.test, turns)
            sides = [(where, part) for where, part in ((met, node.body), (unmet, node.orelse)) if where.size]
            return gather(turns, self.count, [(where, self.value(part, where)) for where, part in sides])
        first, second = node.values
        met, unmet = self.split(first, turns)
        asked, decided = (met, unmet) if isinstance(node.op, ast.And) else (unmet, met)
        parts = [(asked, self.truth(second, asked)), (decided, not isinstance(node.op, ast.And))]
        return gather(turns, self.count, parts)

    def truth(self, node: ast.expr, turns: Lanes) -> Any:
        """Whether an expression is met, where it is asked."""
        return self.value(node, turns) != 0 if turns.size else False

    def call(self, name: str, given: list[Any], turns: Lanes) -> Any:
        """What a function returns."""
        if name in self.functions:
            return self.call_own(self.functions[name], given, turns)
        if name in SINGLE:
            return SINGLE[name](given[0])
        if name == "wrap":
            return wrap_bits(to_whole(given[0]), int(given[1]), bool(given[2]))
        if name in ("divide", "remain"):
            quotient = divide(check(given[0]), check(given[1]))
            return quotient if name == "divide" else given[0] - given[1] * quotient
        if name in ("min", "max") and len(given) == 2 and is_whole(given[0]) == is_whole(given[1]):
            if not all(is_whole(g) for g in given):
                real_of(given[0]), real_of(given[1])
            return (np.minimum if name == "min" else np.maximum)(*map(plain_number, given))
        raise TurnsError

    def call_own(self, function: ast.FunctionDef, given: list[Any], turns: Lanes) -> Any:
        """A function of the file that goes straight to what it returns."""
        inside = Work(self.functions, turns.size, self.left - self.spent)
        inside.variables = dict(zip([a.arg for a in function.args.args], given, strict=True))
        every = np.arange(turns.size)
        for node in function.body:
            if isinstance(node, ast.Return) and node.value is not None:
                self.spend(inside.spent)
                return inside.value(node.value, every)
            inside.statement(node, every)
        raise TurnsError


def is_whole(value: Any) -> bool:
    """Whether numbers are whole ones."""
    return value.dtype.kind in "ib" if isinstance(value, np.ndarray) else isinstance(value, (int, np.integer, np.bool_))


def plain_number(value: Any) -> Any:
    """Truths as the whole numbers that they are."""
    return value.astype(np.int64) if isinstance(value, np.ndarray) and value.dtype == bool else value


def check(value: Any, limit: int = HOLDS) -> Any:
    """Whole numbers below a limit.

    Raises
    ------
    TurnsError : they are none.
    """
    if not is_whole(value):
        raise TurnsError
    value = plain_number(value)
    if isinstance(value, np.ndarray):
        if value.size and max(-int(np.min(value)), int(np.max(value))) >= limit:
            raise TurnsError
    elif abs(int(value)) >= limit:
        raise TurnsError
    return value


def real_of(value: Any) -> Any:
    """Numbers of double precision that are numbers."""
    if not np.all(np.isfinite(value)):
        raise TurnsError
    return value


def to_whole(value: Any) -> Any:
    """Whole numbers, real ones without what follows their point."""
    if is_whole(value):
        return plain_number(value)
    if np.max(np.abs(real_of(value))) >= HOLDS:
        raise TurnsError
    return np.trunc(value).astype(np.int64)


def wrap_bits(value: Any, bits: int, signed: bool) -> Any:
    """Whole numbers as so many bits hold them."""
    if bits > 32:
        value = check(value)
        if not signed and np.min(value) < 0:
            raise TurnsError
        return value
    half, mask = 1 << (bits - 1), (1 << bits) - 1
    value = check(value)
    return ((value + half) & mask) - half if signed else value & mask


def to_real(value: Any) -> Any:
    """Numbers of double precision."""
    return value.astype(np.float64) if isinstance(value, np.ndarray) else float(value)


SINGLE: Mapping[str, Callable[[Any], Any]] = {
    "int": to_whole, "bool": lambda value: value != 0, "float": to_real,
    "abs": lambda value: abs(check(value) if is_whole(value) else value),
    "sqrt": lambda value: real_of(np.sqrt(to_real(value))),
    "floor": lambda value: to_whole(np.floor(to_real(value))), "ceil": lambda value: to_whole(np.ceil(to_real(value))),
}  # fmt: skip
"""Functions of one number."""


def divide(a: Any, b: Any) -> Any:
    """Quotients of whole numbers, towards zero."""
    if np.any(np.equal(b, 0)):
        raise TurnsError
    quotient = np.abs(a) // np.abs(b)
    return np.where((np.asarray(a) < 0) == (np.asarray(b) < 0), quotient, -quotient)


def change_sign(sign: ast.unaryop, value: Any) -> Any:
    """``-a``, ``~a``, ``not a``."""
    if isinstance(sign, ast.Not):
        return value == 0
    value = plain_number(value)
    if isinstance(sign, ast.Invert):
        return operator.invert(check(value))
    return operator.neg(value) if isinstance(sign, ast.USub) else value


def combine(sign: ast.operator, a: Any, b: Any, *, wraps: bool) -> Any:
    """``a + b``. wraps : whether only the last 64 bits of whole numbers count."""
    a, b, kind = plain_number(a), plain_number(b), type(sign)
    whole = is_whole(a) and is_whole(b)
    if kind in ADDED:
        return add_whole(kind, a, b, wraps=wraps) if whole else ADDED[kind](a, b)
    if kind in (ast.Div, ast.FloorDiv, ast.Mod) and np.any(np.equal(b, 0)):
        raise TurnsError
    if kind is ast.Div:
        return real_of(np.true_divide(a, b))
    if not whole:
        raise TurnsError
    if kind in BITS:
        return BITS[kind](check(a), check(b))
    if kind in (ast.FloorDiv, ast.Mod):
        return (np.floor_divide if kind is ast.FloorDiv else np.remainder)(check(a), check(b))
    if np.min(b) < 0 or np.max(b) >= LONGEST_SHIFT:
        raise TurnsError
    if kind is ast.RShift:
        return np.right_shift(check(a), b)
    if kind is ast.LShift:
        return add_whole(ast.Mult, a, 1 << b if isinstance(b, int) else np.left_shift(1, b), wraps=wraps)
    raise TurnsError


def add_whole(kind: type[ast.operator], a: Any, b: Any, *, wraps: bool) -> Any:
    """Sums and products of whole numbers. wraps : whether only the last 64 bits count."""
    if isinstance(a, int) and isinstance(b, int):
        return check(ADDED[kind](a, b))
    if wraps:
        return ADDED[kind](*(np.asarray(x, dtype=np.int64) for x in (a, b)))
    greatest = [max(abs(int(np.min(x))), abs(int(np.max(x)))) for x in (a, b)]
    if (greatest[0] * greatest[1] if kind is ast.Mult else sum(greatest)) >= HOLDS:
        raise TurnsError
    return ADDED[kind](a, b)


def gather(turns: Lanes, count: int, parts: Sequence[tuple[Lanes, Any]]) -> Any:
    """Values of some turns and of the others as those of all."""
    given = [(where, value) for where, value in parts if where.size]
    if len(given) == 1:
        return given[0][1]
    if len({is_whole(v) for _, v in given}) > 1:
        raise TurnsError
    whole = np.zeros(count, dtype=np.int64 if is_whole(given[0][1]) else np.float64)
    for where, value in given:
        whole[where] = value
    return whole[turns]


def take_last(value: Any) -> Any:
    """What the last turn left, as a number of Python."""
    if isinstance(value, np.ndarray) and value.ndim:
        value = value[-1]
    return value.item() if isinstance(value, (np.ndarray, np.generic)) else value
