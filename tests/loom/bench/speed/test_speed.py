"""`python -m benchmarks speed`: what turns cost, Loom's and other keepers'."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice, pairwise
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest

import loom
from benchmarks.speed import speed
from loom.bench.recorded.windows import BASELINES
from loom.bench.sessions.chained import chained
from loom.bench.sessions.needle import event_texts
from loom.bench.sessions.planted import FACTS, RULES, items
from loom.bench.speed import plot
from loom.bench.speed.figures import FIFTHS, GRAIN, Histogram, TurnCosts
from loom.bench.speed.floor import CostFloor
from loom.bench.speed.keepers import LOOM, WHOLE, LoomKeeper, PolicyKeeper, left_out, whole
from loom.bench.speed.lived import judged
from loom.bench.speed.lives import KeeperLife, batches, live
from loom.bench.speed.planting import planted, renamed
from loom.bench.speed.report import life_report
from loom.bench.speed.verdict import RequestVerdict
from loom.bench.strategies.baselines import Policy
from loom.bench.strategies.history import MessageGroup, flat
from loom.bench.strategies.peers import PEERS
from loom.cli.styled import spark
from loom.inputs import Reply, Result, ToolCall, User
from loom.providers.render.message import Message
from loom.replay.cost import Meter

CALLS = [
    User("Go on."),
    *(
        event
        for at in range(6)
        for event in (
            Reply((ToolCall(f"a{at}", "read", "{}"), ToolCall(f"b{at}", "read", "{}"))),
            Result(f"a{at}", "one"),
            Result(f"b{at}", "two"),
        )
    ),
    Reply(()),
]


def told(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """The JSON object a command printed last."""
    found: dict[str, Any] = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    return found


def test_a_short_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Every turn is of one kind and in one fifth; all cost something, and more than the floor."""
    speed(steps=60, window=["8_192"], json=True)
    report = told(capsys)["windows"]["8192"]
    fifths = report["fifths"]
    assert [one["steps"] for one in fifths] == [12, 24, 36, 48, 60] and len(fifths) == FIFTHS
    assert [one["plain"] + one["cut"] + one["renewal"] for one in fifths] == [12] * FIFTHS
    assert sum(one["cut"] + one["renewal"] for one in fifths) > 0
    assert all(one["plain_largest"] > 0 and one["of_floor"] > 1 for one in fifths)
    assert not any("p50" in name or "p99" in name for one in fifths for name in one)  # of 12 turns
    assert report["counted_of_ingested"] > 0 and "keepers" not in report
    parts = report["redaction"], report["counting"], report["append"]
    assert all(part > 0 for part in parts)
    assert sum(parts) == pytest.approx(report["floor"], abs=0.002)  # each is rounded
    assert report["synced_wall"] > 0 and report["copied"] > 0 and report["wall"] > 0


def test_several_windows(capsys: pytest.CaptureFixture[str]) -> None:
    """Windows by commas and repeated have a table and a line of the plot each, once."""
    speed(steps=30, window=["8_192,16000", "8192"])
    shown = capsys.readouterr().out
    report = json.loads(shown.strip().splitlines()[-1])
    assert list(report["windows"]) == ["8192", "16000"]
    for size in ("8,192", "16,000"):
        assert f"A window of {size} tokens" in shown and f"window of {size} tokens (" in shown
    first = shown[: shown.index("CPU of a turn, ms")]
    assert all(ratio in first for ratio in ("cost ÷ floor", "growth", "ingested", "wall ÷ CPU"))
    assert "wall time of a turn, ms (durable=False)" in shown


def test_quantiles_of_enough_turns() -> None:
    """Of a hundred turns they are told, of fewer the largest is; of none nothing."""
    costs = TurnCosts(600)
    for number in range(600):
        costs.add(number, "cut" if number == 7 else "plain", number % 120 + 1, 1)
    with TemporaryDirectory() as folder:
        floor = CostFloor(Path(folder), 600)
        for number in range(600):
            floor.turn(number, [])
        floor.close()
    life = KeeperLife(PolicyKeeper(whole, 1_000), 600)
    life.costs = costs
    fifth = life_report(life, floor, 600)["fifths"][0]
    assert fifth["plain"] == 119 and 0 < fifth["plain_p50"] < fifth["plain_p99"]
    assert fifth["cut"] == 1 and fifth["cut_largest"] == pytest.approx(8, rel=GRAIN)
    assert not {"plain_largest", "cut_p50", "cut_p99", "renewal_p50", "renewal_largest"} & set(
        fifth
    )


