"""Edits told: each file the agent changed is named in the request together with a word of changing.

It is told by a standing call that edits or writes it, or by a line that names it and says that it
was changed, on that line or in the heading it is listed under. What the user typed and what tools
answered does not tell it, but for the answer of an edit and of version control. A name is the last
part of a path; where several changed files share it, each needs a line of its own or one part more.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from loom.inputs import Event, User
from loom_bench.truth.files import removed
from loom_bench.truth.shown import (
    CallMade,
    PathNames,
    Piece,
    Ruling,
    bare,
    command_of,
    kind_of,
    path_of,
    untagged,
)

CHANGING = re.compile(
    r"\b(?:re)?(?:edit|wr[io]te|written|writing|chang|modif|creat|updat|patch|replac|renam)\w*"
    r"|(?<![\w+])\+\d+\b|−\d+\b",
    re.IGNORECASE,
)
NAME = re.compile(r"\.?[\w@~+-]+(?:\.[\w@~+-]+)*")
CHANGES = ("edit", "write")


class EditsTold:
    """Judges whether the files the agent changed are told as changed."""

    def __init__(self) -> None:
        self._names = PathNames()
        self._changed: dict[str, None] = {}
        self._read: dict[str, None] = {}
        self._typed: frozenset[str] = frozenset()

    def take(self, event: Event, made: CallMade | None) -> None:
        """Note what is read, changed and removed, and what the user typed."""
        if isinstance(event, User):
            self._typed |= set(map(bare, event.text.splitlines()))
        if made is None:
            return
        if made.kind == "shell" and made.done:
            gone = removed(made.command)
            for path in [one for one in self._changed if posixpath.basename(one) in gone]:
                del self._changed[path]
        elif made.path and made.done:
            path = self._names.of(made.path)
            if made.kind in CHANGES:
                self._changed[path] = None
            elif made.kind == "read":
                self._read[path] = None

    def rule(self, pieces: Sequence[Piece], ruling: Ruling) -> None:
        """Count changed files, those untold, and only-read files named while one is untold."""
        ruling.sums["changed"] += len(self._changed)
        if not self._changed:
            return
        called = {
            self._names.of(path)
            for piece in pieces
            if piece.kind == "call" and kind_of(piece.name) in CHANGES
            if (path := path_of(piece.given))
        }
        lines = [line for piece in pieces for line in self._telling(piece)]
        told = called | _told(lines, [path for path in self._changed if path not in called])
        untold = [path for path in self._changed if path not in told]
        for path in untold:
            ruling.fault("untold", path)
        if untold:
            named = set().union(*(_named_in(line) for line, _ in lines))
            sights = (path for path in self._read if path not in self._changed)
            ruling.sums["listed"] += sum(posixpath.basename(path) in named for path in sights)

    def _telling(self, piece: Piece) -> Iterator[tuple[str, bool]]:
        """(line, whether it says that something was changed) for the lines that can tell it."""
        if piece.kind == "call":
            return
        answer = kind_of(piece.name) in CHANGES or "git " in command_of(piece.given)
        if piece.kind == "result" and not answer:
            return
        typed = self._typed if piece.role == "user" else frozenset()
        yield from _lines_telling(piece.text, typed)


@lru_cache(maxsize=4096)
def _lines_telling(text: str, typed: frozenset[str]) -> tuple[tuple[str, bool], ...]:
    """Return each line that was not typed, and whether it or its heading tells of a change."""
    found = []
    under: list[tuple[int, bool]] = []  # headings a line stands under: indentation, word
    for line in untagged(text).splitlines():
        said = bare(line)
        if not said or said in typed:
            continue
        depth = len(line) - len(line.lstrip())
        while under and under[-1][0] >= depth:
            under.pop()
        word = bool(CHANGING.search(said)) or bool(under and under[-1][1])
        if said.endswith((":", "/")):
            under.append((depth, word))
        found.append((said, word))
    return tuple(found)


@lru_cache(maxsize=32_768)
def _named_in(line: str) -> frozenset[str]:
    """What may be names of files in a line."""
    return frozenset(NAME.findall(line))


def _told(lines: Sequence[tuple[str, bool]], paths: Sequence[str]) -> set[str]:
    """Those of the paths that a line tells as changed."""
    saying = [line for line, word in lines if word]
    named = Counter(name for line in saying for name in _named_in(line))
    by_name: Mapping[str, list[str]] = defaultdict(list)
    for path in paths:
        by_name[posixpath.basename(path)].append(path)
    found: set[str] = set()
    for name, same in by_name.items():
        if named[name] >= len(same):
            found.update(same)
        elif named[name]:
            holding = [line for line in saying if name in line]
            tails = {path: "/".join(path.split("/")[-2:]) for path in same}
            found.update(path for path in same if any(tails[path] in line for line in holding))
    return found
