"""Levels act at their marks: ρ is of the request as it stands, the dashboard counted once."""

import logging
import re
from pathlib import Path

import pytest
from msgspec.structs import replace

import loom
from loom.compress.layout_parts import layout_part_tokens
from loom.replay.feed import replay
from loom.session.archive.folded_journal import records_of
from loom_bench.sessions.generate import session
from loom_partitions.limits import Limits
from loom_partitions.message import Digest
from loom_partitions.records import Brought, Compressed, Renewed
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import step

MARKS = {"snip": 0.70, "micro": 0.80, "collapse": 0.90, "auto": 0.95}
RESERVE = 0.06  # of the capacity, at most: the notice that is still to come
GOAL = "Port the whole of the parser to the new reader without changing what it accepts. " * 4
PLAN = [f"{number}. then look at the next of the modules and port it, too" for number in range(12)]


def cuts_of(path: Path, window: int, tokens: int, *, surfaces: bool) -> list[tuple[str, float]]:
    """(level, ρ before) of every cut of a life with results of about that many tokens.

    ρ is of the request as it stood, with the little that is kept for the notice of the turn.
    """
    cuts: list[tuple[str, float]] = []

    def on_cut(cut: Compressed | Renewed) -> None:
        capacity = ctx.window.limits.capacity
        reserve = ctx._engine.notices.reserve(ctx.window)
        assert reserve <= RESERVE * capacity
        rho = (cut.certificate.before.total + reserve) / capacity
        cuts.append((getattr(cut, "level", "renewal"), rho))

    goal = GOAL if surfaces else ""
    with loom.open(path, goal=goal, window=window, on_cut=on_cut, durable=False) as ctx:
        ctx.working.plan(PLAN if surfaces else [])
        for number in range(window // tokens * 2):
            if number % 5 == 0:
                ctx.user(f"Mind part {number}. " + "It is not like the others. " * (tokens // 20))
            assert ctx.turn().pressure.rho <= 1.0
            path_asked = f"src/part_{number % 7}.py"
            call = loom.ToolCall(f"c{number}", "read_file", f'{{"path":"{path_asked}"}}')
            ctx.reply(loom.Reply((call,)))
            lines = (f"{number}: line {n} of it\n" for n in range(tokens // 8))
            ctx.result(call, "".join(lines))
    return cuts


CASES = [
    (False, 8_192, 90), (True, 8_192, 400), (False, 16_000, 600), (True, 32_000, 900),
    (True, 16_000, 150),
]  # fmt: skip


@all_cases(("surfaces", "window", "tokens"), CASES)
def test_no_level_acts_below_its_mark(
    tmp_path: Path, window: int, tokens: int, surfaces: bool
) -> None:
    """A long goal and a full plan do not make a level fire early; every level finds its ρ, and of
    many small results the higher levels act."""
    cuts = cuts_of(tmp_path, window, tokens, surfaces=surfaces)
    assert cuts and [one for one in cuts if one[1] < MARKS.get(one[0], 0.0)] == []
    assert tokens != 150 or {level for level, _ in cuts} & {"collapse", "auto"}


@pytest.mark.parametrize("items", [0, 12])
def test_a_dashboard_is_counted_once(tmp_path: Path, items: int) -> None:
    """Between cuts ρ of a turn is what its tokens are; the frozen dashboard is among them."""
    with loom.open(tmp_path, goal=GOAL, window=16_000, durable=False) as ctx:
        ctx.working.plan(PLAN[:items])
        first = ctx.turn().pressure
        ctx.user("go on")
        second = ctx.turn().pressure
        assert second.tokens.total - first.tokens.total < 40
        assert second.rho == second.tokens.total / second.capacity


def test_each_cut_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """With its level, the request it is made for, and the tokens before and behind it."""
    with caplog.at_level(logging.INFO, logger="loom"), plain(tmp_path / "w", window=4_000) as ctx:
        ctx.user("go")
        ctx.turn()
        assert not caplog.records
        while ctx.window.sent.generation < 3:
            step(ctx, 40)
            ctx.turn()
        said = [record.getMessage() for record in caplog.records if record.name == "loom"]
        assert len(said) == ctx.window.sent.cuts
        last = ctx.window.sent.turn
        assert said[-1].startswith(f"renewal to generation 3 before request {last}: ")
        ctx.renew()
        assert f"renewal to generation 4 before request {last + 1}: " in caplog.text


def test_what_is_read_ahead_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """All of its tokens, a line a request."""
    with caplog.at_level(logging.INFO, logger="loom"), plain(tmp_path / "w", window=8_192) as ctx:
        for _ in replay(ctx, session(1, 30)):
            pass
        brought = [
            record.ahead
            for commit in ctx._engine.workspace.journal.scan()
            for record in records_of(commit)
            if isinstance(record, Brought)
        ]
    told = re.findall(r"read ahead before request \d+: (\d+) tokens", caplog.text)
    assert told and sum(map(int, told)) == sum(brought)


NOISE = "the build went on and on as builds do\n"


def sizes_before_digests(ctx: loom.Context, lines: int, steps: int) -> list[float]:
    """ρ of the request before each cut that made a digest."""
    found, known, before = list[float](), "", 0.0
    for number in range(steps):
        step(ctx, f"{number} {NOISE}" * lines)
        now = ctx.turn().pressure
        digests = [e.text for e in ctx.window.history.stream.entries if isinstance(e, Digest)]
        if digests and digests[0] != known:
            found.append(before)
            known = digests[0]
        before = now.rho
    return found


def test_collapse_acts_from_its_mark(tmp_path: Path) -> None:
    """Steps of a hundredth of the window: no digest before, whether or not a cut has a price."""
    unpriced = loom.Policy(snip_at=0.89, micro_at=0.89, tuning=loom.Tuning(priced=False))
    for name, policy in (("priced", loom.Policy()), ("unpriced", unpriced)):
        with loom.open(tmp_path / name, window=64_000, policy=policy, durable=False) as ctx:
            assert 0.87 < min(sizes_before_digests(ctx, 50, 150)) < 0.91


EAGER = loom.PRESETS["eager"]


@all_cases(("room", "tokens"), [(4_700, 1_500), (9_400, 3_000), (470, 150), (1, 1)], ids=str)
def test_parts_are_shares_of_the_room(room: int, tokens: int) -> None:
    """In another window a part is the same share of what is left beside the reply."""
    limits = Limits(window=room + 100, reply=100)
    assert layout_part_tokens(EAGER, limits, EAGER.layout.prompt_tokens) == tokens
    assert (
        layout_part_tokens(replace(EAGER, layout=replace(EAGER.layout, room=0)), limits, 1_500)
        == 1_500
    )
    assert layout_part_tokens(EAGER, limits, 0) == 0
