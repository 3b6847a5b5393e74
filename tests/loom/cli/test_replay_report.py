import json
from pathlib import Path

import pytest

from loom.cli.replay_report import SKIPPED_MAX, skips, verdict
from loom.replay.importers import BadSession
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


def test_two_lines_are_enough_for_many_sessions() -> None:
    """The verdict has two lines at 80 columns, also of large figures, and more words where wide."""
    total = {
        "sessions": 1_212, "steps": 103_412, "broken": {}, "error": "", "restored": 409_120,
        "texts": 409_120, "loom": {"cost": 1_290.1},
        "plain": {"requests": 9, "cost": 14_120.4, "overflowed": 712, "overflow_turn": 88},
    }  # fmt: skip
    for width in (80, 160):
        lines = verdict(total, 128_000, width)
        assert len(lines) == 2 and all(len(text) <= width for text in lines)
        assert "every law kept" in lines[0] and "$1,290" in lines[1] and "88" in lines[1]
    assert "all 409,120 texts came back byte for byte." in verdict(total, 128_000, 160)[0]
    few = {**total, "broken": {"paired": 2}, "restored": 9, "error": "1 stopped"}
    assert "2 laws broken, 1 stopped, 9 of 409,120" in verdict(few, 1, 160)[0]
    fits = {**total, "plain": {**total["plain"], "overflowed": 0, "overflow_turn": None}}
    assert "would have fitted" in verdict(fits, 128_000, 160)[1]


def test_skipped_files_end_the_report() -> None:
    """A line each, whole, ten of them, then how many more."""
    bad = [BadSession(Path(f"/a/{'b' * 90}/{n}.jsonl"), n, "why " * 40) for n in range(14)]
    lines = [*skips(bad)]
    assert len(lines) == SKIPPED_MAX + 1 and lines[-1] == "… and 4 more (--json lists all)"
    assert f"/a/{'b' * 90}/3.jsonl:3: why why" in lines[3] and lines[3].endswith("why")
