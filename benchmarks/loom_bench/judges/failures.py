"""Whether commands that fail are told as failing, and those that pass again are not.

A failure is told by its message, by a line or a result that names the command with a word of
failing, or by an answer when the model asks; a line behind it that says that it passes takes that
away. Once it is resolved nothing may say that it fails as the last word: behind it must stand the
run that passed, or a line that names the command as passing.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from loom.providers.render.message import ResultBlock
from loom_bench.judge import LOW, MetricColumn, Ruled, judge
from loom_bench.judges.facts import found_by_asking
from loom_bench.judges.sights import (
    HeldAgainst,
    at_judged,
    flat_lines,
    lines_of,
    once_each,
    word_for_word,
)
from loom_bench.moment import BenchMoment, BenchRuling, stands
from loom_bench.session import CommandFailure, PressureSession, Wire
from loom_bench.simulated.cues import verdict
from loom_bench.simulated.state import PASS
from loom_bench.truth.runs import FAILURE, SHORT, core, names
from loom_bench.wires import ReadWire, texts

QUESTION = "How did {} end when it ran last, and what did it say?"
Told = tuple[int, int, bool]  # number of the text, where it says so, whether it says: fails


@judge(
    MetricColumn(
        "failures", "failures_held", "failures", scored=True,
        about="commands that fail now and are told as failing, or of which asking tells it",
    ),
    MetricColumn(
        "false alarms", "false_alarms", "failures_resolved", LOW,
        about="commands that pass again and are told as failing",
    ),
)  # fmt: skip
def failures(session: PressureSession) -> Ruled | None:
    """Looks for failures at the judged moments."""
    return at_judged([_followed(session, one) for one in session.owed(CommandFailure)])


def _followed(session: PressureSession, failure: CommandFailure) -> HeldAgainst:
    failed = _result_id(session.messages[failure.at])
    passing = session.messages[failure.resolved] if failure.resolved is not None else {}

    def look(wire: ReadWire) -> list[Told]:
        told = (*_said(wire, failure), *_named(wire, failure.command), *_ran(wire, failed, passing))
        return sorted(told, key=lambda one: one[:2])

    seen = once_each(look)

    def hold(moment: BenchMoment, ruling: BenchRuling) -> None:
        if failure.at >= moment.at:
            return
        told = [fails for found in seen(moment.read) for _, _, fails in found]
        open_ = bool(told) and told[-1]
        if failure.resolved is not None and failure.resolved < moment.at:
            ruling.sums["failures_resolved"] += 1
            if open_:
                ruling.sums["false_alarms"] += 1
                ruling.faults.append(f"false alarm: {failure.command} passes")
            return
        question, right = QUESTION.format(failure.command), partial(stands, failure.says)
        held = open_ or found_by_asking(moment, question, right, ruling)
        ruling.held("failures", held, f"{failure.command} is not told as failing")

    return hold


def _said(wire: ReadWire, failure: CommandFailure) -> Iterator[Told]:
    for sight in word_for_word(wire, failure.says):
        yield sight.text, sight.start, verdict(sight.line.replace(failure.says, "")) != PASS


def _named(wire: ReadWire, command: str) -> Iterator[Told]:
    """Lines, and lines under a heading, that name the command with a word of its outcome."""
    text = core(command)
    head = text[:SHORT]
    for number, shown in enumerate(wire.shown):
        if shown.kind == "call" or head not in shown.flat:
            continue
        heading = ""
        for start, line in zip(*flat_lines(shown.text), strict=True):
            named = head in line and names(line, command)
            if named and (said := verdict(line.replace(text, "it")) or verdict(heading)):
                yield number, start, said != PASS
            heading = line if line.endswith(":") else heading


def _ran(wire: ReadWire, failed: str, passing: Wire) -> Iterator[Told]:
    """The results of the two runs, as far as they say something."""
    passed = _result_id(passing)
    for block in wire.message.blocks:
        if not isinstance(block, ResultBlock):
            continue
        if block.call_id == failed and FAILURE.search(block.text):
            yield 0, 0, True
        own = lines_of([passing]) if passing and block.call_id == passed else frozenset()
        if not own.isdisjoint(flat_lines(block.text)[1]):
            yield len(wire.shown), 0, False
    for text in texts(passing) if passing and not passed else ():
        yield from ((one.text, one.start, False) for one in word_for_word(wire, text))


def _result_id(wire: Wire) -> str:
    return str(wire.get("tool_call_id", ""))
