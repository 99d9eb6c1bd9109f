"""Output of nccl-tests: sizes, times, ranks and GPUs, whatever stands around the table."""

from __future__ import annotations

from pathlib import Path

import pytest

import roofcast
from roofcast.core.errors import InputError
from roofcast.reading import read
from text_samples import NCCL_TESTS


def test_a_row_per_size_and_place(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(NCCL_TESTS)
    table = read(path)
    assert table.strings("collective").tolist() == ["all_reduce"] * 4
    assert table.column("time_s").tolist() == pytest.approx([14.02e-6, 13.88e-6, 33.5e-6, 32.1e-6])
    assert table.column("bytes_collective").tolist() == [8, 8, 1 << 20, 1 << 20]
    assert set(table.column("gpus_collective")) == {4}
    assert set(table.strings("gpu")) == {"NVIDIA A100-SXM4-40GB"}
    made = roofcast.forecast(table, "H100 SXM5 80GB").rows()
    assert all(r["time_low_s"] < r["time_s"] < r["time_high_s"] for r in made)
    # Bytes go by the links, latency by the clock: an H100 has more of both.
    assert all(0.5 < r["time_s"] / r["source_time_s"] < 0.85 for r in made)


def test_ranks_of_mpirun_and_of_several_nodes(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text(
        "".join(
            f"[1,0]<stdout>:{line}\n"
            for line in NCCL_TESTS.replace("node-a device  3", "node-b device  3").splitlines()
        )
    )
    table = read(path)
    assert len(table) == 4
    assert "2 nodes" in table.provenance[0].notes[0]


def test_the_collective_is_as_the_output_or_the_file_says(tmp_path: Path) -> None:
    plain = NCCL_TESTS.replace("sum", "none").replace("46.95", "23.48").replace("49.00", "24.50")
    for name, text, collective in (
        ("a.txt", plain, "other"),
        ("all_gather_perf.txt", plain, "all_gather"),
        ("a.txt", f"# Collective test starting: alltoall_perf\n{plain}", "all_to_all"),
        ("a.txt", NCCL_TESTS.replace("46.95", "23.48").replace("49.00", "24.50"), "reduce_scatter"),
    ):
        path = tmp_path / name
        path.write_text(text)
        assert set(read(path).strings("collective")) == {collective}


def test_a_table_without_ranks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.txt"
    path.write_text("\n".join(line for line in NCCL_TESTS.splitlines() if "Rank" not in line))
    with pytest.raises(InputError, match="ranks"):
        read(path)
