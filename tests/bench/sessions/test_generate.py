from loom.inputs import Reasoning, Reply, Result, Speech, User
from loom.providers.formats import FORMATS
from loom.replay.feed import replay
from loom.replay.importers.lawful_order import mend_order
from loom_bench.laws import Bound, Laws
from loom_bench.sessions.generate import FLAVOURS, session
from tests.kit.cases import all_cases
from tests.kit.opened import plain

STEPS = 60


@all_cases("flavour", sorted(FLAVOURS))
@all_cases("seed", range(4))
def test_a_session_is_in_lawful_order(flavour: str, seed: int) -> None:
    """The importers' mender finds nothing to mend, and there are as many replies as asked for."""
    made = session(seed, STEPS, flavour=flavour)
    events, mended = mend_order(made.events)
    assert (events, mended) == (made.events, ())
    assert sum(isinstance(event, Reply) for event in events) == STEPS
    assert [event.index for event in events] == list(range(len(events)))


def test_sessions_hold_what_recordings_hold() -> None:
    """Between them a few seeds hold every oddity the generator promises."""
    events = [e for seed in range(4) for f in FLAVOURS for e in session(seed, 60, flavour=f).events]
    replies = [event for event in events if isinstance(event, Reply)]
    results = [event for event in events if isinstance(event, Result)]
    parts = [part for reply in replies for part in reply.parts]
    calls = [call for reply in replies for call in reply.calls]
    thoughts = [part for part in parts if isinstance(part, Reasoning)]
    users = [event.text for event in events if isinstance(event, User)]
    texts = [result.text for result in results]
    assert max(len(reply.calls) for reply in replies) in range(4, 9)
    assert {thought.format for thought in thoughts} == {"", "anthropic", "openai"}
    assert any(not reply.calls for reply in replies)
    assert any(isinstance(part, Speech) for part in parts)
    assert any(call.arguments == "" for call in calls)
    assert any(call.arguments.startswith("{") and call.arguments[-1] != "}" for call in calls)
    assert any(not text.strip() for text in users)
    assert any(result.error for result in results)
    assert any(text == "" for text in texts)
    assert max(map(len, texts)) > 90_000
    assert any("\ud83d" in text for text in texts)
    assert any("数据库" in text for text in texts)
    assert any("Traceback" in text for text in texts)


@all_cases("flavour", sorted(FLAVOURS))
def test_requests_of_a_session_are_lawful(tmp_path, flavour: str) -> None:
    """Every request a session leads to keeps the providers' rules."""
    made = session(3, 30, flavour=flavour)
    turns = 0
    judges = {name: (Laws(name), Bound(name)) for name in FORMATS}
    with plain(tmp_path / "w", window=16_000) as ctx:
        for turn in replay(ctx, made):
            turns += 1
            for name, checks in judges.items():
                request = turn.request(name)
                assert [line for check in checks for line in check.check(request)] == [], name
    assert turns == 31
