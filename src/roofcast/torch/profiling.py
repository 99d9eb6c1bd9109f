"""A measured step of PyTorch, ready for every question: ``with roofcast.torch.profile() as run: step()``."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from roofcast.advice.ask import Advised, advise
from roofcast.applications.ask import ForecastRuns, app
from roofcast.core.errors import RoofcastError
from roofcast.reports.ask import Forecasted, forecast
from roofcast.torch.recording import import_torch

NO_GPU = (
    "the profile holds no work of a GPU: run the step on one (model.cuda()), or ask roofcast.torch.forecast, which "
    "needs none"
)
TRACE = "run.pt.trace.json"


class Run:
    """What was profiled: PyTorch's own trace, with the shapes of operators; deleted with this object unless saved."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="roofcast-"))
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)
        self.path: Path | None = None
        self.profiler: Any = None

    def __reduce__(self) -> tuple[Callable[[bytes], Run], tuple[bytes]]:
        """Return what travels to another process: the trace, which each copy keeps in a folder of its own.

        Raises
        ------
        RoofcastError : nothing is profiled yet.
        """
        return run_of, (self.trace().read_bytes(),)

    def step(self) -> None:
        """Say that a step ends, where several are profiled: ``run.app(..., step=True)`` then knows them."""
        self.profiler.step()

    def save(self, path: str | Path) -> None:
        """Keep the trace as a file, which the command line reads too.

        Raises
        ------
        RoofcastError : nothing is profiled yet, or the file cannot be written.
        """
        from roofcast.kit.output import write_with

        trace = self.trace()

        def copy(place: Path) -> None:
            shutil.copyfile(trace, place)

        write_with(path, copy)

    def trace(self) -> Path:
        """The trace.

        Raises
        ------
        RoofcastError : the block has not ended, or no GPU worked in it.
        """
        if self.path is None:
            raise RoofcastError("nothing is profiled yet: ask after the `with` block has ended")
        return self.path

    @property
    def forecast(self) -> Callable[..., Forecasted]:
        """Its kernels on other GPUs: :func:`roofcast.forecast` of the trace, ``run.forecast("B200")``.

        Raises
        ------
        RoofcastError : no GPU worked in it.
        """
        return partial(forecast, self.gpu_trace())

    @property
    def app(self) -> Callable[..., ForecastRuns]:
        """The whole run on other GPUs, host, gaps and copies included: :func:`roofcast.app` of the trace.

        Raises
        ------
        RoofcastError : no GPU worked in it.
        """
        return partial(app, self.gpu_trace())

    @property
    def advise(self) -> Callable[..., Advised]:
        """Say what to change: :func:`roofcast.advise` of the trace.

        Raises
        ------
        RoofcastError : no GPU worked in it.
        """
        return partial(advise, self.gpu_trace())

    def gpu_trace(self) -> Path:
        """The trace, where a GPU worked in it.

        Raises
        ------
        RoofcastError : none did.
        """
        from roofcast.reading import read

        trace = self.trace()
        try:
            worked = len(read(trace)) > 0
        except RoofcastError as error:
            raise RoofcastError(f"{NO_GPU} ({error})") from error
        if not worked:
            raise RoofcastError(NO_GPU)
        return trace


def run_of(trace: bytes) -> Run:
    """A run from the bytes of its trace."""
    run = Run()
    run.path = run.folder / TRACE
    run.path.write_bytes(trace)
    return run


class profile:  # noqa: N801 - reads as torch.profiler.profile does
    """Profile what runs inside of the block: ``with roofcast.torch.profile() as run: step()``.

    Wraps ``torch.profiler`` (CPU and GPU activities, shapes of operators). Warm the step up before: a first run holds
    compilation and the search for algorithms.

    Raises
    ------
    MissingExtraError : PyTorch is not installed.
    """

    def __init__(self) -> None:
        self.torch = import_torch()
        self.run = Run()

    def __enter__(self) -> Run:
        profiler = self.torch.profiler
        chosen = [profiler.ProfilerActivity.CPU]
        if self.torch.cuda.is_available():
            chosen.append(profiler.ProfilerActivity.CUDA)
        self.run.profiler = profiler.profile(activities=chosen, record_shapes=True)
        self.run.profiler.__enter__()
        return self.run

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.torch.cuda.is_available():
            self.torch.cuda.synchronize()
        self.run.profiler.__exit__(kind, error, trace)
        if kind is None:
            path = self.run.folder / TRACE
            self.run.profiler.export_chrome_trace(str(path))
            self.run.path = path
