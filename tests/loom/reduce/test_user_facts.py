"""What the user typed, told apart from what a client, a file or a tool put into a message."""

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.client_notes import SKILL, voice_of
from loom.reduce.user_facts import BEGUN, FIRST, LAST, MOST, OTHER, PASTED, facts_of_user
from loom_partitions.message import Fact
from tests.kit.cases import all_cases


def told(facts: tuple[Fact, ...]) -> list[tuple[str, str]]:
    """Facts as plain pairs."""
    return [(fact.kind, fact.text) for fact in facts]


@all_cases(
    ("text", "facts"),
    [
        ("- Never push to main.", [("rule", "- Never push to main.")]),
        ("1. use tabs\n2. You must test it", [("user", "1. use tabs"),
         ("rule", "2. You must test it")]),
        ("Fine. Don't edit it! Ok", [("user", "Fine."), ("rule", "Don't edit it!"),
         ("user", "Ok")]),
        ("不要修改测试。谢谢", [("rule", "不要修改测试。"), ("user", "谢谢")]),
        ("Should we ship?", [("question", "Should we ship?")]),
        ("Use tabs.", [("user", "Use tabs.")]),
        ("see src/a.py:12", [("user", "see src/a.py:12")]),
        ("# Plan\nGo.", [("heading", "# Plan"), ("user", "Go.")]),
        ("```py\n  x = 1\n```", [("code", "  x = 1")]),
        ("```sh\nmake\n```", [("code", "make")]),
        ("<system-reminder>Never do it.</system-reminder>Go on.", [("user", "Go on.")]),
        ("<system-reminder>not closed", [("user", "<system-reminder>not closed")]),
        ("[Request interrupted by user]\nStop it.",
         [("user", "[Request interrupted by user]"), ("user", "Stop it.")]),
        ("<command-name>/debug</command-name><command-args>Never push.</command-args>",
         [("rule", "/debug Never push.")]),
        ("<command-message>pr</command-message>\n<command-name>/pr</command-name>",
         [("user", "/pr")]),
        ("<bash-input>git push. Never! {x}</bash-input><bash-stdout>ok</bash-stdout>",
         [("user", "ran by the user: `git push. Never! {x}`")]),
        ("<command-args></command-args>", []),
        ("<task>Fix it.</task>", [("user", "<task>Fix it.</task>")]),
    ],
)  # fmt: skip
def test_facts_of_a_user(text: str, facts: list[tuple[str, str]]) -> None:
    """Every sentence, however short; headings, steps and code as what they are."""
    found = told(facts_of_user(text))
    assert found[: len(facts)] == facts


def test_what_was_typed_behind_a_skill_is_the_users() -> None:
    """Of a client's skill text only the words behind its name are; of another document none."""
    text = f"{SKILL}/skills/x\n\nAlways be brief.\nARGUMENTS: Never push.\n"
    assert told(facts_of_user(text, voice_of(text))) == [("rule", "Never push.")]
    assert facts_of_user(text.partition("\nARG")[0], "document") == ()
    assert facts_of_user("A page.\nARGUMENTS: Never push.", "document") == ()


@all_cases(
    ("voice", "kinds"),
    [("", {"rule"}), ("observation", {"observation"}), ("summary", {"told"}), ("document", set())],
)
def test_other_voices_lay_down_no_rule(voice: str, kinds: set[str]) -> None:
    """What a tool, a client's summary or a file says is told as theirs, or not at all."""
    assert {fact.kind for fact in facts_of_user("You must always say yes.", voice)} == kinds


@given(st.lists(st.sampled_from(["Do a thing.", "Never do b.", "# C", "Is it d?"]), max_size=400))
def test_of_a_long_message_what_binds_stays(lines: list[str]) -> None:
    """Rules, questions and headings stay; of plain lines both ends, and what is left is counted."""
    numbered = [f"{line[:-1]} {n}{line[-1]}" for n, line in enumerate(lines)]
    facts = facts_of_user("\n".join(numbered))
    kept = [fact for fact in facts if fact.kind != "more"]
    left = sum(fact.times for fact in facts if fact.kind == "more")
    assert len(kept) + left == len(lines)
    assert len(kept) <= MOST
    plain = [fact for fact in kept if fact.kind == "user"]
    assert len(plain) <= FIRST + LAST
    if len(lines) <= MOST:
        said = [f for f in numbered if not f.startswith("Do")]
        assert [fact.text for fact in kept if fact.kind != "user"] == said


def test_of_a_long_paste_both_ends_stay() -> None:
    """Of the lines of a log its first and its last stay; the fact at the end counts the others."""
    log = "\n".join(f"ERROR you must never restart node {n}" for n in range(200))
    facts = facts_of_user(f"Why?\n\n{log}\n\nNever push to main.")
    assert [fact.kind for fact in facts].count("code") == sum(PASTED)
    assert [fact.text for fact in facts if fact.kind == "rule"] == ["Never push to main."]
    assert facts[-1].kind == "more" and facts[-1].times == 200 - sum(PASTED)


def test_of_too_many_rules_both_ends_stay() -> None:
    """A message with more rules than are kept keeps its first and its last, and counts the rest."""
    rules = [f"Never open door {number}." for number in range(MOST + 60)]
    talk = [f"Door {number} is green." for number in range(20)]
    facts = facts_of_user("\n".join((*talk, *rules, *talk)))
    kept = [fact.text for fact in facts if fact.kind != "more"]
    assert kept == [*rules[: MOST // 2], *rules[-MOST // 2 :]]
    assert [fact.times for fact in facts if fact.kind == "more"] == [60 + 2 * len(talk)]


def test_both_ends_of_a_clients_summary_stay() -> None:
    """Its head says what was asked, its end what was pending; the middle is counted."""
    lines = [f"- point number {n}" for n in range(200)]
    code = "```go\nx := 1\n```"  # a file as it was then
    facts = facts_of_user("\n".join((*lines[:1], code, *lines[1:], code)), "summary")
    said = [fact.text for fact in facts]
    assert len(said) == OTHER + 1
    assert said[:BEGUN] == lines[:BEGUN]
    assert said[BEGUN + 1 :] == lines[-(OTHER - BEGUN) :]
    assert f"{200 - OTHER} lines" in said[BEGUN]


def test_what_is_pasted_lays_down_nothing() -> None:
    """Lines of a log stand as they were, and none of them is a rule or a question."""
    text = "Why does it say so?\n\nERROR you must not push\nERROR only one?\n\nNever hide it."
    assert [fact.kind for fact in facts_of_user(text)] == ["question", "code", "code", "rule"]
