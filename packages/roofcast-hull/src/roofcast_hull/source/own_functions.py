"""Functions of a Python file written where they are called, each with names of its own.

A function that ends in one value, or whose branches each end in one, is an expression behind some statements; one that
gives nothing back is statements alone. An argument that is more than a name gets one.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from roofcast.core.errors import one_line
from roofcast_hull.source.nest import refuse, refuse_recursion
from roofcast_hull.source.python_names import ORIGIN

DEEPEST = 8
"""Functions inside each other that are written out."""
MOST_STATEMENTS = 4000
"""Statements that are written out in all."""
INNER = " of "
"""Between a name of a function that is written out and the function."""
NAMED = (ast.Name, ast.Attribute)
"""What functions and methods are called by."""
SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)


def write_out(body: Sequence[ast.stmt], functions: Mapping[str, ast.FunctionDef], around: str = "") -> list[ast.stmt]:
    """Statements, those of the functions that they call in the place of each call.

    functions : of the file, by their names; methods as ``self.name``. A call of one that has no such form stays.
    around : the function whose statements they are.

    Raises
    ------
    SourceError : a function calls itself.
    """
    return Caller(dict(functions), len(around[:1])).block(body, (around,) if around else ())


@dataclass
class Caller:
    """Writes functions out. functions : by their names."""

    functions: dict[str, ast.FunctionDef]
    outermost: int
    """Functions around the statements that are not written out."""
    left: int = MOST_STATEMENTS
    numbers: Iterator[int] = field(default_factory=lambda: itertools.count(2))
    used: set[str] = field(default_factory=set)

    def block(self, body: Sequence[ast.stmt], around: tuple[str, ...]) -> list[ast.stmt]:
        """Statements one after the other. around : functions that are open."""
        written = [(item, s) for item in body for s in self.statement(item, around)]
        if len(around) <= self.outermost:
            for item, s in written:
                vars(s)[ORIGIN] = id(item)
        return [s for _, s in written]

    def statement(self, item: ast.stmt, around: tuple[str, ...]) -> list[ast.stmt]:
        """One statement, behind those of the functions that it calls."""
        self.left -= 1
        if isinstance(item, SIMPLE):
            if item.value is None:
                return [item]
            before: list[ast.stmt] = []
            if isinstance(item, ast.Expr) and isinstance(item.value, ast.Call):
                function = self.find(item.value, around)
                if function is not None:
                    self.write(item.value, function, around, before)
                    return before
            changed = copy.copy(item)
            changed.value = self.expression(item.value, around, before)
            return [*before, changed]
        if isinstance(item, ast.With):
            return self.block(item.body, around)
        if isinstance(item, (ast.For, ast.While, ast.If)):
            changed_block = copy.copy(item)
            changed_block.body, changed_block.orelse = (self.block(b, around) for b in (item.body, item.orelse))
            return [changed_block]
        return [item]

    def find(self, node: ast.Call, around: tuple[str, ...]) -> ast.FunctionDef | None:
        """The function of the file that is called, where it can be written out.

        Raises
        ------
        SourceError : it is open already.
        """
        function = self.functions.get(ast.unparse(node.func)) if isinstance(node.func, NAMED) else None
        if function is None:
            return None
        if function.name in around:
            raise refuse_recursion(node.lineno, function.name)
        if len(around) >= DEEPEST or self.left < 0 or any(isinstance(a, ast.Starred) for a in node.args):
            return None
        return function if all(k.arg for k in node.keywords) and split_result(function) is not None else None

    def expression(self, node: ast.expr, around: tuple[str, ...], before: list[ast.stmt]) -> ast.expr:
        """An expression; what its calls compute goes to the statements before."""
        if isinstance(node, (ast.Lambda, ast.ListComp, ast.GeneratorExp)):
            return node
        if isinstance(node, ast.Call) and (function := self.find(node, around)) is not None:
            result = self.write(node, function, around, before)
            return result if result is not None else node
        changed = copy.copy(node)
        for name, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                setattr(changed, name, self.expression(value, around, before))
            elif isinstance(value, list):
                setattr(changed, name, [self.item(v, around, before) for v in value])
        return changed

    def item(self, value: ast.AST, around: tuple[str, ...], before: list[ast.stmt]) -> ast.AST:
        """One of several parts of an expression."""
        if isinstance(value, ast.keyword):
            return ast.keyword(value.arg, self.expression(value.value, around, before))
        return self.expression(value, around, before) if isinstance(value, ast.expr) else value

    def write(
        self, node: ast.Call, function: ast.FunctionDef, around: tuple[str, ...], before: list[ast.stmt]
    ) -> ast.expr | None:
        """The statements of a function at one call; the expression of its value."""
        outcome = split_result(function)
        if outcome is None:
            return None
        body, value = outcome
        mark = "" if function.name not in self.used else f" {next(self.numbers)}"
        self.used.add(function.name)
        arguments = function.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        names = {n: f"{n}{INNER}{function.name}{mark}" for n in list_names(body) | {a.arg for a in every}}
        names = {n: v for n, v in names.items() if n not in list_outer(function)}
        given = bind(node, function)
        replaced: dict[str, ast.expr] = {}
        rebound = list_rebound(body)
        changed = list_names(body)
        for argument in every:
            name = argument.arg
            source = given.get(name)
            if source is None:
                raise refuse(node.lineno, f"'{one_line(function.name, 40)}' is called without '{one_line(name, 40)}'")
            passed = self.expression(source, around, before)
            if is_plain(passed) and name not in rebound and not (isinstance(passed, ast.Constant) and name in changed):
                replaced[name] = passed
            else:
                target = ast.copy_location(ast.Name(names[name], ast.Store()), node)
                before.append(ast.copy_location(ast.Assign([target], passed), node))
        renamer = Renamer(names, replaced)
        inner = (*around, function.name)
        written = [renamer.visit(copy.deepcopy(s)) for s in body]
        before += self.block(written, inner)
        if value is None:
            return None
        return self.expression(renamer.visit(copy.deepcopy(value)), inner, before)


class Renamer(ast.NodeTransformer):
    """Gives names of a function their names, or what they stand for, at one call."""

    def __init__(self, names: Mapping[str, str], replaced: Mapping[str, ast.expr]) -> None:
        self.names, self.replaced = names, replaced

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name that is read or gets a value."""
        if node.id in self.replaced:
            other = copy.deepcopy(self.replaced[node.id])
            if isinstance(other, (ast.Name, ast.Subscript, ast.Attribute)):
                other.ctx = node.ctx
            return ast.copy_location(other, node)
        return ast.copy_location(ast.Name(self.names.get(node.id, node.id), node.ctx), node)


