"""The memory partition as guides use it: their texts, what is said about them, and what it costs.

Guides of the project itself, from its root to the working folder, stand in the system message; what
was found while working is quoted behind it, and so is what Loom tells of it, as names of such files
are in it.
"""

from __future__ import annotations

from typing import Final

from loom.capabilities.memory.unshown import UNSHOWN
from loom.engine import Engine
from loom.engine.archive.reading import standing
from loom.engine.head import drop, put
from loom.errors import OverCapacity
from loom.providers.render.wording import News
from loom_partitions.message import Text

PARTITION: Final = "memory"


class GuideShelf:
    """The texts of guides in an engine's memory partition; `shown` are their keys."""

    def __init__(self, engine: Engine) -> None:
        self.shown: set[str] = set()
        self.pages: dict[str, str] = {}  # where the whole text of an excerpt rests
        self._engine = engine

    @property
    def share(self) -> int:
        """Tokens of the capacity that guides may take at most."""
        return int(self._engine.window.limits.capacity * self._engine.policy.tuning.memory_share)

    @property
    def room(self) -> int:
        """Tokens the guides may take now: their share, less what the window lacks."""
        free = self._engine.room.free(self._engine.window)
        return max(min(self.share, free + self.tokens()), 0)

    def standing(self, key: str) -> str:
        """A text of the partition; "" for none."""
        held = self._engine.window.memory.get(key)
        return "" if held is None else standing(self._engine.workspace, held)

    def page(self, page: str) -> str:
        """The text of a page."""
        return standing(self._engine.workspace, Text(0, 0, None, page))

    def same(self, text: str, held: str) -> bool:
        """True when a text, less its secrets, is what is held."""
        same = self._engine.redactor(text) == held
        self._engine.redactor.take()
        return same

    @property
    def keys(self) -> list[str]:
        """The keys of the guides that stand, in their order."""
        mine = self.shown - {UNSHOWN}
        return [one.key for one in self._engine.window.memory.current if one.key in mine]

    def tokens(self, but: str = "") -> int:
        """Tokens of what stands of guides, and about them, less that under a key."""
        current = self._engine.window.memory.current
        return sum(one.text.tokens for one in current if one.key in self.shown - {but})

    def cost(self, key: str, text: str, *, quoted: bool) -> int:
        """Tokens of a text of the partition."""
        return self._engine.ingest.in_front(PARTITION, key, text, quoted=quoted)

    def put(self, key: str, text: str, said: News, *, quoted: bool) -> bool:
        """Put a text on the shelf; False where other partitions have left no room for it.

        The next renewal tries again.
        """
        try:
            put(self._engine, PARTITION, key, text, said, quoted=quoted)
        except OverCapacity:
            return False
        self.shown.add(key)
        return True

    def drop(self, key: str, said: News) -> None:
        """Take a text from the shelf."""
        drop(self._engine, PARTITION, key, said)
        self.shown.discard(key)

    def rested(self, text: str) -> str:
        """The page a whole guide rests on."""
        page = self.pages.get(text)
        if page is None or page in self._engine.workspace.pager.retired:
            data = self._engine.redactor(text).encode("utf-8", "replace")
            self.pages[text] = self._engine.workspace.rest(PARTITION, ".md", data)
        return self.pages[text]
