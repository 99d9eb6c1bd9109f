"""The report's numbers to the printed digit, and every published prediction."""

from __future__ import annotations

import csv
import math
from pathlib import Path

import pytest

from roofcast.core.errors import DatasetError
from roofcast.models.registry import load_model
from roofcast_evaluate.experiments import run_report_experiment
from roofcast_evaluate.report_experiments import EXPERIMENTS, SEEDED, forecast_experiment, read_pairs, roles_of
from roofcast_evaluate.reporting import beside_table_6, tabulate_kernels


@pytest.mark.usefixtures("data_dir")
def test_printed_numbers() -> None:
    found = {name: run_report_experiment("occupancy_efficiency", name).scores[0] for name in EXPERIMENTS}
    gpu, configuration, kernel = (found[n] for n in ("new-gpu", "new-configuration", "new-kernel"))
    assert (gpu.pairs, configuration.pairs, kernel.pairs) == (135, 58, 12)
    assert [f"{100 * s.mape:.2f}" for s in (gpu, configuration, kernel)] == ["86.62", "871.52", "9.75"]
    assert f"{gpu.median_ratio:.3f}" == "1.029"
    assert f"{configuration.median_ratio:.2f}" == "1.00"
    within = [f"{100 * share:.2f}" for share in (gpu.within_10, gpu.within_25, gpu.within_50)]
    assert within == ["16.30", "30.37", "51.11"]
    within = [f"{100 * s:.2f}" for s in (configuration.within_10, configuration.within_25, configuration.within_50)]
    assert within == ["17.24", "22.41", "46.55"]


def test_new_kernel_pairs_are_all_of_one_kernel(data_dir: Path) -> None:
    model = load_model("occupancy_efficiency")
    found = forecast_experiment(data_dir / "micro16" / "original", model, "new-kernel")
    assert set(found.kernel) == {"shared_transpose"}


def test_every_published_prediction(data_dir: Path) -> None:
    pairs = read_pairs(data_dir / "micro16" / "original")
    time = pairs.forecast(load_model("occupancy_efficiency")).time_s
    keys = zip(pairs.kernels.strings("config"), pairs.kernels.strings("gpu"), pairs.target_gpu, strict=True)
    times = dict(zip(keys, zip(time, pairs.role, strict=True), strict=True))
    folder = data_dir / "micro16" / "published_predictions"
    published = read(folder / "cross_gpu_predictions.csv")
    assert len(published) == len(times) == 572
    compared = 0
    for name in ("cross_gpu_predictions", "exp1_same_config_new_gpu", "exp2_new_configs_same_gpus", "exp3a_new_kernels",
                 "exp3a_train_kernels", "exp3b_new_kernels", "exp3b_train_kernels"):  # fmt: skip
        for row in read(folder / f"{name}.csv"):
            time_s, role = times[row["config_id"], row["src_gpu"], row["tgt_gpu"]]
            assert row.get("config_role", role) == role
            if row["T_tgt_pred_ms"] in ("", "nan"):
                assert math.isnan(time_s)
                continue
            assert 1e3 * time_s == pytest.approx(float(row["T_tgt_pred_ms"]), rel=1e-9)
            compared += 1
    assert compared > 900


@pytest.mark.parametrize(
    ("experiment", "name"),
    [("new-gpu", "exp1"), ("new-configuration", "exp2"), ("new-kernel", "exp3a_new")],
)
def test_errors_by_kernel_are_the_authors_own(experiment: str, name: str, data_dir: Path) -> None:
    result = run_report_experiment("occupancy_efficiency", experiment)
    lines = tabulate_kernels([result])[3:]
    ours = {words[0]: float(words[2]) for words in (line.split() for line in lines) if words[2] != "–"}
    published = read(data_dir / "micro16" / "published_predictions" / f"{name}_kernel_metrics.csv")
    assert ours == pytest.approx({row["kernel"]: float(row["mean_%"]) for row in published}, abs=0.005)


@pytest.mark.usefixtures("data_dir")
def test_the_trees_hang_on_their_seed_and_that_is_said() -> None:
    result = run_report_experiment("occupancy_efficiency", "new-gpu")
    said = "\n".join(beside_table_6([result], "new-gpu"))
    assert "gradient_boosting 196.6 to 436.0; XGBoost, as the report names it: 50.5" in said
    for model, spans in SEEDED.items():
        assert all(low < high for low, high in spans), model


def read(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def test_roles_are_ranked_by_the_largest_working_set() -> None:
    configs = ["a|3", "a|1", "a|4", "a|2", "a|1", "b|2", "b|1", "c"]
    assert roles_of([c[0] for c in configs], configs, [30, 10, 40, 20, 5, 2, 1, 1]) == {
        "a|1": "baseline", "a|2": "train_extra", "a|3": "other", "a|4": "test_extra", "b|1": "baseline",
        "b|2": "test_extra", "c": "baseline",
    }  # fmt: skip


def test_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match="not the report's files"):
        read_pairs(tmp_path)
    for name in ("runs_2080ti_final.csv", "runs_4070_final.csv", "runs_titanv_final.csv", "runs_titanx_final.csv"):
        (tmp_path / name).write_text("kernel,mean_ms\nx,1\n")
    with pytest.raises(DatasetError, match="not the report's files"):
        read_pairs(tmp_path)
