"""What sessions lost, as a page says it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

import loom
from loom.cli import main
from loom.providers.prices import prices_of
from loom.replay.importers import load
from loom.replay.lost import SessionLoss, losses
from loom.report.loss_page import loss_page
from loom.report.loss_sentences import brief_tokens, clock_text
from tests.kit.browser import Browser
from tests.kit.compacted import MODEL, STORE, CompactedLog, compacted_log, session_of
from tests.loom.report.conftest import told, written

SAID = (
    "Claude Code cut its window from 6.0k to 2.2k tokens: the summary left out 4 of 5 things in"
    " use, and 2 files were read again, for $0.01 in all."
)
NAMES = (
    'Left out: the user\'s words "Never touch the ledger folder.", the failed check'
    " pytest -q tests/test_store.py, shelf.py and 1 more. Fetched again: store.py and shelf.py."
)
COST = (
    "Writing the summary cost less than a cent and 1 min, fetching again $0.01 and 4 min: each call"
    " sends the whole window once more, most of it from the prompt cache."
)
LOOM = (
    "Loom, with room for 8,000 tokens beside instructions and tools, would have had all 5 in view;"
    " the input of the whole session would have cost $0.02 in place of $0.02."
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
    page = loss_page([loss])
    assert page.said.endswith(SAID) and page.said.startswith("On 4 March 2026 at ")
    assert (page.names, page.cost) == (NAMES, COST)
    assert " and $15 out per million tokens, as claude-sonnet costs. Times are in " in page.priced
    [session] = page.sessions
    assert (session.said, session.names, session.cost) == (page.said, NAMES, COST)
    assert session.loom == page.loom == LOOM
    assert session.title.startswith("Never touch") and session.about.startswith("shop · 4 March")
    [one] = session.compactions
    assert [line.text.split("`")[0] for line in one.lost] == [
        "", "id ", 'the user\'s words "Never touch the ledger folder."', "the failed check "
    ]  # fmt: skip
    shown = "after `ls lib; git log --oneline -1` had shown it again"
    last, needed = _clock(loss, 5), _clock(loss, 17)
    assert one.lost[0].place == f"last read or changed at {last}, used again at {needed}, {shown}"
    assert one.lost[2].place == f"said at {_clock(loss, 0)}"
    again = f"last shown at {_clock(loss, 1)}, read again at {_clock(loss, 13)}"
    assert one.back[0].place == again and one.when == f"{_clock(loss, 11)} · 6.0k → 2.2k"
    assert [line.text for line in one.held] == ["`…/shop/lib/store.py`"]
    assert (page.sums.things, page.sums.lost, page.sums.back) == (5, 4, 2)


def _clock(loss: SessionLoss, line: int) -> str:
    return clock_text(loss.times[0] + 60_000 * line)


def test_what_adds_up(loss: SessionLoss) -> None:
    """The total is that of the amounts told beside it; a thing counts once, however often."""
    [one] = loss.compactions
    first, *_ = one.back
    some = (replace(first, times=3), replace(first, did="ran", what="ls", loom=("gone", "gone")))
    added = loss_page([replace(loss, compactions=(replace(one, back=some),))])
    assert " things in use, and 2 things were fetched again, for $" in added.said
    assert added.names.endswith("Fetched again: store.py and ls.")
    assert [each.back for each in added.beside] == [0, 1, 1]
    assert added.sums.cost == round(added.sums.written, 2) + round(added.sums.again, 2)
    assert added.sessions[0].compactions[0].back[0].place.endswith(" and 2 more times")
    bare = loss_page([replace(loss, compactions=(replace(one, back=(), things=()),))])
    assert bare.said.endswith(" tokens: nothing was fetched again.") and bare.loom == ""
    alone = loss_page([replace(loss, compactions=(replace(one, back=(first,)),))])
    assert ", and 1 file was read again, for " in alone.said
    held = tuple(replace(thing, held=True) for thing in one.things)
    kept = loss_page([replace(loss, compactions=(replace(one, things=held),))])
    assert ": the summary names all 5 things in use, and 2 files were read" in kept.said
    mute = loss_page([replace(loss, compactions=(replace(one, things=(), back=(), summary=0),))])
    assert mute.said.endswith(" tokens: what that lost is not recorded.")


def test_what_fills_requests(loss: SessionLoss) -> None:
    """Each request's bands add up to what was reported; behind the compaction stands its summary,
    and instructions and tools are what is left."""
    page = loss_page([loss])
    requests = page.sessions[0].requests
    assert [sum(each) for each in requests[:6]] == [2_000, 3_000, 4_000, 5_000, 6_000, 2_200]
    assert all(min(each) >= 0 for each in requests)
    names = dict(zip(page.bands, requests[4], strict=True))
    assert names["reads"] > 1_000 and names["edits"] > 5 and names["summary"] == 0
    assert dict(zip(page.bands, requests[5], strict=True))["summary"] > 20


def test_agents_stand_under_their_session(loss: SessionLoss) -> None:
    """The costliest session first, its agents behind it; one whose session is not there alone."""
    one = replace(loss, name="s", compactions=())
    agents = [replace(loss, name=f"{name}/agent-1", title=name) for name in ("s", "other")]
    page = loss_page([*agents, one])
    assert [(each.title[:5], each.agent) for each in page.sessions] == [
        ("Never", False), ("s", True), ("other", False)
    ]  # fmt: skip


def test_moments_and_periods(loss: SessionLoss) -> None:
    """Few compactions by their times, a day once; many by the period, none without times."""
    [one] = loss.compactions
    day = 24 * 60 * 60_000

    def said(*days: int) -> str:
        some = tuple(replace(one, when=one.when + at * day) for at in days)
        return loss_page([replace(loss, compactions=some)]).said

    at = clock_text(one.when)
    begun = f"On 4 March 2026 at {at} and {at} and on 6 March 2026 at {at} Claude Code cut its"
    assert said(0, 0, 2).startswith(begun)
    assert said(0, 0, 1, 2).startswith(
        "From 4 March 2026 to 6 March 2026 Claude Code cut its window"
    )
    assert said(0, 0, 0, 0).startswith(
        "On 4 March 2026 Claude Code cut its window to a summary 4 times: the summaries left out 16"
    )
    late = loss_page([replace(loss, compactions=(replace(one, when=one.when + day),))])
    place = late.sessions[0].compactions[0].back[0].place
    assert place.count(" on 4 March 2026") == 2  # another day than that of the compaction
    bare = replace(loss, client="", times={}, compactions=(replace(one, when=0),))
    assert loss_page([bare]).said.startswith(
        "The agent cut its window from 6.0k to 2.2k tokens: the"
    )
    places = [line.place for line in loss_page([bare]).sessions[0].compactions[0].back]
    assert places == [
        "last shown at request 1, read again at request 6",
        "last shown at request 2, read again at request 8",
    ]


def test_several_sessions_are_added_up(loss: SessionLoss) -> None:
    """One sentence of all, a row each."""
    page = loss_page([loss, loss])
    assert page.sums.lost == 8 and len(page.sessions) == 2
    assert (
        "Claude Code cut its window to a summary twice in 2 of 2 sessions: the summaries left out 8"
        " of 10 things in use, and 4 files were read again, for $0.03 in all."
    ) in page.said
    assert page.cost.startswith("Writing 2 summaries cost $0.01 and 2 min, fetching again $0.02")
    agents = loss_page([loss, replace(loss, client="Codex", prices=prices_of("gpt-5"))])
    assert " agents cut their windows to a summary twice in 2 of 2 sessions: " in agents.said
    assert agents.priced.startswith("Dollars are estimates at the price of each model. Times")


TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


@pytest.mark.parametrize(
    "text",
    [
        "/home/ada/x of ada@example.com", "write to ada@example.com", "C:\\Users\\ada\\x",
        "c:/users/ada", "C:\\Users\\ada lovelace\\x", "cat ~ada/x", "/home//ada/x",
        "~/.claude/projects/-home-ada-shop/x", "To:\\nada@example.com",
        f"Please deploy it with all that is in there and with the token {TOKEN}",
        f"{'x' * 85} {TOKEN}",
    ],
)  # fmt: skip
def test_a_page_can_be_passed_on(text: str, tmp_path: Path) -> None:
    """Home folders, addresses of mail and secrets are in none of its texts, nor a part of them:
    in the title, in a command, in a rule, in the name of the project."""
    log = CompactedLog()
    log.user(f"{text} {text}")
    log.user(f"Never touch {text}.")
    for _ in "ab":
        log.call("Bash", "a b", command=f"cat '{text}'")
        log.call("Read", STORE, file_path="/home/ada/store.py")
        if _ == "a":
            log.compact("Nothing.")
    made = losses(session_of(log, tmp_path), tmp_path / "w", prices_of(MODEL))
    made = replace(made, project="/home/ada")
    page = repr(loss_page([made]))
    assert "ada" not in page and "a1B2c3" not in page
    assert [line.text for line in loss_page([made]).sessions[0].compactions[0].back][1:] == [
        "`~/store.py`"
    ]
    assert "a1B2c3" not in repr(loss_page([made], redact=False))


def test_what_only_looks_like_a_home_folder_stays(tmp_path: Path) -> None:
    """A folder of a project, a page of the web, a version, a repository."""
    names = ["src/users/models.py", "src/home/index.tsx", "react@18.2.0", "git@github.com:org/x",
             "https://api.example.org/users/42"]  # fmt: skip
    log = CompactedLog()
    for name in names:
        log.user(f"Never touch {name}.")
    log.compact("Nothing.")
    said = repr(loss_page([losses(session_of(log, tmp_path), tmp_path / "w", prices_of(MODEL))]))
    assert all(name in said for name in names)


def test_a_workspace_is_on_no_page_to_be_passed_on(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Its texts are not asked for; with --no-redact they are."""
    path, home = compacted_log(tmp_path), tmp_path / "w"
    with loom.open(home, durable=False) as ctx:
        ctx.user("Go.")
        ctx.turn()
    assert main(["report", str(home), str(path), "-o", str(tmp_path / "r.html")]) == 2
    assert "report it alone, or give --no-redact" in capfd.readouterr().err
    assert len(told(capfd, "report", home, path, "--no-redact")["agents"]) == 2


