"""Reading ncu CSV files of 100 MB: time and memory, with pandas on the same file in the same run as the baseline.

``pytest benchmarks/test_csv_speed.py -s`` prints the figures. Each reader runs in a process of its own, so that its
import and its peak memory count; the hot figures are those of later reads in that process.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MEGABYTES = 100
PEAK_MEMORY_MB = 500
OPS = [f"{p}{op}" for p in "dfh" for op in ("add", "mul", "fma")] + ["integer", "control", "memory", "conversion"]
LONG_METRICS = [(f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum", "inst") for op in OPS] + [
    ("gpu__time_duration.sum", "ns"),
    ("dram__bytes.sum", "byte"),
    ("lts__t_bytes.sum", "byte"),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"),
]
IDENTITY = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size"'
DETAIL = '"GPU Speed Of Light Throughput"'

READ_OURS = """
import json, resource, sys, time
sys.path.insert(0, sys.argv[2])
start = time.perf_counter()
from roofcast.ingest import readers
runs = []
for _ in range(4):
    begin = time.perf_counter()
    rows = len(readers.read(sys.argv[1]))
    runs.append(time.perf_counter() - begin)
first = time.perf_counter() - start - sum(runs[1:])
"""
READ_PANDAS = """
import json, resource, sys, time
start = time.perf_counter()
import pandas
runs = []
for _ in range(4):
    begin = time.perf_counter()
    rows = len(pandas.read_csv(sys.argv[1]))
    runs.append(time.perf_counter() - begin)
first = time.perf_counter() - start - sum(runs[1:])
"""
REPORT = """
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"rows": rows, "first_s": first, "hot_s": min(runs), "peak_mb": peak}))
"""


def printed(chance: random.Random) -> str:
    """A number as ncu prints it."""
    return f"{chance.random() * 10 ** chance.randint(0, 11):,.2f}"


def identity(launch: int) -> str:
    """Identity cells of a launch."""
    kernel = f"void kernel_{launch % 37}<float, (int){launch % 5}>(T1 *, int, int, unsigned int)"
    grid = f"({launch % 640 + 1}, 4, 1)"
    return f'"{launch}","1984564","profile","127.0.0.1","{kernel}","1","7","(32, 32, 1)","{grid}","0","8.0"'


def long_launch(launch: int, chance: random.Random) -> str:
    """Rows of ``--csv --metrics``."""
    who = identity(launch)
    section = '"Command line profiler metrics"'
    return "".join(f'{who},{section},"{name}","{unit}","{printed(chance)}"\n' for name, unit in LONG_METRICS)


def details_launch(launch: int, chance: random.Random) -> str:
    """Rows of ``--csv --page details``: a trailing comma, and rules with more columns than the metrics have."""
    who = identity(launch)
    rule = (
        '"SpeedOfLight","","","","SOLBottleneck","OPT","This kernel, like many, could be ""faster"".","global","12.5"'
    )
    rows = "".join(f'{who},{DETAIL},"{name}","{unit}","{printed(chance)}",\n' for name, unit in LONG_METRICS)
    return f"{rows}{who},{rule}\n"


def wide_launch(launch: int, chance: random.Random) -> str:
    """A row of ``--csv --page raw``."""
    return identity(launch) + "".join(f',"{printed(chance)}"' for _ in range(1500)) + "\n"


WIDE_NAMES = "".join(f',"unit{i % 40}__counter_number_{i}.sum"' for i in range(1500))
WIDE_UNITS = ['""'] * 11 + ['"inst"'] * 1500
LONG_NAMES = f'{IDENTITY},"Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
RULES = ',"Rule Name","Rule Type","Rule Description","Estimated Speedup Type","Estimated Speedup"'
FORMS: dict[str, tuple[str, Callable[[int, random.Random], str]]] = {
    "long": (f"{LONG_NAMES}\n", long_launch),
    "details": (f"{LONG_NAMES}{RULES}\n", details_launch),
    "wide": (f'{IDENTITY},"Device","CC"{WIDE_NAMES}\n{",".join(WIDE_UNITS)}\n', wide_launch),
}


def make(form: str, path: Path) -> int:
    """Write a file of 100 MB; returns its launches."""
    header, launch = FORMS[form]
    chance = random.Random(1)
    size = launches = 0
    with path.open("w") as out:
        out.write(header)
        while size < MEGABYTES * 1e6:
            text = launch(launches, chance)
            out.write(text)
            size += len(text)
            launches += 1
    return launches


def measure(script: str, *arguments: str) -> dict[str, float]:
    """Figures of a reader in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-c", script + REPORT, *arguments], capture_output=True, text=True, check=True
    )
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_reading_100_mb(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"{form}.csv"
    launches = make(form, path)
    ours = measure(READ_OURS, str(path), str(Path(__file__).parents[1] / "src"))
    pytest.importorskip("pandas")
    pandas = measure(READ_PANDAS, str(path))
    for name, f in (("roofcast", ours), ("pandas", pandas)):
        print(f"{form:8} {name:9} first {f['first_s']:.2f} s, hot {f['hot_s']:.2f} s, peak {f['peak_mb']:.0f} MB")
    print(
        f"{form:8} ratio     first {ours['first_s'] / pandas['first_s']:.2f}, hot {ours['hot_s'] / pandas['hot_s']:.2f}"
    )
    assert ours["rows"] == launches
    assert ours["peak_mb"] < PEAK_MEMORY_MB
