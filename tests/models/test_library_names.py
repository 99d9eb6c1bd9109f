"""Kernels of which only names and times are known."""

from __future__ import annotations

import numpy as np
import pytest

from roofcast import catalog
from roofcast.core.columns import Origin
from roofcast.core.kernel_table import KernelTable
from roofcast.core.resource import Resource
from roofcast.forecasting.forecast import forecast
from roofcast.operators.kernel_names import Operation
from roofcast.operators.operator_rows import kind_of

SOURCE, TARGET = "A100 SXM4 80GB", "L40S"
ADD = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>>"
NAMES = {
    ADD: Operation.ELEMENTWISE,
    "ampere_bf16_s16816gemm_bf16_128x64_ldg8_f2f_stages_64x4_tn": Operation.GEMM,
    "ampere_sgemm_128x64_tn": Operation.GEMM,
    "void (anonymous namespace)::softmax_warp_forward<float, float, float, 10>(float*)": Operation.SOFTMAX,
}  # fmt: skip


def seconds(name: str, time_s: float = 1e-2, to: str = TARGET, precision: str = "") -> float:
    rows = KernelTable.from_columns(
        {"kernel": [name], "precision": [precision]}, {"time_s": ([time_s], Origin.COUNTED)}
    )
    return float(forecast(rows, to, source=SOURCE, model="mechanistic").estimate.time_s[0, 0])


def slower(resource: Resource) -> float:
    """Rate of the source over the target's."""
    return float(catalog.find(SOURCE).processor.rate(resource) / catalog.find(TARGET).processor.rate(resource))


@pytest.mark.parametrize("name", [*NAMES, "gemm/bf16", "torch/softmax"])
def test_the_source_onto_itself_is_exact(name: str) -> None:
    for time_s in (1e-6, 1e-4, 3.0):
        assert seconds(name, time_s, SOURCE) == pytest.approx(time_s, rel=1e-12)


def test_names_tell_the_bus_from_the_pipe() -> None:
    add, product, single = (seconds(name) / 1e-2 for name in list(NAMES)[:3])
    assert 1.3 < add < slower(Resource.BYTES_DRAM)
    assert 1.0 < product < add
    assert single < 0.6
    assert seconds("my_kernel") / 1e-2 not in (add, product, single)


def test_a_stated_precision_chooses_the_pipe() -> None:
    assert kind_of("torch/linear", "bf16") == (Operation.GEMM, Resource.FLOPS_TENSOR_BF16)
    assert kind_of("torch/linear", "weird") == (Operation.GEMM, None)
    assert seconds("torch/linear", precision="bf16") > 1.5 * seconds("torch/linear", precision="fp32")


def test_more_supply_is_never_slower() -> None:
    base = catalog.find(TARGET).processor
    grown = [base.replace(**{r.supply: s.per_s * 2}) for r, s in base.supplies.items() if r is not Resource.FLOPS_FP32]
    rows = KernelTable.from_columns({"kernel": list(NAMES)}, {"time_s": (np.full(len(NAMES), 1e-3), Origin.COUNTED)})
    found = forecast(rows, [base, *grown], source=SOURCE, model="mechanistic").estimate.time_s
    assert (found[:, 1:] <= found[:, :1] * (1 + 1e-12)).all()


def test_the_forecast_says_what_it_rests_on() -> None:
    rows = KernelTable.from_columns({"kernel": [ADD, "mine"]}, {"time_s": ([1e-3, 1e-3], Origin.COUNTED)})
    found = forecast(rows, TARGET, source=SOURCE, model="mechanistic").estimate.assumed
    assert any("in the kernel's name" in text for text in found[0])
    assert any("usually does, most by bandwidth" in text for text in found[1])
