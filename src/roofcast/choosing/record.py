"""A choice for JSON."""

from __future__ import annotations

import math
from typing import Any

from roofcast.choosing.decision import Decision, Part, ProgramOption
from roofcast.choosing.reversals import (
    weigh_all,
)
from roofcast.choosing.show import Told, list_left, notes_of, part, recommend, state_choice, tabulate
from roofcast.core.launch_totals import SHARED_BETWEEN, SHARED_PROGRAMS, Kinship
from roofcast.kit.table import make_plain


def program_record(p: ProgramOption) -> dict[str, Any]:
    """One program on one candidate, for JSON."""
    return {
        "program": p.program.name, "gpus": p.program.gpus, "scaling": p.program.scaling, "time_s": p.time_s,
        "time_low_s": p.low_s, "time_high_s": p.high_s, "kernels_time_s": p.kernels_s,
        "cost_per_job": part(p.cost, 0), "cost_low": part(p.cost, 1), "cost_high": part(p.cost, 2),
        "energy_per_job_j": part(p.energy_j, 0), "energy_low_j": part(p.energy_j, 1),
        "energy_high_j": part(p.energy_j, 2), "p_best": p.p_best, "p_deadline": p.p_deadline, "limit": p.limit,
        "fits_memory": p.holds,
    }  # fmt: skip


def fleet_record(decision: Decision, p: Part) -> dict[str, Any]:
    """One kind of GPU of the fleet, for JSON."""
    names = [program.name for program in decision.workload.programs]
    return {
        "gpu": decision.options[p.option].name, "count": p.count, "count_expected": p.count_expected,
        "how": "rent" if p.rented else "buy", "cost": p.cost, "cost_low": p.low, "cost_high": p.high,
        "purchase": p.purchase, "energy": p.energy, "rent": p.cost if p.rented else 0.0,
        "share_of_jobs": dict(zip(names, p.shares, strict=True)) if p.shares else None,
    }  # fmt: skip


def decision_record(told: Told) -> dict[str, Any]:
    """Everything for JSON."""
    decision = told.decision
    terms, limits = decision.workload.terms, decision.workload.limits
    cost = told.cost
    fleet = [] if decision.fleet is None else [fleet_record(decision, p) for p in decision.fleet.parts]
    rows = [
        {**row, "programs": [program_record(p) for p in o.programs]}
        for row, o in zip(tabulate(told).records(), decision.options, strict=True)
    ]
    content = {
        **state_choice(told).record(), "recommendation": recommend(told), "best": decision.best,
        "conditions": {
            **dict(decision.conditions), "years": terms.years, "utilisation": terms.utilisation, "start": terms.begins,
            "usd_per_kwh": decision.prices.usd_per_kwh, "power_factor": decision.prices.power_factor,
            "spares": terms.spares, "limits": limits.named(),
        },
        "currency": terms.currency, "kernels": decision.kernels, "memory_bytes": decision.memory_bytes,
        "programs": [
            {"program": p.name, "weight": None if decision.workload.per_day else p.weight,
             "jobs_per_day": p.weight if decision.workload.per_day else None, "gpus": p.gpus, "scaling": p.scaling,
             "deadline_s": p.deadline_s} for p in decision.workload.programs
        ],
        "candidates": rows, "fleet": fleet, "total_cost": part(cost, 0), "total_cost_low": part(cost, 1),
        "total_cost_high": part(cost, 2), "cost_per_job": told.per_job,
        "p_met": None if decision.fleet is None else decision.fleet.met,
        "no_fleet_below": None if decision.fleet is None else decision.fleet.bound,
        "life_years": terms.years, "probability": terms.probability if decision.sheet.asks else None,
        "jobs_per_day": float(decision.sheet.weight.sum()) if decision.workload.per_day else None,
        "left_out": [{"gpu": n, "reason": r} for n, r in list_left(decision)],
        "flips": [
            {"of": f.of, "name": f.name or None, "now": f.now, "at": f.at, "to": f.to, "probability": f.probability,
             "text": f.text} for f in told.flips
        ],
        "reversal": None if told.reversal is None else told.reversal.text,
        "worth_measuring": [
            {"program": w.program, "what": w.what, "how": w.how, "width": w.width, "width_then": w.width_then,
             "value_per_job": w.per_job, "value_over_life": w.over_life} for w in told.worth
        ],
        "value_of_knowing_all": weigh_all(decision),
        "waiting": [
            {"gpu": w.name, "available": w.available, "months": w.months,
             "pays_up_to_months": w.months_at_most if w.months_at_most != math.inf else None, "text": w.text}
            for w in told.waiting
        ],
        "correlation": {**{k.name.lower(): SHARED_BETWEEN[k] for k in Kinship}, "programs": SHARED_PROGRAMS},
        "notes": notes_of(told),
    }  # fmt: skip
    plain: dict[str, Any] = make_plain(content)
    return plain
