"""Bad input gets a typed error that names the place, and what is stored is unharmed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import loom
from tests.kit.cases import all_cases
from tests.kit.journal import stored
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


VALUES: list[tuple[object, str]] = [
    ("as it is", "as it is"),
    ({"a": [1, None, "ü"]}, '{"a":[1,null,"ü"]}'),
    ("grün".encode(), "grün"),
    (None, "null"),
    (Path("a/b"), '"a/b"'),
]


@all_cases(("value", "text"), VALUES)
def test_result_values(ctx: loom.Context, value: object, text: str) -> None:
    """Texts stay as they are, bytes are decoded, anything else becomes JSON."""
    ctx.result("open", value)
    assert ctx.history.restore(3).results == {"open": text}
