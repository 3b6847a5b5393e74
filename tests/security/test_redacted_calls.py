"""A call whose arguments held a secret: run whole while the context lives, never from a journal."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace

import loom
import loom.aio
from loom.capabilities.toolbox import Toolbox, ToolDescriptor
from loom.engine.archive.workspace import Workspace
from loom.engine.notices import SECRETS_TOKENS
from loom.providers.render.wording import SECRETS
from loom.replay.audit.standing import misplaced, own
from loom_partitions import laws
from loom_partitions.message import Notice, Step
from loom_partitions.records import Replied
from tests.kit.opened import Open, opened_with
from tests.loom.interrupt import Interrupt, place_of

SECRET = "sk-ant-" + "a1b2c3d4" * 4
MARK = "[redacted:api-key]"
GIVEN = json.encode({"path": ".env", "content": f"KEY={SECRET}\n"}).decode()
PLAIN = '{"path": "notes.md", "content": "no secret"}'
LITERAL = json.encode({"path": "a.md", "content": f"secrets show as {MARK}"}).decode()

opened = opened_with(window=16_000)


def reply(*arguments: str, name: str = "write_file") -> loom.Reply:
    """A reply with a call for each arguments, by the ids c0, c1, …"""
    return loom.Reply(
        tuple(loom.ToolCall(f"c{at}", name, text) for at, text in enumerate(arguments))
    )


def left(ctx: loom.Context, *arguments: str) -> None:
    """Leave a session with these calls open."""
    ctx.user("Write it.")
    ctx.turn()
    ctx.reply(reply(*arguments))


def host(ctx: loom.Context) -> list[str]:
    """Run what the host is given, as the plain loop does; the arguments it ran."""
    ran = []
    for call in ctx.calls:
        ran.append(call.arguments)
        ctx.result(call, "done")
    return ran


def last(ctx: loom.Context) -> Step:
    """The last step."""
    return next(e for e in ctx.window.history.stream.entries_back if isinstance(e, Step))


def test_nothing_is_marked_where_nothing_was_replaced(opened: Open) -> None:
    """A call without a secret, or with the text of a mark that the model wrote, stays open."""
    left(opened(), PLAIN, LITERAL)
    ctx = opened()
    assert not any(call.redacted for call in last(ctx).calls)
    assert host(ctx) == [PLAIN, LITERAL]


def test_the_record_of_a_call_says_that_a_secret_was_replaced(opened: Open) -> None:
    """Only of the call that held one; what the host gets is whole and not marked."""
    ctx = opened()
    left(ctx, GIVEN, LITERAL, PLAIN)
    assert [call.redacted for call in last(ctx).calls] == [True, False, False]
    assert [call.redacted for call in ctx.calls] == [False] * 3


def streamed() -> Iterator[dict[str, Any]]:
    """A stream of a provider that calls a tool, its arguments in pieces of seven characters."""
    for at in range(0, len(GIVEN), 7):
        function = {"arguments": GIVEN[at : at + 7]} | ({"name": "write_file"} if not at else {})
        call = {"index": 0, "function": function} | ({"id": "c0"} if not at else {})
        yield {"choices": [{"index": 0, "delta": {"tool_calls": [call]}, "finish_reason": None}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def test_a_stream_gives_exact_arguments(opened: Open) -> None:
    """Each chunk is passed on as it came, and the call of it is whole."""
    ctx = opened()
    ctx.user("Write it.")
    ctx.turn()
    assert list(ctx.collect(streamed())) == list(streamed())
    assert host(ctx) == [GIVEN]


def test_the_live_host_gets_exact_arguments_after_all_it_may_do(opened: Open) -> None:
    """A refused turn, a note, a sibling's result and an interrupted call change none of it."""
    ctx = opened()
    left(ctx, GIVEN, PLAIN, GIVEN)
    with pytest.raises(loom.OpenCalls):
        ctx.turn()
    ctx.working.note("half of it is written")
    ctx.result("c1", "done")
    lines, first = inspect.getsourcelines(Workspace.acknowledge)
    at = next(n for n, line in enumerate(lines, first) if "self.shown" in line)
    with (
        pytest.raises(KeyboardInterrupt),
        Interrupt((place_of(Workspace.acknowledge.__code__), at)),
    ):
        ctx.result("c0", "never taken")
    assert host(ctx) == [GIVEN, GIVEN]
    assert "never taken" not in str(ctx.turn().request())


