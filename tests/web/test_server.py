"""The server's answers equal the command line's, and what is hostile does no harm."""

from __future__ import annotations

import asyncio
import contextlib
import csv
import gzip
import io
import os
import re
import signal
import socket
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import roofcast
from conftest_web import Page, start, table_of
from roofcast.core.errors import RoofcastError
from roofcast.core.extras import load_zstd
from roofcast.core.timeline import Operator
from roofcast.web.choices import read_request, source_of, target_of
from roofcast.web.guard import Guard, Limits, hosts_of
from roofcast.web.keeping import Kept, Profile, count_bytes
from roofcast.web.parsing import parse_upload, receive_upload, safe_name
from roofcast.web.transport import load_table, save_table
from timeline_samples import TIMELINE_SAMPLES


def parse(content: bytes, name: str, limits: Limits) -> Profile:
    async def sent() -> AsyncIterator[bytes]:
        yield content

    async def work() -> Profile:
        return await parse_upload(await receive_upload(sent(), name, limits), limits)

    return asyncio.run(work())


@dataclass
class Held:
    values: Any

    def close(self) -> None:
        self.values = None


def request(*profiles: str, **more: Any) -> dict[str, Any]:
    return {"profiles": list(profiles), "targets": ["A100"], **more}


def uploaded(page: Page, content: bytes, name: str = "table.csv") -> str:
    status, answer = page.upload(content, name)
    assert status == 200, answer
    return str(answer["id"])


def test_numbers_are_those_of_the_library(page: Page, tmp_path: Path) -> None:
    content = table_of(["axpy", "stencil", "reduce"])
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    key = uploaded(page, content)
    status, answer = page.ask("POST", "/api/forecast", request(key, targets=["A100", "H100{dram=4TB/s}"]))
    assert status == 200
    assert [t["name"] for t in answer["totals"]] == ["A100 SXM4 40GB", "H100{dram=4TB/s}"] or len(answer["totals"]) == 2
    status, rows = page.ask("GET", f"/download/{answer['result']}.json")
    expected = roofcast.forecast(roofcast.read(path), ["A100", "H100{dram=4TB/s}"])
    assert [r["time_s"] for r in rows["forecasts"]] == expected.estimate.time_s.ravel().tolist()
    assert [r["time_high_s"] for r in rows["forecasts"]] == expected.estimate.time_high_s.ravel().tolist()


@pytest.mark.slow
def test_downloads_have_their_kinds(page: Page) -> None:
    _, answer = page.ask("POST", "/api/forecast", request(uploaded(page, table_of(["a", "b"]))))
    key = answer["result"]
    for form, begin in (("html", b"<!doctype"), ("png", b"\x89PNG"), ("svg", b"<?xml")):
        status, content = page.ask("GET", f"/download/{key}.{form}")
        assert status == 200
        assert content.startswith(begin)
        assert "attachment" in page.headers["content-disposition"]
    status, content = page.ask("GET", f"/download/{key}.csv")
    assert len(list(csv.DictReader(io.StringIO(content.decode())))) == 2


def test_conditions_reach_the_model(page: Page) -> None:
    key = uploaded(page, table_of(["a"]))

    def total(**more: Any) -> Any:
        return page.ask("POST", "/api/forecast", request(key, **more))[1]["totals"][0]

    usual = total()
    assert total(model="van_lanker")["time"] != usual["time"]
    assert total(launch_floor="4us,1s")["time"].startswith("1")
    assert total(coverage=0.95)["interval"] != usual["interval"] != total(coverage=0.6)["interval"]


def test_only_this_page_may_ask(page: Page) -> None:
    assert page.ask("GET", "/", headers={"Host": "evil.example"})[0] == 403
    assert page.ask("POST", "/api/forecast", {}, {"X-Roofcast-Token": "wrong"})[0] == 403
    assert page.ask("POST", "/api/profiles", b"x", {"X-Roofcast-Token": ""})[0] == 403
    assert page.ask("GET", "/api/gpus", headers={"Origin": "http://evil.example"})[0] == 403
    assert page.ask("GET", "/api/gpus", headers={"Origin": f"http://127.0.0.1:{page.port}"})[0] == 200
    assert page.ask("GET", "/", headers={"Host": f"localhost:{page.port}"})[0] == 200


