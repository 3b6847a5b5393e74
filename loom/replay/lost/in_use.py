"""Things in use when a client compacted: rules of the user, checks that fail, files and ids.

A rule and a check stand until a later fact closes them; both are facts that Loom's own digest is
made of. A file and an id are in use when a call before the compaction touched them, or a text
showed them, and one of the next messages uses them again."""

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
    """A thing in use, of a `kind`: rule, check, file or id.

    `names` are texts, one a line: whoever says one of them knows the thing. `written` is its exact
    spelling, `told` a description for people, `at` the index of the event it came from. `needed` is
    the event whose reply used it again, `shown` the last event before that to show it; NEVER for
    none."""

    kind: str
    names: str
    written: str
    told: str
    at: int
    needed: int = NEVER
    shown: int = NEVER

    def is_held_in(self, texts: HeldTexts) -> bool:
        """Return True when the texts contain the thing, or for a file or id when the model must
        have known it from elsewhere, since nothing showed it before it was used again."""
        if self.kind in ("rule", "check"):
            return any(map(texts.says, self.names.split("\n")))
        return self.shown == NEVER or self.appears_in(texts)

    def appears_in(self, texts: HeldTexts) -> bool:
        """Return True when the texts contain the thing; for a commit or UUID its first characters
        are enough."""
        short = self.kind == "id" and any(map(str.isalpha, self.names))
        return texts.begins(self.names[:SHORT]) if short else self.stands_in(texts)

    def stands_in(self, texts: HeldTexts) -> bool:
        """Return True when the texts contain the thing in its exact spelling."""
        return (
            is_file_named(texts, self.names) if self.kind == "file" else texts.names(self.written)
        )


def rules_and_checks(facts: Sequence[Fact], events: Mapping[int, int]) -> Iterator[ThingInUse]:
    """Yield the rules that stand and the checks that still fail, from the facts of a session.
    `events` maps entry ids to event indexes.

    The user's short answers to a question, once acted on, are no rules."""
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
    """Yield the texts of rules that do not bind: in a message with a question, once a later message
    came; in a message with headings, behind the first sentence of a line; and rules that end in
    ":"."""
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
    """Yield the files and ids in the events `before` (a range of indexes) that calls in the events
    `after` use again."""
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
    """Yield the ids that the calls of a reply use."""
    calls = (
        [(call.name, call.arguments) for call in event.calls] if isinstance(event, Reply) else []
    )
    for fact in facts_of_reply("", calls):
        if fact.kind == "id":
            yield from fact.text.split()


def unnamed_files(session: Session, compaction: ClientCompaction) -> list[str]:
    """Return the files read or changed since the compaction before this one that neither its
    summary nor the texts kept beside it name, the last touched first; [] when no summary is
    recorded."""
    first = max((one.at for one in session.compactions if one.at < compaction.at), default=0)
    calls = [one for one in calls_of(session) if first <= one.at < compaction.at and one.done]
    found = dict.fromkeys(path for one in reversed(calls) for path in one.paths)
    held = HeldTexts((compaction.summary, *compaction.kept))
    return [path for path in found if compaction.summary and not is_file_named(held, path)]
