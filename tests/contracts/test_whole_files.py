"""A file that roofcast makes is there whole or not at all: killed while it writes, on a full disk, before a renaming.

A limit on the size of files is the injected point: the system ends a process (or refuses it) at that byte of whatever
file it writes, also in libraries that write from machine code.
"""

from __future__ import annotations

import ast
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from sources import list_modules

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="limits of POSIX")

# One process forks a child per attempt: importing is most of the time of a command.
DRIVER = """
import json, os, resource, signal, sys
import duckdb, matplotlib.figure, polars
import roofcast
from roofcast.__main__ import main
for name in roofcast.ASKS:
    getattr(roofcast, name)
roofcast.gpu("H100 SXM5 80GB")

def attempt(command, limit, ending):
    said, saying = os.pipe()  # no file: the limit is not for messages
    child = os.fork()
    if not child:
        os.dup2(saying, 1)
        os.dup2(saying, 2)
        if ending == "before renaming":
            names = ("os.rename", "os.link")
            sys.addaudithook(lambda name, _: os.kill(os.getpid(), signal.SIGKILL) if name in names else None)
        if limit is not None:
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL if ending == "killed" else signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        code = 99
        try:
            code = main(command)
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
    os.close(saying)
    with os.fdopen(said, encoding="utf-8") as lines:
        text = lines.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), text

for line in sys.stdin:
    print(json.dumps(attempt(*json.loads(line))), flush=True)
"""


class Attempts:
    """Commands, each in a process of its own. store : the database of all of them."""

    def __init__(self, store: Path) -> None:
        self.driver = subprocess.Popen(
            [sys.executable, "-c", DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, "ROOFCAST_STORE": str(store)},
        )  # fmt: skip

    def run(self, command: list[str], limit: int | None = None, ending: str = "") -> tuple[int, str]:
        """Exit code (minus the signal) and output. limit : bytes of any file; ending : what happens there."""
        assert self.driver.stdin is not None
        assert self.driver.stdout is not None
        self.driver.stdin.write(json.dumps([command, limit, ending]) + "\n")
        self.driver.stdin.flush()
        code, said = json.loads(self.driver.stdout.readline())
        return code, said

    def end(self) -> None:
        """No more commands."""
        self.driver.communicate()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("whole") / "data" / "team.duckdb"


@pytest.fixture(scope="module")
def attempts(store: Path) -> Iterator[Attempts]:
    made = Attempts(store)
    yield made
    made.end()


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.csv"
    rows = "".join(f"kernel number {i * 7919},A100-SXM4-80GB,{1e-6 * (i + 1)},{1e6 * (i + 1)}\n" for i in range(60))
    path.write_text(f"kernel,gpu,time_s,bytes_dram\n{rows}")
    return path


TO = ["--to", "H100 SXM5 80GB"]
loop = pytest.mark.slow
WRITERS = [
    pytest.param(["forecast", "{table}", *TO, "-o", "{out}.json"], id="forecast.json"),
    pytest.param(["forecast", "{table}", *TO, "-o", "{out}.parquet"], id="forecast.parquet"),
    pytest.param(["forecast", "{table}", *TO, "-o", "{out}.csv"], id="forecast.csv", marks=loop),
    pytest.param(["forecast", "{table}", *TO, "-o", "{out}.txt"], id="forecast.txt", marks=loop),
    pytest.param(["forecast", "{table}", *TO, "--report", "{out}.html"], id="forecast report", marks=loop),
    pytest.param(["inspect", "{table}", "-o", "{out}.parquet"], id="inspect.parquet", marks=loop),
    pytest.param(["inspect", "{table}", "-o", "{out}.csv"], id="inspect.csv", marks=loop),
    pytest.param(["roofline", "{table}", "-o", "{out}.svg"], id="roofline.svg", marks=loop),
    pytest.param(["roofline", "{table}", "-o", "{out}.png"], id="roofline.png", marks=loop),
    pytest.param(["roofline", "{table}", "-o", "{out}.html"], id="roofline.html", marks=loop),
    pytest.param(["roofline", "{table}", "-o", "{out}.parquet"], id="roofline.parquet", marks=loop),
    pytest.param(["gpus", "-o", "{out}.csv"], id="gpus.csv", marks=loop),
    pytest.param(["choose", "{table}", "--among", "H100 SXM5 80GB", "-o", "{out}.json"], id="choose.json", marks=loop),
]


def put_back(out: Path, old: bytes | None) -> None:
    out.unlink(missing_ok=True)
    if old is not None:
        out.write_bytes(old)


