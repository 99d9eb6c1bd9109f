"""Kernel names that a person can read: demangled, shortened, unique within a table.

Names come from input files, so everything here treats them as data: any string gives a short printable one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from roofcast.core.errors import one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.patterns import compile_later

UNNAMED = "(unnamed)"
LABEL_COLUMNS = ("version", "label")
"""Columns of a table that say which version of its kernel a row is."""
SHORT_LIMIT = 48
"""Characters of a kernel's name in a table."""
FULL_LIMIT = 4000
"""Characters of a kernel's name where it is shown whole: templates grow without end."""

OPERATOR = compile_later(r"\boperator\s*(\(\)|\[\]|->\*?|<=>|<<=?|>>=?|[<>]=?)")
LAMBDA = compile_later(r"'lambda\d*'|\{lambda|\[lambda|\$_\d+|__nv_dl_wrapper_t")
IDENTIFIER = compile_later(r"[A-Za-z_]\w*")
TYPE_NAME = compile_later(r"\b[A-Za-z_]\w*+(?!::)")
VENDOR_NAMESPACE = compile_later(
    r"_INTERNAL_\w+|_GLOBAL__N_\w*|(CUB|THRUST)_\d+\w*|__\d+|_V\d+|\(anonymous namespace\)"
)
OFFLOAD = compile_later(r"__omp_offloading_[0-9a-f]+_[0-9a-f]+_(.+)_l(\d+)(?:_\w+)?$")
DECLARATION = compile_later(r"::|\w<|\w\(")
"""What only a C++ or Rust declaration has; a name without it may be any text, spaces included."""
KOKKOS = compile_later(r"(?:cuda|hip|sycl)_parallel_launch")
KOKKOS_PATTERN = compile_later(r"\bParallel(?:For|Reduce|Scan)\b")
TRITON_SUFFIX = compile_later(r"_(?:\d+(?:de|dc|d|c|e))(?:\d+(?:de|dc|d|c|e)?)*$")
NUMBA = compile_later(r"^([\w.:$<>]+?)(?:\$\d+)?\[(?:abi:)?v\d+(?:\]\[abi:|,\s*)c\w*\]")
JULIA = compile_later(r"julia_(\w*?)_+\d+$")

WRAPPERS = compile_later(
    r"(?:\w*elementwise_kernel\w*|reduce_kernel|_?kernel_agent|static_kernel|transform_kernel|device_kernel|Kernel2?"
    r"|globalKernel|kernel|forallp?_(?:cuda|hip)_kernel\w*|\w*launch_\w*|EigenMetaKernel\w*|gpuKernel|operator\(\)"
    r"|device_transform|DeviceReduce\w*|DeviceScan\w*|run|invoke)$"
)
"""Functions that run whatever their template arguments say: those arguments carry the name that matters."""


def versions_of(kernels: KernelTable) -> list[str]:
    """Version of its kernel that each row is, as the table labels them; '' where the table has one of each."""
    labels = next((kernels.extra[c] for c in LABEL_COLUMNS if c in kernels.extra), None)
    if labels is None:
        return [""] * len(kernels)
    versions = [one_line(str(label), 60) for label in labels]
    several: dict[str, set[str]] = defaultdict(set)
    for name, label in zip(kernels.strings("kernel").tolist(), versions, strict=True):
        several[name].add(label)
    return [v if len(several[k]) > 1 else "" for k, v in zip(kernels.strings("kernel").tolist(), versions, strict=True)]


PLAIN_NAMES = frozenset(
    re.findall(
        r"\w+",
        """
    void bool char short int long float double unsigned signed const volatile true false auto half size_t
    int8_t int16_t int32_t int64_t uint8_t uint16_t uint32_t uint64_t __half __nv_bfloat16 BFloat16 Half
    Kernel Params Policy ParallelFor ParallelReduce ParallelScan operator lambda decltype nullptr type value""",
    )
)
FUNCTOR = compile_later(r"\w*[Ff]unctor\w*|\w*(?:_op|Ops?|Agent)|plus|minus|multiplies|maximum|minimum")


def full_name(name: str, mangled: str = "") -> str:
    """The whole name on one printable line, demangled where it is mangled; at most 4000 characters.

    mangled : the linker symbol, where the profiler recorded it; it wins where it says more than ``name``.

    >>> full_name("_Z10vector_addPKdS0_mPd")
    'vector_add(double const*, double const*, unsigned long, double*)'
    >>> full_name("vectorized", "_Z10vectorizedILi4EEvPf")
    'void vectorized<4>(float*)'
    """
    return one_line(declared(name, mangled), FULL_LIMIT) or UNNAMED


