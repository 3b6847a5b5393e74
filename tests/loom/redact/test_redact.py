"""Secrets are replaced before anything is hashed, counted or written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest
from msgspec import json

import loom
from loom.redact import SECRETS, Redactor

SECRET = "sk-ant-" + "a1B2c3D4" * 5
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
KEY = "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nxyz\n-----END RSA PRIVATE KEY-----"

TABLE = [
    ("", ""),
    ("nothing to hide here", "nothing to hide here"),
    ("sk-short", "sk-short"),
    ("see https://example.org/a@b", "see https://example.org/a@b"),
    ("the task-list-of-a-very-long-name-indeed", "the task-list-of-a-very-long-name-indeed"),
    ("AKIA" + "Z" * 16, "[redacted:aws-key]"),
    ("x AKIA" + "Z" * 17, "x AKIA" + "Z" * 17),
    ("token ghp_" + "a" * 36, "token [redacted:github-token]"),
    ("glpat-" + "a" * 20 + " end", "[redacted:gitlab-token] end"),
    ("xoxb-1234567890-abc", "[redacted:slack-token]"),
    (f"key={SECRET};", "key=[redacted:api-key];"),
    ("AIza" + "b" * 35, "[redacted:google-key]"),
    ("sk_live_" + "c" * 24, "[redacted:stripe-key]"),
    ("npm_" + "d" * 36, "[redacted:npm-token]"),
    (f"a {JWT} b", "a [redacted:jwt] b"),
    ("Authorization: Bearer abcdefghijklmnop", "Authorization: Bearer [redacted:bearer]"),
    ("postgres://me:hunter22@db/x", "postgres://me:[redacted:url-password]@db/x"),
    ("see x://me:it's@p%40ss@db", "see x://me:it's@p%40ss@db"),
    ("see xx://me:it's@p%40ss@db", "see xx://me:[redacted:url-password]@db"),
    ("docker://img:tag@sha256:abc", "docker://img:tag@sha256:abc"),
    ('["xx://u","b:pw1@host"]', '["xx://u","b:pw1@host"]'),
    ("['xx://u:80', 'b', 'xx://u:80','pw@host']", "['xx://u:80', 'b', 'xx://u:80','pw@host']"),
    # What is called so: classes of a style sheet, names of pages.
    ("sk-learn-estimators-and-transformers-guide",) * 2,
    ("sk-estimator-doc-link-container fitted",) * 2,
    ("sk-release-notes-2024-01-15-of-version-2",) * 2,
    ("sk-SK-some-thing-which-is-a-css-class-name",) * 2,
    # A key: letters of both cases and a digit, or many on end with a digit among them.
    ("sk-or-v1-" + "0a1b" * 16, "[redacted:api-key]"),
    ("sk-123e4567-e89b-12d3-a456-426614174000", "[redacted:api-key]"),
    ("sk-proj-Ab_c-dE_f9-Gh_iJ_kL-mNoP", "[redacted:api-key]"),
    (f"before\n{KEY}\nafter", "before\n[redacted:private-key]\nafter"),
]


@pytest.mark.parametrize(("text", "clean"), TABLE)
def test_table(text: str, clean: str) -> None:
    """Each kind of secret is replaced by its name, and everything else stays."""
    redact = Redactor()
    assert redact(text) == clean
    assert redact(clean) == clean
    assert sum(redact.counts.values()) == (text != clean)
    assert redact.holds_secret(text) == (text != clean)


BEGIN = "-----BEGIN RSA PRIVATE KEY-----\n"
# What a rule finds begun again and again, and never ended.
BEGUN = {
    "private-key": [BEGIN, f"{BEGIN}ab\n", "-----BEGIN ", "-" * 11, f"{BEGIN}{'-' * 90}"],
    "aws-key": ["AKIA", "AKIA" + "Z" * 15 + "-"],
    "github-token": ["ghp_", "github_pat_", "ghp_" + "a" * 256 + "-"],
    "gitlab-token": ["glpat-", "-glpat", "glpat-" + "-" * 19 + " "],
    "slack-token": ["xoxb-", "-xoxb", "xoxb-" + "-" * 200 + " "],
    "api-key": ["sk-", "-sk", "sk-ant-", "sk-" + "-" * 200 + " ", "sk-1", "sk-a1bcd-Ef"],
    "google-key": ["AIza", "-AIza", "AIza-"],
    "stripe-key": ["sk_live_", "-sk_live_", "sk_live_" + "a" * 201 + " "],
    "npm-token": ["npm_", "-npm_"],
    "jwt": [
        "eyJ",
        "-eyJ",
        "eyJ-",
        "eyJaaaaaaaaaa.",
        "-eyJaaaaaaaaaa",
        "-eyJ.eyJ",
        ".eyJ-eyJaaaaaaa",
    ],
    "bearer": ["Authorization: Bearer ", "authorization:", "Authorization: Bearer abc "],
    "url-password": [
        "a.",
        "aa+",
        "aa://",
        "aa://a:",
        "aa://a:aaa",
        "http://me:" + "a" * 199,
        "aa://a:" + "b@sha1:",
        "aa://a:" + "a@" * 90,
    ],
}
ESC = [
    "\x1b",
    "\x1b[",
    "\x1b[0;",
    "\x1b]",
    "\x1b]0;",
    "\x9d",
    "\x9d0;",
    "\x1bP\\",
    "\x1b ",
    "\x1b[m",
]
SPELLED = ["\\", "\\u001b", "\\u001b]a", "\\u001b\\\\", "\\u", "\\n", "%25", "%", "\x00", "%73k-"]
SEQUENCES = [*ESC, *SPELLED, "\x1b[C", "\x1b[msk-\x1b[m"]


def seconds(redact: Redactor, text: str) -> float:
    """Processor time of a redaction, the least of some."""
    times = []
    for _ in range(5):
        began = process_time()
        for _ in range(max(8_000 // len(text), 1)):
            redact(text)
        times.append((process_time() - began) / max(8_000 // len(text), 1))
    return min(times)


def begun() -> Iterator[Any]:
    """(rules, what is repeated) of each rule, and of the sequences for one."""
    for kind, pattern in SECRETS:
        for number, unit in enumerate(BEGUN[kind]):
            yield pytest.param([(kind, pattern)], unit, id=f"{kind}-{number}")
    for number, unit in enumerate(SEQUENCES):
        yield pytest.param([("api-key", dict(SECRETS)["api-key"])], unit, id=f"sequence-{number}")


@pytest.mark.parametrize(("rules", "unit"), [*begun()])
@pytest.mark.parametrize("size", [500, 2_000])
def test_no_text_is_searched_again_and_again(
    rules: list[tuple[str, str]], unit: str, size: int
) -> None:
    """Four times as much text takes about four times as long, whatever it is made of."""
    short, long = ((unit * (chars // len(unit) + 1))[:chars] for chars in (size, 4 * size))
    redact = Redactor(rules)
    assert seconds(redact, long) < 10 * seconds(redact, short)


def test_a_key_without_its_end() -> None:
    """It goes with the key behind it; a heading that stands far from any end is none."""
    body = "MIIEow" * 200
    cut = f"{BEGIN}{body}\n"
    assert Redactor()(f"a {cut}{cut}{KEY} b") == "a [redacted:private-key] b"
    assert Redactor()(f"{cut}and no end") == f"{cut}and no end"
    far = f"{BEGIN}{body * 7}\n-----END RSA PRIVATE KEY-----"
    assert Redactor()(far) == far
    removed = "".join(f"-{line}\n" for line in KEY.splitlines())
    assert Redactor()(removed) == "-[redacted:private-key]\n"
    other = "-----BEGIN EC PRIVATE KEY-----\n-----END CERTIFICATE-----\n" + KEY
    assert Redactor()(f"{other}{KEY}") == "[redacted:private-key]" * 2


@pytest.mark.parametrize(
    "given",
    [
        '{"a":"see xx://u","b":"pw@host"}',
        '{"a": "xx://u:", "b":"pw@host", "n": 1.0}',
    ],
)
def test_structure_is_no_secret(given: str) -> None:
    """What stands between two values of JSON is part of neither."""
    redact = Redactor()
    assert redact.arguments(given) == redact(given) == given


def test_a_rule_that_eats_structure() -> None:
    """A caller's pattern that ends at a space leaves arguments their structure."""
    redact = Redactor([("word", r"(?P<keep>password=)\S+")])
    clean = redact.arguments('{"q":"password=abc","r":[1,"password=d e"]}')
    assert json.decode(clean) == {
        "q": "password=[redacted:word]",
        "r": [1, "password=[redacted:word] e"],
    }
    assert redact.take() == {"word": 2}
    assert redact.arguments(clean) == clean
    redact = Redactor([("pair", r'"password": *"[^"]*"')])
    clean = redact.arguments('{"password": "abc", "r": 1}')
    assert json.decode(clean) == {"[redacted:pair]": "[redacted:pair]", "r": 1}
    assert redact.take() == {"pair": 1}


