"""What sessions lost at their clients' compactions, in sentences: for a page, a terminal, a table.

Whoever is given the page knows neither the session nor Loom: a session goes by its first words, its
project and its date, a thing by what was done to it and when. Secrets are replaced always; with
`redact` home folders and addresses of mail are, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from itertools import chain, zip_longest

from msgspec import Struct, json, to_builtins

from loom.lazy import lazy_re
from loom.providers.prices import DEFAULT
from loom.redact import Redactor
from loom.reduce.lines import counted
from loom.replay.lost.again import GONE, WentBack
from loom.replay.lost.losses import IN_VIEW, ONE_PAGE, CompactionLoss, LostThing, SessionLoss
from loom.text import one_line

# Kinds of things, the most telling first; what was only read comes behind all of them.
KINDS = {"rule": "your rule {}", "answer": "your answer {}", "check": "the failing check {}",
         "file": "{}", "id": "the id {}"}  # fmt: skip
DID = {"read": "read", "ran": "command", "searched": "other call", "asked": "question"}
NAMED = 3  # lost things, and moments, that a sentence names
QUOTED = 56  # characters of what it quotes
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


class LossSums(Struct, frozen=True):
    """Compactions added up. Dollars are of writing summaries, of going back, and the `cost` of both
    as they are rounded; what would have been in view, or one page away, is Loom's."""

    compactions: int = 0
    before: int = 0
    summaries: int = 0
    things: int = 0
    lost: int = 0
    in_view: int = 0
    one_page: int = 0
    lost_in_view: int = 0
    back: int = 0
    back_in_view: int = 0
    tokens: int = 0
    minutes: float = 0.0
    written: float = 0.0
    again: float = 0.0
    cost: float = 0.0


class LossSession(Struct, frozen=True):
    """A session, with the sizes of its requests in tokens, and its compactions."""

    title: str
    about: str
    said: str
    loom: str
    sums: LossSums
    sizes: tuple[int, ...]
    compactions: tuple[LossAt, ...]


class LossPage(Struct, frozen=True):
    """What the head of a page says of all sessions, by which prices, and each, costliest first."""

    said: str
    cost: str
    priced: str
    sums: LossSums
    sessions: tuple[LossSession, ...]


def lost_page(found: Sequence[SessionLoss], *, redact: bool = True) -> LossPage:
    """The losses of sessions, one of them compacted, as they are shown."""
    whole = [_without_secrets(one, redact=redact) for one in found]
    sessions = sorted(map(_session, whole), key=lambda one: (not one.compactions, -one.sums.cost))
    some = [one for one in whole if one.compactions]
    every = [each for one in some for each in one.compactions]
    client, *others = {one.client for one in some}
    of = f" in {len(some)} of {counted(len(whole), 'session')}" if len(some) > 1 else ""
    said = _said(every, "" if others else client, of)
    return LossPage(said, _cost(every), _priced(some) + _beside(some), sums(every), tuple(sessions))


def sums(every: Sequence[CompactionLoss]) -> LossSums:
    """Compactions added up."""
    things = [thing for one in every for thing in one.things]
    back = [call for one in every for call in one.back]
    written, again = sum(one.dollars for one in every), sum(call.dollars for call in back)
    return LossSums(
        compactions=len(every),
        before=sum(one.before for one in every),
        summaries=sum(one.summary for one in every),
        things=len(things),
        lost=sum(not thing.held for thing in things),
        in_view=sum(thing.loom == IN_VIEW for thing in things),
        one_page=sum(thing.loom == ONE_PAGE for thing in things),
        lost_in_view=sum(thing.loom == IN_VIEW and not thing.held for thing in things),
        back=len(back),
        back_in_view=sum(call.loom == IN_VIEW for call in back),
        tokens=sum(call.tokens for call in back),
        minutes=round(sum(call.minutes for call in back), 2),
        written=round(written, 6),
        again=round(again, 6),
        cost=round(round(written, 2) + round(again, 2), 2) or round(written + again, 6),
    )


