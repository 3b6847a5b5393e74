"""A report in a real browser, with a mouse and a keyboard."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from loom.report.data import AgentRow, LaneRow
from tests.kit.browser import Browser
from tests.loom.report.conftest import HOSTILE, data_of, written

SIZES = [(1280, 800), (390, 844)]
ALL_OPEN = (
    "[...document.querySelectorAll('#messages > .message > details:not(.gone)')]"
    ".every((one) => one.open && one.querySelector('.body').firstChild)"
)


@pytest.fixture(scope="module")
def told_of(session: Path) -> AgentRow:
    """The data of the session, as it is known without a page."""
    return data_of(session).agents[0]


@pytest.fixture(scope="module")
def page(session: Path) -> Path:
    """Its page."""
    return written(session)


def percent(part: float) -> str:
    """A share as the page writes it."""
    return f"{100 * part:.1f}".removesuffix(".0") + " %"


def config(agent: AgentRow) -> LaneRow:
    """The lane of the file that is read first."""
    return next(lane for lane in agent.lanes if lane.file == "config.json")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_it_opens_quietly(
    browser: Browser, page: Path, width: int, height: int, dark: bool
) -> None:
    """No error on the console, nothing asked for but the page itself, nothing wider than it."""
    browser.logged(), browser.fetched()
    browser.open(page, width, height, dark)
    assert browser.logged() == []
    assert browser.fetched() == {page.as_uri()}
    assert browser.run("return document.documentElement.scrollWidth") <= width
    theme = browser.run("return document.documentElement.dataset.theme")
    assert theme == ("dark" if dark else "light")


def test_numbers_are_the_journals(browser: Browser, page: Path, told_of: AgentRow) -> None:
    """Request by request: tokens, how full it was, bands, messages and sha256 stand there as they
    are recorded."""
    browser.open(page)
    assert f"{len(told_of.turns)} requests" in browser.text("#verdict")
    title = browser.run("return document.title")
    assert title == "Loom report · Read all of it." and title[14:] in browser.text("#source")
    for turn in told_of.turns[::13]:
        browser.run("choose(arguments[0])", turn.turn)
        facts = browser.text("#request-facts")
        assert f"{turn.tokens.total:,} tokens" in facts and turn.sha256[:12] in facts
        assert f"{turn.messages} message" in facts
        readout = browser.text("#readout")
        assert f"{turn.tokens.total:,} of {turn.capacity:,} tokens" in readout
        assert f"{percent(turn.rho)} full" in readout
        for name in ("reads", "model", "lines"):
            called = browser.run("return BANDS[arguments[0]]", name)
            assert f"{called} {turn.bands.get(name, 0):,}" in readout
        rows = browser.run("return document.querySelectorAll('#messages > .message.same').length")
        assert rows == turn.shared + 1  # and the tools


def test_when_did_config_json_leave(browser: Browser, page: Path, told_of: AgentRow) -> None:
    """Three acts: `/`, its name, Enter. Its story says the request, the cut, how full the window
    was, the way back; how the text was rated, one act more."""
    browser.open(page)
    browser.press("/")
    browser.press("config.json")
    browser.press("Enter")
    lane = config(told_of)
    gone = next(span for span in lane.spans if span.state == "out")
    cut = told_of.cuts[gone.cut]
    story = browser.text(".story")
    assert f"For request {cut.turn} it left by {cut.level}" in story
    held = ", and more with what is held free for notices" if cut.rho < cut.mark else ""
    acts = f"{cut.level} acts from {percent(cut.mark)}"
    assert f"the window was {percent(cut.rho)} full{held}; {acts}" in story
    [row] = [row for row in cut.left if row.lanes and told_of.lanes[row.lanes[0]] == lane]
    assert row.score is not None
    assert row.score.used < lane.spans[0].first  # it came in with the results of that request
    assert "not used since it came in" in story and "paged in by the model" in story
    assert browser.run("return document.activeElement.classList.contains('lane')")
    while browser.run("return document.activeElement.tagName") != "SUMMARY":
        browser.press("Tab")
    browser.press("Enter")
    assert "worth" not in story and "worth" in browser.text(".story")


def test_no_formula_before_it_is_asked_for(browser: Browser, page: Path) -> None:
    """Neither ρ nor the parts of a score stand on the page until a fold is opened, by keys too."""
    browser.open(page)
    for _ in range(6):
        browser.press("[")
        assert not re.search(r"ρ|\bK \d|decay|place \d", browser.text("body"))
    browser.run("document.querySelector('.ratings summary').focus()")
    browser.press("Enter")
    browser.wait("document.querySelector('.ratings li')")
    assert re.search(r"K [\d.]+ × relevance [\d.]+ × decay", browser.text(".ratings"))


def test_paths_break_and_ids_are_short(browser: Browser, page: Path) -> None:
    """Behind a slash a line may break; of a long id eight signs stand there, its whole in a title;
    all else is as it was given."""
    browser.open(page)
    id = "7f3c19e0-52ab-4c1d-9b0e-0123456789ab"
    made = browser.run(
        "const e = el('p', null, pathy(arguments[0])); return [e.textContent, e.innerHTML]",
        f"/srv/a/{id}/b.txt <b> and/or 1/2/",
    )
    assert made[0] == "/srv/a/7f3c19e0…/b.txt <b> and/or 1/2/"
    assert made[1].startswith(f'/<wbr>srv/<wbr>a/<span title="{id}">7f3c19e0…</span>/<wbr>b.txt')


@pytest.mark.parametrize("way", ["search", "field"])
def test_what_did_a_request_send(
    browser: Browser, page: Path, session: Path, told_of: AgentRow, way: str
) -> None:
    """By the search or by the number's field: three acts, and its messages stand there whole."""
    browser.open(page)
    if way == "search":
        browser.press("/")
    else:
        browser.click("#number")
    browser.press("43")
    browser.press("Enter")
    assert browser.text("#request-title") == "Request 43"
    browser.click("#open-all")
    browser.wait(ALL_OPEN)
    said = browser.run(
        "return [...document.querySelectorAll('#messages pre')].map(e => e.textContent)"
    )
    data = data_of(session)
    ids: tuple[int, ...] = ()
    for turn in told_of.turns[:43]:
        ids = (*ids[: turn.shared], *turn.new)
    blocks = [data.texts[block.text] or "" for id in ids for block in data.messages[id].blocks]
    tools = [data.texts[at] or "" for at in data.tools[told_of.turns[42].tools]]
    whole = [text for text in (*tools, *blocks) if len(text) <= 20_000]
    assert [text for text in said if text != "(nothing)"][: len(whole)] == [
        text for text in whole if text
    ]


