"""NumPy, Numba and Triton written otherwise: each function takes a file and returns one that does the same, or None."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

Rewrite = Callable[[str], str | None]


def changed(text: str, tree: ast.AST) -> str | None:
    """The text of a tree; None where nothing changed."""
    new = ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return None if new == ast.unparse(ast.parse(text)) + "\n" else new


def by(transformer: Callable[[], ast.NodeTransformer]) -> Rewrite:
    """A rewrite of nodes."""

    def rewrite(text: str) -> str | None:
        return changed(text, transformer().visit(ast.parse(text)))

    return rewrite


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    """Definitions of functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node


def is_jitted(node: ast.FunctionDef) -> bool:
    """Whether a function is compiled."""
    return any("jit" in ast.unparse(d) or "kernel" in ast.unparse(d) for d in node.decorator_list)


def is_triton(node: ast.FunctionDef) -> bool:
    """Whether it is a kernel of Triton."""
    return any("triton" in ast.unparse(d) for d in node.decorator_list)


def unparsed(text: str) -> str | None:
    """No comments, another layout."""
    return ast.unparse(ast.parse(text)) + "\n"


# Statements


class Temporaries(ast.NodeTransformer):
    """Operands of sums and products as names, inside functions."""

    def __init__(self) -> None:
        self.before: list[ast.stmt] = []
        self.number = 0

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return self.split(node)

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        return self.split(node)

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        return node

    def split(self, node: ast.Assign | ast.Return) -> ast.AST | list[ast.stmt]:
        value = node.value
        if not isinstance(value, ast.BinOp) or any(
            isinstance(n, (ast.Lambda, ast.ListComp, ast.GeneratorExp)) for n in ast.walk(value)
        ):
            return node
        before: list[ast.stmt] = []
        for side in ("left", "right"):
            inner = getattr(value, side)
            if isinstance(inner, (ast.BinOp, ast.Call, ast.Subscript)):
                self.number += 1
                name = f"part_{self.number}"
                before.append(ast.Assign([ast.Name(name, ast.Store())], inner, lineno=node.lineno))
                setattr(value, side, ast.Name(name, ast.Load()))
        return [*before, node]


class Plain(ast.NodeTransformer):
    """``x += e`` as ``x = x + e``, for elements, and for names in loops: elsewhere that makes another array."""

    def __init__(self) -> None:
        self.loops = 0

    def visit_For(self, node: ast.For) -> ast.AST:
        self.loops += 1
        self.generic_visit(node)
        self.loops -= 1
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        if not isinstance(node.target, ast.Subscript) and not (isinstance(node.target, ast.Name) and self.loops):
            return node
        left = copy.deepcopy(node.target)
        left.ctx = ast.Load()
        return ast.Assign([node.target], ast.BinOp(left, node.op, node.value), lineno=node.lineno)


class Augmented(ast.NodeTransformer):
    """``x = x + e`` as ``x += e``, for elements and numbers in loops of compiled functions."""

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        value, target = node.value, node.targets[0]
        if (
            isinstance(value, ast.BinOp)
            and isinstance(target, ast.Name)
            and ast.unparse(value.left) == ast.unparse(target)
        ):
            return ast.AugAssign(target, value.op, value.right, lineno=node.lineno)
        return node


class While(ast.NodeTransformer):
    """``for i in range(n)`` as ``while``, in functions that are compiled or plain loops."""

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        call = node.iter
        plain = (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Name)
            and call.func.id == "range"
            and len(call.args) in (1, 2)
        )
        inside = [n for s in node.body for n in ast.walk(s) if isinstance(n, (ast.Continue, ast.Break))]
        if (
            not plain
            or inside
            or node.orelse
            or not isinstance(node.target, ast.Name)
            or not isinstance(call, ast.Call)
        ):
            return node
        first = call.args[0] if len(call.args) == 2 else ast.Constant(0)
        name = node.target.id
        start = ast.Assign([ast.Name(name, ast.Store())], first, lineno=node.lineno)
        step = ast.AugAssign(ast.Name(name, ast.Store()), ast.Add(), ast.Constant(1), lineno=node.lineno)
        test = ast.Compare(ast.Name(name, ast.Load()), [ast.Lt()], [call.args[-1]])
        return [start, ast.While(test, [*node.body, step], [])]


