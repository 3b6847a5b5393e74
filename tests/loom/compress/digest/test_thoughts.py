"""What the steps that stay in the window thought, once a cut took their reasoning out."""

import json
from collections.abc import Iterator

import pytest

import loom
from loom.inputs import Reasoning, Reply, ToolCall
from loom_partitions.message import Detail, Digest, Step
from tests.kit.cases import all_cases
from tests.kit.opened import Open

LOG = "the build went on and on as builds do\n"


def thinks(ctx: loom.Context, number: int, opaque: str = "", format: str = "") -> None:
    """A step whose reasoning says something of its own."""
    ctx.turn()
    call = ToolCall(f"c{number}", "Bash", json.dumps({"command": f"make part-{number}"}))
    ctx.reply(Reply((Reasoning(f"Cause {number} is the flag.", opaque, format), call)))
    ctx.result(f"c{number}", f"{number} {LOG}" * 60)


def cut_once(ctx: loom.Context, **reasoning: str) -> tuple[str, list[Step]]:
    """Steps until the first digest: its text, and the steps that stand behind it."""
    ctx.user("Mend the build.")
    for number in range(40):
        thinks(ctx, number, **{key: text.format(number) for key, text in reasoning.items()})
        request = ctx.turn().request("openai")
        entries = list(ctx.window.history.stream.entries)
        if digests := [entry.text for entry in entries if isinstance(entry, Digest)]:
            assert digests[0] in json.dumps(request, ensure_ascii=False).replace("\\n", "\n")
            return digests[0], [entry for entry in entries if isinstance(entry, Step)]
    pytest.fail("no cut in 40 steps")


def numbers(steps: list[Step]) -> Iterator[int]:
    """The numbers of steps, as their calls have them."""
    for step in steps:
        yield int(step.calls[0].id[1:])


def test_standing_steps_are_told_once(opened: Open) -> None:
    """A step that stays whole has lost its reasoning: the digest says what it thought, once."""
    text, standing = cut_once(opened(window=16_000))
    assert standing
    for number in numbers(standing):
        assert text.count(f"Cause {number} is the flag.") == 1
    for number in range(max(numbers(standing))):
        assert text.count(f"Cause {number} is the flag.") <= 1


def test_the_next_digest_tells_none_twice(opened: Open) -> None:
    """When those steps fold, their thoughts move with them."""
    ctx = opened(window=16_000)
    cut_once(ctx)
    for number in range(40, 75):
        thinks(ctx, number)
    ctx.turn()
    (text,) = [e.text for e in ctx.window.history.stream.entries if isinstance(e, Digest)]
    told = [number for number in range(75) if f"Cause {number} is" in text]
    assert len(told) > 10
    assert all(text.count(f"Cause {number} is the flag.") == 1 for number in told)


@all_cases("model", ["deepseek-reasoner", "kimi-k2-thinking"])
def test_reasoning_that_goes_back_is_not_told(opened: Open, model: str) -> None:
    """What nobody signed goes back with its step, so the digest leaves it there."""
    opaque = '{{"reasoning_content":"Cause {} is the flag."}}'
    ctx = opened(window=16_000, model=model)
    text, standing = cut_once(ctx, opaque=opaque, format="openai")
    whole = [step for step in standing if step.detail < Detail.REDUCED]
    for step in whole[:-1]:  # that of the newest may have to go back
        number = int(step.calls[0].id[1:])
        kept = any(getattr(part, "unbound", False) for part in step.parts)
        assert (f"Cause {number} is the flag." in text) is not kept
