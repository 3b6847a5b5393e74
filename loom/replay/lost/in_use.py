"""Finds the things in use when a client compacted: the user's rules, failing checks, files and ids.

A rule or a failing check is in use until a later fact cancels it. These facts are those of which
Loom makes its digests. A file or an id is in use if it was touched or shown before the compaction
and is used again in the next messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.digest.check_facts import close_failures, is_check_fact
from loom.compress.digest.current_facts import merge_facts
from loom.compress.digest.entry_facts import TYPED
from loom.inputs import ClientCompaction, Event, Reply, Session
from loom.reduce.reply_facts import facts_of_reply
from loom.reduce.verdict import is_failed
from loom.replay.importers.recorded_facts import event_texts
from loom.replay.lost.calls import CallWithResult, calls_of
from loom.replay.lost.held_texts import HeldTexts, is_file_named
from loom.text import one_line
from loom_partitions.message import Fact

LENGTH = 160  # characters of what was said
WRITTEN = 60  # characters of a command by which it is looked for: a longer one is shortened
SHORT = 7  # signs of a hash or UUID by which it is often called
NEVER = -1


class ThingInUse(Struct, frozen=True):
    """A thing in use at a compaction. `kind` is "rule", "check", "file" or "id".

    `names` holds one or more texts, one per line; a summary with any of the texts mentions the
    thing. `written` is its exact spelling, `told` a description for people. `at` is the index of
    the event it came from, `needed` the index of the reply that used it again, `shown` the index of
    the last event before `needed` that showed it, or NEVER."""

    kind: str
    names: str
    written: str
    told: str
    at: int
    needed: int = NEVER
    shown: int = NEVER

    def is_held_in(self, texts: HeldTexts) -> bool:
        """Return True if the texts mention the thing, or if the thing is a file or id that no event
        showed before it was used again. The model must then have known it."""
        if self.kind in ("rule", "check"):
            return any(map(texts.says, self.names.split("\n")))
        return self.shown == NEVER or self.appears_in(texts)

    def appears_in(self, texts: HeldTexts) -> bool:
        """Return True if the texts contain the thing, or the first seven characters of a hash or
        UUID."""
        short = self.kind == "id" and any(map(str.isalpha, self.names))
        return texts.begins(self.names[:SHORT]) if short else self.stands_in(texts)

    def stands_in(self, texts: HeldTexts) -> bool:
        """Return True if the texts contain the thing's exact spelling, or for a file its name."""
        return (
            is_file_named(texts, self.names) if self.kind == "file" else texts.names(self.written)
        )


def rules_and_checks(facts: Sequence[Fact], events: Mapping[int, int]) -> Iterator[ThingInUse]:
    """Yield the user's rules that still apply and the checks that still fail, taken from a
    session's facts. `events` maps entry ids to event indexes."""
    held = merge_facts(facts)
    held = close_failures(held, [fact for fact in held if fact.kind == "ran"])
    remarks = {*_unbinding_rules(facts)}
    errors = [fact for fact in held if fact.kind == "error"]
    for fact in held:
        at = events.get(fact.at, 0)
        if fact.kind == "rule" and not fact.came and fact.text not in remarks:
            told = f'"{one_line(fact.text, LENGTH)}"'
            yield ThingInUse("rule", fact.text, fact.text, told, at)
        elif fact.kind == "ran" and is_failed(fact.came) and is_check_fact(fact):
            why = [one.text for one in errors if one.about == fact.about]
            told = one_line("; ".join([f"`{fact.text}` {fact.came}", *why[:1]]), LENGTH)
            line = fact.text[:WRITTEN].rpartition(" ")[0] if fact.text[WRITTEN:] else fact.text
            yield ThingInUse("check", "\n".join((fact.about, *why)), line, told, at)


def _unbinding_rules(facts: Sequence[Fact]) -> Iterator[str]:
    """Yield the texts of rules that do not bind:
    - a rule in a message that asks a question, if a later message came;
    - a rule behind the first sentence of a line, in a message with headings;
    - a rule that ends in ":"."""
    said = [fact for fact in facts if fact.kind in TYPED]
    asked = {fact.at for fact in said if fact.kind == "question" and fact.at < said[-1].at}
    headed = {fact.at for fact in said if fact.kind == "heading"}
    lines = set[tuple[int, str]]()
    for fact in said:
        behind = fact.at in headed and (fact.at, fact.about) in lines
        if fact.at in asked or behind or fact.text.endswith(":"):
            yield fact.text
        lines.add((fact.at, fact.about))


def files_and_ids_used_again(
    events: Sequence[Event], before: range, after: range, calls: Sequence[CallWithResult]
) -> Iterator[ThingInUse]:
    """Yield the files and ids that occur in the events `before` (event indexes) and are used again
    in the events `after`."""
    touched: dict[str, int] = {}
    for call in calls:
        if call.at in before and call.done:
            touched |= dict.fromkeys(call.paths, call.at)
    found: dict[str, ThingInUse] = {}
    for call in calls:
        for path in call.paths if call.at in after else ():
            if path in touched:
                found.setdefault(path, ThingInUse("file", path, path, path, touched[path], call.at))
    shown = {at: HeldTexts(event_texts(events[at])) for at in (*before, *after)}
    for at in after:
        for id in _ids_used(events[at]):
            stood = next((n for n in reversed(before) if shown[n].names(id)), NEVER)
            if stood != NEVER:
                found.setdefault(id, ThingInUse("id", id, id, id, stood, at))
    tails = {
        id
        for id in found
        for more in found
        if more != id and more.endswith(id) and not id.isdigit()
    }
    for one in (each for name, each in found.items() if name not in tails):
        until = range(after.start, one.needed)
        named_at = [*(at for at in until if one.appears_in(shown[at])), one.needed]
        needed = next(at for at in named_at if isinstance(events[at], Reply))
        # Where the model itself names it first, it was known.
        before_that = [at for at in named_at if at < needed]
        yield replace(one, needed=needed, shown=before_that[-1] if before_that else NEVER)


def _ids_used(event: Event) -> Iterator[str]:
    """Yield the ids in the tool calls of a reply."""
    calls = (
        [(call.name, call.arguments) for call in event.calls] if isinstance(event, Reply) else []
    )
    for fact in facts_of_reply("", calls):
        if fact.kind == "id":
            yield from fact.text.split()


def unnamed_files(session: Session, compaction: ClientCompaction) -> list[str]:
    """Return the files, last used first, that were read or changed since the compaction before and
    that neither the summary nor the kept texts name. Return [] if no summary is recorded."""
    first = max((one.at for one in session.compactions if one.at < compaction.at), default=0)
    calls = [one for one in calls_of(session) if first <= one.at < compaction.at and one.done]
    found = dict.fromkeys(path for one in reversed(calls) for path in one.paths)
    held = HeldTexts((compaction.summary, *compaction.kept))
    return [path for path in found if compaction.summary and not is_file_named(held, path)]
