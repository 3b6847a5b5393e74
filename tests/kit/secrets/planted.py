"""A secret as it stands in the wild: the line around it, and the part that must rest nowhere."""

from collections.abc import Callable
from random import Random

from msgspec import Struct


class Planted(Struct, frozen=True):
    """A made secret of one kind.

    `text` is the line or lines it would stand in (`export STRIPE_KEY=sk_live_…`), `secret` the
    part of `text` that gives access, whole and as it stands there.
    """

    text: str
    secret: str


# Makes a secret of a kind, another one for each state of the generator.
Maker = Callable[[Random], Planted]
