"""What `tools/freeze.py` keeps: commands over real files, as one would type them."""

from __future__ import annotations

import csv
import gzip
import os
import re
import shlex
import shutil
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]

MODELS = ("mechanistic", "hybrid", "van_lanker", "occupancy_efficiency")
TRAINED = ("linear", "ridge", "lasso", "svr", "random_forest", "gradient_boosting", "knn")
EVERY_MODEL = " ".join(f"--model {model}" for model in MODELS)
EVERY_TRAINED = " ".join(f"--model {model}" for model in TRAINED)

TARGETS = "'H100 SXM5 80GB,MI300X,RTX 4090'"
VARIATIONS = "'A100-SXM4-40GB{dram=3TB/s,l2=80MB,sm=120},H100 SXM5 80GB{clock=1.5GHz},B200{fp32=90TFLOP/s}'"
OTHER = "'RTX 2080 Ti,V100-SXM2-16GB,MI210'"
JSON, CSV = "--format json", "--format csv"

SOURCES = {
    **{"cc-12-0": "RTX 5090", "cc-10-0": "B200", "cc-7-5": "RTX 2080 Ti", "cc-8-0": "A100-SXM4-40GB"},
    **{"cc-8-6": "RTX 3090", "unknown__HiPerCoRe": "RTX 2080", "unknown__marcosamaris": "GTX 680"},
    **{"unknown__ROCm": "MI210", "gtx-750": "GTX 750 Ti", "tesla-k40c": "Tesla K40c", "mi100": "MI100", "mi60": "MI60"},
}
"""GPUs of files that may not say theirs, by the beginning of the file's name."""

REPRESENTATIVE = re.compile(
    r"ncu_rep/(h100-pcie|rtx-3070|a100-sxm4.*goodTile|tesla-v100.*Baseline|gtx-1660)|"
    r"ncu_csv/(cc-8-6|cc-8-0.*sgemm|cc-10)|kineto/(h100.*bert|amd.*mi210|pg509)|"
    r"nsys_sqlite/(tesla-t4|h200.*report2)|nvprof/tesla|rocprof/mi100|rocprof_compute/mi200.*pmc"
)
"""Files of the subset: every format, quick."""

REPRESENTATIVE_TABLES = {"micro16", "hecbench_ncu-kernels", "nca_nvprof-kernels", "kernel_tuner-ktt_2gpu_counters"}

DATASETS = (
    *("hecbench_ncu", "kernel_tuner", "bat", "nca_nvprof", "dvfs_hkbu", "micro16", "neusight", "llm_ops_gemm"),
    *("llm_ops_attention", "llm_ops_moe", "pmpp_nvbench", "vidur_llm_ops", "deepbench", "eleuther_gemm", "llmcompass"),
)
"""Registered data sets, less fluidx3d: its 278 devices take minutes and have one kernel."""

SAMPLED_ROWS = 2000
"""About so many rows of each data set are forecast; `evaluate` sees all of them."""

HULLS = (
    "2048x2048|element -> 2048x2048|element",
    "unordered 2048x2048|element -> 2048x2048|element",
    "1024x1024|tile(1x1024) -> 1024|element",
    "1024x1024|tile(1024x1) -> 1024|element",
    "2048x2048|tile(4x4) -> 512x512|element",
    "2048x2048|tile(8x8) -> 2048x2048|tile(8x8)",
    "512x512|element -> 2048x2048|tile(4x4)",
    "2048x2048|neighbourhood(7x7) -> 2048x2048|element",
    "2048x2048|neighbourhood(5) -> 2048x2048|element",
    "2048x2048|element -> 1|shared",
    "2048x2048|element -> 256|shared",
    "2048x2048|element & 2048x2048|element -> 2048x2048|element",
    "1024x512|tile(1x512) & 512x256|tile(512x1) -> 1024x256|element",
)

HULL_FORMS = {
    "plain": "--complexity 10",
    "range": "--complexity 1:1000 --transfers --form both",
    "published": "--complexity 5 --form published --element int32 --assume no-fma,scattered,one-thread",
    "modern": "--complexity 5 --form modern --offset 3 --assume warm,vector,threads",
}

