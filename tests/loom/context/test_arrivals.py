"""Calls whose results do not come, come late, or come to another life of the workspace."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import loom
from loom.compress.entry_line import line
from loom.providers.formats import FORMATS
from loom.providers.formats.laws import broken
from loom_partitions import laws
from loom_partitions.message import Detail, Outcome, Step, UserTurn
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import calls

ROOT = Path(__file__).parent.parent.parent.parent
NOISE = "the build went on and on as builds do\n"
RAW = bytes(range(256)) * 8


def reopened(folder: Path) -> loom.Context:
    """The next life of a workspace that was opened without tools of Loom's own."""
    return plain(folder)


def commits(folder: Path) -> int:
    """How many commits the journal holds."""
    return sum(
        len(path.read_bytes().splitlines()) for path in sorted((folder / "journal").iterdir())
    )


def messages(turn: loom.Turn) -> list[bytes]:
    """The Chat messages of a request, as bytes."""
    return [json.encode(message) for message in turn.request("openai")["messages"]]


def unlawful(turn: loom.Turn) -> list[str]:
    """What any provider would refuse of a request."""
    return [
        f"{format}: {what}"
        for format in FORMATS
        for what in broken(format, turn.request(format, model="m"))
    ]


def outcomes(ctx: loom.Context) -> dict[str, Outcome]:
    """The results of the newest step by call id."""
    step = next(item for item in reversed(ctx.window.history.stream) if isinstance(item, Step))
    return {outcome.call_id: outcome for outcome in step.outcomes}


def pages(ctx: loom.Context) -> list[bytes]:
    """What every page holds."""
    pager = ctx._engine.workspace.pager
    return [pager.get(name) for name in pager.table]


def crowded(ctx: loom.Context, cuts: int) -> None:
    """Work on until as many cuts have been made."""
    for number in range(400):
        if ctx.window.sent.cuts >= cuts:
            return
        ctx.turn()
        ctx.reply(calls(f"more{number}"))
        ctx.result(f"more{number}", NOISE * (20 + number % 7))
    raise AssertionError("no cut came")


@pytest.fixture
def ctx(folder: Path) -> Iterator[loom.Context]:
    """Three parallel calls, the middle one answered."""
    with plain(folder, window=8_000) as made:
        made.system("be careful")
        made.user("go on")
        made.turn()
        made.reply(calls("a", "b", "c"))
        made.result("b", "done well")
        yield made


def test_nothing_open_nothing_given_up(folder: Path) -> None:
    """Without open calls `abandon` is no commit, in an empty workspace and after a whole step."""
    with loom.open(folder, window=8_000, durable=False) as ctx:
        before, window = commits(folder), ctx.window
        ctx.abandon("nothing")
        ctx.reply(calls("a"))
        ctx.result("a", "fine")
        stood = commits(folder)
        ctx.abandon("nothing")
        ctx.abandon()
        assert commits(folder) == stood == before + 2
        assert ctx.window != window
        assert not any(outcome.stand_in for outcome in outcomes(ctx).values())


def test_abandoned_calls_are_told(ctx: loom.Context, folder: Path) -> None:
    """Every open call gets a marked error that says why, in one commit; a real result stays."""
    before = commits(folder)
    ctx.abandon("the machine went to sleep")
    assert commits(folder) == before + 1
    assert ctx.calls == ()
    told = outcomes(ctx)
    assert [(id, told[id].stand_in, told[id].error) for id in "abc"] == [
        ("a", True, True),
        ("b", False, False),
        ("c", True, True),
    ]
    for id in "ac":
        assert "the machine went to sleep" in (told[id].text.body or "")
    turn = ctx.turn()
    assert str(turn.request()).count("the machine went to sleep") == 2
    assert "done well" in str(turn.request())
    assert unlawful(turn) == []
    ctx.abandon("again")
    assert ctx.turn().sha256 == turn.sha256


