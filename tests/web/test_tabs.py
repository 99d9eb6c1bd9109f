"""The page shows what the command line knows of the same file: every view's JSON is the command's."""

from __future__ import annotations

import asyncio
import io
import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conftest_web import Page, table_of
from roofcast.asks import find_ask
from roofcast.commands.group import cli
from roofcast.commands.serve import take_profile
from roofcast.web.choices import read_request
from roofcast.web.fields import FIELDS, START
from roofcast.web.guard import Limits
from roofcast.web.keeping import Kept, Profile
from roofcast.web.tabs import TABS, Shelved, View, clean_line, plan_view, run_command, shelve

TARGETS = ["H100 SXM5 80GB", "B200{dram=9TB/s}"]
PROFILE, TRACE = "ncu_rep/*MSDKT23*", "kineto/h100*bert-small*"


def find(fixtures_dir: Path, pattern: str) -> Path:
    found = sorted(fixtures_dir.glob(pattern))
    if not found:
        pytest.skip(f"{pattern} is not here")
    return found[0]


def drop(page: Page, path: Path) -> str:
    status, answer = page.upload(path.read_bytes(), path.name)
    assert status == 200, answer
    return str(answer["id"])


def typed(command: str, folder: Path) -> Any:
    """What the command that the page names prints as JSON."""
    words = shlex.split(command)[1:]
    words = [str(folder / w) if (folder / w).is_file() else w for w in words]
    done = CliRunner().invoke(cli, [*words, "--format", "json"], catch_exceptions=False)
    return json.loads(done.stdout)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tab", "pattern", "more"),
    [
        ("run", TRACE, {}), ("run", TRACE, {"step": True, "host_speed": "1.5x"}), ("kernels", PROFILE, {}),
        ("kernels", TRACE, {"coverage": 0.8, "clock": "base"}), ("gpus", PROFILE, {"prices": True, "among": True}),
        ("gpus", PROFILE, {"deadline": 2.0, "memory": 40e9, "among": True}),
        ("gpus", PROFILE, {"jobs_per_day": 1e9, "years": 4, "prices": True, "among": True}),
        ("advice", PROFILE, {"on": "B200"}), ("advice", TRACE, {}), ("file", PROFILE, {}),
        ("file", TRACE, {"kernel": "reduce"}),
    ],
)  # fmt: skip
def test_the_pages_json_is_the_commands(
    page: Page, fixtures_dir: Path, tab: str, pattern: str, more: dict[str, Any]
) -> None:
    path = find(fixtures_dir, pattern)
    asked = {"profiles": [drop(page, path)], "targets": TARGETS, **more}
    status, view = page.ask("POST", f"/api/tab/{tab}", asked)
    assert status == 200, view
    assert view["command"].startswith(f"roofcast {TABS[tab].command} ")
    status, shown = page.ask("GET", f"/download/{view['result']}.json")
    assert status == 200, shown
    assert shown == typed(view["command"], path.parent)
    assert printed(view["command"], path.parent).startswith(view["lead"]["verdict"])
    assert view["lead"]["sure"]
    status, content = page.ask("GET", f"/view/{view['result']}")
    assert status == 200
    assert content.startswith(b"<!doctype html>")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_the_kernels_view_and_its_report_agree(page: Page, fixtures_dir: Path) -> None:
    """The report that moves with the sliders is made in the server, the command in a process of its own."""
    path = find(fixtures_dir, PROFILE)
    asked = {"profiles": [drop(page, path)], "targets": TARGETS}
    _, fast = page.ask("POST", "/api/forecast", asked)
    _, slow = page.ask("POST", "/api/tab/kernels", asked)
    _, here = page.ask("GET", f"/download/{fast['result']}.json")
    _, there = page.ask("GET", f"/download/{slow['result']}.json")
    assert here == there
    assert fast["verdict"].startswith("4 launches of 1 kernel measured on A100 PCIe 40GB take ")


