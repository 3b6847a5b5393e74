"""The commands from a folder of sessions to the JSON on the last line, and their figures."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.needs import needs
from loom.providers.counts import counter_for
from loom.providers.render.message import Message, TextBlock
from loom.replay.cost import Meter
from loom_bench.recorded.labels import labels_of
from loom_bench.recorded.ledger import VERDICTS, Ledger
from loom_bench.recorded.report import equal_share
from loom_bench.recorded.run import NeedsJob, replay
from tests.kit.cases import all_cases

Recording = Callable[..., Path]


def said(text: str) -> Message:
    """A message of the user."""
    return Message("user", (TextBlock(text),))


def test_ledger() -> None:
    """A request that only grew reuses all of the one before; another is a cut."""
    meter = Meter(counter_for())
    ledger = Ledger(meter, capacity=14)
    one, two, other = said("a"), said("b"), said("c")
    assert ledger.add([]) == 0
    assert ledger.add([one, two]) == 10
    assert ledger.add([one, two, other], ["tool"]) == 16
    assert ledger.add([one, other]) == 10
    sums = ledger.sums
    assert (sums.calls, sums.tokens, sums.peak) == (4, 36, 16)
    assert (sums.reused, sums.cuts, sums.overflow) == (10 + 1 + 5, 1, 1)


@all_cases(
    ("share", "tail_tokens"),
    [(0.0, 100), (0.2, 100), (0.3, 150), (0.4, 200), (0.7, 325), (1.0, 400)],
)
def test_equal_share(share: float, tail_tokens: int) -> None:
    """The other's tokens at a share are read between the points of its curve."""
    curve = [(0.2, 100), (0.4, 200), (0.4, 250), (1.0, 400)]
    found = equal_share(share, 100, curve)
    assert found == {"tail_tokens": tail_tokens, "ratio": round(100 / tail_tokens, 4)}


def test_needs(recording: Recording, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """The last line is one JSON object; a small window misses what a large one holds."""
    details = tmp_path / "details.jsonl"
    asked = {"capacity": "4_000,60000", "strategy": ["loom", "tail"], "workers": 1}
    assert needs(sessions=[recording().parent], details=details, **asked) == 0  # type: ignore[arg-type]
    out = capsys.readouterr().out
    report = json.loads(out.splitlines()[-1])
    assert "Needs at 4,000" in out
    assert list(report) == ["4000", "60000"]
    for strategies in report.values():
        for found in strategies.values():
            assert sum(found[verdict] for verdict in VERDICTS) == pytest.approx(1)
            assert (found["needs"], found["overflow"], found["failed"]) == (1, 0, 0)
    assert report["4000"]["tail"]["lost"] == 1
    assert report["4000"]["loom"]["lost"] == 0
    assert {report["60000"][name]["resident"] for name in ("loom", "tail")} == {1}
    rows = [json.loads(line) for line in details.read_text("utf-8").splitlines()]
    assert len(rows) == 4
    assert {"session", "call", "kind", "verdict", "needle", "last_seen", "entries"} <= set(rows[0])


def test_closed_loop(recording: Recording) -> None:
    """What is missing costs calls and tokens, what is there costs none."""
    small, large = (
        replay(NeedsJob(recording(), "tail", size, closed=True)) for size in (4_000, 60_000)
    )
    assert (small.extra_calls, small.failures) == (1, 0)
    assert (large.extra_calls, large.failures) == (0, 0)


@pytest.mark.parametrize(("between", "thrashed"), [(6, 1), (24, 0)])
def test_thrashing(recording: Recording, between: int, thrashed: int) -> None:
    """What is fetched again for another need thrashes when that is soon."""
    path = recording(filler=6)
    messages = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    edit = messages[-2:]
    work = [message for message in messages if message["i"] in (3, 4)]
    labels = labels_of(path).read_text("utf-8").splitlines()
    for turn in [*[work] * between, edit]:
        for message in turn:
            messages.append({**message, "i": len(messages)})
    labels.append(json.dumps({**json.loads(labels[0]), "call": len(messages) - 2}))
    path.write_text("".join(json.dumps(one) + "\n" for one in messages), "utf-8")
    labels_of(path).write_text("\n".join(labels), "utf-8")
    found = replay(NeedsJob(path, "tail", 4_000, closed=True))
    assert (found.failed, found.extra_calls) == ("", 2)
    assert found.thrashed == thrashed


def test_closed_loop_with_loom(recording: Recording) -> None:
    """Loom fetches what it paged out with its own tools, which every request then declares."""
    path = recording()
    closed = replay(NeedsJob(path, "loom", 5_000, closed=True))
    open_loop = replay(NeedsJob(path, "loom", 5_000))
    assert (closed.failed, closed.sums.overflow) == ("", 0)
    assert closed.sums.calls == open_loop.sums.calls + closed.extra_calls
    missing = sum(one.verdict != "resident" for one in closed.met)
    assert missing <= closed.extra_calls <= 3 * missing
    assert closed.failures == 0


@all_cases(
    ("asked", "why"),
    [
        ({"capacity": "much"}, "--capacity 'much'"),
        ({"strategy": ["magic"]}, "strategy magic"),
        ({"sessions": []}, "--sessions"),
        ({"sessions": [Path("nowhere")]}, "no such file"),
    ],
)
def test_refused(
    recording: Recording,
    capsys: pytest.CaptureFixture[str],
    asked: dict[str, object],
    why: str,
) -> None:
    """What cannot be measured is refused with a reason."""
    given = {"sessions": [recording()], **asked}
    assert needs(**given) == 2  # type: ignore[arg-type]
    assert why in capsys.readouterr().err
