"""The commands, as data: the group imports a command's module only when that command runs."""

from __future__ import annotations

# name: (module, one line for --help)
COMMANDS: dict[str, tuple[str, str]] = {
    "forecast": ("roofcast.commands.forecast", "Forecast every kernel of a profile on other GPUs."),
    "roofline": ("roofcast.commands.roofline", "Draw the hierarchical roofline with kernel-specific ceilings."),
    "app": ("roofcast.commands.app", "Forecast a whole application from its timeline."),
    "inspect": ("roofcast.commands.inspect", "Show what was read, what is missing and how to collect it."),
    "advise": ("roofcast.commands.advise", "Say what to change, ranked by the time that it would save."),
    "compare": ("roofcast.commands.compare", "Show what changed between two profiles, or since a forecast."),
    "gpus": ("roofcast.commands.gpus", "List the catalog, show one entry, check your own."),
    "evaluate": ("roofcast.commands.evaluate", "Score models on measured pairs of GPUs."),
    "sass": ("roofcast.commands.sass", "Show what the machine code does, here and on another architecture."),
    "choose": ("roofcast.commands.choose", "Rank GPUs for a workload, a budget, a power limit or a deadline."),
    "sweep": ("roofcast.commands.sweep", "Play with hypothetical GPUs: sweeps, elasticities, fronts, goals."),
    "hull": ("roofcast.commands.hull", "Forecast an algorithm class before any code exists."),
    "serve": ("roofcast.commands.serve", "Serve a page: drop a profile, choose GPUs, see the forecast move."),
    "measure": ("roofcast.commands.measure", "Measure the GPU of this machine: kernel suite, eight steps."),
    "store": ("roofcast.commands.store", "Keep measurements and forecasts; see how good the forecasts were."),
    "completion": ("roofcast.commands.completion", "Print the tab-completion script of a shell."),
}
