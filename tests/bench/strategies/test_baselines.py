"""Windows without paging: lawful and within capacity whatever the history."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.inputs import Event, Reply, Result, Speech, System, ToolCall, User
from loom.providers.counts import counter_for
from loom.providers.render.message import Message, ResultBlock
from loom_bench.laws import broken
from loom_bench.plain_list import Meter, message_of
from loom_bench.recorded.named import Unpaged
from loom_bench.strategies import BASELINES
from loom_bench.strategies.baselines import CLEARED
from loom_bench.wires import wire_of
from tests.kit.cases import all_cases

METER = Meter(counter_for())
WORDS = "alpha beta gamma delta " * 400


def texts(most: int) -> st.SearchStrategy[str]:
    """Texts of up to `most` characters."""
    return st.integers(1, most).map(lambda size: WORDS[:size])


@st.composite
def histories(draw: st.DrawFn) -> list[Event]:
    """Events in lawful order, the last of them a user's turn or a finished step."""
    events: list[Event] = [System("be exact")] if draw(st.booleans()) else []
    events.append(User(draw(texts(2_000))))
    for number in range(draw(st.integers(1, 14))):
        if draw(st.integers(0, 3)) == 0:
            events.append(User(f"{number} {draw(texts(900))}"))
        calls = tuple(
            ToolCall(
                f"call_{number}_{at}", "Read", f'{{"path": "{at}", "x": "{draw(texts(600))}"}}'
            )
            for at in range(draw(st.integers(0, 3)))
        )
        said = (Speech(f"so {number}"),) if draw(st.booleans()) or not calls else ()
        events.append(Reply((*said, *calls)))
        events += [Result(call.id, f"{number} {draw(texts(6_000))}") for call in calls]
    return events


def requests(name: str, events: list[Event], capacity: int) -> list[list[Message]]:
    """The request of a baseline before each reply, and at the end."""
    strategy = Unpaged(BASELINES[name](capacity, METER), capacity, METER)
    made = []
    for event in events:
        if isinstance(event, Reply):
            made.append([*strategy.request()])
        strategy.feed(event)
    made.append([*strategy.request()])
    assert strategy.rescued == 0
    return made


@pytest.mark.parametrize("name", BASELINES)
@given(events=histories(), capacity=st.integers(900, 4_000))
def test_lawful(name: str, events: list[Event], capacity: int) -> None:
    """Every request of every baseline keeps its pairs whole and fits, with no help."""
    for request in requests(name, events, capacity):
        assert METER.messages(request) <= capacity
        assert not broken("openai", {"model": "any", "messages": [*map(wire_of, request)]})


@all_cases(
    ("name", "results"),
    [
        ("tail", ["7", "8", "9"]),
        ("tail_low", ["8", "9"]),
        ("head_tail", ["0", "8", "9"]),
        ("clear_tools", [*[CLEARED] * 7, "7", "8", "9"]),
        ("summary_stub", ["8", "9"]),
        ("plain_ladder", ["[cached", "8", "9"]),
    ],
)
def test_what_stays(name: str, results: list[str]) -> None:
    """Each baseline keeps what it says it keeps of ten equal steps at three and a half of them."""
    events: list[Event] = [User("the goal is gamma")]
    for number in range(10):
        events.append(Reply((ToolCall(f"{number}", "Read", "{}"),)))
        events.append(Result(f"{number}", f"{number} {WORDS[:3_000]}"))
    size = METER.messages([message_of(event, {}) for event in events[1:3]])
    last = requests(name, events, int(size * 3.5))[-1]
    blocks = [block for message in last for block in message.blocks]
    shown = [block.text for block in blocks if isinstance(block, ResultBlock)]
    assert [text if text == CLEARED else text.split()[0] for text in shown] == results
