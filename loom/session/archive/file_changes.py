"""Notes on how a file changed after a page of it was made. The page itself stays as it is.

Theory of operation. A page is exact, and so it soon goes out of date: it shows a file as it was
when it was read. So whatever brings the page back adds a note. `FileHistory` keeps a row for each
reading and each change of a file, in order, and finds a file's rows by the last part of its path,
and by the pages and entries that show it. So a note needs only the rows of one file, however long
the journal is.

A later reading of the same lines with equal bytes makes the page as new as that reading; a reading
with other bytes is a change nobody told of. What a command changed without naming it (`black .`,
`git pull`) is not known before the file is read again.

Two names are the same file when they are equal, or one is absolute and ends with the other."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from hashlib import blake2b
from sys import intern
from typing import TYPE_CHECKING

from msgspec import Struct, json
from msgspec.structs import replace

from loom.lazy import lazy_modules, lazy_re
from loom.providers.render.neutral import neutral
from loom.reduce.aliases import READ, SEARCH, SHELL
from loom.text import clip_front, one_line
from loom_paging import PagingError
from loom_partitions.message import Fact, Outcome
from loom_partitions.records import Heard, Returned

if TYPE_CHECKING:
    from loom.reduce import file_rules, located, result_facts, shell_commands, verdict
else:
    lazy_modules("loom.reduce", "shell_commands result_facts file_rules located verdict", globals())

Seal = Callable[[str], str]  # by the name of a page what tells its bytes from any others
ReadPage = Callable[[str], str]

HITS = 64  # files one search is known to show lines of
NAMED = 3  # entries named for one kind of change, and files of one entry
KINDS = 5  # kinds of change told
PATH = 80  # characters of a path shown
SHORT = 400  # characters: so short an answer to a reading may be "unchanged since the last"
UNCHANGED = lazy_re(r"\bunchanged\b|\bnot (?:been )?(?:changed|modified)\b", re.I)
ABSOLUTE = lazy_re(r"/|~|[A-Za-z]:/")
STEM = lazy_re(r"^(?:.*/)?([a-z]+_\d+)(?:\.\w+)*$")
INTO = lazy_re(r"(?<![0-9&>=-])>{1,2}(?!&)")  # what was printed went elsewhere
CHANGES = {"edit": "edited", "write": "written"}
AGAIN = "read again with other content"
NOTE = "exact as of {step}; since then: {changes}"
# What a row says of a file that is no reading and no change: a call shows what it wrote, a search
# has lines of it, a result that came late had it.
SHOWS, FOUND, LATE = "shows", "found", "late"


class FileRow(Struct, frozen=True, array_like=True, omit_defaults=True, gc=False):
    """One reading or change of the file `path`, made by the entry with the id `entry`.

    `what` says what was done ("edited" …). `seal` is a hash of the bytes that were read. `span`
    holds the lines or the command asked for. `places` names the page and the entry that show the
    file. For a search whose result is on a page, `path` is "", `seal` the page's name, `span` the
    searched paths."""

    path: str
    entry: int
    what: str
    seal: str = ""
    span: str = ""
    places: tuple[str, ...] = ()


class FileHistory:
    """Keeps which entries read or changed each file, and which files each page and entry shows."""

    def __init__(self) -> None:
        self.rows: list[FileRow] = []
        self.kept = 0  # rows that a checkpoint holds
        self.told = 0, 0  # the step noted last, and how many facts it had
        self._named: dict[str, list[int]] = {}  # by the last name of a path its rows
        self._shown: dict[str, list[int]] = {}  # by page or entry the rows it shows

    def note(self, record: Returned | Heard, seal: Seal) -> None:
        """Add rows for the files that a tool's result read or changed. `seal` takes a page's name
        and returns a hash of the page's bytes."""
        if isinstance(record, Returned):
            fresh = record.facts[self.told[1] if record.step == self.told[0] else 0 :]
            self.told = record.step, len(record.facts)
            self._note_changes(fresh, record.step)
            if not record.outcome.error:
                self._note_shown(fresh, record.outcome, record.step, seal)
        elif record.call:
            # It was made somewhere after its call, nobody knows when: so right after it.
            turn = record.turn
            asked = int(name_stem(turn.source).rpartition("_")[2] or turn.id)
            self._note_changes(turn.facts, turn.id)
            for fact in turn.facts:
                if fact.kind == "read" and (page := fact.refs or turn.text.page):
                    self._add_row(
                        FileRow(plain_path(fact.text), asked, LATE, places=(name_stem(page),))
                    )

    def enter(self, rows: Iterable[FileRow]) -> None:
        """Add rows that were read from a checkpoint, in their order."""
        for row in rows:
            self._add_row(row)
        self.kept = len(self.rows)

    def _add_row(self, row: FileRow) -> None:
        """Add a row and index it by the name of its file and by the names in its `places`."""
        at = len(self.rows)
        self.rows.append(row)
        if row.path and row.what not in (SHOWS, FOUND, LATE):
            self._named.setdefault(_last_name(row.path), []).append(at)
        for place in row.places:
            self._shown.setdefault(place, []).append(at)

    def _note_changes(self, facts: Iterable[Fact], entry: int) -> None:
        """Add a row for each fact that says that the entry edited or wrote a file."""
        for fact in facts:
            if fact.kind in CHANGES:
                did = fact.came if fact.came == result_facts.TOUCHED else CHANGES[fact.kind]
                said = f"may have been {did}" if fact.came == result_facts.LOST else did
                self._add_row(FileRow(plain_path(fact.text), entry, intern(said)))

    def _note_shown(self, facts: Sequence[Fact], outcome: Outcome, step: int, seal: Seal) -> None:
        """Add a row for each file whose content a tool's result or the call of a write shows."""
        tool, body = outcome.reduction.tool, outcome.text.body or ""
        page = outcome.reduction.outcome_ref or outcome.text.page
        places = (*([name_stem(page)] if page else ()), f"step_{step:04d}")
        what, span = READ, ""
        searches: list[Sequence[str] | None] = []
        paths: list[str] = []
        if tool == SHELL:
            ran = [
                fact.text
                for fact in facts
                if fact.kind == "ran" and not verdict.is_failed(fact.came)
            ]
            told = [shell_commands.parse_command(line) for line in ran if not INTO.search(line)]
            paths = [path for line in told for path in located.printed_files(line)]
            searches = [located.searched_files(line) for line in told]
            span = f"$ {' '.join(ran)}"
        elif tool == READ:
            paths = [
                fact.text
                for fact in facts
                if fact.kind == "read" and fact.came != result_facts.LOST
            ]
            span = str([outcome.reduction.minimal_args.get(key) for key in file_rules.RANGE_KEYS])
            if not outcome.text.page and len(body) < SHORT and UNCHANGED.search(body):
                return
        elif tool == SEARCH:
            arguments = json.encode(outcome.reduction.minimal_args).decode()
            searches = [located.files_shown_by_call(tool, arguments)]
        else:  # of a write the call shows the file, not its result
            paths, what = [fact.text for fact in facts if fact.kind == "write"], SHOWS
        if any(paths is not None for paths in searches):
            given = [path for paths in searches for path in paths or ()]
            row = FileRow("", step, FOUND, page or "", "\n".join(given), places)
            for path in [""] if page else _files_found(body, row):
                self._add_row(replace(row, path=path))
        digest = blake2b(body.encode("utf-8", "replace"), digest_size=8)
        held = seal(page) if page else digest.hexdigest()
        shown_at = places if what == READ else places[-1:]
        for path in dict.fromkeys(paths):
            self._add_row(FileRow(plain_path(path), step, what, held, intern(span), shown_at))

    def changes_note(self, ref: str, mark: str, read: ReadPage) -> str:
        """Return a note on how files have changed since the page or entry `ref` showed them; "" for
        no change.

        `mark`, the text that begins Loom's own lines in a window, is removed from paths and
        commands. `read` takes a page's name and returns the page's text."""
        shown, said = self._shown_files(ref, read), []
        for path, at in shown.items():
            entry, changes = self._changes_since(path, at)
            if changes:
                told = NOTE.format(step=f"step_{entry:04d}", changes=_changes_text(changes))
                said.append(f"{_short_path(path)}: {told}" if len(shown) > 1 else told)
        more = [f"so are {len(said) - NAMED} more files of it"] if len(said) > NAMED else []
        return neutral("; ".join([*said[:NAMED], *more]), mark)

    def changing_steps(self, ref: str, read: ReadPage) -> list[str]:
        """Return the names (`step_0012`) of the steps that changed a file after `ref` showed it."""
        shown = self._shown_files(ref, read).items()
        found = {entry for path, at in shown for _, entry in self._changes_since(path, at)[1]}
        return [f"step_{entry:04d}" for entry in sorted(found)]

    def places_of(self, path: str) -> list[str]:
        """Return the name of a page or entry for each time a file was read, the oldest first."""
        path = plain_path(path)
        rows = (self.rows[at] for at in self._named.get(_last_name(path), ()))
        read = [row.places for row in rows if row.what == READ and _is_same_file(row.path, path)]
        return [places[0] for places in read if places]

    def _shown_files(self, ref: str, read: ReadPage) -> dict[str, int]:
        """Return the files that a page or entry shows: path → index of the file's row in `rows`."""
        shown: dict[str, int] = {}
        for at in self._shown.get(name_stem(ref), ()):
            row = self.rows[at]
            if row.what != FOUND:
                shown[row.path] = at
            elif row.path:
                shown.setdefault(row.path, at)
            else:
                with suppress(PagingError, OSError):  # a page that is gone shows no file
                    for path in _files_found(read(row.seal), row):
                        shown.setdefault(path, at)
        return shown

    def _changes_since(self, name: str, at: int) -> tuple[int, list[tuple[str, int]]]:
        """Return (as_of, changes). `as_of` is the id of the last entry at which the file still had
        the content of row `at`. `changes` are pairs such as ("edited", 12), where 12 is an entry's
        id."""
        first = self.rows[at]
        as_of, since = first.entry, list[tuple[str, int]]()
        for other in self._named.get(_last_name(name), ()):
            row = self.rows[other]
            late = first.what == LATE and row.entry >= first.entry
            if not (other > at or late) or not _is_same_file(row.path, name):
                continue
            if row.what != READ:
                said = row.what if row.path == name else f"{row.what} as {_short_path(row.path)}"
                since.append((said, row.entry))
            elif first.what == READ and row.span == first.span:
                if row.seal == first.seal:
                    as_of, since = row.entry, []
                elif not since:  # behind a known change it says no more
                    since.append((AGAIN, row.entry))
        return as_of, since