def test_an_abandoned_call_is_no_error_of_its_tool(tmp_path: Path) -> None:
    """It is neither counted nor told as one; its line says that nothing is known, at any detail."""
    args = {"Bash": {"command": "make test"}, "Write": {"path": "a.py", "content": "x = 1"}}
    made = (loom.ToolCall(t, t, json.encode(given).decode()) for t, given in args.items())
    with plain(tmp_path / "given up", window=9_000) as ctx:
        ctx.user("Go on.")
        ctx.reply(loom.Reply(tuple(made)))
        ctx.abandon("the machine slept " * 99)
        (step,) = (e for e in ctx.window.history.stream.entries if isinstance(e, Step))
        assert not step.failed and ctx.window.working.errors == ()
        assert not [fact for fact in step.facts if fact.kind == "error"]
        for detail in (Detail.REDUCED, Detail.COMPACT):
            said = line(step, detail, ctx._engine.read)
            assert said.count("no result: may or may not have taken effect") == 2
            assert "exit" not in said and "Wrote" not in said and "failed" not in said
        mark = ctx.window.config.mark
        for outcome in step.outcomes:
            body = outcome.text.body or ""
            assert body.startswith(f"[no result {mark}: the machine slept ") and len(body) < 400
            assert body in str(ctx.turn().messages)


def test_a_turn_still_waits_for_calls_of_this_life(ctx: loom.Context) -> None:
    """`turn` never gives up calls that this session made."""
    with pytest.raises(loom.OpenCalls):
        ctx.turn()
    assert [call.id for call in ctx.calls] == ["a", "c"]


def test_the_late_result_is_appended(ctx: loom.Context) -> None:
    """It is an entry at the tail, the request before a prefix of the next, its text restorable."""
    ctx.abandon("asleep")
    before = messages(ctx.turn())
    entry = ctx.window.history.next_id
    ctx.result("c", "späte Antwort 迟到 🎉\x00")
    assert ctx.window.history.next_id == entry + 1
    assert isinstance(list(ctx.window.history.stream.entries)[-1], UserTurn)
    turn = ctx.turn()
    after = messages(turn)
    assert after[: len(before)] == before
    assert len(after) > len(before)
    assert "späte Antwort 迟到 🎉" in str(turn.request())
    assert "c" in ctx.history.restore(entry).text
    assert "späte Antwort 迟到 🎉\x00" in ctx.history.restore(entry).text
    assert unlawful(turn) == []
    assert outcomes(ctx)["c"].stand_in


def test_late_results_in_any_order(ctx: loom.Context) -> None:
    """Both late results land, last call first, and each only once."""
    ctx.abandon("asleep")
    ctx.result("c", "of c")
    ctx.result("a", "of a")
    assert [ctx.history.restore(id).text.split("\n")[-1] for id in (3, 4)] == ["of c", "of a"]
    assert unlawful(ctx.turn()) == []
    for id in "abc":
        with pytest.raises(loom.AnsweredCall, match=f"'{id}'"):
            ctx.result(id, "again")
    with pytest.raises(loom.UnknownCall, match="'d'"):
        ctx.result("d", "never made")


REFUSED = [("a", loom.AnsweredCall), ("b", loom.AnsweredCall), ("d", loom.UnknownCall)]


@pytest.mark.parametrize(("id", "error"), REFUSED)
def test_a_refused_result_leaves_nothing(
    ctx: loom.Context, folder: Path, id: str, error: type[Exception]
) -> None:
    """A second or unknown result raises before anything is stored, also after a reopen."""
    ctx.abandon("asleep")
    ctx.result("a", "late")
    before, window = commits(folder), ctx.window
    with pytest.raises(error):
        ctx.result(id, "again")
    assert commits(folder) == before
    assert ctx.window is window
    ctx.close()
    with reopened(folder) as again, pytest.raises(error):
        again.result(id, "again")


def test_late_by_the_call_object(ctx: loom.Context) -> None:
    """The Call a host kept from `ctx.calls` names a late result as its id does."""
    kept = {call.id: call for call in ctx.calls}
    ctx.abandon("asleep")
    ctx.result(kept["a"], {"ok": True})
    assert '{"ok":true}' in ctx.history.restore(ctx.window.history.next_id - 1).text


def test_a_late_error_is_an_error(ctx: loom.Context) -> None:
    """A late failure is told apart from a late success of the same text."""
    ctx.abandon("asleep")
    ctx.result("a", "it went wrong")
    ctx.result("c", "it went wrong", error=True)
    fine, failed = (ctx.history.restore(id).text for id in (3, 4))
    assert "it went wrong" in failed
    assert failed.replace(" c", " a") != fine


