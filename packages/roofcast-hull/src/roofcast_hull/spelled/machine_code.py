"""Machine code inside of CUDA (PTX) as C, as far as it moves data, multiplies matrices or computes one function."""

from __future__ import annotations

import re
from collections.abc import Sequence

MULTIPLIES = re.compile(r"(?P<kind>wgmma\.mma_async|mma)\.sync\.\S*?\.?m(?P<m>\d+)n(?P<n>\d+)k(?P<k>\d+)(?P<types>\S*)")
PRODUCT_BITS = {
    "f16": 16, "bf16": 17, "tf32": 19, "f64": 64, "s8": 8, "u8": 8, "e4m3": 9, "e5m2": 9,
}  # fmt: skip
"""How the emulator names what matrix units multiply."""
LOADS_TILES = re.compile(r"(?:ldmatrix|stmatrix)\.sync\.\S*?x(?P<count>[124])\S*")
TILE_BYTES = 128
"""B of a tile of 8 x 8 numbers of 16 bits."""
COPIES = re.compile(
    r"cp\.async\.c[ag]\.shared\.global\S*\s*\[\s*%(?P<to>\d+)\s*\],\s*\[\s*%(?P<from>\d+)\s*\],\s*(?P<size>%?\d+)"
)
MOVES = re.compile(
    r"(?P<way>ld|st)\.(?:volatile\.|relaxed\.|weak\.)*global\S*?(?:\.v(?P<wide>[24]))?\.(?P<type>[fusb]\d+)\s+(?P<operands>.*)"
)
WIDE = {4: "float", 8: "float2", 16: "float4"}
TYPES = {
    "f32": "float", "f64": "double", "u32": "unsigned int", "s32": "int", "b32": "unsigned int",
    "u64": "unsigned long long", "s64": "long long", "b64": "unsigned long long", "u16": "unsigned short",
    "s16": "short", "b16": "unsigned short", "u8": "unsigned char", "s8": "char", "b8": "unsigned char",
}  # fmt: skip
FUNCTIONS = {
    "ex2": "__exp2f", "lg2": "__log2f", "rcp": "__frcp_rn", "rsqrt": "__frsqrt_rn", "sqrt": "__fsqrt_rn",
    "sin": "__sinf", "cos": "__cosf", "tanh": "__tanhf",
}  # fmt: skip
COMPUTES = re.compile(r"(?P<name>ex2|lg2|rcp|rsqrt|sqrt|sin|cos|tanh)\.approx\S*\s+%(?P<to>\d+)\s*,\s*%(?P<of>\d+)")
FUSES = re.compile(r"(?P<name>fma|add|mul|sub)\.\S*?f(?:16x2|32|64)\s+%(?P<to>\d+)\s*,\s*(?P<of>%.*)")
SIGNS = {"add": "+", "sub": "-", "mul": "*"}
NOTHING = re.compile(
    r"(?:cp\.async\.(?:commit|wait)|fence|membar|wgmma\.(?:fence|commit|wait)|nanosleep|prefetch|discard|griddepcontrol|setmaxnreg"
    r"|\.reg|applypriority|createpolicy)"
)
BARRIER = re.compile(r"(?:bar|barrier)\.(?:sync|cta)")
SPECIAL = {"laneid": "threadIdx.x % 32", "warpid": "threadIdx.x / 32", "smid": "0", "clock": "0", "globaltimer": "0"}


def spell_machine_code(code: str, operands: Sequence[str]) -> str:
    """Instructions as statements of C.

    operands : expressions of the outputs, then of the inputs.

    >>> spell_machine_code("cp.async.cg.shared.global [%0], [%1], 16;", ["to", "&in[i]"])
    '*(float4 *)(to) = *(const float4 *)(&in[i]);'
    >>> spell_machine_code("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0}, {%1}, {%2}, {%0};", [])
    '__matrix_multiply(2048, 16);'
    """
    if "cvta.to.shared" in code and len(operands) > 1:
        return f"{operands[0]} = (unsigned int)__cvta_generic_to_shared((void *)({operands[1]}));"
    plain = re.sub(r"^\s*\{|\}\s*$", " ", code.strip())
    statements = [s.strip() for s in re.split(r"[;\n](?![^{]*\})", plain)]
    return " ".join(filter(None, (spell_instruction(s, operands) for s in statements if s)))


