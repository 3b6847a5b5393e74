"""What a message of a few words answers, read from the digest it stands in."""

import loom
from loom.compress.digest.digest import DigestRoom, make_digest
from loom.providers.counts import counter_for
from tests.kit.cases import all_cases
from tests.kit.opened import Open

OFFER = (
    'Two bugs.\n\nShall I mend these?\n1. **The cache** is kept.\n2. The log says "ok" too early.'
)


def told(ctx: loom.Context, since: int = 0) -> list[str]:
    """The lines of what the user said, in the digest of all entries from so many on."""
    entries = tuple(ctx.window.history.stream.entries)[since:]
    text = make_digest(entries, DigestRoom(1_500, 500), counter_for()).text
    return [line.strip() for line in text.splitlines() if line.strip().startswith("user_")]


def replied(ctx: loom.Context, reply: str, answer: str) -> None:
    """A reply of the agent's without a call, and what the user said to it."""
    ctx.turn()
    ctx.reply({"role": "assistant", "content": reply})
    ctx.user(answer)


@all_cases(
    ("reply", "answer", "line"),
    [
        ("Done.", "Now write the docs.", "Now write the docs."),
        (OFFER, "Leave both as they are, and write down why, please.",
         "Leave both as they are, and write down why, please."),
        (OFFER, "just 2", "just 2 (answers \"Shall I mend these? 1. **The cache** is kept. "
         "2. The log says 'ok' too early.\", step_0002)"),
        ("I would mend the cache next.", "no", "no"),
        ("I mended it.", "all tests must pass", "all tests must pass"),
    ],
)  # fmt: skip
def test_an_answer_has_its_question(opened: Open, reply: str, answer: str, line: str) -> None:
    """A few words stand with what was asked, in quotes and by the name of the reply."""
    ctx = opened(window=200_000)
    ctx.user("Look for bugs in the store.")
    replied(ctx, reply, answer)
    assert told(ctx)[-1] == f"user_0003 (the latest up to here): {line}"


def test_an_answer_whose_question_was_folded_names_it(opened: Open) -> None:
    """Where the text of the reply has left, its name leads to it."""
    ctx = opened(window=200_000)
    ctx.user("Look for bugs in the store.")
    replied(ctx, OFFER, "yes")
    entries = tuple(ctx.window.history.stream.entries)
    first = make_digest(entries[:2], DigestRoom(1_500), counter_for())
    text = make_digest((first, *entries[2:]), DigestRoom(1_500), counter_for()).text
    assert "yes (answers step_0002)" in text


@all_cases(
    ("message", "line"),
    [
        ("👍", "user_0002 (the latest up to here): (👍)"),
        ("<command-name>/review</command-name>\n<command-args>it</command-args>",
         "user_0002 (the latest up to here): /review it"),
        ("<command-name>/exit</command-name>", "user_0001 (the latest up to here): Do a and b."),
        ("<bash-input>git pull</bash-input>", "user_0002: ran by the user: `git pull`"),
    ],
)  # fmt: skip
def test_the_latest_request_is_what_the_user_sent_last(
    opened: Open, message: str, line: str
) -> None:
    """A slash command is one, and a message without a word; what the user ran is none."""
    ctx = opened(window=200_000)
    ctx.user("Do a and b.")
    ctx.user(message)
    lines = told(ctx)
    assert lines[-1] == line
    assert sum("latest" in one for one in lines) == 1


def test_a_yes_stands_behind_no_half_question(opened: Open) -> None:
    """A long question is told by whole clauses, and says so: what was left out might be what was
    said no to."""
    ctx = opened(window=200_000)
    ask = (
        f"Shall I delete the old table of the shop, {'and what hangs on it, ' * 9}but not the log?"
    )
    replied(ctx, ask, "Yes.")
    line = told(ctx)[-1]
    assert "delete the old table of the shop" in line
    assert "(cut: the rest may limit this)" in line