def test_late_after_the_step_was_cut_away(ctx: loom.Context, folder: Path) -> None:
    """The step was lowered, folded, renewed away: the late result lands where the session is."""
    ctx.abandon("asleep")
    crowded(ctx, 6)
    ctx.renew(history=300)
    assert not any(isinstance(e, Step) and e.id == 2 for e in ctx.window.history.stream.entries)
    before = messages(ctx.turn())
    entry = ctx.window.history.next_id
    ctx.result("a", "better late")
    after = messages(ctx.turn())
    assert after[: len(before)] == before
    assert "better late" in ctx.history.restore(entry).text
    ctx.close()
    with reopened(folder) as again:
        assert messages(again.turn()) == after
        again.result("c", "later still")
        assert "later still" in str(again.turn().request())
        assert unlawful(again.turn()) == []
        assert again.history.restore(2).results["b"] == "done well"


def test_a_second_late_result_after_a_cut(ctx: loom.Context) -> None:
    """A second late result is told from one of an unknown call wherever the step has gone."""
    ctx.abandon("asleep")
    crowded(ctx, 6)
    ctx.result("a", "better late")
    with pytest.raises(loom.AnsweredCall):
        ctx.result("a", "twice")


def test_late_bytes_are_kept(ctx: loom.Context) -> None:
    """A late payload that is no UTF-8 text rests on a page, byte for byte."""
    ctx.abandon("asleep")
    ctx.result("a", RAW)
    assert RAW in pages(ctx)
    assert unlawful(ctx.turn()) == []


def test_a_huge_late_result(ctx: loom.Context) -> None:
    """A late result larger than the window fits by reference, and every byte comes back."""
    ctx.abandon("asleep")
    ctx.turn()
    entry = ctx.window.history.next_id
    huge = "".join(f"{number} {NOISE}" for number in range(4_000))
    ctx.result("a", huge)
    turn = ctx.turn()
    assert turn.pressure.rho <= 1.0
    assert huge in ctx.history.restore(entry).text
    assert laws.counted(ctx.window) == []


def test_late_secrets_do_not_enter(ctx: loom.Context, folder: Path) -> None:
    """Why and late result are redacted like everything else that comes in."""
    secret = "ghp_q8Zt3LmX7vRk2WpN5sYd9HcB4fJg6TuA1eQo"
    ctx.abandon(f"lost {secret}")
    ctx.result("a", f"token {secret}")
    assert secret not in str(ctx.turn().request())
    ctx.close()
    for path in folder.rglob("*"):
        if path.is_file():
            assert secret.encode() not in path.read_bytes(), path


WHYS = ["", " ", "\n\n", "left \ud800 alone", "\x00\x1b[31m", "long " * 20_000, "很长的原因"]


@all_cases("why", WHYS, ids=[repr(why)[:12] for why in WHYS])
def test_any_reason(ctx: loom.Context, folder: Path, why: str) -> None:
    """Whatever the reason's text, the request is lawful, fits, and is the same after a reopen."""
    ctx.abandon(why)
    turn = ctx.turn()
    assert unlawful(turn) == []
    assert turn.pressure.rho < 1.0
    assert all(outcome.text.tokens for outcome in outcomes(ctx).values())
    ctx.close()
    with reopened(folder) as again:
        assert again.turn().sha256 == turn.sha256


def test_late_while_other_calls_wait(ctx: loom.Context) -> None:
    """A late result between a new call and its result disturbs neither."""
    ctx.abandon("asleep")
    ctx.turn()
    ctx.reply(calls("d", "e"))
    ctx.result("d", "of d")
    ctx.result("a", "of a, late")
    assert [call.id for call in ctx.calls] == ["e"]
    with pytest.raises(loom.OpenCalls):
        ctx.turn()
    ctx.result("e", "of e")
    turn = ctx.turn()
    assert unlawful(turn) == []
    assert ctx.history.restore(3).results == {"d": "of d", "e": "of e"}
    assert "of a, late" in ctx.history.restore(4).text


def test_an_open_call_comes_before_a_late_one(ctx: loom.Context) -> None:
    """Where a provider uses an id again, the result belongs to the call that waits."""
    ctx.abandon("asleep")
    ctx.turn()
    ctx.reply(calls("a"))
    assert [call.id for call in ctx.calls] == ["a"]
    ctx.result("a", "of the new one")
    assert ctx.calls == ()
    assert "of the new one" in ctx.history.restore(3).results.values()
    assert unlawful(ctx.turn()) == []


