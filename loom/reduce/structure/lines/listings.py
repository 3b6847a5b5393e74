"""Search hits grouped by file, paths by folder, `ls -l` by name: output that is a list of places.

The folder all paths share is told once. Of every file its name and its count stay as long as there
is room, then one hit of each, then more; hits that match the objective come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from loom.lazy import lazy_re
from loom.reduce.budget import fill
from loom.reduce.lines import counted, human
from loom.reduce.structure.lines.excerpt import BARE, CandidateLine, excerpt, headline, spread
from loom.reduce.structure.relevance import Objective, narrowed
from loom.text import cut, cut_front

SAMPLE = 60  # lines that tell whether a text is a listing
NAME = 80  # characters of a name among others

# A name has a letter and does not start like a date or a time.
_NAMED = r"(?!\d{4}[-/.]\d\d|\d+:|\[|\{)(?=[^\s:]*[A-Za-z])"
_HIT = lazy_re(_NAMED + r"((?:[A-Za-z]:)?[^\s:]{1,300}):(\d{1,9})[:-]")
_NEAR = lazy_re(_NAMED + r"([^\s:]{1,300}?[^\s:\d])-(\d{1,9})-")
_PATH = lazy_re(r"(?:[A-Za-z]:)?[\w.@~+%#/\\ ,()\[\]-]{0,300}[/\\][\w.@~+%# ,()\[\]=-]{0,200}$")
_BARE = lazy_re(r"[\w.@~+-]{1,100}\.\w{1,8}$")
_LONG = lazy_re(
    r"([-dlbcps])[rwxsStT-]{9}[@+.]?\s+\d+\s+\S+\s+\S+\s+(\d+(?:,\s*\d+)?|[\d.]+[KMGT]?)\s+"
    r"(\S+\s+\S+\s+\S+|\d{4}-\S+\s+\S+)\s(\S.*)$"
)
_FOLDER = lazy_re(r"(\S.{0,300}):$")
_TOTAL = lazy_re(r"total \S+$")

Hits = dict[str, list[tuple[int, str, bool]]]  # file → (line number, from it on, is it a hit)


def listing_of(lines: Sequence[str]) -> str:
    """ "hits", "paths", "long" (`ls -l`) or "" by a sample of the lines that are not blank."""
    told = [line for line in lines if line.strip()]
    sample = told[:: max(1, len(told) // SAMPLE)][: 2 * SAMPLE]
    if len(sample) < 4:
        return ""
    for name, found in (
        ("hits", lambda line: _HIT.match(line) or _NEAR.match(line) or line == "--"),
        ("long", lambda line: _LONG.match(line) or _TOTAL.match(line)),
        ("paths", _is_path),
    ):
        if sum(bool(found(line)) for line in sample) * 5 > 4 * len(sample):
            return name
    return ""


def _is_path(line: str) -> bool:
    """True when a line is a path and nothing else."""
    bare = line.strip()
    spaced = bare.count(" ") > 1
    return not spaced and (_PATH.match(bare) or _BARE.match(bare)) is not None


def reduce_listing(
    lines: Sequence[str], text: str, limit: int, ref: str, objective: Objective
) -> str | None:
    """A listing within `limit`, or None for a text that is not a listing."""
    kind = listing_of(lines)
    if kind == "hits":
        return _hits(lines, text, limit, ref, objective)
    if kind == "long":
        return _names(_long(lines), "entries", text, limit, ref, objective)
    if kind == "paths":
        return _names(_paths(lines), "paths", text, limit, ref, objective)
    return None


def _hits(lines: Sequence[str], text: str, limit: int, ref: str, objective: Objective) -> str:
    """Hits under the file they are in, with their line numbers."""
    files: Hits = {}
    for line in lines:
        found = _HIT.match(line) or _NEAR.match(line)
        if found:
            hit = line[found.end() - 1] == ":"
            files.setdefault(found[1], []).append((int(found[2]), line[found.start(2) :], hit))
    files = _merged(files)
    hits = sum(one[2] for ones in files.values() for one in ones)
    what = f"{counted(hits, 'hit')} in {counted(len(files), 'file')}, {len(lines):,} lines"
    what += f", {len(text):,} characters"
    objective = narrowed(objective, lines)
    return excerpt(_located(files, 0, objective, limit), what, limit, ref, BARE)


def _merged(files: Hits) -> Hits:
    """Files that are named both with and without their folder made one, lines in their order."""
    ends: dict[str, list[str]] = {}
    for path in files:
        ends.setdefault(re.split(r"[/\\]", path)[-1], []).append(path)
    merged: Hits = {}
    for path, found in files.items():
        others = ends[re.split(r"[/\\]", path)[-1]][:20]
        longer = [one for one in others if one.endswith(("/" + path, "\\" + path))]
        merged.setdefault(longer[0] if len(longer) == 1 else path, []).extend(found)
    return {path: sorted(found) for path, found in merged.items()}


def _located(files: Hits, prefix: int, objective: Objective, limit: int) -> Iterator[CandidateLine]:
    """The files and their hits as lines; a file is worth a little more than its best hit."""
    ranked = sorted(files, key=lambda path: -len(files[path]))
    rank_of = {path: rank for rank, path in enumerate(ranked)}
    for order, (path, found) in enumerate(files.items(), 1):
        named = objective.matches(path)
        hits = sum(hit for _, _, hit in found)
        # Names may take about half of the room; then hits come before more names.
        best = (95.0 if rank_of[path] < limit // 100 else 45.0) - rank_of[path] * 0.01 + 3 * named
        matched = again = 0
        for place, (_, rest, hit) in enumerate(found, 1):
            worth = 70.0 - 6 * again - rank_of[path] * 0.1 + 2 * named - 30 * (not hit)
            again += hit
            if score := objective.matches(rest):
                worth = max(worth, 80 + 2 * min(score, 4) - 4 * matched - 12 * (not hit))
                matched += 1
            best = max(best, worth + 0.5)
            yield CandidateLine(order + place / (len(found) + 1), "  " + rest, worth)
        told = f"{path[prefix:]} ({counted(hits, 'hit')})" if hits else path[prefix:]
        yield CandidateLine(order, told, best)


Names = dict[str, list[str]]  # folder → names, with sizes where they are known


def _paths(lines: Sequence[str]) -> Names:
    """Paths by their folders."""
    folders: Names = {}
    for line in lines:
        bare = line.strip()
        if bare:
            at = max(bare.rstrip("/\\").rfind("/"), bare.rstrip("/\\").rfind("\\")) + 1
            folders.setdefault(bare[:at], []).append(bare[at:])
    return folders


def _long(lines: Sequence[str]) -> Names:
    """The names and sizes in the output of `ls -l`, by folder when there are several."""
    folders: Names = {}
    folder = ""
    for line in lines:
        if found := _LONG.match(line):
            if found[4] in (".", ".."):
                continue
            size = human(int(found[2]), "") if found[2].isdigit() else found[2]
            name = found[4] + "/" if found[1] == "d" else f"{found[4]} ({size})"
            folders.setdefault(folder, []).append(name)
        elif named := _FOLDER.match(line):
            folder = named[1].rstrip("/") + "/"
    return folders


def _names(folders: Names, noun: str, text: str, limit: int, ref: str, objective: Objective) -> str:
    """Names under their folders, each folder with its count and as many names as it has room."""
    total = sum(map(len, folders.values()))
    shared = common_folder([folder for folder in folders if folder])
    what = f"{total:,} {noun} in {counted(len(folders), 'folder')}, {len(text):,} characters"
    what += f", under {shared}" if shared else ""
    what += _extensions(folders)
    head = headline(what, "{} shown", ref)
    room = limit - len(head) - 8
    if room < NAME:
        return cut(head.format(0), limit)
    ranked = sorted(folders, key=lambda one: (-objective.matches(one), -len(folders[one])))
    heads = {
        one: f"{cut_front(one[len(shared) :], 80) or '.'} ({len(folders[one]):,})" for one in ranked
    }
    kept: list[str] = []
    for one in ranked:
        room -= len(heads[one]) + 1
        if room < 0 or len(kept) > 400:
            break
        kept.append(one)
    room = max(0, room)
    # Written from the smallest to the largest, so that what one leaves goes to the next.
    wants = {one: sum(len(_short(name)) + 2 for name in folders[one]) + 16 for one in kept}
    water = fill(list(wants.values()), room)
    written: dict[str, tuple[str, int]] = {}
    spare = 0
    for one in sorted(kept, key=lambda one: wants[one]):
        share = min(wants[one], water) + spare
        written[one] = _within(folders[one], share, objective)
        spare = share - len(written[one][0])
    body = "\n".join(heads[one] + written[one][0] for one in folders if one in written)
    rest = len(folders) - len(kept)
    closing = f"\n… {counted(rest, 'more folder')}" if rest else ""
    shown = sum(names for _, names in written.values())
    return cut(head.format(f"{shown:,}") + "\n" + body + closing, limit)


def _within(names: Sequence[str], room: int, objective: Objective) -> tuple[str, int]:
    """`: a.py, b.py, … 12 more` within `room`, and how many names it has."""
    room -= 16
    # More names than this cannot stand in the room.
    ranked = sorted(
        range(len(names)),
        key=lambda at: (-objective.matches(names[at]), spread(at) if at else -1, at),
    )[: max(0, room // 3)]
    chosen: list[int] = []
    for at in ranked:
        cost = len(_short(names[at])) + 2
        if cost > room:
            break
        room -= cost
        chosen.append(at)
    if not chosen:
        return "", 0
    told = ", ".join(_short(names[at]) for at in sorted(chosen))
    left = len(names) - len(chosen)
    return f": {told}" + (f", … {left:,} more" if left else ""), len(chosen)


def _short(name: str) -> str:
    """A name of at most `NAME` characters, both of its ends kept."""
    return name if len(name) <= NAME else f"{name[: NAME // 2 - 1]}…{name[len(name) - NAME // 2 :]}"


def _extensions(folders: Names) -> str:
    """The commonest endings of the names with their counts."""
    tally: dict[str, int] = {}
    for names in folders.values():
        for name in names:
            ending = name.split(" (")[0].rpartition(".")[2]
            if ending != name and 0 < len(ending) <= 8 and ending.isalnum():
                tally[ending] = tally.get(ending, 0) + 1
    told = sorted(tally, key=lambda one: (-tally[one], one))[:4]
    return ", " + ", ".join(f"{tally[one]:,} .{one}" for one in told) if told else ""


def common_folder(paths: Sequence[str]) -> str:
    """The folder that holds all of `paths`, with its slash; "" when there is none worth naming."""
    if len(paths) < 2:
        return ""
    low, high = min(paths), max(paths)
    same = next((at for at, (a, b) in enumerate(zip(low, high, strict=False)) if a != b), len(low))
    folder = low[: low.rfind("/", 0, same) + 1]
    return folder if len(folder) > 3 else ""
