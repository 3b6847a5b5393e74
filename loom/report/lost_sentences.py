"""Sentences about what compactions lost, what was repeated, and what that cost."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import chain, zip_longest

from msgspec import Struct

from loom.providers.prices import DEFAULT
from loom.reduce.lines import counted
from loom.replay.lost.again import GONE
from loom.replay.lost.losses import IN_VIEW, ONE_PAGE, CompactionLoss, LostThing, SessionLoss
from loom.text import one_line

# Kinds of things, the most telling first; what was only read comes behind all of them.
KINDS = {"rule": "your rule {}", "answer": "your answer {}", "check": "the failing check {}",
         "file": "{}", "id": "the id {}"}  # fmt: skip
DID = {"read": "read", "ran": "command", "searched": "other call", "asked": "question"}
NAMED = 3  # lost things, and moments, that a sentence names
QUOTED = 56  # characters of what it quotes


class LossSums(Struct, frozen=True):
    """The sums over several compactions.

    In dollars: `written` for the summaries, `again` for repeated calls, `cost` for both, each
    rounded first. `in_view` and `one_page` count things by where Loom's window would have had them.
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
    """Who compacted when, what it then repeated, and what no summary holds."""
    added, when = sums(every), times_of(sorted(one.when for one in every if one.when))
    much = {1: "", 2: " twice"}.get(len(every), f" {len(every)} times")
    if len(every) == 1 and added.before and added.summaries:
        much = f" {brief(added.before)} tokens to {brief(added.summaries)}"
    said = f"{when}{client or ('agents' if of else 'the agent')} compacted{much}{of}"
    if added.back:
        again = [*dict.fromkeys(it.what.rpartition("/")[2] for one in every for it in one.back)]
        calls = counted(added.back, "call")
        said += f" and then repeated {calls} for what had left ({_few(again, len(again))})"
    said = f"{said[:1].upper()}{said[1:]}. "
    if not added.things:
        return f"{said}What that lost is not recorded."
    where = "the summary" if len(every) == 1 else "any summary"
    things = counted(added.things, "thing")
    if not added.lost:
        return f"{said}All of {things} in use are in {where.replace('any', 'a')}."
    named = names_of([thing for one in every for thing in one.lost])
    verb = "is" if added.lost == 1 else "are"
    return f"{said}{added.lost} of {things} in use {verb} not in {where}{named and f': {named}'}."


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
        name, _, did = thing.told[1:].partition("` ")
        file = f"{name.rpartition('/')[2]} ({did.split(' ')[0]})"
        named = {"file": file, "id": name, "check": name}.get(thing.kind, thing.told)
        told = one_line(named.replace("`", ""), QUOTED)
        told += '"' * (told.count('"') % 2)
        kinds.setdefault(thing.kind, []).append(KINDS[thing.kind].format(told))
    return _few([*dict.fromkeys(filter(None, chain(*zip_longest(*kinds.values()))))], len(lost))


def _few(told: Sequence[str], n: int) -> str:
    """The first few of `n`, and how many more there are."""
    more = n - len(told[:NAMED])
    return _and([*told[:NAMED], f"{more} more"] if more else told[:NAMED])


def _and(parts: Sequence[str]) -> str:
    *first, last = parts or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def cost_of(every: Sequence[CompactionLoss]) -> str:
    """The cost of compactions: in all, for summaries, and for repeated calls."""
    added, done = sums(every), [call.did for one in every for call in one.back]
    wrote = "the summary" if added.compactions == 1 else f"{added.compactions} summaries"
    if not done:
        return f"Compacting cost {money(added.cost)} for {wrote}; nothing was repeated."
    told = _and([counted(n, noun) for did, noun in DID.items() if (n := done.count(did))])
    took = f"{added.minutes:.0f} min" if added.minutes >= 1 else "under a minute"
    return (
        f"Compacting cost {money(added.cost)}: {money(added.written)} for {wrote},"
        f" {money(added.again)} for repeating {told} ({brief(added.tokens)} tokens, {took})."
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
        f" {of} cannot show what was kept beside a summary: in doubt a thing counts as kept."
        if n
        else ""
    )


def kept_by_loom(every: Sequence[CompactionLoss]) -> str:
    """The sentence about what Loom would have kept, the worse as well as the better."""
    told = []
    for what, where in (
        ("left out", [thing.loom for one in every for thing in one.lost]),
        ("repeated", [call.loom for one in every for call in one.back]),
    ):
        rest = ", ".join(f"{n} {at}" for at in (ONE_PAGE, GONE) if (n := where.count(at)))
        if where:
            told.append(f"{where.count(IN_VIEW)} of {len(where)} {what}{rest and f' ({rest})'}")
    if not told:
        return ""
    size = f"{brief(every[0].window)} tokens of talk, up to {brief(max(one.loom for one in every))}"
    view = f"at the same window size ({size} in the next request), still in view: {_and(told)}."
    return f"Replayed with Loom {view}"


def rank(thing: LostThing) -> tuple[bool, bool, int, int]:
    """The order of lost things: needed again, changed, then by kind, the newest first."""
    return thing.needed < 0, "` read" in thing.told, [*KINDS].index(thing.kind), -thing.message


def brief(tokens: int) -> str:
    """`155k`, `2.5k`, `640`."""
    return f"{tokens / 1_000:.{int(tokens < 9_950)}f}k" if tokens >= 1_000 else f"{tokens}"


def money(amount: float) -> str:
    """An amount in dollars."""
    return f"${amount:.2f}" if amount >= 0.005 or not amount else "less than a cent"
