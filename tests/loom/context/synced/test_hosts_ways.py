"""What hosts do with their lists that a plain loop would not, and what clients do that compact
them: each is taken as it is meant."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases
from tests.kit.chat_lists import SUMMED, called, result, said, texts, told, turns, user
from tests.kit.journal import lawful

LONG = "Summary of what went before: " + "the parser was read and mended; " * 30


@pytest.fixture
def ctx(tmp_path: Path):
    """A context with room, whose tools Loom answers."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as made:
        yield made


def test_calls_of_one_id(ctx: loom.Context) -> None:
    """Each has its own result, in their order."""
    both = called(("x", "run", '{"n": 1}'), ("x", "run", '{"n": 2}'))
    sent = texts(ctx, [user("Go."), both, result("x", "one"), result("x", "two")])
    assert sent[-2:] == ["one", "two"]


def test_spaces_are_seen(ctx: loom.Context) -> None:
    """Another indentation is another program."""
    head = [user("Go."), called(("c", "read", "{}"))]
    texts(ctx, [*head, result("c", "if a:\n    b()\n    c()")])
    assert texts(ctx, [*head, result("c", "if a:\n    b()\nc()")])[-1] == "if a:\n    b()\nc()"


def test_nobody_speaks_with_the_users_voice(ctx: loom.Context) -> None:
    """What a client writes in the name of the model, or of a tool, stands quoted."""
    rest = [user("u3"), said("a3"), user("u4")]
    texts(ctx, [user("Task."), said("a1"), user("u2"), said("a2"), user("v"), said("b"), *rest])
    put = [
        user(LONG),
        said("Got it, I delete all."),
        called(("n", "run", "{}")),
        result("n", "OUT"),
    ]
    wire = ctx.sync([*put, *rest]).request("openai")["messages"]
    found = [one["content"] for one in wire if one["role"] == "user"]
    for text in ("Got it, I delete all.", "OUT"):
        [line] = [row for one in found for row in str(one).splitlines() if text in row]
        assert line.startswith("> ")


def standing(ctx: loom.Context) -> list[str]:
    """What the entries say that stand."""
    index = ctx._engine.workspace.index
    found = (ctx.history.restore(one) for one in index.commits if not index.is_undone(one))
    return [one.text or repr(one.reply) for one in found]


def test_a_purge_keeps_the_way_back(tmp_path: Path) -> None:
    """A value that stands in the window gone back to is taken out of the record's window, too."""
    value = "tk-9f3Kd82mQzX1vB7n"
    with loom.open(tmp_path / "w", window=64_000, durable=False, redact=()) as ctx:
        ctx.sync([user(f"A {value}")])
        ctx.sync([user(f"A {value}"), said("Yes."), user("B")])
        ctx.sync([user(f"A {value}"), said("Yes."), user("B2")])
    assert loom.purge(tmp_path / "w", [value], durable=False).places
    assert all(value.encode() not in one.read_bytes() for one in (tmp_path / "w").rglob("*.jsonl"))
    with loom.open(tmp_path / "w", durable=False, redact=()) as ctx:
        assert "B2" in standing(ctx) and "B" not in standing(ctx) and lawful(ctx) == []


def status(id: str) -> dict[str, Any]:
    """The same call every time, under another id."""
    return called((id, "status", "{}"))


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


@pytest.mark.parametrize("given", [{"system": 5}, {"compacted": "yes"}])
def test_odd_arguments_are_refused(ctx: loom.Context, given: dict[str, Any]) -> None:
    """Before anything is done, by name."""
    with pytest.raises(loom.BadInput, match=next(iter(given))):
        ctx.sync([user("go")], **given)
    assert ctx.window.history.next_id == 1


NAMES = ["working", "recall", "page_in", "compact_now"]


def sent(turn: loom.Turn) -> str:
    """The messages of a request, as one text."""
    return json.dumps(turn.request("openai")["messages"])


def asked(name: str, number: int) -> dict[str, Any]:
    """A call of the host's tool, which its list has."""
    return called((f"c{number}", name, json.dumps({"id": f"q{number}", "question": "What now?"})))


def test_an_answer_of_looms_in_the_list_is_no_other(ctx: loom.Context) -> None:
    """A host that lists what Loom answered adds nothing."""
    ctx.sync([user("Ask.")])
    ctx.reply(called(("c1", "working", '{"action": "note", "text": "the parser"}')))
    before = sent(ctx.turn())
    told = ctx.history.restore(2).results["c1"]
    listed = [
        user("Ask."),
        called(("c1", "working", '{"action": "note", "text": "the parser"}')),
        result("c1", told),
    ]
    assert sent(ctx.sync(listed)) == before


@all_cases("name", NAMES)
def test_a_hosts_tool_of_a_name_of_looms(ctx: loom.Context, name: str) -> None:
    """The list is the host's word: its result stands, listed with its call, behind it, or behind a
    reply that was given; Loom answers nothing."""
    listed = [user("Ask."), asked(name, 1), result("c1", "KEY-1")]
    assert sent(ctx.sync([*listed, user("And?")])).count("KEY-1") == 1
    ctx.sync([*listed, user("And?"), asked(name, 2)])
    listed = [*listed, user("And?"), asked(name, 2), result("c2", "KEY-2")]
    assert {"KEY-1", "KEY-2"} <= {*re.findall(r"KEY-\d", sent(ctx.sync(listed)))}
    ctx.reply(asked(name, 3))
    assert "KEY-3" in sent(ctx.sync([*listed, asked(name, 3), result("c3", "KEY-3")]))


SUMMARY = user("SUM " + "It was read and noted. " * 40)


def grown(ctx: loom.Context, listed: list[Any]) -> list[Any]:
    """Give a list as it grew, a message at a time where no call waits."""
    for at, one in enumerate(listed, 1):
        if not one.get("tool_calls"):
            ctx.sync(listed[:at])
    return listed


def test_a_call_whose_id_was_used_before_is_another(ctx: loom.Context) -> None:
    """Behind a summary a server counts its calls from the start."""
    call, again = ("f:0", "bash", '{"command": "cat a"}'), ("f:0", "bash", '{"command": "pytest"}')
    grown(ctx, [user("t"), called(call), result("f:0", "A text"), said("x"), user("q"), said("y")])
    listed = [SUMMARY, called(again), result("f:0", "3 FAILED"), said("they fail"), user("sure?")]
    request = told(ctx, listed)
    assert "pytest" in request and "3 FAILED" in request and "> they fail" not in request


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


@pytest.mark.parametrize(
    "listed",
    [[SUMMED, *turns("q2", "a2", "q3")], [*turns("task"), *turns("q1"), SUMMED, *turns("q3")]],
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
