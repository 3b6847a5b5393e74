"""Whose words are whose when a client compacts its list: those of the user before it, and what a
client writes in their place."""

from pathlib import Path
from typing import Any

import pytest

import loom
from loom.compress.digest.entry_facts import TYPED, collect_facts
from tests.kit.cases import all_cases

RULE, AFTER = "Never touch config/secret.yaml, whatever happens.", "Now audit the parser."
SUMMED = "Summary:\n1. The router was read. " + "It is as it was. " * 40
READ = "Called the Grep tool with: a.py\nIt gave:\n1\t# Never call this twice.\n2\tx = 1"
SKILLS = "These skills are there:\n\n- audit: must be used before a release."
GO_ON = "Go on from where you stopped."
NOTE = "<system-reminder>\nToday is Monday.\n</system-reminder>\n"


def user(*texts: str) -> dict[str, Any]:
    """A message of the user's role, of several texts."""
    return {"role": "user", "content": [{"type": "text", "text": one} for one in texts]}


def said(text: str) -> dict[str, Any]:
    """A reply."""
    return {"role": "assistant", "content": [{"type": "text", "text": text}]}


def system(text: str) -> dict[str, Any]:
    """A system message among the others."""
    return {"role": "system", "content": text}


# What clients list after they compacted: Claude Code 2.1 resumed, and in one process; others.
SHAPES = {
    "resumed": [
        user(NOTE, SUMMED), said("It is."), user(GO_ON), system(READ), said("None."), user(AFTER),
        system(SKILLS),
    ],
    "in one process": [user(NOTE, SUMMED), said("It is."), user(NOTE, AFTER), system(READ)],
    "one message": [user(NOTE, SUMMED, NOTE, AFTER), system(READ)],
    "messages": [user(SUMMED), user(READ), user(SKILLS), user(GO_ON), user(AFTER)],
    "kept": [user(SUMMED), system(READ), user(READ), user("Q2"), said("It is."), user(AFTER)],
}  # fmt: skip


@pytest.fixture
def ctx(tmp_path: Path):
    """A context that has a session of a few turns, which forbade something."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as made:
        listed = [user(RULE), said("I will not."), user("Q2"), said("It is.")]
        for at in (1, 3):
            made.sync(listed[:at], "anthropic")
        yield made


def digest(ctx: loom.Context) -> str:
    """What a digest of all that stands tells as said by the user."""
    facts = collect_facts(ctx.window.history.stream.entries)
    return "\n".join(one.text for one in facts if one.kind in TYPED)


def grown(ctx: loom.Context, shape: str) -> list[Any]:
    """Give a list that was compacted, and then some turns more."""
    listed = [*SHAPES[shape]]
    ctx.sync(listed, "anthropic", compacted=True)
    for at in range(3):
        listed += [said(f"a{at} " + "It is read. " * 40), user(f"Step {at}.")]
        ctx.sync(listed, "anthropic")
    return listed


@all_cases("shape", [*SHAPES])
def test_a_compaction_keeps_what_the_user_said(ctx: loom.Context, shape: str) -> None:
    """The user's words before it stand in the digest, and none of those the client put there."""
    grown(ctx, shape)
    told = digest(ctx)
    assert RULE in told and AFTER in told
    found = [one for one in ("Called the", "twice", "audit:", "Go on", "router was") if one in told]
    assert found == []


@all_cases("shape", [*SHAPES])
def test_a_client_writes_its_own_words_anew(ctx: loom.Context, shape: str) -> None:
    """Files it reads again, listed otherwise the next time, undo nothing that was said before."""
    listed = grown(ctx, shape)
    at = next(at for at, one in enumerate(listed) if READ in _texts(one))
    listed[at] = {"role": listed[at]["role"], "content": READ.replace("x = 1", "x = 2")}
    request = str(ctx.sync([*listed, said("a3"), user("And now?")], "anthropic").request())
    assert RULE in request and "x = 2" in request and "undone" not in request
    told = digest(ctx)
    assert RULE in told and "Step 2." in told and "Called the" not in told


def test_instructions_are_not_what_the_user_said(ctx: loom.Context) -> None:
    """A file that a client lists as a system message leaves what the user said its room."""
    code = "".join(f"{at}\t# It must never be {at}.\n" for at in range(2_000))
    listed = [user(RULE), said("I will not."), user("Q2"), system(code)]
    for at in range(4):
        ctx.sync(listed, "anthropic")
        listed += [said(f"a{at} " + "It is read. " * 40), user(f"Step {at}.")]
    told = digest(ctx)
    assert RULE in told and "must never be" not in told


def _texts(message: dict[str, Any]) -> list[str]:
    content = message["content"]
    return [content] if isinstance(content, str) else [one["text"] for one in content]
