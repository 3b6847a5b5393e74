"""Pressure: what the scenarios plant, what the checks see, and what a run reports."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.pressure import command, pressure
from benchmarks.pressure.checks import LOST, RESIDENT, WHERE, Verdicts, View, content, moments
from benchmarks.pressure.run import driven, run
from benchmarks.pressure.scenarios import SCENARIOS, script_of
from benchmarks.pressure.script import Script, ScriptWriter, ToolMove, Topic, UserMove
from loom.bench.sessions.grammar import ATTRIBUTES, Grammar

ROOMY = 2_000_000  # tokens: nothing is ever cut
RULE = "Leave the tax service alone until Ines Sato has signed off on it."


def texts(script: Script, until: int) -> str:
    """Everything a script says before and in a move."""
    said = [script.instructions]
    for move in script.moves[: until + 1]:
        if isinstance(move, ToolMove):
            said += [*move.results, *(call.arguments for call in move.calls)]
        else:
            said.append(str(move))
    return "\n".join(said)


@pytest.mark.parametrize("name", [name for name in SCENARIOS if name != "giant"])
def test_a_seed_decides_everything(name: str) -> None:
    """The same seed writes the same script, another one other rules and facts."""
    one, same, other = script_of(name, 3), script_of(name, 3), script_of(name, 4)
    assert (one.moves, one.rules, one.facts) == (same.moves, same.rules, same.facts)
    assert one.rules != other.rules
    assert one.moves != other.moves


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_what_is_planted_stands_where_it_says(name: str) -> None:
    """A value comes in with its move and never before; its question does not give it away."""
    script = script_of(name, 1)
    planted = [*script.facts, *(state for topic in script.topics for state in topic.states)]
    assert script.facts or script.topics
    for at, fact in planted:
        assert fact.value in texts(script, at)
        assert fact.value not in texts(script, at - 1)
        assert fact.value not in fact.question
    for at, sentence in [*script.rules, *script.constraints]:
        assert sentence in texts(script, at).replace("\\'", "'")
    constraints = [script.moves[at] for at, _ in script.constraints]
    assert all(isinstance(move, UserMove) and "\n" not in move.text for move in constraints)


def test_scripts_are_lawful() -> None:
    """Calls have ids of their own and a result each; arguments are JSON."""
    script = script_of("parallel", 2)
    worked = [move for move in script.moves if isinstance(move, ToolMove)]
    calls = [call for move in worked for call in move.calls]
    assert len({call.id for call in calls}) == len(calls) > 100
    assert all(len(move.calls) == len(move.results) for move in worked)
    assert all(isinstance(json.loads(call.arguments), dict) for call in calls)


def test_given_constraints_are_planted_first() -> None:
    """Sentences of a data folder stand in longer messages, word for word."""
    given_ones = ("Do not sing.", "Answer in verse.")
    script = script_of("constraints", 1, given_ones)
    planted = [sentence for _, sentence in script.constraints]
    assert {*planted[:2]} == {*given_ones}
    assert len(planted) == 10


@given(st.integers(0, 200))
def test_values_of_one_seed_are_all_different(seed: int) -> None:
    """A superseded value is never the newest one."""
    grammar = Grammar(Random(seed))
    facts = [grammar.fact() for _ in range(30)]
    later = [grammar.again(fact) for fact in facts]
    assert len({fact.value for fact in (*facts, *later)}) == 60
    assert len({(fact.thing, fact.attribute) for fact in facts}) == 30
    assert {fact.attribute for fact in facts} <= set(ATTRIBUTES)


@pytest.mark.parametrize(
    ("shown", "stands"),
    [
        ("", False),
        (RULE, True),
        (f"Good. {RULE} Go on.", True),
        (RULE.replace(" ", "\n  "), True),
        ("rule: leave tax service alone; Ines Sato has signed off only then, until", True),
        ("leave the tax service alone\nuntil Ines Sato has signed off", False),
        (RULE.replace("tax", "mail"), False),
        (RULE[:40] + " …", False),
        ("x" * 3_000 + " leave tax service alone until Ines Sato signed off", False),
    ],
)
def test_a_sentence_stands(shown: str, stands: bool) -> None:
    """Word for word with any blanks, or with all its content words in one line that is not long."""
    assert View([shown]).says(RULE) is stands


def test_a_negation_is_a_content_word() -> None:
    """A line without it says something else."""
    assert not View(["touch the fixtures"]).says("Never touch the fixtures.")
    assert "not" in content("Do not touch the fixtures.")


@given(st.lists(st.sampled_from(["keep", "the", "logs", "never", "open"]), min_size=1))
def test_a_sentence_always_stands_where_it_is_said(words: list[str]) -> None:
    """Whatever stands around it, and however it is broken into lines."""
    sentence = " ".join(words)
    assert View(["before " + "\n\t".join(words) + " after"]).says(sentence)


@pytest.mark.parametrize(
    ("shown", "stale"),
    [
        ([], ""),
        (["host is new"], ""),
        (["host is old1", "host is new"], ""),
        (["host is new", "host is old1"], "host is old1"),
        (["host is old1"], "host is old1"),
        (["Read a.toml\nhost is old2"], "host is old2"),
        (["host is new, not old1"], ""),
        (["host was old1 (superseded by step_0007)"], ""),
        (["[superseded by step_0007]\nhost is old1"], ""),
        (["host is new", "an older line\nhost is old1"], ""),
        (["host is new", "a line\nhost is old1"], "host is old1"),
    ],
)
def test_a_superseded_value_is_shown_as_current(shown: list[str], stale: str) -> None:
    """Unmarked, and behind every place of the newest one, or alone."""
    assert View(shown).stale(["old1", "old2"], "new") == stale


@pytest.mark.parametrize("name", ["needle", "updates", "foreign"])
def test_a_window_that_holds_everything_breaks_no_promise(name: str) -> None:
    """Where nothing is cut, every rule stands and every fact is resident."""
    verdicts = run((name, ROOMY), 5)
    assert verdicts.broken == []
    assert verdicts.rules_kept == verdicts.rules == 9 * len(moments(script_of(name, 5)))
    assert verdicts.facts[RESIDENT] == sum(verdicts.facts.values()) > 0
    assert (verdicts.failed, verdicts.cuts, verdicts.renewals) == (0, 0, 0)


def test_what_was_never_said_is_missed() -> None:
    """A rule, a fact and a newest value that no window can show are counted and told."""
    writer = ScriptWriter("made", Random(1))
    writer.plant(lines=4)
    old, unheard, now = (writer.grammar.fact() for _ in range(3))
    writer.add(UserMove(old.statement))
    script = writer.script
    script.rules.append((0, "Feed the parrot at noon."))
    script.facts.append((0, unheard))
    script.topics.append(Topic([(0, old), (0, now)]))
    verdicts = driven(script, ROOMY)
    judged = len(moments(script))
    assert verdicts.rules - verdicts.rules_kept == judged
    assert verdicts.facts[LOST] == 2 * judged
    assert verdicts.stale > 0
    assert verdicts.failed == 3 * judged + verdicts.stale
    assert any("parrot" in line for line in verdicts.broken)


def test_what_is_raised_is_reported() -> None:
    """A window that cannot hold the instructions is an error of the run, not of the benchmark."""
    script = script_of("constraints", 1)
    script.instructions = "be careful " * 9_000
    verdicts = driven(script, 8_192)
    assert verdicts.errors == verdicts.failed == 1
    assert "OverCapacity" in verdicts.broken[0]


def test_verdicts_add_up() -> None:
    """Sums are summed, what was told is told in order."""
    one = Verdicts(rules=3, rules_kept=2, stale=1, broken=["a"])
    one.add(Verdicts(rules=1, facts={**dict.fromkeys(WHERE, 0), LOST: 2}, broken=["b"]))
    assert (one.rules, one.failed, one.broken) == (4, 5, ["a", "b"])


def test_the_last_line_is_the_json_object(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each scenario over all windows and at each; the exit code tells whether a promise broke."""
    code = pressure(scenario="chatter", windows="8_192,64000", workers=1)
    shown = capsys.readouterr()
    report: dict[str, Any] = json.loads(shown.out.splitlines()[-1])
    assert set(report) == {"chatter", "failed"}
    assert set(report["chatter"]["windows"]) == {"8192", "64000"}
    assert report["chatter"]["windows"]["64000"]["failed"] == 0
    assert code == int(report["failed"] > 0)
    assert "Pressure" in shown.out
    assert "chatter at 8,192" in shown.err


