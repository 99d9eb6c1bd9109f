"""Another size on another GPU, from kernels whose amounts and times follow known laws."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

import model_builders as builders
import roofcast
from roofcast.commands.asked import make_command
from roofcast.core.columns import Origin
from roofcast.core.errors import InputError, RoofcastError
from roofcast.core.kernel_table import KernelTable
from roofcast.forecasting.problem_size import UNCERTAINTY, at_size

command = make_command("forecast")

A100, H100 = "A100-SXM4-40GB", "H100 SXM5 80GB"
SIZES = (1024, 2048, 4096, 6144)


def product(n: float, scale: float = 1.0) -> dict[str, float]:
    """A compute-bound kernel at 60 % of an A100's FP32 rate."""
    return {"time_s": scale * 2 * n**3 / 11.5e12, "flops_fp32": 2 * n**3, "bytes_dram": 12 * n**2 * (1 + n / 2048),
            "bytes_compulsory": 12 * n**2, "grid_blocks": (n / 32) ** 2, "block_threads": 256.0,
            "regs_per_thread": 64.0, "l2_hit_fraction": 0.8}  # fmt: skip


def measured(*sizes: float, gpu: str = A100, scale: float = 1.0) -> KernelTable:
    text = {"kernel": ["mm"] * len(sizes), "gpu": [gpu] * len(sizes),
            "config": [f"N={n:.0f};grid={(n / 32) ** 2:.0f};tile=32" for n in sizes]}  # fmt: skip
    return builders.table([product(n, scale) for n in sizes], text)


def test_amounts_are_those_of_the_law_and_the_time_follows() -> None:
    sized = at_size(measured(*SIZES), {"N": 12288})
    truth = product(12288)
    assert len(sized) == 1
    for name in ("flops_fp32", "bytes_compulsory", "bytes_dram", "grid_blocks", "regs_per_thread"):
        assert sized.column(name)[0] == pytest.approx(truth[name], rel=1e-6), name
    assert sized.column("time_s")[0] == pytest.approx(truth["time_s"], rel=0.05)
    assert sized.strings("config")[0] == "N=12288;tile=32"
    assert sized.origin_of("flops_fp32")[0] == sized.origin_of("time_s")[0] == Origin.DERIVED
    assert any("beyond" in flag for flag in sized.flags[0])


def test_a_measured_size_comes_back_and_one_between_is_no_extrapolation() -> None:
    back = at_size(measured(*SIZES), "N=4096")
    assert back.column("time_s")[0] == pytest.approx(product(4096)["time_s"], rel=1e-6)
    assert not any("beyond" in flag for flag in at_size(measured(*SIZES), "N=3000").flags[0])


def test_the_forecast_is_that_of_the_size_itself() -> None:
    there = roofcast.forecast(measured(*SIZES), H100, size={"N": 5000})
    known = roofcast.forecast(measured(5000), H100)
    assert there.estimate.time_s[0, 0] == pytest.approx(known.estimate.time_s[0, 0], rel=0.05)
    width = there.estimate.time_high_s / there.estimate.time_s
    assert width[0, 0] > (known.estimate.time_high_s / known.estimate.time_s)[0, 0]
    assert "amounts fitted over 4 sizes" in " ".join(there.notes(0, 0))


def test_further_away_is_less_certain() -> None:
    noise = measured(*SIZES)
    time = noise.column("time_s") * np.array([1.1, 0.9, 1.05, 0.95])
    noise = noise.with_columns(time_s=(time, Origin.COUNTED))
    doubts = [at_size(noise, {"N": n}).extra[UNCERTAINTY][0] for n in (5000, 12288, 49152)]
    assert doubts[0] <= doubts[1] <= doubts[2]


def test_a_larger_problem_takes_no_less_time() -> None:
    kernels = measured(*SIZES)
    time = kernels.column("time_s").copy()
    time[2] = time[1] * 1.01
    bent = kernels.with_columns(time_s=(time, Origin.COUNTED))
    for n in (2500, 3000, 3900):
        assert time[1] <= at_size(bent, {"N": n}).column("time_s")[0] <= time[2]


def test_rows_may_stand_in_any_order() -> None:
    kernels = measured(*SIZES)
    straight = at_size(kernels, {"N": 9000})
    mixed = at_size(kernels.select([2, 0, 3, 1]), {"N": 9000})
    for name in straight.numeric:
        if name != "launch":
            np.testing.assert_allclose(mixed.column(name), straight.column(name), rtol=1e-9)


def test_several_gpus_are_used_together_at_the_new_size() -> None:
    from roofcast.core.kernel_table import concatenate

    both = concatenate([measured(*SIZES), measured(*SIZES, gpu="Tesla V100-SXM2-16GB", scale=1.3)])
    found = roofcast.forecast(both, H100, size="N=8192")
    assert len(found.kernels) == 2
    assert found.estimate.time_s[0, 0] == found.estimate.time_s[1, 0]
    assert "together" in " ".join(found.notes(0, 0))


def test_too_few_sizes_are_refused_with_how_many_are_needed() -> None:
    with pytest.raises(InputError, match="at least 2 are needed"):
        at_size(measured(1024), {"N": 4096})
    with pytest.raises(InputError, match=r"no kernel states a size 'M'.*name N"):
        at_size(measured(*SIZES), {"M": 4096})
    with pytest.raises(RoofcastError, match="NAME=NUMBER"):
        at_size(measured(*SIZES), {"N": float("nan")})


def test_kernels_that_lack_sizes_are_listed_with_the_reason() -> None:
    from roofcast.core.kernel_table import concatenate

    lone = builders.table([product(64)], {"kernel": ["other"], "gpu": [A100], "config": ["N=64"]})
    found = roofcast.forecast(concatenate([lone, measured(*SIZES)]), H100, size="N=8192")
    records = list(found.records())
    assert [r["kernel"] for r in records] == ["other", "mm"]
    assert records[0]["time_s"] is None
    assert "at least 2 are needed" in " ".join(records[0]["notes"])
    assert records[1]["time_s"] > 0


def test_times_alone_have_their_own_law() -> None:
    bare = measured(*SIZES)
    bare = KernelTable({"time_s": bare.column("time_s")}, {"time_s": bare.origin_of("time_s")}, bare.text)
    sized = at_size(bare, {"N": 12288})
    assert sized.column("time_s")[0] == pytest.approx(product(12288)["time_s"], rel=1e-6)


def test_the_command_forecasts_a_size(tmp_path: object) -> None:
    from pathlib import Path

    rows = ["kernel,config,gpu,time_s,flops_fp32,bytes_dram"]
    rows += [f"mm,N={n},{A100},{2 * n**3 / 11.5e12},{2 * n**3},{12 * n**2}" for n in SIZES]
    file = Path(str(tmp_path)) / "sizes.csv"
    file.write_text("\n".join(rows) + "\n", encoding="utf-8")
    done = CliRunner().invoke(command, [str(file), "--to", H100, "--size", "N=8192", "--format", "csv"])
    assert done.exit_code == 0, done.output
    assert len(done.output.strip().splitlines()) == 2
    assert callable(roofcast.at_size)
