"""Makes a report fit a size limit. Texts are left out, those of the oldest requests first.

Numbers, titles, cuts and lanes are always kept, because they are small. The page says at its top,
and at each gap, how much was left out."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache

from msgspec.structs import replace

from loom.report.data import AgentRow, OmittedTexts, ReportData
from loom.report.html_page import report_html

SMALL = 160  # characters of a text that is never left out


def page_within_limit(data: ReportData, limit: int) -> tuple[bytes, ReportData]:
    """Return (the HTML page, the data it shows). As few texts as possible are left out to keep the
    page within `limit` bytes. A page that is too large even without texts is returned anyway."""
    made = report_html(data), data
    if len(made[0]) <= limit:
        return made
    # The page is compressed, so the number of texts to leave out is found by bisection.
    order = _droppable_texts(data)
    without = lru_cache(maxsize=None)(lambda n: _page_without_texts(data, order[:n], limit))
    fits = bisect_left(range(len(order)), True, key=lambda n: len(without(n)[0]) <= limit)
    return without(fits)


def _page_without_texts(
    data: ReportData, dropped: list[tuple[int, int]], limit: int
) -> tuple[bytes, ReportData]:
    """Return (the HTML page without the texts `dropped`, the data it shows). `dropped` has pairs
    (number of a text, last request that shows the text)."""
    texts, lengths = list(data.texts), dict(data.lengths)
    for number, _ in dropped:
        lengths.setdefault(number, len(texts[number] or ""))
        texts[number] = None
    omitted = OmittedTexts(
        len(dropped),
        len(texts),
        sum(texts[number] is not None for number in lengths),
        sum(lengths[number] - len(texts[number] or "") for number in lengths),
        max((turn for _, turn in dropped), default=0),
        limit,
    )
    less = replace(data, texts=tuple(texts), lengths=lengths, omitted=omitted)
    return report_html(less), less


def _droppable_texts(data: ReportData) -> list[tuple[int, int]]:
    """Return (number of a text, last request that shows the text) for each text that may be left
    out, the oldest first."""
    last: dict[int, int] = {}
    for agent in data.agents:
        for number, turn in _text_requests(data, agent):
            last[number] = max(last.get(number, 0), turn)
    long = (pair for pair in last.items() if len(data.texts[pair[0]] or "") > SMALL)
    return sorted(long, key=lambda pair: (pair[1], pair[0]))


def _text_requests(data: ReportData, agent: AgentRow) -> Iterator[tuple[int, int]]:
    """Yield pairs (number of a text, a request that shows the text), among them for each text the
    last request that shows the text."""
    until: dict[int, int] = {}
    standing: list[int] = []
    for turn in agent.turns:
        for message in standing[turn.shared :]:
            until[message] = turn.turn - 1
        standing[turn.shared :] = turn.new
    until |= dict.fromkeys(standing, agent.turns[-1].turn if agent.turns else 0)
    for message, last in until.items():
        yield from ((block.text, last) for block in data.messages[message].blocks)
    for lane in agent.lanes:
        stood = [span.last for span in lane.spans if span.state != "out"]
        yield lane.text, max(stood, default=0)
