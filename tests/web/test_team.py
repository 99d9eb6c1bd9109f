"""The page for several people: who may come in, who waits, what ends when nobody waits for it."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest_web import Page, start, table_of
from roofcast.web.guard import Guard, hosts_of
from roofcast.web.warm import Line, Warm

WORD = "a-word-of-more-than-12"
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[subprocess.Popen[str]]:
    """A server that asks for a word, behind a proxy, and only shows."""
    file = tmp_path_factory.mktemp("team") / "run.csv"
    file.write_bytes(table_of(["axpy"]))
    words = ["serve", str(file), "--auth", WORD, "--proxy", "--read-only", "--allow-host", "forecasts.example"]
    process = subprocess.Popen([sys.executable, "-m", "roofcast", *words], stderr=subprocess.PIPE, text=True)
    yield process
    process.terminate()
    process.wait(10)
    assert process.stderr is not None
    process.stderr.close()


@pytest.fixture(scope="module")
def port(team: subprocess.Popen[str]) -> int:
    assert team.stderr is not None
    line = team.stderr.readline()
    found = re.search(rf"http://127\.0\.0\.1:(\d+)/\?auth={WORD} ", line)
    assert found, line
    return int(found[1])


def ask(port: int, method: str, path: str, **headers: str) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request(method, path, headers={k.replace("_", "-"): v for k, v in headers.items()})
    answer = connection.getresponse()
    found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read().decode()
    connection.close()
    return found


def test_nobody_comes_in_without_the_word(port: int) -> None:
    for path in ("/", "/assets/app.js", "/api/gpus", "/view/x", "/?auth=wrong"):
        assert ask(port, "GET", path)[0] == 401
    assert ask(port, "GET", "/", Cookie="roofcast=wrong")[0] == 401
    assert ask(port, "GET", "/health")[0::2] == (200, "ok")
    assert ask(port, "GET", "/api/gpus", Authorization=f"Bearer {WORD}")[0] == 200


def test_the_word_in_the_address_becomes_a_cookie(port: int) -> None:
    status, headers, _ = ask(port, "GET", f"/?auth={WORD}", X_Forwarded_Proto="https")
    assert (status, headers["location"]) == (303, "/")
    cookie = headers["set-cookie"].lower()
    assert all(part in cookie for part in ("httponly", "samesite=strict", "secure"))
    status, _, page = ask(port, "GET", "/", Cookie=f"roofcast={WORD}")
    assert status == 200
    assert WORD not in page


def test_a_proxy_is_believed_only_where_told(port: int) -> None:
    seen = {"Cookie": f"roofcast={WORD}", "X_Forwarded_Host": "forecasts.example", "X_Forwarded_Proto": "https"}
    assert ask(port, "GET", "/", **seen)[0] == 200
    assert ask(port, "GET", "/", **seen, Origin="https://forecasts.example")[0] == 200
    assert ask(port, "GET", "/", **{**seen, "X_Forwarded_Host": "evil.example"})[0] == 403
    assert ask(port, "GET", "/", **seen, Origin="https://evil.example")[0] == 403
    alone = Guard("t", hosts_of("127.0.0.1", 80))
    assert alone.refusal("GET", {"host": "evil.example", "x-forwarded-host": "localhost"}) == "unknown host"


def test_a_page_that_only_shows_takes_and_removes_nothing(port: int) -> None:
    cookie = f"roofcast={WORD}"
    page = ask(port, "GET", "/", Cookie=cookie)[2]
    token = re.search(r'name="roofcast-token" content="([^"]+)"', page)
    assert token is not None
    for method, path in (("POST", "/api/profiles"), ("DELETE", "/api/profiles/x")):
        status, _, text = ask(port, method, path, Cookie=cookie, X_Roofcast_Token=token[1])
        assert (status, "switched off" in text) == (400, True)


def test_a_word_that_is_too_short_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "roofcast", "serve", "--auth", "short"], check=False, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "--auth" in done.stderr


def test_who_waits_has_a_place_and_who_goes_leaves_the_line() -> None:
    async def play() -> None:
        line, ended = Line(1), asyncio.Event()

        async def work(ticket: str) -> None:
            async with line.turn(ticket):
                await ended.wait()

        tasks = [asyncio.create_task(work(t)) for t in "abc"]
        await asyncio.sleep(0)
        assert [line.ahead(t) for t in "abc"] == [0, 1, 2]
        tasks[1].cancel()
        await asyncio.sleep(0.01)
        assert [line.ahead(t) for t in "abc"] == [0, 0, 1]
        ended.set()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert line.ahead("c") == 0

    asyncio.run(play())


def children_of(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="asks Linux for the children of a process")
def test_work_that_nobody_waits_for_ends(tmp_path: Path) -> None:
    """A command that takes seconds is cancelled, another takes too long; neither child stays, the next is done."""

    async def play() -> None:
        warm = Warm()
        process = await warm.start()
        while not warm.ready:
            await asyncio.sleep(0.05)
        assert len(list(Path(f"/proc/{process.pid}/task").iterdir())) == 1, "a process with threads must not fork"
        bounds = ("--run", str(6 << 30), str(1 << 30))
        table = tmp_path / "t.csv"
        table.write_bytes(table_of(["axpy"]))
        slow = (*bounds, "choose", str(table), "-o", str(tmp_path / "slow.html"))
        task = asyncio.create_task(warm.run(slow, tmp_path, 60.0))
        await asyncio.sleep(0.1)
        assert len(children_of(process.pid)) == 1
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert children_of(process.pid) == []
        assert await warm.run(slow, tmp_path, 0.1) == ("", None)
        assert children_of(process.pid) == []
        assert not (tmp_path / "slow.html").exists()
        quick = (*bounds, "inspect", str(table), "--format", "json")
        said, ended = await warm.run(quick, tmp_path, 30.0)
        assert ended == 0
        assert json.loads(said)["kernels"][0]["kernel"] == "axpy"
        assert list(tmp_path.glob(".said*")) == []
        await warm.close()
        assert process.returncode is not None

    asyncio.run(play())


@pytest.mark.slow
def test_fifty_uploads_at_once_are_all_answered(page: Page) -> None:
    found: list[int] = []

    def drop(n: int) -> None:
        mine = Page(page.port, page.token, page.process)
        found.append(mine.upload(table_of([f"k{n}_{i}" for i in range(50)]))[0])

    page.upload(table_of(["axpy"]))
    begin = time.monotonic()
    users = [threading.Thread(target=drop, args=(n,)) for n in range(50)]
    for user in users:
        user.start()
    for user in users:
        user.join()
    assert found == [200] * 50
    assert time.monotonic() - begin < 60


@pytest.mark.slow
def test_the_container_starts_as_its_file_says(tmp_path: Path) -> None:
    """Its entry point, without the container: a runtime for those is rarely where tests run."""
    lines = (ROOT / "Containerfile").read_text(encoding="utf-8").splitlines()
    told = {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in lines if " " in line}
    assert int(told["USER"]) > 0
    entry, check = json.loads(told["ENTRYPOINT"]), json.loads(told["HEALTHCHECK"].partition("CMD ")[2])
    assert entry[0] == check[0] == "python"
    served = start("--port", "0", "--host", "0.0.0.0", program=entry[1:4])
    try:
        asked = [sys.executable, *check[1:-1], check[-1].replace(":8080/", f":{served.port}/")]
        assert subprocess.run(asked, check=False, timeout=20).returncode == 0
    finally:
        served.stop()
