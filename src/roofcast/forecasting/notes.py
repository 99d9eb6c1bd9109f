"""What a reader of a forecast must know: of each kernel, of each target, of each file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from roofcast.core.errors import one_line
from roofcast.core.kernel_table import KernelTable
from roofcast.core.processor import Processor
from roofcast.core.resource import Resource
from roofcast.forecasting.forecasts import Forecast
from roofcast.kit.quantities import count_of
from roofcast.models.physics.causes.wider_pipe import HALF
from roofcast.models.physics.kernel_inputs import bytes_counted

SAME_CLOCK = "as the source's"
"""What the note of a target ends with whose clock is chosen as the source's is: the usual case changes nothing."""
MOST_TEXTS = 2
"""Different notes of one target that are shown; more are summed up."""
KINDS = (("FLOPs", " FLOPs x "), ("spills", "spills "), ("registers", "registers "))
"""What can differ, and the words in a note that say so."""


def list_kernel_texts(forecast: Forecast, i: int) -> list[str]:
    """Notes and assumptions of one kernel."""
    estimate = forecast.estimate
    texts = list(forecast.kernel_notes[i]) if forecast.kernel_notes else []
    texts += estimate.notes[i] if estimate.notes else ()
    return [*texts, *(f"assumed: {a}" for a in (estimate.assumed[i] if estimate.assumed else ()))]


def list_reasons(forecast: Forecast, i: int) -> list[str]:
    """Why a kernel has no forecast, or one that decides nothing, for each target of which that holds."""
    return [text for j in range(len(forecast.targets)) if (text := forecast.estimate.first_note(i, j))]


def list_target_texts(forecast: Forecast) -> Iterator[tuple[str, str]]:
    """(target, text) of what holds for all kernels of a target, its code included."""
    target_notes = forecast.target_notes or ((),) * len(forecast.targets)
    for j, (target, notes) in enumerate(zip(forecast.targets, target_notes, strict=True)):
        for text in (*notes, *(sum_up_code_notes(forecast, j) if forecast.cell_notes else ())):
            yield target.name, text


NOT_MISSED = frozenset({Resource.BYTES_LLC, Resource.BYTES_HOST_LINK, Resource.FLOPS_TENSOR_FP32})
"""What a GPU may do without: a cache level that it has not, a link, and matrix units that vector units stand in for."""
WIDENED = frozenset({*HALF, Resource.FLOPS_TENSOR_TF32})
"""What other pipes do on a GPU without them, where nobody counted the instructions."""


def tell_missing_supplies(
    kernels: KernelTable, sources: Sequence[Processor], index: NDArray[np.intp], targets: Sequence[Processor]
) -> tuple[str, ...]:
    """Per target, which counted amounts have no rate on it, so that their time is left out; '' where all have one."""
    counted: dict[Resource, int] = {}
    # What nobody counted runs on the next wider pipe (cause wider_pipe).
    served = ~bytes_counted(kernels) & np.isnan(kernels.column("warp_latency_cycles_per_inst"))
    for resource in Resource:
        if resource in NOT_MISSED or resource.value not in kernels.numeric:
            continue
        known = np.array([*(resource in p.supplies for p in sources), False])
        missed = (kernels.column(resource.value) > 0) & known[index]
        rows = int((missed & ~served if resource in WIDENED else missed).sum())
        if rows:
            counted[resource] = rows

    def tell(target: Processor) -> str:
        missing = [
            f"{resource.label} of {rows} kernel{'s' * (rows != 1)}"
            for resource, rows in counted.items()
            if resource not in target.supplies
        ]
        if not missing:
            return ""
        return f"the catalog has no rate for {', '.join(missing)}: that time is left out, real ones are longer"

    return tuple(map(tell, targets))


def list_general_texts(forecast: Forecast) -> Iterator[tuple[str, str]]:
    """Notes of targets and files, with what each holds for."""
    for name, text in list_target_texts(forecast):
        yield one_line(text, 300), one_line(name, 120)
    for origin in forecast.kernels.provenance:
        for text in origin.notes:
            yield one_line(text, 300), one_line(origin.file, 120)


def sum_up_code_notes(forecast: Forecast, j: int) -> list[str]:
    """Notes on the code of one target, over all kernels."""
    texts = Counter(text for row in forecast.cell_notes for text in row[j])
    if len(texts) == 1 and sum(texts.values()) == len(forecast.kernels):
        return [*texts]
    if len(texts) <= MOST_TEXTS:
        return [f"{text} ({count} kernel{'s' * (count > 1)})" for text, count in texts.most_common()]
    total = sum(texts.values())

    def having(words: str) -> int:
        return sum(count for text, count in texts.items() if words in text)

    parts = [f"target code known for {total - having('counts unchanged')} of {count_of(total, 'kernel')}"]
    parts += [f"{kind} differ in {having(words)}" for kind, words in KINDS if having(words)]
    return [f"SASS: {', '.join(parts)} (--explain: which)"]
