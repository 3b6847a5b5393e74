"""A list given whole each time: what is asked of the provider follows from it, and nothing else."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

import loom
from loom_partitions.records import Renewed, Synced, Undone
from tests.kit.hosts import Called, Replied, Resulted, Told, User, said_by, said_in, wire
from tests.kit.journal import lawful, records
from tests.kit.opened import Open, opened_with, plain

opened = opened_with(window=60_000, policy=loom.Policy(own_tools=False))


def session(steps: int) -> list[Told]:
    """A task, and so many steps with a call."""
    told: list[Told] = [User(("Build the parser.",))]
    for at in range(steps):
        call = Called(f"c{at}", "bash", f"make {at}")
        told += [Replied(f"step {at}", (call,)), Resulted(call, f"output {at}")]
    return told


def given(ctx: loom.Context, told: list[Told], **more: Any) -> loom.Turn:
    """Give a list in OpenAI's format."""
    return ctx.sync(wire("openai", told), **more)


def entries(ctx: loom.Context) -> list[int]:
    """The entries of the messages that are no instructions."""
    return [one.entry for one in ctx.history.synced if one.role != "system"]


def of(ctx: loom.Context, kind: type) -> int:
    """How many records of a kind there are."""
    return sum(isinstance(one, kind) for one in records(ctx))


def test_an_equal_list_changes_nothing(opened: Open) -> None:
    """The request is the same, to the byte, and nothing is written."""
    ctx = opened()
    first = given(ctx, session(3))
    before = ctx._engine.workspace.commits
    again = given(ctx, session(3))
    assert again.request() == first.request() and again.number == first.number
    assert ctx._engine.workspace.commits == before


def test_an_empty_list(opened: Open) -> None:
    """Instructions alone, or nothing, make no entry."""
    ctx = opened()
    ctx.sync([])
    ctx.sync([{"role": "system", "content": "You build."}])
    assert ctx.window.history.next_id == 1
    assert "You build." in str(ctx.turn().request())


def test_a_growing_list_only_grows_the_request(opened: Open) -> None:
    """Each request begins with the one before, and says what the list says."""
    ctx, before = opened(), []
    for steps in range(6):
        request = given(ctx, session(steps)).request()
        assert said_in("openai", request, set()) == said_by(session(steps))
        assert request["messages"][: len(before)] == before
        before = request["messages"]


def test_instructions_are_put_in_their_place(opened: Open) -> None:
    """Those given apart before those of the list; changed ones take the place of the old."""
    ctx = opened()
    told = [User(("hello",))]
    said = str(given(ctx, told, system="Be brief.").request()["messages"][0])
    assert said.index("Be brief.") < said.index("You build things.")
    ctx.sync([{"role": "system", "content": "Break things."}, {"role": "user", "content": "hello"}])
    ctx.renew()
    assert "You build things." not in str(ctx.turn().request())
    assert entries(ctx) == [1]


@pytest.mark.parametrize("at", [0, 2, 4])
def test_an_edit_undoes_what_followed(opened: Open, at: int) -> None:
    """The message as it is now stands, what was kept stands, and nothing of before does."""
    ctx, told = opened(), session(4)
    for steps in range(5):
        given(ctx, told[: 1 + 2 * steps])
    old = told[at]
    told[at] = User(("Build it!",)) if isinstance(old, User) else Resulted(old.call, "better")  # type: ignore[union-attr]
    request = given(ctx, told).request()
    assert said_in("openai", request, set()) == said_by(told)
    assert of(ctx, Undone) == 1 and lawful(ctx) == []
    assert len({*entries(ctx)}) == 5


def test_what_was_undone_can_come_back(opened: Open) -> None:
    """A host that goes to and fro between two lists gets the request of each."""
    ctx, one, two = opened(), session(3), [*session(1), User(("Stop.",))]
    for told in (one, two, one, two, one):
        request = given(ctx, told).request()
        assert said_in("openai", request, set()) == said_by(told)
    assert lawful(ctx) == []