CODES = {
    "stencil.py": """
def jacobi(a, b):
    for i in range(1, 1023):
        for j in range(1, 1023):
            b[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
""",
    "arrays.py": """
import numpy as np

def residual(u: 'float64[512, 512]', f: 'float64[512, 512]'):
    r = f[1:-1, 1:-1] - (u[:-2, 1:-1] + u[2:, 1:-1] - 4.0 * u[1:-1, 1:-1])
    return np.sqrt(np.sum(r * r))
""",
    "dot.c": """
float dot(float a[4096], float b[4096]) {
  float s = 0;
  for (int i = 0; i < 4096; i++) s += a[i] * b[i];
  return s;
}
""",
    "histogram.c": """
void histogram(unsigned char in[1024][1024], int out[256]) {
  for (int i = 0; i < 1024; i++)
    for (int j = 0; j < 1024; j++) out[in[i][j]] += 1;
}
""",
    "refused.cu": 'extern "C" __global__ void scale(float *a, float s) { a[threadIdx.x] *= s; }\n',
}

SPACE = """base = "H100 SXM5 80GB"
goal = 1.2
cost = "3.2*sm + 0.6*l2/1e6 + 25*dram/1e12"
[axes]
sm = [100, 132, 160]
dram = { from = "2 TB/s", to = "8 TB/s", count = 5 }
l2 = ["30 MB", "50 MB", "120 MB"]
clock = ["1.4 GHz", "1.98 GHz"]
"""


@dataclass(frozen=True, slots=True)
class Case:
    """One command on one file, with the lines that make its values."""

    command: str
    subject: str
    variant: str
    lines: tuple[str, ...]
    subset: bool = False
    weight: float = field(default=1.0, compare=False)
    """Roughly its seconds: the longest begin first."""

    @property
    def name(self) -> str:
        """What it is called in tables, and the key of its values."""
        return f"{self.command} {self.subject} {self.variant}"

    @property
    def runs(self) -> list[list[str]]:
        """Its lines as arguments of the command line."""
        return [shlex.split(line) for line in self.lines]

    @property
    def made(self) -> str:
        """The file that its last line writes, read in place of the standard output; empty: none."""
        last = self.runs[-1] if self.lines else []
        return last[last.index("-o") + 1] if "-o" in last else ""

    @property
    def file(self) -> str:
        """Name of its Parquet file: readable, and unique by the checksum."""
        readable = re.sub(r"[^A-Za-z0-9.]+", "-", self.name)[:120]
        return f"{readable}-{zlib.crc32(self.name.encode()):08x}.parquet"


def shared(variable: str, name: str) -> Path:
    """Find a folder of real files as the tests do."""
    named = os.environ.get(variable)
    folder = Path(named) if named else CHECKOUT.parent / "shared" / name
    if not folder.is_dir():
        raise SystemExit(f"real files are absent: set {variable} to the folder that holds them ({name})")
    return folder.resolve()


def keep_inputs(checkout: Path, inputs: Path) -> None:
    """Copy what stands in a checkout and may move there, and sample the data sets."""
    (inputs / "codes").mkdir(parents=True)
    (inputs / "tables").mkdir()
    for name in ("fast_focus_on_structures.toml", "prices.toml", "convolution.csv"):
        shutil.copy(checkout / "examples" / name, inputs / name)
    shutil.copy(checkout / "examples" / "space.toml", inputs / "space_of_examples.toml")
    (inputs / "space.toml").write_text(SPACE)
    for name, code in CODES.items():
        (inputs / "codes" / name).write_text(code.lstrip("\n"))
    for found in (checkout / "tests").rglob("polybench.c"):
        shutil.copy(found, inputs / "codes" / found.name)
    for table in sorted(shared("ROOFCAST_DATA", "data").glob("*/*.csv.gz")):
        name = table.name.removesuffix(".csv.gz")
        # Rows kept back for a last check are read by nothing; tables without kernels are no input of a command.
        if name == "check" or not {"kernel", "config", "gpu"} <= set(read_header(table)):
            continue
        sample_table(table, inputs / "tables" / f"{table.parent.name}-{name}.csv")


def read_header(table: Path) -> list[str]:
    """Names of a packed table's columns."""
    with gzip.open(table, "rt", newline="") as lines:
        return next(csv.reader(lines), [])


def sample_table(table: Path, sampled: Path) -> None:
    """Keep whole configurations, on all their GPUs, chosen by checksum."""
    import polars as pl

    frame = pl.read_csv(table, infer_schema=False)
    both = pl.concat_str([pl.col("kernel"), pl.col("config")], separator="|", ignore_nulls=True)
    share = max(1, round(frame.height / SAMPLED_ROWS))
    frame.filter([zlib.crc32(key.encode()) % share == 0 for key in frame.select(both).to_series()]).write_csv(sampled)


