from pathlib import Path

import pytest

import loom
from loom.cli.context import contained
from loom.engine.pressure import pressure_of
from tests.loom.cli.conftest import Run


@pytest.mark.exact
def test_the_header_says_what_the_provider_counts(run: Run, tmp_path: Path) -> None:
    """Once reports came the expected size and the bound are told; before, nothing of them."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        ctx.user("Go. " * 200)
        ctx.turn()
        assert "at most" not in run("context", tmp_path / "w")[1]
        ctx.reply(loom.Reply((loom.Speech("I see."),), prompt_tokens=2_000))
        window = ctx.window
    held = contained(window, pressure_of(window, 0))
    assert held.calibrated and held.tokens < held.estimate <= held.bound
    _, out, _ = run("context", tmp_path / "w")
    assert f"{held.estimate:,} tokens of the provider expected" in out
    assert f"at most {held.bound:,} of" in out
