"""A rule that the user gives once stands in every later request, whatever its language."""

from __future__ import annotations

import json
from pathlib import Path

import loom
from tests.kit.cases import all_cases, some

RULES = {
    "English": "Never touch the file legacy/auth.py.",
    "Arabic": "لا تلمس الملف legacy/auth.py أبدا.",
    "Hindi": "legacy/auth.py फ़ाइल को कभी मत छूना।",
    "Turkish": "legacy/auth.py dosyasına asla dokunma.",
    "Vietnamese": "Tuyệt đối đừng động vào tệp legacy/auth.py.",
    "Chinese": "绝对不要碰 legacy/auth.py 文件。",
    "Japanese": "legacy/auth.py には絶対に触らないでください。",
    "Korean": "legacy/auth.py 파일은 절대 건드리지 마세요.",
    "Russian": "Никогда не трогай файл legacy/auth.py.",
    "German": "Fass die Datei legacy/auth.py niemals an.",
    "Greek": "Μην αγγίξεις ποτέ το αρχείο legacy/auth.py.",
    "Hebrew": "לעולם אל תיגע בקובץ legacy/auth.py.",
    "Thai": "ห้ามแตะไฟล์ legacy/auth.py เด็ดขาด",
    "Swahili": "Usiguse faili legacy/auth.py kamwe.",
    "Finnish": "Älä koskaan koske tiedostoon legacy/auth.py.",
    "Bengali": "legacy/auth.py ফাইলে কখনো হাত দেবে না।",
    "Georgian": "არასოდეს შეეხო ფაილს legacy/auth.py.",
    "Amharic": "legacy/auth.py ፋይሉን በፍጹም አትንካ።",
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


@all_cases("language", some(RULES, 3))
def test_a_rule_said_alone_stays(tmp_path: Path, language: str) -> None:
    """A message of its own, in a small window, through its renewals."""
    rule = RULES[language]
    assert missed(tmp_path / "w", 8_192, rule, rule, 80) == []


@all_cases("language", some(["Hindi", "Arabic", "Turkish", "Vietnamese"], 1))
def test_a_rule_above_a_paste_stays(tmp_path: Path, language: str) -> None:
    """A first line of its own, above what was pasted."""
    rule = RULES[language]
    assert missed(tmp_path / "w", 8_192, rule, f"{rule}\n{PASTED}", 80) == []


@all_cases("language", some(["Turkish", "Arabic", "Hindi", "Vietnamese"], 1))
def test_a_rule_stays_in_a_larger_window(tmp_path: Path, language: str) -> None:
    """The same in a window of 16,000 tokens, over more steps."""
    rule = RULES[language]
    assert missed(tmp_path / "w", 16_000, rule, rule, 160) == []
