"""Sentences about what compactions lost, what was repeated, and what that cost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain, zip_longest

from msgspec import Struct

from loom.providers.prices import DEFAULT
from loom.reduce.lines import counted
from loom.replay.lost.again import GONE, WentBack
from loom.replay.lost.losses import IN_VIEW, ONE_PAGE, CompactionLoss, LostThing, SessionLoss
from loom.text import one_line

# Kinds of things, the most telling first.
KINDS = {"rule": "your rule {}", "check": "the failing check {}", "file": "{}"}
DID = {"read": ("read", "file"), "ran": ("ran", "command"), "searched": ("made", "search")}
NAMED = 3  # lost things, and moments, that a sentence names
QUOTED = 56  # characters of what it quotes


class LossSums(Struct, frozen=True):
    """The sums over several compactions.

    In dollars: `written` for the summaries, `again` for repeated calls, `cost` for both, each
    rounded first. `back` counts things, each once. `in_view` and `one_page` count things by where
    Loom's window would have had them.
    """

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


def day(at: int) -> str:
    """The date of such a time: `8 January 2026`."""
    return clock(at, "%d %B %Y").lstrip("0")


def said_of(every: Sequence[CompactionLoss], client: str, of: str = "") -> str:
    """Who compacted when, what it then fetched again, and what no summary holds."""
    added, when = sums(every), times_of(sorted(one.when for one in every if one.when))
    one = len(every) == 1
    much = {1: "compacted", 2: "compacted twice"}.get(len(every), f"compacted {len(every)} times")
    if one and added.before and added.summaries:
        much = f"replaced {brief(added.before)} tokens by a summary of {brief(added.summaries)}"
    said = f"{when}{client or ('agents' if of else 'the agent')} {much}{of}"
    said = f"{said[:1].upper()}{said[1:]}."
    if added.back:
        back = {  # of one session each thing once
            (call.did, call.what, of and at): call
            for at, loss in enumerate(every)
            for call in loss.back
        }
        done = [f"{verb} {counted(n, noun)}" for did, (verb, noun) in DID.items()
                if (n := sum(key[0] == did for key in back))]  # fmt: skip
        names = _few([*map(_name, back.values())], len(back))
        said += f" {'The agents' if of else 'It'} then {_and(done)} again: {names}."
    if not added.things and not added.summaries:
        return f"{said} What that lost is not recorded."
    if not added.things:
        return said + " Nothing of it was fetched again." * (not added.back)
    things = counted(added.things, "thing")
    if not added.lost:
        names = "summary names" if one else "summaries name"
        return (
            f"{said} The {names} {f'all {things}' if added.things > 1 else 'the one thing'} in use."
        )
    named = names_of([thing for loss in every for thing in loss.lost])
    not_in = f"the summar{'y does' if one else 'ies do'} not name {added.lost}"
    return f"{said} Of {things} in use {not_in}: {named}."


def times_of(times: Sequence[int]) -> str:
    """Few moments, the date of several once; of many the period."""
    days: dict[str, list[str]] = {}
    for at in times:
        days.setdefault(day(at), []).append(clock(at))
    if len(times) > NAMED:
        ends = [*days][:: max(len(days) - 1, 1)]
        return f"{'from' if len(days) > 1 else 'on'} {' to '.join(ends)} "
    return _and([f"on {day} at {_and(told)}" for day, told in days.items()]) + " " * bool(days)


def names_of(lost: Sequence[LostThing]) -> str:
    """The most telling of lost things, of each kind one before a second, and how many more."""
    kinds: dict[str, list[str]] = {}
    for thing in sorted(lost, key=rank):
        name = thing.told[1:].partition("`")[0]
        named = {"file": name.rpartition("/")[2], "check": name}.get(thing.kind, thing.told)
        told = one_line(named.replace("`", ""), QUOTED)
        told += '"' * (told.count('"') % 2)
        kinds.setdefault(thing.kind, []).append(KINDS[thing.kind].format(told))
    return _few([*dict.fromkeys(filter(None, chain(*zip_longest(*kinds.values()))))], len(lost))


def _name(call: WentBack) -> str:
    """A file by its name alone, a command or a search as it is."""
    return call.what.rpartition("/")[2] if call.did == "read" else one_line(call.what, QUOTED)


def _few(told: Sequence[str], n: int) -> str:
    """The first few of `n`, and how many more there are."""
    more = n - len(told[:NAMED])
    return _and([*told[:NAMED], f"{more} more"] if more else told[:NAMED])


def _and(parts: Sequence[str]) -> str:
    *first, last = parts or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def cost_of(every: Sequence[CompactionLoss]) -> str:
    """The cost of compactions: in all, for summaries, and for what was fetched again."""
    added = sums(every)
    wrote = "the summary" if added.compactions == 1 else f"{added.compactions} summaries"
    if not added.back:
        return f"That cost {money(added.cost)} to write {wrote}."
    took = f"{added.minutes:.0f} min" if added.minutes >= 1 else "under a minute"
    it = "it" if added.back == 1 else "them"
    return (
        f"That cost {money(added.cost)}: {money(added.written)} to write {wrote} and"
        f" {money(added.again)} ({took}) to fetch {it} again, since each call sends the whole"
        " window once more."
    )


def estimate_of(found: Sequence[SessionLoss]) -> str:
    """By which prices the dollars are estimated."""
    prices, *others = {one.prices for one in found}
    if others:
        return "Dollars are estimates at the price of each model."
    own = {DEFAULT: "as the price of the model is not known", "--price": "as given"}
    each = f"${prices.input:g} in and ${prices.output:g} out per million tokens"
    return f"Dollars are estimates at {each}, {own.get(prices.model, f'as {prices.model} costs')}."


def unseen_of(found: Sequence[SessionLoss]) -> str:
    """The sentence about what recordings cannot show of a compaction; "" where they can."""
    n = sum(not one.whole for one in found)
    of = f"{n} of {len(found)} recordings" if len(found) > 1 else "The recording"
    return (
        f" {of} cannot show what was kept beside a summary: what was read again counts as not kept."
        if n
        else ""
    )


def kept_by_loom(every: Sequence[CompactionLoss]) -> str:
    """What Loom would have kept, the worse as well as the better, and in how large a request."""
    where = [call.loom for one in every for call in one.back]
    if not where:
        return ""
    told = [f"{n} {at}" for at in (IN_VIEW, ONE_PAGE, GONE) if (n := where.count(at))]
    had = _and([told[0].replace(" ", " of these ", 1), *told[1:]])
    size, most = brief(every[0].window), brief(max(one.loom for one in every))
    request = "its next request" if len(every) == 1 else "the largest request after one"
    return (
        f"Loom, in a window as large ({size} tokens of talk), would have had"
        f" {had if len(where) > 1 else f'it {where[0]}'}; {request} would have had {most} tokens."
    )


def rank(thing: LostThing) -> tuple[bool, int, int]:
    """The order of lost things: needed again, then by kind, the newest first."""
    return thing.needed < 0, [*KINDS].index(thing.kind), -thing.message


def brief(tokens: int) -> str:
    """`155k`, `2.5k`, `640`."""
    return f"{tokens / 1_000:.{int(tokens < 9_950)}f}k" if tokens >= 1_000 else f"{tokens}"


def money(amount: float) -> str:
    """An amount in dollars."""
    return f"${amount:.2f}" if amount >= 0.005 or not amount else "less than a cent"