def printed(command: str, folder: Path) -> str:
    """What the command that the page names prints, on one line."""
    words = [str(folder / w) if (folder / w).is_file() else w for w in shlex.split(command)[1:]]
    return " ".join(CliRunner().invoke(cli, words, catch_exceptions=False).stdout.split())


CONFIG = {
    "model_type": "llama", "num_hidden_layers": 32, "hidden_size": 4096, "num_attention_heads": 32,
    "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "more", [{}, {"input": "2048", "rate": "5/s", "ttft": "900ms", "weights": "fp8", "gpus": "2", "prices": True}]
)
def test_a_dropped_config_is_served_as_on_the_command_line(page: Page, tmp_path: Path, more: dict[str, Any]) -> None:
    path = tmp_path / "llama" / "config.json"
    path.parent.mkdir()
    path.write_text(json.dumps(CONFIG))
    status, dropped = page.upload(path.read_bytes(), path.name)
    assert (status, dropped["kind"], dropped["kernels"]) == (200, "model", 0)
    status, view = page.ask("POST", "/api/tab/serving", {"profiles": [dropped["id"]], "targets": ["B200"], **more})
    assert status == 200, view
    assert view["command"].startswith("roofcast llm config.json --to B200")
    assert printed(view["command"], path.parent).startswith(view["lead"]["verdict"])
    assert view["lead"]["why"].startswith("A token's time")
    _, shown = page.ask("GET", f"/download/{view['result']}.json")
    assert shown == typed(view["command"], path.parent)
    status, answer = page.ask("POST", "/api/tab/kernels", {"profiles": [dropped["id"]], "targets": ["B200"]})
    assert status == 400
    assert "profile or a trace" in answer["error"]


@pytest.mark.slow
def test_a_step_is_scaled_from_a_trace_and_from_a_time(page: Page, fixtures_dir: Path) -> None:
    timed = {"start": "8 x H200 SXM", "step_time": "94ms", "global_batch": 768, "gpus": "8,64", "targets": ["B200"]}
    path = find(fixtures_dir, TRACE)
    recorded = {"profiles": [drop(page, path)], "targets": ["B200"], "gpus": "1,8", "gradients": "700MB",
                "network": "DGX B200"}  # fmt: skip
    for asked in (timed, recorded):
        status, view = page.ask("POST", "/api/tab/scale", asked)
        assert status == 200, view
        _, shown = page.ask("GET", f"/download/{view['result']}.json")
        assert shown == typed(view["command"], path.parent)
        assert printed(view["command"], path.parent).startswith(view["lead"]["verdict"])


@pytest.mark.parametrize("tab", TABS)
def test_every_field_is_a_parameter_of_its_question(tab: str) -> None:
    command = TABS[tab].command
    for field in FIELDS.get(command, ()):
        assert field.name == START or (field.parameter or field.name) in find_ask(command).parameters
        assert field.kind in ("text", "number", "amount", "choice", "flag", "gpu")
        assert field.kind != "text" or field.check is not None, "a text that nobody checks could be a path"


@pytest.mark.slow
def test_two_profiles_are_compared_and_drawn_as_versions(page: Page, tmp_path: Path) -> None:
    files = [tmp_path / "before.csv", tmp_path / "after.csv"]
    for k, file in enumerate(files):
        file.write_bytes(table_of(["axpy", "stencil", "gemm"][: k + 2]))
    keys = [drop(page, file) for file in files]
    status, view = page.ask("POST", "/api/tab/compare", {"profiles": keys})
    assert status == 200, view
    assert view["command"] == "roofcast compare before.csv after.csv"
    assert printed(view["command"], tmp_path).startswith(view["lead"]["verdict"])
    _, shown = page.ask("GET", f"/download/{view['result']}.json")
    assert shown == typed(view["command"], tmp_path)
    status, view = page.ask("POST", "/api/tab/roofline", {"profiles": keys, "targets": ["B200"]})
    assert status == 200, view
    status, picture = page.ask("GET", f"/download/{view['result']}.svg")
    assert status == 200
    assert picture.startswith(b"<?xml")


