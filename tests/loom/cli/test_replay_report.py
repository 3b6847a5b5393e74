import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from select import select
from typing import Any

import pytest
from rich.cells import cell_len

from loom.cli import main
from loom.cli.replay_report import SKIPPED_MAX, skips, verdict
from loom.inputs import Reply
from loom.providers.counts import counter_for
from loom.providers.prices import prices_of
from loom.replay.cost import Meter
from loom.replay.importers import BadSession, load
from loom.replay.plain import message_of

Run = Callable[..., tuple[int, str, str]]
WINDOW = ("--window", "6000")


def sizes_of(path: Path) -> list[int]:
    """Tokens of each request of a plain client, added up message by message."""
    meter, held, found = Meter(counter_for()), 0, []
    (session,) = load(path)
    for event in session.events:
        if isinstance(event, Reply):
            found.append(held)
        held += meter.message(message_of(event, dict.fromkeys(_calls(event), "read_file")))
    return found


def _calls(event: Any) -> list[str]:
    return [event.call_id] if hasattr(event, "call_id") else []


def test_the_figures_without_loom_are_those_of_the_whole_list(run: Run, recorded: Path) -> None:
    """Sent, read, written, overflow and both costs, counted another way."""
    told = json.loads(run("replay", recorded / "long.jsonl", *WINDOW, "--json")[1])
    (one,) = told["sessions"]
    plain, sizes, prices = one["plain"], sizes_of(recorded / "long.jsonl"), prices_of("")
    capacity = 6_000 - 6_000 // 4
    over = next(at for at, size in enumerate(sizes, 1) if size > capacity)
    assert (plain["requests"], plain["sent"], plain["peak"]) == (61, sum(sizes), max(sizes))
    assert (plain["read"], plain["written"]) == (sum(sizes[:-1]), sizes[-1])
    assert plain["overflow_turn"] == over and plain["overflow_sent"] == sum(sizes[: over - 1])
    before = sizes[: over - 1]
    costs = [
        (prices.read * sum(row[:-1]) + prices.write * row[-1]) / 1e6 for row in (sizes, before)
    ]
    assert [plain["cost"], plain["overflow_cost"]] == pytest.approx(costs, abs=1e-6)
    ours = one["loom"]
    assert ours["sent"] == ours["read"] + ours["written"] < plain["sent"]
    cost = (prices.read * ours["read"] + prices.write * ours["written"]) / 1e6
    assert ours["cost"] == pytest.approx(cost, abs=1e-6) and ours["peak"] <= capacity


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


def test_totals_are_sums(run: Run, recorded: Path) -> None:
    """Each cost of the total, and the first overflow of all."""
    told = json.loads(run("replay", recorded, *WINDOW, "--json")[1])
    rows, total = told["sessions"], told["total"]
    for member, name in (("loom", "cost"), ("plain", "cost"), ("plain", "overflow_cost"),
                         ("plain", "sent"), ("output", "tokens")):  # fmt: skip
        assert total[member][name] == pytest.approx(sum(row[member][name] for row in rows))
    assert total["plain"]["overflowed"] == 1
    assert total["plain"]["overflow_turn"] == rows[0]["plain"]["overflow_turn"]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Run a command on a pseudo-terminal of so many columns; gives what it was sent."""
    pty = pytest.importorskip("pty", reason="no pseudo-terminals on this platform")
    monkeypatch.setenv("TERM", "xterm-256color")

    def running(columns: int, *tokens: str | Path) -> str:
        monkeypatch.setenv("COLUMNS", str(columns))
        shown = b""
        ours, theirs = pty.openpty()
        with os.fdopen(theirs, "w", encoding="utf-8") as stream, monkeypatch.context() as patched:
            patched.setattr("sys.stdout", stream)
            assert main([str(token) for token in tokens]) == 0
            stream.flush()
            while select([ours], [], [], 0.5)[0]:  # a terminal gives what it has, not all
                shown += os.read(ours, 1 << 20)
        os.close(ours)
        return shown.decode()

    yield running


@pytest.mark.parametrize(
    ("columns", "heads"),
    [
        (40, {"input cost", "full at"}),
        (80, {"input cost", "full at", "until full", "laws", "requests"}),
        (160, {"input cost", "full at", "until full", "came back", "reused", "renewals"}),
    ],
)
def test_a_terminal_of_any_width_is_filled_and_not_overrun(
    terminal: Callable[..., str],
    recorded: Path,
    monkeypatch: pytest.MonkeyPatch,
    columns: int,
    heads: set[str],
) -> None:
    """With NO_COLOR no colour is sent; no line is cut or wrapped; the most telling columns stay."""
    monkeypatch.setenv("NO_COLOR", "1")
    shown = terminal(columns, "replay", recorded / "short.jsonl", *WINDOW)
    plain = shown.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "")
    assert "\x1b" not in plain
    lines = plain.splitlines()
    assert all(cell_len(text) <= columns for text in lines)
    head = next(text for text in lines if text.startswith("session "))
    assert all(name in head for name in heads)
    assert lines[0].startswith("1 session, 7 requests: every law kept")


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
