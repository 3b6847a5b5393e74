"""What a host writes beside Loom: a capability in thirty lines, a reduction rule in fifteen."""

from pathlib import Path
from typing import Any

import pytest

import loom
from loom.compress.ladder import Level
from loom.providers.counts import Counter
from loom_partitions.message import Digest, Step
from tests.kit.opened import Open, opened_with
from tests.kit.requests import request


class Ledger(loom.Capability):
    """Keeps what was spent; the model books by a tool, and the window tells when it is too much."""

    name = "ledger"

    def __init__(self, most: float) -> None:
        self.most, self.spent, self.seen = most, 0.0, list[str]()

    @property
    def tools(self) -> tuple[loom.OwnTool, ...]:
        """One tool: `book`."""
        number = {"amount": {"type": "number"}}
        return (loom.own_tool("book", "Book an expense, from 0 to 1.", number, self.book),)

    def book(self, edits: Any, arguments: dict[str, Any], limit: int) -> str:
        """Book it."""
        self.spent += arguments["amount"]
        return f"booked; {self.most - self.spent:.2f} left"

    def before_turn(self) -> None:
        """Tell once when nothing is left."""
        if self.spent > self.most:
            self.context.events.signal("overspent", "nothing is left to spend", urgency="high")


for moment, name in {
    "opened": "opened", "goal_changed": "goal", "before_renewal": "renewal", "resized": "resized",
    "stopping": "stopping", "closing": "closing",
}.items():  # fmt: skip
    setattr(Ledger, moment, lambda self, name=name: self.seen.append(name))
opened = opened_with(window=8_192)


def test_a_capability_answers_tells_and_is_asked(opened: Open) -> None:
    """Its tool is declared and answered, its event shown, each of its moments comes."""
    ledger = Ledger(0.9)
    ctx = opened(capabilities=[ledger])
    assert "book" in ctx.tools.own and ledger.seen == ["opened"]
    ctx.reply(loom.Reply((loom.ToolCall("c1", "book", '{"amount": 0.5}'),)))
    assert ctx.calls == () and "booked; 0.40 left" in request(ctx)
    ctx.reply(loom.Reply((loom.ToolCall("c2", "book", '{"amount": "much"}'),)))
    assert "amount is a number" in request(ctx) and ledger.spent == 0.5
    ctx.reply(loom.Reply((loom.ToolCall("c3", "book", '{"amount": 0.5}'),)))
    assert "nothing is left to spend" in request(ctx)
    ctx.working.set_goal("Spend less.")
    ctx.renew()
    ctx.resize(16_000)
    ctx.close()
    assert ledger.seen == ["opened", "goal", "renewal", "resized", "stopping", "closing"]


def test_one_serves_one_context(opened: Open, tmp_path: Path) -> None:
    """A second context refuses it while the first is open, and takes it afterwards."""
    ledger = Ledger(1.0)
    first = opened(capabilities=[ledger])
    with pytest.raises(loom.LoomError, match=r"ledger.*make another"):
        loom.open(tmp_path / "other", capabilities=[ledger], durable=False)
    assert not (tmp_path / "other").exists() and first.tools.own
    first.close()
    with loom.open(tmp_path / "other", capabilities=[ledger], durable=False) as other:
        assert "book" in other.tools.own


@pytest.mark.parametrize("names", [("", "a"), ("a", "a"), ("memory", "memory")])
def test_each_has_a_name_of_its_own(tmp_path: Path, names: tuple[str, str]) -> None:
    """Two of a name, or one without, are refused before anything is written."""
    given = []
    for name in names:
        given.append(loom.Capability())
        given[-1].name = name
    with pytest.raises(loom.LoomError, match="name"):
        loom.open(tmp_path / "w", capabilities=given)
    assert not (tmp_path / "w").exists()


def test_a_tool_under_the_name_of_another_is_refused(opened: Open) -> None:
    """Loom's own tools keep their names."""

    class Second(loom.Capability):
        name = "second"
        tools = (loom.own_tool("recall", "Recall.", {}, lambda *given: ""),)

    with pytest.raises(loom.BadInput, match="recall"):
        opened(capabilities=[Second()])


class Broken(loom.Capability):
    """A capability that fails wherever it is asked at the end, and in its tool."""

    name = "broken"

    @property
    def tools(self) -> tuple[loom.OwnTool, ...]:
        """One tool that divides."""
        return (loom.own_tool("divide", "Divide 1.", {"by": {"type": "number"}}, self.divide),)

    def divide(self, edits: Any, arguments: dict[str, Any], limit: int) -> Any:
        """A number, which is no text; or a fault."""
        return {"quotient": 1 / arguments["by"]}

    def stopping(self) -> None:
        """Fail."""
        raise RuntimeError("it does not stop")

    def closing(self) -> None:
        """Fail."""
        raise RuntimeError("it does not close")


def test_one_that_fails_keeps_nothing_locked(tmp_path: Path) -> None:
    """What its tool raises is told to the model; the workspace is free whatever it raises at the
    end, and those beside it are asked all the same."""
    ledger = Ledger(1.0)
    ctx = loom.open(tmp_path / "w", capabilities=[Broken(), ledger], durable=False, window=8_192)
    ctx.reply(loom.Reply((loom.ToolCall("c1", "divide", '{"by": 0}'),)))
    assert "ZeroDivisionError" in request(ctx)
    ctx.reply(loom.Reply((loom.ToolCall("c2", "divide", '{"by": 0.5}'),)))
    assert "quotient" in request(ctx)
    with pytest.raises(RuntimeError, match="does not stop"):
        ctx.close()
    assert ledger.seen[-2:] == ["stopping", "closing"]
    loom.open(tmp_path / "w", capabilities=[ledger], durable=False).close()


class Keeping(loom.Capability):
    """A level that folds everything but the last entry, and a counter of letters."""

    name = "keeping"

    def __init__(self) -> None:
        def count(texts: list[str]) -> list[int]:
            return [len(text) // 3 + 1 for text in texts]

        self.counter = Counter("letters", "letters", count, exact=True)
        self.levels = (Level("mine", "snip_at", self.cut),)
        self.scenes = 0

    def cut(self, scene: Any) -> tuple[Any, ...]:
        """Nothing is proposed: the ladder's own levels go on."""
        self.scenes += 1
        return ()


def test_levels_and_counters_can_be_given(opened: Open) -> None:
    """A level is asked where its mark is crossed; tokens are counted by the counter given."""
    keeping = Keeping()
    ctx = opened(capabilities=[keeping])
    assert ctx.window.config.encoding == "letters"
    for number in range(60):
        ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "Read", "{}"),)))
        ctx.result(f"c{number}", f"line {number} of what it said\n" * 20)
        ctx.turn()
    assert keeping.scenes and any(
        isinstance(entry, Digest) or (isinstance(entry, Step) and entry.detail)
        for entry in ctx.window.history.stream.entries
    )
    ctx.close()
    with pytest.raises(loom.LoomError, match="letters"):
        opened()
    assert opened(capabilities=[Keeping()]).turn().pressure.rho <= 1.0
