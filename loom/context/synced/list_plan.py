"""What became of a host's list since it was last known: decided from the hashes of its messages.

    extended    all known messages are there, more may follow
    edited      the host took something back: all from the first difference on is undone
    cleared     old results were replaced by a word, and all behind them is unchanged
    compacted   fewer messages are where more were: the client made room by itself
    rewound     the client made room, and took back what followed the messages it kept

A client that compacts keeps the newest messages as they are, a reply among them, and puts a text in
the place of the earlier ones; or it keeps none, and one long text of the user comes first for all.
A client that trims puts nothing in their place: the first messages are gone, or all between the
first words and the newest messages. A user who edits goes back to a message and goes on from there,
or takes out the few that follow one. Where compacting and editing cannot be told apart, the host
may say which it was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from enum import Enum

from msgspec import Struct

from loom.context.synced.message_keys import COMPACTION
from loom_partitions.journaled import SyncedMessage

# A judgement: a text in the place of the first message that is no edit of it but a summary of all
# that followed. Summaries of clients run to thousands of characters.
LONG, TIMES = 400, 3
CLEARED = 2  # times a result was as long as what a client left in its place, and more
TEXTS = ("user", "system")  # roles of what a client writes itself
CANDIDATES = 8  # places where the kept end may begin, of a list of messages that are all alike
Messages = Sequence[SyncedMessage]


class ListFate(Enum):
    """The fate of a list; the docstring of this module explains each value."""

    EXTENDED = "extended"
    EDITED = "edited"
    CLEARED = "cleared"
    COMPACTED = "compacted"
    REWOUND = "rewound"


class ListPlan(Struct, frozen=True):
    """What became of a list (`how`), and which messages it still has. `keep` counts the messages at
    its beginning that stay. For a compacted list, `instead` counts the new messages after these,
    and `tail` the known messages after the new ones."""

    how: ListFate
    keep: int
    tail: int = 0
    instead: int = 0


def plan_list(
    known: Messages,
    given: Messages,
    keep: int,
    compacted: bool | None = None,
    base: int = 0,
    before: int = 0,
    stood: Callable[[SyncedMessage], bool | None] = lambda _: None,
) -> ListPlan:
    """Return what became of the `known` list (the host's last one) in the list `given`. The first
    `keep` messages of the two are equal.

    `compacted` is what the host says: True, False (edited), or None (nothing). The first `base`
    messages of `given` were once a host's whole list. If message number `keep` stands in the place
    of a client's summary, `before` is the size of the message that the summary replaced, in
    characters; else 0. `stood(message)` is as `ListCompaction.is_standing`."""
    if keep == len(known):
        return ListPlan(ListFate.EXTENDED, keep)
    if base == len(given):
        return ListPlan(ListFate.EDITED, keep)
    if compacted is not False and _are_results_cleared(
        known, given, keep, 1 if compacted else CLEARED
    ):
        return ListPlan(ListFate.CLEARED, keep)
    if compacted is False:
        return ListPlan(ListFate.EDITED, keep)
    tail, instead = _count_tail(known, given, keep)
    new = given[keep : keep + instead]
    keys = {one.key for one in known}
    again = all(one.key not in keys and stood(one) for one in new)
    if tail and new and tail == len(known) - keep and again:
        return ListPlan(ListFate.COMPACTED, keep, tail, instead)  # earlier ones are listed again
    # A reply, or the text that stands first, of a list that was left.
    texts = [one for one in new if one.role in TEXTS and one.key not in keys][:1]
    told = [*texts, *(one for one in new if one.role == "assistant")]
    if any(stood(one) is False for one in told) or (base > keep and not tail):
        return ListPlan(ListFate.EDITED, keep)  # it goes on from a list that was left
    if compacted is None:
        compacted = (
            any(one.role == COMPACTION for one in given[keep:])
            or (
                instead < len(known) - keep - tail
                and not _is_any_message_repeated(new, known[keep : len(known) - tail], keys)
                and _is_any_message_gone(known[keep:], given[keep:])
                and (
                    _is_trimmed(known, given, keep, tail, instead)
                    # a text of the client's stands before what it kept
                    or (instead > 0 and given[keep].role in TEXTS and _holds_reply(known, tail))
                    or _is_summed_up(known[keep:], given[keep:], keep, before)
                )
            )
        )
    if not compacted:
        return ListPlan(ListFate.EDITED, keep)
    if not tail and (cut := _count_not_taken_back(known, given, keep)):
        return ListPlan(ListFate.REWOUND, cut)
    return ListPlan(ListFate.COMPACTED, keep, tail, instead)


def _is_any_message_gone(known: Messages, given: Messages) -> bool:
    """Return True if a message of `known` occurs less often in `given`."""
    return bool(Counter(one.key for one in known) - Counter(one.key for one in given))


def _is_any_message_repeated(new: Messages, gone: Messages, keys: Collection[str]) -> bool:
    """Return True if a message whose hash is in `keys` (those of the last list) occurs more often
    in `new` than in `gone`. A client that compacts never repeats its messages."""
    again = Counter(one.key for one in new if one.key in keys)
    return bool(again - Counter(one.key for one in gone))


def _are_results_cleared(known: Messages, given: Messages, keep: int, times: int) -> bool:
    """Return True if, from message `keep` on, all changed messages are results of tools that became
    more than `times` times shorter, and the last known message is unchanged."""
    if len(given) < len(known) or known[-1].key != given[len(known) - 1].key:
        return False
    return all(
        one.key == two.key or (one.role == two.role == "tool" and two.size * times < one.size)
        for one, two in zip(known[keep:], given[keep:], strict=False)
    )


def _is_trimmed(known: Messages, given: Messages, keep: int, tail: int, instead: int) -> bool:
    """Return True if a client took messages out and put none in their place. `keep`, `tail` and
    `instead` are as in `ListPlan`."""
    if keep == 0 and given and given[0].role not in TEXTS:
        return True  # no list begins so that was not cut off
    if not tail or instead:
        return False
    gone = len(known) - keep - tail
    opening = all(one.role in TEXTS for one in known[:keep])
    return keep == 0 or ((opening or gone >= len(known) / 2) and _holds_reply(known, tail))


def _holds_reply(known: Messages, tail: int) -> bool:
    """Return True if one of the last `tail` known messages is a reply or a result."""
    return any(one.role not in TEXTS for one in known[len(known) - tail :])


def _count_tail(known: Messages, given: Messages, keep: int) -> tuple[int, int]:
    """Return (`tail`, `instead`) as in `ListPlan`. The first `keep` messages of `known` and `given`
    are equal."""
    last = known[-1].key
    ends = [at for at in range(len(given) - 1, keep - 1, -1) if given[at].key == last]
    best, where = 0, len(given)
    for end in ends[:CANDIDATES]:
        most = min(end - keep, len(known) - 1 - keep)
        same = 0
        while same <= most and given[end - same].key == known[len(known) - 1 - same].key:
            same += 1
        if same > best:
            best, where = same, end - same + 1
    return best, where - keep


def _count_not_taken_back(known: Messages, given: Messages, keep: int) -> int:
    """Return how many messages of `known` a rewound list keeps: all up to the newest reply or
    result that `given` lists after a new text of the client's; 0 if `given` has no such message."""
    places = {one.key: at for at, one in enumerate(known) if at >= keep}
    new = (at for at in range(keep, len(given)) if given[at].key not in places)
    behind = given[next(new, len(given)) :]
    kept = (places[one.key] for one in behind if one.role not in TEXTS and one.key in places)
    return max(kept, default=-1) + 1


def _is_summed_up(gone: Messages, new: Messages, keep: int, before: int) -> bool:
    """Return True if the first new message in `new` seems to sum up the `gone` messages: it is much
    longer than an edit would be. A message right after `keep` unchanged messages counts as an edit
    unless it replaced a summary and is much longer than `before` (as in `plan_list`)."""
    known = {one.key for one in gone}
    first = next((one for one in new if one.key not in known), None)
    if first is None or first.role not in TEXTS:
        return False
    if before and first is new[0]:
        return first.size > max(LONG, TIMES * before)
    if first.role != "user" or all(one.role != "assistant" for one in gone):
        return False
    if keep and first is new[0]:
        return False
    edited = gone[0].size if gone[0].role == "user" and first is new[0] else 0
    return first.size > max(LONG, TIMES * edited)