def split_result(function: ast.FunctionDef) -> tuple[list[ast.stmt], ast.expr | None] | None:
    """Statements of a function and the expression that it gives back; None where it returns in the midst of others."""
    arguments = function.args
    if arguments.vararg or arguments.kwarg or any(isinstance(n, (ast.Yield, ast.Global)) for n in ast.walk(function)):
        return None
    for at, item in enumerate(function.body):
        if any(isinstance(n, ast.Return) for n in ast.walk(item)):
            value = join_returns(function.body[at:])
            if isinstance(item, ast.Return) and item.value is None:
                return function.body[:at], None
            return (function.body[:at], value) if value is not None else None
    return function.body, None


def join_returns(body: Sequence[ast.stmt]) -> ast.expr | None:
    """``if c: return a`` and what follows, as ``a if c else b``; None for other statements."""
    if not body:
        return None
    item = body[0]
    if isinstance(item, ast.Return):
        return item.value
    if not isinstance(item, ast.If):
        return None
    yes, no = join_returns(item.body), join_returns([*item.orelse, *body[1:]])
    return ast.copy_location(ast.IfExp(item.test, yes, no), item) if yes is not None and no is not None else None


def bind(node: ast.Call, function: ast.FunctionDef) -> dict[str, ast.expr]:
    """Arguments of a call by the names that the function gives them."""
    arguments = function.args
    labels = [a.arg for a in (*arguments.posonlyargs, *arguments.args)]
    given = dict(zip(labels[::-1], arguments.defaults[::-1], strict=False))
    given |= {a.arg: d for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if d is not None}
    owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
    given |= dict(zip(labels, [*owner, *node.args], strict=False))
    return given | {k.arg: k.value for k in node.keywords if k.arg}


def is_plain(node: ast.expr) -> bool:
    """Whether an argument may stand wherever its parameter does: a name, a member or a number."""
    if isinstance(node, ast.UnaryOp):
        node = node.operand
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, (ast.Name, ast.Constant))


def list_names(body: Sequence[ast.stmt]) -> set[str]:
    """Names that get a value."""
    return {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def list_rebound(body: Sequence[ast.stmt]) -> set[str]:
    """Names that get another value, rather than other elements or a term: ``x = x + 1``."""
    targets: list[ast.expr] = []
    for node in (n for s in body for n in ast.walk(s)):
        if isinstance(node, ast.Assign):
            targets += node.targets
        elif isinstance(node, (ast.For, ast.AnnAssign, ast.NamedExpr)):
            targets.append(node.target)
    items = [e for t in targets for e in (t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t])]
    return {i.id for i in items if isinstance(i, ast.Name)}


def list_outer(function: ast.FunctionDef) -> set[str]:
    """Names of a function that are the file's."""
    return {n for g in ast.walk(function) if isinstance(g, ast.Global) for n in g.names}
