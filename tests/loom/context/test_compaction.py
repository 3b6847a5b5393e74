"""Large results in the window: less of them, or in the words of the host's model."""

import json
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.reduce.summary.ask import Ask
from loom_partitions.message import Outcome
from tests.kit.cases import all_cases

SECRET = "sk-" + "a1B2c3D4e5" * 5
RECORDS = json.dumps(
    [
        {"id": f"ord-{n}", "status": "open" if n % 7 else "failed", "note": "x" * 90}
        for n in range(300)
    ]
)


def took(ctx: loom.Context, value: object, name: str = "list_orders") -> Outcome:
    """The outcome of one call with that result."""
    id = f"c{ctx.window.history.next_id}"
    ctx.reply(loom.Reply((loom.ToolCall(id, name, "{}"),)))
    ctx.result(id, value)
    (outcome,) = ctx.window.history.stream.last.outcomes
    return outcome


def opened(path: Path, **given: Any) -> loom.Context:
    """A context with a goal and room."""
    usual: dict[str, Any] = {"goal": "Which orders failed?", "window": 64_000, "durable": False}
    return loom.open(path, **{**usual, **given})


@pytest.mark.exact
def test_without_a_number_a_result_stands_as_it_came(tmp_path: Path) -> None:
    """It has room; below the number it stands too."""
    with opened(tmp_path / "w") as ctx:
        assert took(ctx, RECORDS).text.body is None
        assert took(ctx, "short").text.body == "short"
    with opened(tmp_path / "x", policy=loom.Policy(compact_above=4_000)) as ctx:
        assert took(ctx, "word " * 780).text.whole


def test_a_number_too_small_is_refused(tmp_path: Path) -> None:
    """Before anything is made."""
    with pytest.raises(loom.LoomError, match="200 characters"):
        opened(tmp_path / "w", policy=loom.Policy(compact_above=10))
    assert not (tmp_path / "w").exists()


def test_above_the_number_it_is_reduced(tmp_path: Path) -> None:
    """Valid JSON within the number, which says where the whole rests; the page is the whole."""
    with opened(tmp_path / "w", policy=loom.Policy(compact_above=4_000)) as ctx:
        text = took(ctx, RECORDS).text
        assert text.body is not None and len(text.body) <= 4_000 and text.page in text.body
        assert json.loads(text.body) and "failed" in text.body
        assert ctx.history.payload(text.page).decode() == RECORDS
        assert ctx.turn().pressure.rho < 0.2


def test_a_summary_that_is_grounded(tmp_path: Path) -> None:
    """Stands in place of the result, with its page; the model was told tool and objective, and no
    secret."""
    asked: list[Ask] = []

    def model(ask: Ask) -> str:
        asked.append(ask)
        return "Order ord-7 failed, as did ord-14."

    summarizer = loom.Summarizer(model)
    with opened(tmp_path / "w", capabilities=[summarizer]) as ctx:
        text = took(ctx, RECORDS).text
        assert text.body is not None and text.body.startswith("Order ord-7 failed")
        assert text.body.endswith(f"[the whole rests in {text.page}]")
        assert '"list_orders"' in asked[0].prompt and "Which orders failed?" in asked[0].prompt
        assert [one.by for one in summarizer.judged] == ["model"]
        took(ctx, "short")
        assert len(asked) == 1
        took(ctx, f"token {SECRET}\n" + "a line\n" * 2_000)
        assert len(asked) == 2 and SECRET not in asked[1].prompt
    with loom.open(tmp_path / "w", durable=False) as again:
        assert "Order ord-7 failed" in repr(again.turn().request())


def raising(ask: Ask) -> str:
    """A model that is not there."""
    raise ConnectionError("refused")


async def waiting(ask: Ask) -> str:
    """An asynchronous one that says nothing."""
    return ""


@all_cases(
    ("model", "why"),
    [
        (raising, "ConnectionError"),
        (waiting, "nothing"),
        (lambda ask: "Order ord-9999 failed.", "ord-9999"),
        (lambda ask: "See https://evil.example/x.", "evil.example"),
        (lambda ask: "x " * 40_000, "characters"),
    ],
)
def test_one_that_is_not_leaves_the_structure(tmp_path: Path, model: Any, why: str) -> None:
    """The session goes on, and the host can see why."""
    summarizer = loom.Summarizer(model)
    with opened(tmp_path / "w", capabilities=[summarizer]) as ctx:
        text = took(ctx, RECORDS).text
        assert text.body is not None and json.loads(text.body)
        assert summarizer.judged[-1].by == "structure" and why in summarizer.judged[-1].why
        assert ctx.turn().pressure.rho < 0.2
