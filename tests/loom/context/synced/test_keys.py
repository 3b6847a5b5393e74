"""What a message is known by: what it says, however it is written."""

from __future__ import annotations

from typing import Any

from loom.context.synced.keys import known_by
from loom.providers.formats.listing import listed
from tests.kit.cases import all_cases
from tests.kit.hosts import FORMATS, Called, Replied, Resulted, Spelling, Told, User, wire

SAID = Called("c1", "bash", "ls")
LIST: list[Told] = [User(("Go on.",)), Replied("I look.", (SAID,)), Resulted(SAID, "a\nb")]


def keys(format: str, messages: list[dict[str, Any]], salt: str = "xm01") -> list[str]:
    """What the messages of a list are known by."""
    return [known_by(one, salt).key for one in listed(format, messages)]


@all_cases("format", FORMATS)
@all_cases("at", range(3))
def test_how_it_is_written_does_not_count(format: str, at: int) -> None:
    """Marks of caches, texts as parts, and the spelling of arguments say nothing."""
    how = Spelling(marked=at == 0, parts=at == 1, spaced=at == 2)
    assert keys(format, wire(format, LIST, how)) == keys(format, wire(format, LIST))


@all_cases("format", FORMATS)
def test_what_it_says_does(format: str) -> None:
    """Another text, call, argument or result is another message."""
    other = Called("c1", "bash", "pwd")
    said = [keys(format, wire(format, [*LIST[:at]]))[-1:] for at in (1, 2, 3)]
    said += [
        keys(format, wire(format, told))[-1:]
        for told in (
            [User(("Go on!",))],
            [User(("Go on.",), image=True)],
            [User(("Go on.",)), Replied("I see.", (SAID,))],
            [User(("Go on.",)), Replied("I look.", (other,))],
            [User(("Go on.",)), Replied("I look.")],
            [*LIST[:2], Resulted(SAID, "a\nc")],
        )
    ]
    found = [one for keys in said for one in keys]
    assert len({*found}) == len(found)


def test_a_salt_makes_another_hash() -> None:
    """A hash cannot be looked up in another workspace."""
    messages = wire("openai", LIST)
    assert not {*keys("openai", messages)} & {*keys("openai", messages, "xm02")}


def test_usage_and_names_of_a_message_do_not_count() -> None:
    """What a client keeps beside a message is not what it says; its id is kept."""
    plain = {"role": "user", "content": "hello"}
    [one, two] = listed("openai", [plain, {**plain, "id": "m7", "usage": {"tokens": 3}}])
    assert known_by(one, "").key == known_by(two, "").key
    assert (known_by(one, "").id, known_by(two, "").id) == ("", "m7")


def test_a_text_that_no_encoding_takes_has_one() -> None:
    """Half of a surrogate pair, as a cut stream leaves it, is hashed all the same."""
    [one] = listed("openai", [{"role": "user", "content": "\ud800"}])
    assert known_by(one, "").key


def test_the_size_is_in_characters() -> None:
    """Of a text in any script."""
    [one, two] = listed("openai", [{"role": "user", "content": word * 50} for word in "aß"])
    assert known_by(one, "").size == known_by(two, "").size
