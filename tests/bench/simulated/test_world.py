"""Simulated sessions: the same for a seed, lawful, true, and in words of one half."""

from pathlib import Path

import pytest

from benchmarks.ask import AskJob, asked
from benchmarks.driven import RAW
from loom.inputs import Reply, Result
from loom_bench.simulated.questions import KINDS, RIGHT
from loom_bench.simulated.state import WORDS
from loom_bench.simulated.world import world
from tests.kit.bench_parts import small_scenario
from tests.kit.cases import all_cases

HALVES = (False, True)


def test_the_halves_share_no_word():
    """No word, saying or task of the development half is held out."""
    for ours, held in WORDS.values():
        assert not set(ours) & set(held)


@pytest.mark.parametrize("held_out", HALVES)
def test_every_call_has_its_result_and_every_event_its_truth(held_out):
    """Sessions are lawful, and truth is recorded after each event."""
    session = world(1, held_out=held_out)
    assert len(session.truths) == len(session.events)
    open_calls: list[str] = []
    for event in session.events:
        if isinstance(event, Result):
            assert event.call_id == open_calls.pop(0)
        else:
            assert open_calls == []
        if isinstance(event, Reply):
            open_calls = [call.id for call in event.calls]
    assert open_calls == []


def test_a_strategy_of_one_s_own_is_asked(tmp_path: Path) -> None:
    """By the name of its file; what is unlawful in its requests is mended before it is judged."""
    outcome = asked(AskJob(1, f"{small_scenario(tmp_path)}:newest", 8_192))
    assert not outcome.failed and outcome.asked


@all_cases("held_out", HALVES)
@all_cases("seed", [1, 2])
def test_the_whole_transcript_answers_nearly_everything(seed, held_out):
    """The reader is at fault where the raw transcript is misread: 97 % at least, no kind at 0."""
    outcome = asked(AskJob(seed, RAW, 8_192, held_out=held_out))
    assert not outcome.failed
    right = [one.kind for one in outcome.asked if one.verdict == RIGHT]
    assert len(right) >= 0.97 * len(outcome.asked)
    assert set(right) == set(KINDS)
