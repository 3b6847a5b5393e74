import json
from pathlib import Path

import pytest

from tests.loom.cli.conftest import Run

WINDOW = ("--window", "6000")


def test_prices_may_be_given(run: Run, recorded: Path) -> None:
    """`--price` changes costs and nothing else; the line about prices says so."""
    given = ("replay", recorded / "short.jsonl", *WINDOW)
    listed, own = (
        json.loads(run(*given, *more, "--json")[1])["sessions"][0]
        for more in ((), ("--price", "0,0,1000,0"))
    )
    assert own["plain"]["cost"] == pytest.approx(own["plain"]["written"] / 1_000)
    assert own["plain"]["sent"] == listed["plain"]["sent"] and own["output"]["cost"] == 0
    assert "models without a price of their own (not named)" in run(*given)[1].replace("\n  ", " ")
    assert "--price: input 0" in run(*given, "--price", "0,0,1000,0")[1]
