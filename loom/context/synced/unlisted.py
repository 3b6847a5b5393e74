"""What the host gave and does not list: it lost it, or put something else in its place.

A reply that was taken (`Context.reply`), or a message of the user (`Context.user`), that is not in
the list the next time, or stands behind one that came later, is of a request that is made again:
the process died before the host wrote its list, a stream broke, or a guard refused the reply. The
list is the host's word, so the window goes back to that request.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.context.synced.given import GivenEntries
from loom.context.synced.keys import spoken
from loom.engine import Engine
from loom.engine.undo import go_back
from loom.providers.formats.listing import ListedMessage, items_of


def drop_unlisted(engine: Engine, after: int, new: Sequence[ListedMessage], format: str) -> bool:
    """Undo the entries that came after one and that `new` does not go on with, in its order.

    Returns whether there were any: then what is known of the list may be less than before.
    """
    left = _left(GivenEntries(engine, format), after, new)
    if left:
        go_back(engine, engine.workspace.index.commits[left][0] - 1)
    return bool(left)


def _left(given: GivenEntries, last: int, new: Sequence[ListedMessage]) -> int:
    """The first reply or message the list does not have, or entry it has behind a message that is
    new; 0 for none."""
    if not given.any(last):
        return 0
    told = [message for message in new if not is_empty(message)]
    found: list[int] = []
    for at, message in enumerate(told):
        if not (entry := given.find(message, last)):
            found = [id for one in told[at + 1 :] if (id := given.find(one, last))]
            break
        last = entry
    if last:  # before a list is known there may be a session that is none of it
        found += [id for id, one in given.replies(last) if not given.is_own(one)]
        found += given.spoken(last)
    return min(found, default=0)


def is_empty(message: ListedMessage) -> bool:
    """True for a message that need not become an entry: results alone, an empty reply."""
    if (reply := message.reply) is not None:
        return not (reply.calls or spoken(reply) or items_of(reply))
    return message.content is None and message.system is None
