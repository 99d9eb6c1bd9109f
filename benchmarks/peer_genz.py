"""GenZ-LLM's operator model on rows of shapes; run by the Python of the peers' environment, see peers.py.

    PEERS/bin/python benchmarks/peer_genz.py < rows.json

Each product is one of its GEMM operators on one of its own systems, bf16, with the efficiencies that it assumes (1).
"""

from __future__ import annotations

import json
import sys
import time
from importlib.metadata import version

GPUS = {"A100-SXM": "A100_80GB_GPU", "H100-SXM5": "H100_GPU"}
"""GPUs of the rows -> its own names."""


def main() -> None:
    """Read rows, write seconds per GPU of each and what they took."""
    from GenZ.operators import GEMM
    from GenZ.system import System
    from GenZ.unit import Unit
    from Systems.system_configs import system_configs

    rows = json.load(sys.stdin)
    unit = Unit()
    columns, seconds = {}, 0.0
    for gpu, name in GPUS.items():
        own = system_configs[name]
        system = System(flops=own["Flops"], offchip_mem_bw=own["Memory_BW"], bits="bf16")

        def expected(m: int, n: int, k: int, on: object = system) -> float:
            made = GEMM(["product", 1, n, m, k, 3], (1.0, 1.0, 1.0))
            time_of = made.get_roofline(system=on, unit=unit)[f"Latency ({unit.unit_time})"]
            return float(unit.unit_to_raw(time_of, type="T"))

        start = time.process_time()
        columns[gpu] = [expected(int(r["m"]), int(r["n"]), int(r["k"])) for r in rows]
        seconds += time.process_time() - start
    json.dump({"version": version("genz-llm"), "process_s": seconds, "predicted_s": columns}, sys.stdout)


if __name__ == "__main__":
    main()
