"""What a list says is what the request says: each result with its call, the last word last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases
from tests.kit.chat_lists import SUMMED, called, result, said, texts, told, turns, user


@pytest.fixture
def ctx(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A context with room, whose tools are the host's."""
    policy = loom.Policy(own_tools=False)
    with loom.open(tmp_path / "w", window=64_000, durable=False, policy=policy) as made:
        yield made


def status(id: str) -> dict[str, Any]:
    """The same call every time, under another id."""
    return called((id, "status", "{}"))


def test_the_same_call_again_is_another(ctx: loom.Context) -> None:
    """A reply the host lost, and one of the same words in its list: ids tell them apart."""
    ctx.sync([user("watch")])
    ctx.reply(status("c1"))
    ctx.result(ctx.calls[0], "RED")
    request = told(ctx, [user("watch"), status("c2"), result("c2", "GREEN"), said("It is green.")])
    assert "GREEN" in request and "RED" not in request


def test_a_head_removed_between_two_of_one_call(ctx: loom.Context) -> None:
    """The oldest messages go, and what is left has a call of theirs again."""
    one = [user("Watch."), called(("c1", "status", "{}")), result("c1", "RED: 3 tests fail")]
    two = [status("c2"), result("c2", "GREEN: all pass"), said("Now it is green."), user("Deploy?")]
    ctx.sync(one)
    ctx.sync([*one, *two])
    request = told(ctx, two)
    assert request.count("GREEN: all pass") == 1 == request.count("Deploy?")
    assert "Watch." in request


def test_a_second_result_of_a_call_is_told(ctx: loom.Context) -> None:
    """Some hosts list one again when a job has ended; what was said before is not told twice."""
    start = [user("go"), status("c1"), result("c1", "started"), said("It runs."), user("And?")]
    request = told(ctx, [*start, result("c1", "FINISHED 42"), user("Well?")])
    assert "another result of call c1" in request and "FINISHED 42" in request
    assert request.index("FINISHED 42") < request.index("Well?")
    request = told(
        ctx, [*start, result("c1", "FINISHED 42"), user("Well?"), result("c1", "started")]
    )
    assert request.count("started") == 1


@pytest.mark.parametrize("listed, twice", [("by hand", 0), ("by", 0), ("in the list", 1)])
def test_a_result_given_before_the_list_has_it(ctx: loom.Context, listed: str, twice: int) -> None:
    """The list's text counts where it is another than the one given, and no part of it."""
    ctx.sync([user("go")])
    ctx.reply(status("c1"))
    ctx.result(ctx.calls[0], "by hand")
    request = told(ctx, [user("go"), status("c1"), result("c1", listed)])
    assert request.count("by hand") == 1 and request.count("another result") == twice


def test_system_messages_in_the_middle_hold_in_their_order(ctx: loom.Context) -> None:
    """One said again is the last word; each stands where it was said, before and after a cut."""
    messages: list[Any] = [{"role": "system", "content": "You plan."}]
    for at, mode in enumerate(("PLAN", "ACT", "PLAN")):
        messages += [user(f"q{at}"), said(f"a{at}"), {"role": "system", "content": f"mode: {mode}"}]
        ctx.sync(messages)
    request = told(ctx, [*messages, user("q4")])
    places = [request.rindex(f"mode: {mode}") for mode in ("ACT", "PLAN")]
    assert places == sorted(places) and request.count("mode: PLAN") == 2
    ctx.renew()
    request = told(ctx, [*messages, user("q4")])
    assert request.rindex("mode: ACT") < request.rindex("mode: PLAN")


def test_system_messages_in_the_middle_never_fill_the_window(tmp_path: Path) -> None:
    """One a turn, for as long as it goes: they leave the window as other messages do."""
    with loom.open(tmp_path / "small", window=8_192, durable=False) as ctx:
        messages: list[Any] = []
        for at in range(240):
            line = (
                f"It is {at // 60:02}:{at % 60:02} of day 3; " + "the build machine is idle. " * 4
            )
            messages += [user(f"q{at}"), {"role": "system", "content": line}, said(f"a{at}")]
            turn = ctx.sync(messages)
            messages[-1:] = [said(f"a{at}")]
        assert turn.pressure.rho < 1.0
        before, _, instructed = str(turn.request()).partition("instructions that came meanwhile")
        assert "It is 00:00" in instructed and "It is 00:00" not in before
        assert ctx.history.restore(ctx.history.synced[1].entry).text.startswith("It is 00:00")


def test_a_function_of_old_is_answered(ctx: loom.Context) -> None:
    """Its result has the function's name alone."""
    call = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    listed = [user("go"), call, {"role": "function", "name": "f", "content": "seven"}, user("so?")]
    request = told(ctx, listed)
    assert request.count("seven") == 1 and "no result" not in request
    assert told(ctx, listed) == request


RAN = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"query": "q"}}


@pytest.mark.parametrize("item", [RAN, {"type": "mcp_call", "id": "m1", "output": "OUT"}])
def test_items_of_a_provider_stand(ctx: loom.Context, item: dict[str, Any]) -> None:
    """A search it ran itself, with no words beside it, is sent on as it is."""
    request = told(ctx, [*turns("go"), item, *turns("so?")], "responses")
    assert f"'type': '{item['type']}'" in request
    assert request.index(item["type"]) < request.index("so?")


