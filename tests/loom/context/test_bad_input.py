"""Bad input gets a typed error that names the place, and what is stored is unharmed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases
from tests.kit.journal import stored
from tests.kit.opened import plain
from tests.kit.step import calls

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


LONG = "be good " * 9_000
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
    ("system too large", lambda c: c.system(LONG), loom.OverCapacity, "system part"),
    ("memory too large", lambda c: c.memory.remember("k", LONG), loom.OverCapacity, "memory"),
    ("skill too large", lambda c: c.skills.activate("k", LONG), loom.OverCapacity, "skill"),
    (
        "tools too large",
        lambda c: c.tools.declare({"name": "t", "description": LONG}),
        loom.OverCapacity,
        "the tools need",
    ),
    ("resize too small", lambda c: c.resize(300), loom.OverCapacity, "capacity of"),
    ("page outside", lambda c: c.page_in("../../etc/passwd"), loom.PagingError, "etc/passwd"),
    ("page at the root", lambda c: c.page_in("/etc/passwd"), loom.PagingError, "etc/passwd"),
    ("page of no name", lambda c: c.page_in(""), loom.PagingError, "''"),
    ("the journal", lambda c: c.page_in("journal/000001.jsonl"), loom.MissingPage, "jour"),
    ("unknown page", lambda c: c.page_in("outputs/read_0099.txt"), loom.MissingPage, "read_0099"),
    ("unknown entry", lambda c: c.history.restore(99), loom.LoomError, "99.*1 to"),
    ("entry of a bad name", lambda c: c.history.restore("step-1"), loom.LoomError, "no entry"),
    ("bad lines", lambda c: c.page_in("user_0001", lines="x-y"), loom.BadLookup, "x-y"),
    ("bad pointer", lambda c: c.page_in("user_0001", pointer="/a"), loom.BadLookup, "JSON"),
    ("plan of a bad state", lambda c: c.working.plan([("a", "later")]), loom.LoomError, "later"),
    ("bad urgency", lambda c: c.events.signal("e", "x", urgency="now"), loom.LoomError, "now"),
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


SURFACES: list[Any] = [
    ("plan", lambda c: c.working.plan(["first this and then that and so on " * 8] * 12)),
    ("events", lambda c: [c.events.signal(f"e{n}", "it broke, " * 20) for n in range(12)]),
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
