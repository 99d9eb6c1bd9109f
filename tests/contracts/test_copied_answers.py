"""Every object that a public function returns can be copied and sent to another process, and says the same there."""

from __future__ import annotations

import concurrent.futures
import copy
import inspect
import json
import multiprocessing
import pickle
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import roofcast
from roofcast import catalog
from roofcast.kit.returned import Answer
from roofcast.torch import profiling
from timeline_samples import TIMELINE_SAMPLES

SPACE: dict[str, Any] = {"base": "H100 SXM5 80GB", "axes": {"dram": ["2TB/s", "4TB/s"]}}
CLASS = "1024x1024|element -> 256|shared"
APPLICATION = Path(__file__).parents[2] / "examples" / "fast_focus_on_structures.toml"


@cache
def kernels() -> Any:
    columns = {"kernel": ["axpy", "dot"], "gpu": ["V100"] * 2, "time_s": [1e-3, 2e-5], "bytes_dram": [6e8, 1e6]}
    return roofcast.read(columns)


def measured_at_sizes() -> Any:
    sizes = [256, 512, 1024, 2048]
    return roofcast.read({
        "kernel": ["axpy"] * 4, "gpu": ["V100"] * 4, "config": [f"N={n}" for n in sizes],
        "time_s": [1e-6 + 1e-9 * n for n in sizes], "bytes_dram": [12.0 * n for n in sizes],
    })  # fmt: skip


@cache
def trace(folder: Path) -> str:
    path = folder / "trace.json"
    path.write_bytes(TIMELINE_SAMPLES["kineto"][1])
    return str(path)


def profiled(_: Path) -> Any:
    return profiling.run_of(TIMELINE_SAMPLES["kineto"][1])


def recorded(_: Path) -> Any:
    listed = {
        "roofcast_operators": 1, "name": "one layer", "steps": 1,
        "operators": [{"name": "aten::mm", "shapes": [[64, 64]] * 2, "dtypes": ["float32"] * 2, "count": 1}],
    }  # fmt: skip
    return roofcast.torch.forecast(json.dumps(listed), to="B200")


def config(folder: Path) -> Path:
    """Of a language model."""
    path = folder / "config.json"
    path.write_text(
        '{"num_hidden_layers": 2, "hidden_size": 512, "num_attention_heads": 8, "intermediate_size": 2048, '
        '"vocab_size": 32000}'
    )
    return path


RETURNED: dict[str, Callable[[Path], Any]] = {
    "read": lambda _: kernels(),
    "forecast": lambda _: roofcast.forecast(kernels(), to="B200,L40S"),
    "app": lambda folder: roofcast.app(trace(folder), "B200", source="A100-SXM4-80GB"),
    "advise": lambda _: roofcast.advise(kernels()),
    "compare": lambda _: roofcast.compare(kernels(), kernels(), fail_above="5%"),
    "choose": lambda _: roofcast.choose(kernels(), among="H100 SXM5 80GB,L40S", prices="public"),
    "roofline": lambda _: roofcast.roofline(kernels(), "B200"),
    "scale": lambda _: roofcast.scale("8 x H200 SXM", "H100", "8,64", step_time="94ms"),
    "sweep": lambda _: roofcast.sweep(kernels(), SPACE),
    "gpus": lambda _: roofcast.gpus(search="hopper"),
    "gpus of one": lambda _: roofcast.gpus("B200"),
    "hull": lambda _: roofcast.hull(CLASS, on="B200"),
    "hull of complexities": lambda _: roofcast.hull(CLASS, on="B200", complexity="1:100", transfers=True),
    "hull of an application": lambda _: roofcast.hull(str(APPLICATION)),
    "hull that meets a latency": lambda _: roofcast.hull(CLASS, fit="1ms"),
    "llm": lambda folder: roofcast.llm(config(folder), "B200", gpus=1),
    "gpu": lambda _: roofcast.gpu("B200"),
    "gpu varied": lambda _: roofcast.gpu("B200").replace(dram="4 TB/s"),
    "at_size": lambda _: roofcast.at_size(measured_at_sizes(), "N=4096"),
    "select": lambda _: roofcast.select(CLASS, ["H100 SXM5 80GB", "B200"]),
    "read_timelines": lambda folder: roofcast.read_timelines(trace(folder)),
    "forecast_application": lambda folder: roofcast.forecast_application(
        roofcast.read_timelines(trace(folder))[0], "B200", source="A100-SXM4-80GB"
    ),
    "torch.profile": profiled,
    "torch.forecast": recorded,
    "catalog.find": lambda _: catalog.find("B200"),
    "catalog.parse_target": lambda _: catalog.parse_target("B200{dram=8.8TB/s}"),
    "catalog.processor": lambda _: catalog.processor("nvidia-b200"),
    "catalog.processors": lambda _: catalog.processors()[:3],
}


