"""Requests of a file: the names of public traces, refusals, and what is replayed of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import roofcast
from roofcast.core.errors import InputError, RoofcastError
from roofcast.serving import traffic_file
from roofcast.serving.traffic_file import read_traffic
from serving.test_language_model import LLAMA

FORMS = {
    "own.csv": "input_tokens,output_tokens,arrival_s\n100,10,5\n300,30,7\n200,20,6\n",
    "burst.csv": "Timestamp,Model,Request tokens,Response tokens\n5,m,100,10\n6,m,200,20\n7,m,300,30\n",
    "azure.csv": "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,100,10\n"
                 "2023-11-16 18:17:04.9799600,200,20\n2023-11-16 18:17:05.9799600,300,30\n",
    "mooncake.jsonl": "".join(
        json.dumps({"timestamp": 1000 * k, "input_length": 100 * k, "output_length": 10 * k, "hash_ids": []}) + "\n"
        for k in (1, 2, 3)
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_every_form_says_the_same_requests(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FORMS[name])
    found = read_traffic(path)
    assert (found.inputs, found.outputs) == ((100, 200, 300), (10, 20, 30))
    assert found.arrival_s == pytest.approx([0.0, 1.0, 2.0])
    assert found.rate_per_s == pytest.approx(1.0)


def test_a_detailed_result_of_vllm_has_lengths_alone(tmp_path: Path) -> None:
    path = tmp_path / "bench.json"
    path.write_text(json.dumps({"input_lens": [5, 6], "output_lens": [7, 0], "mean_ttft_ms": 1.0}))
    found = read_traffic(path)
    assert (found.inputs, found.outputs, found.rate_per_s) == ((5, 6), (7, 1), None)


@pytest.mark.parametrize(("content", "said"), [
    ("", "no requests"), ("input_tokens,output_tokens\n", "no requests"), ("a,b\n1,2\n", "no lengths in a, b"),
    ("input_tokens,output_tokens\n1,many\n", "request 1 has no length: 'many'"),
    ("input_tokens,output_tokens\n1,-2\n", "request 1 has no length"),
    ("input_tokens,output_tokens,arrival_s\n1,2,soon\n", "no time of arrival: 'soon'"), ("[1, 2]", "no requests"),
    ('{"input_length": 1}', "no lengths"), ("\0\1", "no"),
])  # fmt: skip
def test_what_lists_no_requests_is_one_line(content: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "requests.txt"
    path.write_text(content)
    with pytest.raises(InputError, match=said) as caught:
        read_traffic(path)
    assert "\n" not in str(caught.value)


def test_a_file_without_end_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic_file, "MOST_BYTES", 100)
    path = tmp_path / "requests.csv"
    path.write_text("input_tokens,output_tokens\n" + "1,1\n" * 100)
    with pytest.raises(InputError, match="more than"):
        read_traffic(path)
    with pytest.raises(InputError, match="cannot be read: "):
        read_traffic(tmp_path / "nothere.csv")
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="no text in UTF-8"):
        read_traffic(path)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA))
    return tmp_path / "config.json"


def ask(model: Path, content: str, **more: Any) -> Any:
    path = model.with_name("requests.csv")
    path.write_text(content)
    return roofcast.llm(model, "H100", gpus=1, traffic=path, **more).found


def test_the_file_sets_load_and_lengths_and_is_replayed(model: Path) -> None:
    lines = [f"{100 + k},{20 + k % 5},{0.1 * k}" for k in range(50)]
    found = ask(model, "\n".join(["input_tokens,output_tokens,arrival_s", *lines]))
    assert found.traffic.rate_per_s == pytest.approx(10.0)
    assert (found.traffic.input, found.traffic.output) == pytest.approx((124.5, 22.0))
    seen = found.best.replayed
    assert len(seen.ttft_s) == 50
    assert seen.tokens == sum(20 + k % 5 for k in range(50))
    faster = ask(model, "\n".join(["input_tokens,output_tokens,arrival_s", *lines]), rate="100/s")
    assert faster.best.replayed.end_s < seen.end_s


def test_replicas_share_the_requests(model: Path) -> None:
    lines = [f"100,20,{k}" for k in range(10)]
    content = "\n".join(["input_tokens,output_tokens,arrival_s", *lines])
    path = model.with_name("requests.csv")
    path.write_text(content)
    found = roofcast.llm(model, "H100", gpus=2, tp=1, dp=2, traffic=path).found
    assert found.best.replayed is not None
    assert len(found.best.replayed.ttft_s) == 5


def test_lengths_are_stated_once(model: Path) -> None:
    with pytest.raises(RoofcastError, match="leave out --input"):
        ask(model, FORMS["own.csv"], input=5)
