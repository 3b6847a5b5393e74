"""Read-ahead in a session, and the catalog of one that was opened again."""

from __future__ import annotations

import json
import re
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import loom
from loom.engine import Engine
from loom.engine.survey import Brought, Survey
from loom.inputs import Reply
from loom.replay.audit.standing import misplaced, own
from loom.replay.feed import feed
from loom_bench.sessions.generate import session
from loom_partitions import laws
from loom_partitions.message import PagedIn, Step, Text, UserTurn
from loom_partitions.records import Prefetched
from loom_partitions.window import Window, apply
from tests.kit.cases import all_cases, some
from tests.kit.opened import PLAIN, Open, opened_with, plain
from tests.kit.step import act

PREVIEW = "".join(f"huge_{n} = compute({n})\n" for n in range(3_000))


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


def test_nothing_comes_back_without_a_cut(opened: Open) -> None:
    """While everything stands, nothing is read ahead, however often it is named."""
    ctx = opened(window=64_000)
    for number in range(6):
        act(ctx, "Read", {"path": f"f{number}.py"}, source(f"word{number}"))
        act(ctx, "Bash", {"command": "wc f0.py"}, "110")
        ctx.turn()
    assert ctx.window.sent.cuts == 0
    assert backs(ctx) == []


def test_what_left_comes_back_at_the_tail(opened: Open) -> None:
    """A file named again is in the next request, behind every byte of the one before."""
    ctx = opened()
    ctx.user("start")
    push_out(ctx, "word2_")
    before, cuts = sent(ctx), ctx.window.sent.cuts
    act(ctx, "Grep", {"pattern": "word2_5"}, "src/file2.py:6: word2_5 = compute(5, 35)")
    after = sent(ctx)
    assert ctx.window.sent.cuts == cuts
    ((id, back),) = backs(ctx)
    assert "word2_9 = compute(9, 63)" in (back.text.body or "")
    assert id == next(ctx.window.history.stream.entries_back).id
    assert laws.append_only(before, after) == []
    assert "word2_9" not in str(ctx.history.restore(id))
    assert sent(ctx) == after


def test_a_cut_brings_back_what_matters_again(opened: Open) -> None:
    """What left and suits the focus again stands after the next cut, touched by nobody: the cut
    left its room free, so the request stays below the mark of the last level.
    """
    ctx = opened()
    ctx.user("start")
    push_out(ctx, "word2_")
    cuts, capacity = ctx.window.sent.cuts, ctx.window.limits.capacity
    while ctx.window.tokens.total < 0.8 * capacity:
        number = ctx.window.history.next_id
        act(ctx, "Bash", {"command": f"./run {number}"}, source(f"other{number}", 40))
        ctx.turn()
    assert ctx.window.sent.cuts == cuts
    assert not any("word2_" in (back.text.body or "") for _, back in backs(ctx))
    names = " ".join(f"word2_{number}" for number in range(100))
    act(ctx, "Bash", {"command": f"./run {names}"}, source("last"))
    ctx.turn()
    assert ctx.window.sent.cuts == cuts + 1
    assert any("word2_" in (back.text.body or "") for _, back in backs(ctx))
    assert ctx.window.tokens.total <= capacity * ctx._engine.policy.auto_at


def test_a_size_that_was_asked_for_brings_nothing_back(opened: Open) -> None:
    """A fresh window the host asks for holds no more than stood there."""
    ctx = opened()
    ctx.user("start")
    push_out(ctx, "word2_")
    names = " ".join(f"word2_{number}" for number in range(100))
    act(ctx, "Bash", {"command": f"./run {names}"}, "ok")
    ctx.renew(history=1_500)
    ctx.turn()
    assert not any("word2_" in (back.text.body or "") for _, back in backs(ctx))


def test_behind_a_result_that_nobody_was_sent(opened: Open) -> None:
    """It is in the very result that touched it, under its heading, and no message of its own."""
    ctx = opened()
    ctx.user("start")
    push_out(ctx, "word2_")
    step = act(ctx, "Grep", {"pattern": "word2_5"}, "src/file2.py:6: word2_5 = compute(5, 35)")
    last = [one for one in ctx.turn().request()["messages"] if one["role"] == "tool"][-1]
    heading = f"[paged in {ctx.window.config.mark}: lines "
    assert last["content"].startswith(f"src/file2.py:6: word2_5 = compute(5, 35)\n\n{heading}")
    assert "word2_9 = compute(9, 63)" in last["content"]
    assert [id for id, _ in backs(ctx)] == [step.id]


