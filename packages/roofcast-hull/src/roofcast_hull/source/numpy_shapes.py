"""What NumPy code says of the shapes of its arrays: annotations, calls that make arrays, and how names are used."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Iterable, Mapping

MAKING = frozenset(
    ["zeros", "ones", "empty", "full", "arange", "linspace", "rand", "randn", "random", "zeros_like", "ones_like",
     "empty_like", "full_like", "randint", "integers", "uniform", "normal", "standard_normal", "random_sample",
     "permutation", "eye", "identity", "fromfunction", "hanning", "hamming", "blackman", "bartlett", "meshgrid",
     "indices", "exponential", "poisson", "binomial", "lognormal", "gamma", "choice", "standard_cauchy",
     "logspace", "geomspace", "kaiser", "fftfreq",
     "standard_exponential", "rayleigh", "laplace", "beta", "chisquare", "standard_t", "geometric", "weibull"]
)  # fmt: skip
REDUCTIONS = frozenset(
    ["sum", "mean", "max", "min", "prod", "amax", "amin", "any", "all", "norm", "var", "std", "nansum", "count_nonzero",
     "argmax", "argmin", "nanargmax", "nanargmin", "nanmax", "nanmin", "nanmean", "nanprod", "nanvar", "nanstd"]
)  # fmt: skip
SCANS = frozenset(["cumsum", "cumprod", "nancumsum", "nancumprod", "accumulate"])
SORTS = frozenset(["sort", "argsort"])
TRANSFORMS = frozenset(["fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft"])
SPREADING = frozenset(["where", "exp", "sqrt", "maximum", "minimum", "diff"])
MULTIPLYING = frozenset(["dot", "matmul", "outer"])
DTYPES = {
    "float64": "fp64", "float32": "fp32", "float16": "fp16", "int64": "int64", "int32": "int32", "int16": "int16",
    "uint8": "int8", "int8": "int8", "double": "fp64", "single": "fp32",
}  # fmt: skip
SPELLED = {
    "uint16": "int16", "uint32": "int32", "uint64": "int64", "bool": "int8", "bool_": "int8", "float": "fp64",
    "int": "int64", "half": "fp16", "intp": "int64", "f2": "fp16", "f4": "fp32", "f8": "fp64", "i1": "int8",
    "i2": "int16", "i4": "int32", "i8": "int64", "u1": "int8", "u2": "int16", "u4": "int32", "u8": "int64",
}  # fmt: skip
"""Further names of types, where a type is asked for."""
WORDS = frozenset(
    [*DTYPES, "ndarray", "np", "numpy", "NDArray", "Array", "Float", "Int", "array", "float", "int", "f4", "f8"]
)
TOKEN = re.compile(r"[A-Za-z_]\w*|\d+")


def find_called(node: ast.Call) -> str:
    """Name of a called function, without its module."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def is_making(node: ast.expr) -> bool:
    """Whether an expression makes an array of constants, of another type or not."""
    if not isinstance(node, ast.Call) or is_drawn_number(node):
        return False
    return find_called(node) in MAKING or find_cast(node) is not None or bool(list_literal(node))


PARAMETERS = {
    "random": 0, "rand": 0, "randn": 0, "random_sample": 0, "standard_normal": 0, "standard_exponential": 0,
    "exponential": 1, "poisson": 1, "uniform": 2, "normal": 2, "gauss": 2, "randint": 2, "integers": 2, "lognormal": 2,
    "gamma": 2, "beta": 2, "binomial": 2,
}  # fmt: skip
"""Functions that draw a number where they are given no shape behind so many parameters."""


def is_drawn_number(node: ast.expr) -> bool:
    """Whether an expression draws one random number."""
    if not isinstance(node, ast.Call) or find_called(node) not in PARAMETERS:
        return False
    stated = any(k.arg in ("size", "shape") for k in node.keywords)
    return (
        not stated
        and len(node.args) <= PARAMETERS[find_called(node)]
        and not any(isinstance(a, ast.Starred) for a in node.args)
    )


