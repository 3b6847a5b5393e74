"""A host's list as it was read last: the unchanged messages at its beginning are not read again.

A copy of the list's structure is kept (texts are shared), so a message changed in place is noticed:
the interpreter compares list and copy, about a microsecond a message. An object that is no dict is
compared as its class does.

Whatever a host did to its list (edits, rewinds, ways back and forth, compactions taken back), the
list begins with some list given before, perhaps an empty one. The journal has the window that
belonged to that earlier list, perhaps on an undone branch; the rest is taken in from there
(`longest_known_head`)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from loom.context.synced.message_keys import synced_message
from loom.providers.caching import MarkLifetime, mark_lifetime, mark_ttls
from loom.providers.formats.blocks import is_derived_id
from loom.providers.formats.listing import ListedMessage, ListedResult, bad_message_error
from loom.providers.formats.listing.readers import read_list
from loom.providers.formats.wire import Wire, plain_reply
from loom.session.archive.host_list import KnownBeginning
from loom.session.archive.workspace import Workspace
from loom_partitions.journaled import SyncedMessage


class HostMessages:
    """The messages of a host's list, read in one provider format. `keys` are their hashes.
    `read_count` is the number of messages read so far; a changed message counts again."""

    def __init__(self, format: str, salt: str) -> None:
        self.format = format
        self.messages: list[ListedMessage] = []
        self.known: list[SyncedMessage] = []
        self.keys: list[str] = []
        self.read_count = 0
        self._salt = salt
        self._ends: list[int] = []  # of each message, in the list as it was given
        self._given: list[Any] = []
        self._marked: dict[int, tuple[str, ...]] = {}  # how long marks last, by message

    def update(self, given: list[object], model: str = "") -> None:
        """Read the messages of `given` that are new or changed since the last call. `model` decides
        whether tags in a reply are part of its text. Raises BadInput, with nothing changed."""
        start = equal_head_size(self._given, given)
        kept = bisect_right(self._ends, start)
        # A reply may have been read before its last item was there.
        while kept and self.messages[kept - 1].reply is not None:
            kept -= 1
        start = self._ends[kept - 1] if kept else 0
        read = [*read_list(self.format, _PlainMessages(given), start, model)]
        _pair_results(self.messages[:kept], read)
        known, ends = [], [start]
        try:
            for one in read:
                known.append(synced_message(one, self._salt))
                ends.append(ends[-1] + one.many)
            copied = [*map(_copy_containers, given[start:])]
        except (TypeError, ValueError, RecursionError) as error:
            raise bad_message_error(
                ends[-1], f"it cannot be kept ({type(error).__name__})"
            ) from error
        self.read_count += len(read)
        self.messages[kept:], self.known[kept:], self._ends[kept:] = read, known, ends[1:]
        self.keys[kept:] = [one.key for one in known]
        self._given[start:] = copied
        fresh = ((at, (*mark_ttls([one]),)) for at, one in enumerate(copied, start))
        kept_marks = {at: one for at, one in self._marked.items() if at < start}
        self._marked = {**kept_marks, **{at: one for at, one in fresh if one}}

    @property
    def lasting(self) -> MarkLifetime:
        """How long the provider's cache is to keep the messages, by the cache marks in the list."""
        return mark_lifetime([one for marks in self._marked.values() for one in marks])


class _PlainMessages(Sequence[Wire]):
    """A view of a list whose items are read as plain dicts. Raises BadInput for an item that is no
    message."""

    def __init__(self, given: Sequence[object]) -> None:
        self._given = given

    def __len__(self) -> int:
        return len(self._given)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        found = self._given[at]
        made = _plain_value(found) if isinstance(found, dict) else plain_reply(found)
        if not isinstance(made, dict) or not made:
            raise bad_message_error(
                at, f"a {type(found).__name__} is no message: give dicts, or objects"
            )
        return made


