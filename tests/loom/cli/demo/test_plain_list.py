import pytest

from loom.cli.demo.plain_list import PlainList
from loom.inputs import Reply, Speech, ToolCall
from loom.providers.counts import counter_for
from loom.providers.schema import ToolSchema

TOOL = ToolSchema("look", "Look.", {"type": "object", "properties": {}})


@pytest.fixture
def plain() -> PlainList:
    """A list of a hundred tokens, its tool within it."""
    return PlainList(counter_for(), 100, [TOOL])


def test_a_step_of_other_tools_costs_nothing(plain: PlainList) -> None:
    """An agent that keeps all it read has no need to bring it back."""
    before = plain.tokens
    plain.step(1, Reply((Speech("Back."), ToolCall("c1", "page_in", "{}"))), [])
    assert plain.tokens == before > 0 == plain.full_at


def test_it_tells_the_step_it_was_full_after(plain: PlainList) -> None:
    """The first one alone, however much is added."""
    plain.said("system", "Be careful.")
    sizes = [plain.tokens]
    for number in (1, 2, 3):
        call = ToolCall(f"c{number}", "look", "{}")
        plain.step(number, Reply((call,)), [(call.id, "word " * 40 * (number - 1))])
        sizes.append(plain.tokens)
    assert sizes == sorted(set(sizes)) and sizes[1] <= 100 < sizes[2]
    assert plain.full_at == 2