def list_literal(node: ast.expr) -> tuple[int, ...]:
    """The shape of ``np.array([[1, 2], [3, 4]])`` or of the list; () where its items are no numbers.

    >>> list_literal(ast.parse("np.array([[1, 2, 3], [4, -5, 6.0]], float)", mode="eval").body)
    (2, 3)
    """
    if isinstance(node, ast.Call):
        return list_literal(node.args[0]) if find_called(node) in ("array", "asarray") and node.args else ()
    if not isinstance(node, (ast.List, ast.Tuple)) or not node.elts:
        return ()
    if all(isinstance(e.operand if isinstance(e, ast.UnaryOp) else e, ast.Constant) for e in node.elts):
        return (len(node.elts),)
    inner = {list_literal(e) for e in node.elts}
    return (len(node.elts), *inner.pop()) if len(inner) == 1 and () not in inner else ()


def find_cast(node: ast.expr) -> ast.Call | None:
    """What makes the array in ``np.random.rand(n).astype(np.float32)``; None for other expressions."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "astype":
        inside = node.func.value
        if isinstance(inside, ast.Call) and find_called(inside) in MAKING:
            return inside
    return None


def fold_integer(node: ast.expr, known: Mapping[str, int]) -> int | None:
    """A constant of whole numbers: ``4 * 1024``, ``1 << 20``; None for other expressions.

    >>> fold_integer(ast.parse("1 << N", mode="eval").body, {"N": 4})
    16
    """
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if isinstance(node, ast.Name):
        return known.get(node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in FOLDED:
        left, right = fold_integer(node.left, known), fold_integer(node.right, known)
        small = left is not None and right is not None and abs(left) < LARGEST and 0 <= right < LARGEST
        if small and not (isinstance(node.op, (ast.LShift, ast.Pow)) and right > LARGEST_POWER):  # type: ignore[operator]
            folded = FOLDED[type(node.op)](left, right) if right or not isinstance(node.op, ast.FloorDiv) else None
            return folded if folded is not None and abs(folded) < LARGEST else None
    return None


LARGEST, LARGEST_POWER = 1 << 62, 62
FOLDED: dict[type[ast.operator], Callable[..., int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.FloorDiv: operator.floordiv,
    ast.LShift: operator.lshift, ast.Pow: operator.pow,
}  # fmt: skip


def promote(elements: Iterable[str]) -> str:
    """The type that NumPy computes arrays of several types in.

    >>> promote(["fp32", "int8"]), promote(["fp32", "int32"]), promote(["int8", "int16"])
    ('fp32', 'fp64', 'int16')
    """
    stated = {e or "fp64" for e in elements}
    if not stated:
        return ""
    bits = {e: int(re.sub(r"\D", "", e)) for e in stated}
    reals, whole = [e for e in stated if e.startswith("fp")], [e for e in stated if e.startswith("int")]
    if not reals:
        return max(whole, key=bits.__getitem__)
    largest = max(reals, key=bits.__getitem__)
    wide = max((bits[e] for e in whole), default=0)
    return largest if bits[largest] > wide else "fp64" if wide >= 32 else "fp32"


def is_choice(node: ast.Call) -> bool:
    """Whether this is Python's own ``max(a, b)`` of several numbers."""
    return isinstance(node.func, ast.Name) and node.func.id in ("max", "min") and len(node.args) > 1