def test_many_calls_given_up(folder: Path) -> None:
    """Sixty parallel calls are given up in one commit, and each late result lands."""
    ids = [f"c{number}" for number in range(60)]
    with loom.open(folder, window=32_000, durable=False) as ctx:
        ctx.reply(calls(*ids))
        ctx.abandon("all at once")
        assert unlawful(ctx.turn()) == []
        for id in reversed(ids):
            ctx.result(id, f"late {id}.")
        assert unlawful(ctx.turn()) == []
        texts = "".join(ctx.history.restore(id).text for id in range(2, ctx.window.history.next_id))
        assert all(f"late {id}." in texts for id in ids)


def test_given_up_again_and_again(folder: Path) -> None:
    """Step after step is given up, cuts come, and the newest late results still land."""
    with plain(folder, window=4_000) as ctx:
        for number in range(100):
            ctx.turn()
            ctx.reply(calls(f"c{number}"))
            ctx.abandon(f"round {number}")
        assert ctx.window.sent.cuts
        for number in range(60, 100):
            ctx.result(f"c{number}", f"late {number}")
            assert f"late {number}" in ctx.history.restore(ctx.window.history.next_id - 1).text
        assert ctx.turn().pressure.rho <= 1.0


def test_one_id_given_up_twice(folder: Path) -> None:
    """Two calls of one id, both given up: each of two late results is taken, none is lost."""
    with reopened(folder) as ctx:
        for _ in range(2):
            ctx.turn()
            ctx.reply(calls("call_0"))
            ctx.abandon("asleep")
        ctx.result("call_0", "the first")
        ctx.result("call_0", "the second")
        assert "the first" in str(ctx.turn().request())
        assert "the second" in str(ctx.turn().request())
        with pytest.raises(loom.AnsweredCall):
            ctx.result("call_0", "the third")


def test_more_given_up_than_remembered(folder: Path) -> None:
    """However many calls one reply makes, none of their late results is refused."""
    ids = [f"c{number}" for number in range(80)]
    with loom.open(folder, window=32_000, durable=False) as ctx:
        ctx.reply(calls(*ids))
        ctx.abandon("all at once")
        for id in ids:
            ctx.result(id, f"late {id}.")
        texts = "".join(ctx.history.restore(id).text for id in range(2, ctx.window.history.next_id))
        assert all(f"late {id}." in texts for id in ids)


def test_own_calls_are_never_given_up(folder: Path) -> None:
    """Loom answers its own calls at once: beside an abandoned one its answer stays."""
    with loom.open(folder, window=8_000, durable=False) as ctx:
        ctx.user("one\ntwo\nthree")
        own = loom.ToolCall("own", "page_in", '{"ref":"user_0001"}')
        ctx.reply(loom.Reply((own, loom.ToolCall("host", "Bash", "{}"))))
        assert [call.id for call in ctx.calls] == ["host"]
        ctx.abandon("asleep")
        assert {id: made.stand_in for id, made in outcomes(ctx).items()} == {
            "own": False,
            "host": True,
        }
        assert "two" in ctx.history.restore(2).results["own"]


DIES = """
import os, sys, loom
ctx = loom.open(sys.argv[1], window=8_000, policy=loom.Policy(own_tools=False))
ctx.user("go on")
ctx.turn()
ctx.reply(loom.Reply(tuple(loom.ToolCall(i, "Bash", '{"command":"ls"}') for i in "abc")))
ctx.result("b", "done well")
os._exit(7)
"""