def cases_of(inputs: Path) -> list[Case]:
    """List all cases: the commands over the real files, the data sets and the kept inputs."""
    fixtures = sorted(shared("ROOFCAST_FIXTURES", "fixtures").glob("*/*"))
    found = [
        *(case for path in fixtures for case in cases_of_file(f"fixtures/{path.parent.name}/{path.name}")),
        *(case for table in sorted((inputs / "tables").glob("*.csv")) for case in cases_of_table(table)),
        *cases_of_pairs(),
        *cases_of_hulls(sorted(path.name for path in (inputs / "codes").iterdir())),
        *cases_of_catalog((inputs / "gpus.txt").read_text().splitlines()),
        *cases_of_evaluation(),
    ]
    repeated = [name for name, number in Counter(case.name for case in found).items() if number > 1]
    if repeated:
        raise SystemExit(f"cases of one name: {', '.join(repeated)}")
    return found


def cases_of_file(file: str) -> Iterator[Case]:
    """Ask everything that a profiler's file is used for."""
    kind, name = file.split("/")[1:]
    given = next((f"--from '{gpu}'" for start, gpu in SOURCES.items() if name.startswith(start)), "")
    small = bool(REPRESENTATIVE.search(file))

    def case(command: str, variant: str, options: str, subset: bool = True) -> Case:
        return Case(command, file, variant, (f"{command} {file} {options}",), small and subset)

    yield case("inspect", "json", JSON)
    yield case("inspect", "text", "--details")
    yield case("forecast", "explained", f"--to {TARGETS} --explain {given} {JSON}")
    yield case("forecast", "text", f"--to H100 --explain {given}")
    yield case("forecast", "variations", f"--to {VARIATIONS} --explain {given} {JSON}")
    yield case("forecast", "csv", f"--to {OTHER} {given} {CSV} --coverage 0.5")
    for model in MODELS:
        yield case("forecast", f"model {model}", f"--to {OTHER} --model {model} {given} {JSON}")
    if given:
        yield case("forecast", "source not given", f"--to H100 {JSON}")
    yield case("forecast", "conditions", f"--to {TARGETS} --clock base --cache warm {given} {JSON}")
    floors = "--launch-floor 4us,6us --clock '1.2 GHz' --cache cold --no-sass"
    yield case("forecast", "floors", f"--to {TARGETS} {floors} {given} {JSON}", subset=False)
    yield case("roofline", "csv", f"-o made.csv {given}")
    yield case("roofline", "csv to", f"--to H100,MI300X -o made.csv {given}", subset=False)
    yield case("roofline", "text", given)
    yield case("advise", "json", f"{given} {JSON}")
    yield case("advise", "on", f"--on 'H100 SXM5 80GB' {given} {JSON}", subset=False)
    yield case("advise", "text", given)
    among = "--among 'H100 SXM5 80GB,A100-SXM4-40GB,L40S,MI300X,B200'"
    yield case("choose", "json", f"{among} {given} {JSON}")
    yield case("choose", "text", f"{among} --deadline 1s --prices inputs/prices.toml {given}", subset=False)
    if kind in {"kineto", "nsys_sqlite", "nvprof", "rocprof"}:
        yield case("app", "json", f"--to 'H100 SXM5 80GB,MI300X' {given} {JSON}")
        yield case("app", "variation", f"--to {VARIATIONS} --launch-floor 4us,6us {given} {JSON}", subset=False)
        yield case("app", "text", f"--to B200 {given}")
    if kind == "ncu_rep":
        yield case("sass", "json", JSON)
        yield case("sass", "text", "--against H100")
        yield case("sass", "against", f"--against B200 {JSON}")
    if kind in {"ncu_rep", "ncu_csv", "rocprof_compute"}:
        yield case("sweep", "json", f"--space inputs/space.toml {given} {JSON}", subset="h100-pcie" in file)