def read_annotation(node: ast.expr | None) -> tuple[list[int | str], str]:
    """Dimensions (numbers or names) and element type of an annotation such as ``"float32[N, M]"``.

    >>> read_annotation(ast.parse("'float32[N, 8]'", mode="eval").body)
    (['N', 8], 'fp32')
    """
    if node is None:
        return [], ""
    source = ast.unparse(node)
    element = next((kind for word, kind in DTYPES.items() if word in source), "")
    texts = [n.value for n in ast.walk(node) if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    tuples = [ast.unparse(n) for n in ast.walk(node) if isinstance(n, ast.Tuple)]
    for text in [*texts, *tuples]:
        inside = re.search(r"[\[(]([^\[\]()]*)[\])]", text)
        tokens = [t for t in TOKEN.findall(inside[1] if inside else text) if t not in WORDS]
        if tokens and len(tokens) <= 6:
            return [int(t[:15]) if t.isdigit() else t for t in tokens], element
    return [], element


def infer_ranks(body: Iterable[ast.stmt], names: set[str]) -> dict[str, int]:
    """Dimensions of parameters that are used as whole arrays, as far as their use shows them."""
    nodes = [n for s in body for n in ast.walk(s)]
    uses = Uses(names, any(isinstance(n, (ast.For, ast.While)) for n in nodes))
    for node in nodes:
        if isinstance(node, ast.Subscript):
            uses.subscript(node)
        elif isinstance(node, ast.Attribute) and node.attr == "T":
            uses.mark(node.value, 2)
        elif isinstance(node, ast.BinOp):
            uses.operation(node)
        elif isinstance(node, ast.Call):
            uses.call(node)
    return {n: r for n, r in uses.ranks.items() if n in uses.whole}


class Uses:
    """What is known of the dimensions of names."""

    def __init__(self, names: set[str], loops: bool) -> None:
        self.names = names
        self.loops = loops
        """The function has loops of its own: plain names in arithmetic are numbers then."""
        self.ranks: dict[str, int] = {}
        self.whole: set[str] = set()

    def mark(self, node: ast.AST, rank: int) -> None:
        """An expression is used as an array of at least so many dimensions."""
        taken = 0
        while isinstance(node, ast.Subscript):
            items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
            taken += sum(1 for i in items if not isinstance(i, ast.Slice))
            node = node.value
        if isinstance(node, ast.Attribute) and node.attr == "T":
            node, rank = node.value, 2
        if isinstance(node, ast.Name) and node.id in self.names:
            self.whole.add(node.id)
            self.ranks[node.id] = max(self.ranks.get(node.id, 1), rank + taken)

    def subscript(self, node: ast.Subscript) -> None:
        """``a[i, 1:-1]``."""
        items = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if isinstance(node.value, ast.Name) and node.value.id in self.names:
            self.ranks[node.value.id] = max(self.ranks.get(node.value.id, 1), len(items))
            if any(isinstance(i, ast.Slice) for i in items):
                self.whole.add(node.value.id)

    def operation(self, node: ast.BinOp) -> None:
        """``a @ b``; ``a + b`` where no loops could mean numbers."""
        for side in (node.left, node.right):
            if isinstance(node.op, ast.MatMult):
                self.mark(side, 2 if isinstance(side, ast.Name) and side.id[:1].isupper() else 1)
            elif isinstance(side, ast.Name) and not self.loops:
                self.mark(side, 1)

    def call(self, node: ast.Call) -> None:
        """``a.sum(axis=1)``, ``np.exp(a)``."""
        name = find_called(node)
        if is_choice(node):
            return
        if name not in REDUCTIONS | MULTIPLYING | SCANS | SORTS | TRANSFORMS and (self.loops or name not in SPREADING):
            return
        axis = next((k.value.value for k in node.keywords if k.arg == "axis" and isinstance(k.value, ast.Constant)), 0)
        depth = axis + 1 if isinstance(axis, int) and axis >= 0 else 1
        for side in (*node.args, *([node.func.value] if isinstance(node.func, ast.Attribute) else [])):
            self.mark(side, depth)


def find_element(nodes: Iterable[ast.expr]) -> str:
    """The type that a ``dtype`` names; '' where none does."""
    texts = [ast.unparse(n) for n in nodes]
    words = DTYPES | SPELLED
    return next((words[w] for w in words if any(re.search(rf"(?<![\w]){w}\b", t) for t in texts)), "")