def test_the_toolbox_runs_exact_arguments(tmp_path: Path) -> None:
    """By its name and through the gateway: what runs is what the model wrote, and none of it rests
    with the secret in it."""
    seen: list[Any] = []
    box = Toolbox()
    schema = {"type": "object", "properties": {"content": {"type": "string"}}}

    def write(given: dict[str, Any]) -> str:
        seen.append(given)
        return "done"

    box.add(ToolDescriptor("near", "Write.", schema), write)
    box.add(ToolDescriptor("far", "Write.", schema, level=2), write)
    with loom.open(tmp_path / "w", durable=False, capabilities=[box]) as ctx:
        inner = {"content": SECRET}
        ctx.reply(reply(json.encode(inner).decode(), name="near"))
        ctx.run(ctx.calls[0])
        through = json.encode({"name": "far", "arguments": inner}).decode()
        ctx.reply(reply(through, name="call_tool"))
        ctx.run("c0")
        assert seen == [inner, inner]
    assert kept_nowhere(tmp_path / "w")


def kept_nowhere(folder: Path) -> bool:
    """True when no file of the folder holds the secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return bool(files) and not any(SECRET.encode() in path.read_bytes() for path in files)


def test_the_text_of_a_reply_is_exact_while_the_context_lives(opened: Open) -> None:
    """What the model answered is the host's; the journal and the request have it redacted."""
    ctx = opened()
    for said in (f"Use {SECRET}.", "No secret.", f"The mark is {MARK}."):
        ctx.user("Which key?")
        ctx.turn()
        ctx.reply(loom.Reply((loom.Speech(said), loom.Speech(SECRET))))
        assert ctx.done and ctx.text == f"{said}\n\n{SECRET}"
        ctx.user("Thanks.")
        assert ctx.text.endswith(SECRET) and SECRET not in str(ctx.turn().request())
    counted = ctx._engine.workspace.commits
    ctx.turn()
    assert ctx._engine.workspace.commits == counted and not ctx._engine.redactor.counts
    assert opened().text == f"The mark is {MARK}.\n\n{MARK}"


def refused(ctx: loom.Context, id: str = "c0") -> str:
    """What the model is told of a call that is not run, where all of it is lawful."""
    turn = ctx.turn()
    (said,) = (m["content"] for m in turn.request()["messages"] if m.get("tool_call_id") == id)
    assert not laws.paired(ctx.window)
    assert not list(misplaced(turn, ctx.window, own(ctx.window, ctx._engine.read)))
    return str(said)


@pytest.mark.parametrize("large", ["", "and so on, line by line\n" * 8_000], ids=["small", "paged"])
def test_after_a_reopen_the_host_never_sees_it(opened: Open, tmp_path: Path, large: str) -> None:
    """The plain loop runs nothing; the model is told that it was not run, and what to do."""
    text = json.encode({"path": ".env", "content": large + SECRET}).decode()
    left(opened(), text)
    assert kept_nowhere(tmp_path)
    ctx = opened()
    assert ctx.calls == () and host(ctx) == [] and not ctx.window.history.open_calls
    with pytest.raises(loom.UnknownCall):
        ctx.run("c0")
    said = refused(ctx)
    assert (
        "It may have taken effect before: check" in said and "call again with the variable" in said
    )
    (outcome,) = last(ctx).outcomes
    assert outcome.error and outcome.stand_in and outcome.text.marked


def test_the_siblings_stay_open_and_normal(opened: Open) -> None:
    """Of three parallel calls and one of Loom's own, those without a secret wait as ever."""
    ctx = opened()
    ctx.turn()
    made = reply(PLAIN, GIVEN, LITERAL)
    recall = loom.ToolCall("own", "recall", '{"query": "secret"}')
    ctx.reply(replace(made, parts=(*made.parts, recall)))
    ctx = opened()
    assert [call.id for call in ctx.calls] == ["c0", "c2"]
    assert host(ctx) == [PLAIN, LITERAL]
    assert "not stored" in refused(ctx, "c1") and "done" in refused(ctx, "c0")


def test_a_result_that_comes_after_all_is_appended_once(opened: Open) -> None:
    """A host that did run it before gives the result; a second one is refused."""
    left(opened(), GIVEN)
    ctx = opened()
    ctx.result("c0", "written by the worker")
    assert "written by the worker" in str(ctx.turn().request())
    with pytest.raises(loom.AnsweredCall):
        ctx.result("c0", "again")


def test_it_is_answered_once_however_often_it_is_opened(opened: Open) -> None:
    """A second and third opening add nothing, and the request stays the same."""
    left(opened(), GIVEN)
    first = opened().turn().request()
    number = opened()._engine.workspace.commits
    again = opened()
    assert again.turn().request() == first and again._engine.workspace.commits == number
    again.reply(reply(GIVEN))
    assert host(again) == [GIVEN]


