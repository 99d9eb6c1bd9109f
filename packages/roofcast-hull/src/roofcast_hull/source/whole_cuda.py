"""A whole CUDA or HIP file as the reader of kernels wants it.

Host code goes, after its launches were read; what the launch of a kernel says (grid, block, arguments, allocations,
parameters of a template) becomes sizes; the kernel and the functions it may call stay, as C.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from roofcast.core.errors import one_line
from roofcast_hull.source.c_idioms import REFERENCE
from roofcast_hull.source.c_text import COMMENT
from roofcast_hull.source.host_code import HostReader, Launch
from roofcast_hull.source.host_numbers import CASTS, find_type_bytes
from roofcast_hull.source.host_scope import HELD, LENGTH
from roofcast_hull.source.host_text import Function, find_end, find_functions, split_items
from roofcast_hull.source.methods import CALLING, OPERATORS
from roofcast_hull.source.structures import VECTORS, declare_vectors

DEVICE = re.compile(r"__device__[^;{}()=]*?\b(\w+)\s*\(")
TEMPLATE_OF = r"template\s*<(?P<parameters>[^<>]*)>\s*(?:[\w\s*&]|__launch_bounds__\s*\([^)]*\))*?\b{}\s*\("
CPLUSPLUS = (
    (re.compile(r"\bconstexpr\b"), "const"), (re.compile(r"\bnullptr\b"), "0"), (re.compile(r"\bstd::"), ""),
    (re.compile(r"\btrue\b"), "1"), (re.compile(r"\bfalse\b"), "0"), (re.compile(r"\bauto\b"), "int"),
    (re.compile(r"\busing\s+namespace\s+\w+\s*;"), ""), (re.compile(r"\b__(?:constant|managed)__\b"), ""),
    (re.compile(r"\b__ldg\s*\(\s*&"), "("), (re.compile(r"\b__syncwarp\s*\([^()]*\)"), ""),
    (re.compile(r"(?<![.>\w])(?<!int )warpSize\b"), "32"),
    (re.compile(r"\breturn\s*\{"), "return (int){"), (re.compile(r"=\s*\{\s*\}"), "= {0}"),
)  # fmt: skip
FUNCTIONAL_CAST = re.compile(r"(?<![\w(])\b(float|double|int|unsigned|size_t)\s*\((?=[^)])")
CLASS = re.compile(r"(?<!enum )\bclass\s+\w+[^{};()]*\{")
NAMESPACE = re.compile(r"\b(?:namespace\b\s*[\w:]*|extern\s*\"C\")\s*\{")
REFERRED = re.compile(r"(?<!const )\b\w+\s*&\s*(\w+)")
AXES = "xyz"
Items = tuple[tuple[str, int], ...]


@dataclass
class Whole:
    """One kernel of a file, ready for the reader, with what the file says of its launch."""

    text: str
    sizes: dict[str, int] = field(default_factory=dict)
    allocated: dict[str, int] = field(default_factory=dict)
    """Elements that are allocated for an array, where it may be larger than what the kernel uses; bytes for an array
    in a structure, ``p.x``."""
    notes: tuple[str, ...] = ()
    launched: bool = False
    """Whether the file launches it: types and sizes then are those of that launch."""
    held: dict[str, int] = field(default_factory=dict)
    """Bytes that are allocated for arrays of structures of the file."""
    instance: str = ""
    """The kernel with the parameters of its template, as the launch has them: ``sum<float, 4>``."""
    empty: str = ""
    """Line and shape of a launch that no GPU takes."""
    filled: Mapping[str, Any] = field(default_factory=dict)
    """Whole numbers that the host fills arrays with, of those that are asked for."""


def find_launches(
    plain: str, kernels: Mapping[str, bool], defined: Mapping[str, int], given: Mapping[str, int] | None = None,
    filled: tuple[str, frozenset[str]] | None = None,
) -> dict[str, list[list[Launch]]]:  # fmt: skip
    """Launches of each kernel, those with the same sizes together.

    plain : preprocessed, without qualifiers. defined : integers that were defined. given : values of names of the host.
    filled : a kernel, and its arrays of which is asked what the host fills them with.
    """
    if filled is None:
        return follow_launches(plain, kernels, defined, given, None)
    return follow_filled(plain, *(tuple(sorted(m.items())) for m in (kernels, defined, given or {})), filled)


@lru_cache(maxsize=8)
def follow_filled(
    plain: str, kernels: tuple[tuple[str, bool], ...], defined: Items, given: Items, filled: tuple[str, frozenset[str]]
) -> dict[str, list[list[Launch]]]:
    """The same with what arrays are filled with: several readers of one kernel ask for it."""
    return follow_launches(plain, dict(kernels), dict(defined), dict(given), filled)


def follow_launches(
    plain: str, kernels: Mapping[str, bool], defined: Mapping[str, int], given: Mapping[str, int] | None,
    filled: tuple[str, frozenset[str]] | None,
) -> dict[str, list[list[Launch]]]:  # fmt: skip
    """Follow the host code of a file."""
    text = re.sub(r"\b__(?:constant|device|managed)__\b|\bextern\b", " ", plain)
    by_kernel: dict[str, list[list[Launch]]] = {}
    for name, launches in HostReader(text, kernels, defined, given, filled).follow().items():
        alike: dict[object, list[Launch]] = {}
        for x in [x for x in launches if not x.idle] or launches:
            inside = tuple(tuple(sorted(m.items())) for m in (*x.members, *x.held_members))
            alike.setdefault((x.grid, x.block, x.arguments, x.template, inside), []).append(x)
        by_kernel[name] = list(alike.values())
    return by_kernel


def find_idle(plain: str, kernels: Mapping[str, bool], defined: Mapping[str, int]) -> set[str]:
    """Kernels that a file launches under conditions alone that do not hold, where it launches others."""
    launches = find_launches(plain, kernels, defined)
    idle = {name for name, every in launches.items() if all(x.idle for alike in every for x in alike)}
    return idle if set(launches) - idle else set()


def prepare_kernel(
    original: str,
    plain: str,
    name: str,
    kernels: Mapping[str, bool],
    defined: Mapping[str, int],
    chosen: int | None = None,
    given: Mapping[str, int] | None = None,
    wanted: Collection[str] = (),
) -> Whole:
    """The kernel of a name without the host code, and its sizes.

    original : the text as written. plain : preprocessed, without qualifiers. defined : integers that were defined.
    chosen : which of the launches with different sizes; the first, and a note of the others, where it is None.
    given : values of names of the host. wanted : arrays of which is asked what the host fills them with.
    """
    bare = COMMENT.sub(lambda m: m[0] if m[0][0] in "\"'" else " ", original)
    filled = (name, frozenset(wanted)) if wanted else None
    mine = find_launches(plain, kernels, defined, given, filled).get(name, [])
    function = next((f for f in find_functions(plain) if f.name == name), None)
    if function is None:
        return Whole(plain)
    device = find_needed(plain, name, {m[1] for m in DEVICE.finditer(bare)})
    parameters = read_template(bare, name)
    alike = mine[chosen or 0] if mine else []
    launch = alike[0] if alike else None
    meaning = match_template(parameters, function, launch) if launch else {}
    whole = Whole(keep_device(plain, {name, *device}, name, meaning), launched=launch is not None)
    if kernels.get(name) and len(meaning) < len(parameters):
        whole.launched = False
    if meaning and len(meaning) == len(parameters):
        whole.instance = f"{name}<{', '.join(meaning[label] for _, label, _ in parameters)}>"
    if launch:
        whole.filled = launch.filled
        whole.empty = f"line {launch.line}: a launch of {launch.empty}, which CUDA refuses" if launch.empty else ""
        whole.sizes, whole.allocated, whole.notes = read_sizes(function, launch, meaning, {})
        pointers = zip(function.parameters, launch.bytes_of, strict=False)
        whole.held = {n: held for (kind, n), held in pointers if "*" in kind and held and n not in whole.allocated}
        if chosen is None and len(mine) > 1:
            lines = ", ".join(str(others[0].line) for others in mine[1:4])
            whole.notes += (
                f"launched elsewhere with other sizes too (line {lines}): this is the launch of line {launch.line}",
            )
        elif chosen is not None:
            whole.notes += say_how_often(alike)
    return whole


def find_needed(text: str, name: str, device: Collection[str]) -> set[str]:
    """Functions of the device that a kernel calls, itself or through others; operators may be anywhere."""
    bodies = {f.name: text[f.start : f.end] for f in find_functions(text) if f.name == name or f.name in device}
    needed, new = set[str](), {name}
    while new:
        needed |= new
        words = {w for n in new for w in re.findall(r"\w+", bodies.get(n, ""))}
        new = {n for n in bodies if n in words or n in (*OPERATORS.values(), CALLING)} - needed
    return needed


def say_how_often(alike: Sequence[Launch]) -> tuple[str, ...]:
    """What one row of a launch leaves out: turns of a loop of the host, and launches with the same sizes."""
    notes = list[str]()
    if len(alike) > 1:
        notes.append(
            f"lines {', '.join(str(x.line) for x in alike[:4])}: {len(alike)} launches with these sizes, one row"
        )
    if looped := next((x for x in alike if x.looped), None):
        notes.append(f"line {looped.line}: launched in a loop of the host code: one launch is a row")
    return tuple(notes)


def read_template(text: str, name: str) -> list[tuple[str, str, str]]:
    """Kind, name and default of each parameter of a function's template."""
    match = re.search(TEMPLATE_OF.format(re.escape(name)), text)
    parameters = []
    for item in split_items(match["parameters"]) if match else ():
        head, _, default = item.partition("=")
        *kind, label = head.split() or [""]
        parameters.append((" ".join(kind), label, default.strip()))
    return parameters


