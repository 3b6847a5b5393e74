"""Units that show single lines of files: what a search found, what a command printed.

They name their files line by line, and no edit can bring them up to date: a hit that is gone would
be one no longer. So such a unit is superseded as soon as one of its lines is replaced, or its file
is changed in a way nobody was told.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from loom.compress.worth.edited import Change
from loom.compress.worth.file_names import FileNames, may_be_same
from loom.compress.worth.slices import lines_of
from loom.compress.worth.units import Key, Unit, tool_of
from loom.reduce.located import located, looks
from loom_partitions.message import Call

FILES = 64  # files one unit is known by; it has about as many lines
PART = 4  # characters of a part of a line that is no chance (judgement)

Shown = tuple[str, tuple[str, ...]]  # a file as it was named, and the lines of it


class Hits:
    """Units by the files whose lines they show."""

    def __init__(self) -> None:
        self._files = FileNames()
        self._by_file: dict[str, dict[Key, list[Shown]]] = {}
        self._of: dict[Key, tuple[str, ...]] = {}

    def add(self, call: Call, units: Sequence[Unit]) -> None:
        """Take in what a call brought, where its result shows lines of files."""
        results = [unit for unit in units if unit.where == "result" and unit.kind != "error"]
        files = looks(tool_of(call), call.arguments) if results else None
        if files is None:
            return
        # A file's name may stand at the end of one unit, its lines in the next.
        lines = (line for unit in results for line in lines_of(unit.text))
        ends = [*accumulate(len(lines_of(unit.text)) for unit in results)]
        found: dict[Key, dict[str, list[str]]] = {}
        for at, path, text in located(lines, files):
            of = found.setdefault(results[bisect_right(ends, at)].key, {})
            if path in of or len(of) < FILES:
                of.setdefault(path, []).append(text)
        for key, shown in found.items():
            for path, texts in shown.items():
                places = self._by_file.setdefault(self._files.name(path), {})
                places.setdefault(key, []).append((path, tuple(texts)))
            self._of[key] = tuple(shown)

    def forget(self, key: Key) -> None:
        """Drop a unit."""
        for path in self._of.pop(key, ()):
            self._by_file.get(self._files.name(path), {}).pop(key, None)

    def outdated(self, path: str, change: Change | None) -> list[Key]:
        """The units that show a line of the file which a change replaced, or may have."""
        shown = self._by_file.get(self._files.known(path), {})
        gone = None if change is None else _Gone(change)
        return [
            key
            for key, places in shown.items()
            for named, texts in places
            if may_be_same(named, path) and (gone is None or any(map(gone.tells, texts)))
        ]


class _Gone:
    """The lines of a file that a change replaced; the first and the last may be parts of lines."""

    def __init__(self, change: Change) -> None:
        self._new = change.new
        old, new = change.old.split("\n"), change.new.split("\n")
        kept = {line.strip() for line in new}
        self._lines = {line.strip() for line in old} - kept - {""}
        self._first, self._last = old[0].strip(), old[-1].strip()
        # An indented beginning is that of a line, which is known whole.
        self._indented = old[0][:1].isspace()
        self._ends = old[0] != new[0] and not self._indented, old[-1] != new[-1]
        self._one = len(old) == 1

    def tells(self, line: str) -> bool:
        """True for a line that stands there no longer."""
        if line in self._lines:
            return True
        if self._one:
            # In its one place it was replaced: what stands there now is another line.
            part = self._first
            here = line.startswith(part) if self._indented else part in line
            after = line.replace(part, self._new.strip()) if part and here else line
            return after != line and line not in (said.strip() for said in after.split("\n"))
        first, last = self._ends
        return (first and len(self._first) >= PART and line.endswith(self._first)) or (
            last and len(self._last) >= PART and line.startswith(self._last)
        )
