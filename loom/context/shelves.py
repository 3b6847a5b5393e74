"""The shelves a host can fill: instructions, memory, skills, tool declarations.

A text counts as it stands in the head, under its heading. One that would leave no room for a
history is refused before anything is written. Between cuts a change stands at the tail as a notice
and joins its shelf at the next cut.
"""

from __future__ import annotations

from collections.abc import Mapping
from threading import RLock
from typing import Any

from loom.engine import Engine
from loom.engine.archive.reading import standing
from loom.engine.atomic import Atomic
from loom.engine.tools.own import OWN, check_names
from loom.providers.formats import declared
from loom.providers.schema import BadTool, ToolSchema, document, schemas_of
from loom.text import one_line, printable, tool_name
from loom_partitions import records as r
from loom_partitions.message import Text
from loom_partitions.shelf import Held
from loom_partitions.window import apply

KEY_CHARS = 200


class Shelves:
    """What a Context offers for the system, memory and skill partitions."""

    _engine: Engine
    _lock: RLock
    _atomic: Atomic

    def system(self, text: str, key: str = "instructions") -> None:
        """Give instructions, or an example under another key. A no-op when unchanged.

        Raises OverCapacity when they leave no room for a history; then nothing is stored.
        """
        self._hold("system", key, text, r.Instructed)

    def remember(self, key: str, text: str) -> None:
        """Put a text into the memory partition. A no-op when unchanged; raises OverCapacity."""
        self._hold("memory", key, text, r.Remembered)

    def activate(self, key: str, text: str) -> None:
        """Put a skill's text into the skill partition. A no-op when unchanged."""
        self._hold("skill", key, text, r.SkillActivated)

    def forget(self, key: str) -> None:
        """Take a text out of the memory partition. A no-op when it is not there."""
        self._release("memory", key, r.Forgotten)

    def drop(self, key: str) -> None:
        """Take a skill's text out of the skill partition. A no-op when it is not there."""
        self._release("skill", key, r.SkillDropped)

    def declare(self, *tools: ToolSchema | Mapping[str, Any]) -> None:
        """Declare host tools, in the plain shape or any provider's; a no-op when known."""
        with self._lock, self._atomic:
            for schema in [schema for tool in tools for schema in schemas_of(tool)]:
                written = self._engine.ingest.clean(document(schema))
                if schema.name in self.own:
                    check_names([schema])
                known = self._engine.window.skill.tools.get(printable(schema.name))
                if known is not None and known.body == written:
                    continue
                name = self._engine.ingest.clean(schema.name)
                self._check_name(name, schema)
                sent = [declared(format, written) for format in self._engine.formats]
                text, notice = self._engine.ingest.tool(name, written, sent)
                self._checked(r.Declared(name, text, notice))

    def _check_name(self, name: str, schema: ToolSchema) -> None:
        """Raise BadTool for a name that, as it is sent, is that of another tool."""
        for held in self._engine.window.skill.tools.current:
            if held.key != name and tool_name(held.key) == tool_name(name):
                why = f"{name} and {held.key} would both be sent as {tool_name(name)}"
                raise BadTool(schema, why)

    @property
    def own(self) -> set[str]:
        """Names of the tools Loom answers itself: those of its own that were declared."""
        return {held.key for held in self._engine.window.skill.tools.current if _is_own(held)}

    def _hold(self, partition: str, key: str, text: str, record: Any) -> None:
        with self._lock, self._atomic:
            engine = self._engine
            key = one_line(self._engine.redactor(key), KEY_CHARS)
            known = self._engine.window.shelf(partition).get(key)
            if known is not None and standing(engine.workspace, known) == engine.redactor(text):
                engine.redactor.take()
                return
            tokens, notice = engine.ingest.weighed(partition, key, text)
            # Asked before anything is written: what does not fit leaves no page behind.
            weight = Text(tokens, 0, "")
            engine.check_fits(apply(self._engine.window, record(key, weight, notice)))
            engine.commit(record(key, engine.ingest.held(partition, text, tokens), notice))

    def _release(self, partition: str, key: str, record: Any) -> None:
        with self._lock, self._atomic:
            key = one_line(self._engine.redactor(key), KEY_CHARS)
            if self._engine.window.shelf(partition).get(key) is not None:
                self._engine.commit(record(key, self._engine.ingest.gone(partition, key)))

    def _checked(self, record: r.Record) -> None:
        """Commit, unless the window it leads to could hold no history."""
        self._engine.check_fits(apply(self._engine.window, record))
        self._engine.commit(record)


def _is_own(held: Held) -> bool:
    """Whether a declared tool is Loom's, not a host's of the same name."""
    return held.key in OWN and held.text.body == document(OWN[held.key].schema)
