"""A question that came with a long paste stays in the window while it is open."""

import json
import random
from functools import partial

import loom
from loom.reduce.preview import SNIP, preview_spoken, shorten
from tests.kit.cases import all_cases, all_pairs
from tests.kit.opened import Open, opened_with

opened = opened_with(goal="")
ASK = "Why does the build fail? Only answer in French, and do not touch the lock file."
LOG = "\n".join(
    f"[{i:05d}] INFO worker {i % 7} handled request {i * 31 % 9973} in {i % 13} ms"
    for i in range(6_000)
)
CODE = "\n\n".join(f"def f{i}(x):\n    y = x * {i}\n    return y + {i}" for i in range(900))
chosen = random.Random(3)
PROSE = "\n\n".join(
    " ".join(chosen.choices(["wind", "over", "the", "hill", "a", "stone", "rests"], k=200))
    for _ in range(120)
)
PASTES = {
    "log": LOG,
    "code": CODE,
    "fenced": f"```\n{CODE}\n```",
    "prose": PROSE,
    "one line": "x" * 90_000,
    "json": json.dumps([{"id": i} for i in range(9_000)], indent=1),
}


def placed(paste: str, where: str) -> str:
    """The question before a paste, behind it, or on the line next to it."""
    return {
        "before": f"{ASK}\n\n{paste}",
        "behind": f"{paste}\n\n{ASK}",
        "next to": f"{paste}\n{ASK}",
    }[where]


def work(ctx: loom.Context, steps: int) -> list[str]:
    """Play steps that read files; every request as text."""
    seen = []
    for i in range(steps):
        function = {"name": "Bash", "arguments": json.dumps({"command": f"cat src/m{i}.py"})}
        calls = [{"id": f"c{i}", "type": "function", "function": function}]
        ctx.reply({"role": "assistant", "content": None, "tool_calls": calls})
        ctx.result(ctx.calls[0], f"def f{i}(x):\n    return x*{i}\n" * 400)
        seen.append(json.dumps(ctx.turn().request("openai")))
    return seen


@all_cases(
    ("where", "paste", "window"),
    all_pairs(
        ["before", "behind", "next to"], ["log", "code", "fenced", "prose"], [8_192, 32_000, 64_000]
    ),
)
def test_a_question_survives_its_paste(opened: Open, window: int, paste: str, where: str) -> None:
    """In every request of the twenty steps that follow stands the question, word for word."""
    ctx = opened(window=window)
    ctx.user(placed(PASTES[paste], where))
    first = json.dumps(ctx.turn().request("openai"))
    assert [at for at, one in enumerate([first, *work(ctx, 20)]) if ASK not in one] == []


def test_afterwards_it_is_what_the_user_said(opened: Open) -> None:
    """When the next message came, the question is told with the others."""
    ctx = opened(window=16_000)
    ctx.user(placed(LOG, "behind"))
    ctx.turn()
    work(ctx, 6)
    ctx.turn()
    ctx.reply({"role": "assistant", "content": "Because of a lock."})
    ctx.user("Then go on.")
    ctx.turn()
    assert all(ASK in one for one in work(ctx, 8))


@all_cases("cut", [preview_spoken, partial(shorten, shares=SNIP, spoken=True)])
@all_cases("where", ["before", "behind", "next to"])
@all_cases("paste", PASTES)
@all_cases("limit", [400, 2_000, 9_000])
def test_a_message_is_cut_around_its_own_words(
    cut: object, where: str, paste: str, limit: int
) -> None:
    """Whatever was pasted: the cut keeps to its limit, and both ends say what was typed there."""
    text = placed(PASTES[paste], where)
    made = cut(text, limit, "outputs/message_0001.txt")
    assert len(made) <= limit
    assert ASK in made and "rest in outputs/message_0001.txt" in made
