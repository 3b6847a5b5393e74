"""Code that stands and that no file has any more, by a shadow of the files.

A file is known in pieces. A whole read or a write is all of it; a read of some lines, or the lines
an edit shows, is one more piece. An edit changes every piece. Code is compared by the triples of
lines that follow one another, brackets and blanks aside, so that indentation and line numbers play
no part.

A command of the shell may bring back unseen what a file held once, as version control does: that is
not gone then until something seen says so again.

A block is at least three lines of code that follow one another. It is told as old, not stale, in
the old text of an edit and its answer, in what a command of version control shows, and where a call
stands behind it that took it from the file: the edit with its old text, or the write.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from loom.inputs import Event
from loom_bench.truth.shown import (
    NUMBER,
    CallMade,
    PathNames,
    Piece,
    Ruling,
    body_of,
    command_of,
    kind_of,
    replacements,
    significant,
    unreminded,
)

Triple = tuple[str, str, str]
RUN = 3
FULL_READ = 2_000  # lines file tools give at most when asked for no range
PARTIAL = re.compile(r"more lines|truncated|use offset", re.IGNORECASE)
# Commands that may bring back what a file once held, in any file or in those they name; commands
# that remove what they name.
ANY = re.compile(
    r"\bgit (?:-\S+ )*(?:checkout(?! (?:-q )?-b)|restore|reset(?! --soft)|stash(?! (?:list|show))"
    r"|apply|merge(?!-base)|rebase|pull|cherry-pick|revert|switch(?! -c)|am)\b"
)
NAMED = re.compile(r"\bcp\b|\bpatch\b|(?<![\d&])>{1,2}\s*[^&\s]")
REMOVE = re.compile(r"\b(?:git )?(?:rm|mv)\b([^;&|\n]*)")


@lru_cache(maxsize=4096)
def triples(text: str) -> tuple[Triple, ...]:
    """Every three significant lines of a text that follow one another."""
    lines = significant(text)
    return tuple(zip(lines, lines[1:], lines[2:], strict=False))


def unnumbered(text: str) -> str:
    """The text of a file tool as the file has it."""
    lines = unreminded(text).split("\n")
    numbered = [line for line in lines if NUMBER.match(line)]
    if len(numbered) * 2 < len(lines):
        return "\n".join(lines)
    return "\n".join(NUMBER.sub("", line, count=1) for line in numbered)


class ShadowFile:
    """What is known of one file: `ever` held what it once did, `gone` what it surely lost."""

    def __init__(self) -> None:
        self.ever: set[Triple] = set()
        self.gone: set[Triple] = set()
        self._pieces: list[str] = []

    def whole(self, text: str) -> set[Triple]:
        """All of the file was seen or written; returns what it lost by that."""
        self._pieces = [text]
        held = set(triples(text))
        lost = self.ever - held - self.gone
        self.ever |= held
        self.gone = self.ever - held
        return lost

    def part(self, text: str) -> None:
        """Some lines that follow one another were seen."""
        held = set(triples(text))
        if not any(text in piece for piece in self._pieces):
            self._pieces = [piece for piece in self._pieces if piece not in text] + [text]
        self.ever |= held
        self.gone -= held

    def replace(self, old: str, new: str, every: bool) -> set[Triple]:
        """An edit changed the file; returns what it took, even where another piece has it still."""
        before, after = set(triples(old)), set(triples(new))
        pieces = []
        for piece in self._pieces:
            changed = piece.replace(old, new, -1 if every else 1) if old else piece
            if changed != piece:
                before |= set(triples(piece))
                after |= set(triples(changed))
            pieces.append(changed)
        self._pieces = pieces
        held = set().union(*(triples(piece) for piece in pieces)) | after
        self.ever |= before | after
        self.gone = (self.gone | (before - held)) - after
        return before - after


def removed(command: str) -> set[str]:
    """The names of files that a command removes or moves away."""
    found = (word for match in REMOVE.finditer(command) for word in match[1].split())
    return {posixpath.basename(word.strip("'\"")) for word in found if not word.startswith("-")}


def _whole(made: CallMade, text: str) -> bool:
    ranged = any(made.given.get(key) for key in ("offset", "limit", "lines", "view_range"))
    end = text[-200:]
    return not ranged and not PARTIAL.search(end) and text.count("\n") < FULL_READ - 1


def _seen(result: str) -> Iterator[str]:
    """The numbered lines an edit's result shows of the file."""
    lines = [NUMBER.sub("", line, count=1) for line in result.split("\n") if NUMBER.match(line)]
    if len(lines) >= RUN:
        yield "\n".join(lines)


