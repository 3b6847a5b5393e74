"""C_skill: the list of skills, the bodies of those in use, and the declared tools.

Never compressed. Bodies leave by least recent use, at the latest when a renewal needs their room.

A client may bring bodies of its own, by a call of its own tool. Such a body stands where it came in
as long as that entry shows it; then it stands on the shelf, quoted or as the user's message gave
it, and when it leaves, the text `LEFT` names it with the page that holds it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.message import Notice, Text
from loom_partitions.shelf import Shelf

CATALOGUE = "catalogue"  # the key of the list of skills
LEFT = "skills that left the window"  # the key of the list of a client's skills that are not in it

BROUGHT = 64  # skills of a client that are known, those that came last


class ClientSkill(Struct, frozen=True, omit_defaults=True):
    """A skill whose body a client brought: `page` holds the body byte for byte.

    It came in with `entry`, as a message of the user's role, or as the result of the `call`; the
    entry `asked` called it last. On the shelf it takes `tokens`. `left`: it had to leave, and stays
    away until it is called again.
    """

    key: str
    page: str
    tokens: int
    entry: int
    asked: int
    call: str = ""
    left: bool = False


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
        """True when what is shown is what is stored."""
        return self.bodies.settled and self.tools.settled

    @property
    def idle(self) -> tuple[str, ...]:
        """The keys of the bodies in the order they may leave.

        What nobody asked for by name goes first, in the order it came; the lists go last.
        """
        order = {key: place for place, key in enumerate(self.used, 1)}
        order |= dict.fromkeys((CATALOGUE, LEFT), len(self.used) + 1)
        keys = [held.key for held in self.bodies.current] + [one.key for one in self.waiting]
        return tuple(sorted(keys, key=lambda key: order.get(key, 0)))

    def skill(self, key: str) -> ClientSkill | None:
        """The skill a client brought under `key`."""
        return next((one for one in self.brought if one.key == key), None)

    def drop(self, key: str) -> SkillShelf:
        """Store no body under `key`."""
        brought = tuple(replace(o, left=True) if o.key == key else o for o in self.brought)
        return replace(self, bodies=self.bodies.drop(key), brought=brought)

    @property
    def waiting(self) -> tuple[ClientSkill, ...]:
        """The skills of a client whose bodies stand in the history, and join the shelf when they
        leave it there."""
        held = {one.key for one in self.bodies.current}
        return tuple(one for one in self.brought if not one.left and one.key not in held)

    @property
    def own(self) -> SkillShelf:
        """The shelf without the bodies a client brought."""
        bodies = self.bodies
        for one in self.brought:
            bodies = bodies.drop(one.key)
        return replace(self, bodies=bodies, brought=())

    def settle(self) -> SkillShelf:
        """Show what is stored. Only a cut, or the time before the first request, may do this."""
        return replace(self, bodies=self.bodies.settle(), tools=self.tools.settle())


class Declared(Struct, frozen=True, tag="Declared"):
    """A tool was declared: `text.body` is its JSON schema document."""

    name: str
    text: Text
    notice: Notice


class SkillActivated(Struct, frozen=True, omit_defaults=True, tag="SkillActivated"):
    """A skill's catalogue line or body came in; what a client brought is `quoted` or `said`, as it
    is with `Held`."""

    key: str
    text: Text
    notice: Notice
    quoted: bool = False
    said: bool = False


class SkillDropped(Struct, frozen=True, tag="SkillDropped"):
    """A skill's text went out."""

    key: str
    notice: Notice


class SkillUsed(Struct, frozen=True, tag="SkillUsed"):
    """A skill that stands in the window was asked for again."""

    key: str


class SkillBrought(Struct, frozen=True, tag="SkillBrought"):
    """A client brought a skill's body, anew or again; it stands in the window as an entry, leaves
    it, or may come back."""

    skill: ClientSkill


def _declared(skill: SkillShelf, record: Declared) -> SkillShelf:
    return replace(skill, tools=skill.tools.put(record.name, record.text))


def _activated(skill: SkillShelf, record: SkillActivated) -> SkillShelf:
    bodies = skill.bodies.put(record.key, record.text, record.quoted, record.said)
    after = replace(skill, bodies=bodies)
    # Whoever calls a client's skill is asked, not who puts its body back.
    return after if record.quoted or record.said or record.key == LEFT else _used(after, record)


def _dropped(skill: SkillShelf, record: SkillDropped) -> SkillShelf:
    return skill.drop(record.key)


def _used(skill: SkillShelf, record: SkillActivated | SkillUsed) -> SkillShelf:
    before = (key for key in skill.used if key != record.key)
    return replace(skill, used=(*before, record.key))


def _brought(skill: SkillShelf, record: SkillBrought) -> SkillShelf:
    made = record.skill
    known = skill.skill(made.key)
    others = (one for one in skill.brought if one.key != made.key)
    stands = known is not None and known.page == made.page
    bodies = skill.bodies if stands else skill.bodies.drop(made.key)
    return replace(skill, bodies=bodies, brought=(*others, made)[-BROUGHT:])


CASES: dict[type, Callable[[SkillShelf, Any], SkillShelf]] = {
    Declared: _declared,
    SkillActivated: _activated,
    SkillDropped: _dropped,
    SkillUsed: _used,
    SkillBrought: _brought,
}