def match_template(parameters: list[tuple[str, str, str]], function: Function, launch: Launch) -> dict[str, str]:
    """What each parameter of a template stands for: as stated, as the arguments' types say, or its default."""
    meaning: dict[str, str] = {}
    for at, (kind, label, default) in enumerate(parameters):
        if at < len(launch.template):
            meaning[label] = launch.template[at]
            continue
        pairs = zip(function.parameters, launch.types, strict=False)
        typed = [t for (declared, _), t in pairs if re.search(rf"\b{re.escape(label)}\b", declared) and t]
        if kind in ("typename", "class") and typed:
            meaning[label] = re.sub(r"\b(?:const|constexpr|static)\b|[*&]", "", typed[0]).strip()
        elif default:
            meaning[label] = default
    return meaning


def read_sizes(
    function: Function, launch: Launch, meaning: Mapping[str, str], records: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, int], tuple[str, ...]]:
    """Sizes and allocated elements that a launch states, by the names of the kernel, and what it leaves open.

    meaning, records : see :func:`read_arguments`.
    """
    sizes, allocated, open_sizes = read_arguments(function, launch, meaning, records)
    notes: list[str] = []
    for kind, shape in (("gridDim", launch.grid), ("blockDim", launch.block)):
        if shape is not None:
            sizes |= {f"{kind}.{a}": n for a, n in zip(AXES, shape, strict=True)}
        else:
            notes.append(f"{kind} of the launch in line {launch.line} depends on what the file does not say")
    return sizes, allocated, (*notes, *open_sizes)


