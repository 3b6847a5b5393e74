"""C_skill: the list of skills, the bodies of those in use, and the declared tools.

Never compressed. Bodies leave by least recent use, at the latest when a renewal needs their room.

A client may bring bodies of its own, by a call of its own tool. Such a body is on the shelf at
once, and is shown where it came in, as long as that entry stands whole; the cut that changes the
entry shows it behind the head, under the standing it came with. Once it has to leave, the text
`LEFT` names it with the page that holds it.
"""

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
    """A skill whose body a client brought; its `text` names the page that holds it byte for byte.

    It came in with `entry`, as a message of the user's role, or as the result of the `call`; the
    entry `asked` called it last. `left`: it had to leave, and stays away until it is called again.
    """

    key: str
    text: Text
    entry: int
    asked: int
    call: str = ""
    left: bool = False

    @property
    def held(self) -> ShelfText:
        """The body on the shelf, as it is shown there."""
        return ShelfText(self.key, self.text, bool(self.call), not self.call, self.entry, self.call)


class SkillShelf(Struct, frozen=True):
    """`bodies` are the texts of skills and their list, `tools` the declarations in JSON Schema,
    `used` the skills that were asked for by name, the one asked for last at the end, `brought`
    those of a client, as they came."""

    bodies: Shelf = Shelf()
    tools: Shelf = Shelf()
    used: tuple[str, ...] = ()
    brought: tuple[ClientSkill, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of what is shown."""
        return self.bodies.tokens + self.tools.tokens

    @property
    def settled(self) -> bool:
        """True when what is shown is what is stored, but for bodies that stand in the history."""
        shown = self.bodies.shown
        stored = tuple(one for one in self.bodies.current if not one.entry or one in shown)
        return shown == stored and self.tools.settled

    @property
    def idle(self) -> tuple[str, ...]:
        """The keys of the bodies in the order they may leave.

        What nobody asked for by name goes first, in the order it came; the lists go last.
        """
        order = {key: place for place, key in enumerate(self.used, 1)}
        order |= dict.fromkeys((CATALOGUE, LEFT), len(self.used) + 1)
        keys = (held.key for held in self.bodies.current)
        return tuple(sorted(keys, key=lambda key: order.get(key, 0)))

    def skill(self, key: str) -> ClientSkill | None:
        """The skill a client brought under `key`."""
        return next((one for one in self.brought if one.key == key), None)

    def take(self, record: Shelved) -> SkillShelf:
        """Store a record's text among the tools or the bodies, or drop what stands under its key.

        What is put back of a client's is asked for by whoever calls it, and that alone is use.
        """
        if record.partition == "tools":
            return replace(self, tools=self.tools.take(record))
        if record.text is None:
            return self.drop(record.key)
        after = replace(self, bodies=self.bodies.take(record))
        theirs = record.quoted or record.said or record.key == LEFT
        return after if theirs else after.use(record.key)

    def use(self, key: str) -> SkillShelf:
        """Put a skill at the end of the order of use."""
        return replace(self, used=(*(one for one in self.used if one != key), key))

    def drop(self, key: str) -> SkillShelf:
        """Store no body under `key`."""
        brought = tuple(replace(o, left=True) if o.key == key else o for o in self.brought)
        return replace(self, bodies=self.bodies.drop(key), brought=brought)

    @property
    def own(self) -> SkillShelf:
        """The shelf without the bodies a client brought."""
        bodies = self.bodies
        for one in self.brought:
            bodies = bodies.drop(one.key)
        return replace(self, bodies=bodies, brought=())

    def settle(self, items: Iterable[Item] = ()) -> SkillShelf:
        """Show what is stored, but for bodies that one of the `items` shows. Only a cut, or the
        time before the first request, may do this."""
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
    """True for the entry a client's skill came with, while it shows it whole."""
    if isinstance(item, UserTurn | Step) and item.id == held.entry and item.detail < Detail.REDUCED:
        if isinstance(item, UserTurn):
            return item.text.whole
        return any(one.text.whole for one in item.outcomes if one.call_id == held.call)
    return False


class SkillUsed(Struct, frozen=True, omit_defaults=True, tag="SkillUsed"):
    """A skill that stands in the window was asked for again.

    One a client `brought` is known from now on as it says: its body came in, anew or again, or,
    `left`, it stays away while its entry stands.
    """

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