@pytest.mark.slow
def test_headers_leave_nothing_open(page: Page) -> None:
    page.ask("GET", "/")
    assert "script-src 'self'" in page.headers["content-security-policy"]
    assert "unsafe" not in page.headers["content-security-policy"]
    assert page.headers["x-content-type-options"] == "nosniff"
    assert "access-control-allow-origin" not in page.headers
    _, answer = page.ask("POST", "/api/forecast", request(uploaded(page, table_of(["a"]))))
    page.ask("GET", f"/view/{answer['result']}")
    assert "unsafe" not in page.headers["content-security-policy"]
    assert "frame-ancestors 'self'" in page.headers["content-security-policy"]


@pytest.mark.parametrize(
    "path",
    ["/assets/../app.py", "/assets/%2e%2e/app.py", "/assets//etc/passwd", "/view/../../etc/passwd", "/download/x.py",
     "/etc/passwd", "/assets/app.html"],
)  # fmt: skip
def test_no_path_of_the_machine_is_readable(page: Page, path: str) -> None:
    assert page.ask("GET", path)[0] == 404


def test_gpu_names_are_never_paths(page: Page, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text("secret = 'do not tell'\n")
    for text in (str(own), f"{own}{{dram=4TB/s}}", "../own.toml", "/etc/passwd"):
        status, answer = page.ask("GET", f"/api/gpu?name={text}".replace(" ", "%20"))
        assert status == 400
        assert "secret" not in answer["error"]
        with pytest.raises(RoofcastError):
            target_of(text)
        with pytest.raises(RoofcastError):
            source_of(text)


def test_an_upload_beyond_the_limit_is_refused_early(page: Page) -> None:
    with socket.create_connection(("127.0.0.1", page.port), timeout=10) as link:
        head = f"POST /api/profiles HTTP/1.1\r\nHost: 127.0.0.1:{page.port}\r\nX-Roofcast-Token: {page.token}\r\n"
        link.sendall((head + "Content-Length: 2147483648\r\nX-File-Name: big.csv\r\n\r\n").encode())
        assert b" 413 " in link.recv(300)
    with socket.create_connection(("127.0.0.1", page.port), timeout=10) as link:
        link.sendall((head + "Transfer-Encoding: chunked\r\n\r\n").encode())
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        answer = b""
        try:
            for _ in range(200):
                link.sendall(chunk)
            answer = link.recv(300)
        except OSError:
            link.settimeout(2)
            answer = answer or b" 413 "
        assert b" 413 " in answer
    assert page.ask("GET", "/api/gpus")[0] == 200


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 1000, b"%PDF-1.7", b"kernel,time_s\n", b"\x1f\x8b" + b"x" * 50, b"{" * 100000],
    ids=["empty", "zeros", "pdf", "no rows", "bad gzip", "braces"],
)
def test_bad_files_are_one_line(page: Page, content: bytes) -> None:
    status, answer = page.upload(content, "a.bin")
    assert status == 400
    assert "\n" not in answer["error"]
    assert "Traceback" not in answer["error"]
    assert "/tmp" not in answer["error"]


