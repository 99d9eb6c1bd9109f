"""What the reader of source code says of codes that it gets right, once they are written otherwise.

``python tools/score_rewrites.py --codes 5`` prints for each rewrite how many of five codes keep their answer, get
another one that is right too, are refused or get a wrong one; then those that are not the same. The time is that of
reading each code twice, a second or two.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages" / "roofcast-hull" / "tests"))

from hulls.rewriting import ALIKE, INVALID, REFUSED, SAME, WRONG, draw_codes, judge, list_rewrites


def main() -> int:
    """Print the score; 1 where an answer is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--codes", type=int, default=3, help="of each rewrite")
    parser.add_argument("--seed", default="1", help="which codes")
    parser.add_argument("--language", choices=("c", "python"), help="one alone")
    parser.add_argument("--rewrite", action="append", help="one alone, or several")
    options = parser.parse_args()
    told: list[str] = []
    everything: Counter[str] = Counter()
    kinds = (SAME, ALIKE, REFUSED, WRONG, INVALID)
    print(f"{'':8}{'':28}" + "".join(f"{k:>9}" for k in kinds))
    for language, name, rewrite, scale in list_rewrites():
        if (options.rewrite and name not in options.rewrite) or options.language not in (None, language):
            continue
        counted: Counter[str] = Counter()
        for codes, code in draw_codes(language, f"{options.seed} {name}"):
            if counted.total() >= options.codes:
                break
            if (answer := judge(rewrite, codes, code, scale)) is not None:
                counted[answer[0]] += 1
                told += [f"{answer[0]}: {name}: {codes}/{code}: {answer[1]}"] * (answer[0] not in (SAME, INVALID))
        print(f"{language:8}{name:28}" + "".join(f"{counted[k] or '':>9}" for k in kinds), flush=True)
        everything += counted
    print(f"{'':36}" + "".join(f"{everything[k]:>9}" for k in kinds))
    print("\n".join(told))
    return int(everything[WRONG] > 0)


if __name__ == "__main__":
    sys.exit(main())
