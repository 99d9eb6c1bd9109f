"""A real server in a process of its own, and a way to talk to it."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


@dataclass
class Page:
    """One server."""

    port: int
    token: str
    process: subprocess.Popen[str]

    def ask(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> tuple[int, Any]:
        """Status and content (JSON decoded) of an answer; the token and the host are right unless given."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = {"X-Roofcast-Token": self.token, **(headers or {})}
        if isinstance(body, (dict, list)):
            body, sent["Content-Type"] = json.dumps(body), "application/json"
        connection.request(method, path, body, {k: v for k, v in sent.items() if v})
        answer = connection.getresponse()
        content = answer.read()
        self.headers = {k.lower(): v for k, v in answer.getheaders()}
        connection.close()
        kind = self.headers.get("content-type", "")
        return answer.status, json.loads(content) if kind == "application/json" else content

    def stop(self, how: int = signal.SIGTERM) -> int:
        """End the server; its exit code."""
        self.process.send_signal(how)
        code = self.process.wait(10)
        assert self.process.stderr is not None
        self.process.stderr.close()
        return code

    def upload(self, content: bytes, name: str = "table.csv") -> Any:
        """The server's answer to a dropped file."""
        return self.ask("POST", "/api/profiles", content, {"X-File-Name": name})


SERVE = ("-m", "roofcast", "serve")


def start(*arguments: str, environment: dict[str, str] | None = None, program: Sequence[str] = SERVE) -> Page:
    """A server with the given command line. program : what Python runs instead of the command."""
    told = {**os.environ, **(environment or {})}
    process = subprocess.Popen(
        [sys.executable, *program, *arguments],
        stderr=subprocess.PIPE,
        text=True,
        env=told,
    )
    assert process.stderr is not None
    line = process.stderr.readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
    assert found, line
    with urllib.request.urlopen(found[0], timeout=20) as answer:
        text = answer.read().decode()
    token = re.search(r'name="roofcast-token" content="([^"]+)"', text)
    assert token
    return Page(int(found[1]), unescape(token[1]), process)


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    served = start("--max-upload", "4MB")
    yield served
    served.stop()


HEADER = "kernel,gpu,time_s,flops_fp32,bytes_dram,bytes_l2,bytes_l1,grid_blocks,block_threads"


def table_of(names: list[str], gpu: str = "V100") -> bytes:
    """A small kernel table."""
    rows = [f'"{n}",{gpu},{(i + 1) * 1e-3},2e9,5e8,6e8,9e8,4000,256' for i, n in enumerate(names)]
    return "\n".join([HEADER, *rows]).encode()
