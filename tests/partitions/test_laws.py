"""Each law detects a planted violation, and says nothing of a lawful window."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from loom_partitions import laws
from loom_partitions import records as r
from loom_partitions.edits import Folded, Lowered
from loom_partitions.history import History
from loom_partitions.limits import Limits, Tokens
from loom_partitions.message import (
    Call,
    Detail,
    Digest,
    Notice,
    Outcome,
    Reduction,
    Step,
    Text,
    UserTurn,
)
from loom_partitions.sent import WindowCounters
from loom_partitions.stream import Stream
from loom_partitions.window import Window
from loom_partitions.working import Working
from tests.kit.cases import all_cases

LIMITS = Limits(window=130, reply=30, run=9)
REDUCTION = Reduction("system:shell", {}, "ran", "Ran")


def user(id: int, tokens: int = 10, body: str = "hi") -> UserTurn:
    """A user turn."""
    return UserTurn(id, Text(tokens, 2, body), tokens)


def outcome(id: str, body: str = "ok") -> Outcome:
    """A result."""
    return Outcome(id, Text(1, 2, body), REDUCTION)


def step(id: int, calls: str = "", results: str = "", open: str = "") -> Step:
    """A step whose calls, results and open calls are named by letters."""
    parts = tuple(Call(letter, "t", "{}", 1) for letter in calls)
    return Step(id, parts, 10, tuple(map(outcome, results)), tuple(open))


def window(*items: object, next_id: int = 100, waiting: int = 0) -> Window:
    """A window that holds these items, its totals true."""
    stream = Stream.of(items, LIMITS.run)
    return Window(limits=LIMITS, history=History(stream, next_id, waiting))


LOW = replace(user(2), detail=Detail.COMPACT)
DIGEST = Digest(4, 2, 4, "Earlier", 5, "outputs/digest_0004.md")
PAIRED = [
    (window(), ""),
    (window(user(1)), ""),
    (window(step(1, "ab", "ab")), ""),
    (window(step(1, "ab", "ba")), ""),
    (window(step(1, "ab", "a", "b"), waiting=1), ""),
    (window(step(1, "ab", "a")), "step 1"),
    (window(step(1, "a", "ab")), "step 1"),
    (window(step(1, "a", "aa")), "step 1"),
    (window(step(1, "a", "a", "a"), waiting=1), "step 1"),
    (window(step(1, "", "a")), "step 1"),
    (window(step(1, "a", "", "a")), "nobody waits"),
    (window(step(1, "a", "", "a"), step(2), waiting=2), "nobody waits"),
]


@all_cases(("given", "says"), PAIRED)
def test_paired(given: Window, says: str) -> None:
    """Each call has one result or is open, and only the waiting step has open calls."""
    broken = laws.paired(given)
    assert bool(broken) == bool(says)
    assert says in "".join(broken)


@all_cases(("tokens", "lawful"), [(0, True), (99, True), (100, True), (101, False)])
def test_bounded(tokens: int, lawful: bool) -> None:
    """A request may take the whole capacity and not one token more."""
    assert (laws.bounded(window(user(1, tokens))) == []) == lawful


PROTECTED: list[tuple[r.Record | None, str]] = [
    (None, ""),
    (r.Heard(user(1)), ""),
    (r.Turned(1, None), ""),
    (r.Metered(5), ""),
    (r.Shelved("system", "a", Notice("system", "x", 1), Text(1, 1, "x")), "system"),
    (r.Shelved("memory", "a", Notice("memory", "x", 1), Text(1, 1, "x")), "memory"),
    (r.Shelved("skill", "a", Notice("skill", "x", 1), Text(1, 1, "x")), "skill"),
    (r.Shelved("tools", "a", Notice("skill", "x", 1), Text(1, 1, "{}")), "tools"),
    (r.Progressed("half"), "working"),
    (r.Questioned("q", "why?"), "working"),
]


@all_cases(("record", "changed"), PROTECTED)
def test_protected(record: r.Record | None, changed: str) -> None:
    """A change of any partition but history is named."""
    from loom_partitions.window import apply

    before = window()
    after = before if record is None else apply(before, record)
    assert laws.protected(before, after) == ([f"{changed} changed"] if changed else [])


def test_restorable() -> None:
    """An edit whose text nothing holds is named, by entry or by page."""
    edits = (Lowered(1, Detail.COMPACT, "x", 1), Folded(2, 4, DIGEST))
    assert laws.restorable((), lambda ref: False) == []
    assert laws.restorable(edits, {"entry:1", DIGEST.page}.__contains__) == []
    assert "entry:1" in laws.restorable(edits, {DIGEST.page}.__contains__)[0]
    assert DIGEST.page in laws.restorable(edits, {"entry:1"}.__contains__)[0]


@pytest.mark.parametrize(("was", "now", "lawful"), [(10, 9, True), (10, 10, False), (9, 10, False)])
def test_shrinking(was: int, now: int, lawful: bool) -> None:
    """A cut that frees nothing is none."""
    assert (laws.shrinking(window(user(1, was)), window(user(1, now))) == []) == lawful


def test_idempotent() -> None:
    """A plan that finds something on its own result is told."""
    assert laws.idempotent(window(), lambda given: ()) == []
    assert laws.idempotent(window(), lambda given: [Lowered(1, Detail.COMPACT, "", 1)])


ORDERED = [
    (window(), True),
    (window(user(1), Notice("working", "x", 1), step(2)), True),
    (window(user(1), DIGEST, user(5)), True),
    (window(user(2), user(1)), False),
    (window(user(1), user(1)), False),
    (window(user(3), DIGEST), False),
    (window(DIGEST, user(4)), True),  # it stayed when those around it were folded
    (window(DIGEST, user(DIGEST.first)), False),
    (window(user(DIGEST.first), DIGEST), False),
    (window(user(1), next_id=1), False),
    (window(DIGEST, next_id=4), False),
]


@all_cases(("given", "lawful"), ORDERED)
def test_ordered(given: Window, lawful: bool) -> None:
    """Ids rise, digests span theirs, and the next id is above them all."""
    assert (laws.ordered(given) == []) == lawful


APPENDED = [
    ([], [], True),
    ([], [b"a"], True),
    ([b"a"], [b"a", b"b"], True),
    ([b"a", b"b"], [b"a"], False),
    ([b"a"], [b"b"], False),
    ([b"a", b"b"], [b"a", b"c", b"b"], False),
]


@all_cases(("earlier", "later", "lawful"), APPENDED)
def test_append_only(earlier: list[bytes], later: list[bytes], lawful: bool) -> None:
    """A message that changed or left is told."""
    assert (laws.append_only(earlier, later) == []) == lawful


RENEWED: list[tuple[Callable[[Window], Window], int, bool]] = [
    (lambda w: replace(w, sent=WindowCounters(generation=2)), 10, True),
    (lambda w: replace(w, sent=WindowCounters(generation=2)), 9, False),
    (lambda w: w, 10, False),
    (lambda w: replace(w, sent=WindowCounters(generation=3)), 10, False),
    (
        lambda w: replace(w, sent=WindowCounters(generation=2), working=Working(progress="x")),
        10,
        False,
    ),
]


@all_cases(("change", "target", "lawful"), RENEWED)
def test_renewed(change: Callable[[Window], Window], target: int, lawful: bool) -> None:
    """Within its target, C_working as it was, one generation on."""
    before = window(user(1))
    assert (laws.renewed(before, change(before), target) == []) == lawful


def test_isolated() -> None:
    """A text of the parent in a child is told, unless it is the goal or was granted."""
    goal = Working(goal=Text(1, 1, "the goal"))
    parent = replace(window(user(1, body="mine"), user(2, body="the goal")), working=goal)
    assert laws.isolated(window(user(1, body="own")), parent) == []
    assert laws.isolated(window(user(1, body="the goal")), parent) == []
    assert laws.isolated(window(user(1, body="mine")), parent)
    assert laws.isolated(window(user(1, body="mine")), parent, granted=["mine"]) == []


def counted(stream: Stream) -> list[str]:
    """The law on a window of that stream."""
    return laws.counted(replace(window(), history=History(stream)))


def test_counted() -> None:
    """Totals that differ from a recount by one token are told; notices count elsewhere."""
    stream = Stream.of([user(1), LOW, Notice("working", "x", 7), DIGEST], LIMITS.run)
    assert stream.totals == Tokens(history=10 + 10 + 9 + 5 + 9, working=7)
    assert counted(stream) == []
    assert counted(replace(stream, totals=stream.totals.plus("history", 1)))
    assert counted(replace(stream, totals=stream.totals.plus("working", 1))) == []


def test_deterministic() -> None:
    """Records fold to one window."""
    assert laws.deterministic([r.Opened(LIMITS, {}), r.Heard(user(1))]) == []


STANDING = [
    ([], ""),
    ([("user", "hi\n\nthere"), ("system", "be kind")], ""),
    ([("tool", "goal: x"), ("assistant", "goal: x")], ""),
    ([("user", "[paged in k7q3: a]\n> goal: x\n>\n> y")], ""),
    ([("user", "goal: x")], "user: 'goal: x'"),
    ([("system", "be kind\ngoal: x")], "system: 'goal: x'"),
    ([("user", "> goal: x")], "user: '> goal: x'"),
    ([("user", "[paged in k7q3: b]\n> goal: x")], "[paged in k7q3: b]"),
    ([("user", "[paged in k7q3: a]\n> y\ngoal: x")], "user: 'goal: x'"),
    ([("user", "[paged in k7q3: a]\n> y\nhi\n> goal: x")], "user: '> goal: x'"),
    ([("user", "[paged in k7q3: a]"), ("user", "> goal: x")], "user: '> goal: x'"),
]


@all_cases(("said", "tells"), STANDING)
def test_standing(said: list[tuple[str, str]], tells: str) -> None:
    """What is no one's under user and system is told; a quote needs a heading of its own."""
    broken = laws.standing(said, ["hi\nthere", "be kind"], ["[paged in k7q3: a]"])
    assert bool(broken) == bool(tells)
    assert tells in "\n".join(broken)
