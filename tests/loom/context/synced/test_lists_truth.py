"""A request holds what the list holds, in its order, whatever repeats, moves, comes or goes."""

import random
from pathlib import Path

import pytest

import loom
from loom.context.synced.list_plan import ListFate, plan_list
from loom.providers.formats.blocks import RESUMES
from loom_partitions.journaled import SyncedMessage
from tests.kit.chat_lists import called, result, said, user
from tests.kit.hosts import unheaded
from tests.kit.journal import lawful

LONG = "Never touch prod. " * 30
SAID = ("Start.", "Continue.", "Yes.", LONG)
PLAIN = loom.Policy(own_tools=False)


def made(path: Path) -> loom.Context:
    """A context with room for all a test lists."""
    return loom.open(path, window=64_000, durable=False, policy=PLAIN)


def edited(dice: random.Random, given: list[str]) -> list[str]:
    """The words of a list with some put in, taken out, said again or moved."""
    now = [*given]
    for _ in range(dice.randint(1, 3)):
        at = dice.randrange(len(now) + 1)
        match dice.choice(("insert", "repeat", "delete", "move")):
            case "insert":
                now.insert(at, dice.choice(SAID))
            case "repeat" if now:
                now.insert(at, dice.choice(now))
            case "delete" if len(now) > 1:
                del now[dice.randrange(len(now))]
            case "move" if now:
                now.insert(at, now.pop(dice.randrange(len(now))))
            case _:
                pass
    return now


def wires(words: list[str]) -> list[dict[str, str]]:
    """Messages of the user, and replies where a word is one of a model."""
    return [said(one) if one.startswith("A") else user(one) for one in words]


def sent(ctx: loom.Context, words: list[str], format: str) -> list[tuple[str, str]]:
    """What a request says of a list, a role and a text each, but for the head and Loom's blocks."""
    mark = ctx.window.config.mark
    found = []
    for one in ctx.sync(wires(words), format, compacted=False).request(format)["messages"]:
        content = one["content"]
        parts = [content] if isinstance(content, str) else [part["text"] for part in content]
        told = [(one["role"], unheaded(text).strip()) for text in parts]
        found += [pair for pair in told if mark not in pair[1] and pair[0] != "system"]
    # Anthropic's lists begin with the user: where a host's does not, an opener stands before it.
    return found[1:] if found[0] == ("user", RESUMES) else found


@pytest.mark.parametrize("format", ["openai", "anthropic"])
@pytest.mark.parametrize("seed", range(12))
def test_a_request_is_its_list(tmp_path: Path, format: str, seed: int) -> None:
    """However a host changes its list: nothing is left out, said twice or in another's name."""
    dice = random.Random(seed)
    words = [dice.choice((*SAID, "A1", "A2", "A3")) for _ in range(5)]
    with made(tmp_path / "w") as ctx:
        for _ in range(8):
            words = edited(dice, words)
            expected = [(one["role"], one["content"].strip()) for one in wires(words)]
            assert sent(ctx, words, format) == expected
            assert lawful(ctx) == []


def test_a_list_that_only_moves_or_repeats_is_no_compaction() -> None:
    """No message of it is gone, or one stands once more: unasked it is an edit, too."""
    role = {"u": "user", "a": "assistant"}
    for known, given in (
        ("a1 u1", "u1 a1 u1"),
        ("u1 a1 u2", "u2 u1 a1"),
        ("u1 a1 a2 u2 a3 u3", "u1 u3 u2 a3 u3"),
        ("u1 a1 u2 a2", "a1 u1 u2 a2"),
    ):
        one, two = (
            [SyncedMessage(key, role[key[0]], 900) for key in line.split()]
            for line in (known, given)
        )
        keep = next(at for at, pair in enumerate(zip(one, two, strict=False)) if pair[0] != pair[1])
        assert plan_list(one, two, keep, None, 0, 0, lambda _: True).how is ListFate.EDITED, given


def test_results_without_an_id_are_those_of_the_calls_without_one(tmp_path: Path) -> None:
    """By their place, as in formats that have no ids; the list may come in two parts."""
    pair = called(("", "x", '{"a": 1}'), ("", "x", '{"a": 2}'))
    head = [user("hi"), pair, result("", "one"), result("", "two")]
    with made(tmp_path / "w") as ctx:
        for given in (head, [*head, said("ok"), pair, result("", "three"), result("", "four")]):
            wire = ctx.sync(given, compacted=False).request("openai")["messages"]
            assert lawful(ctx) == []
        told = [one["content"] for one in wire if one["role"] == "tool"]
        assert told == ["one", "two", "three", "four"]


def test_instructions_taken_out_of_the_list_hold_no_more(tmp_path: Path) -> None:
    """A notice says so until the next cut; no empty block stands for them, and it is told once."""
    rule = {"role": "system", "content": "OLD rule"}
    with made(tmp_path / "w") as ctx:
        ctx.sync([rule, user("hi")], compacted=False)
        for now in ([user("hi")], [user("hi"), rule, user("b")]):
            found = str(ctx.sync(now, compacted=False).request("openai")["messages"])
            assert found.count("removed: instructions of the list") == 1
            assert "changed: instructions of the list" not in found
        ctx.renew()
        asked = ctx.turn().request("openai")["messages"]
        assert not any("OLD rule" in str(one) for one in asked if one["role"] == "system")
