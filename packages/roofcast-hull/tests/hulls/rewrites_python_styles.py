"""NumPy and Numba in another style: slices, axes, types and loops as other people write them.

Each function takes a file and returns one that does the same, or None (:mod:`hulls.rewrites_python`).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable
from typing import Any, ClassVar

from hulls.rewrites_python import by, changed, functions, is_jitted, is_triton

STRUCTURED = (ast.Lambda, ast.ListComp, ast.GeneratorExp, ast.DictComp, ast.SetComp, ast.IfExp, ast.BoolOp)


def named(name: str) -> ast.Name:
    """A name that is read."""
    return ast.Name(name, ast.Load())


def expression(text: str) -> ast.expr:
    """A tree of an expression."""
    return ast.parse(text, mode="eval").body


class OfPlain(ast.NodeTransformer):
    """What is done in functions that are not compiled."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if is_jitted(node) or is_triton(node) else self.generic_visit(node)


class OfCompiled(ast.NodeTransformer):
    """What is done in functions that Numba compiles."""

    def visit_Module(self, node: ast.Module) -> ast.AST:
        for k, statement in enumerate(node.body):
            if isinstance(statement, ast.FunctionDef):
                node.body[k] = self.visit(statement)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self.generic_visit(node) if is_jitted(node) and not is_triton(node) else node


class SlicesNamed(OfPlain):
    """Slices that a statement reads as names before it."""

    def __init__(self) -> None:
        self.number = 0

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return self.split(node)

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        return self.split(node)

    def split(self, node: ast.Assign | ast.Return) -> ast.AST | list[ast.stmt]:
        if node.value is None or any(isinstance(n, STRUCTURED) for n in ast.walk(node.value)):
            return node
        before: list[ast.stmt] = []
        outer = self

        class Inner(ast.NodeTransformer):
            def visit_Subscript(self, part: ast.Subscript) -> ast.AST:
                whole = isinstance(part.slice, ast.Slice) or (
                    isinstance(part.slice, ast.Tuple) and any(isinstance(e, ast.Slice) for e in part.slice.elts)
                )
                if not whole or not isinstance(part.value, (ast.Name, ast.Attribute)):
                    return part
                outer.number += 1
                name = f"view_{outer.number}"
                before.append(ast.Assign([ast.Name(name, ast.Store())], part, lineno=node.lineno))
                return named(name)

        node.value = Inner().visit(node.value)
        return [*before, node]


class EndsByShape(OfPlain):
    """``a[1:-1]`` as ``a[1:a.shape[0] - 1]``."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.value, ast.Name):
            return node
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for k, part in enumerate(parts):
            if not isinstance(part, (ast.Slice, ast.Constant, ast.Name)) or ast.unparse(part) in ("...", "None"):
                break
            if isinstance(part, ast.Slice) and part.upper is not None:
                text = ast.unparse(part.upper)
                if text.startswith("-") and text[1:].isdigit():
                    part.upper = expression(f"{node.value.id}.shape[{k}] - {text[1:]}")
        return node


class KeptAxes(OfPlain):
    """``x.max(axis=1, keepdims=True)`` as ``x.max(axis=1)[:, None]``."""

    AFTER: ClassVar = {"0": "None", "1": ":, None", "-1": "..., None"}

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        words = {k.arg: ast.unparse(k.value) for k in node.keywords}
        if words.get("keepdims") != "True" or words.get("axis") not in self.AFTER:
            return node
        node.keywords = [k for k in node.keywords if k.arg != "keepdims"]
        return expression(f"{ast.unparse(node)}[{self.AFTER[words['axis']]}]")


class AxesKept(OfPlain):
    """``x.max(axis=1)[:, None]`` as ``x.max(axis=1, keepdims=True)``."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        index = ast.unparse(node.slice).strip("()")
        call = node.value
        if index not in (":, None", ":, np.newaxis", "..., None") or not isinstance(call, ast.Call):
            return node
        words = {k.arg: ast.unparse(k.value) for k in call.keywords}
        wanted = "-1" if "..." in index else "1"
        reduces = isinstance(call.func, ast.Attribute) and call.func.attr in ("sum", "max", "min", "mean", "prod")
        if not reduces or words.get("axis") != wanted or "keepdims" in words:
            return node
        call.keywords.append(ast.keyword("keepdims", ast.Constant(True)))
        return call


class Synonyms(OfPlain):
    """Functions of NumPy by another name."""

    NAMES: ClassVar = {
        "sum": "add.reduce", "max": "amax", "min": "amin", "abs": "absolute", "absolute": "fabs",
        "prod": "multiply.reduce",
    }  # fmt: skip

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        text = ast.unparse(node.func)
        new = self.NAMES.get(text.removeprefix("np.")) if text.startswith("np.") else None
        if new is None or (new in ("add.reduce", "multiply.reduce") and "axis" not in {k.arg for k in node.keywords}):
            return node
        node.func = expression(f"np.{new}")
        return node


