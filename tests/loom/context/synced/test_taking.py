"""What is new in a list becomes entries; what the host gave itself before is known again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.context.synced.reading import HostMessages
from tests.kit.hosts import PNG, Called, Replied, Resulted, Told, User, enveloped, wire
from tests.kit.journal import lawful
from tests.kit.opened import Open, opened_with, opening
from tests.kit.spoilt import CHANGES, Change, spoilt

opened = opened_with(window=60_000)
CALL = Called("c1", "bash", "ls")
BEGUN: list[Told] = [User(("Look.",)), Replied("I look.", (CALL,)), Resulted(CALL, "a b")]


def entries(ctx: loom.Context) -> list[tuple[str, int]]:
    """Whose each message of the list is, and its entry."""
    return [(one.role, one.entry) for one in ctx.history.synced if one.role != "system"]


def test_nothing_new_is_taken(opened: Open) -> None:
    """A message given twice in two lists has one entry."""
    ctx = opened()
    ctx.sync(wire("openai", BEGUN))
    ctx.sync(wire("openai", BEGUN))
    assert entries(ctx) == [("user", 1), ("assistant", 2), ("tool", 2)]


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


def test_a_secret_the_host_gave_is_known_again(opened: Open) -> None:
    """It rests redacted, and is the message all the same."""
    ctx = opened()
    ctx.sync(wire("openai", BEGUN))
    text = "the key is sk-ant-api03-" + "aB3dE5gH7jK9mN1pQ3sT5vX7zA9cE1gI3kM5oQ7s" * 2 + "-AA"
    ctx.user(text)
    made = ctx.window.history.next_id
    assert "[redacted" in ctx.history.restore(made - 1).text
    ctx.sync(wire("openai", [*BEGUN, User((text,))]))
    assert ctx.window.history.next_id == made


def test_many_replies_that_are_answered_here(opened: Open) -> None:
    """The host's reply behind a hundred that Loom answered is known again."""
    ctx = opened(window=200_000)
    ctx.sync(wire("openai", BEGUN))
    for at in range(100):
        ctx.reply(loom.Reply((loom.ToolCall(f"n{at}", "note", f'{{"text": "{at}"}}'),)))
    ctx.reply(loom.Reply((loom.Speech("Done."),)))
    made = ctx.window.history.next_id
    ctx.sync(wire("openai", [*BEGUN, Replied("Done."), User(("More.",))]))
    assert ctx.window.history.next_id == made + 1
    assert entries(ctx)[-2:] == [("assistant", made - 1), ("user", made)]


def test_a_result_without_a_call(opened: Open) -> None:
    """A list that was trimmed before it was first given: the result stands quoted, once."""
    ctx = opened()
    told = wire("openai", [BEGUN[2], User(("Go on.",))])
    request = str(ctx.sync(told).request())
    assert request.count("a b") == 1 and "result without a call: c1" in request
    made = ctx.window.history.next_id
    ctx.sync([*told, {"role": "user", "content": "And on."}])
    assert ctx.window.history.next_id == made + 1
    assert len({entry for _, entry in entries(ctx)}) == 3


def test_a_call_without_a_result(opened: Open) -> None:
    """The list goes on without it: it is given up, and the model is told."""
    ctx = opened()
    request = str(ctx.sync(wire("openai", [*BEGUN[:2], User(("Stop.",))])).request())
    assert "goes on without its result" in request and ctx.calls == ()


def test_a_reply_the_list_lacks_is_undone(opened: Open) -> None:
    """The process died before the host wrote it down; the request is made again."""
    ctx = opened()
    before = ctx.sync(wire("openai", BEGUN))
    ctx.reply(enveloped("openai", wire("openai", [Replied("Done.")])[1:], 9))
    lost = ctx.window.history.next_id - 1
    again = ctx.sync(wire("openai", BEGUN))
    assert again.messages[: len(before.messages)] == before.messages
    assert "Done." not in str(again.request())
    assert ctx._engine.workspace.index.is_undone(lost)
    assert ctx.history.restore(lost).reply is not None


def test_another_reply_in_the_place_of_one(opened: Open) -> None:
    """A guard of the host's put it there: it stands, and the first does not."""
    ctx = opened()
    ctx.sync(wire("openai", BEGUN))
    ctx.reply(loom.Reply((loom.Speech("Something rude."),)))
    request = str(ctx.sync(wire("openai", [*BEGUN, Replied("Polite."), User(("So.",))])).request())
    assert "Polite." in request and "rude" not in request


def test_a_message_before_one_the_host_gave(opened: Open) -> None:
    """Entries stand in the order of the list: what came too early is taken in again."""
    ctx = opened()
    ctx.sync(wire("openai", BEGUN))
    ctx.user("second")
    ctx.reply(loom.Reply((loom.Speech("Done."),)))
    told = [*BEGUN, User(("first",)), User(("second",)), Replied("Done."), User(("third",))]
    request = ctx.sync(wire("openai", told)).request()["messages"]
    said = [one["content"] for one in request]
    words = ("first", "second", "Done.", "third")
    assert [one for one in said if one in words] == [*words]
    assert lawful(ctx) == []


def test_a_session_that_is_none_of_the_list_stays(opened: Open) -> None:
    """A host may have told Loom things before its first list."""
    ctx = opened()
    ctx.user("A word before.")
    ctx.reply(loom.Reply((loom.Speech("I see."),)))
    request = str(ctx.sync(wire("openai", BEGUN)).request())
    assert "A word before." in request and "I see." in request


def test_results_given_early_and_late(opened: Open) -> None:
    """One given by `ctx.result` is not taken twice, nor one that both say."""
    ctx = opened()
    two = Called("c2", "bash", "pwd")
    reply = Replied("Both.", (Called("c3", "bash", "w"), two))
    ctx.sync(wire("openai", BEGUN))
    ctx.reply(enveloped("openai", wire("openai", [reply])[1:], 9))
    ctx.result("c2", "home")
    told = [*BEGUN, reply, Resulted(two, "home"), Resulted(reply.calls[0], "who")]
    request = str(ctx.sync(wire("openai", told)).request())
    assert (request.count("'home'"), request.count("'who'")) == (1, 1)


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
        except loom.BadMessage:
            assert (ctx.window, ctx.history.synced) == before
        except loom.LoomError as error:
            assert str(error)
        assert lawful(ctx) == []
        ctx.sync(WHOLE[format], format)
        read = HostMessages(format, ctx.window.config.mark)
        read.update(WHOLE[format])
        leading = sum(one.system is not None for one in read.messages)
        assert [one.key for one in ctx.history.synced] == read.keys[leading:]
