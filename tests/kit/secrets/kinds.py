"""All kinds of secrets of the first generator, and how one is made from a seed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random

from tests.kit.secrets.keys import KEYS
from tests.kit.secrets.passwords import PASSWORDS
from tests.kit.secrets.planted import Maker, Planted
from tests.kit.secrets.spelling import spelled
from tests.kit.secrets.tokens import TOKENS

PLACE = "@@"  # in a line, where the secret stands


def lined(line: str, form: str) -> Maker:
    """Makes a secret of a form in a line."""

    def make(rng: Random) -> Planted:
        secret = spelled(form, rng)
        before, _, after = line.partition(PLACE)
        return Planted(f"{spelled(before, rng)}{secret}{spelled(after, rng)}", secret)

    return make


KINDS: dict[str, Maker] = {
    **{kind: lined(*given) for kind, given in {**TOKENS, **PASSWORDS}.items()},
    **KEYS,
}


def plant(
    kinds: Mapping[str, Maker], seed: int | str, chosen: Iterable[str] = ()
) -> dict[str, Planted]:
    """One secret of each kind, of those chosen when any are; the same ones for the same seed.

    Raises ValueError for one that does not stand in its text.
    """
    names = list(chosen) or list(kinds)
    made = {kind: kinds[kind](Random(f"{seed}:{kind}")) for kind in names}
    for kind, one in made.items():
        if one.secret not in one.text:
            raise ValueError(f"{kind}: the secret does not stand in its text")
    return made