def show(value: Any) -> str:
    """All that an answer says."""
    if isinstance(value, Answer):
        return value.to_json()
    if isinstance(value, profiling.Run):
        return value.trace().read_text()
    return repr(value)


def check(value: Any, made: Any) -> None:
    assert type(made) is type(value)
    assert show(made) == show(value)
    if isinstance(value, Answer):
        assert str(made) == str(value)
        assert json.dumps(made.rows(), default=str) == json.dumps(value.rows(), default=str)


@pytest.mark.parametrize("name", RETURNED)
def test_what_is_returned_can_be_copied(name: str, tmp_path: Path) -> None:
    value = RETURNED[name](tmp_path)
    ways: tuple[Callable[[Any], Any], ...] = (copy.copy, copy.deepcopy, lambda v: pickle.loads(pickle.dumps(v)))
    for way in ways:
        check(value, way(value))
        # What was asked of it before makes no difference.
        show(value)


@pytest.mark.parametrize("name", [n for n in RETURNED if n != "torch.profile"])
def test_a_copy_is_equal_and_has_the_same_hash(name: str, tmp_path: Path) -> None:
    """A run that was recorded here is equal to itself alone: it holds the profiler's file."""
    value = RETURNED[name](tmp_path)
    for made in (copy.copy(value), copy.deepcopy(value), pickle.loads(pickle.dumps(value))):
        assert made == value
        for one, other in zip(made, value, strict=True) if isinstance(value, (list, tuple)) else ((made, value),):
            assert len({one, other}) == 1


def test_other_answers_are_not_equal() -> None:
    fields = kernels()
    faster = fields.with_columns(time_s=(0.5 * fields.column("time_s"), fields.origin_of("time_s")))
    assert fields != faster
    assert roofcast.forecast(fields, to="B200") != roofcast.forecast(fields, to="L40S")
    assert roofcast.forecast(fields, to="B200") != roofcast.forecast(faster, to="B200")
    assert roofcast.forecast(fields, to="B200") == roofcast.forecast(fields, to="B200")
    assert roofcast.advise(fields) != roofcast.forecast(fields, to="B200")
    assert roofcast.gpu("B200") != roofcast.gpu("B200").replace(dram="4 TB/s")


def answer_elsewhere(value: Any) -> tuple[Any, str]:
    """A task of another process: what it is given, and what that says there."""
    return value, show(value)


@pytest.mark.slow
def test_answers_travel_to_fresh_processes_and_back(tmp_path: Path) -> None:
    values = [make(tmp_path) for make in RETURNED.values()]
    fresh = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=fresh) as pool:
        back = list(pool.map(answer_elsewhere, values))
    for value, (made, said) in zip(values, back, strict=True):
        assert said == show(value)
        check(value, made)


def test_every_public_function_is_here() -> None:
    public = {n for n in (*dir(roofcast), *roofcast.list_kept()) if callable(getattr(roofcast, n))}
    public |= {f"torch.{n}" for n in dir(roofcast.torch)} | {f"catalog.{n}" for n in catalog.__all__}
    # Errors; what returns texts and bytes; the catalog's classes.
    plain = {"RoofcastError", "torch.record", "catalog.Match", "catalog.entry", "catalog.gpu", "catalog.keys",
             "catalog.load_own", "catalog.names", "catalog.split_targets"}  # fmt: skip
    assert public - plain <= set(RETURNED), public - plain - set(RETURNED)


FUNCTIONS = sorted(n for n in {*dir(roofcast)} - {"gpu"} if inspect.isfunction(getattr(roofcast, n)))
"""All but ``gpu``, whose keywords are changes of the processor."""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_unknown_argument_names_the_function_that_was_called(name: str) -> None:
    with pytest.raises(TypeError, match=rf"^{name}\(\) got an unexpected keyword argument 'too'"):
        getattr(roofcast, name)(kernels(), too="x")
