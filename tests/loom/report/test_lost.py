"""What sessions lost, as a page says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.cli import main
from loom.providers.prices import prices_of
from loom.replay.importers import load
from loom.replay.lost import SessionLoss, losses
from loom.report.lost import LossPage, brief, lost_page
from tests.kit.browser import Browser
from tests.kit.compacted import MODEL, compacted_log
from tests.loom.report.conftest import told, written

SAID = (
    "Claude Code replaced 6.0k tokens by a 26-token summary; of 5 things in use, 4 were not in it,"
    " and it read 2 files again for $0.01."
)


def found(folder: Path) -> SessionLoss:
    """The losses of a small session."""
    return losses(load(compacted_log(folder))[0], folder / "w", prices_of(MODEL))


@pytest.fixture(scope="module")
def loss(tmp_path_factory: pytest.TempPathFactory) -> SessionLoss:
    """The same, for all tests of this file."""
    return found(tmp_path_factory.mktemp("lost"))


def test_one_compaction_is_a_sentence(loss: SessionLoss) -> None:
    """When, who, from how many tokens to how many, what was lost, what it cost."""
    page = lost_page([loss])
    assert page.said.endswith(SAID) and page.said.startswith("At ")
    [session] = page.sessions
    assert session.said == page.said
    assert session.title.startswith("Never touch") and session.about.startswith("shop · 4 March")
    [one] = session.compactions
    assert one.lost[0].text.endswith("needed again at message 15")
    assert one.loom.startswith("Loom, given as much room, would have had of the things in use 5")
    assert (page.sums.things, page.sums.lost, page.sums.back) == (5, 4, 2)


def test_several_sessions_are_added_up(loss: SessionLoss) -> None:
    """One sentence of all, a row each."""
    page = lost_page([loss, loss])
    assert page.sums.lost == 8 and len(page.sessions) == 2
    assert page.said.startswith("In 2 sessions clients replaced their windows twice; of 10 things")
    assert page.said.endswith("and they read 4 files again for $0.02.")


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
    assert browser.run("return document.querySelectorAll('#lost svg .mark').length") == 1
    assert browser.run("return document.querySelectorAll('#lost .lines li').length") == 6
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
    assert row["losses"]["said"].endswith(SAID) and row["compactions"]["count"] == 1
    assert len(row["losses"]["compactions"][0]["lost"]) == 4
    assert main(["replay", str(path), "--price", "0,0,0,0"]) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert SAID.replace("$0.01", "$0.00") in out and "Loom, given as much room" in out


def test_a_session_goes_by_its_words(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Never by the name of its file: not in the title, nor in the list of agents."""
    path = compacted_log(tmp_path)
    named = path.rename(tmp_path / "0b5c7d1e-1111-4222-8333-444455556666.jsonl")
    whole = told(capfd, "report", named, "--no-redact")
    assert whole["source"] == whole["agents"][0]["name"] == whole["lost"]["sessions"][0]["title"]
    page = written(named)
    assert b"0b5c7d1e" not in page.read_bytes()