def test_a_secret_over_several_values() -> None:
    """The lines of a key as a list: each loses its part, and the list stays one."""
    lines = ["a\n", *(f"{line}\n" for line in KEY.splitlines()), "b\n"]
    redact = Redactor()
    clean = json.decode(redact.arguments(json.encode({"source": lines, "n": 1}).decode()))
    assert clean["n"] == 1 and len(clean["source"]) == len(lines)
    assert clean["source"][:2] == ["a\n", "[redacted:private-key]"] and clean["source"][-1] == "b\n"
    assert not any(line in str(clean) for line in KEY.splitlines())
    assert redact.take() == {"private-key": 1}


def test_counts_are_taken_once() -> None:
    """take() gives the counts by kind and starts again."""
    redact = Redactor()
    redact(f"{SECRET} {SECRET} {JWT}")
    assert redact.take() == {"api-key": 2, "jwt": 1}
    assert redact.take() == {}


def test_a_pattern_of_ones_own() -> None:
    """A caller's pairs replace the usual ones."""
    redact = Redactor([("badge", r"B-\d{4}")])
    assert redact(f"B-1234 {SECRET}") == f"[redacted:badge] {SECRET}"


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
DOORS = [
    door("user", lambda c: c.user(f"use {SECRET}")),
    door("long user", lambda c: c.user(f"use {SECRET} now\n" * 400)),
    door("system", lambda c: c.system(f"use {SECRET}")),
    door("memory", lambda c: c.memory.remember("k", f"use {SECRET}\n" * 90)),
    door("skill", lambda c: c.skills.activate("k", SECRET)),
    door("goal", lambda c: c.working.set_goal(SECRET)),
    door("plan", lambda c: c.working.plan([SECRET])),
    door("progress", lambda c: c.working.progress(SECRET)),
    door("note", lambda c: c.working.note(SECRET)),
    door("question", lambda c: c.working.ask(SECRET, SECRET)),
    door("evidence", lambda c: c.working.evidence(SECRET, SECRET, [SECRET])),
    door("signal", lambda c: c.events.signal("e", SECRET)),
    door("speech", lambda c: c.reply(f"I use {SECRET}")),
    door("reasoning", lambda c: c.reply(loom.Reply((loom.Reasoning(SECRET),)))),
    door("arguments", lambda c: (c.reply(made("c", "Bash", ASKED)), c.result("c", "ok"))),
    door("long arguments", lambda c: (c.reply(made("c", "W", ASKED * 900)), c.result("c", "ok"))),
    door("result", lambda c: answered(c, f"key: {SECRET}\n" * 3)),
    door("long result", lambda c: answered(c, f"key: {SECRET}\n" * 900)),
    door("spelled", lambda c: answered(c, f'{{"url":"x?token\\u003d{SECRET}"}}')),
    door("beside letters", lambda c: answered(c, f"パスワードは{SECRET}です")),
    door("bytes", lambda c: answered(c, SECRET.encode())),
    door("object", lambda c: answered(c, {"key": [SECRET]})),
    door("signal id", lambda c: c.events.signal(SECRET, "x")),
    door("signal kind", lambda c: c.events.signal("e", "x", kind=SECRET)),
    door(
        "evidence fact", lambda c: c.working.evidence("e", "x", facts=[SECRET], conflicts=[SECRET])
    ),
    door("outcome", lambda c: c.finish(f"used {SECRET}")),
    door("tool", lambda c: c.tools.declare({"name": "t", "description": SECRET})),
    door("key", lambda c: c.memory.remember(SECRET, "x")),
    door("recall", lambda c: c.reply(made("o", "recall", ASKED))),
    door("page_in", lambda c: c.reply(made("o", "page_in", ASKED))),
]


