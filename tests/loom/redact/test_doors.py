"""No secret reaches the disk or a request, by whatever door of a context it comes in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import loom
from tests.kit.cases import all_cases
from tests.kit.secrets_made import MIXED, SECRET


def made(id: str, name: str, arguments: str) -> loom.Reply:
    """A reply with one call."""
    return loom.Reply((loom.ToolCall(id, name, arguments),))


def answered(ctx: loom.Context, value: object) -> None:
    """A call with its result."""
    ctx.reply(made("c", "Bash", "{}"))
    ctx.result("c", value)


def door(name: str, give: Any) -> Any:
    """A way a secret may come in."""
    return pytest.param(give, id=name)


ASKED = json.encode({"ref": SECRET, "query": SECRET, "command": SECRET}).decode()
# Beside those of `tests/security/secrets`, which come by every other way there is.
DOORS = [
    door("long user", lambda c: c.user(f"use {SECRET} now\n" * 400)),
    door("memory", lambda c: c.memory.remember("k", f"use {SECRET}\n" * 90)),
    door("skill", lambda c: c.skills.activate("k", SECRET)),
    door("progress", lambda c: c.working.progress(SECRET)),
    door("question", lambda c: c.working.ask(SECRET, SECRET)),
    door("long arguments", lambda c: (c.reply(made("c", "W", ASKED * 900)), c.result("c", "ok"))),
    door("long result", lambda c: answered(c, f"key: {SECRET}\n" * 900)),
    door("spelled", lambda c: answered(c, f'{{"url":"x?token\\u003d{SECRET}"}}')),
    door("beside letters", lambda c: answered(c, f"パスワードは{SECRET}です")),
    door("signal kind", lambda c: c.events.signal("e", "x", kind=SECRET)),
    door(
        "evidence fact", lambda c: c.working.evidence("e", "x", facts=[SECRET], conflicts=[SECRET])
    ),
    door("outcome", lambda c: c.finish(f"used {SECRET}")),
    door("key", lambda c: c.memory.remember(SECRET, "x")),
    door("page_in", lambda c: c.reply(made("o", "page_in", ASKED))),
]


def holding(folder: Path, needle: bytes) -> list[str]:
    """The files of a workspace that hold some bytes, in any case of letters."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and needle.lower() in path.read_bytes().lower()
    ]


@all_cases("give", DOORS)
def test_no_secret_reaches_the_disk(folder: Path, give: Callable[[loom.Context], object]) -> None:
    """Whatever door a secret comes in by, no file of the workspace and no request holds it."""
    with loom.open(folder, window=8_000, durable=False) as ctx:
        give(ctx)
        sent = [json.encode(ctx.turn().request(format)) for format in ("openai", "anthropic")]
    assert holding(folder, SECRET.encode()) == []
    assert not any(SECRET.encode() in request for request in sent)


@all_cases("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@all_cases("lines", [1, 200])
@all_cases("said", ["key: {0}", "パス{0}です"])
def test_bytes_in_wide_letters(folder: Path, encoding: str, lines: int, said: str) -> None:
    """A result in UTF-16 is looked into as such: neither a page nor a request holds the secret."""
    text = f"{said.format(SECRET)}\n" * lines
    with loom.open(folder, window=8_000, durable=False) as ctx:
        answered(ctx, text.encode(encoding))
        request = json.encode(ctx.turn().request("openai"))
    narrow = SECRET.encode()
    for path in folder.rglob("*"):
        assert not path.is_file() or narrow not in path.read_bytes().replace(b"\0", b"")
    assert narrow not in request.replace(b"\\u0000", b"")


def test_counts_are_recorded(folder: Path) -> None:
    """The journal tells how many secrets were replaced, by kind."""
    with loom.open(folder, durable=False) as ctx:
        ctx.user(f"use {SECRET} and {SECRET}")
        last = ctx._engine.workspace.records(ctx._engine.workspace.commits)
    assert [getattr(record, "counts", None) for record in last] == [None, {"api-key": 2}]


def test_a_signed_block_is_dropped_whole(folder: Path) -> None:
    """Opaque reasoning that holds a secret leaves no part of itself; one that does not stays."""
    block = {"type": "thinking", "thinking": f"the key is {SECRET}", "signature": "sigsig"}
    clean = {"type": "thinking", "thinking": "the key is safe", "signature": "gisgis"}
    parts = [json.encode(b).decode() for b in (block, clean)]
    with loom.open(folder, durable=False) as ctx:
        thoughts = [loom.Reasoning("", opaque, "anthropic") for opaque in parts]
        ctx.reply(loom.Reply((*thoughts, loom.Speech("done"))))
        sent = json.encode(ctx.turn().request("anthropic"))
        back = ctx.history.restore(1).reply
    assert back is not None
    assert back.parts[:2] == (loom.Reasoning(), thoughts[1])
    assert b"sigsig" not in sent
    assert b"gisgis" in sent
    assert holding(folder, b"sigsig") == []


@pytest.mark.parametrize(
    "spelt", ["sk-{rest}", "\\u0073k-{rest}", "https:\\/\\/me:{rest}@host\\/a"]
)
def test_arguments_within_arguments(folder: Path, spelt: str) -> None:
    """A gateway's arguments may be JSON in JSON: a secret spelled with escapes there is found.

    It would stand in the clear in what the call is reduced to, where the inner JSON is read.
    """
    rest = MIXED
    inner = f'{{"path": "{spelt.format(rest=rest)}"}}'
    given = json.encode({"name": "Read", "arguments": inner}).decode()
    with loom.open(folder, durable=False) as ctx:
        ctx.reply(loom.Reply((loom.ToolCall("c", "call_tool", given),)))
        ctx.result("c", "done")
        assert rest not in repr(ctx.window)
    assert holding(folder, rest.encode()) == []