@pytest.mark.slow
def test_a_runs_timeline_can_be_taken_to_perfetto(page: Page, fixtures_dir: Path) -> None:
    asked = {"profiles": [drop(page, find(fixtures_dir, TRACE))], "targets": ["B200"]}
    _, view = page.ask("POST", "/api/tab/run", asked)
    _, trace = page.ask("GET", f"/download/{view['result']}.trace.json")
    titles = [e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"]
    assert titles == ["recorded on H100 SXM5 80GB", "forecast for B200"]


@pytest.mark.parametrize(
    ("tab", "more", "says"),
    [
        ("run", {}, "No timeline"), ("nosuch", {}, "views: kernels"), ("compare", {}, "two profiles"),
        ("gpus", {"budget": -1}, "above 0"), ("gpus", {"memory": 1e15, "among": True}, "no GPU is left"),
        ("advice", {"on": "/etc/passwd"}, "passwd"), ("kernels", {"targets": ["B200,/tmp/x.toml"]}, "x.toml"),
        ("kernels", {"targets": ["--output=/tmp/x"]}, "GPU"), ("run", {"targets": []}, "choose a GPU"),
        ("serving", {}, "config.json"), ("scale", {"start": "/etc/passwd"}, "8 x H200"),
        ("scale", {"start": "8 x H200 SXM", "network": "/tmp/x.toml"}, "50GB/s"),
        ("scale", {"start": "8 x H200 SXM", "plan": "--debug"}, "tp 8"),
        ("kernels", {"source": "--debug"}, "debug"), ("kernels", {"kernel": "nosuch("}, "the only kernel"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_one_line_without_folders(
    page: Page, tmp_path: Path, tab: str, more: dict[str, Any], says: str
) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(table_of(["axpy"]))
    status, answer = page.ask("POST", f"/api/tab/{tab}", {"profiles": [drop(page, file)], "targets": ["B200"], **more})
    assert status == 400
    assert says in answer["error"]
    assert "\n" not in answer["error"]
    assert "roofcast-" not in answer["error"]


@pytest.mark.slow
@pytest.mark.parametrize("given", ["-", "store:own"])
def test_standard_input_and_sets_of_the_store_have_every_view(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "t.csv").write_bytes(table_of(["axpy", "stencil"]))
    monkeypatch.setenv("ROOFCAST_STORE", str(tmp_path / "store.duckdb"))
    CliRunner().invoke(cli, ["store", "add", "own", str(tmp_path / "t.csv")], catch_exceptions=False)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(table_of(["axpy", "stencil"]))))
    profiles = Kept[Profile](1, 10**9, 60.0)
    asked = read_request({"profiles": [profiles.add(take_profile(given, None))], "targets": ["B200"]}, Limits())
    for tab in set(TABS) - {"run", "compare", "serving", "scale"}:
        assert plan_view(tab, asked, {}, profiles).typed.startswith(f"roofcast {TABS[tab].command} {given}")
    shown = asyncio.run(run_command(plan_view("file", asked, {}, profiles), "json", Limits()))
    assert [k["kernel"] for k in json.loads(shown)["kernels"]] == ["axpy", "stencil"]
    profiles.clear()


def test_folders_of_the_machine_are_not_told() -> None:
    assert clean_line("roofcast: /tmp/roofcast-1/a.csv: bad", ["/tmp/roofcast-1/a.csv"]) == "a.csv: bad"


def test_pages_of_views_lie_on_disk_within_the_budget(tmp_path: Path) -> None:
    """In memory only what names them; the page goes with its result."""
    kept = Kept[Shelved](10, 3000, 60.0)
    names = [kept.add(shelve(View("inspect", (), (), b"<body>" + b"x" * 1500), tmp_path)) for _ in range(3)]
    assert len(list(tmp_path.iterdir())) == len(kept) < 3
    newest = kept.get(names[-1])
    assert newest is not None
    assert newest.view.html == b""
    assert newest.render().html == b"<body>" + b"x" * 1500
    kept.clear()
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileNotFoundError):
        newest.render()