class Range(ast.NodeTransformer):
    """``range(n)`` as ``range(0, n, 1)``."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("range", "prange") and len(node.args) in (1, 2):
            first = node.args[:-1] or [ast.Constant(0)]
            node.args = [*first, node.args[-1], *([ast.Constant(1)] if node.func.id == "range" else [])]
        return node


class Hints(ast.NodeTransformer):
    """Hints of types for arguments and results of what is not compiled."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if not is_triton(node):
            for a in node.args.args:
                a.annotation = a.annotation or ast.Constant("np.ndarray")
        return node


class Docstrings(ast.NodeTransformer):
    """A docstring that looks like code."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if ast.get_docstring(node) is None:
            node.body.insert(0, ast.Expr(ast.Constant("for i in range(77): out[i] = a[5 * i]")))
        return node


class Dead(ast.NodeTransformer):
    """A branch that never runs at the head of functions that are not compiled."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        if not is_triton(node):
            at = 1 if ast.get_docstring(node) is not None else 0
            node.body.insert(at, ast.parse("if False:\n    raise ValueError('no')").body[0])
        return node


class Keywords(ast.NodeTransformer):
    """Arguments of common functions by keyword."""

    KNOWN: ClassVar = {
        key: ["axis"]
        for key in ("sum", "mean", "max", "min", "prod", "cumsum", "std", "var", "argmax", "argmin", "any", "all")
    }
    OF_NUMPY: ClassVar = {
        "zeros": ["shape", "dtype"], "empty": ["shape", "dtype"], "ones": ["shape", "dtype"],
        "full": ["shape", "fill_value", "dtype"], "roll": ["a", "shift", "axis"], "clip": ["a", "a_min", "a_max"],
        "take": ["a", "indices"], "expand_dims": ["a", "axis"], "pad": ["array", "pad_width"],
        "transpose": ["a", "axes"], "sum": ["a", "axis"], "mean": ["a", "axis"], "max": ["a", "axis"],
        "min": ["a", "axis"], "cumsum": ["a", "axis"],
    }  # fmt: skip

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Attribute) and not any(isinstance(a, ast.Starred) for a in node.args):
            root = ast.unparse(node.func.value)
            names = (
                self.OF_NUMPY.get(node.func.attr)
                if root in ("np", "numpy")
                else self.KNOWN.get(node.func.attr)
                if root not in ("tl", "torch")
                else None
            )
            if names and len(names) >= len(node.args):
                node.keywords = [*(ast.keyword(n, a) for n, a in zip(names, node.args, strict=False)), *node.keywords]
                node.args = []
        return node


class Positional(ast.NodeTransformer):
    """``axis=`` of reductions as a position."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in Keywords.KNOWN
            and node.keywords
            and node.keywords[0].arg == "axis"
        ):
            root = ast.unparse(node.func.value)
            if root != "tl" and len(node.args) == (1 if root in ("np", "numpy") else 0):
                node.args.append(node.keywords.pop(0).value)
        return node


class AsMethod(ast.NodeTransformer):
    """``np.sum(x, axis=1)`` as ``x.sum(axis=1)``."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if (
            isinstance(node.func, ast.Attribute)
            and ast.unparse(node.func.value) == "np"
            and node.func.attr in Keywords.KNOWN
            and node.args
        ):
            value = node.args.pop(0)
            node.func = ast.Attribute(value, node.func.attr, ast.Load())
        return node