def test_a_compaction_of_the_provider_is_one(ctx: loom.Context) -> None:
    """Its item stands for replies it alone can read: nothing is undone, and the item is sent on."""
    before = turns("task", "a0", "q1", "a1", "q2", "a2")
    ctx.sync(before, "responses")
    request = told(ctx, [*before[::2], SUMMED, *turns("q4")], "responses")
    assert "'encrypted_content': 'ENC'" in request
    assert request.index("ENC") < request.index("q4") and request.count("q4") == 1
    index = ctx._engine.workspace.index
    assert not any(index.is_undone(one) for one in index.commits)
    assert told(ctx, [*before[::2], SUMMED, *turns("q4")], "responses") == request


def test_a_block_of_anthropics_own_stands(ctx: loom.Context) -> None:
    """A reply that is nothing but the provider's summary."""
    block = {"type": "compaction", "content": "SUMMARYTEXT"}
    listed = [user("go"), {"role": "assistant", "content": [block]}, user("so?")]
    assert "SUMMARYTEXT" in told(ctx, listed, "anthropic")


@all_cases("keep", range(1, 8))
@all_cases("parallel", [False, True])
def test_heads_are_removed_at_any_message(ctx: loom.Context, keep: int, parallel: bool) -> None:
    """The last reply was given by `reply`, not in a list: nothing is undone, nothing doubled."""
    listed: list[Any] = []
    for at in range(6):
        listed.append(user(f"USER-{at}"))
        ctx.sync(listed)
        if parallel:
            calls = [(f"c{at}{n}", "bash", f'{{"command": "make {at}{n}"}}') for n in range(2)]
            reply = called(*calls)
            ctx.reply(reply)
            listed += [reply, *(result(id, f"built {id}") for id, *_ in calls)]
            ctx.sync(listed)
        ctx.reply(said(f"SAY-{at}"))
        listed.append(said(f"SAY-{at}"))
    made = ctx.window.history.next_id
    request = told(ctx, [*listed[-keep:], user("new")])
    assert ctx.window.history.next_id == made + 1
    assert "USER-0" in request and request.count("SAY-5") == 1 and "undone" not in request


@pytest.mark.parametrize("gap", [None, "[Earlier messages were removed.]"])
def test_the_middle_is_removed_behind_the_first_words(ctx: loom.Context, gap: str | None) -> None:
    """The commonest way to trim: the task and the newest messages stay."""
    listed: list[Any] = [user("Never touch f3.")]
    for at in range(12):
        step = called((f"c{at}", "bash", f'{{"command": "make {at}"}}'))
        listed += [step, result(f"c{at}", f"made {at}")]
        ctx.sync(listed)
    made = ctx.window.history.next_id
    between = [user(gap)] if gap else []
    request = told(ctx, [*listed[:1], *between, *listed[-6:]])
    assert ctx.window.history.next_id == made + len(between)
    assert "Never touch f3." in request and "undone" not in request


def test_one_exchange_taken_out_is_an_edit(ctx: loom.Context) -> None:
    """What the user deletes in the middle is not said to the model again."""
    listed = [user("A"), said("a"), user("my secret"), said("ok"), user("B"), said("b"), user("C")]
    ctx.sync(listed)
    request = told(ctx, [*listed[:2], *listed[4:]])
    assert "my secret" not in request and request.count("'B'") == 1


def test_a_summary_says_whose_it_is(ctx: loom.Context) -> None:
    """It stands behind messages that are newer than what it sums up."""
    listed = [user("Write it."), said("Found it."), user("Forget it; mend f2."), status("c1")]
    listed.append(result("c1", "m n"))
    ctx.sync(listed)
    short = user("The user wants it written. " + "It was read. " * 60)
    request = told(ctx, [short, *listed[2:]])
    assert "[a client's summary" in request
    assert texts(ctx, [short, *listed[2:]])[-1].startswith("The user wants it written.")


def test_a_summary_made_again_doubles_nothing(ctx: loom.Context) -> None:
    """The client crashed behind its first summary, and sums up anew with the newest kept."""
    listed = [user("question 1"), said("answer 1"), user("question 2"), said("answer 2")]
    ctx.sync([*listed, user("question 3")])
    ctx.sync([user("The first summary.")], compacted=True)
    request = told(ctx, [user("The second."), said("answer 2"), user("question 4")], compacted=True)
    assert request.count("answer 2") == 1 == request.count("question 4")


def test_the_last_words_stand_though_they_were_said_before(ctx: loom.Context) -> None:
    """ "Go on." behind a summary is said anew: it is what is asked now."""
    ctx.sync([user("Read."), said("Read it."), user("Go on."), said("Done."), user("And f2?")])
    long = user("Summary. " + "It was read. " * 60)
    assert texts(ctx, [long, user("Go on.")])[-1] == "Go on."


@pytest.mark.parametrize("given", [{"system": 5}, {"compacted": "yes"}])
def test_odd_arguments_are_refused(ctx: loom.Context, given: dict[str, Any]) -> None:
    """Before anything is done, by name."""
    with pytest.raises(loom.BadArgument, match=next(iter(given))):
        ctx.sync([user("go")], **given)
    assert ctx.window.history.next_id == 1
