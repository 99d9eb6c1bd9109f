"""Files in which unified memory moved pages, in the documented layouts of nvprof and Nsight Systems; numbers made up.

One kernel of 5 ms on a V100: 12 groups of faults take 4.24 ms of it, 8 MiB move in and 4 MiB back out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from timeline_samples import KERNEL_COLUMNS, PID, database, nsys_tables

HOST = 2**32 - 1
"""How CUPTI numbers the host."""
LOG = """==2424== NVPROF is profiling process 2424, command: ./add
==2424== Profiling application: ./add
==2424== Profiling result:
            Type  Time(%)      Time     Calls       Avg       Min       Max  Name
 GPU activities:  100.00%  5.0000ms         1  5.0000ms  5.0000ms  5.0000ms  add(int, float*, float*)
      API calls:   90.10%  197.45ms         2  98.723ms  38.456us  197.41ms  cudaMallocManaged
                    9.90%  5.2656ms         1  5.2656ms  5.2656ms  5.2656ms  cudaDeviceSynchronize

==2424== Unified Memory profiling result:
Device "Tesla V100-SXM2-16GB (0)"
   Count  Avg Size  Min Size  Max Size  Total Size  Total Time  Name
      48  170.67KB  4.0000KB  0.9961MB  8.000000MB  843.8660us  Host To Device
      24  170.67KB  4.0000KB  0.9961MB  4.000000MB  357.2770us  Device To Host
      12         -         -         -           -  4.243755ms  Gpu page fault groups
Total CPU Page faults: 36
"""
KEPLER = """==15638== NVPROF is profiling process 15638, command: ./add
==15638== Profiling result:
Time(%)      Time     Calls       Avg       Min       Max  Name
100.00%  93.471us         1  93.471us  93.471us  93.471us  add(int, float*, float*)

==15638== Unified Memory profiling result:
Device "Tesla K80 (0)"
   Count  Avg Size  Min Size  Max Size  Total Size  Total Time  Name
       6  1.3333MB  896.00KB  2.0000MB  8.000000MB  1.154720ms  Host To Device
     102  120.47KB  4.0000KB  0.9961MB  12.00000MB  1.895040ms  Device To Host
Total CPU Page faults: 51
"""
"""A GPU that cannot fault: pages move before the kernel starts."""
CSV = """==2424== NVPROF is profiling process 2424, command: ./add
==2424== Profiling result:
"Type","Time(%)","Time","Calls","Avg","Min","Max","Name"
,%,ms,,ms,ms,ms,
"GPU activities",100.000000,5.000000,1,5.000000,5.000000,5.000000,"add(int, float*, float*)"

==2424== Unified Memory profiling result:
"Device","Count","Avg Size","Min Size","Max Size","Total Size","Total Time","Name"
,,KB,KB,KB,MB,us,
"Tesla V100-SXM2-16GB (0)",48,170.666667,4.000000,1020.000000,8.000000,843.866000,"Host To Device"
"Tesla V100-SXM2-16GB (0)",24,170.666667,4.000000,1020.000000,4.000000,357.277000,"Device To Host"
"Tesla V100-SXM2-16GB (0)",12,,,,,4243.755000,"Gpu page fault groups"
==2424== Total CPU Page faults: 36
"""
TRACE = """==77== NVPROF is profiling process 77, command: ./add
==77== Profiling result:
"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem",\
"Dynamic SMem","Device","Context","Stream","Unified Memory","Virtual Address","Name"
ms,us,,,,,,,,KB,KB,,,,,,
480.000000,,,,,,,,,,,,,,"PC 0x400b82","0x7f246e000000","[Unified Memory CPU page faults]"
500.000000,400.000000,,,,,,,,,,"Tesla V100-SXM2-16GB (0)",,,"12","0x7f246e000000","[Unified Memory GPU page faults]"
500.010000,1000.000000,64,1,1,256,1,1,16,0.000000,0.000000,"Tesla V100-SXM2-16GB (0)","1","7",,,"add(int, float*) [108]"
500.100000,20.000000,,,,,,,,,,"Tesla V100-SXM2-16GB (0)",,,"65536","0x7f246e000000","[Unified Memory Memcpy HtoD]"
502.000000,1000.000000,64,1,1,256,1,1,16,0.000000,0.000000,"Tesla V100-SXM2-16GB (0)","1","7",,,"scale(float*) [109]"
504.000000,30.000000,,,,,,,,,,"Tesla V100-SXM2-16GB (0)",,,"65536","0x7f246e000000","[Unified Memory Memcpy DtoH]"
"""
CONSOLE = """==77== NVPROF is profiling process 77, command: ./add
==77== Profiling result:
   Start  Duration            Grid Size      Block Size     Regs*    SSMem*    DSMem*           Device   Context    Stream          Unified Memory  Virtual Address  Name
