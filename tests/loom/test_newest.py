"""What came in since the last reply is in the next request, whatever else has to leave."""

import json
import random
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import loom
from loom_partitions import laws
from tests.kit.cases import all_cases, each_value
from tests.kit.opened import Open, opened_with, opening
from tests.kit.requests import request
from tests.providers.serving.pictures import png

opened = opened_with(window=8_192, goal="g")
HEADS = (0, 1_500, 2_500, 3_000, 3_500, 4_000)  # words of instructions; the capacity is 6,144


def asked(ctx: loom.Context, id: str, name: str, **arguments: Any) -> None:
    """The model calls a tool; Loom's own are answered at once."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": id, "type": "function", "function": function}]
    ctx.reply({"role": "assistant", "content": None, "tool_calls": calls})


@all_cases(("words", "policy"), each_value(HEADS, ["lazy", "graduated"]))
def test_each_result_is_seen_at_once(opened: Open, words: int, policy: str) -> None:
    """Thirty results of some 1,100 tokens: the first line of each is in the request that follows,
    and where there is room for all of it, its last line too."""
    ctx = opened(policy=policy)
    ctx.system("rule " * words)
    ctx.user("Go.")
    ctx.turn()
    whole = ctx.pressure.rho < 0.7
    for number in range(30):
        asked(ctx, f"c{number}", "Bash", command=f"run {number}")
        text = f"CODE={number}x\n" + f"setting {number}\n" * 270 + f"END={number}x"
        ctx.result(f"c{number}", text)
        seen = request(ctx)
        assert f"CODE={number}x" in seen
        assert (f"END={number}x" in seen and seen.count(f"setting {number}\\n") == 270) or not whole


def test_a_result_too_large_says_what_is_missing(opened: Open) -> None:
    """Of a text that cannot fit both ends stand, and the lines between them come back by number."""
    ctx = opened()
    ctx.system("rule " * 2_000)
    asked(ctx, "c0", "Bash", command="make")
    chosen = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    rows = [
        " ".join("".join(chosen.choices(letters, k=5)) for _ in range(chosen.randrange(2, 9)))
        for _ in range(2_000)
    ]
    ctx.result("c0", "\n".join(rows))
    seen = request(ctx)
    assert rows[0] in seen and rows[-1] in seen
    lines = seen.partition("lines=")[2].partition(")")[0]
    first, last = map(int, lines.split("-"))
    assert rows[first - 2] in seen and rows[last] in seen
    assert rows[first - 1] not in seen and rows[last - 1] not in seen
    back = ctx.page_in("outputs/shell_0002.log", lines=lines).text
    assert rows[first - 1] in back and rows[last - 1] in back
    assert ctx.pressure.rho > 0.8  # as much of it as fits


def test_the_words_of_the_user_come_first(opened: Open) -> None:
    """Where a result and a message do not fit together, it is the result that is shortened."""
    ctx = opened()
    ctx.system("rule " * 2_500)
    asked(ctx, "c0", "Bash", command="make")
    ctx.result("c0", "row of the table\n" * 450)
    ctx.user("".join(f"Rule {number}: leave part {number} alone.\n" for number in range(80)))
    seen = request(ctx)
    assert all(f"Rule {number}: leave part {number} alone." in seen for number in range(80))
    assert "row of the table" in seen


def test_an_image_that_came_last_is_sent(opened: Open) -> None:
    """A picture that a tool returned is an input like any other."""
    ctx = opened(model="claude-sonnet-4-5")
    ctx.system("rule " * 2_500)
    for number in range(12):
        ctx.turn()
        asked(ctx, f"c{number}", "shot")
        ctx.result(f"c{number}", [{"type": "text", "text": f"shot {number}"}, png(640, 480)])
        messages = json.dumps(ctx.turn().request("anthropic")["messages"][-3:], default=repr)
        assert '"image"' in messages, number


OPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["user", "step", "step", "step", "many", "pin", "unpin", "resize", "renew", "refused",
             "reopen", "undo"]
        ),
        st.integers(0, 2_500),
    ),
    min_size=4,
    max_size=24,
)  # fmt: skip
PINNED = [("user", 600), ("step", 600), ("pin", 2), ("pin", 3)] + [("user", 600), ("step", 600)] * 9


class Played:
    """A session that a random list of acts makes; `word` differs from text to text."""

    def __init__(self, opened: Open, policy: loom.Policy, rules: int) -> None:
        self.opened, self.policy = opened, policy
        self.ctx = opened(policy=policy)
        self.ctx.system("rule " * rules)
        self.made = 0

    def text(self, size: int) -> str:
        """About `size` tokens in lines, unlike any other text."""
        self.made += 1
        return "\n".join(f"{self.made} line {at} of {size}" for at in range(size // 8 + 1))

    def act(self, name: str, size: int) -> None:
        """Do one thing to the session; a refusal for want of room is an answer."""
        ctx = self.ctx
        if name == "user":
            ctx.user(self.text(size))
        elif name in ("step", "many"):
            ids = [f"c{self.made}_{at}" for at in range(3 if name == "many" else 1)]
            calls = tuple(loom.ToolCall(id, "shell", "{}") for id in ids)
            ctx.turn()
            ctx.reply(loom.Reply((loom.Speech(self.text(size // 9)), *calls)))
            for id in ids:
                ctx.result(id, self.text(size))
        elif name == "pin":
            ctx.pin(1 + size % max(ctx.window.history.next_id - 1, 1))
        elif name == "unpin":
            for entry, _ in ctx.window.history.pins:
                ctx.unpin(entry)
        elif name == "resize":
            ctx.resize(4_096 + 4 * size)
        elif name == "renew":
            ctx.renew(history=size if size % 2 else None)
        elif name == "refused":
            ctx.turn()
            ctx.overflowed(RuntimeError("413 Request Entity Too Large"))
        elif name == "reopen":
            self.ctx = self.opened(policy=self.policy)
        elif ctx.window.sent.turn > 1:
            ctx.history.undo(to=ctx.window.sent.turn - 1)

    def check(self) -> None:
        """Make a request, and hold it against what stood before."""
        engine, before = self.ctx._engine, self.ctx.window
        turn = self.ctx.turn()
        after = self.ctx.window
        assert not laws.bounded(after) and not laws.ordered(after) and not laws.paired(after)
        pins = sum(
            e.tokens for e in after.history.stream.entries if e.id in dict(after.history.pins)
        )
        assert not laws.newest(before, after, engine.room.free(after) - pins), turn.pressure


@pytest.mark.parametrize("preset", ["lazy", "graduated", "eager"])
@settings(max_examples=25)
@given(acts=OPS, rules=st.sampled_from([0, 1_200, 2_400, 3_200]))
@example(acts=PINNED, rules=0)
def test_no_input_breaks_a_law(preset: str, acts: list[tuple[str, int]], rules: int) -> None:
    """Pins, sizes, refusals and undoing under every policy: what came in stands, and all that a
    host is ever refused is room."""
    with (
        tempfile.TemporaryDirectory() as folder,
        opening(Path(folder), window=8_192, goal="g") as opened,
    ):
        policy = replace(loom.PRESETS[preset], own_tools=False)
        played = Played(opened, policy, rules if preset != "eager" else 0)
        for name, size in acts:
            try:
                played.act(name, size)
                played.check()
            except (loom.OverCapacity, loom.MissingPage):
                played.ctx.abandon() if played.ctx.calls else None


def test_what_page_in_brings_is_seen(opened: Open) -> None:
    """The answer of a retrieval is no less new than that of any other tool."""
    ctx = opened()
    ctx.system("rule " * 3_000)
    asked(ctx, "c0", "Bash", command="cat a")
    ctx.result("c0", "".join(f"value {number} is {number * 7}\n" for number in range(100)))
    for number in range(12):
        ctx.turn()
        asked(ctx, f"d{number}", "Bash", command=f"run {number}")
        ctx.result(f"d{number}", "filler of the window\n" * 150)
    ctx.turn()
    asked(ctx, "p", "page_in", ref="outputs/shell_0002.log")
    assert "value 99 is 693" in request(ctx)
