"""Which rules apply, read from the files on disk by rules that share no code with Loom.

Read by plain rules of this benchmark's own, apart from how Loom reads guides. Headings, tables,
quotes, code blocks and comments hold no rules. A text is compared as it reads: its comments gone,
every run of blanks one space.

A guide applies from the root of the project down to the working folder, and below or beside it once
work touched its folder or one further down. In each folder one file counts: AGENTS.override.md,
else AGENTS.md, else CLAUDE.md, the first that says something. A file it names as `@path` within the
project belongs to it, four files deep. What was installed, copied in, or is ignored by git (which
is asked) is not the project's own; a link that leads out of it is none of its files.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from msgspec import Struct

LEAST_WORDS = 3  # fewer are no rule that can be told from chance
LEAST_CHARS = 12
_COMMENT = re.compile(r"<!--.*?-->", re.S)
_HEADING = re.compile(r"\s{0,3}#{1,6}\s+(.*)")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(.*)")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\"'(\[])")
_RULER = re.compile(r"\s*(?:-{3,}|={3,}|\*{3,}|_{3,})\s*")
_IMPORT = re.compile(r"(?<!\S)@([\w./~+-]*[\w/-])")
_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
FENCES = ("```", "~~~")


class ProjectRule(Struct, frozen=True):
    """A rule of a guide: the file and line it stands on, its words, and the heading above it."""

    path: str
    line: int
    text: str
    heading: str = ""


def flat(text: str) -> str:
    """A text as it reads: without comments, every run of blanks one space."""
    return " ".join(_COMMENT.sub("", text).split())


@lru_cache(4_096)
def rules_of(path: str, text: str) -> tuple[ProjectRule, ...]:
    """The rules of a guide in their order, each wording once."""
    found: dict[str, ProjectRule] = {}
    for line, words, heading in _said(text):
        if len(words) >= LEAST_CHARS and len(words.split()) >= LEAST_WORDS:
            found.setdefault(words, ProjectRule(path, line, words, heading))
    return tuple(found.values())


def imports_of(text: str) -> tuple[str, ...]:
    """The files a guide names as `@path` outside of code, in their order."""
    lines = [line for _, line in _prose(text)]
    named = (one for line in lines for one in _IMPORT.findall(_SPAN.sub(" ", line)))
    return tuple(dict.fromkeys(named))


def _prose(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of code blocks, with their numbers; one for each block, which is blank."""
    blanked = _COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)
    fence = ""
    for number, line in enumerate(blanked.removeprefix("\ufeff").splitlines(), 1):
        mark = line.strip()[:3]
        if mark in FENCES and fence in ("", mark):
            fence = "" if fence else mark
            yield number, ""
        elif not fence:
            yield number, line


def _said(text: str) -> Iterator[tuple[int, str, str]]:
    """(line, words, heading) of every item and sentence."""
    heading, start, held, listed = "", 0, list[str](), False
    for number, line in (*_prose(text), (0, "")):
        title, item = _HEADING.fullmatch(line), _ITEM.fullmatch(line)
        alone = line.lstrip().startswith(("|", ">")) or not _IMPORT.sub("", line).strip()
        if not (title or item or alone or _RULER.fullmatch(line)):
            start = start if held else number
            held.append(line)
            continue
        for words in _split(" ".join(" ".join(held).split()), listed):
            yield start, words, heading
        heading = title[1].strip() if title else heading
        start, held, listed = number, [item[1]] if item else [], bool(item)


def _split(words: str, listed: bool) -> list[str]:
    """The words of an item as they are, a paragraph's by the sentence."""
    return [words] if listed else _SENTENCE.split(words)


NAMES = ("AGENTS.override.md", "AGENTS.md", "CLAUDE.md")
HOPS = 4  # files an import may lead through, as https://code.claude.com/docs/en/memory has it
NOT_OWN = frozenset({"node_modules", "third_party", "vendor", ".venv", ".git"})  # of the trees


