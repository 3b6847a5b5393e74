"""The guides a request shows: for each path, the text that stands last, and all it takes.

Loom says it under headings in the instructions and in notices behind them; of a path the last one
counts, and a notice that it is gone takes it away. The words are read here and nowhere else.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct, field

from benchmarks.guides.disk import flat
from loom.providers.render.wording import RANK

_SECTION = re.compile(r"^# Memory: (.+)$|^# Skill: .+$|^Blocks that carry \S+ are ", re.M)
_WHY = re.compile(r" \([^()]*\)\Z")
_PAGE = re.compile(r"\boutputs/[\w./-]+|\bworking/[\w./-]+")
_IN_FILE = re.compile(r"^\[(.+?): .*the file holds (?:them|the rest)\]$", re.M)
_NAME = r'("(?:[^"\\\n]|\\.)*"|[^\]\n"]+?)'  # as it is, or as a JSON string
GONE = ("removed", "gone")
FILE = ".md"  # the end of a guide's name


class ShownGuides(Struct):
    """The guides a request shows: `texts` by path as they stand last, `every` text of a guide.

    `others` are the lines of the request that are no text of a guide and no result of a call;
    `notes` what Loom says among the guides under a key that is no file, as it stands last.
    """

    texts: dict[str, str] = field(default_factory=dict)
    every: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    _flat: dict[str, str] = field(default_factory=dict)

    def add(self, path: str, text: str) -> None:
        """A guide, or a note, is said to read so; why it is there may stand behind its path."""
        path = _WHY.sub("", path)
        (self.texts if path.endswith(FILE) else self.notes)[path] = text
        self.every.append(text)
        # What Loom adds to a guide's text stands in brackets on a line of its own.
        self.others += [one for one in text.split("\n") if one[:1] == "[" and one[-1:] == "]"]

    def gone(self, path: str) -> None:
        """A guide, or a note, is said to be there no more."""
        path = _WHY.sub("", path)
        self.texts.pop(path, None)
        self.notes.pop(path, None)

    @property
    def told(self) -> list[str]:
        """The lines that are no guide's own, of the notes those that stand."""
        return [*self.others, *(line for text in self.notes.values() for line in text.split("\n"))]

    def reads(self, path: str) -> str:
        """The guide of a file's folder as it reads, by whichever name; "" where none is shown.

        One agent takes AGENTS.md there, another the link to it.
        """
        folder = path.rpartition("/")[0]
        if folder not in self._flat:
            some = [text for name, text in self.texts.items() if name.rpartition("/")[0] == folder]
            self._flat[folder] = flat("\n\n".join(some))
        return self._flat[folder]

    def pages(self, path: str) -> list[str]:
        """The pages a line names that names the path too, or that stands in its text."""
        lines = [*self.told, *self.texts.get(path, "").split("\n")]
        said = [line for line in lines if path in line]
        return [page.rstrip(".]") for line in said for page in _PAGE.findall(line)]

    def in_file(self, path: str) -> bool:
        """True where a notice says that the file itself holds the rest."""
        return any(found == path for found in _IN_FILE.findall(self.texts.get(path, "")))


def shown_by_loom(messages: Iterable[Mapping[str, Any]], mark: str) -> ShownGuides:
    """The guides in the messages of a request for Chat Completions; `mark` is the session's."""
    shown = ShownGuides()
    notice = re.compile(rf"^\[memory {mark} ([^:\]\n]+): {_NAME}(?:, [^\]\n]*)?\]", re.M)
    block = re.compile(rf"^\[[^\]\n]*\b{mark}\b[^\]\n]*\]", re.M)
    for message in messages:
        text = message.get("content")
        if message["role"] not in ("system", "user") or not isinstance(text, str):
            continue
        marks = list((_SECTION if message["role"] == "system" else notice).finditer(text))
        first = marks[0].start() if marks else len(text)
        shown.others += text[:first].split("\n")
        for at, found in enumerate(marks):
            end = marks[at + 1].start() if at + 1 < len(marks) else len(text)
            if message["role"] == "system":
                _section(shown, found, text[found.end() : end])
                continue
            other = block.search(text, found.end(), end)
            # What the text counts for names no guide, and has a word for a conflict.
            heading = found[0].replace(RANK, "")
            shown.others += [heading, *(text[other.start() : end].split("\n") if other else [])]
            _noticed(shown, found, text[found.end() : other.start() if other else end])
    return shown


def _section(shown: ShownGuides, found: re.Match[str], body: str) -> None:
    if found[1]:
        shown.add(found[1], body.strip("\n"))
    else:
        shown.others += [found[0], *body.split("\n")]


def _noticed(shown: ShownGuides, found: re.Match[str], body: str) -> None:
    name = json.loads(found[2]) if found[2].startswith('"') else found[2]
    if any(word in found[1] for word in GONE):
        shown.gone(name)
    else:
        shown.add(name, _unquoted(body.strip("\n")))


def _unquoted(body: str) -> str:
    """The text of a guide found while working, less what quotes each of its lines."""
    lines = body.split("\n")
    if not all(line.startswith(">") for line in lines):
        return body
    return "\n".join(line.removeprefix(">").removeprefix(" ") for line in lines)
