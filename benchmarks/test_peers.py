"""Peers on measured rows: at most as accurate and fast as roofcast, in one run; absent ones say what to install."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
import peers

from roofcast.models.registry import DEFAULT_MODEL, load_model

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture


@pytest.mark.parametrize("peer", peers.PEERS, ids=lambda p: p.package)
def test_roofcast_beside_a_peer(benchmark: BenchmarkFixture, peer: peers.Peer) -> None:
    try:
        found = peers.compare(peer)
    except peers.AbsentError as error:
        pytest.skip(str(error))
    cases = peers.measured(peer)
    benchmark(cases.forecast, load_model(DEFAULT_MODEL))
    benchmark.extra_info |= {"peer_per_s": found.per_s, "own_per_s": found.own_per_s}
    assert found.own_per_s > 2 * found.per_s
    for of_peer in (found.alone, found.scaled):
        assert found.own[0] < of_peer[0]
        assert found.own[1] < of_peer[1]
