"""Tables of operators of language models: labels, amounts and what tells one case from another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import Resource
from roofcast.forecasting.forecast import forecast
from roofcast.reading import read
from text_samples import SAMPLES


@pytest.fixture
def table(tmp_path: Path) -> KernelTable:
    path = tmp_path / "operators.csv"
    path.write_bytes(SAMPLES["llm-operators"])
    return read(path)


def test_operators_have_labels_amounts_and_one_configuration_on_both_gpus(table: KernelTable) -> None:
    assert table.strings("kernel").tolist() == [
        "gemm/bfloat16", "gemm/bfloat16", "moe/int4_wo", "attention_decode/bfloat16", "operator/gdn/causal_conv1d_fn",
    ]  # fmt: skip
    config = table.strings("config")
    assert config[0] == config[1] == "framework=vllm;m=16;n=64;k=4096"
    assert "window_size" not in config[3], "no window is a window of 0"
    flops = table.column(Resource.FLOPS_TENSOR_BF16.value)
    assert flops[0] == 2 * 16 * 64 * 4096
    assert flops[2] == 6 * 64 * 8 * 7168 * 2048 / 16
    assert np.isnan(flops[4]), "no formula: unknown, not 0"


def test_a_cache_of_one_byte_is_read_so(table: KernelTable) -> None:
    moved = table.column("bytes_compulsory")[3]
    cache, others = 2 * 16 * 32 * 128 * 1.0, 2 * 16 * 16 * 128 * 2.0
    assert moved == cache + others


def test_a_row_is_forecast_on_another_gpu(table: KernelTable) -> None:
    found = forecast(table.select([0]), "H200 SXM 141GB")
    assert 0.5 < float(found.estimate.time_s[0, 0]) / 5e-6 < 1.2
