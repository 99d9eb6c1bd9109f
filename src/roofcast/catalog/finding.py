"""From a name, or from what a profile says about its GPU, to the one catalog entry that fits."""

from __future__ import annotations

import re
from typing import Any

from roofcast.catalog import library
from roofcast.catalog.gpu_names import fits, flat, parse_name
from roofcast.catalog.partitions import cut_slice, refuse_foreign, split_mig
from roofcast.core.errors import UnknownProcessorError, one_line
from roofcast.core.processor import Processor
from roofcast.core.records import dataclass

MEMORY_FITS = (0.88, 1.03)
"""Recorded over nominal device memory: ECC and reserved memory hide up to a ninth."""
SHOWN = 6
"""Candidates that a message lists."""


@dataclass(frozen=True)
class Match:
    """The processor that a name stands for, and what a reader must know about how it was found."""

    processor: Processor
    notes: tuple[str, ...] = ()
    count: int = 1
    """GPUs of the instance that the name stands for."""


@dataclass(frozen=True)
class Recorded:
    """What a profile says about its GPU beside the name; None where it does not."""

    compute_capability: str | None = None
    sm_count: int | None = None
    memory_bytes: float | None = None

    def __bool__(self) -> bool:
        return any((self.compute_capability, self.sm_count, self.memory_bytes))

    def misfits(self, entry: dict[str, Any]) -> list[str]:
        """List what of the record contradicts an entry; values that either side lacks do not."""
        faults = []
        if self.compute_capability and entry["compute_capability"] not in ("", self.compute_capability):
            faults.append(f"compute capability {self.compute_capability} (catalog: {entry['compute_capability']})")
        if self.sm_count and entry["sm_count"] != self.sm_count:
            faults.append(f"{self.sm_count} SMs (catalog: {entry['sm_count']})")
        if self.memory_bytes and entry["memory_bytes"]:
            share = self.memory_bytes / entry["memory_bytes"]
            if not MEMORY_FITS[0] <= share <= MEMORY_FITS[1]:
                faults.append(f"{self.memory_bytes / 2**30:.1f} GiB (catalog: {entry['memory_bytes'] / 2**30:g} GiB)")
        return faults

    def text(self) -> str:
        """For messages: ``CC 8.6, 84 SMs, 48.0 GiB``."""
        parts = [f"CC {self.compute_capability}"] if self.compute_capability else []
        parts += [f"{self.sm_count} SMs"] if self.sm_count else []
        parts += [f"{self.memory_bytes / 2**30:.1f} GiB"] if self.memory_bytes else []
        return ", ".join(parts)


def find(
    name: str | None,
    *,
    compute_capability: str | None = None,
    sm_count: float | None = None,
    memory_bytes: float | None = None,
) -> Match:
    """The catalog entry that a GPU name stands for.

    What a profile recorded (compute capability, SM count, bytes of device memory) chooses between variants first; what
    is still ambiguous takes the catalog's declared default and says so in the notes. Without a name the record alone
    must be unique. NaN counts as not recorded.
    """
    recorded = Recorded(capability(compute_capability), whole(sm_count), number(memory_bytes))
    if not (name or "").strip():
        return by_record(recorded)
    asked = str(name).strip()
    if (of_slice := split_mig(asked)) is not None:
        return find_slice(asked, *of_slice)
    keys = candidates(asked)
    if not keys:
        refuse_foreign(asked)
        raise UnknownProcessorError(unknown(asked))
    if architecture_of(asked) is not None:
        keys = [k for k in keys if not recorded.misfits(library.index()["entries"][k])] or keys
        if len(keys) > 1 and library.index()["defaults"].get(flat(asked.partition(":")[0])) not in keys:
            raise UnknownProcessorError(several(one_line(asked, 40), keys))
    return choose(asked, keys, recorded)


def find_slice(asked: str, board: str, profile: str) -> Match:
    """A MIG slice as drivers and profilers name it: the board's name before the profile."""
    if not board:
        raise UnknownProcessorError(f"{one_line(asked, 80)!r}: name the GPU too, e.g. 'H100 SXM5 80GB MIG {profile}'")
    match = find(board)
    part = cut_slice(match.processor, library.chip_of(match.processor.key), profile)
    return Match(part, match.notes)