def test_seeds_add_up_from_the_first_on(capsys: pytest.CaptureFixture[str]) -> None:
    """So many seeds, from the first: each is told of, and what they found is summed."""
    pressure(seeds=2, first=6, scenario="chatter", windows="64000", workers=1, json=True)
    shown = capsys.readouterr()
    assert [line.partition(",")[0] for line in shown.err.splitlines()] == ["seed 6", "seed 7"]
    judged = sum(len(moments(script_of("chatter", seed))) for seed in (6, 7))
    assert json.loads(shown.out)["chatter"]["rules"] == [9 * judged, 9 * judged]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"seeds": 0}, "--seeds"),
        ({"scenario": "picnic"}, "picnic"),
        ({"windows": "large"}, "--windows"),
        ({"data": Path("/nowhere/at/all")}, "--data"),
    ],
)
def test_bad_arguments_are_refused(
    arguments: dict[str, Any], named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """With exit code 2, what was wrong on stderr, nothing on stdout."""
    assert pressure(**arguments) == 2
    shown = capsys.readouterr()
    assert (shown.out, named in shown.err) == ("", True)


def test_constraints_of_a_data_folder_are_read(tmp_path: Path) -> None:
    """The sentences alone, in order."""
    path = tmp_path / command.CONSTRAINTS
    path.parent.mkdir()
    path.write_text(json.dumps([{"sc": "One."}, {"sc": "Two."}]), "utf-8")
    assert command.given(tmp_path) == ("One.", "Two.")
