"""What `make demo` runs: forecast real measurements, show them beside what was measured, draw the roofline.

Works without any other file. Where real reports are found (ROOFCAST_FIXTURES, or a folder `shared` beside the
checkout), it also forecasts two V100 reports of the miniWeather application to three newer GPUs.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import numpy as np

import roofcast
from roofcast.__main__ import main as run_roofcast
from roofcast.core.units import format_quantity

HERE = Path(__file__).parent
OUTPUT = HERE.parent / "demo_output"
SOURCE, TARGET = "RTX 2080 Ti", "RTX 3090"


def run(*arguments: str) -> None:
    """Show a command line, then run it."""
    shown = [str(Path(a).relative_to(HERE.parent)) if a.startswith(str(HERE.parent)) else a for a in arguments]
    print(f"\n$ roofcast {shlex.join(shown)}", flush=True)
    code = run_roofcast(list(arguments))
    if code:
        sys.exit(code)


def show_forecast_beside_measurement(table: Path) -> None:
    """Forecast the RTX 3090 from counters on the RTX 2080 Ti and compare with the times measured there."""
    kernels = roofcast.read(table)
    gpu = kernels.strings("gpu")
    measured = kernels.select(gpu == TARGET)
    forecast = roofcast.forecast(kernels.select(gpu == SOURCE), to=[TARGET])
    estimate = forecast.estimate
    time, low, high = (a[:, 0] for a in (estimate.time_s, estimate.time_low_s, estimate.time_high_s))
    truth = dict(zip(measured.strings("config"), measured.column("time_s"), strict=True))
    configs = forecast.kernels.strings("config")
    real = np.array([truth[c] for c in configs])
    print(f"\nForecast against measurement: {TARGET}, from counters on the {SOURCE} ({forecast.model})\n")
    print(f"{'configuration':34} {'forecast':>9} {'interval':>21} {'measured':>9} {'error':>7}")
    for i, config in enumerate(configs):
        parts = dict(p.split("=") for p in config.split(";"))
        name = "block {BLOCK_SIZE_X}x{BLOCK_SIZE_Y}, tile {TILE_SIZE_X}x{TILE_SIZE_Y}".format(**parts)
        span = f"{format_quantity(low[i], 's')} .. {format_quantity(high[i], 's')}"
        off = f"{100 * (time[i] / real[i] - 1):+.0f} %"
        print(f"{name:34} {format_quantity(time[i], 's'):>9} {span:>21} {format_quantity(real[i], 's'):>9} {off:>7}")
    error = np.abs(time / real - 1)
    inside = int(((low <= real) & (real <= high)).sum())
    ratio = forecast.sources[0].rate("bytes_dram") / forecast.targets[0].rate("bytes_dram")
    simple = np.abs(forecast.kernels.column("time_s") * ratio / real - 1)
    print(f"\nmean absolute error {100 * error.mean():.0f} % (median {100 * np.median(error):.0f} %),", end=" ")
    print(f"{inside} of {len(real)} measured times inside the interval;", end=" ")
    print(f"scaling by DRAM bandwidth alone: {100 * simple.mean():.0f} %")


def real_reports() -> list[Path]:
    """The two miniWeather reports, where they are."""
    named = os.environ.get("ROOFCAST_FIXTURES")
    folder = Path(named) if named else HERE.parents[1] / "shared" / "fixtures"
    return sorted(folder.glob("ncu_rep/*MW[-_]*.ncu-rep"))


def main() -> None:
    """Run the demo."""
    OUTPUT.mkdir(exist_ok=True)
    table = HERE / "convolution.csv"
    run("forecast", str(table), "--from", SOURCE, "--to", TARGET)
    show_forecast_beside_measurement(table)
    run("roofline", str(table), "--from", SOURCE, "--to", TARGET, "-o", str(OUTPUT / "roofline.html"))
    for report in real_reports():
        print(f"\n$ roofcast forecast {report.name} --to 'A100 SXM4 80GB,H100 SXM5 80GB,B200'", flush=True)
        run_roofcast(["forecast", str(report), "--to", "A100 SXM4 80GB,H100 SXM5 80GB,B200"])
    print(f"\nOpen {(OUTPUT / 'roofline.html').relative_to(HERE.parent)} in a browser: it works offline.")


if __name__ == "__main__":
    main()