def _pair_results(before: Sequence[ListedMessage], read: list[ListedMessage]) -> None:
    """Fill in the missing call ids of the results in `read`: each result gets the first unused id
    that Loom made up for the calls of the reply before it. `before` are the messages that precede
    `read` in the list."""
    if not any(not told.call_id for one in read for told in one.results):
        return
    last = next((at for at in range(len(before) - 1, -1, -1) if before[at].reply), len(before))
    waiting: list[str] = []
    for at, one in enumerate([*before[last:], *read], last - len(before)):
        if one.reply is not None:
            waiting = [call.id for call in one.reply.calls if is_derived_id(call.id)]
        results = list[ListedResult]()
        for told in one.results:
            id = told.call_id or next(iter(waiting), "")
            waiting = [other for other in waiting if other != id]
            results.append(replace(told, call_id=id))
        if at >= 0 and results:
            read[at] = replace(one, results=(*results,))


def message_list(messages: object) -> list[object]:
    """Return a host's messages as a list. Raises BadInput for a text, a dict, or a value that
    cannot be iterated."""
    if isinstance(messages, list):
        return messages
    if isinstance(messages, str | bytes | dict) or not isinstance(messages, Iterable):
        raise bad_message_error(-1, f"a {type(messages).__name__} is no list of messages")
    return [*messages]


def _plain_value(value: Any) -> Any:
    """Return a message with each object of a provider's library made plain dicts and lists."""
    if isinstance(value, dict):
        return {key: _plain_value(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_plain_value, value)]
    return plain_reply(value) if hasattr(value, "model_dump") else value


def _copy_containers(value: Any) -> Any:
    """Return a value with all its dicts and lists copied; other values in it are shared."""
    if isinstance(value, dict):
        return {key: _copy_containers(one) for key, one in value.items()}
    if isinstance(value, list):
        return [*map(_copy_containers, value)]
    return value


def equal_head_size(one: list[Any], other: list[Any]) -> int:
    """Return how many items at the beginning of two lists are equal. (Compares slices: a few
    comparisons for 10,000 items.)"""
    low, high = 0, min(len(one), len(other))
    if _is_equal(one[:high], other[:high]):
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if _is_equal(one[low:middle], other[low:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def _is_equal(one: object, other: object) -> bool:
    """Return True if two values are equal; False if comparing them raises."""
    try:
        return bool(one == other)
    except Exception:  # a class of the host's may compare as it likes
        return False


class ListBase(NamedTuple):
    """The first `many` messages of a list. After commit number `commit`, the window held exactly
    these messages."""

    many: int
    commit: int


def longest_known_head(workspace: Workspace, keys: list[str]) -> ListBase:
    """Find the longest beginning of a list (given by the hashes `keys`) that was once a host's
    whole list. Return its length and the last commit after which the window held exactly its
    messages. Commits at which a step lacks results do not count."""
    found = (
        ListBase(one.many, _last_commit_for(workspace, one))
        for one in workspace.folded.host.known_beginnings(keys)
    )
    # An undo keeps a step whole or not at all.
    return next(one for one in found if not _is_within_step(workspace, one.commit))


def _last_commit_for(workspace: Workspace, head: KnownBeginning) -> int:
    """Return the last commit whose window holds the messages of `head` and no later message."""
    then, after, index = head.then, head.after, workspace.index
    if after is None:
        return workspace.commits
    # Entries the host gave itself are older than the commit that says which message each is.
    entries, chain = list[int](), after.chain
    while chain is not None and chain is not then.chain:
        entries.append(chain[1].entry)
        chain = chain[0]
    commits = (one for entry in entries for one in index.commits.get(entry, ()))
    until = min((one for one in commits if one > then.commit), default=after.commit) - 1
    if after.compaction is None or after.compaction.before != then.commit:
        return until
    # A client compacted then: its renewal came before, behind the last request.
    made = (index.requests[turn] for turn in reversed(index.requests))
    return max(then.commit, next((one for one in made if one <= until), 0))


def _is_within_step(workspace: Workspace, commit: int) -> bool:
    """Return True if, at this commit, results of the newest step were still missing."""
    commits = workspace.index.commits
    newest = next((commits[one] for one in reversed(commits) if commits[one][0] <= commit), ())
    return bool(newest) and newest[-1] > commit
