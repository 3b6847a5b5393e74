"""The reader of requests: right on windows that tell the truth, wrong on those that do not."""

from collections.abc import Iterator

from loom.providers.render.message import Message, TextBlock
from loom_bench.simulated.questions import KINDS, RIGHT, questions
from loom_bench.simulated.reading import CONTRADICTORY, UNTOLD, read
from loom_bench.simulated.state import (
    DOING,
    DONE,
    EDITED,
    FAIL,
    FORBIDDEN,
    LIFTED,
    PASS,
    PENDING,
    REFUSED,
    REQUIRED,
    REVERTED,
    WROTE,
    Truth,
)
from loom_bench.simulated.telling import outcome, shown
from loom_bench.simulated.world import world
from tests.kit.cases import all_cases


def window(*lines: str, role: str = "user") -> Message:
    """One text of a request."""
    return Message(role, (TextBlock("\n".join(lines)),))


def work(truth: Truth) -> Iterator[tuple[str, str]]:
    """Lines of a window, in the manner of an index (headings, arrows, marks): what is true of rules
    and work, and the contrary or nothing of it."""
    allowed, never = "{} may be changed now", "never change {}"
    rules = {
        FORBIDDEN: (never, allowed),
        LIFTED: ("{}: no longer forbidden", never),
        REQUIRED: ("always {}", "forget what was said on {}: it is no longer needed"),
    }
    yield "rules:", ""
    for about, state in truth.rules.items():
        yield rules[state][0].format(about), rules[state][1].format(about)
    yield "changes:", ""
    for path in sorted(truth.deeds, key=lambda path: path == truth.changed_last):
        deeds = truth.deeds[path]
        false = f"edit of {path} failed"
        if REVERTED in deeds:
            yield f"  {path}: edited, then reverted (step_0019)", f"edited {path} 9 times"
        elif set(deeds) == {REFUSED}:
            yield f"  {path}: edit failed, no effect (step_0019)", f"edited {path} 9 times"
        elif WROTE in deeds:
            yield f"  wrote {path} (+24, step_0020)", false
        else:
            yield f"  edited {path} ×{deeds.count(EDITED)} (+3 −1, step_0041)", false
    for path in truth.seen[:2]:
        yield "", f"edited {path} 9 times"
    yield "commands:", ""
    for key, runs in truth.runs.items():
        where, passes = shown(key), runs[-1] == PASS
        was = f"was {'failing' if passes else 'passing'}, " if len(set(runs)) > 1 else ""
        right = f"  {where} → {runs[-1]} ({was}×{len(runs)}, step_0007)"
        yield right, f"{where} → {'fails' if passes else 'passes'} (×9)"
    yield "errors:", ""
    for id, one in truth.failures.items():
        pair = f"  {id}: {one.message}", f"  {id}: resolved (step_0009)"
        yield pair if one.open else pair[::-1]


def words(truth: Truth) -> Iterator[tuple[str, str]]:
    """The same of what was decided, said and planned."""
    yield "decided:", ""
    for topic, (first, *more) in truth.decisions.items():
        right = f"  the {topic}: {more[-1]} (was {first})" if more else f"  the {topic}: {first}"
        yield right, f"the {topic} uses {first if more else 'a coin toss'}"
    yield "numbers:", ""
    for name, (first, *more) in truth.values.items():
        right = f"  {name} = {more[-1]} (was {first})" if more else f"  {name} = {first}"
        yield right, f"{name} = {first if more else 7}"
    for topic, (wrong, right) in truth.corrections.items():
        yield f"  the {topic}: {right}, not {wrong}", f"the {topic} is called {wrong}"
    yield "plan of the user:", ""
    for line in (*(f"## {heading}" for heading in truth.headings), *truth.steps, *truth.code):
        yield line, ""
    marks = {DONE: ("[x]", PENDING), DOING: ("[>]", DONE), PENDING: ("[ ]", DOING)}
    yield "tasks:", ""
    for item, state in truth.tasks.items():
        yield f"  {marks[state][0]} {item}", f"{item}: {marks[state][1]}"
    yield "committed:", ""
    for message in truth.commits:
        yield f"  {message}", f"commit refused: {message}"
    for message in truth.uncommitted:
        yield f"  {message}: refused by a hook, not committed", f"committed: {message}"
    for command in truth.reports:
        yield f"  {command} → outputs/shell_0012.log", ""


@all_cases("held_out", [False, True])
@all_cases("seed", [1, 2, 3])
def test_a_true_window_is_right_and_a_lying_one_wrong(seed: int, held_out: bool) -> None:
    """A window made by hand from the truth answers every question, in either wording; one that
    tells the contrary answers none of any kind."""
    truth = world(seed, 90, held_out=held_out).truths[-1]
    asked = questions(truth)
    windows = zip(*work(truth), *words(truth), strict=True)
    right, wrong = (read([window(*filter(None, lines))]) for lines in windows)
    for one in asked:
        assert one.verdict(one.answer(right)) == RIGHT, (one.kind, one.about, one.right)
        assert one.verdict(one.answer(wrong)) != RIGHT, (one.kind, one.about, one.right)
    assert {one.kind for one in asked} | {"file changed last"} == set(KINDS)


def test_a_later_block_counts_and_one_block_may_contradict_itself() -> None:
    """Of two messages the later counts; two lines of one that contradict leave doubt."""
    fails, passes = "`make lint` fails", "`make lint` passes"
    lint = Truth(runs={("", "make lint"): []}), "make lint"
    assert outcome(read([window(fails), window(passes)]), *lint) == PASS
    assert outcome(read([window(passes), window(fails)]), *lint) == FAIL
    assert outcome(read([window(passes, fails)]), *lint) == CONTRADICTORY
    assert outcome(read([]), *lint) == UNTOLD
    numbered = window(
        "make lint 2>&1 | tail -20 → passes (step_0012)", "make lint → fails (step_0003)"
    )
    assert outcome(read([numbered]), *lint) == PASS
