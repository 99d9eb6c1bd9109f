"""Arrays that statements change as a whole, one after the other, as values that follow from each other.

``x -= a; x += b`` leaves what ``x - a + b`` is: the first value has one reader, as an array that one statement alone
uses, and the best code stores neither of the two apart.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from roofcast_hull.source.name_versions import Version, name_of_target
from roofcast_hull.source.numpy_shapes import is_making
from roofcast_hull.source.numpy_values import COMPLEX, Tensor
from roofcast_hull.source.passing_arrays import find_targets, is_computed, name_targets
from roofcast_hull.source.python_lists import replace_in
from roofcast_hull.source.python_names import ORIGIN, find_base

Find = Callable[[ast.expr], Any]
"""What an expression is: shape and type of an array, a number; None where that is not known."""


def chain_updates(body: Sequence[ast.stmt], known: Mapping[str, Any], find: Find) -> list[ast.stmt]:
    """Statements in which each array that others change at once has another name until the last of them.

    known : what names stand for.
    """
    aliases = find_views(body)
    arrays = [n for n, v in known.items() if isinstance(v, Tensor) and v.shape and v.dtype not in COMPLEX]
    statements = place_views(body)
    for name in arrays:
        if name not in aliases:
            statements = chain_block(statements, name, known[name].shape, find)
    return statements


def find_views(body: Sequence[ast.stmt]) -> set[str]:
    """Names of arrays of which others stand for a part, and these."""
    names: set[str] = set()
    for node in (n for s in body for n in ast.walk(s) if isinstance(n, ast.Assign)):
        targets = {t.id for t in node.targets if isinstance(t, ast.Name)}
        base = node.value.id if isinstance(node.value, ast.Name) else find_base(node.value)
        if targets and base and base not in targets:
            names |= {base, *targets}
    return names


def place_views(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements with parts of arrays in place of names for them: ``a, b = d[:, :-1], d[:, 1:]`` of a ``d``.

    Of arrays that the function computes, of which neither the elements nor those of their parts get other values.
    """
    statements = list(body)
    stored = Counter(
        n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    )
    changed = {
        name for s in body for n in ast.walk(s) for t in find_targets(n) if not isinstance(t, (ast.Name, ast.Tuple))
        for name in name_targets(t)
    }  # fmt: skip
    terms = (n.target for s in body for n in ast.walk(s) if isinstance(n, ast.AugAssign))
    changed |= {t.id for t in terms if isinstance(t, ast.Name)}
    computed = {name_of_target(s) for s in body if isinstance(s, ast.Assign) and is_computed(s.value)}
    for at, item in enumerate(body):
        name = name_of_target(item)
        value = item.value if isinstance(item, ast.Assign) else None
        base = value.value if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) else None
        if not name or base is None or base.id not in computed or not isinstance(value, ast.Subscript):
            continue
        names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        once = stored[name] == stored[base.id] == 1 and not {name, base.id} & changed
        if not once or any(stored[n] > (n == base.id) for n in names) or not has_slices(value):
            continue
        if any(isinstance(s, ast.Return) and mentions_plainly(s, name) for s in body):
            continue
        statements[at] = ast.copy_location(ast.Pass(), item)
        statements[at + 1 :] = [replace_in(s, {name: value}) for s in statements[at + 1 :]]
    return statements


def has_slices(node: ast.Subscript) -> bool:
    """Whether a part is one by slices, numbers and new axes."""
    items = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    plain = (ast.Slice, ast.Constant, ast.UnaryOp)
    return any(isinstance(i, ast.Slice) for i in items) and all(isinstance(i, plain) for i in items)


def mentions_plainly(item: ast.Return, name: str) -> bool:
    """Whether a function gives a name back as it is."""
    several = item.value.elts if isinstance(item.value, (ast.Tuple, ast.List)) else [item.value]
    return any(isinstance(v, ast.Name) and v.id == name for v in several)


def chain_block(body: Sequence[ast.stmt], name: str, shape: tuple[int, ...], find: Find) -> list[ast.stmt]:
    """The same of one array in a list of statements, and in those inside of it."""
    statements = [chain_inside(s, name, shape, find) for s in body]
    places = [at for at, s in enumerate(statements) if mentions(s, name)]
    held, owned = "", False
    for number, at in enumerate(places):
        item = statements[at]
        goes_on = number + 1 < len(places) and changes(statements[places[number + 1]], name, shape, find)
        begins = is_begun(item, name)
        if not (begins or changes(item, name, shape, find)):
            held, owned = "", False
            continue
        if not held:
            owned = begins
        after_making = number > 0 and not held and is_made(statements[places[number - 1]], name)
        if not held and (not goes_on or after_making or (begins and not is_value(item, name))):
            continue
        label = f"{name} changed in line {item.lineno}, {number + 1}" if goes_on else name
        statements[at] = write_value(item, name, held, label, anew=goes_on or owned)
        held = label if goes_on else ""
    return statements