def _files_found(text: str, search: FileRow) -> list[str]:
    """Return the paths of at most HITS files whose lines a search's result `text` shows."""
    given = search.span.split("\n") if search.span else []
    found = dict.fromkeys(path for _, path, _ in located.located_lines(text.split("\n"), given))
    return [*map(plain_path, found)][:HITS]


def _changes_text(changes: Iterable[tuple[str, int]]) -> str:
    """Return pairs (kind of change, entry id) as words: [("edited", 12)] → `edited (step_0012)`."""
    kinds: dict[str, dict[int, None]] = {}
    for what, entry in changes:
        kinds.setdefault(what, {})[entry] = None
    said = []
    for what, entries in kinds.items():
        names = [f"step_{entry:04d}" for entry in entries]
        many = len(names) > NAMED
        said.append(
            f"{what} ×{len(names)} (last {names[-1]})" if many else f"{what} ({', '.join(names)})"
        )
    more = [f"and {len(said) - KINDS} more"] if len(said) > KINDS else []
    return ", ".join([*said[-KINDS:], *more])


def name_stem(ref: str) -> str:
    """Return a page's or entry's name without folder and extension: `outputs/read_0007.txt` →
    `read_0007`. Any other text is returned unchanged."""
    found = STEM.match(ref.strip())
    return found[1] if found else ref


def plain_path(path: str) -> str:
    """Return a path normalized, with forward slashes; "" for an empty path."""
    path = path.strip().replace("\\", "/")
    return posixpath.normpath(path) if path else ""


def _last_name(path: str) -> str:
    """Return the last part of a path: `src/app.py` → `app.py`."""
    return path.rpartition("/")[2]


def _is_same_file(one: str, other: str) -> bool:
    """True when two paths are equal, or when an absolute path ends with a relative path."""
    if len(one) < len(other):
        one, other = other, one
    ends = one.endswith(f"/{other}") and ABSOLUTE.match(one) and not ABSOLUTE.match(other)
    return one == other or bool(ends)


def _short_path(name: str) -> str:
    """Return a path on one line. Of a path longer than PATH characters the beginning is cut off."""
    return clip_front(one_line(name, 4 * PATH), PATH)
