"""What the user laid down keeps its room in a digest, whatever else there is to tell."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from loom.compress.digest.digest import DigestRoom, make_digest
from loom.providers.counts import counter_for
from loom.reduce.clauses import CUT
from loom.reduce.user_facts import facts_of_user
from loom_partitions.message import Text, UserTurn

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
    text = make_digest(turns, DigestRoom(room), counter_for()).text
    shown = {
        int(found[1]): found[2]
        for found in re.finditer(r"user_(\d+)(?: \(the latest up to here\))?: (.*)", text)
    }
    for at, words in shown.items():
        reason = re.split(r"(?:, (?:since|because|weil|car) |，因为)", said[at])[0]
        assert words in (said[at], reason + CUT)
    left = re.search(r"(\d+) more lines not shown here", text)
    assert len(shown) + int(left[1] if left else 0) == len(said)
