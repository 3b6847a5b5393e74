"""What calls touched: the files they changed and read, and the ids they used.

Told by the calls alone, since the compaction before. A file is in use where the agent changed it
and something of that is left, where it read it more than once, or just before. An id is in use
where commands and tools were called with it; one that stands in prose (a report, a prompt, what an
`echo` says) names nothing that was used. One that another ends or begins with is that other.
"""

from __future__ import annotations

from bisect import bisect
from collections import Counter
from collections.abc import Iterator, Sequence

from loom.compress.worth.file_names import FileNames
from loom.inputs import Reasoning, Session, Speech, User
from loom.lazy import lazy_re
from loom.reduce.aliases import EDIT, READ, SHELL, WRITE
from loom.reduce.effects import touched_paths
from loom.reduce.entities import ids
from loom.reduce.files import delta_of, patched_paths
from loom.reduce.lines import count_lines, counted
from loom.reduce.notes import typed
from loom.reduce.tokens import BODY, WORD, each_token
from loom.replay.lost.calls import Called, Key
from loom.replay.lost.holding import names_in
from loom.replay.lost.things import NEAR, RECENT, InUse, brief
from loom.text import one_line

SHOWN = 80  # characters of a call
BLANKS = 2  # of a value, or of what stands in quotes, that may be an id
_PROSE = lazy_re(r"(?:\b[^\W\d_]{1,20}[,.:;]? ){3}[^\W\d_]")  # four words in a row
# A name is a file's own where so few calls show it, or this share of them.
RARE, SHARE = 4, 0.05
_FOLDER = lazy_re(r"\b([0-9a-f]{2})/([0-9a-f]{7,40})\b")  # the first signs of an id, and its rest


class Touched:
    """The files and ids that calls touched, as each call is taken; `cut` begins anew."""

    def __init__(self, session: Session) -> None:
        # Where the user asked for something: what was looked at for it is over with the next.
        events = enumerate(session.events)
        self._asked = [
            at for at, one in events if isinstance(one, User) and typed(one.text).strip()
        ]
        self._files: dict[str, list[Called]] = {}  # since the last compaction, the newest last
        self._used: dict[str, list[Called]] = {}
        self._names = FileNames()
        # Over the whole session: lines that were put into a file, less those taken out; when a
        # command moved, restored or removed one, when a call told of an id; the ids that were
        # shown; who shows a name.
        self._left: dict[str, Counter[str]] = {}
        self._commanded: dict[str, int] = {}
        self._told: dict[str, int] = {}
        self._seen: set[str] = set()
        self._shown: dict[str, set[Key]] = {}
        self._keys: set[Key] = set()
        self.latest: dict[str, None] = {}  # files, in the order in which they were touched last

    def cut(self) -> None:
        """Begin anew behind a compaction."""
        self._files.clear()
        self._used.clear()

    def take(self, one: Called) -> None:
        """One more call."""
        self._keys.add(one.key)
        for name in names_in(f"{one.call.arguments}\n{one.result.text}"):
            self._shown.setdefault(name, set()).add(one.key)
        self._seen.update(ids(one.given.text))
        for path in touched_paths(one.command) if one.given.tool == SHELL else ():
            for name in self._names.within(path) or [self._names.known(path)]:
                self._commanded[name] = one.at
        if not one.done:
            return
        if one.given.tool in (READ, EDIT, WRITE):
            for path in map(self._names.name, patched_paths(one.given) or [one.path]):
                if path:
                    self._files[path] = [*self._files.pop(path, ()), one]
                    self.latest.pop(path, None)
                    self.latest[path] = None
                    self._count(path, one)
        elif _tells(one):
            self._told |= dict.fromkeys(ids(one.given.raw), one.at)
        else:
            for id in dict.fromkeys(_ids(one)):
                self._used.setdefault(id, []).append(one)

    def _count(self, path: str, one: Called) -> None:
        left = Counter[str]() if one.given.tool == WRITE else self._left.get(path, Counter())
        for old, new in one.swaps:
            left.update(filter(None, map(str.strip, new.split("\n"))))
            left.subtract(filter(None, map(str.strip, old.split("\n"))))
        self._left[path] = left

    def in_use(self, end: int) -> Iterator[InUse]:
        """The files and ids in use at an event."""
        yield from self._in_files(end)
        yield from self._in_ids(end)

    def _open(self, calls: Sequence[Called], end: int) -> bool:
        """True where calls that only look at a thing still count: several, or one just before, for
        what is asked now."""
        last = calls[-1].at
        if len({one.at for one in calls}) > 1:
            return end - last <= NEAR
        return end - last <= RECENT and bisect(self._asked, last) == bisect(self._asked, end - 1)

    def _in_files(self, end: int) -> Iterator[InUse]:
        for path, calls in self._files.items():
            last, changed = calls[-1].at, [one for one in calls if one.changes]
            reads = [one for one in calls if not one.changes]
            undone = any(one.swaps for one in changed) and not any(self._left[path].values())
            if undone or self._commanded.get(path, -1) > last:
                continue
            if changed:
                told = f"`{brief(path)}` {_changes(changed)}"
                yield InUse("file", path, told, last, self._about(changed))
            elif self._open(reads, end):
                told = f"`{brief(path)}` read{_often(len(reads))}"
                yield InUse("file", path, told, last, self._about(reads))

    def _in_ids(self, end: int) -> Iterator[InUse]:
        """Each id by its longest form, with the calls that used it in any."""
        forms, seen = dict[str, list[str]](), sorted(self._seen)
        for id in sorted(self._used, key=len, reverse=True):
            whole = next((one for one in forms if one.startswith(id) or one.endswith(id)), "")
            whole = whole or next((one for one in seen if one.endswith(id)), id)
            forms.setdefault(whole, []).append(id)
        for name, parts in forms.items():
            used = {one.place: one for id in parts for one in self._used[id]}
            calls = [used[place] for place in sorted(used)]
            last = calls[-1]
            told = any(self._told.get(id, -1) > last.at for id in parts)
            if not told and self._open(calls, end):
                ran = one_line(last.command or f"{last.call.name} {last.call.arguments}", SHOWN)
                used_in = f"`{name}` used last in `{ran}`"
                folders = (_FOLDER.findall(one.call.arguments) for one in calls)
                joined = (a + b for found in folders for a, b in found if b in parts)
                also = tuple(dict.fromkeys((*parts, *joined)))
                yield InUse("id", name, used_in, last.at, self._about(calls, *also), also)

    def _about(self, calls: Sequence[Called], *own: str) -> tuple[str, ...]:
        """The names and lines by which a text tells what calls did: of a change what differs, of a
        read the names it showed and those it was made for, of the use of an id the names beside it
        and the lines that have one of its `own` forms. Names are those that few calls show."""
        names, lines, said = set[str](), set[str](), set[str]()
        for one in calls:
            for old, new in one.swaps or (("", one.result.text),):
                differ = {*old.split("\n")} ^ {*new.split("\n")}
                if own:
                    lines |= {line for line in differ if any(id in line for id in own)}
                elif one.swaps:
                    lines |= differ
                names |= names_in(one.command if own else old) ^ names_in("" if own else new)
            why = (part.text for part in one.reply.parts if isinstance(part, Speech | Reasoning))
            said |= names_in("\n".join(why)) if not own else frozenset()
        most = max(RARE, SHARE * len(self._keys))
        rare = {name for name in names if len(self._shown.get(name, ())) <= most}
        rare = {name for name in rare | said if not [*ids(name)]}
        return (*sorted(rare), *sorted(lines - calls[0].common))


