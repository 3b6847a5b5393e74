"""Bad input is told by a typed error that names the place; odd arguments are kept as written."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.context.size_reports import CUT
from loom_bench.laws import broken
from tests.kit.cases import all_cases
from tests.kit.journal import stored
from tests.kit.opened import Open, opened_with
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
    ("unknown call", lambda c: c.result("nope", "x"), loom.BadInput, "'nope'.*open calls: open"),
    ("second result", lambda c: c.result("done", "x"), loom.BadInput, "'done'"),
    ("turn with open calls", lambda c: c.turn(), loom.OpenCalls, "open"),
    ("reply with open calls", lambda c: c.reply("hello"), loom.OpenCalls, "open"),
    ("tool without a name", lambda c: c.tools.declare({"description": "x"}), loom.BadInput,
     "description"),
    ("tool of no shape", lambda c: c.tools.declare(7), loom.BadInput, "7"),
    ("no message", lambda c: c.user(None), loom.BadInput, "None is no message"),
    ("no part", lambda c: c.user(["look", None]), loom.BadInput, "None is no message"),
    ("system too large", lambda c: c.system(LONG), loom.OverCapacity, "system part"),
    ("memory too large", lambda c: c.memory.remember("k", LONG), loom.OverCapacity, "memory"),
    ("skill too large", lambda c: c.skills.activate("k", LONG), loom.OverCapacity, "skill"),
    ("tools too large", lambda c: c.tools.declare({"name": "t", "description": LONG}),
     loom.OverCapacity, "the tools need"),
    ("resize too small", lambda c: c.resize(300), loom.OverCapacity, "capacity of"),
    ("page outside", lambda c: c.page_in("../../etc/passwd"), loom.errors.PagingError,
     "etc/passwd"),
    ("page at the root", lambda c: c.page_in("/etc/passwd"), loom.errors.PagingError, "etc/passwd"),
    ("page of no name", lambda c: c.page_in(""), loom.errors.PagingError, "''"),
    ("the journal", lambda c: c.page_in("journal/000001.jsonl"), loom.MissingPage, "jour"),
    ("unknown page", lambda c: c.page_in("outputs/read_0099.txt"), loom.MissingPage, "read_0099"),
    ("unknown entry", lambda c: c.history.restore(99), loom.LoomError, "99.*1 to"),
    ("entry of a bad name", lambda c: c.history.restore("step-1"), loom.LoomError, "no entry"),
    ("bad lines", lambda c: c.page_in("user_0001", lines="x-y"), loom.BadInput, "x-y"),
    ("bad pointer", lambda c: c.page_in("user_0001", pointer="/a"), loom.BadInput, "JSON"),
    ("plan of a bad state", lambda c: c.working.plan([("a", "later")]), loom.LoomError, "later"),
    ("bad urgency", lambda c: c.events.signal("e", "x", urgency="now"), loom.LoomError, "now"),
]  # fmt: skip


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


opened = opened_with(window=40_000)
Wire = dict[str, Any]
BAD = [
    '{"command": "git commit -m', "", "[]", "null", '{"a": 1} {"b": 2}', '{"a": NaN}',
    '{"q": "\\ud99c"}', "{'a': 1}", "```json\n{}\n```", '{"a": 1,}',
]  # fmt: skip


def chat(arguments: str) -> Wire:
    """A reply that calls with such arguments."""
    function = {"name": "bash", "arguments": arguments}
    call = {"id": "c1", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def by_loop(ctx: loom.Context, arguments: str) -> None:
    """The reply is given whole."""
    ctx.user("Go.")
    ctx.turn()
    ctx.reply(chat(arguments))
    ctx.result("c1", "error: the arguments are no JSON", error=True)


def by_stream(ctx: loom.Context, arguments: str) -> None:
    """The reply comes in pieces."""
    ctx.user("Go.")
    ctx.turn()
    [call] = chat("")["tool_calls"]
    pieces = [arguments[at : at + 3] for at in range(0, len(arguments), 3)]
    deltas: list[Wire] = [{"role": "assistant", "tool_calls": [{"index": 0, **call}]}]
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": one}}]} for one in pieces]
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}
    [*ctx.collect([*chunks, end])]
    ctx.result("c1", "error: the arguments are no JSON", error=True)


def by_list(ctx: loom.Context, arguments: str) -> None:
    """The client's list has the reply and its result."""
    told = {"role": "tool", "tool_call_id": "c1", "content": "error: the arguments are no JSON"}
    ctx.sync([{"role": "user", "content": "Go."}, chat(arguments), told], "openai")


