"""Small profiles of every text format, made here in the layouts that the tools print."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence

IDENTITY = ("ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream")
SHAPE = ("Block Size", "Grid Size", "Device", "CC")
LONG = ("Section Name", "Metric Name", "Metric Unit", "Metric Value")
KERNEL = 'void scale<float, (int)4>(T1 *, "quoted", int)'

METRICS: tuple[tuple[str, str, float], ...] = (
    ("gpu__time_duration.sum", "ns", 117344.0),
    ("dram__bytes.sum", "byte", 5318969728.0),
    ("sm__throughput.avg.pct_of_peak_sustained_elapsed", "%", 65.77),
    ("smsp__inst_executed.sum", "inst", 1234567.0),
    ("launch__registers_per_thread", "register/thread", 32.0),
)


def line(cells: Sequence[str], quote: bool = True, delimiter: str = ",") -> str:
    """One line of CSV."""
    out = io.StringIO()
    writer = csv.writer(
        out, quoting=csv.QUOTE_ALL if quote else csv.QUOTE_MINIMAL, lineterminator="\n", delimiter=delimiter
    )
    writer.writerow(cells)
    return out.getvalue()


def launch_cells(index: int, kernel: str = KERNEL, process: int = 7) -> list[str]:
    """Identity cells of one launch."""
    return [
        str(index),
        str(process),
        "secret.exe",
        "secret-host",
        kernel,
        "1",
        "7",
        "(256, 1, 1)",
        "(64, 2, 1)",
        "0",
        "8.0",
    ]


def us(value: float) -> str:
    """1,234.50, and whole numbers without decimals, as ncu prints in an English locale."""
    return f"{value:,.0f}" if value == int(value) else f"{value:,.2f}"


def german(value: float) -> str:
    """1.234,50."""
    return us(value).translate(str.maketrans(",.", ".,"))


def french(value: float) -> str:
    """1 234,50 with narrow no-break spaces."""
    return us(value).translate(str.maketrans(",.", "\u202f,"))


def plain(value: float) -> str:
    """1234.50."""
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


def long_csv(
    launches: int = 2,
    number: Callable[[float], str] = us,
    kernel: str = KERNEL,
    process: int = 7,
    quote: bool = True,
    delimiter: str = ",",
    metrics: Sequence[tuple[str, str, float]] = METRICS,
) -> str:
    """``--csv --metrics``: one row per metric. Values grow with the launch index."""
    rows = [line((*IDENTITY, *SHAPE, *LONG), quote, delimiter)]
    for i in range(launches):
        for name, unit, value in metrics:
            scaled = value if unit in ("%", "register/thread") else value * (i + 1)
            cells = [*launch_cells(i, kernel, process), "Command line profiler metrics", name, unit, number(scaled)]
            rows.append(line(cells, quote, delimiter))
    return "".join(rows)


def wide_csv(launches: int = 2, number: Callable[[float], str] = us, kernel: str = KERNEL) -> str:
    """``--csv --page raw``: one row per launch, units below the header."""
    rows = [line((*IDENTITY, *SHAPE, *(name for name, _, _ in METRICS)))]
    rows.append(line([*[""] * (len(IDENTITY) + len(SHAPE)), *(unit for _, unit, _ in METRICS)]))
    for i in range(launches):
        values = [v if u in ("%", "register/thread") else v * (i + 1) for _, u, v in METRICS]
        rows.append(line([*launch_cells(i, kernel), *map(number, values)]))
    return "".join(rows)


NCU_TEXT = """\
==PROF== Connected to process 7 (/home/someone/app)
result: 42
==PROF== Disconnected from process 7
[7] app@127.0.0.1
  scale(float *, int) (64, 2, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 8.0
    Section: GPU Speed Of Light Throughput
    ----------------------- ------------- ------------
    Metric Name               Metric Unit Metric Value
    ----------------------- ------------- ------------
    SM Frequency            cycle/nsecond         1.08
    Memory Throughput                   %        85.69
    Duration                      usecond       117.34
    ----------------------- ------------- ------------

    INF   The kernel is using most of the compute or memory performance of the device, and this
          paragraph goes on.

    Section: Memory Workload Analysis
    ----------------------- ------------- ------------
    Metric Name               Metric Unit Metric Value
    ----------------------- ------------- ------------
    Memory Throughput        Gbyte/second        45.33
    L2 Hit Rate                         %        (!) n/a
    ----------------------- ------------- ------------
    Section: Launch Statistics
    -------------------------------- --------------- ---------------
    Metric Name                          Metric Unit    Metric Value
    -------------------------------- --------------- ---------------
    Block Size                                                   256
    Function Cache Configuration                     CachePreferNone
    Grid Size                                                    128
    Registers Per Thread             register/thread              16
    -------------------------------- --------------- ---------------
"""

NCU_TEXT_2020 = """\
  scale(float *, int), 2020-Oct-25 19:59:36, Context 1, Stream 7
    Section: Command line profiler metrics
    ---------------------------------------------------- --------------- ------------------------------
    dram__bytes_read.sum                                           Mbyte                           9.45
    gpu__time_duration.sum                                       msecond                           1.25
    ---------------------------------------------------- --------------- ------------------------------
  add(float *, int), 2020-Oct-25 19:59:37, Context 1, Stream 7
    Section: Command line profiler metrics
    ---------------------------------------------------- --------------- ------------------------------
    dram__bytes_read.sum                                           Kbyte                         512.00
    gpu__time_duration.sum                                       usecond                           2.50
    ---------------------------------------------------- --------------- ------------------------------
"""

NVPROF_TRACE = """\
==7== NVPROF is profiling process 7, command: ./app /home/someone
==7== Profiling result:
"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread",\
"Static SMem","Dynamic SMem","Size","Throughput","Device","Context","Stream","Name"
s,us,,,,,,,,KB,B,MB,GB/s,,,,
0.372153,45.147,,,,,,,,,,256.0,5.4,"Tesla K40c (0)","1","7","[CUDA memcpy HtoD]"
0.372333,2054.79,16,16,1,16,16,1,27,1.5,512,,,"Tesla K40c (0)","1","7","matMul(float*, int) [105]"
0.374333,1.5,1,1,1,32,1,1,8,0,0,,,"Tesla K40c (0)","1","7","tiny(int) [109]"
"""

NVPROF_METRICS = """\
==7== Metric result:
"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"
"Tesla K40c (0)","matMul(float*, int)",3,"flop_count_sp","FP operations, single",200,200,200
"Tesla K40c (0)","matMul(float*, int)",3,"dram_read_transactions","Reads",10,10,10
"Tesla K40c (0)","matMul(float*, int)",3,"dram_write_transactions","Writes",5,5,5
"Tesla K40c (0)","matMul(float*, int)",3,"warp_execution_efficiency","Efficiency",50.00%,50.00%,50.00%
"Tesla K40c (0)","other(int)",1,"flop_count_sp","FP operations, single",7,7,7
"""

NVPROF_TEXT = """\
==7== Profiling result:
            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 GPU activities:   88.10%  259.01us         2  129.50us  59.01us  259.01us  matMul(float*, float*)
                   11.90%  34.975us         2  17.487us  17.439us  17.536us  [CUDA memcpy HtoD]
      API calls:   99.10%    1.20ms         3  400.00us  100.0us  500.00us  cudaMalloc
                    0.10%    1.20us         3  0.4000us  0.100us  0.5000us  cuDeviceGet
"""

TABLE = """\
kernel,gpu,time_ms,regs,flops,precision,l2_hit_pct,ncu_dram__bytes.sum,colour
saxpy,A100-SXM4-40GB,0.5,16,2000,fp32,55.5,1000000,red
gemm,A100-SXM4-40GB,1.25,,4000,bf16,,2000000,blue
"""

NCCL_TESTS = """\
# nThread 1 nGpus 4 minBytes 8 maxBytes 1048576 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 validation: 1
#
# Using devices
#  Rank  0 Group  0 Pid   7001 on    node-a device  0 [0x07] NVIDIA A100-SXM4-40GB
#  Rank  1 Group  0 Pid   7001 on    node-a device  1 [0x0a] NVIDIA A100-SXM4-40GB
#  Rank  2 Group  0 Pid   7001 on    node-a device  2 [0x47] NVIDIA A100-SXM4-40GB
#  Rank  3 Group  0 Pid   7001 on    node-a device  3 [0x4d] NVIDIA A100-SXM4-40GB
#
#                                                              out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           8             2     float     sum      -1    14.02    0.00    0.00      0    13.88    0.00    0.00      0
     1048576        262144     float     sum      -1    33.50   31.30   46.95      0    32.10   32.67   49.00    N/A
# Out of bounds values : 0 OK
# Avg bus bandwidth    : 23.9875
#
"""
LLM_OPERATORS = """\
operator,gpu,system,framework,version,kernel_source,seconds,flops,gemm_dtype,m,n,k,moe_dtype,num_tokens,hidden_size,\
inter_size,topk,num_experts,moe_tp_size,moe_ep_size,batch_size,isl,num_heads,num_key_value_heads,head_dim,window_size,\
attn_dtype,kv_cache_dtype,step
gemm,H100 SXM5 80GB,h100,vllm,1,vllm_default,5e-06,8388608,bfloat16,16,64,4096,,,,,,,,,,,,,,,,,
gemm,L40S,l40s,vllm,1,vllm_default,4e-06,8388608,bfloat16,16,64,4096,,,,,,,,,,,,,,,,,
moe,H100 SXM5 80GB,h100,sglang,1,triton,2e-04,,,,,,int4_wo,64,7168,2048,8,384,16,1,,,,,,,,,
generation_attention,H100 SXM5 80GB,h100,trtllm,1,flow,7e-06,,,,,,,,,,,,,,16,1,16,1,128,0,bfloat16,fp8,31
gdn,H100 SXM5 80GB,h100,sglang,1,causal_conv1d_fn,7e-06,,,,,,,16384,,,,,,,16,1024,,,,,,,
"""
SAMPLES: dict[str, bytes] = {
    "ncu-csv": long_csv().encode(),
    "ncu-text": NCU_TEXT.encode(),
    "nvprof-csv": NVPROF_TRACE.encode(),
    "nccl-tests": NCCL_TESTS.encode(),
    "llm-operators": LLM_OPERATORS.encode(),
    "table": TABLE.encode(),
}
"""A file of each text format -> its content."""