class AsFunction(ast.NodeTransformer):
    """``x.sum(axis=1)`` as ``np.sum(x, axis=1)``, in functions that are not compiled."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if is_jitted(node) else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in (*Keywords.KNOWN, "reshape", "transpose")
            and ast.unparse(node.func.value) not in ("np", "tl", "torch", "numpy", "np.add")
        ):
            if node.func.attr in ("reshape", "transpose") and len(node.args) > 1:
                node.args = [ast.Tuple(node.args, ast.Load())]
            node.args.insert(0, node.func.value)
            node.func = ast.Attribute(ast.Name("np", ast.Load()), node.func.attr, ast.Load())
        return node


class Ufuncs(ast.NodeTransformer):
    """Signs as functions of NumPy, in functions that are not compiled and do not loop."""

    NAMES: ClassVar = {
        ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide", ast.MatMult: "matmul",
        ast.Pow: "power",
    }  # fmt: skip

    def __init__(self, *kinds: type[ast.operator]) -> None:
        self.kinds = kinds

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        loops = any(isinstance(n, (ast.For, ast.While)) for n in ast.walk(node))
        return node if is_jitted(node) or loops else self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        plain = all(isinstance(s, (ast.Constant, ast.UnaryOp)) for s in (node.left, node.right))
        if type(node.op) in self.kinds and not plain:
            return ast.Call(
                ast.Attribute(ast.Name("np", ast.Load()), self.NAMES[type(node.op)], ast.Load()),
                [node.left, node.right],
                [],
            )
        return node


def array_only(*kinds: type[ast.operator]) -> Rewrite:
    """Signs as functions, only in functions of files that use NumPy as np."""

    def rewrite(text: str) -> str | None:
        tree = ast.parse(text)
        if "import numpy as np" not in text:
            return None
        for node in list(functions(tree)):
            Ufuncs(*kinds).visit(node)
        return changed(text, tree)

    return rewrite


class Dot(ast.NodeTransformer):
    """``a @ b`` as ``a.dot(b)``."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.MatMult):
            return ast.Call(ast.Attribute(node.left, "dot", ast.Load()), [node.right], [])
        return node


class Square(ast.NodeTransformer):
    """``x ** 2`` as ``np.square(x)`` or a product."""

    def __init__(self, form: str) -> None:
        self.form = form

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Pow) and isinstance(node.right, ast.Constant) and node.right.value == 2:
            if self.form == "product":
                return (
                    ast.BinOp(node.left, ast.Mult(), copy.deepcopy(node.left))
                    if isinstance(node.left, ast.Name)
                    else node
                )
            return ast.parse(f"np.square({ast.unparse(node.left)})", mode="eval").body
        return node


class Steps(ast.NodeTransformer):
    """``a[1:-1]`` as ``a[1:-1:1]``."""

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        if node.step is None and (node.lower is not None or node.upper is not None):
            node.step = ast.Constant(1)
        return node


class Whole(ast.NodeTransformer):
    """``a[i]`` of two dimensions is not known here; ``a[:, 1:]`` as ``a[0:, 1:]``."""

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        if node.lower is None and node.step is None:
            node.lower = ast.Constant(0)
        return node


class SliceObjects(ast.NodeTransformer):
    """``a[1:-1]`` as ``a[slice(1, -1)]``, in functions that are not compiled."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return node if is_jitted(node) else self.generic_visit(node)

    def visit_Slice(self, node: ast.Slice) -> ast.AST:
        parts = [
            node.lower or ast.Constant(None),
            node.upper or ast.Constant(None),
            *([node.step] if node.step else []),
        ]
        return ast.Call(ast.Name("slice", ast.Load()), parts, [])


class Ellipses(ast.NodeTransformer):
    """``a[:, 1:]`` as ``a[..., 1:]``."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        inner = node.slice
        if (
            isinstance(inner, ast.Tuple)
            and len(inner.elts) >= 2
            and ast.unparse(inner.elts[0]) == ":"
            and not any(isinstance(e, ast.Constant) for e in inner.elts)
        ):
            inner.elts[0] = ast.Constant(...)
        return node


