"""What sessions lost at their clients' compactions, in sentences: for a page, a terminal, a table.

Whoever is given the page knows neither the session nor Loom: a session goes by its first words, its
project and its date, a thing by what was done to it and where. Secrets are replaced always; with
`redact` home folders and addresses of mail are, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from msgspec import Struct, json, to_builtins

from loom.lazy import lazy_re
from loom.providers.prices import DEFAULT
from loom.redact import Redactor
from loom.reduce.lines import counted
from loom.replay.lost.again import GONE, WentBack
from loom.replay.lost.holding import SHARE, WHOLE
from loom.replay.lost.losses import (
    IN_VIEW,
    ONE_PAGE,
    UNNAMED,
    CompactionLoss,
    LostThing,
    SessionLoss,
)

KINDS = {
    "rule": "you said: {}",
    "answer": "you answered {}",
    "check": "a check fails: {}",
}
DID = {"read": ("file", "read"), "ran": ("command", "ran"), "searched": ("search", "repeated"),
       "asked": ("question", "asked")}  # fmt: skip
_HOME = lazy_re(  # in JSON, where a backslash is two
    r"(?:/(?:Users|home)/|\b[A-Za-z]:\\\\Users\\\\)[^/\\\s`'\"]+"
)
_MAIL = lazy_re(r"(?<![\\\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


class LossLine(Struct, frozen=True):
    """A thing that was lost, or gone back for: what, where it came from, where Loom would have had
    it, and what it took."""

    text: str
    place: str
    loom: str
    took: str = ""


class LossAt(Struct, frozen=True):
    """A compaction: what is said of it, its place among the requests, and its lists. `more` is what
    is told to those who unfold it."""

    said: str
    loom: str
    more: str
    request: int
    lost: tuple[LossLine, ...]
    back: tuple[LossLine, ...]


class LossSums(Struct, frozen=True):
    """Compactions added up. Dollars are of writing summaries, and of going back; what would have
    been in view, or one page away, is Loom's."""

    compactions: int = 0
    before: int = 0
    summaries: int = 0
    things: int = 0
    lost: int = 0
    in_view: int = 0
    one_page: int = 0
    back: int = 0
    back_in_view: int = 0
    tokens: int = 0
    minutes: float = 0.0
    written: float = 0.0
    again: float = 0.0


class LossSession(Struct, frozen=True):
    """A session, with the sizes of its requests in tokens, and its compactions."""

    title: str
    about: str
    said: str
    sums: LossSums
    sizes: tuple[int, ...]
    compactions: tuple[LossAt, ...]


class LossPage(Struct, frozen=True):
    """What the head of a page says of all sessions, and each of them."""

    said: str
    sums: LossSums
    sessions: tuple[LossSession, ...]


def lost_page(found: Sequence[SessionLoss], *, redact: bool = True) -> LossPage:
    """The losses of sessions as they are shown."""
    whole = [_without_secrets(one, redact=redact) for one in found]
    every = [one for session in whole for one in session.compactions]
    sessions = tuple(map(_session, whole))
    said = [session.said for session in sessions if session.compactions]
    return LossPage(said[0] if len(said) == 1 else _in_all(every, len(said)), sums(every), sessions)


def sums(every: Iterable[CompactionLoss]) -> LossSums:
    """Compactions added up."""
    every = list(every)
    things = [thing for one in every for thing in one.things]
    back = [call for one in every for call in one.back]
    return LossSums(
        compactions=len(every),
        before=sum(one.before for one in every),
        summaries=sum(one.summary for one in every),
        things=len(things),
        lost=sum(not thing.held for thing in things),
        in_view=sum(thing.loom == IN_VIEW for thing in things),
        one_page=sum(thing.loom == ONE_PAGE for thing in things),
        back=len(back),
        back_in_view=sum(call.loom == IN_VIEW for call in back),
        tokens=sum(call.tokens for call in back),
        minutes=round(sum(call.minutes for call in back), 2),
        written=round(sum(one.dollars for one in every), 6),
        again=round(sum(call.dollars for call in back), 6),
    )


def clock(at: int, form: str = "%H:%M") -> str:
    """A time of the recording as this machine's clock has it; "" for none."""
    return datetime.fromtimestamp(at / 1_000).strftime(form) if at else ""


def _session(one: SessionLoss) -> LossSession:
    places = [message for message, _, _ in one.sizes]
    added = sums(one.compactions)
    if not one.compactions:
        said = "Its client never compacted it."
    elif len(one.compactions) == 1:
        said = _said(one.compactions[0], one.client)
    else:
        said = _in_all(one.compactions, 1, one.client)
    date, client = clock(one.when, "%d %B %Y").lstrip("0"), one.client
    usual = "at usual prices: its model has none here" if one.priced == DEFAULT else ""
    about = (one.project, date, "" if client == UNNAMED else client, one.model, usual)
    return LossSession(
        one.title or "a session without words",
        " · ".join(filter(None, about)),
        said,
        added,
        tuple(tokens for _, _, tokens in one.sizes),
        tuple(_at(each, one.client, places) for each in one.compactions),
    )


def _at(one: CompactionLoss, client: str, places: Sequence[int]) -> LossAt:
    back = [_back(call) for call in one.back]
    return LossAt(
        _said(one, client),
        _by_loom(one),
        _more(one),
        sum(message < one.message for message in places),
        tuple(map(_lost, sorted(one.lost, key=_first))),
        tuple(back),
    )


