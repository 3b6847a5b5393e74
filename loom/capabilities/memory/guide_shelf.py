"""The memory partition as guides use it: their texts, what is said about them, and what it costs.

Guides of the project itself, from its root to the working folder, stand in the system message; what
was found while working is quoted behind it, and so is what Loom tells of it, as names and rules of
such files are in it.
"""

from __future__ import annotations

from collections.abc import Sequence

from loom.capabilities.memory.conflicts import GuideConflict, told
from loom.capabilities.memory.merging import Merged
from loom.engine import Engine
from loom.engine.archive.reading import standing
from loom.engine.head import drop, put
from loom.errors import OverCapacity
from loom.providers.render.wording import CONFLICTS as CONFLICTS
from loom.providers.render.wording import FOUND_CONFLICTS as FOUND_CONFLICTS
from loom.providers.render.wording import UNSHOWN, News
from loom_partitions.message import Text

PARTITION = "memory"
# Keys of what is said about guides; the last two are what older journals call the first two.
TOLD_BEFORE = frozenset(("where guides differ", "where guides found later differ"))
TOLD = frozenset((CONFLICTS, FOUND_CONFLICTS, UNSHOWN)) | TOLD_BEFORE


class GuideShelf:
    """The texts of guides in an engine's memory partition; `shown` are their keys."""

    def __init__(self, engine: Engine) -> None:
        self.shown: set[str] = set()
        self.pages: dict[str, str] = {}  # where the whole text of an excerpt rests
        self._engine = engine

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

    def quotes(self, key: str) -> bool:
        """True when a text stands under a key that is quoted."""
        return self._engine.window.memory.quotes(key)

    @property
    def outdated(self) -> bool:
        """True when something is told under a key of older journals."""
        return not self.shown.isdisjoint(TOLD_BEFORE)

    @property
    def keys(self) -> list[str]:
        """The keys of the guides that stand, in their order."""
        mine = self.shown - TOLD
        return [one.key for one in self._engine.window.memory.current if one.key in mine]

    def tokens(self, but: frozenset[str] = frozenset()) -> int:
        """Tokens of what stands of guides, and about them, less those under some keys."""
        current = self._engine.window.memory.current
        return sum(one.text.tokens for one in current if one.key in self.shown - but)

    def taken(self, key: str) -> int:
        """Tokens of the text under a key; 0 for none."""
        held = self._engine.window.memory.get(key)
        return held.tokens if held else 0

    def cost(self, key: str, text: str, *, quoted: bool = False) -> int:
        """Tokens of a text of the partition; none for a note that says nothing."""
        silent = key in TOLD and not text
        return 0 if silent else self._engine.ingest.in_front(PARTITION, key, text, quoted=quoted)

    def put(self, key: str, text: str, said: News, *, quoted: bool = False) -> bool:
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


def notes(found: Sequence[GuideConflict], merged: Merged) -> dict[str, str]:
    """What the model is told of conflicts, by key: of the project's own guides, then of others."""
    late = {part.guide.path for part in merged.every if part.guide.name in merged.late}
    later = [one for one in found if not late.isdisjoint((one.stands.path, one.overrides.path))]
    own = [one for one in found if one not in later]
    return {CONFLICTS: told(own), FOUND_CONFLICTS: told(later)}