@pytest.mark.parametrize("sent_already", [False, True])
def test_else_quoted(opened: Open, sent_already: bool) -> None:
    """Behind a message of the user, and behind a step that was sent, it is a quote of its own."""
    ctx = opened()
    ctx.user("start")
    push_out(ctx, "word2_")
    if sent_already:
        # Touched by what the model did, and missing only once the request is there.
        engine = ctx._engine
        survey, engine.survey = engine.survey, Silent(engine)
        act(ctx, "Grep", {"pattern": "word2_5"}, "src/file2.py:6: word2_5 = compute(5, 35)")
        before = sent(ctx)
        engine.survey = survey
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
    with pytest.raises(loom.UnknownEntry, match="read ahead"):
        ctx.history.restore(id)
    assert list(misplaced(ctx.turn(), ctx.window, own(ctx.window, ctx._engine.read))) == []


def test_what_came_in_as_a_preview_comes_back(opened: Open) -> None:
    """Slices of a result too large to enter are read ahead without any cut."""
    ctx = opened()
    ctx.user("start")
    act(ctx, "Read", {"path": "src/huge.py"}, PREVIEW)
    ctx.turn()
    assert ctx.window.sent.cuts == 0
    assert {back.ref for _, back in backs(ctx)} == {"outputs/read_0001.txt"}


def test_what_was_to_stand_short_stays_short(opened: Open) -> None:
    """A result over the policy's characters comes back only when a later entry is about it."""
    ctx = opened(policy=loom.Policy(own_tools=False, compact_above=2_000))
    ctx.user("start")
    act(ctx, "Read", {"path": "src/huge.py"}, PREVIEW)
    assert ctx.turn().pressure.tokens.total < 2_500
    assert backs(ctx) == []
    act(ctx, "Bash", {"command": "wc src/huge.py"}, "3000")
    ctx.turn()
    assert {back.ref for _, back in backs(ctx)} == {"outputs/read_0001.txt"}