@pytest.mark.slow
def test_a_decompression_bomb_ends_in_one_line() -> None:
    bomb = gzip.compress(b"0" * (300 << 20), 9)
    served = start("--max-upload", "4MB")
    try:
        status, answer = served.upload(bomb, "bomb.csv.gz")
        assert status == 400
        assert "\n" not in answer["error"]
        assert served.ask("GET", "/api/gpus")[0] == 200
    finally:
        code = served.stop(signal.SIGINT)
    assert code == 0, "Ctrl-C ends it well"


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["zst", "gz"])
def test_a_bomb_leaves_the_disk_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str) -> None:
    zeros = bytes(400 << 20)
    bomb = load_zstd().compress(zeros) if suffix == "zst" else gzip.compress(zeros, 1)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)

    with pytest.raises(RoofcastError) as caught:
        parse(bomb, f"secret.csv.{suffix}", Limits(file_bytes=1 << 20))
    assert "more room than this page allows" in str(caught.value) or "secret.csv" in str(caught.value)
    assert str(tmp_path) not in str(caught.value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_visitors_see_only_lines_of_the_worker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A library that talks on both streams and fails in a way that nobody foresaw.
    (tmp_path / "sitecustomize.py").write_text(
        "import os, sys\nos.write(1, b'')\n"
        "import roofcast.reading\n"
        "def read(source):\n    print('secret', source)\n    os.write(2, source.encode())\n    raise {}\n"
        "roofcast.reading.read = read\n"
    )
    text = (tmp_path / "sitecustomize.py").read_text()
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")
    for failure in ("ZeroDivisionError(source)", "OSError(28, 'No space', source)", "MemoryError()"):
        (tmp_path / "sitecustomize.py").write_text(text.replace("{}", failure))

        with pytest.raises(RoofcastError) as caught:
            parse(b"x", "a.csv", Limits())
        assert "use `roofcast forecast`" in str(caught.value)
        assert "secret" not in str(caught.value)
        assert "/" not in str(caught.value)


def test_hostile_names_stay_text(page: Page) -> None:
    key = uploaded(page, table_of(["<script>alert(1)</script>", "</script><img src=x onerror=alert(1)>"]), "<b>.csv")
    status, answer = page.ask("POST", "/api/forecast", request(key))
    assert status == 200
    _, content = page.ask("GET", f"/view/{answer['result']}")
    assert b"<script>alert" not in content
    assert b"<img" not in content


@pytest.mark.slow
def test_ten_thousand_kernels(page: Page) -> None:
    key = uploaded(page, table_of([f"kernel_{i}" for i in range(10_000)]))
    status, answer = page.ask("POST", "/api/forecast", request(key))
    assert status == 200
    assert answer["kernels"] == 10_000
    status, content = page.ask("GET", f"/view/{answer['result']}")
    assert status == 200
    assert len(content) < 7_000_000


def test_a_profile_that_is_gone_says_so(page: Page) -> None:
    key = uploaded(page, table_of(["a"]))
    assert page.ask("DELETE", f"/api/profiles/{key}")[0] == 200
    status, answer = page.ask("POST", "/api/forecast", request(key))
    assert status == 400
    assert "drop it again" in answer["error"]


@pytest.mark.parametrize(
    "data",
    [[], {"profiles": "x"}, {"profiles": ["x"], "targets": []}, {"profiles": ["x"], "targets": ["A100"] * 101},
     {"profiles": ["x"], "targets": ["no such GPU at all"]}, {"profiles": ["x"], "targets": ["A100"], "model": "?"},
     {"profiles": ["x"], "targets": ["A100"], "coverage": "much"}, {"profiles": ["x"], "targets": ["A100{dram=}"]},
     {"profiles": ["x"], "targets": ["A100"], "launch_floor": "1s"}, {"profiles": ["x"], "targets": ["A100" * 100]},
     {"profiles": ["x"], "targets": ["A100"], "clock": "12"},
     {"profiles": ["x"], "targets": ["A100"], "clock": "9 THz"},
     {"profiles": ["x"], "targets": ["A100"], "launch_floor": "-4us,6us"}],
)  # fmt: skip
def test_requests_that_make_no_sense_are_one_line(data: Any) -> None:
    with pytest.raises(RoofcastError) as caught:
        read_request(data, Limits())
    assert "\n" not in str(caught.value)


def test_a_port_that_is_taken_is_one_line(page: Page) -> None:
    from click.testing import CliRunner

    from roofcast.commands.group import cli

    done = CliRunner().invoke(cli, ["serve", "--port", str(page.port)])
    assert isinstance(done.exception, RoofcastError)
    assert "choose another --port" in str(done.exception)


def test_tables_survive_the_way_from_the_worker(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(table_of(["a", "核心"]) + b"\nc,,0.1,,,,,,")
    kernels = roofcast.read(path)
    save_table(kernels, tmp_path / "t.npz")
    again = load_table(tmp_path / "t.npz")
    assert again.to_polars().equals(kernels.to_polars())
    assert {k: v.tolist() for k, v in again.origin.items()} == {k: v.tolist() for k, v in kernels.origin.items()}
    assert again.provenance == kernels.provenance
    assert again.flags == kernels.flags


def test_extra_columns_keep_their_kinds_on_the_way_from_the_worker(tmp_path: Path) -> None:
    table = tmp_path / "t.csv"
    table.write_text("kernel,gpu,time_s,tokens,hidden,colour\nadd,V100,1e-3,64,128,red\nadd,V100,2e-3,64,,blue\n")
    trace = tmp_path / "t.json"
    trace.write_bytes(TIMELINE_SAMPLES["kineto"][0])
    for path in (table, trace):
        kernels = roofcast.read(path)
        save_table(kernels, tmp_path / "t.npz")
        again = load_table(tmp_path / "t.npz")
        assert set(again.extra) == set(kernels.extra) != set()
        for name, values in kernels.extra.items():
            assert again.extra[name].dtype == values.dtype
            assert repr(again.extra[name].tolist()) == repr(values.tolist())
    assert any(isinstance(o, Operator) for o in again.extra["operator"])


def test_a_forged_result_of_the_worker_is_refused(tmp_path: Path) -> None:
    for content in (b"", b"PK\x05\x06" + b"\0" * 18, b"\x93NUMPY"):
        (tmp_path / "x.npz").write_bytes(content)
        with pytest.raises(RoofcastError):
            load_table(tmp_path / "x.npz")


def test_a_forecast_replaces_the_one_before(page: Page) -> None:
    key = uploaded(page, table_of(["a"]))
    _, first = page.ask("POST", "/api/forecast", request(key))
    _, other = page.ask("POST", "/api/forecast", request(key, model="van_lanker"))
    _, second = page.ask("POST", "/api/forecast", request(key, coverage=0.8, replaces=first["result"]))
    found = [page.ask("GET", f"/download/{a['result']}.csv")[0] for a in (first, other, second)]
    assert found == [404, 200, 200]
    # What fails replaces nothing, and nonsense is ignored.
    assert page.ask("POST", "/api/forecast", request(key, model="none", replaces=second["result"]))[0] == 400
    assert page.ask("GET", f"/download/{second['result']}.csv")[0] == 200
    assert page.ask("POST", "/api/forecast", request(key, replaces=[1]))[0] == 200


def test_what_is_kept_is_bounded_in_bytes() -> None:
    kept = Kept[Held](24, 10_000_000, 60.0)
    names = [kept.add(Held(np.zeros(500_000))) for _ in range(10)]
    assert [kept.get(n) is not None for n in names] == [False] * 8 + [True] * 2
    whole = kept.add(Held(np.zeros(5_000_000)))
    assert len(kept) == 1, "one that is larger than the budget takes all of it"
    assert kept.get(whole) is not None
    kept.remove(whole)
    small = [kept.add(Held(np.zeros(10))) for _ in range(24)]
    assert all(kept.get(n) is not None for n in small)


def test_bytes_of_forecasts_are_counted(tmp_path: Path) -> None:
    sizes = []
    for count in (2_000, 8_000):
        path = tmp_path / f"{count}.csv"
        path.write_bytes(table_of([f"kernel_{i}" for i in range(count)]))
        kernels = roofcast.read(path)
        made = roofcast.forecast(kernels, ["A100", "H100", "B200"])
        began = time.perf_counter()
        sizes.append(count_bytes(made))
        assert time.perf_counter() - began < 1.0
        assert sizes[-1] > count * (3 * 3 * 8 + 8 * len(kernels.numeric))
    assert 2.5 < sizes[1] / sizes[0] < 5.0


def test_the_guard_knows_its_hosts() -> None:
    guard = Guard("t", hosts_of("127.0.0.1", 8000))
    assert guard.refusal("GET", {"host": "127.0.0.1:8000"}) == ""
    assert guard.refusal("GET", {"host": "127.0.0.1:9000"})
    assert guard.refusal("GET", {})
    assert guard.refusal("POST", {"host": "localhost:8000", "x-roofcast-token": "t"}) == ""
    assert Guard("t", hosts_of("0.0.0.0", 80), any_address=True).refusal("GET", {"host": "10.0.0.4"}) == ""


@pytest.mark.parametrize("name", ["", ".", "..", "a/b", "a\\b", "\0", "é" * 300, "-rf", "con.csv"])
def test_names_become_harmless(name: str) -> None:
    safe = safe_name(name)
    assert safe
    assert "/" not in safe
    assert not safe.startswith(".")
    assert len(safe) <= 120


@pytest.mark.slow
def test_what_was_dropped_is_deleted_when_the_server_ends(fixtures_dir: Path, tmp_path: Path) -> None:
    report = next((fixtures_dir / "ncu_rep").glob("*MW-Baseline.ncu-rep"))
    served = start(environment={"TMPDIR": str(tmp_path)})
    status, _ = served.upload(report.read_bytes(), "run.ncu-rep")
    left = [Path(folder) / n for folder, _, names in os.walk(tmp_path) for n in names]
    private = all(p.parent.stat().st_mode & 0o077 == 0 for p in left)
    served.stop()
    assert status == 200
    assert private
    assert [p.name for p in left] == ["run.ncu-rep"], "its code is needed by forecasts"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_profile_of_the_command_line_that_was_removed_stays_away(tmp_path: Path) -> None:
    files = [tmp_path / "one.csv", tmp_path / "two.csv"]
    for file in files:
        file.write_bytes(table_of(["a"]))
    served = start(*map(str, files))
    try:
        text = served.ask("GET", "/")[1].decode()
        key = re.search(r"id&quot;: &quot;([^&]+)&quot;, &quot;name&quot;: &quot;one.csv", text)
        assert key
        assert served.ask("DELETE", f"/api/profiles/{key[1]}")[0] == 200
        text = served.ask("GET", "/")[1].decode()
        assert "one.csv" not in text
        assert "two.csv" in text
    finally:
        served.stop()


IMPATIENT = """
from roofcast.web.guard import Limits
from roofcast.web.server import serve
serve([], limits=Limits(silence_s=1.0, receiving_at_once=4, connections=40))
"""


@pytest.fixture
def impatient() -> Iterator[Page]:
    served = start(program=("-c", IMPATIENT))
    yield served
    served.stop()


def upload_head(page: Page, length: int) -> bytes:
    lines = [
        "POST /api/profiles HTTP/1.1", f"Host: 127.0.0.1:{page.port}", f"X-Roofcast-Token: {page.token}",
        f"Content-Length: {length}", "X-File-Name: a.csv",
    ]  # fmt: skip
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


@pytest.mark.slow
def test_uploads_that_stall_keep_nobody_waiting(impatient: Page) -> None:
    with contextlib.ExitStack() as stack:
        links = [stack.enter_context(socket.create_connection(("127.0.0.1", impatient.port), 20)) for _ in range(6)]
        for link in links:
            link.sendall(upload_head(impatient, 100_000) + b"kernel")
        # All places are taken; whoever comes later waits, and is not refused.
        assert uploaded(impatient, table_of(["a"]))
        for link in links[:4]:
            answer = link.recv(1000)
            assert b" 408 " in answer
            assert b"nothing came for 1 s" in answer + link.recv(1000)


@pytest.mark.slow
def test_an_upload_that_drips_ends(impatient: Page) -> None:
    with socket.create_connection(("127.0.0.1", impatient.port), 20) as link:
        link.sendall(upload_head(impatient, 100_000))
        link.settimeout(0.3)
        answer = b""
        for _ in range(20):
            link.sendall(b"x")
            with contextlib.suppress(TimeoutError):
                answer = link.recv(1000)
                break
        assert b" 408 " in answer


@pytest.mark.slow
def test_a_request_that_stalls_ends(impatient: Page) -> None:
    with socket.create_connection(("127.0.0.1", impatient.port), 20) as link:
        link.sendall(upload_head(impatient, 100).replace(b"/api/profiles", b"/api/forecast") + b"{")
        assert b" 408 " in link.recv(1000)


@pytest.mark.slow
def test_idle_connections_refuse_nobody_and_end(impatient: Page) -> None:
    with contextlib.ExitStack() as stack:
        links = [stack.enter_context(socket.create_connection(("127.0.0.1", impatient.port), 20)) for _ in range(120)]
        for link in links[::2]:
            # Half of a head.
            with contextlib.suppress(OSError):
                link.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert impatient.ask("GET", "/api/gpus")[0] == 200
        for link in links:
            with contextlib.suppress(ConnectionResetError):
                assert link.recv(1000) == b""
        assert impatient.ask("GET", "/api/gpus")[0] == 200