def holding(folder: Path, needle: bytes) -> list[str]:
    """The files of a workspace that hold some bytes, in any case of letters."""
    return [
        str(path.relative_to(folder))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and needle.lower() in path.read_bytes().lower()
    ]


@pytest.mark.parametrize("give", DOORS)
def test_no_secret_reaches_the_disk(folder: Path, give: Callable[[loom.Context], object]) -> None:
    """Whatever door a secret comes in by, no file of the workspace and no request holds it."""
    with loom.open(folder, window=8_000, durable=False) as ctx:
        give(ctx)
        sent = [json.encode(ctx.turn().request(format)) for format in ("openai", "anthropic")]
    assert holding(folder, SECRET.encode()) == []
    assert not any(SECRET.encode() in request for request in sent)


def test_counts_are_recorded(folder: Path) -> None:
    """The journal tells how many secrets were replaced, by kind."""
    with loom.open(folder, durable=False) as ctx:
        ctx.user(f"use {SECRET} and {SECRET}")
        last = ctx._engine.workspace.records(ctx._engine.workspace.commits)
    assert [getattr(record, "counts", None) for record in last] == [None, {"api-key": 2}]


@pytest.mark.parametrize("give", DOORS[:1] + DOORS[16:20])
def test_redact_nothing_keeps_secrets(folder: Path, give: Callable[[loom.Context], object]) -> None:
    """`redact=()` turns it off: texts rest as they came."""
    with loom.open(folder, window=8_000, redact=(), durable=False) as ctx:
        give(ctx)
    assert holding(folder, SECRET.encode())


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
    rest = "ab12" * 10
    inner = f'{{"path": "{spelt.format(rest=rest)}"}}'
    given = json.encode({"name": "Read", "arguments": inner}).decode()
    with loom.open(folder, durable=False) as ctx:
        ctx.reply(loom.Reply((loom.ToolCall("c", "call_tool", given),)))
        ctx.result("c", "done")
        assert rest not in repr(ctx.window)
    assert holding(folder, rest.encode()) == []
