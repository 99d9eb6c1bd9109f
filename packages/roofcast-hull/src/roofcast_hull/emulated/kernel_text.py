"""A kernel of a file, ready to be run: its tree, its launch, and what the file says of its arguments."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from roofcast.core.errors import MissingExtraError
from roofcast_hull.emulated.calls import TEMPLATE
from roofcast_hull.emulated.value_types import PAIRS, SCALARS, VECTORS, Types
from roofcast_hull.source.c_text import COMMENT, expand_macros, preprocess, split_arguments
from roofcast_hull.source.c_tree import find_unknown_types, parse
from roofcast_hull.source.cuda_code import find_kernels
from roofcast_hull.source.deciding_arrays import find_deciding
from roofcast_hull.source.found_class import FILLED
from roofcast_hull.source.methods import spell_structures
from roofcast_hull.source.nest import SourceError, refuse
from roofcast_hull.source.whole_cuda import prepare_kernel, read_template
from roofcast_hull.spelled import plain_c
from roofcast_hull.spelled.plain_c import write_plain_c

REINTERPRETED = re.compile(r"\breinterpret_cast\s*<([^<>]*)>\s*\(")
AUTO = re.compile(r"\bauto\b")
FUNCTION_TEMPLATE = re.compile(r"\btemplate\s*<[^<>]*>\s*(?![^(]*__global__)[^;{}()]*?\b(\w+)\s*\(", re.DOTALL)
TYPE_NAME = re.compile(
    r"\s*(?:const\s+)?(?:unsigned\s+)?(?:float|double|int|half|__half|char|short|long|bool|size_t|__nv_bfloat16"
    r"|[A-Za-z_]\w*[234]|\w+_t)\s*"
)
EMPTY = "empty_"
"""The member of a structure of which libclang finds no declaration."""
TURNS = "turns of "
"""How names begin of the numbers that say how often loops of a nest run."""


def list_loop_turns(sizes: Mapping[str, int]) -> list[int]:
    """How often each loop of a nest runs, outermost first; none for a kernel. sizes : of its launch."""
    return [v for n, v in sizes.items() if n.startswith(TURNS)]


@dataclass(frozen=True)
class KernelText:
    """One launch of a kernel."""

    tree: Any
    function: Any
    sizes: Mapping[str, int]
    """gridDim and blockDim where the file says them, and the numbers that the kernel is given."""
    allocated: Mapping[str, int]
    templates: Mapping[str, tuple[str, ...]]
    """Names of the parameters of the functions' templates."""
    notes: tuple[str, ...]
    spelled: str = ""
    """The file as plain C, where libclang spelled it."""
    instance: str = ""
    """The kernel with the parameters of its template: ``sum<float, 4>``."""
    empty: str = ""
    """Line and shape of its launch, where no GPU takes it."""
    unknown_types: tuple[str, ...] = ()
    """Of its parameters, which the file does not declare: each is read as a whole number of 4 bytes."""
    filled: Mapping[str, Any] = field(default_factory=dict)
    """Whole numbers that the host fills arrays with of which loops ask how often they run."""
    of_nest: bool = False
    """Whether its threads are turns of loops: as many as results are, without any at borders."""

    @property
    def is_launched(self) -> bool:
        """Whether its grid and block are known."""
        return all(self.sizes.get(f"{kind}.x", 0) > 0 for kind in ("gridDim", "blockDim"))


def open_kernel(
    text: str, kernel: str, sizes: Mapping[str, int], launch: int | None, given: Mapping[str, int] | None = None
) -> KernelText:
    """The kernel of a name in a whole file.

    sizes : numbers that come before those of the file. launch : which of its launches with different sizes. given :
        numbers that names of its host have, and those of the kernel that its launch leaves open.

    Raises
    ------
    SourceError : a syntax error, or no such kernel; with line and reason.
    MissingExtraError : pycparser is not installed.
    """
    try:
        import pycparser  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("reading C needs pycparser: pip install 'roofcast[source]'") from error
    given, written = given or {}, text
    stated = {**given, **sizes}
    spelled = write_plain_c(text, stated)
    if spelled is not None:
        text = spelled.text
    else:
        # C++ says the type of a value, or of what an address leads to, in words that C has not.
        text = AUTO.sub("auto_type", REINTERPRETED.sub(r"(\1)(", expand_macros(text, stated)))
        text = spell_template_calls(spell_structures(text))
    kernels = find_kernels(text)
    plain, defined = preprocess(text, stated)
    whole = prepare_kernel(text, plain, kernel, kernels, defined, launch, given)
    known = {**defined, **given, **whole.sizes, **sizes}
    tree = parse(whole.text, kernel, known)
    functions = [n for n in tree.ext if type(n).__name__ == "FuncDef"]
    function = next((f for f in functions if f.decl.name == kernel), None)
    if function is None:
        raise SourceError(f"no kernel '{kernel[:60]}' in the file")
    if wanted := find_deciding(function, functions):
        whole = prepare_kernel(text, plain, kernel, kernels, defined, launch, given, wanted)
        known = {**defined, **given, **whole.sizes, **sizes}
        named = ", ".join(sorted(n[:40] for n in whole.filled))
        whole.notes += (f"{FILLED}: {named}",) if named else ()
    if kernels.get(kernel) and not whole.launched:
        line = int(function.coord.line)
        raise refuse(line, f"'{kernel[:60]}' is a template that nothing in the file launches: write it for one type")
    bare = COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else " ", text)
    templates = {
        str(f.decl.name): tuple(label for _, label, _ in read_template(bare, str(f.decl.name))) for f in functions
    }
    allocated = count_members(tree, function, whole.allocated) | count_structures(tree, function, whole.held)
    # Structures of libraries have members; one that nobody declares is spelled without.
    laid_out = {n for n, t in Types(tree).named.items() if t.members and t.members[0][0] != EMPTY}
    types = find_undeclared(written, kernel) - {*VECTORS, *SCALARS, *PAIRS, *laid_out}
    return KernelText(
        tree, function, known, allocated, templates, whole.notes, spelled.text if spelled else "", whole.instance,
        whole.empty, tuple(sorted(types)), whole.filled,
    )  # fmt: skip


