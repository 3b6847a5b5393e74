"""Other packages' windows, where they are installed: their requests, once mended, are lawful."""

import pytest

from loom.inputs import Event, Reply, Result, Speech, ToolCall, User
from loom.providers.counts import counter_for
from loom_bench.laws import broken
from loom_bench.plain_list import Meter, message_of
from loom_bench.recorded.named import opener
from loom_bench.strategies.peers import PEERS
from loom_bench.wires import wire_of
from tests.kit.cases import all_cases

CAPACITY = 3_000
WORDS = "alpha beta gamma delta " * 60


def events(steps: int) -> list[Event]:
    """A session of steps with two calls each, and a message of the user at every fourth."""
    made: list[Event] = [User("the goal")]
    for number in range(steps):
        if number % 4 == 3:
            made.append(User(f"and {number}"))
        calls = tuple(
            ToolCall(f"{number}_{at}", "Read", f'{{"path": "{number}.py"}}') for at in (1, 2)
        )
        made.append(Reply((Speech(f"step {number}"), *calls)))
        made += [Result(call.id, f"{number} {WORDS}") for call in calls]
    return made


@pytest.mark.filterwarnings("ignore")
@all_cases("name", PEERS)
def test_requests(name: str) -> None:
    """A short history is sent as it is; a long one fits, with its pairs whole."""
    if not PEERS[name].installed:
        pytest.skip(f"{PEERS[name].package} is not installed")
    meter = Meter(counter_for())
    strategy = opener(name)(CAPACITY, meter, False)
    try:
        for at, event in enumerate(events(16)):
            if isinstance(event, Reply):
                request = list(strategy.request())
                assert meter.messages(request) <= CAPACITY
                sent = {"model": "any", "messages": [*map(wire_of, request)]}
                # One puts its notes into the history as instructions, which OpenAI takes.
                assert not [one for one in broken("openai", sent) if "instructions lead" not in one]
                if at < 2:
                    assert request[-1] == message_of(User("the goal"), {})
            strategy.feed(event)
        assert meter.messages(strategy.request()) > CAPACITY / 20
    finally:
        strategy.close()
