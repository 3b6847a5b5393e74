"""A list given whole each time: what is new becomes entries, what the host gave itself before is
known again, and junk changes nothing."""

import pickle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.context.synced.host_messages import HostMessages
from tests.kit.hosts import PNG, Called, Replied, Resulted, Told, User, said_by, said_in, wire
from tests.kit.journal import lawful
from tests.kit.opened import Open, opened_with, opening, plain
from tests.kit.spoilt import CHANGES, Change, spoilt

opened = opened_with(window=60_000, policy=loom.Policy(own_tools=False))


def session(steps: int) -> list[Told]:
    """A task, and so many steps with a call."""
    told: list[Told] = [User(("Build the parser.",))]
    for at in range(steps):
        call = Called(f"c{at}", "bash", f"make {at}")
        told += [Replied(f"step {at}", (call,)), Resulted(call, f"output {at}")]
    return told


def listed(ctx: loom.Context, told: list[Told], **more: Any) -> loom.Turn:
    """Give a list in OpenAI's format."""
    return ctx.sync(wire("openai", told), **more)


def entries(ctx: loom.Context) -> list[int]:
    """The entries of the messages that are no instructions."""
    return [one.entry for one in ctx.history.synced if one.role != "system"]


SUMMARY = User(("What was done so far: " + "the parser was built in part; " * 40,))


def test_a_veto_keeps_the_window(opened: Open) -> None:
    """A host whose hook refuses the renewal gets the summary at the end of what stands."""
    ctx = opened(on_cut=lambda cut: False)
    listed(ctx, session(6))
    request = listed(ctx, [SUMMARY, *session(6)[-4:]]).request()
    assert ctx.window.sent.generation == 1 and SUMMARY.texts[0] in str(request)


def test_bad_input_changes_nothing(opened: Open) -> None:
    """A message that is none, or a format nobody reads: the window is what it was."""
    ctx = opened()
    listed(ctx, session(2))
    window, commits = ctx.window, ctx._engine.workspace.commits
    with pytest.raises(loom.BadInput, match="message 1 of the list") as caught:
        ctx.sync([{"role": "user", "content": "edited"}, {"role": "nobody"}])
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(loom.BadInput, match="no format"):
        ctx.sync([], "nobodys")
    with pytest.raises(loom.BadInput, match="is no list of messages"):
        ctx.sync("hello")
    assert ctx.window == window and ctx._engine.workspace.commits == commits


def test_a_repair_lets_the_list_be_given_again(tmp_path: Path) -> None:
    """Whatever line of the journal is lost, the list says once what it said."""
    told = session(4)
    with plain(tmp_path / "w", window=60_000) as ctx:
        for at in range(len(told)):
            if at % 2 == 0:
                listed(ctx, told[: at + 1])
        ctx.reply(loom.Reply((loom.Speech("Done."),)))
        listed(ctx, [*told, Replied("Done."), User(("More.",))])
    [segment] = (tmp_path / "w" / "journal").iterdir()
    lines = segment.read_bytes().splitlines(keepends=True)
    whole = [*told, Replied("Done."), User(("More.",))]
    for lost in range(1, len(lines)):
        broken = b"x" * (len(lines[lost]) - 1) + b"\n"
        segment.write_bytes(b"".join([*lines[:lost], broken, *lines[lost + 1 :]]))
        loom.repair(tmp_path / "w", tmp_path / f"r{lost}")
        with plain(tmp_path / f"r{lost}") as ctx:
            request = listed(ctx, whole).request()
            said = said_in("openai", request, set())
            told = [one for one in said_by(whole) if one[0] != "result"]
            assert [one for one in said if one in told] == told, lost
            assert [str(request).count(f"output {at}") for at in range(4)] == [1] * 4, lost
            assert len({*entries(ctx)}) == 7 and 0 not in entries(ctx)
            assert lawful(ctx) == []


CALL = Called("c1", "bash", "ls")
BEGUN: list[Told] = [User(("Look.",)), Replied("I look.", (CALL,)), Resulted(CALL, "a b")]


@pytest.mark.parametrize("content", ["Look.", ["Look.", PNG, "Look well."]])
def test_a_message_the_host_gave_is_known_again(opened: Open, content: object) -> None:
    """A text, or texts and an image: one entry each, and the next message is another."""
    ctx = opened()
    ctx.sync(wire("openai", BEGUN))
    ctx.user(content)
    made = ctx.window.history.next_id
    user = User(("Look.",)) if content == "Look." else User(("Look.", "Look well."), image=True)
    ctx.sync(wire("openai", [*BEGUN, user]))
    assert ctx.window.history.next_id == made
    ctx.sync(wire("openai", [*BEGUN, user, User(("Look well.",))]))
    assert ctx.window.history.next_id == made + 1


def test_a_result_without_a_call(opened: Open) -> None:
    """A list that was trimmed before it was first given: the result stands quoted, once."""
    ctx = opened()
    told = wire("openai", [BEGUN[2], User(("Go on.",))])
    request = str(ctx.sync(told).request())
    assert request.count("a b") == 1 and "result without a call: c1" in request
    made = ctx.window.history.next_id
    ctx.sync([*told, {"role": "user", "content": "And on."}])
    assert ctx.window.history.next_id == made + 1
    assert len({*entries(ctx)}) == 3


WHOLE: dict[str, list[dict[str, Any]]] = {
    format: wire(format, [*BEGUN, Replied("So."), User(("A.", "B."), image=True)])
    for format in ("openai", "responses", "anthropic", "gemini")
}


@pytest.mark.parametrize("format", WHOLE)
@settings(max_examples=max(settings().max_examples // 4, 1))
@given(changes=CHANGES, begun=st.booleans())
def test_junk_is_taken_or_refused(
    format: str, changes: list[Change], begun: bool, tmp_path_factory: Any
) -> None:
    """A typed error, and what is listed is what it was where the message could not be read;
    never a window that is not lawful."""
    messages: Any = spoilt(WHOLE[format], changes)
    with opening(tmp_path_factory.mktemp("junk"), window=60_000) as opened:
        ctx = opened()
        if begun:
            ctx.sync(WHOLE[format], format)
        before = ctx.window, ctx.history.synced
        try:
            ctx.sync(messages, format)
        except loom.BadInput:
            assert (ctx.window, ctx.history.synced) == before
        except loom.LoomError as error:
            assert str(error)
        assert lawful(ctx) == []
        ctx.sync(WHOLE[format], format)
        read = HostMessages(format, ctx.window.config.mark)
        read.update(WHOLE[format])
        leading = sum(one.system is not None for one in read.messages)
        assert [one.key for one in ctx.history.synced] == read.keys[leading:]