def find_undeclared(text: str, kernel: str) -> set[str]:
    """Types of a kernel's pointers that a file uses and does not declare: a header has them that is not read.

    >>> find_undeclared("__global__ void add(const myreal_t *a, float *b) {}", "add")
    {'myreal_t'}
    """
    text = COMMENT.sub(" ", text)
    head = re.search(rf"\b{re.escape(kernel)}\s*\(([^)]*)\)\s*\{{", text)
    unknown, declared = find_unknown_types(text)
    pointed = set(re.findall(r"\b(\w+)\s*(?:const\s*)?\*", head[1])) if head else set[str]()
    ways = r"(?:#\s*define|struct|class|union|enum(?:\s+class)?|typename|using)\s+{0}\b|\btypedef\b[^;]*\b{0}\s*;"
    lacking = {n for n in pointed & (unknown - declared) if not re.search(ways.format(n), text)}
    return lacking - list_library_words() if lacking else lacking


@lru_cache(maxsize=1)
def list_library_words() -> frozenset[str]:
    """Names that the reader itself declares for CUDA and its libraries."""
    header = Path(plain_c.__file__).with_name("cuda_declarations.h")
    return frozenset(re.findall(r"\w+", header.read_text(encoding="utf-8")))


def count_structures(tree: Any, function: Any, held: Mapping[str, int]) -> dict[str, int]:
    """Elements of the arrays of structures that a kernel is given. held : bytes of each."""
    types, counts = Types(tree), dict[str, int]()
    for parameter in getattr(function.decl.type.args, "params", None) or ():
        name, inner = str(getattr(parameter, "name", "")), parameter.type
        if name in held and type(inner).__name__ == "PtrDecl" and type(inner.type).__name__ == "TypeDecl":
            kind = types.of(inner.type)
            if kind.members and held[name] >= kind.size:
                counts[name] = held[name] // kind.size
    return counts


def count_members(tree: Any, function: Any, allocated: Mapping[str, int]) -> dict[str, int]:
    """Elements of all arrays. allocated : the same, and bytes of those that structures lead to, ``p.x``."""
    types, counts = Types(tree), dict(allocated)
    for parameter in getattr(function.decl.type.args, "params", None) or ():
        inner = parameter.type.type if type(parameter.type).__name__ == "PtrDecl" else parameter.type
        for name in [n for n in counts if n.startswith((f"{parameter.name}.", f"{parameter.name}["))]:
            kind = types.of(inner)
            for member in re.sub(r"\[[^\]]*\]", "", name).split(".")[1:]:
                kind = next((t for n, t, _, _ in kind.members if n == member), kind)
            if kind.points is not None:
                counts[name] = max(1, counts[name] // kind.points.size)
    return counts


def spell_template_calls(text: str) -> str:
    """Calls with parameters of a template as C: ``f<A, 4>(x)`` is ``f(template_of((A)0, 4), x)``.

    >>> spell_template_calls("template <int N> int f(int x) { return x; } int g() { return f<N == 1>(2); }")
    'template <int N> int f(int x) { return x; } int g() { return f(template_of(N == 1), 2); }'
    """
    names = [n for n in FUNCTION_TEMPLATE.findall(text) if n]
    if not names:
        return text
    out, at = list[str](), 0
    for match in re.finditer(rf"\b({'|'.join(map(re.escape, dict.fromkeys(names)))})\s*<(?![<=])", text):
        end = find_angle(text, match.end())
        rest = text[end:].lstrip() if end else ""
        if match.start() < at or not rest.startswith("("):
            continue
        given = split_arguments(f"({text[match.end() : end - 1]})")
        spelled = [f"({g.strip()})0" if TYPE_NAME.fullmatch(g) else g.strip() for g in (given[0] if given else ())]
        start = end + text[end:].index("(") + 1
        empty = text[start:].lstrip().startswith(")")
        out += [text[at : match.start()], f"{match[1]}({TEMPLATE}({', '.join(spelled)}){'' if empty else ', '}"]
        at = start
    return "".join([*out, text[at:]])


def find_angle(text: str, start: int) -> int:
    """Behind the angle bracket that closes the one before a place; 0 where a statement ends before."""
    depth, round_ones = 1, 0
    for at in range(start, min(len(text), start + 400)):
        sign = text[at]
        round_ones += (sign == "(") - (sign == ")")
        if round_ones or sign not in "<>;{}":
            continue
        if sign in ";{}":
            return 0
        depth += 1 if sign == "<" else -1
        if depth == 0:
            return at + 1
    return 0