class Roots(OfPlain):
    """``np.sqrt(x)`` as ``x ** 0.5``."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.func) == "np.sqrt" and len(node.args) == 1 and not node.keywords:
            return ast.BinOp(node.args[0], ast.Pow(), ast.Constant(0.5))
        return node


class Transposes(OfPlain):
    """``x.T`` as ``x.transpose()``."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        self.generic_visit(node)
        if node.attr == "T" and isinstance(node.ctx, ast.Load):
            return ast.Call(ast.Attribute(node.value, "transpose", ast.Load()), [], [])
        return node


class Means(OfPlain):
    """``x.mean(axis=1)`` as the sum over the number of elements."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        words = {k.arg: ast.unparse(k.value) for k in node.keywords}
        if not isinstance(node.func, ast.Attribute) or node.func.attr != "mean" or set(words) - {"axis", "keepdims"}:
            return node
        if not words.get("axis", "").lstrip("-").isdigit():
            return node
        of_numpy = ast.unparse(node.func.value) == "np"
        value = node.args[0] if of_numpy and len(node.args) == 1 else node.func.value
        if not isinstance(value, ast.Name) or value.id == "np":
            return node
        node.func.attr = "sum"
        return expression(f"{ast.unparse(node)} / {value.id}.shape[{words['axis']}]")


class Types(ast.NodeTransformer):
    """``dtype=np.float32`` by its name as a string."""

    def visit_keyword(self, node: ast.keyword) -> ast.AST:
        text = ast.unparse(node.value)
        if node.arg == "dtype" and text in ("np.float32", "np.float64", "np.int32", "np.int64"):
            node.value = ast.Constant(text.removeprefix("np."))
        return node


class Filled(ast.NodeTransformer):
    """``np.zeros(n, dtype=t)`` as ``np.full(n, 0, dtype=t)``, outside of compiled functions."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if is_jitted(node) else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if ast.unparse(node.func) == "np.zeros" and len(node.args) == 1:
            node.func = expression("np.full")
            node.args.append(ast.Constant(0.0))
            if not node.keywords:
                node.keywords = [ast.keyword("dtype", expression("np.float64"))]
        return node


class InPlace(OfPlain):
    """``y = a * b + c`` as ``y = a * b; y = y + c``."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        value, target = node.value, node.targets[0]
        if not isinstance(value, ast.BinOp) or not isinstance(target, ast.Name) or len(node.targets) > 1:
            return node
        used = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        if not isinstance(value.left, ast.BinOp) or target.id in used:
            return node
        first = ast.Assign([ast.Name(target.id, ast.Store())], value.left, lineno=node.lineno)
        rest = ast.BinOp(named(target.id), value.op, value.right)
        return [first, ast.Assign([ast.Name(target.id, ast.Store())], rest, lineno=node.lineno)]


class RowsOfRows(OfCompiled):
    """``x[i, j]`` as ``x[i][j]``."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        if len(parts) != 2 or any(isinstance(e, (ast.Slice, ast.Constant)) for e in parts):
            return node
        return ast.Subscript(ast.Subscript(node.value, parts[0], ast.Load()), parts[1], node.ctx)


class Serial(ast.NodeTransformer):
    """``prange`` as ``range``."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name("range", node.ctx) if node.id == "prange" else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return named("range") if node.attr == "prange" else node


class Guards(OfCompiled):
    """A last ``if c: ...`` of loops as ``if not c: continue``."""

    def visit_For(self, node: ast.For) -> ast.AST:
        self.generic_visit(node)
        last = node.body[-1]
        if isinstance(last, ast.If) and not last.orelse:
            test = ast.UnaryOp(ast.Not(), last.test)
            node.body = [*node.body[:-1], ast.If(test, [ast.Continue()], []), *last.body]
        return node


class Returns(ast.NodeTransformer):
    """``if i < n: ...`` of kernels of numba.cuda as ``if i >= n: return``."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        last = node.body[-1]
        if any("cuda" in ast.unparse(d) for d in node.decorator_list) and isinstance(last, ast.If) and not last.orelse:
            test = ast.UnaryOp(ast.Not(), last.test)
            node.body = [*node.body[:-1], ast.If(test, [ast.Return(None)], []), *last.body]
        return node


