"""Teach level and widths of kernels read from source code: ``python tools/teach.py from_code [--write]``.

Every program is left out in turn (:mod:`roofcast_evaluate.source_rows`); how much further programs are that come later
is taught by forecasts that were made before they were timed (``measurements/forecasts_before.csv``). ``--write``
writes ``models/operators/from_code.json``, taught by all of them.
"""

from __future__ import annotations

import json
import sys

from roofcast.core.version import VERSION
from roofcast.kit.output import write_text
from roofcast.models.operators.from_code import FILE
from roofcast_evaluate.source_rows import (
    find_errors,
    find_first_sights,
    find_kinds,
    list_measured,
    list_programs,
    score_source,
    tabulate_kinds,
    teach_first_sight,
    teach_level,
)


def main() -> int:
    rows = [*list_measured(), *list_programs(lambda doing, share: print(f"{share:.0%} {doing}", file=sys.stderr))]
    programs = [r.program for r in rows]
    first_sight = teach_first_sight()
    level = teach_level(find_errors(rows), programs, find_kinds(rows), first_sight, find_first_sights(rows))
    print("\n".join(tabulate_kinds(score_source(rows, first_sight)).lines(120)))
    content = {
        "usual": round(level.usual, 3), "ways": {k: [round(v, 3) for v in w] for k, w in level.ways.items()},
        "first_sight": round(first_sight, 2),
        "provenance": {"roofcast": VERSION, "data": "hopper_ncu, micro16, own runs of gpp, measurements",
                       "rows": len(rows),
                       "programs": len(set(programs))},
    }  # fmt: skip
    text = json.dumps(content, indent=1) + "\n"
    print(text)
    if "--write" in sys.argv:
        write_text(FILE, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