def read_call(plain: str, name: str, defined: Mapping[str, int]) -> Whole:
    """Sizes and allocated elements with which a file calls one of its functions; nothing where it never does.

    plain : preprocessed. defined : integers that were defined.
    """
    sizes, allocated, notes = follow_call(plain, name, tuple(sorted(defined.items())))
    return Whole(plain, dict(sizes), dict(allocated), notes)


@lru_cache(maxsize=16)
def follow_call(plain: str, name: str, defined: Items) -> tuple[Items, Items, tuple[str, ...]]:
    """The same as sizes, allocated elements and notes: several readers of one function ask for them."""
    reader = HostReader(plain, {}, dict(defined))
    function, calls = reader.functions.get(name), reader.follow_calls(name).get(name, [])
    if function is None or not calls:
        return (), (), ()
    sizes, allocated, notes = read_arguments(function, calls[0], {}, reader.records)
    others = [c for c in calls if read_arguments(function, c, {}, reader.records)[:2] != (sizes, allocated)]
    if sizes:
        lines = ", ".join(str(c.line) for c in others[:3])
        elsewhere = f"; called with others in line {lines}" if others else ""
        notes = (f"sizes of {one_line(name, 40)} are those of its call in line {calls[0].line}{elsewhere}", *notes)
    return tuple(sizes.items()), tuple(allocated.items()), notes


