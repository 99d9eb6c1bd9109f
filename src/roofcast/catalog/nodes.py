"""Nodes: how many GPUs share links, and what the network gives each of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from roofcast.catalog import library
from roofcast.catalog.finding import find
from roofcast.catalog.toml_files import read_toml
from roofcast.core.errors import InputError, UnitError, one_line
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass
from roofcast.core.units import parse_quantity

KEYS = {"name", "gpus", "network", "slots", "source"}
LARGEST_NODE = 100_000
"""GPUs of one node; a larger number is a slip."""
TREES = {"peer": 0, "host": 1}
"""How cards in slots exchange, as users say it: as peers, or through the host's memory."""


@dataclass(frozen=True)
class Node:
    """GPUs that share links."""

    name: str
    gpus: int
    network_bytes_per_s: float
    """B/s of each GPU, per direction; NaN where nobody says."""
    source: str
    gpu: str = ""
    """Name of its GPU; '' of a user's own, which may have any."""
    slot_bytes_per_s: float = math.nan
    """B/s between its cards through their slots, per direction, as the host's tree of PCIe leaves it; NaN unknown."""
    tree: int | None = None
    """How its cards exchange, of :data:`TREES`; None unknown."""


def parse_node(content: Mapping[str, Any]) -> Node:
    """A user's own node: gpus, and as they know it network, slots, name, source.

    >>> parse_node({"gpus": 4, "network": "12.5 GB/s"}).network_bytes_per_s
    12500000000.0
    """
    if unknown := sorted(set(content) - KEYS):
        raise InputError(f"a node has {', '.join(sorted(KEYS))}, not {unknown[0]}")
    gpus = content.get("gpus")
    if not isinstance(gpus, int) or isinstance(gpus, bool) or not 1 <= gpus <= LARGEST_NODE:
        raise InputError("a node says how many GPUs share its links: gpus = 8")
    rates = {}
    tree = TREES.get(str(content.get("slots")).lower())
    for key, example in (("network", "50 GB/s"), ("slots", "20 GB/s")):
        given = content.get(key) if tree is None or key != "slots" else None
        rates[key] = math.nan if given is None else parse_quantity(given, "B/s") if isinstance(given, str) else 0.0
        if not (math.isnan(rates[key]) or 0 < rates[key] < math.inf):
            raise InputError(f"a node's {key} give bytes per second for each GPU, more than zero: {key} = '{example}'")
    name, source = str(content.get("name", "own node")), str(content.get("source", "as the file says"))
    return Node(name, gpus, rates["network"], source, slot_bytes_per_s=rates["slots"], tree=tree)


@cache
def node_named(name: str) -> Node | None:
    """The catalog's node of a name in lower case; its GPU alone is looked up."""
    stated = library.index()["nodes"].get(name)
    if stated is None:
        return None
    spelled, item = stated
    gpu, rate = find(item["gpu"]).processor.name, parse_quantity(item["network"], "B/s")
    return Node(spelled, item["gpus"], rate, item["source"], gpu)


def nodes() -> dict[str, Node]:
    """Nodes of the catalog by their name in lower case."""
    return {name: node for name in library.index()["nodes"] if (node := node_named(name)) is not None}


def find_node(text: str) -> Node | None:
    """The node of a name, or of a TOML file; None where it is neither.

    >>> find_node("gb200 nvl72").gpus, find_node("50GB/s")
    (72, None)
    """
    if text.lower().endswith(".toml"):
        return read_toml(Path(text), parse_node)
    name = text.strip().lower()
    return node_named(name) or node_named(f"standard_{name}")


def gpus_sharing_links(gpu: Processor, default: int) -> int:
    """GPUs of the largest node of the catalog that has this GPU; the default where it has none."""
    return max((n.gpus for n in nodes().values() if n.gpu == gpu.name), default=default)


def stand_in(gpu: Processor, network: str | float | None) -> Processor:
    """A GPU with what joins it to others, as users state it: a node (a name, a TOML file), or a rate.

    network : of a rate, what the way between GPUs gives each of them, per direction: the network beyond a node, and
    within one the slots of cards that have no links of their own; ``peer`` or ``host``: cards reach each other at the
    rate of their slots, or exchange through the host's memory. None: the GPU as it is.

    Raises
    ------
    InputError : a node of another GPU, or neither a node nor a rate.

    >>> from roofcast.catalog.finding import find
    >>> stand_in(find("L40S").processor, "20GB/s").bytes_per_s_slot
    20000000000.0
    """
    if network is None:
        return gpu
    if isinstance(network, str) and network.strip().lower() in TREES:
        return replace(gpu, slots_share_host=TREES[network.strip().lower()])
    node = find_node(network) if isinstance(network, str) else None
    if node is None:
        try:
            rate = parse_quantity(network, "B/s")
        except UnitError:
            rate = math.nan
        if not 0 < rate < math.inf:
            raise InputError(f"--network {one_line(str(network), 60)}: bytes per second for each GPU (50GB/s), peer or "
                             "host (how cards in slots exchange), a node (DGX H100), or a TOML file with gpus, "
                             "network, slots")  # fmt: skip
        return replace(gpu, bytes_per_s_network=rate, bytes_per_s_slot=rate)
    if node.gpu and node.gpu != gpu.name:
        raise InputError(f"{node.name} has {node.gpu}, not {gpu.name}: give --network a rate, or a node of that GPU")
    return place_in(gpu, node)


def place_in(gpu: Processor, node: Node) -> Processor:
    """A GPU in a node."""
    network_rate, slot_rate = (None if math.isnan(r) else r for r in (node.network_bytes_per_s, node.slot_bytes_per_s))
    return replace(gpu, node_gpus=node.gpus, bytes_per_s_network=network_rate, bytes_per_s_slot=slot_rate,
                   slots_share_host=node.tree)  # fmt: skip
