"""A renewal the host asks for, and a rule of the user that stands in every later request."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import loom
from loom_partitions import laws
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import step

OUTPUT = "".join(f"line {n} of an ordinary output\n" for n in range(60))


@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 60)), min_size=1, max_size=9),
    st.lists(st.integers(200, 3_000), min_size=1, max_size=3),
)
@settings(max_examples=15, suppress_health_check=list(HealthCheck))
def test_any_session(
    tmp_path_factory: pytest.TempPathFactory, acts: list[tuple[int, int]], asked: list[int]
) -> None:
    """Whatever came in, each renewal keeps its number, is lawful, and loses nothing."""
    with plain(tmp_path_factory.mktemp("renew") / "w", window=16_000) as ctx:
        said: dict[int, str] = {}
        for history in asked:
            for kind, lines in acts:
                id = ctx.window.history.next_id
                line = f"{kind} of {id}" + (" 修复登录模块 x9Kq2" if kind == 3 else "\n")
                text = line * lines
                if kind == 0:
                    ctx.user(text)
                elif kind == 1:
                    ctx.reply(text)
                else:
                    step(ctx, text * kind)
                said[id] = text * max(kind, 1)
            ctx.renew(history)
            assert ctx.window.tokens.history <= history
            assert [*laws.ordered(ctx.window), *laws.paired(ctx.window)] == []
            assert ctx.turn().pressure.rho <= 1.0
        for id, text in said.items():
            whole = ctx.history.restore(id)
            spoken = [p.text for p in whole.reply.parts if isinstance(p, loom.Speech)] \
                if whole.reply else []  # fmt: skip
            assert text in (whole.text, *whole.results.values(), *spoken)


def test_a_refusal_leaves_all_as_it_was(tmp_path: Path) -> None:
    """While a result is missing, for what is no whole number, and where `on_cut` says no."""
    with plain(tmp_path / "w", window=32_000, on_cut=lambda made: False) as ctx:
        step(ctx, OUTPUT)
        ctx.reply(loom.Reply((loom.ToolCall("open", "Bash", "{}"),)))
        before = ctx.window
        with pytest.raises(loom.OpenCalls):
            ctx.renew(500)
        assert ctx.window == before
        ctx.result("open", "ok")
        before = ctx.window
        for history in ("many", 1.5):
            with pytest.raises(loom.LoomError, match="whole number of tokens"):
                ctx.renew(history)
        with pytest.raises(loom.BadInput, match="on_cut refused"):
            ctx.renew(500)
        assert ctx.window == before


RULES = {
    "Arabic": "لا تلمس الملف legacy/auth.py أبدا.",
    "Hindi": "legacy/auth.py फ़ाइल को कभी मत छूना।",
    "Turkish": "legacy/auth.py dosyasına asla dokunma.",
    "Thai": "ห้ามแตะไฟล์ legacy/auth.py เด็ดขาด",
}
PASTED = "\n".join(f"ERROR {n} at module m{n}: connection lost" for n in range(40))
TALK = (
    "Thanks, that looks right for part {n}. I read it on the train this morning. It was raining.",
    "In part {n} the module m{n} shows up again. Look at its events, the odd ones above all. Write"
    " what you find into notes/{n}.md with the times beside.",
    "Now part {n}, please.",
    "I looked at part {n} myself. There is a gap of {n} minutes around noon. The workers of m{n}"
    " seemed idle then. Tell me what you make of that gap.",
    "Check whether part {n} says the same of m{n}. Begin at the end. Then show me the {n}th line.",
)


def missed(folder: Path, window: int, rule: str, said: str, steps: int) -> list[int]:
    """The steps after the third whose request does not have the rule that is given there."""
    gone = []
    with loom.open(folder, goal="Read the log.", window=window, durable=False) as ctx:
        ctx.user("Begin with part 0 of the log.")
        for n in range(steps):
            ctx.user(said if n == 3 else TALK[n % 5].format(n=n))
            body = json.dumps(ctx.turn().request("openai"), ensure_ascii=False)
            gone += [n] if n >= 3 and rule not in body else []
            call = loom.ToolCall(f"c{n}", "shell", json.dumps({"command": f"cat part{n}.txt"}))
            ctx.reply(loom.Reply((loom.Speech(f"Part {n} lost module m{n}."), call)))
            lines = (f"{n}:{k:02d} module m{n} event {k * n} by worker {k % 7}" for k in range(99))
            ctx.result(f"c{n}", "\n".join(lines))
        assert ctx.window.sent.generation > 3
    return gone


CASES = [(language, 8_192, 80, "") for language in ("Arabic", "Thai")]
CASES += [("Hindi", 8_192, 80, f"\n{PASTED}"), ("Turkish", 16_000, 160, "")]


@all_cases(("language", "window", "steps", "below"), CASES)
def test_a_rule_stays(tmp_path: Path, language: str, window: int, steps: int, below: str) -> None:
    """A message of its own, or a first line above a paste, through renewals of any window."""
    rule = RULES[language]
    assert missed(tmp_path / "w", window, rule, rule + below, steps) == []


@pytest.mark.parametrize("often", [1, 2])
def test_what_steps_thought_is_told_by_a_renewal_that_lets_them_stay(
    tmp_path: Path, often: int
) -> None:
    """Signed reasoning leaves with any cut: then a digest says what it was, however small the
    history is, and says it once."""
    with loom.open(tmp_path / "w", window=16_000, model="claude-sonnet-4-5", durable=False) as ctx:
        for n in range(4):
            ctx.user(f"Question {n}?")
            ctx.turn()
            thought = loom.Reasoning(f"Part {n} holds the culprit.", "c2lnbmVk" * 10, "anthropic")
            ctx.reply(loom.Reply((thought, loom.Speech(f"Answer {n}."))))
        ctx.user("And now?")
        for _ in range(often):
            ctx.renew()
        sent = str(ctx.turn().request("anthropic"))
    assert [sent.count(f"Part {n} holds the culprit.") for n in range(4)] == [1] * 4