def _said(one: CompactionLoss, client: str) -> str:
    """A compaction in a sentence."""
    when = f"At {clock(one.when)} " if one.when else ""
    who = client if when else client[:1].upper() + client[1:]
    size = f"{brief(one.before)} tokens" if one.before else "its window"
    wrote = brief(one.summary) if one.summary >= 1_000 else f"{one.summary}-token"
    summary = f"a {wrote} summary" if one.summary else "a summary that was not recorded"
    parts = [f"{when}{who} replaced {size} by {summary}"]
    if one.things:
        n, lost = len(one.things), len(one.lost)
        held = f"{lost} {'was' if lost == 1 else 'were'} not in it" if lost else "all were in it"
        parts.append(f"of {counted(n, 'thing')} in use, {held}")
    if one.back:
        parts.append(f"it {_again([one])}")
    return _joined(parts)


def _in_all(every: Sequence[CompactionLoss], sessions: int, client: str = "") -> str:
    """Several compactions in a sentence."""
    added = sums(every)
    who = (
        client[:1].upper() + client[1:] if client else f"In {counted(sessions, 'session')} clients"
    )
    own = "its window" if client else "their windows"
    times = "twice" if added.compactions == 2 else f"{added.compactions} times"
    parts = [f"{who} replaced {own} {times}"]
    if added.things:
        parts.append(f"of {added.things} things in use, {added.lost} were not in the summaries")
    if added.back:
        parts.append(f"{'it' if client else 'they'} {_again(every)}")
    return _joined(parts)


def _joined(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{'; '.join(first)}, and {last}." if len(parts) > 2 else f"{'; '.join(parts)}."


def _again(every: Sequence[CompactionLoss]) -> str:
    """What was done again, each thing once a compaction, and for how much."""
    done = [(at, call.did, call.what) for at, one in enumerate(every) for call in one.back]
    told = []
    for did, (noun, verb) in DID.items():
        if n := len({(at, what) for at, it, what in done if it == did}):
            plural = {"search": "searches"}.get(noun, f"{noun}s")
            told.append(f"{verb} {n} {noun if n == 1 else plural}")
    *first, last = told
    cost = money(sums(every).again)
    return f"{', '.join(first)}{' and ' if first else ''}{last} again for {cost}"


def _by_loom(one: CompactionLoss) -> str:
    """What Loom would have kept, the worse told as well as the better."""
    parts = []
    for what, where in (
        ("of the things in use", [thing.loom for thing in one.things]),
        ("of what was gone back for", [call.loom for call in one.back]),
    ):
        if where:
            view, page = where.count(IN_VIEW), where.count(ONE_PAGE)
            further = f", {page} one page away" if page else ""
            further += f", {where.count(GONE)} neither" if GONE in where else ""
            parts.append(f"{what} {view} of {len(where)} in view{further}")
    if not parts:
        return ""
    return f"Loom, given as much room, would have had {'; '.join(parts)}."


def _more(one: CompactionLoss) -> str:
    after = f", and the next request held {one.after:,}" if one.after else ""
    return (
        f"The client's window held {one.before:,} tokens{after}; its summary took {one.summary:,}"
        f" and {money(one.dollars)} to write. Loom's window here is as large as what the recording"
        f" has of the talk when it was first compacted, {one.window:,} tokens as Loom counts; its"
        f" next request would have held {one.loom:,}. A name counts as kept where it stands, what"
        f" was said where a part of its words does ({SHARE:.0%} in a summary, {WHOLE:.0%} with"
        " Loom), what was gone back for where most of its lines do."
    )


def _first(thing: LostThing) -> tuple[bool, int, int]:
    """What was needed again comes first, then by kind, the newest of a kind first."""
    return thing.needed < 0, [*KINDS, "file", "id"].index(thing.kind), -thing.message


def _lost(thing: LostThing) -> LossLine:
    needed = f", needed again at message {thing.needed}" if thing.needed >= 0 else ""
    text = KINDS.get(thing.kind, "{}").format(thing.told)
    return LossLine(f"{text}{needed}", _place(thing.message, thing.when), thing.loom)


def _back(call: WentBack) -> LossLine:
    _, verb = DID[call.did]
    what = f"`{call.what}`" if call.did in ("read", "ran") else call.what
    took = f"{call.tokens:,} tokens, {money(call.dollars)}"
    took += f", {call.minutes:.1f} min" if call.minutes >= 0.05 else ""
    place = f"{_place(call.message, call.when)}, as at message {call.before}"
    return LossLine(f"{verb} {what}", place, call.loom, took)


def _place(message: int, when: int) -> str:
    return ", ".join(filter(None, (f"message {message}", clock(when))))


def brief(tokens: int) -> str:
    """`155k`, `2.5k`, `640`."""
    if tokens < 1_000:
        return f"{tokens}"
    return f"{tokens / 1_000:.0f}k" if tokens >= 9_950 else f"{tokens / 1_000:.1f}k"


def money(amount: float) -> str:
    """An amount in dollars."""
    return f"${amount:.2f}" if amount >= 0.005 or not amount else "less than a cent"


def _without_secrets(one: SessionLoss, *, redact: bool) -> SessionLoss:
    """The session with every text of it cleaned."""
    text = json.encode(Redactor().value(to_builtins(one))).decode()
    text = _MAIL.sub("[mail]", _HOME.sub("~", text)) if redact else text
    return json.decode(text, type=SessionLoss)