def cases_of_table(table: Path) -> Iterator[Case]:
    """Forecast a sampled data set: from several of its GPUs alone, and from all together."""
    file, name = f"inputs/tables/{table.name}", table.stem
    small = name in REPRESENTATIVE_TABLES
    with table.open(newline="") as lines:
        # Several processors as one ("2x EPYC 7352") are in no catalog.
        measured = Counter(row["gpu"] for row in csv.DictReader(lines) if not re.match(r"\d+x ", row["gpu"]))
    gpus = [gpu for gpu, _ in measured.most_common(4)]

    def case(command: str, variant: str, options: str, subset: bool = False) -> Case:
        return Case(command, name, variant, (f"{command} {file} {options}",), subset, weight=3.0)

    for gpu in gpus:
        source = f"--from {shlex.quote(gpu)}"
        yield case("forecast", f"from {gpu}", f"--to {TARGETS} {source} --explain {JSON}")
        yield case("forecast", f"variations from {gpu}", f"--to {VARIATIONS} {source} {JSON}")
        yield case("forecast", f"text from {gpu}", f"--to H100 {source} --top 20", subset=gpu == gpus[0])
    first = shlex.quote(gpus[0])
    for model in MODELS:
        options = f"--to {OTHER} --from {first} --model {model} --top 60 {JSON}"
        yield case("forecast", f"model {model}", options, subset=small)
    for model in TRAINED:
        yield case("forecast", f"model {model}", f"--to {OTHER} --from {first} --model {model} {JSON}")
    several = f"--to 'H100 SXM5 80GB' --explain {JSON}"
    yield case("forecast", "several sources", several, subset=name == "llmcompass-ops")
    yield case("forecast", "several sources csv", f"--to {shlex.quote(gpus[0] + ',B200')} {CSV}")
    yield case("advise", "json", f"--from {first} {JSON}", subset=small)
    yield case("choose", "json", f"--from {first} --among {TARGETS} {JSON}", subset=name == "llmcompass-ops")
    yield case("inspect", "json", f"--top 200 {JSON}")


def cases_of_pairs() -> Iterator[Case]:
    """Compare files, follow versions, choose from the whole catalog, end in a message."""
    folder = shared("ROOFCAST_FIXTURES", "fixtures")

    def find(pattern: str) -> str:
        found = sorted(folder.glob(pattern))
        return f"fixtures/{found[0].relative_to(folder)}" if found else pattern

    stencil, matmul = find("ncu_rep/tesla-v100*Baseline*"), find("ncu_rep/h100-pcie*")
    trace, on_mi300 = find("kineto/h100*bert*"), find("kineto/amd*mi300*bert*")
    pairs = {
        "stencil": (stencil, find("ncu_rep/tesla-v100*DivToMult*")),
        "gemm": (find("ncu_csv/cc-12-0*gemm-naive*"), find("ncu_csv/cc-12-0*gemm-tiled*")),
        "cutlass": (find("ncu_rep/a100-sxm4*20480.ncu-rep"), find("ncu_rep/a100-sxm4*goodTile*")),
        "traces": (trace, on_mi300),
        "timelines": (find("nsys_sqlite/h200*report1*"), find("nsys_sqlite/h200*report2*")),
        "losses": (find("nsys_sqlite/rtx-4090*reference*"), find("nsys_sqlite/rtx-4090*custom*")),
        "index spaces": (find("ncu_rep/a40*profile.ncu-rep"), find("ncu_rep/a40*317662*")),
    }
    for name, (before, after) in pairs.items():
        both, small = f"{before} {after}", name in {"stencil", "gemm", "traces"}
        for style in ("json", "table", "markdown"):
            yield Case("compare", name, style, (f"compare {both} --format {style}",), small)
        yield Case("compare", name, "limit", (f"compare {both} --fail-above 5% {JSON}",))
        yield Case("roofline", name, "trajectory", (f"roofline {both} -o made.csv",), name == "stencil")
        yield Case("forecast", name, "two files", (f"forecast {both} --to H100,H100,L40S {JSON}",))
    saved = (f"forecast {trace} --to MI300X {JSON} -o made.json", f"compare made.json {on_mi300} {JSON}")
    yield Case("compare", "saved forecast", "json", saved, subset=True)
    yield Case("app", "traces", "json", (f"app {trace} --to MI300X {JSON}",), subset=True)
    yield Case("app", "traces", "ranks", (f"app {trace} {find('kineto/h100*timesformer*')} --to B200 {JSON}",))
    paid = f"choose {stencil} {JSON} --prices inputs/prices.toml --budget 250000"
    yield Case("choose", "stencil", "whole catalog", (paid,))
    yield Case("choose", "trace", "whole catalog", (f"choose {trace} {JSON} --power 10kW",))
    yield Case("sweep", "stencil", "json", (f"sweep {stencil} --space inputs/space.toml {JSON}",))
    yield Case("sweep", "matmul", "example", (f"sweep {matmul} --space inputs/space_of_examples.toml {JSON}",))
    yield Case("sweep", "matmul", "csv", (f"sweep {matmul} --space inputs/space.toml {CSV}",))
    yield Case("sweep", "matmul", "text", (f"sweep {matmul} --space inputs/space.toml",))
    full = f"forecast {trace} --to H100 --kernel 'gemm|matmul' --full-names"
    yield Case("forecast", "trace", "full names", (f"{full} {JSON}", full))
    yield Case("forecast", "faults", "messages", tuple(faults(matmul)), subset=True)


