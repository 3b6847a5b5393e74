"""What a session shows behind a compaction of what its client still had there.

Recordings often lack what a client keeps beside a summary. But an agent cannot name an id, or the
path of a file, that nothing has shown it since; nor edit a file, of which it must know the text,
that it has not read since. What it does so was held.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.inputs import Reply, Result, Session, User
from loom.reduce.aliases import EDIT, READ, WRITE
from loom.replay.lost.calls import Called
from loom.replay.lost.holding import named
from loom.replay.lost.things import InUse


class After:
    """The events between two compactions, as they tell of what was held at the first."""

    def __init__(self, session: Session, calls: Sequence[Called], first: int, end: int) -> None:
        self._events = [(one, _text(one)) for one in session.events[first:end]]
        self.edited: set[str] = set()  # files that were edited before they were read
        read = set[str]()
        for one in (one for one in calls if first <= one.at < end and one.done and one.path):
            if one.given.tool == EDIT and one.path not in read:
                self.edited.add(one.path)
            if one.given.tool in (READ, WRITE):
                read.add(one.path)

    def unprompted(self, thing: InUse) -> int:
        """The message whose call names a file or an id that nothing has shown since, -1 for none:
        a file by its path, as another may have its name."""
        called = ("/".join(thing.name.split("/")[-2:]), *thing.also)
        shown = (thing.name.rpartition("/")[2], *thing.also)
        for event, text in self._events:
            if isinstance(event, Reply):
                if any(named(text, one) for one in called):
                    return event.index
            elif any(named(text, one) for one in shown):
                return -1
        return -1


def _text(event: object) -> str:
    """The text of an event: a reply's calls, a result, the user's words."""
    if isinstance(event, Reply):
        return "\n".join(call.arguments for call in event.calls).casefold()
    return event.text.casefold() if isinstance(event, Result | User) else ""
