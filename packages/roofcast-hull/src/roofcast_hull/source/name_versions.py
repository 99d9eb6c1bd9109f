"""Names that get several values one after the other, each value under a name of its own.

``z = x @ w; z = z + b; return np.tanh(z)`` makes two arrays, each of which one statement alone uses.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Sequence


def name_versions(body: Sequence[ast.stmt], given: Collection[str], only: Collection[str] = ()) -> list[ast.stmt]:
    """Statements in which each value that a function's own block gives a name again has another name.

    given : names that stand for something before the first statement; they keep what they stood for. only : names
    that are looked at; all where there are none.
    """
    statements = list(body)
    rebound = [n for s in statements for n in find_rebound(s)]
    for name in dict.fromkeys(n for n in rebound if not only or n in only):
        places = [at for at, s in enumerate(statements) if name_of_target(s) == name]
        if rebound.count(name) != len(places):
            # Loops or branches give it values, too.
            continue
        first = 0 if name in given else 1
        for number, at in enumerate(places):
            if number + 1 == len(places) and first:
                break
            after = places[number + 1] if number + 1 < len(places) else len(statements)
            lines = [statements[k].lineno for k in places[: number + 1]]
            turn = lines.count(lines[-1])
            label = f"{name} from line {lines[-1]}{f', turn {turn}' if turn > 1 else ''}"
            statements[at] = rename_target(statements[at], label)
            for k in range(at + 1, after):
                statements[k] = Version(name, label).visit(copy.deepcopy(statements[k]))
            if after < len(statements):
                statements[after] = rename_value(statements[after], name, label)
    return statements


def version_turns(function: ast.FunctionDef) -> None:
    """The same, in place, of names that live in one turn of a loop: ``k = int(t); k = max(k, 0)``."""
    every = [n.id for n in ast.walk(function) if isinstance(n, ast.Name)]
    for loop in [n for n in ast.walk(function) if isinstance(n, ast.For)]:
        inside = [n.id for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name)]
        targets = [name_of_target(s) for s in loop.body]
        for name in {t for t in targets if t and targets.count(t) > 1}:
            stores = [n for s in loop.body for n in find_rebound(s)]
            terms = {getattr(n.target, "id", "") for n in ast.walk(loop) if isinstance(n, ast.AugAssign)}
            first = next(s for s in loop.body if any(getattr(n, "id", "") == name for n in ast.walk(s)))
            begins = name_of_target(first) == name and name not in find_loads(first)
            if inside.count(name) == every.count(name) and stores.count(name) == targets.count(name) and begins:
                loop.body = loop.body if name in terms else name_versions(loop.body, (), {name})


def mark_exchanges(function: ast.FunctionDef) -> None:
    """Mark, in place, statements of loops that hand an array on, ``u = new``, where ``new`` gets another one after.

    What ``new`` holds then is not read before that: the two may as well change places.
    """
    for loop in [n for n in ast.walk(function) if isinstance(n, (ast.For, ast.While))]:
        inside = {id(n) for n in ast.walk(loop)}
        outside = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and id(n) not in inside}
        for at, item in enumerate(loop.body):
            target = name_of_target(item)
            source = item.value.id if isinstance(item, ast.Assign) and isinstance(item.value, ast.Name) else ""
            if not target or not source or target == source:
                continue
            turn = [*loop.body[at + 1 :], *loop.body[: at + 1]]
            after = next((s for s in turn if any(getattr(n, "id", "") == source for n in ast.walk(s))), item)
            anew = name_of_target(after) == source and source not in find_loads(after)
            again = any(after is s for s in loop.body[at + 1 :])
            item.hands_on = anew and (again or source not in outside)  # type: ignore[attr-defined]


def find_loads(item: ast.AST) -> set[str]:
    """Names that a statement reads."""
    return {n.id for n in ast.walk(item) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def name_of_target(item: ast.stmt) -> str:
    """The name that a statement of the block gives a value; '' for others."""
    targets = item.targets if isinstance(item, ast.Assign) else []
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else ""


def find_rebound(item: ast.stmt) -> list[str]:
    """Names that a statement, or one inside of it, gives another value, rather than other elements or a term."""
    terms = {id(n.target) for n in ast.walk(item) if isinstance(n, ast.AugAssign)}
    return [
        n.id for n in ast.walk(item) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and id(n) not in terms
    ]


def rename_target(item: ast.stmt, label: str) -> ast.stmt:
    """An assignment to another name."""
    changed = copy.copy(item)
    if isinstance(changed, ast.Assign):
        changed.targets = [ast.copy_location(ast.Name(label, ast.Store()), changed.targets[0])]
    return changed


def rename_value(item: ast.stmt, name: str, label: str) -> ast.stmt:
    """An assignment whose value reads another name."""
    changed = copy.copy(item)
    if isinstance(changed, ast.Assign):
        changed.value = Version(name, label).visit(copy.deepcopy(changed.value))
    return changed


class Version(ast.NodeTransformer):
    """Gives one name another one. name, label : before and after."""

    def __init__(self, name: str, label: str) -> None:
        self.name, self.label = name, label

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The name, wherever it stands."""
        return ast.copy_location(ast.Name(self.label, node.ctx), node) if node.id == self.name else node