def faults(profile: str) -> Iterator[str]:
    """Type what ends in one line."""
    yield "forecast fixtures/absent.ncu-rep --to H100"
    yield f"forecast {profile} --to H1000000"
    yield f"forecast {profile} --to 'H100{{drum=3TB/s}}'"
    yield f"forecast {profile} --to H100 --model oracle"
    yield f"forecast {profile}"
    yield "forecast inputs/prices.toml --to H100"
    yield f"app {profile} --to H100"
    yield "hull '1024x1024|elephant -> 1|shared' --on H100"
    yield "evaluate no_such_data"
    yield "sass inputs/prices.toml"
    yield f"sweep {profile} --space inputs/prices.toml"


def cases_of_hulls(codes: list[str]) -> Iterator[Case]:
    """Forecast classes, the application of the paper, small codes, and compare profiles with classes."""
    on = "--on 'GTX 470,H100,i7-930,MI210'"
    for written in HULLS:
        hull, convolution = f"hull '{written}'", "7x7" in written
        for name, options in HULL_FORMS.items():
            yield Case("hull", written, name, (f"{hull} {on} {options} {JSON}",), name in {"plain", "range"})
        for element in ("fp64", "fp16", "bf16", "int8"):
            options = f"--on H100,MI210,A100 --element {element} --complexity 3 {JSON}"
            yield Case("hull", written, element, (f"{hull} {options}",))
        yield Case("hull", written, "text", (f"{hull} {on} --complexity 1:100",), convolution)
        yield Case("hull", written, "fit", (f"{hull} --complexity 2 --fit 100us {JSON}",))
        compared = f"{hull} --compare inputs/convolution.csv --from 'RTX 2080 Ti' --on 'RTX 3090' {JSON}"
        yield Case("hull", written, "compared", (compared,), convolution)
    focus = "hull inputs/fast_focus_on_structures.toml"
    for style in ("json", "table", "csv"):
        yield Case("hull", "classes", style, (f"hull --classes --format {style}",), subset=True)
        yield Case("hull", "application", style, (f"{focus} --format {style}",), subset=True)
    yield Case("hull", "application", "on", (f"{focus} {on} --transfers {JSON}",), subset=True)
    for code in codes:
        line = f"hull --from-source inputs/codes/{code}"
        lines = (f"{line} {JSON}", f"{line} --on A100,H100 {JSON}", line, f"{line} --on A100,i7-930")
        yield Case("hull", code, "code", lines, subset=True)
    yield Case("hull", "public data", "json", (f"hull --public-data --on A100 {JSON}",), weight=8.0)


def cases_of_catalog(names: list[str]) -> Iterator[Case]:
    """List the catalog, and show each entry by itself."""
    for style in ("json", "csv"):
        yield Case("gpus", "all", style, (f"gpus --format {style}",), subset=True)
    yield Case("gpus", "all", "text", ("gpus", "gpus --search hopper", "gpus --vendor AMD"), subset=True)
    for start in range(0, len(names), 25):
        lines = tuple(f"gpus {shlex.quote(name)} {JSON}" for name in names[start : start + 25])
        yield Case("gpus", f"entries from {names[start]}", "json", lines, subset=start == 0)
    yield Case("gpus", "entries", "text", tuple(f"gpus {shlex.quote(name)}" for name in names[::10]))


def cases_of_evaluation() -> Iterator[Case]:
    """Score every pair of the data sets by every physics model, and models that learn in seconds."""

    def case(data: str, variant: str, options: str, subset: bool = False, weight: float = 10.0) -> Case:
        return Case("evaluate", data, variant, (f"evaluate {data} {options} {JSON}",), subset, weight)

    for data in DATASETS:
        large = data == "neusight"
        yield case(data, "pairs", f"{'' if large else EVERY_MODEL} --worst 20", weight=40.0 if large else 20.0)
        if not large:
            yield case(data, "screened", "--screen --floors --model mechanistic --model hybrid")
    yield case("hecbench_ncu", "all sources", "--experiment all-sources", subset=True)
    for data in ("micro16", "llmcompass", "dvfs_hkbu", "eleuther_gemm"):
        yield case(data, "worst", "--worst 10 --model mechanistic --model hybrid", subset=True)
    for experiment in ("new-gpu", "new-configuration", "new-kernel"):
        yield case("micro16", experiment, f"{EVERY_TRAINED} {EVERY_MODEL} --experiment {experiment}")
    yield Case("evaluate", "micro16", "text", ("evaluate micro16",), subset=True)
    yield Case("evaluate", "micro16", "csv", (f"evaluate micro16 {CSV}",))
