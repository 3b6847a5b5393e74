"""`seeds`: each figure of the design documents is reached, and what counts as lost is lost."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from benchmarks.documented.payloads import DOCUMENTED, EVEN, MIX, mixed, step
from benchmarks.documented.seeds import ENTRY, PAGE, REQUIRED, Offloaded, Run, figures, missed
from tests.kit.cases import all_cases


@pytest.fixture(scope="module")
def report() -> dict[str, Any]:
    """The figures, measured once."""
    return figures()[0]


@all_cases("name", REQUIRED)
def test_a_figure_is_reached(report: dict[str, Any], name: str) -> None:
    """Each figure of the design documents holds on the real engine."""
    assert name not in missed(report), report


def test_a_missed_figure_is_named() -> None:
    """Limits are inclusive, but for the error rate's."""
    exact = {name: limit for name, (_, limit) in REQUIRED.items()}
    assert missed(exact) == ["tool_error_rate"]
    assert missed({**exact, "tokens_per_step": 101, "tool_error_rate": 0}) == ["tokens_per_step"]
    assert missed({**exact, "recovered": 0.99}) == ["recovered", "tool_error_rate"]


def test_steps_are_the_same_every_time() -> None:
    """Steps are made, not drawn: the seven tools in turn, results of the documented sizes."""
    for sizes in (DOCUMENTED, EVEN):
        assert mixed(14, sizes) == mixed(14, sizes)
        assert [one.tool for one in mixed(9, sizes)] == [*MIX, *MIX[:2]]
    assert len(step("fs:read_file", 1).result) in range(2_048, 2_300)
    search = step("web:search", 1).result
    assert search.count('"url"') == 10 and len(search) in range(2_500, 3_500)


def test_names_are_taken_from_text_whole() -> None:
    """A name ends before the punctuation that follows it."""
    text = "see outputs/read_0001.json, outputs/shell_0012.log. step_0007: done; nostep_0001"
    assert PAGE.findall(text) == ["outputs/read_0001.json", "outputs/shell_0012.log"]
    assert ENTRY.findall(text) == ["step_0007"]


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    """A small eager window that has lowered a search of 4 KB."""
    with loom.open(tmp_path, window=8_192, policy="eager", durable=False) as ctx:
        for number, one in enumerate([step("web:search", 1), *mixed(6)]):
            ctx.turn()
            ctx.reply(one.reply(number))
            ctx.result(ctx.calls[0], one.result)
        ctx.turn()
        yield Run(ctx, tmp_path, [])


def share(run: Run, *offloaded: Offloaded) -> float:
    """What of some results comes back."""
    return run._replace(offloaded=list(offloaded)).recovered()


SEARCH = Offloaded(
    "outputs/search_0001.json", "step_0001", "call_0000", step("web:search", 1).result
)
BY_STEP = SEARCH._replace(page="outputs/unnamed_0001.json")
LOST = (
    SEARCH._replace(text=SEARCH.text + " "),
    BY_STEP._replace(text=SEARCH.text + " "),
    BY_STEP._replace(entry="step_0999"),
)


def test_what_a_name_brings_back_is_all_there(run: Run) -> None:
    """Of nothing, everything comes back; every byte of a page the window names, or of the step
    where only that is named; nothing of a text with a byte more, of what no name shows, and of a
    page changed behind the workspace's back."""
    assert share(run) == share(run, SEARCH) == share(run, BY_STEP) == 1.0
    assert [share(run, one) for one in LOST] == [0.0] * 3
    assert 0 < share(run, SEARCH, LOST[0]) < 1
    page = run.folder / SEARCH.page
    page.chmod(0o600)
    page.write_text(SEARCH.text[:-1] + "!")
    assert share(run, SEARCH) == 0.0


@pytest.mark.parametrize("told", [True, False])
def test_a_view_that_was_told_and_is_gone_is_lost(run: Run, told: bool) -> None:
    """A step's path must open where the window shows it; its bare name is no path."""
    run.ctx.user(f"Look into {'history/step_0001.json' if told else 'step_0001'}.")
    assert share(run, BY_STEP) == 1.0
    view = run.folder / "history/step_0001.json"
    assert view.exists() is told
    view.unlink(missing_ok=True)
    assert share(run, BY_STEP) == (0.0 if told else 1.0)
