"""The calls an agent makes in a project, by a seed: they read, edit and run files.

A walk prefers folders with guides it has not been in, comes back to those it was in, and strays
into folders without a guide and into those of others. How a path is spelled changes: from the
working folder, absolute, through a link.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from random import Random

from msgspec import Struct

from benchmarks.guides.disk import read
from benchmarks.guides.project import FOREIGN, ProjectTree, plain_folders
from loom_bench.sessions.material import Material

FILES = ("core.py", "parts/detail.py", "detail.py", "index.py")
NEW, AGAIN, PLAIN, OTHERS, LINKS = 35, 30, 20, 10, 5  # of a hundred calls
READ, EDIT, WRITE, RUN = "Read", "Edit", "Write", "Bash"
TOOLS = {READ: 60, EDIT: 25, WRITE: 5, RUN: 10}


class WorkCall(Struct, frozen=True):
    """A call: its tool and arguments, the file it names, as it really lies, and its result."""

    tool: str
    arguments: str
    file: Path
    result: str


class FolderWalk:
    """The calls of one life, in the order it makes them; each does its work on disk when made."""

    def __init__(self, tree: ProjectTree, cwd: Path, chance: Random) -> None:
        self.tree, self.cwd, self.chance = tree, cwd, chance
        self._material = Material(chance)
        self._been: dict[str, None] = {}
        self._number = 0

    def call(self) -> WorkCall:
        """Make the next call."""
        self._number += 1
        path = self._path()
        tool = self.chance.choices([*TOOLS], [*TOOLS.values()])[0]
        if tool == WRITE:
            path = path.with_name(f"made_{self._number}.py")
        spelled = self._spelled(path)
        arguments, result = MADE[tool](self, path, spelled)
        return WorkCall(tool, json.dumps(arguments), path.resolve(), result)

    def _path(self) -> Path:
        folders = [one for one in self.tree.folders if one not in self._been]
        choices = {
            NEW: folders or self.tree.folders,
            AGAIN: [*self._been] or self.tree.folders,
            PLAIN: plain_folders(self.tree),
            OTHERS: FOREIGN,
            LINKS: self.tree.links or self.tree.folders,
        }
        among = choices[self.chance.choices([*choices], [*choices])[0]]
        folder = self.chance.choice(among)
        if folder in self.tree.folders:
            self._been[folder] = None
        found = self.tree.root / folder
        files = [found / name for name in FILES if (found / name).is_file()]
        return self.chance.choice(files)

    def _spelled(self, path: Path) -> str:
        """A path as a call names it: mostly from the working folder."""
        inside = os.path.relpath(path, self.cwd)
        return self.chance.choices((inside, str(path), f"./{inside}"), (70, 20, 10))[0]

    def _read(self, path: Path, spelled: str) -> tuple[dict[str, str], str]:
        return {"file_path": spelled}, read(path) if path.is_file() else "no such file"

    def _edit(self, path: Path, spelled: str) -> tuple[dict[str, str], str]:
        old = next((line for line in read(path).split("\n") if line.strip()), "pass")
        new = self._material.code_line() or "pass"
        path.write_text(read(path).replace(old, new, 1), "utf-8")
        said = f"The file {spelled} has been updated."
        return {"file_path": spelled, "old_string": old, "new_string": new}, said

    def _write(self, path: Path, spelled: str) -> tuple[dict[str, str], str]:
        text = "\n".join([*self._material.code(self.chance.randint(5, 20)), ""])
        path.write_text(text, "utf-8")
        return {"file_path": spelled, "content": text}, f"Created {spelled}"

    def _run(self, path: Path, spelled: str) -> tuple[dict[str, str], str]:
        passed = self.chance.randint(1, 40)
        return {"command": f"python -m pytest -q {spelled}"}, f"{passed} passed in 0.{passed:02d}s"


# Tool → what makes its arguments and its result, and does its work.
MADE: dict[str, Callable[[FolderWalk, Path, str], tuple[dict[str, str], str]]] = {
    READ: FolderWalk._read,
    EDIT: FolderWalk._edit,
    WRITE: FolderWalk._write,
    RUN: FolderWalk._run,
}
