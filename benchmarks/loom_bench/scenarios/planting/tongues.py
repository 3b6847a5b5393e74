"""How facts of other languages are written down, and the texts that carry them."""

from __future__ import annotations

from msgspec import Struct

from loom_bench.scenarios.planting.kinds import PlantedKind


class PlantedTongue(Struct, frozen=True):
    """One language (or script): who or what is spoken of, what is said of it, lines around it.

    `values` are patterns as those of a PlantedKind. Lines of `around` have a number in them: `{n}`.
    """

    subjects: tuple[str, ...]
    values: tuple[str, ...]
    sayings: tuple[str, ...]
    questions: tuple[str, ...]
    tasks: tuple[str, ...]
    around: tuple[str, ...]
    rules: tuple[str, ...]

    def kind(self, value: str) -> PlantedKind:
        """What is told in this language, its value of one pattern."""
        return PlantedKind("", "", value, self.sayings, self.questions, self.tasks)
