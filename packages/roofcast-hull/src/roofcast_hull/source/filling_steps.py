"""Runs what :mod:`.host_writer` writes of host code: arithmetic, lists and loops of Python, and nothing else.

Each statement and expression is made into a function of ours once; Python itself is never given the text to run.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from roofcast_hull.source.filling_turns import Turns, TurnsError

Held = dict[str, Any]
Step = Callable[[Held], Any]
LARGEST = 1 << 66
"""Whole numbers beyond are of no type of C: sums of signed ones that are never narrowed would grow without end."""
OPERATORS: Mapping[type[ast.AST], Callable[..., Any]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.LShift: operator.lshift, ast.RShift: operator.rshift,
    ast.BitAnd: operator.and_, ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.Lt: operator.lt,
    ast.Gt: operator.gt, ast.LtE: operator.le, ast.GtE: operator.ge, ast.Eq: operator.eq, ast.NotEq: operator.ne,
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_,
}  # fmt: skip
FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "min": min, "max": max, "abs": abs, "int": int, "bool": bool, "float": float, "round": round, "range": range,
}  # fmt: skip
OF_MATH = frozenset(["sqrt", "floor", "ceil", "pow", "sin", "cos", "exp", "log", "log2"])
SINGLE = (0,)
"""The turn that ``continue`` leaves."""
BREAK, CONTINUE = object(), object()
"""How a statement ends that leaves a loop or its turn; one that leaves the function gives a list of what it returns."""


class Steps:
    """Functions of a text.

    given : functions that it may call beside the few of Python. count_left : says how many turns of loops are left.
    """

    def __init__(
        self, text: str, given: Mapping[str, Callable[..., Any]], count_left: Callable[[], int] = lambda: 0
    ) -> None:
        """Make all functions of a text.

        Raises
        ------
        ValueError : it holds something else than arithmetic, lists and loops.
        """
        self.functions: dict[str, Callable[..., Any]] = {**FUNCTIONS, **given}
        self.count_left = count_left
        self.own = {n.name: n for n in ast.parse(text).body if isinstance(n, ast.FunctionDef)}
        self.functions |= {name: self.define(node) for name, node in self.own.items()}

    def define(self, node: ast.FunctionDef) -> Callable[..., Any]:
        """A function; each call has variables of its own."""
        names, body = [a.arg for a in node.args.args], self.block(node.body)

        def run(*values: Any) -> Any:
            ended = body(dict(zip(names, values, strict=True)))
            return ended[0] if isinstance(ended, list) else None

        return run

    def call(self, name: str, *values: Any) -> Any:
        """What a function of the text returns; it may be made later than who calls it."""
        return self.functions[name](*values)

    # ---- statements: None, or how they end ----

    def block(self, nodes: Sequence[ast.stmt]) -> Step:
        """Statements one after the other."""
        steps = [self.statement(n) for n in nodes if not isinstance(n, ast.Pass)]
        if len(steps) == 1:
            return steps[0]

        def run(held: Held) -> Any:
            for step in steps:
                if (ended := step(held)) is not None:
                    return ended
            return None

        return run

    def statement(self, node: ast.stmt) -> Step:
        """A statement."""
        match node:
            case ast.Assign(targets=[target], value=value):
                return self.assign(target, self.expression(value))
            case ast.If(test=test, body=body, orelse=others):
                asked, yes, no = self.expression(test), self.block(body), self.block(others)
                return lambda held: yes(held) if asked(held) else no(held)
            case ast.For(target=ast.Name(id=name), iter=turns, body=body, orelse=[]):
                return self.go_through(name, turns, body)
            case ast.While(test=ast.Constant(value=True), body=body, orelse=[]):
                return self.repeat(self.block(body))
            case ast.Return(value=ast.expr() as value):
                result = self.expression(value)
                return lambda held: [result(held)]
            case ast.Return(value=None):
                return lambda _: [None]
            case ast.Expr(value=ast.Call() as call):
                done = self.expression(call)
                return lambda held: (done(held), None)[1]
            case ast.Break():
                return lambda _: BREAK
            case ast.Continue():
                return lambda _: CONTINUE
        raise no_step(node)

    def assign(self, target: ast.expr, value: Step) -> Step:
        """A variable or an element gets a value."""
        if isinstance(target, ast.Name):
            name = target.id

            def put(held: Held) -> None:
                held[name] = bound(value(held))

            return put
        if not isinstance(target, ast.Subscript):
            raise no_step(target)
        whole, place = self.expression(target.value), self.expression(target.slice)

        def store(held: Held) -> None:
            number = bound(value(held))
            array = whole(held)
            array[place_in(array, place(held))] = number

        return store

    def go_through(self, name: str, turns: ast.expr, inside: Sequence[ast.stmt]) -> Step:
        """A loop over a range, or the one turn that ``continue`` leaves."""
        body, together = self.block(inside), Turns(self.own, name, inside)
        match turns:
            case ast.Call(func=ast.Name(id="range")):
                numbers = self.expression(turns)
            case ast.Tuple(elts=[ast.Constant(value=0)]):
                numbers = single_turn
            case _:
                raise no_step(turns)

        def run(held: Held) -> Any:
            every = numbers(held)
            if self.go_together(together, held, every):
                return None
            if every is not SINGLE:
                self.call("take", len(every))
            for number in every:
                held[name] = number
                ended = body(held)
                if ended is BREAK:
                    break
                if ended is not None and ended is not CONTINUE:
                    return ended
            return None

        return run

    def go_together(self, turns: Turns, held: Held, numbers: Any) -> bool:
        """Do all turns of a loop at once; whether that was possible."""
        if not turns.are_worth(numbers):
            return False
        try:
            spent = turns.run(held, numbers, self.count_left())
        except TurnsError:
            return False
        self.call("take", spent)
        return True

    def repeat(self, body: Step) -> Step:
        """A loop that is left from inside."""

        def run(held: Held) -> Any:
            while True:
                ended = body(held)
                if ended is BREAK:
                    return None
                if ended is not None and ended is not CONTINUE:
                    return ended

        return run

    # ---- expressions ----

    def expression(self, node: ast.expr) -> Step:
        """An expression."""
        match node:
            case ast.Constant(value=bool() | int() | float() | str() as value):
                return lambda _: value
            case ast.Name(id=name):
                return operator.itemgetter(name)
            case ast.BinOp(left=left, op=sign, right=right):
                return self.operate(OPERATORS[type(sign)], left, right)
            case ast.Compare(left=left, ops=[sign], comparators=[right]) if type(sign) in OPERATORS:
                return self.operate(OPERATORS[type(sign)], left, right)
            case ast.UnaryOp(op=sign, operand=inside):
                change, number = OPERATORS[type(sign)], self.expression(inside)
                return lambda held: change(number(held))
            case ast.BoolOp(op=sign, values=[left, right]):
                first, second = self.expression(left), self.expression(right)
                if isinstance(sign, ast.And):
                    return lambda held: first(held) and second(held)
                return lambda held: first(held) or second(held)
            case ast.IfExp(test=test, body=yes, orelse=no):
                asked, met, unmet = (self.expression(n) for n in (test, yes, no))
                return lambda held: met(held) if asked(held) else unmet(held)
        return self.reach(node)

    def reach(self, node: ast.expr) -> Step:
        """An element, a call, or a value that gets a name inside of an expression."""
        match node:
            case ast.Subscript(value=whole, slice=at):
                array, place = self.expression(whole), self.expression(at)

                def read(held: Held) -> Any:
                    elements = array(held)
                    return elements[place_in(elements, place(held))]

                return read
            case ast.NamedExpr(target=ast.Name(id=name), value=value):
                number = self.expression(value)

                def name_it(held: Held) -> Any:
                    held[name] = bound(number(held))
                    return held[name]

                return name_it
            case ast.Call(func=called, args=arguments, keywords=[]):
                function, parts = self.find(called), [self.expression(a) for a in arguments]
                return lambda held: function(*[part(held) for part in parts])
        raise no_step(node)

    def operate(self, change: Callable[..., Any], left: ast.expr, right: ast.expr) -> Step:
        """``a + b``."""
        first, second = self.expression(left), self.expression(right)
        if isinstance(right, ast.Constant):
            by = right.value
            return lambda held: change(first(held), by)
        return lambda held: change(first(held), second(held))

    def find(self, called: ast.expr) -> Callable[..., Any]:
        """The function of a name."""
        match called:
            case ast.Name(id=name) if name in self.own:
                return partial(self.call, name)
            case ast.Name(id=name) if name in self.functions:
                return self.functions[name]
            case ast.Attribute(value=ast.Name(id="math"), attr=name) if name in OF_MATH:
                function: Callable[..., Any] = getattr(math, name)
                return function
        raise no_step(called)


def single_turn(_: Held) -> tuple[int]:
    """One turn."""
    return SINGLE


def place_in(array: Any, place: Any) -> Any:
    """A place that an array has: none from its end, as Python has them."""
    if isinstance(array, list) and place < 0:
        raise IndexError(place)
    return place


def bound(number: Any) -> Any:
    """A number that a type of C may hold."""
    if isinstance(number, int) and not -LARGEST < number < LARGEST:
        raise OverflowError
    return number


def no_step(node: ast.AST) -> ValueError:
    """What is not run."""
    return ValueError(f"{type(node).__name__} is not run")
