"""What a host's capability may do wrong: nothing is lost, nothing doubled, nothing left locked."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.compress.ladder import Level
from loom.session.tools.answer import answer_reduction
from loom_partitions.edits import Lowered
from loom_partitions.message import Detail, Step
from tests.kit.cases import all_cases


def reply(id: str, tool: str = "Read", arguments: str = "{}") -> loom.Reply:
    """A reply that makes one call."""
    return loom.Reply((loom.ToolCall(id, tool, arguments),))


def made(name: str, **fields: Any) -> loom.Capability:
    """A capability of those fields and methods."""
    return type("Made", (loom.Capability,), {"name": name, **fields})()


def ids(ctx: loom.Context) -> list[int]:
    """Ids of the entries as they stand."""
    return [entry.id for entry in ctx.window.history.stream.entries]


GOES_ON = dict[str, Any](window=8_192, durable=False)
ODD: dict[str, Callable[[Any], object]] = {
    "pin": lambda ctx: ctx.pin(True),
    "a budget": lambda ctx: ctx.agents.spawn("Go.", budget=loom.Budget(steps=1.5)),
    "seconds": lambda ctx: ctx.agents.spawn("Go.", budget=loom.Budget(seconds=None)),
    "a model": lambda ctx: ctx.agents.spawn("Go.", model=5),
}


@all_cases("name", ODD)
def test_what_cannot_be_read_back_is_not_written(tmp_path: Path, name: str) -> None:
    """A typed error, no commit, no child; the session goes on and opens again."""
    with loom.open(tmp_path / "w", **GOES_ON) as ctx:
        ctx.user("Go.")
        commits = ctx._engine.workspace.commits
        with pytest.raises((loom.LoomError, TypeError)):
            ODD[name](ctx)
        ctx.turn()
        assert ctx.agents.children == {} and ctx._engine.workspace.commits == commits + 1
    loom.open(tmp_path / "w", **GOES_ON).close()


def test_an_answer_that_is_badly_made(tmp_path: Path) -> None:
    """A reduction of another type than is documented is refused before it is written."""

    def answer(edits: Any, given: Any, limit: int) -> Any:
        made = loom.Answer("ok", answer_reduction("t", {}, "ok"))
        return type(made)(made.text, made.reduction, error="yes")

    tools = (loom.own_tool("t", "T.", {}, answer),)
    with loom.open(tmp_path / "w", capabilities=[made("bad", tools=tools)], **GOES_ON) as ctx:
        with pytest.raises(loom.BadInput, match="cannot be recorded"):
            ctx.reply(reply("a", "t"))
        ctx.user("go on")
        ctx.turn()
    loom.open(tmp_path / "w", **GOES_ON).close()


ENTRIES: dict[str, Callable[[loom.Context], object]] = {
    "user": lambda ctx: ctx.user("by the way"),
    "reply": lambda ctx: ctx.reply(reply("inner")),
}


@all_cases("name", ENTRIES)
@all_cases("where", ["tool", "recalled"])
def test_an_answer_adds_no_entries(tmp_path: Path, name: str, where: str) -> None:
    """The model is told why; ids stay single, and a renewal is lawful."""

    def act(self: loom.Capability, *given: Any) -> Any:
        ENTRIES[name](self.context)

    fields: dict[str, Any] = {"recalled": act}
    if where == "tool":
        fields = {"tools": property(lambda self: (loom.own_tool("t", "T.", {}, self.act),))}
    busy = made("busy", act=act, **fields)
    with loom.open(tmp_path / "w", capabilities=[busy], **GOES_ON) as ctx:
        ctx.user("Go.")
        ctx.reply(
            reply("a", "t") if where == "tool" else reply("a", "recall", '{"query": "anything"}')
        )
        ctx.turn()
        assert ids(ctx) == [1, 2]
        assert where == "recalled" or "add no entries" in ctx.history.restore(2).results["a"]
        ctx.renew()
    with loom.open(tmp_path / "w", **GOES_ON) as ctx:
        ctx.renew()


@all_cases("error", [ConnectionError, TimeoutError, FileNotFoundError, ValueError])
def test_what_a_tool_raises_is_told(tmp_path: Path, error: type[Exception]) -> None:
    """An error of a network or a file is the tool's, not the disk's."""

    def answer(edits: Any, given: Any, limit: int) -> Any:
        raise error("db down")

    tools = (loom.own_tool("t", "T.", {}, answer),)
    with loom.open(tmp_path / "w", capabilities=[made("db", tools=tools)], **GOES_ON) as ctx:
        ctx.reply(reply("a", "t"))
        assert "db down" in ctx.history.restore(1).results["a"]


@pytest.mark.filterwarnings("ignore:the rule for:UserWarning")
@all_cases("given", [ValueError("no"), None, 5, "text"])
def test_a_rule_that_fails_gives_way(tmp_path: Path, given: Any) -> None:
    """Loom's own rule stands, and the result is taken."""

    def rule(result: Any) -> Any:
        if isinstance(given, Exception):
            raise given
        return given

    rules = made("rules", rules={"Read": rule})
    with loom.open(tmp_path / "w", capabilities=[rules], **GOES_ON) as ctx:
        ctx.reply(reply("a", "Read", '{"path": "a.py"}'))
        ctx.result("a", "x = 1\n")
        assert ctx.turn().pressure.rho < 1


