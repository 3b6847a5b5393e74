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


def test_what_was_replaced_or_mended_is_told(run: Run, tmp_path: Path) -> None:
    """Secrets count the same on both sides; a line that was torn is told with its number."""
    secret = "DB_PASSWORD=kV9!tq2zLw7mQ4 " * 40
    rows = [{"role": "user", "content": f"{secret} go"}, {"role": "assistant", "content": "Done."}]
    text = "".join(json.dumps(row) + "\n" for row in rows) + '{"role": "us'
    (tmp_path / "one.jsonl").write_text(text, "utf-8")
    code, out, _ = run("replay", tmp_path / "one.jsonl", "--window", "6000")
    said = " ".join(out.split())
    assert code == 0 and "secrets replaced by [redacted:…]" in said and "line 3" in said
    told = json.loads(run("replay", tmp_path / "one.jsonl", "--window", "6000", "--json")[1])
    [one] = told["sessions"]
    assert one["secrets"] >= 1 and one["mended"] == 1
    assert abs(one["loom"]["sent"] - one["plain"]["sent"]) < 250  # Loom's own few words
