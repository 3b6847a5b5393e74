"""C_skill: the list of skills, the bodies of those in use, and the declared tools.

Never compressed. Bodies leave by least recent use, at the latest when a renewal needs their room.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.message import Notice, Text
from loom_partitions.shelf import Shelf

CATALOGUE = "catalogue"  # the key of the list of skills


class SkillShelf(Struct, frozen=True):
    """`bodies` are the texts of skills and their list, `tools` the declarations in JSON Schema,
    `used` the skills that were asked for by name, the one asked for last at the end."""

    bodies: Shelf = Shelf()
    tools: Shelf = Shelf()
    used: tuple[str, ...] = ()

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

        What nobody asked for by name goes first, in the order it came; the list goes last.
        """
        order = {key: place for place, key in enumerate(self.used, 1)}
        order[CATALOGUE] = len(self.used) + 1
        keys = (held.key for held in self.bodies.current)
        return tuple(sorted(keys, key=lambda key: order.get(key, 0)))

    def drop(self, key: str) -> SkillShelf:
        """Store no body under `key`."""
        return replace(self, bodies=self.bodies.drop(key))

    def settle(self) -> SkillShelf:
        """Show what is stored. Only a cut, or the time before the first request, may do this."""
        return SkillShelf(self.bodies.settle(), self.tools.settle(), self.used)


class Declared(Struct, frozen=True, tag="Declared"):
    """A tool was declared: `text.body` is its JSON schema document."""

    name: str
    text: Text
    notice: Notice


class SkillActivated(Struct, frozen=True, tag="SkillActivated"):
    """A skill's catalogue line or body came in."""

    key: str
    text: Text
    notice: Notice


class SkillDropped(Struct, frozen=True, tag="SkillDropped"):
    """A skill's text went out."""

    key: str
    notice: Notice


class SkillUsed(Struct, frozen=True, tag="SkillUsed"):
    """A skill that stands in the window was asked for again."""

    key: str


def _declared(skill: SkillShelf, record: Declared) -> SkillShelf:
    return replace(skill, tools=skill.tools.put(record.name, record.text))


def _activated(skill: SkillShelf, record: SkillActivated) -> SkillShelf:
    return _used(replace(skill, bodies=skill.bodies.put(record.key, record.text)), record)


def _dropped(skill: SkillShelf, record: SkillDropped) -> SkillShelf:
    return skill.drop(record.key)


def _used(skill: SkillShelf, record: SkillActivated | SkillUsed) -> SkillShelf:
    before = (key for key in skill.used if key != record.key)
    return replace(skill, used=(*before, record.key))


CASES: dict[type, Callable[[SkillShelf, Any], SkillShelf]] = {
    Declared: _declared,
    SkillActivated: _activated,
    SkillDropped: _dropped,
    SkillUsed: _used,
}
