"""What a file is to the page: kernels, a recorded run, the config of a language model, a list of operators."""

from __future__ import annotations

from pathlib import Path

from roofcast.core.errors import InputError
from roofcast.core.joined_parts import KERNELS, MODEL, OPERATORS, RUN

CONFIG_BYTES = 1 << 20
"""No config of a model is larger."""
LAYERS = (b"num_hidden_layers", b"n_layer")


def name_kind(path: str, input_format: str | None = None) -> str:
    """The kind of a file or folder; what is not known is taken for kernels, whose reader says why it is none.

    Raises
    ------
    InputError : a damaged list of operators.
    """
    from roofcast.reading import holds_runs
    from roofcast.scaling.training_model import find_record

    if input_format is None and is_config(Path(path)):
        return MODEL
    if input_format is None and find_record(path) is not None:
        return OPERATORS
    return RUN if holds_runs(path, input_format) else KERNELS


def is_config(path: Path) -> bool:
    """Whether it is the config.json of a language model, or the folder that holds one."""
    from roofcast.serving.language_model import CONFIG, read_model

    file = path / CONFIG if path.is_dir() else path
    if not file.is_file() or file.stat().st_size > CONFIG_BYTES:
        return False
    content = file.read_bytes()
    if not content.lstrip().startswith(b"{") or not any(word in content for word in LAYERS):
        return False
    try:
        read_model(path)
    except InputError:
        return False
    return True
