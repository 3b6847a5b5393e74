"""A report brought down to a size: texts are left out, those of the oldest requests first.

Numbers, titles, cuts and lanes stay, whatever the size: they take little. What is left out is told
in the page, at the place and at its head.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loom.report.data import AgentRow, OmittedTexts, ReportData
from loom.report.page import page

SMALL = 160  # characters of a text that is never left out
TRIES = 12


def fitted(data: ReportData, limit: int) -> bytes:
    """The page in at most `limit` bytes, with as many texts as there is room for.

    Without any text it may still be larger: then it is as small as it gets.
    """
    made = page(data)
    if len(made) <= limit:
        return made
    order = _oldest_first(data)
    sizes = {number: len((data.texts[number] or "").encode()) for number, _ in order}
    total = sum(sizes.values()) or 1
    cost = len(made) / max(sum(len((text or "").encode()) for text in data.texts), 1)
    over = len(made) - limit
    for _ in range(TRIES):
        wanted, dropped, through = min(over / cost, total), {}, 0
        for number, turn in order:
            if wanted <= 0:
                break
            dropped[number] = turn
            wanted -= sizes[number]
            through = max(through, turn)
        made = page(_without(data, dropped, through, limit))
        if len(made) <= limit or len(dropped) == len(order):
            return made
        over += max(len(made) - limit, limit // 50)
    return page(_without(data, dict(order), max(turn for _, turn in order), limit))


def _without(data: ReportData, dropped: dict[int, int], through: int, limit: int) -> ReportData:
    texts = list(data.texts)
    lengths = dict(data.lengths)
    for number in dropped:
        lengths.setdefault(number, len(texts[number] or ""))
        texts[number] = None
    omitted = OmittedTexts(
        len(dropped),
        len(texts),
        len(data.lengths.keys() - dropped.keys()),
        sum(lengths[number] - len(texts[number] or "") for number in lengths),
        through,
        limit,
    )
    return replace(data, texts=tuple(texts), lengths=lengths, omitted=omitted)


def _oldest_first(data: ReportData) -> list[tuple[int, int]]:
    """(text, the last request it stands in) of all that may be left out, the oldest first."""
    last: dict[int, int] = {}
    for agent in data.agents:
        for number, turn in _stood(data, agent):
            last[number] = max(last.get(number, 0), turn)
    long = (pair for pair in last.items() if len(data.texts[pair[0]] or "") > SMALL)
    return sorted(long, key=lambda pair: (pair[1], pair[0]))


def _stood(data: ReportData, agent: AgentRow) -> Iterator[tuple[int, int]]:
    """(text, a request it stands in), the last such of each message among them."""
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