@pytest.mark.filterwarnings("ignore:sums could not:UserWarning")
@pytest.mark.parametrize("made_of", [ValueError("no"), "\ud800 half", 7])
def test_a_summarizer_that_fails_gives_way(tmp_path: Path, made_of: Any) -> None:
    """The structure stands, or what of its text can be shown."""

    def shortened(self: Any, text: str, **given: Any) -> Any:
        if isinstance(made_of, Exception):
            raise made_of
        return made_of

    sums = made("sums", summarizes=True, shortened=shortened)
    with loom.open(tmp_path / "w", capabilities=[sums], **GOES_ON) as ctx:
        ctx.reply(reply("a"))
        ctx.result("a", "a line of it\n" * 2_000)
        ctx.turn()


def test_a_capability_that_is_interrupted_twice_leaves_no_lock(tmp_path: Path) -> None:
    """One that raises when it is opened, and is interrupted when it stops."""

    def opened(self: Any) -> None:
        raise RuntimeError("not today")

    def stopping(self: Any) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        loom.open(tmp_path / "w", capabilities=[made("x", opened=opened, stopping=stopping)])
    loom.open(tmp_path / "w", durable=False).close()


def misstated(tokens: int) -> Callable[[Any], list[Any]]:
    """A level that says its edits take so many tokens."""
    return lambda scene: [
        Lowered(entry.id, Detail.COMPACT, "x" * 4_000, tokens)
        for entry in scene.window.history.stream.entries
        if isinstance(entry, Step) and entry.detail == Detail.FULL
    ]


CUTS = [(misstated(1), "is said to take"), (misstated(-100), "is said to take")]
CUTS += [(lambda scene, one=one: [one], "is no edit") for one in ("hello", 5, None)]
CUTS += [
    (lambda scene: 1 // 0, "'odd' failed: ZeroDivisionError"),
    (lambda scene: None, "'odd' failed"),
]


@all_cases(("cut", "said"), CUTS)
def test_a_level_that_is_not_applied(tmp_path: Path, cut: Any, said: str) -> None:
    """What is no edit is named, and what a level raises; so is an edit that takes more tokens than
    it says."""
    odd = made("odd", levels=(Level("odd", 0.2, cut),))
    with (
        loom.open(tmp_path / "w", capabilities=[odd], **GOES_ON) as ctx,
        pytest.raises(loom.LoomError, match=said) as error,
    ):
        for number in range(40):
            ctx.reply(reply(f"c{number}"))
            ctx.result(f"c{number}", f"line {number}\n" * 100)
            ctx.turn()
    assert ("failed" in said) is not isinstance(error.value, loom.errors.BrokenLaw)


def test_a_size_that_was_not_told_is_told_again(tmp_path: Path) -> None:
    """Interrupted when it is told of another size, a capability hears of it with the next turn."""
    told: list[int] = []

    def resized(self: Any) -> None:
        told.append(self.context.window.limits.window)
        if len(told) == 1:
            raise KeyboardInterrupt

    with loom.open(tmp_path / "w", capabilities=[made("x", resized=resized)], **GOES_ON) as ctx:
        with pytest.raises(KeyboardInterrupt):
            ctx.resize(16_000)
        ctx.resize(16_000)
        ctx.user("go on")
        ctx.turn()
        assert told[0] == told[-1] == 16_000 and len(told) == 2


def test_nothing_is_committed_before_it_is_opened(tmp_path: Path) -> None:
    """A message in `attached` is refused, and the folder can be opened as new."""

    def attached(self: Any, context: loom.Context) -> None:
        context.user("too early")

    with pytest.raises(loom.LoomError, match="before the workspace is opened"):
        loom.open(tmp_path / "w", capabilities=[made("x", attached=attached)], **GOES_ON)
    with loom.open(tmp_path / "w", **GOES_ON) as ctx:
        assert ids(ctx) == []
