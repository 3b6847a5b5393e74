"""What the user laid down keeps its room in a digest, whatever else there is to tell."""

from __future__ import annotations

import json

import loom
from loom.compress.digest.digest import DigestRoom, digest_of
from loom.providers.counts import counter_for
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


def test_rules_of_any_tongue_stand_beside_much_else(opened: Open) -> None:
    """Changes, failures and small talk take none of the room of what was laid down."""
    ctx = opened(window=200_000)
    ctx.user("Mend the parser.")
    for number in range(36):
        if number % 4 == 0:
            ctx.user(f"{RULES[number // 4]}")
        busy(ctx, number)
    text = told(ctx, 700)
    assert [rule for rule in RULES if rule not in text] == []
    assert "checks that fail" in text
    assert "changed by you" in text


def test_long_rules_are_written_shorter_before_one_leaves(opened: Open) -> None:
    """Of rules too long to stand whole both ends stand, under the message that has the rest."""
    ctx = opened(window=200_000)
    ctx.user("Mend the parser.")
    for number in range(8):
        middle = ", and as was said before of this and of that" * 9
        ctx.user(f"Never touch folder number {number}{middle} except on day {number}.")
        busy(ctx, number)
    text = told(ctx, 700)
    for number in range(8):
        line = next(one for one in text.splitlines() if f"folder number {number}" in one)
        assert line.strip().startswith("user_")
        assert f"except on day {number}." in line
        assert " … " in line


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
