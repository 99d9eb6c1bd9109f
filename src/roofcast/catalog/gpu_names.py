"""Names of GPUs as drivers, profilers, vendors and people write them, taken apart into model and qualifiers.

The model must agree token by token ("RTX 4070 Ti" is no "RTX 4070", "A10G" no "A10"); qualifiers (memory size and type,
form factor, brand, generation) may be left out of a name but must not contradict. Whatever is not understood stays part
of the model, so that an unknown word makes a name unknown instead of silently another product.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import field

from roofcast.core.records import dataclass

MARKS = re.compile(r"\((?:r|tm|c)\)|[®™©]", re.IGNORECASE)
NOISE = re.compile(
    r"\b(?:corporation|corp|inc|graphics|gpu|generation|edition|design|with|accelerator|card"
    r"|one of two|gpus|per|one|gcd|tile|vf|lovelace)\b"
)
MOBILE = re.compile(r"\b(?:laptop|mobile|notebook)\b")
MAX_Q = re.compile(r"\bmax ?q\b")
SIZE = re.compile(r"(?<![a-z0-9])(\d{1,3}) ?g(?:i?b)?(?![a-z0-9])")
FORM = re.compile(r"\b(sxm ?[2-6]?|pci ?e|nvl|oam)\b")
MEMORY = re.compile(r"\b(gddr ?[3-9]x?|hbm ?[2-4]?e?|lpddr ?[4-6]x?|ddr ?[3-5])\b")
BRAND = re.compile(r"\b(geforce|tesla|quadro|instinct|radeon|firepro|data cent(?:er|re))\b")
VENDOR = re.compile(r"\b(nvidia|amd|intel)\b")
FAMILY = re.compile(r"\b(fermi|kepler|maxwell|pascal|volta|turing|ampere|ada|hopper|blackwell)\b")
ADA = re.compile(r"(?<=\d)ada\b")


@dataclass(frozen=True)
class Name:
    """A name taken apart."""

    model: str
    """What is left when qualifiers are taken out, without separators: ``rtx4070ti``, ``h100``."""
    size: frozenset[str] = field(default_factory=frozenset)
    form: frozenset[str] = field(default_factory=frozenset)
    memory: frozenset[str] = field(default_factory=frozenset)
    brand: frozenset[str] = field(default_factory=frozenset)
    family: frozenset[str] = field(default_factory=frozenset)
    vendor: frozenset[str] = field(default_factory=frozenset)

    def qualifiers(self) -> dict[str, list[str]]:
        """The non-empty qualifiers, as the index stores them."""
        return {n: sorted(v) for n in QUALIFIERS if (v := getattr(self, n))}


QUALIFIERS = ("size", "form", "memory", "brand", "family", "vendor")
PATTERNS = {"form": FORM, "memory": MEMORY, "brand": BRAND, "family": FAMILY, "vendor": VENDOR}


def parse_name(text: str) -> Name:
    """Take a name apart.

    >>> parse_name("NVIDIA A100-SXM4-80GB").model, sorted(parse_name("NVIDIA A100-SXM4-80GB").form)
    ('a100', ['sxm4'])
    >>> parse_name("NVIDIA GeForce RTX 4070 Ti").model == parse_name("rtx4070ti").model
    True
    >>> parse_name("NVIDIA GeForce RTX 2060 with Max-Q Design").model
    'rtx2060maxq'
    """
    rest = plain(text)
    qualifiers: dict[str, frozenset[str]] = {"size": frozenset(SIZE.findall(rest))}
    rest = SIZE.sub(" ", rest)
    for name, pattern in PATTERNS.items():
        qualifiers[name] = frozenset(m.replace(" ", "").replace("centre", "center") for m in pattern.findall(rest))
        rest = pattern.sub(" ", rest)
    rest = MAX_Q.sub("maxq", MOBILE.sub("laptop", NOISE.sub(" ", rest)))
    return Name("".join(rest.split()), **qualifiers)


def plain(text: str) -> str:
    """Lower case, words apart by single spaces, without trademark signs."""
    lowered = MARKS.sub(" ", text).lower()
    return " ".join(ADA.sub(" ada", re.sub(r"[^a-z0-9]+", " ", lowered)).split())


def flat(text: str) -> str:
    """A name without separators and without vendor and brand: how "a100sxm480gb" or "h100pcie" meet the catalog.

    >>> flat("NVIDIA A100-SXM4-80GB"), flat("a100sxm4 80gb")
    ('a100sxm480gb', 'a100sxm480gb')
    """
    words = MAX_Q.sub("maxq", MOBILE.sub("laptop", NOISE.sub(" ", VENDOR.sub(" ", BRAND.sub(" ", plain(text))))))
    return "".join(words.split())


def fits(asked: Name, stored: Mapping[str, Iterable[str]]) -> bool:
    """Return whether an entry's qualifiers (all of its names together) have every qualifier that was asked for."""
    for name in QUALIFIERS:
        have = set(stored.get(name, ()))
        for value in getattr(asked, name):
            if not any(same(value, h) for h in have):
                return False
    return True


def same(asked: str, have: str) -> bool:
    """Equal, or the asked one less specific: "sxm" fits "sxm4", "hbm" fits "hbm2e"."""
    return asked == have or (asked in ("sxm", "hbm", "gddr") and have.startswith(asked))
