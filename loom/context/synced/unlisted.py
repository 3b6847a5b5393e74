"""Replies the host gave and does not list: it lost them, or put others in their place.

A reply that was taken (`Context.reply`) and is not in the list the next time, or stands behind a
message that came later, is of a request that is made again: the process died before the host wrote
its list, a stream broke, or a guard refused the reply. The list is the host's word, so the window
goes back to that request.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.context.synced.given import GivenEntries
from loom.context.synced.keys import spoken
from loom.engine import Engine
from loom.engine.undo import undo
from loom.providers.formats.listing import ListedMessage


def drop_unlisted(engine: Engine, after: int, new: Sequence[ListedMessage]) -> bool:
    """Undo the replies that came after an entry and that `new` does not go on with, in its order.

    Returns whether there were any: then what is known of the list may be less than before.
    """
    given, last = GivenEntries(engine), after
    if next(given.replies(last), None) is None:
        return False
    for message in new:
        if is_empty(message):
            continue
        if not (found := given.find(message, last)):
            break
        last = found
    left, _ = next(given.replies(last), (0, None))
    if left:
        index = engine.workspace.index
        made = index.commits[left][0]
        turns = (
            turn
            for turn, commit in index.requests.items()
            if commit <= made and not index.is_past(commit)
        )
        undo(engine, max(turns, default=0), brief=True)
    return bool(left)


def is_empty(message: ListedMessage) -> bool:
    """True for a message that need not become an entry: instructions, results, an empty reply."""
    if message.reply is not None:
        return not (message.reply.calls or spoken(message.reply))
    return message.content is None
