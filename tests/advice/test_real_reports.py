"""Advice on real reports, against what a reader of their counters would say (written by hand, numbers beside)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roofcast.__main__ import main

MIW = "tesla-v100-sxm2-32gb__NCAR-GPU-workshop-10-HandsOnNsight-ncu-MW"
MISTIC = "a100-pcie-40gb__bwd29-self-join-MiSTIC"
ELEUTHER = "a100-sxm4-40gb__EleutherAI-cookbook-sizing-profiles-cutlass-profile-20480"

# file -> (rule, part of the kernel's name) that must be found, and that must not be
EXPECTED: dict[str, tuple[list[tuple[str, str]], list[str]]] = {
    # 71 % of the instructions in blocks with FP64 divisions; 1.9e9 additions beside 3.4e9 multiplications
    f"{MIW}-Baseline": ([("long-latency", "x_279"), ("low-fma", "x_279")], ["divergence", "spills", "tensor-unused"]),
    # the divisions of x_309 are still there
    f"{MIW}-DivToMult": ([("long-latency", "x_309")], ["divergence", "bank-conflicts", "small-grid"]),
    # 11 to 15 of 32 lanes active; 1024 blocks are 1.19 waves
    f"{MISTIC}-profileMSDKT23.out": (
        [("divergence", "nodeByPoint5"), ("tail", "nodeByPoint5")],
        ["occupancy", "spills"],
    ),
    # 64 registers: 4 blocks of 256, 50 %; 56 % of the waiting is for data
    f"{MISTIC}-profileSUSYNODE.out": (
        [("occupancy", "nodeByPoint5"), ("tail", "nodeByPoint5")],
        ["uncoalesced", "low-fma"],
    ),
    # no stalls and no lanes counted: only the fourth kernel's grid of 317 blocks, 1.47 waves, says something
    f"{MISTIC}-prof1024": (
        [("tail", "distanceCalculations"), ("cache-blocking", "distanceCalculations")],
        ["divergence", "uncoalesced", "occupancy"],
    ),
    # blocks of 10 threads, 4 us
    "a100-pcie-40gb__extra-p-extrap-tests-data-nsight-sampled-callchains-ex-gpu.s10-ex-gpu.s10": (
        [("launch-bound", "vector_dot")],
        ["small-grid", "tail"],
    ),
    # 80 blocks on 108 SMs; that rows are aligned to 4 elements stands in the name alone
    ELEUTHER: ([("small-grid", "cutlass")], ["tensor-unused", "tensor-padding", "occupancy", "bank-conflicts"]),
    f"{ELEUTHER}-goodTile": ([("small-grid", "cutlass")], ["tensor-unused", "occupancy"]),
    # 4.3 of 4.5 GB through L1 are local
    "a40__eschnett-IndexSpaces.jl-profile": ([("spills", "frb")], ["uncoalesced", "bank-conflicts"]),
    # 84 blocks of 768 threads fill 84 SMs once; tensor cores busy
    "a40__eschnett-IndexSpaces.jl-profile.317662": (
        [],
        ["tail", "small-grid", "tensor-unused", "spills", "divergence"],
    ),
    # 94 registers: 5 blocks of 128, 31 %
    "gh200-120gb__bobschreiner-NuKEXC-profile-fastv": ([("occupancy", "cuda_parallel_launch")], ["small-grid", "tail"]),
    # one block of 64 threads, 1.6 us
    "gtx-1660-ti__josiahls-cuda-learning-mojo-profile": (
        [("launch-bound", "mathKernel1")],
        ["occupancy", "small-grid"],
    ),
    # one multiply-add per two loads: 275 GB through L1 for 17 GB from DRAM
    "h100-pcie__ScalingIntelligence-KernelBench-matmul-kernel": (
        [("no-tiling", "matmul")],
        ["uncoalesced", "occupancy", "divergence"],
    ),
    # 58 % of the waiting is at barriers
    "rtx-3070__thedavidchu-speedy-scan-profile": (
        [("barriers", "kernel")],
        ["atomics", "bank-conflicts", "divergence"],
    ),
}


def advised(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["advise", *arguments, "--format", "json"]) == 0
    data: dict[str, Any] = json.loads(capsys.readouterr().out)
    return data


@pytest.mark.parametrize("name", EXPECTED)
def test_advice_on_a_real_report(fixtures_dir: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    wanted, unwanted = EXPECTED[name]
    data = advised(capsys, str(fixtures_dir / "ncu_rep" / f"{name}.ncu-rep"))
    found = [(f["rule"], f["kernel"]) for f in data["findings"]]
    for rule, kernel in wanted:
        assert any(r == rule and kernel in k for r, k in found), (rule, found)
    assert not {r for r, _ in found} & set(unwanted)
    for finding in data["findings"]:
        assert finding["evidence"]
        assert finding["saved_s"] is None or 0 < finding["saved_s"] < finding["time_s"]


def test_the_forecast_of_a_cure_meets_the_cured_kernel(fixtures_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Replacing the divisions of x_279 took it from 6.19 to 3.48 ms.

    The bounds of what a division costs come from this pair: a check of the chain, not of its accuracy elsewhere.
    """
    data = advised(capsys, str(fixtures_dir / "ncu_rep" / f"{MIW}-Baseline.ncu-rep"), "--conditions", "profiled")
    first = data["findings"][0]
    assert (first["rule"], first["kernel"][:24]) == ("long-latency", "compute_tendencies_x_279")
    assert first["time_s"] == pytest.approx(6.19e-3, rel=2e-3)
    assert first["time_if_fixed_s"] == pytest.approx(3.48e-3, rel=0.15)