def spell_instruction(text: str, operands: Sequence[str]) -> str:
    """One instruction; one that is not known is a call that nobody follows."""
    text = re.sub(r"^@!?\S+\s+", "", text)
    if NOTHING.match(text):
        return ""
    if BARRIER.match(text):
        return "__syncthreads();"
    if match := MULTIPLIES.match(text):
        kinds = [k for k in match["types"].split(".") if k in PRODUCT_BITS or k in ("f32", "s32")]
        kind = next((k for k in kinds[1:] if k in PRODUCT_BITS), kinds[0] if kinds else "")
        products = int(match["m"]) * int(match["n"]) * int(match["k"]) // (4 if match["kind"] != "mma" else 1)
        if kind in PRODUCT_BITS:
            return f"__matrix_multiply({products}, {PRODUCT_BITS[kind]});"
    if match := LOADS_TILES.match(text):
        return f"__shared_traffic({TILE_BYTES * int(match['count'])});"
    if match := COPIES.match(text):
        size = match["size"]
        number = operands[int(size[1:])] if size.startswith("%") else size
        kind = WIDE.get(int(number)) if number.isdigit() else None
        if kind:
            return f"*({kind} *)({operands[int(match['to'])]}) = *(const {kind} *)({operands[int(match['from'])]});"
    return spell_plain(text, operands) or f"ptx_{re.sub(r'[^a-z0-9]+', '_', text.split()[0].lower())}();"


def spell_plain(text: str, operands: Sequence[str]) -> str:
    """Loads, stores, functions and indices of threads; empty for others."""
    if (match := MOVES.match(text)) and match["type"] in TYPES:
        places = [int(n) for n in re.findall(r"%(\d+)", match["operands"])]
        wide, kind = int(match["wide"] or 1), TYPES[match["type"]]
        if len(places) >= wide + 1:
            address = operands[places[wide if match["way"] == "ld" else 0]]
            values = places[:wide] if match["way"] == "ld" else places[1 : wide + 1]
            vector = {"float": "float", "int": "int", "unsigned int": "uint", "double": "double"}.get(kind)
            if wide > 1 and vector and match["way"] == "ld":
                held = f"*(const {vector}{wide} *)({address})"
                parts = "".join(f" {operands[v]} = ptx_held.{m};" for v, m in zip(values, "xyzw", strict=False))
                return f"{{ {vector}{wide} ptx_held = {held};{parts} }}"
            return " ".join(
                f"{operands[v]} = (({kind} *)({address}))[{n}];"
                if match["way"] == "ld" else f"(({kind} *)({address}))[{n}] = {operands[v]};"
                for n, v in enumerate(values)
            )  # fmt: skip
    if match := COMPUTES.match(text):
        return f"{operands[int(match['to'])]} = {FUNCTIONS[match['name']]}({operands[int(match['of'])]});"
    if match := FUSES.match(text):
        given = [operands[int(n)] for n in re.findall(r"%(\d+)", match["of"])]
        if match["name"] == "fma" and len(given) == 3:
            return f"{operands[int(match['to'])]} = ({given[0]}) * ({given[1]}) + ({given[2]});"
        if match["name"] in SIGNS and len(given) == 2:
            return f"{operands[int(match['to'])]} = ({given[0]}) {SIGNS[match['name']]} ({given[1]});"
    match = re.match(r"mov\.\w+\s+%(\d+)\s*,\s*%%?([a-z]+)", text)
    return f"{operands[int(match[1])]} = {SPECIAL[match[2]]};" if match and match[2] in SPECIAL else ""