def _changes(changed: Sequence[Called]) -> str:
    """How often a file was written and edited, and by how much."""
    wrote = [one for one in changed if one.given.tool == WRITE]
    edits = [one for one in changed if one.given.tool == EDIT]
    deltas = [delta_of(one.given) for one in edits]
    added, removed = (sum(each) for each in zip(*deltas, strict=True)) if deltas else (0, 0)
    lines = count_lines(wrote[-1].swaps[0][1]) if wrote and wrote[-1].swaps else 0
    size = f" ({counted(lines, 'line')})" if lines else ""
    delta = f" (+{added} −{removed})" if added or removed else ""
    told = [f"written{_often(len(wrote))}{size}"] if wrote else []
    return " and ".join([*told, *([f"edited{_often(len(edits))}{delta}"] if edits else [])])


def _often(times: int) -> str:
    return f" {times} times" if times > 1 else ""


def _ids(one: Called) -> Iterator[str]:
    """The ids a call was made with: in its values, in the words of its command."""
    for value in _values(one):
        if value.strip().count(" ") <= BLANKS and "\n" not in value.strip():
            yield from ids(value)


def _tells(one: Called) -> bool:
    """True where a call says something: an answer that is sent, the message of a commit. The ids in
    it were about that, and are done with."""
    return any(map(_PROSE.search, (one.command,) if "<<" in one.command else _values(one)))


def _values(one: Called) -> Iterator[str]:
    held = [each for each in one.given.arguments.values() if isinstance(each, str)]
    return _words(one.command) if one.given.tool == SHELL else iter(held)


def _words(line: str) -> Iterator[str]:
    """The words of a command, and of those whose output it takes."""
    for token in each_token(line):
        _, put, inner = token.text.partition("$(")
        if put and token.kind == WORD:
            yield from _words(inner.rpartition(")")[0])
        elif BODY not in token.text:
            yield token.value
