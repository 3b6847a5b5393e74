"""What the user laid down keeps its room in a digest, whatever else there is to tell."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.compress.digest.digest import DigestRoom, digest_of
from loom.providers.counts import counter_for
from loom.reduce.clauses import CUT, LIMITED
from loom.reduce.said import facts_of_user
from loom_partitions.message import Text, UserTurn
from tests.kit.opened import Open
from tests.kit.step import step

RULES = [
    "Nobody outside the support crew gets to see the figures.",
    "Ändere nichts im Ordner legal, ohne mich zu fragen.",
    "N'utilise jamais plus de quatre processus pour les tests.",
    "Los importes se escriben siempre en euros.",
    "Não altere as migrações sem avisar.",
    "Пиши комментарии только по-русски.",
    "所有日期必须先写日期。",
    "設定ファイルは変更しないでください。",
    "로그 파일을 절대 지우지 마세요.",
]

OTHERS = [
    "لا تعدّل الملفات في مجلد legal دون أن تسألني.",
    "परीक्षणों के लिए चार से ज़्यादा प्रोसेस मत चलाना।",
    "Günlük dosyalarını asla silme.",
    "Đừng bao giờ sửa tệp cấu hình.",
    "Μην αλλάξεις τις μεταναστεύσεις χωρίς να με ρωτήσεις.",
    "אל תמחק את קובצי היומן.",
    "ห้ามแก้ไขไฟล์ตั้งค่า",
    "Usifute faili za kumbukumbu.",
    "የቅንብር ፋይሉን አትቀይር።",
]


def told(ctx: loom.Context, facts: int) -> str:
    """The digest of all entries with so much room for facts."""
    entries = tuple(ctx.window.history.stream.entries)
    return digest_of(entries, DigestRoom(facts), counter_for()).text


def busy(ctx: loom.Context, number: int) -> None:
    """A change, a check that fails, and small talk about it."""
    edit = {"path": f"src/part_{number}/file_{number}.py", "old_string": "a", "new_string": "b"}
    step(ctx, "ok", tool="Edit", args=json.dumps(edit))
    check = {"command": f"pytest tests/test_{number}.py"}
    said = f"FAILED tests/test_{number}.py::test_it - ValueError: nothing of kind {number} here"
    step(ctx, said, tool="Bash", args=json.dumps(check), error=True)
    ctx.user(f"The {number}th one turned up late. Thanks, that helps. The weather is fine.")


def test_nothing_laid_down_keeps_no_room(opened: Open) -> None:
    """Without a word of the user the rest has all the room."""
    ctx = opened(window=200_000)
    edit = {"path": "a.py", "old_string": "a", "new_string": "b"}
    step(ctx, "ok", tool="Edit", args=json.dumps(edit))
    text = told(ctx, 160)
    assert "the user said" not in text
    assert "a.py" in text


@pytest.mark.parametrize("rules", [RULES, OTHERS])
def test_rules_of_any_tongue_stand_beside_much_else(opened: Open, rules: list[str]) -> None:
    """Changes, failures and small talk take none of the room of what was laid down."""
    ctx = opened(window=200_000)
    ctx.user("Mend the parser.")
    for number in range(36):
        if number % 4 == 0:
            ctx.user(rules[number // 4])
        busy(ctx, number)
    text = told(ctx, 1_350)
    assert [rule for rule in rules if rule not in text] == []
    assert "checks that fail" in text
    assert "changed by you" in text


def test_long_rules_are_begun_before_one_leaves(opened: Open) -> None:
    """Of rules too long to stand whole the first clauses stand, under the message that has the
    rest, and that what follows may limit them."""
    ctx = opened(window=200_000)
    ctx.user("Mend the parser.")
    for number in range(8):
        middle = ", and as was said before of this and of that" * 9
        ctx.user(f"Never touch folder number {number}{middle} except on day {number}.")
        busy(ctx, number)
    text = told(ctx, 1_350)
    for number in range(8):
        line = next(one for one in text.splitlines() if f"folder number {number}" in one)
        assert line.strip().startswith("user_")
        assert line.endswith(LIMITED)


def test_an_older_rule_takes_no_room_a_newer_one_lacks(opened: Open) -> None:
    """Where not even short rules all fit, those that stand are the newest, the others counted."""
    ctx = opened(window=200_000)
    ctx.user("Mend the parser.")
    for number in range(60):
        ctx.user(f"Never touch folder number {number} of the archive below the old {number}.")
        step(ctx)
    text = told(ctx, 500)
    stand = [number for number in range(60) if f"folder number {number} " in text]
    assert stand == list(range(60 - len(stand), 60))
    assert len(stand) > 5
    assert f"{60 - len(stand)} sentences more on its page" in text


MADE = (
    "The name of server {i} is host-{i}, please do not restart it, and its limit should be {i}5.",
    "You may refactor client {i} as you see fit and also rename its helpers, but under no"
    " circumstances delete its old retry code, since billing {i} depends on it in production.",
    "For module {i} leave the public names alone in every case, including those that look unused,"
    " and never change what they return, because customers import them.",
    "Räume pkg{i} auf, aber lösche nichts unter pkg{i}/generated, weil der Build es braucht.",
    "Si les tests {i} passent, déploie le service, mais jamais le vendredi, car personne n'est là.",
    "你可以重构客户端{i}，但是绝对不要删除旧的重试代码，因为计费{i}在生产中需要它。",
)


@given(st.lists(st.sampled_from(MADE), min_size=12, max_size=40), st.integers(200, 900))
@settings(max_examples=25)
def test_what_is_shown_of_a_sentence_says_what_it_says(wordings: list[str], room: int) -> None:
    """It stands whole, or without the reason at its end, marked; the others are counted."""
    said = {at: wording.format(i=at) for at, wording in enumerate(wordings, 1)}
    turns = [
        UserTurn(at, Text(0, len(text), text), 0, facts=facts_of_user(text))
        for at, text in said.items()
    ]
    text = digest_of(turns, DigestRoom(room), counter_for()).text
    shown = {
        int(found[1]): found[2]
        for found in re.finditer(r"user_(\d+)(?: \(the latest up to here\))?: (.*)", text)
    }
    for at, words in shown.items():
        reason = re.split(r"(?:, (?:since|because|weil|car) |，因为)", said[at])[0]
        assert words in (said[at], reason + CUT)
    left = re.search(r"(\d+) sentences? more on its page", text)
    assert len(shown) + int(left[1] if left else 0) == len(said)