def test_what_is_missed_is_said() -> None:
    """Growth above the bound is named with it; of few turns it is not judged, and that is said."""
    fast, slow = {"growth": 1.3, "growth_turns": 500}, {"growth": 1.31, "growth_turns": 500}
    assert judged({"8192": fast}) == ([], [])
    missed, unjudged = judged({"8192": fast, "16000": slow, "32000": slow | {"growth_turns": 499}})
    assert missed == ["growth of the median plain turn at 16,000 tokens: 1.31 is above 1.3"]
    assert len(unjudged) == 1 and "32,000" in unjudged[0] and "499 plain turns" in unjudged[0]


def test_a_short_run_is_not_judged(capsys: pytest.CaptureFixture[str]) -> None:
    """Whatever its growth, it is no failure; stderr and the JSON object say that it is none."""
    assert speed(steps=30, window=["8_192"], json=True) == 0
    shown = capsys.readouterr()
    report = json.loads(shown.out.strip().splitlines()[-1])
    assert report["missed"] == [] and "not judged" in report["not_judged"][0]
    assert report["not_judged"][0] in shown.err


def test_a_window_of_no_size(capsys: pytest.CaptureFixture[str]) -> None:
    """A size that is no number is refused by the option's name."""
    assert speed(window=["8k"]) == 2
    assert "--window '8k'" in capsys.readouterr().err


