"""Skills a client brings by itself: found among its messages, kept, and removed when unused.

Theory of operation. A skill's body is known by what the client's protocol declares, never by its
length: it is a user's message that the client marks as a skill's (`UserTurn.voice`), or the result,
of several lines, of a call of the client's own tool (`SKILL_CALLS`). The body is recorded in the
skill partition before anything is cut; a request shows it there as soon as a cut changes the entry
it came with (`loom_partitions.skill`). Together such bodies take no more than the share of the
skill partition. When a new body has no room, the body unused longest leaves, and comes back when
its skill is called again. A list in the partition names the bodies that left, each with the page
that holds it byte for byte."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from loom.policy import Policy
from loom.providers.formats.wire import parse_json_object
from loom.providers.render.naming import key_or_quoted
from loom.providers.render.wording import ARROW
from loom.reduce.client_notes import SKILL_CALLS, skill_name
from loom.session.archive.page_reader import readable_text
from loom.session.archive.workspace import Workspace
from loom.session.ingest import Ingest
from loom.session.window_room import WindowRoom
from loom.text import one_line
from loom_partitions.message import Call, Detail, Digest, Entry, Text, UserTurn
from loom_partitions.records import Record, Resized, Shelved, SkillUsed
from loom_partitions.skill import CATALOGUE, LEFT, ClientSkill, shows_whole_body
from loom_partitions.window import Window, apply, fold

PARTITION: Final = "skill"
NAME = 80  # characters of a skill's name
NAMED = 16  # of those that are not in the window, so many are named
HEADING = "Their rules still hold; their full texts are on the pages named:"


class ClientSkills(Struct):
    """Finds and keeps the skills that a client brings by itself. `looked` is the id of the last
    entry searched for skills."""

    workspace: Workspace
    read: Callable[[str], str]
    ingest: Ingest
    policy: Policy
    room: WindowRoom
    looked: int = 0

    def taken(self, change: Resized | None = None) -> tuple[Record, ...]:
        """Return the records that add new skills and remove skills without room; () if nothing came
        in and no `change` is given. `change` is a coming change of the window's size."""
        window, told = self.workspace.window, ""
        if change is not None:
            window = apply(window, change)
        elif window.sent.turned:
            return ()
        before = window
        made: list[Record] = []
        for entry in self._unseen_entries(window):
            for record in (
                self._entry_records(entry, told, window) if entry.id > self.looked else ()
            ):
                made.append(record)
                window = apply(window, record)
            told = (entry.text.body or "") if isinstance(entry, UserTurn) else ""
        waiting = before.history.waiting
        self.looked = waiting - 1 if waiting else before.history.next_id - 1
        if not window.skill.brought:  # no client brought one yet
            return tuple(made)
        over = (*self._leaving_records(window),)
        return (*made, *over, *self._list_records(fold(over, window)))

    def _unseen_entries(self, window: Window) -> list[Entry]:
        """Return the entries not searched yet, in order, after the last searched entry."""
        # The entry searched last comes along, because its text may name a skill.
        new: list[Entry] = []
        for entry in window.history.stream.entries_back:
            new.append(entry)
            if entry.id <= self.looked and not isinstance(entry, Digest):
                break
        return new[::-1]

    def _entry_records(self, entry: Entry, told: str, window: Window) -> Iterator[Record]:
        """Yield the records of the skills that an entry brings or calls. `told` is the text of the
        user's message right before the entry, "" for none."""
        for named, text, call in self._skill_bodies(entry, told):
            key = one_line(named, NAME)
            known = window.skill.skill(key)
            if not key or (known is not None and known.asked >= entry.id):
                continue
            whole = readable_text(self.workspace, text)
            if not call or "\n" in whole.strip():
                yield from self._arrival_records(key, whole, text, entry, call, window)
            elif known is not None:  # it says that the skill was called, no more
                yield from self._use_records(replace(known, asked=entry.id, left=False), window)

    def _skill_bodies(self, entry: Entry, told: str) -> Iterator[tuple[str, Text, str]]:
        """Yield (skill's name, skill's text, call id) for each skill in an entry. The id is "" for
        a skill that is not a call's result."""
        if isinstance(entry, Digest) or entry.detail >= Detail.REDUCED:
            return
        if isinstance(entry, UserTurn):
            if entry.voice == "skill":
                yield skill_name(told, readable_text(self.workspace, entry.text)), entry.text, ""
            return
        named = {one.id: _called_skill_key(one) for one in entry.calls if one.name in SKILL_CALLS}
        for outcome in entry.outcomes if named else ():
            if outcome.call_id in named and not (outcome.error or outcome.stand_in):
                yield named[outcome.call_id], outcome.text, outcome.call_id

    def _arrival_records(
        self, key: str, whole: str, text: Text, entry: Entry, call: str, window: Window
    ) -> Iterator[Record]:
        """Yield the records of a new skill. `whole` is its text in full, `call` the id of the call
        that brought the skill ("" for none)."""
        data = whole.encode("utf-8", "surrogatepass")
        page = text.page or self.workspace.put_page(PARTITION, ".md", data)
        tokens = self.ingest.skill_notice(key, whole, said=not call).tokens
        held = Text(tokens, len(data), None, page)
        left = tokens > self._token_room(window)  # one that can never stand sends no other away
        made = ClientSkill(key, held, entry.id, entry.id, call, left)
        yield from self._use_records(made, window)

    def _use_records(self, made: ClientSkill, window: Window) -> Iterator[Record]:
        """Yield the record that a skill is used and, if the window does not show its text, the
        record that puts the text into the skill partition."""
        yield SkillUsed(made.key, made)
        there = window.skill.bodies.get(made.key) == made.text
        if not (
            made.left or there or any(shows_whole_body(e, made) for e in window.history.stream)
        ):
            said = not made.call
            whole = self.read(made.text.page)
            notice = self.ingest.skill_notice(made.key, whole, said=said)
            yield Shelved(PARTITION, made.key, notice, made.text, quoted=not said, said=said)

    def _token_room(self, window: Window) -> int:
        """Return how many tokens all skills from clients may take together."""
        share, own = int(window.limits.capacity * self.policy.tuning.skill_share), window.skill.own
        held = (one for one in own.bodies.current if one.key not in (CATALOGUE, LEFT))
        left = share - sum(one.text.tokens for one in held)
        return min(left, self.room.free(replace(window, skill=own)))

    def _leaving_records(self, window: Window) -> Iterator[Record]:
        """Yield records that remove the longest unused clients' skills until the remaining skills
        fit."""
        kept = [one for one in window.skill.brought if not one.left]
        if not kept:
            return
        recency = {key: place for place, key in enumerate(window.skill.used)}
        kept.sort(key=lambda one: recency.get(one.key, -1))
        over = sum(one.text.tokens for one in kept) - self._token_room(window)
        shown = {held.key for held in window.skill.bodies.shown}
        for one in kept:
            if over <= 0:
                break
            over -= one.text.tokens
            if one.key in shown:
                yield Shelved(PARTITION, one.key, self.ingest.gone(PARTITION, one.key))
            else:  # it stands in the history as long as that does
                yield SkillUsed(one.key, replace(one, left=True))

    def _list_records(self, window: Window) -> tuple[Record, ...]:
        """Return the record of a changed list of skills removed for lack of room; else ()."""
        out = [
            f"- {key_or_quoted(o.key)}{ARROW}{o.text.page}" for o in window.skill.brought if o.left
        ]
        known, text = window.skill.bodies.get(LEFT), "\n".join((HEADING, *out[-NAMED:]))
        if known is None if not out else known is not None and known.body == text:
            return ()
        if not out:
            return (Shelved(PARTITION, LEFT, self.ingest.gone(PARTITION, LEFT)),)
        tokens, notice = self.ingest.weighed(PARTITION, LEFT, text)
        return (Shelved(PARTITION, LEFT, notice, Text(tokens, len(text.encode()), text)),)


def _called_skill_key(call: Call) -> str:
    """Return the key of the skill that a call names, such as `Skill(pdf)`."""
    given = (parse_json_object(call.arguments) or {}).values()
    text = next((one for one in given if isinstance(one, str)), "")
    return f"{call.name}({text.rpartition(':')[2]})"  # what comes in a plugin is called p:name
