"""The GPUs that the shipped example of prices knows for rent, without reading it again at every start."""

from __future__ import annotations

import json

from roofcast.catalog.generated import read_generated

RENTED = "rented.json"
"""Generated (:mod:`roofcast.catalog.generated`): the keys of :func:`list_rented`."""


def list_rented() -> list[str]:
    """Keys of the catalog."""
    keys: list[str] = json.loads(read_generated(RENTED, render_rented))
    return keys


def render_rented() -> bytes:
    """The list as the example says it now."""
    from roofcast.catalog import library
    from roofcast.catalog.prices import PUBLIC, read_prices

    prices, known = read_prices(PUBLIC), library.index()["entries"]
    return json.dumps([k for k, p in prices.by_key.items() if p.rent_usd_per_hour and k in known]).encode()
