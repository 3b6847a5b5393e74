"""C_skill: the list of skills, the bodies of those in use, and the declared tools.

Never compressed. Bodies leave by least recent use, at the latest when a renewal needs room.

A client may bring bodies by a call of its own tool. Such a body is on the shelf at once, and shown
in the entry it came with while that entry stands whole; the cut that changes the entry shows the
body behind the head, with its standing. The text `LEFT` names a body that has to leave, and its
page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.message import Detail, Item, Step, Text, UserTurn
from loom_partitions.shelf import Shelf, ShelfText, Shelved

CATALOGUE = "catalogue"  # the key of the list of skills
LEFT = "skills that left the window"  # the key of the list of a client's skills that are not in it

BROUGHT = 64  # skills of a client that are known, those that came last


class ClientSkill(Struct, frozen=True, omit_defaults=True):
    """A skill whose body a client put into the window. The page of `text` holds the body byte for
    byte.

    `entry` is the id of the entry in which the body came: as a message in the user's role, or as
    the result of the `call`. `asked` is the id of the last entry that asked for the skill. `left`
    is True when the body was removed to make room."""

    key: str
    text: Text
    entry: int
    asked: int
    call: str = ""
    left: bool = False

    @property
    def held(self) -> ShelfText:
        """The body as a text that can be stored in the skill partition."""
        return ShelfText(self.key, self.text, bool(self.call), not self.call, self.entry, self.call)


class SkillShelf(Struct, frozen=True):
    """The skill partition. `bodies` are the texts of skills and the list of skills; `tools` are the
    tool declarations in JSON Schema. `used` are the keys of skills asked for by name, the latest
    last. `brought` are the skills whose bodies a client brought. Methods return a changed copy."""

    bodies: Shelf = Shelf()
    tools: Shelf = Shelf()
    used: tuple[str, ...] = ()
    brought: tuple[ClientSkill, ...] = ()

    @property
    def tokens(self) -> int:
        """The number of tokens of all texts that are shown."""
        return self.bodies.tokens + self.tools.tokens

    @property
    def settled(self) -> bool:
        """True when the shown texts equal the stored texts, except bodies that an entry shows."""
        shown = self.bodies.shown
        stored = tuple(one for one in self.bodies.current if not one.entry or one in shown)
        return shown == stored and self.tools.settled

    @property
    def idle(self) -> tuple[str, ...]:
        """The keys of the bodies, in the order in which they are removed to make room."""
        order = {key: place for place, key in enumerate(self.used, 1)}
        order |= dict.fromkeys((CATALOGUE, LEFT), len(self.used) + 1)
        keys = (held.key for held in self.bodies.current)
        return tuple(sorted(keys, key=lambda key: order.get(key, 0)))

    def skill(self, key: str) -> ClientSkill | None:
        """Return the client's skill with this key. None means that there is none."""
        return next((one for one in self.brought if one.key == key), None)

    def take(self, record: Shelved) -> SkillShelf:
        """Return the partition with the record's text stored as a tool or body, or removed when the
        record has no text. A stored body counts as just used, unless a client brought it."""
        if record.partition == "tools":
            return replace(self, tools=self.tools.take(record))
        if record.text is None:
            return self.drop(record.key)
        after = replace(self, bodies=self.bodies.take(record))
        # Storing a client's body puts back a removed body: the skill was not called.
        theirs = record.quoted or record.said or record.key == LEFT
        return after if theirs else after.use(record.key)

    def use(self, key: str) -> SkillShelf:
        """Return the partition with the skill `key` as the most recently used."""
        return replace(self, used=(*(one for one in self.used if one != key), key))

    def drop(self, key: str) -> SkillShelf:
        """Return the partition without the body of the skill `key`."""
        brought = tuple(replace(o, left=True) if o.key == key else o for o in self.brought)
        return replace(self, bodies=self.bodies.drop(key), brought=brought)

    @property
    def own(self) -> SkillShelf:
        """The partition without the bodies that a client brought."""
        bodies = self.bodies
        for one in self.brought:
            bodies = bodies.drop(one.key)
        return replace(self, bodies=bodies, brought=())

    def settle(self, items: Iterable[Item] = ()) -> SkillShelf:
        """Return the partition with all stored texts shown, except bodies that an item in `items`
        shows. Call it only at a cut or before the first request."""
        entries = {held.entry for held in self.bodies.current if held.entry}
        mine = [one for one in items if getattr(one, "id", 0) in entries] if entries else ()
        current = self.bodies.current
        shown = tuple(
            held for held in current if not any(shows_whole_body(one, held) for one in mine)
        )
        tokens = sum(held.text.tokens for held in shown)
        bodies = self.bodies.settle() if shown == current else Shelf(current, shown, tokens)
        return replace(self, bodies=bodies, tools=self.tools.settle())


def shows_whole_body(item: Item, held: ShelfText | ClientSkill) -> bool:
    """Return True when `item` is the entry in which the body of `held` came, and shows it whole."""
    if isinstance(item, UserTurn | Step) and item.id == held.entry and item.detail < Detail.REDUCED:
        if isinstance(item, UserTurn):
            return item.text.whole
        return any(one.text.whole for one in item.outcomes if one.call_id == held.call)
    return False


class SkillUsed(Struct, frozen=True, omit_defaults=True, tag="SkillUsed"):
    """The skill with this key was asked for again while its body is in the window.

    `brought` is the new state of a client's skill. With `brought.left` the body stays out of the
    partition while an entry shows it."""

    key: str
    brought: ClientSkill | None = None


def _fold_used(skill: SkillShelf, record: SkillUsed) -> SkillShelf:
    made = record.brought
    if made is None:
        return skill.use(record.key)
    others = (one for one in skill.brought if one.key != made.key)
    bodies = skill.bodies.drop(made.key) if made.left else skill.bodies.keep(made.held)
    after = replace(skill, bodies=bodies, brought=(*others, made)[-BROUGHT:])
    return after if made.left else after.use(made.key)


CASES: dict[type, Callable[[SkillShelf, Any], SkillShelf]] = {SkillUsed: _fold_used}
