"""A result that came in as a preview stands whole, where it has room before it is first sent."""

from __future__ import annotations

from collections.abc import Iterator

from loom.compress.worth.catalog import Catalog
from loom.compress.worth.previews import is_preview
from loom.compress.worth.units import Read
from loom.providers.counts import Counter
from loom.providers.render.standin import StandIn
from loom.text import printable
from loom_partitions.message import Step, Text
from loom_partitions.records import Expanded


def expanded(
    step: Step, catalog: Catalog, read: Read, count: Counter, room: int
) -> Iterator[Expanded]:
    """Records that put results of a step that was not sent yet in place of their previews, as far
    as `room` tokens hold what they take more, the newest first."""
    for at in range(len(step.outcomes) - 1, -1, -1):
        text = step.outcomes[at].text
        if not is_preview(text):
            continue
        least = sum(u.tokens for u in catalog.of(step) if (u.where, u.at) == ("result", at))
        if not least or least - text.tokens > room:  # need not be counted
            continue
        found = read(text.page)
        if isinstance(found, StandIn):
            continue
        whole = Text(count(printable(found)), text.size, None, text.page)
        if whole.tokens - text.tokens <= room:
            room -= max(whole.tokens - text.tokens, 0)
            yield Expanded(step.id, at, whole)
