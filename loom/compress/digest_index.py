"""The index of a digest: which file, command or question each folded entry was, and its name.

One line for a file, however often it was read and edited, with the names that bring it back; one
for each command and each other call. Lines merge when the same thing comes again: the newest names
stay.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from loom.reduce.aliases import EDIT, SHELL, WRITE
from loom.reduce.arguments import PATH_KEYS
from loom.text import one_line
from loom_partitions.message import Entry, Fact, Outcome, Step, UserTurn, name_of

PAGES, STEPS = 4, 2  # names kept of one line: a page holds more of a file than an edit's step
NAMES = PAGES + STEPS
ENTRY = re.compile(r"(?:user|step)_\d{4,}")
HEAD = 100  # characters of a command or a question
INDEXED = ("file", "ran", "call")
LEAST = 3  # files that make it worth to name their folder once


def indexed(entries: Iterable[Entry]) -> tuple[Fact, ...]:
    """The index facts of entries, the newest last, each thing once with its newest names."""
    lines: dict[tuple[str, str], tuple[str, ...]] = {}
    for entry in entries:
        for fact in _facts(entry):
            names = lines.pop((fact.kind, fact.text), ())
            mine = tuple(fact.refs.split())
            names = (*(name for name in names if name not in mine), *mine)
            lines[fact.kind, fact.text] = _kept(names)
    return tuple(Fact(kind, text, " ".join(names)) for (kind, text), names in lines.items())


def _kept(names: tuple[str, ...]) -> tuple[str, ...]:
    """The newest names, some pages and some steps; few of the one leave room for the other."""
    if len(names) <= NAMES:
        return names
    steps = [name for name in names if ENTRY.fullmatch(name)]
    pages = [name for name in names if not ENTRY.fullmatch(name)]
    most = max(STEPS, NAMES - len(pages))
    left = {*steps[-most:], *pages[-(NAMES - min(most, len(steps))) :]}
    return tuple(name for name in names if name in left)


def _facts(entry: Entry) -> Iterator[Fact]:
    if isinstance(entry, Step):
        for outcome in entry.outcomes:
            yield _fact(entry, outcome)
    elif not isinstance(entry, UserTurn):
        yield from (fact for fact in entry.facts if fact.kind in INDEXED)


def _fact(step: Step, outcome: Outcome) -> Fact:
    reduction = outcome.reduction
    args = reduction.minimal_args
    page = reduction.outcome_ref.removeprefix("outputs/").partition(".")[0]
    # What was written rests in the call, not in its answer.
    name = name_of(step) if reduction.tool in (EDIT, WRITE) or not page else page
    path = next((args[key] for key in PATH_KEYS if isinstance(args.get(key), str)), "")
    if reduction.tool == SHELL:
        return Fact("ran", one_line(str(args.get("command") or reduction.compact), HEAD), name)
    pattern = args.get("pattern")
    if isinstance(pattern, str):
        return Fact("call", one_line(f"{pattern} in {path}" if path else pattern, HEAD), name)
    if path and reduction.tool.startswith("fs:"):
        return Fact("file", str(path), name)
    return Fact("call", one_line(reduction.compact, HEAD), name)


def line_of(fact: Fact) -> str:
    """One line of the index."""
    return f"{fact.text}: {fact.refs}" if fact.refs else fact.text


def root_of(paths: Iterable[str]) -> str:
    """The folder above that one which most rooted paths share, with its slash; "" for none.

    The shared folder itself stays in the paths, so that each still says where it is.
    """
    folders: Counter[str] = Counter()
    for path in paths:
        parts = path.split("/")[:-1]
        if path.startswith("/"):
            folders.update("/".join(parts[:end]) for end in range(3, len(parts) + 1))
    if not folders:
        return ""
    best = max(folders, key=lambda folder: ((folders[folder] - 1) * len(folder), folder))
    return best.rpartition("/")[0] + "/" if folders[best] >= LEAST else ""
