"""How a half of the vocabulary is written down: as tables that `FactPlanter` reads.

Templates name what is filled in: `{subject}` (a system, such as `Alder importer`), `{value}`,
`{label}` (what the value is of the subject), `{slug}` (the subject as one word of a file name),
`{old}` (a value that no longer holds) and `{other}` (another subject).
"""

from __future__ import annotations

from msgspec import Struct


class PlantedKind(Struct, frozen=True):
    """One thing that is known of a subject: how it is called, said, asked for and needed.

    Questions can be answered from `{label}` or `key` and value alone, which is all JSON shows.

    `value` is a pattern: `#` is any digit (but not where it is the first
    character), `@` any letter, `{table}` a word of that table.
    """

    label: str
    key: str
    value: str
    sayings: tuple[str, ...]
    questions: tuple[str, ...]
    tasks: tuple[str, ...]


class PlantedTool(Struct, frozen=True):
    """A tool by name, the key of its one argument, and patterns of what that argument says."""

    name: str
    key: str
    given: tuple[str, ...]


class PlantedHalf(Struct, frozen=True):
    """Everything a half plants. `tables` are the words of values, `phrases` sentences by use."""

    codenames: tuple[str, ...]
    systems: tuple[str, ...]
    kinds: tuple[PlantedKind, ...]
    tables: dict[str, tuple[str, ...]]
    tools: dict[str, PlantedTool]
    phrases: dict[str, tuple[str, ...]]


class ToldFact(Struct, frozen=True):
    """One fact of a session: what of which subject has which value, and how it is asked for."""

    subject: str
    kind: PlantedKind
    value: str
    question: str

    @property
    def slug(self) -> str:
        """The subject as one word."""
        return self.subject.lower().replace(" ", "_")

    def fill(self, template: str, **more: str) -> str:
        """A template with this fact in it."""
        given = {"subject": self.subject, "slug": self.slug, "label": self.kind.label}
        return template.format(**{**given, "value": self.value, "key": self.kind.key, **more})