def test_a_list_cut_short(opened: Open) -> None:
    """Going back to a message asks again from there; to nothing begins anew."""
    ctx = opened()
    for steps in range(4):
        given(ctx, session(steps))
    assert said_in("openai", given(ctx, session(1)).request(), set()) == said_by(session(1))
    given(ctx, [])
    assert entries(ctx) == [] and said_in("openai", ctx.turn().request(), set()) == []


SUMMARY = User(("What was done so far: " + "the parser was built in part; " * 40,))


def test_a_summary_in_the_place_of_messages(opened: Open) -> None:
    """The window is renewed, the kept end keeps its entries, what went can be recalled."""
    ctx, told = opened(), session(8)
    given(ctx, told)
    kept = entries(ctx)[-4:]
    given(ctx, [SUMMARY, *told[-4:]])
    assert ctx.window.sent.generation == 2 and entries(ctx)[1:] == kept
    assert ctx.history.restore(entries(ctx)[0]).text == SUMMARY.texts[0]
    assert "output 1" in ctx.recall("output 1")
    before = ctx._engine.workspace.commits
    given(ctx, [SUMMARY, *told[-4:]])
    assert ctx._engine.workspace.commits == before
    given(ctx, [SUMMARY, *told[-4:], User(("Go on.",))])
    assert of(ctx, Renewed) == 1 and of(ctx, Undone) == 0


def test_a_summary_alone_and_what_came_after_it(opened: Open) -> None:
    """Calls that were made since the client summed up are taken in as any other."""
    ctx = opened()
    given(ctx, session(6))
    call = Called("new", "bash", "test")
    told = [SUMMARY, Replied("I go on.", (call,)), Resulted(call, "it passes")]
    said = said_in("openai", given(ctx, told).request(), set())
    assert said[-3:] == said_by(told) and len({*entries(ctx)}) == 2


def test_messages_a_client_keeps_beside_its_summary(opened: Open) -> None:
    """Some keep what the user said, each as it was: its entry is the one it had."""
    ctx = opened()
    told = [*session(2), User(("And document it.",)), *session(4)[5:]]
    given(ctx, told)
    [first, second] = [entries(ctx)[0], entries(ctx)[5]]
    given(ctx, [told[0], told[5], SUMMARY])
    assert entries(ctx)[:2] == [first, second] and entries(ctx)[2] > second
    assert lawful(ctx) == []


def test_a_trimmed_list_stays_as_it_is_known(opened: Open) -> None:
    """A host that forgets its oldest messages changes no request."""
    ctx, told = opened(), session(6)
    before = given(ctx, told).request()
    assert given(ctx, told[-4:]).request() == before
    assert len(entries(ctx)) == 4


def test_a_veto_keeps_the_window(opened: Open) -> None:
    """A host whose hook refuses the renewal gets the summary at the end of what stands."""
    ctx = opened(on_cut=lambda cut: False)
    given(ctx, session(6))
    request = given(ctx, [SUMMARY, *session(6)[-4:]]).request()
    assert ctx.window.sent.generation == 1 and SUMMARY.texts[0] in str(request)


def test_an_edit_of_a_compacted_list_goes_back_before_it(opened: Open) -> None:
    """The host that takes its summary back gets the messages it stood for."""
    ctx, told = opened(), session(6)
    given(ctx, told)
    given(ctx, [SUMMARY, *told[-4:]])
    assert said_in("openai", given(ctx, told).request(), set()) == said_by(told)
    assert lawful(ctx) == []


def test_either_side_may_begin_anew(opened: Open) -> None:
    """What is known is read from the journal: nothing is taken in twice."""
    ctx, told = opened(), session(5)
    given(ctx, told)
    made = ctx.window.history.next_id
    ctx = opened()
    given(ctx, told)
    assert ctx.window.history.next_id == made
    given(ctx, [*told, User(("more",))])
    assert ctx.window.history.next_id == made + 1


def test_a_list_in_another_format_is_known(opened: Open) -> None:
    """A host that changes its provider goes on."""
    ctx, told = opened(), session(5)
    given(ctx, told)
    made = ctx.window.history.next_id
    for format in ("openai", "responses"):
        ctx.sync(wire(format, told), format)
    assert ctx.window.history.next_id == made


