"""Reading ncu CSV files of 100 MB: time and memory, with pandas on the same file in the same process as the baseline.

``pytest benchmarks/test_csv_speed.py -s`` prints the figures: medians of four reads of each in turn, the first left
out. ``pandas.read_csv`` alone makes a frame of strings, because of the thousands separators; ``pandas table`` goes on
to what roofcast delivers, a row per launch with a number per metric. roofcast moreover hashes the file, reads every
locale and shortens kernel names.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

MEGABYTES = 100
SOURCE = str(Path(__file__).parents[1] / "src")
PEAK_MEMORY_MB = 500
MAX_RATIOS = {"pandas.read_csv": 10.0, "pandas table": 10.0}
"""Most of each reader's processor time: room for a busy machine above what was measured."""
READ_BY = ("roofcast", *MAX_RATIOS, "polars.read_csv", "pyarrow.csv.read_csv")
"""All readers that are timed; the last two leave numbers with thousands separators as texts, and odd rows out."""
OPS = [f"{p}{op}" for p in "dfh" for op in ("add", "mul", "fma")] + ["integer", "control", "memory", "conversion"]
LONG_METRICS = [(f"smsp__sass_thread_inst_executed_op_{op}_pred_on.sum", "inst") for op in OPS] + [
    ("gpu__time_duration.sum", "ns"),
    ("dram__bytes.sum", "byte"),
    ("lts__t_bytes.sum", "byte"),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%"),
]
IDENTITY = '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size"'
DETAIL = '"GPU Speed Of Light Throughput"'

READ_ONCE = """
import json, resource, sys
sys.path.insert(0, sys.argv[2])
from roofcast import reading
rows = len(reading.read(sys.argv[1]))
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({"rows": rows, "peak_mb": peak}))
"""
READERS = """
import json, sys, time, warnings
sys.path.insert(0, sys.argv[2])

# That columns hold more than one type is what the plain reader cannot help.
warnings.simplefilter("ignore")

def roofcast(path):
    from roofcast import reading

    return reading.read(path)

def plain(path):
    import pandas

    return pandas.read_csv(path)

def table(path):
    import pandas

    if sys.argv[3] == "wide":
        return pandas.read_csv(path, thousands=",", skiprows=[1])
    rows = pandas.read_csv(path)
    rows = rows[rows["Metric Name"].notna()]
    rows["value"] = pandas.to_numeric(rows["Metric Value"].str.replace(",", ""), errors="coerce")
    launch = ["ID", "Process ID", "Kernel Name", "Block Size", "Grid Size", "CC"]
    return rows.pivot(index=launch, columns=["Section Name", "Metric Name", "Metric Unit"], values="value")

def of_polars(path):
    import polars

    return polars.read_csv(path, infer_schema_length=1000, truncate_ragged_lines=True, ignore_errors=True)

def of_pyarrow(path):
    from pyarrow import csv

    return csv.read_csv(path, parse_options=csv.ParseOptions(invalid_row_handler=lambda row: "skip"))

reads = {
    "roofcast": roofcast, "pandas.read_csv": plain, "pandas table": table, "polars.read_csv": of_polars,
    "pyarrow.csv.read_csv": of_pyarrow,
}
"""
READ_ALL = f"""{READERS}
figures = {{name: [] for name in reads}}
for run in range(5):
    for name, read in reads.items():
        wall, cpu = time.perf_counter(), time.process_time()
        assert len(read(sys.argv[1]))
        # The first run of each imports what it needs.
        if run:
            figures[name].append((time.perf_counter() - wall, time.process_time() - cpu))
print(json.dumps(figures))
"""
READ_FIRST = f"{READERS}\nprint(len(reads[sys.argv[4]](sys.argv[1])))\n"


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


def measure(script: str, *arguments: str) -> Any:
    """What a script prints in a process of its own."""
    done = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def medians(form: str, path: Path) -> dict[str, tuple[float, float]]:
    """Reader -> seconds and processor seconds, in one warm process."""
    runs = measure(READ_ALL, str(path), SOURCE, form)
    return {
        name: (statistics.median(wall for wall, _ in found), statistics.median(cpu for _, cpu in found))
        for name, found in runs.items()
    }


def first_reads(form: str, path: Path) -> dict[str, float]:
    """Reader -> seconds of a process that imports it and reads the file once; the least of two."""
    found: dict[str, float] = {}
    for name in READ_BY:
        for _ in range(2):
            start = time.perf_counter()
            measure(READ_FIRST, str(path), SOURCE, form, name)
            found[name] = min(found.get(name, float("inf")), time.perf_counter() - start)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_reading_100_mb(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"{form}.csv"
    launches = make(form, path)
    once = measure(READ_ONCE, str(path), SOURCE)
    print(f"{form:8} peak {once['peak_mb']:.0f} MB")
    assert once["rows"] == launches
    assert once["peak_mb"] < PEAK_MEMORY_MB
    pytest.importorskip("pandas")
    warm, first = medians(form, path), first_reads(form, path)
    for name, most in MAX_RATIOS.items():
        wall, cpu = (ours / theirs for ours, theirs in zip(warm["roofcast"], warm[name], strict=True))
        print(
            f"{form:8} to {name}: {wall:.2f} of its time, {cpu:.2f} of its processor time; "
            f"{first['roofcast'] / first[name]:.2f} of its time as processes of their own"
        )
        assert cpu < most
