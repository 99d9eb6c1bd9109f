"""Formats that roofcast knows and does not read, each with what makes it readable."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePath

from roofcast.ingest.text.decoding import head_text, is_text

NSYS_EXPORT = "`nsys export --type sqlite REPORT`"
AS_SQLITE = f"export it with {NSYS_EXPORT} and give the .sqlite file"
AMD = "give the counters: the folder of the run, its pmc_perf.csv, results.csv or counter_collection.csv"
AS_REPORT = "give the .ncu-rep report, its CSV (`ncu --csv --page raw`) or a kernel table"

PERFETTO = (
    "a Perfetto trace (rocprof-sys, omnitrace, rocprofv3): record with `rocprofv3 --kernel-trace --output-format csv` "
    "(or rocpd; rocprof-sys: ROCPROFSYS_USE_ROCPD=true) and give those files"
)
INTEL = (
    "a result of Intel VTune, which holds no launches: record with `unitrace --chrome-kernel-logging ./application` "
    "and give its .json"
)
XPLANE = "give the trace.json.gz beside it, which jax.profiler.trace and TensorBoard's trace viewer write"

CODE = "source code, no profile: `roofcast hull --from-source FILE --on GPU` forecasts its loops and kernels unmeasured"
LAUNCHES = "source code that launches kernels: pip install 'roofcast[hull]', which reads it"
"""Of what the reader of source code takes where it is installed: it is asked first."""

SUFFIXES: dict[str, str] = {
    **dict.fromkeys((".cu", ".cuh", ".hip"), LAUNCHES),
    **dict.fromkeys((".c", ".cc", ".cpp", ".cxx", ".h", ".hpp", ".py"), CODE),
    ".nsys-rep": f"an Nsight Systems report (binary): {AS_SQLITE}",
    ".qdrep": f"an old Nsight Systems report (binary): {AS_SQLITE}",
    ".qdstrm": f"a raw Nsight Systems stream: QdstrmImporter turns it into a report; {AS_SQLITE}",
    **dict.fromkeys((".pftrace", ".proto", ".perfetto-trace", ".perfetto"), PERFETTO),
    **dict.fromkeys(
        (".arrow", ".arrows", ".hdf", ".h5"), f"a table in binary form; if it is of Nsight Systems {AS_SQLITE}"
    ),
    ".vtune": INTEL,
    ".pb": f"an XSpace of JAX or TensorFlow (protobuf): {XPLANE}",
    ".otf2": "an OTF2 trace: record with `rocprofv3 --output-format csv` (or rocpd) and give those files",
    ".ncu-proj": "an Nsight Compute project, which only points at reports: give the .ncu-rep files that it lists",
    ".pkl": f"a Python pickle, which roofcast never loads because loading runs code: {AS_REPORT}",
    ".pickle": f"a Python pickle, which roofcast never loads because loading runs code: {AS_REPORT}",
    ".pt": f"a PyTorch file (pickle inside), which roofcast never loads: {AS_REPORT}",
    ".pth": f"a PyTorch file (pickle inside), which roofcast never loads: {AS_REPORT}",
}
"""By file name, for formats without a magic number of their own."""

MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"PERFILE2", f"a Linux perf capture (perf.data), which is about the CPU: {AS_REPORT}"),
    (b"\x7fELF", "an ELF file (cubin, object or program), not a profile: `roofcast sass` is for cubins"),
    (b"%PDF", f"a PDF document: {AS_REPORT}"),
    (b"\x89PNG", f"a PNG picture: {AS_REPORT}"),
    (b"\xff\xd8\xff", f"a JPEG picture: {AS_REPORT}"),
    (b"GIF8", f"a GIF picture: {AS_REPORT}"),
    (b"PK\x05\x06", "an empty ZIP archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive: unpack it and give the files in it"),
    (b"Rar!", "a RAR archive: unpack it and give the files in it"),
    (b"BZh", "bzip2-compressed: decompress it first (gzip and zstd are read as they are)"),
    (b"\xfd7zXZ\0", "xz-compressed: decompress it first (gzip and zstd are read as they are)"),
    (b"\x89HDF\r\n", f"an HDF5 file; if it is of Nsight Systems {AS_SQLITE}; else {AS_REPORT}"),
    (b"\x93NUMPY", f"a NumPy array file: {AS_REPORT}"),
    (
        b"ARROW1",
        f"an Arrow IPC (Feather) file: save the table as Parquet or CSV; if it is of Nsight Systems {AS_SQLITE}",
    ),
    (b"MZ", "a Windows program or library, not a profile"),
    (b"\xd0\xcf\x11\xe0", "an old Office file: save the sheet as CSV"),
)

NSYS_TABLES = ("CUPTI_ACTIVITY_", "TARGET_INFO_", "StringIds.", "NVTX_EVENTS", "META_DATA_", "ANALYSIS_DETAILS")
"""How the files of `nsys export --type parquetdir` (or arrowdir) begin."""
READ_ELSEWHERE = (b"NVR\0", b"PAR1", b"SQLite format 3\0")
PICKLE_PROTOCOLS = (b"\x02", b"\x03", b"\x04", b"\x05")
NCU_HEADER = re.compile(r'Kernel Name"?[,;\t].*"?(?:Metric Name|Context|Invocations|Grid Size)\b')
TRACE_KEYS = ("deviceProperties", "traceEvents", "schemaVersion", "torch_profiler_kwargs", "distributedInfo")
SOURCE_PAGE = (
    "the source page of ncu (CSV), which lists instructions and not kernels: print `ncu --csv --page raw`, or give the "
    ".ncu-rep report"
)
HEADER_SOURCE = (
    {"Source", "Instructions Executed"},
    {"Source", "# Samples"},
    {"Source", "Live Registers"},
    {"#", "Source", "Address"},
)
HEADER_VTUNE = (
    frozenset({"Computing Task", "Total Time"}),
    frozenset({"Computing Task", "Total Time by Device Operation Type"}),
    frozenset({"Computing Task", "Work Size", "Computing Task:Total Time"}),
    frozenset({"Task Type", "Task Time"}),
)
HEADER_ROCPROF = (
    ({"workload_name", "gpu_model", "gpu_arch"}, "a rocprof-compute (Omniperf) system description (CSV)"),
    ({"HBMBw", "L2Bw", "LDSBw"}, "a rocprof-compute (Omniperf) roofline calibration (CSV)"),
    ({"Dispatch_ID", "Kernel_Name", "GPU_ID"}, "a rocprof-compute (Omniperf) file without counters (CSV)"),
    ({"KernelName", "gpu-id", "queue-id"}, "a rocprof result without counters and times (CSV)"),
    ({"Node_Id", "Agent_Type", "Name"}, "the list of agents of a rocprofv3 run (CSV)"),
)


KEY = re.compile(r'"([^"\\]{1,60})"\s*:')
READ = (
    "it reads traces (export_chrome_trace of torch.profiler, nsys as .sqlite, rocprofv3), profiles (.ncu-rep, counters "
    "of rocprof) and tables of kernels"
)
REQUESTS = "it sums up requests and names no kernels: profile the server (torch.profiler or nsys) and give that trace"
SERVED = (
    "it sums up requests and names no kernels: `roofcast llm CONFIG.json --to GPU --measured FILE` carries it to "
    "another GPU; for kernels profile the server (torch.profiler or nsys)"
)
LOOPS = "it names no GPU kernels: profile the program with ncu or nsys and give that report"
JSON_OF_OTHERS: tuple[tuple[tuple[str, ...], str], ...] = (
    (("roofcast_operators",),
     "a model that never ran (roofcast.torch.record), which has no kernels that were timed: `roofcast FILE`, `roofcast "
     "forecast`, `choose` and `scale` take it"),
    (("request_throughput", "mean_ttft_ms|mean_tpot_ms|output_throughput"),
     f"a result of a serving benchmark (vLLM, SGLang): {SERVED}"),
    (("avg_latency", "latencies", "percentiles"), f"a latency benchmark of vLLM: {REQUESTS}"),
    (("requests_per_second", "tokens_per_second", "elapsed_time"), f"a throughput benchmark of vLLM: {REQUESTS}"),
    (("time_to_first_token", "request_latency|inter_token_latency|request_throughput"),
     f"a result of AIPerf or GenAI-Perf: {SERVED}"),
    (("build_commit", "n_prompt", "avg_ts|avg_ns"), f"a result of llama-bench (tokens per second): {SERVED}"),
    (("MLPerfModel|MlperfModel|SystemName|Submitter|submitter",
      "Scenario|scenario|Performance_Result|Performance_Units|performance|division"),
     f"a summary of MLPerf: {REQUESTS}"),
    (("key", "time_ms", "event_type", "namespace"), f"a log of MLPerf (:::MLLOG): {REQUESTS}"),
    (("meta", "devices", "benchmarks", "nvbench|states|device_type_axes|axes"),
     "results of nvbench (times per state): give a table of them with columns kernel, gpu, time_s, config, or profile "
     "the benchmark with ncu"),
    (("benchmarks", "machine_info|context|cpu_time"), f"results of a benchmark library: {LOOPS}"),
    (("frame", "metrics", "children"),
     "a call tree of Triton's proton (Hatchet), without single launches and shapes: profile the same run with ncu, or "
     "with torch.profiler (export_chrome_trace)"),
    (("nodes", "schema|ctrl_deps|data_deps|inputs_values"),
     "an execution trace (Chakra, PyTorch's ExecutionTraceObserver), which holds operators and no times of kernels: "
     "give the Kineto trace of the same run (export_chrome_trace), or `roofcast forecast FILE --to GPU` and `roofcast "
     "scale FILE --to GPU --gpus 8` for a step by its shapes alone"),
    (("architectures", "model_type"),
     "the configuration of a model: `roofcast llm FILE --to GPU` forecasts a language model under traffic, "
     "roofcast.torch.forecast in Python any model of PyTorch"),
    (("cells", "nbformat"), "a notebook, no profile: give the profiles that it reads"),
    (("name|version", "dependencies|devDependencies|scripts"),
     f"a description of a software package, no profile: {READ}"),
)  # fmt: skip
"""Keys that a file of another tool has (``a|b``: one of them), and what it is. The first that fits counts."""


def describe_refusal(head: bytes, name: str) -> str | None:
    """What a file is and what makes it readable, where roofcast knows the format and does not read it.

    head : first bytes of the content (decompressed).
    name : file name; decides only for formats without a magic number.

    >>> describe_refusal(b"%PDF-1.7", "a.csv")[:14]
    'a PDF document'
    """
    if name.startswith(NSYS_TABLES) and head.startswith(b"PAR1"):
        return f"a table of an Nsight Systems export as Parquet: {AS_SQLITE}"
    if head.startswith(READ_ELSEWHERE):
        return None
    binary = describe_binary(head, name)
    if binary is not None:
        return binary
    if not is_text(head):
        return f"binary content of an unknown format: {AS_REPORT}" if b"\0" in head[:4096] else None
    text = head_text(head)
    # The profiled program may print JSON or XML before ncu prints its CSV.
    if NCU_HEADER.search(text):
        return None
    return next((what for test in TEXT_TESTS if (what := test(text, name))), None)


def describe_binary(head: bytes, name: str) -> str | None:
    """Formats told by a magic number, else by the file name."""
    if head.startswith(b"PK\x03\x04"):
        return describe_zip(head)
    for magic, what in MAGIC:
        if head.startswith(magic) and (len(magic) > 2 or not is_text(head)):
            return what
    if head[257:262] == b"ustar":
        return "a tar archive: unpack it and give the files in it"
    if head[:1] == b"\x80" and head[1:2] in PICKLE_PROTOCOLS and len(head) > 2:
        return SUFFIXES[".pickle"]
    named = SUFFIXES.get(suffix_of(name))
    if named in (LAUNCHES, CODE) and b"\0" in head[:4096]:
        return "not a text file, as source code is"
    return LAUNCHES if suffix_of(name) == ".py" and b"import triton" in head else named


def describe_zip(head: bytes) -> str:
    """What an archive is that is not read."""
    folded = head.lower()
    if b"data.pkl" in folded or b"archive/version" in folded:
        return "a PyTorch file (ZIP with a pickle inside), which roofcast never loads because loading runs code"
    if b"[content_types].xml" in folded:
        return "an Office file: save the sheet as CSV"
    return "a ZIP archive of several files, or one that is damaged or encrypted: unpack it and give the folder"


def suffix_of(name: str) -> str:
    """Last suffix of a file name in lower case, without compression."""
    suffixes = [s.lower() for s in PurePath(name).suffixes if s.lower() not in (".gz", ".zst")]
    return suffixes[-1] if suffixes else ""


def describe_json(text: str, name: str) -> str | None:
    """JSON that is no trace (see :mod:`roofcast.ingest.traces.kineto`)."""
    start = text.lstrip()
    if not start.startswith(("{", "[")) or re.match(r"\[[^\"{\[\]]*[A-Za-z]", start):
        return None
    if any(f'"{key}"' in start for key in TRACE_KEYS) or ('"ph"' in start and '"ts"' in start):
        return None
    if '"rocprofiler-sdk-tool"' in start:
        return (
            "a rocprofv3 trace as JSON: record it with `rocprofv3 --output-format csv` (or rocpd) and give those files"
        )
    if '"roofcast"' in start[:200] and '"source_gpu"' in start[:400] and '"forecasts"' not in start[:400]:
        return (
            "a forecast of a whole run (`roofcast app`): the store keeps those of kernels (`roofcast forecast --save`)"
        )
    # nsys stats --format json has a reader.
    if re.match(r'\[\s*\{\s*"(?:Start|Time) \(', start):
        return None
    if '"globalTid"' in start or '"GlobalPid"' in start or '"globalPid"' in start:
        return f"an Nsight Systems export as JSON: {AS_SQLITE}"
    if suffix_of(name) == ".json" or re.match(r'[{\[]\s*["{\[\]}]', start):
        keys = set(KEY.findall(start))
        what = next((what for needed, what in JSON_OF_OTHERS if all(keys & set(k.split("|")) for k in needed)), None)
        return what or f"JSON of a kind that roofcast does not know: {READ}"
    return None


def describe_markup(text: str, name: str) -> str | None:
    """HTML and XML."""
    start = text.lstrip()[:200].lower()
    if start.startswith(("<!doctype html", "<html")):
        return f"an HTML page (perhaps an error page in place of a download): {AS_REPORT}"
    if start.startswith("<?xml"):
        return f"an XML file: {AS_REPORT}"
    return None


def describe_consoles(text: str, name: str) -> str | None:
    """What profilers print for people to read."""
    if re.search(r"^=== Device Timing (?:Summary|Results)|^== (?:L0|CL) Backend ==", text[:8192], re.M):
        return "a summary of onetrace or unitrace: record with `unitrace --chrome-kernel-logging` and give its .json"
    table = r"^ \*\* .{1,80}\((?:cuda_|nvtx_|um_|osrt_|gpu)\w+\):|^\s+(?:Start|Time) \((?:ns|%)\)\s{2,}"
    if re.search(table, text[:8192], re.M):
        return (
            "a table of nsys stats for reading: print `nsys stats --report cuda_gpu_trace --format csv REPORT`, or "
            f"export the report with {NSYS_EXPORT}"
        )
    return None


def describe_git_lfs(text: str, name: str) -> str | None:
    """A Git LFS pointer stands in place of the file."""
    if text.startswith("version https://git-lfs.github.com/spec/"):
        return "a Git LFS pointer in place of the file: fetch the content with `git lfs pull`"
    return None


def describe_csv(text: str, name: str) -> str | None:
    """CSV files of AMD's profilers that hold no counters of kernels, by their header."""
    from roofcast.ingest.amd import counters, rocprof_trace

    data = text.encode()
    if any(m.recognises(data, name) for m in (rocprof_trace, counters.compute, counters.results, counters)):
        return None
    headers = [(needed, f"{what}: {AMD}") for needed, what in HEADER_ROCPROF]
    for line in text.split("\n", 40)[:40]:
        cells = {cell.strip().strip('"') for cell in re.split("[,;\t]", line)}
        sentence = next((what for needed, what in headers if needed <= cells), None)
        if sentence is None and any(needed <= cells for needed in HEADER_SOURCE):
            return SOURCE_PAGE
        if sentence is None and any(needed <= cells for needed in HEADER_VTUNE):
            return INTEL
        if sentence is not None:
            return sentence
    return None


TEXT_TESTS: tuple[Callable[[str, str], str | None], ...] = (
    describe_git_lfs, describe_consoles, describe_markup, describe_json, describe_csv,
)  # fmt: skip