def chain_inside(item: ast.stmt, name: str, shape: tuple[int, ...], find: Find) -> ast.stmt:
    """A loop or a branch with its own statements so."""
    if not isinstance(item, (ast.For, ast.While, ast.If)):
        return item
    changed = copy.copy(item)
    changed.body, changed.orelse = (chain_block(b, name, shape, find) for b in (item.body, item.orelse))
    return changed


def mentions(item: ast.stmt, name: str) -> bool:
    """Whether a statement has a name."""
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(item))


def is_begun(item: ast.stmt, name: str) -> bool:
    """Whether a statement gives a name a value that does not follow from its last one."""
    target = item.targets[0] if isinstance(item, ast.Assign) and len(item.targets) == 1 else None
    plain = isinstance(target, ast.Name) and target.id == name
    return plain and isinstance(item, ast.Assign) and not mentions(ast.Expr(item.value), name)


def is_made(item: ast.stmt, name: str) -> bool:
    """Whether a statement makes an array of constants."""
    return is_begun(item, name) and is_making(item.value)  # type: ignore[attr-defined]


def is_value(item: ast.stmt, name: str) -> bool:
    """Whether a statement computes an array of its own."""
    value = item.value if is_begun(item, name) and isinstance(item, ast.Assign) else None
    return value is not None and is_computed(value) and not is_making(value) and not find_base(value)


def changes(item: ast.stmt, name: str, shape: tuple[int, ...], find: Find) -> bool:
    """Whether a statement gives all elements of an array other values at once, each that follow from its own."""
    if isinstance(item, ast.AugAssign):
        return isinstance(item.target, ast.Name) and item.target.id == name
    target = item.targets[0] if isinstance(item, ast.Assign) and len(item.targets) == 1 else None
    if chooses(target, item, name, shape, find):
        return True
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name) or target.value.id != name:
        return False
    whole = ast.unparse(target.slice) in (":", "...")
    value = find(item.value) if whole and isinstance(item, ast.Assign) else None
    return isinstance(value, Tensor) and value.shape == shape


def chooses(target: ast.expr | None, item: ast.stmt, name: str, shape: tuple[int, ...], find: Find) -> bool:
    """Whether a statement gives elements that a condition chooses one number: ``x[x < 0] = 0``."""
    if not isinstance(target, ast.Subscript) or not isinstance(target.value, ast.Name) or target.value.id != name:
        return False
    mask = find(target.slice) if isinstance(target.slice, (ast.Compare, ast.Name, ast.BinOp, ast.UnaryOp)) else None
    value = item.value if isinstance(item, ast.Assign) else None
    number = isinstance(value.operand if isinstance(value, ast.UnaryOp) else value, (ast.Constant, ast.Name))
    known = find(value) if value is not None and number else None
    plain = isinstance(known, (int, float)) or (isinstance(known, Tensor) and not known.shape)
    return plain and isinstance(mask, Tensor) and mask.dtype == "bool" and mask.shape == shape


def write_value(item: ast.stmt, name: str, held: str, label: str, *, anew: bool) -> ast.stmt:
    """A statement as one that gives a name its value.

    held : what the array is called before it; '' by its own name. label : the name. anew : whether it is one of its
    own, rather than the elements of the array.
    """
    assert isinstance(item, (ast.Assign, ast.AugAssign))
    value = copy.deepcopy(item.value)
    if isinstance(item, ast.AugAssign):
        value = ast.BinOp(ast.Name(name, ast.Load()), item.op, value)
    target = item.targets[0] if isinstance(item, ast.Assign) else None
    if isinstance(target, ast.Subscript) and ast.unparse(target.slice) not in (":", "..."):
        where = ast.Attribute(ast.Name("np", ast.Load()), "where", ast.Load())
        value = ast.Call(where, [copy.deepcopy(target.slice), value, ast.Name(name, ast.Load())], [])
    if held:
        value = Version(name, held).visit(value)
    place: ast.expr = ast.Name(label, ast.Store())
    if not anew:
        place = ast.Subscript(ast.Name(name, ast.Load()), ast.Constant(...), ast.Store())
    changed = ast.fix_missing_locations(ast.copy_location(ast.Assign([place], value), item))
    for node in ast.walk(changed):
        if isinstance(node, ast.expr) and not hasattr(node, "lineno"):
            ast.copy_location(node, item)
    vars(changed).update({n: v for n, v in vars(item).items() if n == ORIGIN})
    return changed