def read_arguments(
    function: Function, launch: Launch, meaning: Mapping[str, str], records: Mapping[str, int]
) -> tuple[dict[str, int], dict[str, int], tuple[str, ...]]:
    """Sizes and allocated elements that the arguments of a launch or a call state, and what they leave open.

    meaning : of parameters of templates. records : bytes of structures of the file.
    """
    sizes: dict[str, int] = {}
    allocated: dict[str, int] = {}
    notes: list[str] = []
    values = zip(
        function.parameters, launch.arguments, launch.bytes_of, launch.names, launch.members, launch.held_members,
        strict=False,
    )  # fmt: skip
    for (kind, name), number, held, written, numbers, held_inside in values:
        pointed = "*" in kind
        if pointed and held:
            words = " ".join(meaning.get(w, w) for w in re.findall(r"\w+", kind))
            element = find_type_bytes(words, records)
            if element:
                allocated[name] = max(1, held // element)
        elif not pointed and number is not None and float(number).is_integer() and not is_real(kind, meaning):
            sizes[name] = int(number)
        elif not pointed and number is None and not is_real(kind, meaning) and not (numbers or held_inside):
            notes.append(
                f"{one_line(name, 40)} = {one_line(written, 60)} in line {launch.line}: no number that the file says"
            )
        sizes |= {f"{name}{k}": int(v) for k, v in numbers.items() if float(v).is_integer()}
        allocated |= {f"{name}{k}": v for k, v in held_inside.items() if v > 0}
        # Vectors of the C++ library have as many elements as they say.
        lengths = {k.removesuffix(LENGTH): int(v) for k, v in numbers.items() if k.endswith(LENGTH)}
        sizes |= {f"{name}{k}{HELD}": v for k, v in lengths.items() if v > 0}
    return sizes, allocated, tuple(notes)


def is_real(kind: str, meaning: Mapping[str, str]) -> bool:
    """Whether a parameter is a number of the algorithm, no size."""
    words = {meaning.get(w, w) for w in re.findall(r"\w+", kind)}
    return bool(words & {"float", "double", "half", "__half", *VECTORS})


def keep_device(text: str, kept: Collection[str], kernel: str, meaning: Mapping[str, str]) -> str:
    """Text without the bodies and heads of host functions, and with one kernel's template filled in; lines stay."""
    out: list[str] = []
    at = 0
    for function in find_functions(text):
        if function.start < at:
            continue
        out.append(clean(text[at : function.start]))
        piece = text[function.start : function.end]
        if function.name not in kept:
            piece = "\n" * piece.count("\n")
        else:
            piece = clean_function(piece, meaning if function.name == kernel else {}, function)
        out.append(piece)
        at = function.end
    joined = drop_scopes("".join([*out, clean(text[at:])]))
    return declare_vectors(joined) + joined


def drop_scopes(text: str) -> str:
    """Text without classes, and without the braces of name spaces."""
    while match := CLASS.search(text):
        end = find_end(text, match.end())
        inside = text[match.start() : end]
        text = text[: match.start()] + "\n" * inside.count("\n") + text[end:].replace(";", "", 1)
    while match := NAMESPACE.search(text):
        end = find_end(text, match.end())
        inside = text[match.end() : max(match.end(), end - 1)]
        text = text[: match.start()] + "\n" * match[0].count("\n") + inside + text[end:]
    return text


def clean(text: str) -> str:
    """C++ as C where only the spelling differs."""
    text = CASTS.sub("", text)
    for pattern, plain in CPLUSPLUS:
        text = pattern.sub(plain, text)
    return text


def clean_function(text: str, meaning: Mapping[str, str], function: Function) -> str:
    """One function as C."""
    for label, stands in meaning.items():
        text = re.sub(rf"\b{re.escape(label)}\b", stands, text)
    head, brace, body = text.partition("{")
    for name in set(REFERRED.findall(head)):
        # What C++ hands over by reference is known by its name.
        head, body = (re.sub(rf"\b{name}\b", f"{name}{REFERENCE}", part) for part in (head, body))
    head = re.sub(r"&\s*(?=\w)", " ", re.sub(r"=\s*[^,()]+(?=[,)])", "", head))
    body = FUNCTIONAL_CAST.sub(r"(\1)(", body)
    return clean(head) + brace + clean(body)