def test_what_a_recording_lost_is_told(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """A torn line, though no text of the session is on the page."""
    path = compacted_log(tmp_path)
    lines = path.read_text("utf-8").split("\n")
    path.write_text("\n".join([*lines[:3], lines[3][:90], *lines[4:]]), "utf-8")
    assert main(["report", str(path), "-o", str(tmp_path / "r.html")]) == 0
    assert "1 line lost: line 4" in capfd.readouterr().err


def test_the_report_begins_with_it(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """With --redact nothing else is in the page; else the session as Loom held it, too."""
    path = compacted_log(tmp_path)
    alone = told(capfd, "report", path)
    assert alone["agents"] == [] and alone["texts"] == [] and alone["lost"]["said"].endswith(SAID)
    assert alone["lost"]["names"] == NAMES and alone["lost"]["cost"] == COST
    whole = told(capfd, "report", path, "--no-redact")
    assert len(whole["agents"]) == 1 and whole["lost"]["said"] == alone["lost"]["said"]


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("more", [(), ("--no-redact",)])
def test_it_is_drawn(browser: Browser, tmp_path: Path, width: int, more: tuple[str, ...]) -> None:
    """The sentence, the chart with a mark, the lists; nothing wider than the page."""
    page = written(compacted_log(tmp_path), *more)
    browser.open(page, width, 844)
    assert browser.logged() == []
    assert browser.run("return document.documentElement.scrollWidth") <= width
    assert browser.run("return document.querySelector('h1').textContent").endswith(SAID)
    assert browser.run("return document.getElementById('story').textContent") == NAMES + LOOM
    assert browser.run("return document.querySelectorAll('#lost svg .mark').length") == 1
    assert browser.run("return document.querySelectorAll('#lost .lines li').length") == 7
    assert browser.run("return document.querySelectorAll('#lost svg .area').length") == 8
    assert browser.run("return document.querySelectorAll('#lost .sessions td').length") == 13
    first = "document.querySelector('#lost .sessions tbody th').getBoundingClientRect().width"
    assert browser.run(f"return {first}") > 100
    assert browser.run("return document.getElementById('held').hidden") == (not more)
    if more:
        browser.run("document.getElementById('held').open = true")
        assert browser.run("return document.querySelectorAll('#messages li').length")


def test_sizes_are_brief() -> None:
    """As people say them."""
    assert [brief_tokens(each) for each in (640, 2_480, 9_960, 155_245)] == [
        "640",
        "2.5k",
        "10k",
        "155k",
    ]


def test_replay_says_it_in_two_lines(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Below its own verdict; all of it with --json."""
    path = compacted_log(tmp_path)
    [row] = told(capfd, "replay", path)["sessions"]
    assert row["losses"]["said"].endswith(SAID) and row["compactions"]["count"] == 1
    assert len(row["losses"]["compactions"][0]["lost"]) == 4
    assert main(["replay", str(path), "--price", "0,0,0,0"]) == 0
    out = " ".join(capfd.readouterr().out.split())
    assert SAID.replace("$0.01", "$0.00") in out and LOOM.replace("$0.02", "$0.00") in out


def test_a_session_goes_by_its_words(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Never by the name of its file: not in the title, nor in the list of agents."""
    path = compacted_log(tmp_path)
    named = path.rename(tmp_path / "0b5c7d1e-1111-4222-8333-444455556666.jsonl")
    whole = told(capfd, "report", named, "--no-redact")
    assert whole["source"] == whole["agents"][0]["name"] == whole["lost"]["sessions"][0]["title"]
    page = written(named)
    assert b"0b5c7d1e" not in page.read_bytes()
