"""Skills a client brings by itself: found among what came in, kept, swapped, named when they leave.

Theory of operation
-------------------
A body is told by what the client's protocol declares, never by its length: it is a text of the
user's role that the client marks as a skill's (`UserTurn.voice`), or the result, of several lines,
of a call of the client's own tool (`SKILL_CALLS`). It is noted before anything is cut, and keeps
its place: as long as its entry shows it whole, it stands nowhere else. When a cut has taken it out
of there, it stands behind the head, under the standing it came with. Together such bodies take no
more than the share of the skill partition; the one unused longest leaves for another. A list names
those that are not in the window, each with the page that holds it byte for byte.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loom.engine.archive.reading import standing
from loom.providers.formats.wire import parse_object
from loom.providers.render.naming import keyed
from loom.providers.render.standin import StandIn
from loom.providers.render.wording import ARROW
from loom.reduce.notes import SKILL_CALLS, skill_named
from loom.text import one_line
from loom_partitions.message import Call, Detail, Digest, Entry, Step, Text, UserTurn
from loom_partitions.records import (
    Record,
    SkillActivated,
    SkillBrought,
    SkillDropped,
    SkillUsed,
)
from loom_partitions.skill import CATALOGUE, LEFT, ClientSkill
from loom_partitions.window import Window, apply, fold

if TYPE_CHECKING:
    from loom.engine.engine import Engine
    from loom.engine.relief import Relieved

PARTITION = "skill"
NAME = 80  # characters of a skill's name
NAMED = 16  # of those that are not in the window, so many are named
HEADING = "Their texts rest whole on the pages named:"


class ClientSkills:
    """Decides about the skills a client brought, as records; nothing is committed here."""

    def __init__(self, engine: Engine) -> None:
        self._workspace = engine.workspace
        self._read = engine.read
        self._ingest = engine.ingest
        self._policy = engine.policy
        self._notices = engine.notices
        self._room = engine.room
        self._looked = 0  # the last entry that was looked at
        self._stood: tuple[object, frozenset[str]] = ((), frozenset())

    def found(self, window: Window) -> tuple[Record, ...]:
        """What the entries say of skills that came in since this was asked last, and which have
        to leave now."""
        new: list[Entry] = []
        for entry in window.history.stream.entries_back:
            new.append(entry)
            if entry.id <= self._looked and not isinstance(entry, Digest):
                break  # it is looked at for what it says alone
        made: list[Record] = []
        before = ""
        for entry in reversed(new):
            for record in self._of(entry, before, window) if entry.id > self._looked else ():
                made.append(record)
                window = apply(window, record)
            before = (entry.text.body or "") if isinstance(entry, UserTurn) else ""
        waiting = window.history.waiting
        self._looked = waiting - 1 if waiting else window.history.next_id - 1
        return (*made, *self._over(window))

    def _of(self, entry: Entry, before: str, window: Window) -> Iterator[Record]:
        """The records of the skills an entry brings, or calls again."""
        for key, text, call in self._bodies(entry, before):
            key, known = one_line(key, NAME), window.skill.skill(one_line(key, NAME))
            if not key or (known is not None and known.asked >= entry.id):
                continue
            whole = standing(self._workspace, text)
            if call and "\n" not in whole.strip():  # it says that the skill was called, no more
                made = known and replace(known, asked=entry.id, left=False)
            else:
                said = self._ingest.brought(key, whole, said=not call)
                page = text.page or self._workspace.rest(PARTITION, ".md", whole.encode())
                left = said.tokens > self._most(window)  # then it sends no other away
                made = ClientSkill(key, page, said.tokens, entry.id, entry.id, call, left)
            if made:
                yield SkillBrought(made)
                yield SkillUsed(key)

    def _bodies(self, entry: Entry, before: str) -> Iterator[tuple[str, Text, str]]:
        """(the key, what came in, the call it is the result of) of each skill of an entry."""
        if isinstance(entry, Digest) or entry.detail >= Detail.REDUCED:
            return
        if isinstance(entry, UserTurn):
            if entry.voice == "skill":
                yield skill_named(before, standing(self._workspace, entry.text)), entry.text, ""
            return
        named = {one.id: _key(one) for one in entry.calls if one.name in SKILL_CALLS}
        for outcome in entry.outcomes if named else ():
            if outcome.call_id in named and not (outcome.error or outcome.stand_in):
                yield named[outcome.call_id], outcome.text, outcome.call_id

    def followed(self, relieved: Relieved) -> Relieved:
        """The same with what has to follow the cuts of a turn (`due`)."""
        due = self.due(relieved.after)
        after = fold(due, relieved.after)
        return replace(relieved, records=(*relieved.records, *due), after=after)

    def due(self, window: Window) -> tuple[Record, ...]:
        """What has to follow the cuts of a turn: bodies stand behind the head where their entries
        show them no longer, the list names the skills that are not in the window."""
        if not window.skill.brought:
            return ()
        made, after = list[Record](), window
        standing = self._standing(window)
        recency = {key: place for place, key in enumerate(after.skill.used)}
        for one in sorted(after.skill.brought, key=lambda one: -recency.get(one.key, -1)):
            held = one.key in standing or after.skill.bodies.get(one.key) is not None
            if not (one.left or held) and (record := self._activated(one)) is not None:
                made += (fits := self._fitting(after, record))
                after = fold(fits, after)
        listed = self._listed(after, standing)
        return (*made, *self._fitting(after, *listed))

    def _most(self, window: Window) -> int:
        """Tokens these bodies may take together: what the agent's own skills leave of the share,
        and what may not leave a window of its room."""
        share, own = int(window.limits.capacity * self._policy.skill_share), window.skill.own
        held = (one for one in own.bodies.current if one.key not in (CATALOGUE, LEFT))
        left = share - sum(one.text.tokens for one in held)
        return min(left, self._room.free(replace(window, skill=own)))

    def _over(self, window: Window) -> Iterator[Record]:
        """The records by which skills leave, those unused longest, until the others have room."""
        kept = [one for one in window.skill.brought if not one.left]
        if not kept:
            return
        recency = {key: place for place, key in enumerate(window.skill.used)}
        kept.sort(key=lambda one: recency.get(one.key, -1))
        over = sum(one.tokens for one in kept) - self._most(window)
        for one in kept:
            if over <= 0:
                break
            over -= one.tokens
            if window.skill.bodies.get(one.key) is None:
                yield SkillBrought(replace(one, left=True))
            else:
                yield SkillDropped(one.key, self._ingest.gone(PARTITION, one.key))

    def _standing(self, window: Window) -> frozenset[str]:
        """The keys of the skills whose entries show them whole. Only a cut changes an entry."""
        state = (window.sent.cuts, window.skill.brought)
        if state != self._stood[0]:
            oldest, found = min(one.entry for one in window.skill.brought), set[str]()
            for entry in window.history.stream.entries_back:
                if isinstance(entry, Digest):
                    continue  # of later entries, too
                if entry.id < oldest:
                    break
                mine = (one for one in window.skill.brought if one.entry == entry.id)
                found |= {one.key for one in mine if _shows(entry, one.call)}
            self._stood = state, frozenset(found)
        return self._stood[1]

    def _activated(self, skill: ClientSkill) -> Record | None:
        """The record that puts a body behind the head; None where its page cannot be read."""
        whole, said = self._read(skill.page), not skill.call
        if isinstance(whole, StandIn):
            return None
        notice = self._ingest.brought(skill.key, whole, said=said)
        text = Text(notice.tokens, len(whole.encode()), None, skill.page)
        return SkillActivated(skill.key, text, notice, quoted=not said, said=said)

    def _listed(self, window: Window, standing: Collection[str]) -> tuple[Record, ...]:
        """The record of the list of those that are not in the window, where it changed."""
        bodies = window.skill.bodies
        out = [
            f"- {keyed(one.key)}{ARROW}{one.page}"
            for one in window.skill.brought
            if one.key not in standing and bodies.get(one.key) is None
        ]
        known, text = bodies.get(LEFT), "\n".join((HEADING, *out[-NAMED:]))
        if not out:
            gone = self._ingest.gone(PARTITION, LEFT)
            return (SkillDropped(LEFT, gone),) if known is not None else ()
        if known is not None and known.body == text:
            return ()
        tokens, notice = self._ingest.weighed(PARTITION, LEFT, text)
        return (SkillActivated(LEFT, Text(tokens, len(text.encode()), text), notice),)

    def _fitting(self, window: Window, *records: Record) -> tuple[Record, ...]:
        """The records, where a request has room for what they bring."""
        after = fold(records, window)
        needed = after.tokens.total + self._notices.reserve(after)
        return records if needed <= window.limits.capacity else ()


def _key(call: Call) -> str:
    """What a skill is known by that a call names: the tool, and its first argument."""
    given = (parse_object(call.arguments) or {}).values()
    text = next((one for one in given if isinstance(one, str)), "")
    return f"{call.name}({text.rpartition(':')[2]})"  # what comes in a plugin is called p:name


def _shows(entry: UserTurn | Step, call: str) -> bool:
    """True for an entry that shows what came with it, or with one of its calls, whole."""
    if entry.detail >= Detail.REDUCED:
        return False
    if isinstance(entry, UserTurn):
        return entry.text.whole
    return any(one.text.whole for one in entry.outcomes if one.call_id == call)
