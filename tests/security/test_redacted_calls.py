"""A call whose arguments held a secret: run whole while the context lives, never from a journal;
and no part of it rests where Loom tells of a call that failed, which is cut."""

from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.replay.audit.misplaced_texts import find_misplaced, rightful_texts
from loom_partitions import laws
from loom_partitions.message import Call, Step
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opened_with

SECRET = "sk-ant-" + "a1b2c3d4" * 4
opened = opened_with(window=16_000)


def last(ctx: loom.Context) -> Step:
    """The last step."""
    return next(e for e in ctx.window.history.stream.entries_back if isinstance(e, Step))


def kept_nowhere(folder: Path) -> bool:
    """True when no file of the folder holds the secret."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return bool(files) and not any(SECRET.encode() in path.read_bytes() for path in files)


@pytest.mark.parametrize("large", ["", "and so on, line by line\n" * 8_000], ids=["small", "paged"])
def test_after_a_reopen_the_host_never_sees_it(opened: Open, tmp_path: Path, large: str) -> None:
    """The plain loop runs nothing; the model is told that it was not run, and what to do."""
    text = json.encode({"path": ".env", "content": large + SECRET}).decode()
    ctx = opened()
    ctx.user("Write it.")
    ctx.turn()
    ctx.reply(loom.Reply((loom.ToolCall("c0", "write_file", text),)))
    assert ctx.calls[0].arguments == text and kept_nowhere(tmp_path)
    ctx = opened()
    assert ctx.calls == () and not ctx.window.history.open_calls
    with pytest.raises(loom.BadInput, match="waits for a result"):
        ctx.run("c0")
    turn = ctx.turn()
    (said,) = (m["content"] for m in turn.request()["messages"] if m.get("tool_call_id") == "c0")
    assert "It may have taken effect before: check" in said
    assert "call again with the variable" in said and not laws.paired(ctx.window)
    assert not list(find_misplaced(turn, ctx.window, rightful_texts(ctx.window, ctx._engine.read)))
    (outcome,) = last(ctx).outcomes
    assert outcome.error and outcome.stand_in and outcome.text.marked


class Refusing(loom.Capability):
    """Runs nothing; tells why in the words of the command."""

    name = "refusing"

    def __init__(self, error: type[Exception]) -> None:
        self.error = error

    def run(self, call: Call, context: loom.Context) -> loom.Executed | None:
        """Refuse any call."""
        raise self.error(loom.arguments_of(call)["command"][:200])


@all_cases("error", [loom.LoomError, ValueError])
@all_cases("left", [10, 20, 30, 46])
def test_a_refusal_holds_no_beginning_of_a_secret(
    tmp_path: Path, error: type[Exception], left: int
) -> None:
    """A refusal is cut to 200 characters, so many of them the secret's: journal and request are
    clean, and the command around it is told."""
    command = "curl --header key=".rjust(200 - left, "x") + SECRET + " https://host.example"
    calls = (loom.ToolCall("c", "Bash", json.encode({"command": command}).decode()),)
    with loom.open(tmp_path, window=16_000, durable=False, capabilities=[Refusing(error)]) as ctx:
        ctx.reply(loom.Reply(calls))
        told = ctx.run("c")
        request = json.encode(ctx.turn().request("openai"))
    assert isinstance(told, error)  # the host's is exact
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert SECRET[:14].encode() not in held + request
    assert b"curl --header key=[redacted:" in request


@all_cases("left", [0, 140, 150, 158])
@all_cases("fails", [False, True])
def test_an_answer_of_an_own_tool_holds_no_part_of_a_secret(
    tmp_path: Path, left: int, *, fails: bool
) -> None:
    """Neither its text, nor the line it is reduced to, which is cut: over cuts and a renewal."""
    said = "name " + "x" * left + " " + SECRET

    class Telling(loom.Capability):
        name = "telling"

        @property
        def tools(self) -> tuple[loom.OwnTool, ...]:
            def tell(edits: object, arguments: object, limit: int) -> str:
                if fails:
                    raise loom.LoomError(said)
                return said

            return (loom.own_tool("tell", "Tell a name.", {}, tell),)

    with loom.open(tmp_path / "w", window=8_192, capabilities=[Telling()], durable=False) as ctx:
        ctx.user("go")
        ctx.reply(loom.Reply((loom.ToolCall("c", "tell", "{}"),)))
        requests = []
        for _ in range(3):
            ctx.user("and on")
            ctx.reply("done " * 50)
            requests.append(json.encode(ctx.turn().request("openai")))
            ctx.renew()
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert SECRET[:11].encode() not in held + b"".join(requests)
