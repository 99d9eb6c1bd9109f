"""Nodes of the catalog and of users."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import roofcast
from roofcast.catalog.instances import find_instance
from roofcast.catalog.nodes import find_node, gpus_sharing_links, nodes, stand_in
from roofcast.core.errors import RoofcastError


def test_every_node_has_a_known_gpu_a_network_and_a_source() -> None:
    for node in nodes().values():
        assert roofcast.gpu(node.gpu).name == node.gpu
        assert node.gpus >= 4
        assert 1e9 < node.network_bytes_per_s < 1e12
        assert len(node.source) > 20


def test_a_node_that_is_rented_has_the_gpu_that_the_instance_has() -> None:
    rented = {name: i for name in nodes() if (i := find_instance(name)) is not None}
    assert "p5.48xlarge" in rented
    for name, instance in rented.items():
        assert roofcast.gpu(instance.gpu).name == nodes()[name].gpu


def test_gpus_share_links_as_far_as_their_largest_node() -> None:
    assert gpus_sharing_links(roofcast.gpu("GB200"), 8) == find_node("GB200 NVL72").gpus  # type: ignore[union-attr]
    assert gpus_sharing_links(roofcast.gpu("MI300X"), 8) == 8
    assert find_node("ND96isr_H100_v5") is find_node("standard_nd96isr_h100_v5") is not None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("gpus = 0", "how many GPUs"),
        ("gpus = true", "how many GPUs"),
        ("network = '50 GB/s'", "how many GPUs"),
        ("gpus = 8\nnetwork = '-1 GB/s'", "more than zero"),
        ("gpus = 8\nnetwork = 5", "for each GPU"),
        ("gpus = 8\nlinks = 2", "not links"),
        ("gpus = ", "no TOML"),
    ],
)
def test_a_file_that_is_no_node_is_refused_in_one_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "node.toml"
    path.write_text(text)
    with pytest.raises(RoofcastError, match=said) as error:
        find_node(str(path))
    assert "\n" not in str(error.value)


def test_a_file_is_a_node(tmp_path: Path) -> None:
    path = tmp_path / "node.toml"
    path.write_text("name = 'lab'\ngpus = 4")
    node = find_node(str(path))
    assert node is not None
    assert (node.name, node.gpus) == ("lab", 4)
    assert math.isnan(node.network_bytes_per_s)
    with pytest.raises(RoofcastError, match="cannot read"):
        find_node(str(tmp_path / "none.toml"))


def test_machines_that_are_sold_whole_are_candidates_with_all_their_gpus() -> None:
    for name, gpus in (("DGX H100", 8), ("gb200 nvl72", 72)):
        sold = find_instance(name)
        assert sold is not None
        assert (sold.count, sold.provider) == (gpus, "")
        assert roofcast.gpu(name).name == sold.gpu
    run = roofcast.scale("DGX H200", "H200 SXM", "8,16", step_time="94ms").rows()
    assert run == roofcast.scale("8 x H200 SXM", "H200 SXM", "8,16", step_time="94ms").rows()
    # What is rented stays with its provider.
    rented = find_instance("p5.48xlarge")
    assert rented is not None
    assert rented.provider


def test_a_gpu_stands_in_what_users_state(tmp_path: Path) -> None:
    card, module = roofcast.gpu("L40S"), roofcast.gpu("H100 SXM5 80GB")
    path = tmp_path / "node.toml"
    path.write_text("gpus = 4\nnetwork = '12.5 GB/s'\nslots = '3 GB/s'")
    own = stand_in(card, str(path))
    assert (own.node_gpus, own.bytes_per_s_network, own.bytes_per_s_slot) == (4, 12.5e9, 3e9)
    whole = stand_in(module, "DGX H100")
    assert (whole.key, whole.name, whole.node_gpus, whole.bytes_per_s_network) == (module.key, module.name, 8, 50e9)
    assert stand_in(card, None) is card
    assert [stand_in(card, tree).slots_share_host for tree in ("peer", "Host")] == [0, 1]
    path.write_text("gpus = 8\nslots = 'host'")
    assert stand_in(card, str(path)).slots_share_host == 1
    assert stand_in(card, 2e10).bytes_per_s_slot == 2e10
    assert stand_in(card, 2e10) == stand_in(card, "20GB/s")
    for bad in ("DGX H100", "fast", "-3 GB/s", 0.0, math.nan):
        with pytest.raises(RoofcastError) as error:
            stand_in(card, bad)
        assert "\n" not in str(error.value)
