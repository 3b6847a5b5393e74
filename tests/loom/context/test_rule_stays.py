"""A rule that the user gives once stands in every later request, whatever its language."""

from __future__ import annotations

import json
from pathlib import Path

import loom
from tests.kit.cases import all_cases

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