@all_cases("given", [by_loop, by_stream, by_list])
@all_cases("arguments", BAD)
def test_they_are_sent_as_an_object(opened: Open, given: Any, arguments: str) -> None:
    """In all formats, lawfully, the same after a reopening; the journal has what the model wrote,
    and its result tells the model."""
    ctx = opened("w")
    given(ctx, arguments)
    requests = {name: ctx.turn().request(name) for name in
                ("openai", "responses", "anthropic", "gemini")}  # fmt: skip
    for name, request in requests.items():
        assert broken(name, request) == []
        assert "error: the arguments are no JSON" in str(request)
    calling = next(one for one in requests["openai"]["messages"] if one.get("tool_calls"))
    sent = json.loads(calling["tool_calls"][0]["function"]["arguments"])
    assert sent == ({"_raw": arguments} if arguments else {})
    [step] = [one for one in ctx.window.history.stream.entries if hasattr(one, "outcomes")]
    assert step.calls[0].arguments == arguments
    ctx.close()
    ctx = opened("w")
    assert {name: ctx.turn().request(name) for name in requests} == requests


def test_what_is_sent_is_counted(opened: Open) -> None:
    """Quotes in it are escaped there, and count."""
    arguments = '{"a": ' + '"x", ' * 300
    ctx = opened()
    by_loop(ctx, arguments)
    [step] = [one for one in ctx.window.history.stream.entries if hasattr(one, "outcomes")]
    bare = ctx._engine.sizes.call("c1", "bash", arguments)
    assert step.calls[0].tokens > bare


def test_free_text_is_no_argument(opened: Open) -> None:
    """The input of a custom call goes back as it came, in either format of its maker."""
    ctx = opened()
    ctx.user("Go.")
    ctx.turn()
    call = {"id": "c1", "type": "custom", "custom": {"name": "patch", "input": "*** Begin"}}
    ctx.reply({"role": "assistant", "content": None, "tool_calls": [call]})
    ctx.result("c1", "done")
    sent = ctx.turn().request("openai")["messages"]
    assert next(one for one in sent if one.get("tool_calls"))["tool_calls"] == [call]


LIMIT = 4_096


def lived(ctx: loom.Context, limit: int, rounds: int = 14, *, metered: bool = False) -> None:
    """A session whose server counts each request, up to a limit; a reply or the host tells it."""
    for number in range(rounds):
        ctx.user(f"text {number} is about a number of things\n" * 80)
        size = min(ctx.turn().pressure.tokens.total, limit)
        if metered:
            ctx.metered(size)
        else:
            ctx.reply(loom.Reply((loom.Speech("ok"),), prompt_tokens=size))


def cuts(ctx: loom.Context) -> list[str]:
    """What is told of a server that cuts."""
    return [event.summary for event in ctx.window.working.events if CUT in event.ids]


@pytest.mark.parametrize("limit", [10**9, 100])
def test_nothing_is_told_of_others(tmp_path: Path, limit: int) -> None:
    """A server that counts all, and one whose count is no size of any request."""
    with loom.open(tmp_path / "w", model="qwen3", window=40_000) as ctx:
        lived(ctx, limit)
        assert cuts(ctx) == []


@pytest.mark.parametrize("metered", [False, True])
def test_a_server_that_cuts_is_told_of_once(tmp_path: Path, metered: bool) -> None:
    """Acknowledged, and opened again, it is not told anew; the window is filled no further for
    what the server did not read. So it is where the host gives the sizes by itself."""
    with loom.open(tmp_path / "w", model="qwen3", window=40_000) as ctx:
        lived(ctx, LIMIT, metered=metered)
        (said,) = cuts(ctx)
        assert "4,096 tokens" in said
        samples = ctx.window.sent.samples
        ctx.events.acknowledge(CUT, "resolved")
    with loom.open(tmp_path / "w") as ctx:
        lived(ctx, LIMIT, 2, metered=metered)
        assert cuts(ctx) == [] and ctx.window.sent.samples == samples


def test_a_smaller_request_of_the_same_size_as_one_before(tmp_path: Path) -> None:
    """A server that took more before is not stuck: after a renewal a request may be as large as one
    before it, by chance."""
    with loom.open(tmp_path / "w", model="qwen3", window=40_000) as ctx:
        for told in (4_000, 9_000, 4_100, 4_080):
            ctx.user("a text about a number of things\n" * 120)
            ctx.turn()
            ctx.reply(loom.Reply((loom.Speech("ok"),), prompt_tokens=told))
        assert cuts(ctx) == []