480.00ms         -                    -               -         -         -         -                -         -         -           PC 0x400b82   0x7f246e000000  [Unified Memory CPU page faults]
500.00ms  400.00us                    -               -         -         -         -  Tesla V100-SXM2         -         -                    12   0x7f246e000000  [Unified Memory GPU page faults]
500.01ms  1.0000ms             (64 1 1)       (256 1 1)        16        0B        0B  Tesla V100-SXM2         1         7                     -                -  add(int, float*) [108]
500.10ms  20.000us                    -               -         -         -         -  Tesla V100-SXM2         -         -           64.00000KB   0x7f246e000000  [Unified Memory Memcpy HtoD]
502.00ms  1.0000ms             (64 1 1)       (256 1 1)        16        0B        0B  Tesla V100-SXM2         1         7                     -                -  scale(float*) [109]
504.00ms  30.000us                    -               -         -         -         -  Tesla V100-SXM2         -         -           64.00000KB   0x7f246e000000  [Unified Memory Memcpy DtoH]
"""  # noqa: E501 - as nvprof prints it

NSYS_TRACE = (
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),"
    "Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
    '40000,20000,2,64,1,1,256,1,1,32,0.000,0.001,,,,,Tesla V100-SXM2-16GB (0),1,,7,"scale(float *, int)"\n'
    "45000,5000,,,,,,,,,,,0.066,13107,Managed,Device,Tesla V100-SXM2-16GB (0),1,,7,[CUDA Unified Memory memcpy HtoD]\n"
    "90000,9000,,,,,,,,,,,0.066,7281,Device,Managed,Tesla V100-SXM2-16GB (0),1,,7,[CUDA Unified Memory memcpy DtoH]\n"
)
"""`cuda_gpu_trace` of Nsight Systems without `--cuda-um-gpu-page-faults`: moves, no faults."""
NSYS_SUMS = (
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),GridXYZ,BlockXYZ,Name\n"
    '100.0,30000,3,10000.0,9000.0,8000,13000,5.0,"  64    1    1"," 256    1    1","scale(float *, int)"\n'
    "\nTime (%),Total Time (ns),Count,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Operation\n"
    "80.0,8000,4,2000.0,2000.0,1000,3000,1.0,[CUDA Unified Memory memcpy HtoD]\n"
    "20.0,2000,1,2000.0,2000.0,2000,2000,0.0,[CUDA memcpy DtoH]\n"
    "\nTotal (MB),Count,Avg (MB),Med (MB),Min (MB),Max (MB),StdDev (MB),Operation\n"
    "0.131,4,0.033,0.033,0.004,0.065,0.0,[CUDA Unified Memory memcpy HtoD]\n"
    "\nTotal HtoD Migration Size (MB),Total DtoH Migration Size (MB),Total CPU Page Faults,Total GPU PageFaults,"
    "Minimum Virtual Address,Maximum Virtual Address\n"
    "0.131,,3,9,0x7F9C80000000,0x7F9D7FF83000\n"
)
"""Sums of `nsys stats`: kernels, moves by time and by size, `um_total_sum`."""

TEXTS = (LOG, KEPLER, CSV, TRACE, CONSOLE, NSYS_TRACE, NSYS_SUMS)


def nsys() -> bytes:
    """An export: of the first kernel's 30 us, 12 us are faults and 10 us a move; 4 us of both are at once."""
    tables: dict[str, tuple[Sequence[str], Sequence[Sequence[Any]]]] = nsys_tables()
    columns, rows = tables["CUPTI_ACTIVITY_KIND_MEMCPY"]
    moves = [
        (130_000, 140_000, 0, 1, 7, None, PID, 65_536, 11, 4, 2),
        (300_000, 320_000, 0, 1, 7, None, PID, 65_536, 12, 2, 4),
    ]  # fmt: skip
    fault_columns = ("start", "end", "globalPid", "deviceId", "address", "numberOfPageFaults", "faultAccessType")
    return database({
        **tables,
        "CUPTI_ACTIVITY_KIND_MEMCPY": (columns, [*rows, *moves]),
        "CUDA_UM_GPU_PAGE_FAULT_EVENTS": (fault_columns, [(122_000, 134_000, PID, 0, 1 << 40, 7, 1)]),
        "CUDA_UM_CPU_PAGE_FAULT_EVENTS": (
            ("start", "globalPid", "address", "CpuInstruction"),
            [(200_000, PID, 1 << 40, 5), (210_000, PID, 1 << 41, 5)],
        ),
    })  # fmt: skip


def nvvp() -> bytes:
    """A capture of nvprof: all of it in one table, told apart by the kind of counter."""
    kernel = ("start", "end", "deviceId", "contextId", "streamId", "correlationId", "name", *KERNEL_COLUMNS[8:15])
    return database({
        "StringTable": (("_id_ INTEGER PRIMARY KEY", "value TEXT"), [(1, "add"), (2, "Tesla V100-SXM2-16GB")]),
        "CUPTI_ACTIVITY_KIND_DEVICE": (("id", "name", "numMultiprocessors"), [(0, 2, 80)]),
        "CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL": (
            kernel, [(1_000_000, 1_100_000, 0, 1, 7, 1, 1, 16, 8, 8, 1, 128, 1, 1)],
        ),
        "CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER": (
            ("counterKind", "value", "start", "end", "address", "srcId", "dstId", "streamId", "processId", "flags"),
            [
                (4, 3, 1_000_000, 1_030_000, 1 << 40, 0, 0, 0, 9, 0),
                (1, 65_536, 1_020_000, 1_040_000, 1 << 40, HOST, 0, 0, 9, 2),
                (2, 65_536, 1_200_000, 1_210_000, 1 << 40, 0, HOST, 0, 9, 2),
                (3, 4196226, 1_190_000, 1_190_000, 1 << 40, 0, 0, 0, 9, 0),
            ],
        ),
    })  # fmt: skip