@pytest.mark.parametrize("template", WRITERS)
def test_what_ends_a_writer_leaves_the_old_file_or_none(
    template: list[str], table: Path, tmp_path: Path, attempts: Attempts
) -> None:
    command = [part.format(table=table, out=tmp_path / "made") for part in template]
    out = Path(command[-1])
    code, said = attempts.run(command)
    assert code == 0, said
    size = out.stat().st_size
    ends = [(0, "refused"), (size // 2, "killed"), (size - 1, "refused"), (None, "before renaming")]
    for i, (limit, ending) in enumerate(ends):
        old = None if i % 2 else b"what stood here before"
        put_back(out, old)
        before = set(tmp_path.iterdir())
        code, said = attempts.run(command, limit, ending)
        assert code == {"killed": -signal.SIGXFSZ, "refused": 2, "before renaming": -signal.SIGKILL}[ending], said
        assert (out.read_bytes() if out.exists() else None) == old, (limit, ending)
        if ending == "refused":
            assert len(said.strip().splitlines()) == 1, said
            assert set(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    "limit", [0, 8192, *(pytest.param(n, marks=loop) for n in (1, 4096, 12_288, 100_000, 300_000)), None]
)
def test_a_store_whose_making_was_ended_is_made_again(
    limit: int | None, store: Path, table: Path, attempts: Attempts
) -> None:
    shutil.rmtree(store.parent, ignore_errors=True)
    add, show = ["store", "add", "night", str(table)], ["store", "list"]
    for ending in ("killed", "refused") if limit is not None else ("before renaming",):
        code, said = attempts.run(add, limit, ending)
        assert code in (0, 2, -signal.SIGXFSZ, -signal.SIGKILL), said
        code, said = attempts.run(show)
        assert code == 0 or "no store at" in said, (ending, said)
    code, said = attempts.run(add)
    assert code == 0, said
    assert "added 1 file with 60 rows" in said or "1 stored before" in said
    code, said = attempts.run(show)
    assert (code, "night" in said) == (0, True)


def test_an_empty_database_is_taken_as_no_store_yet(store: Path, table: Path, attempts: Attempts) -> None:
    # What an older roofcast left when it was killed before its first transaction was whole.
    shutil.rmtree(store.parent, ignore_errors=True)
    store.parent.mkdir()
    duckdb.connect(str(store)).close()
    for command in (["store", "list"], ["store", "remove", "night"], ["forecast", "store:night", *TO]):
        code, said = attempts.run(command)
        assert (code, "no store at" in said) == (2, True), said
    assert attempts.run(["store", "add", "night", str(table)])[0] == 0
    assert "night" in attempts.run(["store", "list"])[1]


SPACE = """base = "H100 SXM5 80GB"
goal = 1.1
[axes]
sm = [100, 132]
dram = { from = "2 TB/s", to = "8 TB/s", count = 5 }
"""


def test_a_sweep_whose_folder_was_begun_goes_on(table: Path, tmp_path: Path, attempts: Attempts) -> None:
    (tmp_path / "space.toml").write_text(SPACE)
    out = tmp_path / "every"
    command = ["sweep", str(table), "--space", str(tmp_path / "space.toml"), "--out", str(out)]
    for limit in (None, 0, 600, 2000):
        # Where a renaming ends it, the first file of the folder is whole but for its name.
        assert attempts.run(command, limit, "before renaming" if limit is None else "killed")[0] < 0
    code, said = attempts.run(command)
    assert code == 0, said
    assert {"manifest.json", "kernels.parquet"} <= {p.name for p in out.iterdir()}


WRITES = {"write_text", "write_bytes", "write_csv", "write_parquet", "sink_parquet", "savefig", "savez"}
IN_STEPS_ELSEWHERE = {
    "kit/output.py": "replacing() and what stands on it",
    "kit/table.py": "called with the path that replacing() gives",
    "reports/data.py": "the same",
    "reports/inspect.py": "memory",
    "catalog/packaging.py": "the folder of a build, which a failed build throws away",
    "commands/inspect.py": "the same",
    "roofcast_measure/commands/measure_ceilings.py": "the same",
    "roofcast_measure/tables.py": "the same",
    "rooflines/show.py": "the same",
    "roofcast_evaluate/reporting.py": "the same",
    "roofcast_evaluate/plots.py": "the same, or memory",
    "sweeps/chunks.py": "renamed_into(), whose leftovers the next run overwrites",
    "store/adding.py": "memory",
    "store/packing.py": "memory",
    "store/sets.py": "a private folder",
    "reading.py": "a private folder",
    "web/transport.py": "a private folder",
    "web/worker.py": "a private folder",
    "torch/profiling.py": "a private folder",
    "roofcast_dev/checkout.py": "skeletons in a checkout, which git shows",
    "roofcast_measure/hip_driver.py": "a private folder",
    "roofcast_measure/host_cpu.py": "a private folder",
    "roofcast_measure/shim.py": "a private folder",
    "roofcast_measure/profile_run.py": "what the user's profiler reads in the same run",
}
"""Files of the package that write without write_text() or write_with(), and why nobody sees half of what they write."""


def test_every_place_that_writes_files_is_known() -> None:
    found = set()
    for place, path in list_modules().items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and node.attr in WRITES:
                found.add(place)
    assert found == set(IN_STEPS_ELSEWHERE)
