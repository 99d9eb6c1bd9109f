"""Numbers, operators and declarations as C spells them."""

from __future__ import annotations

import re
import struct

PACKED = "packed__"
"""How the last member of a packed structure begins, as texts mark it, before the bytes that it is packed to."""


def spell_operator(sign: str) -> str:
    """A word for the sign of an operator.

    >>> spell_operator("+="), spell_operator("()")
    ('plus_to', 'call')
    """
    words = {"+": "plus", "-": "minus", "*": "times", "/": "over", "()": "call", "[]": "at", "=": "from", "<": "less",
             ">": "greater", "==": "equal", "!=": "unequal", "!": "not", "%": "rest", "&": "and", "|": "or", "^": "xor",
             "++": "next", "--": "previous", "->": "arrow"}  # fmt: skip
    sign = sign.strip()
    if sign.endswith("=") and sign[:-1] in words and sign not in words:
        return f"{words[sign[:-1]]}_to"
    return words.get(sign, re.sub(r"\W+", "_", sign) or "sign")


def join_declarations(text: str) -> str:
    """Declarations of one type as one, as the header of a loop has them.

    >>> join_declarations("int i = 0; int k = 1")
    'int i = 0, k = 1'
    """
    parts = [re.sub("\x01\\d+\x02", "", p).strip() for p in text.split("; ")]
    kinds = [re.match(r"((?:\w+ )+)(?=\w+ =)", p) for p in parts]
    if len(parts) < 2 or any(k is None or k[1] != kinds[0][1] for k in kinds):  # type: ignore[index]
        return text
    return ", ".join([parts[0], *(p[k.end() :] for p, k in zip(parts[1:], kinds[1:], strict=True) if k is not None)])


def spell_single(value: float) -> str:
    """The shortest text of a number in single precision.

    >>> spell_single(0.009999999776482582)
    '0.01'
    """
    held = struct.pack("f", min(max(value, -3.4e38), 3.4e38))
    for digits in range(6, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("f", float(text)) == held:
            break
    return text if re.search(r"[.e]", text) else f"{text}.0"
