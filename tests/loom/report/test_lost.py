"""What sessions lost, as a page says it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from loom.cli import main
from loom.providers.prices import prices_of
from loom.replay.importers import load
from loom.replay.lost import SessionLoss, losses
from loom.report.lost import LossPage, lost_page
from loom.report.lost_sentences import brief, clock
from tests.kit.browser import Browser
from tests.kit.compacted import MODEL, compacted_log
from tests.loom.report.conftest import told, written

SAID = (
    "Claude Code replaced 6.0k tokens by a summary of 26. It then read 2 files again: store.py and"
    " shelf.py. Of 4 things in use the summary does not name 3: shelf.py, your rule"
    ' "Never touch the ledger folder." and the failing check pytest -q tests/test_store.py.'
)
COST = (
    "That cost $0.01: less than a cent to write the summary and $0.01 (4 min) to fetch them again,"
    " since each call sends the whole window once more."
)
LOOM = (
    "Loom, in a window as large (16k tokens of talk), would have had 2 of these in view; its"
    " next request would have had 2.0k tokens."
)


def found(folder: Path) -> SessionLoss:
    """The losses of a small session."""
    return losses(load(compacted_log(folder))[0], folder / "w", prices_of(MODEL))


@pytest.fixture(scope="module")
def loss(tmp_path_factory: pytest.TempPathFactory) -> SessionLoss:
    """The same, for all tests of this file."""
    return found(tmp_path_factory.mktemp("lost"))


def test_one_compaction_is_a_sentence(loss: SessionLoss) -> None:
    """When, who, from how many tokens to how many, what was lost, what it cost by which price."""
    page = lost_page([loss])
    assert page.said.endswith(SAID) and page.said.startswith("On 4 March 2026 at ")
    assert page.cost == COST
    assert page.priced.endswith("$3 in and $15 out per million tokens, as claude-sonnet costs.")
    [session] = page.sessions
    assert session.said == f"{page.said} {COST}" and session.loom == page.loom == LOOM
    assert session.title.startswith("Never touch") and session.about.startswith("shop · 4 March")
    [one] = session.compactions
    assert [line.text.split("`")[0] for line in one.lost] == [
        "", 'your rule "Never touch the ledger folder."', "the failing check "
    ]  # fmt: skip
    last, needed = _clock(loss, 3), _clock(loss, 15)
    assert one.lost[0].place == f"not in the summary, last at {last}, needed again at {needed}"
    assert one.lost[1].place == f"not in the summary, last at {_clock(loss, 0)}"
    again = f"had at {_clock(loss, 1)}, read again at {_clock(loss, 13)}"
    assert one.back[0].place == again and one.when == _clock(loss, 11)
    assert (page.sums.things, page.sums.lost, page.sums.back) == (4, 3, 2)


def _clock(loss: SessionLoss, line: int) -> str:
    return clock(loss.times[0] + 60_000 * line)


def test_what_adds_up(loss: SessionLoss) -> None:
    """The total is that of the amounts told beside it; a thing counts once, however often."""
    [one] = loss.compactions
    first, second = one.back
    some = (replace(first, times=3), second, replace(first, did="ran", what="ls", loom="gone"))
    added = lost_page([replace(loss, compactions=(replace(one, back=some),))])
    assert "then read 2 files and ran 1 command again: store.py, shelf.py and ls." in added.said
    assert " would have had 2 of these in view and 1 gone; " in added.loom
    assert added.sums.cost == round(added.sums.written, 2) + round(added.sums.again, 2)
    assert added.sessions[0].compactions[0].back[0].place.endswith(" and 2 more times")
    bare = lost_page([replace(loss, compactions=(replace(one, back=(), things=()),))])
    assert bare.said.endswith(" Nothing of it was fetched again.") and bare.loom == ""
    alone = lost_page([replace(loss, compactions=(replace(one, back=(first,)),))])
    assert " to fetch it again, " in alone.cost and " would have had it in view; its " in alone.loom


def test_moments_and_periods(loss: SessionLoss) -> None:
    """Few compactions by their times, a day once; many by the period, none without times."""
    [one] = loss.compactions
    day = 24 * 60 * 60_000

    def said(*days: int) -> str:
        some = tuple(replace(one, when=one.when + at * day) for at in days)
        return lost_page([replace(loss, compactions=some)]).said

    at = clock(one.when)
    begun = f"On 4 March 2026 at {at} and {at} and on 6 March 2026 at {at} Claude Code compacted 3"
    assert said(0, 0, 2).startswith(begun)
    assert said(0, 0, 1, 2).startswith("From 4 March 2026 to 6 March 2026 Claude Code compacted 4")
    assert said(0, 0, 0, 0).startswith(
        "On 4 March 2026 Claude Code compacted 4 times. It then read 2 files again"
    )
    late = lost_page([replace(loss, compactions=(replace(one, when=one.when + day),))])
    place = late.sessions[0].compactions[0].back[0].place
    assert place.count(" on 4 March 2026") == 2  # another day than that of the compaction
    bare = replace(loss, client="", times={}, compactions=(replace(one, when=0),))
    assert lost_page([bare]).said.startswith(
        "The agent replaced 6.0k tokens by a summary of 26. It then read 2"
    )
    places = [line.place for line in lost_page([bare]).sessions[0].compactions[0].back]
    assert places == [
        "had at request 1, read again at request 6",
        "had at request 2, read again at request 7",
    ]


def test_several_sessions_are_added_up(loss: SessionLoss) -> None:
    """One sentence of all, a row each."""
    page = lost_page([loss, loss])
    assert page.sums.lost == 6 and len(page.sessions) == 2
    assert (
        "Claude Code compacted twice in 2 of 2 sessions. The agents then read 4 files again: "
        in page.said
    )
    assert "(8 min) to fetch them again" in page.cost
    agents = lost_page([loss, replace(loss, client="Codex", prices=prices_of("gpt-5"))])
    assert " agents compacted twice in 2 of 2 sessions" in agents.said
    assert agents.priced == "Dollars are estimates at the price of each model."


def test_a_page_can_be_passed_on(tmp_path: Path) -> None:
    """Home folders, addresses of mail and secrets are in none of its texts."""
    path = compacted_log(tmp_path)
    text = path.read_text("utf-8").replace("the ledger folder.", "/home/ada/x of ada@example.com.")
    path.write_text(text, "utf-8")
    made = losses(load(path)[0], tmp_path / "w", prices_of(MODEL))

    def said(page: LossPage) -> str:
        return repr(page)

    assert "ada" not in said(lost_page([made])) and "~/x" in said(lost_page([made]))
    assert "/home/ada/x" in said(lost_page([made], redact=False))


def test_the_report_begins_with_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With --redact nothing else is in the page; else the session as Loom held it, too."""
    path = compacted_log(tmp_path)
    alone = told(capfd, "report", path)
    assert alone["agents"] == [] and alone["texts"] == [] and alone["lost"]["said"].endswith(SAID)
    assert alone["lost"]["cost"] == COST
    whole = told(capfd, "report", path, "--no-redact")
    assert len(whole["agents"]) == 1 and whole["lost"]["said"] == alone["lost"]["said"]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("more", [(), ("--no-redact",)])
