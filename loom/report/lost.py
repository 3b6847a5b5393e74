"""What sessions lost at their clients' compactions: for a page, a terminal, a table.

Whoever is given the page knows neither the session nor Loom: a session goes by its first words, its
project and its date, a thing by what was done to it and when. Secrets are replaced always; with
`redact` home folders and addresses of mail are, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct, json, to_builtins

from loom.lazy import lazy_re
from loom.redact import Redactor
from loom.reduce.lines import counted
from loom.replay.lost.again import WentBack
from loom.replay.lost.losses import CompactionLoss, LostThing, SessionLoss
from loom.report import lost_sentences as told

_HOME = lazy_re(r"(?:/(?:Users|home)/|\b[A-Za-z]:\\\\Users\\\\)[^/\\\s`'\"]+")  # in JSON
_MAIL = lazy_re(r"(?<![\\\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


class LossLine(Struct, frozen=True):
    """A thing lost, or gone back for: what, when, where Loom would have had it, what it took."""

    text: str
    place: str
    loom: str
    took: str = ""


class LossAt(Struct, frozen=True):
    """A compaction: what is said of it, its time, its place among the requests, and its lists."""

    said: str
    when: str
    request: int
    lost: tuple[LossLine, ...]
    back: tuple[LossLine, ...]


class LossSession(Struct, frozen=True):
    """A session, with the sizes of its requests in tokens, and its compactions."""

    title: str
    about: str
    said: str
    loom: str
    sums: told.LossSums
    sizes: tuple[int, ...]
    compactions: tuple[LossAt, ...]


class LossPage(Struct, frozen=True):
    """A page about all sessions: what was lost, what it cost, by which prices, what Loom had; and
    each session, costliest first."""

    said: str
    cost: str
    priced: str
    loom: str
    sums: told.LossSums
    sessions: tuple[LossSession, ...]


def lost_page(found: Sequence[SessionLoss], *, redact: bool = True) -> LossPage:
    """The losses of sessions, one of them compacted, as they are shown."""
    whole = [_without_secrets(one, redact=redact) for one in found]
    some = [one for one in whole if one.compactions]
    every = [each for one in some for each in one.compactions]
    client, *others = {one.client for one in some}
    of = f" in {len(some)} of {counted(len(whole), 'session')}" * (len(some) > 1)
    return LossPage(
        told.said_of(every, "" if others else client, of),
        told.cost_of(every),
        told.estimate_of(some) + told.unseen_of(some),
        told.kept_by_loom(every),
        told.sums(every),
        tuple(sorted(map(_session, whole), key=lambda it: (not it.compactions, -it.sums.cost))),
    )


def _session(one: SessionLoss) -> LossSession:
    every = one.compactions
    return LossSession(
        one.title or "a session without words",
        " · ".join(filter(None, (one.project, told.day(one.when), one.client, one.model))),
        _said(one, *every) or "It was never compacted.",
        told.kept_by_loom(every),
        told.sums(every),
        tuple(tokens for _, tokens in one.sizes),
        tuple(_at(each, one) for each in every),
    )


def _said(session: SessionLoss, *every: CompactionLoss) -> str:
    return f"{told.said_of(every, session.client)} {told.cost_of(every)}" if every else ""


def _at(one: CompactionLoss, session: SessionLoss) -> LossAt:
    places = [message for message, _ in session.sizes]

    def at(message: int) -> str:
        """When a message was recorded, with its day where that is another; else its request."""
        if not (when := session.times.get(message, 0)):
            return f"at request {sum(place <= message for place in places) or 1}"
        day = told.day(when)
        return f"at {told.clock(when)}" + f" on {day}" * (day != told.day(one.when))

    return LossAt(
        _said(session, one),
        told.clock(one.when),
        sum(message < one.message for message in places),
        tuple(_lost(thing, at) for thing in sorted(one.lost, key=told.rank)),
        tuple(_back(call, at) for call in one.back),
    )


def _lost(thing: LostThing, at: Callable[[int], str]) -> LossLine:
    place = f"not in the summary, last {at(thing.message)}"
    place += f", needed again {at(thing.needed)}" * (thing.needed >= 0)
    return LossLine(told.KINDS[thing.kind].format(thing.told), place, thing.loom)


def _back(call: WentBack, at: Callable[[int], str]) -> LossLine:
    what = f"`{call.what}`" if call.did in ("read", "ran") else call.what
    took = f"{call.tokens:,} tokens, {told.money(call.dollars)}"
    took += f", {call.minutes:.1f} min" * (call.minutes >= 0.05)
    when = f"had {at(call.before)}, {call.did} again {at(call.message)}"
    when += f" and {counted(call.times - 1, 'more time')}" * (call.times > 1)
    return LossLine(what, when, call.loom, took)


def _without_secrets(one: SessionLoss, *, redact: bool) -> SessionLoss:
    """The session with every text of it cleaned."""
    text = json.encode(Redactor().value(to_builtins(one))).decode()
    clean = _MAIL.sub("[mail]", _HOME.sub("~", text)) if redact else text
    return json.decode(clean, type=SessionLoss)
