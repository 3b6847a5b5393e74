"""`python -m benchmarks served`: requests through the proxy beside those that go straight."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("uvicorn")

from benchmarks.served import served
from loom.bench.served.ledger import ProviderLedger
from loom.bench.served.measure import missed
from tests.kit.cases import all_cases

REPORT = {"added_ms": 1.0, "strange": 0, "resident_mb": [9.0, 9.0, 10.0, 11.0]}


def test_a_short_run(capsys: pytest.CaptureFixture[str]) -> None:
    """Both ways carry every request; the one through Loom sends less, and nothing is mixed."""
    code = served(calls=30, window=16_000, conversations=3, rounds=2, each=4, json=True)
    report = json.loads(capsys.readouterr().out.strip().splitlines()[-1])
    assert code in (0, 1)  # milliseconds are not judged here
    assert report["requests"] == 30 and report["conversations"] == 3
    assert report["alone"]["cuts"] == 0 and report["through"]["cuts"] > 0
    assert report["through"]["sent"] < report["alone"]["sent"]
    assert report["strange"] == 0 and len(report["resident_mb"]) == 2


@all_cases(
    ("change", "told"),
    [
        ({}, []),
        ({"added_ms": 15.1}, ["15.1 ms are added"]),
        ({"strange": 1}, ["1 requests had words"]),
        ({"resident_mb": [9.0, 9.0, 10.0, 12.1]}, ["memory grew from 10.0 to 12.1"]),
    ],
)
def test_what_is_told(change: dict[str, object], told: list[str]) -> None:
    """A line for each figure above its target, none where all hold."""
    lines = missed({**REPORT, **change})
    assert [line[: len(start)] for line, start in zip(lines, told, strict=True)] == told


def test_words_of_another_conversation_are_counted() -> None:
    """A request with another's canary is strange, one with its own is not."""
    ledger = ProviderLedger()
    for text in ("<<a>> mine", "<<a>> mine, <<b>> not"):
        body = {"system": "", "tools": [], "messages": [{"role": "user", "content": text}]}
        ledger.hear("a", json.dumps(body).encode())
    assert ledger.of["a"].strange == 1
    assert ledger.of["a"].cuts == 1 and ledger.of["a"].cached > 0
