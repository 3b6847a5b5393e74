"""Bad input gets a typed error that names the place, and what is stored is unharmed."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.replay.importers import load
from tests.kit.cases import all_cases
from tests.kit.journal import stored
from tests.kit.opened import plain
from tests.kit.step import calls

LONE = "left \ud800 alone"
Give = Callable[[loom.Context], object]


@pytest.fixture
def ctx(folder: Path) -> Iterator[loom.Context]:
    """A context with one answered and one open call."""
    with loom.open(folder, window=8_000, goal="Fix it.", durable=False) as made:
        made.user("go on")
        made.reply(calls("done"))
        made.result("done", "fine")
        made.reply(calls("open"))
        yield made


def endless() -> list[Any]:
    """A list that holds itself."""
    inner: list[Any] = []
    inner.append(inner)
    return inner


REFUSED: list[tuple[str, Give, type[Exception], str]] = [
    ("unknown call", lambda c: c.result("nope", "x"), loom.UnknownCall, "'nope'.*open calls: open"),
    ("second result", lambda c: c.result("done", "x"), loom.AnsweredCall, "'done'"),
    ("turn with open calls", lambda c: c.turn(), loom.OpenCalls, "open"),
    ("reply with open calls", lambda c: c.reply("hello"), loom.OpenCalls, "open"),
    (
        "tool without a name",
        lambda c: c.tools.declare({"description": "x"}),
        loom.BadTool,
        "description",
    ),
    ("tool of no shape", lambda c: c.tools.declare(7), loom.BadTool, "7"),  # type: ignore[arg-type]
    ("no message", lambda c: c.user(None), loom.BadMessage, "None is no message"),
    ("no part", lambda c: c.user(["look", None]), loom.BadMessage, "None is no message"),
    ("system too large", lambda c: c.system("be good " * 9_000), loom.OverCapacity, "system part"),
    (
        "memory too large",
        lambda c: c.memory.remember("k", "it is " * 9_000),
        loom.OverCapacity,
        "memory",
    ),
    (
        "skill too large",
        lambda c: c.skills.activate("k", "do so " * 9_000),
        loom.OverCapacity,
        "skill",
    ),
    (
        "tools too large",
        lambda c: c.tools.declare({"name": "t", "description": "does it " * 9_000}),
        loom.OverCapacity,
        "the tools need",
    ),
    ("resize too small", lambda c: c.resize(300), loom.OverCapacity, "capacity of"),
    ("page outside", lambda c: c.page_in("../../etc/passwd"), loom.PagingError, "etc/passwd"),
    ("page at the root", lambda c: c.page_in("/etc/passwd"), loom.PagingError, "etc/passwd"),
    ("page of no name", lambda c: c.page_in(""), loom.PagingError, "''"),
    (
        "the journal as a page",
        lambda c: c.page_in("journal/000001.jsonl"),
        loom.MissingPage,
        "jour",
    ),
    ("unknown page", lambda c: c.page_in("outputs/read_0099.txt"), loom.MissingPage, "read_0099"),
    ("unknown entry", lambda c: c.history.restore(99), loom.LoomError, "99.*1 to"),
    ("entry of a bad name", lambda c: c.history.restore("step-1"), loom.LoomError, "no entry"),
    ("bad lines", lambda c: c.page_in("user_0001", lines="x-y"), loom.BadLookup, "x-y"),
    ("bad pointer", lambda c: c.page_in("user_0001", pointer="/a"), loom.BadLookup, "JSON"),
    ("plan of a bad state", lambda c: c.working.plan([("a", "later")]), loom.LoomError, "later"),
    (
        "bad urgency",
        lambda c: c.events.signal("e", "x", urgency="now"),
        loom.LoomError,
        "now.*critical",
    ),
]


@all_cases(("name", "give", "error", "says"), REFUSED, ids=[r[0] for r in REFUSED])
def test_refused(
    ctx: loom.Context, folder: Path, name: str, give: Give, error: type[Exception], says: str
) -> None:
    """The error is of its type and names the place; journal and window stay as they were."""
    before, window = stored(folder), ctx.window
    with pytest.raises(error, match=says):
        give(ctx)
    assert stored(folder) == before
    assert ctx.window is window
    ctx.result("open", "fine")
    assert "fine" in str(ctx.turn().request())


UNKNOWN = [7, None, object(), {"x": 1}, [1], {"choices": []}, {"choices": [{"message": "x"}]}]


@all_cases("reply", UNKNOWN, ids=[repr(u)[:20] for u in UNKNOWN])
def test_unknown_reply(ctx: loom.Context, folder: Path, reply: object) -> None:
    """A reply of no known shape is refused with what would be read, and nothing is stored."""
    ctx.result("open", "fine")
    before = stored(folder)
    with pytest.raises(loom.UnknownReply, match="give"):
        ctx.reply(reply)
    assert stored(folder) == before
    ctx.reply("well then")
    assert ctx.done


VALUES: list[tuple[str, object, str]] = [
    ("text", "as it is", "as it is"),
    ("empty", "", ""),
    ("json", {"a": [1, None, "ü"]}, '{"a":[1,null,"ü"]}'),
    ("bytes", "grün".encode(), "grün"),
    ("none", None, "null"),
    ("object", Path("a/b"), '"a/b"'),
]


@all_cases(("name", "value", "text"), VALUES, ids=[v[0] for v in VALUES])
def test_result_values(ctx: loom.Context, name: str, value: object, text: str) -> None:
    """Texts stay as they are, bytes are decoded, anything else becomes JSON."""
    ctx.result("open", value)
    assert ctx.history.restore(3).results == {"open": text}


def test_result_that_no_json_holds(ctx: loom.Context, folder: Path) -> None:
    """A value that holds itself is refused by a typed error; the call stays open."""
    before = stored(folder)
    with pytest.raises((loom.LoomError, ValueError, TypeError), match="open"):
        ctx.result("open", endless())
    assert stored(folder) == before


def test_result_of_raw_bytes_is_kept(ctx: loom.Context) -> None:
    """A page holds the raw payload bytes, also of what is not text."""
    payload = bytes(range(256)) * 8
    ctx.result("open", payload)
    pages = ctx._engine.workspace.pager
    assert payload in [pages.get(name) for name in pages.table]


LONES: list[Any] = [
    ("user", lambda c: c.user(LONE)),
    ("system", lambda c: c.system(LONE)),
    ("memory", lambda c: c.memory.remember("k", LONE)),
    ("plan", lambda c: c.working.plan([LONE])),
    ("signal", lambda c: c.events.signal("e", LONE)),
    ("result", lambda c: (c.reply(calls("a")), c.result("a", LONE))),
    ("arguments", lambda c: (c.reply(calls("a", args=LONE)), c.result("a", "x"))),
    ("goal", lambda c: c.working.set_goal(LONE)),
    ("note", lambda c: c.working.note(LONE)),
    ("key", lambda c: c.memory.remember(LONE, "x")),
    ("tool", lambda c: c.tools.declare({"name": "x", "description": LONE})),
    ("call id", lambda c: (c.reply(calls(LONE)), c.result(LONE, "x"))),
    (
        "reasoning",
        lambda c: c.reply(loom.Reply((loom.Reasoning("", f'{{"t":"{LONE}"}}', "anthropic"),))),
    ),
]


@all_cases(("name", "give"), LONES)
def test_lone_surrogates(folder: Path, name: str, give: Give) -> None:
    """Text that no encoding holds is taken at every door, and a request can be made after it."""
    with loom.open(folder, window=8_000, durable=False) as ctx:
        give(ctx)
        sha256 = ctx.turn().sha256
    with loom.open(folder, durable=False) as ctx:
        assert ctx.turn().sha256 == sha256


def test_lone_surrogates_are_cut(folder: Path) -> None:
    """Entries with lone surrogates can be lowered, and turn() does not fail after its commit."""
    with plain(folder, window=4_000) as ctx:
        for number in range(12):
            ctx.reply(calls(f"c{number}"))
            ctx.result(f"c{number}", f"{number} " + (LONE + "\n") * 300)
            ctx.turn()
        assert ctx.window.sent.cuts


SURFACES: list[Any] = [
    ("plan", lambda c: c.working.plan(["first this and then that and so on " * 8] * 12)),
    (
        "events",
        lambda c: [c.events.signal(f"e{n}", "it broke here, " * 20) for n in range(12)],
    ),
    ("id", lambda c: c.events.signal("e" * 5_000, "x")),
    ("kind", lambda c: c.events.signal("e", "x", kind="k" * 9_000)),
    (
        "disposition",
        lambda c: (c.events.signal("e", "x"), c.events.acknowledge("e", "defer " * 3_000)),
    ),
    ("evidence", lambda c: [c.working.evidence(f"p{n}", "we know this " * 20) for n in range(12)]),
]


@all_cases(("name", "give"), SURFACES)
def test_working_is_bounded_on_the_way_in(folder: Path, name: str, give: Give) -> None:
    """No surface can make a small window unusable: it aggregates, or the call is refused."""
    with plain(folder, window=1_000) as ctx:
        with contextlib.suppress(loom.LoomError):
            give(ctx)
        ctx.user("go on")
        assert ctx.turn().pressure.rho <= 1.0


SESSIONS = [
    ("not JSON", '{"type":"user","message":{"role":"user","content":"a"}}\n{oops\n', ":2: "),
    ("a number", "17\n", ":1: |session.jsonl: "),
]


@pytest.mark.parametrize(("name", "text", "where"), SESSIONS, ids=[s[0] for s in SESSIONS])
def test_malformed_session(tmp_path: Path, name: str, text: str, where: str) -> None:
    """A session that cannot be read names the file and the line."""
    path = tmp_path / "session.jsonl"
    path.write_text(text)
    with pytest.raises(loom.BadSession, match=where) as caught:
        load(path)
    assert caught.value.path == path


OWN = [
    ("outside", "page_in", '{"ref":"../../etc/passwd"}', "etc/passwd"),
    ("unknown", "page_in", '{"ref":"read_0099"}', "read_0099"),
    ("no ref", "page_in", "{}", "'ref' is missing"),
    ("no JSON", "page_in", "{oops", "not a JSON object"),
    ("no object", "recall", "[1]", "not a JSON object"),
    ("no words", "recall", '{"query":"?"}', "no words"),
    ("two ways", "page_in", '{"ref":"user_0001","lines":"1","grep":"a"}', "one way|lines"),
]


@all_cases(("name", "tool", "arguments", "says"), OWN, ids=[o[0] for o in OWN])
def test_own_tools_called_badly(
    folder: Path, name: str, tool: str, arguments: str, says: str
) -> None:
    """A bad call of Loom's own tools is answered with how to call it; the host sees none of it."""
    with loom.open(folder, window=8_000, durable=False) as ctx:
        ctx.user("a\nb")
        ctx.reply(calls("own", tool=tool, args=arguments))
        assert ctx.calls == ()
        assert re.search(says, ctx.history.restore(2).results["own"])
        ctx.turn()
