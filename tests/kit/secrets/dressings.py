"""A text as a tool's output may show it: in another format, with more on its lines, encoded."""

import quopri
import re
from base64 import b64encode
from collections.abc import Callable
from itertools import count
from urllib.parse import quote

from msgspec import json

from tests.kit.secrets.planted import Planted

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
