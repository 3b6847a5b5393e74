"""Makes the sentences on what compactions lost, what was fetched again, and what that cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import chain, zip_longest

from msgspec import Struct

from loom.providers.prices import DEFAULT
from loom.reduce.lines import plural
from loom.replay.lost.going_back import WentBack
from loom.replay.lost.losses import CompactionLoss, LostThing, SessionLoss
from loom.text import one_line

# Kinds of things, the most telling first.
KINDS = {"rule": "the user's words {}", "check": "the failed check {}", "file": "{}", "id": "id {}"}
DID = {"read": ("read", "file"), "ran": ("run", "command"), "searched": ("made", "lookup")}
NAMED = 3  # lost things, and moments, that a sentence names
QUOTED = 56  # characters of what it quotes


class LossSums(Struct, frozen=True):
    """Sums over several compactions.

    `things` is the number of things in use, `lost` that of the things in no summary, `back` that of
    the things fetched again, `tokens` the size of the things fetched again. `written` is the price
    of the summaries in dollars, `again` that of fetching again, `cost` the sum of both, each
    rounded to cents. `waited` is the minutes for the summaries, `minutes` those for fetching again.
    """

    compactions: int = 0
    before: int = 0
    after: int = 0
    summaries: int = 0
    things: int = 0
    lost: int = 0
    back: int = 0
    tokens: int = 0
    waited: float = 0.0
    minutes: float = 0.0
    written: float = 0.0
    again: float = 0.0
    cost: float = 0.0


def loss_sums(every: Sequence[CompactionLoss]) -> LossSums:
    """Return the sums over several compactions."""
    back = [call for one in every for call in one.back]
    written = round(sum(one.dollars for one in every), 6)
    again = round(sum(call.dollars for call in back), 6)
    return LossSums(
        compactions=len(every),
        before=sum(one.before for one in every),
        after=sum(one.after for one in every),
        summaries=sum(one.summary for one in every),
        things=sum(len(one.things) for one in every),
        lost=sum(len(one.lost) for one in every),
        back=len(back),
        tokens=sum(call.tokens for call in back),
        waited=round(sum(one.minutes for one in every), 2),
        minutes=round(sum(call.minutes for call in back), 2),
        written=written,
        again=again,
        cost=round(round(written, 2) + round(again, 2), 2) or written + again,
    )


def clock_text(at: int, form: str = "%H:%M") -> str:
    """Return a time (milliseconds since the epoch) as text in this machine's time zone: "14:05".
    Return "" for 0. `form` is a `strftime` format."""
    return datetime.fromtimestamp(at / 1_000).strftime(form) if at else ""


def date_text(at: int) -> str:
    """Return a date (milliseconds since the epoch) as text: "8 January 2026". Return "" for 0."""
    return clock_text(at, "%d %B %Y").lstrip("0")


def summary_sentence(every: Sequence[CompactionLoss], client: str, of: str = "") -> str:
    """Return a sentence on who compacted the window and when, what the summaries left out, what was
    fetched again, and the cost. `of` is a clause such as " in 3 of 5 sessions"."""
    added, one = loss_sums(every), len(every) == 1
    when = times_clause(sorted(loss.when for loss in every if loss.when))
    who = client or ("agents" if of else "the agent")
    its = "its window" if who != "agents" else "their windows"
    much = f"cut {its} to a summary {'twice' if len(every) == 2 else f'{len(every)} times'}{of}"
    if one:
        before, after = brief_tokens(added.before), brief_tokens(added.after)
        much = f"cut {its}{f' of {before} tokens' * (added.before > 0)} to a summary"
        if added.before and added.after:
            much = f"cut {its} from {before} to {after} tokens"
    said = f"{when}{who} {much}"
    told = [_left_out_clause(added)]
    told += [f"{_fetched_clause(every)} again"] if added.back else []
    cost = f", for {dollars_text(added.cost)} in all" * bool(added.back)
    return f"{said[:1].upper()}{said[1:]}: {', and '.join(filter(None, told))}{cost}."


def _left_out_clause(added: LossSums) -> str:
    """Return a clause on how many things in use the summaries left out. It may be ""."""
    one = added.compactions == 1
    summary = "the summary" if one else "the summaries"
    if not added.summaries:
        return "what that lost is not recorded"
    if not added.things:
        return "" if added.back else "nothing was fetched again"
    if added.lost:
        return f"{summary} left out {added.lost} of {plural(added.things, 'thing')} in use"
    things = f"all {added.things} things" if added.things > 1 else "the one thing"
    return f"{summary} name{'s' * one} {things} in use"


def _fetched_clause(every: Sequence[CompactionLoss]) -> str:
    """Return a clause on what was fetched again, such as "3 files were read"."""
    done = Counter(call.did for one in every for call in one.back)
    verb, noun = DID[next(iter(done))] if len(done) == 1 else ("fetched", "thing")
    n = done.total()
    return f"{plural(n, noun)} {'was' if n == 1 else 'were'} {verb}"


def names_sentences(every: Sequence[CompactionLoss]) -> str:
    """Return sentences with the names of things left out and of things fetched again, or ""."""
    lost, back = [it for one in every for it in one.lost], [it for one in every for it in one.back]
    told = [f"Left out: {lost_names(lost)}."] if lost else []
    if back:
        done = Counter(call.did for call in back)
        names = _alternate_kinds(
            [_call_name(call) for call in back if call.did == did] for did in DID
        )
        kinds = [plural(done[did], noun) for did, (_, noun) in DID.items() if done[did]]
        many = f"{and_list(kinds)}, such as " if len(names) > NAMED else ""
        told.append(f"Fetched again: {many}{and_list(names[:NAMED])}.")
    return " ".join(told)


def lost_names(lost: Sequence[LostThing]) -> str:
    """Return a phrase with the names of a few lost things of different kinds and the number of the
    remaining things: "a, b and 3 more"."""
    kinds: dict[str, list[str]] = {}
    for thing in sorted(lost, key=loss_rank):
        name = thing.told[1:].partition("`")[0]
        named = {"file": name.rpartition("/")[2], "check": name}.get(thing.kind, thing.told)
        told = one_line(named.replace("`", ""), QUOTED)
        told += '"' * (told.count('"') % 2)
        kinds.setdefault(thing.kind, []).append(KINDS[thing.kind].format(told))
    return _listed_names(_alternate_kinds(kinds.get(kind, ()) for kind in KINDS), len(lost))


def times_clause(times: Sequence[int]) -> str:
    """Return a clause on times (milliseconds since the epoch): "on 3 May 2026 at 14:05 and 15:10 ",
    or for many times "from 3 May 2026 to 9 May 2026 "."""
    days: dict[str, list[str]] = {}
    for at in times:
        days.setdefault(date_text(at), []).append(clock_text(at))
    if len(times) > NAMED:
        ends = [*days][:: max(len(days) - 1, 1)]
        return f"{'from' if len(days) > 1 else 'on'} {' to '.join(ends)} "
    return and_list([f"on {day} at {and_list(told)}" for day, told in days.items()]) + " " * bool(
        days
    )


def _alternate_kinds(kinds: Iterable[Sequence[str]]) -> list[str]:
    """Return the names of several kinds in one list without repeats: the first name of each kind,
    then the second name of each kind, and so on."""
    return [*dict.fromkeys(filter(None, chain(*zip_longest(*kinds))))]


def _call_name(call: WentBack) -> str:
    """Return what a call fetched, on one line: a file's name without folders, a command, or a
    query."""
    return call.what.rpartition("/")[2] if call.did == "read" else one_line(call.what, QUOTED)


def _listed_names(told: Sequence[str], n: int) -> str:
    """Return a phrase with the first names and the number of the remaining things: "a, b, c and 2
    more". `n` is the number of all things."""
    more = n - len(told[:NAMED])
    return and_list([*told[:NAMED], f"{more} more"] if more else told[:NAMED])


