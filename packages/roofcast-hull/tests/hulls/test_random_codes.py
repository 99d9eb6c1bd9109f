"""Code made by chance of which the class is known: the answer is that class, or a refusal; never another class.

Each program is drawn from a grammar: what it computes (and so its class, operations and bytes) is drawn first, how it
is spelled afterwards: language, types, order of loops, indices, macros, temporaries, guards, casts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from hulls.test_codes import are_alike, spell_by_tiles
from roofcast_hull.bounds import ELEMENT_TYPES
from roofcast_hull.notation import parse_class
from roofcast_hull.source.classify import classify_text
from roofcast_hull.source.nest import SourceError

pytest.importorskip("pycparser", reason="the extra 'source' is not installed")
pytest.importorskip("islpy", reason="the extra 'source' is not installed")
pytest.importorskip("clang", reason="the extra 'source' is not installed")

SIZES = (96, 128, 250, 384, 1000)
BYTES = {"float": 4, "double": 8, "int": 4}
NUMPY = {"float": "float32", "double": "float64", "int": "int32"}
BORDER = 0.03
"""Of sizes and operations: what a border of a neighbourhood takes of an array."""


@dataclass
class Draw:
    """What one program computes: for each element of ``out`` an expression of elements of the inputs."""

    random: random.Random
    kind: str = ""
    type: str = "float"
    shape: tuple[int, ...] = ()
    inputs: dict[str, tuple[int, ...]] = field(default_factory=dict)
    output: tuple[int, ...] = ()
    wanted: str = ""
    operations: float = 0.0
    bytes: float = 0.0
    expression: str = ""
    """Of an element of the output, by names of inputs."""
    places: list[tuple[int, int]] = field(default_factory=list)
    reach: tuple[int, int] = (0, 0)
    """Rows and columns that a neighbourhood reaches."""
    over: str = ""
    term: str = ""
    largest: bool = False
    wide: int = 1


def draw_expression(draw: Draw, leaves: list[str]) -> tuple[str, int]:
    """An expression that uses each leaf, some of them twice, and its operations."""
    r = draw.random
    terms = list(leaves) + [r.choice(leaves) for _ in range(r.randint(0, 2))]
    r.shuffle(terms)
    count = 0
    spelled: list[str] = []
    for term in terms:
        factor = "3" if draw.type == "int" else r.choice(["2.5", "0.25", "3.0"]) + "f" * (draw.type == "float")
        scaled = r.random() < 0.4
        spelled.append(f"({factor} * {term})" if scaled else term)
        count += scaled
    while len(spelled) > 1:
        at = r.randrange(len(spelled) - 1)
        sign = r.choice("+-*+")
        spelled[at : at + 2] = [f"({spelled[at]} {sign} {spelled[at + 1]})"]
        count += 1
    if len(terms) == 1 and not count:
        return f"({spelled[0]} + {2 if draw.type == 'int' else '1.5'})", 1
    return spelled[0], count


# What is computed


def draw_elements(draw: Draw) -> None:
    """Element by element, of one to three arrays, some of them rows for all rows."""
    r = draw.random
    n, m = draw.shape
    names = ["a", "b", "c"][: r.randint(1, 3)]
    draw.inputs = dict.fromkeys(names, (n, m))
    if len(names) > 1 and r.random() < 0.3:
        draw.inputs[names[-1]] = (m,)
    draw.output = (n, m)
    draw.expression, each = draw_expression(draw, names)
    sides = [f"{n}x{m}|element" if len(s) == 2 else f"{m}|element" for s in draw.inputs.values()]
    draw.wanted, draw.operations = f"{' & '.join(sides)} -> {n}x{m}|element", each * n * m


def draw_neighbourhood(draw: Draw) -> None:
    """A few places around each element, the border left out."""
    r = draw.random
    n, m = draw.shape
    down, right = r.choice([(0, 1), (1, 0), (1, 1), (2, 1), (0, 2)])
    places = {(down, right), (-down, -right), (0, 0)}
    for _ in range(r.randint(0, 3)):
        places.add((r.randint(-down, down), r.randint(-right, right)))
    draw.inputs, draw.output = {"a": (n, m)}, (n, m)
    draw.places, draw.reach = sorted(places), (down, right)
    leaves = [f"a@{y},{x}" for y, x in sorted(places)]
    expression = " + ".join(leaves)
    draw.expression = f"0.5{'f' if draw.type == 'float' else ''} * ({expression})"
    draw.operations = len(leaves) * (n - 2 * down) * (m - 2 * right)
    draw.wanted = f"{n}x{m}|neighbourhood({2 * down + 1}x{2 * right + 1}) -> {n}x{m}|element"


def draw_sums(draw: Draw) -> None:
    """Sums, products added up or maxima of rows, of columns or of everything."""
    r = draw.random
    n, m = draw.shape
    over = r.choice(["rows", "columns", "all"])
    two = r.random() < 0.4
    draw.inputs = {"a": (n, m), "b": (n, m)} if two else {"a": (n, m)}
    draw.over, draw.term, draw.largest = over, "a * b" if two else "a", not two and r.random() < 0.3
    draw.output = {"rows": (n,), "columns": (m,), "all": (1,)}[over]
    pattern = {"rows": f"tile(1x{m})", "columns": f"tile({n}x1)", "all": "element"}[over]
    out = {"rows": f"{n}|element", "columns": f"{m}|element", "all": "1|shared"}[over]
    draw.wanted = " & ".join([f"{n}x{m}|{pattern}"] * len(draw.inputs)) + f" -> {out}"
    draw.operations = (2 if two else 1) * n * m


def draw_product(draw: Draw) -> None:
    """A product of two matrices, or of one with a vector."""
    r = draw.random
    n, m = draw.shape
    if r.random() < 0.5:
        draw.inputs, draw.output = {"a": (n, m), "b": (m,)}, (n,)
        draw.wanted = f"{n}x{m}|tile(1x{m}) & {m}|full -> {n}|element"
        draw.operations = 2 * n * m
        return
    k = r.choice(SIZES)
    draw.inputs, draw.output = {"a": (n, k), "b": (k, m)}, (n, m)
    draw.wanted = f"{n}x{k}|tile(1x{k}) & {k}x{m}|tile({k}x1) -> {n}x{m}|element"
    draw.operations = 2 * n * m * k


def draw_turned(draw: Draw) -> None:
    """Rows as columns."""
    n, m = draw.shape
    draw.inputs, draw.output = {"a": (m, n)}, (n, m)
    draw.expression, each = draw_expression(draw, ["a"])
    draw.wanted, draw.operations = f"unordered {m}x{n}|element -> {n}x{m}|element", each * n * m


def draw_pairs(draw: Draw) -> None:
    """Two or four neighbours become one."""
    n, m = draw.shape
    wide = draw.random.choice([2, 4])
    draw.inputs, draw.output = {"a": (n, wide * m)}, (n, m)
    draw.wide = wide
    draw.wanted = f"{n}x{wide * m}|tile(1x{wide}) -> {n}x{m}|element"
    draw.operations = (wide - 1) * n * m


KINDS: dict[str, Callable[[Draw], None]] = {
    "elements": draw_elements, "neighbourhood": draw_neighbourhood, "sums": draw_sums, "product": draw_product,
    "turned": draw_turned, "pairs": draw_pairs,
}  # fmt: skip


def draw_program(seed: int, kinds: tuple[str, ...] = tuple(KINDS)) -> Draw:
    """What one program computes."""
    r = random.Random(seed)
    draw = Draw(r, r.choice(kinds), r.choice(["float", "double", "int"]))
    draw.shape = tuple(r.sample(SIZES, 2))
    if draw.kind in ("neighbourhood", "product") and draw.type == "int":
        draw.type = "float"
    KINDS[draw.kind](draw)
    sizes = [*draw.inputs.values(), draw.output]
    draw.bytes = BYTES[draw.type] * sum(_count(s) for s in sizes)
    return draw


def _count(shape: tuple[int, ...]) -> int:
    return shape[0] * (shape[1] if len(shape) > 1 else 1)


# How it is spelled in C and CUDA


class Spelling:
    """Names of sizes, indices of arrays and the order of loops of one program in C."""

    def __init__(self, draw: Draw, cuda: bool) -> None:
        self.draw, self.r, self.cuda = draw, draw.random, cuda
        self.flat = cuda or self.r.random() < 0.6
        self.style = self.r.choice(["define", "enum", "literal", "const"])
        self.names = {v: f"S{v}" for s in (*draw.inputs.values(), draw.output) for v in s if v > 1}

    def size(self, value: int) -> str:
        """A size as it is written."""
        return str(value) if self.style == "literal" or value not in self.names else self.names[value]

    def head(self) -> str:
        """What stands before the function."""
        if self.style == "define":
            return "".join(f"#define {n} {v}\n" for v, n in self.names.items())
        if self.style == "enum":
            return "enum { " + ", ".join(f"{n} = {v}" for v, n in self.names.items()) + " };\n"
        if self.style == "const":
            return "".join(f"static const int {n} = {v};\n" for v, n in self.names.items())
        return ""

    def element(self, array: str, shape: tuple[int, ...], at: tuple[str, ...]) -> str:
        """An element of an array."""
        if len(shape) == 1:
            return f"{array}[{at[-1]}]"
        if not self.flat:
            return f"{array}[{at[0]}][{at[1]}]"
        row, column, width = at[0], at[1], self.size(shape[1])
        wrapped = f"({row})" if not row.isidentifier() else row
        forms = [
            f"{wrapped} * {width} + {column}",
            f"({column}) + {width} * {wrapped}",
            f"({wrapped} * {width}) + ({column})",
        ]
        if self.r.random() < 0.2:
            return f"*({array} + {forms[0]})"
        return f"{array}[{self.r.choice(forms)}]"

    def parameter(self, array: str, shape: tuple[int, ...], constant: bool) -> str:
        """A parameter."""
        kind = f"{'const ' if constant else ''}{self.draw.type}"
        if self.flat or len(shape) == 1:
            restrict = ("__restrict__ " if self.cuda else "restrict ") if self.r.random() < 0.3 else ""
            return f"{kind} *{restrict}{array}"
        return f"{kind} {array}[{self.size(shape[0])}][{self.size(shape[1])}]"

    def body(self, i: str, j: str) -> str:
        """What is computed for one element, or one unit, of the output."""
        return str(getattr(self, f"body_{self.draw.kind}")(i, j))

    def fill(self, at: Callable[[str], str]) -> str:
        """The drawn expression with elements in place of names, perhaps by way of temporaries."""
        text = self.draw.expression
        lines = ""
        for name in self.draw.inputs:
            here = at(name)
            if self.r.random() < 0.4:
                lines += f"{self.draw.type} v{name} = {here}; "
                here = f"v{name}"
            text = _replace_name(text, name, here)
        if self.r.random() < 0.3:
            return f"{lines}{self.draw.type} t = {text}; $ = t;"
        return f"{lines}$ = {text if self.r.random() < 0.8 else f'({self.draw.type})({text})'};"

    def body_elements(self, i: str, j: str) -> str:
        draw = self.draw
        text = self.fill(lambda a: self.element(a, draw.inputs[a], (i, j)))
        return text.replace("$", self.element("out", draw.output, (i, j)))

    def body_turned(self, i: str, j: str) -> str:
        text = self.fill(lambda a: self.element(a, self.draw.inputs[a], (j, i)))
        return text.replace("$", self.element("out", self.draw.output, (i, j)))

    def body_neighbourhood(self, i: str, j: str) -> str:
        text = self.draw.expression
        for y, x in self.draw.places:
            at = (f"{i} {'-+'[y > 0]} {abs(y)}" if y else i), (f"{j} {'-+'[x > 0]} {abs(x)}" if x else j)
            text = text.replace(f"a@{y},{x}", self.element("a", self.draw.inputs["a"], at), 1)
        return f"{self.element('out', self.draw.output, (i, j))} = {text};"

    def body_pairs(self, i: str, j: str) -> str:
        wide = self.draw.wide
        parts = [self.element("a", self.draw.inputs["a"], (i, f"{wide} * {j} + {k}")) for k in range(wide)]
        return f"{self.element('out', self.draw.output, (i, j))} = {' + '.join(parts)};"

    def body_product(self, i: str, j: str) -> str:
        shape = self.draw.inputs["a"]
        vector = len(self.draw.inputs["b"]) == 1
        a = self.element("a", shape, (i, "k"))
        b = self.element("b", self.draw.inputs["b"], ("k",) if vector else ("k", j))
        out = f"out[{i}]" if vector else self.element("out", self.draw.output, (i, j))
        loop = f"for (int k = 0; k < {self.size(shape[1])}; {self.r.choice(['k++', '++k', 'k += 1'])})"
        if self.r.random() < 0.3:
            return f"{out} = 0; {loop} {out} += {a} * {b};"
        return f"{self.draw.type} s = 0; {loop} s {self.r.choice(['+= ', '= s + '])}{a} * {b}; {out} = s;"

    def body_sums(self, i: str, j: str) -> str:
        draw = self.draw
        over, (n, m) = draw.over, draw.shape
        inner = "j" if over == "rows" else "i"
        at = (i, "j") if over == "rows" else ("i", j)
        term = draw.term
        for name in draw.inputs:
            term = _replace_name(term, name, self.element(name, (n, m), at))
        first = self.element(next(iter(draw.inputs)), (n, m), (i, "0") if over == "rows" else ("0", j))
        loop = f"for (int {inner} = 0; {inner} < {self.size(m if over == 'rows' else n)}; {inner}++)"
        out = f"out[{i if over == 'rows' else j}]"
        if draw.largest:
            step = self.r.choice(["s = {0} > s ? {0} : s;", "if ({0} > s) s = {0};"]).format(term)
            return f"{draw.type} s = {first}; {loop} {{ {step} }} {out} = s;"
        return f"{draw.type} s = 0; {loop} s += {term}; {out} = s;"


def _replace_name(text: str, name: str, by: str) -> str:
    out, word = "", ""
    for sign in f"{text} ":
        if sign.isalnum() or sign in "_.[":
            word += sign
            continue
        out += (by if word == name else word) + sign
        word = ""
    return out[:-1]


def write_c(draw: Draw) -> str:
    """A program in C."""
    s = Spelling(draw, cuda=False)
    r, n_out = draw.random, draw.output
    down, right = draw.reach
    head = s.head()
    given = [s.parameter(k, v, r.random() < 0.5) for k, v in draw.inputs.items()]
    given.insert(r.randrange(len(given) + 1), s.parameter("out", n_out, False))
    if draw.kind == "sums" and draw.over == "all":
        n, m = draw.shape
        term = draw.term
        for name in draw.inputs:
            term = _replace_name(term, name, s.element(name, (n, m), ("i", "j")))
        step = f"if ({term} > s) s = {term};" if draw.largest else f"s += {term};"
        first = s.element("a", (n, m), ("0", "0")) if draw.largest else "0"
        return (
            f"{head}void f({', '.join(given)})\n{{\n{draw.type} s = {first};\nfor (int i = 0; i < {s.size(n)}; i++)\n"
            f"for (int j = 0; j < {s.size(m)}; j++) {step}\nout[0] = s;\n}}\n"
        )
    loops = [("i", n_out[0], down)] if len(n_out) == 1 else [("i", n_out[0], down), ("j", n_out[1], right)]
    if len(n_out) == 1 and draw.kind == "sums" and draw.over == "columns":
        loops = [("j", n_out[0], 0)]
    if len(loops) == 2 and r.random() < 0.3:
        loops.reverse()
    text = ""
    for name, size, border in loops:
        end = f"{s.size(size)} - {border}" if border else s.size(size)
        text += r.choice(
            [f"for (int {name} = {border}; {name} < {end}; {name}++) ",
             f"for (int {name} = {border}; {name} <= {end} - 1; ++{name}) "]
        )  # fmt: skip
    return f"{head}void f({', '.join(given)})\n{{\n{text}{{\n{s.body('i', 'j')}\n}}\n}}\n"


def write_cuda(draw: Draw) -> str:
    """A kernel with its launch."""
    s = Spelling(draw, cuda=True)
    r, n_out = draw.random, draw.output
    down, right = draw.reach
    given = [s.parameter(k, v, True) for k, v in draw.inputs.items()] + [s.parameter("out", n_out, False)]
    host = "".join(
        f"{draw.type} *{k}; cudaMalloc(&{k}, {_count(v)} * sizeof({draw.type})); "
        for k, v in (*draw.inputs.items(), ("out", n_out))
    )
    names = ", ".join([*draw.inputs, "out"])
    if len(n_out) == 1:
        name = "j" if draw.kind == "sums" and draw.over == "columns" else "i"
        block = r.choice([64, 128, 256])
        at = r.choice(["blockIdx.x * blockDim.x + threadIdx.x", "threadIdx.x + blockDim.x * blockIdx.x"])
        index = f"int {name} = {at};"
        guard = r.choice([f"if ({name} >= {s.size(n_out[0])}) return;", f"if ({name} < {s.size(n_out[0])})"])
        launch = f"f<<<({s.size(n_out[0])} + {block - 1}) / {block}, {block}>>>({names});"
    else:
        index = "int j = blockIdx.x * blockDim.x + threadIdx.x; int i = blockIdx.y * blockDim.y + threadIdx.y;"
        low = [f"{v} >= {b}" for v, b in (("i", down), ("j", right)) if b]
        high = [
            f"{v} < {s.size(z)}{f' - {b}' if b else ''}" for v, z, b in (("i", n_out[0], down), ("j", n_out[1], right))
        ]
        guard = f"if ({' && '.join([*low, *high])})"
        launch = (
            f"dim3 block(16, 16); dim3 grid(({s.size(n_out[1])} + 15) / 16, ({s.size(n_out[0])} + 15) / 16); "
            f"f<<<grid, block>>>({names});"
        )
    return (
        f"{s.head()}__global__ void f({', '.join(given)})\n{{\n{index}\n{guard} {{\n{s.body('i', 'j')}\n}}\n}}\n"
        f"int main() {{ {host}{launch} }}\n"
    )


# And in Python


def write_numpy(draw: Draw) -> str:
    """A function of whole arrays, or with loops, and its call."""
    r = draw.random
    arrays = "".join(f"{k} = np.zeros({v}, dtype=np.{NUMPY[draw.type]})\n" for k, v in draw.inputs.items())
    body = _write_whole(draw, r)
    return f"import numpy as np\ndef f({', '.join(draw.inputs)}):\n{body}\n{arrays}f({', '.join(draw.inputs)})\n"


def _write_whole(draw: Draw, r: random.Random) -> str:
    if draw.kind in ("elements", "turned"):
        text = draw.expression.replace("5f", "5").replace("0f", "0")
        if draw.kind == "turned":
            text = _replace_name(text, "a", r.choice(["a.T", "np.transpose(a)"]))
        return f"    t = {text}\n    return t" if r.random() < 0.5 else f"    return {text}"
    if draw.kind == "sums":
        axis = {"rows": "axis=1", "columns": "axis=0", "all": ""}[draw.over]
        behind = f", {axis}" if axis else ""
        if draw.largest:
            return "    return " + r.choice([f"a.max({axis})", f"np.max(a{behind})"])
        return f"    return np.sum({draw.term}{behind})"
    if draw.kind == "product":
        return f"    return {r.choice(['a @ b', 'np.dot(a, b)', 'a.dot(b)'])}"
    if draw.kind == "pairs":
        wide = draw.wide
        return "    return " + " + ".join(f"a[:, {k}::{wide}]" for k in range(wide))
    (n, m), (down, right) = draw.shape, draw.reach

    def part(y: int, x: int) -> str:
        return f"a[{down + y}:{n - down + y}, {right + x}:{m - right + x}]"

    text = draw.expression.replace("5f", "5")
    for y, x in draw.places:
        text = text.replace(f"a@{y},{x}", part(y, x), 1)
    return f"    out = np.zeros_like(a)\n    out[{down}:{n - down}, {right}:{m - right}] = {text}\n    return out"


def write_triton(draw: Draw) -> str:
    """A kernel of Triton with its launch: element by element, or rows added up."""
    r = draw.random
    n, m = draw.shape
    kind = {"float": "float32", "double": "float64", "int": "int32"}[draw.type]
    names = list(draw.inputs)
    arrays = "".join(f"{k} = torch.zeros({v}, device='cuda', dtype=torch.{kind})\n" for k, v in draw.inputs.items())
    arrays += f"out = torch.empty({draw.output}, device='cuda', dtype=torch.{kind})\n"
    given = ", ".join(f"{k}_ptr" for k in (*names, "out"))
    call = ", ".join((*names, "out"))
    top = "import torch\nimport triton\nimport triton.language as tl\n\n@triton.jit\n"
    if draw.kind == "elements":
        text = draw.expression.replace("5f", "5").replace("0f", "0")
        block = r.choice([256, 1024])
        loads = "".join(f"    {k} = tl.load({k}_ptr + at, mask=at < n)\n" for k in names)
        return (
            f"{top}def f({given}, n, BLOCK: tl.constexpr):\n    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
            f"{loads}    tl.store(out_ptr + at, {text}, mask=at < n)\n\n{arrays}"
            f"f[(triton.cdiv({n * m}, {block}),)]({call}, {n * m}, BLOCK={block})\n"
        )
    block = 1 << (m - 1).bit_length()
    loads = "".join(f"    {k} = tl.load({k}_ptr + row * m + c, mask=c < m, other=0)\n" for k in names)
    total = f"tl.max({draw.term}, axis=0)" if draw.largest else f"tl.sum({draw.term}, axis=0)"
    return (
        f"{top}def f({given}, m, BLOCK: tl.constexpr):\n    row = tl.program_id(0)\n"
        f"    c = tl.arange(0, BLOCK)\n{loads}"
        f"    tl.store(out_ptr + row, {total})\n\n{arrays}f[({n},)]({call}, {m}, BLOCK={block})\n"
    )


LANGUAGES: dict[str, tuple[Callable[[Draw], str], str, tuple[str, ...]]] = {
    "c": (write_c, "c", tuple(KINDS)),
    "cuda": (write_cuda, "c", tuple(KINDS)),
    "numpy": (write_numpy, "python", tuple(KINDS)),
    "triton": (write_triton, "python", ("elements", "sums")),
}


def is_written(language: str, draw: Draw) -> bool:
    """Whether a language has a spelling of what was drawn."""
    if language == "triton":
        flat = all(len(s) == 2 for s in draw.inputs.values())
        return flat if draw.kind == "elements" else draw.over == "rows"
    return not (language == "cuda" and draw.kind == "sums" and draw.over == "all")


def judge(language: str, seed: int) -> tuple[str, str]:
    """``right``, ``refused`` or ``wrong``, with what was asked and answered."""
    write, reader, kinds = LANGUAGES[language]
    draw = draw_program(seed, kinds)
    while not is_written(language, draw):
        seed += 1_000_003
        draw = draw_program(seed, kinds)
    text = write(draw)
    try:
        found = classify_text(text, reader, {}, "f")
    except SourceError as error:
        return "refused", f"{text}\n{draw.wanted}\n{error}"
    moved = sum(
        (f.element_bytes or ELEMENT_TYPES[f.element or "fp32"][0]) * (f.found.elements_in + f.found.elements_out)
        for f in found
    )
    answer = "\n".join(f"{f.found} {f.operations:.6g} {f.checked} {f.notes}" for f in found)
    wanted = parse_class(draw.wanted)
    alike = len(found) == 1 and are_alike(spell_by_tiles(found[0].found), wanted, BORDER)
    operations = sum(f.operations for f in found)
    agrees = operations == pytest.approx(draw.operations, rel=BORDER) and moved == pytest.approx(draw.bytes, rel=BORDER)
    said = f"{text}\nwanted {draw.wanted} {draw.operations:.6g} {draw.bytes:.6g} B\nfound {answer} {moved:.6g} B"
    return ("right" if alike and agrees else "wrong"), said


QUICK = {"c": 10, "cuda": 2, "numpy": 12, "triton": 2}
MANY = {"c": 400, "cuda": 120, "numpy": 250, "triton": 60}
MOST_REFUSED = 0.1


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_other_class_than_the_one_that_was_drawn(language: str) -> None:
    judged = [judge(language, seed) for seed in range(QUICK[language])]
    assert not [said for kind, said in judged if kind == "wrong"]
    assert sum(kind == "right" for kind, _ in judged) >= len(judged) / 2


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_other_class_in_many(language: str) -> None:
    judged = [judge(language, seed) for seed in range(1000, 1000 + MANY[language])]
    assert not [said for kind, said in judged if kind == "wrong"]
    assert sum(kind == "refused" for kind, _ in judged) <= MOST_REFUSED * len(judged)
