"""A page keeps within its size, and says what it leaves out."""

from __future__ import annotations

from pathlib import Path

from loom.report.fitting import fitted
from loom.report.page import page
from loom.report.texts import MOST, ReportTexts
from tests.loom.report.conftest import data_of


def test_the_oldest_texts_leave_first(session: Path) -> None:
    """The page is within the size, of older requests less is there than of newer ones, and what is
    left out is told to the character. In no room at all every request, cut and lane is told."""
    data = data_of(session)
    smallest, bare = fitted(data, 1)
    assert (bare.agents, bare.messages) == (data.agents, data.messages)
    limit = (len(page(data)) + len(smallest)) // 2
    made, less = fitted(data, limit)
    assert len(made) <= limit and made == page(less)
    gone = [number for number, text in enumerate(less.texts) if text is None]
    left = less.omitted
    assert 0 < left.texts == len(gone) < left.of == len(data.texts)
    assert left.characters == sum(less.lengths[number] for number in gone)
    assert [less.lengths[number] for number in gone] == [len(data.texts[n] or "") for n in gone]
    assert 0 < left.through < data.agents[0].turns[-1].turn
    newest = [data.messages[id] for id in data.agents[0].turns[-1].new]
    assert all(less.texts[block.text] is not None for one in newest for block in one.blocks)


def test_a_text_that_is_too_long_for_any_page() -> None:
    """Only its beginning is kept, and how long it is is told."""
    texts = ReportTexts()
    number = texts.add("x" * (MOST + 7))
    assert texts.lengths == {number: MOST + 7} and len(texts.texts[number]) == MOST
    assert texts.add("x" * MOST) != number == texts.add("x" * (MOST + 7))
