"""What Loom says of a call that failed may repeat the call, cut: no part of a secret rests so."""

from __future__ import annotations

from pathlib import Path

from msgspec import json

import loom
from loom_partitions.message import Call
from tests.kit.cases import all_cases

SECRET = "sk-ant-" + "a1B2c3D4" * 5


class Refusing(loom.Capability):
    """Runs nothing; tells why in the words of the command."""

    name = "refusing"

    def __init__(self, error: type[Exception]) -> None:
        self.error = error

    def run(self, call: Call, context: loom.Context) -> loom.Executed | None:
        """Refuse any call."""
        command = loom.arguments_of(call)["command"]
        if self.error is loom.ToolRefused:
            raise loom.ToolRefused(command, "it is not on the list")
        raise self.error(command[:200])


@all_cases("error", [loom.ToolRefused, loom.LoomError, ValueError])
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
