"""What sessions lost at their clients' compactions: for a page, a terminal, a table.

Whoever is given the page knows neither the session nor Loom: a session goes by its first words, its
project and its date, a thing by what was done to it and when. Secrets are replaced always; with
`redact` home folders and addresses of mail are, too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.redact import Redactor
from loom.reduce.lines import counted
from loom.replay.lost.again import WentBack
from loom.replay.lost.bands import BANDS
from loom.replay.lost.held_texts import brief
from loom.replay.lost.losses import CompactionLoss, LostThing, SessionLoss
from loom.report import lost_sentences as told
from loom.report.lost_beside import Comparison, compared, kept_by_loom
from loom.text import one_line

AGENT = "/agent-"  # between the name of a session and that of an agent of it
# What comes before the time of a thing of a kind.
SEEN = {"rule": "said", "check": "failed", "file": "last read or changed", "id": "last seen"}
TITLE, LENGTH = 100, 120  # characters of a title, of a command
# A user's home folder; as a client names a folder of its own after it, too.
_HOME = lazy_re(
    r"(?<![\w.~-])(?:/var)?/+(?:Users|home)/+[^/\\\s`'\":]+(?:\\ [^/\\\s`'\":]+)*"
    r"|(?:\b[A-Za-z]:|\\\\[\w.-]+)[/\\]+[Uu]sers[/\\]+"
    r"(?:[^/\\\s`'\":]+ [^/\\\s`'\":]+(?=[/\\])|[^/\\\s`'\":]+)"
    r"|(?<=[/\\])-(?:Users|home)-\w+|(?<![\w/.])~[a-z][\w-]+(?=/)"
)
_MAIL = lazy_re(r"(?<![\w.+-])(?!git@)[\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\b")


class LossLine(Struct, frozen=True):
    """A thing in use, or gone back for: what, when, what it took, and where each of Loom's windows
    would have had it; of several `things` that one call showed again."""

    text: str
    place: str
    loom: tuple[str, ...]
    took: str = ""
    things: int = 1


class LossAt(Struct, frozen=True):
    """A compaction: what is said of it, its cost, its time and sizes, its place among the requests,
    and its lists: what was lost, what was fetched again, what was in use and not lost."""

    said: str
    cost: str
    when: str
    request: int
    lost: tuple[LossLine, ...]
    back: tuple[LossLine, ...]
    held: tuple[LossLine, ...]


class LossSession(Struct, frozen=True):
    """A session, or an `agent` of the one before it, with its requests, in tokens of each of BANDS,
    and its compactions."""

    title: str
    about: str
    said: str
    names: str
    cost: str
    loom: str
    sums: told.LossSums
    requests: tuple[tuple[int, ...], ...]
    compactions: tuple[LossAt, ...]
    beside: tuple[Comparison, ...] = ()
    agent: bool = False
    recording: tuple[str, ...] = ()


class LossPage(Struct, frozen=True):
    """A page about all sessions: what was lost, by name, what it cost, by which prices, what Loom
    had; and each session, costliest first, its agents behind it."""

    said: str
    names: str
    cost: str
    priced: str
    loom: str
    sums: told.LossSums
    beside: tuple[Comparison, ...]
    sessions: tuple[LossSession, ...]
    bands: tuple[str, ...] = BANDS


def lost_page(found: Sequence[SessionLoss], *, redact: bool = True) -> LossPage:
    """The losses of sessions, one of them compacted, as they are shown."""
    whole = [_shortened(_without_secrets(one, redact=redact)) for one in found]
    some = [one for one in whole if one.compactions]
    every = [each for one in some for each in one.compactions]
    client, *others = {one.client for one in some}
    of = f" in {len(some)} of {counted(len(whole), 'session')}" * (len(some) > 1)
    return LossPage(
        told.said_of(every, "" if others else client, of),
        told.names_of(every),
        told.cost_of(every),
        f"{told.estimate_of(some)}{told.unseen_of(some)} {told.zone_of(every)}".rstrip(),
        kept_by_loom(some),
        told.sums(every),
        compared(some),
        tuple(_session(one, agent=agent) for one, agent in _families(whole)),
    )


def _families(found: Sequence[SessionLoss]) -> Iterator[tuple[SessionLoss, bool]]:
    """Yield the sessions, the costliest first, each with its agents behind it, and whether one is
    an agent of the one before."""
    names = {(one.project, one.name) for one in found}
    families: dict[tuple[str, str], list[SessionLoss]] = {}
    for one in found:
        parent = one.project, one.name.rpartition(AGENT)[0]
        families.setdefault(parent if parent in names else (one.project, one.name), []).append(one)

    def cost(one: SessionLoss) -> tuple[bool, float]:
        return not one.compactions, -told.sums(one.compactions).cost

    for (_, name), family in sorted(families.items(), key=lambda it: min(map(cost, it[1]))):
        for one in sorted(family, key=lambda each: (each.name != name, cost(each))):
            yield one, one.name != name


def _session(one: SessionLoss, *, agent: bool) -> LossSession:
    every = one.compactions
    return LossSession(
        one.title or "a session without words",
        " · ".join(filter(None, (one.project, told.day(one.when), one.client, one.model))),
        told.said_of(every, one.client) if every else "It was never compacted.",
        told.names_of(every),
        told.cost_of(every) if every else "",
        kept_by_loom([one]),
        told.sums(every),
        tuple(each.bands for each in one.requests),
        tuple(_at(each, one) for each in every),
        compared([one]) if every else (),
        agent,
        one.recording,
    )


def _at(one: CompactionLoss, session: SessionLoss) -> LossAt:
    places = [each.message for each in session.requests]

    def at(message: int) -> str:
        """When a message was recorded, with its day where that is another; else its request."""
        if not (when := session.times.get(message, 0)):
            return f"at request {sum(place <= message for place in places) or 1}"
        day = told.day(when)
        return f"at {told.clock(when)}" + f" on {day}" * (day != told.day(one.when))

    things: dict[object, list[LostThing]] = {}
    for thing in sorted(one.things, key=told.rank):
        # The ids that one call showed again are one line.
        shown = thing.shown if thing.kind == "id" and not thing.held else thing
        things.setdefault(shown, []).append(thing)
    lines = [(each[0].held, _thing(each, at)) for each in things.values()]
    sizes = " → ".join(told.brief(size) for size in (one.before, one.after) if size)
    return LossAt(
        told.said_of((one,), session.client),
        told.cost_of((one,)),
        " · ".join(filter(None, (told.clock(one.when), sizes))),
        sum(message < one.message for message in places),
        tuple(line for held, line in lines if not held),
        tuple(_back(call, at) for call in one.back),
        tuple(line for held, line in lines if held),
    )


def _thing(things: Sequence[LostThing], at: Callable[[int], str]) -> LossLine:
    thing = min(things, key=lambda one: one.needed)
    names = ", ".join(one.told for one in things)
    place = f"{SEEN[thing.kind]} {at(thing.message)}"
    place += f", used again {at(thing.needed)}" * (thing.needed >= 0)
    if thing.shown >= 0 and not thing.held:
        place += f", after {f'`{thing.by}`' if thing.by else 'the user'} had shown it again"
    return LossLine(told.KINDS[thing.kind].format(names), place, thing.loom, things=len(things))


def _back(call: WentBack, at: Callable[[int], str]) -> LossLine:
    what = f"`{call.what}`" if call.did != "searched" else call.what
    took = f"{call.tokens:,} tokens, {told.money(call.dollars)}"
    took += f", {call.minutes:.1f} min" * (call.minutes >= 0.05)
    when = f"last shown {at(call.before)}, {call.did} again {at(call.message)}"
    when += f" and {counted(call.times - 1, 'more time')}" * (call.times > 1)
    return LossLine(what, when, call.loom, took)


def _without_secrets(one: SessionLoss, *, redact: bool) -> SessionLoss:
    """The session with every text of it cleaned."""

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return _MAIL.sub("[mail]", _HOME.sub("~", value))
        if isinstance(value, dict):
            return {key: clean(each) for key, each in value.items()}
        return [clean(each) for each in value] if isinstance(value, list | tuple) else value

    told = Redactor().value(to_builtins(one))
    return convert(clean(told) if redact else told, SessionLoss, strict=False)


def _shortened(one: SessionLoss) -> SessionLoss:
    """The session with its texts as they are shown: a part of one may not look like a secret."""

    def thing(each: LostThing) -> LostThing:
        name = one_line(brief(each.told), LENGTH) if each.kind == "file" else each.told
        told = f"`{name}`" if each.kind in ("file", "id") else each.told
        return replace(each, told=told, by=one_line(each.by, LENGTH))

    def call(each: WentBack) -> WentBack:
        what = brief(each.what) if each.did == "read" else each.what
        return replace(each, what=one_line(what, LENGTH))

    return replace(
        one,
        title=one_line(one.title, TITLE),
        project=re.split(r"[/\\]", one.project.rstrip("/\\"))[-1],
        compactions=tuple(
            replace(at, things=tuple(map(thing, at.things)), back=tuple(map(call, at.back)))
            for at in one.compactions
        ),
    )
