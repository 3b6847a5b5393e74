"""The ways by which a host, a model or a tool brings a text into a context."""

import quopri
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from io import StringIO
from itertools import count
from pathlib import Path
from struct import pack
from typing import Any
from urllib.parse import quote
from zlib import crc32

from msgspec import json

import loom
from loom.cli.replay import replay
from loom.redact import Rules
from tests.kit.secrets.shapes import Planted

Door = Callable[[loom.Context, int, Planted], object]
# Brings every secret into what rests in `kept` below a folder; returns what went wrong, by kind.
Position = Callable[[Path, Mapping[str, Planted], Rules], dict[str, str]]
CHUNK = 7  # letters of a piece of a stream
WINDOW = 200_000
KEPT = "kept"  # the folder of what Loom writes
PNG = b"\x89PNG\r\n\x1a\n"
PIXEL = b"x\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q"  # one grey pixel, deflated
FILLER = "step 12 of the build went through, nothing to do for the next one\n"
FILLERS = 60  # lines before and after in a large output
WORD = re.compile(r"\w+|[^\w\s]+")
PARTS = 3  # of a secret with colours inside
Dressing = Callable[[Planted], str]


def _lines(text: str, form: str) -> str:
    return "\n".join(form.format(at, line) for at, line in enumerate(text.split("\n"), 12))


def _json(value: object) -> str:
    return json.encode(value).decode()


def diff(planted: Planted) -> str:
    """A patch that takes the lines away and adds them again."""
    lines = planted.text.split("\n")
    changed = "\n".join(f"{sign}{line}" for sign in "-+" for line in lines)
    size = len(lines)
    head = f"--- a/deploy.cfg\n+++ b/deploy.cfg\n@@ -12,{size} +12,{size} @@"
    return f"{head}\n # settings\n{changed}\n"


def coloured(planted: Planted) -> str:
    """The secret in bold green, as a terminal shows a value."""
    return planted.text.replace(planted.secret, f"\x1b[1;32m{planted.secret}\x1b[0m")


def striped(planted: Planted) -> str:
    """The secret with changes of colour inside, as a highlighter or a match of grep makes them."""
    secret = planted.secret
    size = max(1, len(secret) // PARTS)
    cut = (secret[at : at + size] for at in range(0, len(secret), size))
    return planted.text.replace(secret, "\x1b[m\x1b[01;31m".join(cut))


def highlighted(text: str) -> str:
    """Every word and every run of signs in a colour of its own, as a viewer of code shows it."""
    colours = count(31)
    return WORD.sub(lambda found: f"\x1b[38;5;{next(colours) % 200}m{found[0]}\x1b[0m", text)


def escaped(planted: Planted) -> str:
    """JSON that spells every letter as an escape."""
    spelled = "".join(f"\\u{ord(one):04x}" for one in planted.text)
    return f'{{"status": "ok", "body": "{spelled}"}}'


# Name of a position → how the text stands in the result of a tool.
DRESSINGS: dict[str, Dressing] = {
    "result": lambda one: one.text,
    "large result": lambda one: f"{FILLER * FILLERS}{one.text}\n{FILLER * FILLERS}",
    "JSON": lambda one: _json({"status": 200, "body": one.text, "next": None}),
    "JSON in JSON": lambda one: _json({"result": _json({"ok": True, "body": one.text})}),
    "diff": diff,
    "numbered lines": lambda one: _lines(one.text, "{:>6}\t{}"),
    "lines with colons": lambda one: _lines(one.text, "{}: {}"),
    "grep hits": lambda one: _lines(one.text, "config/deploy.cfg:{}:{}"),
    "base64": lambda one: f"data:\n  file: {b64encode(one.text.encode()).decode()}\n",
    "hex": lambda one: f"payload = {one.text.encode().hex()}\n",
    "colours around": coloured,
    "colours inside": striped,
    "highlighted": lambda one: highlighted(one.text),
    "colours in JSON": lambda one: _json({"stdout": coloured(one), "code": 0}),
    "percent-encoded": lambda one: f"POST /save\n\nname=a&note={quote(one.text, safe='')}&ok=1",
    "quoted-printable": lambda one: quopri.encodestring(one.text.encode()).decode(),
    "unicode escapes": escaped,
}


def called(ctx: loom.Context, number: int, given: object, result: object, **more: bool) -> None:
    """The model calls a tool, which gives the result."""
    call = loom.ToolCall(f"c{number}", "Bash", json.encode(given).decode())
    ctx.reply(loom.Reply((call,)))
    ctx.result(call.id, result, **more)


def dressed(dressing: Dressing) -> Door:
    """A result of a tool that shows the text in some way."""
    return lambda ctx, number, one: called(ctx, number, {"n": number}, dressing(one))


def png(text: str) -> bytes:
    """A picture of one pixel whose comment is the text."""
    comment = b"Comment\x00" + text.encode("latin-1", "replace")
    head = pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"tEXt", comment), (b"IDAT", PIXEL), (b"IEND", b""))
    return PNG + b"".join(
        pack(">I", len(data)) + name + data + pack(">I", crc32(name + data)) for name, data in parts
    )


