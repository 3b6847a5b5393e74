"""Names of lost pages in a window, marked as lost: none of them is told as a way back."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from msgspec.structs import replace

from loom.providers.counts import Sizes
from loom.providers.render.wording import LOST_NAME
from loom_partitions.edits import Edit, Lowered, Shortened, Where
from loom_partitions.message import Detail, Digest, Notice, Step, Text, UserTurn
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window


def marked(window: Window, pages: Collection[str], sizes: Sizes) -> tuple[Edit, ...]:
    """The edits that say of these pages that they are lost, wherever Loom's lines name them."""
    return tuple(_edits(window, pages, sizes)) if pages else ()


def _edits(window: Window, pages: Collection[str], sizes: Sizes) -> Iterator[Edit]:
    stems = (name.rpartition("/")[2].partition(".")[0] for name in pages)
    names = "|".join(map(re.escape, sorted((*pages, *stems), key=len, reverse=True)))
    lines = r"(?: \(\d[^)]*\))?"  # behind a page of a part of a file
    lost = re.compile(rf"(?<![\w/-])(?:{names})(?![\w-]|\.\w|{lines} \[lost){lines}")

    def told(text: str) -> str:
        return lost.sub(lambda found: LOST_NAME.format(name=found[0]), text)

    for item in window.history.stream:
        if isinstance(item, Notice):
            continue
        if is_lowered(item):
            line = item.text if isinstance(item, Digest) else item.line
            if (new := told(line)) != line:
                detail = Detail.REDUCED if isinstance(item, Digest) else item.detail
                yield Lowered(item.id, detail, new, sizes.count(new + "\n"))
        elif isinstance(item, UserTurn | Step):
            for where, at, text in _shortened(item):
                if text.body and text.page in pages and (new := told(text.body)) != text.body:
                    text = replace(text, body=new, tokens=sizes.count(new))
                    yield Shortened(item.id, where, at, text)


def _shortened(item: UserTurn | Step) -> Iterator[tuple[Where, int, Text]]:
    """Yield the texts of an entry that show a part of a page, and where each stands."""
    if isinstance(item, UserTurn):
        yield "user", 0, item.text
        return
    for at, outcome in enumerate(item.outcomes):
        yield "result", at, outcome.text
