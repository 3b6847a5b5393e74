"""What a client does to a list it has compacted: edits, summaries of summaries, cleared results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases
from tests.kit.chat_lists import SUMMED, called, result, said, texts, told, turns, user

SUMMARY = user("SUM " + "It was read and noted. " * 40)
AGAIN = user("SUM2 " + "It was read and noted. " * 40)


@pytest.fixture
def ctx(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A context with room."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as made:
        yield made


def grown(ctx: loom.Context, listed: list[Any]) -> list[Any]:
    """Give a list as it grew, a message at a time where no call waits."""
    for at, one in enumerate(listed, 1):
        if not one.get("tool_calls"):
            ctx.sync(listed[:at])
    return listed


def session(ctx: loom.Context) -> list[Any]:
    """A task, what was asked and done, and a question; compacted to a summary and the newest."""
    listed = grown(ctx, [
        user("task"), said("a0"), user("Drop A."), called(("c1", "drop", '{"table": "A"}')),
        result("c1", "dropped"), said("done"), user("q3"),
    ])  # fmt: skip
    compacted = [SUMMARY, *listed[2:]]
    assert "SUM" in told(ctx, compacted)
    return compacted


@all_cases(
    "edit, gone, there",
    [
        (lambda kept: [kept[0], user("Drop B.")], ["Drop A.", "dropped", "q3"], ["Drop B."]),
        (lambda kept: kept[:2], ["dropped", "q3"], ["Drop A."]),
        (lambda kept: [*kept[:-1], user("q3 edited")], [], ["q3 edited", "dropped", "Drop A."]),
        (lambda kept: [*kept[:-2], said("redone"), user("q3")], ["'done'"], ["redone", "Drop A."]),
    ],
)
def test_what_a_client_kept_is_edited(
    ctx: loom.Context, edit: Any, gone: list[str], there: list[str]
) -> None:
    """What was taken back is told no more, what stands is told once, and all before it stands."""
    request = told(ctx, edit(session(ctx)))
    assert [text for text in gone if text in request] == []
    assert [request.count(f"'{text}'") for text in there] == [1] * len(there)
    assert request.count("SUM It was read") == 1 == request.count("'a0'")


def test_what_was_trimmed_outlasts_an_edit(ctx: loom.Context) -> None:
    """Only the edited message goes: neither the task that left the list, nor a note made since."""
    grown(ctx, [user("Never touch f3.")])
    ctx.reply(called(("n1", "note", '{"key": "k", "text": "keep 7"}')))
    ctx.turn()
    listed = grown(ctx, [user("Never touch f3."), said("a1"), user("q1"), said("a2"), user("q2")])
    assert "Never touch f3." in told(ctx, listed[2:])
    request = told(ctx, [*listed[2:4], user("q2, edited")])
    assert "Never touch f3." in request and "keep 7" in request and "undone" not in request
    assert "'q2'" not in request and request.count("q2, edited") == 1


@all_cases("first", [2, 4])
@all_cases("then", [0, 2, 3])
@all_cases("task", [[], [user("Never touch f3.")]])
@all_cases("more", [[], [user("Q4")]])
def test_a_trimmed_list_that_grows_longer_again(
    ctx: loom.Context, first: int, then: int, task: list[Any], more: list[Any]
) -> None:
    """How much a host shows may vary: what it shows again is what it was, and its user's."""
    talk = [user("Q1"), said("A1"), user("Q2"), said("A2"), user("Q3"), said("A3")]
    listed = [*task, *talk]
    ctx.sync(listed)
    ctx.sync([*task, *talk[first:]])
    assert texts(ctx, [*task, *talk[then:], *more]) == [one["content"] for one in [*listed, *more]]
    assert ctx.window.history.next_id == len(listed) + len(more) + 1


def test_what_a_client_kept_stands_as_it_did(tmp_path: Path) -> None:
    """Its newest messages stay whole where they have room, and what it summed up makes it."""
    with loom.open(tmp_path / "small", window=16_000, durable=False) as ctx:
        listed: list[Any] = [user("Do the audit.")]
        for at in range(1, 10):
            call = called((f"c{at}", "read_file", f'{{"path": "f{at}.txt"}}'))
            rows = "\n".join(f"row {at}.{row} value {row * at}" for row in range(120))
            listed += [call, result(f"c{at}", rows)]
            ctx.sync(listed)
        request = told(ctx, [SUMMARY, *listed[-4:]])
        assert [f"row {at}.119 " in request for at in (8, 9)] == [True, True]
        assert ctx.pressure.rho < 0.6