def and_list(parts: Sequence[str]) -> str:
    """Join parts to a phrase: "a", "a and b", "a, b and c". Return "" for no parts."""
    *first, last = parts or ("",)
    return f"{', '.join(first)} and {last}" if first else last


def cost_sentence(every: Sequence[CompactionLoss]) -> str:
    """Return a sentence on the cost of writing the summaries and of fetching things again."""
    added = loss_sums(every)
    wrote = "the summary" if added.compactions == 1 else f"{added.compactions} summaries"
    told = f"Writing {wrote} cost {_cost_text(added.written, added.waited)}"
    if added.back:
        told += (
            f", fetching again {_cost_text(added.again, added.minutes)}: each call sends the whole"
            " window once more, most of it from the prompt cache"
        )
    return f"{told}."


def _cost_text(dollars: float, minutes: float) -> str:
    """Return a cost in words: "$1.20 and 3 min". Less than one minute is not mentioned."""
    return (
        f"{dollars_text(dollars)} and {minutes:,.0f} min" if minutes >= 1 else dollars_text(dollars)
    )


def price_sentence(found: Sequence[SessionLoss]) -> str:
    """Return a sentence on the prices from which the dollars are estimated."""
    prices, *others = {one.prices for one in found}
    if others:
        return "Dollars are estimates at the price of each model."
    own = {DEFAULT: "as the price of the model is not known", "--price": "as given"}
    each = (
        f"${prices.input:g} in (${prices.read:g} from the prompt cache) and ${prices.output:g} out"
        " per million tokens"
    )
    return f"Dollars are estimates at {each}, {own.get(prices.model, f'as {prices.model} costs')}."


def zone_sentence(every: Sequence[CompactionLoss]) -> str:
    """Return a sentence that names this machine's time zone, "" if no time is known."""
    at = next((one.when for one in every if one.when), 0)
    return f"Times are in {datetime.fromtimestamp(at / 1_000).astimezone():%Z}." if at else ""


def unseen_sentence(found: Sequence[SessionLoss]) -> str:
    """Return a sentence on how many recordings lack the texts that the client kept beside a
    summary, "" if no recording does."""
    n = sum(not one.whole for one in found)
    of = f" {n} of {len(found)} recorded sessions do" if len(found) > 1 else " The recording does"
    return f"{of} not show what the client attached to a summary." * bool(n)


def loss_rank(thing: LostThing) -> tuple[bool, int, int]:
    """Return a sort key for lost things: things needed again come first, then by kind, newest
    first."""
    return thing.needed < 0, [*KINDS].index(thing.kind), -thing.message


def brief_tokens(tokens: int) -> str:
    """Return a number of tokens in short form: "155k", "2.5k", "640"."""
    return f"{tokens / 1_000:.{int(tokens < 9_950)}f}k" if tokens >= 1_000 else f"{tokens}"


def dollars_text(amount: float) -> str:
    """Return an amount of dollars as text: "$1.20", or "less than a cent"."""
    return f"${amount:,.2f}" if amount >= 0.005 or not amount else "less than a cent"
