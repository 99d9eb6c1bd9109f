"""The catalog entry of a GPU, written like that of a relative."""

from __future__ import annotations

import re
from typing import Any

from roofcast_dev.checkout import Checkout, Refused

KEPT = (
    "vendor", "architecture", "chip", "segment", "sm_count", "clock_boost", "clock_base", "memory_type", "memory_size",
    "memory_bus_bits", "memory_data_rate", "memory_bandwidth", "l2", "l2_partitions", "llc", "host_link",
    "peer_link_bandwidth", "tdp", "launch_date", "limits", "rates",
)  # fmt: skip
"""Fields that the skeleton takes from the relative, to be corrected; what was measured on it stays with it."""

TEST = '''"""{name}: figures of its data sheet that the entry must reach."""

from __future__ import annotations

import pytest

from roofcast import catalog
from roofcast.core.resource import Resource


def test_the_entry_reaches_the_data_sheet() -> None:
    p = catalog.gpu("{name}")
    assert p.key == "{key}"
    # From the vendor's data sheet: replace both figures, which are those of {relative}.
    assert p.supplies[Resource.FLOPS_FP32].per_s == pytest.approx({fp32!r}, rel=0.02)
    assert p.supplies[Resource.BYTES_DRAM].peak_per_s == pytest.approx({dram!r}, rel=0.02)
'''
LEFT = """{toml}: every value is that of {relative}; correct each, and give each its source in [sources]
   (keys: src/roofcast/catalog/references.toml)
{test}: put the data sheet's figures in
check: roofcast gpus --validate {toml} && python -m pytest tests/catalog {test}"""


def write_gpu(checkout: Checkout, name: str, like: str) -> str:
    """Write the entry of a GPU and its test, with the values of a relative; what is left to do.

    name : as vendors print it: "RTX 5070 Ti". like : a GPU of the catalog, best of the same architecture.

    Raises
    ------
    Refused : the catalog has the name, or has no GPU of the relative's name.
    """
    from roofcast import catalog
    from roofcast.catalog import library
    from roofcast.catalog.writing import write_entry
    from roofcast.core.errors import RoofcastError
    from roofcast.core.resource import Resource

    try:
        relative = catalog.gpu(like)
    except RoofcastError as error:
        raise Refused(f"--like: {error}") from None
    try:
        known = catalog.gpu(name)
    except RoofcastError:
        known = None
    if known is not None:
        raise Refused(f"the catalog has {known.name}: roofcast gpus {name!r} shows it")
    entry = library.entry(relative.key)
    key = re.sub(r"[^a-z0-9]+", "-", f"{entry['vendor']} {name}".lower()).strip("-")
    values: dict[str, Any] = {"key": key, "name": name, **{k: entry[k] for k in KEPT if k in entry}}
    values["sources"] = {"default": f"unverified, low: taken from {relative.name} until checked"}
    toml, test = f"src/roofcast/catalog/gpus/{key}.toml", f"tests/catalog/test_{key.replace('-', '_')}.py"
    figures = {
        "fp32": relative.supplies[Resource.FLOPS_FP32].per_s,
        "dram": relative.supplies[Resource.BYTES_DRAM].peak_per_s,
    }
    checkout.create(toml, write_entry(values))
    checkout.create(test, TEST.format(name=name, key=key, relative=relative.name, **figures))
    return LEFT.format(toml=toml, test=test, relative=relative.name)
