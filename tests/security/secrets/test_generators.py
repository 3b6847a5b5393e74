"""The two generators of secrets: seeded, different from each other, none of them a placeholder."""

from __future__ import annotations

import re
from random import Random

import pytest

from tests.kit.cases import all_cases
from tests.kit.secrets.kinds import lined, plant
from tests.kit.secrets.matrix import GENERATORS, prepared
from tests.kit.secrets.planted import Planted
from tests.kit.secrets.second import shapes
from tests.kit.secrets.spelling import spelled

# What a placeholder would hold, which a redactor may leave as it is.
PLACEHOLDER = re.compile(r"(?i)example|change-?me|password|xxxx|\*{4}|@@|«|<\w+:|\$\{")
LONG = 400  # in so many random signs any four will stand somewhere


@all_cases(("generator", "least"), [("first", 150), ("second", 380)])
def test_secrets_that_can_be_found(generator: str, least: int) -> None:
    """Each kind makes its secret again from its seed, alone or among others, and another from
    another seed; it stands in its text, is no placeholder, and has a piece of its own."""
    kinds = GENERATORS[generator][0]
    made, others = plant(kinds, 1), plant(kinds, 2)
    first = next(iter(kinds))
    assert made == plant(kinds, 1) and plant(kinds, 1, [first]) == {first: made[first]}
    assert len({one.secret for one in (*made.values(), *others.values())}) == 2 * len(kinds)
    for one in made.values():
        assert one.secret in one.text and not re.search("«|<[a-z]+:[0-9]+>", one.text)
        assert len(one.secret) > LONG or not PLACEHOLDER.search(one.secret)
    assert len(prepared(generator, 1, tuple(kinds))[0]) == len(kinds) >= least


def test_forms() -> None:
    """A form's drawn parts have their lengths and letters, a tag stays, an odd name is refused."""
    assert re.fullmatch(r"k_[0-9a-f]{8}-<a>[0-9]{3}", spelled("k_<hex:8>-<a><digits:3>", Random(1)))
    made = lined("user:@@@host", "<digits:4>")(Random(1))
    assert made.text == f"user:{made.secret}@host"
    with pytest.raises(KeyError):
        spelled("<nothing:4>", Random(1))
    with pytest.raises(KeyError, match="nowhere"):
        shapes.fill("«nowhere»", Random(1), {})
    with pytest.raises(ValueError, match="odd: the secret"):
        plant({"odd": lambda rng: Planted("text", "secret")}, 1)
