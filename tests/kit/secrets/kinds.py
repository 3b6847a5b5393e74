"""Secrets as a working engineer meets them, made without knowledge of any rule that finds them."""

from collections.abc import Iterable, Mapping
from random import Random

from tests.kit.secrets import keys, services, shown
from tests.kit.secrets.shapes import Maker, Planted

KINDS: dict[str, Maker] = {
    kind: maker for room in (services, shown, keys) for kind, maker in room.KINDS.items()
}


def plant(
    seed: int | str, chosen: Iterable[str] = (), kinds: Mapping[str, Maker] = KINDS
) -> dict[str, Planted]:
    """One secret of each kind, of those chosen when any are; the same ones for the same seed.

    Raises ValueError for one that does not stand in its text.
    """
    made = {kind: kinds[kind](Random(f"{seed}:{kind}")) for kind in list(chosen) or list(kinds)}
    for kind, one in made.items():
        if one.secret not in one.text:
            raise ValueError(f"{kind}: the secret does not stand in its text")
    return made