@pytest.mark.parametrize("words", [12, 900])
def test_a_summary_stays_a_summary(opened: Open, words: int) -> None:
    """What a model made of a result stands alone, be the window so large that all had room."""
    summary = loom.Summarizer(lambda *_, **__: "huge_7 computes seven. " * (words // 4))
    ctx = opened(capabilities=[summary], window=64_000)
    ctx.user("what is huge_7?")
    act(ctx, "Read", {"path": "src/huge.py"}, PREVIEW)
    ctx.turn()
    assert backs(ctx) == []


@pytest.mark.parametrize("second", ["Write", "Read"])
def test_what_is_superseded_stays_away(opened: Open, second: str) -> None:
    """Of a file that was written or read anew, nothing older comes back when it is named."""
    ctx = opened()
    ctx.user("start")  # the first entry stays
    act(ctx, "Read", {"path": "src/a.py"}, source("first"))
    args = {"path": "src/a.py", "content": source("second", 9)}
    result = "ok" if second == "Write" else source("second")
    act(ctx, second, args if second == "Write" else {"path": "src/a.py"}, result)
    push_out(ctx, "first_")
    for _ in range(3):
        act(ctx, "Bash", {"command": "wc src/a.py"}, "9")
        assert "first_" not in str(sent(ctx))
        assert not any("first_" in (back.text.body or "") for _, back in backs(ctx))


@pytest.mark.parametrize("tokens", [0, 1_000, 2_500])
def test_no_more_than_the_policy_allows(opened: Open, tokens: int) -> None:
    """In one turn no more comes back than the policy's tokens, and the request fits."""
    ctx = opened(policy=loom.Policy(ahead_tokens=tokens), window=16_000)
    rng = Random(4)
    seen = most = 0
    for number in range(40):
        act(ctx, "Read", {"path": f"src/file{number % 9}.py"}, source(f"word{number % 9}_{number}"))
        names = " ".join(f"src/file{rng.randrange(9)}.py" for _ in range(3))
        act(ctx, "Bash", {"command": f"wc {names}"}, "ok")
        last = ctx.window.history.next_id - 1
        turn = ctx.turn()
        spent = sum(back.text.tokens for id, back in backs(ctx) if id >= last)
        most, seen = max(most, spent), seen + spent
        assert spent <= min(tokens, ctx.window.limits.capacity * ctx._engine.policy.ahead_share)
        assert turn.pressure.tokens.total <= turn.pressure.capacity
    assert bool(seen) is bool(tokens)


@given(st.integers(0, 999), st.sampled_from([4_000, 8_192, 16_000]))
@example(2, 8_192)
@example(5, 16_000)
@settings(max_examples=3, suppress_health_check=list(HealthCheck))
def test_many_small_ones_take_no_more_than_there_is_room_for(seed: int, window: int) -> None:
    """However many files of a few lines are touched at once, what comes back of them takes its
    share at most, its headings included, and lifts no request over the mark of the last level.
    """
    with (
        TemporaryDirectory() as folder,
        plain(folder, window=window) as ctx,
    ):
        capacity, policy = ctx.window.limits.capacity, ctx._engine.policy
        for event in session(seed, 60, flavour="scraps").events:
            if isinstance(event, Reply):
                last = ctx.window.history.next_id - 1
                total = ctx.turn().pressure.tokens.total
                came = [back.text.tokens for id, back in backs(ctx) if id >= last]
                assert laws.bounded(ctx.window) == []
                assert sum(came) <= capacity * policy.ahead_share
                assert not came or total <= capacity * policy.auto_at
            feed(ctx, event)
        assert ctx.window.sent.cuts


class Silent(Survey):
    """A survey that brings nothing back."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine.workspace, engine.read, engine.policy, engine.sizes)

    def ahead(
        self, window: Window, reserve: int, *, cut: bool = False
    ) -> tuple[tuple[Brought, ...], Window]:
        """Nothing."""
        return (), window


class Generous(Survey):
    """A survey that brings back more than there is room for."""

    def ahead(
        self, window: Window, reserve: int, *, cut: bool = False
    ) -> tuple[tuple[Brought, ...], Window]:
        """One text as large as all there is room for."""
        body = "more " * window.limits.capacity
        tokens = self._sizes.message(body)
        turn = UserTurn(
            window.history.next_id, Text(tokens, len(body), body), tokens, source="step_0002"
        )
        return (Prefetched(turn),), apply(window, Prefetched(turn))


def test_what_does_not_fit_is_taken_back(opened: Open) -> None:
    """A request that would be over budget by what is read ahead is made without it."""
    one, two = opened("one"), opened("two")
    engine = two._engine
    engine.survey = Generous(engine.workspace, engine.read, engine.policy, engine.sizes)
    for ctx in (one, two):
        ctx.user("start")
    assert sent(two) == sent(one)
    assert laws.bounded(two.window) == []
    assert list(two.window.history.stream.entries) == list(one.window.history.stream.entries)


@all_cases(
    ("seed", "flavour", "window"),
    some([(3, "coding", 6_000), (2, "coding", 12_000), (4, "coding", 16_000),
          (1, "research", 16_000)], 2),
)  # fmt: skip
def test_opened_again_it_is_the_same(opened: Open, seed: int, flavour: str, window: int) -> None:
    """A session that is closed again and again makes every request of one that never was."""
    one, two = opened("one", window=window), opened("two", window=window)
    ahead = replies = 0
    for event in session(seed, 30, flavour=flavour).events:
        if isinstance(event, Reply):
            replies += 1
            if replies % 6 == 0:
                two.close()
                two = opened("two", window=window)
            same = sent(two) == sent(one)
            assert same, replies
            ahead = max(ahead, *(id for id, _ in backs(one)), 0)
        feed(one, event)
        feed(two, event)
    assert one.window.sent.cuts
    assert ahead
    assert list(one.window.history.stream.entries) == list(two.window.history.stream.entries)
    catalogs = [ctx._engine.survey.catalog() for ctx in (one, two)]
    for name in ("clock", "units", "hit", "uses", "stale", "frequency"):
        assert getattr(catalogs[0], name) == getattr(catalogs[1], name)
    assert any(isinstance(entry, Step) for entry in one.window.history.stream.entries)
