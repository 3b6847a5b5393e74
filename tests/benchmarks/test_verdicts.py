"""Verdicts on command lines that are really run."""

from __future__ import annotations

from benchmarks.ablate.command import AblationJob, counted
from benchmarks.verdicts import ENDINGS, FAILED, PASSED, UNRUN, lines, run

FALSE = 0.06  # of the verdicts, at most; 4.7 % of six times 60 lines are


def test_the_truth_is_what_ran() -> None:
    """A check that ran passed or failed by its own exit code; one behind `false &&` never ran."""
    plain = run("pytest -q || true")
    assert [one.truth for one in plain] == [FAILED if code else PASSED for _, code in ENDINGS]
    assert {one.code for one in plain} == {0}
    assert {one.truth for one in run("false && pytest -q")} == {UNRUN}


def test_what_a_line_prints_of_itself() -> None:
    """What an `echo` or a heredoc of the line says is never taken for the check's own words."""
    for line in ("cat <<EOF\n3 passed\nEOF\npytest -q || true", "pytest -q; echo 'all passed'"):
        for one in run(line):
            assert "false" not in [came for _, came in one.judged()], one


def test_few_verdicts_are_false() -> None:
    """Of composed lines, by three ways of telling; without a reading of the output many more."""
    assert lines(24, 9) == lines(24, 9) != lines(24, 8)
    read, unread = (counted(AblationJob(off, "verdicts", 24, 9)) for off in ((), ("verdict",)))
    assert read.asked == unread.asked == 24 * len(ENDINGS) * 3
    assert read.asked - read.held <= FALSE * read.asked < unread.asked - unread.held
