"""Notes: Markdown files an agent keeps for itself from one session to the next.

The commands are those of the providers' memory tool (view, create, str_replace, insert, delete,
rename), under the same `/memories` root, so a model trained on that tool knows them. Every path
stays below the folder: links are refused, and so are paths that lead out.

A change that the model makes by its tool belongs to a reply, which may be interrupted before it is
taken in and then given again. So the change is `revocable`: for each changed file its content
before and after are kept until the reply stands (`keep`) or does not (`undo`). A note that somebody
else has changed meanwhile is left as it is."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from itertools import takewhile
from pathlib import Path, PurePosixPath
from typing import Any

from loom.capabilities.plain_file import read_whole
from loom.disk import make_private_folders
from loom.errors import BadInput
from loom.redact import SECRETS, Redactor, Rules
from loom.text import clip_text, encodable, escape_invisible, utf8_size
from loom_paging.folders import write_or_remove

ROOT = "/memories"
LARGEST = 100_000  # bytes of one note
MOST_READ = 1 << 24  # bytes of one that somebody else wrote
MOST = 1_000  # notes
DEPTH = 2  # levels a view of a folder shows
DEEPEST = 12  # folders in each other
ODD = frozenset("\0\\")


class Notes:
    """The agent's notes: files in `folder`, which is created with the first note. Secrets in texts
    and file names are replaced by the rules `redact`."""

    def __init__(self, folder: Path, redact: Rules = SECRETS) -> None:
        self.folder = folder.absolute()
        self._redact = Redactor(redact)
        self._back: list[tuple[Path, bytes | None, bytes | None]] = []  # file, before, after
        self._revocable = False

    def run(self, command: str, arguments: Mapping[str, Any], *, revocable: bool = False) -> str:
        """Run a command of the memory tool, such as "view", and return the answer for the model.
        Raises BadInput. After a `revocable` command, call `keep` or `undo`."""
        if command not in COMMANDS:
            raise BadInput(f"no command {clip_text(command, 40)!r}: one of {', '.join(COMMANDS)}")
        self._revocable = revocable
        try:
            return COMMANDS[command](self, **arguments)
        except TypeError:
            needed = [name for name in COMMANDS[command].__annotations__ if name != "return"]
            raise BadInput(f"{command} takes {', '.join(needed)}") from None
        except OSError as error:
            raise BadInput(f"{command}: {error.strerror or error}") from error

    @property
    def revocable(self) -> bool:
        """Return True if there are changes that `undo` can still undo."""
        return bool(self._back)

    def keep(self) -> None:
        """Make the changes of revocable commands final."""
        self._back = []

    def undo(self) -> None:
        """Undo the changes of revocable commands, the last one first."""
        while self._back:
            at, before, after = self._back[-1]
            if _file_bytes(at) == after and before is not None:
                self._replace_file(at, before)
            elif _file_bytes(at) == after:
                at.unlink(missing_ok=True)
                with suppress(OSError):  # a folder that is not empty
                    for folder in takewhile(lambda one: one != self.folder, at.parents):
                        folder.rmdir()
            self._back.pop()

    def view(self, path: str = ROOT, view_range: tuple[int, int] | None = None) -> str:
        """Return a note with numbered lines, or for a folder the list of its files. `view_range` is
        (first line, last line); -1 as last means up to the end."""
        at = self._file_at(path)
        if at.is_dir() or (at == self.folder and not at.exists()):
            return "\n".join([f"{self._shown_path(at)}/", *self._folder_lines(at, DEPTH)])
        lines = self.read(path).split("\n")
        first, last = view_range or (1, len(lines))
        last = len(lines) if last == -1 else last
        if not 1 <= first <= min(last, len(lines)):
            raise BadInput(f"view_range: {first} to {last}; {path} has lines 1 to {len(lines)}")
        shown = enumerate(lines[first - 1 : last], first)
        return "\n".join(f"{number:>6}\t{line}" for number, line in shown)

    def create(self, path: str, file_text: str) -> str:
        """Write a note, replacing an existing one. Return a line such as "Wrote /memories/a.md"."""
        at = self._file_at(path)
        if at == self.folder or at.is_dir():
            raise BadInput(f"create: {path} is a folder; name a file in it")
        if not at.exists() and len(_note_files(self.folder)) >= MOST:
            raise BadInput(f"create: there are {MOST:,} notes; delete or merge some first")
        self._write_note(at, file_text)
        return f"Wrote {self._shown_path(at)}"

    def str_replace(self, path: str, old_str: str, new_str: str = "") -> str:
        """Replace `old_str`, which must occur exactly once. Return a confirming line."""
        text = self._editable_text(path)
        at = text.find(old_str) if old_str else -1
        if at < 0 or text.find(old_str, at + 1) >= 0:
            why = "is not there" if at < 0 else "stands there more than once; take more around it"
            raise BadInput(f"str_replace: old_str {why} ({path})")
        self._write_note(self._file_at(path), text.replace(old_str, new_str))
        return f"Edited {path}"

    def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert lines after line `insert_line` (0: at the start). Return a confirming line."""
        lines = self._editable_text(path).split("\n")
        if not 0 <= insert_line <= len(lines):
            raise BadInput(f"insert_line: {insert_line}; {path} has lines 0 to {len(lines)}")
        lines[insert_line:insert_line] = insert_text.removesuffix("\n").split("\n")
        self._write_note(self._file_at(path), "\n".join(lines))
        return f"Edited {path}"

    def delete(self, path: str) -> str:
        """Delete a note, or a folder with all notes in it. Return a confirming line."""
        at = self._file_at(path)
        if at == self.folder or not at.exists():
            why = (
                f"{ROOT} itself stays; name a note" if at == self.folder else f"there is no {path}"
            )
            raise BadInput(f"delete: {why}")
        for file in _note_files(at):
            self._remember_change(file, None)
        shutil.rmtree(at) if at.is_dir() else at.unlink()
        return f"Deleted {self._shown_path(at)}"

    def rename(self, old_path: str, new_path: str) -> str:
        """Move a note or folder to `new_path`, which must not exist. Return a confirming line."""
        old, new = self._file_at(old_path), self._file_at(new_path)
        if old == self.folder or not old.exists():
            raise BadInput(f"rename: there is no {old_path} to move")
        if new.exists() or old in new.parents:
            raise BadInput(f"rename: {new_path} is taken")
        make_private_folders(new.parent)
        for file in _note_files(old):
            self._remember_change(file, None)
            self._remember_change(new / file.relative_to(old), _file_bytes(file))
        old.rename(new)
        return f"Moved {self._shown_path(old)} to {self._shown_path(new)}"

    def read(self, path: str) -> str:
        """Return the text of a note. Bytes that are not UTF-8 become U+FFFD. Raises BadInput."""
        at = self._file_at(path)
        if not at.is_file():
            raise BadInput(f"there is no note {path}; view {ROOT} lists them")
        return read_whole(at, MOST_READ).decode("utf-8", "replace")

    def _editable_text(self, path: str) -> str:
        """Return the text of a note. Raises BadInput if it is not UTF-8."""
        text = self.read(path)
        if text.encode("utf-8", "replace") != read_whole(self._file_at(path), MOST_READ):
            raise BadInput(f"{path} is not UTF-8 throughout, an edit would harm it: create another")
        return text

    def _file_at(self, path: str) -> Path:
        """Return the file for a path such as "/memories/a.md". Raises BadInput if it is outside."""
        path = self._redact(path)
        given = PurePosixPath(path.strip())
        roots = ("/",) if str(given) == "/" else (ROOT, ROOT[1:])
        inside = next((given.relative_to(at) for at in roots if given.is_relative_to(at)), given)
        if ".." in inside.parts or inside.is_absolute():
            raise BadInput(f"{clip_text(path, 100)!r} leads out of {ROOT}")
        if len(inside.parts) > DEEPEST or ODD.intersection(path) or encodable(path) != path:
            raise BadInput(f"{clip_text(encodable(path), 100)!r} is no name of a note")
        at = self.folder
        for part in inside.parts:
            at = at / part
            if at.is_symlink():
                raise BadInput(
                    f"{clip_text(path, 100)!r} is a link, which could lead out of {ROOT}"
                )
        return at

    def _shown_path(self, at: Path) -> str:
        """Return the path of a note as the model sees it: "/memories/a.md"."""
        inside = escape_invisible(at.relative_to(self.folder).as_posix())
        return ROOT if inside == "." else f"{ROOT}/{inside}"

    def _folder_lines(self, folder: Path, depth: int) -> Iterator[str]:
        """Yield a line for each note and folder in `folder`, down to `depth` levels."""
        for at in sorted(folder.iterdir()) if folder.is_dir() and depth else ():
            if at.name.startswith(".") or at.is_symlink():
                continue
            if at.is_dir():
                yield f"{self._shown_path(at)}/"
                yield from self._folder_lines(at, depth - 1)
            else:
                yield f"{self._shown_path(at)} ({at.stat().st_size:,} bytes)"

    def _write_note(self, at: Path, text: str) -> None:
        """Write a note, completely or not at all. Only its owner can read it."""
        text = encodable(self._redact(text))
        if utf8_size(text) > LARGEST:
            raise BadInput(
                f"{self._shown_path(at)} would take more than {LARGEST:,} bytes; split it"
            )
        self._remember_change(at, text.encode())
        self._replace_file(at, text.encode())

    def _remember_change(self, at: Path, after: bytes | None) -> None:
        """Remember the file's present content for `undo`, if the command is revocable. `after` is
        the content after the change, None for a deletion."""
        if self._revocable:
            self._back.append((at, _file_bytes(at), after))

    def _replace_file(self, at: Path, data: bytes) -> None:
        """Write `data` to a temporary file, then rename that to `at`."""
        make_private_folders(at.parent)
        partial = at.parent / f".{secrets.token_hex(8)}"  # a name nobody has, and no view shows
        try:
            write_or_remove(partial, data, durable=True)
            partial.replace(at)
        finally:
            partial.unlink(missing_ok=True)


def _file_bytes(at: Path) -> bytes | None:
    """Return the content of a file; None if it does not exist."""
    return read_whole(at, MOST_READ) if at.is_file() else None


def _note_files(at: Path) -> list[Path]:
    """Return [at] for a file, all files below `at` for a folder. Links are left out."""
    every = at.rglob("*") if at.is_dir() else [at]
    return [one for one in every if one.is_file() and not one.is_symlink()]


COMMANDS: dict[str, Callable[..., str]] = {
    one.__name__: one
    for one in (
        Notes.view, Notes.create, Notes.str_replace, Notes.insert, Notes.delete, Notes.rename,
    )
}  # fmt: skip
