"""Policies compared where they keep the same share of what later calls need."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.cache import cache
from loom.bench.cost.bill import LOOM, TRIMMED, UNMANAGED, Watch, billed
from loom.bench.cost.equal_retention import (
    HINDSIGHT,
    Kept,
    cheaper,
    compared,
    kept,
    ladder,
    reaching,
    work_of,
)
from loom.bench.recorded.derived import MadeUp
from loom.bench.strategies.baselines import tail
from loom.bench.strategies.history import flat
from loom.inputs import Reply, Session
from loom.providers.counts import counter_for
from loom.replay.cost import Bill, Meter
from tests.kit.cases import all_cases

SHORT = MadeUp(7, 60)


def test_a_ladder_rises_below_the_whole() -> None:
    """The given capacity is a rung; none is at or above the whole session."""
    rungs = ladder(1_000, 3_000)
    assert rungs == sorted(set(rungs))
    assert 1_000 in rungs
    assert rungs[0] < 150
    assert 2_500 < rungs[-1] < 3_000
    assert all(rung < 400 for rung in ladder(1_000, 400))


@all_cases(
    ("keeps", "enough", "rung"),
    [([0, 1, 2], 0, 0), ([0, 1, 2], 2, 2), ([0, 1, 2], 3, None), ([0, 3, 0, 3], 2, 1)],
)
def test_the_first_rung_that_is_enough(keeps: list[int], enough: int, rung: int | None) -> None:
    """Also where more room keeps less; None where no rung keeps enough."""
    need = work_of(SHORT).needs[0]
    made = [Kept(Bill(), ((need,) * count,)) for count in keeps]
    found = reaching(range(len(keeps)), enough, made.__getitem__)
    assert found == (None if rung is None else (rung, made[rung]))


def test_calls_beyond_the_last_have_no_needs() -> None:
    """A shortened session ends before the reply that would be one too many."""
    whole, short = work_of(SHORT), work_of(SHORT, 50)
    assert sum(isinstance(event, Reply) for event in short.session.events) == 50
    assert set(short.needs) < set(whole.needs)
    assert all(need.at < len(short.session.events) for need in short.needs)


def test_a_whole_session_keeps_all_and_a_small_window_less() -> None:
    """Every need is met where nothing is cut; a short tail misses some."""
    work, meter = work_of(SHORT), Meter(counter_for())

    def whole(session: Session, watch: Watch) -> Bill:
        return billed(flat, session, meter, watch=watch)

    def short(session: Session, watch: Watch) -> Bill:
        return billed(tail(8_000, meter), session, meter, watch=watch)

    assert kept([work], whole).held == (work.needs,)
    assert kept([work], short).count < len(work.needs)


def test_every_policy_is_priced_where_it_keeps_as_much() -> None:
    """At least Loom's retention each, or the cost of the whole; no schedule costs more."""
    found = compared([work_of(SHORT)], 20_000, Meter(counter_for()))
    assert set(found) == {UNMANAGED, *TRIMMED, LOOM, *HINDSIGHT}
    assert all(one["retention"] >= found[LOOM]["retention"] for one in found.values())
    for name in TRIMMED:
        if not found[name]["reached"]:
            assert found[name]["units"] == found[UNMANAGED]["units"]
    assert found["hindsight"]["units"] <= found["hindsight_near"]["units"] < found[LOOM]["units"]
    assert found[LOOM]["to_loom"] == found["hindsight"]["to_hindsight"] == 1
    assert found[LOOM]["unrecoverable"] == 0


def test_cheaper_policies_are_named() -> None:
    """Only those below Loom's cost, the schedules not among them."""
    report = {name: {"units": 2.0} for name in (UNMANAGED, *TRIMMED, LOOM)}
    assert cheaper({**report, "hindsight": {"units": 0.1}}) == []
    assert cheaper({**report, "tail": {"units": 1.9}}) == ["tail"]


def test_the_exit_code_tells_whether_one_is_cheaper(capsys: pytest.CaptureFixture[str]) -> None:
    """The last line is the JSON object; each cheaper policy is named on stderr."""
    code = cache(calls=60, capacity=20_000, equal_retention=True)
    shown = capsys.readouterr()
    report = json.loads(shown.out.splitlines()[-1])
    assert "At Loom's retention at 20,000 tokens" in shown.out
    assert code == bool(cheaper(report))
    assert shown.err.count("keeps as much for") == len(cheaper(report))


def test_without_a_cut_nothing_is_judged(capsys: pytest.CaptureFixture[str]) -> None:
    """At a capacity that is never reached no policy is cheaper; it is said, and ratios are told."""
    assert cache(calls=30, capacity=400_000, equal_retention=True) == 0
    shown = capsys.readouterr()
    assert "no cut was made: 400,000 tokens were never reached" in shown.err
    assert "keeps as much for" not in shown.err
    assert "÷ hindsight: units over" in shown.out
    assert json.loads(shown.out.splitlines()[-1])[LOOM]["cuts"] == 0


def test_sessions_without_needs_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing to keep, nothing to compare; a folder that is not there is refused as well."""
    assert cache(calls=3, equal_retention=True) == 2
    assert "no call there has a need" in capsys.readouterr().err
    assert cache(sessions=[tmp_path / "gone"], equal_retention=True) == 2
    assert "gone" in capsys.readouterr().err