def clock(at: int, form: str = "%H:%M") -> str:
    """A time of the recording as this machine's clock has it; "" for none."""
    return datetime.fromtimestamp(at / 1_000).strftime(form) if at else ""


def _day(at: int) -> str:
    return clock(at, "%d %B %Y").lstrip("0")


def _session(one: SessionLoss) -> LossSession:
    every = one.compactions
    return LossSession(
        one.title or "a session without words",
        " · ".join(filter(None, (one.project, _day(one.when), one.client, one.model))),
        f"{_said(every, one.client)} {_cost(every)}" if every else "It was never compacted.",
        _by_loom(every),
        sums(every),
        tuple(tokens for _, tokens in one.sizes),
        tuple(_at(each, one) for each in every),
    )


def _at(one: CompactionLoss, session: SessionLoss) -> LossAt:
    places = [message for message, _ in session.sizes]

    def at(message: int) -> str:
        """When a message was recorded, with its day where that is another; else its request."""
        if not (when := session.times.get(message, 0)):
            return f"at request {sum(place <= message for place in places) or 1}"
        return f"at {clock(when)}" + f" on {_day(when)}" * (_day(when) != _day(one.when))

    return LossAt(
        f"{_said([one], session.client)} {_cost([one])}",
        clock(one.when),
        sum(message < one.message for message in places),
        tuple(_lost(thing, at) for thing in sorted(one.lost, key=_first)),
        tuple(_back(call, at) for call in one.back),
    )


def _said(every: Sequence[CompactionLoss], client: str, of: str = "") -> str:
    """Who compacted when, how much the summary leaves out, and the most telling of it."""
    added, when = sums(every), _when(sorted(one.when for one in every if one.when))
    much = {1: "", 2: " twice"}.get(len(every), f" {len(every)} times")
    if len(every) == 1 and added.before and added.summaries:
        much = f" {brief(added.before)} tokens to {brief(added.summaries)}"
    said = f"{when}{client or ('agents' if of else 'the agent')} compacted{much}{of}"
    things = f"{added.lost or 'none'} of {counted(added.things, 'thing')} in use"
    lost = f" and left {things} out of the summar{'y' if len(every) == 1 else 'ies'}"
    named = _named([thing for one in every for thing in one.lost])
    told = lost + (named and f": {named}") if added.things else "; what that lost is not recorded"
    return f"{said[:1].upper()}{said[1:]}{told}."


def _when(times: Sequence[int]) -> str:
    """Few moments, the date of several once; of many the period."""
    days: dict[str, list[str]] = {}
    for at in times:
        days.setdefault(_day(at), []).append(clock(at))
    if len(times) > NAMED:
        ends = [*days][:: max(len(days) - 1, 1)]
        return f"{'from' if len(days) > 1 else 'on'} {' to '.join(ends)} "
    return _and([f"on {day} at {_and(told)}" for day, told in days.items()]) + " " * bool(days)


def _named(lost: Sequence[LostThing]) -> str:
    """The most telling of lost things, of each kind one before a second, and how many more."""
    kinds: dict[str, list[str]] = {}
    for thing in sorted(lost, key=_first):
        name, _, did = thing.told[1:].partition("` ")
        file = f"{name.rpartition('/')[2]} ({did.split(' ')[0]})"
        named = {"file": file, "id": name, "check": name}.get(thing.kind, thing.told)
        told = one_line(named.replace("`", ""), QUOTED)
        told += '"' * (told.count('"') % 2)
        kinds.setdefault(thing.kind, []).append(KINDS[thing.kind].format(told))
    first = [*dict.fromkeys(filter(None, chain(*zip_longest(*kinds.values()))))][:NAMED]
    more = len(lost) - len(first)
    return _and([*first, f"{more} more"] if more else first)


