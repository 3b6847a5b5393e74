"""What the same session would take as a plain list: every message in full, all of it each time."""

from __future__ import annotations

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
        match record:
            case r.Heard() | r.Belated():
                self._add(record.turn.id, record.turn.tokens + self.more(record.turn.text))
            case r.Replied():
                self._add(record.step.id, record.step.tokens)
            case r.Returned():
                self._add(record.step, record.tokens + self.more(record.outcome.text))
            case r.Undone():
                stand = {entry.id for entry in record.window.history.stream.entries}
                for entry in {*range(record.first, record.last + 1)} - stand:
                    self._sum -= self._entries.pop(entry, 0)

    def tokens(self, window: Window) -> int:
        """The list as it stands, behind the head of a window."""
        own = sum(held.text.tokens for held in window.skill.tools.shown if held.key in OWN)
        return window.head_tokens - window.limits.head - own + self._sum

    def more(self, text: Text) -> int:
        """Tokens of a text that are not shown."""
        if text.whole or text.media is not None:
            return 0
        try:
            whole = self._workspace.read(text.page)
        except UNREADABLE:
            return 0
        return max(self._count(whole) - text.tokens, 0)

    def _add(self, entry: int, tokens: int) -> None:
        self._entries[entry] = self._entries.get(entry, 0) + tokens
        self._sum += tokens
