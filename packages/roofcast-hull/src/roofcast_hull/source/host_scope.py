"""What host code knows of its names: numbers, allocated bytes, shapes of launches, and answers of the runtime."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from roofcast_hull.source.c_text import split_arguments
from roofcast_hull.source.host_numbers import Functions, UnknownNumberError, evaluate_number, find_type_bytes
from roofcast_hull.source.host_writer import HostArray

ASSIGNMENT = re.compile(
    r"(?P<name>[A-Za-z_]\w*(?:(?:\.|->)\w+|\[[^\[\]]*\])*)\s*(?P<op>[-+*/%|&^]|<<|>>)?=(?!=)(?P<value>.*)", re.DOTALL
)
PLACE = re.compile(r"[A-Za-z_]\w*(?:\s*(?:\.|->)\s*[A-Za-z_]\w*|\s*\[[^\[\]]*\])*")
"""The same with any index."""
DEVICE = {
    "multiProcessorCount": 132, "maxThreadsPerBlock": 1024, "warpSize": 32, "maxThreadsPerMultiProcessor": 2048,
    "sharedMemPerBlock": 49152, "major": 9, "minor": 0, "cooperativeLaunch": 1, "regsPerBlock": 65536,
    "concurrentKernels": 1, "managedMemory": 1,
}  # fmt: skip
"""What a host that asks for its device is told: an H100 [Hopper]."""
HEAP = re.compile(r"\b(\w*[mc]alloc|aligned_alloc|valloc)\s*(?=\()|\bnew\s+([A-Za-z_][\w:\s]*?)\s*\[")
ALLOCATORS = ("malloc", "calloc", "aligned_alloc", "valloc")
"""Those that count in bytes."""
HELD = ".data_"
LENGTH = ".n_"
"""Members of a vector of the C++ library, as :mod:`roofcast_hull.spelled` declares it: where it leads, its length."""
ELEMENT = re.compile(r"(?<![\w.])([A-Za-z_]\w*(?:(?:\.|->)\w+)*)\s*\[([^\[\]]*)\]")
STEPPED = re.compile(r"(?:\+\+|--)\s*\w+|\w+\s*(?:\+\+|--)")
MOST_TURNS = 20_000
"""Of a loop of the host code that are followed."""


@dataclass
class Scope:
    """What a function knows of its names."""

    values: dict[str, float] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    allocated: dict[str, int] = field(default_factory=dict)
    """Bytes behind a pointer."""

    small: Functions = field(default_factory=dict)
    """Functions that expressions may call."""
    functions: dict[str, str] = field(default_factory=dict)
    """Kernel or function that a name leads to."""
    own: set[str] = field(default_factory=set)
    """Names that are declared in the function: not those of the file."""
    ended: bool = False
    """Whether the function has returned."""
    open: bool = False
    """Whether it may have returned something else before."""
    level: int = 0
    """Loops around the function."""
    given: Mapping[str, int] = field(default_factory=dict)
    """Values that the user gives names: where the host declares them, and where it does not say them."""
    records: Mapping[str, int] = field(default_factory=dict)
    """Bytes of structures of the file."""
    arrays: dict[str, HostArray] = field(default_factory=dict)
    """Whole numbers that the host fills arrays with, where that is followed."""

    def inner(self) -> Scope:
        """A scope that knows as much, and keeps what it learns for itself."""
        return Scope(
            dict(self.values), dict(self.types), dict(self.allocated), self.small, dict(self.functions), set(self.own),
            level=self.level, given=self.given, records=self.records, arrays=dict(self.arrays),
        )  # fmt: skip

    def number(self, text: str) -> float | None:
        """Value of an expression; None where the file does not say it."""
        if self.arrays and "[" in text:
            text = ELEMENT.sub(self.read_element, text)
        try:
            return evaluate_number(text, self.values, self.types, self.small, self.records)
        except UnknownNumberError:
            return None

    def read_element(self, match: re.Match[str]) -> str:
        """An element of an array that the host fills as its number; the text where that is not known."""
        array = self.arrays.get(match[1].replace("->", "."))
        place = self.number(match[2]) if array is not None and array.values else None
        if array is None or array.values is None or place is None or not 0 <= place < len(array.values):
            return match[0]
        value = array.values[int(place)]
        return match[0] if value is None else f"({value})"

    def resolve(self, text: str) -> str | None:
        """A name, or what is inside of a structure or an array, as it is known: ``list[i].n`` is ``list[2].n``."""
        if PLACE.fullmatch(text) is None:
            return None
        indices = {m: self.number(m) for m in re.findall(r"\[([^\[\]]*)\]", text)}
        if None in indices.values():
            return None
        plain = re.sub(r"\[([^\[\]]*)\]", lambda m: f"[{int(indices[m[1]] or 0)}]", text)
        return re.sub(r"\s+", "", plain).replace("->", ".")

    def forget(self, name: str) -> None:
        """A name whose value is not known from here on, nor what is in it."""
        self.values.pop(name, None)
        self.functions.pop(name, None)
        if name in self.given and "*" not in self.types.get(name, ""):
            self.values[name] = self.given[name]
        for key in [k for k in self.values if k.startswith((f"{name}.", f"{name}["))]:
            del self.values[key]

    def copy_members(self, source: Scope, name: str, wanted: str) -> None:
        """What is known inside of a structure, under another name."""
        self.values |= {f"{wanted}{k}": v for k, v in source.list_members(source.values, name).items()}
        self.allocated |= {f"{wanted}{k}": int(v) for k, v in source.list_members(source.allocated, name).items()}
        self.functions |= {f"{wanted}{k}": v for k, v in source.list_members(source.functions, name).items()}
        self.arrays |= {f"{wanted}{k}": v for k, v in source.list_members(source.arrays, name).items()}

    def copy_name(self, source: Scope, name: str, wanted: str) -> None:
        """All that is known of a name, under another one; what is not known is forgotten."""
        self.forget(wanted)
        self.allocated.pop(wanted, None)
        for known in (self.allocated, self.arrays):
            for key in [k for k in known if k.startswith((f"{wanted}.", f"{wanted}["))]:
                del known[key]
        self.arrays.pop(wanted, None)
        if name in source.arrays:
            self.arrays[wanted] = source.arrays[name]
        if name in source.values:
            self.values[wanted] = source.values[name]
        if name in source.allocated:
            self.allocated[wanted] = source.allocated[name]
        if name in source.functions:
            self.functions[wanted] = source.functions[name]
        self.copy_members(source, name, wanted)

    def list_members(self, known: Mapping[str, Any], name: str) -> dict[str, Any]:
        """What is known inside of a structure: ``.n`` or ``.sizes[0]`` and its value."""
        return {k[len(name) :]: v for k, v in known.items() if k.startswith((f"{name}.", f"{name}["))}


def answer_query(what: str, asked: Sequence[str], scope: Scope) -> None:
    """What the runtime says of a device, and how many threads it has room for, as of an H100."""
    name = scope.resolve(asked[0].strip().lstrip("&").strip())
    if name is None:
        return
    if what == "GetDeviceProperties":
        scope.values |= {f"{name}.{k}": v for k, v in DEVICE.items()}
        return
    if what == "DeviceGetAttribute":
        asked_for = re.sub(r"^.*(?:DevAttr|DeviceAttribute)", "", asked[1].strip()) if len(asked) > 1 else ""
        known = {k.lower(): v for k, v in DEVICE.items()}.get(
            asked_for.lower().replace("multiprocessorcount", "multiprocessorcount")
        )
        scope.values |= {name: known} if known is not None else {}
        return
    threads = DEVICE["maxThreadsPerBlock"]
    resident = DEVICE["maxThreadsPerMultiProcessor"]
    if what == "OccupancyMaxPotentialBlockSize" and len(asked) > 1:
        scope.values[name] = DEVICE["multiProcessorCount"] * (resident // threads)
        if (block := scope.resolve(asked[1].strip().lstrip("&").strip())) is not None:
            scope.values[block] = threads
    elif len(asked) > 2:
        size = scope.number(asked[2])
        if size:
            scope.values[name] = max(1, resident // int(size))


def find_heap_bytes(value: str, scope: Scope) -> int | None:
    """Bytes that ``malloc``, ``calloc`` or ``new T[n]`` makes; None for other expressions and for sizes not known."""
    match = HEAP.search(value)
    if match is None:
        return None
    if match[2]:
        length = scope.number(value[match.end() : value.rfind("]")])
        size = find_type_bytes(match[2], scope.records)
        return int(length) * size if length is not None and length > 0 and size else None
    call = split_arguments(value[match.end() :])
    if match[1] not in ALLOCATORS and call and not any("sizeof" in a for a in call[0]):
        # An allocator of the file's own may count in elements.
        return None
    numbers = [scope.number(re.sub(r"sizeof\s*(\*?)\s*(\w+)", r"sizeof(\1\2)", a)) for a in call[0]] if call else []
    if match[1] == "aligned_alloc":
        numbers = numbers[1:]
    size_bytes = math.prod(n for n in numbers if n is not None)
    return int(size_bytes) if numbers and None not in numbers and size_bytes > 0 else None


def list_turns(counter: str, start: float, condition: str, step: str, scope: Scope) -> list[float]:
    """Values of a loop's counter, one for each turn; none where the file does not say them or they are too many."""
    plain = step.strip()
    if STEPPED.fullmatch(plain):
        plain = f"{counter} {'+' if '++' in plain else '-'} 1"
    elif match := ASSIGNMENT.fullmatch(plain):
        plain = f"{counter} {match['op']} ({match['value']})" if match["op"] else match["value"]
    if plain == f"{counter} + 1" and (bound := re.fullmatch(rf"\s*{counter}\s*<(=?)([^<>=&|]*)", condition)):
        end = None if re.search(rf"\b{counter}\b", bound[2]) else scope.number(bound[2])
        if end is not None and math.isfinite(end):
            count = math.ceil(end - start) + (bool(bound[1]) and float(end - start).is_integer())
            return [] if count > MOST_TURNS else [start + k for k in range(count)]
    inside, turns = scope.inner(), list[float]()
    inside.values[counter] = start
    while inside.number(condition):
        turns.append(inside.values[counter])
        after = inside.number(plain)
        if after is None or len(turns) > MOST_TURNS:
            return []
        inside.values[counter] = after
    return turns


def read_shape(text: str, scope: Scope) -> tuple[int, int, int] | None:
    """Three numbers of ``dim3(16, 16)``, of the name of one, or of one number."""
    plain = text.strip()
    if f"{plain}.x" in scope.values:
        return tuple(int(scope.values.get(f"{plain}.{a}", 1)) for a in "xyz")  # type: ignore[return-value]
    plain = re.sub(r"^(?:=\s*)?dim3\s*(?=[({])", "", plain)
    if plain.startswith("{") and plain.endswith("}"):
        plain = f"({plain[1:-1]})"
    single = scope.number(plain)
    if single is not None:
        return (int(single), 1, 1) if single >= 1 else None
    call = split_arguments(plain)
    if call is None or plain[call[1] :].strip() or not 1 <= len(call[0]) <= 3:
        return None
    numbers = [scope.number(a) for a in call[0]]
    if any(n is None or n < 1 for n in numbers):
        return None
    return tuple(int(n) for n in [*numbers, 1, 1][:3] if n is not None)  # type: ignore[return-value]
