"""The parts of a digest: what is kept, in which order it stands, and what fits."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.compress.digest_facts import CORE, FIRST, INDEX, NAMES, body, merged
from loom.providers.counts import counter_for
from loom_partitions.message import Digest, Fact

COUNT = counter_for()
ROOM = 100_000  # tokens: more than everything takes
SAID = CORE[0]
KINDS = [kind for group in CORE for kind in group.kinds]
FACTS = st.lists(
    st.builds(
        Fact, st.sampled_from([*KINDS, "path", "symbol", "command"]),
        st.integers(0, 40).map("this is said {}".format),
    ),
    max_size=60,
)  # fmt: skip


def digest(id: int, *facts: Fact) -> Digest:
    """A digest with these facts."""
    return Digest(id, id, id, "", 1, "outputs/digest_0001.md", steps=1, facts=facts)


def kept(*facts: Fact) -> list[Fact]:
    """What one digest keeps of these facts."""
    return list(merged([digest(1, *facts)]))


def shown(facts: list[Fact], room: int = ROOM) -> list[str]:
    """The lines under the headings of the facts, without the headings."""
    lines = body(facts, CORE, room, COUNT).split("\n")
    return [line.strip() for line in lines if line.startswith("  ")]


@given(FACTS)
def test_what_the_user_said_is_one_list_in_its_order(facts: list[Fact]) -> None:
    """Rules, questions and all else stand as they came, each where it was said last."""
    said = [fact for fact in facts if fact.kind in SAID.kinds]
    last = {fact: at for at, fact in enumerate(said)}
    expected = sorted(last, key=lambda fact: last[fact])
    assert [fact for fact in kept(*facts) if fact.kind in SAID.kinds] == expected
    lines = shown([fact for fact in kept(*facts) if fact.kind in SAID.kinds])
    assert lines == [fact.text for fact in expected]


@given(FACTS, st.integers(0, 60))
def test_two_folds_keep_what_one_keeps(facts: list[Fact], at: int) -> None:
    """Folding a digest with what came after it keeps the same facts in the same order."""
    once = kept(*facts)
    early = merged([digest(1, *facts[:at])])
    assert list(merged([digest(1, *early), digest(2, *facts[at:])])) == once
    assert kept(*once) == once


def test_of_very_much_both_ends_are_kept() -> None:
    """A group is bounded: its oldest facts and its newest stay."""
    facts = [Fact("user", f"sentence {n}") for n in range(1_000)]
    found = kept(*facts)
    assert found == facts[: SAID.oldest] + facts[-(SAID.most - SAID.oldest) :]
    errors = [Fact("error", f"error {n}") for n in range(100)]
    assert kept(*errors) == errors[-10:]


@given(st.integers(0, 3_000), st.integers(1, 80), st.data())
def test_rules_are_kept_first(room: int, count: int, data: st.DataObject) -> None:
    """When room is short: the oldest few, then every rule, then what else the user said, newest
    first; what stays stands in the order it was said.
    """
    kinds = data.draw(st.lists(st.sampled_from(SAID.kinds), min_size=count, max_size=count))
    facts = [Fact(kind, f"the {n:03d}. thing of all") for n, kind in enumerate(kinds)]
    lines = shown(facts, room)
    texts = [fact.text for fact in facts]
    assert lines == [text for text in texts if text in lines]
    stays = {fact for fact in facts if fact.text in lines}
    head, rest = facts[:FIRST], facts[FIRST:]
    assert not stays & set(rest) or stays >= set(head)
    for kind, later in (("rule", ("user", "question")), ("user", ("question",))):
        left = [fact for fact in rest if fact.kind == kind and fact not in stays]
        assert not left or not any(f.kind in later for f in stays & set(rest))
    for kind in SAID.kinds:
        mine = [fact for fact in rest if fact.kind == kind]
        standing = [fact in stays for fact in mine]
        assert standing == sorted(standing)


@given(FACTS, st.integers(0, 2_000))
def test_a_body_fits_its_room(facts: list[Fact], room: int) -> None:
    """Whatever the facts, they take no more than the room they are given."""
    for groups in (CORE, INDEX):
        text = body(kept(*facts), groups, room, COUNT)
        assert COUNT(text) <= room
        assert text == "" or text.startswith("\n ")


def test_no_group_starves_the_others() -> None:
    """Where the user said a lot there is room left for what was decided and what failed."""
    facts = [Fact("user", f"this is sentence {n} of very many") for n in range(200)]
    facts += [Fact("decision", "SQLite it is."), Fact("error", "E: gone")]
    text = body(facts, CORE, 600, COUNT)
    assert "\n decided:\n  SQLite it is." in text
    assert "\n errors:\n  E: gone" in text


@pytest.mark.parametrize(
    ("numbers", "left"),
    [
        ([], []),
        (["port = 1", "port = 2"], ["port = 2"]),
        (["timeout: 30", "timeout: 5"], ["timeout: 5"]),
        (["set port = 1", "port=2"], ["port=2"]),
        (["port = 1", "ports = 2"], ["port = 1", "ports = 2"]),
        (["give it 500 ms", "give it 600 ms"], ["give it 500 ms", "give it 600 ms"]),
        (["port = 1", "other = 3", "port = 2"], ["other = 3", "port = 2"]),
    ],
)
def test_of_a_setting_the_newest_number(numbers: list[str], left: list[str]) -> None:
    """A setting that was given anew takes the place of the old one; measures stand each."""
    assert kept(*(Fact("number", text) for text in numbers)) == [
        Fact("number", text) for text in left
    ]


@pytest.mark.parametrize(
    "numbers",
    [
        ("Note: give it 500 ms", "Note: at 20 MB"),
        ("see https://a.io wait 5 s", "or https://b.io 10 MB"),
        ("from 10:30 on 5 times", "at 10:45 just 3 users"),
    ],
)
def test_measures_are_no_settings(numbers: tuple[str, str]) -> None:
    """A number that does not follow the sign of a setting is one of its own."""
    facts = [Fact("number", text) for text in numbers]
    assert kept(*facts) == facts


def test_names_are_one_fact() -> None:
    """All names stand in one line, each once, however many facts they came in."""
    facts = [Fact("name", "a_1 b_2"), Fact("user", "one two three"), Fact("name", "b_2 c_3")]
    names = [fact for fact in kept(*facts) if fact.kind == "name"]
    assert [sorted(fact.text.split()) for fact in names] == [["a_1", "b_2", "c_3"]]
    assert body(names, INDEX, ROOM, COUNT).startswith("\n names: ")


@given(st.lists(st.integers(0, 900).map("name_{}".format), max_size=900))
def test_the_newest_names_stay(said: list[str]) -> None:
    """Of names that came one by one the newest NAMES are kept, the newest last."""
    found = kept(*(Fact("name", name) for name in said))
    newest = list(islice(dict.fromkeys(reversed(said)), NAMES))[::-1]
    assert found == ([Fact("name", " ".join(newest))] if said else [])


def test_names_keep_their_order_fold_after_fold() -> None:
    """Folding a digest again changes nothing, so that the oldest names leave and not the newest."""
    once = kept(*(Fact("name", f"name_{n}") for n in range(NAMES)))
    assert kept(*once) == once
    (fact,) = kept(*once, Fact("name", "newest_1"))
    assert fact.text.split() == [*once[0].text.split()[1:], "newest_1"]


def files(count: int, folder: str) -> list[Fact]:
    """Files of one folder, as an index names them."""
    return [Fact("file", f"{folder}/src/part_{n}.py", f"read_{n:04d}") for n in range(count)]


def test_files_stand_under_their_whole_names_while_they_fit() -> None:
    """With room for the newest files no folder is taken off."""
    facts = files(30, "/srv/made/project")
    text = body(facts, INDEX, ROOM, COUNT)
    assert "\n files:\n" in text
    assert all(f"\n  {fact.text}: {fact.refs}" in text for fact in facts)


def test_files_that_do_not_fit_are_named_from_their_folder() -> None:
    """Short of room the folder is named once, and more files have a line."""
    facts = files(30, "/srv/with/a/long/way/to/the/other/project")
    text = body(facts, INDEX, 500, COUNT)
    assert "\n files (in /srv/with/a/long/way/to/the/other/project/):\n  src/part_" in text
    assert "src/part_29.py: read_0029" in text
    assert COUNT(text) <= 500
    assert text.count("/srv/") == 1


def test_a_path_that_is_a_file_is_named_once() -> None:
    """What the index names is not named among the other paths and commands again."""
    facts = [Fact("path", "a.py"), Fact("path", "b.py"), Fact("command", "make")]
    facts += [Fact("file", "a.py", "read_0001"), Fact("ran", "make", "step_0002")]
    found = kept(*facts)
    assert [(fact.kind, fact.text) for fact in found] == [
        ("file", "a.py"),
        ("ran", "make"),
        ("path", "b.py"),
    ]
