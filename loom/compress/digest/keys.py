"""The keys by which facts are brought together: those with the same key become one."""

from __future__ import annotations

from typing import NamedTuple

LINES = 4_096  # whose words are remembered: digests are made of the same lines again and again


class Key(NamedTuple):
    """The key that facts have in common that are brought together."""

    kind: str
    about: str
