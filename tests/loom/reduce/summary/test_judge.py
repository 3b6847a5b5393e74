"""An answer is taken or refused, with the reason on one line."""

from __future__ import annotations

import json

from loom.reduce.summary.judge import CUT, Summarized, judge_answer
from tests.kit.cases import all_cases

PAYLOAD = "job-1 done\n" * 500 + f"all well and good, it is, 它很好 {'w' * 64}\n"


def judge(given: object, structure: str = "s" * 400, limit: int = 200) -> Summarized:
    """The judgement of an answer about PAYLOAD."""
    return judge_answer(given, PAYLOAD, structure, limit=limit, allowed="", note="[note]")


@all_cases("said", ["", "...", "\ud800", "- \n—", "```\n```"])
def test_an_empty_answer_says_nothing(said: str) -> None:
    """Signs without a word name nothing that could be refused, and stand for nothing."""
    assert judge(said) == Summarized("s" * 400, "structure", "answered nothing")


def test_no_longer_than_what_it_replaces() -> None:
    """An answer longer than the structural reduction is refused."""
    done = judge("well and good, " * 10, structure="short")
    assert done == Summarized(
        "short", "structure", "answered 149 characters, more than the 5 they replace"
    )


@all_cases(
    ("given", "end"),
    [
        ("it is well. " * 25, f"well.{CUT}"),
        ("它很好。" * 80, f"它很好。{CUT}"),
        ("all well\n" * 40, f"all well{CUT}"),
        ("w" * 300, "w" * 199 + "…"),
    ],
)
def test_too_long_is_cut_where_something_ends(given: str, end: str) -> None:
    """Up to twice the limit: whole sentences or lines, and a sign that it was cut."""
    text = judge(given).text.removesuffix("\n[note]")
    assert text.endswith(end) and len(text) <= 200


ORDERS = json.dumps([{"id": f"ord-{n}", "state": "open", "ms": n} for n in range(900)])
PAGE = (
    "The proxy keeps each answer for as long as its header says, and asks again after that.\n" * 90
)


@all_cases("payload", [ORDERS, PAGE, "接続は閉じられました。\n" * 300])
@all_cases(
    "said",
    [
        "Error generating summary: 429 rate limited",
        "I'm sorry, I can't help with that.",
        "No previous actions to summarize.",
        "申し訳ありませんが、お手伝いできません。",
        "Извините, я не могу с этим помочь.",
    ],
)
def test_what_speaks_of_something_else_is_refused(payload: str, said: str) -> None:
    """The text of a client's error, or an apology, is no summary in any language."""
    done = judge_answer(said, payload, "s" * 400, limit=2_000, allowed="counts: 429 items", note="")
    assert done.by == "structure" and done.why


@all_cases(
    ("payload", "said"),
    [
        (ORDERS, "Alles offen bis auf ord-71."),
        (ORDERS, "The state of every id is open."),
        ("接続は閉じられました。\n" * 300, "接続は閉じられた"),
    ],
)
def test_what_speaks_of_it_is_taken(payload: str, said: str) -> None:
    """By an id of it whatever the language, or by its words."""
    assert judge_answer(said, payload, "s" * 400, limit=2_000, allowed="", note="").by == "model"


def test_a_reason_is_one_line() -> None:
    """However much is ungrounded, the reason is short, and all that is told is kept."""
    done = judge("\n".join(f"job-{n} is lost, {'x' * 40}" for n in range(2, 30)), limit=1_600)
    assert len(done.ungrounded) == 16 and "\n" not in done.why and len(done.why) < 200
