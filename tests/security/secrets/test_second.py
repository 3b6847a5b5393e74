"""The second generator of secrets: seeded makers, values that stand in their texts, decoys."""

from __future__ import annotations

from random import Random
from zlib import crc32

import pytest

from tests.kit.cases import all_cases
from tests.kit.secrets.decoys import DECOYS, Decoy, changed, decoys, looked
from tests.kit.secrets.matrix import prepared
from tests.kit.secrets.second.draws import ALNUM, checked
from tests.kit.secrets.second.kinds import KINDS, ROOMS
from tests.kit.secrets.second.shapes import planted, shapes_of
from tests.kit.secrets.second.wallets import mnemonic

SEEDS = range(12)
# What a placeholder would hold; a made secret is taken for one nowhere.
PLACEHOLDERS = ("example", "changeme", "change-me", "password", "xxxx", "****", "«", "<", "${")
LONG = 400  # in so many random signs any four will stand somewhere


def test_no_kind_is_named_twice() -> None:
    """A kind that two files name would hide one of them."""
    assert len(KINDS) == sum(len(room.KINDS) for room in ROOMS)


def test_at_least_eighty_kinds() -> None:
    """A generator of a few kinds would say little about rules."""
    assert len(KINDS) >= 80


@all_cases("kind", KINDS)
def test_the_secret_stands_in_its_text(kind: str) -> None:
    """The part that gives access is a part of the text, with every slot of the text filled."""
    for seed in SEEDS:
        made = KINDS[kind](Random(seed))
        assert made.secret
        assert made.secret in made.text
        assert "«" not in made.text


@all_cases("kind", KINDS)
def test_the_same_seed_makes_the_same_secret(kind: str) -> None:
    """A maker draws from its source alone."""
    assert [KINDS[kind](Random(seed)) for seed in SEEDS] == [
        KINDS[kind](Random(seed)) for seed in SEEDS
    ]


@all_cases("kind", KINDS)
def test_each_seed_makes_another_secret(kind: str) -> None:
    """No two seeds share a secret, and the texts around them have several shapes."""
    made = [KINDS[kind](Random(seed)) for seed in SEEDS]
    assert len({each.secret for each in made}) == len(SEEDS)
    around = {each.text.replace(each.secret, "") for each in made}
    assert len(around) > 1


@all_cases("kind", KINDS)
def test_no_secret_is_a_placeholder(kind: str) -> None:
    """A redactor may leave placeholders as they are, so none is made."""
    for seed in SEEDS:
        secret = KINDS[kind](Random(seed)).secret.lower()
        held = [sign for sign in PLACEHOLDERS if sign in secret]
        assert not held or len(secret) > LONG


def test_a_block_gives_its_shapes_without_its_indent() -> None:
    """Shapes keep the indent they have against each other."""
    block = """
        a:
          b
        ~~~
          c
    """
    assert shapes_of(block) == ("a:\n  b", "  c")


def test_a_slot_nobody_knows_is_refused() -> None:
    """A misspelt slot fails where it is filled."""
    with pytest.raises(KeyError, match="nowhere"):
        planted(lambda chance: "s3cret")("«nowhere» «secret»")(Random(1))


def test_a_slot_is_drawn_once_a_text() -> None:
    """A host named twice is the same host."""
    first, second = planted(lambda chance: "s")("«host» «host» «secret»")(Random(4)).text.split()[
        :2
    ]
    assert first == second


def test_checked_tokens_end_in_their_checksum() -> None:
    """The last six signs, read in base 62, are the CRC-32 of the thirty before them."""
    token = checked("ghp_", 36)(Random(3)).removeprefix("ghp_")
    number = 0
    for sign in token[30:]:
        number = number * 62 + ALNUM.index(sign)
    assert len(token) == 36
    assert number == crc32(token[:30].encode())


@pytest.mark.parametrize("count", [12, 24])
def test_seed_phrases_have_their_length(count: int) -> None:
    """A phrase has the words asked for, and its checksum holds or it would not come back."""
    assert len(mnemonic(count)(Random(5)).split()) == count


def test_at_least_sixty_decoys() -> None:
    """Kinds of decoys, each with at least a shape."""
    assert len(DECOYS) >= 60
    assert all(DECOYS.values())


def test_decoys_are_seeded() -> None:
    """A seed gives its decoys again, another seed other digests, and no slot stays open."""
    assert decoys(Random(1)) == decoys(Random(1))
    assert decoys(Random(1)) != decoys(Random(2))
    assert not any("«" in decoy.text for decoy in decoys(Random(1)))


def test_a_redactor_that_changes_nothing_has_no_changed_decoy() -> None:
    """The identity leaves every decoy as it was."""
    assert changed(lambda text: text) == []


def test_changed_decoys_are_told() -> None:
    """A redactor that strikes a word out is told the decoys that hold it, for each seed."""
    told = changed(lambda text: text.replace("PASSWORD_MIN_LENGTH", ""), seeds=(1, 2))
    assert told == [Decoy("limits", "PASSWORD_MIN_LENGTH = 12")] * 2


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_every_secret_can_be_found(seed: int) -> None:
    """Each has a piece of its own that is long enough to be looked for, also that of a default."""
    plants, _ = prepared("second", seed, tuple(KINDS))
    assert len(plants) == len(KINDS)


def test_decoys_in_figures() -> None:
    """How many were tried, how many changed, and of each such kind what one becomes."""
    assert looked(str, (1,)) == {
        "tried": len(decoys(Random(1))),
        "changed": 0,
        "kinds": {},
    }
    found = looked(lambda text: text.replace("uuid", "").upper(), (1, 2))
    assert found["changed"] <= found["tried"] == 2 * len(decoys(Random(1)))
    assert set(found["kinds"]) <= set(DECOYS) and found["kinds"]
