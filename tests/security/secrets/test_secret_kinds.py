"""The made secrets: seeded, different from each other, and none of them a placeholder."""

from __future__ import annotations

import re
from random import Random

import pytest

from tests.kit.cases import all_cases
from tests.kit.secrets.kinds import KINDS, lined, plant
from tests.kit.secrets.planted import Planted
from tests.kit.secrets.spelling import spelled


def test_there_are_many_kinds() -> None:
    """At least 70 kinds are made."""
    assert len(KINDS) >= 70


def test_the_same_seed_makes_the_same() -> None:
    """A seed makes the same secrets, alone or among others, and another seed makes others."""
    made, again, others = plant(KINDS, 1), plant(KINDS, 1), plant(KINDS, 2)
    assert made == again
    assert plant(KINDS, 1, ["jwt"]) == {"jwt": made["jwt"]}
    assert all(made[kind].secret != others[kind].secret for kind in KINDS)
    assert len({one.secret for one in made.values()}) == len(KINDS)


@all_cases("kind", KINDS)
def test_a_secret_of_each_kind(kind: str) -> None:
    """It stands in its text, once, with everything drawn, and says of no placeholder."""
    for seed in range(5):
        made = KINDS[kind](Random(seed))
        assert made.text.count(made.secret) == 1 and len(made.secret) >= 14
        assert "@@" not in made.text and not re.search(r"<\w+:\d+>", made.text)
        assert not re.search(r"(?i)example|changeme|xxxx|placeholder", made.text)


def test_forms() -> None:
    """A form's drawn parts have their lengths and letters, a tag stays, an odd name is refused."""
    made = spelled("k_<hex:8>-<digits:3>", Random(1))
    assert re.fullmatch(r"k_[0-9a-f]{8}-[0-9]{3}", made)
    assert re.fullmatch(
        r"<server>[0-9]</server>", spelled("<server><digits:1></server>", Random(1))
    )
    with pytest.raises(KeyError):
        spelled("<nothing:4>", Random(1))


def test_a_line() -> None:
    """The secret stands where the line says."""
    made = lined("user:@@@host", "<digits:4>")(Random(1))
    assert made.text == f"user:{made.secret}@host"


def test_a_secret_beside_its_text() -> None:
    """A maker whose secret is not in the text is refused by its kind."""
    with pytest.raises(ValueError, match="odd: the secret"):
        plant({"odd": lambda rng: Planted("text", "secret")}, 1)
