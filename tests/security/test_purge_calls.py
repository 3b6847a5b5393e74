"""After a purge: a call that waits is not run, the model is told of marks, and others are kept out.

And rules find secrets in bytes that are no text.
"""

from pathlib import Path

import pytest
from msgspec import json

import loom
from loom.cli.app import main
from loom.redact import SECRETS
from loom_partitions.message import Step

SECRET = "sk-ant-" + "a1b2c3d4" * 4
PLAIN = '{"path": "notes.md", "content": "no secret"}'


def last(ctx: loom.Context) -> Step:
    """The last step."""
    entries = ctx.window.history.stream.entries_back
    return next(one for one in entries if isinstance(one, Step))


def waiting(work: Path, *arguments: str) -> None:
    """Leave calls open whose arguments are kept as they came."""
    with loom.open(work, window=16_000, durable=False, redact=()) as ctx:
        ctx.user("Write it.")
        ctx.turn()
        calls = [loom.ToolCall(f"c{at}", "Write", one) for at, one in enumerate(arguments)]
        ctx.reply(loom.Reply(tuple(calls)))
        assert len(ctx.calls) == len(arguments)


@pytest.mark.parametrize("long", ["", "x" * 8_000], ids=["short", "on a page"])
def test_a_waiting_call_is_not_run(tmp_path: Path, long: str) -> None:
    """The one that lost something is answered when the workspace is opened; the other waits."""
    given = json.encode({"path": ".env", "content": f"{long}KEY={SECRET}\n"}).decode()
    waiting(tmp_path / "w", given, PLAIN)
    loom.purge(tmp_path / "w", [SECRET], durable=False)
    with loom.open(tmp_path / "w", durable=False) as ctx:
        assert [call.arguments for call in ctx.calls] == [PLAIN]
        assert [call.redacted for call in last(ctx).calls] == [True, False]
        ctx.result("c1", "done")
        sent = str(ctx.turn().request("openai"))
        assert "not run" in sent or "was not" in sent
    assert main(["check", str(tmp_path / "w")]) == 0


def test_rules_read_what_is_no_text(tmp_path: Path) -> None:
    """A page of bytes that are no UTF-8 loses what rules find, and keeps the rest."""
    work = tmp_path / "w"
    with loom.open(work, durable=False, redact=()) as ctx:
        ctx.user("read it")
        ctx.reply(loom.Reply((loom.ToolCall("c", "Read", "{}"),)))
        ctx.result("c", b"\xff\xfe\x00{ " + f"key={SECRET} ".encode() + bytes(range(128, 256)) * 20)
        ctx.agents.emit("agent.event", b"\xff" + SECRET.encode())
        ctx.turn()
    (work / "outputs" / "left.bak").write_bytes(b'{"a\xff": "' + SECRET.encode() + b'"}')
    assert loom.purge(work, rules=SECRETS, durable=False).kinds.keys() == {"api-key"}
    assert not [p for p in work.rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
    page = next((work / "outputs").glob("read_*"), None)
    assert page is None or bytes(range(128, 256)) in page.read_bytes()
    assert main(["check", str(work)]) == 0
    assert not loom.purge(work, rules=SECRETS, durable=False).places


def test_a_torn_end_holds_nothing(tmp_path: Path) -> None:
    """Bytes of a commit nobody was told of are looked at, too."""
    work = tmp_path / "w"
    with loom.open(work, durable=False) as ctx:
        ctx.user("hello")
    journal = work / "journal" / "000001.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"crc":"00000000","said":"' + SECRET.encode())
    report = loom.purge(work, [SECRET], durable=False)
    assert [one.where for one in report.places] == ["torn end"]
    assert journal.read_bytes().startswith(whole) and SECRET.encode() not in journal.read_bytes()
    assert main(["check", str(work)]) == 0


def test_a_name_like_a_derived_file_is_none(tmp_path: Path) -> None:
    """Files only called like the index, a checkpoint or a lock lose the secret, and stay."""
    work = tmp_path / "w"
    loom.open(work, durable=False).close()
    (work / "notes").mkdir()
    paths = [work / name for name in ("notes/index.db.md", "checkpoints.md", "notes/lock")]
    for path in paths:
        path.write_text(f"use {SECRET}")
    loom.purge(work, [SECRET], durable=False)
    for path in paths:
        assert path.read_text() == "use [redacted:purged]"


def test_a_purge_that_was_cut_short_needs_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted half way it says how to go on, in a line; the next needs no values, no yes."""
    work, values = tmp_path / "w", tmp_path / "values"
    with loom.open(work, durable=False, redact=()) as ctx:
        ctx.user(f"use {SECRET}")
    values.write_text(SECRET)

    def interrupted(root: Path) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("loom_paging.rewriting.carry_out", interrupted)
        assert main(["purge", str(work), "--from", str(values), "--yes"]) == 130
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "half way" in said and f"loom purge {work}" in said
    assert main(["purge", str(work)]) == 0
    assert "done to its end" in capsys.readouterr().out
    assert SECRET.encode() not in (work / "journal" / "000001.jsonl").read_bytes()