def _and(parts: Sequence[str]) -> str:
    *first, last = parts or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def _cost(every: Sequence[CompactionLoss]) -> str:
    """What compactions cost: in all, for summaries, and for what was done again."""
    added, done = sums(every), [call.did for one in every for call in one.back]
    wrote = "the summary" if added.compactions == 1 else f"{added.compactions} summaries"
    if not done:
        return f"That cost {money(added.cost)} for {wrote}; nothing was repeated."
    told = _and([counted(n, noun) for did, noun in DID.items() if (n := done.count(did))])
    took = f"{added.minutes:.0f} min" if added.minutes >= 1 else "under a minute"
    return (
        f"That cost {money(added.cost)}: {money(added.written)} for {wrote}, {money(added.again)}"
        f" for repeating {told} ({brief(added.tokens)} tokens, {took})."
    )


def _priced(found: Sequence[SessionLoss]) -> str:
    prices, *others = {one.prices for one in found}
    if others:
        return "Dollars are estimates at the price of each model."
    own = {DEFAULT: "as the price of the model is not known", "--price": "as given"}
    each = f"${prices.input:g} in and ${prices.output:g} out per million tokens"
    return f"Dollars are estimates at {each}, {own.get(prices.model, f'as {prices.model} costs')}."


def _beside(found: Sequence[SessionLoss]) -> str:
    """What recordings do not show of a compaction; "" where all do."""
    n = sum(not one.whole for one in found)
    of = f"{n} of {len(found)} recordings" if len(found) > 1 else "The recording"
    return f" {of} cannot show what was kept beside a summary; in doubt it was." if n else ""


def _by_loom(every: Sequence[CompactionLoss]) -> str:
    """What Loom would have kept, the worse told as well as the better."""
    told = []
    for what, where in (
        ("lost", [thing.loom for one in every for thing in one.lost]),
        ("in use", [thing.loom for one in every for thing in one.things]),
        ("it went back for", [call.loom for one in every for call in one.back]),
    ):
        rest = ", ".join(f"{n} {at}" for at in (ONE_PAGE, GONE) if (n := where.count(at)))
        if where:
            told.append(f"{where.count(IN_VIEW)} of {len(where)} {what}{rest and f' ({rest})'}")
    if not told:
        return ""
    size = f"{brief(every[0].window)} tokens of talk, up to {brief(max(one.loom for one in every))}"
    view = f"at the same window size ({size} in the next request), still in view: {_and(told)}."
    return f"Replayed with Loom {view}"


def _first(thing: LostThing) -> tuple[bool, bool, int, int]:
    """What was needed again, then what was more than read, by kind, of one the newest first."""
    return thing.needed < 0, "` read" in thing.told, [*KINDS].index(thing.kind), -thing.message


def _lost(thing: LostThing, at: Callable[[int], str]) -> LossLine:
    how = "named" if thing.kind in ("file", "id") else "said"
    place = f"not {how} in the summary, last {at(thing.message)}"
    place += f", needed again {at(thing.needed)}" * (thing.needed >= 0)
    return LossLine(KINDS[thing.kind].format(thing.told), place, thing.loom)


def _back(call: WentBack, at: Callable[[int], str]) -> LossLine:
    what = f"`{call.what}`" if call.did in ("read", "ran") else call.what
    minutes = f", {call.minutes:.1f} min" * (call.minutes >= 0.05)
    took = f"{call.tokens:,} tokens, {money(call.dollars)}{minutes}"
    before = "answered" if call.did == "asked" else "written before" if call.written else "before"
    when = f"{call.did} again {at(call.message)}, {before} {at(call.before)}"
    return LossLine(what, when, call.loom, took)


def brief(tokens: int) -> str:
    """`155k`, `2.5k`, `640`."""
    return f"{tokens / 1_000:.{int(tokens < 9_950)}f}k" if tokens >= 1_000 else f"{tokens}"


def money(amount: float) -> str:
    """An amount in dollars."""
    return f"${amount:.2f}" if amount >= 0.005 or not amount else "less than a cent"


def _without_secrets(one: SessionLoss, *, redact: bool) -> SessionLoss:
    """The session with every text of it cleaned."""
    text = json.encode(Redactor().value(to_builtins(one))).decode()
    text = _MAIL.sub("[mail]", _HOME.sub("~", text)) if redact else text
    return json.decode(text, type=SessionLoss)