class AppliedGuide(Struct, frozen=True):
    """A guide that applies: `path` from the root, its folder, its text, and its rules.

    Those of the files it imports are among them, each with its own path; `files` are all of them.
    `standing` is one of the chain from the root to the working folder.
    """

    path: str
    folder: Path
    text: str
    rules: tuple[ProjectRule, ...]
    files: tuple[str, ...]
    standing: bool


class GroundTruth:
    """The guides of a project that apply, as work goes on in it. `cwd` is the working folder."""

    def __init__(self, root: Path, cwd: Path) -> None:
        self.root = root.resolve()
        self.cwd = cwd.resolve()
        self._folders = dict.fromkeys(self.above(self.cwd))
        self._standing = frozenset(self._folders)
        self._ignored: dict[Path, bool] = {}

    def above(self, folder: Path) -> list[Path]:
        """The folders from the root down to one; [] for one outside."""
        folder = folder.resolve()
        if folder != self.root and self.root not in folder.parents:
            return []
        return [one for one in (*reversed(folder.parents), folder) if self._inside(one)]

    def touch(self, file: Path) -> None:
        """Note that work touched a file: the folders down to it count from now on."""
        self._folders.update(dict.fromkeys(self.above(file.resolve().parent)))

    def applied(self) -> tuple[AppliedGuide, ...]:
        """The guides that apply now: the chain from the root, then those found since."""
        found: dict[Path, AppliedGuide] = {}
        for folder in self._folders:
            standing = folder in self._standing
            if not folder.is_dir() or not (standing or self._own(folder)):
                continue
            path = next(self._counted(folder, standing), None)
            if path is not None and path.resolve() not in found:
                found[path.resolve()] = self._read(path, standing)
        return tuple(found.values())

    def every(self) -> Iterator[ProjectRule]:
        """The rules of every guide that lies in the tree, whether it applies or not."""
        for name in NAMES:
            for path in self.root.rglob(name):
                if path.is_file():
                    yield from rules_of(self._name(path), read(path))

    def _inside(self, path: Path) -> bool:
        return path == self.root or self.root in path.parents

    def _own(self, folder: Path) -> bool:
        parts = folder.relative_to(self.root).parts
        down = (self.root.joinpath(*parts[:depth]) for depth in range(1, len(parts) + 1))
        nested = any((one / ".git").exists() for one in down)
        return not (NOT_OWN & {*parts} or nested or self._git_ignores(folder))

    def _git_ignores(self, path: Path) -> bool:
        if path not in self._ignored:
            asked = ["git", "-C", str(self.root), "check-ignore", "-q", str(path)]
            self._ignored[path] = subprocess.run(asked, capture_output=True).returncode == 0
        return self._ignored[path]

    def _counted(self, folder: Path, standing: bool) -> Iterator[Path]:
        for name in NAMES:
            path = folder / name
            if not (path.is_file() and self._inside(path.resolve())):
                continue
            if read(path).strip() and (standing or not self._git_ignores(path)):
                yield path

    def _read(self, path: Path, standing: bool) -> AppliedGuide:
        texts = dict(self._imported(path, HOPS, set()))
        rules = tuple(rule for name, text in texts.items() for rule in rules_of(name, text))
        return AppliedGuide(
            self._name(path), path.parent, "\n\n".join(texts.values()), rules, (*texts,), standing
        )

    def _imported(self, path: Path, hops: int, known: set[Path]) -> Iterator[tuple[str, str]]:
        """Name and text of a guide, then of each file it imports."""
        known.add(path.resolve())
        text = read(path)
        yield self._name(path), text
        for named in imports_of(text) if hops else ():
            real = (path.resolve().parent / named).resolve()
            if real.is_file() and self._inside(real) and real not in known:
                yield from self._imported(real, hops - 1, known)

    def _name(self, path: Path) -> str:
        return path.relative_to(self.root).as_posix()


def read(path: Path) -> str:
    """A file's text; what is no UTF-8 shows as U+FFFD."""
    return path.read_text("utf-8", "replace")