class Newaxis(ast.NodeTransformer):
    """``a[:, None]`` as ``a[:, np.newaxis]`` and back."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else []
        for k, e in enumerate(parts):
            if isinstance(e, ast.Constant) and e.value is None:
                parts[k] = ast.Attribute(ast.Name("np", ast.Load()), "newaxis", ast.Load())
            elif ast.unparse(e) == "np.newaxis":
                parts[k] = ast.Constant(None)
        return node


class Commuted(ast.NodeTransformer):
    """Sums and products of plain names and numbers the other way round."""

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, (ast.Add, ast.Mult)) and not any(
            isinstance(n, (ast.List, ast.Tuple, ast.Constant)) and not isinstance(getattr(n, "value", 0), (int, float))
            for n in (node.left, node.right)
        ):
            node.left, node.right = node.right, node.left
        return node


# Files


def import_whole(text: str) -> str | None:
    """``import numpy`` without a shorter name."""
    if "import numpy as np" not in text or "njit" in text:
        return None
    new = text.replace("import numpy as np", "import numpy")
    return re.sub(r"\bnp\.", "numpy.", new)


def import_other(text: str) -> str | None:
    """``import numpy as xp``."""
    if "import numpy as np" not in text:
        return None
    return re.sub(r"\bnp\b", "xp", text)


def import_names(text: str) -> str | None:
    """``from numpy import sum as np_sum``."""
    if "import numpy as np" not in text:
        return None
    names = sorted(set(re.findall(r"\bnp\.(\w+)", text)) - {"random", "fft", "linalg", "lib"})
    if not names:
        return None
    new = re.sub(r"\bnp\.(?!random|fft|linalg|lib)(\w+)", r"np_\1", text)
    return new.replace(
        "import numpy as np", "import numpy as np\nfrom numpy import " + ", ".join(f"{n} as np_{n}" for n in names), 1
    )


def triton_names(text: str) -> str | None:
    """``from triton import language``."""
    if "import triton.language as tl" not in text:
        return None
    return re.sub(r"\btl\b", "lang", text).replace(
        "import triton.language as lang", "from triton import language as lang"
    )


def split_file(tree: ast.Module) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """What stands at the head of a file (imports, functions, classes) and what runs."""
    kinds = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
    head: list[ast.stmt] = [s for s in tree.body if isinstance(s, kinds)]
    return head, [s for s in tree.body if not isinstance(s, kinds)]


def in_main(text: str) -> str | None:
    """What runs in a function main."""
    tree = ast.parse(text)
    head, rest = split_file(tree)
    rest = [s for s in rest if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    assigned = {n.id for s in rest for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    used = {n.id for s in head for n in ast.walk(s) if isinstance(n, ast.Name)}
    if not rest or assigned & used or any("__main__" in ast.unparse(s) for s in rest):
        return None
    main = ast.parse("def main():\n    pass").body[0]
    main.body = rest  # type: ignore[attr-defined]
    guard = ast.parse("if __name__ == '__main__':\n    main()").body[0]
    return changed(text, ast.Module([*head, main, guard], []))


def list_numbers(tree: ast.Module) -> list[tuple[ast.Assign, str, int]]:
    """``n = 1000`` at the head of a file."""
    return [
        (s, s.targets[0].id, s.value.value)
        for s in tree.body
        if isinstance(s, ast.Assign) and len(s.targets) == 1 and isinstance(s.targets[0], ast.Name)
        and isinstance(s.value, ast.Constant) and type(s.value.value) is int and s.value.value > 3
    ]  # fmt: skip


def numbers_as(before: str, form: str) -> Rewrite:
    """Sizes of the file in another form. form : with NAME and VALUE."""

    def rewrite(text: str) -> str | None:
        tree = ast.parse(text)
        numbers = list_numbers(tree)
        if not numbers:
            return None
        numbers_of = {n: v for _, n, v in numbers}
        fields = "".join(f"    {n}: int = {v}\n" for n, v in numbers_of.items())
        options = "".join(f"parser_.add_argument('--{n}', type=int, default={v})\n" for n, v in numbers_of.items())
        entries = ", ".join(f"'{n}': {v}" for n, v in numbers_of.items())
        new = ast.parse(before.replace("FIELDS", fields).replace("OPTIONS", options).replace("ENTRIES", entries)).body
        at = tree.body.index(numbers[0][0])
        for s, name, value in numbers:
            s.value = ast.parse(form.replace("NAME", name).replace("VALUE", str(value)), mode="eval").body
        tree.body[at:at] = new
        return changed(text, tree)

    return rewrite


def literals_named(text: str) -> str | None:
    """Numbers in shapes of arrays as names of the file."""
    tree = ast.parse(text)
    _head, rest = split_file(tree)
    count = 0
    new: list[ast.stmt] = []
    for s in rest:
        for n in ast.walk(s):
            if isinstance(n, ast.Tuple):
                for k, e in enumerate(n.elts):
                    if isinstance(e, ast.Constant) and type(e.value) is int and e.value > 8:
                        count += 1
                        new.append(ast.parse(f"SIZE_{count} = {e.value}").body[0])
                        n.elts[k] = ast.Name(f"SIZE_{count}", ast.Load())
    if not count:
        return None
    at = next(k for k, s in enumerate(tree.body) if s is rest[0])
    if isinstance(rest[0], ast.Expr) and isinstance(rest[0].value, ast.Constant):
        at += 1
        while isinstance(tree.body[at], ast.ImportFrom) and getattr(tree.body[at], "module", "") == "__future__":
            at += 1
    tree.body[at:at] = new
    return changed(text, tree)


def shapes_as_lists(text: str) -> str | None:
    """``np.zeros((n, m))`` as ``np.zeros([n, m])``."""
    new = re.sub(r"\b(np|torch)\.(zeros|empty|ones|full)\(\(([^()]*)\)", r"\1.\2([\3]", text)
    return None if new == text else new


def list_own_names(tree: ast.AST) -> set[str]:
    """Names that the file assigns, defines or takes, where they are no keywords of calls or members."""
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    for f in functions(tree):
        names |= {f.name} | {a.arg for a in (*f.args.args, *f.args.kwonlyargs)}
    names |= {a.arg for n in ast.walk(tree) if isinstance(n, ast.Lambda) for a in n.args.args}
    members = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
    strings = {n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    in_class = {
        s.name
        for n in ast.walk(tree)
        if isinstance(n, ast.ClassDef)
        for s in ast.walk(n)
        if isinstance(s, ast.FunctionDef)
    }
    return {
        n
        for n in names
        if n not in members | in_class and n not in strings and n not in ("self", "main") and not n.startswith("__")
    }


def renamed(pool: str) -> Callable[[str], tuple[str, dict[str, str]] | None]:
    """All names of the file by others. pool : words to take; none for meaningless ones."""

    def rewrite(text: str) -> tuple[str, dict[str, str]] | None:
        tree = ast.parse(text)
        if any(isinstance(n, (ast.JoinedStr, ast.ClassDef)) for n in ast.walk(tree)):
            return None
        imported = {
            a.asname or a.name for n in ast.walk(tree) if isinstance(n, (ast.Import, ast.ImportFrom)) for a in n.names
        }
        own = sorted(list_own_names(tree) - imported)
        taken = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)} | imported
        words = iter([w for w in pool.split() if w not in taken] + [f"q{k}_" for k in range(1000)])
        meaning = {n: next(words) for n in own}
        local = {f.name for f in functions(tree)}
        for n in ast.walk(tree):
            if isinstance(n, ast.Name):
                n.id = meaning.get(n.id, n.id)
            elif isinstance(n, ast.arg):
                n.arg = meaning.get(n.arg, n.arg)
            elif isinstance(n, ast.Call) and (
                isinstance(n.func, ast.Subscript)
                or (isinstance(n.func, ast.Name) and n.func.id in local | set(meaning.values()))
            ):
                for k in n.keywords:
                    k.arg = meaning.get(k.arg, k.arg) if k.arg else None
            elif isinstance(n, ast.FunctionDef):
                n.name = meaning.get(n.name, n.name)
            elif isinstance(n, ast.Constant) and isinstance(n.value, str) and n.value in meaning:
                return None
        new = ast.unparse(tree) + "\n"
        return (new, meaning) if meaning else None

    return rewrite


def last_outlined(text: str) -> str | None:
    """What a function returns computed by a function of its own."""
    tree = ast.parse(text)
    out: list[ast.stmt] = []
    for s in tree.body:
        if (
            isinstance(s, ast.FunctionDef)
            and not is_jitted(s)
            and isinstance(s.body[-1], ast.Return)
            and isinstance(s.body[-1].value, (ast.BinOp, ast.Call))
        ):
            names = {n.id for n in ast.walk(s.body[-1]) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
            local = {a.arg for a in s.args.args} | {
                n.id for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            taken = sorted(names & local)
            if (
                any(isinstance(n, (ast.Lambda, ast.ListComp, ast.GeneratorExp)) for n in ast.walk(s.body[-1]))
                or not taken
            ):
                out.append(s)
                continue
            helper = ast.parse(f"def _of_{s.name}({', '.join(taken)}):\n    pass").body[0]
            helper.body = [s.body[-1]]  # type: ignore[attr-defined]
            s.body[-1] = ast.parse(f"def f():\n    return _of_{s.name}({', '.join(taken)})").body[0].body[0]  # type: ignore[attr-defined]
            out.append(helper)
        out.append(s)
    tree.body = out
    return changed(text, tree)


def result_named(text: str) -> str | None:
    """What a function returns as a name first."""
    tree = ast.parse(text)
    for f in functions(tree):
        if (
            isinstance(f.body[-1], ast.Return)
            and f.body[-1].value is not None
            and not isinstance(f.body[-1].value, (ast.Name, ast.Tuple))
        ):
            f.body[-1:] = [
                ast.Assign([ast.Name("result_", ast.Store())], f.body[-1].value, lineno=1),
                ast.Return(ast.Name("result_", ast.Load())),
            ]
    return changed(text, tree)


def called_by_keyword(text: str) -> str | None:
    """Functions of the file called with keywords."""
    tree = ast.parse(text)
    own = {
        f.name: [a.arg for a in f.args.args] for f in tree.body if isinstance(f, ast.FunctionDef) and not f.args.vararg
    }
    jitted = {f.name for f in functions(tree) if is_jitted(f) and not is_triton(f)}
    for n in ast.walk(tree):
        if not isinstance(n, ast.Call) or any(isinstance(a, ast.Starred) for a in n.args):
            continue
        name = (
            n.func.id
            if isinstance(n.func, ast.Name)
            else n.func.value.id
            if isinstance(n.func, ast.Subscript) and isinstance(n.func.value, ast.Name)
            else ""
        )
        if name in own and name not in jitted and len(own[name]) >= len(n.args):
            n.keywords = [*(ast.keyword(k, a) for k, a in zip(own[name], n.args, strict=False)), *n.keywords]
            n.args = []
    return changed(text, tree)


# Triton


def regexed(pattern: str, new: str) -> Rewrite:
    """A text replaced in kernels of Triton."""

    def rewrite(text: str) -> str | None:
        if "triton" not in text:
            return None
        out = re.sub(pattern, new, text)
        return None if out == text else out

    return rewrite


class MaskNamed(ast.NodeTransformer):
    """Masks and pointers of loads and stores as names."""

    def __init__(self, what: str) -> None:
        self.what = what
        self.number = 0

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self.generic_visit(node) if is_triton(node) else node

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt]:
        return self.name(node)

    def visit_Expr(self, node: ast.Expr) -> list[ast.stmt]:
        return self.name(node)

    def name(self, node: ast.Assign | ast.Expr) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        for call in ast.walk(node.value):
            if isinstance(call, ast.Call) and ast.unparse(call.func) in ("tl.load", "tl.store"):
                places: list[tuple[ast.AST, str | int]] = []
                if self.what == "mask":
                    places = [(k, "value") for k in call.keywords if k.arg == "mask"]
                for holder, place in places:
                    value = getattr(holder, str(place))
                    if not isinstance(value, ast.Name):
                        self.number += 1
                        before.append(ast.Assign([ast.Name(f"part_{self.number}", ast.Store())], value, lineno=1))
                        setattr(holder, str(place), ast.Name(f"part_{self.number}", ast.Load()))
                if self.what == "pointer" and call.args and not isinstance(call.args[0], ast.Name):
                    self.number += 1
                    before.append(ast.Assign([ast.Name(f"part_{self.number}", ast.Store())], call.args[0], lineno=1))
                    call.args[0] = ast.Name(f"part_{self.number}", ast.Load())
        return [*before, node]


class PositionalMask(ast.NodeTransformer):
    """``tl.load(p, mask=m, other=0)`` as ``tl.load(p, m, 0)``."""

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        names = [k.arg for k in node.keywords]
        if ast.unparse(node.func) == "tl.load" and len(node.args) == 1 and names in (["mask"], ["mask", "other"]):
            node.args += [k.value for k in node.keywords]
            node.keywords = []
        elif ast.unparse(node.func) == "tl.store" and len(node.args) == 2 and names == ["mask"]:
            node.args.append(node.keywords[0].value)
            node.keywords = []
        return node


def load_by_helper(text: str) -> str | None:
    """Loads with one mask by a function of the file."""
    if "import triton.language as tl" not in text:
        return None
    tree = ast.parse(text)
    count = 0
    for n in ast.walk(tree):
        if (
            isinstance(n, ast.Call)
            and ast.unparse(n.func) == "tl.load"
            and len(n.args) == 1
            and [k.arg for k in n.keywords] == ["mask"]
        ):
            n.func = ast.Name("load_masked", ast.Load())
            n.args.append(n.keywords[0].value)
            n.keywords = []
            count += 1
    if not count:
        return None
    at = next(k for k, s in enumerate(tree.body) if isinstance(s, ast.FunctionDef))
    tree.body[at:at] = ast.parse("@triton.jit\ndef load_masked(p, m):\n    return tl.load(p, mask=m)").body
    return changed(text, tree)


def offsets_apart(text: str) -> str | None:
    """``tl.program_id(0) * B + tl.arange(0, B)`` by two statements."""
    new = re.sub(
        r"^(\s+)(\w+) = (tl\.program_id\(\d\) \* [\w]+) \+ (tl\.arange\(0, \w+\))$",
        r"\1start_\2 = \3\n\1lanes_\2 = \4\n\1\2 = start_\2 + lanes_\2",
        text,
        flags=re.MULTILINE,
    )
    return None if new == text else new


def grid_as_tuple(text: str) -> str | None:
    """``lambda meta: (triton.cdiv(n, meta["B"]),)`` by a function."""
    match = re.search(r"^(\w+) = lambda (\w+): (.+)$", text, re.MULTILINE)
    if match is None or "triton" not in text:
        return None
    return text.replace(match[0], f"def {match[1]}({match[2]}):\n    return {match[3]}\n", 1)


OPTIONS = "import argparse\nparser_ = argparse.ArgumentParser()\nOPTIONSargs_ = parser_.parse_args()"
FIELDS = "from dataclasses import dataclass\n@dataclass\nclass Sizes_:\nFIELDSsizes_ = Sizes_()"

SAME: dict[str, Callable[[str], Any]] = {
    "unparsed": unparsed,
    "operands named": by(Temporaries),
    "x = x + e": by(Plain),
    "x += e": by(Augmented),
    "for as while": by(While),
    "range(0, n, 1)": by(Range),
    "hints": by(Hints),
    "docstrings like code": by(Docstrings),
    "dead code": by(Dead),
    "keywords": by(Keywords),
    "axis by position": by(Positional),
    "methods": by(AsMethod),
    "functions": by(AsFunction),
    "np.add ...": array_only(ast.Add, ast.Sub, ast.Mult, ast.Div),
    "np.matmul": array_only(ast.MatMult),
    "a.dot(b)": by(Dot),
    "x * x": by(lambda: Square("product")),
    "np.square": by(lambda: Square("square")),
    "slices with steps": by(Steps),
    "slices from 0": by(Whole),
    "slice objects": by(SliceObjects),
    "ellipses": by(Ellipses),
    "newaxis": by(Newaxis),
    "commuted": by(Commuted),
    "import numpy": import_whole,
    "import numpy as xp": import_other,
    "from numpy import": import_names,
    "from triton import": triton_names,
    "main": in_main,
    "sizes by argparse": numbers_as(OPTIONS, "args_.NAME"),
    "sizes by dataclass": numbers_as(FIELDS, "sizes_.NAME"),
    "sizes by dict": numbers_as("sizes_ = {ENTRIES}", "sizes_['NAME']"),
    "sizes as product": numbers_as("", "2 * VALUE // 2"),
    "sizes by int()": numbers_as("import os", "int(os.environ.get('NAME', VALUE))"),
    "literals named": literals_named,
    "shapes as lists": shapes_as_lists,
    "last outlined": last_outlined,
    "result named": result_named,
    "called by keyword": called_by_keyword,
    "meaningless names": renamed(""),
    "colliding names": renamed("size shape n index out row count a b c data mask BLOCK N M K grid i j k x y z"),
    "axis=": regexed(r"tl\.program_id\((\d)\)", r"tl.program_id(axis=\1)"),
    "masks named": by(lambda: MaskNamed("mask")),
    "pointers named": by(lambda: MaskNamed("pointer")),
    "masks by position": by(PositionalMask),
    "load by helper": load_by_helper,
    "offsets apart": offsets_apart,
    "grid by function": grid_as_tuple,
}  # fmt: skip
SCALED: dict[str, tuple[Callable[[str], Any], float]] = {
    "float64": (
        lambda text: re.sub(r"\b(np|torch|tl)\.float32\b", r"\1.float64", text) if "float16" not in text else None,
        2,
    )
}