def killed(folder: Path) -> None:
    """Leave the workspace as a killed process does."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", DIES, str(folder)], env=env, timeout=240)
    assert done.returncode == 7


def closed(folder: Path) -> None:
    """Leave the workspace as an orderly end does, with calls open."""
    with plain(folder, window=8_000) as ctx:
        ctx.user("go on")
        ctx.turn()
        ctx.reply(calls("a", "b", "c"))
        ctx.result("b", "done well")


LEFT = {"closed": closed, "killed": killed}


@pytest.mark.parametrize("end", LEFT)
def test_answered_in_the_next_life(folder: Path, end: str) -> None:
    """The next life lists the open calls; answered, the session goes on as if nothing was."""
    LEFT[end](folder)
    with reopened(folder) as ctx:
        assert [(call.id, call.name, call.arguments) for call in ctx.calls] == [
            ("a", "Bash", '{"command":"ls"}'),
            ("c", "Bash", '{"command":"ls"}'),
        ]
        for call in ctx.calls:
            ctx.result(call, f"of {call.id}")
        turn = ctx.turn()
        assert unlawful(turn) == []
        assert ctx.history.restore(2).results == {"a": "of a", "b": "done well", "c": "of c"}
        assert not any(outcome.stand_in for outcome in outcomes(ctx).values())
        assert ctx.window.history.interrupted == ()


@pytest.mark.parametrize("end", LEFT)
def test_a_turn_gives_up_what_another_life_left(folder: Path, end: str) -> None:
    """The first `turn` of the next life goes on without them; late results are still taken."""
    LEFT[end](folder)
    with reopened(folder) as ctx:
        turn = ctx.turn()
        assert unlawful(turn) == []
        assert {id: made.stand_in for id, made in outcomes(ctx).items()} == {
            "a": True,
            "b": False,
            "c": True,
        }
        before = messages(turn)
        ctx.result("a", "found it after all")
        after = messages(ctx.turn())
        assert after[: len(before)] == before
        assert "found it after all" in ctx.history.restore(3).text


def test_opening_alone_changes_nothing(folder: Path) -> None:
    """A life that only looks leaves the calls open for the one after it."""
    closed(folder)
    before = commits(folder)
    for _ in range(2):
        with reopened(folder) as ctx:
            assert [call.id for call in ctx.calls] == ["a", "c"]
    assert commits(folder) == before


def test_partly_answered_then_given_up(folder: Path) -> None:
    """One call answered in the next life: the turn after it gives up the other alone."""
    closed(folder)
    with reopened(folder) as ctx:
        ctx.result("c", "of c")
        assert [call.id for call in ctx.calls] == ["a"]
        try:
            ctx.turn()
        except loom.OpenCalls:
            pytest.fail("the call was left by another life")
        assert {id: made.stand_in for id, made in outcomes(ctx).items()} == {
            "a": True,
            "b": False,
            "c": False,
        }


def test_calls_of_this_life_are_waited_for_after_a_reopen(folder: Path) -> None:
    """What an earlier life left is given up once; what this life calls is waited for."""
    closed(folder)
    with reopened(folder) as ctx:
        ctx.turn()
        ctx.reply(calls("d"))
        with pytest.raises(loom.OpenCalls):
            ctx.turn()
        ctx.result("d", "of d")
        assert unlawful(ctx.turn()) == []


def test_a_reply_does_not_give_up(folder: Path) -> None:
    """Only `turn` and `abandon` give calls up: a reply over open calls is refused and not kept."""
    closed(folder)
    with reopened(folder) as ctx:
        before = commits(folder)
        with pytest.raises(loom.OpenCalls):
            ctx.reply("well then")
        assert commits(folder) == before
        assert [call.id for call in ctx.calls] == ["a", "c"]


def test_words_of_the_user_between_the_lives(folder: Path) -> None:
    """A message before the first turn of the next life comes after the results given up."""
    closed(folder)
    with reopened(folder) as ctx:
        ctx.user("are you there?")
        turn = ctx.turn()
        assert unlawful(turn) == []
        text = str(turn.request("openai")["messages"])
        assert text.index("done well") < text.index("are you there?")


def test_secrets_in_arguments_of_a_given_up_call(folder: Path) -> None:
    """A reopened workspace gives a call with redacted arguments up, and takes the late result."""
    secret = "ghp_q8Zt3LmX7vRk2WpN5sYd9HcB4fJg6TuA1eQo"
    with plain(folder, window=8_000) as ctx:
        ctx.user("go on")
        ctx.turn()
        arguments = json.encode({"command": f"curl -H {secret}"}).decode()
        ctx.reply(loom.Reply((loom.ToolCall("a", "Bash", arguments),)))
        assert ctx.calls[0].arguments == arguments
    with reopened(folder) as ctx:
        assert ctx.calls == () and ctx.window.history.interrupted == ("a",)
        assert unlawful(ctx.turn()) == []
        ctx.result("a", "late")
        request: dict[str, Any] = ctx.turn().request()
        assert "late" in str(request)
        assert secret not in str(request)