def test_keys_walk_through_requests(browser: Browser, page: Path, told_of: AgentRow) -> None:
    """Arrows, pages, both ends, and from cut to cut; the address follows, and what it names is
    shown when it is opened."""
    browser.open(page)
    browser.press("ArrowLeft", "ArrowLeft")
    assert browser.text("#request-title") == "Request 88"
    browser.press("ArrowRight")
    assert browser.run("return location.hash").endswith("request=89")
    browser.click("#slider")
    browser.press("Home")
    assert browser.text("#request-title") == "Request 1"
    browser.press("PageDown")
    assert browser.text("#request-title") == "Request 11"
    browser.press("End")
    assert browser.text("#request-title") == "Request 90"
    browser.press("[")
    cuts = [turn.turn for turn in told_of.turns if turn.cuts and turn.turn < 90]
    assert browser.text("#request-title") == f"Request {cuts[-1]}"
    browser.run("location.hash = '#agent=0&request=7&page=1'; location.reload()")
    browser.wait("document.documentElement.dataset.ready && document.querySelector('.story')")
    assert browser.text("#request-title") == "Request 7"
    assert "config.json" in browser.text(".story h3")


def test_all_can_be_reached_by_keys(browser: Browser, page: Path) -> None:
    """Tab leads through the page, each stop is seen, and has a name."""
    browser.open(page)
    stops = []
    for _ in range(16):
        browser.press("Tab")
        stops.append(
            browser.run(
                "const e = document.activeElement, s = getComputedStyle(e);"
                "return [e.id || e.tagName, s.outlineStyle, e.getAttribute('aria-label')"
                " || (e.labels && e.labels[0] && e.labels[0].textContent) || e.innerText || '']"
            )
        )
    assert {"search", "theme", "pressure", "number", "slider", "only-new"} <= {
        stop[0] for stop in stops
    }
    assert all(style != "none" and name.strip() for _, style, name in stops)


@pytest.mark.parametrize("dark", [False, True])
def test_texts_can_be_read(browser: Browser, page: Path, dark: bool) -> None:
    """Every text stands out from what is behind it by 4.5 to 1, WCAG's AA."""
    browser.open(page, dark=dark)
    browser.run("openLane(1); document.getElementById('open-all').click()")
    found = browser.run(CONTRAST)
    assert found == []


CONTRAST = """
const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
const rgba = (color) => {
  canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const light = ([r, g, b]) => [r, g, b].map((v) => v / 255)
  .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (e) => {
  for (; e; e = e.parentElement) {
    const color = rgba(getComputedStyle(e).backgroundColor);
    if (color[3] > 200) return color;
  }
  return rgba("white");
};
const bad = new Set();
for (const e of document.querySelectorAll("main *, header *")) {
  const own = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  if (!own || !e.getClientRects().length || e.closest("button:disabled")) continue;
  const style = getComputedStyle(e);
  const ink = rgba(e.closest("svg") ? style.fill : style.color);
  const [one, two] = [light(ink), light(behind(e))].sort((a, b) => b - a);
  const ratio = (one + 0.05) / (two + 0.05);
  const name = e.className.baseVal ?? e.className;
  if (ratio < 4.5) bad.add(`${e.tagName}.${name} ${ratio.toFixed(2)}`);
}
return [...bad];
"""


def test_hostile_texts_are_only_shown(browser: Browser, hostile: Path) -> None:
    """Nothing of them runs, becomes an element, or turns what stands beside it; all is there."""
    browser.logged(), browser.fetched()
    page = written(hostile)
    browser.open(page)
    browser.click("#open-all")
    browser.wait(ALL_OPEN)
    assert browser.run("return window.owned") is None
    assert browser.run("return document.querySelectorAll('img, iframe, object').length") == 0
    assert browser.logged() == [] and browser.fetched() == {page.as_uri()}
    texts = browser.run("return data.texts.map((text) => text.length)")
    assert texts == [len(text.encode("utf-16-le")) // 2 for text in data_of(hostile).texts if text]
    shown = browser.run("return document.body.textContent")
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b]", shown) and "⟨202E⟩" in shown
    assert HOSTILE[0] in shown and "⟨0000⟩" in shown
    assert browser.run("return data.texts.some((text) => text.includes(arguments[0]))", "\x00 and")


def test_agents_are_a_tree(browser: Browser, family: Path) -> None:
    """A click on one shows its session, and each has its own numbers."""
    browser.open(written(family))
    names = browser.run("return [...document.querySelectorAll('.agent b')].map(e => e.innerText)")
    assert names == ["family", "one", "two", "forks/copy"]
    browser.click("#agent-1")
    assert "2 requests" in browser.text("#verdict") and "one" in browser.text("#source")
    browser.press("/")
    browser.press("1")
    browser.press("Enter")
    assert browser.text("#request-title") == "Request 1"