def test_a_second_summary_is_none_of_an_edit(ctx: loom.Context) -> None:
    """It is as long as the first, which it takes the place of: nothing is undone."""
    compacted = session(ctx)
    work = [said("On it."), user("go"), called(("c2", "make", "{}")), result("c2", "made")]
    grown(ctx, [*compacted, *work, said("a2"), user("q4")])
    request = told(ctx, [AGAIN, user("q4")])
    assert "undone" not in request and "made" in request
    assert request.count("SUM2") == 1 == request.count("'q4'")


def test_a_call_whose_id_was_used_before_is_another(ctx: loom.Context) -> None:
    """Behind a summary a server counts its calls from the start."""
    call, again = ("f:0", "bash", '{"command": "cat a"}'), ("f:0", "bash", '{"command": "pytest"}')
    grown(ctx, [user("t"), called(call), result("f:0", "A text"), said("x"), user("q"), said("y")])
    listed = [SUMMARY, called(again), result("f:0", "3 FAILED"), said("they fail"), user("sure?")]
    request = told(ctx, listed)
    assert "pytest" in request and "3 FAILED" in request and "> they fail" not in request


def test_a_reply_no_list_had_before_the_summary(ctx: loom.Context) -> None:
    """Its usage made the client compact: it is listed behind the summary, and stands once."""
    ctx.sync([user("t"), said("a"), user("q")])
    ctx.reply(said("ANS"))
    request = told(ctx, [SUMMARY, user("q"), said("ANS"), user("next")])
    assert request.count("ANS") == 1 == request.count("'q'")


def test_old_results_that_were_cleared(ctx: loom.Context) -> None:
    """A word stands for each in the list; here they stand, and nothing is undone."""
    listed: list[Any] = [user("task")]
    for at in range(6):
        call = called((f"c{at}", "bash", f'{{"command": "make {at}"}}'))
        listed += [call, result(f"c{at}", f"made {at} " * 30)]
        ctx.sync(listed)
    made = ctx.window.history.next_id
    for gone in (1, 3):
        listed[2 * gone] = result(f"c{gone - 1}", "[cleared]")
        request = told(ctx, listed)
        assert "[cleared]" not in request and "made 0 made 0" in request
    assert ctx.window.history.next_id == made
    assert told(ctx, listed) == request


@all_cases("format, kind", [("anthropic", "content"), ("gemini", "parts")])
@all_cases("trimmed", [False, True])
def test_words_that_join_the_newest_results(
    ctx: loom.Context, format: str, kind: str, trimmed: bool
) -> None:
    """The user stops the agent: the words come in the message of the results, and are told."""
    text = {"type": "text"} if format == "anthropic" else {}
    listed: list[Any] = [{"role": "user", kind: [{**text, "text": "Mend it."}]}]
    for at in range(6):
        made = {"id": f"c{at}", "name": "edit"}
        if format == "anthropic":
            answer: Any = {
                "type": "tool_result",
                "tool_use_id": f"c{at}",
                "content": f"edited {at}",
            }
            call: Any = {"type": "tool_use", **made, "input": {"path": f"a{at}.py"}}
        else:
            answer = {"function_response": {**made, "response": {"result": f"edited {at}"}}}
            call = {"function_call": {**made, "args": {"path": f"a{at}.py"}}}
        model = "assistant" if format == "anthropic" else "model"
        listed += [{"role": model, kind: [call]}, {"role": "user", kind: [answer]}]
        ctx.sync(listed, format)
    listed = listed[5:] if trimmed else listed
    ctx.sync(listed, format)
    listed[-1] = {
        "role": "user",
        kind: [*listed[-1][kind], {**text, "text": "STOP. Push nothing!"}],
    }
    request = str(ctx.sync(listed, format).request(format))
    assert "STOP. Push nothing!" in request and "undone" not in request
    assert request.count("edited 5") == 1


@pytest.mark.parametrize(
    "listed",
    [
        [SUMMED, *turns("q2", "a2", "q3")],
        [*turns("task"), *turns("q1"), SUMMED, *turns("q3")],
    ],
)
def test_a_summary_of_the_providers_before_what_is_known(
    ctx: loom.Context, listed: list[Any]
) -> None:
    """It is sent on wherever it stands in the list."""
    ctx.sync(turns("task", "a0", "q1", "a1", "q2", "a2", "q3"), "responses")
    request = told(ctx, listed, "responses")
    assert "'encrypted_content': 'ENC'" in request
    assert request.count("'q3'") == 1 and "undone" not in request
    assert told(ctx, listed, "responses") == request


def test_a_summary_whose_tail_is_edited_survives_the_process(tmp_path: Path) -> None:
    """What a client did to its list is in the journal."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as ctx:
        compacted = session(ctx)
    with loom.open(tmp_path / "w", durable=False) as ctx:
        assert texts(ctx, [*compacted[:-1], user("q3 edited")])[-1] == "q3 edited"
        request = told(ctx, [compacted[0], user("Drop B.")])
        assert "Drop A." not in request and "a0" in request
