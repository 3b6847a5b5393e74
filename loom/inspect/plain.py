"""What the same session would take as a plain list: every message in full, all of it each time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loom.engine.archive.reading import UNREADABLE
from loom.engine.archive.workspace import Workspace
from loom.engine.tools.own import CORE
from loom.providers.counts import counter_for
from loom_partitions import records as r
from loom_partitions.message import Text
from loom_partitions.window import Window

OWN = frozenset(tool.schema.name for tool in CORE)


class PlainSizes:
    """Tokens of a plain list, entry by entry.

    What came in short is counted as it was given, where its page can be read. Notices, dashboards,
    digests and lines that were read ahead are Loom's, and so are its tools: none of them counts.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        window = workspace.window
        self._count = counter_for(window.config.model, window.config.encoding)
        self._entries: dict[int, int] = {}
        self._sum = 0

    def note(self, record: r.Record) -> None:
        """Take in a record."""
        change = CHANGES.get(type(record))
        if change is not None:
            change(self, record)

    def tokens(self, window: Window) -> int:
        """The list as it stands, behind the head of a window."""
        own = sum(held.text.tokens for held in window.skill.tools.shown if held.key in OWN)
        return window.head_tokens - window.limits.head - own + self._sum

    def add(self, entry: int, tokens: int) -> None:
        """Add tokens to an entry."""
        self._entries[entry] = self._entries.get(entry, 0) + tokens
        self._sum += tokens

    def more(self, text: Text) -> int:
        """Tokens of a text that are not shown."""
        if text.whole or text.media is not None:
            return 0
        try:
            whole = self._workspace.read(text.page)
        except UNREADABLE:
            return 0
        return max(self._count(whole) - text.tokens, 0)

    def undo(self, record: r.Undone) -> None:
        """Take out the entries that were undone, but those that stand behind it."""
        stand = {entry.id for entry in record.window.history.stream.entries}
        for entry in range(record.first, record.last + 1):
            if entry not in stand:
                self._sum -= self._entries.pop(entry, 0)


def _returned(plain: PlainSizes, record: r.Returned) -> None:
    plain.add(record.step, record.tokens + plain.more(record.outcome.text))


def _heard(plain: PlainSizes, record: r.Heard | r.Belated) -> None:
    plain.add(record.turn.id, record.turn.tokens + plain.more(record.turn.text))


CHANGES: dict[type, Callable[[PlainSizes, Any], None]] = {
    r.Heard: _heard,
    r.Belated: _heard,
    r.Replied: lambda plain, record: plain.add(record.step.id, record.step.tokens),
    r.Returned: _returned,
    r.Undone: PlainSizes.undo,
}