def declared(name: str, mangled: str = "") -> str:
    """The longest declaration that name and linker symbol give, unfolded and unbounded."""
    readable = demangled(name)
    if mangled and mangled != name and "(" not in readable:
        longer = demangled(mangled)
        return longer if longer != mangled and longer.strip() else readable
    return readable


@lru_cache(maxsize=4096)
def demangled(name: str) -> str:
    """The declaration of an Itanium C++ or Rust symbol; any other name as it is."""
    head = name.lstrip("_")[:1]
    if not name.startswith(("_Z", "__Z", "_R")) or head not in ("Z", "R") or len(name) > 2 * FULL_LIMIT:
        return name
    # The only place that knows the package. LLVM's demangler takes the wrong parameter for T_ in lambdas of templates
    # (Kokkos); itanium-demangler writes casts and knows no Rust.
    import demangle

    # The languages are named because other schemes would misread plain kernel names.
    languages = ("rust", "itanium") if re.search(r"^_R|17h[0-9a-f]{16}E", name) else ("itanium",)
    for language in languages:
        try:
            return str(demangle.demangle_strict(name, language=language))
        except (demangle.DemanglingError, ValueError, UnicodeError, RecursionError):
            continue
    return name


@lru_cache(maxsize=4096)
def short_name(name: str, limit: int = SHORT_LIMIT, mangled: str = "") -> str:
    r"""A readable name of 1 to ``limit`` characters that keeps what tells kernels apart.

    >>> short_name("void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>, char*>(int)")
    'vectorized_elementwise_kernel<4, … FillFunctor>'
    >>> short_name("_Z22vectorized_blocktilingILi64ELi64ELi8EEviPKfPf"), short_name("compute_tendencies_x_279_gpu")
    ('vectorized_blocktiling<64, 64, 8>', 'compute_tendencies_x_279_gpu')
    >>> short_name("__omp_offloading_10302_1b52a__ZN3foo3barEi_l123"), short_name("\x1b[31m")
    ('foo::bar:123 [omp]', '[31m')
    >>> short_name("copy_blocked[v1,cw51cXTLSUwv1s](Array<long long, 1, C, mutable, aligned>)")
    'copy_blocked [numba]'
    >>> short_name("__main__::add[abi:v1][abi:cw51cXT](Array<float, 1, C, mutable, aligned>)")
    'add [numba]'
    """
    if limit < 8:
        raise ValueError("a short name needs at least 8 characters")
    offload = OFFLOAD.match(name)
    if offload:
        inner = short_name(offload[1], max(8, limit - 8 - len(offload[2])))
        return clipped(f"{inner}:{offload[2]} [omp]", limit)
    whole = one_line(declared(name, mangled), 10 * FULL_LIMIT) or UNNAMED
    whole = whole.removeprefix("typeinfo name for ")
    compiled = NUMBA.match(whole)
    if compiled:
        return clipped(f"{re.split(r'::|[.]', compiled[1])[-1]} [numba]", limit)
    if not DECLARATION.search(whole):
        return clipped(TRITON_SUFFIX.sub("", without_julia(whole)) or whole, limit)
    try:
        shortened = shortened_declaration(whole, limit)
    except (IndexError, ValueError):  # a name that only looks like C++
        shortened = whole
    return clipped(without_julia(one_line(shortened)) or whole, limit)


def without_julia(name: str) -> str:
    """A name that Julia's compiler made, without its prefix and counter."""
    match = JULIA.match(name)
    return f"{match[1].strip('_') or 'anonymous'} [julia]" if match else name


