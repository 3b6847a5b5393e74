"""The prompt cache's prices: what is read, what is written, and what breaks a prefix."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.cache import cache
from loom.bench.cost.bill import LOOM, TRIMMED, UNMANAGED, billed, units
from loom.bench.cost.report import bills, missed
from loom.bench.sessions.trajectory import trajectory
from loom.bench.strategies.history import flat
from loom.inputs import Reply, Result, User
from loom.providers.counts import counter_for
from loom.providers.render.message import Message, TextBlock
from loom.replay.cost import Bill, Billing, Meter, front_share
from tests.kit.cases import all_cases


def message(text: str) -> Message:
    """A message of the user."""
    return Message("user", (TextBlock(text),))


A, B, C = message("one word after another"), message("and a second"), message("a third one")


@all_cases(
    ("requests", "cuts", "whole"),
    [
        ([[A]], 0, 0),
        ([[A], [A]], 0, 1),
        ([[A], [A, B]], 0, 1),
        ([[A, B], [A]], 1, 1),
        ([[A, B], [A, C]], 1, 1),
        ([[A, B], [B]], 1, 0),
    ],
)
def test_what_stood_at_the_front_is_read_again(
    requests: list[list[Message]], cuts: int, whole: int
) -> None:
    """Whole messages and the front of the first that differs; a cut is a front that changed."""
    meter = Meter(counter_for())
    billing = Billing(meter)
    for request in requests:
        billing.take(request)
    bill = billing.bill
    least = meter.messages(requests[-1][:whole])
    differing = requests[-1][whole : whole + 1]
    assert (bill.calls, bill.cuts) == (len(requests), cuts)
    assert bill.sent == sum(map(meter.messages, requests))
    assert least <= bill.reused <= least + meter.messages(differing) * cuts
    assert bill.peak == max(map(meter.messages, requests))


def test_a_unit_is_a_million_plain_tokens() -> None:
    """A tenth for what is read, five quarters for what is written."""
    assert units(Bill(sent=2_000_000, reused=1_000_000)) == pytest.approx(0.1 + 1.25)


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_shared_front_is_a_share(old: str, new: str) -> None:
    """Never all of a message that differs, and more of one that begins alike."""
    share = front_share(message(old), message(new))
    assert 0 < share <= 1
    if old != new:
        assert share < 1
    assert front_share(message(old + "x"), message(old + "y")) > 0.5


def test_bills_add_up() -> None:
    """Sums over sessions; the peak is the highest; nothing kept stays None."""
    one = Bill(calls=1, sent=10, reused=5, cuts=1, peak=10)
    one.add(Bill(calls=2, sent=20, reused=5, peak=15))
    assert one == Bill(calls=3, sent=30, reused=10, cuts=1, peak=15)
    one.add(Bill(unrecoverable=2))
    assert one.unrecoverable == 2


def test_a_trajectory_follows_from_its_seed() -> None:
    """Three hundred calls, every fifth step two at once, sized as it says."""
    session = trajectory(7)
    assert session == trajectory(7)
    assert session != trajectory(8)
    replies = [event for event in session.events if isinstance(event, Reply)]
    results = [event for event in session.events if isinstance(event, Result)]
    assert (len(replies), len(results)) == (300, 360)
    assert [call.id for reply in replies for call in reply.calls] == [r.call_id for r in results]
    assert sum(isinstance(event, User) for event in session.events) == 24
    meter = Meter(counter_for())
    assert 295_000 < sum(meter.text(result.text) for result in results) < 325_000


def test_an_unmanaged_window_only_grows() -> None:
    """Nothing is cut, and everything but what is new is read."""
    meter = Meter(counter_for())
    bill = billed(flat, trajectory(1, 20), meter)
    assert (bill.calls, bill.cuts) == (20, 0)
    assert bill.sent - bill.reused == bill.peak


def test_calls_may_be_limited() -> None:
    """At most so many requests are priced."""
    assert billed(flat, trajectory(1, 20), Meter(counter_for()), 5).calls == 5


def test_every_policy_stays_within_the_capacity() -> None:
    """Each of them sends as many requests, none above it; what Loom took in comes back."""
    capacity = 12_000
    found = dict(bills(trajectory(2, 40), capacity))
    assert set(found) == {UNMANAGED, *TRIMMED, LOOM}
    assert {bill.calls for bill in found.values()} == {40}
    assert found[UNMANAGED].peak > capacity
    assert all(found[name].peak <= capacity for name in (*TRIMMED, LOOM))
    assert all(found[name].cuts > 0 for name in (*TRIMMED, LOOM))
    assert found[LOOM].unrecoverable == 0
    assert found["tail_low"].cuts < found["tail"].cuts


def test_missed_targets_are_named() -> None:
    """A figure at its target is no miss."""
    assert missed({"units": 1.7, "cuts": 10, "unrecoverable": 0}) == []
    assert missed({"units": 1.71, "cuts": 10, "unrecoverable": 1}) == ["units", "unrecoverable"]


def test_the_last_line_is_the_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    """A bill for every policy, the table before it; other sizes have no targets."""
    assert cache(calls=12, capacity=20_000) == 0
    shown = capsys.readouterr()
    report = json.loads(shown.out.splitlines()[-1])
    assert list(report) == [UNMANAGED, *TRIMMED, LOOM]
    assert report[UNMANAGED]["calls"] == 12
    assert "Prompt cache at 20,000 tokens" in shown.out
    assert "units: millions of tokens at the plain price" in shown.out
    assert f"{LOOM}:" in shown.err


def test_recorded_sessions_are_priced(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every session of a folder goes into the same bill; a folder that is not there is refused."""
    rows = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
    for name in ("one", "two"):
        (tmp_path / f"{name}.json").write_text(json.dumps(rows), "utf-8")
    assert cache(sessions=[tmp_path], json=True) == 0
    shown = capsys.readouterr().out
    assert len(shown.splitlines()) == 1
    assert json.loads(shown)[LOOM]["calls"] == 2
    assert cache(sessions=[tmp_path / "gone"]) == 2
    assert "gone" in capsys.readouterr().err