def earlier(ctx: loom.Context, *arguments: str, said: str = "") -> None:
    """Commit a reply as a Loom did that marked no calls."""
    engine = ctx._engine
    with engine.lock, engine.atomic:
        made = reply(*arguments)
        made = replace(made, parts=(loom.Speech(said), *made.parts)) if said else made
        step = engine.ingest.reply(engine.ingest.cleaned(made), ctx.window.history.next_id, 4_000)
        engine.commit(Replied(step))


def test_a_journal_of_before_calls_were_marked(opened: Open) -> None:
    """A mark is known by the count of its kind in the commit of the reply; a text of that form
    alone is no mark."""
    earlier(opened(), GIVEN, PLAIN)
    ctx = opened()
    assert host(ctx) == [PLAIN] and "may have taken effect" in refused(ctx)
    earlier(opened("other"), LITERAL)
    assert host(opened("other")) == [LITERAL]


def test_a_fork_does_not_run_it(opened: Open) -> None:
    """Of the copy the call is answered; the agent itself still has it whole."""
    ctx = opened()
    left(ctx, GIVEN, PLAIN)
    with ctx.agents.fork("copy") as copy:
        assert host(copy) == [PLAIN] and "may have taken effect" in refused(copy)
    assert host(ctx) == [GIVEN, PLAIN]


def test_a_child_opened_again_does_not_run_it(opened: Open) -> None:
    """As little as its parent does."""
    ctx = opened()
    with ctx.agents.spawn("Write.", name="one") as child:
        left(child, GIVEN)
        assert [call.arguments for call in child.calls] == [GIVEN]
    with ctx.agents.child("one") as child:
        assert child.calls == () and "may have taken effect" in refused(child)


def test_a_call_a_child_works_on_is_answered_by_its_result(opened: Open) -> None:
    """It is neither run again nor told as lost: the agent below it is at work."""
    ctx = opened()
    text = json.encode({"goal": f"Rotate {SECRET}."}).decode()
    ctx.reply(reply(text, name="spawn"))
    with ctx.agents.spawn(ctx.calls[0], name="one"):
        pass
    ctx = opened()
    assert ctx.calls == () and ctx.window.history.open_calls == ("c0",)
    with ctx.agents.child("one") as child:
        child.agents.deliver("Rotated.")
    ctx.agents.join("one")
    assert "Rotated." in refused(ctx)


def test_in_async_code(tmp_path: Path) -> None:
    """The twin gives the same: whole at first, not at all later."""

    async def work() -> None:
        async with loom.aio.open(tmp_path / "w", durable=False) as ctx:
            await ctx.reply(reply(GIVEN))
            assert [call.arguments for call in ctx.calls] == [GIVEN]
        async with loom.aio.open(tmp_path / "w", durable=False) as ctx:
            assert ctx.calls == ()

    asyncio.run(asyncio.wait_for(work(), 240))


def told(ctx: loom.Context) -> int:
    """How often the present request tells of marks."""
    return json.encode(ctx.turn().request()["messages"]).decode().count(SECRETS)


def test_the_model_is_told_once_what_a_mark_is(opened: Open) -> None:
    """From the first secret on, in one line behind it; after a cut with the dashboard again."""
    ctx = opened()
    left(ctx, PLAIN)
    host(ctx)
    assert told(ctx) == 0
    ctx.reply(reply(GIVEN))
    host(ctx)
    before = ctx.turn().request()["messages"]
    assert told(ctx) == 1
    left(ctx, GIVEN)
    host(ctx)
    assert told(ctx) == 1
    assert ctx.turn().request()["messages"][: len(before)] == before
    ctx.renew()
    assert told(ctx) == 1
    assert told(opened()) == 1


def test_the_line_is_bounded_and_counted(opened: Open) -> None:
    """It takes at most its part, and what it takes is known before it is written."""
    ctx = opened()
    count = ctx._engine.sizes.count
    assert count(f" · {SECRETS}") <= SECRETS_TOKENS
    left(ctx, PLAIN)
    reserved = ctx._engine.notices.reserve(ctx.window)
    ctx.result("c0", SECRET)
    held = ctx._engine.notices.reserve(ctx.window)
    ctx.turn()
    notice = ctx.window.history.stream.last
    assert isinstance(notice, Notice) and notice.tokens <= held == reserved + SECRETS_TOKENS
