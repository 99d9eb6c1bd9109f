"""DeepView-Predict (Habitat) on rows of shapes; run by the Python of the peers' environment, see peers.py.

    PEERS/bin/python benchmarks/peer_habitat.py < rows.json

Its networks for products are asked as its own predictor asks them, one operator and GPU at a time. Loading them asks
for the memory of a GPU, so the place is mapped to this machine's; nothing else is changed.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sys
import time
from importlib.metadata import version
from typing import Any

GPUS = {
    "A100-PCIE-40GB": "A100", "Tesla V100-PCIE-32GB": "V100", "Tesla T4": "T4", "Tesla P100-PCIE-16GB": "P100",
}  # fmt: skip
"""GPUs of the rows -> its own names."""


def main() -> None:
    """Read rows, write seconds per GPU of each and what they took."""
    rows = json.load(sys.stdin)
    # Its package says on standard output that the driver is missing, which only profiling needs.
    with contextlib.redirect_stdout(sys.stderr):
        import torch

        torch.set_num_threads(1)
        torch.load = functools.partial(torch.load, map_location="cpu")
        from habitat.analysis.mlp.mlp import RuntimePredictor
        from habitat.data import path_to_data

    nets = {name: RuntimePredictor(name, 8, 1024, path_to_data(f"{name}/model.pth")) for name in ("bmm", "linear")}
    asked = [(nets[r["operator"]], arguments(r), gpu) for r in rows for gpu in GPUS.values()]
    for net, features, gpu in asked[:8]:
        net.predict(features, gpu)
    start = time.process_time()
    found = [net.predict(features, gpu) * 1e-3 for net, features, gpu in asked]
    seconds = time.process_time() - start
    columns = {gpu: found[i :: len(GPUS)] for i, gpu in enumerate(GPUS)}
    json.dump({"version": version("deepview-predict"), "process_s": seconds, "predicted_s": columns}, sys.stdout)


def arguments(row: dict[str, Any]) -> list[float]:
    """Features in the order of its networks."""
    if row["operator"] == "bmm":
        return [row["b"], row["m"], row["k"], row["n"]]
    return [1, row["b"] * row["m"], row["k"], row["n"]]


if __name__ == "__main__":
    main()
