"""Loom's verdicts, by the real engine: where a needle is when a request would be sent, and what an
agent asks for that misses it.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import loom
from loom.inputs import Reply
from loom.providers.render.message import Message, ResultBlock, TextBlock
from loom_bench.recorded.labels import Need, needs_of
from loom_bench.recorded.ledger import PAGE_IN, RESIDENT
from loom_bench.recorded.paged import Paged
from loom_bench.strategies.by_loom import would_answer
from tests.kit.cases import all_cases

Recording = Callable[..., Path]
Case = tuple[Paged, Need]


@pytest.fixture
def case(recording: Recording) -> Iterator[Case]:
    """A session replayed up to the reply that needs something, and that need."""
    session, [need] = needs_of(recording(filler=8))
    paged = Paged(4_000, own_tools=True)
    for event in session.events[: need.at]:
        if isinstance(event, Reply):
            paged.request()
        paged.feed(event)
    yield paged, need
    paged.close()


def said(text: str) -> list[Message]:
    """A request of one message."""
    return [Message("user", (TextBlock(text),))]


def test_resident(case: Case) -> None:
    """A needle in one text of the request is resident, and so it is found with its entry."""
    paged, need = case
    shown = "     7→line 7 of the parser\n     8→line 8 of the parser\n     9→line 9"
    finding = paged.find(need, [Message("tool", (ResultBlock("1", "Read", shown),))])
    assert (finding.verdict, finding.entries) == (RESIDENT, ("step_0002",))


@all_cases(
    ("line", "named"),
    [
        ("step_0002: Read /repo/app/parser.go", True),
        ("read app/parser.go → step_0002", True),
        ("step_0002: Read", False),
        ("step_0002\nRead /repo/app/parser.go", False),
        ("step_0003: Read /repo/app/parser.go", False),
        ("step_9999: Read /repo/app/parser.go", False),
        ("  app/: scan.go read_0009, parser.go read_0007 read_0001, other.go", True),
        ("  /repo/app/: parser.go wrote 3 lines (step_0002)", True),
        ("  ./: scan.go read_0009, parser.go read_0001", True),
        ("  app/: parser.go read_0009, scan.go read_0001", False),
        ("  lib/: parser.go read_0001", False),
    ],
)
def test_page_in(case: Case, line: str, named: bool) -> None:
    """A line leads to what holds the needle when it has its name and what that came from."""
    paged, need = case
    assert (paged.find(need, said(f"before\n{line}\nafter")).verdict == PAGE_IN) is named


def test_fetch(case: Case) -> None:
    """After `page_in` of what holds it, or `recall` and `page_in`, the needle is in the request."""
    paged, need = case
    finding = paged.find(need, said("nothing"))
    assert sum(1 for _ in paged.fetch(need, finding) if paged.request()) in (1, 2)
    assert paged.find(need, paged.request()).verdict == RESIDENT


ROWS = [f"row {number} of the table, called part_{number}\n" for number in range(1, 1_001)]
PAGE = "shell_0001"


@pytest.fixture(scope="module")
def ctx(tmp_path_factory: pytest.TempPathFactory) -> Iterator[loom.Context]:
    """A context with a page of a thousand rows, of which an answer shows some two hundred."""
    folder: Path = tmp_path_factory.mktemp("asking") / "w"
    with loom.open(folder, window=5_400, reply=1_000, durable=False) as made:
        made.reply(loom.Reply((loom.ToolCall("c", "Bash", "{}"),)))
        made.result("c", "".join(ROWS))
        made.turn()
        yield made


def test_nothing_is_committed(ctx: loom.Context) -> None:
    """The answer is the one the call would get, and asking leaves no trace."""
    window, commits = ctx.window, ctx._engine.workspace.commits
    asked = would_answer(ctx, "page_in", {"ref": PAGE, "lines": "2-3"})
    assert asked == f"[outputs/{PAGE}.log lines 2–3 of 1000]\n{ROWS[1]}{ROWS[2]}"
    assert (ctx.window, ctx._engine.workspace.commits) == (window, commits)
    call = loom.ToolCall("p", "page_in", json.dumps({"ref": PAGE, "lines": "2-3"}))
    ctx.reply(loom.Reply((call,)))
    assert ctx.history.restore(2).results["p"] == asked
