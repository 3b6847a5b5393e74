"""Decoys: texts that look like secrets and are none, which must rest byte for byte.

An agent reads placeholders and code about passwords all day, and edits them
by their exact text. A redactor that changes one of them breaks the edit.
"""

from collections.abc import Callable, Iterable
from random import Random

from tests.kit.secrets.lookalikes import handled
from tests.kit.secrets.shapes import fill

SEEDS = (1, 2, 3)
DECOYS = handled.SHAPES


def decoys(chance: Random) -> list[str]:
    """Every decoy once, in the order of DECOYS, its digests and names drawn."""
    return [fill(shape, chance, {}) for shape in DECOYS]


def changed(redact: Callable[[str], str], seeds: Iterable[int] = SEEDS) -> list[str]:
    """The decoys a redactor does not give back as they were, for each seed in turn."""
    made = (decoy for seed in seeds for decoy in decoys(Random(seed)))
    return [decoy for decoy in made if redact(decoy) != decoy]
