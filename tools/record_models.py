"""Record the operators of the public vision models, by name: ``python tools/record_models.py FOLDER [COUNT]``.

``python tools/record_models.py --samples`` writes the lists that the tests use (tests/unmeasured/*.json).

Needs PyTorch, torchvision and timm (definitions alone: no weights, no GPU), and the public data sets for the names,
batch sizes and precisions that were measured. Writes one JSON list per measured setting;
``python tools/teach.py unmeasured_models FOLDER`` scores their forecasts, and needs none of these packages.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from teaching.unmeasured_models import name_list

from roofcast.core.errors import RoofcastError
from roofcast.torch.recording import record
from roofcast_evaluate.datasets import load

PRECISIONS = {"fp32": "fp32", "fp16": "fp16", "fp64": "fp64"}


def settings(dataset: str) -> list[tuple[str, dict[str, str]]]:
    """Kernel name and parts of the configuration of every measured setting in eager mode, in order."""
    from roofcast.core.kernel_table import split_configuration

    _, kernels = load(dataset)
    found: dict[tuple[str, str], dict[str, str]] = {}
    for kernel, config in zip(kernels.strings("kernel"), kernels.strings("config"), strict=True):
        found.setdefault((str(kernel), str(config)), split_configuration(str(config)))
    return [(kernel, parts | {"config": config}) for (kernel, config), parts in found.items()]


def record_timm(kernel: str, parts: dict[str, str]) -> dict[str, Any]:
    """One of timm's models, inference under autocast."""
    import timm

    size, batch = int(parts["img"]), int(parts["bs"])
    name = kernel.removeprefix("timm/")

    def build() -> Any:
        try:
            return timm.create_model(name, img_size=size)
        except TypeError:
            return timm.create_model(name)

    return record(build, inputs=(batch, 3, size, size), precision="amp-fp16")


def record_torchvision(kernel: str, parts: dict[str, str]) -> dict[str, Any]:
    """One of torchvision's models, inference or a training step with SGD."""
    import torchvision

    name, mode = kernel.removeprefix("torchvision/").split("/")
    precision = next(p for p in PRECISIONS if p in parts)
    shape = (int(parts["batch"]), 3, int(parts["img"]), int(parts["img"]))
    model = getattr(torchvision.models, name)
    return record(model, inputs=shape, train=mode == "train", precision=PRECISIONS[precision], optimizer="SGD")


def main(folder: Path, count: int) -> None:
    """Record and write."""
    folder.mkdir(parents=True, exist_ok=True)
    timm_settings = [s for s in settings("timm_infer") if "eager" in s[1] and "nchw" in s[1]]
    first = list({kernel: (kernel, parts) for kernel, parts in reversed(timm_settings)}.values())
    first.sort(key=lambda s: s[0])
    chosen = [(record_timm, *s) for s in first[:: max(1, len(first) // count)]]
    chosen += [(record_torchvision, *s) for s in settings("torchvision_cnn")]
    for make, kernel, parts in chosen:
        path = folder / name_list(kernel, parts["config"])
        if path.exists():
            continue
        try:
            made = make(kernel, parts)
        except (RoofcastError, RuntimeError, KeyError) as error:
            sys.stdout.write(f"left out {kernel}: {str(error)[:120]}\n")
            continue
        path.write_text(json.dumps(made), encoding="utf-8")
        sys.stdout.write(f"{path.name}\n")
        sys.stdout.flush()


def write_samples(folder: Path) -> None:
    """A residual network under autocast, and a training step of a small transformer."""
    import torch
    import torchvision

    def transformer() -> Any:
        layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
        return torch.nn.TransformerEncoder(layer, 2)

    made = {
        "resnet50_amp": record(torchvision.models.resnet50, inputs=(64, 3, 224, 224), precision="amp-fp16"),
        "transformer_training": record(transformer, inputs=(16, 256, 512), train=True, precision="bf16"),
    }
    for name, content in made.items():
        content |= {"made_by": "python tools/record_models.py --samples"}
        text = json.dumps(content, separators=(",", ":")).replace('{"name"', '\n{"name"')
        (folder / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--samples"]:
        write_samples(Path(__file__).resolve().parents[1] / "tests" / "unmeasured")
        sys.exit()
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60)