def table_names(kernels: KernelTable, limit: int = SHORT_LIMIT) -> list[str]:
    """(n,) short names, each different: launches of one kernel get their grid, block or launch number."""
    if limit < 24:
        raise ValueError("unique names need at least 24 characters")
    mangled = kernels.strings("kernel_mangled")
    names = [short_name(str(n), limit, str(m)) for n, m in zip(kernels.strings("kernel"), mangled, strict=True)]
    launch, config = kernels.column("launch"), kernels.strings("config")
    number = [str(i) if np.isnan(v) else f"{v:.0f}" for i, v in enumerate(launch)]
    order = {file: k + 1 for k, file in enumerate(dict.fromkeys(kernels.strings("source_file")))}
    file = [f"(file {order[f]})" for f in kernels.strings("source_file")]
    version = next((kernels.extra[c] for c in LABEL_COLUMNS if c in kernels.extra), [""] * len(names))
    marks: tuple[Callable[[int], str], ...] = (
        lambda i: one_line(str(version[i]), limit // 2),
        lambda i: one_line(str(config[i]), limit // 2),
        lambda i: grid_text(kernels, i),
        lambda i: file[i],
        lambda i: f"#{number[i]}",
        lambda i: f"#{number[i]} {file[i]}",
        lambda i: f"#{number[i]}/{i}",
    )
    for group in groups_of(names):
        for mark in marks:
            suffixes = [mark(i) for i in group]
            if len(set(suffixes)) == len(group) and all(suffixes):
                for i, suffix in zip(group, suffixes, strict=True):
                    names[i] = f"{clipped(names[i], limit - len(suffix) - 1)} {suffix}"
                break
    return distinct(names, limit)


def groups_of(names: Sequence[str]) -> list[list[int]]:
    """Positions of each name that occurs more than once."""
    places: dict[str, list[int]] = defaultdict(list)
    for i, name in enumerate(names):
        places[name].append(i)
    return [group for group in places.values() if len(group) > 1]


def distinct(names: list[str], limit: int) -> list[str]:
    """The names, with their position appended where a suffix of one happens to equal another name."""
    for group in groups_of(names):
        for i in group[1:]:
            names[i] = f"{clipped(names[i], limit - len(str(i)) - 2)} ~{i}"
    # A name that already ended in "~i" could still collide: then positions alone, which cannot.
    return names if not groups_of(names) else [f"{clipped(n, limit - 9)} @{i}" for i, n in enumerate(names)]


def grid_text(kernels: KernelTable, i: int) -> str:
    """Grid and block of a launch, '' where not recorded."""
    # Asked for each of many rows: an absent column must not be made up anew each time.
    grid, block = (compact_shape(str(kernels.text[c][i])) if c in kernels.text else "" for c in ("grid", "block"))
    if not grid and "grid_blocks" in kernels.numeric:
        blocks = kernels.numeric["grid_blocks"][i]
        grid = "" if np.isnan(blocks) else f"{blocks:.0f}"
    return f"[{grid}·{block}]" if grid and block else f"[{grid}]" if grid else ""


def compact_shape(text: str) -> str:
    """``(128, 1, 1)`` as ``128``, ``(128, 2, 1)`` as ``128×2``."""
    parts = re.findall(r"\d+", text[:64])[:3]
    while len(parts) > 1 and parts[-1] == "1":
        parts.pop()
    return "×".join(parts)


def clipped(text: str, limit: int, share: float = 1 / 3) -> str:
    """At most ``limit`` characters; the middle goes, because the end of a name tells as much as its start.

    share : of what is kept, how much is the end.
    """
    if len(text) <= limit:
        return text
    tail = int((limit - 1) * share + 1e-9)
    return f"{text[: limit - 1 - tail]}…{text[len(text) - tail :] if tail > 0 else ''}"


def shortened_declaration(declaration: str, limit: int) -> str:
    """Function name with its telling template arguments, without return type, namespaces and parameters."""
    shielded = OPERATOR.sub(lambda m: "operator" + m[1].translate(SHIELD), declaration)
    path = split_top(without_parameters(shielded), "::")
    parts = [p for p in path if p and not VENDOR_NAMESPACE.fullmatch(p)] or [declaration]
    base, arguments = split_arguments(parts[-1])
    if LAMBDA.match(base):
        base, arguments = f"{enclosing(parts[:-1])} λ", ""
    elif base.startswith("operator"):
        base = f"{enclosing(parts[:-1])}::{base}"
    elif len(base) <= 7 and len(parts) > 1:
        base = f"{split_arguments(parts[-2])[0]}::{base}"
    base = TRITON_SUFFIX.sub("", base) or base
    return with_arguments(base, arguments, limit).translate(UNSHIELD)


def with_arguments(base: str, arguments: str, limit: int) -> str:
    """Function name and what of its template arguments fits; a wrapper gives way to the name that it wraps."""
    function = base.rpartition("::")[2]
    if KOKKOS.match(function):
        pattern = KOKKOS_PATTERN.search(arguments)
        return f"{pattern[0] if pattern else 'Kokkos'} {telling_name(arguments)} [Kokkos]"
    if function in ("Kernel", "Kernel2") and re.fullmatch(r"\w{12,}", arguments):
        return arguments
    hint = telling_name(arguments) if WRAPPERS.match(function) or LAMBDA.search(arguments) else ""
    if hint and len(base) + len(hint) + 4 > limit:
        base = clipped(base, max(12, limit - len(hint) - 4))
    return base + shortened_arguments(arguments, hint, max(0, limit - len(base)))


# Private-use characters stand in for the brackets of operator names, which are no brackets.
SHIELD = str.maketrans("()<>[]-=*", "".join(chr(0xE000 + i) for i in range(9)))
UNSHIELD = {stand_in: bracket for bracket, stand_in in SHIELD.items()}


def enclosing(parts: Sequence[str]) -> str:
    """The nearest named scope around a lambda or an operator."""
    for part in reversed(parts):
        base = split_arguments(without_parameters(part))[0]
        if IDENTIFIER.match(base) and not LAMBDA.match(base) and not base.startswith("operator"):
            return base
    return "anonymous"


def without_parameters(text: str) -> str:
    """The qualified name of a declaration: return type, parameters and trailing qualifiers removed."""
    text = re.sub(r"(?:\s*\[(?:clone|with) [^\]]*\]|\s*\(\.\w+\)|\s+(?:const|volatile|noexcept|&&?))+$", "", text)
    text = re.sub(r"\)\s+const(?=::)", ")", text)
    if text.endswith(")"):
        start = matching_open(text)
        if start > 0 and text[:start].strip():
            text = text[:start]
    return split_top(text.strip(), " ")[-1] if text.strip() else text


def matching_open(text: str) -> int:
    """Position of the parenthesis that the final one closes, -1 where there is none."""
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        depth += (text[i] == ")") - (text[i] == "(")
        if depth == 0:
            return i
    return -1


def split_top(text: str, separator: str) -> list[str]:
    """Parts between separators that stand outside all brackets."""
    parts, depth, start, i = [], 0, 0, 0
    while i < len(text):
        c = text[i]
        if c in "<({[":
            depth += 1
        elif c in ">)}]" and not (c == ">" and text[i - 1 : i] == "-"):
            depth = max(0, depth - 1)
        elif depth == 0 and text.startswith(separator, i):
            parts.append(text[start:i])
            i += len(separator)
            start = i
            continue
        i += 1
    return [p.strip() for p in (*parts, text[start:])]


def split_arguments(part: str) -> tuple[str, str]:
    """Base and text between the template brackets of one component."""
    at = part.find("<")
    if at <= 0 or not part.rstrip().endswith(">"):
        return part, ""
    return part[:at].strip(), part.rstrip()[at + 1 : -1]


def shortened_arguments(arguments: str, hint: str, room: int) -> str:
    """Template arguments in at most about ``room`` characters: leading plain ones, then the telling name."""
    if not arguments:
        return ""
    every = split_top(arguments, ",")
    plain = f"<{', '.join(every)}>"
    if len(plain) <= room and not any(c in arguments for c in "<(:"):
        return plain
    short: list[str] = []
    for argument in every:
        bare = unqualified(argument)
        if bare is None or len(", ".join([*short, bare])) + len(hint) + 6 > room:
            break
        short.append(bare)
    tail = [] if len(short) == len(every) else [f"… {hint}".strip()]
    return f"<{', '.join([*short, *tail])}>"


def unqualified(argument: str) -> str | None:
    """A plain template argument without namespaces and casts; None where it is a template or a function."""
    cast = re.fullmatch(r"\(([\w:]+)\)(-?\d+)", argument)
    if cast:
        return cast[2]
    return argument.rpartition("::")[2] if re.fullmatch(r"[\w:*& -]+", argument) and len(argument) < 200 else None


def telling_name(arguments: str) -> str:
    """The user's name inside template arguments: the function around a lambda, else a functor, else the first type."""
    match = LAMBDA.search(arguments)
    if match:
        before = arguments[: match.start()].rstrip(":")
        scope = before[last_open(before) + 1 :]
        named = enclosing(split_top(split_top(scope, ",")[-1].strip().rpartition("void ")[2], "::"))
        if named != "anonymous":
            return named
    words = [w for w in IDENTIFIER.findall(arguments) if w not in PLAIN_NAMES and not VENDOR_NAMESPACE.fullmatch(w)]
    functors = [w for w in words if FUNCTOR.fullmatch(w)]
    if functors:  # the innermost says most: AUnaryFunctor<..., MulFunctor<float>>
        return str(functors[-1])
    types = [w for w in TYPE_NAME.findall(arguments) if w in words]
    return types[0] if types else ""


def last_open(text: str) -> int:
    """Position of the innermost bracket still open at the end of the text, -1 where all are closed."""
    depth = 0
    for i in range(len(text) - 1, -1, -1):
        if text[i] in ">)}]" and not (text[i] == ">" and text[i - 1 : i] == "-"):
            depth += 1
        elif text[i] in "<({[":
            if depth == 0:
                return i
            depth -= 1
    return -1
