"""A long trace of PyTorch, drawn by seed: operators that launch kernels on two streams."""

from __future__ import annotations

import json
import random
from pathlib import Path

NAMES = ("gemm_kernel", "void at::native::vectorized_elementwise_kernel<4>(int)", "softmax_kernel", "layer_norm",
         "ncclDevKernel_AllReduce_Sum_f32")  # fmt: skip
GPU = {"id": 0, "name": "NVIDIA H100 80GB HBM3", "numSms": 132, "totalGlobalMem": 85e9, "computeMajor": 9,
       "computeMinor": 0}  # fmt: skip


def write_trace(path: Path, slices: int) -> None:
    """Write a trace of about so many slices: an operator, a launch and a kernel each."""
    drawn, events, now = random.Random(1), [], 0
    for i in range(1, slices // 3 + 1):
        link, stream = {"External id": i, "correlation": i}, 7 + i % 2
        host = {"ph": "X", "pid": 1, "tid": 1}
        events += [
            {**host, "cat": "cpu_op", "name": f"aten::op{i % 40}", "ts": now, "dur": 18, "args": {"External id": i}},
            {**host, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": now + 6, "dur": 5, "args": link},
            {"ph": "X", "cat": "kernel", "name": NAMES[i % len(NAMES)], "pid": 0, "tid": stream, "ts": now + 14,
             "dur": drawn.choice((3, 8, 20, 60)),
             "args": {**link, "device": 0, "stream": stream, "grid": [256, 1, 1], "block": [256, 1, 1]}},
        ]  # fmt: skip
        now += 30
    path.write_text(json.dumps({"deviceProperties": [GPU], "traceEvents": events}), encoding="utf-8")
