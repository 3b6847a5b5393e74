"""`python -m benchmarks ask`: what is counted, what is refused, when it fails."""

from __future__ import annotations

import json

from benchmarks.ask import ask
from loom.bench.simulated.asked import Asked as AskedQuestion
from loom.bench.simulated.asked import AskJob, AskOutcome, asked
from loom.bench.simulated.kinds import LIES, TAKEN_BACK
from loom.bench.simulated.questions import RIGHT
from loom.bench.simulated.report import figures, report_on, short
from tests.kit.cases import all_cases


def outcome(strategy: str, right: int, wrong: int, lie: str = "") -> AskOutcome:
    """An outcome with so many right and wrong answers."""
    fine = AskedQuestion(1, "correction", "", "a", "a", RIGHT)
    bad = AskedQuestion(1, "correction", "", "a", "b", "wrong", lie)
    return AskOutcome(AskJob(1, strategy, 8_192), (fine,) * right + (bad,) * wrong)


def report(*outcomes: AskOutcome):
    """The report on some outcomes."""
    return report_on(outcomes, [one.job.strategy for one in outcomes], [8_192])


def test_nothing_asked_is_nothing_right():
    """Without an answer every share is 0 and no lie is counted."""
    found = figures([])
    assert found["questions"] == found[RIGHT] == 0
    assert found["lies"] == dict.fromkeys(LIES, 0)


def test_shares_are_of_all_questions():
    """Right answers over all, by kind, and each lie by its name."""
    found = figures([outcome("loom", 3, 1, TAKEN_BACK)])
    assert found[RIGHT] == 0.75
    assert found["by_kind"]["correction"] == 0.75
    assert found["lies"][TAKEN_BACK] == 1


@all_cases(
    ("outcomes", "fails"),
    [
        ([outcome("loom", 96, 4)], False),
        ([outcome("loom", 94, 6)], True),
        ([outcome("loom", 96, 4, TAKEN_BACK)], True),
        ([outcome("loom", 96, 4), outcome("tail", 97, 3)], True),
        ([outcome("loom", 96, 4), outcome("raw", 100, 0)], False),
        ([outcome("tail", 1, 9)], False),
    ],
)
def test_loom_must_answer_most_the_most_and_without_a_lie(outcomes, fails):
    """The exit code is 1 for too few, for fewer than another, and for a lie; `raw` is no rival."""
    assert short(report(*outcomes)) is fails


def test_what_cannot_be_asked_is_refused(capsys):
    """An unknown strategy, a capacity that is no size, no seed: nothing is done."""
    assert ask(strategy=["nobody"]) == 2
    assert ask(capacity="much") == 2
    assert ask(seeds=0) == 2
    assert "there are" in capsys.readouterr().err


def test_a_session_through_loom_and_a_tail(tmp_path, capsys):
    """Both are asked the same questions at the same moments; the details have a line for each."""
    where = tmp_path / "details.jsonl"
    names = ["loom", "tail"]
    ask(seeds=1, steps=90, capacity="8192", strategy=names, workers=1, json=True, details=where)
    report = json.loads(capsys.readouterr().out.splitlines()[-1])["8192"]
    assert report["loom"]["questions"] == report["tail"]["questions"] > 100
    assert not report["loom"]["failed"]
    rows = [json.loads(line) for line in where.read_text("utf-8").splitlines()]
    assert len(rows) == 2 * report["loom"]["questions"]
    assert {"seed", "at", "kind", "right", "given", "verdict"} <= rows[0].keys()


def test_every_cut_is_asked_after():
    """With `every_cut` there are the fixed moments and more; a transcript that grows has no cut."""
    moments = [
        {one.at for one in asked(AskJob(1, name, 8_192, 90, every_cut=every)).asked}
        for name in ("loom", "raw")
        for every in (False, True)
    ]
    assert moments[0] < moments[1]
    assert moments[0] == moments[2] == moments[3]