def capability(text: str | None) -> str | None:
    """A compute capability as ``8.6``, also from ``sm_86`` or ``CC 8.6``; None for anything else.

    >>> capability("8.6"), capability("sm_100"), capability("gfx90a"), capability("")
    ('8.6', '10.0', None, None)
    """
    match = re.fullmatch(r"\s*(?:sm_?|cc ?|compute_)?(\d{1,2})\.?(\d)[af]?\s*", text or "", re.IGNORECASE | re.ASCII)
    return f"{match[1]}.{match[2]}" if match else None


def whole(value: float | None) -> int | None:
    """A positive count; None for absent, NaN or nonsense."""
    count = number(value)
    return None if count is None or count != int(count) else int(count)


def number(value: float | None) -> float | None:
    """A positive finite number; None otherwise."""
    return float(value) if value is not None and 0 < value < float("inf") else None


SERIES = ("rtx", "gtx", "rx", "arc", "quadrortx")
"""Series whose name people leave out, the newer first."""


def candidates(asked: str) -> list[str]:
    """Keys of the entries that a name fits, in the order of the index."""
    index = library.index()
    entries = index["entries"]
    lowered = asked.lower()
    if lowered in entries:
        return [lowered]
    architecture = architecture_of(asked)
    if architecture is not None:
        return [k for k, e in entries.items() if e["architecture"] == architecture]
    parsed = parse_name(asked)
    known = index["models"].get(parsed.model) if parsed.model else None
    for series in SERIES if known is None and any(c.isdigit() for c in parsed.model) else ():
        # "4090" for RTX 4090: only as long as one series has such a model.
        if (of_model := index["models"].get(series + parsed.model)) is not None:
            known = of_model
            break
    # Written without separators, qualifiers cannot be told from the model: then the whole must be a known spelling.
    keys = known if known is not None else index["flat"].get(flat(asked), ())
    return [k for k in keys if fits(parsed, entries[k]["qualifiers"])]


def architecture_of(asked: str) -> str | None:
    """Key of the architecture that a name is, as compilers and drivers write it; None for names of products.

    >>> architecture_of("gfx90a:sramecc+:xnack-"), architecture_of("CC 8.6"), architecture_of("T4")
    ('gfx90a', 'sm_86', None)
    """
    lowered = asked.lower().partition(":")[0]
    version = capability(asked) if lowered.startswith(("cc", "sm", "compute")) else None
    key = f"sm_{version.replace('.', '')}" if version else lowered
    return key if key in library.index()["architectures"] else None


PARTITIONS = ("-dpx", "-qpx", "-cpx")
"""Ends of the keys of partitions: whoever names the card means the whole of it, unless a profile counted its units."""


def choose(asked: str, keys: list[str], recorded: Recorded) -> Match:
    """One of the candidates: by the record, else the whole name, else the declared default, else the oldest."""
    entries = library.index()["entries"]
    recorded_cc = recorded.compute_capability
    if recorded_cc and all(entries[k]["compute_capability"] not in ("", recorded_cc) for k in keys):
        # Another compute capability is another chip: the name alone would silently mean a different product.
        others = ", ".join(f"{entries[k]['name']} (CC {entries[k]['compute_capability']})" for k in keys[:SHOWN])
        raise UnknownProcessorError(f"{one_line(asked, 80)!r} fits {others}, but the profile says CC {recorded_cc}")
    agreeing = [k for k in keys if not recorded.misfits(entries[k])]
    notes: list[str] = []
    if not agreeing:
        agreeing = keys
    if len(agreeing) == 1:
        key = agreeing[0]
    else:
        key = default_of(asked, agreeing)
        others = ", ".join(entries[k]["name"] for k in agreeing[: SHOWN + 2])
        more = f" and {len(agreeing) - SHOWN - 2} more" if len(agreeing) > SHOWN + 2 else ""
        if not all(k.removeprefix(key) in ("", *PARTITIONS) for k in agreeing):
            notes.append(f"{one_line(asked)!r} fits {others}{more}: took {entries[key]['name']}")
    if wrong := recorded.misfits(entries[key]):
        notes.append(
            f"the profile of {one_line(asked)!r} says {', '.join(wrong)}: took {entries[key]['name']} all the same"
        )
    return Match(library.processor(key), tuple(notes))


