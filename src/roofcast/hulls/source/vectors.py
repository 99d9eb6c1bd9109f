"""CUDA's short vectors (``float4``) as their components: a scalar or an array of its own each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from roofcast.hulls.source.c_text import split_arguments

SCALARS = {
    "char": "char", "uchar": "unsigned char", "short": "short", "ushort": "unsigned short", "int": "int",
    "uint": "unsigned int", "float": "float", "double": "double", "long": "long", "longlong": "long",
}  # fmt: skip
VECTORS = {f"{short}{n}": (scalar, "xyzw"[:n]) for short, scalar in SCALARS.items() for n in (2, 3, 4)}
NAMES = "|".join(VECTORS)
DECLARED = re.compile(rf"\b(?:const\s+)?(?P<type>{NAMES})\s+(?P<items>[A-Za-z_][^;]*);")
STORED = re.compile(
    r"(?P<before>(?:^|(?<=[;{}])|\))\s*)(?P<left>[A-Za-z_]\w*(?:\s*\[[^;=]*\])?)\s*=(?!=)\s*(?P<right>[^;=]+);"
)
MADE = re.compile(rf"^\(?\s*make_(?:{NAMES})\s*(?=\()")
ELEMENT = re.compile(r"^\(?[A-Za-z_]\w*\s*\[.*\]\)?$", re.DOTALL)


def declare_vectors(text: str) -> str:
    """Definitions, on no line of their own, of the vectors that a text names."""
    used = [n for n in VECTORS if re.search(rf"\b{n}\b", text)]
    return " ".join(f"typedef struct {{ {VECTORS[n][0]} {', '.join(VECTORS[n][1])}; }} {n};" for n in used) + " "


def split_vectors(body: str, parameters: Iterable[tuple[str, str]]) -> str:
    """Declarations, stores and uses of whole vectors as those of their components.

    >>> split_vectors("float2 v = x[i]; v.x += 1; y[i] = v;", [("float2 *", "x"), ("float2 *", "y")])
    'float v_x = x[i].x, v_y = x[i].y; v_x += 1; y[i].x = v_x; y[i].y = v_y;'
    """
    arrays = {n: VECTORS[w][1] for kind, n in parameters for w in re.findall(r"\w+", kind) if w in VECTORS}
    local: dict[str, str] = {}
    for match in DECLARED.finditer(body):
        for item in split_items(match["items"]):
            if name := re.match(r"\s*([A-Za-z_]\w*)\s*(?:=|$)", item):
                local[name[1]] = VECTORS[match["type"]][1]
    if not local and not arrays:
        return body
    splitter = Splitter(arrays, local)
    body = STORED.sub(splitter.store, DECLARED.sub(splitter.declare, body))
    for label in local:
        body = re.sub(rf"\b{label}\s*\.\s*([xyzw])\b", rf"{label}_\1", body)
    return body


@dataclass(frozen=True, slots=True)
class Splitter:
    """The vectors of one function, by the axes that they have."""

    arrays: Mapping[str, str]
    local: Mapping[str, str]

    def component(self, value: str, axis: str, at: int) -> str | None:
        """One component of a value; None where it is no vector that is followed."""
        value = value.strip()
        if made := MADE.match(value):
            found = split_arguments(value[made.end() :])
            return found[0][at].strip() if found and at < len(found[0]) else None
        if value in self.local:
            return f"{value}_{axis}"
        return f"{value}.{axis}" if ELEMENT.match(value) else None

    def declare(self, match: re.Match[str]) -> str:
        """``float4 v = x[i];``."""
        scalar, axes = VECTORS[match["type"]]
        out = []
        for item in split_items(match["items"]):
            name, _, value = (p.strip() for p in item.partition("="))
            parts = [self.component(value, axis, at) if value else "" for at, axis in enumerate(axes)]
            if name not in self.local or None in parts:
                return match[0]
            out += [f"{name}_{axis}" + (f" = {p}" if p else "") for axis, p in zip(axes, parts, strict=True)]
        return f"{scalar} {', '.join(out)};"

    def store(self, match: re.Match[str]) -> str:
        """``y[i] = v;``."""
        left, base = match["left"].strip(), re.match(r"\w+", match["left"].strip())
        axes = self.local.get(left) or (self.arrays.get(base[0]) if base and "[" in left else None)
        parts = [self.component(match["right"], axis, at) for at, axis in enumerate(axes or "")]
        if not axes or None in parts:
            return match[0]
        sign = "_" if left in self.local else "."
        stored = " ".join(f"{left}{sign}{a} = {p};" for a, p in zip(axes, parts, strict=True))
        opens = match["before"]
        return f"{opens}{{ {stored} }}" if opens.strip() == ")" else f"{opens}{stored}"


def split_items(text: str) -> list[str]:
    """Items between commas that stand in no brackets."""
    found = split_arguments(f"({text})")
    return found[0] if found else []
