"""The guides of a working folder, read again when they change while an agent works in it.

Theory of operation. Two groups of guides count: the chain, from the root to the
working folder, and the guides of folders below or beside it that the agent has touched. A look
compares the state (times, size, inode) of each file that could be a guide, or that a guide imports,
with its last state, and reads all files again when one differs: a file that was replaced, deleted,
created or reached by another link is found, and no thread runs for it. Times of files move in
ticks, so a file written twice within a tick, to the same size, looks unchanged: while the time of a
file is no older than `GRAIN` its state proves nothing, and the files are read. In a window the
chain has the byte budget to itself; guides that joined later are bound by the room of the partition
alone, in the order they joined, so that a guide that comes takes nothing from one that stands."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

from loom.capabilities.file_owners import Trust, git_root, real_path, trusted_owners
from loom.capabilities.foreign import is_foreign, is_git_ignored
from loom.capabilities.key_files import HOLDS_KEYS, holds_keys
from loom.capabilities.memory.guide import NAMES, Guide, MergedGuides, folder_chain, guide_lines
from loom.capabilities.memory.imports import GuideImports
from loom.reduce.entities import is_path

TOUCHED_MOST = 1_000  # folders: what they cost is looked at before each turn
LONGEST = 4_096  # characters of a word that is looked up
NEAR = 4  # folders a call named last, from which its next words are seen
GRAIN = 2_000_000_000  # ns: the longest tick of file times, that of FAT; others have some ms
NO_FILE = "a link to no file"
NOT_REGULAR = "a named pipe or device, not a regular file"
LEADS_OUT = "a link that leads out of the project"

State = tuple[int, int, int, int]


class ProjectGuides:
    """Finds and reads the guides (AGENTS.md files) that apply to a working folder. `merged` holds
    the guides in force at the last `look`."""

    def __init__(self, folder: Path, trust: Trust = ()) -> None:
        self.folder = folder.resolve()
        self.whose = trusted_owners(trust)
        self.root, above = git_root(self.folder, self.whose)
        self._above = (above,) if above else ()
        self.merged = MergedGuides()
        self.warnings: tuple[str, ...] = ()
        self.refused: tuple[str, ...] = ()  # those of them that tell what must not be read
        self.unused: dict[str, str] = {}  # why a file of a guide's name does not count, by path
        self._refusing: list[str] = []
        self._chain = folder_chain(self.root, self.folder)
        self._touched: dict[Path, str] = {}
        self._imported: tuple[Path, ...] = ()
        self._joined: dict[str, None] = {}
        self._states: dict[Path, State | None] | None = None
        self._young = False  # whether one may change without a change of its state

    def touch(self, path: str, *, told: bool = True) -> str:
        """Note that the agent named `path` (absolute, or relative to the working folder), and let
        `look` search the folders from the root down to `path`. Return the deepest folder searched
        on the path, relative to the root; "" for none.

        Paths outside the project, and in folders that are installed, copied in or ignored by git,
        are not noted. With `told`, `found_by` returns `path` for guides found in these folders."""
        if len(self._touched) >= TOUCHED_MOST or not path or "\0" in path:
            return ""
        try:
            at = (self.folder / path).resolve()
            folder = at if at.is_dir() else at.parent
            known = [one for one in folder_chain(self.root, folder) if one.is_dir()]
        except (OSError, RuntimeError, ValueError):
            return ""
        new = [one for one in known if one not in self._chain and one not in self._touched]
        own = [one for one in new if not is_foreign(self.root, one, self.folder)]
        because = at.relative_to(self.root).as_posix() if own and told else ""
        self._touched.update(dict.fromkeys(own, because))
        looked = [one for one in known if one in self._chain or one in self._touched]
        return looked[-1].relative_to(self.root).as_posix() if looked else ""

    def touch_named(self, words: Iterable[str], work: str = ".") -> str:
        """Call `touch` for each path among the words of a tool call. Return the first folder named;
        if the call names none, return `work`, the folder where the previous call worked.

        A word counts if its path exists or looks like the path of a new file. A path may be
        relative to a folder named earlier in the call (`cd api && cat h.py`), to the working
        folder, the root, the process's folder, or `work`."""
        named: list[str] = []
        for word in words:
            for at in self._word_paths(word, named, work):
                folder = self.touch(str(at))
                if folder and folder not in named:
                    named.append(folder)
        return named[0] if named else work

    def _word_paths(self, word: str, named: Sequence[str], work: str) -> list[Path]:
        """Return the paths a word may mean: all existing paths relative to the folders `named`,
        else the first existing path elsewhere, else a new file in an existing folder, else []."""
        if not any(map(str.isalnum, word)) or len(word) > LONGEST or "\0" in word:
            return []
        try:
            near = [self.root / folder / word for folder in named[-NEAR:] if folder != "."]
            usual = [base / word for base in (self.folder, self.root, Path.cwd(), self.root / work)]
            there = [*filter(self._is_in_project, near)] or [*filter(self._is_in_project, usual)][
                :1
            ]
            formed = is_path(word)
            if there or not (formed or "/" in word):
                return there
            new = (at for at in (*near, *usual) if self._is_in_project(at.parent))
            return [*islice(new, 1)] or [usual[0]] * formed
        except (OSError, RuntimeError, ValueError):  # no name of a file; a loop of links
            return []

    def _is_in_project(self, at: Path) -> bool:
        """Return True if a path exists and, with links followed, is below the root."""
        return at.exists() and at.resolve().is_relative_to(self.root)

    def found_by(self, guide: Guide) -> str:
        """Return the path, named by the agent, that led to a guide; "" for the project's own."""
        return self._touched.get(self.root / guide.scope, "")

    def look(self) -> bool:
        """Read the guides again if any of their files changed. Return True if `merged` changed."""
        now, folders = time.time_ns(), (*self._chain, *self._touched)
        states = self._file_states(folders)
        if states == self._states and not self._young:
            return False
        before, odd, self._refusing = self.merged, list[str](), list[str]()
        self._states, self.unused = states, {}
        guides = dict[str, Guide]()
        for guide in filter(None, map(self._first_guide, folders)):
            if guides.setdefault(guide.real, guide) is not guide:
                self.unused[guide.path] = f"the same file as {guides[guide.real].path}"
        refuse = self._refusing.append
        imports = GuideImports(self.root, self.folder, self.whose, odd.append, refuse)
        self.merged = self._merge_guides(imports.with_imports(guides.values()))
        if self._imported != tuple(imports.named):
            self._imported = tuple(imports.named)
            self._states = states = self._file_states(folders)
        self._young = any(state and max(state[:2]) > now - GRAIN for state in states.values())
        self.refused = (*self._above, *self._refusing)
        self.warnings = (*self.refused, *odd)
        return self.merged != before

    def _first_guide(self, folder: Path) -> Guide | None:
        """Return a folder's guide, the first file in NAMES that is not blank, or None. Store in
        `unused` why the other files are not used."""
        guide = None
        for path in map(folder.joinpath, NAMES):
            inside, there, why = path.relative_to(self.root).as_posix(), path.is_file(), ""
            if guide is not None:
                why = f"not used: {guide.path.rpartition('/')[2]} beside it counts" if there else ""
            elif there and folder not in self._chain and is_git_ignored(self.root, path):
                why = "ignored by git"
            else:
                try:
                    refused = self._why_unreadable(path)
                    if there and not refused:
                        lines = guide_lines(path, self.whose)
                        why = "" if lines else "says nothing"
                        guide = Guide(inside, lines, str(real_path(path))) if lines else None
                except OSError as error:
                    refused = error.strerror or str(error)
                if refused:
                    why = refused
                    self._refusing.append(f"{inside}: {why}")
            self.unused |= {inside: why} if why else {}
        return guide

    def _why_unreadable(self, path: Path) -> str:
        """Return why a file must not be read; "" if it may be read or does not exist."""
        if not path.is_file():
            if path.is_symlink():
                return NO_FILE
            return NOT_REGULAR if path.exists() and not path.is_dir() else ""
        if self.root not in real_path(path).parents:
            return LEADS_OUT
        return HOLDS_KEYS if holds_keys(path, self.root) else ""

    def _file_states(self, folders: Sequence[Path]) -> dict[Path, State | None]:
        """Return by path the state (times, size, inode) of each possible guide and `.gitignore`
        file in the folders, and of imported files; None for a missing file."""
        names = (*NAMES, ".gitignore")
        inside = [at for folder in folders for at in map(folder.joinpath, names)]
        return {at: _file_state(at) for at in (*inside, *self._imported)}

    def _merge_guides(self, found: Sequence[Guide]) -> MergedGuides:
        """Return the guides in force: the project's own, then the others in the order found, except
        that a guide of an outer folder comes before guides of folders in it."""
        chain = {*self._chain}
        own = tuple(guide for guide in found if self.root / guide.scope in chain)
        later = {guide.name: guide for guide in found if guide not in own}
        self._joined = {path: None for path in (*self._joined, *later) if path in later}
        late = list[Guide]()
        for guide in map(later.__getitem__, self._joined):
            below = f"{guide.scope}/"
            inner = (at for at, one in enumerate(late) if one.scope.startswith(below))
            late.insert(next(inner, len(late)), guide)
        return MergedGuides(own, tuple(late))


def _file_state(path: Path) -> State | None:
    """Return the two times, size and inode of a file; None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino
