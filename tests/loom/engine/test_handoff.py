"""What a request says of a renewal: what left, and which of the declared tools bring it back."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

import loom
from loom.engine.notices import WIDEST_HANDOFF
from loom.providers.counts import counter_for
from loom.providers.render.dashboard import WIDEST
from loom.providers.render.wording import handoff
from tests.kit.opened import plain
from tests.kit.step import step

OWN, NONE = loom.Policy(), loom.Policy(own_tools=False)


def said(ctx: loom.Context) -> str:
    """Return the line of a generation in the next request."""
    messages = ctx.turn().request("openai")["messages"]
    lines = str(messages[-1]["content"]).splitlines()
    return next((line for line in lines if line.startswith("generation ")), "")


def test_nothing_is_said_without_a_renewal(tmp_path: Path) -> None:
    """A window nobody renewed has no such line."""
    with plain(tmp_path / "w") as ctx:
        step(ctx, "ok")
        assert said(ctx) == ""


@pytest.mark.parametrize("policy", [OWN, NONE], ids=["own", "none"])
def test_nothing_left(tmp_path: Path, policy: loom.Policy) -> None:
    """All steps stand, so nothing is said to bring anything back."""
    with plain(tmp_path / "w", policy=policy) as ctx:
        step(ctx, "ok")
        ctx.turn()
        ctx.renew()
        assert said(ctx) == "generation 2: a fresh window, and no entry of history left it"


@pytest.mark.parametrize(
    ("policy", "ways"),
    [(OWN, "page_in(ref) and recall(query) bring it back"), (NONE, "from here it cannot be read")],
    ids=["own", "none"],
)
def test_what_left_comes_back_by_what_is_declared(
    tmp_path: Path, policy: loom.Policy, ways: str
) -> None:
    """No tool is named that the model does not have."""
    with plain(tmp_path / "w", policy=policy, window=12_000) as ctx:
        for number in range(9):
            step(ctx, f"line of {number}\n" * 150)
        ctx.turn()
        ctx.renew(300)
        assert said(ctx) == f"generation 2: older history left the window; {ways}"


def test_none_is_longer_than_what_is_held_free() -> None:
    """Pressure is measured with the longest of them."""
    counter = counter_for("gpt-4o")
    most = counter.many([WIDEST_HANDOFF])[0]
    for left, page_in, recall in product((True, False), repeat=3):
        line = handoff(WIDEST.generation, left=left, page_in=page_in, recall=recall)
        assert counter.many([line])[0] <= most