def test_a_folder_without_sessions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is timed, and it says so."""
    assert speed(sessions=[tmp_path]) == 2
    assert "--sessions" in capsys.readouterr().err


def test_every_keeper_has_its_row(capsys: pytest.CaptureFixture[str]) -> None:
    """Strategies and installed peers live all turns; those not installed are named with why."""
    speed(steps=60, window=["8192"], peers=True)
    shown = capsys.readouterr().out
    report = json.loads(shown.strip().splitlines()[-1])
    assert "journal, that of the others is the trimming" in " ".join(shown.split())
    rows, absent = report["windows"]["8192"]["keepers"], report["left_out"]
    assert set(rows) | set(absent) == {LOOM, WHOLE, *BASELINES, *PEERS}
    assert not set(rows) & set(absent)
    assert all(f"left out: {why}" in shown for why in absent.values())
    assert {row["turns"] for row in rows.values()} == {60}
    assert {row["failed"] for row in rows.values()} == {""}
    assert set(report["windows"]["8192"]["curves"]) == set(rows)
    assert (rows[WHOLE]["rules"], rows[WHOLE]["facts"]) == (len(RULES), len(FACTS))
    assert rows["tail"]["rules"] + rows["tail"]["facts"] < rows[LOOM]["rules"] == len(RULES)
    assert rows[WHOLE]["over"] > 0 and rows[LOOM]["over"] == rows["tail"]["over"] == 0
    assert rows[LOOM]["broken"] == rows[WHOLE]["broken"] == rows["tail"]["broken"] == 0


def test_a_peer_that_is_not_installed() -> None:
    """It is left out with the name of its package."""
    for name, peer in PEERS.items():
        if not peer.installed:
            assert peer.package in left_out()[name]


def forgetful(capacity: int, meter: Meter) -> Policy:
    """A policy that loses the second result of the first reply once there are three."""

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        messages = flat(groups)
        return messages[:3] + messages[4:] if len(groups) > 3 else messages

    return policy


def test_broken_pairs_are_found() -> None:
    """One lost result is a broken pair in each request from then on; with all there is none."""
    counted = {}
    for make in (forgetful, whole):
        life = KeeperLife(PolicyKeeper(make, 1_000), 7, RequestVerdict(1_000))
        for number, batch in enumerate(batches(CALLS)):
            life.turn(number, batch)
        assert life.verdict is not None and life.costs.all().count == 7
        counted[make] = life.verdict.broken, life.verdict.refused
    assert counted == {forgetful: (4, 4), whole: (0, 0)}


def test_a_result_without_its_call() -> None:
    """It is a broken pair too, and so is a request that holds nothing."""
    verdict = RequestVerdict(1_000)
    keeper = PolicyKeeper(whole, 1_000)
    keeper.turn(CALLS[:4])
    user, call, one, other = keeper.request
    verdict.judge([user, one, other])
    assert (verdict.broken, verdict.refused) == (2, 1)
    verdict.judge([user, call, one, other])
    verdict.judge([])
    assert (verdict.broken, verdict.refused, verdict.over) == (3, 2, 0)


def failing(capacity: int, meter: Meter) -> Policy:
    """A policy that raises at its third request."""

    def policy(groups: Sequence[MessageGroup]) -> list[Message]:
        if len(groups) > 2:
            raise LookupError("no more")
        return flat(groups)

    return policy


def test_a_keeper_that_raises(tmp_path: Path) -> None:
    """Its life ends and says where; the others live all their turns."""
    steps: list[int] = []
    with loom.open(tmp_path / "w", window=8_192, durable=False) as ctx:
        lives = {
            LOOM: KeeperLife(LoomKeeper(ctx), 7),
            "failing": KeeperLife(PolicyKeeper(failing, 1_000), 7),
        }
        floor = CostFloor(tmp_path, 7)
        live(lives, CALLS, 7, floor, lambda by, said: steps.append(by))
        floor.close()
    assert [life.costs.all().count for life in lives.values()] == [7, 2]
    assert sum(steps) == 7
    assert lives["failing"].failed == "turn 3: LookupError: no more" and not lives[LOOM].failed


def test_planted_events() -> None:
    """Each rule and fact comes in once, in order, and every call keeps its result."""
    asked = items(Random("speed"))
    plain = list(islice(renamed(chained((), "coding")), 400))
    replies = sum(isinstance(event, Reply) for event in plain)
    found = list(planted(plain, replies, asked))
    texts = ["\n".join(event_texts(event)) for event in found]
    places = [[at for at, text in enumerate(texts) if item.stands_in(text)] for item in asked]
    assert [len(place) for place in places] == [1] * len(asked)
    waits = [isinstance(event, Result) for event in found]
    assert sum(waits) == sum(isinstance(event, Result) for event in plain)
    for before, after in pairwise(found):
        if isinstance(before, Reply) and before.calls:
            assert isinstance(after, Result)


def test_renamed_calls() -> None:
    """No two replies share an id of a call, and each result names a call of the reply before it."""
    open_, seen = set[str](), set[str]()
    for event in islice(renamed(chained((), "research")), 600):
        if isinstance(event, Reply):
            open_ = {call.id for call in event.calls}
            assert not open_ & seen
            seen |= open_
        elif isinstance(event, Result):
            assert event.call_id in open_


def test_a_histogram_does_not_grow() -> None:
    """Many values take as many buckets as there are sizes; quantiles are within the grain."""
    rng, histogram = Random(1), Histogram()
    values = sorted(rng.uniform(1, 2) for _ in range(5_000))
    for value in values:
        histogram.add(value)
    assert histogram.count == 5_000 and histogram.buckets <= 71  # ln 2 ÷ GRAIN, and both ends
    for share in (0.0, 0.5, 0.99, 1.0):
        true = values[min(int(share * 5_000), 4_999)]
        assert histogram.quantile(share) == pytest.approx(true, rel=GRAIN)
    assert Histogram().quantile(0.5) == Histogram().mean == 0.0


def test_growth_and_curve() -> None:
    """Turns that cost their number grow as the middles of the fifths, on a line of slope one."""
    costs = TurnCosts(1_000)
    for number in range(1_000):
        costs.add(number, "plain", number + 1, 2 * (number + 1))
    assert costs.growth() == pytest.approx(900 / 100, rel=0.03)
    assert all(value == pytest.approx(step, rel=0.25) for step, value in costs.curve())
    assert len(costs.curve()) < 20
    assert costs.cpu(0) == sum(range(1, 201)) and sum(costs.wall) == 2 * sum(range(1, 1_001))


def test_a_plot_in_the_terminal() -> None:
    """A line a keeper; the one that costs more is drawn higher."""
    curves = {"flat": [(10.0, 1.0), (100.0, 1.0)], "steep": [(10.0, 1.0), (100.0, 100.0)]}
    title, flat_, steep, axis = plot.drawn("title", curves, spark).splitlines()
    assert "1 to 100 ms" in title and "10 to 100" in axis
    assert flat_.split()[1] == "▁▁" and steep.split()[1] == "▁█"
    assert "too few" in plot.drawn("title", {}, spark)


def test_an_unmet_extra(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without the package that draws, the extra is named before anything is timed."""
    monkeypatch.setattr(plot, "WANTED", "a_package_that_is_not_there")
    assert speed(plot=tmp_path / "x.png") == 2
    assert "loom-window[plot]" in capsys.readouterr().err


def test_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With it, a PNG is written; a file of another kind is refused."""
    pytest.importorskip("matplotlib", reason="the extra `plot`")
    speed(steps=40, plot=tmp_path / "x.png", json=True)
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    assert speed(plot=tmp_path / "x.svg") == 2
    assert "file.png" in capsys.readouterr().err