def default_of(asked: str, keys: list[str]) -> str:
    """The declared default of a name among candidates.

    A default declared for exactly this name counts most, then the only entry that is spelled like it, then a default
    for its model with the memory size that all candidates share, then one for its model, then what came first.
    """
    index = library.index()
    exact = index["defaults"].get(flat(asked)) or index["defaults"].get(flat(asked.partition(":")[0]))
    if exact in keys:
        return str(exact)
    spelled = [k for k in index["flat"].get(flat(asked), ()) if k in keys]
    if len(spelled) == 1:
        return str(spelled[0])
    model = parse_name(asked).model
    sizes = {index["entries"][k]["memory_bytes"] for k in keys}
    of_size = f"{model}{sizes.pop() / 2**30:.0f}gb" if len(sizes) == 1 and None not in sizes else model
    for general in (of_size, model):
        if index["defaults"].get(general) in keys:
            return str(index["defaults"][general])
    return min(keys, key=lambda k: (index["entries"][k]["launch_date"] or "9999", keys.index(k)))


def by_record(recorded: Recorded) -> Match:
    """The only entry that fits what a profile recorded, without a name."""
    if not recorded:
        raise UnknownProcessorError("the GPU is not named: give it, e.g. --from 'A100-SXM4-80GB'")
    entries = library.index()["entries"]
    keys = [k for k, e in entries.items() if known(e, recorded) and not recorded.misfits(e)]
    if len(keys) == 1:
        name = entries[keys[0]]["name"]
        return Match(library.processor(keys[0]), (f"no GPU name recorded: {recorded.text()} fits only {name}",))
    if not keys:
        raise UnknownProcessorError(
            f"no catalog entry has {recorded.text()}: name the GPU or describe it in a TOML file"
        )
    raise UnknownProcessorError(several(recorded.text(), keys))


def several(what: str, keys: list[str]) -> str:
    """Message for a description that fits several entries."""
    entries = library.index()["entries"]
    names = ", ".join(entries[k]["name"] for k in keys[:SHOWN])
    more = f" and {len(keys) - SHOWN} more" if len(keys) > SHOWN else ""
    return f"{what} fits {names}{more}: name one, e.g. --from {entries[keys[0]]['name']!r}"


def known(entry: dict[str, Any], recorded: Recorded) -> bool:
    """Return whether an entry states everything that was recorded: nothing is found by what nobody knows."""
    return bool(
        entry["folder"] == "gpus"
        and (not recorded.compute_capability or entry["compute_capability"])
        and (not recorded.memory_bytes or entry["memory_bytes"])
    )


def unknown(asked: str) -> str:
    """Message for a name that nothing fits, with the nearest names."""
    name = one_line(asked, 80)
    close = nearest(asked)
    if close:
        return f"unknown GPU {name!r}; nearest: {', '.join(close)}; or give a TOML file that describes it"
    return (
        f"unknown GPU {name!r}: the catalog has none of that name (`roofcast gpus` lists it); give a TOML file that "
        'describes it, or a variation of a known one such as "B200{dram=8.8TB/s}"'
    )


CLOSE = 0.75
"""Share of characters in common from which a name may be a mistyped one: one character of four is another."""


def has_model(longer: str, model: str) -> bool:
    """Return whether one name contains another, with its numbers whole: MI500X is no kind of MI50.

    >>> has_model("h100sxm5", "h100"), has_model("mi500x", "mi50")
    (True, False)
    """
    at = longer.find(model)
    if at < 0:
        return False
    before, after = longer[:at][-1:], longer[at + len(model) :][:1]
    return not (before.isdigit() and model[0].isdigit()) and not (after.isdigit() and model[-1].isdigit())


def nearest(asked: str, count: int = 4) -> list[str]:
    """Names of the entries whose spelling is closest."""
    import difflib

    index = library.index()
    wanted = flat(asked[:200])
    close = difflib.get_close_matches(wanted, list(index["flat"]), n=3 * count, cutoff=CLOSE)
    # A model that the name contains, or that contains the name, is nearer than any spelling distance.
    model = parse_name(asked[:200]).model
    inside = [
        f for f in index["models"]
        if len(f) > 2 and model and (has_model(model, f) or (len(model) > 2 and has_model(f, model)))
    ]  # fmt: skip
    inside.sort(key=lambda f: abs(len(f) - len(model)))
    keys = [k for f in inside[:count] for k in index["models"][f]] + [k for f in close for k in index["flat"][f]]
    names = list(dict.fromkeys(index["entries"][k]["name"] for k in keys))
    return names[:count]