def test_open_calls_wait(opened: Open) -> None:
    """A list that ends with a call is taken in, and no request is made of it."""
    ctx = opened()
    with pytest.raises(loom.OpenCalls):
        given(ctx, session(2)[:-1])
    assert [one.id for one in ctx.calls] == ["c1"]
    assert said_in("openai", given(ctx, session(2)).request(), set()) == said_by(session(2))


def test_bad_input_changes_nothing(opened: Open) -> None:
    """A message that is none, or a format nobody reads: the window is what it was."""
    ctx = opened()
    given(ctx, session(2))
    window, commits = ctx.window, ctx._engine.workspace.commits
    with pytest.raises(loom.BadMessage, match="message 1 of the list") as caught:
        ctx.sync([{"role": "user", "content": "edited"}, {"role": "nobody"}])
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
    with pytest.raises(loom.UnknownFormat):
        ctx.sync([], "nobodys")
    with pytest.raises(loom.BadMessage, match="is no list of messages"):
        ctx.sync("hello")
    assert ctx.window == window and ctx._engine.workspace.commits == commits


def test_a_fork_goes_on_with_the_list(opened: Open) -> None:
    """The copy knows it, and each goes its own way."""
    ctx, told = opened(), session(4)
    given(ctx, told)
    with ctx.agents.fork("copy") as copy:
        made = copy.window.history.next_id
        given(copy, [*told, User(("another way",))])
        assert copy.window.history.next_id == made + 1
    given(ctx, told)
    assert ctx.window.history.next_id == made


def test_a_purge_keeps_the_list_known(tmp_path: Path) -> None:
    """A value is taken out of all that rests; the host's list, which has it, is known as before."""
    value = "tk-9f3Kd82mQzX1vB7n"
    told = [User((f"The key is {value}.",)), *session(2)[1:]]
    with plain(tmp_path / "w", redact=(), window=60_000) as ctx:
        given(ctx, told)
        made = ctx.window.history.next_id
    assert loom.purge(tmp_path / "w", [value], durable=False).places
    with plain(tmp_path / "w", redact=()) as ctx:
        request = given(ctx, told).request()
        assert ctx.window.history.next_id == made and value not in str(request)


def test_a_repair_lets_the_list_be_given_again(tmp_path: Path) -> None:
    """Whatever line of the journal is lost, the list says once what it said."""
    told = session(4)
    with plain(tmp_path / "w", window=60_000) as ctx:
        for at in range(len(told)):
            if at % 2 == 0:
                given(ctx, told[: at + 1])
        ctx.reply(loom.Reply((loom.Speech("Done."),)))
        given(ctx, [*told, Replied("Done."), User(("More.",))])
    [segment] = (tmp_path / "w" / "journal").iterdir()
    lines = segment.read_bytes().splitlines(keepends=True)
    whole = [*told, Replied("Done."), User(("More.",))]
    for lost in range(1, len(lines)):
        broken = b"x" * (len(lines[lost]) - 1) + b"\n"
        segment.write_bytes(b"".join([*lines[:lost], broken, *lines[lost + 1 :]]))
        loom.repair(tmp_path / "w", tmp_path / f"r{lost}")
        with plain(tmp_path / f"r{lost}") as ctx:
            request = given(ctx, whole).request()
            said = said_in("openai", request, set())
            told = [one for one in said_by(whole) if one[0] != "result"]
            assert [one for one in said if one in told] == told, lost
            assert [str(request).count(f"output {at}") for at in range(4)] == [1] * 4, lost
            assert len({*entries(ctx)}) == 7 and 0 not in entries(ctx)
            assert lawful(ctx) == []


def test_a_record_of_the_list_is_one_of_its_own(opened: Open) -> None:
    """What is known is told in the commit of the entry it became, by a hash: no text of it."""
    ctx = opened()
    given(ctx, session(1))
    told = [one for one in records(ctx) if isinstance(one, Synced)]
    assert [len(one.messages) for one in told] == [1, 1, 1]
    assert "parser" not in repr(told)