class StaleCode:
    """Judges the code that stands in a request by the files of the session."""

    def __init__(self) -> None:
        self._names = PathNames()
        self._files: dict[str, ShadowFile] = {}
        self._lines: set[str] = set()  # that a file ever held
        # Id of a call → what it took from its file, the old texts it gave.
        self._lost: dict[str, tuple[set[Triple], list[str]]] = {}

    def take(self, event: Event, made: CallMade | None) -> None:
        """Follow the files; a call that failed changes nothing."""
        if made is None:
            return
        if made.kind == "shell" and not made.refused:
            self._ran(made.command)
        elif made.done and made.path:
            file = self._files.setdefault(self._names.of(made.path), ShadowFile())
            self._used(made, file)
            self._lines.update(line for triple in file.ever for line in triple)

    def _used(self, made: CallMade, file: ShadowFile) -> None:
        if made.kind == "read":
            text = unnumbered(made.result.text)
            if _whole(made, text):
                file.whole(text)
            else:
                file.part(text)
        elif made.kind == "write":
            body = body_of(made.given)
            if body is not None:
                self._lost[made.call.id] = file.whole(body), []
        elif made.kind == "edit":
            asked = replacements(made.given)
            lost = [file.replace(*one) for one in asked]
            self._lost[made.call.id] = set().union(*lost), [old for old, _, _ in asked]
            for seen in _seen(made.result.text):
                file.part(seen)

    def _ran(self, command: str) -> None:
        gone = removed(command)
        for path in [path for path in self._files if posixpath.basename(path) in gone]:
            del self._files[path]
        for path, file in self._files.items():
            named = NAMED.search(command) and posixpath.basename(path) in command
            if named or ANY.search(command):
                file.gone = set()  # what the file held once may be back

    def rule(self, pieces: Sequence[Piece], ruling: Ruling) -> None:
        """Count stale blocks, their lines, and all lines of code that stand."""
        files = self._files.values()
        gone = set().union(*(file.gone for file in files))
        gone.difference_update(*(file.ever - file.gone for file in files))
        taken = self._taken(pieces)
        for place, piece in enumerate(pieces):
            lines = significant(piece.text)
            ruling.sums["code_lines"] += sum(map(self._lines.__contains__, lines))
            if "git " in command_of(piece.given) or gone.isdisjoint(triples(piece.text)):
                continue
            told = {each for old, _, _ in replacements(piece.given) for each in triples(old)}
            stale = [
                at
                for at, triple in enumerate(triples(piece.text))
                if triple in gone and triple not in told and taken.get(triple, -1) <= place
            ]
            for first, last in runs(stale):
                ruling.fault("stale", " ⏎ ".join(lines[first : last + RUN]))
                ruling.sums["stale_lines"] += last + RUN - first

    def _taken(self, pieces: Sequence[Piece]) -> dict[Triple, int]:
        """Triple → place of the last standing call that says it took it from its file."""
        found: dict[Triple, int] = {}
        for place, piece in enumerate(pieces):
            if piece.kind != "call" or piece.call_id not in self._lost:
                continue
            lost, given = self._lost[piece.call_id]
            olds = [old for old, _, _ in replacements(piece.given)]
            told = {line for old in olds for line in significant(old)}
            written = kind_of(piece.name) == "write"
            whole = body_of(piece.given) is not None if written else olds == given
            found |= {triple: place for triple in lost if whole or told.intersection(triple)}
        return found


def runs(places: Sequence[int]) -> list[tuple[int, int]]:
    """First and last of each run of places that follow one another."""
    found: list[tuple[int, int]] = []
    for at in places:
        if found and at == found[-1][1] + 1:
            found[-1] = (found[-1][0], at)
        else:
            found.append((at, at))
    return found
