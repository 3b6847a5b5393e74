"""Read-ahead in a session, and the catalog of one that was opened again."""

import json
import re
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import loom
from loom.inputs import Reply
from loom.replay.audit.misplaced_texts import find_misplaced, rightful_texts
from loom.replay.feed import feed
from loom.session import Engine
from loom.session.read_ahead import Brought, ReadAhead
from loom_bench.sessions.generate import session
from loom_partitions import laws
from loom_partitions.message import PagedIn, Step, UserTurn
from loom_partitions.window import Window
from tests.kit.opened import PLAIN, Open, opened_with, plain
from tests.kit.step import act

# 12,000 tokens and no tools of Loom's own.
opened = opened_with(window=12_000, policy=PLAIN)


@pytest.fixture(autouse=True)
def same_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions that are compared have one key, and so one mark."""
    monkeypatch.setattr("loom.opening.token_hex", lambda length: "5" * 2 * length)


def source(word: str, lines: int = 110) -> str:
    """Lines of code with names of their own."""
    return "".join(f"{word}_{n} = compute({n}, {n * 7})\n" for n in range(lines))


def backs(ctx: loom.Context) -> list[tuple[int, PagedIn]]:
    """What was read ahead and still stands, with the entry it stands in."""
    found = []
    for entry in ctx.window.history.stream.entries:
        if isinstance(entry, UserTurn) and entry.ahead:
            found.append((entry.id, PagedIn(entry.source, entry.text, entry.about, entry.field)))
        elif isinstance(entry, Step):
            found += [(entry.id, paged) for paged in entry.beside]
    return found


def sent(ctx: loom.Context) -> list[bytes]:
    """The messages of the next request, the time of day and the session's mark aside."""
    messages = ctx.turn().request()["messages"]
    aside = re.compile(rf"heartbeat [\d:]+|\b{ctx.window.config.mark}\b")
    return [aside.sub("", json.dumps(m)).encode() for m in messages]


def push_out(ctx: loom.Context, text: str) -> None:
    """Read one file after another until a text is not in the request any more."""
    for _ in range(40):
        number = ctx.window.history.next_id
        act(ctx, "Read", {"path": f"src/file{number}.py"}, source(f"word{number}"))
        if text.encode() not in b"".join(sent(ctx)):
            return
    raise AssertionError(f"{text} never left")


@pytest.mark.parametrize("sent_already", [False, True])
def test_else_quoted(opened: Open, sent_already: bool) -> None:
    """Behind a message of the user, and behind a step that was sent, it is a quote of its own."""
    ctx = opened()
    ctx.user("start")
    push_out(ctx, "word2_")
    if sent_already:
        # Touched by what the model did, and missing only once the request is there.
        engine = ctx._engine
        before_ahead = engine.read_ahead
        vars(engine)["read_ahead"] = Silent(engine)
        act(ctx, "Bash", {"command": "wc -l src/file2.py"}, "60")
        before = sent(ctx)
        vars(engine)["read_ahead"] = before_ahead
        ctx.working.plan(["go on"])
    else:
        ctx.user("What of src/file2.py?")
        before = []
    after = sent(ctx)
    assert laws.append_only(before, after) == []
    ((id, _),) = backs(ctx)
    assert not any(isinstance(e, Step) and e.beside for e in ctx.window.history.stream.entries)
    (said,) = [json.loads(one)["content"] for one in after if b"> word2_" in one]
    first, *lines = said.split("\n")
    assert first.startswith("[paged in : lines ")
    assert len(lines) > 20 and all(line[:2] in (">", "> ") for line in lines)
    with pytest.raises(loom.MissingPage, match="read ahead"):
        ctx.history.restore(id)
    assert (
        list(find_misplaced(ctx.turn(), ctx.window, rightful_texts(ctx.window, ctx._engine.read)))
        == []
    )


@given(st.integers(0, 999), st.sampled_from([4_000, 8_192, 16_000]))
@example(2, 8_192)
@example(5, 16_000)
@settings(max_examples=3, suppress_health_check=list(HealthCheck))
def test_many_small_ones_take_no_more_than_there_is_room_for(seed: int, window: int) -> None:
    """However many files of a few lines are touched at once, what comes back of them takes its
    share at most, its headings included, and lifts no request over the mark of the last level."""
    with TemporaryDirectory() as folder, plain(folder, window=window) as ctx:
        capacity, policy = ctx.window.limits.capacity, ctx._engine.policy
        for event in session(seed, 60, flavour="scraps").events:
            if isinstance(event, Reply):
                last = ctx.window.history.next_id - 1
                total = ctx.turn().pressure.tokens.total
                came = [back.text.tokens for id, back in backs(ctx) if id >= last]
                assert laws.bounded(ctx.window) == []
                assert sum(came) <= capacity * policy.tuning.ahead_share
                assert not came or total <= capacity * policy.auto_at
            feed(ctx, event)
        assert ctx.window.sent.cuts


class Silent(ReadAhead):
    """A read-ahead that brings nothing back."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.workspace, engine.read, engine.policy, engine.sizes)

    def ahead(
        self, window: Window, reserve: int, *, cut: bool = False
    ) -> tuple[tuple[Brought, ...], Window]:
        """Nothing."""
        return (), window
