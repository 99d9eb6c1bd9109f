"""The score of the reader of source code over whole programs whose classes were derived by hand.

``python tools/score_codes.py`` prints, for each language, how many functions the reader gets right, refuses for what is
so, refuses although there is a class, and gets wrong; and which the last two are.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "packages" / "roofcast-hull" / "tests"))

from hulls.test_whole_programs import EXPECTED, score

KINDS = ("right", "honest refusal", "false refusal", "wrong")
LANGUAGES = {".cu:": "CUDA", ".c:": "C", ".py:": "Python"}
MOST = {"false refusal": 0.1, "wrong": 0.01}


def main() -> int:
    """Print the score; 1 where it is worse than it must be."""
    kinds = {name: score(name) for name in EXPECTED}
    print(f"{'':8}{'codes':>8}" + "".join(f"{k:>16}" for k in KINDS))
    for ending, language in (*LANGUAGES.items(), ("", "all")):
        counted = Counter(kind for name, (kind, _) in kinds.items() if ending in name)
        total = sum(counted.values())
        shares = "".join(f"{counted[k]:>8} {counted[k] / total:>6.1%}" for k in KINDS)
        print(f"{language:8}{total:>8}{shares}")
    for name, (kind, found) in kinds.items():
        if kind in MOST:
            print(f"{kind}: {name}: {EXPECTED[name].get('open', found)}")
    everything = Counter(kind for kind, _ in kinds.values())
    return int(any(everything[kind] > share * len(kinds) for kind, share in MOST.items()))


if __name__ == "__main__":
    sys.exit(main())
