"""Files of code as wholes: their text, the functions that are asked for a class, and why the others are not."""

from __future__ import annotations

import ast
import codecs
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from roofcast.core.errors import InputError, RoofcastError, one_line
from roofcast_hull.source.found_class import Found
from roofcast_hull.source.host_scope import LENGTH
from roofcast_hull.source.host_text import find_functions
from roofcast_hull.source.nest import SourceError
from roofcast_hull.source.python_kernels import find_kernels

MOST_BYTES = 4 << 20
"""Bytes of a file of code; longer ones are data or generated."""
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
LIBRARIES = re.compile(
    r"\b((?:thrust|cub)::(?:\w+::)*[a-z]\w*|(?:cublas|cufft|cusparse|cusolver|cudnn|curand)[A-Z]\w*)\s*[(<]"
)
"""Calls of host libraries that launch kernels of their own."""
NO_KERNELS = re.compile(
    r"_cast$|Create|Destroy|Set|Get|device_vector$|host_vector$|Handle$|make_\w+$|iterator$|device_ptr$"
)
"""Ends of names of such libraries that launch none."""
TEMPLATE = re.compile(r"\btemplate\s*<([^;{}]*)\{")
"""What stands before the body of a template."""
NAME = re.compile(r"(\w+)\s*\(")
CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
"""What no text holds."""
WORDS = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True, slots=True)
class Refused:
    """A function of a file that has no class."""

    function: str
    why: str


def decode_source(content: bytes, name: str) -> str:
    """The text of a file of code: UTF-8, UTF-16 with its mark, else Latin-1, lines ended alike.

    Raises
    ------
    InputError : it is too long, or no text.
    """
    label = one_line(name, 120)
    if len(content) > MOST_BYTES:
        raise InputError(f"{label}: more than {MOST_BYTES >> 20} MiB of source code")
    try:
        text = content.decode("utf-16" if content.startswith(WIDE) else "utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    if CONTROL.search(text):
        raise InputError(f"{label}: not a text file")
    return text.replace("\r\n", "\n")


def check_sizes(text: str, sizes: Mapping[str, int]) -> None:
    """Refuse sizes of names that a file does not have.

    Raises
    ------
    RoofcastError : there are such.
    """
    words = {*WORDS.findall(text), "gridDim", "blockDim", "x", "y", "z", "len", "shape", "size", LENGTH[1:]}
    for name in sizes:
        if missing := [w for w in WORDS.findall(name) if w not in words]:
            raise RoofcastError(f"--size {one_line(name, 40)}: the file has no {one_line(missing[0], 40)!r}")


def list_rest(text: str, language: str, listed: Sequence[str]) -> list[Refused]:
    """Functions of a file that are not asked for a class, and why.

    listed : those that are.
    """
    rest = list_rest_of_python(text, listed) if language == "python" else list_rest_of_c(text)
    return [Refused(function, why) for function, why in rest.items() if function not in listed]


def list_rest_of_c(text: str) -> dict[str, str]:
    """Calls of libraries that launch kernels, and templates that nothing calls."""
    bare = re.sub(r"//[^\n]*|/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.DOTALL)
    rest = {}
    words = Counter(WORDS.findall(bare))
    for match in TEMPLATE.finditer(bare):
        name = NAME.search(bare, match.start(1), match.end(1))
        if name and words[name[1]] == 1 and not re.search(r"\b(?:struct|class|concept)\b", match[1].partition(">")[2]):
            line = 1 + bare.count("\n", 0, name.start())
            rest[name[1]] = f"line {line}: a template that nothing in the file calls"
    if "__global__" not in bare:
        return rest
    of_device = [(f.start, f.end) for f in find_functions(bare) if is_of_device(bare, f.start)]
    for match in LIBRARIES.finditer(bare):
        if NO_KERNELS.search(match[1]) or any(start <= match.start() < end for start, end in of_device):
            continue
        line = 1 + bare.count("\n", 0, match.start())
        rest.setdefault(match[1], f"line {line}: a call of a library, whose kernels are not in the file")
    return rest


def is_of_device(text: str, start: int) -> bool:
    """Whether what is declared before the body of a function says that it runs on the GPU."""
    begin = max(text.rfind(end, 0, start) for end in ";}")
    return re.search(r"__(?:global|device)__", text[begin + 1 : start]) is not None


def list_rest_of_python(text: str, listed: Sequence[str]) -> dict[str, str]:
    """Functions beside kernels of Triton or numba.cuda, which are the host's."""
    tree = ast.parse(text)
    rest = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name not in listed:
            named = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            launched = [n for n in listed if n in named]
            what = f"launches {', '.join(launched)}" if launched else "beside kernels it is not read"
            rest[node.name] = f"line {node.lineno}: {what}; ask for FILE:{node.name}"
    return rest


def place_kernel(found: Found, text: str, function: str) -> Found:
    """A class of a kernel in Python with a line of that kernel, not one of the CUDA that it is read as."""
    node = find_kernels(ast.parse(text)).get(function)
    if node is None or node.lineno <= found.line <= (node.end_lineno or node.lineno):
        return found
    return replace(found, line=node.lineno)


def find_callers(text: str, language: str, functions: Sequence[str]) -> dict[str, str]:
    """Of functions that others of them call: the first that does, whose classes hold theirs."""
    callers: dict[str, str] = {}
    for function, called in list_calls(text, language, functions).items():
        for name in called:
            if name != function:
                callers.setdefault(name, function)
    return callers


def list_calls(text: str, language: str, functions: Sequence[str]) -> dict[str, list[str]]:
    """Of functions: those of them that each calls."""
    if language == "python":
        tree = ast.parse(text)
        nodes = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name in functions]
        return {
            n.name: [c.func.id for c in ast.walk(n)
                     if isinstance(c, ast.Call) and isinstance(c.func, ast.Name) and c.func.id in functions]
            for n in nodes
        }  # fmt: skip
    from roofcast_hull.source.c_files import find_bodies

    return {
        name: [f for f in functions if f in called] for name, called in find_bodies(text).items() if name in functions
    }


def note_turns(text: str, sizes: Mapping[str, int]) -> dict[str, tuple[str, ...]]:
    """Of kernels: what one launch leaves out, turns of a loop of the host and further launches."""
    if "__global__" not in text:
        return {}
    from roofcast_hull.source.c_files import spell_plainly
    from roofcast_hull.source.c_text import preprocess
    from roofcast_hull.source.cuda_code import find_kernels
    from roofcast_hull.source.whole_cuda import find_launches, say_how_often

    try:
        plain, defined = preprocess(spell_plainly(text, sizes), sizes)
        launches = find_launches(plain, find_kernels(spell_plainly(text, sizes)), defined)
    except (SourceError, RecursionError):
        return {}
    return {
        name: tuple(n.replace("one row", "counted once").replace("one launch is a row", "one launch is counted")
                    for alike in every for n in say_how_often(alike))
        for name, every in launches.items()
    }  # fmt: skip