def streamed(ctx: loom.Context, number: int, one: Planted) -> None:
    """The model says it in a stream of short pieces."""

    def chunks() -> Iterator[dict[str, Any]]:
        for at in range(0, len(one.text), CHUNK):
            yield _chunk({"content": one.text[at : at + CHUNK]})
        yield _chunk({}, "stop")

    for _ in ctx.collect(chunks()):
        pass


def _chunk(delta: dict[str, Any], ended: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": ended}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "model": "gpt-5",
        "choices": [choice],
    }


def thought(ctx: loom.Context, number: int, one: Planted) -> None:
    """The model thinks it, in a block that is signed."""
    ctx.reply(
        {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [
                {
                    "type": "thinking",
                    "thinking": f"I can use this: {one.text}",
                    "signature": "c2ln",
                },
                {"type": "text", "text": "Done."},
            ],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }
    )


def _url(one: Planted) -> str:
    return f"https://api.acme.dev/v1/run?access_token={quote(one.secret, safe='')}&page=2"


DOORS: dict[str, Door] = {
    **{name: dressed(dressing) for name, dressing in DRESSINGS.items()},
    "error result": lambda ctx, n, one: called(
        ctx, n, {"n": n}, f"fatal: {one.text}\nexit 1", error=True
    ),
    "call's arguments": lambda ctx, n, one: called(ctx, n, {"command": one.text, "n": n}, "done"),
    "user's text": lambda ctx, n, one: ctx.user(f"Here you are:\n{one.text}\nGo on."),
    "model's text": lambda ctx, n, one: ctx.reply(
        f"I use this from now on:\n{one.text}\nand go on."
    ),
    "stream": streamed,
    "system": lambda ctx, n, one: ctx.system(f"Rule {n}: use {one.text}"),
    "URL argument": lambda ctx, n, one: called(ctx, n, {"url": _url(one)}, "ok"),
    "signed thinking": thought,
    "binary": lambda ctx, n, one: called(
        ctx, n, {}, b"\x7fELF\x02\x01\x00\xff" + one.text.encode() + b"\x00\xff\xfe"
    ),
    "UTF-16": lambda ctx, n, one: called(ctx, n, {}, b"\xff\xfe" + one.text.encode("utf-16-le")),
    "PNG text": lambda ctx, n, one: ctx.user([png(one.text)]),
}


def entered(
    door: Door, folder: Path, plants: Mapping[str, Planted], redact: Rules
) -> dict[str, str]:
    """Bring each secret in by a door, and close; returns what went wrong, by kind."""
    failed: dict[str, str] = {}
    with loom.open(folder / KEPT / "work", window=WINDOW, durable=False, redact=redact) as ctx:
        for number, (kind, planted) in enumerate(plants.items()):
            try:
                door(ctx, number, planted)
            except Exception as error:  # told as the cell's failure, the others go on
                failed[kind] = f"{type(error).__name__}: {error}"[:200]
                with suppress(loom.LoomError):
                    ctx.abandon()
        ctx.turn()
    return failed


def _recorded(plants: Mapping[str, Planted]) -> list[dict[str, Any]]:
    """The messages of a session: a tool shows each secret."""
    made: list[dict[str, Any]] = [{"role": "user", "content": "Deploy every part."}]
    for number, one in enumerate(plants.values()):
        function = {"name": "Bash", "arguments": json.encode({"n": number}).decode()}
        call = {"id": f"call_{number}", "type": "function", "function": function}
        made += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"call_{number}", "content": one.text},
        ]
    return [*made, {"role": "assistant", "content": "Done."}]


def replayed(folder: Path, plants: Mapping[str, Planted], redact: Rules) -> dict[str, str]:
    """`loom replay` of a session that holds the secrets, its output kept; its rules are its own."""
    session = folder / "session.json"
    session.write_bytes(json.encode({"messages": _recorded(plants)}))
    with redirect_stdout(StringIO()) as told, redirect_stderr(told):
        code = replay([session], out=folder / KEPT, json=True)
    return dict.fromkeys(plants, f"loom replay: exit {code}") if code else {}


POSITIONS: dict[str, Position] = {
    **{name: partial(entered, door) for name, door in DOORS.items()},
    "replay": replayed,
}
