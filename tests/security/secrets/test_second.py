"""The second generator of secrets, and the decoys: seeded, with nothing left to fill in."""

from __future__ import annotations

from random import Random
from zlib import crc32

import pytest

from tests.kit.secrets.decoys import DECOYS, Decoy, changed, decoys, looked
from tests.kit.secrets.matrix import prepared
from tests.kit.secrets.second.draws import ALNUM, checked
from tests.kit.secrets.second.kinds import KINDS, ROOMS
from tests.kit.secrets.second.shapes import planted

# What a placeholder would hold, which a redactor may leave as it is.
PLACEHOLDERS = ("example", "changeme", "change-me", "password", "xxxx", "****", "«", "<", "${")
LONG = 400  # in so many random signs any four will stand somewhere


def test_every_kind_makes_secrets_that_can_be_found() -> None:
    """No kind is named twice; each makes its secret again from its seed, another from another seed,
    in its text, no placeholder, and with a piece of its own."""
    assert len(KINDS) == sum(len(room.KINDS) for room in ROOMS) >= 80
    for make in KINDS.values():
        one, again, other = make(Random(1)), make(Random(1)), make(Random(2))
        assert one == again and one.secret != other.secret
        assert one.secret in one.text and "«" not in one.text
        assert len(one.secret) > LONG or not any(it in one.secret.lower() for it in PLACEHOLDERS)
    plants, _ = prepared("second", 1, tuple(KINDS))
    assert len(plants) == len(KINDS)


def test_a_slot_nobody_knows_is_refused() -> None:
    """A misspelt slot fails where it is filled."""
    with pytest.raises(KeyError, match="nowhere"):
        planted(lambda chance: "s3cret")("«nowhere» «secret»")(Random(1))


def test_checked_tokens_end_in_their_checksum() -> None:
    """The last six signs, read in base 62, are the CRC-32 of the thirty before them."""
    token = checked("ghp_", 36)(Random(3)).removeprefix("ghp_")
    number = 0
    for sign in token[30:]:
        number = number * 62 + ALNUM.index(sign)
    assert number == crc32(token[:30].encode())


def test_decoys_that_a_redactor_changes_are_told() -> None:
    """A seed gives its decoys again; who changes nothing is told none, else each with its kind."""
    assert decoys(Random(1)) == decoys(Random(1)) != decoys(Random(2))
    assert len(DECOYS) >= 60 and not any("«" in decoy.text for decoy in decoys(Random(1)))
    assert looked(str, (1,)) == {"tried": len(decoys(Random(1))), "changed": 0, "kinds": {}}
    told = changed(lambda text: text.replace("PASSWORD_MIN_LENGTH", ""), seeds=(1, 2))
    assert told == [Decoy("limits", "PASSWORD_MIN_LENGTH = 12")] * 2