class Extremes(OfCompiled):
    """``max(a, b)`` of plain names as a choice."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if not isinstance(node.func, ast.Name) or node.func.id not in ("max", "min") or len(node.args) != 2:
            return node
        if not all(isinstance(a, (ast.Name, ast.Constant)) for a in node.args):
            return node
        a, b = map(ast.unparse, node.args)
        return expression(f"{a} if {a} {'>' if node.func.id == 'max' else '<'} {b} else {b}")


class Loads(OfCompiled):
    """Elements that a statement reads as names before it, where nothing decides whether it reads them."""

    def __init__(self) -> None:
        self.number = 0

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return self.split(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        return self.split(node)

    def split(self, node: ast.Assign | ast.AugAssign) -> ast.AST | list[ast.stmt]:
        if any(isinstance(n, (*STRUCTURED, ast.Call)) for n in ast.walk(node.value)):
            return node
        before: list[ast.stmt] = []
        outer = self

        class Inner(ast.NodeTransformer):
            def visit_Subscript(self, part: ast.Subscript) -> ast.AST:
                plain = not any(isinstance(n, (ast.Slice, ast.Attribute)) for n in ast.walk(part))
                if not plain or not isinstance(part.value, ast.Name):
                    return part
                outer.number += 1
                name = f"load_{outer.number}"
                before.append(ast.Assign([ast.Name(name, ast.Store())], part, lineno=node.lineno))
                return named(name)

        node.value = Inner().visit(node.value)
        return [*before, node]


class RowViews(OfCompiled):
    """``x[i, k]`` with the row as a name before innermost loops over ``k``."""

    def __init__(self) -> None:
        self.number = 0

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        inner = [n for s in node.body for n in ast.walk(s)]
        if any(isinstance(n, (ast.For, ast.While)) for n in inner):
            self.generic_visit(node)
            return node
        if not isinstance(node.target, ast.Name):
            return node
        counter, before = node.target.id, dict[str, ast.stmt]()
        stored = {ast.unparse(n) for n in inner if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        outer = self

        class Inner(ast.NodeTransformer):
            def visit_Subscript(self, part: ast.Subscript) -> ast.AST:
                parts = part.slice.elts if isinstance(part.slice, ast.Tuple) else []
                if len(parts) != 2 or any(isinstance(e, ast.Slice) for e in parts):
                    return part
                if not isinstance(part.value, ast.Name):
                    return part
                names = {n.id for n in ast.walk(parts[0]) if isinstance(n, ast.Name)}
                if counter in names or names & stored:
                    return part
                key = f"{part.value.id}[{ast.unparse(parts[0])}]"
                if key not in before:
                    outer.number += 1
                    before[key] = ast.parse(f"row_{outer.number} = {key}").body[0]
                row = before[key].targets[0].id  # type: ignore[attr-defined]
                return ast.Subscript(named(row), parts[1], part.ctx)

        node.body = [Inner().visit(s) for s in node.body]
        return [*before.values(), node]


def backwards(text: str) -> str | None:
    """Innermost loops of compiled functions that only add up or fill from the last turn to the first."""
    tree = ast.parse(text)
    for function in functions(tree):
        if not is_jitted(function) or is_triton(function):
            continue
        for node in ast.walk(function):
            if not isinstance(node, ast.For) or not isinstance(node.iter, ast.Call):
                continue
            call = node.iter
            if ast.unparse(call.func) != "range" or len(call.args) != 1 or len(node.body) != 1:
                continue
            [statement] = node.body
            if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name) and (
                statement.target.id not in {n.id for n in ast.walk(statement.value) if isinstance(n, ast.Name)}
            ):  # fmt: skip
                call.args = [expression(f"{ast.unparse(call.args[0])} - 1"), ast.Constant(-1), ast.Constant(-1)]
    return changed(text, tree)


def summed_in_two(text: str) -> str | None:
    """Innermost sums of compiled functions over two ranges."""
    tree = ast.parse(text)

    class Inner(OfCompiled):
        def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
            self.generic_visit(node)
            call = node.iter
            if not isinstance(call, ast.Call) or ast.unparse(call.func) != "range" or len(call.args) != 1:
                return node
            if len(node.body) != 1 or not isinstance(node.body[0], ast.AugAssign):
                return node
            if not isinstance(node.body[0].target, ast.Name):
                return node
            end = ast.unparse(call.args[0])
            first, second = copy.deepcopy(node), copy.deepcopy(node)
            first.iter, second.iter = expression(f"range(({end}) // 2)"), expression(f"range(({end}) // 2, {end})")
            return [first, second]

    return changed(text, Inner().visit(tree))


SAME: dict[str, Callable[[str], Any]] = {
    "slices named": by(SlicesNamed),
    "ends by shape": by(EndsByShape),
    "axes by None": by(KeptAxes),
    "keepdims": by(AxesKept),
    "synonyms": by(Synonyms),
    "x ** 0.5": by(Roots),
    "transpose()": by(Transposes),
    "sum / n": by(Means),
    "types as strings": by(Types),
    "np.full": by(Filled),
    "by two statements": by(InPlace),
    "x[i][j]": by(RowsOfRows),
    "range": by(Serial),
    "if as continue": by(Guards),
    "if as return": by(Returns),
    "extremes as choices": by(Extremes),
    "loads named": by(Loads),
    "row views": by(RowViews),
    "backwards": backwards,
    "sums of two ranges": summed_in_two,
}  # fmt: skip