def test_it_is_drawn(browser: Browser, tmp_path: Path, width: int, more: tuple[str, ...]) -> None:
    """The sentence, the chart with a mark, the lists; nothing wider than the page."""
    page = written(compacted_log(tmp_path), *more)
    browser.open(page, width, 844)
    assert browser.logged() == []
    assert browser.run("return document.documentElement.scrollWidth <= innerWidth")
    assert browser.run("return document.querySelector('h1').textContent").endswith(SAID)
    assert browser.run("return document.getElementById('story').textContent") == f"{COST} {LOOM}"
    assert browser.run("return document.querySelectorAll('#lost svg .mark').length") == 1
    assert browser.run("return document.querySelectorAll('#lost .lines li').length") == 5
    assert browser.run("return document.getElementById('held').hidden") == (not more)
    if more:
        browser.run("document.getElementById('held').open = true")
        assert browser.run("return document.querySelectorAll('#messages li').length")


def test_sizes_are_brief() -> None:
    """As people say them."""
    assert [brief(each) for each in (640, 2_480, 9_960, 155_245)] == ["640", "2.5k", "10k", "155k"]


def test_replay_says_it_in_two_lines(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Below its own verdict; all of it with --json."""
    path = compacted_log(tmp_path)
    [row] = told(capfd, "replay", path)["sessions"]
    assert row["losses"]["said"].endswith(f"{SAID} {COST}") and row["compactions"]["count"] == 1
    assert len(row["losses"]["compactions"][0]["lost"]) == 3
    assert main(["replay", str(path), "--price", "0,0,0,0"]) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert SAID in out and LOOM in out
    assert "$0.00 to write the summary and $0.00 (4 min) to fetch" in out


def test_a_session_goes_by_its_words(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Never by the name of its file: not in the title, nor in the list of agents."""
    path = compacted_log(tmp_path)
    named = path.rename(tmp_path / "0b5c7d1e-1111-4222-8333-444455556666.jsonl")
    whole = told(capfd, "report", named, "--no-redact")
    assert whole["source"] == whole["agents"][0]["name"] == whole["lost"]["sessions"][0]["title"]
    page = written(named)
    assert b"0b5c7d1e" not in page.read_bytes()
