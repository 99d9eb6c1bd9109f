"""A step under plans: what is cut, what is exchanged, what fits, and which plan is best."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import roofcast
from roofcast.core.errors import RoofcastError
from roofcast.kit.page import render_page
from roofcast.scaling.long_training import parse_failures, slowest_of, useful_share
from roofcast.scaling.plans import (
    Plan,
    Replica,
    check_plan,
    choose_plan,
    list_plans,
    make_place,
    memory_of_plan,
    parse_plan,
    scale_plan,
    scale_plans,
)
from roofcast.scaling.show import scaling_page
from roofcast.scaling.training_model import TrainingModel, read_training_model
from timeline_samples import event

H100 = roofcast.gpu("H100 SXM5 80GB")
MODEL = TrainingModel(16e9, 16e9, 32e9, 20e9, layers=32, sequences=8, heads=32, hidden_bytes=3e7)
EXPERTS = replace(MODEL, experts=12e9, expert_layers=32, routed_bytes=6e7)
REPLICA = Replica((0.4, 0.35, 0.5), model=MODEL, batch=8.0)
PLACE = make_place(H100, 8, 50e9)
PLANS = st.sampled_from(list(list_plans(64, 8, EXPERTS)))


@given(PLANS)
def test_a_plan_is_what_it_prints_and_its_interval_holds_its_step(plan: Plan) -> None:
    assert parse_plan(str(plan), 64) == plan
    assert plan.gpus == 64
    scaled = scale_plan(plan, replace(REPLICA, model=EXPERTS), PLACE, keep_batch=False)
    assert scaled.step_low_s <= scaled.step_s <= scaled.step_high_s
    assert scaled.exposed_s <= scaled.communication_s * (1 + 1e-12)
    assert 0 < scaled.efficiency * 0.4 <= 1 + 1e-12
    assert scaled.memory is not None
    assert scaled.memory_bytes > sum(scaled.memory)


@given(PLANS)
def test_recomputation_holds_less_and_takes_longer(plan: Plan) -> None:
    plain, again = (replace(plan, recompute=r) for r in (False, True))
    made = [scale_plan(p, replace(REPLICA, model=EXPERTS), PLACE, keep_batch=False) for p in (plain, again)]
    assert made[1].memory_bytes < made[0].memory_bytes
    assert made[1].step_s > made[0].step_s


def test_what_is_cut_sums_to_the_model() -> None:
    for plan in (Plan(tp=8), Plan(pp=4), Plan(tp=4, pp=2)):
        memory = memory_of_plan(plan, MODEL, 1.0, 1)
        assert memory.weights * plan.gpus == pytest.approx(MODEL.weights)
        assert memory.optimizer * plan.gpus == pytest.approx(MODEL.optimizer)
    whole, sharded = (memory_of_plan(Plan(64, s), MODEL, 1.0, 1) for s in (False, True))
    assert whole.optimizer == MODEL.optimizer == pytest.approx(64 * sharded.optimizer)
    # Two layers of 32 are whole at a time.
    assert sharded.weights == pytest.approx(MODEL.weights * (1 / 64 + 2 / 32 * 63 / 64))
    spread = memory_of_plan(Plan(8, ep=8), EXPERTS, 1.0, 1)
    assert spread.weights == pytest.approx(4e9 + 12e9 / 8)
    # A pipeline of four holds four of sixteen micro-batches.
    assert memory_of_plan(Plan(pp=4), MODEL, 1.0, 16).activations == pytest.approx(MODEL.activations / 16)


def test_a_pipeline_waits_for_its_first_batch() -> None:
    few, many = (
        scale_plan(Plan(pp=4), replace(REPLICA, batch=math.nan), PLACE, keep_batch=False, batches=m) for m in (4, 400)
    )
    assert few.step_s / many.step_s == pytest.approx((1 + 3 / 4) / (1 + 3 / 400), rel=0.01)


def test_one_gpu_is_the_step_itself() -> None:
    one = scale_plan(Plan(), REPLICA, PLACE, keep_batch=False)
    assert (one.step_s, one.step_low_s, one.step_high_s) == (0.4, 0.35, 0.5)
    assert one.communication_s == 0


def test_what_replicas_exchange_is_hidden_as_far_as_compute_lasts() -> None:
    slow = make_place(H100, 8, 1e9)
    dp, fsdp = (scale_plan(Plan(64, s), REPLICA, slow, keep_batch=False) for s in (False, True))
    assert dp.communication_s * 1.5 == pytest.approx(fsdp.communication_s)
    assert dp.step_s == pytest.approx(0.4 + dp.communication_s - 0.4 * 2 / 3)
    assert fsdp.step_s == pytest.approx(fsdp.communication_s)
    # Even the best case cannot hide a network that is too slow.
    assert dp.step_low_s > REPLICA.device[1]


def test_the_best_plan_fits_and_says_why() -> None:
    large = replace(REPLICA, model=replace(MODEL, optimizer=64e9))
    plans = [scale_plan(p, large, PLACE, keep_batch=False) for p in list_plans(64, 8, large.model)]
    best = choose_plan(plans)
    assert best.fits
    assert best.efficiency == max(p.efficiency for p in plans if p.fits)
    assert not scale_plan(Plan(64), large, PLACE, keep_batch=False).fits
    assert "needs" in best.notes[0]
    none = choose_plan([scale_plan(Plan(64), large, PLACE, keep_batch=False)])
    assert none.fits is False
    assert "no plan" in none.notes[0]


def test_a_plan_that_does_not_fit_recomputes_where_that_helps() -> None:
    tall = replace(REPLICA, model=replace(MODEL, activations=80e9))
    (found,) = scale_plans("fsdp 8", tall, PLACE, [None])
    assert found.fits
    assert found.plan == "fsdp 8 recompute"
    assert "without recomputation" in found.notes[0]


def test_a_batch_that_stays_is_divided_among_replicas() -> None:
    (found,) = scale_plans("dp 8", REPLICA, PLACE, [None], keep_batch=True)
    assert found.samples == pytest.approx(8)
    assert 0.4 / 8 < found.step_s < 0.4
    with pytest.raises(RoofcastError, match="--global-batch"):
        scale_plans("dp 8", replace(REPLICA, batch=math.nan), PLACE, [None], keep_batch=True)


@pytest.mark.parametrize("text", ["", "dp", "tp eight", "dp 8 fsdp 8", "dp 0", "dp 8 dp 8", "zero 3", "dp 8 x"])
def test_what_is_no_plan_is_refused(text: str) -> None:
    with pytest.raises(RoofcastError, match="--plan"):
        parse_plan(text)


@pytest.mark.parametrize(
    ("plan", "model", "said"),
    [
        (Plan(tp=8), TrainingModel(1e9, 1e9), "record"),
        (Plan(tp=3), MODEL, "heads"),
        (Plan(pp=64), MODEL, "layers"),
        (Plan(8, ep=8), MODEL, "experts"),
    ],
)
def test_what_a_model_does_not_allow_is_refused(plan: Plan, model: TrainingModel, said: str) -> None:
    with pytest.raises(RoofcastError, match=said):
        check_plan(plan, model)


def test_counts_and_plan_must_agree() -> None:
    assert parse_plan("tp 8", 64) == Plan(8, tp=8)
    with pytest.raises(RoofcastError, match="takes 64 GPUs"):
        parse_plan("tp 8 dp 8", 128)


def test_ten_thousand_gpus_under_every_plan_take_less_than_ten_processor_seconds() -> None:
    begun = time.process_time()
    plans = list(list_plans(8192, 8, EXPERTS))
    assert len(plans) > 100
    for plan in plans:
        scale_plan(plan, replace(REPLICA, model=EXPERTS), PLACE, keep_batch=False)
    assert time.process_time() - begun < 10


def load_record() -> dict[str, Any]:
    path = Path(__file__).parents[1] / "unmeasured" / "transformer_training.json"
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return record | {"memory": {"parameters": 1e9, "gradients": 1e9, "optimizer": 2e9, "activations": 4e9}}


def test_a_record_says_what_plans_cut() -> None:
    model = read_training_model(load_record())
    # Two layers, 16 sequences of 256 tokens, eight heads of 64 in BF16.
    assert (model.layers, model.sequences, model.heads) == (2, 16, 8)
    assert model.hidden_bytes == 16 * 256 * 512 * 2
    with pytest.raises(RoofcastError, match="train=True"):
        read_training_model(load_record() | {"memory": None})
    with pytest.raises(RoofcastError, match="damaged"):
        read_training_model(load_record() | {"memory": {"parameters": -1}})


def test_a_model_that_never_ran_is_scaled_by_its_record(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(load_record()))
    found = roofcast.scale(str(path), "H100 SXM5 80GB,B200", "1,8,64", plan="auto", network="50GB/s").rows()
    assert [(r["gpus"], r["fits"]) for r in found] == [(n, True) for n in (1, 8, 64)] * 2
    alone = roofcast.torch.forecast(load_record(), to="H100 SXM5 80GB").total
    assert found[0]["step_s"] == pytest.approx(alone.time_s)
    assert found[0]["plan"] == "dp 1"
    assert found[0]["samples_per_s"] == pytest.approx(16 / alone.time_s)
    stated = roofcast.scale(load_record(), "H100 SXM5 80GB", plan="tp 2 dp 4").rows()[0]
    assert (stated["gpus"], stated["plan"]) == (8, "tp 2 dp 4")
    assert stated["memory"]["weights_bytes"] == 0.5e9
    with pytest.raises(RoofcastError, match="--network"):
        roofcast.scale(load_record(), "H100 SXM5 80GB", 64, plan="dp 64")


def test_a_step_of_one_gpu_takes_data_parallel_plans() -> None:
    told: dict[str, Any] = {"step_time": "94ms", "gradients": "14GB", "network": "50GB/s"}
    plain = roofcast.scale("H100 SXM", "H100 SXM", 64, **told).rows()[0]
    planned = roofcast.scale("H100 SXM", "H100 SXM", 64, plan="dp 64", **told).rows()[0]
    assert planned["communication_s"] == pytest.approx(plain["communication_s"])
    assert planned["step_s"] == pytest.approx(plain["step_s"])
    assert planned["fits"] is None
    with pytest.raises(RoofcastError, match="record"):
        roofcast.scale("H100 SXM", "H100 SXM", 64, plan="tp 8", **told)
    with pytest.raises(RoofcastError, match="leave"):
        roofcast.scale("8 x H100 SXM", "H100 SXM", 64, plan="dp 64", step_time="94ms")


def test_long_trainings_lose_to_stragglers_and_failures() -> None:
    told: dict[str, Any] = {"step_time": "94ms", "global_batch": 768}
    plain = roofcast.scale("8 x H200 SXM", "H200", "8,1024", samples=1e9, prices="public", **told).rows()
    worse = roofcast.scale(
        "8 x H200 SXM", "H200", "8,1024", samples=1e9, straggler="2%", failures="50000h", **told
    ).rows()
    assert plain[1]["hours"] == pytest.approx(1e9 / plain[1]["samples_per_s"] / 3600)
    assert plain[1]["cost_usd"] > 0
    assert worse[1]["cost_usd"] is None
    assert worse[1]["step_s"] == pytest.approx(plain[1]["step_s"] * slowest_of(1024, 0.02))
    assert worse[1]["useful_fraction"] == pytest.approx(useful_share(1024, parse_failures("50000h")))
    assert worse[1]["hours"] > plain[1]["hours"] * worse[1]["step_s"] / plain[1]["step_s"]
    assert worse[1]["efficiency"] < plain[1]["efficiency"]


@pytest.mark.parametrize(
    "how", [{"failures": "often"}, {"straggler": "-1%"}, {"samples": -1.0}, {"prices": "public"}, {"samples": 1e9}]
)
def test_what_makes_no_sense_of_long_trainings_is_refused(how: dict[str, Any]) -> None:
    with pytest.raises(RoofcastError) as error:
        roofcast.scale("8 x H200 SXM", "H200", "8", step_time="94ms", **how)
    assert "--" in str(error.value)


@given(PLANS)
def test_the_timeline_of_a_step_ends_with_it(plan: Plan) -> None:
    scaled = scale_plan(plan, replace(REPLICA, model=EXPERTS), PLACE, keep_batch=False)
    assert max(piece.start_s + piece.time_s for piece in scaled.timeline) == pytest.approx(scaled.step_s)
    assert min(piece.start_s for piece in scaled.timeline) >= -1e-12
    alone = sum(piece.time_s for piece in scaled.timeline if piece.lane == "device")
    assert alone <= scaled.step_s * (1 + 1e-9)


def ask_several(**more: Any) -> list[dict[str, Any]]:
    asked = {"plan": "dp 64", "step_time": "94ms", "gradients": "14GB", "network": "50GB/s"} | more
    found: dict[str, Any] = json.loads(roofcast.scale("8 x H100 SXM", "H100 SXM", **asked).to_json())
    return list(found["scales"])


def test_a_run_of_several_gpus_is_spread_anew_where_its_own_plan_is_said() -> None:
    with pytest.raises(RoofcastError, match='--ran "dp 8"'):
        ask_several()
    for bad in ("tp 8", "pp 2 dp 4", "dp 16", "quickly"):
        with pytest.raises(RoofcastError):
            ask_several(ran=bad)
    (itself,) = ask_several(ran="dp 8", plan="dp 8")
    assert itself["step_s"] == itself["step_low_s"] == itself["step_high_s"] == pytest.approx(0.094)
    # What hides behind the backward pass shows beyond the node, and half of it with twice the network.
    (slow,), (quick,) = ask_several(ran="dp 8"), ask_several(ran="dp 8", network="100GB/s")
    assert slow["step_s"] > quick["step_s"] > 0.094
    # A step that was mostly exchange computes for less.
    (heavy,) = ask_several(ran="dp 8", gradients="20GB", plan="dp 1")
    assert heavy["step_s"] < 0.094
    with pytest.raises(RoofcastError, match="longer than the whole step"):
        ask_several(ran="dp 8", gradients="40GB")
    (back,) = ask_several(ran="dp 8", gradients="20GB", plan="dp 8")
    assert back["step_s"] == pytest.approx(0.094)
    assert {piece["what"] for piece in back["timeline"]} == {"forward pass", "backward pass", "exchange"}


def write_ranks(folder: Path, *, hidden: bool = False) -> Path:
    """Two ranks that compute for 3 ms and add up for 1 ms, after it or beside it."""
    what: dict[str, Any] = {"Collective name": "allreduce", "dtype": "Float", "Group size": 2, "In msg nelems": 1 << 26,
            "Process Group Name": "1", "Process Group Ranks": "[0, 1]", "Seq": 5}  # fmt: skip
    start, stream = (0.0, 2) if hidden else (3000.0, 1)
    for rank in range(2):
        events = [
            event("kernel", "work", 0.0, 3000.0, device=0, stream=1, correlation=1),
            event("kernel", "ncclDevKernel_AllReduce()", start, 1000.0, device=0, stream=stream, correlation=2, **what),
        ]
        document = {"traceEvents": events, "distributedInfo": {"rank": rank}}
        (folder / f"rank{rank}.json").write_text(json.dumps(document))
    return folder


def test_the_ranks_of_a_trace_say_what_they_add_up_and_compute(tmp_path: Path) -> None:
    write_ranks(tmp_path)
    found = roofcast.scale(tmp_path, "H100 SXM5 80GB", source="A100-SXM4-80GB", plan="fsdp 8", ran="dp 2")
    run = found.found.run
    assert run.summed_bytes == (1 << 26) * 4
    assert 0 < run.regrouped_s[1] < run.step_s
    written = json.loads(found.to_json())
    (eight,) = written["scales"]
    assert eight["memory"] is None
    assert eight["step_s"] >= run.regrouped_s[1]
    assert "without its collectives" in written["conditions"]["notes"][0]


def test_the_page_draws_the_curve_and_one_step() -> None:
    answer = roofcast.scale("8 x H100 SXM", "H100 SXM", step_time="94ms", ran="dp 8", plan="dp 64", gradients="14GB",
                          network="50GB/s")  # fmt: skip
    page = render_page(scaling_page(answer.found))
    assert page.count("<svg") >= 2
    assert "One step" in page


@pytest.mark.parametrize("hidden", [False, True])
def test_a_trace_is_played_again_with_its_collectives_among_more_gpus(tmp_path: Path, hidden: bool) -> None:
    a100 = "A100 SXM4 80GB"
    folder = write_ranks(tmp_path, hidden=hidden)
    found = roofcast.scale(folder, a100, "2,4,8,16,64", source=a100, network="5GB/s").found
    itself, four, eight, far, farther = found.scales
    assert itself.step_s == pytest.approx(found.run.step_s)
    assert "played again" in found.notes[0]
    if hidden:
        # Beside compute of 3 ms nothing of it shows within the node.
        assert four.step_s == pytest.approx(eight.step_s) == pytest.approx(itself.step_s)
    else:
        assert itself.step_s < four.step_s < eight.step_s
    assert eight.step_s < far.step_s < farther.step_s
    assert far.exposed_s > 0
    for s in found.scales:
        assert s.step_low_s <= s.step_s <= s.step_high_s
    # Without a network nobody knows beyond the node: the law of counts is left.
    silent = roofcast.scale(folder, a100, "2,16", source=a100).found.scales
    assert math.isnan(silent[1].exposed_s)
    quicker = roofcast.scale(folder, a100, "16", source=a100, network="100GB/s").found.scales[0]
    assert quicker.step_s < far.step_s
