"""Whether commands that fail are told as failing, and those that pass again are not.

A failure is told by its message, by a line or a result that names the command with a word of
failing, or by an answer when the model asks; a line behind it that says that it passes takes that
away. Once it is resolved nothing may say that it fails as the last word: behind it must stand the
run that passed, or a line that names the command as passing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from msgspec import Struct

from loom.providers.render.message import ResultBlock
from loom_bench.judge import LOW, MetricColumn, Ruled
from loom_bench.judges.facts import found_by_asking
from loom_bench.judges.sights import FoundOnce, at_judged, flat_lines, word_for_word
from loom_bench.moment import BenchMoment, BenchRuling, stands
from loom_bench.session import CommandFailure, PressureSession, Wire
from loom_bench.simulated.cues import verdict
from loom_bench.simulated.state import PASS
from loom_bench.truth.runs import FAILURE, SHORT, core, names
from loom_bench.wires import ReadWire, texts

QUESTION = "How did {} end when it ran last, and what did it say?"


class FailuresJudge:
    """Looks for failures at every cut and at the end."""

    columns = (
        MetricColumn(
            "failures", "failures_held", "failures", scored=True,
            about="commands that fail and are told as failing, or that the model learns by asking",
        ),
        MetricColumn(
            "false alarms", "false_alarms", "failures_resolved", LOW,
            about="commands that pass again and are shown as failing",
        ),
    )  # fmt: skip

    def open(self, session: PressureSession) -> Ruled | None:
        """What rules on the requests of one session."""
        return at_judged([_FollowedFailure(session, one) for one in session.owed(CommandFailure)])


class _ToldOutcome(Struct, frozen=True):
    """A place that says how a command ended."""

    text: int
    start: int
    fails: bool


class _FollowedFailure:
    """One failure, and where messages tell it or its end."""

    def __init__(self, session: PressureSession, failure: CommandFailure) -> None:
        self._failure = failure
        self._failed = _result_id(session.messages[failure.at])
        resolved = failure.resolved
        self._passing = session.messages[resolved] if resolved is not None else {}
        self._head = core(failure.command)[:SHORT]
        self._seen = FoundOnce(lambda wire: sorted(self._look(wire), key=_order))

    def rule(self, moment: BenchMoment, ruling: BenchRuling) -> None:
        """Hold a request against the failure, as long as it is open and after."""
        failure = self._failure
        if failure.at >= moment.at:
            return
        told = [one for found in self._seen.each(moment.read) for one in found]
        if failure.resolved is not None and failure.resolved < moment.at:
            ruling.sums["failures_resolved"] += 1
            if told and told[-1].fails:
                ruling.sums["false_alarms"] += 1
                ruling.faults.append(f"false alarm: {failure.command} passes")
            return
        held = bool(told) and told[-1].fails
        if not held:
            question = QUESTION.format(failure.command)
            held = found_by_asking(moment, question, partial(stands, failure.says), ruling)
        ruling.held("failures", held, f"{failure.command} is not told as failing")

    def _look(self, wire: ReadWire) -> Iterator[_ToldOutcome]:
        for sight in word_for_word(wire, self._failure.says):
            rest = verdict(sight.line.replace(self._failure.says, ""))
            yield _ToldOutcome(sight.text, sight.start, rest != PASS)
        yield from self._named(wire)
        yield from self._ran(wire)

    def _named(self, wire: ReadWire) -> Iterator[_ToldOutcome]:
        """Lines, and lines under a heading, that name the command with a word of its outcome."""
        for number, shown in enumerate(wire.shown):
            if shown.kind == "call" or self._head not in shown.flat:
                continue
            heading = ""
            for start, line in zip(*flat_lines(shown.text), strict=True):
                if self._head in line and names(line, self._failure.command):
                    rest = line.replace(core(self._failure.command), "it")
                    if said := verdict(rest) or verdict(heading):
                        yield _ToldOutcome(number, start, said != PASS)
                heading = line if line.endswith(":") else heading

    def _ran(self, wire: ReadWire) -> Iterator[_ToldOutcome]:
        """The results of the two runs, as far as they say something."""
        for block in wire.message.blocks:
            if not isinstance(block, ResultBlock):
                continue
            if block.call_id == self._failed and FAILURE.search(block.text):
                yield _ToldOutcome(0, 0, True)
            passed = self._passing and block.call_id == _result_id(self._passing)
            if passed and _shows_of(block.text, self._passing):
                yield _ToldOutcome(len(wire.shown), 0, False)
        if self._passing and not _result_id(self._passing):
            for text in texts(self._passing):
                yield from (
                    _ToldOutcome(sight.text, sight.start, False)
                    for sight in word_for_word(wire, text)
                )


def _order(one: _ToldOutcome) -> tuple[int, int]:
    return one.text, one.start


def _result_id(wire: Wire) -> str:
    return str(wire.get("tool_call_id", ""))


def _shows_of(text: str, wire: Wire) -> bool:
    """True when a text has a line of a message."""
    own = [line for said in texts(wire) for line in flat_lines(said)[1]]
    return any(line in own for line in flat_lines(text)[1])
