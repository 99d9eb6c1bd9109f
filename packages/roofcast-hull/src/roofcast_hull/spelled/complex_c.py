"""Complex numbers of C as those of C++, which libclang writes as the real numbers that they are."""

from __future__ import annotations

import re

COMPLEX = re.compile(
    r"\b(?:(?P<first>float|double)\s+(?:_Complex|complex)|(?:_Complex|complex)\s+(?P<second>float|double))\b"
)
FUNCTIONS = re.compile(r"\b(?:c(?P<name>real|imag|abs|arg|exp)|(?P<conj>conj))[fl]?\s*(?=\()")
"""Functions of complex numbers that have the same name in C++, but for a letter."""
MADE = re.compile(r"\bCMPLX(?P<single>F?)\s*(?=\()")
UNIT = re.compile(r"\b(?:I|_Complex_I)\b")
NAMED = re.compile(r"\b(?:int|long|size_t|unsigned|float|double)\s+I\b|#\s*define\s+I\b")
HEAP = re.compile(
    r"(?P<kind>\b[A-Za-z_][\w:<> ]*?)\s*\*\s*(?P<name>\w+)\s*=\s*(?=(?:malloc|calloc|aligned_alloc)\s*\()"
)
"""An address of new memory, which C++ wants cast."""


def spell_complex(text: str) -> str:
    """A file with complex numbers of C as C++; every other file as it is."""
    if COMPLEX.search(text) is None or "std::" in text:
        return text
    single = not re.search(r"\bdouble\b", text)
    text = re.sub(r"#\s*include\s*<complex\.h>", "#include <complex>", text)
    text = COMPLEX.sub(lambda m: f"std::complex<{m['first'] or m['second']}>", text)
    text = FUNCTIONS.sub(lambda m: f"std::{m['name'] or m['conj']}", text)
    text = MADE.sub(lambda m: f"std::complex<{'float' if m['single'] else 'double'}>", text)
    if NAMED.search(text) is None:
        text = UNIT.sub(f"std::complex<{'float' if single else 'double'}>(0, 1)", text)
    text = re.sub(r"\brestrict\b", "__restrict__", text)
    return HEAP.sub(lambda m: f"{m['kind']} *{m['name']} = ({m['kind'].replace('const ', '')} *)", text)
