"""What sessions lost when their clients compacted them, as data for a page, a terminal or a table.

A reader may know neither the session nor Loom. So a session is shown with its first words, project
and date. A lost thing is shown with what was done to it and when. Secrets are always replaced. With
`redact`, home folders and mail addresses are replaced too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from msgspec import Struct, convert, to_builtins
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.redact import Redactor
from loom.reduce.lines import plural
from loom.replay.lost.bands import BANDS
from loom.replay.lost.going_back import WentBack
from loom.replay.lost.held_texts import short_path
from loom.replay.lost.losses import CompactionLoss, LostThing, SessionLoss
from loom.report import loss_sentences as told
from loom.report.window_comparison import WindowComparison, kept_sentence, window_comparisons
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
    """A line about a thing in use, or about a text that the model had to fetch again.

    `text` describes the thing, `place` says when it was seen, `took` what fetching it again cost.
    `loom` has the place where each of two Loom windows would have had the thing. `things` is the
    number of things on the line."""

    text: str
    place: str
    loom: tuple[str, ...]
    took: str = ""
    things: int = 1


class LossCompaction(Struct, frozen=True):
    """A compaction as the page shows it. `said` and `cost` are sentences about the compaction and
    its cost. `when` has its time and sizes. `request` is the number of requests before it. `lost`
    has the things that the summary left out, `held` the things that the summary named, `back` the
    texts that were fetched again."""

    said: str
    cost: str
    when: str
    request: int
    lost: tuple[LossLine, ...]
    back: tuple[LossLine, ...]
    held: tuple[LossLine, ...]


class LossSession(Struct, frozen=True):
    """A session as the page shows it. `agent` is True for a sub-agent of an earlier session.
    `requests` has, for each request, the tokens of each kind of content in BANDS."""

    title: str
    about: str
    said: str
    names: str
    cost: str
    loom: str
    sums: told.LossSums
    requests: tuple[tuple[int, ...], ...]
    compactions: tuple[LossCompaction, ...]
    beside: tuple[WindowComparison, ...] = ()
    agent: bool = False
    recording: tuple[str, ...] = ()


class LossPage(Struct, frozen=True):
    """A page about several sessions, the costliest first, each followed by its sub-agents. `said`
    and `names` are sentences about what was lost, `cost` about its cost, `priced` about the prices
    used, `loom` about what Loom would have kept."""

    said: str
    names: str
    cost: str
    priced: str
    loom: str
    sums: told.LossSums
    beside: tuple[WindowComparison, ...]
    sessions: tuple[LossSession, ...]
    bands: tuple[str, ...] = BANDS


def loss_page(found: Sequence[SessionLoss], *, redact: bool = True) -> LossPage:
    """Return the page about sessions, of which at least one was compacted. With `redact`, home
    folders and mail addresses are replaced."""
    whole = [_with_short_texts(_without_secrets(one, redact=redact)) for one in found]
    some = [one for one in whole if one.compactions]
    every = [each for one in some for each in one.compactions]
    client, *others = {one.client for one in some}
    of = f" in {len(some)} of {plural(len(whole), 'session')}" * (len(some) > 1)
    priced = f"{told.price_sentence(some)}{told.unseen_sentence(some)}"
    return LossPage(
        told.summary_sentence(every, "" if others else client, of),
        told.names_sentences(every),
        told.cost_sentence(every),
        f"{priced} {told.zone_sentence(every)}".rstrip(),
        kept_sentence(some),
        told.loss_sums(every),
        window_comparisons(some),
        tuple(_loss_session(one, agent=agent) for one, agent in _sessions_with_agents(whole)),
    )


def _sessions_with_agents(found: Sequence[SessionLoss]) -> Iterator[tuple[SessionLoss, bool]]:
    """Yield (session, True for a sub-agent). The costliest session comes first, and sub-agents
    follow their session."""
    names = {(one.project, one.name) for one in found}
    families: dict[tuple[str, str], list[SessionLoss]] = {}
    for one in found:
        parent = one.project, one.name.rpartition(AGENT)[0]
        families.setdefault(parent if parent in names else (one.project, one.name), []).append(one)

    def cost(one: SessionLoss) -> tuple[bool, float]:
        return not one.compactions, -told.loss_sums(one.compactions).cost

    for (_, name), family in sorted(families.items(), key=lambda it: min(map(cost, it[1]))):
        for one in sorted(family, key=lambda each: (each.name != name, cost(each))):
            yield one, one.name != name


def _loss_session(one: SessionLoss, *, agent: bool) -> LossSession:
    """Return a session as the page shows it. `agent` is True if it is a sub-agent."""
    every = one.compactions
    return LossSession(
        one.title or "a session without words",
        " · ".join(filter(None, (one.project, told.date_text(one.when), one.client, one.model))),
        told.summary_sentence(every, one.client) if every else "It was never compacted.",
        told.names_sentences(every),
        told.cost_sentence(every) if every else "",
        kept_sentence([one]),
        told.loss_sums(every),
        tuple(each.bands for each in one.requests),
        tuple(_loss_compaction(each, one) for each in every),
        window_comparisons([one]) if every else (),
        agent,
        one.recording,
    )


def _loss_compaction(one: CompactionLoss, session: SessionLoss) -> LossCompaction:
    """Return one compaction of `session` as the page shows it."""
    places = [each.message for each in session.requests]

    def at(message: int) -> str:
        """Return the time of a message in words: "at 14:05", or "at request 7" if unknown."""
        if not (when := session.times.get(message, 0)):
            return f"at request {sum(place <= message for place in places) or 1}"
        day = told.date_text(when)
        return f"at {told.clock_text(when)}" + f" on {day}" * (day != told.date_text(one.when))

    things: dict[object, list[LostThing]] = {}
    for thing in sorted(one.things, key=told.loss_rank):
        # The ids that one call showed again are one line.
        shown = thing.shown if thing.kind == "id" and not thing.held else thing
        things.setdefault(shown, []).append(thing)
    lines = [(each[0].held, _thing_line(each, at)) for each in things.values()]
    sizes = " → ".join(told.brief_tokens(size) for size in (one.before, one.after) if size)
    return LossCompaction(
        told.summary_sentence((one,), session.client),
        told.cost_sentence((one,)),
        " · ".join(filter(None, (told.clock_text(one.when), sizes))),
        sum(message < one.message for message in places),
        tuple(line for held, line in lines if not held),
        tuple(_fetched_line(call, at) for call in one.back),
        tuple(line for held, line in lines if held),
    )


def _thing_line(things: Sequence[LostThing], at: Callable[[int], str]) -> LossLine:
    """Return the line about a thing in use, or about several ids that one call showed again. `at`
    returns the time of a message in words."""
    thing = min(things, key=lambda one: one.needed)
    names = ", ".join(one.told for one in things)
    place = f"{SEEN[thing.kind]} {at(thing.message)}"
    place += f", used again {at(thing.needed)}" * (thing.needed >= 0)
    if thing.shown >= 0 and not thing.held:
        place += f", after {f'`{thing.by}`' if thing.by else 'the user'} had shown it again"
    return LossLine(told.KINDS[thing.kind].format(names), place, thing.loom, things=len(things))


def _fetched_line(call: WentBack, at: Callable[[int], str]) -> LossLine:
    """Return the line about a call that fetched a text again. `at` returns the time of a message in
    words."""
    what = f"`{call.what}`" if call.did != "searched" else call.what
    took = f"{call.tokens:,} tokens, {told.dollars_text(call.dollars)}"
    took += f", {call.minutes:.1f} min" * (call.minutes >= 0.05)
    when = f"last shown {at(call.before)}, {call.did} again {at(call.message)}"
    when += f" and {plural(call.times - 1, 'more time')}" * (call.times > 1)
    return LossLine(what, when, call.loom, took)


def _without_secrets(one: SessionLoss, *, redact: bool) -> SessionLoss:
    """Return the session with secrets (with `redact`, also home folders and addresses) replaced."""

    def clean(value: Any) -> Any:
        if isinstance(value, str):
            return _MAIL.sub("[mail]", _HOME.sub("~", value))
        if isinstance(value, dict):
            return {key: clean(each) for key, each in value.items()}
        return [clean(each) for each in value] if isinstance(value, list | tuple) else value

    told = Redactor().value(to_builtins(one))
    return convert(clean(told) if redact else told, SessionLoss, strict=False)


def _with_short_texts(one: SessionLoss) -> SessionLoss:
    """Return the session with its texts shortened for display. Call it after secrets were replaced:
    a shortened secret may not be recognized."""

    def thing(each: LostThing) -> LostThing:
        name = one_line(short_path(each.told), LENGTH) if each.kind == "file" else each.told
        told = f"`{name}`" if each.kind in ("file", "id") else each.told
        return replace(each, told=told, by=one_line(each.by, LENGTH))

    def call(each: WentBack) -> WentBack:
        what = short_path(each.what) if each.did == "read" else each.what
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