@pytest.mark.slow
def test_the_text_says_it_all(fixtures_dir: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = str(fixtures_dir / "ncu_rep" / f"{MIW}-Baseline.ncu-rep")
    assert main(["advise", file, "--on", "GeForce RTX 4090", "--top", "1"]) == 0
    text = capsys.readouterr().out
    assert "DRAM there, FP64 here" in text
    assert "1. compute_tendencies_x_279_gpu: " in text
    assert "evidence: " in text
    assert "more findings save less" in text


NEW_RULES = {"thread-reuse", "cache-blocking", "special-pipe", "tensor-padding", "unfused-elementwise"}
FIRES = {
    "cache-blocking": {f"{MISTIC}-prof1024", f"{MISTIC}-profileMSDKT23"},
    "tensor-padding": {"amd-instinct-mi300x-vf", "h100-80gb-hbm3"},
    "unfused-elementwise": {"amd-instinct-mi210", "h100-80gb-hbm3", "h200", "rtx-4090"},
}
"""Rule -> beginnings of the names of the files that it fires on; docs/advice.md says why each is right."""


@pytest.mark.slow
def test_new_rules_fire_on_what_the_page_lists_and_on_nothing_else(
    fixtures_dir: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found: dict[str, set[str]] = {}
    for file in sorted(p for p in fixtures_dir.glob("*/*") if p.is_file()):
        if main(["advise", str(file), "--format", "json"]) != 0:
            capsys.readouterr()
            continue
        data = json.loads(capsys.readouterr().out)
        for finding in [*data["findings"], *data.get("run_findings", ())]:
            assert finding["rule"] != "partial-sectors" or finding["basis"] != "bound", "no real report waits so"
            if finding["rule"] in NEW_RULES:
                found.setdefault(finding["rule"], set()).add(file.name)
    assert set(found) == set(FIRES)
    for rule, names in found.items():
        assert all(any(name.startswith(start) for start in FIRES[rule]) for name in names), (rule, names)
        assert all(any(name.startswith(start) for name in names) for start in FIRES[rule]), (rule, names)
    assert {n for n in found["unfused-elementwise"] if n.startswith("h100")} == {
        "h100-80gb-hbm3__GindaChen-tests-fixtures-healthy-1pct.sqlite"
    }
