"""nvMatmulHeuristics on rows of shapes; run by the Python of the peers' environment, see peers.py.

    PEERS/bin/python benchmarks/peer_matmul_heuristics.py < rows.json

For each product its best kernel and the time that it expects of it: bf16 in and out, for no library in particular,
with its own search by its performance model. Of the settings that fit the rows these are nearest to what was measured.
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

GPUS = {"A100-SXM": "A100_SXM_80GB", "H100-SXM5": "H100_SXM", "L40S": "L40S"}
"""GPUs of the rows -> its own names."""
PRECISION = "TST"
"""bf16 in and out, sums in FP32."""


def main() -> None:
    """Read rows, write seconds per GPU of each and what they took."""
    import nvMatmulHeuristics as nv  # noqa: N813 - the package's own name is no module name

    rows = json.load(sys.stdin)
    search = nv.NvMatmulHeuristicsFlags.PERF_MODEL_BASED_AUTO_TUNING
    layout = nv.NvMatmulHeuristicsMatmulLayout.TN_COL_MAJOR
    columns, seconds = {}, 0.0
    for gpu, name in GPUS.items():
        target = nv.NvMatmulHeuristicsNvidiaGpu[name]
        asked = nv.NvMatmulHeuristicsInterfaceEx(flags=search, gpu=target)

        def expected(m: int, n: int, k: int, of: object = asked) -> float | None:
            found = of.get(of.makeNvMatmulHeuristicsProblem(m, n, k, layout), 1, precision=PRECISION)  # type: ignore[attr-defined]  # no types
            return float(found[0]["runtime"]) if found else None

        for r in rows[:8]:
            expected(int(r["m"]), int(r["n"]), int(r["k"]))
        start = time.process_time()
        columns[gpu] = [expected(int(r["m"]), int(r["n"]), int(r["k"])) for r in rows]
        seconds += time.process_time() - start
    json.dump(
        {"version": version("nvidia-matmul-heuristics"), "process_s": seconds, "predicted_s": columns}, sys.stdout
    )


if __name__ == "__main__":
    main()
